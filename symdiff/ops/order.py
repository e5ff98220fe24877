"""Ops along an axis: running sums and products, sorting, selecting by position, searching.

A sorted array is its operand read at the positions that ``argsort`` gives: this is also how its
derivative moves. Where elements are equal the stable order decides, whatever algorithm sorts.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.graph import Node, Operand, Value
from symdiff.ir.types import ArrayType, Dim, Size
from symdiff.ops import patterns
from symdiff.ops.arithmetic import (
    bitwise_and,
    equal,
    greater,
    less_equal,
    multiply,
    not_equal,
    subtract,
    where,
)
from symdiff.ops.arrange import (
    lower_broadcast_to,
    lower_moveaxis,
    lower_ravel,
    lower_transpose,
    row_of_number,
)
from symdiff.ops.arrays import array_of
from symdiff.ops.batching import Lanes, along_axis, of_first
from symdiff.ops.casts import conjugated, python_int
from symdiff.ops.creation import arange_of, eye, zeros, zeros_of
from symdiff.ops.declare import (
    EVALUATED,
    Absent,
    Operation,
    array_type,
    broadcast_shapes,
    call,
    call_along,
    dotted,
    lowers,
    static,
    static_integer,
    template,
)
from symdiff.ops.index import index_add_of, index_of, index_set_of
from symdiff.ops.joining import concatenate
from symdiff.ops.joining_calls import lower_flip, lower_repeat, lower_stack
from symdiff.ops.reduce import axis_of, sum
from symdiff.ops.shape import contiguous, moving
from symdiff.ops.sizes import sizes_of
from symdiff.ops.ufuncs import cast, dtype_of, staged

INTEGER = np.dtype("int64")
WHOLE = slice(None)


# Running sums and products ------------------------------------------------------------------------


@functools.cache
def total_dtype(dtype: np.dtype) -> np.dtype:
    """What sums and products are in: small integers become 64 bits long."""
    total: np.dtype = np.sum(np.ones(1, dtype)).dtype
    return total


def _from_the_end(x: Value, axis: int) -> Value:
    """The running sums of ``x`` from the last element to the first."""
    return lower_flip(cumsum(lower_flip(x, axis), axis=axis), axis)


cumsum: Operation = Operation.of_arrays(
    "cumsum",
    lambda x, *, axis: ArrayType(total_dtype(x.dtype), x.shape),
    np.cumsum,
    arithmetic=True,
    linear=frozenset({0}),
    vjp={0: lambda g, y, x, *, axis: _from_the_end(g, axis)},
    spelling=call_along("np.cumsum"),
    sympy=EVALUATED,
    order="kept",
    example="np.cumsum(x, axis=0)",
    batch=along_axis,
    pattern=patterns.running_along,
    documentation="Running sums along an axis.",
)


def _shares(x: Value, axis: int) -> Value:
    """``[..., k, j]``: the derivative of the j-th running product by the k-th element.

    It is the product of the elements up to j without the k-th: no division, so zeros do no harm.
    """
    moved = lower_moveaxis(x, axis, -1)
    length = sizes_of(moved)[-1]
    dim = array_type(moved).shape[-1]
    one = eye(length, length, k=0, shape=(dim, dim), dtype=np.dtype(bool))
    rows = where(one, 1.0, index_of(moved, (Ellipsis, None, WHOLE)))
    products = cumprod(rows, axis=array_type(rows).rank - 1)
    k, j = arange_of(length), arange_of(length)
    return where(less_equal(index_of(k, (WHOLE, None)), j), products, 0.0)


def _cumprod_vjp(g: Value, y: Value, x: Value, *, axis: int) -> Value:
    parts = multiply(
        index_of(lower_moveaxis(g, axis, -1), (Ellipsis, None, WHOLE)), conjugated(_shares(x, axis))
    )
    last = array_type(parts).rank - 1
    return lower_moveaxis(sum(parts, axis=(last,), keepdims=False), -1, axis)


def _cumprod_jvp(t: Value, y: Value, x: Value, *, axis: int) -> Value:
    parts = multiply(
        index_of(lower_moveaxis(t, axis, -1), (Ellipsis, WHOLE, None)), _shares(x, axis)
    )
    rows = array_type(parts).rank - 2
    return lower_moveaxis(sum(parts, axis=(rows,), keepdims=False), -1, axis)


cumprod: Operation = Operation.of_arrays(
    "cumprod",
    lambda x, *, axis: ArrayType(total_dtype(x.dtype), x.shape),
    np.cumprod,
    arithmetic=True,
    vjp={0: _cumprod_vjp},
    jvp={0: _cumprod_jvp},
    spelling=call_along("np.cumprod"),
    sympy=EVALUATED,
    order="kept",
    example="np.cumprod(x, axis=0)",
    batch=along_axis,
    pattern=patterns.running_along,
    documentation="Running products along an axis; the derivative costs the length squared.",
)


def _flat_axis(a: Any, axis: Any) -> tuple[Value, int]:
    """An array and the axis meant: of all elements in a row where none is given."""
    x = array_of(a)
    if static(axis) is None:
        return lower_ravel(x), 0
    return x, axis_of(axis, array_type(x).rank)


def _row_axis(a: Any, axis: Any) -> tuple[Value, int]:
    """The array and the axis meant, of functions that take a number for a row of one."""
    x, axis = row_of_number(array_of(a), axis)
    return _flat_axis(x, axis)


def _lower_running(operation: Operation) -> Any:
    def lowering(a: Any, axis: Any = None, dtype: Any = None) -> Value:
        x, along = _row_axis(a, axis)
        return operation(cast(x, dtype_of(dtype)), axis=along)

    return lowering


lowers(np.cumsum, method="cumsum")(_lower_running(cumsum))
lowers(np.cumprod, method="cumprod")(_lower_running(cumprod))


# Running extrema, and sums of sections ------------------------------------------------------------


def _leaders(y: Value, axis: int, *, skips_nan: bool = False) -> Value:
    """Where the elements stand that a running extremum consists of: of equal ones the first."""
    before = (WHOLE,) * axis
    later, earlier = (index_of(y, (*before, part)) for part in (slice(1, None), slice(None, -1)))
    number = later if skips_nan else earlier  # else none is new behind a NaN
    is_new = bitwise_and(not_equal(later, earlier), equal(number, number))
    place = arange_of(sizes_of(y)[axis])
    line = index_of(place, (slice(1, None), *(None,) * (array_type(y).rank - 1 - axis)))
    none = zeros(*sizes_of(y), shape=array_type(y).shape, dtype=INTEGER)
    marked = index_set_of(none, where(is_new, line, 0), (*before, slice(1, None)))
    return running_maximum(marked, axis=axis)


def _running_extremum(function: np.ufunc, documentation: str) -> Operation:
    skips_nan = function in (np.fmax, np.fmin)

    def leaders(y: Value, axis: int) -> Value:
        return _leaders(y, axis, skips_nan=skips_nan)

    def vjp(g: Value, y: Value, x: Value, *, axis: int) -> Value:
        return index_add_of(zeros_of(x), g, places_along(x, leaders(y, axis), axis))

    return Operation.of_arrays(
        f"running_{function.__name__}",
        lambda x, *, axis: ArrayType(x.dtype.newbyteorder("="), x.shape),
        lambda x, *, axis: function.accumulate(x, axis),
        vjp={0: vjp},
        jvp={0: lambda t, y, x, *, axis: take_along_axis(t, leaders(y, axis), axis=axis)},
        spelling=call_along(f"np.{function.__name__}.accumulate", 0),
        example=f"np.{function.__name__}.accumulate(x)",
        batch=along_axis,
        pattern=patterns.running_along,
        jax=Absent("JAX's function is no ufunc") if skips_nan else None,
        documentation=f"{documentation} Of equal ones the first has the derivative.",
    )


running_maximum = _running_extremum(np.maximum, "The greatest element so far along an axis.")
running_minimum = _running_extremum(np.minimum, "The smallest element so far along an axis.")
running_fmax = _running_extremum(np.fmax, "The greatest number so far, NaN before the first one.")
running_fmin = _running_extremum(np.fmin, "The smallest number so far, NaN before the first one.")


def _lower_accumulate(operation: Operation) -> Any:
    """The ``accumulate`` method of a ufunc, which goes along the first axis unless told."""

    def lowering(array: Any, axis: Any = 0, dtype: Any = None) -> Value:
        x = array_of(array)
        along = _only_axis("accumulate", axis, array_type(x).rank)
        return operation(cast(x, dtype_of(dtype)), axis=along)

    return lowering


def _only_axis(method: str, axis: Any, rank: int) -> int:
    """The axis that a method of a ufunc goes along: it takes None and tuples, but one axis only."""
    if not rank:
        raise rejection(TypeError, f"cannot {method} on a scalar")
    given = static(axis)
    axes = (*range(rank),) if given is None else given if isinstance(given, tuple) else (given,)
    if len(axes) != 1:
        raise rejection(ValueError, f"{method} does not allow multiple axes")
    return axis_of(axes[0], rank)


for _ufunc, _operation in (
    (np.add, cumsum),
    (np.multiply, cumprod),
    (np.maximum, running_maximum),
    (np.minimum, running_minimum),
    (np.fmax, running_fmax),
    (np.fmin, running_fmin),
):
    lowers(_ufunc.accumulate)(_lower_accumulate(_operation))


def _infer_reduceat(x: ArrayType, starts: ArrayType, *, axis: int) -> ArrayType:
    if starts.rank != 1:
        raise rejection(ValueError, "object of too small depth for desired array")
    shape = (*x.shape[:axis], starts.shape[0], *x.shape[axis + 1 :])
    return ArrayType(total_dtype(x.dtype), shape)


def _reduceat_vjp(g: Value, y: Value, x: Value, i: Value, *, axis: int) -> Value:
    """Each element of a section has the cotangent of its sum; a section without end is one long."""
    ends = concatenate(index_of(i, (slice(1, None),)), array_of([sizes_of(x)[axis]]), axis=0)
    lengths = where(greater(ends, i), subtract(ends, i), 1)
    section = lower_repeat(arange_of(sizes_of(i)[0]), lengths)
    skipped = subtract(subtract(cumsum(lengths, axis=0), lengths), i)
    place = subtract(arange_of(sizes_of(section)[0]), index_of(skipped, (section,)))
    spread = index_of(g, (WHOLE,) * axis + (section,))
    return index_add_of(zeros_of(x), spread, (WHOLE,) * axis + (place,))


reduceat: Operation = Operation.of_arrays(
    "reduceat",
    _infer_reduceat,
    lambda x, i, *, axis: np.add.reduceat(x, i, axis),
    arithmetic=True,
    raises=True,
    linear=frozenset({0}),
    vjp={0: _reduceat_vjp},
    nondifferentiable=frozenset({1}),
    spelling=call_along("np.add.reduceat", 0),
    example="np.add.reduceat(x, i)",
    documentation="Sums of the sections along an axis that begin at given places.",
)


@lowers(np.add.reduceat)
def _add_reduceat(array: Any, indices: Any, axis: Any = 0, dtype: Any = None) -> Value:
    x, places = array_of(array), array_of(indices)
    along = _only_axis("reduceat", axis, array_type(x).rank)
    return reduceat(cast(x, dtype_of(dtype)), places, axis=along)


# Sorting ------------------------------------------------------------------------------------------


def _spell_argsort(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    spelled = call_along("np.argsort", -1)(node, operands)
    assert isinstance(spelled, ast.Call)
    spelled.keywords.append(ast.keyword("kind", ast.Constant("stable")))
    return spelled


argsort = Operation.of_arrays(
    "argsort",
    lambda x, *, axis: ArrayType(INTEGER, x.shape),
    lambda x, *, axis: np.argsort(x, axis, kind="stable"),
    nondifferentiable=True,
    spelling=_spell_argsort,
    order="packed",
    batch=along_axis,
    pattern=patterns.along_axis,
    documentation="The positions at which the sorted elements stand; equal ones in order.",
)
quicksort_order = Operation.of_arrays(
    "quicksort_order",
    lambda x, *, axis: ArrayType(INTEGER, x.shape),
    np.argsort,
    nondifferentiable=True,
    spelling=call_along("np.argsort", -1),
    batch=along_axis,
    pattern=patterns.along_axis,
    documentation="The positions at which the sorted elements stand; equal ones in any order.",
)


def _sort_vjp(g: Value, y: Value, x: Value, *, axis: int) -> Value:
    order = argsort(x, axis=axis)
    return take_along_axis(g, argsort(order, axis=axis), axis=axis)


sort = Operation.of_arrays(
    "sort",
    lambda x, *, axis: ArrayType(x.dtype, x.shape),
    np.sort,
    vjp={0: _sort_vjp},
    jvp={0: lambda t, y, x, *, axis: take_along_axis(t, argsort(x, axis=axis), axis=axis)},
    spelling=call_along("np.sort", -1),
    order="kept",
    example="np.sort(x)",
    batch=along_axis,
    pattern=patterns.along_axis,
    documentation="The elements along an axis in ascending order.",
)


@lowers(np.sort)
def lower_sort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Value:
    _refuse_fields(order)
    x, along = _flat_axis(a, axis)
    return sort(x, axis=along)


def _refuse_fields(order: Any) -> None:
    if order is not None:
        raise rejection(ValueError, "Cannot specify order when the array has no fields.")


@lowers(np.argsort, method="argsort")
def lower_argsort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Value:
    _refuse_fields(order)
    x, along = _row_axis(a, axis)
    steady = static(stable) or static(kind) in ("stable", "mergesort")
    return (argsort if steady else quicksort_order)(x, axis=along)


# Partitions ---------------------------------------------------------------------------------------


def _infer_partition(x: ArrayType, kth: ArrayType, *, axis: int) -> ArrayType:
    if kth.dtype.kind not in "iu":
        raise rejection(TypeError, "Partition index must be integer")
    return ArrayType(x.dtype, x.shape)


def _came_from(y: Value, x: Value, axis: int) -> Value:
    """Where the elements of ``y``, which are those of ``x``, stand in ``x``: in order if equal."""
    ranks = argsort(argsort(y, axis=axis), axis=axis)
    return take_along_axis(argsort(x, axis=axis), ranks, axis=axis)


def _partition_vjp(g: Value, y: Value, x: Value, kth: Value, *, axis: int) -> Value:
    return index_add_of(zeros_of(x), g, places_along(x, _came_from(y, x, axis), axis))


partition = Operation.of_arrays(
    "partition",
    _infer_partition,
    np.partition,
    raises=True,
    vjp={0: _partition_vjp},
    jvp={0: lambda t, y, x, kth, *, axis: take_along_axis(t, _came_from(y, x, axis), axis=axis)},
    nondifferentiable=frozenset({1}),
    spelling=call_along("np.partition", -1),
    jax=Absent("JAX orders the parts in another way"),
    example="np.partition(x, 2)",
    batch=of_first,
    documentation="The elements along an axis, smaller ones before the ``kth``.",
)
argpartition = Operation.of_arrays(
    "argpartition",
    lambda x, kth, *, axis: ArrayType(INTEGER, x.shape),
    np.argpartition,
    raises=True,
    nondifferentiable=True,
    spelling=call_along("np.argpartition", -1),
    jax=Absent("JAX orders the parts in another way"),
    batch=of_first,
    documentation="The positions at which the elements of a partition stand.",
)


def _lower_partition(operation: Operation) -> Any:
    def lowering(
        a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None
    ) -> Value:
        _refuse_fields(order)
        if static(kind) != "introselect":
            raise rejection(ValueError, "select kind must be 'introselect'")
        x, along = _flat_axis(a, axis)
        return operation(x, array_of(kth), axis=along)

    return lowering


lower_partition = lowers(np.partition)(_lower_partition(partition))
lowers(np.argpartition, method="argpartition")(_lower_partition(argpartition))


# Selecting ----------------------------------------------------------------------------------------


def _infer_take_along(x: ArrayType, places: ArrayType, *, axis: int) -> ArrayType:
    if x.rank != places.rank:
        raise rejection(ValueError, "`indices` and `arr` must have the same number of dimensions")
    shape = list(broadcast_shapes(_without(x.shape, axis), _without(places.shape, axis)))
    shape.insert(axis, places.shape[axis])
    return ArrayType(x.dtype, tuple(shape))


def _without(shape: tuple[Dim, ...], axis: int) -> tuple[Dim, ...]:
    return shape[:axis] + shape[axis + 1 :]


def places_along(x: Value, i: Value, axis: int) -> tuple[Value, ...]:
    """The key that reads ``x`` along an axis at ``i``."""
    rank = array_type(x).rank
    key = []
    for k in range(rank):
        others = arange_of(sizes_of(x)[k]) if k != axis else i
        new = tuple(WHOLE if m == k else None for m in range(rank))
        key.append(i if k == axis else index_of(others, new))
    return tuple(key)


take_along_axis: Operation = moving(
    "take_along_axis",
    _infer_take_along,
    np.take_along_axis,
    lambda g, y, x, i, *, axis: index_add_of(zeros_of(x), g, places_along(x, i, axis)),
    raises=True,
    nondifferentiable=frozenset({1}),
    spelling=call("np.take_along_axis"),
    order="packed as operands",
    example="np.take_along_axis(X, I, 1)",
    batch=along_axis,
    documentation="Elements along an axis at positions given for each line.",
)


@lowers(np.take_along_axis)
def lower_take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Value:
    x, along = _flat_axis(arr, axis)
    return take_along_axis(x, array_of(indices), axis=along)


@lowers(np.take, method="take")
def lower_take(a: Any, indices: Any, axis: Any = None, *, mode: Any = "raise") -> Any:
    if static(mode) != "raise":
        return NotImplemented
    x, along = _row_axis(a, axis)
    return _taken(x, along, _as_places(array_of(_integers(indices))))


def _integers(indices: Any) -> Any:
    """Where to take: NumPy makes integers of Python's floats, but not of its own."""
    if isinstance(indices, Value):
        is_float = array_type(indices).weak and array_type(indices).dtype.kind == "f"
        return python_int(indices) if is_float else indices
    if isinstance(indices, list | tuple):
        return type(indices)(map(_integers, indices))
    return int(indices) if type(indices) is float else indices


