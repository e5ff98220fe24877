"""Where the turns of a loop read and write in an array, compared along one axis.

A place is known where an index is the turn's number, or an element of one range that rises, plus a
known offset, and never negative: ``u[k + 1]`` is one beyond ``u[k]``. A region is a place, or what
lies before or behind one, ``u[:k]`` and ``u[k + 1:]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.ir.control import LoopView
from symdiff.ir.graph import Node, Value
from symdiff.ops.arithmetic import add, constant_of, subtract
from symdiff.ops.creation import range_element
from symdiff.ops.index import index_add, index_set, key_of
from symdiff.ops.keys import Slice, Slot, is_basic


@dataclass(frozen=True, slots=True)
class Place:
    """An index of a turn: ``offset`` beyond the turn's number times ``step``."""

    root: tuple[Value | None, int]  # where a range starts, if it is one, and its step
    offset: int

    @property
    def step(self) -> int:
        return self.root[1]


def writes_of(carry: Value, following: Value) -> list[Node]:
    """The writes that make of a carry what it becomes, in order; none where more than that does."""
    writes: list[Node] = []
    value = following
    while value is not carry:
        node = value.node
        if node is None or node.op not in (index_set, index_add) or not is_basic(*key_of(node)):
            return []
        writes.append(node)
        value = node.operands[0]
    return writes[::-1]


def places(node: Node, view: LoopView) -> Iterator[tuple[int, Place]]:
    """The axes along which a key names one place of the turn."""
    key, dynamic = key_of(node)
    for axis, entry in enumerate(key):
        if not isinstance(entry, int | Slot | Slice):
            return
        place = place_of(dynamic[entry.number], view) if isinstance(entry, Slot) else None
        if place is not None:
            yield axis, place


@dataclass(frozen=True, slots=True)
class Region:
    """What a turn reads or writes at most along an axis: from ``start`` to before ``stop``, both
    beyond the turn's number times the step, or to an end of the axis.
    """

    root: tuple[Value | None, int]
    start: int | None
    stop: int | None


def regions(node: Node, view: LoopView) -> Iterator[tuple[int, Region]]:
    """The axes along which a key names a region of the turn."""
    key, dynamic = key_of(node)
    for axis, entry in enumerate(key):
        if not isinstance(entry, int | Slot | Slice):
            return
        found = _region(entry, dynamic, view)
        if found is not None:
            yield axis, found


def _region(entry: int | Slot | Slice, dynamic: Sequence[Value], view: LoopView) -> Region | None:
    """A bound that is not known may be an end of the axis."""

    def place(bound: int | Slot | None) -> Place | None:
        return place_of(dynamic[bound.number], view) if isinstance(bound, Slot) else None

    if not isinstance(entry, Slice):
        at = place(entry)
        return None if at is None else Region(at.root, at.offset, at.offset + 1)
    if entry.step not in (None, 1):
        return None
    start, stop = place(entry.start), place(entry.stop)
    roots = {bound.root for bound in (start, stop) if bound is not None}
    if len(roots) != 1:
        return None
    first = None if start is None else start.offset
    return Region(roots.pop(), first, None if stop is None else stop.offset)


def is_clear_of(write: Region, read: Region, view: LoopView, *, later: bool) -> bool:
    """Return whether a write touches nothing that is read: in later turns, or in the same turn."""
    if write.root != read.root:
        return False
    if not later:
        return _lies_before(read, write, 0) or _lies_before(write, read, 0)
    _, step = read.root
    return _lies_before(write, read, step) if view.reverse else _lies_before(read, write, step)


def _lies_before(one: Region, other: Region, distance: int) -> bool:
    """Return whether all of a region lies before another one, which is moved on."""
    return one.stop is not None and other.start is not None and one.stop <= other.start + distance


def place_of(value: Value, view: LoopView) -> Place | None:
    """What an index is in terms of the turn; None where it may be negative, which counts from
    the end, or is not known.
    """
    root, offset = _root_and_offset(value)
    start: Any = 0
    if root is view.index:
        found = Place((None, 1), offset)
    elif root.node is not None and root.node.op is range_element:
        first, step, number = root.node.operands
        start, by = constant_of(first), constant_of(step)
        if number is not view.index or not isinstance(start, int) or not isinstance(by, int):
            return None
        found = Place((first, by), offset)
    else:
        return None
    return found if found.step > 0 and start + offset >= 0 else None


def _root_and_offset(value: Value) -> tuple[Value, int]:
    offset = 0
    while value.node is not None and value.node.op in (add, subtract):
        a, b = value.node.operands
        sign = 1 if value.node.op is add else -1
        left, right = constant_of(a), constant_of(b)
        if isinstance(right, int):
            value, offset = a, offset + sign * right
        elif isinstance(left, int) and sign == 1:
            value, offset = b, offset + left
        else:
            break
    return value, offset
