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
            for name in one._fields:
                first, second = getattr(one, name, None), getattr(other, name, None)
                if first is not second:
                    pending.append(
                        (None if first == [] else first, None if second == [] else second)
                    )
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            pending += zip(one, other, strict=True)
        elif (
            one != other if type(one) is str else repr(one) != repr(other)
        ):  # 0.0 is not -0.0, and nan is nan
            return False
    return True


def _present(field: Any) -> Any:
    """A field; what is left out of a tree made by hand is an empty list where it was parsed."""
    return None if isinstance(field, list) and not field else field


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


__all__ = ["parts_of", "same_tree"]
