"""Syntax trees node by node, whatever their depth: whether two say the same, what is in one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any


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
            pending += [(_field(one, f), _field(other, f)) for f in one._fields]
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            pending += zip(one, other, strict=True)
        elif (
            one != other if type(one) is str else repr(one) != repr(other)
        ):  # 0.0 is not -0.0, and nan is nan
            return False
    return True


def parts_of(tree: ast.AST) -> Iterator[ast.AST]:
    """A tree and all below it, as ``ast.walk`` gives them, but in no order that means anything."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        for name in node._fields:
            field = getattr(node, name, None)
            if isinstance(field, ast.AST):
                pending.append(field)
            elif isinstance(field, list):
                pending += [part for part in field if isinstance(part, ast.AST)]


def _field(tree: ast.AST, name: str) -> Any:
    """A field; what is left out of a tree made by hand is an empty list where it was parsed."""
    value = getattr(tree, name, None)
    return None if value == [] else value


__all__ = ["parts_of", "same_tree"]
