"""The lattice of contents, and the join of two of them.

Where two paths meet, and at a loop's head, where the loop's entry meets the end of a turn, each
name holds the join of what it holds on either side. From the bottom of the lattice to its top:

    unbound             nothing on this side
    known               the same on both sides: a constant, a function, an array from before
    number              a new IR value, of a type that both have (``meet``); a part of an array from
                        before at another index is that part, at new indices
    array               a new storage that holds such a value
    made of parts       a tuple, a dict, a function, a method: of the same kind, each part joined
    list, dict, object  a new one that holds the join; a list whose length differs is staged, one IR
                        value for each column of its items
    possibly unbound    a content, and a staged bool: whether the name is bound
    union               one of several contents, and a staged int: which of them
    conflict            what has no common form; an error where it is read

``Join`` takes two contents apart down to where they differ. What stands there is said by its two
subclasses: the results of a branch (``join``), or the parameters of a loop (``carries``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from symdiff.ir.control import join_types
from symdiff.ir.graph import FreeVariable, Value
from symdiff.ir.structure import Structure, is_leaf, is_of_own_class
from symdiff.ir.types import INT, TEXT, ArrayType, ListType, Size, Type, open_symbols, takes
from symdiff.ops.casts import result_dtype
from symdiff.ops.index import index_of
from symdiff.ops.lists import list_new
from symdiff.parse.heap import (
    Heap,
    Key,
    as_type,
    constant,
    is_array,
    is_callers,
    is_list_of_integers,
    is_programs,
    same,
)
from symdiff.parse.holders import are_alike, holder_of, one_of_several
from symdiff.parse.indexed import alike_but_for_indices, at_indices, indices, is_indexed
from symdiff.parse.named_items import leaves_in, with_texts_as_leaves
from symdiff.parse.run_time_texts import is_text, lifted
from symdiff.parse.some_entries import in_common
from symdiff.parse.staged_lists import content_of, leaf_value
from symdiff.parse.trees import same_structure
from symdiff.parse.values import (
    ABSENT,
    ARRAY,
    DICT,
    LIST,
    RAISED,
    RETURNED,
    Abstract,
    Array,
    Columns,
    Conflict,
    DictRef,
    ListRef,
    ObjectRef,
    PossiblyUnbound,
    Scope,
    SomeEntries,
    Storage,
    Token,
    Unjoinable,
    Unnamed,
)
from symdiff.source import SourceSpan

_KINDS = ("python", "scalar", "array")

Table = tuple[Structure, list[Any]]  # a list: the structure of its items, and their columns


def meet(a: Type, b: Type, symbol: str) -> Type:
    """The type of a value that has one type on one path and another on the other.

    A Python number has the dtype that it takes beside the other: ``t = 0.0`` is of float32 in a
    loop that adds elements of float32 to it.
    """
    if isinstance(a, ArrayType) and isinstance(b, ArrayType) and not a.shape and not b.shape:
        kind = max(a.kind, b.kind, key=_KINDS.index)
        return ArrayType(result_dtype(a, b), (), kind)
    if is_list_of_integers(a) or is_list_of_integers(b):
        return _list_met(a, b, symbol)
    try:
        return join_types(a, b, symbol)
    except TypeError as error:
        raise Unjoinable(str(error)) from None


def _list_met(a: Type, b: Type, symbol: str) -> ListType:
    if not isinstance(a, ListType) or not isinstance(b, ListType):
        raise Unjoinable(f"{a} in one branch, {b} in the other")
    return ListType(meet_in_list(a.element, b.element, symbol))


def meet_in_list(a: Type, b: Type, symbol: str) -> Type:
    """The type of two elements of one list: Python's numbers keep theirs in an array of it."""
    if isinstance(a, ArrayType) and isinstance(b, ArrayType) and a.weak != b.weak:
        a, b = (replace(one, kind="scalar") if one.weak else one for one in (a, b))
    return meet(a, b, symbol)


def own_symbol() -> str:
    """A name that no other size has."""
    return f"%{Value(INT).number}"


