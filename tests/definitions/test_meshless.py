"""Interpolation between scattered points, against extrapolated differences of SciPy's values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.test_distributions import check

interpolate = pytest.importorskip("scipy.interpolate")

RNG = np.random.default_rng(0)
X = np.array([0.0, 0.4, 1.1, 1.5, 2.3])
Y = np.stack([np.sin(X), np.cos(X)], axis=1)
AT = np.array([0.2, 0.4, 2.3, 2.7])  # two of them are nodes
POINTS, VALUES = RNG.random((9, 2)), RNG.random(9)
PLACES = RNG.random((4, 2)) * 0.3 + 0.3
FREE = ("linear", "thin_plate_spline", "cubic", "quintic")
SCALED = ("multiquadric", "inverse_multiquadric", "inverse_quadratic", "gaussian")


def _all(function: Callable[..., Any], *args: Any) -> None:
    check(function, *args, wrt=tuple(range(len(args))))


def _seeded(program: Callable[..., Any]) -> Callable[..., Any]:
    """SciPy draws the order in which it multiplies, on which the last bit rests."""

    def seeded(*args: Any) -> Any:
        np.random.seed(3)
        return program(*args)

    return seeded


@pytest.mark.parametrize(
    ("program", "args"),
    [
        (lambda at, x, y: interpolate.BarycentricInterpolator(x, y)(at), (AT, X, Y)),
        (
            lambda at, x, y: interpolate.BarycentricInterpolator(x, y, -1)(at),
            (AT.reshape(2, 2), X, Y.T.copy()),
        ),
        (lambda at, x, y: interpolate.barycentric_interpolate(x, y, at[1]), (AT, X, Y)),
        (lambda at, x, y: interpolate.barycentric_interpolate(x, y, at, rng=3), (AT, X, Y)),
    ],
)
def test_barycentric_polynomials(program: Any, args: Any) -> None:
    _all(_seeded(program), *args)


def test_numbers_drawn_after_a_polynomial_are_those_that_numpy_draws() -> None:
    def program(y: Any) -> Any:
        made = interpolate.BarycentricInterpolator(X, y)
        return made(0.7) + made(0.9) + np.random.rand()

    np.random.seed(5)
    expected = program(Y[:, 0])
    np.random.seed(5)
    assert sd.vjp(program, Y[:, 0])[0] == expected


def test_a_polynomial_of_many_points_stays_exact() -> None:
    nodes = np.cos(np.pi * (np.arange(60) + 0.5) / 60)
    slope = sd.grad(lambda at: interpolate.BarycentricInterpolator(nodes, np.sin(3 * nodes))(at))
    for at in (0.3, nodes[7], nodes[31]):
        assert slope(at) == pytest.approx(3 * np.cos(3 * at), rel=1e-10)


@pytest.mark.parametrize("kernel", FREE)
def test_radial_functions(kernel: str) -> None:
    _all(
        lambda at, y, d: interpolate.RBFInterpolator(y, d, kernel=kernel)(at),
        PLACES,
        POINTS,
        VALUES,
    )


@pytest.mark.parametrize("kernel", SCALED)
def test_radial_functions_of_a_scale(kernel: str) -> None:
    def program(at: Any, y: Any, d: Any, smoothing: Any, epsilon: Any) -> Any:
        made = interpolate.RBFInterpolator(
            y, np.stack([d, d * d], axis=1), None, smoothing, kernel, epsilon, 1
        )
        return made(at)

    _all(program, PLACES, POINTS, VALUES, np.linspace(0.1, 0.2, 9), 2.0)


def test_radial_functions_without_a_polynomial() -> None:
    def program(at: Any, y: Any, d: Any) -> Any:
        return interpolate.RBFInterpolator(y, d, kernel="gaussian", epsilon=3, degree=-1)(at)

    _all(program, PLACES, POINTS, VALUES)
    _all(lambda d: interpolate.RBFInterpolator(X[:, None], d)([[1.7]])[0], Y)


def test_the_slope_at_a_point_of_a_thin_plate() -> None:
    def program(at: Any) -> Any:
        return interpolate.RBFInterpolator(POINTS, VALUES)(at)[0]

    h = 1e-5
    found = sd.grad(program)(POINTS[:1])
    for k in range(2):
        step = h * np.eye(2)[k]
        expected = (program(POINTS[:1] + step) - program(POINTS[:1] - step)) / (2 * h)
        assert found[0, k] == pytest.approx(expected, abs=1e-6)


def test_grids_between_points() -> None:
    def linear(at: Any, points: Any, values: Any) -> Any:
        return interpolate.griddata(points, values, at)

    _all(linear, PLACES, POINTS, VALUES)
    check(lambda v: interpolate.griddata(POINTS, v, PLACES, "nearest"), VALUES, wrt=(0,))

    def outside(x: Any, y: Any, values: Any) -> Any:
        both = np.stack([values, values * values], axis=1)
        return interpolate.griddata(
            (POINTS[:, 0], POINTS[:, 1]), both, (x[:, None], y), fill_value=2.0
        )

    _all(outside, np.array([0.4, 0.55, 9.0]), np.array([0.35, 0.5]), VALUES)
    slopes = sd.grad(lambda v: np.nansum(interpolate.griddata(POINTS, v, PLACES + 9.0)))(VALUES)
    np.testing.assert_array_equal(slopes, np.zeros(9))


@pytest.mark.parametrize(
    ("program", "told"),
    [
        (lambda d: interpolate.griddata(POINTS, d, PLACES, "cubic"), "cubic"),
        (lambda d: interpolate.griddata(POINTS[:, 0], d, 0.5), "interp1d"),
        (lambda d: interpolate.RBFInterpolator(POINTS, d, 4)(PLACES), "neighbors="),
        (
            lambda d: interpolate.BarycentricInterpolator(
                POINTS[:, 0], d, rng=np.random.default_rng(1)
            )(0.5),
            "rng=",
        ),
        (lambda d: interpolate.BarycentricInterpolator(POINTS[:, 0], d).derivative(0.5), "derivat"),
        (lambda d: interpolate.barycentric_interpolate(POINTS[:, 0], d, 0.5, der=1), "der="),
    ],
)
def test_what_is_refused(program: Any, told: str) -> None:
    with pytest.raises(sd.UnsupportedCallError, match=told):
        sd.vjp(program, VALUES)
