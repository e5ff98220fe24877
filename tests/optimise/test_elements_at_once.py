"""Cotangents of vectors that are taken apart element by element are put together at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd

Array = Any


def taken_apart(p: Array) -> float:
    a, b, c = p
    return a * b * np.sin(c)


def slope_of_taken_apart(p: Array) -> Array:
    a, b, c = p
    return np.array([b * np.sin(c), a * np.sin(c), a * b * np.cos(c)])


def read_twice(p: Array) -> float:
    return p[0] * p[1] + p[-2] ** 3 + np.sin(p[-1])


def one_not_read(p: Array) -> float:
    return p[0] * p[2]


def derivative_of_lorenz(u: Array) -> Array:
    """``u.T @ J`` of the right-hand side below."""
    x, y, z = u
    jacobian = np.array([[-10.0, 10.0, 0.0], [28.0 - z, -1.0, -x], [y, x, -8.0 / 3.0]])
    return jacobian.T @ np.array([1.0, 2.0, 3.0])


def lorenz(u: Array) -> float:
    du = np.zeros(3)
    du[0] = 10.0 * (u[1] - u[0])
    du[1] = u[0] * (28.0 - u[2]) - u[1]
    du[2] = u[0] * u[1] - 8.0 / 3.0 * u[2]
    return du @ np.array([1.0, 2.0, 3.0])


def overwritten(u: Array) -> float:
    du = np.zeros(3)
    du[0] = u[1]
    du[1] = u[0] * du[0]
    du[0] = u[2] * u[2]
    return du[0] * du[1]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_elements_are_put_together_between_brackets(dtype: type) -> None:
    p = np.array([0.3, -1.2, 0.7], dtype)
    gradient = sd.grad(taken_apart)
    found = gradient(p)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, slope_of_taken_apart(p), rtol=1e-6)
    assert "np.array([a_bar, b_bar, c_bar]" in gradient.source(p)


def test_the_second_derivative_is_put_together_too() -> None:
    p = np.array([0.3, -1.2, 0.7])
    a, b, c = p
    rows = [[0, np.sin(c), b * np.cos(c)], [np.sin(c), 0, a * np.cos(c)]]
    rows.append([b * np.cos(c), a * np.cos(c), -a * b * np.sin(c)])
    np.testing.assert_allclose(sd.hessian(taken_apart)(p), rows, rtol=1e-12)


def test_what_is_read_twice_is_added_up() -> None:
    p = np.array([0.3, -1.2])
    expected = [p[1] + 3 * p[0] ** 2, p[0] + np.cos(p[1])]
    np.testing.assert_allclose(sd.grad(read_twice)(p), expected, rtol=1e-12)
    longer = np.array([0.3, -1.2, 0.4])
    expected = [longer[1], longer[0] + 3 * longer[1] ** 2, np.cos(longer[2])]
    np.testing.assert_allclose(sd.grad(read_twice)(longer), expected, rtol=1e-12)


def test_what_is_not_read_stays_zero() -> None:
    p = np.array([0.3, -1.2, 2.0])
    np.testing.assert_allclose(sd.grad(one_not_read)(p), [2.0, 0.0, 0.3], rtol=1e-12)


def test_cotangents_of_elements_are_read_where_they_stand() -> None:
    u = np.array([0.4, 1.3, -0.7])
    gradient = sd.grad(lorenz)
    np.testing.assert_allclose(gradient(u), derivative_of_lorenz(u), rtol=1e-12)
    assert "= 0.0" not in gradient.source(u)


def test_elements_written_twice_have_the_last_ones_cotangent() -> None:
    x, y, z = u = np.array([0.4, 1.3, -0.7])
    expected = [z * z * y, z * z * x, 2 * z * x * y]
    np.testing.assert_allclose(sd.grad(overwritten)(u), expected, rtol=1e-12)
