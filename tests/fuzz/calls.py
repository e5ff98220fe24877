"""Random calls of everything that is registered, each as the text of a module.

``names()`` has every function, method, attribute and writing function of the registry of ops;
``draw`` makes a call of one that NumPy (or Python) does not refuse: operands of several ranks,
sizes, dtypes and layouts, keywords that its lowering names, ``out=``, a result that is written to.
A module as ``generate`` writes it leaves, and ``check_call`` compares all of it: value, warnings,
what becomes of the arguments, both modes and order two. Equal seeds give equal text.

>>> draw("np.sin", 0) == draw("np.sin", 0)
True
"""

from __future__ import annotations

import cmath
import inspect
import math
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from symdiff.definitions import DEFINITIONS
from symdiff.definitions.libraries import import_all
from symdiff.ops.arguments import documented
from symdiff.ops.declare import ATTRIBUTES, FUNCTIONS, METHODS, WRITES
from symdiff.ops.table import spelled
from tests.fuzz import check
from tests.fuzz.analytic import LARGEST_STEP, Reference
from tests.fuzz.check import Outcome

TRIES = 400
LIBRARIES: dict[str, Any] = {"np": np, "math": math, "cmath": cmath}
IMPORTS = "import cmath\nimport math\n\nimport numpy as np\n"
if find_spec("scipy"):
    import_all()  # what is defined for libraries is registered when they are imported
    import scipy

    LIBRARIES["scipy"] = scipy
    IMPORTS += "import scipy\n"
RANGES = ((0.1, 0.9), (-2.0, 2.0), (1.1, 3.0))
SIZES = (
    {"n": 3, "m": 2, "k": 2},
    {"n": 2, "m": 4, "k": 1},
    {"n": 1, "m": 3, "k": 2},
    {"n": 3, "m": 0, "k": 0},
    {"n": 0, "m": 2, "k": 2},
)
WITH_ELEMENTS = (
    3  # of these sizes; NumPy passes over values without elements that are to be written
)
MOST_CASES = 3  # whose derivatives are compared
SHAPES: tuple[tuple[Any, ...], ...] = (
    *[(), ("n",), ("n",), ("m", "n")] * 2,
    *[("n",), ("n", "n"), ("m", 1), (1, "n"), (1,), ("k", "n", "n")],
)
# How an argument is made of its elements, and how it is written where it is used.
LAYOUTS = (
    *["np.array({})"] * 4,
    "np.asfortranarray(np.array({}))",
    "np.array({})[::-1]",
    "np.repeat(np.array({}), 2, axis=-1)[..., ::2]",
    "np.array({}, dtype=np.float32)",
    "(np.array({}) * 4).astype(int)",
    "np.frombuffer(np.array({0}).tobytes()).reshape(np.shape({0}))",  # cannot be written
)
NUMBERS = ("{}", "{}", "np.float64({})", "np.float32({})", "np.array({})", "int(4 * {})")
USES = (
    *["{}"] * 5,
    *("{}[::-1]", "{}.T", "({} * (0.6 + 0.8j))", "{}.astype(np.float32)", "{}[0]"),
)
CONSTANTS = (
    *("2", "0.7", "True", "1.5j", "np.float32(0.7)", "np.int32(2)", "np.arange(3)"),
    *("np.array([True, False, True])", "np.array([1, 2, 3], np.int8)"),
)

