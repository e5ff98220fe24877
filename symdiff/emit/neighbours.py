"""Assignments beside each other that belong to one line of the user's, as one statement.

    cosine = np.cos(angle)                 cosine, sine = np.cos(angle), np.sin(angle)
    sine = np.sin(angle)                   ...
    ...                                    a_tape, b_tape, s = [], [], x
    a_tape = []                 ─▶         for ...
    b_tape = []                                ...
    s = x                                  w_bar, x_bar = np.zeros(n), np.zeros(m)
    for ...
        ...
    w_bar = np.zeros(n)
    x_bar = np.zeros(m)

Works on the lines of a function. Joined is what is of one kind: what loops begin with, numbers,
cotangents, zeros, and arrays that are spelled alike; short expressions, of zeros as many as there
is room for. None reads what another gives its name to. An array is made beside others only outside
loops and where their names mean nothing yet: what a name had before would be freed later.
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
_WIDEST = 76  # of a statement that is not zeros or tapes alone
_LONGEST = 36  # of an expression in it
_MOST = 3  # names that one statement gives; of tapes one more
_ZEROS = dotted("np.zeros")
_STARTS = frozenset({"tape", "moved"})


def join_neighbours(lines: list[Line], depth: int = 1) -> None:
    """Join such assignments in place; ``depth``: how far they are indented."""
    for line in lines:
        join_neighbours(line.body, depth + 1)
        join_neighbours(line.orelse, depth + 1)
    room = max(_LEAST, WIDTH - depth * len(INDENT))
    runs = list(_runs(lines, are_new=depth == 1))
    lines[:] = [line for run in runs for line in _joined(run, room)]


def _runs(lines: Sequence[Line], *, are_new: bool) -> Iterator[list[Line]]:
    """The lines in order, with those together that might be one but for their width."""
    bound: set[str] = set()  # names that mean something, as far as arrays have to know
    run: list[Line] = []
    made: set[str] = set()  # names that the run gives something
    frees = False  # whether the run gives a name something else than what it had
    for line in lines:
        value = _value(line)
        names = _bound(line) if are_new or value is not None else set()
        fits = run and value is not None and _are_alike(run[-1], line)
        if not (fits and (line.light or not frees) and made.isdisjoint(_named(line))):
            yield run
            run, made, frees = [], set(), False
        run.append(line)
        made |= names
        frees = frees or not (are_new and names.isdisjoint(bound))
        bound |= names if are_new else set()
    yield run


def _value(line: Line) -> ast.expr | None:
    """What a line gives the only name that it gives something."""
    match line.tree:
        case ast.Assign([ast.Name()], value) if line.comment is None:
            return value
    return None


def _are_alike(last: Line, line: Line) -> bool:
    """Return whether two lines belong to one of the user's, and give names what goes together."""
    one, other, kinds = _value(last), _value(line), {last.kind, line.kind}
    if one is None or other is None:
        return False
    if "tape" in kinds or last.span is line.span is None:
        return kinds <= _STARTS
    if _place(last) != _place(line):
        return False
    if _is_zeros(one) or _is_zeros(other):
        return _is_zeros(one) and _is_zeros(other)
    if last.kind == line.kind is not None:
        return True
    return "cotangent" not in kinds and _spelled(one) == _spelled(other)


def _place(line: Line) -> object:
    return line.span and (line.span.file, line.span.line), line.derived


def _is_zeros(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and same_tree(value.func, _ZEROS)


def _spelled(value: ast.expr) -> object:
    """The kind of an expression, with its operator or function."""
    match value:
        case ast.Call(function):
            return ast.Call, ast.dump(function)
        case ast.BinOp(_, operator, _):
            return ast.BinOp, type(operator)
    return type(value)


def _named(line: Line) -> set[str]:
    """The names that a line reads or gives something, without the lines inside it."""
    return {node.id for node in ast.walk(line.tree) if isinstance(node, ast.Name)}


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
    part: list[Line] = []
    for line in run:
        if part and not _fits([*part, line], room):
            yield _made(part)
            part = []
        part.append(line)
    if part:
        yield _made(part)


def _fits(part: Sequence[Line], room: int) -> bool:
    """Return whether assignments may be one statement."""
    are_tapes = all(line.kind == "tape" for line in part)
    values = [value for line in part if (value := _value(line)) is not None]
    if len(part) > _MOST + are_tapes:
        return False
    if not (are_tapes or _is_zeros(values[0])):
        if any(len(print_statement(ast.Expr(value))) > _LONGEST for value in values):
            return False
        room = min(room, _WIDEST)
    return len(print_statement(_one(part)).rstrip()) <= room


def _made(part: Sequence[Line]) -> Line:
    if len(part) > 1:
        part[0].tree = _one(part)
        part[0].span = next((line.span for line in part if line.span is not None), None)
    return part[0]


def _one(part: Sequence[Line]) -> ast.Assign:
    """One assignment for several of one name each."""
    trees = [line.tree for line in part]
    targets = [tree.targets[0] for tree in trees if isinstance(tree, ast.Assign)]
    values = [tree.value for tree in trees if isinstance(tree, ast.Assign)]
    return ast.Assign([ast.Tuple(targets, ast.Store())], tuple_of(values), lineno=1)
