"""Products of arrays: ``matmul``, ``dot``, ``outer``, ``tensordot`` and what is made of them.

All are linear in each operand. Cotangents pair as Re Σ conj(a)·b: a rule conjugates the other one.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.graph import OPERATORS, Node, Value
from symdiff.ir.types import ArrayType, Dim, least
from symdiff.ops import patterns, support
from symdiff.ops.arithmetic import multiply
from symdiff.ops.batching import Lanes, NoBatchRule, pointwise
from symdiff.ops.casts import as_dtype_of, conjugated, number_or_array, result_dtype
from symdiff.ops.creation import eye
from symdiff.ops.declare import (
    EVALUATED,
    FUNCTIONS,
    Lowering,
    Operation,
    Rule,
    array_type,
    broadcast_shapes,
    call,
    infix,
    lowers,
    static,
    static_integer,
    supporting_call,
    ufunc_dtypes,
)
from symdiff.ops.flops import of_axes_summed, of_product
from symdiff.ops.joining import diagonal
from symdiff.ops.reduce import count_of, fitted_to, sum, unbroadcast_to
from symdiff.ops.shape import reshape, transpose
from symdiff.ops.sizes import dim_of, product, product_dim, size, sizes_of
from symdiff.ops.ufuncs import cast, computed_in, dtype_of, staged, strong

# Transposes and axes of length 1 ----------------------------------------------------------------


def swapped(x: Value) -> Value:
    """``x`` with its last two axes exchanged."""
    rank = array_type(x).rank
    axes = (*range(rank - 2), rank - 1, rank - 2)
    return transpose(x, axes=axes)


def adjoint(x: Value) -> Value:
    """The conjugate transpose of matrices."""
    return conjugated(swapped(x))


def as_column(x: Value) -> Value:
    """``x[..., None]``."""
    shape = array_type(x).shape
    return reshape(x, *sizes_of(x), 1, shape=(*shape, 1))


def as_row(x: Value) -> Value:
    """``x[..., None, :]``."""
    shape, sizes = array_type(x).shape, sizes_of(x)
    return reshape(x, *sizes[:-1], 1, sizes[-1], shape=(*shape[:-1], 1, shape[-1]))


def without_last(x: Value) -> Value:
    """``x[..., 0]`` of an ``x`` whose last axis has length 1."""
    shape, sizes = array_type(x).shape, sizes_of(x)
    return reshape(x, *sizes[:-1], shape=shape[:-1])


# matmul -----------------------------------------------------------------------------------------


def _matmul_shape(a: tuple[Dim, ...], b: tuple[Dim, ...]) -> tuple[Dim, ...]:
    if not a or not b:
        raise rejection(ValueError, "matmul: Input operand does not have enough dimensions")
    inner = a[-1], b[-1] if len(b) == 1 else b[-2]
    if all(isinstance(dim, int) for dim in inner) and inner[0] != inner[1]:
        raise rejection(
            ValueError, "matmul: Input operands have a mismatch in their core dimension"
        )
    rows = a[-2:-1]
    columns = b[-1:] if len(b) > 1 else ()
    return (*broadcast_shapes(a[:-2], b[:-2]), *rows, *columns)


def _inner_agree(node: Node) -> bool:
    """Return whether the axes summed over are known to be of one length, and stacks to fit."""
    a, b = (array_type(v).shape for v in node.operands)
    stacks = broadcast_shapes(a[:-2], b[:-2])
    fit = all(s == stacks[len(stacks) - len(s) :] for s in (a[:-2], b[:-2]) if s)
    return fit and a[-1] == (b[-1] if len(b) == 1 else b[-2])


def _contracted_agree(node: Node) -> bool:
    (first, second), axes = (array_type(v).shape for v in node.operands), node.attributes["axes"]
    return all(first[i] == second[j] for i, j in zip(*axes, strict=True))


def _same_length(node: Node) -> bool:
    a, b = node.operands
    return array_type(a).shape == array_type(b).shape


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
    return _unstacked(product, a)


def _matmul_vjp_second(g: Value, y: Value, a: Value, b: Value) -> Value:
    rank_a, rank_b = array_type(a).rank, array_type(b).rank
    if rank_a > 2 and rank_b < 3:  # shared by all: one product that sums over the stack, too
        return unbroadcast_to(adjoint(rows_of(a, 1)) @ rows_of(g, rank_b - 1), b)
    if rank_a == 1:
        a = conjugated(a)
        product = g * a if rank_b == 1 else outer(a, g) if rank_b == 2 else as_column(a) * as_row(g)
    elif rank_b == 1:
        a = adjoint(a)
        product = a @ g if rank_a == 2 else without_last(a @ as_column(g))
    else:
        product = adjoint(a) @ g
    return _unstacked(product, b)


def _unstacked(product: Value, x: Value) -> Value:
    """A cotangent of an operand, summed over stacks; the axes of vectors and matrices have been
    found to fit.
    """
    is_same = array_type(product).rank == array_type(x).rank <= 2
    return fitted_to(product, x) if is_same else unbroadcast_to(product, x)


def rows_of(x: Value, kept: int) -> Value:
    """``x`` with all axes but the last few as one."""
    shape, sizes = array_type(x).shape, sizes_of(x)
    front = len(shape) - kept
    count = -1 if all(map(least, shape[front:])) else product(sizes[:front])
    made = (product_dim(shape[:front]), *shape[front:])
    return reshape(x, count, *sizes[front:], shape=made)


def _batch_matmul(b: Lanes, op: Any, x: Value, y: Value) -> Value:
    """Rows of one product where one of the operands is the same in each lane, else stacks."""
    (rank_x, rank_y), (left, right) = (t.rank for t in b.types), b.has
    if not right and (rank_x > 1 or rank_y < 3):
        return matmul(x, y)
    if not left and rank_y == 1 and rank_x < 3:
        return matmul(y, swapped(x) if rank_x == 2 else x)
    if not left and rank_y > 1 and rank_x < 3:
        return matmul(x, y)
    return _stacks_multiplied(b, x, y)


def _stacks_multiplied(b: Lanes, x: Value, y: Value) -> Value:
    """Vectors become rows and columns, whose axis of length 1 goes from the result."""
    (rank_x, rank_y), (left, right) = (t.rank for t in b.types), b.has
    x = as_row(x) if rank_x == 1 else x
    y = as_column(y) if rank_y == 1 else y
    most = builtins.max(rank_x, rank_y, 2)
    if left:
        x = b.unit_axes(x, *range(1, 1 + most - builtins.max(rank_x, 2)))
    if right:
        y = b.unit_axes(y, *range(1, 1 + most - builtins.max(rank_y, 2)))
    made = matmul(x, y)
    gone = [most] * (rank_y == 1) + [most - 1] * (rank_x == 1)
    return b.without(made, *gone) if gone else made


matmul: Operation = Operation.of_arrays(
    "matmul",
    lambda a, b: number_or_array(
        ufunc_dtypes(np.matmul, (a, b))[0], _matmul_shape(a.shape, b.shape)
    ),
    np.matmul,
    arithmetic=True,
    raises=True,
    harmless=_inner_agree,
    cost="heavy",
    spelling=infix(ast.MatMult),
    vjp={0: _matmul_vjp_first, 1: _matmul_vjp_second},
    linear="each",
    sympy=EVALUATED,
    order="packed",
    example="np.matmul(X, Y)",
    flops=of_product,
    batch=_batch_matmul,
    pattern=patterns.product,
    documentation="Matrix product, over leading axes by broadcasting.",
)

# outer ------------------------------------------------------------------------------------------


def _infer_outer(a: ArrayType, b: ArrayType) -> ArrayType:
    if a.rank != 1 or b.rank != 1:
        raise rejection(TypeError, "outer of what is not a vector")
    return ArrayType(ufunc_dtypes(np.multiply, (a, b))[0], (*a.shape, *b.shape))


def _batch_outer(b: Lanes, op: Any, x: Value, y: Value) -> Value:
    return multiply(as_column(x), as_row(y))


def _pattern_outer(e: patterns.Elements, op: Any) -> np.ndarray:
    a, b = e.ids
    return e.united(a[:, None], b)


outer: Operation = Operation.of_arrays(
    "outer",
    _infer_outer,
    np.outer,
    arithmetic=True,
    vjp={
        0: lambda g, y, a, b: unbroadcast_to(g @ conjugated(b), a),
        1: lambda g, y, a, b: unbroadcast_to(conjugated(a) @ g, b),
    },
    linear="each",
    sympy=EVALUATED,
    order="packed",
    example="np.outer(x, t)",
    batch=_batch_outer,
    pattern=_pattern_outer,
    documentation="All products of the elements of two vectors.",
)

# dot, vdot --------------------------------------------------------------------------------------


def _infer_dot(a: ArrayType, b: ArrayType) -> ArrayType:
    if _like_matmul(a.rank, b.rank):
        shape = _matmul_shape(a.shape, b.shape)
    else:
        shape = (*a.shape[:-1], *b.shape[:-2], b.shape[-1])
    return number_or_array(result_dtype(a, b), shape)


def _like_matmul(rank_a: int, rank_b: int) -> bool:
    return rank_b <= 2 or rank_a == 1


def _dot_rule(rule: Rule, position: int) -> Rule:
    """The rule of ``matmul`` where both mean the same, else that of ``tensordot``."""

    def choose(g: Value, y: Value, a: Value, b: Value) -> Any:
        if _like_matmul(array_type(a).rank, array_type(b).rank):
            return rule(g, y, a, b)
        axes = ((array_type(a).rank - 1,), (array_type(b).rank - 2,))
        return _tensordot_vjp(position, g, y, a, b, axes=axes)

    return choose


def _batch_dot(b: Lanes, op: Any, x: Value, y: Value) -> Value:
    if not _like_matmul(*(t.rank for t in b.types)):
        raise NoBatchRule
    return _batch_matmul(b, matmul, x, y)


def _pattern_dot(e: patterns.Elements, op: Any) -> np.ndarray:
    a, b = e.ids
    rows = e.united_along(a)
    columns = e.united_along(b if b.ndim == 1 else np.swapaxes(b, -1, -2))
    return e.united(rows[(..., *[None] * columns.ndim)], columns)


dot: Operation = Operation.of_arrays(
    "dot",
    _infer_dot,
    np.dot,
    arithmetic=True,
    raises=True,
    harmless=_inner_agree,
    cost="heavy",
    vjp={0: _dot_rule(_matmul_vjp_first, 0), 1: _dot_rule(_matmul_vjp_second, 1)},
    linear="each",
    sympy=EVALUATED,
    example="np.dot(X, Y)",
    flops=of_product,
    batch=_batch_dot,
    pattern=_pattern_dot,
    documentation="``np.dot``: like ``matmul`` up to matrices, all pairs of rows beyond.",
)


dot_with_number: Operation = Operation.of_arrays(
    "dot_with_number",
    lambda a, b: ArrayType(result_dtype(a, b), a.shape or b.shape),
    np.dot,
    vjp={
        0: lambda g, y, a, b: unbroadcast_to(as_dtype_of(g * conjugated(b), a), a),
        1: lambda g, y, a, b: unbroadcast_to(as_dtype_of(g * conjugated(a), b), b),
    },
    jvp={0: lambda t, y, a, b: t * b, 1: lambda t, y, a, b: a * t},
    sympy=EVALUATED,
    example="np.dot(x, s)",
    pattern=patterns.pointwise,
    documentation="``np.dot`` of an array and a number, which rounds otherwise than ``*``.",
)


def _batch_vdot(b: Lanes, op: Any, x: Value, y: Value) -> Value:
    return _batch_matmul(b, matmul, conjugated(x), y)


vdot: Operation = Operation.of_arrays(
    "vdot",
    lambda a, b: number_or_array(result_dtype(a, b), ()),
    np.vdot,
    arithmetic=True,
    raises=True,
    harmless=_same_length,
    cost="heavy",
    vjp={
        0: lambda g, y, a, b: unbroadcast_to(conjugated(g) * b, a),
        1: lambda g, y, a, b: unbroadcast_to(g * a, b),
    },
    linear="each",
    sympy=EVALUATED,
    example="np.vdot(x, w)",
    flops=of_product,
    batch=_batch_vdot,
    documentation="Scalar product of two vectors, the first one conjugated.",
)

# tensordot --------------------------------------------------------------------------------------

AxisPairs = tuple[tuple[int, ...], tuple[int, ...]]


def _free_axes(rank: int, contracted: Sequence[int]) -> tuple[int, ...]:
    return tuple(k for k in range(rank) if k not in contracted)


def _infer_tensordot(a: ArrayType, b: ArrayType, *, axes: AxisPairs) -> ArrayType:
    kept = [a.shape[k] for k in _free_axes(a.rank, axes[0])]
    kept += [b.shape[k] for k in _free_axes(b.rank, axes[1])]
    return ArrayType(result_dtype(a, b), tuple(kept))


def _tensordot_vjp(
    position: int, g: Value, y: Value, a: Value, b: Value, *, axes: AxisPairs
) -> Value:
    """Contract the cotangent with the other operand over the axes that the other one brought in."""
    mine, theirs = axes[position], axes[1 - position]
    x, other = ((a, b), (b, a))[position]
    free = _free_axes(array_type(x).rank, mine)
    other_free = _free_axes(array_type(other).rank, theirs)
    paired = tuple(mine[theirs.index(k)] for k in sorted(theirs))
    if position == 0:
        places = tuple(range(len(free), len(free) + len(other_free)))
        product = tensordot(g, conjugated(other), axes=(places, other_free))
        order = (*free, *paired)
    else:
        places = tuple(range(len(other_free)))
        product = tensordot(conjugated(other), g, axes=(other_free, places))
        order = (*paired, *free)
    if order != tuple(sorted(order)):
        product = transpose(product, axes=tuple(order.index(k) for k in range(len(order))))
    return unbroadcast_to(product, x)


def _batch_tensordot(b: Lanes, op: Any, x: Value, y: Value, *, axes: AxisPairs) -> Value:
    (first, second), (left, right) = axes, b.has
    if left and right:
        raise NoBatchRule
    if left:
        return tensordot(x, y, axes=(tuple(k + 1 for k in first), second))
    made = tensordot(x, y, axes=(first, tuple(k + 1 for k in second)))
    return b.moved(made, b.types[0].rank - len(first))


tensordot: Operation = Operation.of_arrays(
    "tensordot",
    _infer_tensordot,
    np.tensordot,
    arithmetic=True,
    raises=True,
    harmless=_contracted_agree,
    cost="heavy",
    spelling=call("np.tensordot"),
    vjp=_tensordot_vjp,
    linear="each",
    sympy=EVALUATED,
    example="np.tensordot(X, Y, 1)",
    flops=of_axes_summed,
    batch=_batch_tensordot,
    documentation="Sum of products over pairs of axes.",
)

# trace, cross -----------------------------------------------------------------------------------


def _trace_vjp(g: Value, y: Value, x: Value, *, offset: int = 0) -> Value:
    type_ = array_type(x)
    ones = eye(*sizes_of(x), k=offset, shape=type_.shape, dtype=type_.dtype)
    return as_dtype_of(g * ones, x)


def _batch_trace(b: Lanes, op: Any, x: Value, *, offset: int = 0) -> Value:
    return sum(diagonal(x, offset=offset), axis=(1,), keepdims=False)


trace: Operation = Operation.of_arrays(
    "trace",
    lambda x, **_: number_or_array(np.trace(np.ones((1, 1), x.dtype)).dtype, ()),
    np.trace,
    arithmetic=True,
    linear=frozenset({0}),
    vjp={0: _trace_vjp},
    sympy=EVALUATED,
    example="np.trace(A)",
    batch=_batch_trace,
    documentation="Sum of a diagonal of a matrix.",
)


def _spell_cross(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """Of two vectors of float64 ours: little of the time of NumPy's call is arithmetic."""
    types = map(array_type, node.operands)
    if all(type_.rank == 1 and type_.dtype == np.float64 for type_ in types):
        return supporting_call(support.cross)(node, operands)
    return call("np.cross")(node, operands)


