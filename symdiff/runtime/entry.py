"""The entry of a compiled program: a small generated function that tests whether a call fits, and
runs it.

A signature, checks of free variables, and the compiled function enter; a function of the arguments
in canonical form leaves. It gives ``MISS`` where the call does not fit, and then has run nothing.
Being straight-line code for one signature it costs about 0.1 µs an array.
"""

from __future__ import annotations

import builtins
import datetime
import decimal
import functools
import itertools
import keyword
import types
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.definitions.declare import is_constant
from symdiff.ir.attributes import attribute_names, is_object
from symdiff.ir.graph import FreeVariable
from symdiff.ir.signature import (
    COMPARISONS,
    FILLED,
    Asked,
    Aspect,
    Fixed,
    Nested,
    Path,
    PlainArray,
    Signature,
    Specification,
    is_item,
    least_long,
    step,
)
from symdiff.ir.structure import native_base
from symdiff.ir.types import ArrayType, ListType, Multiple, Size
from symdiff.runtime.signature import filled, laps_itself
from symdiff.runtime.surroundings import ABSENT, Surroundings

MISS: Any = type("Miss", (), {"__repr__": lambda self: "<no such signature>"})()
_MANY = 8
_BY_VALUE = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    np.generic,
    np.dtype,
    range,
    slice,
    frozenset,
    tuple,
)
_PYTHON = {"f": float, "i": int, "b": bool, "c": complex}


@dataclass(frozen=True, slots=True)
class Check:
    """A fact about what stands at ``path`` that a program rests on, as ``parse.staged.Guard`` has
    it.
    """

    path: Path
    kind: Literal[
        "value", "type", "keys", "specification", "unset", "absent", "other", "same", "apart"
    ]
    expected: Any

    def moved(self, place: Callable[[Path], Path]) -> Check:
        """The fact about arguments of an outer call."""
        expected = self.expected
        if self.kind == "same":
            expected = place(expected)
        elif self.kind == "apart":
            expected = tuple(tuple(map(place, paths)) for paths in expected)
        return replace(self, path=place(self.path), expected=expected)


@dataclass(frozen=True, slots=True)
class Target:
    """What an entry runs: ``function`` on the values at ``paths``.

    ``observe`` is given the arguments before each run, ``remember`` after it, and ``explain`` an
    exception that it raised.
    ``written`` are the paths of arrays that the function writes: they may not overlap with other
    array arguments, but for those that it does not see (``unseen``).
    """

    function: Callable[..., Any]
    paths: tuple[Path, ...]
    observe: Callable[..., Any] | None = None
    explain: Callable[[BaseException], None] = lambda error: None
    written: tuple[Path, ...] = ()
    unseen: frozenset[Path] = frozenset()
    remember: Callable[..., None] | None = None


def build_entry(
    signature: Signature, checks: Sequence[Check], arguments: Sequence[Any], target: Target
) -> Callable[..., Any]:
    """The entry of a program; ``arguments`` is a call that fits."""
    return entry_when_asked(signature, checks, arguments, target)()


def entry_when_asked(
    signature: Signature, checks: Sequence[Check], arguments: Sequence[Any], target: Target
) -> Callable[[], Callable[..., Any]]:
    """What gives the entry of a program, and makes it when it is asked first; the arguments are
    looked at now, and are not kept.
    """
    names = [f"a{position}" for position in range(len(arguments))]
    read = (*(check.path[0] for check in checks), *(path[0] for path in target.paths))
    variables = [first for first in read if isinstance(first, FreeVariable)]
    writer = _Writer(Surroundings(variables))
    for name, value, (parameter, _) in zip(names, arguments, signature.parameters, strict=True):
        writer.known[(parameter,)] = name, value
    for parameter, specification in signature.parameters:
        writer.specification((parameter,), specification)
    ties = list(writer.ties())
    if ties:  # after the ranks are known to be right
        writer.require(" and ".join(ties))
    for check in checks:
        writer.check(check)
    writer.aliases(signature, target)
    for path, value in signature.static:
        writer.static(path, value)
    for path, is_long in signature.long:
        writer.require(f"{writer.read(path)} {'>=' if is_long else '<'} {least_long(path)}")
    values = [writer.read(path) for path in target.paths]
    body, define = _body(writer, target, names, values), writer.surroundings.define
    return functools.cache(lambda: define(names, body, MISS))


