"""Nodes that only read what does not change, moved into the arm of a branch where they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symdiff.ir.control import cond
from symdiff.ir.graph import Block, Node, Value


def sink(block: Block, nodes: Sequence[Node]) -> None:
    """Put nodes of one result each before all else of the innermost arm that has all their readers.

    What a loop reads stays before it. Of nodes that nobody reads nothing is left.
    """
    homes = _homes(block, {node.result for node in nodes})
    placed: dict[Block, list[Node]] = {}
    for node in nodes:
        if node.result in homes:
            placed.setdefault(homes[node.result], []).append(node)
    for home, some in placed.items():
        home.nodes[:0] = some


def _homes(block: Block, wanted: set[Value]) -> dict[Value, Block]:
    """The innermost arm, or the block itself, in which each of the values is read."""
    around: dict[Block, Block] = {}
    depth = {block: 0}
    homes: dict[Value, Block] = {}
    for arm, value in _reads(block, around, depth):
        if value in wanted:
            homes[value] = _common(homes.get(value, arm), arm, around, depth)
    return homes


def _reads(
    block: Block, around: dict[Block, Block], depth: dict[Block, int]
) -> Iterator[tuple[Block, Value]]:
    """What is read, with the arm in which it is; ``around`` and ``depth`` of arms are filled."""
    pending = [(block, block)]
    while pending:
        inner, arm = pending.pop()  # the same, but in a loop
        yield from ((arm, value) for value in inner.results)
        for node in inner.nodes:
            yield from ((arm, value) for value in node.operands)
            for one in node.blocks:
                is_arm = node.op is cond and inner is arm
                if is_arm:
                    around[one], depth[one] = arm, depth[arm] + 1
                pending.append((one, one if is_arm else arm))


def _common(a: Block, b: Block, around: dict[Block, Block], depth: dict[Block, int]) -> Block:
    """The innermost arm that has two arms in it, or is one of them."""
    while a is not b:
        if depth[a] >= depth[b]:
            a = around[a]
        else:
            b = around[b]
    return a
