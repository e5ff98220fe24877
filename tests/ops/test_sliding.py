"""Windows that slide along axes, against NumPy's values and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

windows = np.lib.stride_tricks.sliding_window_view
X = np.array([0.9, 1.7, 0.6, 1.3, 2.1])
TABLE = np.sin(np.arange(12.0)).reshape(3, 4)


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (lambda x: windows(x, 3).prod(axis=1), X),
        (lambda x: windows(x[::-1], (2,)).mean(-1) ** 2, X),
        (lambda x: windows(x, (2, 3)).sum(axis=(2, 3)) ** 2, TABLE),
        (lambda x: windows(x, (2, 2), axis=(1, 1)) ** 2, TABLE),
        (lambda x: np.median(windows(x, 3, 0), axis=-1) * x[0, 0], TABLE),
        (lambda x: windows(x, int(np.sum(x > 1.0))) ** 2, X),
        (lambda x: windows(x, 5) ** 2, X),
        (lambda x: np.array([row @ row for row in windows(x, 2)]), X),
    ],
)
def test_windows(function: Any, x: np.ndarray) -> None:
    check(function, x)


def test_what_is_written_into_the_array_is_seen_through_its_windows() -> None:
    def f(x):
        y = x.copy()
        w = windows(y, 2)
        y[1] = 3.0 * x[0]
        return w[0] * w[1]

    check(f, X)


def test_windows_are_not_written() -> None:
    def f(x):
        w = windows(x * 1.0, 2)
        w[0] = 1.0
        return np.sum(w)

    with pytest.raises((sd.SymdiffError, ValueError), match="read-only"):
        sd.grad(f)(X)
    with pytest.raises(sd.UnsupportedCallError, match="may be written"):
        sd.grad(lambda x: np.sum(windows(x, 2, writeable=True)))(X)


@pytest.mark.parametrize("width", [6, -1])
def test_windows_that_do_not_fit(width: int) -> None:
    with pytest.raises(ValueError, match="window"):
        sd.grad(lambda x: np.sum(windows(x, width)))(X)
    with pytest.raises(ValueError, match="window"):
        sd.grad(lambda x: np.sum(windows(x, width + len(x) - 5)))(X)


def test_a_row_joined_of_arrays_numbers_and_slices() -> None:
    check(lambda x: np.r_[x, 0.5, 1:4, 0:1:5j, x[0] : 2.0 * x[0] : 3j] ** 2, X)
    check(lambda x: np.r_[:3, x], X)


@pytest.mark.parametrize("ufunc", [np.multiply, np.maximum, np.minimum])
@pytest.mark.parametrize("starts", [[0, 3, 1], [2], [0, 0, 4], np.array([1, 1])])
def test_sections(ufunc: Any, starts: Any) -> None:
    check(lambda x: ufunc.reduceat(x, starts) ** 2, X)
    check(lambda x: ufunc.reduceat(np.outer(x, x), starts, axis=1), X)


def test_a_section_that_begins_nowhere() -> None:
    with pytest.raises(IndexError):
        sd.grad(lambda x: np.sum(np.multiply.reduceat(x, [5])))(X)


@pytest.mark.parametrize("width", [1, 2, 4, 5])
def test_what_stands_in_windows_is_added_where_they_overlap(width: int) -> None:
    weights = np.cos(np.arange(float((6 - width) * width))).reshape(6 - width, width)

    def f(x: Any) -> Any:
        return np.sum(weights * windows(x, width))

    by_hand = np.zeros(5)
    for first, row in enumerate(weights):
        for k, weight in enumerate(row):
            by_hand[first + k] += weight
    np.testing.assert_allclose(sd.grad(f)(X), by_hand, rtol=1e-15)
    rows = np.stack([X, 2.0 * X])
    np.testing.assert_allclose(sd.vmap(sd.grad(f))(rows), [by_hand, by_hand], rtol=1e-15)
    single = sd.grad(f)(np.float32(X))
    assert single.dtype == np.float32 and single.flags.c_contiguous


def test_windows_are_added_stretch_by_stretch() -> None:
    text = sd.grad(lambda x: np.sum(windows(x, (2, 3)) ** 3)).source(TABLE)
    assert "add.at" not in text and text.count("added_windows(") == 2
