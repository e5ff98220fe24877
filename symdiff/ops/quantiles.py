"""Quantiles with linear interpolation: ``np.quantile``, ``np.percentile``.

A quantile is a point on the line between two neighbours among the sorted elements; derivatives go
to these two, and to ``q`` by the slope of the line.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import floor, minimum, multiply
from symdiff.ops.arrange import lower_moveaxis, lower_ravel
from symdiff.ops.arrays import array_of
from symdiff.ops.casts import astype, number_or_array, result_dtype
from symdiff.ops.creation import zeros_of
from symdiff.ops.declare import (
    Operation,
    array_type,
    call_along,
    lowers,
    static,
)
from symdiff.ops.index import index_add_of, index_of
from symdiff.ops.order import argsort, take_along_axis
from symdiff.ops.reduce import axis_of, sum, unbroadcast_to
from symdiff.ops.sizes import sizes_of


def _infer(x: ArrayType, q: ArrayType, *, axis: int, scale: int) -> ArrayType:
    if x.dtype.kind == "c":
        raise rejection(TypeError, "a must be an array of real numbers")
    shape = (*q.shape, *x.shape[:axis], *x.shape[axis + 1 :])
    line = x.dtype if x.dtype.kind == "f" else np.dtype("float64")
    return number_or_array(result_dtype(ArrayType(line, ()), q), shape)


def _evaluate(x: Any, q: Any, *, axis: int, scale: int) -> Any:
    return (np.percentile if scale == 100 else np.quantile)(x, q, axis)


def _spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    function = "np.percentile" if node.attributes["scale"] == 100 else "np.quantile"
    return call_along(function)(node, operands)


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """Positions of the two neighbours, the weight of the upper one, and the number of elements."""

    low: Value
    high: Value
    weight: Value
    last: Any


def _neighbours(x: Value, q: Value, axis: int, scale: int) -> _Neighbours:
    last = array_of(sizes_of(x)[axis]) - 1
    place = q / (scale * 1.0) * last
    low = floor(place)
    weight = place - low
    integer = np.dtype("int64")
    first = astype(low, dtype=integer)
    extra = array_type(x).rank - 1
    if array_type(weight).shape and extra:
        weight = index_of(weight, (Ellipsis, *(None,) * extra))
    return _Neighbours(first, minimum(first + 1, last), weight, last)


def _sorted_first(t: Value, x: Value, axis: int) -> Value:
    """``t`` in the order that sorts ``x`` along the axis, which comes first."""
    return lower_moveaxis(take_along_axis(t, argsort(x, axis=axis), axis=axis), axis, 0)


def _jvp_x(t: Value, y: Value, x: Value, q: Value, *, axis: int, scale: int) -> Value:
    at = _neighbours(x, q, axis, scale)
    line = _sorted_first(t, x, axis)
    return index_of(line, at.low) * (1.0 - at.weight) + index_of(line, at.high) * at.weight


def _vjp_x(g: Value, y: Value, x: Value, q: Value, *, axis: int, scale: int) -> Value:
    at = _neighbours(x, q, axis, scale)
    line = zeros_of(lower_moveaxis(x, axis, 0))
    line = index_add_of(line, g * (1.0 - at.weight), at.low)
    line = index_add_of(line, g * at.weight, at.high)
    rank = argsort(argsort(x, axis=axis), axis=axis)
    shares = take_along_axis(lower_moveaxis(line, 0, axis), rank, axis=axis)
    return unbroadcast_to(shares, x)


def _slope(y: Value, x: Value, q: Value, axis: int, scale: int) -> Value:
    at = _neighbours(x, q, axis, scale)
    line = _sorted_first(x, x, axis)
    rise = index_of(line, at.high) - index_of(line, at.low)
    return multiply(rise, at.last / (scale * 1.0))


def _jvp_q(t: Value, y: Value, x: Value, q: Value, *, axis: int, scale: int) -> Value:
    extra = array_type(x).rank - 1
    spread = index_of(t, (Ellipsis, *(None,) * extra)) if array_type(t).shape and extra else t
    return spread * _slope(y, x, q, axis, scale)


def _vjp_q(g: Value, y: Value, x: Value, q: Value, *, axis: int, scale: int) -> Value:
    product = g * _slope(y, x, q, axis, scale)
    rank = array_type(q).rank
    others = tuple(range(rank, array_type(product).rank))
    total = sum(product, axis=others, keepdims=False) if others else product
    return unbroadcast_to(total, q)


quantile = Operation.of_arrays(
    "quantile",
    _infer,
    _evaluate,
    raises=True,
    cost="heavy",
    vjp={0: _vjp_x, 1: _vjp_q},
    jvp={0: _jvp_x, 1: _jvp_q},
    spelling=_spell,
    example="np.quantile(x, a, axis=0)",
    documentation="Points at given fractions of the sorted elements, between neighbours.",
)


def _lower(scale: int) -> Any:
    def lowering(
        a: Any,
        q: Any,
        axis: Any = None,
        method: Any = "linear",
        keepdims: Any = False,
        *,
        weights: Any = None,
    ) -> Any:
        along_several = isinstance(static(axis), tuple | list)
        if static(method) != "linear" or static(keepdims) or along_several or weights is not None:
            return NotImplemented
        x, fractions = array_of(a), array_of(q)
        if static(axis) is None:
            x, along = lower_ravel(x), 0
        else:
            along = axis_of(axis, array_type(x).rank)
        return quantile(x, fractions, axis=along, scale=scale)

    return lowering


lowers(np.quantile)(_lower(1))
lowers(np.percentile)(_lower(100))
