"""What operations raise, and handlers keep, or raise again where others catch it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd


def again_in_a_try_by_itself(x: Any) -> Any:
    try:
        try:
            return 1.0 / x
        except ArithmeticError:
            try:
                raise
            except ZeroDivisionError:
                return 3.0 * x
    except Exception:
        return 7.0 * x


def by_its_name(x: Any) -> Any:
    try:
        return 1.0 / x
    except ArithmeticError as error:
        try:
            raise error
        except ZeroDivisionError:
            return 3.0 * x


def behind_the_handler(x: Any) -> Any:
    kept = None
    y = x
    try:
        y = math.log(x + 1.0) / x
    except Exception as error:
        kept = error
    try:
        if kept is not None:
            raise kept
    except ZeroDivisionError:
        y = 3.0 * x
    except ValueError:
        y = 5.0 * x
    return y


def out_of_the_function(x: Any) -> Any:
    try:
        return math.log(x + 1.0) / x
    except Exception as error:
        if isinstance(error, ValueError):
            raise error
        return 3.0 * x


@pytest.mark.parametrize(
    "f", [again_in_a_try_by_itself, by_its_name, behind_the_handler, out_of_the_function]
)
def test_the_most_special_handler_takes_what_is_raised_again(f: Callable[..., Any]) -> None:
    assert sd.value_and_grad(f)(0.0) == (0.0, 3.0)
    value, gradient = sd.value_and_grad(f)(1.5)
    assert value == f(1.5)
    assert gradient == pytest.approx(((f(1.5001) - f(1.4999)) / 2e-4), rel=1e-6)


def test_an_exception_that_was_kept_is_raised_as_its_own_class() -> None:
    assert sd.value_and_grad(behind_the_handler)(-2.0) == (-10.0, 5.0)
    with pytest.raises(ValueError, match="math domain error"):
        sd.grad(out_of_the_function)(-2.0)


def strictly(u: Any, v: Any) -> Any:
    with np.errstate(all="raise"):
        return float(np.float64(u) / np.float64(v))


def returned_under_errstate(x: Any) -> Any:
    try:
        return strictly(x, x - 1.0)
    except FloatingPointError:
        return 2.0 * x


def test_what_is_returned_where_floating_point_errors_raise_is_caught() -> None:
    assert sd.value_and_grad(returned_under_errstate)(1.0) == (2.0, 2.0)
    assert sd.value_and_grad(returned_under_errstate)(3.0) == (1.5, -0.25)


def beside_a_long_integer(x: Any) -> Any:
    try:
        return x * 10**400
    except OverflowError:
        return 3.0 * x


def divided_by_a_long_integer(x: Any) -> Any:
    try:
        return np.exp(x) / 10**5000
    except OverflowError:
        return 3.0 * x


def compared_with_a_long_integer(x: Any) -> Any:
    n = -(10**5000)
    return 3.0 * x if x > n else x / 2.0


@pytest.mark.parametrize(
    "f", [beside_a_long_integer, divided_by_a_long_integer, compared_with_a_long_integer]
)
def test_integers_that_are_longer_than_any_float(f: Callable[..., Any]) -> None:
    assert sd.value_and_grad(f)(1.5) == (4.5, 3.0)


class OddError(ValueError):
    pass


class WorseError(OddError):
    def __init__(self, value: Any, word: str = "worse") -> None:
        super().__init__(word, value)
        self.value = value


def not_above(x: Any, most: float) -> Any:
    if x > most:
        raise WorseError(x)
    return x


def out_of_a_loop_in_a_try(x: Any) -> Any:
    y = x
    try:
        for v in (x, 2.0 * x):
            y = not_above(v, 2.0)
    except LookupError:
        y = x
    return y


def of_one_class_with_more_or_less(x: Any) -> Any:
    try:
        if x > 2.0:
            raise OddError(x)
        if x > 1.0:
            raise OddError(x, 2.0)
        if x > 0.8:
            raise OddError("large", x)
    except LookupError:
        return x
    return 2.0 * x


@pytest.mark.parametrize("f", [out_of_a_loop_in_a_try, of_one_class_with_more_or_less])
def test_what_no_handler_names_is_raised_with_its_own_arguments(f: Callable[..., Any]) -> None:
    assert sd.value_and_grad(f)(0.5) == (1.0, 2.0)
    for x in (0.9, 1.5, 2.5):
        if f is out_of_a_loop_in_a_try and x < 1.0:
            continue
        with pytest.raises(OddError) as expected:
            f(x)
        with pytest.raises(OddError) as raised:
            sd.grad(f)(x)
        assert type(raised.value) is type(expected.value)
        assert raised.value.args == expected.value.args


def of_the_program_or_an_operation(x: Any) -> Any:
    y = 2.0 * x
    try:
        try:
            if x > 2.0:
                raise ZeroDivisionError(x)
            y = y / (x - 1.0)
        except ZeroDivisionError:
            raise
    except KeyError:
        y = 0.0
    return y


def test_what_the_program_or_an_operation_has_raised_is_raised_again() -> None:
    assert sd.value_and_grad(of_the_program_or_an_operation)(1.5) == (6.0, -8.0)
    with pytest.raises(ZeroDivisionError) as raised:
        sd.grad(of_the_program_or_an_operation)(2.5)
    assert raised.value.args == (2.5,)
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        sd.grad(of_the_program_or_an_operation)(1.0)


def finally_raises(x: Any) -> Any:
    try:
        y = 1.0 / x
    finally:
        z = math.log(x)
    return y + z


def finally_raises_in_a_try(x: Any) -> Any:
    try:
        try:
            y = 1.0 / x
        finally:
            z = math.log(x)
    except ValueError:
        return 3.0 * x
    return y + z


def test_what_finally_raises_takes_the_place_of_what_was_raised() -> None:
    assert sd.value_and_grad(finally_raises_in_a_try)(0.0) == (0.0, 3.0)
    assert sd.value_and_grad(finally_raises_in_a_try)(1.0) == (1.0, 0.0)
    assert sd.value_and_grad(finally_raises)(2.0) == (0.5 + math.log(2.0), 0.25)
    for x in (0.0, -1.0):
        with pytest.raises(ValueError, match="math domain error"):
            sd.grad(finally_raises)(x)


def strictly_before_finally_raises(x: Any) -> Any:
    try:
        y = strictly(x, x - 1.0)
    finally:
        z = math.sqrt(x - 2.0)
    return y * z


def test_what_finally_raises_comes_in_place_of_a_floating_point_error() -> None:
    for x in (1.0, 1.5):
        with pytest.raises(ValueError, match="math domain error"):
            sd.value_and_grad(strictly_before_finally_raises)(x)
    value, gradient = sd.value_and_grad(strictly_before_finally_raises)(3.0)
    assert value == 1.5
    assert gradient == pytest.approx(-0.25 + 1.5 / 2.0, rel=1e-12)
