"""The calls with float arguments in a package's documentation.

The examples of a docstring are run one after another, as ``doctest`` runs them. Of each the
outermost call of a function of the package that is given floats becomes a function of these floats,
as a user would write it to differentiate the call:

>>> text = "round(brenth(f, 0.5, b, xtol=1e-6), 3)"
>>> scope = {"brenth": math.hypot, "f": None, "b": [1.0, 2]}
>>> call = next(calls_in(ast.parse(text).body[0], scope, "math"))
>>> print(call.text, *call.arguments)
brenth(f, a0, a1, xtol=a2) 0.5 [1.0, 2] 1e-06
"""

from __future__ import annotations

import ast
import contextlib
import copy
import doctest
import io
import linecache
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

from tests import reference
from tests.fuzz import packages
from tests.fuzz.check import Timeout, time_limit

TIME_LIMIT = 10.0  # seconds for an example
_FLAGS = (
    "FLOAT_CMP",
    "IGNORE_OUTPUT",
    "IGNORE_WARNINGS",
    "REMOTE_DATA",
    "SHOW_WARNINGS",
)  # of pytest plugins
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

for _flag in _FLAGS:
    doctest.register_optionflag(_flag)


@dataclass(frozen=True)
class Call:
    """A call of the documentation: its text with a name in the place of each float argument."""

    place: str
    text: str
    original: str
    arguments: tuple[Any, ...]
    scope: dict[str, Any]

    def function(self) -> Callable[..., Any]:
        """The call as a function of its floats."""
        names = ", ".join(f"a{k}" for k in range(len(self.arguments)))
        source = f"def documented_call({names}):\n    return {self.text}\n"
        path = f"<{self.place}: {self.original}>"
        _show_to_readers(path, source)
        made: dict[str, Any] = {}
        exec(compile(source, path, "exec"), self.scope, made)
        return made["documented_call"]


SEEDS = ("random_state", "rng", "seed")


def seeded(call: Call) -> Callable[..., Any] | None:
    """The call as a function of its floats and of the seed in its text; None where it has not
    one.
    """
    made = ast.parse(call.text, mode="eval")
    found = [node for node in ast.walk(made) if isinstance(node, ast.keyword) and _is_seed(node)]
    if len(found) != 1:
        return None
    found[0].value = ast.Name(f"a{len(call.arguments)}", ast.Load())
    return replace(call, text=ast.unparse(made), arguments=(*call.arguments, 0)).function()


def _is_seed(node: ast.keyword) -> bool:
    value = node.value
    return node.arg in SEEDS and isinstance(value, ast.Constant) and type(value.value) is int


# --- examples


def documented(package: str) -> Iterator[doctest.DocTest]:
    """The docstrings with examples of a package's modules, in the order of their names."""
    finder = doctest.DocTestFinder()
    seen = set()
    for module in packages.modules([package]):
        with contextlib.suppress(Exception):  # of objects that have no ordinary attributes
            for test in [*finder.find(module, module.__name__), *of_ufuncs(module)]:
                if test.examples and test.name not in seen:
                    seen.add(test.name)
                    yield test


def of_ufuncs(module: ModuleType) -> Iterator[doctest.DocTest]:
    """The docstrings of a library's ufuncs, which ``doctest`` does not look for."""
    if module.__name__ not in ("numpy", "scipy.special"):
        return
    for name, value in vars(module).items():
        if isinstance(value, np.ufunc) and value.__doc__:
            scope = {"np": np, **vars(module)}
            full = f"{module.__name__}.{name}"
            yield doctest.DocTestParser().get_doctest(value.__doc__, scope, full, None, 0)


def shuffled(tests: list[doctest.DocTest], seed: int) -> list[doctest.DocTest]:
    """The docstrings in a random order that depends on their names only."""
    tests = sorted(tests, key=lambda test: test.name)
    Random(seed).shuffle(tests)
    return tests


def calls(test: doctest.DocTest, package: str) -> Iterator[Call]:
    """The calls of the examples, each before its example is run."""
    scope = dict(test.globs)
    with quiet():
        for example in test.examples:
            if doctest.SKIP in example.options:
                continue
            place = f"{test.name}, line {example.lineno + 1}"
            for statement in _statements(example.source):
                for call in calls_in(statement, scope, package):
                    yield replace(call, place=place)
                if not _executed(statement, scope, place):
                    return


