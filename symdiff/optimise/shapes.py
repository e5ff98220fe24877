"""Shapes on statements of derivatives: rearrangements that cancel, broadcasts and sums that meet.

A cotangent that is broadcast only to be multiplied is not broadcast; what is broadcast and then
summed is multiplied by the count instead.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, Dim
from symdiff.ops.arithmetic import by_numpy, divide, multiply, negative
from symdiff.ops.casts import astype, python_float
from symdiff.ops.declare import array_type
from symdiff.ops.facts import is_derived, is_length, is_python, made_by, shape_of
from symdiff.ops.index import takes_all
from symdiff.ops.products import as_column, matmul, outer
from symdiff.ops.reduce import axes_of, sum
from symdiff.ops.shape import broadcast_to, reshape, transpose
from symdiff.ops.sizes import size, sizes_of
from symdiff.optimise.facts import (
    MAY_BE_ZERO,
    are_of_one_size,
    computed_by,
    is_inexact,
    is_number,
    is_zero,
    meet_as_one,
)
from symdiff.optimise.rewriting import ELEMENTWISE, Rewriter, Rule, Rules, apply, reads
from symdiff.optimise.rules import (
    both_ways,
    first_operand,
    in_derivatives,
    regrouping,
    stays_zero,
)


def through(name: str) -> Rule:
    """A rearrangement of one of the same kind is one of what that one rearranges."""

    def rearranged_once(node: Node, rewriter: Rewriter) -> Value | None:
        inner = made_by(node.operands[0], name)
        if inner is None:
            return None
        operands = (inner.operands[0], *node.operands[1:])
        return rewriter.emit(node.op, operands, node.attributes).result

    return rearranged_once


def reshaped_once(node: Node, rewriter: Rewriter) -> Value | None:
    """A shape of a shape, unless the first is a copy in order that others read too."""
    inner = made_by(node.operands[0], "reshape")
    moved = None if inner is None else made_by(inner.operands[0], "transpose")
    if moved is not None and not rewriter.is_single(node.operands[0]):
        return None
    return _through_reshape(node, rewriter)


_through_reshape = through("reshape")


def transposes_together(node: Node, rewriter: Rewriter) -> Value | None:
    inner = made_by(node.operands[0], "transpose")
    if inner is None:
        return None
    axes = tuple(inner.attributes["axes"][axis] for axis in node.attributes["axes"])
    if axes == tuple(range(len(axes))):
        return inner.operands[0]
    return apply(transpose, inner.operands[0], axes=axes)


def identity_transpose(node: Node, rewriter: Rewriter) -> Value | None:
    axes = node.attributes["axes"]
    return node.operands[0] if axes == tuple(range(len(axes))) else None


def transposed_product(node: Node, rewriter: Rewriter) -> Value | None:
    """``(a.T @ b).T`` as ``b.T @ a``, of stacks too whose rows become the last axis."""
    product, axes = made_by(node.operands[0], "matmul"), node.attributes["axes"]
    if product is None or not rewriter.is_single(node.operands[0]):
        return None
    a, b = product.operands
    rank = len(axes)
    if len(shape_of(a)) != rank or len(shape_of(b)) != rank or axes[-1] != rank - 2:
        return None
    if made_by(a, "transpose") is None and made_by(b, "transpose") is None:
        return None
    swapped = (*range(rank - 2), rank - 1, rank - 2)
    turned = apply(matmul, transpose(b, axes=swapped), transpose(a, axes=swapped))
    left = tuple(swapped[axis] for axis in axes)
    return turned if left == tuple(range(rank)) else apply(transpose, turned, axes=left)


@reads("outer", "negative")
def transposed_outer(node: Node, rewriter: Rewriter) -> Value | None:
    """``outer(u, v).T`` as ``outer(v, u)``; through a sign."""
    (x,) = node.operands
    minus = computed_by(x, "negative")
    inner = made_by(x if minus is None else minus.operands[0], "outer")
    if inner is None or node.attributes["axes"] != (1, 0):
        return None
    if not all(map(rewriter.is_single, (x, inner.result))):
        return None
    turned = apply(outer, *reversed(inner.operands))
    return turned if minus is None else -turned


@reads("broadcast_to")
def absorbed_broadcasts(node: Node, rewriter: Rewriter) -> Value | None:
    """An elementwise op broadcasts by itself."""
    slim = [_before_broadcast(value) for value in node.operands]
    if all(a is b for a, b in zip(slim, node.operands, strict=True)):
        return None
    return _slimmest(node, slim, rewriter)


@reads("broadcast_to")
def broadcast_later(node: Node, rewriter: Rewriter) -> Value | None:
    """What is computed of numbers that were broadcast, computed of the numbers."""
    wide = [inner for value in node.operands if (inner := made_by(value, "broadcast_to"))]
    slim = [_before_broadcast(value) for value in node.operands]
    if not wide or any(map(shape_of, slim)):
        return None
    number = rewriter.emit(node.op, slim, node.attributes).result
    return apply(broadcast_to, number, *wide[0].operands[1:], **wide[0].attributes)


@reads("broadcast_to")
def divided_later(node: Node, rewriter: Rewriter) -> Value | None:
    """The quotient of two numbers, of which one was broadcast, by NumPy: Python's raises by 0."""
    wide = [inner for value in node.operands if (inner := made_by(value, "broadcast_to"))]
    slim = [_before_broadcast(value) for value in node.operands]
    if not wide or any(map(shape_of, slim)):
        return None
    number = apply(by_numpy(divide), *slim)
    if array_type(number).dtype != array_type(node.result).dtype:
        return None
    return apply(broadcast_to, number, *wide[0].operands[1:], **wide[0].attributes)


