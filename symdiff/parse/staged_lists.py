"""Lists whose length is known at run time only.

Their content in the heap is an IR value of list type, or, where the items are tuples, lists or
dicts, ``Columns``: one such value for each leaf of an item. Items are values: what is put in must
not be written afterwards, nor what is taken out, since the other would have to change with it; both
are refused: arrays, lists and dicts in an item are ``frozen`` in the heap.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from symdiff.errors import AliasingError, UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ir.structure import Container, Leaf, Static, Structure, is_of_own_class
from symdiff.ir.types import INT, TEXT, ArrayType, ListType, Type, in_words
from symdiff.ops.arithmetic import less, where
from symdiff.ops.declare import NeedsStatic
from symdiff.ops.lists import (
    list_concatenate,
    list_filled,
    list_find,
    list_get,
    list_insert,
    list_length,
    list_new,
    list_place,
    list_pop,
    list_push,
    list_set,
    list_slice_of,
)
from symdiff.parse.demand import can_be_known
from symdiff.parse.heap import (
    Heap,
    as_type,
    constant,
    in_a_list,
    is_list_of_integers,
    item_of_a_list,
)
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.named_items import leaves_in, with_texts_as_leaves
from symdiff.parse.run_time_texts import is_text, lifted
from symdiff.parse.texts import is_text_value
from symdiff.parse.trees import (
    contents_within,
    flatten,
    parts_of,
    same_structure,
    unflatten,
)
from symdiff.parse.values import (
    Abstract,
    Array,
    Columns,
    DictRef,
    ListRef,
    ObjectRef,
    StagedText,
    Unjoinable,
)
from symdiff.source import SourceSpan


def is_staged_list(content: Abstract) -> bool:
    """Return whether a list's content is of a length known at run time only."""
    return isinstance(content, Value | Columns)


def columns_of(content: Value | Columns) -> Columns:
    """The content as columns; a plain list of numbers or arrays has one."""
    return content if isinstance(content, Columns) else Columns(Leaf(0), (content,))


def content_of(structure: Structure, values: Sequence[Value]) -> Value | Columns:
    """The content that columns stand for."""
    return values[0] if isinstance(structure, Leaf) else Columns(structure, tuple(values))


# Items --------------------------------------------------------------------------------------------


def item_parts(heap: Heap, item: Abstract, texts: bool = False) -> tuple[Structure, list[Abstract]]:
    """Structure and leaves (numbers and arrays) of an item, as it is in a heap.

    An item that is a text which is told at run time only is a leaf; in a list of such ``texts``
    known ones are, too. Others stay known: what is looked up by them has to be.
    """
    if isinstance(item, StagedText) or (texts and isinstance(item, str)):
        return Leaf(0), [item]

    def is_number_or_array(value: Abstract) -> bool:
        content = heap.get(value) if isinstance(value, (ListRef, DictRef)) else value
        if isinstance(content, Columns | ListRef | DictRef | ObjectRef):
            raise Unjoinable(
                f"a list of {describe(value)} grows where its length is known at run time only"
            )
        if isinstance(content, Value) and content is not value:
            raise Unjoinable("a list of lists, both of lengths known at run time only")
        if isinstance(content, int | float | complex):
            return not is_of_own_class(content)
        return isinstance(content, Value | Array | StagedText)

    try:
        structure, leaves = flatten(item, is_number_or_array, functools.partial(parts_of, heap))
    except RecursionError:
        raise Unjoinable(f"{describe(item)} that holds itself, or is nested too deeply") from None
    if not leaves:
        raise Unjoinable(f"a list of {describe(item)} whose length is known at run time only")
    return structure, leaves


def columns_from(
    heap: Heap, items: Sequence[Abstract], are_names_told: Callable[[], bool] = lambda: False
) -> tuple[Structure, list[tuple[Abstract, ...]]]:
    """The columns of items known one by one; they must have one structure, but for texts in them
    where these are told.
    """
    texts = any(isinstance(item, StagedText) or is_text_value(item) for item in items)
    parts = [item_parts(heap, item, texts) for item in items]
    structure = parts[0][0]
    for other, _ in parts:
        wide = structure if same_structure(structure, other) else None
        wide = wide or with_texts_as_leaves(structure, other)
        if wide is None or (wide is not structure and not are_names_told()):
            raise Unjoinable("a list of items of different structure grows")
        structure = wide
    rows = [leaves_in(structure, *part) for part in parts]
    return structure, [tuple(column) for column in zip(*rows, strict=True)]


def containers_within(heap: Heap, items: Sequence[Abstract]) -> list[ListRef | DictRef]:
    """The lists and dicts that items are, or have in them."""
    found = (part for item in items for part in contents_within(heap, item))
    return [part for part in found if isinstance(part, ListRef | DictRef)]


