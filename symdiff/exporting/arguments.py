"""Arguments of a module's functions: statements that check them, annotations, and sizes by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from symdiff.errors import SymdiffError
from symdiff.exporting.spelling import Classes, spelled_value
from symdiff.ir.graph import FreeVariable, Graph
from symdiff.ir.signature import Aspect, Fixed, Nested, Path, Signature, Specification
from symdiff.ir.structure import Container, Either, Leaf, Structure
from symdiff.ir.types import (
    FLOAT,
    ArrayType,
    ListType,
    Multiple,
    Size,
    Type,
    in_words,
    with_symbols,
)
from symdiff.runtime.calling import follow

Parameter = tuple[str, Specification]


def readable(signature: Signature) -> list[Parameter]:
    """The parameters with sizes named n, m, …, where they have no names of the user's."""
    names: dict[str, str] = {}

    def named(specification: Specification) -> Specification:
        if isinstance(specification, Nested):
            items = tuple(map(named, specification.items))
            return Nested(specification.type, specification.keys, items)
        if not isinstance(specification, ArrayType):
            return specification
        shape = tuple(
            dim if isinstance(dim, int) else _named(dim, names) for dim in specification.shape
        )
        return ArrayType(specification.dtype, shape, specification.kind)

    return [(name, named(specification)) for name, specification in signature.parameters]


def _named(dim: Size, names: dict[str, str]) -> Size:
    known = Multiple.of(dim)
    name = names.setdefault(known.symbol, _size_name(known.symbol, names))
    return replace(known, symbol=name).size


def _size_name(symbol: str, names: dict[str, str]) -> str:
    if symbol.isidentifier():
        return symbol
    letters: list[str] = [*"nmpqrstuvw", *(f"n{k}" for k in range(10, 10 + len(names)))]
    return next(letter for letter in letters if letter not in names.values())


# Checks -------------------------------------------------------------------------------------------


def checks(text: str, specification: Specification, sizes: str, classes: Classes) -> Iterator[str]:
    """Statements that check an argument, or a part of one, that ``text`` spells: all but floats.

    ``sizes`` names the dict in which lengths are gathered.
    """
    if isinstance(specification, Nested):
        yield _container_check(text, specification)
        for key, item in zip(specification.keys, specification.items, strict=True):
            yield from checks(part(text, specification.type, key), item, sizes, classes)
    elif isinstance(specification, ArrayType) and specification.kind == "array":
        dims = dimensions(specification)
        given = f", {sizes}" if any(isinstance(dim, tuple) for dim in dims) else ""
        yield f"_array({text!r}, {text}, {_dtype(specification)!r}, {dims!r}{given})"
    elif isinstance(specification, ArrayType) and specification != FLOAT:
        yield number_check(text, specification)
    elif isinstance(specification, Fixed):
        expected = spelled_value(specification.value, classes)
        yield f"_same({text!r}, {text}, {expected})"


def number_check(text: str, type_: ArrayType, others: Sequence[type] = ()) -> str:
    """The statement that checks a number; ``others`` are types that are taken beside its own."""
    taken = "".join(f", {_TYPES[kind]}" for kind in others)
    return f"_number({text!r}, {text}, {str(type_)!r}{taken})"


_TYPES: dict[type, str] = {int: "int", np.float64: "np.float64"}


def _dtype(type_: ArrayType) -> str:
    return type_.dtype.name if type_.dtype.isnative else type_.dtype.str


def dimensions(type_: ArrayType) -> list[Any]:
    """Lengths, or a size's name, an offset and, where it is not 1, a factor."""
    return [dim if isinstance(dim, int) else _dimension(Multiple.of(dim)) for dim in type_.shape]


def _dimension(dim: Multiple) -> tuple[Any, ...]:
    return (dim.symbol, dim.offset, *([dim.factor] if dim.factor > 1 else []))


def _container_check(text: str, nested: Nested) -> str:
    kind = nested.type
    if issubclass(kind, dict):
        keys = spelled_value(nested.keys)
        return f"_keys({text!r}, {text}, {kind.__name__!r}, {keys})"
    return f"_is({text!r}, {text}, {kind.__name__!r}, {len(nested.keys)})"


def part(text: str, kind: type, key: Any) -> str:
    """An item of a container that ``text`` spells."""
    by_name = isinstance(key, str) and not issubclass(kind, dict)
    return f"{text}.{key}" if by_name else f"{text}[{spelled_value(key)}]"


def place(path: Path, signature: Signature) -> str:
    """A path of arguments as the module spells it."""
    first, *rest = path
    text, specification = str(first), dict(signature.parameters).get(first)
    for key in rest:
        kind = specification.type if isinstance(specification, Nested) else object
        text = part(text, kind, key) if isinstance(key, str | int) else f"{text}[{key!r}]"
        nested = isinstance(specification, Nested) and key in specification.keys
        specification = _item(specification, key) if nested else None
    return text


def _item(nested: Any, key: Any) -> Specification:
    found: Specification = nested.items[nested.keys.index(key)]
    return found


