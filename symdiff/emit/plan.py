"""How a placed graph is written: what is folded into expressions, and what everything is called."""

from __future__ import annotations

from collections.abc import Mapping

from symdiff.buffers.liveness import Liveness
from symdiff.buffers.placed import place_buffers
from symdiff.buffers.verify import verify_placed
from symdiff.dataclass import dataclass
from symdiff.emit.folding import folded_values
from symdiff.emit.names import assign_names
from symdiff.emit.namespace import Namespace
from symdiff.ir.graph import Graph, GraphCell, Node, Value
from symdiff.ir.verify import is_asked_for


@dataclass(frozen=True, slots=True)
class Plan:
    """``graph`` is placed.

    ``names`` of all values that have a variable, ``folded`` values that have none.
    ``accumulations`` maps sums that are written into an operand to the number of that operand.
    ``stores`` maps parameters to results that have to be stored into the caller's arrays at the
    end. ``callees`` are the functions that calls of graphs call.
    """

    graph: Graph
    liveness: Liveness
    names: Mapping[Value, str]
    folded: frozenset[Value]
    accumulations: Mapping[Node, int]
    stores: Mapping[Value, Value]
    callees: Mapping[GraphCell, str]

    def is_used(self, value: Value) -> bool:
        return self.liveness.is_used(value)


def make_plan(
    graph: Graph,
    fixed: Mapping[int, str],
    namespace: Namespace,
    callees: Mapping[GraphCell, str],
    *,
    in_place: bool,
    fresh: bool,
) -> Plan:
    """Decide on folding and names. ``fixed`` names parameters by their number."""
    placed = place_buffers(graph, in_place=in_place, fresh=fresh)
    placed, folded = folded_values(placed)
    graph = placed.graph
    liveness = Liveness(graph.block, folded)
    for value in placed.stores:
        liveness.read_at_end(value)
    chosen = {graph.block.parameters[k]: name for k, name in fixed.items()}
    names = assign_names(graph, liveness, placed.accumulations, folded, chosen, namespace)
    if is_asked_for():
        verify_placed(placed, folded, names)
    return Plan(graph, liveness, names, folded, placed.accumulations, placed.stores, callees)
