"""``lu_factor`` and ``solve_banded`` of ``scipy.linalg``.

The derivative of a factorisation holds its pivots, and is that of JAX's rule: with ``a[order] =
l @ u``, the change ``f = l⁻¹ @ ȧ[order] @ u⁻¹`` is split in a strictly lower part, which ``l``
takes, and the rest. Of a matrix that is not square the shorter factor is filled up by the unit
matrix. The entries of a band that lie outside of the matrix have the derivative 0.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.libraries import when_imported
from symdiff.definitions.matrices import order_of_pivots
from symdiff.ir.graph import Operand, Value
from symdiff.ir.types import ArrayType
from symdiff.ops import support
from symdiff.ops.arithmetic import greater_equal, less_equal
from symdiff.ops.arrays import array_of
from symdiff.ops.casts import as_dtype_of, conjugated
from symdiff.ops.creation import arange_of, eye
from symdiff.ops.declare import (
    FUNCTIONS,
    Operation,
    SeveralResults,
    array_type,
    broadcast_shapes,
    call,
    lowers,
    static_integer,
    template,
)
from symdiff.ops.decompositions import shorter
from symdiff.ops.index import index, index_of, index_set
from symdiff.ops.joining import tril, triu
from symdiff.ops.keys import Slice, Slot
from symdiff.ops.linalg import rectangular, solve
from symdiff.ops.matrix_functions import MODULE, of_scipy, one_matrix
from symdiff.ops.products import adjoint, as_column, swapped
from symdiff.ops.sizes import sizes_of
from symdiff.ops.ufuncs import staged


def _np(function: Any, *arguments: Any, **options: Any) -> Any:
    return FUNCTIONS[function](*arguments, **options)


# lu_factor ----------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def _factor_dtype(dtype: np.dtype) -> np.dtype:
    found: np.dtype = of_scipy("lu_factor")(np.eye(1, dtype=dtype))[0].dtype
    return found


def _infer_factor(a: ArrayType) -> tuple[ArrayType, ...]:
    pivots = ArrayType(np.dtype("int32"), (shorter(*rectangular(a).shape),))
    return ArrayType(_factor_dtype(a.dtype), a.shape), pivots


def _square_factors(packed: Value) -> tuple[Value, Value]:
    """Both factors, filled up to square matrices."""
    rows, columns = array_type(packed).shape
    m, n = sizes_of(packed)
    dtype = array_type(packed).dtype
    unit = eye(m, n, k=0, shape=(rows, columns), dtype=dtype)
    lower, upper = tril(packed, k=-1) + unit, triu(packed, k=0)
    if rows == columns:
        return lower, upper
    count = shorter(rows, columns)
    first = index(lower, *_operands(m), key=(_ALL, _up_to(m)), shape=(rows, count))
    whole = eye(m, m, k=0, shape=(rows, rows), dtype=dtype)
    left = index_set(whole, first, *_operands(n), key=(_ALL, _up_to(n)), shape=(rows, count))
    first = index(upper, *_operands(n), key=(_up_to(n),), shape=(count, columns))
    whole = eye(n, n, k=0, shape=(columns, columns), dtype=dtype)
    right = index_set(whole, first, *_operands(m), key=(_up_to(m),), shape=(count, columns))
    return left, right


_ALL = Slice(None, None, None)


def _up_to(length: Operand) -> Slice:
    return Slice(None, length if isinstance(length, int) else Slot(0), None)


def _operands(length: Operand) -> tuple[Operand, ...]:
    return () if isinstance(length, int) else (length,)


def _divided(x: Value, a: Value) -> Value:
    """``x @ inv(a)``."""
    return swapped(solve(swapped(a), swapped(x)))


def _factor_jvp(t: Value, y: tuple[Value, Value], a: Value) -> tuple[Value, None]:
    packed, pivots = y
    lower, upper = _square_factors(packed)
    moved = index_of(t, (order_of(packed, pivots),))
    change = _divided(solve(lower, moved), upper)
    made = lower @ tril(change, k=-1) + triu(change, k=0) @ upper
    return as_dtype_of(made, packed), None


def _factor_vjp(g: tuple[Value | None, Any], y: tuple[Value, Value], a: Value) -> Value | None:
    packed, pivots = y
    if g[0] is None:
        return None
    lower, upper = _square_factors(packed)
    below = tril(adjoint(lower) @ tril(g[0], k=-1), k=-1)
    above = triu(triu(g[0], k=0) @ adjoint(upper), k=0)
    share = _divided(solve(adjoint(lower), below + above), adjoint(upper))
    back = _np(np.argsort, order_of(packed, pivots))
    return as_dtype_of(index_of(share, (back,)), a)


lu_factor = SeveralResults.of_arrays(
    "linalg_lu_factor",
    _infer_factor,
    lambda a: of_scipy("lu_factor")(a),
    raises=True,
    cost="heavy",
    spelling=call(f"{MODULE}.lu_factor"),
    vjp={0: _factor_vjp},
    jvp={0: _factor_jvp},
    example="linalg_lu_factor(A)",
    documentation="Both triangular factors of a matrix with exchanged rows, and the pivots.",
)


order_of: Operation = Operation.of_arrays(
    "order_of_pivots",
    lambda packed, pivots: ArrayType(np.dtype("int64"), packed.shape[:1]),
    support.order_of_pivots,
    nondifferentiable=True,
    documentation="The rows of a matrix in the order in which its factors have them.",
)

# solve_banded -------------------------------------------------------------------------------------


def _infer_banded(ab: ArrayType, b: ArrayType, *, below: int, above: int) -> ArrayType:
    columns = broadcast_shapes(rectangular(ab).shape[1:], b.shape[:1])
    return ArrayType(_banded_dtype(ab.dtype, b.dtype), (*columns, *b.shape[1:]))


@functools.lru_cache(maxsize=64)
def _banded_dtype(band: np.dtype, right: np.dtype) -> np.dtype:
    solved = of_scipy("solve_banded")((1, 1), np.ones((3, 3), band), np.ones(3, right))
    found: np.dtype = solved.dtype
    return found


def _diagonals(x: Value, offsets: range) -> tuple[Value, Value, Value]:
    """For each diagonal its number in a column; where ``x`` is read for it, and if that is there.

    Place ``i`` of the diagonal ``d`` reads place ``i + d``.
    """
    length = sizes_of(x)[-1]
    numbers = array_of(np.array(offsets)[:, None])
    places = arange_of(length) + numbers
    last = _np(np.maximum, length - 1, 0)
    there = _np(np.logical_and, greater_equal(places, 0), less_equal(places, last))
    return numbers, _np(np.clip, places, 0, last), there


def _masked(x: Value, there: Value) -> Value:
    """``x``, and 0 where nothing is there."""
    if array_type(x).rank > array_type(there).rank:
        there = as_column(there)
    zero = array_type(x).dtype.type(0)
    return _np(np.where, there, x, zero)  # type: ignore[no-any-return]


def _band_adjoint(ab: Value, below: int, above: int) -> Value:
    numbers, places, there = _diagonals(ab, range(-below, above + 1))
    return conjugated(_masked(index_of(ab, (above - numbers, places)), there))


def _band_product(ab: Value, x: Value, below: int, above: int) -> Value:
    numbers, places, there = _diagonals(ab, range(-below, above + 1))
    entries = _masked(index_of(ab, (above - numbers, places)), there)
    rows = index_of(x, (places,))
    if array_type(rows).rank > 2:
        entries = as_column(entries)
    return _np(np.sum, entries * rows, axis=0)  # type: ignore[no-any-return]


def _banded_share(g: Value, ab: Value, below: int, above: int) -> Value:
    return solve_banded(_band_adjoint(ab, below, above), g, below=above, above=below)


def _banded_right(g: Value, y: Value, ab: Value, b: Value, *, below: int, above: int) -> Value:
    return as_dtype_of(_banded_share(g, ab, below, above), b)


def _banded_band(g: Value, y: Value, ab: Value, b: Value, *, below: int, above: int) -> Value:
    share = _banded_share(g, ab, below, above)
    _, places, there = _diagonals(ab, range(-above, below + 1))
    products = _masked(index_of(share, (places,)) * conjugated(y), there)
    if array_type(products).rank > 2:
        products = _np(np.sum, products, axis=-1)
    return as_dtype_of(-products, ab)


def _banded_band_jvp(t: Value, y: Value, ab: Value, b: Value, *, below: int, above: int) -> Value:
    change: Value = solve_banded(ab, _band_product(t, y, below, above), below=below, above=above)
    return -change


solve_banded: Operation = Operation.of_arrays(
    "linalg_solve_banded",
    _infer_banded,
    lambda ab, b, *, below, above: of_scipy("solve_banded")((below, above), ab, b),
    raises=True,
    cost="heavy",
    spelling=template(MODULE + ".solve_banded(({below}, {above}), {0}, {1})"),
    vjp={0: _banded_band, 1: _banded_right},
    jvp={
        0: _banded_band_jvp,
        1: lambda t, y, ab, b, below, above: solve_banded(ab, t, below=below, above=above),
    },
    example="linalg_solve_banded(transpose(x3, axes=(1, 0)), x, below=1, above=1)",
    documentation="The solution of equations whose matrix is given by its diagonals.",
)

# What calls mean ----------------------------------------------------------------------------------


def _lower_lu_factor(a: Any) -> Any:
    return tuple(lu_factor(one_matrix(a, "lu_factor")))


def _lower_solve_banded(l_and_u: Any, ab: Any, b: Any) -> Value:
    below, above = (static_integer(width) for width in l_and_u)
    right = one_matrix(b, "solve_banded")
    return solve_banded(one_matrix(ab, "solve_banded"), right, below=below, above=above)


lowers(order_of_pivots)(lambda packed, pivots: order_of(staged(packed), staged(pivots)))


@when_imported(MODULE)
def _register(linalg: ModuleType) -> None:
    lowers(linalg.lu_factor)(_lower_lu_factor)
    lowers(linalg.solve_banded)(_lower_solve_banded)
