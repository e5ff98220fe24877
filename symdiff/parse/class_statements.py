"""``class`` inside a function: a class whose methods are functions that were defined here.

The class is a real one, so that Python's own questions about classes have their answers. What its
methods are follows from the program, and nothing of it is looked up again when the program runs.
"""

from __future__ import annotations

import abc
import ast
import collections
import dataclasses
import functools
import types
import typing
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ops.declare import static
from symdiff.parse import enumerations
from symdiff.parse.assignment import assign
from symdiff.parse.blame import python_raises, users
from symdiff.parse.calls import builtin
from symdiff.parse.enumerations import is_enumeration
from symdiff.parse.expressions import make_closure
from symdiff.parse.identity import class_of, note_class_asked, python_class
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.iteration import static_items
from symdiff.parse.lookups import MADE_HERE, defines, static_on_class
from symdiff.parse.raised_values import class_raised
from symdiff.parse.reflect import GENERIC_ALIAS
from symdiff.parse.scope import bind_name, bound_in
from symdiff.parse.texts import settled
from symdiff.parse.values import ABSENT, Abstract, BoundMethod, Closure, ObjectRef, Partial, Scope

_WRAPPERS = (property, staticmethod, classmethod, functools.cached_property)
_FIXED = (*_WRAPPERS, Closure, dataclasses.Field)  # what a decorator may change, or is a method
_LEFT_OUT = ("__getattribute__", "__prepare__", "__del__")  # what Python would run in between
_METACLASSES = (type, abc.ABCMeta, type(Protocol))  # that make a class of what stands in its body


