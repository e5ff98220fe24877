"""Cotangents get the shape of what they belong to: ``c_bar = np.zeros(c.shape)``.

Lengths that are equal have one value in a graph, of whichever argument comes first; a reader looks
for the argument's own. So an array that is made for the cotangent of an argument is made of that
one's lengths, where these are the same; another one of those of an argument of its shape, rather
than of parts of others: ``np.zeros(b.shape)`` for ``np.zeros(A.shape[0])``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from symdiff.buffers.lower import is_write, remove_unread
from symdiff.ir.build import is_constant
from symdiff.ir.control import LoopView, loop
from symdiff.ir.graph import Block, Node, Value, walk_blocks
from symdiff.ir.types import ArrayType, Dim
from symdiff.ops.facts import made_by, shape_of
from symdiff.ops.sizes import size

Shape = tuple[Dim, ...]
_MADE = {"zeros": 0, "ones": 0, "empty": 0, "full": 1}  # op → where its lengths begin


def with_own_shapes(block: Block, partial: Collection[Value] = ()) -> None:
    """Let what a block and those in it make for arguments' cotangents be of their lengths.

    :param partial: parameters that may be None, which have no lengths then.
    """
    nodes_in = [node for inner in walk_blocks(block) for node in inner.nodes]
    written = {node.operands[0] for node in nodes_in if is_write(node)}
    left_out = written.union(partial)
    free = [v for v in block.parameters if v.role == "primal" and v not in left_out]
    own = {v.name: v for v in free if v.name is not None}
    alike = {v.type.shape: v for v in reversed(free) if isinstance(v.type, ArrayType)}
    begun = {
        value: carry
        for node in nodes_in
        if node.op is loop
        for value, carry in zip(LoopView(node).initial, LoopView(node).carries, strict=True)
    }
    made = (node for node in nodes_in if node.op.name in _MADE and _is_told(node))
    found = ((node, _argument(node, own, begun) or _alike(node, alike)) for node in made)
    new = {node: argument for node, argument in found if argument is not None}
    if not new:
        return
    for inner in walk_blocks(block):
        nodes: list[Node] = []
        for node in inner.nodes:
            nodes += _measured(node, new[node]) if node in new else ()
            nodes.append(node)
        inner.nodes[:] = nodes
    remove_unread(block)


def _lengths(node: Node) -> tuple[Value, ...]:
    return node.operands[_MADE[node.op.name] :]


def _is_told(node: Node) -> bool:
    """Return whether an array is made of lengths that are not all numbers."""
    return not all(map(is_constant, _lengths(node)))


def _argument(node: Node, own: Mapping[str, Value], begun: Mapping[Value, Value]) -> Value | None:
    """The argument whose cotangent an array is made for, or a loop's that begins with it, if they
    have one shape.
    """
    made = node.result
    meant = begun.get(made, made) if made.name is None else made
    argument = own.get(meant.name or "") if meant.role == "cotangent" else None
    if argument is None or not isinstance(made.type, ArrayType):
        return None
    same = isinstance(argument.type, ArrayType) and argument.type.shape == made.type.shape
    return argument if same else None


def _alike(node: Node, arguments: Mapping[Shape, Value]) -> Value | None:
    """An argument of the shape of an array that is made of lengths of others, or of parts."""
    made, lengths = node.result, _lengths(node)
    if made.role == "primal" or not isinstance(made.type, ArrayType) or not lengths:
        return None
    sizes = [made_by(v, "size") for v in lengths]
    first, *rest = (None if read is None else read.operands[0] for read in sizes)
    is_whole = first is not None and len(shape_of(first)) == len(lengths)
    if is_whole and all(source is first for source in rest):
        return None
    return arguments.get(made.type.shape)


def _measured(node: Node, argument: Value) -> list[Node]:
    """The nodes that read an argument's lengths, which become those of an array that is made."""
    first = _MADE[node.op.name]
    sizes: list[Node] = []
    for axis, length in enumerate(node.operands[first:]):
        read = Node(size, (argument,), {"axis": axis}, (), (), None)
        read.results = (Value(length.type, read, None, length.role),)
        sizes.append(read)
    node.operands = (*node.operands[:first], *(read.result for read in sizes))
    return sizes
