"""Library functions that are differentiated are what defines them; all others keep their names."""

from __future__ import annotations

from collections.abc import Sequence

from symdiff.differentiate.activity import analyse
from symdiff.differentiate.calls import Calls
from symdiff.ir.graph import Graph, Node, walk_nodes
from symdiff.ops.defined import library_call, opened


def opened_where_active(graph: Graph, wrt: Sequence[int]) -> Graph:
    """The graph with definitions in place of the library calls that depend on the inputs ``wrt``
    and that the results depend on.
    """
    while any(node.op is library_call for node in walk_nodes(graph.block)):
        sources = [graph.block.parameters[number] for number in wrt]
        active = analyse(graph.block, sources, graph.block.results, Calls().dependencies).active

        def is_active(node: Node, active: set[object] = active) -> bool:  # type: ignore[assignment]
            return not active.isdisjoint(node.results)

        further = opened(graph, is_active)
        if further is graph:
            break
        graph = further  # definitions may call functions that have one
    return graph
