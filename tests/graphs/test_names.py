"""What a name means, against Python: the local variables that the function has when it returns.

The function is run under a profiler that keeps them; the node of each name is computed by the IR's
reference evaluator. Sizes and dtypes that nodes tell are those of the values.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.graphs import ComputationGraph, GraphNode
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Block, Graph, Value
from symdiff.ir.structure import Static
from symdiff.runtime.calling import follow
from tests.programs.registry import Program, load

# What is another thing at each run, is used up by a run, or is bound on some paths only.
NOT_COMPARED = {
    "effects.draws_noise": {"rng"},
    "effects.reparametrised_monte_carlo": {"rng"},
    "errors_of_callees.in_context": {
        *("around.args[0]", "before.args[0]", "before.level", "before.slope")
    },
    "exceptions.number_in_an_exception_beside_an_index_in_for": {"error"},
    "exceptions.number_in_an_exception_beside_an_index_outside": {"error"},
    "iterators.items_beside_a_list_of_unknown_length": {"v", "item"},
    "loops.empty_range_keeps_value": {"v"},
    "more_local_classes.attributes_deleted_by_name_in_for": {"record.last"},
    "more_local_classes.attributes_deleted_by_name_outside": {"record.last"},
    "objects.wrapper_that_counts_in_for": {"before"},
    "objects.wrapper_that_counts_outside": {"before"},
    "ragged.grows_by_itself": {"_"},
    "special_methods.messages_and_clocks": {"start"},
    "statements.branch_chain_in_for": {"z"},
    "while_loops.read_only_where_it_was_bound": {"_", "v"},
}
# Constructs stand in the register in several surroundings: alone and in a loop tell the most.
PROGRAMS = [entry for entry in load() if not entry.name.endswith(("_renamed", "_in_while"))]


def locals_at_return(function: Callable[..., Any], arguments: Sequence[Any]) -> dict[str, Any]:
    """The local variables that a function's own frame has in the end."""
    found: dict[str, Any] = {}

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if event == "return" and frame.f_code is function.__code__:
            found.clear()
            found.update(frame.f_locals)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        function(*arguments)
    finally:
        sys.setprofile(before)
    return found


def computed(entry: Program, graph: ComputationGraph, nodes: Sequence[GraphNode]) -> list[Any]:
    """The values of nodes at the program's arguments."""
    whole = graph._described.graph
    bound = inspect.signature(entry.function).bind(*entry.arguments(0))
    bound.apply_defaults()
    names, given = list(bound.arguments), list(bound.arguments.values())
    inputs = [copy.deepcopy(follow(item.path, names, given)) for item in whole.inputs]
    values = tuple(node.value for node in nodes)
    block = Block(whole.block.parameters, whole.block.nodes, values)
    return list(evaluate_graph(Graph("values", block, whole.inputs, Static(None)), inputs))


def names_with_values(graph: ComputationGraph) -> dict[str, GraphNode]:
    """The function's own names, in the end, that have a node."""
    known = graph._described.names.items()
    return {
        name: graph[name] for name, value in known if isinstance(value, Value) and name in graph
    }


def same(found: Any, expected: Any, node: GraphNode) -> bool:
    """Whether values are the same; in float32 to the order in which they are computed."""
    if isinstance(expected, np.random.Generator):
        return found.bit_generator.state == expected.bit_generator.state
    if isinstance(expected, str):
        return bool(found == expected)
    if isinstance(expected, list | tuple):
        pairs = zip(found, expected, strict=True)
        return all(same(one, other, node) for one, other in pairs)
    single = "float32" in node.type_text or "complex64" in node.type_text
    return np.allclose(found, expected, rtol=1e-5 if single else 1e-12, atol=0, equal_nan=True)


@pytest.mark.parametrize("entry", PROGRAMS, ids=lambda entry: entry.name)
def test_a_name_means_what_python_has_at_the_return(entry: Program):
    graph = sd.differentiable(entry.function).graph(*entry.arguments(0))
    left_out = NOT_COMPARED.get(entry.name, set())
    nodes = {name: n for name, n in names_with_values(graph).items() if name not in left_out}
    with contextlib.redirect_stdout(io.StringIO()):
        expected = locals_at_return(entry.function, entry.arguments(0))
        found = computed(entry, graph, list(nodes.values()))
    for (name, node), value in zip(nodes.items(), found, strict=True):
        local = eval(name, {}, expected)
        assert same(value, local, node), f"{name}: {value} instead of {local}"
        if isinstance(local, np.ndarray):
            assert node.dtype == local.dtype
            assert len(node.shape) == local.ndim
            pairs = zip(node.shape, local.shape, strict=True)
            assert all(told == size for told, size in pairs if isinstance(told, int))


@pytest.mark.parametrize("entry", PROGRAMS, ids=lambda entry: entry.name)
def test_the_graph_of_every_program_prints_and_draws(entry: Program):
    graph = sd.differentiable(entry.function).graph(*entry.arguments(0))
    text, dot = str(graph), graph.to_dot()
    assert all(f" {node.label}: {node.type_text}" in text for node in graph)
    assert all(f"{node.id} [" in dot for node in graph.inputs.values())
