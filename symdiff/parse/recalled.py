"""Calls that an operation makes of the user's functions, inside ``try``.

``sum(map(f, items))`` calls ``f`` in one step of a statement. Where such a call raises on some
paths the statement is left there and staged again on the others: the step is taken again, and the
calls that it has made by then give what they gave, without being made again. What the operation
itself has written meanwhile, such as the place of an iterator, is as it was where it began.

A statement is first staged without noting any of this, and from its beginning again where it is
needed (``CallsToNote``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.ir.build import builder
from symdiff.ir.graph import Block, walk_nodes
from symdiff.parse.functions import is_callee
from symdiff.parse.heap import Key, differing
from symdiff.parse.interpreter import HOOKS, Interpreter, StatementValues, Step
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    BoundMethod,
    CalleeLeft,
    CallsToNote,
    DictRef,
    ListRef,
    StatementLeft,
    born,
    now,
)


@dataclass(eq=False, slots=True)
class Record:
    """What a step has done so far, apart from the calls and the steps that it was made of.

    ``contents`` and ``length``: of the heap and of the nodes, where the last of these ended.
    ``undo``: what it has changed of the heap, as it was before; ``read``: the lists and dicts that
    it has read. ``theirs``: what the calls and the steps have changed; ``serials``: of what they
    have made. ``lost``: it cannot be taken again.
    """

    contents: dict[Key, Any]
    length: int
    since: int
    calls: int = 0
    undo: dict[Key, Any] = field(default_factory=dict)
    read: set[Key] = field(default_factory=set)
    theirs: set[Key] = field(default_factory=set)
    serials: list[range] = field(default_factory=list)
    lost: bool = False

    def pause(self, interp: Interpreter) -> int:
        """Note what the step itself has changed, before a call or a step in it."""
        now_held = interp.heap.contents
        for key in differing(self.contents, now_held):
            if not self._is_own(key):
                self.undo.setdefault(key, self.contents.get(key, ABSENT))
        nodes = builder().nodes[self.length :]
        self.lost = self.lost or any(node.op.effect for node in walk_nodes(Block((), nodes)))
        self.contents = dict(now_held)
        return now()

    def resume(self, interp: Interpreter, since: int) -> None:
        """Note what a call or a step has changed, which began at ``since``."""
        changed = differing(self.contents, interp.heap.contents)
        self.theirs.update(key for key in changed if born(key) < self.since)
        self.serials.append(range(since, now()))
        self.contents, self.length = dict(interp.heap.contents), len(builder().nodes)

    def can_be_taken_again(self) -> bool:
        """Return whether the step does the same again behind its calls as it did before them."""
        return not (self.lost or self.theirs & self.undo.keys() or self.theirs & self.read)

    def _is_own(self, key: Key) -> bool:
        """Return whether the step itself has made what a key belongs to: it makes that again."""
        serial = born(key)
        return serial >= self.since and not any(serial in serials for serials in self.serials)

    def is_given(self, value: Abstract) -> bool:
        """Return whether a call may be given a value: it is the same one when the step is taken
        again.
        """
        if isinstance(value, BoundMethod):
            return self.is_given(value.function) and self.is_given(value.instance)
        if isinstance(value, tuple):
            return all(map(self.is_given, value))
        return not self._is_own(value.storage if isinstance(value, Array) else value)


def begun(interp: Interpreter) -> Record:
    """The record of a step that begins here."""
    return Record(dict(interp.heap.contents), len(builder().nodes), now())


@contextlib.contextmanager
def noting(interp: Interpreter, known: StatementValues, step: Step) -> Iterator[None]:
    """Take a step of a statement, and note what it does where that is asked for."""
    around, record = known.record, None
    since = now() if around is None else around.pause(interp)
    if known.notes:
        record = begun(interp)
    with meanwhile(known, current=step, record=record):
        yield
    if around is not None:
        around.resume(interp, since)


def called_in_step(
    interp: Interpreter,
    function: Abstract,
    arguments: Sequence[Abstract],
    call: Callable[[], Abstract],
) -> Abstract:
    """What a call gives that an operation makes; where it raises on some paths, the statement is
    left there.
    """
    known = interp.statement_values
    if known is None or not interp.is_in_statement(known) or not _is_one_step(known):
        return call()
    record = known.record
    if record is None:
        try:
            return call()
        except CalleeLeft as left:
            if known.notes or not is_callee(function, left.callee):
                raise
            raise CallsToNote(known) from None
    return _noted(interp, known, record, function, arguments, call)


def _noted(
    interp: Interpreter,
    known: StatementValues,
    record: Record,
    function: Abstract,
    arguments: Sequence[Abstract],
    call: Callable[[], Abstract],
) -> Abstract:
    part, of = known.current or (None, "")
    key = part, f"{of} call {record.calls}"
    record.calls += 1
    if key in known.values:
        value, record.calls = known.values[key]
        return value
    since = record.pause(interp)
    is_same = record.is_given(function) and all(map(record.is_given, arguments))
    raised = False
    try:
        value = call()
    except CalleeLeft as left:
        record.resume(interp, since)
        if not (is_same and record.can_be_taken_again() and is_callee(function, left.callee)):
            raise
        value, raised = left.value, True
    else:
        record.resume(interp, since)
    if is_same:
        known.values[key] = value, record.calls
    else:  # it would be made again
        record.lost = True
    if raised:
        raise StatementLeft(known, record.undo)
    return value


def _is_one_step(known: StatementValues) -> bool:
    """Return whether what is staged is done in one step: it is no statement that has others."""
    return known.current is not None or not known.has_statements


def note_read(interp: Interpreter, key: Key) -> None:
    """Note that an operation reads what a list or a dict holds."""
    known = interp.statement_values
    record = None if known is None else known.record
    if known is None or record is None or not interp.is_in_statement(known):
        return
    if isinstance(key, ListRef | DictRef):
        record.read.add(key)


HOOKS.called_in_step = called_in_step
HOOKS.begun = begun
HOOKS.noting = noting
HOOKS.note_read = note_read
