"""Ranges of numbers: between which of them the elements of a value are known to lie.

    np.sqrt(gx**2 + 1e-6)      gx**2 >= 0, the sum >= 1e-6: the root is never 0

What is NaN lies in no range. Rounding keeps the order of numbers, so a bound computed in the dtype
of a value is a bound of it; functions whose results may be a few units off have wider ranges. What
is not known is between minus infinity and infinity.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from symdiff.ir.build import constant_value
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.declare import array_type
from symdiff.ops.sizes import lower_bound

Range = tuple[Any, Any]  # floats, Python's or NumPy's

_DEEPEST = 6
_UNKNOWN: Range = (-math.inf, math.inf)
_NOT_NEGATIVE: Range = (0.0, math.inf)
_NEARLY_ONE = 1.0 + 1e-6


def range_of(value: Value, depth: int = _DEEPEST) -> Range:
    """The range of a value's elements."""
    known = constant_value(value)
    if known is not None:
        return _of_constant(known)
    node, type_ = value.node, value.type
    if node is None or depth == 0 or not isinstance(type_, ArrayType):
        return _UNKNOWN
    if type_.dtype.kind == "i" and not type_.rank:
        least = lower_bound(value)
        return (-math.inf if least is None else float(least), math.inf)
    if type_.dtype.kind != "f":
        return _UNKNOWN
    rule = _RULES.get(node.op.name.removeprefix("math_"))
    if rule is None:
        return _UNKNOWN
    with np.errstate(all="ignore"):
        return _cast(rule(node, depth - 1), type_.dtype)


def raises_by_zero(node: Node) -> bool:
    """Return whether a quotient is Python's and by an integer, which is no zero then."""
    types = [array_type(operand) for operand in node.operands]
    is_pythons = all(type_.kind == "python" for type_ in types)
    return is_pythons and types[1].dtype.kind in "bi" and not node.attributes.get("ufunc")


def is_positive(value: Value) -> bool:
    return bool(range_of(value)[0] > 0.0)


def is_never_zero(value: Value) -> bool:
    known = constant_value(value)
    if known is not None:
        return bool(np.all(np.asarray(known) != 0))
    low, high = range_of(value)
    return bool(low > 0.0 or high < 0.0)


def unless_within(low: float, high: float = math.inf) -> Callable[[Node], bool]:
    """Tell of a node whether an element of its operand may be elsewhere, or one of two bounds."""

    def may_be_elsewhere(node: Node) -> bool:
        least, most = range_of(node.operands[0])
        return not (low < least and (most < high or high == math.inf))

    return may_be_elsewhere


def unless_never_zero(position: int) -> Callable[[Node], bool]:
    """Tell of a node whether an element of an operand may be 0."""
    return lambda node: not is_never_zero(node.operands[position])


def _of_constant(known: object) -> Range:
    numbers = np.asarray(known)
    if numbers.dtype.kind not in "biuf" or numbers.size == 0 or np.isnan(numbers).any():
        return _UNKNOWN
    return float(np.min(numbers)), float(np.max(numbers))


def _cast(found: Range, dtype: np.dtype) -> Range:
    """A range in a value's dtype, in which a small number may be 0."""
    low, high = (dtype.type(bound) for bound in found)
    return _UNKNOWN if np.isnan(low) or np.isnan(high) else (float(low), float(high))


# Ops, by what they make of the ranges of their operands -------------------------------------------

_Rule = Callable[[Node, int], Range]


def _dtype(node: Node) -> Any:
    """The type of a node's numbers."""
    return array_type(node.result).dtype.type


def _same(position: int = 0) -> _Rule:
    """Of an op that moves elements or chooses among them."""
    return lambda node, depth: range_of(node.operands[position], depth)


def _always(low: float, high: float = math.inf) -> _Rule:
    return lambda node, depth: (low, high)


def _sum(node: Node, depth: int) -> Range:
    dtype = _dtype(node)
    a, b = (range_of(operand, depth) for operand in node.operands)
    return dtype(a[0]) + dtype(b[0]), dtype(a[1]) + dtype(b[1])


def _difference(node: Node, depth: int) -> Range:
    dtype = _dtype(node)
    a, b = (range_of(operand, depth) for operand in node.operands)
    return dtype(a[0]) - dtype(b[1]), dtype(a[1]) - dtype(b[0])


def _negative(node: Node, depth: int) -> Range:
    low, high = range_of(node.operands[0], depth)
    return -high, -low


def _product(node: Node, depth: int) -> Range:
    a, b = node.operands
    if a is b:
        return _NOT_NEGATIVE
    dtype = _dtype(node)
    ends = product(range_of(a, depth), range_of(b, depth))
    made = [0.0 if 0.0 in pair else dtype(pair[0]) * dtype(pair[1]) for pair in ends]
    return min(made), max(made)


