"""Which values are written into the expression that reads them instead of getting a name.

A value is folded if one reader in its own block reads it once, its expression stays short, and
nothing between its definition and that reader would change what it reads or let something happen in
another order. Sizes and lengths of ranges are free: they are spelled wherever they are read.

Where two values would make a line too long, the longer one gets a name: so a long sum is cut where
a line is full, and its terms stay in it.

    t1 = a * b * c                        t1 = s + a * b * c + d * e * f
    t2 = s + t1 + d * e * f      ─▶       t2 = t1 + g * h * i
    t3 = g * h * i
    t2 = t2 + t3
"""

from __future__ import annotations

import ast
import bisect
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import takewhile

from symdiff.buffers.facts import may_be_operand
from symdiff.buffers.lower import blocks_of, is_write, push
from symdiff.buffers.order import carried_values, is_line, lies_as_sum
from symdiff.buffers.placed import Placed
from symdiff.dataclass import dataclass
from symdiff.emit.expressions import subscript
from symdiff.emit.names import hint_of
from symdiff.emit.outside import part
from symdiff.emit.text import WIDTH
from symdiff.ir.build import constant, is_constant
from symdiff.ir.control import CALLS, LoopView, cond, loop, undefined
from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ir.structure import leaves_by_case
from symdiff.ir.types import INT, ArrayType
from symdiff.ops.declare import DeclaredOp, Spelling, is_spelled_by_attributes
from symdiff.ops.effects import Made, Text, enter_context, leave_context
from symdiff.ops.facts import may_raise
from symdiff.ops.index import index, index_add, index_set, is_view
from symdiff.ops.keys import spell_key
from symdiff.ops.texts import text_call, text_made
from symdiff.source.constants import written
from symdiff.source.trees import parts_of

_DEEPEST = 8
_MOST = 64  # values that are looked at for one operand
_LARGER = 2  # what is so many times as wide as another gets the name
_SPARE = 4  # columns kept for what a statement has beside its expression
_LEAST = WIDTH // 2  # room, however deep a statement stands
_COMMA = 2
_RETURN = 7
_FREE = frozenset({"size", "range_length", "tape_length"})
CASTS = ("python_float", "as_scalar", "contiguous", "copy")
_SUMS = ("add", "subtract")
_COPIES = ("copy", "list_copy", "copy_if_any")
_NEVER = (constant, undefined, loop, cond, *CALLS, push)


@dataclass(frozen=True, slots=True)
class _Shape:
    """How wide an expression is and how deep it nests."""

    width: int
    depth: int


def folded_values(placed: Placed) -> tuple[Placed, frozenset[Value]]:
    """The values of a graph that get no name; what the caller's arrays become gets one.

    Sums that were to be written over an operand are not where that is folded into them: so the
    graph is given back with those that still are.
    """
    folding = _Folding(placed)
    folding.reader.update((value, None) for value in placed.finals.values())
    for block in blocks_of(placed.graph.block):
        folding.block(block)
    return replace(placed, accumulations=folding.accumulations), frozenset(folding.folded)


def has_fields(node: Node) -> bool:
    """Return whether there is an f-string in what a node is spelled with."""
    pending = list(node.attributes.values())
    while pending:
        part_ = pending.pop()
        if isinstance(part_, Text):
            return True
        if isinstance(part_, tuple | list | Made):
            pending += part_.items if isinstance(part_, Made) else part_
    return False


Reader = Node | Block  # a block reads what it results in
Spelled = tuple[int, Sequence[int]]  # columns besides operands, and how often each is written


