"""What calls that join, split, repeat and move arrays mean: ``np.concatenate``, ``np.pad`` …."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, rejecting, rejection
from symdiff.ir.build import constant_value
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType, Dim, ListType, Size
from symdiff.ops.arithmetic import floor_divide, maximum
from symdiff.ops.arrange import (
    WHOLE,
    _at,
    _lower_atleast,
    _rank,
    axes_of,
    lower_moveaxis,
    lower_ravel,
    lower_swapaxes,
    row_of_number,
)
from symdiff.ops.arrays import array_of, shape_operands
from symdiff.ops.creation import FLOAT64, full, ones
from symdiff.ops.declare import FUNCTIONS, array_type, lowers, static, static_integer
from symdiff.ops.index import index_of, index_set_of
from symdiff.ops.joining import (
    concatenate,
    diag,
    diagonal,
    pad,
    repeat,
    roll,
    stack,
    tile,
    tril,
    triu,
)
from symdiff.ops.list_arrays import is_list, list_join_of, list_stack_of
from symdiff.ops.ranges import range_of
from symdiff.ops.reduce import axis_of
from symdiff.ops.shape import broadcast_to, contiguous, copy, laid_like, reshape, transpose
from symdiff.ops.sizes import dim_of, dims_of, product, product_dim, sizes_of
from symdiff.ops.ufuncs import cast, common_dtype, dtype_of, strong

# Joining and splitting ----------------------------------------------------------------------------


def _arrays(arrays: Any, verb: str = "concatenate") -> list[Value]:
    """The arrays to join, one at least: a sequence of them, or the rows of one."""
    parts = _parts(arrays)
    if not parts:
        raise rejection(ValueError, f"need at least one array to {verb}")
    return parts


def _parts(arrays: Any) -> list[Value]:
    if is_list(arrays):
        raise UnsupportedCallError(
            "this way of joining a list of unknown length", None, "use stack"
        )
    if not isinstance(arrays, Value) and isinstance(arrays, Iterable):
        return [array_of(a) for a in arrays]
    if not isinstance(arrays, Value) or not array_type(arrays).shape:
        raise rejection(TypeError, "The first input argument needs to be a sequence")
    count = array_type(arrays).shape[0]
    if not isinstance(count, int):
        raise UnsupportedCallError("joining the rows of an array", None, "use reshape")
    return [index_of(arrays, k) for k in range(count)]


def _is_rows(arrays: Any) -> bool:
    """Return whether what is joined are the rows of an array, of an unknown number."""
    if not isinstance(arrays, Value) or not isinstance(arrays.type, ArrayType):
        return False
    return bool(arrays.type.shape) and not isinstance(arrays.type.shape[0], int)


def _joined_rows(rows: Value, axis: int) -> Value:
    """The rows of an array, which has some, one after the other along an axis of theirs."""
    index_of(rows, 0)
    if _rank(rows) == 1:
        return copy(rows)
    moved = lower_moveaxis(rows, 0, axis)
    sizes = sizes_of(moved)
    merged = (*sizes[:axis], product(sizes[axis : axis + 2]), *sizes[axis + 2 :])
    return copy(reshape(contiguous(moved, order="C"), *merged, shape=dims_of(merged)))


def _element_rank(items: Value) -> int:
    assert isinstance(items.type, ListType)
    element = items.type.element
    return element.rank if isinstance(element, ArrayType) else 0


@lowers(np.concatenate, np.concat)
def lower_concatenate(arrays: Any, /, axis: Any = 0, dtype: Any = None) -> Value:
    if is_list(arrays) and static(axis) is not None:
        return _cast(list_join_of(arrays, axis_of(axis, max(_element_rank(arrays), 1))), dtype)
    parts = _arrays(arrays)
    if static(axis) is None:
        parts, axis = [lower_ravel(part) for part in parts], 0
    elif any(_rank(part) == 0 for part in parts):
        raise rejection(ValueError, "zero-dimensional arrays cannot be concatenated")
    return _cast(concatenate(*parts, axis=axis_of(axis, _rank(parts[0]))), dtype)


def _cast(x: Value, dtype: Any) -> Value:
    return cast(x, dtype_of(dtype))


@lowers(np.stack)
def lower_stack(arrays: Any, axis: Any = 0, *, dtype: Any = None) -> Value:
    if is_list(arrays):
        rows, place = list_stack_of(arrays), axis_of(axis, _element_rank(arrays) + 1)
        if place:  # NumPy's is a new array, in C order
            rows = contiguous(lower_moveaxis(rows, 0, place), order="C")
        return _cast(rows, dtype)
    parts = _arrays(arrays, "stack")
    return _cast(stack(*parts, axis=axis_of(axis, _rank(parts[0]) + 1)), dtype)


def _at_least(rank: int, x: Value) -> Value:
    return _lower_atleast(rank, {1: (None,)})(x)  # type: ignore[no-any-return]


@lowers(np.hstack)
def lower_hstack(tup: Any, *, dtype: Any = None) -> Value:
    if _is_rows(tup):
        return _cast(_joined_rows(tup, max(min(_rank(tup) - 2, 1), 0)), dtype)
    if is_list(tup):
        rank = _element_rank(tup)
        return lower_concatenate(tup, min(rank, 2) - 1, dtype=dtype) if rank else lower_stack(tup)
    parts = [_at_least(1, part) for part in _arrays(tup)]
    return lower_concatenate(parts, 0 if _rank(parts[0]) == 1 else 1, dtype=dtype)


@lowers(np.vstack)
def lower_vstack(tup: Any, *, dtype: Any = None) -> Value:
    if _is_rows(tup):
        rows = index_of(tup, (WHOLE, *[None] * max(3 - _rank(tup), 0)))
        return _cast(_joined_rows(rows, 0), dtype)
    if is_list(tup):
        rank = _element_rank(tup)
        if not rank:
            return index_of(lower_stack(tup, dtype=dtype), (WHOLE, None))
        return (lower_stack if rank == 1 else lower_concatenate)(tup, dtype=dtype)
    parts = _arrays(tup)
    if all(_rank(part) == 1 for part in parts):
        return lower_stack(parts, dtype=dtype)
    return lower_concatenate([_at_least(2, part) for part in parts], 0, dtype=dtype)


@lowers(np.column_stack)
def lower_column_stack(tup: Any) -> Value:
    if is_list(tup):
        rank = _element_rank(tup)
        if not rank:
            return index_of(lower_stack(tup), (None, WHOLE))
        return (lower_stack if rank == 1 else lower_concatenate)(tup, axis=1)
    parts = _arrays(tup)
    if all(_rank(part) == 1 for part in parts):
        return lower_stack(parts, 1)
    return lower_concatenate([_as_column(part) for part in parts], 1)


lowers(np.c_)(lambda *parts: lower_concatenate([_as_column(part) for part in _listed(parts)], -1))
lowers(np.r_)(lambda *parts: lower_concatenate([_at_least(1, part) for part in _listed(parts)]))


def _listed(parts: Sequence[Any]) -> list[Value]:
    if any(isinstance(part, str) for part in parts):
        raise UnsupportedCallError("a text between arrays", None, "write np.concatenate")
    arrays = _arrays([_range_of(part) if isinstance(part, slice) else part for part in parts])
    dtype = common_dtype(arrays)  # in which a Python number does not count by its precision
    return [cast(x, dtype) if array_type(x).weak else x for x in arrays]


def _range_of(part: slice) -> Value:
    """The numbers of a slice; an imaginary step is how many there are from end to end."""
    first, step = part.start or 0, static(part.step) or 1
    if isinstance(step, complex):
        points: Value = FUNCTIONS[np.linspace](first, part.stop, int(abs(step)))
        return points
    counted: Value = FUNCTIONS[np.arange](first, part.stop, step)
    return counted


def _as_column(x: Value) -> Value:
    if _rank(x) >= 2:
        return x
    return index_of(_at_least(1, x), (WHOLE, None))


lowers(np.append)(
    lambda arr, values, axis=None: lower_concatenate([array_of(arr), array_of(values)], axis)
)


@lowers(np.split)
def lower_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Value]:
    x = array_of(ary)
    place = axis_of(axis, _rank(x))
    bounds = _known_in_number(indices_or_sections)
    if bounds is not None:
        return _parts_between(x, [None, *bounds, None], place)
    sections = static(indices_or_sections)
    with rejecting():
        if np.ndim(sections) > 0:
            inner = [operator.index(bound) for bound in sections]
            return _parts_between(x, [None, *inner, None], place)
        count = int(sections)
    return _equal_parts(x, count, place)


@lowers(np.array_split)
def lower_array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Value]:
    x = array_of(ary)
    place = axis_of(axis, _rank(x))
    if _known_in_number(indices_or_sections) is not None:
        return lower_split(x, indices_or_sections, place)
    sections = static(indices_or_sections)
    if np.ndim(sections) > 0:
        return lower_split(x, sections, place)
    with rejecting():
        count = int(sections)
    if count <= 0:
        raise rejection(ValueError, "number sections must be larger than 0.")
    each, longer = divmod(static_integer(sizes_of(x)[place]), count)
    bounds = [k * each + min(k, longer) for k in range(count + 1)]
    return _parts_between(x, bounds, place)


def _known_in_number(given: Any) -> Sequence[int | Value] | None:
    """The places at which an array is split, of a list with some that are known at run time only,
    or of an array of them whose length is known.
    """
    if isinstance(given, list | tuple):
        computed = any(isinstance(one, Value) and constant_value(one) is None for one in given)
        return given if computed and all(map(_is_place, given)) else None
    if not isinstance(given, Value) or constant_value(given) is not None or _rank(given) != 1:
        return None
    (length,) = array_type(given).shape
    return [index_of(given, k) for k in range(length)] if isinstance(length, int) else None


def _is_place(bound: Any) -> bool:
    if isinstance(bound, Value):
        type_ = bound.type
        return isinstance(type_, ArrayType) and not type_.shape and type_.dtype.kind in "iu"
    return isinstance(bound, int | np.integer)


def _parts_between(x: Value, bounds: Sequence[int | Value | None], axis: int) -> list[Value]:
    return [_at(x, axis, slice(start, stop)) for start, stop in itertools.pairwise(bounds)]


def _equal_parts(x: Value, count: int, axis: int) -> list[Value]:
    length = array_type(x).shape[axis]
    if isinstance(length, int):
        if length % count:
            raise rejection(ValueError, "array split does not result in an equal division")
        bounds = [k * (length // count) for k in range(count + 1)]
        return _parts_between(x, bounds, axis)
    sizes = sizes_of(x)  # an error, as NumPy's, where the division is not equal
    split = (*sizes[:axis], count, floor_divide(sizes[axis], count), *sizes[axis + 1 :])
    parts = reshape(x, *split, shape=dims_of(split))
    return [_at(parts, axis, k) for k in range(count)]


def _lower_split_along(axis: Callable[[int], int], least: int) -> Callable[..., list[Value]]:
    def lowering(ary: Any, indices_or_sections: Any) -> list[Value]:
        x = array_of(ary)
        if _rank(x) < least:
            raise rejection(ValueError, f"this only works on arrays of {least} or more dimensions")
        return lower_split(x, indices_or_sections, axis(_rank(x)))

    return lowering


lowers(np.vsplit)(_lower_split_along(lambda rank: 0, 2))
lowers(np.hsplit)(_lower_split_along(lambda rank: 0 if rank == 1 else 1, 1))
lowers(np.dsplit)(_lower_split_along(lambda rank: 2, 3))


# Repeating and moving -----------------------------------------------------------------------------


@lowers(np.flip)
def lower_flip(m: Any, axis: Any = None) -> Value:
    x = strong(m)
    axes = range(_rank(x)) if static(axis) is None else axes_of(axis, _rank(x))
    last = max(axes, default=-1) + 1
    return index_of(x, tuple(slice(None, None, -1) if k in axes else WHOLE for k in range(last)))


lowers(np.flipud)(lambda m: lower_flip(m, 0))
lowers(np.fliplr)(lambda m: lower_flip(m, 1))


@lowers(np.rot90)
def lower_rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Value:
    x = array_of(m)
    one, other = axes_of(axes, _rank(x))
    turns = static_integer(k) % 4
    if turns == 0:
        return index_of(x, (Ellipsis,))
    if turns == 2:
        return lower_flip(x, (one, other))
    if turns == 1:
        return lower_swapaxes(lower_flip(x, other), one, other)
    return lower_flip(lower_swapaxes(x, one, other), other)


def _numbers_of(shift: Any) -> tuple[Any, ...]:
    """A number, or those of a vector, one for each axis."""
    shape = array_type(shift).shape
    if not shape:
        return (shift,)
    if len(shape) > 1 or not isinstance(shape[0], int):
        raise UnsupportedCallError("roll by an array", None, "give a tuple of numbers")
    return tuple(index_of(shift, (k,)) for k in range(shape[0]))


@lowers(np.roll)
def lower_roll(a: Any, shift: Any, axis: Any = None) -> Value:
    x = array_of(a)
    shifts = tuple(shift) if isinstance(shift, tuple | list) else _numbers_of(shift)
    if static(axis) is None:
        return roll(x, *shifts, axis=None)
    axes = axes_of(axis, _rank(x))
    count = max(len(axes), len(shifts))
    shifts = shifts * count if len(shifts) == 1 else shifts
    axes = axes * count if len(axes) == 1 else axes
    return roll(x, *shifts, axis=axes)


@lowers(np.repeat, method="repeat")
def lower_repeat(a: Any, repeats: Any, axis: Any = None) -> Value:
    x, axis = row_of_number(array_of(a), axis)
    counts = array_of(repeats)
    if static(axis) is None:
        x, axis = lower_ravel(x), 0
    place = axis_of(axis, _rank(x))
    shape = list(array_type(x).shape)
    shape[place] = _repeated_dim(shape[place], counts)
    return repeat(x, counts, axis=place, shape=tuple(shape))


def _repeated_dim(dim: Dim, counts: Value) -> Dim:
    if not array_type(counts).shape:
        return product_dim((dim, dim_of(counts)))
    return Size(f"sum(%{counts.number})", open=True)


@lowers(np.tile)
def lower_tile(A: Any, reps: Any) -> Value:
    x = array_of(A)
    counts = shape_operands(reps)
    rank = max(_rank(x), len(counts))
    lengths = (1,) * (rank - _rank(x)) + array_type(x).shape
    factors = (1,) * (rank - len(counts)) + dims_of(counts)
    shape = tuple(product_dim(pair) for pair in zip(lengths, factors, strict=True))
    return tile(x, *counts, shape=shape)


@lowers(np.pad)
def lower_pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    x = array_of(array)
    odd = options.get("reflect_type", "even") != "even"
    plain = isinstance(static(pad_width), int | tuple | list | np.integer | np.ndarray)
    named = isinstance(static(mode), str) and static(mode) not in ("linear_ramp", "empty")
    if odd or not plain or not named:
        return NotImplemented
    widths = np.broadcast_to(np.asarray(static(pad_width)), (_rank(x), 2))
    pairs = tuple((int(before), int(after)) for before, after in widths)
    if static(mode) in _STATISTICS:
        return _laid_out(_padded_by_statistics(x, pairs, static(mode), **options), x)
    if static(mode) != "constant":
        return _padded_by_elements(x, pairs, static(mode), options)
    padded = pad(x, widths=pairs, mode="constant")
    value = options.get("constant_values", 0)
    if not isinstance(value, Value) and np.ndim(value) == 0 and value == 0:
        return padded
    return _filled_around(x, padded, pairs, value)


def _laid_out(made: Value, x: Value) -> Value:
    """What is made in another way than by ``np.pad``, which keeps Fortran's order."""
    return laid_like(made, x, order="A") if _rank(x) > 1 else made


