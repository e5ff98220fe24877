"""Contents that do not join, kept beside each other: which of them it is is known at run time.

A name that is an array on one path and a number on another, or one of two arrays of which one is
written afterwards, holds a ``Conflict`` with ``Cases``; so does what a function returns, or an
``a if test else b``. A statement that reads it is staged once for each case, in the arms of a
branch on which it is; what the arms leave is joined, in cases again where it has to be. Only what
could not be staged otherwise is kept so (``RetryPolicy.unions``).
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ir.reach import reached
from symdiff.parse.branches import names_told_apart, stage_branch, taken_from
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.heap import Key
from symdiff.parse.interpreter import HOOKS, Attempt, Interpreter, Part, StatementValues, Step
from symdiff.parse.join import Kept
from symdiff.parse.possible import possible, tested
from symdiff.parse.unions import is_case
from symdiff.parse.values import (
    Abstract,
    CallsToNote,
    Conflict,
    ConflictRead,
    ControlFlow,
    Failure,
    StatementLeft,
    Token,
    now,
)

_MANY = 4096  # statements whose parts are remembered: they are staged turn by turn
MOST_FORKS = 500  # of all statements of a call together

_WITH_STATEMENTS = (
    *(ast.For, ast.While, ast.If, ast.With, ast.Try, ast.TryStar, ast.Match),
    *(ast.FunctionDef, ast.ClassDef),
)

Action = Callable[[], Any]
Values = dict[Step, Abstract]


def told_apart(
    interp: Interpreter,
    action: Action,
    again: Action,
    within: tuple[ast.AST, ...] = (),
    values: Values | None = None,
    attempted: dict[Attempt, tuple[Value, ...]] | None = None,
    notes: bool = False,
) -> Any:
    """Run an action; where it reads what is one of several, run it ``again`` for each of them.

    ``within`` are the statement or the expressions that the action stages. Where one of their parts
    gives what is one of several, the action goes on from the ``values`` known by then. ``notes``:
    what its steps call is noted.
    """
    start, before = Checkpoint(interp), interp.statement_values
    known = _parts(within), dict(values or {}), dict(attempted or {}), now()
    record = HOOKS.begun(interp) if notes else None
    noted = notes, any(isinstance(node, _WITH_STATEMENTS) for node in within), record
    statement = interp.statement_values = StatementValues(start.nodes, start.frames, *known, *noted)
    try:
        return action()
    except (Failure, StatementLeft, CallsToNote) as left:
        if left.statement is not statement:
            raise
        found: ControlFlow = left.with_traceback(None)  # it would keep all that it has left alive
    except ConflictRead as read:
        found = read.with_traceback(None)
    finally:
        interp.statement_values = before
    if isinstance(found, CallsToNote):
        start.roll_back()
        return told_apart(interp, again, again, within, values, attempted, True)
    if not isinstance(found, ConflictRead):
        if isinstance(found, Failure):
            HOOKS.failed(interp, found)
        undo = found.undo if isinstance(found, StatementLeft) else {}

        def go_on() -> None:
            interp.heap.take_back(undo)
            values, attempted = statement.values, statement.attempted
            told_apart(interp, again, again, within, values, attempted, notes)

        interp.unless_exited(go_on)
        return None
    return _for_each_content(interp, found, start, statement, again, within, values)


def _for_each_content(
    interp: Interpreter,
    read: ConflictRead,
    start: Checkpoint,
    statement: StatementValues,
    again: Action,
    within: tuple[ast.AST, ...],
    values: Values | None,
) -> None:
    """Run an action again for each of the contents that what it has read may be."""
    conflict = read.conflict
    maker: Any = (
        read.made_by[1] if read.made_by is not None and read.made_by[0] is statement else None
    )
    held = (start.heap if maker is None else interp.heap).contents.items()
    keys = [key for key, content in held if content is (conflict.entries or (0, conflict))[1]]
    if conflict.cases is None or not (maker or keys):
        raise read
    _count(interp, conflict)
    known = statement.values
    if maker is None:
        known = values or {}
        start.roll_back()

    def with_content(content: Abstract) -> None:
        for key in keys:
            interp.put(key, content)
        decided = {**known, maker: content} if known.get(maker) is conflict else known
        told_apart(interp, again, again, within, decided, statement.attempted, statement.notes)

    _for_each(interp, conflict, keys, with_content)


def _count(interp: Interpreter, conflict: Conflict) -> None:
    interp.frame.forks += 1
    if interp.frame.forks > MOST_FORKS:
        names = names_told_apart(interp)
        if not interp.policy.unions.issuperset(names):
            raise ConflictRead(replace(conflict, cases=None, names=(*conflict.names, *names)))
        hint = "give it the same type on all paths"
        raise UnsupportedSyntaxError(conflict.reason, conflict.span, hint)


@functools.lru_cache(_MANY)
def _parts(within: tuple[ast.AST, ...]) -> frozenset[Part]:
    """What is done once where a statement or an expression is staged, with its parts."""
    return frozenset(node for node in reached(within, _parts_of) if isinstance(node, Part))


def _parts_of(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        yield node.generators[0].iter
    elif isinstance(node, ast.For):
        yield node.iter
    elif not isinstance(node, ast.Lambda | ast.While):
        yield from (n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.stmt))


def _for_each(
    interp: Interpreter, conflict: Conflict, keys: list[Key], action: Callable[[Abstract], None]
) -> None:
    assert conflict.cases is not None
    (number, content), *others = possible(conflict.cases, interp.assumed).items()
    if not others:
        action(content)
        return
    rest = others[0][1]
    if len(others) > 1:
        rest = replace(conflict, cases=replace(conflict.cases, contents=dict(others)))
    predicate = is_case(conflict.cases, number)
    known = _assumed(interp, predicate)
    if known is not None:
        action(content if known else rest)
        return
    whole = conflict if conflict.entries is None else conflict.entries[1]
    kept = Kept(tuple(keys), content, rest, whole)
    stage_branch(interp, predicate, partial(action, content), partial(action, rest), kept)


def _assumed(interp: Interpreter, predicate: Value) -> bool | None:
    """What a test of which case it is gives here, where a test of it was taken before."""
    known, asked = interp.assumed.get(predicate), tested(predicate)
    if known is not None or asked is None:
        return known
    for value, taken in interp.assumed.items():
        other = tested(value) if isinstance(value, Value) else None
        if other is None or other[0] is not asked[0]:
            continue
        if other[1] == asked[1]:
            return taken
        if taken:
            return False
    return None


def for_each_case(interp: Interpreter, action: Action, *within: ast.AST) -> None:
    """Run an action; once for each of them where it reads what is one of several."""
    if interp.policy.unions or interp.regions:
        told_apart(interp, action, action, within)
    else:
        action()


def told_apart_value(
    interp: Interpreter, action: Callable[[], Abstract], *within: ast.expr
) -> Abstract:
    """The value of an action that may read what is one of several; it may be one itself."""
    slot = (Token(), "value")

    def store() -> None:
        interp.put(slot, action())

    told_apart(interp, store, store, within)
    return taken_from(interp, slot)


def of_each(interp: Interpreter, action: Callable[..., Abstract], *values: Abstract) -> Abstract:
    """What an action gives of values, of each of their contents where one is one of several."""
    if not any(isinstance(value, Conflict) for value in values):
        return action(*values)
    slots = [(Token(), "value") for _ in values]
    for slot, value in zip(slots, values, strict=True):
        interp.put(slot, value)
    found = told_apart_value(interp, lambda: action(*map(interp.content, slots)))
    for slot in slots:
        interp.heap.contents.pop(slot, None)
    return found


HOOKS.told_apart = told_apart
HOOKS.told_apart_value = told_apart_value
