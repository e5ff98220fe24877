"""Tuples and lists sorted whose order is known at run time only, with arrays and lists in them."""

import numpy as np
import pytest

import symdiff
from tests import reference
from tests.parse.following import follows

X = np.array([3.0, 1.0, 2.0])
TIES = np.array([1.0, 1.0, 2.0])


def arrays_behind_numbers(x):
    kept = [np.ones(3), 2.0 * x, 3.0 * np.ones(3)]
    best = [row for _, row in sorted(zip(x, kept, strict=True))]
    return np.sum(best[0] * x) + best[2][0]


def lists_behind_computed_numbers(x):
    errors, guesses = [], []
    for v in x:
        errors.append(v * v - v)
        guesses.append([v, v + 1.0])
    best = [guess for _, guess in sorted(zip(errors, guesses, strict=True))]
    return best[0][0] * best[1][1]


def as_many_as_are_found(x):
    errors, guesses, k = [], [], 0
    while k < x.size and x[k] > 0.0:
        errors.append(x[k] ** 2 - x[k])
        guesses.append(np.array([x[k], 2.0 * x[k]]))
        k += 1
    best = [guess for _, guess in sorted(zip(errors, guesses, strict=True), reverse=True)]
    return best[0][0] * best[1][1]


def rows_within_rows(x):
    rows = sorted([(v, [v * 2.0, (1.0, v)]) for v in x])
    return rows[0][1][0] * rows[1][0] * rows[2][1][1][1]


FUNCTIONS = [
    arrays_behind_numbers,
    lists_behind_computed_numbers,
    as_many_as_are_found,
    rows_within_rows,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_rows_are_compared_as_python_does(function):
    follows(function, X, X[::-1].copy(), TIES)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_derivatives_follow_the_order(function):
    expected = reference.richardson_gradient(function, (X,)).value
    np.testing.assert_allclose(symdiff.grad(function)(X), expected, rtol=1e-9, atol=1e-10)
    along = np.array([0.3, -0.7, 0.4])
    _, tangent = symdiff.jvp(function, (X,), (along,))
    assert tangent == pytest.approx(float(expected @ along))
