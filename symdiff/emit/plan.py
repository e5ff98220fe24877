"""Everything that is decided about a graph before any of it is printed, in this order."""

from __future__ import annotations

from collections.abc import Mapping

from symdiff.dataclass import dataclass
from symdiff.emit.copies import with_copies
from symdiff.emit.folding import folded_values
from symdiff.emit.liveness import Liveness
from symdiff.emit.lower import is_write, lowered
from symdiff.emit.names import assign_names
from symdiff.emit.namespace import Namespace
from symdiff.emit.schedule import schedule
from symdiff.ir.control import LoopView, cond, in_arms, loop
from symdiff.ir.graph import Graph, GraphCell, Node, Value


@dataclass(frozen=True, slots=True)
class Plan:
    """``graph`` is lowered, with its copies in.

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
    """Decide on copies, folding, and names. ``fixed`` names parameters by their number."""
    graph = lowered(graph)
    schedule(graph.block)
    parameters = graph.block.parameters
    written = [parameters[k] for k in graph.mutated] if in_place else []
    liveness, sharing, decisions = with_copies(graph, written, fresh)
    numbers = graph.mutated if in_place else {}
    finals = {parameters[k]: graph.block.results[result] for k, result in numbers.items()}
    folded = folded_values(graph, liveness, sharing, decisions, finals.values())
    liveness = Liveness(graph.block, folded)
    stores = {}
    for value, final in finals.items():
        if not _is_same_memory(value, final, decisions.accumulations):
            stores[value] = final
            liveness.uses.setdefault(value, []).append(
                (2 * liveness.scopes[graph.block].end, graph.block)
            )
    chosen = {parameters[k]: name for k, name in fixed.items()}
    names = assign_names(graph, liveness, decisions, folded, chosen, namespace)
    return Plan(graph, liveness, names, folded, dict(decisions.accumulations), stores, callees)


def _is_same_memory(parameter: Value, final: Value, accumulations: Mapping[Node, int]) -> bool:
    """Return whether the final value is the parameter's own array on every path."""
    pending = [final]
    seen = {final}
    while pending:
        value = pending.pop()
        if value is parameter:
            continue
        sources = _same_memory(value, accumulations)
        if sources is None:
            return False
        pending += [v for v in sources if v not in seen]
        seen.update(sources)
    return True


def _same_memory(value: Value, accumulations: Mapping[Node, int]) -> tuple[Value, ...] | None:
    node = value.node
    if node is None:
        return None
    if is_write(node):
        return node.operands[:1]
    if node in accumulations:
        return (node.operands[accumulations[node]],)
    if node.op is cond:
        return in_arms(value)
    if node.op is loop:
        return _carried_memory(LoopView(node), value)
    return None


def _carried_memory(view: LoopView, final: Value) -> tuple[Value, ...] | None:
    """The initial value of a carry that every turn leaves in its memory."""
    if final not in view.finals:
        return None
    number = view.finals.index(final)
    value = view.next_carries[number]
    while value is not view.carries[number]:
        if value.node is None or not is_write(value.node):
            return None
        value = value.node.operands[0]
    return (view.initial[number],)
