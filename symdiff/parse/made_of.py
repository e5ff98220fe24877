"""What a number may be at run time, told by what it is made of: once for each value.

A ``Question`` gives what decides about a value, and whether any of that is enough (``any``), or all
is needed (``all``). Branches and loops give what one of their parts gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import Node, Value
from symdiff.parse.interpreter import Interpreter

Parts = tuple[Callable[[Iterable[bool]], bool], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of numbers. ``alone`` gives the parts of a value about which its type decides,
    else None; ``computed`` those of what a node computes; ``of_constant`` answers for a constant.
    """

    alone: Callable[[Value], Parts | None]
    computed: Callable[[Node], Parts]
    of_constant: Callable[[Any], bool]

    def parts(self, interp: Interpreter, value: Value) -> Parts:
        """What decides about a value, and whether any of it is enough."""
        known = self.alone(value)
        if known is not None:
            return known
        handed = handed_on(interp, value)
        if handed is not None:
            return any, handed
        assert value.node is not None
        return self.computed(value.node)


def told(interp: Interpreter, question: Question, known: dict[Value, bool], number: Value) -> bool:
    """The answer for a number, which is noted in ``known`` for all that it is made of."""
    pending = [number]
    while pending:
        value = pending[-1]
        if value in known:
            pending.pop()
            continue
        join, made_of = question.parts(interp, value)
        unknown = [one for one in made_of if isinstance(one, Value) and one not in known]
        if unknown:
            pending += unknown
            continue
        known[value] = join(
            known[one] if isinstance(one, Value) else question.of_constant(one) for one in made_of
        )
    return known[number]


def handed_on(interp: Interpreter, value: Value) -> Sequence[Any] | None:
    """What a value may be, which a branch or a loop hands on; None where it is computed."""
    node = value.node
    if node is None:
        return interp.begun.get(value, ())
    if node.op is cond:
        place = node.results.index(value)
        return [arm.results[place] for arm in node.blocks]
    if node.op is loop:
        place, view = node.results.index(value), LoopView(node)
        carried = place < view.carry_count
        return [view.initial[place], view.next_carries[place]] if carried else ()
    return None
