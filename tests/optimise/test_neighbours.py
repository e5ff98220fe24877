"""One function of neighbouring stretches is computed once in derivatives, and they are right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.graph import Graph, walk_nodes
from symdiff.ir.verify import verify
from symdiff.optimise.neighbours import join_neighbours
from symdiff.pipeline import followed

Array = Any
C = np.array([1.0, -2.0, 3.0])
Z = np.sin(np.arange(12.0))


def sigmoid(x: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-x))


def four_of(z: Array, c: Array) -> Array:
    """Of an array that is made so it is known that it is four times as long as another."""
    return np.concatenate((c, c, c, c)) + z


def gates(z: Array, c: Array) -> Any:
    n, z = len(c), four_of(z, c)
    forget, take = sigmoid(z[:n]), sigmoid(z[n : 2 * n])
    put, change = sigmoid(z[2 * n : 3 * n]), np.tanh(z[3 * n :])
    return np.sum(put * np.tanh(forget * c + take * change))


def whole(z: Array, c: Array) -> Any:
    n, z = len(c), four_of(z, c)
    last, first = np.exp(2.0 * z[3 * n :]), np.exp(2.0 * z[:n])
    third, second = np.exp(2.0 * z[2 * n : 3 * n]), np.exp(2.0 * z[n : 2 * n])
    return np.sum(first * second) + np.sum(c * third) - np.sum(last)


def of_rows(z: Array, c: Array) -> Any:
    rows, n = four_of(z, c)[:, None] * C, len(c)
    return np.sum(np.tanh(rows[:n]) * np.tanh(rows[n : 2 * n]))


def longer(z: Array, c: Array) -> Any:
    n, z = len(c), four_of(z, c)
    a, b = np.cosh(z[:n] + 1.0), 3.0 * np.cosh(z[n : 2 * n] + 1.0)
    return np.sum(a * b) + np.sum(np.cosh(z[2 * n : 3 * n] + 1.0))


def in_a_loop(z: Array, c: Array) -> Any:
    n, state = len(c), c
    for _ in range(3):
        x = four_of(z, state)
        state = sigmoid(x[:n]) * state + sigmoid(x[n : 2 * n]) * np.tanh(x[2 * n : 3 * n])
    return np.sum(state * state)


def with_numbers(z: Array, c: Array) -> Any:
    n, s, z = len(c), 0.3, four_of(z, c)
    a = np.exp(z[:n] * s)
    m = 2 * n
    return np.sum(a * np.exp(z[n:m] * s)) + np.sum(np.exp(z[m : m + n] * s) * c)


JOINED: list[tuple[Callable[..., Any], str, int]] = [
    (gates, "exp", 3),
    (whole, "exp", 4),
    (of_rows, "tanh", 2),
    (longer, "cosh", 3),
    (in_a_loop, "exp", 2),
    (with_numbers, "exp", 3),
]


def graph_of(f: Callable[..., Any]) -> Graph:
    return followed(f, ("z", "c"), (Z, C)).graph


def calls_in(graph: Graph, op: str) -> int:
    return sum(node.op.name == op for node in walk_nodes(graph.block))


def by_complex_steps(f: Callable[..., Any], z: Array) -> Array:
    """The gradient by steps along the imaginary axis, which lose no digits."""
    steps = 1e-30j * np.eye(len(z))
    return np.array([np.imag(f(z + step, C)) / 1e-30 for step in steps])


@pytest.mark.parametrize(("f", "op", "times"), JOINED)
def test_functions_of_neighbours_are_called_once(
    f: Callable[..., Any], op: str, times: int
) -> None:
    graph = graph_of(f)
    assert calls_in(graph, op) == times
    joined = join_neighbours(graph)
    verify(joined)
    assert calls_in(joined, op) == 1
    assert join_neighbours(joined) is joined
    gradient = sd.grad(f)
    np.testing.assert_allclose(gradient(Z, C), by_complex_steps(f, Z), rtol=1e-12, atol=1e-15)
    value, again = sd.value_and_grad(f)(Z, C)
    assert value == f(Z, C)
    np.testing.assert_array_equal(again, gradient(Z, C))
    single = sd.grad(f)(Z.astype(np.float32), C.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, gradient(Z, C), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("f", [f for f, _, _ in JOINED])
def test_other_derivatives_of_neighbours(f: Callable[..., Any]) -> None:
    v = np.cos(3.0 * np.arange(12.0))
    _, along = sd.jvp(lambda z: f(z, C), (Z,), (v,))
    np.testing.assert_allclose(along, by_complex_steps(f, Z) @ v, rtol=1e-12)
    h = 1e-4
    nodes, weights = (1, -1, 2, -2), (8.0, -8.0, -1.0, 1.0)
    turned = [w * by_complex_steps(f, Z + k * h * v) for k, w in zip(nodes, weights, strict=True)]
    expected = sum(turned) / (12.0 * h)
    np.testing.assert_allclose(sd.hvp(f)(Z, C, v), expected, rtol=1e-9, atol=1e-9)


def with_a_gap(z: Array, c: Array) -> Any:
    n, z = len(c), four_of(z, c)
    return np.sum(np.exp(z[:n]) * np.exp(z[2 * n : 3 * n]))


def overlapping(z: Array, c: Array) -> Any:
    n, z = len(c), four_of(z, c)
    return np.sum(np.exp(z[: 2 * n])) + np.sum(np.exp(z[n : 2 * n]))


def of_others(z: Array, c: Array) -> Any:
    n, z = len(c), four_of(z, c)
    return np.sum(np.exp(z[:n]) * np.exp(c))


def of_two_functions(z: Array, c: Array) -> Any:
    n, z = len(c), four_of(z, c)
    return np.sum(np.exp(z[:n]) * np.exp(2.0 * z[n : 2 * n]))


def read_twice(z: Array, c: Array) -> Any:
    n, z = len(c), four_of(z, c)
    first, second = z[:n], z[n : 2 * n]
    return np.sum(np.exp(first) * np.exp(second)) + np.sum(first * second)


def across(z: Array, c: Array) -> Any:
    rows, n = C[:, None] * four_of(z, c), len(c)
    return np.sum(np.exp(rows[:, :n]) * np.exp(rows[:, n : 2 * n]))


def needing_the_first(z: Array, c: Array) -> Any:
    n = len(c)
    m = n + int(np.sum(np.exp(z[:n])) > 0.0)
    return np.sum(np.exp(z[n:m]))


def of_counted(z: Array, c: Array) -> Any:
    n = int(c[0])
    return np.sum(np.exp(z[:n])) + np.sum(np.exp(z[n : 2 * n])) * np.sum(z)


APART = [
    *(with_a_gap, overlapping, of_others, of_two_functions, read_twice, across),
    *(needing_the_first, of_counted),
]


@pytest.mark.parametrize("f", APART)
def test_what_is_no_neighbour_stays_apart(f: Callable[..., Any]) -> None:
    graph = graph_of(f)
    assert join_neighbours(graph) is graph
    gradient = sd.grad(f)
    np.testing.assert_allclose(gradient(Z, C), by_complex_steps(f, Z), rtol=1e-12, atol=1e-15)


def partly_quiet(z: Array, c: Array) -> Any:
    n, z = len(c), four_of(z, c)
    first = np.log(z[:n])
    with np.errstate(all="ignore"):
        second = np.log(z[n : 2 * n])
    return np.sum(first) + np.sum(np.where(second > -np.inf, second, 0.0))


def test_what_is_computed_quietly_stays_there() -> None:
    z = np.array([3.0, 4.0, 3.0, -1.0, 4.0, 2.0, *range(6)])
    expected = np.concatenate((1.0 / (z[:3] + C), [0.0, 0.5, 0.2], np.zeros(6)))
    with np.errstate(all="raise"):
        np.testing.assert_allclose(sd.grad(partly_quiet)(z, C), expected)


def guarded(z: Array, c: Array) -> Any:
    n, z = len(c), four_of(z, c)
    first = np.log(z[:n])
    if z[n] <= 0.0:
        raise ValueError("not positive")
    return np.sum(first) + np.sum(np.log(z[n : 2 * n]))


def test_nothing_is_computed_before_what_guards_it() -> None:
    gradient, z = sd.grad(guarded), np.array([3.0, 4.0, 3.0, -1.0, 4.0, 2.0, *range(6)])
    with np.errstate(all="raise"), pytest.raises(ValueError, match="not positive"):
        gradient(z, C)
    z[3] = 1.0
    expected = np.concatenate((1.0 / (z[:6] + np.tile(C, 2)), np.zeros(6)))
    np.testing.assert_allclose(gradient(z, C), expected)


def one_of_them(z: Array, c: Array) -> Any:
    n, z = len(c), np.concatenate((c, c, c, c)) * 0.0 + z
    first, second = np.sqrt(z[:n]), np.sqrt(z[n : 2 * n])
    total = np.sum(first * c)
    if c[0] > 0.0:
        total = total + np.sum(second * c)
    return total


def test_what_is_not_read_has_no_slope_where_that_is_infinite() -> None:
    z, minus = np.zeros(12), -C
    z[:3] = 1.0, 4.0, 9.0
    found = sd.grad(one_of_them)(z, minus)
    expected = np.concatenate((minus / (2.0 * np.sqrt(z[:3])), np.zeros(9)))
    np.testing.assert_array_equal(found, expected)


def test_lengths_that_no_array_has_stay_apart() -> None:
    """Stretches of an array that may be too short for them lie otherwise in it."""

    def f(z: Array, c: Array) -> Any:
        n = len(c)
        return np.sum(np.exp(z[:n])) + np.sum(np.exp(z[n : 2 * n]))

    for length in (2, 4, 5, 6, 7):
        expected = np.exp(Z[:length]) * (np.arange(length) < 6)
        np.testing.assert_allclose(sd.grad(f)(Z[:length], C), expected)
