"""Numbers that are Python's on some paths and NumPy's on others raise where they are Python's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd


def divided(x: Any) -> Any:
    y = np.sin(x) if x > 1 else x
    try:
        return 1 / y
    except ZeroDivisionError:
        return 7.0 * x


def inverse(y: Any) -> Any:
    return 1 / y


def by_a_callee(x: Any) -> Any:
    y = np.sin(x) if x > 1 else x
    try:
        return inverse(y)
    except ZeroDivisionError:
        return 7.0 * x


def inverse_or_more(y: Any) -> Any:
    try:
        return 1 / y
    except ZeroDivisionError:
        return 7.0 * y


def by_several_calls(x: Any) -> Any:
    y = np.sin(x) if x > 1 else x
    both = inverse_or_more(np.exp(y)) + inverse_or_more(y)
    return both + inverse_or_more(y * 2) - inverse_or_more(y + 0.0)


def raised_to_a_power(x: Any) -> Any:
    try:
        y = np.sin(x) if x > 1 else x
        z = y**-1.5 + y % x
    except ArithmeticError as error:
        z = 7.0 * x + 0.0 * isinstance(error, ZeroDivisionError)
    return z


def slope(f: Callable[..., Any], x: float) -> float:
    h = 1e-4
    coarse = (f(x + h) - f(x - h)) / (2 * h)
    fine = (f(x + h / 2) - f(x - h / 2)) / h
    return float((4 * fine - coarse) / 3)


@pytest.mark.parametrize("f", [divided, by_a_callee, by_several_calls, raised_to_a_power])
def test_an_operator_raises_on_the_paths_where_numbers_are_pythons(f: Callable[..., Any]) -> None:
    value, gradient = sd.value_and_grad(f)(0.0)
    assert value == f(0.0)
    assert gradient == (13.0 if f is by_several_calls else 7.0)
    for x in (0.5, 2.5):
        value, gradient = sd.value_and_grad(f)(x)
        assert value == f(x)
        assert gradient == pytest.approx(slope(f, x), rel=1e-7)


def carried(x: Any) -> Any:
    y = 0.0
    for _ in range(3):
        try:
            y = y + 1 / y
        except ZeroDivisionError:
            y = np.exp(x)
    return y


def test_a_number_that_a_loop_makes_one_of_numpys_raises_in_the_first_turn() -> None:
    value, gradient = sd.value_and_grad(carried)(0.5)
    assert value == carried(0.5)
    assert gradient == pytest.approx(slope(carried, 0.5), rel=1e-7)


def of_numpys(x: Any) -> Any:
    y = np.exp(x)
    for _ in range(3):
        try:
            y = y / (y + 1.0)
        except ZeroDivisionError:
            y = 0.0 * x
    return y


def test_what_is_numpys_on_all_paths_is_not_attempted() -> None:
    assert "attempted" not in sd.grad(of_numpys).source(0.5)


def rounded(x: float, c: float) -> Any:
    y = x if c > 2 else np.float64(x)
    return round(round(y, 6), 2) * x


def by_its_size(x: float, c: float) -> Any:
    y = 0.0 if c > 2 else np.float64(0.0)
    try:
        return x / abs(y)
    except ZeroDivisionError:
        return 5.0 * x


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("c", [1.0, 3.0])
@pytest.mark.parametrize("x", [2.675, 1.005])
def test_sizes_and_rounded_numbers_are_those_of_the_class_at_the_call(x: float, c: float) -> None:
    """Python's float is rounded to the nearest decimal one, NumPy's is multiplied by 100 first."""
    digits = round(x if c > 2 else np.float64(x), 2)
    assert sd.value_and_grad(rounded)(x, c) == (rounded(x, c), digits)
    value, slope = sd.value_and_grad(by_its_size)(x, c)
    assert value == by_its_size(x, c)
    assert slope == (5.0 if c > 2 else np.inf)
