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