def _body(
    writer: _Writer, target: Target, names: Sequence[str], values: Sequence[str]
) -> list[str]:
    """The statements of an entry: what cannot be looked up any more does not fit."""
    bind, observed = writer.surroundings.bind, []
    if target.observe is not None:
        observed = [f"{bind(target.observe)}({', '.join(names)})"]
    run = [f"return {bind(target.function)}({', '.join(values)})"]
    if target.remember is not None:
        made = run[0].replace("return", "result =", 1)
        run = [made, f"{bind(target.remember)}({', '.join(names)})", "return result"]
    return [
        "try:",
        *("    " + line for line in writer.lines or ["pass"]),
        f"except {bind(Exception)}:",
        "    return MISS",
        *observed,
        "try:",
        *("    " + line for line in run),
        f"except {bind(Exception)} as error:",
        f"    {bind(target.explain)}(error)",
        "    raise",
    ]


def _scaled(length: str, factor: int, by: int) -> str:
    """``4 * n + 1`` as text."""
    return f"{f'{factor} * ' if factor != 1 else ''}{length}{f' {by:+d}' if by else ''}"


class _Writer:
    """Statements so far; ``known``: the variable of a path, and its value in the example."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.lines: list[str] = []
        self.known: dict[Path, tuple[str, Any]] = {}
        self.lengths: dict[str, list[tuple[str, Multiple]]] = {}
        self.surroundings = surroundings
        self.bind = surroundings.bind

    def require(self, condition: str) -> None:
        self.lines.append(f"if not ({condition}): return MISS")

    # Reading what stands at a path

    def read(self, path: Path) -> str:
        """The variable that holds what stands at a path; reads it where none does yet."""
        if path in self.known:
            return self.known[path][0]
        text, value = self.expression(path)
        name = text if self.surroundings.holds(text) else f"v{len(self.known)}"
        self.known[path] = name, value
        if name != text:
            self.lines.append(f"{name} = {text}")
        return name

    def expression(self, path: Path) -> tuple[str, Any]:
        """What reads a path, and what stands there in the example."""
        if path in self.known:
            return self.known[path]
        return self._variable(path[0]) if len(path) == 1 else self._step(path)

    def _variable(self, variable: FreeVariable) -> tuple[str, Any]:
        return self.surroundings.variable(variable), _or_absent(variable.read)

    def _step(self, path: Path) -> tuple[str, Any]:
        base = self.read(path[:-1])
        value, key = self.known[path[:-1]][1], path[-1]
        if key == FILLED:
            return f"({base}.size if {base}.flags.c_contiguous else 0)", filled(value)
        if isinstance(key, Aspect):  # a size
            return f"{base}.shape[{key.of}]", value.shape[key.of]
        if isinstance(key, PlainArray):
            return f"{base}.view(ndarray_)", value.view(np.ndarray)
        if isinstance(key, Asked):
            return f"{self.bind(key.of)}({base})", _or_absent(lambda: key.of(value))
        if is_item(value, key):
            return self._item(base, value, key), _or_absent(lambda: step(value, key))
        key = str(key)
        found = getattr(value, key, ABSENT)
        if found is not ABSENT and key.isidentifier() and not keyword.iskeyword(key):
            return f"{base}.{key}", found
        return f"getattr_({base}, {key!r}, ABSENT)", found

    def _item(self, base: str, value: Any, key: Any) -> str:
        """What reads an item of a container, whatever methods its class has of its own."""
        kind, literal = type(value), self._literal(key)
        native: Any = native_base(kind)
        if isinstance(value, dict) and kind is not dict:  # it may make what is missing
            return f"{self.bind(native.get)}({base}, {literal}, ABSENT)"
        if native.__getitem__ is not kind.__getitem__:
            return f"{self.bind(native.__getitem__)}({base}, {literal})"
        return f"{base}[{literal}]"

    def _literal(self, value: Any) -> str:
        return repr(value) if type(value) in (int, str) else self.bind(value)

    # Conditions

    def specification(self, path: Path, specification: Specification) -> None:
        """The value at a path fits a specification."""
        name = self.read(path)
        if isinstance(specification, ArrayType):
            self._number(name, specification)
        elif isinstance(specification, Fixed):
            self._value(name, specification.value)
        elif isinstance(specification, Nested):
            self._nested(path, name, specification)
        else:
            kind = list if isinstance(specification, ListType) else specification.type
            self.require(f"type_({name}) is {self.bind(kind)}")

    def _number(self, name: str, type_: ArrayType) -> None:
        if type_.kind == "python":
            self.require(f"type_({name}) is {self.bind(_PYTHON[type_.dtype.kind])}")
        elif type_.kind == "scalar":
            self.require(f"type_({name}) is {self.bind(type_.dtype.type)}")
        else:
            self._array(name, type_)

    def _array(self, name: str, type_: ArrayType) -> None:
        dtype = self.bind(type_.dtype)
        self.require(
            f"type_({name}) is ndarray_ and (({name}.dtype is {dtype}) or {name}.dtype == {dtype})"
        )
        self._sizes(name, type_)
        ones = [axis for axis, dim in enumerate(type_.shape) if dim == 1]
        constant = [axis for axis, dim in enumerate(type_.shape) if isinstance(dim, int)]
        if not constant and type_.rank == 1:
            self.require(f"{name}.ndim == 1 and {name}.shape[0] > 1")
            return
        self.require(f"{name}.ndim == {type_.rank}")
        if not ones and not constant and type_.rank:
            self.require(f"min_({name}.shape) > 1")
            return
        for axis, dim in enumerate(type_.shape):
            test = f"== {dim}" if isinstance(dim, int) else "> 1"
            self.require(f"{name}.shape[{axis}] {test}")

    def _sizes(self, name: str, type_: ArrayType) -> None:
        """Dimensions of one size are equal, but for their offsets."""
        for axis, dim in enumerate(type_.shape):
            if isinstance(dim, Size):
                length, known = f"{name}.shape[{axis}]", Multiple.of(dim)
                self.lengths.setdefault(known.symbol, []).append((length, known))

    def ties(self) -> Iterator[str]:
        """Conditions that hold where lengths of one symbol belong together."""
        for places in self.lengths.values():
            first, least = min(places, key=lambda place: place[1].factor)
            for length, known in places:
                factor, by = known.factor, least.factor * known.offset
                by -= factor * least.offset
                if length != first:
                    left = _scaled(length, least.factor, 0)
                    yield f"{left} == {_scaled(first, factor, by)}"

    def _nested(self, path: Path, name: str, nested: Nested) -> None:
        self.require(f"type_({name}) is {self.bind(nested.type)}")
        self._keys(name, nested.type, nested.keys)
        if len(nested.items) > _MANY and _alike(nested):
            example = self._example(path)
            base: Any = native_base(nested.type)
            kinds = {type(step(example, key)) for key in nested.keys}
            items = name if nested.type is base else f"{self.bind(base.__iter__)}({name})"
            self.require(f"{{*map_(type_, {items})}} == {self.bind(kinds)}")
            return
        for key, item in zip(nested.keys, nested.items, strict=True):
            self.specification((*path, key), item)

    def _example(self, path: Path) -> Any:
        return self.known[path][1]

    def _keys(self, name: str, kind: type, keys: Collection[Any]) -> None:
        base: Any = native_base(kind)
        if issubclass(kind, dict | types.MappingProxyType):
            items = name if kind is base else f"{self.bind(base.__iter__)}({name})"
            self.require(f"tuple_({items}) == {self.bind(tuple(keys))}")
        elif issubclass(kind, set):
            self.require(f"{name} == {self.bind(keys)}")
        elif is_object(kind):
            self.require(f"{self.bind(attribute_names)}({name}) == {self.bind(tuple(keys))}")
        elif issubclass(kind, list | tuple) and not hasattr(kind, "_fields"):
            length = "len_" if kind is base else self.bind(base.__len__)
            self.require(f"{length}({name}) == {len(keys)}")

    def _value(self, name: str, expected: Any) -> None:
        bound = self.bind(expected)
        if is_by_text(expected):
            same = f"{self.bind(repr)}({name}) == {repr(expected)!r}"
            self.require(f"{name} is {bound} or type_({name}) is type_({bound}) and {same}")
        elif is_by_value(expected):
            self.require(
                f"{name} is {bound} or type_({name}) is type_({bound})"
                f" and {self._equals(name, bound, expected)}"
            )
        elif isinstance(expected, types.MethodType | types.BuiltinMethodType):
            self.require(f"{name} == {bound}")
        elif is_constant(expected):
            same = f"{name} == {bound} and {self.bind(repr)}({name}) == {repr(expected)!r}"
            self.require(f"{name} is {bound} or type_({name}) is type_({bound}) and {same}")
        else:
            self.require(f"{name} is {bound}")

    def _equals(self, name: str, bound: str, expected: Any) -> str:
        """A test that a value is an expected one of its type: nan is, and -0.0 is not 0.0."""
        if expected != expected:
            return f"{name} != {name}"
        if isinstance(expected, float | np.floating) and expected == 0.0:
            return f"{self.bind(repr)}({name}) == {repr(expected)!r}"
        return f"{name} == {bound}"

    def check(self, check: Check) -> None:
        """A fact of the front end's holds."""
        if check.kind == "value":
            tests = (is_by_value, is_by_text, is_constant)
            read = any(test(check.expected) for test in tests)
            name = self.read(check.path) if read else self.expression(check.path)[0]
            self._value(name, check.expected)
            return
        if check.kind == "absent":
            self._absent(check.path)
            return
        name = self.read(check.path)
        if check.kind == "type":
            self.require(f"type_({name}) is {self.bind(check.expected)}")
        elif check.kind == "same":
            self.require(f"{name} is {self.read(check.expected)}")
        elif check.kind == "apart":
            self._apart(*([self.read(path) for path in paths] for paths in check.expected))
        elif check.kind == "other":
            self.require(f"{name} is not {self.bind(check.expected)}")
        elif check.kind == "unset":
            self.require(f"{check.expected!r} not in {name}.__dict__")
        elif check.kind == "specification":
            self._number(name, check.expected)
        else:
            self._keys(name, type(self._example(check.path)), check.expected)

    def _apart(self, written: list[str], others: list[str]) -> None:
        """Different objects, none of which is one of the others."""
        pairs = [*itertools.combinations(written, 2), *itertools.product(written, others)]
        if len(pairs) <= _MANY:
            self.require(" and ".join(f"{one} is not {other}" for one, other in pairs))
            return
        ids, rest = (", ".join(f"id_({name})" for name in names) for names in (written, others))
        self.require(f"len_({{{ids}}}) == {len(written)}")
        if others:
            self.require(f"{{{ids}}}.isdisjoint(({rest},))")

    def _absent(self, path: Path) -> None:
        """There is no such variable, or no such attribute."""
        if isinstance(path[-1], Asked):
            self.require(f"{self.bind(path[-1].is_refused)}({self.read(path[:-1])})")
            return
        if len(path) > 1:
            self.require(f"not hasattr_({self.read(path[:-1])}, {str(path[-1])!r})")
            return
        namespace, name = self.bind(path[0].owner), path[0].name
        missing = f"not hasattr_({self.bind(builtins)}, {name!r})"
        self.require(f"{name!r} not in {namespace} and {missing}")

    def static(self, path: Path, value: Any) -> None:
        """A number that structure depends on is what it was."""
        end = path[-1]
        kind = end.kind if isinstance(end, Aspect) else None
        if kind == "layout":
            self._layout(self.read(path[:-1]), value)
        elif kind == "equal":
            other, by, factor = end.of
            self.require(f"{self.read(path[:-1])} == {_scaled(self.read(other), factor, by)}")
        elif kind == "is":
            word = "is" if value else "is not"
            self.require(f"{self.read(path[:-1])} {word} {self.read(end.of)}")
        elif kind == "compared":
            sign, other = COMPARISONS[end.of[0]], end.of[1]
            right = self.read(other) if isinstance(other, tuple) else self.bind(other)
            text = f"{self.read(path[:-1])} {sign} {right}"
            self.require(text if value else f"not ({text})")
        else:
            self._value(self.read(path), value)

    def _layout(self, name: str, layout: str | tuple[int, ...]) -> None:
        """An array lies in memory as it did."""
        if layout == "C":
            self.require(f"{name}.flags.c_contiguous")
        elif layout == "F":
            self.require(f"{name}.flags.fnc")
        else:
            self.require(f"{name}.strides == {layout}")

    def aliases(self, signature: Signature, target: Target) -> None:
        """Arrays that were the same are the same; others do not overlap with those written."""
        same = dict(signature.same)
        for path, other in same.items():
            self.require(f"{self.read(path)} is {self.read(other)}")
        seen = [path for path in self.known if path not in target.unseen]
        whole = [path for path in seen if (*path, PlainArray()) not in self.known]
        arrays = [path for path in whole if isinstance(self._example(path), np.ndarray)]
        for path in target.written:
            name = self.read(path)
            self.require(f"{name}.flags.forc or not {self.surroundings.bind(laps_itself)}({name})")
            for other in arrays:
                if other != path and same.get(path, path) != same.get(other, other):
                    names = f"{name}, {self.read(other)}"
                    self.require(f"not (may_share_memory_({names}) and share_memory_({names}))")


def _or_absent(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except (AttributeError, LookupError, NameError, ValueError):
        return ABSENT


def is_by_text(value: Any) -> bool:
    """Return whether values of one type and one text are the same to a program, where equal ones
    are not: of one instant in two zones, of ``Decimal("1.0")`` and ``Decimal("1.00")``.
    """
    zone = getattr(value, "tzinfo", None)
    return type(value) in _BY_TEXT and (zone is None or type(zone) is datetime.timezone)


_BY_TEXT = (
    *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone),
    *(decimal.Decimal, np.datetime64, np.timedelta64),
)


def is_by_value(value: Any) -> bool:
    """Return whether equal values of one type are the same to a program.

    A class with an ``__eq__`` of the user's may call equal what differs.
    """
    if not isinstance(value, _BY_VALUE) or isinstance(value, type):
        return False
    return not isinstance(type(value).__eq__, types.FunctionType)


def _alike(nested: Nested) -> bool:
    """A list or tuple of many numbers of one type."""
    first = nested.items[0]
    if not issubclass(nested.type, list | tuple) or not isinstance(first, ArrayType):
        return False
    return first.kind != "array" and all(item == first for item in nested.items)


__all__ = ["MISS", "Check", "Target", "build_entry", "entry_when_asked"]