OPERAND = "{x}"
_SEVERAL = ("[{x}, {x}]", "({x}, {x}, {x})", "[{x}]", "[{x}, 0.5]", OPERAND)
_AXES = ("0", "-1", "1", "None", "(0, 1)", "(0,)", "(-1, 0)", "()")
_INDICES = ("[0, 0, 1]", "1", "np.array([1, 0])", "[[0, 1], [1, 1]]", "-1")
_ORDERS = ("None", "2", "1", "np.inf", "-np.inf", "'fro'", "3", "0", "'nuc'", "-1")
_SUBSCRIPTS = (
    *("'ij,ij->i'", "'ij,jk'", "'ii'", "'i,j->ij'", "'...i,...i->...'", "'i->'", "'ij->ji'"),
    *("'ij,j'", "'i,i'", "'ij,ij'", "'i,i,i->i'"),
)
# What is given for the parameters of lowerings; others are operands, or left out if they may be.
ARGUMENTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("arrays", "tup"), _SEVERAL),
    **dict.fromkeys(("seq", "iterable"), ("[{x}, {x}]",)),
    **dict.fromkeys(("indices", "ind", "obj"), _INDICES),
    **dict.fromkeys(("keepdims", "returned", "increasing", "include_initial"), ("True",)),
    **dict.fromkeys(("upper", "sparse", "retstep", "optimize", "deg", "wrap"), ("True",)),
    **dict.fromkeys(("axisa", "axisb", "axisc"), ("0",)),
    "axis": _AXES,
    "dtype": ("np.float32", "float", "'f4'", "int", "complex", "np.float64"),
    "where": ("{x} > 0.5", "np.array([True, False, True])"),
    "initial": ("0.7", "2"),
    "ddof": ("1", "0", "0.5"),
    "correction": ("1",),
    "decimals": ("1", "2", "-1"),
    "ndigits": ("1", "0", "None"),
    "k": ("1", "-1", "0"),
    "offset": ("1", "-1"),
    "n": ("2", "3", "0"),
    "order": ("'C'", "'F'"),
    "shape": ("(3, -1)", "-1", "(2, 3)", "3", "({x}).shape", "(2, ({x}).shape[0])", "()"),
    "dimensions": ("(2, ({x}).shape[0])",),
    "shift": ("1", "-1", "(1, 2)"),
    "repeats": ("2", "[1, 2, 0]"),
    "reps": ("2", "(2, 1)"),
    "axes": ("(1, 0)", "1", "0", "([0], [0])"),
    "axis1": ("1", "-1"),
    "axis2": ("0", "-2"),
    "source": ("0", "-1"),
    "destination": ("1", "0"),
    "start": ("0.5", "2", "1"),
    "stop": (OPERAND, "4"),
    "step": (OPERAND, "2"),
    "num": ("3", "1", "4"),
    "N": ("3", "2"),
    "M": ("2", "4"),
    "endpoint": ("False",),
    "p": ("[1.0, {x}, 0.5]", OPERAND),
    "q": ("0.3", "[0.2, 0.9]", OPERAND),
    "method": ("'lower'", "'nearest'", "'midpoint'"),
    "mode": ("'same'", "'full'", "'valid'", "'wrap'", "'edge'", "'reflect'", "'clip'"),
    "indices_or_sections": ("1", "[1, 2]", "3"),
    "pad_width": ("1", "(1, 2)", "((1, 0), (0, 2))"),
    "condition": ("{x} > 0.5", "[True, False, True]"),
    "condlist": ("[{x} > 0.5, {x} < 0.4]",),
    "choicelist": ("[{x}, {x}]", "[{x}, 0.5]"),
    "default": ("0.5",),
    "ord": _ORDERS,
    "mask": ("{x} > 0.5",),
    "bins": ("[0.2, 0.5, 0.8]",),
    "xp": ("[0.0, 0.3, 1.0]", OPERAND),
    "left": ("0.5",),
    "right": (OPERAND,),
    "edge_order": ("1", "2"),
    "weights": (OPERAND,),
    "prepend": ("0.5", OPERAND),
    "append": (OPERAND,),
    "to_end": (OPERAND, "0.5"),
    "to_begin": ("0.5",),
    "UPLO": ("'U'",),
    "ndmin": ("2",),
    "subscripts": _SUBSCRIPTS,
    "a_min": ("0.3", OPERAND, "None"),
    "a_max": ("0.6", OPERAND, "None"),
    "min": ("0.3",),
    "max": ("0.6", OPERAND),
    "dx": ("0.5",),
    "nan": ("0.5",),
    "minlength": ("4",),
    "side": ("'right'",),
    "stable": ("True",),
    "dims": ("(3, 4)",),
    "multi_index": ("([0, 1], [1, 2])",),
    "casting": ("'unsafe'", "'same_kind'"),
    "v": (OPERAND, "0.5"),
    "fill_value": (OPERAND, "2", "0.5"),
    "indexing": ("'ij'",),
    "ndim": ("2",),
    "copy": ("True", "False"),
    "mean": ("np.mean({x}, axis=0, keepdims=True)",),
    "m": (OPERAND, "2"),
    "x": (OPERAND, "{x}[0]"),
    "imag": (OPERAND,),
    "func1d": ("np.sum", "np.sin", "lambda t: t[0] * t[-1]"),
    "func": ("np.sum", "np.mean"),
    "function": ("lambda i, j: np.sin(i * {x})",),
    "funclist": ("[np.sin, lambda t: t ** 2]", "[0.5, np.cos]"),
    "lower": ("True",),
    "scale": ("0.7", OPERAND),
    "loc": ("0.2", OPERAND),
}
NEVER = frozenset({"out", "subok", "like", "sorter", "overwrite_input", "kind"})
KEYWORD, OUT, WRITTEN, CONSTANT, AGAIN = 0.3, 0.1, 0.2, 0.12, 0.1  # how often


