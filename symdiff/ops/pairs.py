"""Complex numbers as the pairs of numbers that they are in memory: ``z.view(float)``, whose last
axis is twice as long, and ``x.view(complex)``, whose is half as long.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Dim
from symdiff.ops.casts import imag, real
from symdiff.ops.declare import Operation, array_type, lowers, static, template
from symdiff.ops.flops import nothing
from symdiff.ops.index import index_of, index_set_of
from symdiff.ops.parts import with_imag, with_real
from symdiff.ops.shape import contiguous
from symdiff.ops.sizes import product_dim, quotient_dim

_OF_RANK_0 = "Changing the dtype of a 0d array is only supported if the itemsize is unchanged"
_ODD = (
    "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the"
    " last axis of the array."
)
_EVERY_OTHER = tuple((Ellipsis, slice(start, None, 2)) for start in (0, 1))


def _infer(x: ArrayType, *, dtype: np.dtype) -> ArrayType:
    if not x.shape:
        raise rejection(ValueError, _OF_RANK_0)
    *others, last = x.shape
    return ArrayType(dtype, (*others, _length(last, dtype)))


def _length(last: Dim, dtype: np.dtype) -> Dim:
    if dtype.kind != "c":
        return product_dim((last, 2))
    if isinstance(last, int) and last % 2:
        raise rejection(ValueError, _ODD)
    return quotient_dim((last,), (2,))


def _seen(x: Value, dtype: np.dtype) -> Value:
    """A view of what need not have its last axis without gaps, as NumPy wants it."""
    return view(contiguous(x, order="C"), dtype=dtype)


def _spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    return template(f"{{0}}.view(np.{node.attributes['dtype']})")(node, operands)


view: Operation = Operation.of_arrays(
    "view",
    _infer,
    lambda x, *, dtype: x.view(dtype),
    raises=True,
    cost="free",
    view=0,
    spelling=_spell,
    vjp={0: lambda g, y, x, *, dtype: _seen(g, array_type(x).dtype)},
    jvp={0: lambda t, y, x, *, dtype: _seen(t, dtype)},
    example="view(z, dtype=np.dtype('float64'))",
    flops=nothing,
    documentation="Complex numbers as pairs of reals along the last axis, or such pairs as them.",
)


def _put(node: Node, base: Value, new: Value) -> Value:
    """The base after a write to the view, lying in memory as it lay."""
    first, second = _EVERY_OTHER
    type_ = array_type(base)
    if type_.rank == 1:
        return _seen(new, type_.dtype)
    if type_.dtype.kind == "c":
        return with_imag(with_real(base, index_of(new, first)), index_of(new, second))
    return index_set_of(index_set_of(base, real(new), first), imag(new), second)


view.put = _put


@lowers(method="view")
def lower_view(a: Value, dtype: Any = None, type: Any = None) -> Value:
    own, wanted = array_type(a).dtype, [static(dtype), static(type)]
    for kind in wanted:
        if isinstance(kind, builtins.type) and issubclass(kind, np.ndarray):
            if kind is not np.ndarray:
                raise rejection(TypeError, f"it is to be a {kind.__name__}")
        elif kind is not None and np.dtype(kind) != own:
            return _of_other_dtype(a, np.dtype(kind))
    return a if array_type(a).kind == "scalar" else index_of(a, (Ellipsis,))


def _of_other_dtype(a: Value, dtype: np.dtype) -> Value:
    own = array_type(a).dtype
    pair = {own.kind, dtype.kind} == {"f", "c"} and own.isnative
    if not pair or np.empty(0, own).real.dtype != np.empty(0, dtype).real.dtype:
        raise UnsupportedCallError(
            f"a view of {own} as {dtype}", hint="convert the values: x.astype(...)"
        )
    return view(a, dtype=dtype)
