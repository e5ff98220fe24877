"""``python -m tests.fuzz.packages``: the front end on functions that nobody wrote for it.

Every function with source of the standard library, NumPy and SciPy is compiled at guessed
signatures, all of its required parameters spelled ``float``, ``int``, ``float64[n]`` or
``float64[n,m]``; nothing of it is run. It compiles or raises a ``SymdiffError`` with a span;
anything else is a bug, and so are a hang and an effect (a file written, a process started, a module
imported), which an audit hook sees.

What compiles and has no effects of its own, but that it raises or prints, is then run on values
with its emitted primal verified to the bit, or to the class of what is raised, and its derivatives
in both modes are compared with extrapolated differences. Of a ``CertainError`` ("this raises ...
at these types") the function is asked whether it does raise that.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import functools
import importlib
import inspect
import os
import pkgutil
import signal
import sys
import time
import types
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.fuzz import effects
from tests.fuzz.check import Outcome, Timeout, reported, time_limit
from tests.fuzz.derivatives import compare_derivatives

SPELLINGS = ("float", "int", "float64[n]", "float64[n,m]")
KINDS = ("verified", "compiled", "raises", "refused", "crashed", "effect", "hang", "mistaken",
         "differs", "wrong")  # fmt: skip
BAD = ("crashed", "effect", "hang", "mistaken", "differs", "wrong")
TIME_LIMIT = 10.0
_WAITING_LIMIT = 100.0
_BATCH = 25
_OWN = "fuzzed"
_RUN = frozenset({"raise_", "assert_", "attempted", "print_"})  # effects of what is run
_MOST_REFUSALS = 15
_SKIPPED = frozenset((
    "antigravity", "this", "idlelib", "tkinter", "turtle", "turtledemo", "lib2to3", "ensurepip",
    "distutils", "test", "tests", "__main__", "__phello__", "f2py", "_pyinstaller", "conftest",
    "setup", "msilib", "_examples", "testing", "_testing", "_distributor_init", "venv",
    "array_api_compat", "array_api_extra",
))  # fmt: skip
_VALUES: dict[str, Any] = {
    "float": 0.7,
    "int": 3,
    "float64[n]": np.array([0.4, 1.3, 0.8]),
    "float64[n,m]": np.array([[0.4, 1.3, 0.2], [0.8, 0.1, 1.7]]),
}


@dataclass(frozen=True)
class Result:
    """What became of one function at one signature; ``derivative`` tells about a verified one's.

    Of the kinds, "raises" is a ``CertainError`` that the function confirms and "mistaken" one that
    it does not; "differs" is another value than the function's, and "wrong" another derivative.
    """

    function: str
    spelling: str
    kind: str
    cause: str = ""
    details: str = ""
    derivative: str = ""
    seconds: float = 0.0


# --- the functions


def modules(roots: Sequence[str]) -> Iterator[types.ModuleType]:
    """The modules below some packages that can be imported without further ado."""
    for root in roots:
        found = _imported(root)
        if found is None:
            continue
        yield found
        if hasattr(found, "__path__"):
            for info in _below(found.__path__, f"{root}."):
                module = _imported(info)
                if module is not None:
                    yield module


def _below(path: Any, prefix: str) -> Iterator[str]:
    for info in pkgutil.iter_modules(path, prefix):
        name = info.name.rpartition(".")[2]
        if name in _SKIPPED:
            continue
        yield info.name
        if info.ispkg:
            module = _imported(info.name)
            if module is not None:
                yield from _below(module.__path__, f"{info.name}.")


def _imported(name: str) -> types.ModuleType | None:
    try:
        with warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException:  # modules of tests, some of which pytest refuses in its own way
        return None


def function_names(roots: Sequence[str]) -> list[str]:
    """``module:name`` of the functions defined there, in a fixed order."""
    names = set()
    for module in modules(roots):
        if sys.modules.get(module.__name__) is not module:  # it goes by another's name
            continue
        for name, value in list(vars(module).items()):
            if not isinstance(value, types.FunctionType):
                continue
            here = value.__module__ == module.__name__
            if here and value.__code__.co_filename.endswith(".py"):
                names.add(f"{module.__name__}:{name}")
    return sorted(names)


def all_roots() -> list[str]:
    """The standard library, NumPy and SciPy."""
    standard = sorted(name for name in sys.stdlib_module_names if name not in _SKIPPED)
    return [*standard, "numpy", "scipy"]


def required(function: types.FunctionType) -> tuple[int, list[str]]:
    """How many positional parameters have no default (at least one), and which keywords."""
    parameters = list(inspect.signature(function, follow_wrapped=False).parameters.values())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    count = sum(p.default is p.empty for p in positional)
    keywords = [p.name for p in parameters if p.kind == p.KEYWORD_ONLY and p.default is p.empty]
    return max(count, min(1, len(positional))), keywords


@contextmanager
def counted_as_users(module: types.ModuleType) -> Iterator[None]:
    """While it lasts, the functions of the module count as the user's.

    What belongs to NumPy and SciPy is not followed otherwise. NumPy's public modules, and the
    standard library, stay what they are.
    """
    name = module.__name__
    if _library(name) != "scipy" and not name.startswith("numpy._"):
        yield
        return
    values = list(vars(module).values())
    own = [v for v in values if isinstance(v, types.FunctionType) and v.__module__ == name]
    for function in own:
        function.__module__ = _OWN
    try:
        yield
    finally:
        for function in own:
            function.__module__ = name


def as_users_own(function: types.FunctionType) -> types.FunctionType:
    """A copy that counts as the user's."""
    code, scope, closure = function.__code__, function.__globals__, function.__closure__
    copied = types.FunctionType(code, scope, function.__name__, function.__defaults__, closure)
    copied.__kwdefaults__ = function.__kwdefaults__
    copied.__module__, copied.__qualname__ = _OWN, function.__qualname__
    return copied


