"""Interpolation of every kind, against differences of SciPy's: by what is sought, knots, values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from tests.definitions import calls

interpolate = pytest.importorskip("scipy.interpolate")

X = np.array([0.0, 0.4, 1.1, 1.5, 2.3, 2.9])
Y = np.array([[0.3, -0.2], [0.9, 0.4], [0.1, 1.2], [-0.5, 0.7], [0.2, 0.3], [1.1, -0.9]])
AT = np.array([0.15, 1.35, 2.66, 0.71])
KINDS = ("nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic", 5)


@pytest.mark.parametrize("kind", KINDS)
def test_interp1d_of_every_kind(kind: Any) -> None:
    def program(at: Any, x: Any, y: Any) -> Any:
        return interpolate.interp1d(x, y, kind, axis=0)(at)

    np.testing.assert_allclose(program(AT, X, Y), sd.vjp(program, AT, X, Y)[0], rtol=1e-13)
    calls.check(program, AT, X, Y, wrt=(0, 1, 2), step=1e-3)


def test_ends_are_taken_as_scipy_takes_them() -> None:
    at = np.array([0.0, 0.4, 1.5, 2.9])
    outside = np.array([-0.5, 3.2])
    for kind in (*KINDS, "linear"):
        for given in ({}, {"bounds_error": False, "fill_value": (1.5, 2.5)}):
            points = np.append(at, outside) if given else at

            def program(y: Any, kind: Any = kind, given: Any = given, points: Any = points) -> Any:
                return interpolate.interp1d(X, y, kind, **given)(points)

            found = sd.vjp(program, Y[:, 0])[0]
            np.testing.assert_allclose(found, program(Y[:, 0]), rtol=1e-12, atol=1e-14)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda at, x, y: interpolate.Akima1DInterpolator(x, y)(at), (AT, X, Y)),
    (lambda at, x, y: interpolate.Akima1DInterpolator(x, y, method="makima")(at, 1), (AT, X, Y)),
    (lambda at, x, y: interpolate.make_interp_spline(x, y.T, axis=1)(at), (AT, X, Y)),
    (lambda at, x, y: interpolate.make_interp_spline(x, y, 2)(at, 1), (AT, X, Y)),
    (lambda at, x, y: interpolate.InterpolatedUnivariateSpline(x, y)(at), (AT, X, Y[:, 0])),
    (lambda at, x, y: interpolate.UnivariateSpline(x, y, s=0, k=4)(at), (AT, X, Y[:, 0])),
    (lambda at, x, y: interpolate.splev(at, interpolate.splrep(x, y), 1), (AT, X, Y[:, 0])),
    (
        lambda a, b, v: interpolate.RegularGridInterpolator((X[:3], X[:4]), v)((a, b[:, None])),
        (np.array([0.2, 0.9]), np.array([0.3, 1.2, 0.5]), np.cos(np.arange(12.0)).reshape(3, 4)),
    ),
    (
        lambda a, g, v: interpolate.interpn((g, X[:3], X[:3]), v, a),
        (
            np.array([[0.2, 0.3, 0.9], [0.9, 0.5, 0.1]]),
            X[:3],
            np.cos(np.arange(27.0)).reshape(3, 3, 3),
        ),
    ),
]


@pytest.mark.parametrize(("program", "args"), CASES)
@pytest.mark.one_in(4)
def test_splines_and_grids(program: Callable[..., Any], args: tuple[Any, ...]) -> None:
    np.testing.assert_allclose(sd.vjp(program, *args)[0], program(*args), rtol=1e-12)
    calls.check(program, *args, wrt=(0, 1, 2), step=1e-3)


def test_what_is_outside_of_a_grid() -> None:
    def program(at: Any, v: Any) -> Any:
        grid = interpolate.RegularGridInterpolator((X[:3],), v, bounds_error=False, fill_value=0.5)
        return grid(at[:, None])

    at, v = np.array([-0.5, 0.3, 2.0]), np.array([0.1, 0.7, 0.4])
    np.testing.assert_allclose(sd.vjp(program, at, v)[0], program(at, v))
    by_at, by_v = sd.vjp(program, at, v)[1](np.ones(3))
    np.testing.assert_allclose(by_at, [0.0, (0.7 - 0.1) / 0.4, 0.0])
    np.testing.assert_allclose(by_v, [0.25, 0.75, 0.0])
    with pytest.raises(ValueError, match="out of bounds"):
        sd.grad(lambda a: interpolate.interpn((X[:3],), v, [[a]])[0])(3.0)


def test_what_smooths_is_refused() -> None:
    with pytest.raises(UnsupportedCallError, match="s= other than 0"):
        sd.grad(lambda y: interpolate.UnivariateSpline(X, y)(0.3))(Y[:, 0])
    with pytest.raises(UnsupportedCallError, match="method='pchip'"):
        sd.grad(lambda y: interpolate.interpn((X,), y, [[0.3]], "pchip")[0])(Y[:, 0])


GRID = np.arange(4.0)
TABLE = np.sin(np.arange(16.0)).reshape(4, 4)
AGES = np.array([0.9, 1.7, 0.6, 1.3, 2.1])


@pytest.mark.parametrize(
    "program",
    [
        lambda x: interpolate.RegularGridInterpolator((GRID, GRID), TABLE * x[1])((x[0], x[1])),
        lambda x: interpolate.RegularGridInterpolator((GRID, GRID), TABLE)([x[0], x[1]]),
        lambda x: interpolate.RegularGridInterpolator((GRID, GRID), TABLE)((x[:1], x[1])),
        lambda x: interpolate.RegularGridInterpolator((GRID,), TABLE[0])(x[:3]),
        lambda x: interpolate.RegularGridInterpolator((GRID,), TABLE[0])((x[:3],)),
        lambda x: interpolate.interpn((GRID, GRID), TABLE, (x[0], x[1])),
        lambda x: interpolate.interpn((GRID, GRID), TABLE, x[:2]),
    ],
)
def test_one_point_of_a_grid_is_what_scipy_makes_of_it(program: Any) -> None:
    calls.check(program, AGES, step=1e-3)


def _agrees(program: Any) -> None:
    """Values to rounding, and both orders by differences of SciPy's."""
    value, _ = sd.vjp(program, AGES)
    np.testing.assert_allclose(value, program(AGES), rtol=1e-11, atol=1e-12)
    assert np.shape(value) == np.shape(program(AGES))
    weights = np.cos(np.arange(np.size(value))).reshape(np.shape(value))
    along = np.array([0.3, -1.0, 0.5, 0.2, 0.7])

    def at(t: float) -> Any:
        return np.sum(weights * program(AGES + t * along))

    h = 2e-4
    first = (8 * (at(h) - at(-h)) - at(2 * h) + at(-2 * h)) / (12 * h)
    h = 1e-3
    second = (16 * (at(h) + at(-h)) - at(2 * h) - at(-2 * h) - 30 * at(0)) / (12 * h * h)

    def weighed(x: Any) -> Any:
        return np.sum(weights * program(x))

    slope = sd.grad(weighed)
    assert slope(AGES) @ along == pytest.approx(first, rel=1e-7)
    assert np.sum(weights * sd.jvp(program, (AGES,), (along,))[1]) == pytest.approx(first, rel=1e-7)
    again = sd.jvp(slope, (AGES,), (along,))[1] @ along
    assert again == pytest.approx(second, rel=1e-4, abs=1e-6)


