"""Writing through ``a.flat``."""

import numpy as np
import pytest

import symdiff
from tests.parse.following import follows

X = np.array([[0.1, 0.9, 0.3], [0.7, 0.2, 0.6]])
VALUES = [
    np.array([1.0, 2.0]),
    np.arange(1.0, 4.0),
    np.arange(1.0, 9.0),
    np.arange(1.0, 5.0).reshape(2, 2),
    np.array([5.0]),
    np.array([[5.0]]),
    np.zeros((0, 2)),
    4.0,
    [7.0, 8.0, 9.0, 10.0],
]


def by_a_slice(a, v):
    a.flat[::2] = v


def as_a_whole(a, v):
    a.flat = v


def by_a_mask(a, v):
    a.flat[a.ravel() > 0.5] = v


def by_positions(a, v):
    a.flat[[0, 2, 3]] = v


def by_a_table(a, v):
    a.flat[np.array([[0, 2], [3, 5]])] = v


def at_one_place(a, v):
    a.flat[1] = v


def on_the_diagonal(a, v):
    a.flat[:: np.size(v) + 1] = v


@pytest.mark.parametrize(
    "function",
    [
        by_a_slice,
        as_a_whole,
        by_a_mask,
        by_positions,
        by_a_table,
        at_one_place,
        on_the_diagonal,
    ],
)
def test_values_are_written_in_order_and_again_from_the_first(function):
    follows(function, *((X.copy(), value) for value in VALUES))


def test_the_derivative_of_what_is_written_again():
    def f(x, v):
        a = x.copy()
        a.flat[::2] = v
        return np.sum(a * WEIGHTS)

    WEIGHTS = np.arange(1.0, 7.0).reshape(2, 3)
    by_x, by_v = symdiff.grad(f, argnums=(0, 1))(X, VALUES[0])
    np.testing.assert_array_equal(by_x, [[0.0, 2.0, 0.0], [4.0, 0.0, 6.0]])
    np.testing.assert_array_equal(by_v, [1.0 + 5.0, 3.0])
    tangents = np.zeros_like(X), np.array([1.0, 10.0])
    assert symdiff.jvp(f, (X, VALUES[0]), tangents)[1] == 6.0 + 30.0
    symdiff.check_grads(lambda v: f(X, v * v), (VALUES[0],))
