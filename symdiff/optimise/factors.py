"""Factors on statements of derivatives: known numbers, reciprocals, powers, masked products.

``2 * (3 * x)`` is ``6 * x``, ``2 * (x / 2)`` is ``x``, ``g * (1 / x)`` is ``g / x``, ``x ** 2`` is
``x * x``. Numbers are multiplied with each other before arrays are.
"""

from __future__ import annotations

import math

import numpy as np

from symdiff.ir.build import is_constant
from symdiff.ir.graph import Node, Value
from symdiff.ops.arithmetic import by_numpy, divide, multiply, negative
from symdiff.ops.declare import array_type
from symdiff.ops.elementary import sqrt
from symdiff.ops.facts import is_python, made_by, number_of, shape_of
from symdiff.ops.shape import reshape
from symdiff.ops.sizes import lower_bound
from symdiff.optimise.facts import MAY_BE_ZERO, computed_by, is_inexact, is_number, is_zero
from symdiff.optimise.rewriting import Rewriter, Rules, apply, reads
from symdiff.optimise.rules import apply_like, both_ways, in_derivatives, op_of, regrouping


@reads("constant")
def factors_together(node: Node, rewriter: Rewriter) -> Value | None:
    """``c * (d * x)`` and ``c * -x`` with one number."""
    a, b = node.operands
    for factor, rest in ((a, b), (b, a)):
        number = number_of(factor)
        if not isinstance(number, (int, float)) or isinstance(number, bool):
            continue
        together = _with_factor(number, rest, rewriter)
        if together is not None:
            return apply_like(multiply, node, *together)
    return None


@reads("multiply")
def undone_factor(node: Node, rewriter: Rewriter) -> Value | None:
    """``2 * (0.5 * x)`` as ``x``, also where ``0.5 * x`` is read elsewhere."""
    for factor, rest in both_ways(node):
        number, inner = number_of(factor), computed_by(rest, "multiply")
        if inner is None or not isinstance(number, float) or not math.isfinite(number):
            continue
        for other, x in both_ways(inner):
            by = number_of(other)
            if isinstance(by, float) and by * number == 1 and x.type == node.result.type:
                return x
    return None


def _with_factor(
    number: float, rest: Value, rewriter: Rewriter
) -> tuple[float | Value, Value] | None:
    inner = computed_by(rest, "multiply", "negative", "divide")
    if inner is None or not rewriter.is_single(rest):
        return None
    if inner.op is negative:
        return -number, inner.operands[0]
    if inner.op is divide:
        quotient = _quotient(number, inner.operands[1])
        return None if quotient is None else (quotient, inner.operands[0])
    for factor, other in both_ways(inner):
        together = _product(number, factor, other)
        if together is not None:
            return together, other
    return _with_inner_factor(number, inner, rewriter)


def _with_inner_factor(
    number: float, node: Node, rewriter: Rewriter
) -> tuple[float | Value, Value] | None:
    """The factors of ``number * ((c * x) * y)``, which are ``(number * c) * x`` and ``y``."""
    for first, second in both_ways(node):
        inner = computed_by(first, "multiply")
        if inner is None or not rewriter.is_single(first):
            continue
        together = _product(number, *inner.operands)
        if together is not None:
            return apply_like(multiply, inner, together, inner.operands[1]), second
    return None


def _quotient(number: float, divisor: Value) -> float | None:
    """What a number over a known one is, where that is a whole number."""
    known = number_of(divisor)
    if not isinstance(known, (int, float)) or isinstance(known, bool) or not known:
        return None
    return None if number % known else number / known


def _product(number: float, factor: Value, rest: Value) -> float | None:
    """The product with a known number, for ``rest`` to be multiplied with; None where the factor
    is not known, or where the product leaves the range of what ``rest`` is computed in.
    """
    known = number_of(factor)
    if not isinstance(known, (int, float)) or isinstance(known, bool):
        return None
    product = number * known
    if number and known and not _is_normal(product, array_type(rest).dtype):
        return None
    return float(product) if isinstance(product, float) else product


