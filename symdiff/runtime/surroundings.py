"""The names of a generated function: objects that it holds, and the user's own globals and cells.

Texts of statements enter; a function leaves that is defined over the user's namespace and closure
cells. What it reads by name is therefore looked up as the user's function looks it up: by Python's
rules (a global before a builtin) and at Python's speed (``np.sin is o1`` costs some nanoseconds,
for CPython caches where it found both).
"""

from __future__ import annotations

import builtins
import collections
import functools
import linecache
import re
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from symdiff.ir.graph import FreeVariable

ABSENT = type("Absent", (), {"__repr__": lambda self: "<absent>"})()
_OWN = {
    "type_": type,
    "len_": len,
    "id_": id,
    "min_": min,
    "map_": map,
    "tuple_": tuple,
    "getattr_": getattr,
    "hasattr_": hasattr,
    "ndarray_": np.ndarray,
    "may_share_memory_": np.may_share_memory,
    "share_memory_": np.shares_memory,
    "ABSENT": ABSENT,
}
_LOCAL = ("MISS", "enter", "error", "result")  # names of an entry's own
_GENERATED = re.compile(r"[aocv]\d+")
_FILE = "<symdiff entry>"
_MANY = 512  # texts of which the code is remembered
_SHOWN = "compare the types of the arguments, and run the program for them  # symdiff\n"
linecache.cache[_FILE] = (len(_SHOWN), None, [_SHOWN], _FILE)  # in tracebacks and debuggers


class Surroundings:
    """What a generated function that reads these variables finds around it."""

    def __init__(self, variables: Iterable[FreeVariable]) -> None:
        owners = [variable.owner for variable in variables if variable.kind == "global"]
        counts = collections.Counter(map(id, owners))
        home = max(owners, key=lambda owner: counts[id(owner)], default=None)
        self._globals: dict[str, Any] = {} if home is None else home
        self._objects: dict[str, Any] = dict(_OWN)
        self._cells: dict[str, Any] = {}
        self._names: dict[int, str] = {}

    def bind(self, value: Any) -> str:
        """The name of an object."""
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = f"o{len(self._names)}"
            self._objects[name] = value
        return name

    def holds(self, name: str) -> bool:
        """Return whether a name stands for an object, always the same."""
        return name in self._objects

    def variable(self, variable: FreeVariable) -> str:
        """An expression that reads a variable, and raises where it is not bound."""
        if variable.kind == "cell":
            return self._cell(variable.owner)
        if variable.kind == "global":
            return self._global(variable.owner, variable.name)
        name = self.bind(variable.owner)
        return f"{name}()" if variable.kind == "weak" else name

    def _cell(self, cell: Any) -> str:
        name = f"c{len(self._cells)}"
        known = next((name for name, other in self._cells.items() if other is cell), name)
        self._cells[known] = cell
        return known

    def _global(self, namespace: dict[str, Any], name: str) -> str:
        if namespace is self._globals and not self._is_taken(name):
            return name
        module = sys.modules.get(namespace.get("__name__", ""))
        if name in namespace and getattr(module, "__dict__", None) is namespace:
            return f"{self.bind(module)}.{name}"
        space, other = self.bind(namespace), self.bind(builtins)
        return f"({space}[{name!r}] if {name!r} in {space} else {other}.{name})"

    def _is_taken(self, name: str) -> bool:
        return name in _OWN or name in _LOCAL or _GENERATED.fullmatch(name) is not None

    def define(
        self, parameters: Sequence[str], body: Sequence[str], miss: Any
    ) -> Callable[..., Any]:
        """The function of these parameters and statements."""
        held = {**self._objects, "MISS": miss}
        text = "\n".join(
            [
                f"def make({', '.join((*held, *self._cells))}):",
                f"    def enter({', '.join(parameters)}):",
                *("        " + line for line in body),
                "    return enter",
            ]
        )
        code = _compiled(text).replace()  # CPython remembers in each where names are found
        cells = {name: types.CellType(value) for name, value in held.items()} | self._cells
        closure = tuple(cells[name] for name in code.co_freevars)
        return types.FunctionType(code, self._globals, "enter", None, closure)


@functools.lru_cache(_MANY)
def _compiled(text: str) -> types.CodeType:
    """The code of the function that is defined in one; functions of like signatures have it in
    common.
    """
    outer = compile(text, _FILE, "exec", dont_inherit=True).co_consts[0]
    return _on_one_line(next(c for c in outer.co_consts if isinstance(c, types.CodeType)))


def _on_one_line(code: types.CodeType) -> types.CodeType:
    """Code all of which stands on line 1: debuggers step over it at once.

    Each entry of the table of places is for up to eight instructions: a byte that says how many,
    and that no columns are known, and by how many lines they stand below those before.
    """
    whole, rest = divmod(len(code.co_code) // 2, 8)
    places = bytes((_PLACED + 7, 0)) * whole + bytes((_PLACED + rest - 1, 0) if rest else ())
    held = [_on_one_line(c) if isinstance(c, types.CodeType) else c for c in code.co_consts]
    return code.replace(co_firstlineno=1, co_linetable=places, co_consts=tuple(held))


_PLACED = 0x80 | 13 << 3  # CPython's Objects/locations.md, "no column info"
