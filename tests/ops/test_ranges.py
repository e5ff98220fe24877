"""Ranges of floats: what is computed lies in them, and what they leave out of derivatives."""

import math

import numpy as np
import pytest

import symdiff as sd
from symdiff.ops.ranges import range_of

EDGES = [0.0, -0.0, 5e-324, 1e-160, 1e-45, 0.3, 1.0, 7.5, 800.0, 1e160, 1.7e308, math.inf]
UNARY = [
    np.square, np.abs, np.fabs, np.sqrt, np.exp, np.exp2, np.cosh, np.sin, np.cos, np.tanh,
    np.negative, np.positive, np.log, np.sum, np.mean, np.copy, lambda x: x**2, lambda x: x**-2,
    lambda x: x**0.5, lambda x: x * x, lambda x: x[::-1], lambda x: x.astype(np.float32),
    lambda x: np.clip(x, 0.1, None), lambda x: np.clip(x, None, 2.0), lambda x: x + 1e-60,
    lambda x: 1.5 - x, lambda x: x * 1e-300, lambda x: 2.0 / x, lambda x: -3.0 * x,
]  # fmt: skip
BINARY = [
    np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.fmax, np.fmin,
    np.hypot, lambda x, y: np.where(y > 0.5, x, y),
]  # fmt: skip


def composed(rng, depth):
    """A random expression of an array, as a function."""
    if depth == 0:
        return lambda x: x
    inner = composed(rng, depth - 1)
    if rng.random() < 0.6:
        outer = UNARY[rng.integers(len(UNARY))]
        return lambda x: outer(inner(x))
    other, outer = composed(rng, depth - 1), BINARY[rng.integers(len(BINARY))]
    return lambda x: outer(inner(x), other(x))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_computed_lies_in_its_range(dtype):
    with np.errstate(all="ignore"):
        x = np.array([*EDGES, *(-edge for edge in EDGES), math.nan], dtype)
    rng, told = np.random.default_rng(7), 0
    for _ in range(150):
        function = composed(rng, int(rng.integers(1, 5)))
        (result,) = sd.differentiable(function).graph(x).ir.block.results
        low, high = range_of(result)
        value = np.asarray(function(x))
        told += (low, high) != (-math.inf, math.inf)
        assert np.all((low <= value) & (value <= high) | np.isnan(value))
    assert told > 50


def distances(x):
    return np.sum(np.sqrt((x[1:] - x[:-1]) ** 2 + 1e-6))


def logarithms(x):
    return np.sum(np.log(1.0 + x * x) * np.where(x > 0.5, x, 2.0) / (2.0 + np.cos(x)))


def inverse_roots(x):
    return np.sum((1.0 + np.exp(x)) ** -0.5 + np.cbrt(3.0 - np.tanh(x)))


def angles(x):
    return np.sum(np.arcsin(0.5 * np.sin(x)) + np.arctanh(0.9 * np.cos(x)))


def of_numbers(x):
    s = 0.0
    for k in range(len(x)):
        s += math.sqrt(x[k] ** 2 + 0.5) * math.acos(0.5 * math.tanh(x[k]))
    return s


@pytest.mark.parametrize(
    "function", [distances, logarithms, inverse_roots, angles, of_numbers], ids=lambda f: f.__name__
)
def test_what_is_never_at_a_pole_has_no_mask(function):
    x = np.array([0.0, 0.0, 0.7, -1.3, 4.0])
    text = sd.grad(function).source(x)
    assert "!= 0" not in text
    step = 1e-5
    for direction in np.eye(5):
        slope = sum(
            weight * function(x + shift * step * direction)
            for weight, shift in ((1, -2), (-8, -1), (8, 1), (-1, 2))
        ) / (12 * step)
        assert abs(sd.grad(function)(x) @ direction - slope) < 1e-9
        assert abs(sd.jvp(function, (x,), (direction,))[1] - slope) < 1e-9
    bent = sd.hessian(function)(x)
    ahead, back = (sd.grad(function)(x + shift * step) for shift in (1, -1))
    np.testing.assert_allclose(bent @ np.ones(5), (ahead - back) / (2 * step), atol=1e-7)


def test_a_number_that_is_0_in_single_precision_keeps_its_mask():
    """``x ** 2 + 1e-60`` is 0 at 0 in float32, where the root has no derivative."""
    x = np.array([0.0, 2.0], np.float32)

    def function(x):
        root = np.sqrt(x**2 + 1e-60)
        return np.sum(np.where(x > 1.0, root, 0.0))

    slopes = sd.grad(function)(x)
    assert slopes.dtype == np.float32
    np.testing.assert_array_equal(slopes, [0.0, 1.0])


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_what_is_not_selected_stays_0_at_infinite_and_undefined_numbers():
    x = np.array([math.inf, -math.inf, math.nan, 0.5])

    def function(x):
        return np.sum(np.where(np.isfinite(x), np.sqrt(x**2 + 1.0), 0.0))

    slopes = sd.grad(function)(x)
    np.testing.assert_array_equal(slopes[:3], 0.0)
    assert abs(slopes[3] - 0.5 / math.sqrt(1.25)) < 1e-15


def total_variation(u, weight):
    across = u[1:] - u[:-1]
    return weight * np.sum(np.sqrt(across**2 + 1e-6))


def test_numbers_beside_quotients_meet():
    u = np.array([0.0, 1.0, 1.0, -0.5])
    assert "weight / np.sqrt(across ** 2 + 1e-06) * across" in sd.grad(total_variation).source(
        u, 2.0
    )
    across = np.diff(u)
    expected = 2.0 * across / np.sqrt(across**2 + 1e-6)
    slopes = sd.grad(total_variation)(u, 2.0)
    np.testing.assert_allclose(slopes, -np.diff(expected, prepend=0.0, append=0.0), rtol=1e-14)


def test_the_sum_that_holds_the_largest_is_at_least_one():
    x = np.array([[0.0, -1e308, 3.0], [-np.inf, 2.0, 2.0]])
    for axis, keepdims in ((1, True), (0, True), (None, False)):

        def function(x, axis=axis, keepdims=keepdims):
            e = np.exp(x - np.max(x, axis=axis, keepdims=keepdims))
            return np.sum(e, axis=axis, keepdims=keepdims)

        (result,) = sd.differentiable(function).graph(x).ir.block.results
        assert 0.99 < range_of(result)[0] <= np.min(function(x))

    def across(x):
        return np.sum(np.exp(x - np.max(x, axis=0)), axis=1)

    (result,) = sd.differentiable(across).graph(x[:1] * 1.0).ir.block.results
    assert range_of(result)[0] == 0.0
    (result,) = sd.differentiable(across).graph(x).ir.block.results
    assert range_of(result)[0] == 0.0


def test_a_sum_of_rows_less_the_maxima_of_other_rows_may_be_zero():
    """Without ``keepdims`` the maxima of rows stand beside columns."""
    x = np.array([[-800.0, 0.0], [700.0, 0.0]])

    def function(x):
        return np.sum(np.exp(x - np.max(x, axis=1)), axis=1)

    def along_columns(x):
        return np.sum(np.exp(x - np.max(x, axis=0)), axis=0)

    for given, low in ((function, 0.0), (along_columns, 0.99)):
        (result,) = sd.differentiable(given).graph(x).ir.block.results
        assert low <= range_of(result)[0] <= np.min(given(x))
