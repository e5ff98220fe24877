"""Of arrays that turns overwrite in places, the places are saved, and put back in reverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.reference import richardson_gradient

Array = Any


def gauss_seidel(A: Array, b: Array) -> float:
    x = np.zeros(b.shape[0])
    for _ in range(3):
        for i in range(b.shape[0]):
            x[i] += (b[i] - A[i] @ x) / A[i, i]
    return x @ x


def two_places(A: Array, b: Array) -> float:
    x = b.copy()
    for i in range(b.shape[0] - 1):
        t = A[i] @ x
        x[i] *= t
        x[i + 1] += np.sin(x @ x)
    return x @ A @ x


def one_place_twice(A: Array, b: Array) -> float:
    x = b.copy()
    for i in range(b.shape[0]):
        x[i] = np.sin(A[i] @ x)
        x[-1] = np.cos(A[i] @ x)
        x[i] = x[i] * np.sum(x**2)
    return np.sum(x)


def rows(A: Array, b: Array) -> float:
    u = A.copy()
    for i in range(1, A.shape[0]):
        u[i] = np.sin(b @ u + u[i - 1] * np.sum(u**2))
    return np.sum(u * A)


def columns_upwards(A: Array, b: Array) -> float:
    u = A.copy()
    for j in range(A.shape[1] - 1, -1, -1):
        u[:, j] = np.cos(u @ b)
    return np.sum(u**2)


def at_places(A: Array, b: Array) -> float:
    x = b.copy()
    for i in (2, 0, 2, 1):
        x[i] = np.sin(A[i] @ x)
    return np.sum(x)


def overwritten_later(A: Array, b: Array) -> float:
    x, total = b.copy(), 0.0
    for i in range(b.shape[0]):
        x[i] = np.sin(A[i] @ x)
    total += np.sum(x**2)
    x[0] = 7.0
    x[1:] *= 2.0
    return total + np.sum(x**3)


def until_it_settles(A: Array, b: Array) -> float:
    x, k = b.copy(), 0
    while np.sum(x**2) > 0.5 and k < 6:
        x[k % 3] = np.sin(A[k % 3] @ x) / (k + 1)
        k += 1
    return np.sum(x)


def left_early(A: Array, b: Array) -> float:
    x = b.copy()
    for i in range(b.shape[0]):
        if x[i] > 10.0:
            break
        x[i] = np.sin(A[i] @ x)
    return np.sum(x * b)


def without_turns(A: Array, b: Array) -> float:
    x = b.copy()
    for i in range(b.shape[0] - 4):
        x[i] = np.sin(A[i] @ x)
    return np.sum(x**2)


def in_an_arm(A: Array, b: Array) -> float:
    x, total = b.copy(), 0.0
    for k in range(3):
        if b[k] > 0:
            for i in range(b.shape[0]):
                x[i] = np.sin(A[i] @ x)
        else:
            x = x * b
        total += np.sum(x**2)
    return total


EACH: list[Callable[[Array, Array], float]] = [
    gauss_seidel,
    two_places,
    one_place_twice,
    rows,
    columns_upwards,
    at_places,
    overwritten_later,
    until_it_settles,
    left_early,
    without_turns,
    in_an_arm,
]


def example() -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    return 0.2 * rng.normal(size=(4, 4)) + np.eye(4), np.array([0.8, -0.5, 0.6, 0.4])


@pytest.mark.parametrize("f", EACH, ids=lambda f: f.__name__)
def test_gradients_of_loops_that_overwrite_places(f: Callable[[Array, Array], float]) -> None:
    A, b = example()
    found = sd.grad(f, argnums=(0, 1))(A, b)
    pullback = sd.vjp(f, A, b)[1]
    for _ in range(2):  # what was saved stays as it was
        for mine, again, number in zip(found, pullback(1.0), (0, 1), strict=True):
            expected = richardson_gradient(f, (A, b), number).value
            np.testing.assert_allclose(mine, expected, rtol=1e-7, atol=1e-7)
            np.testing.assert_allclose(again, expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("f", [gauss_seidel, two_places, rows], ids=lambda f: f.__name__)
def test_second_derivatives_of_loops_that_overwrite_places(
    f: Callable[[Array, Array], float],
) -> None:
    A, b = example()
    gradient = sd.grad(f, argnums=1)

    def slope(c: Array) -> Any:
        return np.sum(gradient(A, c) * np.cos(np.arange(4.0)))

    expected = richardson_gradient(slope, (b,), 0).value
    direction = np.cos(np.arange(4.0))
    np.testing.assert_allclose(sd.hvp(f, argnums=1)(A, b, direction), expected, rtol=1e-6)
    over = sd.grad(lambda c: sd.grad(f, argnums=1)(A, c) @ direction)
    np.testing.assert_allclose(over(b), expected, rtol=1e-6)


@pytest.mark.parametrize("f", EACH, ids=lambda f: f.__name__)
def test_linear_programs_of_loops_that_overwrite_places(
    f: Callable[[Array, Array], float],
) -> None:
    """A loop of tangents goes the same way as the loop itself."""
    A, b = example()
    rng = np.random.default_rng(4)
    tangents = rng.normal(size=A.shape), rng.normal(size=b.shape)
    linear = sd.linearize(f, A, b)[1]
    expected = sd.jvp(f, (A, b), tangents)[1]
    for _ in range(2):  # what was saved stays as it was
        np.testing.assert_allclose(linear(*tangents), expected, rtol=1e-10)
        for mine, gradient in zip(linear.transpose(1.0), sd.grad(f, (0, 1))(A, b), strict=True):
            np.testing.assert_allclose(mine, gradient, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("every", [1, 2, "sqrt"])
def test_segments_of_loops_that_overwrite_places(every: int | str) -> None:
    A, b = example()
    found = sd.grad(sd.checkpoint(two_places, every=every))(A, b)
    np.testing.assert_allclose(found, sd.grad(two_places)(A, b), rtol=1e-12)


@pytest.mark.parametrize("f", [gauss_seidel, two_places, rows], ids=lambda f: f.__name__)
def test_no_turn_saves_the_array(f: Callable[[Array, Array], float]) -> None:
    text = sd.grad(f, argnums=(0, 1)).source("float64[n,n]", "float64[n]")
    assert "append(x)" not in text
    assert "append(x.copy())" not in text
    assert "append(u" not in text
    turns = text[text.index("reversed") :]
    assert "x[i] = " in turns or "u[i] = " in turns


def test_memory_grows_with_the_array_and_not_with_its_square() -> None:
    import tracemalloc

    def f(x: Array, c: Array) -> Any:
        x = x.copy()
        for i in range(x.shape[0]):
            x[i] = np.sin(c @ x)
        return np.sum(x)

    x = np.linspace(0.0, 1.0, 600)
    gradient = sd.grad(f, argnums=(0, 1))
    gradient(x, x)
    tracemalloc.start()
    gradient(x, x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60 * x.nbytes  # 600 copies would be 600 of it