cross: Operation = Operation.of_arrays(
    "cross",
    lambda a, b: ArrayType(result_dtype(a, b), broadcast_shapes(a.shape, b.shape)),
    np.cross,
    arithmetic=True,
    raises=True,
    harmless=_same_length,
    vjp={
        0: lambda g, y, a, b: unbroadcast_to(cross(conjugated(b), g), a),
        1: lambda g, y, a, b: unbroadcast_to(cross(g, conjugated(a)), b),
    },
    linear="each",
    spelling=_spell_cross,
    sympy=EVALUATED,
    example="np.cross(x3, w3)",
    batch=pointwise,
    documentation="Vector product along the last axis, of length 3.",
)

OPERATORS.update(matmul=matmul)

# Lowerings --------------------------------------------------------------------------------------


@lowers(np.matmul)
def _matmul(x1: Any, x2: Any, *, dtype: Any = None) -> Value:
    a, b = computed_in(np.matmul, [staged(x1), staged(x2)], dtype)
    return matmul(a, b)


@lowers(np.dot, method="dot")
def _dot(a: Any, b: Any) -> Value:
    a, b = strong(a), strong(b)
    if not array_type(a).rank or not array_type(b).rank:
        return _with_number(a, b)
    return dot(a, b)


def _with_number(a: Value, b: Value) -> Value:
    """``np.dot`` of operands of which one has rank 0: BLAS adds what it multiplies to zeros."""
    types = array_type(a), array_type(b)
    by_blas = result_dtype(*types).char in "fdFD" and types[0].rank != types[1].rank
    return (dot_with_number if by_blas else multiply)(a, b)


