"""One function of neighbouring stretches of a vector is computed once, of the stretches together.

    i = sigmoid(z[:n])                         s = sigmoid(z[: 2 * n])
    f = sigmoid(z[n : 2 * n])                  i = s[:n]
                                               f = s[n : 2 * n]

A function's own graph enters, before it is differentiated, and one with the same bits leaves that
calls NumPy less often, as its derivatives do then. Stretches go along the first axis, beginning at
0, so that they and their parts lie in one piece; what is only linear in them is left as it is, and
so are those with an effect between them: in ``np.errstate`` there are other warnings.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.ir.build import Builder, building, copy_block, marked, substitute, with_block
from symdiff.ir.called import with_called
from symdiff.ir.graph import (
    Attributes,
    Block,
    Graph,
    Node,
    Op,
    Value,
    uses,
    walk_blocks,
    walk_nodes,
)
from symdiff.ir.types import ArrayType, Dim, Size, is_at_most
from symdiff.ops.declare import DeclaredOp, array_type
from symdiff.ops.facts import may_raise, must_stay, shape_of
from symdiff.ops.index import index, key_of, stretch_of
from symdiff.ops.keys import Key, Slice, Slot
from symdiff.optimise.rewriting import apply
from symdiff.optimise.rules import op_of

_LONGEST = 16
_LINEAR = frozenset({"negative", "add", "subtract", "multiply"})  # with numbers


@dataclass(frozen=True, slots=True)
class _Chain:
    """A stretch of an array, and the elementwise nodes that alone read it, one after another."""

    read: Node
    start: Dim
    stop: Dim
    nodes: tuple[Node, ...]

    @property
    def steps(self) -> list[tuple[Op, Attributes, tuple[Value | None, ...]]]:
        """What is done to the stretch, equal for equal functions."""
        source, found = self.read.result, []
        for node in self.nodes:
            found.append((node.op, node.attributes, _in_place(node, source, None)))
            source = node.result
        return found


def _in_place(node: Node, source: Value, new: Value | None) -> tuple[Any, ...]:
    """The operands of a node with another value in one's place."""
    return tuple(new if value is source else value for value in node.operands)


def join_neighbours(graph: Graph) -> Graph:
    """The graph, and those that it calls, with one call for neighbours; itself without any."""
    return with_called(graph, _joined)


def _joined(graph: Graph) -> Graph:
    if not _has_two_parts(graph):
        return graph
    counts = uses(graph.block)
    if not any(any(_runs(block, counts)) for block in walk_blocks(graph.block)):
        return graph
    copied = copy_block(graph.block, {})
    counts = uses(copied)
    new: dict[Value, Value] = {}
    for block in list(walk_blocks(copied)):
        _Joining(block, new).join(list(_runs(block, counts)))
    substitute(copied, new)
    return with_block(graph, copied)


def _has_two_parts(graph: Graph) -> bool:
    """Return whether slices of any array are read more than once."""
    known: set[Value] = set()
    for node in walk_nodes(graph.block):
        if _is_sliced(node):
            if node.operands[0] in known:
                return True
            known.add(node.operands[0])
    return False


def _is_sliced(node: Node) -> bool:
    return node.op is index and all(isinstance(entry, Slice) for entry in node.attributes["key"])


# Finding them -------------------------------------------------------------------------------------


def _runs(block: Block, counts: Mapping[Value, int]) -> Iterator[list[_Chain]]:
    """Chains of one function whose stretches follow each other from the beginning of an array."""
    chains: dict[Value, list[_Chain]] = {}
    readers = {value: node for node in block.nodes for value in node.operands}
    for node in block.nodes:
        chain = _chain(node, readers, counts)
        if chain is not None:
            chains.setdefault(node.operands[0], []).append(chain)
    for found in chains.values():
        run = _run(found)
        if len(run) > 1:
            yield run


def _chain(read: Node, readers: Mapping[Value, Node], counts: Mapping[Value, int]) -> _Chain | None:
    """The chain that begins with a read of a stretch of the first axis, if it bends anywhere."""
    if not _is_sliced(read):
        return None
    nodes: list[Node] = []
    source = read.result
    while counts.get(source, 0) == 1 and len(nodes) < _LONGEST:
        node = readers.get(source)
        if node is None or not _is_of_elements(node, source):
            break
        nodes.append(node)
        source = node.result
    stretch = stretch_of(read)
    if stretch is None or stretch[0] != 0 or not _bends(nodes):
        return None
    _, start, stop = stretch
    whole = shape_of(read.operands[0])[0]
    if not isinstance(start, int | Size) or not isinstance(stop, int | Size):
        return None
    if not (is_at_most(0, start) and is_at_most(start, stop) and is_at_most(stop, whole)):
        return None
    return _Chain(read, start, stop, tuple(nodes))


def _is_of_elements(node: Node, source: Value) -> bool:
    """Return whether a node does something to each element of an array, and numbers."""
    op = node.op
    if not isinstance(op, DeclaredOp) or not op.elementwise or op.effect or node.blocks:
        return False
    others = [value for value in node.operands if value is not source]
    numbers = all(isinstance(v.type, ArrayType) and not v.type.rank for v in others)
    return numbers and shape_of(node.result) == shape_of(source)


