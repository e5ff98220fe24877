"""Densities of the gamma and the beta distribution, to any order, at the ends of the interval too.

References are closed forms, mpmath, and how powers of mpmath grow towards an end.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff.ops.density_values import beta_density, gamma_density

special = pytest.importorskip("scipy.special")
stats = pytest.importorskip("scipy.stats")
mp = mpmath.mp.clone()
mp.dps = 50
INF = math.inf


def gamma(a: Any, x: Any) -> Any:
    return x ** (a - 1) * mp.exp(-x) / mp.gamma(a)


def beta(a: Any, b: Any, x: Any) -> Any:
    return x ** (a - 1) * (1 - x) ** (b - 1) / mp.beta(a, b)


def exact(density: Any, point: tuple[float, ...], orders: tuple[int, ...]) -> float:
    given = tuple(map(mp.mpf, point))
    return float(mp.diff(density, given, orders) if any(orders) else density(*given))


def near_the_end(
    density: Any, point: tuple[float, ...], orders: tuple[int, ...], far: Any
) -> float:
    """What a derivative grows to at an end of the last operand: infinite, or known of nearby."""
    near, nearer = (
        mp.diff(density, (*map(mp.mpf, point[:-1]), far(step)), orders, h=step * mp.mpf("1e-4"))
        for step in (mp.mpf("1e-9"), mp.mpf("1e-11"))
    )
    if abs(nearer - near) > 1:
        return math.copysign(INF, nearer)
    return float(nearer) if abs(nearer) > 1e-3 else 0.0


@pytest.mark.parametrize("a", [0.3, 1.0, 2.0, 10.0, 300.0])
def test_gamma(a: float) -> None:
    for x, *orders in itertools.product((1e-3, 0.4, 2.5, 290.0), range(3), range(4)):
        expected = exact(gamma, (a, x), tuple(orders))
        found = gamma_density(a, x, orders=tuple(orders))
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-290)


@pytest.mark.parametrize(("a", "b"), [(0.3, 0.5), (1.0, 3.0), (2.0, 1.0), (30.0, 40.0)])
def test_beta(a: float, b: float) -> None:
    for x, *orders in itertools.product((1e-3, 0.4, 0.7, 0.999), range(2), range(2), range(3)):
        expected = exact(beta, (a, b, x), tuple(orders))
        found = beta_density(a, b, x, orders=tuple(orders))
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-290)


@pytest.mark.parametrize("a", [0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
def test_gamma_at_zero(a: float) -> None:
    with np.errstate(all="raise"):
        for orders in itertools.product(range(2), range(4)):
            if a == 1.0 and orders == (0, 0):
                continue
            expected = near_the_end(gamma, (a, 0.0), orders, lambda step: step)
            found = gamma_density(a, 0.0, orders=orders)
            assert found == pytest.approx(expected, rel=1e-4), orders


@pytest.mark.parametrize(("a", "b"), [(2.0, 3.0), (0.5, 0.5), (3.0, 2.0), (1.5, 2.0)])
def test_beta_at_its_ends(a: float, b: float) -> None:
    with np.errstate(all="raise"):
        for orders in itertools.product(range(2), range(2), range(3)):
            for end, far in ((0.0, lambda step: step), (1.0, lambda step: 1 - step)):
                expected = near_the_end(beta, (a, b, end), orders, far)
                found = beta_density(a, b, end, orders=orders)
                assert found == pytest.approx(expected, rel=1e-3, abs=1e-12), (end, orders)


def test_beyond_the_ends_and_where_powers_overflow() -> None:
    with np.errstate(all="raise"):
        found = gamma_density(2.0, np.array([np.inf, -1.0, np.nan]), orders=(0, 1))
        np.testing.assert_equal(found, [0.0, np.nan, np.nan])
        assert gamma_density(0.5, 1e-320, orders=(0, 2)) == INF
        assert gamma_density(1.0, 1e-300, orders=(0, 3)) == -1.0
        assert beta_density(0.5, 0.5, 1e-200, orders=(0, 0, 3)) == -INF
        assert np.isnan(beta_density(2.0, 3.0, 1.5, orders=(0, 0, 1)))
        assert gamma_density(0.0, 0.5) == beta_density(0.0, 2.0, 0.5) == 0.0
        assert np.isnan(gamma_density(-0.5, 0.5))
    assert gamma_density(np.float32(2), np.float32(0), orders=(0, 1)).dtype == np.float32
    assert beta_density(np.array([2.0, 3.0]), 3.0, np.zeros((4, 1))).shape == (4, 2)


def modes(function: Callable[[float], float]) -> list[Callable[[float], float]]:
    """The second derivative in all modes."""
    return [
        sd.grad(sd.grad(function)),
        sd.grad(sd.derivative(function)),
        sd.derivative(sd.grad(function)),
        sd.derivative(function, 2),
    ]


SECOND: dict[str, tuple[Callable[[float], float], float, float, float]] = {
    # at a place: the second derivative and the third one
    "gammainc": (lambda x: special.gammainc(2.0, x), 0.0, 1.0, -2.0),
    "steep": (lambda x: special.gammainc(1.5, x), 0.0, INF, -INF),
    "flat": (lambda x: special.gammainc(1.0, x), 0.0, -1.0, 1.0),
    "gammaincc": (lambda x: special.gammaincc(2.0, x), 0.0, -1.0, 2.0),
    "chdtr": (lambda x: special.chdtr(4.0, x), 0.0, 0.25, -0.25),
    "chdtrc": (lambda x: special.chdtrc(4.0, x), 0.0, -0.25, 0.25),
    "gdtr": (lambda x: special.gdtr(3.0, 2.0, x), 0.0, 9.0, -54.0),
    "fdtr": (lambda x: special.fdtr(4.0, 3.0, x), 0.0, 20 / 3, -560 / 9),
    "fdtrc": (lambda x: special.fdtrc(4.0, 3.0, x), 0.0, -20 / 3, 560 / 9),
    "betainc": (lambda x: special.betainc(2.0, 3.0, x), 0.0, 12.0, -48.0),
    "betainc at 1": (lambda x: special.betainc(2.0, 3.0, x), 1.0, 0.0, 24.0),
    "betaincc at 1": (lambda x: special.betaincc(3.0, 2.0, x), 1.0, 12.0, 48.0),
}


@pytest.mark.parametrize("name", SECOND)
def test_distribution_functions_at_an_end(name: str) -> None:
    function, place, second, third = SECOND[name]
    for mode in modes(function):
        assert mode(place) == pytest.approx(second, abs=1e-12)
    assert sd.derivative(function, 3)(place) == pytest.approx(third)
    assert sd.grad(modes(function)[0])(place) == pytest.approx(third)


FIRST: dict[str, tuple[Callable[[float], float], float, float, float]] = {
    # at a place: the derivative and the second one
    "gamma": (lambda x: stats.gamma.pdf(x, 2.0), 0.0, 1.0, -2.0),
    "steep": (lambda x: stats.gamma.pdf(x, 1.5), 0.0, INF, -INF),
    "chi2": (lambda x: stats.chi2.pdf(x, 4.0), 0.0, 0.25, -0.25),
    "chi": (lambda x: stats.chi.pdf(x, 2.0), 0.0, 1.0, 0.0),
    "f": (lambda x: stats.f.pdf(x, 4.0, 3.0), 0.0, 20 / 3, -560 / 9),
    "weibull_min": (lambda x: stats.weibull_min.pdf(x, 2.0), 0.0, 2.0, 0.0),
    "nakagami": (lambda x: stats.nakagami.pdf(x, 1.0), 0.0, 2.0, 0.0),
    "betaprime": (lambda x: stats.betaprime.pdf(x, 2.0, 3.0), 0.0, 12.0, -120.0),
    "powerlaw": (lambda x: stats.powerlaw.pdf(x, 3.0), 0.0, 0.0, 6.0),
    "beta": (lambda x: stats.beta.pdf(x, 2.0, 3.0), 0.0, 12.0, -48.0),
    "beta at 1": (lambda x: stats.beta.pdf(x, 2.0, 2.0), 1.0, -6.0, -12.0),
}


@pytest.mark.parametrize("name", FIRST)
def test_densities_at_an_end_of_the_support(name: str) -> None:
    function, place, first, second = FIRST[name]
    assert sd.grad(function)(place) == pytest.approx(first)
    assert sd.derivative(function)(place) == pytest.approx(first)
    for mode in modes(function):
        assert mode(place) == pytest.approx(second, abs=1e-12)


def test_arrays_that_broadcast_and_shapes() -> None:
    """By the shape the slope at 0 is ``x**(a - 1) log(x)``; elsewhere as mpmath has it."""
    a, x = np.array([[2.0], [3.5]]), np.array([0.0, 0.7])

    def total(a: Any, x: Any) -> Any:
        return np.sum(special.gammainc(a, x))

    by_x = sd.grad(lambda a, x: np.sum(sd.grad(total, 1)(a, x)), 1)(a, x)
    by_a = sd.grad(lambda a, x: np.sum(sd.grad(total, 1)(a, x)), 0)(a, x)
    expected = [exact(gamma, (k, 0.7), (0, 1)) for k in (2.0, 3.5)]
    np.testing.assert_allclose(by_x, [1.0, sum(expected)], rtol=1e-12)
    expected = [exact(gamma, (k, 0.7), (1, 0)) for k in (2.0, 3.5)]
    np.testing.assert_allclose(by_a[:, 0], expected, rtol=1e-12)
    single = sd.grad(sd.grad(lambda x: special.gammainc(np.float32(2), x)))(np.float32(0))
    assert single == 1.0 and single.dtype == np.float32


def test_sympy_has_them() -> None:
    sp = pytest.importorskip("sympy")
    form = sd.grad(sd.grad(lambda x: special.gammainc(2.0, x))).sympy(0.5)
    (x,) = form.free_symbols
    for place in (0.0, 0.7):
        assert float(form.subs(x, place)) == pytest.approx((1 - place) * math.exp(-place))
    assert sp.diff(form, x).subs(x, 0.0) == pytest.approx(-2.0)
