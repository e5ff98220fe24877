"""What a loop has written into an array, or read from it, and never overwrites: no tape is needed.

    for k in range(n):                         the adjoint of turn k reads u[k] from the u that the
        u[k + 1] = u[k] - h * u[k] ** 2        loop leaves: what is written later stands behind

Places are compared along one axis, where the indices of reads and writes are the turn's number, or
an element of one range that rises, plus known offsets that are not negative. A loop that reverses
another goes through them downwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from symdiff import ops
from symdiff.ir.control import LoopView, loop
from symdiff.ir.graph import Block, Node, Value
from symdiff.ops.index import Slice, Slot, is_basic, key_of

_WRITES = (ops.index_set, ops.index_add)


@dataclass(frozen=True, slots=True)
class Place:
    """An index of a turn: ``offset`` beyond the turn's number times ``step``."""

    root: tuple[Value | None, int]  # where a range starts, if it is one, and its step
    offset: int

    @property
    def step(self) -> int:
        return self.root[1]


def kept_values(view: LoopView, around: Block) -> Mapping[Value, Node]:
    """Nodes that give values of a loop's body again, from the arrays that the loop leaves.

    ``around`` is the block in which the loop stands.
    """
    found: dict[Value, Node] = {}
    for carry, following, final in zip(view.carries, view.next_carries, view.finals, strict=True):
        writes = _writes(carry, following)
        if writes and not _is_written_later(final, around):
            found.update(_kept(view, carry, writes, final))
    return found


def _writes(carry: Value, following: Value) -> list[Node]:
    """The writes that make of a carry what it becomes, in order; none where more than that does."""
    writes: list[Node] = []
    value = following
    while value is not carry:
        node = value.node
        if node is None or node.op not in _WRITES or not is_basic(*key_of(node)):
            return []
        writes.append(node)
        value = node.operands[0]
    return writes[::-1]


def _is_written_later(final: Value, around: Block) -> bool:
    """Whether something overwrites the array behind the loop: it would have to be copied for us."""
    for node in around.nodes:
        if node.op in _WRITES and node.operands[0] is final:
            return True
        if node.op is loop and final in LoopView(node).initial:
            return True
    return False


def _kept(
    view: LoopView, carry: Value, writes: list[Node], final: Value
) -> Iterator[tuple[Value, Node]]:
    versions = [carry, *(write.result for write in writes)]
    for node in view.body.nodes:
        if node.op is not ops.index or node.operands[0] not in versions:
            continue
        done = versions.index(node.operands[0])
        if is_basic(*key_of(node)) and _stays(node, writes, done, view):
            yield node.result, _read(node, final)
    for number, write in enumerate(writes):
        stored = write.operands[1]
        if write.op is ops.index_set and stored.node in view.body.nodes:
            read = _read(write, final)
            same = read.result.type == stored.type
            if same and _stays(write, writes, number + 1, view):
                yield stored, read


def _read(node: Node, final: Value) -> Node:
    """A node that reads, of what the loop leaves, what ``node`` reads or writes."""
    key, dynamic = key_of(node)
    attributes = {"key": key, "shape": node.attributes["shape"]}
    operands = (final, *dynamic)
    made = Node(ops.index, operands, attributes, (), (), node.span)
    (type_,) = ops.index.infer(*(v.type for v in operands), **attributes)
    read = node.op is ops.index
    made.results = (Value(type_, made, node.result.name if read else node.operands[1].name),)
    return made


def _stays(node: Node, writes: list[Node], done: int, view: LoopView) -> bool:
    """Whether no write but the first ``done`` of its own turn touches the node's elements later."""
    for axis, place in _places(node, view):
        others = [dict(_places(write, view)).get(axis) for write in writes]
        if all(
            other is not None
            and other.root == place.root
            and _is_ahead(other, place, view)
            and (number < done or other.offset != place.offset)
            for number, other in enumerate(others)
        ):
            return True
    return False


def _is_ahead(written: Place, place: Place, view: LoopView) -> bool:
    """Whether no later turn writes where this one is: each is a step on, or back in reverse."""
    distance = written.offset - place.offset
    return (-distance if view.reverse else distance) > -place.step


def _places(node: Node, view: LoopView) -> Iterator[tuple[int, Place]]:
    """The axes along which a key names one place of the turn."""
    key, dynamic = key_of(node)
    for axis, entry in enumerate(key):
        if not isinstance(entry, int | Slot | Slice):
            return
        place = _place(dynamic[entry.number], view) if isinstance(entry, Slot) else None
        if place is not None:
            yield axis, place


def _place(value: Value, view: LoopView) -> Place | None:
    """What an index is in terms of the turn; None where it may be negative, which counts from
    the end, or is not known.
    """
    root, offset = _root_and_offset(value)
    start: Any = 0
    if root is view.index:
        found = Place((None, 1), offset)
    elif root.node is not None and root.node.op is ops.range_element:
        first, step, number = root.node.operands
        start, by = ops.constant_of(first), ops.constant_of(step)
        if number is not view.index or not isinstance(start, int) or not isinstance(by, int):
            return None
        found = Place((first, by), offset)
    else:
        return None
    return found if found.step > 0 and start + offset >= 0 else None


def _root_and_offset(value: Value) -> tuple[Value, int]:
    offset = 0
    while value.node is not None and value.node.op in (ops.add, ops.subtract):
        a, b = value.node.operands
        sign = 1 if value.node.op is ops.add else -1
        left, right = ops.constant_of(a), ops.constant_of(b)
        if isinstance(right, int):
            value, offset = a, offset + sign * right
        elif isinstance(left, int) and sign == 1:
            value, offset = b, offset + left
        else:
            break
    return value, offset
