"""Which values of a block may be undefined: None at run time; where values are handed on to.

Whoever moves a computation, or asks a value for its shape, has to know: what an arm of a branch
leaves undefined must not be read where that arm may have been taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from symdiff.ir.control import LoopView, cond, loop, undefined
from symdiff.ir.graph import Block, Node, Value, walk_nodes
from symdiff.ops.residuals import MAYBE_NOTHING

Handed = Iterable[tuple[Value, Value]]


def partial_values(
    block: Block, given: Iterable[Value] = (), others: Callable[[Node], Handed] = lambda node: ()
) -> set[Value]:
    """Values that may be undefined: what only one arm defines, and where it is handed on to.

    :param given: parameters that may be None.
    :param others: pairs of values of a node of which the second may be the first, for ops that are
        not known here.
    """
    absent = [
        value
        for node in walk_nodes(block)
        if node.op is undefined or node.op in MAYBE_NOTHING
        for value in node.results
    ]
    return reached(block, [*given, *absent], others)


def reached(
    block: Block,
    given: Iterable[Value],
    others: Callable[[Node], Handed],
    *,
    has_turns: bool = False,
) -> set[Value]:
    """The given values, and those that they are handed on to by branches, loops and ``others``.

    :param has_turns: take each loop to have a turn.
    """
    start = list(given)
    return _led_to(
        start,
        (
            pair
            for node in (walk_nodes(block) if start else ())
            for pair in (*handed_on(node, has_turns), *others(node))
        ),
    )


def sources(block: Block, values: Iterable[Value]) -> set[Value]:
    """The values, and those that branches and loops may have handed on to them."""
    pairs = (pair for node in walk_nodes(block) for pair in handed_on(node, False))
    return _led_to(values, ((value, source) for source, value in pairs))


def _led_to(start: Iterable[Value], pairs: Handed) -> set[Value]:
    """The values at the start, and those that pairs lead to from the first to the second."""
    pending = list(start)
    found = set(pending)
    following: dict[Value, list[Value]] = {}
    for source, value in pairs:
        following.setdefault(source, []).append(value)
    while pending:
        following_one = [v for v in following.get(pending.pop(), ()) if v not in found]
        found.update(following_one)
        pending += following_one
    return found


def handed_on(node: Node, has_turns: bool) -> Iterator[tuple[Value, Value]]:
    """Pairs of values of which the second may be the first."""
    if node.op is cond:
        for arm in node.blocks:
            yield from zip(arm.results, node.results, strict=True)
    elif node.op is loop:
        view = LoopView(node)
        for sources in (view.initial, view.next_carries):
            yield from zip(sources, view.carries, strict=True)
        if not (has_turns or view.has_turns):
            yield from zip(view.initial, view.finals, strict=True)
        yield from zip(view.next_carries, view.finals, strict=True)
        yield from zip(view.xs, view.elements, strict=True)
        yield from zip(view.pushed, view.ys, strict=False)  # emission has nodes that push
