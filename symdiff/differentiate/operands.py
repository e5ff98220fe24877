"""Operands as the rules of ops see them: an integer enters a derivative here, as a float.

Arithmetic on integers wraps, NumPy negates no bools, and takes the logarithm of an ``int8`` in half
precision. A rule that squares an operand, adds one to it or takes its logarithm would do so. So
what a rule computes with has the precision in which the op computes, that of its result:
``arctan2(x, k)`` of a ``float32`` and an ``int32`` is a ``float64``, and so is ``k`` in its
derivatives. Places, lengths and masks stay what they are, and Python's integers, which are exact.

What branches and loops join with a float is typed as one, and may be an integer at run time
(``retype``): rules see it as what it is typed as.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from symdiff.ir.build import builder
from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ir.types import BOOL, INT, ArrayType, real_dtype
from symdiff.ops.arithmetic import choice, constant_of
from symdiff.ops.casts import astype, python_float
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.partial import reached
from symdiff.ops.retype import as_typed, hides_dtype, retype


class Numbers:
    """What rules see of the values of a block. ``disguised`` may have another dtype at run time."""

    def __init__(self, block: Block) -> None:
        narrow = [node.result for node in walk_nodes(block) if hides_dtype(node)]
        self.disguised = reached(block, narrow, numbers_computed) if narrow else set[Value]()

    def operands(
        self, node: Node, op: DeclaredOp, new: dict[Value, Value] | None = None
    ) -> tuple[Value, ...]:
        """The operands of a node, or what ``new`` has for them, for the rules of its op."""
        dtype = _precision(node)
        return tuple(
            self.seen(value, dtype, new) if op.computes_with(k) else _mapped(value, new)
            for k, value in enumerate(node.operands)
        )

    def seen(
        self, value: Value, dtype: np.dtype | None = None, new: dict[Value, Value] | None = None
    ) -> Value:
        """A value, or what ``new`` has for it, as a float of a precision where it is no float."""
        given = _mapped(value, new)
        if value in self.disguised and isinstance(value.type, ArrayType):
            return as_typed(given, dtype=value.type.dtype)
        return given if dtype is None else as_number(given, dtype)


def _mapped(value: Value, new: dict[Value, Value] | None) -> Value:
    return value if new is None else new.get(value, value)


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


def numbers_computed(node: Node) -> Iterator[tuple[Value, Value]]:
    """Pairs of numbers of which the second may be, or be computed of, the first alone."""
    op = node.op
    if not isinstance(op, DeclaredOp) or not (op.elementwise or op in (retype, choice)):
        return
    for result in node.results:
        if isinstance(result.type, ArrayType) and not result.type.shape:
            yield from ((value, result) for value in node.operands)
