"""What a loop carries: a slot for each content that changes from turn to turn.

A slot says how a heap content is made of carried values: a number, an array, a tuple, list or dict
of slots. From it follow the content at the loop's head (parameters), the values that a turn hands
to the next, and the content after the loop (results).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.build import Builder, builder, building
from symdiff.ir.control import emit_cond, emit_undefined
from symdiff.ir.graph import Block, Node, Value
from symdiff.ir.structure import is_leaf
from symdiff.ir.types import (
    BOOL,
    INT,
    ArrayType,
    ListType,
    Size,
    Type,
    in_words,
    open_symbols,
    takes,
    with_symbols,
)
from symdiff.ops.elementary import equal, less
from symdiff.ops.index import index_of
from symdiff.ops.lists import list_new
from symdiff.parse.activations import rebinds
from symdiff.parse.heap import (
    Heap,
    Key,
    Location,
    Ref,
    another,
    as_type,
    constant,
    in_a_list,
    is_array,
    is_callers,
    is_programs,
    same,
    several,
)
from symdiff.parse.holders import Holder, are_alike, holder_of, one_of_several
from symdiff.parse.indexed import alike_but_for_indices, at_indices, indices, is_indexed
from symdiff.parse.interpreter import Interpreter, describe, either
from symdiff.parse.join import (
    MOST_CASES,
    bound_flag,
    content_of_maybe,
    contents_of,
    is_bound,
    is_number,
    is_variable,
    key_name,
    meet,
    meet_in_list,
    mentions,
    met,
    own_symbol,
    which_of,
)
from symdiff.parse.staged_lists import columns_from, content_of, leaf_value
from symdiff.parse.trees import same_structure
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Cases,
    Columns,
    Conflict,
    ConflictRead,
    DictRef,
    FirstTurnDiffers,
    ListRef,
    ObjectRef,
    PossiblyUnbound,
    Scope,
    Storage,
    Unjoinable,
    born,
)
from symdiff.source import SourceSpan


@dataclass(eq=False, slots=True)
class InvariantSlot:
    """Nothing changes here."""

    content: Abstract


@dataclass(eq=False, slots=True)
class ValueSlot:
    """A number, or a list of staged length, in one parameter."""

    parameter: Value
    start: Abstract

    @property
    def content(self) -> Abstract:
        return self.parameter


@dataclass(eq=False, slots=True)
class ArraySlot:
    """An array that a name is bound to anew in each turn.

    ``either``: why it is not asked what it is: in some turns it is a number.
    """

    content: Array
    parameter: Value
    start: Abstract
    either: Conflict | None = None


@dataclass(eq=False, slots=True)
class TupleSlot:
    """A tuple (or a list's or dict's items, or the parts of a function) of slots."""

    content: Abstract
    items: tuple[Slot, ...]


@dataclass(eq=False, slots=True)
class ColumnsSlot:
    """A list of staged length whose items have a structure: a number slot for each column."""

    content: Columns
    columns: tuple[ValueSlot, ...]


@dataclass(eq=False, slots=True)
class ReferenceSlot:
    """A list, dict or object that a name is bound to anew: ``inner`` is the slot of its content.

    Or the activation that a function was defined in.
    """

    content: Ref
    inner: Slot
    start: Abstract
    name: str


@dataclass(eq=False, slots=True)
class ViewSlot:
    """A part of an array from before the loop, at another index in each turn."""

    content: Array
    indices: tuple[ValueSlot, ...]


@dataclass(eq=False, slots=True)
class ConflictSlot:
    """What has no common form in all turns; an error when it is read.

    ``inherited``: it was lost by a write in the loop to what may be the same, as was known before.
    """

    content: Conflict
    inherited: bool = False


@dataclass(eq=False, slots=True)
class PossiblyUnboundSlot:
    """A variable that is not always bound: ``flag`` tells; without one, each turn binds it."""

    content: PossiblyUnbound
    inner: Slot
    flag: ValueSlot | None
    start: Abstract


Case = InvariantSlot | ValueSlot | ArraySlot | TupleSlot | ReferenceSlot


@dataclass(eq=False, slots=True)
class UnionSlot:
    """One of several contents: which of them (``which`` is a number), and a slot for each."""

    content: Conflict
    which: ValueSlot
    cases: tuple[Case, ...]
    start: Abstract
    numbers: dict[int, int]  # of the cases of ``start``


Slot = (
    InvariantSlot
    | ValueSlot
    | ArraySlot
    | ViewSlot
    | TupleSlot
    | ColumnsSlot
    | ReferenceSlot
    | PossiblyUnboundSlot
    | ConflictSlot
    | UnionSlot
)


class Carries:
    """The slots of one trial of a loop body, by heap key."""

    def __init__(
        self, since: int, base: Heap, heap: Heap, index: Value, span: SourceSpan | None
    ) -> None:
        self.since = since
        self.base = base
        self.heap = heap  # of the loop's head
        self.hint_heap = Heap()
        self.keep_layouts = True  # arrays bound anew may be taken to lie as in the turn before
        self.unrolls = False  # lists that grow are better followed turn by turn
        self.span = span
        self.count: int | Value | None = None  # how many turns, where that is known before
        self.index = index
        self.turns: Value | None = None  # how many there were
        self.slots: dict[Key, Slot] = {}
        self.carried: list[ValueSlot | ArraySlot] = []
        self.entered: list[Any] = []  # lists, objects … whose content slots are being made for
        self.shared: dict[tuple[Any, Any], ArraySlot] = {}
        self.parted: set[tuple[Any, Any]] = set()  # not shared: some turn tells them apart
        self.apart: set[str] = set()  # names kept in cases
        self.initials: dict[ValueSlot | ArraySlot, Callable[[], Value]] = {}  # of cases
        self.of_first_turn: list[Conflict] = []  # later turns would not meet them
        self.varying: set[str] = set()  # symbols of the slots' own sizes, which any length has

    # The head -------------------------------------------------------------------------------------

    def add(self, key: Key, hint: Abstract, hint_heap: Heap) -> Abstract:
        """A slot for a key, given what a turn left there; gives its content at the loop's head."""
        self.hint_heap = hint_heap
        name = key_name(key)
        start = self.base.get(key)
        if is_variable(key) and not (is_bound(start) and is_bound(hint)):
            slot = self._half_bound(name, start, hint)
        else:
            slot = self._slot_or_lost(name, start, hint)
        slot = self._or_chosen(name, start, hint, slot)
        self.slots[key] = slot
        if isinstance(key, Storage) and isinstance(slot, ValueSlot) and isinstance(start, Value):
            self.heap.laid[slot.parameter] = (start,)
        return slot.content

    def _half_bound(self, name: str, start: Abstract, hint: Abstract) -> Slot:
        """A variable that is not bound in the first turn, or not in each."""
        inner = self._slot_or_lost(name, content_of_maybe(start), content_of_maybe(hint))
        if isinstance(inner, ConflictSlot):
            return inner
        if is_bound(hint):
            here = PossiblyUnbound(inner.content, lambda: _bound_after(start, self.index))
            return PossiblyUnboundSlot(here, inner, None, start)
        flag = self._number(f"{name}_bound", bound_flag(start), BOOL)
        return PossiblyUnboundSlot(
            PossiblyUnbound(inner.content, lambda: flag.parameter), inner, flag, start
        )

    def head(self, key: Key) -> Abstract:
        return self.slots[key].content if key in self.slots else ABSENT

    def parameters(self) -> tuple[Value, ...]:
        return tuple(slot.parameter for slot in self.carried)

    def made(self, conflict: Conflict) -> bool:
        """Whether a conflict stands at this loop's head."""
        if any(conflict is other for other in self.of_first_turn):
            return True
        lost = (slot for slot in self._all_slots() if isinstance(slot, ConflictSlot))
        return any(slot.content is conflict and not slot.inherited for slot in lost)

    def _all_slots(self) -> Iterator[Slot]:
        stack: list[Slot] = list(self.slots.values())
        while stack:
            slot = stack.pop()
            yield slot
            if isinstance(slot, TupleSlot):
                stack.extend(slot.items)
            elif isinstance(slot, ReferenceSlot | PossiblyUnboundSlot):
                stack.append(slot.inner)

    def _decides(self) -> Value | None:
        """What would have to be known for the loop to be followed turn by turn."""
        return self.count if isinstance(self.count, Value) else None

    def _turn_by_turn(self) -> SourceSpan | None:
        """The loop, where following it turn by turn would tell what is what."""
        return None if isinstance(self.count, Value) else self.span

    def _slot_or_lost(self, name: str, start: Abstract, hint: Abstract) -> Slot:
        try:
            return self._slot(name, start, hint)
        except Unjoinable as reason:
            text = f"'{name}' changes its nature: {reason}"
            return ConflictSlot(Conflict(name, text, self.span, loop=self._turn_by_turn()))
        except ConflictRead as read:
            return ConflictSlot(replace(read.conflict, cases=None), inherited=True)

    def _slot(self, name: str, start: Abstract, hint: Abstract) -> Slot:
        if same(start, hint):
            return InvariantSlot(start)
        if isinstance(start, Conflict):
            return ConflictSlot(replace(start, cases=None))
        if isinstance(hint, Conflict):
            return ConflictSlot(replace(hint, cases=None), inherited=True)
        if self._is_part(start, hint):
            return self._part(name, start, hint)
        if isinstance(hint, Array) and name in self.apart:
            self.hint_heap.require_array(hint)
            raise Unjoinable("another array in each turn")
        if is_number(hint) and (start is ABSENT or is_number(start)):
            return self._number(name, start, self._common(start, hint))
        if start is ABSENT and isinstance(hint, Array) and self._is_outside(hint):
            return InvariantSlot(hint)
        if isinstance(hint, Array) and (start is ABSENT or isinstance(start, Array)):
            return self._memory(name, start, hint)
        if all(is_number(content) or isinstance(content, Array) for content in (start, hint)):
            return self._memory(name, start, hint)
        return self._structure(name, start, hint)

    def _is_part(self, start: Abstract, hint: Abstract) -> bool:
        """Whether a turn leaves a part of an array from before the loop, at another index."""
        if not is_indexed(hint) or hint.storage.serial >= self.since or same(start, hint):
            return False
        return start is ABSENT or alike_but_for_indices(start, hint)

    def _part(self, name: str, start: Abstract, hint: Array) -> ViewSlot:
        ended = indices(hint)
        begun = [ABSENT] * len(ended) if start is ABSENT else indices(start)
        pairs = zip(begun, ended, strict=True)
        slots = [self._number("", a, self._common(a, b)) for a, b in pairs]
        return ViewSlot(at_indices(hint, [slot.parameter for slot in slots]), tuple(slots))

    def _is_outside(self, array: Array) -> bool:
        """Whether an array, or what it is a fixed part of, has been there before the loop."""
        fixed = not any(lens.operands for lens in array.lenses)
        return fixed and array.storage.serial < self.since

    def _structure(self, name: str, start: Abstract, hint: Abstract) -> Slot:
        if isinstance(hint, tuple) and (start is ABSENT or isinstance(start, tuple)):
            return self._tuple(name, start, hint)
        if isinstance(hint, Value) and isinstance(start, tuple):
            return self._number(name, start, self._list_type(start, hint.type))
        if isinstance(hint, Columns) and isinstance(start, tuple | Columns):
            return self._table(name, start, hint)
        if start is ABSENT and isinstance(hint, Scope) and born(hint) < self.since:
            return InvariantSlot(hint)
        if is_programs(hint) and (start is ABSENT or _of_one_kind(start, hint)):
            return self._behind(name, start, hint)
        if holder_of(hint) is not None and (start is ABSENT or are_alike(start, hint)):
            return self._parts_of(name, start, hint)
        if start is ABSENT and not is_handle(hint):
            return InvariantSlot(hint)  # unbound before: reading it then is the user's error
        if start is ABSENT:
            return ConflictSlot(Conflict(name, f"'{name}' is not bound before the loop", self.span))
        raise Unjoinable(f"{_shape(start)} before a turn, {_shape(hint)} after it")

    def _behind(self, name: str, start: Abstract, hint: Any) -> ReferenceSlot:
        if isinstance(hint, Scope) and (hint in self.entered or rebinds(hint.node)):
            raise Unjoinable("functions whose names are bound anew, or that refer to each other")
        fresh = another(hint)
        before = ABSENT if start is ABSENT else self.base.held(start)
        self.entered.append(hint)
        inner = self._slot(name, before, self.hint_heap.held(hint))
        self.entered.pop()
        self.heap.hold(fresh, inner.content)
        return ReferenceSlot(fresh, inner, start, name)

    def _parts_of(self, name: str, start: Abstract, hint: Abstract) -> TupleSlot:
        """Slots for what a dict, an object or a function holds."""
        holder = holder_of(hint)
        assert holder is not None
        starts = _parts(start) if start is not ABSENT else (ABSENT,) * len(holder.parts)
        slot = self._item if isinstance(hint, dict) else self._part_of
        items = tuple(slot(name, a, b) for a, b in zip(starts, holder.parts, strict=True))
        return self._items_of(name, holder, items)

    def _part_of(self, name: str, start: Abstract, hint: Abstract) -> Slot:
        """A slot for a part of a function …: what is known of it in the turn that makes it is."""
        return (
            InvariantSlot(hint)
            if start is ABSENT and is_leaf(hint)
            else self._slot(name, start, hint)
        )

    def _items_of(self, name: str, holder: Holder, items: tuple[Any, ...]) -> TupleSlot:
        """The slot of a tuple, a dict or a function, which is another one in each turn."""
        made = holder.made_of(tuple(item.content for item in items))
        text = f"which function '{name}' is differs between the turns of a loop"
        hint = "keep a number that tells which it is"
        conflict = Conflict(name, text, self.span, predicate=self._decides(), hint=hint)
        conflict.loop = self._turn_by_turn()
        return TupleSlot(one_of_several(made, conflict), items)

    def _tuple(self, name: str, start: Abstract, hint: tuple[Any, ...]) -> Slot:
        starts = (ABSENT,) * len(hint) if start is ABSENT else start
        if len(starts) != len(hint):
            return self._grown(name, starts, hint)
        items = tuple(self._slot(name, a, b) for a, b in zip(starts, hint, strict=True))
        return TupleSlot(tuple.__new__(type(hint), [item.content for item in items]), items)

    def _grown(self, name: str, start: tuple[Any, ...], hint: tuple[Any, ...]) -> Slot:
        """A list that has another length after a turn: of staged length from here on."""
        if self.unrolls:
            raise UnsupportedSyntaxError(f"'{name}' grows", self.span)
        parts = [columns_from(h, items) for h, items in self._both(start, hint) if items]
        structure = parts[0][0]
        if not all(same_structure(structure, other) for other, _ in parts):
            raise Unjoinable("a list of items of different structure grows in a loop")
        starts = columns_from(self.base, start)[1] if start else [()] * len(parts[0][1])
        hints = columns_from(self.hint_heap, hint)[1] if hint else [()] * len(parts[0][1])
        columns = []
        for begun, ended in zip(starts, hints, strict=True):
            first = self._type_of((ended or begun)[0], self.hint_heap if ended else self.base)
            type_ = self._list_type(begun, ListType(first), ended)
            columns.append(self._number(name, begun, type_))
        content = content_of(structure, [column.parameter for column in columns])
        return ColumnsSlot(content, tuple(columns)) if isinstance(content, Columns) else columns[0]

    def _both(self, start: Any, hint: Any) -> list[tuple[Heap, Any]]:
        return [(self.base, start), (self.hint_heap, hint)]

    def _table(self, name: str, start: Abstract, hint: Columns) -> ColumnsSlot:
        begun = self._begun_columns(start, hint)
        columns = []
        for column, value in zip(begun, hint.values, strict=True):
            if isinstance(column, Value):
                type_: Type = self._meet(column.type, value.type)
            else:
                type_ = self._list_type(column, value.type)
            columns.append(self._number(name, column, type_))
        parameters = tuple(column.parameter for column in columns)
        return ColumnsSlot(Columns(hint.structure, parameters), tuple(columns))

    def _begun_columns(self, start: Abstract, hint: Columns) -> list[Any]:
        if not isinstance(start, Columns):
            if not start:
                return [()] * len(hint.values)
            structure, columns = columns_from(self.base, start)
            values: list[Any] = list(columns)
        else:
            structure, values = start.structure, list(start.values)
        if not same_structure(structure, hint.structure):
            raise Unjoinable("a list of items of different structure grows in a loop")
        return values

    def _number(self, name: str, start: Abstract, type_: Type) -> ValueSlot:
        slot = ValueSlot(Value(type_, None, name if name.isidentifier() else None), start)
        self.carried.append(slot)
        return slot

    def _memory(self, name: str, start: Abstract, hint: Abstract) -> ArraySlot:
        """One slot for all names of an array, as long as each turn leaves them one."""
        if (start, hint) in self.parted:
            return self._new_memory(name, start, hint)
        known = self.shared.get((start, hint)) or self._as_another(start, hint)
        if known is None:
            known = self._new_memory(name, start, hint)
        self.shared[start, hint] = known
        return known

    def _as_another(self, start: Abstract, hint: Abstract) -> ArraySlot | None:
        """The slot of a name that is the same array wherever this one is bound: not before."""
        if start is not ABSENT:
            return None
        pairs = (pair for pair in self.shared if pair[1] == hint and pair not in self.parted)
        return next((self.shared[pair] for pair in pairs), None)

    def torn(self, end: Heap) -> set[tuple[Any, Any]]:
        """What was taken to be one array in all turns, and is not after this one."""
        ends: dict[Slot, Abstract] = {}
        torn = set()
        for slot, last in self._with_ends(end):
            if isinstance(slot, ArraySlot) and not same(ends.setdefault(slot, last), last):
                torn.add(slot)
        return {pair for pair, slot in self.shared.items() if slot in torn}

    def _new_memory(self, name: str, start: Abstract, hint: Abstract) -> ArraySlot:
        types = [self._type_of(start, self.base)] if start is not ABSENT else []
        types.append(self._type_of(hint, self.hint_heap))
        either = None
        if not all(map(is_array, types)):
            reason = f"{describe(start)} before a turn, {describe(hint)} after it"
            types = [self._element_type(type_, reason) for type_ in types]
            text = f"'{name}' changes its nature: {reason}"
            either = Conflict(name, text, self.span, loop=self._turn_by_turn())
        type_ = self._own(types[0]) if start is ABSENT else self._meet(types[0], types[-1])
        array = Array(Storage(name))
        memory = ArraySlot(array, Value(type_, None, name), start, either)
        self.heap.set(array.storage, memory.parameter)
        if either is not None:
            self.heap.frozen[array.storage] = either
        else:
            values = self._both_values(start, hint) if self.keep_layouts else ()
            self.heap.laid[memory.parameter] = values
        self.carried.append(memory)
        return memory

    def _both_values(self, start: Abstract, hint: Abstract) -> tuple[Value, ...]:
        """What an array is before the first turn, and after one."""
        pairs = self._both(start, hint)
        with building(Builder()):
            return tuple(h.copy().read(a) for h, a in pairs if isinstance(a, Array))

    def _element_type(self, type_: Type, reason: str) -> Type:
        """The type of a number, or of the one element of an array of rank 0."""
        if not isinstance(type_, ArrayType) or type_.shape:
            raise Unjoinable(reason)
        return ArrayType(type_.dtype, (), "scalar") if is_array(type_) else type_

    # Cases ----------------------------------------------------------------------------------------

    def _item(self, name: str, start: Abstract, hint: Abstract) -> Slot:
        """A slot for an item of a dict, an attribute, or a name of an activation that has ended."""
        if isinstance(start, PossiblyUnbound) or isinstance(hint, PossiblyUnbound):
            return self._half_bound(name, start, hint)
        if isinstance(hint, Scope):
            return self._slot(name, start, hint)
        return self._or_chosen(name, start, hint, self._slot_or_lost(name, start, hint))

    def _or_chosen(self, name: str, start: Abstract, hint: Abstract, slot: Slot) -> Slot:
        """A slot of cases for what was lost, where cases may be kept."""
        if not isinstance(slot, ConflictSlot):
            return slot
        return self._chosen(name, start, hint, slot.content) or slot

    def _chosen(
        self, name: str, start: Abstract, hint: Abstract, conflict: Conflict
    ) -> UnionSlot | None:
        """A slot for a name that is kept in cases."""
        kept = any(isinstance(c, Conflict) and c.cases is not None for c in (start, hint))
        if not kept and name not in self.apart:
            return None
        carried = len(self.carried)
        try:
            return self._new_chosen(name, start, hint, conflict)
        except (Unjoinable, ConflictRead):
            del self.carried[carried:]
            return None

    def _new_chosen(
        self, name: str, start: Abstract, hint: Abstract, conflict: Conflict
    ) -> UnionSlot:
        groups: list[list[tuple[Heap, Abstract]]] = []
        numbers: dict[int, int] = {}
        for number, content in contents_of(start).items():
            numbers[number] = self._group(groups, self.base, content)
        for content in contents_of(hint).values():
            self._group(groups, self.hint_heap, content)
        if len(groups) > MOST_CASES:
            raise Unjoinable("too many cases")
        which = self._number(f"{name}_case", 0, INT)
        self.initials[which] = partial(which_of, start, numbers)
        cases = tuple(self._case(name, group) for group in groups)
        for number, case in enumerate(cases):
            mine = [k for k, v in numbers.items() if v == number]
            for part, path in _parts_of(case):
                if isinstance(part, ValueSlot | ArraySlot):
                    of_start = partial(self._selected, part, path, start, mine, self.base)
                    self.initials[part] = of_start
        contents = {number: case.content for number, case in enumerate(cases)}
        content = replace(conflict, cases=Cases(which.parameter, contents))
        return UnionSlot(content, which, cases, start, numbers)

    def _group(
        self, groups: list[list[tuple[Heap, Abstract]]], heap: Heap, content: Abstract
    ) -> int:
        """The number of the case that a content belongs to."""
        for number, group in enumerate(groups):
            if self._alike(group[0], (heap, content)):
                group.append((heap, content))
                return number
        groups.append([(heap, content)])
        return len(groups) - 1

    def _alike(self, one: tuple[Heap, Abstract], other: tuple[Heap, Abstract]) -> bool:
        """Whether two contents become one number, one array bound anew, or one structure."""
        pending, alike = [(one, other)], True
        while pending and alike:
            (heap, a), (second, b) = pending.pop()
            if same(a, b):
                continue
            first, last = self._inside(heap, a), self._inside(second, b)
            if first is None or last is None:
                alike = self._leaves_alike((heap, a), (second, b))
                continue
            alike = first[0] == last[0] and len(first[1]) == len(last[1])
            pending += [((heap, x), (second, y)) for x, y in zip(first[1], last[1], strict=False)]
        return alike

    def _leaves_alike(self, one: tuple[Heap, Abstract], other: tuple[Heap, Abstract]) -> bool:
        (heap, a), (second, b) = one, other
        if not (is_number(a) and is_number(b)) and not (self._is_made(a) and self._is_made(b)):
            return False
        try:
            meet(self._type_of(a, heap), self._type_of(b, second), "case")
        except Unjoinable:
            return False
        return True

    def _inside(self, heap: Heap, content: Abstract) -> tuple[Any, list[Abstract]] | None:
        """Kind and parts of a tuple or a function, or of what is behind a list … of a turn's."""
        holder = holder_of(content)
        if holder is not None:
            return holder.kind, list(holder.parts)
        if is_programs(content) and born(content) >= self.since:
            kind = content.type if isinstance(content, ObjectRef) else type(content)
            return (kind, getattr(content, "frozen", False)), [heap.held(content)]
        return None

    def _is_made(self, content: Abstract) -> bool:
        """Whether a content is an array that a turn makes."""
        return isinstance(content, Array) and not self._is_outside(content)

    def _case(self, name: str, group: list[tuple[Heap, Abstract]]) -> Case:
        heap, content = group[0]
        inside = self._inside(heap, content)
        if inside is not None:
            return self._case_of_parts(name, group, content)
        fixed = not (is_number(content) or self._is_made(content))
        if fixed or (is_leaf(content) and all(same(content, c) for _, c in group)):
            if isinstance(content, Value | Conflict | Columns):
                raise Unjoinable(describe(content))
            return InvariantSlot(content)
        type_ = self._own(self._type_of(content, heap))
        for second, other in group[1:]:
            type_ = self._meet(type_, self._type_of(other, second))
        if is_number(content):
            return self._number(name, ABSENT, type_)
        if not is_array(type_):
            raise Unjoinable(describe(content))
        memory = ArraySlot(Array(Storage(name)), Value(type_, None, name), ABSENT)
        self.heap.set(memory.content.storage, memory.parameter)
        self.carried.append(memory)
        return memory

    def _case_of_parts(
        self, name: str, group: list[tuple[Heap, Abstract]], content: Abstract
    ) -> TupleSlot | ReferenceSlot:
        """A case that is a structure: a slot for each of its parts."""
        columns = zip(*(self._parts(heap, c) for heap, c in group), strict=True)
        items = tuple(self._case(name, list(column)) for column in columns)
        holder = holder_of(content)
        if holder is not None:
            return self._items_of(name, holder, items)
        fresh = another(content)
        self.heap.hold(fresh, items[0].content)
        return ReferenceSlot(fresh, items[0], ABSENT, name)

    def _parts(self, heap: Heap, content: Abstract) -> list[tuple[Heap, Abstract]]:
        inside = self._inside(heap, content)
        assert inside is not None
        return [(heap, part) for part in inside[1]]

    def _case_of(self, slot: UnionSlot, content: Abstract, heap: Heap) -> int | None:
        """The number of the case that a content is, if it is one."""
        for number, case in enumerate(slot.cases):
            if self._is_case(case, content, heap):
                return number
        return None

    def _is_case(self, case: Slot, content: Abstract, heap: Heap) -> bool:
        if isinstance(case, InvariantSlot):
            return same(case.content, content)
        if isinstance(case, ValueSlot):
            return is_number(content) and not self._leaf_wider(case, content, heap)
        if isinstance(case, ArraySlot):
            return self._is_made(content) and not self._leaf_wider(case, content, heap)
        first, inside = self._inside(self.heap, case.content), self._inside(heap, content)
        if first is None or inside is None or first[0] != inside[0]:
            return False
        slots = case.items if isinstance(case, TupleSlot) else (case.inner,)  # type: ignore[union-attr]
        parts = inside[1]
        return len(slots) == len(parts) and all(
            self._is_case(slot, part, heap) for slot, part in zip(slots, parts, strict=True)
        )

    def _numbers(self, slot: UnionSlot, content: Abstract, heap: Heap) -> dict[int, int]:
        """A content's cases in the slot's numbers."""
        found: dict[int, int] = {}
        for number, part in contents_of(content).items():
            case = self._case_of(slot, part, heap)
            if case is not None:
                found[number] = case
        return found

    def _selected(
        self,
        slot: ValueSlot | ArraySlot,
        path: Path,
        content: Abstract,
        numbers: list[int],
        heap: Heap,
    ) -> Value:
        """The value at a ``path`` of a case: of the one of a content's that it comes from."""
        parts = contents_of(content)
        value = slot.parameter if heap is not self.base else None
        for number in numbers:
            with building(Builder(span=self.span)) as inner:
                part = _at(parts[number], path, heap)
                mine = lift_as(part, slot.parameter.type, heap.copy(), self.span)
            if len(parts) == 1:
                builder().nodes.extend(inner.nodes)
                return mine
            value = self._if_it_is(content, number, Block((), inner.nodes, (mine,)), value)
        return emit_undefined(slot.parameter.type) if value is None else value

    def _if_it_is(self, content: Abstract, number: int, block: Block, other: Value | None) -> Value:
        which = which_of(content, {n: n for n in contents_of(content)})
        with building(Builder(span=self.span)) as inner:
            kept = emit_undefined(block.results[0].type) if other is None else other
        return emit_cond(equal(which, number), block, Block((), inner.nodes, (kept,))).result

    # Types ----------------------------------------------------------------------------------------

    def _meet(self, a: Type, b: Type) -> Type:
        """The type of what is one in a turn and the other in the next: sizes that differ vary."""
        return met(a, b, self.varying)

    def _own(self, type_: Type) -> Type:
        """The type of what only a turn makes: its sizes are those of the turn before."""
        symbol = own_symbol()
        renamed = {other: f"{symbol}({other})" for other in open_symbols(type_)}
        self.varying.update(renamed.values())
        return with_symbols(type_, renamed)

    def _common(self, start: Abstract, hint: Abstract) -> Type:
        ended = self._type_of(hint, self.hint_heap)
        if start is ABSENT:
            return self._own(ended)
        return self._meet(self._type_of(start, self.base), ended)

    def _type_of(self, content: Abstract, heap: Heap) -> Type:
        if isinstance(content, Value):
            return content.type
        with building(Builder()):
            if isinstance(content, Array):
                return heap.copy().read(content).type
            if is_number(content):
                return constant(content).type
        raise Unjoinable(f"a list of {_shape(content)} grows in a loop")

    def _list_type(
        self, start: tuple[Any, ...], type_: Type, hint: tuple[Any, ...] = ()
    ) -> ListType:
        if not isinstance(type_, ListType):
            raise Unjoinable(f"a list before a turn, {type_} after it")
        element = self._own(type_.element)
        for items, heap in ((start, self.base), (hint, self.hint_heap)):
            for item in items:
                element = met(self._type_of(item, heap), element, self.varying, meet_in_list)
        return ListType(element)

    def wider(self, key: Key, end: Abstract, heap: Heap) -> bool:
        """Whether what a turn leaves under a key does not fit the key's slot."""
        return self._wider(self.slots[key], end, heap)

    def change(self, key: Key, heap: Heap) -> str:
        """What stands under a key before a turn and after it, in the words of a message."""
        before, after = (
            self._in_words(self.head(key), self.heap),
            self._in_words(heap.get(key), heap),
        )
        return f"{before} before a turn, {after} after it"

    def _in_words(self, content: Abstract, heap: Heap) -> str:
        content = content_of_maybe(content)
        try:
            return in_words(self._type_of(content, heap))
        except (Unjoinable, ConflictRead):
            return describe(content)

    def _wider(self, slot: Slot, end: Abstract, heap: Heap) -> bool:
        if isinstance(slot, ConflictSlot):
            return False
        if isinstance(slot, UnionSlot):
            return len(self._numbers(slot, end, heap)) < len(contents_of(end))
        if isinstance(slot, InvariantSlot):
            return not same(slot.content, end)
        if isinstance(slot, ValueSlot | ArraySlot):
            return self._leaf_wider(slot, end, heap)
        if not _is_like(slot, end):
            return True
        return any(self._wider(inner, last, heap) for inner, last in _within(slot, end, heap))

    def _leaf_wider(self, slot: ValueSlot | ArraySlot, end: Abstract, heap: Heap) -> bool:
        type_ = slot.parameter.type
        try:
            if isinstance(type_, ListType) and isinstance(end, tuple):
                ended: Type = type_
                for item in end:
                    ended = ListType(meet_in_list(self._type_of(item, heap), type_.element, "end"))
            else:
                ended = self._type_of(end, heap)
            if isinstance(slot, ArraySlot) and slot.either is not None:
                ended = self._element_type(ended, "")
            elif isinstance(slot, ArraySlot) != isinstance(end, Array):
                return True
            return not fits(type_, ended, self.varying) and meet(type_, ended, "end") != type_
        except (Unjoinable, ConflictRead):
            return True

    def memory(self) -> list[ArraySlot]:
        """The slots of arrays that are bound anew."""
        return [slot for slot in self.carried if isinstance(slot, ArraySlot)]

    # The next turn --------------------------------------------------------------------------------

    def following(self, heap: Heap) -> tuple[Value, ...]:
        """The values that a turn hands to the next, built at the end of the body."""
        values: dict[ValueSlot | ArraySlot, Value] = {}
        for key, slot in self.slots.items():
            self._follow(slot, heap.get(key), heap, values)
        return tuple(values[slot] for slot in self.carried)

    def _follow(
        self, slot: Slot, end: Abstract, heap: Heap, values: dict[ValueSlot | ArraySlot, Value]
    ) -> None:
        if isinstance(slot, ValueSlot | ArraySlot):
            values[slot] = self._next_value(slot.parameter, end, heap)
        if isinstance(slot, UnionSlot):
            self._follow_case(slot, end, heap, values)
        if isinstance(slot, PossiblyUnboundSlot) and slot.flag is not None:
            values[slot.flag] = bound_flag(end)
        for inner, last in _within(slot, end, heap):
            self._follow(inner, last, heap, values)

    def _follow_case(
        self, slot: UnionSlot, end: Abstract, heap: Heap, values: dict[ValueSlot | ArraySlot, Value]
    ) -> None:
        numbers = self._numbers(slot, end, heap)
        values[slot.which] = which_of(end, numbers)
        for number, case in enumerate(slot.cases):
            mine = [k for k, v in numbers.items() if v == number]
            for part, path in _parts_of(case):
                if isinstance(part, ValueSlot | ArraySlot):
                    values[part] = self._selected(part, path, end, mine, heap)

    def _next_value(self, parameter: Value, end: Abstract, heap: Heap) -> Value:
        if end is ABSENT:
            return emit_undefined(parameter.type)
        return lift_as(end, parameter.type, heap, self.span)

    # Aliases --------------------------------------------------------------------------------------

    def check_aliases(self, end: Heap, read: set[Value]) -> None:
        """Ask for a turn of its own where the first turn writes memory that others can see.

        ``read`` holds the values that the body reads: arrays that a turn binds first cannot matter.
        """
        places = [p for p in self._places(end) if not isinstance(p.slot, ArraySlot) or p.read(read)]
        heads = {place.head for place in places}
        written = _closure(places, end.written)
        for place in places:
            if place.head in written and not private(place.start, self.base):
                reason = f"'{place.name}' is written, and another name may see it"
                raise FirstTurnDiffers(reason, self._conflict(place))
        for location, conflict in _put_away(places, end).items():
            persists = location.serial < self.since or location in heads
            if persists and location in written and location not in self.base.frozen:
                raise ConflictRead(conflict)
        self._check_lists({*written, *(p.start for p in places if p.head in written)})
        seen: dict[Location, Place] = {}
        for place in places:
            if place.end is None:
                continue
            other = seen.setdefault(place.end, place)
            old = place.end.serial < self.since
            matters = {place.head, other.head} | ({place.end} if old else set())
            if (other is not place or old) and written & matters:
                reason = f"'{place.name}' shares an array or a list that is written"
                raise FirstTurnDiffers(reason, self._conflict(place))

    def _conflict(self, place: Place) -> Conflict:
        conflict = several(key_name(place.head), self.span, self._decides())
        conflict.loop = self._turn_by_turn()
        return conflict

    def _check_lists(self, written: set[Location | None]) -> None:
        """Refuse to write what a list holds whose length is staged from the loop's head on."""
        for slot in self.carried:
            if not isinstance(slot, ValueSlot) or not isinstance(slot.start, tuple):
                continue
            for item in slot.start:
                if isinstance(item, Array) and self._may_be_among(item.storage, written):
                    length = self.count if isinstance(self.count, Value) else None
                    raise ConflictRead(in_a_list(slot.parameter.name, self.span, length))

    def _may_be_among(self, storage: Storage, written: set[Location | None]) -> bool:
        return any(other in written for other in self.base.possible(storage))

    def _places(self, end: Heap) -> list[Place]:
        """Where each array, list or dict that is bound anew stands before and after a turn."""
        places: dict[Slot, list[Place]] = {}
        for slot, last in self._with_ends(end):
            if isinstance(slot, UnionSlot):
                places |= self._places_of_cases(slot, last, end)
            elif isinstance(slot, ArraySlot | ReferenceSlot):
                whole = None if isinstance(last, Array) and last.lenses else location_of(last)
                place = Place(slot, location_of(slot.start), location_of(last), whole)
                places.setdefault(slot, [place])
        return [place for found in places.values() for place in found]

    def _with_ends(self, end: Heap) -> Iterator[tuple[Slot, Abstract]]:
        """The slots, those within others too, with what a turn leaves there."""
        pending: list[tuple[Slot, Abstract]] = [(s, end.get(k)) for k, s in self.slots.items()]
        while pending:
            slot, last = pending.pop()
            yield slot, last
            pending.extend(_within(slot, last, end))

    def _places_of_cases(
        self, slot: UnionSlot, last: Abstract, end: Heap
    ) -> dict[Slot, list[Place]]:
        """The places of the arrays, lists … among a name's cases, for all that each may be."""
        found: dict[Slot, list[Place]] = {}
        numbers = self._numbers(slot, last, end)
        begun, ended = contents_of(slot.start), contents_of(last)
        for number, case in enumerate(slot.cases):
            first = [begun[k] for k, v in slot.numbers.items() if v == number]
            after = [ended[k] for k, v in numbers.items() if v == number]
            for part, path in _parts_of(case):
                if isinstance(part, ArraySlot | ReferenceSlot):
                    starts = [location_of(_at(c, path, self.base)) for c in first]
                    lasts = [location_of(_at(c, path, end)) for c in after]
                    pairs = itertools.product(starts or [None], lasts or [None])
                    found[part] = [Place(part, a, b, None) for a, b in pairs]
        return found

    def _paths(self) -> dict[Location, Mark]:
        """The way to each array, list or dict that is bound anew, the same in all trials."""
        found: dict[Location, Mark] = {}
        pending: list[tuple[Slot, tuple[Any, ...]]] = [(s, (k,)) for k, s in self.slots.items()]
        while pending:
            slot, path = pending.pop()
            if isinstance(slot, TupleSlot | UnionSlot):
                parts = slot.items if isinstance(slot, TupleSlot) else slot.cases
                pending.extend((part, (*path, k)) for k, part in enumerate(parts))
            elif isinstance(slot, ReferenceSlot | PossiblyUnboundSlot):
                pending.append((slot.inner, (*path, "inner")))
            if isinstance(slot, ArraySlot | ReferenceSlot):
                head = location_of(slot.content)
                assert head is not None
                found.setdefault(head, path)
        return found

    def are_plain(self, end: Heap) -> bool:
        """Whether all turns are alike but in values and types, as far as the first one tells."""
        slots = list(self._all_slots())
        if any(isinstance(slot, ConflictSlot | UnionSlot | ColumnsSlot) for slot in slots):
            return False
        arrays = [slot for slot in slots if isinstance(slot, ArraySlot)]
        if any(slot.either is not None for slot in arrays):
            return False
        bound_anew = bool(arrays) or any(isinstance(slot, ReferenceSlot) for slot in slots)
        return not bound_anew or not (end.written or self.merged(end))

    def merged(self, end: Heap) -> bool:
        """Whether a turn makes what may be one of several, so of all that those may be."""
        return any(location.serial >= self.since for location in end.shared)

    def relations(self, end: Heap) -> Relations:
        """What may be one thing at the head of some turn; whether of the first turn only."""
        places = self._places(end)
        known = [*(place.head for place in places), *self._outside(places, end)]
        starts = _meant((p.head, p.start) for p in places)
        lasts = _meant((p.head, p.end) for p in places)
        first = _may_be(known, starts, self.base, {})
        later = _closed(known, lasts, end, _may_be(known, lasts, end, first))
        paths = self._paths()
        return {(paths.get(a, a), paths.get(b, b)): (a, b) not in later for a, b in first | later}

    def bind(self) -> None:
        """Note what stands for another array or list in each turn."""
        for head in self._paths():
            name = key_name(head)
            reason = f"which object '{name}' is differs between the turns of a loop"
            hint = "compare what they hold, or keep a number that tells which it is"
            conflict = Conflict(name, reason, self.span, True, self._decides(), hint=hint)
            conflict.loop = self._turn_by_turn()
            self.heap.bound[head] = conflict

    def relate(self, relations: Relations) -> None:
        """Let the head know what may be one thing there."""
        heads = {path: head for head, path in self._paths().items()}
        for (one, other), first in relations.items():
            a, b = (heads.get(m) if isinstance(m, tuple) else m for m in (one, other))
            if a is None or b is None:
                continue
            conflict = several(key_name(a), self.span, self._decides())
            conflict.loop, conflict.names = self._turn_by_turn(), (key_name(b),)
            self.heap.relate(a, b, conflict)
            if first:
                self.of_first_turn.append(conflict)

    # After the loop -------------------------------------------------------------------------------

    def initial(self, interp: Interpreter) -> list[Value]:
        """What the carries start from, built before the loop."""
        return [self._initial(interp, slot) for slot in self.carried]

    def _initial(self, interp: Interpreter, slot: ValueSlot | ArraySlot) -> Value:
        if slot in self.initials:
            return self.initials[slot]()
        if slot.start is ABSENT:
            return emit_undefined(slot.parameter.type)
        return lift_as(slot.start, slot.parameter.type, self.base, self.span)

    def restore(self, node: Node, end: Heap) -> None:
        """Put the loop's results into the heap from before the loop."""
        results = dict(zip(self.carried, node.results, strict=False))
        self.turns = node.results[-1]
        for slot, result in results.items():
            result.name = slot.parameter.name
        places = self._places(end)
        after = self._locations(places)
        for slot in self.carried:
            if isinstance(slot, ArraySlot) and self._new(after[slot]):
                self._restore(slot, after[slot], results[slot])
        self._relate(places, end, after)
        self._freeze(places, end, after)
        for key, kept in self.slots.items():
            self.base.set(key, self._after(kept, results, after))
        self.base.views = {}

    def _restore(self, slot: ArraySlot, location: Location, result: Value) -> None:
        self.base.set(location, result)
        if slot.either is not None and isinstance(location, Storage):
            self.base.frozen[location] = slot.either

    def _new(self, location: Location) -> bool:
        return location.serial >= self.since

    def _locations(self, places: list[Place]) -> dict[Slot, Location]:
        """What each place is after the loop; where a turn is certain, what the turn makes of it."""
        found: dict[Slot, Location] = {}
        ends: dict[Location, Location] = {}
        heads = {place.head for place in places}
        for place in places:
            new: Location = place.head
            if isinstance(place.slot, ArraySlot):
                new = Storage(place.slot.parameter.name)
            if isinstance(self.count, int) and place.whole is not None:
                if not self._new(place.whole):
                    new = place.whole
                elif place.whole not in heads:
                    new = ends.setdefault(place.whole, new)
            found[place.slot] = new
        return found

    def _relate(self, places: list[Place], end: Heap, after: dict[Slot, Location]) -> None:
        """What may be one thing after the loop: a fixpoint over what a turn hands to the next."""
        heads = {place.head: place for place in places}
        known: list[Location] = [*heads, *self._outside(places, end)]
        starts = _meant((p.head, p.start) for p in places)
        lasts = _meant((p.head, p.end) for p in places)
        related = _may_be(known, starts, self.base, {})
        if isinstance(self.count, int):  # at least one turn: what a name was before is gone
            related = _may_be(known, lasts, end, related)
        related = _closed(known, lasts, end, related)
        for a, b in related:
            name = heads[a if a in heads else b].name
            one, other = (after[heads[v].slot] if v in heads else v for v in (a, b))
            conflict = several(name, self.span, self._decides())
            conflict.loop = self._turn_by_turn()
            conflict.names = tuple(heads[v].name for v in (a, b) if v in heads)
            self.base.relate(one, other, conflict)

    def _freeze(self, places: list[Place], end: Heap, after: dict[Slot, Location]) -> None:
        """What a turn has put into a list of staged length is not written after the loop either."""
        away = _put_away(places, end)
        if isinstance(self.count, Value):  # then a static count will do
            away = {k: in_a_list(c.name, c.span, self.count) for k, c in away.items()}
        frozen = {k: c for k, c in away.items() if not self._new(k)}
        for place in places:
            found = away.get(place.head)
            if found is None and place.end is not None:
                found = away.get(place.end)
            if found is not None:
                frozen |= {k: found for k in (place.start, after[place.slot]) if k is not None}
        for location, conflict in frozen.items():
            if isinstance(location, Storage):
                self.base.frozen.setdefault(location, conflict)

    def _outside(self, places: list[Place], end: Heap) -> list[Location]:
        """What was there before the loop and the places may be."""
        found: dict[Location, None] = {}
        for place in places:
            for location, heap in ((place.start, self.base), (place.end, end)):
                if location is not None:
                    possible = (*heap.possible(location), *self.base.possible(location))
                    found |= dict.fromkeys(o for o in possible if o.serial < self.since)
        return list(found)

    def _after(
        self, slot: Slot, results: dict[ValueSlot | ArraySlot, Value], after: dict[Slot, Location]
    ) -> Abstract:
        if isinstance(slot, ArraySlot):
            storage = after[slot]
            assert isinstance(storage, Storage)
            return Array(storage)
        if isinstance(slot, ValueSlot):
            return results[slot]
        if isinstance(slot, ViewSlot):
            return at_indices(slot.content, [results[index] for index in slot.indices])
        if isinstance(slot, PossiblyUnboundSlot):
            return self._maybe_after(slot, results, after)
        if isinstance(slot, UnionSlot):
            contents = {n: self._after(c, results, after) for n, c in enumerate(slot.cases)}
            return replace(slot.content, cases=Cases(results[slot.which], contents))
        if isinstance(slot, ColumnsSlot):
            return Columns(slot.content.structure, tuple(results[c] for c in slot.columns))
        if isinstance(slot, ReferenceSlot):
            inner = self._after(slot.inner, results, after)
            if not self._new(after[slot]):
                return after[slot]
            place = after[slot]
            assert not isinstance(place, Storage)
            self.base.hold(place, inner)
            return place
        return (
            self._items_after(slot, results, after) if isinstance(slot, TupleSlot) else slot.content
        )

    def _items_after(
        self,
        slot: TupleSlot,
        results: dict[ValueSlot | ArraySlot, Value],
        after: dict[Slot, Location],
    ) -> Abstract:
        holder = holder_of(slot.content)
        assert holder is not None
        return holder.made_of(tuple(self._after(item, results, after) for item in slot.items))

    def _maybe_after(
        self,
        slot: PossiblyUnboundSlot,
        results: dict[ValueSlot | ArraySlot, Value],
        after: dict[Slot, Location],
    ) -> Abstract:
        content = self._after(slot.inner, results, after)
        if slot.flag is not None:
            flag = results[slot.flag]
            return PossiblyUnbound(content, lambda: flag)
        if isinstance(self.count, int) or isinstance(content, Conflict):
            return content
        turns = self.turns
        assert turns is not None
        return PossiblyUnbound(content, lambda: _bound_after(slot.start, turns))


