"""Numbers that may have another dtype at run time than NumPy's that they are typed as.

``y = v > 0.1 and np.sin(v)`` is typed as a float, and is one of NumPy's truths where it is not one.
Derivatives take such numbers as what they are typed as, which graphs that are called have to be
told of: the numbers that one gives are marked where it is called, and those that it is given are
marked in it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import choice
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.retype import hides_dtype, retype
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.made_of import Parts, handed_on, told


def may_be_disguised(interp: Interpreter, number: Value) -> bool:
    """Return whether a number may be one of NumPy's of another dtype, or was computed of such."""
    return told(interp.disguised, number, partial(_parts, interp), lambda constant: True)


def _parts(interp: Interpreter, value: Value) -> Parts:
    if not isinstance(value.type, ArrayType) or value.type.shape:
        return any, ()
    handed = handed_on(interp, value)
    if handed is not None:
        return any, handed
    node = value.node
    assert node is not None
    if hides_dtype(node):
        return any, (0.0,)
    computed: Any = isinstance(node.op, DeclaredOp) and node.op.elementwise
    return any, node.operands if computed or node.op in (retype, choice) else ()
