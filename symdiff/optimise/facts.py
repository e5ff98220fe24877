"""What passes ask of values and graphs besides ``ops.facts``: zeros and ones, sizes.

Nothing here changes anything. Every question errs on the safe side: "not zero" where it is not
known that it is.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from symdiff.ir.control import LoopView, loop
from symdiff.ir.graph import Block, Graph, Node, Value, walk_nodes
from symdiff.ir.types import ArrayType, Dim, ListType, Size, TapeType, Type, is_long, real_dtype
from symdiff.ops.facts import is_derived, made_by, number_of, shape_of

_MOVES_ZEROS = frozenset(
    {"transpose", "reshape", "broadcast_to", "unbroadcast", "negative", "astype", "copy", "sum"}
)

MAY_BE_ZERO = _MOVES_ZEROS | {"zeros", "constant"}  # what ``is_zero`` may hold of is made by these


def is_number(value: Value, number: float) -> bool:
    """Return whether a value is a constant equal to ``number``; a bool is not a number."""
    known = number_of(value)
    return known is not None and not isinstance(known, (bool, np.bool_)) and bool(known == number)


def is_one(value: Value) -> bool:
    """Return whether every element is known to be one."""
    if value.node is None:
        return False
    return value.node.op.name == "ones" or is_number(value, 1)


def is_zero(value: Value) -> bool:
    """Return whether every element is known to be zero."""
    for _ in range(8):
        if value.node is None:
            return False
        if value.node.op.name == "zeros" or is_number(value, 0):
            return True
        if value.node.op.name not in _MOVES_ZEROS:
            return False
        value = value.node.operands[0]
    return False


def is_of_one_precision(node: Node) -> bool:
    """Return whether a node computes in one inexact precision: of such nodes factors and terms may
    be moved and put together, as of real numbers.

    Integers wrap where they are put together, and the wider of two precisions is lost. Python's
    numbers are exact, or are rounded where they meet others.
    """
    wanted = node.result.type
    precision = _real_part(wanted.dtype) if isinstance(wanted, ArrayType) else None
    if precision is None:
        return False
    for value in node.operands:
        type_ = value.type
        if type_ is wanted:
            continue
        if not isinstance(type_, ArrayType):
            return False
        if type_.dtype is precision or type_.weak:
            continue
        own = _real_part(type_.dtype)
        if own is None or own != precision:  # None equals float64 to a dtype
            return False
    return True


@functools.cache
def _real_part(dtype: np.dtype) -> np.dtype | None:
    """The dtype of the real parts of floats and complex numbers; of others None."""
    return real_dtype(dtype) if dtype.kind in "fc" else None


def computed_by(value: Value, *names: str) -> Node | None:
    """``made_by`` of what may be regrouped with what reads it."""
    node = value.node
    if node is None or node.op.name not in names or not is_of_one_precision(node):
        return None
    return node


def inexact_by(value: Value, *names: str) -> Node | None:
    """``made_by`` of floats and complex numbers: they, and no integers, change signs exactly."""
    node = made_by(value, *names)
    return node if is_inexact(value) else None


def is_inexact(value: Value) -> bool:
    """Return whether this is a float or a complex number, or an array of them."""
    return isinstance(value.type, ArrayType) and value.type.dtype.kind in "fc"


def has_derivatives(graph: Graph) -> bool:
    return any(is_derived(node) for node in walk_nodes(graph.block))


def meet_as_one(a: Sequence[Dim], b: Sequence[Dim]) -> bool:
    """Return whether shapes that are broadcast against each other are the same: of two sizes of at
    least 2 neither is broadcast to the other. Different numbers never are.
    """
    return len(a) == len(b) and all(
        m == n or (is_long(m) and is_long(n) and not (isinstance(m, int) and isinstance(n, int)))
        for m, n in zip(a, b, strict=True)
    )


def are_of_one_size(a: Type, b: Type) -> bool:
    """Return whether types differ at most in what sizes are called that an elementwise op finds
    equal.
    """
    if not isinstance(a, ArrayType) or not isinstance(b, ArrayType):
        return a == b
    return (a.dtype, a.kind) == (b.dtype, b.kind) and meet_as_one(a.shape, b.shape)


# Sizes


def dims_at(block: Block) -> dict[Size, tuple[Value, int]]:
    """Where the sizes that parameters have can be read: a parameter and an axis."""
    found: dict[Size, tuple[Value, int]] = {}
    for value in block.parameters:
        for axis, dim in enumerate(shape_of(value)):
            if isinstance(dim, Size):
                found.setdefault(dim, (value, axis))
    return found


def varying_symbols(graph: Graph, nodes: Iterable[Node]) -> set[str]:
    """Symbols of sizes that change from turn to turn of some loop: they name no one length."""
    pairs = [(value, value) for value in graph.block.parameters]
    for node in nodes:
        if node.op is loop:
            view = LoopView(node)
            pairs += zip(view.carries, view.initial, strict=True)
            pairs += zip(view.carries, view.next_carries, strict=True)
            pairs += ((tape, tape) for tape in view.ys)
    return {symbol for pair in pairs for symbol in _varying(*(value.type for value in pair))}


def _varying(a: Type, b: Type) -> Iterator[str]:
    if isinstance(a, TapeType):
        yield from (dim.symbol for dim in _dims(a) if isinstance(dim, Size) and dim.open)
    elif isinstance(a, ArrayType) and isinstance(b, ArrayType):
        for dim, other in zip(a.shape, b.shape, strict=True):
            if isinstance(dim, Size) and dim != other:
                yield dim.symbol


def _dims(type_: Type) -> tuple[Dim, ...]:
    while isinstance(type_, (TapeType, ListType)):
        type_ = type_.element
    return type_.shape if isinstance(type_, ArrayType) else ()