def _bound_after(start: Abstract, turns: Value) -> Value:
    """Whether a variable that each turn binds is bound after a number of turns."""
    begun: Value = less(0, turns)
    return begun if start is ABSENT else either(bound_flag(start), begun)


@dataclass(frozen=True, slots=True)
class Place:
    """A slot whose array, list or dict is bound anew: what it is before and after a turn.

    ``whole`` is ``end`` unless the array is a view of a part.
    """

    slot: ArraySlot | ReferenceSlot
    start: Location | None
    end: Location | None
    whole: Location | None

    @property
    def head(self) -> Location:
        found = location_of(self.slot.content)
        assert found is not None
        return found

    @property
    def name(self) -> str:
        slot = self.slot
        return (slot.parameter.name if isinstance(slot, ArraySlot) else slot.name) or "array"

    def read(self, values: set[Value]) -> bool:
        """Whether the slot's array is among the values that are read."""
        return isinstance(self.slot, ArraySlot) and self.slot.parameter in values


def _within(slot: Slot, end: Abstract, heap: Heap) -> list[tuple[Slot, Abstract]]:
    """The slots that one is made of, with what a turn leaves there."""
    if isinstance(slot, PossiblyUnboundSlot):
        return [(slot.inner, content_of_maybe(end))]
    if isinstance(slot, ReferenceSlot):
        return [(slot.inner, heap.held(end))]
    if isinstance(slot, ViewSlot):
        ended = [ABSENT] * len(slot.indices) if end is ABSENT else indices(end)
        return list(zip(slot.indices, ended, strict=True))
    if isinstance(slot, ColumnsSlot):
        return list(zip(slot.columns, end.values, strict=True))
    if isinstance(slot, TupleSlot):
        return list(zip(slot.items, _parts(end), strict=True))
    return []


