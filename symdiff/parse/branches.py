"""``if`` on a staged condition: both arms are staged, and what they changed is joined.

Where an arm leaves the enclosing block (return, break, continue) and the other does not, the rest
of the block is staged inside the other. Where something read later does not join, the rest is
staged once in each arm, within a bound.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from typing import Any

from symdiff import ops
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.build import builder
from symdiff.ir.control import emit_cond
from symdiff.ir.graph import Block, Value
from symdiff.parse.heap import Heap
from symdiff.parse.interpreter import LATE, UNREACHABLE, Interpreter
from symdiff.parse.join import Arm, Joiner
from symdiff.parse.values import Abstract, Conflict, ConflictRead, NotYetKnown, Token, now

MOST_COPIES_OF_A_TAIL = 64

Action = Callable[[], None]

# What static evaluation of the user's code raises, at run time only where the arm is taken.
RAISED_WHEN_REACHED = (UnboundLocalError, KeyError, IndexError, ZeroDivisionError)


def run_arm(interp: Interpreter, action: Action, base: Heap) -> Arm:
    """Stage an action on a copy of the heap, into nodes of its own."""
    with interp.scratch(base.copy()) as inner:
        frames = len(interp.frames)
        try:
            action()
        except RAISED_WHEN_REACHED as error:
            del interp.frames[frames:]
            ops.raise_(exception=type(error), arguments=error.args)
            interp.put(UNREACHABLE, True)
        except NotYetKnown:
            del interp.frames[frames:]
            interp.put(UNREACHABLE, True)
        reached = interp.content(UNREACHABLE) is not True
        return Arm(inner.nodes, interp.heap, reached)


def stage_branch(interp: Interpreter, predicate: Value, then: Action, orelse: Action) -> None:
    """Stage both arms under a staged predicate and join what they changed."""
    since = now()
    base = interp.heap
    interp.predicates.append(predicate)
    arms = run_arm(interp, then, base), run_arm(interp, orelse, base)
    interp.predicates.pop()
    join_arms(interp, predicate, arms, since)


LATE.branch = stage_branch


def join_arms(interp: Interpreter, predicate: Value, arms: tuple[Arm, Arm], since: int) -> Heap:
    """Append the branch and go on from the joined heap; gives the heap."""
    joiner = Joiner(interp, *arms, since, predicate)
    interp.heap = joiner.join_heaps()
    if not (arms[0].reached or arms[1].reached):
        interp.put(UNREACHABLE, True)
    else:
        interp.heap.contents.pop(UNREACHABLE, None)
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
    reason = "the function returns a value on some paths and None on others"
    raise ConflictRead(Conflict("return", reason, interp.span))


def stage_if(interp: Interpreter, node: ast.If, rest: Sequence[ast.stmt]) -> bool:
    """An ``if`` statement; True where the rest of the block was staged inside its arms."""
    condition = interp.test(node.test)
    if not isinstance(condition, Value):
        interp.execute(node.body if condition else node.orelse)
        return False
    start = len(builder().nodes), interp.heap.copy()
    conflicts = _conflicts(interp.heap)
    if _stage_arms(interp, condition, node, rest):
        return True
    return _go_on_after(interp, condition, (node.body, node.orelse), rest, conflicts, start)


def stage_choice(interp: Interpreter, node: Any, rest: Sequence[ast.stmt], action: Action) -> bool:
    """A statement on ``a if test else b``: as an ``if`` where its arms have to be staged apart."""
    choice: ast.IfExp = node.value
    with interp.at(choice.test):
        condition = interp.test(choice.test)
    interp.decided[choice] = condition
    start = len(builder().nodes), interp.heap.copy()
    conflicts = _conflicts(interp.heap)
    try:
        action()
    finally:
        interp.decided.pop(choice, None)
    if not isinstance(condition, Value):
        return False
    then, orelse = copy.copy(node), copy.copy(node)
    then.value, orelse.value = choice.body, choice.orelse
    return _go_on_after(interp, condition, ([then], [orelse]), rest, conflicts, start)


def _go_on_after(
    interp: Interpreter,
    condition: Value,
    bodies: tuple[Sequence[ast.stmt], Sequence[ast.stmt]],
    rest: Sequence[ast.stmt],
    known: list[Conflict],
    start: tuple[int, Heap],
) -> bool:
    made = [c for c in _conflicts(interp.heap) if not any(c is other for other in known)]
    if not made or not rest:
        return False
    return _rest_or_again(interp, condition, bodies, rest, made, start)


def _conflicts(heap: Heap) -> list[Conflict]:
    standing = [content for content in heap.contents.values() if isinstance(content, Conflict)]
    shared = [conflict for others in heap.shared.values() for _, conflict in others]
    return standing + list(heap.frozen.values()) + shared


def _stage_arms(
    interp: Interpreter, condition: Value, node: ast.If, rest: Sequence[ast.stmt]
) -> bool:
    since, base = now(), interp.heap
    interp.predicates.append(condition)
    bodies: list[Sequence[ast.stmt]] = [node.body, node.orelse]
    arms = [run_arm(interp, lambda b=body: interp.execute(b), base) for body in bodies]  # type: ignore[misc]
    gone = [_left_by(interp, arm) for arm in arms]
    consumed = bool(rest) and gone in ([True, False], [False, True])
    if consumed:
        stays = gone.index(False)
        arms[stays] = _go_on(interp, arms[stays], rest)
    interp.predicates.pop()
    join_arms(interp, condition, (arms[0], arms[1]), since)
    return consumed


def _left_by(interp: Interpreter, arm: Arm) -> bool:
    """Whether an arm certainly leaves the block by return, break or continue."""
    return arm.reached and any(arm.heap.get(flag) is True for flag in interp.frame.exits)


def _go_on(interp: Interpreter, arm: Arm, rest: Sequence[ast.stmt]) -> Arm:
    more = run_arm(interp, lambda: interp.go_on(rest), arm.heap)
    return Arm(arm.nodes + more.nodes, more.heap, more.reached)


def _rest_or_again(
    interp: Interpreter,
    condition: Value,
    bodies: tuple[Sequence[ast.stmt], Sequence[ast.stmt]],
    rest: Sequence[ast.stmt],
    made: list[Conflict],
    start: tuple[int, Heap],
) -> bool:
    """Stage the rest after the branch; where it reads a conflict of ours, once in each arm."""
    frames, predicates = len(interp.frames), len(interp.predicates)
    try:
        interp.go_on(rest)
        return True
    except ConflictRead as read:
        if not any(read.conflict is conflict for conflict in made):
            raise
        reason = read.conflict
    interp.tails += 1
    if interp.tails > MOST_COPIES_OF_A_TAIL:
        raise UnsupportedSyntaxError(
            reason.reason, reason.span, "give it the same type on both paths"
        )
    del interp.frames[frames:]
    del interp.predicates[predicates:]
    length, heap = start
    del builder().nodes[length:]
    interp.heap = heap
    interp.branch(
        condition,
        lambda: interp.execute([*bodies[0], *rest]),
        lambda: interp.execute([*bodies[1], *rest]),
    )
    return True


def joined_value(
    interp: Interpreter,
    predicate: Value,
    then: Callable[[], object],
    orelse: Callable[[], object],
    name: str,
) -> Any:
    """The value of a conditional expression: either arm's, joined."""
    slot = (Token(), name)
    since, base = now(), interp.heap
    arms = []
    interp.predicates.append(predicate)
    for action in (then, orelse):

        def store(action: Callable[[], object] = action) -> None:
            interp.put(slot, action())

        arms.append(run_arm(interp, store, base))
    interp.predicates.pop()
    join_arms(interp, predicate, (arms[0], arms[1]), since)
    content = interp.content(slot)
    interp.heap.contents.pop(slot, None)
    return content


def choose(
    interp: Interpreter,
    condition: bool | Value,
    then: Callable[[], Abstract],
    orelse: Callable[[], Abstract],
) -> Abstract:
    """``then() if condition else orelse()``."""
    if not isinstance(condition, Value):
        return then() if condition else orelse()
    return joined_value(interp, condition, then, orelse, "value")
