"""Arrays of one number over a number are that quotient, once; factors undone by quotients go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd

Array = Any


def likelihood(v: float, r: Array) -> float:
    return 0.5 * np.sum(np.log(2 * np.pi * v) + r**2 / v)


def by_hand(v: float, r: Array) -> tuple[float, Array]:
    return 0.5 * len(r) / v - 0.5 * np.sum(r**2) / v**2, r / v


@pytest.mark.parametrize("v", [0.3, 2.0, 1e100, 1e-100])
@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_slopes_of_a_likelihood(v: float, n: int, dtype: type) -> None:
    r = np.linspace(-1.0, 2.0, n).astype(dtype)
    if dtype == np.float32 and not 1e-3 < v < 1e3:
        v = 1.5
    by_v, by_r = sd.grad(likelihood, argnums=(0, 1))(v, r)
    expected = by_hand(v, r.astype(float))
    assert by_r.dtype == dtype
    tolerance = 1e-5 if dtype == np.float32 else 1e-12
    assert by_v == pytest.approx(expected[0], rel=tolerance)
    np.testing.assert_allclose(by_r, expected[1], rtol=tolerance)


def test_the_second_derivative_of_a_likelihood() -> None:
    r, v = np.array([0.3, -1.2, 2.0]), 0.7
    expected = -0.5 * len(r) / v**2 + np.sum(r**2) / v**3
    assert sd.grad(sd.grad(likelihood))(v, r) == pytest.approx(expected, rel=1e-12)


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_by_zero_slopes_are_infinite_or_nan_and_raise_nothing() -> None:
    by_v, by_r = sd.grad(likelihood, argnums=(0, 1))(0.0, np.array([1.0, -2.0, 0.0]))
    assert np.isnan(by_v)
    np.testing.assert_array_equal(by_r, [np.inf, -np.inf, np.nan])


def test_they_are_written_as_by_hand() -> None:
    text = sd.grad(likelihood, argnums=(0, 1)).source(0.7, np.ones(3))
    code = "\n".join(line for line in text.splitlines() if "#" not in line)
    assert "return float(v_bar), r / v" in code
    assert "broadcast_to" not in code
    assert "6.28" not in code
