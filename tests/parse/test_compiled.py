"""Functions that Numba has compiled, here by a stand-in: differentiated by the Python behind them.

It keeps its function where ``__numba__`` says, sums in an order of its own, and takes and gives
Python's numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd


class Compiled:
    __numba__ = "py_func"

    def __init__(self, python: Callable[..., Any]) -> None:
        self.py_func = python
        functools.update_wrapper(self, python)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _rounded(self.py_func(*args, **kwargs))


def _rounded(result: Any) -> Any:
    """A result as compiled code gives it: of Python's numbers, and with other last bits."""
    if isinstance(result, tuple):
        return tuple(map(_rounded, result))
    return float(np.nextafter(result, 9.0)) if isinstance(result, float) else result


@Compiled
def polynomial(x, n):
    total = 0.0
    for i in range(n):
        total += x**i
    return total


@Compiled
def moments(x):
    return x[0] * x[1], np.sum(x)


@Compiled
def store(x, out):
    for i in range(len(x)):
        out[i] = polynomial(x[i], 3)


@Compiled
def quotient(x, y):
    if y == 0.0:
        raise ZeroDivisionError("division by zero")
    return x / y


@Compiled
def twice(f, x):
    return f(f(x, 2), 2)


def test_a_compiled_function_is_differentiated_by_its_python() -> None:
    def f(x):
        return 2.0 * polynomial(x, 5)

    slope = 2.0 * (1.0 + 2 * 1.5 + 3 * 1.5**2 + 4 * 1.5**3)
    assert sd.grad(f)(1.5) == pytest.approx(slope)
    assert sd.derivative(f, 2)(1.5) == pytest.approx(2.0 * (2.0 + 6 * 1.5 + 12 * 1.5**2))
    assert sd.grad(polynomial)(x=1.5, n=5) == pytest.approx(slope / 2.0)


def test_its_own_value_stands() -> None:
    def f(x):
        return polynomial(x, 3)

    value, slope = sd.value_and_grad(f)(1.5)
    assert value == f(1.5) == np.nextafter(4.75, 9.0) and type(value) is float
    assert slope == 4.0


def test_several_results_are_told_apart() -> None:
    def f(x):
        product, total = moments(x)
        return product * total

    np.testing.assert_allclose(sd.grad(f)(np.array([2.0, 3.0])), [21.0, 16.0], rtol=1e-14)


def test_arrays_that_are_written_to() -> None:
    def f(x):
        out = np.zeros(3)
        store(x, out)
        return np.sum(out)

    gradient = sd.grad(f)(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(gradient, [3.0, 5.0, 7.0], rtol=1e-14)


def test_compiled_functions_are_given_to_others() -> None:
    assert sd.grad(lambda x: twice(polynomial, x))(1.5) == 1.0


def test_what_it_raises_is_raised_where_only_the_derivative_is_asked_for() -> None:
    gradient = sd.grad(lambda x, y: quotient(x, y))
    assert gradient(1.0, 4.0) == 0.25
    with pytest.raises(ZeroDivisionError):
        gradient(1.0, 0.0)


def test_types_that_compiled_code_computes_otherwise_are_refused() -> None:
    with pytest.raises(sd.UnsupportedCallError, match="float32 in a compiled function") as caught:
        sd.grad(lambda x: moments(x)[1])(np.ones(2, np.float32))
    assert caught.value.hint == "convert to double precision first: x.astype(np.float64)"


class CompiledExactly(Compiled):
    """One whose last bits are NumPy's: what may raise inside ``try`` is followed."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.py_func(*args, **kwargs)


@CompiledExactly
def exact_quotient(x, y):
    if y == 0.0:
        raise ZeroDivisionError("division by zero")
    return x / y


def test_what_it_raises_on_some_paths_is_caught() -> None:
    def f(x, y):
        try:
            ratio = exact_quotient(x, y)
        except ZeroDivisionError:
            return 3.0 * x
        return ratio * ratio

    assert sd.grad(f)(1.0, 4.0) == 0.125
    assert sd.grad(f)(1.0, 0.0) == 3.0
