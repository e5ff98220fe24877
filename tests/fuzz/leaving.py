"""Statements that leave and go on: exceptions, managers, generators, patterns, containers, calls.

Every program has functions and classes of ``PARTS`` above it. A ``raise`` stands under a condition;
in half of the programs it holds for the first arguments. Generators are made, kept in lists, sent
to and closed while what they read changes; calls get one array twice, and change it.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.expressions import is_number
from tests.fuzz.sketch import Mark, RejectedError, Running
from tests.fuzz.statements import PROFILES
from tests.fuzz.structures import Structures

_COMMON = {
    "assign": 3,
    "augment": 2,
    "branch": 2,
    "for_range": 2,
    "for_each": 1,
    "while_loop": 1,
    "write": 3,
    "alias": 1,
    "hold": 1,
}
PROFILES |= {
    "exits": {**_COMMON, "guarded": 7, "managed": 4, "risky_call": 3, "jump": 1},
    "generators": {
        **_COMMON,
        "make_generator": 5,
        "local_generator": 2,
        "use_generator": 9,
        "for_generated": 4,
        "guarded": 1,
    },
    "containers": {**_COMMON, "contained": 10, "matched": 4, "make_object": 1, "use_object": 1},
    "callees": {**_COMMON, "aliased_call": 9, "closures": 4, "counter": 2, "risky_call": 1},
    "all": {
        **_COMMON,
        "guarded": 4,
        "managed": 2,
        "risky_call": 2,
        "make_generator": 2,
        "use_generator": 4,
        "for_generated": 2,
        "contained": 4,
        "matched": 2,
        "aliased_call": 4,
        "closures": 2,
        "make_object": 1,
        "use_object": 1,
    },
}
KINDS = ("exits", "generators", "containers", "callees", "all")

RAISED = ("ValueError", "KeyError", "Stopped", "ZeroDivisionError", "IndexError", "ArithmeticError")
CAUGHT = {
    "ValueError": ("ValueError", "Exception", "(KeyError, ValueError)"),
    "KeyError": ("KeyError", "LookupError"),
    "Stopped": ("Stopped", "ValueError", "(Stopped, ZeroDivisionError)"),
    "ZeroDivisionError": ("ZeroDivisionError", "ArithmeticError"),
    "IndexError": ("LookupError", "IndexError"),
    "ArithmeticError": ("ArithmeticError", "(ArithmeticError, OverflowError)", ""),
}

PARTS = """
from collections import ChainMap, OrderedDict, defaultdict, deque
from contextlib import ExitStack, contextmanager, suppress
from fractions import Fraction
from itertools import islice


class Stopped(ValueError):
    def __init__(self, value, k=0):
        super().__init__(value)
        self.value = value
        self.k = k


class Swallow:
    def __init__(self, level):
        self.level = level
        self.left = 0.0

    def __enter__(self):
        self.level = self.level * 0.5
        return self

    def __exit__(self, kind, error, trace):
        self.left = self.left + self.level
        return kind is not None and issubclass(kind, ValueError)


class Scratch:
    def __init__(self, a):
        self.a = a

    def __enter__(self):
        self.kept = self.a.copy()
        return self.a

    def __exit__(self, *told):
        self.a[...] = 0.5 * self.a + self.kept
        return False


@contextmanager
def raised_to(a, k):
    a += 0.1
    try:
        yield a * k
    except KeyError:
        a *= 0.5
    finally:
        a -= k


def risky(a, k):
    a[0] = a[0] * 0.5 + k
    if np.sum(a) > 0.7:
        raise Stopped(np.sum(a) * k, k=2)
    a[-1] += 0.3
    return k - a[0]


def looked_up(table, k):
    if k > 0.4:
        return table["high"] * k
    return table["low"] + k


def retried(a, k):
    total = 0.0
    for i in range(3):
        try:
            total = total + risky(a, k * (i + 0.2))
        except Stopped as stopped:
            total = total + 0.3 * stopped.value
            if i == 1:
                continue
        else:
            total = total * 0.9
        finally:
            total = total + 0.1 * a[0]
    return total


