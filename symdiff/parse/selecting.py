"""Items that an integer known at run time selects from a list, a tuple or a dict that is known now.

Numbers of one dtype stand in a list of the program, ``[a, b, c][k]``; all else is one of several by
the branch that is taken, as after ``a if k == 0 else b if k == 1 else c``. What is taken so is what
neither an unrolled loop nor a fixed argument tells: ``selected_at_run_time``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from symdiff.errors import UnsupportedSyntaxError, rejection
from symdiff.ir.graph import Value
from symdiff.ir.structure import Container, Structure, is_leaf
from symdiff.ir.types import TEXT, ArrayType, ListType
from symdiff.ops.arithmetic import add, equal, greater_equal, less, remainder, where
from symdiff.ops.lists import list_get, list_new
from symdiff.parse import staged_lists
from symdiff.parse.blame import users
from symdiff.parse.branches import joined_cases
from symdiff.parse.heap import Heap, another, constant, is_programs, same, several
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.kinds import is_inexact
from symdiff.parse.lattice import is_number, meet_in_list, own_symbol
from symdiff.parse.raising import raise_with
from symdiff.parse.run_time_texts import is_text
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Columns,
    Conflict,
    ConflictRead,
    DictRef,
    Iterable,
    ListRef,
    NeverReturns,
    ObjectRef,
    Unjoinable,
)

MANY_NUMBERS = 16  # items that are gone over in one loop
_MOST_LOOKED_AT = 8  # values that an index is computed from
MOST_CASES = 8  # of items that are told apart by branches where they could stand in a list


def selected_at_run_time(interp: Interpreter, key: Abstract) -> bool:
    """Note that a key selects here; return whether that is decided at run time."""
    if interp.span is None or not _is_index(key):
        return False
    return interp.policy.selects(interp.span, interp.scope.node)


def selected_in_turns(interp: Interpreter, items: tuple[Abstract, ...], key: Abstract) -> bool:
    """Return whether a key that differs from turn to turn of a loop selects one of many floats.

    The loop stays one, where nothing else in it has to be known.
    """
    return _is_index(key) and _differs_by_turn(interp, key) and are_many_floats(interp, items)


def _differs_by_turn(interp: Interpreter, key: Abstract) -> bool:
    """Return whether an index is a parameter of a loop's body, or computed from one by a little."""
    pending = [part for part in (key,) if isinstance(part, Value)]
    for value in pending:
        if value.node is None:
            return value not in interp.parameters
        if len(pending) < _MOST_LOOKED_AT and not value.node.blocks:
            pending += value.node.operands
    return False


def are_many_floats(interp: Interpreter, items: Any) -> bool:
    """Return whether items are floats of one type that are known one by one, and many."""
    if type(items) is not tuple or len(items) < MANY_NUMBERS or not all(map(is_one_number, items)):
        return False
    types = {interp.lift(item).type for item in items}
    return len(types) == 1 and is_inexact(types.pop())


def is_one_number(content: Abstract) -> bool:
    """Return whether a content is a number, known now or at run time, and no array."""
    if isinstance(content, Value):
        return isinstance(content.type, ArrayType) and content.type.kind != "array"
    return is_leaf(content)


def _one_by_one(interp: Interpreter) -> bool:
    """Return whether a list would not do here: how many items there are has to be known later."""
    return interp.span is not None and interp.policy.selecting.get(interp.span, False)


def _is_index(key: Abstract) -> bool:
    """Return whether a key is an integer known at run time, or a slice with such a bound."""
    if isinstance(key, slice):
        bounds = (key.start, key.stop, key.step)
        at_run_time = [b for b in bounds if b is not None and not isinstance(b, int)]
        return bool(at_run_time) and all(map(_is_index, at_run_time))
    type_ = key.type if isinstance(key, Value) else None
    if not isinstance(type_, ArrayType) or type_.shape:
        return False
    return type_.dtype.kind in "iu" or (type_.dtype.kind == "b" and type_.kind == "python")


def item_of(interp: Interpreter, items: tuple[Abstract, ...], key: Value, kind: str) -> Abstract:
    """``items[key]``, of a list or a tuple, as ``kind`` tells."""
    content = _as_list(interp, items)
    if content is not None:
        return staged_lists.get(interp, content, key)
    error = IndexError(f"{kind} index out of range")
    if not items:
        raise rejection(IndexError, str(error))
    return _one_of(interp, _place(interp, key, len(items), error), list(enumerate(items)))


