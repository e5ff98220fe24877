"""The abstract heap: what each name, array, list, dict and attribute holds at a point.

One flat dict from keys to contents. Keys: ``Storage`` → IR value; ``(Scope, name)`` → abstract
value; ``ListRef`` → tuple or staged list; ``DictRef`` → dict; ``(ObjectRef, attribute)`` → abstract
value; ``Exit`` → False, True or a staged bool (break, continue, return). Branches work on
copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import compress, count, islice, repeat
from operator import is_, is_not
from typing import Any, TypeVar

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.definitions.bunches import attributes_of
from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import builder
from symdiff.ir.graph import Value
from symdiff.ir.structure import dict_of, has_dict
from symdiff.ir.types import ArrayType, ListType, Type
from symdiff.ops.lists import list_filled, list_new, list_typed
from symdiff.ops.retype import retype
from symdiff.parse.activations import (
    PARENT,
    another_activation,
    from_within,
    has_ended,
    names_seen,
    put_into,
)
from symdiff.parse.blame import users
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Closure,
    Columns,
    Conflict,
    ConflictRead,
    DictRef,
    Lens,
    ListRef,
    Maybe,
    ObjectRef,
    Scope,
    SomeEntries,
    StaticSet,
    Storage,
    Unjoinable,
)
from symdiff.source import SourceSpan

Key = Any
Ref = ListRef | DictRef | ObjectRef | Scope
Items = TypeVar("Items", ListRef, DictRef)
Location = Storage | Ref  # what can be written in place


class _Order:
    """The key, beside an object, of its attributes' names in the order in which it got them."""

    def __str__(self) -> str:
        return "the order of attributes"


ORDER = _Order()

Shared = Mapping[Location, Conflict]  # never changed in place: copies of heaps have the same one
Pair = tuple[Location, Location]


