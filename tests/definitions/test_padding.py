"""Padding with ramps and with odd reflections."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

X = np.array([[0.5, -1.0, 2.0], [3.0, 0.7, -1.5]])


def ramps(x, a):
    whole = np.pad(x, 2, mode="linear_ramp")
    return whole * a, np.pad(x, ((1, 0), (0, 3)), "linear_ramp", end_values=((a, 1.0), (2.0, a)))


def odd(x, a):
    once = np.pad(x * a, ((1, 1), (2, 0)), mode="reflect", reflect_type="odd")
    again = np.pad(x[0], (7, 9), mode="reflect", reflect_type="odd")
    return once**2, again, np.pad(x, (1, 8), mode="symmetric", reflect_type="odd")


def by_axes(x, a):
    sides = np.pad(x, {1: (1, 2)}, mode="edge") * np.pad(x, {-1: 1, 0: 0}, "reflect")[:, :1]
    return sides * a, np.pad(x, {0: 2}, constant_values=a), np.pad(x, 1, "empty")[1:-1, 1:-1]


@pytest.mark.parametrize("function", [ramps, odd, by_axes])
def test_of_an_array_and_a_number(function: Any) -> None:
    check(function, X, 0.7, wrt=(0, 1))
    for x in (X.astype("float32"), X[:, ::-1]):
        assert same(sd.vjp(function, x, 0.7)[0], function(x, 0.7))


def test_whole_numbers_and_one_element() -> None:
    def function(x, n):
        ramp = np.pad(n, (2, 3), "linear_ramp", end_values=(-4, 9))
        return x[:1] * ramp, np.pad(x[:1], 3, "reflect", reflect_type="odd")

    n = np.array([5, 2])
    assert same(sd.vjp(function, X[0], n)[0], function(X[0], n))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap", "odd"])
def test_widths_that_are_known_at_run_time_only(mode: str, axis: int) -> None:
    given = {"mode": "reflect", "reflect_type": "odd"} if mode == "odd" else {"mode": mode}

    def function(x, a):
        before = int(np.sum(x > 0.6))  # 3
        widths = [(0, 0), (0, 0)]
        widths[axis] = (before, len(x[x < 0.0]))
        once = np.pad(x * a, widths, **given)
        return once, np.pad(x[axis:], widths[axis], **given) * a

    check(function, X, 0.7, wrt=(0, 1))


def test_values_around_by_widths_that_are_known_at_run_time_only() -> None:
    def function(x, a):
        count = int(np.sum(x > 0.6))
        return np.pad(x, ((0, count), (count, 1)), constant_values=((a, 1.0), (2.0, a * a)))

    check(function, X, 0.7, wrt=(0, 1))
    with pytest.raises(ValueError, match="can't contain negative"):
        sd.grad(lambda x: np.pad(x, int(np.sum(x < 0.0)) - 3).sum())(X)
    with pytest.raises(sd.UnsupportedCallError, match="known at run time only"):
        sd.grad(lambda x: np.pad(x, int(np.sum(x > 0.0)), "mean").sum())(X)


def test_a_function_as_the_mode_is_refused() -> None:
    with pytest.raises(sd.UnsupportedCallError, match="a function as the mode"):
        sd.vjp(lambda x: np.pad(x, 2, lambda *parts: None), X)


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_what_is_padded_lies_in_memory_as_numpys_does(mode: str) -> None:
    def function(x):
        return np.sum(np.pad(x, 1, mode=mode) + x.sum())

    for seed in range(20):
        x = np.random.default_rng(seed).uniform(0.5, 1.5, (3, 2))
        assert sd.vjp(function, x)[0] == function(x)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_widths_in_an_array(mode: str) -> None:
    check(lambda x: np.pad(x, np.array([int(np.sum(x > 0.6)), 2]), mode), X)
    check(lambda x: np.pad(np.outer(x, x), np.array([[int(np.sum(x > 0.6))], [1]]), mode), X)
    for widths in (np.array([2, 1]), np.array([[2, 1]]), np.array([3])):
        found = sd.vjp(lambda x, w: np.pad(x, w, mode), X, widths)[0]
        np.testing.assert_array_equal(found, np.pad(X, widths, mode))
