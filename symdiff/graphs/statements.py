"""The user's statements, by the lines that they stand on.

A place in the user's source enters; the statement around it leaves: its first line, and its text on
one line, without comments. Of a compound statement that is its head. Where the file is not to be
read, or is another one now, the line itself stands for the statement.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import linecache
import tokenize
from dataclasses import dataclass

from symdiff.source import SourceSpan
from symdiff.source.trees import module_of


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement: where it begins, and what it says."""

    file: str
    line: int
    text: str


def statement_at(span: SourceSpan) -> Statement:
    """The statement around a place."""
    lines = tuple(linecache.getlines(span.file))
    alone = Statement(span.file, span.line, span.text.strip())
    if not 1 <= span.line <= len(lines) or lines[span.line - 1].rstrip() != span.text.rstrip():
        return alone
    first, last = _extents(lines).get(span.line, (span.line, span.line))
    comments = _comments(lines)
    parts = (lines[k - 1][: comments.get(k)].strip() for k in range(first, last + 1))
    return Statement(span.file, first, " ".join(part for part in parts if part))


@functools.lru_cache(maxsize=64)
def _extents(lines: tuple[str, ...]) -> dict[int, tuple[int, int]]:
    """First and last line of the innermost statement on each line that is part of a longer one."""
    try:
        tree = module_of("".join(lines))
    except (SyntaxError, ValueError, RecursionError):  # a notebook's magic, a prompt
        return {}
    extents: dict[int, tuple[int, int]] = {}
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        pending += [child for child in ast.iter_child_nodes(node) if _may_hold(child)]
        if isinstance(node, ast.stmt):
            _claim(node, extents)
    return extents


@functools.lru_cache(maxsize=64)
def _comments(lines: tuple[str, ...]) -> dict[int, int]:
    """Where comments begin, by line."""
    found: dict[int, int] = {}
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(iter(lines).__next__):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.start[1]
    return found


def _claim(node: ast.stmt, extents: dict[int, tuple[int, int]]) -> None:
    """Note a statement at its lines, where no statement inside it was noted."""
    body: list[ast.stmt] = getattr(node, "body", [])
    last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
    for line in range(node.lineno, max(node.lineno, last) + 1):
        known = extents.get(line)
        if known is None or known[1] - known[0] > last - node.lineno:
            extents[line] = node.lineno, max(node.lineno, last)


def _may_hold(node: ast.AST) -> bool:
    return isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case)
