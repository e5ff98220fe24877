"""What comes back through shares of a sum needs no quotient, and is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd

Array = Any
WEIGHTS = np.cos(np.arange(12.0)).reshape(3, 4)


def kept(x: Array) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(WEIGHTS * (e / np.sum(e, axis=1, keepdims=True)))


def put_in(x: Array) -> Any:
    e = np.exp(x)
    return np.sum(WEIGHTS * (e / np.sum(e, axis=1)[:, None]))


def shares_of(x: Array) -> Array:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def by_hand(x: Array) -> Array:
    p = shares_of(x)
    return p * (WEIGHTS - np.sum(WEIGHTS * p, axis=1, keepdims=True))


@pytest.mark.parametrize("f", [kept, put_in])
def test_shares_that_are_written_out_come_back_without_a_quotient(f: Callable[..., Any]) -> None:
    x = np.sin(np.arange(12.0)).reshape(3, 4)
    gradient = sd.grad(f)
    assert "/" not in gradient.source(x).rpartition("# line")[2]
    np.testing.assert_allclose(gradient(x), by_hand(x), rtol=1e-13, atol=1e-16)
    single = gradient(x.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, by_hand(x), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("f", [kept, put_in])
def test_shares_far_apart_have_no_slope(f: Callable[..., Any]) -> None:
    x = np.array(
        [[0.0, -700.0, -50.0, 3.0], [700.0, 0.0, 1.0, 2.0], [-700.0, -700.0, -690.0, -700.0]]
    )
    np.testing.assert_allclose(sd.grad(f)(x), by_hand(x), rtol=1e-10, atol=1e-300)


def test_second_derivatives_of_shares() -> None:
    x = np.sin(np.arange(12.0)).reshape(3, 4)
    v = np.cos(3.0 * np.arange(12.0)).reshape(3, 4)
    p, c = shares_of(x), WEIGHTS
    p_dot = p * (v - np.sum(p * v, axis=1, keepdims=True))
    mean, mean_dot = (np.sum(c * q, axis=1, keepdims=True) for q in (p, p_dot))
    expected = p_dot * (c - mean) - p * mean_dot
    np.testing.assert_allclose(sd.hvp(kept)(x, v), expected, rtol=1e-12, atol=1e-15)


def test_what_is_no_share_keeps_its_quotient() -> None:
    def other_sum(x: Array) -> Any:
        e = np.exp(x)
        t = np.sum(e, axis=0, keepdims=True)
        return np.sum(WEIGHTS * (e / t)) + np.sum(np.sin(e / np.sum(e, axis=1, keepdims=True)))

    def twice(x: Array) -> Any:
        e = np.exp(x)
        p = e / np.sum(e, axis=1, keepdims=True)
        return np.sum(np.sin(p) * e)

    x = np.sin(np.arange(12.0)).reshape(3, 4)
    for f in (other_sum, twice):
        step = 1e-20
        expected = np.zeros(x.shape)
        for at in np.ndindex(x.shape):
            moved = x.astype(complex)
            moved[at] += 1j * step
            expected[at] = np.imag(f(moved)) / step
        np.testing.assert_allclose(sd.grad(f)(x), expected, rtol=1e-12, atol=1e-14)
