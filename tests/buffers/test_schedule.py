"""Nodes moved so that no value needs a name beside what it becomes."""

from __future__ import annotations

from typing import Any

import numpy as np

import symdiff as sd


def grown(x: Any, rate: Any) -> Any:
    while x < 50.0:
        if x < 10.0:
            step = rate * x
            x = x + step * x
        else:
            x = x * (1.0 + rate) + np.sin(x)
    return x


def test_what_a_carry_becomes_in_a_branch_is_computed_behind_its_last_reader() -> None:
    source = str(sd.grad(grown, (0, 1)).source(1.5, 0.3))
    assert "x_bar *= 1.0 + math.cos(x) + rate" in source, source
    assert "x_bar1" not in source, source
    at, h = np.array([1.5, 0.3]), 1e-30
    for k, slope in enumerate(sd.grad(grown, (0, 1))(*at)):
        x, rate = (at + 1j * h * (np.arange(2) == k)).tolist()
        while x.real < 50.0:
            x = x + rate * x * x if x.real < 10.0 else x * (1.0 + rate) + np.sin(x)
        np.testing.assert_allclose(slope, x.imag / h, rtol=1e-12)


def squares(x: Any, n: int) -> Any:
    s, total = np.float64(x), np.float64(0.0)
    for _ in range(n):
        with np.errstate(over="ignore"):
            following = s * s
        total = total + s
        s = following
    return total


def test_what_a_carry_becomes_stays_among_the_settings_that_it_is_computed_in() -> None:
    """What is behind them would warn, and warnings are errors here."""
    value, slope = sd.jvp(squares, (np.float64(1e200), 2), (np.float64(1.0), None))
    assert value == squares(1e200, 2) == np.inf
    assert slope == 2e200
