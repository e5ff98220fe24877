"""``pinv``, ``lstsq``, ``cond``, ``matrix_rank``: what singular values decide.

The derivative of a pseudoinverse is that at constant rank (Golub and Pereyra 1973, eq. 4.12): of
matrices of deficient rank along changes that keep it. It holds for the rank that ``rcond`` leaves.
Condition numbers by an inverse (all but those with ``p`` of 2 and -2) have no derivative where the
matrix is singular: deriving them there raises ``LinAlgError``.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import INT, ArrayType, Dim, Size, real_dtype
from symdiff.ops.arithmetic import absolute, choose, constant_of, greater, less, nonzero
from symdiff.ops.casts import as_dtype_of, conjugated, number_or_array, real
from symdiff.ops.creation import zeros
from symdiff.ops.declare import (
    Absent,
    Operation,
    SeveralResults,
    array_type,
    broadcast_shapes,
    call,
    dotted,
    literal,
    lowers,
    static,
)
from symdiff.ops.decompositions import shorter, singular_part, svdvals
from symdiff.ops.effects import stop_gradient
from symdiff.ops.flops import of_matrix
from symdiff.ops.index import index_add_of, index_of
from symdiff.ops.linalg import common_dtype, hermitian_of, inv, one_triangle, rectangular, square
from symdiff.ops.norms import Order, matrix_norm, matrix_norm_direction
from symdiff.ops.products import adjoint, as_column, without_last
from symdiff.ops.reduce import Gradient, gradient_rules, sum
from symdiff.ops.sizes import sizes_of
from symdiff.ops.ufuncs import staged

EPS = float(np.finfo(np.float64).eps)  # LAPACK computes in double precision here, whatever is given

# pinv -------------------------------------------------------------------------------------------


def _infer_pinv(a: ArrayType, rcond: ArrayType, *, hermitian: bool = False) -> ArrayType:
    *stack, rows, columns = (square if hermitian else rectangular)(a).shape
    dtype = a.dtype if 0 in a.shape else common_dtype(a)
    return ArrayType(dtype, (*stack, columns, rows))


def _spell_pinv(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    shown = operands[:1] if constant_of(node.operands[1]) == 1e-15 else operands
    return call("np.linalg.pinv", hermitian=False)(node, shown)


def _size(y: Value) -> Value:
    """A number of the magnitude of a matrix, 1 of zeros; nothing is differentiated by it."""
    rank = array_type(y).rank
    axis, keepdims = (None, False) if rank == 2 else ((rank - 2, rank - 1), True)
    return nonzero(stop_gradient(sum(absolute(y), axis=axis, keepdims=keepdims)))


def _change(t: Value, y: Value, a: Value) -> Value:
    """Golub and Pereyra (1973), with the projectors ``1 - a y`` and ``1 - y a``.

    Products are of the pseudoinverse over its size: its square may be no float. Of a tall matrix
    none is larger than it is.
    """
    size = _size(y)
    unit, t = y / size, t * size
    rows = unit @ adjoint(unit) @ adjoint(t)
    columns = adjoint(t) @ adjoint(unit) @ unit
    change = (rows - (rows @ a) @ y) + (columns - (y @ a) @ columns) - unit @ t @ unit
    return change * size


def _share(g: Value, y: Value, a: Value) -> Value:
    """The transpose of ``_change``."""
    size = _size(y)
    unit, g = y / size, g * size
    rows = adjoint(g) @ (unit @ adjoint(unit))
    columns = adjoint(unit) @ (unit @ adjoint(g))
    outer = adjoint(unit) @ (g @ adjoint(unit))
    return ((rows - a @ (y @ rows)) + (columns - columns @ (y @ a)) - outer) * size


def _pinv_jvp(t: Value, y: Value, a: Value, rcond: Value, *, hermitian: bool = False) -> Value:
    if hermitian:
        a, t = hermitian_of(a, "L"), hermitian_of(t, "L")
    return as_dtype_of(_change(t, y, a), y)


def _pinv_vjp(g: Value, y: Value, a: Value, rcond: Value, *, hermitian: bool = False) -> Value:
    if not hermitian:
        return as_dtype_of(_share(g, y, a), a)
    return as_dtype_of(one_triangle(_share(g, y, hermitian_of(a, "L")), "L"), a)


pinv: Operation = Operation.of_arrays(
    "pinv",
    _infer_pinv,
    np.linalg.pinv,
    raises=True,
    cost="heavy",
    spelling=_spell_pinv,
    vjp={0: _pinv_vjp},
    jvp={0: _pinv_jvp},
    nondifferentiable=frozenset({1}),
    order="packed",
    example="np.linalg.pinv(X)",
    flops=of_matrix(22),
    documentation="The pseudoinverse; up to ``rcond`` of the largest, singular values are 0.",
)

# lstsq ------------------------------------------------------------------------------------------


def _infer_lstsq(
    a: ArrayType, b: ArrayType, *rcond: ArrayType, length: Dim
) -> tuple[ArrayType, ...]:
    if rectangular(a).rank > 2 or b.rank not in (1, 2):
        raise rejection(
            np.linalg.LinAlgError,
            f"{a.rank}-dimensional array given. Array must be two-dimensional",
        )
    (rows, columns), dtype = a.shape, common_dtype(a, b)
    small = real_dtype(dtype)
    return (
        ArrayType(dtype, (columns, *b.shape[1:])),
        ArrayType(small, (length,)),
        ArrayType(np.dtype(np.intc), (), "scalar"),
        ArrayType(small, (shorter(rows, columns),)),
    )


def _residuals_dim(a: Value, b: Value) -> Dim:
    """NumPy gives no residuals of matrices that are not tall, or lack rank."""
    rows, columns = rectangular(array_type(a)).shape[-2:]
    if rows == columns or (isinstance(rows, int) and isinstance(columns, int) and rows <= columns):
        return 0
    return Size(f"residuals(%{a.number},%{b.number})", open=True)


def _columns(x: Value) -> Value:
    return as_column(x) if array_type(x).rank == 1 else x


def _shaped_like(x: Value, like: Value) -> Value:
    return without_last(x) if array_type(like).rank == 1 else x


def _inverse(a: Value, rcond: Sequence[Value]) -> Value:
    """The pseudoinverse that takes as many singular values for 0 as ``lstsq`` does."""
    if rcond:
        given = rcond[0]
        cutoff = choose(less(given, 0.0), staged(EPS), given)
        known = constant_of(given)
        return pinv(a, cutoff if known is None else max(known, 0.0) or EPS)
    return pinv(a, _longest(a) * EPS)


def _longest(a: Value) -> Any:
    """The larger one of a matrix's two lengths."""
    rows, columns = sizes_of(a)[-2:]
    if isinstance(rows, int) and isinstance(columns, int):
        return max(rows, columns)
    return choose(greater(rows, columns), staged(rows), staged(columns))


