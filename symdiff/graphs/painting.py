"""From a computation graph to its picture.

A graph enters, with notes on its nodes; a ``Picture`` leaves. Drawn is what the results are made
of, and the inputs, and what would have a gradient; whole numbers and conditions only where they
have a name. An arrow goes through what is not drawn. Of a large graph, each statement of the user's
is one box, or several in succession are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from symdiff.graphs.picture import Arrow, Box, Collapse, Frame, Look, Mark, Notes, Picture
from symdiff.graphs.places import Kind, Source
from symdiff.graphs.spelling import shortened
from symdiff.graphs.statements import Statement, statement_at
from symdiff.ir.control import cond, loop
from symdiff.ir.graph import Block, Node, Value
from symdiff.ir.types import carries_derivative

if TYPE_CHECKING:
    from symdiff.graphs.effects import GraphEffect
    from symdiff.graphs.nodes import GraphNode
    from symdiff.graphs.view import ComputationGraph

MOST_BOXES = 60  # that are drawn one by one
_MOST_NOTES = 6  # lines in a box of a whole statement
_WIDEST = 48  # characters in a line
Key: TypeAlias = tuple[int, Statement, bool]
_WORST: tuple[Mark | None, ...] = (None, "good", "warning", "bad")


def picture_of(graph: ComputationGraph, collapse: Collapse, notes: Notes) -> Picture:
    """What to draw.

    :raises ValueError: for a way to collapse that there is not, and for notes on unknown nodes.
    """
    if collapse not in ("auto", "never", "line"):
        raise ValueError(f"collapse is 'auto', 'never' or 'line', not {collapse!r}")
    _require_notes(graph, notes)
    drawn = _drawn(graph, notes)
    count = len(drawn) + len(graph.effects)
    by_line = collapse == "line" or (collapse == "auto" and count > MOST_BOXES)
    most = MOST_BOXES if collapse == "auto" else count + 1
    painter = _Painter(graph, drawn, notes, most if by_line else None)
    return Picture(painter.whole, tuple(painter.arrows()))


def _require_notes(graph: ComputationGraph, notes: Notes) -> None:
    """Refuse notes on what is not there, and marks that there are not."""
    unknown = sorted(set(notes) - {node.id for node in graph})
    if unknown:
        raise ValueError(f"there is no node {unknown[0]!r} in the graph of {graph.name}")
    for _, mark in notes.values():
        if mark not in _WORST:
            raise ValueError(f"a mark is 'good', 'warning', 'bad' or None, not {mark!r}")


def _drawn(graph: ComputationGraph, notes: Notes) -> dict[Value, None]:
    """The values that get a box, in program order."""
    live = _reaching(graph, (node.value for node in graph.roots))
    live -= {parameter for _, parameter in graph.places.conditions()}
    return {
        node.value: None
        for node in graph
        if node.is_input or node.id in notes or _is_telling(node, node.value in live)
    }


def _is_telling(node: GraphNode, live: bool) -> bool:
    if node.name == "_":
        return False
    if not live:
        made = node.value.node
        is_own = made is not None and not made.blocks
        return is_own and node.name is not None and node.requires_grad
    return node.name is not None or carries_derivative(node.value.type)


def _reaching(graph: ComputationGraph, ends: Iterable[Value]) -> set[Value]:
    """What some values are made of, directly or not."""
    found: set[Value] = set()
    pending = list(ends)
    while pending:
        value = pending.pop()
        if value not in found:
            found.add(value)
            pending += [source.value for source in graph.places.sources(value)]
    return found


class _Painter:
    """Puts the drawn values of a graph into boxes and the boxes into frames.

    ``most``: about how many boxes of statements there may be; None draws each value.
    """

    def __init__(
        self, graph: ComputationGraph, drawn: dict[Value, None], notes: Notes, most: int | None
    ) -> None:
        self._graph = graph
        self._drawn = drawn
        self._notes = notes
        self._by_line = most is not None
        self._roots = {node.value for node in graph.roots}
        self._boxes: dict[Value, Box] = {}
        self._lines: dict[tuple[Key, ...], Box] = {}
        self._held: dict[str, list[GraphNode]] = {}  # what stands in a box
        self.whole = Frame("whole", graph.name)
        self._frames: dict[int, Frame] = {id(graph.places.block): self.whole}
        for value in drawn:
            self._frame(graph.places.home[value])
        self._groups = {} if most is None else self._grouped(most)
        for value in drawn:
            self._boxes[value] = self._boxed(value)
        self._effects = [effect for effect in graph.effects if self._box_of(effect) is None]
        for effect in self._effects:
            self._does(effect)
        for box in {box.id: box for box in self._boxes.values()}.values():
            self._note(box, self._held[box.id])

    # Boxes ----------------------------------------------------------------------------------------

    def _boxed(self, value: Value) -> Box:
        """The box of a value, put into its frame."""
        node = self._graph.node(value)
        frame = self._frame(self._graph.places.home[value])
        if self._by_line and value.node is not None:
            return self._statement(node, frame)
        box = Box(node.id, node.name or "", self._lines_of(node), self._look(node), _tip(node))
        self._held[box.id] = [node]
        frame.boxes.append(box)
        return box

    def _box_of(self, effect: GraphEffect) -> Box | None:
        """The box of what an effect gives, if that is drawn."""
        boxes = (self._boxes.get(value) for value in effect.ir.results)
        return next((box for box in boxes if box is not None), None)

    def _does(self, effect: GraphEffect) -> None:
        """The box of an effect, put into its frame; on its line where each statement is a box."""
        frame = self._frame(self._graph.places.block_of(effect.ir))
        place = "" if effect.span is None else f"{effect.span.location}: {effect.span.text.strip()}"
        text = shortened(effect.expression, _WIDEST)
        frame.boxes.append(Box(effect.id, "", [text], "effect", place or text))

    def _lines_of(self, node: GraphNode) -> list[str]:
        made = [shortened(node.expression, _WIDEST)] if node.value.node is not None else []
        return [*made, shortened(node.type_text, _WIDEST)]

    def _look(self, node: GraphNode) -> Look:
        if node.value in self._roots:
            return "root"
        if node.is_input:
            return "leaf" if node.requires_grad else "input"
        if node.value.node is None:
            return "handed"
        return "step" if node.requires_grad else "plain"

    def _key(self, node: GraphNode) -> Key:
        """The statement that computes a node, in its block; what it joins is apart."""
        owner = node.value.node
        statement = statement_at(node.span) if node.span else Statement("", 0, node.op or "")
        home = self._graph.places.home[node.value]
        return id(home), statement, owner is not None and bool(owner.blocks)

    def _grouped(self, most: int) -> dict[Key, tuple[Key, ...]]:
        """With each statement, those that share its box: neighbours, where there are many."""
        nodes = (self._graph.node(v) for v in self._drawn if v.node is not None)
        keys = list(dict.fromkeys(map(self._key, nodes)))
        size = math.ceil(len(keys) / most)
        runs: list[list[Key]] = []
        order = {block: place for place, block in enumerate(self._frames)}
        for key in sorted(keys, key=lambda key: order[key[0]]):
            last = runs[-1] if runs else []
            follows = last and last[0][0] == key[0] and not (key[2] or last[0][2])
            if follows and len(last) < size:
                last.append(key)
            else:
                runs.append([key])
        return {key: tuple(run) for run in runs for key in run}

    def _statement(self, node: GraphNode, frame: Frame) -> Box:
        """The box of all that a statement, or a group of them, computes in one block."""
        group = self._groups[self._key(node)]
        box = self._lines.get(group)
        if box is None:
            title, lines = _headed(group)
            box = Box(f"s{len(self._lines)}", title, lines, "plain", _tip(node))
            self._lines[group] = box
            frame.boxes.append(box)
        self._add(box, node, is_alone=len(group) == 1)
        return box

    def _add(self, box: Box, node: GraphNode, is_alone: bool) -> None:
        """One more node in the box of a statement; what has a name is told."""
        look = self._look(node)
        if look == "root" or box.look == "plain":
            box.look = look
        line = shortened(f"{node.name}: {node.type_text}", _WIDEST)
        if is_alone and node.name and line not in box.lines:
            box.lines.append(line)
        self._held.setdefault(box.id, []).append(node)

    # Notes ----------------------------------------------------------------------------------------

    def _note(self, box: Box, nodes: list[GraphNode]) -> None:
        """Write the notes on some nodes into their box; of many, those on what is worst."""
        noted = [node for node in nodes if node.id in self._notes]
        shown: set[GraphNode] = set()
        room = _MOST_NOTES
        for node in sorted(noted, key=self._importance):
            room -= len(self._notes[node.id][0])
            if room >= 0 or len(nodes) == 1:
                shown.add(node)
        for node in noted:
            lines, mark = self._notes[node.id]
            box.mark = max(box.mark, mark, key=_WORST.index)
            prefix = f"{node.label}: " if len(nodes) > 1 else ""
            box.notes += [shortened(prefix + line, _WIDEST) for line in lines if node in shown]
        if len(noted) > len(shown):
            box.notes.append(f"… and on {len(noted) - len(shown)} more")

    def _importance(self, node: GraphNode) -> tuple[int, bool]:
        """Of notes, the worst first, then those on what has a name."""
        return -_WORST.index(self._notes[node.id][1]), node.name is None

    # Frames ---------------------------------------------------------------------------------------

    def _frame(self, block: Block) -> Frame:
        """The frame of a block, inside those of the blocks around it."""
        missing: list[Block] = []
        current = block
        while id(current) not in self._frames:
            missing.append(current)
            current = self._graph.places.owner[id(current)][1]
        frame = self._frames[id(current)]
        for inner in reversed(missing):
            owner, _ = self._graph.places.owner[id(inner)]
            made = Frame(f"f{len(self._frames)}", _title(owner, inner))
            self._frames[id(inner)] = made
            frame.frames.append(made)
            frame = made
        return frame

    # Arrows ---------------------------------------------------------------------------------------

    def arrows(self) -> list[Arrow]:
        """The arrows between boxes; between those of statements one of a kind at most."""
        arrows = [
            Arrow(self._boxes[source.value].id, self._boxes[value].id, source.kind)
            for value in self._drawn
            for source in self._through(self._graph.places.sources(value))
        ]
        arrows += [
            Arrow(self._boxes[source.value].id, effect.id, source.kind)
            for effect in self._effects
            for source in self._through([Source(value) for value in effect.ir.operands])
        ]
        if not self._by_line:
            return arrows
        return list(dict.fromkeys(arrow for arrow in arrows if arrow.source != arrow.target))

    def _through(self, sources: list[Source]) -> list[Source]:
        """The drawn values among sources: each use; once through what is not drawn."""
        found = [source for source in sources if source.value in self._drawn]
        direct = {source.value for source in found}
        hidden = [source for source in sources if source.value not in self._drawn]
        return found + [s for s in self._behind(hidden) if s.value not in direct]

    def _behind(self, hidden: list[Source]) -> Iterator[Source]:
        """The first drawn values behind others, each once."""
        seen: set[Value] = set()
        pending = hidden[::-1]
        while pending:
            source = pending.pop()
            if source.value in seen:
                continue
            seen.add(source.value)
            if source.value in self._drawn:
                yield source
                continue
            inner = self._graph.places.sources(source.value)
            pending += [s._replace(kind=_further(source.kind, s.kind)) for s in reversed(inner)]


def _headed(group: tuple[Key, ...]) -> tuple[str, list[str]]:
    """Title and first lines of the box of a statement, or of a group of them."""
    _, first, joins = group[0]
    _, last, _ = group[-1]
    text, end = (shortened(s.text.removesuffix(":"), _WIDEST) for s in (first, last))
    if len(group) == 1:
        return (shortened(f"after {text}", _WIDEST) if joins else text), []
    between = ["…"] if len(group) > 2 else []
    return f"lines {first.line} to {last.line}", [text, *between, end]


def _further(outer: Kind, inner: Kind) -> Kind:
    """The kind of an arrow that goes through a value that is not drawn."""
    return inner if outer == "data" else outer


def _title(owner: Node, block: Block) -> str:
    """What a frame is called: the head of the user's statement."""
    head = "" if owner.span is None else statement_at(owner.span).text.removesuffix(":")
    number = next(k for k, inner in enumerate(owner.blocks) if inner is block)
    if owner.op is cond:
        head = f"else ({head})" if number else head
    elif owner.op is loop and number:
        head = f"test ({head})"
    return shortened(head or owner.op.name, _WIDEST)


def _tip(node: GraphNode) -> str:
    """What a pointer on a box shows: where it is in the user's source."""
    place = f"{node.span.location}: {node.span.text.strip()}" if node.span else node.label
    grad = f"\n{node.grad_fn.name()}" if node.grad_fn else ""
    return f"{place}{grad}"
