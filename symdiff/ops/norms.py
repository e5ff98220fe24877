"""Norms of vectors and matrices; the derivative of the Euclidean norm at 0 is 0.

All but the Euclidean ones are written with what they are made of: sums, powers and extrema of
absolute values, or of singular values, whose conventions at kinks are theirs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import absolute, equal, nonzero, sign
from symdiff.ops.arrange import axes_of as axes_in_order
from symdiff.ops.batching import Lanes, NoBatchRule, over_shifted_axes
from symdiff.ops.casts import as_dtype_of, is_complex, number_or_array
from symdiff.ops.declare import (
    FUNCTIONS,
    OnArrays,
    Operation,
    array_type,
    lowers,
    static,
    static_integer,
)
from symdiff.ops.decompositions import singular_part
from symdiff.ops.meanings import norm_of, over_axes
from symdiff.ops.reduce import (
    Axis,
    Gradient,
    gradient_rules,
    reduced_shape,
    restored,
    spell_reduction,
    sum,
)
from symdiff.ops.shape import copy, inverse_permutation, reshape, transpose
from symdiff.ops.sizes import sizes_of
from symdiff.ops.ufuncs import staged

Order = int | float | str | None


def _infer_norm(
    x: ArrayType, *, ord: Order = None, axis: Axis = None, keepdims: bool = False
) -> ArrayType:
    dtype = np.empty(0, x.dtype if x.differentiable else float).real.dtype
    return number_or_array(dtype.newbyteorder("="), reduced_shape(x.shape, axis, keepdims))


def _unit(x: Value) -> Value:
    """``x / |x|``, and 0 at 0."""
    return x / nonzero(absolute(x)) if is_complex(x) else sign(x)


def transposed(x: Value, axes: tuple[int, ...]) -> Value:
    """``x`` with its axes in another order, itself where that is the one it has."""
    if axes == tuple(range(len(axes))):
        return x
    return transpose(x, axes=axes)


def _euclidean(y: Value, x: Value, axis: Axis, keepdims: bool) -> Gradient:
    return Gradient(x, 1, nonzero(y))


def _extreme(y: Value, sums: Value, unit: Value, axis: Axis, keepdims: bool) -> Gradient:
    """Ties split evenly; ``sums`` are what the extremum is taken of, of length 1 where summed."""
    chosen = equal(sums, restored(y, unit, axis, keepdims))
    ties = nonzero(as_dtype_of(sum(chosen, axis=axis, keepdims=keepdims), y))  # 0 among nothing
    return Gradient(unit * chosen, 1, ties)


_BY_SINGULAR_VALUES = {"nuc": "all", 2: "largest", -2: "smallest"}


def _vector_gradient(y: Value, x: Value, order: Order, axis: Axis, keepdims: bool) -> Gradient:
    if order in (None, 2):
        return _euclidean(y, x, axis, keepdims)
    if order == 1:
        return Gradient(_unit(x))
    if order == 0:
        return Gradient(_unit(x) * 0.0)
    if order in (math.inf, -math.inf):
        return _extreme(y, absolute(x), _unit(x), axis, keepdims)
    assert isinstance(order, int | float)
    ratio = absolute(x) / nonzero(restored(y, x, axis, keepdims))
    return Gradient(_unit(x) * ratio ** (order - 1))


def _matrix_gradient(
    y: Value, x: Value, order: Order, axes: tuple[int, int], axis: Axis, keepdims: bool
) -> Gradient:
    if order in (None, "fro", "f"):
        return _euclidean(y, x, axis, keepdims)
    if order in _BY_SINGULAR_VALUES:
        order_of_axes = (*(k for k in range(array_type(x).rank) if k not in axes), *axes)
        part, _ = singular_part(transposed(x, order_of_axes), part=_BY_SINGULAR_VALUES[order])
        return Gradient(transposed(part, inverse_permutation(order_of_axes)))
    summed = axes[0] if order in (1, -1) else axes[1]
    sums = sum(absolute(x), axis=(summed,), keepdims=True)
    return _extreme(y, sums, _unit(x), axis, keepdims)


def _norm_gradient(
    y: Value,
    x: Value,
    *,
    ord: Order = None,
    axis: Any = None,
    keepdims: bool = False,
    **_: Any,
) -> Gradient:
    rank = array_type(x).rank
    axes = tuple(range(rank)) if axis is None else axis
    if len(axes) == 1 or (axis is None and ord is None):
        return _vector_gradient(y, x, ord, axis, keepdims)
    return _matrix_gradient(y, x, ord, (axes[0], axes[1]), axis, keepdims)


def _norm_meaning(
    sp: Any, x: Any, *, ord: Order = None, axis: Any = None, keepdims: bool = False
) -> Any:
    if ord not in (None, "fro") and np.ndim(x) > 1 and (axis is None or len(axis) == 2):
        raise TypeError(f"the norm with ord={ord!r} of a matrix")
    return over_axes(norm_of).function(sp, x, ord=ord, axis=axis, keepdims=keepdims)


def _batch_norm(b: Lanes, op: Any, x: Value, *, axis: Axis = None, **attributes: Any) -> Value:
    rank = b.types[0].rank
    if axis is None and rank not in (1, 2):
        raise NoBatchRule
    return over_shifted_axes(b, op, x, axis=axis, **attributes)  # type: ignore[no-any-return]


norm: Operation = Operation.of_arrays(
    "norm",
    _infer_norm,
    lambda x, *, ord=None, axis=None, keepdims=False: np.linalg.norm(
        x, ord, axis[0] if axis is not None and len(axis) == 1 else axis, keepdims
    ),
    spelling=spell_reduction("np.linalg.norm", ord=None),
    raises=True,
    harmless=lambda node: node.attributes.get("ord") not in _BY_SINGULAR_VALUES,
    sympy=OnArrays(_norm_meaning),
    order="reduced",
    example="np.linalg.norm(x)",
    batch=_batch_norm,
    documentation="A norm; the derivative of the Euclidean one at 0 is 0.",
    **gradient_rules(_norm_gradient),
)


def matrix_norm(x: Value, order: Order) -> Value:
    """The norm of each matrix of a stack, with two axes of length 1 behind."""
    rank = array_type(x).rank
    return norm(x, ord=order, axis=(rank - 2, rank - 1), keepdims=True)


def matrix_norm_direction(x: Value, order: Order) -> Value:
    """The derivative of the norm of each matrix by its entries."""
    rank = array_type(x).rank
    axes = (rank - 2, rank - 1)
    found = _matrix_gradient(matrix_norm(x, order), x, order, axes, axes, True)
    return found.direction if found.divisor is None else found.direction / found.divisor


# Lowerings --------------------------------------------------------------------------------------


@lowers(np.linalg.norm)
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    if isinstance(ord, Value) and array_type(ord).dtype.kind == "f":
        return NotImplemented
    value = staged(x)
    rank = array_type(value).rank
    order, axes = static(ord), _norm_axes(static(axis), rank)
    if order is not None and axes is None and rank not in (1, 2):
        raise rejection(ValueError, "Improper number of dimensions to norm.")
    _require_order(order, rank if axes is None else len(axes))
    return norm(value, ord=order, axis=axes, keepdims=bool(static(keepdims)))


def _norm_axes(axis: Any, rank: int) -> tuple[int, ...] | None:
    if axis is None:
        return None
    axes = tuple(axis) if isinstance(axis, tuple | list) else (static_integer(axis),)
    if len(axes) not in (1, 2):
        raise rejection(ValueError, "Improper number of dimensions to norm.")
    normal = tuple(k % rank for k in axes if -rank <= k < rank)
    if len(normal) != len(axes):
        raise rejection(
            np.exceptions.AxisError, f"axis {axis} is out of bounds for array of dimension {rank}"
        )
    if len(set(normal)) != len(normal):
        raise rejection(ValueError, "Duplicate axes given.")
    return normal


def _require_order(order: Order, rank: int) -> None:
    """Raise what NumPy raises for an order that there is none of."""
    if rank == 1 and isinstance(order, str):
        raise rejection(ValueError, f"Invalid norm order '{order}' for vectors")
    known = (None, 1, -1, 2, -2, math.inf, -math.inf, "fro", "f", "nuc")
    if rank == 2 and order not in known:
        raise rejection(ValueError, "Invalid norm order for matrices.")


@lowers(np.linalg.vector_norm)
def _vector_norm(x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    """As NumPy has it: several axes are joined to one, and kept only by a reshape at the end."""
    value, given = staged(x), static(axis)
    rank = array_type(value).rank
    if given is None:
        axes = tuple(range(rank))
        result = _norm(FUNCTIONS[np.ravel](value), ord, 0)
    else:
        axes = axes_in_order(given, rank)
        result = _norm(*_joined(value, given, axes, ord))
    if not static(keepdims):
        return result
    if not rank:
        return copy(result)
    pairs = zip(sizes_of(value), array_type(value).shape, strict=True)
    kept = [(1, 1) if k in axes else pair for k, pair in enumerate(pairs)]
    sizes, shape = [size for size, _ in kept], tuple(dim for _, dim in kept)
    return reshape(result, *sizes, shape=shape)


def _joined(x: Value, given: Any, axes: tuple[int, ...], order: Any) -> tuple[Value, Any, Any]:
    """The arguments of ``norm`` along one axis or several."""
    if not isinstance(given, tuple):
        return x, order, given
    rest = [k for k in range(array_type(x).rank) if k not in axes]
    moved = transposed(x, (*axes, *rest))
    sizes = [sizes_of(x)[k] for k in rest]
    return FUNCTIONS[np.reshape](moved, (-1, *sizes)), order, 0


lowers(np.linalg.matrix_norm)(
    lambda x, /, *, keepdims=False, ord="fro": _norm(x, ord, (-2, -1), keepdims)
)
