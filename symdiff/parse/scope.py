"""Names: which are local, where the others live, and what reading and binding them does."""

from __future__ import annotations

import ast
import contextlib
import functools
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from symdiff.definitions import is_definition
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import FreeVariable, Value
from symdiff.ir.signature import Path
from symdiff.parse.blame import users
from symdiff.parse.heap import value_name
from symdiff.parse.interpreter import Interpreter, unbound
from symdiff.parse.lookups import builtin_named
from symdiff.parse.marking import marked
from symdiff.parse.reflect import everywhere, reflect
from symdiff.parse.values import ABSENT, Abstract, Array, DictRef, ListRef, Scope
from symdiff.source import FunctionNode
from symdiff.source.trees import children

_MANY = 512  # functions whose names are remembered: they are staged call by call
_OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_PLACED = (ast.stmt, ast.expr)
_YIELDS = (ast.Yield, ast.YieldFrom)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@functools.lru_cache(_MANY)
def local_names(node: FunctionNode) -> tuple[frozenset[str], frozenset[str]]:
    """The names a function binds, and those it declares global (its nonlocals are in neither)."""
    arguments = node.args
    bound = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    bound |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
    outer: set[str] = set()
    global_: set[str] = set()
    for inner in _own_nodes(node):
        bound |= _binds(inner)
        if isinstance(inner, ast.Nonlocal):
            outer |= set(inner.names)
        elif isinstance(inner, ast.Global):
            global_ |= set(inner.names)
    return frozenset(bound - outer - global_), frozenset(global_)


@functools.lru_cache(_MANY)
def yielding(node: FunctionNode) -> ast.Yield | ast.YieldFrom | None:
    """The first ``yield`` of a generator function: calling it runs none of its statements."""
    found = (n for n in _own_nodes(node) if isinstance(n, _YIELDS))
    return next(found, None)


@functools.lru_cache(_MANY)
def uses_what_is_sent(node: FunctionNode) -> bool:
    """Return whether a ``yield`` is a part of an expression, which goes on behind it."""
    nodes = _own_nodes(node)
    whole = {id(n.value) for n in nodes if isinstance(n, ast.Expr | ast.Assign)}
    return any(isinstance(n, ast.Yield) and id(n) not in whole for n in nodes)


@functools.lru_cache(_MANY)
def yields_in(node: ast.stmt | ast.expr) -> bool:
    """Return whether a ``yield`` of the function itself stands in a part of it."""
    if isinstance(node, _YIELDS):
        return True
    return not isinstance(node, _OWN_SCOPE) and any(map(yields_in, children(node)))


@functools.lru_cache(_MANY)
def cleans_up(node: FunctionNode) -> bool:
    """Return whether a ``yield`` stands in a ``try`` or a ``with``, where a generator is closed."""
    return any(
        isinstance(n, ast.With | ast.Try | ast.TryStar) and yields_in(n) for n in _own_nodes(node)
    )


def bound_in(node: ast.ClassDef) -> frozenset[str]:
    """The names that the body of a class binds."""
    return frozenset().union(*map(_binds, _own_nodes(node)))


