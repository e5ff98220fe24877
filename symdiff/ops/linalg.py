"""Linear algebra: ``solve``, ``inv``, ``det``, ``slogdet``, ``cholesky``, ``eigh``.

Rules follow Giles (2008), *Collected matrix derivative results*, in the pairing Re Σ conj(a)·b: a
transpose there is a conjugate transpose here. All work on stacks of matrices.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, real_dtype
from symdiff.ops import patterns, support
from symdiff.ops.arithmetic import absolute, equal, not_equal, where
from symdiff.ops.batching import Lanes, NoBatchRule, stacked
from symdiff.ops.casts import as_dtype_of, conjugated, imag, is_complex, number_or_array, real
from symdiff.ops.creation import eye
from symdiff.ops.declare import (
    FUNCTIONS,
    Operation,
    SeveralResults,
    array_type,
    broadcast_shapes,
    lowers,
    static,
    supporting,
    supporting_call,
)
from symdiff.ops.flops import of_matrix
from symdiff.ops.index import index_set_of
from symdiff.ops.joining import diagonal, tril
from symdiff.ops.meanings import matrix
from symdiff.ops.products import adjoint, as_column, as_row, matmul, outer, swapped, without_last
from symdiff.ops.reduce import fitted_to, sum, unbroadcast_to
from symdiff.ops.shape import copy, laid_like, reshape
from symdiff.ops.sizes import sizes_of
from symdiff.ops.ufuncs import staged

# Types ------------------------------------------------------------------------------------------


def common_dtype(*types: ArrayType) -> np.dtype:
    """The dtype that LAPACK computes in: single or double, real or complex."""
    dtype = np.result_type(*(t.dtype for t in types)).newbyteorder("=")
    if dtype.kind in "biu":
        return np.dtype("float64")
    if dtype.char not in "fdFD":
        raise rejection(TypeError, f"array type {dtype.name} is unsupported in linalg")
    return dtype


def rectangular(matrix: ArrayType) -> ArrayType:
    """The type of a matrix, or a stack of them, as it is."""
    if matrix.rank < 2:
        raise rejection(
            np.linalg.LinAlgError,
            f"{matrix.rank}-dimensional array given. Array must be at least two-dimensional",
        )
    return matrix


def square(matrix: ArrayType) -> ArrayType:
    """The type of a square matrix, or a stack of them, as it is."""
    rows, columns = rectangular(matrix).shape[-2:]
    if isinstance(rows, int) and isinstance(columns, int) and rows != columns:
        raise rejection(np.linalg.LinAlgError, "Last 2 dimensions of the array must be square")
    return matrix


def _is_square(node: Node) -> bool:
    rows, columns = array_type(node.operands[0]).shape[-2:]
    return rows == columns


def infer_square(a: ArrayType, **_: Any) -> ArrayType:
    matrix = square(a)
    return ArrayType(common_dtype(matrix), matrix.shape)


def _as_matrix(x: Value) -> Value:
    """A number for each matrix of a stack, with two axes of length 1 behind."""
    shape = array_type(x).shape
    if not shape:
        return x
    return reshape(x, *sizes_of(x), 1, 1, shape=(*shape, 1, 1))


def _entries(x: Value) -> Value:
    """The sum of each matrix of a stack."""
    rank = array_type(x).rank
    axis = None if rank == 2 else (rank - 2, rank - 1)
    return sum(x, axis=axis, keepdims=False)


# inv, solve -------------------------------------------------------------------------------------

inv: Operation = Operation.of_arrays(
    "inv",
    infer_square,
    np.linalg.inv,
    raises=True,
    cost="heavy",
    vjp={0: lambda g, y, a: as_dtype_of(-(adjoint(y) @ g @ adjoint(y)), a)},
    jvp={0: lambda t, y, a: -(y @ t @ y)},
    sympy=matrix(lambda sp, a: a.inv()),
    order="packed",
    example="np.linalg.inv(A)",
    flops=of_matrix(2),
    batch=stacked,
    documentation="The inverse of a matrix.",
)


def infer_solve(a: ArrayType, b: ArrayType) -> ArrayType:
    stack, shape = square(a).shape[:-2], b.shape
    if b.rank > 1:
        stack, shape = broadcast_shapes(stack, shape[:-2]), shape[-2:]
    return ArrayType(common_dtype(a, b), (*stack, *shape))


def _solve_stack(a: Value, b: Value, vector: bool) -> Value:
    """``solve`` where ``b`` holds one vector for each matrix, or matrices."""
    if not vector or array_type(b).rank == 1:
        return solve(a, b)
    return without_last(solve(a, as_column(b)))


def _solve_vjp_matrix(g: Value, y: Value, a: Value, b: Value) -> Value:
    vector = array_type(b).rank == 1
    share = _solve_stack(adjoint(a), g, vector)
    if not vector:
        product = share @ adjoint(y)
    elif array_type(y).rank == 1:
        product = outer(share, conjugated(y))
    else:
        product = as_column(share) * as_row(conjugated(y))
    return unbroadcast_to(-product, a)


def _solve_vjp_right(g: Value, y: Value, a: Value, b: Value) -> Value:
    return unbroadcast_to(_solve_stack(adjoint(a), g, array_type(b).rank == 1), b)


def _solve_jvp_matrix(t: Value, y: Value, a: Value, b: Value) -> Value:
    vector = array_type(b).rank == 1
    if vector and array_type(y).rank > 1:
        return -_solve_stack(a, without_last(t @ as_column(y)), vector)
    return -_solve_stack(a, t @ y, vector)


def _batch_solve(b: Lanes, op: Any, a: Value, c: Value, **attributes: Any) -> Value:
    """One factorisation serves all lanes where the matrix is the same."""
    matrix_, right = b.types
    if not b.has[0] and matrix_.rank == 2 and right.rank == 1:
        return swapped(op(a, swapped(c), **attributes))
    if right.rank == 1:
        a, c = b.whole(a, c)
        return without_last(op(a, as_column(c), **attributes))
    if matrix_.rank != right.rank:
        raise NoBatchRule
    return op(*b.whole(a, c), **attributes)  # type: ignore[no-any-return]


def _pattern_solve(e: patterns.Elements, op: Any) -> np.ndarray:
    a, b = e.ids
    matrices = patterns.united_over(e, a, (a.ndim - 2, a.ndim - 1))
    if b.ndim == 1:
        found = e.united(matrices, e.united_along(b))[..., None]
        return np.broadcast_to(found, (*found.shape[:-1], a.shape[-1]))
    columns = e.united(matrices[..., None], e.united_along(np.swapaxes(b, -1, -2)))
    return np.broadcast_to(columns[..., None, :], (*columns.shape[:-1], *b.shape[-2:]))


solve: Operation = Operation.of_arrays(
    "solve",
    infer_solve,
    np.linalg.solve,
    raises=True,
    cost="heavy",
    vjp={0: _solve_vjp_matrix, 1: _solve_vjp_right},
    jvp={0: _solve_jvp_matrix, 1: lambda t, y, a, b: solve(a, t)},
    sympy=matrix(lambda sp, a, b: a.LUsolve(b)),
    order="packed",
    example="np.linalg.solve(A, B)",
    flops=of_matrix(2, 3, right=2),
    batch=_batch_solve,
    pattern=_pattern_solve,
    documentation="The solution ``x`` of ``a @ x = b``.",
)

# det, cofactors, slogdet ------------------------------------------------------------------------


def _cofactors_share(w: Value, y: Value, a: Value) -> Value:
    """The derivative of ``Σ w · cofactors(a)`` by a regular ``a``."""
    inverse = inv(a)
    total = _as_matrix(_entries(w * y))
    crossed = swapped(inverse @ w @ inverse)
    return swapped(inverse) * total - crossed * _as_matrix(det(a))


cofactors: Operation = Operation.of_arrays(
    "cofactors",
    infer_square,
    support.cofactors,
    raises=True,
    harmless=_is_square,
    cost="heavy",
    vjp={0: lambda g, y, a: as_dtype_of(conjugated(_cofactors_share(conjugated(g), y, a)), a)},
    jvp={0: _cofactors_share},  # it is symmetric
    sympy=matrix(lambda sp, a: a.cofactor_matrix()),
    flops=of_matrix(2),
    batch=stacked,
    documentation="The derivative of the determinant by each entry, of singular matrices too.",
)

det: Operation = Operation.of_arrays(
    "det",
    lambda a: number_or_array(common_dtype(square(a)), a.shape[:-2]),
    np.linalg.det,
    raises=True,
    harmless=_is_square,
    cost="heavy",
    vjp={0: lambda g, y, a: as_dtype_of(_as_matrix(g) * conjugated(cofactors(a)), a)},
    jvp={0: lambda t, y, a: _entries(cofactors(a) * t)},
    sympy=matrix(lambda sp, a: a.det()),
    example="np.linalg.det(A)",
    flops=of_matrix(2, 3),
    batch=stacked,
    documentation="The determinant.",
)


def _infer_slogdet(a: ArrayType) -> tuple[ArrayType, ...]:
    dtype, shape = common_dtype(square(a)), a.shape[:-2]
    return number_or_array(dtype, shape), number_or_array(real_dtype(dtype), shape)


def _slogdet_vjp(g: Any, y: Any, a: Value) -> Value | None:
    """Of a complex matrix the sign turns with the imaginary part of ``tr(a⁻¹ da)``."""
    sign_bar, log_bar = g
    weight = log_bar
    if sign_bar is not None and is_complex(a):
        turned = real(conjugated(sign_bar) * y[0] * 1j) * 1j
        weight = turned if weight is None else weight + turned
    if weight is None:
        return None
    return as_dtype_of(_as_matrix(weight) * adjoint(inv(a)), a)


def _slogdet_jvp(t: Value, y: Any, a: Value) -> tuple[Any, Any]:
    slope = _entries(swapped(inv(a)) * t)
    if not is_complex(a):
        return None, slope
    return y[0] * imag(slope) * 1j, real(slope)


slogdet = SeveralResults.of_arrays(
    "slogdet",
    _infer_slogdet,
    np.linalg.slogdet,
    raises=True,
    harmless=_is_square,
    cost="heavy",
    vjp={0: _slogdet_vjp},
    jvp={0: _slogdet_jvp},
    sympy=matrix(lambda sp, a: (sp.sign(a.det()), sp.log(sp.Abs(a.det())))),
    example="np.linalg.slogdet(A)",
    flops=of_matrix(2, 3),
    batch=stacked,
    documentation="Sign and logarithm of the absolute value of the determinant.",
)

# cholesky ---------------------------------------------------------------------------------------


def half_lower(x: Value) -> Value:
    """The lower triangle with half the diagonal, whose sum with its adjoint is Hermitian."""
    return (tril(x, k=0) + tril(x, k=-1)) * 0.5


def _infer_factor(a: ArrayType, **_: Any) -> ArrayType:
    """Square, whatever the two lengths of the matrix are called: it raises where they differ."""
    *stack, rows, columns = square(a).shape
    length = columns if isinstance(columns, int) else rows
    return ArrayType(common_dtype(a), (*stack, length, length))


def _lower_factor_vjp(g: Value, y: Value, a: Value) -> Value:
    """NumPy reads only the lower triangle, so only there is a derivative (Murray 2016)."""
    inverse, half = inv(y), half_lower(adjoint(y) @ g)
    return fitted_to(half_lower(adjoint(inverse) @ (half + adjoint(half)) @ inverse), a)


def _lower_factor_jvp(t: Value, y: Value, a: Value) -> Value:
    inverse, half = inv(y), half_lower(t)
    return y @ half_lower(inverse @ (half + adjoint(half)) @ adjoint(inverse))


def _cholesky_vjp(g: Value, y: Value, a: Value, *, upper: bool = False) -> Value:
    if not upper:
        return _lower_factor_vjp(g, y, a)
    return adjoint(_lower_factor_vjp(adjoint(g), adjoint(y), adjoint(a)))


def _cholesky_jvp(t: Value, y: Value, a: Value, *, upper: bool = False) -> Value:
    if not upper:
        return _lower_factor_jvp(t, y, a)
    return adjoint(_lower_factor_jvp(adjoint(t), adjoint(y), adjoint(a)))


cholesky: Operation = Operation.of_arrays(
    "cholesky",
    _infer_factor,
    np.linalg.cholesky,
    raises=True,
    cost="heavy",
    vjp={0: _cholesky_vjp},
    jvp={0: _cholesky_jvp},
    order="packed",
    example="np.linalg.cholesky(A)",
    flops=of_matrix(1, 3),
    batch=stacked,
    documentation="The triangular factor of a positive definite matrix; reads one triangle.",
)

# eigenvalues of Hermitian matrices --------------------------------------------------------------


def _infer_eigh(a: ArrayType, *, UPLO: str = "L") -> tuple[ArrayType, ...]:
    dtype = common_dtype(square(a))
    return ArrayType(real_dtype(dtype), a.shape[:-1]), ArrayType(dtype, a.shape)


def hermitian_of(t: Value, uplo: str) -> Value:
    """The Hermitian matrix that LAPACK reads from one triangle."""
    half = half_lower(t if uplo == "L" else adjoint(t))
    return half + adjoint(half)


def one_triangle(share: Value, uplo: str) -> Value:
    """The transpose of ``hermitian_of``."""
    lower = half_lower(share + adjoint(share))
    return lower if uplo == "L" else adjoint(lower)


def _infer_over_gaps(x: ArrayType, w: ArrayType) -> ArrayType:
    return ArrayType(np.result_type(x.dtype, w.dtype), x.shape)


def _over_gaps_jvp(t: Value, y: Value, x: Value, w: Value) -> Value:
    return -over_gaps(y * (as_row(t) - as_column(t)), w)


def _over_gaps_vjp(g: Value, y: Value, x: Value, w: Value) -> Value:
    share, rank = conjugated(y) * over_gaps(g, conjugated(w)), array_type(y).rank
    rows, columns = (sum(share, axis=(rank - k,), keepdims=False) for k in (1, 2))
    return as_dtype_of(rows - columns, w)


over_gaps: Operation = Operation.of_arrays(
    "over_gaps",
    _infer_over_gaps,
    support.over_gaps,
    spelling=supporting_call(support.over_gaps),
    vjp={
        0: lambda g, y, x, w: as_dtype_of(over_gaps(g, conjugated(w)), x),
        1: _over_gaps_vjp,
    },
    jvp={0: lambda t, y, x, w: over_gaps(t, w), 1: _over_gaps_jvp},
    order="packed",
    batch=stacked,
    documentation="What eigenvectors turn by: numbers over the differences of eigenvalues, NaN "
    "where these are equal up to rounding.",
)


def _share_derivative(t: Value, v_bar: Value, w: Value, v: Value) -> Value:
    """Of ``vectors_share`` by its matrix in a Hermitian direction; also its own transpose, being
    the Hessian of a function.

    Turns among vectors that nothing comes of cancel, whatever they are: they are left out.
    """
    inner, moved = adjoint(v) @ v_bar, adjoint(v) @ t @ v
    shares, turns = over_gaps(inner, w), over_gaps(moved, w)
    levels, slopes = (as_row(diagonal(x, offset=0)) for x in (inner, moved))
    among = moved @ shares - shares * slopes - where(equal(levels, 0), 0.0, turns * levels)
    rank = array_type(v).rank
    is_used = not_equal(sum(absolute(shares), axis=(rank - 2,), keepdims=True), 0.0)
    counted = where(is_used, turns, 0.0)
    half = (over_gaps(among, w) + counted @ adjoint(shares)) * 0.5
    crossed = swapped(shares)
    along = sum(where(equal(crossed, 0), 0.0, turns * crossed), axis=(rank - 1,), keepdims=True)
    n, dim = sizes_of(w)[-1], array_type(w).shape[-1]
    ones = eye(n, n, k=0, shape=(dim, dim), dtype=array_type(w).dtype)
    return v @ (half + adjoint(half) + ones * real(along)) @ adjoint(v)


def _herm(x: Value) -> Value:
    return (x + adjoint(x)) * 0.5


def _share_by_vectors(g: Value, w: Value, v: Value) -> Value:
    """The vectors' tangent in a Hermitian direction, which is the share's transpose."""
    return v @ over_gaps(adjoint(v) @ _herm(g) @ v, w)


def _share_vjp(
    g: Value, y: Value, v_bar: Value, a: Value, w: Value, v: Value, *, UPLO: str
) -> Value:
    return as_dtype_of(one_triangle(_share_derivative(_herm(g), v_bar, w, v), UPLO), a)


def _share_jvp(
    t: Value, y: Value, v_bar: Value, a: Value, w: Value, v: Value, *, UPLO: str
) -> Value:
    return _share_derivative(hermitian_of(t, UPLO), v_bar, w, v)


def _spell_vectors_share(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    v_bar, _, w, v = operands
    return ast.Call(supporting(support.vectors_share), [v_bar, w, v], [])


vectors_share: Operation = Operation.of_arrays(
    "vectors_share",
    lambda v_bar, a, w, v, *, UPLO: ArrayType(np.result_type(v_bar.dtype, v.dtype), v.shape),
    lambda v_bar, a, w, v, *, UPLO: support.vectors_share(v_bar, w, v),
    spelling=_spell_vectors_share,
    nondifferentiable=frozenset({2, 3}),
    cost="heavy",
    vjp={
        0: lambda g, y, v_bar, a, w, v, *, UPLO: as_dtype_of(_share_by_vectors(g, w, v), v_bar),
        1: _share_vjp,
    },
    jvp={
        0: lambda t, y, v_bar, a, w, v, *, UPLO: vectors_share(t, a, w, v, UPLO=UPLO),
        1: _share_jvp,
    },
    order="packed",
    batch=stacked,
    documentation="What a Hermitian matrix gets of the cotangents of its eigenvectors.",
)


def _eigh_vjp(g: Any, y: Any, a: Value, *, UPLO: str = "L") -> Value | None:
    (w_bar, v_bar), (w, v) = g, y
    share: Value | None = None
    if v_bar is not None:
        share = vectors_share(v_bar, a, w, v, UPLO=UPLO)
    if w_bar is not None:
        scaled = v @ (as_column(w_bar) * adjoint(v))
        share = scaled if share is None else share + scaled
    return None if share is None else as_dtype_of(one_triangle(share, UPLO), a)


def _eigh_jvp(t: Value, y: Any, a: Value, *, UPLO: str = "L") -> tuple[Value, Value]:
    w, v = y
    turned = adjoint(v) @ hermitian_of(t, UPLO) @ v
    return as_dtype_of(copy(diagonal(turned, offset=0)), w), v @ over_gaps(turned, w)


eigh = SeveralResults.of_arrays(
    "eigh",
    _infer_eigh,
    np.linalg.eigh,
    raises=True,
    cost="heavy",
    vjp={0: _eigh_vjp},
    jvp={0: _eigh_jvp},
    example="np.linalg.eigh(A)",
    flops=of_matrix(9),
    batch=stacked,
    documentation="Eigenvalues and eigenvectors of a Hermitian matrix; reads one triangle.",
)
eigvalsh: Operation = Operation.of_arrays(
    "eigvalsh",
    lambda a, *, UPLO="L": _infer_eigh(a)[0],
    np.linalg.eigvalsh,
    raises=True,
    cost="heavy",
    vjp={0: lambda g, y, a, UPLO="L": _eigh_vjp((g, None), eigh(a, UPLO=UPLO), a, UPLO=UPLO)},
    jvp={0: lambda t, y, a, UPLO="L": _eigh_jvp(t, eigh(a, UPLO=UPLO), a, UPLO=UPLO)[0]},
    example="np.linalg.eigvalsh(A)",
    flops=of_matrix(4, 3),
    batch=stacked,
    documentation="Eigenvalues of a Hermitian matrix; reads one triangle.",
)

# Lowerings --------------------------------------------------------------------------------------


lowers(np.linalg.inv)(lambda a: inv(staged(a)))
lowers(np.linalg.solve)(lambda a, b: solve(staged(a), staged(b)))
lowers(np.linalg.det)(lambda a: det(staged(a)))


EighResult: Any = type(np.linalg.eigh(np.eye(1)))


lowers(np.linalg.eigh)(lambda a, UPLO="L": EighResult(*eigh(staged(a), **_triangle(UPLO))))
lowers(np.linalg.eigvalsh)(lambda a, UPLO="L": eigvalsh(staged(a), **_triangle(UPLO)))


def _triangle(uplo: Any) -> dict[str, str]:
    if static(uplo).upper() not in ("L", "U"):
        raise rejection(ValueError, "UPLO argument must be 'L' or 'U'")
    return {"UPLO": "U"} if static(uplo).upper() == "U" else {}


SlogdetResult: Any = type(np.linalg.slogdet(np.eye(1)))


lowers(np.linalg.slogdet)(lambda a: SlogdetResult(*slogdet(staged(a))))


@lowers(np.linalg.cholesky)
def _cholesky(a: Any, /, *, upper: Any = False) -> Value:
    more = {"upper": True} if static(upper) else {}
    return cholesky(staged(a), **more)


@lowers(np.linalg.matrix_power)
def _matrix_power(a: Any, n: Any) -> Value:
    """By repeated squaring, in NumPy's own order."""
    x = staged(a)
    count = operator.index(static(n))
    if count == 0:
        type_, sizes = square(array_type(x)), sizes_of(x)[-2:]
        one = eye(*sizes, k=0, shape=type_.shape[-2:], dtype=type_.dtype)
        if type_.rank == 2:
            return laid_like(one, x, order="K")
        return index_set_of(FUNCTIONS[np.zeros_like](x), one, Ellipsis)
    if count < 0:
        x, count = inv(x), -count
    if count == 3:
        return matmul(matmul(x, x), x)
    return _squared_repeatedly(x, count)


def _squared_repeatedly(x: Value, count: int) -> Value:
    result: Value | None = None
    square = x
    while True:
        count, bit = divmod(count, 2)
        if bit:
            result = square if result is None else matmul(result, square)
        if not count:
            assert result is not None
            return result
        square = matmul(square, square)


@lowers(np.linalg.trace)
def _trace(x: Any, /, *, offset: Any = 0, dtype: Any = None) -> Value:
    return FUNCTIONS[np.trace](x, offset, -2, -1, dtype)  # type: ignore[no-any-return]
