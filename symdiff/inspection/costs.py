"""What a program costs, by the user's line: operations on elements, and bytes read and written.

A graph enters; an entry for each line leaves, with counts that depend on sizes and on the turns of
loops. An elementwise op counts one operation an element, whatever it computes, a product of
matrices two for each pair that it multiplies. Arrays that an op reads or makes count their bytes,
views none. Of a branch both arms count: the sum is the most that it can be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from symdiff.ir.build import constant
from symdiff.ir.called import called_cells
from symdiff.ir.control import CALLS, LoopView, loop
from symdiff.ir.counts import Count, Number
from symdiff.ir.graph import Block, Graph, GraphCell, Node, Op, Value
from symdiff.ir.structure import Container, leaf_numbers
from symdiff.ir.types import ArrayType, ListType, TapeType, Type
from symdiff.ops.creation import range_length
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.flops import NONE, elements
from symdiff.ops.index import index_add, index_set, is_view
from symdiff.ops.residuals import tape_length
from symdiff.ops.sizes import size
from symdiff.source import SourceSpan

ONE = Count.number(1)


@dataclass(slots=True)
class Cost:
    """Operations and bytes."""

    operations: Count = NONE
    bytes: Count = NONE

    def add(self, operations: Count, moved: Count) -> None:
        self.operations = self.operations + operations
        self.bytes = self.bytes + moved


@dataclass(slots=True)
class LineCost:
    """What a line of the user's costs, in the function itself and in its derivative."""

    span: SourceSpan
    primal: Cost = field(default_factory=Cost)
    derivative: Cost = field(default_factory=Cost)


Same = Mapping[Value, Value]  # values of a second graph, and those of the first that they are


def costs_by_line(graphs: Sequence[Graph]) -> list[LineCost]:
    """The cost of each line from which something in the graphs comes, by file and line."""
    counting = _Counting(handed_over(*graphs) if len(graphs) == 2 else {})
    for graph in graphs:
        counting.graph(graph, ONE)
    found = counting.lines
    return [found[key] for key in sorted(found)]


def handed_over(forward: Graph, backward: Graph) -> dict[Value, Value]:
    """What a backward graph is given of what the forward graph saves."""
    assert isinstance(forward.output, Container)
    saved = [forward.block.results[k] for k in leaf_numbers(forward.output.items[1])]
    return dict(zip(backward.block.parameters, saved, strict=False))


def is_derived(node: Node) -> bool:
    """Return whether a node computes nothing but derivatives."""
    return bool(node.results) and all(value.role != "primal" for value in node.results)


class _Counting:
    """Adds up nodes; ``times`` is how often they run."""

    def __init__(self, same: Same) -> None:
        self.same = same
        self.lines: dict[tuple[str, int], LineCost] = {}
        self._inside: list[GraphCell] = []

    def graph(self, graph: Graph, times: Count) -> None:
        pending: list[tuple[Block, Count, bool]] = [(graph.block, times, False)]
        while pending:
            block, times, derived = pending.pop()
            for node in block.nodes:
                here = derived or is_derived(node)
                if node.op in CALLS:
                    self._call(node, times)
                self._node(node, times, here)
                inner = times * turns(LoopView(node), self.same) if node.op is loop else times
                pending += [(nested, inner, here) for nested in node.blocks]

    def _node(self, node: Node, times: Count, derived: bool) -> None:
        span = node.span
        if span is None or node.op is constant:
            return
        line = self.lines.setdefault((span.file, span.line), LineCost(span))
        cost = line.derivative if derived else line.primal
        cost.add(times * operations(node), times * bytes_moved(node))

    def _call(self, node: Node, times: Count) -> None:
        """A graph that is called; one that calls itself runs as often as nobody knows."""
        cell: GraphCell = node.attributes["callee"]
        if cell.graph is None or cell in self._inside:
            return
        self._inside.append(cell)
        recurs = cell in called_cells(cell.graph)
        often = Count.symbol(f"calls({cell.name})") if recurs else ONE
        self.graph(cell.graph, times * often)
        self._inside.pop()


