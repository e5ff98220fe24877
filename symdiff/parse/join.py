"""Where two paths meet: the contents that differ become results of a branch, or conflicts.

Contents join pairwise: numbers and arrays to a result typed by both, containers item by item. A
name bound to different arrays becomes a new array; writing to that is refused where the old ones
can still be reached. What has no common form is a ``Conflict``, an error only when it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.ir.build import Builder, building, constant_value
from symdiff.ir.control import emit_cond, emit_undefined
from symdiff.ir.graph import Block, Node, Value
from symdiff.ir.structure import Structure
from symdiff.ir.types import BOOL, TEXT, ArrayType, ListType, Type
from symdiff.ops.index import index_of
from symdiff.ops.lists import list_filled, list_length, list_new
from symdiff.parse.activations import PARENT, rebinds
from symdiff.parse.assumed import Assumed, implied
from symdiff.parse.changing import note_unknown_order
from symdiff.parse.heap import (
    Heap,
    Key,
    Location,
    Pair,
    Ref,
    another,
    as_type,
    constant,
    differing,
    is_array,
    is_callers,
    is_programs,
    same,
    several,
)
from symdiff.parse.holders import Holder, holder_of
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.lattice import (
    LACKING,
    Join,
    Table,
    bound_flag,
    content_of_maybe,
    differ_in_texts,
    is_bound,
    is_callers_name,
    is_number,
    is_variable,
    key_name,
    meet,
    meet_in_list,
    own_symbol,
)
from symdiff.parse.lookups import own_attributes
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.named_items import with_texts_as_leaves
from symdiff.parse.possible import narrowed
from symdiff.parse.run_time_texts import is_text, lifted, shown_anyhow
from symdiff.parse.staged_lists import (
    columns_from,
    columns_of,
    freeze_items,
    item_parts,
    leaf_value,
)
from symdiff.parse.told_numbers import as_told
from symdiff.parse.trees import same_structure
from symdiff.parse.unions import (
    are_too_many,
    contents_of,
    is_case,
    may_be_undefined,
    opposite,
    which_of,
)
from symdiff.parse.values import (
    ABSENT,
    ALWAYS,
    Abstract,
    Array,
    Cases,
    Closure,
    Columns,
    Conflict,
    ConflictRead,
    DictRef,
    Generator,
    Iterable,
    ListRef,
    ObjectRef,
    PossiblyUnbound,
    Scope,
    StagedText,
    Storage,
    Unjoinable,
    born,
    called,
    written,
)
from symdiff.parse.writeback import is_late, is_place, is_written_back, stands_at, write_place


@dataclass(slots=True)
class Arm:
    """One path: what it built, the heap at its end, and whether its end is reached at all.

    ``written_back``: what was left behind where it began. ``refused``: why it cannot be followed,
    where it only raises that.
    """

    nodes: list[Node]
    heap: Heap
    reached: bool
    written_back: Mapping[Any, Any]
    refused: Exception | None = None


Case = tuple[Cases, int]  # one of several contents, by its number
There = tuple[bool, bool]  # for each arm, whether it has such a content, bound or not
NOTHING = object()  # no content in an arm: the other one's case


@dataclass(slots=True)
class Merged:
    """A location of the joined heap that is another one in each arm (or None in one)."""

    location: Location
    before: tuple[Location | None, Location | None]
    name: str


@dataclass(frozen=True, slots=True)
class Kept:
    """What the arms of a branch on a name's cases start from; left so, the cases stay."""

    keys: tuple[Key, ...]
    then: Abstract
    orelse: Abstract
    whole: Abstract


