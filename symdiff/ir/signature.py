"""What is known of a call at compile time: one specification a parameter of the user's function.

A ``Specification`` mirrors an argument: an ``ArrayType`` for a number or an array (dimensions that
are 1 are the constant 1, others symbolic sizes), ``ListType`` for a long list of numbers of one
type, ``Container`` of specifications for tuples, lists, dicts and records, ``Static`` for strings,
None, functions, classes, and numbers that structure depends on, ``Live`` for an object of the
user's.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any, Literal, NoReturn

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import SignatureError
from symdiff.ir.attributes import is_object
from symdiff.ir.structure import native_base
from symdiff.ir.types import ArrayType, ListType, in_words
from symdiff.source import SourceSpan


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
    """A container of specifications; ``keys`` as in ``ir.structure``.

    ``example`` refers to the one at hand where its class is the user's: it may have attributes too
    (not part of the comparison).
    """

    type: type
    keys: tuple[Any, ...]
    items: tuple[Specification, ...]
    example: weakref.ref[Any] | None = field(default=None, compare=False, repr=False)


LONG = 100_000
"""From how many elements on vectors are gone through in blocks: shorter ones stay in the cache."""
LARGE = 400_000
"""The same of arrays of several axes, whose rows cost each op more."""

Specification = ArrayType | ListType | Fixed | Live | Nested
Path = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Aspect:
    """The end of a path, where one thing about what stands there is fixed, not the object itself.

    ``"size"``: the dimension of axis ``of``; ``"layout"``: how an array lies in memory, "C", "F" or
    its strides in bytes; ``"is"``: whether the same object stands at the path ``of``; ``"equal"``,
    of a dimension: that it is ``of[2]`` times the one at the path ``of[0]`` and ``of[1]`` more;
    ``"filled"``: how many elements an array has if it fills its memory by rows, else 0;
    ``"compared"``: what a number gives by the comparison ``of[0]`` ("lt", "eq" …) with the number
    ``of[1]``, or the one at that path.
    """

    kind: Literal["size", "layout", "is", "equal", "filled", "compared"]
    of: Any = None

    def moved(self, place: Callable[[Path], Path]) -> Aspect:
        """The same where what it tells of has other paths."""
        if self.kind == "is":
            return replace(self, of=place(self.of))
        if self.kind == "equal":
            return replace(self, of=(place(self.of[0]), *self.of[1:]))
        if self.kind == "compared" and isinstance(self.of[1], tuple):
            return replace(self, of=(self.of[0], place(self.of[1])))
        return self


LAYOUT = Aspect("layout")
FILLED = Aspect("filled")


def least_long(path: Path) -> int:
    """From which number on a length, or a count of elements, is long."""
    return LARGE if path[-1] == FILLED else LONG


@dataclass(frozen=True, slots=True)
class Attribute:
    """A step of a path: an attribute of what has items too, a list or a dict."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class PlainArray:
    """A step of a path: the ``np.ndarray`` in the memory of an array of a subclass."""

    def __str__(self) -> str:
        return "array"


COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A step of a path: what a table answers to a call of a method of its."""

    name: str
    arguments: tuple[Any, ...] = field(compare=False)  # slices have no hash, and 1 equals True
    text: str = field(default="", init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", repr(self.arguments))

    def of(self, table: Any) -> Any:
        """What a table answers, or a function of NumPy of it."""
        if self.name.startswith("np."):
            return getattr(np, self.name[3:])(table, *self.arguments)
        return getattr(table, self.name)(*self.arguments)

    def is_refused(self, table: Any) -> bool:
        """Return whether a table raises an exception instead."""
        try:
            self.of(table)
        except Exception:
            return True
        return False

    def spelled(self, table: str) -> str:
        """The same as Python spells it."""
        given = ", ".join(map(repr, self.arguments))
        if self.name.startswith("np."):
            return f"{self.name}({', '.join((table, *map(repr, self.arguments)))})"
        forms = {"__getitem__": "{0}[{1}]", "__contains__": "{1} in {0}", "__len__": "len({0})"}
        forms["__call__"] = "{0}({1})"
        forms |= {f"__{name}__": f"{{0}} {sign} {{1}}" for name, sign in COMPARISONS.items()}
        forms |= {f"__{name}__": f"({{0}} {sign} {{1}})" for name, sign in _ARITHMETIC.items()}
        form = forms.get(self.name, f"{{0}}.{self.name}({{1}})")
        return form.format(table, given)

    def __str__(self) -> str:
        return "_".join(map(str, self.arguments)) or self.name


def refuse_subclass(name: str, array: np.ndarray, span: SourceSpan | None = None) -> NoReturn:
    """Refuse an array of a subclass.

    :raises SignatureError: always.
    """
    hint = f"pass np.asarray({name})"
    if isinstance(array, np.ma.MaskedArray):
        hint = f"pass the numbers and the mask: np.where({name}.mask, 0.0, {name}.data)"
    elif hasattr(array, "unit"):
        hint = f"pass its numbers, {name}.value, and make the quantity in the function"
    kind = type(array).__qualname__
    raise SignatureError(f"{name} is a {kind}, whose operations differ from an array's", span, hint)


def step(value: Any, key: Any) -> Any:
    """What stands at a step of a path: an item of a container, or an attribute.

    :raises LookupError, AttributeError: where nothing does.
    """
    if isinstance(key, Attribute):
        return getattr(value, key.name)
    if isinstance(key, PlainArray):
        return value.view(np.ndarray)
    if isinstance(key, Asked):
        return key.of(value)
    if isinstance(value, dict):
        if not dict.__contains__(value, key):
            raise KeyError(key)
        return dict.get(value, key)
    if is_item(value, key):
        base: Any = native_base(type(value))
        return base.__getitem__(value, key)
    return getattr(value, key)


def is_item(value: Any, key: Any) -> bool:
    """Return whether a step of a path leads to an item."""
    if isinstance(value, dict | MappingProxyType):
        return not isinstance(key, Attribute)
    return isinstance(value, list | tuple) and isinstance(key, int)


@dataclass(frozen=True, slots=True)
class Signature:
    """Names and specifications of all parameters, in order; ``*args`` is a tuple, ``**kwargs`` a
    dict.

    ``static`` fixes values that structure was found to depend on: the value at a path of an
    argument, or an ``Aspect`` of it.
    ``same`` maps the path of an array to that of another that is the same object (only for
    functions that write arrays).
    ``long`` tells of lengths and counts, each the ``Aspect`` of an array, whether they are at least
    ``least_long``.
    """

    parameters: tuple[tuple[str, Specification], ...]
    static: tuple[tuple[Path, Any], ...] = ()
    same: tuple[tuple[Path, Path], ...] = ()
    long: tuple[tuple[Path, bool], ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"{name}: {describe(spec)}" for name, spec in self.parameters)


@dataclass(frozen=True, slots=True)
class Long:
    """What is known to be long: vectors whose lengths have the symbols of ``vectors``, and arrays
    whose first lengths have those of ``rows``; the inputs at ``packed`` fill their memory by rows.
    """

    vectors: frozenset[str] = frozenset()
    rows: frozenset[str] = frozenset()
    packed: frozenset[Path] = frozenset()


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


def objects_in(signature: Signature) -> frozenset[Path]:
    """The paths of the objects that are known by their attributes."""
    found = set[Path]()

    def visit(path: Path, specification: Specification) -> None:
        if isinstance(specification, Nested):
            found.update([path] if is_object(specification.type) else ())
            for key, item in zip(specification.keys, specification.items, strict=True):
                visit((*path, key), item)

    for name, specification in signature.parameters:
        visit((name,), specification)
    return frozenset(found)


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
