"""Loops over elements of vectors that may be longer than the loops have turns."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.optimise import elements

Array = Any
STEP = 1e-30j


def by_complex_step(function: Callable[[Array], Any], x: Array) -> Array:
    steps = STEP * np.eye(len(x))
    return np.array([np.imag(function(x + step)) / STEP.imag for step in steps])


def weighted(x: Array, w: Array) -> Any:
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i] * w[i] * x[i]
    return total


def filtered(x: Array, w: Array) -> Any:
    y = np.zeros_like(w)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = x[i] * w[i - 1] + 0.5 * y[i - 1]
    return np.sum(y * y) + np.sum(w)


def changed(x: Array, w: Array) -> Any:
    w = w.copy()
    for i in range(len(x) - 1):
        w[i + 1] = w[i + 1] * x[i] + w[i]
    return np.sum(w * w)


def quotients(x: Array, w: Array) -> Any:
    total = 1.0
    for i in range(len(x) - 1, -1, -1):
        total = w[i] / (total + x[i])
    return total


def from_behind(x: Array, w: Array) -> Any:
    """Of ``w`` the last is read, which is another one in a part."""
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + w[i - 1] * x[i] ** 3
    return total


def by_two_loops(x: Array, w: Array) -> Any:
    total = 0.0
    for i in range(len(x)):
        for j in range(i + 1):
            total = total * 0.9 + x[i] * w[j] * x[j]
    return total


def with_the_second(x: Array, w: Array) -> Any:
    total = w[0]
    for i in range(len(x)):
        total = total * w[1] + x[i] * w[i]
    return total


PROGRAMS = [weighted, filtered, changed, quotients, from_behind, by_two_loops, with_the_second]
PARTS = {weighted, filtered, changed, quotients, by_two_loops, with_the_second}
X, W = np.array([0.7, -0.4, 1.3, 0.2]), np.array([1.1, 0.6, -0.8, 0.9, 0.5, 1.7])


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives_by_both_vectors(function: Callable[..., Any]) -> None:
    by_x = by_complex_step(lambda x: function(x, W.astype(complex)), X)
    by_w = by_complex_step(lambda w: function(X.astype(complex), w), W)
    both = sd.grad(function, (0, 1))
    assert bool(re.search(r"w_list = w\[:.*\]\.tolist\(\)", both.source(X, W))) == (
        function in PARTS
    )
    value, found = sd.value_and_grad(function, (0, 1))(X, W)
    assert value == function(X, W)
    for k, expected in enumerate((by_x, by_w)):
        np.testing.assert_allclose(both(X, W)[k], expected, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(found[k], expected, rtol=1e-13, atol=1e-15)
    x_dot, w_dot = np.cos(np.arange(4.0)), np.sin(np.arange(6.0))
    _, tangent = sd.jvp(function, (X, W), (x_dot, w_dot))
    np.testing.assert_allclose(tangent, by_x @ x_dot + by_w @ w_dot, rtol=1e-13)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivatives(function: Callable[..., Any]) -> None:
    v, h = np.cos(np.arange(6.0)), 1e-4

    def slope(w: Array) -> Array:
        return by_complex_step(lambda w: function(X.astype(complex), w), w)

    moved = [slope(W + k * h * v) for k in (1, -1, 2, -2)]
    expected = (8.0 * (moved[0] - moved[1]) - (moved[2] - moved[3])) / (12.0 * h)
    found = sd.hvp(function, 1)(X, W, v)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_vectors_that_are_too_short_raise_as_in_numpy(function: Callable[..., Any]) -> None:
    def said(call: Callable[..., Any]) -> str:
        with pytest.raises(IndexError) as caught:
            call(np.ones(5), np.array([1.0, 2.0]))
        return str(caught.value)

    for derived in (sd.grad(function), sd.value_and_grad(function, 1)):
        assert said(derived) == said(function)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_long_programs_read_arrays_that_may_be_too_short(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list's IndexError is not NumPy's, and no second program takes over."""
    monkeypatch.setattr(elements, "_MOST_NODES", 0)
    gradient = sd.grad(lambda x, w: function(x, w), (0, 1))
    assert "except" not in gradient.source(X, W)
    by_x = by_complex_step(lambda x: function(x, W.astype(complex)), X)
    by_w = by_complex_step(lambda w: function(X.astype(complex), w), W)
    for found, expected in zip(gradient(X, W), (by_x, by_w), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)
    with pytest.raises(IndexError) as caught:
        function(np.ones(5), np.ones(2))
    with pytest.raises(IndexError, match=str(caught.value)):
        gradient(np.ones(5), np.ones(2))