def _as_places(indices: Value) -> Value:
    """Bools as the places 0 and 1: as an index they would be a mask."""
    return cast(indices, INTEGER) if array_type(indices).dtype.kind == "b" else indices


def _taken(x: Value, along: int, places: Value) -> Value:
    """The elements at places along an axis, in C order, which those of ``x[:, places]`` are not."""
    found = index_of(x, (WHOLE,) * along + (places,))
    return contiguous(found, order="C") if along else found


@lowers(np.compress)
def lower_compress(condition: Any, a: Any, axis: Any = None) -> Value:
    x, along = _row_axis(a, axis)
    return _taken(x, along, lower_nonzero(condition)[0])


lowers(method="compress")(lambda a, condition, axis=None: lower_compress(condition, a, axis))
lowers(np.extract)(lambda condition, arr: lower_compress(lower_ravel(condition), arr))


# Positions ----------------------------------------------------------------------------------------


nonzero = Operation.of_arrays(
    "nonzero",
    lambda x, *, axis, length: ArrayType(INTEGER, (length,)),
    lambda x, *, axis, length: np.nonzero(x)[axis],
    nondifferentiable=True,
    spelling=template("np.nonzero({0})[{axis}]"),
    jax=Absent("its length depends on values"),
    documentation="The positions along one axis of the elements that are not zero.",
)


