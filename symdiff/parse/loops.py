"""Loops: staged as one (``trials``) where that can be, else turn by turn.

A turn is staged on its own before the loop (peeled, at most three) where the first turn differs: in
rank, in structure, in which names share an array. A loop whose body needs its index statically is
unrolled.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from symdiff.errors import AliasingError, UnsupportedSyntaxError
from symdiff.ir.graph import Block, Value, walk_nodes
from symdiff.ir.reach import reached
from symdiff.ops.arithmetic import less
from symdiff.ops.declare import NeedsStatic
from symdiff.ops.sizes import lower_bound
from symdiff.parse.blame import is_users
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.demand import can_be_known
from symdiff.parse.heap import same
from symdiff.parse.interpreter import MOST_UNROLLED, Interpreter
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.memory_order import layouts_wanted
from symdiff.parse.moves import Move
from symdiff.parse.trials import MOST_INDENTED, EndlessLoopError, LoopStager, Turns
from symdiff.parse.values import (
    Abstract,
    Conflict,
    ConflictRead,
    FirstTurnDiffers,
    Iterable,
    NeverReturns,
    Token,
)
from symdiff.source import SourceSpan

MOST_PEELED = 3
MOST_TURNS_INSTEAD = 100  # of a loop that cannot be staged as one
MOST_TESTED = 32  # turns of a loop whose end is known at run time only
MOST_NESTED = 1  # of turns that are staged one by one, each where the one before was not the last


class NestedTurnsError(UnsupportedSyntaxError):
    """Turns that are staged one by one would stand too deep inside one another."""

    def __init__(self, most: int, span: SourceSpan | None) -> None:
        super().__init__(
            f"more than {most} turns of a loop that may be left in any of them would be staged"
            " one by one",
            span,
            "give all items one type, or make an array of them: np.array(...)",
        )
        self.most = most
        self.is_limit = True


# Entry points -------------------------------------------------------------------------------------


def run_for(
    interp: Interpreter,
    iterable: Iterable,
    turn: Callable[[Abstract], None],
    nested: int = MOST_INDENTED,
    moves: tuple[Move, ...] = (),
    as_one: bool = False,
) -> Turns:
    """Stage a ``for`` loop; whether it was left by break is in the heap, for ``else``.

    Turns that are staged one by one stand inside one another where the loop may be left:
    ``nested`` at most. ``as_one``: it is refused where it cannot be staged as one.
    """

    def one(index: Any) -> None:
        turn(iterable.element(index))

    turns = Turns(Token(), iterable.count, one, moves=moves, as_one=as_one)
    turns.more, turns.nested = iterable.more if iterable.unroll else None, nested
    watched = () if iterable.unroll and iterable.end is None else iterable.live
    before = [interp.heap.get(ref) for ref in watched]

    def run() -> None:
        _run(interp, turns, iterable.unroll)
        if iterable.end is not None:
            interp.unless_exited(iterable.end)

    _with_exits(interp, turns, run)
    if not all(same(b, interp.heap.get(ref)) for b, ref in zip(before, watched, strict=True)):
        raise UnsupportedSyntaxError(
            "a list changes while a loop goes over it", hint="go over a copy: for x in list(xs)"
        )
    return turns


def run_while(
    interp: Interpreter,
    test: Callable[[], bool | Value],
    turn: Callable[[], None],
    moves: tuple[Move, ...] = (),
) -> Turns:
    """Stage a ``while`` loop."""
    turns = Turns(Token(), None, lambda index: turn(), test, moves=moves)
    _with_exits(interp, turns, lambda: _run(interp, turns, False))
    return turns


def run_inside(
    interp: Interpreter,
    run: Callable[[Callable[[Abstract], None]], None],
    turn: Callable[[Abstract], None],
) -> Turns:
    """Stage a ``for`` loop whose turns stand inside loops that ``run`` stages."""
    turns = Turns(Token(), None, turn)

    def one(element: Abstract) -> None:
        with interp.innermost(turns.broken, turns.continued):
            _one_turn(interp, turns, element)

    _with_exits(interp, turns, lambda: run(one))
    return turns


def _with_exits(interp: Interpreter, turns: Turns, action: Callable[[], None]) -> None:
    """Run with the loop's exits open, and leave only break's behind."""
    with interp.opened(turns.broken, turns.stopped, turns.continued):
        action()
    for exit_ in (turns.stopped, turns.continued):
        interp.heap.contents.pop(exit_, None)


def _run(interp: Interpreter, turns: Turns, unroll: bool) -> None:
    if unroll:
        _unroll(interp, turns)
    else:
        _staged_or_unrolled(interp, turns)


def _staged_or_unrolled(interp: Interpreter, turns: Turns) -> None:
    """Stage a loop as one; else turn by turn, where that is possible."""
    if isinstance(turns.count, int) and turns.count <= turns.first:
        return
    if interp.span in interp.policy.unrolled and _turn_by_turn(interp, turns):
        return
    start = Checkpoint(interp)
    unrolls = isinstance(turns.count, int) and turns.count <= MOST_TURNS_INSTEAD
    try:
        with meanwhile(interp, tentative=interp.tentative or unrolls):
            _staged_or_peeled(interp, turns)
        return
    except Exception as error:
        failure = error
    _refuse_or_unroll(interp, turns, failure)
    start.roll_back()
    if _leaves(failure) and turns.first < MOST_PEELED:
        # which raises it where the turn is reached, if it ever is
        _peel(interp, turns, _is_certain(turns) or _enters(turns))
        return
    try:
        _unroll(interp, turns)
    except (NeedsStatic, EndlessLoopError) as ended:
        told = not isinstance(ended, NeedsStatic) or can_be_known(
            interp, ended.value, with_outcomes=True
        )
        if turns.test is None or (isinstance(failure, NeedsStatic) and told):
            raise
        raise failure from None  # a condition that is not static: the loop cannot be unrolled


def _turn_by_turn(interp: Interpreter, turns: Turns) -> bool:
    """Stage a loop turn by turn; False where its condition turns out to be staged."""
    if isinstance(turns.count, Value):
        return False
    by_condition = turns.test is not None
    with Checkpoint(interp, NeedsStatic, EndlessLoopError, when=lambda _: by_condition):
        _unroll(interp, turns)
        return True
    return False


def _refuse_or_unroll(interp: Interpreter, turns: Turns, failure: Exception) -> None:
    """Raise what is to be raised; nothing where the turns can be staged one by one."""
    count = turns.count
    wants_layouts = isinstance(failure, ConflictRead) and layouts_wanted(interp, failure.conflict)
    if turns.as_one or wants_layouts:
        raise failure
    if _leaves(failure):
        if turns.first >= MOST_PEELED and isinstance(count, Value):
            raise failure
    elif isinstance(failure, NeedsStatic):
        if not _depends_on_turn(failure.value, interp):
            raise failure
        if isinstance(count, Value):
            raise NeedsStatic(count) from None
    elif not isinstance(failure, UnsupportedSyntaxError | AliasingError | ConflictRead):
        raise failure
    elif isinstance(count, Value):
        raise _for_want_of_a_count(interp, count, failure)
    elif (count or 0) > MOST_TURNS_INSTEAD:
        raise failure


def _for_want_of_a_count(interp: Interpreter, count: Value, failure: Exception) -> Exception:
    """What to raise where turns cannot be staged one by one: names may be kept in cases instead."""
    if isinstance(failure, ConflictRead):
        conflict = failure.conflict
        if not conflict.aliasing and conflict.name not in interp.policy.unions:
            conflict.by_count = True
            conflict.predicate = conflict.predicate or count
            return failure
    return NeedsStatic(count) if can_be_known(interp, count) else failure


def _leaves(failure: Exception) -> bool:
    """Return whether the function itself raises in a turn."""
    return is_users(failure) or isinstance(failure, NeverReturns)


def _staged_or_peeled(interp: Interpreter, turns: Turns) -> None:
    with Checkpoint(interp, FirstTurnDiffers) as attempt:
        LoopStager(interp, turns).stage()
        return
    reason, conflict = attempt.failure.reason, attempt.failure.conflict
    if turns.first >= MOST_PEELED:
        if conflict is not None and conflict.name not in interp.policy.unions:
            raise ConflictRead(conflict)
        raise UnsupportedSyntaxError(
            f"in this loop {reason}", hint="keep one type and one structure in all turns"
        )
    _peel(interp, turns, _enters(turns))


# Unrolled and peeled turns ------------------------------------------------------------------------


def _unroll(interp: Interpreter, turns: Turns) -> None:
    if isinstance(turns.count, int) and turns.count > MOST_UNROLLED:
        raise UnsupportedSyntaxError(
            f"this loop would be unrolled {turns.count} times", hint="use arrays"
        )
    _unroll_from(interp, turns, turns.first)


def _unroll_from(interp: Interpreter, turns: Turns, position: int) -> None:
    goes_on = _goes_on(interp, turns, position)
    while goes_on:
        following = functools.partial(_unroll_from, interp, turns, position + 1)
        if isinstance(goes_on, Value):
            turn = functools.partial(_turn_and_rest, interp, turns, position, following)
            interp.where(goes_on, turn)
            return
        _one_turn(interp, turns, position)
        exited = interp.exited()
        if exited is not False:
            if isinstance(exited, Value) and position - turns.first >= _most_nested(interp, turns):
                raise _nested(interp, turns)
            interp.unless_exited(following)
            return
        position += 1
        goes_on = _goes_on(interp, turns, position)


def _most_nested(interp: Interpreter, turns: Turns) -> int:
    """How many turns may stand inside one another: few where the loop was found to have too many,
    in another attempt or a call around that was followed before, with as much known.
    """
    found = (interp.span, len(interp.static)) in interp.policy.too_many_turns
    return MOST_NESTED if found else turns.nested


def _nested(interp: Interpreter, turns: Turns) -> NestedTurnsError:
    if interp.span is not None and turns.nested > MOST_NESTED:
        interp.policy.too_many_turns.add((interp.span, len(interp.static)))
    return NestedTurnsError(turns.nested, interp.span)


def _turn_and_rest(
    interp: Interpreter, turns: Turns, position: int, rest: Callable[[], None]
) -> None:
    _one_turn(interp, turns, position)
    interp.unless_exited(rest)


def _goes_on(interp: Interpreter, turns: Turns, position: int) -> bool | Value:
    """Return whether there is one more turn; a staged bool where the count is known at run time
    only.
    """
    if turns.more is not None:
        inside = turns.more(position)
    else:
        inside = not isinstance(turns.count, int) or position < turns.count
    if isinstance(inside, Value) and position >= MOST_TESTED:
        raise UnsupportedSyntaxError(
            f"more than {MOST_TESTED} turns of a loop whose end is known at run time only "
            "would have to be followed one by one",
            hint="make an array of the items beside it: np.array(...)",
        ).as_limit()
    if inside is False:
        return False
    if position - turns.first > MOST_UNROLLED:
        raise EndlessLoopError(
            "this loop does not end at compile time",
            interp.span,
            "let its condition depend on an argument, or break out of it",
        )
    if turns.test is None:
        return inside
    condition = turns.test()
    if isinstance(condition, Value):
        raise NeedsStatic(condition)
    return condition


def _one_turn(interp: Interpreter, turns: Turns, index: Any) -> None:
    interp.put(turns.continued, False)
    turns.turn(index)
    interp.put(turns.continued, False)


def _peel(interp: Interpreter, turns: Turns, condition: bool | Value) -> None:
    first = turns.first
    after = replace(turns, first=first + 1)

    rest = functools.partial(_staged_or_unrolled, interp, after)
    turn_and_rest = functools.partial(_turn_and_rest, interp, turns, first, rest)
    interp.where(condition, turn_and_rest)
    for content in interp.heap.contents.values() if isinstance(condition, Value) else ():
        if isinstance(content, Conflict) and content.predicate is condition:
            content.by_count = turns.test is None and not content.aliasing


def _enters(turns: Turns) -> bool | Value:
    if turns.test is not None:
        return turns.test()
    if isinstance(turns.count, int):
        return turns.count > turns.first
    assert turns.count is not None
    return less(turns.first, turns.count)


def _is_certain(turns: Turns) -> bool:
    """Return whether the next turn is known to be begun, however many there are."""
    at_least = None if turns.count is None else lower_bound(turns.count)
    return turns.test is None and at_least is not None and at_least > turns.first


def _depends_on_turn(value: Value, interp: Interpreter) -> bool:
    """Return whether a value comes from the parameters of a loop rather than from the graph's
    inputs.
    """

    def read(one: Value) -> Iterator[Value]:
        nodes = () if one.node is None else walk_nodes(Block((), [one.node]))
        return (operand for node in nodes for operand in node.operands)

    parameters = {one for one in reached([value], read) if one.node is None}
    return not parameters.issubset(interp.parameters)
