"""Which values are written into the expression that reads them instead of getting a name.

A value is folded if one reader in its own block reads it once, its expression stays short, and nothing
between its definition and that reader would change what it reads or let something happen in another
order. Sizes and lengths of ranges are free: they are spelled wherever they are read.
"""

from __future__ import annotations

import ast
import bisect
from dataclasses import dataclass

from symdiff.emit.layout import Layout
from symdiff.emit.lower import blocks_of, in_memory, is_write, push
from symdiff.emit.names import hint_of
from symdiff.emit.ownership import Decisions, Sharing
from symdiff.ir.build import constant
from symdiff.ir.control import LoopView, call, cond, loop, undefined
from symdiff.ir.graph import Block, Graph, Node, Value
from symdiff.ops.declare import Operation

WIDTH = 88
_DEEPEST = 8
_SPARE = 4  # columns kept for what a statement has beside its expression
_COMMA = 2
_FREE = frozenset({"size", "range_length", "tape_length"})
_NEVER = (constant, undefined, loop, cond, call, push)


@dataclass(frozen=True, slots=True)
class _Shape:
    """How wide an expression is and how deep it nests."""

    width: int
    depth: int


def folded_values(
    graph: Graph, layout: Layout, sharing: Sharing, decisions: Decisions
) -> frozenset[Value]:
    """The values of a graph, with its copies in, that get no name."""
    folding = _Folding(graph, layout, sharing, decisions)
    for block in blocks_of(graph.block):
        folding.block(block)
    return frozenset(folding.folded)


