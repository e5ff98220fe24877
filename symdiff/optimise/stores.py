"""Stores of derivatives that nobody reads: what a loop clears in an array for no later turn.

    for k in reversed(range(n)):
        g = y_bar[k]
        y_bar[k] = 0.0                  left out: no other turn reads ``y_bar[k]``, and nothing
        x_bar[k] += g * x[k]            reads ``y_bar`` behind the loop

A graph enters, and leaves without these. Places are compared along one axis (``ops.places``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from symdiff.ir.build import copy_block, with_block
from symdiff.ir.control import LoopView, loop
from symdiff.ir.graph import Block, Graph, Node, Value, uses, walk_nodes
from symdiff.ops.facts import is_derived
from symdiff.ops.index import index, index_set, key_of
from symdiff.ops.keys import is_basic
from symdiff.ops.places import is_clear_of, regions, writes_of


def leave_out_stores(graph: Graph) -> Graph:
    """The graph without stores that nobody reads; the graph itself where there are none."""
    if not any(_unread(graph.block)):
        return graph
    block = copy_block(graph.block, {})
    new = {write.result: write.operands[0] for write in _unread(block)}
    _redirect(block, new)
    return with_block(graph, block)


def _unread(block: Block) -> Iterator[Node]:
    counts: dict[Value, int] | None = None
    for node in walk_nodes(block):
        if node.op is loop and is_derived(node):
            counts = uses(block) if counts is None else counts
            yield from _unread_in(LoopView(node), counts)


def _unread_in(view: LoopView, counts: Mapping[Value, int]) -> Iterator[Node]:
    tested = view.condition.parameters[1:] if view.condition is not None else view.finals
    rows = zip(view.carries, view.next_carries, view.finals, tested, strict=True)
    for carry, following, final, at_test in rows:
        needed = counts.get(final) or counts.get(at_test)
        writes = [] if needed else writes_of(carry, following)
        readers = _readers(view, carry, writes, counts) if writes else None
        if readers is None:
            continue
        for number, write in enumerate(writes):
            if write.op is index_set and is_derived(write):
                others = [(node, done > number) for node, done in readers if node is not write]
                if _is_read_by_none(write, others, view):
                    yield write


def _readers(
    view: LoopView, carry: Value, writes: Sequence[Node], counts: Mapping[Value, int]
) -> list[tuple[Node, int]] | None:
    """What reads elements of a carry, or adds to them, each with the number of writes before it;
    None where anything else reads it.
    """
    versions = [carry, *(write.result for write in writes)]
    reads = [
        (node, versions.index(node.operands[0]))
        for node in view.body.nodes
        if node.op is index and node.operands[0] in versions and is_basic(*key_of(node))
    ]
    known = len(reads) + len(writes) + 1  # as the base of each write, and as what the turn leaves
    if sum(counts.get(version, 0) for version in versions) != known:
        return None
    return reads + [(w, k) for k, w in enumerate(writes) if w.op is not index_set]


def _is_read_by_none(write: Node, others: Sequence[tuple[Node, bool]], view: LoopView) -> bool:
    """Return whether nothing that reads behind a write, or in a later turn, reads where it
    writes.
    """
    for axis, region in regions(write, view):
        found = [(dict(regions(node, view)).get(axis), behind) for node, behind in others]
        if all(
            other is not None
            and is_clear_of(other, region, view, later=True)
            and (not behind or is_clear_of(other, region, view, later=False))
            for other, behind in found
        ):
            return True
    return False


def _redirect(block: Block, new: dict[Value, Value]) -> None:
    """Let all readers of the keys read the values instead, and leave out what made the keys."""

    def of(value: Value) -> Value:
        while value in new:
            value = new[value]
        return value

    blocks = [block, *(inner for node in walk_nodes(block) for inner in node.blocks)]
    for inner in blocks:
        inner.nodes[:] = [node for node in inner.nodes if not new.keys() & set(node.results)]
        inner.results = tuple(map(of, inner.results))
        for node in inner.nodes:
            node.operands = tuple(map(of, node.operands))