def _is_normal(number: float, dtype: np.dtype) -> bool:
    """Return whether a number is finite, and neither overflows nor underflows in a dtype."""
    if dtype.kind not in "fc" or not math.isfinite(number):
        return math.isfinite(number)
    normal = np.finfo(dtype)
    return float(normal.tiny) <= abs(number) <= float(normal.max)


@reads("multiply")
def numbers_first(node: Node, rewriter: Rewriter) -> Value | None:
    """``s * (c * x)`` of two numbers, one of them known, and an array as ``(s * c) * x``."""
    for factor, rest in both_ways(node):
        split = None if shape_of(factor) else _number_and_array(rest, rewriter)
        if split is None or not _is_moderate(factor, split[0]):
            continue
        return apply(multiply, apply(multiply, factor, split[0]), split[1])
    return None


@reads("multiply", "divide")
def term_with_quotient(node: Node, rewriter: Rewriter) -> Value | None:
    """``(y * y) * t`` as ``y * (y * t)``, where ``y`` is divided by a sum ``x`` with the term
    ``t``, and ``(w / x / x) * t`` as ``(w / x) * (t / x)``.

    Where ``t`` is large ``y`` is small: ``y * t`` is neither, and ``y * y`` may vanish.
    """
    for product, t in both_ways(node):
        inner = computed_by(product, "multiply", "divide")
        if inner is None or is_constant(t) or not rewriter.is_single(product):
            continue
        for g, y in both_ways(inner)[: 1 if inner.op is divide else 2]:
            x = y if inner.op is divide else _divisor(y)
            if x is not None and _is_term(t, x) and _is_divided(g, x):
                return apply_like(multiply, node, g, _with_term(inner, y, t))
    return None


def _with_term(node: Node, y: Value, t: Value) -> Value:
    """``y * t`` where a node is a product with ``y``, ``t / y`` where it is a quotient."""
    first, second = (t, y) if node.op is divide else (y, t)
    return apply_like(divide if node.op is divide else multiply, node, first, second)


def _is_term(value: Value, total: Value) -> bool:
    node = made_by(total, "add", "subtract")
    return node is not None and value in node.operands


def _divisor(value: Value) -> Value | None:
    node = made_by(value, "divide")
    return None if node is None else node.operands[1]


def _is_divided(value: Value, x: Value) -> bool:
    """Return whether a value is a quotient by ``x``, or a product with one."""
    node = made_by(value, "multiply")
    return x in map(_divisor, (value, *(() if node is None else node.operands)))


@reads("divide")
def number_over_length(node: Node, rewriter: Rewriter) -> Value | None:
    """``c * (x / n)`` of an array ``x`` and a length that is not 0 as ``c / n * x``."""
    for factor, rest in both_ways(node):
        quotient = computed_by(rest, "divide")
        if quotient is None or not rewriter.is_single(rest) or not _is_moderate(factor):
            continue
        x, length = quotient.operands
        if shape_of(x) and is_python(factor) and is_python(length) and _is_count(length):
            return apply(multiply, apply(divide, factor, length), x)
    return None


def _is_count(length: Value) -> bool:
    """Return whether an integer is known to be at least 1."""
    least = lower_bound(length) if not is_inexact(length) else None
    return least is not None and least > 0


@reads("divide")
def plain_number(node: Node, rewriter: Rewriter) -> Value | None:
    """``np.divide(c, n)`` of Python's numbers, of which ``n`` is not 0, as ``c / n`` where an array
    of float64 is computed with it: that is float64 either way.
    """
    for place, (number, other) in enumerate(both_ways(node)):
        made = made_by(number, "divide")
        if made is None or not made.attributes.get("ufunc") or not shape_of(other):
            continue
        c, length = made.operands
        is_plain = is_python(c) and is_inexact(c) and is_python(length) and _is_count(length)
        if is_plain and array_type(other).dtype == np.float64:
            operands = [apply(divide, c, length), other]
            return apply(op_of(node), *(operands[::-1] if place else operands))
    return None


