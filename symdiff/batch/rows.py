"""Stacks of rows or columns, several at once: a linear graph of a batch of unit vectors.

It is what ``differentiate.rows`` computes in a loop, one unit vector after the other. Here a turn
has as many as fit into a cache, all of them where there are few:

    width = 1 + 32768 // (n + 1)
    for k in range(-(-n // width)):
        units = ...                              rows k * width to (k + 1) * width of np.eye(n)
        rows[k * width:(k + 1) * width] = ...    by the graph, for all of these

So it is made where each value that differs from row to row is known to be about as large as a row
and a unit vector, and where each op has a batch rule.
"""

from __future__ import annotations

import math
import re
from collections import ChainMap
from collections.abc import Iterator, Sequence

from symdiff.batch.batcher import Batcher, Known
from symdiff.batch.lanes import Unbatchable, moved
from symdiff.batch.spread import Spread, complexes, disguised, spread_from
from symdiff.dataclass import dataclass
from symdiff.differentiate.activity import calls_itself, graph_of
from symdiff.differentiate.rows import reshaped, stack_of_zeros
from symdiff.differentiate.switches import ROW_BY_ROW
from symdiff.ir.build import Builder, builder, building, marked
from symdiff.ir.called import called_cells
from symdiff.ir.control import CALLS, LoopView, emit_loop
from symdiff.ir.graph import Block, Graph, Node, Value, uses, walk_nodes
from symdiff.ir.types import INT, ArrayType, Dim, ListType, TapeType, Type
from symdiff.ops.arithmetic import floor_divide
from symdiff.ops.batching import NoBatchRule
from symdiff.ops.creation import arange_of, eye, int_minimum, zeros
from symdiff.ops.declare import array_type
from symdiff.ops.index import index_set_of
from symdiff.ops.partial import partial_values
from symdiff.ops.rules import replaced
from symdiff.ops.shape import copy, reshape
from symdiff.ops.sizes import dim_of, product, sizes_of

_FEW = 64  # rows that are computed without a loop
_CACHED = 32768  # numbers that stay in a cache
_MOST_KNOWN = 64  # elements along axes of known length that rows do not have
_MOST_OPENED = 4000  # nodes
_MORE = 8  # times as many where no other axes are
_NAMES = re.compile(r"[%\w.]+")
_BOUNDS = re.compile(r"\[[^\[\]]*\](?=\()")  # of a slice, which is no longer than what it is of
_DIVISOR = re.compile(r"//?[?!]*(?:\([^()]*\)|[%\w.]+)")  # nor is what is divided


def rows_at_once(
    graph: Graph,
    arguments: Sequence[Value],
    seed: int,
    over: Value,
    of: Sequence[Value],
    *,
    columns: bool = False,
) -> list[Value] | None:
    """For each result of a graph a stack of rows, one an element of ``over``, of shape over +
    result; or of columns, of shape result + over. None where they are better made one by one.

    :param arguments: of the graph, of which number ``seed`` is the unit vector.
    """
    if not array_type(over).rank or ROW_BY_ROW.is_on():
        return None
    graph = _opened(graph)
    spread = spread_from(graph.block, [graph.block.parameters[seed]])
    if not _is_small(graph, spread, [over, *of]):
        return None
    sweep = _Sweep(graph, tuple(arguments), seed, spread, over, tuple(of), columns)
    count = product(sizes_of(over))
    with building(Builder([], builder().span)) as made:
        try:
            if isinstance(count, int) and count <= _FEW:
                stacks: Sequence[Value] = sweep.all_at_once(count)
            else:
                stacks = sweep.in_turns(count)
        except (NoBatchRule, Unbatchable):
            return None
        results = [sweep.shaped(*pair) for pair in zip(stacks, of, strict=True)]
    builder().nodes.extend(made.nodes)
    return results


def _opened(graph: Graph) -> Graph:
    """The graph with what it calls in the place of the calls, which have no rule; itself where that
    would be long, or where a call calls itself.
    """
    cells = called_cells(graph)
    if not cells or any(cell.graph is None or calls_itself(cell) for cell in cells):
        return graph
    if _length(graph, {}) > _MOST_OPENED:
        return graph
    return replaced(
        graph, lambda node: graph_of(node.attributes["callee"]) if _calls(node) else None
    )


def _length(graph: Graph, known: dict[int, int]) -> int:
    """How many nodes a graph has if what it calls stands in the place of each call."""
    if id(graph) not in known:
        nodes = list(walk_nodes(graph.block))
        inner = (graph_of(node.attributes["callee"]) for node in nodes if _calls(node))
        known[id(graph)] = len(nodes) + sum(_length(one, known) for one in inner)
    return known[id(graph)]


def _calls(node: Node) -> bool:
    return node.op in CALLS


