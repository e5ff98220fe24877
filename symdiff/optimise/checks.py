"""Checks of shapes: what is computed only to raise where shapes do not fit.

    y * np.log(p)                   that nobody reads     ─▶     np.broadcast(y, p)
    np.exp(z); ...; z + 1.0 * y                           ─▶     nothing: z * y is computed before
    A @ B                           that nobody reads     ─▶     A[:0] @ B, which multiplies nothing

Elementwise functions broadcast together where the arrays that they are computed from do. So a sum
that is not read is replaced by a check of those that are there anyway, and left out where a node
before it has computed with all of them, or a check behind it has all of them and nothing else can
happen in between. Linear in the size of the graph but for how many checks name one array.
"""

from __future__ import annotations

from collections.abc import Iterable

from symdiff.dataclass import dataclass
from symdiff.ir.build import Builder, building, copy_block, with_block
from symdiff.ir.graph import Block, Graph, Node, Value, uses, walk_blocks, walk_nodes
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import where
from symdiff.ops.casts import astype
from symdiff.ops.declare import DeclaredOp, array_type, surely_broadcasts
from symdiff.ops.facts import is_derived, must_stay
from symdiff.ops.index import index_of
from symdiff.ops.products import matmul
from symdiff.ops.shape import copy, fit_together

_MOST = 24  # arrays of one check
_MOST_KNOWN = 8  # sets of arrays known to fit, by the array among them that the fewest sets have

Arrays = frozenset[Value]


def reduce_checks(graph: Graph) -> Graph:
    """The graph with checks of shapes as small as can be; the graph itself where there are none."""
    counts = uses(graph.block)
    if not any(
        _is_check(node, counts) or _is_unread_product(node, counts)
        for node in walk_nodes(graph.block)
    ):
        return graph
    copied = copy_block(graph.block, {})
    counts = uses(copied)
    found = _Origins()
    for block in list(walk_blocks(copied)):
        _Reducing(block, counts, found).run()
    return with_block(graph, copied)


def _is_check(node: Node, counts: dict[Value, int]) -> bool:
    """Return whether a node is there only to raise where shapes do not broadcast."""
    if node.op is fit_together:
        return True
    unread = not any(counts.get(value) for value in node.results)
    return unread and not is_derived(node) and _may_not_fit(node)


def _is_unread_product(node: Node, counts: dict[Value, int]) -> bool:
    """Return whether a product of a matrix is there only to raise."""
    if node.op is not matmul or is_derived(node) or counts.get(node.result):
        return False
    return any(array_type(x).rank > 1 for x in node.operands) and not _is_empty(node)


def _is_empty(node: Node) -> bool:
    return any(dim == 0 for x in (*node.operands, node.result) for dim in array_type(x).shape)


def _multiplying_nothing(node: Node) -> list[Node]:
    """A product of no rows of the first matrix, or of no columns of the second."""
    a, b = node.operands
    with building(Builder([], node.span)) as made:
        if array_type(a).rank > 1:
            matmul(
                index_of(a, (..., slice(0), slice(None)) if array_type(a).rank > 2 else slice(0)), b
            )
        else:
            matmul(a, index_of(b, (..., slice(0))))
    return made.nodes


def _may_not_fit(node: Node) -> bool:
    return _is_elementwise(node) and not surely_broadcasts(node)


def _is_elementwise(node: Node) -> bool:
    """Return whether a node raises nothing but that shapes do not broadcast."""
    if node.op in (where, astype, copy):
        return True
    return isinstance(node.op, DeclaredOp) and node.op.elementwise and not node.op.raises


def _arrays(values: Iterable[Value]) -> list[Value]:
    return [v for v in values if isinstance(v.type, ArrayType) and v.type.rank > 0]