@reads("reshape")
def factor_into_reshape(node: Node, rewriter: Rewriter) -> Value | None:
    """``c * reshape(d * x)`` as ``reshape((c * d) * x)``."""
    for factor, rest in both_ways(node):
        number, moved = number_of(factor), made_by(rest, "reshape")
        if moved is None or not isinstance(number, (int, float)) or isinstance(number, bool):
            continue
        inner = made_by(moved.operands[0], "multiply", "negative")
        if inner is None or not rewriter.is_single(rest) or not _is_moderate(factor):
            continue
        together = _with_factor(number, moved.operands[0], rewriter)
        if together is not None:
            product = apply_like(multiply, node, *together)
            return apply(reshape, product, *moved.operands[1:], **moved.attributes)
    return None


@reads("constant")
def number_left(node: Node, rewriter: Rewriter) -> Value | None:
    """``x * c`` as ``c * x``."""
    a, b = node.operands
    swapped = is_constant(b) and number_of(b) is not None and not is_constant(a)
    return apply_like(multiply, node, b, a) if swapped else None


@reads("multiply")
def number_outward(node: Node, rewriter: Rewriter) -> Value | None:
    """``(c * x) * y`` of numbers as ``c * (x * y)``, where other factors are.

    Of arrays it stays: where ``x`` does not change in a loop, ``c * x`` does not, either.
    """
    if shape_of(node.result):
        return None
    for first, second in both_ways(node):
        inner = computed_by(first, "multiply")
        if inner is None or is_constant(second) or not rewriter.is_single(first):
            continue
        number, x = inner.operands
        if _is_moderate(number):
            return apply_like(multiply, node, number, apply_like(multiply, node, x, second))
    return None


@reads("multiply")
def numbers_across(node: Node, rewriter: Rewriter) -> Value | None:
    """``(s * x) * (c * y)`` of two numbers and two arrays as ``((s * c) * x) * y``, and
    ``(s / x) * (c * y)`` as ``((s * c) / x) * y``.
    """
    if not shape_of(node.result):
        return None
    for first, second in both_ways(node):
        one = _number_and_array(first, rewriter) or _number_over_array(first, rewriter)
        two = _number_and_array(second, rewriter)
        if one is None or two is None or not _is_moderate(two[0]):
            continue
        number = apply(multiply, one[0], two[0])
        inner = first.node
        assert inner is not None
        return apply(multiply, apply_like(op_of(inner), inner, number, one[1]), two[1])
    return None


@reads("multiply")
def number_to_smaller(node: Node, rewriter: Rewriter) -> Value | None:
    """``x * (c * y)`` as ``(c * x) * y``, where ``x`` is smaller and broadcast to ``y``."""
    for small, rest in both_ways(node):
        split = _number_and_array(rest, rewriter)
        if split is None or not shape_of(small) or not _is_moderate(split[0]):
            continue
        if _is_repeated(small, split[1]) and shape_of(split[1]) == shape_of(node.result):
            return apply(multiply, apply(multiply, split[0], small), split[1])
    return None


def _is_repeated(small: Value, large: Value) -> bool:
    """Return whether an array is broadcast to the shape of another, whatever sizes are called."""
    dims, shape = shape_of(small), shape_of(large)
    if len(dims) > len(shape):
        return False
    pairs = list(zip(dims, shape[len(shape) - len(dims) :], strict=True))
    if any(dim != 1 and whole == 1 for dim, whole in pairs):
        return False
    return len(dims) < len(shape) or any(dim == 1 != whole for dim, whole in pairs)


def _number_and_array(value: Value, rewriter: Rewriter) -> tuple[Value, Value] | None:
    """``(s, x)`` of an array ``s * x`` that nothing else reads."""
    inner = computed_by(value, "multiply")
    if inner is None or not rewriter.is_single(value):
        return None
    for s, x in both_ways(inner):
        if not shape_of(s) and shape_of(x):
            return s, x
    return None


