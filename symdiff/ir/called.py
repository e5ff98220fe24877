"""Graphs that are called: they are changed with the graph that calls them, in cells of their own.

A cell is shared by all that call its graph, so none that is given is changed: where one of the
graphs reached by calls becomes another, all of them are copied, their calls led to new cells, and
these filled with the copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.ir.build import copy_block, with_block
from symdiff.ir.graph import Graph, GraphCell, Node, Value, walk_nodes
from symdiff.ir.reach import reached
from symdiff.ir.structure import Container
from symdiff.source import SourceSpan


@dataclass(eq=False, slots=True)
class Activation:
    """A call of a function that is followed in its place: by ``caller``, at ``span``.

    ``function`` tells functions apart, which are ``defined`` where that says; ``arguments`` are the
    parameters' names by their values.
    """

    name: str
    caller: Activation | None
    function: Any
    arguments: Mapping[Value, str]
    span: SourceSpan | None
    defined: SourceSpan | None


def with_called(graph: Graph, change: Callable[[Graph], Graph]) -> Graph:
    """The graph changed, and with it every graph that it calls, directly or not.

    The graph itself where ``change`` gives back each as it is; it changes none that it is given.
    """
    if not calls_in(graph):
        return change(graph)
    known = called_cells(graph)
    graphs = {id(cell.graph): cell.graph for cell in known if cell.graph is not None}
    graphs[id(graph)] = graph
    changed = {key: change(one) for key, one in graphs.items()}
    if all(changed[key] is one for key, one in graphs.items()):
        return graph
    cells = {id(cell): GraphCell(cell.name) for cell in known}
    made = {key: _redirected(one, cells) for key, one in changed.items()}
    for cell in known:
        cells[id(cell)].graph = made.get(id(cell.graph))
    return made[id(graph)]


def called_by(graph: Graph) -> list[Graph]:
    """The graphs that a graph calls, directly or not; itself where it is one of them."""
    return [cell.graph for cell in called_cells(graph) if cell.graph is not None]


def called_cells(graph: Graph) -> list[GraphCell]:
    """The cells of all calls in a graph and in the graphs that it calls, each once."""
    return list(reached(callees(graph), lambda cell: callees(cell.graph)))


def with_nodes_called(nodes: Sequence[Node]) -> Iterator[Node]:
    """Nodes with those in their blocks, and in the graphs that are called there."""
    around = Graph.of_values("", (), list(nodes), (), Container(tuple, (), ()))
    for graph in (around, *called_by(around)):
        yield from walk_nodes(graph.block)


def callees(graph: Graph | None) -> list[GraphCell]:
    """The cell of each call in a graph; none where a cell's graph is not known yet."""
    return [node.attributes["callee"] for node in calls_in(graph)] if graph is not None else []


def calls_in(graph: Graph) -> list[Node]:
    """The calls of graphs that stand in a graph itself."""
    return [node for node in walk_nodes(graph.block) if "callee" in node.attributes]


def _redirected(graph: Graph, cells: dict[int, GraphCell]) -> Graph:
    """A copy whose calls are of the new cells; what the change has made anew is called as it is."""
    copied = with_block(graph, copy_block(graph.block, {}))
    for node in calls_in(copied):
        cell = cells.get(id(node.attributes["callee"]))
        if cell is not None:
            node.attributes = {**node.attributes, "callee": cell}
    return copied
