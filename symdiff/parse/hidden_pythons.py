"""Numbers that may be Python's at run time, and are typed as NumPy's: of these operators may raise.

``y = 1.0 if c > 2 else np.exp(c)`` is typed as NumPy's, and ``1 / y`` raises only where it is not.
An operator gives Python's number where all its operands are Python's.
"""

from __future__ import annotations

from typing import Any

from symdiff.ir.control import CALLS
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import python_round
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.facts import is_python
from symdiff.ops.kinds import is_operator
from symdiff.ops.retype import retype
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.made_of import Parts, Question, told


def may_raise_as_pythons(interp: Interpreter, node: Node) -> bool:
    """Return whether an operator that raises on Python's numbers may be given nothing else, though
    the types of its operands do not say so.
    """
    declared = isinstance(node.op, DeclaredOp) and node.op.raises_on_numbers
    if not declared or node.attributes.get("ufunc") or all(map(is_python, node.operands)):
        return False
    return all(may_be_pythons(interp, operand) for operand in node.operands)


def may_be_pythons(interp: Interpreter, number: Value) -> bool:
    """Return whether a number may be one of Python's."""
    return told(interp, _QUESTION, interp.pythons, number)


def _alone(value: Value) -> Parts | None:
    if isinstance(value.type, ArrayType) and value.type.kind == "scalar":
        return None
    return any, (0.0,) if is_python(value) else ()


def _computed(node: Node) -> Parts:
    if node.op in (retype, python_round) or is_operator(node):
        return all, node.operands
    return any, (0.0,) if node.op in CALLS and node.attributes["callee"].hides else ()


def _is_number(content: Any) -> bool:
    return isinstance(content, int | float | complex)


_QUESTION = Question(_alone, _computed, _is_number)
