"""Readers of an old version are moved above what ends it, so that no copy has to be made.

    y_bar1 = y_bar * x                      x_bar += y_bar * y
    x_bar += y_bar * y            ─▶        y_bar *= x
    y_bar = y_bar1

Works on a lowered graph, block by block. A write ends a version of an array: moved above it are
nodes that only compute, with what they need, and only where that frees the old version altogether:
all of its later readers stand in the same block. What a carry becomes, in a branch too, ends the
carry, and is moved below the carry's last reader.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdiff.buffers.facts import in_memory
from symdiff.buffers.lower import blocks_of, is_write, push
from symdiff.ir.build import constant
from symdiff.ir.control import CALLS, LoopView, cond, loop, undefined
from symdiff.ir.graph import Block, Node, Value
from symdiff.ops.effects import enter_context, leave_context
from symdiff.ops.facts import may_raise
from symdiff.ops.index import is_view

_SETTINGS = (enter_context, leave_context)
_FIXED = (loop, cond, *CALLS, push, undefined)
_MOST = 40  # nodes moved for one write

Readers = dict[Value, list[Node]]


def schedule(block: Block) -> None:
    """Reorder the nodes of a block and of the blocks nested in it."""
    for inner in blocks_of(block):
        writes = [node for node in inner.nodes if is_write(node)]
        if writes:
            _Schedule(inner).run(writes)
        for node in inner.nodes:
            if node.op is loop:
                _sink(LoopView(node))


def _sink(view: LoopView) -> None:
    """Compute what carries become when nobody in the turn reads the carries any more."""
    known: dict[Block, Readers] = {}
    for carry, following in zip(view.carries, view.next_carries, strict=True):
        _sink_in(view.body, carry, following, known)


def _sink_in(block: Block, carry: Value, following: Value, known: dict[Block, Readers]) -> None:
    """The same of one carry, in a block and in the arms of a branch that give what follows."""
    if block not in known:
        known[block] = _readers(block)
    readers, made = known[block], following.node
    given = sum(result is following for result in block.results)
    if made is None or given != 1 or following in readers:
        return
    if made.op is cond:
        for arm in made.blocks:
            _sink_in(arm, carry, arm.results[made.results.index(following)], known)
    elif _may_sink(made):
        _move_behind(block, made, _statements_reading(carry, readers))


def _move_behind(block: Block, made: Node, readers: Sequence[Node]) -> None:
    """Move a node of a block behind the last of those that read a value."""
    before = [node for node in readers if node is not made]
    place = {node: k for k, node in enumerate(block.nodes)} if before else {}
    last = max((place.get(node, -1) for node in before), default=-1)
    first = place.get(made, last)
    if last > first and not any(n.op in _SETTINGS for n in block.nodes[first:last]):
        block.nodes.insert(last + 1, made)
        del block.nodes[first]


def _readers(block: Block) -> Readers:
    """The nodes of a block that read each value, themselves or in blocks of theirs."""
    found: dict[Value, list[Node]] = {}
    for node in block.nodes:
        for value in dict.fromkeys((*node.operands, *_read_inside(node))):
            found.setdefault(value, []).append(node)
    return found


def _may_sink(node: Node) -> bool:
    """Return whether a node computes a number of numbers, and does nothing else."""
    if node.blocks or node.op in (*_FIXED, constant) or any(map(in_memory, node.results)):
        return False
    return not (node.op.effect or may_raise(node) or any(map(in_memory, node.operands)))


def _statements_reading(value: Value, readers: Readers) -> list[Node]:
    """Nodes that read a value, and those into whose expressions they can go."""
    found: list[Node] = []
    pending = [value]
    while pending:
        read = readers.get(pending.pop(), [])
        found += read
        pending += [
            result
            for node in read
            for result in node.results
            if _may_have_no_name(result, readers.get(result, []))
        ]
    return found


def _may_have_no_name(value: Value, readers: Sequence[Node]) -> bool:
    """Return whether a value may be written where it is read: it has no name, or its reader's."""
    if len(readers) != 1:
        return False
    return value.name is None or all(v.name == value.name for v in readers[0].results)


class _Schedule:
    """The order of one block's nodes, as fractions of places that are filled up by moving."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.place: dict[Node, tuple[int, int]] = {n: (k, 0) for k, n in enumerate(block.nodes)}
        self.settings = [k for k, n in enumerate(block.nodes) if n.op in _SETTINGS]
        self.effects = [k for k, n in enumerate(block.nodes) if n.op.effect and n.op is not push]
        self.readers = _readers(block)
        self.results = set(block.results)

    def run(self, writes: list[Node]) -> None:
        moved = False
        for node in writes:
            movable = self.movable(node)
            for number, reader in enumerate(movable):
                self.place[reader] = (self.place[node][0], number - len(movable) - _MOST)
            moved = moved or bool(movable)
        if moved:
            self.block.nodes.sort(key=lambda node: self.place[node])

    def movable(self, write: Node) -> list[Node]:
        """What has to stand before ``write`` so that nobody reads the old version behind it."""
        wanted = self.late_readers(write)
        if not wanted:
            return []
        chosen: dict[Node, None] = {}
        pending = list(wanted)
        while pending:
            node = pending.pop()
            if node in chosen:
                continue
            reads_new = any(value in write.results for value in node.operands)
            if len(chosen) > _MOST or reads_new or not self.may_move(node, write):
                return []
            chosen[node] = None
            pending += [
                v.node
                for v in node.operands
                if v.node in self.place and self.is_late(v.node, write)
            ]
        return sorted(chosen, key=lambda node: self.place[node])

    def late_readers(self, write: Node) -> list[Node] | None:
        """Nodes behind the write that read what it ends, or views of it; None if one must stay."""
        found: dict[Node, None] = {}
        pending = [write.operands[0]]
        while pending:
            value = pending.pop()
            if value in self.results:
                return None
            for reader in self.readers.get(value, ()):
                is_alias = bool(reader.results) and in_memory(reader.results[0]) and is_view(reader)
                if is_alias and reader not in found:
                    pending.append(reader.results[0])
                if reader is not write and self.is_late(reader, write):
                    found[reader] = None
        return list(found)

    def is_late(self, node: Node, write: Node) -> bool:
        return self.place[node] > self.place[write]

    def may_move(self, node: Node, write: Node) -> bool:
        if node.op is constant:
            return True
        if node is write or node.op in _FIXED or node.op.effect or is_write(node) or node.blocks:
            return False
        start, end = self.place[write][0], self.place[node][0]
        if any(start < setting < end for setting in self.settings):
            return False
        return not (may_raise(node) and any(start < effect < end for effect in self.effects))


def _read_inside(node: Node) -> list[Value]:
    """What the blocks of a node read."""
    return [
        value
        for block in node.blocks
        for inner in blocks_of(block)
        for value in (*inner.results, *(v for n in inner.nodes for v in n.operands))
    ]
