"""Exceptions that the program makes: objects with ``args``, made again where they are raised."""

from __future__ import annotations

from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import ABSENT, Abstract, Arguments, Keywords, ObjectRef

_GIVEN = "__symdiff_given__"  # what a class of the user's was called with


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
