"""Elementwise ops on long vectors, in blocks: what is computed meanwhile stays in the cache.

    y = np.empty(x.shape)
    for start in range(0, x.shape[0], 8192):
        x_part = x[start:start + 8192]
        t = np.sin(x_part)
        y[start:start + 8192] = t * t + x_part

Temporary vectors of a million elements each take new pages from the system and go to memory and
back. The ops of one block are those that reach each other through elementwise ops of one length
alone; what others need of them is stored. Each element is computed by the same functions of the
same numbers, so results are the same to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from symdiff.ir.build import Builder, building, copy_block, marked, substitute, with_block
from symdiff.ir.control import LoopView, emit_loop
from symdiff.ir.graph import Block, Graph, Node, Value, free_values, walk_blocks, walk_nodes
from symdiff.ir.types import INT, ArrayType, Multiple, Size
from symdiff.ops.batching import pointwise
from symdiff.ops.creation import empty, range_element_of, range_length
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.facts import may_raise
from symdiff.ops.index import index, index_set
from symdiff.ops.keys import Slice, Slot
from symdiff.ops.meeting import Meeting
from symdiff.ops.sizes import size

BLOCK = 8192
"""How many elements are computed at a time: those of ten vectors fit in a cache of 1 MB."""
FEWEST = 4
"""From how many ops on a loop pays."""

_PART = (Slice(Slot(0), Slot(1), None),)


def lengths_of_vectors(graph: Graph) -> set[str]:
    """The symbols of lengths of which a graph has as many elementwise ops on vectors as pay."""
    counts: dict[str, int] = {}
    for node in walk_nodes(graph.block):
        length = _length(node)
        if length is not None:
            symbol = Multiple.of(length).symbol
            counts[symbol] = counts.get(symbol, 0) + 1
    return {symbol for symbol, count in counts.items() if count >= FEWEST}


def meetings_of_vectors(graph: Graph) -> Iterator[Meeting]:
    """The lengths of vectors that elementwise ops take together: not 1, they have to be equal."""
    for node in walk_nodes(graph.block):
        if _is_by_elements(node):
            lengths = [length for v in node.operands if (length := _length_of(v)) is not None]
            yield from ((lengths[0], other) for other in lengths[1:] if other != lengths[0])


def in_blocks(graph: Graph, long: Collection[str]) -> Graph:
    """The graph with elementwise ops on vectors in blocks, where their lengths have one of these
    symbols; itself where there are none.
    """
    if not any(_is_among(_length(node), long) for node in walk_nodes(graph.block)):
        return graph
    block = copy_block(graph.block, {})
    new: dict[Value, Value] = {}
    blocks = list(walk_blocks(block))
    acting = _acting(blocks)
    for inner in blocks:
        new |= _with_loops(inner, long, acting)
    if not new:
        return graph
    substitute(block, new)
    return with_block(graph, block)


def _is_among(length: Size | None, symbols: Collection[str]) -> bool:
    return length is not None and Multiple.of(length).symbol in symbols


def _is_by_elements(node: Node) -> bool:
    op = node.op
    if not isinstance(op, DeclaredOp) or op.effect or len(node.results) != 1:
        return False
    return op.elementwise or op.batch is pointwise


def _length(node: Node) -> Size | None:
    """The length of the vector that a node computes by elements from vectors of it and numbers."""
    if not _is_by_elements(node) or may_raise(node):
        return None
    length = _length_of(node.result)
    if length is None or length.open:
        return None
    for value in node.operands:
        type_ = value.type
        if not isinstance(type_, ArrayType) or (type_.rank and _length_of(value) != length):
            return None
    return length


def _length_of(value: Value) -> Size | None:
    type_ = value.type
    if not isinstance(type_, ArrayType) or type_.kind != "array" or type_.rank != 1:
        return None
    (length,) = type_.shape
    return length if isinstance(length, Size) else None


# Which ops --------------------------------------------------------------------------------------


_Group = tuple[int, Size]  # of one level and one length


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
    block: Block, long: Collection[str], acting: Collection[Node]
) -> dict[Value, Value]:
    """Let a block do elementwise ops on long vectors in loops, where that pays; what their results
    are then.
    """
    levels, groups = _levels(block, long, acting)
    members: dict[_Group, list[Node]] = {}
    for node, group in groups.items():
        members.setdefault(group, []).append(node)
    needed = _needed(block, groups)
    new: dict[Value, Value] = {}
    made: dict[_Group, list[Node]] = {}
    for group, nodes in members.items():
        results = [node.result for node in nodes if node.result in needed]
        if len(nodes) >= FEWEST and len(nodes) - len(results) >= FEWEST // 2:
            builder = Builder(span=nodes[0].span)
            with building(builder):
                view = _loop(nodes, results)
            made[group] = builder.nodes
            new.update(zip(results, view.finals, strict=True))
    if made:
        block.nodes = _in_order(block.nodes, levels, groups, made)
    return new


def _levels(
    block: Block, long: Collection[str], acting: Collection[Node]
) -> tuple[dict[Node, int], dict[Node, _Group]]:
    """How often what a node needs has left elementwise ops on vectors of one length, of each node;
    the groups of such ops: of one level none needs another through anything else.

    Effects stay between what stands before and behind them, ``with np.errstate`` around what it is
    for, a check before what it guards; other nodes that may raise stay in their order.
    """
    levels: dict[Node, int] = {}
    groups: dict[Node, _Group] = {}
    least = raising = most = 0
    for node in block.nodes:
        length = _length(node)
        length = length if _is_among(length, long) else None
        level = least
        for value in _read(node):
            before = value.node
            if before in levels:
                leaves = before in groups and groups[before][1] != length
                level = max(level, levels[before] + leaves)
        if node in acting:
            level = least = most + 1
        if node.op.raises:
            level = raising = max(level, raising)
        levels[node] = level
        most = max(most, level)
        if length is not None:
            groups[node] = level, length
    return levels, groups


def _read(node: Node) -> Iterable[Value]:
    yield from node.operands
    for block in node.blocks:
        yield from free_values(block)


def _needed(block: Block, groups: Mapping[Node, _Group]) -> set[Value]:
    """The results of groups that anything else reads."""
    needed = set(block.results)
    for node in block.nodes:
        group = groups.get(node)
        needed.update(v for v in _read(node) if v.node and groups.get(v.node, group) != group)
    return needed


def _in_order(
    nodes: Sequence[Node],
    levels: Mapping[Node, int],
    groups: Mapping[Node, _Group],
    made: Mapping[_Group, Sequence[Node]],
) -> list[Node]:
    """The nodes of a block with loops in the place of groups: of each level the others first."""
    lengths = {length: k for k, (_, length) in enumerate(dict.fromkeys(groups.values()), 1)}

    def place(node: Node) -> tuple[int, int]:
        return levels[node], lengths[groups[node][1]] if node in groups else 0

    found: dict[Node, None] = {}
    for node in sorted(nodes, key=place):
        found.update(dict.fromkeys(made.get(groups[node], [node]) if node in groups else [node]))
    return list(found)


# Together ---------------------------------------------------------------------------------------


def _loop(group: Sequence[Node], results: Sequence[Value]) -> LoopView:
    """The loop that computes the results of a group block by block."""
    members, length = set(group), _length(group[0])
    read = dict.fromkeys(v for node in group for v in node.operands if _length_of(v) == length)
    given = [value for value in read if value.node not in members]
    count = size(given[0], axis=0)
    start = [_empty(value, count) for value in results]
    turn = Value(INT)
    carries = [Value(value.type, None, value.name, value.role) for value in results]
    inner = Builder(span=group[0].span)
    with building(inner):
        with marked(name="start"):
            first = range_element_of(0, BLOCK, turn)
        last = first + BLOCK
        part = (Size(f"block(%{first.number})", open=True),)
        new = {}
        for value in given:
            with marked(None, value.role, value.name and f"{value.name}_part"):
                new[value] = index(value, first, last, key=_PART, shape=part)
        for node in group:
            with marked(node.span, node.result.role, node.result.name):
                operands = [new.get(value, value) for value in node.operands]
                new[node.result] = inner.emit(node.op, operands, node.attributes).result
        following = [
            _named(value, index_set)(carry, new[value], first, last, key=_PART, shape=part)
            for carry, value in zip(carries, results, strict=True)
        ]
    body = Block((turn, *carries), inner.nodes, tuple(following))
    view = LoopView(emit_loop(range_length(0, count, BLOCK), start, (), body))
    for final, value in zip(view.finals, results, strict=True):
        final.name, final.role = value.name, value.role
    return view


def _empty(value: Value, count: Value) -> Value:
    type_ = value.type
    assert isinstance(type_, ArrayType)
    made: Value = _named(value, empty)(count, shape=type_.shape, dtype=type_.dtype)
    return made


def _named(value: Value, op: Callable[..., Value]) -> Callable[..., Value]:
    """An op whose result has the name and the role of a value."""

    def made(*operands: Value, **attributes: object) -> Value:
        with marked(None, value.role, value.name):
            return op(*operands, **attributes)

    return made