def powers(a, n):
    power = a * 0.5
    for _ in range(n):
        power = power * a * 0.7
        yield power


def halving(a):
    while np.sum(np.abs(a)) > 0.2:
        a = a * 0.5
        yield np.sum(a)


def averaged(start):
    total, count = start, 1
    while True:
        got = yield total / count
        if got is None:
            got = 0.1
        total, count = total + got, count + 1


def both(a, n):
    yield from powers(a, n)
    rest = yield np.sum(a)
    yield rest if rest is not None else 0.3


def elements(a):
    for k in range(len(a)):
        yield a[k] * (k + 1)


def closing(a, kept):
    try:
        for k in range(4):
            yield a * (k + 0.5)
    finally:
        kept.append(np.sum(a) * 0.3)


class Table(dict):
    def __missing__(self, key):
        self[key] = 0.25
        return 0.25


class Row(list):
    @property
    def total(self):
        return sum(self)


def shifted(a, b):
    a[1:] = b[:-1] * 0.5
    b[0] = a[-1] + 0.2
    return np.sum(a * b)


def collected(t, into=None):
    into = [] if into is None else into
    into.append(t)
    return sum(into) / len(into)


def folded(a, k):
    if k == 0 or np.sum(a) > 1.2:
        return np.sum(a) * 0.3
    a[0] = a[0] * 0.5 + 0.1 * k
    return folded(a, k - 1) + a[-1] * k


def swapped(a, b, scale=0.5):
    a, b = b, a
    a[0] = b[0] * scale
    b = b + a[0]
    return b


def either(a, b):
    chosen = a if np.sum(a) > np.sum(b) else b
    chosen[0] += 0.2
    return chosen


STATE = [0.0]


def noted(t):
    STATE[0] = STATE[0] * 0.5 + t
    return STATE[0]
