"""Instances of the user's classes: NamedTuples, dataclasses, classes with ``__init__``."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import enum
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from symdiff.definitions.bunches import bunch
from symdiff.definitions.declare import INSTEAD
from symdiff.errors import InternalError, UnsupportedCallError
from symdiff.ir.structure import is_dataclass, is_made_of_items
from symdiff.ops.declare import static
from symdiff.parse import lookups
from symdiff.parse.attributes import set_attribute, set_plainly
from symdiff.parse.blame import python_raises, users
from symdiff.parse.changing import keyed_class
from symdiff.parse.exceptions import as_python_makes_it, called_with, is_made
from symdiff.parse.functions import follow_source, left_inside
from symdiff.parse.groups import group_of
from symdiff.parse.identity import class_of
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.lookups import defines, on_class, static_on_class
from symdiff.parse.opaque import call_opaque, is_library
from symdiff.parse.python import is_abstract
from symdiff.parse.reflect import require_plain_items
from symdiff.parse.scope import read_once
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Arguments,
    CalleeLeft,
    Closure,
    DictRef,
    Keywords,
    ListRef,
    ObjectRef,
)

INSTEAD |= {
    np.matrix: "use an array: np.atleast_2d(x), with @ for the product of matrices",
}


def call_class(
    interp: Interpreter, cls: type, arguments: Sequence[Abstract], keywords: Keywords
) -> Abstract:
    """``cls(*arguments, **keywords)``, by the metaclass where it has a ``__call__`` of its own."""
    hook = static_on_class(type(cls), "__call__")
    if isinstance(hook, types.FunctionType | Closure) and not isinstance(cls, enum.EnumMeta):
        on_class(interp, type(cls), "__call__")
        return interp.call(hook, [cls, *arguments], keywords)
    keyed = keyed_class(interp, cls, interp.span) if cls is collections.Counter else None
    if keyed is not None:
        return interp.call(keyed, arguments, keywords)
    return instance_of(interp, cls, arguments, keywords)


def instance_of(
    interp: Interpreter, cls: type, arguments: Sequence[Abstract], keywords: Keywords
) -> Abstract:
    """Making an instance of a user's class: NamedTuples, dataclasses, classes with ``__init__``."""
    if _is_named_tuple(cls):
        return _named_tuple(interp, cls, arguments, keywords)
    if isinstance(cls, enum.EnumMeta) and not cls.__members__:
        raise UnsupportedCallError(
            "an enumeration that is made inside a function", interp.span, "make it outside"
        )
    if isinstance(cls, enum.EnumMeta) and len(arguments) == 1:
        return _member(interp, cls, static(arguments[0]))
    if issubclass(cls, BaseException):
        return _exception(interp, cls, arguments, keywords)
    if cls.__module__ == "builtins":
        return call_opaque(interp, cls, arguments, keywords)
    made = _new(interp, cls, arguments, keywords)
    kind = class_of(interp, made)  # a class below, where __new__ chooses one
    if issubclass(kind, cls):
        with _giving(made, cls):
            _initialise(interp, kind, made, arguments, keywords)
        if isinstance(made, ListRef | DictRef | ObjectRef):
            interp.heap.written.discard(made)  # no name stands for it yet
    return made


@contextlib.contextmanager
def _giving(made: Abstract, cls: type) -> Iterator[None]:
    """Let what is made be what a call gives whose ``__init__`` has raised on some paths."""
    try:
        yield
    except CalleeLeft as left:
        if left.method not in ("__init__", "__post_init__"):
            raise left_inside(left) from None
        raise CalleeLeft(made, cls, left.span) from None


def _exception(
    interp: Interpreter, cls: type[BaseException], arguments: Arguments, keywords: Keywords
) -> Abstract:
    if issubclass(cls, BaseExceptionGroup):
        return group_of(interp, cls, arguments, keywords)
    initialise = on_class(interp, cls, "__init__")
    if not isinstance(initialise, types.FunctionType | Closure):
        return as_python_makes_it(interp, cls, arguments, keywords)
    made = called_with(interp, cls, arguments, keywords)
    with _giving(made, cls):
        if isinstance(initialise, types.FunctionType) and is_library(initialise):
            follow_source(interp, initialise, [made, *arguments], keywords)
        else:
            interp.call(initialise, [made, *arguments], keywords)
    is_made(interp, made)
    return made


