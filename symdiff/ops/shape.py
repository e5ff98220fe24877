"""Ops that rearrange elements: ``reshape``, ``transpose``, ``broadcast_to``, ``concatenate`` ….

``VIEW_PUTS`` holds, for ops whose result may share its operand's memory, how a write to the view
updates the base: ``put(node, base, new)`` is the base with the view's elements replaced by ``new``.
What NumPy has beyond these ops is lowered to them in ``ops.arrange``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Dim, Size, Type
from symdiff.ops.creation import agreed_dim, one_hot, zeros_of
from symdiff.ops.declare import (
    EVALUATED,
    Operation,
    array_type,
    declare,
    dotted,
    literal,
    require_array,
)
from symdiff.ops.elementary import python_int
from symdiff.ops.sizes import result_type, sizes_of, spell_shape, sum_dim

Put = Callable[[Node, Value, Value], Value]
VIEW_PUTS: dict[str, Put] = {}


def _unbroadcast(g: Value, x: Value) -> Value:
    from symdiff.ops.reduce import unbroadcast_to  # reductions are written with these ops

    return unbroadcast_to(g, x)


# reshape ------------------------------------------------------------------------------------------


def _infer_reshape(x: Type, *sizes: Type, shape: tuple[Dim, ...]) -> tuple[Type, ...]:
    type_ = require_array(x, "reshape")
    if type_.kind == "scalar" and not shape:
        return (type_,)
    return result_type(type_.dtype, shape)


def _spell_reshape(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    derived = bool(node.results) and node.results[0].role != "primal"
    key = _axes_put_in(node) or _axes_left_out(node) if derived else None
    if key is not None:
        return ast.Subscript(operands[0], ast.Tuple(key, ast.Load()), ast.Load())
    shape = spell_shape(node, operands, 1)
    sizes = shape.elts if isinstance(shape, ast.Tuple) and shape.elts else [shape]
    if array_type(node.operands[0]).kind != "array":  # it may be a Python number at run time
        return ast.Call(dotted("np.reshape"), [operands[0], shape], [])
    return ast.Call(ast.Attribute(operands[0], "reshape", ast.Load()), sizes, [])


def _axes_put_in(node: Node) -> list[ast.expr] | None:
    """The key ``:, np.newaxis`` where a reshape only adds axes of length 1; else None."""
    old, new = array_type(node.operands[0]).shape, node.attributes["shape"]
    if not old or 1 in old or 1 not in new or not _are_same(old, new):
        return None
    return [dotted("np.newaxis") if dim == 1 else ast.Slice() for dim in new]


def _axes_left_out(node: Node) -> list[ast.expr] | None:
    """The key ``:, 0`` where a reshape only drops axes of length 1; else None."""
    old, new = array_type(node.operands[0]).shape, node.attributes["shape"]
    if not new or 1 in new or 1 not in old or not _are_same(new, old):
        return None
    return [literal(0) if dim == 1 else ast.Slice() for dim in old]


def _are_same(few: Sequence[Dim], many: Sequence[Dim]) -> bool:
    """Whether sizes are the others but for ones; a single one is, having all of the elements."""
    others = [dim for dim in many if dim != 1]
    return others == list(few) or len(others) == len(few) == 1


def reshape_like(g: Value, x: Value) -> Value:
    """``g`` in the shape of ``x``, of which it has the elements."""
    if array_type(x).kind != "array":
        return _unbroadcast(g, x)
    return reshape(g, *sizes_of(x), shape=array_type(x).shape)


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
        sympy=EVALUATED,
        example="np.reshape(X, -1)",
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
    of_array = array_type(node.operands[0]).kind == "array"
    if of_array and axes == tuple(reversed(range(len(axes)))):
        return ast.Attribute(operands[0], "T", ast.Load())
    return ast.Call(dotted("np.transpose"), [operands[0], literal(axes)], [])


def inverse_permutation(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


def transposed_back(new: Value, axes: tuple[int, ...]) -> Value:
    """The transpose that undoes ``transpose(x, axes=axes)``."""
    return transpose(new, axes=inverse_permutation(axes))


transpose: Operation = declare(
    Operation(
        "transpose",
        _infer_transpose,
        lambda x, *, axes: np.transpose(x, axes),
        cost="free",
        view=0,
        spelling=_spell_transpose,
        linear=frozenset({0}),
        vjp={0: lambda g, y, x, *, axes: transposed_back(g, axes)},
        sympy=EVALUATED,
        example="np.transpose(X)",
        documentation="The axes in another order; ``axes`` names all of them.",
    ),
    1,
)
VIEW_PUTS["transpose"] = lambda node, base, new: transposed_back(new, node.attributes["axes"])


# broadcast_to, copy -------------------------------------------------------------------------------


def _infer_broadcast_to(x: Type, *sizes: Type, shape: tuple[Dim, ...]) -> tuple[Type, ...]:
    return result_type(require_array(x, "broadcast_to").dtype, shape)


def _spell_broadcast_to(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    return ast.Call(dotted("np.broadcast_to"), [operands[0], spell_shape(node, operands, 1)], [])


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
        sympy=EVALUATED,
        example="np.broadcast_to(x, (3, size(x, axis=0)))",
        documentation="A read-only view in which the operand is repeated along new and unit axes.",
    ),
    1,
)


def _infer_copy(x: Type, *, order: str = "C") -> tuple[Type, ...]:
    type_ = require_array(x, "copy")
    return (type_ if type_.kind == "array" else ArrayType(type_.dtype, (), "array"),)


def _spell_copy(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    if array_type(node.operands[0]).kind != "array" or node.attributes.get("order") == "K":
        return ast.Call(dotted("np.array"), list(operands), [])
    return ast.Call(ast.Attribute(operands[0], "copy", ast.Load()), [], [])


copy = declare(
    Operation(
        "copy",
        _infer_copy,
        lambda x, *, order="C": np.array(x, order=order),
        spelling=_spell_copy,
        linear=frozenset({0}),
        vjp={0: lambda g, y, x, **_: g if array_type(x).kind == "array" else _unbroadcast(g, x)},
        sympy=EVALUATED,
        order="packed",
        fresh=True,
        example="np.copy(x)",
        documentation="A fresh array with the operand's elements, in C order or in its (``K``).",
    ),
    1,
)


def _infer_contiguous(x: Type, *, order: str) -> tuple[Type, ...]:
    return (require_array(x, "contiguous"),)


def _spell_contiguous(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    name = {"C": "ascontiguousarray", "F": "asfortranarray"}[node.attributes["order"]]
    return ast.Call(dotted(f"np.{name}"), list(operands), [])


contiguous: Operation = declare(
    Operation(
        "contiguous",
        _infer_contiguous,
        lambda x, *, order: np.asarray(x, order=order),
        view=0,
        spelling=_spell_contiguous,
        linear=frozenset({0}),
        vjp={0: lambda g, y, x, *, order: g},
        sympy=EVALUATED,
        documentation="The array itself where it lies in C (or Fortran's) order, else a copy.",
    ),
    1,
)


laid_like: Operation = declare(
    Operation(
        "laid_like",
        lambda x, prototype: (x,),
        lambda x, prototype: x,
        cost="free",
        view=0,
        spelling=lambda node, operands: operands[0],
        linear=frozenset({0}),
        vjp={0: lambda g, y, x, prototype: g},
        nondifferentiable=frozenset({1}),
        sympy=EVALUATED,
        documentation="An array that lies in memory as NumPy's ``*_like`` functions lay it out.",
    ),
    2,
)


# concatenate, stack -------------------------------------------------------------------------------


def _rank_agreed(types: Sequence[Type], name: str) -> list[ArrayType]:
    arrays = [require_array(type_, name) for type_ in types]
    if not arrays:
        raise rejection(ValueError, f"need at least one array to {name}")
    if len({type_.rank for type_ in arrays}) > 1:
        raise rejection(
            ValueError, "all the input array dimensions must match: their numbers differ"
        )
    return arrays


def _dtype_of_all(arrays: Sequence[ArrayType]) -> np.dtype:
    return np.result_type(*dict.fromkeys(type_.dtype for type_ in arrays))


def _infer_concatenate(*xs: Type, axis: int) -> tuple[Type, ...]:
    arrays = _rank_agreed(xs, "concatenate")
    if arrays[0].rank == 0:
        raise rejection(ValueError, "zero-dimensional arrays cannot be concatenated")
    dims = [agreed_dim(column) for column in zip(*(t.shape for t in arrays), strict=True)]
    dims[axis] = sum_dim(type_.shape[axis] for type_ in arrays)
    return result_type(_dtype_of_all(arrays), tuple(dims))


def _spell_joined(function: str) -> Callable[[Node, Sequence[ast.expr]], ast.expr]:
    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        axis = node.attributes["axis"]
        keywords = [ast.keyword("axis", literal(axis))] if axis else []
        return ast.Call(dotted(function), [ast.Tuple(list(operands), ast.Load())], keywords)

    return spell


def _concatenate_vjp(position: int, g: Value, y: Value, *xs: Value, axis: int) -> Value:
    from symdiff.ops.index import index_of

    lengths = [sizes_of(x)[axis] for x in xs]
    start, end = _total(lengths[:position]), _total(lengths[: position + 1])
    part = slice(start or None, None if position == len(xs) - 1 else end)
    return _unbroadcast(index_of(g, (slice(None),) * axis + (part,)), xs[position])


def _total(lengths: Sequence[Value | int]) -> Value | int:
    """The sum of lengths, numbers added first."""
    total: Value | int = sum(n for n in lengths if isinstance(n, int))
    for length in lengths:
        if isinstance(length, Value):
            total = length if isinstance(total, int) and total == 0 else length + total
    return total


def _filled_up(ts: Sequence[Value | None], xs: Sequence[Value]) -> list[Value]:
    """Tangents of all operands: zeros where there are none."""
    return [zeros_of(x) if t is None else t for t, x in zip(ts, xs, strict=True)]


def _concatenate_tangent(ts: Sequence[Value | None], y: Value, *xs: Value, axis: int) -> Value:
    return concatenate(*_filled_up(ts, xs), axis=axis)


concatenate = declare(
    Operation(
        "concatenate",
        _infer_concatenate,
        lambda *xs, axis: np.concatenate(xs, axis),
        raises=True,
        spelling=_spell_joined("np.concatenate"),
        variadic=True,
        vjp=_concatenate_vjp,
        jvp=lambda k, t, y, *xs, axis: _concatenate_tangent(
            one_hot(k, t, len(xs)), y, *xs, axis=axis
        ),
        tangent=_concatenate_tangent,
        sympy=EVALUATED,
        order="packed as operands",
        example="np.concatenate([x, t])",
        documentation="Arrays joined along an axis.",
    )
)


def _infer_stack(*xs: Type, axis: int) -> tuple[Type, ...]:
    arrays = _rank_agreed(xs, "stack")
    dims = [agreed_dim(column) for column in zip(*(t.shape for t in arrays), strict=True)]
    return result_type(_dtype_of_all(arrays), (*dims[:axis], len(arrays), *dims[axis:]))


def _stack_vjp(position: int, g: Value, y: Value, *xs: Value, axis: int) -> Value:
    from symdiff.ops.index import index_of

    return _unbroadcast(index_of(g, (slice(None),) * axis + (position,)), xs[position])


def _stack_tangent(ts: Sequence[Value | None], y: Value, *xs: Value, axis: int) -> Value:
    return stack(*_filled_up(ts, xs), axis=axis)


stack = declare(
    Operation(
        "stack",
        _infer_stack,
        lambda *xs, axis: np.stack(xs, axis),
        raises=True,
        spelling=_spell_joined("np.stack"),
        variadic=True,
        vjp=_stack_vjp,
        jvp=lambda k, t, y, *xs, axis: _stack_tangent(one_hot(k, t, len(xs)), y, *xs, axis=axis),
        tangent=_stack_tangent,
        sympy=EVALUATED,
        order="packed as operands",
        example="np.stack([x, w])",
        documentation="Arrays of one shape joined along a new axis.",
    )
)


# roll, repeat, tile, pad --------------------------------------------------------------------------


def _infer_roll(x: Type, *shifts: Type, axis: tuple[int, ...] | None) -> tuple[Type, ...]:
    type_ = require_array(x, "roll")
    return result_type(type_.dtype, type_.shape)


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
    from symdiff.ops.sizes import constant_integer

    number = constant_integer(count)
    if number is not None:
        return -number
    return -count if array_type(count).weak else -python_int(count)


roll: Operation = declare(
    Operation(
        "roll",
        _infer_roll,
        _evaluate_roll,
        spelling=_spell_roll,
        linear=frozenset({0}),
        vjp={0: lambda g, y, x, *shifts, axis: roll(g, *map(negated, shifts), axis=axis)},
        sympy=EVALUATED,
        order="packed as operands",
        example="np.roll(x, 1)",
        documentation="Elements shifted along axes; what leaves at one end enters at the other.",
    ),
    1,
)


def _infer_repeat(x: Type, repeats: Type, *, axis: int, shape: tuple[Dim, ...]) -> tuple[Type, ...]:
    return result_type(require_array(x, "repeat").dtype, shape)


def _spell_repeat(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    axis = node.attributes["axis"]
    one = array_type(node.operands[0]).rank == 1
    keywords = [] if one else [ast.keyword("axis", literal(axis))]
    return ast.Call(dotted("np.repeat"), list(operands), keywords)


def _repeat_vjp(g: Value, y: Value, x: Value, repeats: Value, *, axis: int, shape: Any) -> Value:
    from symdiff.ops.index import index_add_of
    from symdiff.ops.reduce import sum
    from symdiff.ops.sizes import dims_of

    sizes = sizes_of(x)
    if not array_type(repeats).shape:
        split = (*sizes[: axis + 1], repeats, *sizes[axis + 1 :])
        parts = reshape(g, *split, shape=dims_of(split))
        return sum(parts, axis=(axis + 1,), keepdims=False)
    from symdiff.ops.creation import arange_of

    places = repeat(arange_of(sizes[axis]), repeats, axis=0, shape=(shape[axis],))
    return index_add_of(zeros_of(x), g, (slice(None),) * axis + (places,))


repeat = declare(
    Operation(
        "repeat",
        _infer_repeat,
        lambda x, repeats, *, axis, shape: np.repeat(x, repeats, axis),
        raises=True,
        spelling=_spell_repeat,
        linear=frozenset({0}),
        vjp={0: _repeat_vjp},
        nondifferentiable=frozenset({1}),
        sympy=EVALUATED,
        order="packed",
        example="np.repeat(x, 2, axis=0)",
        documentation="Each element along an axis as often as told.",
    ),
    2,
)


def _infer_tile(x: Type, *reps: Type, shape: tuple[Dim, ...]) -> tuple[Type, ...]:
    return result_type(require_array(x, "tile").dtype, shape)


def _spell_tile(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    reps = operands[1] if len(operands) == 2 else ast.Tuple(list(operands[1:]), ast.Load())
    return ast.Call(dotted("np.tile"), [operands[0], reps], [])


def _tile_vjp(g: Value, y: Value, x: Value, *reps: Value, shape: Any) -> Value:
    from symdiff.ops.reduce import sum
    from symdiff.ops.sizes import dims_of

    rank = len(shape)
    lengths = (1,) * (rank - array_type(x).rank) + sizes_of(x)
    counts = (1,) * (rank - len(reps)) + reps
    split = [part for pair in zip(counts, lengths, strict=True) for part in pair]
    parts = reshape(g, *split, shape=dims_of(split))
    axes = tuple(range(0, 2 * rank, 2))
    return reshape_like(sum(parts, axis=axes, keepdims=False), x)


tile = declare(
    Operation(
        "tile",
        _infer_tile,
        lambda x, *reps, shape: np.tile(x, reps),
        raises=True,
        spelling=_spell_tile,
        linear=frozenset({0}),
        vjp={0: _tile_vjp},
        sympy=EVALUATED,
        order="packed",
        example="np.tile(x, 2)",
        documentation="The whole array as often as told along each axis.",
    ),
    1,
)

Widths = tuple[tuple[int, int], ...]


def _infer_pad(x: Type, *, widths: Widths, mode: str) -> tuple[Type, ...]:
    type_ = require_array(x, "pad")
    pairs = zip(type_.shape, widths, strict=True)
    return result_type(type_.dtype, tuple(sum_dim((dim, *width)) for dim, width in pairs))


def _spell_pad(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    widths, mode = node.attributes["widths"], node.attributes["mode"]
    flat = set(widths) or {(0, 0)}  # an array without axes is padded nowhere
    pair = flat.pop() if len(flat) == 1 else widths
    shown = pair[0] if len(pair) == 2 and pair[0] == pair[1] else pair
    keywords = [] if mode == "constant" else [ast.keyword("mode", literal(mode))]
    return ast.Call(dotted("np.pad"), [operands[0], literal(shown)], keywords)


def _pad_vjp(g: Value, y: Value, x: Value, *, widths: Widths, mode: str) -> Value:
    from symdiff.ops.index import index_of

    if mode != "constant":
        raise rejection(ValueError, f"pad with mode {mode!r} is an index of padded positions")
    return index_of(g, tuple(slice(before or None, -after or None) for before, after in widths))


pad = declare(
    Operation(
        "pad",
        _infer_pad,
        lambda x, *, widths, mode: np.pad(x, widths or 0, mode),
        raises=True,
        spelling=_spell_pad,
        linear=frozenset({0}),
        vjp={0: _pad_vjp},
        sympy=EVALUATED,
        order="packed as operands",
        example="np.pad(x, 1)",
        documentation="Zeros around an array (of integers: any of NumPy's modes).",
    ),
    1,
)


# Diagonals ----------------------------------------------------------------------------------------


def _diagonal_dim(rows: Dim, columns: Dim, offset: int) -> Dim:
    if isinstance(rows, int) and isinstance(columns, int):
        return max(0, min(rows - max(-offset, 0), columns - max(offset, 0)))
    if rows == columns:
        return sum_dim((rows, -abs(offset)))
    return Size(f"diagonal({rows},{columns},{offset})", open=True)


def _infer_diagonal(x: Type, *, offset: int, writable: bool = False) -> tuple[Type, ...]:
    type_ = require_array(x, "diagonal")
    *others, rows, columns = type_.shape
    return result_type(type_.dtype, (*others, _diagonal_dim(rows, columns, offset)))


def _spell_diagonal(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    keywords = _offset_keyword(node, "offset")
    if array_type(node.operands[0]).rank > 2:
        keywords += [ast.keyword("axis1", literal(-2)), ast.keyword("axis2", literal(-1))]
    return ast.Call(dotted("np.diagonal"), list(operands), keywords)


def _offset_keyword(node: Node, name: str) -> list[ast.keyword]:
    offset = node.attributes["offset"]
    return [ast.keyword(name, literal(offset))] if offset else []


def _diagonal_entries(y: Value, offset: int) -> tuple[Any, ...]:
    """The key with which a matrix's diagonal ``y`` is written."""
    from symdiff.ops.creation import arange_of

    places = arange_of(sizes_of(y)[-1])
    rows = places if offset >= 0 else places + (-offset)
    columns = places if offset <= 0 else places + offset
    return (Ellipsis, rows, columns) if array_type(y).rank > 1 else (rows, columns)


