"""Steps beside their ramps go, where the product is the same without them, and stay elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd

Array = Any


def squared_hinge(w: Array, X: Array, y: Array) -> float:
    return np.mean(np.maximum(0.0, 1.0 - y * (X @ w)) ** 2)


def penalty(x: Array, y: Array) -> float:
    return np.sum(np.minimum(x, 0.0) ** 3 * y)


def shifted(x: Array, y: Array) -> float:
    return np.sum(np.maximum(x - 1.0, 0.0) * np.maximum(x, 0.0) * y)


def above_one(x: Array, y: Array) -> float:
    return np.sum(np.maximum(x, 1.0) ** 2 * y)


X = np.array([-2.0, -0.5, 0.0, 0.25, 1.0, 3.0])
Y = np.array([1.0, 2.0, -1.0, 0.5, 4.0, -3.0])


def test_a_squared_hinge_has_no_step() -> None:
    rng = np.random.default_rng(3)
    w, A, y = rng.normal(size=3), rng.normal(size=(9, 3)), np.sign(rng.normal(size=9))
    expected = -2.0 / 9 * (np.maximum(0.0, 1.0 - y * (A @ w)) * y) @ A
    np.testing.assert_allclose(sd.grad(squared_hinge)(w, A, y), expected, rtol=1e-13)
    text = str(sd.grad(squared_hinge).source(w, A, y))
    assert "== 0.0" not in text
    assert "> 0.0" not in text


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (penalty, 3.0 * np.minimum(X, 0.0) ** 2 * Y),
        # the ramp of one number is not that of another: of both is left what each step leaves
        (shifted, np.where(X > 1.0, 2.0 * X - 1.0, np.where(X == 1.0, 0.5, 0.0)) * Y),
        (above_one, np.where(X > 1.0, 2.0 * X, np.where(X == 1.0, 1.0, 0.0)) * Y),
    ],
)
def test_slopes_where_steps_are_and_beside_them(f: Callable, slope: Array) -> None:
    np.testing.assert_allclose(sd.grad(f)(X, Y), slope, rtol=1e-14)


def test_second_derivatives_split_ties_as_before() -> None:
    second = sd.jvp(sd.grad(lambda x: np.sum(np.maximum(x, 0.0) ** 2)), (X,), (np.ones(6),))[1]
    np.testing.assert_array_equal(second, [0.0, 0.0, 0.5, 2.0, 2.0, 2.0])


def test_infinite_and_missing_numbers_come_through() -> None:
    x = np.array([np.inf, -np.inf, np.nan, 0.0])
    found = sd.grad(lambda x: np.sum(np.maximum(x, 0.0) ** 2))(x)
    np.testing.assert_array_equal(found, [np.inf, 0.0, np.nan, 0.0])
