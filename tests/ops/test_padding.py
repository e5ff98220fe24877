"""np.pad with statistics and with several constants: values, types, both modes to order two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

X = np.array([[0.5, -1.0, 2.0, 0.1], [3.0, 0.7, -1.5, 0.4], [1.1, -0.6, 0.2, 2.2]])


def greatest(x, a):
    return np.pad(a * x, ((1, 2), (0, 1)), mode="maximum")


def smallest_of_ends(x, a):
    return np.pad(a * x, 2, mode="minimum", stat_length=((1, 2), (3, 9)))


def average(x, a):
    return np.pad(a * x, (1, 0), mode="mean")


def average_of_ends(x, a):
    return np.pad(a * x, 1, "mean", stat_length=2)


def middle(x, a):
    return np.pad(a * x, 1, mode="median")


def constants(x, a):
    return np.pad(x, ((1, 2), (0, 1)), constant_values=((a, 2.0), (3.0, a**2)))


def two_constants(x, a):
    return np.pad(x, 1, "constant", constant_values=(a, 5.0))


@pytest.mark.parametrize(
    "function",
    [
        greatest,
        smallest_of_ends,
        average,
        average_of_ends,
        middle,
        constants,
        two_constants,
    ],
)
def test_padding(function: Any) -> None:
    check(function, X, 0.7, wrt=(0, 1), step=1e-3)
    check(function, X[::-2, ::2], 0.7, wrt=(0, 1), step=1e-3, order=1)
    for x in (X.astype(np.float32), np.array([[1, 2], [4, 9]]), X[:1]):
        assert same(sd.vjp(function, x, 0.7)[0], function(x, 0.7))


def whole(x):
    return np.pad(x, 1, mode="mean")


def test_means_of_integers_are_rounded() -> None:
    x = np.array([[1, 2], [4, 9]])
    assert same(sd.differentiable(whole).forward(x)[0], whole(x))


def _through_a_view(x: Any, y: Any) -> Any:
    """Where ``y`` lies in C's order, its elements in a row are a view of it, else a copy."""
    row = y.ravel()
    row[1] = 5.0 * x[0, 0]
    return np.sum(y**2)


def constant(x):
    return _through_a_view(x, np.pad(x, 1))


def of_edges(x):
    return _through_a_view(x, np.pad(x, ((1, 2), (0, 3)), mode="edge"))


def wrapped(x):
    return _through_a_view(x, np.pad(x, 1, mode="wrap"))


def reflected(x):
    return _through_a_view(x, np.pad(x, 2, mode="reflect"))


def symmetric(x):
    return _through_a_view(x, np.pad(x, 2, mode="symmetric"))


def of_a_number(x):
    return _through_a_view(x, np.pad(x, 1, constant_values=3.0))


def of_means(x):
    return _through_a_view(x, np.pad(x, 1, mode="mean"))


def unpadded(x):
    return _through_a_view(x, np.pad(x, 0))


PADDINGS = [constant, of_edges, wrapped, reflected, symmetric, of_a_number, of_means, unpadded]
ROWS = np.random.default_rng(3).normal(size=(4, 5))
LAID = {
    "C": ROWS,
    "Fortran's": np.asfortranarray(ROWS),
    "transposed": ROWS.T,
    "strided": np.repeat(ROWS, 2, axis=1)[:, ::2],
    "every other row of Fortran's": np.asfortranarray(np.repeat(ROWS, 2, axis=0))[::2],
    "a row": np.asfortranarray(ROWS[:1]),
}


@pytest.mark.parametrize("laid", LAID)
@pytest.mark.parametrize("function", PADDINGS)
def test_padding_keeps_fortrans_order(function: Any, laid: str) -> None:
    """NumPy lays the result in Fortran's order where the array is contiguous in that, and in C's
    else: what is written through ``ravel`` tells.
    """
    x = LAID[laid]
    if function is reflected and laid == "a row":
        x = np.pad(x, ((0, 2), (0, 0)), mode="edge")
    v = np.random.default_rng(4).normal(size=x.shape)
    value, slope = sd.jvp(function, (x,), (v,))
    assert value == pytest.approx(function(x), rel=1e-14)
    step, order = 1e-6, "F" if x.flags.fnc else "C"
    moved = [function(np.asarray(x + k * step * v, order=order)) for k in (-1, 1)]
    assert slope == pytest.approx((moved[1] - moved[0]) / (2 * step), rel=1e-7, abs=1e-7)
    assert np.sum(sd.grad(function)(x) * v) == pytest.approx(slope, rel=1e-12)


@pytest.mark.parametrize("laid", LAID)
def test_order_a_of_what_is_made_like_an_array(laid: str) -> None:
    def function(x):
        made = np.zeros_like(x, order="A") + 0.0
        return _through_a_view(x, made)

    x = LAID[laid]
    assert sd.jvp(function, (x,), (x,))[0] == function(x)


def powers(x):
    return _through_a_view(x, np.linalg.matrix_power(x, 0))


def by_elements(x):
    return _through_a_view(x, np.vectorize(lambda t: t * t)(x))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("function", [powers, by_elements])
def test_other_functions_keep_the_order_in_memory(function: Any, order: Any) -> None:
    x = np.asarray(ROWS[:4, :4], order=order)
    value, slope = sd.jvp(function, (x,), (x,))
    assert value == function(x)
    moved = [function(np.asarray(x * (1 + step), order=order)) for step in (-1e-6, 1e-6)]
    assert slope == pytest.approx((moved[1] - moved[0]) / 2e-6, rel=1e-7, abs=1e-7)


def test_an_item_of_an_empty_list_is_an_index_error() -> None:
    """Python's own, where an index is known at run time only."""

    def function(x):
        empty: list[float] = []
        return x * empty[int(x)]

    with pytest.raises(IndexError, match="list index out of range"):
        sd.grad(function)(1.5)
