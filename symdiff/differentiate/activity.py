"""Activity: which values depend on the inputs asked for and reach the outputs asked for.

A block enters; the set of its active values leaves, and for each node with blocks the active values
from outside that are used inside, in the order of first use. Dependence runs along edges from a
value to what is computed from it: through carries, elements, arms and calls alike, so that two
reachability searches are the whole analysis. Integers and booleans have no edges, nor has
``stop_gradient``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import NamedTuple

from symdiff.dataclass import dataclass
from symdiff.ir.build import Builder, building
from symdiff.ir.control import CALLS, LoopView, cond, emit_undefined, loop
from symdiff.ir.graph import Block, Graph, GraphCell, Node, Value, walk_blocks, walk_nodes
from symdiff.ir.reach import reached
from symdiff.ir.types import ListType, OpaqueType, TapeType, Type, carries_derivative
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.index import index_set, is_whole

Neighbours = dict[Value, list[Value]]


class Edge(NamedTuple):
    """One value depends on another: by which node, and in which block the other is read."""

    source: Value
    destination: Value
    place: Block
    node: Node


@dataclass(frozen=True, slots=True)
class Activity:
    """The active values, and those that each loop and branch captures; all edges, active or not."""

    active: set[Value]
    edges: list[Edge]
    captured: dict[Node, list[Value]]
    chosen: set[tuple[int, Value]]  # blocks that are one arm of two, with what only this arm uses
    homes: Homes

    def captures(self, node: Node) -> list[Value]:
        return self.captured.get(node, [])

    def sources(self, node: Node) -> set[Value]:
        """The values from outside on which what is active in a loop depends directly."""
        return {value for value in node.operands if value in self.active} | {*self.captures(node)}

    def chosen_arms(self, edge: Edge) -> Iterator[tuple[Node, Block]]:
        """The arms that an edge leads out of, of branches whose other arm does not use the source,
        each with its branch.
        """
        place, home = edge.place, self.homes.home.get(edge.source)
        while place is not home and (outer := self.homes.enclosing(place)) is not None:
            if (id(place), edge.source) in self.chosen:
                yield outer[0], place
            place = outer[1]

    def left_loops(self, edge: Edge) -> Iterator[Node]:
        """The loops that an edge leads out of."""
        place, home = edge.place, self.homes.home.get(edge.source)
        while place is not home and (outer := self.homes.enclosing(place)) is not None:
            node, around = outer
            if node.op is loop:
                yield node
            place = around


def analyse(
    block: Block, sources: Iterable[Value], targets: Iterable[Value], calls: Dependencies
) -> Activity:
    """What lies between ``sources`` and ``targets``. Linear in the size of the block."""
    edges = edges_of(block, calls)
    varied = _reachable(sources, successors(edges))
    active = varied & _reachable(targets, _predecessors(edges))
    homes = Homes()
    homes.add_block(block)
    captured, chosen = _captured(homes, edges, active)
    return Activity(active, edges, captured, chosen, homes)


def edges_of(block: Block, calls: Dependencies) -> list[Edge]:
    """All edges of a block and of those nested in it."""
    return [edge for inner in walk_blocks(block) for edge in _edges(inner, calls)]


def depends_on(sources: Iterable[Value], edges: Iterable[Edge]) -> set[Value]:
    """The values that are computed from ``sources``."""
    return _reachable(sources, successors(edges))


def leads_to(targets: Iterable[Value], edges: Iterable[Edge]) -> set[Value]:
    """The values that ``targets`` are computed from."""
    return _reachable(targets, _predecessors(edges))


def can_carry(type_: Type) -> bool:
    """Return whether a derivative can be in a value of the type; an object may hold anything."""
    while isinstance(type_, (TapeType, ListType)):
        type_ = type_.element
    return isinstance(type_, OpaqueType) or carries_derivative(type_)


def successors(edges: Iterable[Edge]) -> Neighbours:
    """The values that are computed directly from each value."""
    successors: Neighbours = {}
    for edge in edges:
        successors.setdefault(edge.source, []).append(edge.destination)
    return successors


def _predecessors(edges: Iterable[Edge]) -> Neighbours:
    predecessors: Neighbours = {}
    for edge in edges:
        predecessors.setdefault(edge.destination, []).append(edge.source)
    return predecessors


def _reachable(sources: Iterable[Value], successors: Neighbours) -> set[Value]:
    start = (value for value in sources if can_carry(value.type))
    return set(reached(start, lambda value: successors.get(value, ())))


def _edges(block: Block, calls: Dependencies) -> Iterator[Edge]:
    for node in block.nodes:
        for source, destination, place in _node_edges(node, block, calls):
            if can_carry(source.type) and can_carry(destination.type):
                yield Edge(source, destination, place, node)


def _node_edges(
    node: Node, block: Block, calls: Dependencies
) -> Iterator[tuple[Value, Value, Block]]:
    if node.op is loop:
        yield from _loop_edges(LoopView(node), block)
    elif node.op is cond:
        yield from _arm_edges(node)
    elif node.op in CALLS:
        for source, destination in calls.of(node.attributes["callee"]):
            yield node.operands[source], node.results[destination], block
    elif isinstance(node.op, DeclaredOp):
        for position, operand in enumerate(node.operands):
            if flows(node, position):
                for result in node.results:
                    yield operand, result, block
        yield from _arm_edges(node)


def flows(node: Node, position: int) -> bool:
    """Return whether a derivative flows from an operand of a node to what it computes.

    From what is overwritten as a whole none does.
    """
    is_overwritten = node.op is index_set and position == 0 and is_whole(node)
    return isinstance(node.op, DeclaredOp) and node.op.carries(position) and not is_overwritten


def _loop_edges(view: LoopView, block: Block) -> Iterator[tuple[Value, Value, Block]]:
    parts = zip(view.initial, view.carries, view.next_carries, view.finals, strict=True)
    for initial, carry, following, final in parts:
        yield initial, carry, block
        yield initial, final, block
        yield following, carry, view.body
        yield following, final, view.body
    for tape, element in zip(view.xs, view.elements, strict=True):
        yield tape, element, block
    for pushed, tape in zip(view.pushed, view.ys, strict=True):
        yield pushed, tape, view.body


def _arm_edges(node: Node) -> Iterator[tuple[Value, Value, Block]]:
    for arm in node.blocks:
        for value, result in zip(arm.results, node.results, strict=True):
            yield value, result, arm


# Captures ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class Homes:
    """Where values are defined, and what encloses each block."""

    home: dict[Value, Block] = field(default_factory=dict)
    owner: dict[int, tuple[Node, Block]] = field(default_factory=dict)
    slots: dict[Node, list[int]] = field(default_factory=dict)  # results that save an arm's values
    absent: dict[tuple[Block, Type], Value] = field(default_factory=dict)  # what is undefined

    def add_block(self, block: Block) -> None:
        """Learn a block and all that is nested in it."""
        for inner in walk_blocks(block):
            for value in inner.parameters:
                self.home[value] = inner
            for node in inner.nodes:
                self._learn(node, inner)

    def add_node(self, node: Node, block: Block) -> None:
        """Learn a node that stands in a block, and all that is nested in it."""
        self._learn(node, block)
        for nested in node.blocks:
            self.add_block(nested)

    def _learn(self, node: Node, block: Block) -> None:
        for value in node.results:
            self.home[value] = block
        for nested in node.blocks:
            self.owner[id(nested)] = (node, block)

    def absent_in(self, block: Block, type_: Type) -> Value:
        """What an arm gives that leaves a value undefined: one for all of a type."""
        place = block, type_
        if place not in self.absent:
            with building(Builder(block.nodes)):
                self.absent[place] = emit_undefined(type_)
        return self.absent[place]

    def enclosing(self, block: Block) -> tuple[Node, Block] | None:
        """The node that a block belongs to and the block in which that stands."""
        return self.owner.get(id(block))

    def is_within(self, block: Block, node: Node) -> bool:
        """Return whether a block is one of a node's, or nested in one."""
        while (outer := self.enclosing(block)) is not None:
            if outer[0] is node:
                return True
            block = outer[1]
        return False

    def is_in_turn(self, block: Block) -> bool:
        """Return whether a block is run in each turn of a loop."""
        while (outer := self.enclosing(block)) is not None:
            if outer[0].op is loop:
                return True
            block = outer[1]
        return False

    def is_index(self, value: Value) -> bool:
        """Return whether a value is the number of a loop's turn."""
        home = self.home.get(value)
        around = None if home is None else self.enclosing(home)
        return around is not None and around[0].op is loop and LoopView(around[0]).index is value


