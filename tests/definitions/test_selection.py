"""What is chosen, repeated and spaced."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

X = np.array([[0.5, -1.0, 2.0], [3.0, 0.7, -1.5]])
I = np.array([[0, 1, 1], [1, 0, 0]])  # noqa: E741


def chosen(x, a):
    return np.choose(I, [x**2, a])


def chosen_around(x, a):
    return np.choose(I - 1, (x, a * x), mode="wrap") + np.choose(5 * I, (x, a), mode="clip")


def chosen_into(x, a):
    made = np.zeros((2, 3))
    np.choose(I, (x, a), made)
    again = I.choose([a * x, made])
    np.choose(I, (x, a * a), out=made)
    return made * again


def resized(x, a):
    return np.resize(x**2, (3, 5)) * a + np.resize(a, 1)


def chosen_by_truth(x, a):
    return np.choose(x > 0, [x**2, a])


def resized_from_nothing(x, a):
    return np.resize(x[:0], (2, 3)) + a * x


def rows(x, a):
    first, second, _ = np.unstack(x, axis=1)
    return first * second * a


def spaced(x, a):
    return np.logspace(x[0, 0], a, 4, base=3.0) + np.logspace(0.1, a, 4, endpoint=False)[:, None]


def known(x, a):
    return np.where(np.isin(np.round(x), [2.0, 3.0]), x * a, np.isin(I, (1,), invert=True) * x**2)


def running(x, a):
    first = np.cumulative_prod(x, axis=1, include_initial=True)
    return first + a * np.cumulative_sum(np.ones(3))[:1] + np.cumulative_prod(x[0])[-1]


def sums(x, a):
    return np.cumulative_sum(a * x, axis=0, include_initial=True)


@pytest.mark.parametrize(
    "function",
    [
        chosen,
        chosen_around,
        chosen_into,
        chosen_by_truth,
        resized,
        resized_from_nothing,
        rows,
        spaced,
        known,
        running,
        sums,
    ],
)
def test_of_an_array_and_a_number(function: Any) -> None:
    check(function, X, 0.7, wrt=(0, 1))
    single = X.astype(np.float32)
    assert same(sd.vjp(function, single, 0.7)[0], function(single, 0.7))


def test_errors_are_numpys() -> None:
    with pytest.raises(ValueError, match="invalid entry in choice array"):
        sd.grad(lambda x, k: np.sum(np.choose(k, [x, x**2])))(X, 2 * I)
    with pytest.raises(ValueError, match="more than one dimension"):
        sd.grad(lambda x: np.sum(np.cumulative_prod(x)))(X)