# --- one function


@dataclass(frozen=True)
class Call:
    """A function and how many arguments it requires, by position and by name."""

    function: types.FunctionType
    count: int
    keywords: tuple[str, ...]

    @classmethod
    def of(cls, name: str) -> Call:
        """The call of ``module:name``, as if that were the user's own."""
        module, _, attribute = name.partition(":")
        imported = importlib.import_module(module)
        function = as_users_own(getattr(imported, attribute))
        count, keywords = required(function)
        return cls(function, count, tuple(keywords))

    def run(self, function: Any, argument: Any) -> Any:
        """``function`` called with equal arguments: spelled types."""
        return function(*[argument] * self.count, **dict.fromkeys(self.keywords, argument))

    def arguments(self, spelling: str) -> tuple[list[Any], dict[str, Any]]:
        """Values for the spelled types, different from one another."""
        values = [_value(spelling, k) for k in range(self.count + len(self.keywords))]
        named = zip(self.keywords, values[self.count :], strict=True)
        return values[: self.count], dict(named)

    def run_on_values(self, function: Any, spelling: str) -> Any:
        """``function`` called with values of the spelled types."""
        positional, named = self.arguments(spelling)
        return function(*positional, **named)


def _value(spelling: str, position: int) -> Any:
    value = copy.deepcopy(_VALUES[spelling])
    return value if spelling == "int" else value * (1.0 - 0.07 * position)


def compile_one(name: str, spelling: str) -> Result:
    """Compile a function at a signature and, where it has no effects, verify it on values."""
    module = importlib.import_module(name.partition(":")[0])
    with counted_as_users(module):
        return _looked_at(Call.of(name), name, spelling)


def _looked_at(call: Call, name: str, spelling: str) -> Result:
    try:
        with _quietly(), effects.watched() as seen:
            graph = _compiled(call, spelling)
    except Timeout:
        return Result(name, spelling, "hang", "hang")
    if seen:
        return Result(name, spelling, "effect", ", ".join(sorted(set(seen))))
    if not isinstance(graph, Outcome):
        return _verified(call, name, spelling, graph)
    kind = confirmed(call, spelling) if _is_certain(graph) else graph.kind
    return Result(name, spelling, kind, graph.cause, graph.details)


def _compiled(call: Call, spelling: str) -> Any:
    import symdiff

    found: list[Outcome] = []
    graph = None
    with reported("compiling", found):
        graph = call.run(symdiff.differentiable(call.function).graph, spelling)
    return found[0] if found else graph


