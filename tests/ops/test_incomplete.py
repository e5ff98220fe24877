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
from symdiff.ops.incomplete_values import bessel_k, incomplete_beta, incomplete_gamma

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


@pytest.mark.parametrize("v", [0.0, 0.5, -2.3, 10.0, 60.0])
@pytest.mark.parametrize("orders", [(0, 0), (1, 0), (2, 0), (1, 1)])
def test_bessel_k(v: float, orders: tuple[int, ...]) -> None:
    for x in (1e-4, 0.3, 2.0, 40.0, 300.0):
        expected = exact(mp.besselk, (v, x), orders)
        assert bessel_k(v, x, orders=orders) == pytest.approx(expected, rel=1e-11, abs=1e-300)


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
        return special.gammainc(a, x) + special.betainc(a, x, 0.3)

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
