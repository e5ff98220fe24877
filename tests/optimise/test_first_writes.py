"""What turns of a loop add to places that hold zeros still is stored there, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.reference import richardson_gradient

Array = Any


def substitution(A: Array) -> float:
    x = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        x[i] = (1.0 - A[i, :i] @ x[:i]) / A[i, i]
    return np.sum(x * x)


def rows_and_columns(A: Array) -> float:
    total = 0.0
    for i in range(A.shape[0]):
        total += np.sum(np.sin(A[i, i + 1 :])) * np.sum(np.cos(A[i + 1 :, i])) * A[i, i]
    return total


def pairs(A: Array) -> float:
    x, total = A[0], 0.0
    for i in range(0, len(x) - 1, 2):
        total += np.sum(np.exp(A[i : i + 2, 0])) * np.sin(A[i + 1, 1]) * x[0]
    return total


def neighbours(A: Array) -> float:
    total = 0.0
    for i in range(len(A) - 1):
        total += np.sum(A[i] * np.sin(A[i + 1]))
    return total


def behind(A: Array) -> float:
    """The first turn reads the last row, which a later turn reads too."""
    total = 0.0
    for i in range(len(A)):
        total += np.sum(A[i] * np.sin(A[i - 1]))
    return total


def overlapping(A: Array) -> float:
    total = 0.0
    for i in range(len(A) - 1):
        total += np.sum(A[i : i + 2]) ** 3
    return total


def read_twice(A: Array) -> float:
    total = 0.0
    for i in range(len(A)):
        total += np.sum(A[i, 1:] * np.sin(A[i, :-1])) + A[i, 0] ** 3
    return total


def the_same_row(A: Array) -> float:
    total = 0.0
    for i in range(len(A)):
        total += np.sum(np.sin(A[0] * i)) + A[i, 1] ** 2
    return total


def downwards(A: Array) -> float:
    total = 1.0
    for i in range(len(A) - 1, -1, -1):
        total = total * np.sum(np.cos(A[i]))
    return total


def twice_over(A: Array) -> float:
    """The inner loop goes over all rows in each turn of the outer one."""
    total = 0.0
    for k in range(3):
        for i in range(len(A)):
            total += np.sum(np.sin(A[i] * k)) * (A[k, 0] + 1.0)
    return total


def stored(text: str) -> tuple[int, int]:
    """How many statements store parts of the cotangent, and how many add to them."""
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("A_bar[")]
    adds = [line for line in lines if "] += " in line or "] -= " in line]
    return len(lines) - len(adds), len(adds)


WAYS: list[tuple[Callable[[Array], float], tuple[int, int]]] = [
    (substitution, (2, 0)),
    (rows_and_columns, (3, 0)),
    (neighbours, (1, 1)),
    (behind, (0, 2)),
    (overlapping, (0, 1)),
    (the_same_row, (0, 2)),
]


@pytest.mark.parametrize(("f", "counts"), WAYS, ids=lambda f: getattr(f, "__name__", ""))
def test_first_additions_are_stored(f: Callable[[Array], float], counts: tuple[int, int]) -> None:
    assert stored(sd.grad(f).source(np.ones((4, 4)))) == counts


EACH = [f for f, _ in WAYS] + [pairs, read_twice, downwards, twice_over]


@pytest.mark.parametrize("f", EACH, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [3, 4])
def test_gradients_of_loops_over_parts(f: Callable[[Array], float], n: int) -> None:
    A = np.random.default_rng(n).normal(size=(n, n)) + 3.0 * np.eye(n)
    expected = richardson_gradient(f, (A,), 0).value
    np.testing.assert_allclose(sd.grad(f)(A), expected, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(sd.vjp(f, A)[1](1.0)[0], expected, rtol=1e-8, atol=1e-8)
