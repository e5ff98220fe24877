"""What a function leaves behind: rebound globals and cells, attributes, captured arrays.

Each is one effect at the function's end, in the order of the first writes.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from symdiff import ops
from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import Builder, builder, building
from symdiff.ir.graph import Block, FreeVariable, Input, Value, walk_nodes
from symdiff.ir.signature import Path
from symdiff.ir.structure import is_leaf
from symdiff.ir.types import OPAQUE
from symdiff.ops.effects import Member, Named
from symdiff.ops.index import Slot
from symdiff.parse.heap import constant, same
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.opaque import Template
from symdiff.parse.staged_lists import is_staged_list
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Conflict,
    DictRef,
    ListRef,
    ObjectRef,
    Storage,
)


def has_written(interp: Interpreter) -> bool:
    """Whether there is anything to leave behind."""
    return bool(interp.rebound or interp.attributes or interp.changed or interp.heap.written)


def write_back(interp: Interpreter) -> None:
    """Append the effects: at the end, and where an exception leaves the function."""
    _rest_on_being_apart(interp)
    for key in (*interp.rebound, *interp.attributes):
        found = interp.heap.get(key)
        if found is not ABSENT and not (isinstance(found, Conflict) and found.written):
            write_place(interp, key, interp.content(key))
    for ref in interp.changed:
        _write_container(interp, ref)
    for storage in list(interp.heap.contents):
        if isinstance(storage, Storage) and storage in interp.heap.written:
            _write_array(interp, storage)


def _rest_on_being_apart(interp: Interpreter) -> None:
    """What is written is no other list, dict or object that is read."""
    changed = [ref for ref in interp.changed if interp.heap.get(ref) is not ABSENT]
    written = [*changed, *(owner for owner, _ in interp.attributes)]
    paths: dict[Any, dict[Path, None]] = {}  # of what is written, by its class
    for ref in written:
        if getattr(ref, "path", None) is not None:
            paths.setdefault(_class_of(ref), {})[ref.path] = None
    for kind, mine in paths.items():
        given = dict.fromkeys(ref.path for ref in interp.given if _class_of(ref) == kind)
        others = tuple(path for path in given if path not in mine)
        if len(mine) + len(others) > 1:
            interp.guard(next(iter(mine)), "apart", (tuple(mine), others), of=str((mine, others)))


def _class_of(ref: Any) -> Any:
    return type(ref), getattr(ref, "type", None)


@dataclass(frozen=True, slots=True)
class Owner:
    """What the caller sees written: an object that the program holds, or one that it is given."""

    target: Any  # a ``Named``, or an opaque ``Value``

    def written(self, op: Any, content: Value, **attributes: Any) -> None:
        """``owner.name = content``, ``owner[key] = content``."""
        if isinstance(self.target, Value):
            op(content, self.target, owner=Slot(0), **attributes)
        else:
            op(content, owner=self.target, **attributes)

    def called(self, name: str, template: Contents, *arguments: Any) -> None:
        """``owner.name(*arguments)``, a method of a list or dict."""
        target = self.target
        if isinstance(target, Value):
            function: Any = Member(template.slot(target), name)
        else:
            function = Named(getattr(target.target, name), f"{target.name}_{name}")
        ops.opaque_call(*template.operands, function=function, arguments=arguments, keywords=())

    def put(self, function: Any, key: Any, template: Contents, content: Any) -> None:
        """``function(owner, key, content)``."""
        given = isinstance(self.target, Value)
        owner = template.slot(self.target) if given else self.target
        named = Named(function, function.__name__)
        arguments = (owner, key, content)
        ops.opaque_call(*template.operands, function=named, arguments=arguments, keywords=())


class Contents(Template):
    """What is written, where a list or a dict of the caller's stays the same list or dict."""

    def of(self, value: Abstract) -> Any:
        path = getattr(value, "path", None)
        if path is None:
            return super().of(value)
        live = value.live if isinstance(value, ObjectRef) else None
        target = owner_at(self.interp, path, ABSENT if live is None else live).target
        return self.slot(target) if isinstance(target, Value) else target


def owner_at(interp: Interpreter, path: Path, live: Any = ABSENT) -> Owner:
    """What stands at a path: an argument is taken as it comes, another object is rested on."""
    name = getattr(path[-1], "name", str(path[-1]))
    if not isinstance(path[0], FreeVariable):
        return Owner(interp.add_input(Input(path), OPAQUE, name))
    target = live_object(path) if live is ABSENT else live
    interp.guard(path, "value", target)
    return Owner(Named(target, name))


def is_place(interp: Interpreter, key: Any) -> bool:
    """Whether a heap key is a variable or an attribute of the user's that is written."""
    return key in interp.attributes or key in interp.rebound


def stands_at(interp: Interpreter, key: Any, content: Abstract) -> bool:
    """Whether what was found at a variable or an attribute of the user's is there as it was."""
    owner, *name = key if isinstance(key, tuple) else (key,)
    path = getattr(owner, "path", (owner,))
    if key in interp.set or path is None:
        return False
    if isinstance(content, Array) and not content.lenses:
        content = interp.inputs[content.storage.origin] if content.storage.origin is not None else 0
    elif content in interp.parameters:
        content = interp.inputs[interp.parameters.index(content)]
    return getattr(content, "path", None) == (*path, *name)


