"""Which loops have as many turns as the tapes hold that they read: such tapes are run over.

A tape of tapes is told by its turns: in turn ``k`` of an outer loop the inner tape holds as many
elements as the loop that filled it had turns in turn ``k``, which is the same expression of ``k``.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdiff.dataclass import dataclass
from symdiff.ir.control import LoopView, holds_turns, loop
from symdiff.ir.graph import Block, Value, walk_nodes
from symdiff.ir.types import TapeType

_DEPTH = 8  # of the expressions that are compared


@dataclass(frozen=True, slots=True)
class _Filled:
    """The loop that filled a tape, and what stands here for the indices of the loops around it."""

    view: LoopView
    place: int
    here: Mapping[Value, Value]


class Turns:
    """Tells of each loop of a block whether its tapes hold as many elements as it has turns."""

    def __init__(self, block: Block) -> None:
        self._filled: dict[Value, _Filled] = {}
        self._held: set[tuple[Value, Value]] = set()
        for node in walk_nodes(block):
            if node.op is loop:
                self._read(LoopView(node))

    def are_held(self, tape: Value, count: Value) -> bool:
        return (tape, count) in self._held

    def _read(self, view: LoopView) -> None:
        for tape, element in zip(view.xs, view.elements, strict=True):
            filled = self._filled_by(tape)
            if filled is None:
                continue
            self._compare(tape, view, filled)
            inner = filled.view.pushed[filled.place]
            if isinstance(element.type, TapeType) and inner.node is not None:
                made = _made_by(inner)
                if made is not None:
                    here = {**filled.here, filled.view.index: view.index}
                    self._filled[element] = _Filled(made.view, made.place, here)

    def _filled_by(self, tape: Value) -> _Filled | None:
        return self._filled.get(tape) or _made_by(tape)

    def _compare(self, tape: Value, view: LoopView, filled: _Filled) -> None:
        count, other = view.count, filled.view.count
        if count is None:
            return
        is_whole = other is not None and filled.view.condition is None
        if holds_turns(tape, count) or (is_whole and _are_equal(other, count, filled.here)):
            self._held.add((tape, count))


def _made_by(tape: Value) -> _Filled | None:
    if tape.node is None or tape.node.op is not loop:
        return None
    view = LoopView(tape.node)
    return _Filled(view, view.ys.index(tape), {}) if tape in view.ys else None


def _are_equal(
    there: Value | None, here: Value, known: Mapping[Value, Value], depth: int = _DEPTH
) -> bool:
    """Return whether two integers are one expression of what is known to be equal."""
    if there is None:
        return False
    if there is here or known.get(there) is here:
        return True
    one, two = there.node, here.node
    if one is None or two is None or not depth or one.op is not two.op or one.blocks or two.blocks:
        return False
    if one.op.effect or one.attributes != two.attributes or len(one.results) > 1:
        return False
    pairs = zip(one.operands, two.operands, strict=False)
    same = len(one.operands) == len(two.operands)
    return same and all(_are_equal(a, b, known, depth - 1) for a, b in pairs)
