"""Floats of Python's that may be complex at run time: powers of negative ones, ``(-8.0) ** (1/3)``.

They are typed as floats, and arithmetic does not mind. Where something is told of such a number by
its type (its class, its ``real`` and ``imag``), the program asks before whether it is complex. Its
absolute value is a float again: of a power that is the power of the base's, which has its slopes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symdiff.ir.build import marked
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import FLOAT
from symdiff.ops.arithmetic import (
    absolute,
    add,
    constant_of,
    divide,
    multiply,
    negative,
    positive,
    subtract,
)
from symdiff.ops.defined import valued
from symdiff.ops.effects import check_real
from symdiff.ops.elementary import power
from symdiff.ops.ranges import range_of
from symdiff.ops.retype import only_real, retype
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.made_of import Parts, Question, told
from symdiff.parse.values import Abstract

_STAYS_COMPLEX = (add, subtract, multiply, divide, negative, positive, power, retype)
_PRODUCTS = (multiply, divide, negative, positive, power)


def require_real(interp: Interpreter, number: Abstract) -> None:
    """Let the program ask whether what is typed as a float of Python's is complex."""
    if isinstance(number, Value) and may_be_complex(interp, number):
        check_real(number)


def absolute_of(interp: Interpreter, number: Value) -> Value:
    """``abs(number)``, with its slopes where the number is complex, too."""
    return with_slopes(interp, number, absolute(number))


def with_slopes(interp: Interpreter, number: Value, made: Value) -> Value:
    """What is ``made`` as the absolute value of a number, with its slopes."""
    if number.type != FLOAT or not may_be_complex(interp, number):
        return made
    with marked(role="definition"):
        alike = _of_factors(interp, number)
        if alike is None:
            alike = absolute(only_real(number))
    return valued(alike, made)


def _of_factors(interp: Interpreter, number: Value) -> Value | None:
    """The absolute value of a product or quotient of powers by those of its factors; None of what
    else may be complex.
    """
    made: dict[Value, Value] = {}
    pending = [number]
    while pending:
        node = pending[-1].node
        if node is None or node.op not in _PRODUCTS:
            return None
        found = [v for v in node.operands if v.type == FLOAT and may_be_complex(interp, v)]
        if node.op is power and node.operands[1] in found:
            return None
        missing = [v for v in found if v not in made]
        pending += missing
        if not missing:
            made[pending.pop()] = _of_lengths(node, made)
    return made[number]


def _of_lengths(node: Node, made: Mapping[Value, Value]) -> Value:
    """The absolute value of what a node gives, by those ``made`` of its operands."""
    first, *others = node.operands
    length = made.get(first) or absolute(first)
    if node.op is power:
        return power(length, *others)
    if not others:
        return length
    other = made.get(others[0]) or absolute(others[0])
    return multiply(length, other) if node.op is multiply else divide(length, other)


def may_be_complex(interp: Interpreter, number: Value) -> bool:
    """Return whether what is typed as a float of Python's may be complex at run time."""
    return told(interp, _QUESTION, interp.complexes, number)


def _alone(value: Value) -> Parts | None:
    return None if value.type == FLOAT else (any, ())


def _computed(node: Node) -> Parts:
    if node.op is power and _may_leave_reals(node):
        return all, ()
    return any, node.operands if node.op in _STAYS_COMPLEX else ()


_QUESTION = Question(_alone, _computed, lambda constant: False)


def _may_leave_reals(node: Node) -> bool:
    """Return whether the base of a power may be negative, and the exponent no whole number."""
    base, exponent = node.operands
    whole = exponent.type != FLOAT or _is_whole(constant_of(exponent))
    return not whole and bool(range_of(base)[0] < 0.0)


def _is_whole(number: Any) -> bool:
    return number is not None and float(number).is_integer()