def fact_checks(signature: Signature, classes: Classes) -> Iterator[str]:
    """Statements that check values of arguments that the program rests on."""
    for path, value in signature.static:
        fact = _captured(path, signature) if _is_free(path) else _fact(path, value, signature)
        if fact is not None:
            text, wanted = fact
            yield f"_same({text!r}, {text}, {spelled_value(wanted, classes)})"


def _is_free(path: Path) -> bool:
    return isinstance(path[0], FreeVariable)


def _captured(path: Path, signature: Signature) -> tuple[str, Any] | None:
    """What of an argument has to fit a captured array, which is what it was itself."""
    end = path[-1]
    if not isinstance(end, Aspect) or end.kind != "equal" or _is_free(end.of[0]):
        return None
    *before, axis, _ = path
    (*other, size), by, factor = end.of
    length = follow(tuple(before), (), ()).shape[axis.of]
    return f"{place(tuple(other), signature)}.shape[{size.of}]", (length - by) // factor


def _fact(path: Path, value: Any, signature: Signature) -> tuple[str, Any]:
    """What of an argument is compared with what, where a value of it is fixed."""
    *before, end = path
    if not isinstance(end, Aspect):
        return place(path, signature), value
    array = place(tuple(before), signature)
    if end.kind == "size":
        return f"{array}.shape[{end.of}]", value
    if end.kind == "is":
        return f"({array} is {place(end.of, signature)})", value
    order = {"C": "flags.c_contiguous", "F": "flags.fnc"}.get(value)
    return (f"{array}.strides", value) if order is None else (f"{array}.{order}", True)


# Annotations --------------------------------------------------------------------------------------

_PYTHON = {"f": "float", "i": "int", "b": "bool", "c": "complex"}


def annotation(specification: Specification, classes: Classes) -> str:
    """The type of an argument as an annotation: ``NDArray[np.float64]``, ``tuple[float, ...]``."""
    if isinstance(specification, ArrayType | ListType):
        return of_type(specification)
    if isinstance(specification, Nested):
        items = [annotation(item, classes) for item in specification.items]
        return _container(specification.type, items, classes)
    if isinstance(specification, Fixed):
        return _fixed(specification.value)
    raise SymdiffError(f"a {specification.type.__qualname__} has no annotation in a module")


def _fixed(value: Any) -> str:
    if value is None:
        return "None"
    known = type(value) in (bool, int, float, complex, str, bytes, range, slice)
    return type(value).__name__ if known else "object"


def of_type(type_: Type, result: bool = False) -> str:
    """A staged value's type; numbers that are results may be Python's or NumPy's."""
    if isinstance(type_, ListType):
        return f"list[{of_type(type_.element, result)}]"
    if not isinstance(type_, ArrayType):
        return "object"
    if type_.kind == "python" or (result and type_.kind == "scalar" and type_.dtype.char in "dD"):
        return _PYTHON.get(type_.dtype.kind, "object")
    number = f"np.{type_.dtype.type.__name__}"
    return f"NDArray[{number}]" if type_.kind == "array" else number


def _container(kind: type, items: list[str], classes: Classes) -> str:
    distinct = " | ".join(dict.fromkeys(items)) or "object"
    if kind is tuple:
        return f"tuple[{', '.join(items) or '()'}]"
    if issubclass(kind, dict):
        return f"dict[Any, {distinct}]"
    if issubclass(kind, list):
        return f"list[{distinct}]"
    return classes(kind)


def returned(graph: Graph, classes: Classes) -> str:
    """The annotation of what a graph returns."""

    def of(structure: Structure) -> str:
        if isinstance(structure, Leaf):
            return of_type(graph.block.results[structure.index].type, result=True)
        if isinstance(structure, Either):
            arms = map(of, (structure.then, structure.orelse))
            return " | ".join(dict.fromkeys(arms))
        if isinstance(structure, Container):
            return _container(structure.type, list(map(of, structure.items)), classes)
        return _fixed(structure.value)

    return of(graph.output)


def result_in_words(graph: Graph, names: Mapping[str, str]) -> str:
    """The structure and the types of what a graph returns, with sizes under readable names."""

    def named(type_: Type) -> str:
        return in_words(with_symbols(type_, names))

    def of(structure: Structure) -> str:
        if isinstance(structure, Leaf):
            return named(graph.block.results[structure.index].type)
        if isinstance(structure, Either):
            return " or ".join(map(of, (structure.then, structure.orelse)))
        if not isinstance(structure, Container):
            return repr(structure.value) if structure.value is None else _fixed(structure.value)
        items = [of(item) for item in structure.items]
        if structure.type is tuple:
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        if structure.type is list:
            return f"[{', '.join(items)}]"
        pairs = zip(structure.keys, items, strict=True)
        if issubclass(structure.type, dict):
            return "{" + ", ".join(f"{key!r}: {item}" for key, item in pairs) + "}"
        return f"{structure.type.__name__}({', '.join(f'{key}={item}' for key, item in pairs)})"

    return of(graph.output)