def _lowerings() -> dict[str, tuple[Any, Callable[..., Any]]]:
    defined = [(f, made) for f, made in DEFINITIONS.items() if _is_called_plainly(f)]
    found = [*FUNCTIONS.items(), *WRITES.items(), *defined]
    calls = {"".join(spelled(function)): (function, lowering) for function, lowering in found}
    calls |= {f"x.{name}()": (None, lowering) for name, lowering in METHODS.items()}
    return calls | {f"x.{name}": (None, lowering) for name, lowering in ATTRIBUTES.items()}


def _is_called_plainly(function: Any) -> bool:
    """Whether a function is called by its name, and writes into nothing."""
    is_at = getattr(function, "__name__", "") == "at"
    return not is_at and "frozen" not in getattr(function, "__qualname__", "")


LOWERINGS = _lowerings()


def names() -> list[str]:
    """All that is registered, as it is written: ``np.sin``, ``x.sum()``, ``x.T``, ``np.put``."""
    return sorted(LOWERINGS)


# Drawing ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """Modules that make a call: with its result, with a smooth number of it, that in double."""

    expression: str
    text: str
    reduced: str
    double: str


@dataclass
class _Program:
    """The parameters drawn so far, with the texts of their values at each of the sizes."""

    random: Random
    range: tuple[float, float]
    shape: tuple[Any, ...]
    cases: list[list[str]] = field(default_factory=lambda: [[] for _ in SIZES])
    parameters: list[str] = field(default_factory=list)

    def operand(self) -> str:
        """A new operand, as it is written in the call."""
        random = self.random
        if random.random() < CONSTANT:
            return random.choice(CONSTANTS)
        if not self.parameters or random.random() > AGAIN:
            self._new_parameter()
            return random.choice(USES).format(self.parameters[-1])
        return random.choice(self.parameters)

    def _new_parameter(self) -> None:
        shape = self.shape if self.random.random() < 0.6 else self.random.choice(SHAPES)
        template = self.random.choice(LAYOUTS if shape else NUMBERS)
        for case, sizes in zip(self.cases, SIZES, strict=True):
            lengths = tuple(sizes.get(n, n) for n in shape)
            count = math.prod(lengths)
            values = np.array([round(self.random.uniform(*self.range), 6) for _ in range(count)])
            numbers = str(values.reshape(lengths).tolist()) if count else f"np.zeros({lengths})"
            case.append(template.format(numbers))
        self.parameters.append("abcdefghijklmnop"[len(self.parameters)])

    def filled(self, text: str) -> str:
        """The text of an argument with operands in it."""
        while OPERAND in text:
            text = text.replace(OPERAND, self.operand(), 1)
        return text

    def arguments(self, name: str) -> tuple[list[str], list[str]]:
        """Those of a call by position, and by keyword."""
        function, lowering = LOWERINGS[name]
        if isinstance(function, np.ufunc):
            keywords = ["dtype"] if self.random.random() < KEYWORD / 2 else []
            first = [self.operand() for _ in range(function.nin)]
            return first, [f"{k}={self.random.choice(ARGUMENTS[k])}" for k in keywords]
        first, named = [], []
        for parameter in inspect.signature(lowering).parameters.values():
            pool = ARGUMENTS.get(parameter.name, (OPERAND,))
            if parameter.kind is parameter.VAR_POSITIONAL:
                first += [self.operand() for _ in range(self.random.randrange(1, 4))]
            elif _is_asked_for(parameter, name):
                first.append(self.filled(self.random.choice(pool)))
            elif parameter.name in ARGUMENTS and self.random.random() < KEYWORD:
                text = self.filled(self.random.choice(pool))
                named.append(f"{parameter.name}={text}")
        return first, named

    def lines(self, name: str) -> list[str]:
        """The statements that make ``r``."""
        if name.startswith("x.") and not name.endswith("()"):
            return [f"r = ({self.operand()}){name[1:]}"]
        if name.endswith("_[]"):
            return [f"r = {name[:-1]}{self.operand()}, {self.operand()}]"]
        first, named = self.arguments(name)
        if name.startswith("x."):
            return [f"r = ({first[0]}){name[1:-2]}({', '.join([*first[1:], *named])})"]
        if LOWERINGS[name][0] in WRITES:
            return [f"r = np.array({first[0]})", f"{name}({', '.join(['r', *first[1:], *named])})"]
        call = f"{name}({', '.join([*first, *named])})"
        if _takes_output(name) and self.random.random() < OUT:
            call = f"{call[:-1]}, out=np.zeros_like({call}))"
        return [f"r = {call}"]


