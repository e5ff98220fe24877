"""Calls of derivatives behind one test: no masks inside, the same zeros, the same second order."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import symdiff as sd
from symdiff.optimise.outlining import EVERYTHING, Limits, outlining


def cubic(x: float) -> float:
    s = x * x
    t = s * x + 2.0 * s
    u = t * s - x * t
    return u * t + s * u


def cubic_expected(x: float) -> np.polynomial.Polynomial:
    x = np.polynomial.Polynomial([0.0, 1.0])
    return cubic(x)


def chosen(x: float, y: float) -> float:
    far = cubic(1e200 * x) + cubic(1e200 * y)
    near = cubic(x) * cubic(y)
    if x > 0.0:
        return near
    return far


def squared_residual(x: float, c: float) -> float:
    r = cubic(x) - c
    s = cubic(x + 1.0)
    if x > 0.0:
        return r * r
    return s


def kinked(x: float) -> float:
    s = x * x
    low = 1e200 * s * s
    t = low * low * s
    u = t * x + s
    v = s * x if x > 0.0 else u
    return v * s + s * x * s


def of_kinked(x: float, y: float) -> float:
    a, b = kinked(x), kinked(y)
    if y > 0.0:
        return a * b
    return x


@pytest.fixture(autouse=True)
def callees():
    with outlining(Limits(4, 0, 1, 1)):
        yield


def source(transform: Callable, function: Callable, *arguments: float) -> str:
    return str(transform(sd.differentiable(function)).source(*arguments))


def test_a_call_is_tested_once_and_has_no_masks_inside() -> None:
    text = source(lambda f: f.grad, chosen, 1.5, 2.0)
    callee = text[text.index("def cubic_backward") :].split("\n\n\n")[0]
    assert "!= 0" not in callee
    assert "_bar != 0:\n" in text


@pytest.mark.parametrize("x", [1.5, 0.25])
def test_of_what_was_selected_the_derivative_is_a_polynomials(x: float) -> None:
    p = cubic_expected(x)
    found = sd.grad(chosen, (0, 1))(x, 2.0)
    assert found == pytest.approx((p.deriv()(x) * p(2.0), p(x) * p.deriv()(2.0)), rel=1e-13)


def test_what_overflows_where_it_was_not_selected_leaves_no_trace() -> None:
    (x, y), p = (1.5, 2.0), cubic_expected(1.0)
    assert math.isinf(cubic(1e200 * x)) or math.isnan(cubic(1e200 * x))
    with np.errstate(all="ignore"):
        hessian = sd.hessian(lambda z: chosen(z[0], z[1]))(np.array([x, y]))
    mixed = p.deriv()(x) * p.deriv()(y)
    expected = [[p.deriv(2)(x) * p(y), mixed], [mixed, p(x) * p.deriv(2)(y)]]
    np.testing.assert_allclose(hessian, expected, rtol=1e-12)
    again = sd.grad(lambda x, y: sd.grad(chosen)(x, y))(x, y)
    assert again == pytest.approx(expected[0][0], rel=1e-12)


def test_a_cotangent_that_happens_to_be_zero_has_a_second_derivative() -> None:
    x, p = 1.25, cubic_expected(1.0)
    c = cubic(x)
    assert sd.grad(squared_residual)(x, c) == 0.0
    expected = 2.0 * p.deriv()(x) ** 2
    assert sd.derivative(squared_residual, 2)(x, c) == pytest.approx(expected, rel=1e-12)
    reverse = sd.grad(lambda x, c: sd.grad(squared_residual)(x, c))
    assert reverse(x, c) == pytest.approx(expected, rel=1e-12)
    assert sd.jvp(sd.grad(squared_residual), (x, c), (1.0, 0.0))[1] == pytest.approx(expected)


def test_choices_inside_keep_their_masks() -> None:
    x, y = 1e10, 2.0
    found = sd.grad(of_kinked, (0, 1))(x, y)
    # of a positive number ``kinked`` is 2 * x**5
    assert found == pytest.approx((10.0 * x**4 * 2.0 * y**5, 2.0 * x**5 * 10.0 * y**4))
    assert sd.grad(of_kinked, (0, 1))(x, -2.0) == (1.0, 0.0)


def test_a_cotangent_that_is_nan_stays_so() -> None:
    _, pullback = sd.vjp(chosen, 1.5, 2.0)
    assert all(map(math.isnan, pullback(math.nan)))


def test_recursive_calls_are_tested_too() -> None:
    def nested(x: float, n: int) -> float:
        if n == 0:
            return cubic(x)
        return 0.5 * nested(x * x, n - 1) * x

    def root(x: float, n: int) -> float:
        y = nested(x, n)
        return y if x > 0.0 else -x

    with outlining(EVERYTHING):
        found = sd.grad(root)(1.1, 2)
    # 0.25 * x**3 * cubic(x**4)
    p = cubic_expected(1.0)
    x = 1.1
    expected = 0.75 * x**2 * p(x**4) + x**6 * p.deriv()(x**4)
    assert found == pytest.approx(expected, rel=1e-12)
