"""Loops reversed under a budget: of their turns' beginnings so many are held at once, no more.

A loop becomes a call that knows its derivative. Its backward sweep starts from what the loop
started from, and takes the turns from the last to the first. To come to the beginning of a turn it
runs on from the last one held, and holds some of those that it passes, by the binomial schedule,
which needs the fewest turns (Griewank & Walther 2000, *Revolve*): with c held, C(c + r, c) turns
can be taken back if none is run more than r times. A budget of log₂ n is memory, and runs, of
O(log n). How often a loop with a condition runs is known when it has run.

    places, states = [0], [c]
    for k in reversed(range(n)):
        at, c = places[-1], states[-1]
        while at < k:
            stop = at + binomial_turns(k + 1 - at, budget + 1 - len(places))
            for j in range(at, stop): c = body(j, c)
            at = stop
            if at < k: hold at, c
        if places[-1] == k: drop it
        the cotangents of turn k, at c
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from typing import Literal

from symdiff.dataclass import dataclass
from symdiff.differentiate import forward, reverse
from symdiff.differentiate.cotangents import fitted
from symdiff.differentiate.segments import with_loops_cut
from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import Builder, builder, building, copy_block, copy_into, marked, renewed
from symdiff.ir.control import LoopView, emit_cond, emit_loop
from symdiff.ir.graph import Block, Graph, Node, Value, free_values
from symdiff.ir.structure import tuple_of
from symdiff.ir.types import INT, ArrayType, ListType, carries_derivative, with_sizes_of
from symdiff.ops.arithmetic import equal, less
from symdiff.ops.creation import zeros_of
from symdiff.ops.lists import (
    list_accumulate,
    list_get,
    list_length,
    list_new,
    list_pop,
    list_push,
)
from symdiff.ops.partial import partial_values
from symdiff.ops.residuals import binomial_turns, sum_if_defined, zeros_if_defined
from symdiff.ops.rules import custom_call, inlined
from symdiff.ops.ufuncs import bit_length

Budget = int | Literal["log"]


def budgeted(graph: Graph, budget: Budget) -> Graph | None:
    """The graph with its loops as calls that are reversed with so many turns' beginnings held at
    once, or about log₂ n of n; None where there is no loop that can be.

    Loops within loops stay as they are.
    """
    partial = partial_values(graph.block, graph.partial)
    return with_loops_cut(
        graph, lambda view, new: _Loop.of(view, graph.name, budget, partial).emit(new)
    )


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop, and what it reads from outside: its count, if it has one, and what blocks capture.

    ``partial`` has the values that may be undefined: what no turn has made yet, or no branch.
    """

    view: LoopView
    name: str
    budget: Budget
    operands: tuple[Value, ...]
    partial: Container[Value]

    @classmethod
    def of(cls, view: LoopView, name: str, budget: Budget, partial: Container[Value]) -> _Loop:
        captured = [value for block in view.node.blocks for value in free_values(block)]
        operands = tuple(dict.fromkeys((*view.node.operands, *captured)))
        return cls(view, name, budget, operands, partial)

    def emit(self, new: dict[Value, Value]) -> None:
        """Put the call into the current builder; ``new`` has the copies of values."""
        primal = self._primal()
        wrt = [k for k, value in enumerate(self.operands) if carries_derivative(value.type)]
        made = custom_call(
            *(new.get(value, value) for value in self.operands),
            name=self.name,
            primal=primal,
            reverse=self._reverse(primal),
            forward=_pushed_forward(primal, wrt),
            arguments=len(self.operands),
            reads_results=True,
            own=True,
        )
        old = (*self.view.finals, self.view.turns)
        for value, result in zip(old, made, strict=True):
            result.name, result.role = value.name, value.role
        new |= zip(old, made, strict=True)

    def _primal(self) -> Graph:
        """What the loop computes, and how many turns it had."""
        parameters = renewed(self.operands)
        new = dict(zip(self.operands, parameters, strict=True))
        with building(Builder([], self.view.node.span)) as made:
            copied = copy_into(self.view.node, new)
        return self._graph(parameters, made.nodes, copied.results)

    def _graph(
        self, parameters: Sequence[Value], nodes: Sequence[Node], results: Sequence[Value]
    ) -> Graph:
        output = tuple_of(len(results))
        return Graph.of_values(self.name, parameters, list(nodes), list(results), output)

    # One turn

    def turn(self) -> Graph:
        """One turn: its number, the carries and all operands → the next carries."""
        view, parameters = self.view, renewed(self.operands)
        new = dict(zip(self.operands, parameters, strict=True))
        body = copy_block(view.body, new)
        graph = self._graph((*body.parameters, *parameters), body.nodes, body.results)
        sources = (*view.body.parameters, *self.operands)
        inputs = [
            replace(given, origin="partial") if source in self.partial else given
            for given, source in zip(graph.inputs, sources, strict=True)
        ]
        return replace(graph, inputs=tuple(inputs))

    # The backward sweep

    def _reverse(self, primal: Graph) -> Graph:
        """Operands, results and cotangents of carries → a cotangent of each operand."""
        operands = renewed(self.operands)
        results = renewed(primal.block.results)
        seeds = [
            Value(value.type, None, value.name, "cotangent")
            for value in results
            if carries_derivative(value.type)
        ]
        with building(Builder([], self.view.node.span)) as made:
            sweep = _Backward(self, operands, results[-1])
            bars = sweep.run(seeds)
            found = [bars[v] if v in bars else sweep.unread(k) for k, v in enumerate(operands)]
        return self._graph((*operands, *results, *seeds), made.nodes, found)


