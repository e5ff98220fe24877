"""Cotangents that happen to be 0, as a residual is: they have slopes, and these have slopes.

Masks of cotangents keep zeros of what was not selected; a zero that is a value like any other must
not be held for one of these when derivatives are differentiated again. By SymPy, to order four.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import symdiff as sd

X = sp.symbols("x", positive=True)

# What is 0 at 4, and by SymPy.
RESIDUALS: dict[str, tuple[Callable[[Any], Any], sp.Expr]] = {
    "sqrt": (lambda x: np.sqrt(x) - 2.0, sp.sqrt(X) - 2),
    "over sqrt": (lambda x: 1.0 / np.sqrt(x) - 0.5, 1 / sp.sqrt(X) - sp.Rational(1, 2)),
    "quotient": (lambda x: np.sqrt(x) / (x + 4.0) - 0.25, sp.sqrt(X) / (X + 4) - sp.Rational(1, 4)),
    "power": (lambda x: x**1.5 / x - 2.0, sp.sqrt(X) - 2),
    "product": (lambda x: np.sqrt(x) * np.sqrt(x + 5.0) - 6.0, sp.sqrt(X) * sp.sqrt(X + 5) - 6),
    "logarithm": (lambda x: np.log(x / 4.0) / np.sqrt(x), sp.log(X / 4) / sp.sqrt(X)),
}

LOSSES: dict[str, tuple[Callable[[Any, Any], Any], Callable[[sp.Expr], sp.Expr]]] = {
    "square": (lambda r, x: r * r, lambda r: r**2),
    "square over": (lambda r, x: r * r / np.sqrt(x), lambda r: r**2 / sp.sqrt(X)),
    "selected": (lambda r, x: np.where(x > 0, r * r, 0.0), lambda r: r**2),
    "selected before": (lambda r, x: np.where(x > 0, r, x) ** 2, lambda r: r**2),
    "below a root": (lambda r, x: r * np.sqrt(r + x) / x, lambda r: r * sp.sqrt(r + X) / X),
}


def reverse(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: np.sum(sd.grad(f)(x))


def forward(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: np.sum(sd.jvp(f, (x,), (np.ones(1),))[1])


def loss_of(residual: str, loss: str) -> tuple[Callable[[Any], Any], list[float]]:
    """A loss of arrays, and its derivatives at 4 by order."""
    r, formula = RESIDUALS[residual]
    h, wrapped = LOSSES[loss]
    expression = wrapped(formula)
    slopes = [float(sp.N(sp.diff(expression, X, k).subs(X, 4), 30)) for k in range(1, 5)]
    return (lambda x: np.sum(h(r(x), x))), slopes


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("residual", RESIDUALS)
def test_derivatives_of_higher_order_at_a_residual_of_zero(residual: str, loss: str) -> None:
    function, slopes = loss_of(residual, loss)
    for slope in slopes:
        function = reverse(function)
        assert function(np.array([4.0])) == pytest.approx(slope, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("modes", [*itertools.product((reverse, forward), repeat=3)])
@pytest.mark.parametrize("loss", ["square over", "selected"])
def test_modes_in_any_order_at_a_residual_of_zero(modes: Any, loss: str) -> None:
    function, slopes = loss_of("quotient", loss)
    for mode, slope in zip(modes, slopes, strict=False):
        function = mode(function)
        assert function(np.array([4.0])) == pytest.approx(slope, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("number", [float, np.float32])
def test_numbers_in_a_loop_have_a_third_derivative_at_residuals_of_zero(number: Any) -> None:
    def total(x: Any) -> Any:
        s = 0.0
        for k in range(3):
            r = x * np.sqrt(x) / (k + 1) - 8.0
            s = s + (r * r if k == 0 else x)
        return s

    third = reverse(reverse(reverse(total)))(number(4.0))  # 6 r' r'', with r' = 3, r'' = 3/8
    assert third == pytest.approx(6.75, rel=1e-5)


def test_what_was_not_selected_stays_zero_in_derivatives_of_any_order() -> None:
    def loss(x: Any) -> Any:
        r = np.where(x > 0, np.log(x) / np.sqrt(x), 0.0)
        return np.sum(r * r)

    function, x = loss, np.array([0.0, -1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(4):
            function = reverse(function)
            assert function(x) == 0.0


def test_a_modulus_behind_a_where_has_a_third_derivative() -> None:
    def loss(x: Any) -> Any:
        q = np.abs(np.log(x) * (1 + 2j))
        return np.sum(np.where(x > 0.5, q * q, 0.0))

    third = reverse(reverse(reverse(loss)))  # of 5 log(x)^2
    x = 2.0
    wanted = 5 * (4 * np.log(x) - 6) / x**3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert third(np.array([x])) == pytest.approx(wanted, rel=1e-12)
        assert third(np.array([0.0, x])) == pytest.approx(wanted, rel=1e-12)
