"""Graph → placed graph: the one function that a back end calls, with its steps in order.

In a placed graph every write is made in place, every copy is a node, every element of a tape is
stored by a node. What is decided beside the nodes: which sums are written over an operand, and
which results are stored into the caller's arrays at the end.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdiff.buffers.copies import with_copies
from symdiff.buffers.liveness import Liveness
from symdiff.buffers.lower import is_write, lowered
from symdiff.buffers.memory import Sharing
from symdiff.buffers.own_shapes import with_own_shapes
from symdiff.buffers.schedule import schedule
from symdiff.dataclass import dataclass
from symdiff.ir.control import LoopView, cond, in_arms, loop
from symdiff.ir.graph import Graph, Node, Value


@dataclass(frozen=True, slots=True)
class Placed:
    """``graph`` is lowered, with its copies in; ``liveness`` tells when its values are read.

    ``sharing`` tells which values may lie in one memory. ``accumulations`` maps sums that are
    written into an operand to the number of that operand. ``finals`` maps parameters that the
    caller sees changed to what they are at the end, ``stores`` those of them that have to be stored
    into the caller's arrays then. ``fresh``: results share no memory with anything else.
    """

    graph: Graph
    liveness: Liveness
    sharing: Sharing
    accumulations: Mapping[Node, int]
    finals: Mapping[Value, Value]
    stores: Mapping[Value, Value]
    fresh: bool

    def written(self, node: Node) -> Value | None:
        """The operand in whose memory a node's first result lies, where it writes to one."""
        if is_write(node):
            return node.operands[0]
        number = self.accumulations.get(node)
        return None if number is None else node.operands[number]


def place_buffers(graph: Graph, *, in_place: bool, fresh: bool) -> Placed:
    """Decide on order, copies and writes of a graph, which itself stays as it is.

    ``in_place``: final values of mutated arguments are stored into the caller's arrays, which may
    be written to before. ``fresh``: results are nobody else's memory. Nearly linear in the size of
    the graph.
    """
    placed = lowered(graph)
    with_own_shapes(placed.block, placed.partial)
    schedule(placed.block)
    parameters = placed.block.parameters
    written = [parameters[k] for k in placed.mutated] if in_place else []
    liveness, sharing, decisions = with_copies(placed, written, fresh)
    accumulations = dict(decisions.accumulations)
    results = placed.block.results
    numbers = placed.mutated if in_place else {}
    finals = {parameters[k]: results[result] for k, result in numbers.items()}
    stores = {
        value: final
        for value, final in finals.items()
        if not _is_same_memory(value, final, accumulations)
    }
    return Placed(placed, liveness, sharing, accumulations, finals, stores, fresh)


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