def _pushed_forward(primal: Graph, wrt: Sequence[int]) -> Graph | None:
    """Operands and tangents → tangents of results; None where something has no forward rule."""
    results = primal.block.results
    moving = sum(carries_derivative(value.type) for value in results)
    try:
        return forward.jvp(primal, wrt, output=tuple_of(moving, len(results)))
    except UnsupportedCallError:
        return None


@dataclass(frozen=True, slots=True)
class _Backward:
    """The backward sweep of a loop, over ``operands`` in the place of the loop's own, in the
    current builder.
    """

    loop: _Loop
    operands: tuple[Value, ...]
    turns: Value

    def run(self, seeds: Sequence[Value]) -> dict[Value, Value]:
        """The cotangents of operands, from those of what the carries became."""
        view = self.loop.view
        captured = set(free_values(view.body))
        wrt = [
            k
            for k, value in enumerate(self.loop.operands)
            if value in captured and carries_derivative(value.type)
        ]
        given = dict(zip(self.loop.operands, self.operands, strict=True))
        initial = [given[value] for value in view.initial]
        sources = [self.operands[k] for k in wrt]
        k, bars = Value(INT), [Value(v.type, None, v.name, "cotangent") for v in (*seeds, *sources)]
        held = _lists((builder().constant(0), *initial), view.carries)
        budget = self._budget()
        heads = renewed(held)
        with building(Builder([], view.node.span)) as turn:
            state, lists = self._beginning(k, heads, budget)
            following = self._pulled(k, state, bars, wrt)
            lists = self._dropped(k, lists)
        body = Block((k, *heads, *bars), turn.nodes, (*lists, *following))
        with marked(role="cotangent"):
            start = [*seeds, *(self._zeros(k) for k in wrt)]
            made = LoopView(emit_loop(self.turns, (*held, *start), (), body, reverse=True))
        for final, bar in zip(made.finals[len(held) :], bars, strict=True):
            final.name = bar.name
        found = dict(zip(sources, made.finals[len(held) + len(seeds) :], strict=True))
        moving = [value for value in initial if carries_derivative(value.type)]
        for value, bar in zip(moving, made.finals[len(held) :], strict=False):
            found[value] = fitted(_sum(found[value], bar), value) if value in found else bar
        return found

    def _budget(self) -> Value:
        if self.loop.budget == "log":
            return bit_length(self.turns)
        return builder().constant(self.loop.budget)

    def _beginning(
        self, k: Value, lists: Sequence[Value], budget: Value
    ) -> tuple[list[Value], tuple[Value, ...]]:
        """The carries at the beginning of turn ``k``, and what is held then."""
        carries = self.loop.view.carries
        at, *state = _top(lists, carries)
        heads = renewed((at, *state, *lists))
        with building(Builder([], builder().span)) as asked:
            goes_on = less(heads[0], k)
        condition = Block((Value(INT), *heads), asked.nodes, (goes_on,))
        heads = renewed(heads)
        place, *before = heads[: 1 + len(carries)]
        held = heads[1 + len(carries) :]
        with building(Builder([], builder().span)) as made:
            room = budget + 1 - list_length(held[0])
            count = binomial_turns(k + 1 - place, room)
            stop = place + count
            stop.name = "at"
            after = self._run_on(place, count, before)
            kept = _branch(less(stop, k), held, lambda: _pushed(held, (stop, *after)))
        body = Block((Value(INT), *heads), made.nodes, (stop, *after, *kept))
        run = LoopView(emit_loop(None, (at, *state, *lists), (), body, condition))
        return list(run.finals[1 : 1 + len(carries)]), run.finals[1 + len(carries) :]

    def _run_on(self, place: Value, count: Value, state: Sequence[Value]) -> tuple[Value, ...]:
        """The carries after ``count`` turns more."""
        index, carries = Value(INT), renewed(self.loop.view.carries)
        with building(Builder([], builder().span)) as made:
            results = self._turn(self.loop.turn(), place + index, carries)
        body = Block((index, *carries), made.nodes, tuple(results))
        return LoopView(emit_loop(count, state, (), body)).finals

    def _turn(self, turn: Graph, number: Value, rest: Sequence[Value]) -> list[Value]:
        """What a graph of one turn gives for the turn of this number."""
        index = self.turns - 1 - number if self.loop.view.reverse else number
        count = self.loop.view.carry_count
        return inlined(turn, [index, *rest[:count], *self.operands, *rest[count:]])

    def _pulled(
        self, k: Value, state: Sequence[Value], bars: Sequence[Value], wrt: Sequence[int]
    ) -> list[Value]:
        """The cotangents before turn ``k``: of carries, and the sums of those of operands."""
        carries = [n for n, value in enumerate(state) if carries_derivative(value.type)]
        first = 1 + len(state)
        turn = self.loop.turn()
        inputs = [*(1 + n for n in carries), *(first + n for n in wrt)]
        output = tuple_of(len(inputs), len(turn.block.results))
        pull = reverse.vjp(turn, inputs, output=output)
        with marked(role="cotangent"):
            found = self._turn(pull, k, (*state, *bars[: len(carries)]))
            moved, shares = found[: len(carries)], found[len(carries) :]
            sums = [
                fitted(self._sum(n, bar, share), bar)
                for n, bar, share in zip(wrt, bars[len(carries) :], shares, strict=True)
            ]
        return [*moved, *sums]

    def unread(self, k: int) -> Value:
        """The cotangent of operand number ``k`` where no turn reads it: the condition may."""
        operand = self.operands[k]
        return self._zeros(k) if carries_derivative(operand.type) else operand

    def _zeros(self, k: int) -> Value:
        """The cotangent that operand number ``k`` has before the sweep."""
        operand = self.operands[k]
        is_partial = self.loop.operands[k] in self.loop.partial
        return zeros_if_defined(operand) if is_partial else zeros_of(operand)

    def _sum(self, k: int, bar: Value, share: Value) -> Value:
        """The cotangent of operand number ``k`` with what a turn adds to it."""
        is_partial = self.loop.operands[k] in self.loop.partial
        return sum_if_defined(bar, share) if is_partial else _sum(bar, share)

    def _dropped(self, k: Value, lists: Sequence[Value]) -> tuple[Value, ...]:
        """What is held still, once turn ``k`` is taken back."""
        return _branch(equal(list_get(lists[0], -1), k), lists, lambda: _popped(lists))


