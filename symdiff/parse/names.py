"""What the user's names stand for when a function returns: the values behind them.

An abstract heap and a scope enter; a dict leaves: from ``x``, and ``params[0]`` inside containers,
to the IR value that the name has last, or to words that say why there is none. Nothing is staged
for it: an array that is seen through views is looked up, not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

from symdiff.ir.graph import Value
from symdiff.ops.index import index_set
from symdiff.parse.exceptions import NOTES
from symdiff.parse.heap import Heap
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Conflict,
    DictRef,
    Lens,
    ListRef,
    Maybe,
    ObjectRef,
    PossiblyUnbound,
    Scope,
)
from symdiff.source.constants import written

MOST_ITEMS = 200  # of a list, a dict or an object that have names

Names = dict[str, Value | str]


def final_names(heap: Heap, scope: Scope) -> Names:
    """The last value of each local name, and of the items of what it holds."""
    names: Names = {}
    for name in sorted(scope.locals):
        content = heap.contents.get((scope, name), ABSENT)
        if content is not ABSENT:
            _add(heap, name, content, names)
    return names


def _add(heap: Heap, name: str, content: Abstract, names: Names) -> None:
    """A name, and the items of a container under its name."""
    pending = [(name, content)]
    seen: set[int] = set()
    while pending:
        path, item = pending.pop()
        if isinstance(item, PossiblyUnbound | Maybe):
            item = item.content
        items = _items(heap, item)
        if items is None:
            names[path] = _value(heap, path, item)
        elif id(item) not in seen:
            seen.add(id(item))
            inner = [(f"{path}{step}", part) for step, part in items]
            pending.extend(reversed(inner[:MOST_ITEMS]))


def _items(heap: Heap, content: Abstract) -> list[tuple[str, Abstract]] | None:
    """The items of a container of known structure, each with how it is reached; None of others."""
    held: Any = content
    if isinstance(content, ListRef | DictRef | ObjectRef):
        held = heap.held(content)
    if isinstance(content, ListRef | DictRef) and _gives_others(content.type):
        return []
    if isinstance(held, tuple):
        return [(f"[{k}]", item) for k, item in enumerate(held)]
    if not isinstance(held, dict):
        return None
    if isinstance(content, ObjectRef):
        if "__symdiff_class__" in vars(content.type):  # it stands for a class that Python has in C
            return [] if "_places" in held else _items(heap, held.get("_items", ()))
        return [(f".{key}", item) for key, item in held.items() if key not in NOTES]
    return [(f"[{key!r}]", item) for key, item in held.items() if type(key) in (bool, int, str)]


def _gives_others(type_: type) -> bool:
    """Return whether the items that a list or dict gives may be others than those it holds."""
    return isinstance(getattr(type_, "__getitem__", None), FunctionType)


def _value(heap: Heap, name: str, content: Abstract) -> Value | str:
    """The value of what is no container, or why it has none."""
    if isinstance(content, ListRef):
        content = heap.get(content)
    if isinstance(content, Value):
        return content
    if isinstance(content, Array):
        found = _seen(heap, content)
        return found or f"'{name}' is a view of an array that was written after it was last read"
    if isinstance(content, Conflict):
        return content.reason
    if isinstance(content, bool | int | float | complex):
        return f"'{name}' is {written(content)} whatever the arguments are"
    return f"'{name}' is no number or array that the function computes"


def _seen(heap: Heap, array: Array) -> Value | None:
    """The present value of an array as far as it stands in the graph already."""
    value = heap.contents.get(array.storage)
    for lens in array.lenses:
        if not isinstance(value, Value):
            return None
        value = heap.views.get((value, lens)) or next(_put(value, lens), None)
    return value if isinstance(value, Value) else None


def _put(base: Value, lens: Lens) -> Iterator[Value]:
    """What was last written into an array through a view, which is what the view shows then."""
    node = base.node
    if node is not None and node.op is index_set and lens.op.name == "index":
        put = node.operands[1]
        same = node.operands[2:] == lens.operands
        if same and node.attributes == dict(lens.attributes) and put.type == lens.node.result.type:
            yield put