def _filled_around(x: Value, padded: Value, pairs: Any, value: Any) -> Value:
    if isinstance(value, tuple | list):
        return _laid_out(_framed_by_values(x, pairs, _each_side(value, _rank(x))), x)
    around = FUNCTIONS[np.full_like](padded, value)
    return index_set_of(around, x, tuple(slice(a or None, -b or None) for a, b in pairs))


def _each_side(value: Any, rank: int) -> list[tuple[Any, Any]]:
    """What stands before and after each axis, where NumPy takes one, two, or two an axis."""
    rows = value if isinstance(value[0], tuple | list) else [value]
    pairs = [(row[0], row[-1]) for row in rows]
    if len(pairs) not in (1, rank) or any(len(row) not in (1, 2) for row in rows):
        raise rejection(ValueError, "operands could not be broadcast together")
    return pairs * rank if len(pairs) == 1 else pairs


def _framed_by_values(x: Value, pairs: Any, values: list[tuple[Any, Any]]) -> Value:
    """Axis by axis, so that the corners have the values of the last axis."""
    for axis, widths in enumerate(pairs):
        type_, sizes = array_type(x), sizes_of(x)
        sides = []
        for width, value in zip(widths, values[axis], strict=True):
            lengths = [width if k == axis else size for k, size in enumerate(sizes)]
            shape = tuple(width if k == axis else dim for k, dim in enumerate(type_.shape))
            sides.append(full(value, *lengths, shape=shape, dtype=type_.dtype))
        x = _between(sides[0], x, sides[1], widths, axis)
    return x


