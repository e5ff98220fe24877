"""Sums on statements of derivatives: terms that occur twice become one, those that cancel vanish.

A sum is what additions, subtractions, signs and known factors make of terms, as long as nothing
else reads what is made on the way. ``2.0 * t - u + t`` is ``3.0 * t - u``; numbers inside products
count: ``g * (0.5 * x) + 0.5 * (g * x)`` is ``g * x``. Sums are looked at over a few terms only,
which keeps the cost linear.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from symdiff.ir.graph import Node, Value
from symdiff.ops import support
from symdiff.ops.arithmetic import (
    add,
    multiply,
    negative,
    subtract,
)
from symdiff.ops.casts import number_or_array
from symdiff.ops.declare import DeclaredOp, StageOperation, array_type, supporting_call
from symdiff.ops.facts import number_of, shape_of
from symdiff.ops.flops import of_product
from symdiff.ops.products import outer
from symdiff.ops.strong import strong_multiply
from symdiff.optimise.facts import computed_by, is_inexact
from symdiff.optimise.rewriting import Rewriter, Rules, apply, reads
from symdiff.optimise.rules import regrouping

_MOST_TERMS = 12
_MOST_ADDED = 24  # terms that are added to what a loop carries at once

Terms = Sequence[tuple[Value | float, float]]


def equal_terms(node: Node, rewriter: Rewriter) -> Value | None:
    """A sum with its equal terms together; None where all differ, or a factor would be infinite."""
    terms = _down_to_terms(terms_of(node, rewriter))
    together: dict[Value | _Key, list[tuple[Value, float]]] = {}
    for value, factor in terms:
        together.setdefault(_key(value, rewriter), []).append((value, factor))
    if len(together) == len(terms):
        return None
    added = [_added(key, group) for key, group in together.items()]
    if not all(math.isfinite(factor) for _, factor in added):
        return None  # 1e308 * x + 1e308 * x, where x is small
    left = [(value, factor) for value, factor in added if factor != 0]
    return sum_of(left) if left else rewriter.zeros_for(node)


def _down_to_terms(terms: Sequence[tuple[Value, float]]) -> list[tuple[Value, float]]:
    """Terms where ``c * x``, which others read as well, is ``c`` times ``x`` if ``x`` is one."""
    alone = {value for value, _ in terms}
    found: list[tuple[Value, float]] = []
    for value, factor in terms:
        number, rest = _number_and_rest(value)
        found.append((rest, factor * number) if rest in alone else (value, factor))
    return found


_Key = tuple[DeclaredOp, int, int]  # a product of some kind, and the numbers of its factors


def _key(value: Value, rewriter: Rewriter) -> Value | _Key:
    """What terms that differ by a known factor at most have in common."""
    node = computed_by(value, "multiply", "strong_multiply", "outer")
    if node is None or not rewriter.takes(value):
        return value
    op, x, y, _ = _product(node)
    first, second = x.number, y.number
    ordered = op is not multiply or first <= second
    return (op, first, second) if ordered else (op, second, first)


def _product(node: Node) -> tuple[DeclaredOp, Value, Value, float]:
    """The product ``x * y`` and ``c`` of ``x * (c * y)``."""
    x, y = node.operands
    first, x = _number_and_rest(x)
    if node.op is strong_multiply:
        return strong_multiply, x, y, first
    second, y = _number_and_rest(y)
    return outer if node.op is outer else multiply, x, y, first * second


def _number_and_rest(value: Value) -> tuple[float, Value]:
    """``c`` and ``y`` of a ``c * y``, where ``c`` does not change whether that is zero."""
    node = computed_by(value, "multiply")
    number = None if node is None else number_of(node.operands[0])
    if node is None or not isinstance(number, float) or not 1e-6 < abs(number) < 1e6:
        return 1, value
    return number, node.operands[1]


def _added(key: Value | _Key, group: Sequence[tuple[Value, float]]) -> tuple[Value, float]:
    """Equal terms as one; a single one stays as it is written."""
    value, factor = group[0]
    if len(group) == 1:
        return value, factor
    if isinstance(key, Value):
        return value, sum(outer for _, outer in group)
    products = [_product(term.node) for term, _ in group if term.node is not None]
    op, x, y, _ = products[0]
    factors = zip(group, products, strict=True)
    return apply(op, x, y), sum(outer * inner for (_, outer), (*_, inner) in factors)


def terms_of(node: Node, rewriter: Rewriter) -> list[tuple[Value, float]]:
    """The terms of a sum and their factors, in order."""
    terms: list[tuple[Value, float]] = []
    sign = -1 if node.op is subtract else 1
    pending: list[tuple[Value, float]] = [(node.operands[1], sign), (node.operands[0], 1)]
    while pending and len(terms) + len(pending) <= _MOST_TERMS:
        value, factor = pending.pop()
        inner = computed_by(value, "add", "subtract", "negative", "multiply")
        parts = None
        if inner is not None and rewriter.takes(value) and inner.result.type == node.result.type:
            parts = _parts(inner, factor)
        if parts is None:
            terms.append((value, factor))
        else:
            pending.extend(reversed(parts))
    return [*terms, *reversed(pending)]


def _parts(node: Node, factor: float) -> list[tuple[Value, float]] | None:
    """What a node that is part of a sum adds to it, or None where it is a term."""
    if node.op is negative:
        return [(node.operands[0], -factor)]
    if node.op is not multiply:
        sign = -1 if node.op is subtract else 1
        return [(node.operands[0], factor), (node.operands[1], sign * factor)]
    number = number_of(node.operands[0])
    if not isinstance(number, (int, float)) or isinstance(number, bool):
        return None
    return [(node.operands[1], number * factor)]


def sum_of(terms: Terms) -> Value:
    """Terms added up, at least one a value; one with a positive factor first where there is one."""
    first = next((k for k, (_, factor) in enumerate(terms) if factor > 0), 0)
    value, factor = terms[first]
    total: Value = _multiple(value, factor)
    for value, factor in [*terms[:first], *terms[first + 1 :]]:
        op = subtract if factor < 0 else add
        total = apply(op, total, _multiple(value, abs(factor)))
    return total


def _multiple(value: Value | float, factor: float) -> Any:
    if not isinstance(value, Value):
        return factor * value
    if factor == 1:
        return value
    if factor == -1:
        return apply(negative, value)
    return apply(multiply, float(factor) if is_inexact(value) else factor, value)


@reads("add", "subtract")
def added_at_once(node: Node, rewriter: Rewriter) -> Value | None:
    """``s + a - b`` of a number that a loop carries as ``s + (a - b)``: it reads ``s += a - b``."""
    if shape_of(node.result):
        return None
    terms: list[tuple[Value, bool]] = []
    value = node.result
    inner: Node | None = node
    while inner is not None and (inner is node or rewriter.takes(value)):
        if len(terms) == _MOST_ADDED:
            return None
        value, other = inner.operands
        terms.append((other, inner.op is add))
        inner = computed_by(value, "add", "subtract")
    if len(terms) < 2 or value.node is not None or value.role == "primal":
        return None
    signs = [plus for _, plus in terms]
    first = len(signs) - 1 - signs[::-1].index(True) if any(signs) else len(signs) - 1
    total, plus = terms.pop(first)
    for other, is_added in reversed(terms):
        total = apply(add if is_added is plus else subtract, total, other)
    return apply(add if plus else subtract, value, total)


_strong_dot = StageOperation(
    "strong_dot",
    lambda g, p: (number_or_array(g.dtype, ()),),
    support.strong_dot,
    cost="heavy",
    spelling=supporting_call(support.strong_dot),
    vjp={  # for transposes of linear parts
        0: lambda w, y, g, p: strong_multiply(w, p),
        1: lambda w, y, g, p: strong_multiply(g, w),
    },
    linear="each",
    flops=of_product,
)


def sum_of_strong_products(node: Node, rewriter: Rewriter) -> Value | None:
    """``sum(g * p)`` of vectors, where ``p`` counts for nothing where ``g`` is 0, as one product:
    no elements of it are stored.
    """
    (x,) = node.operands
    product = computed_by(x, "strong_multiply")
    if product is None or not rewriter.is_single(x) or node.attributes.get("keepdims"):
        return None
    g, p = product.operands
    if array_type(p).dtype.kind != "f" or len(shape_of(x)) != 1 or g.type != p.type:
        return None
    return apply(_strong_dot, g, p)


FINISHING: Rules = {name: regrouping(added_at_once) for name in ("add", "subtract")}
PRODUCTS: Rules = {"sum": regrouping(sum_of_strong_products)}
"""For what is emitted: no derivative is taken of products whose masks are inside of them."""
SUMS: Rules = {name: regrouping(equal_terms) for name in ("add", "subtract")}
