"""Algebraic identities of elementwise ops.

On the user's own statements only those that hold bit for bit, and only of numbers (an array that is
given back is the same array, ``x * 1`` is a new one). On statements of derivatives also those that
hold in real arithmetic, with strong zeros: a cotangent that is zero stays zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import FLOAT, INT, ArrayType
from symdiff.ops.declare import REGISTRY
from symdiff.ops.elementary import add, divide, multiply, negative, sqrt, subtract, where
from symdiff.optimise.facts import (
    is_constant,
    is_derived,
    is_number,
    is_one,
    is_python,
    is_zero,
    made_by,
    number_of,
    shape_of,
)
from symdiff.optimise.rewriting import Rewriter, Rule, Rules, apply, joined


def on_derivatives(rule: Rule) -> Rule:
    """The rule, kept from the user's own statements."""

    def guarded(node: Node, rewriter: Rewriter) -> Value | None:
        return rule(node, rewriter) if is_derived(node) else None

    return guarded


def _is_exact_place(node: Node) -> bool:
    """Whether a node may be replaced by an operand of the same type and bits."""
    type_ = node.result.type
    return is_derived(node) or (isinstance(type_, ArrayType) and type_.kind != "array")


def _apply(op: Callable[..., Any], node: Node, *operands: Value | float) -> Value:
    """An op in the node's meaning: Python's, or NumPy's on Python numbers too."""
    by_numpy = node.attributes.get("ufunc") and all(map(_is_python, operands))
    return apply(op, *operands, **({"ufunc": True} if by_numpy else {}))


def _is_python(operand: Value | float) -> bool:
    return not isinstance(operand, Value) or is_python(operand)


# Identities of numbers


def neutral_right(*numbers: float) -> Rule:
    """``x op number`` is ``x``, bit for bit."""

    def rule(node: Node, rewriter: Rewriter) -> Value | None:
        x, other = node.operands
        known = any(is_number(other, number) for number in numbers) or (
            1 in numbers and is_one(other)
        )
        return x if known and _is_exact_place(node) else None

    return rule


def neutral_left(number: float) -> Rule:
    def rule(node: Node, rewriter: Rewriter) -> Value | None:
        other, x = node.operands
        known = is_number(other, number) or (number == 1 and is_one(other))
        return x if known and _is_exact_place(node) else None

    return rule


def integer_plus_zero(node: Node, rewriter: Rewriter) -> Value | None:
    """``n + 0``; of floats ``-0.0 + 0`` is another zero."""
    type_ = node.result.type
    if not isinstance(type_, ArrayType) or type_.dtype.kind != "i" or type_.kind == "array":
        return None
    a, b = node.operands
    return a if is_number(b, 0) else b if is_number(a, 0) else None


def integer_offsets(node: Node, rewriter: Rewriter) -> Value | None:
    """``(k + 1) - 1`` as ``k``, ``(n - 1) - 1`` as ``n - 2``: Python's integers are exact."""
    inner = made_by(node.operands[0], "add", "subtract")
    if node.result.type != INT or inner is None or inner.operands[0].type != INT:
        return None
    outer, within = _offset(node), _offset(inner)
    if outer is None or within is None:
        return None
    total = outer + within
    return apply(subtract if total < 0 else add, inner.operands[0], abs(total))


def _offset(node: Node) -> int | None:
    """``c`` of ``x + c``, ``-c`` of ``x - c``."""
    number = number_of(node.operands[1])
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if node.op is add else -number


def double_not(node: Node, rewriter: Rewriter) -> Value | None:
    inner = made_by(node.operands[0], node.op.name)
    return None if inner is None else inner.operands[0]


def double_negation(node: Node, rewriter: Rewriter) -> Value | None:
    inner = made_by(node.operands[0], "negative")
    return inner.operands[0] if inner is not None and _is_exact_place(node) else None


def plain_operator(node: Node, rewriter: Rewriter) -> Value | None:
    """NumPy's function of anything but Python numbers is what its operator means."""
    if not node.attributes.get("ufunc") or all(map(is_python, node.operands)):
        return None
    return apply(_op(node), *node.operands)


def weak_numbers(node: Node, rewriter: Rewriter) -> Value | None:
    """``2.0 * x`` for ``np.float64(2.0) * x`` where that has the same type, and bits."""
    weak = [_as_python(value) for value in node.operands]
    if all(number is None for number in weak):
        return None
    pairs = zip(weak, node.operands, strict=True)
    types = [value.type if number is None else FLOAT for number, value in pairs]
    if node.op.infer(*types, **node.attributes) != (node.result.type,):
        return None
    pairs = zip(weak, node.operands, strict=True)
    operands = [value if number is None else number for number, value in pairs]
    return apply(_op(node), *operands, **node.attributes)


