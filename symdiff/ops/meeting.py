"""Lengths that meet: different ones on one axis of a broadcast, of which one could be 1.

A derivative has to ask at run time which of them it was, and a loop to keep the answer turn by
turn, where nobody knows that they are equal: ``c[1:-1] * u[1:-1]`` of arrays of lengths ``c.0`` and
``u.0``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ir.types import ArrayType, Dim, Size, may_be_one
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.facts import made_by
from symdiff.ops.index import index, index_add, index_set, key_of
from symdiff.ops.keys import Key, Slot

Meeting = tuple[Size, Size]


def meetings(block: Block) -> Iterator[Meeting]:
    """The pairs of lengths that meet in a block and the blocks in it, where one may be 1."""
    for node in walk_nodes(block):
        yield from _rows_of(node)
        for one, other in _pairs(_broadcast(node)):
            if may_be_one(one) or may_be_one(other):
                yield one, other


def sure_meetings(block: Block) -> Iterator[Meeting]:
    """The pairs of lengths that meet, neither of them 1: they are equal, or NumPy raises."""
    for node in walk_nodes(block):
        shapes = _broadcast(node)
        if not shapes and isinstance(node.op, DeclaredOp) and node.op.elementwise:
            shapes = [_shape(value.type) for value in node.operands]
        for one, other in (*_pairs(shapes), *_contracted(node)):
            if not may_be_one(one) and not may_be_one(other):
                yield one, other


def _contracted(node: Node) -> Iterator[Meeting]:
    """The lengths along which a product of matrices is summed."""
    if node.op.name not in ("matmul", "dot"):
        return
    a, b = (_shape(value.type) for value in node.operands)
    if a and b:
        yield from _pairs([a[-1:], b[-2:-1] or b])


def _pairs(shapes: Sequence[tuple[Dim, ...]]) -> Iterator[Meeting]:
    """Different lengths on one axis of shapes that are broadcast together."""
    rank = max(map(len, shapes), default=0)
    padded = ((1,) * (rank - len(shape)) + shape for shape in shapes)
    for dims in zip(*padded, strict=True):
        yield from combinations([dim for dim in dict.fromkeys(dims) if isinstance(dim, Size)], 2)


def _rows_of(node: Node) -> Iterator[Meeting]:
    """How many rows an array has, and to how many a key goes: ``x[np.arange(n), k]``."""
    if node.op not in (index, index_add) or not _is_by_rows(*key_of(node)):
        return
    rows, *_ = _shape(node.operands[0].type)
    counts = [dim for place in key_of(node)[1] for dim in _shape(place.type)]
    for count in counts:
        if isinstance(count, Size) and isinstance(rows, Size) and count != rows:
            yield count, rows


def _is_by_rows(key: Key, dynamic: Sequence[Value]) -> bool:
    return key == (Slot(0), Slot(1)) and made_by(dynamic[0], "arange") is not None


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
