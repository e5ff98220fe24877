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
    with pytest.raises(UnsupportedCallError, match="method='cubic'"):
        sd.grad(lambda y: interpolate.interpn((X,), y, [[0.3]], "cubic")[0])(Y[:, 0])
