"""Texts as syntax trees, made by one thread at a time.

CPython counts how deep it is in a tree that it makes in a place that all threads share: where two
make trees at once it may raise a SystemError.

>>> ast.dump(expression_of("x"))
"Name(id='x', ctx=Load())"
"""

from __future__ import annotations

import ast
import contextlib
import threading
from collections.abc import Iterator

from symdiff.errors import UnsupportedSyntaxError

making_trees = threading.RLock()


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
