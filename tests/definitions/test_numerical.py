"""Differences on grids, interpolation beyond the knots, products across axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

A = np.random.default_rng(8).normal(size=(4, 5))
V = np.array([0.3, -0.2, 1.7, 0.9, 2.4])
GRID = np.array([0.0, 0.4, 1.1, 1.3, 2.0])
EVEN = np.array([0.5, 1.0, 1.5, 2.0, 2.5])


def slopes(a, v, grid):
    rows, columns = np.gradient(a)
    return rows + columns, np.gradient(v, 0.5), np.gradient(a, axis=-1), np.gradient(v, v[0])


def slopes_on_grids(a, v, grid):
    along = np.gradient(a, 2.0, grid)
    return along[0] + along[1], np.gradient(v, grid), np.gradient(a, grid, axis=1)


def slopes_right_to_the_ends(a, v, grid):
    first = np.gradient(v, v[2], edge_order=2)
    both = np.gradient(a, v[:4] ** 2, grid[2], axis=(0, 1), edge_order=2)
    return first + np.gradient(v, grid, edge_order=2), both[0] - both[1]


@pytest.mark.parametrize("function", [slopes, slopes_on_grids, slopes_right_to_the_ends])
def test_gradient(function: Any) -> None:
    check(function, A, V, GRID, wrt=(0, 1, 2), step=5e-3)
    for args in ((A.astype("float32"), V.astype("float32"), GRID), (A[:, ::-1], V[::-1], EVEN)):
        assert same(sd.vjp(function, *args)[0], function(*args))


def test_gradient_on_a_grid_that_happens_to_be_even() -> None:
    """NumPy reads one step for all: the derivatives are those of each."""

    def middle(grid):
        return np.gradient(V, grid, edge_order=2)[2]

    def formula(grid):
        a, b = grid[2] - grid[1], grid[3] - grid[2]
        return (a * (V[3] - V[2]) / b + b * (V[2] - V[1]) / a) / (a + b)

    for k in range(5):
        shift = np.where(np.arange(5) == k, 1e-4, 0.0)
        expected = (formula(EVEN + shift) - formula(EVEN - shift)) / 2e-4
        np.testing.assert_allclose(sd.grad(middle)(EVEN)[k], expected, atol=1e-7)


def within_and_without(x, knots, values):
    one = np.interp(x, knots, values, left=-1.0, right=values[0])
    return one + np.interp(x, knots, values, right=7)


def around(x, knots, values):
    return np.interp(3 * x, knots, values, period=values[1]), np.interp(x, knots, values, period=-2)


@pytest.mark.parametrize("function", [within_and_without, around])
@pytest.mark.parametrize("x", [A, 2.6, -0.3, np.array(0.9)])
def test_interpolation(function: Any, x: Any) -> None:
    check(function, x, GRID[:-1], V[1:], wrt=(0, 1, 2), step=1e-4)


def parts(z):
    return z.real, z.imag


def test_interpolation_by_one_knot_is_constant() -> None:
    def function(x, knots, values):
        return np.interp(x, knots, values**2)

    check(function, A, GRID[1:2], V[:1], wrt=(0, 1, 2), step=1e-3)


def test_interpolation_of_complex_values() -> None:
    check(
        lambda x, v: parts(np.interp(x, GRID, v + 1j * x, left=1j)), V, A[0], wrt=(0, 1), step=1e-4
    )
    values = np.array([1, 2, 4, 0, 3])
    assert same(
        sd.vjp(lambda x: np.interp(x, GRID, values, left=0), V)[0], np.interp(V, GRID, values, 0)
    )


def differences(a, v):
    return np.ediff1d(a, v[:2], 0.5) * np.ediff1d(a, to_begin=v[:3])


def across(a, v):
    first = np.cross(a[:3], a[1:], axis=0)
    second = np.cross(a[:3], v[:3], axisa=0, axisc=0)
    return first * second + np.linalg.cross(a[:3], a[1:], axis=0)


def averages(a, v):
    mean, total = np.average(a, axis=1, weights=v, returned=True)
    kept = np.average(a, axis=(1, 0), weights=a[:, :].T ** 2, keepdims=True)
    return mean * total, kept, np.average(a) + np.average(v, weights=v**2)


def averages_alone(a, v):
    return np.average(a, axis=0, returned=True)[1] + np.average(v, returned=True)[0]


def taken(a, v):
    wrapped = np.take(v, [7, -9, 2], mode="wrap")
    return wrapped * np.take(a, np.array([[5, -1, 2]]), axis=0, mode="clip")[0, :, :3]


def found(a, v):
    return v[np.searchsorted(v, [0.5, 1.0], sorter=np.argsort(v))] * a[:, :2]


@pytest.mark.parametrize("function", [differences, across, averages, averages_alone, taken, found])
def test_of_two_arrays(function: Any) -> None:
    if function is averages:
        check(lambda a, v: averages(a, v), A[:4, :4], V[:4], wrt=(0, 1), step=5e-3)
        return
    check(function, A, V, wrt=(0, 1), step=5e-3)
    single = A.astype("float32")
    assert same(sd.vjp(function, single, V)[0], function(single, V))


def test_gradient_along_no_axis_is_empty() -> None:
    value, _ = sd.vjp(lambda a: (np.gradient(a, axis=()), np.sum(a)), A)
    assert value == ((), np.sum(A))


def test_errors_are_numpys() -> None:
    for error, message, function in (
        (ZeroDivisionError, "Weights sum to zero", lambda a: np.average(a, weights=a - a)),
        (TypeError, "Axis must be", lambda a: np.average(a, weights=np.ones(3))),
        (ValueError, "too small", lambda a: np.gradient(a[:1])[0]),
        (ValueError, "distances must match", lambda a: np.gradient(a[0], np.ones(3))),
        (ValueError, "period must be", lambda a: np.interp(a, GRID, V, period=0)),
        (ValueError, "clipmode", lambda a: np.take(a, [0], mode="no")),
    ):
        with pytest.raises(error, match=message):
            sd.grad(lambda a, function=function: np.sum(function(a)))(A)