def some_turns(x: Array, n: int) -> Any:
    total = 0.0
    for i in range(n):
        total = total + x[i] * x[i]
    return total


def left_early(x: Array) -> Any:
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.2:
            break
        total = total + x[i] * x[i]
    return total


@pytest.mark.parametrize("turns", [-1, 0, 2, 3])
def test_a_loop_of_few_turns_makes_a_list_of_few_elements(turns: int) -> None:
    x = np.array([0.1, 0.3, 0.2])
    text = sd.grad(some_turns).source(x, 2)
    assert "x[:n].tolist()" in text
    assert "except" not in text  # what the function reads has been read before
    read = np.arange(3) < turns
    np.testing.assert_array_equal(sd.grad(some_turns)(x, turns), 2.0 * x * read)


def test_a_loop_that_is_left_early_makes_a_list_of_what_it_has_read() -> None:
    x = np.array([0.1, 0.15, 0.3, 0.2])
    assert "x[:t].tolist()" in sd.grad(left_early).source(x)
    np.testing.assert_array_equal(sd.grad(left_early)(x), [0.2, 0.3, 0.0, 0.0])


def by_places(x: Array, w: Array, k: int) -> Any:
    total = 0.0
    for i in range(len(x)):
        total = total + w[i + k] * x[i]
    return total


def test_places_that_are_known_at_run_time_only_stay_numpys() -> None:
    assert "w_list" not in sd.grad(by_places).source(X, W, 0)
    for k in (0, 2, -1, -5):
        places = np.arange(4) + k
        np.testing.assert_array_equal(sd.grad(by_places)(X, W, k), W[places])
        expected = np.zeros(6)
        np.add.at(expected, places, X)
        np.testing.assert_array_equal(sd.grad(by_places, 1)(X, W, k), expected)


def exchanged(x: Array, turns: int) -> Any:
    v, w = np.zeros(x.shape[0], x.dtype), x.copy()
    for i in range(turns):
        v[i] = w[i] * w[i]
        v, w = w, v
    return np.sum(w * w) + 3.0 * np.sum(v)


def exchanged_at_times(x: Array, turns: int) -> Any:
    v, w = 2.0 * x, x * x
    for i in range(turns):
        if x[i].real > 0.15:
            v, w = w, v
    return np.sum(v * v) + 3.0 * np.sum(w)


def exchanged_within(x: Array, turns: int) -> Any:
    v, w = np.zeros(x.shape[0] + 1, x.dtype), x.copy()
    for i in range(turns):
        for _ in range(i):
            v, w = w, v
        w[i] = w[i] * x[0]
    return np.sum(v * v) + 3.0 * np.sum(w)


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("function", [exchanged, exchanged_at_times, exchanged_within])
def test_vectors_that_turns_exchange_keep_what_lies_behind_the_turns(
    function: Callable[[Array, int], Any], turns: int
) -> None:
    x = np.array([0.1, 0.2, 0.3, 0.4])
    value, gradient = sd.value_and_grad(function)(x, turns)
    assert value == function(x, turns)
    expected = by_complex_step(lambda z: function(z, turns), x)
    np.testing.assert_allclose(gradient, expected, rtol=1e-14)


def exchanged_with_a_longer_one(x: Array) -> Any:
    v, w = np.zeros(x.shape[0] + 1, x.dtype), x * 2.0
    a = x[0]
    for _ in range(x.shape[0]):
        v, w = w, v
        a = 1.0
    for i in range(1, x.shape[0]):
        a = 0.3 * a + v[-1] * x[i]
    return a + np.sum(v * v)


@pytest.mark.parametrize("length", [3, 4])
def test_vectors_of_lengths_that_loops_exchange_go_into_the_next_loop(length: int) -> None:
    x = np.linspace(0.5, 0.8, length)
    value, gradient = sd.value_and_grad(exchanged_with_a_longer_one)(x)
    assert value == exchanged_with_a_longer_one(x)
    expected = by_complex_step(exchanged_with_a_longer_one, x)
    np.testing.assert_allclose(gradient, expected, rtol=1e-14)