class BranchJoin(Join):
    """Joins the contents of two arms' heaps; ``outs`` collects what the branch has to give."""

    def __init__(
        self,
        interp: Interpreter,
        then: Arm,
        orelse: Arm,
        since: int,
        predicate: Value,
        kept: Kept | None = None,
    ) -> None:
        self.predicate = predicate
        self.as_unions, self.as_texts = interp.policy.unions, interp.policy.texts
        self.are_names_told = interp.policy.are_names_told
        self.kept = kept
        self.interp = interp
        self.arms = (then, orelse)
        self.since = since
        self.outs: list[tuple[Value, Value, Value]] = []
        self.arrays: dict[tuple[Any, ...], Array] = {}
        self.refs: dict[tuple[Any, Any], Ref] = {}
        self.functions: dict[tuple[int, Closure], Closure] = {}
        self.values: dict[tuple[Value, Value], Value] = {}
        self.told: dict[tuple[int, Abstract], Case] = {}  # by arm: views there in a case only
        self.merged: list[Merged] = []
        self.assumed: dict[int, Assumed] = {}  # by arm, as far as asked
        self.heap = Heap()

    def join_heaps(self) -> Heap:
        """The heap after the branch; conflicts stand where contents do not join."""
        then, orelse = (arm.heap for arm in self.arms)
        frozen = {**then.frozen, **orelse.frozen}
        written = then.written | orelse.written
        self.heap = Heap(dict(then.contents), frozen, {}, written, {}, then.laid, then.bound)
        for key in differing(then.contents, orelse.contents):
            a, b = then.get(key), orelse.get(key)
            if born(key) == ALWAYS:  # first read in an arm, or after the other was staged
                before = self.interp.heap.get(key)
                a, b = before if a is ABSENT else a, before if b is ABSENT else b
            if born(key) >= self.since:
                left = b if a is ABSENT else a  # what is reached is merged, and another location
                self.heap.set(key, ABSENT if isinstance(left, PossiblyUnbound) else left)
            elif not same(a, b) or (isinstance(a, Closure) and a is not b):
                self.heap.set(key, self.join_or_conflict(key, a, b))
        self.heap.views = {k: v for k, v in then.views.items() if orelse.views.get(k) is v}
        self._relate()
        self._freeze()
        return self.heap

    def _relate(self) -> None:
        """What may be one thing after the branch: what was, and what was merged from the same."""
        arms = [(k, arm.heap) for k, arm in enumerate(self.arms) if arm.reached]
        for _, heap in arms:
            self.heap.relate_as(heap)
        for position, merged in enumerate(self.merged):
            conflict = several(merged.name, self.interp.span, self.predicate)
            for arm, heap in arms:
                mine = merged.before[arm]
                if mine is None:
                    continue
                for other in heap.possible(mine):
                    self.heap.relate(merged.location, other, conflict)
                for second in self.merged[:position]:
                    theirs = second.before[arm]
                    if theirs is not None and heap.may_be(mine, theirs):
                        self.heap.relate(merged.location, second.location, conflict)

    def _freeze(self) -> None:
        """What must not be written: what a path, or the joining, put into staged lists."""
        for arm in self.arms:
            for storage, conflict in arm.heap.frozen.items():
                self.heap.frozen.setdefault(storage, conflict)
        for merged in self.merged:
            for arm, before in zip(self.arms, merged.before, strict=True):
                if before is not None and before in arm.heap.frozen:
                    self.heap.frozen.setdefault(merged.location, arm.heap.frozen[before])
        self.heap.exempt = self._exempt()

    def _exempt(self) -> frozenset[Pair]:
        """What a merged location may be on a path on which that is not frozen: on another it is."""
        heaps = [(k, arm.heap) for k, arm in enumerate(self.arms) if arm.reached]
        exempt: frozenset[Pair] = frozenset()
        if heaps:
            exempt = exempt.union(frozenset.intersection(*(heap.exempt for _, heap in heaps)))
        found: dict[Pair, bool] = {}
        for merged in self.merged:
            for arm, heap in heaps:
                mine = merged.before[arm]
                for other in heap.possible(mine) if mine is not None else ():
                    pair = merged.location, other
                    free = other not in heap.frozen or (mine, other) in heap.exempt
                    found[pair] = free and found.get(pair, True)
        return exempt | {p for p, free in found.items() if free and p[1] in self.heap.frozen}

    def join_or_conflict(
        self, key: Key, a: Abstract, b: Abstract, there: There | None = None
    ) -> Abstract:
        if self._is_kept(key, a, b):
            assert self.kept is not None
            return self.kept.whole
        there = self._read_from(key, a, b) if there is None else there
        a, b = (c if is_there else ABSENT for c, is_there in zip((a, b), there, strict=True))
        a, b = (self._as_left(arm, content) for arm, content in enumerate((a, b)))
        name = key_name(key)
        try:
            if is_variable(key) and not (is_bound(a) and is_bound(b)):
                return self._half_bound(name, a, b, there)
            if isinstance(key, ListRef):
                return self._items(name, a, b)
            if isinstance(key, DictRef) and (not is_callers(key) or is_late(self.interp, key)):
                return self.join(name, *self.in_common(key, name, a, b))
            self._require_one(key, a, b)
            self._require_had(key, a, b)
            return self.join(name, a, b)
        except Unjoinable as reason:
            conflict = self._unlike_on_paths(name, a, b, reason)
            if isinstance(key, DictRef) and isinstance(a, dict) and isinstance(b, dict):
                note_unknown_order(self.interp, key.made_at)
            lacking = is_callers_name(key) and (a is ABSENT or b is ABSENT)
            if not lacking and self._is_told_apart(name, a, b):
                conflict.cases = self._cases(name, a, b, there)
            if is_place(self.interp, key):
                self._write_in_arms(key, conflict)
            elif key in self.interp.changed:
                self._freeze_in_arms(key, conflict)
            return conflict

    def _as_left(self, arm: int, content: Abstract) -> Abstract:
        """What an arm leaves: none of the cases in which the other one is taken."""
        if not isinstance(content, Conflict) or content.cases is None:
            return content
        if arm not in self.assumed:
            self.assumed[arm] = self.interp.assumed | implied(self.predicate, arm == 0)
        return narrowed(content, self.assumed[arm])

    def _unlike_on_paths(self, name: str, a: Abstract, b: Abstract, reason: Unjoinable) -> Conflict:
        """The conflict of a name, told by what is one of several on a path already, if any is."""
        for content in (a, b):
            if isinstance(content, Conflict) and content.cases is not None:
                return replace(
                    content, name=name, predicate=self.predicate, cases=None, written=False
                )
        text = f"{called(name)} differs between two paths: {reason}"
        made = Conflict(name, text, self.interp.span, predicate=self.predicate)
        made.hint, made.of_texts = reason.hint, differ_in_texts(a, b)
        return made

    def _reached(self) -> There:
        return self.arms[0].reached, self.arms[1].reached

    def _read_from(self, key: Key, a: Abstract, b: Abstract) -> There:
        """The arms that somebody may read a content from: a list that is still being made is read
        by nobody where the statement that makes it is left by an exception.
        """
        there = self._reached()
        exits = self.interp.collecting.get(key)
        if exits is not None and isinstance(a, tuple) and isinstance(b, tuple):
            left = [any(arm.heap.get(one) is True for one in exits) for arm in self.arms]
            if not all(left):
                return there[0] and not left[0], there[1] and not left[1]
        return there

    def _require_had(self, key: Key, a: Abstract, b: Abstract) -> None:
        """Refuse to join what the caller's objects and modules are given on one path only."""
        if not is_callers_name(key) or not all(arm.reached for arm in self.arms):
            return
        if self._is_lacking(key, a) is not self._is_lacking(key, b):
            raise Unjoinable(LACKING, "set it before, on both")

    def _is_lacking(self, key: Any, content: Abstract) -> bool:
        """Return whether a name is not bound, or an object has it of its class."""
        if content is ABSENT or not (isinstance(key, tuple) and isinstance(key[0], ObjectRef)):
            return content is ABSENT
        owner, name = key
        own = owner.live is None or name in own_attributes(owner.live)
        return not own and stands_at(self.interp, key, content)

    # Cases ----------------------------------------------------------------------------------------

    def _is_kept(self, key: Key, a: Abstract, b: Abstract) -> bool:
        kept = self.kept
        if kept is None or key not in kept.keys or not all(arm.reached for arm in self.arms):
            return False
        return same(a, kept.then) and same(b, kept.orelse)

    def _is_told_apart(self, name: str, *contents: Abstract) -> bool:
        if self.kept is not None or name in self.as_unions:
            return True
        return any(isinstance(c, Conflict) and c.cases is not None for c in contents)

    def _cases(self, name: str, a: Abstract, b: Abstract, there: There) -> Cases | None:
        """The contents that a name may have after either arm."""
        with meanwhile(self, told=dict(_views_in_cases(self.arms, (a, b)))):
            return self._found_cases(name, a, b, there)

    def _found_cases(self, name: str, a: Abstract, b: Abstract, there: There) -> Cases | None:
        entries: list[list[Abstract]] = []
        numbers: list[dict[int, int]] = []
        for arm, content in enumerate((a, b)):
            if not there[arm]:
                numbers.append({})
                continue
            numbers.append(
                {n: self._entry(entries, arm, c) for n, c in contents_of(content).items()}
            )
        contents = [then if orelse is NOTHING else orelse for then, orelse in entries]
        if are_too_many(contents, self.interp.policy.may_tell_texts()):
            return None
        try:
            made = {n: self._case(name, *entry) for n, entry in enumerate(entries)}
        except Unjoinable:
            return None
        whichs = [self._in_arm(k, which_of, c, numbers[k]) for k, c in enumerate((a, b))]
        return Cases(self._out(f"{name}_case", *whichs), made)

    def _entry(self, entries: list[list[Abstract]], arm: int, content: Abstract) -> int:
        """The number of the case that a content of an arm belongs to."""
        for number, entry in enumerate(entries):
            if entry[arm] is NOTHING and self._join_well(entry[1 - arm], content):
                entry[arm] = content
                return number
        entries.append(list(_order(arm, content, NOTHING)))
        return len(entries) - 1

    def _join_well(self, a: Abstract, b: Abstract) -> bool:
        """Return whether the contents of the two arms, in order, become one number or array.

        So do tuples and dicts of such, and of what is the same.
        """
        if same(a, b):
            return True
        if isinstance(a, tuple) and type(a) is type(b) and len(a) == len(b):
            return all(map(self._join_well, a, b))
        if isinstance(a, dict) and isinstance(b, dict) and list(a) == list(b):
            return all(map(self._join_well, a.values(), b.values()))
        try:
            if is_number(a) and is_number(b):
                first, second = (self._number_in(k, c) for k, c in enumerate((a, b)))
            elif self._is_new(a) and self._is_new(b):
                first, second = (self._tried(k, c) for k, c in enumerate((a, b)))
            else:
                return False
            meet(first.type, second.type, "case")
        except (Unjoinable, ConflictRead):
            return False
        return True

    def _is_new(self, content: Abstract) -> bool:
        return isinstance(content, Array) and content.storage.serial >= self.since

    def _case(self, name: str, a: Abstract, b: Abstract) -> Abstract:
        a, b = (ABSENT if content is NOTHING else content for content in (a, b))
        return ABSENT if a is b is ABSENT else self.join(name, a, b)

    def _require_one(self, key: Key, a: Abstract, b: Abstract) -> None:
        """A place of the caller's must not be set to a copy of what is the caller's."""
        if same(a, b) or not is_place(self.interp, key):
            return
        refs: list[Location] = [c for c in (a, b) if isinstance(c, ListRef | DictRef)]
        written = self.arms[0].heap.written | self.arms[1].heap.written
        refs += [c.storage for c in (a, b) if isinstance(c, Array) and c.storage in written]
        if any(map(is_callers, refs)):
            hint = "bind a local name on the paths, and set this at the end: to a copy, list(...)"
            raise Unjoinable("one object in one branch, another one in the other", hint)

    def _write_in_arms(self, key: Key, conflict: Conflict) -> None:
        """Set a place of the caller's on each path, where its contents do not join."""
        interp = self.interp
        found = [(arm, arm.heap.get(key)) for arm in self.arms if arm.reached]
        changed = [
            (arm, content)
            for arm, content in found
            if content is not ABSENT
            and not (
                stands_at(interp, key, content) and is_written_back(interp, arm.heap, key, content)
            )
        ]
        for arm, content in changed:
            if isinstance(content, Conflict):
                if content.written:
                    continue
                return
            if not is_written_back(interp, arm.heap, key, content):
                with building(Builder(arm.nodes, interp.span)), meanwhile(interp, heap=arm.heap):
                    write_place(interp, key, content)
            reason = f"{called(key_name(key))} is set on one path to what is written afterwards"
            arm.heap.freeze(content, replace(conflict, reason=reason, aliasing=True, cases=None))
        conflict.written = True

    def _freeze_in_arms(self, key: Key, conflict: Conflict) -> None:
        """What a container of the caller's holds is not written when the paths have joined."""
        for arm in self.arms:
            arm.heap.freeze(arm.heap.get(key), replace(conflict, aliasing=True, cases=None))

    def _half_bound(self, name: str, a: Abstract, b: Abstract, there: There) -> Abstract:
        """A variable that is not bound on all paths."""
        content = self.join(name, content_of_maybe(a), content_of_maybe(b))
        if isinstance(content, Conflict):
            return content
        if not all(there):
            return self._as_bound_in(0 if there[0] else 1, a if there[0] else b, content)
        if is_bound(a) and b is ABSENT:
            return PossiblyUnbound(content, lambda: self.predicate, (self.predicate, True))
        if is_bound(b) and a is ABSENT:
            return PossiblyUnbound(
                content, lambda: opposite(self.predicate), (self.predicate, False)
            )
        flags = [self._in_arm(k, bound_flag, content) for k, content in enumerate((a, b))]
        flag = self._out(f"{name}_bound", *flags)
        return PossiblyUnbound(content, lambda: flag, (flag, True))

    def _as_bound_in(self, arm: int, known: Abstract, content: Abstract) -> Abstract:
        """A content of the only path that has it."""
        is_maybe = isinstance(known, PossiblyUnbound)
        return self._bound_as(arm, known, content) if is_maybe else content

    def _bound_as(self, arm: int, known: PossiblyUnbound, content: Abstract) -> PossiblyUnbound:
        """A content that is bound where it is in an arm."""
        flag = self._in_arm(arm, bound_flag, known)
        false = self._in_arm(1 - arm, constant, False)
        out = self._out("bound", *_order(arm, flag, false))
        return PossiblyUnbound(content, lambda: out, (out, True))

    def unchanged(self, name: str, a: Abstract, b: Abstract) -> Abstract:
        return self.one_of_several(name, a) if a is not b else a

    def of_conflict(self, conflict: Conflict, side: int) -> Abstract:
        if conflict.written:
            raise Unjoinable("it was set on other paths")
        if conflict.cases is not None:
            raise Unjoinable("it is one of several on a path")
        return conflict

    # Numbers and arrays ---------------------------------------------------------------------------

    def number(self, name: str, a: Abstract, b: Abstract) -> Value:
        if a is ABSENT:
            return self._out(name, self._in_arm(0, emit_undefined, b.type), b)
        if b is ABSENT:
            return self._out(name, a, self._in_arm(1, emit_undefined, a.type))
        values = self._number_in(0, a), self._number_in(1, b)
        if values[0].type != values[1].type:
            values = self._told(0, values[0]), self._told(1, values[1])
        return self._out(name, *values)

    def _told(self, arm: int, value: Value) -> Value:
        """A number, as an integer where it is known in the arm to be one."""
        assumed = self.interp.assumed | implied(self.predicate, arm == 0)
        told: Value = self._in_arm(arm, as_told, value, assumed)
        return told

    def _in_arm(self, arm: int, make: Callable[..., Any], *given: Any) -> Any:
        """What is made at the end of an arm."""
        with building(Builder(self.arms[arm].nodes, self.interp.span)):
            return make(*given)

    def _number_in(self, arm: int, content: Abstract) -> Value:
        if isinstance(content, Value):
            return content
        if is_text(content):
            lifted_: Value = self._in_arm(arm, lifted, self.arms[arm].heap, content)
            return lifted_
        value: Value = self._in_arm(arm, constant, content)
        return value

    def _out(self, name: str, a: Value, b: Value) -> Value:
        known = self.values.get((a, b))
        if known is None:
            known = self._predicate_as(a, b) or self._new_out(name, a, b)
            self.values[a, b] = known
        return known

    def _predicate_as(self, a: Value, b: Value) -> Value | None:
        """The predicate itself, or its opposite, where one path gives True and the other False."""
        truths = constant_value(a), constant_value(b)
        if not a.type == b.type == BOOL or truths not in ((True, False), (False, True)):
            return None
        return self.predicate if truths[0] else opposite(self.predicate)

    def _new_out(self, name: str, a: Value, b: Value) -> Value:
        out = Value(a.type, None, written(name))
        out.type = meet(a.type, b.type, f"%{out.number}")
        a, b = (self._in_arm(arm, as_type, value, out.type) for arm, value in enumerate((a, b)))
        self.outs.append((a, b, out))
        return out

    def array(self, name: str, a: Abstract, b: Abstract) -> Array:
        key = a, b, *(self._case_of(arm, content) for arm, content in enumerate((a, b)))
        known = self.arrays.get(key)
        if known is None:
            known = self.arrays[key] = self._new_array(name, a, b)
        return known

    def _case_of(self, arm: int, content: Abstract) -> tuple[Value, int] | None:
        """In which case alone a view is read: another one's is undefined where this is not."""
        told = self.told.get((arm, content)) if isinstance(content, Array) else None
        return None if told is None else (told[0].which, told[1])

    def _new_array(self, name: str, a: Abstract, b: Abstract) -> Array:
        lost = self._lost_in_an_arm(a, b)
        if lost is not None:
            return self._merged_array(name, a, b, lost)
        values = [self._read(k, c) if isinstance(c, Array) else c for k, c in enumerate((a, b))]
        if a is ABSENT or b is ABSENT:
            return self._merged_array(name, a, b, self.number(name, *values))
        if not all(isinstance(v, Value) and is_array(v.type) for v in values):
            return self._either(name, a, b)
        if name in self.as_unions and not (self._is_new(a) and self._is_new(b)):
            raise Unjoinable("one array in one branch, another one in the other")
        return self._merged_array(name, a, b, self._out(name, *values))

    def _lost_in_an_arm(self, a: Abstract, b: Abstract) -> Conflict | None:
        """Why an array is not known any more on a path: no reason not to go on without it."""
        for arm, content in zip(self.arms, (a, b), strict=True):
            found = arm.heap.get(content.storage) if isinstance(content, Array) else None
            if isinstance(found, Conflict):
                return found
        return None

    def _merged_array(self, name: str, a: Abstract, b: Abstract, joined: Abstract) -> Array:
        """The array that is another one in each arm."""
        array = Array(Storage(name))
        self.heap.set(array.storage, joined)
        then, orelse = (c.storage if isinstance(c, Array) else None for c in (a, b))
        self.merged.append(Merged(array.storage, (then, orelse), name))
        return array

    def _either(self, name: str, a: Abstract, b: Abstract) -> Array:
        """What is a number on one path and an array of rank 0 on the other: its value is read."""
        values = [self._element(arm, content) for arm, content in enumerate((a, b))]
        then, orelse = values
        reason = f"{describe(a)} in one branch, {describe(b)} in the other"
        if then is None or orelse is None or name in self.as_unions:
            raise Unjoinable(reason)
        array = self._merged_array(name, a, b, self._out(name, then, orelse))
        text = f"{called(name)} differs between two paths: {reason}"
        conflict = Conflict(name, text, self.interp.span, predicate=self.predicate)
        self.heap.frozen[array.storage] = conflict
        return array

    def _element(self, arm: int, content: Abstract) -> Value | None:
        """A number's value, or the one element of an array of rank 0."""
        if is_number(content):
            return self._number_in(arm, content)
        if not isinstance(content, Array):
            return None
        value = self._read(arm, content)
        if not isinstance(value.type, ArrayType) or value.type.shape:
            return None
        element: Value = self._in_arm(arm, index_of, value, ()) if is_array(value.type) else value
        return element

    def _read(self, arm: int, array: Array) -> Value:
        told = self.told.get((arm, array))
        with building(Builder(self.arms[arm].nodes, self.interp.span)):
            if told is None:
                return self.arms[arm].heap.read(array)
            there, absent = Builder(span=self.interp.span), Builder()
            value = self._tried(arm, array, there)
            with building(absent):
                missing = emit_undefined(value.type)
            blocks = Block((), there.nodes, (value,)), Block((), absent.nodes, (missing,))
            return emit_cond(is_case(*told), *blocks).result

    def _tried(self, arm: int, array: Array, apart: Builder | None = None) -> Value:
        """What an array holds after an arm, read apart from what the arm does."""
        heap = self.arms[arm].heap.copy()
        heap.views = {}
        with building(Builder() if apart is None else apart):
            return heap.read(array)

    # Half defined, containers ---------------------------------------------------------------------

    def half(self, name: str, a: Abstract, b: Abstract) -> Abstract:
        arm, content = (1, b) if a is ABSENT else (0, a)
        holder = holder_of(content)
        if holder is not None:
            return self._holder_on_one_path(name, arm, content, holder)
        if is_programs(content) and born(content) >= self.since:
            return self.held(name, *_order(arm, content, None))
        if isinstance(content, Value):
            return self.number(name, a, b)
        if isinstance(content, Columns):
            return self.half_columns(name, a, b)
        if isinstance(content, Array) and not self.is_outside(content):
            return self.array(name, a, b)
        return self._half_static(content)

    def _holder_on_one_path(
        self, name: str, arm: int, content: Abstract, holder: Holder
    ) -> Abstract:
        """A tuple, a function …; a function is one for all its names."""
        if isinstance(content, Closure) and (arm, content) in self.functions:
            return self.functions[arm, content]
        other = shown_anyhow if isinstance(content, StagedText) else lambda part: ABSENT
        parts = tuple(self.join(name, *_order(arm, part, other(part))) for part in holder.parts)
        made = content if same(holder.parts, parts) else holder.made_of(parts)
        if isinstance(content, Closure):
            self.functions[arm, content] = made
        return made

    def _half_static(self, content: Abstract) -> Abstract:
        """Static, or a handle: reading it where it is unbound is the user's error."""
        if isinstance(content, Generator | Iterable) or born(content) >= self.since:
            raise Unjoinable(f"{describe(content)} on one path only")
        return content

    def join_part(self, name: str, whole: Abstract, a: Abstract, b: Abstract) -> Abstract:
        if isinstance(whole, Closure) and name in self.as_unions:
            raise Unjoinable("one function in one branch, another one in the other")
        return self.join(name, a, b)

    def unlike(self, a: Abstract, b: Abstract) -> Unjoinable:
        if isinstance(a, tuple) and isinstance(b, tuple):
            return Unjoinable(f"a tuple of {len(a)} in one branch, of {len(b)} in the other")
        if isinstance(a, dict) and isinstance(b, dict):
            keys = f"{list(a)} in one branch, {list(b)} in the other"
            return Unjoinable(f"a dict with keys {keys}")
        return Unjoinable(f"{describe(a)} in one branch, {describe(b)} in the other")

    def which_differs(self, name: str) -> Conflict:
        text = f"which function {called(name)} is differs between two paths"
        hint = "keep a number that tells which it is"
        span, predicate = self.interp.span, self.predicate
        return Conflict(name, text, span, predicate=predicate, hint=hint)

    def is_list(self, a: Abstract, b: Abstract) -> bool:
        return False  # a tuple may not have another length: ``_items``

    def _items(self, name: str, a: Abstract, b: Abstract) -> Abstract:
        """What a list holds: unlike a tuple it may have another length in each arm."""
        if not same(a, b) and _are_of_lists(a, b):
            return self.staged_list(name, a, b)
        try:
            return self.join(name, a, b)
        except Unjoinable:
            if not self._differ_in_names(a, b):
                raise
        return self.staged_list(name, a, b)

    def _differ_in_names(self, a: Abstract, b: Abstract) -> bool:
        """Return whether lists as long as one another hold items that differ in texts."""
        if not isinstance(a, tuple) or not isinstance(b, tuple):
            return False
        sides = zip(self.arms, (a, b), strict=True)
        try:
            structures = [item_parts(arm.heap, item)[0] for arm, items in sides for item in items]
            return _are_unlike(structures) and self.are_names_told()
        except Unjoinable:
            return False

    def texts(self, side: int, text: str, beside: Any) -> Any:
        if not isinstance(beside, Value):
            return super().texts(side, text, beside)
        arm = self.arms[side]
        with building(Builder(arm.nodes, self.interp.span)):
            return list_filled(lifted(arm.heap, text), list_length(beside), type=ListType(TEXT))

    def table(self, content: Abstract, side: int) -> Table | None:
        if isinstance(content, tuple):
            heap = self.arms[side].heap
            freeze_items(heap, content, self.interp.span)
            return columns_from(heap, content, self.are_names_told) if content else None
        table = columns_of(content)
        return table.structure, list(table.values)

    def column(self, name: str, a: Abstract, b: Abstract) -> Value:
        types = [self._element_types(arm, content) for arm, content in enumerate((a, b))]
        known = [*types[0], *types[1]]
        element = known[0]
        for type_ in known[1:]:
            element = meet_in_list(element, type_, own_symbol())
        values = [self._as_list(arm, c, ListType(element)) for arm, c in enumerate((a, b))]
        return self._out(name, *values)

    def _element_types(self, arm: int, content: Abstract) -> list[Type]:
        if isinstance(content, Value):
            return [content.type.element] if isinstance(content.type, ListType) else []
        found: list[Type] = []
        for item in content:
            if isinstance(item, Array):
                found.append(self._read(arm, item).type)
            elif is_text(item):
                found.append(TEXT)
            elif is_number(item):
                found.append(self._number_in(arm, item).type)
            else:
                raise Unjoinable(f"a list of {describe(item)} has different lengths")
        return found

    def _as_list(self, arm: int, content: Abstract, type_: ListType) -> Value:
        heap, span = self.arms[arm].heap, self.interp.span
        with building(Builder(self.arms[arm].nodes, span)):
            if isinstance(content, Value):
                return as_type(content, type_)
            items = [leaf_value(heap, item, type_.element, span) for item in content]
            made: Value = list_new(*items, type=type_)
        return made

    def held(self, name: str, a: Any, b: Any) -> Ref:
        """A new list, dict or object for what is another in each arm (None where there is none)."""
        known = self.refs.get((a, b))
        if known is None:
            known = _like(a, b)
            before = [ref for ref in (a, b) if ref is not None and born(ref) < self.since]
            if isinstance(known, Scope):
                self._require_one_activation(a, b)
            elif name in self.as_unions and before:
                raise Unjoinable(f"one {_KIND[type(known)]} in one branch, another in the other")
            contents = [
                ABSENT if ref is None else arm.heap.joined(ref)
                for arm, ref in zip(self.arms, (a, b), strict=True)
            ]
            if not isinstance(known, Scope):
                self.merged.append(Merged(known, (a, b), name))
            before_it = len(self.refs), len(self.functions)
            self.refs[a, b] = known
            try:
                self._fill(name, known, contents)
            except Unjoinable:  # what was made within it may hold it
                _shorten(self.refs, before_it[0])
                _shorten(self.functions, before_it[1])
                raise
        return known

    def _fill(self, name: str, known: Ref, contents: list[Abstract]) -> None:
        """Join what a list, a dict or an object holds in each arm."""
        if isinstance(known, ObjectRef | Scope):
            self._merge_names(name, known, contents)
        else:
            self.heap.set(known, self._inside(name, known, *contents))

    def _inside(self, name: str, known: ListRef | DictRef, a: Abstract, b: Abstract) -> Abstract:
        """What a list or a dict holds; in cases where it is that on the only path that has it."""
        there = a is not ABSENT, b is not ABSENT
        if not all(there) and any(isinstance(content, Conflict) for content in (a, b)):
            return self.join_or_conflict(known, a, b, there)
        if isinstance(known, ListRef):
            return self._items(name, a, b)
        return self.join(name, *self.in_common(known, name, a, b))

    def _require_one_activation(self, a: Scope | None, b: Scope | None) -> None:
        """Refuse what would become two activations of one: each binds names of its own anew."""
        for mine, others in zip((a, b), zip(*self.refs, strict=True), strict=False):
            if mine is not None and mine in others and rebinds(mine.node):
                raise Unjoinable("functions that bind the same names anew")
        if any(s is not None and rebinds(s.node) and born(s) < self.since for s in (a, b)):
            raise Unjoinable("a function that binds the names of another one anew")

    def _merge_names(self, name: str, ref: ObjectRef | Scope, contents: list[Any]) -> None:
        """What an object or an activation holds; ABSENT for the path on which there is none."""
        then, orelse = ({} if content is ABSENT else content for content in contents)
        there = contents[0] is not ABSENT, contents[1] is not ABSENT
        for inner in dict.fromkeys((*then, *orelse)):
            parts = then.get(inner, ABSENT), orelse.get(inner, ABSENT)
            if inner == PARENT:
                content = self.join(name, *parts)
            else:
                content = self.join_or_conflict((ref, inner), *parts, there)
            self.heap.hold(ref, {inner: content})