def _quotient(node: Node, depth: int) -> Range:
    a, b = (range_of(operand, depth) for operand in node.operands)
    if b[0] == 0.0 and raises_by_zero(node):
        b = (1.0, b[1])
    if not (b[0] > 0.0 or b[1] < 0.0):
        return _UNKNOWN
    dtype = _dtype(node)
    made = [dtype(x) / dtype(y) for x, y in product(a, b)]
    return (min(made), max(made)) if not np.isnan(made).any() else _UNKNOWN


def _power(node: Node, depth: int) -> Range:
    base, exponent = node.operands
    number = constant_value(exponent)
    if not isinstance(number, (int, float)):
        return _UNKNOWN
    is_even = number > 0 and number % 2 == 0
    return _NOT_NEGATIVE if is_even or range_of(base, depth)[0] > 0.0 else _UNKNOWN


def _size(node: Node, depth: int) -> Range:
    low, high = range_of(node.operands[0], depth)
    if low <= 0.0 <= high:
        return 0.0, max(-low, high)
    return min(abs(low), abs(high)), max(abs(low), abs(high))


def _root(node: Node, depth: int) -> Range:
    low, high = range_of(node.operands[0], depth)
    return math.sqrt(max(low, 0.0)) / _NEARLY_ONE, math.sqrt(max(high, 0.0)) * _NEARLY_ONE


def _either(*positions: int) -> _Rule:
    """Of an op that gives an element of one operand or of another."""

    def rule(node: Node, depth: int) -> Range:
        given = [range_of(node.operands[position], depth) for position in positions]
        return min(low for low, _ in given), max(high for _, high in given)

    return rule


def _larger(node: Node, depth: int) -> Range:
    a, b = (range_of(operand, depth) for operand in node.operands)
    return max(a[0], b[0]), max(a[1], b[1])


def _smaller(node: Node, depth: int) -> Range:
    a, b = (range_of(operand, depth) for operand in node.operands)
    return min(a[0], b[0]), min(a[1], b[1])


def _total(node: Node, depth: int) -> Range:
    if _has_a_one(node):
        return 1.0 / _NEARLY_ONE, math.inf
    low = min(range_of(operand, depth)[0] for operand in node.operands)
    return _NOT_NEGATIVE if low >= 0.0 else _UNKNOWN


def _has_a_one(node: Node) -> bool:
    """Return whether what is added up is ``exp(x - max(x))``, which is 1 at each maximum.

    Without ``keepdims``, only maxima along the first axes stand beside what they are maxima of.
    """
    exponent = _only_operand(node.operands[0], "exp")
    apart = None if exponent is None else exponent.node
    if apart is None or apart.op.name != "subtract" or node.op.name != "sum":
        return False
    x, shift = apart.operands
    if _only_operand(shift, "max") is not x or len(node.operands) != 1:
        return False
    assert shift.node is not None
    whole, apart_by = _axes(node), _axes(shift.node)
    if whole is None or apart_by is None:
        return whole is None
    beside = shift.node.attributes["keepdims"] or apart_by == set(range(len(apart_by)))
    return beside and apart_by <= whole


def _only_operand(value: Value, name: str) -> Value | None:
    """The operand of the op with a name that a value is made by."""
    node = value.node
    return node.operands[0] if node is not None and node.op.name == name else None


def _axes(node: Node) -> set[int | None] | None:
    """The axes that a reduction goes over; None where it goes over all."""
    axis = node.attributes.get("axis")
    if axis is None:
        return None
    rank = array_type(node.operands[0]).rank
    return {k % rank for k in (axis if isinstance(axis, tuple) else (axis,))}


_RULES: dict[str, _Rule] = {
    **dict.fromkeys(
        (
            "astype", "python_float", "broadcast_to", "copy", "contiguous", "reshape", "transpose",
            "as_scalar", "positive", "index",
        ),
        _same(),
    ),
    "add": _sum, "subtract": _difference, "negative": _negative,
    "multiply": _product, "divide": _quotient,
    "power": _power, "float_power": _power, "pow": _power, "square": _always(0.0),
    "absolute": _size, "fabs": _size, "sqrt": _root,
    "exp": _always(0.0), "exp2": _always(0.0), "cosh": _always(1.0 / _NEARLY_ONE),
    "hypot": _always(0.0), "logistic": _always(0.0, _NEARLY_ONE),
    **dict.fromkeys(("sin", "cos", "tanh", "erf"), _always(-_NEARLY_ONE, _NEARLY_ONE)),
    "where": _either(1, 2), "choice": _either(1, 2), "fmax": _either(0, 1), "fmin": _either(0, 1),
    "maximum": _larger, "clip_below": _larger, "minimum": _smaller, "clip_above": _smaller,
    "sum": _total, "mean": _total, "var": _always(0.0), "std": _always(0.0),
}  # fmt: skip
