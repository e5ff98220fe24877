"""Parts of an axis that slices name turn by turn: up to the turn's place, or from there on.

for i in range(M):
    A_bar[:, i:M] += …            (0, None): from ``i`` on
    A_bar[: i + 1] += …           (None, 1): up to ``i + 1``
"""

from __future__ import annotations

from collections.abc import Sequence

from symdiff.ir.control import LoopView
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import Dim, Size
from symdiff.ops.facts import made_by, shape_of
from symdiff.ops.index import key_of
from symdiff.ops.keys import Entry, Slice, Slot
from symdiff.ops.places import place_of
from symdiff.ops.sizes import constant_integer, dim_of

Part = tuple[int | None, int | None]
"""Where the part of turn ``k`` starts and stops, from ``k`` on; None is an end of the axis."""

WHOLE: Part = (None, None)
_ABOUT = 8  # so many elements of an axis that a loop goes over are few


def parts_of(write: Node, view: LoopView) -> tuple[Part, Part] | None:
    """The parts of both axes of a matrix that a write names in a counted loop; None where they are
    others, or may be small in most turns.
    """
    key, dynamic = key_of(write)
    dims = shape_of(write.result)
    if len(key) != 2 or len(dims) != 2:
        return None
    rows, columns = (_part(entry, dim, dynamic, view) for entry, dim in zip(key, dims, strict=True))
    return None if rows is None or columns is None else (rows, columns)


def _part(entry: Entry, dim: Dim, dynamic: Sequence[Value], view: LoopView) -> Part | None:
    if not isinstance(entry, Slice) or entry.step not in (None, 1):
        return None
    start = None if entry.start in (None, 0) else entry.start
    stop = None if _is_end(entry.stop, dim, dynamic) else entry.stop
    if start is not None and stop is not None:
        return None
    bound = stop if start is None else start
    if bound is None:
        return WHOLE
    offset = _offset(bound, dim, dynamic, view)
    if offset is None:
        return None
    return (None, offset) if start is None else (offset, None)


def _is_end(stop: int | Slot | None, dim: Dim, dynamic: Sequence[Value]) -> bool:
    return stop is None or (isinstance(stop, Slot) and dim_of(dynamic[stop.number]) == dim)


def _offset(bound: int | Slot, dim: Dim, dynamic: Sequence[Value], view: LoopView) -> int | None:
    """How far a bound lies behind the number of the turn, of a loop that goes over an axis."""
    place = place_of(dynamic[bound.number], view) if isinstance(bound, Slot) else None
    if place is None or place.step != 1 or view.count is None:
        return None
    first = 0 if place.root[0] is None else constant_integer(place.root[0])
    range_ = made_by(view.count, "range_length")
    stop = view.count if range_ is None else range_.operands[1]
    if first is None or first + place.offset > _ABOUT or not _is_about(dim_of(stop), dim):
        return None
    return first + place.offset


def _is_about(length: Dim, dim: Dim) -> bool:
    """Return whether a length differs by a few from that of an axis."""
    if isinstance(length, int) and isinstance(dim, int):
        return abs(length - dim) <= _ABOUT
    if not isinstance(length, Size) or not isinstance(dim, Size):
        return False
    return length.symbol == dim.symbol and abs(length.offset - dim.offset) <= _ABOUT
