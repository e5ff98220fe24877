"""Texts as syntax trees, made by one thread at a time; trees node by node, whatever their depth.

CPython counts how deep it is in a tree that it makes in a place that all threads share: where two
make trees at once it may raise a SystemError.

>>> ast.dump(expression_of("x"))
"Name(id='x', ctx=Load())"
"""

from __future__ import annotations

import ast
import contextlib
import functools
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from symdiff.errors import UnsupportedSyntaxError

making_trees = threading.RLock()

_MANY = 512  # functions whose names are remembered


def module_of(text: str) -> ast.Module:
    """The tree of statements.

    :raises SyntaxError: of a text that is not Python.
    """
    with making_trees:
        return ast.parse(text)


def expression_of(text: str) -> ast.expr:
    """The tree of one expression.

    :raises SyntaxError: of a text that is none.
    """
    with making_trees:
        return ast.parse(text, mode="eval").body


@contextlib.contextmanager
def nesting_told() -> Iterator[None]:
    """Refuse a program that is nested deeper than Python takes."""
    try:
        yield
    except SyntaxError as error:
        if not str(error.msg).startswith("too many"):  # levels of indentation, nested blocks
            raise
        raise UnsupportedSyntaxError(
            f"the program nests loops and branches deeper than Python takes ({error.msg})",
            hint="follow fewer functions from inside loops and branches, or go over arrays",
        ) from None


@functools.lru_cache(_MANY)
def names_read(tree: ast.AST) -> frozenset[str]:
    """The names that are read anywhere in a tree."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return frozenset(name.id for name in names if isinstance(name.ctx, ast.Load))


def goes_on_behind(statements: Sequence[ast.stmt]) -> bool:
    """Return whether what stands behind statements may be reached; True where that is not clear.

    >>> goes_on_behind(module_of("for x in y:\\n    f(x)\\nraise ValueError").body)
    False
    >>> goes_on_behind(module_of("if x:\\n    raise ValueError").body)
    True
    """
    return all(map(_goes_on, statements))


def _goes_on(node: ast.stmt) -> bool:
    if isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue):
        return False
    if isinstance(node, ast.If):
        return goes_on_behind(node.body) or goes_on_behind(node.orelse)
    if isinstance(node, ast.Try | ast.TryStar):
        handlers = any(goes_on_behind(handler.body) for handler in node.handlers)
        body = goes_on_behind(node.body) and goes_on_behind(node.orelse)
        return goes_on_behind(node.finalbody) and (body or handlers)
    if isinstance(node, ast.While):
        certain = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return not certain or any(isinstance(part, ast.Break) for part in parts_of(node))
    return True


def parts_of(tree: ast.AST, besides: Sequence[ast.AST] = ()) -> list[ast.AST]:
    """A tree and all below it, as ``ast.walk`` gives them, but in no order that means anything, and
    without contexts and operators. What stands ``besides`` is left out with all below it.
    """
    found: list[ast.AST] = []
    pending = [tree]
    while pending:
        node = pending.pop()
        if besides and node in besides:
            continue
        found.append(node)
        _add_children(node, pending)
    return found


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below one, in their order, without contexts and operators."""
    found: list[ast.AST] = []
    _add_children(node, found)
    return found


def _add_children(node: ast.AST, found: list[ast.AST]) -> None:
    kind: Any = type(node)
    for name in _fields_of_parts(kind):
        field = getattr(node, name, None)
        if type(field) is list:
            found += [part for part in field if isinstance(part, ast.AST)]
        elif isinstance(field, ast.AST):
            found.append(field)


_NO_PARTS = frozenset({"ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment"})


@functools.cache
def _fields_of_parts(kind: Any) -> tuple[str, ...]:
    """The fields of a kind of node that have parts other than contexts and operators."""
    own = _NO_PARTS | ({"value"} if kind is ast.Constant else set())
    return tuple(name for name in kind._fields if name not in own)