class _Folding:
    def __init__(self, placed: Placed) -> None:
        graph, liveness, sharing = placed.graph, placed.liveness, placed.sharing
        self.graph, self.liveness, self.sharing = graph, liveness, sharing
        self.accumulations = dict(placed.accumulations)
        self.carried = carried_values(graph.block)
        self.folded: dict[Value, None] = {}
        self.named: set[Value] = set()  # of which it is known that they are not
        self.of_texts: set[Value] = set()  # in whose expressions there are strings
        self.shapes: dict[Value, _Shape] = {}
        self.reads: dict[Value, frozenset[int]] = {}
        self.reader: dict[Value, Reader | None] = {}
        self.shape_if_folded: dict[Node, _Shape] = {}
        self.whole: dict[Node, int] = {}  # columns with all that may be folded into a node
        self.spellings: dict[Node, Spelled] = {}
        self.depth: dict[Block, int] = {graph.block: 1}
        self.by_case = {graph.block.results[k] for k, _ in leaves_by_case(graph.output)}
        self.writes = {origin: sorted(times) for origin, times in sharing.writes.items()}
        self.effects = sorted(
            2 * liveness.first[node]
            for node in walk_nodes(graph.block)
            if node.op.effect and node.op is not push
        )
        self.settings = sorted(
            2 * liveness.first[node]
            for node in walk_nodes(graph.block)
            if node.op in (enter_context, leave_context)
        )
        self._find_readers()
        self.last = self._last_read_once()

    def _find_readers(self) -> None:
        """The reader of each value that has one only, and in its own block; or None."""
        for block in blocks_of(self.graph.block):
            for node in block.nodes:
                for inner in node.blocks:
                    self.depth[inner] = self.depth[block] + 1
                for value in node.operands:
                    self._note(value, node, block)
            for value in block.results:
                self._note(value, block, block)

    def _last_read_once(self) -> set[Node]:
        """The nodes that the graph ends with as long as one other reads each of them, so that no
        name is given anything between them and the end.
        """
        nodes = reversed(self.graph.block.nodes)
        return set(takewhile(lambda n: all(self.reader.get(v) for v in n.results), nodes))

    def _note(self, value: Value, reader: Reader, block: Block) -> None:
        once = value not in self.reader and self.liveness.home.get(value) is block
        self.reader[value] = reader if once else None

    def block(self, block: Block) -> None:
        for node in block.nodes:
            if node.op in _NEVER or len(node.results) != 1:
                continue
            if not isinstance(node.op, DeclaredOp) or node.op.spelling is None:
                continue
            if self.is_free(node) or self.is_foldable(node.result, node, block):
                self.fold(node.result, node)
            else:
                self.named.add(node.result)

    def fold(self, value: Value, node: Node) -> None:
        self.folded[value] = None
        if self.has_text(node):
            self.of_texts.add(value)
        self.shapes[value] = self.shape(node)  # instead of its name's, where that was asked for
        reads = {o for v in node.operands for o in self.read_by(v)}
        self.reads[value] = frozenset(reads)
        reader = self.reader.get(value)
        if isinstance(reader, Node) and self.is_written_over(value, reader):
            del self.accumulations[reader]

    def read_by(self, value: Value) -> frozenset[int]:
        """Origins of the memory that evaluating an operand's expression looks at."""
        if value in self.folded:
            return self.reads[value]
        known = self.sharing.origins.get(value, frozenset())
        return known | self.sharing.contents.get(value, frozenset())

    # Rules

    def is_free(self, node: Node) -> bool:
        """Spelled wherever it is read: lengths that nothing changes before that, and numbers."""
        if not self.is_cheap(node):
            return False
        reads = frozenset(o for v in node.operands for o in self.read_by(v))
        start, end = self.liveness.born[node.result], self.liveness.end(node.result)
        return not self.is_written(reads, start, end)

    def is_cheap(self, node: Node) -> bool:
        """Return whether an expression may be spelled more than once."""
        if node.op.name == "retype" and is_constant(node.operands[0]):
            return True
        if _is_offset(node):
            return self.is_simple(node.operands[0]) and self.is_simple(node.operands[1])
        if node.op.name == "range_length":
            return all(self.is_simple(v) or self.is_bound(v) for v in node.operands)
        return node.op.name in _FREE and node.operands[0] not in self.folded

    def is_bound(self, value: Value) -> bool:
        """Return whether an operand is ``n - 1`` or the like."""
        return value in self.folded and value.node is not None and _is_offset(value.node)

    def is_simple(self, value: Value) -> bool:
        """Return whether an operand is a name or a number, or as good as one."""
        if value not in self.folded:
            return True
        return value.node is not None and value.node.op.name in ("size", "tape_length")

    def is_foldable(self, value: Value, node: Node, block: Block) -> bool:
        if node.op.effect or is_write(node) or node in self.accumulations:
            return False
        reader = self.sole_reader(value, node)
        if reader is None or self.is_text_in_text(node, reader):
            return False
        if not (_is_nameless(node) or _is_continued(value, reader)):
            return False
        return self.is_short(value, node, reader, block) and self.is_still(value, node, reader)

    def has_text(self, node: Node) -> bool:
        """Return whether there are strings in the expression of a node."""
        return node.op in (text_made, text_call) or any(v in self.of_texts for v in node.operands)

    def is_text_in_text(self, node: Node, reader: Reader) -> bool:
        """Return whether strings would come into an f-string, whose quotes they may not have."""
        return self.has_text(node) and isinstance(reader, Node) and has_fields(reader)

    def sole_reader(self, value: Value, node: Node) -> Reader | None:
        """What has the statement into which the value's expression can go."""
        reader = self.reader.get(value)
        if isinstance(reader, Block):
            always = value not in self.by_case  # what may raise is not left out
            return reader if always and self.may_result(node, reader) else None
        if reader is None or reader.op is undefined:
            return None
        if reader.op in CALLS and not (node.op is index and is_view(node)):
            return None
        if reader.op is loop:
            view = LoopView(reader)
            return reader if view.count is value else None
        position = reader.operands.index(value)
        if is_write(reader) and position == 0:
            return None
        if self.is_written_over(value, reader) and not self.may_start(node, reader):
            return None
        if isinstance(reader.op, DeclaredOp) and position in reader.op.repeated:
            return None
        return reader

    def is_written_over(self, value: Value, reader: Node) -> bool:
        """Return whether the reader is a sum that would be written over the value."""
        number = self.accumulations.get(reader)
        return number is not None and reader.operands[number] is value

    def may_start(self, node: Node, reader: Node) -> bool:
        """Return whether ``x_bar = a``, ``x_bar += b`` may be ``x_bar = a + b``: its own array, in
        the order in which the first one lies, while no more memory is held.
        """
        if reader.op.name not in _SUMS or not _makes_array(node):
            return False
        other = reader.operands[1 - self.accumulations[reader]]
        lies_alike = is_line(node.result.type) or lies_as_sum(node.result, other, self.carried)
        time = 2 * self.liveness.first[reader]
        return lies_alike and self.holds_no_more(node, time, self.read_beside(other, reader))

    def read_beside(self, value: Value, reader: Node) -> set[Value]:
        """The values in the expression of an operand, with those in it that one node reads."""
        found: set[Value] = set()
        pending = [(value, reader)]
        while pending and len(found) < _MOST:
            one, by = pending.pop()
            found.add(one)
            node, once = one.node, self.reader.get(one) is by and not self.is_written_over(one, by)
            if node is not None and (once or one in self.folded):
                pending += [(operand, node) for operand in node.operands]
        return found

    def holds_no_more(self, node: Node, time: int, still: Container[Value] = frozenset()) -> bool:
        """Return whether evaluating at ``time``, at which what is ``still`` read is there, keeps at
        most one array that would be free till then, as large as the one that the node itself makes.
        """
        ended = {v for v in self.named_in(node) if self.liveness.end(v) < time and v not in still}
        kept = ended.difference(self.graph.block.parameters)  # those are the caller's
        arrays = [v for v in kept if isinstance(v.type, ArrayType) and v.type.shape]
        return not arrays or (len(arrays) == 1 and arrays[0].type == node.result.type)

    def named_in(self, node: Node) -> list[Value]:
        """The values with names in the expression of a node."""
        found: list[Value] = []
        pending = [*node.operands]
        while pending:
            value = pending.pop()
            if value in self.folded and value.node is not None:
                pending += value.node.operands
            else:
                found.append(value)
        return found

    def may_result(self, node: Node, block: Block) -> bool:
        """Return whether a block may result in an expression: behind ``while`` and ``return``."""
        kind = self.liveness.scopes[block].kind
        if kind == "condition" or (kind == "graph" and (_is_nameless(node) or _is_cast(node))):
            return True
        if kind != "graph" or node.result.role == "primal":
            return False
        if node not in self.last:
            return self.holds_no_more(node, 2 * self.liveness.scopes[block].end)
        called = hint_of(node.result)  # what had this name would be freed later
        return node is block.nodes[-1] or all(hint_of(v) != called for v in self.named_in(node))

    def is_short(self, value: Value, node: Node, reader: Reader, block: Block) -> bool:
        shape = self.shape(node)
        if shape.depth > _DEEPEST:
            return False
        spare = 0 if isinstance(reader, Node) and is_write(reader) else _SPARE
        room = max(WIDTH - spare - 4 * self.depth[block], _LEAST)
        if isinstance(reader, Block):
            others = sum(self.shape_of(v).width + _COMMA for v in reader.results if v is not value)
            keyword = 0 if _is_nameless(node) and not others else _RETURN
            return shape.width + others + keyword <= room
        parts = [shape if v is value else self.shape_of(v) for v in reader.operands]
        targets = () if is_write(reader) else reader.results  # that writes to an operand
        target = sum([len(hint_of(v)) + _COMMA for v in targets])
        if self.width(reader, parts) + target > room:
            return False
        return not self.displaces(value, shape.width, reader, parts, room - target)

    def displaces(
        self, value: Value, width: int, reader: Node, parts: Sequence[_Shape], room: int
    ) -> bool:
        """Return whether a value takes the room of a shorter one that could be folded as well, if
        it had a name itself.
        """
        place = reader.operands.index(value)
        for k, other in enumerate(reader.operands):
            if k == place or not self.may_come(other, reader):
                continue
            assert other.node is not None
            wide = self.whole_width(other.node)
            if wide > _LARGER * width:
                continue
            both = [*parts]
            both[k] = _Shape(wide, 1)
            if self.width(reader, both) > room:
                both[place] = _Shape(_width_of_name(value), 0)
                if self.width(reader, both) <= room:
                    return True
        return False

    def may_come(self, value: Value, reader: Node) -> bool:
        """Return whether a value may be folded into a node, if it is short: it is not known yet."""
        node = value.node
        return (
            node is not None
            and value not in self.folded
            and value not in self.named
            and len(node.results) == 1
            and isinstance(node.op, DeclaredOp)
            and node.op.spelling is not None
            and not (node.op.effect or node.blocks)
            and self.sole_reader(value, node) is reader
            and _is_nameless(node)
        )

    def whole_width(self, node: Node) -> int:
        """The columns of a node's expression with all in it that may be folded, or too many."""
        pending = [node]
        while pending:
            one = pending[-1]
            inner = [v.node for v in one.operands if v.node and self.may_come(v, one)]
            left = [other for other in inner if other not in self.whole]
            if left:
                pending += left
                continue
            parts = [
                _Shape(self.whole[v.node], 0)
                if v.node is not None and v.node in inner
                else self.shape_of(v)
                for v in one.operands
            ]
            self.whole[one] = self.width(one, parts)
            pending.pop()
        return self.whole[node]

    def is_still(self, value: Value, node: Node, reader: Reader) -> bool:
        """Return whether evaluating at the reader instead of here makes no difference."""
        if isinstance(reader, Block):
            point = self.liveness.scopes[reader].end
        else:
            point = self.liveness.first[reader]
        start, end = self.liveness.born[value], 2 * point
        reads = frozenset(o for v in node.operands for o in self.read_by(v))
        if self.is_written(reads, start, end) or _between(self.settings, start, end):
            return False
        return not _between(self.effects, start, end) or not (reads or may_raise(node))

    def is_written(self, origins: frozenset[int], start: int, end: int) -> bool:
        return any(_between(self.writes.get(origin, []), start, end) for origin in origins)

    # Widths

    def shape_of(self, value: Value) -> _Shape:
        known = self.shapes.get(value)
        if known is None:
            known = self.shapes[value] = _Shape(_width_of_name(value), 0)
        return known

    def shape(self, node: Node) -> _Shape:
        known = self.shape_if_folded.get(node)
        if known is None:
            parts = [self.shape_of(v) for v in node.operands]
            depth = 1 + max([part.depth for part in parts], default=0)
            known = self.shape_if_folded[node] = _Shape(self.width(node, parts), depth)
        return known

    def width(self, node: Node, parts: list[_Shape]) -> int:
        """The columns of a node's expression, from those of its operands."""
        own, times = self.spelled(node)
        return own + sum([part.width * n for part, n in zip(parts, times, strict=True)])

    def spelled(self, node: Node) -> Spelled:
        """The columns of a node's spelling besides operands, and how often each is written."""
        known = self.spellings.get(node)
        if known is None:
            known = self.spellings[node] = _spelled(node)
        return known