def met(
    a: Type, b: Type, varying: set[str], meet: Callable[[Type, Type, str], Type] = meet
) -> Type:
    """The type of both; the symbols of the sizes in which they differ are added to ``varying``."""
    symbol = own_symbol()
    type_ = meet(a, b, symbol)
    varying.update(s for s in open_symbols(type_) if s.startswith(f"{symbol}."))
    return type_


def is_number(content: Abstract) -> bool:
    """Return whether a content is staged or may be: not an ``IntEnum``'s member, or another object
    of a class of numbers, which are told apart.
    """
    return isinstance(content, Value) or (is_leaf(content) and not is_of_own_class(content))


def _meet_as_texts(a: Abstract, b: Abstract) -> bool:
    """Return whether contents are texts, told at run time, that are not one f-string of others."""
    known = isinstance(a, str) and isinstance(b, str)
    return is_text(a) and is_text(b) and not known and not are_alike(a, b)


def differ_in_texts(a: Abstract, b: Abstract) -> bool:
    """Return whether contents are two known texts, or made of parts of which two are."""
    if type(a) is str and type(b) is str:
        return a != b
    return are_alike(a, b) and any(map(differ_in_texts, parts_in(a), parts_in(b)))


LACKING = "it is not there before, and not all paths set it"


def is_variable(key: Key) -> bool:
    """Return whether a heap key is a name of a function, or an attribute of an object made here."""
    if not isinstance(key, tuple):
        return False
    owner = key[0]
    return isinstance(owner, Scope) or (isinstance(owner, ObjectRef) and not is_callers(owner))


def is_callers_name(key: Key) -> bool:
    """Return whether a heap key is a variable, or an attribute of an object, that the caller
    sees.
    """
    owner = key[0] if isinstance(key, tuple) else key
    if isinstance(owner, ObjectRef):
        return isinstance(key, tuple) and is_callers(owner)
    return isinstance(owner, FreeVariable)


def is_bound(content: Abstract) -> bool:
    """Return whether a name is bound on all paths that lead here."""
    return content is not ABSENT and not isinstance(content, PossiblyUnbound)


def content_of_maybe(content: Abstract) -> Abstract:
    """What a name holds where it is bound."""
    return content.content if isinstance(content, PossiblyUnbound) else content


def bound_flag(content: Abstract) -> Value:
    """Return whether a name is bound, as a staged bool."""
    return (
        content.bound() if isinstance(content, PossiblyUnbound) else constant(content is not ABSENT)
    )


def key_name(key: Key) -> str:
    """The user's name for what stands under a heap key."""
    if isinstance(key, Storage):
        return key.name or ARRAY
    if isinstance(key, tuple):
        if isinstance(key[0], Token) and isinstance(key[1], int):  # where a ``try`` keeps it
            return RAISED
        users = isinstance(key[0], Scope | ObjectRef)
        return RETURNED if key[1] == RETURNED and not users else str(key[1])
    if isinstance(key, ListRef | DictRef):
        return (LIST if isinstance(key, ListRef) else DICT).held_by(key.name)
    return getattr(key, "name", LIST)