# Turns --------------------------------------------------------------------------------------------


def turns(view: LoopView, same: Same) -> Count:
    """How often a loop's body runs, at most where it may be left early."""
    return _turns_of(view.node) if view.count is None else whole_number(view.count, view.node, same)


def _turns_of(node: Node | None) -> Count:
    line = "?" if node is None or node.span is None else node.span.line
    return Count.symbol(f"turns(line {line})")


def whole_number(value: Value, at: Node | None, same: Same) -> Count:
    """An integer of the program: a constant, a size, an argument, or a symbol for the loop's."""
    value = same.get(value, value)
    node = value.node
    if node is None:
        return Count.symbol(value.name) if value.name else _turns_of(at)
    if node.op is loop and value is LoopView(node).turns:
        return turns(LoopView(node), same)
    read = _INTEGERS.get(node.op)
    count = None if read is None else read(node, at, same)
    return _turns_of(at) if count is None else count


def _length(node: Node, at: Node | None, same: Same) -> Count | None:
    type_ = node.operands[0].type
    return Count.dim(type_.shape[node.attributes["axis"]]) if isinstance(type_, ArrayType) else None


def _range_length(node: Node, at: Node | None, same: Same) -> Count | None:
    start, stop, step = (whole_number(operand, at, same) for operand in node.operands)
    return stop + start * -1 if step == ONE else None


_INTEGERS: dict[Op, Callable[[Node, Node | None, Same], Count | None]] = {
    constant: lambda node, at, same: Count.number(int(node.attributes["value"])),
    size: _length,
    range_length: _range_length,
    tape_length: lambda node, at, same: turns_of_tape(node.operands[0], at, same),
}


def turns_of_tape(tape: Value, at: Node | None, same: Same) -> Count:
    """How many elements a tape holds."""
    tape = same.get(tape, tape)
    node = tape.node
    return turns(LoopView(node), same) if node is not None and node.op is loop else _turns_of(at)


# Operations ---------------------------------------------------------------------------------------


def size_in_bytes(type_: Type) -> Count:
    """The memory of an array; numbers of Python's and NumPy's have none of their own."""
    if isinstance(type_, ListType | TapeType):
        return size_in_bytes(type_.element)
    if not isinstance(type_, ArrayType) or type_.kind != "array":
        return NONE
    return elements(type_) * type_.dtype.itemsize


def operations(node: Node) -> Count:
    """How many operations on elements a node is."""
    if node.blocks or not isinstance(node.op, DeclaredOp):
        return NONE
    if node.op.flops is not None:
        return node.op.flops(node)
    if is_view(node) or node.op.cost == "free" or not node.operands:
        return NONE
    read = [elements(v.type) for v in node.operands if isinstance(v.type, ArrayType)]
    made = [elements(v.type) for v in node.results if isinstance(v.type, ArrayType)]
    return max([*read, *made], key=_degree, default=NONE)


def _degree(count: Count) -> tuple[int, Number]:
    """What makes one count the greater: its power, then its factor."""
    return max(((len(key), factor) for key, factor in count.terms), default=(0, 0))


def bytes_moved(node: Node) -> Count:
    """The bytes that a node reads of arrays and writes into arrays."""
    if node.blocks or node.op.cost == "free" or is_view(node) or node.op in CALLS:
        return NONE
    if node.op in (index_set, index_add):
        return _written(node)
    read = sum((size_in_bytes(v.type) for v in node.operands), NONE)
    return sum((size_in_bytes(v.type) for v in node.results), read)


def _written(node: Node) -> Count:
    """Of a write, the bytes of the part that is written, and of what is written there."""
    type_ = node.operands[0].type
    assert isinstance(type_, ArrayType)
    region = Count.product(node.attributes["shape"]) * type_.dtype.itemsize
    adds = 2 if node.op is index_add else 1
    return region * adds + size_in_bytes(node.operands[1].type)
