"""Arrays from nothing: ``zeros``, ``ones``, ``full``, ``empty``, ``eye``, ``arange``, ``linspace``, and ``array``.

Lengths are operands, the dimensions of the result's type the attribute ``shape`` (see ``ops.sizes``):

    zeros(*sizes; shape, dtype)     full(value, *sizes; shape, dtype)     arange(start, stop, step; shape, dtype)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.ir.build import builder
from symdiff.ir.graph import Node, Operand, Value
from symdiff.ir.types import INT, ArrayType, Dim, Type
from symdiff.ops.declare import (
    Operation,
    Spelling,
    array_type,
    declare,
    dotted,
    literal,
    promotion_token,
)
from symdiff.ops.sizes import constant_integer, dim_of, result_type, sizes_of, spell_shape

FLOAT64 = np.dtype("float64")


def _infer_filled(*sizes: Type, shape: tuple[Dim, ...], dtype: np.dtype) -> tuple[Type, ...]:
    return result_type(dtype, shape)


def _spell_filled(function: str) -> Spelling:
    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        keywords = _dtype_keyword(node, FLOAT64)
        return ast.Call(dotted(f"np.{function}"), [spell_shape(node, operands)], keywords)

    return spell


def _dtype_keyword(node: Node, default: np.dtype | None) -> list[ast.keyword]:
    dtype = node.attributes["dtype"]
    return [] if dtype == default else [ast.keyword("dtype", literal(dtype))]


def _filled(name: str, function: Any, documentation: str) -> Operation:
    def evaluate(*sizes: int, shape: tuple[Dim, ...], dtype: np.dtype) -> Any:
        return function(sizes, dtype=dtype)

    return declare(
        Operation(
            name,
            _infer_filled,
            evaluate,
            raises=True,
            spelling=_spell_filled(name),
            nondifferentiable=True,
            documentation=documentation,
        )
    )


zeros = _filled("zeros", np.zeros, "An array of zeros.")
ones = _filled("ones", np.ones, "An array of ones.")
empty = _filled("empty", np.empty, "An array whose elements are arbitrary until written.")


def zeros_of(x: Value) -> Value:
    """Zeros of a value's type: the cotangent of what nothing flows into."""
    type_ = x.type
    if not isinstance(type_, ArrayType):
        from symdiff.ops.lists import list_zeros_like

        return list_zeros_like(x)  # type: ignore[no-any-return]
    if type_.kind != "array":
        return builder().constant(_zero(type_))
    return zeros(*sizes_of(x), shape=type_.shape, dtype=type_.dtype)  # type: ignore[no-any-return]


def _zero(type_: ArrayType) -> Any:
    zero = type_.dtype.type(0)
    return zero.item() if type_.weak or type_.dtype == FLOAT64 else zero


# Ranges -------------------------------------------------------------------------------------------


def _infer_range_length(start: Type, stop: Type, step: Type) -> tuple[Type, ...]:
    return (INT,)


def _infer_range_element(start: Type, step: Type, k: Type) -> tuple[Type, ...]:
    return (INT,)


def _spell_range_length(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    return ast.Call(dotted("len"), [ast.Call(dotted("range"), list(operands), [])], [])


def _spell_range_element(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    start, step, k = operands
    return ast.BinOp(start, ast.Add(), ast.BinOp(k, ast.Mult(), step))


range_length = declare(
    Operation(
        "range_length",
        _infer_range_length,
        lambda start, stop, step: len(range(start, stop, step)),
        raises=True,
        spelling=_spell_range_length,
        nondifferentiable=True,
        documentation="How many turns ``for _ in range(start, stop, step)`` has.",
    ),
    3,
)
range_element = declare(
    Operation(
        "range_element",
        _infer_range_element,
        lambda start, step, k: start + step * k,
        spelling=_spell_range_element,
        nondifferentiable=True,
        documentation="The ``k``-th element of a range, ``start + k * step``.",
    ),
    3,
)


def range_length_of(start: Operand, stop: Operand, step: Operand = 1) -> Operand:
    """The length of a range: a number where it is known, ``stop`` where that is a length from 0."""
    known = [constant_integer(part) for part in (start, stop, step)]
    if all(part is not None for part in known):
        return len(range(*known))  # type: ignore[arg-type]
    if known[0] == 0 and known[2] == 1 and isinstance(stop, Value) and stop.node is not None:
        if stop.node.op.name == "size":
            return stop
    return range_length(start, stop, step)  # type: ignore[no-any-return]


def range_element_of(start: Operand, step: Operand, k: Value) -> Value:
    """``start + k * step``, folded to ``k`` or ``start + k`` where that is what it is."""
    if constant_integer(step) == 1:
        return k if constant_integer(start) == 0 else k + start
    return range_element(start, step, k)  # type: ignore[no-any-return]


# arange -------------------------------------------------------------------------------------------


def _infer_arange(
    start: Type, stop: Type, step: Type, *, shape: tuple[Dim, ...], dtype: np.dtype
) -> tuple[Type, ...]:
    return result_type(dtype, shape)


def _spell_arange(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    start, stop, step = (constant_integer(operand) for operand in node.operands)
    shown = list(operands)
    if step == 1 and array_type(node.operands[2]).dtype.kind == "i":
        shown = shown[:2] if start != 0 or _is_float(node.operands[0]) else shown[1:2]
    natural = np.result_type(*(promotion_token(array_type(v)) for v in node.operands))
    default = np.dtype("int64") if natural.kind in "iu" else FLOAT64
    return ast.Call(dotted("np.arange"), shown, _dtype_keyword(node, default))


def _is_float(value: Value) -> bool:
    return array_type(value).dtype.kind == "f"


arange = declare(
    Operation(
        "arange",
        _infer_arange,
        lambda start, stop, step, *, shape, dtype: np.arange(start, stop, step, dtype=dtype),
        raises=True,
        spelling=_spell_arange,
        nondifferentiable=True,
        documentation="``start, start + step, …`` below ``stop``.",
    ),
    3,
)


def arange_of(count: Operand) -> Value:
    """The integers below a count."""
    shape = (dim_of(count),)
    return arange(0, count, 1, shape=shape, dtype=np.dtype("int64"))  # type: ignore[no-any-return]
