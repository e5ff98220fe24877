"""Zeros stay zero through what was not selected, and ordinary code pays nothing for it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, special

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


# Where both alternatives read a value ------------------------------------------------------------


def quiet(derivative, *args):
    with np.errstate(all="ignore"):
        return derivative(*args)


def masks_in(derivative, *args):
    lines = (line.partition("#")[0] for line in derivative.source(*args).splitlines())
    code = "\n".join(lines)
    return code.count("np.where") + code.count("!= 0")


def test_what_either_alternative_reads_has_no_mask():
    def f(x):
        tail = np.exp(-0.5 * x * x) * (1.0 + x)
        return np.sum(np.where(x >= 0.0, 1.0 - tail, tail))

    x = np.array([-1.5, -0.2, 0.0, 0.7])
    slope = np.exp(-0.5 * x * x) * (1.0 - x * (1.0 + x))
    gradient = sd.differentiable(f).grad
    np.testing.assert_allclose(gradient(x), np.where(x >= 0, -slope, slope), rtol=1e-14)
    assert masks_in(gradient, x) == 1


def test_three_alternatives_by_two_conditions_have_no_mask():
    def f(x):
        u = np.tanh(x) + 2.0
        inner = np.where(x > 1.0, u * u, np.sin(u))
        return np.sum(np.where(x > 0.0, inner, np.exp(u)))

    x = np.array([-1.0, 0.5, 2.0])
    u = np.tanh(x) + 2.0
    slope = np.where(x > 0, np.where(x > 1, 2 * u, np.cos(u)), np.exp(u)) * (1 - np.tanh(x) ** 2)
    np.testing.assert_allclose(sd.grad(f)(x), slope, rtol=1e-14)


def neighbours(x, c):
    root = np.log(x)
    return np.sum(np.where(c, root[1:], root[:-1]))


def across_the_diagonal(x, c):
    root = np.log(x)
    return np.sum(np.where(c, root, root.T))


def by_row_and_by_column(x, c):
    root = np.log(x)
    return np.sum(np.where(c[:, None], root, 0.0)) + np.sum(np.where(~c, root, 0.0))


def of_a_diagonal(x, c):
    root = np.log(x)
    return np.sum(np.where(c, np.diagonal(root), 0.0)) + np.sum(np.where(c, 0.0, root[0]))


@pytest.mark.parametrize(
    ("f", "x", "c", "unread"),
    [
        (neighbours, [0.0, 1.0, 0.0], [True, False], [0, 2]),
        (across_the_diagonal, [[1.0, 4.0], [0.0, 1.0]], [[True, True], [False, True]], [2]),
        (by_row_and_by_column, [[1.0, 0.0], [1.0, 1.0]], [False, True], [1]),
        (of_a_diagonal, [[1.0, 0.0], [1.0, 1.0]], [True, True], [1]),
    ],
)  # fmt: skip
def test_conditions_about_other_elements_are_no_alternatives(f, x, c, unread):
    x, c = np.array(x), np.array(c)
    found = quiet(sd.grad(f), x, c).ravel()
    assert not found[unread].any()
    assert np.isfinite(found).all()


def test_conditions_of_two_turns_are_no_alternatives():
    def f(x, taken):
        root, before, total = np.log(x), np.zeros(2), 0.0
        for k in range(2):
            total = total + np.sum(np.where(taken[k], root, before))
            before = root
            root = np.ones(2)
        return total

    x = np.array([0.0, 4.0])
    taken = np.array([[False, True], [True, False]])
    np.testing.assert_array_equal(quiet(sd.grad(f), x, taken), [0.0, 0.5])


def test_branches_of_two_turns_are_no_alternatives():
    def f(x, taken):
        root, before, total = np.log(x), np.zeros(2), 0.0
        for k in range(2):
            if taken[k]:
                total = total + np.sum(root)
            else:
                last = np.sum(before)
                total = total + last
            before = root * 1.0
            root = np.ones(2)
        return total

    x = np.array([0.0, 4.0])
    np.testing.assert_array_equal(quiet(sd.grad(f), x, np.array([False, True])), [0.0, 0.0])
    assert sd.grad(f)(x[1:].repeat(2), np.array([True, True])).tolist() == [0.25, 0.25]


# One select behind a where ------------------------------------------------------------------------


def test_one_select_stands_where_a_cotangent_leaves_a_run():
    def f(x):
        return np.sum(np.where(x > 0.0, np.tanh(x) * x * np.cos(x * x), 0.0))

    x = np.array([np.nan, -1.0, 0.0, 0.5, 2.0])
    t = np.tanh(x)
    slope = (1 - t * t) * x * np.cos(x * x) + t * np.cos(x * x) - t * x * np.sin(x * x) * 2 * x
    gradient = sd.differentiable(f).grad
    np.testing.assert_allclose(gradient(x), np.where(x > 0, slope, 0.0), rtol=1e-13)
    assert masks_in(gradient, x) == 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (lambda x: np.where(x > 0.0, np.sqrt(x), 0.0), lambda x: 0.5 / np.sqrt(x)),
        (lambda x: np.where(x > 0.0, np.sqrt(x) ** 3, x), lambda x: 1.5 * np.sqrt(x)),
        (lambda x: np.where(x > 0.0, np.exp(np.sqrt(x) * 2.0), 0.0),
         lambda x: np.exp(np.sqrt(x) * 2) / np.sqrt(x)),
        (lambda x: np.where(x <= 0.0, 0.0, np.cbrt(x) * np.sqrt(x)),
         lambda x: 5 / 6 * x ** (-1 / 6)),
    ],
)  # fmt: skip
def test_nothing_warns_of_what_was_not_selected(f, slope):
    x = np.array([0.0, 0.25, 4.0])
    found = sd.grad(lambda x: np.sum(f(x)))(x)
    np.testing.assert_allclose(found[1:], slope(x[1:]), rtol=1e-14)
    assert found[0] in (0.0, 1.0)


def test_selects_of_one_condition_are_joined():
    def f(x, d):
        a = np.abs(x)
        return np.sum(np.where(a <= d, 0.5 * x * x / d, a - 0.5 * d))

    x, d = np.array([-3.0, -0.5, 0.0, 0.25, 2.0]), 0.5
    gradient = sd.differentiable(f).grad
    np.testing.assert_allclose(gradient(x, d), np.clip(x / d, -1, 1), rtol=1e-15)
    by_d = sd.grad(f, argnums=1)(x, d)
    inside = np.abs(x) <= d
    assert by_d == pytest.approx(np.sum(np.where(inside, -0.5 * (x / d) ** 2, -0.5)))


def nested_alike(x, c):
    return np.where(c, np.where(c, np.sin(x), np.log(x)), 0.0)


def nested_apart(x, c):
    return np.where(x > 0, np.where(c, x * np.log(x), 2.0), 0.0)


def read_outside(x, c):
    u = np.sin(x)
    return np.where(c, u * u, 0.0) + u


def same_twice(x, c):
    u = x * x
    return np.where(c, u * x, 0.0) * np.where(c, np.exp(x), 1.0)


def opposite(x, c):
    u = x * x
    return np.where(~c, np.cos(u), 0.0) + np.where(c, u * u, 0.0)


def alike(x, c):
    return np.where(c, x, x) * x


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "f", [nested_alike, nested_apart, read_outside, same_twice, opposite, alike]
)
def test_selects_of_several_wheres(f, dtype):
    x = np.array([0.3, 0.7, 1.5, 2.5], dtype)
    c = np.array([True, False, True, False])

    def total(x, c):
        return np.sum(f(x, c))

    exact = np.imag([f(x.astype(float) + 1e-30j, c)])[0] / 1e-30
    found = sd.grad(total)(x, c)
    assert found.dtype == dtype
    tolerance = {"rtol": 1e-13} if dtype == np.float64 else {"rtol": 2e-5, "atol": 2e-6}
    np.testing.assert_allclose(found, exact, **tolerance)
    if dtype == np.float64:
        slopes = sd.hessian(total)(x, c)
        h = 1e-4
        for k, row in enumerate(slopes):
            step = np.zeros(4)
            step[k] = h
            near = [sd.grad(total)(x + s * step, c) for s in (-2, -1, 1, 2)]
            rate = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * h)
            np.testing.assert_allclose(row, rate, atol=1e-8)


@pytest.mark.parametrize(
    "f",
    [
        lambda x, c: np.where(c, x, np.where(c, 1.0 / x, 2.0 * x)),
        lambda x, c: np.where(c, x, np.where(x < 1.0, 1.0 / (x * x), np.log(x))),
        lambda x, c: np.where(~c, np.where(x < 3.0, x * np.log(x), x), x),
        lambda x, c: np.where(x < 9.0, np.maximum(np.log(x), -1.0), 0.0) + x,
        lambda x, c: np.where(x < 9.0, np.clip(np.log(x) * 2.0, -1.0, 9.0), 0.0) + x,
        lambda x, c: np.where(x < 9.0, np.minimum(1.0 / x, 1.0) ** 2, 0.0) + x,
    ],
)
def test_zeros_of_an_outer_choice_win_in_a_run(f):
    """Where nothing of the first element's partial, which is infinite, is selected."""
    x, c = np.array([0.0, 0.5, 2.0]), np.array([True, False, False])
    with np.errstate(all="ignore"):
        found = sd.grad(lambda x, c: np.sum(f(x, c)))(x, c)
    h = 1e-6
    ahead, behind = f(x[1:] + h, c[1:]), f(x[1:] - h, c[1:])
    np.testing.assert_allclose(found[1:], (ahead - behind) / (2 * h), rtol=1e-8, atol=1e-9)
    assert found[0] == 1.0


