"""``np.lib.stride_tricks.sliding_window_view``: views in which neighbours stand side by side."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops import patterns, support
from symdiff.ops.arithmetic import subtract
from symdiff.ops.arrays import array_of
from symdiff.ops.batching import Lanes
from symdiff.ops.declare import (
    EVALUATED,
    Operation,
    array_type,
    dotted,
    literal,
    lowers,
    static,
    supporting,
)
from symdiff.ops.reduce import axis_of
from symdiff.ops.shape import moving
from symdiff.ops.sizes import constant_integer, dim_of, sizes_of

sliding_window_view = np.lib.stride_tricks.sliding_window_view


def _evaluate(x: Any, width: Any, *, axis: int, shape: Any) -> Any:
    return sliding_window_view(x, width, axis)


def _spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    arguments = [*operands, literal(node.attributes["axis"])]
    return ast.Call(dotted("np.lib.stride_tricks.sliding_window_view"), arguments, [])


def _spell_added(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    axis = literal(node.attributes["axis"])
    return ast.Call(supporting(support.added_windows), [*operands, axis], [])


def _pattern_added(e: patterns.Elements, op: Any, *, axis: int, shape: Any) -> np.ndarray:
    (ids,) = e.ids
    whole = support.added_windows(np.zeros(ids.shape, np.int64), axis)
    places = np.arange(whole.size).reshape(whole.shape)
    among = sliding_window_view(places, ids.shape[-1], axis)
    return e.gathered(ids, among, whole.size).reshape(whole.shape)


def _batch_windows(b: Lanes, op: Any, x: Value, width: Value, *, axis: int, shape: Any) -> Value:
    b.only(0)
    return windows(x, width, axis=axis + 1, shape=(b.dim, *shape))


windows = moving(
    "sliding_windows",
    lambda x, width, *, axis, shape: ArrayType(x.dtype, shape),
    _evaluate,
    lambda g, y, x, width, *, axis, shape: added(g, axis=axis, shape=array_type(x).shape),
    nondifferentiable=frozenset({1}),
    raises=True,
    cost="free",
    view=0,
    read_only=lambda node: True,
    spelling=_spell,
    jax="_sliding_window_view",
    example="np.lib.stride_tricks.sliding_window_view(x, 2)",
    batch=_batch_windows,
    documentation="A read-only view of all stretches of a width along an axis, on a last axis.",
)
added: Operation = Operation.of_arrays(
    "added_windows",
    lambda x, *, axis, shape: ArrayType(x.dtype, shape),
    lambda x, *, axis, shape: support.added_windows(x, axis),
    arithmetic=True,
    linear=frozenset({0}),
    vjp={
        0: lambda g, y, x, *, axis, shape: windows(
            g, sizes_of(x)[-1], axis=axis, shape=array_type(x).shape
        )
    },
    sympy=EVALUATED,
    spelling=_spell_added,
    jax="_added_windows",
    order="packed",
    example="added_windows(X, axis=0, shape=(4,))",
    batch=lambda b, op, x, *, axis, shape: op(x, axis=axis + 1, shape=(b.dim, *shape)),
    pattern=_pattern_added,
    documentation="What stands in windows along an axis, added where they overlap.",
)


@lowers(sliding_window_view)
def lower_sliding_window_view(
    x: Any,
    window_shape: Any,
    axis: Any = None,
    *,
    subok: Any = False,
    writeable: Any = False,
) -> Value:
    """The windows of one axis after another."""
    if static(writeable):
        raise UnsupportedCallError("windows that may be written", None, "write the array itself")
    made = array_of(x)
    widths = window_shape if isinstance(window_shape, tuple | list) else (window_shape,)
    axes = range(array_type(made).rank) if axis is None else static(axis)
    axes = list(axes) if isinstance(axes, tuple | list | range) else [axes]
    if len(axes) != len(widths):
        raise rejection(ValueError, "Must provide matching length window_shape and axis")
    for width, along in zip(widths, [axis_of(a, array_type(made).rank) for a in axes], strict=True):
        made = _windows(made, width, along)
    return made


def _windows(x: Value, width: Any, axis: int) -> Value:
    dims, length = array_type(x).shape, sizes_of(x)[axis]
    known = constant_integer(width)
    if known is not None and known < 0:
        raise rejection(ValueError, "`window_shape` cannot contain negative values")
    if known is not None and isinstance(length, int) and known > length:
        raise rejection(ValueError, "window shape cannot be larger than input array shape")
    count = subtract(length, subtract(width, 1))
    shape = (*dims[:axis], dim_of(count), *dims[axis + 1 :], dim_of(width))
    return windows(x, width, axis=axis, shape=shape)
