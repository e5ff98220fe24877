"""Questions about elements and arrays, and arrays that answer to what is asked of them."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

X = np.array([[0.5, -1.0, 2.0], [3.0, 0.7, -1.5]])
ENDS = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 3.0])


def about_elements(x, ends):
    facts = np.isposinf(ends), np.isneginf(ends), np.isreal(ends), np.iscomplex(ends)
    more = np.iscomplex(ends + 1j), np.isreal(x * 1j), np.isposinf(x[0, 0], out=None)
    return *facts, *more, x


def about_arrays(x, ends):
    same_shape = np.array_equal(ends, ends * 1.0), np.array_equal(ends, 1 * ends, equal_nan=True)
    return *same_shape, np.array_equal(x, ends), x[np.mask_indices(2, np.triu, 1)]


def asked_for(x, ends):
    first = np.asarray_chkfinite(x) * np.astype(x, "float32", copy=False)
    second = np.require(x, requirements="F") + np.require(x, np.float64, ["C", "ALIGNED"])
    return first, second, np.fromiter((t * t for t in x[0]), float), np.fromiter(x[1], float, 2)


@pytest.mark.parametrize("function", [about_elements, about_arrays, asked_for])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_answers_are_numpys(function: Any, dtype: str) -> None:
    x, ends = X.astype(dtype), ENDS.astype(dtype)
    assert same(sd.vjp(function, x, ends)[0], function(x, ends))


def replaced(x, a):
    bad = np.where(x > 1.0, np.inf, np.where(x < -1.2, np.nan, x))
    everywhere = np.nan_to_num(bad, nan=a, posinf=x, neginf=0.0)
    y = bad.copy()
    np.nan_to_num(y, copy=False, nan=2.0, posinf=a)
    return everywhere, y


def replaced_in_parts(x, a):
    bad = x * (1.0 + 1j)
    bad.real = np.where(x > 1.0, np.nan, x)
    bad.imag = np.where(x < 0, np.inf, a * x)
    made = np.nan_to_num(bad, nan=a, posinf=x)
    return made.real, made.imag


@pytest.mark.parametrize("function", [replaced, replaced_in_parts])
def test_what_is_not_finite_is_replaced(function: Any) -> None:
    check(function, X, 0.7, wrt=(0, 1))


@pytest.mark.parametrize("x", [3.0, np.float64(np.nan), np.array(np.inf), ENDS])
def test_what_is_replaced_in_place_where_it_can_be(x: Any) -> None:
    def replaced(x):
        y = x if np.ndim(x) == 0 else 1.0 * x
        return np.nan_to_num(y, copy=None) / 2.0, y

    assert same(sd.vjp(replaced, copy(x))[0], replaced(copy(x)))

    def itself(x):
        return np.nan_to_num(x, copy=False)

    if isinstance(x, np.ndarray):
        assert same(sd.vjp(itself, copy(x))[0], itself(copy(x)))


def test_mistakes_are_numpys() -> None:
    for error, message, function in (
        (ValueError, "infs or NaNs", lambda x: np.asarray_chkfinite(x / 0.0)),
        (ValueError, "too short", lambda x: np.fromiter(x[0], float, 9)),
        (TypeError, "not supported for complex", lambda x: np.isposinf(x * 1j)),
        (sd.UnsupportedCallError, "the requirement 'O'", lambda x: np.require(x, None, "O")),
    ):
        with pytest.raises(error, match=message), np.errstate(all="ignore"):
            sd.grad(lambda x, function=function: np.sum(function(x) * x[0, 0]))(X)


def same_or_first(x, y):
    return np.sum(x * y) if np.array_equal(x, y) else np.sum(x)


@pytest.mark.parametrize("lengths", [(3, 3), (3, 4), (4, 1), (0, 3)])
def test_arrays_of_unlike_lengths_are_not_equal(lengths: tuple[int, int]) -> None:
    x, y = (np.arange(n) + 1.5 for n in lengths)
    expected = y if len(x) == len(y) else np.ones(len(x))
    np.testing.assert_array_equal(sd.grad(same_or_first)(x, y), expected)