def _verified(call: Call, name: str, spelling: str, graph: Any) -> Result:
    import symdiff
    from symdiff.ir.graph import walk_nodes

    if any(node.op.effect and node.op.name not in _RUN for node in walk_nodes(graph.ir.block)):
        return Result(name, spelling, "compiled")
    forward = symdiff.differentiable(call.function).forward
    try:
        found = _ran("running", call, forward, spelling)
        if not found:
            return _differentiated(call, name, spelling)
        if found[0].kind == "refused":
            return Result(name, spelling, "compiled")
        if _is_alike(_raised(call, call.function, spelling), _raised(call, forward, spelling)):
            return Result(name, spelling, "verified")
    except Timeout:
        return Result(name, spelling, "compiled", "the time was over when it ran")
    return Result(name, spelling, "differs", found[0].cause, found[0].details)


def _raised(call: Call, function: Any, spelling: str) -> Exception | None:
    """What is raised when it is run on values."""
    try:
        with _quietly():
            call.run_on_values(function, spelling)
    except Exception as error:
        return error
    return None


def _is_alike(own: Exception | None, made: Exception | None) -> bool:
    """Return whether a handler would catch both; NumPy has classes of its own below Python's."""
    return own is not None and isinstance(own, type(made))


def _ran(stage: str, call: Call, function: Any, spelling: str) -> list[Outcome]:
    """The outcome where something is raised when it is run on values."""
    found: list[Outcome] = []
    with _quietly(), reported(stage, found):
        call.run_on_values(function, spelling)
    return found


@contextmanager
def _quietly() -> Iterator[None]:
    """Limits of the time that it computes or waits, and nothing printed or warned.

    A function is compiled and run with streams of one kind: some ask them for their encoding.
    """
    with (
        time_limit(TIME_LIMIT, busy=True),
        time_limit(_WAITING_LIMIT),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        redirect_stdout(_stream()),
        redirect_stderr(_stream()),
    ):
        warnings.simplefilter("ignore")
        yield


def _stream() -> TextIOWrapper:
    return TextIOWrapper(BytesIO(), encoding="utf-8")


def _differentiated(call: Call, name: str, spelling: str) -> Result:
    if not spelling.startswith("float"):
        return Result(name, spelling, "verified")
    found: list[Outcome] = []
    arguments, named = call.arguments(spelling)
    bound = functools.partial(call.function, **named)
    derivative = "unsure"
    try:
        with _quietly(), reported("differentiating", found):
            derivative = compare_derivatives(bound, arguments)
    except Timeout:
        return Result(name, spelling, "verified", derivative="unsure")
    if not found:
        kind = "wrong" if derivative.startswith("wrong") else "verified"
        return Result(name, spelling, kind, derivative, derivative, derivative)
    if found[0].kind == "refused":
        return Result(name, spelling, "verified", derivative="refused")
    return Result(name, spelling, "crashed", found[0].cause, found[0].details)


def _is_certain(outcome: Outcome) -> bool:
    return outcome.kind == "refused" and outcome.message.startswith("CertainError")


