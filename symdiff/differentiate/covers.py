"""Reads that together take all of an array: ``x[:n]``, ``x[n:2 * n]`` and ``x[2 * n:]``.

Each goes along one axis, of the others all, from one cut to another. Where such reads lead from the
beginning to the end, they take every place, whatever the cuts are: the last cut that is not beyond
a place is followed by one that is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from symdiff.differentiate.activity import Edge
from symdiff.ir.graph import Block, Node, Value
from symdiff.ops.declare import array_type
from symdiff.ops.index import index, stretch_of, takes_all

Cut = Hashable
Stretches = dict[Cut, list[tuple[Cut, Node]]]
"""By the cut where they begin: where reads end, and which they are."""


def covers(edges: Iterable[Edge]) -> dict[Node, list[Node]]:
    """For reads that take all of their array together with others of the same block: these others
    and themselves, in one list. What takes all alone has an empty list.
    """
    edges = [e for e in edges if e.node.op is index and e.source is e.node.operands[0]]
    found: dict[Node, list[Node]] = {edge.node: [] for edge in edges if takes_all(edge.node)}
    for (source, _, axis), stretches in _stretches(edges).items():
        path = _path(stretches, array_type(source).shape[axis])
        found.update(dict.fromkeys(path, path))
    return found


def _stretches(edges: Iterable[Edge]) -> dict[tuple[Value, Block, int], Stretches]:
    found: dict[tuple[Value, Block, int], Stretches] = {}
    for edge in edges:
        stretch = stretch_of(edge.node)
        if stretch is not None:
            axis, start, stop = stretch
            stretches = found.setdefault((edge.source, edge.place, axis), {})
            stretches.setdefault(start, []).append((stop, edge.node))
    return found


def _path(stretches: Stretches, end: Cut) -> list[Node]:
    """The reads that lead from the beginning to the end; none where they do not."""
    reached: dict[Cut, tuple[Cut, Node] | None] = {0: None}
    pending: list[Cut] = [0]
    while pending and end not in reached:
        start = pending.pop()
        for stop, node in stretches.get(start, ()):
            if stop not in reached:
                reached[stop] = (start, node)
                pending.append(stop)
    path, step = list[Node](), reached.get(end)
    while step is not None:
        path.append(step[1])
        step = reached[step[0]]
    return path
