"""From nodes to nodes with lanes: each by its op's batch rule, or once a lane in a loop.

A ``Batcher`` copies nodes to the current builder. Those that nothing with lanes reaches are copied
as they are. Those that have a rule become what it says; neighbours that have none share one loop
over the lanes, which computes what the function does for one element after the other, and stacks
the results.

A branch whose condition has lanes runs each arm with the lanes that take it: nothing is computed
for the others, so nothing warns or raises that would not for one of them alone. So does a loop
that ends in each lane after turns of its own: a turn runs with the lanes that are not done.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any, cast

import numpy as np

from symdiff.batch.elementwise import elementwise
from symdiff.batch.lanes import (
    Operands,
    Unbatchable,
    require_arrays,
    type_with_lanes,
    with_lanes,
)
from symdiff.batch.spread import Spread, is_divergent
from symdiff.dataclass import dataclass
from symdiff.errors import InternalError
from symdiff.ir.build import Builder, builder, building, copy_into, marked
from symdiff.ir.control import LoopView, cond, emit_cond, emit_loop, emit_undefined, loop, undefined
from symdiff.ir.graph import Block, Node, Value, free_values, walk_nodes
from symdiff.ir.record import note
from symdiff.ir.types import INT, ArrayType, Dim, Size, least, open_symbols
from symdiff.ops.arithmetic import less, logical_not, where
from symdiff.ops.batching import NoBatchRule
from symdiff.ops.casts import (
    astype,
    python_bool,
    python_complex,
    python_float,
    python_int,
    python_item,
)
from symdiff.ops.creation import arange_of, zeros
from symdiff.ops.declare import array_type
from symdiff.ops.index import index, index_add, index_set
from symdiff.ops.keys import Slot
from symdiff.ops.list_arrays import list_from_tape, list_stack
from symdiff.ops.lists import list_new
from symdiff.ops.order import nonzero
from symdiff.ops.reduce import any as any_of
from symdiff.ops.residuals import sum_if_defined, zeros_if_defined
from symdiff.ops.retype import as_typed
from symdiff.ops.sizes import size

_BOOL, _INTEGER = np.dtype(bool), np.dtype("int64")
_PYTHON = {"f": python_float, "i": python_int, "b": python_bool, "c": python_complex}
_QUIET = frozenset(
    {"constant", "undefined", "negative", "positive", "less", "less_equal", "greater"}
    | {"greater_equal", "equal", "not_equal", "logical_and", "logical_or", "logical_not"}
    | {"maximum", "minimum", "absolute", "sign", "as_scalar", "not_"}
)
New = MutableMapping[Value, Value]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a whole graph: where there are lanes, how often values are read, and where
    a size is found: the symbol with a value of the new graph, its axis, and an offset.

    ``disguised`` may be integers at run time, typed as floats, and ``complexes`` complex;
    ``partial`` may be undefined; ``at_once``: nothing may run once a lane.
    """

    spread: Spread
    reads: dict[Value, int]
    lengths: dict[str, tuple[Value, int, int]]
    disguised: set[Value]
    complexes: set[Value]
    partial: set[Value]
    at_once: bool = False


