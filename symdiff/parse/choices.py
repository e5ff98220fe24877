"""What a function returns that differs by path in constants: in texts, or None beside numbers.

``return "up", x`` on one path and ``return "down", 2 * x`` on the other are kept in cases. Cases of
one structure become one content of it: its numbers are joined, and of its texts the program picks
the one of the path that was taken.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symdiff.ops.choices import chosen
from symdiff.parse.branches import joined_value
from symdiff.parse.heap import another, is_callers, same
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.lattice import is_number, of_one_kind
from symdiff.parse.unions import is_case, which_of
from symdiff.parse.values import (
    ABSENT,
    RETURNED,
    Abstract,
    Array,
    Cases,
    Conflict,
    ConflictRead,
    DictRef,
    ListRef,
    Unnamed,
)

_ONE = Unnamed("one value", RETURNED.told)  # no name that is kept in cases
_CONSTANTS = (str, bytes, type(None))


def of_one_structure(interp: Interpreter, value: Abstract) -> Abstract:
    """A content that is returned, or part of one, without cases; a ``ConflictRead`` where they have
    no one structure.
    """
    if isinstance(value, Conflict) and value.cases is not None:
        return _merged(interp, value, value.cases)
    if isinstance(value, ListRef | DictRef) and not is_callers(value):
        content = interp.heap.get(value)
        if isinstance(content, Conflict) and content.cases is not None:
            interp.put(value, _merged(interp, content, content.cases))
    return value


def _merged(interp: Interpreter, conflict: Conflict, cases: Cases) -> Abstract:
    contents = list(cases.contents.values())
    if all(same(contents[0], content) for content in contents):
        return contents[0]
    if all(type(content) in _CONSTANTS for content in contents):
        numbers = {number: k for k, number in enumerate(cases.contents)}
        return chosen(which_of(conflict, numbers), constants=tuple(contents))
    if all(is_number(content) or isinstance(content, Array) for content in contents):
        return _joined(interp, conflict, cases)
    kinds = {type(content) for content in contents}
    if len(kinds) == 1 and isinstance(contents[0], tuple):
        return _tuple(interp, conflict, cases)
    if kinds in ({ListRef}, {DictRef}):
        return _container(interp, conflict, cases)
    if kinds == {dict} and all(list(c) == list(contents[0]) for c in contents):
        return {key: _part(interp, conflict, cases, key) for key in contents[0]}
    raise ConflictRead(conflict)


def _tuple(interp: Interpreter, conflict: Conflict, cases: Cases) -> Abstract:
    first, *others = cases.contents.values()
    if any(len(content) != len(first) for content in others):
        raise ConflictRead(conflict)
    parts = [_part(interp, conflict, cases, k) for k in range(len(first))]
    return tuple.__new__(type(first), parts)


def _container(interp: Interpreter, conflict: Conflict, cases: Cases) -> Abstract:
    """A new list or dict for those of all the cases."""
    refs: list[Any] = list(cases.contents.values())
    if any(not of_one_kind(refs[0], ref) or is_callers(ref) for ref in refs):
        raise ConflictRead(conflict)
    contents = {number: interp.heap.get(ref) for number, ref in cases.contents.items()}
    if not all(isinstance(content, tuple | dict) for content in contents.values()):
        raise ConflictRead(conflict)
    inner = Cases(cases.which, contents)
    made = another(refs[0])
    interp.put(made, _merged(interp, replace(conflict, cases=inner), inner))
    return made


def _part(interp: Interpreter, conflict: Conflict, cases: Cases, key: Any) -> Abstract:
    """What stands at a place of all the cases."""
    parts = {number: content[key] for number, content in cases.contents.items()}
    if any(part is ABSENT or isinstance(part, Conflict) for part in parts.values()):
        raise ConflictRead(conflict)
    inner = Cases(cases.which, parts)
    return _merged(interp, replace(conflict, cases=inner), inner)


def _joined(interp: Interpreter, conflict: Conflict, cases: Cases) -> Abstract:
    """The number or the array of the case that it is."""
    (number, content), *others = cases.contents.items()
    if not others:
        return content
    rest = Cases(cases.which, dict(others))
    predicate = is_case(cases, number)
    try:
        return joined_value(
            interp, predicate, lambda: content, lambda: _joined(interp, conflict, rest), _ONE
        )
    except ConflictRead:
        raise ConflictRead(conflict) from None
