"""Casts of integers on statements of derivatives that NumPy makes by itself.

An integer is a float where a derivative computes with it, so that factors and terms can be
regrouped. Beside a float of that precision it need not be said: ``k * g`` is ``float64(k) * g``,
bit for bit, and reads as a person writes it. What a program itself casts to fewer digits stays.
"""

from __future__ import annotations

import numpy as np

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.casts import astype, python_float
from symdiff.ops.declare import array_type
from symdiff.ops.facts import made_by
from symdiff.optimise.rewriting import ELEMENTWISE, Rewriter, Rules, apply, reads
from symdiff.optimise.rules import in_derivatives


@reads("astype")
def implied_cast(node: Node, rewriter: Rewriter) -> Value | None:
    """``g * k`` for ``g * k.astype(np.float64)`` of an integer ``k``."""
    operands = [_integer_cast_as(node, value) or value for value in node.operands]
    kept = [a for a, b in zip(operands, node.operands, strict=True) if a is b]
    if len(kept) == len(operands) or not any(_is_as_wide(value, node) for value in kept):
        return None
    if node.op.infer(*(value.type for value in operands), **node.attributes) != (node.result.type,):
        return None
    return rewriter.emit(node.op, operands, node.attributes).result


@reads("astype")
def cast_later(node: Node, rewriter: Rewriter) -> Value | None:
    """``k.T.astype(np.float64)`` for ``k.astype(np.float64).T`` of integers."""
    x, *sizes = node.operands
    integer = _integer(x)
    if integer is None or x.node is None:
        return None
    moved = rewriter.emit(node.op, (integer, *sizes), node.attributes).result
    return apply(astype, moved, **x.node.attributes)


@reads("astype")
def cast_once(node: Node, rewriter: Rewriter) -> Value | None:
    """``float(k)`` for ``float(np.float64(k))`` of an integer ``k``."""
    (x,) = node.operands
    integer = _integer(x)
    if integer is None or array_type(x).dtype != np.dtype("float64"):
        return None
    return apply(python_float, integer)


def _integer_cast_as(node: Node, value: Value) -> Value | None:
    """The integer of a float that has the digits of the result."""
    alike = array_type(value).dtype == array_type(node.result).dtype
    return _integer(value) if alike else None


def _integer(value: Value) -> Value | None:
    """The integer or bool that a float was made of."""
    node = made_by(value, "astype")
    if node is None:
        return None
    (given,) = node.operands
    to, of = value.type, given.type
    if not isinstance(to, ArrayType) or not isinstance(of, ArrayType):
        return None
    is_number = of.dtype.kind in ("i" if of.weak else "iub")
    return given if to.dtype.kind == "f" and is_number else None


def _is_as_wide(value: Value, node: Node) -> bool:
    """Return whether a value brings the others to the dtype of the result."""
    of, to = value.type, node.result.type
    if not isinstance(of, ArrayType) or not isinstance(to, ArrayType):
        return False
    return not of.weak and of.dtype == to.dtype


FINISHING: Rules = {
    **dict.fromkeys((ELEMENTWISE, "matmul"), in_derivatives(implied_cast)),
    **dict.fromkeys(("transpose", "reshape"), in_derivatives(cast_later)),
    "python_float": in_derivatives(cast_once),
}
