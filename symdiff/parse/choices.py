"""What a function returns that differs by path: in constants, or in how it is structured.

``return "up", x`` on one path and ``return "down", 2 * x`` on the other are kept in cases. Cases of
one structure become one content of it: its numbers are joined, and of its texts the program picks
the one of the path that was taken. Cases of several structures, ``return {"x": x}`` on one path and
``return {"x": x, "y": y}`` on the other, are told apart where the result is made.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Value
from symdiff.ir.structure import LEFT_OUT
from symdiff.parse.branches import joined_value
from symdiff.parse.heap import another, is_callers, same
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.lattice import is_number, of_one_kind
from symdiff.parse.unions import is_case, picked
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
    Maybe,
    OneOfTwo,
    Unnamed,
)

_ONE = Unnamed("one value", RETURNED.told)  # no name that is kept in cases
_CONSTANTS = (str, bytes, type(None))


def of_one_structure(interp: Interpreter, value: Abstract) -> Abstract:
    """A content that is returned, or part of one, without cases; a ``ConflictRead`` where they have
    no one structure.
    """
    return _Merging(interp, by_case=False).of(value)


def in_cases(interp: Interpreter, value: Abstract) -> Abstract:
    """A content that is returned, or part of one: of one structure, or one of two."""
    return _Merging(interp, by_case=True).of(value)


@dataclass(frozen=True, slots=True)
class _Merging:
    """Makes one content of cases; ``by_case``: what has no one structure is one of two."""

    interp: Interpreter
    by_case: bool

    def of(self, value: Abstract) -> Abstract:
        if isinstance(value, Maybe) and isinstance(value.there, Value):
            return OneOfTwo(value.there, value.content, LEFT_OUT)
        if isinstance(value, Maybe):
            return value.content if value.there else LEFT_OUT
        if isinstance(value, ListRef | DictRef) and not is_callers(value):
            content = self.interp.heap.get(value)
            if isinstance(content, Conflict) and content.cases is not None:
                value = self._each_in_its_own(value, content, content.cases)
        if isinstance(value, Conflict) and value.cases is not None:
            return self._merged_or_told(value, value.cases)
        return value

    def _each_in_its_own(
        self, ref: ListRef | DictRef, conflict: Conflict, cases: Cases
    ) -> Conflict:
        """A list or a dict that holds what differs by path, as one of several."""
        made: dict[int, Abstract] = {}
        for number, content in cases.contents.items():
            made[number] = another(ref)
            self.interp.put(made[number], content)
        return replace(conflict, cases=Cases(cases.which, made))

    def _merged_or_told(self, conflict: Conflict, cases: Cases) -> Abstract:
        try:
            return self._merged(conflict, cases)
        except ConflictRead:
            if not self.by_case:
                raise
            return _one_of_two(conflict, cases)

    def _merged(self, conflict: Conflict, cases: Cases) -> Abstract:
        contents = list(cases.contents.values())
        if all(same(contents[0], content) for content in contents):
            return contents[0]
        if all(type(content) in _CONSTANTS for content in contents):
            return picked(conflict, cases)
        if all(is_number(content) or isinstance(content, Array) for content in contents):
            return self._joined(conflict, cases)
        kinds = {type(content) for content in contents}
        if len(kinds) == 1 and isinstance(contents[0], tuple):
            return self._tuple(conflict, cases)
        if kinds in ({ListRef}, {DictRef}):
            return self._container(conflict, cases)
        if kinds == {dict} and all(list(c) == list(contents[0]) for c in contents):
            return {key: self._part(conflict, cases, key) for key in contents[0]}
        raise ConflictRead(conflict)

    def _tuple(self, conflict: Conflict, cases: Cases) -> Abstract:
        first, *others = cases.contents.values()
        if any(len(content) != len(first) for content in others):
            raise ConflictRead(conflict)
        parts = [self._part(conflict, cases, k) for k in range(len(first))]
        return tuple.__new__(type(first), parts)

    def _container(self, conflict: Conflict, cases: Cases) -> Abstract:
        """A new list or dict for those of all the cases."""
        refs: list[Any] = list(cases.contents.values())
        if any(not of_one_kind(refs[0], ref) or is_callers(ref) for ref in refs):
            raise ConflictRead(conflict)
        contents = {number: self.interp.heap.get(ref) for number, ref in cases.contents.items()}
        if not all(isinstance(content, tuple | dict) for content in contents.values()):
            raise ConflictRead(conflict)
        inner = Cases(cases.which, contents)
        made = another(refs[0])
        self.interp.put(made, self._merged(replace(conflict, cases=inner), inner))
        return made

    def _part(self, conflict: Conflict, cases: Cases, key: Any) -> Abstract:
        """What stands at a place of all the cases."""
        parts = {number: content[key] for number, content in cases.contents.items()}
        if any(part is ABSENT for part in parts.values()):
            raise ConflictRead(conflict)
        inner = Cases(cases.which, parts)
        return self._merged_or_told(replace(conflict, cases=inner), inner)

    def _joined(self, conflict: Conflict, cases: Cases) -> Abstract:
        """The number or the array of the case that it is."""
        (number, content), *others = cases.contents.items()
        if not others:
            return content
        rest = Cases(cases.which, dict(others))

        def then() -> Abstract:
            return content

        def orelse() -> Abstract:
            return self._joined(conflict, rest)

        try:
            return joined_value(self.interp, is_case(cases, number), then, orelse, _ONE)
        except ConflictRead:
            raise ConflictRead(conflict) from None


def _one_of_two(conflict: Conflict, cases: Cases) -> Abstract:
    """The first case, or one of the others."""
    (number, content), *others = cases.contents.items()
    if not others:
        return content
    rest = replace(conflict, cases=Cases(cases.which, dict(others)))
    return OneOfTwo(is_case(cases, number), content, others[0][1] if len(others) == 1 else rest)
