"""What a loop may write in place, and what may be one thing under two names in its turns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from symdiff.ir.graph import Value
from symdiff.parse.heap import Heap, Location, is_callers, is_programs
from symdiff.parse.holders import holder_of
from symdiff.parse.lattice import content_of_maybe
from symdiff.parse.values import Abstract, Array, Conflict

Pairs = dict[tuple[Location, Location], None]
Meant = dict[Location, list[Location | None]]
Mark = tuple[Any, ...] | Location  # a location, or the way from a heap key to it
Relations = dict[tuple[Mark, Mark], bool]


@dataclass(frozen=True, slots=True)
class Place:
    """An array, list or dict of the head that is bound anew: what it is before and after a turn.

    ``whole`` is ``end`` unless the array is a view of a part; ``value``: what an array holds.
    """

    head: Location
    name: str
    start: Location | None
    end: Location | None
    whole: Location | None
    value: Value | None


def location_of(content: Abstract) -> Location | None:
    """What can be written in place behind a content."""
    if isinstance(content, Array):
        return content.storage
    return content if is_programs(content) else None


def private(location: Location | None, heap: Heap) -> bool:
    """Whether an array's memory, a list or a dict is reachable by one name only."""
    if location is None:
        return True
    alike = heap.possible(location)
    if any(is_callers(other) or other in heap.frozen for other in alike):
        return False
    contents = heap.contents.values()
    return sum(mentions(content, other) for other in alike for content in contents) <= 1


def mentions(content: Abstract, location: Location) -> bool:
    """Whether a content refers to an array's memory, a list or a dict."""
    content = content_of_maybe(content)
    if isinstance(content, Array):
        return content.storage is location
    if isinstance(content, Conflict) and content.cases is not None:
        return any(mentions(case, location) for case in content.cases.contents.values())
    holder = holder_of(content)
    if holder is not None:
        return any(mentions(part, location) for part in holder.parts)
    return content is location


def written_heads(places: list[Place], written: set[Location]) -> set[Location]:
    """Heads whose first memory is written in some turn: theirs, or one that it is handed on to."""
    heads = {place.head for place in places}
    result = set(written)
    changed = True
    while changed:
        changed = False
        for place in places:
            end = place.end
            if end is not None and end in heads and place.head in result and end not in result:
                result.add(end)
                changed = True
    return result


def put_away(places: list[Place], end: Heap) -> dict[Location, Conflict]:
    """What lists of staged length hold after a turn, by the names of this turn and the next."""
    found: dict[Location, Conflict] = {}
    found.update(end.frozen.items())
    changed = True
    while changed:
        changed = False
        for place in places:
            for location, other in ((place.head, place.end), (place.end, place.head)):
                if location in found and other is not None and other not in found:
                    found[other] = found[location]
                    changed = True
    return found


def meant_by(pairs: Iterable[tuple[Location, Location | None]]) -> Meant:
    found: Meant = {}
    for head, location in pairs:
        found.setdefault(head, []).append(location)
    return found


def closed(known: list[Location], lasts: Meant, end: Heap, related: Pairs) -> Pairs:
    """With what further turns add, if each makes of a location what ``lasts`` says."""
    while True:
        wider = related | may_be_one(known, lasts, end, related)
        if wider == related:
            return related
        related = wider


def may_be_one(known: list[Location], meant: Meant, heap: Heap, related: Pairs) -> Pairs:
    """The pairs that may be one if ``meant`` says what a location is, in a heap.

    Heaps name all pairs: ``a`` and ``b`` may each be ``c`` without ever being one, as two arrays
    that swap their names in each turn.
    """
    found: Pairs = {}
    for position, a in enumerate(known):
        for b in known[:position]:
            if not (a in meant or b in meant):
                continue
            ones, others = ([one for one in meant.get(v, [v]) if one is not None] for v in (a, b))
            if any(_related(x, y, heap, related) for x in ones for y in others):
                found[a, b] = None
    return found


def _related(a: Location, b: Location, heap: Heap, related: Pairs) -> bool:
    return heap.may_be(a, b) or (a, b) in related or (b, a) in related
