"""Arrays from nothing and from numbers: ``zeros``, ``full``, ``eye``, ``arange``, ``array`` ….

Lengths are operands; the dimensions of the result's type are the attribute ``shape``:

    zeros(*sizes; shape, dtype)    full(value, *sizes; shape, dtype)    arange(start, stop, step; …)
    array(*elements; nested, dtype) is ``np.array`` of nested lists of the elements, row by row
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import builder
from symdiff.ir.graph import Node, Operand, Value
from symdiff.ir.types import FLOAT, INT, ArrayType, Dim, Type, may_be_one
from symdiff.ops import patterns
from symdiff.ops.batching import Lanes
from symdiff.ops.casts import result_dtype
from symdiff.ops.declare import (
    OnArrays,
    Operation,
    Spelling,
    array_type,
    dotted,
    literal,
    require_list,
    template,
)
from symdiff.ops.facts import is_length, number_of
from symdiff.ops.flops import nothing
from symdiff.ops.sizes import constant_integer, dim_of, result_type, sizes_of, spell_shape

FLOAT64 = np.dtype("float64")
INTEGER = np.dtype("int64")


def _infer_filled(
    *sizes: Type, shape: tuple[Dim, ...], dtype: np.dtype, like: bool = False
) -> tuple[Type, ...]:
    return result_type(dtype, shape)


def _spell_filled(function: str) -> Spelling:
    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        shape = spell_shape(node, operands)
        source = _prototype(node, shape)
        if source is not None:
            keyword = _dtype_keyword(node, source.dtype)
            return ast.Call(dotted(f"np.{function}_like"), [shape.value], keyword)  # type: ignore[attr-defined]
        return ast.Call(dotted(f"np.{function}"), [shape], _dtype_keyword(node, FLOAT64))

    return spell


def is_made_like(node: Node) -> bool:
    """Return whether the user made an array like another one, as which it lies in memory.

    Derivatives lie in C order, as what is made of a shape.
    """
    return node.attributes.get("like", False) and node.result.role == "primal"


def _prototype(node: Node, shape: ast.expr) -> ArrayType | None:
    """The type of the array that one is made like, if that is at hand."""
    if not is_made_like(node) or not isinstance(shape, ast.Attribute):
        return None
    sources = (v.node.operands[0] for v in node.operands if v.node and v.node.op.name == "size")
    source = array_type(next(sources))
    return source if source.kind == "array" else None


def _dtype_keyword(node: Node, default: np.dtype | None) -> list[ast.keyword]:
    dtype = node.attributes["dtype"]
    return [] if dtype == default else [ast.keyword("dtype", literal(dtype))]


def _has_lengths(node: Node) -> bool:
    """Return whether all operands that are sizes of a new array are known not to be negative."""
    first = 1 if node.op.name == "full" else 0
    return all(map(is_length, node.operands[first:]))


def _filled(function: Any, documentation: str) -> Operation:
    name = function.__name__

    def evaluate(*sizes: int, shape: tuple[Dim, ...], dtype: np.dtype, like: bool = False) -> Any:
        return function(sizes, dtype=dtype)

    return Operation(
        name,
        _infer_filled,
        evaluate,
        raises=True,
        harmless=_has_lengths,
        spelling=_spell_filled(name),
        nondifferentiable=True,
        order="packed",
        fresh=True,
        flops=nothing,
        documentation=documentation,
    )


zeros = _filled(np.zeros, "An array of zeros.")
ones = _filled(np.ones, "An array of ones.")
empty = _filled(np.empty, "An array whose elements are arbitrary until written.")


def zeros_of(x: Value) -> Value:
    """Zeros of a value's type: the cotangent of what nothing flows into."""
    type_ = x.type
    if not isinstance(type_, ArrayType):
        return list_zeros_like(x)
    if type_.kind != "array":
        return builder().constant(_zero(type_))
    return zeros(*sizes_of(x), shape=type_.shape, dtype=type_.dtype)


def zero_of(type_: ArrayType) -> Any:
    """The zero of a number's type."""
    zero = type_.dtype.type(0)
    return zero.item() if type_.weak else zero


def _zero(type_: ArrayType) -> Any:
    zero = type_.dtype.type(0)
    return zero.item() if type_.weak or type_.dtype == FLOAT64 else zero


# Ranges -------------------------------------------------------------------------------------------


range_length = Operation(
    "range_length",
    lambda start, stop, step: (INT,),
    lambda start, stop, step: len(range(start, stop, step)),
    raises=True,
    harmless=lambda node: bool(number_of(node.operands[2])),
    spelling=template("len(range({0}, {1}, {2}))"),
    nondifferentiable=True,
    cost="plain",
    documentation="How many turns ``for _ in range(start, stop, step)`` has.",
)
range_element = Operation(
    "range_element",
    lambda start, step, k: (INT,),
    lambda start, step, k: start + step * k,
    spelling=template("{0} + {2} * {1}"),
    nondifferentiable=True,
    cost="plain",
    documentation="The ``k``-th element of a range, ``start + k * step``.",
)


