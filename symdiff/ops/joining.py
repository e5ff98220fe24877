"""Ops that join arrays and repeat, shift, pad and pick their elements: ``concatenate``, ``roll`` ….

What NumPy has beyond these ops is lowered to them in ``ops.arrange``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Dim, Size
from symdiff.ops import patterns
from symdiff.ops.batching import Lanes, NoBatchRule, along_axis, pointwise
from symdiff.ops.casts import python_int
from symdiff.ops.creation import agreed_dim, arange_of, zeros, zeros_of
from symdiff.ops.declare import EVALUATED, Operation, array_type, call_along, dotted, literal
from symdiff.ops.flops import nothing
from symdiff.ops.index import index_add_of, index_set_of
from symdiff.ops.reduce import reshape_like
from symdiff.ops.selected import sum_of
from symdiff.ops.shape import copy, moving, reshape
from symdiff.ops.sizes import constant_integer, dims_of, sizes_of, sum_dim

# concatenate, stack -------------------------------------------------------------------------------


def _agreed(arrays: Sequence[ArrayType], name: str) -> list[Dim]:
    """The sizes of arrays that are joined, which are of one rank, where they agree."""
    if not arrays:
        raise rejection(ValueError, f"need at least one array to {name}")
    other = next((k for k, type_ in enumerate(arrays) if type_.rank != arrays[0].rank), None)
    if other is not None:
        raise rejection(
            ValueError,
            "all the input arrays must have same number of dimensions, but the array at index 0"
            f" has {arrays[0].rank} dimension(s) and the array at index {other} has"
            f" {arrays[other].rank} dimension(s)",
        )
    return [agreed_dim(column) for column in zip(*(t.shape for t in arrays), strict=True)]


def _dtype_of_all(arrays: Sequence[ArrayType]) -> np.dtype:
    dtypes = dict.fromkeys(type_.dtype for type_ in arrays)
    return np.result_type(*dtypes).newbyteorder("=")


def _infer_concatenate(*xs: ArrayType, axis: int) -> ArrayType:
    dims = _agreed(xs, "concatenate")
    if not dims:
        raise rejection(ValueError, "zero-dimensional arrays cannot be concatenated")
    dims[axis] = sum_dim(type_.shape[axis] for type_ in xs)
    return ArrayType(_dtype_of_all(xs), tuple(dims))


def _spell_joined(function: str) -> Callable[[Node, Sequence[ast.expr]], ast.expr]:
    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        axis = node.attributes["axis"]
        keywords = [ast.keyword("axis", literal(axis))] if axis else []
        return ast.Call(dotted(function), [ast.Tuple(list(operands), ast.Load())], keywords)

    return spell


def _concatenate_vjp(position: int, g: Value, y: Value, *xs: Value, axis: int) -> Value:
    lengths = [sizes_of(x)[axis] for x in xs]
    start, end = _total(lengths[:position]), _total(lengths[: position + 1])
    part = slice(start or None, None if position == len(xs) - 1 else end)
    return g[(slice(None),) * axis + (part,)]


def _total(lengths: Sequence[Value | int]) -> Value | int:
    """The sum of lengths, numbers added first."""
    total: Value | int = sum(n for n in lengths if isinstance(n, int))
    for length in lengths:
        if isinstance(length, Value):
            total = length if isinstance(total, int) and total == 0 else length + total
    return total


concatenate = Operation.of_arrays(
    "concatenate",
    _infer_concatenate,
    lambda *xs, axis: np.concatenate(xs, axis),
    raises=True,
    spelling=_spell_joined("np.concatenate"),
    vjp=_concatenate_vjp,
    linear=True,
    broadcasts=True,
    sympy=EVALUATED,
    order="packed as operands",
    example="np.concatenate([x, t])",
    flops=nothing,
    batch=along_axis,
    pattern=patterns.joined,
    documentation="Arrays joined along an axis.",
)


def _infer_stack(*xs: ArrayType, axis: int) -> ArrayType:
    dims = _agreed(xs, "stack")
    return ArrayType(_dtype_of_all(xs), (*dims[:axis], len(xs), *dims[axis:]))


stack = Operation.of_arrays(
    "stack",
    _infer_stack,
    lambda *xs, axis: np.stack(xs, axis),
    raises=True,
    spelling=_spell_joined("np.stack"),
    vjp=lambda position, g, y, *xs, axis: g[(slice(None),) * axis + (position,)],
    linear=True,
    broadcasts=True,
    sympy=EVALUATED,
    order="packed as operands",
    example="np.stack([x, w])",
    flops=nothing,
    batch=along_axis,
    pattern=patterns.joined,
    documentation="Arrays of one shape joined along a new axis.",
)


# roll, repeat, tile, pad --------------------------------------------------------------------------


def _one_or_all(items: Sequence[Any]) -> Any:
    return items[0] if len(items) == 1 else tuple(items)


def _spell_roll(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    axis = node.attributes["axis"]
    shifts = _one_or_all(operands[1:])
    if isinstance(shifts, tuple):
        shifts = ast.Tuple(list(shifts), ast.Load())
    keywords = [] if axis is None else [ast.keyword("axis", literal(_one_or_all(axis)))]
    return ast.Call(dotted("np.roll"), [operands[0], shifts], keywords)


def _evaluate_roll(x: Any, *shifts: int, axis: tuple[int, ...] | None) -> Any:
    return np.roll(x, _one_or_all(shifts), axis if axis is None else _one_or_all(axis))


def negated(count: Value) -> Value | int:
    """Minus a number, known where it is; of NumPy's integers, which wrap, as Python's."""
    number = constant_integer(count)
    if number is not None:
        return -number
    return -count if array_type(count).weak else -python_int(count)


def _batch_roll(b: Lanes, op: Any, x: Value, *shifts: Value, axis: Any) -> Value:
    b.only(0)
    if axis is None:
        raise NoBatchRule
    return roll(x, *shifts, axis=tuple(k + 1 for k in axis))


roll: Operation = moving(
    "roll",
    lambda x, *shifts, axis: ArrayType(x.dtype, x.shape),
    _evaluate_roll,
    lambda g, y, x, *shifts, axis: roll(g, *map(negated, shifts), axis=axis),
    spelling=_spell_roll,
    order="packed as operands",
    example="np.roll(x, 1)",
    batch=_batch_roll,
    documentation="Elements shifted along axes; what leaves at one end enters at the other.",
)


def _repeat_vjp(g: Value, y: Value, x: Value, repeats: Value, *, axis: int, shape: Any) -> Value:
    sizes = sizes_of(x)
    if not array_type(repeats).shape:
        split = (*sizes[: axis + 1], repeats, *sizes[axis + 1 :])
        parts = reshape(g, *split, shape=dims_of(split))
        return sum_of(parts, axis=(axis + 1,), keepdims=False)
    places = repeat(arange_of(sizes[axis]), repeats, axis=0, shape=(shape[axis],))
    return index_add_of(zeros_of(x), g, (slice(None),) * axis + (places,))


def _batch_repeat(b: Lanes, op: Any, x: Value, repeats: Value, *, axis: int, shape: Any) -> Value:
    b.only(0)
    return repeat(x, repeats, axis=axis + 1, shape=(b.dim, *shape))


repeat = moving(
    "repeat",
    lambda x, repeats, *, axis, shape: ArrayType(x.dtype, shape),
    lambda x, repeats, *, axis, shape: np.repeat(x, repeats, axis),
    _repeat_vjp,
    raises=True,
    spelling=call_along("np.repeat"),
    nondifferentiable=frozenset({1}),
    order="packed",
    example="np.repeat(x, 2, axis=0)",
    batch=_batch_repeat,
    documentation="Each element along an axis as often as told.",
)


def _spell_tile(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    reps = operands[1] if len(operands) == 2 else ast.Tuple(list(operands[1:]), ast.Load())
    return ast.Call(dotted("np.tile"), [operands[0], reps], [])


def _tile_vjp(g: Value, y: Value, x: Value, *reps: Value, shape: Any) -> Value:
    rank = len(shape)
    lengths = (1,) * (rank - array_type(x).rank) + sizes_of(x)
    counts = (1,) * (rank - len(reps)) + reps
    split = [part for pair in zip(counts, lengths, strict=True) for part in pair]
    parts = reshape(g, *split, shape=dims_of(split))
    axes = tuple(range(0, 2 * rank, 2))
    return reshape_like(sum_of(parts, axis=axes, keepdims=False), x)


def _batch_tile(b: Lanes, op: Any, x: Value, *reps: Value, shape: Any) -> Value:
    b.only(0)
    rank = b.types[0].rank
    missing = len(reps) - rank
    x = b.unit_axes(x, *range(1, missing + 1)) if missing > 0 else x
    return tile(x, *[1] * (1 - min(missing, 0)), *reps, shape=(b.dim, *shape))


tile = moving(
    "tile",
    lambda x, *reps, shape: ArrayType(x.dtype, shape),
    lambda x, *reps, shape: np.tile(x, reps),
    _tile_vjp,
    raises=True,
    spelling=_spell_tile,
    order="packed",
    example="np.tile(x, 2)",
    batch=_batch_tile,
    documentation="The whole array as often as told along each axis.",
)

Widths = tuple[tuple[int, int], ...]


def _infer_pad(x: ArrayType, *, widths: Widths, mode: str) -> ArrayType:
    pairs = zip(x.shape, widths, strict=True)
    return ArrayType(x.dtype, tuple(sum_dim((dim, *width)) for dim, width in pairs))


def _spell_pad(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    widths, mode = node.attributes["widths"], node.attributes["mode"]
    flat = set(widths) or {(0, 0)}  # an array without axes is padded nowhere
    pair = flat.pop() if len(flat) == 1 else widths
    shown = pair[0] if len(pair) == 2 and pair[0] == pair[1] else pair
    keywords = [] if mode == "constant" else [ast.keyword("mode", literal(mode))]
    return ast.Call(dotted("np.pad"), [operands[0], literal(shown)], keywords)


def _pad_vjp(g: Value, y: Value, x: Value, *, widths: Widths, mode: str) -> Value:
    if mode == "constant":
        return g[tuple(slice(before or None, -after or None) for before, after in widths)]
    rank, places = len(widths), []
    for axis, pair in enumerate(widths):
        line = pad(arange_of(sizes_of(x)[axis]), widths=(pair,), mode=mode)
        others = tuple(None if k != axis else slice(None) for k in range(rank))
        places.append(line[others] if rank > 1 else line)
    return index_add_of(zeros_of(x), g, tuple(places))


def _batch_pad(b: Lanes, op: Any, x: Value, *, widths: Widths, mode: str) -> Value:
    return pad(x, widths=((0, 0), *widths), mode=mode)


pad = moving(
    "pad",
    _infer_pad,
    lambda x, *, widths, mode: np.pad(x, widths or 0, mode),
    _pad_vjp,
    raises=True,
    spelling=_spell_pad,
    order="as operand",
    example="np.pad(x, 1)",
    batch=_batch_pad,
    documentation="Zeros around an array, or its own elements as NumPy's modes pick them.",
)


# Diagonals ----------------------------------------------------------------------------------------


def _diagonal_dim(rows: Dim, columns: Dim, offset: int) -> Dim:
    if isinstance(rows, int) and isinstance(columns, int):
        return max(0, min(rows - max(-offset, 0), columns - max(offset, 0)))
    if rows == columns:
        return sum_dim((rows, -abs(offset)))
    return Size(f"diagonal({rows},{columns},{offset})", open=True)


def _infer_diagonal(x: ArrayType, *, offset: int, writable: bool = False) -> ArrayType:
    """``writable``: as ``einsum`` gives it, of square matrices alone."""
    *others, rows, columns = x.shape
    if writable and isinstance(rows, int) and isinstance(columns, int) and rows != columns:
        raise rejection(
            ValueError,
            "dimensions in single operand for collapsing index 'i' don't match"
            f" ({rows} != {columns})",
        )
    return ArrayType(x.dtype, (*others, _diagonal_dim(rows, columns, offset)))


def _evaluate_diagonal(x: Any, *, offset: int, writable: bool = False) -> Any:
    return np.einsum("...ii->...i", x) if writable else np.diagonal(x, offset, -2, -1)


def _is_square(node: Node) -> bool:
    rows, columns = array_type(node.operands[0]).shape[-2:]
    return rows == columns


def _spell_diagonal(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    if node.attributes.get("writable"):
        dots = "..." if array_type(node.operands[0]).rank > 2 else ""
        return ast.Call(dotted("np.einsum"), [literal(f"{dots}ii->{dots}i"), *operands], [])
    keywords = _offset_keyword(node, "offset")
    if array_type(node.operands[0]).rank > 2:
        keywords += [ast.keyword("axis1", literal(-2)), ast.keyword("axis2", literal(-1))]
    return ast.Call(dotted("np.diagonal"), list(operands), keywords)


def _offset_keyword(node: Node, name: str) -> list[ast.keyword]:
    offset = node.attributes["offset"]
    return [ast.keyword(name, literal(offset))] if offset else []


def _diagonal_entries(y: Value, offset: int) -> tuple[Any, ...]:
    """The key with which a matrix's diagonal ``y`` is written."""
    places = arange_of(sizes_of(y)[-1])
    rows = places if offset >= 0 else places + (-offset)
    columns = places if offset <= 0 else places + offset
    return (Ellipsis, rows, columns) if array_type(y).rank > 1 else (rows, columns)


