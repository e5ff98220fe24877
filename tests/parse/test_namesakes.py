"""Variables of one name in several closures, or of an argument's name: lengths of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd

POINT = np.array([0.5, 0.25])
TWO, THREE = np.array([0.3, 0.4]), np.array([0.31, 0.32, 0.35])


def scaling(value: Any) -> Any:
    return lambda s: value * s


def constant(value: Any) -> Any:
    return lambda s: value


def rows_of(x: Any) -> Any:
    return lambda s: np.sum(np.outer(x, s)[-1] * s)


scaled, fixed = scaling(TWO), constant(THREE)
last_row = rows_of(THREE)


def of_two_globals(x: Any) -> Any:
    return np.sum(scaled(x)) * np.sum(fixed(x))


def of_a_list(x: Any) -> Any:
    parts = [part(x) for part in [scaled, fixed]]
    return np.sum(parts[0]) * np.sum(parts[1])


@pytest.mark.parametrize("f", [of_two_globals, of_a_list])
def test_closures_that_hold_arrays_of_one_name(f: Any) -> None:
    slopes = TWO * np.sum(THREE)
    np.testing.assert_allclose(sd.grad(f)(POINT), slopes, rtol=1e-14)
    np.testing.assert_allclose(sd.jvp(f, (POINT,), (POINT,))[1], slopes @ POINT, rtol=1e-14)


def test_a_variable_of_a_closure_has_the_name_of_an_argument() -> None:
    def f(x: Any) -> Any:
        return last_row(x)

    np.testing.assert_allclose(sd.grad(f)(POINT), 2.0 * THREE[-1] * POINT, rtol=1e-14)
    np.testing.assert_allclose(sd.hessian(f)(POINT), 2.0 * THREE[-1] * np.eye(2), rtol=1e-14)


def test_lengths_that_change_later_are_seen_for_each_variable() -> None:
    first, second = [scaling(np.ones(n)) for n in (2, 2)]

    def f(x: Any) -> Any:
        return np.sum(first(x[0])) * np.sum(second(x[1]))

    gradient = sd.grad(f)
    np.testing.assert_allclose(gradient(POINT), 4.0 * POINT[::-1], rtol=1e-14)
    second.__closure__[0].cell_contents = np.ones(5)
    np.testing.assert_allclose(gradient(POINT), 10.0 * POINT[::-1], rtol=1e-14)