def _residual_share(g: Value | None, x: Value, a: Value, b: Value) -> Value | None:
    """The cotangent of ``b - a @ x`` by the sums of its squares, of which there may be none."""
    if g is None or array_type(g).shape == (0,):
        return None
    residual = _columns(b) - a @ _columns(x)
    count, dim = sizes_of(residual)[1], array_type(residual).shape[1]
    weights = zeros(count, shape=(dim,), dtype=array_type(g).dtype)
    weights = index_add_of(weights, g, slice(None, sizes_of(g)[0]))
    return residual * (weights * 2.0)


def _solution_change(t: Value, x: Value, y: Value, a: Value, b: Value) -> Value:
    """The change of ``y @ b`` where ``y`` is the pseudoinverse: of vectors, as ``_change`` is."""
    size = _size(y)
    unit, t = y / size, t * size
    rows = unit @ (adjoint(unit) @ (adjoint(t) @ (b - a @ x))) * size
    columns = adjoint(t) @ (adjoint(unit) @ x)
    return rows + (columns - y @ (a @ columns)) - unit @ (t @ x)


def _solution_share(g: Value, x: Value, y: Value, a: Value, b: Value) -> Value:
    """The transpose of ``_solution_change``."""
    size = _size(y)
    unit = y / size
    rows = adjoint(unit) @ (g * size)
    residual = (b - a @ x) @ adjoint(unit @ rows)
    columns = adjoint(unit) @ x @ adjoint(g - unit @ ((a * size) @ g))
    return (residual + columns) * size - rows @ adjoint(x)


