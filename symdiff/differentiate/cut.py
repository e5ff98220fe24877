"""Which values to save: the cheapest set from which all that is needed can be had again.

Each value is *saved* at a price, or *recomputed* at a price from its operands, or not had at all.
That is a minimum cut: an arc in → out costs the saving of a value, source → in its recomputing
(infinite where it cannot be), out of an operand → in of its user is infinite, and so is out of what
is needed → sink; all prices together are less than what stands for infinity. Dinic's algorithm
(Dinitz 1970); of the cheapest cuts the one nearest to what is needed is taken.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from symdiff.dataclass import dataclass
from symdiff.ir.reach import reached

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Offer:
    """What a value costs: saved, or recomputed from ``operands`` (None where it cannot be)."""

    save: int
    recompute: int | None
    operands: tuple[Hashable, ...] = ()


def choose(offers: Mapping[T, Offer], needed: Iterable[T]) -> tuple[set[T], set[T]]:
    """The values to save, and those to recompute."""
    number = {value: k for k, value in enumerate(offers)}
    infinite = 1 + sum(offer.save + (offer.recompute or 0) for offer in offers.values())
    source, sink = 2 * len(number), 2 * len(number) + 1
    network = _Network(2 * len(number) + 2)
    for value, k in number.items():
        offer = offers[value]
        network.arc(2 * k, 2 * k + 1, offer.save)
        network.arc(source, 2 * k, infinite if offer.recompute is None else offer.recompute)
        if offer.recompute is not None:
            for operand in offer.operands:
                network.arc(2 * number[operand] + 1, 2 * k, infinite)  # type: ignore[index]
    for value in needed:
        network.arc(2 * number[value] + 1, sink, infinite)
    network.saturate(source, sink)
    near = network.reaching(sink)
    saved = {v for v, k in number.items() if 2 * k + 1 in near and 2 * k not in near}
    return saved, {v for v, k in number.items() if 2 * k in near}


class _Network:
    """Arcs in pairs, an arc and its reverse at numbers 2a and 2a + 1."""

    def __init__(self, size: int) -> None:
        self.arcs: list[list[int]] = [[] for _ in range(size)]
        self.heads: list[int] = []
        self.room: list[int] = []

    def arc(self, tail: int, head: int, capacity: int) -> None:
        for place, other, room in ((tail, head, capacity), (head, tail, 0)):
            self.arcs[place].append(len(self.heads))
            self.heads.append(other)
            self.room.append(room)

    def saturate(self, source: int, sink: int) -> None:
        """Send as much as can flow."""
        while (levels := self._levels(source, sink)) is not None:
            following = [0] * len(self.arcs)
            while path := self._path(source, sink, levels, following):
                flow = min(self.room[arc] for arc in path)
                for arc in path:
                    self.room[arc] -= flow
                    self.room[arc ^ 1] += flow

    def _levels(self, source: int, sink: int) -> list[int] | None:
        levels = [-1] * len(self.arcs)
        levels[source] = 0
        queue = [source]
        for place in queue:
            for arc in self.arcs[place]:
                head = self.heads[arc]
                if self.room[arc] and levels[head] < 0:
                    levels[head] = levels[place] + 1
                    queue.append(head)
        return levels if levels[sink] >= 0 else None

    def _path(
        self, source: int, sink: int, levels: Sequence[int], following: list[int]
    ) -> list[int]:
        """The arcs of a path along rising levels, or an empty list."""
        path: list[int] = []
        place = source
        while place != sink:
            arc = self._next(place, levels, following)
            if arc is not None:
                path.append(arc)
                place = self.heads[arc]
            elif not path:
                return []
            else:
                place = self.heads[path.pop() ^ 1]
                following[place] += 1
        return path

    def _next(self, place: int, levels: Sequence[int], following: list[int]) -> int | None:
        arcs = self.arcs[place]
        while following[place] < len(arcs):
            arc = arcs[following[place]]
            if self.room[arc] and levels[self.heads[arc]] == levels[place] + 1:
                return arc
            following[place] += 1
        return None

    def reaching(self, sink: int) -> set[int]:
        """The places from which something could still flow to the sink."""
        arcs, heads, room = self.arcs, self.heads, self.room
        return set(reached([sink], lambda at: (heads[a] for a in arcs[at] if room[a ^ 1])))
