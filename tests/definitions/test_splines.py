"""Interpolation of ``scipy.interpolate``, against SciPy's values, every bit, and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.definitions import splines
from tests.definitions.calls import check

interpolate = pytest.importorskip("scipy.interpolate")

RNG = np.random.default_rng(0)
X = np.array([0.0, 0.7, 1.5, 2.0, 3.1])
Y, ROWS = RNG.normal(size=5), RNG.normal(size=(5, 2))
Q = np.array([[0.3, 1.1, 2.5], [-0.4, 3.3, 1.7]])
CubicSpline, PPoly = interpolate.CubicSpline, interpolate.PPoly
OUTSIDE, MONOTONE = CubicSpline(X, ROWS), interpolate.PchipInterpolator(X, Y)


def _periodic(x: Any, y: Any, q: Any) -> Any:
    return CubicSpline(x, np.concatenate([y[:4], y[:1]]), bc_type="periodic")(q)


def _natural(x: Any, y: Any, q: Any) -> Any:
    spline = CubicSpline(x, y, bc_type="natural")
    return spline(q, 1) * spline.integrate(q[0, 0], q[0, 2])


def _clamped(x: Any, y: Any, q: Any) -> Any:
    spline = CubicSpline(x, y, axis=1, bc_type=("clamped", (2, [0.3, 0.1])), extrapolate=False)
    return spline.derivative()(q[0]) + spline.antiderivative()(q[0])


def _made_outside(q: Any) -> Any:
    line = OUTSIDE(q)[..., 0] * MONOTONE(q) + MONOTONE.derivative()(q)
    return line * OUTSIDE.integrate(0.0, q[0, 0])[0] + OUTSIDE.c[0, 0, 0]


def _lines(x: Any, y: Any, q: Any) -> Any:
    inside = interpolate.interp1d(x, y, axis=0, fill_value=(0.5, 2.0), bounds_error=False)
    return inside(q) + interpolate.interp1d(x[::-1], y, axis=0, fill_value="extrapolate")(q)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda x, y, q: CubicSpline(x, y)(q), (X, Y, Q)),
        (_natural, (X, Y, Q)),
        (_clamped, (X, ROWS.T.copy(), Q)),
        (_periodic, (X, Y, Q)),
        (lambda x, y, q: interpolate.PchipInterpolator(x, y)(q), (X, Y, Q)),
        (lambda x, y, q: interpolate.CubicHermiteSpline(x, y, y * y)(q), (X, Y, Q)),
        (lambda c, q: PPoly(c, [0.0, 1.0, 2.0])(q), (ROWS[:4].copy(), Q)),
        (_made_outside, (Q,)),
        (lambda y, b: CubicSpline(X, y).integrate(0.2, b), (Y, 2.6)),
        (lambda y, q: CubicSpline(X, y)(q), (Y, 1.3)),
        (lambda x, y, q: interpolate.interp1d(x, y)(q), (X, Y, np.abs(Q) * 0.9)),
        (_lines, (X, ROWS, Q)),
    ],
)
@pytest.mark.one_in(4)
def test_interpolation(function: Callable[..., Any], args: Any):
    check(function, *args, wrt=tuple(range(len(args))), step=1e-3)


CASES: list[tuple[str, Any, tuple[Any, ...]]] = [
    ("CubicSpline", splines.cubic_spline, ()),
    ("CubicSpline", splines.cubic_spline, (0, "natural", False)),
    ("CubicSpline", splines.cubic_spline, (0, "clamped")),
    ("CubicSpline", splines.cubic_spline, (0, "periodic")),
    ("CubicSpline", splines.cubic_spline, (0, ((1, [0.3, 0.4]), "not-a-knot"))),
    ("CubicSpline", splines.cubic_spline, (0, ("not-a-knot", (2, [0.3, 0.4])), "periodic")),
    ("PchipInterpolator", splines.pchip_interpolator, ()),
]


@pytest.mark.parametrize(("name", "definition", "options"), CASES)
def test_every_bit_of_splines(name: str, definition: Any, options: tuple[Any, ...]):
    periodic = "periodic" in options
    for n in (4, 5, 9):
        x, y = np.sort(RNG.uniform(0, 5, n)), RNG.normal(size=(n, 2))
        y[-1] = y[0] if periodic else y[-1]
        q = np.append(np.linspace(-1.0, 6.0, 23), [np.nan, *x])
        expected, made = getattr(interpolate, name)(x, y, *options), definition(x, y, *options)
        np.testing.assert_array_equal(made.c, expected.c)
        for nu in range(5):
            np.testing.assert_array_equal(made(q, nu), expected(q, nu))
        if not periodic:
            np.testing.assert_array_equal(made.integrate(2.5, 0.3), expected.integrate(2.5, 0.3))
        np.testing.assert_array_equal(made.antiderivative()(q), expected.antiderivative()(q))
        np.testing.assert_array_equal(made.derivative(2)(q), expected.derivative(2)(q))


def test_what_is_not_taken_is_told():
    with pytest.raises(sd.UnsupportedCallError, match="kind='other'"):
        sd.vjp(lambda y, q: interpolate.interp1d(X, y, kind="other")(q), Y, Q)
    with pytest.raises(ValueError, match="four knots"):
        sd.grad(lambda y: CubicSpline(X[:3], y)(0.3))(Y[:3])
    with pytest.raises(ValueError, match="increase"):
        sd.grad(lambda q: PPoly(ROWS[:4, :], [2.0, 1.0, 0.0])(q))(0.3)
    with pytest.raises(ValueError, match="finite"):
        sd.grad(lambda y: CubicSpline(X, y)(0.3))(np.full(5, np.nan))
    with pytest.raises(ValueError, match="outside of the interpolation range"):
        sd.vjp(lambda y: interpolate.interp1d(X, y)(Q), Y)
