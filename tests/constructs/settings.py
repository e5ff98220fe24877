"""One construct of the language becomes four programs: the settings that each is tested in.

A construct is a small function of an array ``x`` and a float ``c`` (and of what else it declares)
that ends in its only ``return`` and leaves its arguments alone. ``@construct`` registers from it

- ``outside``: the function itself, outside of any loop;
- ``in_for``: its statements as the body of a counted loop that carries ``x``;
- ``in_while``: the same in a loop whose number of turns depends on the data;
- ``renamed``: its statements twice, with another ``x``, and every name that they bind used for
  something else before, between and after.

What they return must come to one float. The programs are written out as text that ``linecache``
knows, so they run in the construct's module and errors show their lines.

>>> print(_written("outside", "twice", "x, c", ["y = 2 * x[0]"], "y + c", ["y"]))
def twice_outside(x, c):
    y = 2 * x[0]
    return y + c
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tests.programs.registry import program

X = np.array([0.62, 1.31, 0.87, 1.13, 0.74, 1.46])
C = 0.7

OUTSIDE = """\
def {name}({parameters}):
    {body}
    return {result}"""

IN_FOR = """\
def {name}({parameters}):
    total_ = 0.0
    for turn_ in range(3):
        {body}
        total_ = 0.5 * total_ + {result}
        x = 0.9 * x + 0.05 * np.tanh(0.1 * total_)
    return total_"""

IN_WHILE = """\
def {name}({parameters}):
    total_, fuel_ = 0.0, 1.0 + 0.01 * x[0]
    while fuel_ > 0.3:
        {body}
        total_ = 0.5 * total_ + {result}
        x = 0.9 * x + 0.05 * np.tanh(0.1 * total_)
        fuel_ = 0.6 * fuel_ + 0.01 * x[1]
    return total_ * fuel_"""

RENAMED = """\
def {name}({parameters}):
    {before}
    total_ = {names}
    {body}
    total_ = total_ + {result}
    x = 0.9 * x + 0.05 * np.tanh(0.1 * total_)
    {between}
    total_ = total_ + {names}
    {body}
    total_ = total_ * ({result})
    {between}
    return total_ + {names}"""

SETTINGS = {"outside": OUTSIDE, "in_for": IN_FOR, "in_while": IN_WHILE, "renamed": RENAMED}


def construct(
    *more: Any, settings: Sequence[str] = tuple(SETTINGS), **options: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a construct in its settings; ``more`` are its arguments behind ``x`` and ``c``."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for setting in settings:
            program(**{"args": (X, C, *more), "wrt": (0, 1), **options})(
                in_setting(function, setting)
            )
        return function

    return register


def in_setting(
    function: Callable[..., Any], setting: str, like: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """The program that a construct is in one of the settings.

    Where that uses its names otherwise, it may use those of another construct.
    """
    definition = _definition(function)
    *body, last = definition.body
    assert isinstance(last, ast.Return) and last.value is not None
    body, outer = _apart(body)
    binding = body if like is None else _definition(like).body
    text = _written(
        setting,
        definition.name,
        ast.unparse(definition.args),
        [ast.unparse(statement) for statement in body],
        f"({ast.unparse(last.value)})",
        sorted({name for statement in binding for name in _bound(statement)} - outer),
    )
    if outer:
        head, _, rest = text.partition("\n")
        text = f"{head}\n    global {', '.join(sorted(outer))}\n{rest}"
    return _loaded(function, f"{definition.name}_{setting}", text)


def _definition(function: Callable[..., Any]) -> ast.FunctionDef:
    """The syntax of a function."""
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition


def _apart(body: list[ast.stmt]) -> tuple[list[ast.stmt], set[str]]:
    """The statements without ``global``, which may stand in a function once, and its names."""
    declared = [statement for statement in body if isinstance(statement, ast.Global)]
    rest = [statement for statement in body if not isinstance(statement, ast.Global)]
    return rest, {name for statement in declared for name in statement.names}


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds in the function that it stands in."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    if isinstance(node, ast.FunctionDef):
        yield node.name
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif not isinstance(node, (ast.Lambda, ast.comprehension)):
        for child in ast.iter_child_nodes(node):
            yield from _bound(child)


def _written(
    setting: str, name: str, parameters: str, body: list[str], result: str, names: list[str]
) -> str:
    """The text of a construct in a setting."""
    blocks = {
        "{body}": body,
        "{before}": [f"{each} = {k + 1} * c" for k, each in enumerate(names)],
        "{between}": [f"{each} = total_ / {k + 2}" for k, each in enumerate(names)],
    }
    words = {
        "name": f"{name}_{setting}",
        "parameters": parameters,
        "result": result,
        "names": " + ".join(names) or "c",
    }
    lines = []
    for line in SETTINGS[setting].splitlines():
        block = blocks.get(line.strip())
        if block is None:
            lines.append(line.format(**words))
        else:
            indent = line[: len(line) - len(line.lstrip())]
            lines.append(textwrap.indent("\n".join(block) or "pass", indent))
    return "\n".join(lines)


def _loaded(function: Callable[..., Any], name: str, text: str) -> Callable[..., Any]:
    """The function that a text defines, among the names of a construct's module."""
    path = f"{function.__module__}.{name}.py"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    found: dict[str, Any] = {}
    exec(compile(text, path, "exec"), vars(sys.modules[function.__module__]), found)
    return found[name]
