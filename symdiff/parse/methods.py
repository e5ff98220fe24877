"""Methods that change what they are called on, and those of lists, dicts and numbers."""

from __future__ import annotations

import ast
import collections
import contextlib
import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.definitions.keyed import counted_in, removed_from
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from symdiff.ir.graph import FreeVariable, Value
from symdiff.ir.structure import is_leaf, native_base
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import less, not_equal
from symdiff.ops.declare import FUNCTIONS, METHODS, WRITES, NeedsStatic, static
from symdiff.ops.effects import Named, opaque_call
from symdiff.ops.index import index_of
from symdiff.ops.sizes import sizes_of
from symdiff.parse import staged_lists
from symdiff.parse.arguments import LAZY
from symdiff.parse.blame import error_of, python_raises, users
from symdiff.parse.branches import choose, joined_cases
from symdiff.parse.calls import METHODS_OF, call_lowering, call_writing
from symdiff.parse.changing import keyed_class, require_as_keyed
from symdiff.parse.comparisons import compare, contains_natively, is_or_equals
from symdiff.parse.folds import sorted_items
from symdiff.parse.heap import is_callers
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.items import can_be_told, note_write, set_native_item, static_key
from symdiff.parse.iteration import append_item, for_each, pair_of, static_items
from symdiff.parse.opaque import Template, live_object
from symdiff.parse.operators import binary, is_staged
from symdiff.parse.selecting import refuse_where, selected_at_run_time, staged_items
from symdiff.parse.some_entries import entry, some_entries, without_entry
from symdiff.parse.special import as_index, has_method
from symdiff.parse.texts import text_of
from symdiff.parse.truth import truth
from symdiff.parse.values import (
    ABSENT,
    VALUE,
    Abstract,
    Array,
    Conflict,
    DictRef,
    DictView,
    Lazy,
    ListRef,
    Range,
)
from symdiff.parse.views import store_whole

LAZY |= {DictView, Lazy, Range}

LISTS: dict[str, Callable[..., Abstract]] = {}
DICTS: dict[str, Callable[..., Abstract]] = {}
ARRAYS: dict[str, Callable[..., Abstract]] = {}
VIEWS: dict[str, Callable[..., Abstract]] = {}
METHODS_OF |= {ListRef: LISTS, DictRef: DICTS, Array: ARRAYS, DictView: VIEWS}

Method = Callable[..., Abstract]


def method(table: dict[str, Method], name: str | None = None) -> Callable[[Method], Method]:
    """Register a method under its name."""

    def register(function: Method) -> Method:
        table[name or function.__name__.strip("_")] = function
        return function

    return register


# Lists --------------------------------------------------------------------------------------------


@method(LISTS)
def append(interp: Interpreter, ref: ListRef, item: Abstract) -> None:
    if _is_a_log(interp, ref, item):
        _append_now(interp, ref, item)
        return
    note_write(interp, ref)
    append_item(interp, ref, item)


def _is_a_log(interp: Interpreter, ref: ListRef, item: Abstract) -> bool:
    """Return whether a captured list gets what is no number on some paths only."""
    captured = ref.path is not None and isinstance(ref.path[0], FreeVariable)
    number = isinstance(item, Value | Array) or is_leaf(item)
    return captured and bool(interp.predicates) and not number and ref not in interp.changed


def _append_now(interp: Interpreter, ref: ListRef, item: Abstract) -> None:
    """An append in its place; what the list holds is not known from here on."""
    assert ref.path is not None
    live = live_object(ref.path)
    interp.guard(ref.path, "value", live)
    template = Template(interp, writable=True)
    shown = template.of(item)
    function = Named(live.append, "append")
    opaque_call(*template.operands, function=function, arguments=(shown,), keywords=())
    interp.logs[ref] = None


@method(LISTS)
def extend(interp: Interpreter, ref: ListRef, items: Abstract) -> None:
    note_write(interp, ref)
    content = interp.content(ref)
    if isinstance(items, ListRef) and not has_method(interp, items, "__iter__"):
        more = interp.content(items)
        if staged_lists.is_staged_list(more):
            if not staged_lists.is_staged_list(content):
                content = staged_lists.staged_like(interp, content, more)
            interp.put(ref, staged_lists.concatenated(interp, content, more))
            return
        if isinstance(more, tuple):
            for item in more:
                append_item(interp, ref, item)
            return
    for_each(interp, items, lambda item: append_item(interp, ref, item))


def _movable(interp: Interpreter, ref: ListRef, position: Abstract) -> Any:
    """What a list holds, in a form of which an item can be moved at a position."""
    content = interp.content(ref)
    if (
        staged_lists.is_staged_list(content)
        or not content
        or not selected_at_run_time(interp, position)
    ):
        return content
    return staged_items(interp, content)


