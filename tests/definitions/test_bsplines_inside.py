"""B-splines that a program makes of knots and coefficients, against SciPy and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.test_distributions import check

interpolate = pytest.importorskip("scipy.interpolate")

RNG = np.random.default_rng(5)
T = np.array([0.0, 0.0, 0.0, 0.0, 0.4, 0.9, 1.3, 2.0, 2.0, 2.0, 2.0])
C, TABLE = RNG.normal(size=7), RNG.normal(size=(7, 2))
AT = np.array([0.13, 0.55, 1.1, 1.71])
BEYOND = np.array([-0.3, 0.55, 2.15])
PLAIN = np.array([0.0, 0.3, 0.7, 1.2, 1.4, 1.9, 2.3, 2.6])
BSpline = interpolate.BSpline
MADE = BSpline(T, C, 3)


def _sum_of_all(t: Any, c: Any, x: Any) -> Any:
    spline = BSpline(t, c, 2)
    return spline(x) + spline.derivative()(x) * spline.antiderivative(2)(x)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda c, x: BSpline(T, c, 3)(x), (C, AT)),
        (lambda c, x: BSpline(T, c, 3)(x, 1), (C, BEYOND)),
        (lambda c, x: BSpline(T, np.concatenate((c, c)), 3)(x), (C, AT)),
        (lambda t, c, x: BSpline(t, c, 2)(x), (PLAIN, C[:5], AT)),
        (_sum_of_all, (PLAIN, C[:5], AT)),
        (_sum_of_all, (PLAIN, TABLE[:5], AT[0])),
        (lambda c, x: BSpline(T, c, 3, extrapolate="periodic")(x), (C, BEYOND)),
        (lambda c, x: BSpline(T, c, 3, extrapolate=False)(x), (C, AT)),
        (lambda c, x: BSpline(T, c.T, 3, axis=1)(x), (TABLE, AT)),
        (lambda c, x: BSpline(T, c, 3).derivative(2)(x), (C, AT)),
        (lambda c, x: BSpline(T, c, 3).derivative(3)(x), (TABLE, BEYOND)),
        (lambda c, x: BSpline(T, c, 3).antiderivative()(x), (C, AT)),
        (lambda c, x: BSpline(T, c, 3).derivative().antiderivative()(x), (C, AT)),
        (lambda c, x: BSpline(T, c, 3).integrate(x, 1.5), (C, np.array(0.3))),
        (lambda c, x: BSpline(T, c, 3).integrate(1.7, x[0]) * x[1], (TABLE, AT[:2])),
        (lambda c, x: BSpline(T, c, 3).integrate(x, 2.5, False), (C, np.array(0.3))),
        (lambda c, x: BSpline(T, c, 3).integrate(-0.2, x), (C, np.array(2.3))),
        (lambda t, c: BSpline(t, c, 2).integrate(0.8, 1.3), (PLAIN, C[:5])),
        (lambda y, x: interpolate.make_interp_spline(AT, y).derivative()(x), (AT**2, AT + 0.05)),
        (lambda y, x: interpolate.make_interp_spline(AT, y).integrate(0.2, x[0]), (C[:4], AT)),
        (lambda x: MADE.derivative()(x) + MADE.antiderivative(2)(x), (AT,)),
        (lambda x: MADE.integrate(0.2, x), (np.array(1.7),)),
        (lambda x: MADE.integrate(x, 3.0), (np.array(1.7),)),
        (lambda t, c: BSpline(t, c, 2).c * 2.0 + BSpline(t, c, 2).t[0], (PLAIN, C[:5])),
    ],
)
@pytest.mark.one_in(4)
def test_splines_that_are_made_inside(function: Callable[..., Any], args: Any):
    check(function, *args, wrt=tuple(range(len(args))))


def test_beyond_the_ends_is_nothing_known():
    spline = sd.differentiable(lambda c, x: BSpline(T, c, 3, False)(x))
    assert np.array_equal(spline(C, BEYOND), BSpline(T, C, 3, False)(BEYOND), equal_nan=True)
    slopes = sd.grad(lambda c, x: np.nansum(BSpline(T, c, 3, False)(x)), 1)(C, BEYOND)
    expected = [0.0, BSpline(T, C, 3)(0.55, 1), 0.0]
    np.testing.assert_allclose(slopes, expected, rtol=1e-12)


def test_what_is_wrong_is_told():
    for function, kind, told in (
        (lambda c: BSpline(T[::-1], c, 3)(0.5), ValueError, "non-decreasing"),
        (lambda c: BSpline(T, c[:5], 3)(0.5), ValueError, "inconsistent"),
        (lambda c: BSpline(T[:6], c, 3)(0.5), ValueError, "at least 8 knots"),
        (lambda c: BSpline(T, c, 3).derivative(4)(0.5), ValueError, "must be <= order"),
        (lambda c: BSpline(T, c * 1j, 3)(0.5).real, sd.UnsupportedCallError, "complex"),
        (lambda c: BSpline(T, c, 3).tck[1][0], sd.UnsupportedCallError, "tck"),
    ):
        with pytest.raises(kind, match=told):
            sd.grad(function)(C)
