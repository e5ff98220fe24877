"""What a loop adds to places that hold zeros still: it is stored there.

    L_bar = np.zeros(L.shape)
    for i in reversed(range(n)):
        L_bar[i, :i] += t * x[:i]       becomes ``L_bar[i, :i] = t * x[:i]``: no other turn, and
        L_bar[i, i] += s                nothing before in this one, writes there

A graph enters, and leaves with stores in the place of such additions, in statements of derivatives.
Places are compared along one axis (``ops.places``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symdiff.ir.build import copy_block, with_block
from symdiff.ir.control import LoopView, loop
from symdiff.ir.graph import Block, Graph, Node, walk_nodes
from symdiff.ops.facts import is_derived
from symdiff.ops.index import are_apart, index_add, index_set
from symdiff.ops.places import is_clear_of, regions, writes_of
from symdiff.optimise.facts import is_zero

_MOST = 32  # writes in a turn, each of which is compared with all others


def store_first_writes(graph: Graph) -> Graph:
    """The graph with first additions as stores; the graph itself where there are none."""
    if not any(_first_additions(graph.block)):
        return graph
    block = copy_block(graph.block, {})
    for write in list(_first_additions(block)):
        write.op = index_set
    return with_block(graph, block)


def _first_additions(block: Block) -> Iterator[Node]:
    for node in walk_nodes(block):
        if node.op is loop and is_derived(node):
            yield from _first_additions_in(LoopView(node))


def _first_additions_in(view: LoopView) -> Iterator[Node]:
    for carry, following, initial in zip(
        view.carries, view.next_carries, view.initial, strict=True
    ):
        if not is_zero(initial):
            continue
        writes = writes_of(carry, following)
        for number, write in enumerate(writes if len(writes) <= _MOST else ()):
            if write.op is index_add and is_derived(write) and _is_first(number, writes, view):
                yield write


def _is_first(number: int, writes: Sequence[Node], view: LoopView) -> bool:
    """Return whether nothing has written before where a write of the turn does."""
    return all(
        _is_later(writes[number], other, view)
        and (k >= number or _are_apart_in_turn(writes[number], other, view))
        for k, other in enumerate(writes)
    )


def _is_later(write: Node, other: Node, view: LoopView) -> bool:
    """Return whether a write touches nothing that another one has written in turns before."""
    return _clear_along_an_axis(write, other, view, later=True)


def _are_apart_in_turn(write: Node, other: Node, view: LoopView) -> bool:
    return are_apart(write, other) or _clear_along_an_axis(write, other, view, later=False)


def _clear_along_an_axis(write: Node, other: Node, view: LoopView, *, later: bool) -> bool:
    others = dict(regions(other, view))
    return any(
        axis in others and is_clear_of(region, others[axis], view, later=later)
        for axis, region in regions(write, view)
    )
