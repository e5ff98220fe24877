"""Whether two syntax trees say the same, node by node, whatever their depth."""

from __future__ import annotations

import ast
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
            if not _may_be_same(one, other, pending):
                return False
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            pending += zip(one, other, strict=True)
        elif (
            one != other if type(one) in (str, int) else repr(one) != repr(other)
        ):  # 0.0 is not -0.0, and nan is nan
            return False
    return True


def _may_be_same(one: ast.AST, other: ast.AST, pending: list[tuple[Any, Any]]) -> bool:
    """Return whether two nodes of one kind are the same if all pairs that are added are.

    A list that is empty and one that is left out are the same.
    """
    given, found = vars(one), vars(other)
    for name in one._fields:
        first: Any = given.get(name)
        second: Any = found.get(name)
        if first is second:
            continue
        kind = type(first)
        if kind is not type(second):
            if first not in _EMPTY or second not in _EMPTY:
                return False
        elif kind is list:
            if len(first) != len(second):
                return False
            pending += zip(first, second, strict=True)
        elif kind not in _BARE and (kind is not str or first != second):
            pending.append((first, second))
    return True


_EMPTY: tuple[Any, ...] = (None, [])
