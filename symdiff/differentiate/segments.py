"""Loops cut into segments: of a segment's turns the backward sweep saves nothing before it needs
them.

A loop of n turns becomes a loop over segments of a loop over the turns of one. What the outer one
carries is saved at the beginning of each segment. The count of the inner one is a ``segment``, by
which the sweep knows that it runs the turns again, and saves of them then. With segments of k turns
that is memory of n/k + k turns for one more run of the function; with k = √n, of 2√n (Griewank &
Walther 2008, ch. 12).

    loop(n, c) {body}  →  loop(len(range(0, n, k)), c) { loop(segment(n - j * k, k), c) {body} }

Several numbers, ``(k1, k2, …)``, cut segments into segments again: each level costs one more run,
and with segments half as long as those around them memory is of about 2 log₂ n turns.

How often a loop with a condition runs is not known: where its segments are to be of about √n turns,
they have 1, 2, 3 … of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from symdiff.dataclass import dataclass
from symdiff.ir.build import Builder, builder, building, copy_into, renewed
from symdiff.ir.control import LoopView, emit_loop, loop
from symdiff.ir.graph import Block, Graph, Node, Value
from symdiff.ir.types import INT
from symdiff.ops.arithmetic import bitwise_and, less
from symdiff.ops.creation import int_minimum, range_length
from symdiff.ops.mathlib import math_isqrt
from symdiff.ops.residuals import segment

Every = int | tuple[int, ...] | Literal["sqrt"]


def segmented(graph: Graph, every: Every) -> Graph | None:
    """The graph with its loops cut into segments of ``every`` turns, or of about √n; None where
    there is no loop that can be cut.

    Loops within loops stay as they are.
    """
    return with_loops_cut(graph, lambda view, new: _Cut(view, every, new).emit())


def with_loops_cut(
    graph: Graph, emit: Callable[[LoopView, dict[Value, Value]], None]
) -> Graph | None:
    """The graph with something else in the place of each loop that can be cut; None where there is
    none. ``emit`` builds it, and adds its results to the copies of values that it is given.
    """
    if not any(map(_can_be_cut, graph.block.nodes)):
        return None
    parameters = renewed(graph.block.parameters)
    new = dict(zip(graph.block.parameters, parameters, strict=True))
    with building(Builder([], graph.span)) as made:
        for node in graph.block.nodes:
            if _can_be_cut(node):
                emit(LoopView(node), new)
            else:
                copy_into(node, new)
    results = tuple(new.get(value, value) for value in graph.block.results)
    return replace(graph, block=Block(parameters, made.nodes, results))


def _can_be_cut(node: Node) -> bool:
    """Return whether a node is a loop that carries what it does from turn to turn."""
    if node.op is not loop:
        return False
    view = LoopView(node)
    return not (view.xs or view.ys or view.varying)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A loop being cut. ``new`` has the copies of values."""

    view: LoopView
    every: Every
    new: dict[Value, Value]

    def emit(self) -> None:
        view, new = self.view, self.new
        initial = [new.get(value, value) for value in view.initial]
        count = None if view.count is None else new.get(view.count, view.count)
        if view.condition is None and count is not None:
            made, turns = self._counted(count, initial)
        else:
            made, turns = self._conditional(count, initial)
        new |= zip(view.finals, made, strict=True)
        new[view.turns] = turns
        for old, value in zip(view.finals, made, strict=True):
            value.name, value.role = old.name, old.role

    def _counted(self, count: Value, initial: list[Value]) -> tuple[list[Value], Value]:
        """The loop whose turns are counted: segments are equally long, but for the last."""
        turns = range_length(0, count, 1)
        lengths = self._lengths() or (math_isqrt(turns) + 1,)
        segments = range_length(0, count, lengths[0])
        number, carries = Value(INT), renewed(self.view.carries)
        with building(Builder([], self.view.node.span)) as outer:
            start = number * lengths[0]
            finals, _ = self._segment(start, count - start, lengths, carries)
        body = Block((number, *carries), outer.nodes, finals)
        made = LoopView(emit_loop(segments, initial, (), body, reverse=self.view.reverse))
        return list(made.finals), turns

    def _conditional(self, count: Value | None, initial: list[Value]) -> tuple[list[Value], Value]:
        """The loop with a condition, which is asked at the beginning of a segment too."""
        number, at, carries = Value(INT), Value(INT), renewed(self.view.carries)
        with building(Builder([], self.view.node.span)) as outer:
            lengths = self._lengths() or (number + 1,)
            left = lengths[0] if count is None else count - at
            finals, turns = self._segment(at, left, lengths, carries)
            total = at + turns
        body = Block((number, at, *carries), outer.nodes, (total, *finals))
        condition = self._asked(count)
        zero = builder().constant(0)
        made = LoopView(emit_loop(None, [zero, *initial], (), body, condition))
        return list(made.finals[1:]), made.finals[0]

    def _lengths(self) -> tuple[Value, ...]:
        """How many turns segments have, and segments of segments; nothing where that is a root."""
        if self.every == "sqrt":
            return ()
        given = self.every if isinstance(self.every, tuple) else (self.every,)
        return tuple(map(builder().constant, given))

    def _asked(self, count: Value | None) -> Block:
        """The condition of a loop over segments, which carries at which turn it is."""
        number, at, *carries = Value(INT), Value(INT), *renewed(self.view.carries)
        with building(Builder([], self.view.node.span)) as asked:
            goes_on = self._condition(at, carries)
            if count is not None:
                within = less(at, count)
                goes_on = within if goes_on is None else bitwise_and(within, goes_on)
        assert goes_on is not None
        return Block((number, at, *carries), asked.nodes, (goes_on,))

    def _segment(
        self, start: Value, left: Value, lengths: Sequence[Value], carries: Sequence[Value]
    ) -> tuple[tuple[Value, ...], Value]:
        """The turns of one segment that begins at ``start``, at most those that are ``left``: what
        they leave, and how many there were.
        """
        view = self.view
        if len(lengths) == 1:
            turns = self._turns(start, segment(left, lengths[0]), carries)
            return turns.finals, turns.turns
        whole, part, *_ = lengths
        here = int_minimum(left, whole)
        count = segment(range_length(0, left, part), range_length(0, whole, part))
        number, at, given = Value(INT), Value(INT), renewed(view.carries)
        with building(Builder([], view.node.span)) as inner:
            if view.condition is None:
                at = number * part
                finals, _ = self._segment(start + at, here - at, lengths[1:], given)
                body = Block((number, *given), inner.nodes, finals)
            else:
                finals, done = self._segment(at, start + here - at, lengths[1:], given)
                body = Block((number, at, *given), inner.nodes, (at + done, *finals))
        if view.condition is None:
            made = LoopView(emit_loop(count, carries, (), body, reverse=view.reverse))
            return made.finals, here
        made = LoopView(emit_loop(count, (start, *carries), (), body, self._asked(None)))
        return made.finals[1:], made.finals[0] - start

    def _turns(self, start: Value, most: Value, carries: Sequence[Value]) -> LoopView:
        """The loop over the turns of a segment that begins at ``start``."""
        view = self.view
        index, given = Value(INT), renewed(view.carries)
        new = dict(self.new)
        with building(Builder([], view.node.span)) as made:
            turn = start + index
            turn.name = view.index.name
            new |= zip((view.index, *view.carries), (turn, *given), strict=True)
            for node in view.body.nodes:
                copy_into(node, new)
        body = Block((index, *given), made.nodes, tuple(new.get(v, v) for v in view.body.results))
        tested = None
        if view.condition is not None:
            parameters = (Value(INT), *renewed(view.carries))
            with building(Builder([], view.node.span)) as asked:
                goes_on = self._condition(start + parameters[0], parameters[1:])
            assert goes_on is not None
            tested = Block(parameters, asked.nodes, (goes_on,))
        return LoopView(emit_loop(most, carries, (), body, tested, reverse=view.reverse))

    def _condition(self, turn: Value, carries: Sequence[Value]) -> Value | None:
        """The loop's condition at a turn, in the current builder."""
        block = self.view.condition
        if block is None:
            return None
        new = self.new | dict(zip(block.parameters, (turn, *carries), strict=True))
        for node in block.nodes:
            copy_into(node, new)
        (result,) = block.results
        return new.get(result, result)
