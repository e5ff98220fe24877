"""A computation graph as text: the user's lines, and below each the nodes that it computes.

What a node is computed from stands under its label, so that the text can be followed by eye; to the
right stands what the backward sweep does there. Blocks of loops and branches are indented.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from symdiff.graphs.effects import is_effect, spelled_effect
from symdiff.graphs.spelling import UNNAMED, shortened, spelled
from symdiff.graphs.statements import Statement, statement_at
from symdiff.ir.control import cond, loop
from symdiff.ir.graph import Block, Node, Value

if TYPE_CHECKING:
    from symdiff.graphs.nodes import GraphNode
    from symdiff.graphs.view import ComputationGraph

_INDENT = "    "
_WIDEST = 76  # columns: where what the backward sweep does stands at most
Row = tuple[str, str]  # left, right
Rows: TypeAlias = "Iterator[Row | Rows]"


def text_of(graph: ComputationGraph) -> str:
    """The whole graph, a line a node."""
    rows = [_row(graph, node, 0) for node in graph.inputs.values()]
    rows += _Writer(graph).rows()
    returned = ", ".join(node.label for node in graph.returned) or "nothing that it computes"
    ends = [f"returns {returned}"]
    if graph.written:
        ends.append(f"leaves {', '.join(node.label for node in graph.written)} behind")
    lines = [f"graph of {graph.name}:", *_aligned(rows), *(f"      {end}" for end in ends)]
    return "\n".join(lines)


def _aligned(rows: list[Row]) -> list[str]:
    """Left and right parts, the right ones below each other where the left ones are short."""
    widths = [len(left) for left, right in rows if right]
    width = min(_WIDEST, max(widths, default=0))
    return [f"{left:<{width}}  {right}".rstrip() for left, right in rows]


def _label(graph: ComputationGraph, value: Value) -> str:
    return graph.node(value).label if graph.has(value) else UNNAMED


def _row(graph: ComputationGraph, node: GraphNode, depth: int) -> Row:
    made = spelled(node.value, graph.places, functools.partial(_label, graph))
    left = f"{node.label}: {node.type_text}" + (f" = {made}" if made else "")
    if node.value.node is not None and is_effect(node.value.node):
        right = "effect"
    else:
        right = node.grad_fn.name() if node.grad_fn else "requires_grad" * node.requires_grad
    return f"      {_INDENT * depth}{left}", right


class _Writer:
    """Goes through the blocks in program order; shows a line of the user's where it changes."""

    def __init__(self, graph: ComputationGraph) -> None:
        self._graph = graph
        self._shown: Statement | None = None
        self._filled = _filled(graph)

    def rows(self) -> Iterator[Row]:
        """The rows of all computed nodes."""
        stack: list[Rows] = [self._block(self._graph.places.block, 0)]
        while stack:
            item = next(stack[-1], None)
            if item is None:
                stack.pop()
            elif isinstance(item, tuple):
                yield item
            else:
                stack.append(item)

    def _block(self, block: Block, depth: int) -> Rows:
        for node in block.nodes:
            results = [self._graph.node(v) for v in node.results if self._graph.has(v)]
            filled = [k for k, inner in enumerate(node.blocks) if id(inner) in self._filled]
            does = is_effect(node) and not results
            if not (results or filled or does):
                continue
            yield from self._line(node, depth)
            if does:
                text = spelled_effect(node, functools.partial(_label, self._graph))
                yield f"      {_INDENT * depth}{text}", "effect"
            for number in filled:
                yield from self._opening(node, number, depth)
                yield self._block(node.blocks[number], depth + 1)
            if filled and results:
                self._shown = None
                yield f"      {_INDENT * depth}afterwards", ""
            yield from (_row(self._graph, result, depth) for result in results)

    def _line(self, node: Node, depth: int) -> Iterator[Row]:
        """The user's line, where it is another than that of the node before."""
        statement = None if node.span is None else statement_at(node.span)
        if statement is None or statement == self._shown:
            return
        self._shown = statement
        text = shortened(statement.text, _WIDEST - len(_INDENT) * depth)
        yield f"{self._place(statement):>4} | {_INDENT * depth}{text}", ""

    def _place(self, statement: Statement) -> str:
        """The line's number; with its file where that is another than the function's."""
        home = self._graph.span
        if home is None or home.file == statement.file:
            return str(statement.line)
        return f"{os.path.basename(statement.file)}:{statement.line}"

    def _opening(self, node: Node, number: int, depth: int) -> Iterator[Row]:
        """What a block is, and what it is given."""
        yield f"      {_INDENT * depth}{block_title(node, number)}", ""
        for value in node.blocks[number].parameters:
            if self._graph.has(value):
                yield _row(self._graph, self._graph.node(value), depth + 1)


def _filled(graph: ComputationGraph) -> set[int]:
    """The blocks, by ``id``, in which, or in blocks of which, there are nodes or effects."""
    found: set[int] = set()
    homes = [graph.places.home[node.value] for node in graph]
    homes += (graph.places.block_of(effect.ir) for effect in graph.effects)
    for block in homes:
        while id(block) not in found:
            found.add(id(block))
            owner = graph.places.owner.get(id(block))
            block = block if owner is None else owner[1]
    return found


def block_title(node: Node, number: int) -> str:
    """What a nested block is."""
    if node.op is loop:
        return "as long as" if number else "each turn"
    if node.op is cond:
        return "else" if number else "if true"
    return f"block {number + 1}"
