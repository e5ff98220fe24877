"""Bases of subspaces, and solutions of differential equations at any times, by differences."""

import numpy as np
import pytest
from scipy import integrate, linalg

import symdiff as sd
from tests.definitions.calls import check

X = np.array([0.31, 0.74, 1.12, 1.63, 2.05, 2.9])
TIGHT = {"rtol": 1e-12, "atol": 1e-12, "dense_output": True}


def projector(basis):
    return basis @ basis.T


@pytest.mark.parametrize(
    "found",
    [
        lambda x: linalg.orth(x.reshape(3, 2)),
        lambda x: linalg.null_space(x.reshape(2, 3)),
        lambda x: projector(linalg.null_space(x.reshape(2, 3))),
        lambda x: projector(linalg.null_space(x[:4].reshape(1, 4))),
        lambda x: projector(linalg.null_space(np.outer(x[:3], x[2:]))),
        lambda x: x + linalg.null_space(x.reshape(3, 2)).size,
    ],
)
def test_bases_of_what_a_matrix_maps_to_and_of_what_it_maps_to_0(found):
    check(found, X)


@pytest.mark.parametrize("shape", [(1, 4), (3, 5), (4, 6), (5, 8), (0, 2)])
def test_a_basis_of_what_is_mapped_to_0_turns_as_that_of_lapack(shape):
    """Rows by themselves from 11/6 as many columns on, otherwise rows and columns by turns."""
    A = np.random.default_rng(3).normal(size=shape)
    check(linalg.null_space, A, step=0.002)


def test_a_basis_of_what_rows_along_the_axes_map_to_0():
    check(linalg.null_space, np.eye(1, 3), step=0.002)
    check(linalg.null_space, np.eye(2, 3), step=0.002)
    _, slopes = sd.jvp(linalg.null_space, (np.eye(4, 6),), (np.cos(np.arange(24.0)).reshape(4, 6),))
    assert np.any(np.isnan(slopes))  # which way rows are reflected is not known


def test_a_basis_of_what_depending_rows_map_to_0_stays_one():
    """Its derivative ``D`` is the least with ``A D + dA N = 0``."""
    A, change = np.outer(X[:2], X[:4]), np.outer(X[:2], np.cos(X[:4]))
    basis, turned = sd.jvp(lambda a: linalg.null_space(a), (A,), (change,))
    np.testing.assert_array_equal(basis, linalg.null_space(A))
    np.testing.assert_allclose(A @ turned + change @ basis, 0.0, atol=1e-14)
    np.testing.assert_allclose(basis.T @ turned, 0.0, atol=1e-14)


def decayed(x, times, span=(0.0, 2.0), **options):
    given = {"args": (x[2] / 4,), **TIGHT, **options}
    return integrate.solve_ivp(lambda t, y, a: -a * y * y, span, x[:2], **given).sol(times)


@pytest.mark.parametrize(
    ("times", "options"),
    [
        (np.array([1.3, 0.9, 0.9, 0.0]), {}),
        (0.7, {}),
        (np.array([0.3, 1.9, 1.0]), {"span": (2.0, 0.0), "method": "DOP853"}),
    ],
)
def test_a_solution_is_asked_for_at_any_times(times, options):
    """``y = y₀ / (1 + a (t - t₀) y₀)`` solves it."""
    first = options.get("span", (0.0, 2.0))[0]

    def known(x):
        start = x[:2] if np.ndim(times) == 0 else x[:2, None]
        return start / (1 + x[2] / 4 * (times - first) * start)

    value, tangent = sd.jvp(lambda x: decayed(x, times, **options), (X,), (np.cos(X),))
    np.testing.assert_array_equal(value, decayed(X, times, **options))
    step = 1e-20
    expected = known(X + 1j * step * np.cos(X)).imag / step
    np.testing.assert_allclose(tangent, expected, rtol=1e-6, atol=1e-9)
    (slopes,) = sd.vjp(lambda x: decayed(x, times, **options), X)[1](np.ones(value.shape))
    assert slopes @ np.cos(X) == pytest.approx(np.sum(expected), rel=1e-6)


def test_the_slope_by_the_time_itself_and_twice():
    def found(t):
        return integrate.solve_ivp(lambda t, y: -y, (0.0, 2.0), [1.0], **TIGHT).sol(t)[0]

    assert sd.grad(found)(0.6) == pytest.approx(-np.exp(-0.6), rel=1e-7)
    assert sd.grad(sd.grad(found))(0.6) == pytest.approx(np.exp(-0.6), rel=1e-7)


@pytest.mark.parametrize("method", ["RK23", "RK45", "DOP853"])
@pytest.mark.parametrize("span", [(0.0, 2.0), (2.0, 0.0)])
def test_a_solution_that_was_found_outside_is_asked_for_at_a_time(method, span):
    solution = integrate.solve_ivp(
        lambda t, y: -0.5 * y * np.cos(t), span, [1.0, 2.0], method, dense_output=True
    ).sol
    check(solution, 0.7, step=1e-3)


def test_events_are_refused_beside_a_dense_output():
    def found(a):
        given = {"events": lambda t, y: y[0] - 0.5, "dense_output": True}
        return integrate.solve_ivp(lambda t, y: -a * y, (0.0, 2.0), [1.0], **given).y[0, -1]

    with pytest.raises(sd.UnsupportedCallError, match="events"):
        sd.grad(found)(1.5)
