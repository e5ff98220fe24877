"""Distribution functions of ``scipy.special``, Voigt's profile and zeta functions, by mpmath."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd

special = pytest.importorskip("scipy.special")
stats = pytest.importorskip("scipy.stats")


def _slope(function: Any, at: tuple[float, ...], k: int) -> float:
    with mpmath.workdps(60):
        orders = tuple(int(j == k) for j in range(len(at)))
        given = tuple(mpmath.mpf(x) for x in at)
        return float(mpmath.diff(function, given, orders, h=mpmath.mpf(10) ** -25).real)


def _require(function: Any, exact: Any, at: tuple[float, ...], rel: float = 1e-11) -> None:
    for k in range(len(at)):
        expected = _slope(exact, at, k)
        along = tuple(float(j == k) for j in range(len(at)))
        assert sd.grad(function, k)(*at) == pytest.approx(expected, rel=rel)
        assert sd.jvp(function, at, along)[1] == pytest.approx(expected, rel=rel)


@pytest.mark.parametrize("x", [-2.5, -1.2, 0.3, 0.99, 1.01, 1.5, 4.0, 12.0, 50.0])
def test_zeta_less_one(x: float):
    _require(special.zetac, mpmath.zeta, (x,), rel=1e-10)


@pytest.mark.parametrize("x", [-170.7, -100.3, -30.2, -7.5, -6.0, -4.0, -3.0, -2.0, 2.0])
def test_zeta_less_one_far_on_the_left(x: float):
    _require(special.zetac, mpmath.zeta, (x,), rel=1e-10)
    second = sd.grad(sd.grad(special.zetac))(x)
    assert second == pytest.approx(float(mpmath.diff(mpmath.zeta, x, 2)), rel=1e-8)


@pytest.mark.parametrize("x", [0.0, 0.7, -3.0, 40.0, 1e4])
@pytest.mark.parametrize("widths", [(0.8, 0.3), (1e-3, 2.0), (3.0, 1e-2)])
def test_voigts_profile(x: float, widths: tuple[float, float]):
    def exact(x: Any, sigma: Any, gamma: Any) -> Any:
        z = mpmath.mpc(x, gamma) / (sigma * mpmath.sqrt(2))
        w = mpmath.exp(-z * z) * mpmath.erfc(mpmath.mpc(z.imag, -z.real))
        return w.real / (sigma * mpmath.sqrt(2 * mpmath.pi))

    at = (x, *widths)
    for k in range(3):
        with mpmath.workdps(400):  # an exponential and an error function cancel
            orders = tuple(int(j == k) for j in range(3))
            given = tuple(mpmath.mpf(v) for v in at)
            h = mpmath.mpf(10) ** -60
            above, below = (
                exact(*(v + s * h * o for v, o in zip(given, orders, strict=True))) for s in (1, -1)
            )
            expected = float((above - below) / (2 * h))
        scale = float(special.voigt_profile(*at)) / max(abs(at[k]), 1.0)
        found = sd.grad(special.voigt_profile, k)(*at)
        assert abs(found - expected) <= 1e-9 * max(abs(expected), 1e-3 * scale)


def test_voigts_profile_without_a_width_is_cauchys():
    """And grows by its second derivative, as what is smoothed does."""

    def profile(sigma: float) -> Any:
        return special.voigt_profile(0.7, sigma, 0.4)

    first = sd.grad(lambda x: special.voigt_profile(x, 0.0, 0.4))(0.7)
    assert first == pytest.approx(-2 * 0.4 * 0.7 / np.pi / (0.65 * 0.65), rel=1e-13)
    second = sd.grad(sd.grad(profile))(0.0)
    bend = mpmath.diff(lambda x: 0.4 / mpmath.pi / (x * x + 0.16), 0.7, 2)
    assert sd.grad(profile)(0.0) == 0.0
    assert second == pytest.approx(float(bend), rel=1e-10)


def test_sums_of_counts():
    def below(p: Any) -> Any:
        return mpmath.fsum(mpmath.binomial(5, j) * p**j * (1 - p) ** (5 - j) for j in range(3))

    def failures(p: Any) -> Any:
        return mpmath.fsum(mpmath.binomial(3 + j, j) * p**4 * (1 - p) ** j for j in range(3))

    _require(lambda p: special.bdtr(2, 5, p), below, (0.3,))
    _require(lambda p: special.bdtrc(2, 5, p), lambda p: 1 - below(p), (0.3,))
    _require(lambda p: special.nbdtr(2, 4, p), failures, (0.3,))
    _require(lambda p: special.nbdtrc(2, 4, p), lambda p: 1 - failures(p), (0.3,))
    share = float(special.bdtr(2, 5, 0.3))
    assert sd.grad(lambda y: special.bdtri(2, 5, y))(share) == pytest.approx(
        1 / _slope(below, (0.3,), 0), rel=1e-10
    )
    for function in (special.bdtr, special.bdtrc):
        assert sd.grad(lambda p, function=function: function(5, 5, p))(0.3) == 0.0


def test_a_law_of_powers_and_differences_of_counts():
    def power(a: Any) -> Any:
        return -a * mpmath.log(3) - mpmath.log(mpmath.zeta(a))

    _require(lambda a: stats.zipf.logpmf(3, a), power, (1.05,))
    _require(lambda a: stats.zipf.logpmf(3, a), power, (6.5,))

    def skellam(one: Any, other: Any) -> Any:
        root = mpmath.sqrt(one * other)
        return mpmath.exp(-one - other) * (one / other) * mpmath.besseli(2, 2 * root)

    _require(lambda a, b: stats.skellam.pmf(2, a, b), skellam, (1.6, 0.9))
    _require(lambda a, b: stats.skellam.pmf(2, a, b), skellam, (300.0, 280.0), rel=1e-9)
