"""What a function returns, taken apart: an abstract value enters, leaves and a structure leave."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any, NoReturn

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ir.structure import Container, Leaf, Static, Structure, is_dataclass, is_leaf
from symdiff.parse.demand import known
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.texts import settled
from symdiff.parse.values import (
    Abstract,
    Array,
    ArrayMethod,
    BoundMethod,
    Closure,
    Columns,
    Conflict,
    ConflictRead,
    DictRef,
    ListRef,
    ObjectRef,
    Partial,
    Range,
    StaticSet,
)

_NUMBERS = "return a list of numbers"
_NUMBERS_AND_MORE = "return numbers, arrays, tuples, lists, dicts or dataclasses"
_FUNCTION = ("a function", "return what it gives, or differentiate a function that calls it")
_OF_FUNCTIONS = dict.fromkeys((Closure, BoundMethod, Partial, ArrayMethod), _FUNCTION)


class Output:
    """Flattens what the function returns into leaves and structure."""

    def __init__(self, interp: Interpreter) -> None:
        self.interp = interp
        self.leaves: list[Value] = []

    def structure(self, result: Abstract) -> tuple[Structure, list[Value]]:
        return self._of(result), self.leaves

    def _of(self, value: Abstract) -> Structure:
        interp = self.interp
        if isinstance(value, Conflict):
            raise ConflictRead(value)
        interp.heap.require_array(value)
        if isinstance(value, enum.Enum):
            return Static(value)
        if isinstance(value, Array) and value.storage.subclass is not None:
            self._refuse(f"a {value.storage.subclass.__name__}", "return a copy: np.array(x)")
        if isinstance(value, Value | Array) or is_leaf(value):
            self.leaves.append(interp.lift(value))
            return Leaf(len(self.leaves) - 1)
        if isinstance(value, ListRef | DictRef | ObjectRef | tuple):
            return self._of_container(value)
        return Static(self._known(value))

    def _of_container(self, value: Abstract) -> Structure:
        interp = self.interp
        if isinstance(value, ListRef):
            content = interp.content(value)
            if value.frozen:
                raise UnsupportedSyntaxError(
                    "the function returns a tuple of a length that is known at run time only",
                    interp.returned,
                    "return a list, or an array",
                )
            if isinstance(content, Columns):
                raise UnsupportedSyntaxError(
                    "the function returns a list of tuples, lists or dicts, of a length that is "
                    "known at run time only",
                    self.interp.returned,
                    "return a list for each part: ts, ys = zip(*rows), or an array",
                )
            if isinstance(content, Value):
                self.leaves.append(content)
                return Leaf(len(self.leaves) - 1)
            return self._container(list, tuple(range(len(content))), content)
        if isinstance(value, tuple):
            keys = getattr(value, "_fields", range(len(value)))
            return self._container(type(value), tuple(keys), value)
        if isinstance(value, DictRef):
            content = interp.content(value)
            if value.path is None and hasattr(value.type, "__missing__"):
                self._refuse(f"a {value.type.__name__} that it makes", "return dict(...) of it")
            kind = dict if hasattr(value.type, "__missing__") else value.type
            return self._container(kind, tuple(content), tuple(content.values()))
        return self._object(value)

    def _known(self, value: Abstract) -> Any:
        """What is the same at each call."""
        if isinstance(value, Range):
            parts = (value.start, value.stop, value.step)
            return range(*(known(self.interp, part, _NUMBERS) for part in parts))
        if isinstance(value, StaticSet):
            self._refuse("a set", "return a list, or a frozenset")
        plain = settled(self.interp, value)
        if type(plain).__module__.startswith("symdiff.parse"):
            self._refuse(*_OF_FUNCTIONS.get(type(plain), ("an iterator", "return a list of it")))
        return plain

    def _refuse(self, what: str, hint: str) -> NoReturn:
        message = f"the function returns {what}"
        raise UnsupportedSyntaxError(message, self.interp.returned, hint)

    def _container(
        self, kind: type, keys: tuple[Any, ...], items: tuple[Abstract, ...]
    ) -> Structure:
        return Container(kind, keys, tuple(self._of(item) for item in items))

    def _object(self, value: ObjectRef) -> Structure:
        if value.live is not None and not is_dataclass(value.type):
            return Static(value.live)
        if not is_dataclass(value.type):
            self._refuse(repr(value), _NUMBERS_AND_MORE)
        names = tuple(field.name for field in dataclasses.fields(value.type))
        items = tuple(self.interp.content((value, name)) for name in names)
        return self._container(value.type, names, items)
