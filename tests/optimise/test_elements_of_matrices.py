"""Loops over single elements of matrices, which are read as Python's floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.optimise import elements

Array = Any
STEP = 1e-30j


def eliminated(A: Array) -> Any:
    """The logarithm of the determinant, by elements."""
    A = A.copy()
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / A[k, k]
            for j in range(k + 1, n):
                A[i, j] = A[i, j] - A[i, k] * A[k, j]
    return np.sum(np.log(np.diag(A)))


def warped(A: Array) -> Any:
    """The cost of a path through a matrix, with a smooth minimum."""
    n, m = A.shape
    D = np.full((n + 1, m + 1), 30.0) * (1.0 + 0.0 * A[0, 0])
    D[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            near = np.exp(-D[i, j]) + np.exp(-D[i, j + 1]) + np.exp(-D[i + 1, j])
            D[i + 1, j + 1] = A[i, j] ** 2 - np.log(near)
    return D[n, m]


def by_neighbours(A: Array) -> Any:
    """From behind and from before, places known and counted from the end among them."""
    B = A * 1.0
    for i in range(1, A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = A[i - 1, j] * B[i - 1, -1 - j] + 0.5 * A[i, j - 1] * A[-1, 0]
    return np.sum(B * B)


def with_a_vector(A: Array) -> Any:
    """Rows times a vector whose length no loop has, and whose places count from behind."""
    x = np.sin(A[0, 0] + np.arange(9.0))
    y = np.zeros(A.shape[0]) * A[0, 0]
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            y[i] += A[i, j] * x[j - 2]
    return np.sum(y * y)


def in_three_axes(A: Array) -> Any:
    T = np.stack([A, 2.0 * A, A * A])
    total = 0.0
    for k in range(3):
        for i in range(A.shape[0]):
            T[k, i, 0] = T[k - 1, i, 1] * T[k, i, 0]
            total = total + T[k, i, 0] / T[k, i, -1]
    return total


def stepped(A: Array) -> Any:
    """Tapes of elements are handed on by a loop that works on whole matrices."""
    A = A.copy()
    for _ in range(A.shape[0]):
        B = np.sin(A)
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[1] - 1):
                A[i, j] = B[i, j] + 0.1 * B[i - 1, j] * B[i, j + 1] - 0.3 * B[i, j] ** 2
    return np.sum(A * A)


def chosen_steps(A: Array) -> Any:
    """Tapes of elements in an arm of a branch."""
    y = np.zeros(A.shape[1]) * A[0, 0]
    for k in range(A.shape[0]):
        y = y * 0.9
        if np.real(A[k, 0]) > 0.8:
            for i in range(A.shape[1]):
                y[i] = y[i] * y[i] + A[k, i] * y[i - 1] + A[k, i]
    return np.sum(y)


PROGRAMS = [eliminated, warped, by_neighbours, with_a_vector, in_three_axes, stepped, chosen_steps]
NAMES = [function.__name__ for function in PROGRAMS]
A = np.random.default_rng(5).uniform(0.5, 1.0, (4, 4)) + 4.0 * np.eye(4)


def by_complex_steps(function: Callable[[Array], Any], x: Array) -> Array:
    steps = STEP * np.eye(x.size).reshape(x.size, *x.shape)
    found = [np.imag(function(x + step)) / STEP.imag for step in steps]
    return np.array(found).reshape(x.shape)


@pytest.mark.parametrize("function", PROGRAMS, ids=NAMES)
def test_derivatives_by_all_elements(function: Callable[..., Any]) -> None:
    expected = by_complex_steps(function, A)
    assert ".item(" in sd.grad(function).source(A)
    given = [A.copy(), np.asfortranarray(A), np.repeat(A, 2, axis=1)[:, ::2]]
    given[0].flags.writeable = False
    for x in given:
        before = x.copy()
        np.testing.assert_allclose(sd.grad(function)(x), expected, rtol=1e-12, atol=1e-13)
        assert np.array_equal(x, before)
    value, found = sd.value_and_grad(function)(A)
    assert value == function(A)
    assert type(value) is type(function(A))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
    direction = np.cos(np.arange(16.0)).reshape(4, 4)
    tangent = sd.jvp(function, (A,), (direction,))[1]
    np.testing.assert_allclose(tangent, np.sum(expected * direction), rtol=1e-12)


@pytest.mark.parametrize("function", PROGRAMS, ids=NAMES)
def test_second_derivatives(function: Callable[..., Any]) -> None:
    direction, h = np.cos(np.arange(16.0)).reshape(4, 4), 1e-4
    moved = [by_complex_steps(function, A + k * h * direction) for k in (1, -1, 2, -2)]
    expected = (8.0 * (moved[0] - moved[1]) - (moved[2] - moved[3])) / (12.0 * h)
    found = sd.hvp(function)(A, direction)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


def test_what_is_not_float64_is_computed_by_numpy() -> None:
    single = A.astype(np.float32)
    assert ".item(" not in sd.grad(by_neighbours).source(single)
    found = sd.grad(by_neighbours)(single)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, by_complex_steps(by_neighbours, A), rtol=1e-5)


def test_pivots_of_zero_are_numpys() -> None:
    """Python's floats raise: NumPy divides."""
    assert "if A_k_k else np.divide(A_i_k, A_k_k)" in sd.grad(eliminated).source(A)
    assert "except" not in sd.grad(eliminated).source(A)
    singular = np.ones((3, 3))
    with np.errstate(all="ignore"):
        expected = eliminated(singular)
        value, _ = sd.value_and_grad(eliminated)(singular)
    np.testing.assert_equal(value, expected)


def beyond(A: Array, k: int) -> Any:
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            total = total + A[i, j + k] * A[i, j]
    return total


@pytest.mark.parametrize("derived", [sd.grad(beyond), sd.value_and_grad(beyond)])
def test_errors_are_numpys(derived: Callable[..., Any]) -> None:
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 1 with size 4"):
        derived(A, 1)
    with pytest.raises(IndexError, match="index -5 is out of bounds for axis 1 with size 4"):
        derived(A, -5)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_matrices_of_no_elements(shape: tuple[int, int]) -> None:
    x = np.full(shape, 2.0)
    value, found = sd.value_and_grad(beyond)(x, 0)
    assert value == 4.0 * x.size
    np.testing.assert_array_equal(found, 2.0 * x)


@pytest.mark.parametrize("function", PROGRAMS, ids=NAMES)
def test_long_programs_are_written_once(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elements, "_MOST_NODES", 0)
    gradient = sd.value_and_grad(lambda A: function(A) + 0.0)
    text = gradient.source(A)
    assert ".item(" in text
    assert "except" not in text
    value, found = gradient(A)
    assert value == function(A)
    np.testing.assert_allclose(found, by_complex_steps(function, A), rtol=1e-12, atol=1e-13)
