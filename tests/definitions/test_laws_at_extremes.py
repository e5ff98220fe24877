"""Distributions of ``scipy.stats`` far out, and of parameters far from 1: derivatives by mpmath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd

stats = pytest.importorskip("scipy.stats")

mp = mpmath.mp.clone()
mp.dps = 400

Function = Callable[..., Any]


def _normal(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def _exponnorm(x: Any, k: Any) -> Any:
    return mp.exp(1 / (2 * k * k) - x / k) * _normal(x - 1 / k) / k


def _student(x: Any, df: Any) -> Any:
    factor = mp.loggamma((df + 1) / 2) - mp.loggamma(df / 2) - mp.log(df * mp.pi) / 2
    return factor - (df + 1) / 2 * mp.log1p(x * x / df)


SMALL = [1e-150, 1e-20, 0.3, 0.5, 0.9]
INVERSES: list[tuple[str, Function, Function]] = [
    ("cauchy.isf", lambda q: stats.cauchy.isf(q), lambda q: mp.cot(mp.pi * q)),
    ("cauchy.ppf", lambda q: stats.cauchy.ppf(q), lambda q: -mp.cot(mp.pi * q)),
    ("halfcauchy.isf", lambda q: stats.halfcauchy.isf(q), lambda q: mp.cot(mp.pi * q / 2)),
    (
        "laplace.isf",
        lambda q: stats.laplace.isf(q),
        lambda q: -mp.log(2 * q) if q < 0.5 else mp.log(2 * (1 - q)),
    ),
    ("rayleigh.isf", lambda q: stats.rayleigh.isf(q), lambda q: mp.sqrt(-2 * mp.log(q))),
    ("lomax.isf", lambda q: stats.lomax.isf(q, 1.5), lambda q: q ** (-1 / mp.mpf(1.5)) - 1),
    ("fisk.isf", lambda q: stats.fisk.isf(q, 1.5), lambda q: (1 / q - 1) ** (1 / mp.mpf(1.5))),
    ("powerlaw.isf", lambda q: stats.powerlaw.isf(q, 1.5), lambda q: (1 - q) ** (1 / mp.mpf(1.5))),
]
LAWS: list[tuple[str, Function, Function, list[float]]] = [
    (
        "exponnorm.logpdf",
        lambda x: stats.exponnorm.logpdf(x, 1e-4),
        lambda x: mp.log(_exponnorm(x, mp.mpf(1e-4))),
        [-30.0, 0.3, 5.0],
    ),
    (
        "exponnorm.logpdf by its rate",
        lambda k: stats.exponnorm.logpdf(0.7, k),
        lambda k: mp.log(_exponnorm(mp.mpf(0.7), k)),
        [0.03, 0.7, 1e6, 1e140],
    ),
    (
        "t.logpdf by its degrees of freedom",
        lambda df: stats.t.logpdf(0.7, df),
        lambda df: _student(mp.mpf(0.7), df),
        [0.01, 3.0, 1e3],
    ),
]


def _require(function: Function, exact: Function, points: list[float]) -> None:
    x = np.array(points)
    _, tangent = sd.jvp(function, (x,), (np.ones_like(x),))
    value, pullback = sd.vjp(function, x)
    cotangent = pullback(np.ones_like(value))[0]
    for k, point in enumerate(points):
        start, step = mp.mpf(point), mp.mpf(point) * mp.mpf(10) ** -60
        expected = (exact(start + step) - exact(start - step)) / (2 * step)
        for found in (tangent[k], cotangent[k]):
            assert abs(found - expected) <= 1e-9 * abs(expected), (point, found, expected)


@pytest.mark.parametrize("row", INVERSES, ids=[row[0] for row in INVERSES])
def test_inverses_far_out(row: Any) -> None:
    _, function, exact = row
    _require(function, exact, [0.7 if q == 0.5 else q for q in SMALL])


@pytest.mark.parametrize("row", LAWS, ids=[row[0] for row in LAWS])
def test_laws_of_extreme_parameters(row: Any) -> None:
    _require(*row[1:])


def test_quantiles_at_the_ends_of_the_support_move_with_it() -> None:
    q, ones = np.array([0.0, 0.4, 1.0]), np.ones(3)
    for method, ends in (("ppf", [0.0, 1.0]), ("isf", [1.0, 0.0])):

        def quantile(loc: Any, scale: Any, method: str = method) -> Any:
            return getattr(stats.beta, method)(q, 1.7, 2.4, loc, scale)

        _, by_location = sd.jvp(quantile, (ones, ones), (ones, 0.0 * ones))
        _, by_scale = sd.jvp(quantile, (ones, ones), (0.0 * ones, ones))
        assert np.array_equal(by_location, ones)
        assert np.array_equal(by_scale[[0, 2]], ends)


def test_shapes_of_narrow_numbers() -> None:
    x = np.array([0.3, 0.9])
    flags, singles = np.array([True, False]), np.array([1.5, 2.5], np.float32)
    slopes = sd.grad(lambda x: np.sum(stats.johnsonsu.sf(x, flags, 1.2)))(x)
    assert np.allclose(slopes, -stats.johnsonsu.pdf(x, flags * 1.0, 1.2), rtol=1e-13)
    slopes = sd.grad(lambda x: np.sum(stats.lomax.logpdf(x, singles)))(x)
    assert np.allclose(slopes, -(singles + 1.0) / (1.0 + x), rtol=1e-14)


def test_distribution_functions_in_the_middle() -> None:
    assert sd.grad(lambda x: stats.laplace.cdf(x))(0.0) == 0.5
    assert sd.grad(lambda x: stats.laplace.sf(x))(0.0) == -0.5
    assert sd.grad(lambda x: stats.hypsecant.cdf(x))(0.0) == pytest.approx(1.0 / np.pi)
    assert sd.grad(lambda x: stats.hypsecant.sf(x))(0.0) == pytest.approx(-1.0 / np.pi)


def test_the_hyperbolic_secant_far_out() -> None:
    x = np.array([-800.0, 0.3, 800.0])
    slopes = sd.grad(lambda x: np.sum(stats.hypsecant.cdf(x)))(x)
    assert np.allclose(slopes, [0.0, 1.0 / (np.pi * np.cosh(0.3)), 0.0], rtol=1e-14)


def test_densities_that_are_0_far_out_have_no_slope() -> None:
    def total(y: Any) -> Any:
        low = stats.gumbel_r.pdf(y) + stats.moyal.pdf(y)
        return np.sum(low + stats.gumbel_l.pdf(-y) + stats.loggamma.pdf(-y, 1.5))

    assert np.array_equal(sd.grad(total)(np.array([-800.0, -1e5])), [0.0, 0.0])


def test_a_heavy_tail_has_slopes_near_its_start() -> None:
    """In closed form, of a distribution function far below the unit of rounding."""

    def function(x):
        return stats.genpareto.logcdf(x, 2.0**62)

    x, c = np.array([0.3, 2.0]), 2.0**62
    power = np.log1p(c * x) / c
    expected = np.exp(-power) / (1.0 + c * x) / -np.expm1(-power)
    np.testing.assert_allclose(sd.vjp(function, x)[1](np.ones(2))[0], expected, rtol=1e-12)


def test_second_derivatives_are_alike_in_reverse_over_reverse() -> None:
    """Of a distribution function of three operands: differences of the gradient."""

    def function(x, mu, scale):
        return stats.invgauss.cdf(x, mu, 0.0, scale)

    def gradient(*operands):
        return sd.vjp(function, *operands)[1](np.float64(1.0))

    at = [np.float64(number) for number in (0.8796, 0.7677, 1.5243)]
    pullback = sd.vjp(gradient, *at)[1]
    for k in range(3):
        found = pullback(tuple(np.float64(j == k) for j in range(3)))
        for j, second in enumerate(found):
            above, below = ([x + h * (i == j) for i, x in enumerate(at)] for h in (1e-5, -1e-5))
            expected = (gradient(*above)[k] - gradient(*below)[k]) / 2e-5
            assert second == pytest.approx(expected, rel=1e-6, abs=1e-8)


def test_moyals_tail_is_flat_far_out() -> None:
    """Below -200 the distribution function is 0 in doubles: all its derivatives are."""

    def function(x):
        return stats.moyal.cdf(x) + stats.moyal.sf(x) + stats.moyal.logsf(x)

    def slope(x):
        return sd.jvp(function, (x,), (np.ones(4),))[1]

    x = np.array([-250.0, -900.0, -2e3, -4e9])
    with np.errstate(over="ignore"):  # of SciPy's own values
        assert (slope(x) == 0.0).all()
        assert (sd.jvp(slope, (x,), (np.ones(4),))[1] == 0.0).all()


def test_the_inverse_gaussian_has_slopes_where_its_lower_tail_is_zero() -> None:
    """Near 0 the logarithm falls as ``-1 / (2 y)``: of mpmath's, by the argument."""

    def function(x):
        return stats.invgauss.logcdf(x, 0.7)

    def exact(y):
        z, far = (y / 0.7 - 1) / mpmath.sqrt(y), -(y / 0.7 + 1) / mpmath.sqrt(y)
        return mpmath.log(mpmath.ncdf(z) + mpmath.exp(mpmath.mpf(2) / 0.7) * mpmath.ncdf(far))

    with mpmath.workdps(60), np.errstate(divide="ignore"):  # SciPy's own value
        for y in (1e-4, 3e-4, 0.5):
            expected = float(
                mpmath.diff(exact, mpmath.mpf(y), h=mpmath.mpf(y) * mpmath.mpf("1e-15"))
            )
            assert sd.jvp(function, (y,), (1.0,))[1] == pytest.approx(expected, rel=1e-9)


