"""Whether two syntax trees say the same, node by node, whatever their depth."""

from __future__ import annotations

import ast
from typing import Any

# Contexts and operators, which have no parts: of one kind, they are equal.
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
