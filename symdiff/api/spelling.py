"""Objects as text for modules that stand alone: numbers, arrays, functions and classes by their
import.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from symdiff.errors import SymdiffError

_PLAIN = (bool, int, str, bytes, type(None), type(...))


def spelled_value(value: Any) -> str:
    """The expression of a number, an array, or nested containers of such; exact.

    >>> spelled_value({"w": np.array([1.5]), "rate": float("inf")})
    "{'w': np.array([1.5], dtype='float64'), 'rate': float('inf')}"
    """
    if isinstance(value, np.ndarray):
        return f"np.array({_numbers(value.tolist())}, dtype={value.dtype.name!r})"
    if isinstance(value, np.generic):
        return f"np.{value.dtype.type.__name__}({_numbers(value.item())})"
    if isinstance(value, np.dtype):
        return f"np.dtype({value.name!r})"
    if isinstance(value, float | complex):
        return _numbers(value)
    if isinstance(value, _PLAIN):
        return repr(value)
    return _container(value)


def _container(value: Any) -> str:
    if type(value) is dict:
        return "{" + ", ".join(f"{k!r}: {spelled_value(v)}" for k, v in value.items()) + "}"
    if type(value) is list:
        return f"[{', '.join(map(spelled_value, value))}]"
    if type(value) is tuple:
        return f"({', '.join(map(spelled_value, value))}{',' if len(value) == 1 else ''})"
    raise SymdiffError(
        f"a {type(value).__qualname__} cannot be written into a module",
        hint="pass tuples, lists and dicts of numbers and arrays",
    )


def _numbers(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_numbers, value))}]"
    if isinstance(value, float):
        return repr(value) if np.isfinite(value) else f"float({str(value)!r})"
    if isinstance(value, complex):
        return f"complex({_numbers(value.real)}, {_numbers(value.imag)})"
    return repr(value)


def embedded(objects: Mapping[str, Any]) -> Iterator[str]:
    """Definitions and imports of the objects that emitted text names.

    :raises SymdiffError: where one has no place in a module that stands alone.
    """
    for name, value in objects.items():
        module = getattr(value, "__module__", None) or ""
        known = getattr(value, "__name__", "")
        if isinstance(value, np.ndarray | np.generic):
            yield f"{name} = {spelled_value(value)}"
        elif module.split(".")[0] == "symdiff" and inspect.isfunction(value):
            yield _own_source(name, value)
        elif callable(value) and known.isidentifier() and module != "__main__":
            yield f"from {module} import {known}" + (f" as {name}" if name != known else "")
        else:
            raise SymdiffError(
                f"{known or name} cannot be imported: a module cannot stand alone with it",
                hint="define it at the top level of a module",
            )


def _own_source(name: str, function: Any) -> str:
    text = textwrap.dedent(inspect.getsource(function))
    imports = "".join(f"{line}\n" for line in _imports(text, function.__globals__))
    text = f"{imports}\n\n{text}" if imports else text
    return text if function.__name__ == name else f"{text}\n\n{name} = {function.__name__}"


def _imports(text: str, scope: Mapping[str, Any]) -> list[str]:
    """What a function of ``ops.support`` needs beside NumPy and ``math``."""
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    modules = [n for n in used if isinstance(scope.get(n), types.ModuleType)]
    lines = [f"import {name}" for name in sorted(modules) if name not in ("np", "math")]
    return lines + (["from typing import Any"] if "Any" in used else [])