lowers(np.vdot)(lambda a, b: vdot(_flat(staged(a)), _flat(staged(b))))


@lowers(np.inner)
def _inner(a: Any, b: Any) -> Value:
    """As NumPy does it: ``dot`` with the second operand's last two axes exchanged."""
    a, b = strong(a), strong(b)
    if not array_type(a).rank or not array_type(b).rank:
        return _with_number(a, b)
    return dot(a, b if array_type(b).rank == 1 else swapped(b))


@lowers(np.linalg.outer)
def _outer_of_vectors(x1: Any, x2: Any, /) -> Value:
    a, b = staged(x1), staged(x2)
    if (array_type(a).rank, array_type(b).rank) != (1, 1):
        raise rejection(ValueError, "Input arrays must be one-dimensional")
    return outer(a, b)


lowers(np.outer)(lambda a, b: outer(_flat(staged(a)), _flat(staged(b))))


def _flat(x: Value) -> Value:
    """``x`` as a vector."""
    if array_type(x).rank == 1:
        return x
    if not array_type(x).shape:
        return reshape(x, 1, shape=(1,))
    count = count_of(x, None)
    return reshape(x, count, shape=(dim_of(count),))


@lowers(np.tensordot, np.linalg.tensordot)
def _tensordot(a: Any, b: Any, axes: Any = 2) -> Value:
    a, b = staged(a), staged(b)
    rank_a, rank_b = array_type(a).rank, array_type(b).rank
    axes = static(axes)
    if isinstance(axes, int):
        axes = (tuple(range(rank_a - axes, rank_a)), tuple(range(axes)))
    first, second = (_axis_tuple(side) for side in axes)
    if len(first) != len(second):
        raise rejection(ValueError, "shape-mismatch for sum")
    pairs = tuple(k % rank_a for k in first), tuple(k % rank_b for k in second)
    return tensordot(a, b, axes=pairs)


