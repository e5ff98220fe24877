"""Graphs by hand: a function of IR values becomes a verified graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from symdiff.ir.build import Builder, building
from symdiff.ir.control import LoopView, emit_cond, emit_loop
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Block, Graph, Input, Node, Value, walk_nodes
from symdiff.ir.structure import Leaf, tuple_of
from symdiff.ir.types import FLOAT, INT, ArrayType, Size, Type
from symdiff.ir.verify import verify
from symdiff.ops import reduce

VECTOR = ArrayType(np.dtype("float64"), (Size("n"),))
SCALAR = ArrayType(np.dtype("float64"), (), "scalar")
NAMES = "xyzuvw"


def graph_of(function: Callable[..., Any], *types: Type, name: str = "f") -> Graph:
    """The graph of a function of values; one result, or a tuple of them."""
    parameters = tuple(Value(t, None, n) for t, n in zip(types, NAMES, strict=False))
    with building(Builder()) as builder:
        made = function(*parameters)
    results = made if isinstance(made, tuple) else (made,)
    output = tuple_of(len(results)) if isinstance(made, tuple) else Leaf(0)
    inputs = tuple(Input((p.name,)) for p in parameters)
    graph = Graph(name, Block(parameters, builder.nodes, results), inputs, output)
    verify(graph)
    return graph


def value_of(graph: Graph, *arguments: Any) -> Any:
    """The only result, or the tuple of results."""
    verify(graph)
    results = evaluate_graph(graph, arguments)
    return results[0] if len(results) == 1 else results


def counted(
    count: Any,
    initial: Sequence[Any],
    body: Callable[..., Sequence[Value]],
    xs: Sequence[Value] = (),
    *,
    reverse: bool = False,
    condition: Callable[..., Value] | None = None,
) -> LoopView:
    """A loop: ``body(index, *carries, *elements)`` gives the next carries, then what is pushed."""
    builder = current()
    first = [builder.value(value) for value in initial]
    index = Value(INT, None, "i")
    carries = [Value(v.type, None, v.name or NAMES[-1 - k]) for k, v in enumerate(first)]
    elements = [Value(tape.type.element) for tape in xs]  # type: ignore[union-attr]
    with building(Builder()) as inner:
        results = tuple(inner.value(v) for v in body(index, *carries, *elements))
    block = Block((index, *carries, *elements), inner.nodes, results)
    until = None if condition is None else _condition(condition, carries)
    number = None if count is None else builder.value(count)
    return LoopView(emit_loop(number, first, xs, block, until, reverse=reverse))


def _condition(condition: Callable[..., Value], carries: Sequence[Value]) -> Block:
    parameters = [Value(INT), *(Value(v.type, None, v.name) for v in carries)]
    with building(Builder()) as inner:
        result = condition(*parameters)
    return Block(tuple(parameters), inner.nodes, (result,))


def branch(
    predicate: Value, then: Callable[[], Any], orelse: Callable[[], Any]
) -> tuple[Value, ...]:
    """A branch whose arms give as many results each."""
    node = emit_cond(predicate, _arm(then), _arm(orelse))
    return node.results


def _arm(function: Callable[[], Any]) -> Block:
    with building(Builder()) as inner:
        made = function()
        results = made if isinstance(made, tuple) else (made,)
        values = tuple(inner.value(v) for v in results)
    return Block((), inner.nodes, values)


def current() -> Builder:
    from symdiff.ir.build import builder

    return builder()


def scalar(number: float) -> Value:
    """A NumPy scalar known at compile time."""
    return current().constant(np.float64(number))


def total(x: Value) -> Value:
    return reduce.sum(x, axis=None, keepdims=False)  # type: ignore[no-any-return]


def followed(graph: Graph, function: Callable[..., Value]) -> Graph:
    """``function`` of the results of a graph, as a graph of one result."""
    with building(Builder(list(graph.block.nodes))) as builder:
        result = function(*graph.block.results)
    block = Block(graph.block.parameters, builder.nodes, (result,))
    return Graph("followed", block, graph.inputs, Leaf(0))


def loops(graph: Graph) -> Iterator[LoopView]:
    return (LoopView(node) for node in walk_nodes(graph.block) if node.op.name == "loop")


def count_of(graph: Graph | Block, name: str) -> int:
    """How many nodes of an op there are."""
    block = graph.block if isinstance(graph, Graph) else graph
    return sum(node.op.name == name for node in walk_nodes(block))


def nodes_named(graph: Graph, name: str) -> list[Node]:
    return [node for node in walk_nodes(graph.block) if node.op.name == name]


def slope(function: Callable[[Any], Any], x: np.ndarray, step: float = 1e-3) -> np.ndarray:
    """The gradient of a scalar function by extrapolated central differences."""
    x = np.asarray(x, float)
    result = np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        unit = np.zeros(x.shape)
        unit[place] = 1.0
        rows = [
            [(function(x + h * unit) - function(x - h * unit)) / (2 * h)]
            for h in (step, step / 2, step / 4, step / 8)
        ]
        for k in range(1, 4):
            for j in range(k, 4):
                rows[j].append(rows[j][k - 1] + (rows[j][k - 1] - rows[j - 1][k - 1]) / (4**k - 1))
        result[place] = rows[3][3]
    return result


__all__ = [
    "FLOAT",
    "INT",
    "SCALAR",
    "VECTOR",
    "branch",
    "count_of",
    "counted",
    "followed",
    "graph_of",
    "loops",
    "nodes_named",
    "scalar",
    "slope",
    "total",
    "value_of",
]
