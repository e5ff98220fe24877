"""What every value is called."""

from __future__ import annotations

from collections.abc import Iterator

from symdiff.emit.namespace import Namespace
from symdiff.emit.prepare import WRITES
from symdiff.ir.build import constant
from symdiff.ir.control import LoopView, loop, undefined
from symdiff.ir.graph import Block, Node, Value, walk_nodes

_SUFFIX = {"primal": "", "cotangent": "_bar", "tangent": "_dot"}


def assign_names(block: Block, used: frozenset[Value], namespace: Namespace) -> dict[Value, str]:
    """A name for each value of the block that needs a variable."""
    names: dict[Value, str] = {}
    for node in walk_nodes(block):
        for value in _variables(node, used):
            names[value] = namespace.fresh(hint_of(value))
        if node.op in WRITES:
            names[node.result] = names[node.operands[0]]
    return names


def hint_of(value: Value) -> str:
    """What a value would be called by itself."""
    base = value.name or "t"
    suffix = _SUFFIX[value.role]
    return base if not value.name or base.endswith(suffix) else base + suffix


def _variables(node: Node, used: frozenset[Value]) -> Iterator[Value]:
    if node.op is loop:
        view = LoopView(node)
        for value in (
            *view.finals,
            view.index,
            *view.carries,
            *view.elements,
            *view.ys,
            view.turns,
        ):
            if value in used or value in view.carries:
                yield value
        if view.condition is not None:
            yield from (v for v in view.condition.parameters if v in used)
    elif node.op not in WRITES and node.op not in (constant, undefined):
        yield from (v for v in node.results if v in used)