def _between(before: Value, x: Value, after: Value, widths: tuple[int, int], axis: int) -> Value:
    parts = [*[before][: widths[0]], x, *[after][: widths[1]]]
    return lower_concatenate(parts, axis, dtype=array_type(x).dtype) if len(parts) > 1 else x


_STATISTICS = {"maximum": np.max, "minimum": np.min, "mean": np.mean, "median": np.median}


def _padded_by_statistics(x: Value, pairs: Any, mode: str, stat_length: Any = None) -> Value:
    """Around each line what is greatest, smallest or in the middle of its ends."""
    lengths = np.broadcast_to(np.asarray(static(stat_length)), (_rank(x), 2))
    for axis, widths in enumerate(pairs):
        before, after = (_ends(x, axis, length) for length in lengths[axis])
        same = all(length is None for length in lengths[axis])
        first = _statistic(x if before is None else _at(x, axis, slice(0, before)), axis, mode)
        last = first
        if not same:
            end = slice(-after, None) if after is not None else slice(None)
            last = _statistic(_at(x, axis, end), axis, mode)
        left, right = (
            FUNCTIONS[np.repeat](part, width, axis)
            for part, width in zip((first, last), widths, strict=True)
        )
        x = _between(left, x, right, widths, axis)
    return x


def _ends(x: Value, axis: int, length: Any) -> int | None:
    """How many elements at the end of a line count; None where all do."""
    if length is None:
        return None
    if length < 1:
        raise rejection(ValueError, "stat_length of 0 yields no value for padding")
    return int(length)


