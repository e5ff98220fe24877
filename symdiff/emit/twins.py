"""Functions that are the same but for their names are written once.

    def part_forward(x): ...                 def part_forward(x): ...
    def part_forward1(x): ...        ─▶
    y, saved = part_forward1(x)              y, saved = part_forward(x)

One graph has several derivatives, by what is asked of it; what the forward sweep does is often the
same for all. Functions are told apart by their statements, in which other functions stand for all
that are the same; those that call each other are left as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from symdiff.emit.printer import print_statement
from symdiff.emit.text import Line
from symdiff.source.trees import children

Told = tuple[str, ...]  # of a function: its text, then the functions it names, in their order


def write_once(functions: list[Line], others: Sequence[Line]) -> None:
    """Leave out all but the first of functions that are the same, in place; ``others`` name them,
    too.
    """
    known = {_name(function): function for function in functions}
    alike: dict[object, list[str]] = {}
    for name, function in known.items():
        alike.setdefault(_size(function), []).append(name)
    told = {
        name: _told(known[name], known)
        for names in alike.values()
        for name in (names if len(names) > 1 else ())
    }
    first = _first_of_each(told)
    if first:
        for function in (*functions, *others):
            _rename(function, first)
        functions[:] = [one for name, one in known.items() if name not in first]


def _name(function: Line) -> str:
    assert isinstance(function.tree, ast.FunctionDef)
    return function.tree.name


def _size(function: Line) -> object:
    """What is told at a glance, and is the same of functions that are the same."""
    assert isinstance(function.tree, ast.FunctionDef)
    return len(function.tree.args.args), sum(1 for _ in _lines(function))


def _lines(function: Line) -> Iterator[Line]:
    pending = [*reversed(function.body)]
    while pending:
        line = pending.pop()
        yield line
        pending += [*reversed(line.orelse), *reversed(line.body)]


def _names(line: Line) -> Iterator[ast.Name]:
    """The names in a line itself."""
    pending: list[ast.AST] = [line.tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            yield node
        pending += children(node)


def _told(function: Line, known: dict[str, Line]) -> Told:
    """A function's text, in which functions have no names, and these."""
    assert isinstance(function.tree, ast.FunctionDef)
    texts, called = [ast.unparse(function.tree.args)], []
    for line in _lines(function):
        inside = [node for node in _names(line) if node.id in known]
        called += [node.id for node in inside]
        before = [node.id for node in inside]
        for node in inside:
            node.id = "_"
        texts.append(f"{len(line.body)} {len(line.orelse)} {print_statement(line.tree)}")
        for node, name in zip(inside, before, strict=True):
            node.id = name
    return "\n".join(texts), *called


def _first_of_each(told: dict[str, Told]) -> dict[str, str]:
    """For functions that are the same as others the first of these."""
    first: dict[str, str] = {}
    while True:
        seen: dict[Told, str] = {}
        found: dict[str, str] = {}
        for name, (text, *called) in told.items():
            one = seen.setdefault((text, *(first.get(each, each) for each in called)), name)
            if one != name:
                found[name] = one
        if found == first:
            return first
        first = found


def _rename(function: Line, names: dict[str, str]) -> None:
    for line in _lines(function):
        for node in _names(line):
            node.id = names.get(node.id, node.id)
