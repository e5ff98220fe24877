"""Slices that are known to fit: their length is what is added to where they begin.

    for i in range(len(k)):        0 <= i <= len(k) - 1
        x[i : i + len(out)]        of len(out) = len(x) - len(k) + 1: it ends at len(x) at most

An index of a loop lies between 0 and the count of turns, an element of a range between the ends of
the range. What is not known to fit is taken not to.
"""

from __future__ import annotations

from collections.abc import Hashable

from symdiff.ir.graph import Operand, Value
from symdiff.ir.types import LEAST_SYMBOLIC, Dim, Size, lengthened
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
    length, number = added
    begins = sum_of(start)
    taken = sum_of(length if length is not None else 0)
    if begins is None or taken is None or not _is_at_least(taken, -number):
        return None
    if number == 0 and length is not None:  # of a slice of no elements it is 0 anyway
        taken = sum_of(length, is_positive=True) or taken
    left = sum_of_length(whole, is_exact=True).plus(begins, -1).plus(taken, -1)
    if not _is_at_least(begins, 0) or not _is_at_least(left, number):
        return None
    return number if length is None else lengthened(dim_of(length), number)


def _added_to(start: Operand, stop: Operand) -> tuple[Value | None, int] | None:
    """The value and the number whose sum is added to a start; None where it is more than that."""
    first, last = sum_of(start, in_sizes=False), sum_of(stop, in_sizes=False)
    if first is None or last is None:
        return None
    added = last.plus(first, -1)
    if not added.terms:
        return None, added.number
    ((term, factor), *more) = added.terms.items()
    return (term, added.number) if isinstance(term, Value) and factor == 1 and not more else None


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
