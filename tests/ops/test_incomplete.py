"""Derivatives of incomplete gamma and beta functions by their parameters, against mpmath."""

from __future__ import annotations

import importlib.util
import itertools
import math
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff.ops.incomplete_values import incomplete_beta, incomplete_gamma

special = pytest.importorskip("scipy.special")
mp = mpmath.mp.clone()
mp.dps = 35


def gamma(u: Any, a: Any) -> Any:
    return mp.gammainc(a, 0, mp.exp(u), regularized=True)


def beta(u: Any, a: Any, b: Any) -> Any:
    return mp.betainc(a, b, 0, 1 / (1 + mp.exp(-u)), regularized=True)


def exact(function: Any, point: tuple[float, ...], orders: tuple[int, ...]) -> float:
    given = tuple(map(mp.mpf, point))
    return float(mp.diff(function, given, orders) if any(orders) else function(*given))


@pytest.mark.parametrize("a", [1e-3, 0.05, 0.5, 1.0, 2.5, 10.0, 1000.0])
@pytest.mark.parametrize("orders", [(0, 0), (0, 1), (0, 2), (1, 1), (0, 3)])
def test_gamma(a: float, orders: tuple[int, ...]) -> None:
    spread = 1 / math.sqrt(1 + a)
    for steps in (-6.0, -1.3, -0.2, 0.3, 1.1, 4.0):
        u = math.log(a) + steps * spread
        expected = exact(gamma, (u, a), orders)
        found = incomplete_gamma(u, a, orders=orders)
        assert found == pytest.approx(expected, rel=1e-10 if orders[1] < 3 else 1e-8, abs=1e-30)


@pytest.mark.parametrize("b", [1e-2, 0.5, 3.0, 500.0])
@pytest.mark.parametrize("a", [1e-2, 0.5, 3.0, 500.0])
def test_beta(a: float, b: float) -> None:
    for steps, orders in itertools.product(
        (-4.0, -0.3, 0.2, 5.0), ((0, 1, 0), (0, 0, 1), (0, 1, 1))
    ):
        u = math.log(a / b) + steps / math.sqrt(1 + min(a, b))
        expected = exact(beta, (u, a, b), orders)
        assert incomplete_beta(u, a, b, orders=orders) == pytest.approx(
            expected, rel=2e-9, abs=1e-30
        )


def test_outside_of_their_domain() -> None:
    with np.errstate(all="raise"):
        for u, a, expected in ((-np.inf, 1.0, 0.0), (np.inf, 1.0, 0.0), (np.nan, 1.0, np.nan)):
            np.testing.assert_equal(incomplete_gamma(u, a, orders=(0, 1)), expected)
            np.testing.assert_equal(incomplete_beta(u, a, 2.0, orders=(0, 1, 0)), expected)
        assert np.isnan(incomplete_gamma(0.0, -1.0, orders=(0, 1)))
    assert incomplete_gamma(np.float32(0.1), 2.0, orders=(0, 1)).dtype == np.float32


CASES: dict[str, tuple[Any, tuple[float, ...], Any]] = {
    "gammainc": (special.gammainc, (1.7, 0.9), lambda a, x: gamma(mp.log(x), a)),
    "gammaincc": (special.gammaincc, (0.3, 5.9), lambda a, x: 1 - gamma(mp.log(x), a)),
    "betainc": (special.betainc, (1.7, 0.4, 0.3), lambda a, b, x: beta(mp.log(x / (1 - x)), a, b)),
    "betaincc": (
        special.betaincc,
        (1.7, 0.4, 0.9),
        lambda a, b, x: 1 - beta(mp.log(x / (1 - x)), a, b),
    ),
    "stdtr": (
        special.stdtr,
        (3.4, -1.2),
        lambda n, t: beta(mp.log(n / t**2), n / 2, mp.mpf(1) / 2) / 2,
    ),
    "fdtr": (special.fdtr, (2.3, 4.1, 0.7), lambda n, d, x: beta(mp.log(n * x / d), n / 2, d / 2)),
    "gdtr": (special.gdtr, (1.3, 0.7, 0.9), lambda a, b, x: gamma(mp.log(a * x), b)),
    "gdtrc": (special.gdtrc, (1.3, 2.7, 0.9), lambda a, b, x: 1 - gamma(mp.log(a * x), b)),
    "kv": (special.kv, (1.3, 0.9), mp.besselk),
    "chdtrc": (special.chdtrc, (2.3, 0.7), lambda v, x: 1 - gamma(mp.log(x / 2), v / 2)),
}


