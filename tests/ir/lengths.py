"""Whether the sizes that values have by their types are the lengths of what they are at run time.

Equal symbols say equal lengths to whoever leaves out a sum over what was broadcast: that is wrong
in silence where they are not. ``Lengths`` is an environment for the reference evaluator in which
each value is held against its type and against all that is in its scope.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from symdiff.ir.control import loop, undefined
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Block, Graph, Value, walk_nodes
from symdiff.ir.types import ArrayType, Size, may_be_one


def require_lengths(graph: Graph, arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Evaluate a graph; an ``AssertionError`` tells of the first length that is not its size's."""
    return evaluate_graph(graph, arguments, Lengths(graph))


class Lengths(dict[Value, Any]):
    """Values by run-time content; the lengths that symbols stand for, by the block they are of."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.outer: dict[Block, Block | None] = {graph.block: None}
        self.home: dict[Value, Block] = dict.fromkeys(graph.block.parameters, graph.block)
        self.begun: dict[Value, Block] = {}  # bodies and conditions of loops by the turn's index
        self.bases: dict[Block, dict[str, int]] = {graph.block: {}}
        self._lay_out(graph.block)
        for node in walk_nodes(graph.block):
            if node.op is loop:
                self.begun |= {block.parameters[0]: block for block in node.blocks}

    def _lay_out(self, block: Block) -> None:
        pending = [block]
        while pending:
            block = pending.pop()
            for node in block.nodes:
                self.home.update(dict.fromkeys(node.results, block))
                for inner in node.blocks:
                    self.outer[inner], self.bases[inner] = block, {}
                    self.home.update(dict.fromkeys(inner.parameters, inner))
                    pending.append(inner)

    def update(self, pairs: Iterable[tuple[Value, Any]]) -> None:  # type: ignore[override]
        for value, content in pairs:
            self[value] = content
            if value in self.begun:
                self._begin_turn(self.begun[value])
            known = value.node is None or value.node.op is not undefined
            if isinstance(value.type, ArrayType) and isinstance(content, np.ndarray) and known:
                self._require(value, value.type, content.shape)

    def _begin_turn(self, body: Block) -> None:
        for block in self.bases:
            if body in self._scopes(block):
                self.bases[block].clear()

    def _scopes(self, block: Block | None) -> Iterable[Block]:
        """A block and those around it."""
        while block is not None:
            yield block
            block = self.outer[block]

    def _require(self, value: Value, type_: ArrayType, shape: tuple[int, ...]) -> None:
        assert len(shape) == type_.rank, f"{value} is of shape {shape}"
        for dim, length in zip(type_.shape, shape, strict=True):
            assert length != 1 or may_be_one(dim), f"{value} is of shape {shape}"
            expected = dim if isinstance(dim, int) else self._length(value, dim, length)
            assert length == expected, f"{value} is of shape {shape}: {dim} was {expected}"

    def _length(self, value: Value, dim: Size, length: int) -> int:
        """The length that a size has in a value's scope; the given one where it is the first."""
        home = self.home[value]
        for block in self._scopes(home):
            if dim.symbol in self.bases[block]:
                return max(0, self.bases[block][dim.symbol] + dim.offset)
        if length > 0 or dim.offset >= 0:
            self.bases[home][dim.symbol] = length - dim.offset
        return length