@dataclass(slots=True)
class _Origins:
    """The arrays that elementwise functions have computed each array from, as far as they are
    few.
    """

    found: dict[Value, Arrays | None]

    def __init__(self) -> None:
        self.found = {}

    def of(self, value: Value) -> Arrays | None:
        """None: of too many."""
        pending = [value]
        while pending:
            last = pending[-1]
            node = last.node
            if last in self.found:
                pending.pop()
            elif node is None or not _is_elementwise(node):
                self.found[last] = frozenset({last})
            else:
                parts = _arrays(node.operands)
                missing = [part for part in parts if part not in self.found]
                pending += missing
                if not missing:
                    self.found[last] = self._union(self.found[part] for part in parts)
        return self.found[value]

    def of_all(self, values: Iterable[Value]) -> Arrays | None:
        return self._union([self.of(value) for value in values])

    @staticmethod
    def _union(sets: Iterable[Arrays | None]) -> Arrays | None:
        whole = set[Value]()
        for part in sets:
            if part is None or len(whole | part) > _MOST:
                return None
            whole |= part
        return frozenset(whole)


class _Known:
    """Sets of arrays that are known to fit together."""

    def __init__(self) -> None:
        self._by_array: dict[Value, list[Arrays]] = {}

    def add(self, arrays: Arrays) -> None:
        for array in arrays:
            sets = self._by_array.setdefault(array, [])
            sets.append(arrays)
            del sets[:-_MOST_KNOWN]

    def covers(self, arrays: Arrays) -> bool:
        candidates = min((self._by_array.get(array, []) for array in arrays), key=len)
        return any(arrays <= one for one in candidates)


class _Reducing:
    """Reduces the checks of one block."""

    def __init__(self, block: Block, counts: dict[Value, int], origins: _Origins) -> None:
        self.block, self.counts, self.origins = block, counts, origins

    def run(self) -> None:
        self._backwards()
        self._forwards()

    def _backwards(self) -> None:
        """Make checks of what nobody reads, and leave out those that a later one makes as well."""
        coming = _Known()
        kept: list[Node] = []
        for node in reversed(self.block.nodes):
            if _is_check(node, self.counts):
                self._drop(node)
                arrays = self.origins.of_all(_arrays(node.operands))
                if arrays is not None and (len(arrays) < 2 or coming.covers(arrays)):
                    continue
                made = node if arrays is None else self._reduced(node)
                self._read(made)
                kept.append(made)
                if arrays is not None:
                    coming.add(arrays)
                continue
            if self._is_dead(node):
                self._drop(node)
                continue
            if _is_unread_product(node, self.counts):
                kept += reversed(_multiplying_nothing(node))
                continue
            if any(must_stay(inner) for inner in walk_nodes(Block((), [node], ()))):
                coming = _Known()
            kept.append(node)
        self.block.nodes[:] = kept[::-1]

    def _is_dead(self, node: Node) -> bool:
        return (
            bool(node.results)
            and not node.blocks
            and not any(self.counts.get(value) for value in node.results)
            and not must_stay(node)
        )

    def _drop(self, node: Node) -> None:
        for value in node.operands:
            self.counts[value] -= 1

    def _read(self, node: Node) -> None:
        for value in node.operands:
            self.counts[value] = self.counts.get(value, 0) + 1

    def _reduced(self, node: Node) -> Node:
        """A check of the arrays that what nobody else reads is computed from."""
        found: dict[Value, None] = {}
        taken: dict[Value, int] = {}
        pending = _arrays(node.operands)[::-1]
        seen = set[Value]()
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            made = value.node
            alone = self.counts.get(value, 0) == taken.get(value, 0)
            if made is None or not alone or not _is_elementwise(made):
                found[value] = None
                continue
            seen.add(value)
            for operand in made.operands:
                taken[operand] = taken.get(operand, 0) + 1
            pending += [v for v in _arrays(made.operands)[::-1] if v not in seen]
        arrays = tuple(found)
        if len(arrays) < 2:
            return node
        return Node(fit_together, arrays, {}, (), (), node.span)

    def _forwards(self) -> None:
        """Leave out checks of what nodes before have computed with."""
        known = _Known()
        kept: list[Node] = []
        for node in self.block.nodes:
            is_check = _is_check(node, self.counts)
            arrays = None
            if is_check or (_may_not_fit(node) and not is_derived(node)):
                arrays = self.origins.of_all(_arrays(node.operands))
            if is_check and arrays is not None and known.covers(arrays):
                self._drop(node)
                continue
            if arrays:
                known.add(arrays)
            kept.append(node)
        self.block.nodes[:] = kept
