"""Singular values and vectors, QR factors, eigenvalues of matrices that are not Hermitian.

Rules pair as Re Σ conj(a)·b, on stacks of matrices. Where a factor is not determined, a derivative
is that of one choice, and functions that do not depend on the choice have right derivatives:

- ``svd``: phases of a pair of complex singular vectors turn oppositely, ``u* du = -v* dv``; vectors
  beyond the singular values (``full_matrices``) turn no more than they have to.
- ``qr``: LAPACK's diagonal of R is real, which leaves nothing open but, with ``mode="complete"``,
  columns of Q beyond those of a tall matrix: they are those of LAPACK's product of reflections.
- ``eig``: eigenvectors keep their length, and their phase: ``v* dv = 0``.

Vectors of singular values, or eigenvalues, that are equal up to rounding have no derivative: it is
NaN, and so is that of what is made of them. Singular values alone have one; sums and extrema of
them (``numpy.linalg.norm``) have a second one too, by ``singular_part``. QR needs leading columns
that are independent, ``eig`` as many eigenvectors: else deriving raises ``LinAlgError``.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Dim, Size, is_long, real_dtype
from symdiff.ops import support
from symdiff.ops.arithmetic import absolute, copysign, equal, greater, less, logical_or, where
from symdiff.ops.batching import stacked
from symdiff.ops.casts import as_dtype_of, conjugated, is_complex
from symdiff.ops.creation import eye, zeros_of
from symdiff.ops.declare import (
    FUNCTIONS,
    Operation,
    SeveralResults,
    array_type,
    call,
    lowers,
    static,
    supporting_call,
    template,
)
from symdiff.ops.flops import of_matrix
from symdiff.ops.index import index, index_add, index_of
from symdiff.ops.joining import concatenate, diagonal, triu
from symdiff.ops.keys import Slice, Slot
from symdiff.ops.linalg import (
    common_dtype,
    det,
    half_lower,
    over_gaps,
    rectangular,
    solve,
    square,
)
from symdiff.ops.order import argsort, sort, take_along_axis
from symdiff.ops.products import adjoint, as_column, as_row, swapped
from symdiff.ops.reduce import sum
from symdiff.ops.shape import copy
from symdiff.ops.sizes import sizes_of
from symdiff.ops.strong import strong_divide
from symdiff.ops.ufuncs import staged

# Lengths and parts ------------------------------------------------------------------------------


def shorter(rows: Dim, columns: Dim) -> Dim:
    """The smaller one of two lengths."""
    if isinstance(rows, int) and isinstance(columns, int):
        return min(rows, columns)
    if rows == columns or 0 in (rows, columns) or 1 in (rows, columns):
        return columns if columns in (0, 1) else rows
    long = is_long(rows) and is_long(columns)
    return Size(f"min({','.join(sorted(map(str, (rows, columns))))})", open=True, long=long)


def _length(x: Value, axis: int) -> Value | int:
    """The length of an axis, counted from the end."""
    return sizes_of(x)[axis]


def first_columns(x: Value, like: Value) -> Value:
    """The columns of ``x`` that there are entries in the last axis of ``like``."""
    *others, columns = array_type(x).shape
    count = array_type(like).shape[-1]
    if columns == count:
        return x
    stop, operands = _bound(_length(like, -1))
    key = (Ellipsis, Slice(None, stop, None))
    return index(x, *operands, key=key, shape=(*others, count))


def other_columns(x: Value, like: Value) -> Value | None:
    """The columns of ``x`` beyond those, None where it is known that there are none."""
    *others, columns = array_type(x).shape
    count = array_type(like).shape[-1]
    if columns == count:
        return None
    start, operands = _bound(_length(like, -1))
    fixed = isinstance(columns, int) and isinstance(count, int)
    dim: Dim = columns - count if fixed else Size(f"({columns}-{count})", open=True)  # type: ignore[operator]
    key = (Ellipsis, Slice(start, None, None))
    return index(x, *operands, key=key, shape=(*others, dim))


def first_rows(x: Value, like: Value) -> Value:
    """The rows of ``x`` that there are entries in the last axis of ``like``."""
    return swapped(first_columns(swapped(x), like))


def other_rows(x: Value, like: Value) -> Value:
    """The rows of ``x`` beyond those."""
    others = other_columns(swapped(x), like)
    assert others is not None
    return swapped(others)


def _bound(length: Value | int) -> tuple[int | Slot, tuple[Value, ...]]:
    return (length, ()) if isinstance(length, int) else (Slot(0), (length,))


def _beyond(x: Value, basis: Value) -> Value:
    """What of the columns of ``x`` is orthogonal to those of ``basis``."""
    return x - basis @ (adjoint(basis) @ x)


def _total(*parts: Value | None) -> Value | None:
    """The sum of what there is."""
    total: Value | None = None
    for part in parts:
        if part is not None:
            total = part if total is None else total + part
    return total


# svd --------------------------------------------------------------------------------------------


def _infer_svd(a: ArrayType, *, full_matrices: bool = True) -> tuple[ArrayType, ...]:
    *stack, rows, columns = rectangular(a).shape
    dtype, count = common_dtype(a), shorter(rows, columns)
    left, right = (rows, columns) if full_matrices else (count, count)
    return (
        ArrayType(dtype, (*stack, rows, left)),
        ArrayType(real_dtype(dtype), (*stack, count)),
        ArrayType(dtype, (*stack, right, columns)),
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """The left or the right singular vectors, as columns.

    ``rest`` are those beyond the singular values; ``divisor`` is what the part of a change that is
    orthogonal to ``basis`` is divided by: None where nothing is, as ``basis`` is square.
    """

    basis: Value
    rest: Value | None
    divisor: Value | None

    def turned(self, inner: Value, moved: Value) -> Value:
        """The tangent of all vectors: ``inner`` among the basis, ``moved`` out of it."""
        made = self.basis @ inner
        if self.divisor is None:
            return made
        outer = moved / as_row(self.divisor)
        made = made + _beyond(outer, self.basis)
        if self.rest is None:
            return made
        others = -(self.basis @ (adjoint(outer) @ self.rest))
        return concatenate(made, others, axis=array_type(made).rank - 1)

    def shares(self, bar: Value) -> tuple[Value, Value | None]:
        """The transpose of ``turned``: the cotangents of ``inner`` and ``moved``."""
        own = first_columns(bar, self.basis)
        inner = adjoint(self.basis) @ own
        if self.divisor is None:
            return inner, None
        outer = own - self.basis @ inner
        others = other_columns(bar, self.basis)  # none, too, where a product tells as much
        if self.rest is not None and others is not None:
            outer = outer - self.rest @ (adjoint(others) @ self.basis)
        return inner, outer / as_row(self.divisor)


def _side(vectors: Value, s: Value) -> _Side:
    basis = first_columns(vectors, s)
    rows, count = array_type(basis).shape[-2], array_type(s).shape[-1]
    divisor: Value | None = s
    if rows == count:
        divisor = None
    elif not (isinstance(rows, int) and isinstance(count, int)):
        divisor = where(greater(_length(basis, -2), _length(s, -1)), s, float("inf"))
    return _Side(basis, other_columns(vectors, s), divisor)


def _sides(y: Any) -> tuple[_Side, Value, _Side]:
    u, s, vh = y
    return _side(u, s), s, _side(adjoint(vh), s)


def _over_sums(x: Value, s: Value) -> Value:
    """``x[i, j] / (s[i] + s[j])`` of a skew-Hermitian ``x``, whose diagonal, where real, is 0."""
    sums = as_row(s) + as_column(s)
    if not is_complex(x):
        count, dim = _length(s, -1), array_type(s).shape[-1]
        sums = sums + eye(count, count, k=0, shape=(dim, dim), dtype=array_type(s).dtype)
    return x / sums


def _svd_jvp(t: Value, y: Any, a: Value, *, full_matrices: bool = True) -> tuple[Value, ...]:
    """Giles (2008), 3.3, and Townsend (2016), with ``1/(s[j]² - s[i]²)`` in partial fractions.

    What both sides turn by alike is divided by gaps, what they turn by oppositely by sums.
    """
    left, s, right = _sides(y)
    moved = t @ right.basis
    inner = adjoint(left.basis) @ moved
    alike = over_gaps((inner + adjoint(inner)) * 0.5, s)
    apart = _over_sums((inner - adjoint(inner)) * 0.5, s)
    u_dot = left.turned(alike + apart, moved)
    v_dot = right.turned(alike - apart, adjoint(t) @ left.basis)
    return u_dot, as_dtype_of(copy(diagonal(inner, offset=0)), s), adjoint(v_dot)


def _svd_vjp(g: Any, y: Any, a: Value, *, full_matrices: bool = True) -> Value | None:
    """The transpose of ``_svd_jvp``."""
    u_bar, s_bar, vh_bar = g
    left, s, right = _sides(y)
    u_inner = u_outer = v_inner = v_outer = None
    if u_bar is not None:
        u_inner, u_outer = left.shares(u_bar)
    if vh_bar is not None:
        v_inner, v_outer = right.shares(adjoint(vh_bar))
    inner = _inner_share(u_inner, v_inner, s)
    vh = adjoint(right.basis)
    scaled = None if s_bar is None else left.basis * as_row(s_bar)
    turned = None if inner is None else left.basis @ inner
    whole = _total(scaled, turned, u_outer)
    share = _total(
        None if whole is None else whole @ vh,
        None if v_outer is None else left.basis @ adjoint(v_outer),
    )
    return None if share is None else as_dtype_of(share, a)


def _inner_share(u: Value | None, v: Value | None, s: Value) -> Value | None:
    """What ``u* a v`` gets of the cotangents of what the vectors turn by."""
    both = _total(u, v)
    if both is None:
        return None
    difference = u if v is None else -v if u is None else u - v
    assert difference is not None
    turned = over_gaps(both, s) * 0.5
    alike = turned + adjoint(turned)
    return alike + _over_sums((difference - adjoint(difference)) * 0.5, s)


svd = SeveralResults.of_arrays(
    "svd",
    _infer_svd,
    np.linalg.svd,
    raises=True,
    cost="heavy",
    vjp={0: _svd_vjp},
    jvp={0: _svd_jvp},
    example="np.linalg.svd(X, False)",
    flops=of_matrix(22),
    batch=stacked,
    documentation="Singular vectors and values: ``a = u @ diag(s) @ vh``.",
)


def _svdvals_vjp(g: Value, y: Value, a: Value) -> Value:
    u, _, vh = svd(a, full_matrices=False)
    return as_dtype_of((u * as_row(g)) @ vh, a)


def _svdvals_jvp(t: Value, y: Value, a: Value) -> Value:
    u, _, vh = svd(a, full_matrices=False)
    products = conjugated(u) * (t @ adjoint(vh))
    return as_dtype_of(sum(products, axis=(array_type(a).rank - 2,), keepdims=False), y)


svdvals: Operation = Operation.of_arrays(
    "svdvals",
    lambda a: _infer_svd(a)[1],
    lambda a: np.linalg.svd(a, compute_uv=False),
    raises=True,
    cost="heavy",
    spelling=template("np.linalg.svd({0}, compute_uv=False)"),
    vjp={0: _svdvals_vjp},
    jvp={0: _svdvals_jvp},
    example="np.linalg.svdvals(X)",
    flops=of_matrix(8, 3),
    batch=stacked,
    documentation="Singular values, the largest first.",
)

# Norms by singular values -----------------------------------------------------------------------


def _part_derivative(t: Value, weights: Value, a: Value) -> Value:
    """In direction ``t``; also its own transpose, being the Hessian of a function.

    Differences of weights over gaps, sums of weights over sums: 0 where both are 0, as the weights
    do not change (Lewis and Sendov 2001).
    """
    u, s, vh = svd(a, full_matrices=False)
    inner = adjoint(u) @ t @ adjoint(vh)
    gaps, sums = as_row(s) - as_column(s), as_row(s) + as_column(s)
    alike = strong_divide(as_row(weights) - as_column(weights), gaps)
    apart = strong_divide(as_row(weights) + as_column(weights), sums)
    turned = (inner + adjoint(inner)) * 0.5 * alike + (inner - adjoint(inner)) * 0.5 * apart
    made: Value = u @ turned @ vh
    rows, columns = array_type(a).shape[-2:]
    if rows == columns:
        return made
    ratio = as_row(strong_divide(weights, s))
    left = (_beyond(t @ adjoint(vh), u) * ratio) @ vh
    right = (u * ratio) @ adjoint(_beyond(adjoint(t) @ u, adjoint(vh)))
    return made + left + right


def _part_vjp(g: Any, y: Any, a: Value, *, part: str) -> Value | None:
    return None if g[0] is None else as_dtype_of(_part_derivative(g[0], y[1], a), a)


singular_part = SeveralResults.of_arrays(
    "singular_part",
    lambda a, *, part: (ArrayType(common_dtype(a), a.shape), _infer_svd(a)[1]),
    support.singular_part,
    raises=True,
    cost="heavy",
    vjp={0: _part_vjp},
    jvp={0: lambda t, y, a, *, part: (as_dtype_of(_part_derivative(t, y[1], a), y[0]), None)},
    example="singular_part(X, part='all')",
    flops=of_matrix(22),
    batch=stacked,
    documentation="The derivative of the sum (``all``), the maximum (``largest``) or the "
    "minimum (``smallest``) of the singular values: by the matrix, and by themselves.",
)

# qr ---------------------------------------------------------------------------------------------


def _infer_qr(a: ArrayType, *, mode: str = "reduced") -> tuple[ArrayType, ...]:
    *stack, rows, columns = rectangular(a).shape
    width = rows if mode == "complete" else shorter(rows, columns)
    dtype = common_dtype(a)
    return ArrayType(dtype, (*stack, rows, width)), ArrayType(dtype, (*stack, width, columns))


def _leading(q: Value, r: Value, a: Value, mode: str) -> Value:
    """The square triangle that R begins with: as many rows and columns as ``a`` has at least."""
    like = diagonal(a, offset=0) if mode == "complete" else q
    return first_columns(first_rows(r, like), like)


def _right_divided(x: Value, triangle: Value) -> Value:
    """``x @ inv(triangle)``."""
    return adjoint(solve(adjoint(triangle), adjoint(x)))


def _has_span(q: Value, a: Value) -> bool:
    """Return whether the columns of Q are known to span the whole space."""
    rows, columns = array_type(q).shape[-2:]
    return rows == columns


@dataclass(frozen=True)
class _Completion:
    """Columns of Q beyond those of a tall matrix, as a function of the first ones.

    A product of Householder's reflections is ``I - V T V*`` with ``V`` unit lower trapezoidal, so
    that ``V (-T V₁*)`` is the LU decomposition of ``W = Q₁ - I`` and the other columns are
    ``I + W (W₂ W₁⁻¹)*`` (Ballard et al. 2014, reconstructing Householder vectors). ``mixed`` is
    ``W₁⁻* W₂*``. |det W₁| is at least 1, but for rounding, and 0 where a column needs no
    reflection: its sign jumps there, and the other columns turn no more than they have to.
    """

    moved: Value  # W
    top: Value  # W₁
    mixed: Value
    basis: Value  # Q₁
    rest: Value
    jumps: Value

    @staticmethod
    def of(first: Value, q: Value) -> _Completion:
        rows, count = sizes_of(first)[-2:]
        *_, tall, dim = array_type(first).shape
        dtype = array_type(q).dtype
        one = eye(rows, count, k=0, shape=(tall, dim), dtype=dtype)
        moved = first - one
        top = first_rows(moved, first)
        none = equal(rows, count)  # other columns: the system is to be a regular one
        square = eye(count, count, k=0, shape=(dim, dim), dtype=dtype)
        jumps = as_column(as_column(less(absolute(det(top)), 0.5)))
        top = top - where(logical_or(none, jumps), 3.0, 0.0) * square
        rest = other_columns(q, first)
        assert rest is not None
        mixed = solve(adjoint(top), adjoint(other_rows(first, first)))
        return _Completion(moved, top, mixed, first, rest, jumps)

    def tangent(self, first: Value) -> Value:
        """Of the other columns, by that of the first ones."""
        top, below = first_rows(first, first), other_rows(first, first)
        turned = solve(adjoint(self.top), adjoint(below) - adjoint(top) @ self.mixed)
        least = -self.basis @ (adjoint(first) @ self.rest)
        return where(self.jumps, least, first @ self.mixed + self.moved @ turned)

    def cotangent(self, others: Value) -> Value:
        """Of the first columns, by that of the other ones."""
        turned = adjoint(solve(self.top, adjoint(self.moved) @ others))
        rows = array_type(others).rank - 2
        below = concatenate(-self.mixed @ turned, turned, axis=rows)
        least = -self.rest @ (adjoint(others) @ self.basis)
        return where(self.jumps, least, others @ adjoint(self.mixed) + below)


def _widened(x: Value, q: Value) -> Value:
    """``x`` with columns of zeros, so that there are as many as Q has."""
    others = other_columns(q, x)
    if others is None:
        return x
    return concatenate(x, zeros_of(others), axis=array_type(x).rank - 1)


def _qr_jvp(t: Value, y: Any, a: Value, *, mode: str = "reduced") -> tuple[Value, Value]:
    """Walter and Lehmann (2010): ``q* dq`` is skew-Hermitian, ``dr`` triangular, diagonal real."""
    q, r = y
    triangle = _leading(q, r, a, mode)
    moved = _right_divided(first_columns(t, triangle), triangle)
    inner = adjoint(q) @ moved
    half = half_lower(_widened(inner, q))
    turned = half - adjoint(half)
    q_dot = q @ turned
    if not _has_span(q, a):
        q_dot = q_dot + (moved - q @ inner)
    if mode == "complete" and other_columns(q, triangle) is not None:
        first = first_columns(q_dot, triangle)
        others = _Completion.of(first_columns(q, triangle), q).tangent(first)
        q_dot = concatenate(first, others, axis=array_type(q).rank - 1)
    return q_dot, triu(adjoint(q) @ t - turned @ r, k=0)


def _qr_vjp(g: Any, y: Any, a: Value, *, mode: str = "reduced") -> Value | None:
    """The transpose of ``_qr_jvp``."""
    (q_bar, r_bar), (q, r) = g, y
    if q_bar is None and r_bar is None:
        return None
    triangle = _leading(q, r, a, mode)
    is_whole = mode == "complete" and q_bar is not None
    others = other_columns(q_bar, triangle) if is_whole else None
    if others is not None:
        through = _Completion.of(first_columns(q, triangle), q).cotangent(others)
        q_bar = _widened(first_columns(q_bar, triangle) + through, q)
    upper = None if r_bar is None else triu(r_bar, k=0)
    on_q = None if q_bar is None else adjoint(q) @ q_bar
    inner = _total(on_q, None if upper is None else -(upper @ adjoint(r)))
    assert inner is not None
    moved = q @ first_columns(half_lower(inner - adjoint(inner)), triangle)
    if on_q is not None and not _has_span(q, a):
        moved = moved + (q_bar - q @ on_q)
    share = adjoint(solve(triangle, adjoint(moved)))
    direct = None if upper is None else q @ upper
    return as_dtype_of(_with_first_columns(share, direct, a), a)


def _with_first_columns(share: Value, whole: Value | None, a: Value) -> Value:
    """A share of the first columns of ``a``, and one of all of them."""
    if array_type(share).shape[-1] == array_type(a).shape[-1]:
        return share if whole is None else whole + share
    stop, operands = _bound(_length(share, -1))
    key, shape = (Ellipsis, Slice(None, stop, None)), array_type(share).shape
    base = zeros_of(a) if whole is None else whole
    return index_add(base, share, *operands, key=key, shape=shape)


qr = SeveralResults.of_arrays(
    "qr",
    _infer_qr,
    np.linalg.qr,
    cost="heavy",
    vjp={0: _qr_vjp},
    jvp={0: _qr_jvp},
    example="np.linalg.qr(A)",
    flops=of_matrix(8, 3),
    batch=stacked,
    documentation="The unitary and the triangular factor of a matrix.",
)
triangular_factor: Operation = Operation.of_arrays(
    "triangular_factor",
    lambda a: _infer_qr(a)[1],
    lambda a: np.linalg.qr(a, "r"),
    cost="heavy",
    spelling=template("np.linalg.qr({0}, mode='r')"),
    vjp={0: lambda g, y, a: _qr_vjp((None, g), qr(a), a)},
    jvp={0: lambda t, y, a: _qr_jvp(t, qr(a), a)[1]},
    example="np.linalg.qr(A, 'r')",
    flops=of_matrix(4, 3),
    batch=stacked,
    documentation="The triangular factor of a matrix.",
)

# eig --------------------------------------------------------------------------------------------


def _infer_eig(a: ArrayType) -> tuple[ArrayType, ...]:
    dtype = np.result_type(common_dtype(square(a)), np.complex64)
    return ArrayType(dtype, a.shape[:-1]), ArrayType(dtype, a.shape)


def _eig_jvp(t: Value, y: Any, a: Value) -> tuple[Value, Value]:
    """Giles (2008), 3.1, and the eigenvectors kept at length 1."""
    w, v = y
    inner = solve(v, t @ v)
    turned = v @ over_gaps(inner, w)
    along = sum(conjugated(v) * turned, axis=(array_type(v).rank - 2,), keepdims=True)
    return copy(diagonal(inner, offset=0)), turned - v * along


def _eig_vjp(g: Any, y: Any, a: Value) -> Value | None:
    (w_bar, v_bar), (w, v) = g, y
    inner: Value | None = None
    if v_bar is not None:
        along = sum(conjugated(v) * v_bar, axis=(array_type(v).rank - 2,), keepdims=True)
        inner = over_gaps(adjoint(v) @ (v_bar - v * along), conjugated(w)) @ adjoint(v)
    if w_bar is not None:
        scaled = as_column(w_bar) * adjoint(v)
        inner = scaled if inner is None else inner + scaled
    return None if inner is None else as_dtype_of(solve(adjoint(v), inner), a)


def _spell_eig(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """NumPy's function of complex matrices; of real ones it gives real numbers where it can."""
    if is_complex(node.operands[0]):
        return call(f"np.linalg.{node.op.name}")(node, operands)
    of_real = support.complex_eig if node.op.name == "eig" else support.complex_eigvals
    return supporting_call(of_real)(node, operands)


