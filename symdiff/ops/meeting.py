"""Lengths that meet: different ones on one axis of a broadcast, of which one could be 1.

A derivative has to ask at run time which of them it was, and a loop to keep the answer turn by
turn, where nobody knows that they are equal: ``c[1:-1] * u[1:-1]`` of arrays of lengths ``c.0`` and
``u.0``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from symdiff.ir.graph import Block, Node, walk_nodes
from symdiff.ir.types import ArrayType, Dim, Size, may_be_one
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.index import index_add, index_set

Meeting = tuple[Size, Size]


def meetings(block: Block) -> Iterator[Meeting]:
    """The pairs of lengths that meet in a block and the blocks in it."""
    for node in walk_nodes(block):
        shapes = _broadcast(node)
        rank = max(map(len, shapes), default=0)
        padded = ((1,) * (rank - len(shape)) + shape for shape in shapes)
        for dims in zip(*padded, strict=True):
            sizes = [dim for dim in dict.fromkeys(dims) if isinstance(dim, Size)]
            for one, other in combinations(sizes, 2):
                if may_be_one(one) or may_be_one(other):
                    yield one, other


def is_elementwise(node: Node) -> bool:
    """Return whether a node broadcasts its operands, and computes element by element."""
    return isinstance(node.op, DeclaredOp) and node.op.partials is not None


def _broadcast(node: Node) -> list[tuple[Dim, ...]]:
    """The shapes that a node broadcasts with one another."""
    if node.op in (index_set, index_add):
        return [node.attributes["shape"], _shape(node.operands[1].type)]
    if is_elementwise(node):
        return [_shape(value.type) for value in node.operands]
    return []


def _shape(type_: object) -> tuple[Dim, ...]:
    return type_.shape if isinstance(type_, ArrayType) else ()
