"""What a loop has written into an array, or read from it, and never overwrites: no tape is needed.

    for k in range(n):                         the adjoint of turn k reads u[k] from the u that the
        u[k + 1] = u[k] - h * u[k] ** 2        loop leaves: what is written later stands behind

Places are compared along one axis (``ops.places``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symdiff.ir.control import LoopView, loop
from symdiff.ir.graph import Block, Node, Value
from symdiff.ops.index import index, index_add, index_set, key_of
from symdiff.ops.keys import is_basic
from symdiff.ops.places import is_clear_of, regions, writes_of

_WRITES = (index_set, index_add)


def kept_values(view: LoopView, around: Block) -> Mapping[Value, Node]:
    """Nodes that give values of a loop's body again, from the arrays that the loop leaves.

    ``around`` is the block in which the loop stands.
    """
    found: dict[Value, Node] = {}
    for carry, following, final in zip(view.carries, view.next_carries, view.finals, strict=True):
        writes = writes_of(carry, following)
        if writes and not _is_written_later(final, around):
            found.update(_kept(view, carry, writes, final))
    return found


def _is_written_later(final: Value, around: Block) -> bool:
    """Return whether something overwrites the array behind the loop: it would have to be copied for
    us.
    """
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
        if node.op is not index or node.operands[0] not in versions:
            continue
        done = versions.index(node.operands[0])
        if is_basic(*key_of(node)) and _stays(node, writes, done, view):
            yield node.result, _read(node, final)
    for number, write in enumerate(writes):
        stored = write.operands[1]
        if write.op is index_set and stored.node in view.body.nodes:
            read = _read(write, final)
            same = read.result.type == stored.type
            if same and _stays(write, writes, number + 1, view):
                yield stored, read


def _read(node: Node, final: Value) -> Node:
    """A node that reads, of what the loop leaves, what ``node`` reads or writes."""
    key, dynamic = key_of(node)
    attributes = {"key": key, "shape": node.attributes["shape"]}
    operands = (final, *dynamic)
    made = Node(index, operands, attributes, (), (), node.span)
    (type_,) = index.infer(*(v.type for v in operands), **attributes)
    read = node.op is index
    made.results = (Value(type_, made, node.result.name if read else node.operands[1].name),)
    return made


def _stays(node: Node, writes: list[Node], done: int, view: LoopView) -> bool:
    """Return whether no write but the first ``done`` of its own turn touches the node's elements
    later.
    """
    for axis, region in regions(node, view):
        others = [dict(regions(write, view)).get(axis) for write in writes]
        if all(
            other is not None
            and is_clear_of(other, region, view, later=True)
            and (number < done or is_clear_of(other, region, view, later=False))
            for number, other in enumerate(others)
        ):
            return True
    return False
