"""Solvers of ``scipy.sparse.linalg`` that go step by step, against SciPy and dense solutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

sparse = pytest.importorskip("scipy.sparse")
solving = pytest.importorskip("scipy.sparse.linalg")

X = np.array([0.9, 1.7, 0.6, 1.3])
OUTSIDE = sparse.csr_array(np.diag([3.0, 4.0, 5.0, 3.5]) + np.eye(4, k=1))


def _matrix(x: Any) -> Any:
    return 0.1 * np.outer(x, x) + np.diag(1.0 + x)


def _sparse(x: Any) -> Any:
    return sparse.diags_array([2.0 + x, 0.3 * x[:3], 0.3 * x[:3]], offsets=[0, 1, -1])


@pytest.mark.parametrize(
    "name",
    ["cg", "cgs", "bicg", "bicgstab", "gmres", "lgmres", "minres", "qmr", "gcrotmk", "tfqmr"],
)
@pytest.mark.one_in(4)
def test_solutions_have_the_derivatives_of_the_equations(name: str) -> None:
    solve = getattr(solving, name)
    for matrix in (_matrix, _sparse, lambda x: _sparse(x).tocsr()):
        _agrees(_found_by(solve, matrix), _exact_of(matrix))


def _found_by(solve: Any, matrix: Any) -> Any:
    return lambda x: solve(matrix(x), x**2, rtol=1e-14)[0]


def _exact_of(matrix: Any) -> Any:
    def exact(x: Any) -> Any:
        dense = matrix(x) if matrix is _matrix else matrix(x).toarray()
        return np.linalg.solve(dense, x**2)

    return exact


def _agrees(found: Any, exact: Any) -> None:
    """Value, both modes and order two."""
    weights, direction = np.arange(4.0), np.array([0.3, -0.2, 0.5, 0.1])
    value, pullback = sd.vjp(found, X)
    np.testing.assert_allclose(value, found(X), rtol=1e-12)
    expected = sd.vjp(exact, X)[1](weights)
    np.testing.assert_allclose(pullback(weights), expected, rtol=1e-9, atol=1e-10)
    made, expected = (sd.jvp(f, (X,), (direction,))[1] for f in (found, exact))
    np.testing.assert_allclose(made, expected, rtol=1e-9, atol=1e-10)
    made, expected = (sd.hessian(lambda x, f=f: np.sum(f(x) ** 2))(X) for f in (found, exact))
    np.testing.assert_allclose(made, expected, rtol=1e-8, atol=1e-9)


def test_of_a_matrix_from_outside_and_from_a_given_start() -> None:
    check(lambda x: solving.gmres(OUTSIDE, x**2, x0=np.ones(4), rtol=1e-13, restart=3)[0], X)
    check(lambda x: solving.expm_multiply(0.1 * OUTSIDE, x**2), X)
    check(lambda x: solving.expm_multiply(_matrix(x) * 0.1, x), X)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
def test_least_squares(name: str) -> None:
    solve = getattr(solving, name)
    most: Any = {"lsqr": {"iter_lim": 50}, "lsmr": {"maxiter": 50}}[name]
    most |= {"atol": 1e-14, "btol": 1e-14}
    check(lambda x: solve(np.outer(x, x**2)[:, :2] + np.eye(4)[:, :2], x**2, **most)[0], X)
    check(lambda x: solve(np.outer(x, x**2)[:, :2] + np.eye(4)[:, :2], x**2, 0.4, **most)[0], X)
    check(lambda x: solve(OUTSIDE, x**2, **most)[0], X)


@pytest.mark.parametrize(("name", "told"), [("lsqr", (3, 4, 8, 9)), ("lsmr", (3, 7))])
def test_norms_that_least_squares_tell(name: str, told: tuple[int, ...]) -> None:
    """Of what is left, with and without the damping, and of the solution."""
    solve = getattr(solving, name)
    most: Any = {"lsqr": {"iter_lim": 50}, "lsmr": {"maxiter": 50}}[name]
    for damp in (0.0, 0.4):

        def norms(x: Any, damp: float = damp) -> Any:
            a = np.outer(x, x**2)[:, :2] + np.eye(4)[:, :2]
            found = solve(a, x**2, damp, atol=1e-14, btol=1e-14, **most)
            return tuple(found[k] for k in told)

        check(norms, X)


def test_steps_of_least_squares_are_known_when_they_run() -> None:
    def steps(x: Any) -> Any:
        return x[0] * solving.lsqr(OUTSIDE, x)[2]

    assert sd.value_and_grad(steps)(X)[0] == steps(X)
    np.testing.assert_array_equal(sd.grad(steps)(X), solving.lsqr(OUTSIDE, X)[2] * np.eye(4)[0])


def test_what_a_solver_tells_is_known_when_it_runs() -> None:
    def solved(x: Any, steps: Any) -> Any:
        y, told = solving.cg(_matrix(x), np.arange(4.0), rtol=1e-12, maxiter=steps)
        return y[0] if told == 0 else 10.0 + told

    program = sd.differentiable(solved)
    for steps in (1, 50):
        assert program(X, steps) == solved(X, steps)


def test_what_has_not_converged_has_no_derivative() -> None:
    def unfinished(x: Any) -> Any:
        return np.sum(solving.cg(_matrix(x), np.arange(4.0), rtol=1e-12, maxiter=1)[0])

    value, gradient = sd.value_and_grad(unfinished)(X)
    assert value == unfinished(X)
    assert np.isnan(gradient).all()


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda x: solving.bicg(_matrix(x), x, M=np.eye(4))[0], "M="),
        (lambda x: solving.cg(_matrix(x), x, callback=print)[0], "callback="),
        (lambda x: solving.minres(_matrix(x), x, shift=0.1)[0], "shift="),
        (lambda x: solving.gmres(_matrix(x), np.outer(x, x))[0], "several"),
        (lambda x: solving.cg(np.eye(4, dtype=np.float32), x.astype(np.float32))[0], "single"),
        (lambda x: solving.lsqr(_matrix(x), x)[5] * x, "way"),
        (lambda x: solving.lsmr(_matrix(x), x), "way, its estimates of the norm"),
    ],
)
def test_what_is_not_taken_is_refused(function: Any, told: str) -> None:
    with pytest.raises(sd.SymdiffError, match=told):
        sd.vjp(function, X)


def test_solutions_ask_for_no_library_that_is_not_there() -> None:
    solving.use_solver(useUmfpack=True)
    try:
        check(lambda x: solving.cg(_sparse(x).tocsr(), x**2, rtol=1e-14)[0], X)
        check(lambda x: solving.spsolve(_sparse(x).tocsr(), x**2, use_umfpack=False), X)
    finally:
        solving.use_solver(useUmfpack=False)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
def test_the_shortest_of_many_solutions(name: str) -> None:
    wide = np.random.default_rng(5).normal(size=(3, 5))
    solve = getattr(solving, name)
    found = sd.jacobian(lambda b: solve(wide, b)[0])(np.array([0.4, -1.1, 0.8]))
    np.testing.assert_allclose(found, np.linalg.pinv(wide), atol=1e-12)
    exact = {"atol": 1e-12, "btol": 1e-12}
    check(lambda x: solve(wide[:, 1:] * x, x[:3], **exact)[0], X)
    check(lambda x: solve(wide[:, 1:] * x, x[:3], damp=0.7, **exact)[0], X)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
def test_rows_or_columns_that_depend_on_one_another_are_said_to(name: str) -> None:
    rows = np.random.default_rng(5).normal(size=(2, 5))
    wide = np.stack([rows[0], rows[1], rows[0]])
    for matrix in (wide, wide.T):
        found = sd.grad(lambda b, a=matrix: np.sum(getattr(solving, name)(a, b)[0]))
        with pytest.raises(NotImplementedError, match="depend on one another"):
            found(np.ones(len(matrix)))
