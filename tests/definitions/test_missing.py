"""Medians and quantiles of what is not NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

HOLES = np.array([[0.5, np.nan, 2.0, 0.25], [3.0, 0.7, 1.5, -1.0], [np.nan, 9.0, np.nan, 4.0]])
CUBE = np.random.default_rng(3).normal(size=(2, 3, 4))
CUBE[0, 1, 2] = CUBE[1, 0, :3] = np.nan
FRACTIONS = np.array([[0.3, 0.7], [0.1, 0.6]])


def median(x):
    return np.nanmedian(x)


def median_of_columns(x):
    return np.nanmedian(x, axis=0)


def median_of_planes(x):
    return np.nanmedian(x, axis=(0, -1), keepdims=True)


def median_of_all_kept(x):
    return np.nanmedian(x, keepdims=True)


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (median, HOLES),
        (median, HOLES[0, ::-2]),
        (median, np.array(2.5)),
        (median_of_columns, HOLES),
        (median_of_columns, HOLES.T),
        (median_of_planes, CUBE),
        (median_of_all_kept, HOLES),
    ],
)
def test_medians(function: Any, x: Any) -> None:
    check(function, x, step=1e-3)


def quantile_of_columns(x, q):
    return np.nanquantile(x, q, axis=0)


def quantile_of_planes(x, q):
    return np.nanquantile(x, q, axis=(0, 2), keepdims=True)


def quantile(x, q):
    return np.nanquantile(x, q)


def percentile(x, q):
    return np.nanpercentile(x, 100 * q, axis=-1)


@pytest.mark.parametrize(
    ("function", "x", "q"),
    [
        (quantile, HOLES, 0.4),
        (quantile, HOLES[0], FRACTIONS[0]),
        (quantile, HOLES, FRACTIONS),
        (quantile_of_columns, HOLES, FRACTIONS),
        (quantile_of_planes, CUBE, 0.4),
        (quantile_of_planes, CUBE, FRACTIONS[0]),
        (percentile, HOLES, FRACTIONS[1]),
    ],
)
def test_quantiles(function: Any, x: Any, q: Any) -> None:
    check(function, x, q, wrt=(0, 1), step=1e-3, order=2 if np.ndim(q) == 2 else 1)


def test_what_numpy_itself_orders_by_chance_is_refused() -> None:
    with pytest.raises(
        sd.errors.UnsupportedCallError, match="nanquantile in this form: fractions in"
    ):
        sd.vjp(quantile_of_planes, CUBE, FRACTIONS)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "q", [0, 1, 0.0, 1.0, 0.3, np.float64(0.3), np.float32(0.7), np.array([0, 1]), np.array([0.5])]
)
def test_types_are_numpys(q: Any, dtype: str) -> None:
    x = HOLES.astype(dtype)
    for function in (quantile, quantile_of_columns):
        value, pullback = sd.vjp(function, x, q)
        assert same(value, function(x, q))
        assert pullback(np.ones_like(value))[0].dtype == dtype


def test_a_line_without_numbers_is_nan() -> None:
    x = np.array([[np.nan, 1.0], [np.nan, 3.0]])
    with pytest.warns(RuntimeWarning, match="All-NaN"):
        assert np.isnan(sd.differentiable(median_of_columns)(x)[0])
    value, pullback = sd.vjp(median_of_columns, x)
    np.testing.assert_array_equal(value, [np.nan, 2.0])
    np.testing.assert_array_equal(pullback(np.array([0.0, 1.0]))[0][:, 1], [0.5, 0.5])


@pytest.mark.parametrize("shape", [(0,), (3, 0)])
def test_nothing_has_no_median(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape)
    for function in (median, lambda x: np.nanquantile(x, 0.3)):
        value, pullback = sd.vjp(function, x)
        assert np.isnan(value)
        assert pullback(1.0)[0].shape == shape


def test_errors_are_numpys() -> None:
    with pytest.raises(ValueError, match=r"Quantiles must be in the range \[0, 1\]"):
        sd.grad(quantile)(HOLES, 1.5)
    with pytest.raises(np.exceptions.AxisError):
        sd.grad(lambda x: np.sum(np.nanmedian(x, axis=2)))(HOLES)


def product(x):
    return np.nancumprod(x, axis=1)


def product_of_all(x):
    return np.nancumprod(x)


def sums(x):
    return np.nancumsum(x, axis=0, dtype=np.float64)


@pytest.mark.parametrize("function", [product, product_of_all, sums])
def test_running_totals(function: Any) -> None:
    check(function, HOLES)
    single = HOLES.astype(np.float32)
    assert same(sd.vjp(function, single)[0], function(single))


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
@pytest.mark.parametrize("shape", [(0, 4), (3, 0)])
def test_of_nothing_numpy_takes_the_mean(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape, np.float32)
    functions = (lambda x, q: quantile(x, q), lambda x, q: quantile_of_columns(x, q))
    for q in (0.3, [0.1, 0.5], [[0.0, 1.0]]):
        for function in functions:
            value, pullback = sd.vjp(function, x, np.array(q))
            expected = function(x, np.array(q))
            assert (type(value), value.dtype) == (type(expected), expected.dtype)
            np.testing.assert_array_equal(value, expected, strict=True)
            assert pullback(np.ones_like(value))[0].shape == shape