class Batcher:
    """Copies nodes for ``count`` lanes to the current builder; ``new`` has the copies of values."""

    def __init__(
        self, known: Known, count: Value | int, dim: Dim, new: New, *, empty: bool = False
    ) -> None:
        self.known = known
        self.lanes = known.spread
        self.empty = empty
        self.count, self.dim, self.new = count, dim, new

    def at(self, value: Value) -> Value:
        """The copy of a value."""
        return self.new.get(value, value)

    def typed(self, value: Value) -> Value:
        """The copy of a value, in the dtype that it is typed as: lanes have that."""
        if value in self.lanes or value not in self.known.disguised:
            return self.at(value)
        return as_typed(self.at(value), dtype=array_type(value).dtype)

    def whole(self, value: Value, *, fresh: bool = True) -> Value:
        """The copy of a value, with lanes."""
        if value in self.lanes:
            return self.at(value)
        if value.node is not None and value.node.op is undefined:
            return emit_undefined(type_with_lanes(value.type, self.dim))
        if value.node is not None and value.node.op in (zeros_if_defined, sum_if_defined):
            raise Unbatchable("it may be None")
        if isinstance(value.type, ArrayType):
            return with_lanes(self.typed(value), self.count, self.dim, fresh=fresh)
        empty = value.node is not None and value.node.op is list_new and not value.node.operands
        if not empty:
            raise Unbatchable(str(value.type))
        return list_new(type=type_with_lanes(value.type, self.dim))

    # Nodes

    def copy(self, nodes: Sequence[Node]) -> None:
        """Copy nodes, with lanes where they have some."""
        waiting: list[Node] = []
        for node in nodes:
            if node not in self.lanes.nodes:
                if self._reads_same(node, waiting):
                    self._run_once_a_lane(waiting)
                    waiting = []
                copy_into(node, cast("dict[Value, Value]", self.new))
            elif self._has_no_rule(node):
                waiting.append(node)
            else:
                self._run_once_a_lane(waiting)
                waiting = [] if self._is_copied(node) else [node]
        self._run_once_a_lane(waiting)

    def _reads_same(self, node: Node, waiting: Sequence[Node]) -> bool:
        """Return whether a node reads a result of others that is the same in each lane."""
        same = {value for one in waiting for value in one.results if value not in self.lanes}
        return bool(same) and not same.isdisjoint(free_values(Block((), [node], ())))

    @staticmethod
    def _has_no_rule(node: Node) -> bool:
        op: Any = node.op
        if op in (loop, cond):
            return False
        return not getattr(op, "elementwise", False) and getattr(op, "batch", None) is None

    def _is_copied(self, node: Node) -> bool:
        """Copy a node by its rule; False where that is for other operands."""
        with building(Builder([], node.span)) as made:
            role = node.results[0].role if node.results else "primal"
            try:
                with marked(node.span, role):
                    results = self._by_rule(node)
            except (NoBatchRule, Unbatchable):
                return False
        fresh = {value for one in made.nodes for value in one.results}
        found = [
            self._fitted(old, new, fresh) for old, new in zip(node.results, results, strict=True)
        ]
        if None in found:
            return False
        builder().nodes.extend(made.nodes)
        self.new.update(zip(node.results, cast("list[Value]", found), strict=True))
        return True

    def _by_rule(self, node: Node) -> Sequence[Value]:
        if node.op is loop:
            return self._loop(node)
        if node.op is cond:
            return self._cond(node)
        op: Any = node.op
        has = tuple(v in self.lanes for v in node.operands)
        types: Any = tuple(v.type for v in node.operands)
        b = Operands(self.count, self.dim, has, types, self.empty)
        operands = [self.typed(v) for v in node.operands]
        if op.batch is None:
            return (elementwise(b, node, operands),)
        made = op.batch(b, op, *operands, **node.attributes)
        return made if isinstance(made, tuple) else (made,)

    def _fitted(self, old: Value, new: Value, fresh: set[Value]) -> Value | None:
        """A result of a rule as what it has to be in each lane; None where its numbers differ."""
        if old not in self.lanes:
            return new
        wanted = type_with_lanes(old.type, self.dim)
        if isinstance(wanted, ArrayType):
            given = array_type(new)
            if given.rank != wanted.rank:
                node = new.node
                raise InternalError(f"a batch rule gives {given}, not {wanted}: {node!r}")
            if given.dtype != wanted.dtype:
                return None
        if new in fresh:
            new.type = wanted
            new.name = new.name or old.name
            new.role = old.role
        return new

    # Once a lane

    def _run_once_a_lane(self, nodes: Sequence[Node]) -> None:
        """Copy nodes into a loop over the lanes."""
        if not nodes:
            return
        if self.known.at_once:
            raise Unbatchable
        run = Block((), list(nodes), ())
        wanted = self._read_elsewhere(nodes)
        told = {symbol for value in free_values(run) for symbol in open_symbols(value.type)}
        for value in wanted:
            is_array = isinstance(value.type, ArrayType)
            if not is_array or not told.issuperset(open_symbols(value.type)):
                raise Unbatchable(str(value.type))  # lanes may have other lengths
        shown = nodes[0].op.name if len(nodes) == 1 else f"{len(nodes)} operations"
        span = nodes[0].span
        note("looped", line=span.line if span else None, what=shown)
        same = [value for value in wanted if value not in self.lanes]
        if same and self.empty:
            raise Unbatchable("what is the same in each lane is not known where there is none")
        stacks = self.looped(run, wanted)
        self.new.update(zip(wanted, stacks, strict=True))
        for value in same:
            self.new[value] = self._element(value, builder().constant(0))

    def looped(self, run: Block, wanted: Sequence[Value]) -> list[Value]:
        """The stacks of ``wanted`` values that a block defines, from a loop over the lanes."""
        turn = Value(INT, None, "k")
        new: New = ChainMap({}, self.new)
        with building(Builder([], builder().span)) as body:
            for value in free_values(run):
                if value in self.lanes:
                    new[value] = self._element(value, turn)
            for node in run.nodes:
                copy_into(node, cast("dict[Value, Value]", new))
            for value in wanted:
                if value in self.known.disguised:
                    new[value] = as_typed(new[value], dtype=array_type(value).dtype)
        if self.dim == 0:
            return [self._zeros(value, ()) for value in wanted]
        made = tuple(new.get(value, value) for value in wanted)
        view = LoopView(
            emit_loop(builder().value(self.count), (), (), Block((turn,), body.nodes, made))
        )
        return [self._stack(y, value) for y, value in zip(view.ys, wanted, strict=True)]

    def _read_elsewhere(self, nodes: Sequence[Node]) -> list[Value]:
        """The results of nodes that others read."""
        inside: dict[Value, int] = {}
        for node in walk_nodes(Block((), list(nodes), ())):
            read = [*node.operands, *(v for block in node.blocks for v in block.results)]
            for value in read:
                inside[value] = inside.get(value, 0) + 1
        results = (value for node in nodes for value in node.results)
        return [v for v in results if self.known.reads.get(v, 0) > inside.get(v, 0)]

    def _element(self, value: Value, turn: Value) -> Value:
        """What a value is in one lane."""
        type_, x = value.type, self.at(value)
        if not isinstance(type_, ArrayType):
            raise Unbatchable(str(type_))
        with marked(role=value.role, name=value.name):
            key = (Slot(0), Ellipsis) if type_.kind == "array" and not type_.rank else (Slot(0),)
            part = index(x, turn, key=key, shape=type_.shape)
            if type_.kind != "python":
                return part
            return (
                python_item(part)
                if value in self.known.complexes
                else _PYTHON[type_.dtype.kind](part)
            )

    def _stack(self, tape: Value, value: Value) -> Value:
        with marked(role=value.role, name=value.name):
            items = list_from_tape(tape)
            stack = list_stack(items, length=self.dim, dtype=array_type(value).dtype)
        stack.type = type_with_lanes(value.type, self.dim)
        return stack

    # Control

    def block(self, block: Block, parameters: Sequence[Value], lanes: Sequence[bool]) -> Block:
        """A block with lanes in those of its results."""
        new: New = ChainMap({}, self.new)
        inner = Batcher(self.known, self.count, self.dim, new, empty=self.empty)
        inner.new.update(zip(block.parameters, parameters, strict=True))
        with building(Builder([], builder().span)) as made:
            inner.copy(block.nodes)
            pairs = zip(block.results, lanes, strict=True)
            results = [inner.whole(v) if has else inner.at(v) for v, has in pairs]
        return Block(tuple(parameters), made.nodes, tuple(results))

    def _parameter(self, value: Value) -> Value:
        type_ = type_with_lanes(value.type, self.dim) if value in self.lanes else value.type
        return Value(type_, None, value.name, value.role)

    def _loop(self, node: Node) -> Sequence[Value]:
        view = LoopView(node)
        if is_divergent(view, self.lanes):
            return self._loop_of_the_active(view)
        initial = [
            self._initial(value) if parameter in self.lanes else self.at(value)
            for value, parameter in zip(view.initial, view.carries, strict=True)
        ]
        parameters = [self._parameter(value) for value in view.body.parameters]
        lanes = [v in self.lanes for v in (*view.carries, *view.ys)]
        body = self.block(view.body, parameters, lanes)
        condition = None
        if view.condition is not None:
            carried = [self._parameter(v) for v in view.condition.parameters]
            condition = self.block(view.condition, carried, [False])
        made = emit_loop(
            None if view.count is None else self.at(view.count),
            initial,
            [self.at(value) for value in view.xs],
            body,
            condition,
            reverse=view.reverse,
        )
        return made.results

    def _initial(self, value: Value) -> Value:
        """What a carry with lanes starts from: zeros where that is not defined, of which lanes may
        be taken.
        """
        is_undefined = value.node is not None and value.node.op is undefined
        if is_undefined and isinstance(value.type, ArrayType):
            return self._zeros(value, ())
        return self.whole(value)

    def _cond(self, node: Node) -> Sequence[Value]:
        predicate = node.operands[0]
        if predicate not in self.lanes:
            lanes = [value in self.lanes for value in node.results]
            then, orelse = (self.block(block, (), lanes) for block in node.blocks)
            return emit_cond(self.at(predicate), then, orelse).results
        require_arrays([value.type for value in node.results])
        taken = self.at(predicate)
        if array_type(taken).dtype.kind != "b":
            taken = astype(taken, dtype=_BOOL)
        if all(map(_is_quiet, node.blocks)):
            return self._selected(node, taken)
        return self._partitioned(node, taken)

    def _selected(self, node: Node, taken: Value) -> Sequence[Value]:
        """Both arms, which cost nothing and neither warn nor raise, and the one that is taken."""
        for block in node.blocks:
            self.copy(block.nodes)
        return [self._chosen(taken, *arms) for arms in _arms(node)]

    def _chosen(self, taken: Value, then: Value, orelse: Value) -> Value:
        for one, other in ((then, orelse), (orelse, then)):
            if one.node is not None and one.node.op is undefined:
                return self.whole(other)
        rank = array_type(then).rank
        b = Operands(self.count, self.dim, (True,), (array_type(then),))
        test = b.unit_axes(taken, *range(1, rank + 1)) if rank else taken
        a, c = (self.whole(value, fresh=False) for value in (then, orelse))
        return where(test, a, c)

    def _partitioned(self, node: Node, taken: Value) -> Sequence[Value]:
        inside = [v for block in node.blocks for v in free_values(block)]
        results: Sequence[Value] = [self._zeros(value, inside) for value in node.results]
        with marked(role="primal"):
            lanes = (taken, logical_not(taken))
        for block, one in zip(node.blocks, lanes, strict=True):
            results = self._arm(block, one, results)
        return results

    def _arm(self, block: Block, taken: Value, before: Sequence[Value]) -> Sequence[Value]:
        """What the lanes that take an arm become, written over what was before."""
        with building(Builder([], builder().span)) as made:
            places, part = self._part(taken, free_values(block))
            part.copy(block.nodes)
            after = [
                part.written(stack, value, places)
                for stack, value in zip(before, block.results, strict=True)
            ]
        then = Block((), made.nodes, tuple(after))
        with marked(role="primal"):
            test = any_of(taken)
        return emit_cond(test, then, Block((), [], tuple(before))).results

    def _part(self, taken: Value, read: Sequence[Value]) -> tuple[Value, Batcher]:
        """The numbers of the lanes that are taken, and what copies nodes for these alone."""
        length = Size(f"count(%{taken.number})", open=True)
        with marked(role="primal"):
            places = nonzero(taken, axis=0, length=length)
        return places, self._at_places(places, read)

    def _at_places(self, places: Value, read: Sequence[Value], *, empty: bool = False) -> Batcher:
        (length,) = array_type(places).shape
        new: New = ChainMap({}, self.new)
        for value in read:
            if value in self.lanes:
                if not isinstance(value.type, ArrayType):
                    raise Unbatchable(str(value.type))
                new[value] = _rows(self.at(value), places)
        with marked(role="primal"):
            count = size(places, axis=0)
        return Batcher(self.known, count, length, new, empty=empty)

    def written(self, stack: Value, value: Value, places: Value) -> Value:
        """``stack`` with a value of these lanes in the places that they have among all."""
        if value.node is not None and value.node.op is undefined:
            return stack
        if value in self.known.partial and array_type(value).dtype.kind in "iu":
            raise Unbatchable("it may be None, which no array of integers holds")
        new = self.typed(value)
        shape = (self.dim, *array_type(value).shape)
        return index_set(stack, new, places, key=(Slot(0),), shape=shape)

    def _zeros(self, value: Value, read: Sequence[Value]) -> Value:
        """Zeros like a value, with lanes."""
        type_ = array_type(value)
        sizes = [self._length(dim, read) for dim in type_.shape]
        shape = (self.dim, *type_.shape)
        return zeros(self.count, *sizes, shape=shape, dtype=type_.dtype)

    def _length(self, dim: Dim, read: Sequence[Value]) -> Value | int:
        """The size that a dimension stands for, as what is around tells it."""
        if isinstance(dim, int):
            return dim
        for value, axis, offset in self._places_of(dim.symbol, read):
            more = dim.offset - offset
            if more >= 0 or (not dim.open and least(dim) == dim.offset + 2):
                length = size(value, axis=axis)
                return length + more if more else length
        raise NoBatchRule

    def _places_of(self, symbol: str, read: Sequence[Value]) -> Iterator[tuple[Value, int, int]]:
        if symbol in self.known.lengths:
            yield self.known.lengths[symbol]
        for value in read:
            for axis, dim in enumerate(
                value.type.shape if isinstance(value.type, ArrayType) else ()
            ):
                if isinstance(dim, Size) and dim.symbol == symbol:
                    yield self.at(value), axis + (value in self.lanes), dim.offset

    # Loops that end in each lane after turns of its own

    def _loop_of_the_active(self, view: LoopView) -> Sequence[Value]:
        """A loop whose turns run with the lanes that are not done, until none is left."""
        if view.xs or view.ys or view.reverse:
            raise NoBatchRule
        require_arrays([value.type for value in view.carries])
        initial = [self._initial(value) for value in view.initial]
        with marked(role="primal"):
            turns = zeros(self.count, shape=(self.dim,), dtype=_INTEGER)
            every = arange_of(self.count)
            start = self._active(view, every, builder().constant(0), initial)
        length = Size(f"active(%{start.number})", open=True)
        places = Value(ArrayType(_INTEGER, (length,), "array"), None, "active")
        index_, counted = Value(INT, None, view.index.name), Value(turns.type, None, "turns")
        carries = [self._parameter(value) for value in view.carries]
        with building(Builder([], builder().span)) as made:
            after = self._turn(view, index_, places, carries)
            with marked(role="primal"):
                more = index_add(counted, 1, places, key=(Slot(0),), shape=(length,))
                left = self._active(view, places, index_ + 1, after)
        body = Block((index_, places, counted, *carries), made.nodes, (left, more, *after))
        head = [Value(v.type, None, v.name) for v in body.parameters]
        with building(Builder([], builder().span)) as asked:
            test = less(0, size(head[1], axis=0))
        condition = Block(tuple(head), asked.nodes, (test,))
        node = emit_loop(None, [start, turns, *initial], (), body, condition)
        finals = LoopView(node).finals
        return [*finals[2:], finals[1]]

    def _turn(
        self, view: LoopView, index_: Value, places: Value, carries: Sequence[Value]
    ) -> list[Value]:
        part = self._at_places(places, free_values(view.body))
        part.new[view.index] = index_
        for parameter, value in zip(view.carries, carries, strict=True):
            part.new[parameter] = _rows(value, places)
        part.copy(view.body.nodes)
        pairs = zip(carries, view.next_carries, strict=True)
        return [part.written(stack, value, places) for stack, value in pairs]

    def _active(
        self, view: LoopView, places: Value, turn: Value, carries: Sequence[Value]
    ) -> Value:
        """Which of some lanes have one more turn."""
        if view.count is not None:
            count = self.at(view.count)
            count = _rows(count, places) if view.count in self.lanes else count
            places = self._kept(places, less(turn, count))
        if view.condition is None:
            return places
        block = view.condition
        part = self._at_places(places, free_values(block), empty=True)
        part.new[block.parameters[0]] = turn
        for parameter, value in zip(block.parameters[1:], carries, strict=True):
            part.new[parameter] = _rows(value, places)
        part.copy(block.nodes)
        test = block.results[0]
        if test in self.lanes:
            return self._kept(places, part.at(test))
        return self._kept(places, with_lanes(part.at(test), part.count, part.dim))

    @staticmethod
    def _kept(places: Value, test: Value) -> Value:
        if not array_type(test).rank:
            test = with_lanes(test, size(places, axis=0), array_type(places).shape[0])
        length = Size(f"count(%{test.number})", open=True)
        return _rows(places, nonzero(test, axis=0, length=length))


def _rows(x: Value, places: Value) -> Value:
    shape = (*array_type(places).shape, *array_type(x).shape[1:])
    return index(x, places, key=(Slot(0),), shape=shape)


def _arms(node: Node) -> Iterator[tuple[Value, Value]]:
    then, orelse = node.blocks
    return zip(then.results, orelse.results, strict=True)


def _is_quiet(block: Block) -> bool:
    """Return whether a block costs next to nothing, and neither warns nor raises."""
    return all(node.op.name in _QUIET for node in block.nodes)
