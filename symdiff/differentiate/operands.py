"""Operands as the rules of ops see them: an integer enters a derivative here, as a float.

Arithmetic on integers wraps, NumPy negates no bools, and takes the logarithm of an ``int8`` in half
precision. A rule that squares an operand, adds one to it or takes its logarithm would do so. So
what a rule computes with has the precision in which the op computes, that of its result:
``arctan2(x, k)`` of a ``float32`` and an ``int32`` is a ``float64``, and so is ``k`` in its
derivatives. Places, lengths and masks stay what they are, and Python's integers, which are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symdiff.ir.build import builder
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import BOOL, INT, ArrayType, real_dtype
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.elementary import astype, constant_of, python_float


def in_rules(node: Node, op: DeclaredOp, operands: Sequence[Value]) -> tuple[Value, ...]:
    """The operands of a node, or what stands for them, for the rules of its op."""
    dtype = _precision(node)
    if dtype is None:
        return tuple(operands)
    return tuple(
        as_number(value, dtype) if op.computes_with(k) else value
        for k, value in enumerate(operands)
    )


def _precision(node: Node) -> np.dtype | None:
    """The real dtype in which a node computes, or None where it has no inexact result."""
    for value in node.results:
        if isinstance(value.type, ArrayType) and value.type.differentiable:
            return real_dtype(value.type.dtype)
    return None


def as_number(value: Value, dtype: np.dtype) -> Value:
    """An integer or a bool as a float; anything else as it is."""
    type_ = value.type
    if not isinstance(type_, ArrayType) or type_.dtype.kind not in "iub" or type_ == INT:
        return value
    number = constant_of(value)
    if number is not None:
        return builder().constant(float(number) if type_ == BOOL else dtype.type(number))
    return python_float(value) if type_ == BOOL else astype(value, dtype=dtype)
