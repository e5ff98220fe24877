"""Syntax trees that say the same: compared node by node, whatever their depth."""

from __future__ import annotations

import ast
from typing import Any


def same_tree(a: ast.AST, b: ast.AST) -> bool:
    """Whether two trees have equal nodes and constants, as ``ast.dump`` shows them."""
    pending: list[tuple[Any, Any]] = [(a, b)]
    while pending:
        one, other = pending.pop()
        if one is other:
            continue
        if type(one) is not type(other):
            return False
        if isinstance(one, ast.AST):
            pending += [(_field(one, f), _field(other, f)) for f in one._fields]
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            pending += zip(one, other, strict=True)
        elif repr(one) != repr(other):  # 0.0 is not -0.0, and nan is nan
            return False
    return True


def _field(tree: ast.AST, name: str) -> Any:
    """A field; what is left out of a tree made by hand is an empty list where it was parsed."""
    value = getattr(tree, name, None)
    return None if value == [] else value


__all__ = ["same_tree"]
