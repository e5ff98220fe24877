"""The derivatives of what solvers find, by the equations that it fulfils.

``zero`` and ``zeros``: ``F(x, θ) = 0`` gives ``∂F/∂x dx = -∂F/∂θ dθ`` (the implicit function
theorem), of each number by itself or of a system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from symdiff import ops
from symdiff.differentiate.activity import analyse
from symdiff.differentiate.calls import Calls
from symdiff.differentiate.forward import jvp
from symdiff.differentiate.graphs import tuple_of
from symdiff.differentiate.reverse import vjp
from symdiff.differentiate.rows import rows_of, unit_of
from symdiff.ir.graph import Graph, Value
from symdiff.ir.types import carries_derivative
from symdiff.ops.rules import inlined
from symdiff.ops.solving import EQUATIONS, Solver


def _pushed(graph: Graph, given: Sequence[Value], tangents: Mapping[int, Value]) -> Value:
    """The tangent of what a graph computes, from tangents of some of its inputs."""
    wrt = sorted(tangents)
    made = jvp(graph, wrt, output=tuple_of(1, len(graph.block.results)))
    (result,) = inlined(made, [*given, *(tangents[k] for k in wrt)])
    return result


def _pulled(
    graph: Graph, given: Sequence[Value], wrt: Sequence[int], cotangent: Value
) -> dict[int, Value]:
    """The cotangents of some inputs of a graph, from that of what it computes."""
    made = vjp(graph, wrt, output=tuple_of(len(wrt), len(graph.block.results)))
    return dict(zip(wrt, inlined(made, [*given, cotangent]), strict=True))


def _dependent(graph: Graph, numbers: Sequence[int]) -> list[int]:
    """The inputs on which what a graph computes depends, of those given."""
    parameters, results = graph.block.parameters, graph.block.results
    carrying = [k for k in numbers if carries_derivative(parameters[k].type)]
    active = {
        k: analyse(graph.block, [parameters[k]], results, Calls().dependencies).active
        for k in carrying
    }
    return [k for k in carrying if not active[k].isdisjoint(results)]


# Roots --------------------------------------------------------------------------------------------


def _slope(graph: Graph, y: Value, extras: Sequence[Value], rule: str) -> Value:
    """``∂F/∂x`` at the root: a number, or a matrix."""
    if rule == "zero":
        return _pushed(graph, [y, *extras], {0: unit_of(y)})

    def column(seed: Value) -> list[Value]:
        return [_pushed(graph, [y, *extras], {0: seed})]

    (matrix,) = rows_of(y, [y], column, columns=True)
    return matrix


def _pull_root(
    g: Value,
    y: Value,
    wanted: Sequence[int],
    value: Value,
    *extras: Value,
    graph: Graph,
    solver: Solver | None,
    rule: str = "zeros",
) -> Mapping[int, Value]:
    numbers = _dependent(graph, wanted)
    if not numbers:
        return {}
    slope = _slope(graph, y, extras, rule)
    adjoint = g / slope if rule == "zero" else ops.solve(ops.transpose(slope, axes=(1, 0)), g)
    return _pulled(graph, [y, *extras], numbers, -adjoint)


def _push_root(
    given: Sequence[Value | None],
    y: Value,
    value: Value,
    *extras: Value,
    graph: Graph,
    solver: Solver | None,
    rule: str = "zeros",
) -> Value:
    tangents = {k: t for k, t in enumerate(given) if k > 0 and t is not None}
    numbers = _dependent(graph, list(tangents))
    if not numbers:
        return ops.zeros_of(y)
    change = _pushed(graph, [y, *extras], {k: tangents[k] for k in numbers})
    slope = _slope(graph, y, extras, rule)
    return -(change / slope) if rule == "zero" else -ops.solve(slope, change)


EQUATIONS["zeros"] = _pull_root, _push_root
EQUATIONS["zero"] = partial(_pull_root, rule="zero"), partial(_push_root, rule="zero")
