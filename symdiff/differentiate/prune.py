"""Dead code in a derivative under construction: nodes that nothing reads go, in place.

A list of nodes and the values wanted of it enter; only what those need stays. Carries, tapes and
results of branches that nothing reads go as well. Values defined elsewhere may be read freely;
effects stay.
"""

from __future__ import annotations

from collections.abc import Iterable

from symdiff.ir.control import LoopView, loop
from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ir.needed import LoopParts, Needed


def prune(nodes: list[Node], wanted: Iterable[Value]) -> None:
    """Drop from ``nodes`` what neither ``wanted`` nor an effect needs."""
    needed = Needed(nodes)
    needed.need_nodes(node for node in walk_nodes(Block((), nodes)) if node.op.effect)
    needed.need(wanted)
    pending = [nodes]
    while pending:
        inner = pending.pop()
        inner[:] = [node for node in inner if node in needed.nodes]
        for node in inner:
            if node.op is loop:
                _narrow_loop(needed.parts(LoopView(node)))
            elif node.blocks:
                _narrow_arms(node, needed.results(node))
            pending.extend(block.nodes for block in node.blocks)


def _narrow_loop(kept: LoopParts) -> None:
    """Leave only some parts of a loop."""
    view = kept.view
    node, body, condition = view.node, view.body, view.condition
    operands, parameters, given, results = kept.operands, kept.parameters, kept.given, kept.results
    if condition is not None:
        condition.parameters = kept.tested
    node.attributes = kept.attributes
    node.operands, node.results = operands, results
    body.parameters, body.results = parameters, given


def _narrow_arms(node: Node, kept: list[int]) -> None:
    node.results = tuple(node.results[k] for k in kept)
    for block in node.blocks:
        narrow(block, kept)


def narrow(block: Block, kept: list[int]) -> None:
    """Keep only some results of a block."""
    block.results = tuple(block.results[k] for k in kept)