@dataclass(eq=False, slots=True)
class Heap:
    """Contents by key; ``views``: what was read through lenses; ``frozen``: what not to write.

    ``laid`` is common to all heaps: the values of which one has the memory that a value has. So is
    ``bound``: what stands for another array or list in each turn of a loop. ``written_back``: what
    has been written to the caller's places (``writeback``); never changed in place. ``exempt``:
    pairs of which the first may be the second, but only on paths on which that is not ``frozen``.
    """

    contents: dict[Key, Any] = field(default_factory=dict)
    frozen: dict[Location, Conflict] = field(default_factory=dict)
    views: dict[tuple[Value, Lens], Value] = field(default_factory=dict)
    written: set[Location] = field(default_factory=set)
    shared: dict[Location, Shared] = field(default_factory=dict)
    laid: dict[Value, tuple[Value, ...]] = field(default_factory=dict)
    bound: dict[Location, Conflict] = field(default_factory=dict)
    written_back: Mapping[Key, Any] = field(default_factory=dict)
    exempt: frozenset[Pair] = frozenset()

    def copy(self, written: set[Location] | None = None) -> Heap:
        """A copy to go on from; what is written is noted in the same set, or in the one given."""
        noted = self.written if written is None else written
        parts = dict(self.contents), dict(self.frozen), dict(self.views), noted, dict(self.shared)
        return Heap(*parts, self.laid, self.bound, self.written_back, self.exempt)

    def restore(self, before: Heap) -> None:
        """Hold what a copy of before holds."""
        self.contents, self.frozen, self.views = before.contents, before.frozen, before.views
        self.shared, self.bound = before.shared, before.bound
        self.written_back, self.exempt = before.written_back, before.exempt

    def take_back(self, before: Mapping[Key, Any]) -> None:
        """Hold again what was held before under some keys."""
        for key, content in before.items():
            if content is ABSENT:
                self.contents.pop(key, None)
            else:
                self.contents[key] = content

    def get(self, key: Key) -> Any:
        found = self.contents.get(key, ABSENT)
        if found is ABSENT and isinstance(key, ListRef | DictRef) and key.given is not None:
            return key.given.get()
        return found

    def set(self, key: Key, content: Any) -> None:
        if isinstance(key, DictRef) and isinstance(content, dict):
            content = of_items(content)
        if isinstance(key, tuple) and isinstance(key[0], ObjectRef):
            ref, name = key
            self._note_order(ref, name, content is not ABSENT)
        if content is ABSENT:
            self.contents.pop(key, None)
        else:
            self.contents[key] = content

    def _note_order(self, ref: ObjectRef, name: Any, is_there: bool) -> None:
        """Take an attribute up in the order of an object, or out of it; of one from outside, those
        that it has not had there.
        """
        known = self.contents.get((ref, ORDER), ())
        if ref.live is not None and name in (dict_of(ref.live) or ()):
            return
        new = is_programs(ref) or (ref.live is not None and has_dict(ref.type))
        if isinstance(name, str) and isinstance(known, tuple) and new:
            if not is_there:
                self.contents[ref, ORDER] = tuple(other for other in known if other != name)
            elif name not in known:
                self.contents[ref, ORDER] = (*known, name)

    def held(self, ref: Ref) -> Any:
        """What a list or a dict holds; attributes or an activation's names as a dict."""
        if isinstance(ref, Scope):
            seen = [name for name in self._attributes(ref) if name in names_seen(ref.node)]
            names = {name: from_within(ref, self.contents[ref, name]) for name in seen}
            return {PARENT: ref.parent, **names}
        if not isinstance(ref, ObjectRef):
            return self.get(ref)
        return {name: self.contents[ref, name] for name in self._attributes(ref)}

    def joined(self, ref: Ref) -> Any:
        """What ``held`` gives, where it is joined with what another one holds."""
        if isinstance(ref, (ListRef, DictRef)) and ref.own and self._attributes(ref.own):
            raise Unjoinable(f"a {ref.type.__name__} with attributes beside its items")
        return self.held(ref)

    def hold(self, ref: Ref, content: Any) -> None:
        """Set what ``held`` gives."""
        if isinstance(ref, (ListRef, DictRef)):
            self.set(ref, content)
            return
        for name, value in content.items():
            if isinstance(ref, Scope) and name == PARENT:
                ref.parent = value
            else:
                self.set((ref, name), put_into(ref, value) if isinstance(ref, Scope) else value)
        self.contents.pop((ref, ORDER), None)  # what is held is sorted

    def names_of(self, ref: ObjectRef | Scope) -> tuple[Any, ...]:
        """The names of an object's attributes, in the order in which it got them; those of an
        activation, sorted.
        """
        order = self.contents.get((ref, ORDER), ())
        if not isinstance(order, tuple):
            return order  # type: ignore[no-any-return]
        return tuple(dict.fromkeys((*order, *self._attributes(ref))))

    def _attributes(self, ref: ObjectRef | Scope) -> list[str]:
        names = (k[1] for k in self.contents if isinstance(k, tuple) and k[0] is ref)
        names = (name for name in names if name is not ORDER)
        return sorted(name for name in names if self.contents[ref, name] is not ABSENT)

    def require_array(self, content: Any) -> None:
        """Refuse what asks whether a value is an array or a number, where paths differ in that."""
        if isinstance(content, Array) and self.is_either(content):
            raise ConflictRead(self.frozen[content.storage])

    def is_either(self, array: Array) -> bool:
        """Return whether the array is one of rank 0 on some paths only, and a number on the others.

        Its value may be read; it is never written, nor asked what it is.
        """
        base = self.contents.get(array.storage)
        return isinstance(base, Value) and not is_array(base.type)

    # What may be one thing under two names ------------------------------------------------------

    def relate(self, a: Location, b: Location, conflict: Conflict) -> None:
        """On some path ``a`` and ``b`` are one array, list or dict: a write to one changes both."""
        if a is b or self.may_be(a, b):
            return
        self.shared[a] = {**self.shared.get(a, {}), b: conflict}
        self.shared[b] = {**self.shared.get(b, {}), a: conflict}

    def relate_as(self, other: Heap) -> None:
        """What may be one thing in another heap may be in this one."""
        for location in differing(other.shared, self.shared):
            others = other.shared.get(location, {})
            if others and self.shared.setdefault(location, others) is not others:
                for second, conflict in others.items():
                    self.relate(location, second, conflict)

    def possible(self, location: Location) -> list[Location]:
        """A location, and what it may be instead."""
        return [location, *self.shared.get(location, ())]

    def may_be(self, a: Location, b: Location) -> bool:
        """Return whether two locations are one, or may be on some path."""
        return a is b or b in self.shared.get(a, ())

    def require_told_apart(self, a: Location, b: Location) -> None:
        """Refuse to say that two are two where they may be one on some path, or in some turn."""
        conflict = self.shared.get(a, {}).get(b)
        conflicts = [] if conflict is None else [conflict]
        conflicts += [self.bound[location] for location in (a, b) if location in self.bound]
        if conflicts:
            raise ConflictRead(conflicts[0])

    def changed(self, location: Location) -> None:
        """A write to a location: what may be the same under another name is not known any more."""
        refusing = self.refusing(location)
        if refusing is not None:
            raise ConflictRead(refusing)
        self.written.add(location)
        for other, conflict in self.shared.get(location, {}).items():
            if is_callers(other):
                raise ConflictRead(conflict)
            self._lose(other, conflict)

    def refusing(self, location: Location) -> Conflict | None:
        """Why a location, or what it may be instead, must not be written."""
        for other in self.possible(location):
            if other in self.frozen and (location, other) not in self.exempt:
                return self.frozen[other]
        return None

    def _lose(self, location: Location, conflict: Conflict) -> None:
        keys: list[Key] = [location]
        if isinstance(location, ObjectRef):
            keys = [(location, name) for name in self._attributes(location)]
        for key in keys:
            if key in self.contents:
                self.contents[key] = conflict

    # Arrays ---------------------------------------------------------------------------------------

    def allocate(self, value: Value, name: str | None = None) -> Array:
        """A new array that holds ``value``."""
        storage = Storage(name)
        self.contents[storage] = value
        return Array(storage)

    def read(self, array: Array) -> Value:
        """The present value of an array, through its views."""
        return self.levels(array)[-1]

    def levels(self, array: Array) -> list[Value]:
        """The value of the storage and of each view on the way to the array."""
        base: Any = self.contents.get(array.storage, array.storage.given)
        if isinstance(base, Conflict):
            raise ConflictRead(base)
        levels: list[Value] = [base]
        for lens in array.lenses:
            levels.append(self._view(levels[-1], lens))
        return levels

    def _view(self, base: Value, lens: Lens) -> Value:
        known = self.views.get((base, lens))
        if known is None:
            node = builder().emit_again(lens.op, (base, *lens.operands), lens.node.attributes)
            known = self.views[base, lens] = node.result
        return known

    def freeze(self, content: Any, conflict: Conflict) -> None:
        """Refuse later writes to an array, or to a list or dict that the function made, and to what
        is in it: what is not followed refers to it.
        """
        pending, seen = [content], set[Location]()
        while pending:
            part = pending.pop()
            location = part.storage if isinstance(part, Array) else part
            if isinstance(location, (ListRef, DictRef)) and is_callers(location):
                continue
            if isinstance(location, (Storage, ListRef, DictRef)) and location not in seen:
                seen.add(location)
                self.keep(location, conflict)
                pending.append(self.get(location))
            elif isinstance(part, (tuple, dict)):
                pending.extend(part.values() if isinstance(part, dict) else part)

    def keep(self, location: Location, conflict: Conflict) -> None:
        """Refuse later writes to a location, whatever may be that."""
        self.frozen.setdefault(location, conflict)
        self.exempt = frozenset(pair for pair in self.exempt if pair[1] is not location)

    def write(self, array: Array, new: Value) -> None:
        """Change an array's whole content, in its storage, through its views."""
        if array.storage in self.frozen:
            raise ConflictRead(self.frozen[array.storage])
        for lens in array.lenses:
            _require_writable(lens)
        levels = self.levels(array)
        for lens, base in zip(reversed(array.lenses), reversed(levels[:-1]), strict=True):
            new = lens.put(base, new)
        if new is not levels[0]:
            self.laid.setdefault(new, (levels[0],))
        self.contents[array.storage] = new
        self.changed(array.storage)


