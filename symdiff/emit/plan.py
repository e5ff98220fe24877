"""What is decided about a graph before any of it is printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdiff.ir.graph import Graph, GraphCell, Value


@dataclass(frozen=True, slots=True)
class Plan:
    """``graph`` with its copies in; names of all values that have a variable; values that have none.

    ``used``: values that are read. ``callees``: the functions that calls of graphs call.
    """

    graph: Graph
    names: Mapping[Value, str]
    folded: frozenset[Value]
    used: frozenset[Value]
    callees: Mapping[GraphCell, str]