def in_order(
    interp: Interpreter, items: tuple[Abstract, ...], order: Value
) -> tuple[Abstract, ...]:
    """The items at the places that a list of the program has, which are all of theirs."""
    content = _as_list(interp, items)
    places = [list_get(order, constant(k)) for k in range(len(items))]
    if content is not None:
        return tuple(staged_lists.get(interp, content, place) for place in places)
    objects = _objects_at(interp, items, places)
    if objects is not None:
        return objects
    found = [_one_of(interp, place, list(enumerate(items))) for place in places]
    for item in found:
        if isinstance(item, Conflict) and item.cases is None:
            raise ConflictRead(item)
    return tuple(found)


def _objects_at(
    interp: Interpreter, items: tuple[Abstract, ...], places: Sequence[Value]
) -> tuple[Abstract, ...] | None:
    """The objects at all places in another order, each with the attributes of the one that it is.

    None where they are not different objects of the program's that differ in numbers only.
    """
    heap = interp.heap
    if _one_by_one(interp) or not _are_apart(heap, items):
        return None
    held = [heap.joined(item) for item in items]
    if any(one.keys() != held[0].keys() for one in held):
        return None
    made = [another(item) for item in items]
    for name in held[0]:
        column = tuple(one[name] for one in held)
        if all(same(content, column[0]) for content in column):
            contents = column
        elif all(map(is_number, column)) and _are_alike(interp, column):
            numbers = list_of(interp, column)
            contents = tuple(staged_lists.get(interp, numbers, place) for place in places)
        else:
            return None
        for one, content in zip(made, contents, strict=True):
            heap.hold(one, {name: content})
    conflict = several("item", interp.span)
    for one in made:
        for item in items:
            for other in heap.possible(item):
                heap.relate(one, other, conflict)
    return tuple(made)


def _are_apart(heap: Heap, items: tuple[Abstract, ...]) -> bool:
    """Return whether items are objects of one class, made by the program, no two of them one."""
    return (
        all(isinstance(item, ObjectRef) and item.type is items[0].type for item in items)
        and all(is_programs(item) and item.holder is None for item in items)
        and len(set(items)) == len(items)
        and not any(item in heap.bound for item in items)
        and all(set(items).isdisjoint(heap.shared.get(item, ())) for item in items)
    )


def value_of(interp: Interpreter, content: dict[Any, Abstract], key: Value) -> Abstract:
    """``content[key]``, of a dict whose keys are integers."""
    pairs: list[tuple[Any, Abstract]] = [*content.items(), (None, ABSENT)]
    return _one_of(interp, key, pairs)


def slice_of(interp: Interpreter, items: tuple[Abstract, ...], key: slice) -> Abstract:
    """What a list of ``items[key]`` holds: a list of the program, or one of several."""
    plain_step = key.step is None or (isinstance(key.step, int) and key.step == 1)
    known_start = key.start is None or isinstance(key.start, int)
    if not _one_by_one(interp) or not plain_step or not known_start:
        return staged_lists.part(staged_items(interp, items), key.start, key.stop, key.step)
    first = range(len(items))[key.start :].start
    end = where(less(key.stop, 0), add(key.stop, len(items)), key.stop)

    def more(k: int) -> bool | Value:
        result: bool | Value = first + k < len(items) and less(first + k, end)
        return result

    made = interp.collect(Iterable(end, lambda k: items[first + k], unroll=True, more=more))
    return interp.heap.contents.pop(made)


def items_with(
    interp: Interpreter, items: tuple[Abstract, ...], key: Value, item: Abstract
) -> Value | Columns | tuple[Abstract, ...]:
    """The content of a list after ``items[key] = item``."""
    if _are_alike(interp, (*items, item)) and not _one_by_one(interp):
        content = staged_items(interp, items)
        return staged_lists.replaced(interp, content, key, item)
    error = IndexError("list assignment index out of range")
    place = _place(interp, key, len(items), error)
    return tuple(
        joined_cases(interp, equal(place, k), lambda: item, lambda old=old: old, "item")  # type: ignore[misc]
        for k, old in enumerate(items)
    )


def _one_of(interp: Interpreter, key: Value, pairs: Sequence[tuple[Any, Abstract]]) -> Abstract:
    """The second of the pair whose first is equal to a key; if of none, of the last.

    Where that is ``ABSENT``, Python raises ``KeyError``.
    """
    (candidate, item), *others = pairs
    if not others:
        if item is ABSENT:
            _refuse_key(interp, key)
        return item
    rest = functools.partial(_one_of, interp, key, others)
    return joined_cases(interp, equal(key, candidate), lambda: item, rest, "item")


def _refuse_key(interp: Interpreter, key: Value) -> NoReturn:
    """End a path with the error of a key that a dict has not."""
    raise_with(interp, KeyError, (key,))
    raise NeverReturns


