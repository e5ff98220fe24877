"""Ops that only derivatives have: packing residuals of a called graph, the length of a tape.

The residuals of a graph that calls itself have no finite type: they are handed on as one opaque
value, a tuple at run time. What stands for its cotangent or tangent is such a tuple as well, one
entry for each entry, with nothing where an entry carries no derivative.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import INT, ArrayType, OpaqueType, Type
from symdiff.ops import support
from symdiff.ops.arithmetic import add
from symdiff.ops.declare import (
    EVALUATED,
    Operation,
    SeveralResults,
    dotted,
    literal,
    supporting,
    template,
)
from symdiff.ops.reduce import unbroadcast_to

PACKED = OpaqueType("residuals")


def _spell_length(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    pattern = "0 if {0} is None else len({0})" if node.attributes.get("partial") else "len({0})"
    return template(pattern)(Node(node.op, node.operands), operands)


tape_length: Operation = Operation(
    "tape_length",
    lambda tape, *, partial=False: (INT,),
    lambda tape, *, partial=False: 0 if tape is None else len(tape),
    spelling=_spell_length,
    repeated=frozenset({0}),
    nondifferentiable=True,
    sympy=EVALUATED,
    batch=lambda b, op, x, **attributes: op(x, **attributes),
    uniform=True,
    documentation="How many turns a tape holds.",
)


def _spell_segment(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    left, most = node.operands
    return operands[0] if left is most else template("min({0}, {1})")(node, operands)


segment: Operation = Operation(
    "segment",
    lambda left, most: (INT,),
    min,
    nondifferentiable=True,
    spelling=_spell_segment,
    sympy=EVALUATED,
    batch=lambda b, op, *operands: op(*operands),
    uniform=True,
    documentation="How many turns a loop has that the backward sweep runs again: of those that are"
    " left so many at most.",
)


binomial_turns: Operation = Operation(
    "binomial_turns",
    lambda turns, held: (INT,),
    support.binomial_turns,
    nondifferentiable=True,
    sympy=EVALUATED,
    batch=lambda b, op, *operands: op(*operands),
    uniform=True,
    documentation="How many turns to run on before a turn's beginning is held, so that all of these"
    " turns can be taken back with so many held.",
)


zeros_if_defined: Operation = Operation(
    "zeros_if_defined",
    lambda x, *, dtype=None: (x,),
    lambda x, *, dtype=None: _evaluate_zeros(x, dtype),
    nondifferentiable=True,
    spelling=lambda node, operands: _spell_zeros_if_defined(node, operands[0]),
    repeated=frozenset({0}),
    documentation="Zeros like a value that only one arm of a branch defines, of a dtype of their"
    " own where one is given.",
)


size_if_defined: Operation = Operation(
    "size_if_defined",
    lambda x, *, axis: (INT,),
    lambda x, *, axis: 0 if x is None else int(np.shape(x)[axis]),
    nondifferentiable=True,
    spelling=template("0 if {0} is None else {0}.shape[{axis}]"),
    repeated=frozenset({0}),
    sympy=EVALUATED,
    batch=lambda b, op, x, *, axis: op(x, axis=axis + 1),
    uniform=True,
    documentation="The length of an axis of a value that only one arm of a branch defines.",
)


def _evaluate_zeros(x: Any, dtype: np.dtype | None) -> Any:
    return support.zeros_of_saved(x) if x is None or dtype is None else np.zeros_like(x, dtype)


def _spell_zeros_if_defined(node: Node, x: ast.expr) -> ast.expr:
    spelled = _spell_zeros(node.result.type, x)
    dtype = node.attributes.get("dtype")
    if dtype is not None and isinstance(spelled, ast.IfExp):
        zeros = ast.Call(dotted("np.zeros_like"), [x, literal(dtype)], [])
        return ast.IfExp(spelled.test, spelled.body, zeros)
    return spelled


def _spell_zeros(type_: Type, x: ast.expr, depth: int = 0) -> ast.expr:
    """``None if x is None else np.zeros_like(x)``, and lists and tapes of that."""
    if isinstance(type_, ArrayType) and type_.kind != "array":
        zero = type_.dtype.type(0)
        return literal(zero.item() if type_.weak else zero)
    if isinstance(type_, OpaqueType):
        return ast.Call(supporting(support.zeros_of_saved), [x], [])
    if isinstance(type_, ArrayType):
        zeros: ast.expr = ast.Call(dotted("np.zeros_like"), [x], [])
    else:
        item = "e" * (depth + 1)
        element = _spell_zeros(type_.element, ast.Name(item, ast.Load()), depth + 1)
        target = ast.comprehension(ast.Name(item, ast.Store()), x, [], 0)
        zeros = ast.ListComp(element, [target])
    return ast.IfExp(ast.Compare(x, [ast.Is()], [ast.Constant(None)]), ast.Constant(None), zeros)


sum_if_defined: Operation = Operation(
    "sum_if_defined",
    lambda a, b: add.infer(a, b, ufunc=True) if isinstance(a, ArrayType) else (a,),
    support.sum_if_defined,
    linear=frozenset({0, 1}),
    vjp={
        0: lambda g, y, a, b: _unbroadcast(g, a),
        1: lambda g, y, a, b: _unbroadcast(g, b),
    },
    jvp={0: lambda t, y, a, b: t, 1: lambda t, y, a, b: t},
    sympy=EVALUATED,
    documentation="The sum of cotangents of a value that only one arm of a branch defines.",
)


def _unbroadcast(g: Value, x: Value) -> Value:
    return unbroadcast_to(g, x) if isinstance(x.type, ArrayType) else g


one_of: Operation = Operation(
    "one_of",
    lambda y: (y,),
    support.one_of,
    raises=True,
    nondifferentiable=True,
    sympy=EVALUATED,
    documentation="1 in the shape of an array; raises unless that has one element.",
)


# Packing ------------------------------------------------------------------------------------------


def _spell_unpack(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    if len(node.results) != 1:
        return operands[0]
    return ast.Subscript(operands[0], ast.Constant(0), ast.Load())


pack: Operation = Operation(
    "pack",
    lambda *values: (PACKED,),
    lambda *values: values,
    spelling=template("({...},)"),
    sympy=EVALUATED,
    documentation="Several values as one opaque value.",
)
unpack = SeveralResults(
    "unpack",
    lambda packed, *, types: types,
    lambda packed, *, types: packed if len(packed) != 1 else packed[0],
    spelling=_spell_unpack,
    sympy=EVALUATED,
    operands=0,
    documentation="The values that were packed.",
)


MAYBE_NOTHING = (unpack, zeros_if_defined, sum_if_defined)
"""Ops whose results are None where what they come from is not defined."""


def unpacked(packed: Value, types: Sequence[Type]) -> tuple[Value, ...]:
    """The values of a packed one, however many there are."""
    if not types:
        return ()
    return unpack(packed, types=tuple(types))
