"""Carries of derivatives that always are another one: a loop and what it starts from enter, which
carry is which leaves.

    v_dot = v_dot * x + v
    v_dot1 = v_dot1 * x + v        both start at 0.0: v_dot1 is v_dot

They are taken to be equal where they start as one value, and told apart where a turn makes
different values of them, until nothing is told apart any more (Alpern, Wegman & Zadeck 1988).
What the user carries stays as it was written.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from symdiff.ir.control import LoopView
from symdiff.ir.graph import Value
from symdiff.ops.equal import key_of_node

_ROUNDS = 8  # rather than one for each carry, where one turn after the other tells them apart


def equal_carries(
    view: LoopView, initial: Sequence[Value], has_derivatives: bool
) -> dict[int, int]:
    """The numbers of carries of derivatives, each with that of the first one that it always is."""
    starts: list[Hashable] = [
        k if carry.role == "primal" else (value, carry.type)
        for k, (carry, value) in enumerate(zip(view.carries, initial, strict=True))
    ]
    first = _first(starts)
    for _ in range(_ROUNDS):
        if len(set(first)) == len(first):
            break
        following = _after_turn(view, first, has_derivatives)
        refined = _first(zip(first, following, strict=True))
        if refined == first:
            return {k: other for k, other in enumerate(first) if k != other}
        first = refined
    return {}


def _first(keys: Iterable[Hashable]) -> list[int]:
    """For each key the number of the first one that is equal to it."""
    seen: dict[Hashable, int] = {}
    return [seen.setdefault(key, k) for k, key in enumerate(keys)]


def _after_turn(view: LoopView, first: Sequence[int], has_derivatives: bool) -> list[Value]:
    """What the carries become in a turn at whose beginning each is the ``first`` of them: values
    that are equal are one.
    """
    equal = {view.carries[k]: view.carries[other] for k, other in enumerate(first)}
    made: dict[Hashable, Value] = {}
    for node in view.body.nodes:
        key = key_of_node(node, has_derivatives, equal)
        if key is not None and len(node.results) == 1:
            equal[node.result] = made.setdefault(key, node.result)
    return [equal.get(value, value) for value in view.next_carries]
