"""One of several contents: which of them it is is known at run time (``Conflict.cases``)."""

from __future__ import annotations

from collections.abc import Sequence

from symdiff.ir.build import Builder, building, constant_value
from symdiff.ir.control import cond, emit_cond, in_arms, loop, undefined
from symdiff.ir.graph import Block, Value
from symdiff.ops.arithmetic import equal, not_
from symdiff.ops.choices import chosen
from symdiff.parse.heap import constant
from symdiff.parse.values import ABSENT, Abstract, Cases, Conflict, PossiblyUnbound

MOST_CASES = 32  # of constants
MOST_TEXTS = 8  # of texts, which may be values of the program
MOST_IN_LOOPS = 6  # of those that a loop carries, where each turn may add one
MOST_OF_PARTS = 8  # of lists, tuples … that are of other parts in each


def contents_of(content: Abstract) -> dict[int, Abstract]:
    """What a content may be, by number."""
    if isinstance(content, Conflict) and content.cases is not None:
        return content.cases.contents
    if isinstance(content, PossiblyUnbound):
        return {0: ABSENT, 1: content.content}
    return {0: content}


def are_too_many(contents: Sequence[Abstract], of_texts: bool) -> bool:
    """Return whether statements would be staged for more cases than are worth it.

    :param of_texts: whether texts may be known at run time only instead.
    """
    if of_texts and all(type(content) is str for content in contents):
        return len(contents) > MOST_TEXTS
    of_parts = any(isinstance(content, tuple | dict) for content in contents)
    return len(contents) > (MOST_OF_PARTS if of_parts else MOST_CASES)


def which_of(content: Abstract, numbers: dict[int, int]) -> Value:
    """Which of its contents a content is, in other numbers."""
    if isinstance(content, PossiblyUnbound):
        return _either_number(content.bound(), numbers[1], constant(numbers[0]))
    if not isinstance(content, Conflict) or content.cases is None:
        return constant(numbers.get(0, 0))
    which = content.cases.which
    if all(old == new for old, new in numbers.items()):
        return which
    (_, last), *others = reversed(numbers.items())
    found = constant(last)
    for old, new in others:
        found = _either_number(equal(which, old), new, found)
    return found


def picked(conflict: Conflict, cases: Cases) -> Value:
    """The one of constants, texts or None, of the path that was taken."""
    numbers = {number: k for k, number in enumerate(cases.contents)}
    return chosen(which_of(conflict, numbers), constants=tuple(cases.contents.values()))


def is_case(cases: Cases, number: int) -> Value:
    """Return whether it is the one of a number, as a staged bool."""
    which, node = cases.which, cases.which.node
    if node is not None and node.op is cond:
        then, orelse = map(_numbers_of, in_arms(which))
        if then == {number} and orelse.isdisjoint((number, None)):
            return node.operands[0]
        if orelse == {number} and then.isdisjoint((number, None)):
            return opposite(node.operands[0])
    return equal(which, number)


def may_be_undefined(value: Value) -> bool:
    """Return whether a value is known on some paths only."""
    node = value.node
    if node is None or node.op is loop:
        return True
    if node.op is not cond:
        return node.op is undefined
    return any(map(may_be_undefined, in_arms(value)))


def _numbers_of(which: Value) -> set[int | None]:
    """What a staged number may be; with None where that is not known."""
    node, known = which.node, constant_value(which)
    if known is not None or node is None or node.op is not cond:
        return {known}
    return set().union(*map(_numbers_of, in_arms(which)))


def opposite(predicate: Value) -> Value:
    """Return whether a predicate does not hold."""
    node = predicate.node
    if node is not None and node.op is not_:
        return node.operands[0]
    return not_(predicate)


def _either_number(condition: Value, number: int, other: Value) -> Value:
    with building(Builder()) as inner:
        then = constant(number)
    return emit_cond(condition, Block((), inner.nodes, (then,)), Block((), [], (other,))).result
