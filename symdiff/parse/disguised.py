"""Numbers that may have another dtype at run time than NumPy's that they are typed as.

``y = v > 0.1 and np.sin(v)`` is typed as a float, and is one of NumPy's truths where it is not one.
Derivatives take such numbers as what they are typed as, which graphs that are called have to be
told of: the numbers that one gives are marked where it is called, and those that it is given are
marked in it.
"""

from __future__ import annotations

from typing import Any

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import choice
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.retype import hides_dtype, retype
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.made_of import Parts, Question, told


def may_be_disguised(interp: Interpreter, number: Value) -> bool:
    """Return whether a number may be one of NumPy's of another dtype, or was computed of such."""
    return told(interp, _QUESTION, interp.disguised, number)


def _alone(value: Value) -> Parts | None:
    is_number = isinstance(value.type, ArrayType) and not value.type.shape
    return None if is_number else (any, ())


def _computed(node: Node) -> Parts:
    if hides_dtype(node):
        return any, (0.0,)
    computed: Any = isinstance(node.op, DeclaredOp) and node.op.elementwise
    return any, node.operands if computed or node.op in (retype, choice) else ()


_QUESTION = Question(_alone, _computed, lambda constant: True)
