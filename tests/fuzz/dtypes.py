"""Short straight-line programs of integers and bools of every width, and of any floats.

``generate`` writes the module for a seed: a function ``program`` of a few statements, whose
operands are near the limits of their dtypes, parameters, globals and literals. ``check`` compares
the value (every bit), the cotangents and the tangents with those of ``slopes``, which knows of
every number what its dtype makes of it, and is as exact as the program can be.

>>> generate(0) == generate(0)
True
"""

from __future__ import annotations

import ast
import math
import re
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import symdiff as sd
from tests.fuzz.check import Outcome, Timeout, copied, load, reported, same, time_limit
from tests.fuzz.slopes import Traced, UnknownError, lifted, mp, slopes

INTEGERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float64", "float64", "float64", "float32", ">f8", ">f4")
SCALES = {
    8: (1.0, 1.0, 1.0, 1.0, 1e-20, 1e20, 1e-150, 1e150, 3e-310),
    4: (1.0, 1.0, 1.0, 1e-20, 1e20, 1e-42),
}
LENGTH = 3
# By what is put in: x a float, v a vector of them; k an integer, u a vector of them; a either; s a
# small integer, t a scalar; i a vector of positions, p one in order; c a condition.
TEMPLATES = (
    *("{k} * {x}", "{x} * {k}", "{x} + {k}", "{x} - {k}", "{k} - {x}", "{x} / {k}", "{k} / {x}"),
    *("{k} * ({k} * {x})", "({k} * {x}) * {k}", "({k} * {k}) * {x}", "({k} + {k}) * {x}"),
    *("({k} - {k}) * {x}", "-({k} * {x})", "{x} * ({k} * {x})", "2 * ({k} * {x})"),
    *("({x} * {k}) * ({k} * {x})", "({x} / {k}) / {k}", "{k} * {x} / {k}", "{k} * -{x}"),
    *("{x} * {x}", "{x} + {x}", "{x} - {x}", "{x} / {x}", "{x} ** {s}", "np.power({x}, {s})"),
    *("{k} ** {x}", "np.power({k}, {x})", "np.float_power({k}, {x})", "np.float_power({x}, {s})"),
    *("np.arctan2({a}, {a})", "np.arctan2({x}, {k})", "np.hypot({a}, {a})", "np.hypot({x}, {k})"),
    *("np.maximum({x}, {k})", "np.minimum({a}, {a})", "np.fmax({a}, {a})", "np.fmin({k}, {x})"),
    *("np.logaddexp({x}, {k})", "np.logaddexp({a}, {a})", "np.clip({x}, {k}, {k})"),
    *("np.where({c}, {x}, {k})", "np.where({c}, {a}, {a})", "np.where({k}, {x}, {x})"),
    *("np.add({a}, {a})", "np.subtract({a}, {a})", "np.multiply({a}, {a})", "np.divide({a}, {a})"),
    *("np.ldexp({x}, {s})", "{c} * {x}", "np.abs({x}) * {k}", "np.negative({x} * {k})"),
    *("np.sum({x} * {k})", "np.sum({k} * ({k} * {x}))", "np.sum({x})", "np.mean({x} * {k})"),
    *("np.sum({k}) * {x}", "np.prod({k}) * {x}", "np.count_nonzero({k}) * {x}", "np.prod({v})"),
    *("np.cumsum({v} * {k})", "np.cumsum({v})", "np.diff({v}) * {k}", "np.flip({v}) * {k}"),
    *("np.dot({v}, {u})", "np.dot({u}, {v})", "np.dot({k}, {v})", "np.inner({v}, {u})"),
    *("np.einsum('i,i->', {v}, {u})", "np.einsum('i,i->i', {u}, {v})"),
    *("np.einsum('i,i,i->', {u}, {v}, {u})", "np.einsum('i,i,i->i', {u}, {v}, {v})"),
    *("np.roll({v}, {s})", "np.roll({v}, {t})", "np.take({v}, {i})", "{v}[{i}]", "{v}[{u} > 0]"),
    *("np.interp({x}, {p}, {v})", "np.interp({x}, {p}, {u})", "np.bincount({i}, {v})"),
    *(
        "np.concatenate([{v}, {u}])",
        "np.concatenate([{u}, {v}])",
        "{v}[{s}]",
        "np.linalg.norm({v})",
    ),
    *(
        "np.sin({x})",
        "np.exp({x})",
        "np.log(np.abs({x}))",
        "np.sqrt(np.abs({x}))",
        "np.arctan({x})",
    ),
    *("np.arcsinh({x})", "np.cbrt({x})", "np.square({x})", "np.reciprocal({x})", "np.abs({x})"),
    *("np.float32({x})", "np.float64({x})", "np.asarray({x}).astype(np.float32)"),
    *("special.xlogy({k}, {x})", "special.rel_entr({k}, {x})", "special.xlogy({x}, {k})"),
    *("special.rel_entr({x}, {k})",),
)
WHOLE = (
    "{k} + {k}",
    "{k} * {k}",
    "{k} - {k}",
    "{k} ** 2",
    "{k} // {k}",
    "np.maximum({k}, {k})",
    "-{k}",
)
WHOLE += ("np.sum({k})", "np.abs({k})", "{k} > {k}", "np.asarray({k}).astype(np.int8)")
_SLOT = re.compile(r"\{(\w)\}")


