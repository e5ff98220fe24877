"""Which nodes are equal: their keys, and tables that last as long as a block.

``key_of_node`` gives what two nodes must have in common to be one: op, operands and attributes,
told apart to the bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symdiff.ir.control import CALLS, undefined
from symdiff.ir.graph import Attributes, Node, Op, Value
from symdiff.ir.types import ArrayType, ListType, Type
from symdiff.ops.facts import number_of
from symdiff.ops.residuals import pack

_COMMUTES = frozenset({"add", "multiply"})


def key_of_node(
    node: Node, has_derivatives: bool, equal: Mapping[Value, Value] | None = None
) -> Any:
    """What two nodes must have in common to be one, or None for a node that is always its own.

    ``equal`` has, for operands that are known to be equal to others, one of these.
    """
    op = node.op
    if op.effect or op.evaluate is None or node.blocks or op in (*CALLS, undefined):
        return None
    for value in node.results:
        if _is_own(op, value.type, has_derivatives):
            return None
    operands = node.operands
    if equal:
        operands = tuple([equal.get(value, value) for value in operands])
    if op.name in _COMMUTES:
        a, b = operands
        operands = (a, b) if a.number < b.number else (b, a)
    if not node.attributes:
        return op, operands
    attributes = frozen_attributes(node.attributes)
    return None if attributes is None else (op, operands, *attributes)


def frozen_attributes(attributes: Attributes) -> tuple[Any, ...] | None:
    """A hashable stand-in for the attributes of a node; None where there is none."""
    found = tuple([(key, frozen(value)) for key, value in sorted(attributes.items())])
    try:
        hash(found)
    except TypeError:
        return None
    return found


def _is_own(op: Op, type_: Type, has_derivatives: bool) -> bool:
    """Return whether a result is made to be changed: a list, a new array. Arrays of indices seldom
    are. What is packed has cotangents of its own, too, which are not added.
    """
    if isinstance(type_, ListType) or op is pack:
        return True
    if not op.fresh:
        return False
    index = isinstance(type_, ArrayType) and type_.dtype.kind in "iub"
    return not (has_derivatives and index and op.name == "array")


def frozen(value: Any) -> Any:
    """A hashable stand-in for an attribute that tells 1, 1.0 and True apart, and 0.0 from -0.0."""
    if isinstance(value, np.ndarray):
        return ("array", value.dtype, value.shape, value.tobytes())
    if isinstance(value, np.generic):
        return ("scalar", value.dtype, value.tobytes())
    if isinstance(value, tuple):
        return tuple(map(frozen, value))
    if isinstance(value, (float, complex)):
        return (type(value), repr(value))
    return (type(value), value)


class Scoped:
    """A table whose entries last as long as the block in which they are made.

    ``journal`` has what was added to several tables in order, so that it can be taken back.
    """

    def __init__(self, journal: Journal) -> None:
        self.entries: dict[Any, Any] = {}
        self.journal = journal

    def add(self, key: Any, entry: Any) -> None:
        if key not in self.entries:
            self.entries[key] = entry
            self.journal.append((self.entries, key))


Journal = list[tuple[dict[Any, Any], Any]]


def take_back(journal: Journal, length: int) -> None:
    """Remove what was added since the journal was of this length."""
    while len(journal) > length:
        entries, key = journal.pop()
        del entries[key]


def are_same_constant(a: Value, b: Value) -> bool:
    known = number_of(a), number_of(b)
    return known[0] is not None and known[1] is not None and frozen(known[0]) == frozen(known[1])
