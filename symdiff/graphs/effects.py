"""What a function does besides computing: ``print``, ``raise``, writes to what lies outside, draws.

Nodes of the IR with effects enter; ``GraphEffect``s leave, in program order. They are no nodes of
the graph of derivatives: nothing is computed from what they do, and no sweep goes through them.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from symdiff.graphs.spelling import UNNAMED, Called, operands_of, shortened, spelled_node, written
from symdiff.ir.graph import Node, Value
from symdiff.ops.effects import (
    assert_,
    opaque_call,
    print_,
    raise_,
    set_attribute,
    set_item,
    spell_template,
    store,
)
from symdiff.source.trees import module_of

if TYPE_CHECKING:
    from symdiff.graphs.nodes import GraphNode
    from symdiff.graphs.view import ComputationGraph
    from symdiff.source import SourceSpan

_DEEPEST = 3  # how far what has no name is written out
_SHOWN = (print_, raise_, assert_, opaque_call, set_attribute, set_item, store)


def is_effect(node: Node) -> bool:
    """Return whether a node does something that a user would see."""
    return node.op in _SHOWN


class GraphEffect:
    """Something that a function does at a place in its program; ``id`` is its name in drawings.

    >>> import symdiff as sd
    >>> def f(x):
    ...     print("x is", x)
    ...     return x * x
    >>> (shown,) = sd.differentiable(f).graph("float").effects
    >>> shown.expression, shown.line, [node.name for node in shown.inputs]
    ("print('x is', x)", 2, ['x'])
    """

    __slots__ = ("_graph", "id", "ir")

    def __init__(self, graph: ComputationGraph, ir: Node, number: int) -> None:
        self._graph = graph
        self.ir = ir
        self.id = f"e{number}"

    @property
    def op(self) -> str:
        """What it is: ``print``, ``raise``, ``assert``, ``set_attribute``, ``set_item``, ``store``
        into an array from outside, or ``opaque_call`` of what is not followed.
        """
        return self.ir.op.name.rstrip("_")

    @property
    def expression(self) -> str:
        """What is done: nodes by their names, or as they are computed of such."""
        text = spelled_effect(self.ir, self._called)
        try:
            return ast.unparse(module_of(text))  # without parentheses that say nothing
        except SyntaxError:  # it is shortened, or something in it has no words
            return text

    def _called(self, value: Value, depth: int = _DEEPEST) -> str:
        name, node = self._graph.called(value), value.node
        if name != UNNAMED or node is None or node.blocks or not depth:
            return name
        made = spelled_node(node, lambda operand: self._called(operand, depth - 1))
        return f"({made})"

    @property
    def inputs(self) -> tuple[GraphNode, ...]:
        """The nodes that it reads, once for each use."""
        read = (value for value in self.ir.operands if self._graph.has(value))
        return tuple(map(self._graph.node, read))

    @property
    def span(self) -> SourceSpan | None:
        """The place in the user's source."""
        return self.ir.span

    @property
    def line(self) -> int | None:
        """The number of the user's line."""
        return None if self.span is None else self.span.line

    def __repr__(self) -> str:
        return f"<effect {self.id}: {self.expression}>"


def spelled_effect(node: Node, called: Called) -> str:
    """What a node does, as a statement."""
    operands = operands_of(node, called)
    if node.op is raise_:
        return shortened(f"raise {spelled_node(node, called)}")
    if node.op is assert_:
        return shortened(f"assert {ast.unparse(operands[0])}")
    if node.op is store:
        return shortened(f"{ast.unparse(operands[0])}[...] = {ast.unparse(operands[1])}")
    if node.op not in (set_attribute, set_item):
        return spelled_node(node, called)
    value, *rest = operands
    owner = written(spell_template(node.attributes["owner"], rest))
    if node.op is set_attribute:
        return shortened(f"{owner}.{node.attributes['name']} = {ast.unparse(value)}")
    key = written(spell_template(node.attributes["key"], rest))
    return shortened(f"{owner}[{key}] = {ast.unparse(value)}")
