"""Enumerations that a function defines: their members are made while it is staged.

Python's own machinery makes the class, from members that are known; the functions of its body are
methods that are followed, as those of all classes made here. A member is the same object wherever
this statement's class is used.

    def f(x):
        class Power(enum.Enum):
            SQUARE = 2
            CUBE = 3

        return x**Power.CUBE.value  # of which x**3 is left
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedSyntaxError
from symdiff.parse.blame import python_raises
from symdiff.parse.calls import builtin
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.lookups import MADE_HERE, is_descriptor
from symdiff.parse.values import Abstract, Closure, ObjectRef

_PLAIN_BASES = ("enum", "builtins")  # whose classes run nothing of a user's as members are made
_KNOWN = (int, float, complex, str, bytes, type(None), np.generic, frozenset, enum.auto, enum.Enum)
_WRAPPERS = (property, staticmethod, classmethod)
_TOLD = "an enumeration inside a function with {}"
_OUTSIDE = "define the class outside the function"


def is_enumeration(bases: tuple[Any, ...]) -> bool:
    """Return whether a class with these bases is an enumeration that can be made here."""
    return any(isinstance(base, enum.EnumMeta) for base in bases) and all(
        base.__module__ in _PLAIN_BASES for cls in bases for base in cls.__mro__
    )


def body_of(name: str, bases: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """What the body of an enumeration is entered in, which numbers its members."""
    if keywords:
        raise _refused("options")
    body: Any = enum.EnumMeta.__prepare__(name, bases)
    return body  # type: ignore[no-any-return]


def enter(body: dict[str, Any], name: str, value: Abstract) -> None:
    """Enter a member or a method under a name."""
    if name.startswith("_") and name != "__doc__":
        raise _refused(f"'{name}'")
    if isinstance(value, Closure):
        value = enum.nonmember(value)  # as the function that it stands for is none
    elif not isinstance(value, _WRAPPERS) and not _is_known(value):
        raise _refused("a member whose value is not known before it runs")
    with python_raises():
        body[name] = value


def made_of(name: str, bases: tuple[Any, ...], body: Any) -> type:
    """The enumeration."""
    body[MADE_HERE] = ObjectRef(type)
    with python_raises():
        return enum.EnumMeta(name, bases, body)


def _is_known(value: Abstract) -> bool:
    if type(value) is tuple:
        return all(map(_is_known, value))
    return isinstance(value, _KNOWN) and not is_descriptor(value)


def _refused(what: str) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(_TOLD.format(what), hint=_OUTSIDE)


@builtin(enum.auto)
def _auto(interp: Interpreter) -> Any:
    return enum.auto()


@builtin(enum.unique)
def _unique(interp: Interpreter, cls: Any) -> Any:
    with python_raises():
        return enum.unique(cls)