def freeze_items(
    heap: Heap, items: Sequence[Abstract], span: SourceSpan | None, length_: Value | None = None
) -> None:
    """Refuse later writes to the lists and dicts in items that go into a list."""
    for part in containers_within(heap, items):
        heap.keep(part, item_of_a_list(span, length_))


def leaf_value(
    heap: Heap, leaf: Abstract, type_: Type, span: SourceSpan | None, length_: Value | None = None
) -> Value:
    """The IR value of a leaf that goes into a list; an array must not be written any more."""
    if is_text(leaf):
        return lifted(heap, leaf)
    if isinstance(leaf, Array):
        value = heap.read(leaf)
        heap.freeze(leaf, in_a_list(value.name, span, length_))
        return value
    return as_type(leaf if isinstance(leaf, Value) else constant(leaf), type_)


def taken(
    interp: Interpreter, structure: Structure, leaves: Sequence[Value], length_: Value
) -> Abstract:
    """An item that was read from a list: its arrays and containers must not be written."""

    def leaf(index: int) -> Abstract:
        value = interp.wrap(leaves[index])
        if isinstance(value, Array):
            interp.heap.freeze(value, in_a_list(None, interp.span, length_))
        return value

    def detach(made: Abstract) -> None:
        if isinstance(made, ListRef | DictRef):
            interp.heap.keep(made, item_of_a_list(interp.span, length_))

    return unflatten(interp, structure, leaf, detach)


# Operations ---------------------------------------------------------------------------------------


def length(content: Value | Columns) -> Value:
    """``len(content)``."""
    return list_length(columns_of(content).values[0])


def get(interp: Interpreter, content: Value | Columns, index: Value) -> Abstract:
    """``content[index]``."""
    table = columns_of(content)
    leaves = [list_get(v, index) for v in table.values]
    return taken(interp, table.structure, leaves, length(content))


def part(content: Value | Columns, start: Any, stop: Any, step: Any) -> Value | Columns:
    """``content[start:stop:step]``."""
    return _each(content, lambda v: list_slice_of(v, start, stop, step))


def place_of(interp: Interpreter, content: Value | Columns, item: Abstract) -> Value | int:
    """Where the first item stands that is an item, or equals it; -1 where there is none."""
    table = columns_of(content)
    try:
        structure, leaves = item_parts(interp.heap, item, texts=True)
    except Unjoinable:
        raise _not_looked_for("an item that is not made of numbers and texts") from None
    if not _are_plain((structure, table.structure)):
        raise _not_looked_for("an item whose class has an '__eq__' of its own")
    if not same_structure(structure, table.structure):
        if not _are_unlike(structure, table.structure):
            raise _not_looked_for("an item of another form than those in it")
        return -1
    if any(map(holds_arrays, table.values)) or any(isinstance(leaf, Array) for leaf in leaves):
        raise _not_looked_for("an array")
    values = [lifted(interp.heap, v) if is_text(v) else interp.lift(v) for v in leaves]
    return list_find(*values, *table.values, count=len(values))


_NATIVE = (tuple, list, dict)
_EQUALS: list[Any] = [kind.__eq__ for kind in (*_NATIVE, collections.OrderedDict)]
_PLAIN = (type(None), str, bytes)


def _are_plain(structures: Iterable[Structure]) -> bool:
    """Return whether tuples, lists and dicts are compared as Python's own are."""
    return all(
        s.type.__eq__ in _EQUALS and _are_plain(s.items)
        for s in structures
        if isinstance(s, Container)
    )


def _are_unlike(a: Structure, b: Structure) -> bool:
    """Return whether what has these structures is not equal, whatever numbers are in it."""
    if isinstance(a, Container) and isinstance(b, Container):
        return _are_unlike_containers(a, b)
    statics = [s.value for s in (a, b) if isinstance(s, Static)]
    if not all(type(value) in _PLAIN for value in statics):
        return False
    if len(statics) == 2:
        return bool(statics[0] != statics[1])
    if isinstance(a, Leaf) or isinstance(b, Leaf):  # which may be a text
        return statics in ([], [None]) and not (isinstance(a, Leaf) and isinstance(b, Leaf))
    return True


def _are_unlike_containers(a: Container, b: Container) -> bool:
    if any(issubclass(a.type, kind) is not issubclass(b.type, kind) for kind in _NATIVE):
        return True
    ours, theirs = _by_key(a), _by_key(b)
    return ours.keys() != theirs.keys() or any(_are_unlike(ours[k], theirs[k]) for k in ours)


def _by_key(container: Container) -> dict[Any, Structure]:
    """Items by what they are compared by: fields have names, and are compared by their places."""
    keys = container.keys if issubclass(container.type, dict) else range(len(container.items))
    return dict(zip(keys, container.items, strict=True))


