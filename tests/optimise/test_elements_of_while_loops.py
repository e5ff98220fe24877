"""Loops over elements that go on as long as a condition holds, or are left early."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd

Array = Any
STEP = 1e-30j


def anomalies(M: Array, e: float) -> Any:
    """Kepler's equation for each element."""
    E = np.zeros(len(M))
    for i in range(len(M)):
        x = M[i]
        while abs(x - e * np.sin(x) - M[i]) > 1e-13:
            x = x - (x - e * np.sin(x) - M[i]) / (1.0 - e * np.cos(x))
        E[i] = x
    return np.sum(E**2)


def test_a_newton_iteration_for_each_element_runs_on_floats() -> None:
    M, e = np.array([0.4, 1.7, 3.0, 5.5]), 0.3
    E = M.copy()
    for _ in range(50):
        E = M + e * np.sin(E)
    slope = 2.0 * E / (1.0 - e * np.cos(E))
    gradient = sd.grad(anomalies, (0, 1))
    assert "M_list = M.tolist()" in gradient.source(M, e)
    by_M, by_e = gradient(M, e)
    np.testing.assert_allclose(by_M, slope, rtol=1e-12)
    np.testing.assert_allclose(by_e, slope @ np.sin(E), rtol=1e-12)
    value = sd.value_and_grad(anomalies)(M, e)[0]
    assert value == anomalies(M, e)
    bend = 2.0 / (1.0 - e * np.cos(E)) ** 2 - slope * e * np.sin(E) / (1.0 - e * np.cos(E)) ** 2
    np.testing.assert_allclose(np.diag(sd.hessian(anomalies)(M, e)), bend, rtol=1e-10)


def test_what_raises_on_floats_is_computed_by_numpy() -> None:
    with np.errstate(all="ignore"):
        found = sd.grad(anomalies)(np.array([0.5, np.inf]), 0.3)
        alone = sd.grad(anomalies)(np.array([0.5]), 0.3)
    np.testing.assert_array_equal(found[:1], alone)
    assert not np.isfinite(found[1])


def left_early(x: Array, level: float) -> Any:
    total = 0.0
    for i in range(len(x)):
        total = total * 0.9 + x[i] * x[i]
        if np.real(total) > level:
            break
    return total


def merged(x: Array, level: float) -> Any:
    """Two places move through one vector."""
    i, j = 0, len(x) - 1
    total = level
    while i < j:
        if np.real(x[i]) < np.real(x[j]):
            total = total * 0.9 + x[i] * x[j]
            i += 1
        else:
            total = total * 0.8 + np.sin(x[j])
            j -= 1
    return total


def by_places(x: Array, level: float) -> Any:
    """What is written is read again, at places known at run time."""
    y = x * 1.0
    i, turns = 0, 0
    while turns < 9 and np.real(y[i]) < level:
        y[i] = y[i] * 1.5 + y[i - 1] * x[i]
        i = (i * 2 + 1) % len(x)
        turns += 1
    return np.sum(y * y)


@pytest.mark.parametrize("function", [left_early, merged, by_places])
@pytest.mark.parametrize("level", [0.1, 1.4, 100.0])
def test_loops_with_conditions(function: Callable[..., Any], level: float) -> None:
    x = np.array([0.7, -0.3, 0.5, 0.9, 0.2, -0.6])
    expected = np.array([np.imag(function(x + d, level)) for d in STEP * np.eye(6)]) / STEP.imag
    assert "item(" in sd.grad(function).source(x, level)
    np.testing.assert_allclose(sd.grad(function)(x, level), expected, rtol=1e-12, atol=1e-14)
    value, found = sd.value_and_grad(function)(x, level)
    assert value == function(x, level)
    assert type(value) is type(function(x, level))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    v = np.cos(np.arange(6.0))
    tangent = sd.jvp(lambda x: function(x, level), (x,), (v,))[1]
    np.testing.assert_allclose(tangent, expected @ v, rtol=1e-12)
    h = 1e-4
    moved = [sd.grad(function)(x + k * h * v, level) for k in (1, -1, 2, -2)]
    second = (8.0 * (moved[0] - moved[1]) - (moved[2] - moved[3])) / (12.0 * h)
    np.testing.assert_allclose(sd.hvp(function)(x, level, v), second, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("length", [0, 1])
def test_loops_that_have_no_turn_leave_pythons_number(length: int) -> None:
    x = np.full(length, 0.5)
    value = sd.value_and_grad(left_early)(x, 1.0)[0]
    assert value == left_early(x, 1.0)
    assert type(value) is type(left_early(x, 1.0))