def range_length_of(start: Operand, stop: Operand, step: Operand = 1) -> Operand:
    """The length of a range: a number where it is known, ``stop`` where that is a length from 0."""
    known = [constant_integer(part) for part in (start, stop, step)]
    if all(part is not None for part in known):
        return len(range(*known))  # type: ignore[arg-type]
    length = isinstance(stop, Value) and stop.node is not None and stop.node.op.name == "size"
    if length and (known[0], known[2]) == (0, 1):
        return stop
    return range_length(start, stop, step)


def range_element_of(start: Operand, step: Operand, k: Value) -> Value:
    """``start + k * step``, folded to ``k`` or ``start + k`` where that is what it is."""
    if constant_integer(step) == 1:
        return k if constant_integer(start) == 0 else k + start
    return range_element(start, step, k)


int_minimum = Operation(
    "int_minimum",
    lambda a, b: (INT,),
    min,
    spelling=template("min({0}, {1})"),
    nondifferentiable=True,
    documentation="The lesser of two integers, Python's ``min``.",
)


# full ---------------------------------------------------------------------------------------------


def _infer_full(
    value: ArrayType, *sizes: ArrayType, shape: tuple[Dim, ...], dtype: np.dtype, **_: Any
) -> ArrayType:
    if value.rank > len(shape):
        raise UnsupportedCallError("full of more dimensions than the shape has", None, "index it")
    return ArrayType(dtype, shape)