@dataclass(frozen=True, slots=True)
class _Sweep:
    """What is computed of unit vectors."""

    graph: Graph
    arguments: tuple[Value, ...]
    seed: int
    spread: Spread
    over: Value
    of: tuple[Value, ...]
    columns: bool

    def of_units(self, units: Value, count: Value | int, dim: Dim) -> list[Value]:
        """The results for so many unit vectors, which are the rows of a matrix."""
        type_ = array_type(self.over)
        if type_.rank > 1:
            units = reshape(units, count, *sizes_of(self.over), shape=(dim, *type_.shape))
        given = (units if k == self.seed else v for k, v in enumerate(self.arguments))
        block = self.graph.block
        new = dict(zip(block.parameters, given, strict=True))
        partial = partial_values(block, self.graph.partial)
        known = Known(
            self.spread, uses(block), {}, disguised(block), complexes(block), partial, at_once=True
        )
        batcher = Batcher(known, count, dim, ChainMap({}, new))
        batcher.copy(block.nodes)
        found = [batcher.whole(value) for value in block.results]
        ranks = [array_type(value).rank if self.columns else 0 for value in self.of]
        return [moved(x, 0, rank) for x, rank in zip(found, ranks, strict=True)]

    def all_at_once(self, count: int) -> list[Value]:
        """All rows or columns."""
        with marked(role="cotangent", name="units"):
            units = eye(count, count, k=0, shape=(count, count), dtype=array_type(self.over).dtype)
        found = self.of_units(units, count, count)
        return [copy(x) if self.columns and array_type(x).rank > 1 else x for x in found]

    def in_turns(self, count: Value | int) -> Sequence[Value]:
        """All rows or columns, some in each turn of a loop."""
        initial = [stack_of_zeros(count, value, self.columns) for value in self.of]
        width = 1 + floor_divide(_CACHED, builder().value(count) + 1)
        width.name = "width"
        turns = -floor_divide(-builder().value(count), width)
        name = "columns" if self.columns else "rows"
        turn = Value(INT, None, "k")
        stacks = [Value(v.type, None, name) for v in initial]
        with building(Builder([], builder().span)) as body:
            start = turn * width
            stop = int_minimum(start + width, count)
            start.name, stop.name = "start", "stop"
            stored = self._turn(stacks, start, stop, count)
        block = Block((turn, *stacks), body.nodes, tuple(stored))
        return LoopView(emit_loop(turns, initial, (), block)).finals

    def _turn(
        self, stacks: Sequence[Value], start: Value, stop: Value, count: Value | int
    ) -> list[Value]:
        length = stop - start
        dim, dtype = dim_of(length), array_type(self.over).dtype
        with marked(role="cotangent"):
            places = arange_of(length)
            flat = zeros(length, count, shape=(dim, dim_of(count)), dtype=dtype)
            units = index_set_of(flat, 1.0, (places, places + start))
            flat.name = units.name = "units"
        parts = self.of_units(units, length, dim)
        whole = [slice(None)]
        ranks = [array_type(value).rank if self.columns else 0 for value in self.of]
        return [
            index_set_of(stack, part, (*whole * rank, slice(start, stop)))
            for stack, part, rank in zip(stacks, parts, ranks, strict=True)
        ]

    def shaped(self, stack: Value, value: Value) -> Value:
        """Rows or columns, one for each element of what is asked by, in its shape."""
        pair = (value, self.over) if self.columns else (self.over, value)
        return reshaped(stack, *pair, flat=self.over)


# Memory -------------------------------------------------------------------------------------------


def _is_small(graph: Graph, spread: Spread, known: Sequence[Value]) -> bool:
    """Return whether what differs is about as large as values that are known to fit."""
    if any(node.op.effect for node in walk_nodes(graph.block)):
        return False
    shapes = [array_type(value).shape for value in known]
    rank = max(map(_open_rank, shapes))
    names = {name for shape in shapes for dim in shape for name in _names(dim)}
    factors = max((_factors(dim) for shape in shapes for dim in shape), default=0)
    lengths = math.prod(
        max((d for d in shape if isinstance(d, int)), default=1) for shape in shapes
    )
    for value in spread.values:
        type_, turns = _element(value.type)
        if not isinstance(type_, ArrayType) or _open_rank(type_.shape) + turns > rank:
            return False
        if any(name not in names for dim in type_.shape for name in _names(dim)):
            return False
        if any(_factors(dim) > factors for dim in type_.shape):
            return False
        room = max(_MOST_KNOWN, lengths) * (1 if _open_rank(type_.shape) + turns else _MORE)
        if math.prod(d for d in type_.shape if isinstance(d, int)) > room:
            return False
    return True


def _open_rank(shape: Sequence[Dim]) -> int:
    return sum(not isinstance(dim, int) for dim in shape)


def _element(type_: Type) -> tuple[Type, int]:
    """The type of an array, or of what a list or a tape holds, and how deep it lies in these."""
    depth = 0
    while isinstance(type_, ListType | TapeType):
        type_, depth = type_.element, depth + 1
    return type_, depth


def _names(dim: Dim) -> Iterator[str]:
    """The sizes that one is computed from."""
    for name in _NAMES.findall(_spelled(dim)):
        if not name.isdecimal() and name not in _WORDS:
            yield name


_WORDS = frozenset({"min", "max", "last", "if", "or"})


def _factors(dim: Dim) -> int:
    return _spelled(dim).count("*")


def _spelled(dim: Dim) -> str:
    return "" if isinstance(dim, int) else _DIVISOR.sub("", _BOUNDS.sub("", dim.symbol))
