"""The paths of a function that its programs do not compute: they raise a refusal where they are
taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from symdiff.errors import tells_of_a_path
from symdiff.ir.called import called_by
from symdiff.ir.graph import Graph, walk_nodes
from symdiff.ops.effects import raise_


def refused_paths(graphs: Iterable[Graph]) -> list[dict[str, Any]]:
    """Each place that was refused, once, and why, in the order of the program."""
    told = dict.fromkeys(message for graph in graphs for message in _messages(graph))
    return [_in_parts(message) for message in told]


def _messages(graph: Graph) -> Iterator[str]:
    for one in (graph, *called_by(graph)):
        for node in walk_nodes(one.block):
            given = node.attributes.get("arguments") if node.op is raise_ else None
            if given and tells_of_a_path(given[0]):
                yield given[0]


def _in_parts(message: str) -> dict[str, Any]:
    """``file:line:column: what`` in its parts; the other lines say more of the same."""
    first = message.splitlines()[0]
    found = _PLACED.fullmatch(first)
    return {"at": found[1], "what": found[2]} if found else {"at": "", "what": first}


_PLACED = re.compile(r"(.+?:\d+:\d+): (.*)")
