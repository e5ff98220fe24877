"""Random graphs: a seed enters, a graph that is well formed and arguments for it leave.

Programs with vectors, matrices, numbers and integers, reads and writes of parts, loops that carry,
push and read (in both directions), and branches, nested. Values stay moderate: what grows goes
through a bounded function. With ``derived`` some nodes are marked as part of a derivative, on which
passes may do more.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from symdiff.ir.build import Builder, builder, building
from symdiff.ir.control import LoopView, emit_cond, emit_loop
from symdiff.ir.graph import Block, Graph, Input, Value
from symdiff.ir.structure import Container, Leaf
from symdiff.ir.types import FLOAT, INT, ArrayType, Size, Type
from symdiff.ops.arithmetic import add, less, maximum, multiply, negative, subtract, where
from symdiff.ops.creation import zeros_of
from symdiff.ops.elementary import cos, power, sin, tanh
from symdiff.ops.index import index_add_of, index_of, index_set_of
from symdiff.ops.products import matmul
from symdiff.ops.reduce import sum, unbroadcast_to
from symdiff.ops.shape import broadcast_to, copy, reshape, transpose
from symdiff.ops.sizes import size, sizes_of

DOUBLE = np.dtype("float64")
VECTOR = ArrayType(DOUBLE, (Size("n"),))
MATRIX = ArrayType(DOUBLE, (Size("n"), Size("m")))


def random_graph(seed: int, size: int = 25, *, derived: bool = False) -> tuple[Graph, list[Any]]:
    """A graph of about ``size`` nodes, and arguments."""
    parameters = (
        Value(VECTOR, name="x"),
        Value(VECTOR, name="y"),
        Value(MATRIX, name="a"),
        Value(FLOAT, name="s"),
        Value(INT, name="k"),
    )
    maker = _Maker(random.Random(seed), derived)
    with building(Builder()) as top:
        maker.pool = list(parameters)
        maker.steps(size)
        results = (*(maker.any_of(maker.floats()) for _ in range(3)), maker.reduced())
    output = Container(tuple, tuple(range(4)), tuple(map(Leaf, range(4))))
    inputs = tuple(Input((value.name,)) for value in parameters)
    return Graph("f", Block(parameters, top.nodes, results), inputs, output), arguments(seed)


def arguments(seed: int) -> list[Any]:
    generator = np.random.default_rng(seed)
    n, m = 6, 4
    x, y, a = (generator.uniform(-1, 1, shape) for shape in (n, n, (n, m)))
    return [x, y, a, float(generator.uniform(-1, 1)), int(generator.integers(0, 4))]


class _Maker:
    """Adds random nodes to the current builder; ``pool`` are the values in scope."""

    def __init__(self, choices: random.Random, derived: bool) -> None:
        self.choices = choices
        self.derived = derived
        self.pool: list[Value] = []
        self.depth = 0
        self.actions: list[Callable[[], Value | None]] = [
            *[self.elementwise] * 4,
            *[self.identity] * 2,
            self.read,
            self.read,
            self.write,
            self.write,
            self.accumulate,
            self.rearranged,
            self.reduced,
            self.broadcast,
            self.chosen,
            self.loop,
            self.branch,
            self.integer,
        ]

    def steps(self, count: int) -> None:
        for _ in range(count):
            if self.derived:
                builder().role = self.choices.choice(("primal", "cotangent"))
            made = self.choices.choice(self.actions)()
            if made is not None:
                self.pool.append(made)
        builder().role = "primal"

    # Choosing

    def any_of(self, values: list[Value]) -> Value:
        return self.choices.choice(values[-12:] if self.choices.random() < 0.7 else values)

    def floats(self) -> list[Value]:
        return [v for v in self.pool if isinstance(v.type, ArrayType) and v.type.dtype == DOUBLE]

    def arrays(self) -> list[Value]:
        return [v for v in self.floats() if v.type.shape]

    def numbers(self) -> list[Value]:
        return [v for v in self.floats() if not v.type.shape]

    def like(self, type_: Type) -> list[Value]:
        return [v for v in self.pool if v.type == type_]

    def partner(self, x: Value) -> Value:
        """A value that broadcasts with ``x``: of the same shape, or a number."""
        same = [v for v in self.floats() if v.type.shape == x.type.shape]
        return self.any_of([*same, *self.numbers()])

    # Nodes

    def elementwise(self) -> Value:
        x = self.any_of(self.floats())
        unary = (sin, cos, tanh, negative)
        if self.choices.random() < 0.4:
            return self.choices.choice(unary)(x)
        op = self.choices.choice((add, subtract, multiply, maximum))
        pair = [x, self.partner(x)]
        self.choices.shuffle(pair)
        return tanh(op(*pair)) if self.choices.random() < 0.5 else op(sin(pair[0]), sin(pair[1]))

    def identity(self) -> Value:
        """What an algebraic identity or constant folding is about."""
        x = self.any_of(self.floats())
        forms = (
            lambda: multiply(x, self.choices.choice((1, 1.0, -1.0, 0.5))),
            lambda: add(x, self.choices.choice((0, 0.0, 1.5))),
            lambda: subtract(x, self.choices.choice((0.0, -0.0))),
            lambda: negative(negative(x)),
            lambda: subtract(sin(x), negative(cos(x))),
            lambda: multiply(negative(sin(x)), cos(x)),
            lambda: power(sin(x), self.choices.choice((1, 2, 3, 2.0))),
            lambda: multiply(0.5, multiply(2.0, x)),
            lambda: multiply(sin(x), 1.0 / (2.0 + cos(x))),
            lambda: add(zeros_of(x), x),
            lambda: negative(multiply(2.0, x)),
            lambda: add(multiply(2.0, 3.0) * sin(x), builder().constant(0.25) * 2.0),
        )
        return self.choices.choice(forms)()

    def key(self, x: Value) -> Any:
        keys = (0, 1, -1, slice(1, None), slice(None, -1), slice(1, -1), slice(None))
        key = self.choices.choice(keys)
        if len(x.type.shape) == 2 and self.choices.random() < 0.5:
            return key, self.choices.choice(keys)
        if self.choices.random() < 0.2:
            return np.array(self.choices.choice(([0, 1], [1, 1, 0])))
        return key

    def readable(self) -> Value:
        """An array none of whose axes may be too short for the keys above."""
        long = [
            v
            for v in self.arrays()
            if all(isinstance(d, Size) and d.offset >= -2 and not d.open for d in v.type.shape)
        ]
        return self.any_of(long)

    def read(self) -> Value:
        x = self.readable()
        return index_of(x, self.key(x))

    def write(self) -> Value:
        x = self.readable()
        key = self.key(x)
        part = index_of(x, key)
        v = self.choices.choice((part, multiply(part, 0.5), builder().constant(0.0), sin(part)))
        written = index_set_of(x, v, key)
        return self.choices.choice((written, index_of(written, key), index_add_of(written, v, key)))

    def accumulate(self) -> Value:
        """What adjoints of reads look like."""
        x = self.readable()
        key = self.key(x)
        part = index_of(x, key)
        first = index_add_of(zeros_of(x), sin(part), key)
        return self.choices.choice(
            (
                add(x, first),
                add(first, x),
                index_add_of(index_set_of(x, 0.0, key), part, key),
                index_of(first, key),
            )
        )

    def rearranged(self) -> Value:
        x = self.any_of(self.arrays())
        axes = tuple(reversed(range(len(x.type.shape))))
        turned = transpose(x, axes=axes)
        if len(axes) == 2 and self.choices.random() < 0.5:
            return tanh(matmul(turned, x))
        back = self.choices.choice((transpose(turned, axes=axes), turned))
        return reshape(back, *sizes_of(back), shape=back.type.shape)

    def reduced(self) -> Value:
        x = self.any_of(self.arrays())
        whole = self.choices.random() < 0.6 or len(x.type.shape) == 1
        inside = self.choices.choice((x, multiply(x, x), negative(x), multiply(0.5, x)))
        return tanh(sum(inside, axis=None if whole else (0,), keepdims=False))

    def broadcast(self) -> Value:
        x = self.any_of(self.arrays())
        wide = broadcast_to(self.any_of(self.numbers()), *sizes_of(x), shape=x.type.shape)
        forms = (
            lambda: wide,
            lambda: multiply(wide, x),
            lambda: sum(wide, axis=None, keepdims=False),
            lambda: copy(wide),
            lambda: unbroadcast_to(wide, x),
        )
        return self.choices.choice(forms)()

    def chosen(self) -> Value:
        x = self.any_of(self.arrays())
        a, b = self.partner(x), self.partner(x)
        return where(less(x, 0.25), self.choices.choice((a, where(less(x, 0.5), a, b))), b)

    def integer(self) -> Value:
        k = self.any_of(self.like(INT))
        x = self.any_of(self.arrays())
        forms = (lambda: add(k, 0), lambda: multiply(k, 1), lambda: size(x, axis=0))
        return self.choices.choice(forms)() if self.choices.random() < 0.5 else k

    # Control flow

    @contextmanager
    def inside(self, parameters: list[Value]) -> Iterator[Builder]:
        before = self.pool
        self.pool = [*before, *parameters]
        self.depth += 1
        try:
            with building(Builder()) as inner:
                yield inner
        finally:
            self.pool = before
            self.depth -= 1

    def count(self) -> Value:
        values = [v for v in self.like(INT) if v.node is None and v.name == "k"]
        return self.choices.choice((*values, builder().constant(3), builder().constant(2)))

    def loop(self) -> Value | None:
        if self.depth > 1:
            return None
        first = self.turns(self.count(), [], reverse=False)
        self.pool.extend(first.finals)
        second = self.turns(first.turns, list(first.ys), reverse=self.choices.random() < 0.6)
        self.pool.extend(second.finals)
        return self.any_of([*first.finals, *second.finals])

    def turns(self, count: Value, xs: list[Value], *, reverse: bool) -> LoopView:
        starts = [self.any_of(self.floats()) for _ in range(self.choices.randint(1, 3))]
        index = Value(INT)
        carries = [Value(start.type, name=self.choices.choice(("u", None))) for start in starts]
        elements = [Value(tape.type.element) for tape in xs]
        with self.inside([*carries, *elements, index]) as inner:
            self.steps(self.choices.randint(1, 5))
            following = [self.choices.choice(self.like(c.type)[-3:]) for c in carries]
            pushed = [self.any_of(self.floats()) for _ in range(self.choices.randint(0, 2))]
        body = Block((index, *carries, *elements), inner.nodes, (*following, *pushed))
        condition = None
        if not reverse and self.choices.random() < 0.3:
            condition = self.condition(carries)
        return LoopView(emit_loop(count, starts, xs, body, condition, reverse=reverse))

    def condition(self, carries: list[Value]) -> Block:
        parameters = (Value(INT), *(Value(carry.type) for carry in carries))
        with self.inside(list(parameters)) as inner:
            predicate = less(parameters[0], 2)
        return Block(parameters, inner.nodes, (predicate,))

    def branch(self) -> Value | None:
        if self.depth > 1:
            return None
        predicate = less(self.any_of(self.numbers()), self.choices.choice((0.0, 0.5)))
        if self.choices.random() < 0.2:
            predicate = builder().constant(self.choices.random() < 0.5)
        wanted = self.any_of(self.floats()).type
        arms = []
        for _ in range(2):
            with self.inside([]) as inner:
                self.steps(self.choices.randint(0, 3))
                result = self.choices.choice(self.like(wanted))
            arms.append(Block((), inner.nodes, (result, self.any_of(self.like(FLOAT)))))
        return self.choices.choice(emit_cond(predicate, *arms).results)
