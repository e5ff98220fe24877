"""Sweeps: the tangents of a function along several vectors at once, or cotangents from several."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from symdiff import differentiate
from symdiff.api.jacobians import has_effects
from symdiff.api.unruled import require_rule
from symdiff.api.wrt import Asked
from symdiff.batch import batched, with_lanes
from symdiff.differentiate.graphs import tangent_structure
from symdiff.errors import GradientShapeError, SignatureError, UnsupportedCallError
from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Block, Graph, Input, Value
from symdiff.ir.structure import Leaf
from symdiff.ir.types import ArrayType, Dim, in_words
from symdiff.ops.sizes import size


def sweep_graph(asked: Asked, name: str, mode: Literal["fwd", "rev"], dim: Dim | None) -> Graph:
    """The graph of the tangent of what is returned, along the argument ``name``; in reverse, of the
    cotangent of the one argument that is asked for.

    :param dim: how many vectors the last argument holds along its first axis; None: it is one.
    """
    _require_single(asked)
    require_rule(asked.graph, asked.wrt)
    graph = asked.graph
    if mode == "fwd":
        made = differentiate.jvp(graph, asked.wrt, output=tangent_structure(graph))
    else:
        made = differentiate.vjp(graph, asked.wrt, output=Leaf(len(graph.block.results)))
    inputs = tuple(Input((name,)) if i.origin == "derived" else i for i in made.inputs)
    made = replace(made, inputs=inputs, mutated={})
    return _of_one(made) if dim is None else _of_several(made, name, dim)


def _of_one(graph: Graph) -> Graph:
    block = graph.block
    result = block.results[_leaf(graph)]
    return replace(graph, block=Block(block.parameters, block.nodes, (result,)), output=Leaf(0))


def _of_several(graph: Graph, name: str, dim: Dim) -> Graph:
    """The graph for vectors along the first axis of its last argument."""
    has = [known.path == (name,) for known in graph.inputs]
    pairs = zip(graph.block.parameters, has, strict=True)
    parameters = tuple(_with_axis(value, dim) if one else value for value, one in pairs)
    with building(Builder([], graph.span)) as made:
        count = dim if isinstance(dim, int) else size(parameters[has.index(True)], axis=0)
        results = batched(graph, parameters, has, count, dim)
        value, lanes = results[_leaf(graph)]
        result = value if lanes else with_lanes(value, count, dim, fresh=True)
    block = Block(parameters, made.nodes, (result,))
    return replace(graph, name=f"{graph.name}_sweeps", block=block, output=Leaf(0))


def _with_axis(value: Value, dim: Dim) -> Value:
    assert isinstance(value.type, ArrayType)
    type_ = ArrayType(value.type.dtype, (dim, *value.type.shape), "array")
    return Value(type_, None, value.name, value.role)


def _leaf(graph: Graph) -> int:
    assert isinstance(graph.output, Leaf)
    return graph.output.index


def _require_single(asked: Asked) -> None:
    """Require one array of floats that is differentiated by, and one that is returned."""
    graph = asked.graph
    if not all(isinstance(structure, Leaf) for structure in asked.structures):
        raise SignatureError(
            f"no sparse derivative of {graph.name} by a container",
            graph.span,
            "pass one array, and take it apart in the function",
        )
    if not isinstance(graph.output, Leaf):
        raise GradientShapeError(
            f"no sparse derivative of {graph.name}: it does not return one array",
            graph.span,
            "return one array, np.concatenate([a, b])",
        )
    types = graph.block.parameters[asked.wrt[0]].type, graph.block.results[_leaf(graph)].type
    for type_ in types:
        if not isinstance(type_, ArrayType) or type_.dtype.char not in "fdg":
            raise SignatureError(
                f"no sparse derivative of {graph.name}, in which {in_words(type_)} takes part",
                graph.span,
                "it is for functions of real arrays, float32 or wider, that return such an array",
            )
    if has_effects(graph):
        raise UnsupportedCallError(
            f"no sparse derivative of {graph.name}: it prints, draws or writes outside",
            graph.span,
            "use symdiff.jacobian without sparse=True",
        )