def _is_like(slot: Slot, end: Abstract) -> bool:
    """Whether what a turn leaves is made of what the slot is made of."""
    if isinstance(slot, PossiblyUnboundSlot):
        return slot.flag is not None or is_bound(end)
    if isinstance(slot, ViewSlot):
        return alike_but_for_indices(slot.content, end)
    if isinstance(slot, ColumnsSlot):
        return isinstance(end, Columns)
    if isinstance(slot, ReferenceSlot):
        return _of_one_kind(slot.content, end)
    assert isinstance(slot, TupleSlot)
    return are_alike(slot.content, end)


def _parts(content: Abstract) -> tuple[Abstract, ...]:
    holder = holder_of(content)
    assert holder is not None
    return holder.parts


Path = tuple[int | None, ...]  # into the items of a tuple or a dict; None: behind a handle


def _parts_of(case: Slot) -> Iterator[tuple[Slot, Path]]:
    """The slots of a case, itself first, and the way to each."""
    pending: list[tuple[Slot, Path]] = [(case, ())]
    while pending:
        slot, path = pending.pop()
        yield slot, path
        if isinstance(slot, TupleSlot):
            pending.extend((item, (*path, k)) for k, item in enumerate(slot.items))
        elif isinstance(slot, ReferenceSlot):
            pending.append((slot.inner, (*path, None)))