@method(LISTS)
def insert(interp: Interpreter, ref: ListRef, position: Abstract, item: Abstract) -> None:
    note_write(interp, ref)
    position = as_index(interp, position)
    content = _movable(interp, ref, position)
    if staged_lists.is_staged_list(content):
        where = interp.lift(position)
        interp.put(ref, staged_lists.insert(interp, content, where, item))
        return
    changed, where = list(content), static(position)
    with python_raises():
        changed.insert(where, item)
    interp.put(ref, tuple(changed))


@method(LISTS)
def pop(interp: Interpreter, ref: ListRef, position: Abstract = -1) -> Abstract:
    note_write(interp, ref)
    position = as_index(interp, position)
    content = _movable(interp, ref, position)
    if staged_lists.is_staged_list(content):
        rest, item = staged_lists.pop(interp, content, interp.lift(position))
        interp.put(ref, rest)
        return item
    changed, where = list(content), static(position)
    with python_raises():
        taken = changed.pop(where)
    interp.put(ref, tuple(changed))
    return taken


@method(LISTS)
def copy(interp: Interpreter, ref: ListRef) -> Abstract:
    return interp.new_list(interp.content(ref))


@method(LISTS)
def clear(interp: Interpreter, ref: ListRef) -> None:
    note_write(interp, ref)
    interp.put(ref, ())


@method(LISTS)
def reverse(interp: Interpreter, ref: ListRef) -> None:
    note_write(interp, ref)
    content = interp.content(ref)
    if staged_lists.is_staged_list(content):
        interp.put(ref, staged_lists.part(content, None, None, -1))
    else:
        interp.put(ref, tuple(reversed(content)))


@method(LISTS, "sort")
def sort_list(
    interp: Interpreter, ref: ListRef, key: Abstract = None, reverse: Abstract = False
) -> None:
    note_write(interp, ref)
    made = sorted_items(interp, ref, key=key, reverse=reverse)
    interp.put(ref, interp.content(made))


def _static(interp: Interpreter, ref: ListRef, what: str) -> tuple[Abstract, ...]:
    content = interp.content(ref)
    if staged_lists.is_staged_list(content):
        raise UnsupportedSyntaxError(f"{what} of a list whose length is known at run time only")
    items: tuple[Abstract, ...] = content
    return items


@method(LISTS)
def index(
    interp: Interpreter,
    ref: ListRef,
    item: Abstract,
    start: Abstract = 0,
    stop: Abstract = sys.maxsize,
) -> Abstract:
    content = interp.content(ref)
    if staged_lists.is_staged_list(content) and start == 0 and stop == sys.maxsize:
        place = staged_lists.place_of(interp, content, item)

        def refuse() -> None:
            raise _not_in_list(interp, item)

        interp.where(less(place, 0), refuse)
        return place
    items = _static(interp, ref, "index")
    first, end = _between(static(start), static(stop), len(items))
    return _index_from(interp, items[first:end], item, 0, first)


def _between(start: Any, stop: Any, count: int) -> tuple[int, int]:
    """The positions between which ``list.index`` looks."""
    with python_raises(), contextlib.suppress(ValueError):
        list[Any]().index(0, start, stop)
    first, end, _ = slice(start, stop).indices(count)
    return first, end


def _index_from(
    interp: Interpreter, items: tuple[Abstract, ...], item: Abstract, position: int, first: int
) -> Abstract:
    """The first position from one on at which an item stands, counted from ``first``."""
    if position == len(items):
        known = not any(is_staged(value) for value in (*items, item))
        said = error_of(interp, list.index, (list(items), item), {}) if known else None
        raise _not_in_list(interp, item) if said is None else users(said)
    found = truth(interp, compare(interp, ast.Eq, items[position], item))
    return choose(
        interp,
        found,
        lambda: first + position,
        lambda: _index_from(interp, items, item, position + 1, first),
    )


def _not_in_list(interp: Interpreter, item: Abstract) -> ValueError:
    """What ``list.index`` raises, in the words of the Python that runs."""
    before, named, after = _said_of_none().partition("None")
    shown = interp.call(repr, [item], {}) if named else ""
    return users(ValueError(text_of([before, shown, after])))


@functools.cache
def _said_of_none() -> str:
    try:
        return str(list[Any]().index(None))
    except ValueError as error:
        return str(error)


@method(LISTS)
def count(interp: Interpreter, ref: ListRef, item: Abstract) -> Abstract:
    if staged_lists.is_staged_list(interp.content(ref)):
        return interp.call(counted_in, [ref, item], {})
    items = _static(interp, ref, "count")
    return sum(static(is_or_equals(interp, other, item)) for other in items)


