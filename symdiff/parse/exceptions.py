"""Exceptions that the program makes: objects with ``args``, made again where they are raised."""

from __future__ import annotations

import types
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.parse.blame import users
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.lookups import is_unchanging, static_on_class
from symdiff.parse.values import ABSENT, Abstract, Arguments, Keywords, ObjectRef

_GIVEN = "__symdiff_given__"  # what a class of the user's was called with


@dataclass(frozen=True, eq=False, slots=True)
class _StandsFor:
    """In an exception of Python's own, what it is given and is not known while compiling."""

    content: Abstract


def as_python_makes_it(
    interp: Interpreter, kind: type[BaseException], arguments: Arguments, keywords: Keywords
) -> ObjectRef:
    """An exception whose class is given arguments and has no ``__init__`` written in Python."""
    made = exception_of(interp, kind, arguments)
    held = _held_by_python(kind, arguments, keywords)
    if keywords or len(held.args) != len(arguments):
        give(interp, made, arguments, keywords)
        interp.put((made, "args"), _restored(held.args))
    return made


def python_attribute(interp: Interpreter, error: ObjectRef, name: str) -> Abstract:
    """What a class of Python's own holds under a name: ``errno``, ``msg``, ``value``.

    ABSENT where that is not known while compiling.
    """
    if isinstance(static_on_class(error.type, "__init__"), types.FunctionType):
        held = _held_by_python(error.type, interp.content((error, "args")), {})
    else:
        arguments, keywords = given_to(interp, error)
        held = _held_by_python(error.type, arguments, dict(keywords))
    return _restored(getattr(held, name))


def _held_by_python(
    kind: type[BaseException], arguments: Arguments, keywords: Keywords
) -> BaseException:
    """What Python's own class, or base, makes of such arguments."""
    own: Any = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    try:
        made: BaseException = own(*_stood_for(tuple(arguments)), **_stood_for(keywords))
    except (TypeError, ValueError) as error:
        raise users(error) from None
    return made


def _stood_for(content: Any) -> Any:
    if isinstance(content, tuple):
        return tuple(map(_stood_for, content))
    if isinstance(content, dict):
        return {name: _stood_for(item) for name, item in content.items()}
    return content if is_unchanging(content) else _StandsFor(content)


def _restored(held: Any) -> Abstract:
    if isinstance(held, tuple):
        return tuple(map(_restored, held))
    if isinstance(held, _StandsFor):
        return held.content
    return held if is_unchanging(held) else ABSENT


def exception_of(interp: Interpreter, kind: type[BaseException], arguments: Arguments) -> ObjectRef:
    """An exception of a class with these ``args``."""
    made = ObjectRef(kind)
    interp.put((made, "args"), tuple(arguments))
    return made


def give(interp: Interpreter, error: ObjectRef, arguments: Arguments, keywords: Keywords) -> None:
    """Note what the class of an exception was called with."""
    interp.put((error, _GIVEN), (tuple(arguments), tuple(keywords.items())))


def given_to(
    interp: Interpreter, error: ObjectRef
) -> tuple[tuple[Abstract, ...], tuple[tuple[str, Abstract], ...]]:
    """The arguments and keywords that make an exception again."""
    key = (error, _GIVEN)
    if interp.heap.get(key) is ABSENT:
        return interp.content((error, "args")), ()
    arguments, keywords = interp.content(key)
    return arguments, keywords


def is_exception(value: Abstract) -> bool:
    """Return whether a content is an exception that the program has made."""
    return isinstance(value, ObjectRef) and issubclass(value.type, BaseException)