def number_in_another_shape(node: Node, rewriter: Rewriter) -> Value | None:
    """A number that was broadcast and put into another shape, broadcast to that."""
    inner = made_by(node.operands[0], "broadcast_to")
    if inner is None or shape_of(inner.operands[0]):
        return None
    if not all(map(is_length, node.operands[1:])):
        return None
    return apply(broadcast_to, inner.operands[0], *node.operands[1:], **node.attributes)


@reads("index")
def of_whole(node: Node, rewriter: Rewriter) -> Value | None:
    """What is reshaped may be the array itself where a key takes all of it, ``a[:, None]``."""
    inner = made_by(node.operands[0], "index")
    if inner is None or not takes_all(inner) or not shape_of(inner.operands[0]):
        return None
    operands = (inner.operands[0], *node.operands[1:])
    return rewriter.emit(node.op, operands, node.attributes).result


def sum_without_its_axes(node: Node, rewriter: Rewriter) -> Value | None:
    """``sum(x, keepdims=True)`` in a shape without the axes summed over; through a sign."""
    (x, *sizes), inner = node.operands, made_by(node.operands[0], "sum", "negative")
    if inner is None or not rewriter.is_single(x):
        return None
    if inner.op is negative:
        below = made_by(inner.operands[0], "sum")
        kept = below is not None and below.attributes.get("keepdims")
        return -apply(reshape, inner.operands[0], *sizes, **node.attributes) if kept else None
    axes = axes_of(inner.attributes.get("axis"), len(shape_of(x)))
    left = tuple(dim for axis, dim in enumerate(shape_of(x)) if axis not in axes)
    if not inner.attributes.get("keepdims") or not meet_as_one(left, node.attributes["shape"]):
        return None
    total = apply(sum, inner.operands[0], axis=inner.attributes["axis"], keepdims=False)
    if total.node is rewriter.nodes[-1]:
        total.type = node.result.type  # made for this: sizes keep their names
    return total


