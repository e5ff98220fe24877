"""Arrays of dtype object that a function makes hold items of any kind."""

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError


def of_several_shapes(x):
    parts = np.empty(2, dtype=object)
    parts[:] = [x, np.array([x, 2.0 * x])]
    first, second = parts
    return first * np.sum(second)


def of_two_axes(x):
    table = np.empty((2, 2), dtype=np.ndarray)
    for i in range(table.shape[0]):
        for j in range(2):
            table[i, j] = np.atleast_1d(x ** (i + j))
    told = table.dtype == object and isinstance(table, np.ndarray) and table.ndim == 2
    return (np.sum(table[1, 1]) + table.tolist()[0][1][0] + table[0, -1][0]) * len(table) * told


def of_zeros(x):
    items = np.zeros(3, dtype=object)
    other = items
    items[1] = x
    other[0] += x * x
    return items[0] * items[1] + items[2] + len(items.copy())


def of_nones_by_columns(x):
    z = np.array([[None] * 2]).T
    y = z.T
    z[1, 0] = x
    y[0, 0] = x * x
    s = z.shape[0] - z.shape[1]
    for row in z:
        z[1][0] = 2.0 * x
        for v in row:
            s = s * v
    return s * z.T[0][1]


def of_nones_beside_numbers(x):
    z = np.array([None, 2.0, x])
    s = sum(v * x for v in z if v is not None)
    z[0] = x
    return s + z[0] * z.copy()[2] * z.size


@pytest.mark.parametrize(
    ("function", "value", "slope", "second"),
    [
        (of_nones_by_columns, 64.0, 128.0, 192.0),  # 4 x**4
        (of_nones_beside_numbers, 20.0, 18.0, 8.0),  # 2 x + 4 x**2
        (of_several_shapes, 12.0, 12.0, 6.0),  # 3 x**2
        (of_two_axes, 16.0, 12.0, 4.0),  # 2 x**2 + 4 x
        (of_zeros, 11.0, 12.0, 12.0),  # x**3 + 3
    ],
)
def test_derivatives_flow_through_items(function, value, slope, second):
    assert function(2.0) == value
    assert sd.value_and_grad(function)(2.0) == (value, slope)
    assert sd.jvp(function, (2.0,), (1.0,)) == (value, slope)
    assert sd.grad(sd.grad(function))(2.0) == second


def test_places_outside_raise_as_in_numpy():
    def f(x):
        items = np.empty(1, dtype=object)
        items[2] = x
        return x

    with pytest.raises(IndexError, match="out of bounds"):
        sd.grad(f)(2.0)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.empty(2, dtype=object) * x),
        lambda x: np.sum(np.zeros(2, dtype=object)) * x,
        lambda x: np.array([None, [x]]) * x,
        lambda x: np.array([[None, x], [x]]) * x,
        lambda x: np.zeros(2, dtype=object)[:1][0] * x,
        lambda x: np.asarray(np.zeros(2, dtype=object), float)[0] * x,
        lambda x: x if np.zeros(1, dtype=object) == 0 else 2.0 * x,
    ],
)
def test_operations_of_all_items_are_refused(function):
    with pytest.raises(UnsupportedCallError):
        sd.grad(function)(2.0)
