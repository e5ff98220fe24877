"""Rows of a table outside the function that an index known at run time selects.

``[T_0_0, T_1_0, T_2_0][i]`` and ``[T_0_1, T_1_1, T_2_1][i]`` of a list ``T`` of three lists become
``T[i][0]`` and ``T[i][1]``; a list of all numbers of that row becomes ``T[i]``, if it is only read.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from symdiff.emit.expressions import subscript
from symdiff.ir.build import substitute
from symdiff.ir.graph import Block, Node, Value, uses, walk_blocks, walk_nodes
from symdiff.ir.signature import Path
from symdiff.ops.declare import StageOperation
from symdiff.ops.lists import list_get, list_new


def _spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    row = subscript(operands[0], operands[1])
    return reduce(subscript, map(ast.Constant, node.attributes["keys"]), row)


# Of the row that an index selects what ``keys`` lead to, or all of it.
row_part = StageOperation(
    "row_part", lambda whole, i, *, keys, type: (type,), raises=True, spelling=_spell
)


def read_rows(
    block: Block,
    whole: Value,
    content: Any,
    leaves: Mapping[Path, Value],
    reading: Mapping[Value, set[Any]],
    reads: frozenset[Any],
) -> None:
    """Let what an index selects of the columns of a table be read of its row, in place.

    ``reading`` has the ops that read each value, ``reads`` those that do nothing else to a list.
    """
    if not isinstance(content, list | tuple):
        return
    columns = _columns(block, len(content), leaves)
    for node in walk_nodes(block):
        keys = columns.get(node.operands[0]) if node.op is list_get else None
        if keys is not None and reading[node.operands[0]] == {list_get}:
            node.op, node.operands = row_part, (whole, node.operands[1])
            node.attributes = {"keys": keys, "type": node.result.type}
    if columns:
        _read_whole_rows(block, whole, content, reading, reads)


def _columns(block: Block, count: int, leaves: Mapping[Path, Value]) -> dict[Value, Path]:
    """The lists of what stands in one place of each row, with that place."""
    place = {value: keys for keys, value in leaves.items() if len(keys) > 1}
    found = {}
    for node in walk_nodes(block):
        first = place.get(node.operands[0]) if node.op is list_new and node.operands else None
        if first is not None:
            rest = first[1:]
            rows = [leaves.get((k, *rest)) for k in range(count)]
            if list(node.operands) == rows:
                found[node.result] = rest
    return found


def _read_whole_rows(
    block: Block,
    whole: Value,
    content: Sequence[Any],
    reading: Mapping[Value, set[Any]],
    reads: frozenset[Any],
) -> None:
    """Let a list of all numbers of a row be the row, which is read where its first part was."""
    rows: dict[Value, Value] = {}
    before: dict[Node, Node] = {}
    for node in walk_nodes(block):
        readers = reading.get(node.result, set()) if node.op is list_new else set()
        if readers and readers <= reads and _is_row(node, whole, content):
            first = node.operands[0].node
            assert first is not None
            if first not in before:
                before[first] = _row(first, node.result)
            rows[node.result] = before[first].result
    substitute(block, rows)
    for inner in walk_blocks(block):
        kept = [node for node in inner.nodes if not (node.op is list_new and node.result in rows)]
        inner.nodes[:] = [one for node in kept for one in (before.get(node), node) if one]
    read = uses(block)
    for inner in walk_blocks(block):
        inner.nodes[:] = list(_without_unread(inner.nodes, read))


def _row(part: Node, whole: Value) -> Node:
    """The row that a part is of, which is as the list of all parts is."""
    made = Value(whole.type, None, whole.name)
    attributes = {"keys": (), "type": made.type}
    made.node = Node(row_part, part.operands, attributes, (), (made,), part.span)
    return made.node


def _is_row(node: Node, whole: Value, content: Sequence[Any]) -> bool:
    """Return whether a list is made of all parts of one row, whichever that is."""
    parts = [value.node for value in node.operands]
    if any(type(row) not in (list, tuple) or len(row) != len(parts) for row in content):
        return False
    return all(
        part is not None
        and part.op is row_part
        and part.operands == (whole, node.operands[0].node.operands[1])  # type: ignore[union-attr]
        and part.attributes["keys"] == (k,)
        for k, part in enumerate(parts)
    )


def _without_unread(nodes: Sequence[Node], read: Container[Value]) -> Iterator[Node]:
    """The nodes without parts that nobody reads; one of each row stays, which may raise."""
    for is_part, some in itertools.groupby(nodes, lambda node: node.op is row_part):
        parts = list(some)
        if not is_part:
            yield from parts
            continue
        first = {node.operands: node for node in reversed(parts)}
        first |= {node.operands: node for node in reversed(parts) if node.result in read}
        yield from (n for n in parts if n.result in read or first[n.operands] is n)
