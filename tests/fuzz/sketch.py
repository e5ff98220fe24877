"""A function under construction: every added statement is tried by running the function so far.

What enters is a name, arguments and the text above the function; what leaves is its source. A
statement stays only if the function runs with it, at all turns of the loops that are open, without
a warning and with numbers of moderate size. So whoever proposes statements need not know Python's
or NumPy's rules, and always knows the values that the names in scope have.
"""

from __future__ import annotations

import copy
import textwrap
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

LARGEST = 30.0
MOST_ELEMENTS = 40
_MOST_TURNS = 300
Mark = tuple[int, int, dict[str, Any], set[str], list[str]]
_INDENT = "    "


class RejectedError(Exception):
    """A proposed piece of text that does not do."""


class _TooLong(BaseException):
    """A loop that does not end, raised through the user's own handlers."""


class Running:
    """Stands in a scope for an iterator, which cannot be copied or looked into."""


def is_moderate(value: Any) -> bool:
    """Whether all numbers in a value are finite and of moderate size."""
    if isinstance(value, (list, tuple)):
        return len(value) <= MOST_ELEMENTS and all(map(is_moderate, value))
    if isinstance(value, dict):
        return all(map(is_moderate, value.values()))
    if type(value).__name__ == "Box":
        return is_moderate(vars(value))
    if isinstance(value, (int, float, np.number, np.ndarray)):
        array = np.asarray(value)
        if array.dtype.kind == "c" or array.size > MOST_ELEMENTS or array.dtype == object:
            return False
        return bool(np.all(np.isfinite(array)) and np.all(np.abs(array) <= LARGEST))
    if isinstance(value, Iterator):
        return True
    return isinstance(value, (bool, str, type(None), np.bool_, types.FunctionType, Running))


def same_kind(left: Any, right: Any) -> bool:
    """Whether two values are of one type, and arrays of one shape."""
    if isinstance(left, (float, np.floating)) and isinstance(right, (float, np.floating)):
        return True
    return type(left) is type(right) and np.shape(left) == np.shape(right)


def strictly() -> Any:
    """NumPy's floating-point errors as exceptions."""
    return np.errstate(all="raise", under="ignore")


class _Recorder:
    """What the names were when the probe was first reached; names that change their type go."""

    def __init__(self, alike: Callable[[Any, Any], bool]) -> None:
        self.scope: dict[str, Any] | None = None
        self.turns = 0
        self.alike = alike

    def __call__(self, names: Mapping[str, Any]) -> None:
        self.turns += 1
        if self.turns > _MOST_TURNS:
            raise _TooLong
        if not all(map(is_moderate, names.values())):
            raise RejectedError("a value is too large")
        names = {n: Running() if isinstance(v, Iterator) else v for n, v in names.items()}
        if self.scope is None:
            self.scope = copy.deepcopy(names)
            return
        for name in list(self.scope):
            if name not in names or not self.alike(self.scope[name], names[name]):
                del self.scope[name]


def _alike(left: Any, right: Any) -> bool:
    if isinstance(left, list) and isinstance(right, list):
        return True
    return isinstance(left, (dict, tuple)) or same_kind(left, right)


def _alike_but_for_lengths(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left.ndim == right.ndim and left.dtype == right.dtype
    return _alike(left, right)


class Sketch:
    """The lines of a function body so far, how deep the next one stands, and what is in scope.

    :param ragged: whether arrays under one name may differ in length from turn to turn.
    """

    def __init__(
        self,
        name: str,
        arguments: Mapping[str, Any],
        namespace: Mapping[str, Any],
        *,
        ragged: bool = False,
    ) -> None:
        self.name = name
        self.ragged = ragged
        self.alike = _alike_but_for_lengths if ragged else _alike
        self.arguments = dict(arguments)
        self.namespace = dict(namespace)
        self.lines: list[str] = []
        self.closings: list[str] = []
        self.depth = 1
        self.protected: set[str] = set()
        self.scope: dict[str, Any] = copy.deepcopy(self.arguments)
        self._names = 0

    def source(self, extra: Sequence[str] = ()) -> str:
        """The text of the function."""
        head = f"def {self.name}({', '.join(self.arguments)}):"
        return "\n".join([head, *self.lines, *extra]) + "\n"

    def fresh(self, prefix: str = "v") -> str:
        """A name that has not been used."""
        self._names += 1
        return f"{prefix}{self._names}"

    def attempt(self, *lines: str, deeper: int = 0, closing: str = "") -> bool:
        """Add lines, the next one standing ``deeper``, if the function still runs.

        :param closing: what has to stand behind an open block, until ``closings`` is cut.
        """
        indented = [_INDENT * self.depth + line for line in lines]
        if closing:
            self.closings = [textwrap.indent(closing, _INDENT * self.depth), *self.closings]
        try:
            scope = self._run(indented, self.depth + deeper)
        except RejectedError:
            return False
        self.lines += indented
        self.depth += deeper
        self.scope = scope
        return True

    def mark(self) -> Mark:
        """The state of the sketch, to which ``restore`` returns."""
        return len(self.lines), self.depth, self.scope, set(self.protected), self.closings

    def restore(self, mark: Mark) -> None:
        """Forget what was added since."""
        length, self.depth, self.scope, self.protected, self.closings = mark
        del self.lines[length:]

    def returns(self, text: str) -> Any:
        """Add a return statement; gives the result of the whole function."""
        line = _INDENT * self.depth + f"return {text}"
        result = self.call([line], {})
        if not is_moderate(result):
            raise RejectedError("the result is too large")
        self.lines.append(line)
        return result

    def _run(self, lines: Sequence[str], depth: int) -> dict[str, Any]:
        record = _Recorder(self.alike)
        probe = f"{_INDENT * depth}_probe(locals())"
        self.call([*lines, probe, *self.closings], {"_probe": record})
        if record.scope is None:
            raise RejectedError("not reached")
        return record.scope

    def call(self, lines: Sequence[str], names: Mapping[str, Any]) -> Any:
        """What the function returns with lines added to it; any exception is a rejection."""
        namespace = {**self.namespace, **names}
        text = self.source(lines)
        try:
            exec(compile(text, f"<{self.name}>", "exec"), namespace)
            with strictly(), warnings.catch_warnings():
                warnings.simplefilter("error")
                return namespace[self.name](*copy.deepcopy(list(self.arguments.values())))
        except (Exception, _TooLong) as error:
            raise RejectedError(str(error)) from None
