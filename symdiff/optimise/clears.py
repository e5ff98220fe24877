"""What a derivative clears in an array and adds to again is stored, whatever is read and written
elsewhere meanwhile.

    g = y_bar[i:j].copy()                  g = y_bar[i:j].copy()
    y_bar[i:j] = 0.0                       f = y_bar[:i]
    f = y_bar[:i]             becomes      y_bar[:i] = f + g
    y_bar[:i] = f + g                      y_bar[i:j] = f - g
    y_bar[i:j] += f - g

A graph enters, and leaves so. Rewrites (``indexing``) do this where nobody reads meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symdiff.ir.build import copy_block, substitute, with_block
from symdiff.ir.graph import Block, Graph, Node, Value, uses, walk_blocks
from symdiff.ops.facts import is_derived
from symdiff.ops.index import are_apart, index, index_add, index_set, is_same_part, key_of
from symdiff.ops.keys import is_basic
from symdiff.optimise.facts import is_zero

_LONGEST_CHAIN = 16
_Readers = Mapping[Value, list[Node]]


def leave_out_clears(graph: Graph) -> Graph:
    """The graph without such clears; the graph itself where there are none."""
    if not any(_in_vain(graph.block)):
        return graph
    block = copy_block(graph.block, {})
    new: dict[Value, Value] = {}
    for clear, addition in list(_in_vain(block)):
        new[clear.result] = clear.operands[0]
        addition.op = index_set
    for value in new:
        while new[value] in new:
            new[value] = new[new[value]]
    for inner in walk_blocks(block):
        inner.nodes[:] = [n for n in inner.nodes if new.keys().isdisjoint(n.results)]
    substitute(block, new)
    return with_block(graph, block)


def _in_vain(block: Block) -> Iterator[tuple[Node, Node]]:
    """Clears, each with what adds to the same part first."""
    counts: dict[Value, int] | None = None
    for inner in walk_blocks(block):
        clears = [node for node in inner.nodes if _clears(node)]
        if not clears:
            continue
        counts = uses(block) if counts is None else counts
        readers: dict[Value, list[Node]] = {}
        for node in inner.nodes:
            for value in dict.fromkeys(node.operands):
                readers.setdefault(value, []).append(node)
        for clear in clears:
            addition = _added_after(clear, readers, counts)
            if addition is not None:
                yield clear, addition


def _clears(node: Node) -> bool:
    if node.op is not index_set or not is_derived(node) or not is_basic(*key_of(node)):
        return False
    return is_zero(node.operands[1])


def _added_after(clear: Node, readers: _Readers, counts: Mapping[Value, int]) -> Node | None:
    """What adds to a part that is cleared, where all that reads or writes meanwhile is apart."""
    value = clear.result
    for _ in range(_LONGEST_CHAIN):
        others = readers.get(value, [])
        writes = [node for node in others if node.op in (index_set, index_add)]
        if len(writes) != 1 or counts[value] != len(others) or writes[0].operands[0] is not value:
            return None
        (write,) = writes
        if not all(node is write or _reads_apart(node, clear) for node in others):
            return None
        if is_same_part(write, clear):
            return write if write.op is index_add and is_derived(write) else None
        if not are_apart(write, clear):
            return None
        value = write.result
    return None


def _reads_apart(node: Node, clear: Node) -> bool:
    return node.op is index and are_apart(node, clear)