@pytest.mark.parametrize("name", CASES)
def test_functions_by_all_they_are_given(name: str) -> None:
    function, point, reference = CASES[name]
    positions = tuple(range(len(point)))
    gradient = sd.grad(lambda *p: function(*p), positions)(*point)
    curved = sd.hessian(lambda *p: function(*p), positions)(*point)
    for i, j in itertools.product(positions, repeat=2):
        first = tuple(int(k == i) for k in positions)
        assert gradient[i] == pytest.approx(exact(reference, point, first), rel=1e-10)
        second = tuple(n + (k == j) for k, n in enumerate(first))
        assert curved[i][j] == pytest.approx(exact(reference, point, second), rel=1e-9)


INVERSES: dict[str, tuple[Any, tuple[float, ...], Any]] = {
    "gammaincinv": (special.gammaincinv, (1.7, 0.3), CASES["gammainc"][2]),
    "gammainccinv": (special.gammainccinv, (1.7, 0.3), CASES["gammaincc"][2]),
    "betaincinv": (special.betaincinv, (1.7, 0.8, 0.3), CASES["betainc"][2]),
    "betainccinv": (special.betainccinv, (1.7, 0.8, 0.3), CASES["betaincc"][2]),
    "chdtri": (special.chdtri, (3.4, 0.3), CASES["chdtrc"][2]),
    "fdtri": (special.fdtri, (2.4, 5.1, 0.3), CASES["fdtr"][2]),
    "stdtrit": (special.stdtrit, (3.4, 0.3), CASES["stdtr"][2]),
}


@pytest.mark.parametrize("name", INVERSES)
def test_inverses_by_all_they_are_given(name: str) -> None:
    function, point, direct = INVERSES[name]
    start = mp.mpf(float(function(*point)))

    def reference(*given: Any) -> Any:
        return mp.re(mp.findroot(lambda y: direct(*given[:-1], y) - given[-1], start))

    positions = tuple(range(len(point)))
    gradient = sd.grad(lambda *p: function(*p), positions)(*point)
    for i in positions:
        first = tuple(int(k == i) for k in positions)
        assert gradient[i] == pytest.approx(exact(reference, point, first), rel=1e-9)


