"""Variables outside the function: small ones are constants of the module, large ones parameters, or
in a file beside it.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symdiff.emit import Parameter
from symdiff.emit.namespace import Namespace
from symdiff.errors import SymdiffError
from symdiff.exporting.spelling import Classes, spelled_value
from symdiff.ir.structure import children
from symdiff.runtime.calling import follow

SMALL = 64  # numbers; what is larger is no text
MARK = "__symdiff__"  # the name of the hash in a file of arrays


@dataclass(slots=True)
class Constants:
    """The variables outside that programs read, by their names in the module."""

    names: Namespace
    parameters: frozenset[str]
    in_file: bool
    small: dict[str, Any] = field(default_factory=dict)
    large: dict[str, Any] = field(default_factory=dict)
    kept: dict[str, np.ndarray] = field(default_factory=dict)
    _named: dict[Any, str] = field(default_factory=dict)

    def add(self, parameter: Parameter) -> None:
        """Name what a program's parameter reads outside."""
        if parameter.origin != "free" or parameter.path in self._named:
            return
        value = follow(parameter.path, (), ())
        small = is_small(value)
        if not small and not isinstance(value, np.ndarray):
            raise SymdiffError(
                f"{parameter.name} is a {type(value).__name__} outside the function, with an array"
                f" of more than {SMALL} numbers, which cannot be written into a module",
                hint="pass it as an argument",
            )
        hint = str(parameter.name).upper() if small or self.in_file else str(parameter.name)
        name = self._fresh(hint)
        (self.small if small else self.large)[name] = value
        self._named[parameter.path] = name

    def keep(self, hint: str, array: np.ndarray) -> str:
        """The name of an array that functions of the module need beside: a large one is in the
        file.
        """
        name = self._named.get(hint)
        if name is None:
            name = self._named[hint] = self._fresh(hint.upper())
            (self.small if is_small(array) else self.kept)[name] = array
        return name

    def _fresh(self, hint: str) -> str:
        name = self.names.fresh(hint)
        while name in self.parameters:
            name = self.names.fresh(name)
        return name

    def name(self, parameter: Parameter) -> str:
        """The name in the module of what a parameter reads outside."""
        return self._named[parameter.path]

    @property
    def asked(self) -> dict[str, Any]:
        """The large arrays that are parameters of the module's functions."""
        return {} if self.in_file else self.large

    @property
    def filed(self) -> dict[str, Any]:
        """The large arrays that are in the file."""
        return {**self.kept, **(self.large if self.in_file else {})}

    def definitions(self, classes: Classes) -> Iterator[str]:
        """An assignment a constant."""
        for name, value in self.small.items():
            yield f"{name} = {spelled_value(value, classes)}"


def is_small(value: Any) -> bool:
    """Return whether a value is written as text: a number, or what holds no large array."""
    parts = children(value)
    return bool(np.size(value) <= SMALL) if parts is None else all(map(is_small, parts[1]))


def array_file(arrays: Mapping[str, np.ndarray]) -> tuple[bytes, str]:
    """The content of an ``.npz`` file, the same for the same arrays, and the hash that is in it."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        order = "F" if array.flags.fnc else "C"
        digest.update(f"{name} {array.dtype.str} {array.shape} {order}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    buffer = io.BytesIO()
    found: dict[str, Any] = {**dict(sorted(arrays.items())), MARK: np.array(digest.hexdigest())}
    np.savez(buffer, **found)
    return buffer.getvalue(), digest.hexdigest()


def is_unchanged_array_file(content: bytes) -> bool:
    """Return whether a file is one of ``array_file``, to the byte."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files if name != MARK}
            written = MARK in file.files
    except (ValueError, OSError, KeyError, EOFError, NotImplementedError):
        return False
    except Exception as error:  # zipfile's own, which numpy does not import
        if type(error).__module__ == "zipfile":
            return False
        raise
    return written and array_file(arrays)[0] == content
