"""Texts as syntax trees, made by one thread at a time.

CPython counts how deep it is in a tree that it makes in a place that all threads share: where two
make trees at once it may raise a SystemError.

>>> ast.dump(expression_of("x"))
"Name(id='x', ctx=Load())"
"""

from __future__ import annotations

import ast
import threading

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
