"""Windows that arrays of places take from images, and that are put in rows at once, are copied from
one view of the image.

    columns = x[:, i, j, :].reshape(n, -1)      ``take_at(x, (slice(None), i, j, slice(None)))``

NumPy takes element by element, and lays the result out in another order, so that its rows are one
more copy. A program with derivatives enters and leaves, with the same bits. Only what nothing but
``reshape`` reads is taken so: of other arrays the order in memory may round sums otherwise.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from symdiff.ir.build import copy_block, with_block
from symdiff.ir.graph import Block, Graph, Node, Value, walk_blocks, walk_nodes
from symdiff.ir.types import ArrayType
from symdiff.ops import support
from symdiff.ops.declare import StageOperation, array_type, supporting
from symdiff.ops.index import index, key_of
from symdiff.ops.keys import Key, Slice, Slot, actual_key, spell_argument
from symdiff.ops.shape import reshape
from symdiff.ops.sizes import size
from symdiff.optimise.facts import has_derivatives


def _evaluate(x: Any, *dynamic: Any, key: Key, shape: Any) -> Any:
    return support.take_at(x, actual_key(key, dynamic))


def _spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    where = spell_argument(node.attributes["key"], operands[1:])
    return ast.Call(supporting(support.take_at), [operands[0], where], [])


_take_at = StageOperation(
    "take_at",
    lambda x, *dynamic, key, shape: (ArrayType(x.dtype, tuple(shape)),),
    _evaluate,
    raises=True,
    spelling=_spell,
)


def take_windows(graph: Graph) -> Graph:
    """The graph with windows taken at once; the graph itself where there are none."""
    if not has_derivatives(graph) or not _windows(graph.block):
        return graph
    block = copy_block(graph.block, {})
    for node in _windows(block):
        node.op = _take_at
    return with_block(graph, block)


def _windows(block: Block) -> list[Node]:
    """Reads by arrays of places of which only another shape is read, and lengths."""
    found = [node for node in walk_nodes(block) if node.op is index and _is_by_places(node)]
    if not found:
        return []
    readers: dict[Value, list[Node | None]] = {node.result: [] for node in found}
    for inner in walk_blocks(block):
        _note_readers(inner, readers)
    return [node for node in found if _are_shapes(readers[node.result])]


def _note_readers(block: Block, readers: Mapping[Value, list[Node | None]]) -> None:
    for value in block.results:
        if value in readers:
            readers[value].append(None)
    for node in block.nodes:
        for value in node.operands:
            if value in readers:
                readers[value].append(node)


def _are_shapes(readers: Sequence[Node | None]) -> bool:
    ops = [None if node is None else node.op for node in readers]
    return reshape in ops and all(op in (reshape, size) for op in ops)


def _is_by_places(node: Node) -> bool:
    """Return whether a key names places by arrays side by side, of two axes or more."""
    key, dynamic = key_of(node)
    if array_type(node.operands[0]).kind != "array":
        return False
    if not all(isinstance(entry, (Slot, Slice)) for entry in key):
        return False
    types = [array_type(dynamic[entry.number]) for entry in key if isinstance(entry, Slot)]
    arrays = all(type_.rank and type_.dtype.kind in "iu" for type_ in types)
    return arrays and max((type_.rank for type_ in types), default=0) > 1
