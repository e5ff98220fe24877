"""``foreign_call``: a call of a function that is not followed, which only computes what it returns.

What it returns is told by ``types``. It stands in the graphs of calls with rules of the user's
(``custom_call``), and has no rules itself: a derivative that reaches it is an error, never zero.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.ir.graph import Node
from symdiff.ir.types import ArrayType, Dim, Type
from symdiff.ops import support
from symdiff.ops.declare import SeveralResults, literal, supporting
from symdiff.ops.effects import Named, called, spell_the_call
from symdiff.ops.flops import nothing


def _evaluate(
    *operands: Any, function: Named, types: tuple[Type, ...], told: bool, **attributes: Any
) -> Any:
    result = called(function, operands, **attributes)
    return support.as_told(result, function.name, *_expected(types)) if told else result


def _spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    attributes, made = node.attributes, spell_the_call(node, operands)
    if not attributes["told"]:
        return made
    expected = map(literal, _expected(attributes["types"]))
    return ast.Call(
        supporting(support.as_told), [made, literal(attributes["function"].name), *expected], []
    )


def _expected(types: tuple[Type, ...]) -> list[str]:
    """What is checked of each result, spelled: its dtype, and its sizes where they are numbers."""
    return [_spelled(t) for t in types if isinstance(t, ArrayType)]


def _spelled(type_: ArrayType) -> str:
    if type_.kind == "python":
        return type(np.zeros((), type_.dtype).item()).__name__
    sizes = ", ".join(map(_size, type_.shape))
    return f"{type_.dtype.name}[{sizes}]" if type_.shape or type_.kind == "array" else str(type_)


def _size(dim: Dim) -> str:
    return str(dim) if isinstance(dim, int) else ":"


foreign_call = SeveralResults(
    "foreign_call",
    lambda *operands, types, **others: types,
    _evaluate,
    raises=True,
    cost="heavy",
    varied=True,
    spelling=_spell,
    flops=nothing,
    documentation="A library function that is not followed, whose derivatives are told.",
)
