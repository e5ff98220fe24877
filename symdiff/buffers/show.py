"""Placed graphs as text: the graph, with what each node does to memory as a comment.

%3 = zeros_like(%0) : float64[n]
%4 = index_add(%3, %1; key=...) : float64[n]  # writes to %3
%5 = index(%4; key=...) : float64[m]  # a view of %4
%6 = copy(%5) : float64[m]  # a copy
"""

from __future__ import annotations

from collections.abc import Callable

from symdiff.buffers.facts import makes_view
from symdiff.buffers.lower import push
from symdiff.buffers.placed import Placed
from symdiff.ir.graph import Node, Value
from symdiff.ir.printer import print_graph

_COPIES = frozenset({"copy", "list_copy", "deep_copy", "copy_if_any", "contiguous"})


def print_placed(placed: Placed, *, spans: bool = False) -> str:
    """The text of a placed graph: of the graph itself, with what is decided as comments, and what
    is stored into the caller's arrays at its end.
    """
    shown: dict[Value, str] = {}

    def note(node: Node, use: Callable[[Value], str]) -> str | None:
        for value in (*placed.stores, *placed.stores.values()):
            if value in node.results:
                shown[value] = use(value)
        return _note(placed, node, use)

    return print_graph(placed.graph, spans=spans, note=note)


def _note(placed: Placed, node: Node, use: Callable[[Value], str]) -> str | None:
    base = placed.written(node)
    if base is not None:
        return f"writes to {use(base)}"
    if node.op is push:
        return "stored in a row" if "like" in node.attributes else "kept as it is"
    if node.op.name in _COPIES:
        return "a copy"
    viewed = node.operands[node.op.view or 0] if node.operands else None
    if viewed is not None and makes_view(node):
        return f"a view of {use(viewed)}"
    return None
