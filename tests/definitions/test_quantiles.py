"""Quantiles by every rule, along several axes, with weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

A = np.random.default_rng(4).normal(size=(2, 5, 3))
HOLES = np.where(A > 1.0, np.nan, A)
W = np.array([0.5, 1.0, 0.25, 2.0, 1.5])
NEAREST = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")
BETWEEN = (
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "median_unbiased",
    "normal_unbiased",
    "midpoint",
    "averaged_inverted_cdf",
)


def nearest(x, q):
    return tuple(np.quantile(x, q, axis=1, method=method) for method in NEAREST)


def between(x, q):
    return tuple(np.quantile(x, q, axis=(0, -1), method=method) for method in BETWEEN)


def of_what_is_present(x, q):
    return tuple(np.nanquantile(x, q, axis=1, method=m) for m in (*NEAREST, *BETWEEN))


def kept(x, q):
    medians = np.median(x, axis=(0, 2), keepdims=True) + np.median(x, keepdims=True)
    return medians * np.percentile(x, 100 * q, keepdims=True)


def weighted(x, q):
    whole = np.quantile(x, q, weights=x**2, method="inverted_cdf")
    lines = np.quantile(x, q, axis=1, weights=W, method="inverted_cdf", keepdims=True)
    return whole, lines, np.nanpercentile(x, 30.0, weights=x**2, method="inverted_cdf")


def written(x, q):
    made = np.zeros((1, 5, 1))
    np.quantile(x, q, axis=(0, 2), out=made, keepdims=True)
    medians = np.zeros(5)
    np.median(x, (0, 2), medians)
    return made[0, :, 0] * medians


@pytest.mark.parametrize(
    "function", [nearest, between, of_what_is_present, kept, weighted, written]
)
@pytest.mark.parametrize("q", [0.43, np.array([0.13, 0.71])])
def test_of_an_array(function: Any, q: Any) -> None:
    if function is written and np.ndim(q):
        q = 0.81
    x = HOLES if function is of_what_is_present else A
    inside = function in (between, kept, written)
    check(function, x, q, wrt=(0, 1) if inside else (0,), step=1e-3, order=2 if inside else 1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("q", [0.3, np.float64(0.3), np.float32(0.7), np.array([0.0, 0.25, 1.0])])
@pytest.mark.one_in(4)
def test_values_and_types_are_numpys(q: Any, dtype: str) -> None:
    x = (4 * A).astype(dtype)
    for function in (nearest, between, weighted):
        assert same(sd.vjp(function, x, q)[0], function(x, q)), function
    if dtype != "int64":
        x[0, 1, 2] = np.nan
        for function in (nearest, between, of_what_is_present):
            assert same(sd.vjp(function, x, q)[0], function(x, q)), function


def test_what_is_not_differentiated_keeps_its_name() -> None:
    source = sd.grad(lambda y, x: y * np.quantile(x, 0.5, method="hazen")).source(1.0, A)
    assert "np.quantile(x, 0.5, method='hazen')" in source


def test_errors_are_numpys() -> None:
    for function, message in (
        (lambda x: np.quantile(x, 0.5, method="middle"), "'middle' is not a valid method"),
        (lambda x: np.quantile(x, 1.5, method="hazen"), r"Quantiles must be in the range \[0, 1\]"),
        (lambda x: np.quantile(x, 0.5, weights=x), "Only method 'inverted_cdf' supports weights"),
        (
            lambda x: np.quantile(x, 0.5, weights=-abs(x), method="inverted_cdf"),
            "Weights must be non-negative",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            sd.grad(function)(A)
    with pytest.raises(sd.UnsupportedCallError, match="a fraction that is a whole number"):
        sd.vjp(lambda x: np.quantile(x, 1, method="hazen"), A)