def _statistic(part: Value, axis: int, mode: str) -> Value:
    dtype = array_type(part).dtype
    found = FUNCTIONS[np.expand_dims](FUNCTIONS[_STATISTICS[mode]](part, axis=axis), axis)
    if array_type(found).dtype == dtype:
        return found  # type: ignore[no-any-return]
    whole = FUNCTIONS[np.round](found) if dtype.kind in "iu" else found
    return cast(whole, dtype)


def _padded_by_elements(x: Value, pairs: Any, mode: str, options: dict[str, Any]) -> Value:
    if mode not in ("edge", "reflect", "symmetric", "wrap") or options:
        raise UnsupportedCallError(f"pad with mode={mode!r}", None, "use concatenate")
    return pad(x, widths=pairs, mode=mode)


# Diagonals and triangles --------------------------------------------------------------------------


@lowers(np.diagonal, method="diagonal")
def lower_diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Value:
    x = array_of(a)
    if _rank(x) < 2:
        raise rejection(ValueError, "diag requires an array of at least two dimensions")
    one, other = axis_of(axis1, _rank(x)), axis_of(axis2, _rank(x))
    if one == other:
        raise rejection(ValueError, "axis1 and axis2 cannot be the same")
    order = (*(k for k in range(_rank(x)) if k not in (one, other)), one, other)
    if order != tuple(range(_rank(x))):
        x = transpose(x, axes=order)
    return diagonal(x, offset=static_integer(offset))