@functools.lru_cache(_MANY)
def _own_nodes(function: FunctionNode | ast.ClassDef) -> tuple[ast.AST, ...]:
    """Nodes that belong to a function or a class itself; of a comprehension only its walruses."""
    roots = [function.body] if isinstance(function, ast.Lambda) else function.body
    found: list[ast.AST] = []
    stack: list[tuple[ast.AST, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        node, inside = stack.pop()
        inside = inside or isinstance(node, _COMPREHENSIONS)
        if not inside or isinstance(node, ast.NamedExpr):
            found.append(node)
        if isinstance(node, ast.NamedExpr) and inside:
            found.append(node.target)
        if not isinstance(node, _OWN_SCOPE):
            stack += [(child, inside) for child in children(node)]
    return tuple(found)


def _binds(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Name):
        return set() if isinstance(node.ctx, ast.Load) else {node.id}
    if isinstance(node, ast.expr):
        return set()
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name is not None:
        return {node.name}
    if isinstance(node, ast.MatchMapping) and node.rest is not None:
        return {node.rest}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return set()


def names_in_order(node: FunctionNode) -> list[str]:
    """The names of a function: its parameters, then what it binds in the order of the text."""
    spec = node.args
    starred = [each for each in (spec.vararg, spec.kwarg) if each is not None]
    names = [each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *starred)]
    nodes = [each for each in _own_nodes(node) if isinstance(each, _PLACED)]
    nodes.sort(key=lambda each: (each.lineno, each.col_offset))
    return list(dict.fromkeys((*names, *(name for each in nodes for name in _binds(each)))))


# Reading ------------------------------------------------------------------------------------------


def load_name(interp: Interpreter, name: str) -> Abstract:
    """What a name means here: a local, an enclosing one, a closure cell, a global, a builtin."""
    scope = home_of(interp.scope, name)
    if isinstance(scope, Scope):
        content = interp.lookup((scope, name), name)
        if content is ABSENT:
            raise users(unbound(name, scope is interp.scope))
        return content
    return read_free(interp, scope_variable(interp, name))


def scope_variable(interp: Interpreter, name: str) -> FreeVariable:
    """The variable outside all staged functions that a name stands for."""
    for scope in _seen_from(interp.scope):
        if name in scope.cells and name not in scope.declared_global:
            return interp.free_variable("cell", scope.cells[name], name)
        if scope.parent is None or name in scope.declared_global:
            return interp.free_variable("global", scope.globals, name)
    raise users(NameError(f"name '{name}' is not defined"))


def home_of(scope: Scope, name: str) -> Scope | None:
    """The activation that holds a name; None where it is a cell, a global or a builtin."""
    for seen in _seen_from(scope):
        if name in seen.declared_global:
            return None
        if name in seen.locals:
            return seen
        if name in seen.cells:
            return None
    return None


def _seen_from(scope: Scope) -> Iterator[Scope]:
    """The scopes that a name is looked for in: functions do not see what a class around binds."""
    current: Scope | None = scope
    while current is not None:
        if current is scope or not isinstance(current.node, ast.ClassDef):
            yield current
        current = current.parent


def read_free(interp: Interpreter, variable: FreeVariable) -> Abstract:
    """A free variable's content: what was written here, else what it holds now (and is guarded)."""
    content = interp.lookup(variable, variable.name)
    if content is not ABSENT:
        return content
    if variable.kind == "global" and variable.name not in variable.owner:
        return builtin_named(interp, variable)
    try:
        present = variable.read()
    except ValueError:  # a cell of what is not bound yet, or not any more
        raise users(unbound(variable.name, local=False)) from None
    if isinstance(present, int | float | np.bool_) and _is_final(interp, variable):
        return present
    if any(present is known for known in _OF_PYTHON):
        return present
    return reflect_everywhere(interp, variable, present, (variable,))


_OF_PYTHON = (sys.version_info, sys.float_info, sys.int_info, sys.hash_info, sys.flags)


def _is_final(interp: Interpreter, variable: FreeVariable) -> bool:
    """Return whether a number is a constant of a definition, or of a library's function."""
    namespace = variable.owner if variable.kind == "global" else interp.scope.globals
    library = str(namespace.get("__name__", "")).partition(".")[0] in ("numpy", "scipy")
    return library or (variable.kind == "global" and is_definition(namespace))


def reflect_everywhere(interp: Interpreter, key: Any, value: Any, path: Path) -> Abstract:
    """Reflect a live object that is first read here, in every heap staged so far."""
    return everywhere(interp, lambda: reflect(interp, value, path), key)


def read_once(interp: Interpreter, key: Any, value: Any, path: Path) -> Abstract:
    """What stands under a key of the heap; a live object where it is first read."""
    known = interp.content(key)
    return reflect_everywhere(interp, key, value, path) if known is ABSENT else known


# Binding ------------------------------------------------------------------------------------------


def bind_name(interp: Interpreter, name: str, content: Abstract) -> None:
    """``name = content`` in the present scope."""
    if interp.marking is not None:
        content = marked(interp, home_of(interp.scope, name) or interp.scope, name, content)
    name_content(interp, content, name)
    scope = home_of(interp.scope, name)
    if scope is not None:
        interp.put((scope, name), content)
        return
    rebind_free(interp, scope_variable(interp, name), content)


def name_content(interp: Interpreter, content: Abstract, name: str) -> None:
    """Call what has no name yet by the name that it is bound to."""
    if isinstance(content, Value):
        value_name(content, name)
    elif isinstance(content, Array) and content.storage.name is None and not content.lenses:
        content.storage.name = name
        value_name(interp.heap.contents[content.storage], name)
    elif isinstance(content, Array):
        value_name(interp.heap.read(content), name)
    elif isinstance(content, ListRef | DictRef):
        content.name = content.name or name


def rebind_free(interp: Interpreter, variable: FreeVariable, content: Abstract) -> None:
    """Bind a variable of a module's or a cell anew."""
    with contextlib.suppress(NameError, ValueError):  # so that paths can join
        read_free(interp, variable)
    interp.put(variable, content)
    interp.rebound[variable] = None


def unbind_name(interp: Interpreter, name: str) -> None:
    """``del name``."""
    load_name(interp, name)
    forget_name(interp, name)


def forget_name(interp: Interpreter, name: str) -> None:
    """Let a name be unbound from here on."""
    scope = home_of(interp.scope, name)
    if scope is None:
        raise UnsupportedSyntaxError(
            f"'{name}' outside the function is unbound", hint="bind None to it"
        )
    interp.put((scope, name), ABSENT)


@functools.lru_cache(_MANY)
def read_often(node: ast.AST) -> tuple[str, ...]:
    """The names that are read at more than one place in a function."""
    loads = (n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    counts = Counter(name.id for name in loads)
    return tuple(name for name, count in counts.items() if count > 1)


@functools.lru_cache(_MANY)
def names_in(node: ast.AST) -> tuple[str, ...]:
    """The names that are read or bound anywhere in a function, and in those inside it."""
    found = {name for inner in ast.walk(node) for name in _binds(inner)}
    read = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    return tuple(sorted(found | read))
