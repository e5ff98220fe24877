"""Jacobians as graphs: a sweep from the unit vectors of the result, or of the argument, to rows.

In reverse mode the backward graph runs from unit cotangents, and gives rows; in forward mode the
jvp graph from unit tangents, and gives columns. It runs from all at once, as a batch, or where that
has no rule or needs too much memory, in a loop from one after the other. Numbers need neither. So a
Jacobian is a graph over the same ops as its function, and can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from symdiff import differentiate
from symdiff.api.arguments import Direction
from symdiff.api.unruled import require_rule
from symdiff.api.wrt import Asked
from symdiff.batch import rows_at_once
from symdiff.differentiate.graphs import derived_from, require_one_structure
from symdiff.differentiate.rows import rows_of
from symdiff.errors import GradientShapeError
from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Block, Graph, Value, walk_nodes
from symdiff.ir.structure import Leaf, Static, Structure, leaf_numbers, mapped, of_tuple
from symdiff.ir.types import ArrayType, ListType, carries_derivative
from symdiff.ops.creation import zeros_of
from symdiff.ops.facts import does_more
from symdiff.ops.rules import inlined

Shaped = Callable[[Sequence[Structure]], Structure]


def jacobian_graph(asked: Asked, shaped: Shaped, mode: Direction) -> Graph:
    """The graph of all derivatives of what ``asked.graph`` returns by the inputs asked for."""
    graph = asked.graph
    require_one_structure(graph, "jacobian")
    require_rule(graph, asked.wrt)
    results = [k for k, v in enumerate(graph.block.results) if carries_derivative(v.type)]
    returned = [k for k in results if k in set(leaf_numbers(graph.output))]
    if any(isinstance(graph.block.results[k].type, ListType) for k in returned):
        raise GradientShapeError(
            f"no jacobian of {graph.name}: it returns a list of a length known at run time only",
            graph.span,
            "return an array, np.array(values), or use symdiff.jvp or symdiff.vjp",
        )
    if mode == "auto" or has_effects(graph):
        mode = best_mode(graph, asked.wrt, returned)
    rows = _forward_rows if mode == "fwd" else _reverse_rows
    parameters = tuple(Value(v.type, None, v.name, v.role) for v in graph.block.parameters)
    with building(Builder([], graph.span)) as made:
        found = rows(graph, asked.wrt, returned, parameters)
    values = [found[k, j] for k in returned for j in range(len(asked.wrt))]
    places = {
        pair: n for n, pair in enumerate((k, j) for k in returned for j in range(len(asked.wrt)))
    }

    def by_arguments(k: int) -> Structure:
        if k not in returned:
            return Static(None)
        return shaped([mapped(s, lambda j: Leaf(places[k, j])) for s in asked.structures])

    block = Block(parameters, made.nodes, tuple(values))
    output = derived_from(graph.output, by_arguments)
    name = f"{graph.name}_jacobian"
    return replace(graph, name=name, block=block, output=output, mutated={})


def best_mode(graph: Graph, wrt: Sequence[int], returned: Sequence[int]) -> Literal["fwd", "rev"]:
    """Forward where there are at most as many numbers to differentiate by as there are returned.

    Sizes are mostly not known: then ranks decide. What has effects goes in reverse: they happen
    once.
    """
    if has_effects(graph):
        return "rev"
    ins = [graph.block.parameters[number].type for number in wrt]
    outs = [graph.block.results[number].type for number in returned]
    return "fwd" if _weight(ins) <= _weight(outs) else "rev"


def has_effects(graph: Graph) -> bool:
    """Return whether it would show how often the function is run, other than by an error."""
    return any(map(does_more, walk_nodes(graph.block)))


def _weight(types: Sequence[object]) -> tuple[int, int]:
    """Rank of the largest, and how many numbers there are as far as that is known."""
    arrays = [t for t in types if isinstance(t, ArrayType)]
    open_dims = [sum(not isinstance(dim, int) for dim in t.shape) for t in arrays]
    known = 0
    for type_ in arrays:
        count = 1
        for dim in type_.shape:
            count *= dim if isinstance(dim, int) else 1
        known += count
    return max(open_dims, default=0), known


# Reverse ------------------------------------------------------------------------------------------


def _reverse_rows(
    graph: Graph, wrt: Sequence[int], returned: Sequence[int], parameters: Sequence[Value]
) -> dict[tuple[int, int], Value]:
    split = differentiate.split(graph, wrt)
    results = inlined(split.forward, parameters)
    saved = results[len(results) - split.saved :] if split.saved else []
    given = [results[k] for k in leaf_numbers(split.forward.output)]  # what is returned, and saved
    primals = dict(zip(leaf_numbers(graph.output), given, strict=False))
    sources = [parameters[number] for number in wrt]
    found: dict[tuple[int, int], Value] = {}
    for k in returned:

        def rows_from(seed: Value, k: int = k) -> list[Value]:
            seeds = [seed if other == k else zeros_of(primals[other]) for other in returned]
            return inlined(split.backward, [*saved, *seeds])

        zeros = [zeros_of(primals[other]) for other in returned]
        place = len(saved) + returned.index(k)
        rows = rows_at_once(split.backward, [*saved, *zeros], place, primals[k], sources)
        rows = rows or rows_of(primals[k], sources, rows_from)
        found |= {(k, j): row for j, row in enumerate(rows)}
    return found


# Forward ------------------------------------------------------------------------------------------


def _forward_rows(
    graph: Graph, wrt: Sequence[int], returned: Sequence[int], parameters: Sequence[Value]
) -> dict[tuple[int, int], Value]:
    found: dict[tuple[int, int], Value] = {}
    shapes = _primals_alone(graph, returned, parameters)
    for j, number in enumerate(wrt):
        source = parameters[number]
        pushed = differentiate.jvp(graph, (number,), output=_tangents_of(graph, returned))

        def columns_from(seed: Value, pushed: Graph = pushed) -> list[Value]:
            return inlined(pushed, [*parameters, seed])

        given = [*parameters, source]
        stacks = rows_at_once(pushed, given, len(parameters), source, shapes, columns=True)
        stacks = stacks or rows_of(source, shapes, columns_from, columns=True)
        for k, columns in zip(returned, stacks, strict=True):
            found[k, j] = columns
    return found


def _tangents_of(graph: Graph, returned: Sequence[int]) -> Structure:
    results = graph.block.results
    carrying = [k for k, value in enumerate(results) if carries_derivative(value.type)]
    return of_tuple([Leaf(len(results) + carrying.index(k)) for k in returned])


def _primals_alone(
    graph: Graph, returned: Sequence[int], parameters: Sequence[Value]
) -> list[Value]:
    """The results themselves: their sizes are asked for; what else computes them is dead code."""
    results = inlined(graph, parameters)
    return [results[k] for k in returned]
