"""Sparse matrices that are made inside a function, against SciPy's values and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

sparse = pytest.importorskip("scipy.sparse")
solving = pytest.importorskip("scipy.sparse.linalg")

X = np.array([0.7, 1.3, 2.1, 0.4])
WEIGHTS = np.arange(1.0, 4.0)
ROWS, COLUMNS = [0, 0, 1, 2], [0, 1, 0, 2]
OUTSIDE = sparse.csr_array([[1.0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4], [5, 0, 0, 6]])
DIAGONALS = sparse.dia_array(([[1.0, 2, 3, 4], [5, 6, 7, 8]], [1, -2]), shape=(4, 4))


def _matrix(x: Any) -> Any:
    return sparse.csr_matrix((x, (ROWS, COLUMNS)))


def _array(x: Any) -> Any:
    return sparse.csr_array((x, (ROWS, COLUMNS)))


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("suffix", ["array", "matrix"])
def test_of_places_of_arrays_of_lists_and_of_nothing(kind: str, suffix: str) -> None:
    made = getattr(sparse, f"{kind}_{suffix}")
    twice = np.array([0, 0, 1, 1]), np.array([1, 1, 0, 2])

    def parts(x: Any) -> Any:
        of_places = made((x, (ROWS, COLUMNS))) @ WEIGHTS
        added = made((x**2, twice)).toarray()
        of_array = made(np.outer(x, x)) @ x + made([[x[0], 0.0], [x[1], 2.0]]).toarray()[0, 0]
        empty = made((4, 4)) @ x + made(sparse.diags(x)) @ x
        return np.sum(of_places) + np.sum(added**2) + of_array + empty

    check(parts, X)


@pytest.mark.parametrize("made", [sparse.csr_array, sparse.csc_matrix])
def test_of_ends_without_a_shape(made: Any) -> None:
    ends, places = np.array([0, 2, 3, 4]), np.array([0, 1, 0, 2])
    check(lambda x: made((x, places, ends)).toarray() ** 2, X)
    check(lambda x: made((OUTSIDE.data * x[0], OUTSIDE.indices, OUTSIDE.indptr)) @ x, X)


def _filled(x: Any) -> Any:
    a = sparse.lil_array((4, 4))
    for i in range(4):
        a[i, i] += x[i] ** 2
        if i > 0:
            a[i, i - 1] = -x[i]
    a[0, :] = x
    a[1:3, 1:3] = np.outer(x, x)[:2, :2]
    a.setdiag(x[:2], 2)
    return a.tocsr() @ x


def _set_anew(x: Any) -> Any:
    a = OUTSIDE.tolil()
    a[0, 0] = x[0] ** 2
    b = sparse.dok_matrix((4, 4))
    b[1, 2] = x[1]
    b[1, 2] *= x[0]
    return a.tocsr() @ x + b.tocsc() @ x


def _in_a_loop(x: Any) -> Any:
    a = sparse.csr_matrix((4, 4))
    for k in range(3):
        a = a + sparse.diags(x**k)
    return a @ x


@pytest.mark.parametrize(
    "function",
    [
        lambda x: sparse.kron(_matrix(x), np.eye(2)).toarray() ** 2,
        lambda x: sparse.kron(OUTSIDE, _array(x), format="csr") @ np.ones(12),
        lambda x: sparse.kronsum(_matrix(x), _matrix(x**2)).toarray() ** 2,
        lambda x: sparse.hstack([_matrix(x), _matrix(x**2)]).toarray() ** 2,
        lambda x: sparse.bmat([[_matrix(x), None], [_matrix(x**2), _matrix(x)]]).toarray() ** 2,
        lambda x: sparse.block_array([[_array(x), x[:3, None]], [None, sparse.eye(1)]]).toarray(),
        lambda x: (_matrix(x) ** 2).toarray() * (_matrix(x) ** 0).toarray(),
        lambda x: (_array(x) ** 3).toarray() + _matrix(x).power(1.5).toarray(),
        lambda x: _matrix(x).multiply(_matrix(x).T).toarray() + _matrix(x).sqrt().toarray(),
        lambda x: (_array(x) * _array(x) * x[:3]).toarray() + _array(x).multiply(x[0]).toarray(),
        lambda x: _matrix(x).dot(_matrix(x)).toarray() @ _matrix(x).dot(np.outer(x, x)[:3]),
        lambda x: _array(x).sum(axis=0) * _array(x).sum(1) + _matrix(x).sum() * _array(x).mean(0),
        lambda x: _matrix(x).diagonal() * _matrix(x).trace() + _array(x).diagonal(1)[0],
        lambda x: (_matrix(x).T @ x[:3]) * (x[:3] @ _matrix(x)) * (_matrix(x) * x[:3]),
        lambda x: np.outer(x, x)[:, :3] @ _array(x),
        lambda x: _matrix(x)[:2].toarray() ** 2 + _matrix(x)[[0, 2], :].toarray(),
        lambda x: _array(x)[1:, :2].toarray() * _array(x)[::2][:, [2, 0]].toarray(),
        lambda x: _array(x)[np.array([True, False, True])].toarray() ** 2,
        lambda x: _matrix(x)[np.ix_([0, 1], [0, 2])].toarray() ** 2 + _matrix(x)[0, 1],
        lambda x: _array(x)[[0, 1, 0], [0, 1, 1]] ** 2 * _array(x)[-1, -1],
        lambda x: _matrix(x)[0].toarray() * _matrix(x)[:, 1].toarray() + _array(x)[0, 2],
        lambda x: (2 * _matrix(x) * x[0] + _matrix(x) / 2 - _matrix(x**2)).toarray() ** 2,
        lambda x: (OUTSIDE + sparse.diags_array(x) - 2 * sparse.eye_array(4)).toarray() ** 2,
        lambda x: np.ones((3, 3)) - (_array(x) + np.ones((3, 3))) ** 2,
        lambda x: sum([_array(x), _array(x * x)]).toarray() ** 2,
        lambda x: sparse.tril(_matrix(x)).toarray() + sparse.triu(_matrix(x**2), 1).toarray(),
        lambda x: (DIAGONALS @ x) * (DIAGONALS.T @ x),
        lambda x: sparse.dia_array((np.array([x, x**2]), [0, 1]), shape=(4, 4)) @ x,
        lambda x: solving.spsolve(sparse.diags([x + 3, x[1:]], [0, 1], format="csc"), np.eye(4)),
        _filled,
        _set_anew,
        _in_a_loop,
    ],
)
def test_what_is_computed_with_them(function: Callable[..., Any]) -> None:
    check(function, X)


def test_entries_are_those_of_scipy_where_these_are_known() -> None:
    def stored(x: Any) -> Any:
        twice = sparse.csr_array((x, ([1, 0, 1, 0], [1, 1, 1, 0])))
        return twice.data * twice.nnz + np.sum(twice.tocoo().data ** 2)

    check(stored, X)


def test_places_that_are_arguments() -> None:
    def product(x: Any, rows: Any, columns: Any) -> Any:
        made = sparse.csr_array((x, (rows, columns)))
        return (made @ made).toarray() @ np.ones(made.shape[0]) * made.shape[1]

    check(product, X, np.array([0, 2, 1, 2]), np.array([1, 2, 0, 1]))
    check(product, X, np.array([0, 0, 1, 1]), np.array([1, 0, 0, 1]))
    check(product, X, np.zeros(4, np.int32), np.zeros(4, np.int32))


def test_single_precision_complex_numbers_and_no_entries() -> None:
    def squares(x: Any) -> Any:
        return np.sum((_array(x) @ _array(x)).toarray())

    single = sd.grad(squares)(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, sd.grad(squares)(X), rtol=1e-6)
    z = X * (1 + 0.5j)
    value, pullback = sd.vjp(squares, z)
    np.testing.assert_allclose(value, squares(z), rtol=1e-15)
    h = 1e-6
    slope = [(squares(z + h * e) - squares(z - h * e)) / (2 * h) for e in np.eye(4)]
    np.testing.assert_allclose(pullback(1.0 + 0j)[0], np.conj(slope), rtol=1e-8)

    def none(x: Any) -> Any:
        made = sparse.csr_array((x, ([], [])), shape=(3, 3))
        return np.sum((made @ made + made).toarray()) + made.diagonal()[0]

    assert sd.grad(none)(np.zeros(0)).shape == (0,)


def test_a_large_matrix_takes_no_more_room_than_its_entries() -> None:
    def quadratic(x: Any) -> Any:
        n = 100_000
        lines = [np.full(n, x[0]), np.full(n - 1, x[1]), np.full(n - 1, x[2])]
        made = sparse.diags(lines, [0, 1, -1], format="csr")
        whole = (made @ made + x[3] * sparse.identity(n) - made.T).multiply(made)
        return whole[:50][:, :60] @ np.arange(60.0)

    check(quadratic, X, order=1)


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda x: x if _array(x) == _array(x) else 2 * x, "compared"),
        (lambda x: x * (2 if isinstance(_array(x), sparse.csr_array) else 3), "csr_array"),
        (lambda x: (_array(x) + _array(x)).nnz * x, "nnz"),
        (lambda x: _array(x)[0], "row"),
        (lambda x: _matrix(x)[[0, 1], [0, 1]], "numpy.matrix"),
        (lambda x: _matrix(x) + np.ones((3, 3)), "numpy.matrix"),
        (lambda x: sparse.bsr_array(np.outer(x, x)) @ x, "bsr"),
    ],
)
def test_what_is_not_taken_is_refused(function: Callable[..., Any], told: str) -> None:
    with pytest.raises(sd.UnsupportedCallError, match=told):
        sd.vjp(function, X)


def test_a_matrix_knows_that_it_is_sparse() -> None:
    assert sd.value_and_grad(lambda x: x[0] * (2 if sparse.issparse(_array(x)) else 3))(X)[0] == 1.4


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda x: _array(x) @ x, ValueError),
        (lambda x: OUTSIDE @ x[:3], ValueError),
        (lambda x: (_array(x) + OUTSIDE).toarray(), ValueError),
        (lambda x: (_array(x) @ OUTSIDE).toarray(), ValueError),
        (lambda x: _array(x)[3, 0], IndexError),
        (lambda x: sparse.csr_array((x, (ROWS[:3], COLUMNS[:3]))).toarray(), ValueError),
    ],
)
def test_errors_are_those_of_scipy(function: Callable[..., Any], error: type[Exception]) -> None:
    for called in (function, sd.differentiable(function), lambda x: sd.vjp(function, x)):
        with pytest.raises(error):
            called(X)


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [([0, 2], [0, 1], "axis 0 index 2 exceeds"), ([0, 1], [0, -1], "negative axis 1 index: -1")],
)
def test_places_that_are_not_there_raise_as_in_scipy(rows, columns, message):
    def f(x):
        return np.sum(sparse.coo_matrix((x, (rows, columns)), shape=(2, 2)).toarray())

    for called in (f, sd.grad(f)):
        with pytest.raises(ValueError, match=message):
            called(np.array([0.7, 1.3]))
