"""What the activation of a function leaves to the functions that were defined in it.

When it has ended only they see its names, so activations can be joined where paths meet and carried
through a loop like objects, as long as none of them binds a name anew (``nonlocal``).
"""

from __future__ import annotations

import ast
import functools
from dataclasses import replace

from symdiff.parse.values import Abstract, Closure, Scope, now
from symdiff.source.trees import parts_of

_DEFINITIONS = (ast.FunctionDef, ast.Lambda, ast.GeneratorExp)
PARENT = ""  # what an activation holds under no name: the one around it
OWN = Scope("", frozenset(), None, {})  # in the place of the activation that holds a function


@functools.lru_cache(maxsize=1000)
def names_seen(function: ast.AST) -> frozenset[str]:
    """The names that functions and generators defined in a function or a comprehension may read."""
    inner = [n for n in parts_of(function) if isinstance(n, _DEFINITIONS) and n is not function]
    return frozenset(n.id for node in inner for n in parts_of(node) if isinstance(n, ast.Name))


@functools.lru_cache(maxsize=1000)
def rebinds(function: ast.AST) -> bool:
    """Return whether a function defined in one, or one in there, binds a name that is not its
    own.
    """
    return any(isinstance(node, ast.Nonlocal) for node in parts_of(function))


def has_ended(scope: Scope) -> bool:
    """Return whether an activation of a function in the source, or a comprehension, has ended."""
    return scope.ended and scope.node is not None


def another_activation(scope: Scope) -> Scope:
    """A new activation of the same function, ended as well; it holds nothing yet."""
    return replace(scope, parent=None, serial=now())


def from_within(scope: Scope, content: Abstract) -> Abstract:
    """A content without the activation that holds it."""
    if isinstance(content, Closure) and content.scope is scope:
        return replace(content, scope=OWN)
    return content


def put_into(scope: Scope, content: Abstract) -> Abstract:
    """A content, in an activation that holds it now."""
    if isinstance(content, Closure) and content.scope is OWN:
        return replace(content, scope=scope)
    return content
