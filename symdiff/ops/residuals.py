"""Ops that only derivatives have: packing residuals of a called graph, the length of a tape.

The residuals of a graph that calls itself have no finite type: they are handed on as one opaque value,
a tuple at run time. What stands for its cotangent or tangent is such a tuple as well, one entry for each
entry, with nothing where an entry carries no derivative.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import INT, OpaqueType, Type
from symdiff.ops.declare import Operation, call, declare

PACKED = OpaqueType("residuals")

tape_length = declare(
    Operation(
        "tape_length",
        lambda tape: (INT,),
        len,
        spelling=call("len"),
        nondifferentiable=True,
        documentation="How many turns a tape holds.",
    ),
    1,
)


def _infer_pack(*values: Type) -> tuple[Type, ...]:
    return (PACKED,)


def _spell_pack(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    return ast.Tuple(list(operands), ast.Load())


def _infer_unpack(packed: Type, *, types: tuple[Type, ...]) -> tuple[Type, ...]:
    return types


def _spell_unpack(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    return operands[0]


pack = declare(
    Operation(
        "pack",
        _infer_pack,
        lambda *values: values,
        variadic=True,
        spelling=_spell_pack,
        documentation="Several values as one opaque value.",
    )
)
unpack = declare(
    Operation(
        "unpack",
        _infer_unpack,
        lambda packed, *, types: packed if len(packed) != 1 else packed[0],
        spelling=_spell_unpack,
        documentation="The values that were packed.",
    )
)


def unpacked(packed: Value, types: Sequence[Type]) -> tuple[Value, ...]:
    """The values of a packed one, however many there are."""
    if not types:
        return ()
    values: Any = unpack(packed, types=tuple(types))
    return (values,) if isinstance(values, Value) else values
