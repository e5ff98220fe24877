"""Random statements, each proposed to a sketch, which keeps those that run.

A production takes the sketch and says whether it added something. Loops and branches open a block
in the sketch, fill it with other productions and close it; what does not work out is taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np

from tests.fuzz import surface
from tests.fuzz.expressions import Expressions, is_float, is_number
from tests.fuzz.sketch import Mark, RejectedError, Sketch

Production = Callable[[], bool]

# How often each production is drawn, by the kind of program. What is not named has weight 0.
PROFILES: dict[str, dict[str, int]] = {
    "straight": {"assign": 10, "augment": 3, "unpack": 1},
    "branches": {
        "assign": 6,
        "augment": 2,
        "branch": 5,
        "early_return": 1,
        "select_name": 1,
        "write": 1,
    },
    "arms": {"assign": 6, "augment": 2, "branch": 5},
    "loops": {
        "assign": 4,
        "augment": 3,
        "for_range": 4,
        "for_each": 3,
        "while_loop": 3,
        "branch": 2,
        "jump": 2,
        "write": 1,
        "unpack": 1,
    },
    "indexing": {"assign": 6, "write": 5, "augment": 1, "for_range": 2, "gather": 2, "branch": 1},
    "aliasing": {
        "assign": 3,
        "alias": 4,
        "view": 5,
        "write": 6,
        "augment": 3,
        "swap": 2,
        "out": 1,
        "written_by_a_call": 2,
        "for_range": 1,
        "branch": 1,
        "mutating_call": 1,
    },
    "stencils": {"assign": 2, "write": 5, "for_range": 4, "buffer": 3, "swap": 2, "while_loop": 1},
    "lists": {"assign": 4, "grow_list": 5, "for_range": 2, "edit_list": 3, "pack": 2, "branch": 1},
    "functions": {
        "assign": 5,
        "local_function": 3,
        "mutating_call": 3,
        "branch": 1,
        "for_range": 1,
        "pack": 1,
        "write": 1,
    },
    "mixed": {
        "assign": 6,
        "augment": 3,
        "unpack": 1,
        "branch": 3,
        "for_range": 2,
        "for_each": 2,
        "while_loop": 2,
        "write": 4,
        "alias": 1,
        "view": 2,
        "swap": 1,
        "out": 1,
        "written_by_a_call": 2,
        "grow_list": 1,
        "jump": 1,
        "early_return": 1,
        "local_function": 1,
        "buffer": 1,
        "pack": 1,
        "gather": 1,
        "select_name": 1,
        "edit_list": 1,
        "mutating_call": 1,
    },
}
_MOST_DEPTH = 3
_MOST_LINES = 24


class Statements:
    """Productions for one sketch, drawn by the weights of a profile."""

    forgets = 0.88  # how often what is made in a block is not used behind it

    def __init__(self, random: Random, sketch: Sketch, profile: str) -> None:
        self.random = random
        self.sketch = sketch
        weights = dict(PROFILES[profile])
        if surface.WIDE not in sketch.namespace:
            weights.pop("written_by_a_call", None)
        self._productions: list[tuple[Production, int]] = [
            (getattr(self, name), weight) for name, weight in weights.items()
        ]
        self.in_loop = 0
        self.in_branch = 0

    @property
    def make(self) -> Expressions:
        """Expressions over what is in scope now."""
        return Expressions(self.random, self.sketch.scope, self.sketch.namespace)

    def fill(self, count: int) -> int:
        """Add up to ``count`` statements; gives how many there are."""
        added = 0
        for _ in range(3 * count):
            if len(self.sketch.lines) > _MOST_LINES:
                break
            (production,) = self.random.choices(
                [p for p, _ in self._productions], [w for _, w in self._productions]
            )
            mark = self.sketch.mark()
            try:
                done = production()
            except RejectedError:
                done = False
            if not done:
                self.sketch.restore(mark)
            added += done
            if added == count:
                break
        return added

    # --- names

    def _free(self, test: Callable[[Any], bool]) -> list[str]:
        return [n for n in self.make.names(test) if n not in self.sketch.protected]

    def _arrays(self) -> list[str]:
        return self._free(lambda value: is_float(value) and np.ndim(value) > 0)

    def _target(self) -> str:
        """A new name, or one that is used already."""
        names = self._free(is_float)
        if names and self.random.random() < 0.35:
            return self.random.choice(names)
        return self.sketch.fresh()

    def _depth(self) -> int:
        return self.random.choice((1, 1, 2, 2, 3))

    # --- simple statements

    def assign(self) -> bool:
        """``v = expression``, in a loop mostly to a name whose type stays."""
        target = self._target()
        inside = self.in_loop or self.in_branch
        if inside and target in self.sketch.scope and self.random.random() < 0.94:
            shape = np.shape(self.sketch.scope[target])
            text = self.make.fitting(shape, self._depth())
            text = self.make.as_type_of(target, text)
        else:
            text = self.make.any(self._depth())
        if text == target:
            return False
        return self.sketch.attempt(f"{target} = {text}")

    def augment(self) -> bool:
        """``v += expression`` on a number or on a whole array, in place."""
        names = self._free(is_float)
        if not names:
            return False
        name = self.random.choice(names)
        text = self.make.fitting(np.shape(self.sketch.scope[name]), self._depth())
        return self.sketch.attempt(f"{name} {self._augmented(text)}")

    def _augmented(self, text: str) -> str:
        word = self.random.choice(("+=", "+=", "-=", "*=", "/="))
        return f"{word} 1.1 + ({text}) ** 2" if word == "/=" else f"{word} {text}"

    def unpack(self) -> bool:
        """Several names at once."""
        a, b = self._target(), self._target()
        if a == b:
            return False
        line = self.random.choice(
            (
                "{a}, {b} = {x}, {y}",
                "{a} = {b} = {x}",
                "({a}, {b}) = [{x}, {y}]",
                "{a}, *rest, {b} = {x}, 1.0, {y}",
            )
        )
        return self.sketch.attempt(line.format(a=a, b=b, x=self.make.any(1), y=self.make.any(2)))

    def pack(self) -> bool:
        """A dict or tuple, from which it is read again."""
        box, a, b = self.sketch.fresh("box"), self._target(), self._target()
        x, y, z = self.make.any(1), self.make.any(2), self.make.scalar(1)
        lines = self.random.choice(
            (
                (f"{box} = {{'p': {x}, 'q': {y}}}", f"{a} = {box}['p'] * {box}['q']"),
                (
                    f"{box} = {{'p': {x}}}",
                    f"{box}['q'] = {z}",
                    f"{box}['q'] += 1.0",
                    f"{a} = sum(np.sum(t) for t in {box}.values())",
                ),
                (f"{box} = ({x}, {z})", f"{a}, {b} = {box}"),
                (
                    f"{box} = [{x}, {y}]",
                    f"{box}[0] = {box}[0] * {z}",
                    f"{a} = np.sum({box}[0]) + {box}[1]",
                ),
                (
                    f"{box} = {{}}",
                    "for k in range(3):",
                    f"    {box}[k] = {z} + k",
                    f"{a} = {box}[1] * {box}[2]",
                ),
            )
        )
        return self.sketch.attempt(*lines)

    # --- arrays

    def buffer(self) -> bool:
        """A fresh array to write to."""
        arrays = self._arrays()
        shape = np.shape(self.sketch.scope[self.random.choice(arrays)]) if arrays else (3,)
        texts = [
            f"np.zeros({shape})",
            f"np.ones({shape})",
            f"np.full({shape}, {self.make.scalar(1)})",
        ]
        if arrays:
            name = self.random.choice(arrays)
            texts += [
                f"np.zeros_like({name})",
                f"{name}.copy()",
                f"np.empty_like({name})",
                f"np.zeros({name}.shape)",
                f"np.zeros(len({name}))",
                f"np.array({name})",
            ]
        target, text = self.sketch.fresh("u"), self.random.choice(texts)
        if "empty" in text:
            return self.sketch.attempt(f"{target} = {text}", f"{target}[:] = {self.make.scalar(1)}")
        return self.sketch.attempt(f"{target} = {text}")

    def alias(self) -> bool:
        """A second name for an array, or a copy of it."""
        arrays = self._arrays()
        if not arrays:
            return False
        text = self.random.choice(("{}", "{}", "{}.copy()", "np.asarray({})", "{}[:]", "{}[...]"))
        return self.sketch.attempt(
            f"{self.sketch.fresh('w')} = {text.format(self.random.choice(arrays))}"
        )

    def view(self) -> bool:
        """A name for a part of an array, and mostly a write through it."""
        arrays = self._arrays()
        if not arrays:
            return False
        name = self.random.choice(arrays)
        views = [
            "{}[1:]",
            "{}[:-1]",
            "{}[::-1]",
            "{}[::2]",
            "{}[0:2]",
            "{}.T",
            "{}.reshape(-1)",
            "{}[...]",
        ]
        if np.ndim(self.sketch.scope[name]) > 1:
            views += [
                "{}[0]",
                "{}[-1]",
                "{}[:, 0]",
                "{}[:, ::-1]",
                "{}.ravel()",
                "{}[1:, 1:]",
                "{}[:, 1]",
                "np.transpose({})",
                "{}[:, None]",
            ]
        view = self.sketch.fresh("w")
        if not self.sketch.attempt(f"{view} = {self.random.choice(views).format(name)}"):
            return False
        if self.random.random() < 0.8:
            self._write_to(view)
        return True

    def write(self) -> bool:
        """``a[i] = expression`` or ``a[i] += expression``."""
        arrays = self._arrays()
        return bool(arrays) and self._write_to(self.random.choice(arrays))

    def _write_to(self, name: str) -> bool:
        for _ in range(4):
            key = self.make.index(name)
            try:
                shape = np.shape(self.make.value(f"{name}[{key}]"))
            except RejectedError:
                continue
            text = self.make.fitting(shape, self._depth())
            place = f"{name}[{key}]"
            line = (
                f"{place} = {text}"
                if self.random.random() < 0.6
                else f"{place} {self._augmented(text)}"
            )
            if self.sketch.attempt(line):
                return True
        return False

    def swap(self) -> bool:
        """Two names, two elements or two rows change places."""
        arrays = self._arrays()
        if not arrays:
            return False
        a, b = self.random.choice(arrays), self.random.choice(arrays)
        if np.shape(self.sketch.scope[a]) != np.shape(self.sketch.scope[b]) or a == b:
            line = self.random.choice(
                (
                    "{a}[0], {a}[-1] = {a}[-1] * 1.0, {a}[0] * 1.0",
                    "{a}[[0, -1]] = {a}[[-1, 0]]",
                    "{a}[::-1] = {a}.copy()",
                )
            )
        else:
            line = self.random.choice(
                (
                    "{a}, {b} = {b}, {a}",
                    "{a}[:], {b}[:] = {b} * 1.0, {a} * 1.0",
                    "{a}[0], {b}[-1] = {b}[-1], {a}[0]",
                    "{a}[1:] = {b}[:-1]",
                )
            )
        return self.sketch.attempt(line.format(a=a, b=b))

    def out(self) -> bool:
        """A function with ``out=``."""
        arrays = self._arrays()
        if not arrays:
            return False
        name = self.random.choice(arrays)
        shape = np.shape(self.sketch.scope[name])
        a, b = self.make.fitting(shape, 1), self.make.fitting(shape, 1)
        line = self.random.choice(
            (
                "np.multiply({a}, {b}, out={n})",
                "np.add({a}, {b}, out={n})",
                "np.sin({a}, out={n})",
                "np.maximum({n}, {a}, out={n})",
                "np.add({n}, {a}, {n})",
            )
        )
        return self.sketch.attempt(line.format(a=a, b=b, n=name))

    def written_by_a_call(self) -> bool:
        """A function or a method that writes into an array."""
        arrays = self._arrays()
        if not arrays:
            return False
        name = self.random.choice(arrays)
        value = self.make.fitting(np.shape(self.sketch.scope[name]), 1)
        line = self.random.choice(surface.WRITES)
        return self.sketch.attempt(line.format(n=name, a=value, s=self.make.scalar(1)))

    def gather(self) -> bool:
        """Repeated indices, read and accumulated."""
        arrays = self._arrays()
        if not arrays:
            return False
        name = self.random.choice(arrays)
        size = len(self.sketch.scope[name])
        index = [self.random.randrange(-size, size) for _ in range(self.random.randrange(2, 5))]
        lines = self.random.choice(
            (
                (f"{name}[{index}] += {self.make.scalar(2)}",),
                (f"{self.sketch.fresh('g')} = {name}[{index}]",),
                (f"{self.sketch.fresh('g')} = {name}[np.array({index})] * {self.make.scalar(1)}",),
                (f"{self.sketch.fresh('g')} = {name}[np.argsort({name}, axis=0)]",),
                (f"{self.sketch.fresh('g')} = {name}[np.argmax({name}[0])]",),
                (
                    f"m = {name} > {round(self.random.uniform(-0.3, 0.8), 2)}",
                    f"{name}[m] = {name}[m] ** 2 * 0.3",
                ),
            )
        )
        return self.sketch.attempt(*lines)

    # --- lists

    def grow_list(self) -> bool:
        """A list to which a loop appends."""
        name, turn = self.sketch.fresh("items"), self.sketch.fresh("k")
        start = self.random.choice(("[]", f"[{self.make.scalar(1)}]"))
        mark = self.sketch.mark()
        count = self.random.choice(("3", "4", "2", self._length()))
        if not self.sketch.attempt(f"{name} = {start}"):
            return False
        if not self._opened(f"for {turn} in range({count}):"):
            return False
        if self.random.random() < 0.4:
            self.fill(1)
        element = (
            self.make.scalar(2)
            if "[]" not in start or self.random.random() < 0.7
            else self.make.any(2)
        )
        add = self.random.choice(
            (
                f"{name}.append({element})",
                f"{name} += [{element}]",
                f"{name}.append({element})",
                f"{name} = {name} + [{element}]",
                f"{name}.extend([{element}, {element}])",
            )
        )
        if not self.sketch.attempt(add):
            self.sketch.restore(mark)
            return False
        return self._closed(mark)

    def edit_list(self) -> bool:
        """Another change of a list, or a value taken out of it."""
        names = self._free(lambda value: isinstance(value, list) and len(value) > 1)
        if not names:
            return False
        name = self.random.choice(names)
        line = self.random.choice(
            (
                "{n}.append({x})",
                "{v} = {n}.pop()",
                "{n}[0] = {x}",
                "{n}[-1] *= {x}",
                "{n}.insert(1, {x})",
                "{v} = np.array({n})",
                "{v} = {n}[1:]",
                "{v} = [t * 2.0 for t in {n}]",
                "{v} = {n} + [{x}]",
                "{n}.reverse()",
                "{v} = sum({n}) * {x}",
            )
        )
        return self.sketch.attempt(
            line.format(n=name, x=self.make.scalar(1), v=self.sketch.fresh("z"))
        )

    # --- blocks

    def _opened(self, *lines: str) -> bool:
        if self.sketch.depth > _MOST_DEPTH or not self.sketch.attempt(*lines, deeper=1):
            return False
        self.in_loop += 1
        return True

    def _closed(self, mark: Mark) -> bool:
        self.in_loop -= 1
        self.sketch.protected = set(mark[3])
        return self._continued(mark)

    def _continued(self, mark: Mark) -> bool:
        """Go on behind a block; names that are only made inside are mostly not used any more."""
        self.sketch.depth = mark[1]
        if not self.sketch.attempt():
            return False
        if self.random.random() < self.forgets:
            self.sketch.scope = {n: v for n, v in self.sketch.scope.items() if n in mark[2]}
        return True

    def _length(self) -> str:
        arrays = self.make.names(lambda value: is_float(value) and np.ndim(value) > 0)
        integers = [n for n in self.sketch.arguments if type(self.sketch.arguments[n]) is int]
        choices = [f"len({name})" for name in arrays] + [f"{name}.shape[0]" for name in arrays]
        return self.random.choice(choices + integers * 2 or ["3"])

    def _range(self) -> str:
        count = self.random.choice((self._length(), "2", "3", "4"))
        return self.random.choice(
            (
                "range({})",
                "range({})",
                "range(1, {})",
                "range({} - 1)",
                "range({} - 1, -1, -1)",
                "range(0, {}, 2)",
                "reversed(range({}))",
                "range(1, {} - 1)",
            )
        ).format(count)

    def for_range(self) -> bool:
        """A loop over integers, in half of the cases over the elements of an array."""
        turn, mark = self.sketch.fresh("i"), self.sketch.mark()
        if not self._opened(f"for {turn} in {self._range()}:"):
            return False
        self.sketch.protected.add(turn)
        if not self.fill(self.random.randrange(1, 4)):
            self.in_loop -= 1
            return False
        return self._closed(mark)

    def for_each(self) -> bool:
        """A loop over rows, elements, pairs, lists."""
        arrays = self._arrays() or [f"[{self.make.scalar(1)}, {self.make.scalar(1)}]"]
        lists = self._free(lambda value: isinstance(value, list) and bool(value))
        a = self.random.choice(arrays + lists)
        b = self.random.choice(arrays + lists)
        t, s, k = self.sketch.fresh("t"), self.sketch.fresh("t"), self.sketch.fresh("k")
        names, over = self.random.choice(
            (
                (f"{t}", a),
                (f"{t}", f"{a}[::-1]"),
                (f"{k}, {t}", f"enumerate({a})"),
                (f"{t}, {s}", f"zip({a}, {b})"),
                (f"{t}", f"reversed({a})"),
                (f"{t}", f"({self.make.scalar(1)}, 0.5)"),
                (f"{k}, ({t}, {s})", f"enumerate(zip({a}, {b}))"),
                (f"{t}", f"[{a}, {b}]"),
                (f"{t}", f"[0.5, {self.make.scalar(1)}, -0.2]"),
            )
        )
        mark = self.sketch.mark()
        if not self._opened(f"for {names} in {over}:"):
            return False
        self.sketch.protected |= {a, b}
        if not self.fill(self.random.randrange(1, 4)):
            self.in_loop -= 1
            return False
        return self._closed(mark)

    def while_loop(self) -> bool:
        """A loop that ends by a counter and a condition, or by a number that shrinks."""
        mark = self.sketch.mark()
        if self.random.random() < 0.6:
            turn = self.sketch.fresh("k")
            scalars = self._free(is_number)
            extra = (
                f" and {self.random.choice(scalars)} < {self.random.choice((1, 2.5, 8))}"
                if scalars
                else ""
            )
            if not self.sketch.attempt(f"{turn} = 0"):
                return False
            lines = (f"while {turn} < {self.random.choice((2, 3, 4))}{extra}:", f"    {turn} += 1")
        else:
            turn = self.sketch.fresh("e")
            if not self.sketch.attempt(f"{turn} = 1.0 + ({self.make.scalar(1)}) ** 2"):
                return False
            factor = self.random.choice(("0.5", "0.6", f"np.cos({turn}) ** 2 * 0.8"))
            lines = (f"while {turn} > 0.3:", f"    {turn} = {turn} * {factor}")
        if not self._opened(*lines):
            return False
        self.sketch.protected.add(turn)
        if not self.fill(self.random.randrange(1, 4)):
            self.in_loop -= 1
            return False
        return self._closed(mark)

    def branch(self) -> bool:
        """``if``, at times ``elif`` and ``else``; each arm is tried with its condition forced."""
        if self.sketch.depth > _MOST_DEPTH:
            return False
        mark = self.sketch.mark()
        condition = self.make.condition()
        heads = [(len(self.sketch.lines), "if True:", f"if {condition}:")]
        if not self._arm("if True:"):
            return False
        self.sketch.scope = mark[2]
        for word, condition in self._further_arms():
            if word == "elif":
                self._force(heads, taken=False)
                heads.append((len(self.sketch.lines), "elif True:", f"elif {condition}:"))
                done = self._arm("elif True:", mark)
            else:
                self._force(heads, taken=False)
                done = self._arm("else:", mark)
            if not done:
                return False
        for at, _, head in heads:
            indent = "    " * mark[1]
            self.sketch.lines[at] = indent + head
        return self._continued(mark)

    def _further_arms(self) -> Sequence[tuple[str, str]]:
        arms = []
        if self.random.random() < 0.2:
            arms.append(("elif", self.make.condition(1)))
        if self.random.random() < 0.7:
            arms.append(("else", ""))
        return arms

    def _force(self, heads: list[tuple[int, str, str]], taken: bool) -> None:
        for at, forced, _ in heads:
            indent = "    " * self.sketch.depth
            word = forced.split()[0]
            self.sketch.lines[at] = f"{indent}{word} {taken}:"

    def _arm(self, head: str, before: Mark | None = None) -> bool:
        if before is not None:
            self.sketch.scope = before[2]
        depth = self.sketch.depth
        if not self.sketch.attempt(head, deeper=1):
            return False
        self.in_branch += 1
        added = self.fill(self.random.randrange(1, 3))
        self.in_branch -= 1
        if not added and not self.sketch.attempt("pass"):
            return False
        self.sketch.depth = depth
        return True

    def select_name(self) -> bool:
        """A name that means one of two arrays, by a condition, and is read."""
        arrays = self._arrays()
        pairs = [
            (a, b)
            for a in arrays
            for b in arrays
            if a != b and np.shape(self.sketch.scope[a]) == np.shape(self.sketch.scope[b])
        ]
        if not pairs:
            return False
        a, b = self.random.choice(pairs)
        name = self.sketch.fresh("c")
        return self.sketch.attempt(f"{name} = {a} if {self.make.condition()} else {b}")

    def jump(self) -> bool:
        """``break`` or ``continue`` under a condition."""
        if not self.in_loop:
            return False
        word = self.random.choice(("break", "continue"))
        return self.sketch.attempt(f"if {self.make.condition()}:", f"    {word}")

    def early_return(self) -> bool:
        """``return`` under a condition that does not hold for the first arguments."""
        condition = self.make.condition()
        if self.make.value(condition):
            condition = f"not ({condition})"
        return self.sketch.attempt(f"if {condition}:", f"    return np.sum({self.make.scalar(2)})")

    # --- functions

    def local_function(self) -> bool:
        """A closure or a lambda."""
        name = self.sketch.fresh("local")
        scope = {**self.sketch.scope, "t": self.random.uniform(0.2, 1.0)}
        body = Expressions(self.random, scope, self.sketch.namespace).any(2)
        if "t" not in body:
            body = f"t * ({body})"
        lines = self.random.choice(
            (
                (f"{name} = lambda t: {body}",),
                (f"def {name}(t):", f"    return {body}"),
                (f"def {name}(t, c=0.5):", "    t = t * c", f"    return {body}"),
                (
                    f"def {name}(t):",
                    "    if np.sum(t) > 0.4:",
                    f"        return {body}",
                    f"    return 0.5 * ({body})",
                ),
            )
        )
        return self.sketch.attempt(*lines, f"{self._target()} = {name}({self.make.any(1)})")

    def mutating_call(self) -> bool:
        """A call of a function that changes its argument."""
        arrays = self._arrays()
        functions = [name for name in self.sketch.namespace if name.startswith("change")]
        if not arrays or not functions:
            return False
        place = self.random.choice(("{}", "{}", "{}[1:]", "{}.T", "{}[0]")).format(
            self.random.choice(arrays)
        )
        call = f"{self.random.choice(functions)}({place}, {self.make.any(1)})"
        return self.sketch.attempt(
            call if self.random.random() < 0.7 else f"{self._target()} = {call}"
        )
