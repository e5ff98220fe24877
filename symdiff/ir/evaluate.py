"""The reference evaluator: a graph and its arguments enter, the values of its results leave.

Slow and plain: each op by its own ``evaluate``, control flow by structure. Every op is pure, arrays
are never changed, so values may share memory. A tape is a list indexed by the turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from symdiff.errors import InternalError
from symdiff.ir.control import CALLS, LoopView, cond, loop
from symdiff.ir.graph import Block, Graph, GraphCell, Node, Value

Environment = dict[Value, Any]


def evaluate_graph(
    graph: Graph, arguments: Sequence[Any], known: Environment | None = None
) -> tuple[Any, ...]:
    """What the block of ``graph`` results in for these values of its parameters.

    :param known: where values are noted, by ``update``, as they are computed.
    """
    return _block(graph.block, arguments, {} if known is None else known)


def _block(block: Block, arguments: Iterable[Any], known: Environment) -> tuple[Any, ...]:
    """Run a block. Values of nested blocks are defined anew each time: one environment serves."""
    known.update(zip(block.parameters, arguments, strict=True))
    for node in block.nodes:
        known.update(zip(node.results, _results(node, known), strict=True))
    return tuple(known[value] for value in block.results)


def _results(node: Node, known: Environment) -> Sequence[Any]:
    if node.op is loop:
        return _loop(LoopView(node), known)
    if node.op is cond:
        taken = node.blocks[0 if known[node.operands[0]] else 1]
        return _block(taken, (), known)
    operands = [known[value] for value in node.operands]
    if node.op in CALLS:
        return evaluate_graph(_callee(node), operands)
    if node.op.evaluate is None:
        raise InternalError(f"op {node.op.name!r} has no reference meaning", node.span)
    result = node.op.evaluate(*operands, **node.attributes)
    if len(node.results) == 1:
        return (result,)
    return tuple(result) if node.results else ()


def _callee(node: Node) -> Graph:
    cell: GraphCell = node.attributes["callee"]
    if cell.graph is None:
        raise InternalError(f"graph {cell.name!r} was never filled", node.span)
    return cell.graph


def _loop(view: LoopView, known: Environment) -> Sequence[Any]:
    carries: tuple[Any, ...] = tuple(known[value] for value in view.initial)
    tapes = [known[value] for value in view.xs]
    pushed: list[tuple[Any, ...]] = []
    count = None if view.count is None else max(int(known[view.count]), 0)
    turn = 0
    while turn != count and _goes_on(view, turn, carries, known):
        index = count - 1 - turn if view.reverse and count is not None else turn
        elements = (tape[index] for tape in tapes)
        results = _block(view.body, (index, *carries, *elements), known)
        carries, element = results[: view.carry_count], results[view.carry_count :]
        pushed.append(element)
        turn += 1
    if view.reverse:
        pushed.reverse()
    ys = [[element[k] for element in pushed] for k in range(len(view.ys))]
    return (*carries, *ys, turn)


def _goes_on(view: LoopView, turn: int, carries: tuple[Any, ...], known: Environment) -> bool:
    if view.condition is None:
        return True
    return bool(_block(view.condition, (turn, *carries), known)[0])