class _RejectedError(Exception):
    """The program is none: it raises, or has no float that is finite."""


def generate(seed: int) -> str:
    """The module for a seed."""
    random = Random(f"dtypes {seed}")
    while True:
        try:
            return _Writer(random, seed).text()
        except _RejectedError:
            continue


class _Writer:
    """A program that is run as it is written: a statement that fails, or overflows, is left out."""

    def __init__(self, random: Random, seed: int) -> None:
        self.random, self.seed = random, seed
        self.parameters: dict[str, str] = {}
        self.globals: dict[str, str] = {}
        self.values: dict[str, Any] = {}
        self.body: list[str] = []
        self.known: dict[str, Any] = {}
        exec("import numpy as np\nfrom scipy import special", self.known)

    def text(self) -> str:
        for _ in range(self.random.choice((1, 1, 2))):
            self.define(self.parameters, "x", self.a_float())
        for _ in range(self.random.choice((1, 2, 2, 3))):
            kind = self.random.choice((self.parameters, self.globals))
            self.define(kind, "k", self.an_integer())
        self.wrt = [k for k, name in enumerate(self.parameters) if name.startswith("x")]
        wanted = self.random.choice((1, 2, 2, 3, 4))
        for _ in range(30):
            if len(self.body) < wanted:
                self.statement()
        last = self.result()
        return "\n".join(
            [
                f'"""Seed {self.seed} of the programs of dtypes."""',
                "import numpy as np\nfrom scipy import special\n",
                *(f"{name} = {text}" for name, text in self.globals.items()),
                f"\n\ndef program({', '.join(self.parameters)}):",
                *(f"    {line}" for line in self.body),
                f"    return {last}\n\n",
                f"CASES = [[{', '.join(self.parameters.values())}]]",
                f"WRT = {tuple(self.wrt)}\n",
            ]
        )

    def define(self, place: dict[str, str], letter: str, text: str) -> None:
        name = f"{letter.upper() if place is self.globals else letter}{len(self.values)}"
        place[name] = text
        self.values[name] = eval(text, self.known)

    # What is put in

    def a_float(self) -> str:
        dtype = self.random.choice(FLOATS)
        scale = self.random.choice(SCALES[np.dtype(dtype).itemsize])
        form = self.random.choice(("array", "array", "array", "scalar", "number"))
        numbers = [self.random.uniform(-3.0, 3.0) * scale for _ in range(LENGTH)]
        if form == "array":
            return f"np.array({np.array(numbers, dtype).tolist()}, {dtype!r})"
        if form == "number":
            return repr(numbers[0])
        return f"np.{np.dtype(dtype).name}({float(np.dtype(dtype).type(numbers[0]))!r})"

    def an_integer(self, form: str = "") -> str:
        dtype = self.random.choice(INTEGERS)
        form = form or self.random.choice(("array", "array", "scalar", "scalar", "number"))
        if form == "array":
            return f"np.array({[self.whole(dtype) for _ in range(LENGTH)]}, {dtype!r})"
        number = self.whole(dtype)
        return repr(number) if form == "number" else f"np.{dtype}({number})"

    def whole(self, dtype: str) -> Any:
        if dtype == "bool":
            return self.random.random() < 0.6
        limits = np.iinfo(dtype)
        low, high = int(limits.min), int(limits.max)
        root = math.isqrt(high)
        near = (high, high - 1, low, low + 1, high // 2, high // 2 + 1, root, root + 1, high // 3)
        small = (0, 1, 2, 3, 5, max(-1, low), max(-2, low))
        return self.random.choice(near if self.random.random() < 0.6 else small)

    def slot(self, letter: str) -> str:
        if letter == "a":
            letter = self.random.choice("xk")
        if letter == "s":
            number = self.random.choice((0, 1, 2, 2, 3))
            dtype = self.random.choice(INTEGERS[1:])
            return self.random.choice((str(number), f"np.{dtype}({number})"))
        if letter == "t":
            return self.an_integer("scalar")
        if letter == "i":
            dtype = self.random.choice(INTEGERS)
            places = [self.random.randrange(LENGTH) for _ in range(LENGTH)]
            numbers = [bool(p % 2) for p in places] if dtype == "bool" else places
            return f"np.array({numbers}, {dtype!r})"
        if letter == "p":
            dtype = self.random.choice(INTEGERS[1:])
            return f"np.array({sorted(self.whole(dtype) for _ in range(LENGTH))}, {dtype!r})"
        if letter == "c":
            return f"({self.slot('k')} > {self.slot('k')})"
        if letter == "k" and self.random.random() < 0.25:
            return self.an_integer("scalar")
        names = [name for name, value in self.values.items() if _fits(letter, value)]
        if not names:
            if letter in "ku":
                return self.an_integer("array" if letter == "u" else "")
            raise _RejectedError
        recent = names[-2:] if self.random.random() < 0.6 else names
        return self.random.choice(recent)

    # Statements

    def statement(self) -> None:
        whole = self.random.random() < 0.12
        template = self.random.choice(WHOLE if whole else TEMPLATES)
        try:
            text = _SLOT.sub(lambda m: self.slot(m.group(1)), template)
            value = self.run(text)
        except _RejectedError:
            return
        if whole == (np.asarray(value).dtype.kind == "f"):
            return
        name = f"{'n' if whole else 'v'}{len(self.values)}"
        self.values[name] = value
        self.body.append(f"{name} = {text}")

    def run(self, text: str) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                value = eval(text, {**self.known, **self.values})
            except Exception:
                raise _RejectedError from None
        found = np.asarray(value)
        if found.dtype.kind not in "biuf" or found.ndim > 1 or not np.all(np.isfinite(found)):
            raise _RejectedError
        return value

    def result(self) -> str:
        last = next((name for name in reversed(self.values) if name.startswith("v")), None)
        if last is None:
            raise _RejectedError
        summed = np.ndim(self.values[last]) and self.random.random() < 0.5
        text = f"np.sum({last})" if summed else last
        if np.asarray(self.run(text)).dtype.kind != "f":
            raise _RejectedError
        return text


def _fits(letter: str, value: Any) -> bool:
    found = np.asarray(value)
    wanted = "f" if letter in "xv" else "biu"
    return found.dtype.kind in wanted and (letter in "xk" or found.shape == (LENGTH,))


# Checking -----------------------------------------------------------------------------------------

TIMES = 1e4  # how many units of rounding a program of a few statements may be off
FEW = 0.01  # what that is to be of, or nothing is told


def check(text: str, *, folder: Path | None = None, limit: float = 60.0) -> Outcome:
    """The outcome for a module's text, in value and both modes."""
    with tempfile.TemporaryDirectory() as made:
        path = (folder or Path(made)) / f"program_{next(_counter)}.py"
        try:
            with time_limit(limit, busy=True), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return _check(load(text, path), text)
        except Timeout:
            return Outcome("crashed", "any", f"still running after {limit} s")
        finally:
            sys.modules.pop(path.stem, None)


_counter = iter(range(10**9))


def _check(module: Any, text: str) -> Outcome:
    (case,) = module.CASES
    try:
        expected = slopes(text, vars(module), case, module.WRT)
    except (UnknownError, ZeroDivisionError):
        return Outcome("unsure", "any", "a derivative that is infinite, or none")
    if expected.slopes is None:
        return Outcome("unsure", "any", "a result without derivatives")
    run = _Run(module, case, expected, _precision(text, module, case))
    found: list[Outcome] = []
    for stage in (run.reverse, run.forward):
        with reported(stage.__name__, found):
            found += stage()
    return found[0] if found else Outcome("right", "slopes")


class _Run:
    """The checks of one program."""

    def __init__(
        self, module: Any, case: Sequence[Any], expected: Traced, precision: tuple[bool, float]
    ) -> None:
        self.program, self.wrt, self.case, self.expected = (
            module.program,
            module.WRT,
            case,
            expected,
        )
        single, digits = precision
        self.limits = np.finfo(np.float32 if single else np.float64)
        self.bound = TIMES * max(float(self.limits.eps), digits)

    def reverse(self) -> list[Outcome]:
        """The cotangents, of their operands' dtypes and shapes."""
        given = copied(self.case)
        value, pullback = sd.vjp(self.program, *given)
        if not self.is_faithful(value, given):
            return [Outcome("wrong", "reverse", "another value", f"{value!r}")]
        weights = _direction(value, 1)
        gradients = [pullback(weights)[k] for k in self.wrt]
        if not all(map(_alike, gradients, (self.case[k] for k in self.wrt))):
            return [Outcome("wrong", "reverse", "a cotangent of another dtype or shape")]
        found = np.concatenate([np.ravel(np.asarray(one, float)) for one in gradients])
        w = np.asarray(lifted(np.asarray(weights)), object)[..., None]
        first = tuple(range(np.ndim(value)))
        wanted = (w * self.expected.slopes).sum(axis=first)
        return self.compared("reverse", found, wanted, (abs(w) * self.expected.sizes).sum(first))

    def forward(self) -> list[Outcome]:
        """The tangent, of the result's dtype and shape."""
        given = copied(self.case)
        along = [_direction(x, 7 + k) if k in self.wrt else None for k, x in enumerate(self.case)]
        value, tangent = sd.jvp(self.program, tuple(given), tuple(along))
        if not self.is_faithful(value, given):
            return [Outcome("wrong", "forward", "another value", f"{value!r}")]
        if not _alike(tangent, value):
            return [Outcome("wrong", "forward", "a tangent of another dtype or shape")]
        v = lifted(np.concatenate([np.ravel(np.asarray(along[k], float)) for k in self.wrt]))
        wanted, sizes = (
            a @ b for a, b in ((self.expected.slopes, v), (self.expected.sizes, abs(v)))
        )
        return self.compared("forward", np.asarray(tangent, float), wanted, sizes)

    def is_faithful(self, value: Any, given: Sequence[Any]) -> bool:
        """The function's own bits, and arguments as they were.

        Elementary functions of numbers alone may be those of ``math``: 2 units in the last place.
        """
        if not same(list(given), list(self.case)):
            return False
        expected = self.program(*copied(self.case))
        if same(value, expected):
            return True
        near = np.abs(np.subtract(value, expected)) <= 2 * np.spacing(np.abs(expected))
        return not any(np.ndim(x) for x in self.case) and type(value) is type(expected) and near

    def compared(self, stage: str, found: Any, wanted: Any, sizes: Any) -> list[Outcome]:
        """Within rounding; where products of partials leave what floats hold, nothing is known."""
        top = float(np.log10(self.limits.max)) - 2
        flat = (np.ravel(np.asarray(part, object)) for part in (found, wanted, sizes))
        for one, exact, size in zip(*flat, strict=True):
            near = self.bound * size + 1e4 * float(self.limits.tiny)
            if math.isfinite(one) and abs(mp.mpf(float(one)) - exact) <= near:
                continue
            beyond = self.expected.up > top or self.expected.down < 4 - top
            if beyond or (size and mp.log10(size) > top):
                return [Outcome("unsure", stage, "beyond what floats hold")]
            if self.bound > FEW:
                return [Outcome("unsure", stage, "operands have few digits")]
            details = f"{found!r}\nexpected {[mp.nstr(x, 17) for x in np.ravel(wanted)]}"
            return [Outcome("wrong", stage, "another derivative", details)]
        return []


def _alike(derivative: Any, of: Any) -> bool:
    found, wanted = np.asarray(derivative), np.asarray(of)
    return found.dtype == wanted.dtype and found.shape == wanted.shape


def _direction(value: Any, seed: int) -> Any:
    random = np.random.default_rng(seed)
    drawn = random.uniform(0.5, 1.5, np.shape(value)) * random.choice([-1.0, 1.0], np.shape(value))
    dtype = np.asarray(value).dtype
    if isinstance(value, np.ndarray):
        return drawn.astype(dtype)
    return drawn.astype(dtype)[()] if isinstance(value, np.generic) else float(drawn)


def _precision(text: str, module: Any, case: Sequence[Any]) -> tuple[bool, float]:
    """Whether some float is of single precision, and how much of a number its last digit can be."""
    names = module.program.__code__.co_varnames
    known = {**vars(module), **dict(zip(names, case, strict=False))}
    program = next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    for statement in program.body[:-1]:
        exec(ast.unparse(statement), known)
    single, digits = False, 0.0
    for array in (np.asarray(known[name]) for name in names):
        if array.dtype.kind != "f":
            continue
        single |= array.dtype.itemsize < 8
        numbers = np.abs(array[array != 0]).astype(array.dtype.newbyteorder("="))
        digits = max(digits, float(np.max(np.spacing(numbers) / numbers, initial=0.0)))
    return single, digits