def _slimmest(node: Node, slim: list[Value], rewriter: Rewriter) -> Value | None:
    """The op with as few operands broadcast as leave its type as it is."""
    wanted = node.result.type
    for kept in (None, *range(len(slim))):
        operands = [node.operands[k] if k == kept else value for k, value in enumerate(slim)]
        if operands == list(node.operands):
            continue
        types = [value.type for value in operands]
        if are_of_one_size(node.op.infer(*types, **node.attributes)[0], wanted):
            return rewriter.emit(node.op, operands, node.attributes).result
    return None


def _before_broadcast(value: Value) -> Value:
    node = made_by(value, "broadcast_to")
    return value if node is None else node.operands[0]


@reads("broadcast_to")
def absorbed_by_write(node: Node, rewriter: Rewriter) -> Value | None:
    """What is written into a region is broadcast to it."""
    x, v, *dynamic = node.operands
    inner = made_by(v, "broadcast_to")
    shape = tuple(node.attributes["shape"])
    if inner is None or not meet_as_one(shape_of(v), shape):
        return None
    operands = (x, inner.operands[0], *dynamic)
    return rewriter.emit(node.op, operands, node.attributes).result


def sum_of_broadcast(node: Node, rewriter: Rewriter) -> Value | None:
    """The sum of a number that was broadcast: so many times the number."""
    inner = made_by(node.operands[0], "broadcast_to")
    if inner is None or shape_of(inner.operands[0]) or node.attributes.get("keepdims"):
        return None
    axes = axes_of(node.attributes.get("axis"), len(shape_of(node.operands[0])))
    number, sizes = inner.operands[0], [inner.operands[1 + axis] for axis in axes]
    count = functools.reduce(multiply, sizes) if sizes and _is_float_one(number) else None
    left = [k for k in range(len(shape_of(node.operands[0]))) if k not in axes]
    if not left:  # NumPy's sum is a number of its own
        total = _times(number, sizes) if count is None else count
        dtype = array_type(node.result).dtype
        return astype(total, dtype=dtype) if is_python(total) else total
    total = _times(number, sizes) if count is None else python_float(count)
    shape: tuple[Dim, ...] = tuple(shape_of(node.operands[0])[k] for k in left)
    sizes = [inner.operands[1 + k] for k in left]
    return apply(broadcast_to, total, *sizes, shape=shape)


def _is_float_one(number: Value) -> bool:
    return is_python(number) and is_inexact(number) and is_number(number, 1)


def _times(number: Value, sizes: Sequence[Value]) -> Value:
    return functools.reduce(multiply, sizes, number)


@reads("multiply", "negative")
def sum_of_multiple(node: Node, rewriter: Rewriter) -> Value | None:
    """``sum(c * x)`` as ``c * sum(x)``, of a number ``c`` and floats ``x``; ``sum(-x)`` as
    ``-sum(x)``.
    """
    (x,) = node.operands
    inner = computed_by(x, "multiply", "negative")
    if inner is None or not rewriter.is_single(x):
        return None
    if inner.op is negative:
        return -apply(sum, inner.operands[0], **node.attributes)
    a, b = inner.operands
    for factor, rest in ((a, b), (b, a)):
        if not shape_of(factor) and shape_of(rest) == shape_of(x) and is_inexact(rest):
            return apply(multiply, factor, sum(rest, **node.attributes))
    return None


def sum_of_rearranged(node: Node, rewriter: Rewriter) -> Value | None:
    """The sum of all elements does not ask where they stand."""
    inner = made_by(node.operands[0], "transpose", "reshape")
    if inner is None or node.attributes.get("axis") is not None or node.attributes.get("keepdims"):
        return None
    return apply(sum, inner.operands[0], **node.attributes)


@reads("transpose")
def sum_of_transposed(node: Node, rewriter: Rewriter) -> Value | None:
    """``sum(A.T, axis=0)`` of a matrix as ``sum(A, axis=1)``."""
    inner, axis = made_by(node.operands[0], "transpose"), node.attributes.get("axis")
    if inner is None or axis is None or node.attributes.get("keepdims"):
        return None
    axes = inner.attributes["axes"]
    if len(axes) != 2 or len(axis) != 1:
        return None
    return apply(sum, inner.operands[0], **{**node.attributes, "axis": (axes[axis[0]],)})


