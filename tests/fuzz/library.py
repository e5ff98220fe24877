"""``python -m tests.fuzz.library``: the front end on functions that nobody wrote for it.

Every function with source of the standard library, NumPy and SciPy is compiled at guessed
signatures, all of its required parameters spelled ``float``, ``int``, ``float64[n]`` or
``float64[n,m]``; nothing of it is run. It compiles, or raises a ``SymdiffError`` with a span, or
what the function itself raises on such values (run where effects are forbidden); anything else is a
bug, and so are a hang and an effect (a file written, a process started, a module imported), which
an audit hook sees. What compiles and has no effects of its own is also run on
values with its emitted primal verified.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import inspect
import os
import pkgutil
import sys
import time
import types
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.check import Outcome, Timeout, reported, time_limit

SPELLINGS = ("float", "int", "float64[n]", "float64[n,m]")
KINDS = ("verified", "compiled", "raises", "refused", "crashed", "effect", "hang", "differs")
BAD = ("crashed", "effect", "hang", "differs")
TIME_LIMIT = 10.0
_BATCH = 25
_OWN = "fuzzed"
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
# What compiling may do beside computing: read source, compile and load what was emitted.
_HARMLESS = frozenset((
    "compile", "exec", "code.__new__", "function.__new__", "object.__getattr__", "builtins.id",
    "object.__setattr__", "object.__delattr__", "marshal.loads", "gc.get_objects",
    "gc.get_referrers", "gc.get_referents", "os.listdir", "os.scandir",
))  # fmt: skip


@dataclass(frozen=True)
class Result:
    """What became of one function at one signature."""

    function: str
    spelling: str
    kind: str
    cause: str = ""
    details: str = ""


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


def as_users_own(function: types.FunctionType, module: types.ModuleType) -> types.FunctionType:
    """A copy that counts as the user's, beside whom its module's other functions count so too.

    What belongs to NumPy and SciPy is not followed otherwise. NumPy's public modules, and the
    standard library, stay what they are.
    """
    if _library(module.__name__) == "scipy" or module.__name__.startswith("numpy._"):
        for other in vars(module).values():
            if isinstance(other, types.FunctionType) and other.__module__ == module.__name__:
                other.__module__ = _OWN
    code, scope, closure = function.__code__, function.__globals__, function.__closure__
    copied = types.FunctionType(code, scope, function.__name__, function.__defaults__, closure)
    copied.__kwdefaults__ = function.__kwdefaults__
    copied.__module__, copied.__qualname__ = _OWN, function.__qualname__
    return copied


# --- effects


class EffectError(BaseException):
    """Something was done that compiling must not do."""


_watching = False
_forbidding = False
_seen: list[str] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watching or event in _HARMLESS or event.startswith(("cpython.", "array.", "sys.")):
        return
    described = _forbidden(event, arguments)
    if described is not None:
        _seen.append(described)
        if _forbidding:
            raise EffectError(described)


def _forbidden(event: str, arguments: tuple[Any, ...]) -> str | None:
    if event == "open":
        path, mode = arguments[0], arguments[1]
        reads = mode is None or not set(str(mode)) & set("wax+")
        return None if reads and str(path).endswith((".py", ".pyc", ">")) else f"open {path} {mode}"
    if event == "import":
        own = str(arguments[0]).startswith(("symdiff", "astor", "sympy", "ast", "scipy", "numpy"))
        return None if own or arguments[0] in sys.modules else f"import of {arguments[0]}"
    return event


@contextmanager
def watched() -> Iterator[None]:
    """Effects inside are noted."""
    global _watching
    _seen.clear()
    _watching = True
    try:
        yield
    finally:
        _watching = False


@contextmanager
def forbidding() -> Iterator[None]:
    """Effects inside raise ``EffectError`` instead of happening."""
    global _forbidding
    _forbidding = True
    try:
        with watched():
            yield
    finally:
        _forbidding = False


# --- one function


def compile_one(name: str, spelling: str) -> Result:
    """Compile a function at a signature and, where it has no effects, verify it on values."""
    module, _, attribute = name.partition(":")
    imported = importlib.import_module(module)
    function = as_users_own(getattr(imported, attribute), imported)
    count, keywords = required(function)
    spelled = [spelling] * count, dict.fromkeys(keywords, spelling)
    try:
        with time_limit(TIME_LIMIT), watched():
            graph = _compiled(function, *spelled)
    except Timeout:
        return Result(name, spelling, "hang", "hang")
    finally:
        effects = sorted(set(_seen))
    if effects:
        return Result(name, spelling, "effect", ", ".join(effects))
    if isinstance(graph, Outcome):
        if graph.kind == "crashed" and _raises_this(function, spelling, graph):
            return Result(name, spelling, "raises", graph.cause)
        return Result(name, spelling, graph.kind, graph.cause, graph.details)
    return _verified(function, name, spelling, graph, count, keywords)


def _compiled(function: Any, args: list[str], keywords: dict[str, str]) -> Any:
    import symdiff

    found: list[Outcome] = []
    graph = None
    with warnings.catch_warnings(), reported("compiling", found):
        warnings.simplefilter("ignore")
        graph = symdiff.differentiable(function).graph(*args, **keywords)
    return found[0] if found else graph


def _verified(
    function: Any, name: str, spelling: str, graph: Any, count: int, keywords: list[str]
) -> Result:
    import symdiff
    from symdiff.ir.graph import walk_nodes

    if any(node.op.effect for node in walk_nodes(graph.block)):
        return Result(name, spelling, "compiled")
    value = _VALUES[spelling]
    args, named = [value] * count, dict.fromkeys(keywords, value)
    found: list[Outcome] = []
    try:
        with time_limit(TIME_LIMIT), warnings.catch_warnings(), reported("running", found):
            warnings.simplefilter("ignore")
            with np.errstate(all="ignore"), redirect_stdout(StringIO()):
                symdiff.differentiable(function).forward(*args, **named)
    except Timeout:
        return Result(name, spelling, "compiled", "the time was over when it ran")
    if not found:
        return Result(name, spelling, "verified")
    if found[0].kind == "refused" or _raises(function, args, named):
        return Result(name, spelling, "compiled")
    return Result(name, spelling, "differs", found[0].cause, found[0].details)


def _raises_this(function: Any, spelling: str, crash: Outcome) -> bool:
    """Whether the function itself raises, on values, an error of the class that compiling raised.

    Effects are forbidden while it runs: it was not found to be without any.
    """
    count, keywords = required(function)
    args, named = [_VALUES[spelling]] * count, dict.fromkeys(keywords, _VALUES[spelling])
    found: list[Outcome] = []
    try:
        with (
            time_limit(TIME_LIMIT),
            warnings.catch_warnings(),
            forbidding(),
            reported("itself", found),
        ):
            warnings.simplefilter("ignore")
            with np.errstate(all="ignore"), redirect_stdout(StringIO()):
                function(*copy.deepcopy(args), **copy.deepcopy(named))
    except (Timeout, SystemExit, EffectError):
        return False
    return bool(found) and found[0].message.split(" ")[0] == crash.message.split(" ")[0]


def _raises(function: Any, args: list[Any], named: dict[str, Any]) -> bool:
    try:
        with time_limit(TIME_LIMIT), np.errstate(all="ignore"), redirect_stdout(StringIO()):
            function(*args, **named)
    except (Exception, Timeout, SystemExit):
        return True
    return False


def _load_the_compiler() -> None:
    """It is imported when it is first needed, which is no effect of what is compiled."""
    import symdiff

    symdiff.grad(_cube)(2.0)


def _cube(x: float) -> float:
    return x**3


def compile_many(names: list[str]) -> list[Result]:
    """A batch for one worker, at all signatures."""
    if _hook not in _installed:
        _load_the_compiler()
        sys.addaudithook(_hook)
        _installed.append(_hook)
    sys.setrecursionlimit(3000)
    return [compile_one(name, spelling) for name in names for spelling in SPELLINGS]


_installed: list[Any] = []


def compile_all(names: list[str], jobs: int) -> Iterator[Result]:
    """All results; a worker that dies is a crash of its batch's functions."""
    batches = [names[k : k + _BATCH] for k in range(0, len(names), _BATCH)]
    with ProcessPoolExecutor(jobs, max_tasks_per_child=None) as pool:
        futures = {pool.submit(compile_many, batch): batch for batch in batches}
        for future in as_completed(futures):
            try:
                yield from future.result()
            except BrokenProcessPool:
                for name in futures[future]:
                    yield Result(name, "any", "crashed", "the interpreter died in this batch")


# --- the command


def summary(results: Sequence[Result]) -> str:
    """Counts by kind and library, then the causes of what is bad, then of what is refused."""
    lines = []
    for library in ("standard library", "numpy", "scipy"):
        counts = Counter(r.kind for r in results if _library(r.function) == library)
        told = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
        lines.append(f"{library:16s} {told}")
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
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.library", description=__doc__)
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