def fits(head: Type, end: Type, varying: Collection[str]) -> bool:
    """Return whether a turn's result fits a parameter: equal, or of sizes that it leaves open.

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


def lift_as(content: Abstract, type_: Type, heap: Heap, span: SourceSpan | None) -> Value:
    """The IR value of a content where one of a wider type is expected."""
    if isinstance(content, Array):
        value = heap.read(content)
        return value if is_array(type_) or not is_array(value.type) else index_of(value, ())
    if type_ == TEXT:
        return lifted(heap, content)
    if isinstance(type_, ListType) and isinstance(content, tuple):
        items = [leaf_value(heap, item, type_.element, span) for item in content]
        return list_new(*items, type=type_)
    value = content if isinstance(content, Value) else constant(content)
    return as_type(value, type_)


def of_one_kind(a: Abstract, b: Abstract) -> bool:
    """Return whether two contents are lists, dicts, staged tuples, or objects of one class.

    Or activations of one function.
    """
    if not (is_programs(a) and is_programs(b)) or type(a) is not type(b):
        return False
    if isinstance(a, Scope):
        return a.node is b.node
    return a.type is b.type and getattr(a, "frozen", None) == getattr(b, "frozen", None)


class Join(ABC):
    """Joins contents pairwise; ABSENT stands for a side on which there is nothing.

    ``since``: handles born before it have been there on both sides. ``as_unions``: names that are
    kept as unions where their contents would otherwise be merged. ``as_texts``: names whose texts
    are known at run time only where two paths have known ones. ``are_names_told``: whether items of
    lists that differ in texts are of one form.
    """

    since: int
    as_unions: Collection[str]
    as_texts: Collection[str]
    are_names_told: Callable[[], bool]

    def join(self, name: str, a: Abstract, b: Abstract) -> Abstract:
        """One content for what is ``a`` on one side and ``b`` on the other."""
        if same(a, b):
            return self.unchanged(name, a, b)
        if isinstance(a, Conflict):
            return self.of_conflict(a, 0)
        if isinstance(b, Conflict):
            return self.of_conflict(b, 1)
        if self._is_part(a, b):
            return self._part(a, b)
        if a is ABSENT or b is ABSENT:
            return self.half(name, a, b)
        if is_number(a) and is_number(b):
            return self.number(name, a, b)
        if _meet_as_texts(a, b):
            return self.number(name, a, b)
        if name in self.as_texts and type(a) is str and type(b) is str:
            return self.number(name, a, b)
        if all(is_number(content) or isinstance(content, Array) for content in (a, b)):
            return self.array(name, a, b)
        return self._structure(name, a, b)

    def _structure(self, name: str, a: Abstract, b: Abstract) -> Abstract:
        """The join of two lists, dicts, functions …"""
        if self.is_list(a, b):
            return self.staged_list(name, a, b)
        if are_alike(a, b):
            return self._made_of_parts(name, a, b)
        if is_programs(a) and is_programs(b) and type(a) is type(b):
            return self.held(name, a, b)
        raise self.unlike(a, b)

    # What subclasses say --------------------------------------------------------------------------

    @abstractmethod
    def unchanged(self, name: str, a: Abstract, b: Abstract) -> Abstract:
        """What is the same on both sides."""

    @abstractmethod
    def of_conflict(self, conflict: Conflict, side: int) -> Abstract:
        """What did not join on a side."""

    @abstractmethod
    def half(self, name: str, a: Abstract, b: Abstract) -> Abstract:
        """What is there on one side only."""

    @abstractmethod
    def number(self, name: str, a: Abstract, b: Abstract) -> Value:
        """A new IR value for two numbers; one may be absent."""

    @abstractmethod
    def array(self, name: str, a: Abstract, b: Abstract) -> Array:
        """A new array for two, or for an array and a number."""

    @abstractmethod
    def held(self, name: str, a: Any, b: Any) -> Abstract:
        """A new list, dict, object or activation for two of one kind."""

    @abstractmethod
    def is_list(self, a: Abstract, b: Abstract) -> bool:
        """Return whether two contents are of lists of different or staged length."""

    @abstractmethod
    def table(self, content: Abstract, side: int) -> Table | None:
        """What a list holds, taken apart; None of an empty one."""

    @abstractmethod
    def column(self, name: str, a: Abstract, b: Abstract) -> Value:
        """A new IR value of list type for a column of a list: a staged one, or items."""

    @abstractmethod
    def which_differs(self, name: str) -> Conflict:
        """The conflict where it is asked which function a name stands for."""

    @abstractmethod
    def unlike(self, a: Abstract, b: Abstract) -> Unjoinable:
        """Two contents of different kinds."""

    # Contents with parts --------------------------------------------------------------------------

    def _is_part(self, a: Abstract, b: Abstract) -> bool:
        """Return whether both are one part of an array from before, at indices known at run
        time.
        """
        content = b if a is ABSENT else a
        if not is_indexed(content) or content.storage.serial >= self.since:
            return False
        return a is ABSENT or b is ABSENT or alike_but_for_indices(a, b)

    def _part(self, a: Abstract, b: Abstract) -> Array:
        array = b if a is ABSENT else a
        absent = [ABSENT] * len(indices(array))
        columns = [absent if content is ABSENT else indices(content) for content in (a, b)]
        return at_indices(array, [self.number("", x, y) for x, y in zip(*columns, strict=True)])

    def is_outside(self, array: Array) -> bool:
        """Return whether an array, or what it is a fixed part of, has been there before."""
        fixed = not any(lens.operands for lens in array.lenses)
        return fixed and array.storage.serial < self.since

    def in_common(
        self, ref: DictRef, name: str, a: Abstract, b: Abstract
    ) -> tuple[Abstract, Abstract]:
        """What a dict holds on either side, by the keys of both: an entry may be there on one side
        only. Not of a dict that has something for every key, such as a Counter.
        """
        some = any(isinstance(content, SomeEntries) for content in (a, b))
        if hasattr(ref.type, "__missing__") or (not some and name not in self.as_unions):
            return a, b
        return in_common(a, b) or (a, b)

    def join_part(self, name: str, whole: Abstract, a: Abstract, b: Abstract) -> Abstract:
        """The join of a part of two tuples, functions …"""
        return self.join(name, a, b)

    def _made_of_parts(self, name: str, a: Abstract, b: Abstract) -> Abstract:
        """What is made of the joins of its parts; ``a`` may be absent."""
        holder = holder_of(b)
        assert holder is not None
        others = (ABSENT,) * len(holder.parts) if a is ABSENT else parts_in(a)
        keys = b if isinstance(b, dict) else range(len(holder.parts))
        names = [name.part(key) if isinstance(name, Unnamed) else name for key in keys]
        parts = zip(names, others, holder.parts, strict=True)
        made = holder.made_of(tuple(self.join_part(own, b, x, y) for own, x, y in parts))
        return self.one_of_several(name, made)

    def one_of_several(self, name: str, content: Abstract) -> Abstract:
        """A content, which is another function on each side if it is a function."""
        return one_of_several(content, self.which_differs(name))

    def half_columns(self, name: str, a: Abstract, b: Abstract) -> Columns:
        """A list of staged length that is there on one side only, in new IR values."""
        content = b if a is ABSENT else a
        columns = ((value, ABSENT) if b is ABSENT else (ABSENT, value) for value in content.values)
        return Columns(content.structure, tuple(self.number(name, *pair) for pair in columns))

    def staged_list(self, name: str, a: Abstract, b: Abstract) -> Value | Columns:
        """What a list holds whose length differs: from here on it is known at run time only."""
        tables = [self.table(content, side) for side, content in enumerate((a, b))]
        known = [table for table in tables if table is not None]
        structure = known[0][0]
        for other, _ in known[1:]:
            structure = self.structure_of_both(structure, other)
        columns = [self._columns(side, table, structure) for side, table in enumerate(tables)]
        empty: list[Any] = [()] * max(map(len, columns))
        pairs = zip(*(found or empty for found in columns), strict=True)
        return content_of(structure, [self.column(name, x, y) for x, y in pairs])

    def structure_of_both(self, a: Structure, b: Structure) -> Structure:
        """The structure of items of both; of those that differ in texts, as the policy tells."""
        wide = a if same_structure(a, b) else with_texts_as_leaves(a, b)
        if wide is None:
            raise Unjoinable("lists of items of different structure")
        if wide is not a and not self.are_names_told():
            raise Unjoinable("lists of items that differ in texts")
        return wide

    def _columns(self, side: int, table: Table | None, structure: Structure) -> list[Any]:
        """The columns of one side in the structure of both."""
        if table is None:
            return []
        own, columns = table
        if same_structure(own, structure):
            return columns
        leaves = leaves_in(structure, own, columns)
        beside = columns[0]
        return [self.texts(side, c, beside) if isinstance(c, str) else c for c in leaves]

    def texts(self, side: int, text: str, beside: Any) -> Any:
        """A column of a text that is the same in all items, as long as another one."""
        if isinstance(beside, tuple):
            return (text,) * len(beside)
        raise Unjoinable("lists of items that differ in texts")


def parts_in(content: Abstract) -> tuple[Abstract, ...]:
    """The parts of a tuple, a function …"""
    holder = holder_of(content)
    assert holder is not None
    return holder.parts
