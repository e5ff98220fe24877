"""Statements that leave blocks, and lists, dicts, objects and closures that hold data.

The same productions as in ``statements``, and further ones. Arms may end in ``return``, ``break``
and ``continue`` at any depth, loops may have an ``else``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.fuzz.expressions import is_float, is_number
from tests.fuzz.sketch import Mark
from tests.fuzz.statements import PROFILES, Statements

LEAVING = 0.3
ELSE = 0.25

PROFILES |= {
    "control": {
        "assign": 3,
        "augment": 3,
        "branch": 6,
        "for_range": 3,
        "for_each": 1,
        "while_loop": 2,
        "write": 3,
        "move": 4,
        "alias": 3,
        "swap": 2,
        "hold": 2,
        "mutating_call": 1,
        "pairwise": 1,
    },
    "objects": {
        "assign": 4,
        "augment": 1,
        "branch": 3,
        "for_range": 2,
        "while_loop": 1,
        "write": 1,
        "alias": 1,
        "make_object": 4,
        "use_object": 6,
        "make_table": 3,
        "use_table": 5,
        "counter": 2,
        "hold": 2,
        "pairwise": 1,
    },
}

CLASSES = """
class Box:
    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.calls = 0

    def step(self, t):
        self.calls += 1
        self.a = self.a * 0.5 + t
        return np.sum(self.a)

    def change(self, t):
        if np.sum(t) > 0.5:
            return self
        self.b *= 0.7
        return self

    @property
    def size(self):
        return np.sum(self.a * self.b)
"""

HELPERS = (
    """
def helper_first(a, k):
    for t in np.atleast_1d(a).reshape(-1):
        if t > 0.4:
            return t * k
        if t < -0.6:
            break
    else:
        return k + 0.5 * np.sum(a)
    return k - np.sum(a)
""",
    """
def helper_steps(a, k):
    total = k * 1.0
    for i in range(4):
        if i == 1:
            continue
        if np.sum(total) > 1.5:
            return total * 0.5
        total = total + np.sin(a) * 0.3
    return total
""",
    """
def helper_mean(a, k=0.5):
    if np.ndim(a) == 0:
        return a * k
    weights = np.where(a > 0.2, a, k)
    return weights / (1.0 + np.sum(weights**2))
