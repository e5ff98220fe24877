"""What a loop's body moves from name to name, as in ``x0, x1, x2 = x, x0, x1``.

The statement of a loop enters; the moves leave, each as the name that is bound and the one it is
bound to. Trials of the body would find one link of such a chain each.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

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