def sum_of_products(node: Node, rewriter: Rewriter) -> Value | None:
    """``sum(a * b)`` of vectors as ``a @ b``: no product is stored."""
    (x,) = node.operands
    inner = computed_by(x, "multiply")
    if inner is None or not rewriter.is_single(x) or len(shape_of(x)) != 1:
        return None
    a, b = inner.operands
    if not all(meet_as_one(shape_of(part), shape_of(x)) for part in (a, b)):
        return None
    return None if node.attributes.get("keepdims") else apply(matmul, a, b)


@reads("multiply")
def factor_out_of_sum(node: Node, rewriter: Rewriter) -> Value | None:
    """``sum(a * b, axis=0)`` of what ``b`` is the same along as ``b * sum(a, axis=0)``."""
    (x,) = node.operands
    product, axis = computed_by(x, "multiply"), node.attributes.get("axis")
    if product is None or axis is None or not rewriter.is_single(x):
        return None
    for factor, rest in both_ways(product):
        if shape_of(factor) and shape_of(rest) == shape_of(x) and _is_same_along(factor, x, axis):
            left = _without_axes(factor, x, () if node.attributes.get("keepdims") else axis)
            return apply(multiply, apply(sum, rest, **node.attributes), left)
    return None


def _is_same_along(factor: Value, whole: Value, axis: Sequence[int]) -> bool:
    dims, first = shape_of(factor), len(shape_of(whole)) - len(shape_of(factor))
    return all(k < first or dims[k - first] == 1 != shape_of(whole)[k] for k in axis)


def _without_axes(factor: Value, whole: Value, axis: Sequence[int]) -> Value:
    """A factor without some axes of what it is broadcast to."""
    dims, sizes = shape_of(factor), sizes_of(factor)
    first = len(shape_of(whole)) - len(dims)
    kept = [k for k in range(len(dims)) if first + k not in axis]
    if len(kept) == len(dims):
        return factor
    shape = tuple(dims[k] for k in kept)
    return apply(reshape, factor, *(sizes[k] for k in kept), shape=shape)


def vectors_first(node: Node, rewriter: Rewriter) -> Value | None:
    """``(A @ B) @ v`` as ``A @ (B @ v)``, ``u @ (A @ B)`` as ``(u @ A) @ B``."""
    a, b = node.operands
    first, second = computed_by(a, "matmul"), computed_by(b, "matmul")
    if first is not None and len(shape_of(b)) == 1 and _are_matrices(first, rewriter):
        return apply(matmul, first.operands[0], matmul(first.operands[1], b))
    if second is not None and len(shape_of(a)) == 1 and _are_matrices(second, rewriter):
        return apply(matmul, matmul(a, second.operands[0]), second.operands[1])
    return None


@reads("broadcast_to")
def product_of_repeated(node: Node, rewriter: Rewriter) -> Value | None:
    """A product with a matrix whose elements are one number: sums of the other's rows or columns,
    as many times.
    """
    if any(len(shape_of(value)) != 2 for value in node.operands):
        return None
    for place, (value, other) in enumerate(both_ways(node)):
        inner = made_by(value, "broadcast_to")
        if inner is None or shape_of(inner.operands[0]) or not is_inexact(other):
            continue
        number, *lengths = inner.operands
        sums = apply(sum, other, axis=(place,), keepdims=place == 1)
        lengths[1 - place] = apply(size, other, axis=1 - place)
        total = apply(multiply, number, sums)
        return apply(broadcast_to, total, *lengths, shape=shape_of(node.result))
    return None


