"""What a loop over blocks stores in parts of other arrays: gradients of ``x[1:] - x[:-1]``.

    for start in reversed(range(0, d.shape[0], 16384)):
        stop = min(start + 16384, d.shape[0])
        ...
        x_bar[start:stop] = first
        x_bar[start + 1:stop + 1] += second

Stores that follow each other into one new array that nothing else reads go into the loop that
computes what they store. Each element has to be stored to in the order in which it was: an earlier
store of a lower part than a later one, as above, takes the blocks from the last one on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Block, Node, Value
from symdiff.ir.types import Size
from symdiff.ops.declare import DeclaredOp, array_type
from symdiff.ops.facts import may_raise
from symdiff.ops.index import index_add, index_set
from symdiff.ops.keys import Slice, Slot
from symdiff.optimise.by_rows import length_of

Group = tuple[int, Size]  # of one level and one length
Readers = Mapping[Value, Sequence[tuple[Node | None, int]]]
_NEW = frozenset({"zeros", "ones", "empty", "full"})


@dataclass(frozen=True, slots=True)
class Stores:
    """Chains of stores, each into one array; ``backwards``: from the last block on."""

    chains: tuple[tuple[Node, ...], ...] = ()
    backwards: bool = False

    @property
    def nodes(self) -> list[Node]:
        return [node for chain in self.chains for node in chain]


NOTHING_STORED = Stores()


def stores_of(
    block: Block, levels: Mapping[Node, int], groups: Mapping[Node, Group], readers: Readers
) -> dict[Group, Stores]:
    """The stores of what groups compute that go into their loops."""
    chains: dict[Group, list[list[Node]]] = {}
    ends: dict[Value, tuple[Group, list[Node]]] = {}  # chains by what they make so far
    for node in filter(_stores_rows, block.nodes):
        base, part = node.operands
        group = None if part.node is None else groups.get(part.node)
        if group is None or len(readers[base]) > 1:
            continue
        if base in ends and ends[base][0] == group:
            chain = ends[base][1]
        elif base not in ends and _is_made_before(base, group, levels, groups):
            chain = []
            chains.setdefault(group, []).append(chain)
        else:
            continue
        chain.append(node)
        ends[node.result] = group, chain
    return {group: _in_one_direction(own) for group, own in chains.items()}


def offset_of(node: Node) -> int:
    """Where a store begins along the first axis."""
    start: int | None = node.attributes["key"][0].start
    return start or 0


def _stores_rows(node: Node) -> bool:
    """Return whether a node stores each row of what it is given in a row that is known."""
    if node.op not in (index_set, index_add) or len(node.operands) > 2 or may_raise(node):
        return False
    key, part = node.attributes["key"], node.operands[1]
    if not key or not isinstance(key[0], Slice) or length_of(part) is None:
        return False
    start, stop, step = key[0].start, key[0].stop, key[0].step
    plain = step in (None, 1) and not isinstance(stop, Slot)
    known = start is None or (isinstance(start, int) and start >= 0)
    return plain and known and array_type(part).shape == node.attributes["shape"]


def _is_made_before(
    base: Value, group: Group, levels: Mapping[Node, int], groups: Mapping[Node, Group]
) -> bool:
    """Return whether a new array is made before the loop of a group."""
    node = base.node
    if node is None or node not in levels or not _is_new(node):
        return False
    return levels[node] < group[0] or (levels[node] == group[0] and node not in groups)


def _is_new(node: Node) -> bool:
    op = node.op
    return op.name in _NEW or (isinstance(op, DeclaredOp) and op.elementwise and op.view is None)


def _in_one_direction(chains: Sequence[Sequence[Node]]) -> Stores:
    """The beginnings of chains whose parts lie higher, or lower, from store to store."""
    steps = (step for chain in chains for step in _steps(chain) if step)
    backwards = next(steps, 0) > 0
    kept = []
    for chain in chains:
        turns = (k for k, step in enumerate(_steps(chain), 1) if step and (step > 0) != backwards)
        kept.append(tuple(chain[: next(turns, len(chain))]))
    return Stores(tuple(kept), backwards)


def _steps(chain: Sequence[Node]) -> list[int]:
    """How much higher each store's part begins than the one's before."""
    return [offset_of(b) - offset_of(a) for a, b in pairwise(chain)]
