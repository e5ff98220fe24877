"""Syntax trees node by node, whatever their depth: whether two say the same, what is in one."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from typing import Any

# Contexts and operators, which have no parts.
_BARE = frozenset(
    bare
    for kind in (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
    for bare in kind.__subclasses__()
)


def same_tree(a: ast.AST, b: ast.AST) -> bool:
    """Return whether two trees have equal nodes and constants, as ``ast.dump`` shows them."""
    pending: list[tuple[Any, Any]] = [(a, b)]
    while pending:
        one, other = pending.pop()
        if one is other:
            continue
        if type(one) is not type(other):
            return False
        if isinstance(one, ast.AST):
            for name in one._fields:
                first, second = getattr(one, name, None), getattr(other, name, None)
                kind = type(first)
                same = kind is type(second) and (kind in _BARE or (kind is str and first == second))
                if first is second or same:
                    continue
                pending.append((None if first == [] else first, None if second == [] else second))
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            pending += zip(one, other, strict=True)
        elif (
            one != other if type(one) is str else repr(one) != repr(other)
        ):  # 0.0 is not -0.0, and nan is nan
            return False
    return True


def parts_of(tree: ast.AST, besides: Sequence[ast.AST] = ()) -> list[ast.AST]:
    """A tree and all below it, as ``ast.walk`` gives them, but in no order that means anything, and
    without contexts and operators. What stands ``besides`` is left out with all below it.
    """
    found: list[ast.AST] = []
    pending = [tree]
    while pending:
        node = pending.pop()
        if node in besides:
            continue
        found.append(node)
        for name in _fields_of_parts(type(node)):
            field = getattr(node, name, None)
            if isinstance(field, list):
                pending += [part for part in field if isinstance(part, ast.AST)]
            elif isinstance(field, ast.AST):
                pending.append(field)
    return found


_NO_PARTS = frozenset({"ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment"})


@functools.cache
def _fields_of_parts(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that have parts other than contexts and operators."""
    own = _NO_PARTS | ({"value"} if kind is ast.Constant else set())
    return tuple(name for name in kind._fields if name not in own)


__all__ = ["parts_of", "same_tree"]