def test_an_exported_module_has_all_that_it_needs(tmp_path: Path) -> None:
    def program(a: Any, x: Any) -> Any:
        central = special.gammainc(a, x) + special.betainc(a, x, 0.3)
        return central + special.nctdtr(a, 0.4, x) + special.ncfdtr(a, 3.0, x, 0.4)

    gradient = sd.grad(program, (0, 1))
    path = tmp_path / "slopes.py"
    gradient.export(path, 1.3, 0.7)
    spec = importlib.util.spec_from_file_location("slopes", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert "symdiff.ops" not in path.read_text()
    exported = next(v for k, v in vars(module).items() if k == "program_grad" or k == "program")
    assert exported(1.3, 0.7) == gradient(1.3, 0.7)


@pytest.mark.parametrize("a", [1e5, 1e9, 1e14, 4.6e18])
def test_beta_derivatives_hold_where_one_parameter_is_huge(a: float) -> None:
    """Then ``a (1 - x)`` is a gamma distribution's argument: by mpmath, and in that limit."""
    u, b = float(np.log(a / 1.5)), 1.5
    with mp.workdps(50):
        below, above = (mp.log(1 / (1 + mp.exp(sign * mp.mpf(u)))) for sign in (-1, 1))
        norm = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(mp.mpf(a) + b)
        density = float(mp.exp(a * below + b * above - norm))
    assert incomplete_beta(u, a, b, orders=(1, 0, 0)) == pytest.approx(density, rel=1e-13)
    assert incomplete_beta(-u, b, a, orders=(1, 0, 0)) == pytest.approx(density, rel=1e-13)
    limit = -incomplete_gamma(np.log(1.5), 1.5, orders=(0, 1))
    assert incomplete_beta(u, a, b, orders=(0, 0, 1)) == pytest.approx(limit, rel=10 / a + 1e-12)
    assert incomplete_beta(u, a, b, orders=(0, 1, 0)) * a == pytest.approx(
        -density, rel=10 / a + 1e-12
    )


def test_second_slopes_by_the_logit_hold_where_one_parameter_is_huge() -> None:
    u, a, b = 21.0, 1e9, 3.5
    with mp.workdps(50):
        expected = mp.diff(lambda u: _beta_density(u, a, b), mp.mpf(u))
    found = incomplete_beta(u, a, b, orders=(2, 0, 0))
    assert found == pytest.approx(float(expected), rel=1e-13)


def _beta_density(u: Any, a: Any, b: Any) -> Any:
    s = 1 / (1 + mp.exp(-u))
    return s**a * (1 - s) ** b / mp.beta(a, b)


def test_small_parameters_have_the_digits_of_the_lower_side_above_them() -> None:
    """``P(a, x)`` is ``1 + a (log(x) + γ)`` where both are as small as this."""
    u = float(np.log(3e-150))
    found = incomplete_gamma(u, 1e-150, orders=(0, 1))
    assert found == pytest.approx(u + np.euler_gamma, rel=1e-14)


def test_parameters_that_stay_at_0_leave_the_functions_flat() -> None:
    assert incomplete_gamma(0.3, 0.0, orders=(1, 0)) == 0.0
    assert incomplete_beta(0.3, 0.0, 2.0, orders=(0, 0, 1)) == 0.0
    assert incomplete_beta(0.3, 2.0, 0.0, orders=(0, 1, 0)) == 0.0
    assert np.isnan(incomplete_beta(0.3, 0.0, 2.0, orders=(0, 1, 0)))


INFINITE_AT_0 = [
    special.gammainc,
    special.gammaincc,
    special.chdtr,
    special.chdtrc,
    lambda a, x: special.betainc(a, 2.0, x),
    lambda a, x: special.betaincc(a, 2.0, x),
    lambda a, x: special.fdtr(a, 2.0, x),
    lambda a, x: special.fdtrc(a, 2.0, x),
    lambda a, x: special.gdtr(1.3, a, x),
    lambda a, x: special.gdtrc(1.3, a, x),
]


@pytest.mark.parametrize("function", INFINITE_AT_0)
def test_what_stays_at_0_adds_no_slope_where_the_density_is_infinite(function: Any) -> None:
    """A distribution function is 0 at 0, and its complement 1, whatever the shape is."""
    assert sd.jvp(lambda a, x: function(a, x), (0.5, 0.0), (1.0, 0.0))[1] == 0.0
    by_a, by_x = sd.vjp(lambda a, x: function(a, x), 0.5, 0.0)[1](0.0)
    assert by_a == by_x == 0.0


@pytest.mark.parametrize("b", [0.5, 1.0, 2.5])
def test_gdtr_is_flat_where_the_rate_or_the_argument_is_0(b: float) -> None:
    """Then it is 0, whatever the other one is; at b = 1 it is ``1 - exp(-a x)``."""
    assert sd.grad(lambda a, x: special.gdtr(a, b, x), 0)(0.7, 0.0) == 0.0
    assert sd.grad(lambda x: special.gdtr(0, b, x))(0.7) == 0.0
    if b == 1.0:
        assert sd.grad(lambda x: sd.grad(lambda a: special.gdtr(a, 1.0, x))(0.7))(0.0) == 1.0


@pytest.mark.parametrize("a", [25.0, 1e3, 1e6, 2e9])
def test_the_gamma_density_keeps_its_digits_at_large_shapes(a: float) -> None:
    """Its powers and the gamma function cancel: by mpmath, of a function and of its inverse."""
    for p in (0.05, 0.5, 0.9):
        x = float(special.gammaincinv(a, p))
        with mp.workdps(50):
            density = float(mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a)))
        limit = 1e-15 * math.sqrt(a) + 1e-13
        assert sd.grad(lambda x: special.gammainc(a, x))(x) == pytest.approx(density, rel=limit)
        found = sd.grad(lambda p: special.gammaincinv(a, p))(p)
        assert found == pytest.approx(1 / density, rel=limit)


@pytest.mark.parametrize("n", [2e5, 1e9, 9e18])
def test_the_quantiles_of_f_keep_their_slopes_at_many_degrees_of_freedom(n: float) -> None:
    """By the probability: against the density by mpmath."""
    p, d = 0.4, 3.1
    x = float(special.fdtri(n, d, p))
    with mp.workdps(50):
        u = mp.log(n) - mp.log(d) + mp.log(x)
        below, above = (mp.log(1 / (1 + mp.exp(sign * u))) for sign in (-1, 1))
        half, rest = mp.mpf(n) / 2, mp.mpf(d) / 2
        norm = mp.loggamma(half) + mp.loggamma(rest) - mp.loggamma(half + rest)
        density = float(mp.exp(half * below + rest * above - norm)) / x
    assert sd.grad(lambda p: special.fdtri(n, d, p))(p) == pytest.approx(1 / density, rel=1e-12)
    found = sd.grad(lambda x: special.fdtr(n, d, x))(x)  # as exact as SciPy's betaln
    assert found == pytest.approx(density, rel=1e-9)
