"""What calls of NumPy's shape functions, array methods and attributes mean, in terms of ops.

Arguments arrive as in the user's program: staged values, numbers, tuples, lists of values. Axes
must be known. What NumPy gives as a view is an op with ``view`` here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.graph import Operand, Value
from symdiff.ir.types import Dim, Size, may_be_one
from symdiff.ops.arrays import array_of, copy_in, shape_operands
from symdiff.ops.creation import arange_of
from symdiff.ops.declare import (
    FUNCTIONS,
    array_type,
    broadcast_shapes,
    lowers,
    static,
    static_integer,
)
from symdiff.ops.index import index_of
from symdiff.ops.joining import stack
from symdiff.ops.reduce import axis_of
from symdiff.ops.shape import broadcast_to, contiguous, copy, reshape, transpose
from symdiff.ops.sizes import (
    constant_integer,
    dims_of,
    lower_bound,
    product,
    product_dim,
    quotient_dim,
    size,
    sizes_of,
)
from symdiff.ops.ufuncs import cast

WHOLE = slice(None)


# Axes ---------------------------------------------------------------------------------------------


def row_of_number(x: Value, axis: Any) -> tuple[Value, Any]:
    """An array and an axis for functions to which a number is a row of one: no axis of it."""
    is_number = not array_type(x).shape and static(axis) in (0, -1)
    return x, None if is_number else axis


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """One axis or several, as given."""
    axis = static(axis)
    axes = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    return tuple(axis_of(one, rank) for one in axes)


def _listed(axes: Any) -> Any:
    """Axes that are known, those in an array one by one."""
    axes = static(axes)
    return axes.tolist() if isinstance(axes, np.ndarray) and axes.ndim else axes


def _rank(x: Value) -> int:
    return array_type(x).rank


def _at(x: Value, axis: int, entry: Any) -> Value:
    """``x[:, ..., entry]`` with the entry at an axis."""
    return index_of(x, (WHOLE,) * axis + (entry,))


# Sizes --------------------------------------------------------------------------------------------


lowers(np.shape, attribute="shape")(lambda a: sizes_of(array_of(a)))
lowers(np.ndim, attribute="ndim")(lambda a: _rank(array_of(a)))


@lowers(np.size, attribute="size")
def lower_size(a: Any, axis: Any = None) -> Operand:
    x = array_of(a)
    if axis is not None:
        return sizes_of(x)[axis_of(axis, _rank(x))]
    return product(sizes_of(x))


if hasattr(np.ndarray, "device"):  # since NumPy 2
    lowers(attribute="device")(lambda a: "cpu")
lowers(attribute="dtype")(lambda a: array_type(a).dtype)
lowers(attribute="itemsize")(lambda a: array_type(a).dtype.itemsize)
lowers(attribute="nbytes")(lambda a: product(sizes_of(a)) * array_type(a).dtype.itemsize)


# Shapes -------------------------------------------------------------------------------------------


@lowers(np.reshape)
def lower_reshape(a: Any, /, shape: Any = None, order: Any = "C", *, copy: Any = None) -> Value:
    x, sizes = array_of(a), tuple(map(_length_or_unknown, shape_operands(shape)))
    if _known_order(order, max(_rank(x), len(sizes))) == "F":
        backwards = lower_reshape(lower_transpose(x), tuple(reversed(sizes)))
        return lower_transpose(backwards)
    fresh = reshape(x, *sizes, shape=_reshaped(array_type(x).shape, sizes))
    return lower_copy_method(fresh) if static(copy) else fresh


def _length_or_unknown(length: Operand) -> Operand:
    """A length; NumPy takes every negative number for -1."""
    number = constant_integer(length)
    return -1 if number is not None and number < 0 else length


def _reshaped(old: tuple[Dim, ...], sizes: Sequence[Operand]) -> tuple[Dim, ...]:
    told = dims_of(sizes)
    dims = [_told_or_found(k, told, old, length) for k, length in enumerate(sizes)]
    unknown = [k for k, dim in enumerate(dims) if dim == -1]
    if len(unknown) > 1:
        raise rejection(ValueError, "can only specify one unknown dimension")
    if unknown:
        dims[unknown[0]] = quotient_dim(old, [dim for dim in dims if dim != -1])
    numbers = all(isinstance(dim, int) for dim in (*old, *dims))
    if numbers and product_dim(old) != product_dim(dims):
        shown = tuple(constant_integer(length) for length in sizes)
        raise rejection(
            ValueError, f"cannot reshape array of size {product_dim(old)} into shape {shown}"
        )
    return tuple(dims)


def _told_or_found(axis: int, told: tuple[Dim, ...], old: tuple[Dim, ...], length: Operand) -> Dim:
    """The dimension that a size tells; of one that may be negative at run time, where NumPy finds
    the length out, one that is known by what is reshaped, and by the sizes beside it, too.
    """
    dim, least = told[axis], lower_bound(length)
    if isinstance(dim, int) or -1 in told or (least is not None and least >= 0):
        return dim
    beside = product_dim(told[:axis] + told[axis + 1 :])
    return Size(f"({dim} or {product_dim(old)}/{beside})", open=True)


@lowers(method="reshape")
def lower_reshape_method(a: Value, *shape: Any, order: Any = "C", copy: Any = None) -> Value:
    sizes = shape[0] if len(shape) == 1 else shape
    return lower_reshape(a, sizes, order, copy=copy)


def as_of_scalar(x: Value) -> Value:
    """What NumPy's rearrangements make of a number: of its own scalars they make no arrays."""
    return x if array_type(x).kind == "scalar" else copy(x)


