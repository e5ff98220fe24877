"""Where the turns of a loop read and write in an array, compared along one axis.

A place is known where an index is the turn's number, or an element of one range that rises, plus a
known offset, and never negative: ``u[k + 1]`` is one beyond ``u[k]``.
"""

from __future__ import annotations

from collections.abc import Iterator
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


def is_ahead(other: Place, place: Place, view: LoopView) -> bool:
    """Return whether ``other`` is in no later turn where ``place`` is in this one: each is a step
    on, or back in a loop that reverses another.
    """
    distance = other.offset - place.offset
    return (-distance if view.reverse else distance) > -place.step


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
