"""Statements on vectors whose length varies: from turn to turn, item to item, call to call.

Slices by turns and by data, masks, concatenations that grow, lists of vectors, branches, helpers
and recursion that give other lengths. A vector of one element is broadcast against longer ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.fuzz.expressions import is_float, is_number
from tests.fuzz.statements import PROFILES, Statements

PROFILES |= {
    "ragged": {
        "part": 8,
        "grow": 4,
        "meet": 6,
        "total": 6,
        "exchange": 3,
        "call": 3,
        "make_rows": 3,
        "use_rows": 7,
        "for_range": 4,
        "for_rows": 3,
        "while_loop": 1,
        "shrink": 2,
        "branch": 4,
        "assign": 1,
    },
}

CUTTERS = (
    """
def cut(a, k):
    if np.sum(a) > 0.4:
        return a[:k]
    return a[k:] * 0.5
""",
    """
def grown(a, k):
    if k <= 0:
        return a[:1]
    v = grown(a, k - 1)
    return np.concatenate([v, a[:1] * 0.5]) if k % 2 else v * a[:k][:1]
""",
    """
def halved(a, k):
    if len(a) <= k + 1:
        return a * 0.5
    return halved(a[: len(a) // 2], k) if a[0] > 0.2 else halved(a[1:], k)
""",
    """
def some(a, k):
    rows = []
    for i in range(k):
        rows.append(a[i:])
    while len(rows) > 2:
        rows.pop(0)
    rows = [a[:1], *rows]
    return np.concatenate(rows)
""",
    """
def first(a, k):
    for i in range(len(a)):
        if a[i] > 0.3:
            return a[i:]
        if i > k:
            break
    return a[:1]
""",
)


class Ragged(Statements):
    """Productions for one sketch, which takes vectors of any length for one another."""

    forgets = 0.3

    # --- what there is

    def _vectors(self) -> list[str]:
        return self._free(lambda value: is_float(value) and np.ndim(value) == 1)

    def _vector(self) -> str:
        return self.random.choice(self._vectors() or ["x"])

    def _rows(self) -> list[str]:
        return self._free(lambda v: isinstance(v, list) and all(np.ndim(item) == 1 for item in v))

    def _new(self, found: Callable[[], list[str]], prefix: str) -> str:
        """A name for a vector or a list: a new one, or one that is used already."""
        names = [name for name in found() if name not in self.sketch.arguments]
        if names and self.random.random() < 0.5:
            return self.random.choice(names)
        return self.sketch.fresh(prefix)

    def count(self) -> str:
        """An integer, known or not, that may be anything from -1 on."""
        integers = self.make.names(lambda v: type(v) is int)
        a = self._vector()
        known = self.random.choice(("1", "2", "3"))
        staged = [
            f"len({a}) - 1",
            f"len({a}) // 2",
            f"int(np.sum({a} > {self._threshold()}))",
            f"min(2, len({a}))",
        ]
        for name in integers:
            staged += [name, name, f"{name} + 1", f"{name} - 1", f"1 + 2 * {name}", f"{name} % 2"]
        return known if self.random.random() < 0.25 else self.random.choice(staged)

    def _threshold(self) -> float:
        return round(self.random.uniform(-0.8, 1.0), 2)

    # --- vectors

    def part(self) -> bool:
        """A part of a vector."""
        key = self.random.choice(
            ("[:{k}]", "[:{k}]", "[{k}:]", "[{j}:{k}]", "[-{p}:]", "[:-{p}]", "[::2]", "[{k}::-1]",
             "[len({a}) - {p}:]", "[:len({a}) - {p}]", "[{a} > {c}]", "[np.abs({a}) < {c}]",
             "[:1]", "[1:]", "[:{k}][:{j}]", "[np.arange({p})]")
        )  # fmt: skip
        a = self._vector()
        key = key.format(
            a=a, k=self.count(), j=self.count(), p=self.random.choice((1, 2, 3)),
            c=self._threshold(),
        )  # fmt: skip
        way = self.random.choice(("{}{}", "{}{}", "np.sin({}){}", "{}{} * 0.5"))
        return self.sketch.attempt(f"{self._new(self._vectors, 'v')} = {way.format(a, key)}")

    def grow(self) -> bool:
        """A longer vector, or one of another make."""
        a, b, k, s = self._vector(), self._vector(), self.count(), self.make.scalar(1)
        text = self.random.choice(
            (f"np.concatenate([{a}, {b}])", f"np.concatenate([{a}[:{k}], {b}])",
             f"np.append({a}, {s})", f"np.repeat({a}, 2)", f"np.tile({a}[:1], max({k}, 0))",
             f"np.full(max({k}, 0), {s})", f"np.concatenate([{a}[{k}:], np.zeros(2)])",
             f"np.array([{s}, 0.5])", f"np.diff({a})", f"np.sort({a})", f"{a}[::-1]",
             f"np.pad({a}[{k}:], 1)", f"np.cumsum({a})", f"np.hstack([{a}[:1], {b}[1:]])",
             f"np.outer({a}, {b}).reshape(-1)", f"np.ones(len({a})) * {s}",
             f"np.array([t * {s} for t in {a}])", f"np.array([t for t in {a} if t > 0.3])",
             f"np.roll({a}, 1)", f"np.where({a} > 0.3, {a}, 0.5)", f"np.atleast_1d({s})",
             f"np.outer({a}, {b}).sum(axis=0)", f"np.zeros_like({a}) + {b}[:1]")
        )  # fmt: skip
        return self.sketch.attempt(f"{self._new(self._vectors, 'v')} = {text}")

    def _product(self) -> str:
        """What two vectors give, one of them often of one element."""
        a, b = self._vector(), self._vector()
        return self.random.choice(
            (f"{a} * {b}", f"{a} * {b} ** 2", f"{a} * {b}[:1]", f"{a} + {b}[:1]",
             f"np.maximum({a}, {b})", f"{a}[:1] * np.sin({b})", f"({a}[:, None] * {b}).sum(axis=1)",
             f"{a} / (1.0 + {b} ** 2)", f"np.where({b} > 0.2, {a}, {b})", f"{a} - np.mean({b})",
             f"({a}[:, None] * {b}[:1])[:, 0]", f"{a} * {b} * {self.make.scalar(1)}")
        )  # fmt: skip

    def meet(self) -> bool:
        """Two vectors broadcast against each other, where they can be."""
        a, b, v = self._vector(), self._vector(), self._new(self._vectors, "v")
        text = self._product()
        fit = f"len({a}) == len({b}) or len({a}) == 1 or len({b}) == 1"
        lines = self.random.choice(
            (
                (f"{v} = {text}",),
                (f"{v} = {a} * {b} ** 2 if {fit} else {a}",),
                (f"if {fit}:", f"    {v} = {a} * {b} + {a}", "else:", f"    {v} = {b}[:1]"),
            )
        )
        return self.sketch.attempt(*lines)

    def total(self) -> bool:
        """A number that gathers what there is."""
        names = [n for n in self._free(is_number) if n.startswith("t")]
        name = self.random.choice(names) if names else self.sketch.fresh("t")
        begun = f"{name} + " if names else ""
        a, b = self._vector(), self._vector()
        fit = f"len({a}) == len({b}) or len({a}) == 1 or len({b}) == 1"
        text = self.random.choice(
            (f"np.sum({a} ** 2)", f"np.sum({self._product()})", f"len({a}) * np.sum({b})",
             f"(np.sum({a} * {b} ** 2) if {fit} else np.sum({a}))", f"np.sum({a}[:1])",
             f"np.sum({a} * {b} ** 2)", f"{a}[-1] ** 2", f"sum(t * t for t in {a})")
        )  # fmt: skip
        return self.sketch.attempt(f"{name} = {begun}{text}")

    def exchange(self) -> bool:
        """Two names are bound at once."""
        names = [name for name in self._vectors() if name not in self.sketch.arguments]
        if len(names) < 2:
            return False
        a, b = self.random.sample(names, 2)
        k = self.count()
        return self.sketch.attempt(
            self.random.choice(
                (f"{a}, {b} = {b}, {a}", f"{a}, {b} = {b}, {a}[:{k}]", f"{a}, {b} = {b}[1:], {a}",
                 f"{a}, {b} = {self._product()}, {b}", f"{a} = {b}")
            )
        )  # fmt: skip

    def call(self) -> bool:
        """A function that gives one length or another."""
        functions = [name for name in ("cut", "grown", "halved", "some", "first")
                     if name in self.sketch.namespace]  # fmt: skip
        if not functions:
            return False
        text = f"{self.random.choice(functions)}({self._vector()}, {self.count()})"
        return self.sketch.attempt(f"{self._new(self._vectors, 'v')} = {text}")

    # --- lists of vectors

    def make_rows(self) -> bool:
        """A list of vectors, of staged length or grown in a loop."""
        name, a, k, i = (
            self.sketch.fresh("rows"),
            self._vector(),
            self.count(),
            self.sketch.fresh("k"),
        )
        n = self.random.choice((k, f"len({a})", "3"))
        item = self.random.choice(
            (f"{a}[:{i} + 1]", f"{a}[{i}:]", f"{a}[:{i}]", f"{a}[{i}:{i} + 2]", f"{a}[:1] * {i}",
             f"{a}[{a} > 0.3 * {i}]", f"np.full({i} + 1, np.sum({a}))", f"{a}[:1 + {i} % 2]")
        )  # fmt: skip
        lines = self.random.choice(
            (
                (f"{name} = [{a}[:1], {self._vector()}]",),
                (f"{name} = [{item} for {i} in range({n})]",),
                (f"{name} = []", f"for {i} in range({n}):", f"    {name}.append({item})"),
                (f"{name} = [{a}]", f"{i} = 0", f"while {i} < {n}:", f"    {name}.append({item})",
                 f"    {i} += 1"),
                (f"{name} = []",),
                (f"{name} = np.split({a}, [1])",),
            )
        )  # fmt: skip
        return self.sketch.attempt(*lines)

    def use_rows(self) -> bool:
        """A list of vectors is read, changed or summed."""
        lists = self._rows()
        if not lists:
            return False
        n, other = self.random.choice(lists), self.random.choice(lists)
        v, a, k, s = (
            self._new(self._vectors, "v"),
            self._vector(),
            self.count(),
            self.sketch.fresh("s"),
        )
        p = self.random.choice(("0", "-1", k, f"{k} % len({n})", "1"))
        line = self.random.choice(
            (f"{n}.append({a})", f"{n}.append({self._product()})", f"{n}[{p}] = {a}",
             f"{v} = {n}[{p}]", f"{v} = {n}[{p}]", f"{v} = {n}.pop()", f"{v} = {n}.pop(0)",
             f"{n}.insert({p}, {a})", f"{n} = {n}[::-1]", f"{n} = {n} + {other}",
             f"{n} = [{s} * {s} for {s} in {n}]", f"{n} = [{s} for {s} in {n} if len({s}) > 1]",
             f"{self.sketch.fresh('t')} = sum(np.sum({s} ** 2) for {s} in {n})",
             f"{v} = np.concatenate({n})", f"{v} = {n}[0] * {other}[-1] ** 2",
             f"{v} = sum({n}[:2])", f"{n}[0], {n}[-1] = {n}[-1], {n}[0]",
             f"{v} = np.array([np.sum({s}) for {s} in {n}])", f"{n} += [{a}[:1]]",
             f"{v}, *{s} = {n}", f"{n}[{p}] = {n}[{p}][:1]", f"{v} = max({n}, key=len)")
        )  # fmt: skip
        return self.sketch.attempt(line)

    def for_rows(self) -> bool:
        """A loop over vectors."""
        a, s, r = self._vector(), self.sketch.fresh("s"), self.sketch.fresh("s")
        n = self.random.choice(self._rows() or [f"({a}, {a}[:1])"])
        head = self.random.choice(
            (f"for {s} in {n}:", f"for {s}, {r} in zip({n}, {n}[1:]):",
             f"for {r}, {s} in enumerate({n}):", f"for {s} in reversed({n}):",
             f"for {s}, {r} in zip({n}, {n}[::-1]):")
        )  # fmt: skip
        mark = self.sketch.mark()
        if not self._opened(head):
            return False
        self.sketch.protected.add(n)
        if not self.fill(self.random.randrange(1, 4)):
            self.in_loop -= 1
            return False
        return self._closed(mark)

    # --- blocks

    def shrink(self) -> bool:
        """A loop that makes a vector shorter until little is left."""
        v, a, least = self.sketch.fresh("v"), self._vector(), self.random.choice((0, 1, 2))
        mark = self.sketch.mark()
        if not self.sketch.attempt(f"{v} = {a}"):
            return False
        if not self._opened(f"while len({v}) > {least}:"):
            return False
        self.sketch.protected.add(v)
        way = self.random.choice(("{v}[1:]", "{v}[:-1] * 0.9", "{v}[:len({v}) // 2]", "{v}[2:]"))
        before, line = self.random.random() < 0.5, f"{v} = {way.format(v=v)}"
        if (before and not self.sketch.attempt(line)) or not self.fill(self.random.randrange(1, 3)):
            self.in_loop -= 1
            return False
        if not before and not self.sketch.attempt(line):
            self.in_loop -= 1
            return False
        return self._closed(mark)
