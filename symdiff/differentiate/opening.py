"""Library functions that are differentiated are what defines them; all others keep their names."""

from __future__ import annotations

from collections.abc import Sequence

from symdiff.differentiate.activity import analyse
from symdiff.differentiate.calls import Calls
from symdiff.differentiate.rotations import with_polar_factors
from symdiff.ir.graph import Graph, Node, Value, walk_nodes
from symdiff.ops.defined import beside, library_call
from symdiff.ops.draws import spread_out
from symdiff.ops.effects import opaque_call
from symdiff.ops.rules import replaced

_OPENED = (library_call, opaque_call)


def opened_where_active(graph: Graph, wrt: Sequence[int]) -> Graph:
    """The graph with definitions in place of the library calls that depend on the inputs ``wrt``
    and that the results depend on; beside those calls whose values definitions have to rounding.
    Draws that depend on these inputs are moved and stretched ones of fixed parameters, and products
    of both singular vectors are marked as that.
    """
    while any(node.op in _OPENED for node in walk_nodes(graph.block)):
        sources = [graph.block.parameters[number] for number in wrt]
        active = analyse(graph.block, sources, graph.block.results, Calls().dependencies).active

        def meaning(node: Node, active: set[Value] = active) -> Graph | None:
            if node.op not in _OPENED or active.isdisjoint(node.results):
                return None
            if node.op is opaque_call:
                return spread_out(node, active)
            found: Graph = node.attributes["definition"]
            return beside(node) if node.attributes["rounded"] else found

        further = replaced(graph, meaning)
        if further is graph:
            break
        graph = further  # definitions may call functions that have one
    return with_polar_factors(graph, wrt)