def write_place(interp: Interpreter, key: Any, content: Abstract) -> None:
    """Bind a variable of the user's, or an attribute of the user's own object."""
    interp.set.add(key)
    if isinstance(key, FreeVariable):
        _rebind(interp, key, content)
    else:
        _write_attribute(interp, key, content)


def _write_attribute(interp: Interpreter, key: tuple[Any, str], content: Abstract) -> None:
    """``object.name = content``."""
    owner, name = key
    if not isinstance(owner, ObjectRef):
        target = Owner(Named(owner.owner, "self"))
    elif owner.path is None:
        target = Owner(Named(owner.live, "self"))
    else:
        target = owner_at(interp, owner.path, owner.live)
    _effect(interp, target, ops.set_attribute, content, name=name)


def _effect(interp: Interpreter, owner: Owner, op: Any, content: Abstract, **place: Any) -> None:
    interp.heap.require_array(content)
    if isinstance(content, Value | Array):
        owner.written(op, interp.lift(content), **place)
    elif is_leaf(content):
        owner.written(op, constant(content), **place)
    else:
        template = Contents(interp)
        (key,) = place.values()
        put = setattr if op is ops.set_attribute else operator.setitem
        owner.put(put, key, template, template.of(content))


def _rebind(interp: Interpreter, variable: FreeVariable, content: Abstract) -> None:
    if variable.kind == "global":
        owner = Owner(Named(variable.owner, "module_globals"))
        _effect(interp, owner, ops.set_item, content, key=variable.name)
    else:
        owner = Owner(Named(variable.owner, f"{variable.name}_cell"))
        _effect(interp, owner, ops.set_attribute, content, name="cell_contents")


def live_object(path: tuple[Any, ...]) -> Any:
    """The user's own object at a path from a free variable."""
    value = path[0].read()
    for key in path[1:]:
        value = value[key] if isinstance(value, list | tuple | dict) else getattr(value, key)
    return value


def _write_container(interp: Interpreter, ref: Any) -> None:
    content = interp.content(ref)
    owner = owner_at(interp, ref.path)
    if content is ABSENT:  # changed in a staging that was given up
        return
    before = interp.changed[ref]
    if isinstance(ref, DictRef):
        _write_dict(interp, ref, owner, before, content)
    elif is_staged_list(content):
        _replace_list(interp, owner, content)
    else:
        _write_list(interp, ref, owner, before, content)


def _is_unchanged(ref: Any, key: Any, before: Abstract, item: Abstract) -> bool:
    """Whether an item is what it was; a container that has been there is written on its own."""
    return same(before, item) or getattr(item, "path", None) == (*ref.path, key)


def _write_dict(
    interp: Interpreter, ref: DictRef, owner: Owner, before: dict[Any, Any], content: Any
) -> None:
    for key in before:
        if key not in content:
            owner.called("pop", Contents(interp), key)
    for key, item in content.items():
        if not _is_unchanged(ref, key, before.get(key, ABSENT), item):
            _effect(interp, owner, ops.set_item, item, key=key)


def _write_list(
    interp: Interpreter, ref: ListRef, owner: Owner, before: tuple[Any, ...], content: Any
) -> None:
    for _ in range(len(before) - len(content)):
        owner.called("pop", Contents(interp))
    for position, item in enumerate(content):
        if position >= len(before):
            template = Contents(interp)
            owner.called("append", template, template.of(item))
        elif not _is_unchanged(ref, position, before[position], item):
            _effect(interp, owner, ops.set_item, item, key=position)


def _replace_list(interp: Interpreter, owner: Owner, content: Any) -> None:
    """``owner[:] = content``."""
    if not isinstance(content, Value):
        raise UnsupportedCallError(
            "a list of the caller's gets items in a loop whose length is known at run time only",
            None,
        )
    owner.called("clear", Contents(interp))
    template = Contents(interp)
    owner.called("extend", template, template.slot(content))


def _write_array(interp: Interpreter, storage: Storage) -> None:
    """A captured array that was written: its memory gets the final value."""
    if storage.origin is None or storage not in interp.outside:
        return
    target, final = interp.parameters[storage.origin], interp.heap.contents[storage]
    if final is target:
        return
    if builder() is interp.entry:
        _read_from_a_copy(interp, target)
    ops.store(target, final)


def _read_from_a_copy(interp: Interpreter, target: Value) -> None:
    """Let all that is built so far read a copy, which the final store does not change."""
    start = Builder()
    with building(start):
        kept: Value = ops.copy(target)
    kept.name = target.name
    nodes = interp.entry.nodes
    for node in walk_nodes(Block((), nodes)):
        node.operands = tuple(kept if v is target else v for v in node.operands)
        for block in node.blocks:
            block.results = tuple(kept if v is target else v for v in block.results)
    nodes[:0] = start.nodes
