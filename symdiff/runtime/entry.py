"""The entry of a compiled program: a small generated function that tests whether a call fits, and
runs it.

A signature, checks of free variables, and the compiled function enter; a function of the arguments
in canonical form leaves. It gives ``MISS`` where the call does not fit, and then has run nothing.
Being straight-line code for one signature it costs about 0.1 µs an array.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from symdiff.ir.graph import FreeVariable
from symdiff.ir.signature import LAYOUT, Fixed, Nested, Path, Signature, Specification
from symdiff.ir.types import ArrayType, ListType, Size

MISS: Any = type("Miss", (), {"__repr__": lambda self: "<no such signature>"})()
_ABSENT = object()
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
_PYTHON = {"f": "float", "i": "int", "b": "bool", "c": "complex"}


@dataclass(frozen=True, slots=True)
class Check:
    """A fact about what stands at ``path`` that a program rests on, as ``parse.staged.Guard`` has
    it.
    """

    path: Path
    kind: Literal["value", "type", "keys", "specification"]
    expected: Any


@dataclass(frozen=True, slots=True)
class Target:
    """What an entry runs: ``function`` on the values at ``paths``.

    ``observe`` is given the arguments before each run, ``explain`` an exception that it raised.
    ``written`` are the paths of arrays that the function writes: they may not overlap with other
    array arguments, but for those that it does not see (``unseen``).
    """

    function: Callable[..., Any]
    paths: tuple[Path, ...]
    observe: Callable[..., Any] | None = None
    explain: Callable[[BaseException], None] = lambda error: None
    written: tuple[Path, ...] = ()
    unseen: frozenset[Path] = frozenset()


def build_entry(
    signature: Signature, checks: Sequence[Check], arguments: Sequence[Any], target: Target
) -> Callable[..., Any]:
    """The entry of a program; ``arguments`` is a call that fits."""
    names = [f"a{position}" for position in range(len(arguments))]
    writer = _Writer()
    for name, value, (parameter, _) in zip(names, arguments, signature.parameters, strict=True):
        writer.known[(parameter,)] = name, value
    for parameter, specification in signature.parameters:
        writer.specification((parameter,), specification)
    if writer.ties:  # after the ranks are known to be right
        writer.require(" and ".join(writer.ties))
    for check in checks:
        writer.check(check)
    writer.aliases(signature, target)
    for path, value in signature.static:
        writer.static(path, value)
    if target.observe is not None:
        writer.lines.append(f"{writer.bind(target.observe)}({', '.join(names)})")
    values = [writer.read(path) for path in target.paths]
    writer.lines += [
        "try:",
        f"    return {writer.bind(target.function)}({', '.join(values)})",
        "except Exception as error:",
        f"    {writer.bind(target.explain)}(error)",
        "    raise",
    ]
    return writer.define(names)


@dataclass(slots=True)
class _Writer:
    """Statements so far; ``known``: the variable of a path, and its value in the example."""

    lines: list[str] = field(default_factory=list)
    known: dict[Path, tuple[str, Any]] = field(default_factory=dict)
    objects: dict[str, Any] = field(default_factory=dict)
    sizes: dict[Size, str] = field(default_factory=dict)
    ties: list[str] = field(default_factory=list)

    def bind(self, value: Any) -> str:
        """The name of an object in the generated function."""
        for name, known in self.objects.items():
            if known is value:
                return name
        name = f"o{len(self.objects)}"
        self.objects[name] = value
        return name

    def require(self, condition: str) -> None:
        self.lines.append(f"if not ({condition}): return MISS")

    def define(self, names: Sequence[str]) -> Callable[..., Any]:
        body = "\n    ".join(self.lines)
        text = f"def enter({', '.join(names)}):\n    {body}\n"
        namespace = {**self.objects, "MISS": MISS, "ABSENT": _ABSENT, "ndarray": np.ndarray}
        namespace["may_share_memory"] = np.may_share_memory
        exec(compile(text, "<symdiff entry>", "exec"), namespace)
        return namespace["enter"]  # type: ignore[no-any-return]

    # Reading what stands at a path

    def read(self, path: Path) -> str:
        """The variable that holds what stands at a path; reads it where none does yet."""
        if path in self.known:
            return self.known[path][0]
        text, value = self._variable(path[0]) if len(path) == 1 else self._step(path)
        return self._keep(path, text, value)

    def _keep(self, path: Path, text: str, value: Any) -> str:
        name = f"v{len(self.known)}"
        self.known[path] = name, value
        self.lines.append(f"{name} = {text}")
        return name

    def _variable(self, variable: FreeVariable) -> tuple[str, Any]:
        owner = self.bind(variable.owner)
        value = _or_absent(variable.read)
        if variable.kind == "global" and variable.name in variable.owner:
            return f"{owner}.get({variable.name!r}, ABSENT)", value
        if variable.kind == "cell":
            return f"{owner}.cell_contents", value
        return (f"{self.bind(variable)}.read()" if variable.kind == "global" else owner), value

    def _step(self, path: Path) -> tuple[str, Any]:
        base = self.read(path[:-1])
        value, key = self.known[path[:-1]][1], path[-1]
        if isinstance(key, tuple):
            return f"{base}.shape[{key[1]}]", value.shape[key[1]]
        if isinstance(value, dict):
            return f"{base}.get({self._literal(key)}, ABSENT)", value.get(key, _ABSENT)
        if isinstance(value, list | tuple) and isinstance(key, int):
            return f"{base}[{key}]", value[key]
        return f"getattr({base}, {key!r}, ABSENT)", getattr(value, key, _ABSENT)

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
            self.require(f"type({name}) is {self.bind(kind)}")

    def _number(self, name: str, type_: ArrayType) -> None:
        if type_.kind == "python":
            self.require(f"type({name}) is {_PYTHON[type_.dtype.kind]}")
        elif type_.kind == "scalar":
            self.require(f"type({name}) is {self.bind(type_.dtype.type)}")
        else:
            self._array(name, type_)

    def _array(self, name: str, type_: ArrayType) -> None:
        dtype = self.bind(type_.dtype)
        self.require(
            f"type({name}) is ndarray and (({name}.dtype is {dtype}) or {name}.dtype == {dtype})"
        )
        self._sizes(name, type_)
        ones = [axis for axis, dim in enumerate(type_.shape) if dim == 1]
        constant = [axis for axis, dim in enumerate(type_.shape) if isinstance(dim, int)]
        if not constant and type_.rank == 1:
            self.require(f"{name}.ndim == 1 and {name}.shape[0] > 1")
            return
        self.require(f"{name}.ndim == {type_.rank}")
        if not ones and not constant and type_.rank:
            self.require(f"min({name}.shape) > 1")
            return
        for axis, dim in enumerate(type_.shape):
            test = f"== {dim}" if isinstance(dim, int) else "> 1"
            self.require(f"{name}.shape[{axis}] {test}")

    def _sizes(self, name: str, type_: ArrayType) -> None:
        """Dimensions of one size are equal."""
        for axis, dim in enumerate(type_.shape):
            if isinstance(dim, Size):
                first = self.sizes.setdefault(dim, f"{name}.shape[{axis}]")
                if first != f"{name}.shape[{axis}]":
                    self.ties.append(f"{name}.shape[{axis}] == {first}")

    def _nested(self, path: Path, name: str, nested: Nested) -> None:
        self.require(f"type({name}) is {self.bind(nested.type)}")
        self._keys(name, nested.type, nested.keys)
        if len(nested.items) > _MANY and _alike(nested):
            kinds = {type(self._example(path)[key]) for key in nested.keys}
            self.require(f"{{*map(type, {name})}} == {self.bind(kinds)}")
            return
        for key, item in zip(nested.keys, nested.items, strict=True):
            self.specification((*path, key), item)

    def _example(self, path: Path) -> Any:
        return self.known[path][1]

    def _keys(self, name: str, kind: type, keys: tuple[Any, ...]) -> None:
        if issubclass(kind, dict):
            self.require(f"tuple({name}) == {self.bind(keys)}")
        elif issubclass(kind, list | tuple) and not hasattr(kind, "_fields"):
            self.require(f"len({name}) == {len(keys)}")

    def _value(self, name: str, expected: Any) -> None:
        if expected is None or isinstance(expected, type | types.FunctionType | types.ModuleType):
            self.require(f"{name} is {self.bind(expected)}")
        elif isinstance(expected, _BY_VALUE):
            bound = self.bind(expected)
            differs = f"{name} != {name}" if expected != expected else f"{name} == {bound}"
            self.require(f"{name} is {bound} or type({name}) is type({bound}) and {differs}")
        elif isinstance(expected, types.MethodType | types.BuiltinMethodType):
            self.require(f"{name} == {self.bind(expected)}")
        else:
            self.require(f"{name} is {self.bind(expected)}")

    def check(self, check: Check) -> None:
        """A fact of the front end's holds."""
        name = self.read(check.path)
        if check.kind == "value":
            self._value(name, check.expected)
        elif check.kind == "type":
            self.require(f"type({name}) is {self.bind(check.expected)}")
        elif check.kind == "specification":
            self._number(name, check.expected)
        else:
            self._keys(name, type(self._example(check.path)), tuple(check.expected))

    def static(self, path: Path, value: Any) -> None:
        """A number that structure depends on is what it was."""
        if path[-1] == LAYOUT:
            self._layout(self.read(path[:-1]), value)
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
        arrays = [path for path in seen if isinstance(self._example(path), np.ndarray)]
        for path in target.written:
            for other in arrays:
                if other != path and same.get(path, path) != same.get(other, other):
                    names = f"{self.read(path)}, {self.read(other)}"
                    self.require(f"not may_share_memory({names})")


def _or_absent(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except (AttributeError, NameError, ValueError):
        return _ABSENT


def _alike(nested: Nested) -> bool:
    """A list or tuple of many numbers of one type."""
    first = nested.items[0]
    if not issubclass(nested.type, list | tuple) or not isinstance(first, ArrayType):
        return False
    return first.kind != "array" and all(item == first for item in nested.items)


__all__ = ["MISS", "Check", "Target", "build_entry"]
