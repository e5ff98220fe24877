"""Positions as arrays: the indices of triangles and diagonals, open meshes, flat positions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.graph import Node, Operand, Value
from symdiff.ir.types import Dim, Size, Type
from symdiff.ops.arithmetic import floor_divide, remainder
from symdiff.ops.arrange import lower_meshgrid
from symdiff.ops.arrays import array_of, shape_operands
from symdiff.ops.creation import arange_of
from symdiff.ops.declare import (
    Operation,
    array_type,
    dotted,
    literal,
    lowers,
    static,
    static_integer,
)
from symdiff.ops.index import index_of
from symdiff.ops.order import lower_nonzero
from symdiff.ops.sizes import constant_integer, dim_of, result_type, sizes_of
from symdiff.ops.ufuncs import strong

INTEGER = np.dtype("int64")


# Triangles ----------------------------------------------------------------------------------------


def _infer_triangle(
    n: Type, m: Type, *, function: str, k: int, part: int, length: Dim
) -> tuple[Type, ...]:
    return result_type(INTEGER, (length,))


def _evaluate_triangle(n: int, m: int, *, function: str, k: int, part: int, length: Dim) -> Any:
    made = np.triu_indices(n, k, m) if function == "triu" else np.tril_indices(n, k, m)
    return made[part]


def _spell_triangle(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    n, m = operands
    keywords = [ast.keyword("k", literal(node.attributes["k"]))] if node.attributes["k"] else []
    if node.operands[0] is not node.operands[1]:
        keywords.append(ast.keyword("m", m))
    made = ast.Call(dotted(f"np.{node.attributes['function']}_indices"), [n], keywords)
    return ast.Subscript(made, literal(node.attributes["part"]), ast.Load())


triangle_indices = Operation(
    "triangle_indices",
    _infer_triangle,
    _evaluate_triangle,
    nondifferentiable=True,
    spelling=_spell_triangle,
    documentation="Row or column numbers of a triangle: ``np.triu_indices(n, k)[0]``.",
)


def _triangle_indices(function: str, n: Any, k: Any, m: Any) -> tuple[Value, Value]:
    rows = array_of(n)
    columns = rows if m is None else array_of(m)
    offset = static_integer(k)
    length = _triangle_length(function, rows, columns, offset)
    attributes = {"function": function, "k": offset, "length": length}
    first, second = (triangle_indices(rows, columns, part=part, **attributes) for part in (0, 1))
    return first, second


def _triangle_length(function: str, rows: Value, columns: Value, k: int) -> Dim:
    n, m = constant_integer(rows), constant_integer(columns)
    if n is None or m is None:
        return Size(f"{function}({dim_of(rows)},{dim_of(columns)},{k})", open=True)
    made = np.triu_indices(n, k, m) if function == "triu" else np.tril_indices(n, k, m)
    return len(made[0])


lowers(np.triu_indices)(lambda n, k=0, m=None: _triangle_indices("triu", n, k, m))
lowers(np.tril_indices)(lambda n, k=0, m=None: _triangle_indices("tril", n, k, m))


@lowers(np.triu_indices_from)
def lower_triu_indices_from(arr: Any, k: Any = 0) -> tuple[Value, Value]:
    n, m = sizes_of(array_of(arr))
    return _triangle_indices("triu", n, k, m)


@lowers(np.tril_indices_from)
def lower_tril_indices_from(arr: Any, k: Any = 0) -> tuple[Value, Value]:
    n, m = sizes_of(array_of(arr))
    return _triangle_indices("tril", n, k, m)


# Diagonals and meshes -----------------------------------------------------------------------------


lowers(np.diag_indices)(lambda n, ndim=2: (arange_of(shape_operands(n)[0]),) * static_integer(ndim))


@lowers(np.diag_indices_from)
def lower_diag_indices_from(arr: Any) -> tuple[Value, ...]:
    sizes = sizes_of(array_of(arr))
    return (arange_of(sizes[0]),) * len(sizes)


@lowers(np.ix_)
def lower_ix(*args: Any) -> tuple[Value, ...]:
    vectors = [array_of(a) for a in args]
    if any(array_type(v).rank != 1 for v in vectors):
        raise rejection(ValueError, "Cross index must be 1 dimensional")
    places = [lower_nonzero(v)[0] if array_type(v).dtype.kind == "b" else v for v in vectors]
    return lower_meshgrid(*places, sparse=True, indexing="ij", copy=False)


@lowers(np.unravel_index)
def lower_unravel_index(indices: Any, shape: Any, order: Any = "C") -> tuple[Value, ...]:
    if static(order) != "C":
        raise UnsupportedCallError("unravel_index in F order", None, "reverse the shape")
    rest: Any = strong(indices)
    found: list[Value] = []
    for length in reversed(shape_operands(shape)):
        found.append(remainder(rest, length))
        rest = floor_divide(rest, length)
    return tuple(reversed(found))


@lowers(np.ravel_multi_index)
def lower_ravel_multi_index(
    multi_index: Any, dims: Any, mode: Any = "raise", order: Any = "C"
) -> Operand:
    if static(mode) != "raise" or static(order) != "C":
        raise UnsupportedCallError("ravel_multi_index in this form", None, "compute i * m + j")
    if isinstance(multi_index, Value):
        count = static(sizes_of(multi_index)[0])
        multi_index = [index_of(multi_index, k) for k in range(count)]
    flat: Any = 0
    for place, length in zip(multi_index, shape_operands(dims), strict=True):
        flat = array_of(place) if isinstance(flat, int) else flat * length + place
    return flat  # type: ignore[no-any-return]
