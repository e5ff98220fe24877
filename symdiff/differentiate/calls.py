"""Derivatives of called graphs, each made once: by the graph, the mode and what is active.

A graph that calls itself asks for its own derivative while that is being made: it gets the cell,
which is filled later. ``pending`` has what has been asked for and not been made yet.

Of a large graph one derivative does for all states that cotangents are asked for in: that of the
most careful ones, with masks which other calls need not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from itertools import islice

from symdiff.dataclass import dataclass
from symdiff.differentiate.activity import Dependencies, graph_of
from symdiff.differentiate.selection import State
from symdiff.ir.graph import GraphCell, Node, Value, walk_nodes
from symdiff.ops.residuals import PACKED

LARGE = 200  # nodes of a graph whose derivative is made for all states together
_CAREFUL = (State.DENSE, State.UNREAD, State.PARTIAL, State.SELECTED)  # the most careful last


@dataclass(frozen=True, slots=True)
class Request:
    """A derivative of a called graph: by the inputs ``wrt``, of the results ``of``.

    ``states`` are those of the results' cotangents; there are none in forward mode.
    """

    callee: GraphCell
    wrt: tuple[int, ...]
    of: tuple[int, ...]
    states: tuple[State, ...] = ()


@dataclass(slots=True)
class Calls:
    """What is known and made of the graphs that a graph calls."""

    dependencies: Dependencies = field(default_factory=Dependencies)
    forward: dict[Request, GraphCell] = field(default_factory=dict)
    split: dict[Request, tuple[GraphCell, GraphCell]] = field(default_factory=dict)
    linear: dict[Request, tuple[GraphCell, GraphCell]] = field(default_factory=dict)
    pending: list[Request] = field(default_factory=list)
    together: dict[Request, tuple[State, ...]] = field(default_factory=dict)

    def tangent(self, request: Request) -> GraphCell:
        """The cell of the graph that computes tangents as well."""
        if request not in self.forward:
            self.forward[request] = GraphCell(f"{request.callee.name}_jvp")
            self.pending.append(request)
        return self.forward[request]

    def halves(self, request: Request) -> tuple[GraphCell, GraphCell]:
        """The cells of the forward part → (results, residuals) and of the backward part."""
        if _is_large(request.callee):
            request = self._for_all(request)
        return self._cells(self.split, request, "backward")

    def states(self, request: Request) -> tuple[State, ...]:
        """The states in which a derivative takes cotangents."""
        return self.together.get(request, request.states)

    def _for_all(self, request: Request) -> Request:
        """The request for what does for all states, which is made again for more careful ones."""
        whole = replace(request, states=())
        known = self.together.get(whole, request.states)
        careful = (
            max(pair, key=_CAREFUL.index) for pair in zip(known, request.states, strict=True)
        )
        self.together[whole] = states = tuple(careful)
        if states != known and whole not in self.pending:
            self.pending.append(whole)
        return whole

    def linearized(self, request: Request) -> tuple[GraphCell, GraphCell]:
        """The cells of the forward part → (results, residuals) and of the linear part."""
        return self._cells(self.linear, request, "linear")

    def _cells(
        self, made: dict[Request, tuple[GraphCell, GraphCell]], request: Request, second: str
    ) -> tuple[GraphCell, GraphCell]:
        if request not in made:
            name = request.callee.name
            made[request] = GraphCell(f"{name}_forward"), GraphCell(f"{name}_{second}")
            self.pending.append(request)
        return made[request]


def packed_residuals(node: Node) -> Value:
    """A call's residuals, which it hands out as one value: ``y_saved`` beside its result ``y``."""
    name = node.results[0].name
    return Value(PACKED, node, name and f"{name}_saved")


def named_after_parameters(request: Request, given: Node, made: Node) -> None:
    """Name the cotangents of operands without names as the called function names them."""
    parameters = graph_of(request.callee).block.parameters
    for number, result in zip(request.wrt, made.results, strict=True):
        if given.operands[number].name is None:
            result.name = parameters[number].name


def _is_large(callee: GraphCell) -> bool:
    nodes: Iterator[Node] = iter(()) if callee.graph is None else walk_nodes(callee.graph.block)
    return next(islice(nodes, LARGE, None), None) is not None
