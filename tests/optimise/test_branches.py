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