def _captured(
    homes: Homes, edges: Iterable[Edge], active: set[Value]
) -> tuple[dict[Node, list[Value]], set[tuple[int, Value]]]:
    """What each node with blocks captures, and what only one arm of a branch does."""
    found: dict[Node, dict[Value, None]] = {}
    arms: dict[tuple[int, Value], Node] = {}
    for source, destination, place, _ in edges:
        if source not in active or destination not in active:
            continue
        home = homes.home.get(source)
        while place is not home and (outer := homes.enclosing(place)) is not None:
            node = outer[0]
            found.setdefault(node, {})[source] = None
            if node.op is cond:
                arms[id(place), source] = node
            place = outer[1]
    chosen = {
        (block, value)
        for (block, value), node in arms.items()
        if any((id(arm), value) not in arms for arm in node.blocks)
    }
    return {node: list(values) for node, values in found.items()}, chosen


# Calls ------------------------------------------------------------------------------------------


class Dependencies:
    """Which results of a called graph depend on which inputs; graphs may call themselves."""

    def __init__(self) -> None:
        self._table: dict[GraphCell, list[tuple[int, int]]] = {}

    def of(self, cell: GraphCell) -> list[tuple[int, int]]:
        """Pairs of an input's and a result's number."""
        if cell not in self._table:
            self._solve(cell)
        return self._table[cell]

    def _solve(self, cell: GraphCell) -> None:
        """From no dependence up, until nothing changes."""
        cells = [found for found in _called_cells(cell) if found not in self._table]
        self._table |= {found: [] for found in cells}
        changed = True
        while changed:
            changed = False
            for found in cells:
                pairs = self._pairs(graph_of(found))
                changed = changed or len(pairs) > len(self._table[found])
                self._table[found] = pairs

    def _pairs(self, graph: Graph) -> list[tuple[int, int]]:
        edges = (edge for inner in walk_blocks(graph.block) for edge in _edges(inner, self))
        following = successors(edges)
        pairs = []
        for number, parameter in enumerate(graph.block.parameters):
            found = _reachable([parameter], following)
            results = enumerate(graph.block.results)
            pairs += [(number, place) for place, value in results if value in found]
        return pairs


def graph_of(cell: GraphCell) -> Graph:
    """The graph in a cell that has been filled."""
    if cell.graph is None:
        raise ValueError(f"graph {cell.name!r} was never filled")
    return cell.graph


def calls_itself(cell: GraphCell) -> bool:
    """Return whether a graph that is called is called again within."""
    inner = (node for node in walk_nodes(graph_of(cell).block) if node.op in CALLS)
    return any(cell in _called_cells(node.attributes["callee"]) for node in inner)


def _called_cells(cell: GraphCell) -> list[GraphCell]:
    """A cell and all that it calls, directly or not."""

    def callees(cell: GraphCell) -> Iterator[GraphCell]:
        calls = (node for node in walk_nodes(graph_of(cell).block) if node.op in CALLS)
        return (node.attributes["callee"] for node in calls)

    return list(reached([cell], callees))