def _number_over_array(value: Value, rewriter: Rewriter) -> tuple[Value, Value] | None:
    """``(s, x)`` of an array ``s / x`` that nothing else reads."""
    inner = computed_by(value, "divide")
    if inner is None or not rewriter.is_single(value):
        return None
    s, x = inner.operands
    return (s, x) if not shape_of(s) and shape_of(x) else None


def _is_moderate(*values: Value) -> bool:
    """Return whether a product with one of these neither overflows nor vanishes but in extreme
    cases.
    """
    numbers = map(number_of, values)
    return any(isinstance(n, (int, float)) and 1e-6 < abs(n) < 1e6 for n in numbers)


@reads("divide")
def times_reciprocal(node: Node, rewriter: Rewriter) -> Value | None:
    """``g * (1 / x)`` as ``g / x``, and ``g * (c / x)`` as ``(c * g) / x``."""
    a, b = node.operands
    for factor, quotient in ((a, b), (b, a)):
        inner = made_by(quotient, "divide")
        if inner is None or not rewriter.is_single(quotient):
            continue
        if is_number(inner.operands[0], 1):
            return apply_like(divide, inner, factor, inner.operands[1])
        if is_number(inner.operands[0], -1):
            return -apply_like(divide, inner, factor, inner.operands[1])
        if _is_moderate(inner.operands[0]) and not _is_of_numbers(inner, factor):
            over = apply(multiply, inner.operands[0], factor)
            return apply_like(divide, inner, over, inner.operands[1])
    return None


def _is_of_numbers(node: Node, factor: Value) -> bool:
    """Return whether a quotient is a number where its factor is an array, which costs more."""
    return not shape_of(node.result) and bool(shape_of(factor))


@reads("divide")
def number_into_quotient(node: Node, rewriter: Rewriter) -> Value | None:
    """``c * ((d * x) / y)`` as ``((c * d) * x) / y``."""
    for factor, rest in both_ways(node):
        number, quotient = number_of(factor), computed_by(rest, "divide")
        if quotient is None or not rewriter.is_single(rest) or not isinstance(number, (int, float)):
            continue
        numerator, divisor = quotient.operands
        inner = computed_by(numerator, "multiply")
        if inner is None or not rewriter.is_single(numerator):
            continue
        for known, other in both_ways(inner):
            together = _product(number, known, other)
            if together is not None:
                product = apply_like(multiply, inner, together, other)
                return apply_like(divide, quotient, product, divisor)
    return None


@reads("divide")
def undone_in_quotient(node: Node, rewriter: Rewriter) -> Value | None:
    """``c * (y / (c * x))`` as ``y / x``: what the logarithm of a multiple gives back."""
    for factor, rest in both_ways(node):
        number, quotient = number_of(factor), computed_by(rest, "divide")
        if quotient is None or not isinstance(number, float) or not _is_moderate(factor):
            continue
        divisor = computed_by(quotient.operands[1], "multiply")
        if divisor is None:
            continue
        for known, x in both_ways(divisor):
            if number_of(known) == number and x.type == divisor.result.type:
                return apply_like(divide, quotient, quotient.operands[0], x)
    return None


@reads("divide", "negative")
def shared_quotient(node: Node, rewriter: Rewriter) -> Value | None:
    """``g * (y / x)`` as ``(g / x) * y`` where ``g / x`` was made before ``y / x``.

    The two cotangents of a division have that in common.
    """
    a, b = node.operands
    for factor, other in ((a, b), (b, a)):
        minus = computed_by(other, "negative")
        quotient = other if minus is None else minus.operands[0]
        inner = computed_by(quotient, "divide")
        if inner is None or not rewriter.is_single(other) or not rewriter.is_single(quotient):
            continue
        if _is_term(*inner.operands) or _is_of_numbers(inner, factor):
            continue  # see ``term_with_quotient``, ``number_over_length``
        shared = rewriter.made_before(inner.op, factor, inner.operands[1])
        if shared is None or shared.type != node.result.type or shared.number >= quotient.number:
            continue
        product = apply(multiply, shared, inner.operands[0])
        return product if minus is None else -product
    return None