def _statements(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No output, no warnings, no windows."""
    os.environ["MPLBACKEND"] = "Agg"
    streams = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with streams[0], streams[1], warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def _show_to_readers(path: str, source: str) -> None:
    """Let the source of what is compiled there be found, as that of a notebook's cell is."""
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)


def _executed(statement: ast.stmt, scope: dict[str, Any], place: str) -> bool:
    """Run a statement; False where that takes too long. What it raises is part of the examples, and
    so is what makes it no statement of its own, as a ``return`` does.
    """
    source = ast.unparse(statement) + "\n"
    path = f"<{place}: {source[:60]}>"
    _show_to_readers(path, source)
    try:
        with time_limit(TIME_LIMIT):
            exec(compile(source, path, "exec"), scope)
    except (Exception, SystemExit):
        return True
    except Timeout:
        return False
    return True


# --- calls


def calls_in(node: ast.AST, scope: dict[str, Any], package: str) -> Iterator[Call]:
    """The outermost calls of the package's functions with floats that a statement contains."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, *_SCOPES)):
        return  # their names are bound later
    call = _harvested(node, scope, package) if isinstance(node, ast.Call) else None
    if call is not None:
        yield call
        return
    for child in ast.iter_child_nodes(node):
        yield from calls_in(child, scope, package)


def _harvested(node: ast.Call, scope: dict[str, Any], package: str) -> Call | None:
    """The call as a function of its floats; None where it has none, or is of another package."""
    known, function = _evaluated(node.func, scope)
    if not known or _package(function) != package:
        return None
    made, arguments = copy.deepcopy(node), []
    for holder, field, position in _places(made):
        target = getattr(holder, field) if position is None else getattr(holder, field)[position]
        known, value = _evaluated(target, scope)
        if not known or not _is_tree(value) or not list(reference.leaves(value)):
            continue
        name = ast.Name(f"a{len(arguments)}", ast.Load())
        arguments.append(copy.deepcopy(value))
        if position is None:
            setattr(holder, field, name)
        else:
            getattr(holder, field)[position] = name
    if not arguments:
        return None
    return Call("", ast.unparse(made), ast.unparse(node), tuple(arguments), scope)


def _places(call: ast.Call) -> Iterator[tuple[Any, str, int | None]]:
    """Where the arguments stand."""
    for position, argument in enumerate(call.args):
        if not isinstance(argument, ast.Starred):
            yield call, "args", position
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield keyword, "value", None


def _evaluated(node: ast.expr, scope: dict[str, Any]) -> tuple[bool, Any]:
    """Whether an expression has a value, and which; it may use up what it evaluates."""
    try:
        with time_limit(TIME_LIMIT):
            kept = scope if not _has_call(node) else dict(scope)
            return True, eval(compile(ast.Expression(node), "<argument>", "eval"), kept)
    except (Exception, Timeout):
        return False, None


def _has_call(node: ast.expr) -> bool:
    return any(isinstance(each, ast.Call) for each in ast.walk(node))


def _package(function: Any) -> str | None:
    """The package that a function is of; of a method the one of its class."""
    if isinstance(function, np.ufunc):
        return "scipy" if function.__name__ in _special_names() else "numpy"
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ndarray):
        return "numpy"
    module = getattr(function, "__module__", None)
    if not isinstance(module, str) and owner is not None:
        module = type(owner).__module__
    return module.partition(".")[0] if isinstance(module, str) else None


def _special_names() -> frozenset[str]:
    special = sys.modules.get("scipy.special")
    return frozenset(vars(special) if special is not None else ()) - frozenset(vars(np))


def _is_tree(value: Any) -> bool:
    """Whether it is made of numbers, arrays of them and plain containers only."""
    if isinstance(value, (list, tuple)):
        return type(value) in (list, tuple) and all(map(_is_tree, value))
    if isinstance(value, dict):
        return type(value) is dict and all(map(_is_tree, value.values()))
    if isinstance(value, np.ndarray):
        return type(value) is np.ndarray and value.dtype.kind in "biuf"
    return value is None or isinstance(value, (bool, int, float, str, np.number, np.bool_))


def result_of_floats(value: Any) -> bool:
    """Whether a result is made of numbers, floats among them, all of them finite."""
    if not _is_tree(value):
        return False
    leaves = list(reference.leaves(value))
    return bool(leaves) and all(np.all(np.isfinite(leaf)) for leaf in leaves) and _has_size(leaves)


def _has_size(leaves: list[Any]) -> bool:
    return math.fsum(np.size(leaf) for leaf in leaves) > 0