def test_second_derivatives_behind_two_choices():
    def f(x, c):
        return np.sum(np.where(c, x, np.where(x < 1.0, 1.0 / (x * x), np.log(x))))

    x, c = np.array([0.0, 0.5, 2.0]), np.array([True, False, False])
    found = quiet(sd.hessian(f), x, c)
    np.testing.assert_allclose(found, np.diag([0.0, 6 / 0.5**4, -1 / 4]))


def test_a_quotient_that_is_there_is_not_taken_apart_in_a_run():
    """Its numerator times the cotangent would be infinite."""

    def f(x, y, z):
        return 1e150 * np.sum(np.where(x > 0.0, (x / y) * z, 0.0))

    x, y, z = np.array([1e200, -1.0]), np.array([1e150, 0.0]), np.array([1e-3, 1.0])
    np.testing.assert_allclose(quiet(sd.grad(f, 2), x, y, z), [1e200, 0.0], rtol=1e-15)


def test_a_negated_number_is_a_condition():
    def f(x, k):
        return np.sum(np.where(np.logical_not(k), np.sin(x) * x, np.log(x)))

    x, k = np.array([0.5, 2.0, 3.0]), np.array([0.0, 2.0, np.nan])
    expected = [np.sin(0.5) + 0.5 * np.cos(0.5), 0.5, 1 / 3]
    np.testing.assert_allclose(sd.grad(f)(x, k), expected, rtol=1e-14)


