"""Roots of sums of squares: lengths, whose derivative where they are 0 is that of norms, 0."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd

LENGTHS: list[Callable[[Any], Any]] = [
    lambda x: np.sqrt(np.sum(x * x)),
    lambda x: np.sqrt(x @ x),
    lambda x: np.sqrt(np.dot(x, x)),
    lambda x: np.sqrt(x[0] ** 2 + x[1] ** 2),
    lambda x: (x[0] * x[0] + np.square(x[1])) ** 0.5,
    lambda x: np.sum(np.abs(x) ** 2, axis=-1) ** (1 / 2),
    lambda x: math.sqrt(float(x[0]) ** 2 + float(x[1]) ** 2),
    lambda x: np.sqrt(2.0 * np.mean(np.square(x.reshape(2, 1)))),
]


@pytest.mark.parametrize("length", LENGTHS)
def test_the_derivative_of_a_length_is_0_where_it_is_0(length: Callable[[Any], Any]) -> None:
    zero = np.zeros(2)
    np.testing.assert_array_equal(sd.grad(length)(zero), zero)
    assert sd.jvp(length, (zero,), (np.ones(2),))[1] == 0.0
    np.testing.assert_array_equal(sd.hessian(length)(zero), sd.hessian(np.linalg.norm)(zero))


@pytest.mark.parametrize("length", LENGTHS)
def test_elsewhere_it_is_the_direction(length: Callable[[Any], Any]) -> None:
    np.testing.assert_allclose(sd.grad(length)(np.array([3.0, 4.0])), [0.6, 0.8], rtol=1e-15)
    np.testing.assert_allclose(sd.grad(length)(np.array([0.0, -1e-7])), [0.0, -1.0], rtol=1e-15)


def test_distances_of_points_to_each_other() -> None:
    def spread(x):
        return np.sum(np.sqrt(np.sum((x[:, None] - x) ** 2, axis=-1)))

    points = np.array([[1.0, 2.0], [4.0, 6.0]])
    np.testing.assert_allclose(sd.grad(spread)(points), [[-1.2, -1.6], [1.2, 1.6]], rtol=1e-14)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "root",
    [
        lambda x: np.sqrt(x),
        lambda x: np.sqrt(x * np.abs(x)),
        lambda x: np.sqrt(x**2 + x),
        lambda x: (x**2) ** 0.25,
        lambda x: np.sqrt(np.sqrt(x) ** 2),
        lambda x: np.sqrt(np.square(2.0 * np.cbrt(x))),
        lambda x: math.sqrt(np.abs(x**0.5) ** 2),
        lambda x: np.sqrt(np.sum(np.sqrt(np.stack([x, x])) ** 2)),
        lambda x: (np.sqrt(x) * np.sqrt(x)) ** 0.5,
        lambda x: np.sqrt(np.sin(np.sqrt(x)) ** 2),
        lambda x: np.sqrt(np.arccos(1.0 - x) ** 2),
        lambda x: math.sqrt((math.exp(math.sqrt(x)) - 1.0) ** 2),
        lambda x: np.sqrt(np.square(np.maximum(np.sqrt(x), x))),
        lambda x: np.sqrt((np.sqrt(x) if x >= 0 else x) ** 2),
        lambda x: np.sqrt(np.sum(np.stack([np.sqrt(x), x]) ** 2)),
    ],
)
def test_what_is_no_length_keeps_what_it_had(root: Callable[[Any], Any]) -> None:
    assert not np.isfinite(sd.grad(root)(0.0))


def test_lengths_of_lengths_and_of_differences_of_roots_are_lengths() -> None:
    def nested(x):
        return np.sqrt(np.sum(np.sqrt(np.sum(x**2, axis=1)) ** 2))

    def apart(x):
        return np.sqrt(np.sum((np.sqrt(x) - np.sqrt(x[::-1])) ** 2))

    np.testing.assert_array_equal(sd.grad(nested)(np.zeros((2, 2))), np.zeros((2, 2)))
    np.testing.assert_array_equal(sd.grad(apart)(np.ones(2)), np.zeros(2))
