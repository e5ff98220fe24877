"""Products of arrays: ``matmul``, ``dot``, ``outer``, ``einsum`` and what NumPy writes with them.

All are linear in each operand. Cotangents pair as Re Σ conj(a)·b: a rule conjugates the other one.
"""

from __future__ import annotations

import ast

import numpy as np

from symdiff.ir.graph import OPERATORS, Value
from symdiff.ir.types import ArrayType, Dim, Type
from symdiff.ops.declare import (
    Operation,
    array_type,
    broadcast_shapes,
    call,
    declare,
    infix,
    require_array,
    ufunc_dtypes,
)
from symdiff.ops.elementary import conjugated, number_or_array
from symdiff.ops.reduce import unbroadcast_to
from symdiff.ops.shape import reshape, transpose
from symdiff.ops.sizes import sizes_of

# Transposes and axes of length 1 ----------------------------------------------------------------


def swapped(x: Value) -> Value:
    """``x`` with its last two axes exchanged."""
    rank = array_type(x).rank
    axes = (*range(rank - 2), rank - 1, rank - 2)
    return transpose(x, axes=axes)  # type: ignore[no-any-return]


def adjoint(x: Value) -> Value:
    """The conjugate transpose of matrices."""
    return conjugated(swapped(x))


def as_column(x: Value) -> Value:
    """``x[..., None]``."""
    shape = array_type(x).shape
    return reshape(x, *sizes_of(x), 1, shape=(*shape, 1))  # type: ignore[no-any-return]


def as_row(x: Value) -> Value:
    """``x[..., None, :]``."""
    shape, sizes = array_type(x).shape, sizes_of(x)
    return reshape(  # type: ignore[no-any-return]
        x, *sizes[:-1], 1, sizes[-1], shape=(*shape[:-1], 1, shape[-1])
    )


def without_last(x: Value) -> Value:
    """``x[..., 0]`` of an ``x`` whose last axis has length 1."""
    shape, sizes = array_type(x).shape, sizes_of(x)
    return reshape(x, *sizes[:-1], shape=shape[:-1])  # type: ignore[no-any-return]


# matmul -----------------------------------------------------------------------------------------


def _product_dtype(a: ArrayType, b: ArrayType) -> np.dtype:
    return ufunc_dtypes(np.matmul, (a, b))[0]


def _matmul_shape(a: tuple[Dim, ...], b: tuple[Dim, ...]) -> tuple[Dim, ...]:
    if not a or not b:
        raise ValueError("matmul: Input operand does not have enough dimensions")
    inner = a[-1], b[-1] if len(b) == 1 else b[-2]
    if all(isinstance(dim, int) for dim in inner) and inner[0] != inner[1]:
        raise ValueError("matmul: Input operands have a mismatch in their core dimension")
    rows = a[-2:-1]
    columns = b[-1:] if len(b) > 1 else ()
    return (*broadcast_shapes(a[:-2], b[:-2]), *rows, *columns)


def _infer_matmul(a: Type, b: Type) -> tuple[Type, ...]:
    first, second = require_array(a, "matmul"), require_array(b, "matmul")
    shape = _matmul_shape(first.shape, second.shape)
    return (number_or_array(_product_dtype(first, second), shape),)


def _matmul_vjp_first(g: Value, y: Value, a: Value, b: Value) -> Value:
    rank_a, rank_b = array_type(a).rank, array_type(b).rank
    if rank_b == 1:
        b = conjugated(b)
        product = g * b if rank_a == 1 else outer(g, b) if rank_a == 2 else as_column(g) * b
    elif rank_a == 1:
        b = conjugated(b)
        product = b @ g if rank_b == 2 else without_last(b @ as_column(g))
    else:
        product = g @ adjoint(b)
    return unbroadcast_to(product, a)


def _matmul_vjp_second(g: Value, y: Value, a: Value, b: Value) -> Value:
    rank_a, rank_b = array_type(a).rank, array_type(b).rank
    if rank_a == 1:
        a = conjugated(a)
        product = g * a if rank_b == 1 else outer(a, g) if rank_b == 2 else as_column(a) * as_row(g)
    elif rank_b == 1:
        a = adjoint(a)
        product = a @ g if rank_a == 2 else without_last(a @ as_column(g))
    else:
        product = adjoint(a) @ g
    return unbroadcast_to(product, b)


matmul: Operation = declare(
    Operation(
        "matmul",
        _infer_matmul,
        np.matmul,
        raises=True,
        cost="heavy",
        spelling=infix(ast.MatMult, "matmul"),
        vjp={0: _matmul_vjp_first, 1: _matmul_vjp_second},
        jvp={0: lambda t, y, a, b: t @ b, 1: lambda t, y, a, b: a @ t},
        sympy=lambda sp, a, b: a @ b,
        documentation="Matrix product, over leading axes by broadcasting.",
    ),
    2,
)

# outer ------------------------------------------------------------------------------------------


def _infer_outer(a: Type, b: Type) -> tuple[Type, ...]:
    first, second = require_array(a, "outer"), require_array(b, "outer")
    if first.rank != 1 or second.rank != 1:
        raise TypeError("outer of what is not a vector")
    dtype = ufunc_dtypes(np.multiply, (first, second))[0]
    return (ArrayType(dtype, (*first.shape, *second.shape)),)


outer: Operation = declare(
    Operation(
        "outer",
        _infer_outer,
        np.outer,
        spelling=call("np.outer"),
        vjp={
            0: lambda g, y, a, b: unbroadcast_to(g @ conjugated(b), a),
            1: lambda g, y, a, b: unbroadcast_to(conjugated(a) @ g, b),
        },
        jvp={0: lambda t, y, a, b: outer(t, b), 1: lambda t, y, a, b: outer(a, t)},
        documentation="All products of the elements of two vectors.",
    ),
    2,
)

OPERATORS.update(matmul=matmul)
