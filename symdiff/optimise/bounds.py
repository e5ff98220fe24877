"""Bounds of integers: between which numbers and sizes an index is known to lie.

    for i in range(n - 1):      0 <= i <= n - 2
        x[i] * x[i + 1]         1 <= i + 1 <= n - 1: of an x of n elements, neither can raise

An upper bound is a dimension: a number, or a size and an offset. What is not known is None.
"""

from __future__ import annotations

from collections.abc import Iterable

from symdiff.dataclass import dataclass
from symdiff.ir.control import LoopView, loop
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import Dim, Size, is_at_most, shifted
from symdiff.ops.facts import SIZED, lengths_given, made_by
from symdiff.ops.sizes import constant_integer, dim_of

_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Interval:
    """``low <= value <= high``; None where there is no bound."""

    low: int | None = None
    high: Dim | None = None

    def moved(self, by: int) -> Interval:
        low = None if self.low is None else self.low + by
        return Interval(low, None if self.high is None else shifted(self.high, by))

    def is_index_of(self, dim: Dim) -> bool:
        """Return whether every value is a place of an axis of this length."""
        if self.low is None or self.high is None or self.low < 0:
            return False
        return is_at_most(self.high, shifted(dim, -1))


_UNKNOWN = Interval()


class Bounds:
    """The bounds of a graph's integers, found when they are asked for."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._count: dict[Value, Value] = {}  # of a loop's index, how many turns there are
        self._dims: dict[Value, Dim] = {}  # of lengths that arrays were made with
        self._lengths: dict[Value, set[Dim]] = {}  # of lists
        for node in nodes:
            if node.op is loop:
                view = LoopView(node)
                if view.count is not None:
                    self._count[view.index] = view.count
            elif node.op.name in SIZED:
                self._dims.update((value, dim) for dim, value in lengths_given(node))
            elif node.op.name == "list_length":
                lengths = self._lengths.setdefault(node.operands[0], set())
                lengths.add(dim_of(node.result))

    def has_item(self, node: Node) -> bool:
        """Return whether a list is known to have the item that a ``list_get`` reads."""
        items, place = node.operands
        found = self.of(place)
        return any(found.is_index_of(length) for length in self._lengths.get(items, ()))

    def of(self, value: Value, depth: int = _DEEPEST) -> Interval:
        """The bounds of an integer."""
        number = constant_integer(value)
        if number is not None:
            return Interval(number, number)
        if depth == 0:
            return _UNKNOWN
        if value in self._count:
            return self._of_turn(self._count[value], depth)
        node = value.node
        if node is None:
            return _UNKNOWN
        if node.op.name == "range_element":
            return self._of_element(node.operands, depth)
        if node.op.name in ("add", "subtract"):
            return self._of_sum(node, depth)
        return Interval(0, self.dim(value)) if node.op.name == "size" else _UNKNOWN

    def dim(self, value: Value) -> Dim:
        """What is known of a length."""
        known = self._dims.get(value)
        return dim_of(value) if known is None else known

    def _of_turn(self, count: Value, depth: int) -> Interval:
        """Of the index of a loop with this many turns."""
        made = made_by(count, "range_length")
        if made is None:
            return Interval(0, shifted(self._most(count, depth), -1))
        start, stop, step = made.operands
        first = constant_integer(start)
        if first is None or constant_integer(step) != 1:
            return Interval(0)
        return Interval(0, shifted(self._most(stop, depth), -first - 1))

    def _most(self, end: Value, depth: int) -> Dim:
        """The most that the end of a range is: it may follow from the turn of a loop around it."""
        most = self.of(end, depth - 1).high
        return self.dim(end) if most is None else most

    def _of_sum(self, node: Node, depth: int) -> Interval:
        name, (a, b) = node.op.name, node.operands
        left, right = constant_integer(a), constant_integer(b)
        if right is not None:
            return self.of(a, depth - 1).moved(right if name == "add" else -right)
        if left is not None and name == "add":
            return self.of(b, depth - 1).moved(left)
        return self._of_difference(a, self.of(b, depth - 1)) if name == "subtract" else _UNKNOWN

    def _of_difference(self, a: Value, taken: Interval) -> Interval:
        """Of a length less what is at least 0: ``n - 1 - i``."""
        length = self.dim(a)
        if taken.low is None or isinstance(length, int) or length.open:
            return _UNKNOWN
        high = shifted(length, -taken.low)
        if not isinstance(taken.high, Size) or taken.high.symbol != length.symbol:
            return Interval(None, high)
        return Interval(length.offset - taken.high.offset, high)

    def _of_element(self, operands: tuple[Value, ...], depth: int) -> Interval:
        """Of an element of a range, where a loop runs over that range."""
        start, step, k = operands
        by = constant_integer(step)
        count = self._count.get(k)
        made = None if count is None else made_by(count, "range_length")
        if (
            made is None
            or made.operands[0] is not start
            or constant_integer(made.operands[2]) != by
        ):
            return _UNKNOWN
        stop = made.operands[1]
        if by is not None and by > 0:
            return Interval(self.of(start, depth - 1).low, shifted(self._most(stop, depth), -1))
        last = self.of(stop, depth - 1).low
        return Interval(None if last is None else last + 1, self.dim(start))
