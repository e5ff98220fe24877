"""Sizes: the length of an axis as a value, and what is known of a value used as a length.

Shapes enter creation ops as operands, one integer value a dimension, beside the attribute ``shape``
that holds the dimensions of the result's type. ``dim_of`` leads from such a value to its dimension;
symbols of computed sizes name what they are computed from, so equal computations have equal sizes.
A ``Size`` with a negative offset stands for a length, which is 0 where the sum would be negative.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from symdiff.ir.build import constant_value
from symdiff.ir.graph import Node, Operand, Value
from symdiff.ir.types import (
    INT,
    LEAST_SYMBOLIC,
    ArrayType,
    Dim,
    Multiple,
    Size,
    Type,
    least,
    lengthened,
    may_be_one,
)
from symdiff.ops.declare import EVALUATED, Operation, array_type, template
from symdiff.ops.flops import nothing
from symdiff.ops.integer_sums import of_arguments

_DEEPEST = 8  # operations that are looked through for a bound

size = Operation.of_arrays(
    "size",
    lambda x, *, axis: INT,
    lambda x, *, axis: int(np.shape(x)[axis]),
    cost="free",
    spelling=template("{0}.shape[{axis}]"),
    nondifferentiable=True,
    sympy=EVALUATED,
    flops=nothing,
    batch=lambda b, op, x, *, axis: op(x, axis=axis + 1),
    uniform=True,
    documentation="The length of an axis, ``x.shape[axis]``, a Python int.",
)


def sizes_of(x: Value) -> tuple[Value | int, ...]:
    """The lengths of all axes: numbers where they are constants, else ``size`` nodes."""
    dims = enumerate(array_type(x).shape)
    return tuple(dim if isinstance(dim, int) else size(x, axis=k) for k, dim in dims)


def dim_of(value: Operand) -> Dim:
    """What is known of a length: a constant, a size plus an offset, or an open size of its own."""
    offset = 0
    while True:  # additions of constants are peeled off from outside in
        number = constant_integer(value)
        if number is not None:
            return number + offset
        assert isinstance(value, Value)
        step = _peeled(value)
        if step is None:
            break
        value, difference = step
        offset += difference
    return lengthened(_base_dim(value), offset)


def constant_integer(value: Operand) -> int | None:
    """The integer that a value is known to be, or None."""
    if not isinstance(value, Value):
        return int(value.real) if isinstance(value, int | float | complex) else None
    number = constant_value(value)
    return int(number) if isinstance(number, int | np.integer) else None


def lower_bound(value: Operand, depth: int = _DEEPEST) -> int | None:
    """What an integer, or a float that one is rounded from, is at least; None where no sum, product
    or logarithm of lengths and constants tells.
    """
    number = constant_integer(value)
    if number is not None or not isinstance(value, Value) or value.node is None or depth == 0:
        return number
    node = value.node
    if node.op is size:
        return least(array_type(node.operands[0]).shape[int(node.attributes["axis"])])
    name = node.op.name
    if name in _LENGTHS:
        return 0
    bounds = [lower_bound(operand, depth - 1) for operand in node.operands]
    if name in ("subtract", "floor_divide"):
        return _bound_beside(name, bounds[0], constant_integer(node.operands[1]))
    known = [bound for bound in bounds if bound is not None]
    if not known or len(known) < len(bounds):
        return None
    return _bound_of(name, known)


def _bound_beside(name: str, bound: int | None, number: int | None) -> int | None:
    """What is left at least of a bound less a number, or divided by one."""
    if bound is None or number is None:
        return None
    if name == "subtract":
        return bound - number
    return bound // number if number > 0 else None


def _bound_of(name: str, bounds: list[int]) -> int | None:
    """What an op gives at least of operands that are at least so much."""
    if name in _ROUNDED:
        return bounds[0]
    if name == "bit_length":
        return 0
    if name in _LOGARITHMS:
        return 0 if bounds[0] >= (0 if name in _RAISING else 1) else None
    if name == "add":
        return sum(bounds)
    return math.prod(bounds) if name == "multiply" and min(bounds) >= 0 else None


_LENGTHS = frozenset({"range_length", "list_length", "tape_length"})
_ROUNDED = frozenset({"python_int", "ceil", "floor", "rint", "trunc", "math_ceil", "math_floor"})
_ROUNDED |= {"python_float", "as_scalar"}
_RAISING = frozenset({"math_log2", "math_log", "math_log10"})  # of 0
_LOGARITHMS = frozenset({"log2", "log", "log10"}) | _RAISING


def without_offset(value: Value) -> Value:
    """``v`` where a value is computed as ``v + c`` with constants ``c``."""
    while (step := _peeled(value)) is not None:
        value, _ = step
    return value


def _peeled(value: Value) -> tuple[Value, int] | None:
    """``(v, c)`` where a value is computed as ``v + c`` with a constant ``c``."""
    if value.node is None or value.node.op.name not in ("add", "subtract"):
        return None
    a, b = value.node.operands
    left, right = constant_integer(a), constant_integer(b)
    if right is not None:
        return a, right if value.node.op.name == "add" else -right
    if left is not None and value.node.op.name == "add":
        return b, left
    return None


def _base_dim(value: Value) -> Dim:
    node = value.node
    if node is None:
        return Size(f"%{value.number}", open=True)
    if node.op is size:
        return array_type(node.operands[0]).shape[int(node.attributes["axis"])]
    if node.op.name == "multiply":
        return product_dim(_factor(operand) for operand in node.operands)
    if node.op.name in _COMPUTED:
        a, b = (_factor(operand) for operand in node.operands)
        known = _of_one_size(node.op.name, a, b)
        symbol = f"({a}{_COMPUTED[node.op.name]}{b})"
        return known if known is not None else Size(symbol, open=True, sum=of_arguments(value))
    return Size(f"%{value.number}", open=True)


_COMPUTED = {"floor_divide": "//", "add": "+", "subtract": "-"}


def _of_one_size(op: str, a: Dim, b: Dim) -> Dim | None:
    """What an op gives of multiples of one size, and numbers; None where that is no multiple."""
    one, other = _multiple(a), _multiple(b)
    if one is None:
        return None
    if op == "floor_divide":
        return _divided(one, b, other)
    if other is None or one.symbol != other.symbol:
        return None
    sign = 1 if op == "add" else -1
    factor, offset = one.factor + sign * other.factor, one.offset + sign * other.offset
    if factor == 0:
        return offset
    return Multiple(factor, one.symbol, offset).size if factor > 0 else None


def _divided(one: Multiple, divisor: Dim, other: Multiple | None) -> Dim | None:
    """A multiple of a size, divided by a number or by another multiple without a rest."""
    if isinstance(divisor, int):
        if divisor < 1 or one.factor % divisor or one.offset % divisor:
            return None
        return Multiple(one.factor // divisor, one.symbol, one.offset // divisor).size
    if other is None or one.symbol != other.symbol or one.offset or other.offset:
        return None
    return None if one.factor % other.factor else one.factor // other.factor


def _multiple(dim: Dim) -> Multiple | None:
    """A length as a multiple of an argument's; None where it is open, or 0 for being too short."""
    if isinstance(dim, int) or dim.open:
        return None
    known = Multiple.of(dim)
    return known if known.least >= 0 else None