"""

_GENERATORS = (
    "powers({x}, {n})",
    "powers({s}, 4)",
    "halving({x})",
    "averaged({s})",
    "both({s}, 2)",
    "elements({a})",
    "closing({s}, {kept})",
    "({x} * t for t in ({s}, 0.4, {s}))",
    "(t * k for k, t in enumerate({a}) if t > {c})",
    "iter([{s}, {s}, {s}])",
    "islice(powers({s}, 6), 1, 5)",
    "map(lambda t: t * {s}, {a})",
    "zip({a}, powers({s}, 3))",
)
_CONTAINED = (
    ("{h} = deque([{s}, {s}], maxlen=3)", "for {k} in range(4):",
     "    {h}.append({h}[0] * 0.5 + {k} * {s})", "{v} = sum({h})"),
    ("{h} = defaultdict(float)", "for {k} in range(5):", "    {h}[{k} % 2] += {s} * {k}",
     "{v} = {h}[0] * {h}[1]"),
    ("{h} = defaultdict(list)", "for {k} in range(5):", "    {h}[{k} % 2].append({s} * {k})",
     "{v} = sum({h}[1]) - {h}[0][1]"),
    ("{h} = Table(p={s})", "{h}['q'] += {s}", "{v} = {h}['p'] * {h}['q'] + {h}['r'] + len({h})"),
    ("{h} = Row([{s}, {s}])", "{h}.append({s})", "{h}[0] *= 0.5", "{v} = {h}.total"),
    ("{h} = sorted([({s}, 1.0), ({s}, 2.0), ({s}, 3.0)], key=lambda p: p[0])",
     "{v} = {h}[0][0] * {h}[0][1] + {h}[-1][0] * {h}[-1][1]"),
    ("{h} = sorted({a}, key=lambda t: -t * t)", "{v} = {h}[0] - 0.5 * {h}[-1]"),
    ("{h} = sorted([1, 1, 0, 2], key=lambda k: {a}[0] * k)", "{v} = {s} * {h}[0] + {h}[-1]"),
    ("{v} = max([{s}, {s}, {s}], key=lambda t: (t - {c}) ** 2)",),
    ("{v} = min({a}, key=abs) + max({s}, {s})",),
    ("{h} = OrderedDict(p={s}, q={s})", "{h}.move_to_end('p')",
     "{v} = next(iter({h}.values())) * 2.0 + {h}.popitem()[1]"),
    ("{h} = ChainMap({{'p': {s}}}, {{'p': 1.0, 'q': {s}}})", "{h}['q'] = {h}['q'] * {h}['p']",
     "{v} = {h}['q'] + {h}.parents['q']"),
    ("{v} = {s} * Fraction(1, 3)",),
    ("{v} = {s} * float(Fraction(3, 4) + 1)",),
    ("{v} = {a} - [0.5] * len({a})",),
    ("{v} = [{s}] * {a}",),
    ("{v} = {a}[0] * np.array([{s}, 1.0]) + [1, {s}]",),
    ("{h} = [{a}, {a} * {s}]", "{h}[0][0] = {s}", "{h}[1] += {h}[0]", "{v} = np.sum({h}[1])"),
    ("{h} = {{'p': {s}, 'q': {s}}}", "for {k} in list({h}):",
     "    if {h}[{k}] > {c}:", "        {h}.pop({k})", "{v} = sum({h}.values()) + len({h})"),
    ("{h} = [{s}, {s}, {s}]", "while len({h}) > 1 and {h}[-1] < {c}:", "    {h}.pop()",
     "{v} = sum({h}) * len({h})"),
    ("{h} = dict(zip('pqr', {a}))", "{v} = sum({h}[{k}] * 2.0 for {k} in sorted({h}))"),
    ("{h}, *{k} = {a}", "{v} = {h} * 2.0 + sum({k})"),
    ("{h} = [[{s}], []]", "{h}[{s} > {c}].append({s})", "{v} = sum(map(sum, {h}))"),
    ("{h} = np.array([1, 2, 3], 'int32')", "{h}[{s} > {c}] += 1", "{v} = {s} * {h}[0] / {h}[1]"),
    ("{h} = {a} > {c}", "{v} = {a}[{h}].sum() + {h}.sum() * {s}"),
    ("{h} = (np.array([200, 100], 'uint8') + np.uint8(100)) * {s}", "{v} = np.sum({h})"),
    ("{h} = any(t > {c} for t in {a})", "{v} = {s} if {h} else {s} * 0.5"),
    ("{h} = None", "for {k} in {a}:", "    if {h} is None or {k} > {h}:", "        {h} = {k}",
     "{v} = {h}"),
    ("{h} = {{}}", "for {k}, {g} in enumerate({a}):",
     "    {h}.setdefault(bool({g} > {c}), []).append({g} * {k})",
     "{v} = sum(sum({g}) * len({g}) for {g} in {h}.values())"),
)  # fmt: skip
_MATCHES = (
    ("match ({s}, {a}):", "    case (t, _) if t > {c}:", "        {v} = t * {s}",
     "    case (t, u):", "        {v} = t - u[0]"),
    ("match [{s}, {s}, 2]:", "    case [t, *_, 1]:", "        {v} = t",
     "    case [t, u, int()] if t < u:", "        {v} = t * u", "    case [t, *u]:",
     "        {v} = t + sum(u)"),
    ("match {{'kind': 'p', 'at': {s}}}:", "    case {{'kind': 'q', **rest}}:", "        {v} = 0.0",
     "    case {{'kind': 'p' | 'r', 'at': t}}:", "        {v} = t * 0.7"),
    ("match Stopped({s}, 3):", "    case Stopped(value=t, k=1 | 3) if t > {c}:",
     "        {v} = t * t", "    case Stopped(value=t) as e:", "        {v} = t + e.k"),
    ("match {s}:", "    case float(t) if t > {c}:", "        {v} = t * 2.0",
     "    case int() | float():", "        {v} = {s}", "    case _:", "        {v} = 0.2"),
)  # fmt: skip
_CALLS = (
    ("{v} = shifted({a}, {a})",),
    ("{v} = shifted({a}, {b})",),
    ("{v} = shifted({a}[:2], {a}[-2:])",),
    ("{v} = shifted({a}[::-1], {a})",),
    ("{v} = shifted({a}, {a}) * shifted({b}, {a})",),
    ("{h} = []", "{v} = collected({s}, {h}) + collected({s}, {h}) * len({h})"),
    ("{h} = [{s}]", "for {k} in range(3):", "    {v} = collected({s} * {k}, into={h})",
     "    {h}[0] += 0.2"),
    ("{v} = collected({s})",),
    ("{v} = folded({a}, 3)",),
    ("{v} = folded({a}, 2) + folded({a}[::-1], 2)",),
    ("{h} = swapped({a}, {b})", "{h}[0] = {s}", "{v} = np.sum({h})"),
    ("{h} = either({a}, {b})", "{h}[-1] *= 0.5", "{v} = np.sum({h}) + {a}[-1]"),
    ("{h} = either({a}, {a})", "{h}[0] = {s}", "{v} = np.sum({a})"),
    ("STATE[0] = {s}", "{v} = noted({s}) + noted({s}) * STATE[0]"),
    ("STATE[0] = {s}", "for {k} in range(3):", "    noted({s} * {k})", "{v} = STATE[0]"),
    ("{v} = max(map(collected, {a}))",),
    ("{v} = sum(swapped({a}, {b}, scale=t)[0] for t in (0.5, {s}))",),
)  # fmt: skip
_CLOSURES = (
    ("{h} = [lambda t, k=k: t * k + {s} for k in range(1, 4)]",
     "{v} = sum(f({s}) for f in {h})"),
    ("{h} = [lambda t: t * {s}, np.sin, lambda t: t + {a}[0]]", "{a}[0] = {s}", "{v} = {s}",
     "for {k} in {h}:", "    {v} = {k}({v})"),
    ("{h} = []", "for {k} in range(3):", "    {h}.append(lambda t: t * {k} + {s})",
     "{v} = {h}[0]({s}) * {h}[2](0.5)"),
    ("{h} = {{'p': lambda t: t ** 2, 'q': lambda t: {s} * t}}",
     "{v} = {h}['p' if {s} > {c} else 'q']({s})"),
    ("def {h}(t, into=[]):", "    into.append(t * 0.5)", "    return sum(into) * {s}",
     "{v} = {h}({s}) + {h}({s}) * {h}(0.5)"),
    ("def {h}(k):", "    def inner(t):", "        {a}[k] += t", "        return {a}[k] * {s}",
     "    return inner", "{v} = {h}(0)({s}) + {h}(-1)({s})"),
)  # fmt: skip


class Leaving(Structures):
    """Productions for one sketch, drawn by the weights of a profile."""

    # --- what templates are filled with

    def _filled(self, template: tuple[str, ...], name: str = "") -> list[str]:
        """The lines of a template; rejected where there is no array for it."""
        arrays = self._arrays()
        text = "\n".join(template)
        if not arrays and ("{a}" in text or "{b}" in text):
            raise RejectedError("no array")
        vectors = [a for a in arrays if self.sketch.scope[a].ndim == 1] or arrays
        names = {
            "{a}": self.random.choice(vectors) if vectors else "",
            "{b}": self.random.choice(vectors) if vectors else "",
            "{v}": self._target(),
            "{h}": name or self.sketch.fresh("h"),
            "{k}": self.sketch.fresh("k"),
            "{g}": self.sketch.fresh("g"),
            "{n}": self.random.choice(("2", "3")),
            "{kept}": self._kept(),
        }
        for mark, value in names.items():
            text = text.replace(mark, value)
        for mark, make in (("{s}", self.make.scalar), ("{x}", self.make.any)):
            while mark in text:
                text = text.replace(mark, self._operand(make), 1)
        while "{c}" in text:
            text = text.replace("{c}", f"{round(self.random.uniform(-0.5, 1.0), 2)}", 1)
        return text.replace("{{", "{").replace("}}", "}").split("\n")

    def _operand(self, make: Callable[[int], str]) -> str:
        text = make(1)
        return text if text.isidentifier() else f"({text})"

    def _kept(self) -> str:
        lists = self._free(lambda v: isinstance(v, list) and bool(v) and all(map(is_number, v)))
        return self.random.choice(lists) if lists else "[]"

    def _one_of(self, templates: tuple[tuple[str, ...], ...]) -> bool:
        return self.sketch.attempt(*self._filled(self.random.choice(templates)))

    # --- exceptions

    def guarded(self) -> bool:
        """``try``, with a ``raise`` under a condition in it, and arms behind it."""
        if self.sketch.depth > 3:
            return False
        mark = self.sketch.mark()
        raised = self.random.choice(RAISED)
        depth = self.sketch.depth
        if not self.sketch.attempt("try:", deeper=1, closing="finally:\n    pass"):
            return False
        self.in_branch += 1
        try:
            self.fill(self.random.randrange(0, 2))
            at = self._raise(raised)
            self.fill(self.random.randrange(1, 3))
            self.in_branch -= 1
            if not self._arms(mark, depth, raised):
                return False
        finally:
            self.in_branch = max(0, self.in_branch)
            self.sketch.closings = self.sketch.closings[: len(mark[4])]
        if at is not None and self.random.random() < 0.5:
            self._turned(at)
        return self._continued(mark)

    def _raise(self, raised: str) -> int | None:
        """``if ...: raise`` that is not taken at the first arguments; gives its line."""
        condition = self._false()
        value = self.make.scalar(1)
        at = len(self.sketch.lines)
        done = self.sketch.attempt(f"if {condition}:", f"    raise {raised}({value})")
        return at if done else None

    def _false(self) -> str:
        condition = self.make.condition()
        return f"not ({condition})" if self.make.value(condition) else condition

    def _turned(self, at: int) -> None:
        """The condition is turned where the program then runs too."""
        before = self.sketch.lines[at]
        indent, condition = before.split("if ", 1)
        turned = condition[:-1]
        turned = turned[5:-1] if turned.startswith("not (") else f"not ({turned})"
        self.sketch.lines[at] = f"{indent}if {turned}:"
        if not self.sketch.attempt():
            self.sketch.lines[at] = before

    def _arms(self, mark: Mark, depth: int, raised: str) -> bool:
        inside = "    " * (depth + 1)
        self.sketch.lines.append(f"{inside}raise {raised}(0.5)")
        forced = len(self.sketch.lines) - 1
        before = self.sketch.scope
        caught = self.random.choice(CAUGHT[raised])
        name = self.random.choice(("", "", " as error")) if caught else ""
        head = f"except {caught}{name}:" if caught else "except:"
        self.sketch.depth, self.sketch.scope = depth, mark[2]
        self.sketch.closings = self.sketch.closings[: len(mark[4])]
        if not self._arm_of(head, name):
            return False
        del self.sketch.lines[forced]
        self.sketch.scope = {n: v for n, v in before.items() if n in mark[2]}
        if self.random.random() < 0.3 and not self._arm_of("else:", ""):
            return False
        if self.random.random() < 0.35:
            self.sketch.depth = depth
            if not self._arm_of("finally:", ""):
                return False
        self.sketch.depth = depth
        return True

    def _arm_of(self, head: str, name: str) -> bool:
        depth = self.sketch.depth
        if not self.sketch.attempt(head, deeper=1):
            return False
        if name and self.random.random() < 0.7:
            self.sketch.attempt(f"{self._target()} = error.args[0] * {self.make.scalar(1)}")
        self.in_branch += 1
        added = self.fill(self.random.randrange(1, 3))
        self.in_branch -= 1
        if not added and not self.sketch.attempt("pass"):
            return False
        choice = self.random.random()
        if choice < 0.1 and self.in_loop:
            self.sketch.lines.append(
                "    " * (depth + 1) + self.random.choice(("break", "continue"))
            )
        elif choice < 0.17 and head != "finally:":
            text = f"return np.sum({self.make.scalar(1)})"
            self.sketch.lines.append("    " * (depth + 1) + f"if {self._false()}: {text}")
        self.sketch.depth = depth
        return True

    def risky_call(self) -> bool:
        """Functions that change what they are given and then raise, or do not."""
        return self._one_of(
            (
                ("try:", "    {v} = risky({a}, {s})", "except Stopped as e:",
                 "    {v} = e.value * {s} + e.k"),
                ("try:", "    {v} = looked_up({{'low': {s}}}, {s})", "except KeyError:",
                 "    {v} = {s}"),
                ("{v} = retried({a}, {s})",),
                ("try:", "    {v} = math.sqrt({s})", "except ValueError:", "    {v} = {s}"),
                ("try:", "    {v} = [{s}, {s}, 0.3][int({s} * 4)]", "except IndexError:",
                 "    {v} = {s}", "else:", "    {v} = {v} * 2.0"),
                ("try:", "    {a}[0] = {s}", "    {v} = 1.0 / int({s} > {c})",
                 "except ZeroDivisionError:", "    {v} = {a}[0] * {s}"),
                ("with suppress(ValueError):", "    {a}[0] *= {s}", "    risky({a}, {s})",
                 "    {a}[-1] = {s}", "{v} = np.sum({a})"),
            )
        )  # fmt: skip

    def managed(self) -> bool:
        """``with``, at times with a ``raise`` in it that the manager swallows."""
        if self.sketch.depth > 3:
            return False
        mark = self.sketch.mark()
        manager = self.random.choice(
            (
                ("with Swallow({s}) as {h}:", "Stopped"),
                ("with suppress(KeyError, Stopped):", "KeyError"),
                ("with raised_to({a}, {s}) as {h}:", "KeyError"),
                ("with Scratch({a}) as {h}:", ""),
                ("with Swallow({s}) as {h}, Scratch({a}):", "ValueError"),
                ("with Scratch({a}), Swallow({s}) as {h}:", "Stopped"),
                ("with ExitStack() as {h}:", ""),
            )
        )
        name = self.sketch.fresh("m")
        if not self.sketch.attempt(*self._filled((manager[0],), name), deeper=1):
            return False
        if "ExitStack" in manager[0]:
            self.sketch.attempt(*self._filled(("{h}.enter_context(Swallow({s}))",), name))
        self.in_branch += 1
        self.fill(self.random.randrange(1, 3))
        at = self._raise(manager[1]) if manager[1] else None
        self.fill(self.random.randrange(0, 3))
        self.in_branch -= 1
        if at is not None and self.random.random() < 0.5:
            self.sketch.depth = mark[1]
            self._turned(at)
        if not self._continued(mark):
            return False
        if "Swallow" in manager[0] and "suppress" not in manager[0]:
            self.sketch.attempt(f"{self._target()} = {name}.left * {self.make.scalar(1)}")
        return True

    # --- generators

    def _generators(self) -> list[str]:
        return self._free(lambda value: isinstance(value, Running))

    def _is_deep(self) -> bool:
        return bool(self.in_branch or self.in_loop) and self.random.random() < 0.75

    def make_generator(self) -> bool:
        """A generator under a name of its own, mostly where every path comes by."""
        if self._is_deep():
            return False
        text = self.random.choice(_GENERATORS)
        return self.sketch.attempt(*self._filled((f"{{h}} = {text}",), self.sketch.fresh("run")))

    def local_generator(self) -> bool:
        """A generator function that reads and changes what is around it."""
        lines = self.random.choice(
            (
                ("def {h}(t):", "    for k in range(3):", "        t = t * 0.5 + {s}",
                 "        yield t"),
                ("def {h}(t):", "    {a}[0] = t", "    yield {a}[-1] * {s}", "    {a}[0] += {s}",
                 "    yield {a}[0]"),
                ("def {h}(t):", "    try:", "        got = yield t",
                 "        yield {s} * (got or 0.3)", "    except Stopped as e:",
                 "        yield e.value", "    else:", "        {a}[0] *= 0.5"),
            )
        )  # fmt: skip
        name = self.sketch.fresh("local")
        run = self.sketch.fresh("run")
        ending = self.random.choice(
            (
                (f"{run} = {name}({{s}})", f"{{v}} = next({run})"),
                (f"{{v}} = sum(list({name}({{s}}))[:1])",),
                (f"{run} = {name}({{s}})", f"{{v}} = next({run})", f"{run}.close()"),
                (f"{run} = {name}({{s}})", f"next({run})", f"{{v}} = {run}.send({{s}})"),
            )
        )
        return self.sketch.attempt(*self._filled((*lines, *ending), name))

    def use_generator(self) -> bool:
        """``next``, ``send``, ``close``, ``throw``, what takes some or all."""
        running = self._generators()
        if self._is_deep():
            return False
        if not running:
            return self.make_generator()
        run, other = self.random.choice(running), self.random.choice(running)
        lines = self.random.choice(
            (
                ("{v} = next(RUN)",),
                ("{v} = next(RUN, {s})",),
                ("{v} = next(RUN, None)", "{v} = {s} if {v} is None else {v}"),
                ("{v} = RUN.send({s})",),
                ("{v} = sum(np.sum(t) for t in islice(RUN, 2))",),
                ("{v} = sum(np.sum(t) * np.sum(u) for t, u in zip(RUN, OTHER))",),
                ("RUN.close()", "{v} = {s}"),
                ("{a}[0] = {s}", "{v} = next(RUN)"),
                ("{a} *= {s}", "{v} = next(RUN, 0.5)"),
                ("for {k} in RUN:", "    {v} = np.sum({k}) * {s}", "    break"),
                ("for {k} in islice(RUN, 3):", "    {v} = np.sum({k}) + {s}",
                 "    if {v} > {c}:", "        continue", "    {v} = next(RUN, {s})"),
                ("{h} = [RUN, OTHER]", "{v} = sum(np.sum(next(t, {s})) for t in {h})"),
                ("try:", "    {v} = next(RUN)", "except StopIteration:", "    {v} = {s}"),
                ("try:", "    {v} = RUN.throw(Stopped({s}))", "except Stopped as e:",
                 "    {v} = e.value * 0.5"),
                ("if {s} > {c}:", "    {v} = next(RUN, 0.3)", "else:", "    {v} = {s}"),
                ("for {k} in range(2):", "    {v} = next(RUN, {s})"),
                ("{h} = Box(RUN, {s})", "{v} = next({h}.a, 0.1) * {h}.b"),
                ("{h} = list(islice(RUN, 2))", "{v} = np.sum({h}[-1]) if {h} else {s}"),
                ("RUN, OTHER = OTHER, RUN",),
                ("{v} = max((np.sum(t) for t in islice(RUN, 3)), default={s})",),
            )
        )  # fmt: skip
        filled = self._filled(lines)
        named = [line.replace("RUN", run).replace("OTHER", other) for line in filled]
        return self.sketch.attempt(*named)

    def for_generated(self) -> bool:
        """A loop over what a generator gives."""
        text = self.random.choice(_GENERATORS).replace("averaged({s})", "powers({s}, 3)")
        turn, mark = self.sketch.fresh("t"), self.sketch.mark()
        if not self._opened(*self._filled((f"for {turn} in {text}:",))):
            return False
        if not self.fill(self.random.randrange(1, 4)):
            self.in_loop -= 1
            return False
        return self._closed(mark)

    # --- data and calls

    def contained(self) -> bool:
        """A container of some kind is filled, changed and read."""
        return self._one_of(_CONTAINED)

    def matched(self) -> bool:
        """``match`` on numbers, sequences, mappings and objects."""
        return self._one_of(_MATCHES)

    def aliased_call(self) -> bool:
        """A call whose arguments may be one array, or parts of one, and which it changes."""
        return self._one_of(_CALLS)

    def closures(self) -> bool:
        """Functions in lists and dicts, made by functions, with defaults that change."""
        return self._one_of(_CLOSURES)