def _lstsq_vjp_matrix(
    g: Any, y: Any, a: Value, b: Value, *rcond: Value, length: Dim
) -> Value | None:
    """By ``x = pinv(a) @ b``; what the residuals are orthogonal to, they do not move along."""
    x_bar, residuals_bar, _, s_bar = g
    share: Value | None = None
    if x_bar is not None:
        share = _solution_share(_columns(x_bar), _columns(y[0]), _inverse(a, rcond), a, _columns(b))
    residual = _residual_share(residuals_bar, y[0], a, b)
    if residual is not None:
        part = -(residual @ adjoint(_columns(y[0])))
        share = part if share is None else share + part
    if s_bar is not None:
        part = svdvals.rule("vjp", 0)(s_bar, y[3], a)  # type: ignore[misc]
        share = part if share is None else share + part
    return None if share is None else as_dtype_of(share, a)


def _lstsq_vjp_right(
    g: Any, y: Any, a: Value, b: Value, *rcond: Value, length: Dim
) -> Value | None:
    share: Value | None = None
    if g[0] is not None:
        share = adjoint(_inverse(a, rcond)) @ _columns(g[0])
    residual = _residual_share(g[1], y[0], a, b)
    if residual is not None:
        share = residual if share is None else share + residual
    return None if share is None else as_dtype_of(_shaped_like(share, b), b)


def _lstsq_tangent(x_dot: Value, moved: Value, y: Any, a: Value, b: Value) -> tuple[Any, Any]:
    """The tangents of the solution and of the residuals: ``moved`` is that of ``b - a @ x``."""
    x, residuals = y[:2]
    products = conjugated(_columns(b) - a @ _columns(x)) * moved
    sums = sum(real(products) * 2.0, axis=(0,), keepdims=False)
    some = index_of(sums, slice(None, sizes_of(residuals)[0]))
    return as_dtype_of(_shaped_like(x_dot, x), x), as_dtype_of(some, residuals)


def _lstsq_jvp_matrix(
    t: Value, y: Any, a: Value, b: Value, *rcond: Value, length: Dim
) -> tuple[Any, ...]:
    x_dot = _solution_change(t, _columns(y[0]), _inverse(a, rcond), a, _columns(b))
    made = _lstsq_tangent(x_dot, -(t @ _columns(y[0])), y, a, b)
    return *made, None, svdvals.rule("jvp", 0)(t, y[3], a)  # type: ignore[misc]


def _lstsq_jvp_right(
    t: Value, y: Any, a: Value, b: Value, *rcond: Value, length: Dim
) -> tuple[Any, ...]:
    x_dot = _inverse(a, rcond) @ _columns(t)
    return *_lstsq_tangent(x_dot, _columns(t), y, a, b), None, None


lstsq = SeveralResults.of_arrays(
    "lstsq",
    _infer_lstsq,
    lambda a, b, *rcond, length: tuple(np.linalg.lstsq(a, b, *rcond)),
    raises=True,
    cost="heavy",
    spelling=lambda node, operands: ast.Call(dotted("np.linalg.lstsq"), list(operands), []),
    jax=Absent("JAX gives residuals of another shape"),
    vjp={0: _lstsq_vjp_matrix, 1: _lstsq_vjp_right},
    jvp={0: _lstsq_jvp_matrix, 1: _lstsq_jvp_right},
    nondifferentiable=frozenset({2}),
    example="np.linalg.lstsq(X, x)",
    documentation="The shortest least-squares solution, residuals, rank and singular values.",
)

# cond, matrix_rank ------------------------------------------------------------------------------


def _infer_cond(x: ArrayType, *, p: Order = None) -> ArrayType:
    matrix = (rectangular if p in (None, 2, -2) else square)(x)
    return number_or_array(real_dtype(common_dtype(matrix)), matrix.shape[:-2])


def _cond_gradient(y: Value, x: Value, *, p: Order = None, axis: Any = None) -> Gradient:
    if p in (None, 2, -2):
        return _ratio_gradient(y, x, p)
    inverse = inv(x)
    by_inverse = adjoint(inverse) @ matrix_norm_direction(inverse, p) @ adjoint(inverse)
    direct = matrix_norm_direction(x, p) * matrix_norm(inverse, p)
    return Gradient(direct - by_inverse * matrix_norm(x, p))


def _ratio_gradient(y: Value, x: Value, p: Order) -> Gradient:
    """Of the largest singular value over the smallest, or of the smallest over the largest."""
    upper, lower = ("smallest", "largest") if p == -2 else ("largest", "smallest")
    rank = array_type(y).rank
    ratio = as_column(as_column(y)) if rank else y
    direction = singular_part(x, part=upper)[0] - singular_part(x, part=lower)[0] * ratio
    return Gradient(direction, 1, index_of(svdvals(x), (Ellipsis, 0 if p == -2 else -1)))


