"""``np.lib.stride_tricks.sliding_window_view``: views in which neighbours stand side by side."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import add, subtract
from symdiff.ops.arrange import WHOLE, lower_moveaxis
from symdiff.ops.arrays import array_of
from symdiff.ops.creation import arange_of, zeros_of
from symdiff.ops.declare import array_type, dotted, literal, lowers, static
from symdiff.ops.index import index_add_of, index_of
from symdiff.ops.reduce import axis_of
from symdiff.ops.shape import moving
from symdiff.ops.sizes import constant_integer, dim_of, sizes_of

sliding_window_view = np.lib.stride_tricks.sliding_window_view


def _evaluate(x: Any, width: Any, *, axis: int, shape: Any) -> Any:
    return sliding_window_view(x, width, axis)


def _spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    arguments = [*operands, literal(node.attributes["axis"])]
    return ast.Call(dotted("np.lib.stride_tricks.sliding_window_view"), arguments, [])


def _added_back(g: Value, x: Value, axis: int) -> Value:
    """To each element, what comes from the windows that it is in."""
    sizes = sizes_of(g)
    places = add(index_of(arange_of(sizes[axis]), (WHOLE, None)), arange_of(sizes[-1]))
    beside = lower_moveaxis(g, -1, axis + 1)
    return index_add_of(zeros_of(x), beside, (WHOLE,) * axis + (places,))


windows = moving(
    "sliding_windows",
    lambda x, width, *, axis, shape: ArrayType(x.dtype, shape),
    _evaluate,
    lambda g, y, x, width, *, axis, shape: _added_back(g, x, axis),
    nondifferentiable=frozenset({1}),
    raises=True,
    cost="free",
    view=0,
    read_only=lambda node: True,
    spelling=_spell,
    jax="_sliding_window_view",
    example="np.lib.stride_tricks.sliding_window_view(x, 2)",
    documentation="A read-only view of all stretches of a width along an axis, on a last axis.",
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
