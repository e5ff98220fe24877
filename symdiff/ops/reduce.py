"""Reductions, and their transpose: bringing a cotangent to the shape of what was broadcast.

The attribute ``axis`` of a reduction is a sorted tuple of axes that are not negative, or None for
all: ``normalized_axis`` brings a user's to this form. ``unbroadcast_to(g, x)`` sums ``g`` down to
the shape of ``x``: what is known of the sizes decides; only where open sizes meet is a test left for
the run time.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Dim, Type, may_be_one
from symdiff.ops.declare import (
    Operation,
    Spelling,
    array_type,
    declare,
    dotted,
    literal,
    require_array,
    static,
)
from symdiff.ops.elementary import as_dtype_of, as_scalar, number_or_array
from symdiff.ops.shape import broadcast_to, reshape
from symdiff.ops.sizes import size, sizes_of

Axis = tuple[int, ...] | None

# Axes -------------------------------------------------------------------------------------------


def normalized_axis(axis: Any, rank: int) -> Axis:
    """A user's ``axis`` as a sorted tuple of axes from 0 up, or None for all of them."""
    axis = static(axis)
    if axis is None:
        return None
    axes = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    normal = tuple(sorted(_one_axis(one, rank) for one in axes))
    if len(set(normal)) != len(normal):
        raise ValueError("duplicate value in 'axis'")
    return None if len(normal) == rank else normal


def _one_axis(axis: Any, rank: int) -> int:
    index = int(axis)
    if not -max_(rank, 1) <= index < max_(rank, 1):
        raise np.exceptions.AxisError(index, rank)
    return index % max_(rank, 1)


max_ = builtins.max


def axes_of(axis: Axis, rank: int) -> tuple[int, ...]:
    """The axes reduced over, listed."""
    return tuple(range(rank)) if axis is None else axis


def reduced_shape(shape: tuple[Dim, ...], axis: Axis, keepdims: bool) -> tuple[Dim, ...]:
    """The shape that is left of ``shape``."""
    gone = axes_of(axis, len(shape))
    if keepdims:
        return tuple(1 if k in gone else dim for k, dim in enumerate(shape))
    return tuple(dim for k, dim in enumerate(shape) if k not in gone)


def restored(g: Value, x: Value, axis: Axis, keepdims: bool) -> Value:
    """A reduction's result with its axes of length 1 again, so that it broadcasts against ``x``."""
    rank = array_type(x).rank
    if keepdims or axis is None or not array_type(g).shape:
        return g  # a number broadcasts as it is
    gone = axes_of(axis, rank)
    sizes = iter(sizes_of(g))
    dims = iter(array_type(g).shape)
    kept = [(1, 1) if k in gone else (next(sizes), next(dims)) for k in range(rank)]
    return reshape(  # type: ignore[no-any-return]
        g, *(length for length, _ in kept), shape=tuple(dim for _, dim in kept)
    )


def count_of(x: Value, axis: Axis) -> Any:
    """How many elements of ``x`` go into one of its reduction: a number or an integer value."""
    count: Any = 1
    for k in axes_of(axis, array_type(x).rank):
        dim = array_type(x).shape[k]
        length = dim if isinstance(dim, int) else size(x, axis=k)
        count = length if isinstance(count, int) and count == 1 else count * length
    return count


# sum --------------------------------------------------------------------------------------------


def reduction_type(dtype: Callable[[np.dtype], np.dtype], name: str) -> Callable[..., Any]:
    """The type rule of a reduction, by what it makes of a dtype."""

    def infer(x: Type, *, axis: Axis = None, keepdims: bool = False, **_: Any) -> tuple[Type, ...]:
        type_ = require_array(x, name)
        shape = reduced_shape(type_.shape, axis, keepdims)
        return (number_or_array(dtype(type_.dtype), shape),)

    return infer


def spell_reduction(function: str, **defaults: Any) -> Spelling:
    """``np.sum(x, axis=0, keepdims=True)``, attributes at their defaults left out."""
    defaults = {"axis": None, "keepdims": False, **defaults}

    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        keywords = []
        for name, value in node.attributes.items():
            if name in defaults and value == defaults[name]:
                continue
            if name == "axis" and isinstance(value, tuple) and len(value) == 1:
                value = value[0]
            keywords.append(ast.keyword(name, literal(value)))
        return ast.Call(dotted(function), list(operands), keywords)

    return spell


