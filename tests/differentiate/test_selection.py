"""Zeros stay zero through what was not selected, and ordinary code pays nothing for it."""

from __future__ import annotations

import numpy as np
import pytest

import symdiff as sd
from symdiff.differentiate import gradient, jvp, vjp
from symdiff.ops import reduce
from symdiff.ops.arithmetic import greater, isfinite, less, maximum, where
from symdiff.ops.elementary import exp, log, sin, sqrt, square
from symdiff.ops.index import index_of, index_set_of
from tests import reference
from tests.differentiate import programs
from tests.differentiate.building import (
    FLOAT,
    SCALAR,
    VECTOR,
    branch,
    count_of,
    graph_of,
    scalar,
    total,
    value_of,
)

X = np.array([0.0, 2.0, -1.0])


def derivative(program, x=X, *types):
    with np.errstate(all="ignore"):
        return value_of(gradient(graph_of(program, *(types or (VECTOR,))), [0]), x)


def positive(x, value):
    return total(where(greater(x, 0.0), value, 0.0))


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (lambda x: log(x), 0.5),
        (lambda x: sqrt(x), 0.5 / np.sqrt(2)),
        (lambda x: 1.0 / x, -0.25),
        (lambda x: sin(log(x)), np.cos(np.log(2)) / 2),
        (lambda x: log(x) * log(x), np.log(2)),
        (lambda x: exp(1.0 / x) * x, np.exp(0.5) * (1 - 0.5)),
    ],
)
def test_where_hides_what_it_does_not_select(inside, expected):
    found = derivative(lambda x: positive(x, inside(x)))
    np.testing.assert_allclose(found, [0.0, expected, 0.0], rtol=1e-14)


def test_where_hides_infinite_operands():
    def program(x):
        return total(where(isfinite(x), sin(x) * x, 0.0))

    found = derivative(program, np.array([np.inf, 0.5, np.nan]))
    np.testing.assert_allclose(found, [0.0, np.sin(0.5) + 0.5 * np.cos(0.5), 0.0])


def test_branch_hides_what_it_does_not_take():
    def program(x):
        logarithm = log(x)
        return branch(greater(x, 0.0), lambda: logarithm * 2.0, lambda: scalar(0.0))[0]

    assert derivative(program, np.float64(0.0), SCALAR) == 0.0
    assert derivative(program, np.float64(4.0), SCALAR) == 0.5


def test_maximum_hides_the_smaller():
    def program(x):
        return total(maximum(log(x), -1.0))

    found = derivative(program, np.array([0.0, 2.0, 0.1]))
    np.testing.assert_allclose(found, [0.0, 0.5, 0.0])


def test_element_hides_the_others():
    assert derivative(lambda x: index_of(log(x), 1)).tolist() == [0.0, 0.5, 0.0]


def test_write_hides_what_was_there():
    def program(x):
        y = index_set_of(log(x), scalar(1.0), 0)
        return total(index_of(y, slice(0, 2)))

    assert derivative(program).tolist() == [0.0, 0.5, 0.0]


def test_unit_cotangent_asks_for_its_element_only():
    graph = vjp(graph_of(lambda x: log(x), VECTOR), [0])
    with np.errstate(all="ignore"):
        _, x_bar = value_of(graph, X, np.array([0.0, 1.0, 0.0]))
    assert x_bar.tolist() == [0.0, 0.5, 0.0]


def test_cotangent_that_is_not_a_number_stays_so():
    graph = vjp(graph_of(lambda x: positive(x, log(x)), VECTOR), [0])
    with np.errstate(all="ignore"):
        _, x_bar = value_of(graph, X, np.nan)
    assert np.isnan(x_bar[1])


def test_what_is_selected_may_be_infinite():
    found = derivative(lambda x: total(where(less(x, 1.0), sqrt(x), x)))
    assert found[0] == np.inf
    assert found[1] == 1.0


def test_second_order_through_where():
    def program(x):
        return positive(x, log(x) * x)

    graph = jvp(gradient(graph_of(program, VECTOR), [0]), [0])
    with np.errstate(all="ignore"):
        _, rates = value_of(graph, X, np.ones(3))
    np.testing.assert_allclose(rates, [0.0, 0.5, 0.0])


def test_forward_mode_of_a_root_at_rest():
    graph = jvp(graph_of(lambda x: sqrt(x), SCALAR), [0])
    with np.errstate(all="ignore"):
        assert value_of(graph, np.float64(0.0), np.float64(0.0))[1] == 0.0


def softmax(x):
    shifted = exp(x - reduce.max(x, axis=None, keepdims=False))
    return index_of(shifted / total(shifted), 0)


def scaled_stencil(x, h):
    inside = (index_of(x, slice(2, None)) - index_of(x, slice(None, -2))) / (2.0 * h)
    return total(square(index_set_of(x, inside, slice(1, -1))))


@pytest.mark.parametrize(
    ("program", "types"),
    [
        (programs.stencil, (VECTOR,)),
        (programs.recurrence, (VECTOR,)),
        (programs.nested, (VECTOR,)),
        (programs.products_of_neighbours, (VECTOR,)),
        (scaled_stencil, (VECTOR, FLOAT)),
    ],
)
def test_ordinary_code_has_no_masks(program, types):
    f = graph_of(program, *types)
    made = gradient(f, list(range(len(types))))
    allowed = 1 if program is programs.nested else 0  # a carry that one arm overwrites
    assert count_of(made, "strong_multiply") <= allowed
    assert count_of(jvp(f, [0]), "strong_multiply") == 0


def test_softmax_masks_its_quotient_only():
    assert count_of(gradient(graph_of(softmax, VECTOR), [0]), "strong_multiply") <= 2


def test_single_precision_is_kept_beside_a_masked_quotient_of_numbers():
    def spread(u, rate):
        for _ in range(2):
            u = np.where(u > 0.5, u + rate * 0.1 / 0.3 * u, u)
        return np.sum(u * u)

    u = np.linspace(0.1, 1.0, 5, dtype=np.float32)
    gradient = sd.grad(spread)(u, 0.3)
    growth = np.where(u > 0.5, 1.1, 1.0) ** 4
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, 2 * u * growth, rtol=1e-6)


def test_a_second_derivative_of_an_angle_behind_writes_is_right():
    """The masked quotient of a complex cotangent."""
    places = np.array([2, 0, 1])

    def function(x):
        u = x.copy()
        u[places, -2:] += np.sqrt(1.5)
        u[::-1] = u.copy()
        for i in range(x.shape[0]):
            u[-i] = x[i]
        for _ in range(1, 2):
            u[::-1] -= np.angle(1.2 + 1j * u)
            u[0], u[-1] = u[-1] * 1.0, u[0] * 1.0
            v = np.empty_like(u)
            v[:] = (u + x).max()
        return np.sum(np.sum(x * x) + (u**2).sum())

    x, along = np.array([[1.2113], [1.2813], [-0.3797]]), np.array([[0.3], [-0.7], [0.5]])
    found = np.sum(along * sd.jvp(sd.grad(function), (x,), (along,))[1])
    expected = reference.second_directional(function, (x,), (along,), (along,), step=0.01).value
    assert abs(found - expected) < 1e-7 * abs(expected)
