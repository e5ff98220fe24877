"""Contents that do not join, kept beside each other: which of them it is is known at run time.

A name that is an array on one path and a number on another, or one of two arrays of which one is
written afterwards, holds a ``Conflict`` with ``Cases``. A statement that reads it is staged once
for each case, in the arms of a branch on which it is; what the arms leave is joined, in cases again
where it has to be. Only what could not be staged otherwise is kept so (``Interpreter.apart``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from symdiff import ops
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.build import builder
from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.parse.branches import join_arms, run_arm
from symdiff.parse.heap import Heap, Key, same
from symdiff.parse.interpreter import LATE, Interpreter
from symdiff.parse.join import Kept
from symdiff.parse.values import Abstract, Cases, Conflict, ConflictRead, Token, now

MOST_FORKS = 400  # of all statements of a function together

Action = Callable[[], Any]


def told_apart(
    interp: Interpreter, action: Action, again: Action, within: ast.AST | None = None
) -> Any:
    """Run an action; where it reads what is one of several, run it ``again`` for each of them.

    ``within`` is the statement that the action stages: of an ``a if test else b`` in it whose arms
    do not join, the test is evaluated first.
    """
    nodes, heap, frames = builder().nodes, interp.heap.copy(), len(interp.frames)
    length = len(nodes)
    try:
        return action()
    except ConflictRead as read:
        conflict, choice = read.conflict, read.choice
        keys = _held_by(heap, conflict)
        apart = conflict.cases is not None and len(keys) > 0
        first = choice in _own_choices(within) and _is_pure(interp, heap, nodes[length:])
        if not apart and not first:
            raise
    interp.forks += 1
    if interp.forks > MOST_FORKS:
        hint = "give it the same type on all paths"
        raise UnsupportedSyntaxError(conflict.reason, conflict.span, hint)
    del nodes[length:]
    del interp.frames[frames:]
    interp.heap = heap
    run = partial(told_apart, interp, again, again, within)
    if apart and conflict.cases is not None:
        _for_each(interp, conflict, conflict.cases, keys, run)
    elif choice is not None:
        _decide_first(interp, choice, run)
    return None


def _own_choices(within: ast.AST | None) -> list[ast.IfExp | None]:
    """The conditional expressions that are evaluated once where a statement is."""
    found: list[ast.IfExp | None] = []
    pending = [] if within is None else [within]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.IfExp):
            found.append(node)
        elif isinstance(node, _REPEATED):
            continue
        pending.extend(
            child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)
        )
    return found


_REPEATED = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.While)


def _is_pure(interp: Interpreter, before: Heap, nodes: list[Node]) -> bool:
    """Whether what was staged since has changed nothing, so that a test may stand before it."""
    kept = all(same(interp.heap.get(key), c) for key, c in before.contents.items())
    return kept and not any(node.op.effect for node in walk_nodes(Block((), nodes)))


def _decide_first(interp: Interpreter, choice: ast.IfExp, action: Action) -> None:
    """Run an action once for either arm of a conditional expression in it."""

    def decided(taken: bool) -> Action:
        def run() -> None:
            interp.decided[choice] = taken
            try:
                action()
            finally:
                interp.decided.pop(choice, None)

        return run

    with interp.at(choice.test):
        condition = interp.test(choice.test)
    if isinstance(condition, Value):
        interp.branch(condition, decided(True), decided(False))
    else:
        decided(condition)()


LATE.told_apart = told_apart


def _held_by(heap: Heap, conflict: Conflict) -> list[Key]:
    return [key for key, content in heap.contents.items() if content is conflict]


def _for_each(
    interp: Interpreter, conflict: Conflict, cases: Cases, keys: list[Key], action: Action
) -> None:
    (number, content), *others = cases.contents.items()
    rest = others[0][1]
    if len(others) > 1:
        rest = replace(conflict, cases=Cases(cases.which, dict(others)))

    def with_content(known: Abstract) -> Action:
        def run() -> None:
            for key in keys:
                interp.put(key, known)
            action()

        return run

    predicate: Value = ops.equal(cases.which, number)
    since, base = now(), interp.heap
    arms = (
        run_arm(interp, with_content(content), base, predicate, True),
        run_arm(interp, with_content(rest), base, predicate, False),
    )
    join_arms(interp, predicate, arms, since, Kept(tuple(keys), content, rest, conflict))


def told_apart_value(interp: Interpreter, action: Callable[[], Abstract]) -> Abstract:
    """The value of an action that may read what is one of several."""
    slot = (Token(), "value")

    def store() -> None:
        interp.put(slot, action())

    told_apart(interp, store, store)
    content = interp.content(slot)
    interp.heap.contents.pop(slot, None)
    return content
