"""Library functions whose own values stand, inside ``try``: each is attempted as one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg

import symdiff as sd

REGULAR = np.array([[2.0, 1.0], [0.5, 3.0]])
SINGULAR = np.array([[2.0, 1.0], [4.0, 2.0]])


def solved(a: Any) -> Any:
    try:
        return scipy.linalg.solve(a, a.T @ a)
    except np.linalg.LinAlgError:
        return 3.0 * a


def inverted(a: Any) -> Any:
    try:
        x = scipy.linalg.pinv(a, check_finite=False)
    except ValueError as error:
        x = a * len(str(error))
    return x @ x


def in_turns(a: Any) -> Any:
    x = a
    for k in range(3):
        try:
            x = scipy.linalg.solve(a - k * np.eye(2), x)
        except scipy.linalg.LinAlgError:
            x = x + a
    return x


def by_a_helper(a: Any) -> Any:
    def halves(a: Any) -> Any:
        lower, upper = scipy.linalg.lu(a, permute_l=True)
        return scipy.linalg.solve(a, lower) @ upper.T

    try:
        return halves(a @ a)
    except (np.linalg.LinAlgError, TypeError):
        return a * a


def _differences(f: Callable[[Any], Any], a: Any, h: float = 1e-6) -> Any:
    found = np.zeros(a.shape)
    for place in np.ndindex(a.shape):
        step = np.zeros(a.shape)
        step[place] = h
        found[place] = (np.sum(f(a + step)) - np.sum(f(a - step))) / (2 * h)
    return found


@pytest.mark.parametrize("f", [solved, inverted, in_turns, by_a_helper])
def test_where_it_does_not_raise(f: Callable[[Any], Any]) -> None:
    value, gradient = sd.value_and_grad(lambda a: np.sum(f(a)))(REGULAR)
    assert value == np.sum(f(REGULAR))
    np.testing.assert_allclose(gradient, _differences(f, REGULAR), rtol=1e-6, atol=1e-7)
    moved = np.array([[1.0, -2.0], [0.5, 3.0]])
    tangent = sd.jvp(lambda a: np.sum(f(a)), (REGULAR,), (moved,))[1]
    np.testing.assert_allclose(tangent, np.sum(gradient * moved), rtol=1e-9)


def test_where_it_raises() -> None:
    value, gradient = sd.value_and_grad(lambda a: np.sum(solved(a)))(SINGULAR)
    assert value == 27.0
    np.testing.assert_array_equal(gradient, np.full((2, 2), 3.0))
    not_finite = np.array([[np.nan, 1.0], [1.0, 1.0]])
    with pytest.raises(ValueError, match="infs or NaNs"):
        sd.grad(lambda a: np.sum(solved(a)))(not_finite)


def test_second_derivatives() -> None:
    found = sd.hessian(lambda a: np.sum(solved(a)))(REGULAR)
    slopes = sd.grad(lambda a: np.sum(solved(a)))
    for place in np.ndindex(2, 2):
        step = np.zeros((2, 2))
        step[place] = 1e-5
        wanted = (slopes(REGULAR + step) - slopes(REGULAR - step)) / 2e-5
        np.testing.assert_allclose(found[(..., *place)], wanted, rtol=1e-6, atol=1e-7)


def splined(x: Any) -> Any:
    try:
        return scipy.interpolate.CubicSpline(np.arange(len(x)), x)(0.5)
    except ValueError:
        return np.sum(x)


def splined_or_anything(x: Any) -> Any:
    try:
        return scipy.interpolate.CubicSpline(np.arange(len(x)), x)(0.5)
    except:  # noqa: E722
        return np.sum(x)


def masked(x: Any) -> Any:
    try:
        return float(np.ma.masked_where(x > 4.0, x).mean())
    except Exception:
        return 10.0 * x[0]


def logarithm(x: Any) -> Any:
    try:
        return np.sum(scipy.linalg.logm(np.outer(x, x) + np.diag(x)).real)
    except Exception:
        return np.sum(x)


def in_a_helper(x: Any) -> Any:
    def spline(x: Any) -> Any:
        for k in range(12):
            x = np.sin(x) + np.cos(x) / (k + 2.0)
        return scipy.interpolate.CubicSpline(np.arange(len(x)), x)(0.5)

    found = 0.0
    for k in range(2):
        try:
            found = found + spline(x * k)
        except Exception:
            found = found + np.sum(x)
    try:
        return found + spline(x)
    except Exception:
        return found


TAKEN = np.array([1.0, 2.5, 0.5, 3.0, 2.0])
NOT_TAKEN = {"masked": 5.0 + TAKEN, "logarithm": -TAKEN[:2]}


@pytest.mark.parametrize("f", [splined, splined_or_anything, masked, logarithm, in_a_helper])
def test_handlers_are_not_for_what_is_not_taken(f: Callable[[Any], Any]) -> None:
    value, gradient = sd.value_and_grad(f)(TAKEN)
    assert value == f(TAKEN)
    np.testing.assert_allclose(gradient, _differences(f, TAKEN), rtol=1e-5, atol=1e-6)
    with pytest.raises((ValueError, NotImplementedError, sd.errors.UnsupportedCallError)):
        sd.value_and_grad(f)(NOT_TAKEN.get(f.__name__, TAKEN[:3]))


@pytest.mark.parametrize(
    "f",
    [
        lambda a: scipy.linalg.norm(a),
        lambda a: np.sum(scipy.linalg.qr(a)[1]),
        lambda a: np.sum(np.abs(scipy.linalg.svdvals(a))),
    ],
)
def test_numbers_that_are_not_finite(f: Callable[[Any], Any]) -> None:
    def guarded(a: Any) -> Any:
        try:
            return f(a)
        except ValueError:
            return 3.0 * a[0, 0]

    value, gradient = sd.value_and_grad(guarded)(np.array([[2.0, np.inf], [4.0, 2.0]]))
    assert value == 6.0
    np.testing.assert_array_equal(gradient, [[3.0, 0.0], [0.0, 0.0]])
    value, gradient = sd.value_and_grad(guarded)(REGULAR)
    assert value == f(REGULAR)
    np.testing.assert_allclose(gradient, _differences(f, REGULAR), rtol=1e-6, atol=1e-7)