def _as_python(value: Value) -> float | None:
    number = number_of(value)
    return number.item() if isinstance(number, np.float64) else None


# Zeros


def plus_zero(node: Node, rewriter: Rewriter) -> Value | None:
    a, b = node.operands
    if is_zero(a) and b.type == node.result.type:
        return b
    return a if is_zero(b) else None


def minus_zero(node: Node, rewriter: Rewriter) -> Value | None:
    a, b = node.operands
    if is_zero(b):
        return a
    return _apply(negative, node, b) if is_zero(a) else None


def times_zero(node: Node, rewriter: Rewriter) -> Value | None:
    """A structural zero is strong: whatever it is multiplied with, or divided by."""
    factors = node.operands[:1] if node.op.name == "divide" else node.operands
    return rewriter.zeros_for(node) if any(map(is_zero, factors)) else None


def stays_zero(node: Node, rewriter: Rewriter) -> Value | None:
    """Ops that make zeros of zeros."""
    if node.op.name == "zeros" or not is_zero(node.operands[0]):
        return None
    return rewriter.zeros_for(node)


def twice(node: Node, rewriter: Rewriter) -> Value | None:
    """``x + x`` as ``2.0 * x``, which meets other factors."""
    a, b = node.operands
    return _apply(multiply, node, 2.0, a) if a is b else None


# Signs


def plus_negative(node: Node, rewriter: Rewriter) -> Value | None:
    a, b = node.operands
    second = _positive(b, rewriter)
    if second is not None:
        return _apply(subtract, node, a, second)
    first = _positive(a, rewriter)
    return None if first is None else _apply(subtract, node, b, first)


def minus_negative(node: Node, rewriter: Rewriter) -> Value | None:
    a, b = node.operands
    second = _positive(b, rewriter)
    return None if second is None else _apply(add, node, a, second)


def _positive(value: Value, rewriter: Rewriter) -> Value | None:
    """``v`` of a ``-v``, ``2.0 * v`` of a ``-2.0 * v``."""
    node = made_by(value, "negative", "multiply")
    if node is None or node.op is negative:
        return None if node is None else node.operands[0]
    number, other = number_of(node.operands[0]), node.operands[1]
    if not isinstance(number, int | float) or number >= 0 or not rewriter.is_single(value):
        return None
    return _apply(multiply, node, -number, other)


def negative_difference(node: Node, rewriter: Rewriter) -> Value | None:
    """``-(a - b)`` as ``b - a``."""
    (x,) = node.operands
    difference = made_by(x, "subtract")
    if difference is None or not rewriter.is_single(x):
        return None
    return _apply(subtract, difference, *reversed(difference.operands))


def negative_product(node: Node, rewriter: Rewriter) -> Value | None:
    """``-(c * x)`` with the sign in the number."""
    (x,) = node.operands
    product = made_by(x, "multiply")
    if product is None or not rewriter.is_single(x):
        return None
    a, b = product.operands
    for number, other in ((number_of(a), b), (number_of(b), a)):
        if isinstance(number, int | float) and not isinstance(number, bool):
            return _apply(multiply, product, -number, other)
    return None


def sign_outward(node: Node, rewriter: Rewriter) -> Value | None:
    """``-a * b`` as ``-(a * b)``, where signs meet others; two of them cancel."""
    a, b = node.operands
    first, second = made_by(a, "negative"), made_by(b, "negative")
    if first is not None and second is not None:
        return _apply(_op(node), node, first.operands[0], second.operands[0])
    if first is not None and _carries_sign(a, b, node, rewriter):
        return -_apply(_op(node), node, first.operands[0], b)
    if second is not None and _carries_sign(b, a, node, rewriter):
        return -_apply(_op(node), node, a, second.operands[0])
    return None


def _op(node: Node) -> Callable[..., Any]:
    return REGISTRY[node.op.name]


def _carries_sign(x: Value, other: Value, node: Node, rewriter: Rewriter) -> bool:
    """Whether turning the sign of the result instead of that of ``x`` costs no more."""
    same = shape_of(x) == shape_of(node.result)
    made_for_this = rewriter.is_single(x) or (x.node is not None and is_derived(x.node))
    return same and number_of(other) is None and made_for_this


def minus_one(node: Node, rewriter: Rewriter) -> Value | None:
    a, b = node.operands
    if is_number(b, -1):
        return _apply(negative, node, a)
    return _apply(negative, node, b) if is_number(a, -1) and node.op is multiply else None


# Products and powers


