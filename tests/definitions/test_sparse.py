"""Products of ``scipy.sparse`` matrices with arrays, against SciPy's values and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

sparse = pytest.importorskip("scipy.sparse")
solving = pytest.importorskip("scipy.sparse.linalg")

RNG = np.random.default_rng(0)
DENSE = np.where(RNG.uniform(size=(4, 3)) < 0.5, 0.0, RNG.normal(size=(4, 3)))
DENSE[2] = 0.0  # a row without entries
CSR, CSC, COO = sparse.csr_array(DENSE), sparse.csc_matrix(DENSE), sparse.coo_array(DENSE)
SQUARE = sparse.csc_array(np.diag([3.0, 4.0, 5.0]) + np.eye(3, k=1) - 2 * np.eye(3, k=-2))
BLOCKS = sparse.bsr_array(SQUARE)
X, Y = RNG.normal(size=3), RNG.normal(size=(4, 2))
ROWS, COLUMNS = np.array([0, 1, 1, 3]), np.array([2, 0, 2, 1])


def _made(data: Any, x: Any) -> Any:
    matrix = sparse.csr_array((data, (ROWS, COLUMNS)), shape=(4, 3))
    compressed = sparse.csc_matrix((data, ROWS, [0, 1, 3, 4]), shape=(4, 3))
    return matrix @ x * (compressed @ (x * x)) + (matrix.toarray() @ x)


def _solved(data: Any, b: Any) -> Any:
    places = (np.array([0, 1, 2, 0]), np.array([0, 1, 2, 2]))
    return solving.spsolve(sparse.csc_matrix((data, places), shape=(3, 3)), b)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda x: CSR @ x * (CSC @ (x * x)), (X,)),
        (lambda x: COO.dot(x) * (2.0 * CSR @ x), (X,)),
        (lambda y: (CSR.T @ y) * (CSC.T * y), (Y,)),
        (lambda y: (y.T @ CSR) * (y[:, 0] @ CSC) @ (CSC.toarray().T @ y), (Y,)),
        (lambda x: solving.spsolve(SQUARE, x * x), (X,)),
        (_made, (np.array([0.5, 1.5, -0.3, 2.0]), X)),
        (_solved, (np.array([2.5, 1.5, -3.3, 2.0]), X)),
    ],
)
def test_products_and_solutions(function: Callable[..., Any], args: Any):
    check(function, *args, wrt=tuple(range(len(args))))


def test_a_matrix_as_an_argument():
    def squares(matrix: Any, x: Any) -> Any:
        return np.sum((matrix @ x) ** 2)

    gradient = sd.grad(squares, 1)
    for matrix in (CSR, 2 * CSR, CSC):
        np.testing.assert_allclose(gradient(matrix, X), 2 * (matrix.T @ (matrix @ X)), rtol=1e-14)


def test_entries_that_change_are_read_again():
    matrix = CSR.copy()
    gradient = sd.grad(lambda x: np.sum(matrix @ x))
    first = gradient(X)
    matrix.data *= 3.0
    np.testing.assert_allclose(gradient(X), 3 * first, rtol=1e-14)


def test_single_and_complex_numbers():
    matrix = CSR.astype(np.float32)
    single = sd.grad(lambda x: np.sum((matrix @ x) ** 2))(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, 2 * (CSR.T @ (CSR @ X)), rtol=1e-5)
    factor = sparse.csr_array(DENSE * (1 + 2j))
    value, pullback = sd.vjp(lambda z: factor @ z, X + 1j)
    np.testing.assert_array_equal(value, factor @ (X + 1j))
    np.testing.assert_allclose(pullback(value)[0], factor.conj().T @ value, rtol=1e-14)


def test_what_is_not_taken_is_refused():
    for function, told in (
        (lambda x: (CSR / x).toarray(), "elementwise"),
        (lambda x: solving.spsolve(SQUARE, CSR), "sparse matrix of right sides"),
        (lambda x: BLOCKS @ x, "bsr"),
    ):
        with pytest.raises(sd.UnsupportedCallError, match=told):
            sd.vjp(function, X)


@pytest.mark.parametrize("made", [sparse.csr_array, sparse.csc_array])
def test_equations_are_solved_by_rows_or_by_columns_as_scipy_does(made: Any) -> None:
    places = np.array([0, 1, 2, 0, 3, 3, 1]), np.array([0, 1, 2, 2, 3, 0, 3])

    def solved(data, b):
        return solving.spsolve(made((data, places), shape=(4, 4)), b)

    program, random = sd.differentiable(solved), np.random.default_rng(0)
    for _ in range(5):
        data, b = random.uniform(1, 2, 7), random.normal(size=4)
        np.testing.assert_array_equal(program.forward(data, b)[0], solved(data, b))


def _banded(x: Any) -> Any:
    return sparse.diags([x, 2.0, x[:2] ** 2], [0, 1, -1], shape=(3, 3), format="csr")


@pytest.mark.parametrize(
    "function",
    [
        lambda x: _banded(x) @ x,
        lambda x: (sparse.diags_array(x) + SQUARE).toarray() @ x,
        lambda x: (SQUARE - 2.0 * sparse.diags_array(x)) @ x / x[0],
        lambda x: (SQUARE @ sparse.csr_array(np.outer(x, x))).toarray() ** 2,
        lambda x: sparse.csr_array(np.outer(x, x)).multiply(x)[1:, :2].toarray(),
        lambda x: -_banded(x).diagonal(1) * SQUARE.sum(axis=0)[1:] + _banded(x)[0, 1],
        lambda x: sparse.diags_array(x**2).sum(axis=0) * sparse.diags_array(x).sum(),
        lambda x: sparse.block_diag([np.outer(x, x), sparse.diags_array(x)]).toarray(),
        lambda x: sparse.vstack([_banded(x), SQUARE, sparse.eye_array(3)]) @ x**2,
        lambda x: sparse.hstack([sparse.identity(3), _banded(x)]).toarray() ** 2,
        lambda x: sparse.spdiags([x, x**2], [0, 1], 3, 3) @ x,
        lambda x: sparse.spdiags(np.outer(x, x)[:2], [-1, 1], 4, 3).toarray(),
        lambda x: solving.spsolve(_banded(x) * 0.1 + 4.0 * sparse.eye(3), x),
    ],
)
def test_matrices_made_of_diagonals_blocks_and_sums(function: Callable[..., Any]):
    check(function, X)
    value = np.asarray(sd.vjp(function, X)[0])
    np.testing.assert_allclose(value, function(X), rtol=1e-14, atol=1e-15)


def _in_order(matrix: Any) -> Any:
    return np.sum(np.arange(3.0) * matrix.data)


def test_entries_by_themselves_stand_in_the_order_of_scipy():
    places = np.array([2, 0, 1]), np.array([0, 1, 2])

    def kept(x: Any) -> Any:
        return _in_order(sparse.coo_array((x, places), shape=(3, 3)))

    def compressed(x: Any) -> Any:
        return _in_order(sparse.csr_array((x, places[1], [0, 1, 2, 3]), shape=(3, 3)).tocoo())

    for function in (kept, compressed):
        np.testing.assert_array_equal(sd.grad(function)(X), np.arange(3.0))


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda x: sparse.csr_array(np.outer(x, x)).data, "order"),
        (lambda x: sparse.diags_array(x).tocsr().data, "order"),
        (lambda x: sparse.csr_array(np.outer(x, x)).nnz * x, "nnz"),
        (lambda x: sparse.csr_matrix(np.outer(x, x)).sum(axis=0), "numpy.matrix"),
        (lambda x: sparse.csr_matrix(np.outer(x, x)).todense(), "numpy.matrix"),
        (lambda x: sparse.csr_array(np.outer(x, x))[0], "row"),
        (lambda x: sparse.vstack([sparse.diags_array(x), None]) @ x, "together"),
    ],
)
def test_what_depends_on_how_scipy_stores_a_matrix_is_refused(
    function: Callable[..., Any], told: str
):
    with pytest.raises(sd.UnsupportedCallError, match=told):
        sd.vjp(function, X)


def test_the_dtype_of_diagonals_of_integers():
    lines = np.array([1, 2, 3])

    def kinds(x):
        made = [sparse.diags(lines, dtype=None), sparse.diags_array(lines, dtype=None)]
        given = sparse.diags(lines * 1.0, dtype=np.float32)
        return x * len([m for m in made if m.dtype.kind == "i"]) + (given.dtype == np.float32)

    assert sd.value_and_grad(kinds)(2.0) == (5.0, 2.0)