def test_second_slopes_of_the_inverse_gaussian_hold_where_its_tails_nearly_cancel() -> None:
    """At 1e-9 both exponents are -5e8 and differ by one: against mpmath, by the argument twice."""

    def function(y):
        return stats.invgauss.logcdf(y, 0.7)

    def slope(y):
        return sd.jvp(function, (y,), (1.0,))[1]

    def exact(y):
        root, mu = mpmath.sqrt(y), mpmath.mpf(0.7)
        near, far = mpmath.ncdf((y / mu - 1) / root), mpmath.ncdf(-(y / mu + 1) / root)
        return mpmath.log(near + mpmath.exp(2 / mu) * far)

    with mpmath.workdps(80), np.errstate(divide="ignore"):  # SciPy's own value
        for y in (1e-9, 1e-5, 0.3, 0.7, 2.0):
            step = mpmath.mpf(y) * mpmath.mpf("1e-15")
            expected = float(mpmath.diff(exact, mpmath.mpf(y), 2, h=step))
            assert sd.jvp(slope, (y,), (1.0,))[1] == pytest.approx(expected, rel=1e-12)


def test_second_slopes_of_johnsons_tail_hold_far_out() -> None:
    """Of its logarithm, by the parameter ``b`` twice: against mpmath."""

    def function(b):
        return stats.johnsonsu.logsf(2e9, 0.6, b)

    def slope(b):
        return sd.jvp(function, (b,), (1.0,))[1]

    def exact(b):
        return mpmath.log(mpmath.ncdf(-mpmath.mpf(0.6) - b * mpmath.asinh(2e9)))

    with mpmath.workdps(60):
        for b in (0.4, 1.3, 1.6):
            expected = float(mpmath.diff(exact, mpmath.mpf(b), 2, h=mpmath.mpf("1e-15")))
            assert sd.jvp(slope, (b,), (1.0,))[1] == pytest.approx(expected, rel=1e-13)


def test_dirichlets_slopes_by_small_parameters_hold_in_single_precision() -> None:
    """Their polygammas overflow there; of two the density is ``x**(a - 1) ... / B(a, b)``."""
    x, alpha = np.array([0.3, 0.7], np.float32), np.array([2e-20, 3e-20], np.float32)
    v = np.array([2e-20, 0.0], np.float32)

    def slope(alpha):
        return sd.jvp(lambda alpha: stats.dirichlet.pdf(x, alpha), (alpha,), (v,))[1]

    def exact(a, b):
        first, second = (mpmath.mpf(float(part)) for part in x)
        return first ** (a - 1) * second ** (b - 1) / mpmath.beta(a, b)

    with mpmath.workdps(90):
        place = tuple(mpmath.mpf(float(part)) for part in alpha)
        step = place[0] * mpmath.mpf("1e-20")
        expected = mpmath.diff(exact, place, (2, 0), h=step) * mpmath.mpf(float(v[0])) ** 2
    found = sd.jvp(slope, (alpha,), (v,))[1]
    assert found.dtype == np.float32
    assert float(found) == pytest.approx(float(expected), rel=1e-4)
