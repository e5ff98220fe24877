"""What a loop carries: what its head holds, over parameters for all that changes.

A loop's head is the join of what stands before the loop (``start``) and what a turn leaves
(``last``). A content at the head is made of *parameters*: a number, or a list of staged length, is
one; an array that a turn makes is a new storage that holds one; a tuple, a dict or a function is
made of its parts, a list or an object that a turn makes is a new one that holds such contents. What
is the same in all turns stands for itself.

A content at the head is matched with what stands there after a turn (``_matched``): so it is told
whether that fits, and what each parameter is in the next turn. With the loop's results in place of
the parameters it is the content after the loop.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.errors import InternalError, UnsupportedSyntaxError
from symdiff.ir.build import Builder, building
from symdiff.ir.control import emit_undefined
from symdiff.ir.graph import Node, Value
from symdiff.ir.structure import is_leaf
from symdiff.ir.types import (
    BOOL,
    TEXT,
    ArrayType,
    ListType,
    Type,
    in_words,
    open_symbols,
    with_symbols,
)
from symdiff.ops.arithmetic import less
from symdiff.parse.activations import rebinds
from symdiff.parse.aliases import LoopAliases, Mark, Relations, location_of
from symdiff.parse.heap import (
    Heap,
    Key,
    Location,
    another,
    constant,
    is_array,
    is_callers,
    is_programs,
    same,
    several,
)
from symdiff.parse.holders import are_alike, holder_of
from symdiff.parse.indexed import alike_but_for_indices, at_indices, indices, is_indexed
from symdiff.parse.interpreter import describe, either
from symdiff.parse.lattice import (
    LACKING,
    Join,
    Table,
    bound_flag,
    content_of_maybe,
    differ_in_texts,
    fits,
    is_bound,
    is_callers_name,
    is_number,
    is_variable,
    key_name,
    lift_as,
    meet,
    meet_in_list,
    met,
    of_one_kind,
    own_symbol,
    parts_in,
)
from symdiff.parse.loop_unions import Union, numbers_of, union_of, union_values
from symdiff.parse.meanwhile import pushed
from symdiff.parse.run_time_texts import is_text
from symdiff.parse.some_entries import as_those
from symdiff.parse.staged_lists import columns_from, containers_within
from symdiff.parse.trees import same_structure
from symdiff.parse.unions import contents_of
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Cases,
    Columns,
    Conflict,
    ConflictRead,
    DictRef,
    ListRef,
    ObjectRef,
    PossiblyUnbound,
    Scope,
    SomeEntries,
    Storage,
    Unjoinable,
    born,
    called,
    written,
)
from symdiff.source import SourceSpan


@dataclass(eq=False, slots=True)
class Carried:
    """A parameter of the loop, and what it is in the first turn.

    ``array``: the storage that holds it, of an array that a name is bound to anew in each turn.
    ``either``: why it is not asked what that is: in some turns it is a number.
    """

    parameter: Value
    start: Abstract
    array: Storage | None = None
    either: Conflict | None = None


@dataclass(eq=False, slots=True)
class Fresh:
    """An array, list, dict, object or activation that a name is bound to anew in each turn.

    ``content``: what it holds at the head; ``start``: what stands for it before the loop.
    """

    content: Abstract
    start: Abstract
    name: str


Content = tuple[Heap, Abstract]  # a content in its heap


class Carries(Join):
    """What one trial of a loop body starts from, by heap key."""

    def __init__(
        self, since: int, base: Heap, heap: Heap, index: Value, span: SourceSpan | None
    ) -> None:
        self.since = since
        self.base = base
        self.heap = heap  # of the loop's head
        self.last_heap = Heap()
        self.keep_layouts = True  # arrays bound anew may be taken to lie as in the turn before
        self.unrolls = False  # lists that grow are better followed turn by turn
        self.span = span
        self.count: int | Value | None = None  # how many turns, where that is known before
        self.index = index
        self.turns: Value | None = None  # how many there were
        self.contents: dict[Key, Abstract] = {}  # at the head
        self.carried: list[Carried] = []
        self.parameter: dict[Any, Carried] = {}  # by its value, and by the array that holds it
        self.fresh: dict[Any, Fresh] = {}  # by the array's storage, or the list …
        self.listed: list[Location] = []  # lists and dicts in items that stand before the loop
        self.flags: dict[PossiblyUnbound, Carried | None] = {}  # None: each turn binds it
        self.start_of_maybe: dict[PossiblyUnbound, Abstract] = {}
        self.unions: dict[Conflict, Union] = {}
        self.lost: dict[Conflict, bool] = {}  # what does not join; whether that was known before
        self.entered: list[Any] = []  # lists, objects … whose contents are being joined
        self.shared: dict[tuple[Any, Any], Array] = {}
        self.parted: set[tuple[Any, Any]] = set()  # not shared: some turn tells them apart
        self.as_unions: set[str] = set()  # names kept in cases
        self.as_texts: set[str] = set()  # names of texts known at run time only
        self.are_names_told: Callable[[], bool] = lambda: False
        self.initials: dict[Carried, Callable[[], Value]] = {}  # of cases
        self.of_first_turn: list[Conflict] = []  # later turns would not meet them
        self.varying: set[str] = set()  # symbols of the parameters' own sizes, which any length has

    # The head -------------------------------------------------------------------------------------

    def add(self, key: Key, last: Abstract, heap: Heap) -> Abstract:
        """The content at the loop's head under a key, given what a turn left there in its heap."""
        self.last_heap = heap
        name = key_name(key)
        start = self.base.get(key)
        if is_variable(key) and not (is_bound(start) and is_bound(last)):
            content = self._half_bound(name, start, last)
        elif start is ABSENT and last is not ABSENT and is_callers_name(key):
            content = self._lose(self._without_form(name, LACKING))
            content.hint = "set it before the loop"
        else:
            both = self._by_entries(key, name, start, last)
            content = self._joined_or_lost(name, *both, of_a_list=isinstance(key, ListRef))
        content = self._or_union(name, start, last, content)
        self.contents[key] = content
        if isinstance(key, Storage) and isinstance(start, Value) and content in self.parameter:
            self.heap.laid[content] = (start,)
        return content

    def _by_entries(
        self, key: Key, name: str, start: Abstract, last: Abstract
    ) -> tuple[Abstract, Abstract]:
        made_here = isinstance(key, DictRef) and not is_callers(key)
        return self.in_common(key, name, start, last) if made_here else (start, last)

    def _half_bound(self, name: str, start: Abstract, last: Abstract) -> Abstract:
        """A variable that is not bound in the first turn, or not in each."""
        content = self._joined_or_lost(name, content_of_maybe(start), content_of_maybe(last))
        if self._is_lost(content):
            return content
        if is_bound(last):
            maybe = PossiblyUnbound(content, lambda: _bound_after(start, self.index))
            self.flags[maybe] = None
        else:
            flag = self.carry(f"{name}_bound", bound_flag(start), BOOL)
            maybe = PossiblyUnbound(content, lambda: flag.parameter)
            self.flags[maybe] = flag
        self.start_of_maybe[maybe] = start
        return maybe

    def head(self, key: Key) -> Abstract:
        return self.contents.get(key, ABSENT)

    def parameters(self) -> tuple[Value, ...]:
        return tuple(carried.parameter for carried in self.carried)

    def made(self, conflict: Conflict) -> bool:
        """Return whether a conflict stands at this loop's head."""
        if any(conflict is other for other in self.of_first_turn):
            return True
        return self.lost.get(conflict, True) is False

    def several(self, name: str, names: tuple[str, ...] = ()) -> Conflict:
        """The conflict where a name may mean one of several arrays or lists."""
        conflict = several(name, self.span, self._decides())
        conflict.loop, conflict.names = self._turn_by_turn(), names
        return conflict

    def _decides(self) -> Value | None:
        """What would have to be known for the loop to be followed turn by turn."""
        return self.count if isinstance(self.count, Value) else None

    def _turn_by_turn(self) -> SourceSpan | None:
        """The loop, where following it turn by turn would tell what is what."""
        return None if isinstance(self.count, Value) else self.span

    def _without_form(self, name: str, reason: str) -> Conflict:
        """The conflict of a name that holds contents of two kinds."""
        text = f"{called(name)} has no one form in all turns of a loop: {reason}"
        return Conflict(name, text, self.span, loop=self._turn_by_turn())

    def _is_lost(self, content: Abstract) -> bool:
        return isinstance(content, Conflict) and content in self.lost

    def _lose(self, conflict: Conflict, known: bool = False) -> Conflict:
        self.lost[conflict] = known
        return conflict

    def _joined_or_lost(
        self, name: str, start: Abstract, last: Abstract, of_a_list: bool = False
    ) -> Abstract:
        try:
            with self._undone_where_it_fails():
                return self._joined(name, start, last, of_a_list)
        except Unjoinable as reason:
            conflict = self._without_form(name, str(reason))
            conflict.of_texts = differ_in_texts(start, last)
            return self._lose(conflict)
        except ConflictRead as read:
            return self._lose(replace(read.conflict, cases=None), known=True)

    def _joined(self, name: str, start: Abstract, last: Abstract, of_a_list: bool) -> Abstract:
        """The join; the items of a list may be more or fewer after a turn, those of a tuple not."""
        both = isinstance(start, tuple) and isinstance(last, tuple)
        if of_a_list and both and len(start) != len(last):
            return self.staged_list(name, start, last)
        return self.join(name, start, last)

    @contextlib.contextmanager
    def _undone_where_it_fails(self) -> Iterator[None]:
        """Forget the parameters that a join has made of parts before other parts do not join."""
        count = len(self.carried)
        try:
            yield
        except (Unjoinable, ConflictRead):
            gone = {carried.array for carried in self.carried[count:]}
            del self.carried[count:]
            self.shared = {
                k: array for k, array in self.shared.items() if array.storage not in gone
            }
            raise

    def unchanged(self, name: str, a: Abstract, b: Abstract) -> Abstract:
        return a

    def of_conflict(self, conflict: Conflict, side: int) -> Abstract:
        return self._lose(replace(conflict, cases=None), known=side == 1)

    def half(self, name: str, a: Abstract, b: Abstract) -> Abstract:
        """What a turn leaves where nothing stands before the loop."""
        if b is ABSENT:
            raise self.unlike(a, b)
        if is_number(b):
            return self.number(name, a, b)
        if isinstance(b, Columns):
            return self.half_columns(name, a, b)
        if isinstance(b, Array):
            self._require_merged(name, b)
            return b if self.is_outside(b) else self.array(name, a, b)
        if isinstance(b, Scope | ListRef | DictRef | ObjectRef) and born(b) < self.since:
            return b
        if is_programs(b):
            return self.held(name, a, b)
        if holder_of(b) is not None:
            return self._made_of_parts(name, a, b)
        return b  # unbound before: reading it then is the user's error

    def _require_merged(self, name: str, last: Abstract) -> None:
        if isinstance(last, Array) and name in self.as_unions:
            self.last_heap.require_array(last)
            raise Unjoinable("another array in each turn")

    def unlike(self, a: Abstract, b: Abstract) -> Unjoinable:
        return Unjoinable(f"{_shape(a)} before a turn, {_shape(b)} after it")

    def held(self, name: str, start: Any, last: Any) -> Abstract:
        """A list, a dict, an object or an activation that a name is bound to anew."""
        if start is not ABSENT and not of_one_kind(start, last):
            raise self.unlike(start, last)
        if last in self.entered:
            raise Unjoinable("it refers to itself, or what it refers to does")
        if isinstance(last, Scope) and rebinds(last.node):
            raise Unjoinable("functions whose names are bound anew")
        fresh = another(last)
        before = ABSENT if start is ABSENT else self.base.joined(start)
        after = self.last_heap.joined(last)
        with pushed(self.entered, last):
            both = self._by_entries(fresh, name, before, after)
            content = self._joined(name, *both, isinstance(last, ListRef))
        return self.holding(name, fresh, content, start)

    def holding(self, name: str, fresh: Any, content: Abstract, start: Abstract) -> Abstract:
        self.heap.hold(fresh, content)
        self.fresh[fresh] = Fresh(content, start, name)
        return fresh

    def join_part(self, name: str, whole: Abstract, a: Abstract, b: Abstract) -> Abstract:
        if isinstance(whole, dict):
            return self._item(name, a, b)
        if a is ABSENT and is_leaf(b) and not isinstance(whole, tuple):
            return b  # what is known of a function in the turn that makes it is
        return self.join(name, a, b)

    def which_differs(self, name: str) -> Conflict:
        text = f"which function {called(name)} is differs between the turns of a loop"
        hint = "keep a number that tells which it is"
        conflict = Conflict(name, text, self.span, predicate=self._decides(), hint=hint)
        conflict.loop = self._turn_by_turn()
        return conflict

    # Lists ----------------------------------------------------------------------------------------

    def is_list(self, a: Abstract, b: Abstract) -> bool:
        return isinstance(b, Columns | Value) and isinstance(a, tuple | Columns)

    def staged_list(self, name: str, a: Abstract, b: Abstract) -> Value | Columns:
        if isinstance(b, Value):
            return self.carry(name, a, self._list_type(a, b.type)).parameter
        if isinstance(b, tuple) and self.unrolls:
            raise UnsupportedSyntaxError(f"{called(name)} grows", self.span)
        return super().staged_list(name, a, b)

    def table(self, content: Abstract, side: int) -> Table | None:
        if isinstance(content, Columns):
            return content.structure, list(content.values)
        heap = self.last_heap if side else self.base
        if not side:
            self.listed += containers_within(heap, content)
        return columns_from(heap, content, self.are_names_told) if content else None

    def column(self, name: str, begun: Abstract, ended: Abstract) -> Value:
        if isinstance(begun, Value):
            return self._carried_as(name, begun, self.met_type(begun.type, ended.type))
        if isinstance(ended, Value):
            return self._carried_as(name, begun, self._list_type(begun, ended.type))
        first = self.type_of((ended or begun)[0], self.last_heap if ended else self.base)
        return self._carried_as(name, begun, self._list_type(begun, ListType(first), ended))

    def _both(self, start: Any, last: Any) -> tuple[Content, Content]:
        return (self.base, start), (self.last_heap, last)

    # Numbers and arrays ---------------------------------------------------------------------------

    def number(self, name: str, a: Abstract, b: Abstract) -> Value:
        ended = self.type_of(b, self.last_heap)
        if a is ABSENT:
            return self._carried_as(name, a, self.own_type(ended))
        return self._carried_as(name, a, self.met_type(self.type_of(a, self.base), ended))

    def _carried_as(self, name: str, start: Abstract, type_: Type) -> Value:
        return self.carry(name, start, type_).parameter

    def carry(self, name: str, start: Abstract, type_: Type) -> Carried:
        carried = Carried(Value(type_, None, written(name)), start)
        self.carried.append(carried)
        self.parameter[carried.parameter] = carried
        return carried

    def array(self, name: str, start: Abstract, last: Abstract) -> Array:
        """One array for all names of one, as long as each turn leaves them one."""
        self._require_merged(name, last)
        if (start, last) in self.parted:
            return self._new_array(name, start, last)
        known = self.shared.get((start, last)) or self._as_another(start, last)
        if known is None:
            known = self._new_array(name, start, last)
        self.shared[start, last] = known
        return known

    def _as_another(self, start: Abstract, last: Abstract) -> Array | None:
        """The array of a name that is the same one wherever this one is bound: not before."""
        if start is not ABSENT:
            return None
        pairs = (pair for pair in self.shared if pair[1] == last and pair not in self.parted)
        return next((self.shared[pair] for pair in pairs), None)

    def torn(self, end: Heap) -> set[tuple[Any, Any]]:
        """What was taken to be one array in all turns, and is not after this one."""
        ends: dict[Array, Abstract] = {}
        torn = set()
        for content, last in self.matched_all(end):
            if (
                isinstance(content, Array)
                and self.location_in(content)
                and not same(ends.setdefault(content, last), last)
            ):
                torn.add(content)
        return {pair for pair, array in self.shared.items() if array in torn}

    def _new_array(self, name: str, start: Abstract, last: Abstract) -> Array:
        types = [self.type_of(start, self.base)] if start is not ABSENT else []
        types.append(self.type_of(last, self.last_heap))
        either = None
        if not all(map(is_array, types)):
            reason = f"{describe(start)} before a turn, {describe(last)} after it"
            types = [self._element_type(type_, reason) for type_ in types]
            either = self._without_form(name, reason)
        type_ = self.own_type(types[0]) if start is ABSENT else self.met_type(types[0], types[-1])
        array = self.holding_value(name, start, type_, either)
        if either is not None:
            self.heap.frozen[array.storage] = either
        else:
            values = self._both_values(start, last) if self.keep_layouts else ()
            self.heap.laid[self.parameter[array.storage].parameter] = values
        return array

    def holding_value(
        self, name: str, start: Abstract, type_: Type, either: Conflict | None = None
    ) -> Array:
        """A new array that holds a parameter."""
        carried = Carried(Value(type_, None, written(name)), start, Storage(name), either)
        assert carried.array is not None
        self.heap.set(carried.array, carried.parameter)
        self.carried.append(carried)
        self.parameter[carried.array] = carried
        self.fresh[carried.array] = Fresh(carried.parameter, start, name)
        return Array(carried.array)

    def _both_values(self, start: Abstract, last: Abstract) -> tuple[Value, ...]:
        """What an array is before the first turn, and after one."""
        pairs = self._both(start, last)
        with building(Builder()):
            return tuple(h.copy().read(a) for h, a in pairs if isinstance(a, Array))

    def _element_type(self, type_: Type, reason: str) -> Type:
        """The type of a number, or of the one element of an array of rank 0."""
        if not isinstance(type_, ArrayType) or type_.shape:
            raise Unjoinable(reason)
        return ArrayType(type_.dtype, (), "scalar") if is_array(type_) else type_

    # Unions ---------------------------------------------------------------------------------------

    def _item(self, name: str, start: Abstract, last: Abstract) -> Abstract:
        """An item of a dict, an attribute, or a name of an activation that has ended."""
        if isinstance(start, PossiblyUnbound) or isinstance(last, PossiblyUnbound):
            return self._half_bound(name, start, last)
        if isinstance(last, Scope):
            return self.join(name, start, last)
        content = self._joined_or_lost(name, start, last)
        return self._or_union(name, start, last, content, unbound=False)

    def _or_union(
        self, name: str, start: Abstract, last: Abstract, content: Abstract, unbound: bool = True
    ) -> Abstract:
        """A union instead of what was lost, where cases may be kept.

        ``unbound``: to be unbound is a case, where nothing stands before the loop; of an item it is
        none, since what has the item is not there then.
        """
        kept = any(isinstance(c, Conflict) and c.cases is not None for c in (start, last))
        if not self._is_lost(content) or not (kept or name in self.as_unions):
            return content
        try:
            with self._undone_where_it_fails():
                made, union = union_of(self, name, *self._both(start, last), content, unbound)
        except (Unjoinable, ConflictRead):
            content.predicate = content.predicate or self._decides()
            return content
        self.unions[made] = union
        self.initials |= union_values(self, union, start, self.base, union.numbers)
        return made

    # Matching -------------------------------------------------------------------------------------

    def carried_in(self, content: Abstract) -> Carried | None:
        """The parameter that a content at the head is, or that its array holds."""
        if isinstance(content, Array):
            return None if content.lenses else self.parameter.get(content.storage)
        return self.parameter.get(content) if isinstance(content, Value) else None

    def location_in(self, content: Abstract) -> Location | None:
        """The array, list … that a content at the head is, if a name is bound to it anew."""
        location = location_of(content)
        return location if location in self.fresh else None

    def _parts_in(self, content: Abstract) -> tuple[Abstract, ...] | None:
        """What a content at the head is made of; None of a parameter, and of what has no parts."""
        if isinstance(content, PossiblyUnbound):
            return (content.content,) if content in self.flags else None
        if isinstance(content, Array):
            return indices(content) if is_indexed(content) else None
        if isinstance(content, Columns):
            return content.values
        if isinstance(content, ListRef | DictRef | ObjectRef | Scope):
            return (self.fresh[content].content,) if content in self.fresh else None
        holder = holder_of(content)
        return None if holder is None else holder.parts

    def _parts_at(
        self, content: Abstract, end: Abstract, heap: Heap
    ) -> tuple[Abstract, ...] | None:
        """What stands for the parts of a content of the head; None where ``end`` is not alike."""
        parts = self._parts_in(content) or ()
        if end is ABSENT:
            return (ABSENT,) * len(parts)
        if isinstance(content, PossiblyUnbound):
            return (content_of_maybe(end),)
        if isinstance(content, Array):
            return indices(end) if alike_but_for_indices(content, end) else None
        if isinstance(content, Columns):
            alike = isinstance(end, Columns) and same_structure(content.structure, end.structure)
            return end.values if alike else None
        if isinstance(content, ListRef | DictRef | ObjectRef | Scope):
            return (heap.held(end),) if of_one_kind(content, end) else None
        if isinstance(content, SomeEntries) and isinstance(end, dict):
            items = as_those(content, end)
            return None if items is None else tuple(items.values())
        if are_alike(content, end):
            return parts_in(end)
        return parts if same(content, end) else None  # one function by two names

    def matched(
        self, content: Abstract, end: Abstract, heap: Heap
    ) -> Iterator[tuple[Abstract, Abstract]]:
        """A content at the head and its parts, with what stands for each elsewhere in a heap."""
        yield content, end
        parts = self._parts_in(content)
        if parts is None:
            return
        ends = self._parts_at(content, end, heap)
        if ends is None:
            raise InternalError("what a turn leaves does not match the loop's head")
        for part, last in zip(parts, ends, strict=True):
            yield from self.matched(part, last, heap)

    def matched_all(self, end: Heap) -> Iterator[tuple[Abstract, Abstract]]:
        """All contents at the head and their parts, with what a turn leaves for each."""
        for key, content in self.contents.items():
            yield from self.matched(content, end.get(key), end)

    def wider(self, key: Key, end: Abstract, heap: Heap) -> bool:
        """Return whether what a turn leaves under a key does not fit the content at the head."""
        content = self.contents[key]
        if end is ABSENT and is_variable(key) and not self._is_lost(content):
            return not isinstance(content, PossiblyUnbound) or self.flags[content] is None
        return not self.fits(content, end, heap)

    def fits(self, content: Abstract, end: Abstract, heap: Heap) -> bool:
        carried = self.carried_in(content)
        if carried is not None:
            return self._value_fits(carried, end, heap)
        if isinstance(content, Conflict) and content in self.unions:
            return len(numbers_of(self, self.unions[content], end, heap)) == len(contents_of(end))
        if self._is_lost(content):
            return True
        if isinstance(content, PossiblyUnbound) and content in self.flags:
            bound = is_bound(end) or self.flags[content] is not None
            return bound and self.fits(content.content, content_of_maybe(end), heap)
        parts = self._parts_in(content)
        if parts is None:
            return same(content, end)
        ends = None if end is ABSENT else self._parts_at(content, end, heap)
        return ends is not None and all(
            self.fits(a, b, heap) for a, b in zip(parts, ends, strict=True)
        )

    def _value_fits(self, carried: Carried, end: Abstract, heap: Heap) -> bool:
        """Return whether what a turn leaves fits a parameter, in type and in sizes."""
        type_ = carried.parameter.type
        try:
            if isinstance(type_, ListType) and isinstance(end, tuple):
                ended: Type = type_
                for item in end:
                    ended = ListType(meet_in_list(self.type_of(item, heap), type_.element, "end"))
            else:
                ended = self.type_of(end, heap)
            if carried.either is not None:
                ended = self._element_type(ended, "")
            elif (carried.array is not None) != isinstance(end, Array):
                return False
            return fits(type_, ended, self.varying) or meet(type_, ended, "end") == type_
        except (Unjoinable, ConflictRead):
            return False

    def change(self, key: Key, heap: Heap) -> str:
        """What stands under a key before a turn and after it, in the words of a message."""
        before = self._in_words(self.head(key), self.heap)
        after = self._in_words(heap.get(key), heap)
        return f"{before} before a turn, {after} after it"

    def _in_words(self, content: Abstract, heap: Heap) -> str:
        content = content_of_maybe(content)
        try:
            return in_words(self.type_of(content, heap))
        except (Unjoinable, ConflictRead):
            return describe(content)

    # Types ----------------------------------------------------------------------------------------

    def met_type(self, a: Type, b: Type) -> Type:
        """The type of what is one in a turn and the other in the next: sizes that differ vary."""
        return met(a, b, self.varying)

    def own_type(self, type_: Type) -> Type:
        """The type of what only a turn makes: its sizes are those of the turn before."""
        symbol = own_symbol()
        renamed = {other: f"{symbol}({other})" for other in open_symbols(type_)}
        self.varying.update(renamed.values())
        return with_symbols(type_, renamed)

    def type_of(self, content: Abstract, heap: Heap) -> Type:
        if isinstance(content, Value):
            return content.type
        if is_text(content):
            return TEXT
        with building(Builder()):
            if isinstance(content, Array):
                return heap.copy().read(content).type
            if is_number(content):
                return constant(content).type
        raise Unjoinable(f"a list of {_shape(content)} grows in a loop")

    def _list_type(
        self, start: tuple[Any, ...], type_: Type, last: tuple[Any, ...] = ()
    ) -> ListType:
        if not isinstance(type_, ListType):
            raise Unjoinable(f"a list before a turn, {type_} after it")
        element = self.own_type(type_.element)
        for items, heap in ((start, self.base), (last, self.last_heap)):
            for item in items:
                element = met(self.type_of(item, heap), element, self.varying, meet_in_list)
        return ListType(element)

    def arrays(self) -> list[Carried]:
        """The parameters that arrays hold which are bound anew."""
        return [carried for carried in self.carried if carried.array is not None]

    # The next turn --------------------------------------------------------------------------------

    def following(self, heap: Heap) -> tuple[Value, ...]:
        """The values that a turn hands to the next, built at the end of the body."""
        values: dict[Carried, Value] = {}
        for content, end in self.matched_all(heap):
            carried = self.carried_in(content)
            if carried is not None:
                values[carried] = self._value_of(carried, end, heap)
            elif isinstance(content, PossiblyUnbound):
                flag = self.flags.get(content)
                if flag is not None:
                    values[flag] = bound_flag(end)
            elif isinstance(content, Conflict) and content in self.unions:
                union = self.unions[content]
                numbers = numbers_of(self, union, end, heap)
                made = union_values(self, union, end, heap, numbers)
                values |= {one: make() for one, make in made.items()}
        return tuple(values[carried] for carried in self.carried)

    def _value_of(self, carried: Carried, content: Abstract, heap: Heap) -> Value:
        """The value of a parameter where a content of a heap stands for it."""
        if content is ABSENT:
            return emit_undefined(carried.parameter.type)
        return lift_as(content, carried.parameter.type, heap, self.span)

    # Aliases --------------------------------------------------------------------------------------

    def paths(self) -> dict[Location, Mark]:
        """The way to each array, list or dict that is bound anew, the same in all trials."""
        found: dict[Location, Mark] = {}
        pending: list[tuple[Abstract, tuple[Any, ...]]]
        pending = [(content, (key,)) for key, content in self.contents.items()]
        while pending:
            content, path = pending.pop()
            union = self.unions.get(content) if isinstance(content, Conflict) else None
            parts = self._parts_in(content) if union is None else union.cases
            pending.extend((part, (*path, k)) for k, part in enumerate(parts or ()))
            location = self.location_in(content)
            if location is not None:
                found.setdefault(location, path)
        return found

    def are_plain(self, end: Heap) -> bool:
        """Return whether the first turn tells that all are alike but in values and types.

        What may be one thing matters where a turn writes what it has not made.
        """
        contents = [content for content, _ in self.matched_all(Heap())]
        if any(isinstance(content, Conflict | Columns) for content in contents):
            return False
        arrays = self.arrays()
        if any(carried.either is not None for carried in arrays):
            return False
        return not self.fresh or not self.writes_before(end)

    def writes_before(self, end: Heap) -> bool:
        """Return whether a turn writes what it has not made: what it makes it knows."""
        return any(born(one) < self.since for one in end.written)

    def merged(self, end: Heap) -> bool:
        """Return whether a turn makes what may be one of several, so of all that those may be."""
        return any(location.serial >= self.since for location in end.shared)

    def bind(self) -> None:
        """Note what stands for another array or list in each turn."""
        for head in self.paths():
            name = key_name(head)
            reason = f"which object {called(name)} is differs between the turns of a loop"
            hint = "compare what they hold, or keep a number that tells which it is"
            conflict = Conflict(name, reason, self.span, True, self._decides(), hint=hint)
            conflict.loop = self._turn_by_turn()
            self.heap.bound[head] = conflict

    def relate(self, relations: Relations) -> None:
        """Let the head know what may be one thing there."""
        heads = {path: head for head, path in self.paths().items()}
        for (one, other), first in relations.items():
            a, b = (heads.get(m) if isinstance(m, tuple) else m for m in (one, other))
            if a is None or b is None:
                continue
            conflict = self.several(key_name(a), (key_name(b),))
            self.heap.relate(a, b, conflict)
            if first:
                self.of_first_turn.append(conflict)

    # After the loop -------------------------------------------------------------------------------

    def initial(self) -> list[Value]:
        """What the parameters are in the first turn, built before the loop."""
        of_cases, base = self.initials, self.base
        return [
            of_cases[one]() if one in of_cases else self._value_of(one, one.start, base)
            for one in self.carried
        ]

    def restore(self, node: Node, end: Heap) -> None:
        """Put the loop's results into the heap from before the loop."""
        results = dict(zip(self.carried, node.results, strict=False))
        self.turns = node.results[-1]
        for carried, result in results.items():
            result.name = carried.parameter.name
        aliases = LoopAliases(self, end)
        after = aliases.locations()
        for carried in self.arrays():
            location = after[carried.array]
            if self.is_new(location):
                self.base.set(location, results[carried])
                if carried.either is not None and isinstance(location, Storage):
                    self.base.frozen[location] = carried.either
        aliases.relate_after(after)
        aliases.freeze_after(after)
        for key, content in self.contents.items():
            self.base.set(key, self._after(content, results, after))
        self.base.views = {}

    def is_new(self, location: Location) -> bool:
        return location.serial >= self.since

    def _after(
        self, content: Abstract, results: dict[Carried, Value], after: dict[Any, Location]
    ) -> Abstract:
        """What a content at the head is after the loop: made of results instead of parameters."""
        carried = self.carried_in(content)
        if carried is not None:
            place = after[carried.array] if carried.array is not None else None
            return Array(place) if isinstance(place, Storage) else results[carried]
        if isinstance(content, Conflict) and content in self.unions:
            union = self.unions[content]
            cases = {n: self._after(c, results, after) for n, c in enumerate(union.cases)}
            return replace(content, cases=Cases(results[union.which], cases))
        parts = self._parts_in(content)
        if parts is None:
            return content
        made = tuple(self._after(part, results, after) for part in parts)
        if isinstance(content, PossiblyUnbound):
            return self._maybe_after(content, made[0], results)
        if isinstance(content, ListRef | DictRef | ObjectRef | Scope):
            fresh: Any = after[content]
            if self.is_new(fresh):
                self.base.hold(fresh, made[0])
            return fresh
        if all(a is b for a, b in zip(parts, made, strict=True)):
            return content
        if isinstance(content, Array):
            return at_indices(content, made)
        if isinstance(content, Columns):
            return Columns(content.structure, made)
        holder = holder_of(content)
        assert holder is not None
        return holder.made_of(made)

    def _maybe_after(
        self, maybe: PossiblyUnbound, content: Abstract, results: dict[Carried, Value]
    ) -> Abstract:
        flag = self.flags[maybe]
        if flag is not None:
            bound = results[flag]
            return PossiblyUnbound(content, lambda: bound)
        if isinstance(self.count, int) or isinstance(content, Conflict):
            return content
        turns, start = self.turns, self.start_of_maybe[maybe]
        assert turns is not None
        return PossiblyUnbound(content, lambda: _bound_after(start, turns))


def _bound_after(start: Abstract, turns: Value) -> Value:
    """Return whether a variable that each turn binds is bound after a number of turns."""
    begun: Value = less(0, turns)
    return begun if start is ABSENT else either(bound_flag(start), begun)


def _shape(content: Abstract) -> str:
    return f"a list of {len(content)}" if isinstance(content, tuple) else describe(content)
