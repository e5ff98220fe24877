"""Slices that are known to fit: their length is what is added to where they begin.

    for i in range(len(k)):        0 <= i <= len(k) - 1
        x[i : i + len(out)]        of len(out) = len(x) - len(k) + 1: it ends at len(x) at most

An index of a loop lies between 0 and the count of turns, an element of a range between the ends of
the range. A difference, ``len(x) - len(k) + 1``, is a length where an array has been made with it:
it is not negative then. What is not known to fit is taken not to.
"""

from __future__ import annotations

from collections.abc import Hashable

from symdiff.dataclass import dataclass
from symdiff.ir.build import builder, builder_if_any
from symdiff.ir.graph import Operand, Value
from symdiff.ir.types import LEAST_SYMBOLIC, ArrayType, Dim, Size, lengthened
from symdiff.ops.integer_sums import Sum, sum_of, sum_of_length
from symdiff.ops.sizes import constant_integer, dim_of, lower_bound

_DEEPEST = 16  # loops around


def fitting_length(whole: Dim, start: Operand | None, stop: Operand | None) -> Dim | None:
    """How many elements ``start:stop`` selects of an axis, where ``stop`` is ``start`` and a length
    more and the axis is known not to end before; None where that is not known.
    """
    start = 0 if start is None else start
    added = None if stop is None else _added_to(start, stop)
    if added is None:
        return None
    begins = sum_of(start)
    taken = _length_added(added)
    if begins is None or taken is None or not _is_at_least(begins, 0):
        return None
    left = sum_of_length(whole, is_exact=True).plus(begins, -1).plus(taken.sum, -1)
    return taken.dim if _is_at_least(left, 0) else None


def _added_to(start: Operand, stop: Operand) -> Sum | None:
    """What is added to a start, of values as they are."""
    first, last = sum_of(start, in_sizes=False), sum_of(stop, in_sizes=False)
    return None if first is None or last is None else last.plus(first, -1)


@dataclass(frozen=True, slots=True)
class _Length:
    """A length, and the sum that it is."""

    dim: Dim
    sum: Sum


def _length_added(added: Sum) -> _Length | None:
    """The length that a sum of values is, where it is known not to be negative."""
    if not added.terms:
        return _Length(added.number, added) if added.number >= 0 else None
    ((term, factor), *more) = added.terms.items()
    if not isinstance(term, Value) or factor != 1 or more:
        return _length_made(added)
    number, taken = added.number, sum_of(term)
    if taken is None or not _is_at_least(taken, -number):
        return _length_made(added)
    if number == 0:  # of a slice of no elements it is 0 anyway
        taken = sum_of(term, is_positive=True) or taken
    return _Length(lengthened(dim_of(term), number), taken.plus(Sum({}, number)))


# Lengths of arrays that were made


def keep_lengths(made: Value) -> Value:
    """Remember, for what is built behind it, of which sums a new array has its lengths."""
    node, around = made.node, builder()
    shape = made.type.shape if isinstance(made.type, ArrayType) else ()
    if node is None or around.nodes[-1:] != [node] or not any(map(_is_open, shape)):
        return made
    for dim, given in zip(shape, node.operands[len(node.operands) - len(shape) :], strict=True):
        found = sum_of(given, in_sizes=False) if _is_open(dim) else None
        key = None if found is None else frozenset(found.terms.items())
        if found is not None and key not in around.lengths:
            around.lengths[key] = len(around.nodes) - 1, node, dim, found.number
    return made


def _is_open(dim: Dim) -> bool:
    return isinstance(dim, Size) and dim.open


def _length_made(added: Sum) -> _Length | None:
    """What an array has been made with before, perhaps with a number more."""
    key, around = frozenset(added.terms.items()), builder_if_any()
    while around is not None and key not in around.lengths:
        around = around.around
    if around is None:
        return None
    place, node, dim, number = around.lengths[key]
    if around.nodes[place : place + 1] != [node] or added.number < number:
        return None
    taken = Sum({}, added.number)
    for term, factor in added.terms.items():
        part = sum_of(term) if isinstance(term, Value) else None
        if part is None:
            return None
        taken = taken.plus(part, factor)
    return _Length(lengthened(dim, added.number - number), taken)


def _is_at_least(found: Sum, number: int) -> bool:
    """Return whether a sum is known not to be below a number."""
    for _ in range(_DEEPEST):
        inner = max(
            (term for term in found.terms if isinstance(term, Value) and _ends_of(term)),
            key=lambda index: index.number,
            default=None,
        )
        if inner is None:
            break
        factor, ends = found.terms[inner], _ends_of(inner)
        assert ends is not None
        end = ends[0] if factor > 0 else ends[1]
        if end is None:
            return False
        found = found.without(inner).plus(end, factor)
    bounds = [(factor, _least(term)) for term, factor in found.terms.items()]
    if any(factor < 0 or least is None for factor, least in bounds):
        return False
    return found.number + sum(factor * (least or 0) for factor, least in bounds) >= number


def _least(term: Hashable) -> int | None:
    if isinstance(term, Value):
        return lower_bound(term)
    return 0 if isinstance(term, Size) else LEAST_SYMBOLIC


def _ends_of(value: Value) -> tuple[Sum | None, Sum | None] | None:
    """What an index of a loop, or an element of a range in one, is at least and at most."""
    if value.below is not None:
        last = _last_turn(*value.below)
        return Sum({}), last
    node = value.node
    if node is None or node.op.name != "range_element":
        return None
    start, step, index = node.operands
    count = index.below[0] if index.below is not None else None
    made = count.node if isinstance(count, Value) else None
    if made is None or made.op.name != "range_length" or not _are_same(made.operands[0], start):
        return None
    by, whole_step = constant_integer(step), constant_integer(made.operands[2])
    if by is None or by < 1 or whole_step != by:
        return None
    stop = sum_of(made.operands[1])
    return sum_of(start), None if stop is None else stop.plus(Sum({}, -1))


def _are_same(a: Value, b: Value) -> bool:
    number = constant_integer(a)
    return a is b or (number is not None and number == constant_integer(b))


def _last_turn(count: Operand, first: int) -> Sum | None:
    """The index of the last turn of a loop that has one."""
    node = count.node if isinstance(count, Value) else None
    if node is None or node.op.name != "range_length":
        length = sum_of(count, is_positive=True)
    elif constant_integer(node.operands[2]) == 1:
        start, stop = (sum_of(part) for part in node.operands[:2])
        length = None if start is None or stop is None else stop.plus(start, -1)
    else:
        return None
    return None if length is None else length.plus(Sum({}, -first - 1))