class _InitSubclass(classmethod):  # type: ignore[type-arg]
    """An ``__init_subclass__`` that is followed: Python's own call of it does nothing."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return lambda **keywords: None


_OF_TYPING = tuple(vars(base)["__init_subclass__"] for base in (typing.Generic, Protocol))
_IMPLIED = {  # how Python takes methods of these names
    "__new__": staticmethod, "__class_getitem__": classmethod, "__init_subclass__": _InitSubclass,
}  # fmt: skip


def stage_class(interp: Interpreter, node: ast.ClassDef) -> None:
    """A ``class`` statement."""
    keywords = {str(given.arg): interp.evaluate(given.value) for given in node.keywords}
    bases = _bases(interp, node, keywords)
    scope = interp.scope
    inside = Scope(f"{scope.function}.<locals>.{node.name}", frozenset(), scope, scope.globals)
    of_methods = replace(inside, cells={"__class__": types.CellType()})
    inside.node, inside.declared_global = node, bound_in(node)  # where it is not bound yet
    interp.capture(scope)
    decorators = [interp.evaluate(decorator) for decorator in node.decorator_list]
    classes = _without_items(bases)
    contents = enumerations.body_of(node.name, bases, keywords) if is_enumeration(bases) else {}
    _fill(interp, node, inside, of_methods, contents)
    contents |= {"__module__": scope.globals.get("__name__"), "__qualname__": inside.function}
    if classes is not bases:
        contents["__orig_bases__"] = bases
    made = _made(interp, node.name, classes, contents, keywords)
    of_methods.cells["__class__"].cell_contents = made
    _tell(interp, made, contents, keywords)
    for decorator in reversed(decorators):
        made = interp.call(decorator, [made], {})
    if isinstance(scope.node, ast.ClassDef):
        scope.locals |= {node.name}
        scope.declared_global -= {node.name}
    bind_name(interp, node.name, made)


def _made(
    interp: Interpreter,
    name: str,
    bases: tuple[Any, ...],
    contents: dict[str, Any],
    keywords: dict[str, Any],
) -> type:
    """The class: of a ``NamedTuple``, one that inherits from the tuple of its fields."""
    if is_enumeration(bases):
        return enumerations.made_of(name, bases, contents)
    attributes = ObjectRef(type)
    for known, content in contents.items():
        if not (known.startswith("__") or isinstance(content, _FIXED)):
            interp.put((attributes, known), content)
    marked = {**contents, MADE_HERE: attributes}
    with python_raises():
        if bases != (NamedTuple,):
            meta: Callable[..., type] = types.prepare_class(name, bases, keywords)[0]
            return meta(name, bases, marked)
        fields = tuple(contents["__annotations__"])
        given = [marked.pop(field) for field in fields if field in marked]
        named: Callable[..., type] = collections.namedtuple
        as_tuple = named(name, fields, defaults=given, module=contents["__module__"])
        return type(name, (as_tuple,), {**marked, "__slots__": ()})


def _tell(
    interp: Interpreter, made: type, contents: dict[str, Any], keywords: dict[str, Any]
) -> None:
    """Tell what a class holds of its name there, and the class above of the new one."""
    for name, content in contents.items():
        if isinstance(content, ObjectRef) and defines(interp, content.type, "__set_name__"):
            interp.call_method(content, "__set_name__", made, name)
    told = next((c for c in made.__mro__[1:] if "__init_subclass__" in c.__dict__), object)
    hook = told.__dict__["__init_subclass__"]
    given = {name: value for name, value in keywords.items() if name != "metaclass"}
    if isinstance(hook, _InitSubclass):
        interp.call(hook.__func__, [made], given)
    elif given:
        raise users(TypeError(f"{made.__name__}.__init_subclass__() takes no keyword arguments"))


@builtin(object.__init_subclass__)
def _init_subclass(interp: Interpreter) -> None:
    """What every class inherits does nothing."""


def _bases(interp: Interpreter, node: ast.ClassDef, keywords: dict[str, Any]) -> tuple[Any, ...]:
    of_types = {parameter.name for parameter in getattr(node, "type_params", ())}
    named = [part for base in node.bases for part in ast.walk(base) if isinstance(part, ast.Name)]
    if any(part.id in of_types for part in named):
        raise _outside(interp, "a class inside a function whose base has its type parameters")
    bases = tuple(interp.evaluate(base) for base in node.bases)
    if (bases == (NamedTuple,) and not keywords) or is_enumeration(bases):
        return bases
    if of_types:
        generic: Any = typing.Generic
        bases = (*bases, generic[tuple(map(typing.TypeVar, sorted(of_types)))])
    classes = _without_items(bases)
    metaclasses = [keywords.get("metaclass", type), *map(type, classes)]
    if None in keywords or not all(map(_makes_classes, metaclasses)) or _runs_code(classes):
        raise _outside(interp, "a class inside a function whose metaclass or base runs code for it")
    return bases


def _without_items(bases: tuple[Any, ...]) -> tuple[Any, ...]:
    """The classes that ``Class[item]`` among bases stands for."""
    if all(isinstance(base, type | types.GenericAlias | GENERIC_ALIAS) for base in bases):
        return types.resolve_bases(bases)
    return bases


def _makes_classes(meta: Any) -> bool:
    """Return whether a metaclass makes a class of what stands in its body, and nothing else."""
    if meta in _METACLASSES:
        return True
    steps = ("__new__", "__init__", "__prepare__", "__setattr__")
    return (
        isinstance(meta, type)
        and issubclass(meta, type)
        and all(static_on_class(meta, step) is static_on_class(type, step) for step in steps)
    )


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
    made = _changed(cls, dataclasses.dataclass(**known))
    if made is not cls:  # of slots: the defaults of fields are no attributes of the class any more
        for field in dataclasses.fields(made):
            interp.put((vars(made)[MADE_HERE], field.name), ABSENT)
    return made


@builtin(functools.total_ordering)
def _total_ordering(interp: Interpreter, cls: Any) -> Any:
    return _changed(cls, functools.total_ordering)


def _changed(cls: type, decorator: Callable[[type], type]) -> type:
    """A class that is made here, with the methods that a decorator adds by the names it has."""
    if MADE_HERE not in vars(cls):
        raise UnsupportedSyntaxError("a class that is changed", hint="decorate it outside")
    with python_raises():
        return decorator(cls)


def _wrapping(wrapper: Any) -> None:
    """Let ``wrapper(function, ...)`` be what it is: it holds what it is given, calls nothing."""

    @builtin(wrapper)
    def made(interp: Interpreter, *functions: Abstract, **named: Abstract) -> Any:
        with python_raises():
            return wrapper(*functions, **named)


for _wrapper in (*_WRAPPERS, typing.TypeVar, typing.ParamSpec, typing.TypeVarTuple):
    _wrapping(_wrapper)


@builtin(types.MethodType)
def _method(interp: Interpreter, function: Abstract, instance: Abstract, /) -> Any:
    if not hasattr(class_of(interp, function), "__call__"):  # noqa: B004  it is not callable() here
        raise users(TypeError("first argument must be callable"))
    if instance is None:
        raise users(TypeError("instance must not be None"))
    return BoundMethod(function, instance)


@builtin(functools.partialmethod)
def _partialmethod(
    interp: Interpreter, func: Abstract, /, *arguments: Abstract, **keywords: Abstract
) -> Any:
    made = object.__new__(functools.partialmethod)  # which would ask whether it can call a Closure
    made.func, made.args, made.keywords = func, arguments, keywords
    return made


@builtin(type)
def _type(interp: Interpreter, value: Abstract, *more: Abstract) -> Abstract:
    if not more:
        raised = class_raised(interp, value)
        if raised is not None:
            return raised
        note_class_asked(interp, value)
        return python_class(interp, value)
    if len(more) != 2:
        raise users(TypeError("type() takes 1 or 3 arguments"))
    return _class_of_three(interp, value, *more)


def _class_of_three(
    interp: Interpreter, name: Abstract, bases: Abstract, contents: Abstract
) -> Any:
    """``type(name, bases, contents)``."""
    found = static_items(interp, bases)
    held = interp.content(contents)
    if not isinstance(name, str) or not isinstance(held, dict) or not _are_plain(found, held):
        raise _outside(interp, "this class made by type()")
    held = {"__module__": interp.scope.globals.get("__name__"), **held}
    made = _made(interp, name, found, held, {})
    _tell(interp, made, held, {})
    return made


def _are_plain(bases: tuple[Any, ...], contents: dict[Any, Any]) -> bool:
    """Return whether a class can be made of these, of which Python runs nothing by itself."""
    plain = all(isinstance(base, type) and _makes_classes(type(base)) for base in bases)
    special = {*_LEFT_OUT, *_IMPLIED, "__slots__", "__classcell__"}
    return plain and not _runs_code(bases) and not special & set(contents)


@builtin(dataclasses.field)
def _field(interp: Interpreter, **options: Abstract) -> Any:
    with python_raises():
        return dataclasses.field(**options)


def _runs_code(bases: tuple[type, ...]) -> bool:
    """Return whether a base from outside is told of its subclasses."""
    own = (static_on_class(base, "__init_subclass__") for base in bases)
    return any(
        isinstance(found, classmethod | types.FunctionType)
        and not isinstance(found, _InitSubclass)
        and found not in _OF_TYPING
        for found in own
    )


def _fill(
    interp: Interpreter,
    node: ast.ClassDef,
    inside: Scope,
    of_methods: Scope,
    contents: dict[str, Any],
) -> None:
    """Fill in what the class has, by name: its statements see what stands above them."""
    enter = dict.__setitem__ if type(contents) is dict else enumerations.enter
    outside, interp.frame.scope = interp.frame.scope, inside
    try:
        for statement in node.body:
            with interp.at(statement):
                bound = _of_statement(interp, statement, of_methods, contents)
                inside.locals |= set(bound)
                inside.declared_global -= inside.locals
                for name, value in bound.items():
                    enter(contents, name, value)
                    interp.put((inside, name), contents[name])
    finally:
        interp.frame.scope = outside


def _of_statement(
    interp: Interpreter, statement: ast.stmt, of_methods: Scope, above: dict[str, Any]
) -> dict[str, Abstract]:
    """What a statement of a class's body binds."""
    if isinstance(statement, ast.FunctionDef) and statement.name not in _LEFT_OUT:
        method: Abstract = replace(make_closure(interp, statement), scope=of_methods)
        for decorator in reversed(statement.decorator_list):
            method = _decorated(interp, decorator, method, above)
        implied = _IMPLIED.get(statement.name)
        if implied is not None and not isinstance(method, implied):
            method = implied(method)
        return {statement.name: method}
    if isinstance(statement, ast.ClassDef | ast.Assign):
        return _bound(interp, statement)
    if isinstance(statement, ast.AnnAssign) and _is_plain_name(statement.target):
        assert isinstance(statement.target, ast.Name)
        name, given = statement.target.id, statement.value
        above.setdefault("__annotations__", {})[name] = ast.unparse(statement.annotation)
        return {} if given is None else {name: interp.evaluate(given)}
    if isinstance(statement, ast.Pass) or _is_constant(statement):
        return {}
    raise _outside(interp, "this statement in a class inside a function")


