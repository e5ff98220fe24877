"""Derivatives of derivatives: any order, in any mixture of modes.

One function with a ``while``, an ``if`` and nested ``for`` loops that write into an array, to order
four in all sixteen mixtures of forward and reverse mode, against mpmath at high precision and,
where it is installed, nested ``jax.grad``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

import symdiff as sd

POINT = 0.7
ORDER = 4
Function = Callable[[Any], Any]


def program(x: float) -> Any:
    a = np.zeros(4)
    y = x
    while y < 3.0:
        y = y * 1.5 + 0.1 * x * x
    for i in range(4):
        for j in range(3):
            if a[i] < 0.4 * y:
                a[i] = a[i] + y * x**j
            else:
                a[i] += np.sin(x * (j + 1)) * a[i - 1]
    return np.sum(a * a) / y


def plain(x: Any, sin: Function, less: Callable[[Any, Any], bool]) -> Any:
    """The same on a list of any numbers."""
    a = [x * 0] * 4
    y = x
    while less(y, 3.0):
        y = y * 1.5 + x * x / 10
    for i in range(4):
        for j in range(3):
            if less(a[i], y * 2 / 5):
                a[i] = a[i] + y * x**j
            else:
                a[i] = a[i] + sin(x * (j + 1)) * a[i - 1]
    return sum(v * v for v in a) / y


def reference(order: int) -> float:
    with mpmath.workdps(60):
        return float(
            mpmath.diff(
                lambda x: plain(x, mpmath.sin, lambda a, b: bool(a < b)), mpmath.mpf(POINT), order
            )
        )


def forward(f: Function) -> Function:
    return lambda x: sd.jvp(f, (x,), (1.0,))[1]


def mixed(modes: tuple[str, ...]) -> Function:
    """The derivative of the program by modes, the innermost first."""
    f: Function = program
    for mode in modes:
        f = forward(f) if mode == "forward" else sd.grad(f)
    return f


def test_the_references_agree_on_the_value() -> None:
    assert reference(0) == pytest.approx(program(POINT), rel=1e-14)


@pytest.mark.parametrize("order", range(1, ORDER + 1))
def test_every_mixture_of_modes_gives_the_same_derivative(order: int) -> None:
    wanted = reference(order)
    for modes in itertools.product(("forward", "reverse"), repeat=order):
        assert float(mixed(modes)(POINT)) == pytest.approx(wanted, rel=1e-12), modes


def test_nested_gradients_agree_with_jax() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)

    def same(x: Any) -> Any:
        return plain(x, jax.numpy.sin, lambda a, b: bool(concrete(a) < concrete(b)))

    def concrete(value: Any) -> Any:
        while hasattr(value, "primal"):
            value = value.primal
        return value

    ours, theirs = program, same
    for _ in range(ORDER):
        ours, theirs = sd.grad(ours), jax.grad(theirs)
        assert float(ours(POINT)) == pytest.approx(float(theirs(POINT)), rel=1e-12)


def oscillation(x: float) -> Any:
    return np.sin(x) * x**3


@pytest.mark.parametrize("order", range(1, 11))
def test_tenth_derivative_of_an_expression(order: int) -> None:
    x = sympy.Symbol("x")
    wanted = sympy.diff(sympy.sin(x) * x**3, x, order).evalf(30, subs={x: sympy.Rational(13, 10)})
    assert sd.derivative(oscillation, order=order)(1.3) == pytest.approx(float(wanted), rel=1e-13)


def test_fourth_derivative_is_short() -> None:
    assert len(sd.derivative(oscillation, order=4).source(1.3).splitlines()) <= 60
