"""What a derivative keeps of the primal program: values, tapes, and who reads them.

It is read off the graphs that are emitted: of a joint graph, the primal values that statements of
derivatives read; of a pair, what the forward function hands to the backward one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from symdiff.differentiate.noting import described
from symdiff.inspection.costs import Same, handed_over, is_derived, size_in_bytes, turns_of_tape
from symdiff.ir.build import constant
from symdiff.ir.control import LoopView, loop
from symdiff.ir.counts import Count
from symdiff.ir.graph import Block, Graph, Node, Value
from symdiff.ir.types import ListType, TapeType
from symdiff.ops.flops import elements


@dataclass(slots=True)
class Kept:
    """A primal value that the derivative reads. ``each_turn``: one for each turn of a loop."""

    value: Value
    bytes: Count
    each_turn: bool
    read_by: set[int] = field(default_factory=set)


def kept_values(graphs: Sequence[Graph]) -> list[Kept]:
    """What is kept, in the order of the program."""
    if len(graphs) == 2:
        same = handed_over(*graphs)
        readers = _readers(graphs[1].block, derived=True)
        return [_kept(same[v], readers[v], same) for v in same if v in readers]
    (graph,) = graphs
    own = set(graph.block.parameters) | set(_primal_results(graph.block))
    found = {value: lines for value, lines in _readers(graph.block).items() if value in own}
    return [_kept(v, found[v], {}) for v in sorted(found, key=lambda value: value.number)]


def _primal_results(block: Block) -> Iterator[Value]:
    """What primal statements make, those inside primal loops and branches too."""
    pending = [block]
    while pending:
        for node in pending.pop().nodes:
            if not is_derived(node):
                yield from (v for v in node.results if v.role == "primal")
                pending += node.blocks


def _readers(block: Block, derived: bool = False) -> dict[Value, set[int]]:
    """Values that derivative statements read, with the user's lines of these."""
    found: dict[Value, set[int]] = {}
    elements: list[tuple[Value, Value]] = []
    pending = [(block, derived)]
    while pending:
        current, inside = pending.pop()
        for node in current.nodes:
            here = inside or is_derived(node)
            pending += [(nested, here) for nested in node.blocks]
            if here:
                for value in _read(node):
                    found.setdefault(value, set()).update(_lines(node))
            if here and node.op is loop:
                elements += zip(LoopView(node).xs, LoopView(node).elements, strict=True)
    for tape, element in elements:
        found[tape] = found.get(element) or found.get(tape, set())
    return found


def _read(node: Node) -> Iterator[Value]:
    """The operands of a node; numbers in the text are none, nor are derivatives."""
    for value in node.operands:
        if value.role == "primal" and not (value.node and value.node.op is constant):
            yield value


def _lines(node: Node) -> set[int]:
    return set() if node.span is None else {node.span.line}


def _kept(value: Value, read_by: set[int], same: Same) -> Kept:
    size = size_in_bytes(value.type)
    each_turn = isinstance(value.type, TapeType)
    if each_turn or isinstance(value.type, ListType):
        size = size if size.terms else elements(value.type) * 8
        size = size * turns_of_tape(value, value.node, same)
    return Kept(value, size, each_turn, read_by)


def source_of(kept: Kept) -> dict[str, object]:
    """The value as the user knows it; of a tape, what a turn writes to it."""
    value = kept.value
    node = value.node
    if kept.each_turn and node is not None and node.op is loop:
        view = LoopView(node)
        if value in view.ys:
            value = view.pushed[view.ys.index(value)]
    return described(value)
