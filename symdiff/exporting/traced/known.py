"""What is known while a function is traced: sizes, constants, and integer arguments on demand."""

from __future__ import annotations

from collections.abc import Iterable

from symdiff.ir.build import constant
from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import Block, Graph, Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import (
    absolute,
    add,
    equal,
    floor_divide,
    greater,
    greater_equal,
    left_shift,
    less,
    less_equal,
    maximum,
    minimum,
    multiply,
    negative,
    not_,
    not_equal,
    remainder,
    right_shift,
    subtract,
)
from symdiff.ops.casts import python_bool, python_int
from symdiff.ops.creation import int_minimum, range_element, range_length
from symdiff.ops.elementary import power
from symdiff.ops.retype import retype
from symdiff.ops.sizes import size

_SIZES = frozenset({size, constant})
_OF_NUMBERS = frozenset(
    {
        add, subtract, multiply, floor_divide, remainder, negative,
        int_minimum, range_length, range_element, python_int,
        maximum, minimum, absolute, retype, less, less_equal, greater,
        greater_equal, equal, not_equal, not_, python_bool, left_shift,
        right_shift, power,
    }
)  # fmt: skip


class Known:
    """Which values of a graph are numbers while it is traced, and which arguments have to be."""

    def __init__(self, graph: Graph) -> None:
        self.values: set[Value] = set()  # known whatever the arguments
        self.offered: dict[Value, frozenset[str]] = {}  # known if these arguments are
        self.demanded: set[str] = set()
        pairs = zip(graph.inputs, graph.block.parameters, strict=True)
        for source, value in pairs:
            if source.origin == "argument" and len(source.path) == 1 and _is_count(value):
                self.offered[value] = frozenset({str(source.path[0])})
        self._visit(graph.block)

    def is_known(self, value: Value) -> bool:
        """Return whether a value is a number of Python's while its function is traced."""
        if value in self.values:
            return True
        names = self.offered.get(value)
        return names is not None and names <= self.demanded

    def demand(self, values: Iterable[Value]) -> Value | None:
        """Let values be known by asking arguments to be; the first one that cannot, or None."""
        for value in values:
            if value in self.values:
                continue
            if value not in self.offered:
                return value
            self.demanded |= self.offered[value]
        return None

    def _visit(self, block: Block) -> None:
        pending = [block]
        while pending:
            current = pending.pop()
            for node in current.nodes:
                self._node(node)
                pending.extend(node.blocks)

    def _node(self, node: Node) -> None:
        if node.op in (loop, cond) or len(node.results) != 1 or not _is_number(node.result):
            return
        if node.op in _SIZES:
            self.values.add(node.result)
        elif node.op in _OF_NUMBERS and node.operands:
            self._computed(node)

    def _computed(self, node: Node) -> None:
        if all(value in self.values for value in node.operands):
            self.values.add(node.result)
        elif all(value in self.values or value in self.offered for value in node.operands):
            names = (self.offered.get(value, frozenset()) for value in node.operands)
            self.offered[node.result] = frozenset().union(*names)


def _is_number(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.kind == "python"


def _is_count(value: Value) -> bool:
    """Return whether a value is an integer or a truth of Python's."""
    return _is_number(value) and isinstance(value.type, ArrayType) and value.type.dtype.kind in "ib"


def turns_are_known(view: LoopView, known: Known) -> bool:
    """Return whether a loop's number of turns, or at most as many, is known while it is traced."""
    return view.count is not None and known.is_known(view.count)
