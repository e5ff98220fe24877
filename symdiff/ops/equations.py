"""What lengths of inputs have to be where lengths computed from them meet.

``gates[3 * n:]`` of an array of length ``m`` meets one of length ``n``: they fit where ``m - 3 * n
== n`` (or where one of them is 1). A length is followed back to those of inputs through slices,
quotients, and what a loop starts from, as a ``Count`` that is linear; what it is has to be known to
hold at the lengths of the call at hand, where ``gates[3 * n:]`` does not reach beyond the end.
``gates[3 * n : 4 * n]`` is as long where the end is not beyond that of ``gates``: known is that it
is, of calls in which the two are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from symdiff.dataclass import dataclass
from symdiff.ir.control import LoopView, loop
from symdiff.ir.counts import Count
from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ir.types import INT, ArrayType, Dim, Multiple, Size
from symdiff.ops.arithmetic import add, floor_divide, multiply, subtract
from symdiff.ops.index import index, index_add, index_set, key_of
from symdiff.ops.keys import Slot, region_slices
from symdiff.ops.meeting import is_elementwise, meetings
from symdiff.ops.shape import reshape
from symdiff.ops.sizes import constant_integer, dim_of, size


@dataclass(frozen=True, slots=True)
class Relation:
    """The length called ``symbol`` is ``other``, a multiple of another one."""

    symbol: str
    other: Multiple


def relations(block: Block, lengths: Mapping[str, int]) -> Iterator[Relation]:
    """The relations between lengths of inputs that make lengths fit that meet in a block, and that
    hold for these.
    """
    met = list(dict.fromkeys(meetings(block)))
    if not met:
        return
    known = _Lengths(lengths)
    for node in walk_nodes(block):
        known.visit(node)
    for one, other in met:
        a, b = known.dim(one), known.dim(other)
        if a is not None and b is not None:
            zeros = a + b * -1, *known.rests(one), *known.rests(other)
            yield from filter(None, (_solved(zero, lengths) for zero in zeros))


class _Lengths:
    """Lengths in terms of those of inputs: open sizes by their symbols, and integers."""

    def __init__(self, lengths: Mapping[str, int]) -> None:
        self.lengths = lengths
        self.open: dict[str, Count] = {}
        self.left: dict[str, Count] = {}  # how many elements are behind a slice
        self.integers: dict[Value, Count] = {}

    def dim(self, dim: Dim) -> Count | None:
        """A length; None where it is not known to be one of inputs, or a sum of such."""
        if isinstance(dim, int):
            return Count.number(dim)
        if dim.symbol in self.open:
            return self._positive(self.open[dim.symbol] + dim.offset)
        return None if dim.open else self._positive(Count.dim(dim))

    def rests(self, dim: Dim) -> list[Count]:
        """What is 0 where a slice of this length ends with its axis: then it is that long."""
        known = self.left.get(dim.symbol) if isinstance(dim, Size) else None
        return [] if known is None else [known]

    def integer(self, value: Value) -> Count | None:
        number = constant_integer(value)
        return self.integers.get(value) if number is None else Count.number(number)

    def visit(self, node: Node) -> None:
        """Learn the lengths that a node makes."""
        if node.op is loop:
            view = LoopView(node)
            for carry, initial in zip(view.carries, view.initial, strict=True):
                self._starts_as(carry, initial)
        elif node.op in (index, index_set, index_add):
            self._slices(node)
        elif node.op is reshape:
            self._reshaped(node)
        elif node.op in _ARITHMETIC or node.op is size:
            found = self._computed(node)
            if found is not None and _is_short(found):
                self.integers[node.result] = found
                self._learn(dim_of(node.result), found)
        if is_elementwise(node):
            self._broadcast(node)

    def _learn(self, dim: Dim, count: Count | None) -> None:
        if isinstance(dim, Size) and dim.open and not dim.offset and count is not None:
            self.open.setdefault(dim.symbol, count)

    def _positive(self, count: Count) -> Count | None:
        """A count of which it is known that it is no less than 0."""
        number = count.value(self.lengths)
        return count if number is not None and number >= 0 else None

    def _starts_as(self, carry: Value, initial: Value) -> None:
        if isinstance(carry.type, ArrayType) and isinstance(initial.type, ArrayType):
            for dim, start in zip(carry.type.shape, initial.type.shape, strict=True):
                self._learn(dim, self.dim(start))

    def _broadcast(self, node: Node) -> None:
        """A length of what is computed element by element is that of each operand, if all fit."""
        shapes = [shape for v in node.operands if (shape := _shape(v))]
        for axis in range(1, len(_shape(node.result)) + 1):
            dims = [shape[-axis] for shape in shapes if len(shape) >= axis and shape[-axis] != 1]
            counts = [self.dim(dim) for dim in dims]
            numbers = {None if count is None else count.value(self.lengths) for count in counts}
            if len(numbers) == 1 and counts[0] is not None:
                self._learn(_shape(node.result)[-axis], counts[0])

    def _slices(self, node: Node) -> None:
        key, dynamic = key_of(node)
        type_ = node.operands[0].type
        assert isinstance(type_, ArrayType)
        for whole, part, made in region_slices(type_, key, dynamic):
            length = self.dim(whole)
            if length is not None and part.step is None:
                start = self._place(part.start, dynamic, Count.number(0), length)
                stop = self._place(part.stop, dynamic, length, length)
                if start is not None and stop is not None:
                    self._learn(made, self._positive(stop + start * -1))
                    if isinstance(made, Size) and made.open:
                        self.left.setdefault(made.symbol, length + stop * -1)

    def _place(
        self, part: int | Slot | None, dynamic: Sequence[Value], absent: Count, length: Count
    ) -> Count | None:
        """The place of a bound on an axis; None where it is not known to be on it."""
        if part is None:
            return absent
        if isinstance(part, int):
            place: Count | None = Count.number(part) if part >= 0 else length + part
        else:
            place = self.integer(dynamic[part.number])
        if place is None or self._positive(place) is None:
            return None
        return None if self._positive(length + place * -1) is None else place

    def _reshaped(self, node: Node) -> None:
        """The length that ``-1`` stands for, or that is left beside numbers."""
        before, after = (value.type for value in (node.operands[0], node.result))
        assert isinstance(before, ArrayType)
        assert isinstance(after, ArrayType)
        rest = [dim for dim in after.shape if isinstance(dim, Size)]
        if len(rest) == 1:
            known = prod(dim for dim in after.shape if isinstance(dim, int))
            elements = Count.number(1)
            for dim in before.shape:
                length = self.dim(dim)
                if length is None:
                    return
                elements = elements * length
            if _is_short(elements):
                self._learn(rest[0], self._divided(elements, known))

    def _computed(self, node: Node) -> Count | None:
        """What an integer is that is computed of lengths."""
        if node.op is size:
            type_ = node.operands[0].type
            assert isinstance(type_, ArrayType)
            return self.dim(type_.shape[node.attributes["axis"]])
        if node.result.type != INT:
            return None
        a, b = map(self.integer, node.operands)
        if a is None or b is None:
            return None
        if node.op is floor_divide:
            number = constant_integer(node.operands[1])
            return None if number is None else self._divided(a, number)
        if node.op is multiply:
            return a * b
        return a + (b if node.op is add else b * -1)

    def _divided(self, count: Count, number: int) -> Count | None:
        """A count divided by a number, if there is no rest."""
        total = count.value(self.lengths)
        if number < 1 or total is None or total % number:
            return None
        from fractions import Fraction  # which few programs need

        return count * Fraction(1, number)


def _shape(value: Value) -> tuple[Dim, ...]:
    return value.type.shape if isinstance(value.type, ArrayType) else ()


_ARITHMETIC = frozenset({add, subtract, multiply, floor_divide})
_MOST_TERMS = 8


def _is_short(count: Count) -> bool:
    """Return whether a count is linear, and worth to go on with."""
    return len(count.terms) <= _MOST_TERMS and all(len(key) < 2 for key, _ in count.terms)


def _solved(zero: Count, lengths: Mapping[str, int]) -> Relation | None:
    """The relation between two lengths that makes a count 0; None where it is no multiple."""
    terms = dict(zero.terms)
    number = terms.pop((), 0)
    if len(terms) != 2 or any(len(key) != 1 for key in terms) or zero.value(lengths) != 0:
        return None
    ((short,), by), ((long,), of) = sorted(terms.items(), key=lambda term: lengths[term[0][0]])
    from fractions import Fraction  # which few programs need

    factor, offset = Fraction(-by) / of, Fraction(-number) / of
    if factor < 1 or factor.denominator > 1 or offset.denominator > 1:
        return None
    return Relation(long, Multiple(int(factor), short, int(offset)))