def _known_order(order: Any, rank: int) -> str:
    """``"C"`` or ``"F"``: in which order elements are taken; for less than two axes, any."""
    given = static(order)
    if not isinstance(given, str):
        return "C"  # None; of other types NumPy's signature tells
    if given in {"A", "K"} and rank > 1:
        raise UnsupportedCallError(
            f"order={given!r} of an array that does not fill its memory, in rows or in columns",
            None,
            "say order='C' or order='F'",
        )
    return "F" if given == "F" else "C"


@lowers(np.ravel, method="ravel")
def lower_ravel(a: Any, order: Any = "C") -> Value:
    x = array_of(a)
    if _known_order(order, _rank(x)) == "F":
        x = lower_transpose(x)
    if array_type(x).kind == "array" and _rank(x):
        x = contiguous(x, order="C")
    return lower_reshape(x, -1)


@lowers(method="flatten")
def lower_flatten(a: Value, order: Any = "C") -> Value:
    flat = lower_reshape(a, -1, _known_order(order, _rank(a)))
    return copy(flat)


lowers(np.copy)(lambda a, order="K", subok=False: copy_in(array_of(a), order))


@lowers(method="copy")
def lower_copy_method(a: Any, order: Any = "C") -> Value:
    if array_type(a).kind == "scalar":
        return a  # type: ignore[no-any-return]
    return copy_in(array_of(a), order)


@lowers(np.transpose)
def lower_transpose(a: Any, axes: Any = None) -> Value:
    x = array_of(a)
    axes = _listed(axes)
    if array_type(x).kind != "array":
        return as_of_scalar(x)
    if axes is None:
        return transpose(x, axes=tuple(reversed(range(_rank(x)))))
    order = axes_of(axes, _rank(x))
    if sorted(order) != list(range(_rank(x))):
        raise rejection(
            ValueError, "axes don't match array" if len(order) != _rank(x) else "repeated axis"
        )
    return transpose(x, axes=order)


@lowers(method="transpose")
def lower_transpose_method(a: Value, *axes: Any) -> Value:
    if not axes:
        return lower_transpose(a)
    return lower_transpose(a, axes[0] if len(axes) == 1 else axes)


lowers(attribute="T")(lambda a: lower_transpose(a))


@lowers(np.matrix_transpose, attribute="mT")
def lower_matrix_transpose(x: Any) -> Value:
    value = array_of(x)
    if _rank(value) < 2:
        raise rejection(ValueError, "matrix transpose with ndim < 2 is undefined")
    return lower_swapaxes(value, -1, -2)


@lowers(np.swapaxes, method="swapaxes")
def lower_swapaxes(a: Any, axis1: Any, axis2: Any) -> Value:
    x = array_of(a)
    one, other = axis_of(axis1, _rank(x)), axis_of(axis2, _rank(x))
    order = list(range(_rank(x)))
    order[one], order[other] = other, one
    return transpose(x, axes=tuple(order))


