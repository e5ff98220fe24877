"""Signs in front of products and quotients go into their numbers, and stay where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd

Array = Any


def of_labels(w: Array, X: Array, signs: Array) -> float:
    margins = signs * (X @ w)
    return np.mean(np.log(1.0 + np.exp(-margins)))


def test_the_sign_of_a_mean_of_losses_is_that_of_its_number() -> None:
    rng = np.random.default_rng(2)
    w, X, signs = rng.normal(size=3), rng.normal(size=(5, 3)), np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    expected = -(signs / (1.0 + np.exp(signs * (X @ w)))) @ X / 5
    np.testing.assert_allclose(sd.grad(of_labels)(w, X, signs), expected, rtol=1e-13)
    text = str(sd.grad(of_labels).source(w, X, signs))
    assert "-1.0 / X.shape[0]" in text
    assert "-(" not in text


def inverse(x: Array, y: Array) -> float:
    return np.sum(x / (2.0 * y))


def shared(x: Array, y: Array) -> tuple[float, float]:
    return np.sum(x / y), np.sum(x * y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
def test_slopes_by_what_is_divided_by(dtype: type) -> None:
    x, y = np.array([1.5, -2.0, 0.25], dtype), np.array([2.0, 4.0, -0.5], dtype)
    if dtype is np.complex128:
        y = y + 0.5j
        found = sd.grad(lambda x, y: np.real(inverse(x, y)), argnums=1)(x, y)
        expected = np.conj(-x / (2.0 * y * y))
    else:
        found, expected = sd.grad(inverse, argnums=1)(x, y), -x / (2.0 * y * y)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype is np.float32 else 1e-13)


def test_what_others_read_keeps_its_sign() -> None:
    x, y = np.array([1.5, -2.0]), np.array([2.0, 4.0])
    value, pullback = sd.vjp(shared, x, y)
    x_bar, y_bar = pullback((3.0, 0.5))
    np.testing.assert_allclose(value, (np.sum(x / y), np.sum(x * y)))
    np.testing.assert_allclose(x_bar, 3.0 / y + 0.5 * y, rtol=1e-14)
    np.testing.assert_allclose(y_bar, -3.0 * x / y**2 + 0.5 * x, rtol=1e-14)


def by_logaddexp(w: Array, X: Array, signs: Array) -> float:
    return np.mean(np.logaddexp(0.0, -signs * (X @ w)))


def test_the_sign_of_a_factor_goes_into_the_length_that_is_divided_by() -> None:
    rng = np.random.default_rng(3)
    w, X, signs = rng.normal(size=3), rng.normal(size=(5, 3)), np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    gradient = sd.grad(by_logaddexp)
    expected = -(signs / (1.0 + np.exp(signs * (X @ w)))) @ X / 5
    np.testing.assert_allclose(gradient(w, X, signs), expected, rtol=1e-13)
    assert "return X.T @ (logistic(-signs * (X @ w)) / -X.shape[0] * signs)" in str(
        gradient.source(w, X, signs)
    )
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(gradient(w, X[:0], signs[:0]), np.zeros(3))


def by_another_length(x: Array, y: Array, n: Array) -> float:
    return np.sum(np.exp(-x) * y / len(n))


def test_a_length_that_may_be_zero_beside_elements_keeps_no_sign() -> None:
    """``1.0 / -0`` is infinite, and not minus infinite."""
    x, y, n = np.array([0.5, -1.0]), np.array([1.0, 2.0]), np.ones(4)
    gradient = sd.grad(by_another_length)
    np.testing.assert_allclose(gradient(x, y, n), -np.exp(-x) * y / 4, rtol=1e-14)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(gradient(x, y, n[:0]), [-np.inf, -np.inf])