def _bound(interp: Interpreter, statement: ast.ClassDef | ast.Assign) -> dict[str, Abstract]:
    """What a statement gives the names of a class that it binds; its value is made before."""
    if isinstance(statement, ast.ClassDef):
        names = {statement.name}
    else:
        parts = [part for target in statement.targets for part in ast.walk(target)]
        if not all(isinstance(part, _OF_PATTERNS) for part in parts):
            raise _outside(interp, "this statement in a class inside a function")
        names = {part.id for part in parts if isinstance(part, ast.Name)}
    if names & {*_LEFT_OUT, *_IMPLIED}:
        raise _outside(interp, "this statement in a class inside a function")
    if isinstance(statement, ast.ClassDef):
        stage_class(interp, statement)
    else:
        value = interp.evaluate(statement.value)
        interp.scope.locals |= names
        interp.scope.declared_global -= names
        for target in statement.targets:
            assign(interp, target, value)
    return {name: interp.content((interp.scope, name)) for name in names}


_OF_PATTERNS = (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.expr_context)


def _is_plain_name(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id not in (*_LEFT_OUT, *_IMPLIED)


def _is_constant(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _decorated(
    interp: Interpreter, decorator: ast.expr, method: Abstract, above: dict[str, Any]
) -> Abstract:
    """``@property`` and the like, ``@name.setter`` of one, any other decorator."""
    if isinstance(decorator, ast.Attribute) and decorator.attr in ("getter", "setter", "deleter"):
        of = decorator.value
        known = above.get(of.id) if isinstance(of, ast.Name) else interp.evaluate(of)
        if isinstance(known, property):
            return getattr(known, decorator.attr)(method)
    wrapper = interp.evaluate(decorator)
    if wrapper is abc.abstractmethod and isinstance(method, Closure):
        return replace(method, is_abstract=True)
    if wrapper in _WRAPPERS and isinstance(method, Closure):
        return wrapper(method)
    return interp.call(wrapper, [method], {})