eig = SeveralResults.of_arrays(
    "eig",
    _infer_eig,
    support.complex_eig,
    raises=True,
    cost="heavy",
    spelling=_spell_eig,
    jax="_complex_eig",
    vjp={0: _eig_vjp},
    jvp={0: _eig_jvp},
    example="np.linalg.eig(A)",
    flops=of_matrix(25),
    batch=stacked,
    documentation="Eigenvalues and eigenvectors, as complex numbers.",
)
eigvals: Operation = Operation.of_arrays(
    "eigvals",
    lambda a: _infer_eig(a)[0],
    support.complex_eigvals,
    raises=True,
    cost="heavy",
    spelling=_spell_eig,
    vjp={0: lambda g, y, a: _eig_vjp((g, None), eig(a), a)},
    jvp={0: lambda t, y, a: _eig_jvp(t, eig(a), a)[0]},
    example="np.linalg.eigvals(A)",
    flops=of_matrix(10),
    batch=stacked,
    documentation="Eigenvalues, as complex numbers.",
)


# Lowerings --------------------------------------------------------------------------------------

SVDResult: Any = type(np.linalg.svd(np.eye(1)))
QRResult: Any = type(np.linalg.qr(np.eye(1)))
EigResult: Any = type(np.linalg.eig(np.eye(1)))


