"""Sums of products nested as Horner's rule nests polynomials, on statements of derivatives.

    t = g * k                          bar = g * (a + k * (b + k * c))
    bar = g * a + t * b      ─▶
    t = t * k
    bar = bar + t * c

So the derivative of a nested polynomial is one, where reverse mode multiplies powers up. Products
that nothing but the sum reads are taken apart down to factors. It is done where fewer operations
are left; a factor that vanishes stays with factors that may be large, as what is left may be
infinite without it.
"""

from __future__ import annotations

import heapq
import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Node, Value
from symdiff.ops.arithmetic import multiply
from symdiff.ops.declare import array_type
from symdiff.ops.facts import number_of, shape_of
from symdiff.ops.ranges import range_of
from symdiff.optimise.facts import computed_by
from symdiff.optimise.rewriting import Rewriter, apply
from symdiff.optimise.sums import sum_of, terms_of

_MOST = 256  # factors of all terms, and products of them
_VANISHING = ("exp", "exp2", "logistic", "math_exp")


@dataclass(frozen=True, slots=True)
class _Term:
    """A number times factors, of which each may occur several times."""

    number: float
    factors: Counter[Value]

    def without(self, factor: Value) -> _Term:
        return _Term(self.number, self.factors - Counter([factor]))


def nested_sum(node: Node, rewriter: Rewriter) -> Value | None:
    """The sum nested where that takes fewer operations; None where it does not."""
    products = _Products(terms_of(node, rewriter))
    terms = products.apart(node, rewriter)
    nest = _nested(terms, rewriter)
    if nest is None or _operations(nest) >= products.count + len(terms) - 1:
        return None
    return _made(nest)


# Terms ------------------------------------------------------------------------------------------


class _Products:
    """The products of a sum, which are taken apart; ``count``: how many that were.

    ``within``: how often each value is a factor of which term, ``reads``: how often these have it.
    """

    def __init__(self, given: Sequence[tuple[Value, float]]) -> None:
        self.numbers = [number for _, number in given]
        self.count = sum(abs(number) != 1 for number in self.numbers)
        self.within: dict[Value, Counter[int]] = {}
        self.reads: Counter[Value] = Counter()
        self.heap: list[tuple[int, Value]] = []
        for k, (value, _) in enumerate(given):
            self.read(value, Counter([k]))

    def read(self, value: Value, times: Counter[int]) -> None:
        if value not in self.within:
            self.within[value] = Counter()
            heapq.heappush(self.heap, (-value.number, value))
        self.within[value].update(times)
        self.reads[value] += 1

    def apart(self, node: Node, rewriter: Rewriter) -> list[_Term]:
        """The terms down to factors of the sum's own shape; none where there are others.

        Values are looked at from the last made on: by then it is known how often the sum has one.
        """
        leaves: dict[Value, Counter[int]] = {}
        while self.heap:
            _, value = heapq.heappop(self.heap)
            if not self.is_taken(value, rewriter):
                leaves[value] = self.within[value]
            if sum(map(len, self.within.values())) > _MOST:
                return []
        if any(shape_of(value) != shape_of(node.result) for value in leaves):
            return []
        if not all(map(_is_moderate, self.numbers)):
            return []
        return [
            _Term(number, Counter({v: times[k] for v, times in leaves.items() if times[k]}))
            for k, number in enumerate(self.numbers)
        ]

    def is_taken(self, value: Value, rewriter: Rewriter) -> bool:
        """Take a number into those of the terms, and a product that only they have apart."""
        times, known = self.within[value], number_of(value)
        if isinstance(known, float) and _is_moderate(known) and set(times.values()) == {1}:
            for k in times:
                self.numbers[k] *= known
            return True
        inner = computed_by(value, "multiply")
        if inner is None or not _is_inside(value, self.reads[value], rewriter):
            return False
        self.count += 1
        for operand in inner.operands:
            self.read(operand, times)
        return True


