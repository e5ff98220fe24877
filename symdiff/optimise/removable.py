"""Zeros that a product divides by and has as a factor, on statements of derivatives.

The derivative of ``norm(x) ** 2`` is ``2 * t * (x / nonzero(t))`` with ``t = norm(x)``: right at
``t = 0``, but its own derivative there would be that of a number, 0. Cancelled it is ``2 * x``,
with its own derivative. So is that of ``abs(x) ** 2``, ``2 * abs(x) * sign(x)``, and that of
``sqrt(x) ** 2`` is 1, where a masked quotient would take its numerator's zero for one that was
not selected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import divide, multiply, negative, sign
from symdiff.ops.creation import FLOAT64
from symdiff.ops.facts import is_derived, made_by, number_of
from symdiff.ops.shape import broadcast_to
from symdiff.ops.strong import strong_divide
from symdiff.optimise.facts import computed_by, is_number
from symdiff.optimise.rewriting import Rewriter, Rules, apply, reads
from symdiff.optimise.rules import apply_like, both_ways, op_of, regrouping

_DEPTH = 6
_Part = Value | float
_Build = Callable[[], _Part]  # makes a part once it is known to be wanted


def quotient_cancelled(node: Node, rewriter: Rewriter) -> Value | None:
    """``a * v / nonzero(v)`` as ``a``."""
    numerator, divisor = node.operands
    for value, left in _divisors(node.op, divisor, rewriter):
        rest = _without(numerator, value, rewriter)
        if rest is not None and left is not None:
            rest = _quotient(node, _as_typed(rest, node, rewriter), left)
        if rest is not None:
            return _whole(rest, node, rewriter)
    return None


@reads("multiply", "divide", "strong_divide", "negative", "sign")
def product_cancelled(node: Node, rewriter: Rewriter) -> Value | None:
    """``(a * v) * (b / nonzero(v))`` as ``a * b``, ``(a * abs(x)) * sign(x)`` as ``a * x``."""
    if not _has_divisor(node):
        return None
    for first, second in both_ways(node):
        for value, left in _divided(second, rewriter):
            rest = _without(first, value, rewriter)
            if rest is not None:
                return _whole(_times(node, rest, left()), node, rewriter)
        for value, left in _signs(second, rewriter):
            size = _size_replaced(first, value, rewriter)
            if size is not None:
                return _whole(_times(node, size, left()), node, rewriter)
    return None


# Factors


def _has_divisor(node: Node) -> bool:
    """Return whether there may be a divisor or a sign in a product, whoever else reads it."""
    level = set(node.operands)
    for _ in range(_DEPTH):
        below = set[Value]()
        for made in (value.node for value in level):
            if made is None:
                continue
            if made.op is multiply or made.op is negative:
                below.update(made.operands)
            elif made.op is divide or made.op is strong_divide or made.op is sign:
                return True
        level = below
    return False


def _without(value: Value, factor: Value, rewriter: Rewriter, depth: int = _DEPTH) -> _Part | None:
    """A product without one factor; None where it has none, or others read it as it is."""
    if value is factor:
        return 1
    node = computed_by(value, "multiply", "divide", "negative")
    if node is None or depth == 0:
        return None
    places = (0, 1) if node.op is multiply else (0,)
    for place in places:
        operand = node.operands[place]
        if operand is not factor and not rewriter.is_single(value):
            continue  # it would be computed twice
        rest = _without(operand, factor, rewriter, depth - 1)
        if rest is not None:
            return _with_operand(node, place, rest)
    return None


def _with_operand(node: Node, place: int, operand: _Part) -> _Part:
    """What a product, a quotient or a negation is with another operand."""
    if node.op is negative:
        return -operand
    if node.op is multiply:
        return _times(node, operand, node.operands[1 - place])
    return _quotient(node, operand, node.operands[1])


def _times(node: Node, a: _Part, b: _Part) -> _Part:
    if isinstance(a, Value) or isinstance(b, Value):
        a, b = (b, a) if not isinstance(b, Value) else (a, b)
        return b if _is_one(a) else apply_like(multiply, node, a, b)
    return a * b


def _is_one(part: _Part) -> bool:
    return not isinstance(part, Value) and part == 1


def _quotient(node: Node, a: _Part, b: _Part) -> _Part:
    return apply_like(op_of(node), node, a, b)


def _divisors(op: Any, divisor: Value, rewriter: Rewriter) -> Iterator[tuple[Value, _Part | None]]:
    """Values that are divided by, if only where they are not 0, and what else is divided by."""
    if op in (divide, strong_divide):
        yield divisor, None
    guarded = _guarded(divisor)
    if guarded is not None:
        yield guarded, None
    product = computed_by(divisor, "multiply")
    if product is None or op is strong_divide or not rewriter.is_single(divisor):
        return
    for factor, other in both_ways(product):
        guarded = _guarded(factor)
        if guarded is not None:
            yield guarded, other


def _guarded(value: Value) -> Value | None:
    """``v`` of ``nonzero(v)`` of a derivative's own: in the user's it may switch a function off."""
    node = made_by(value, "where", "choice")
    test = None if node is None else made_by(node.operands[0], "equal")
    if node is None or test is None or not is_derived(node):
        return None
    guarded = node.operands[2]
    is_zero = test.operands[0] is guarded and is_number(test.operands[1], 0)
    return guarded if is_zero and is_number(node.operands[1], 1) else None


def _divided(
    value: Value, rewriter: Rewriter, depth: int = _DEPTH
) -> Iterator[tuple[Value, _Build]]:
    """The divisors inside a product, each with what makes the product without it."""
    node = computed_by(value, "multiply", "divide", "strong_divide", "negative")
    if node is None or depth == 0:
        return
    if node.op in (divide, strong_divide) and is_derived(node):
        for divisor, left in _divisors(node.op, node.operands[1], rewriter):
            yield divisor, partial(_divided_by, node, left)
    if node.op is strong_divide or not rewriter.is_single(value):
        return
    for place in (0, 1) if node.op is multiply else (0,):
        for divisor, rest in _divided(node.operands[place], rewriter, depth - 1):
            yield divisor, partial(_with_built, node, place, rest)


def _divided_by(node: Node, divisor: _Part | None) -> _Part:
    """The numerator of a quotient, divided by what is left of its divisor."""
    numerator = node.operands[0]
    return numerator if divisor is None else _quotient(node, numerator, divisor)


def _with_built(node: Node, place: int, operand: _Build) -> _Part:
    return _with_operand(node, place, operand())


def _signs(value: Value, rewriter: Rewriter, depth: int = _DEPTH) -> Iterator[tuple[Value, _Build]]:
    """The ``x`` of each ``sign(x)`` in a product, with what makes the product without it."""
    node = computed_by(value, "sign", "multiply", "divide", "negative")
    if node is None or depth == 0:
        return
    if node.op is sign:
        yield node.operands[0], lambda: 1
    elif rewriter.is_single(value):
        for place in (0, 1) if node.op is multiply else (0,):
            for x, rest in _signs(node.operands[place], rewriter, depth - 1):
                yield x, partial(_with_built, node, place, rest)


def _size_replaced(value: Value, x: Value, rewriter: Rewriter, depth: int = _DEPTH) -> _Part | None:
    """A product with ``x`` instead of its factor ``abs(x)``."""
    node = computed_by(value, "absolute", "multiply", "divide", "negative")
    if node is None or depth == 0:
        return None
    if node.op.name == "absolute":
        return x if node.operands[0] is x else None
    for place in (0, 1) if node.op is multiply else (0,):
        operand = node.operands[place]
        if not rewriter.is_single(value):
            continue
        replaced = _size_replaced(operand, x, rewriter, depth - 1)
        if replaced is not None:
            return _with_operand(node, place, replaced)
    return None


# What is left


def _as_typed(part: _Part, node: Node, rewriter: Rewriter) -> _Part:
    """A number as one of NumPy's where the product is."""
    type_ = node.result.type
    number = number_of(part) if isinstance(part, Value) else part
    if number is None or not isinstance(type_, ArrayType) or type_.weak:
        return part
    return rewriter.constant(type_.dtype.type(number))


def _whole(part: _Part, node: Node, rewriter: Rewriter) -> Value | None:
    """What is left, as large as the product was."""
    type_ = node.result.type
    number = number_of(part) if isinstance(part, Value) else part
    if number is None or not isinstance(type_, ArrayType):
        return part if isinstance(part, Value) else None
    known = type_.dtype.type(number)
    if type_.kind != "array":
        return rewriter.constant(known.item() if type_.weak else known)
    lengths = [rewriter.length(dim, node.operands) for dim in type_.shape]
    if any(length is None for length in lengths):
        return None
    sizes = [length for length in lengths if length is not None]
    one = rewriter.constant(known.item() if type_.dtype == FLOAT64 else known)
    return apply(broadcast_to, one, *sizes, shape=type_.shape)


REMOVABLE: Rules = {
    "multiply": regrouping(product_cancelled),
    "divide": regrouping(quotient_cancelled),
    "strong_divide": regrouping(quotient_cancelled),
}
