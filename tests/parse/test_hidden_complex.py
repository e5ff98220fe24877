"""Powers of negative floats are complex in Python: nothing is told of them as of floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError


def real_part(x: Any) -> Any:
    return ((3.0 - x) ** 0.5).real * 2.0


def imaginary_part(x: Any) -> Any:
    y = (3.0 - x) ** 0.5
    return y.imag + (y * y + 1.0) * 2.0


def real_where_complex(x: Any) -> Any:
    y = (3.0 - x) ** (1 / 3)
    if isinstance(y, complex):
        y = y.real
    return y


def after_a_branch_and_a_loop(x: Any) -> Any:
    y = (3.0 - x) ** 1.5 if x > 1.0 else x
    for _ in range(3):
        y = y * 2.0 + 1.0
    return 3.0 * x if type(y) is complex else y


def by_an_exponent(x: Any) -> Any:
    y = (1.0 - x) ** x
    return y if y == y.real else 2.0 * x


@pytest.mark.parametrize(
    "f", [real_part, imaginary_part, real_where_complex, after_a_branch_and_a_loop]
)
def test_where_it_is_complex_a_power_is_refused_by_those_who_ask_for_its_type(
    f: Callable[..., Any],
) -> None:
    h = 1e-5
    value, gradient = sd.value_and_grad(f)(2.0)
    assert value == f(2.0)
    assert gradient == pytest.approx((f(2.0 + h) - f(2.0 - h)) / (2 * h), rel=1e-7)
    with pytest.raises(UnsupportedCallError, match=r"power of a negative float.* is complex"):
        sd.value_and_grad(f)(4.5)


def test_an_exponent_that_is_an_argument_may_make_it_complex() -> None:
    assert sd.value_and_grad(by_an_exponent)(0.5)[0] == by_an_exponent(0.5)
    with pytest.raises(UnsupportedCallError, match="complex"):
        sd.grad(by_an_exponent)(2.5)


def never_complex(x: Any) -> Any:
    y = (x * x + 1.0) ** 0.5 + (x - 3.0) ** 3 + (x - 3.0) ** 2.0
    if isinstance(y, complex):
        y = y.real
    return y.real


def asked_for_any_number(x: Any) -> Any:
    y = (x - 3.0) ** 1.5
    return 2.0 * y if isinstance(y, int | float | complex) else y


@pytest.mark.parametrize("f", [never_complex, asked_for_any_number])
def test_what_cannot_be_another_is_not_asked_at_run_time(f: Callable[..., Any]) -> None:
    assert "is_real" not in sd.grad(f).source(4.0)
    assert sd.value_and_grad(f)(4.0)[0] == f(4.0)
