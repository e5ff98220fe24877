"""Loops over single elements on lists of Python's floats: right, with NumPy's bits and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd


def chained(x: Any) -> Any:
    total = 0.0
    for i in range(len(x) - 1):
        total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def recurrence(x: Any, a: float = 0.7) -> Any:
    s = 0.0
    for i in range(len(x)):
        s = np.sin(s) * a + x[i] / (1.0 + s * s)
    return s


def written(x: Any) -> Any:
    y = x.copy()
    for i in range(1, len(y)):
        y[i] = y[i] + 0.3 * y[i - 1] * y[i - 1]
    return np.sum(y * y)


def backwards(x: Any) -> Any:
    s = 0.0
    for v in reversed(x):
        s = np.tanh(s + v)
    return s


def triangle(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += x[i] * x[j] / (1.0 + i + j)
    return total


def steps(x: Any) -> Any:
    u = x.copy()
    for _ in range(3):
        before = u.copy()
        for i in range(1, len(u) - 1):
            u[i] = before[i] + 0.2 * (before[i + 1] - 2.0 * before[i] + before[i - 1])
        u = np.tanh(u)
    return np.sum(u)


def twice(x: Any) -> Any:
    y, z = x.copy(), x
    for i in range(len(x)):
        y[i] = y[i] * z[len(x) - 1 - i]
    w = y
    for i in range(len(x)):
        w[i] = w[i] + y[i] * x[i]
    return np.sum(w * z)


def rising(x: Any) -> Any:
    """Branches by numbers."""
    total = x[0] * 0.0
    for i in range(len(x)):
        total = total + x[i] * x[i] if np.real(x[i]) > 0.5 else total - np.exp(x[i])
    return total


PROGRAMS = [chained, recurrence, written, backwards, triangle, steps, twice, rising]


def by_complex_steps(function: Callable[..., Any], x: Any) -> Any:
    found = np.zeros(x.shape)
    for k in range(len(x)):
        moved = x.astype(complex)
        moved[k] += 1e-30j
        found[k] = np.imag(function(moved)) * 1e30
    return found


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_loops_over_elements_run_on_lists(function: Callable[..., Any]) -> None:
    x = np.random.default_rng(3).uniform(0.1, 0.9, 7)
    v = np.cos(np.arange(7.0))
    expected = by_complex_steps(function, x)
    assert "tolist" in sd.grad(function).source(x)
    for _ in range(2):
        given = x.copy()
        np.testing.assert_allclose(sd.grad(function)(given), expected, rtol=1e-12, atol=1e-14)
        assert np.array_equal(given, x)
    value, gradient = sd.value_and_grad(function)(x)
    assert value == function(x)
    assert type(value) is type(function(x))
    np.testing.assert_allclose(gradient, expected, rtol=1e-12, atol=1e-14)
    tangent = sd.jvp(function, (x,), (v,))[1]
    np.testing.assert_allclose(tangent, expected @ v, rtol=1e-12)
    h = 1e-4
    moved = [by_complex_steps(function, x + k * h * v) for k in (1, -1, 2, -2)]
    second = (8.0 * (moved[0] - moved[1]) - (moved[2] - moved[3])) / (12.0 * h)
    np.testing.assert_allclose(sd.hvp(function)(x, v), second, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("length", [0, 1, 2])
def test_short_vectors(length: int) -> None:
    x = np.linspace(0.3, 0.6, length)
    for function in (chained, recurrence, triangle, written):
        value, gradient = sd.value_and_grad(function)(x)
        assert value == function(x)
        assert type(value) is type(function(x))
        assert gradient.shape == x.shape
        np.testing.assert_allclose(gradient, by_complex_steps(function, x), rtol=1e-12)


def test_what_is_not_float64_stays_an_array() -> None:
    x = np.array([0.25, 0.5, 0.75], np.float32)
    found = sd.grad(chained)(x)
    assert found.dtype == np.float32
    assert "tolist" not in sd.grad(chained).source(x)
    swapped = x.astype(np.float64).astype(">f8")
    np.testing.assert_allclose(
        sd.grad(chained)(swapped), by_complex_steps(chained, x.astype(np.float64)), rtol=1e-12
    )


def test_strides_and_arrays_that_cannot_be_written() -> None:
    x = np.random.default_rng(1).uniform(size=12)[::-2]
    x.flags.writeable = False
    np.testing.assert_allclose(sd.grad(written)(x), by_complex_steps(written, x), rtol=1e-12)


def quotient(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total = total + 1.0 / x[i]
    return total


def test_what_raises_on_floats_is_computed_by_numpy() -> None:
    with np.errstate(all="ignore"):
        found = sd.grad(quotient)(np.array([1.0, 0.0, 2.0]))
    np.testing.assert_array_equal(found, [-1.0, -np.inf, -0.25])


def reached_beyond(x: Any, k: int) -> Any:
    total = 0.0
    for i in range(len(x)):
        total = total + x[i + k] * x[i]
    return total


def test_errors_are_numpys() -> None:
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(sd.grad(reached_beyond)(x, 0), 2.0 * x)
    np.testing.assert_allclose(sd.grad(reached_beyond)(x, -1), [5.0, 4.0, 3.0])
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        sd.grad(reached_beyond)(x, 1)


def maybe_no_turns(x: Any) -> Any:
    total = 0.0
    for i in range(len(x) - 2):
        total = total + x[i] * x[i + 2]
    return total


def test_a_number_that_a_loop_without_turns_leaves_is_pythons() -> None:
    assert type(sd.value_and_grad(maybe_no_turns)(np.ones(2))[0]) is float
    assert type(sd.value_and_grad(maybe_no_turns)(np.ones(3))[0]) is np.float64


def rarely(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            total = total + x[i] * x[i]
    return total


def test_a_number_that_no_branch_computes_with_is_pythons() -> None:
    assert type(sd.value_and_grad(rarely)(np.array([0.1, 0.2]))[0]) is float
    assert type(sd.value_and_grad(rarely)(np.array([0.1, 0.7]))[0]) is np.float64


def printing(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total = total + 1.0 / x[i]
    print("once")
    return total


def test_effects_happen_once(capsys: pytest.CaptureFixture[str]) -> None:
    with np.errstate(all="ignore"):
        sd.grad(printing)(np.array([0.0, 1.0]))
    assert capsys.readouterr().out == "once\n"


def smoothed(x: Any, alpha: float) -> Any:
    m = total = x[0]
    for i in range(1, len(x)):
        m = alpha * x[i] + (1 - alpha) * m
        total += (x[i] - m) ** 2
    return total


def test_a_number_that_comes_out_of_a_loop_on_lists_is_cast_once() -> None:
    gradient = sd.grad(smoothed, "alpha")
    assert "float(np.float64(" not in gradient.source("float64[n]", "float")
    x = np.array([0.3, 1.2, -0.4])
    # m1 = x0 + a (x1 - x0), m2 = m1 + a (x2 - m1)
    a, d = 0.25, x[1] - x[0]
    m1 = x[0] + a * d
    m2 = m1 + a * (x[2] - m1)
    by_hand = -2.0 * (x[1] - m1) * d - 2.0 * (x[2] - m2) * (d + x[2] - m1 - a * d)
    assert type(gradient(x, a)) is float
    np.testing.assert_allclose(gradient(x, a), by_hand, rtol=1e-13)


def test_a_number_goes_from_loop_to_loop_as_a_float() -> None:
    def in_two_loops(x: Any) -> Any:
        total = 1.0
        for i in range(len(x)):
            total = total * 0.9 + x[i] * total
        for v in x:
            total = total + v * total
        return total

    x = np.array([0.3, 1.2, -0.4])
    assert "float(" not in sd.grad(in_two_loops).source(x)
    expected = by_complex_steps(in_two_loops, x)
    np.testing.assert_allclose(sd.grad(in_two_loops)(x), expected, rtol=1e-13)


def test_a_square_beyond_the_floats_is_infinite() -> None:
    """As NumPy's is: Python's ``x ** 2`` raises OverflowError."""

    def squares(x: Any) -> Any:
        total = 0.0
        for i in range(len(x)):
            total = total + x[i] ** 2
        return total

    x = np.array([1e200, 2.0])
    with np.errstate(over="ignore"):
        value, slope = sd.value_and_grad(squares)(x)
    assert value == np.inf
    np.testing.assert_array_equal(slope, [2e200, 4.0])


@pytest.mark.parametrize("limit", [2.0, float("nan")])
def test_truths_from_outside_of_a_loop_on_lists_stay_truths(limit: float) -> None:
    def limited(x: Any) -> Any:
        total = 0.0
        for v in x:
            total = total + np.fmin(1 / v, limit) + np.fmax(limit, v)
        return total

    x, direction = np.array([0.4, 1.7, 2.3, 0.9]), np.array([0.3, -0.7, 0.5, 1.1])
    is_less, is_more = (1 / x < 2, x > 2) if limit == 2 else (x > 0, x > 0)
    wanted = is_more - is_less / x**2
    np.testing.assert_allclose(sd.grad(limited)(x), wanted, rtol=1e-13)
    np.testing.assert_allclose(sd.jvp(limited, (x,), (direction,))[1], wanted @ direction, 1e-13)
    np.testing.assert_allclose(sd.hessian(limited)(x), np.diag(2 * is_less / x**3), 1e-13)


@pytest.mark.parametrize("length", [1, 2])
def test_what_a_loop_begins_without_is_no_list(length: int) -> None:
    """The tangent of an array that the first turn makes."""

    def held(x: Any) -> Any:
        for _ in range(2):
            kept = [np.sinh(x), x[...]]
        return np.sum(kept[0]) + np.sum(kept[1])

    x, direction = np.array([0.2, -0.7])[:length], np.array([1.5, 0.3])[:length]
    wanted = np.sum((np.cosh(x) + 1.0) * direction)
    np.testing.assert_allclose(sd.jvp(held, (x,), (direction,))[1], wanted, rtol=1e-14)
    np.testing.assert_allclose(sd.grad(held)(x), np.cosh(x) + 1.0, rtol=1e-14)
