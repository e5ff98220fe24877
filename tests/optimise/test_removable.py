"""Removable zeros: squares of what has a kink have the second derivative that mathematics gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd

TWO, ZEROS = 2.0 * np.eye(2), np.zeros(2)


def size_squared(x: Any) -> Any:
    return np.sum(np.abs(x) ** 2)


def norm_squared(x: Any) -> Any:
    return np.linalg.norm(x) ** 2


def norms_of_columns(x: Any) -> Any:
    return np.sum(np.linalg.norm(x.reshape(1, 2), axis=0) ** 2)


def root_of_sum_squared(x: Any) -> Any:
    return np.sqrt(np.sum(x**2)) ** 2


def hypotenuse_squared(x: Any) -> Any:
    return np.hypot(x[0], x[1]) ** 2


def deviation_squared(x: Any) -> Any:
    return np.std(x) ** 2


def complex_size_squared(x: Any) -> Any:
    return np.abs(x[0] + 1j * x[1]) ** 2


def root_to_the_fourth(x: Any) -> Any:
    return np.sum(np.sqrt(x) ** 4)


HESSIANS = [
    (size_squared, TWO),
    (norm_squared, TWO),
    (norms_of_columns, TWO),
    (root_of_sum_squared, TWO),
    (hypotenuse_squared, TWO),
    (deviation_squared, np.array([[0.5, -0.5], [-0.5, 0.5]])),
    (complex_size_squared, TWO),
    (root_to_the_fourth, TWO),
]


@pytest.mark.parametrize(("function", "expected"), HESSIANS)
def test_second_derivatives_are_those_of_the_smooth_function(
    function: Callable[..., Any], expected: Any
) -> None:
    np.testing.assert_array_equal(sd.hessian(function)(ZEROS), expected)
    np.testing.assert_array_equal(sd.grad(function)(ZEROS), ZEROS)
    x = np.array([0.5, 1.7])
    np.testing.assert_allclose(sd.hessian(function)(x), expected, rtol=0, atol=1e-13)


def test_a_root_squared_has_the_derivative_one_at_zero() -> None:
    def function(x: Any) -> Any:
        return np.sum(np.array([2.0, 3.0]) * np.sqrt(x) ** 2)

    def of_number(x: Any) -> Any:
        return 3.0 * np.sqrt(x) ** 2

    np.testing.assert_array_equal(sd.grad(function)(ZEROS), [2.0, 3.0])
    np.testing.assert_array_equal(sd.jacobian(function, mode="fwd")(ZEROS), [2.0, 3.0])
    assert sd.grad(of_number)(0.0) == 3.0
    assert sd.jacobian(of_number, mode="fwd")(0.0) == 3.0


def test_a_zero_that_the_user_divides_around_stays_a_choice() -> None:
    def gated(x: Any, gate: Any) -> Any:
        return np.sum(gate * np.exp(x) / np.where(gate == 0, 1, gate))

    def gated_by_size(x: Any, gate: Any) -> Any:
        size = np.hypot(gate, gate)
        return np.sum(size * np.exp(x) / np.where(size == 0, 1, size))

    for function in (gated, gated_by_size):
        found = sd.grad(function)(np.array([1.0, 2.0]), np.array([0.0, 2.0]))
        np.testing.assert_allclose(found, [0.0, np.exp(2.0)], rtol=1e-15)


def test_what_was_not_selected_stays_zero() -> None:
    def function(x: Any) -> Any:
        return np.sum(np.where(x > 0.0, np.sqrt(x) ** 2, 0.0) + 0.0 * np.sqrt(x))

    np.testing.assert_array_equal(sd.grad(function)(np.array([0.0, 4.0])), [0.0, 1.0])


def test_what_is_looked_at_in_vain_is_not_made(settled: None) -> None:
    def quotients(x: Any) -> Any:
        a, b = x[0], x[1]
        a = a * 1.0 + b
        b = np.sin(a) - 0.1 * b
        a = a / (1.0 + b * b)
        b = b * x[2] + a
        a = a * 1.04 + b
        b = np.sin(a) - 0.0 * b
        return a * b

    x, step = np.array([0.3, 0.8, 0.5]), 1e-30
    expected = [quotients(x + step * 1j * unit).imag / step for unit in np.eye(3)]
    np.testing.assert_allclose(sd.grad(quotients)(x), expected, rtol=1e-14)


def test_a_factor_that_is_divided_by_again_leaves_a_number() -> None:
    def entropy(x: Any) -> Any:
        return np.sum(x * np.log(x))

    def single(x: Any) -> Any:
        return np.sum((x * x / x) * np.float32(3.0))

    x = np.array([0.5, 1.7, 4.0])
    assert "np.ones" not in sd.grad(entropy).source(x)
    np.testing.assert_allclose(sd.grad(entropy)(x), np.log(x) + 1.0, rtol=1e-15)
    narrow = sd.grad(single)(x.astype(np.float32))
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow, 3.0, rtol=1e-6)
    assert sd.grad(single)(x).shape == (3,)
