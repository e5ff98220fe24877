"""Interpolation, quadrature, polynomials, convolution, medians, positions, writing functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from symdiff.ops.declare import FUNCTIONS, WRITES
from symdiff.ops.index import index_of
from tests.ops.straightline import check, stage

V = np.array([0.5, -1.0, 2.0, 0.25, -3.0])
W = np.array([1.5, 0.5, -2.0])
M = np.array([[0.5, -1.0, 2.0], [3.0, 0.1, 1.5]])
SQUARE = np.linspace(-1.0, 2.0, 9).reshape(3, 3)
KNOTS = np.array([0.0, 1.0, 1.5, 4.0])


def both(function: Any, *arguments: Any, known: tuple[Any, ...] = (), **keywords: Any) -> None:
    """Arrays and numbers staged; what is ``known`` comes after them, as keywords do."""
    check(
        lambda *xs: FUNCTIONS[function](*xs, *known, **keywords),
        lambda *xs: function(*xs, *known, **keywords),
        *arguments,
    )


def test_trapezoid() -> None:
    both(np.trapezoid, V)
    both(np.trapezoid, V, np.array([0.0, 0.5, 1.0, 2.0, 2.5]))
    both(np.trapezoid, M, dx=0.5, axis=0)
    both(np.trapezoid, M, np.array([0.0, 0.5, 2.0]))
    both(np.trapezoid, np.stack([M, 2 * M]), M)


def test_powers() -> None:
    both(np.vander, V, known=(3,))
    both(np.vander, V, N=4, increasing=True)
    both(np.vander, W.astype("float32"), N=3)
    both(np.vander, np.array([1, 2], "int8"), N=2)


def test_powers_of_fewer_than_none_are_refused() -> None:
    function = sd.grad(lambda x: np.sum(np.vander(x, -1)))
    with pytest.raises(ValueError, match="negative dimensions are not allowed"):
        function(V)


@pytest.mark.parametrize(("rows", "columns"), [(-1, None), (-2, 3), (2, -3), (3, None)])
def test_triangles_of_fewer_than_none_are_empty(rows: int, columns: int | None) -> None:
    def program(x: Any, rows: int, columns: int | None) -> Any:
        made = np.tri(rows, columns)
        return np.sum(made) * x + made.shape[0] * x

    value, slope = sd.value_and_grad(program)(2.0, rows, columns)
    assert value == 2.0 * slope == program(2.0, rows, columns)


def test_a_triangle_of_fewer_than_none_by_its_name() -> None:
    assert sd.grad(lambda x: np.sum(np.tri(-1)) + 3.0 * x + np.tri(-1, 2).shape[1])(1.0) == 3.0


@pytest.mark.parametrize("dtype", ["longdouble", "clongdouble"])
def test_numbers_longer_than_pythons_stay_what_they_are(dtype: str) -> None:
    def program(x: Any, k: int) -> Any:
        number = x.tolist()[k]
        if number.dtype == x.dtype:
            number = number * 2
        return (number * x.item(0) * x[:1].item() * x[-1].item()).real

    x = np.array([1.5, 2.0, 3.0], dtype) + np.array(1, dtype) / 3
    found = sd.differentiable(program)(x, 1)
    assert found == program(x, 1) and found.dtype == np.longdouble
    slopes = sd.grad(program)(x, 1)
    first, second, last = x
    expected = [4 * first * second * last, 2 * first**2 * last, 2 * first**2 * second]
    assert slopes.dtype == x.dtype
    np.testing.assert_allclose(slopes, np.array(expected), rtol=1e-17)


@pytest.mark.parametrize("x", [np.array([0.3, 1.2, 3.0, -1.0, 9.0]), 1.2, np.array([[2.0, 0.5]])])
def test_interp(x: Any) -> None:
    both(np.interp, x, KNOTS, np.array([1.0, 3.0, -1.0, 2.0]))
    both(np.interp, x, KNOTS, np.array([True, False, False, True]))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(("a", "v"), [(V, W), (W, V), (V, V), (V, W.astype(complex) * 1j)])
def test_convolution(mode: str, a: np.ndarray, v: np.ndarray) -> None:
    both(np.convolve, a, v, mode=mode)


@pytest.mark.parametrize(("a", "v"), [(0.7, 1.3), (V, 1.3), (np.float64(0.7), W)])
def test_convolution_with_a_number(a: Any, v: Any) -> None:
    both(np.convolve, a, v)


@pytest.mark.parametrize(
    ("x", "axis"), [(V, None), (W, 0), (V[:4], None), (M, 0), (M, 1), (M, None)]
)
def test_median(x: np.ndarray, axis: int | None) -> None:
    both(np.median, x, axis=axis)
    both(np.median, x.astype("float32"), axis=axis)


def test_blocks() -> None:
    check(
        lambda a, b: FUNCTIONS[np.block]([[a, b], [b, a]]),
        lambda a, b: np.block([[a, b], [b, a]]),
        *(SQUARE, SQUARE + 1.0),
    )
    check(lambda a, b: FUNCTIONS[np.block]([a, b]), lambda a, b: np.block([a, b]), V, W)
    check(
        lambda a, v: FUNCTIONS[np.block]([[1.0, v], [a, SQUARE]]),
        lambda a, v: np.block([[1.0, v], [a, SQUARE]]),
        *(W[:, None].copy(), W),
    )
    check(lambda a, b: FUNCTIONS[np.dstack]((a, b)), lambda a, b: np.dstack((a, b)), M, M)


def test_comparisons_of_arrays() -> None:
    both(np.allclose, V, V + 1e-12)
    check(
        lambda x, y: FUNCTIONS[np.array_equal](x, y * 1.0),
        lambda x, y: np.array_equal(x, y),
        *(1.5, 1.5),
    )


@pytest.mark.parametrize("function", [np.triu_indices, np.tril_indices])
@pytest.mark.parametrize(("n", "keywords"), [(3, {}), (4, {"k": 1}), (3, {"m": 5}), (3, {"k": -1})])
def test_triangle_indices(function: Any, n: int, keywords: dict[str, Any]) -> None:
    both(function, n, **keywords)
    check(lambda: FUNCTIONS[function](n, **keywords), lambda: function(n, **keywords))
    if not keywords:
        check(lambda x: index_of(x, FUNCTIONS[function](3)), lambda x: x[function(3)], SQUARE)


def test_other_positions() -> None:
    check(lambda: FUNCTIONS[np.indices]((2, 3), float), lambda: np.indices((2, 3), float))
    check(lambda: FUNCTIONS[np.unravel_index](3, (2, 3)), lambda: np.unravel_index(3, (2, 3)))
    both(np.triu_indices_from, SQUARE)
    both(np.tril_indices_from, M)
    both(np.diag_indices, 3)
    both(np.diag_indices_from, SQUARE)
    check(
        lambda x: index_of(x, FUNCTIONS[np.ix_]([0, 2], [1])),
        lambda x: x[np.ix_([0, 2], [1])],
        SQUARE,
    )
    check(
        lambda i: FUNCTIONS[np.unravel_index](i, (2, 3)),
        lambda i: np.unravel_index(i, (2, 3)),
        np.array([4, 1]),
    )
    check(
        lambda i, j: FUNCTIONS[np.ravel_multi_index]((i, j), (2, 3)),
        lambda i, j: np.ravel_multi_index((i, j), (2, 3)),
        *(np.array([1, 0]), np.array([2, 2])),
    )


TWICE = np.array([0, 2, 0])


PAIRS = ([0, 1, 0], [1, 1, 1])


@pytest.mark.parametrize(
    ("function", "call", "arguments"),
    [
        (np.add.at, lambda f, a, i, v: f(a, i, v), (V, TWICE, W)),
        (np.add.at, lambda f, a: f(a, TWICE, 1.0), (V,)),
        (np.add.at, lambda f, a, v: f(a, PAIRS, v), (M, W)),
        (np.add.at, lambda f, a, v: f(a, slice(1, 3), v), (V, 0.5)),
        (np.subtract.at, lambda f, a, i, v: f(a, i, v), (V, TWICE, W)),
        (np.fill_diagonal, lambda f, a, v: f(a, v), (SQUARE, 0.5)),
        (np.fill_diagonal, lambda f, a, v: f(a, v), (M, W[:2])),
        (np.copyto, lambda f, a, v: f(a, v), (V, V * 2)),
        (np.copyto, lambda f, a, v: f(a, v), (V, 0.5)),
        (np.copyto, lambda f, a, v, m: f(a, v, where=m), (V, V * 2, V > 0)),
        (np.putmask, lambda f, a, m: f(a, m, 0.0), (V, V > 0)),
        (np.put, lambda f, a: f(a, [0, 4], 1.5), (M,)),
        (np.put, lambda f, a, v: f(a, [0, 4, 1, 2], v), (M, W)),
        (np.put, lambda f, a, v: f(a, [0, 4], v), (M, W)),
        (np.put, lambda f, a, v: f(a, [True, False, True], v), (M, W)),
        (np.put, lambda f, a, v: f(a, True, v), (M, W)),
        (np.putmask, lambda f, a, m, v: f(a, m, v), (M, M > 0, W)),
        (np.putmask, lambda f, a, m, v: f(a, m, v), (M, M > 0, V)),
        (np.fill_diagonal, lambda f, a, v: f(a, v), (SQUARE, W[:2])),
        (np.fill_diagonal, lambda f, a, v: f(a, v), (SQUARE, M)),
        (np.put_along_axis, lambda f, a, i, v: f(a, i, v, 1), (M, np.array([[2], [0]]), 0.5)),
        (np.put_along_axis, lambda f, a, i, v: f(a, i, v, None), (M, np.array([4, 0]), W[:2])),
    ],
)
def test_writes(function: Any, call: Any, arguments: Any) -> None:
    def by_numpy(a: np.ndarray, *others: Any) -> np.ndarray:
        call(function, a, *others)
        return a

    check(lambda *values: call(WRITES[function], *values), by_numpy, *arguments)


def _divided_at(x: Any) -> Any:
    y = x * 2.0
    np.divide.at(y, [0, 0], 2.0)
    return np.sum(y)


def test_writes_that_are_refused() -> None:
    with pytest.raises(UnsupportedCallError, match=r"(?s)divide.*write x\[i\] = \.\.\."):
        sd.grad(_divided_at)(V)
    with pytest.raises(UnsupportedCallError, match="mode='clip'"):
        stage(lambda x, v: WRITES[np.put](x, [0], v, "clip"), V, W)


@pytest.mark.parametrize(
    ("x", "q", "axis"),
    [
        (V, 0.3, None),
        (V, 0.9, 0),
        (V, np.array([0.15, 0.7]), None),
        (M, 0.4, 0),
        (M, 0.45, None),
        (M, np.array([0.3, 0.8]), 1),
        (V.astype("float32"), 0.3, None),
    ],
)
def test_quantiles(x: np.ndarray, q: Any, axis: int | None) -> None:
    both(np.quantile, x, q, axis=axis)
    both(np.percentile, x, q * 100, axis=axis)


def test_the_median_of_a_known_number_of_elements() -> None:
    def middle(a: Any, b: Any) -> Any:
        return np.median(np.array([a, 3.0, b, 1.0]))

    assert sd.grad(middle, (0, 1))(2.0, 9.0) == (0.5, 0.0)
    assert sd.jvp(middle, (2.0, 2.5), (1.0, 3.0)) == (2.25, 2.0)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "uint64"])
def test_subtract_at_of_integers_whose_negatives_wrap(dtype: str) -> None:
    numbers = np.array([1, 0 if dtype == "bool" else np.iinfo(dtype).min, 1], dtype)

    def function(x):
        made = x.copy()
        np.subtract.at(made, [0, 1, 0], numbers)
        return made * x

    x = np.array([0.5, -2.0])
    value, pullback = sd.vjp(function, x)
    np.testing.assert_array_equal(value, function(x))
    less = np.array([2.0, float(numbers[1])])
    np.testing.assert_array_equal(pullback(np.ones(2))[0], 2 * x - less)


def test_interp_has_all_digits_of_both_weights_between_far_knots() -> None:
    knots, x = np.array([-(2.0**63), 0.0, 2.0**63]), np.array([0.5, -2.0, -1.0])
    f = np.array([0.3, 0.7, 0.2])
    by_f = sd.jacobian(lambda f: np.interp(x, knots, f))(f)
    right = [[0.0, 1.0 - 2.0**-64, 2.0**-64], [2.0**-62, 1.0, 0.0], [2.0**-63, 1.0, 0.0]]
    np.testing.assert_allclose(by_f, right, rtol=1e-15)
    tangent = sd.jvp(lambda f: np.interp(x, knots, f), (f,), (np.array([1.0, 0.0, 0.0]),))[1]
    np.testing.assert_allclose(tangent, [0.0, 2.0**-62, 2.0**-63], rtol=1e-15)
