"""Riccati's equations and generalised eigenvalues, against SciPy's values and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

linalg = pytest.importorskip("scipy.linalg")

X = np.array([0.9, 1.7, 0.6, 1.3])
WEIGHTS = np.arange(4.0).reshape(2, 2) + 1.0


def _system(x: Any) -> Any:
    a = np.array([[-x[0], x[1]], [0.2, -x[2] - 1.0]])
    return a, np.array([[x[3]], [1.0]]), np.diag(x[:2]), np.eye(1) * x[0]


def _symmetric(x: Any) -> Any:
    return np.outer(x, x) + np.diag(x**2)


def _positive(x: Any) -> Any:
    return np.diag(x) + 0.1


@pytest.mark.parametrize("name", ["solve_continuous_are", "solve_discrete_are"])
@pytest.mark.parametrize(
    "more",
    [
        lambda x: {},
        lambda x: {"s": 0.1 * np.array([[x[3]], [1.0]])},
        lambda x: {"e": np.eye(2) * x[1] + 0.1},
        lambda x: {"e": np.eye(2) * x[1] + 0.1, "s": 0.1 * np.array([[x[2]], [1.0]])},
    ],
)
def test_riccatis_equations(name: str, more: Any) -> None:
    check(lambda x: getattr(linalg, name)(*_system(x), **more(x)) * WEIGHTS, X)


@pytest.mark.parametrize("name", ["solve_continuous_are", "solve_discrete_are"])
def test_a_weight_that_is_a_number(name: str) -> None:
    check(lambda x: getattr(linalg, name)(*_system(x)[:3], x[3] + 1.0) * WEIGHTS, X)


def test_the_equation_is_satisfied_by_the_derivative() -> None:
    """``(a - b k)ᵀ dx + dx (a - b k) + dq = 0`` where only the cost changes."""
    a, b, q, r = _system(X)
    change = np.array([[0.3, 0.1], [0.1, -0.2]])
    _, moved = sd.jvp(lambda q: linalg.solve_continuous_are(a, b, q, r), (q,), (change,))
    closed = a - b @ np.linalg.solve(r, b.T @ linalg.solve_continuous_are(a, b, q, r))
    np.testing.assert_allclose(closed.T @ moved + moved @ closed, -change, atol=1e-13)


def test_what_has_no_solution_raises() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        sd.grad(lambda x: np.sum(linalg.solve_continuous_are(x, 0.0 * x, x, x)))(np.eye(2))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: linalg.eigh(_symmetric(x), _positive(x))[0],
        lambda x: linalg.eigh(_symmetric(x), _positive(x))[1],
        lambda x: linalg.eigh(_symmetric(x), _positive(x), lower=False, eigvals_only=True),
        lambda x: linalg.eigvalsh(_symmetric(x), _positive(x)),
        lambda x: linalg.eigh(_symmetric(x), subset_by_index=[1, 2])[0],
        lambda x: linalg.eigh(_symmetric(x), subset_by_index=[1, 2])[1],
        lambda x: linalg.eigh(_symmetric(x), subset_by_value=[0.0, np.inf])[0],
        lambda x: linalg.eigh(_symmetric(x), subset_by_value=[-np.inf, 1.0])[1],
        lambda x: linalg.eigvalsh(_symmetric(x), subset_by_value=(-9.0, 0.5)),
        lambda x: linalg.eigvals_banded(np.vstack((x / 3, x + 3))),
        lambda x: linalg.eigvals_banded(np.vstack((x / 3, x + 3)), overwrite_a_band=True),
        lambda x: linalg.eigvals_banded(np.vstack((x + 3, x / 3)), lower=True),
        lambda x: linalg.eigh_tridiagonal(np.cumsum(x), x[:3])[0],
        lambda x: linalg.eigh_tridiagonal(np.cumsum(x), x[:3])[1],
        lambda x: linalg.eigh_tridiagonal(np.cumsum(x), x[:3], eigvals_only=True),
        lambda x: linalg.fractional_matrix_power(_positive(x), x[0]),
        lambda x: linalg.orthogonal_procrustes(_symmetric(x), _positive(x))[0],
        lambda x: linalg.orthogonal_procrustes(_symmetric(x), _positive(x))[1],
    ],
)
def test_eigenvalues_and_powers(function: Any) -> None:
    check(function, X)


def test_vectors_of_a_complex_matrix_have_scipys_phases() -> None:
    a = _symmetric(X) + 1j * np.triu(np.ones((4, 4)), 1) - 1j * np.tril(np.ones((4, 4)), -1)
    expected = linalg.eigh(a, _positive(X))
    made, _ = sd.jvp(lambda a: linalg.eigh(a, _positive(X)), (a,), (a.real + 0j,))
    np.testing.assert_array_equal(made[0], expected[0])
    np.testing.assert_array_equal(made[1], expected[1])


def test_other_types_of_problems_are_refused() -> None:
    with pytest.raises(sd.UnsupportedCallError, match="type="):
        sd.grad(lambda x: linalg.eigh(_symmetric(x), _positive(x), type=2)[0][0])(X)
