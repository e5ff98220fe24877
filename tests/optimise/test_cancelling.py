"""Sums that vanish by algebra: shifts by ``max`` cost nothing; nothing else is taken for zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd

ROWS = np.array([[2.3, 0.8, 2.8, 2.1], [4.0, 2.5, 1.6, 3.1], [1.3, 2.2, 2.9, 0.5]])
WEIGHTS = np.cos(np.arange(12.0)).reshape(3, 4)


def softmax_rows(x: Any, w: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(w * (e / np.sum(e, axis=1, keepdims=True)) ** 2)


def softmax_of_lost_axes(x: Any, w: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1)[:, None])
    return np.sum(w * (e / np.sum(e, axis=1)[..., np.newaxis]) ** 2)


def softmax_of_columns_and_rows(x: Any, w: Any) -> Any:
    e = np.exp(x - np.max(x, axis=0)[None])
    return np.sum(w * e / np.sum(e, axis=0)[None, :])


def divided_by_sums_of_rows_below(x: Any, w: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1)[:, None])
    return np.sum(w[1:] * e[1:] / np.sum(e, axis=1)[:-1, None])


def divided_by_sums_of_a_block(x: Any, w: Any) -> Any:
    e = np.exp(x[:, :3] - np.max(x[:, :3], axis=1)[:, None])
    return np.sum(w[:, :3] * e / np.sum(e, axis=1)[None, :])


def softmax_vector(x: Any, w: Any) -> Any:
    e = np.exp(x - np.max(x))
    return np.sum(w * np.sin(e / np.sum(e)))


def log_sum_exp(x: Any, w: Any) -> Any:
    m = np.max(x, axis=1, keepdims=True)
    return np.sum((m + np.log(np.sum(np.exp(x - m), axis=1, keepdims=True))) ** 2)


def divided_by_its_mean(x: Any, w: Any) -> Any:
    y = x / np.max(x, axis=0, keepdims=True)
    return np.sum(w * (y / np.sum(y, axis=0, keepdims=True)))


def shifted_with_one_more(x: Any, w: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(w * (e / (1.0 + np.sum(e, axis=1, keepdims=True))))


def summed_along_the_other_axis(x: Any, w: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(w * (e / np.sum(e, axis=0, keepdims=True)))


def weighted_sum(x: Any, w: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(e / np.sum(w * w * e, axis=1, keepdims=True))


def one_by_one(x: Any, w: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(w * e / np.sum(e))


LABELS = np.array([2, 0, 2])


def log_sum_exp_of_rows(x: Any, w: Any) -> Any:
    """Sums that lose their axis, which a later statement puts in again."""
    m = np.max(x, axis=1)
    s = np.sum(np.exp(x - m[:, None]), axis=1)
    return np.sum(np.sin(m + np.log(s)) * w[:, 0])


def log_sum_exp_of_columns(x: Any, w: Any) -> Any:
    m = x.max(axis=0)
    return np.sum((m + np.log(np.sum(np.exp(x - m), axis=0))) ** 2)


def cross_entropy(x: Any, w: Any) -> Any:
    x = x - np.max(x, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(x), axis=1)) - x[np.arange(len(x)), LABELS])


def weighted_cross_entropy(x: Any, w: Any) -> Any:
    n = len(x)
    x = x - np.max(x, axis=1, keepdims=True)
    losses = np.log(np.sum(np.exp(x), axis=1)) - x[np.arange(n), LABELS]
    return np.sum(losses * w[:, 1])


def log_softmax(x: Any, w: Any) -> Any:
    x = x - x.max(axis=1, keepdims=True)
    logarithms = x - np.log(np.sum(np.exp(x), axis=1, keepdims=True))
    return -np.mean(logarithms[np.arange(len(x)), LABELS])


def _log_softmax(x: Any) -> Any:
    x = x - x.max(axis=1, keepdims=True)
    return x - np.log(np.sum(np.exp(x), axis=1, keepdims=True))


def policy(x: Any, w: Any) -> Any:
    return -np.mean(_log_softmax(x)[np.arange(len(x)), LABELS] * w[:, 0])


def policy_of_some(x: Any, w: Any) -> Any:
    return -np.mean(_log_softmax(x)[np.arange(2), LABELS[1:]] * w[:2, 0])


def policy_of_one_row(x: Any, w: Any) -> Any:
    return -np.mean(_log_softmax(x)[np.arange(1), LABELS] * w[:, 0])


def two_labels(x: Any, w: Any) -> Any:
    rows = np.arange(len(x))
    x = x - np.max(x, axis=1, keepdims=True)
    return np.sum(2.0 * np.log(np.sum(np.exp(x), axis=1)) - x[rows, LABELS] - x[rows, LABELS - 1])


def other_rows(x: Any, w: Any) -> Any:
    x = x - np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(x), axis=1)) - x[np.array([0, 0, 2]), LABELS])


def some_rows(x: Any, w: Any) -> Any:
    x = x - np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(x), axis=1))) - np.sum(x[np.arange(2), LABELS[:2]])


def rows_from_one(x: Any, w: Any) -> Any:
    x = x - np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(x), axis=1))) - np.sum(x[np.arange(1, 3), LABELS[1:]])


def labels_weigh_more(x: Any, w: Any) -> Any:
    x = x - np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(x), axis=1)) - 1.5 * x[np.arange(len(x)), LABELS])


INVARIANT = [
    softmax_rows,
    softmax_of_lost_axes,
    softmax_of_columns_and_rows,
    softmax_vector,
    divided_by_its_mean,
    weighted_sum,
    log_sum_exp,
    log_sum_exp_of_rows,
    log_sum_exp_of_columns,
    cross_entropy,
    weighted_cross_entropy,
    log_softmax,
    policy,
    two_labels,
]
NOT_INVARIANT = [
    divided_by_sums_of_rows_below,
    divided_by_sums_of_a_block,
    shifted_with_one_more,
    summed_along_the_other_axis,
    one_by_one,
    other_rows,
    some_rows,
    rows_from_one,
    labels_weigh_more,
    policy_of_some,
    policy_of_one_row,
]


def differences(f: Callable[..., Any], x: Any, w: Any) -> Any:
    """Central differences, extrapolated once."""
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = 1.0
        slopes = [(f(x + h * step, w) - f(x - h * step, w)) / (2 * h) for h in (1e-3, 5e-4)]
        gradient[place] = (4.0 * slopes[1] - slopes[0]) / 3.0
    return gradient


def arguments(f: Callable[..., Any]) -> tuple[Any, Any]:
    return (ROWS[0], WEIGHTS[0]) if f is softmax_vector else (ROWS, WEIGHTS)


@pytest.mark.parametrize("f", INVARIANT + NOT_INVARIANT, ids=lambda f: f.__name__)
def test_gradients_are_those_of_differences(f: Callable[..., Any]) -> None:
    x, w = arguments(f)
    np.testing.assert_allclose(sd.grad(f)(x, w), differences(f, x, w), rtol=0, atol=1e-10)
    direction = np.sin(np.arange(x.size, dtype=float)).reshape(x.shape)
    along = differences(lambda t, w: f(x + t[0] * direction, w), np.zeros(1), w)
    assert np.sum(sd.grad(f)(x, w) * direction) == pytest.approx(along[0], abs=1e-10)


@pytest.mark.parametrize("f", INVARIANT, ids=lambda f: f.__name__)
def test_nothing_flows_through_what_cancels(f: Callable[..., Any]) -> None:
    assert "==" not in sd.grad(f).source(*arguments(f))


@pytest.mark.parametrize("f", INVARIANT, ids=lambda f: f.__name__)
def test_second_derivatives_are_those_of_differences(f: Callable[..., Any]) -> None:
    x, w = arguments(f)
    v = np.sin(1.0 + np.arange(x.size, dtype=float)).reshape(x.shape)
    wanted = differences(lambda t, w: np.sum(sd.grad(f)(t, w) * v), x, w)
    np.testing.assert_allclose(sd.hvp(f)(x, w, v), wanted, rtol=0, atol=1e-9)


def test_a_number_over_a_length_is_never_zero() -> None:
    assert "where" not in sd.grad(log_softmax).source(ROWS, WEIGHTS)


def test_rows_of_one_element_and_ties_are_right() -> None:
    column = np.array([[0.4], [1.5]])
    np.testing.assert_array_equal(sd.grad(softmax_rows)(column, WEIGHTS[:2, :1]), 0.0 * column)
    tied = np.zeros((2, 3))
    p = np.full((2, 3), 1 / 3)
    g = 2.0 * WEIGHTS[:2, :3] * p
    wanted = p * (g - np.sum(g * p, axis=1, keepdims=True))
    np.testing.assert_allclose(sd.grad(softmax_rows)(tied, WEIGHTS[:2, :3]), wanted, atol=1e-16)


def test_both_cotangents_of_a_division_share_a_quotient() -> None:
    def ratio(x: Any, y: Any) -> Any:
        return np.sum(np.sin(x / y))

    source = sd.grad(ratio, argnums=(0, 1)).source("float64[n]", "float64[n]")
    assert "t = x / y" in source
    assert "x_bar = np.cos(t) / y" in source
    assert "return x_bar, -(x_bar * t)" in source
    assert sd.grad(lambda x: np.sum(x * x / 3.0 * (x / 3.0)))(np.array([2.0])) == 4.0 / 3.0
    x, y = np.array([0.3, -2.0]), np.array([1.5, 0.7])
    by_x, by_y = sd.grad(ratio, argnums=(0, 1))(x, y)
    np.testing.assert_allclose(by_x, np.cos(x / y) / y, rtol=1e-15)
    np.testing.assert_allclose(by_y, -np.cos(x / y) * x / y**2, rtol=1e-15)


def log_sum_exp(x):
    top = np.max(x, axis=-1)
    return top + np.log(np.sum(np.exp(x - top[..., None]), axis=-1))


def test_a_term_that_others_read_as_well_meets_what_it_is_a_multiple_of() -> None:
    """The shift of ``n * log_sum_exp(x)``: it is not differentiated."""

    def scaled(x, y):
        return np.sum(y) - len(y) * log_sum_exp(x)

    x, y = np.array([0.3, 2.0, -1.0]), np.ones(4)
    gradient = sd.grad(scaled)
    assert "==" not in str(gradient.source(x, y))
    shares = np.exp(x) / np.sum(np.exp(x))
    np.testing.assert_allclose(gradient(x, y), -4.0 * shares, rtol=1e-13)
    second = -4.0 * (np.diag(shares) - np.outer(shares, shares))
    np.testing.assert_allclose(sd.hessian(scaled)(x, y), second, rtol=1e-12, atol=1e-15)
