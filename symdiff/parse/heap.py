"""The abstract heap: what each name, array, list, dict and attribute holds at a point.

One flat dict from keys to contents. Keys: ``Storage`` → IR value; ``(Scope, name)`` → abstract
value; ``ListRef`` → tuple or staged list; ``DictRef`` → dict; ``(ObjectRef, attribute)`` → abstract
value; ``(token, flag)`` → False, True or a staged bool (break, continue, return). Branches work on
copies.
"""

from __future__ import annotations

from typing import Any

from symdiff.ir.build import builder
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType, Type
from symdiff.ops import retype
from symdiff.ops.shape import VIEW_PUTS
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Columns,
    Conflict,
    ConflictRead,
    Lens,
    Storage,
)
from symdiff.source import SourceSpan

Key = Any


class Heap:
    """Contents by key; ``views``: what was read through lenses; ``frozen``: what not to write."""

    def __init__(
        self,
        contents: dict[Key, Any] | None = None,
        frozen: dict[Storage, Conflict] | None = None,
        views: dict[tuple[Value, Lens], Value] | None = None,
        written: set[Storage] | None = None,
    ) -> None:
        self.contents: dict[Key, Any] = {} if contents is None else contents
        self.frozen: dict[Storage, Conflict] = {} if frozen is None else frozen
        self.views: dict[tuple[Value, Lens], Value] = {} if views is None else views
        self.written: set[Storage] = set() if written is None else written

    def copy(self, written: set[Storage] | None = None) -> Heap:
        """A copy to go on from; what is written is noted in the same set, or in the one given."""
        noted = self.written if written is None else written
        return Heap(dict(self.contents), dict(self.frozen), dict(self.views), noted)

    def get(self, key: Key) -> Any:
        return self.contents.get(key, ABSENT)

    def set(self, key: Key, content: Any) -> None:
        if content is ABSENT:
            self.contents.pop(key, None)
        else:
            self.contents[key] = content

    # Arrays ---------------------------------------------------------------------------------------

    def allocate(self, value: Value, name: str | None = None) -> Array:
        """A new array that holds ``value``."""
        storage = Storage(name)
        self.contents[storage] = value
        return Array(storage)

    def read(self, array: Array) -> Value:
        """The present value of an array, through its views."""
        return self.levels(array)[-1]

    def levels(self, array: Array) -> list[Value]:
        """The value of the storage and of each view on the way to the array."""
        levels: list[Value] = [self.contents[array.storage]]
        for lens in array.lenses:
            levels.append(self._view(levels[-1], lens))
        return levels

    def _view(self, base: Value, lens: Lens) -> Value:
        known = self.views.get((base, lens))
        if known is None:
            node = builder().emit(lens.op, (base, *lens.operands), lens.node.attributes)
            known = self.views[base, lens] = node.result
        return known

    def remember(self, base: Value, lens: Lens, view: Value) -> None:
        """``view`` is what ``lens`` shows of ``base``."""
        self.views[base, lens] = view

    def freeze(self, array: Array, conflict: Conflict) -> None:
        """Refuse later writes to the array's memory: what is not followed refers to it."""
        self.frozen.setdefault(array.storage, conflict)

    def write(self, array: Array, new: Value) -> None:
        """Change an array's whole content, in its storage, through its views."""
        if array.storage in self.frozen:
            raise ConflictRead(self.frozen[array.storage])
        self.written.add(array.storage)
        levels = self.levels(array)
        for lens, base in zip(reversed(array.lenses), reversed(levels[:-1]), strict=True):
            put = VIEW_PUTS[lens.op.name]
            new = put(lens.node, base, new)
        self.contents[array.storage] = new


def several_arrays(name: str, span: SourceSpan | None, predicate: Value | None = None) -> Conflict:
    """Why an array must not be written: its name may mean one of several."""
    reason = f"a write to '{name}', which may be one of several arrays here"
    return Conflict(name, reason, span, True, predicate)


def in_a_list(name: str | None, span: SourceSpan | None, length: Value | None = None) -> Conflict:
    """Why an array must not be written: a list of a length known at run time only holds it."""
    reason = "a write to an array that is in a list whose length is known at run time only"
    return Conflict(name or "x", reason, span, aliasing=True, predicate=length)


def value_name(value: Value, name: str) -> Value:
    """Give a value the user's name, unless it has one."""
    if value.name is None:
        value.name = name
    return value


def same(a: Abstract, b: Abstract) -> bool:
    """Whether two contents are the same without looking behind handles."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Columns):
        return all(x is y for x, y in zip(a.values, b.values, strict=True))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, bool | int | str | bytes | Array):
        return bool(a == b)
    if isinstance(a, float | complex):
        return repr(a) == repr(b)
    return False


def constant(value: Any) -> Value:
    """A value known now, as a node of the present block."""
    return builder().constant(value)


def as_type(value: Value, type_: Type) -> Value:
    """A value where one of a wider type is expected; at run time it stays what it is."""
    if value.type == type_ or not isinstance(type_, ArrayType) or type_.shape:
        return value
    result: Value = retype(value, type=type_)
    result.name = value.name
    return result
