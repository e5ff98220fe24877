"""Building IR: the current block, new nodes, copies of old ones.

One builder is current in a thread at a time; calling an op (``cos(x)``) or computing with values
(``g * x``) adds a node to it. Nodes get the builder's current span, role and name.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from symdiff.errors import SymdiffError, told_by
from symdiff.ir.graph import Attributes, Block, Graph, Node, Op, Operand, Role, Value, walk_blocks
from symdiff.ir.types import Dim, type_of_constant, with_own_sizes
from symdiff.source import SourceSpan

_current: ContextVar[Builder] = ContextVar("symdiff_builder")


class Builder:
    """Appends nodes to ``nodes``. ``span``, ``role`` and ``name`` mark what it makes.

    ``after`` is given each new node and gives the one to go on with; builders made meanwhile
    inherit it. ``around`` was the current builder when this one was made; ``lengths`` has what is
    known of lengths of arrays made here (see ``ops.fitting``).
    """

    def __init__(self, nodes: list[Node] | None = None, span: SourceSpan | None = None) -> None:
        self.nodes: list[Node] = [] if nodes is None else nodes
        self.span = span
        self.role: Role = "primal"
        self.name: str | None = None
        self.around = around = _current.get(None)
        self.after: Callable[[Node], Node] | None = around.after if around else None
        self.lengths: dict[Hashable, tuple[int, Node, Dim, int]] = {}

    def emit(
        self,
        op: Op,
        operands: Sequence[Operand],
        attributes: Attributes | None = None,
        blocks: tuple[Block, ...] = (),
    ) -> Node:
        """A new node at the end of the block, types inferred; Python numbers become constants."""
        values = tuple([v if isinstance(v, Value) else self.constant(v) for v in operands])
        attributes = {} if attributes is None else attributes
        node = Node(op, values, attributes, blocks, (), self.span)
        types = op.infer(node) if blocks else op.infer(*[v.type for v in values], **attributes)
        node.results = tuple([Value(t, node, self.name, self.role) for t in types])
        if op.varied:
            for result in node.results:
                result.type = with_own_sizes(result.type, result.number)
        self.add(node)
        return node if self.after is None else self.after(node)

    def emit_again(self, op: Op, operands: Sequence[Operand], attributes: Attributes) -> Node:
        """A new node that computes what was computed before, with other values: it cannot raise."""
        return self.emit(op, operands, attributes)

    def add(self, node: Node) -> None:
        """Put a new node at the end of the block."""
        self.nodes.append(node)

    def value(self, operand: Operand) -> Value:
        return operand if isinstance(operand, Value) else self.constant(operand)

    def constant(self, value: Any) -> Value:
        """A value known at compile time: a Python number, NumPy scalar or (small) array."""
        return self.emit(constant, (), {"value": _plain(value)}).result


def _plain(value: Any) -> Any:
    """The number itself of an object of a class below Python's: a member of an enumeration, say."""
    if type(value) in _PLAIN or isinstance(value, np.generic):
        return value
    own = next((kind for kind in _PLAIN if isinstance(value, kind)), None)
    return value if own is None else own.__pos__(value)


_PLAIN: tuple[Any, ...] = (bool, int, float, complex)


constant = Op(
    "constant", lambda *, value: (type_of_constant(value),), lambda *, value: value, cost="free"
)


def is_constant(value: Value) -> bool:
    """Return whether a value is a constant."""
    return value.node is not None and value.node.op is constant


def constant_value(value: Value) -> Any:
    """The number or the array that a value is known to be, or None."""
    node = value.node
    return node.attributes["value"] if node is not None and node.op is constant else None


def builder() -> Builder:
    """The current builder."""
    return _current.get()


def builder_if_any() -> Builder | None:
    """The current builder; None where a graph is only read."""
    return _current.get(None)


class building:  # noqa: N801 - it is used as a function is
    """Make ``into`` the current builder."""

    __slots__ = ("into", "token")

    def __init__(self, into: Builder) -> None:
        self.into = into

    def __enter__(self) -> Builder:
        self.token = _current.set(self.into)
        return self.into

    def __exit__(self, *_: object) -> None:
        _current.reset(self.token)


class marked:  # noqa: N801 - it is used as a function is
    """Mark what is built meanwhile with a span, a role and a name (those given); errors too."""

    __slots__ = ("before", "builder", "name", "role", "span")

    def __init__(
        self, span: SourceSpan | None = None, role: Role | None = None, name: str | None = None
    ) -> None:
        self.span, self.role, self.name = span, role, name

    def __enter__(self) -> None:
        b = self.builder = builder()
        self.before = b.span, b.role, b.name
        b.span, b.role, b.name = self.span or b.span, self.role or b.role, self.name

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        b = self.builder
        b.span, b.role, b.name = self.before
        if isinstance(error, SymdiffError):
            raise (error if self.span is None else error.with_span(self.span)) from told_by(error)
        if isinstance(error, Exception):
            # of the node, should it prove to be a fault
            vars(error).setdefault("span", self.span)


def copy_into(node: Node, new: dict[Value, Value]) -> Node:
    """Append a copy of ``node`` to the current builder and map its results in ``new``."""
    copied = _copied(node, new)
    builder().nodes.append(copied)
    return copied


def _copied(node: Node, new: dict[Value, Value]) -> Node:
    operands = [new.get(v, v) for v in node.operands]
    blocks = tuple([copy_block(block, new) for block in node.blocks])
    copied = remade(node, operands, blocks)
    new.update(zip(node.results, copied.results, strict=True))
    return copied


def remade(
    node: Node,
    operands: Sequence[Value],
    blocks: tuple[Block, ...] = (),
    results: Sequence[Value] | None = None,
    attributes: Attributes | None = None,
) -> Node:
    """A node like another one, of other operands and blocks, with new values for its results.

    ``results`` are those that it still has, ``attributes`` others than it had.
    """
    given = node.attributes if attributes is None else attributes
    left = node.results if results is None else results
    made = Node(node.op, tuple(operands), given, blocks, (), node.span)
    made.results = tuple([Value(v.type, made, v.name, v.role) for v in left])
    return made


def substitute(block: Block, new: Mapping[Value, Value]) -> None:
    """Let everything in a block and the blocks in it read the new values instead."""
    if not new:
        return
    for inner in walk_blocks(block):
        inner.results = tuple([new.get(v, v) for v in inner.results])
        for node in inner.nodes:
            node.operands = tuple([new.get(v, v) for v in node.operands])


def copy_block(block: Block, new: dict[Value, Value]) -> Block:
    """A deep copy of a block; values that ``new`` does not map and the block captures stay."""
    parameters = renewed(block.parameters)
    new.update(zip(block.parameters, parameters, strict=True))
    nodes = [_copied(node, new) for node in block.nodes]
    return Block(parameters, nodes, tuple(new.get(v, v) for v in block.results))


def are_same(a: Block, b: Block) -> bool:
    """Return whether blocks have the same parameters, nodes and results."""
    return (a.parameters, a.nodes, a.results) == (b.parameters, b.nodes, b.results)


def renewed(parameters: Sequence[Value]) -> tuple[Value, ...]:
    """New values like those that are no node's results."""
    return tuple([Value(v.type, None, v.name, v.role) for v in parameters])


def with_block(graph: Graph, block: Block) -> Graph:
    """The graph with another block, of the same inputs and results."""
    return Graph(
        graph.name,
        block,
        graph.inputs,
        graph.output,
        dict(graph.mutated),
        graph.docstring,
        graph.span,
    )