@method(LISTS)
def remove(interp: Interpreter, ref: ListRef, item: Abstract) -> None:
    if staged_lists.is_staged_list(interp.content(ref)):
        interp.call(removed_from, [ref, item], {})
        return
    note_write(interp, ref)
    items = list(_static(interp, ref, "remove"))
    for position, candidate in enumerate(items):
        if static(compare(interp, ast.Eq, candidate, item)):
            del items[position]
            interp.put(ref, tuple(items))
            return
    raise users(ValueError("list.remove(x): x not in list"))


# Dicts --------------------------------------------------------------------------------------------


def _view(kind: str, interp: Interpreter, ref: DictRef) -> Abstract:
    return DictView(ref, kind)


@method(VIEWS)
def isdisjoint(interp: Interpreter, view: DictView, other: Abstract) -> Abstract:
    both = binary(interp, ast.BitAnd, view, other)
    return not static_items(interp, both)


DICTS |= {kind: functools.partial(_view, kind) for kind in ("keys", "values", "items")}


@method(DICTS)
def get(interp: Interpreter, ref: DictRef, key: Abstract, default: Abstract = None) -> Abstract:
    if isinstance(key, Value) and contains_natively(interp, ref, key) is False:
        return default  # none of the keys is like a number that is known at run time only
    some = some_entries(interp, ref)
    if some is not None and can_be_told(interp, key):
        there, held = entry(interp, ref, static_key(interp, key, some, ref))
        if not isinstance(there, Value):
            return held if there else default
        return joined_cases(interp, there, lambda: held, lambda: default, VALUE)
    content = interp.content(ref)
    return content.get(static_key(interp, key, content, ref), default)


@method(DICTS, "pop")
def pop_key(interp: Interpreter, ref: DictRef, key: Abstract, *default: Abstract) -> Abstract:
    note_write(interp, ref)
    some = some_entries(interp, ref)
    if some is not None and not default and can_be_told(interp, key):
        left, taken = without_entry(interp, ref, static_key(interp, key, some, ref))
        interp.put(ref, left)
        return taken
    changed = dict(interp.content(ref))
    known = static_key(interp, key, changed, ref)
    with python_raises():
        taken = changed.pop(known, *default)
    interp.put(ref, changed)
    return taken


@method(DICTS)
def popitem(interp: Interpreter, ref: DictRef, last: Abstract = None) -> Abstract:
    """The last item, or the first one of an ``OrderedDict``, taken away."""
    if last is not None and not issubclass(ref.type, collections.OrderedDict):
        raise users(TypeError("dict.popitem() takes no arguments"))
    note_write(interp, ref)
    changed = dict(interp.content(ref))
    place = -1 if last is None or static(last) else 0
    if not changed:
        raise users(KeyError("popitem(): dictionary is empty"))
    key = list(changed)[place]
    taken = changed.pop(key)
    interp.put(ref, changed)
    return (key, taken)


@method(DICTS)
def move_to_end(interp: Interpreter, ref: DictRef, key: Abstract, last: Abstract = True) -> None:
    """An item of an ``OrderedDict``, moved behind all others or before them."""
    if not issubclass(ref.type, collections.OrderedDict):
        name = ref.type.__name__
        raise users(AttributeError(f"'{name}' object has no attribute 'move_to_end'"))
    note_write(interp, ref)
    changed = dict(interp.content(ref))
    known = static_key(interp, key, changed, ref)
    with python_raises():
        moved = {known: changed.pop(known)}
    interp.put(ref, changed | moved if static(last) else moved | changed)


@method(DICTS)
def update(interp: Interpreter, ref: DictRef, /, *others: Abstract, **more: Abstract) -> None:
    if any(some_entries(interp, one) is not None for one in (ref, *others)):
        _update_one_by_one(interp, ref, others, more)
        return
    note_write(interp, ref)
    changed = dict(interp.content(ref))
    for other in others:
        require_as_keyed(interp, ref, other)
        if isinstance(other, DictRef) and has_method(interp, other, "__iter__"):
            other = interp.call(dict, [other], {})
        if isinstance(other, DictRef):
            changed |= interp.content(other)
        else:
            for number, item in enumerate(static_items(interp, other)):
                key, value = pair_of(interp, item, number)
                changed[static_key(interp, key, changed, ref)] = value
    interp.put(ref, changed | more)


def _update_one_by_one(
    interp: Interpreter, ref: DictRef, others: tuple[Abstract, ...], more: dict[str, Abstract]
) -> None:
    for other in others:
        over = DictView(other, "items") if isinstance(other, DictRef) else other
        for_each(
            interp, over, lambda pair: set_native_item(interp, ref, *static_items(interp, pair))
        )
    for key, value in more.items():
        set_native_item(interp, ref, key, value)


