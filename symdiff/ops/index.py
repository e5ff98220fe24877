"""Reading and writing parts of arrays, with all of NumPy's keys.

A key is a tuple of entries. Static entries stand as they are (``int``, ``None``, ``Ellipsis``,
``Slice``); what is staged is a dynamic operand that ``Slot(k)`` refers to, told apart by its type:
an integer, an integer array or a boolean mask. ``x[i, 1:n]`` is

    index(x, i, n; key=(Slot(0), Slice(1, Slot(1), None)), shape=...)

``index``, ``index_set`` and ``index_add`` are pure: ``index_set(x, v, ...)`` is the new ``x``.
The attribute ``shape`` is the shape of the region that the key selects (the operands' types do not
tell it where sizes are values).
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.graph import OPERATORS, Node, Operand, Value
from symdiff.ir.types import FLOAT, ArrayType, Dim, ListType, Size, is_at_most, shifted
from symdiff.ops import patterns, support
from symdiff.ops.arithmetic import equal, where
from symdiff.ops.arrays import array_of
from symdiff.ops.batching import Lanes, NoBatchRule
from symdiff.ops.creation import INTEGER, arange_of, zeros, zeros_of
from symdiff.ops.declare import (
    EVALUATED,
    Operation,
    StageOperation,
    array_type,
    dotted,
    literal,
    supporting,
)
from symdiff.ops.flops import nothing, of_region
from symdiff.ops.keys import (
    Entry,
    Key,
    Slice,
    Slot,
    actual_key,
    is_basic,
    known_array,
    region_shape,
    spell_argument,
    spell_key,
)
from symdiff.ops.reduce import reshape_like, unbroadcast_to
from symdiff.ops.reduce import sum as sum_of
from symdiff.ops.shape import copy, inverse_permutation, reshape, transpose
from symdiff.ops.sizes import constant_integer, dim_of, lower_bound, product, sizes_of


def key_of(node: Node) -> tuple[Key, tuple[Value, ...]]:
    """Key and dynamic operands of an ``index``, ``index_set`` or ``index_add`` node."""
    first = 1 if node.op in (index, item) else 2
    return node.attributes["key"], node.operands[first:]


def is_whole(node: Node) -> bool:
    """Return whether a key is ``[:]`` or ``[...]``, all of it."""
    return all(entry == Slice() or entry is Ellipsis for entry in node.attributes["key"])


def is_view(node: Node) -> bool:
    """Return whether the result of a node shares memory with its first operand (or may)."""
    if node.op is not index:
        return node.op.view is not None
    key, dynamic = key_of(node)
    return array_type(node.result).kind == "array" and is_basic(key, dynamic)


def staged_key(x: Value, entries: Any) -> tuple[Key, tuple[Value, ...], tuple[Dim, ...]]:
    """Key, dynamic operands and shape of the region, from what stands between the brackets.

    Entries are ints, staged values, slices of such, None, Ellipsis, lists and arrays known now.
    """
    collector = _Collector()
    parts = entries if isinstance(entries, tuple) else (entries,)
    key = tuple(collector.entry(part) for part in parts)
    shape = region_shape(array_type(x), key, tuple(collector.dynamic))
    return key, tuple(collector.dynamic), shape


class _Collector:
    """Turns what stands between brackets into a key, gathering the dynamic operands."""

    def __init__(self) -> None:
        self.dynamic: list[Value] = []

    def entry(self, part: Any) -> Entry:
        if isinstance(part, slice):
            return Slice(*(self.bound(p) for p in (part.start, part.stop, part.step)))
        if isinstance(part, list | np.ndarray):
            return self.slot(_index_array(part))
        if isinstance(part, Value) and isinstance(part.type, ListType):
            return self.slot(array_of(part))
        return self.scalar(part)

    def bound(self, part: Any) -> int | Slot | None:
        return part if part is None else self.scalar(part)

    def scalar(self, part: Any) -> Entry:
        if part is None or part is Ellipsis:
            return part
        if isinstance(part, bool | np.bool_):
            raise rejection(IndexError, "a single bool is not supported as an index")
        if isinstance(part, int | np.integer):
            return int(part)
        if not isinstance(part, Value):
            raise rejection(IndexError, f"not an index: {part!r}")
        type_ = array_type(part)
        number = constant_integer(part) if type_.kind != "array" else None
        if number is not None and type_.dtype.kind != "b":
            return number
        return self.slot(part)

    def slot(self, value: Value) -> Slot:
        if array_type(value).dtype.kind not in "iub":
            raise rejection(
                IndexError, "arrays used as indices must be of integer (or boolean) type"
            )
        self.dynamic.append(value)
        return Slot(len(self.dynamic) - 1)


def _index_array(part: Any) -> Value:
    """A list or an array known now; a list of staged integers."""
    if not np.size(part):
        return array_of(np.zeros(np.shape(part), int))
    array = np.asarray(part)
    return array_of(part if array.dtype == object else array)


# The ops ------------------------------------------------------------------------------------------


def _spell_index(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    key = spell_key(node.attributes["key"], operands[1:])
    type_, base = array_type(node.operands[0]), operands[0]
    if type_.kind == "python":  # the tangent of a number of NumPy's
        base = ast.Call(dotted(f"np.{type_.dtype.name}"), [base], [])
    return ast.Subscript(base, key, ast.Load())


def takes_all(node: Node) -> bool:
    """Return whether an ``index`` takes every element once, in order."""
    return _selects_all(array_type(node.operands[0]), node.attributes["key"])


Span = tuple[Hashable, Hashable]
"""From where to where a part of an axis goes. Equal places of one axis are equal; a place that is a
``Dim`` is not negative, or it is counted from the end and the part is empty below 0.
"""


def stretch_of(node: Node) -> tuple[int, Hashable, Hashable] | None:
    """The one axis of which an ``index`` takes a stretch, from where to where; None of others."""
    spans, shape = spans_of(node), array_type(node.operands[0]).shape
    found = [(axis, span) for axis, span in enumerate(spans or ()) if span != (0, shape[axis])]
    if len(found) != 1 or found[0][1] is None:
        return None
    axis, (start, stop) = found[0][0], found[0][1]
    return axis, start, stop


def spans_of(node: Node) -> list[Span | None] | None:
    """What a read or write names of each axis, None where that is not known; None for arrays of
    places.
    """
    key, dynamic = key_of(node)
    if any(isinstance(e, Slot) and not _is_number(dynamic[e.number]) for e in key):
        return None
    shape = array_type(node.operands[0]).shape
    spans: list[Span | None] = [(0, length) for length in shape]
    axis = 0
    for entry in key:
        if entry is Ellipsis:
            axis = len(shape) - sum(e is not None for e in key[key.index(Ellipsis) + 1 :])
        elif entry is not None:
            spans[axis] = _bounds_of(entry, dynamic, shape[axis])
            axis += 1
    return spans


def _is_number(place: Value) -> bool:
    type_ = array_type(place)
    return type_.rank == 0 and type_.dtype.kind != "b"


def _bounds_of(entry: Entry, dynamic: Sequence[Value], length: Dim) -> Span | None:
    if isinstance(entry, int):
        place = entry if entry >= 0 else shifted(length, entry)
        return place, shifted(place, 1)
    if not isinstance(entry, Slice) or entry.step not in (None, 1):
        return None
    start, stop = (
        dynamic[bound.number] if isinstance(bound, Slot) else bound
        for bound in (entry.start, entry.stop)
    )
    return _place(start or 0, length), length if stop is None else _place(stop, length)


def _place(bound: int | Value, length: Dim) -> Hashable:
    """Where a bound of a slice lies in an axis."""
    if isinstance(bound, Value):
        dim = dim_of(bound)
        if isinstance(dim, Size):
            if dim.open:
                return bound
            return dim if is_at_most(0, dim) else ("staged", dim)  # if negative, from the end
        bound = dim
    place = bound if bound >= 0 else shifted(length, bound)
    if isinstance(place, int) and isinstance(length, int):
        return min(max(place, 0), length)
    return place


def are_apart(a: Node, b: Node) -> bool:
    """Return whether reads or writes of one array are known to name different places."""
    first, second = spans_of(a), spans_of(b)
    if first is None or second is None:
        return False
    pairs = zip(first, second, strict=True)
    return any(p is not None and q is not None and (_ends(p, q) or _ends(q, p)) for p, q in pairs)


def is_same_part(a: Node, b: Node) -> bool:
    """Return whether two nodes read or write the same places."""
    first, second = key_of(a), key_of(b)
    if first[0] != second[0] or len(first[1]) != len(second[1]):
        return False
    return all(v is w for v, w in zip(first[1], second[1], strict=True))


def _ends(first: Span, second: Span) -> bool:
    """Return whether one part of an axis ends where another starts, or before."""
    stop, start = first[1], second[0]
    if stop == start:
        return True  # one place, whatever it is: from the end, or beyond it
    if not isinstance(stop, int | Size) or not isinstance(start, int | Size):
        return False
    return is_at_most(stop, start)


def _vjp_index(g: Value, y: Value, x: Value, *dynamic: Value, key: Key, shape: Any) -> Value:
    if _selects_all(array_type(x), key):
        return reshape_like(g, x)
    if array_type(x).kind != "array":  # a mask keeps a number or leaves it out
        return sum_of(g)
    return index_add(zeros_of(x), g, *dynamic, key=key, shape=shape)


def _selects_all(x: ArrayType, key: Key) -> bool:
    """Return whether the key takes every element once, in order: new axes, unit axes, whole
    slices.
    """
    axis = 0
    for entry in key:
        if entry is Ellipsis:
            axis = x.rank - sum(e is not None for e in key[key.index(Ellipsis) + 1 :])
        elif entry is not None:
            if not (entry == Slice() or (entry in (0, -1) and x.shape[axis] == 1)):
                return False
            axis += 1
    return True


def _subscriptable(x: Any) -> Any:
    return x if isinstance(x, np.ndarray | np.generic) else np.asarray(x)[()]


def _lane_key(
    b: Lanes, x: Value, dynamic: Sequence[Value], key: Key, first: int
) -> tuple[Key, list[Value], tuple[int, ...] | None]:
    """The key for all lanes, its operands, and the axes of what it selects in the order of a lane.

    NumPy puts the axes that arrays select in front where a slice stands between these.
    """
    types, has = b.types[first:], b.has[first:]
    key = _without_ellipsis(key, b.types[0].rank, types)
    rank = max((t.rank for t in types), default=0)
    truths = any(t.dtype.kind == "b" for t in types)
    group = [k for k, entry in enumerate(key) if isinstance(entry, int | Slot)]
    gap = bool(group) and group[-1] - group[0] >= len(group)
    if not any(has):
        if gap and (rank or truths):
            raise NoBatchRule
        return (Slice(), *key), list(dynamic), None
    slots = {entry.number for entry in key if isinstance(entry, Slot)}
    if truths or None in key or not all(k in slots for k, one in enumerate(has) if one):
        raise NoBatchRule  # masks, and bounds of slices
    given = [
        b.unit_axes(v, *range(1, 1 + rank - t.rank)) if one and t.rank < rank else v
        for v, t, one in zip(dynamic, types, has, strict=True)
    ]
    place = 0 if gap else group[0]
    rest = 1 + len(key) + b.types[0].rank  # more than there are axes
    if not b.has[0]:
        axes = (place, *range(place), *range(place + 1, rest)) if place else None
        return key, given, axes
    lanes = arange_of(b.count)
    lanes = b.unit_axes(lanes, *range(1, 1 + rank)) if rank else lanes
    axes = None
    if place and rank:
        moved = range(rank + 1, rank + 1 + place)
        axes = (0, *moved, *range(1, rank + 1), *range(rank + 1 + place, rest))
    return (Slot(len(given)), *key), [*given, lanes], axes


def _without_ellipsis(key: Key, rank: int, types: Sequence[ArrayType]) -> Key:
    """A key with a slice for each axis that an ellipsis stands for."""
    if Ellipsis not in key:
        return key
    place = key.index(Ellipsis)
    truths = (types[e.number] for e in key if isinstance(e, Slot))
    taken = sum(e is not None and e is not Ellipsis for e in key)
    taken += sum(t.rank - 1 for t in truths if t.dtype.kind == "b")
    return (*key[:place], *[Slice()] * (rank - taken), *key[place + 1 :])


def _batch_index(b: Lanes, op: Any, x: Value, *dynamic: Value, key: Key, shape: Any) -> Value:
    if b.types[0].kind != "array":
        raise NoBatchRule
    entries, given, axes = _lane_key(b, x, dynamic, key, 1)
    part = index(x, *given, key=entries, shape=region_shape(array_type(x), entries, given))
    return part if axes is None else transpose(part, axes=axes[: array_type(part).rank])


def _batch_written(
    b: Lanes, op: Any, x: Value, v: Value, *dynamic: Value, key: Key, shape: Any
) -> Value:
    """The rule of ``index_set`` and ``index_add``."""
    x = b.whole(x, v, *dynamic)[0]
    entries, given, axes = _lane_key(b.having(0), x, dynamic, key, 2)
    missing = len(shape) - b.types[1].rank
    if b.has[1] and missing < 0:
        raise NoBatchRule  # NumPy leaves out axes of length 1
    if b.has[1] or axes is not None:
        v = b.whole(x, v, *dynamic)[1]
        v = b.unit_axes(v, *range(1, missing + 1)) if missing > 0 else v
    if axes is not None:
        v = transpose(v, axes=inverse_permutation(axes[: len(shape) + 1]))
    region = region_shape(array_type(x), entries, given)
    return op(x, v, *given, key=entries, shape=region)  # type: ignore[no-any-return]


index: Operation = Operation.of_arrays(
    "index",
    lambda x, *dynamic, key, shape: ArrayType(
        x.dtype, shape, "array" if shape or Ellipsis in key else "scalar"
    ),
    lambda x, *dynamic, key, shape: _subscriptable(x)[actual_key(key, dynamic)],
    raises=True,
    view=0,
    spelling=_spell_index,
    linear=frozenset({0}),
    vjp={0: _vjp_index},
    jvp={0: lambda t, y, x, *dynamic, key, shape: index(t, *dynamic, key=key, shape=shape)},
    sympy=EVALUATED,
    example="index_of(x, (slice(1, -1),))",
    flops=nothing,
    batch=_batch_index,
    pattern=patterns.moved,
    documentation="``x[key]``: a view where the key has no arrays, else a fresh array.",
)


def _infer_written(x: ArrayType, *others: ArrayType, **attributes: Any) -> ArrayType:
    if x.kind != "array":
        raise rejection(
            TypeError, f"'numpy.{x.dtype.name}' object does not support item assignment"
        )
    return x


def _evaluate_set(x: Any, v: Any, *dynamic: Any, key: Key, shape: Any) -> Any:
    written = x.copy()
    written[actual_key(key, dynamic)] = v
    return written


def _evaluate_add(x: Any, v: Any, *dynamic: Any, key: Key, shape: Any) -> Any:
    written, where = x.copy(), actual_key(key, dynamic)
    if any(isinstance(part, np.ndarray) for part in where):
        np.add.at(written, where, v)
    else:
        written[where] += v
    return written


def _unbroadcast(g: Value, x: Value) -> Value:
    """The cotangent of what was written: NumPy drops leading axes of length 1 that it has more."""
    more = array_type(x).rank - array_type(g).rank
    if more > 0:
        return reshape_like(unbroadcast_to(g, index_of(x, (0,) * more)), x)
    return unbroadcast_to(g, x)


def _set_base(
    g: Value, y: Value, x: Value, v: Value, *dynamic: Value, key: Key, shape: Any
) -> Value:
    if array_type(g).kind != "array":  # of a 0-d array, by NumPy's habit
        g = copy(g)
    return index_set(g, 0.0, *dynamic, key=key, shape=shape)


def _set_part(
    g: Value, y: Value, x: Value, v: Value, *dynamic: Value, key: Key, shape: Any
) -> Value:
    part = index(g, *dynamic, key=key, shape=shape)
    if not is_distinct(key, dynamic, array_type(x).shape):
        part = _of_last_writers(part, x, dynamic, key, shape)
    return _unbroadcast(part, v)


def _set_tangent(
    ts: Sequence[Value | None], y: Value, x: Value, v: Value, *dynamic: Value, key: Key, shape: Any
) -> Value:
    base = zeros_of(x) if ts[0] is None else ts[0]
    part: Operand = 0.0 if ts[1] is None else ts[1]
    return index_set(base, part, *dynamic, key=key, shape=shape)


def _pattern_set(e: patterns.Elements, op: Any, *, key: Key, shape: Any) -> np.ndarray:
    written: np.ndarray = e.ids[0].copy()
    written[actual_key(key, e.known(2))] = e.ids[1]
    return written


def _pattern_add(e: patterns.Elements, op: Any, *, key: Key, shape: Any) -> np.ndarray:
    x: np.ndarray = e.ids[0]
    v: np.ndarray = e.ids[1]
    where = actual_key(key, e.known(2))
    if any(isinstance(part, np.ndarray) for part in where):  # a place may be written several times
        places = np.arange(x.size).reshape(x.shape)[where]
        given = np.broadcast_to(v, places.shape)
        return e.united(x, e.gathered(given, places, x.size).reshape(x.shape))
    written = x.copy()
    written[where] = e.united(x[where], v)
    return written


index_set = Operation.of_arrays(
    "index_set",
    _infer_written,
    _evaluate_set,
    raises=True,
    cost="heavy",
    linear=frozenset({0, 1}),
    vjp={0: _set_base, 1: _set_part},
    tangent=_set_tangent,
    sympy=EVALUATED,
    order="operand",
    example="index_set_of(x, part, (slice(1, -1),))",
    flops=nothing,
    batch=_batch_written,
    pattern=_pattern_set,
    documentation="``x`` after ``x[key] = v``; of repeated places the last value stays.",
)


def _spell_written_apart(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    x, v, *dynamic = operands
    key = spell_argument(node.attributes["key"], dynamic)
    return ast.Call(supporting(support.written_apart), [x, key, v], [])


written_apart = Operation(
    "written_apart",
    lambda x, v, *dynamic, key, shape: (x,),
    lambda x, v, *dynamic, key, shape: support.written_apart(x, actual_key(key, dynamic), v),
    raises=True,
    nondifferentiable=True,
    spelling=_spell_written_apart,
    flops=nothing,
    documentation="An array of other elements after ``x[key] = v``, which raises where that does.",
)


def _add_part(
    g: Value, y: Value, x: Value, v: Value, *dynamic: Value, key: Key, shape: Any
) -> Value:
    return _unbroadcast(index(g, *dynamic, key=key, shape=shape), v)


def _add_tangent(
    ts: Sequence[Value | None], y: Value, x: Value, v: Value, *dynamic: Value, key: Key, shape: Any
) -> Value:
    base = zeros_of(x) if ts[0] is None else ts[0]
    if ts[1] is None:
        return base
    return index_add(base, ts[1], *dynamic, key=key, shape=shape)


index_add = Operation.of_arrays(
    "index_add",
    _infer_written,
    _evaluate_add,
    raises=True,
    cost="heavy",
    linear=frozenset({0, 1}),
    vjp={0: lambda g, y, x, v, *dynamic, key, shape: g, 1: _add_part},
    tangent=_add_tangent,
    sympy=EVALUATED,
    order="operand",
    example="index_add_of(x, part, (slice(1, -1),))",
    flops=of_region,
    batch=_batch_written,
    pattern=_pattern_add,
    documentation="``x`` after ``x[key] += v``, repeated places added to repeatedly.",
)


def index_of(x: Value, entries: Any) -> Value:
    """``x[entries]``."""
    key, dynamic, shape = staged_key(x, entries)
    return index(x, *dynamic, key=key, shape=shape)


def index_set_of(x: Value, v: Operand, entries: Any) -> Value:
    """``x`` after ``x[entries] = v``."""
    key, dynamic, shape = staged_key(x, entries)
    return index_set(x, v, *dynamic, key=key, shape=shape)


def index_add_of(x: Value, v: Operand, entries: Any) -> Value:
    """``x`` after adding ``v`` to its places ``entries``, repeated ones repeatedly."""
    key, dynamic, shape = staged_key(x, entries)
    return index_add(x, v, *dynamic, key=key, shape=shape)


def _spell_item(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    array, *dynamic = operands
    key: Key = node.attributes["key"]
    places = [dynamic[e.number] if isinstance(e, Slot) else literal(e) for e in key]
    return ast.Call(ast.Attribute(array, "item", ast.Load()), places, [])


item = StageOperation(
    "item",
    lambda x, *dynamic, key: (FLOAT,),
    lambda x, *dynamic, key: x.item(*actual_key(key, dynamic)),
    raises=True,
    cost="free",
    spelling=_spell_item,
    documentation="An element of float64 as a float of Python's, in programs that are emitted.",
)


# Repeated places ----------------------------------------------------------------------------------


def is_distinct(key: Key, dynamic: Sequence[Value], shape: Sequence[Dim]) -> bool:
    """Return whether the key is known to name each place of an array of a shape at most once."""
    arrays = [dynamic[entry.number] for entry in key if isinstance(entry, Slot)]
    arrays = [value for value in arrays if array_type(value).rank]
    if all(array_type(value).dtype.kind == "b" for value in arrays):
        return len(arrays) < 2
    same = len({array_type(value).shape for value in arrays}) == 1
    return same and any(
        _is_injective(value, length) for value, length in _places_of_axes(key, dynamic, shape)
    )


def _places_of_axes(
    key: Key, dynamic: Sequence[Value], shape: Sequence[Dim]
) -> Iterator[tuple[Value, Dim | None]]:
    """The arrays of places of a key, each with the length of the axis that they are of."""
    slots = [entry for entry in key if isinstance(entry, Slot)]
    masked = any(array_type(dynamic[slot.number]).dtype.kind == "b" for slot in slots)
    axis = 0
    for k, entry in enumerate(key):
        if entry is Ellipsis:
            axis = len(shape) - sum(e is not None for e in key[k + 1 :])
        elif entry is not None:
            if isinstance(entry, Slot) and array_type(dynamic[entry.number]).rank:
                yield dynamic[entry.number], None if masked else shape[axis]
            axis += 1


def _is_injective(value: Value, length: Dim | None) -> bool:
    """Return whether the elements of an integer array are known to be different places of an axis:
    differ, and are not from its beginning and from its end.
    """
    known = known_array(value)
    if known is not None:
        return _has_no_repeats(known)
    type_ = array_type(value)
    if value.node is None or type_.rank != 1 or type_.dtype.itemsize < INTEGER.itemsize:
        return False
    line, least = _moved_by_numbers(value.node)
    is_order = line.op.name in ("argsort", "quicksort_order")
    if not is_order and line.op.name != "arange":
        return False
    step = 1 if is_order else constant_integer(line.operands[2])
    if length is not None and step in (1, -1) and is_at_most(type_.shape[0], length):
        return True  # as many as there are places, and one after the other
    if least is None or step is None:
        return False
    first = 0 if is_order else _least_of_range(line, step)
    return first is not None and first + least >= 0


def _least_of_range(line: Node, step: int) -> int | None:
    """What the integers of a range are at least."""
    start, stop, _ = line.operands
    if step > 0:
        return lower_bound(start)
    bound = lower_bound(stop)
    return None if bound is None else bound + 1


def _moved_by_numbers(node: Node) -> tuple[Node, int | None]:
    """The node behind ``i + 1``, and how much is added at least: adding one number to all keeps
    them apart.
    """
    least: int | None = 0
    while node.op.name in ("add", "subtract"):
        arrays = [value for value in node.operands if array_type(value).shape]
        if len(arrays) != 1 or arrays[0].node is None:
            break
        (number,) = (value for value in node.operands if value is not arrays[0])
        least = _moved_at_least(node, number, least)
        node = arrays[0].node
    return node, least


def _moved_at_least(node: Node, number: Value, least: int | None) -> int | None:
    """What is added at least, with what a sum or a difference with a number adds."""
    if node.op.name == "add":
        bound = lower_bound(number)
    else:
        known = constant_integer(number) if number is node.operands[1] else None
        bound = None if known is None else -known
    return None if least is None or bound is None else least + bound


def _has_no_repeats(array: np.ndarray) -> bool:
    same_sign = bool((array >= 0).all() or (array < 0).all())
    return same_sign and np.unique(array).size == array.size


def _of_last_writers(
    part: Value, x: Value, dynamic: Sequence[Value], key: Key, shape: tuple[Dim, ...]
) -> Value:
    """``part`` where a place's value was written last, 0 where it was written over."""
    order = arange_of(product(sizes_of(part)))
    if len(shape) != 1:
        order = reshape(order, *sizes_of(part), shape=shape)
    integer = np.dtype("int64")
    places = zeros(*sizes_of(x), shape=array_type(x).shape, dtype=integer)
    written = index_set(places, order, *dynamic, key=key, shape=shape)
    last = index(written, *dynamic, key=key, shape=shape)
    return where(equal(last, order), part, 0.0)


def _put_index(node: Node, base: Value, new: Value) -> Value:
    key, dynamic = key_of(node)
    shape = node.attributes["shape"]
    return index_set(base, new, *dynamic, key=key, shape=shape)


index.put = _put_index
reshape.put = lambda node, base, new: reshape_like(new, base)
OPERATORS.update(index=index_of)
