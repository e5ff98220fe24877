"""Powers of negative floats are complex in Python: nothing is told of them as of floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
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


def length_of_a_root(x: Any) -> Any:
    return abs(x**0.5)


def length_of_a_quotient(x: Any) -> Any:
    return abs(-3.0 * x**0.3 / (1.0 + x) ** 0.5) + x


def closed_form_of_a_root(x: Any) -> Any:
    return (abs(x) ** 0.5, 0.5 * abs(x) ** -0.5 * (1 if x > 0 else -1), -0.25 * abs(x) ** -1.5)


@pytest.mark.parametrize("x", [-2.0, -0.25, 3.0])
def test_the_absolute_value_of_a_power_has_slopes_where_it_is_complex(x: float) -> None:
    value, first, second = closed_form_of_a_root(x)
    found = sd.value_and_grad(length_of_a_root)(x)
    assert found[0] == length_of_a_root(x) == pytest.approx(value)
    assert found[1] == pytest.approx(first)
    assert sd.jvp(length_of_a_root, (x,), (2.0,))[1] == pytest.approx(2.0 * first)
    assert sd.derivative(length_of_a_root, 2)(x) == pytest.approx(second)
    for reverse in (sd.grad(sd.grad(length_of_a_root)), sd.hessian(length_of_a_root)):
        assert reverse(x) == pytest.approx(second)
    batch = np.array([x, 1.0])
    np.testing.assert_allclose(sd.vmap(lambda x: abs(float(x) ** 0.5))(batch), [value, 1.0])
    np.testing.assert_allclose(
        sd.vmap(sd.grad(lambda x: abs(float(x) ** 0.5)))(batch), [first, 0.5]
    )


@pytest.mark.parametrize("x", [-2.0, -0.5, 0.7])
def test_so_have_products_and_quotients_of_powers(x: float) -> None:
    h = 1e-5
    value, gradient = sd.value_and_grad(length_of_a_quotient)(x)
    assert value == length_of_a_quotient(x)
    difference = (length_of_a_quotient(x + h) - length_of_a_quotient(x - h)) / (2 * h)
    assert gradient == pytest.approx(difference, rel=1e-7)


def test_the_absolute_value_of_a_sum_is_refused_where_it_is_complex() -> None:
    def f(x: Any) -> Any:
        return abs(2.0 - x**0.5)

    assert sd.grad(f)(9.0) == pytest.approx(0.5 / 3.0)
    assert sd.differentiable(f)(-1.0) == abs(2.0 - 1j)
    with pytest.raises(UnsupportedCallError, match=r"made of a power of a negative float") as told:
        sd.grad(f)(-1.0)
    assert "abs(2.0 - x**0.5)" in str(told.value)


@pytest.mark.parametrize("asked", [np.real, np.imag, np.angle, np.iscomplexobj, np.isrealobj])
def test_parts_taken_by_numpy_are_refused_where_a_power_is_complex(asked: Any) -> None:
    def f(x: Any) -> Any:
        return x + asked(x**0.5)

    value, gradient = sd.value_and_grad(f)(4.0)
    assert value == f(4.0)
    assert gradient == (1.25 if asked is np.real else 1.0)
    with pytest.raises(UnsupportedCallError, match="a power of a negative float"):
        sd.grad(f)(-4.0)
    with pytest.raises(UnsupportedCallError, match="a power of a negative float"):
        sd.grad(lambda x: x + asked([x**0.5, x][0]))(-4.0)


@pytest.mark.parametrize("x", [-2.0, -0.3, 2.0])
def test_absolute_values_by_numpy_have_slopes_where_a_power_is_complex(x: float) -> None:
    def f(x: Any) -> Any:
        return np.abs(x**0.5) * x

    sign = np.sign(x)
    value, gradient = sd.value_and_grad(f)(x)
    assert value == f(x)
    assert isinstance(value, np.float64)
    assert gradient == pytest.approx(1.5 * abs(x) ** 0.5, rel=1e-12)
    assert sd.jvp(f, (x,), (1.0,))[1] == pytest.approx(gradient, rel=1e-12)
    assert sd.derivative(f, 2)(x) == pytest.approx(0.75 * sign * abs(x) ** -0.5, rel=1e-12)


def test_absolute_values_by_numpy_of_all_else_stay() -> None:
    def f(x: Any) -> Any:
        kept = np.zeros(2)
        np.abs(x, out=kept)
        masked = np.ma.masked_greater(x, 1.0)
        return (
            np.sum(kept * x) + np.sum(np.abs(masked)) + np.absolute(x[0]) + np.sum(np.abs([x[1]]))
        )

    x = np.array([0.5, -2.0])
    np.testing.assert_allclose(sd.grad(f)(x), [2.0 * 0.5 + 2.0, 4.0 - 2.0], rtol=1e-12)


@pytest.mark.parametrize(
    "f", [lambda x: abs(float(x) ** 0.5), lambda x: abs(float(x) ** 0.5 * 2.0 + 1.0) + float(x)]
)
def test_lanes_hand_on_what_is_complex_in_some(f: Any) -> None:
    batch = np.array([-0.25, 1.0, -3.0, 2.0])
    np.testing.assert_allclose(sd.vmap(f)(batch), [f(x) for x in batch])
