"""Ops that rearrange elements: ``reshape``, ``transpose``, ``broadcast_to``, ``concatenate`` ….

What NumPy has beyond these ops is lowered to them in ``ops.arrange``.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.ir.build import Builder, builder, building
from symdiff.ir.control import emit_cond
from symdiff.ir.graph import Block, Node, Value
from symdiff.ir.types import ArrayType, Dim, least
from symdiff.ops import patterns
from symdiff.ops.arithmetic import bitwise_and, floor_divide, greater, less
from symdiff.ops.batching import Lanes, as_it_is, pointwise
from symdiff.ops.declare import (
    EVALUATED,
    Operation,
    Rule,
    SeveralResults,
    array_type,
    dotted,
    literal,
    surely_broadcasts,
    template,
)
from symdiff.ops.facts import is_length, shape_of
from symdiff.ops.flops import nothing
from symdiff.ops.sizes import (
    constant_integer,
    lower_bound,
    product,
    product_dim,
    sizes_of,
    spell_shape,
)


def moving(
    name: str,
    infer: Callable[..., Any],
    evaluate: Callable[..., Any],
    back: Rule,
    **facts: Any,
) -> Operation:
    """Declare an op that moves the elements of its first operand, which takes no arithmetic; of its
    cotangent, ``back`` is the rule.
    """
    facts = {"sympy": EVALUATED, "flops": nothing, "pattern": patterns.moved, **facts}
    linear = frozenset({0})
    return Operation.of_arrays(name, infer, evaluate, linear=linear, vjp={0: back}, **facts)


# reshape ------------------------------------------------------------------------------------------


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
    """Return whether sizes are the others but for ones; a single one is, having all of the
    elements.
    """
    others = [dim for dim in many if dim != 1]
    return others == list(few) or len(others) == len(few) == 1


def _reshaped_back(g: Value, x: Value) -> Value:
    if array_type(x).kind != "array":
        return g
    return reshape(g, *sizes_of(x), shape=array_type(x).shape)


def _keeps_count(node: Node) -> bool:
    """Return whether a reshape is known to have as many elements: the same sizes, ones aside."""
    before, after = shape_of(node.operands[0]), node.attributes["shape"]
    sizes = ([d for d in dims if d != 1] for dims in (before, after))
    a, b = (sorted(map(str, dims)) for dims in sizes)
    if a == b:
        return True
    told = [constant_integer(length) for length in node.operands[1:]]
    rest = [dim for dim, number in zip(after, told, strict=True) if number != -1]
    if product_dim(before) == product_dim(after) and (-1 not in told or all(map(least, rest))):
        return True
    counts = [[d for d in dims if isinstance(d, int)] for dims in (before, after)]
    known = len(counts[0]) == len(before) and len(counts[1]) == len(after)
    return known and math.prod(counts[0]) == math.prod(counts[1])


def _batch_reshape(b: Lanes, op: Any, x: Value, *sizes: Value, shape: Any) -> Value:
    b.only(0)
    told = _told(x, sizes) if b.empty else sizes
    return reshape(x, b.count, *told, shape=(b.dim, *shape))


def _told(x: Value, sizes: Sequence[Value]) -> list[Value | int]:
    """Sizes without a -1 where there may be no lanes: NumPy cannot find it out then."""
    count = product(sizes_of(x)[1:])
    return [
        length if is_length(length) else _found(length, count, [*sizes[:k], *sizes[k + 1 :]])
        for k, length in enumerate(sizes)
    ]


def _found(length: Value, count: Value | int, others: Sequence[Value]) -> Value:
    """A length that is told, or if that is negative the one that gives so many elements; as it is
    where the others are not told either, or have no elements, which NumPy refuses.
    """
    beside = builder().value(product(others))
    is_found = less(length, 0)
    if (bound := lower_bound(beside)) is None or bound < 1:
        is_found = bitwise_and(is_found, greater(beside, 0))
    with building(Builder([], builder().span)) as made:
        rest = floor_divide(count, beside)
    return emit_cond(is_found, Block((), made.nodes, (rest,)), Block((), [], (length,))).result


reshape = moving(
    "reshape",
    lambda x, *sizes, shape: x if x.kind == "scalar" and not shape else ArrayType(x.dtype, shape),
    lambda x, *sizes, shape: np.reshape(x, sizes),
    lambda g, y, x, *sizes, shape: _reshaped_back(g, x),
    raises=True,
    harmless=_keeps_count,
    cost="free",
    view=0,
    spelling=_spell_reshape,
    broadcasts=frozenset({0}),  # a number has no shape to take
    example="np.reshape(X, -1)",
    batch=_batch_reshape,
    documentation="The same elements in another shape; one size may be -1.",
)


# transpose ----------------------------------------------------------------------------------------


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


transpose: Operation = moving(
    "transpose",
    lambda x, *, axes: ArrayType(x.dtype, tuple(x.shape[axis] for axis in axes)),
    np.transpose,
    lambda g, y, x, *, axes: transposed_back(g, axes),
    cost="free",
    view=0,
    put=lambda node, base, new: transposed_back(new, node.attributes["axes"]),
    spelling=_spell_transpose,
    example="np.transpose(X)",
    batch=lambda b, op, x, *, axes: op(x, axes=(0, *(k + 1 for k in axes))),
    documentation="The axes in another order; ``axes`` names all of them.",
)


# broadcast_to, copy -------------------------------------------------------------------------------


def _fits_shape(node: Node) -> bool:
    """Return whether a broadcast is to sizes that are known to fit."""
    target = tuple(node.attributes["shape"])
    source = shape_of(node.operands[0])
    if len(source) > len(target):
        return False
    pairs = zip(source, target[len(target) - len(source) :], strict=True)
    fits = all(a in (1, b) for a, b in pairs)
    return fits and all(map(is_length, node.operands[1:]))


def _batch_broadcast(b: Lanes, op: Any, x: Value, *sizes: Value, shape: Any, **more: Any) -> Value:
    b.only(0)
    missing = len(shape) - b.types[0].rank
    x = b.unit_axes(x, *range(1, missing + 1)) if missing else x
    return broadcast_to(x, b.count, *sizes, shape=(b.dim, *shape), **more)


broadcast_to = moving(
    "broadcast_to",
    lambda x, *sizes, shape, shared=False: ArrayType(x.dtype, shape),
    lambda x, *sizes, shape, shared=False: np.broadcast_to(x, sizes),
    lambda g, y, x, *sizes, shape, shared=False: g,
    raises=True,
    harmless=_fits_shape,
    cost="free",
    view=0,
    read_only=lambda node: not node.attributes.get("shared"),  # else a write reaches several places
    spelling=lambda node, operands: ast.Call(
        dotted("np.broadcast_to"), [operands[0], spell_shape(node, operands, 1)], []
    ),
    broadcasts=frozenset({0}),
    example="np.broadcast_to(x, (3, size(x, axis=0)))",
    batch=_batch_broadcast,
    documentation="A read-only view in which the operand is repeated along new and unit axes.",
)


def _spell_copy(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    if array_type(node.operands[0]).kind != "array" or node.attributes.get("order") == "K":
        return ast.Call(dotted("np.array"), list(operands), [])
    return ast.Call(ast.Attribute(operands[0], "copy", ast.Load()), [], [])


copy = moving(
    "copy",
    lambda x, **_: x if x.kind == "array" else ArrayType(x.dtype, ()),
    lambda x, *, order="C": np.array(x, order=order),
    lambda g, y, x, **_: g,
    spelling=_spell_copy,
    broadcasts=frozenset({0}),  # of a number
    order="packed",
    fresh=True,
    example="np.copy(x)",
    batch=pointwise,
    documentation="A fresh array with the operand's elements, in C order or in its (``K``).",
)


fit_together = SeveralResults(
    "fit_together",
    lambda *arrays: (),
    lambda *arrays: (np.broadcast(*arrays), ())[1],
    raises=True,
    harmless=surely_broadcasts,
    nondifferentiable=True,
    spelling=template("np.broadcast({...})"),
    jax="broadcast_arrays",
    sympy=EVALUATED,
    flops=nothing,
    batch=pointwise,
    documentation="Nothing; it raises where arrays do not broadcast together.",
)


def _spell_contiguous(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    name = {"C": "ascontiguousarray", "F": "asfortranarray"}[node.attributes["order"]]
    return ast.Call(dotted(f"np.{name}"), list(operands), [])


contiguous: Operation = moving(
    "contiguous",
    lambda x, *, order: x,
    lambda x, *, order: np.asarray(x, order=order),
    lambda g, y, x, *, order: g,
    view=0,
    spelling=_spell_contiguous,
    batch=as_it_is,
    documentation="The array itself where it lies in C (or Fortran's) order, else a copy.",
)


def _batch_laid_like(b: Lanes, op: Any, x: Value, prototype: Value, **_: Any) -> Value:
    return b.whole(x, prototype)[0]


laid_like: Operation = Operation(
    "laid_like",
    lambda x, prototype, *, order: (x,),
    lambda x, prototype, *, order: x,
    cost="free",
    view=0,
    spelling=lambda node, operands: operands[0],
    linear=frozenset({0}),
    vjp={0: lambda g, y, x, prototype, *, order: g},
    nondifferentiable=frozenset({1}),
    sympy=EVALUATED,
    flops=nothing,
    batch=_batch_laid_like,
    pattern=patterns.as_it_is,
    documentation="An array that lies in memory as NumPy lays out what is made like another one: in"
    " its order (``K``), or in Fortran's or else C's (``A``).",
)
