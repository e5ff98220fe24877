"""Elementwise ops on long arrays, in blocks: what is computed meanwhile stays in the cache.

    y = np.empty(x.shape)
    for start in range(0, x.shape[0], 16384):
        x_part = x[start:start + 16384]
        t = np.sin(x_part)
        y[start:start + 16384] = t * t + x_part

Temporary arrays of a million elements each take new pages from the system and go to memory and
back. The ops of one block are those that reach each other through ops that compute by rows
(``optimise.by_rows``) of one length alone; what others need of them is stored. Arrays of more axes
go by some rows at a time. Each element is computed by the same functions of the same numbers, so
results are the same to the bit. Where they are parts of an array, they are stored in it as they
are made (``optimise.block_stores``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from symdiff.ir.build import Builder, building, copy_block, substitute, with_block
from symdiff.ir.graph import Block, Graph, Node, Value, free_values, walk_blocks, walk_nodes
from symdiff.ir.signature import Long
from symdiff.ir.types import ArrayType, Multiple, Size
from symdiff.ops.meeting import Meeting
from symdiff.optimise.block_loops import BlockLoop
from symdiff.optimise.block_stores import NOTHING_STORED, Group, stores_of
from symdiff.optimise.by_rows import (
    VIEWS,
    Layouts,
    is_by_elements,
    rows_of,
    takes_rows,
)

FEWEST = 4
"""From how many ops on a loop pays."""


def lengths_that_pay(graph: Graph) -> Long:
    """The symbols of lengths of which a graph has as many ops as pay: on vectors, and by rows."""
    vectors, rows = Counter[str](), Counter[str]()
    for node in walk_nodes(graph.block):
        length = rows_of(node)
        if length is not None and node.op.name not in VIEWS:
            counts = rows if _is_wide(node) else vectors
            counts[Multiple.of(length).symbol] += 1
    return Long(_often(vectors), _often(rows))


def _often(counts: Mapping[str, int]) -> frozenset[str]:
    return frozenset(symbol for symbol, count in counts.items() if count >= FEWEST)


def meetings_of_elements(graph: Graph) -> Iterator[Meeting]:
    """The lengths that elementwise ops take together: not 1, they have to be equal."""
    for node in walk_nodes(graph.block):
        if is_by_elements(node):
            shapes = [v.type.shape[::-1] for v in node.operands if isinstance(v.type, ArrayType)]
            for axis in range(max(map(len, shapes), default=0)):
                dims = dict.fromkeys(shape[axis] for shape in shapes if axis < len(shape))
                yield from pairwise(d for d in dims if isinstance(d, Size) and not d.open)


def in_blocks(graph: Graph, long: Long) -> Graph:
    """The graph with what is computed of long arrays by rows in blocks; itself where nothing is."""
    if not long.vectors and not long.rows:
        return graph
    block = copy_block(graph.block, {})
    inputs = zip(graph.inputs, block.parameters, strict=True)
    layouts = Layouts(value for source, value in inputs if source.path in long.packed)
    new: dict[Value, Value] = {}
    blocks = list(walk_blocks(block))
    acting = _acting(blocks)
    for inner in blocks:
        layouts.add(inner)
        new |= _with_loops(inner, _candidates(inner, long, layouts), long, acting)
    if not new:
        return graph
    substitute(block, new)
    return with_block(graph, block)


def _candidates(block: Block, long: Long, layouts: Layouts) -> dict[Node, Size]:
    """The nodes that may be in a block, with how many rows they have; of views those that only such
    nodes read.
    """
    found: dict[Node, Size] = {}
    readers = _readers(block)
    for node in reversed(block.nodes):
        length = rows_of(node)
        if length is None or not _is_long(node, length, long, layouts):
            continue
        if node.op.name in VIEWS and not all(
            reader in found and takes_rows(reader, number)
            for reader, number in readers.get(node.result, [(None, 0)])
        ):
            continue
        found[node] = length
    return found


def _readers(block: Block) -> dict[Value, list[tuple[Node | None, int]]]:
    """What reads each value as which operand; None: a block, or what is inside a node."""
    found: dict[Value, list[tuple[Node | None, int]]] = {}
    for value in block.results:
        found.setdefault(value, []).append((None, 0))
    for node in block.nodes:
        for number, value in enumerate(node.operands):
            found.setdefault(value, []).append((node, number))
        for inner in node.blocks:
            for value in free_values(inner):
                found.setdefault(value, []).append((None, 0))
    return found


def _is_long(node: Node, length: Size, long: Long, layouts: Layouts) -> bool:
    symbol = Multiple.of(length).symbol
    if symbol in long.rows:
        return layouts.are_rows(node)
    return symbol in long.vectors and not _is_wide(node)


def _is_wide(node: Node) -> bool:
    """Return whether a node has to do with rows of more than one element."""
    types = (value.type for value in (*node.operands, *node.results))
    return any(isinstance(type_, ArrayType) and type_.rank > 1 for type_ in types)


# Which ops --------------------------------------------------------------------------------------


def _acting(blocks: Sequence[Block]) -> set[Node]:
    """The nodes that have an effect, or hold one that has; of blocks given outer ones first."""
    found: set[Node] = set()
    for block in reversed(blocks):
        for node in block.nodes:
            inner = (one for held in node.blocks for one in held.nodes)
            if node.op.effect or not found.isdisjoint(inner):
                found.add(node)
    return found


def _with_loops(
    block: Block, candidates: Mapping[Node, Size], long: Long, acting: Collection[Node]
) -> dict[Value, Value]:
    """Let a block compute by rows in loops, where that pays; what the results are then."""
    levels, groups = _levels(block, candidates, acting)
    stores = stores_of(block, levels, groups, _readers(block))
    for group, own in stores.items():
        for node in own.nodes:
            levels[node], groups[node] = group[0], group
    members: dict[Group, list[Node]] = {}
    for node, group in groups.items():
        if node in candidates:
            members.setdefault(group, []).append(node)
    needed = _needed(block, groups)
    new: dict[Value, Value] = {}
    made: dict[Group, list[Node]] = {}
    for group, nodes in members.items():
        results = [node.result for node in nodes if node.result in needed]
        if not _pays(nodes, results, Multiple.of(group[1]).symbol in long.vectors):
            continue
        own = stores.get(group, NOTHING_STORED)
        loop = BlockLoop(nodes, own)
        if loop.can_be(results):
            before = Builder(span=nodes[0].span)
            with building(before):
                view = loop.made(results)
            made[group] = before.nodes
            results += [chain[-1].result for chain in own.chains]
            new.update(zip(results, view.finals, strict=True))
    if made:
        block.nodes = _in_order(block.nodes, levels, groups, made)
    return new


def _levels(
    block: Block, candidates: Mapping[Node, Size], acting: Collection[Node]
) -> tuple[dict[Node, int], dict[Node, Group]]:
    """How often what a node needs has left ops by rows of one length, of each node; the groups of
    such ops: of one level none needs another through anything else, nor more of it than its rows.

    Effects stay between what stands before and behind them, ``with np.errstate`` around what it is
    for, a check before what it guards; other nodes that may raise stay in their order.
    """
    levels: dict[Node, int] = {}
    groups: dict[Node, Group] = {}
    earliest = raising = most = 0
    for node in block.nodes:
        length = candidates.get(node)
        level = earliest
        for value, by_rows in _read(node, length is not None):
            before = value.node
            if before in levels:
                leaves = before in groups and (groups[before][1] != length or not by_rows)
                level = max(level, levels[before] + leaves)
        if node in acting:
            level = earliest = most + 1
        if node.op.raises:
            level = raising = max(level, raising)
        levels[node] = level
        most = max(most, level)
        if length is not None:
            groups[node] = level, length
    return levels, groups


def _read(node: Node, by_rows: bool) -> Iterable[tuple[Value, bool]]:
    """What a node reads, and whether that is but the same row."""
    for number, value in enumerate(node.operands):
        yield value, by_rows and takes_rows(node, number)
    for block in node.blocks:
        yield from ((value, False) for value in free_values(block))


def _needed(block: Block, groups: Mapping[Node, Group]) -> set[Value]:
    """The results of groups that anything else reads."""
    needed = set(block.results)
    for node in block.nodes:
        group = groups.get(node)
        for value, _ in _read(node, False):
            if value.node and groups.get(value.node, group) != group:
                needed.add(value)
    return needed


def _pays(nodes: Sequence[Node], results: Collection[Value], are_vectors_long: bool) -> bool:
    """Return whether a group computes enough that is not stored."""
    large = [node for node in nodes if node.op.name not in VIEWS]
    if not are_vectors_long:
        large = [node for node in large if _is_wide(node)]
    kept = len(large) - sum(node.result in results for node in large)
    return len(large) >= FEWEST and kept >= FEWEST // 2


def _in_order(
    nodes: Sequence[Node],
    levels: Mapping[Node, int],
    groups: Mapping[Node, Group],
    made: Mapping[Group, Sequence[Node]],
) -> list[Node]:
    """The nodes of a block with loops in the place of groups: of each level the others first."""
    lengths = {length: k for k, (_, length) in enumerate(dict.fromkeys(groups.values()), 1)}

    def place(node: Node) -> tuple[int, int]:
        return levels[node], lengths[groups[node][1]] if node in groups else 0

    found: dict[Node, None] = {}
    for node in sorted(nodes, key=place):
        found.update(dict.fromkeys(made.get(groups[node], [node]) if node in groups else [node]))
    return list(found)