def _factor(value: Value) -> Dim:
    """What is known of a value without looking far, so that symbols stay short."""
    number = constant_integer(value)
    if number is not None:
        return number
    if value.node is not None and value.node.op is size:
        return _base_dim(value)
    known = _base_dim(value) if _is_scaled_length(value) else None
    if known is not None and (isinstance(known, int) or not known.open):
        return known
    return Size(_multiple_of_value(value) or f"%{value.number}", open=True)


def _multiple_of_value(value: Value) -> str | None:
    """The symbol of a number times a value: ``2 * h`` is the same wherever it is written."""
    if value.node is None or value.node.op.name != "multiply":
        return None
    a, b = value.node.operands
    for number, other in ((constant_integer(a), b), (constant_integer(b), a)):
        if number is not None and array_type(other).kind == "python":
            return f"({number}*%{other.number})"
    return None


def _is_scaled_length(value: Value) -> bool:
    """Return whether a value is a length times a number, or divided by one."""
    if value.node is None or value.node.op.name not in ("multiply", "floor_divide"):
        return False
    a, b = value.node.operands
    if constant_integer(b) is None and value.node.op.name == "multiply":
        a, b = b, a
    return constant_integer(b) is not None and a.node is not None and a.node.op is size


def product_dim(dims: Iterable[Dim]) -> Dim:
    """The number of elements of an array with these dimensions."""
    number, sizes = _factors(dims)
    if not sizes or number == 0:
        return number
    if number == 1 and len(sizes) == 1:
        return sizes[0]
    shown = [str(number)] * (number != 1) + sorted(map(str, sizes))
    smallest = abs(number) * math.prod(map(least, sizes))
    return Size(f"({'*'.join(shown)})", open=smallest < LEAST_SYMBOLIC)


