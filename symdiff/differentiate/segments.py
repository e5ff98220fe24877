"""Loops cut into segments: of a segment's turns the backward sweep saves nothing before it needs
them.

A loop of n turns becomes a loop over segments of a loop over the turns of one. What the outer one
carries is saved at the beginning of each segment. The count of the inner one is a ``segment``, by
which the sweep knows that it runs the turns again, and saves of them then. With segments of k turns
that is memory of n/k + k turns for one more run of the function; with k = √n, of 2√n (Griewank &
Walther 2008, ch. 12).

    loop(n, c) {body}  →  loop(len(range(0, n, k)), c) { loop(segment(n - j * k, k), c) {body} }

How often a loop with a condition runs is not known: where its segments are to be of about √n turns,
they have 1, 2, 3 … of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from symdiff.dataclass import dataclass
from symdiff.ir.build import Builder, builder, building, copy_into, renewed
from symdiff.ir.control import LoopView, emit_loop, loop
from symdiff.ir.graph import Block, Graph, Node, Value
from symdiff.ir.types import INT
from symdiff.ops.arithmetic import bitwise_and, less
from symdiff.ops.creation import range_length
from symdiff.ops.mathlib import math_isqrt
from symdiff.ops.residuals import segment

Every = int | Literal["sqrt"]


def segmented(graph: Graph, every: Every) -> Graph | None:
    """The graph with its loops cut into segments of ``every`` turns, or of about √n; None where
    there is no loop that can be cut.

    Loops within loops stay as they are.
    """
    if not any(map(_can_be_cut, graph.block.nodes)):
        return None
    parameters = renewed(graph.block.parameters)
    new = dict(zip(graph.block.parameters, parameters, strict=True))
    with building(Builder([], graph.span)) as made:
        for node in graph.block.nodes:
            if _can_be_cut(node):
                _Cut(LoopView(node), every, new).emit()
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
        length = math_isqrt(turns) + 1 if self.every == "sqrt" else builder().constant(self.every)
        segments = range_length(0, count, length)
        number = Value(INT, None, None)
        carries = renewed(self.view.carries)
        with building(Builder([], self.view.node.span)) as outer:
            start = number * length
            inner = self._turns(start, segment(count - start, length), carries, None)
        body = Block((number, *carries), outer.nodes, inner.finals)
        made = LoopView(emit_loop(segments, initial, (), body, reverse=self.view.reverse))
        return list(made.finals), turns

    def _conditional(self, count: Value | None, initial: list[Value]) -> tuple[list[Value], Value]:
        """The loop with a condition, which is asked at the beginning of a segment too."""
        view = self.view
        number, at = Value(INT, None, None), Value(INT, None, None)
        carries = renewed(view.carries)
        with building(Builder([], view.node.span)) as outer:
            most = number + 1 if self.every == "sqrt" else outer.constant(self.every)
            most = segment(most if count is None else count - at, most)
            inner = self._turns(at, most, carries, view.condition)
            total = at + inner.turns
        body = Block((number, at, *carries), outer.nodes, (total, *inner.finals))
        with building(Builder([], view.node.span)) as asked:
            parameters = Value(INT, None, None), Value(INT, None, None), *renewed(view.carries)
            goes_on = self._condition(parameters[1], parameters[2:])
            if count is not None:
                within = less(parameters[1], count)
                goes_on = within if goes_on is None else bitwise_and(within, goes_on)
        assert goes_on is not None
        condition = Block(parameters, asked.nodes, (goes_on,))
        zero = builder().constant(0)
        made = LoopView(emit_loop(None, [zero, *initial], (), body, condition))
        return list(made.finals[1:]), made.finals[0]

    def _turns(
        self, start: Value, most: Value, carries: tuple[Value, ...], condition: Block | None
    ) -> LoopView:
        """The loop over the turns of a segment that begins at ``start``."""
        view = self.view
        index, given = Value(INT, None, None), renewed(view.carries)
        new = dict(self.new)
        with building(Builder([], view.node.span)) as made:
            turn = start + index
            turn.name = view.index.name
            new |= zip((view.index, *view.carries), (turn, *given), strict=True)
            for node in view.body.nodes:
                copy_into(node, new)
        body = Block((index, *given), made.nodes, tuple(new.get(v, v) for v in view.body.results))
        tested = None
        if condition is not None:
            parameters = (Value(INT, None, None), *renewed(view.carries))
            with building(Builder([], view.node.span)) as asked:
                goes_on = self._condition(start + parameters[0], parameters[1:])
            assert goes_on is not None
            tested = Block(parameters, asked.nodes, (goes_on,))
        return LoopView(emit_loop(most, carries, (), body, tested, reverse=view.reverse))

    def _condition(self, turn: Value, carries: tuple[Value, ...]) -> Value | None:
        """The loop's condition at a turn, in the current builder."""
        block = self.view.condition
        if block is None:
            return None
        new = self.new | dict(zip(block.parameters, (turn, *carries), strict=True))
        for node in block.nodes:
            copy_into(node, new)
        (result,) = block.results
        return new.get(result, result)