def test_polynomials_through_points() -> None:
    made = interpolate.KroghInterpolator
    _agrees(lambda x: made(np.cumsum(x), x)(x[:2]))
    _agrees(lambda x: made(np.cumsum(x), np.outer(x, x))(x[0]))
    _agrees(lambda x: made(GRID, np.outer(x, x)[:, :4], axis=1)(x[:2]))
    _agrees(lambda x: made(np.cumsum(x), x)(x[0]) * interpolate.lagrange(GRID, x[:4])(x[1]))
    with pytest.raises(UnsupportedCallError, match="the attribute derivative"):
        sd.grad(lambda x: made(GRID, x[:4]).derivative(0.3))(AGES)
    with pytest.raises(ValueError, match="different"):
        sd.grad(lambda x: made(x * 0.0, x)(0.3))(AGES)


KERNELS = ("multiquadric", "inverse", "gaussian", "linear", "cubic", "quintic", "thin_plate")


@pytest.mark.parametrize("kernel", KERNELS)
def test_radial_functions(kernel: str) -> None:
    _agrees(lambda x: interpolate.Rbf(np.cumsum(x), x, function=kernel)(np.array([1.3, 2.9])))
    _agrees(lambda x: interpolate.Rbf(GRID, x[:4], GRID**2, function=kernel)(x[2:4], x[1:3] + 0.2))
    _agrees(lambda x: interpolate.Rbf(GRID, x[:4], function=kernel, epsilon=x[4], smooth=0.1)(0.3))


def test_products_of_splines() -> None:
    def made(x: Any, **more: Any) -> Any:
        return interpolate.RectBivariateSpline(np.cumsum(x), GRID, np.outer(x, TABLE[1]), **more)

    _agrees(lambda x: made(x)(x[2:4] + 1.0, np.array([0.3, 1.1, 2.2])))
    _agrees(lambda x: made(x)(1.1, 0.4, dx=1))
    _agrees(lambda x: made(x, kx=1, ky=1)(x[1], x[0], grid=False))
    _agrees(lambda x: made(x).ev(x[:2] + 0.4, x[2:4], dy=1))
    _agrees(lambda x: made(x).ev(-1.0, x[2:4] * 9.0))  # outside: at the edge
    with pytest.raises(UnsupportedCallError, match="even degree"):
        sd.grad(lambda x: made(x, kx=2).ev(1.0, 1.0))(AGES)


@pytest.mark.parametrize("name", ["roots", "solve"])
def test_where_a_spline_has_a_value_is_refused(name: str) -> None:
    with pytest.raises(UnsupportedCallError, match=f"the attribute {name}"):
        sd.grad(lambda x: getattr(interpolate.CubicSpline(GRID, x[:4]), name)()[0])(AGES)
