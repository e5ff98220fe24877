"""What differs over a batch: a block and the values that do enter, all that follow from them leave.

Loops and branches are gone through again until nothing changes: what a turn hands on may have lanes
where what the loop starts from has none. Each pass is linear in the size of the block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from itertools import chain

from symdiff.dataclass import dataclass
from symdiff.differentiate.operands import numbers_computed
from symdiff.ir.build import constant_value, is_constant
from symdiff.ir.called import called_by
from symdiff.ir.control import CALLS, LoopView, cond, loop
from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ir.types import FLOAT
from symdiff.ops.declare import array_type
from symdiff.ops.elementary import power
from symdiff.ops.partial import reached
from symdiff.ops.retype import retype


@dataclass(slots=True)
class Spread:
    """The values with lanes, and the nodes that read one, or in which one is read."""

    values: set[Value] = field(default_factory=set)
    nodes: set[Node] = field(default_factory=set)

    def __contains__(self, value: Value) -> bool:
        return value in self.values

    @property
    def size(self) -> int:
        return len(self.values) + len(self.nodes)


@dataclass(frozen=True, slots=True)
class _Visit:
    """A node on the way in (to the blocks of it) or out, and the node that it stands in."""

    node: Node
    owner: Node | None
    enters: bool


def spread_from(block: Block, sources: Iterable[Value]) -> Spread:
    """What has lanes in a block, if ``sources`` have."""
    found, visits = Spread(set(sources)), list(_visits(block))
    before = -1
    while found.size != before:
        before = found.size
        for visit in visits:
            (_enter if visit.enters else _leave)(found, visit)
    return found


def disguised(block: Block) -> set[Value]:
    """The numbers that are typed as floats and may be integers at run time."""
    typed = [value for node in walk_nodes(block) if _widens(node) for value in node.results]
    return reached(block, typed, numbers_computed) if typed else set()


def complexes(block: Block) -> set[Value]:
    """The numbers that are typed as floats of Python's and may be complex at run time."""
    roots = [node.result for node in walk_nodes(block) if _may_leave_reals(node)]
    return reached(block, roots, numbers_computed) if roots else set()


def _may_leave_reals(node: Node) -> bool:
    """Return whether a node may be a power of a negative number, by one that is not whole."""
    if node.op is not power or node.result.type != FLOAT:
        return False
    by = node.operands[1]
    return not (is_constant(by) and float(constant_value(by)).is_integer())


def _widens(node: Node) -> bool:
    """Return whether numbers are typed as what they may not be, here or in what is called."""
    if node.op in CALLS:
        graph = node.attributes["callee"].graph
        inside = (walk_nodes(one.block) for one in (graph, *called_by(graph)))
        return any(_widens(one) for nodes in inside for one in nodes if one.op is retype)
    if node.op is not retype:
        return False
    before, after = array_type(node.operands[0]), array_type(node.result)
    return before.dtype != after.dtype and after.differentiable


def _visits(block: Block) -> Iterator[_Visit]:
    stack: list[tuple[Iterator[Node], Node | None]] = [(iter(block.nodes), None)]
    while stack:
        nodes, owner = stack[-1]
        node = next(nodes, None)
        if node is None:
            stack.pop()
            if owner is not None:
                yield _Visit(owner, stack[-1][1], False)
        elif node.blocks:
            yield _Visit(node, owner, True)
            stack.append((chain.from_iterable(inner.nodes for inner in node.blocks), node))
        else:
            yield _Visit(node, owner, False)


def _enter(found: Spread, visit: _Visit) -> None:
    if visit.node.op is not loop:
        return
    view = LoopView(visit.node)
    pairs = [*zip(view.initial, view.carries, strict=True)]
    pairs += zip(view.xs, view.elements, strict=True)
    found.values.update(parameter for value, parameter in pairs if value in found.values)
    if view.condition is not None:
        asked = zip(view.carries, view.condition.parameters[1:], strict=True)
        found.values.update(inner for carry, inner in asked if carry in found.values)


def _leave(found: Spread, visit: _Visit) -> None:
    node = visit.node
    values = found.values
    read = any(v in values for v in node.operands)
    read = read or any(v in values for block in node.blocks for v in block.results)
    if read or node in found.nodes:
        found.nodes.add(node)
        if visit.owner is not None:
            found.nodes.add(visit.owner)
        _follow(found, node)


def _follow(found: Spread, node: Node) -> None:
    if node.op is loop:
        _follow_loop(found, LoopView(node))
    elif node.op is cond and node.operands[0] not in found.values:
        for arms in zip(node.results, *(block.results for block in node.blocks), strict=True):
            if any(value in found.values for value in arms[1:]):
                found.values.add(arms[0])
    elif not getattr(node.op, "uniform", False):
        found.values.update(node.results)


def _follow_loop(found: Spread, view: LoopView) -> None:
    values = found.values
    if is_divergent(view, found):
        values.update(view.carries)
        values.update(view.node.results)
    for parameter, after, final in zip(view.carries, view.next_carries, view.finals, strict=True):
        if parameter in values or after in values:
            values.update((parameter, final))
    values.update(y for y, pushed in zip(view.ys, view.pushed, strict=True) if pushed in values)


def is_divergent(view: LoopView, found: Spread) -> bool:
    """Return whether a loop may end after another number of turns in each lane."""
    if view.count is not None and view.count in found:
        return True
    return view.condition is not None and view.condition.results[0] in found
