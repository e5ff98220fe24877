"""Checks that need not be made: an index that nobody reads, where a later statement has it, too.

    logp[rows, y]                                     logp_bar = np.zeros(...)
    logp_bar = np.zeros(...)              ─▶          logp_bar[rows, y] = ...
    logp_bar[rows, y] = ...

Works on a lowered block from which nothing is removed any more. Between the two must not be
anything else of the primal that can raise or has an effect: what the function raises first is
raised first.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ir.types import ArrayType
from symdiff.ops.facts import may_raise
from symdiff.ops.index import index, index_add, index_set, key_of

_INDEXING = (index, index_set, index_add)


def drop_repeated_checks(block: Block, reads: Mapping[Value, int]) -> bool:
    """Leave out reads of a block and those in it that are made for what they raise alone; return
    whether there were any.

    ``reads`` says how often each value is read.
    """
    blocks = [block, *(inner for node in walk_nodes(block) for inner in node.blocks)]
    return True in [_drop(inner, reads) for inner in blocks]


def _drop(block: Block, reads: Mapping[Value, int]) -> bool:
    unread = {node for node in block.nodes if node.op is index and not reads.get(node.result)}
    if not unread:
        return False
    coming: set[Hashable] = set()
    kept: list[Node] = []
    for node in reversed(block.nodes):
        check = _check(node)
        if node in unread and check in coming:
            continue
        kept.append(node)
        if _comes_first(node):
            coming.clear()
        if check is not None:
            coming.add(check)
    dropped = len(kept) < len(block.nodes)
    block.nodes[:] = kept[::-1]
    return dropped


def _check(node: Node) -> Hashable:
    """What decides whether an index raises; None for other nodes."""
    if node.op not in _INDEXING:
        return None
    type_ = node.operands[0].type
    return (type_.shape if isinstance(type_, ArrayType) else (), *key_of(node))


def _comes_first(node: Node) -> bool:
    """Return whether something happens at a node that what an index before it raises has to
    precede.
    """
    inner = (n for block in node.blocks for n in walk_nodes(block))
    return any(n.op.effect or (may_raise(n) and _is_primal(n)) for n in (node, *inner))


def _is_primal(node: Node) -> bool:
    return any(value.role == "primal" for value in node.results) or not node.results
