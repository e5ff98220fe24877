"""Tapes that are filled together and read together become one tape, of tuples.

    i_tape = []                               tape = []
    f_tape = []                               for t in range(n):
    for t in range(n):                            ...
        ...                                       tape.append((i, f))
        i_tape.append(i)            ─▶        for t in reversed(range(n)):
        f_tape.append(f)                          i, f = tape[t]
    for t in reversed(range(n)):                  ...
        i = i_tape[t]
        f = f_tape[t]
        ...

Works on the lines of a function. What is stored is stored behind the last of it: between them
stand assignments to other names alone, by no method that may change an object; where copies are
stored, by no function of the program's either. Tapes that a header runs over together are one as
well where they are three or more.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from symdiff.dataclass import dataclass
from symdiff.emit.expressions import assign, call_of, method, name, subscript, target, tuple_of
from symdiff.emit.namespace import MODULES, SPOKEN
from symdiff.emit.text import Line

_LEAST_IN_HEADER = 3
_WIDEST = 56  # columns of the names of a bundle
_COPYING = frozenset({"astype", "copy", "reshape", "tolist"})


@dataclass(slots=True)
class _Use:
    """A line in which a tape is named, where it stands among the lines beside it."""

    line: Line
    beside: list[Line]
    place: int


@dataclass(slots=True)
class _Tape:
    """A tape that is made, filled and read in one place each.

    ``stored`` is a variable, or a copy of one; ``variable`` gets what is read, ``index`` is None
    where a header runs over the tape.
    """

    made: _Use
    filled: _Use
    read: _Use
    stored: ast.expr
    variable: str
    index: ast.expr | None

    @property
    def uses(self) -> tuple[_Use, _Use, _Use]:
        return self.made, self.filled, self.read


def bundle_tapes(lines: list[Line], fresh: Callable[[str], str]) -> None:
    """Put tapes of a function's lines together, in place; ``fresh`` makes names."""
    runs = [run for group in _groups(_tapes(lines)) for run in _runs(group)]
    for run in runs:
        _join(run, fresh("tape"))
    left_out = {id(line) for run in runs for line in _left_out(run)}
    parts = (use.beside for run in runs for tape in run for use in tape.uses)
    for beside in {id(part): part for part in parts}.values():
        beside[:] = [line for line in beside if id(line) not in left_out]


# Which tapes ------------------------------------------------------------------------------------


def _uses(lines: list[Line]) -> Iterator[_Use]:
    for place, line in enumerate(lines):
        yield _Use(line, lines, place)
        yield from _uses(line.body)
        yield from _uses(line.orelse)


def _tapes(lines: list[Line]) -> list[_Tape]:
    """The tapes that are named three times, in the order in which they are filled."""
    uses: dict[str, list[_Use]] = {}
    everywhere = list(_uses(lines))
    made = {to: use for use in everywhere if (to := _made(use.line.tree)) is not None}
    if len(made) < 2:
        return []
    for use in everywhere:
        for named in made.keys() & set(_names(use.line.tree)):
            uses.setdefault(named, []).append(use)
    found = (_tape(named, found) for named, found in uses.items() if len(found) == 3)
    return sorted((tape for tape in found if tape is not None), key=lambda tape: tape.filled.place)


def _tape(named: str, uses: Sequence[_Use]) -> _Tape | None:
    made, filled, read = uses
    stored = _appended(filled.line.tree, named)
    if _made(made.line.tree) != named or stored is None or made.beside is filled.beside:
        return None
    taken = _taken(read.line.tree, named)
    return None if taken is None else _Tape(made, filled, read, stored, *taken)


def _made(tree: ast.stmt) -> str | None:
    """The name of a list that a statement makes: ``tape = []``."""
    match tree:
        case ast.Assign([ast.Name(to)], ast.List([])):
            return to
    return None


def _appended(tree: ast.stmt, named: str) -> ast.expr | None:
    """What ``tape.append(x)`` stores, where that is a variable or a copy of one."""
    match tree:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(base), "append"), [stored], [])):
            if base != named:
                return None
            match stored:
                case ast.Name() | ast.Call(ast.Attribute(ast.Name(), "copy"), [], []):
                    return stored
    return None


def _taken(tree: ast.stmt, named: str) -> tuple[str, ast.expr | None] | None:
    """The variable that gets an element of a tape, and the index: of ``x = tape[k]``, or of a
    header.
    """
    match tree:
        case ast.Assign([ast.Name(to)], ast.Subscript(ast.Name(base), index)) if base == named:
            match index:
                case ast.Name() | ast.BinOp(ast.Name(), ast.Sub() | ast.Add(), ast.Constant()):
                    return to, index
        case ast.For(to, iterable):
            for one, source in _parts(to, iterable):
                if isinstance(one, ast.Name) and _backwards(source) == named:
                    return one.id, None
    return None