@lowers(np.nonzero, method="nonzero")
def lower_nonzero(a: Any) -> tuple[Value, ...]:
    x = array_of(a)
    length = Size(f"count(%{x.number})", open=True)
    return tuple(nonzero(x, axis=k, length=length) for k in range(array_type(x).rank))


lowers(np.flatnonzero)(lambda a: lower_nonzero(lower_ravel(a))[0])


@lowers(np.argwhere)
def lower_argwhere(a: Any) -> Value:
    positions = lower_nonzero(a)
    if not positions:
        raise UnsupportedCallError("argwhere of a number", None, "use an if")
    return lower_transpose(lower_stack(positions, 0))


def _spell_bincount(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    *arrays, least = operands
    none = isinstance(least, ast.Constant) and least.value == 0
    keywords = [] if none else [ast.keyword("minlength", least)]
    return ast.Call(dotted("np.bincount"), arrays, keywords)


bincount: Operation = Operation.of_arrays(
    "bincount",
    lambda x, least, *, length: ArrayType(INTEGER, (length,)),
    lambda x, least, *, length: np.bincount(x, None, least),
    raises=True,
    nondifferentiable=True,
    spelling=_spell_bincount,
    jax=Absent("its length depends on values"),
    documentation="How often each number from 0 on occurs.",
)
weighted_bincount: Operation = Operation.of_arrays(
    "weighted_bincount",
    lambda x, w, least, *, length: ArrayType(np.dtype("float64"), (length,)),
    lambda x, w, least, *, length: np.bincount(x, w, least),
    raises=True,
    linear=frozenset({1}),
    vjp={
        1: lambda g, y, x, w, least, *, length: cast(
            index_of(g, _as_places(x)), array_type(w).dtype
        )
    },
    nondifferentiable=frozenset({0, 2}),
    spelling=_spell_bincount,
    jax=Absent("its length depends on values"),
    example="np.bincount(i, t)",
    documentation="The sum of the weights of each number from 0 on.",
)


@lowers(np.bincount)
def lower_bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Value:
    arrays = [array_of(v) for v in (x, weights) if v is not None]
    for array in arrays:
        _require_vector(array)
    _require_places(array_type(arrays[0]).dtype)
    least = staged(minlength)
    length = Size(f"bins(%{arrays[0].number},%{least.number})", open=True)
    count = bincount if weights is None else weighted_bincount
    return count(*arrays, least, length=length)


def _require_vector(x: Value) -> None:
    rank = array_type(x).rank
    if rank != 1:
        depth = "object too deep" if rank else "object of too small depth"
        raise rejection(ValueError, f"{depth} for desired array")


def _require_places(dtype: np.dtype) -> None:
    if not np.can_cast(dtype, INTEGER):
        told = f"from {dtype!r} to {INTEGER!r} according to the rule 'safe'"
        raise rejection(TypeError, f"Cannot cast array data {told}")


def _places_of(wanted: ArrayType) -> ArrayType:
    return ArrayType(INTEGER, wanted.shape, "array" if wanted.kind == "array" else "scalar")


def _batch_searchsorted(b: Lanes, op: Any, a: Value, v: Value, *, side: str) -> Value:
    b.only(1)
    return searchsorted(a, v, side=side)


searchsorted = Operation.of_arrays(
    "searchsorted",
    lambda a, v, *, side: _places_of(v),
    np.searchsorted,
    nondifferentiable=True,
    batch=_batch_searchsorted,
    documentation="Where elements would be inserted into a sorted array.",
)


@lowers(np.searchsorted)
def lower_searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    if sorter is not None:
        return NotImplemented
    line = array_of(a)
    _require_vector(line)
    return searchsorted(line, array_of(v), side=static(side))


lowers(method="searchsorted")(
    lambda a, v, side="left", sorter=None: lower_searchsorted(a, v, side, sorter)
)


def _infer_digitize(x: ArrayType, bins: ArrayType, *, right: bool) -> ArrayType:
    if x.dtype.kind == "c":
        raise rejection(TypeError, "x may not be complex")
    return _places_of(x)


digitize = Operation.of_arrays(
    "digitize",
    _infer_digitize,
    np.digitize,
    raises=True,
    nondifferentiable=True,
    documentation="Between which of the bounds elements lie, be they ascending or descending.",
)


lowers(np.digitize)(
    lambda x, bins, right=False: digitize(array_of(x), array_of(bins), right=bool(static(right)))
)


# Differences --------------------------------------------------------------------------------------


@lowers(np.diff)
def lower_diff(
    a: Any, n: Any = 1, axis: Any = -1, prepend: Any = np._NoValue, append: Any = np._NoValue
) -> Value:
    x, times = array_of(a), static_integer(n)
    if times < 0:
        raise rejection(ValueError, f"order must be non-negative but got {times}")
    if not times:
        return x
    along = axis_of(axis, array_type(x).rank)
    if prepend is not np._NoValue:
        x = concatenate(_edge(prepend, x, along), x, axis=along)
    if append is not np._NoValue:
        x = concatenate(x, _edge(append, x, along), axis=along)
    for _ in range(times):
        x = _differences(x, along)
    return x


def _differences(x: Value, axis: int) -> Value:
    later = index_of(x, (WHOLE,) * axis + (slice(1, None),))
    earlier = index_of(x, (WHOLE,) * axis + (slice(None, -1),))
    operation = not_equal if array_type(x).dtype.kind == "b" else subtract
    return operation(later, earlier)


def _edge(value: Operand, x: Value, axis: int) -> Value:
    """What stands before or after ``x``: an array, or a number in a layer of its own."""
    edge = array_of(value)
    if array_type(edge).rank:
        return edge
    sizes = list(sizes_of(x))
    sizes[axis] = 1
    return lower_broadcast_to(edge, tuple(sizes))


@lowers(np.ediff1d)
def lower_ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    if to_end is not None or to_begin is not None:
        return NotImplemented
    return _differences(lower_ravel(ary), 0)
