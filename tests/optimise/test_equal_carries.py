"""Derivatives that a loop carries twice are carried once."""

from __future__ import annotations

import linecache
import re
import time
from typing import Any

import numpy as np
import pytest
import sympy as sp

import symdiff as sd

X = sp.symbols("x")
TABLE = np.array([1.5, -2.0, 0.25, 3.0, -0.5, 1.0])


def horner(x: Any, table: Any) -> Any:
    v = 0.0
    for c in table:
        v = v * x + c
    return v


def register(x: Any, n: int) -> Any:
    """What three carries start from is one value, and a turn after the other tells them apart."""
    a, b, c = 0.0, 0.0, 0.0
    for _ in range(n):
        a, b, c = a * x + x, a, b
    return a * b + c


def test_a_derivative_of_order_n_has_a_carry_for_each_order() -> None:
    derivative: Any = horner
    for order in (1, 2, 3, 4):
        derivative = sd.grad(derivative)
        before_the_loop = derivative.source(0.7, TABLE).split("for ")[0]
        assert len(set(re.findall(r"v_dot\d*", before_the_loop))) == order
        polynomial = np.polynomial.Polynomial(TABLE[::-1]).deriv(order)
        assert derivative(0.7, TABLE) == pytest.approx(float(polynomial(0.7)), rel=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 6])
def test_carries_that_differ_after_some_turns_stay_apart(n: int) -> None:
    derivative: Any = register
    for order in (1, 2, 3):
        derivative = sd.grad(derivative)
        expected = float(sp.diff(register(X, n), X, order).subs(X, sp.Rational(7, 10)))
        assert derivative(0.7, n) == pytest.approx(expected, rel=1e-12)


def test_two_of_the_users_own_that_are_equal_are_both_carried() -> None:
    def twice(x: float, n: int) -> tuple[float, float]:
        a, b = 1.0, 1.0
        for _ in range(n):
            a = a * x
            b = b * x
        return a, b

    source = sd.differentiable(twice).source(0.5, 3)
    assert "b = b * x" in source or "b *= x" in source


def test_time_is_linear_in_carries_that_one_turn_after_the_other_tells_apart() -> None:
    def compiled(count: int) -> float:
        names = [f"a{k}" for k in range(count)]
        text = f"def f(x, n):\n    {', '.join(names)} = {', '.join(['0.0'] * count)}\n"
        text += f"    for _ in range(n):\n        {', '.join(names)} = "
        text += f"{', '.join(['a0 * x + x', *names[:-1]])}\n    return {names[-1]}\n"
        function = from_text(text)
        start = time.process_time()
        sd.grad(function).source(0.5, 3)
        return time.process_time() - start

    compiled(4)
    few, many = min(compiled(10) for _ in range(2)), min(compiled(40) for _ in range(2))
    assert many < 8.0 * few + 0.05


def from_text(text: str) -> Any:
    name = f"<carries {hash(text)}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    scope: dict[str, Any] = {}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]
