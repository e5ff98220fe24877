"""The cases in which a cotangent was selected: where it is zero for no other reason than that.

    y = np.where(c, f(w), g(w))     f(w): {c}     g(w): {not c}     w: {c} or {not c}, so always

A case is a set of choices that all have to be met, ``Cases`` are alternatives. Of what takes parts
of an array the choice is ``PARTS``, ``PLACES`` of what does so in each turn of a loop, of a loop
that may have no turns ``TURNS``; what is not known to be the opposite of anything is a choice of
its own. Few cases are kept apart; beyond that ``SOMETIMES`` stands for all but "always".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import logical_not


class Choice(NamedTuple):
    """What decides, and for which of its outcomes; None where nothing can be its opposite."""

    by: Hashable
    outcome: bool | None = None

    @property
    def opposite(self) -> Choice | None:
        return None if self.outcome is None else Choice(self.by, not self.outcome)

    @property
    def is_by_element(self) -> bool:
        """Return whether each element of an array decides for itself."""
        by = self.by
        return isinstance(by, Value) and isinstance(by.type, ArrayType) and by.type.rank > 0


Case = frozenset[Choice]
Cases = frozenset[Case]

PARTS = Choice("parts")
PLACES = Choice("places")
TURNS = Choice("turns")
PARTIAL = frozenset({PARTS, PLACES, TURNS})  # no mask but where partials may be infinite
_LAST = "last turn"
_NUMBER = "number"
ALWAYS: Cases = frozenset({frozenset[Choice]()})
NEVER: Cases = frozenset()
PARTLY: Cases = frozenset({frozenset({PARTS})})
OTHERS = frozenset({Choice("others")})
SOMETIMES: Cases = frozenset({OTHERS})
_MOST_CASES = 8
_MOST_CHOICES = 6


def of_last_turn(loop: Node) -> Choice:
    """The choice of the last turn of a loop."""
    return Choice((_LAST, loop))


def is_of_turn(choice: Choice, loop: Node | None = None) -> bool:
    """Return whether it has to be the last turn, of this loop or of any."""
    by = choice.by
    return isinstance(by, tuple) and by[0] == _LAST and (loop is None or by[1] is loop)


def of_number(node: Node) -> Choice:
    """The choice of what uses a number that a node gives: the operands' cotangents are zero
    together where it leaves that out.
    """
    return Choice((_NUMBER, node))


def is_of_number(choice: Choice) -> bool:
    """Return whether a choice is one of a number as a whole."""
    return isinstance(choice.by, tuple) and choice.by[0] == _NUMBER


def is_partial(case: Case) -> bool:
    """Return whether a case leaves out parts and turns only."""
    return all(choice in PARTIAL or is_of_turn(choice) for choice in case)


def leaves_out_parts(cases: Cases) -> bool:
    """Return whether a case is that of parts of an array, or of a loop's last turn."""
    return any(choice == PARTS or is_of_turn(choice) for case in cases for choice in case)


def of_next_turn(cases: Cases, loop: Node) -> Cases:
    """The cases of a loop's turn, seen from the turn before."""
    return either(
        NEVER, frozenset(frozenset(c for c in case if not is_of_turn(c, loop)) for case in cases)
    )


def choice_of(condition: Value, outcome: bool) -> Choice:
    """The choice of a condition's outcome; of ``~c`` it is one of ``c``."""
    while isinstance(condition.node, Node) and condition.node.op is logical_not:
        condition, outcome = condition.node.operands[0], not outcome
    return Choice(condition, outcome)


def either(cases: Cases, others: Cases) -> Cases:
    """The cases of a sum. Two that differ in the outcome of one choice are one without it."""
    if others <= cases:
        return cases
    if SOMETIMES in (cases, others):
        return ALWAYS if ALWAYS in (cases, others) else SOMETIMES
    found = _without_special(cases | others)
    while (merged := _merged(found)) is not None:
        found = _without_special(found | {merged})
    return _limited(found)


def also(cases: Cases, choices: Iterable[Choice]) -> Cases:
    """The cases in which, besides, choices have been met."""
    further = frozenset(choices)
    if not further or cases == SOMETIMES:
        return cases
    return _limited(_without_special(frozenset(case | further for case in cases)))


def _without_special(cases: Cases) -> Cases:
    """Cases without those that a more general one has."""
    return frozenset(case for case in cases if not any(other < case for other in cases))


def _merged(cases: Cases) -> Case | None:
    """A case that two of the cases are together, if it is not there."""
    for case in cases:
        for choice in case:
            opposite = choice.opposite
            rest = case - {choice}
            if opposite is not None and any(other <= rest | {opposite} for other in cases):
                return rest
    return None


def _limited(cases: Cases) -> Cases:
    if len(cases) > _MOST_CASES or any(len(case) > _MOST_CHOICES for case in cases):
        return SOMETIMES
    return cases
