"""Where everything stands: program points, the times between them, and when values are live.

At point ``p`` operands are read at time ``2 p`` and results written at ``2 p + 1``. A loop spans
from its first point (initial values are read) over its condition and body to the turn's end (next
carries are read and become the carries) and its exit. A value that a loop reads and does not define
is live to the loop's exit. Segments are half open, ``[write, last read)``; they leave out arms in
which nobody will read the value any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from symdiff.buffers.headers import reads_count
from symdiff.buffers.lower import push
from symdiff.dataclass import dataclass
from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import Block, Node, Value

Segment = tuple[int, int]
ScopeKind = Literal["graph", "body", "condition", "then", "else"]


@dataclass(slots=True)
class Scope:
    """A block's place: ``start`` to ``end`` are points, ``opening`` is where its node begins."""

    kind: ScopeKind
    parent: Block | None
    opening: int
    start: int = 0
    end: int = 0
    exit: int = 0  # of a loop: the point behind its last turn


@dataclass(frozen=True, slots=True)
class _Use:
    time: int
    arms: tuple[Scope, ...]  # the else-arms around it, from outside, within the value's block


class Liveness:
    """Points of a lowered block and the live segments of its values.

    Values that are ``folded`` are not read themselves: what they are computed from is, by their
    readers.
    """

    def __init__(self, block: Block, folded: frozenset[Value] = frozenset()) -> None:
        self.folded = folded
        self.first: dict[Node, int] = {}
        self.last: dict[Node, int] = {}
        self.scopes: dict[Block, Scope] = {}
        self.home: dict[Value, Block] = {}
        self.born: dict[Value, int] = {}
        self.uses: dict[Value, list[tuple[int, Block]]] = {}
        self.extra: dict[Value, list[Segment]] = {}
        self.order: list[Value] = []
        self._segments: dict[Value, list[Segment]] = {}
        self._point = 0
        self.block = block
        self._lay_out(block)

    # Points

    def _next(self) -> int:
        self._point += 1
        return self._point

    def _lay_out(self, block: Block) -> None:
        scope = self.scopes[block] = Scope("graph", None, 0, self._point)
        for value in block.parameters:
            self._define(value, 1, block)
        self._nodes(block)
        scope.end = scope.exit = self._next()
        self._read(block.results, 2 * scope.end, block)

    def _nodes(self, block: Block) -> None:
        for node in block.nodes:
            if node.op is loop:
                self._loop(LoopView(node), block)
            elif node.op is cond:
                self._cond(node, block)
            else:
                self._simple(node, block)

    def _simple(self, node: Node, block: Block) -> None:
        point = self.first[node] = self.last[node] = self._next()
        if self.folded.isdisjoint(node.results):
            self._read(node.operands, 2 * point, block)
        for value in node.results:
            self._define(value, 2 * point + 1, block)

    def _loop(self, view: LoopView, block: Block) -> None:
        node, body = view.node, view.body
        start = self.first[node] = self._next()
        scope = self.scopes[body] = Scope("body", block, start, start)
        self._read(view.initial, 2 * start, block)
        if view.count is not None and reads_count(
            node
        ):  # the header reads it after the carries have got their values
            self._read((view.count,), 2 * start + 2, block)
            self._read(_values(node.attributes.get("range", ())), 2 * start + 2, block)
        for value in (*view.ys, view.turns):
            self._define(value, 2 * start - 1, block)  # made before the carries get their values
        variable = node.attributes.get("variable")
        own = () if variable is None else (variable,)
        for value in (view.index, *own, *view.carries, *view.elements):
            self._define(value, 2 * start + 1, body)
        if view.condition is not None:
            self._condition(view, view.condition)
        for value in _shapes_of_tapes(body):
            self._read((value,), 2 * start, block)
        self._nodes(body)
        turn = scope.end = self._next()
        self._read(body.results, 2 * turn, body)
        scope.exit = leave = self.last[node] = self._next()
        self._read(view.xs, 2 * leave, block)
        for carry in view.carries:
            self.extra.setdefault(carry, []).append((2 * turn + 1, 2 * leave))
        if view.count is None:
            self.extra.setdefault(view.index, []).append((2 * start - 1, 2 * leave))
        for value in view.finals:
            self._define(value, 2 * leave + 1, block)

    def _condition(self, view: LoopView, condition: Block) -> None:
        scope = self.scopes[condition] = Scope("condition", view.body, self._point, self._point)
        self._nodes(condition)
        scope.end = scope.exit = self._next()
        self._read(condition.results, 2 * scope.end, condition)
        # The carries are what the loop gives, so they are still there when it has ended.
        self._read(view.carries, 2 * scope.end, condition)

    def _cond(self, node: Node, block: Block) -> None:
        opening = self.first[node] = self._next()
        self._read(node.operands, 2 * opening, block)
        ends = []
        kinds: tuple[ScopeKind, ScopeKind] = ("then", "else")
        for kind, arm in zip(kinds, node.blocks, strict=True):
            scope = self.scopes[arm] = Scope(kind, block, opening, self._next())
            self._nodes(arm)
            scope.end = scope.exit = self._next()
            self._read(arm.results, 2 * scope.end, arm)
            ends.append(scope.end)
        self.last[node] = ends[-1]
        for value in node.results:
            self._define(value, 2 * ends[1] + 1, block)
            self.extra.setdefault(value, []).append((2 * ends[0] + 1, 2 * ends[0] + 2))

    def _define(self, value: Value, time: int, block: Block) -> None:
        self.home[value] = block
        self.born[value] = time
        self.order.append(value)

    def _read(self, values: Sequence[Value], time: int, block: Block) -> None:
        if self.folded.isdisjoint(values):
            for value in values:
                self.uses.setdefault(value, []).append((time, block))
            return
        pending = list(values)
        while pending:
            value = pending.pop()
            if value in self.folded and value.node is not None:
                pending += value.node.operands
            else:
                self.uses.setdefault(value, []).append((time, block))

    def read_at_end(self, value: Value) -> None:
        """Note that a parameter is stored into behind everything else."""
        self.uses.setdefault(value, []).append((2 * self.scopes[self.block].end, self.block))

    # Liveness

    def is_used(self, value: Value) -> bool:
        return value in self.uses

    def segments(self, value: Value) -> list[Segment]:
        """When the value is live, in order; empty where nobody reads it."""
        known = self._segments.get(value)
        if known is None:
            known = self._segments[value] = self._live(value)
        return known

    def _live(self, value: Value) -> list[Segment]:
        if value.node is not None and value.node.op is push:
            ends = [end for _, end in self.segments(value.node.attributes["tape"])]
            return [(self.born[value], max(ends, default=self.born[value]))]
        home, read = self.home[value], self.uses.get(value, ())
        if not read:
            return []
        if {block for _, block in read} == {home}:
            return [(self.born[value], max(self.born[value], *[time for time, _ in read]))]
        uses = sorted((self._use(t, b, home) for t, b in read), key=_time)
        found: list[Segment] = []
        pending = [(self.born[value], uses, 0)]
        while pending:
            start, within, depth = pending.pop()
            arm = within[-1].arms[depth] if len(within[-1].arms) > depth else None
            if arm is None:
                found.append((start, max(within[-1].time, start)))
                continue
            opening = _Use(2 * arm.opening, ())
            before = [use for use in within if use.time < 2 * arm.start]
            if not before or before[-1].time < opening.time:
                before.append(opening)
            pending.append(
                (2 * arm.start, [u for u in within if u.time >= 2 * arm.start], depth + 1)
            )
            pending.append((start, before, depth))
        return sorted(found)

    def _use(self, time: int, block: Block, home: Block) -> _Use:
        arms: list[Scope] = []
        while block is not home:
            scope = self.scopes[block]
            if scope.kind == "body":
                time = 2 * scope.exit
                arms = []
            elif scope.kind == "else":
                arms.append(scope)
            if scope.parent is None:
                break
            block = scope.parent
        return _Use(time, tuple(reversed(arms)))

    def is_live(self, value: Value, time: int) -> bool:
        """Return whether somebody reads, after ``time``, what the value holds at that time."""
        return any(start <= time < end for start, end in self.segments(value))

    def end(self, value: Value) -> int:
        """The time of the last read; of the definition where there is none."""
        segments = self.segments(value)
        return segments[-1][1] if segments else self.born[value]

    def occupied(self, value: Value) -> list[Segment]:
        """When the value's variable must not be given to another: dead values are written, too."""
        segments = list(self.segments(value)) or [(self.born[value], self.born[value] + 1)]
        first, last = segments[0]
        segments[0] = (first, max(last, first + 1))
        extra = self.extra.get(value)
        return sorted(segments + extra) if extra else segments


def _values(bounds: Iterable[object]) -> list[Value]:
    return [bound for bound in bounds if isinstance(bound, Value)]


def _shapes_of_tapes(body: Block) -> list[Value]:
    """Values whose shapes the tapes of a loop are made from, before it."""
    likes = [node.attributes.get("like") for node in body.nodes if node.op is push]
    return [like for like in likes if isinstance(like, Value)]


def _time(use: _Use) -> int:
    return use.time