def _place(interp: Interpreter, key: Value, count: int, error: IndexError) -> Value:
    """An index counted from the start; an error where it is outside."""
    refuse_where(interp, less(key, -count), error)
    refuse_where(interp, greater_equal(key, count), error)
    return remainder(key, count)


def refuse_where(interp: Interpreter, condition: bool | Value, error: Exception) -> None:
    """End the paths on which a condition holds with an error of the user's function."""

    def refuse() -> None:
        raise users(error)

    interp.where(condition, refuse)


def at_each_place(
    interp: Interpreter, container: Abstract, key: Abstract, action: Callable[[Abstract], None]
) -> None:
    """Stage what changes an item in place; once for each that a key known at run time may select.

    Where a list has numbers only there is nothing to be changed but the list.
    """
    content = interp.content(container) if isinstance(container, ListRef | DictRef) else None
    places = _places(content)
    if places is None or not selected_at_run_time(interp, key):
        action(key)
        return
    place = key
    if isinstance(content, tuple):
        place = _place(interp, key, len(content), IndexError("list index out of range"))

    def stage(left: list[Any]) -> None:
        if not left:
            _refuse_key(interp, key)
        first, *others = left
        if isinstance(content, tuple) and not others:
            action(first)
            return
        found = equal(place, first)
        interp.branch(found, lambda: action(first), lambda: stage(others))

    stage(places)


def _places(content: Abstract) -> list[Any] | None:
    """The keys of a dict, if all are integers, and of a list that holds more than numbers."""
    if isinstance(content, dict):
        return list(content) if is_numbered(content) else None
    changeable = Array | ListRef | DictRef | ObjectRef
    if not isinstance(content, tuple) or not any(isinstance(i, changeable) for i in content):
        return None
    return list(range(len(content)))


def is_numbered(content: dict[Any, Abstract]) -> bool:
    """Return whether all keys of a dict are integers."""
    return bool(content) and all(isinstance(key, int) for key in content)


# As a list ----------------------------------------------------------------------------------------


def list_of(interp: Interpreter, items: tuple[Abstract, ...]) -> Value | Columns:
    """Items known one by one as a list of the program; ``Unjoinable`` without a common type."""
    structure, columns = staged_lists.columns_from(interp.heap, items)
    staged_lists.freeze_items(interp.heap, items, interp.span)
    return staged_lists.content_of(structure, [_column(interp, column) for column in columns])


def staged_items(interp: Interpreter, items: tuple[Abstract, ...]) -> Value | Columns:
    """Items known one by one as a list of the program; refused where they have no common type."""
    try:
        return list_of(interp, items)
    except Unjoinable as reason:
        raise UnsupportedSyntaxError(
            f"a place that is known at run time only, in a list of items that are unlike: {reason}",
            hint="give all items of the list one structure and one type",
        ) from None


def _column(interp: Interpreter, leaves: Sequence[Abstract]) -> Value:
    types = [TEXT if is_text(leaf) else interp.lift(leaf).type for leaf in leaves]
    element = functools.reduce(lambda a, b: meet_in_list(a, b, own_symbol()), types)
    values = [staged_lists.leaf_value(interp.heap, v, element, interp.span) for v in leaves]
    return list_new(*values, type=ListType(element))


def _as_list(interp: Interpreter, items: tuple[Abstract, ...]) -> Value | Columns | None:
    """The items as a list of the program, where they are alike, or too many for branches."""
    if _one_by_one(interp):
        return None
    if _are_alike(interp, items):
        return list_of(interp, items)
    if len(items) <= MOST_CASES:
        return None
    try:
        return list_of(interp, items)
    except Unjoinable:
        return None


def _are_alike(interp: Interpreter, items: tuple[Abstract, ...]) -> bool:
    """Return whether items are numbers, or tuples of numbers, that have one dtype in each place."""
    if not items:
        return False
    try:
        structure, columns = staged_lists.columns_from(interp.heap, items)
    except Unjoinable:
        return False
    return _is_fixed(structure) and all(_have_one_dtype(interp, column) for column in columns)


def _is_fixed(structure: Structure) -> bool:
    """Return whether nothing of an item can be written."""
    if not isinstance(structure, Container):
        return True
    return issubclass(structure.type, tuple) and all(map(_is_fixed, structure.items))


def _have_one_dtype(interp: Interpreter, leaves: Sequence[Abstract]) -> bool:
    types = [interp.lift(leaf).type for leaf in leaves]
    return all(
        isinstance(t, ArrayType) and t.kind != "array" and t.dtype == types[0].dtype  # type: ignore[union-attr]
        for t in types
    )
