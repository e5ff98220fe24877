"""Lengths that are known to be equal once a block has run, whatever they are called.

    a, b = x[i : i + h], x[i + h : i + 2 * h]
    x[i : i + h] = a + b                sum and difference are as long as a part each, or 1
    x[i + h : i + 2 * h] = a - b        long, else this raises: so the parts are as long

The nodes of a block enter; cotangents in its sweep, which runs where nothing of it has raised,
leave with one name for such lengths, and no tests of them. What is broadcast to a length is as
long, or 1 long; where this holds in both directions, lengths are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from symdiff.ir.build import builder
from symdiff.ir.graph import Node
from symdiff.ir.reach import components
from symdiff.ir.types import ArrayType, Dim, Size
from symdiff.ops.declare import DeclaredOp, array_type, broadcast_shapes
from symdiff.ops.index import index, index_add, index_set
from symdiff.ops.reduce import unbroadcast

Names = Mapping[Dim, Dim]
"""Lengths that others are equal to, each with one name for all that are equal."""


@contextmanager
def equal_lengths_named_alike(nodes: Sequence[Node]) -> Iterator[None]:
    """Let cotangents that are built meanwhile, in this block, have one name for equal lengths."""
    current = builder()
    names, before = _equal_lengths(nodes), current.after
    if not names:
        yield
        return

    def named(node: Node) -> Node:
        if builder() is current:
            _name_lengths(node, names)
        return node if before is None else before(node)

    current.after = named
    try:
        yield
    finally:
        current.after = before


def _name_lengths(node: Node, names: Names) -> None:
    """Give a new node's results the names; what is summed to lengths that it has tests nothing."""
    if node.op in (index, index_set, index_add, unbroadcast):
        shape = _named(node.attributes["shape"], names)
        if node.op is unbroadcast:
            pairs = zip(array_type(node.operands[0]).shape, shape, strict=True)
            shape = tuple(m if names.get(m) == n else n for m, n in pairs)
        node.attributes = {**node.attributes, "shape": shape}
    for value in node.results:
        if isinstance(value.type, ArrayType):
            shape = _broadcast(node, names) if _is_elementwise(node) else value.type.shape
            value.type = replace(value.type, shape=_named(shape, names))


def _broadcast(node: Node, names: Names) -> tuple[Dim, ...]:
    """The shape of what is computed element by element, of primal values, too."""
    return broadcast_shapes(*(_named(array_type(v).shape, names) for v in node.operands))


def _named(shape: Sequence[Dim], names: Names) -> tuple[Dim, ...]:
    return tuple(names.get(dim, dim) for dim in shape)


def _is_elementwise(node: Node) -> bool:
    return isinstance(node.op, DeclaredOp) and node.op.elementwise


def _equal_lengths(nodes: Sequence[Node]) -> Names:
    if not any(node.op in (index_set, index_add) for node in nodes):
        return {}  # elements alone are as long in one direction
    longer: dict[Dim, dict[Dim, None]] = {}
    for node in nodes:
        for short, long in _broadcasts(node):
            if short != long:
                longer.setdefault(short, {})[long] = None
                longer.setdefault(long, {})
    groups = enumerate(components(longer))
    group_of = {dim: k for k, group in groups if len(group) > 1 for dim in group}
    first: dict[int, Dim] = {}
    for dim in longer:
        if dim in group_of:
            first.setdefault(group_of[dim], dim)
    return {dim: first[k] for dim, k in group_of.items()}


def _broadcasts(node: Node) -> Iterator[tuple[Dim, Dim]]:
    """Lengths, each with one that it is broadcast to."""
    if node.op in (index_set, index_add):
        yield from _aligned(array_type(node.operands[1]).shape, node.attributes["shape"])
    elif _is_elementwise(node):
        for operand in node.operands:
            if isinstance(operand.type, ArrayType):
                yield from _aligned(operand.type.shape, array_type(node.result).shape)


def _aligned(shape: Sequence[Dim], whole: Sequence[Dim]) -> Iterable[tuple[Dim, Dim]]:
    """The lengths of axes, counted from the last."""
    pairs = zip(reversed(shape), reversed(whole), strict=False)
    return ((m, n) for m, n in pairs if isinstance(m, Size) and isinstance(n, Size))
