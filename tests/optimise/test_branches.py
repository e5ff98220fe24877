# ruff: noqa: SIM108 - the branches are what is tested
"""Branches on one predicate that follow each other become one, where that changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd


def twice(x: Any, y: Any) -> Any:
    if x > y:
        a = np.sin(x) * y
    else:
        a = x * x
    b = np.exp(y)
    if x > y:
        c = a * b
    else:
        c = a + b * y
    return c * a


def printed_between(x: Any, y: Any) -> Any:
    if x > y:
        print("first")
        a = x * y
    else:
        a = x
    print("between", a)
    if x > y:
        print("second")
        a = a * y
    return a


def depends(x: Any, y: Any) -> Any:
    if x > y:
        a = x * y
    else:
        a = x
    b = a * a
    if x > y:
        c = b * y
    else:
        c = b + a
    return c


def chained(x: Any, y: Any) -> Any:
    t = x > y
    total = x * y
    for k in range(3):
        if t:
            total = total + x * k
        if y > 1.0:
            total = total * y
        if t:
            total = total - y
    return total


@pytest.mark.parametrize("f", [twice, depends, chained])
@pytest.mark.parametrize("arguments", [(1.3, 0.4), (0.4, 1.3), (0.2, 0.3)])
def test_merged_branches_have_right_derivatives(f: Any, arguments: tuple[float, float]) -> None:
    sd.check_grads(f, arguments)
    gradient = sd.grad(f, (0, 1))(*arguments)
    step = 1e-20
    for number, slope in enumerate(gradient):
        at = [complex(value) for value in arguments]
        at[number] += step * 1j
        # the complex step: the comparisons look at the real parts
        found = f(*map(_Compared, at))
        assert slope == pytest.approx(found.value.imag / step, rel=1e-12)


class _Compared(np.lib.mixins.NDArrayOperatorsMixin):
    """A complex number that is compared by its real part."""

    def __init__(self, value: complex) -> None:
        self.value = value

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        values = [x.value if isinstance(x, _Compared) else x for x in inputs]
        if ufunc is np.greater:
            return np.real(values[0]) > np.real(values[1])
        return _Compared(getattr(ufunc, method)(*values, **keywords))


def test_one_test_is_left() -> None:
    lines = str(sd.grad(twice).source(1.0, 2.0)).splitlines()
    tests = [line for line in lines if line.strip() == "if x > y:"]
    assert len(tests) == 2  # on floats, and by NumPy


def test_effects_keep_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    sd.grad(printed_between)(2.0, 1.0)
    assert capsys.readouterr().out == "first\nbetween 2.0\nsecond\n"


def beside_each_other(x: Any, y: Any) -> Any:
    t = x > y
    if t:
        print("first")
        a = x * y
    else:
        a = x
    if t:
        print("second")
        b = a * y
    else:
        b = a + y
    return b


def with_something_between(x: Any, y: Any) -> Any:
    t = x > y
    if t:
        a = x * y
    else:
        a = x
    y = y * x
    if t:
        b = a * y
    else:
        b = a + y
    return b


def own_text(f: Any) -> str:
    """The text of the forward sweep."""
    return str(sd.differentiable(f).source(1.0, 2.0)).partition("_backward(")[0]


@pytest.mark.parametrize(("arguments", "slopes"), [((2.0, 0.5), (0.25, 2.0)), ((1.0, 3.0), (1, 1))])
def test_the_users_own_branches_that_stand_beside_each_other_are_one(
    arguments: tuple[float, float], slopes: tuple[float, float], capsys: pytest.CaptureFixture[str]
) -> None:
    assert sd.grad(beside_each_other, (0, 1))(*arguments) == pytest.approx(slopes, rel=1e-14)
    assert capsys.readouterr().out == ("first\nsecond\n" if arguments[0] > arguments[1] else "")
    for k, slope in enumerate(slopes):
        tangents = (float(k == 0), float(k == 1))
        assert sd.jvp(beside_each_other, arguments, tangents)[1] == pytest.approx(slope, rel=1e-14)


def test_the_users_own_branches_stay_where_something_stands_between_them() -> None:
    tests = [own_text(f).count("if ") for f in (beside_each_other, with_something_between)]
    assert tests == [1, 2]


def inner(x: Any) -> Any:
    return 1.0 / (x - 2.0)


def tried(x: Any) -> Any:
    try:
        return inner(x) * inner(x * 2.0)
    except ZeroDivisionError:
        return x * x


@pytest.mark.parametrize("x", [3.0, 0.5, 1.0, 2.0])
def test_what_is_raised_in_one_of_two_calls_is_caught(x: float) -> None:
    caught = x in (1.0, 2.0)
    product = 0.0 if caught else 1.0 / ((x - 2.0) * (2.0 * x - 2.0))
    slope = 2.0 * x if caught else -product * (1.0 / (x - 2.0) + 1.0 / (x - 1.0))
    assert sd.grad(tried)(x) == pytest.approx(slope, rel=1e-13)
    assert sd.jvp(tried, (x,), (1.0,))[1] == pytest.approx(slope, rel=1e-13)
    second = product * (1.0 / (x - 2.0) + 1.0 / (x - 1.0)) ** 2 if not caught else 2.0
    if not caught:
        second += product * ((x - 2.0) ** -2 + (x - 1.0) ** -2)
    assert sd.grad(sd.grad(tried))(x) == pytest.approx(second, rel=1e-12)