def _diagonal_vjp(g: Value, y: Value, x: Value, *, offset: int, **_: Any) -> Value:
    from symdiff.ops.index import index_set_of

    rows, columns = array_type(x).shape[-2:]
    if array_type(x).rank == 2 and rows == columns:
        return diag(g, offset=offset)
    return index_set_of(zeros_of(x), g, _diagonal_entries(y, offset))


diagonal = declare(
    Operation(
        "diagonal",
        _infer_diagonal,
        lambda x, *, offset, **_: np.diagonal(x, offset, -2, -1),
        view=0,
        cost="free",
        spelling=_spell_diagonal,
        linear=frozenset({0}),
        vjp={0: _diagonal_vjp},
        sympy=EVALUATED,
        example="np.diagonal(A)",
        documentation="The diagonal of the last two axes, as the last axis: a view.",
    ),
    1,
)


def _put_diagonal(node: Node, base: Value, new: Value) -> Value:
    from symdiff.ops.index import index_set_of

    return index_set_of(base, new, _diagonal_entries(new, node.attributes["offset"]))


VIEW_PUTS["diagonal"] = _put_diagonal


def _infer_diag(x: Type, *, offset: int) -> tuple[Type, ...]:
    type_ = require_array(x, "diag")
    return result_type(type_.dtype, (sum_dim((type_.shape[0], abs(offset))),) * 2)