def _branch(
    test: Value, others: Sequence[Value], then: Callable[[], tuple[Value, ...]]
) -> tuple[Value, ...]:
    """What ``then`` builds where a test is met, ``others`` where it is not."""
    with building(Builder([], builder().span)) as made:
        results = then()
    arms = Block((), made.nodes, results), Block((), [], tuple(others))
    return emit_cond(test, *arms).results


def _lists(state: Sequence[Value], carries: Sequence[Value]) -> tuple[Value, ...]:
    """What is held of turns' beginnings: a list of their numbers, and one of each carry."""
    lists = [list_new(value, type=ListType(value.type)) for value in state]
    lists[0].name = "held"
    for value, items in zip(carries, lists[1:], strict=True):
        items.name = f"{value.name}_held" if value.name else None
    return tuple(lists)


def _top(lists: Sequence[Value], carries: Sequence[Value]) -> list[Value]:
    """The last beginning held: the number of the turn, and the carries."""
    found = [list_get(items, -1) for items in lists]
    for value, like in zip(found[1:], carries, strict=True):
        value.type, value.name = with_sizes_of(like.type, value.type), like.name
    found[0].name = "at"
    return found


def _pushed(lists: Sequence[Value], state: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(list_push(items, value) for items, value in zip(lists, state, strict=True))


def _popped(lists: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(list_pop(items, -1)[0] for items in lists)


def _sum(bar: Value, share: Value) -> Value:
    made: Value = bar + share if isinstance(bar.type, ArrayType) else list_accumulate(bar, share)
    return made