def _axis_tuple(axes: Any) -> tuple[int, ...]:
    return (axes,) if isinstance(axes, int) else tuple(axes)


@lowers(np.trace, method="trace")
def _trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Value:
    x = cast(staged(a), dtype_of(dtype))
    if array_type(x).rank == 2 and {static(axis1) % 2, static(axis2) % 2} == {0, 1}:
        k = static_integer(offset)
        return trace(x, offset=k if static(axis1) % 2 == 0 else -k)
    diagonals = FUNCTIONS[np.diagonal](x, offset, axis1, axis2)
    last = array_type(diagonals).rank - 1
    return sum(diagonals, axis=(last,), keepdims=False)


@lowers(np.cross, np.linalg.cross)
def _cross(
    a: Any,
    b: Any,
    axisa: Any = -1,
    axisb: Any = -1,
    axisc: Any = -1,
    axis: Any = None,
) -> Any:
    a, b = staged(a), staged(b)
    if not (array_type(a).rank and array_type(b).rank):
        raise UnsupportedCallError(
            "numpy.cross of a number, of which NumPy raises an error", hint="give it vectors of 3"
        )
    last = {-1, array_type(a).rank - 1} & {-1, array_type(b).rank - 1}
    if any(static(k) not in last for k in (axisa, axisb, axisc)) or static(axis) not in (None, -1):
        return NotImplemented
    if {_static_length(a), _static_length(b)} != {3}:
        raise UnsupportedCallError(
            "numpy.cross of vectors that are not of length 3", hint="append a zero to each"
        )
    return cross(a, b)


