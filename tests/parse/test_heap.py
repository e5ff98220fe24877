"""What stands under the keys of heaps, and what is found by where it stands."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from symdiff.ir.graph import Input
from symdiff.ir.types import FLOAT, INT
from symdiff.parse.heap import differing, same
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import ABSENT


def changed(heap: dict[Any, Any], random: Random, marks: list[object]) -> dict[Any, Any]:
    """A copy of what a heap holds, with some keys set, taken out, or put in anew."""
    made = dict(heap)
    for key in random.sample(list(made), 3):
        if random.random() < 0.5:
            made[key] = random.choice(marks)
        else:
            del made[key]
    for key in random.sample(range(30), 3):
        made[key] = random.choice([*marks, ABSENT])
    return made


def test_the_keys_that_differ_are_those_that_going_over_all_finds() -> None:
    random, marks = Random(0), [object() for _ in range(4)]
    for _ in range(500):
        base = {key: random.choice(marks) for key in random.sample(range(30), 10)}
        a, b = changed(base, random, marks), changed(base, random, marks)
        every = dict.fromkeys((*a, *b))
        expected = [key for key in every if a.get(key, ABSENT) is not b.get(key, ABSENT)]
        assert differing(a, b) == expected


class Counted:
    """A key that counts how often it is compared."""

    compared = 0

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return hash(self.number)

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return isinstance(other, Counted) and self.number == other.number


def test_an_input_is_found_without_going_over_all_others() -> None:
    interp = Interpreter()
    made = [interp.add_input(Input(("x", Counted(k))), FLOAT, f"x_{k}") for k in range(300)]
    again = [interp.add_input(Input(("x", Counted(k))), FLOAT, f"x_{k}") for k in range(300)]
    assert again == made
    assert Counted.compared < 2000
    assert interp.add_input(Input(("x", Counted(7))), INT, "x_7") is not made[7]
    assert len(interp.inputs) == len(interp.parameters) == 301


def test_a_dtype_that_was_copied_is_the_same_and_one_that_says_more_is_another() -> None:
    float64, copied = np.dtype("float64"), np.dtype("float64", copy=True)
    assert copied is not float64
    assert same(float64, copied)
    assert not same(float64, np.dtype(">f8"))
    assert not same(float64, np.dtype("float64", metadata={"unit": "m"}))