def _not_looked_for(what: str) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        f"{what}, looked for in a list whose length is known at run time only",
        hint="use lists of numbers or texts, or of tuples of them",
    )


def holds_arrays(column: Value) -> bool:
    """Return whether the items of a column are arrays."""
    assert isinstance(column.type, ListType)
    element = column.type.element
    return isinstance(element, ArrayType) and element.kind == "array"


def _each(content: Value | Columns, change: Callable[[Value], Value]) -> Value | Columns:
    table = columns_of(content)
    return content_of(table.structure, [change(v) for v in table.values])


def _with_item(
    interp: Interpreter,
    content: Value | Columns,
    item: Abstract,
    change: Callable[[Value, Value], Value],
    like: Value | Columns | None = None,
) -> Value | Columns:
    """The list with one more item, or with another; ``like``: the list whose form it has."""
    table, like = columns_of(content), content if like is None else like
    try:
        texts = table.values[0].type == ListType(TEXT)
        structure, leaves = item_parts(interp.heap, item, texts)
    except Unjoinable as reason:
        _refuse_item(interp, like, str(reason))
    if not same_structure(structure, table.structure):
        wide = with_texts_as_leaves(table.structure, structure)
        if wide is None:
            _refuse_item(interp, like, "an item of another structure than the list's other items")
        demand_length(interp, length(like))
        table = _with_columns_of_texts(interp, table, wide)
        leaves = leaves_in(wide, structure, leaves)
    values = []
    for column, leaf in zip(table.values, leaves, strict=True):
        assert isinstance(column.type, ListType)
        if is_text(leaf) and column.type.element != TEXT:
            _refuse_type(interp, like, column.type.element, TEXT)
        column = _holding(interp, column, leaf)
        assert isinstance(column.type, ListType)
        if _is_complex_beside(column.type.element, interp, leaf):
            _refuse_item(interp, like, "a complex number in a list of floats", _COMPLEX)
        value = leaf_value(interp.heap, leaf, column.type.element, interp.span, length(content))
        try:
            values.append(change(column, value))
        except TypeError:
            _refuse_type(interp, like, column.type.element, value.type)
    freeze_items(interp.heap, (item,), interp.span, length(content))
    return content_of(table.structure, values)


def _with_columns_of_texts(interp: Interpreter, table: Columns, wide: Structure) -> Columns:
    """The columns in a structure in which texts that were the same in all items are leaves."""

    def column(leaf: Any) -> Value:
        if not isinstance(leaf, str):
            known: Value = leaf
            return known
        count = list_length(table.values[0])
        filled: Value = list_filled(lifted(interp.heap, leaf), count, type=ListType(TEXT))
        return filled

    leaves = leaves_in(wide, table.structure, table.values)
    return Columns(wide, tuple(map(column, leaves)))


def _holding(interp: Interpreter, column: Value, leaf: Abstract) -> Value:
    """A list of integers as one that may hold a number, too: of floats, if that is one."""
    if isinstance(leaf, Array) or not is_list_of_integers(column.type):
        return column
    assert isinstance(column.type, ListType)
    return as_type(column, ListType(_number_type(column.type.element, interp.lift(leaf).type)))


def _is_complex_beside(element: Type, interp: Interpreter, leaf: Abstract) -> bool:
    """Return whether a complex number is put into a list of floats."""
    if isinstance(leaf, Array) or not isinstance(element, ArrayType):
        return False
    item = interp.lift(leaf).type
    return element.dtype.kind == "f" and isinstance(item, ArrayType) and item.dtype.kind == "c"


_COMPLEX = "start with complex numbers: [0j] * n in place of [0.0] * n"


def _number_type(element: Type, item: Type) -> Type:
    """The type of two numbers of one list, that of the first if their dtypes are the same."""
    if not isinstance(element, ArrayType) or not isinstance(item, ArrayType) or item.shape:
        return element
    kind = max(element.kind, item.kind, key=("python", "scalar", "array").index)
    dtype = np.promote_types(element.dtype, item.dtype)
    return element if dtype == element.dtype else ArrayType(dtype, (), kind)


_ALIKE = "give all items of the list one structure and one type"


def _refuse_type(
    interp: Interpreter, content: Value | Columns, type_: Type, item: Type
) -> NoReturn:
    """Refuse an item that has not the type of a list's others."""
    hint = _ALIKE
    number = isinstance(type_, ArrayType) and not type_.shape
    if number and isinstance(item, ArrayType) and item.kind == "array" and not item.shape:
        hint = "make a number of an array that has no dimension: float(x), or x[()]"
    reason = f"an item of type {in_words(item)} in a list of items of type {in_words(type_)}"
    _refuse_item(interp, content, f"{reason}, whose length is known at run time only", hint)


