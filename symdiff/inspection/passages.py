"""The stretches of the user's source that generated lines belong to: whole functions, by file.

>>> from textwrap import dedent
>>> (passage,) = passages(dedent, [])
>>> passage.lines[0]
'def dedent(text):'
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from symdiff.errors import SymdiffError
from symdiff.source import SourceSpan, find_source
from symdiff.source.trees import module_of


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a file, the first of which has the number ``start``."""

    file: str
    start: int
    lines: tuple[str, ...]

    def has(self, file: str, line: int) -> bool:
        """Return whether a line of a file is one of these."""
        return file == self.file and self.start <= line < self.start + len(self.lines)


def passages(function: Callable[..., Any] | None, spans: Iterable[SourceSpan]) -> list[Passage]:
    """The function's own text, and that of the functions around all other ``spans``."""
    found = _own(function)
    for span in sorted(set(spans), key=lambda span: (span.file, span.line, span.column)):
        if not any(passage.has(span.file, span.line) for passage in found):
            found.append(_around(span))
    return found


def _own(function: Any) -> list[Passage]:
    try:
        source = find_source(getattr(function, "__func__", function))
    except SymdiffError:  # made by a library, or without text
        return []
    end = source.tree.end_lineno or source.tree.lineno
    lines = tuple(source.line(number) for number in range(source.tree.lineno, end + 1))
    return [Passage(source.file, source.tree.lineno, lines)]


def _around(span: SourceSpan) -> Passage:
    """The innermost function around a line, or the line alone where the file is another now."""
    lines = _lines_of(span.file)
    alone = Passage(span.file, span.line, (span.text,))
    if not 1 <= span.line <= len(lines) or lines[span.line - 1] != span.text.rstrip("\r\n"):
        return alone
    try:
        tree = module_of("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError):  # a notebook cell with magics
        return alone
    around = [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.Lambda)
        and node.lineno <= span.line <= (node.end_lineno or node.lineno)
    ]
    if not around:
        return alone
    start, end = max(around)
    return Passage(span.file, start, tuple(lines[start - 1 : end]))


def _lines_of(file: str) -> list[str]:
    """The present lines of a file; none where there is no such file."""
    try:
        return [line.rstrip("\r\n") for line in linecache.getlines(file)]
    except ValueError:  # a name that no file can have
        return []
