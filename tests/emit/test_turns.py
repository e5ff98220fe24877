"""Loops run over the tapes of loops inside loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.reference import directional

Array = Any


def pairs(x: Array) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            d = x[i] - x[j]
            r = d @ d
            total += r * np.exp(-r)
    return total


def triples(x: Array) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            for k in range(i, j):
                total += np.sin(np.sin(x[i] @ x[j]) * np.cos(x[k] @ x[k]))
    return total


def left_early(x: Array) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            r = np.sin(x[i] @ x[j])
            total += r * r * r
            if total > 1.5:
                break
    return total


def other_counts(x: Array) -> float:
    """Each inner loop has as many turns as an element says that the turn itself changes."""
    total = 0.0
    left = 3
    for i in range(x.shape[0]):
        left = left - 1 if x[i, 0] > 0 else left + 1
        for _ in range(left):
            total = np.sin(total + x[i] @ x[i]) * np.cos(total)
    return total


POINTS = np.random.default_rng(3).normal(size=(5, 2))


@pytest.mark.parametrize("f", [pairs, triples, left_early, other_counts])
def test_derivatives_of_loops_inside_loops(f: Any) -> None:
    direction = np.random.default_rng(4).normal(size=POINTS.shape)
    found = np.sum(sd.grad(f)(POINTS) * direction)
    expected, error = directional(f, (POINTS,), (direction,))
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=10 * error)


def test_the_tapes_of_an_inner_loop_are_run_over() -> None:
    text = sd.grad(pairs).source(POINTS)
    assert "len(" not in text
    assert "reversed(range(i + 1, x.shape[0])), reversed(" in text
