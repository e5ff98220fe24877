"""What a loop's body moves from name to name, as in ``x0, x1, x2 = x, x0, x1``.

The statement of a loop enters; the moves leave, each as the name that is bound and the one that it
is bound to, and which names follow others by them. A trial of the body finds one link of such a
chain only.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType
from symdiff.parse.heap import Key
from symdiff.parse.unions import contents_of
from symdiff.parse.values import Abstract

Move = tuple[str, str]  # the name that is bound, and the one that it is bound to
_MANY = 4096
_APART = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.For, ast.While)


@functools.lru_cache(_MANY)
def moves_in(loop: ast.For | ast.While) -> tuple[Move, ...]:
    """The moves in a turn of a loop, those of loops inside left out."""
    assigned = [one for one in _inside(loop.body) if isinstance(one, ast.Assign)]
    return tuple(
        (to.id, source.id)
        for one in assigned
        for target in one.targets
        for to, source in _pairs(target, one.value)
        if isinstance(to, ast.Name) and isinstance(source, ast.Name)
    )


def _inside(body: list[ast.stmt]) -> Iterator[ast.AST]:
    pending: list[ast.AST] = list(body)
    while pending:
        one = pending.pop()
        yield one
        if not isinstance(one, _APART):
            pending += ast.iter_child_nodes(one)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Targets with the expressions that they are bound to."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        if len(target.elts) == len(value.elts):
            yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def led_from(
    sources: Iterable[Key], moves: Iterable[tuple[Key, Key]], is_led: Callable[[Key, Key], bool]
) -> Iterator[tuple[Key, Key]]:
    """The moves by which names follow ``sources``, or names that do, where ``is_led`` holds: each
    name once, behind the one that it follows.
    """
    moved: dict[Key, list[Key]] = {}
    for to, source in moves:
        moved.setdefault(source, []).append(to)
    reached, led = list(sources) if moved else [], set[Key]()
    while reached:
        source = reached.pop()
        for to in moved.get(source, ()):
            if to not in led and is_led(to, source):
                yield to, source
                led.add(to)
                reached.append(to)


def kinds_of(content: Abstract) -> set[Any]:
    """The types of the numbers that a content may be, besides None; none where it may be others."""
    parts = [one for one in contents_of(content).values() if one is not None]
    return {_kind(one) for one in parts} if all(map(_kind, parts)) else set()


def _kind(content: Abstract) -> Any:
    if isinstance(content, Value) and isinstance(content.type, ArrayType):
        return None if content.type.shape else content.type
    return type(content) if isinstance(content, int | float | complex) else None
