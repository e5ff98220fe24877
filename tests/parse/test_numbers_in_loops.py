"""Loops over many floats known one by one: each is one loop where a turn makes numbers only."""

import math

import numpy as np
import pytest

import symdiff
from tests.reference import richardson_gradient

COEFFICIENTS = [0.5 * k + 0.1 for k in range(20)]
WEIGHTS = tuple(0.3 * k - 0.7 for k in range(20))
MIXED = [float(k) if k % 2 else np.float64(k) for k in range(20)]


def slope(function, x):
    return float(richardson_gradient(function, (x,)).value)


def horner(x):
    total = 0.0
    for c in COEFFICIENTS:
        total = total * x + c
    return total


def along_each_other(x):
    total = 0.0
    for c, w in zip(COEFFICIENTS, WEIGHTS, strict=True):
        total = total * x + c * w
    return total


def backwards(x):
    total = 0.0
    for c in reversed(COEFFICIENTS):
        total = total * x + c
    return total * c


def one_inside_another(x):
    total = 0.0
    for w in WEIGHTS:
        for c in COEFFICIENTS:
            total = 0.1 * total * x + w * c
    return total


def left_in_a_turn(x):
    total = 0.0
    for w in WEIGHTS:
        if w * x > 1.0:
            return total * w
        total = total * x + w
    return total + 1.0


def of_computed(x):
    items = [x * k for k in range(20)]
    total = 0.0
    for item in items:
        total = total * x + item
    return total


def by_index(x):
    total = 0.0
    for k in range(20):
        total = total * x + COEFFICIENTS[k] * WEIGHTS[19 - k]
    return total


def by_index_of_computed(x):
    items = [x * k for k in range(20)]
    total = 0.0
    for k in range(len(items)):
        total = total * x + items[k] * items[-k]
    return total


def by_index_that_counts(x):
    total, k = 0.0, 0
    while k < 19:
        total = total * x + COEFFICIENTS[k + 1] * k
        k += 2
    return total


def bound_on_a_path(x):
    total = 0.0
    for c in COEFFICIENTS:
        if x > 0.3:
            term = c * x
        total = total * x + (term if x > 0.3 else c)
    return total


@pytest.mark.parametrize(
    "function",
    [
        horner, along_each_other, backwards, one_inside_another, of_computed, by_index,
        by_index_of_computed, by_index_that_counts, bound_on_a_path,
    ],
)  # fmt: skip
def test_many_numbers_are_gone_over_in_a_loop(function):
    derivative = symdiff.grad(function)
    assert math.isclose(derivative(0.37), slope(function, 0.37), rel_tol=1e-7)
    second = slope(lambda x: derivative(x), 0.37)
    assert math.isclose(symdiff.grad(derivative)(0.37), second, rel_tol=1e-6)
    assert len(str(symdiff.differentiable(function).source(0.37)).splitlines()) < 50


def with_a_list(x):
    made = []
    for w in WEIGHTS:
        made.append(w * x)
    return made[3] * made[-1]


def of_several_types(x):
    total = 0.0
    for c in MIXED:
        total = total * x + c
    return total


def with_integers(x):
    total = np.zeros(20)
    for k, w in enumerate(WEIGHTS):
        total[k] = w * x**k
    return total.sum()


def where_integers_are_needed(x):
    total = np.zeros(20)
    for k in range(20):
        total = total + COEFFICIENTS[k] * np.arange(k, k + 20) * x
        total = total.reshape(20, 1)[:, 0] if k % 2 else total
    return total.sum()


def with_items_written(x):
    items = [x * k for k in range(20)]
    for k in range(1, 20):
        items[k] = items[k] * x + items[k - 1]
    return items[-1]


@pytest.mark.parametrize(
    "function",
    [
        left_in_a_turn, with_a_list, of_several_types, with_integers, where_integers_are_needed,
        with_items_written,
    ],
)  # fmt: skip
def test_turns_that_do_more_are_right_too(function):
    assert math.isclose(symdiff.grad(function)(0.37), slope(function, 0.37), rel_tol=1e-7)


def test_items_of_an_argument_have_derivatives_of_their_own():
    def polynomial(coefficients, x):
        total = 0.0
        for c in coefficients:
            total = total * x + c
        return total

    found = symdiff.grad(polynomial)(COEFFICIENTS, 0.9)
    assert np.allclose(found, [0.9 ** (19 - k) for k in range(20)], rtol=1e-14)


def test_another_number_of_items_is_another_program():
    derivative = symdiff.grad(horner)
    before = derivative(0.5)
    COEFFICIENTS.append(7.0)
    try:
        assert math.isclose(derivative(0.5), slope(horner, 0.5), rel_tol=1e-7)
        assert derivative(0.5) != before
    finally:
        COEFFICIENTS.pop()


def test_an_index_beyond_the_end_raises_as_it_does():
    def beyond(x):
        total = 0.0
        for k in range(21):
            total = total + WEIGHTS[k] * x
        return total

    with pytest.raises(IndexError, match="tuple index out of range"):
        beyond(0.5)
    with pytest.raises(IndexError, match="tuple index out of range"):
        symdiff.grad(beyond)(0.5)


def test_a_name_that_no_turn_has_bound_raises_where_it_is_read():
    def unbound(x):
        total = 0.0
        for c in COEFFICIENTS:
            if x > 1.0:
                term = c * x
            total = total + c * x
        return total + term

    assert math.isclose(symdiff.grad(unbound)(1.5), slope(unbound, 1.5), rel_tol=1e-7)
    with pytest.raises(UnboundLocalError, match="term"):
        symdiff.grad(unbound)(0.5)
