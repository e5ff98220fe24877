"""Objects as text for modules that stand alone: numbers, arrays, containers; functions and classes
by their import.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symdiff.errors import SymdiffError
from symdiff.exporting.examples import DrawnArray
from symdiff.ir.reach import reached
from symdiff.ir.structure import children
from symdiff.source.trees import module_of

_PLAIN = (bool, str, bytes, type(None), type(...))
_DEEPEST = 50  # Python's parser takes a little more
_MOST_DIGITS = 4000  # more are written in base 16: Python refuses to read them in base 10
_NUMERIC = "biufc"
# What a module may import.
ALONE = ("numpy", "scipy", "math", "cmath", "copy", "operator", "statistics", "builtins")

Classes = Callable[[type], str]


def no_classes(kind: type) -> str:
    """The name of a class in a module without classes.

    :raises SymdiffError: always.
    """
    raise SymdiffError(
        f"a {kind.__qualname__} cannot be written into a module",
        hint="pass tuples, lists and dicts of numbers and arrays",
    )


def spelled_value(value: Any, classes: Classes = no_classes, depth: int = 0) -> str:
    """The expression of a number, an array, or nested containers of such; exact.

    ``classes`` names the classes of named tuples and dataclasses.

    >>> spelled_value({"w": np.array([1.5]), "rate": float("inf")})
    "{'w': np.array([1.5], dtype='float64'), 'rate': float('inf')}"
    """
    if depth > _DEEPEST:
        raise SymdiffError(
            f"containers nested more than {_DEEPEST} deep cannot be written into a module",
            hint="pass types as text instead of example values",
        )
    if type(value) is np.ndarray:
        return _array(value)
    if type(value) is DrawnArray:
        return value.text
    if isinstance(value, np.generic) and value.dtype.kind in _NUMERIC:
        return f"np.{value.dtype.type.__name__}({_number(value)})"
    if isinstance(value, np.dtype):
        return f"np.dtype({value.str!r})"
    if type(value) in (int, float, complex):
        return _numbers(value)
    if type(value) in _PLAIN:
        return repr(value)
    if type(value) in (range, slice):
        parts = [value.start, value.stop, value.step]
        return f"{type(value).__name__}({', '.join(map(repr, parts))})"
    return _container(value, classes, depth) if children(value) is not None else _named(value)


def _container(value: Any, classes: Classes, depth: int) -> str:
    def spelled(item: Any) -> str:
        return spelled_value(item, classes, depth + 1)

    kind = type(value)
    if kind is dict:
        return "{" + ", ".join(f"{spelled(k)}: {spelled(v)}" for k, v in value.items()) + "}"
    if kind is list:
        return f"[{', '.join(map(spelled, value))}]"
    if kind is tuple:
        return f"({', '.join(map(spelled, value))}{',' if len(value) == 1 else ''})"
    keys, items = children(value) or ((), ())
    parts = "".join(f"{spelled(item)}, " for item in items)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return f"{classes(kind)}({parts.removesuffix(', ')})"
    if isinstance(value, dict | list | tuple):
        return no_classes(kind)
    return f"_rebuilt({classes(kind)}, {keys!r}, ({parts}))"


def _named(value: Any) -> str:
    """A function or a class of NumPy or of Python itself."""
    name = getattr(value, "__name__", "")
    if isinstance(name, str) and name.isidentifier():
        if getattr(np, name, None) is value:
            return f"np.{name}"
        if getattr(builtins, name, None) is value:
            return name
    return no_classes(type(value))


def _array(value: np.ndarray) -> str:
    if value.dtype.kind not in _NUMERIC:
        raise SymdiffError(
            f"an array of {value.dtype} cannot be written into a module",
            hint="use arrays of numbers",
        )
    dtype = repr(value.dtype.name if value.dtype.isnative else value.dtype.str)
    if value.dtype.type in (np.longdouble, np.clongdouble):
        items = ", ".join(f"np.{value.dtype.type.__name__}({_number(x)})" for x in value.ravel())
        return f"np.array([{items}], dtype={dtype}).reshape({value.shape!r})"
    if not value.size and value.ndim:
        return f"np.zeros({value.shape!r}, dtype={dtype})"
    order = ", order='F'" if value.flags.fnc else ""
    return f"np.array({_numbers(value.tolist())}, dtype={dtype}{order})"


def _number(value: np.generic) -> str:
    """The argument with which its type makes a NumPy scalar."""
    if value.dtype.type is np.longdouble:
        return repr(str(value))
    if isinstance(value, np.clongdouble):
        parts = f"{value.real!s}{'' if str(value.imag)[0] == '-' else '+'}{value.imag!s}j"
        return repr(parts)
    return _numbers(value.item())


def _numbers(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_numbers, value))}]"
    if isinstance(value, float):
        return repr(value) if np.isfinite(value) else f"float({str(value)!r})"
    if isinstance(value, complex):
        return f"complex({_numbers(value.real)}, {_numbers(value.imag)})"
    if type(value) is int and value.bit_length() > 3 * _MOST_DIGITS:
        return hex(value)
    return repr(value)


def imported(name: str, value: Any) -> str | None:
    """The statement that imports an object of NumPy, SciPy or Python under a name, if it is one."""
    module, known = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if isinstance(value, np.ufunc):
        module = "numpy" if getattr(np, value.__name__, None) is value else "scipy.special"
    texts = isinstance(module, str) and isinstance(known, str)
    if not texts or str(module).split(".")[0] not in ALONE or not str(known).isidentifier():
        return None
    if not all(part.isidentifier() for part in str(module).split(".")):
        return None
    if not _is_there(str(module), str(known), value):
        return None
    return f"from {module} import {known}" + (f" as {name}" if name != known else "")


def _is_there(module: str, name: str, value: Any) -> bool:
    import sys

    return getattr(sys.modules.get(module), name, None) is value


def own_source(name: str, function: Any) -> str:
    """The source of a function of symdiff's that generated code calls, under a name: with what it
    uses of its own module around it, where nothing else sees that.
    """
    text, needed = textwrap.dedent(inspect.getsource(function)), _needed(function)
    scope = {**function.__globals__}
    if needed:
        parts = [*needed, function]
        inner = "\n\n".join(textwrap.dedent(inspect.getsource(part)) for part in parts)
        for part in parts:
            scope |= part.__globals__
        constants = "".join(f"{n} = {scope[n]!r}\n" for n in sorted(_constants(inner, scope)))
        own = f"{constants}\n{inner}\nreturn {function.__name__}"
        text = f"def _made():\n{textwrap.indent(own, '    ')}\n\n\n{name} = _made()"
    imports = "".join(f"{line}\n" for line in _imports(text, scope))
    text = f"{imports}\n\n{text}" if imports else text
    return (
        text if needed or function.__name__ == name else f"{text}\n\n{name} = {function.__name__}"
    )


def _needed(function: Any) -> list[Any]:
    """The functions of symdiff's that a function calls, and those that these call."""

    def called(one: types.FunctionType) -> list[types.FunctionType]:
        values = (one.__globals__.get(name) for name in _used(inspect.getsource(one)))
        functions = (value for value in values if isinstance(value, types.FunctionType))
        return [value for value in functions if value.__module__.startswith("symdiff.ops.")]

    _, *needed = reached([function], called)
    return needed


def _constants(text: str, scope: Mapping[str, Any]) -> list[str]:
    return [name for name in _used(text) if type(scope.get(name)) in (int, float)]


def _used(text: str) -> set[str]:
    names = ast.walk(module_of(textwrap.dedent(text)))
    return {node.id for node in names if isinstance(node, ast.Name)}


def _imports(text: str, scope: Mapping[str, Any]) -> list[str]:
    """What a function of ``ops.support`` needs beside NumPy, ``math`` and ``Any``."""
    modules = [n for n in _used(text) if isinstance(scope.get(n), types.ModuleType)]
    return [f"import {name}" for name in sorted(modules) if name not in ("np", "math")]
