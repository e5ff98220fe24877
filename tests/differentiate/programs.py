"""Programs as graphs, each a scalar function of a vector: one of every control flow."""

from __future__ import annotations

import numpy as np

from symdiff.ir.control import call
from symdiff.ir.graph import GraphCell, Value
from symdiff.ir.types import INT
from symdiff.ops.arithmetic import greater, less
from symdiff.ops.elementary import cos, exp, sin, sqrt, tanh
from symdiff.ops.index import index_of, index_set_of
from symdiff.ops.shape import copy
from symdiff.ops.sizes import size
from tests.differentiate.building import (
    SCALAR,
    VECTOR,
    branch,
    counted,
    current,
    graph_of,
    scalar,
    total,
)


def straight(x: Value) -> Value:
    y = sin(x) * x + exp(x * -0.5)
    return total(y * index_of(x, 1)) + total(tanh(y))


def broadcasting(x: Value) -> Value:
    column = index_of(x, (slice(None), None))
    table = sin(column * x) + index_of(column, slice(0, 1))
    return total(table * table)


def products_of_neighbours(x: Value) -> Value:
    last = size(x, axis=0) - 1
    made = counted(
        last,
        [scalar(0.0)],
        lambda i, s: [s + index_of(x, i) * index_of(x, i + 1)],
    )
    return sin(made.finals[0])


def recurrence(x: Value) -> Value:
    """A scalar carry and a vector that both change, nonlinearly, each turn."""

    def body(i: Value, y: Value, s: Value) -> list[Value]:
        y = index_set_of(y, sin(index_of(y, i)) * s, i)
        return [y, s * cos(s) + index_of(y, 0) * 0.5]

    made = counted(size(x, axis=0), [copy(x), scalar(0.7)], body)
    return total(made.finals[0] * made.finals[0]) * made.finals[1]


def stencil(x: Value) -> Value:
    """u[1:-1] += 0.1 * u[1:-1] * (u[2:] - u[:-2]), four times."""

    def body(i: Value, u: Value) -> list[Value]:
        middle = index_of(u, slice(1, -1))
        slope = index_of(u, slice(2, None)) - index_of(u, slice(None, -2))
        return [index_set_of(u, middle + 0.1 * middle * slope, slice(1, -1))]

    made = counted(4, [copy(x)], body)
    return total(made.finals[0] * made.finals[0])


def branching(x: Value) -> Value:
    """A loop whose turns take either arm; arms read the outside and the turn."""

    def body(i: Value, s: Value) -> list[Value]:
        element = index_of(x, i)
        product = element * s
        taken = branch(
            greater(product, 0.5),
            lambda: (sqrt(product) * index_of(x, 0), sin(element)),
            lambda: (product * product + s, s * element * exp(element)),
        )
        return [taken[0] + taken[1]]

    return counted(size(x, axis=0), [scalar(1.0)], body).finals[0]


def while_loop(x: Value) -> Value:
    """Halve until it is small; how often depends on the data."""
    made = counted(
        None,
        [total(x * x), scalar(1.0)],
        lambda i, s, p: [sin(s) * 0.9, p * s + index_of(x, 2)],
        condition=lambda i, s, p: greater(s, 0.3),
    )
    return made.finals[1] * made.finals[0]


def nested(x: Value) -> Value:
    """A while loop with a branch around nested counted loops that write into an array."""

    def outer(i: Value, y: Value, s: Value, t: Value) -> list[Value]:
        def inner(j: Value, y: Value, t: Value) -> list[Value]:
            def innermost(k: Value, y: Value) -> list[Value]:
                v = index_of(y, k) * cos(t) + index_of(x, j) * s
                return [index_set_of(y, v, k)]

            y = counted(j + 1, [y], innermost).finals[0]
            return [y, sin(t + index_of(y, j))]

        made = counted(size(x, axis=0), [y, t], inner)
        y, t = made.finals
        taken = branch(
            greater(t, 0.2),
            lambda: (index_set_of(y, t * t, 1), s * 0.7),
            lambda: (y, s * 0.6 * cos(t)),
        )
        return [*taken, t]

    made = counted(
        None,
        [copy(x), scalar(1.0), index_of(x, 0)],
        outer,
        condition=lambda i, y, s, t: greater(s, 0.3),
    )
    return total(made.finals[0]) * made.finals[2]


def stopping_early(x: Value) -> Value:
    """A counted loop that a flag ends."""

    def body(i: Value, s: Value, going: Value) -> list[Value]:
        s = s + index_of(x, i) * s
        return [s, less(s, 3.0)]

    made = counted(
        size(x, axis=0),
        [scalar(1.0), current().constant(np.bool_(True))],
        body,
        condition=lambda i, s, going: going,
    )
    return sin(made.finals[0])


def tapes(x: Value) -> Value:
    """A loop that pushes, and two that read the tape, one of them inside a branch of a loop."""
    written = counted(
        size(x, axis=0),
        [scalar(1.0)],
        lambda i, s: [s * index_of(x, i), sin(s)],
    )
    tape = written.ys[0]
    first = counted(written.turns, [scalar(0.0)], lambda i, s, e: [s + e * e], [tape])

    def outer(i: Value, s: Value) -> list[Value]:
        read = branch(
            greater(index_of(x, i), 0.5),
            lambda: counted(written.turns, [s], lambda k, t, e: [t + e * s], [tape]).finals[0],
            lambda: s,
        )
        return [read[0] * 0.5]

    second = counted(size(x, axis=0), [scalar(0.4)], outer)
    return first.finals[0] * second.finals[0] + written.finals[0]


def _recursive() -> GraphCell:
    """r(x, s, n) = sin(s) * r(x, s + x[1] * s, n - 1) + s if n > 0 else s * s * x[0]"""
    cell = GraphCell("r")

    def body(x: Value, s: Value, n: Value) -> Value:
        def further() -> Value:
            operands = (x, s + index_of(x, 1) * s, n - 1)
            made = current().emit(call, operands, {"callee": cell, "types": (SCALAR,)})
            return sin(s) * made.result + s

        return branch(greater(n, 0), further, lambda: s * s * index_of(x, 0))[0]

    cell.graph = graph_of(body, VECTOR, SCALAR, INT, name="r")
    return cell


def recursion(x: Value) -> Value:
    """A graph that calls itself, called from a loop."""
    cell = _recursive()

    def body(i: Value, s: Value) -> list[Value]:
        made = current().emit(call, (x, s, i + 1), {"callee": cell, "types": (SCALAR,)})
        return [sin(made.result * 0.1) + index_of(x, i) * 0.1]

    return counted(size(x, axis=0), [scalar(0.4)], body).finals[0]


PROGRAMS = [
    straight,
    broadcasting,
    products_of_neighbours,
    recurrence,
    stencil,
    branching,
    while_loop,
    nested,
    stopping_early,
    tapes,
    recursion,
]