@lowers(np.moveaxis)
def lower_moveaxis(a: Any, source: Any, destination: Any) -> Value:
    x = array_of(a)
    sources, places = (axes_of(_listed(axes), _rank(x)) for axes in (source, destination))
    order = [axis for axis in range(_rank(x)) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return transpose(x, axes=tuple(order))


@lowers(np.rollaxis)
def lower_rollaxis(a: Any, axis: Any, start: Any = 0) -> Value:
    x = array_of(a)
    moved, before = axis_of(axis, _rank(x)), static_integer(start)
    order = [k for k in range(_rank(x)) if k != moved]
    place = before + _rank(x) if before < 0 else before
    order.insert(place - (place > moved), moved)
    return transpose(x, axes=tuple(order))


@lowers(np.expand_dims)
def lower_expand_dims(a: Any, axis: Any) -> Value:
    x = array_of(a)
    count = len(axis) if isinstance(axis, tuple | list) else 1
    rank = _rank(x) + count
    new = axes_of(axis, rank)
    last = max(new, default=-1) + 1
    if not _rank(x):
        x = FUNCTIONS[np.asarray](x)
        return reshape(x, *(1,) * rank, shape=(1,) * rank)
    return index_of(x, tuple(None if k in new else WHOLE for k in range(last)))


@lowers(np.squeeze, method="squeeze")
def lower_squeeze(a: Any, axis: Any = None) -> Value:
    x = array_of(a)
    if array_type(x).kind == "python":
        x = FUNCTIONS[np.asarray](x)
    shape = array_type(x).shape
    if array_type(x).kind == "scalar" and not axis:
        return x
    if axis is None:
        chosen = tuple(k for k, dim in enumerate(shape) if _is_one(x, k, dim))
    else:
        chosen = axes_of(axis, _rank(x))
    if all(shape[k] == 1 for k in chosen):
        return index_of(x, (*(0 if k in chosen else WHOLE for k in range(_rank(x))), Ellipsis))
    _refuse_longer(shape, chosen)
    kept = [k for k in range(_rank(x)) if k not in chosen]
    sizes = [sizes_of(x)[k] for k in kept]
    return reshape(x, *sizes, shape=tuple(shape[k] for k in kept))


def _is_one(x: Value, axis: int, dim: Dim) -> bool:
    """Return whether an axis has length 1: the rank depends on it, so it must be known."""
    if isinstance(dim, int) or not may_be_one(dim):
        return dim == 1
    return bool(static(size(x, axis=axis)) == 1)


def _refuse_longer(shape: tuple[Dim, ...], axes: Sequence[int]) -> None:
    for axis in axes:
        if not may_be_one(shape[axis]):
            raise rejection(
                ValueError, "cannot select an axis to squeeze out which has size not equal to one"
            )


def _lower_atleast(rank: int, key: dict[int, tuple[Any, ...]]) -> Callable[..., Any]:
    def one(a: Any) -> Value:
        x = array_of(a)
        if _rank(x) == 0:
            return reshape(x, *(1,) * rank, shape=(1,) * rank)
        return x if _rank(x) >= rank else index_of(x, key[_rank(x)])

    def lowering(*arrays: Any) -> Any:
        made = tuple(one(array) for array in arrays)
        return made[0] if len(made) == 1 else made

    return lowering


lowers(np.atleast_1d)(_lower_atleast(1, {}))
lowers(np.atleast_2d)(_lower_atleast(2, {1: (None,)}))
lowers(np.atleast_3d)(_lower_atleast(3, {1: (None, WHOLE, None), 2: (WHOLE, WHOLE, None)}))


# Broadcasting -------------------------------------------------------------------------------------


@lowers(np.broadcast_to)
def lower_broadcast_to(array: Any, shape: Any, subok: Any = False) -> Value:
    sizes, x = shape_operands(shape), array_of(array)
    if _rank(x) > len(sizes):
        reason = "input operand has more dimensions than allowed by the axis remapping"
        raise rejection(ValueError, reason)
    return broadcast_to(x, *sizes, shape=dims_of(sizes))


@lowers(np.broadcast_arrays)
def lower_broadcast_arrays(*args: Any, subok: Any = False) -> tuple[Value, ...]:
    arrays = [array_of(a) for a in args]
    shape = broadcast_shapes(*(array_type(x).shape for x in arrays))
    if all(array_type(x).shape == shape for x in arrays):
        return tuple(x if array_type(x).kind == "array" else copy(x) for x in arrays)
    sizes = [_size_like(arrays, len(shape) - k, dim) for k, dim in enumerate(shape)]
    return tuple(broadcast_to(x, *sizes, shape=shape, shared=True) for x in arrays)


def _size_like(arrays: Sequence[Value], from_end: int, dim: Dim) -> Operand:
    """The length of a dimension of a broadcast shape, from an operand that has it."""
    if isinstance(dim, int):
        return dim
    for x in arrays:
        axis = _rank(x) - from_end
        if axis >= 0 and array_type(x).shape[axis] == dim:
            return size(x, axis=axis)
    raise UnsupportedCallError("broadcast_arrays of unknown sizes", None, "use broadcast_to")


@lowers(np.meshgrid)
def lower_meshgrid(
    *xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy"
) -> tuple[Value, ...]:
    vectors = [lower_reshape(x, -1) for x in xi]
    count = len(vectors)
    places = list(range(count))
    if static(indexing) == "xy" and count > 1:
        places[:2] = [1, 0]
    shape: list[Dim] = [0] * count
    sizes: list[Operand] = [0] * count
    for place, x in zip(places, vectors, strict=True):
        shape[place], sizes[place] = array_type(x).shape[0], sizes_of(x)[0]
    grids: list[Value] = []
    for place, x in zip(places, vectors, strict=True):
        grid = index_of(x, tuple(WHOLE if k == place else None for k in range(count)))
        if not static(sparse) and count > 1:
            grid = broadcast_to(grid, *sizes, shape=tuple(shape), shared=True)
        grids.append(lower_copy_method(grid) if static(copy) else grid)
    return tuple(grids)


@lowers(np.indices)
def lower_indices(dimensions: Any, dtype: Any = int, sparse: Any = False) -> Any:
    wanted = np.dtype(static(dtype))
    axes = [cast(arange_of(length), wanted) for length in shape_operands(dimensions)]
    grids = lower_meshgrid(*axes, sparse=sparse, indexing="ij")
    return grids if static(sparse) else stack(*grids, axis=0)