def differing(a: Mapping[Key, Any], b: Mapping[Key, Any]) -> list[Key]:
    """The keys whose contents are not one in both, those of the first in front.

    Heaps that come of one have its keys in its order: up to where they part nothing is looked up.
    """
    parted = map(is_not, a, b)
    length = next(compress(count(), parted), min(len(a), len(b)))
    alike = list(compress(islice(a, length), map(is_not, a.values(), b.values())))
    rest = [key for key in islice(a, length, None) if b.get(key, ABSENT) is not a[key]]
    more = (key for key in islice(b, length, None) if key not in a and b[key] is not ABSENT)
    return [*alike, *rest, *more]


def of_kind(kind: type, items: Iterable[Any], beside: Iterable[Any]) -> Iterator[Any]:
    """The items beside which something of exactly this kind stands; no Python runs for each."""
    return compress(items, map(is_, map(type, beside), repeat(kind)))


def is_writable(lens: Lens) -> bool:
    """Return whether an array can be written through a view."""
    return lens.op.put is not None and not is_read_only(lens)


def is_read_only(lens: Lens) -> bool:
    """Return whether NumPy lets nobody write through a view."""
    return lens.op.read_only is not None and lens.op.read_only(lens.node)


def _require_writable(lens: Lens) -> None:
    """NumPy's error for a view that cannot be written, or a refusal."""
    if is_read_only(lens):
        raise users(ValueError("assignment destination is read-only"))
    if lens.op.put is None:
        name = lens.op.name
        raise UnsupportedCallError(f"a write to what {name} gave", None, "write to a copy of it")