def _spell_diag(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    return ast.Call(dotted("np.diag"), list(operands), _offset_keyword(node, "k"))


diag = declare(
    Operation(
        "diag",
        _infer_diag,
        lambda x, *, offset: np.diag(x, offset),
        spelling=_spell_diag,
        linear=frozenset({0}),
        vjp={0: lambda g, y, x, *, offset: copy(diagonal(g, offset=offset))},
        sympy=EVALUATED,
        order="packed",
        example="np.diag(x)",
        documentation="The matrix with a vector on its diagonal.",
    ),
    1,
)


def _infer_triangle(x: Type, *, k: int) -> tuple[Type, ...]:
    type_ = require_array(x, "tril")
    return result_type(type_.dtype, type_.shape)


def _triangle(name: str, function: Any, documentation: str) -> Operation:
    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        keywords = [ast.keyword("k", literal(node.attributes["k"]))] if node.attributes["k"] else []
        return ast.Call(dotted(f"np.{name}"), list(operands), keywords)

    operation = Operation(
        name,
        _infer_triangle,
        lambda x, *, k: function(x, k),
        spelling=spell,
        linear=frozenset({0}),
        vjp={0: lambda g, y, x, *, k: operation(g, k=k)},
        sympy=EVALUATED,
        order="packed as operands",
        example=f"np.{name}(A)",
        documentation=documentation,
    )
    return declare(operation, 1)


tril = _triangle("tril", np.tril, "The elements on and below the ``k``-th diagonal, zeros above.")
triu = _triangle("triu", np.triu, "The elements on and above the ``k``-th diagonal, zeros below.")
