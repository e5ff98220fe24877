"""Graphs that keep what names got: where the records of values and of cotangents are.

A graph that was staged with kept names makes a record, and keeps values in it (``ops.recording``).
Reverse mode leaves a ``tapped`` node for the cotangent of each of them; here these get the record
that they go to, or a name of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symdiff.differentiate import Split
from symdiff.ir.build import Builder, building, copy_block, substitute, with_block
from symdiff.ir.called import called_by, with_called
from symdiff.ir.control import CALLS
from symdiff.ir.graph import Block, Graph, Input, Node, Value, walk_nodes
from symdiff.ir.structure import Container, Leaf, Structure
from symdiff.ops import recording
from symdiff.ops.index import index, index_set
from symdiff.ops.keys import Slot
from symdiff.ops.recording import RECORD, keep, tap, tapped


def _returning(graph: Graph, value: Value, items: tuple[Structure, ...]) -> Graph:
    """The graph that returns a tuple of ``items`` and a value."""
    block = graph.block
    results = (*block.results, value)
    items = (*items, Leaf(len(block.results)))
    output = Container(tuple, tuple(range(len(items))), items)
    made = with_block(graph, Block(block.parameters, block.nodes, results))
    return replace(made, output=output)


def record_of(block: Block) -> Value:
    """The record in which a staged graph keeps values."""
    return next(node.result for node in block.nodes if node.op is recording.record)


def entries(graph: Graph) -> int:
    """How many of the values that are kept are arguments; they come first."""
    return sum(1 for node in graph.block.nodes if node.op is keep and node.attributes["entry"])


def returning_record(graph: Graph) -> Graph:
    """The graph that returns its record beside what it returns."""
    return _returning(graph, record_of(graph.block), (graph.output,))


def recorded(split: Split) -> Split:
    """A derivative in two graphs, of which the second keeps cotangents in a record of its own.

    That is its last result.
    """
    return replace(split, forward=untapped(split.forward), backward=_recording(split.backward))


def _recording(graph: Graph) -> Graph:
    block = copy_block(graph.block, {})
    with building(Builder([], graph.span)) as made:
        kept = recording.record()
        kept.name = "kept"
    block.nodes[:0] = made.nodes
    block.results = (*block.results, kept)
    return untapped(_complete(with_block(graph, block)))


def retaining(graph: Graph, names: tuple[str, ...]) -> Graph:
    """A graph of value and gradient that returns ``{name: cotangent of its last value}`` third."""
    assert isinstance(graph.output, Container)
    completed = _complete(with_block(graph, copy_block(graph.block, {})))
    block = completed.block
    with building(Builder(block.nodes, graph.span)):
        retained = recording.retained(record_of(block), names=names)
        retained.name = "retained"
    return untapped(_returning(completed, retained, graph.output.items))


def _complete(graph: Graph) -> Graph:
    """The graph in which cotangents that were tapped go to its record; graphs that it calls are
    handed it.
    """
    if not is_tapped(graph):
        return graph
    made = with_called(graph, _handed)
    *parameters, handed = made.block.parameters
    substitute(made.block, {handed: record_of(made.block)})
    made.block.parameters = tuple(parameters)
    return replace(made, inputs=made.inputs[:-1])


def _handed(graph: Graph) -> Graph:
    """The graph with a record as its last parameter, if it has cotangents for one."""
    if not is_tapped(graph):
        return graph
    block = copy_block(graph.block, {})
    record = Value(RECORD, None, "kept")
    for node in walk_nodes(block):
        if _goes_nowhere(node) or (node.op in CALLS and is_tapped(node.attributes["callee"].graph)):
            node.operands = (*node.operands, record)
    block.parameters = (*block.parameters, record)
    inputs = (*graph.inputs, Input(("kept",), "derived"))
    return replace(with_block(graph, block), inputs=inputs)


def with_named_cotangents(graph: Graph) -> Graph:
    """A gradient graph in which cotangents that were tapped are values of names: ``h_bar``; but
    not in graphs that it calls.
    """
    if not is_tapped(graph):
        return graph
    block = copy_block(graph.block, {})
    kept = record_of(block)
    _replace_nodes(block, lambda node: [_named(node, kept)])
    return with_called(with_block(graph, block), _without_tapped)


def _without_tapped(graph: Graph) -> Graph:
    block = copy_block(graph.block, {})
    _replace_nodes(block, lambda node: [] if _goes_nowhere(node) else [node])
    return with_block(graph, block)


def _replace_nodes(block: Block, change: Callable[[Node], list[Node]]) -> None:
    """Put other nodes in the place of each, in nested blocks too."""
    pending = [block]
    while pending:
        inner = pending.pop()
        inner.nodes[:] = [new for node in inner.nodes for new in change(node)]
        pending += [nested for node in inner.nodes for nested in node.blocks]


def _named(node: Node, kept: Value) -> Node:
    if not _goes_nowhere(node):
        return node
    g, _ = node.operands
    origin = node.attributes
    name = f"{origin['name']}_bar{origin['leaf'] or ''}"
    attributes = {"name": name, "line": origin["line"], "template": Slot(0), "entry": False}
    made = Node(keep, (kept, g), attributes, (), (), node.span)
    (type_,) = keep.infer(**attributes)
    made.results = (Value(type_, made, f"{name}_at", "cotangent"),)
    return made


def untapped(graph: Graph) -> Graph:
    """The graph without what marked values, once cotangents go where they are kept."""
    return with_called(graph, _untapped)


def _untapped(graph: Graph) -> Graph:
    block = copy_block(graph.block, {})
    new: dict[Value, Value] = {}
    _replace_nodes(block, lambda node: [] if _is_mark(node, new) else [node])
    substitute(block, new)
    return with_block(graph, block)


def _is_mark(node: Node, new: dict[Value, Value]) -> bool:
    """Map what a node that only marks a value gives to that value; return whether it is one."""
    node.operands = tuple(new.get(value, value) for value in node.operands)
    if _goes_nowhere(node):
        return True
    if node.op is tap or _writes_what_is_there(node):
        new[node.result] = node.operands[0]
        return True
    return False


def _writes_what_is_there(node: Node) -> bool:
    """Return whether a write puts what was read at a place where it was: a view that was marked."""
    if node.op is not index_set:
        return False
    base, read, *dynamic = node.operands
    made = read.node
    return (
        made is not None
        and made.op is index
        and made.operands == (base, *dynamic)
        and made.attributes["key"] == node.attributes["key"]
        and read.type == index.infer(*(v.type for v in made.operands), **made.attributes)[0]
    )


def is_tapped(graph: Graph) -> bool:
    """Return whether there are cotangents that were tapped and go nowhere, in graphs that it calls
    too.
    """
    nodes = (node for one in (graph, *called_by(graph)) for node in walk_nodes(one.block))
    return any(map(_goes_nowhere, nodes))


def _goes_nowhere(node: Node) -> bool:
    return node.op is tapped and len(node.operands) == 2
