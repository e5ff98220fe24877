"""Dicts with entries that are there on some paths only.

Where paths meet whose dicts have other keys, in orders that go together, the dict has the keys of
both: an entry that one of them lacks is a ``Maybe``, whether it is there and what it holds, and
what holds such is ``SomeEntries``. ``in``, ``[]``, ``get``, ``len`` and the like ask for the one
entry; whatever else reads such a dict is told one path from the other, entry by entry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symdiff.ir.build import Builder, building
from symdiff.ir.control import emit_cond
from symdiff.ir.graph import Block, Value
from symdiff.ops.arithmetic import bitwise_or
from symdiff.parse.assumed import implied, truth_of
from symdiff.parse.blame import users
from symdiff.parse.heap import constant, of_items
from symdiff.parse.interpreter import HOOKS, Interpreter
from symdiff.parse.values import (
    ABSENT,
    DICT,
    Abstract,
    Cases,
    Conflict,
    ConflictRead,
    DictRef,
    DictView,
    Maybe,
    SomeEntries,
)

Items = dict[Any, Abstract]


# Where paths meet ---------------------------------------------------------------------------------


def in_common(a: Abstract, b: Abstract) -> tuple[Items, Items] | None:
    """What two dicts hold, by the keys of both; None where these have no order in common."""
    if not isinstance(a, dict) or not isinstance(b, dict):
        return None
    keys = _in_order(list(a), list(b))
    if keys is None:
        return None
    uncertain = {k for k in keys if any(not _is_certain(items, k) for items in (a, b))}
    both = [{k: _item(items, k, k in uncertain) for k in keys} for items in (a, b)]
    kind = SomeEntries if uncertain else dict
    return kind(both[0]), kind(both[1])


def as_those(whole: Items, items: Items) -> Items | None:
    """What a dict holds, by the keys of another one; None where that has not all, or not so."""
    found = in_common(whole, items)
    if found is None or list(found[0]) != list(whole):
        return None
    same = all(isinstance(whole[k], Maybe) or not isinstance(found[0][k], Maybe) for k in whole)
    return found[1] if same else None


def _is_certain(items: Items, key: Any) -> bool:
    return key in items and not isinstance(items[key], Maybe)


def _item(items: Items, key: Any, uncertain: bool) -> Abstract:
    item = items.get(key, ABSENT)
    if not uncertain or isinstance(item, Maybe):
        return item
    return Maybe((item is not ABSENT, item))


def _in_order(a: list[Any], b: list[Any]) -> list[Any] | None:
    """The keys of both, each in its order. What is in one alone is never there beside what is in
    the other alone.
    """
    places = {key: k for k, key in enumerate(b)}
    made: list[Any] = []
    done = 0
    for key in a:
        place = places.get(key)
        if place is not None:
            if place < done or type(b[place]) is not type(key):
                return None
            made += b[done:place]
            done = place + 1
        made.append(key)
    made += b[done:]
    return made if len(set(made)) == len(made) else None


# Single entries -----------------------------------------------------------------------------------


def some_entries(interp: Interpreter, ref: Abstract) -> SomeEntries | None:
    """What a dict holds some of whose entries are there on some paths only."""
    found = interp.heap.get(ref) if isinstance(ref, DictRef) else None
    if not isinstance(found, SomeEntries) or hasattr(ref.type, "__missing__"):
        return None
    if interp.regions:
        HOOKS.note_read(interp, ref)
    return found


def entry(interp: Interpreter, ref: DictRef, key: Any) -> Maybe:
    """An entry: whether it is there, and what it holds."""
    item = interp.heap.get(ref).get(key, ABSENT)
    if not isinstance(item, Maybe):
        return Maybe((item is not ABSENT, item))
    there = item.there
    known = truth_of(there, interp.assumed) if isinstance(there, Value) else there
    return item if known is None else Maybe((known, item.content))


def required(interp: Interpreter, ref: DictRef, key: Any) -> Abstract:
    """What an entry holds, which is there from here on: where it is not, Python's error."""
    found = entry(interp, ref, key)
    if found.there is not True:

        def missing() -> None:
            raise users(KeyError(key))

        interp.where_not(found.there, missing)
        if interp.regions and isinstance(found.there, Value):  # the error may be caught
            return found.content
    if isinstance(interp.heap.get(ref).get(key), Maybe):
        interp.put(ref, of_items({**interp.heap.get(ref), key: found.content}))
    return found.content


