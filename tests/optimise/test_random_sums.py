"""Sums of products of arrays that broadcast: what passes make of them has the same value.

A graph is made of few arrays by arithmetic, broadcasts to other lengths and sums along axes, all of
it as of a derivative, so that many a difference of sums is zero and many another is not quite.
"""

import itertools
import random

import numpy as np
import pytest

from symdiff.ir.build import Builder, builder, building
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Block, Graph, Input, Value
from symdiff.ir.structure import Container, Leaf
from symdiff.ir.types import INT, ArrayType, Size, may_be_one
from symdiff.ir.verify import verify
from symdiff.ops.arithmetic import add, divide, multiply, negative, subtract
from symdiff.ops.facts import shape_of
from symdiff.ops.reduce import sum
from symdiff.ops.shape import broadcast_to, reshape
from symdiff.ops.sizes import size, sizes_of
from symdiff.optimise import PASSES, optimise
from symdiff.optimise.facts import is_zero

DOUBLE = np.dtype("float64")
OPEN, SHORT = Size("k", open=True), Size("n", -2)
LENGTHS = (1, 2, 3, Size("n"), SHORT, OPEN)
SIZES = [{"n": n, "k": k} for n, k in ((2, 1), (3, 3), (4, 0), (5, 1), (6, 4))]


def random_graph(seed):
    """Sums over everything of differences, of arrays whose lengths are among ``LENGTHS``."""
    choices = random.Random(seed)
    rows, columns = choices.choices(LENGTHS, k=2)
    shapes = {"s": (), "a": (columns,), "b": (rows, columns), "c": (rows, 1)}
    inputs = [Value(INT, name="n"), Value(INT, name="k")]
    inputs += [Value(ArrayType(DOUBLE, shape), name=name) for name, shape in shapes.items()]
    with building(Builder()) as top:
        builder().role = "cotangent"
        results = _Maker(choices, inputs).differences()
    output = Container(tuple, tuple(range(len(results))), tuple(map(Leaf, range(len(results)))))
    block = Block(tuple(inputs), top.nodes, tuple(results))
    graph = Graph("f", block, tuple(Input((v.name,)) for v in inputs), output)
    verify(graph)
    return graph


class _Maker:
    """Makes values that broadcast with each other."""

    def __init__(self, choices, inputs):
        self.choices = choices
        self.sizes, self.given = inputs[:2], inputs[2:]

    def differences(self):
        """Differences of what is made of one value in two ways that are much alike."""
        found = []
        while len(found) < 8:
            steps = self.choices.choices((self.product, self.total, self.total, self.wide), k=4)
            x = y = self.choices.choice(self.given)
            differing = self.choices.randrange(4)
            for number, step in enumerate(steps):
                chosen = self.choices.getstate()
                x = step(x)
                if number != differing:
                    self.choices.setstate(chosen)
                y = step(y)
            if shape_of(subtract(x, y)) and _fit(x, y):
                found.append(sum(subtract(x, y), axis=None, keepdims=False))
        return found

    def product(self, x):
        """With a factor, or a term, on either side."""
        ops = (multiply, multiply, divide, add, subtract, lambda x, y: multiply(y, negative(x)))
        y = self.choices.choice([y for y in self.given if _fit(x, y)])
        return self.choices.choice(ops)(x, y)

    def total(self, x):
        rank = len(shape_of(x))
        if not rank or self.choices.random() < 0.3:
            return sum(x, axis=None, keepdims=False) if rank else x
        axis = self.choices.randrange(rank)
        if self.choices.random() < 0.4:
            return _with_axis(sum(x, axis=(axis,), keepdims=False), axis)
        return sum(x, axis=(axis,), keepdims=True)

    def wide(self, x):
        """A value along another axis, or along one where it has a single element."""
        missing = 2 - len(shape_of(x))
        shape, sizes = [], []
        for axis, dim in enumerate((*(1,) * missing, *shape_of(x))):
            new = self.choices.choice(LENGTHS) if dim == 1 else dim
            shape.append(new)
            sizes.append(self.length(new) if dim == 1 else size(x, axis=axis - missing))
        return broadcast_to(x, *sizes, shape=tuple(shape))

    def length(self, dim):
        n, k = self.sizes
        return {OPEN: k, SHORT: subtract(n, 2), Size("n"): n}.get(dim, dim)


def _with_axis(x, axis):
    """A value with an axis of length 1 put in."""
    shape, sizes = list(shape_of(x)), list(sizes_of(x))
    shape.insert(axis, 1)
    sizes.insert(axis, 1)
    return reshape(x, *sizes, shape=tuple(shape))


def _fit(x, y):
    pairs = itertools.zip_longest(shape_of(x)[::-1], shape_of(y)[::-1], fillvalue=1)
    return all(a == b or may_be_one(a) or may_be_one(b) for a, b in pairs)


def arguments(graph, sizes):
    """Arrays of lengths that the names say, of few numbers that are exact."""
    generator = np.random.default_rng(3)
    made = list(sizes.values())
    for value in graph.block.parameters[2:]:
        dims = shape_of(value)
        shape = [d if isinstance(d, int) else sizes[d.symbol] + d.offset for d in dims]
        made.append(generator.integers(3, 9, shape) / 4.0)
    return made


def values(graph, sizes):
    """What a graph gives; None where its arrays do not broadcast."""
    try:
        return evaluate_graph(graph, arguments(graph, sizes))
    except ValueError:
        return None


def assert_close(graph, after, sizes):
    before = values(graph, sizes)
    if before is not None:
        found = values(after, sizes)
        assert found is not None
        for a, b in zip(before, found, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("run", [PASSES["cancelling"], optimise], ids=["cancelling", "all"])
def test_sums_keep_their_values(run):
    vanished = 0
    for seed in range(120):
        graph = random_graph(seed)
        after = run(graph)
        verify(after)
        vanished += len([value for value in after.block.results if is_zero(value)])
        for sizes in SIZES:
            assert_close(graph, after, sizes)
    assert vanished > 20