_alike: dict[
    tuple[DeclaredOp, int], Spelled
] = {}  # of nodes without attributes, by op and operands


def _spelled(node: Node) -> Spelled:
    op, count = node.op, len(node.operands)
    if not isinstance(op, DeclaredOp) or op.spelling is None:
        return _SPARE, [1] * count
    if node.op in (index_set, index_add):
        return _measured(_spelled_store, node)
    if is_write(node):
        return _SPARE, [1] * count
    if node.attributes or not is_spelled_by_attributes(op):
        return _measured(op.spelling, node)
    known = _alike.get((op, count))
    if known is None:
        known = _alike[op, count] = _measured(op.spelling, node)
    return known


def _measured(spelling: Spelling, node: Node) -> Spelled:
    """The columns of a spelling, which is made with a name for each operand."""
    times = {f"{_HOLE}{k}": 0 for k in range(len(node.operands))}
    width = 0
    for inner in parts_of(spelling(node, [ast.Name(hole, _LOAD) for hole in times])):
        if isinstance(inner, ast.Name) and inner.id in times:
            times[inner.id] += 1
        else:
            width += _width(inner)
    return width, list(times.values())


def _spelled_store(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """``x[key] += v`` as far as its width goes."""
    base, value, *dynamic = operands
    return ast.BinOp(subscript(base, spell_key(node.attributes["key"], dynamic)), ast.Add(), value)


def _width_of_name(value: Value) -> int:
    """The columns of a number, or of about the name that a value gets."""
    if value.node is not None and value.node.op is constant:
        return len(written(value.node.attributes["value"]))
    hint = hint_of(value)
    return len(hint) if value.name else max(len(hint), 3)


_HOLE = "#"  # begins no name
_LOAD = ast.Load()


def _is_offset(node: Node) -> bool:
    """``i + 1``: an index beside another, without a name of the user's."""
    if node.op.name not in ("add", "subtract") or node.result.name is not None:
        return False
    numbers = [v for v in node.operands if v.node is not None and v.node.op is constant]
    return node.result.type == INT and len(numbers) == 1


def _is_nameless(node: Node) -> bool:
    """Return whether no name of the user's is lost by folding; a copy has that of what it
    copies, a number that of the list that it is in.
    """
    if node.result.name is None or node.op is part:
        return True
    return node.op.name in _COPIES and node.result.name == node.operands[0].name


def _is_continued(value: Value, reader: Reader) -> bool:
    """Return whether a derivative's reader has the same name: ``x_bar = a``, ``x_bar = x_bar +
    b``, ``x_bar[i] = a``.
    """
    if isinstance(reader, Block):
        return value.role != "primal" or (value.node is not None and _is_cast(value.node))
    if reader.op.name in _COPIES and _is_nameless(reader):
        return True
    names = {(v.name, v.role) for v in reader.results}
    return value.role != "primal" and names == {(value.name, value.role)}


def _makes_array(node: Node) -> bool:
    """Return whether an operation gives an array of its own."""
    makes = node.op.view is None and not is_write(node) and not may_be_operand(node)
    return makes and isinstance(node.result.type, ArrayType)


def _is_cast(node: Node) -> bool:
    return node.op.name in CASTS


def _between(times: list[int], start: int, end: int) -> bool:
    """Return whether one of the sorted times lies strictly between."""
    return bisect.bisect_left(times, end) > bisect.bisect_right(times, start)


_WIDTHS = {
    ast.IfExp: 11,
    ast.BinOp: 4,
    ast.Compare: 4,
    ast.Call: 2,
    ast.Subscript: 2,
    ast.Slice: 1,
    ast.Attribute: 1,
    ast.UnaryOp: 1,
}


def _width(part: ast.AST) -> int:
    """About how many columns a part of an expression takes besides the parts in it."""
    width = _WIDTHS.get(type(part), 0)
    if isinstance(part, ast.Name):
        return width + len(part.id)
    if isinstance(part, ast.Constant):
        return width + len(getattr(part.value, "__name__", None) or repr(part.value))
    if isinstance(part, ast.Attribute):
        return width + len(part.attr)
    if isinstance(part, (ast.Tuple, ast.List)):
        return width + 2 * len(part.elts)
    return width + (len(part.arg or "") + 3 if isinstance(part, ast.keyword) else 0)