class _Folding:
    def __init__(
        self, graph: Graph, layout: Layout, sharing: Sharing, decisions: Decisions
    ) -> None:
        self.graph, self.layout, self.sharing, self.decisions = graph, layout, sharing, decisions
        self.folded: dict[Value, None] = {}
        self.shapes: dict[Value, _Shape] = {}
        self.reads: dict[Value, frozenset[int]] = {}
        self.reader: dict[Value, Node | None] = {}
        self.depth: dict[Block, int] = {graph.block: 1}
        self.writes = {origin: sorted(times) for origin, times in sharing.writes.items()}
        self.effects = sorted(
            2 * layout.first[node]
            for block in blocks_of(graph.block)
            for node in block.nodes
            if node.op.effect and node.op is not push
        )
        self._find_readers()

    def _find_readers(self) -> None:
        """The reader of each value that has one only: a node of its block, or None."""
        for block in blocks_of(self.graph.block):
            for node in block.nodes:
                for inner in node.blocks:
                    self.depth[inner] = self.depth[block] + 1
                for value in node.operands:
                    once = value not in self.reader and self.layout.home[value] is block
                    self.reader[value] = node if once else None
            for value in block.results:
                self.reader[value] = None

    def block(self, block: Block) -> None:
        for node in block.nodes:
            if node.op in _NEVER or len(node.results) != 1:
                continue
            value = node.result
            if not isinstance(node.op, Operation) or node.op.spelling is None:
                continue
            if self.is_free(node):
                self.fold(value, node)
            elif self.is_foldable(value, node, block):
                self.fold(value, node)

    def fold(self, value: Value, node: Node) -> None:
        self.folded[value] = None
        self.shapes[value] = self.shape(node)
        reads = {o for v in node.operands for o in self.read_by(v)}
        self.reads[value] = frozenset(reads)

    def read_by(self, value: Value) -> frozenset[int]:
        """Origins of the memory that evaluating an operand's expression looks at."""
        if value in self.folded:
            return self.reads[value]
        known = self.sharing.origins.get(value, frozenset())
        return known | self.sharing.contents.get(value, frozenset())

    # Rules

    def is_free(self, node: Node) -> bool:
        """Spelled wherever it is read: lengths that nothing changes."""
        if node.op.name not in _FREE:
            return False
        if node.op.name == "range_length":
            return all(self.is_simple(v) for v in node.operands)
        value = node.result
        (base,) = node.operands
        if base in self.folded:
            return False
        return not self.is_written(self.read_by(base), self.layout.born[value], self.layout.end(value))

    def is_simple(self, value: Value) -> bool:
        return value not in self.folded or value.node is not None and value.node.op.name in _FREE

    def is_foldable(self, value: Value, node: Node, block: Block) -> bool:
        if node.op.effect or is_write(node) or node in self.decisions.accumulations:
            return False
        if value.name is not None and not _is_own_copy(node):
            return False
        reader = self.sole_reader(value, node, block)
        if reader is None or not self.is_short(value, node, reader, block):
            return False
        return self.is_still(value, node, reader)

    def sole_reader(self, value: Value, node: Node, block: Block) -> Node | None:
        """The node into whose statement the value's expression can go."""
        reader = self.reader.get(value)
        if reader is None or reader.op in (call, undefined):
            return None
        if reader.op is loop:
            view = LoopView(reader)
            return reader if view.count is value else None
        position = reader.operands.index(value)
        if is_write(reader) and position == 0:
            return None
        if self.decisions.accumulations.get(reader) == position:
            return None
        if isinstance(reader.op, Operation) and position in reader.op.repeated:
            return None
        return reader

    def is_short(self, value: Value, node: Node, reader: Node, block: Block) -> bool:
        shape = self.shape(node)
        if shape.depth > _DEEPEST:
            return False
        room = WIDTH - _SPARE - 4 * self.depth[block]
        others = sum(
            self.shape_of(v).width + _COMMA for v in reader.operands if v is not value
        )
        target = sum(len(hint_of(v)) + _COMMA for v in reader.results)
        return shape.width + others + target + self.overhead(reader) <= room

    def is_still(self, value: Value, node: Node, reader: Node) -> bool:
        """Whether evaluating at the reader instead of here makes no difference."""
        start, end = self.layout.born[value], 2 * self.layout.first[reader]
        reads = frozenset(o for v in node.operands for o in self.read_by(v))
        if self.is_written(reads, start, end):
            return False
        return not _between(self.effects, start, end) or not (reads or node.op.raises)

    def is_written(self, origins: frozenset[int], start: int, end: int) -> bool:
        return any(_between(self.writes.get(origin, []), start, end) for origin in origins)

    # Widths

    def shape_of(self, value: Value) -> _Shape:
        if value in self.folded:
            return self.shapes[value]
        if value.node is not None and value.node.op is constant:
            return _Shape(len(repr(value.node.attributes["value"])), 0)
        return _Shape(len(hint_of(value)), 0)

    def shape(self, node: Node) -> _Shape:
        parts = [self.shape_of(v) for v in node.operands]
        width = self.overhead(node) + sum(part.width for part in parts)
        return _Shape(width, 1 + max((part.depth for part in parts), default=0))

    def overhead(self, node: Node) -> int:
        """The columns of a node's spelling besides its operands."""
        if not isinstance(node.op, Operation) or node.op.spelling is None:
            return _SPARE
        if is_write(node):
            return _SPARE + 4 * len(node.attributes.get("key", ()))
        spelled = node.op.spelling(node, [_HOLE] * len(node.operands))
        return width_of(spelled)


def _is_own_copy(node: Node) -> bool:
    """Whether emission made the node: a copy under the name of what it copies."""
    return node.op.name in ("copy", "list_copy") and node.result.name == node.operands[0].name


_HOLE = ast.Name("", ast.Load())


def _between(times: list[int], start: int, end: int) -> bool:
    """Whether one of the sorted times lies strictly between."""
    return bisect.bisect_left(times, end) > bisect.bisect_right(times, start)


_WIDTHS = {ast.BinOp: 3, ast.Compare: 4, ast.Call: 2, ast.Subscript: 2, ast.Attribute: 1, ast.UnaryOp: 1}


def width_of(tree: ast.AST) -> int:
    """About how many columns an expression takes."""
    total = 0
    for node in ast.walk(tree):
        total += _WIDTHS.get(type(node), 0)
        if isinstance(node, ast.Name):
            total += len(node.id)
        elif isinstance(node, ast.Attribute):
            total += len(node.attr)
        elif isinstance(node, ast.Constant):
            total += len(repr(node.value))
        elif isinstance(node, ast.Tuple | ast.List):
            total += 2 * len(node.elts)
        elif isinstance(node, ast.keyword):
            total += len(node.arg or "") + 3
    return total
