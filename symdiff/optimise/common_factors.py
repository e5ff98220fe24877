"""A factor that all terms of a sum have is multiplied once, on statements of derivatives.

``g * a - g * b * c`` is ``g * (a - b * c)``, ``2.0 * x - 2.0 * y`` is ``2.0 * (x - y)``, and
``0.5 * x * y + 0.5 * (y * x)`` is ``x * y``, where that leaves fewer operations: what short arrays
cost is the number of operations. It is done to what is emitted, of which no further derivative is
taken: terms meet more often while products are apart.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Node, Value
from symdiff.ops.arithmetic import multiply
from symdiff.ops.facts import number_of, shape_of
from symdiff.optimise.facts import computed_by
from symdiff.optimise.nested_sums import is_bound, nested_sum
from symdiff.optimise.rewriting import Rewriter, Rules, apply, reads
from symdiff.optimise.rules import regrouping
from symdiff.optimise.sums import sum_of, terms_of

_MOST_FACTORS = 8
_ONES = (1, -1)


@dataclass(frozen=True, slots=True)
class _Product:
    """``number`` times some factors; ``known``: the product of the factors, which others read."""

    number: float
    factors: tuple[Value, ...]
    known: Value | None = None

    def without(self, factor: Value) -> _Product:
        at = self.factors.index(factor)
        return _Product(self.number, self.factors[:at] + self.factors[at + 1 :])

    def operations(self, node: Node) -> int:
        """How many multiplications it takes, of the rank of a sum."""
        if self.known is not None:
            return int(self.number not in _ONES)
        large = sum(_is_large(x, node) for x in self.factors)
        has_small = self.number not in _ONES or large < len(self.factors)
        return large - 1 + has_small if large else 0


@reads("multiply", "add", "subtract", "negative")
def common_factor(node: Node, rewriter: Rewriter) -> Value | None:
    """``c * x - c * y`` as ``c * (x - y)``, of a known number and of any factor."""
    products = [_product(value, by, rewriter) for value, by in terms_of(node, rewriter)]
    if _are_one(products):
        number = sum(product.number for product in products)
        factors = products[0].factors
        return (
            apply(multiply, number, _multiplied(factors)) if number != 1 else _multiplied(factors)
        )
    outside = _number_outside(products) or _factor_outside(products, node, rewriter)
    if outside is None:
        return nested_sum(node, rewriter)
    factor, rest = outside
    return apply(multiply, factor, _added([*_opened(rest, rewriter)], node))


def _are_one(products: Sequence[_Product]) -> bool:
    """Return whether terms differ in their numbers alone: ``0.5 * p * m + 0.5 * (m * p)``."""
    first, *others = products
    factors = Counter(first.factors)
    return bool(first.factors) and all(Counter(p.factors) == factors for p in others)


def _number_outside(products: Sequence[_Product]) -> tuple[float, list[_Product]] | None:
    number = abs(products[0].number)
    if number == 1 or not _is_moderate(number) or any(abs(p.number) != number for p in products):
        return None
    if sum(bool(p.factors) for p in products) < 2:
        return None
    return number, [_Product(p.number / number, p.factors, p.known) for p in products]


def _factor_outside(
    products: Sequence[_Product], node: Node, rewriter: Rewriter
) -> tuple[Value, list[_Product]] | None:
    first, *others = products
    for factor in dict.fromkeys(first.factors):
        if all(factor in p.factors for p in others):
            rest = [p.without(factor) for p in products]
            others_of = ([x for x in p.factors if _is_large(x, node)] for p in rest)
            if not any(p.factors for p in rest) or is_bound(factor, others_of, rewriter):
                continue
            if _cost(rest, node) + 1 < _cost(products, node):
                return factor, rest
    return None


def _product(value: Value, number: float, rewriter: Rewriter) -> _Product:
    """What is multiplied to make a term."""
    by, factors, pending = 1.0, list[Value](), [value]
    while pending:
        one = pending.pop()
        known, inner = number_of(one), computed_by(one, "multiply")
        if isinstance(known, (int, float)) and _is_moderate(known):
            by *= known
        elif inner is None or not _is_looked_into(one, value, rewriter):
            factors.append(one)
        else:
            pending += reversed(inner.operands)
        if len(factors) + len(pending) > _MOST_FACTORS:
            return _Product(number, (value,))
    is_shared = len(factors) > 1 and not rewriter.takes(value)
    if not _is_moderate(by) or (is_shared and by != 1):
        return _Product(number, (value,))
    return _Product(number * by, tuple(factors), value if is_shared else None)


def _is_looked_into(one: Value, whole: Value, rewriter: Rewriter) -> bool:
    """Return whether a product is looked into: one that others read, as long as it is the term."""
    return rewriter.is_here(one) if one is whole else rewriter.takes(one)


def _is_moderate(number: float) -> bool:
    return 1e-6 < abs(number) < 1e6


def _is_large(value: Value, node: Node) -> bool:
    """Return whether a value is an array, or a number as all of a sum is."""
    return bool(shape_of(value)) or not shape_of(node.result)


def _cost(products: Sequence[_Product], node: Node) -> int:
    """How many operations of the rank of a sum it takes to add products up."""
    large = sum(any(_is_large(x, node) for x in p.factors) for p in products)
    additions = large - 1 + (large < len(products))
    return additions + sum(p.operations(node) for p in products)


def _opened(products: Iterable[_Product], rewriter: Rewriter) -> Iterator[_Product]:
    """Products, with the terms of those that are sums instead of them."""
    for product in products:
        (value, *others) = product.factors or (None,)
        node = None if value is None or others else computed_by(value, "add", "subtract")
        if node is None or not rewriter.takes(node.result):
            yield product
            continue
        for term, by in terms_of(node, rewriter):
            known = number_of(term)
            if isinstance(known, float) and math.isfinite(known):
                yield _Product(product.number * by * known, ())
            else:
                yield _Product(product.number * by, (term,))


def _added(products: Sequence[_Product], node: Node) -> Value:
    """The sum of products, numbers before arrays."""
    number = float(sum(p.number for p in products if not p.factors))
    terms = [_term(p, node) for p in products if p.factors]
    terms.sort(key=lambda term: _is_large(term[0], node))
    return sum_of([(abs(number), math.copysign(1, number)), *terms] if number else terms)


def _term(product: _Product, node: Node) -> tuple[Value, float]:
    """A product and its number, which is multiplied with other numbers where there are any."""
    if product.known is not None:
        return product.known, product.number
    numbers = [x for x in product.factors if not _is_large(x, node)]
    if not numbers or product.number in _ONES:
        return _multiplied(product.factors), product.number
    first = apply(multiply, abs(product.number), _multiplied(numbers))
    arrays = [x for x in product.factors if _is_large(x, node)]
    return _multiplied([first, *arrays]), math.copysign(1, product.number)


def _multiplied(factors: Iterable[Value]) -> Value:
    return functools.reduce(lambda x, y: apply(multiply, x, y), factors)


COMMON_FACTORS: Rules = {name: regrouping(common_factor) for name in ("add", "subtract")}