def is_array(type_: Type) -> bool:
    return isinstance(type_, ArrayType) and type_.kind == "array"


def is_programs(content: Any) -> bool:
    """Return whether a content is a list, a dict or an object that the program may have made
    itself.

    So is an activation of a function that has ended: it is an object to the functions in it.
    """
    if isinstance(content, Scope):
        return has_ended(content)
    if isinstance(content, ObjectRef):
        return content.live is None and content.path is None
    return isinstance(content, (ListRef, DictRef))


def another(ref: Ref) -> Ref:
    """A new list, tuple, dict, object or activation of the kind that one is."""
    if isinstance(ref, Scope):
        return another_activation(ref)
    if isinstance(ref, ObjectRef):
        return ObjectRef(ref.type)
    if isinstance(ref, ListRef):
        return _with_own(ListRef(frozen=ref.frozen, type=ref.type, name=ref.name), ref)
    made = DictRef(type=ref.type, shows_items=ref.shows_items, name=ref.name)
    return _with_own(made, ref)


def _with_own(made: Items, like: ListRef | DictRef) -> Items:
    """A list or a dict that has attributes where another one has; there are none yet."""
    if like.own is not None:
        made.own = ObjectRef(like.type, holder=made)
    return made


def is_callers(location: Location) -> bool:
    """Return whether the caller sees what is written there."""
    if isinstance(location, Scope):
        return False
    return (location.origin if isinstance(location, Storage) else location.path) is not None


def several(name: str, span: SourceSpan | None, predicate: Value | None = None) -> Conflict:
    """What becomes of a name that may mean one of several arrays or lists, when one is written."""
    reason = f"'{name}' may be one of several here, of which one is written afterwards"
    return Conflict(name, reason, span, True, predicate)


def in_a_list(name: str | None, span: SourceSpan | None, length: Value | None = None) -> Conflict:
    """Why an array must not be written: a list of a length known at run time only holds it."""
    reason = "a write to an array that is in a list whose length is known at run time only"
    hint = None if name else "put a new array in its place, rows[i] = ..., or write before"
    return Conflict(name or "x", reason, span, aliasing=True, predicate=length, hint=hint)


