"""Integers as sums: how often each size of an argument, and what else is added, is in them.

    len(x) - len(k) + 1     of sizes n and m    ─▶    {"n": 1, "m": -1} and 1

What is summed up besides sizes of arguments stands for itself: other values, and open sizes. A
length that may be 0 because a sum is negative is no such sum, but where it is known to be positive.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from symdiff.dataclass import dataclass
from symdiff.ir.build import constant_value
from symdiff.ir.graph import Operand, Value
from symdiff.ir.types import ArrayType, Dim, Multiple

_MOST = 32  # summands


@dataclass(frozen=True, slots=True)
class Sum:
    """A number and so many times each of some terms."""

    terms: Mapping[Hashable, int]
    number: int = 0

    def plus(self, other: Sum, times: int = 1) -> Sum:
        terms = dict(self.terms)
        for term, factor in other.terms.items():
            terms[term] = terms.get(term, 0) + times * factor
        return Sum({t: f for t, f in terms.items() if f}, self.number + times * other.number)

    def without(self, term: Hashable) -> Sum:
        return Sum({t: f for t, f in self.terms.items() if t != term}, self.number)


def sum_of(value: Operand, *, in_sizes: bool = True, is_positive: bool = False) -> Sum | None:
    """What an integer is the sum of; None where that is too much.

    ``in_sizes``: lengths of arrays as sums of sizes of arguments; ``is_positive`` where the integer
    is known to be.
    """
    found, pending = Sum({}), [(value, 1)]
    for _ in range(_MOST):
        if not pending:
            return found
        part, times = pending.pop()
        number = _number(part)
        if number is not None:
            found = found.plus(Sum({}, number), times)
            continue
        assert isinstance(part, Value)
        inner = _summands(part)
        if inner is not None:
            pending += [(summand, factor * times) for summand, factor in inner]
            continue
        length = _length(part) if in_sizes else None
        exactly = is_positive and part is value
        term = Sum({part: 1}) if length is None else sum_of_length(length, is_exact=exactly)
        found = found.plus(term, times)
    return None


def sum_of_length(dim: Dim, *, is_exact: bool = False) -> Sum:
    """What a length is the sum of; ``is_exact`` where the sum is known not to be negative, or is
    taken for a bound that the length is not below.
    """
    if isinstance(dim, int):
        return Sum({}, dim)
    if not dim.open:
        known = Multiple.of(dim)
        if is_exact or known.least >= 0:
            return Sum({known.symbol: known.factor}, known.offset)
    elif is_exact and dim.sum is not None:
        return Sum(dict(dim.sum[0]), dim.sum[1] + dim.offset)
    return Sum({dim: 1})


def of_arguments(value: Value) -> tuple[tuple[tuple[str, int], ...], int] | None:
    """An integer as a sum of sizes of arguments alone, as ``Size`` keeps it."""
    found = sum_of(value)
    if found is None or not all(isinstance(t, str) and "%" not in t for t in found.terms):
        return None
    return tuple(sorted((str(term), factor) for term, factor in found.terms.items())), found.number


def _number(part: Operand) -> int | None:
    known = constant_value(part) if isinstance(part, Value) else part
    return known if isinstance(known, int) and not isinstance(known, bool) else None


def _summands(value: Value) -> list[tuple[Operand, int]] | None:
    """What a sum, a difference or a multiple of Python's integers is made of."""
    node = value.node
    if node is None or not _is_whole(value) or not all(map(_is_whole, node.operands)):
        return None
    if node.op.name in ("add", "subtract"):
        a, b = node.operands
        return [(a, 1), (b, 1 if node.op.name == "add" else -1)]
    if node.op.name == "multiply":
        numbers = [_number(operand) for operand in node.operands]
        for number, other in zip(numbers, reversed(node.operands), strict=True):
            if number is not None:
                return [(other, number)]
    return None


def _is_whole(value: Value) -> bool:
    """Return whether a value is an integer of Python's, which does not wrap."""
    type_ = value.type
    return isinstance(type_, ArrayType) and type_.weak and type_.dtype.kind == "i"


def _length(value: Value) -> Dim | None:
    """The dimension that a value is the length of."""
    node = value.node
    if node is None or node.op.name != "size":
        return None
    type_ = node.operands[0].type
    return type_.shape[int(node.attributes["axis"])] if isinstance(type_, ArrayType) else None
