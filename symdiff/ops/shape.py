"""Ops that rearrange elements: ``reshape``, ``transpose``, ``broadcast_to``, ``concatenate``, ``stack``, ``copy``.

``VIEW_PUTS`` holds, for each op whose result may share its operand's memory, how a write to the view
updates the base: ``put(node, base, new) -> the base with the view's elements replaced by those of new``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

import numpy as np

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Dim, Type
from symdiff.ops.creation import zeros_of as zeros_of
from symdiff.ops.declare import (
    Operation,
    array_type,
    declare,
    dotted,
    literal,
    require_array,
    template,
)
from symdiff.ops.sizes import dim_of as dim_of
from symdiff.ops.sizes import result_type, sizes_of, spell_shape
from symdiff.ops.sizes import size as size

Put = Callable[[Node, Value, Value], Value]
VIEW_PUTS: dict[str, Put] = {}


# reshape ------------------------------------------------------------------------------------------


def _infer_reshape(x: Type, *sizes: Type, shape: tuple[Dim, ...]) -> tuple[Type, ...]:
    return result_type(require_array(x, "reshape").dtype, shape)


def _spell_reshape(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    shape = spell_shape(node, operands, 1)
    sizes = shape.elts if isinstance(shape, ast.Tuple) and shape.elts else [shape]
    if array_type(node.operands[0]).kind == "python":
        return ast.Call(dotted("np.reshape"), [operands[0], shape], [])
    return ast.Call(ast.Attribute(operands[0], "reshape", ast.Load()), sizes, [])


def reshape_like(g: Value, x: Value) -> Value:
    """``g`` in the shape of ``x``, of which it has the elements."""
    if array_type(x).kind != "array":
        return _unbroadcast(g, x)
    return reshape(g, *sizes_of(x), shape=array_type(x).shape)  # type: ignore[no-any-return]


reshape = declare(
    Operation(
        "reshape",
        _infer_reshape,
        lambda x, *sizes, shape: np.reshape(x, sizes),
        raises=True,
        cost="free",
        view=0,
        spelling=_spell_reshape,
        linear=frozenset({0}),
        vjp={0: lambda g, y, x, *sizes, shape: reshape_like(g, x)},
        documentation="The same elements in another shape; one size may be -1.",
    ),
    1,
)
VIEW_PUTS["reshape"] = lambda node, base, new: reshape_like(new, base)


# transpose ----------------------------------------------------------------------------------------


def _infer_transpose(x: Type, *, axes: tuple[int, ...]) -> tuple[Type, ...]:
    type_ = require_array(x, "transpose")
    return result_type(type_.dtype, tuple(type_.shape[axis] for axis in axes))


def _spell_transpose(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    axes = node.attributes["axes"]
    if axes == tuple(reversed(range(len(axes)))):
        return ast.Attribute(operands[0], "T", ast.Load())
    return ast.Call(dotted("np.transpose"), [operands[0], literal(axes)], [])


def inverse_permutation(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


transpose = declare(
    Operation(
        "transpose",
        _infer_transpose,
        lambda x, *, axes: np.transpose(x, axes),
        cost="free",
        view=0,
        spelling=_spell_transpose,
        linear=frozenset({0}),
        vjp={0: lambda g, y, x, *, axes: transpose(g, axes=inverse_permutation(axes))},
        documentation="The axes in another order; ``axes`` names all of them.",
    ),
    1,
)
VIEW_PUTS["transpose"] = lambda node, base, new: transpose(
    new, axes=inverse_permutation(node.attributes["axes"])
)


# broadcast_to, copy -------------------------------------------------------------------------------


def _infer_broadcast_to(x: Type, *sizes: Type, shape: tuple[Dim, ...]) -> tuple[Type, ...]:
    return result_type(require_array(x, "broadcast_to").dtype, shape)


def _spell_broadcast_to(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    return ast.Call(dotted("np.broadcast_to"), [operands[0], spell_shape(node, operands, 1)], [])


def _unbroadcast(g: Value, x: Value) -> Value:
    from symdiff.ops.reduce import unbroadcast_to  # reductions are written with these ops

    return unbroadcast_to(g, x)


broadcast_to = declare(
    Operation(
        "broadcast_to",
        _infer_broadcast_to,
        lambda x, *sizes, shape: np.broadcast_to(x, sizes),
        raises=True,
        cost="free",
        view=0,
        spelling=_spell_broadcast_to,
        linear=frozenset({0}),
        vjp={0: lambda g, y, x, *sizes, shape: _unbroadcast(g, x)},
        documentation="A read-only view in which the operand is repeated along new and unit axes.",
    ),
    1,
)


def _infer_copy(x: Type) -> tuple[Type, ...]:
    type_ = require_array(x, "copy")
    return (type_ if type_.kind == "array" else ArrayType(type_.dtype, (), "array"),)


copy = declare(
    Operation(
        "copy",
        _infer_copy,
        lambda x: np.array(x),
        spelling=lambda node, operands: _spell_copy(node, operands),
        linear=frozenset({0}),
        vjp={0: lambda g, y, x: g if array_type(x).kind == "array" else _unbroadcast(g, x)},
        documentation="A fresh array with the operand's elements.",
    ),
    1,
)


def _spell_copy(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    if array_type(node.operands[0]).kind != "array":
        return ast.Call(dotted("np.array"), list(operands), [])
    return template("{0}.copy()")(node, operands)
