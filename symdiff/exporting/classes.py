"""Classes as definitions: named tuples and dataclasses by their fields, without their methods, and
classes of exceptions as the user wrote them.

A module's functions take the user's own objects as well: they go by the names of class and fields.
"""

from __future__ import annotations

import builtins
import dataclasses
import inspect
import keyword
import math
import symtable
import sys
import textwrap
from typing import Any

import numpy as np

from symdiff.errors import SymdiffError


def fields_of(kind: type) -> tuple[str, ...] | None:
    """The fields of a named tuple's class or a dataclass; None for any other class."""
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return tuple(kind._fields)
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    return None


def definition(name: str, kind: type, known: tuple[str, ...]) -> str:
    """The class under a name that the module has for it.

    :raises SymdiffError: where it cannot be told from another, or a field has no place in one.
    """
    if kind.__name__ != name:
        raise SymdiffError(
            f"the class {kind.__qualname__!r} cannot be defined under its own name",
            hint="there are two classes of that name, or it is one of Python's: rename it",
        )
    for field in known:
        if not field.isidentifier() or keyword.iskeyword(field) or field.startswith("__"):
            raise SymdiffError(f"{name} has a field {field!r}, which no class statement can have")
    body = [f"    {field}: Any" for field in known] or ["    pass"]
    if issubclass(kind, tuple):
        if any(field.startswith("_") for field in known):
            raise SymdiffError(f"{name} has a field that a named tuple cannot be defined with")
        return "\n".join([f"class {name}(NamedTuple):", *body])
    parameters: Any = getattr(kind, "__dataclass_params__", None)
    frozen = "(frozen=True)" if getattr(parameters, "frozen", False) else ""
    return "\n".join([f"@dataclass{frozen}", f"class {name}:", *body])


def maker(name: str, kind: str, keys: tuple[Any, ...]) -> str:
    """A function that makes a dataclass of its fields' values."""
    return f"def {name}(*items):\n    return _rebuilt({kind}, {keys!r}, items)"


def exception_text(kind: type) -> str | None:
    """The class statement of an exception, if Python's names, NumPy's and its bases are all that it
    uses; of any other class None.
    """
    if not issubclass(kind, BaseException):
        return None
    if kind is SymdiffError:
        return _OF_A_PATH
    try:
        text = textwrap.dedent(inspect.getsource(kind))
    except (OSError, TypeError):
        return None
    there = vars(builtins) | {"np": np, "math": math} | {b.__name__: b for b in kind.__bases__}
    scope = vars(builtins) | vars(sys.modules.get(kind.__module__, builtins))
    alone = all(name in there and scope.get(name) is there[name] for name in _read_globally(text))
    return text.rstrip() if alone and text.startswith("class ") else None


_OF_A_PATH = """
class SymdiffError(Exception):
    \"""A path is taken that symdiff could not compile.\"""
""".strip()


def _read_globally(text: str) -> set[str]:
    """The names that a class statement and its methods do not bind themselves."""
    top = symtable.symtable(text, "<class>", "exec")
    tables, found = [top], set[str]()
    for table in tables:
        tables.extend(table.get_children())
        read = (symbol for symbol in table.get_symbols() if symbol.is_referenced())
        found.update(s.get_name() for s in read if s.is_global() or table is top)
    return found
