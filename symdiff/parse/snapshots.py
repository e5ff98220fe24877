"""Snapshots of contents: what a place of the caller's shows, to be compared with what it should.

A snapshot of an array has the value that it held, one of a list its items: what is changed in place
later is not what the snapshot shows.
"""

from __future__ import annotations

from typing import Any

from symdiff.dataclass import dataclass
from symdiff.parse.heap import Heap, same
from symdiff.parse.values import ABSENT, Abstract, Array, Conflict, ConflictRead, DictRef, ListRef

ANYTHING = object()


@dataclass(frozen=True, slots=True, eq=False)
class ArraySnapshot:
    """An array as it was written somewhere, and what it held.

    ``ANYTHING``: it is the caller's, which is written by itself.
    """

    array: Array
    base: Any


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The snapshot of a content of a container, which first held another one."""

    first: Any
    content: Any
    snapshot: Any


def snapshot(heap: Heap, content: Abstract, of: Any = None) -> Any:
    """What a content is now: whatever is changed in place later is not what it shows.

    ``of``: what arrays are said to hold.
    """
    if isinstance(content, Conflict) and content.cases is not None:
        raise ConflictRead(content)
    if isinstance(content, Array):
        return ArraySnapshot(
            content, snapshot(heap, heap.get(content.storage)) if of is None else of
        )
    if isinstance(content, ListRef | DictRef) and content.path is None:
        return content, snapshot(heap, heap.get(content), of)
    if isinstance(content, dict):
        return {key: snapshot(heap, item, of) for key, item in content.items()}
    if isinstance(content, tuple):
        return type(content), tuple(snapshot(heap, item, of) for item in content)
    return content


def is_flat(shown: Any) -> bool:
    """Return whether a snapshot shows nothing that can be changed in place."""
    items = shown.values() if isinstance(shown, dict) else shown
    return not any(isinstance(item, ArraySnapshot | tuple | dict) for item in items)


def agree(last: Any, now: Any) -> bool:
    """Return whether two snapshots are of one content."""
    if last is now:
        return True
    if isinstance(last, ArraySnapshot) and isinstance(now, ArraySnapshot):
        return last.array == now.array and (last.base is ANYTHING or last.base is now.base)
    if isinstance(last, tuple) and isinstance(now, tuple):
        pairs = zip(last, now, strict=False)
        return len(last) == len(now) and all(agree(a, b) for a, b in pairs)
    if isinstance(last, dict) and isinstance(now, dict):
        return list(last) == list(now) and all(agree(last[k], now[k]) for k in last)
    return same(last, now)


def item_of(content: Any, key: Any) -> Any:
    """An item of a list's or a dict's snapshot or content; ABSENT where there is none."""
    if isinstance(content, dict):
        return content.get(key, ABSENT)
    return content[key] if isinstance(content, tuple) and key < len(content) else ABSENT
