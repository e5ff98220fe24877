"""Empty tapes that are made beside each other made in one statement, and zeros of cotangents.

    a_tape = []                            a_tape, b_tape = [], []
    b_tape = []                 ─▶         for ...
    for ...
        ...
    w_bar = np.zeros(n)                    w_bar, x_bar = np.zeros(n), np.zeros(m)
    x_bar = np.zeros(m)

Works on the lines of a function; the user's own assignments stay as they were written. Arrays are
made together only outside loops and where their names mean nothing yet: what a name had before
would be freed later.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from symdiff.emit.expressions import tuple_of
from symdiff.emit.printer import INDENT, print_statement
from symdiff.emit.text import WIDTH, Line
from symdiff.emit.trees import same_tree
from symdiff.ops.declare import dotted

_LEAST = 60  # characters that there is always room for
_MOST = {"tape": 4, "zeros": 3}  # names that one statement gives
_ZEROS = dotted("np.zeros")


def join_beginnings(lines: list[Line], depth: int = 1) -> None:
    """Join such assignments in place; ``depth``: how far they are indented."""
    for line in lines:
        join_beginnings(line.body, depth + 1)
        join_beginnings(line.orelse, depth + 1)
    room = max(_LEAST, WIDTH - depth * len(INDENT))
    runs = list(_runs(lines, are_new=depth == 1))
    lines[:] = [line for run in runs for line in _joined(run, room)]


def _runs(lines: Sequence[Line], *, are_new: bool) -> Iterator[list[Line]]:
    """The lines in order, with those together that might be one but for their width."""
    bound: set[str] = set()  # names that mean something, as far as zeros have to know
    run: list[Line] = []
    made: set[str] = set()  # names that the run gives something
    for line in lines:
        names = _bound(line) if are_new or _kind(line) else set()
        is_free = _kind(line) != "zeros" or (are_new and names.isdisjoint(bound))
        if run and not (is_free and _go_together(run[-1], line) and made.isdisjoint(_named(line))):
            yield run
            run, made = [], set()
        run.append(line)
        made |= names
        bound |= names if are_new else set()
        if not is_free:
            yield run
            run, made = [], set()
    yield run


def _go_together(last: Line, line: Line) -> bool:
    """Return whether a line makes what the last one does, for the same line of the user's."""
    kind = _kind(line)
    place = line.span and (line.span.file, line.span.line)
    return (
        kind is not None
        and _kind(last) == kind
        and place == (last.span and (last.span.file, last.span.line))
    )


def _named(line: Line) -> set[str]:
    """The names that a line reads or gives something, without the lines inside it."""
    return {node.id for node in ast.walk(line.tree) if isinstance(node, ast.Name)}


def _kind(line: Line) -> str | None:
    """What a line of ours makes, if that is an empty tape or zeros."""
    match line.tree:
        case ast.Assign([ast.Name()], ast.List([])) if line.is_tape:
            return "tape"
        case ast.Assign([ast.Name()], ast.Call(func)) if line.derived and same_tree(func, _ZEROS):
            return "zeros"
    return None


def _bound(line: Line) -> set[str]:
    """The names that a line gives something, with the lines inside it."""
    names: set[str] = set()
    pending = [line]
    while pending:
        one = pending.pop()
        nodes = (node for node in ast.walk(one.tree) if isinstance(node, ast.Name))
        names.update(node.id for node in nodes if not isinstance(node.ctx, ast.Load))
        pending += [*one.body, *one.orelse]
    return names


def _joined(run: Sequence[Line], room: int) -> Iterator[Line]:
    """The lines of a run, as many in one statement as there is room for."""
    kind = _kind(run[0]) if len(run) > 1 else None
    if kind is None:
        yield from run
        return
    part = [run[0]]
    for line in run[1:]:
        if len(part) < _MOST[kind] and len(print_statement(_one([*part, line])).rstrip()) <= room:
            part.append(line)
            continue
        yield _made(part)
        part = [line]
    yield _made(part)


def _made(part: Sequence[Line]) -> Line:
    if len(part) > 1:
        part[0].tree = _one(part)
    return part[0]


def _one(part: Sequence[Line]) -> ast.Assign:
    """One assignment for several of one name each."""
    trees = [line.tree for line in part]
    targets = [tree.targets[0] for tree in trees if isinstance(tree, ast.Assign)]
    values = [tree.value for tree in trees if isinstance(tree, ast.Assign)]
    return ast.Assign([ast.Tuple(targets, ast.Store())], tuple_of(values), lineno=1)
