"""``if`` on a staged condition: both arms are staged, and what they changed is joined.

Where an arm leaves the enclosing block (return, break, continue) and the other does not, the rest
of the block is staged inside the other. Where something read later does not join, the rest is
staged once in each arm, within a bound.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.build import builder, is_constant
from symdiff.ir.control import cond, emit_cond
from symdiff.ir.graph import Block, Value
from symdiff.ir.reach import reached
from symdiff.ops.declare import NeedsStatic
from symdiff.parse.assumed import implied, truth_of
from symdiff.parse.blame import is_users
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.heap import Heap, of_kind
from symdiff.parse.interpreter import ERROR, HOOKS, Interpreter
from symdiff.parse.join import Arm, BranchJoin, Kept
from symdiff.parse.meanwhile import meanwhile, pushed
from symdiff.parse.raising import raise_error
from symdiff.parse.refused_arms import goes_on, note_refusal, raise_refusal, raised_instead
from symdiff.parse.values import (
    ABSENT,
    RAISED,
    VALUE,
    Abstract,
    Closure,
    Conflict,
    ConflictRead,
    Exit,
    NeverReturns,
    NotYetKnown,
    PossiblyUnbound,
    Token,
    now,
)
from symdiff.parse.writeback import all_written_back, go_on_from, leave_in_arms
from symdiff.source import SourceSpan

MOST_COPIES_OF_A_TAIL = 64
MOST_OF_TEXTS = 8  # that are told apart, which may be values of the program

Action = Callable[[], object]


def run_arm(interp: Interpreter, action: Action, base: Heap, predicate: Value, taken: bool) -> Arm:
    """Stage an action on a copy of the heap, into nodes of its own."""
    heap = base.copy()
    heap.written_back = all_written_back(interp, heap)
    return _go_on(interp, action, Arm([], heap, True, heap.written_back), base, predicate, taken)


def _go_on(
    interp: Interpreter, action: Action, arm: Arm, base: Heap, predicate: Value, taken: bool
) -> Arm:
    """The arm with an action behind what it has, on its heap; ``base``: that where it began."""
    refused = arm.refused
    with interp.scratch(arm.heap) as inner, assuming(interp, predicate, taken):
        inner.nodes += arm.nodes
        _settle(interp)
        frames = len(interp.frames)
        try:
            action()
        except Exception as error:
            never_returns = isinstance(error, NeverReturns) and interp.raises_here()
            foreseen = never_returns or isinstance(error, NotYetKnown) or is_users(error)
            refusal = None if foreseen else raised_instead(interp, error, frames)
            if not foreseen and refusal is None:
                note_refusal(interp, error, predicate)
                raise
            del interp.frames[frames:]
            if refusal is not None:
                del inner.nodes[:]
                interp.heap = base.copy()
                interp.heap.written_back = arm.written_back
                raise_refusal(interp, refusal)
                refused = error
            elif isinstance(error, NotYetKnown):
                interp.leave(ERROR)
            elif not never_returns:
                raise_error(interp, error)
        reached = interp.content(ERROR) is not True
        return Arm(inner.nodes, interp.heap, reached, arm.written_back, refused)


def _require_followed(interp: Interpreter, arms: Sequence[Arm]) -> None:
    """Refuse a branch of which no arm goes on that can be followed."""
    first = next((arm.refused for arm in arms if arm.refused is not None), None)
    if first is not None and not any(goes_on(interp, arm) for arm in arms):
        raise first


def _settle(interp: Interpreter) -> None:
    """Settle which names are bound and which exits are taken, where what is assumed here tells."""
    contents = interp.heap.contents
    unbound = list(of_kind(PossiblyUnbound, contents, contents.values()))
    for key in (*unbound, *of_kind(Exit, contents, contents)):
        content = contents[key]
        if isinstance(content, PossiblyUnbound) and content.decided is not None:
            value, where = content.decided
            known = truth_of(value, interp.assumed)
            if known is not None:
                contents[key] = content.content if known is where else ABSENT
        elif isinstance(key, Exit) and isinstance(content, Value):
            known = truth_of(content, interp.assumed)
            if known is not None:
                contents[key] = known


def unless_raised(interp: Interpreter, state: bool | Value) -> bool | Value:
    """What a staged bool is on the paths on which nothing has been raised in a region."""
    if not isinstance(state, Value) or not interp.regions:
        return state
    assumed = dict(interp.assumed)
    for taken in interp.region_states():
        if isinstance(taken, Value):
            assumed |= implied(taken, False)
    known = truth_of(state, assumed)
    return state if known is None else known


@contextlib.contextmanager
def assuming(interp: Interpreter, predicate: Value, taken: bool) -> Iterator[None]:
    """Inside an arm it is known what the predicate is, and what it is the opposite of."""
    known = interp.assumed | implied(predicate, taken)
    with meanwhile(interp, assumed=known), pushed(interp.predicates, predicate):
        yield


def stage_branch(
    interp: Interpreter, predicate: Value, then: Action, orelse: Action, kept: Kept | None = None
) -> None:
    """Stage both arms under a staged predicate and join what they changed."""
    since, base = now(), interp.heap
    arms = (
        run_arm(interp, then, base, predicate, True),
        run_arm(interp, orelse, base, predicate, False),
    )
    _require_followed(interp, arms)
    join_arms(interp, predicate, arms, since, kept)


HOOKS.branch = stage_branch


def join_arms(
    interp: Interpreter,
    predicate: Value,
    arms: tuple[Arm, Arm],
    since: int,
    kept: Kept | None = None,
) -> Heap:
    """Append the branch and go on from the joined heap; gives the heap."""
    base, left = interp.heap, leave_in_arms(interp, arms)
    joiner = BranchJoin(interp, *arms, since, predicate, kept)
    interp.heap = joiner.join_heaps()
    go_on_from(interp, base, left)
    if not (arms[0].reached or arms[1].reached):
        interp.leave(ERROR)
    else:
        interp.heap.contents.pop(ERROR, None)
    blocks = [
        Block((), arm.nodes, tuple(out[k] for out in joiner.outs)) for k, arm in enumerate(arms)
    ]
    if not any(block.nodes for block in blocks) and not joiner.outs:
        return interp.heap
    node = emit_cond(predicate, *blocks)
    node.results = tuple(out for _, _, out in joiner.outs)
    for out in node.results:
        out.node = node
    return interp.heap


def ends_without_return(interp: Interpreter, returned: Value, value: Abstract) -> Abstract:
    """What a function gives that returns ``value`` on some paths and ends without it on others."""
    try:
        return joined_cases(interp, returned, lambda: value, lambda: None, "return")
    except ConflictRead as read:
        if read.conflict.name != "return":
            raise
        reason = "the function returns a value on some paths and None on others"
        raise ConflictRead(Conflict("return", reason, interp.span)) from None


@dataclass(slots=True)
class Fork:
    """A branch whose arms may have to be staged apart, each with the rest of the block.

    ``known`` are the conflicts from before it.
    """

    condition: Value
    bodies: tuple[Sequence[ast.stmt], Sequence[ast.stmt]]
    rest: Sequence[ast.stmt]
    start: Checkpoint
    known: set[Conflict]

    @classmethod
    def at(
        cls,
        interp: Interpreter,
        condition: Value,
        bodies: tuple[Sequence[ast.stmt], Sequence[ast.stmt]],
        rest: Sequence[ast.stmt],
        heap: Heap | None = None,
    ) -> Fork:
        """The fork at the present point; ``heap`` as of a checkpoint."""
        start = Checkpoint(interp, heap=heap)
        return cls(condition, bodies, rest, start, _conflicts(start.heap))


def stage_if(interp: Interpreter, node: ast.If, rest: Sequence[ast.stmt]) -> bool:
    """An ``if`` statement; True where the rest of the block was staged inside its arms."""
    condition = interp.test(node.test)
    if not isinstance(condition, Value):
        interp.execute(node.body if condition else node.orelse)
        return False
    fork = Fork.at(interp, condition, (node.body, node.orelse), rest, interp.heap)
    return _stage_arms(interp, condition, node, rest) or _go_on_after(interp, fork)


def stage_choice(interp: Interpreter, node: Any, rest: Sequence[ast.stmt], action: Action) -> bool:
    """A statement on ``a if test else b``: as an ``if`` where its arms have to be staged apart."""
    choice: ast.IfExp = node.value
    with interp.at(choice.test):
        condition = interp.test(choice.test)
    then, orelse = copy.copy(node), copy.copy(node)
    then.value, orelse.value = choice.body, choice.orelse
    if interp.policy.unions and isinstance(condition, Value):
        arms = (functools.partial(interp.execute, [arm]) for arm in (then, orelse))
        interp.branch(condition, *arms)
        return False
    interp.decided[choice] = condition
    fork = None
    if isinstance(condition, Value):
        fork = Fork.at(interp, condition, ([then], [orelse]), rest)
    try:
        action()
    except ConflictRead as read:
        if fork is None or read.conflict.predicate is not condition:
            raise
        _stage_apart(interp, fork, read.conflict.reason, read.conflict.span, read.conflict)
        return True
    finally:
        interp.decided.pop(choice, None)
    return fork is not None and _go_on_after(interp, fork)


def _go_on_after(interp: Interpreter, fork: Fork) -> bool:
    """Stage the rest after a branch; where the paths must be told apart, once in each arm."""
    if not fork.rest:
        return False
    made, chosen = _conflicts(interp.heap) - fork.known, _chosen(fork)
    if not (made or chosen):
        return False
    try:
        interp.go_on(fork.rest)
        return True
    except ConflictRead as read:
        if read.conflict not in made:
            raise
        conflict, reason, span = read.conflict, read.conflict.reason, read.conflict.span
    except NeedsStatic as needed:
        if not comes_from(needed.value, chosen):
            raise
        conflict, reason, span = None, "structure depends on this condition", interp.span
    _stage_apart(interp, fork, reason, span, conflict)
    return True


def _chosen(fork: Fork) -> set[Value]:
    """What is one constant in one arm of the branch and another one in the other."""
    nodes = builder().nodes[fork.start.length :]
    node = nodes[-1] if nodes else None
    if node is None or node.op is not cond or node.operands[0] is not fork.condition:
        return set()
    arms = zip(*(block.results for block in node.blocks), strict=True)
    pairs = zip(node.results, arms, strict=True)
    return {fork.condition, *(out for out, values in pairs if all(map(is_constant, values)))}


def comes_from(value: Value, sources: set[Value]) -> bool:
    """Return whether a value is computed from one of the sources."""
    read = reached([value], lambda one: () if one.node is None else one.node.operands)
    return not sources.isdisjoint(read)


def _stage_apart(
    interp: Interpreter,
    fork: Fork,
    reason: str,
    span: SourceSpan | None,
    conflict: Conflict | None = None,
) -> None:
    """Stage each arm again, with the rest of the block."""
    effort = interp.effort
    effort.tails += 1
    if conflict is not None:
        effort.told_apart[conflict.name] = None
    of_texts = conflict is not None and conflict.of_texts and interp.policy.may_tell_texts()
    if effort.tails > (MOST_OF_TEXTS if of_texts else MOST_COPIES_OF_A_TAIL):
        if conflict is not None and (of_texts or conflict.name not in interp.policy.unions):
            conflict.names = (*conflict.names, *names_told_apart(interp))
            raise ConflictRead(conflict)
        hint = "give it the same type on both paths"
        raise UnsupportedSyntaxError(reason, span, hint).as_limit()
    fork.start.roll_back()
    then, orelse = (functools.partial(interp.execute, [*b, *fork.rest]) for b in fork.bodies)
    interp.branch(fork.condition, then, orelse)


def names_told_apart(interp: Interpreter) -> tuple[str, ...]:
    """The names for which tails were staged more than once, and those that would be next: not an
    exception, which no handler may ask for.
    """
    standing = {found.name for found in _conflicts(interp.heap) if found.cases is None}
    return (*interp.effort.told_apart, *sorted(standing - {RAISED}))


def _conflicts(heap: Heap) -> set[Conflict]:
    contents = heap.contents.values()
    standing = of_kind(Conflict, contents, contents)
    several = [closure.several for closure in of_kind(Closure, contents, contents)]
    shared = (others.values() for others in heap.shared.values())
    return {*standing, *filter(None, several), *heap.frozen.values()}.union(*shared)


def _stage_arms(
    interp: Interpreter, condition: Value, node: ast.If, rest: Sequence[ast.stmt]
) -> bool:
    since, base = now(), interp.heap
    bodies = ((node.body, True), (node.orelse, False))
    arms = [
        run_arm(interp, functools.partial(interp.execute, body), base, condition, taken)
        for body, taken in bodies
    ]
    gone = [_left_by(interp, arm) for arm in arms]
    consumed = bool(rest) and gone in ([True, False], [False, True])
    if consumed:
        stays = gone.index(False)
        more = functools.partial(interp.go_on, rest)
        arms[stays] = _go_on(interp, more, arms[stays], base, condition, stays == 0)
    _require_followed(interp, arms)
    join_arms(interp, condition, (arms[0], arms[1]), since)
    return consumed


def _left_by(interp: Interpreter, arm: Arm) -> bool:
    """Return whether an arm certainly leaves the block by return, break or continue."""
    return arm.reached and any(arm.heap.get(flag) is True for flag in interp.frame.exits)


def joined_value(
    interp: Interpreter,
    predicate: Value,
    then: Callable[[], object],
    orelse: Callable[[], object],
    name: str,
) -> Any:
    """The value of a conditional expression: either arm's, joined."""
    value = joined_cases(interp, predicate, then, orelse, name)
    if isinstance(value, Conflict):
        raise ConflictRead(value)
    return value