""",
)


class Structures(Statements):
    """Productions for one sketch, drawn by the weights of a profile."""

    # --- leaving a block

    def _arm(self, head: str, before: Mark | None = None) -> bool:
        if not super()._arm(head, before):
            return False
        if self.random.random() < LEAVING:
            words = ["break", "continue"] * 2 if self.in_loop else []
            line = self.random.choice([*words, f"return np.sum({self.make.scalar(2)})"])
            self.sketch.lines.append("    " * (self.sketch.depth + 1) + line)
        return True

    def _closed(self, mark: Mark) -> bool:
        if self.random.random() < ELSE:
            self.in_loop -= 1
            self._add_else(mark)
            self.in_loop += 1
        return super()._closed(mark)

    def _add_else(self, mark: Mark) -> None:
        """``else:`` behind a loop, where it is reached."""
        before = self.sketch.mark()
        self.sketch.depth = mark[1]
        if not (self.sketch.attempt("else:", deeper=1) and self.fill(self.random.randrange(1, 3))):
            self.sketch.restore(before)

    # --- arrays

    def move(self) -> bool:
        """A part of an array into a part of another, or of itself, which may overlap."""
        arrays = self._arrays()
        if not arrays:
            return False
        a, b = self.random.choice(arrays), self.random.choice(arrays)
        word = self.random.choice(("=", "+=", "-="))
        line = self.random.choice(
            (
                "{a}[1:] {w} {b}[:-1]",
                "{a}[:-1] {w} {b}[1:]",
                "{a}[::-1] {w} {b}",
                "{a}[::2] {w} {b}[:1]",
                "{a}[[0, -1]] {w} {b}[[-1, 0]]",
                "{a}[[0, 0]] {w} {b}[[1, -1]]",
                "{a}[{a} > {c}] {w} {c}",
                "{a}[...] {w} {b}[::-1]",
            )
        )
        return self.sketch.attempt(line.format(a=a, b=b, w=word, c=self.make.scalar(1)))

    def pairwise(self) -> bool:
        """Several names are bound at once to what they were."""
        names = self._free(is_number)
        if len(names) < 2:
            return False
        a, b = self.random.sample(names, 2)
        line = self.random.choice(
            (
                f"{a}, {b} = {b}, {a}",
                f"{a}, {b} = {b}, {a} + 0.3 * {b}",
                f"({a}, {b}), {self.sketch.fresh()} = ({b}, {a}), {a} * {b}",
            )
        )
        return self.sketch.attempt(line)

    # --- what holds data

    def hold(self) -> bool:
        """A list of arrays, whose items are written to."""
        arrays = self._arrays()
        if not arrays:
            return False
        name, index = self.random.choice(arrays), self.random.choice((0, -1))
        lists = self._free(lambda value: isinstance(value, list) and are_arrays(value[-1:]))
        if not lists:
            return self.sketch.attempt(f"{self.sketch.fresh('held')} = [{name}]")
        held = self.random.choice(lists)
        line = self.random.choice(
            (
                f"{held}.append({name})",
                f"{held}.append({name} * {self.make.scalar(1)})",
                f"{held}[{index}][0] = {self.make.scalar(1)}",
                f"{held}[{index}] *= {self.make.scalar(1)}",
                f"{held}[{index}] = {name}",
                f"{self._target()} = np.sum({held}[{index}])",
                f"{self.sketch.fresh('w')} = {held}[{index}]",
                f"{self._target()} = sum(np.sum(t * t) for t in {held})",
            )
        )
        return self.sketch.attempt(line)

    def make_object(self) -> bool:
        """An object that holds two values."""
        name = self.sketch.fresh("o")
        return self.sketch.attempt(f"{name} = Box({self.make.any(1)}, {self.make.any(1)})")

    def use_object(self) -> bool:
        """An attribute is read, bound or changed, or a method called."""
        objects = self._free(is_object)
        if not objects:
            return False
        o, other = self.random.choice(objects), self.random.choice(objects)
        value, number = self.make.any(2), self.make.scalar(1)
        line = self.random.choice(
            (
                f"{o}.a = {value}",
                f"{o}.b = {other}.a",
                f"{o}.a += {number}",
                f"{o}.b = {o}.b * {number}",
                f"{self._target()} = {o}.step({number})",
                f"{self._target()} = {o}.change({number}).size",
                f"{self._target()} = {o}.size + {o}.calls",
                f"{self._target()} = {o}.a",
                f"{self.sketch.fresh('o')} = {o}",
                f"{o}, {other} = {other}, {o}",
                f"{o}.a[0] = {number}",
            )
        )
        return self.sketch.attempt(line)

    def make_table(self) -> bool:
        """A dict of numbers and arrays."""
        name = self.sketch.fresh("table")
        items = f"'p': {self.make.any(1)}, 'q': {self.make.any(1)}"
        return self.sketch.attempt(f"{name} = {self.random.choice(('{%s}', 'dict({%s})')) % items}")

    def use_table(self) -> bool:
        """An item is read, bound or changed, or all are."""
        tables = self._free(is_table)
        if not tables:
            return False
        table, key = self.random.choice(tables), self.random.choice(("'p'", "'q'"))
        number, turn = self.make.scalar(1), self.sketch.fresh("k")
        lines = self.random.choice(
            (
                (f"{table}[{key}] = {self.make.any(2)}",),
                (f"{table}[{key}] += {number}",),
                (f"{table}[{key}][0] = {number}",),
                (f"for {turn} in {table}:", f"    {table}[{turn}] = {table}[{turn}] * {number}"),
                (f"{self._target()} = sum(np.sum(t) for t in {table}.values())",),
                (f"{self._target()} = {table}.get('r', {number}) * np.sum({table}[{key}])",),
                (f"{self.sketch.fresh('w')} = {table}[{key}]",),
                (f"{table}['p'], {table}['q'] = {table}['q'], {table}['p']",),
                (f"{self.sketch.fresh('table')} = {{**{table}, 'q': {number}}}",),
            )
        )
        return self.sketch.attempt(*lines)

    def counter(self) -> bool:
        """A closure that changes a number around it."""
        numbers = self._free(is_number)
        if not numbers:
            return False
        name, number = self.sketch.fresh("local"), self.random.choice(numbers)
        return self.sketch.attempt(
            f"def {name}(t):",
            f"    nonlocal {number}",
            f"    {number} = {number} * 0.5 + np.sum(t)",
            f"    return {number} * {self.make.constant()}",
            f"{self._target()} = {name}({self.make.scalar(1)})",
        )


def is_object(value: Any) -> bool:
    """Whether a value is an object of the program's own class."""
    return type(value).__name__ == "Box"


def is_table(value: Any) -> bool:
    """Whether a value is a dict."""
    return isinstance(value, dict)


def are_arrays(items: list[Any]) -> bool:
    """Whether these are arrays of floats."""
    return bool(items) and all(is_float(item) and np.ndim(item) > 0 for item in items)
