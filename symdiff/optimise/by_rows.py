"""Which nodes compute row by row, and which arrays lie in memory by rows.

A *row* is an element of a vector, or what an array of more axes has at one place of its first. A
node computes by rows where a row of its result needs the same row of some operands, and others
whole: ``x * y``, ``scores - np.max(scores, axis=1, keepdims=True)``, ``x * column_scales``. A
reduction of some rows of an array that fills its memory by rows has the bits that it has of all
rows; new arrays of other layouts would lie in other ways, and be summed in another order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from symdiff.ir.graph import Block, Node, Value
from symdiff.ir.types import ArrayType, Size
from symdiff.ops.batching import pointwise
from symdiff.ops.declare import DeclaredOp, array_type
from symdiff.ops.facts import is_derived, may_raise
from symdiff.ops.keys import Slice, Slot
from symdiff.ops.memory_order import layout_of_result, needs_operands
from symdiff.ops.reduce import axes_of
from symdiff.ops.strides import Layout, is_packed, kept_order

REDUCTIONS = frozenset({"sum", "mean", "prod", "max", "min", "var", "std"})
SHAPED = frozenset({"reshape", "broadcast_to"})
"""Ops whose operands behind the first are the lengths of their results."""
VIEWS = SHAPED | {"index"}
_HALF = 2  # bytes: sums of such numbers are made of others


def rows_of(node: Node) -> Size | None:
    """How many rows a node computes row by row; None where it does not, or may raise."""
    if not isinstance(node.op, DeclaredOp) or node.op.effect or len(node.results) != 1:
        return None
    length = length_of(node.result)
    if length is None or may_raise(node) or not _has_closed_rows(node.result):
        return None
    return length if _rule(node)(node, length) else None


def takes_rows(node: Node, number: int) -> bool:
    """Return whether a node that computes by rows needs of an operand the same row alone."""
    value, rows = node.operands[number], length_of(node.result)
    if length_of(value) != rows:
        return False
    if is_by_elements(node) or node.op.name == "broadcast_to":
        return array_type(value).rank == array_type(node.result).rank
    return number == 0


def length_of(value: Value) -> Size | None:
    """How many rows an array has, where that is the length of an argument, or some more or less."""
    type_ = value.type
    if not isinstance(type_, ArrayType) or type_.kind != "array" or not type_.rank:
        return None
    length = type_.shape[0]
    return length if isinstance(length, Size) and not length.open else None


def is_by_elements(node: Node) -> bool:
    """Return whether a node computes each element of the same places of its operands."""
    op = node.op
    if not isinstance(op, DeclaredOp) or op.effect or len(node.results) != 1:
        return False
    if op.elementwise:
        return True
    type_ = node.result.type
    rank = type_.rank if isinstance(type_, ArrayType) else 0
    return op.batch is pointwise and (op.order == "kept" or rank == 1)


def _has_closed_rows(value: Value) -> bool:
    rest = array_type(value).shape[1:]
    return not any(isinstance(dim, Size) and dim.open for dim in rest)


# What computes by rows --------------------------------------------------------------------------


def _rule(node: Node) -> Callable[[Node, Size], bool]:
    if is_by_elements(node):
        return _elements
    if node.op.name in REDUCTIONS:
        return _reduces_rows
    return _SHAPES.get(node.op.name, lambda node, length: False)


def _elements(node: Node, length: Size) -> bool:
    rank = array_type(node.result).rank
    for value in node.operands:
        type_ = value.type
        if not isinstance(type_, ArrayType) or type_.rank > rank:
            return False
        if type_.rank == rank and type_.shape[0] not in (length, 1):
            return False
    return True


def _reduces_rows(node: Node, length: Size) -> bool:
    """A reduction within rows, in the precision of what is reduced."""
    base, axis = array_type(node.operands[0]), node.attributes.get("axis")
    if axis is None or len(node.operands) > 1 or length_of(node.operands[0]) != length:
        return False
    same = base.dtype == array_type(node.result).dtype and base.dtype.kind in "fc"
    return same and base.dtype.itemsize > _HALF and 0 not in axes_of(axis, base.rank)


def _keeps_rows(node: Node, length: Size) -> bool:
    """A reshape within rows: what is left of a row has as many elements."""
    return length_of(node.operands[0]) == length


def _spreads_rows(node: Node, length: Size) -> bool:
    base = array_type(node.operands[0])
    return base.rank < array_type(node.result).rank or base.shape[0] in (length, 1)


def _takes_parts_of_rows(node: Node, length: Size) -> bool:
    key = node.attributes["key"]
    if length_of(node.operands[0]) != length or len(node.operands) > 1:
        return False
    plain = (entry is None or isinstance(entry, int | Slice) for entry in key)
    return key[:1] == (Slice(None, None, None),) and all(plain) and not _asks(key)


def _asks(key: tuple[object, ...]) -> bool:
    ends = (e for entry in key if isinstance(entry, Slice) for e in _ends(entry))
    return any(isinstance(end, Slot) for end in ends)


def _ends(entry: Slice) -> Iterator[object]:
    yield from (entry.start, entry.stop, entry.step)


_SHAPES: Mapping[str, Callable[[Node, Size], bool]] = {
    "reshape": _keeps_rows,
    "broadcast_to": _spreads_rows,
    "index": _takes_parts_of_rows,
}


# How arrays lie in memory -----------------------------------------------------------------------


class Layouts:
    """How arrays lie in memory, those given by rows known to."""

    def __init__(self, packed: Iterable[Value]) -> None:
        self.known = {value: Layout.packed(array_type(value).shape) for value in packed}

    def add(self, block: Block) -> None:
        """Learn how what a block computes lies, of which blocks around are known."""
        for node in block.nodes:
            if len(node.results) == 1 and not node.blocks and _is_array(node.result):
                sources = needs_operands(node)
                if all(map(_is_array, sources)) and not self._may_be_written_over(node, sources):
                    layouts = [self.of(value) for value in sources]
                    self.known[node.result] = layout_of_result(node, layouts, {})

    def _may_be_written_over(self, node: Node, sources: Iterable[Value]) -> bool:
        """Return whether NumPy may write what a node makes over an operand that lies otherwise.

        It does so where the user's expression has given the operand no name: here it may have one.
        """
        return is_by_elements(node) and not all(
            is_packed(self.of(value), array_type(value).shape) for value in sources
        )

    def of(self, value: Value) -> Layout:
        """How an array lies."""
        type_ = array_type(value)
        if value in self.known:
            return self.known[value]
        return Layout.packed(type_.shape) if type_.rank < 2 else Layout.unknown(type_.rank)

    def are_rows(self, node: Node) -> bool:
        """Return whether what a node makes by rows has the bits and the layout of what it makes at
        once.

        What is made of arrays in several orders may lie as either: NumPy writes the result over a
        large operand that nothing else has. Of derivatives it is enough that nothing is known to
        lie otherwise.
        """
        if node.op.name in VIEWS:
            return True
        enough = (True, None) if is_derived(node) else (True,)
        within = node.op.name in REDUCTIONS
        arrays = [value for value in node.operands if _is_array(value)]
        return all(self._lies_by_rows(value, within) in enough for value in arrays)

    def _lies_by_rows(self, value: Value, filled: bool) -> bool | None:
        """Return whether what is made of an array lies by rows, or it does itself, without gaps."""
        shape, layout = array_type(value).shape, self.of(value)
        return is_packed(layout if filled else kept_order([(shape, layout)], shape), shape)


def _is_array(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.kind == "array"
