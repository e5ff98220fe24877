"""Callees of their own: what is built alike by several calls of a function, built once.

A graph enters in which every call was followed in its place; ``made_in`` tells in which call each
node was built. What one call built is cut out of its block, whatever its results are to the caller:
values that it reads become parameters, values of it that are read behind it become results. Where
several calls of a function have built the same nodes, up to the names of sizes, they become
``call`` nodes of one graph, which is differentiated, improved and emitted once.

What stays in its place: short functions; effects other than raising; what is given or gives a
value, but a number, that one path only defines; and, in a loop, what reads or writes elements of an
array that it is given, which costs a turn no more than the element. A number is zero on the paths
that do not define it, where a callee is given it or gives it: nobody reads it there.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.ir.build import (
    Builder,
    builder,
    building,
    constant,
    copy_into,
    remade,
    renewed,
    with_block,
)
from symdiff.ir.called import Activation, called_cells
from symdiff.ir.control import call, loop, undefined
from symdiff.ir.graph import Block, Graph, GraphCell, Input, Node, Value, free_values, walk_nodes
from symdiff.ir.reach import reached
from symdiff.ir.structure import Container, Leaf
from symdiff.ir.types import ArrayType, ListType, Multiple, Size, TapeType, Type
from symdiff.ops.attempts import attempted, caught
from symdiff.ops.creation import zero_of
from symdiff.ops.equal import frozen
from symdiff.ops.facts import READS_AND_WRITES, does_more
from symdiff.ops.partial import reached as handed_on
from symdiff.ops.partial import sources
from symdiff.ops.residuals import MAYBE_NOTHING


@dataclass(frozen=True, slots=True)
class Limits:
    """From how many nodes on a callee is one of its own.

    ``least`` is the size of the function, ``worth`` what the ``calls`` of it have to spare
    altogether. In a graph that is called one call of a function of ``alone`` nodes is enough,
    beside those that it calls: each derivative of the graph calls that function's. ``always``:
    also where a call costs more than the function's body in its place.
    """

    least: int = 12
    worth: int = 40
    calls: int = 2
    alone: int = 150
    always: bool = False


EVERYTHING = Limits(1, 0, 1, True)
NOTHING = Limits(10**9)
USUAL = Limits()
_limits: ContextVar[Limits] = ContextVar("symdiff_callees", default=USUAL)


@contextlib.contextmanager
def outlining(limits: Limits) -> Iterator[None]:
    """Make callees functions of their own within other limits meanwhile."""
    token = _limits.set(limits)
    try:
        yield
    finally:
        _limits.reset(token)


def outlined(graph: Graph, made_in: Mapping[Node, Activation]) -> Graph:
    """The graph with callees of their own, in those that it calls too; itself where there are none.

    The graphs that it calls are its own: they are changed in their cells.
    """
    known: Cells = {}
    for cell in called_cells(graph):
        if cell.graph is not None:
            cell.graph = _outlined(cell.graph, made_in, known, True)
    return _outlined(graph, made_in, known, False)


Cells = dict[Any, GraphCell]
"""By what is built and handed on."""


def _outlined(
    graph: Graph, every: Mapping[Node, Activation], known: Cells, is_called: bool
) -> Graph:
    """A graph with callees of its own, and those that are ``known``, of other graphs."""
    limits = _limits.get()
    made_in = {node: every[node] for node in walk_nodes(graph.block) if node in every}
    segments = _segments(graph, made_in, limits)
    alike = _alike(segments)
    alone = {
        key
        for key, (segment, whole) in alike.items()
        if whole in known or (is_called and segment.size >= limits.alone)
    }
    chosen = _chosen(graph, segments, limits, alone)
    if not chosen:
        return graph
    own = [segment for some in segments.values() for segment in some if segment.key in chosen]
    cells = {key: known[whole] for key, (_, whole) in alike.items() if whole in known}
    cutter = _Cutter(segments, chosen, _zeros(graph, own), cells)
    new = dict(zip(graph.block.parameters, renewed(graph.block.parameters), strict=True))
    block = cutter.block(graph.block, new, None)
    known.update((alike[key][1], cell) for key, cell in cutter.cells.items())
    return with_block(graph, block)


# What calls have built ----------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class Segment:
    """What one call has built: consecutive nodes of a block.

    ``free`` are the values that it reads, ``read`` the places of those that are read behind it
    among all that it makes; ``handed`` are both, but for what is made anew wherever it is read.
    ``key`` is the same of all segments that are built alike, ``built`` tells what that is.
    """

    activation: Activation
    nodes: Sequence[Node]
    size: int
    read: tuple[int, ...]
    free: tuple[Value, ...] = ()
    handed: tuple[Value, ...] = ()
    key: int | None = None
    built: Any = None

    @property
    def made(self) -> list[Value]:
        return [value for node in self.nodes for value in node.results]


Segments = dict[Node, list[Segment]]
"""By the first node of each, outer ones first."""


def _segments(graph: Graph, made_in: Mapping[Node, Activation], limits: Limits) -> Segments:
    """What calls have built in one piece, and may be callees of their own."""
    partial = _partial(graph)
    last = _last_reads(graph.block)
    large = _large(made_in, limits.alone)
    chains = _chains(made_in, limits.calls, large)
    sizes = _sizes(graph.block)
    found = _without_wrappers(
        segment
        for segment, in_loop in _pieces(graph.block, chains, limits.least, last, sizes)
        if _may_be_own(segment, in_loop and not limits.always, partial)
    )
    often = Counter(map(_outline, found))
    keys: dict[Any, int] = {}
    known: dict[Node, Any] = {}
    segments: Segments = {}
    for segment in found:
        is_large = segment.activation in large and segment.size >= limits.alone
        if is_large or often[_outline(segment)] >= limits.calls:
            try:
                read = _Reader(known)
                key = (segment.activation.function, read.nodes(segment.nodes))
                segment.free, segment.built = tuple(read.free), key
                segment.key = keys.setdefault(key, len(keys))
            except _NotToldApart:
                continue
            segments.setdefault(segment.nodes[0], []).append(segment)
    return segments


def _outline(segment: Segment) -> Any:
    """What is told at a glance of a segment, and is the same of all that are built alike."""
    return segment.activation.function, segment.size, tuple([node.op for node in segment.nodes])


def _without_wrappers(segments: Iterable[Segment]) -> list[Segment]:
    """Of calls that have built the same nodes the innermost alone: none calls itself by another."""
    innermost = {(segment.nodes[0], segment.nodes[-1]): segment for segment in segments}
    return list(innermost.values())


def _partial(graph: Graph) -> set[Value]:
    """The values that may be undefined and are no numbers, or come from what is none."""
    nowhere = [
        value
        for node in walk_nodes(graph.block)
        if node.op in (undefined, *MAYBE_NOTHING)
        for value in node.results
        if not _is_undefined_number(node)
    ]
    return handed_on(graph.block, (*graph.partial, *nowhere), lambda node: ())


def _is_undefined_number(node: Node) -> bool:
    return node.op is undefined and _is_number(node.result)


def _is_number(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.kind != "array"


def _last_reads(block: Block) -> dict[Value, int]:
    """At which node of its own block each value is read last, itself or in a block within.

    A result of the block is read behind its last node.
    """
    last: dict[Value, int] = {}
    home: dict[Value, list[int]] = {}  # the place in its block where the walk is

    def read(values: Iterable[Value]) -> None:
        for value in values:
            if value in home:
                last[value] = home[value][0]

    def walk(block: Block) -> None:
        place = [0]
        home.update((value, place) for value in block.parameters)
        for number, node in enumerate(block.nodes):
            place[0] = number
            read(node.operands)
            for inner in node.blocks:
                walk(inner)
            home.update((value, place) for value in node.results)
        place[0] = len(block.nodes)
        read(block.results)

    walk(block)
    return last


def _pieces(
    block: Block,
    chain_of: Mapping[Node, Sequence[Activation]],
    least: int,
    last: Mapping[Value, int],
    sizes_of: Mapping[Node, int],
    around: frozenset[Activation] = frozenset(),
    in_loop: bool = False,
) -> Iterator[tuple[Segment, bool]]:
    """What each call has built in a block, where that is in one piece, and whether in a loop.

    ``around`` are the calls of which the block itself is a part.
    """
    sizes = [1 + sizes_of.get(node, 0) for node in block.nodes]
    chains = [chain_of.get(node, ()) for node in block.nodes]
    places: dict[Activation, list[int]] = {}
    for number, chain in enumerate(chains):
        for activation in chain:
            places.setdefault(activation, []).append(number)
    for activation, numbers in places.items():
        start, end = numbers[0], numbers[-1] + 1
        size = sum(sizes[start:end])
        nodes = block.nodes[start:end]
        known = [
            chain for node, chain in zip(nodes, chains[start:end], strict=True) if node in chain_of
        ]
        if activation in around or size < least or any(activation not in c for c in known):
            continue
        made = (value for node in nodes for value in node.results)
        read = tuple(k for k, value in enumerate(made) if last.get(value, -1) >= end)
        yield Segment(activation, nodes, size, read), in_loop
    for node, chain in zip(block.nodes, chains, strict=True):
        for inner in node.blocks:
            within = around | frozenset(chain)
            in_one = in_loop or node.op is loop
            yield from _pieces(inner, chain_of, least, last, sizes_of, within, in_one)


def _chains(
    made_in: Mapping[Node, Activation], calls: int, large: set[Activation]
) -> dict[Node, Sequence[Activation]]:
    """The calls that built each node, outermost first: those that are large, and those of functions
    that are called so often. That of the graph itself is not among them.
    """
    often = Counter(one.function for one in _activations(made_in))
    known: dict[Activation, Sequence[Activation]] = {}
    for activation in _activations(made_in):
        way = [activation]
        while way[-1] not in known and way[-1].caller is not None:
            way.append(way[-1].caller)
        for one in reversed(way):
            outer = known[one.caller] if one.caller is not None else ()
            counts = one.caller is not None and (one in large or often[one.function] >= calls)
            known.setdefault(one, (*outer, one) if counts else outer)
    return {node: known[activation] for node, activation in made_in.items()}


def _large(made_in: Mapping[Node, Activation], least: int) -> set[Activation]:
    """The calls that have built so many nodes beside those of the large calls within.

    That is a quarter of all that they have built, too: so few of them are within one another that
    what is read of each takes no time that grows with how deeply calls are nested.
    """
    sizes = Counter(made_in.values())
    rest = Counter(sizes)
    large: set[Activation] = set()
    for one in _inner_first(_activations(made_in)):
        if one.caller is None:
            continue
        if rest[one] >= max(least, sizes[one] / 4):
            large.add(one)
        else:
            rest[one.caller] += rest[one]
        sizes[one.caller] += sizes[one]
    return large


def _activations(made_in: Mapping[Node, Activation]) -> Iterable[Activation]:
    """The calls that built something, and those in which they stand."""
    return reached(dict.fromkeys(made_in.values()), _caller)


def _inner_first(activations: Iterable[Activation]) -> Iterator[Activation]:
    """Each call behind all that stand in it."""
    waiting = Counter(one.caller for one in activations)
    ready = [one for one in activations if not waiting[one]]
    while ready:
        yield (one := ready.pop())
        waiting[one.caller] -= 1
        if one.caller is not None and not waiting[one.caller]:
            ready.append(one.caller)


def _caller(activation: Activation) -> Sequence[Activation]:
    return () if activation.caller is None else (activation.caller,)


def _sizes(block: Block) -> dict[Node, int]:
    """How many nodes inside each node with blocks compute something."""
    found: dict[Node, int] = {}
    for node in reversed([node for node in walk_nodes(block) if node.blocks]):  # inner ones first
        inside = (one for inner in node.blocks for one in inner.nodes)
        found[node] = sum((one.op is not constant) + found.get(one, 0) for one in inside)
    return found


def _may_be_own(segment: Segment, in_loop: bool, partial: set[Value]) -> bool:
    """Return whether what a call has built can be a graph of its own.

    ``in_loop``: elements of arrays from outside are to be read and written in their place.
    """
    whole = Block((), list(segment.nodes))
    free, made = free_values(whole), segment.made
    given = (*free, *(made[k] for k in segment.read))
    segment.handed = tuple([value for value in given if not _stays(value)])
    if any(v in partial or not isinstance(v.type, ArrayType) for v in segment.handed):
        return False
    arrays = {value for value in free if not _is_number(value)}
    for node in walk_nodes(whole):
        if does_more(node):
            return False
        if in_loop and _takes_part(node) and not arrays.isdisjoint(node.operands):
            return False
    return bool(segment.read)


def _zeros(graph: Graph, segments: Iterable[Segment]) -> set[Node]:
    """The undefined numbers in callees, and those that they may be given: zeros instead."""
    inside: set[Node] = set()
    handed: set[Value] = set()
    for segment in segments:
        handed.update(segment.handed)
        inside.update(walk_nodes(Block((), [node for node in segment.nodes if node not in inside])))
    given = {value.node for value in sources(graph.block, handed) if value.node is not None}
    return {node for node in inside | given if _is_undefined_number(node)}


def _stays(value: Value) -> bool:
    """Return whether a value is made anew wherever it is read: a constant, or nothing."""
    return value.node is not None and value.node.op in (constant, undefined)


def _takes_part(node: Node) -> bool:
    """Return whether a node reads or writes a part of an array, or a loop that may is given it."""
    return node.op is loop or node.op.view is not None or node.op.name in READS_AND_WRITES


# What is alike ------------------------------------------------------------------------------------


class _NotToldApart(Exception):  # noqa: N818 - control flow
    """Something that nothing else is known to be equal to."""


class _Reader:
    """What nodes are, whatever their values and sizes are called; ``free`` are those they read.

    ``known``: what nodes are beside their operands, by nodes in which no size has a name.
    """

    def __init__(self, known: dict[Node, Any]) -> None:
        self.known = known
        self.named = 0  # how often sizes and graphs were met, which are told apart by a reader
        self.numbers: dict[Value, Any] = {}
        self.free: list[Value] = []
        self.symbols: dict[str, int] = {}
        self.graphs: dict[Graph, int] = {}

    def nodes(self, nodes: Iterable[Node]) -> Any:
        return tuple([self.node(node) for node in nodes])

    def node(self, node: Node) -> Any:
        operands = tuple([self.value(value) for value in node.operands])
        known = self.known.get(node)
        if known is not None:
            self.define(node.results)
            return known, operands
        named, attributes = self.named, self.attributes(node)
        blocks = tuple([self.block(block) for block in node.blocks])
        self.define(node.results)
        types = tuple([self.type(value.type) for value in node.results])
        own = node.op, attributes, blocks, types
        if not blocks and self.named == named:
            self.known[node] = own
        return own, operands

    def attributes(self, node: Node) -> Any:
        given = dict(node.attributes)
        if node.op in (caught, attempted):  # what the operation gives is known by its types
            given["results"] = [value.type for value in given["results"]]
        return tuple([(k, self.static(v)) for k, v in sorted(given.items())])

    def block(self, block: Block) -> Any:
        self.define(block.parameters)
        types = tuple([self.type(value.type) for value in block.parameters])
        nodes = self.nodes(block.nodes)
        return types, nodes, tuple([self.value(value) for value in block.results])

    def define(self, values: Iterable[Value]) -> None:
        for value in values:
            self.numbers[value] = len(self.numbers)

    def value(self, value: Value) -> Any:
        if value in self.numbers:
            return self.numbers[value]
        if value.node is not None and _stays(value):
            return value.node.op, self.static(value.node.attributes.get("value")), str(value.type)
        self.numbers[value] = ("free", len(self.free))
        self.free.append(value)
        return "free", self.type(value.type)

    def type(self, type_: Type) -> Any:
        if isinstance(type_, ArrayType):
            return type_.dtype, tuple([self.static(dim) for dim in type_.shape]), type_.kind
        if isinstance(type_, ListType | TapeType):
            return type(type_), self.type(type_.element)
        return type_

    def static(self, value: Any) -> Any:
        """A hashable stand-in for an attribute."""
        if isinstance(value, Size):
            self.named += 1
            known = Multiple.of(value)
            symbol = self.symbols.setdefault(known.symbol, len(self.symbols))
            return symbol, known.factor, value.offset, value.open, value.long
        if isinstance(value, ArrayType | ListType | TapeType):
            return self.type(value)
        if isinstance(value, tuple | list):
            return type(value), tuple([self.static(item) for item in value])
        if isinstance(value, dict):
            return dict, tuple([(self.static(k), self.static(v)) for k, v in value.items()])
        if isinstance(value, GraphCell) and value.unlike:
            return id(value)
        if isinstance(value, GraphCell):
            return value.name, None if value.graph is None else self.graph(value.graph)
        if isinstance(value, Graph):
            return self.graph(value)
        if isinstance(value, Value | Node | Block):
            raise _NotToldApart
        found = frozen(value)
        try:
            hash(found)
        except TypeError:
            raise _NotToldApart from None
        return found

    def graph(self, graph: Graph) -> Any:
        """A graph that a node has, which may call itself."""
        self.named += 1
        if graph in self.graphs:
            return self.graphs[graph]
        self.graphs[graph] = len(self.graphs)
        return graph.output, tuple(graph.mutated.items()), self.block(graph.block)


# What becomes a callee ----------------------------------------------------------------------------


def _alike(segments: Segments) -> dict[int, tuple[Segment, Any]]:
    """The first segment of each key, and what all of them build and hand on."""
    results = _results(segments)
    found: dict[int, tuple[Segment, Any]] = {}
    for some in segments.values():
        for segment in some:
            assert segment.key is not None
            found.setdefault(segment.key, (segment, (segment.built, results[segment.key])))
    return found


def _chosen(graph: Graph, segments: Segments, limits: Limits, alone: set[int]) -> set[int]:
    """The keys of the segments that become callees; of those in ``alone`` one is enough.

    A segment within another callee counts once, however often that is called.
    """
    first: dict[int, Segment] = {}
    for some in segments.values():
        for segment in some:
            assert segment.key is not None
            first.setdefault(segment.key, segment)
    chosen = set(first)
    while True:
        calls = _calls(graph, segments, first, chosen)
        kept = {
            key
            for key in chosen
            if (key in alone and calls[key]) or _is_worth(first[key].size, calls[key], limits)
        }
        if kept == chosen:
            return chosen
        chosen = kept


def _is_worth(size: int, calls: int, limits: Limits) -> bool:
    return calls >= limits.calls and (calls - 1) * size >= limits.worth


def _calls(
    graph: Graph, segments: Segments, first: Mapping[int, Segment], chosen: set[int]
) -> Counter[int]:
    """How often each of the chosen callees is called, in the graph and in the other callees."""
    calls: Counter[int] = Counter()

    def count(nodes: Sequence[Node], within: Segment | None) -> None:
        number = 0
        while number < len(nodes):
            segment = _starting(nodes[number], segments, chosen, within)
            if segment is None:
                for block in nodes[number].blocks:
                    count(block.nodes, None)
                number += 1
                continue
            assert segment.key is not None
            calls[segment.key] += 1
            if first[segment.key] is segment:
                count(segment.nodes, segment)
            number += len(segment.nodes)

    count(graph.block.nodes, None)
    return calls


def _starting(
    node: Node, segments: Segments, chosen: set[int], within: Segment | None
) -> Segment | None:
    """The outermost chosen segment that starts with a node, inside another that does."""
    some = segments.get(node, [])
    inner = some[some.index(within) + 1 :] if within in some else some
    return next((segment for segment in inner if segment.key in chosen), None)


class _Cutter:
    """Copies blocks, calls in the place of what the chosen segments have."""

    def __init__(
        self, segments: Segments, chosen: set[int], zeros: set[Node], cells: dict[int, GraphCell]
    ) -> None:
        self.segments = segments
        self.chosen = chosen
        self.zeros = zeros
        self.cells = cells
        self.results = _results(segments)

    def block(self, block: Block, new: dict[Value, Value], within: Segment | None) -> Block:
        parameters = renewed(block.parameters)
        new.update(zip(block.parameters, parameters, strict=True))
        with building(Builder()) as made:
            self.nodes(block.nodes, new, within)
        return Block(parameters, made.nodes, tuple([new[value] for value in block.results]))

    def nodes(self, nodes: Sequence[Node], new: dict[Value, Value], within: Segment | None) -> None:
        number = 0
        while number < len(nodes):
            node = nodes[number]
            segment = _starting(node, self.segments, self.chosen, within)
            if segment is not None:
                self.call(segment, new)
                number += len(segment.nodes)
                continue
            number += 1
            if node in self.zeros:
                self.stand(node.result, new)
                continue
            blocks = tuple([self.block(block, new, None) for block in node.blocks])
            copied = remade(node, [new[value] for value in node.operands], blocks)
            builder().nodes.append(copied)
            new.update(zip(node.results, copied.results, strict=True))

    def call(self, segment: Segment, new: dict[Value, Value]) -> None:
        """A call in the place of a segment; what is made anew wherever it is read stands beside."""
        assert segment.key is not None
        if segment.key not in self.cells:
            self.cells[segment.key] = GraphCell(segment.activation.name)
            self.cells[segment.key].graph = self.callee(segment)
        made = segment.made
        results = [made[k] for k in self.results[segment.key]]
        attributes = {
            "callee": self.cells[segment.key],
            "types": tuple([value.type for value in results]),
        }
        node = Node(call, tuple([new[value] for value in segment.free]), attributes)
        node.span = segment.activation.span
        node.results = tuple([Value(v.type, node, v.name, v.role) for v in results])
        builder().nodes.append(node)
        new.update(zip(results, node.results, strict=True))
        for value in (made[k] for k in segment.read):
            if _stays(value):
                self.stand(value, new)

    def stand(self, value: Value, new: dict[Value, Value]) -> None:
        """Make anew what is made wherever it is read."""
        assert value.node is not None
        if value.node in self.zeros:
            assert isinstance(value.type, ArrayType)
            new[value] = builder().constant(zero_of(value.type))
        else:
            copy_into(value.node, new)

    def callee(self, segment: Segment) -> Graph:
        """The graph of a segment: of what it reads, to what is read of it."""
        assert segment.key is not None
        parameters = renewed(segment.free)
        for parameter, value in zip(parameters, segment.free, strict=True):
            parameter.name = segment.activation.arguments.get(value, value.name)
        new = dict(zip(segment.free, parameters, strict=True))
        made = segment.made
        with building(Builder()) as inside:
            for value in _standing(segment.nodes):
                self.stand(value, new)
            self.nodes(segment.nodes, new, segment)
        results = tuple([new[made[k]] for k in self.results[segment.key]])
        inputs = tuple(
            Input((f"{value.name or 't'}{k}",), "derived") for k, value in enumerate(parameters)
        )
        block = Block(parameters, inside.nodes, results)
        activation = segment.activation
        return Graph(
            activation.name, block, inputs, _tuple_of(len(results)), span=activation.defined
        )


def _results(segments: Segments) -> dict[int, tuple[int, ...]]:
    """By key, the places of the values that any of the segments hands on."""
    read: dict[int, set[int]] = {}
    for some in segments.values():
        for segment in some:
            assert segment.key is not None
            made = segment.made
            handed = {k for k in segment.read if not _stays(made[k])}
            read.setdefault(segment.key, set()).update(handed)
    return {key: tuple(sorted(places)) for key, places in read.items()}


def _standing(nodes: Sequence[Node]) -> list[Value]:
    """The constants that nodes read and do not make."""
    return [value for value in free_values(Block((), list(nodes))) if _stays(value)]


def _tuple_of(count: int) -> Container:
    return Container(tuple, tuple(range(count)), tuple(map(Leaf, range(count))))
