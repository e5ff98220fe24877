"""What ops and types tell of memory, for those that decide where values lie and who checks it."""

from __future__ import annotations

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType, ListType, TapeType, Type
from symdiff.ops.index import is_view

LIST_READS = frozenset({"list_get", "list_pop"})
OWNERS = frozenset({"list_zeros_like", "deep_copy"})  # of what is in the list, too


def in_memory(value: Value) -> bool:
    """Return whether the value is held in memory that others can share: not a number."""
    return not isinstance(value.type, ArrayType) or value.type.kind == "array"


def makes_view(node: Node) -> bool:
    """Return whether the first result of a node is held in memory, that of an operand."""
    return bool(node.results) and in_memory(node.results[0]) and is_view(node)


def may_be_operand(node: Node) -> bool:
    """``np.einsum`` of one operand gives views; the sum of an empty list is what it starts from."""
    return node.op.name == "list_total" or (node.op.name == "einsum" and len(node.operands) == 1)


def is_of_numbers(type_: Type) -> bool:
    """Return whether a list or a tape holds numbers, which nothing can be written to."""
    inner = type_.element if isinstance(type_, ListType | TapeType) else None
    return isinstance(inner, ArrayType) and inner.kind != "array"


def takes_whole(made: Type, given: Type) -> bool:
    """Return whether what is made of an operand may hold the operand: a list as deep as that holds
    what is in it.
    """
    return not isinstance(made, ListType) or _depth(given) < _depth(made)


def _depth(type_: Type) -> int:
    """How many lists lie in each other."""
    depth = 0
    while isinstance(type_, ListType):
        depth, type_ = depth + 1, type_.element
    return depth
