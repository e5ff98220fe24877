"""What the handler of a ``try`` sets anew was nothing before; what it reads is what it was."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import symdiff as sd
from tests.optimise.test_tries import written


def set_anew(x: Any, p: Any) -> Any:
    y = x
    try:
        y = y + 1.0 / p
        y = y * math.sqrt(p + 2.0)
        y = y + 1.0 / (p - 1.0)
    except ZeroDivisionError:
        y = 3.0 * x
    return y * x


def read_by_the_handler(x: Any, p: Any) -> Any:
    y = x
    try:
        y = y + x / (p + 3.0)
        y = y * math.sqrt(p + 2.0)
        y = y + 1.0 / (p - 1.0)
    except ArithmeticError:
        y = y * 3.0
    except ValueError:
        y = x * x
    return y * x


def read_behind(x: Any, p: Any) -> Any:
    y, z = x, x * x
    try:
        y = y + 1.0 / p
        z = z * y
        y = y + x / (p - 1.0)
    except ZeroDivisionError:
        z = z + 1.0
    return y * x + z


def read_by_one_of_two_handlers(x: Any, p: Any) -> Any:
    y = x * 5.0
    for _ in range(2):
        try:
            y = y / p
            y = y * math.sqrt(p) * x
            y = y / (p - 1.0)
        except ZeroDivisionError:
            y = x + p
        except ValueError:
            y = y + 2.0 * x
    return y * x


def read_where_nothing_was_raised(x: Any, p: Any) -> Any:
    y, again = x, x
    try:
        y = y / p
        again = y * x
        y = y / (p - 1.0)
    except ZeroDivisionError:
        y = 0.0
    else:
        y = y + again
    return y + again


FUNCTIONS = [
    set_anew,
    read_by_the_handler,
    read_behind,
    read_by_one_of_two_handlers,
    read_where_nothing_was_raised,
]


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("p", [0.0, 1.0, 2.5, -1.5, -3.0])
def test_wherever_it_raises_the_handler_reads_what_python_does(
    f: Callable[..., Any], p: Any
) -> None:
    x, h = 1.3, 1e-3
    try:
        expected = f(x, p)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)):
            sd.value_and_grad(f)(x, p)
        return
    value, gradient = sd.value_and_grad(f)(x, p)
    assert value == expected
    coarse = (f(x + h, p) - f(x - h, p)) / (2 * h)
    fine = (f(x + h / 2, p) - f(x - h / 2, p)) / h
    assert gradient == pytest.approx((4 * fine - coarse) / 3, rel=1e-8)


def test_a_name_that_was_bound_before_does_not_keep_a_body_from_being_one_piece() -> None:
    source = sd.grad(set_anew).source(1.3, 2.0)
    assert source.count("try:") == 1
    assert "== 0" not in source


def test_many_statements_in_one_body_compile() -> None:
    lines = "".join(f"        y = y + 1.0 / (x + {k})\n" for k in range(60))
    f = written(
        f"def f(x):\n    y = x\n    try:\n{lines}    except ZeroDivisionError:\n"
        "        y = 3.0 * x\n    return y\n"
    )
    expected = 1.0 - math.fsum(1.0 / (1.5 + k) ** 2 for k in range(60))
    assert sd.grad(f)(1.5) == pytest.approx(expected, rel=1e-12)
    assert sd.grad(f)(-7.0) == 3.0