def _summed_in_turns(x, n):
    y, s = 1 / x, np.sum(x)
    for _ in range(n):
        s = s * np.sum(y)
    return s


def _sum_read_in_turns(x, n):
    y, s = np.sum(1 / x), np.sum(x)
    while n > 0:
        s, n = s * y, n - 1
    return s


def _through_what_is_not_finite(x, n):
    y, s = np.log(x), np.sum(x)
    w = np.exp(y * y)
    for k in range(n):
        for _ in range(k + 1):
            s = s + np.sum(w) * k
    return s


def _read_by_a_function(x, n):
    y, s = x**-0.5, np.sum(x)

    def step(s):
        return s * y[1] + np.mean(y)

    for _ in range(n):
        s = step(s)
    return s


@pytest.mark.parametrize(
    "f",
    [_summed_in_turns, _sum_read_in_turns, _through_what_is_not_finite, _read_by_a_function],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_loop_without_turns_takes_nothing_of_what_it_would_read(f, dtype):
    x = np.array([0.0, 1.0, 2.0], dtype)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(sd.grad(f)(x, 0), np.ones(3, dtype))
        assert sd.jvp(f, (x, 0), (np.ones(3, dtype), None))[1] == 3.0
        np.testing.assert_array_equal(sd.hessian(f)(x, 0), np.zeros((3, 3)))
    x = np.array([0.7, 1.3, 2.0])
    expected = reference.richardson_gradient(f, (x, 2)).value
    np.testing.assert_allclose(sd.grad(f)(x, 2), expected, 1e-7)


def _overwritten_in_an_arm(x, t):
    y, z = np.log(x), x * x
    out = np.zeros(len(x))
    out[:] = y
    if t <= 0:
        out[:] = z
    return np.sum(out)


def _overwritten_in_a_loop(x, t):
    out, k = 1 / x, 0
    while k >= t:
        out[...] = x * x
        k -= 1
    return np.sum(out)


@pytest.mark.parametrize("f", [_overwritten_in_an_arm, _overwritten_in_a_loop])
def test_what_an_arm_or_a_loop_overwrites_as_a_whole_takes_no_part(f):
    x, direction = np.array([0.0, 1.2, 0.7]), np.array([1.0, 2.0, 3.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(sd.grad(f)(x, 0), 2 * x)
        assert sd.jvp(f, (x, 0), (direction, None))[1] == 2 * x @ direction
        np.testing.assert_array_equal(sd.hessian(f)(x, 0), 2 * np.eye(3))
    x = np.array([0.4, 1.2, 0.7])
    expected = reference.richardson_gradient(f, (x, 1)).value
    np.testing.assert_allclose(sd.grad(f)(x, 1), expected, 1e-8)


SINGULAR = {
    "gammaln": 0.0, "gamma": -1.0, "digamma": 0.0, "rgamma": -1.0, "log1p": -1.0, "k0": 0.0,
    "k1e": 0.0, "y0": 0.0, "y1": 0.0, "ker": 0.0, "kerp": 0.0, "berp": 0.0, "cotdg": 0.0,
}  # fmt: skip


def _second_and_in_turns(x, function, n):
    y = function(x)
    s = y[1]
    for _ in range(n):
        s = s * np.sum(y)
    return s


@pytest.mark.parametrize("name", SINGULAR)
def test_an_element_hides_the_poles_of_special_functions(name):
    function, x = getattr(special, name), np.array([SINGULAR[name], 0.5])
    with np.errstate(all="ignore"):
        gradient = sd.grad(_second_and_in_turns)(x, function, 0)
        slope = reference.richardson_gradient(function, (0.5,)).value
        np.testing.assert_allclose(gradient, [0.0, slope], 1e-8)
        tangent = sd.jvp(_second_and_in_turns, (x, function, 0), (np.ones(2), None, None))[1]
    assert tangent == pytest.approx(slope, 1e-8)


# Products that are discarded as a whole -----------------------------------------------------------

PRODUCTS = {
    "outer": (lambda v: np.sum(np.outer(v, v)), 9.0),
    "prod": (lambda v: np.prod(v), 2.0),
    "cumprod": (lambda v: np.cumprod(v)[-1], 2.0),
    "reductions": (lambda v: np.sum(v) * np.max(v), 6.0),
    "matmul": (lambda v: v @ v, 5.0),
    "vdot": (lambda v: np.vdot(v, v) * np.max(v), 10.0),
    "norm": (lambda v: np.linalg.norm(v), 5**0.5),
    "var": (lambda v: np.var(v), 0.25),
    "convolve": (lambda v: np.convolve(v, v)[1], 4.0),
    "einsum": (lambda v: np.einsum("i,i,j->", v, v, v), 15.0),
    "det": (lambda v: np.linalg.det(np.diag(v)), 2.0),
    "polyval": (lambda v: np.polyval(v, v[0]), 3.0),
}
"""Functions of ``[a, 2 a]``; each but the last is ``c a ** p``, which is ``a ** 2 + 2 a``."""
POWERS = {"vdot": 3, "einsum": 3, "norm": 1}


def _by_where(x, product):
    y = product(np.array([1.0, 2.0]) / x)
    return np.where(x > 0, y, 2 * x)


def _by_branch(x, product):
    y = product(np.array([1.0, 2.0]) / x)
    if x > 0:
        return y
    return 2 * x


@pytest.mark.parametrize("f", [_by_where, _by_branch])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_what_is_infinite_take_no_part_where_they_are_discarded(f, name):
    product, factor = PRODUCTS[name]
    with np.errstate(all="ignore"):
        assert sd.grad(f)(0.0, product) == 2.0
        assert sd.jvp(f, (0.0, product), (1.0, None))[1] == 2.0
        assert sd.grad(sd.grad(f))(0.0, product) == 0.0
        assert sd.jvp(sd.grad(f), (0.0, product), (1.0, None))[1] == 0.0
    if name == "polyval":
        first, second = -2 / 0.5**3 - 2 / 0.5**2, 6 / 0.5**4 + 4 / 0.5**3
    else:
        p = POWERS.get(name, 2)
        first, second = -factor * p / 0.5 ** (p + 1), factor * p * (p + 1) / 0.5 ** (p + 2)
    np.testing.assert_allclose(sd.grad(f)(0.5, product), first, 1e-12)
    np.testing.assert_allclose(sd.grad(sd.grad(f))(0.5, product), second, 1e-12)


@pytest.mark.parametrize(
    "reduction", [np.prod, np.linalg.norm, np.var, np.std, np.mean], ids=lambda f: f.__name__
)
def test_a_reduction_along_an_axis_hides_the_others(reduction):
    def f(x):
        v = 1 / x
        return reduction(np.stack([v, 3 * v]), axis=0)[0]

    x, along = np.array([0.5, 0.0]), np.array([1.0, 0.0])
    with np.errstate(all="ignore"):
        found = sd.grad(f)(x)
        tangent = sd.jvp(f, (x,), (along,))[1]
    expected = reference.richardson_gradient(
        lambda a: reduction(np.array([1 / a, 3 / a])), (0.5,)
    ).value
    np.testing.assert_allclose(found, [expected, 0.0], 1e-9)
    np.testing.assert_allclose(tangent, expected, 1e-9)


# What takes some elements only --------------------------------------------------------------------

TAKEN = {
    "maximum": lambda x: np.sum(np.maximum(np.log(x), -1)),
    "minimum": lambda x: np.sum(np.minimum(1 / x, 3)),
    "clip": lambda x: np.sum(np.clip(np.log(x), -1, 3)),
    "fmax": lambda x: np.sum(np.fmax(np.log(x), -1)),
    "fmin": lambda x: np.sum(np.fmin(3, 1 / x)),
    "max": lambda x: np.max(np.log(x)),
    "min": lambda x: np.min(1 / x),
    "max along an axis": lambda x: np.sum(np.max(np.stack([np.log(x), 0 * x - 9]), axis=0)),
    "nanmax": lambda x: np.nanmax(np.log(x)),
    "nanmin": lambda x: np.nanmin(1 / x),
    "median": lambda x: np.median(1 / np.append(x, [1.3, 0.7])),
    "quantile": lambda x: np.quantile(1 / np.append(x, [1.3, 0.7]), 0.4),
    "sum where": lambda x: np.sum(np.log(x), where=x > 0),
    "mean where": lambda x: np.mean(1 / x, where=x > 0),
    "prod where": lambda x: np.prod(1 / x, where=x > 0, initial=2.0),
    "max where": lambda x: np.max(1 / x, where=x > 0, initial=0.1),
    "std where": lambda x: np.std(1 / np.append(x, x + x * x), where=np.append(x, x) > 0),
    "nanmean": lambda x: np.nanmean(np.where(x > 0, 1.0, np.nan) * np.log(x)),
    "nanvar": lambda x: np.nanvar(np.append(np.sqrt(x - 1.0), x)),
    "nanstd": lambda x: np.nanstd(np.append(np.sqrt(x - 1.0), x * x)),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", TAKEN)
def test_elements_that_are_not_taken_have_no_part_in_either_mode(name):
    """The first element's logarithm, reciprocal or root is infinite, or not a number."""
    f, x, direction = TAKEN[name], np.array([0.0, 2.0]), np.array([0.6, -0.8])
    is_kept = name in ("nanvar", "nanstd")
    slope = reference.richardson_gradient(lambda b: f(np.array([0.0, b])), (2.0,)).value
    first = reference.richardson_gradient(lambda a: f(np.array([a, 2.0])), (0.0,)).value
    expected = np.array([first if is_kept else 0.0, slope])
    gradient = sd.grad(f)(x)
    np.testing.assert_allclose(gradient, expected, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(sd.jvp(f, (x,), (direction,))[1], gradient @ direction, 1e-12)
    second = reference.second_directional(f, (x,), (direction,), (direction,), step=0.01).value
    if is_kept:
        found = direction @ sd.hvp(f)(x, direction)
        np.testing.assert_allclose(found, second, rtol=1e-5, atol=1e-6)
        return
    curve = reference.second_directional(
        lambda b: f(np.array([0.0, b])), (2.0,), (1.0,), (1.0,), step=0.01
    ).value
    np.testing.assert_allclose(sd.hessian(f)(x), [[0.0, 0.0], [0.0, curve]], 1e-5, 1e-6)
    twice = sd.jvp(lambda x: sd.jvp(f, (x,), (direction,))[1], (x,), (direction,))[1]
    np.testing.assert_allclose(twice, curve * direction[1] ** 2, 1e-5, 1e-6)


# What a derivative gives, differentiated ----------------------------------------------------------


def _behind_where(inside, x):
    return np.where(x > 0.0, inside(x), 0.0)


def _behind_mask(inside, x):
    y = np.zeros(x.shape)
    y[x > 0.0] = inside(x)[x > 0.0]
    return y


def _behind_branches(inside, x):
    y, computed = np.zeros(x.shape), inside(x)
    for i in range(len(x)):
        if x[i] > 0.0:
            y[i] = computed[i]
    return y


INSIDE = {
    "root": (np.sqrt, [0.5, -0.25, 0.375]),
    "logarithm": (np.log, [1.0, -1.0, 2.0]),
    "power above 1": (lambda x: x**1.5, [1.5, 0.75, -0.375]),
    "product of powers": (lambda x: x**2 * np.power(x, -0.5), [1.5, 0.75, -0.375]),
    "x log x": (lambda x: special.xlogy(x, x), [1.0, 1.0, -1.0]),
    "quotient": (lambda x: 1.0 / x, [-1.0, 2.0, -6.0]),
}


@pytest.mark.filterwarnings("ignore:invalid value|divide by zero:RuntimeWarning")
@pytest.mark.parametrize("behind", [_behind_where, _behind_mask, _behind_branches])
@pytest.mark.parametrize("inside", INSIDE)
def test_what_is_not_selected_stays_zero_in_derivatives_of_derivatives(inside, behind):
    function, at_one = INSIDE[inside]
    x, t = np.array([1.0, -2.0, 0.0]), np.array([2.0, 3.0, 5.0])

    def f(x):
        return behind(function, x)

    def s(x):
        return np.sum(behind(function, x))

    def pushed(t, x):
        return np.sum(sd.jvp(f, (x,), (t,))[1])

    def slope(x):
        return np.sum(sd.grad(s)(x) * t)

    def product(x):
        return np.sum(sd.hvp(s)(x, t))

    first, second, third = at_one[0], at_one[1] * t[0], at_one[2] * t[0]
    expected = np.array([1.0, 0.0, 0.0])
    linear = sd.linearize(f, x)[1]
    found = {
        "vjp": (sd.grad(s)(x), first),
        "transpose": (linear.transpose(np.ones(3))[0], first),
        "gradient by a tangent": (sd.grad(pushed)(np.ones(3), x), first),
        "forward over reverse": (sd.hvp(s)(x, t), second),
        "reverse over reverse": (sd.grad(slope)(x), second),
        "reverse over forward": (sd.grad(lambda x: sd.jvp(s, (x,), (t,))[1])(x), second),
        "transpose of a gradient": (sd.linearize(sd.grad(s), x)[1].transpose(t)[0], second),
        "reverse over both": (sd.grad(product)(x), third),
    }
    for way, (given, number) in found.items():
        np.testing.assert_allclose(given, number * expected, rtol=1e-14, atol=0, err_msg=way)


# What is made in a turn, or runs by rules of its own ----------------------------------------------


def _placed(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = np.log(x[i])
    return out[0] + out[2]


def _listed(x):
    logarithms = [np.log(v) for v in x]
    return logarithms[0] + logarithms[2]


def _masked(x):
    return np.array([np.log(v) for v in x])[x > 0.0].sum()


def _popped(x):
    logarithms = [np.log(v) for v in x]
    logarithms.pop(1)
    logarithms.pop()
    return sum(logarithms)


def _overwritten(x):
    last = 0.0
    for i in range(3):
        last = np.log(x[i])
    return last + np.log(x[0])


@sd.custom_vjp
def _ends(v):
    return v[0] + v[2]


_ends.defvjp(lambda v: (_ends(v), None), lambda _, g: (g * np.array([1.0, 0.0, 1.0, 0.0]),))


def _by_a_rule(x):
    return _ends(np.log(x))


def _by_a_solver(x):
    logarithms = np.log(x)
    return optimize.brentq(lambda t: 2.0 * t - logarithms[0] - logarithms[2], -9.0, 9.0) * 2.0


def _by_turns(x):
    logarithms, total = np.log(x), 0.0
    for i in range(4):
        if i % 2 == 0:
            total = total + logarithms[i]
    return total


@pytest.mark.filterwarnings("ignore:invalid value|divide by zero:RuntimeWarning")
@pytest.mark.parametrize(
    "f",
    [
        *(_placed, _listed, _masked, _popped, _overwritten, _by_a_rule, _by_a_solver),
        *(sd.checkpoint(_by_turns, every=2), sd.checkpoint(_by_turns, budget=2)),
    ],
)
def test_what_is_left_out_of_loops_lists_and_rules_stays_zero(f):
    x = np.array([2.0, 0.0, 4.0, -3.0])
    expected = np.array([0.5, 0.0, 0.25, 0.0])
    np.testing.assert_allclose(sd.grad(f)(x), expected, rtol=1e-9, atol=0)
    slopes = sd.grad(lambda x: np.sum(sd.grad(f)(x)))
    np.testing.assert_allclose(slopes(x), -(expected**2), rtol=1e-9, atol=0)


def test_all_that_loops_and_lists_have_is_read_without_masks():
    def listed(x):
        total = 0.0
        for root in [np.sqrt(v) for v in x]:
            total += root
        return total

    def placed(x):
        out = np.zeros(2)
        out[0] = np.sqrt(x[0])
        out[1] = 1.0 / x[1]
        return out @ out

    def carried(x):
        y = 1.0
        for v in x:
            y = y / v
        return y

    x = np.array([1.0, 4.0])
    assert "!= 0" not in sd.grad(carried).source(x)
    assert sd.grad(placed).source(x).count("!= 0") == 1  # of the root, as everywhere
    assert sd.grad(listed).source(x).count("!= 0") == 1


def some_quotients(s, c, n):
    """Elements of quotients by one number: some, or none, are read."""
    y, total = c / s, 0.0
    for i in range(n):
        total += y[i]
    return total


@pytest.mark.parametrize(
    ("s", "n", "slope"),
    [(2.0, 2, -0.75), (0.0, 0, 0.0), (np.nan, 0, 0.0), (0.0, 1, -np.inf), (np.inf, 2, 0.0)],
)
def test_a_number_that_divides_what_is_left_out_has_a_slope(s, n, slope):
    c = np.array([1.0, 2.0, np.inf, np.nan])
    with np.errstate(all="ignore"):
        found = sd.grad(some_quotients)(np.float64(s), c, n)
        np.testing.assert_array_equal(found, slope)
        assert np.isnan(sd.grad(some_quotients)(np.float64(s), c, 4))


def test_quotients_by_one_number_are_divided_once_for_its_slope():
    text = sd.grad(some_quotients).source(2.0, np.ones(4), 2)
    assert "np.where(" not in text
    assert "strong_dot(y_bar, y)" in text


def of_some_quotients(x, s, n):
    r = x[:n] / s - 1.0
    r[0] = 0.0
    return 0.5 * np.sum(r * r)


def slope_of_some_quotients(x, s, n):
    return sd.grad(of_some_quotients, argnums=1)(x, s, n)


@pytest.mark.parametrize(
    "slope",
    [sd.grad(of_some_quotients, argnums=1), slope_of_some_quotients],
    ids=["transformed again", "called in a function"],
)
def test_a_cotangent_that_happens_to_be_zero_has_a_slope_itself(slope):
    x, s = np.array([2.0, 2.0, 3.0, 4.0]), np.float64(2.0)
    # -Σ (x/s - 1) x/s² over x[1:3], whose derivative is 1/s² - 2 x/s³
    expected = [0.0, -0.25, -0.5, 0.0]
    np.testing.assert_allclose(sd.grad(slope)(x, s, 3), expected, rtol=1e-14)
    for k in range(4):
        along = np.eye(4)[k]
        tangent = sd.jvp(slope, (x, s, 3), (along, 0.0, None))[1]
        assert tangent == pytest.approx(expected[k], rel=1e-14, abs=0.0)


@pytest.mark.parametrize("row", range(3))
def test_products_with_a_mask_are_summed_alike_for_each_of_a_batch(row):
    x = np.array([[2.0, 2.0, 3.0], [1.0, 4.0, 2.0], [5.0, 0.5, 2.0]])
    slopes = sd.vmap(sd.grad(of_some_quotients, argnums=1), in_axes=(0, None, None))(x, 2.0, 3)
    y = x[row, 1:] / 2.0
    assert slopes[row] == pytest.approx(-np.sum((y - 1.0) * y) / 2.0, rel=1e-14)


def shares_of_scaled(q, k, chosen, scale):
    """The sum of squares of the shares that rows of ``k`` have for each row of ``q``."""
    scores = np.where(chosen, scale(q @ k.T, q.shape[1]), -50.0)
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    shares = e / np.sum(e, axis=1, keepdims=True)
    return np.sum(shares * shares)


FINITE_SCALES = [
    lambda s, n: s * n**-0.5,
    lambda s, n: s * (n // 2) ** -0.5,
    lambda s, n: s * (1.0 / (n // 4)) ** 0.5,
    lambda s, n: s * (1.0 / np.sqrt(n)),
    lambda s, n: s / np.sqrt(n // 2),
    lambda s, n: s / math.sqrt(n),
    lambda s, n: s / n,
]
DOUBTFUL_SCALES = [
    lambda s, n: s / (n // 4),
    lambda s, n: s / np.sqrt(n // 4),
    lambda s, n: s * (1.0 / np.sqrt(n // 4)),
    lambda s, n: s * (n - 4.0) ** 0.5,
    lambda s, n: s * np.sqrt(n - 5),
]


@pytest.mark.parametrize("scale", [*FINITE_SCALES, *DOUBTFUL_SCALES])
def test_scales_by_lengths_need_no_mask(scale):
    rng = np.random.default_rng(3)
    q, k, v = rng.normal(size=(3, 6)), rng.normal(size=(4, 6)), rng.normal(size=(3, 6))
    chosen = np.tril(np.ones((3, 4), dtype=bool))

    def f(q, k, chosen):
        return shares_of_scaled(q, k, chosen, scale)

    gradient, h = sd.grad(f), 1e-3
    assert "!= 0" not in gradient.source(q, k, chosen)
    weights = ((1, 672.0), (2, -168.0), (3, 32.0), (4, -3.0))
    slope = sum(w * (f(q + m * h * v, k, chosen) - f(q - m * h * v, k, chosen)) for m, w in weights)
    assert abs(np.sum(gradient(q, k, chosen) * v) - slope / (840.0 * h)) < 1e-10


def test_scales_that_are_infinite_leave_what_is_not_selected():
    def f(q, k, chosen):
        return shares_of_scaled(q, k, chosen, lambda s, n: s / np.sqrt(n // 4))

    q, k = np.ones((2, 3)), np.ones((2, 3))
    with np.errstate(all="ignore"):
        slopes = sd.grad(f)(q, k, np.zeros((2, 2), dtype=bool))
    np.testing.assert_array_equal(slopes, 0.0)


def test_a_number_behind_a_where_is_multiplied_where_that_selects():
    def f(x, c):
        return np.sum(np.where(x > 0.0, c * x, 1.0))

    def residual(x, c, y):
        return np.sum((np.where(x > 0.0, c * x + 1.0, x) - y) ** 2)

    x, y = np.array([2.0, -1.0, 0.0, 3.0]), np.array([5.0, 1.0, -1.0, 2.0])
    assert sd.grad(f, argnums=1)(x, 0.5) == 5.0
    text = str(sd.grad(f, argnums=1).source(x, 0.5))
    assert text.partition("# line")[2].partition("\n")[2].count("np.where") == 1
    assert "!= 0" not in text
    slope = 2.0 * ((0.5 * 2.0 + 1.0 - 5.0) * 2.0 + (0.5 * 3.0 + 1.0 - 2.0) * 3.0)
    assert sd.grad(residual, argnums=1)(x, 0.5, y) == pytest.approx(slope, rel=1e-14)
    second = sd.derivative(lambda c: residual(x, c, y), 2)(0.5)
    assert second == pytest.approx(2.0 * (4.0 + 9.0), rel=1e-14)
    assert sd.grad(f, argnums=1)(np.array([2.0, -np.inf, np.nan]), 0.5) == 2.0
    assert sd.grad(residual, argnums=1)(np.array([2.0, -np.inf]), 0.5, np.zeros(2)) == 8.0


def test_both_factors_of_a_square_meet_before_other_alternatives():
    def f(x, c):
        return np.sum(c * np.where(x > 0.0, x * x, -x))

    x = np.array([2.0, -1.0, 0.0, 3.0])
    np.testing.assert_array_equal(sd.grad(f)(x, 0.5), [2.0, -0.5, -0.5, 3.0])
    assert str(sd.grad(f).source(x, 0.5)).count("np.where") == 2  # one of them in the comment


def leaky(z):
    return np.where(z > 0.0, z, 0.1 * z)


def bent(z):
    return np.where(z > 0.0, z, np.exp(z) - 1.0)


def rooted(z):
    return np.where(z > 0.0, np.sqrt(z), 0.25 * z * z)


def of_layer(layer, x, w, v):
    return np.sum((layer(x @ w) @ v) ** 2)


@pytest.mark.parametrize(
    ("layer", "slope"),
    [
        (leaky, lambda z: 1.0 if z > 0.0 else 0.1),
        (bent, lambda z: 1.0 if z > 0.0 else math.exp(z)),
        (rooted, lambda z: 0.5 / math.sqrt(z) if z > 0.0 else 0.5 * z),
    ],
)
def test_slopes_of_layers_before_a_product_of_matrices(layer, slope):
    rng = np.random.default_rng(4)
    x, w, v = rng.normal(size=(5, 3)), rng.normal(size=(3, 4)), rng.normal(size=(4, 2))
    x[0] = 0.0  # at the kink the other alternative is taken
    with np.errstate(invalid="ignore"):
        found = sd.grad(lambda w: of_layer(layer, x, w, v))(w)
        y_bar = 2.0 * layer(x @ w) @ v @ v.T
    expected = x.T @ (y_bar * np.vectorize(slope)(x @ w))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("layer", [leaky, bent])
def test_a_layer_before_a_product_of_matrices_chooses_once(layer):
    def f(x, w, v):
        return of_layer(layer, x, w, v)

    text = str(sd.differentiable(f).source(np.ones((5, 3)), np.ones((3, 4)), np.ones((4, 2))))
    backward = text.split("def f_backward")[1].splitlines()
    lines = [line for line in backward if not line.strip().startswith("#")]
    assert sum(line.count("np.where") for line in lines) == 1
    assert not any("!= 0" in line for line in lines)


def by_rows(a, x, chosen):
    r = np.log(a) * x
    return np.sum(np.where(chosen[:, np.newaxis], r * r / a, 0.0))


def by_places(a, x, chosen):
    y = a @ x
    return np.sum(np.where(chosen, np.log(y) / y, 0.0))


def slopes_by_rows(a, x, chosen):
    a = np.where(chosen[:, np.newaxis], a, 1.0)
    return np.where(chosen[:, np.newaxis], x**2 * np.log(a) * (2.0 - np.log(a)) / a**2, 0.0)


def slopes_by_places(a, x, chosen):
    y = np.where(chosen, a @ x, 1.0)
    return np.outer(np.where(chosen, (1.0 - np.log(y)) / y**2, 0.0), x)


CONDITIONS_OF_OTHER_LENGTHS = [(by_rows, slopes_by_rows), (by_places, slopes_by_places)]


@pytest.mark.parametrize("rows", [6, 1])
@pytest.mark.parametrize(("f", "slopes"), CONDITIONS_OF_OTHER_LENGTHS)
def test_a_condition_whose_length_has_another_name_needs_one_select_where_it_ends(f, slopes, rows):
    rng = np.random.default_rng(0)
    a, x = rng.uniform(0.5, 2.0, (rows, 4)), rng.uniform(0.5, 2.0, 4)
    chosen = np.arange(rows) % 2 == 1
    a[~chosen] = 0.0  # no logarithm, and nothing to divide by
    gradient = sd.grad(f)
    assert "!= 0" not in gradient.source(a, x, chosen)
    way = rng.uniform(-1.0, 1.0, a.shape) * chosen[:, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):  # as of the function
        found = gradient(a, x, chosen)
        bent = sd.jvp(lambda a: gradient(a, x, chosen), (a,), (way,))[1]
    np.testing.assert_allclose(found, slopes(a, x, chosen), rtol=1e-12)
    step = 1e-20
    wanted = slopes(a + 1j * step * way, x, chosen).imag / step
    np.testing.assert_allclose(bent, wanted, rtol=1e-12)


@pytest.mark.parametrize(("f", "slopes"), CONDITIONS_OF_OTHER_LENGTHS[:1])
def test_a_condition_that_is_longer_decides_about_what_is_repeated(f, slopes):
    a, x = np.array([[0.5, 0.7, 1.5, 0.3]]), np.array([1.0, 2.0, 3.0, 4.0])
    chosen = np.array([True, False, True])
    wanted = np.sum(slopes(np.repeat(a, 3, axis=0), x, chosen), axis=0, keepdims=True)
    np.testing.assert_allclose(sd.grad(f)(a, x, chosen), wanted, rtol=1e-12)
