"""Branches that follow each other on one predicate become one branch.

``if t: y = a`` and then ``if t: z = y * b`` is ``if t: y = a; z = y * b``. What stands between them
is computed before both where it can be: it is pure, cannot raise, and reads nothing of the first.
In programs with derivatives; of the user's own program, which stays in the order in which it was
written, only what follows each other at once.
"""

from __future__ import annotations

from symdiff.ir.build import constant, copy_block, substitute, with_block
from symdiff.ir.control import cond, undefined
from symdiff.ir.graph import Block, Graph, Node, Value, free_values, walk_blocks, walk_nodes
from symdiff.ops.facts import must_stay
from symdiff.optimise.facts import has_derivatives

_FARTHEST = 40  # nodes between two branches that are looked at
_NOTHING = (constant, undefined)


def merge_branches(graph: Graph) -> Graph:
    """The graph with neighbouring branches merged; the graph itself where there are none."""
    farthest = _FARTHEST if has_derivatives(graph) else 0
    if not any(_has_two(block, farthest) for block in walk_blocks(graph.block)):
        return graph
    copied = copy_block(graph.block, {})
    for block in walk_blocks(copied):
        _merge_in(block, farthest)
    return with_block(graph, copied)


def _has_two(block: Block, farthest: int) -> bool:
    """Return whether there are branches to merge in a block."""
    found: dict[Value, Node] = {}
    for position, node in enumerate(block.nodes):
        if node.op is cond:
            first = found.get(node.operands[0])
            if first is not None and _between(block, first, position, farthest) is not None:
                return True
            found[node.operands[0]] = node
    return False


def _merge_in(block: Block, farthest: int) -> None:
    """Merge the branches of one block."""
    found: dict[Value, Node] = {}
    position = 0
    while position < len(block.nodes):
        node = block.nodes[position]
        if node.op is cond:
            first = found.get(node.operands[0])
            made = None if first is None else _merge(block, first, position, farthest)
            if made is not None:
                position -= 1
            found[node.operands[0]] = made or node
        position += 1


def _merge(block: Block, first: Node, position: int, farthest: int) -> Node | None:
    """Let the first branch do what the one at a position does, where nothing between forbids it."""
    parted = _between(block, first, position, farthest)
    if parted is None:
        return None
    before, behind = parted
    start = position - len(before) - len(behind) - 1
    made = _merged(first, block.nodes[position])
    block.nodes[start : position + 1] = [*before, made, *behind]
    return made


def _between(
    block: Block, first: Node, position: int, farthest: int
) -> tuple[list[Node], list[Node]] | None:
    """What stands between a branch and the one at a position, as it would stand before and behind
    both in one; None where they have to stay apart.
    """
    start = max(position - _FARTHEST, 0)
    window = block.nodes[start:position]
    if first not in window:
        return None
    start += window.index(first)
    second, between = block.nodes[position], block.nodes[start + 1 : position]
    if sum(node.op not in _NOTHING for node in between) > farthest:
        return None
    before, behind = _parted(between, first)
    given = {value for node in behind for value in node.results}
    if any(value in given for inner in second.blocks for value in free_values(inner)):
        return None
    if _has_to_stay([second]) and _has_to_stay(behind):
        return None
    return before, behind


def _parted(between: list[Node], first: Node) -> tuple[list[Node], list[Node]]:
    """What can be computed before the first branch, and what reads its results or has to stay."""
    later = set(first.results)
    before, behind = list[Node](), list[Node]()
    for node in between:
        read = {*node.operands, *(v for inner in node.blocks for v in free_values(inner))}
        if later.isdisjoint(read) and not _has_to_stay([node]):
            before.append(node)
        else:
            behind.append(node)
            later.update(node.results)
    return before, behind


def _has_to_stay(nodes: list[Node]) -> bool:
    return any(must_stay(node) for node in walk_nodes(Block((), nodes)))


def _merged(first: Node, second: Node) -> Node:
    """One branch that has the results of both."""
    blocks = []
    for one, other in zip(first.blocks, second.blocks, strict=True):
        substitute(other, dict(zip(first.results, one.results, strict=True)))
        results = (*one.results, *other.results)
        blocks.append(Block(one.parameters, [*one.nodes, *other.nodes], results))
    made = Node(cond, first.operands, first.attributes, tuple(blocks), (), first.span)
    made.results = (*first.results, *second.results)
    for value in made.results:
        value.node = made
    return made
