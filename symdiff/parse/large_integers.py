"""Integers that may be too large for a float at run time: beside floats they raise OverflowError.

Such are what ``math.factorial``, ``comb`` and ``perm``, powers and shifts give, and sums and
products of those. Of others, arguments and lengths among them, it is taken that they are not.
Where a ``try`` catches the error, operators that are given one and a float convert it by ``float``,
as Python does in them, so that it is known what raises.
"""

from __future__ import annotations

from typing import Any

from symdiff.ir.build import constant_value, is_constant
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import FLOAT, INT
from symdiff.ops.arithmetic import (
    absolute,
    add,
    divide,
    floor_divide,
    left_shift,
    multiply,
    negative,
    positive,
    subtract,
)
from symdiff.ops.casts import python_float
from symdiff.ops.elementary import power
from symdiff.ops.facts import is_python
from symdiff.ops.mathlib import math_comb, math_factorial, math_perm
from symdiff.parse.hidden_integers import may_be_integer
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.made_of import Parts, Question, told

_GROWS = frozenset({power, left_shift, math_factorial, math_comb, math_perm})
_STAYS_LARGE = frozenset({add, subtract, multiply, floor_divide, negative, positive, absolute})
_LARGEST_BITS = 1023  # of an integer that certainly is no larger than the largest float
_FEW = 16  # powers of integers of 63 bits have less


def beside_floats(interp: Interpreter, operands: tuple[Value, Value]) -> tuple[Value, Value]:
    """The operands of an operator of numbers, as floats where a ``try`` catches that one is too
    large.
    """
    classes = interp.regions[-1].classes if interp.regions else ()
    if not any(issubclass(OverflowError, kind) for kind in classes):
        return operands
    a, b = operands
    return _beside(interp, a, b), _beside(interp, b, a)


def _beside(interp: Interpreter, number: Value, other: Value) -> Value:
    converts = other.type == FLOAT and _is_large(interp, number)
    return python_float(number) if converts and not may_be_integer(other, interp.begun) else number


def may_be_too_large(interp: Interpreter, node: Node) -> bool:
    """Return whether an op that gives a float may be given integers alone of which it cannot make
    one.
    """
    converts = node.op is divide or node.op.name.startswith("math_")
    if not converts or node.attributes.get("ufunc") or node.results[0].type != FLOAT:
        return False
    of_numbers = all(map(is_python, node.operands))
    return of_numbers and any(_is_large(interp, operand) for operand in node.operands)


def _is_large(interp: Interpreter, number: Value) -> bool:
    return number.type == INT and told(interp, _QUESTION, interp.large, number)


def _is_beyond(number: Any) -> bool:
    return isinstance(number, int) and number.bit_length() > _LARGEST_BITS


def _alone(value: Value) -> Parts | None:
    is_told = value.type != INT or is_constant(value)
    return (any, (constant_value(value),)) if is_told else None


def _computed(node: Node) -> Parts:
    if node.op in _GROWS and not _grows_little(node):
        return all, ()
    return any, node.operands if node.op in _STAYS_LARGE or node.op in _GROWS else ()


_QUESTION = Question(_alone, _computed, _is_beyond)


def _grows_little(node: Node) -> bool:
    """Return whether a power or shift has few times the digits of what is no large integer."""
    return node.op in (power, left_shift) and constant_value(node.operands[1]) in range(_FEW)