def _refuse_item(
    interp: Interpreter, content: Value | Columns, reason: str, hint: str = _ALIKE
) -> NoReturn:
    """Refuse what is unlike a list's other items, unless these can be followed one by one."""
    demand_length(interp, length(content))
    raise UnsupportedSyntaxError(reason, hint=hint) from None


def push(interp: Interpreter, content: Value | Columns, item: Abstract) -> Value | Columns:
    """The list with an item appended."""
    return _with_item(interp, content, item, list_push)


def insert(
    interp: Interpreter, content: Value | Columns, index: Value, item: Abstract
) -> Value | Columns:
    """The list with an item inserted."""
    return _with_item(interp, content, item, lambda v, x: list_insert(v, index, x))


def replaced(
    interp: Interpreter, content: Value | Columns, index: Value, item: Abstract
) -> Value | Columns:
    """The list with another item at an index."""
    return _with_item(interp, content, item, lambda v, x: list_set(v, index, x))


def pop(
    interp: Interpreter, content: Value | Columns, index: Value
) -> tuple[Value | Columns, Abstract]:
    """The list without an item, and the item."""
    table = columns_of(content)
    pairs = [list_pop(v, index) for v in table.values]
    rest = content_of(table.structure, [pair[0] for pair in pairs])
    return rest, taken(interp, table.structure, [pair[1] for pair in pairs], length(content))


def spliced(
    interp: Interpreter, content: Value | Columns, key: slice, items: Value | Columns | None
) -> Value | Columns:
    """The list after ``content[key] = items``; after ``del content[key]`` where there are none."""
    if key.step is not None and not (isinstance(key.step, int) and key.step == 1):
        raise UnsupportedSyntaxError(
            "every so many items of a list whose length is known at run time only are replaced",
            hint="write a loop over the indices, or use an array",
        )
    start, stop = _in_order(content, key.start, key.stop)
    parts = [] if start is None else [part(content, None, start, None)]
    parts += [] if items is None else [items]
    parts += [] if stop is None else [part(content, stop, None, None)]
    if not parts:
        return part(content, 0, 0, None)
    return functools.reduce(lambda a, b: concatenated(interp, a, b), parts)


def _in_order(content: Value | Columns, start: Any, stop: Any) -> tuple[Any, Any]:
    """The bounds of a slice such that the second is not before the first."""
    known = isinstance(start, int) and isinstance(stop, int)
    if start is None or stop is None or (known and (start < 0) == (stop < 0) and start <= stop):
        return start, stop
    first, last = (list_place(bound, length(content)) for bound in (start, stop))
    return first, where(less(last, first), first, last)


def concatenated(interp: Interpreter, a: Value | Columns, b: Value | Columns) -> Value | Columns:
    """``a + b``."""
    left, right = columns_of(a), columns_of(b)
    if not same_structure(left.structure, right.structure):
        demand_length(interp, length(b))
        _refuse_item(interp, a, "lists of items of different structure joined")
    pairs = [_of_one_type(x, y) for x, y in zip(left.values, right.values, strict=True)]
    return content_of(left.structure, [list_concatenate(x, y) for x, y in pairs])


def _of_one_type(a: Value, b: Value) -> tuple[Value, Value]:
    """Two lists, as ones of floats if one of them is of floats and the other one of integers."""
    if not (is_list_of_integers(a.type) or is_list_of_integers(b.type)):
        return a, b
    assert isinstance(a.type, ListType)
    assert isinstance(b.type, ListType)
    type_ = ListType(_number_type(a.type.element, b.type.element))
    return as_type(a, type_), as_type(b, type_)


def staged_like(
    interp: Interpreter, items: tuple[Abstract, ...], like: Value | Columns
) -> Value | Columns:
    """Items known one by one as a staged list of the form of another."""
    table = columns_of(like)
    empty = [list_new(type=v.type) for v in table.values]
    content = content_of(table.structure, empty)
    for item in items:
        content = _with_item(interp, content, item, list_push, like)
    return content


def demand_length_unless_numbers(interp: Interpreter, content: Abstract) -> None:
    """Ask for a static length, where it can be, of a list that holds arrays."""
    if is_staged_list(content) and any(map(holds_arrays, columns_of(content).values)):
        demand_length(interp, length(content))


def demand_length(interp: Interpreter, length_: Value) -> None:
    """Ask for a static length, where it can be: then the list's items are followed one by one."""
    if can_be_known(interp, length_):
        raise NeedsStatic(length_)


def check_apart(interp: Interpreter, ref: ListRef | DictRef) -> None:
    """Refuse a write to a container that is an item of a list of staged length, where it stands."""
    conflict = interp.heap.refusing(ref)
    if conflict is not None and conflict.predicate is not None and conflict.predicate.type == INT:
        demand_length(interp, conflict.predicate)
        raise AliasingError(conflict.reason, hint=conflict.hint)
