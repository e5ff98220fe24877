"""Loops that compute block by block (``optimise.blocks``) run over the slices of the blocks.

    for start in range(0, n, 16384):            for part in blocks(n, 16384):
        stop = start + 16384            ─▶          x_part = x[part]
        x_part = x[start:stop]                      ...
        ...                                         y[part] = ...
        y[start:stop] = ...

Works on the lines of a function. What gives the length of a block a name before the loop, for that
alone, is written in the loop's header. A loop that has another use for an end of a block stays.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator

from symdiff.emit.expressions import call_of, target
from symdiff.emit.printer import print_statement
from symdiff.emit.text import WIDTH, Line
from symdiff.emit.trees import same_tree

Bind = Callable[[], str]
_NAMED = 3  # times that what is read in a loop's header and at its beginning is named
_NEAR = 6  # lines before a loop


def slice_blocks(lines: list[Line], fresh: Callable[[str], str], bind: Bind) -> None:
    """Let loops over blocks run over slices, in place; ``bind`` names what gives these."""
    everything = list(_within(lines))
    if any(line.kind == "blocks" for line, _ in everything):
        names = Counter(tree.id for line, _ in everything for tree in _names(line))
        for line, beside in everything:
            found = _bounds(line)
            if found is not None:
                _run_over_slices(line, *found, fresh("part"), bind())
                _write_in_header(beside, line, names)


def _within(lines: list[Line]) -> Iterator[tuple[Line, list[Line]]]:
    """Lines with those inside them, each with those beside it."""
    pending = [lines]
    while pending:
        beside = pending.pop()
        for line in beside[:]:
            yield line, beside
            pending += [line.body, line.orelse]


def _bounds(line: Line) -> tuple[str, str, ast.expr, ast.expr] | None:
    """The names of a block's bounds, the length of all and of a block, where the bounds are read in
    slices alone.
    """
    if line.kind != "blocks" or not line.body:
        return None
    match line.tree, line.body[0].tree:
        case (
            ast.For(ast.Name(start), ast.Call(ast.Name("range"), [ast.Constant(0), length, step])),
            ast.Assign([ast.Name(stop)], ast.BinOp(ast.Name(first), ast.Add(), more)),
        ):
            inside = [tree for one in line.body[1:] for tree in _trees(one)]
            slices = sum(_is_slice(tree, start, stop) for tree in inside)
            names = sum(isinstance(tree, ast.Name) and tree.id in (start, stop) for tree in inside)
            if first == start and same_tree(step, more) and names == 2 * slices:
                return start, stop, length, step
    return None


def _trees(line: Line) -> Iterator[ast.AST]:
    """The parts of a line and of the lines inside it."""
    for inner, _ in _within([line]):
        yield from ast.walk(inner.tree)


def _names(line: Line) -> Iterator[ast.Name]:
    """The names in a line, without the lines inside it."""
    return (tree for tree in ast.walk(line.tree) if isinstance(tree, ast.Name))


def _is_slice(tree: ast.AST, start: str, stop: str) -> bool:
    match tree:
        case ast.Slice(ast.Name(first), ast.Name(last), None):
            return (first, last) == (start, stop)
    return False


def _run_over_slices(
    line: Line, start: str, stop: str, length: ast.expr, step: ast.expr, part: str, blocks: str
) -> None:
    assert isinstance(line.tree, ast.For)
    line.tree.target, line.tree.iter = target(part), call_of(blocks, length, step)
    del line.body[0]
    for tree in (tree for inner in line.body for tree in _trees(inner)):
        for field, value in ast.iter_fields(tree):
            if isinstance(value, ast.AST) and _is_slice(value, start, stop):
                setattr(tree, field, ast.Name(part, ast.Load()))
            elif isinstance(value, list):
                value[:] = [
                    ast.Name(part, ast.Load())
                    if isinstance(one, ast.AST) and _is_slice(one, start, stop)
                    else one
                    for one in value
                ]


def _write_in_header(lines: list[Line], loop: Line, names: Counter[str]) -> None:
    """Write the length of a block in the header of a loop, where its name is for that alone: what
    stands between does not change what is read.
    """
    assert isinstance(loop.tree, ast.For)
    assert isinstance(loop.tree.iter, ast.Call)
    length, step = loop.tree.iter.args
    if not isinstance(step, ast.Name) or names[step.id] != _NAMED:
        return
    place = next(k for k, line in enumerate(lines) if line is loop)
    changed: set[str] = set()
    for line in reversed(lines[max(place - _NEAR, 0) : place]):
        if (value := _given(line, step.id)) is not None:
            loop.tree.iter.args = [length, value]
            is_short = len(print_statement(loop.tree)) <= WIDTH
            if is_short and changed.isdisjoint(name.id for name in _names(line)):
                lines.remove(line)
            else:
                loop.tree.iter.args = [length, step]
            return
        changed.update(n.id for n in _names(line) if not isinstance(n.ctx, ast.Load))


def _given(line: Line, name: str) -> ast.expr | None:
    """What a line gives a name."""
    match line.tree:
        case ast.Assign([ast.Name(to)], value) if to == name:
            return value
    return None
