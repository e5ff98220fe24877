"""Reductions: value and type as NumPy's, both modes to order two; ties, zeros; unbroadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Value
from symdiff.ir.types import FLOAT, ArrayType, Size
from symdiff.ops.declare import FUNCTIONS, METHODS
from symdiff.ops.reduce import unbroadcast_to
from symdiff.ops.support import prod_except
from tests.ops.straightline import check, pullback, same, stage

V = np.array([0.5, -1.0, 2.0, 0.25])
M = np.array([[0.5, -1.0, 2.0], [3.0, 0.7, 1.5]])
T = np.arange(24.0).reshape(2, 3, 4) / 7 - 1.3
ONE = np.array([[1.5]])
ZERO_D = np.array(2.5)
CASES = [
    (V, None, False),
    (V, 0, True),
    (M, None, True),
    (M, 0, False),
    (M, -1, True),
    (M, (0, 1), False),
    (T, (0, 2), False),
    (T, (-1, 0), True),
    (T, 1, False),
    (ONE, 0, False),
    (ZERO_D, None, False),
]
SMOOTH = [np.sum, np.mean, np.var, np.std, np.prod, np.max, np.min, np.ptp]
FREE = [np.any, np.all, np.count_nonzero]


@pytest.mark.parametrize("function", SMOOTH)
@pytest.mark.parametrize(("x", "axis", "keepdims"), CASES)
def test_reductions(function: Any, x: np.ndarray, axis: Any, keepdims: bool) -> None:
    if function in (np.var, np.std) and x.size == 1:
        pytest.skip("a spread of one element")
    for dtype in ("float64", "float32"):
        check(
            lambda v: FUNCTIONS[function](v, axis=axis, keepdims=keepdims),
            lambda v: function(v, axis=axis, keepdims=keepdims),
            x.astype(dtype),
            order=2 if dtype == "float64" else 1,
        )


@pytest.mark.parametrize("function", [np.sum, np.mean, np.prod, np.var, np.std])
@pytest.mark.parametrize("axis", [None, 0, (0, 1)])
def test_reductions_of_complex_numbers(function: Any, axis: Any) -> None:
    check(
        lambda v: FUNCTIONS[function](v, axis=axis), lambda v: function(v, axis=axis), M + 1j * M**2
    )


@pytest.mark.parametrize("function", [*SMOOTH, *FREE])
@pytest.mark.parametrize(
    "x", [np.array([[1, 2], [3, 4]], "int32"), np.array([True, False]), 3, 2.5, np.float32(2)]
)
def test_reduced_types_are_numpys(function: Any, x: Any) -> None:
    if function is np.ptp and np.asarray(x).dtype == bool:
        pytest.skip("NumPy has none")
    same(stage(FUNCTIONS[function], x)(x), [function(x)])
    if isinstance(x, np.ndarray):
        same(stage(lambda v: FUNCTIONS[function](v, axis=0), x)(x), [function(x, axis=0)])


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("x", [2.5, np.float64(2.5), ZERO_D])
@pytest.mark.parametrize("function", [np.sum, np.prod, np.max, np.min, np.argmax, np.any])
def test_the_first_axis_of_a_number_is_taken_as_none(function: Any, x: Any, axis: int) -> None:
    check(lambda v: FUNCTIONS[function](v, axis=axis), lambda v: function(v, axis=axis), x)


@pytest.mark.parametrize("axis", [0, (0,), 1])
@pytest.mark.parametrize("function", [np.mean, np.var, np.std])
def test_a_number_has_no_axis_for_averages(function: Any, axis: Any) -> None:
    with pytest.raises(np.exceptions.AxisError):
        function(2.5, axis=axis)
    with pytest.raises(np.exceptions.AxisError):
        stage(lambda v: FUNCTIONS[function](v, axis=axis), 2.5)


@pytest.mark.parametrize("function", [np.argmax, np.argmin])
def test_positions(function: Any) -> None:
    check(lambda v: FUNCTIONS[function](v), function, M)
    check(lambda v: FUNCTIONS[function](v, 0), lambda v: function(v, 0), M)
    check(
        lambda v: FUNCTIONS[function](v, -1, keepdims=True),
        lambda v: function(v, -1, keepdims=True),
        M,
    )


@pytest.mark.parametrize("function", [np.any, np.all, np.count_nonzero])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_truth(function: Any, axis: Any) -> None:
    check(lambda v: FUNCTIONS[function](v, axis=axis), lambda v: function(v, axis=axis), M > 0.6)


@pytest.mark.parametrize("shape", [(0,), (0, 3)])
def test_empty(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape)
    check(FUNCTIONS[np.sum], np.sum, x)
    check(FUNCTIONS[np.prod], np.prod, x)
    for function in (np.sum, np.prod):
        (bar,) = pullback(stage(FUNCTIONS[function], x), [0])(x, np.float64(1.0))
        assert bar.shape == shape
    if len(shape) > 1:
        check(lambda v: FUNCTIONS[np.max](v, axis=1), lambda v: np.max(v, axis=1), x)


@pytest.mark.parametrize("ddof", [1, 2])
@pytest.mark.parametrize("function", [np.var, np.std])
def test_degrees_of_freedom(function: Any, ddof: int) -> None:
    check(lambda v: FUNCTIONS[function](v, ddof=ddof), lambda v: function(v, ddof=ddof), V)
    check(
        lambda v: FUNCTIONS[function](v, axis=-1, correction=ddof),
        lambda v: function(v, axis=-1, correction=ddof),
        M,
    )


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("function", [np.var, np.std])
def test_spread_of_complex_numbers_around_a_real_mean(function: Any) -> None:
    z = np.array([0.5 + 1.0j, -0.3 + 0.2j, 1.1 - 0.7j])
    (bar,) = sd.vjp(lambda z: function(z, dtype=np.float64), z)[1](np.float64(1.0))
    centred = z - np.mean(z.real)
    variance = np.mean(np.abs(centred) ** 2)
    slope = 1.0 if function is np.var else 0.5 / np.sqrt(variance)
    np.testing.assert_allclose(bar, slope * 2 * centred / 3, rtol=1e-14)


def test_std_of_equal_elements_has_derivative_zero() -> None:
    x = np.full(3, 2.0)
    (bar,) = pullback(stage(FUNCTIONS[np.std], x), [0])(x, np.float64(1.0))
    np.testing.assert_array_equal(bar, np.zeros(3))


@pytest.mark.parametrize("function", [np.sum, np.mean, np.prod])
def test_dtype(function: Any) -> None:
    for x, dtype in ((M, "float32"), (M.astype("float32"), "float64"), (np.array([1, 2]), float)):
        check(
            lambda v, d=dtype: FUNCTIONS[function](v, dtype=d),
            lambda v, d=dtype: function(v, dtype=d),
            x,
        )


@pytest.mark.parametrize("zeros", [0, 1, 2, 3])
def test_product_with_zeros_to_order_three(zeros: int) -> None:
    x = np.array([0.5, -1.5, 2.0])
    x[:zeros] = 0.0
    check(FUNCTIONS[np.prod], np.prod, x, order=3)
    check(lambda v: FUNCTIONS[np.prod](v, axis=0), lambda v: np.prod(v, axis=0), np.stack([x, x]).T)


def test_product_except_over_each_choice_of_axes() -> None:
    for axis in (None, 0, (0, 2), (2, 1)):
        expected = np.prod(T, axis=axis, keepdims=True) / T
        np.testing.assert_allclose(prod_except(T, axis=axis), expected)


@pytest.mark.parametrize("function", [np.max, np.min])
def test_ties_split_evenly(function: Any) -> None:
    x = np.array([1.0, 2.0, 2.0, 1.0])
    (bar,) = pullback(stage(FUNCTIONS[function], x), [0])(x, np.float64(1.0))
    np.testing.assert_array_equal(bar, (x == function(x)) / 2)
    y = np.array([[1.0, 1.0], [2.0, 1.0]], "float32")
    (bar,) = pullback(stage(lambda v: FUNCTIONS[function](v, axis=0), y), [0])(y, y[0])
    assert bar.dtype == np.float32
    np.testing.assert_array_equal(bar.sum(axis=0), y[0])


def test_methods_and_ufuncs_reduce() -> None:
    for name in ("sum", "prod", "mean", "std", "var", "max", "min", "any", "all"):
        check(lambda v, n=name: METHODS[n](v, 0), lambda v, n=name: getattr(v, n)(0), M)
    for ufunc in (np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or):
        check(FUNCTIONS[ufunc.reduce], ufunc.reduce, M)
        check(
            lambda v, f=ufunc: FUNCTIONS[f.reduce](v, axis=None),
            lambda v, f=ufunc: f.reduce(v, axis=None),
            M,
        )


def test_missing_numbers_are_left_out() -> None:
    x = np.array([1.0, np.nan, 3.0])
    for function in (np.nansum, np.nanprod):
        same(stage(FUNCTIONS[function], x)(x), [function(x)])
        (bar,) = pullback(stage(FUNCTIONS[function], x), [0])(x, np.float64(1.0))
        assert bar[1] == 0


HOLES = np.array([[1.0, np.nan, 3.0], [2.0, 5.0, np.nan], [0.5, 1.5, 7.0]])


@pytest.mark.parametrize("function", [np.nanmean, np.nanmax, np.nanmin, np.nanvar, np.nanstd])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_reductions_without_nan(function: Any, axis: int | None) -> None:
    """Of full arrays as of others; where there are holes, nothing flows into them."""
    for dtype in ("float64", "float32"):
        check(
            lambda v: FUNCTIONS[function](v, axis=axis),
            lambda v: function(v, axis=axis),
            M.astype(dtype),
            order=2 if dtype == "float64" else 1,
        )
    program = stage(lambda v: FUNCTIONS[function](v, axis=axis), HOLES)
    expected = function(HOLES, axis=axis)
    same(program(HOLES), [expected])
    (bar,) = pullback(program, [0])(HOLES, np.ones_like(expected)[()])
    present = ~np.isnan(HOLES)
    assert np.all(np.isfinite(bar[present]))
    assert np.all(bar[~present] == 0)
    step = np.where(present, 1e-6, 0.0) * np.arange(1.0, 10.0).reshape(3, 3)
    difference = np.sum(function(HOLES + step, axis=axis) - function(HOLES - step, axis=axis))
    np.testing.assert_allclose(np.sum(bar * step), difference / 2, rtol=1e-6)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_logarithm_of_a_sum_of_exponentials(axis: int | None) -> None:
    check(
        lambda v: FUNCTIONS[np.logaddexp.reduce](v, axis=axis),
        lambda v: np.logaddexp.reduce(v, axis=axis),
        M,
    )
    nothing = np.full((2, 2), -np.inf)
    program = stage(lambda v: FUNCTIONS[np.logaddexp.reduce](v, axis=axis), nothing)
    expected = np.logaddexp.reduce(nothing, axis=axis)
    (bar,) = pullback(program, [0])(nothing, np.ones_like(expected)[()])
    np.testing.assert_array_equal(bar, np.zeros((2, 2)))


def test_what_is_not_supported_is_refused() -> None:
    for arguments in ({"initial": 1.0}, {"where": np.array([True] * 4)}):
        with pytest.raises(UnsupportedCallError, match=next(iter(arguments))):
            sd.grad(lambda v, a=arguments: np.nanmax(v, **a))(V)
    with pytest.raises(np.exceptions.AxisError):
        stage(lambda v: FUNCTIONS[np.sum](v, axis=1), V)


# unbroadcast_to ---------------------------------------------------------------------------------


def undone(g: ArrayType, x: ArrayType) -> list[str]:
    """The ops that bring a cotangent of one type to another."""
    with building(Builder()) as b:
        result = unbroadcast_to(Value(g), Value(x))
    assert isinstance(result.type, ArrayType)
    assert result.type.shape == x.shape
    assert result.type.dtype == x.dtype
    return [node.op.name for node in b.nodes if node.op.name not in ("size", "constant")]


def array(*shape: Any, dtype: str = "float64") -> ArrayType:
    return ArrayType(np.dtype(dtype), shape)


N, OPEN = Size("n"), Size("k", 0, open=True)


def test_known_sizes_need_nothing_at_run_time() -> None:
    assert undone(array(N), array(N)) == []
    assert undone(array(3, N), array(N)) == ["sum"]
    assert undone(array(3, N), array(1, N)) == ["sum"]
    assert undone(array(3, N), array(1, 1)) == ["sum"]
    assert undone(array(N, 3), FLOAT) == ["sum"]
    assert undone(array(N, 3), array()) == ["sum"]
    assert undone(array(OPEN), array(OPEN)) == []
    assert undone(array(Size("n", -2)), array(Size("n", -2))) == []


def test_open_sizes_are_tested_once() -> None:
    assert undone(array(N), array(OPEN)) == ["unbroadcast"]
    assert undone(array(N), array(Size("n", -2))) == ["unbroadcast"]
    assert undone(array(4, N, 3), array(OPEN, 1)) == ["sum", "sum", "unbroadcast"]


def test_dtypes_are_brought_back() -> None:
    assert undone(array(N), array(N, dtype="float32")) == ["astype"]
    assert undone(array(N, dtype="complex128"), array(N)) == ["real"]
    assert undone(array(N), array(N, dtype="complex128")) == ["astype"]
    assert undone(array(), FLOAT) == ["as_scalar"]


def test_unbroadcast_sums_where_a_size_is_one_at_run_time() -> None:
    with building(Builder()) as b:
        g, k = Value(array(N, Size("m"))), Value(array(OPEN, Size("l", 0, open=True)))
        result = unbroadcast_to(g, k)
    node = result.node
    assert node is not None
    assert b.nodes[-1] is node
    evaluate = node.op.evaluate
    assert evaluate is not None
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(evaluate(x, 2, 3, shape=()), x)
    np.testing.assert_array_equal(evaluate(x, 1, 3, shape=()), x.sum(0, keepdims=True))
    np.testing.assert_array_equal(evaluate(x, 1, 1, shape=()), x.sum(keepdims=True))
