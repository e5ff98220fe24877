"""In which order arrays lie in memory, where that is known of the values of a lowered graph.

A sum over an array adds in the order in which it lies, so the emitted program's arrays lie as the
user's do.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdiff.ir.control import LoopView, cond, in_arms, loop
from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ir.types import ArrayType, Type
from symdiff.ops.creation import is_made_like
from symdiff.ops.declare import array_type
from symdiff.ops.index import index_add, index_set
from symdiff.ops.memory_order import keeps_order
from symdiff.ops.shape import contiguous


def is_line(type_: Type) -> bool:
    """Return whether all elements lie along one axis: such an array has one order only."""
    return isinstance(type_, ArrayType) and sum(dim != 1 for dim in type_.shape) < 2


Carried = dict[Value, tuple[Value, ...]]


def carried_values(block: Block) -> Carried:
    """What carries of loops are, from turn to turn."""
    found: Carried = {}
    for node in walk_nodes(block):
        if node.op is loop:
            view = LoopView(node)
            rows = zip(view.carries, view.initial, view.next_carries, view.finals, strict=True)
            for carry, initial, following, final in rows:
                found[carry] = found[final] = (initial, following)
    return found


def in_c_order(
    value: Value, carried: Carried, accumulations: Mapping[Node, int] | None = None
) -> bool:
    """Return whether the array is known to be C-contiguous, through writes, branches and loops.

    Sums of ``accumulations`` lie in the operand of that number.
    """
    written = accumulations or {}
    seen = {value}
    pending = [value]
    while pending:
        current = pending.pop()
        sources = carried.get(current) or _written(current, written) or _sources(current)
        if sources is None:
            return False
        new = [v for v in sources if v not in seen]
        seen.update(new)
        pending.extend(new)
    return True


def lies_as_sum(base: Value, other: Value, carried: Carried) -> bool:
    """Return whether ``base``, of the sum's shape, lies in memory as its sum with another operand
    does.
    """
    pending, seen = [other], {base}
    while pending:
        current = pending.pop()
        if current in seen or not isinstance(current.type, ArrayType) or is_line(current.type):
            continue
        seen.add(current)
        if current.node is None or not keeps_order(current.node) or not _is_whole(current, base):
            return in_c_order(base, carried) and in_c_order(other, carried)
        pending.extend(current.node.operands)
    return True


def _written(value: Value, accumulations: Mapping[Node, int]) -> tuple[Value, ...] | None:
    node = value.node
    if node is None or node not in accumulations:
        return None
    return (node.operands[accumulations[node]],)


def _is_whole(value: Value, base: Value) -> bool:
    return array_type(value).shape == array_type(base).shape


def _sources(value: Value) -> tuple[Value, ...] | None:
    """Values whose order the array has: none where it is C's, None where it is unknown."""
    node = value.node
    if node is None:
        return None
    if node.op.order == "packed" or node.op is contiguous:
        return () if node.attributes.get("order", "C") == "C" and not is_made_like(node) else None
    if node.op in (index_set, index_add):
        return node.operands[:1]
    if node.op is cond:
        return in_arms(value)
    if node.op.order in ("kept", "reduced"):
        return tuple(v for v in node.operands if isinstance(v.type, ArrayType) and v.type.rank > 1)
    return None