def _static_length(x: Value) -> Any:
    """The length of the last axis, asked to be fixed: vectors of two give another type."""
    axis = array_type(x).rank - 1
    length = array_type(x).shape[axis]
    return length if isinstance(length, int) else static(size(x, axis=axis))


@lowers(np.kron)
def _kron(a: Any, b: Any) -> Value:
    """The products of all pairs of elements, then their axes joined pair by pair."""
    a, b = staged(a), staged(b)
    rank = builtins.max(array_type(a).rank, array_type(b).rank)
    left, right = _padded_axes(a, rank), _padded_axes(b, rank)
    product = multiply(
        _interleaved([(axis, (1, 1)) for axis in left], a),
        _interleaved([((1, 1), axis) for axis in right], b),
    )
    sizes = [_times(n, m) for (n, _), (m, _) in zip(left, right, strict=True)]
    shape = tuple(dim_of(n) for n in sizes)
    return reshape(product, *sizes, shape=shape)


def _padded_axes(x: Value, rank: int) -> list[tuple[Any, Dim]]:
    missing = rank - array_type(x).rank
    return [(1, 1)] * missing + list(zip(sizes_of(x), array_type(x).shape, strict=True))


def _interleaved(pairs: list[tuple[tuple[Any, Dim], tuple[Any, Dim]]], x: Value) -> Value:
    axes = [axis for pair in pairs for axis in pair]
    return reshape(x, *(n for n, _ in axes), shape=tuple(dim for _, dim in axes))


def _times(n: Any, m: Any) -> Any:
    if isinstance(n, int) and n == 1:
        return m
    return n if isinstance(m, int) and m == 1 else n * m


def _lower_outer(function: np.ufunc) -> Lowering:
    """The ``outer`` method of a ufunc: all pairs of elements."""

    def lowering(A: Any, B: Any, *, dtype: Any = None) -> Value:
        a, b = strong(A), strong(B)
        ones = (1,) * array_type(b).rank
        shape = (*array_type(a).shape, *ones)
        column = reshape(a, *sizes_of(a), *ones, shape=shape)
        return FUNCTIONS[function](column, b, dtype=dtype)  # type: ignore[no-any-return]

    return lowering


for _function in [f for f in FUNCTIONS if isinstance(f, np.ufunc) and f.nin == 2]:
    if _function.signature is None:
        lowers(_function.outer)(_lower_outer(_function))