@reads("multiply")
def number_over_multiple(node: Node, rewriter: Rewriter) -> Value | None:
    """``c / (d * x)`` as ``(c / d) / x``: what the logarithm of a multiple has as a slope."""
    number, divisor = number_of(node.operands[0]), computed_by(node.operands[1], "multiply")
    if divisor is None or not isinstance(number, float) or abs(number) == 1:
        return None  # of which products with reciprocals are made
    for factor, x in both_ways(divisor):
        known = number_of(factor)
        if isinstance(known, float) and _is_moderate(factor) and is_inexact(x):
            quotient = number / known
            if _is_normal(quotient, array_type(x).dtype):
                return apply_like(divide, node, quotient, x)
    return None


@reads("multiply", "negative")
def solution_of_multiple(node: Node, rewriter: Rewriter) -> Value | None:
    """``solve(a, c * b)`` of a number ``c`` as ``c * solve(a, b)``, where that was made before."""
    a, b = node.operands
    inner = computed_by(b, "multiply", "negative")
    if inner is None:
        return None
    if inner.op is negative:
        known = rewriter.made_before(node.op, a, inner.operands[0])
        return None if known is None or known.type != node.result.type else -known
    for factor, rest in both_ways(inner):
        known = None if shape_of(factor) else rewriter.made_before(node.op, a, rest)
        if known is not None and known.type == node.result.type:
            return apply(multiply, factor, known)
    return None


@reads("constant")
def small_power(node: Node, rewriter: Rewriter) -> Value | None:
    """``x ** 2`` as ``x * x``, and its like: many times faster on arrays."""
    x, exponent = node.operands
    number = number_of(exponent)
    if not isinstance(number, (int, float)) or isinstance(number, bool):
        return None
    if number == 2:
        return apply_like(multiply, node, x, x)
    if number == 3 and shape_of(x):
        return apply(multiply, multiply(x, x), x)
    if number == -1:
        return apply_like(divide, node, 1.0, x)
    return apply(sqrt, x) if number == 0.5 and shape_of(x) else None


@reads(*MAY_BE_ZERO)
def plain_product(node: Node, rewriter: Rewriter) -> Value | None:
    """A masked product whose factors need no mask."""
    g, p = node.operands
    if is_zero(g) or is_number(p, 0):
        return rewriter.zeros_for(node)
    p_number, g_number = number_of(p), number_of(g)
    if isinstance(p_number, (int, float)) and math.isfinite(p_number):
        return apply(multiply, g, p)
    if isinstance(g_number, (int, float)) and g_number != 0:
        return apply(multiply, g, p)
    return None


@reads(*MAY_BE_ZERO)
def plain_quotient(node: Node, rewriter: Rewriter) -> Value | None:
    """A masked quotient that needs no mask."""
    g, x = node.operands
    if is_zero(g):
        return rewriter.zeros_for(node)
    number = number_of(x)
    if isinstance(number, (int, float)) and math.isfinite(number) and number != 0:
        return apply(divide, g, x)
    g_number = number_of(g)
    if isinstance(g_number, (int, float)) and g_number != 0:
        return apply(by_numpy(divide), g, x)
    return None


FACTORS: Rules = {
    "multiply": (
        *in_derivatives(number_left),
        *regrouping(
            undone_factor,
            undone_in_quotient,
            factors_together,
            number_into_quotient,
            numbers_first,
            numbers_across,
            number_to_smaller,
            factor_into_reshape,
            number_over_length,
            shared_quotient,
            term_with_quotient,
        ),
        *in_derivatives(times_reciprocal),
        *regrouping(number_outward, plain_number),
    ),
    "divide": regrouping(plain_number, number_over_multiple),
    "power": regrouping(small_power),
    "solve": regrouping(solution_of_multiple),
    "strong_multiply": regrouping(plain_product),
    "strong_divide": regrouping(plain_quotient),
}