def _summed_dtype(dtype: np.dtype) -> np.dtype:
    summed: np.dtype = np.sum(np.zeros(0, dtype)).dtype
    return summed


def _sum_vjp(g: Value, y: Value, x: Value, *, axis: Axis = None, keepdims: bool = False) -> Value:
    return as_dtype_of(broadcast_like(restored(g, x, axis, keepdims), x), x)


sum: Operation = declare(
    Operation(
        "sum",
        reduction_type(_summed_dtype, "sum"),
        np.sum,
        spelling=spell_reduction("np.sum"),
        linear=frozenset({0}),
        vjp={0: _sum_vjp},
        documentation="Sum over ``axis``; of integers and bools an int.",
    ),
    1,
)

# Broadcasting and its transpose -----------------------------------------------------------------


def broadcast_like(t: Value, x: Value) -> Value:
    """``t`` broadcast to the shape of ``x``; as it is where that is known to be its shape."""
    shape = array_type(x).shape
    if array_type(t).shape == shape:
        return t
    return broadcast_to(t, *sizes_of(x), shape=shape)  # type: ignore[no-any-return]


def unbroadcast_to(g: Value, x: Value) -> Value:
    """The cotangent of ``x`` broadcast, summed to the shape of ``x`` and cast to its dtype."""
    type_ = array_type(x)
    g = _without_leading(g, type_.rank)
    known, tested = _axes_to_sum(array_type(g).shape, type_.shape)
    if known:
        g = sum(g, axis=known if len(known) < type_.rank else None, keepdims=True)
    if tested:
        g = unbroadcast(g, *sizes_of(x), shape=type_.shape)
    return _as_kind_of(as_dtype_of(g, x), type_)


def _without_leading(g: Value, rank: int) -> Value:
    """Sum over the axes that broadcasting put in front."""
    extra = array_type(g).rank - rank
    if extra <= 0:
        return g
    axis = tuple(range(extra)) if rank else None
    return sum(g, axis=axis, keepdims=False)  # type: ignore[no-any-return]


def _axes_to_sum(g: tuple[Dim, ...], x: tuple[Dim, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Axes that are summed over, and those where only the run time knows."""
    pairs = list(enumerate(zip(g, x, strict=True)))
    known = tuple(k for k, (long, short) in pairs if short == 1 and long != 1)
    tested = tuple(
        k for k, (long, short) in pairs if short != 1 and long != short and may_be_one(short)
    )
    return known, tested


def _as_kind_of(g: Value, type_: ArrayType) -> Value:
    if type_.kind != "array" and array_type(g).kind == "array":
        return as_scalar(g)  # type: ignore[no-any-return]
    return g


def _infer_unbroadcast(g: Type, *sizes: Type, shape: tuple[Dim, ...]) -> tuple[Type, ...]:
    return (ArrayType(require_array(g, "unbroadcast").dtype, shape, "array"),)


def _evaluate_unbroadcast(g: Any, *sizes: int, shape: tuple[Dim, ...]) -> Any:
    axes = tuple(k for k, length in enumerate(sizes) if length == 1)
    return np.sum(g, axis=axes, keepdims=True)


def _spell_unbroadcast(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """``np.sum(g, axis=1, keepdims=True) if n == 1 else g``, a test for each open axis."""
    g = operands[0]
    before = array_type(node.operands[0]).shape
    spelled = g
    for axis in _axes_to_sum(before, node.attributes["shape"])[1]:
        test = ast.Compare(operands[1 + axis], [ast.Eq()], [ast.Constant(1)])
        keywords = [ast.keyword("axis", literal(axis)), ast.keyword("keepdims", literal(True))]
        spelled = ast.IfExp(test, ast.Call(dotted("np.sum"), [spelled], keywords), spelled)
    return spelled


unbroadcast: Operation = declare(
    Operation(
        "unbroadcast",
        _infer_unbroadcast,
        _evaluate_unbroadcast,
        cost="heavy",
        view=0,
        spelling=_spell_unbroadcast,
        linear=frozenset({0}),
        vjp={0: lambda g, y, x, *sizes, shape: broadcast_like(g, x)},
        repeated=frozenset({0}),
        documentation="``g`` summed over the axes where a size is 1, which the run time tests.",
    ),
    1,
)
