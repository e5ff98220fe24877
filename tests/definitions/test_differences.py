"""Differences that ``scipy.optimize`` takes of a function, by differences with other steps."""

import numpy as np
import pytest
from scipy import optimize
from scipy.optimize._numdiff import approx_derivative, check_derivative

import symdiff as sd
from tests.definitions.calls import check

X = np.array([1.3, 0.6, -0.4])


def turned(x, c=1.0):
    return np.array([x[0] * np.sin(c * x[1]), x[2] * np.exp(x[0]), c * x[1]])


def slopes(x):
    return np.array(
        [
            [np.sin(x[1]), x[0] * np.cos(x[1]), 0.0],
            [x[2] * np.exp(x[0]), 0.0, np.exp(x[0])],
            [0.0, 1.0, 0.1 * x[0]],
        ]
    )


def total(x, c=1.0):
    return np.sum(c * x**3)


@pytest.mark.parametrize(
    "found",
    [
        lambda x: approx_derivative(turned, x, abs_step=0.1, args=(2.0,)),
        lambda x: approx_derivative(turned, x, "2-point", abs_step=x * 0.1),
        lambda x: approx_derivative(turned, x, "2-point", rel_step=0.1, bounds=(-9.0, 9.0)),
        lambda x: approx_derivative(turned, x, bounds=(x - 0.01, np.inf), abs_step=0.1),
        lambda x: approx_derivative(np.sin, x, "cs"),
        lambda x: approx_derivative(total, x, abs_step=0.1, full_output=True)[0],
        lambda x: approx_derivative(lambda t: np.outer(t, x).ravel(), x[0], abs_step=0.1),
        lambda x: optimize.approx_fprime(x, turned, 0.1),
        lambda x: optimize.approx_fprime(x, total, [0.1, 0.2, 0.3], 2.0),
        lambda x: optimize.check_grad(total, lambda x: 3 * x**2, x, epsilon=0.1),
    ],
)
def test_differences_are_differentiated_as_they_are_taken(found):
    check(found, X)


def test_how_far_a_matrix_of_slopes_is_off():
    found = sd.grad(lambda x: check_derivative(turned, slopes, x))(X)
    np.testing.assert_allclose(found, [0.1 / 1.0, 0.0, 0.0], atol=1e-4)


def test_a_direction_that_is_drawn_is_refused():
    with pytest.raises(sd.UnsupportedCallError, match="direction='random'"):
        sd.grad(lambda x: optimize.check_grad(total, np.cos, x, direction="random"))(X)