def factors_together(node: Node, rewriter: Rewriter) -> Value | None:
    """``c * (d * x)`` and ``c * -x`` with one number."""
    a, b = node.operands
    for factor, rest in ((a, b), (b, a)):
        number = number_of(factor)
        if not isinstance(number, int | float) or isinstance(number, bool):
            continue
        together = _with_factor(number, rest, rewriter)
        if together is not None:
            return _apply(multiply, node, *together)
    return None


def _with_factor(
    number: float, rest: Value, rewriter: Rewriter
) -> tuple[float | Value, Value] | None:
    inner = made_by(rest, "multiply", "negative")
    if inner is None or not rewriter.is_single(rest):
        return None
    if inner.op is negative:
        return -number, inner.operands[0]
    for factor, other in _both_ways(inner):
        together = _product(number, factor)
        if together is not None:
            return together, other
    return _with_inner_factor(number, inner, rewriter)


def _with_inner_factor(
    number: float, node: Node, rewriter: Rewriter
) -> tuple[float | Value, Value] | None:
    """The factors of ``number * ((c * x) * y)``, which are ``(number * c) * x`` and ``y``."""
    for first, second in _both_ways(node):
        inner = made_by(first, "multiply")
        if inner is None or not rewriter.is_single(first):
            continue
        together = _product(number, inner.operands[0])
        if together is not None:
            return _apply(multiply, inner, together, inner.operands[1]), second
    return None


def _product(number: float, factor: Value) -> float | None:
    """The product with a known number; None where it is none, or overflows."""
    known = number_of(factor)
    if not isinstance(known, int | float) or isinstance(known, bool):
        return None
    product = number * known
    if not math.isfinite(product):
        return None
    return float(product) if isinstance(product, float) else product


def numbers_first(node: Node, rewriter: Rewriter) -> Value | None:
    """``s * (c * x)`` of two numbers, one of them known, and an array as ``(s * c) * x``."""
    for factor, rest in _both_ways(node):
        split = None if shape_of(factor) else _number_and_array(rest, rewriter)
        if split is None or not _is_moderate(factor, split[0]):
            continue
        return apply(multiply, apply(multiply, factor, split[0]), split[1])
    return None


def number_left(node: Node, rewriter: Rewriter) -> Value | None:
    """``x * c`` as ``c * x``."""
    a, b = node.operands
    swapped = is_constant(b) and number_of(b) is not None and not is_constant(a)
    return _apply(multiply, node, b, a) if swapped else None


def number_outward(node: Node, rewriter: Rewriter) -> Value | None:
    """``(c * x) * y`` of numbers as ``c * (x * y)``, where other factors are.

    Of arrays it stays: where ``x`` does not change in a loop, ``c * x`` does not, either.
    """
    if shape_of(node.result):
        return None
    for first, second in _both_ways(node):
        inner = made_by(first, "multiply")
        if inner is None or is_constant(second) or not rewriter.is_single(first):
            continue
        number, x = inner.operands
        if _is_moderate(number):
            return _apply(multiply, node, number, _apply(multiply, node, x, second))
    return None


def numbers_across(node: Node, rewriter: Rewriter) -> Value | None:
    """``(s * x) * (c * y)`` of two numbers and two arrays as ``((s * c) * x) * y``."""
    for first, second in _both_ways(node):
        one = _number_and_array(first, rewriter)
        two = _number_and_array(second, rewriter)
        if one is None or two is None or not _is_moderate(two[0]):
            continue
        number = apply(multiply, one[0], two[0])
        return apply(multiply, apply(multiply, number, one[1]), two[1])
    return None


def _both_ways(node: Node) -> tuple[tuple[Value, Value], tuple[Value, Value]]:
    a, b = node.operands
    return (a, b), (b, a)


def _number_and_array(value: Value, rewriter: Rewriter) -> tuple[Value, Value] | None:
    """``(s, x)`` of an array ``s * x`` that nothing else reads."""
    inner = made_by(value, "multiply")
    if inner is None or not rewriter.is_single(value):
        return None
    for s, x in _both_ways(inner):
        if not shape_of(s) and shape_of(x):
            return s, x
    return None


def _is_moderate(*values: Value) -> bool:
    """Whether a product with one of these neither overflows nor vanishes but in extreme cases."""
    numbers = map(number_of, values)
    return any(isinstance(n, int | float) and 1e-6 < abs(n) < 1e6 for n in numbers)