def _at(content: Abstract, path: Path, heap: Heap) -> Abstract:
    """What stands at the end of a way into a content."""
    for step in path:
        content = heap.held(content) if step is None else _parts(content)[step]
    return content


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


def _closure(places: list[Place], written: set[Location]) -> set[Location]:
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


def _put_away(places: list[Place], end: Heap) -> dict[Location, Conflict]:
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


Pairs = dict[tuple[Location, Location], None]
Meant = dict[Location, list[Location | None]]
Mark = tuple[Any, ...] | Location  # a location, or the way from a heap key to it
Relations = dict[tuple[Mark, Mark], bool]


def _meant(pairs: Iterable[tuple[Location, Location | None]]) -> Meant:
    found: Meant = {}
    for head, location in pairs:
        found.setdefault(head, []).append(location)
    return found


def _closed(known: list[Location], lasts: Meant, end: Heap, related: Pairs) -> Pairs:
    """With what further turns add, if each makes of a location what ``lasts`` says."""
    while True:
        wider = related | _may_be(known, lasts, end, related)
        if wider == related:
            return related
        related = wider


def _may_be(known: list[Location], meant: Meant, heap: Heap, related: Pairs) -> Pairs:
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


def lift_as(content: Abstract, type_: Type, heap: Heap, span: SourceSpan | None) -> Value:
    """The IR value of a content where one of a wider type is expected."""
    if isinstance(content, Array):
        value = heap.read(content)
        return value if is_array(type_) or not is_array(value.type) else index_of(value, ())
    if isinstance(type_, ListType) and isinstance(content, tuple):
        items = [leaf_value(heap, item, type_.element, span) for item in content]
        result: Value = list_new(*items, type=type_)
        return result
    value = content if isinstance(content, Value) else constant(content)
    return as_type(value, type_)


