"""``break`` restored where a flag, raised at the end of a turn, stops the loop before the next.

    stop = False                              for k in range(n):
    for k in range(n):                            if x[k] < 0:
        if stop:                                      break
            break                    ─▶           s += x[k]
        if x[k] < 0:
            stop = True
        else:
            s += x[k]
            stop = False

Works on the lines of a function. The flag stays where something else reads it, such as the loop's
``else``.
"""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Callable, Iterator

from symdiff.dataclass import dataclass
from symdiff.emit.expressions import assign, negation, truth
from symdiff.emit.text import Line

Loads = Callable[[], Counter[str]]  # how often names are read, counted where that is asked for


def restore_breaks(lines: list[Line]) -> None:
    """Change loops that a flag stops, in place."""
    if any(_has_loop(line) for line in lines):
        _restore(lines, functools.cache(lambda: Counter(_loads(lines))))


@dataclass(frozen=True, slots=True)
class _Head:
    """What tests a flag where a turn begins: how many lines, and what is left of them."""

    flag: str
    taken: int
    rest: tuple[Line, ...] = ()
    always: bool = False


def _restore(lines: list[Line], loads: Loads) -> None:
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place]
        _restore(line.body, loads)
        _restore(line.orelse, loads)
        if isinstance(line.tree, (ast.For, ast.While)):
            _restore_loop(lines, place, loads)


def _restore_loop(lines: list[Line], place: int, loads: Loads) -> None:
    line = lines[place]
    head = _head(line, loads)
    before = None if head is None else _lowered_at(lines, place, head.flag)
    if head is None or before is None:
        return
    rest = _decided(line.body[head.taken :], head.flag)
    if not rest or not _is_tail(rest, head.flag):
        return
    keep = loads()[head.flag] > Counter(_loads([line]))[head.flag]
    line.body = [*head.rest, *_leaving(rest, head.flag, keep)]
    if head.always and isinstance(line.tree, ast.While):
        line.tree.test = ast.Constant(True)
    if not keep:
        del lines[before]


def _head(line: Line, loads: Loads) -> _Head | None:
    body, tree = line.body, line.tree
    if isinstance(tree, ast.While):
        flag = _negated_name(tree.test)
        if flag is not None:
            return _Head(flag, 0, (), True)
        if not isinstance(tree.test, ast.Constant):
            return None
    if body and _is_break(body[0]) and isinstance(body[0].tree, ast.If):
        test = body[0].tree.test
        return _Head(test.id, 1) if isinstance(test, ast.Name) else None
    return _double_head(body, loads)


def _double_head(body: list[Line], loads: Loads) -> _Head | None:
    """``if stop: t = False``, ``else: t = test``, ``if not t: break``."""
    if len(body) < 3 or not isinstance(body[0].tree, ast.If) or not _is_break(body[1]):
        return None
    first, second = body[0], body[1]
    assert isinstance(second.tree, ast.If)
    flag, test = first.tree.test, _negated_name(second.tree.test)  # type: ignore[attr-defined]
    if not isinstance(flag, ast.Name) or test is None or loads()[test] != 1 or not first.orelse:
        return None
    value = _assigned(first.orelse[-1], test)
    if len(first.body) != 1 or value is None or not _sets(first.body[0], test, False):
        return None
    if isinstance(value, ast.Constant) and value.value is True:
        return _Head(flag.id, 2, tuple(first.orelse[:-1]))
    stop = Line(ast.If(negation(value), [], []), second.span, second.derived, body=second.body)
    return _Head(flag.id, 2, (*first.orelse[:-1], stop))


def _lowered_at(lines: list[Line], place: int, flag: str) -> int | None:
    """The line just before a loop that lowers its flag."""
    for k in range(place - 1, -1, -1):
        if _sets(lines[k], flag, False):
            return k
        if not isinstance(lines[k].tree, ast.Assign) or flag in _names(lines[k]):
            return None
    return None


