"""Integers too large for a float raise OverflowError beside floats, which a ``try`` catches."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import symdiff as sd


def quotient(x: Any, n: int) -> Any:
    try:
        return x**3 / math.factorial(n)
    except OverflowError:
        return 5.0 * x


def product(x: Any, n: int) -> Any:
    try:
        y = x * math.factorial(n) + x
    except ArithmeticError:
        y = 5.0 * x
    return y * x


def sum_with_a_shift(x: Any, n: int) -> Any:
    try:
        return (x + (1 << n)) * x
    except OverflowError as error:
        return x * len(str(error))


def quotient_of_integers(x: Any, n: int) -> Any:
    try:
        return math.comb(2 * n, n) / (1 + n) * x
    except (ZeroDivisionError, OverflowError):
        return x * x


def root(x: Any, n: int) -> Any:
    try:
        return math.sqrt(math.perm(n, n // 2)) * x
    except OverflowError:
        return x * x


def zero_apart(x: Any, n: int) -> Any:
    try:
        return x / (math.factorial(n) - 6)
    except ZeroDivisionError:
        return 7.0 * x
    except OverflowError:
        return 5.0 * x


def in_a_loop(x: Any, n: int) -> Any:
    y = x
    for k in range(1, n, 50):
        try:
            y = y + x / math.factorial(k)
        except OverflowError:
            y = y * 1.5
    return y


@pytest.mark.parametrize("n", [3, 400])
@pytest.mark.parametrize(
    "f",
    [
        quotient,
        product,
        sum_with_a_shift,
        quotient_of_integers,
        root,
        zero_apart,
        in_a_loop,
    ],
)
def test_the_handler_is_reached(f: Callable[..., Any], n: int) -> None:
    n *= 1 + 4 * (f is not in_a_loop and n > 3)
    x, h = 1.25, 1e-5
    value, gradient = sd.value_and_grad(f)(x, n)
    assert value == f(x, n)
    assert gradient == pytest.approx((f(x + h, n) - f(x - h, n)) / (2 * h), rel=1e-7)


def test_small_powers_are_not_converted() -> None:
    def f(x: Any, k: int) -> Any:
        try:
            return x * k**3 / (k - 2)
        except (ZeroDivisionError, OverflowError):
            return x

    assert "float(" not in sd.grad(f).source(1.0, 3)
    assert [sd.grad(f)(1.0, k) for k in (2, 3)] == [1.0, 27.0]


def test_without_a_handler_it_is_raised() -> None:
    with pytest.raises(OverflowError, match="int too large to convert to float"):
        sd.grad(lambda x, n: x / math.factorial(n))(1.0, 2000)