def _diagonal_vjp(g: Value, y: Value, x: Value, *, offset: int, **_: Any) -> Value:
    rows, columns = array_type(x).shape[-2:]
    if array_type(x).rank == 2 and rows == columns:
        return diag(g, offset=offset)
    return index_set_of(zeros_of(x), g, _diagonal_entries(y, offset))


diagonal = moving(
    "diagonal",
    _infer_diagonal,
    _evaluate_diagonal,
    _diagonal_vjp,
    view=0,
    raises=True,
    harmless=lambda node: not node.attributes.get("writable") or _is_square(node),
    read_only=lambda node: not node.attributes.get("writable"),
    cost="free",
    spelling=_spell_diagonal,
    example="np.diagonal(A)",
    batch=pointwise,
    documentation="The diagonal of the last two axes, as the last axis: a view.",
)


def _put_diagonal(node: Node, base: Value, new: Value) -> Value:
    return index_set_of(base, new, _diagonal_entries(new, node.attributes["offset"]))


diagonal.put = _put_diagonal


def _batch_diag(b: Lanes, op: Any, x: Value, *, offset: int) -> Value:
    dim, size = sum_dim((b.types[0].shape[0], abs(offset))), sizes_of(x)[1] + abs(offset)
    shape = (b.dim, dim, dim)
    matrices = zeros(b.count, size, size, shape=shape, dtype=b.types[0].dtype)
    return index_set_of(matrices, x, _diagonal_entries(x, offset))


diag = moving(
    "diag",
    lambda x, *, offset: ArrayType(x.dtype, (sum_dim((x.shape[0], abs(offset))),) * 2),
    lambda x, *, offset: np.diag(x, offset),
    lambda g, y, x, *, offset: copy(diagonal(g, offset=offset)),
    spelling=lambda node, operands: ast.Call(
        dotted("np.diag"), list(operands), _offset_keyword(node, "k")
    ),
    order="packed",
    example="np.diag(x)",
    batch=_batch_diag,
    documentation="The matrix with a vector on its diagonal.",
)


def _triangle(function: Any, documentation: str) -> Operation:
    name = function.__name__
    operation: Operation = moving(
        name,
        lambda x, *, k: ArrayType(x.dtype.newbyteorder("="), x.shape),
        function,
        lambda g, y, x, *, k: operation(g, k=k),
        order="packed as operands",
        example=f"np.{name}(A)",
        batch=pointwise,
        documentation=documentation,
    )
    return operation


tril = _triangle(np.tril, "The elements on and below the ``k``-th diagonal, zeros above.")
triu = _triangle(np.triu, "The elements on and above the ``k``-th diagonal, zeros below.")
