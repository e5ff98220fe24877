"""Lists made into arrays and arrays into lists: ``np.stack``, ``np.concatenate``, loops' tapes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Dim, ListType, Size, TapeType, Type
from symdiff.ops.declare import EVALUATED, Operation, call, dotted, literal, require_list, template
from symdiff.ops.patterns import Elements, Items

# Lists and arrays ---------------------------------------------------------------------------------


def _infer_stack(items: Type, *, length: Dim, dtype: np.dtype) -> tuple[Type, ...]:
    dims = [length]
    element = require_list(items, "stack").element
    while isinstance(element, ListType):
        dims.append(Size(f"{length}.{len(dims)}", open=True))
        element = element.element
    if not isinstance(element, ArrayType):
        raise rejection(TypeError, f"an array of elements of type {element}")
    return (ArrayType(dtype, (*dims, *element.shape), "array"),)


def is_list(value: Any) -> bool:
    """Return whether a value is a list that is known at run time only."""
    return isinstance(value, Value) and isinstance(value.type, ListType)


def _leaf_of(type_: Type) -> Type:
    """The type of the elements of nested lists."""
    while isinstance(type_, ListType):
        type_ = type_.element
    return type_


def _spell_stack(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    element = _leaf_of(node.operands[0].type)
    dtype = node.attributes["dtype"]
    same = isinstance(element, ArrayType) and element.dtype == dtype
    keywords = [] if same else [ast.keyword("dtype", literal(dtype))]
    return ast.Call(dotted("np.array"), list(operands), keywords)


def _pattern_stack(e: Elements, op: Any, **attributes: Any) -> np.ndarray:
    return np.array(e.ids[0], np.int64)


def _is_of_floats(node: Node) -> bool:
    """Of rows or of integers the lengths may differ, or the sizes be too large."""
    element = require_list(node.operands[0].type, "stack").element
    return isinstance(element, ArrayType) and not element.shape and element.dtype.kind in "bf"


list_stack: Operation = Operation(
    "list_stack",
    _infer_stack,
    lambda items, *, length, dtype: np.array(items, dtype),
    raises=True,
    harmless=_is_of_floats,
    linear=frozenset({0}),
    vjp={0: lambda g, y, items, *, length, dtype: list_unstack_like(g, items)},
    spelling=_spell_stack,
    varied=True,
    sympy=EVALUATED,
    pattern=_pattern_stack,
    documentation="An array with a list's elements as rows, ``np.array(items)``.",
)


def list_stack_of(items: Value, dtype: Any = None) -> Value:
    """``np.array(items)``."""
    element = _leaf_of(items.type)
    chosen = element.dtype if dtype is None and isinstance(element, ArrayType) else np.dtype(dtype)
    length = Size(f"len(%{items.number})", open=True)
    return list_stack(items, length=length, dtype=chosen)


def list_unstack_like(g: Value, items: Value) -> Value:
    """The rows of ``g`` as a list of the type of ``items``."""
    type_ = require_list(items.type, "unstack")
    return list_unstack(g, type=type_)


def _evaluate_unstack(x: Any, *, type: ListType) -> list[Any]:
    element = type.element
    if isinstance(element, ListType):
        return [_evaluate_unstack(row, type=element) for row in x]
    if isinstance(element, ArrayType) and element.kind == "python":
        return x.tolist()  # type: ignore[no-any-return]
    if isinstance(element, ArrayType) and x.dtype != element.dtype:
        x = x.astype(element.dtype)
    return list(x)


def _spell_unstack(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    element = _leaf_of(node.attributes["type"])
    if isinstance(element, ArrayType) and element.kind == "python":
        return ast.Call(ast.Attribute(operands[0], "tolist", ast.Load()), [], [])
    return _rows(node.attributes["type"], operands[0])


def _rows(type_: ListType, x: ast.expr) -> ast.expr:
    """``list(x)``, and of nested lists ``[list(row) for row in x]``."""
    if not isinstance(type_.element, ListType):
        return ast.Call(dotted("list"), [x], [])
    inner = _rows(type_.element, ast.Name("row", ast.Load()))
    loop = ast.comprehension(ast.Name("row", ast.Store()), x, [], 0)
    return ast.ListComp(inner, [loop])


def _unstack_vjp(g: Value, y: Value, x: Value, *, type: ListType) -> Value:
    assert isinstance(x.type, ArrayType)
    return list_stack(g, length=x.type.shape[0], dtype=x.type.dtype)


def _pattern_unstack(e: Elements, op: Any, *, type: ListType) -> list[Any]:
    made: list[Any] = _numbers_of_rows(e.ids[0], type)
    return made


def _numbers_of_rows(ids: np.ndarray, type: Type) -> Any:
    if not isinstance(type, ListType):
        return ids
    return [_numbers_of_rows(row, type.element) for row in np.asarray(ids)]


list_unstack: Operation = Operation(
    "list_unstack",
    lambda x, *, type: (type,),
    _evaluate_unstack,
    linear=frozenset({0}),
    vjp={0: _unstack_vjp},
    spelling=_spell_unstack,
    sympy=EVALUATED,
    pattern=_pattern_unstack,
    documentation="The rows of an array: ``list(x)``, or ``x.tolist()`` for Python numbers.",
)


# Arrays joined ------------------------------------------------------------------------------------


def _infer_join(items: Type, *, axis: int, length: Dim) -> tuple[Type, ...]:
    element = require_list(items, "concatenate").element
    if not isinstance(element, ArrayType) or not element.shape:
        raise rejection(ValueError, "zero-dimensional arrays cannot be concatenated")
    shape = (*element.shape[:axis], length, *element.shape[axis + 1 :])
    return (ArrayType(element.dtype, shape, "array"),)


def _pattern_join(e: Elements, op: Any, *, axis: int, length: Dim) -> np.ndarray:
    return np.concatenate(e.ids[0], axis)


list_join: Operation = Operation(
    "list_join",
    _infer_join,
    lambda items, *, axis, length: np.concatenate(items, axis),
    raises=True,
    linear=frozenset({0}),
    vjp={0: lambda g, y, items, *, axis, length: list_parts(g, items, axis=axis)},
    spelling=call("np.concatenate", axis=0),
    varied=True,
    sympy=EVALUATED,
    pattern=_pattern_join,
    documentation="A list's arrays joined along an axis, ``np.concatenate(items)``.",
)


def list_join_of(items: Value, axis: int) -> Value:
    """``np.concatenate(items, axis)``."""
    length = Size(f"joined(%{items.number})", open=True)
    return list_join(items, axis=axis, length=length)


def _parts(x: Any, items: list[Any], *, axis: int) -> list[Any]:
    ends = np.cumsum([np.shape(item)[axis] for item in items])
    return [part.copy() for part in np.split(x, ends[:-1], axis)] if items else []


def _parts_vjp(g: Value, y: Value, x: Value, items: Value, *, axis: int) -> Value:
    assert isinstance(x.type, ArrayType)
    return list_join(g, axis=axis, length=x.type.shape[axis])


list_parts: Operation = Operation(
    "list_parts",
    lambda x, items, *, axis: (items,),
    _parts,
    raises=True,
    linear=frozenset({0}),
    vjp={0: _parts_vjp},
    nondifferentiable=frozenset({1}),
    spelling=lambda node, operands: template(
        "np.split({0}, np.cumsum([item.shape[{axis}] for item in {1}])[:-1], axis={axis})"
    )(node, operands),
    sympy=EVALUATED,
    documentation="An array cut into parts as long as a list's arrays: undoes ``list_join``.",
)


# Lists and tapes ----------------------------------------------------------------------------------


def _infer_from_tape(tape: Type) -> tuple[Type, ...]:
    assert isinstance(tape, TapeType)
    return (ListType(tape.element),)


list_from_tape: Operation = Operation(
    "list_from_tape",
    _infer_from_tape,
    list,
    linear=frozenset({0}),
    vjp={0: lambda g, y, tape: list_to_tape(g)},
    spelling=template("{0}"),
    sympy=EVALUATED,
    pattern=Items(frozenset({0})),
    documentation="What a loop wrote turn by turn, as a list.",
)
list_to_tape: Operation = Operation(
    "list_to_tape",
    lambda items: (TapeType(require_list(items, "tape").element),),
    list,
    linear=frozenset({0}),
    vjp={0: lambda g, y, items: list_from_tape(g)},
    spelling=template("{0}"),
    varied=True,
    sympy=EVALUATED,
    pattern=Items(frozenset({0})),
    documentation="A list for a loop to read turn by turn.",
)