def _parts(to: ast.expr, iterable: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """The targets of a header with what they run over."""
    match to, iterable:
        case ast.Tuple(targets), ast.Call(ast.Name("zip"), sources, []):
            return list(zip(targets, sources, strict=True))
    return [(to, iterable)]


def _backwards(source: ast.expr) -> str | None:
    """The name of a list that is run over from its end."""
    match source:
        case ast.Call(ast.Name("reversed"), [ast.Name(base)], []):
            return base
    return None


# Which go together --------------------------------------------------------------------------------


def _groups(tapes: Sequence[_Tape]) -> list[list[_Tape]]:
    """Tapes that are made, filled and read beside each other, by the same index."""
    found: dict[tuple[object, ...], list[_Tape]] = {}
    for tape in tapes:
        where = id(tape.read.line) if tape.index is None else id(tape.read.beside)
        index = None if tape.index is None else ast.dump(tape.index)
        key = id(tape.made.beside), id(tape.filled.beside), where, index
        found.setdefault(key, []).append(tape)
    return list(found.values())


def _runs(group: Sequence[_Tape]) -> Iterator[list[_Tape]]:
    """Parts of a group, in order, that can be stored together and read together."""
    least = _LEAST_IN_HEADER if group[0].index is None else 2
    for run in _stored_together(group):
        read = run if run[0].index is None else _read_together(run)
        for part in _narrow(read):
            if len(part) >= least:
                yield part


def _stored_together(group: Sequence[_Tape]) -> Iterator[list[_Tape]]:
    run, names, copied = [group[0]], set(_names(group[0].stored)), _is_copy(group[0])
    for before, tape in pairwise(group):
        between = tape.filled.beside[before.filled.place + 1 : tape.filled.place]
        if not all(_leaves(line, names, copied) for line in between):
            yield run
            run, names, copied = [], set(), False
        run.append(tape)
        names.update(_names(tape.stored))
        copied = copied or _is_copy(tape)
    yield run


def _is_copy(tape: _Tape) -> bool:
    return isinstance(tape.stored, ast.Call)


def _leaves(line: Line, names: set[str], copied: bool) -> bool:
    """Return whether a statement is an assignment to other names, or fills another tape; where
    copies are stored, it may not change an object either.
    """
    match line.tree:
        case ast.Assign([ast.Name() | ast.Tuple() as to], value):
            parts = to.elts if isinstance(to, ast.Tuple) else [to]
            others = all(isinstance(one, ast.Name) and one.id not in names for one in parts)
            return others and all(_only_computes(part, copied) for part in ast.walk(value))
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(base), "append"), [_], [])):
            return base not in names
    return False


def _only_computes(node: ast.AST, copied: bool) -> bool:
    """Return whether a part of an expression calls no method, nor, where copies are stored, a
    function, that may change an object.
    """
    if not isinstance(node, ast.Call):
        return True
    match node.func:
        case ast.Name(called):
            return not copied or called in SPOKEN
        case ast.Attribute(_, called) if called in _COPYING:
            return True
    called_of = node.func
    while isinstance(called_of, ast.Attribute):
        called_of = called_of.value
    return isinstance(called_of, ast.Name) and called_of.id in MODULES


def _read_together(run: Sequence[_Tape]) -> list[_Tape]:
    """Those of a run that can be read where the first of them is: what stands between does not
    name their variables, nor change the index.
    """
    by_line = {id(tape.read.line): tape for tape in run}
    first, *_, last = sorted(tape.read.place for tape in run) * 2
    assert run[0].index is not None
    by = set(_names(run[0].index))
    kept: dict[str, _Tape] = {}
    named: set[str] = set()
    for line in run[0].read.beside[first : last + 1]:
        tape = by_line.get(id(line))
        if tape is None:
            named.update(_named_in(line))
        elif named.isdisjoint(by) and tape.variable not in named | by:
            kept.setdefault(tape.variable, tape)
    return [tape for tape in run if tape in kept.values()]


def _named_in(line: Line) -> Iterator[str]:
    yield from _names(line.tree)
    for inner in (*line.body, *line.orelse):
        yield from _named_in(inner)


def _names(tree: ast.AST) -> Iterator[str]:
    return (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _narrow(run: Sequence[_Tape]) -> Iterator[list[_Tape]]:
    """Parts whose names fit into a line."""
    part: list[_Tape] = []
    width = 0
    for tape in run:
        width += len(tape.variable) + 2
        if width > _WIDEST and part:
            yield part
            part, width = [], len(tape.variable) + 2
        part.append(tape)
    if part:
        yield part


# One tape for several -----------------------------------------------------------------------------


def _join(run: Sequence[_Tape], bundle: str) -> None:
    """Let the lines that stay be about one tape."""
    run[0].made.line.tree = assign(target(bundle), ast.List([], ast.Load()))
    stored = tuple_of([tape.stored for tape in run])
    run[-1].filled.line.tree = ast.Expr(method(name(bundle), "append", stored))
    variables: ast.expr = ast.Tuple([target(tape.variable) for tape in run], ast.Store())
    line, index = _reading(run), run[0].index
    if index is not None:
        line.tree = assign(variables, subscript(name(bundle), index))
        return
    tree = line.tree
    assert isinstance(tree, ast.For)
    kept = [p for p in _parts(tree.target, tree.iter) if not _is_variable(p[0], run)]
    kept.append((variables, call_of("reversed", name(bundle))))
    targets, sources = map(list, zip(*kept, strict=True))
    alone = len(kept) == 1
    tree.target = targets[0] if alone else ast.Tuple(targets, ast.Store())
    tree.iter = sources[0] if alone else call_of("zip", *sources)


def _is_variable(to: ast.expr, run: Sequence[_Tape]) -> bool:
    return isinstance(to, ast.Name) and any(to.id == tape.variable for tape in run)


def _reading(run: Sequence[_Tape]) -> Line:
    """The first line that reads a tape of a run."""
    return min((tape.read for tape in run), key=lambda use: use.place).line


def _left_out(run: Sequence[_Tape]) -> list[Line]:
    """The lines of a run that its one tape makes needless."""
    kept = {id(run[0].made.line), id(run[-1].filled.line), id(_reading(run))}
    lines = [use.line for tape in run for use in tape.uses]
    return [line for line in lines if id(line) not in kept]