@lowers(np.diag)
def lower_diag(v: Any, k: Any = 0) -> Value:
    x = array_of(v)
    if _rank(x) == 1:
        return diag(x, offset=static_integer(k))
    if _rank(x) == 2:
        return lower_diagonal(x, k)
    raise rejection(ValueError, "Input must be 1- or 2-d.")


lowers(np.diagflat)(lambda v, k=0: lower_diag(lower_ravel(v), k))


def _matrix(m: Any) -> Value:
    """NumPy makes a matrix of a vector's copies here."""
    x = array_of(m)
    if _rank(x) != 1:
        return x
    length = sizes_of(x)[0]
    shape = array_type(x).shape * 2
    return broadcast_to(x, length, length, shape=shape)


lowers(np.tril)(lambda m, k=0: tril(_matrix(m), k=static_integer(k)))
lowers(np.triu)(lambda m, k=0: triu(_matrix(m), k=static_integer(k)))


@lowers(np.tri)
def lower_tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Value:
    sizes = tuple(map(_not_below_zero, shape_operands((N, N if M is None else M))))
    filled = ones(*sizes, shape=dims_of(sizes), dtype=FLOAT64)
    return _cast(tril(filled, k=static_integer(k)), dtype)


def _not_below_zero(size: Any) -> Any:
    """A length as of ``np.arange``, which has nothing below 0."""
    if isinstance(size, Value):
        return size if range_of(size)[0] >= 0.0 else maximum(size, 0)
    return max(size, 0)
