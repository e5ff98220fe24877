"""What a loop may write in place, and what may be one thing under two names in its turns."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Value
from symdiff.parse.heap import Heap, Location, in_a_list, is_callers, is_programs, item_of_a_list
from symdiff.parse.holders import holder_of
from symdiff.parse.lattice import content_of_maybe
from symdiff.parse.loop_unions import Union, matched_cases, numbers_of
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Conflict,
    ConflictRead,
    DictRef,
    FirstTurnDiffers,
    ListRef,
    Storage,
)

if TYPE_CHECKING:
    from symdiff.parse.carries import Carries

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
    """Return whether an array's memory, a list or a dict is reachable by one name only."""
    if location is None:
        return True
    alike = heap.possible(location)
    if any(is_callers(other) or other in heap.frozen for other in alike):
        return False
    contents = heap.contents.values()
    return sum(mentions(content, other) for other in alike for content in contents) <= 1


def mentions(content: Abstract, location: Location) -> bool:
    """Return whether a content refers to an array's memory, a list or a dict."""
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


class LoopAliases:
    """What the arrays, lists … that a loop binds anew may share, as one of its turns tells."""

    def __init__(self, head: Carries, end: Heap) -> None:
        self.head = head
        self.end = end
        places: dict[Location, list[Place]] = {}
        for content, last in head.matched_all(end):
            if isinstance(content, Conflict) and content in head.unions:
                places |= self._of_union(head.unions[content], last)
                continue
            location = head.location_in(content)
            if location is not None:
                start = head.fresh[location].start
                whole = None if isinstance(last, Array) and last.lenses else location_of(last)
                place = self._place(location, location_of(start), location_of(last), whole)
                places.setdefault(location, [place])
        self.places = [place for found in places.values() for place in found]

    def _place(
        self,
        location: Location,
        start: Location | None,
        end: Location | None,
        whole: Location | None = None,
    ) -> Place:
        fresh = self.head.fresh[location]
        value = fresh.content if isinstance(location, Storage) else None
        return Place(location, fresh.name or "array", start, end, whole, value)

    def _of_union(self, union: Union, last: Abstract) -> dict[Location, list[Place]]:
        """The places among a union's cases, for all that each may be before and after a turn."""
        head, found = self.head, dict[Location, list[Place]]()
        numbers = numbers_of(head, union, last, self.end)
        for number, case in enumerate(union.cases):
            before = matched_cases(head, case, number, union.start, union.numbers, head.base)
            after = matched_cases(head, case, number, last, numbers, self.end)
            for position, (part, _) in enumerate(head.matched(case, ABSENT, self.end)):
                location = head.location_in(part)
                if location is not None:
                    starts = [location_of(column[position]) for column in before.values()]
                    lasts = [location_of(column[position]) for column in after.values()]
                    pairs = itertools.product(starts or [None], lasts or [None])
                    found[location] = [self._place(location, *pair) for pair in pairs]
        return found

    def check(self, read: set[Value]) -> None:
        """Ask for a turn of its own where the first turn writes memory that others can see.

        ``read`` holds the values that the body reads: arrays that a turn binds first cannot matter.
        """
        places = [p for p in self.places if p.value is None or p.value in read]
        heads = {place.head for place in places}
        written = written_heads(places, self.end.written)
        for place in places:
            if place.head in written and not private(place.start, self.head.base):
                reason = f"'{place.name}' is written, and another name may see it"
                raise FirstTurnDiffers(reason, self.head.several(place.name))
        for location, conflict in put_away(places, self.end).items():
            persists = location.serial < self.head.since or location in heads
            if persists and location in written and location not in self.head.base.frozen:
                raise ConflictRead(conflict)
        self._check_lists({*written, *(p.start for p in places if p.head in written)})
        seen: dict[Location, Place] = {}
        for place in places:
            if place.end is None:
                continue
            other = seen.setdefault(place.end, place)
            old = place.end.serial < self.head.since
            matters = {place.head, other.head} | ({place.end} if old else set())
            if (other is not place or old) and written & matters:
                reason = f"'{place.name}' shares an array or a list that is written"
                raise FirstTurnDiffers(reason, self.head.several(place.name))

    def _check_lists(self, written: set[Location | None]) -> None:
        """Refuse to write what a list holds whose length is staged from the loop's head on."""
        possible, length = self.head.base.possible, self._count_at_run_time()
        for carried in self.head.carried:
            if carried.array is not None or not isinstance(carried.start, tuple):
                continue
            for item in carried.start:
                if isinstance(item, Array) and not written.isdisjoint(possible(item.storage)):
                    raise ConflictRead(in_a_list(carried.parameter.name, self.head.span, length))
        for part in self.head.listed:
            if not written.isdisjoint(possible(part)):
                raise ConflictRead(item_of_a_list(self.head.span, length))

    def _count_at_run_time(self) -> Value | None:
        return self.head.count if isinstance(self.head.count, Value) else None

    def relations(self) -> Relations:
        """What may be one thing at the head of some turn; whether of the first turn only."""
        places, end = self.places, self.end
        known = [*(place.head for place in places), *self._outside()]
        starts = meant_by((p.head, p.start) for p in places)
        lasts = meant_by((p.head, p.end) for p in places)
        first = may_be_one(known, starts, self.head.base, {})
        later = closed(known, lasts, end, may_be_one(known, lasts, end, first))
        paths = self.head.paths()
        return {(paths.get(a, a), paths.get(b, b)): (a, b) not in later for a, b in first | later}

    # After the loop -------------------------------------------------------------------------------

    def locations(self) -> dict[Any, Location]:
        """What each head is after the loop; where a turn is certain, what the turn makes of it."""
        found: dict[Any, Location] = {}
        ends: dict[Location, Location] = {}
        heads = {place.head for place in self.places}
        for place in self.places:
            new: Location = place.head
            if isinstance(new, Storage):
                new = Storage(new.name)
            if isinstance(self.head.count, int) and place.whole is not None:
                if not self.head.is_new(place.whole):
                    new = place.whole
                elif place.whole not in heads:
                    new = ends.setdefault(place.whole, new)
            found[place.head] = new
        return found

    def relate_after(self, after: dict[Any, Location]) -> None:
        """What may be one thing after the loop: a fixpoint over what a turn hands to the next."""
        places, end = self.places, self.end
        heads = {place.head: place for place in places}
        known: list[Location] = [*heads, *self._outside()]
        starts = meant_by((p.head, p.start) for p in places)
        lasts = meant_by((p.head, p.end) for p in places)
        related = may_be_one(known, starts, self.head.base, {})
        if isinstance(self.head.count, int):  # at least one turn: what a name was before is gone
            related = may_be_one(known, lasts, end, related)
        related = closed(known, lasts, end, related)
        for a, b in related:
            name = heads[a if a in heads else b].name
            one, other = (after.get(v, v) for v in (a, b))
            names = tuple(heads[v].name for v in (a, b) if v in heads)
            self.head.base.relate(one, other, self.head.several(name, names))

    def freeze_after(self, after: dict[Any, Location]) -> None:
        """What a turn has put into a list of staged length is not written after the loop either."""
        away = put_away(self.places, self.end)
        length = self._count_at_run_time()
        if length is not None:  # then a static count will do
            away = {k: replace(c, predicate=length) for k, c in away.items()}
        away |= {part: item_of_a_list(self.head.span, length) for part in self.head.listed}
        frozen = {k: c for k, c in away.items() if not self.head.is_new(k)}
        for place in self.places:
            found = away.get(place.head)
            if found is None and place.end is not None:
                found = away.get(place.end)
            if found is not None:
                frozen |= {k: found for k in (place.start, after[place.head]) if k is not None}
        for location, conflict in frozen.items():
            if isinstance(location, Storage | ListRef | DictRef):
                self.head.base.keep(location, conflict)

    def _outside(self) -> list[Location]:
        """What was there before the loop and the places may be."""
        found: dict[Location, None] = {}
        for place in self.places:
            for location, heap in ((place.start, self.head.base), (place.end, self.end)):
                if location is not None:
                    possible = (*heap.possible(location), *self.head.base.possible(location))
                    found |= dict.fromkeys(o for o in possible if o.serial < self.head.since)
        return list(found)