def _factors(dims: Iterable[Dim]) -> tuple[int, list[Size]]:
    number, sizes = 1, []
    for dim in dims:
        if isinstance(dim, int):
            number *= dim
            continue
        known = Multiple.of(dim)
        scaled = known.factor > 1 and not known.offset
        number *= known.factor if scaled else 1
        sizes.append(Size(known.symbol) if scaled else dim)
    return number, sizes


def quotient_dim(total: Iterable[Dim], known: Iterable[Dim]) -> Dim:
    """The dimension that -1 stands for where ``total`` elements are reshaped beside ``known``."""
    number, sizes = _factors(total)
    divisor, others = _factors(known)
    for dim in list(others):
        if dim in sizes:
            sizes.remove(dim)
            others.remove(dim)
    if not others and divisor and number % divisor == 0:
        return product_dim([number // divisor, *sizes])
    return Size(f"({product_dim([number, *sizes])}/{product_dim([divisor, *others])})", open=True)


def sum_dim(dims: Iterable[Dim]) -> Dim:
    """The length of a concatenation."""
    ordered = list(dims)
    number = sum(dim for dim in ordered if isinstance(dim, int))
    sizes = _added(dim for dim in ordered if isinstance(dim, Size))
    if not sizes:
        return number
    if len(sizes) == 1:
        return lengthened(sizes[0], number)
    one = any(map(may_be_one, sizes))
    return Size(f"({'+'.join(sorted(map(str, sizes)))})", number, open=one)


def _added(sizes: Iterable[Size]) -> list[Size]:
    """Sizes to add, those that are multiples of one as their sum."""
    apart: list[Size] = []
    of: dict[str, list[Multiple]] = {}
    for dim in sizes:
        known = _multiple(dim)
        if known is None:
            apart.append(dim)
        else:
            of.setdefault(known.symbol, []).append(known)
    for symbol, parts in of.items():
        factor, offset = (sum(p.factor for p in parts), sum(p.offset for p in parts))
        apart.append(Multiple(factor, symbol, offset).size)
    return apart


def product(sizes: Iterable[Value | int]) -> Value | int:
    """The number of elements of an array with these sizes."""
    count: Value | int = 1
    for length in sorted(sizes, key=lambda length: isinstance(length, Value)):
        count = length if isinstance(count, int) and count == 1 else count * length
    return count


def dims_of(sizes: Iterable[Operand]) -> tuple[Dim, ...]:
    return tuple(dim_of(value) for value in sizes)


def spell_shape(node: Node, operands: Sequence[ast.expr], first: int = 0) -> ast.expr:
    """The shape that a node's operands from ``first`` on spell: ``n``, ``(n, 3)``, ``x.shape``."""
    whole = _whole_shape(node.operands[first:], operands[first:])
    if whole is not None:
        return whole
    if len(operands) == first + 1:
        return operands[first]
    return ast.Tuple(list(operands[first:]), ast.Load())


def _whole_shape(values: Sequence[Value], operands: Sequence[ast.expr]) -> ast.expr | None:
    """``x.shape`` where the sizes are those of every axis of one ``x``."""
    found: ast.expr | None = None
    source: Value | None = None
    for axis, (value, expression) in enumerate(zip(values, operands, strict=True)):
        if value.node is None or value.node.op is not size:
            continue
        if not isinstance(expression, ast.Subscript) or value.node.attributes["axis"] != axis:
            return None
        if source is not None and value.node.operands[0] is not source:
            return None
        source, found = value.node.operands[0], expression.value
    if source is None or array_type(source).rank != len(values):
        return None
    return found if array_type(source).shape == dims_of(values) else None


def result_type(dtype: Any, shape: tuple[Dim, ...]) -> tuple[Type, ...]:
    """The type of an op that gives an array whatever its rank."""
    return (ArrayType(np.dtype(dtype), shape, "array"),)