def _decided(lines: list[Line], flag: str) -> list[Line]:
    """With ``stop = test`` and a branch on that as a branch on the test that sets the flag."""
    if len(lines) < 2 or not isinstance(lines[-1].tree, ast.If):
        return lines
    *others, given, last = lines
    value, test = _assigned(given, flag), lines[-1].tree.test
    raised = isinstance(test, ast.Name)
    inside = {name for line in (*last.body, *last.orelse) for name in _names(line)}
    if value is None or _names_of(test) != {flag} or flag in inside | _names_of(value):
        return lines
    if not raised and _negated_name(test) is None:
        return lines
    arms = (last.body, last.orelse) if raised else (last.orelse, last.body)
    then, orelse = (
        [*arm, Line(assign(ast.Name(flag, ast.Store()), ast.Constant(sets)), given.span)]
        for arm, sets in zip(arms, (True, False), strict=True)
    )
    return [*others, Line(ast.If(truth(value), [], []), given.span, body=then, orelse=orelse)]


def _is_tail(lines: list[Line], flag: str) -> bool:
    """Return whether the flag is set at the ends of the last branch only, or not at all on some
    paths.
    """
    if any(flag in _names(line) for line in lines[:-1]):
        return False
    last = lines[-1]
    value = _assigned(last, flag)
    if value is not None:
        return flag not in _names_of(value)
    if flag not in _names(last):
        return True
    if not isinstance(last.tree, ast.If):
        return False
    arms = [arm for arm in (last.body, last.orelse) if arm]
    return flag not in _names_of(last.tree.test) and all(_is_tail(arm, flag) for arm in arms)


def _leaving(lines: list[Line], flag: str, keep: bool) -> list[Line]:
    """The lines with ``break`` where the flag was raised."""
    *others, last = lines
    value = _assigned(last, flag)
    if value is not None:
        raised = _left_where(last, ast.Name(flag, ast.Load()) if keep else value, value)
        return [*others, last, *raised] if keep and raised else [*others, *raised]
    if not isinstance(last.tree, ast.If) or flag not in _names(last):
        return lines
    then = _leaving(last.body, flag, keep)
    orelse = _leaving(last.orelse, flag, keep) if last.orelse else []
    if not then:
        last.tree.test, then, orelse = negation(last.tree.test), orelse, []
    last.body, last.orelse = then or [Line(ast.Pass())], orelse
    if then and isinstance(then[-1].tree, ast.Break):
        last.orelse = []
        return [*others, last, *orelse]
    return [*others, last]


def _left_where(line: Line, test: ast.expr, value: ast.expr) -> list[Line]:
    """What leaves a loop where the ``value`` that a line gives the flag is true, as ``test`` is."""
    leave = Line(ast.Break(), line.span, line.derived)
    if isinstance(value, ast.Constant):
        return [leave] if value.value else []
    return [Line(ast.If(truth(test), [], []), line.span, line.derived, body=[leave])]


# What lines say


def _has_loop(line: Line) -> bool:
    if isinstance(line.tree, (ast.For, ast.While)):
        return True
    return any(_has_loop(inner) for inner in (*line.body, *line.orelse))


def _is_break(line: Line) -> bool:
    """``if test: break``."""
    only = isinstance(line.tree, ast.If) and len(line.body) == 1 and not line.orelse
    return only and isinstance(line.body[0].tree, ast.Break)


def _negated_name(test: ast.expr) -> str | None:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand.id if isinstance(test.operand, ast.Name) else None
    return None


def _assigned(line: Line, name: str) -> ast.expr | None:
    tree = line.tree
    if not isinstance(tree, ast.Assign) or not isinstance(tree.targets[0], ast.Name):
        return None
    return tree.value if tree.targets[0].id == name else None


def _sets(line: Line, name: str, value: bool) -> bool:
    given = _assigned(line, name)
    return isinstance(given, ast.Constant) and given.value is value


def _names_of(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _names(line: Line) -> set[str]:
    """All names in a line and in the blocks inside it."""
    inner = (name for part in (line.body, line.orelse) for other in part for name in _names(other))
    return {*_names_of(line.tree), *inner}


def _loads(lines: list[Line]) -> Iterator[str]:
    for line in lines:
        for node in ast.walk(line.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield node.id
        yield from _loads(line.body)
        yield from _loads(line.orelse)