def _is_asked_for(parameter: inspect.Parameter, name: str) -> bool:
    needed = parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    return needed or parameter.kind is parameter.POSITIONAL_ONLY or name.endswith(".at")


def _takes_output(name: str) -> bool:
    function, lowering = LOWERINGS[name]
    if name.startswith("x."):
        function = getattr(np.ndarray, name[2:].removesuffix("()"), None)
    known = None if function is None else documented(function)
    return "out" in (known or inspect.signature(lowering).parameters)


def draw(name: str, seed: int) -> Call:
    """A call that is not refused, of something that is registered."""
    random = Random(f"{name} {seed}")
    for _ in range(TRIES):
        program = _Program(random, random.choice(RANGES), random.choice(SHAPES))
        lines = program.lines(name)
        if random.random() < WRITTEN:
            lines.append("r *= 1.5")
        if program.parameters:
            title, writes = f"Call {seed} of {name}.", LOWERINGS[name][0] in WRITES
            made = _made(title, program, lines, writes)
            if made is not None:
                return made
    raise LookupError(f"no call of {name} was found that NumPy takes")


def _made(title: str, program: _Program, lines: Sequence[str], writes: bool) -> Call | None:
    body = "".join(f"    {line}\n" for line in lines)
    source = f"def program({', '.join(program.parameters)}):\n{body}    return r\n"
    namespace = dict(LIBRARIES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a number has no items
        exec(source, namespace)
    sizes = WITH_ELEMENTS if writes else len(SIZES)
    tried = [(case, _kind_of_result(namespace["program"], case)) for case in program.cases[:sizes]]
    kind = next((kind for _, kind in tried if kind is not None), None)
    cases = [f"    [{', '.join(case)}],\n" for case, made in tried if made == kind is not None]
    if not cases or kind is None or ("out=" in source and kind[1:] == (0,)):
        return None
    values = [eval(text, dict(LIBRARIES)) for text in program.cases[0]]
    wrt = tuple(k for k, value in enumerate(values) if np.asarray(value).dtype.kind == "f")
    end = f"\n\nCASES = [\n{''.join(cases)}]\nWRT = {wrt}\n"
    text = f'"""{title}"""\n\n{IMPORTS}\n\n{source}{end}'
    reduced = text.replace("return r\n", f"return {_number_of(kind)}\n")
    double = reduced.replace("'f4'", "float").replace("complex64", "complex128")
    for single in ("float32", "float16"):
        double = double.replace(single, "float64")
    return Call("; ".join(lines), text, reduced, double)


def _kind_of_result(function: Callable[..., Any], case: Sequence[str]) -> Any:
    values = [eval(text, dict(LIBRARIES)) for text in case]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            return _kind(function(*values))
    except Exception:
        return None


def _kind(result: Any) -> Any:
    """Dtype and rank of each part, or None where there is something else."""
    if isinstance(result, tuple | list):
        kinds = tuple(map(_kind, result))
        return None if None in kinds else kinds
    if isinstance(result, np.ndarray | np.generic | float | int):
        return np.asarray(result).dtype, np.ndim(result)
    return (np.dtype(complex), 0) if isinstance(result, complex) else None


def _number_of(kind: Any) -> str:
    """A smooth number of all parts of ``r``."""
    flat = "np.ascontiguousarray({}).reshape(-1)"  # how it lies in memory decides on last bits
    parts = [flat.format(part) for part in _parts("r", kind)]
    terms = [f"np.vdot(np.cos(np.arange(1.0, {r}.size + 1)) * {r}, {r}).real" for r in parts]
    return f"1.0 * ({' + '.join(terms) or '0.0'})"


def _parts(text: str, kind: Any) -> Iterator[str]:
    if isinstance(kind, tuple) and kind and isinstance(kind[0], np.dtype):
        yield text
        return
    for k, part in enumerate(kind):
        yield from _parts(f"{text}[{k}]", part)


# Checking -----------------------------------------------------------------------------------------


class _NotSmoothError(Exception):
    """Differences of several steps are not alike."""


class _Differences(Reference):
    """Extrapolated differences of a program in double precision, where they agree."""

    def slope(self, args: Sequence[Any], along: Sequence[Any], step: float = LARGEST_STEP) -> float:
        coarse, fine = (super(_Differences, self).slope(args, along, h) for h in (step, step / 30))
        if not abs(coarse - fine) <= 1e-6 * max(1.0, abs(coarse), abs(self.value)):
            raise _NotSmoothError
        return coarse


def check_call(call: Call, *, derivatives: bool = True) -> Outcome:
    """What symdiff makes of a call: right, refused, crashed, wrong, warned, unsure."""
    with tempfile.TemporaryDirectory() as folder:
        texts = {"value": call.text, "reduced": call.reduced, "double": call.double}
        loaded = {k: check.load(text, Path(folder) / f"{k}.py") for k, text in texts.items()}
        found = check_values(loaded["value"])
        if found.kind != "right" or not derivatives or not loaded["value"].WRT:
            return found
        single = any(word in call.reduced for word in ("float32", "'f4'", "float16"))
        return _check_derivatives(loaded["reduced"], loaded["double"], single)


def check_values(module: Any) -> Outcome:
    """The value to the bit, with its type, at all cases; the warnings; the final arguments."""
    import symdiff as sd

    function = module.program
    pair, functional = sd.differentiable(function), sd.functional(function)

    def valued(*args: Any) -> Any:
        return pair.forward(*args)[0]

    def written(*args: Any) -> Any:
        value, changed = functional(*args)
        for name, final in changed.items():
            args[function.__code__.co_varnames.index(name)][...] = final
        return value

    for case in module.CASES:
        expected, final, warned = _called(function, case)
        for call in (valued, written) if final != [] else (valued,):
            found: list[Outcome] = []
            with check.reported("primal", found):
                value, left, noted = _called(call, case)
            if found:
                return found[0]
            if not check.same(value, expected) or not (call is valued or check.same(left, final)):
                details = f"{value!r}, {left!r}\nnot {expected!r}, {final!r}"
                return Outcome("wrong", "primal", "another value", details)
            if warned != noted:
                return Outcome("warned", "primal", f"{noted} instead of {warned}")
    return Outcome("right")


def _called(function: Callable[..., Any], case: Sequence[Any]) -> tuple[Any, list[Any], set[str]]:
    """The result, the arguments afterwards if one is another, and the classes of the warnings."""
    given = check.copied(case)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*given)
    changed = given if not check.same(given, list(case)) else []
    return result, changed, {warning.category.__name__ for warning in caught}


def _check_derivatives(module: Any, double: Any, single: bool) -> Outcome:
    undecided = Outcome("unsure", "differences")
    for case, wide in list(zip(module.CASES, double.CASES, strict=True))[:MOST_CASES]:
        with _undecided() as known:
            known.append(_Differences("", double.program, wide, module.WRT, None))
            known[0].single = known[0].single or single
            run = check._Run(module.program, case, module.WRT, None, known[0].value, known[0])
            known.append(run)
        if len(known) < 2 or not math.isfinite(known[0].value):
            return undecided
        run.value = module.program(*check.copied(case))
        found: list[Outcome] = []
        for stage in (run.reverse, run.forward, run.second):
            with check.reported(stage.__name__, found):
                stage()
            if found:
                return undecided if "_NotSmooth" in found[0].details else found[0]
    return Outcome("right", "differences")


@contextmanager
def _undecided() -> Iterator[list[Any]]:
    """A list that stays short where the function warns, raises or is not smooth nearby."""
    try:
        yield []
    except (_NotSmoothError, Warning, ArithmeticError, ValueError, IndexError, TypeError):
        return
    except SystemError:  # compiled code warned where a warning is raised
        return
    except check._FoundError:  # a little further the function does something else
        return
