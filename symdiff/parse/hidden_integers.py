"""Numbers that are integers on some paths and floats on the others, where that makes a difference.

``v = 2 if c > 0.5 else c`` is typed as a float, and stays an integer at run time where it is one.
Arithmetic does not mind. An array that is made of it and of integers holds integers then, which
cut what is written into them; its class is another one, and so is its dtype. That is refused, once
a function has been staged. Where only a loop that has no turn leaves integers (``s = 0``, ``for …:
s += x[k]``), the program asks at run time. Lists count as numbers do: as long as no item is a float
for sure. What library functions give of such numbers, ``dtype_answers`` tells.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.control import CALLS, LoopView, cond, loop
from symdiff.ir.graph import Block, Node, Value, walk_blocks, walk_nodes
from symdiff.ir.types import ArrayType
from symdiff.ops.declare import array_type
from symdiff.ops.effects import check_dtype
from symdiff.ops.index import index_add, index_set
from symdiff.ops.lists import list_typed
from symdiff.ops.partial import reached
from symdiff.ops.retype import as_typed, retype
from symdiff.parse.dtype_answers import (
    INTEGERS_IN_FLOATS,
    OTHERS,
    PYTHONS_IN_NUMPYS,
    Answer,
    Asked,
    Hiding,
    Question,
)
from symdiff.parse.hidden_flow import Flow, stays_hidden
from symdiff.parse.values import TEMPLATES, Changed
from symdiff.source import SourceSpan


@dataclass(frozen=True)
class Found:
    """What rests on the dtype of a value in which numbers may hide."""

    value: Value
    span: SourceSpan | None
    what: str


def require_no_hidden_numbers(
    block: Block, asked: Sequence[Question], answers: Sequence[Answer]
) -> None:
    """Refuse writes and questions whose answer is another one where a number is an integer, and
    whatever else rests on a dtype by which a number is typed that has another one.

    ``asked``: the questions for classes. ``answers``: what library functions were given and gave.
    """
    if not (asked or answers or any(map(_may_rest, walk_nodes(block)))):
        return
    sources = [node for node in walk_nodes(block) if node.op in _SOURCES]
    for hiding in (INTEGERS_IN_FLOATS, *OTHERS) if sources else ():
        hidden = [value for node in sources for value in hidden_by(node, hiding)]
        if hidden:
            _Hidden(hiding, block, hidden, _within(block, answers)).require_none(asked)
    _require_no_pythons(block, sources, asked)


def _require_no_pythons(block: Block, sources: Sequence[Node], asked: Sequence[Question]) -> None:
    """Refuse questions for the class of a number that is Python's on some paths, NumPy's on
    others.
    """
    hiding = PYTHONS_IN_NUMPYS
    hidden = [value for node in sources for value in hidden_by(node, hiding)]
    resting = [
        one
        for one in asked
        if not one.is_ours
        and hiding.is_typed(one.value.type)
        and one.rests_on(hiding, is_pythons=True)
    ]
    if not hidden or not (resting or any(_rests_inside(node, hiding) for node in sources)):
        return
    found = Flow(hiding, block, (), has_turns=False).of(hidden)
    _require_seen(sources, hiding, found, any(one.value in found for one in resting))
    for one in resting:
        if one.value in found:
            message = "the class of a number that is Python's on some paths, NumPy's on others"
            raise UnsupportedSyntaxError(message, one.span, hiding.hint)


def _require_seen(sources: Sequence[Node], hiding: Hiding, found: Set[Value], rests: bool) -> None:
    """Have calls of templates copied, where what is computed inside has to be seen.

    ``rests``: something rests on what was found, which a call may have given.
    """
    for node in sources:
        if node.op in CALLS and (
            (_rests_inside(node, hiding) and not found.isdisjoint(node.operands))
            or (rests and node.attributes["callee"].unlike and not found.isdisjoint(node.results))
        ):
            raise Changed(TEMPLATES)


def hidden_in(block: Block, asked: Asked) -> dict[Hiding, frozenset[int]] | None:
    """The results of a block that may be of other types than they are typed as, by the way in which
    they are; None where something inside rests on such numbers, or they are in lists or arrays.

    ``asked``: what was asked for of what is in the block.
    """
    found: dict[Hiding, frozenset[int]] = {}
    sources = [node for node in walk_nodes(block) if node.op in _SOURCES]
    for hiding in (INTEGERS_IN_FLOATS, *OTHERS, PYTHONS_IN_NUMPYS) if sources else ():
        own = [value for node in sources for value in hidden_by(node, hiding)]
        hidden = Flow(hiding, block, (), has_turns=False).of(own) if own else set()
        are_numbers = all(isinstance(v.type, ArrayType) and not v.type.rank for v in hidden)
        resting = [node for node in sources if _rests_inside(node, hiding)]
        if not are_numbers or any(hidden & {*node.operands} for node in resting):
            return None
        if asked.rests_on(hiding, hidden):
            return None
        found[hiding] = frozenset(k for k, v in enumerate(block.results) if v in hidden)
    return {hiding: places for hiding, places in found.items() if places}


def may_rest_inside(block: Block, asked: Asked) -> bool:
    """Return whether something in a block may rest on the types that numbers have at run time."""
    nodes = walk_nodes(block)
    return len(asked) > 0 or any(map(_may_rest, nodes))


def asks_inside(block: Block, asked: Asked) -> bool:
    """Return whether the program asks for classes of numbers in a block, or in what it calls."""
    hiding = PYTHONS_IN_NUMPYS
    return bool(asked.questions) or any(_rests_inside(n, hiding) for n in walk_nodes(block))


def _within(block: Block, answers: Sequence[Answer]) -> list[Answer]:
    """Those of which all is in the program: what was staged on trial may be gone."""
    inside = {value for inner in walk_blocks(block) for value in inner.parameters}
    inside |= {value for node in walk_nodes(block) for value in node.results}
    return [answer for answer in answers if answer.asked <= inside]


_MADE_LIKE = "an array made like one"
_WRITES = (index_set, index_add)
_SOURCES = (retype, list_typed, *CALLS)  # of numbers that are typed as others


@dataclass(frozen=True)
class _Hidden:
    """Numbers in a program that are typed as others."""

    hiding: Hiding
    block: Block
    values: Sequence[Value]
    answers: Sequence[Answer]

    def require_none(self, asked: Sequence[Question]) -> None:
        """Refuse what rests on them; where only a loop without turns leaves one, the program is to
        tell.
        """
        self._say_dtypes()
        found = self.computed()
        resting = list(self._classes_asked(asked, found))
        resting += [one for answer in self.answers for one in self._resting_on(answer, found)]
        cuts = [node for node in walk_nodes(self.block) if self._is_cut(node, found)]
        resting += self._made_apart(cuts, found) if cuts else []
        calls = [node for node in walk_nodes(self.block) if node.op in CALLS]
        _require_seen(calls, self.hiding, found, bool(resting or cuts))
        if resting or cuts:
            certain = self.computed(has_turns=True)
            self._refuse(certain, resting)
            self._ask_at_run_time(set(cuts), {one.value: one.span for one in resting})

    def _say_dtypes(self) -> None:
        """Make arrays that are given a dtype of that dtype, where what they are made of hides.

        What is emitted has no dtype where the numbers have it as far as is known.
        """
        made = self.computed(asks=False)
        said = {v for one in self.answers for v in one.said(self.hiding, made) if v in made}
        for inner in walk_blocks(self.block) if said else ():
            inner.nodes[:] = [
                one
                for node in inner.nodes
                for one in (_with_dtype(node) if said.intersection(node.results) else (node,))
            ]

    def _classes_asked(self, asked: Sequence[Question], found: Set[Value]) -> Iterator[Found]:
        questions = [one for one in asked if one.value in found]
        arrays = [value for value in found if _is_numpys(value)] if questions else []
        numpys = reached(self.block, arrays, _computed_with)
        for one in questions:
            if one.rests_on(self.hiding, is_pythons=one.value not in numpys):
                yield Found(one.value, one.span, "the class of a number")

    def _resting_on(self, answer: Answer, found: Set[Value]) -> Iterator[Found]:
        """What a library function has given that is another one where numbers hide."""
        what = None
        given = answer.hidden(self.hiding, found)
        if answer.is_another(self.hiding, found):
            what = "the dtype of something"
        elif self._cuts and given and answer.holds_others(self.hiding, found):
            what = "a number in an array made like one"
        elif any(value not in found for value in given):
            what = _MADE_LIKE
        if what is not None:
            yield from (Found(value, answer.span, what) for value in answer.asked & found)

    def _made_apart(self, cuts: Sequence[Node], found: Set[Value]) -> list[Found]:
        """What tells at run time of what arrays that are written to hold, where they are not made
        of it.
        """
        made = self.computed(asks=False)
        if all(node.operands[0] in made for node in cuts):
            return []
        return [
            Found(value, answer.span, _MADE_LIKE)
            for answer in self.answers
            if any(one not in made for one in answer.hidden(self.hiding, found))
            for value in answer.asked & found
        ]

    def _is_certain(self, value: Value, found: Set[Value]) -> bool:
        return value not in found and self.hiding.is_typed(value.type)

    @property
    def _cuts(self) -> bool:
        """Whether arrays of such numbers cut the derivative of what is written into them."""
        return self.hiding is INTEGERS_IN_FLOATS

    def _is_cut(self, node: Node, found: Set[Value]) -> bool:
        if node.op not in _WRITES or not self._cuts:
            return False
        array, written, *_ = node.operands
        return array in found and self._is_certain(written, found)

    def _refuse(self, certain: Set[Value], resting: Sequence[Found]) -> None:
        """Refuse what is decided on a path on which each loop has a turn.

        :param certain: what hides, or holds what does, on such a path.
        """
        hidden, typed = self.hiding.words
        for one in resting:
            if one.value in certain and not (self._cuts and one.what is _MADE_LIKE):
                message = f"{one.what} that is {hidden} on some paths, {typed} on others"
                raise UnsupportedSyntaxError(message, one.span, self.hiding.hint)
        for node in walk_nodes(self.block):
            if self._is_cut(node, certain):
                message = (
                    "a write into an array that holds integers on some paths, floats on others"
                )
                raise UnsupportedSyntaxError(message, node.span, self.hiding.hint)

    def _ask_at_run_time(self, cuts: Set[Node], resting: Mapping[Value, SourceSpan | None]) -> None:
        """Ask before writes, and where numbers are defined on whose dtype something rests."""
        for inner in walk_blocks(self.block):
            nodes = [self._asked(v, resting[v]) for v in inner.parameters if v in resting]
            for node in inner.nodes:
                if node in cuts:
                    nodes.append(self._asked(node.operands[0], node.span))
                nodes.append(node)
                nodes += [self._asked(v, resting[v]) for v in node.results if v in resting]
            inner.nodes[:] = nodes

    def _asked(self, value: Value, span: SourceSpan | None) -> Node:
        hiding = self.hiding
        told = {"other": hiding.hidden, "told": hiding.words[0], "hint": hiding.hint}
        return Node(check_dtype, (value,), told, span=span)

    def computed(self, *, has_turns: bool = False, asks: bool = True) -> set[Value]:
        """What hides, or is an array or a list of such, on paths on which these numbers are.

        ``asks``: library functions too for what they make like such an array.
        """
        answers = self.answers if self._cuts and asks else ()
        return Flow(self.hiding, self.block, answers, has_turns=has_turns).of(self.values)


def may_be_integer(content: Any, begun: Mapping[Value, Sequence[Any]]) -> bool:
    """Return whether a number that is typed as a float is one of Python's integers on some path.

    ``begun``: what parameters of loops are before a turn and after one, as far as that is known.
    """
    pending, seen = [*floats_in(content)], set()
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        if any(_is_pythons_integer(part) for part in begun.get(one, ())):
            return True
        if one.node is not None and one in hidden_by(one.node, INTEGERS_IN_FLOATS):
            return True
        sources = begun.get(one, ()) if one.node is None else _sources(one, one.node)
        pending += [source for part in sources for source in floats_in(part)]
    return False


def floats_in(content: Any) -> Iterator[Value]:
    """The numbers typed as floats that a content is or, as a slice or a tuple, consists of."""
    if isinstance(content, slice):
        content = content.start, content.stop, content.step
    if isinstance(content, tuple):
        for part in content:
            yield from floats_in(part)
    elif isinstance(content, Value) and INTEGERS_IN_FLOATS.is_typed(content.type):
        yield content


def _is_pythons_integer(content: Any) -> bool:
    type_ = content.type if isinstance(content, Value) else None
    if isinstance(type_, ArrayType):
        return type_.weak and INTEGERS_IN_FLOATS.is_hidden(type_)
    return isinstance(content, int)


def _sources(value: Value, node: Node) -> Sequence[Value]:
    """What a number may be, or is computed of."""
    place = node.results.index(value)
    if node.op is cond:
        return [arm.results[place] for arm in node.blocks]
    if node.op is loop:
        view = LoopView(node)
        inside = place < view.carry_count
        return [view.initial[place], view.next_carries[place]] if inside else []
    is_of_operands = node.op in CALLS or (
        not node.blocks and stays_hidden(node, INTEGERS_IN_FLOATS)
    )
    return node.operands if is_of_operands else []


def hides(node: Node, hiding: Hiding) -> bool:
    """Return whether a number, or the items of a list, are typed as others."""
    if node.op not in (retype, list_typed):
        return False
    before = node.operands[0].type
    return hiding.is_hidden(before) and hiding.is_typed(node.result.type)


def hidden_by(node: Node, hiding: Hiding) -> Sequence[Value]:
    """The results of a node that hide whatever it is given, in a graph that it calls, too."""
    if node.op in CALLS:
        places = node.attributes["callee"].hides.get(hiding, ())
        return [node.results[k] for k in sorted(places)]
    return node.results if hides(node, hiding) else ()


def _rests_inside(node: Node, hiding: Hiding | None = None) -> bool:
    """Return whether a graph that a node calls may rest on the types that numbers have: on whether
    they are Python's where it asks for their classes only.
    """
    if node.op not in CALLS:
        return False
    callee = node.attributes["callee"]
    return bool(callee.asks if hiding is PYTHONS_IN_NUMPYS else callee.rests)


def _may_rest(node: Node) -> bool:
    """Return whether a node may rest on a dtype: it writes into an array, or calls what may."""
    return node.op in _WRITES or _rests_inside(node)


def _with_dtype(node: Node) -> tuple[Node, Node]:
    """A node and one that casts its result, which takes its place."""
    value = node.result
    node.results = (Value(value.type, node),)
    value.node = Node(
        as_typed, node.results, {"dtype": array_type(value).dtype}, (), (value,), node.span
    )
    return node, value.node


def _computed_with(node: Node) -> Iterator[tuple[Value, Value]]:
    if not node.blocks:
        yield from itertools.product(node.operands, node.results)


def _is_numpys(value: Value) -> bool:
    """Return whether a value is an array, or was a number of NumPy's before it was typed as
    another.
    """
    node = value.node
    before = node.operands[0] if node is not None and node.op is retype else value
    type_ = before.type
    if not isinstance(type_, ArrayType):
        return False
    return type_.rank > 0 or (before is not value and not type_.weak)