def has_entries(interp: Interpreter, ref: DictRef) -> bool | Value:
    """Return whether a dict is not empty."""
    found: bool | Value = False
    for key in interp.heap.get(ref):
        there = entry(interp, ref, key).there
        if there is True:
            return True
        if isinstance(there, Value):
            found = there if found is False else bitwise_or(found, there)
    return found


def with_entry(interp: Interpreter, ref: DictRef, key: Any, content: Abstract) -> Items:
    """What a dict holds after ``d[key] = content``."""
    items: Items = interp.heap.get(ref)
    there = entry(interp, ref, key).there
    if isinstance(there, Value):
        without = _settled(interp, items, there, False)
        if any(k in without for k in list(items)[list(items).index(key) + 1 :]):
            raise told_apart(interp, ref, key)  # it comes behind these where it is not there
    elif not there:
        items = {k: item for k, item in items.items() if k != key}
    return of_items({**items, key: content})


def _settled(interp: Interpreter, items: Items, predicate: Value, taken: bool) -> Items:
    """What a dict holds where a predicate is told, which tells of other entries, too."""
    assumed = interp.assumed | implied(predicate, taken)
    made: Items = {}
    for key, item in items.items():
        if isinstance(item, Maybe) and isinstance(item.there, Value):
            known = truth_of(item.there, assumed)
            item = item if known is None else Maybe((known, item.content))
        made[key] = item
    return of_items(made)


def without_entry(interp: Interpreter, ref: DictRef, key: Any) -> tuple[Items, Abstract]:
    """What a dict holds after ``del d[key]``, and what the entry held."""
    taken = required(interp, ref, key)
    left = {k: item for k, item in interp.heap.get(ref).items() if k != key}
    return of_items(left), taken


def entries_of(interp: Interpreter, value: Abstract) -> list[Maybe] | None:
    """What a loop over a dict or a view of one goes over, and whether it is there."""
    ref = value.of if isinstance(value, DictView) else value
    if some_entries(interp, ref) is None:
        return None
    kind = value.kind if isinstance(value, DictView) else "keys"
    found = [(key, entry(interp, ref, key)) for key in interp.heap.get(ref)]
    shown: dict[str, Callable[[Any, Abstract], Abstract]] = {
        "keys": lambda key, content: key,
        "values": lambda key, content: content,
        "items": lambda key, content: (key, content),
    }
    return [Maybe((one.there, shown[kind](key, one.content))) for key, one in found]


# All entries --------------------------------------------------------------------------------------


def certain_entries(interp: Interpreter, ref: DictRef) -> Items:
    """What a dict holds, where it is known of each entry whether it is there."""
    found = {key: entry(interp, ref, key) for key in interp.heap.get(ref)}
    for key, one in found.items():
        if isinstance(one.there, Value):
            raise told_apart(interp, ref, key)
    return {key: one.content for key, one in found.items() if one.there}


def told_apart(interp: Interpreter, ref: DictRef, key: Any) -> ConflictRead:
    """What is raised where a dict is read that has an entry on some paths only: it is read on the
    paths with the entry, and on those without.
    """
    items: SomeEntries = interp.heap.get(ref)
    there, content = items[key]
    contents = {
        number: _settled(interp, {**items, key: Maybe((taken, content))}, there, taken)
        for number, taken in enumerate((False, True))
    }
    which = _number_of(there, 1, 0)
    reason = f"a dict has {key!r} on some paths only"
    conflict = Conflict(DICT, reason, interp.span, predicate=there)
    conflict.cases = Cases(which, contents)
    conflict.entries = ref, items
    return ConflictRead(conflict)


def _number_of(there: Value, then: int, orelse: int) -> Value:
    """Which case it is, for which nothing is computed: it is told by the predicate."""
    blocks = []
    for number in (then, orelse):
        with building(Builder()) as inner:
            made = constant(number)
        blocks.append(Block((), inner.nodes, (made,)))
    with building(Builder()):
        return emit_cond(there, *blocks).result


HOOKS.certain_entries = certain_entries
