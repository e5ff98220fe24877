"""What a derivative clears in an array for no later turn is not cleared, and all else is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.reference import richardson_gradient

Array = Any


def prefixes(b: Array) -> float:
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = np.sin(b[i] - b[:i] @ x[:i])
    return np.sum(x * x)


def blocks(b: Array) -> float:
    x = np.zeros((len(b), len(b)))
    for i in range(len(b)):
        x[i, i:] = np.sin(b[i:] * np.sum(x[:i]))
        x[i, :i] = b[i] ** 2
    return np.sum(x * x)


def with_the_last(b: Array) -> float:
    """A turn reads what the one before has overwritten."""
    x = np.ones(len(b))
    for i in range(len(b)):
        x[i:] = np.sin(b[i] * x[i:]) + x[i - 1]
    return np.sum(x * x)


def suffixes(b: Array) -> float:
    x = np.cos(b)
    for i in range(len(b) - 1):
        x[i + 1 :] = b[i + 1 :] * x[i]
    return np.sum(x * x)


def swept_twice(b: Array) -> float:
    x = np.zeros(len(b))
    for _ in range(2):
        for i in range(len(b)):
            x[i] = np.sin(b[i] - np.sum(x))
    return np.sum(x * x)


def test_what_no_later_turn_reads_is_not_cleared() -> None:
    assert "= 0.0" not in sd.grad(prefixes).source(np.ones(3))
    assert "= 0.0" in sd.grad(swept_twice).source(np.ones(3))


@pytest.mark.parametrize(
    "f", [prefixes, blocks, with_the_last, suffixes, swept_twice], ids=lambda f: f.__name__
)
def test_gradients_of_loops_that_overwrite_parts(f: Callable[[Array], float]) -> None:
    b = np.array([0.7, -0.4, 1.1, 0.3])
    expected = richardson_gradient(f, (b,), 0).value
    np.testing.assert_allclose(sd.grad(f)(b), expected, rtol=1e-8, atol=1e-9)
