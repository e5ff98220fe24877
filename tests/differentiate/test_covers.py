"""Reads of parts that together take all of an array leave no zeros to be kept by masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd


def projected(x: Any) -> Any:
    y = x / np.sqrt(np.sum(x * x))
    p = y[:2] / y[2:]
    return np.sum(p * p)


def gates(x: Any, n: int) -> Any:
    y = x / np.sqrt(np.sum(x * x))
    return np.sum(y[:n] * y[n : 2 * n]) + np.sum(np.tanh(y[2 * n :]))


def ends(x: Any) -> Any:
    y = x / np.sqrt(np.sum(x * x))
    return y[0] * y[-1] + np.sum(y[1:-1] ** 3)


def columns(x: Any) -> Any:
    y = 1.0 / x
    return np.sum(y[:, 0] * y[:, 1]) + np.sum(y[..., 2:])


def new_axes(x: Any) -> Any:
    y = 1.0 / x
    return np.sum((y[:, None] - y[None, :]) ** 2)


def sides_of_length(x: Any) -> Any:
    y = 1.0 / x
    n = len(x) // 2
    return np.sum(y[:n]) * np.sum(y[n:])


COVERED = [projected, ends, columns, new_axes, sides_of_length]


@pytest.mark.parametrize("function", COVERED, ids=lambda f: f.__name__)
def test_covered_arrays_have_no_masks(function: Callable[..., Any]) -> None:
    x = np.array([[0.4, -0.8, 1.1, 0.7]]) if function is columns else np.array([0.4, -0.8, 1.1])
    source = sd.grad(function).source(x)
    assert "np.where" not in source.replace("t if t != 0", "")
    _compare_with_complex_steps(function, x)


def test_gates_of_one_array_have_no_masks() -> None:
    x = np.linspace(0.3, 1.7, 9)
    assert "!= 0, t" not in sd.grad(gates).source(x, 3)
    _compare_with_complex_steps(lambda z: gates(z, 3), x)


def _compare_with_complex_steps(function: Callable[..., Any], x: Any) -> None:
    expected = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[place] += 1e-30j
        expected[place] = function(moved).imag * 1e30
    np.testing.assert_allclose(sd.grad(function)(x), expected, rtol=1e-12)
    v = np.cos(np.arange(x.size)).reshape(x.shape)
    np.testing.assert_allclose(sd.jvp(function, (x,), (v,))[1], np.sum(expected * v), rtol=1e-12)
    step, product = 1e-5, sd.hvp(function)(x, v)
    difference = sd.grad(function)(x + step * v) - sd.grad(function)(x - step * v)
    np.testing.assert_allclose(product, difference / (2.0 * step), rtol=1e-6, atol=1e-8)


def apart(x: Any) -> Any:
    y = np.sqrt(x - 1.0) + 1.0 / x
    return y[0] + np.sum(y[2:])


def other_axes(x: Any) -> Any:
    y = 1.0 / x
    return np.sum(y[:1]) + np.sum(y[:, 1:])


def beyond(x: Any, n: int) -> Any:
    y = 1.0 / x
    return np.sum(y[: n - 3]) + np.sum(y[-3:])


def steps(x: Any) -> Any:
    y = 1.0 / x
    return np.sum(y[:2:2]) + np.sum(y[2:])


def on_one_path(x: Any, c: float) -> Any:
    y = 1.0 / x
    total = np.sum(y[1:])
    if c > 0.0:
        total = total + y[0]
    return total


UNCOVERED = [
    (apart, ([1.0 + 4.0, 0.0, 5.0],), [1]),
    (steps, ([1.0, 0.0, 2.0],), [1]),
    (on_one_path, ([0.0, 1.0], -1.0), [0]),
    (beyond, ([0.0, 2.0], 2), []),
]


@pytest.mark.parametrize(("function", "arguments", "left_out"), UNCOVERED)
def test_what_no_read_takes_stays_zero(
    function: Callable[..., Any], arguments: tuple[Any, ...], left_out: list[int]
) -> None:
    x = np.array(arguments[0])
    with np.errstate(all="ignore"):
        found = sd.grad(function)(x, *arguments[1:])
    assert np.all(found[left_out] == 0.0)
    assert np.all(np.isfinite(np.delete(found, left_out))) or function is beyond


def test_places_read_on_neither_axis_stay_zero() -> None:
    x = np.array([[1.0, 2.0], [0.0, 4.0]])
    with np.errstate(all="ignore"):
        found = sd.grad(other_axes)(x)
    np.testing.assert_allclose(found, [[-1.0, -0.5], [0.0, -0.0625]])


def never_turned(x: Any, n: int) -> Any:
    y = 1.0 / x
    total = 0.0 * np.sum(x)
    for _ in range(n):
        total = total + y[0] + np.sum(y[1:])
    return total


def test_parts_read_in_a_loop_without_turns() -> None:
    with np.errstate(all="ignore"):
        assert np.all(sd.grad(never_turned)(np.array([0.0, 1.0]), 0) == 0.0)
    x = np.array([0.5, 2.0])
    np.testing.assert_allclose(sd.grad(never_turned)(x, 3), -3.0 / x**2)


def counted_from_the_end(x: Any, n: int) -> Any:
    y = 1.0 / x
    return np.sum(y[: n - 3]) + np.sum(y[n - 3 :])


@pytest.mark.parametrize("length", [2, 3, 5])
def test_bounds_that_may_be_negative(length: int) -> None:
    x = np.linspace(0.5, 1.5, length)
    np.testing.assert_allclose(sd.grad(counted_from_the_end)(x, length), -1.0 / x**2)
    x = np.concatenate(([0.0], x))
    cut = slice(length - 2, None)
    expected = np.zeros(len(x))
    with np.errstate(all="ignore"):
        np.add.at(expected, np.arange(len(x))[: length - 2], 1.0)
        np.add.at(expected, np.arange(len(x))[-3:], 1.0)
        assert cut.start is not None
        found = sd.grad(beyond)(x, len(x))
        assert np.array_equal(found == 0.0, expected == 0.0)


def kept_by_a_mask(x: Any) -> Any:
    y = x * x
    return np.sum(y[y > 0.25])


def test_masks_of_numbers_cover_nothing() -> None:
    assert sd.grad(kept_by_a_mask)(np.float64(0.7)) == pytest.approx(1.4)
    assert sd.grad(kept_by_a_mask)(np.float64(0.3)) == 0.0


# Parts that are known to lie apart are stored, others are added ---------------------------------


def split_in_three(x: Any) -> Any:
    n = len(x) // 3
    a, b, c = x[:n], x[n : 2 * n], x[2 * n :]
    return np.sum(a * b) + np.sum(np.sin(c)) * np.sum(a)


def halves_and_ends(x: Any) -> Any:
    return np.sum(x[:2] ** 3) * x[-1] + np.sum(np.exp(x[2:-1])) + x[0] * x[2]


def overlapping(x: Any, n: int, m: int) -> Any:
    return np.sum(x[:n] ** 2) + np.sum(np.sin(x[m:])) + x[1] * x[-1]


def matrix_parts(x: Any) -> Any:
    y = x.reshape(3, -1)
    return np.sum(y[:, 0] * y[:, 1]) + np.sum(y[0, 2:] ** 2) + np.sum(np.cos(y[1:, 2:]))


@pytest.mark.parametrize("length", [3, 6, 9])
def test_gradients_of_parts(length: int) -> None:
    x = np.linspace(0.3, 1.4, length)
    _compare_with_complex_steps(split_in_three, x)
    _compare_with_complex_steps(halves_and_ends, x)
    if length == 9:
        _compare_with_complex_steps(matrix_parts, x)
    for n in (-2, 0, 1, 3):
        for m in (-3, 0, 1, 2):
            _compare_with_complex_steps(lambda z, n=n, m=m: overlapping(z, n, m), x)


def test_parts_that_lie_apart_are_stored() -> None:
    def function(x: Any) -> Any:
        return x[0] ** 3 + np.sum(np.sin(x[1:-1])) + x[-1] ** 2

    source = sd.grad(function).source(np.ones(6))
    assert "+=" not in source
