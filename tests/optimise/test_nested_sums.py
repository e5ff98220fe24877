"""Sums of products are nested where that takes fewer operations, and keep their values."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.build import Builder, builder, building
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Block, Graph, Input, Value, walk_nodes
from symdiff.ir.structure import Container, Leaf
from symdiff.ir.types import ArrayType, Size
from symdiff.ir.verify import verify
from symdiff.ops.arithmetic import add, maximum, minimum, multiply, negative, subtract
from symdiff.ops.elementary import exp, tanh
from symdiff.optimise import optimise


def random_chains(seed: int) -> Graph:
    """Sums of products with running products, some of which are results as well."""
    choices = random.Random(seed)
    dtype = np.dtype(choices.choice(("float64", "float64", "float32", "complex128")))
    shape = choices.choice(((), (Size("n"),)))
    given = [Value(ArrayType(dtype, shape), name=name) for name in "abcd"]
    results = []
    with building(Builder()) as top:
        builder().role = "cotangent"
        running, by = given[0], given[1]
        total = multiply(running, given[2])
        for _ in range(choices.randint(1, 9)):
            running = multiply(running, by) if choices.random() < 0.5 else multiply(by, running)
            other = choices.choice((*given, -2.0, 0.5))
            total = choices.choice((add, subtract))(total, multiply(other, running))
            if choices.random() < 0.1:
                by = choices.choice(given)
            if choices.random() < 0.1:
                results.append(running)
        results.append(total)
    output = Container(tuple, tuple(range(len(results))), tuple(map(Leaf, range(len(results)))))
    block = Block(tuple(given), top.nodes, tuple(results))
    graph = Graph("f", block, tuple(Input((v.name or "",)) for v in given), output)
    verify(graph)
    return graph


def test_sums_keep_their_values_and_take_fewer_operations() -> None:
    saved = 0
    for seed in range(80):
        graph = optimise(random_chains(seed), last=())
        after = optimise(graph, ("regroup", "dead"), last=())
        verify(after)
        counts = [sum(1 for _ in walk_nodes(one.block)) for one in (graph, after)]
        saved += counts[0] - counts[1]
        generator = np.random.default_rng(seed)
        for n in (0, 1, 5):
            shapes = [[n] if v.type.shape else [] for v in graph.block.parameters]
            drawn = [generator.choice([-2.0, -1.0, 0.5, 1.0], shape) for shape in shapes]
            given = [
                np.asarray(x, v.type.dtype)
                for x, v in zip(drawn, graph.block.parameters, strict=True)
            ]  # of which sums of products are exact
            pairs = zip(evaluate_graph(graph, given), evaluate_graph(after, given), strict=True)
            for one, other in pairs:
                assert one.dtype == other.dtype
                np.testing.assert_array_equal(one, other)
    assert saved > 100


def polynomial(degree: int) -> Any:
    lines = [f"    p = {0.5 + 0.03 * k!r} + x * p" for k in range(degree)]
    text = "\n".join(["def f(x):", "    p = 1.5", *lines, "    return np.sum(p)"])
    name, space = f"<polynomial {degree}>", {"np": np}
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), space)
    return space["f"]


def slope(degree: int, x: float) -> float:
    p, slope = mpmath.mpf(1.5), mpmath.mpf(0)
    for k in range(degree):
        p, slope = mpmath.mpf(0.5 + 0.03 * k) + x * p, p + x * slope
    return float(slope)


@pytest.mark.parametrize("degree", [3, 12, 40, 80])
def test_the_derivative_of_a_nested_polynomial_is_one(degree: int) -> None:
    f, x = polynomial(degree), np.linspace(-0.95, 0.95, 9)
    gradient = sd.grad(f)
    wanted = [slope(degree, one) for one in x]
    np.testing.assert_allclose(gradient(x), wanted, rtol=1e-14, atol=1e-15)
    source = str(gradient.source(x))
    assert source.count("x * ") <= 2 * degree + 2  # each power took one more, and a name
    assert "p_bar" not in source


def test_a_running_product_that_others_read_as_well_stays() -> None:
    def f(x: Any) -> Any:
        t = x[0] * x[1]
        u = t * x[1]
        return x[2] * t + x[3] * u, u

    x = np.array([1.3, -0.7, 0.4, 2.1])
    a, b, c, d = x
    wanted = [
        [c * b + d * b * b, c * a + 2 * d * a * b, a * b, a * b * b],
        [b * b, 2 * a * b, 0, 0],
    ]
    rows = [sd.grad(lambda x, k=k: f(x)[k])(x) for k in (0, 1)]
    np.testing.assert_allclose(rows, wanted, rtol=1e-14)


BOUNDS: dict[str, Callable[[Value], Value]] = {
    "free": lambda y: y,
    "below one": tanh,
    "below 1e20": lambda y: minimum(maximum(y, 0.0), 1e20),
}


@pytest.mark.parametrize(
    ("bound", "dtype", "kept"),
    [
        *(("free", "float64", True), ("below one", "float64", False)),
        *(("below 1e20", "float64", False), ("below 1e20", "float32", True)),
    ],
)
def test_a_factor_that_vanishes_stays_with_what_may_be_infinite(
    bound: str, dtype: str, kept: bool
) -> None:
    """``s * a + s * k * b + s * k * k * c``, where ``s`` is an exponential."""
    vector = ArrayType(np.dtype(dtype), (Size("n"),))
    x, y, a, b, c = given = [Value(vector, name=name) for name in "xyabc"]
    with building(Builder()) as top:
        builder().role = "cotangent"
        s, by = exp(negative(x)), BOUNDS[bound](y)
        t = multiply(s, by)
        u = multiply(t, by)
        total = add(add(multiply(s, a), multiply(t, b)), multiply(u, c))
    block = Block(tuple(given), top.nodes, (total,))
    inputs = tuple(Input((value.name or "",)) for value in given)
    graph = Graph("f", block, inputs, Container(tuple, (0,), (Leaf(0),)))
    after = optimise(graph, ("regroup", "dead"), last=())
    products = [sum(n.op is multiply for n in walk_nodes(g.block)) for g in (graph, after)]
    assert products == ([5, 5] if kept else [5, 3])
    large = (1e160, 1e200) if dtype == "float64" else (1e25, 1e30)
    numbers = [np.array([one], dtype) for one in (1e3, large[0], 1.0, large[1], -3.0)]
    assert evaluate_graph(after, numbers)[0] == 0.0