def confirmed(call: Call, spelling: str) -> str:
    """Whether the function, run on values, raises; small values may raise something else before.

    It runs in a process of its own, which may die: code that is not Python's does at arguments that
    it was not written for. Then it is not known whether it raises.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads, which the child does not have
        child = os.fork()
    if child == 0:
        faulthandler.disable()
        kind = "refused"
        try:
            kind = _run_on_trial(call, spelling)
        finally:
            os._exit(KINDS.index(kind))
    try:
        with time_limit(2 * _WAITING_LIMIT):
            _, status = os.waitpid(child, 0)
    except Timeout:
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    return KINDS[os.WEXITSTATUS(status)] if os.WIFEXITED(status) else "refused"


def _run_on_trial(call: Call, spelling: str) -> str:
    """Effects are forbidden while it runs: it was not found to be without any."""
    try:
        with effects.forbidding(), _quietly():
            call.run_on_values(call.function, spelling)
    except Exception:
        return "raises"
    except (Timeout, SystemExit, effects.EffectError):
        return "refused"
    return "mistaken"


def _load_the_compiler() -> None:
    """It is imported when it is first needed, which is no effect of what is compiled."""
    import symdiff

    symdiff.grad(_cube)(2.0)
    symdiff.differentiable(_cube).graph("float")


def _cube(x: float) -> float:
    return x**3


def compile_many(names: list[str]) -> list[Result]:
    """A batch for one worker, at all signatures."""
    _load_the_compiler()
    effects.install()
    sys.setrecursionlimit(3000)
    return [_timed(name, spelling) for name in names for spelling in SPELLINGS]


def _timed(name: str, spelling: str) -> Result:
    start = time.process_time()
    return replace(compile_one(name, spelling), seconds=time.process_time() - start)


def compile_all(names: list[str], jobs: int) -> Iterator[Result]:
    """All results; where a worker dies, what is left is compiled one function at a time."""
    batches = [names[k : k + _BATCH] for k in range(0, len(names), _BATCH)]
    left: list[str] = []
    with ProcessPoolExecutor(jobs) as pool:
        futures = {pool.submit(compile_many, batch): batch for batch in batches}
        for future in as_completed(futures):
            try:
                yield from future.result()
            except BrokenProcessPool:
                left += futures[future]
    for name in left:
        yield from _compile_alone(name)


def _compile_alone(name: str) -> list[Result]:
    with ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(compile_many, [name]).result()
        except BrokenProcessPool:
            return [Result(name, "any", "crashed", "the interpreter died")]


# --- the command


def summary(results: Sequence[Result]) -> str:
    """Counts by kind and library, then the causes of what is bad, then of what is refused."""
    lines = []
    for library in ("standard library", "numpy", "scipy"):
        counts = Counter(r.kind for r in results if _library(r.function) == library)
        told = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
        lines.append(f"{library:16s} {told}")
    derivatives = Counter(r.derivative for r in results if r.kind == "verified" and r.derivative)
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(derivatives.items()))
    lines.append(f"derivatives of the verified: {told}")
    slowest = max(results, key=lambda r: r.seconds)
    place = f"{slowest.function} at {slowest.spelling}"
    lines.append(f"longest, with all checks: {slowest.seconds:.1f} s [{place}]")
    causes = Counter(r.cause for r in results if r.kind in (*BAD, "refused"))
    example = {r.cause: f"{r.function} at {r.spelling}" for r in reversed(results)}
    kind = {r.cause: r.kind for r in results}
    for wanted in (*BAD, "refused"):
        found = [item for item in causes.most_common() if kind[item[0]] == wanted]
        for cause, count in found[: _MOST_REFUSALS if wanted == "refused" else None]:
            lines.append(f"{count:5d}  {wanted}: {cause}  [{example[cause]}]")
    return "\n".join(lines)


def _library(name: str) -> str:
    root = name.partition(":")[0].partition(".")[0]
    return root if root in ("numpy", "scipy") else "standard library"


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status is 1 where anything but compiling or refusing happened."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.packages", description=__doc__)
    parser.add_argument("--sample", type=int, help="only so many functions, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", help="only functions whose module:name contains this")
    parser.add_argument("--out", type=Path, help="a file for all that is bad, with tracebacks")
    options = parser.parse_args(arguments)
    os.environ.setdefault("SYMDIFF_VERIFY", "1")
    names = [n for n in function_names(all_roots()) if (options.only or "") in n]
    if options.sample:
        names = sorted(Random(options.seed).sample(names, min(options.sample, len(names))))
    results: list[Result] = []
    last = time.monotonic()
    for result in compile_all(names, options.jobs):
        results.append(result)
        if time.monotonic() - last > 2.0:
            last = time.monotonic()
            counts = Counter(r.kind for r in results)
            told = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
            print(f"\r{len(results)}/{len(names) * len(SPELLINGS)}: {told}", end="", flush=True)
    print(f"\n{summary(results)}")
    if options.out:
        bad = [r for r in results if r.kind in BAD]
        text = "\n\n".join(f"{r.kind} {r.function} at {r.spelling}\n{r.details}" for r in bad)
        options.out.write_text(text, encoding="utf-8")
    return int(any(r.kind in BAD for r in results))


if __name__ == "__main__":
    sys.exit(main())
