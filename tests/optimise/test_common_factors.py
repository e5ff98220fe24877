"""A factor that all terms of a sum have is multiplied once, and the sums keep their values."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.build import Builder, builder, building
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Block, Graph, Input, Value, walk_nodes
from symdiff.ir.structure import Container, Leaf
from symdiff.ir.types import ArrayType, Size
from symdiff.ir.verify import verify
from symdiff.ops.arithmetic import add, multiply, negative, subtract
from symdiff.ops.facts import shape_of
from symdiff.optimise import optimise

Array = Any
SHAPES = {"s": (), "t": (), "a": (Size("n"),), "b": (Size("n"),), "c": (2, Size("n")), "d": (2, 1)}
ROW, EVERY = ("s", "t", "a", "b"), tuple(SHAPES)


def random_sums(seed: int) -> Graph:
    """Sums of products of few values, some of which several sums read, as of a derivative."""
    choices = random.Random(seed)
    dtype = np.dtype(choices.choice(("float64", "float64", "float32", "complex128")))
    given = {name: Value(ArrayType(dtype, shape), name=name) for name, shape in SHAPES.items()}
    with building(Builder()) as top:
        builder().role = "cotangent"
        results = [r for names in (ROW, EVERY) for r in _sums([given[n] for n in names], choices)]
    output = Container(tuple, tuple(range(len(results))), tuple(map(Leaf, range(len(results)))))
    block = Block(tuple(given.values()), top.nodes, tuple(results))
    graph = Graph("f", block, tuple(Input((name,)) for name in given), output)
    verify(graph)
    return graph


def _sums(given: list[Value], choices: random.Random) -> list[Value]:
    products = [_product(given, choices) for _ in range(4)]
    sums = []
    for _ in range(4):
        factor, total = choices.choice(given), choices.choice(products)
        for number in range(choices.randint(1, 4)):
            other = choices.choice((*products, _product(given, choices), *given))
            if choices.random() < 0.8:
                other = multiply(other, factor)
                total = total if number else multiply(factor, total)
            total = choices.choice((add, subtract))(total, other)
        sums.append(total)
    return sums


def _product(given: list[Value], choices: random.Random) -> Value:
    made = choices.choice(given)
    for _ in range(choices.choice((1, 2, 3, 3, 9))):
        number = choices.choice((2.0, -2.0, 0.5, 3.0, 4))
        by = choices.choice((*given, *given, number))
        made = multiply(by, made) if choices.random() < 0.6 else multiply(made, by)
        made = negative(made) if choices.random() < 0.2 else made
    return made


def values(graph: Graph, n: int) -> Any:
    """What a graph gives of few numbers, of which it computes without rounding."""
    generator = np.random.default_rng(n)
    given = []
    for parameter in graph.block.parameters:
        type_ = parameter.type
        assert isinstance(type_, ArrayType)
        shape = [dim if isinstance(dim, int) else n for dim in type_.shape]
        drawn = generator.choice([-1.0, -0.5, 0.5, 1.0], shape)
        given.append(np.asarray(drawn + 0.5j if type_.dtype.kind == "c" else drawn, type_.dtype))
    return evaluate_graph(graph, given)


def operations(graph: Graph) -> int:
    """How many operations on arrays there are."""
    return sum(1 for node in walk_nodes(graph.block) if shape_of(node.result))


def test_sums_keep_their_values_and_none_costs_more() -> None:
    saved = 0
    for seed in range(60):
        graph = optimise(random_sums(seed), last=())
        after = optimise(graph, ("regroup", "dead"), last=())
        verify(after)
        saved += operations(graph) - operations(after)
        assert operations(after) <= operations(graph)
        for n in (0, 2, 3):
            for one, other in zip(values(graph, n), values(after, n), strict=True):
                assert one.dtype == other.dtype
                np.testing.assert_array_equal(one, other)
    assert saved > 100


def rosenbrock(x: Array) -> float:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def test_the_slope_of_rosenbrocks_function_is_one_multiple() -> None:
    x = np.linspace(-1.0, 1.5, 6)
    expected = np.zeros(6)
    expected[1:] = 200.0 * (x[1:] - x[:-1] ** 2)
    expected[:-1] -= 400.0 * (x[1:] - x[:-1] ** 2) * x[:-1] + 2.0 * (1.0 - x[:-1])
    np.testing.assert_allclose(sd.grad(rosenbrock)(x), expected, rtol=1e-13)
    assert "2.0 * (t - 1.0 - t1 * t)" in str(sd.grad(rosenbrock).source(x))


def damped(u: Array, nu: float, n: int) -> float:
    for _ in range(n):
        u[1:-1] = u[1:-1] + nu * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u @ u


def test_numbers_meet_before_the_loop() -> None:
    u, nu = np.linspace(0.0, 1.0, 5) ** 2, 0.3
    step = np.eye(5)
    step[1:-1] += nu * (np.eye(5)[2:] - 2.0 * np.eye(5)[1:-1] + np.eye(5)[:-2])
    powers = np.linalg.matrix_power(step, 4)
    found = sd.grad(damped)(u.copy(), nu, 4)
    np.testing.assert_allclose(found, 2.0 * powers.T @ (powers @ u), rtol=1e-13)
    text = str(sd.grad(damped).source(u, nu, 4))
    before, turn = text.split("for _ in reversed(range(n)):")
    assert "1.0 - 2.0 * nu" in before
    assert "u_bar[1:-1] *= t" in turn


def own(x: Array, a: Array, b: Array) -> float:
    y = x * a - x * b
    return np.sum(y * y)


def test_the_functions_own_sums_keep_their_bits() -> None:
    x, a, b = np.random.default_rng(1).normal(size=(3, 40))
    value, slope = sd.value_and_grad(own)(x, a, b)
    assert value == own(x, a, b)
    np.testing.assert_allclose(slope, 2.0 * x * (a - b) ** 2, rtol=1e-10)


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_extreme_numbers_stay_where_they_are(scale: float) -> None:
    def f(x, y):
        return np.sum(scale * (x * x) + scale * (x * y))

    x, y = np.array([1e-5, 2e-5]), np.array([1.0, 3.0])
    np.testing.assert_allclose(sd.grad(f)(x, y), scale * (2.0 * x + y), rtol=1e-12)


@pytest.mark.parametrize("x", [np.array([1e160, -1e200]), np.array([1e20, -1e30], np.float32)])
def test_exponentials_that_vanish_stay_beside_what_is_large(x: Array) -> None:
    """``exp(-x * x) * x * x`` is 0, where ``x * x`` is infinite."""

    def wave(x: Array) -> Any:
        return np.sum(x * np.exp(-0.5 * x * x) * np.tanh(x))

    def bell(x: Array) -> Any:
        return np.sum(np.exp(-(x**2)))

    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(sd.grad(wave)(x), 0.0)
        np.testing.assert_array_equal(sd.hvp(bell)(x, np.ones_like(x)), 0.0)
        np.testing.assert_array_equal(sd.grad(bell)(x), 0.0)
