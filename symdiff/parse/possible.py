"""Which of its contents what is one of several may be, by the staged bools that are assumed.

In the arm of ``if y is None`` that is not taken where it is, ``y`` is none of the cases that are:

>>> from symdiff.ir.graph import Value
>>> from symdiff.ir.types import INT
>>> which = Value(INT)
>>> possible(Cases(which, {0: None, 1: "a text"}), {})
{0: None, 1: 'a text'}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from symdiff.ir.build import constant_value
from symdiff.ir.control import cond, in_arms
from symdiff.ir.graph import Value
from symdiff.ops.arithmetic import equal
from symdiff.parse.assumed import implied, truth_of
from symdiff.parse.values import Abstract, Cases, Conflict


def narrowed(content: Abstract, assumed: Mapping[Any, bool]) -> Abstract:
    """What is left of what may be one of several."""
    if not isinstance(content, Conflict) or content.cases is None or content.entries is not None:
        return content
    left = possible(content.cases, assumed)
    if len(left) == len(content.cases.contents):
        return content
    if len(left) == 1:
        return next(iter(left.values()))
    return replace(content, cases=replace(content.cases, contents=left))


def possible(cases: Cases, assumed: Mapping[Any, bool]) -> dict[int, Abstract]:
    """The cases that what is assumed leaves: after ``if y is None: return`` it is no None."""

    values = [item for item in assumed.items() if isinstance(item[0], Value)]

    def is_possible(number: int) -> bool:
        told = _InCase(cases.which, number)
        return all(truth_of(v, told) in (None, taken) for v, taken in values)

    found = {number: content for number, content in cases.contents.items() if is_possible(number)}
    return found or cases.contents


class _InCase(Mapping[Any, bool]):
    """What tests of which case it is give in one of the cases."""

    def __init__(self, which: Value, number: int) -> None:
        self._number = number
        self._equal = {which}  # what is the number, too
        self._known: dict[Any, bool] = {}
        arms = _arms(which)
        while arms is not None:
            possible = [k for k, arm in enumerate(arms) if constant_value(arm) in (None, number)]
            if len(possible) != 1:
                break
            (taken,) = possible
            assert which.node is not None
            self._known |= implied(which.node.operands[0], taken == 0)
            which = arms[taken]
            self._equal.add(which)
            arms = _arms(which)

    def __getitem__(self, value: Any) -> bool:
        test = tested(value) if isinstance(value, Value) else None
        if test is not None and test[0] in self._equal:
            return test[1] == self._number
        return self._known[value]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _arms(value: Value) -> list[Value] | None:
    """What a value is in either arm of the branch that gives it."""
    node = value.node
    if node is None or node.op is not cond:
        return None
    return list(in_arms(value))


def tested(predicate: Value) -> tuple[Value, int] | None:
    """The staged number that is compared, and the constant that it is compared with."""
    if predicate.node is None or predicate.node.op is not equal:
        return None
    which, number = predicate.node.operands
    known = constant_value(number)
    return None if known is None else (which, known)
