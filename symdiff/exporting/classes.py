"""Classes of named tuples and dataclasses as definitions: their fields, and none of their methods.

A module's functions take the user's own objects as well: they go by the names of class and fields.
"""

from __future__ import annotations

import dataclasses
import keyword
from typing import Any

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
