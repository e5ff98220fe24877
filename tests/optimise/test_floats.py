"""Programs of numbers on Python's floats: right, faster text, and NumPy's where floats raise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symdiff as sd


def product(x: float) -> Any:
    return np.sin(x) * x**3


def halving(x: float) -> Any:
    y = x
    while y > 0.1:
        y = y * 0.5 if y > 0.5 else y - 0.03 * np.cos(y)
    return y * x


def logarithm(x: float) -> Any:
    return x * x + np.log(x)


def fractional(x: float) -> Any:
    return np.power(np.float64(1.0) * x, 1 / 3)


def summed(x: float) -> Any:
    total = 0.0
    for k in range(5):
        total = total + np.exp(-k * x) * np.sqrt(x)
    return total


def distance(x: float) -> Any:
    return np.hypot(x, 0.4) * np.sqrt(x * x + 1.0)


def rooted(x: float) -> Any:
    return 2.0 * x * np.sqrt(x)


def code(source: str) -> str:
    """The source without its comments, which quote the user's lines."""
    return "\n".join(line for line in source.split("\n") if not line.strip().startswith("#"))


def test_a_function_of_numbers_is_differentiated_on_floats() -> None:
    source = code(sd.grad(product).source(0.3))
    first, _, second = source.partition("def product_grad_by_numpy")
    assert "math.sin" in first
    assert "np." not in first
    assert "np.sin" in second


@pytest.mark.parametrize("x", [0.3, 0.7, 2.5])
@pytest.mark.parametrize("function", [product, halving, logarithm, summed])
def test_floats_give_what_numpy_gives(function: Any, x: float) -> None:
    step = 1e-200
    if function is halving:
        h = 1e-6
        wanted = (function(x + h) - function(x - h)) / (2 * h)
        assert sd.grad(function)(x) == pytest.approx(wanted, rel=1e-8)
        return
    wanted = np.imag(function(complex(x, step))) / step
    assert sd.grad(function)(x) == pytest.approx(wanted, rel=1e-13)


def test_a_distance_is_differentiated_on_floats() -> None:
    first = code(sd.grad(distance).source(0.3)).partition("def distance_grad_by_numpy")[0]
    assert "math.hypot" in first
    assert "np." not in first
    for x in (0.3, -1.7):
        near, far = np.hypot(x, 0.4), np.sqrt(x * x + 1.0)
        wanted = x / near * far + near * x / far
        assert sd.grad(distance)(x) == pytest.approx(wanted, rel=1e-14)


def test_a_strong_zero_is_one_on_floats() -> None:
    assert sd.grad(lambda x: np.sqrt(x) * 0.0)(0.0) == 0.0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert sd.grad(lambda x: np.sqrt(x))(0.0) == math.inf
    for x in (0.25, 4.0):
        assert sd.grad(rooted)(x) == pytest.approx(3.0 * math.sqrt(x), rel=1e-15)


def test_where_floats_raise_numpy_takes_over() -> None:
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert sd.grad(logarithm)(0.0) == math.inf


def test_no_complex_number_comes_from_a_negative_base() -> None:
    with pytest.warns(RuntimeWarning, match="invalid value"):
        assert math.isnan(sd.grad(fractional)(-8.0))


def test_the_kind_of_the_value_is_kept() -> None:
    value, slope = sd.value_and_grad(product)(0.3)
    assert type(value) is np.float64
    assert type(slope) is float


def test_exact_computes_as_numpy_does() -> None:
    def cubed(x: float) -> Any:
        return np.tanh(x) * x**3

    exact = sd.differentiable(cubed, exact=True)
    assert "math" not in code(exact.grad.source(0.3))
    for x in np.linspace(0.1, 3.0, 200).tolist():
        assert exact.value_and_grad(x)[0] == cubed(x)


def test_arrays_and_single_precision_stay_with_numpy() -> None:
    assert "math" not in code(sd.grad(product).source(np.float32(0.3)))
    assert "math" not in code(sd.grad(lambda x: np.sum(np.sin(x))).source(np.ones(3)))


def test_exponents_that_are_no_number_are_left_to_numpy() -> None:
    value, slope = sd.value_and_grad(lambda x: np.sin(x) + x**math.inf)(0.5)
    assert value == np.sin(0.5)
    assert np.isnan(slope)  # the factor inf, times 0
    assert np.isnan(sd.value_and_grad(lambda x: np.sin(x) + x**math.nan)(0.5)[0])


UNARY = "exp exp2 expm1 log log2 log10 log1p sin cos tan arctan sinh cosh tanh arcsinh sqrt cbrt"


@pytest.mark.parametrize("name", UNARY.split())
def test_the_functions_own_value_has_numpys_bits(name: str) -> None:
    elementary = getattr(np, name)

    def f(x: float) -> Any:
        return elementary(x)

    with_gradient = sd.value_and_grad(f)
    for x in np.random.default_rng(3).uniform(0.1, 4.0, 60):
        for number in (x, float(x)):
            expected = f(number)
            assert with_gradient(number)[0] == expected
            assert sd.jvp(f, (number,), (1.0,))[0] == expected


@pytest.mark.parametrize("f", [np.power, np.float_power, np.arctan2, np.hypot, lambda x, y: x**y])
def test_the_value_of_a_function_of_two_numbers_has_numpys_bits(f: Any) -> None:
    def of_both(x: float, y: float) -> Any:
        return f(x, y)

    with_gradient = sd.value_and_grad(of_both, (0, 1))
    for x, y in np.random.default_rng(4).uniform(0.1, 4.0, (60, 2)):
        assert with_gradient(x, y)[0] == of_both(x, y)
        assert with_gradient(float(x), y)[0] == of_both(float(x), y)


def test_only_the_value_is_computed_by_numpy() -> None:
    source = code(sd.value_and_grad(product).source(0.3)).partition("_by_numpy")[0]
    assert "np.sin" in source
    assert "math.cos" in source


def by_thirds(a: float, b: float, n: int) -> Any:
    """Simpson's rule: weights by whether a number is even."""
    h = (b - a) / n
    total = np.sin(a) + np.sin(b)
    for k in range(1, n):
        total = total + (4.0 if k % 2 == 1 else 2.0) * np.sin(a + k * h) * (k // n + 1)
    return total * h / 3.0


def test_integers_are_divided_as_they_stand() -> None:
    gradient = sd.grad(by_thirds, (0, 1))
    assert "math.cos" in code(gradient.source(0.3, 1.7, 20))
    np.testing.assert_allclose(gradient(0.3, 1.7, 20), (-np.sin(0.3), np.sin(1.7)), rtol=1e-5)
    steps = [np.imag(by_thirds(0.3 + a, 1.7 + b, 20)) * 1e30 for a, b in ((1e-30j, 0), (0, 1e-30j))]
    np.testing.assert_allclose(gradient(0.3, 1.7, 20), steps, rtol=1e-13)
    with pytest.raises(ZeroDivisionError):
        gradient(0.3, 1.7, 0)