def _new(
    interp: Interpreter, cls: type, arguments: Sequence[Abstract], keywords: Keywords
) -> Abstract:
    """What ``__new__`` gives."""
    if static_on_class(cls, "_extra_fields") is not ABSENT:  # below one of SciPy's, without source
        raise _not_made(interp, cls)
    found = on_class(interp, cls, "__new__")
    if cls not in INSTEAD and isinstance(found, staticmethod):
        return interp.call(found.__func__, [cls, *arguments], keywords)
    if cls in INSTEAD or found not in _NEW:
        raise _not_made(interp, cls)
    if found in _OF_VALUES:
        return interp.call(found, [cls, *arguments], keywords)
    return interp.call(found, [cls], {})


_OF_VALUES = (float.__new__, int.__new__, complex.__new__, str.__new__, tuple.__new__)
_NEW = (
    *(object.__new__, dict.__new__, list.__new__, collections.OrderedDict.__new__),
    types.SimpleNamespace.__new__,
    *_OF_VALUES,
)


def _not_made(interp: Interpreter, cls: type) -> UnsupportedCallError:
    return UnsupportedCallError(
        f"symdiff cannot make a {cls.__name__} here", interp.span, INSTEAD.get(cls)
    )


def _initialise(
    interp: Interpreter, cls: type, made: Abstract, arguments: Arguments, keywords: Keywords
) -> None:
    initialise = on_class(interp, cls, "__init__")
    if isinstance(made, ObjectRef) and is_dataclass(cls) and _is_generated(cls):
        initialise_dataclass(interp, made, cls, arguments, keywords)
    elif (
        isinstance(initialise, types.FunctionType | Closure)
        or isinstance(made, ListRef | DictRef)
        or initialise is types.SimpleNamespace.__init__
    ):
        interp.call(initialise, [made, *arguments], keywords)
    elif initialise is not object.__init__:
        raise _not_made(interp, cls)
    elif (arguments or keywords) and on_class(interp, cls, "__new__") is object.__new__:
        raise users(TypeError(f"{cls.__name__}() takes no arguments"))


def _member(interp: Interpreter, cls: Any, value: Any) -> Any:
    """``Enum(value)``."""
    if isinstance(value, cls):
        return value
    try:  # by the values that they were made with
        member = cls._value2member_map_.get(value)
    except TypeError:  # not hashable
        member = next((m for m in cls.__members__.values() if m.value == value), None)
    if member is not None:
        return member
    missing = on_class(interp, cls, "_missing_")
    if isinstance(missing, classmethod) and missing.__func__.__module__ != "enum":
        found = interp.call(missing.__func__, [cls, value], {})
        if isinstance(found, cls):
            return found
    elif issubclass(cls, enum.Flag):  # one that is made of several
        with python_raises():
            return cls(value)
    raise users(ValueError(f"{value!r} is not a valid {cls.__qualname__}"))


