"""Objects as keys that are found by what they hold: where that is not told, they are refused."""

from __future__ import annotations

import dataclasses
import fractions
from typing import Any, ClassVar

import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from tests.programs.keys_by_value import Cell, Dim, Tagged

TABLE = {Cell(1): 2.0, Cell(2): 3.0, "other": 4.0}
NESTED = {Tagged("x", Cell(0)): 2.0}
KEPT: dict[Any, Any] = {}


class Name:
    """Equals another one that is spelled otherwise."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: Any) -> bool:
        return bool(self.text.lower() == other.text.lower())

    def __hash__(self) -> int:
        return hash(self.text.lower())


@dataclasses.dataclass(frozen=True)
class Place:
    at: float


class Counted:
    """Counts how often it is asked for its hash, and compared."""

    asked: ClassVar[list[str]] = []
    compared = 0

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: Any) -> bool:
        Counted.compared += 1
        return bool(self.number == other.number)

    def __hash__(self) -> int:
        return hash(self.number)


@dataclasses.dataclass(frozen=True)
class Logged:
    number: int

    def __hash__(self) -> int:
        Counted.asked.append("hash")
        return hash(self.number)


@dataclasses.dataclass(frozen=True)
class Printed:
    number: int

    def __hash__(self) -> int:
        if self.number > 0:
            print("hash")
        return hash(self.number)


def found_by_what_counts(x: Any) -> Any:
    return {Counted(1): x}[Counted(1)] * Counted.compared


def found_by_what_writes(x: Any) -> Any:
    before = len(Counted.asked)
    return {Logged(1): x}[Logged(1)] * (len(Counted.asked) - before)


def found_by_what_prints(x: Any) -> Any:
    return {Printed(1): x}[Printed(1)]


def equal_to_one_that_holds_something_else(x: Any) -> Any:
    names = {Name("A"): x}
    names[Name("a")] = x * x
    return len(names) * x


def changed_after_it_was_a_key(x: Any) -> Any:
    first, second = Dim(1), Dim(1)
    found = {first: x, second: x * x}
    first.m = 2
    return sum(found.values()) * len(found)


def second_changed_after_it_was_a_key(x: Any) -> Any:
    first, second = Dim(1), Dim(1)
    one, other = {first: x}, {second: x * x}
    second.m = 2
    return other.get(Dim(1), 5.0 * x) * one[first]


def changed_on_one_path_before_it_is_a_key(x: Any) -> Any:
    first = Dim(1)
    if x > 1.0:
        found = {first: x}
    else:
        first.m = 2
        found = {first: 3.0 * x}
    return found.get(Dim(1), 7.0 * x)


def changed_on_one_path_beside_one_that_is_a_key(x: Any) -> Any:
    first = Dim(1)
    if x > 1.0:
        found = {first: x}
    else:
        first.m = 2
        found = {Dim(1): 3.0 * x}
    return sum(key.m * v for key, v in found.items())


def asked_which_of_two_it_is(x: Any) -> Any:
    first, second = Cell(1), Cell(1)
    one, other = {first: x}, {second: 3.0 * x}
    key = next(iter(other))
    return other[second] * (2.0 if key is second else 3.0) * one[first]


def unlike_in_what_is_not_compared(x: Any) -> Any:
    one, other = {Tagged("x", Cell(0), "first"): x}, {Tagged("x", Cell(0), "second"): x}
    return sum(len(key.note) * v for key, v in other.items()) * sum(one.values())


def of_another_class_inside(x: Any) -> Any:
    return {Cell(1): x}.get(Cell(True), 3.0 * x)


def equal_to_a_number(x: Any) -> Any:
    return {fractions.Fraction(1): x, 2: 3.0 * x}[1]


def in_a_dict_made_outside(x: Any) -> Any:
    return TABLE[Cell(1)] * NESTED.get(Tagged("x", Cell(0)), x)


def of_a_differentiated_number(x: Any) -> Any:
    return {Place(x): x}[Place(x)]


@pytest.mark.parametrize(
    "f",
    [
        found_by_what_counts,
        found_by_what_writes,
        found_by_what_prints,
        equal_to_one_that_holds_something_else,
        changed_after_it_was_a_key,
        second_changed_after_it_was_a_key,
        asked_which_of_two_it_is,
        unlike_in_what_is_not_compared,
        of_another_class_inside,
        equal_to_a_number,
        in_a_dict_made_outside,
        of_a_differentiated_number,
    ],
)
def test_what_does_not_tell_objects_apart_is_refused(f: Any) -> None:
    f(1.5)
    with pytest.raises(UnsupportedSyntaxError) as refused:
        sd.grad(f)(1.5)
    assert refused.value.span is not None and refused.value.hint


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (changed_on_one_path_before_it_is_a_key, 1.0),
        (changed_on_one_path_beside_one_that_is_a_key, 1.0),
    ],
)
def test_what_does_not_tell_objects_apart_on_one_path_is_refused_there(f: Any, slope: Any) -> None:
    h = 1e-6
    assert abs((f(1.5 + h) - f(1.5 - h)) / (2 * h) - slope) < 1e-8
    assert sd.grad(f)(1.5) == slope
    with pytest.raises(UnsupportedSyntaxError, match="this one is taken"):
        sd.grad(f)(0.5)


def test_keys_of_a_dict_made_outside_are_found() -> None:
    def f(x: Any) -> Any:
        y = sum(TABLE[Cell(k)] * x**k for k in (1, 2)) + TABLE.get(Cell(3), x) * TABLE["other"]
        return y * (Cell(1, 0) in TABLE) + (Cell(1, 1) in TABLE) * x

    assert sd.value_and_grad(f)(3.0) == (f(3.0), 2.0 + 6.0 * 3.0 + 4.0)
    try:
        TABLE[Cell(1)], TABLE[Cell(3)] = 5.0, 6.0
        assert sd.value_and_grad(f)(3.0) == (f(3.0), 5.0 + 6.0 * 3.0)
    finally:
        TABLE[Cell(1)] = 2.0
        del TABLE[Cell(3)]


class Plain:
    pass


def kept_by_a_new_cell(x: Any) -> Any:
    KEPT[Cell(1)] = x
    return x * x


def kept_by_a_new_object(x: Any) -> Any:
    KEPT[Plain(), 1] = x
    return x * x


def kept_inside(x: Any) -> Any:
    KEPT["inner"] = {Plain(): x}
    return x * x


@pytest.mark.parametrize("f", [kept_by_a_new_cell, kept_by_a_new_object, kept_inside])
def test_objects_made_inside_are_no_keys_of_what_is_outside(f: Any) -> None:
    with pytest.raises(UnsupportedCallError, match="is passed to"):
        sd.grad(f)(1.5)
    assert not KEPT


class UnhashableError(Exception):
    pass


class Hashed:
    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Hashed)

    def __hash__(self) -> int:
        raise UnhashableError


def test_what_a_hash_raises_is_raised() -> None:
    def f(x: Any) -> Any:
        try:
            return {Hashed(): x}[Hashed()]
        except UnhashableError:
            return x * x * hash((1, 2.0)) ** 0

    assert sd.value_and_grad(f)(3.0) == (9.0, 6.0)
    assert sd.jvp(f, (3.0,), (1.0,)) == (9.0, 6.0)
