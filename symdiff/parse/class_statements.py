"""``class`` inside a function: a class whose methods are functions that were defined here.

The class is a real one, so that Python's own questions about classes have their answers. What its
methods are follows from the program, and nothing of it is looked up again when the program runs.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ops.declare import static
from symdiff.parse.blame import python_raises, users
from symdiff.parse.calls import builtin
from symdiff.parse.expressions import make_closure
from symdiff.parse.identity import class_of
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.iteration import static_items
from symdiff.parse.lookups import MADE_HERE, static_on_class
from symdiff.parse.scope import bind_name
from symdiff.parse.texts import settled
from symdiff.parse.values import Abstract, Closure, Partial, Scope

_WRAPPERS = (property, staticmethod, classmethod, functools.cached_property)
_LEFT_OUT = (  # what Python would run, or asks for, beside what is followed
    "__new__", "__init_subclass__", "__set_name__", "__class_getitem__", "__getattribute__",
    "__prepare__", "__del__",
)  # fmt: skip


def stage_class(interp: Interpreter, node: ast.ClassDef) -> None:
    """A ``class`` statement."""
    bases = _bases(interp, node)
    scope = interp.scope
    inside = Scope(f"{scope.function}.<locals>.{node.name}", frozenset(), scope, scope.globals)
    of_methods = replace(inside, cells={"__class__": types.CellType()})
    interp.capture(scope)
    decorators = [interp.evaluate(decorator) for decorator in node.decorator_list]
    contents = _body(interp, node, inside, of_methods)
    contents |= {"__module__": scope.globals.get("__name__"), "__qualname__": inside.function}
    with python_raises():
        made = _made(node.name, bases, {**contents, MADE_HERE: True})
    for decorator in reversed(decorators):
        made = interp.call(decorator, [made], {})
    of_methods.cells["__class__"].cell_contents = made
    bind_name(interp, node.name, made)


def _made(name: str, bases: tuple[Any, ...], contents: dict[str, Any]) -> type:
    """The class: of a ``NamedTuple``, one that inherits from the tuple of its fields."""
    if bases != (NamedTuple,):
        return type(name, bases, contents)
    fields = tuple(contents["__annotations__"])
    given = [contents.pop(field) for field in fields if field in contents]
    made: Callable[..., type] = collections.namedtuple
    as_tuple = made(name, fields, defaults=given, module=contents["__module__"])
    return type(name, (as_tuple,), {**contents, "__slots__": ()})


def _bases(interp: Interpreter, node: ast.ClassDef) -> tuple[Any, ...]:
    bases = tuple(interp.evaluate(base) for base in node.bases)
    if bases == (NamedTuple,) and not node.keywords:
        return bases
    if node.keywords or any(type(base) is not type for base in bases) or _runs_code(bases):
        raise _outside(interp, "a class inside a function with keywords or a metaclass")
    return bases


def _outside(interp: Interpreter, what: str) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(what, interp.span, "define the class outside the function")


@builtin(collections.namedtuple)
def _namedtuple(
    interp: Interpreter,
    typename: Abstract,
    field_names: Abstract,
    *,
    rename: Abstract = False,
    defaults: Abstract = None,
    module: Abstract = None,
) -> Any:
    made: Callable[..., type] = collections.namedtuple
    named = isinstance(field_names, str)
    fields = (
        field_names if named else [settled(interp, v) for v in static_items(interp, field_names)]
    )
    given = None if defaults is None else static_items(interp, defaults)
    module = interp.scope.globals.get("__name__") if module is None else module
    with python_raises():
        return made(typename, fields, rename=rename, defaults=given, module=module)


@builtin(dataclasses.dataclass)
def _dataclass(interp: Interpreter, cls: Any = None, /, **options: Abstract) -> Any:
    if cls is None:
        return Partial(dataclasses.dataclass, (), tuple(options.items()))
    contents = vars(cls)
    for name in contents.get("__annotations__", {}):
        kind = class_of(interp, contents.get(name))
        hashed: Any = kind.__hash__
        if hashed is None:
            told = f"mutable default {kind} for field {name} is not allowed: use default_factory"
            raise users(ValueError(told))
    known = {name: static(option) for name, option in options.items()}
    return _changed(cls, dataclasses.dataclass(**known))


@builtin(functools.total_ordering)
def _total_ordering(interp: Interpreter, cls: Any) -> Any:
    return _changed(cls, functools.total_ordering)


def _changed(cls: type, decorator: Callable[[type], type]) -> type:
    """A class that is made here, with the methods that a decorator adds by the names it has."""
    if MADE_HERE not in vars(cls):
        raise UnsupportedSyntaxError("a class that is changed", hint="decorate it outside")
    with python_raises():
        return decorator(cls)


@builtin(dataclasses.field)
def _field(interp: Interpreter, **options: Abstract) -> Any:
    with python_raises():
        return dataclasses.field(**options)


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
        name, given = statement.target.id, statement.value
        above.setdefault("__annotations__", {})[name] = ast.unparse(statement.annotation)
        return {} if given is None else {name: interp.evaluate(given)}
    if isinstance(statement, ast.Pass) or _is_constant(statement):
        return {}
    raise _outside(interp, "this statement in a class inside a function")


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
