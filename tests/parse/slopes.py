"""Derivatives of functions of a number against differences of the sixth order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import symdiff as sd


def check_slopes(f: Callable[[Any], Any], x: float) -> None:
    """Check the value of a function of a number, its slope in both modes, and how that changes."""
    h = 1e-3
    near = {k: float(f(x + k * h)) for k in range(-3, 4)}
    slope = 45 * (near[1] - near[-1]) - 9 * (near[2] - near[-2]) + near[3] - near[-3]
    bend = 270 * (near[1] + near[-1]) - 27 * (near[2] + near[-2]) + 2 * (near[3] + near[-3])
    slope, bend = slope / (60 * h), (bend - 490 * near[0]) / (180 * h * h)
    value, derivative = sd.value_and_grad(f)(x)
    assert value == f(x)
    assert derivative == pytest.approx(slope, rel=1e-9, abs=1e-10)
    assert sd.jvp(f, (x,), (1.0,))[1] == pytest.approx(slope, rel=1e-9, abs=1e-10)
    assert sd.derivative(f, 2)(x) == pytest.approx(bend, rel=1e-6, abs=1e-7)