def _is_named_tuple(cls: Any) -> bool:
    """Return whether a class makes tuples of exactly its fields, as those of ``typing`` do."""
    if not (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return False
    if "_extra_fields" in vars(cls):  # SciPy's: an __init__ that only checks what is given
        return True
    return is_made_of_items(cls) and cls.__init__ is object.__init__


def _is_generated(cls: type) -> bool:
    """Return whether ``__init__`` was made by ``dataclasses``: its code stands in no file."""
    code = getattr(cls.__init__, "__code__", None)  # type: ignore[misc]
    return code is not None and code.co_filename.startswith("<")


def _named_tuple(
    interp: Interpreter, cls: Any, arguments: Sequence[Abstract], keywords: Keywords
) -> Abstract:
    require_plain_items(cls)
    names = cls._fields
    extra = vars(cls).get("_extra_fields", ())
    more = {name: value for name, value in keywords.items() if name in extra}
    named = {name: value for name, value in keywords.items() if name not in extra}
    values = cls._field_defaults | dict(zip(names, arguments, strict=False)) | named
    missing = [name for name in names if name not in values]
    if missing or len(values) != len(names) or len(arguments) > len(names):
        raise _bound_wrongly(cls.__new__, cls, arguments, named)
    for name in extra:
        if name not in more:
            raise users(TypeError(f"missing keyword argument '{name}'"))
    return bunch(cls, [values[name] for name in names], **more)


def initialise_dataclass(
    interp: Interpreter, made: ObjectRef, cls: Any, arguments: Arguments, keywords: Keywords
) -> None:
    known = cls.__dataclass_fields__.values()
    given = [f for f in known if f._field_type is _GIVEN_ONLY]
    kept = dataclasses.fields(cls)
    fields = [f for f in known if f.init and (f in kept or f in given)]
    positional = [f.name for f in fields if not f.kw_only]
    values = dict(zip(positional, arguments, strict=False)) | keywords
    if len(arguments) > len(positional) or not set(values) <= {f.name for f in fields}:
        raise _bound_wrongly(cls.__init__, made, arguments, keywords)
    put = set_plainly if cls.__dataclass_params__.frozen else set_attribute
    for field in kept:
        if field.init or not _is_without_default(field):
            put(interp, made, field.name, _field_value(interp, cls, field, values))
    if defines(interp, cls, "__post_init__"):
        only = [_field_value(interp, cls, field, values) for field in given]
        interp.call_method(made, "__post_init__", *only)


def _bound_wrongly(
    made: Callable[..., object], first: object, arguments: Sequence[Abstract], keywords: Keywords
) -> TypeError:
    """What Python says where a function that it has made itself is not called with its arguments:
    its body is not begun.
    """
    given = [None] * len(arguments)
    try:
        made(first, *given, **dict.fromkeys(keywords))
    except TypeError as error:
        return users(TypeError(*error.args))
    raise InternalError(f"{made.__qualname__} takes these arguments")


def initialised_by(function: types.FunctionType, arguments: Arguments) -> type | None:
    """The dataclass whose ``__init__`` the function is, where it is called of an object by itself,
    as ``super().__init__(...)`` does.
    """
    if function.__name__ != "__init__" or not arguments or not isinstance(arguments[0], ObjectRef):
        return None
    for cls in arguments[0].type.__mro__:
        if vars(cls).get("__init__") is function:
            return cls if "__dataclass_params__" in vars(cls) and _is_generated(cls) else None
    return None


def tuple_of_fields(
    interp: Interpreter, function: types.FunctionType, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """What the ``__new__`` that a class of named tuples was given makes; ABSENT for any other
    function.
    """
    cls = arguments[0] if function.__name__ == "__new__" and arguments else None
    if not (isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return ABSENT
    for base in cls.__mro__:
        made = vars(base).get("__new__")
        if isinstance(made, staticmethod) and made.__func__ is function and is_made_of_items(base):
            return _named_tuple(interp, cls, arguments[1:], keywords)
    return ABSENT


def _is_without_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is field.default_factory is dataclasses.MISSING


_GIVEN_ONLY: Any = getattr(dataclasses, "_FIELD_INITVAR")  # noqa: B009  of ``InitVar``


def _field_value(
    interp: Interpreter, cls: type, field: dataclasses.Field[Any], values: Keywords
) -> Abstract:
    if field.name in values:
        return values[field.name]
    if field.default is not dataclasses.MISSING:
        made_here = lookups.MADE_HERE in vars(cls) or is_abstract(field.default)
        if made_here or lookups.is_unchanging(field.default):
            return field.default
        variable = lookups.variable_of(interp, cls)
        path = (variable, "__dataclass_fields__", field.name, "default")
        return read_once(interp, (variable, f"default {field.name}"), field.default, path)
    if field.default_factory is not dataclasses.MISSING:
        return interp.call(field.default_factory, [], {})
    raise users(TypeError(f"{cls.__name__}() missing a required argument: '{field.name}'"))
