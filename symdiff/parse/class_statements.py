"""``class`` inside a function: a class whose methods are functions that were defined here.

The class is a real one, so that Python's own questions about classes have their answers. What its
methods are follows from the program, and nothing of it is looked up again when the program runs.
"""

from __future__ import annotations

import ast
import functools
import types
from dataclasses import replace
from typing import Any

from symdiff.errors import UnsupportedSyntaxError
from symdiff.parse.blame import python_raises
from symdiff.parse.expressions import make_closure
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.lookups import MADE_HERE, static_on_class
from symdiff.parse.scope import bind_name
from symdiff.parse.values import Abstract, Closure, Scope

_WRAPPERS = (property, staticmethod, classmethod, functools.cached_property)
_LEFT_OUT = (  # what Python would run, or asks for, beside what is followed
    "__new__", "__init_subclass__", "__set_name__", "__class_getitem__", "__getattribute__",
    "__slots__", "__prepare__", "__del__",
)  # fmt: skip


def stage_class(interp: Interpreter, node: ast.ClassDef) -> None:
    """A ``class`` statement."""
    bases = _bases(interp, node)
    scope = interp.scope
    inside = Scope(f"{scope.function}.<locals>.{node.name}", frozenset(), scope, scope.globals)
    of_methods = replace(inside, cells={"__class__": types.CellType()})
    interp.capture(scope)
    contents = _body(interp, node, inside, of_methods)
    contents |= {"__module__": scope.globals.get("__name__"), "__qualname__": inside.function}
    with python_raises():
        made = type(node.name, bases, {**contents, MADE_HERE: True})
    of_methods.cells["__class__"].cell_contents = made
    bind_name(interp, node.name, made)


def _bases(interp: Interpreter, node: ast.ClassDef) -> tuple[type, ...]:
    bases = tuple(interp.evaluate(base) for base in node.bases)
    plain = all(type(base) is type for base in bases) and len(bases) <= 1
    if node.decorator_list or node.keywords or not plain or _runs_code(bases):
        raise UnsupportedSyntaxError(
            "a class inside a function with decorators, keywords, several bases or a metaclass",
            interp.span,
            "define the class outside the function",
        )
    return bases


def _runs_code(bases: tuple[type, ...]) -> bool:
    """Return whether a base is told of its subclasses."""
    own = (static_on_class(base, "__init_subclass__") for base in bases)
    return any(isinstance(found, classmethod | types.FunctionType) for found in own)


def _body(
    interp: Interpreter, node: ast.ClassDef, inside: Scope, of_methods: Scope
) -> dict[str, Any]:
    """What the class has, by name: its statements see what stands above them."""
    contents: dict[str, Any] = {}
    outside, interp.frame.scope = interp.frame.scope, inside
    try:
        for statement in node.body:
            with interp.at(statement):
                for name, content in _of_statement(interp, statement, of_methods, contents).items():
                    inside.locals |= {name}
                    interp.put((inside, name), content)
                    contents[name] = content
    finally:
        interp.frame.scope = outside
    return contents


def _of_statement(
    interp: Interpreter, statement: ast.stmt, of_methods: Scope, above: dict[str, Any]
) -> dict[str, Abstract]:
    """What a statement of a class's body binds."""
    if isinstance(statement, ast.FunctionDef) and statement.name not in _LEFT_OUT:
        method: Abstract = replace(make_closure(interp, statement), scope=of_methods)
        for decorator in reversed(statement.decorator_list):
            method = _decorated(interp, decorator, method, above)
        return {statement.name: method}
    if isinstance(statement, ast.Assign) and all(map(_is_plain_name, statement.targets)):
        value = interp.evaluate(statement.value)
        return {target.id: value for target in statement.targets if isinstance(target, ast.Name)}
    if isinstance(statement, ast.AnnAssign) and _is_plain_name(statement.target):
        assert isinstance(statement.target, ast.Name)
        given = statement.value
        return {} if given is None else {statement.target.id: interp.evaluate(given)}
    if isinstance(statement, ast.Pass) or _is_constant(statement):
        return {}
    raise UnsupportedSyntaxError(
        "this statement in a class inside a function",
        interp.span,
        "define the class outside the function",
    )


def _is_plain_name(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id not in _LEFT_OUT


def _is_constant(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _decorated(
    interp: Interpreter, decorator: ast.expr, method: Abstract, above: dict[str, Any]
) -> Abstract:
    """``@property`` and the like, ``@name.setter`` of one above, any other decorator."""
    if isinstance(decorator, ast.Attribute) and isinstance(decorator.value, ast.Name):
        known = above.get(decorator.value.id)
        if isinstance(known, property) and decorator.attr in ("getter", "setter", "deleter"):
            return getattr(known, decorator.attr)(method)
    wrapper = interp.evaluate(decorator)
    if wrapper in _WRAPPERS and isinstance(method, Closure):
        return wrapper(method)
    return interp.call(wrapper, [method], {})