def item_of_a_list(span: SourceSpan | None, length: Value | None = None) -> Conflict:
    """Why a list or a dict must not be written: it is an item of such a list, or a part of one."""
    reason = "this changes an item of a list whose length is known at run time only"
    hint = "put a new item in its place, rows[i] = [...], or change it before it is put there"
    return Conflict("item", reason, span, aliasing=True, predicate=length, hint=hint)


def value_name(value: Value, name: str) -> Value:
    """Give a value the user's name, unless it has one."""
    if value.name is None:
        value.name = name
    return value


def of_items(items: dict[Any, Abstract]) -> dict[Any, Abstract]:
    """What a dict holds that has some items, each certain or not."""
    if not any(isinstance(item, Maybe) for item in items.values()):
        return items
    told = {
        k: item if isinstance(item, Maybe) else Maybe((True, item)) for k, item in items.items()
    }
    made = {
        k: one.content if one.there is True else one
        for k, one in told.items()
        if one.there is not False
    }
    return SomeEntries(made) if any(isinstance(item, Maybe) for item in made.values()) else made


def same(a: Abstract, b: Abstract) -> bool:
    """Return whether two contents are the same without looking behind handles."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        is_like = len(a) == len(b) and all(map(same, a, b))
        return is_like and same(attributes_of(a), attributes_of(b))
    if isinstance(a, Closure):
        return _same_function(a, b)
    if isinstance(a, Columns):
        return all(x is y for x, y in zip(a.values, b.values, strict=True))
    if isinstance(a, StaticSet):
        return same(tuple(a), tuple(b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return _is_same_constant(a, b)


def _is_same_constant(a: Any, b: Any) -> bool:
    """Return whether two constants of one class are equal, a NaN to itself and 0.0 not to -0.0, or
    two arrays have the same storage, seen through the same views. What dtypes say beside their
    kind is compared, too.
    """
    if isinstance(a, np.dtype):
        return bool(a == b) and a.metadata == b.metadata
    if isinstance(a, (float, complex)):
        return repr(a) == repr(b)
    return isinstance(a, (bool, int, str, bytes, Array)) and bool(a == b)


def _same_function(a: Closure, b: Closure) -> bool:
    """Return whether two functions were made by one definition in one activation: they do the
    same.
    """
    parts = ((c.defaults, c.keyword_defaults) for c in (a, b))
    return a.node is b.node and a.scope is b.scope and a.own is b.own and same(*parts)


def constant(value: Any) -> Value:
    """A value known now, as a node of the present block."""
    return builder().constant(value)


def is_list_of_integers(type_: Type) -> bool:
    """Return whether a type is of lists that hold numbers which carry no derivative."""
    element = type_.element if isinstance(type_, ListType) else None
    return isinstance(element, ArrayType) and not (element.shape or element.differentiable)


def typed_list(value: Value, type_: ListType) -> Value:
    """A list of integers as one of another type; a list just made is made of that type."""
    node = value.node
    if node is None or node.op not in (list_new, list_filled):
        result: Value = list_typed(value, type=type_)
    else:
        count = len(node.operands) if node.op is list_new else 1
        items = [as_type(item, type_.element) for item in node.operands[:count]]
        result = node.op(*items, *node.operands[count:], type=type_)
    result.name = value.name
    return result


def as_type(value: Value, type_: Type) -> Value:
    """A value where one of a wider type is expected; at run time it stays what it is."""
    if is_list_of_integers(value.type) and isinstance(type_, ListType) and value.type != type_:
        return typed_list(value, type_)
    if value.type == type_ or not isinstance(type_, ArrayType) or type_.shape:
        return value
    if not isinstance(value.type, ArrayType):  # a text, which whoever takes it refuses
        return value
    result: Value = retype(value, type=type_)
    result.name = value.name
    return result