def _run(chains: Sequence[_Chain]) -> list[_Chain]:
    """Those that follow each other from 0 on, as far as all do the same."""
    by_start = {chain.start: chain for chain in chains}
    found: list[_Chain] = []
    place: Dim = 0
    length = _LONGEST
    while place in by_start and len(found) < len(chains):
        chain = by_start[place]
        same = min(length, _common(found[0] if found else chain, chain))
        if not _bends(chain.nodes[:same]):
            break
        found.append(chain)
        place, length = chain.stop, same
    return [replace(chain, nodes=chain.nodes[:length]) for chain in found]


def _common(a: _Chain, b: _Chain) -> int:
    """How many steps of two chains are the same from the beginning."""
    pairs = zip(a.steps, b.steps, strict=False)
    return next((k for k, (p, q) in enumerate(pairs) if p != q), min(len(a.nodes), len(b.nodes)))


def _bends(nodes: Sequence[Node]) -> bool:
    """Return whether some of the nodes is more than linear."""
    return not all(node.op.name in _LINEAR for node in nodes)


# Joining them -------------------------------------------------------------------------------------


def _has_effect(node: Node) -> bool:
    return any(inner.op.effect for inner in walk_nodes(Block((), [node], ())))


class _Joining:
    """Computes the functions of a block's runs once each, where their first stretches were read;
    ``new`` learns by what their results are to be replaced.
    """

    def __init__(self, block: Block, new: dict[Value, Value]) -> None:
        self.block, self.new = block, new
        self.place = {node: k for k, node in enumerate(block.nodes)}
        self.effects = [k for k, node in enumerate(block.nodes) if _has_effect(node)]
        self.before: dict[Node, list[Node]] = {}  # what is put in front of nodes
        self.gone: set[Node] = set()

    def join(self, runs: Sequence[list[_Chain]]) -> None:
        """Rebuild the block."""
        for run in sorted(runs, key=self._begin):
            self._add(run)
        nodes: list[Node] = []
        for node in self.block.nodes:
            nodes += self.before.get(node, ())
            if node not in self.gone:
                nodes.append(node)
        self.block.nodes[:] = nodes

    def _begin(self, run: list[_Chain]) -> int:
        return min(self.place[chain.read] for chain in run)

    def _add(self, run: list[_Chain]) -> None:
        at, end = self._begin(run), max(self.place[chain.nodes[-1]] for chain in run)
        if bisect(self.effects, at) < bisect(self.effects, end):
            return
        moved = self._to_move(run, at)
        if moved is None:
            return
        made = Builder()
        with building(made):
            whole = _function_of_all(run)
            parts = [_part(whole, chain, chain is run[-1]) for chain in run]
        old = [chain.nodes[-1].result for chain in run]
        if any(part.type != value.type for part, value in zip(parts, old, strict=True)):
            return
        self.new.update(zip(old, parts, strict=True))
        self.before[self.block.nodes[at]] = [*moved, *made.nodes]
        self.gone.update(moved, *((chain.read, *chain.nodes) for chain in run))
        self.place.update(dict.fromkeys(moved, at))

    def _to_move(self, run: list[_Chain], at: int) -> list[Node] | None:
        """The nodes behind a place that compute numbers that are needed there, in order; None where
        one of them is more than that.
        """
        pending = [value for chain in run for value in key_of(chain.read)[1]]
        operands = (value for node in run[0].nodes for value in node.operands)
        pending += [value for value in operands if not array_type(value).rank]
        found: set[Node] = set()
        while pending:
            node = pending.pop().node
            if node is None or node in found or self.place.get(node, -1) <= at:
                continue
            numbers = all(isinstance(v.type, ArrayType) and not v.type.rank for v in node.operands)
            if not numbers or node.blocks or must_stay(node) or may_raise(node):
                return None
            found.add(node)
            pending += node.operands
        return sorted(found, key=self.place.__getitem__)


def _function_of_all(run: Sequence[_Chain]) -> Value:
    """What is done to each stretch of a run, done to all of them together."""
    first, last = run[0], run[-1]
    base = first.read.operands[0]
    length, *others = shape_of(base)
    value = base
    if last.stop != length:
        key, dynamic = _cut(last, from_start=True, to_end=False)
        with marked(first.read.span, first.read.result.role):
            value = apply(index, base, *dynamic, key=key, shape=(last.stop, *others))
    source = first.read.result
    for node in first.nodes:
        with marked(node.span, node.result.role):
            value = apply(op_of(node), *_in_place(node, source, value), **node.attributes)
        source = node.result
    return value


def _part(whole: Value, chain: _Chain, to_end: bool) -> Value:
    """Of what is computed of all stretches, that of one, with its name."""
    key, dynamic = _cut(chain, from_start=False, to_end=to_end)
    result = chain.nodes[-1].result
    with marked(chain.nodes[-1].span, result.role, result.name):
        return apply(index, whole, *dynamic, key=key, shape=chain.read.attributes["shape"])


def _cut(chain: _Chain, from_start: bool, to_end: bool) -> tuple[Key, list[Value]]:
    """The key that reads a stretch, without its beginning or its end."""
    entry, given = chain.read.attributes["key"][0], key_of(chain.read)[1]
    dynamic: list[Value] = []

    def own(bound: int | Slot | None) -> int | Slot | None:
        if not isinstance(bound, Slot):
            return bound
        dynamic.append(given[bound.number])
        return Slot(len(dynamic) - 1)

    start = None if from_start else own(entry.start)
    stop = None if to_end else own(entry.stop)
    return (Slice(start, stop),), dynamic