def times_reciprocal(node: Node, rewriter: Rewriter) -> Value | None:
    """``g * (1 / x)`` as ``g / x``."""
    a, b = node.operands
    for factor, quotient in ((a, b), (b, a)):
        inner = made_by(quotient, "divide")
        if inner is None or not rewriter.is_single(quotient):
            continue
        if is_number(inner.operands[0], 1):
            return _apply(divide, inner, factor, inner.operands[1])
        if is_number(inner.operands[0], -1):
            return -_apply(divide, inner, factor, inner.operands[1])
    return None


def small_power(node: Node, rewriter: Rewriter) -> Value | None:
    """``x ** 2`` as ``x * x``, and its like: many times faster on arrays."""
    x, exponent = node.operands
    number = number_of(exponent)
    if not isinstance(number, int | float) or isinstance(number, bool):
        return None
    if number == 2:
        return _apply(multiply, node, x, x)
    if number == 3 and shape_of(x):
        return apply(multiply, multiply(x, x), x)
    if number == -1:
        return _apply(divide, node, 1.0, x)
    return apply(sqrt, x) if number == 0.5 and shape_of(x) else None


def plain_product(node: Node, rewriter: Rewriter) -> Value | None:
    """A masked product whose factors need no mask."""
    g, p = node.operands
    if is_zero(g) or is_number(p, 0):
        return rewriter.zeros_for(node)
    p_number, g_number = number_of(p), number_of(g)
    if isinstance(p_number, int | float) and math.isfinite(p_number):
        return apply(multiply, g, p)
    if isinstance(g_number, int | float) and g_number != 0:
        return apply(multiply, g, p)
    return None


def plain_quotient(node: Node, rewriter: Rewriter) -> Value | None:
    """A masked quotient that needs no mask."""
    g, x = node.operands
    if is_zero(g):
        return rewriter.zeros_for(node)
    number = number_of(x)
    finite = isinstance(number, int | float) and math.isfinite(number) and number != 0
    return apply(divide, g, x) if finite else None


# Choices


def same_choice(node: Node, rewriter: Rewriter) -> Value | None:
    condition, a, b = node.operands
    if a is b:
        return a
    known = number_of(condition)
    if known is not None:
        return a if known else b
    return rewriter.zeros_for(node) if is_zero(a) and is_zero(b) else None


def nested_choice(node: Node, rewriter: Rewriter) -> Value | None:
    """A choice that was made by the same condition before."""
    condition, a, b = node.operands
    first, second = made_by(a, "where"), made_by(b, "where")
    if first is not None and first.operands[0] is condition:
        return apply(where, condition, first.operands[1], b)
    if second is not None and second.operands[0] is condition:
        return apply(where, condition, a, second.operands[2])
    return None


# Casts


def first_operand(node: Node, rewriter: Rewriter) -> Value | None:
    """The operand, where it is of the result's type already."""
    return node.operands[0] if _is_exact_place(node) else None


def conjugate_of_real(node: Node, rewriter: Rewriter) -> Value | None:
    type_ = node.result.type
    complex_ = isinstance(type_, ArrayType) and type_.dtype.kind == "c"
    return None if complex_ else first_operand(node, rewriter)


def _derivative(*rules: Rule) -> Sequence[Rule]:
    return tuple(map(on_derivatives, rules))


_OPERATORS: Rules = {
    name: _derivative(weak_numbers, plain_operator)
    for name, operation in REGISTRY.items()
    if operation.elementwise
}
_IDENTITIES: Rules = {
    "add": (integer_plus_zero, *_derivative(integer_offsets, plus_zero, plus_negative, twice)),
    "not_": (double_not,),
    "subtract": (neutral_right(0), *_derivative(integer_offsets, minus_zero, minus_negative)),
    "multiply": (
        neutral_right(1),
        neutral_left(1),
        *_derivative(
            number_left, times_zero, minus_one, factors_together, numbers_first, numbers_across
        ),
        *_derivative(times_reciprocal, number_outward, sign_outward),
    ),
    "divide": (neutral_right(1), *_derivative(times_zero, minus_one, sign_outward)),
    "power": (neutral_right(1), *_derivative(small_power)),
    "negative": (
        double_negation,
        *_derivative(stays_zero, negative_difference, negative_product),
    ),
    "strong_multiply": _derivative(neutral_right(1), plain_product),
    "strong_divide": _derivative(neutral_right(1), plain_quotient),
    "where": _derivative(same_choice, nested_choice, weak_numbers),
    "positive": (first_operand,),
    "real": (first_operand,),
    "conjugate": (conjugate_of_real,),
    "astype": (first_operand, on_derivatives(stays_zero)),
    "as_scalar": (first_operand, on_derivatives(stays_zero)),
}
ALGEBRA: Rules = joined(_IDENTITIES, _OPERATORS)
