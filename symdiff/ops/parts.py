"""Writing the real and the imaginary parts of complex arrays: ``z.real = x``.

Both ops are pure: ``with_real(z, r)`` has ``r`` as real part, and the imaginary part of ``z`` bit
for bit.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.ir.graph import Node, Value
from symdiff.ops.casts import imag, real
from symdiff.ops.creation import zero_tangent, zeros_of
from symdiff.ops.declare import Operation, array_type, template


def _writing(name: str, part: Operation, position: int) -> Operation:
    attribute = part.name

    def evaluate(z: Any, r: Any) -> Any:
        written = z.copy()
        setattr(written, attribute, r)
        return written

    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        """Pairs of numbers, seen as complex ones: sums would change infinities and zeros."""
        other = "{0}.imag" if position == 0 else "{0}.real"
        new = "np.broadcast_to({1}, {0}.shape)"
        pair = f"{new}, {other}" if position == 0 else f"{other}, {new}"
        dtype = array_type(node.result).dtype
        single = np.empty(0, dtype).real.dtype
        text = f"np.stack(({pair}), axis=-1, dtype=np.{single}).view(np.{dtype})[..., 0]"
        return template(text)(node, operands)

    def tangent(ts: Sequence[Value | None], y: Value, z: Value, r: Value) -> Value:
        base = zeros_of(z) if ts[0] is None else ts[0]
        return operation(base, zero_tangent(r) if ts[1] is None else ts[1])

    operation: Operation = Operation.of_arrays(
        name,
        lambda z, r: z,
        evaluate,
        raises=True,
        spelling=spell,
        vjp={
            0: lambda g, y, z, r: operation(g, 0.0),
            1: lambda g, y, z, r: part(g),
        },
        tangent=tangent,
        broadcasts=frozenset({1}),
        order="operand",
        documentation=f"A complex array after ``z.{attribute} = r``.",
    )
    return operation


with_real = _writing("with_real", real, 0)
with_imag = _writing("with_imag", imag, 1)


def _put(write: Operation) -> Any:
    def put(node: Node, base: Value, new: Value) -> Value:
        complex_base = array_type(base).dtype.kind == "c"
        return write(base, new) if complex_base else new

    return put


real.put, imag.put = _put(with_real), _put(with_imag)