@lowers(np.linalg.svd)
def lower_svd(
    a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False
) -> Any:
    x, vectors = staged(a), bool(static(compute_uv))
    if static(hermitian):
        return SVDResult(*_svd_of_hermitian(x)) if vectors else _svdvals_of_hermitian(x)
    if not vectors:
        return svdvals(x)
    more = {} if static(full_matrices) else {"full_matrices": False}
    return SVDResult(*svd(x, **more))


def _svd_of_hermitian(a: Value) -> tuple[Value, Value, Value]:
    """As NumPy has it: the eigenvectors, in another order, and signs that go to one side."""
    s, u = FUNCTIONS[np.linalg.eigh](a)
    signs, last = copysign(1.0, s), array_type(s).rank - 1
    s = absolute(s)
    order = index_of(argsort(s, axis=last), (Ellipsis, slice(None, None, -1)))
    signs, s = (take_along_axis(x, order, axis=last) for x in (signs, s))
    u = take_along_axis(u, as_row(order), axis=last + 1)
    return u, s, conjugated(swapped(u * as_row(signs)))


def _svdvals_of_hermitian(a: Value) -> Value:
    s = absolute(FUNCTIONS[np.linalg.eigvalsh](a))
    ordered = sort(s, axis=array_type(s).rank - 1)
    return index_of(ordered, (Ellipsis, slice(None, None, -1)))


lowers(np.linalg.svdvals)(lambda x, /: svdvals(staged(x)))


@lowers(np.linalg.qr)
def lower_qr(a: Any, mode: Any = "reduced") -> Any:
    x, wanted = staged(a), static(mode)
    if wanted == "r":
        return triangular_factor(x)
    if wanted in ("reduced", "complete"):
        more = {"mode": wanted} if wanted == "complete" else {}
        return QRResult(*qr(x, **more))
    if wanted == "raw":
        raise UnsupportedCallError(
            "numpy.linalg.qr with mode='raw' is not supported",
            hint="mode='reduced', 'complete' and 'r' are",
        )
    raise rejection(ValueError, f"Unrecognized mode '{wanted}'")


lowers(np.linalg.eig)(lambda a: EigResult(*eig(staged(a))))
lowers(np.linalg.eigvals)(lambda a: eigvals(staged(a)))
