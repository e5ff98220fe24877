"""Numbers meet before they meet arrays: lengths too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd

Array = Any


def mean_square(w: Array, x: Array, y: Array) -> float:
    r = x @ w - y
    return np.mean(r * r)


def weighted(scale: Array, r: Array) -> float:
    return np.sum(scale[:, None] * (3.0 * r)) + np.mean(r * r * scale[:, None])


def expected_slope(w: Array, x: Array, y: Array) -> Array:
    return 2.0 / len(y) * x.T @ (x @ w - y)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
def test_slopes_of_means_of_any_length(n: int, dtype: type) -> None:
    rng = np.random.default_rng(n)
    w, x, y = (rng.normal(size=shape).astype(dtype) for shape in ((3,), (n, 3), (n,)))
    found = sd.grad(mean_square)(w, x, y)
    expected = expected_slope(w, x, y) if n else np.zeros(3)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype == np.float32 else 1e-12)


def test_numbers_are_divided_by_lengths_before_arrays_are() -> None:
    text = str(sd.grad(mean_square).source(np.ones(3), np.ones((5, 3)), np.ones(5)))
    assert "2.0 / x.shape[0] * r" in text


def test_numbers_go_to_what_is_broadcast() -> None:
    scale, r = np.array([1.0, 2.0]), np.arange(6.0).reshape(2, 3)
    expected = 3.0 * scale[:, None] + 2.0 * r * scale[:, None] / 6.0
    np.testing.assert_allclose(sd.grad(weighted, argnums=1)(scale, r), expected, rtol=1e-12)


def two_multiples(x: Array, y: Array) -> float:
    """Arrays of one shape, whose sizes have two names, each of them twice a sum."""
    a, b = x[None, :] + y[None, :], x[None, :] * y[None, :]
    return np.sum((a * a) * (b * b))


def test_numbers_stay_where_arrays_are_of_one_shape() -> None:
    x, y = np.linspace(0.2, 0.8, 4), np.linspace(1.1, 1.7, 4)
    expected = 2.0 * (x + y) * (x * y) ** 2 + 2.0 * (x + y) ** 2 * x * y * y
    np.testing.assert_allclose(sd.grad(two_multiples)(x, y), expected, rtol=1e-12)
    assert sd.hessian(two_multiples)(x, y).shape == (4, 4)


def entropy(s: float, v: float) -> float:
    return -0.5 * (np.log(2 * np.pi * s) + v * v / s)


def test_the_logarithm_of_a_multiple_has_the_reciprocal_as_its_slope() -> None:
    gradient = sd.grad(entropy, argnums=0)
    assert gradient(0.7, 0.3) == pytest.approx(-0.5 / 0.7 + 0.5 * 0.09 / 0.49, rel=1e-12)
    assert "3.14" not in gradient.source(0.7, 0.3)
