"""Where the values of a graph stand, and along which edges they flow.

A block enters; for each value in it, and in the blocks nested in it, leave its block, its place in
program order (the values of a loop's body before the loop's results), and what it is made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from symdiff.ir.control import LoopView, cond, in_arms, loop
from symdiff.ir.graph import Block, Node, Value

Kind = Literal["data", "turn", "control"]


class Source(NamedTuple):
    """What a value is made of: by ``"data"``, by the turn before (``"turn"``), or because it
    decides (``"control"``)."""

    value: Value
    kind: Kind = "data"


class Places:
    """The blocks of values and of blocks."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.home: dict[Value, Block] = {}
        self.number: dict[Value, int] = {}
        self.owner: dict[int, tuple[Node, Block]] = {}
        self._blocks: dict[Node, Block] = {}
        self._learn(block)

    def _learn(self, block: Block) -> None:
        self._add(block.parameters, block)
        stack: list[tuple[Block, Iterator[Node], Node | None]] = [(block, iter(block.nodes), None)]
        while stack:
            current, nodes, finished = stack.pop()
            if finished is not None:
                self._add(finished.results, current)
            node = next(nodes, None)
            if node is None:
                continue
            stack.append((current, nodes, node))
            self._blocks[node] = current
            for inner in reversed(node.blocks):
                self.owner[id(inner)] = node, current
                stack.append((inner, iter(inner.nodes), None))
            for inner in node.blocks:
                self._add(inner.parameters, inner)

    def _add(self, values: tuple[Value, ...], block: Block) -> None:
        for value in values:
            self.home[value] = block
            self.number[value] = len(self.number)

    def block_of(self, node: Node) -> Block:
        """The block that a node stands in."""
        return self._blocks[node]

    def around(self, value: Value) -> Node | None:
        """The loop or the branch in whose block a value is."""
        owner = self.owner.get(id(self.home[value]))
        return None if owner is None else owner[0]

    def conditions(self) -> Iterator[tuple[Value, Value]]:
        """Each parameter of a loop's condition, after the one of the body that it stands for."""
        for node in {id(node): node for node, _ in self.owner.values()}.values():
            view = LoopView(node) if node.op is loop else None
            if view is not None and view.condition is not None:
                yield from zip(view.body.parameters, view.condition.parameters, strict=False)

    def is_within(self, value: Value, node: Node) -> bool:
        """Return whether a value is a result of a node, or defined in one of its blocks."""
        if value.node is node:
            return True
        owner = self.owner.get(id(self.home[value]))
        while owner is not None and owner[0] is not node:
            owner = self.owner.get(id(owner[1]))
        return owner is not None

    def sources(self, value: Value) -> list[Source]:
        """What a value is made of, once for each use."""
        node = value.node
        if node is None:
            owner = self.around(value)
            return [] if owner is None or owner.op is not loop else _handed(LoopView(owner), value)
        if node.op is loop:
            return _made_by_loop(LoopView(node), value)
        if node.op is cond:
            return [*map(Source, in_arms(value)), Source(node.operands[0], "control")]
        place = node.results.index(value)
        inner = [Source(arm.results[place]) for arm in node.blocks if place < len(arm.results)]
        return [*map(Source, node.operands), *inner]


def _handed(view: LoopView, value: Value) -> list[Source]:
    """What a parameter of a loop's body is made of; one of its condition is that of the body."""
    if value not in view.body.parameters:
        condition = view.condition
        assert condition is not None
        return [Source(view.body.parameters[condition.parameters.index(value)])]
    place = view.body.parameters.index(value)
    if place == 0:
        return [] if view.count is None else [Source(view.count, "control")]
    if place > view.carry_count:
        return [Source(view.xs[place - 1 - view.carry_count])]
    return [Source(view.initial[place - 1]), Source(view.next_carries[place - 1], "turn")]


def _made_by_loop(view: LoopView, value: Value) -> list[Source]:
    """What a loop's result is in the last turn, and what decides how many turns there are."""
    place = view.node.results.index(value)
    made = [*view.body.results, view.index][place]
    deciding = [] if view.count is None else [view.count]
    deciding += [] if view.condition is None else view.condition.results
    return [Source(made), *(Source(other, "control") for other in deciding)]