def _is_moderate(number: float) -> bool:
    return 1e-6 < abs(number) < 1e6


def _is_inside(value: Value, reads: int, rewriter: Rewriter) -> bool:
    """Return whether a product is for a sum alone, which reads it so often."""
    return rewriter.is_here(value) and rewriter.is_read_at_most(value, reads)


# Nests ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Nest:
    """``factor`` times what is ``inside``, and terms ``beside`` that."""

    factor: Value
    inside: _Nest | tuple[_Term, ...]
    beside: _Nest | tuple[_Term, ...]


def _nested(terms: Sequence[_Term], rewriter: Rewriter) -> _Nest | None:
    """Terms with the factor that most of them have multiplied once, and so what is left."""
    often = Counter(factor for term in terms for factor in term.factors)
    for factor, times in often.most_common():
        if times < 2:
            break
        inside = [term.without(factor) for term in terms if factor in term.factors]
        beside = [term for term in terms if factor not in term.factors]
        if not is_bound(factor, (term.factors.elements() for term in inside), rewriter):
            parts = [_nested(some, rewriter) or tuple(some) for some in (inside, beside)]
            return _Nest(factor, *parts)
    return None


def _operations(nest: _Nest | tuple[_Term, ...]) -> int:
    if isinstance(nest, _Nest):
        beside = _operations(nest.beside) + 1 if nest.beside else 0
        return 1 + _operations(nest.inside) + beside
    return sum(map(_multiplications, nest)) + max(len(nest) - 1, 0)


def _multiplications(term: _Term) -> int:
    count = term.factors.total()
    return max(count - 1, 0) + (abs(term.number) != 1 and count > 0)


def _made(nest: _Nest | tuple[_Term, ...]) -> Value:
    return sum_of(list(_summands(nest)))


def _summands(nest: _Nest | tuple[_Term, ...]) -> Iterator[tuple[Value | float, float]]:
    if isinstance(nest, _Nest):
        if nest.beside:
            yield from _summands(nest.beside)
        yield apply(multiply, nest.factor, _made(nest.inside)), 1.0
        return
    for term in nest:
        if term.factors:
            yield reduce(lambda x, y: apply(multiply, x, y), term.factors.elements()), term.number
        else:
            yield abs(term.number), math.copysign(1.0, term.number)


def is_bound(factor: Value, rest: Iterable[Iterable[Value]], rewriter: Rewriter) -> bool:
    """Return whether a factor that vanishes may be what keeps products of others finite; ``rest``
    has the others of each term.

    ``exp(-x * x) * x * x`` is 0 where ``x * x`` is infinite: 0 times that were not a number.
    """
    return any(map(_are_unbounded, rest)) and _may_vanish(factor, rewriter)


def _are_unbounded(factors: Iterable[Value]) -> bool:
    """Return whether several factors may be so large that their product is infinite."""
    return sum(map(_may_be_large, factors)) > 1


def _may_be_large(value: Value) -> bool:
    """Return whether a factor may be above the third root of the greatest number of its dtype."""
    dtype = array_type(value).dtype
    greatest = np.finfo(dtype).max if dtype.kind in "fc" else sys.float_info.max
    return bool(max(map(abs, range_of(value))) > float(greatest) ** (1 / 3))


def _may_vanish(value: Value, rewriter: Rewriter) -> bool:
    """Return whether products and quotients of an exponential and others give a value."""
    known: dict[Value, bool] = rewriter.known.setdefault(_may_vanish, {})
    pending = [value]
    while pending:
        one = pending[-1]
        node = computed_by(one, "multiply", "negative", "divide", *_VANISHING)
        operands = () if node is None or node.op.name in _VANISHING else node.operands
        left = [operand for operand in operands if operand not in known]
        if left:
            pending += left
            continue
        is_first = node is not None and node.op.name in _VANISHING
        known[one] = is_first or any(known[operand] for operand in operands)
        pending.pop()
    return known[value]
