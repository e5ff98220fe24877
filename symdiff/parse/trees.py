"""Contents as trees: containers around numbers, arrays and static values.

``parts_of`` takes one container apart: a tuple, a list of known length, a dict, an object of a
dataclass. ``flatten`` does so all the way down, ``unflatten`` makes such a content anew around
other leaves, ``contents_within`` goes over all that a content holds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from symdiff.definitions.bunches import attributes_of
from symdiff.ir.structure import Container, Either, Leaf, Static, Structure, is_dataclass
from symdiff.parse.assumed import Assumed, implied, truth_of
from symdiff.parse.heap import Heap, same
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.reflect import container
from symdiff.parse.values import Abstract, Array, DictRef, ListRef, ObjectRef, OneOfTwo


class Parts(NamedTuple):
    """A container taken apart: its class, its keys (indices, dict keys, field names), its items."""

    type: type
    keys: tuple[Any, ...]
    items: tuple[Abstract, ...]


def parts_of(heap: Heap, content: Abstract) -> Parts | None:
    """A container whose items are known, taken apart; None for all else."""
    held: Any = heap.get(content) if isinstance(content, ListRef | DictRef) else content
    if isinstance(held, tuple):
        kind = content.type if isinstance(content, ListRef) else type(held)
        keys = tuple(getattr(held, "_fields", range(len(held))))
        return Parts(kind, keys, tuple(tuple.__iter__(held)))
    if isinstance(held, dict):
        kind = content.type if isinstance(content, DictRef) else dict
        return Parts(kind, tuple(held), tuple(held.values()))
    if isinstance(content, ObjectRef) and is_dataclass(content.type):
        names = tuple(field.name for field in dataclasses.fields(content.type))
        return Parts(content.type, names, tuple(heap.get((content, name)) for name in names))
    return None


def flatten(
    content: Abstract,
    is_leaf: Callable[[Abstract], bool],
    parts: Callable[[Abstract], Parts | None],
    static: Callable[[Abstract], Any] = lambda content: content,
    seen: Callable[[Abstract], Abstract] = lambda content: content,
) -> tuple[Structure, list[Abstract]]:
    """The structure of a content, and its leaves in order.

    :param is_leaf: tells leaves; it may refuse a content by raising.
    :param static: what stands in the structure for a content that is neither leaf nor container.
    :param seen: what is taken for a content, before anything is asked of it.
    :raises RecursionError: for a list, a dict or an object that holds itself.
    """
    leaves: list[Abstract] = []
    around: list[Abstract] = []
    decided: Assumed = {}  # what is known where a content is one of two

    def visit(content: Abstract) -> Structure:
        content = seen(content)
        if isinstance(content, OneOfTwo):
            return either(content)
        if is_leaf(content):
            leaves.append(content)
            return Leaf(len(leaves) - 1)
        found = parts(content)
        if found is None:
            return Static(static(content))
        if any(content is outer for outer in around):
            raise RecursionError("a container that holds itself")
        around.append(content)
        items = tuple(map(visit, found.items))
        around.pop()
        return Container(found.type, found.keys, items)

    def either(content: OneOfTwo) -> Structure:
        nonlocal decided
        known = truth_of(content.predicate, decided)
        if known is not None:
            return visit(content.then if known else content.orelse)
        leaves.append(content.predicate)
        number, before = len(leaves) - 1, decided
        arms: list[Structure] = []
        for taken, arm in ((True, content.then), (False, content.orelse)):
            decided = before | implied(content.predicate, taken)
            arms.append(visit(arm))
        decided = before
        return Either(number, *arms)

    return visit(content), leaves


def unflatten(
    interp: Interpreter,
    structure: Structure,
    leaf: Callable[[int], Abstract],
    finish: Callable[[Abstract], None] = lambda made: None,
) -> Abstract:
    """A new content of a structure around leaves, given by number.

    :param finish: called with each new container.
    """
    if isinstance(structure, Leaf):
        return leaf(structure.index)
    if isinstance(structure, Static):
        return structure.value
    assert isinstance(structure, Container)  # what is inside has no cases: ``output_of``
    items = [unflatten(interp, item, leaf, finish) for item in structure.items]
    made = container(interp, structure.type, structure.keys, items, None)
    finish(made)
    return made


def same_structure(a: Structure, b: Structure) -> bool:
    """Return whether two structures have the same containers and static parts."""
    if isinstance(a, Container) and isinstance(b, Container):
        return (a.type, a.keys) == (b.type, b.keys) and all(map(same_structure, a.items, b.items))
    if isinstance(a, Static) and isinstance(b, Static):
        return a.value is b.value or same(a.value, b.value)
    return isinstance(a, Leaf) and isinstance(b, Leaf)


def contents_within(heap: Heap, content: Abstract) -> Iterator[Abstract]:
    """A content and all that it holds; what an array or a list holds is looked up in the heap."""
    pending, seen = [content], set[Any]()
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, Array):
            pending.append(heap.get(part.storage))
        elif isinstance(part, ListRef | DictRef | ObjectRef):
            if part in seen:
                continue
            seen.add(part)
        held = parts_of(heap, part)
        if held is not None:
            pending.extend(held.items)
            pending.extend(attributes_of(part).values() if isinstance(part, tuple) else ())
        elif isinstance(part, ListRef | DictRef):
            pending.append(heap.get(part))
