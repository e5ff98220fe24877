"""Derivatives of high order, whose programs come from series where that is shorter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

import symdiff as sd
from tests.benchmarks.orders import cases, operations

Function = Callable[..., Any]


@pytest.fixture(autouse=True)
def verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")


@pytest.mark.parametrize("name", cases())
def test_expressions_against_sympy(name: str):
    function, symbolic = cases()[name]
    x = sp.Symbol("x")
    for order in (3, 5, 8):
        exact = sp.lambdify(x, sp.diff(symbolic(x), x, order), "mpmath")
        made = sd.derivative(function, order)
        for place in (0.3, 0.7, 2.0):
            with mpmath.workdps(50):
                wanted = float(exact(mpmath.mpf(place)))
            found = made(place)
            assert type(found) is float or np.ndim(found) == 0
            assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9 * math.factorial(order))
        if name != "x**9-3*x**5":  # in both modes
            _, tangent = sd.jvp(sd.derivative(function, order - 1), (0.7,), (1.0,))
            gradient = sd.grad(sd.derivative(function, order - 1))(0.7)
            np.testing.assert_allclose([tangent, gradient], made(0.7), rtol=1e-8)


def test_programs_of_order_eight_are_short():
    counts = {
        name: operations(str(sd.derivative(function, 8).source("float")))
        for name, (function, _) in cases().items()
    }
    assert max(counts.values()) <= 110
    assert sum(counts.values()) <= 720


def test_the_order_costs_its_square_and_not_a_power():
    def lengthy(x):
        return np.sqrt(1 + x * x) / (2 + np.sin(x))

    lengths = [operations(str(sd.derivative(lengthy, n).source("float"))) for n in (6, 12)]
    assert lengths[1] < 5.5 * lengths[0]


EDGES: list[tuple[Function, float, int, float]] = [
    (lambda x: np.sqrt(x), math.inf, 3, 0.0),
    (lambda x: x**2.5, 0.0, 3, math.inf),
    (lambda x: x * np.log(x), 1e-200, 3, -math.inf),
    (lambda x: np.abs(x) ** 3, 0.0, 3, 0.0),
    (lambda x: np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0.0), -1.0, 4, 0.0),
    (lambda x: np.where(x > 0, np.log(np.abs(x)), x**5), 0.0, 4, 0.0),
    (lambda x: np.tanh(x), 400.0, 5, 0.0),
    (lambda x: 1 / (1 + np.exp(-x)), 40.0, 4, -math.exp(-40.0)),
    (lambda x: x**4, -1e-200, 5, 0.0),
    (lambda x: np.maximum(x, 0.0) ** 4, 2.0, 3, 48.0),
]


@pytest.mark.parametrize(("function", "place", "order", "wanted"), EDGES)
def test_edges(function: Function, place: float, order: int, wanted: float):
    with np.errstate(all="ignore"):
        found = sd.derivative(function, order)(place)
    assert found == pytest.approx(wanted, rel=1e-12)


def test_loops_branches_containers_and_single_precision():
    def solved(x):
        y = 0.5
        for k in range(6):
            y = y - (y * y * y + x * y - k) / (3 * y * y + x)
        return y

    def by_steps(x):
        y = mpmath.mpf(0.5)
        for k in range(6):
            y = y - (y * y * y + x * y - k) / (3 * y * y + x)
        return y

    with mpmath.workdps(60):
        wanted = float(mpmath.diff(by_steps, mpmath.mpf(1.3), 5))
    assert sd.derivative(solved, 5)(1.3) == pytest.approx(wanted, rel=1e-10)

    def branching(x):
        return math.sin(x) * math.exp(x) if x > 0 else x**4

    assert sd.derivative(branching, 4)(0.5) == pytest.approx(-4 * math.sin(0.5) * math.exp(0.5))
    assert sd.derivative(branching, 4)(-0.5) == 24.0

    made = sd.derivative(lambda x: (x**5, {"rows": np.arange(3.0) * np.sin(x)}), 4)(2.0)
    assert made[0] == pytest.approx(240.0)
    np.testing.assert_allclose(made[1]["rows"], np.arange(3.0) * math.sin(2.0), rtol=1e-14)

    single = sd.derivative(lambda x: np.exp(x * x), 4)(np.float32(0.5))
    assert single.dtype == np.float32
    assert single == pytest.approx(25.0 * math.exp(0.25), rel=1e-5)  # 12 + 48 x² + 16 x⁴


def test_orders_add_up_and_zero_is_the_function():
    def wave(x):
        return np.sin(x) / (1 + x * x)

    parts = sd.derivative(sd.derivative(wave, 3), 4)(0.4)
    assert parts == pytest.approx(sd.derivative(wave, 7)(0.4), rel=1e-12)
    with mpmath.workdps(50):
        wanted = mpmath.diff(lambda x: mpmath.sin(x) / (1 + x * x), mpmath.mpf(0.4), 7)
    assert parts == pytest.approx(float(wanted), rel=1e-10)
    assert sd.derivative(wave, 0)(0.4) == wave(0.4)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("order", [1, 2, 3, 4, 6])
def test_an_extremum_takes_nothing_of_what_is_infinite(order):
    for function in (
        lambda x: np.maximum(np.log(x), -1.0) + x**6,
        lambda x: np.clip(1 / x, -1.0, 3.0) + x**6,
        lambda x: np.fmin(2.0, 1 / x) + x**6,
    ):
        wanted = 720.0 if order == 6 else 0.0
        assert sd.derivative(function, order)(np.float64(0.0)) == wanted
        assert sd.taylor(function, np.float64(0.0), order)[order] == wanted / 720
