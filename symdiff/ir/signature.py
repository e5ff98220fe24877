"""What is known of a call at compile time: one specification a parameter of the user's function.

A ``Specification`` mirrors an argument: an ``ArrayType`` for a number or an array (dimensions that
are 1 are the constant 1, others symbolic sizes), ``ListType`` for a long list of numbers of one
type, ``Container`` of specifications for tuples, lists, dicts and records, ``Static`` for strings,
None, functions, classes, and numbers that structure depends on, ``Live`` for an object of the
user's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from symdiff.ir.types import ArrayType, ListType, in_words


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that is part of the signature; ``type`` keeps ``1``, ``1.0`` and ``True`` apart."""

    value: Any
    type: type


@dataclass(frozen=True, slots=True)
class Live:
    """An object known by its class; ``example`` is the one at hand (not part of the comparison)."""

    type: type
    example: Any = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Live) and self.type is other.type

    def __hash__(self) -> int:
        return hash(self.type)


@dataclass(frozen=True, slots=True)
class Nested:
    """A container of specifications; ``keys`` as in ``ir.structure``."""

    type: type
    keys: tuple[Any, ...]
    items: tuple[Specification, ...]


Specification = ArrayType | ListType | Fixed | Live | Nested
Path = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Aspect:
    """The end of a path, where one thing about what stands there is fixed, not the object itself.

    ``"size"``: the dimension of axis ``of``; ``"layout"``: how an array lies in memory, "C", "F" or
    its strides in bytes; ``"is"``: whether the same object stands at the path ``of``; ``"equal"``,
    of a dimension: that it is the one at the path ``of[0]`` and ``of[1]`` more.
    """

    kind: Literal["size", "layout", "is", "equal"]
    of: Any = None


LAYOUT = Aspect("layout")


@dataclass(frozen=True, slots=True)
class Signature:
    """Names and specifications of all parameters, in order; ``*args`` is a tuple, ``**kwargs`` a
    dict.

    ``static`` fixes values that structure was found to depend on: the value at a path of an
    argument, or an ``Aspect`` of it.
    ``same`` maps the path of an array to that of another that is the same object (only for
    functions that write arrays).
    """

    parameters: tuple[tuple[str, Specification], ...]
    static: tuple[tuple[Path, Any], ...] = ()
    same: tuple[tuple[Path, Path], ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"{name}: {describe(spec)}" for name, spec in self.parameters)


def describe(specification: Specification) -> str:
    """A specification in a message: ``float64[n,3]``, ``(float, float64[x.shape[0]])``."""
    if isinstance(specification, Fixed):
        return repr(specification.value)
    if isinstance(specification, Live):
        return specification.type.__qualname__
    if isinstance(specification, Nested):
        return _describe_nested(specification)
    return in_words(specification)


def _describe_nested(nested: Nested) -> str:
    items = [describe(item) for item in nested.items]
    if issubclass(nested.type, dict):
        return "{" + ", ".join(f"{k!r}: {v}" for k, v in zip(nested.keys, items, strict=True)) + "}"
    if nested.type is list:
        return f"[{', '.join(items)}]"
    if nested.type is tuple:
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    pairs = zip(nested.keys, items, strict=True)
    return f"{nested.type.__name__}({', '.join(f'{k}={v}' for k, v in pairs)})"


def leaves(specification: Specification, path: Path = ()) -> Iterator[tuple[Path, Specification]]:
    """Path and specification of everything in it that is not a ``Nested``."""
    if isinstance(specification, Nested):
        for key, item in zip(specification.keys, specification.items, strict=True):
            yield from leaves(item, (*path, key))
    else:
        yield path, specification


def nested_paths(signature: Signature) -> list[Path]:
    """The paths of all containers and objects among the arguments."""
    found: list[Path] = []
    pending: list[tuple[Path, Specification]] = [((n,), s) for n, s in signature.parameters]
    while pending:
        path, specification = pending.pop()
        if isinstance(specification, Nested):
            pairs = zip(specification.keys, specification.items, strict=True)
            pending += [((*path, key), item) for key, item in pairs]
        if isinstance(specification, Nested | Live):
            found.append(path)
    return found