@reads("broadcast_to")
def outer_of_repeated(node: Node, rewriter: Rewriter) -> Value | None:
    """An outer product with a vector whose elements are one number: the other, repeated."""
    if any(len(shape_of(value)) != 1 for value in node.operands):
        return None
    for place, (value, other) in enumerate(both_ways(node)):
        inner = made_by(value, "broadcast_to")
        if inner is None or shape_of(inner.operands[0]):
            continue
        line = apply(multiply, inner.operands[0], other if place == 0 else as_column(other))
        lengths = [inner.operands[1], apply(size, other, axis=0)]
        shape = shape_of(node.result)
        return apply(broadcast_to, line, *(lengths[::-1] if place else lengths), shape=shape)
    return None


def _are_matrices(product: Node, rewriter: Rewriter) -> bool:
    ranks = [len(shape_of(value)) for value in product.operands]
    return ranks == [2, 2] and rewriter.takes(product.result)


@reads(*MAY_BE_ZERO)
def zero_product(node: Node, rewriter: Rewriter) -> Value | None:
    return rewriter.zeros_for(node) if any(map(is_zero, node.operands)) else None


def number_as_it_is(node: Node, rewriter: Rewriter) -> Value | None:
    """The sum of a number."""
    x = node.operands[0]
    return x if isinstance(x.type, ArrayType) and not x.type.shape else None


def in_order_anyway(node: Node, rewriter: Rewriter) -> Value | None:
    """What is reshaped may lie in any order: the elements come in C order.

    In the program itself the result would be another view, with strides that a product by BLAS
    rounds by.
    """
    inner = made_by(node.operands[0], "contiguous")
    if inner is None or inner.attributes["order"] != "C" or not is_derived(node):
        return None
    operands = (inner.operands[0], *node.operands[1:])
    return rewriter.emit(node.op, operands, node.attributes).result


def one_order(node: Node, rewriter: Rewriter) -> Value | None:
    """Where the order in memory makes no difference to what is computed."""
    operand = node.operands[0]
    return operand if is_derived(node) or _is_packed_line(operand) else None


def _is_packed_line(value: Value) -> bool:
    """Return whether an array of one axis at most was made anew, so that its elements lie side by
    side: of a view with other strides a product by BLAS may round otherwise.
    """
    node, rank = value.node, len(shape_of(value))
    is_new = node is not None and node.op.view is None and not node.blocks
    return rank == 0 or (rank == 1 and is_new)


def any_order(node: Node, rewriter: Rewriter) -> Value | None:
    """The array itself, however it lies in memory."""
    return node.operands[0]


ORDER: Rules = {
    "reshape": (in_order_anyway,),
    "contiguous": (one_order,),
    "laid_like": (any_order,),
}

_ANY: Rules = {
    name: in_derivatives(*rules)
    for name, rules in {
        ELEMENTWISE: (absorbed_broadcasts,),
        **dict.fromkeys(
            ("add", "subtract", "multiply", "negative"), (broadcast_later, absorbed_broadcasts)
        ),
        "divide": (divided_later, absorbed_broadcasts),
        "transpose": (
            identity_transpose,
            transposes_together,
            transposed_product,
            transposed_outer,
            stays_zero,
        ),
        "reshape": (
            first_operand,
            reshaped_once,
            of_whole,
            stays_zero,
            number_in_another_shape,
            sum_without_its_axes,
        ),
        "broadcast_to": (first_operand, through("broadcast_to"), stays_zero),
        "unbroadcast": (first_operand, stays_zero),
        "sum": (
            number_as_it_is,
            stays_zero,
            sum_of_rearranged,
            sum_of_transposed,
        ),
        "matmul": (zero_product,),
        "outer": (zero_product,),
        "einsum": (zero_product,),
        "index_set": (absorbed_by_write,),
        "index_add": (absorbed_by_write,),
    }.items()
}
_REGROUPED: Rules = {
    "sum": regrouping(sum_of_broadcast, sum_of_multiple, sum_of_products, factor_out_of_sum),
    "matmul": regrouping(vectors_first, product_of_repeated),
    "outer": regrouping(outer_of_repeated),
}
SHAPES = (_ANY, _REGROUPED)