@method(DICTS)
def setdefault(
    interp: Interpreter, ref: DictRef, key: Abstract, default: Abstract = None
) -> Abstract:
    content = interp.content(ref)
    known = static_key(interp, key, content, ref)
    if known not in content:
        note_write(interp, ref)
        interp.put(ref, {**content, known: default})
    return interp.content(ref)[known]


@method(DICTS, "copy")
def copy_dict(interp: Interpreter, ref: DictRef) -> Abstract:
    kind = collections.defaultdict if native_base(ref.type) is collections.defaultdict else dict
    factory = interp.heap.get((ref, "default_factory"))
    keyed = keyed_class(interp, kind, interp.span)
    if keyed is not None:
        first = [None if factory is ABSENT else factory] if kind is not dict else []
        return interp.call(keyed, [*first, ref], {})
    made = DictRef(type=kind, made_at=interp.span)
    if kind is collections.defaultdict and factory is not ABSENT:
        interp.put((made, "default_factory"), factory)
    interp.put(made, some_entries(interp, ref) or dict(interp.content(ref)))
    return made


@method(DICTS, "clear")
def clear_dict(interp: Interpreter, ref: DictRef) -> None:
    note_write(interp, ref)
    interp.put(ref, {})


# Arrays in place ----------------------------------------------------------------------------------


@method(ARRAYS)
def fill(interp: Interpreter, array: Array, value: Abstract) -> None:
    store_whole(interp, array, interp.lift(value))


@method(ARRAYS, "sort")
def sort_array(
    interp: Interpreter,
    array: Array,
    axis: Abstract = -1,
    kind: Abstract = None,
    order: Abstract = None,
    *,
    stable: Abstract = None,
) -> None:
    """Numbers that are equal are not told apart: all ways to sort them give the same."""
    if order is not None:
        raise UnsupportedCallError("x.sort(order=...)")
    read = interp.heap.read(array)
    store_whole(interp, array, FUNCTIONS[np.sort](read, axis=axis))


@method(ARRAYS)
def setflags(
    interp: Interpreter,
    array: Array,
    write: Abstract = None,
    align: Abstract = None,
    uic: Abstract = None,
) -> None:
    """``write=False`` of an array that was made here: later writes are refused."""
    if write is not False or align is not None or uic is not None or is_callers(array.storage):
        raise UnsupportedCallError(
            "a flag of an array is set: only an array that the function has made can become"
            " read-only",
            hint="copy the array first, or set its flags outside",
        )
    reason = "an array that x.setflags(write=False) has made read-only is written"
    interp.heap.freeze(array, Conflict("an array", reason, interp.span, aliasing=True))


@method(ARRAYS, "partition")
def partition_array(
    interp: Interpreter, array: Array, kth: Abstract, axis: Abstract = -1, **options: Abstract
) -> None:
    read = interp.heap.read(array)
    store_whole(interp, array, FUNCTIONS[np.partition](read, kth, axis, **options))


@method(ARRAYS)
def item(interp: Interpreter, array: Array, *args: Abstract) -> Abstract:
    """The one element, which an array of more has not, or the one at an index."""
    read = interp.heap.read(array)
    sizes = () if args else sizes_of(read)
    for size in sizes:
        is_other = size != 1 if isinstance(size, int) else not_equal(size, 1)
        refuse_where(interp, is_other, ValueError(_NO_SCALAR))
    if sizes:
        read = index_of(read, (0,) * len(sizes))
    return call_lowering(interp, METHODS["item"], [read, *args], {})


_NO_SCALAR = "can only convert an array of size 1 to a Python scalar"


@method(ARRAYS)
def tolist(interp: Interpreter, array: Array) -> Abstract:
    read = interp.heap.read(array)
    assert isinstance(read.type, ArrayType)
    return _nested_list(interp, read, read.type.rank)


def _nested_list(interp: Interpreter, value: Value, rank: int) -> Abstract:
    if rank == 0:
        return call_lowering(interp, METHODS["item"], [value], {})
    count = sizes_of(value)[0]
    if isinstance(count, Value):
        raise NeedsStatic(count)
    rows = [_nested_list(interp, index_of(value, (k,)), rank - 1) for k in range(count)]
    return interp.new_list(tuple(rows))


@method(ARRAYS)
def put(interp: Interpreter, array: Array, *arguments: Abstract, **keywords: Abstract) -> None:
    call_writing(interp, WRITES[np.put], (array, *arguments), keywords)


def in_place(name: str) -> Method:
    def refuse(interp: Interpreter, array: Array, *arguments: Abstract, **more: Abstract) -> None:
        raise UnsupportedCallError(f"x.{name}(...) in place", hint=f"use x = np.{name}(x, ...)")

    return refuse


ARRAYS |= {name: in_place(name) for name in ("itemset", "resize")}
