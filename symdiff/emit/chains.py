"""Neighbouring assignments of one constant written as one.

    a_bar = 0.0
    n = 0                 ─▶     a_bar = b_bar = 0.0
    b_bar = 0.0                  n = 0

Works on the lines of a function: on zeros of cotangents, and what branches and loops begin or end
with. The user's own assignments stay as they were written.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import groupby

from symdiff.emit.printer import INDENT, print_statement
from symdiff.emit.text import WIDTH, Line

_LEAST = 60  # characters that there is always room for


def chain_constants(lines: list[Line], depth: int = 1) -> None:
    """Write assignments of one constant as one, in place; ``depth``: how far they are indented."""
    for line in lines:
        chain_constants(line.body, depth + 1)
        chain_constants(line.orelse, depth + 1)
    runs = (list(run) for _, run in groupby(lines, _is_constant))
    room = max(_LEAST, WIDTH - depth * len(INDENT))
    lines[:] = [line for run in runs for line in _chained(run, room)]


def _is_constant(line: Line) -> bool:
    """Return whether a line gives names a constant, and is not one of the user's."""
    tree = line.tree
    own = line.span is not None and not line.derived
    if own or not isinstance(tree, ast.Assign) or not isinstance(tree.value, ast.Constant):
        return False
    return all(isinstance(target, ast.Name) for target in tree.targets)


def _chained(run: Sequence[Line], room: int) -> Iterator[Line]:
    """The lines of a run of such assignments, those of one constant together."""
    if len(run) == 1 or not _is_constant(run[0]) or not _are_distinct(run):
        yield from run
        return
    last: dict[object, Line] = {}
    made: list[Line] = []
    for line in run:
        before = last.get(_key(line))
        joined = None if before is None else _joined(before, line, room)
        if before is None or joined is None:
            last[_key(line)] = line
            made.append(line)
        else:
            before.tree = joined
    yield from made


def _are_distinct(run: Sequence[Line]) -> bool:
    """Return whether the order of assignments does not matter: no name is given two constants."""
    names = [target.id for line in run for target in _targets(line)]
    return len(names) == len(set(names))


def _joined(one: Line, other: Line, room: int) -> ast.Assign | None:
    """Two assignments as one; None where that would be wider than there is room."""
    value = one.tree.value  # type: ignore[attr-defined]
    tree = ast.Assign([*_targets(one), *_targets(other)], value, lineno=1)
    return tree if len(print_statement(tree).rstrip()) <= room else None


def _targets(line: Line) -> list[ast.Name]:
    tree = line.tree
    assert isinstance(tree, ast.Assign)
    return [target for target in tree.targets if isinstance(target, ast.Name)]


def _key(line: Line) -> object:
    """What lines have in common that may be one: the constant, and the line that they belong to."""
    value = line.tree.value.value  # type: ignore[attr-defined]
    place = (line.span.file, line.span.line) if line.derived and line.span else None
    return type(value), repr(value), place
