"""Arrays as sets, and orders by several keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

X = np.array([[0.5, -1.0, 2.0], [3.0, 0.7, -1.5]])
GROUPS = np.array([2, 1, 2, 7, 1, 2])
TIES = np.array([[2.0, 1.0, 2.0], [np.nan, 1.0, np.nan]])


def values(x):
    return np.unique(x**2)


def values_with_nan(x):
    return np.unique_values(np.concatenate((x.ravel(), [np.nan, np.nan])))[:-2]


def groups(x):
    found, first, inverse, counts = np.unique(
        GROUPS, return_index=True, return_inverse=True, return_counts=True
    )
    flat = x.ravel()
    return np.bincount(inverse, flat) / counts * found + flat[first]


def repeated(x):
    u, inverse, counts = np.unique(np.concatenate([x, x]), return_inverse=True, return_counts=True)
    return u[inverse] * counts[0]


def union(x):
    return np.union1d(x, [0.1, 0.2]) * np.union1d(GROUPS, [5, 6, 8, 9, 10])


def difference(x):
    return np.setdiff1d(x**2, [9.5, 3]) + np.setdiff1d([1, 2], GROUPS, assume_unique=True).size


def common(x):
    return np.intersect1d(GROUPS, [2, 1, 3]) * x[:, :2]


def common_with_places(x):
    flat = x.ravel()
    found, first, second = np.intersect1d(GROUPS, [7, 2, 2, 9], return_indices=True)
    chosen = np.intersect1d(GROUPS[3:], [1, 2], assume_unique=True, return_indices=True)
    return flat[first] ** 2 * found + second + flat[chosen[1]] * chosen[2]


def in_one_only(x):
    return np.setxor1d(x**2, [0.3, 7.5]) * np.setxor1d(GROUPS, [2, 5, 4, 3, 6, 1]).size


def by_keys(x):
    return x.ravel()[np.lexsort((x.ravel(), GROUPS))]


@pytest.mark.parametrize(
    "function",
    [
        values,
        values_with_nan,
        groups,
        repeated,
        union,
        difference,
        common,
        common_with_places,
        in_one_only,
        by_keys,
    ],
)
def test_of_an_array(function: Any) -> None:
    check(function, X, step=1e-3)


def counted(x):
    return np.unique(x, return_index=True, return_inverse=True, return_counts=True)


def each(x):
    return np.unique(x)


def apart(x):
    return np.unique(x, equal_nan=False)


@pytest.mark.parametrize("x", [TIES, TIES.astype(np.float32), np.zeros(0), np.array(2.0), GROUPS])
@pytest.mark.parametrize("function", [counted, each, apart])
def test_values_are_numpys(function: Any, x: Any) -> None:
    assert same(sd.vjp(function, x)[0], tuple(function(x)) if function is counted else function(x))


def test_what_is_equal_stands_for_its_first() -> None:
    gradient = sd.vjp(each, np.array([2.0, 1.0, 2.0]))[1](np.array([3.0, 5.0]))[0]
    np.testing.assert_array_equal(gradient, [5.0, 3.0, 0.0])


def test_the_order_of_whole_numbers_is_open() -> None:
    with pytest.raises(sd.UnsupportedCallError, match=r"use np\.unique"):
        sd.grad(lambda x: np.unique_values(GROUPS)[0] * np.sum(x))(X)