def _views_in_cases(
    arms: Sequence[Arm], contents: Sequence[Abstract]
) -> Iterator[tuple[tuple[int, Abstract], Case]]:
    """Which views are there in a case of a name only, and which it is.

    Another name may be the same view on all paths: this holds for the name alone.
    """
    for arm, content in enumerate(contents):
        if not isinstance(content, Conflict) or content.cases is None:
            continue
        for number, found in content.cases.contents.items():
            if isinstance(found, Array) and found.lenses:
                base = arms[arm].heap.get(found.storage)
                if isinstance(base, Value) and may_be_undefined(base):
                    yield (arm, found), (content.cases, number)


def _are_unlike(structures: list[Structure]) -> bool:
    """Return whether structures of items are the same but for texts, and not without."""
    unlike = [other for other in structures if not same_structure(other, structures[0])]
    return bool(unlike) and all(with_texts_as_leaves(structures[0], other) for other in unlike)


def _are_of_lists(a: Abstract, b: Abstract) -> bool:
    """Return whether two contents of lists are of different lengths, or of staged length."""
    contents = [c for c in (a, b) if type(c) is tuple]
    staged = [
        c
        for c in (a, b)
        if isinstance(c, Columns) or (isinstance(c, Value) and isinstance(c.type, ListType))
    ]
    if len(staged) == 2:
        return isinstance(a, Columns)
    if len(contents) == 2:
        return len(a) != len(b) and len(a) + len(b) > 0
    return len(contents) == 1 and len(staged) == 1


def _like(a: Any, b: Any) -> Ref:
    """A new list, tuple, dict, object or activation of the kind that both are."""
    made = [another(ref) for ref in (a, b) if ref is not None]
    first, last = made[0], made[-1]
    if isinstance(first, ListRef) and isinstance(last, ListRef) and first.frozen != last.frozen:
        raise Unjoinable("a tuple in one branch, a list in the other")
    if isinstance(first, Scope) and isinstance(last, Scope) and first.node is not last.node:
        raise Unjoinable("functions that were defined in one function and in another")
    if isinstance(first, Scope) or isinstance(last, Scope):
        return first
    if first.type != last.type:
        names = f"{first.type.__name__} in one branch, {last.type.__name__}"
        raise Unjoinable(f"{names} in the other")
    return first


_KIND: dict[type, str] = {ListRef: "list", DictRef: "dict", ObjectRef: "object"}


def _shorten(known: dict[Any, Any], length: int) -> None:
    while len(known) > length:
        known.popitem()


def _order(arm: int, content: Any, other: Any) -> tuple[Any, Any]:
    return (content, other) if arm == 0 else (other, content)
