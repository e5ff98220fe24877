"""Reductions with ``where=`` and ``initial=``: NumPy's bits and types, both modes to order two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

M = np.array([[0.5, -1.0, 2.0, 0.3], [3.0, 0.7, 1.5, -0.2], [1.1, -2.5, 0.9, 4.0]])
MASK = np.array([[True, False, True, True], [True, True, False, True], [False, True, True, True]])
ROW = MASK[:1]
LONG = np.random.default_rng(4).normal(size=20_000)


def sum_where(x):
    return np.sum(x, where=MASK)


def sum_of_columns(x):
    return x.sum(axis=0, where=MASK, keepdims=True)


def sum_by_a_row(x):
    return np.sum(x, axis=-1, where=ROW)


def prod_where(x):
    return np.prod(x, axis=1, where=MASK)


def mean_where(x):
    return np.mean(x, where=MASK)


def mean_of_columns(x):
    return np.mean(x, axis=0, where=MASK)


def mean_by_a_row(x):
    return np.mean(x, axis=(0, 1), where=ROW, keepdims=True)


def var_where(x):
    return np.var(x, axis=1, where=MASK, ddof=1)


def var_of_all(x):
    return x.var(where=MASK)


def std_where(x):
    return np.std(x, axis=0, where=MASK)


def reduced_where(x):
    return np.add.reduce(x, where=MASK)


def nansum_where(x):
    return np.nansum(x, axis=0, where=MASK, initial=2.0)


SMOOTH = [
    sum_where,
    sum_of_columns,
    sum_by_a_row,
    prod_where,
    mean_where,
    mean_of_columns,
    mean_by_a_row,
    var_where,
    var_of_all,
    std_where,
    reduced_where,
]


@pytest.mark.parametrize("function", [*SMOOTH, nansum_where])
def test_of_what_a_mask_selects(function: Any) -> None:
    check(function, M)
    single = M.astype(np.float32)
    value, pullback = sd.vjp(function, single)
    assert same(value, function(single))
    assert pullback(np.ones_like(value))[0].dtype == np.float32


@pytest.mark.parametrize("function", [f for f in SMOOTH if f is not std_where])
def test_of_complex_numbers(function: Any) -> None:
    def squared(x):
        return np.sum(np.abs(function(x)) ** 2)

    check(squared, M + 1j * M[::-1], order=1)


@pytest.mark.parametrize("function", SMOOTH)
def test_what_is_left_out_may_be_anything(function: Any) -> None:
    mask = np.broadcast_to(ROW if "row" in function.__name__ else MASK, M.shape)
    x = np.where(mask, M, np.nan)
    value, pullback = sd.vjp(function, x)
    assert same(value, function(x))
    expected = sd.vjp(function, M)[1](np.ones_like(value))[0]
    np.testing.assert_array_equal(pullback(np.ones_like(value))[0], expected)
    np.testing.assert_array_equal(expected[~mask], 0.0)
    t = np.where(mask, 1.0, np.nan)
    assert np.all(np.isfinite(sd.jvp(function, (x,), (t,))[1]))


def sum_from(x, a):
    return np.sum(x, initial=a)


def sum_of_columns_from(x, a):
    return np.sum(x, axis=0, initial=a, where=MASK)


def prod_from(x, a):
    return np.prod(x, axis=1, initial=a, where=MASK)


def max_from(x, a):
    return np.max(x, axis=1, initial=a, where=MASK)


def max_of_all_from(x, a):
    return x.max(initial=a)


def min_from(x, a):
    return np.min(x, axis=0, initial=a, keepdims=True)


def reduced_from(x, a):
    return np.maximum.reduce(x, axis=1, initial=a)


@pytest.mark.parametrize(
    "function",
    [sum_from, sum_of_columns_from, prod_from, max_from, max_of_all_from, min_from, reduced_from],
)
@pytest.mark.parametrize("first", [1.8, np.float64(-0.4), 5.0])
def test_from_a_first_value_on(function: Any, first: Any) -> None:
    check(function, M, first, wrt=(0, 1), step=1e-3, order=2 if first == 1.8 else 1)
    single = M.astype(np.float32)
    value, pullback = sd.vjp(function, single, first)
    assert same(value, function(single, first))
    assert np.all(np.isfinite(pullback(np.ones_like(value))[0]))


def test_a_first_value_that_ties_has_its_share() -> None:
    _, pullback = sd.vjp(max_of_all_from, np.array([1.0, 3.0, 3.0]), 3.0)
    for found, expected in zip(pullback(3.0), ([0.0, 1.0, 1.0], 1.0), strict=True):
        np.testing.assert_array_equal(found, expected)


def long_sum(x, m):
    return np.sum(x, where=m)


def long_sum_from(x, m):
    return np.sum(x, initial=0.1) + 0 * np.sum(m)


@pytest.mark.parametrize("function", [long_sum, long_sum_from])
def test_terms_are_added_in_numpys_order(function: Any) -> None:
    mask = LONG > -0.3
    value, pullback = sd.vjp(function, LONG, mask)
    assert same(value, function(LONG, mask))
    np.testing.assert_array_equal(pullback(1.0)[0], mask if function is long_sum else 1.0)


def truths(x):
    chosen = np.any(x > 2.5, axis=0, where=MASK), np.all(x > 0, where=ROW, keepdims=True)
    return np.sum(x**2, axis=0) * chosen[0] + chosen[1]


def test_truth_of_what_a_mask_selects() -> None:
    check(truths, M)


def around(x, m):
    return np.var(x, axis=0, mean=m) + np.std(x, axis=0, mean=m, where=MASK)


def test_spread_around_a_given_mean() -> None:
    check(around, M, np.mean(M, axis=0, keepdims=True), wrt=(0, 1))


def by_argument(x, m):
    return np.sum(x * x, axis=0, where=m) / np.mean(x, where=m)


def test_a_mask_is_an_argument_and_in_a_loop() -> None:
    check(by_argument, M, MASK)
    assert "where=m" in sd.grad(lambda x, m: np.sum(by_argument(x, m))).source(M, MASK)

    def looped(x, m):
        total = 0.0
        for k in range(3):
            x = x * np.sum(x, axis=0, where=m, initial=0.5 * k)
            total += np.max(x, initial=1.0)
        return total

    check(looped, M, MASK, step=1e-3)


def test_types_are_numpys() -> None:
    counts = np.array([[1, 2], [3, 4]], np.int32)
    mask = np.array([True, False])
    for function in (
        lambda x: np.sum(x, where=mask),
        lambda x: np.prod(x, initial=2, axis=0),
        lambda x: np.mean(x, where=mask),
        lambda x: np.var(x, where=mask, axis=1),
        lambda x: np.std(x, where=mask, dtype=np.float32),
        lambda x: np.max(x, where=mask, initial=0),
        lambda x: np.sum(x, where=mask, dtype=np.float32),
        lambda x: np.any(x, where=mask, axis=0),
    ):
        for x in (counts, counts.astype(np.float16), counts.astype(np.float64)[::-1, ::-1], 3.0):
            if np.ndim(x) or function(np.ones((2, 2))).shape == ():
                given = (x,) if np.ndim(x) else (np.float64(x) * np.ones((2, 2)),)
                assert same(sd.differentiable(function).forward(*given)[0], function(*given))


def test_of_no_elements() -> None:
    check(sum_from, np.zeros((0, 3)), 1.5, wrt=(0, 1), order=1)
    check(max_of_all_from, np.zeros(0), 1.5, wrt=(0, 1), order=1)
    check(sum_from, np.array(2.0), 1.5, wrt=(0, 1), order=1)


def test_errors_are_numpys() -> None:
    def without_identity(x):
        return np.max(x, where=MASK)

    def too_large(x):
        return np.sum(x[0], where=MASK)

    for function, message in (
        (without_identity, "does not have an identity"),
        (too_large, "more dimensions|broadcast"),
    ):
        with pytest.raises(ValueError, match=message):
            function(M)
        with pytest.raises(ValueError, match=message):
            sd.grad(function)(M)


def columns_selected(x):
    return np.mean(x.T, axis=-1, where=np.array([True, False, True]))


def test_a_mask_of_known_length_over_a_length_that_only_a_call_tells() -> None:
    x = np.array([[1.5, -0.5], [2.0, 4.0], [0.25, 3.0]])
    value, pullback = sd.vjp(columns_selected, x)
    np.testing.assert_array_equal(value, columns_selected(x))
    np.testing.assert_array_equal(pullback(np.ones(2))[0], [[0.5, 0.5], [0.0, 0.0], [0.5, 0.5]])
    with pytest.raises(ValueError, match="broadcast"):
        sd.vjp(columns_selected, x[:2])