def fits(head: Type, end: Type, varying: Collection[str]) -> bool:
    """Whether a turn's result fits a parameter: equal, or of sizes that it leaves open.

    :param varying: the symbols of sizes that are the parameter's own: others name a length.
    """
    if isinstance(head, ListType) and isinstance(end, ListType):
        return fits(head.element, end.element, varying)
    if not isinstance(head, ArrayType) or not isinstance(end, ArrayType):
        return head == end
    if (head.dtype, head.kind, head.rank) != (end.dtype, end.kind, end.rank):
        return False
    pairs = zip(head.shape, end.shape, strict=True)
    return all(
        a == b or (isinstance(a, Size) and a.symbol in varying and takes(a, b)) for a, b in pairs
    )


def _of_one_kind(a: Abstract, b: Abstract) -> bool:
    """Whether two contents are lists, tuples of staged length, dicts, or objects of one class.

    Or activations of one function.
    """
    if not (is_programs(a) and is_programs(b)) or type(a) is not type(b):
        return False
    if isinstance(a, ListRef):
        return bool(a.frozen == b.frozen)
    if isinstance(a, Scope):
        return a.node is b.node
    return not isinstance(a, ObjectRef) or a.type is b.type


def is_handle(content: Abstract) -> bool:
    """Whether a content refers to something else in the heap."""
    return isinstance(content, Value | Array | ListRef | DictRef | ObjectRef | Conflict)


def _shape(content: Abstract) -> str:
    return f"a list of {len(content)}" if isinstance(content, tuple) else describe(content)
