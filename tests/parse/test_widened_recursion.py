"""Recursions whose first call is of a known length and those inside of an open one, and arrays of
lists and rows.
"""

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

X = np.array([0.31, 0.74, 1.12, 1.63, 2.05, 2.9])


def folded(x):
    if x.size == 0:
        return x
    found = np.zeros(x.shape)
    found[x < 0] = folded(-x[x < 0])
    found[x >= 0] = x[x >= 0] ** 2
    return found


def test_a_recursion_whose_arguments_are_of_open_length_from_the_second_call_on():
    check(lambda x: folded(np.stack([x[0], -x[1], x[2]])), X)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "made",
    [
        lambda x: np.array([[0, 0.5, 2], x[:3] * 2, [3.0, 4.0, x[5]]]),
        lambda x: np.array([x[:3] ** 2, (1, 2, 3)]),
        lambda x: np.array([[[1, 2, 3], x[:3]], [x[3:], [0.0, 1.0, x[0]]]]),
    ],
)
def test_lists_and_arrays_become_rows_of_one_array(made, dtype):
    if dtype == "float64":
        check(made, X)
    else:
        x = X.astype(dtype)
        value, _ = sd.jvp(made, (x,), (x,))
        np.testing.assert_array_equal(value, made(x))
        assert value.dtype == made(x).dtype


def test_rows_of_different_lengths_are_refused_as_by_numpy():
    with pytest.raises(ValueError, match="inhomogeneous"):
        sd.jvp(lambda x: np.array([[1.0, 2.0], x[:3]]), (X,), (X,))
