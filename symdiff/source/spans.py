"""Places in the user's source, and how they are shown.

A syntax node enters, a ``SourceSpan`` leaves. Columns of a span count characters from 1, as
editors do; syntax nodes count UTF-8 bytes from 0.

>>> span = SourceSpan("model.py", 12, 9, 12, 16, "    k = sort(x)")
>>> span.location
'model.py:12:9'
>>> print(span.excerpt)
    k = sort(x)
        ^^^^^^^
"""

from __future__ import annotations

import ast
import os
import unicodedata
from typing import Any, TypeAlias

from symdiff.dataclass import dataclass

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_MARGIN = "    "
_WIDE = frozenset("WF")
_INVISIBLE_CATEGORIES = frozenset({"Mn", "Me", "Cf"})


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A stretch of source, with the text of its first line.

    ``line`` and ``column`` count from 1, columns in characters; ``end_column`` is one past the
    last character, on ``end_line``.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str

    @property
    def location(self) -> str:
        """``file:line:column``, the file relative to the working directory if it lies below.

        >>> SourceSpan("model.py", 3, 5, 3, 6, "    x").location
        'model.py:3:5'
        """
        return f"{_shown_path(self.file)}:{self.line}:{self.column}"

    @property
    def excerpt(self) -> str:
        """The source line at a margin of four, and carets under what is meant.

        An expression of several lines is underlined to the end of its first.

        >>> print(SourceSpan("model.py", 1, 5, 1, 6, "y = x").excerpt)
            y = x
                ^
        """
        body = self.text.lstrip()
        before = self.text[len(self.text) - len(body) : self._start]
        carets = "^" * max(1, _width(self.text[self._start : self._stop]))
        return f"{_MARGIN}{body.rstrip()}\n{_MARGIN}{_blank(before)}{carets}"

    @property
    def code(self) -> str:
        """What is meant, as it stands there; of several lines the first.

        >>> SourceSpan("model.py", 1, 5, 1, 10, "y = x + 1").code
        'x + 1'
        """
        return self.text[self._start : self._stop].strip()

    @property
    def _start(self) -> int:
        return self.column - 1

    @property
    def _stop(self) -> int:
        if self.end_line > self.line:
            return len(self.text.rstrip())
        return self.end_column - 1


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """A function's syntax tree, inside the file it was read from.

    ``tree`` is shared between everyone who asks for the same text: read it, never change it. Its
    line and column numbers are those of the file. ``lines`` are all lines of the file, without
    their line ends.

    >>> tree = ast.parse("lambda x: x").body[0].value
    >>> source = FunctionSource(tree, "m.py", ("lambda x: x",), "<lambda>")
    >>> source.line(1)
    'lambda x: x'
    """

    tree: FunctionNode
    file: str
    lines: tuple[str, ...]
    qualname: str

    def line(self, number: int) -> str:
        """The text of line ``number``, counted from 1; empty outside the file."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""


def span_of(node: ast.AST, source: FunctionSource) -> SourceSpan:
    """The span of ``node``, which belongs to ``source.tree``.

    A node that has no position of its own (an operator, a list of parameters) gets the
    function's. A chain of calls over several lines is placed at its last attribute, as in Python's
    tracebacks.

    >>> tree = ast.parse("lambda é: é * 2").body[0].value
    >>> span = span_of(tree.body, FunctionSource(tree, "m.py", ("lambda é: é * 2",), "<lambda>"))
    >>> span.column, span.end_column
    (11, 16)
    """
    placed: Any = node if hasattr(node, "lineno") else source.tree
    line, offset = _start(placed, source)
    end_line: int = placed.end_lineno or line
    end_offset: int | None = placed.end_col_offset
    column = _column(source.line(line), offset)
    end_column = _column(source.line(end_line), offset + 1 if end_offset is None else end_offset)
    return SourceSpan(source.file, line, column, end_line, end_column, source.line(line))


def _start(node: Any, source: FunctionSource) -> tuple[int, int]:
    """Line and byte offset where a node begins, or the attribute on a later line that it is of."""
    callee = node.func if isinstance(node, ast.Call) else node
    last = callee.end_lineno
    if not isinstance(callee, ast.Attribute) or last is None or last == node.lineno:
        return node.lineno, node.col_offset
    before = source.line(last).encode("utf-8", "surrogatepass")[: callee.end_col_offset]
    dot = before.rfind(b".")
    return last, len(before) - len(before.lstrip()) if dot < 0 else dot


def _column(line: str, offset: int) -> int:
    """The column, in characters from 1, of a UTF-8 byte offset."""
    if line.isascii():
        return min(offset, len(line)) + 1
    return len(line.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace")) + 1


def _blank(text: str) -> str:
    """White space as wide as ``text``: tabs stay tabs, so that carets stand under any tab width."""
    return "".join("\t" if char == "\t" else " " * _width(char) for char in text)


def _width(text: str) -> int:
    """How many terminal columns ``text`` takes."""
    return sum(map(_char_width, text))


def _char_width(char: str) -> int:
    if char.isascii():
        return 1
    if unicodedata.category(char) in _INVISIBLE_CATEGORIES:
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1


def _shown_path(file: str) -> str:
    """``file`` relative to the working directory where it lies below it, else as it is."""
    try:
        below = os.path.join(os.getcwd(), "")
    except OSError:  # the working directory was deleted
        return file
    return file[len(below) :] if file.startswith(below) and len(file) > len(below) else file
