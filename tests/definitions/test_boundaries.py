"""Boundary value problems, against solutions in closed form and differences of SciPy's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

integrate = pytest.importorskip("scipy.integrate")

P = np.array([1.7, 0.4, -0.8])


def _oscillator(p: Any, x: Any, guess: Any, tol: float = 1e-10) -> Any:
    """``y'' = -p[0]**2 y`` from ``p[1]`` to ``p[2]``."""

    def fun(x: Any, y: Any) -> Any:
        return np.vstack((y[1], -p[0] * p[0] * y[0]))

    def bc(ya: Any, yb: Any) -> Any:
        return np.array([ya[0] - p[1], yb[0] - p[2]])

    return integrate.solve_bvp(fun, bc, x, guess, tol=tol, max_nodes=20000)


def _exactly(p: Any, x: Any, end: Any = 1.0) -> Any:
    b = (p[2] - p[1] * np.cos(p[0] * end)) / np.sin(p[0] * end)
    return p[1] * np.cos(p[0] * x) + b * np.sin(p[0] * x)


PLACES = np.array([0.0, 0.31, 0.77, 1.0])


def _solved(p: Any) -> Any:
    return _oscillator(p, np.linspace(0, 1, 5), np.zeros((2, 5)), 1e-6).sol(PLACES)[0]


def test_a_linear_equation_by_all_parameters_to_second_order() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy
    weights = np.array([0.7, -1.0, 0.4, 0.3])

    def exact(p: Any) -> Any:
        b = (p[2] - p[1] * jnp.cos(p[0])) / jnp.sin(p[0])
        return jnp.dot(p[1] * jnp.cos(p[0] * PLACES) + b * jnp.sin(p[0] * PLACES), weights)

    def solved(p: Any) -> Any:
        return np.dot(_solved(p), weights)

    np.testing.assert_allclose(solved(P), exact(P), rtol=1e-6)
    np.testing.assert_allclose(sd.grad(solved)(P), jax.grad(exact)(P), rtol=1e-5)
    v = np.array([0.3, -1.0, 0.6])
    tangent = sd.jvp(solved, (P,), (v,))[1]
    np.testing.assert_allclose(tangent, jax.jvp(exact, (P,), (v,))[1], rtol=1e-5)
    np.testing.assert_allclose(sd.hessian(solved)(P), jax.hessian(exact)(P), rtol=1e-5, atol=1e-6)


def test_the_end_of_the_interval_moves_the_nodes() -> None:
    def last(end: Any) -> Any:
        found = _oscillator(P, np.linspace(0, end, 4), np.zeros((2, 4)), 1e-8)
        return found.sol(0.5 * end)[0] + found.yp[0, 0]

    def exact(end: float) -> Any:
        h = 1e-5
        rise = (_exactly(P, h, end) - _exactly(P, -h, end)) / (2 * h)
        return _exactly(P, 0.5 * end, end) + rise

    h = 1e-3
    first = (8 * (exact(1 + h) - exact(1 - h)) - exact(1 + 2 * h) + exact(1 - 2 * h)) / (12 * h)
    np.testing.assert_allclose(sd.grad(last)(1.0), first, rtol=1e-6)


def test_a_nonlinear_equation_with_lists_beside_what_scipy_tells() -> None:
    def solved(p: Any, x: Any) -> Any:
        def fun(x: Any, y: Any) -> Any:
            return [y[1], -p[0] * np.exp(p[1] * y[0])]

        def bc(ya: Any, yb: Any) -> Any:
            return [ya[0] - p[2], yb[1]]

        found = integrate.solve_bvp(fun, bc, x, np.zeros((2, len(x))), tol=1e-8, max_nodes=5000)
        if not found.success:
            raise RuntimeError(found.status)
        return np.append(found.sol(PLACES, 1), np.sum(found.y[:, 0] * found.yp[:, -1]))

    check(solved, np.array([0.3, 0.6, 0.2]), np.linspace(0.0, 1.0, 65))


def test_parameters_that_are_sought() -> None:
    """The frequency at which a string of some tension answers, and its slope."""

    def solved(tension: Any, slope: Any) -> Any:
        def fun(x: Any, y: Any, p: Any) -> Any:
            return np.vstack((y[1], -(p[0] ** 2) / tension * y[0]))

        def bc(ya: Any, yb: Any, p: Any) -> Any:
            return np.array([ya[0], yb[0], ya[1] - slope * p[0]])

        x = np.linspace(0, 1, 5)
        guess = np.stack((np.sin(np.pi * x), np.pi * np.cos(np.pi * x)))
        found = integrate.solve_bvp(fun, bc, x, guess, [3.0], tol=1e-8, max_nodes=20000)
        return found.p[0] * found.sol(0.25)[0]

    tension, slope = 1.3, 0.7
    at_quarter = np.sin(np.pi / 4)  # the solution is slope * sqrt(tension) * sin(pi x)
    first = sd.grad(solved, argnums=(0, 1))(tension, slope)
    expected = slope * np.pi * at_quarter, tension * np.pi * at_quarter
    np.testing.assert_allclose(first, expected, rtol=1e-6)
    mixed = sd.grad(sd.grad(solved), argnums=1)(tension, slope)
    np.testing.assert_allclose(mixed, np.pi * at_quarter, rtol=1e-6)


def test_a_solver_without_success_warns() -> None:
    def solved(p: Any) -> Any:
        def fun(x: Any, y: Any) -> Any:
            return np.vstack((y[1], -p * np.exp(y[0])))

        found = integrate.solve_bvp(
            fun, lambda ya, yb: np.array([ya[0], yb[0]]), [0, 1], np.zeros((2, 2)), max_nodes=3
        )
        return found.y[1, 0]

    with pytest.warns(sd.ConvergenceWarning, match=r"test_boundaries\.py:\d+.* residual"):
        sd.grad(solved)(2.5)


def test_what_is_not_taken_is_refused() -> None:
    def solved(p: Any, **more: Any) -> Any:
        found = integrate.solve_bvp(
            lambda x, y: -p * y, lambda ya, yb: ya - 1, [0, 1], np.ones((1, 2)), **more
        )
        return found.y[0, -1]

    for more in ({"S": [[0.0]]}, {"verbose": 1}, {"fun_jac": lambda x, y: None}):
        with pytest.raises(sd.UnsupportedCallError, match=f"{next(iter(more))}="):
            sd.grad(lambda p, more=more: solved(p, **more))(0.3)