def _rules_of_matrices() -> dict[str, Any]:
    rules = gradient_rules(_cond_gradient)

    def over_the_last_two(mode: str) -> Any:
        def rule(g: Value, y: Value, x: Value, *, p: Order = None) -> Value:
            rank = array_type(x).rank
            made: Value = rules[mode][0](g, y, x, p=p, axis=(rank - 2, rank - 1))
            return made

        return rule

    return {mode: {0: over_the_last_two(mode)} for mode in ("vjp", "jvp")}


condition_number: Operation = Operation.of_arrays(
    "condition_number",
    _infer_cond,
    np.linalg.cond,
    raises=True,
    cost="heavy",
    example="np.linalg.cond(A)",
    documentation="The condition number of a matrix in a norm.",
    **_rules_of_matrices(),
)


def _infer_rank(
    a: ArrayType, *tolerance: ArrayType, relative: bool = False, hermitian: bool = False
) -> ArrayType:
    if a.rank < 2:
        return INT
    common_dtype((square if hermitian else rectangular)(a))
    shape = broadcast_shapes(a.shape[:-2], *(t.shape for t in tolerance))
    return number_or_array(np.dtype(np.intp), shape)


def _spell_rank(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    name = "rtol" if node.attributes.get("relative") else "tol"
    keywords = [ast.keyword(name, operand) for operand in operands[1:]]
    if node.attributes.get("hermitian"):
        keywords.append(ast.keyword("hermitian", literal(True)))
    return ast.Call(dotted("np.linalg.matrix_rank"), list(operands[:1]), keywords)


def _evaluate_rank(a: Any, *tolerance: Any, relative: bool = False, hermitian: bool = False) -> Any:
    tolerances = {"rtol" if relative else "tol": tol for tol in tolerance}
    return np.linalg.matrix_rank(a, hermitian=hermitian, **tolerances)


matrix_rank: Operation = Operation.of_arrays(
    "matrix_rank",
    _infer_rank,
    _evaluate_rank,
    raises=True,
    cost="heavy",
    spelling=_spell_rank,
    jax=Absent("JAX takes no absolute tolerance"),
    nondifferentiable=True,
    documentation="How many singular values are not 0, up to a tolerance.",
)

# Lowerings --------------------------------------------------------------------------------------


@lowers(np.linalg.pinv)
def lower_pinv(
    a: Any, rcond: Any = None, hermitian: Any = False, *, rtol: Any = np._NoValue
) -> Value:
    x = staged(a)
    more = {"hermitian": True} if static(hermitian) else {}
    return pinv(x, staged(_cutoff(x, rcond, rtol)), **more)


def _cutoff(a: Value, rcond: Any, rtol: Any) -> Any:
    """The relative tolerance that NumPy takes."""
    if rcond is not None and rtol is not np._NoValue:
        raise rejection(ValueError, "`rtol` and `rcond` can't be both set.")
    if rcond is not None:
        return rcond
    if rtol is None:
        return _longest(a) * float(np.finfo(array_type(a).dtype).eps)
    return 1e-15 if rtol is np._NoValue else rtol


@lowers(np.linalg.lstsq)
def lower_lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Any, ...]:
    x, right = staged(a), staged(b)
    more = () if rcond is None else (staged(rcond),)
    return tuple(lstsq(x, right, *more, length=_residuals_dim(x, right)))


@lowers(np.linalg.cond)
def lower_cond(x: Any, p: Any = None) -> Any:
    if isinstance(p, Value) and array_type(p).dtype.kind == "f":
        return NotImplemented
    order = static(p)
    if order not in (None, 1, -1, 2, -2, np.inf, -np.inf, "fro", "f", "nuc"):
        raise rejection(ValueError, "Invalid norm order for matrices.")
    return condition_number(staged(x), **({} if order is None else {"p": order}))


@lowers(np.linalg.matrix_rank)
def lower_matrix_rank(
    A: Any, tol: Any = None, hermitian: Any = False, *, rtol: Any = None
) -> Value:
    if tol is not None and rtol is not None:
        raise rejection(ValueError, "`tol` and `rtol` can't be both set.")
    given = [staged(value) for value in (tol, rtol) if value is not None]
    attributes = {"relative": rtol is not None, "hermitian": bool(static(hermitian))}
    shown = {name: True for name, value in attributes.items() if value}
    return matrix_rank(staged(A), *given, **shown)