def joined_cases(
    interp: Interpreter,
    predicate: Value,
    then: Callable[[], object],
    orelse: Callable[[], object],
    name: str,
) -> Any:
    """The value of a conditional expression; a ``Conflict`` where it is kept in cases."""
    slot = (Token(), name)

    def storing(action: Callable[[], object]) -> Action:
        return lambda: interp.put(slot, action())

    stage_branch(interp, predicate, storing(then), storing(orelse))
    if interp.raises_here():
        raise NeverReturns
    return taken_from(interp, slot)


def taken_from(interp: Interpreter, slot: Any) -> Abstract:
    """What was left in a slot of the heap, which is emptied; it may be kept in cases."""
    content = interp.heap.get(slot)
    interp.heap.contents.pop(slot, None)
    if not isinstance(content, Conflict):
        return content
    if content.cases is None:
        raise ConflictRead(content)
    filled = {n: case for n, case in content.cases.contents.items() if case is not ABSENT}
    if len(filled) == 1:
        return next(iter(filled.values()))
    return replace(content, cases=replace(content.cases, contents=filled))


def choose(
    interp: Interpreter,
    condition: bool | Value,
    then: Callable[[], Abstract],
    orelse: Callable[[], Abstract],
    keeps_cases: bool = False,
) -> Abstract:
    """``then() if condition else orelse()``; ``keeps_cases``: a ``Conflict`` of what has no one
    form, as calls may give.
    """
    if not isinstance(condition, Value):
        return then() if condition else orelse()
    joined = joined_cases if keeps_cases else joined_value
    return joined(interp, condition, then, orelse, VALUE)
