"""Copies as nodes: a graph enters, one leaves in which every write may be made in place."""

from __future__ import annotations

from symdiff.ir.build import Builder, building, constant, copy_block
from symdiff.ir.control import call, cond, loop, undefined
from symdiff.ir.graph import Block, Graph, Node, Value, walk_nodes
from symdiff.ir.types import ArrayType
from symdiff.ops.index import index_add, index_set
from symdiff.ops.shape import copy

WRITES = (index_set, index_add)
_NOT_FRESH = (constant, loop, cond, call, undefined)


def prepared(graph: Graph, fresh: bool) -> Graph:
    """A deep copy of ``graph`` in which writes have operands of their own, and results too."""
    block = copy_block(graph.block, {})
    blocks = [block, *(inner for node in walk_nodes(block) for inner in node.blocks)]
    for inner in blocks:
        inner.nodes[:] = [new for node in inner.nodes for new in _with_copies(node)]
    if fresh:
        _own_results(block)
    return Graph(
        graph.name, block, graph.inputs, graph.output, graph.mutated, graph.docstring, graph.span
    )


def _with_copies(node: Node) -> list[Node]:
    if node.op not in WRITES:
        return [node]
    copied = copy_of(node.operands[0], node)
    node.operands = (copied.result, *node.operands[1:])
    return [copied, node]


def copy_of(value: Value, reader: Node | None = None) -> Node:
    """A node that copies ``value``, marked as what reads it."""
    with building(Builder([], None if reader is None else reader.span)) as builder:
        builder.name = value.name
        builder.role = value.role if reader is None else reader.results[0].role
        node = builder.emit(copy, (value,))
    return node


def _own_results(block: Block) -> None:
    seen: set[Value] = set()
    results = []
    for value in block.results:
        if isinstance(value.type, ArrayType) and value.type.kind == "array":
            if value in seen or not _is_fresh(value):
                block.nodes.append(copy_of(value))
                value = block.nodes[-1].result
            seen.add(value)
        results.append(value)
    block.results = tuple(results)


def _is_fresh(value: Value) -> bool:
    node = value.node
    return node is not None and node.op not in _NOT_FRESH and node.op.view is None