def _spell_full(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    value = array_type(node.operands[0])
    keywords = _dtype_keyword(node, value.dtype)
    shape = spell_shape(node, operands, 1)
    source = _prototype(node, shape)
    if source is not None:
        keyword = _dtype_keyword(node, source.dtype)
        return ast.Call(dotted("np.full_like"), [shape.value, operands[0]], keyword)  # type: ignore[attr-defined]
    return ast.Call(dotted("np.full"), [shape, operands[0]], keywords)


def _batch_full(b: Lanes, op: Any, value: Value, *sizes: Value, shape: Any, **more: Any) -> Value:
    b.only(0)
    missing = len(shape) - b.types[0].rank
    if more.pop("like", False):
        more["like"] = False
    value = b.unit_axes(value, *range(1, missing + 1)) if missing else value
    return full(value, b.count, *sizes, shape=(b.dim, *shape), **more)


def _pattern_full(e: patterns.Elements, op: Any, *, shape: Any, **attributes: Any) -> np.ndarray:
    return np.broadcast_to(e.ids[0], tuple(int(n) for n in e.known(1)))


full = Operation.of_arrays(
    "full",
    _infer_full,
    lambda value, *sizes, shape, dtype, like=False: np.full(sizes, value, dtype=dtype),
    raises=True,
    harmless=_has_lengths,
    spelling=_spell_full,
    linear=frozenset({0}),
    vjp={0: lambda g, y, value, *sizes, **attributes: g},
    broadcasts=frozenset({0}),
    sympy=OnArrays(
        lambda sp, value, *sizes, **_: np.full([int(n) for n in sizes], value, dtype=object)
    ),
    order="packed",
    fresh=True,
    example="np.full(5, a)",
    flops=nothing,
    batch=_batch_full,
    pattern=_pattern_full,
    documentation="An array whose elements all have one value.",
)


# eye ----------------------------------------------------------------------------------------------


def _spell_eye(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    n, m = node.attributes["shape"]
    keywords = [ast.keyword("k", literal(node.attributes["k"]))] if node.attributes["k"] else []
    keywords += _dtype_keyword(node, FLOAT64)
    return ast.Call(dotted("np.eye"), list(operands[: 1 if n == m else 2]), keywords)


eye = Operation(
    "eye",
    lambda n, m, *, k, shape, dtype: result_type(dtype, shape),
    lambda n, m, *, k, shape, dtype: np.eye(n, m, k, dtype=dtype),
    raises=True,
    spelling=_spell_eye,
    nondifferentiable=True,
    order="packed",
    flops=nothing,
    documentation="Ones on the ``k``-th diagonal, zeros elsewhere.",
)


# arange, linspace ---------------------------------------------------------------------------------


def _infer_range(
    start: Type, stop: Type, step: Type, *, shape: tuple[Dim, ...], dtype: np.dtype, **more: Any
) -> tuple[Type, ...]:
    return result_type(dtype, shape)


def _range_dtype(types: Iterable[ArrayType]) -> np.dtype:
    """What ``arange`` gives: at least 64-bit integers; float32 becomes float64."""
    return np.result_type(INTEGER, *(type_.dtype for type_ in types))


def _line_dtype(types: Sequence[ArrayType]) -> np.dtype:
    """What ``linspace`` gives: NumPy's promotion with a Python float."""
    return result_dtype(*types, FLOAT)


def _spell_arange(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    types = [array_type(value) for value in node.operands]
    unit = types[2] == INT and constant_integer(node.operands[2]) == 1
    from_zero = types[0] == INT and constant_integer(node.operands[0]) == 0
    shown = operands[1:2] if unit and from_zero else operands[:2] if unit else operands
    keywords = _dtype_keyword(node, _range_dtype(types))
    return ast.Call(dotted("np.arange"), list(shown), keywords)


def _positions(y: Value) -> Value:
    """0, 1, 2, … in the type of the one-dimensional ``y``."""
    count = sizes_of(y)[0]
    shape = array_type(y).shape
    return arange(0, count, 1, shape=shape, dtype=array_type(y).dtype)


def _constant_filled(t: Value, y: Value) -> Value:
    type_ = array_type(y)
    return full(t, *sizes_of(y), shape=type_.shape, dtype=type_.dtype)


arange = Operation(
    "arange",
    _infer_range,
    lambda start, stop, step, *, shape, dtype: np.arange(start, stop, step, dtype=dtype),
    raises=True,
    spelling=_spell_arange,
    vjp={
        0: lambda g, y, start, stop, step, **_: g,
        2: lambda g, y, start, stop, step, **_: g * _positions(y),
    },
    broadcasts=frozenset({0, 2}),
    jvp={
        0: lambda t, y, start, stop, step, **_: _constant_filled(t, y),
        2: lambda t, y, start, stop, step, **_: t * _positions(y),
    },
    nondifferentiable=frozenset({1}),
    order="packed",
    example="np.arange(a, 5.0)",
    documentation="``start, start + step, …`` below ``stop``.",
)


def arange_of(count: Operand) -> Value:
    """The integers below a count."""
    shape = (dim_of(count),)
    return arange(0, count, 1, shape=shape, dtype=INTEGER)


def _evaluate_linspace(
    start: Any, stop: Any, num: int, *, shape: Any, dtype: np.dtype, endpoint: bool = True
) -> Any:
    return np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype)


def _spell_linspace(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    keywords = [] if node.attributes["endpoint"] else [ast.keyword("endpoint", literal(False))]
    natural = _line_dtype([array_type(value) for value in node.operands[:2]])
    keywords += _dtype_keyword(node, natural)
    return ast.Call(dotted("np.linspace"), list(operands), keywords)


def _weights(y: Value, endpoint: bool) -> Value:
    """How much of ``stop`` is in each element."""
    num = sizes_of(y)[0]
    attributes = {"shape": array_type(y).shape, "dtype": array_type(y).dtype, "endpoint": endpoint}
    return linspace(0.0, 1.0, num, **attributes)


linspace = Operation(
    "linspace",
    _infer_range,
    _evaluate_linspace,
    raises=True,
    spelling=_spell_linspace,
    vjp={
        0: lambda g, y, a, b, num, *, endpoint, **_: g * (1.0 - _weights(y, endpoint)),
        1: lambda g, y, a, b, num, *, endpoint, **_: g * _weights(y, endpoint),
    },
    broadcasts=frozenset({0, 1}),
    jvp={
        0: lambda t, y, a, b, num, *, endpoint, **_: t * (1.0 - _weights(y, endpoint)),
        1: lambda t, y, a, b, num, *, endpoint, **_: t * _weights(y, endpoint),
    },
    nondifferentiable=frozenset({2}),
    order="packed",
    example="np.linspace(a, b, 5)",
    documentation="``num`` evenly spaced numbers from ``start`` to ``stop``.",
)


def _zeros_like(items: list[Any]) -> list[Any]:
    return [_zero_like(item) for item in items]


def _zero_like(item: Any) -> Any:
    if isinstance(item, list):
        return _zeros_like(item)
    return np.zeros_like(item) if isinstance(item, np.ndarray) else type(item)(0)


def _spell_zeros(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    element = require_list(node.operands[0].type, "zeros").element
    if isinstance(element, ArrayType) and element.kind != "array":
        zero = element.dtype.type(0)
        shown = literal(zero if element.kind == "scalar" else zero.item())
        length = ast.Call(dotted("len"), list(operands), [])
        return ast.BinOp(ast.List([shown], ast.Load()), ast.Mult(), length)
    return template("[np.zeros_like(item) for item in {0}]")(node, operands)


def _pattern_zeros(e: patterns.Elements, op: Any) -> Any:
    return _nothing_like(e.ids[0])


def _nothing_like(ids: Any) -> Any:
    return [_nothing_like(i) for i in ids] if isinstance(ids, list) else np.zeros_like(ids)


list_zeros_like: Operation = Operation(
    "list_zeros_like",
    lambda items: (require_list(items, "zeros"),),
    _zeros_like,
    nondifferentiable=True,
    spelling=_spell_zeros,
    pattern=_pattern_zeros,
    documentation="A list of zeros shaped like the elements of another.",
)


def agreed_dim(dims: Iterable[Dim]) -> Dim:
    """What is known of a length that all of these are."""
    ordered = list(dims)
    constants = [dim for dim in ordered if isinstance(dim, int)]
    certain = [dim for dim in ordered if not may_be_one(dim)]
    return (constants or certain or ordered)[0]


def zero_tangent(x: Value) -> Value | float:
    """Zeros shaped like an operand; a number for a number."""
    return 0.0 if not array_type(x).shape else zeros_of(x)
