"""What the caller sees, and how it is written: variables, attributes, lists, dicts and arrays.

An ``Owner`` is what emitted code has for it. Where an object stays the one that stands there, only
what differs between two snapshots of it is written.
"""

from __future__ import annotations

import enum
import operator
from functools import partial
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import FreeVariable, Node, Op, Value
from symdiff.ir.structure import is_leaf, native_base
from symdiff.ops.effects import (
    Item,
    Member,
    Named,
    Places,
    given,
    opaque_call,
    set_attribute,
    set_item,
)
from symdiff.ops.index import index, index_add, index_set, key_of
from symdiff.ops.keys import Slot, renumbered
from symdiff.ops.lists import list_push, list_set
from symdiff.parse.heap import constant, is_array
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.opaque import Template, held_at, same_each_time, same_key
from symdiff.parse.snapshots import ArraySnapshot, agree, item_of
from symdiff.parse.staged_lists import is_staged_list
from symdiff.parse.values import Abstract, Array, DictRef, ListRef, Maybe, ObjectRef


@dataclass(frozen=True, slots=True)
class Owner:
    """What the caller sees written: an object that the program holds, or one that it is given.

    ``steps`` lead from it to what is in it: ``Member`` and a name, ``Item`` and a key. ``kind`` is
    its class: methods of the user's have been followed, so they are not called again to write.
    """

    target: Any  # a ``Named``, or an opaque ``Value``
    steps: tuple[tuple[Any, Any], ...] = ()
    kind: type = object

    def inside(self, step: Any, key: Any) -> Owner:
        """What is in it."""
        return Owner(self.target, (*self.steps, (step, key)))

    @property
    def operands(self) -> tuple[Value, ...]:
        return (self.target,) if isinstance(self.target, Value) else ()

    @property
    def template(self) -> Any:
        """Its template where it is the first of the operands that are numbered, if any."""
        made = Slot(0) if isinstance(self.target, Value) else self.target
        for part, key in self.steps:
            made = part(made, key)
        return made

    def written(self, op: Any, content: Value, *others: Value, **attributes: Any) -> None:
        """``owner.name = content``, ``owner[key] = content``."""
        op(content, *self.operands, *others, owner=self.template, **attributes)

    def called(self, name: str, template: Contents, *arguments: Any) -> None:
        """``owner.name(*arguments)``, a method of a list or dict."""
        plain = self.plainly(name)
        function: Any = Member(self.template, name)
        if plain is not None:
            function, arguments = plain, (self.template, *arguments)
        opaque_call(*template.operands, function=function, arguments=arguments, keywords=())

    def put(self, function: Any, key: Any, template: Contents, content: Any) -> None:
        """``function(owner, key, content)``."""
        named = function if isinstance(function, Named) else Named(function, function.__name__)
        arguments = (self.template, key, content)
        opaque_call(*template.operands, function=named, arguments=arguments, keywords=())

    def plainly(self, name: str) -> Named | None:
        """What ``object``, ``dict`` or ``list`` does under a name that the class has of its own."""
        native = native_base(self.kind)
        plain = getattr(native, name, None)
        if plain is None or getattr(self.kind, name) is plain:
            return None
        return Named(plain, f"{native.__name__}_{name.strip('_')}")


class Contents(Template):
    """What is written, where a list or a dict of the caller's stays the same list or dict."""

    def __init__(self, interp: Interpreter, owner: Owner, in_time: bool) -> None:
        super().__init__(interp, writable=True if in_time else None)
        self.operands += owner.operands

    def of(self, value: Abstract) -> Any:
        path = getattr(value, "path", None)
        if path is None:
            return super().of(value)
        target = owner_at(self.interp, value).target
        return self.slot(target) if isinstance(target, Value) else target


def owner_at(interp: Interpreter, ref: Any) -> Owner:
    """What stands at the path of a list, a dict or an object."""
    kind = getattr(ref, "type", object)
    return Owner(held_at(interp, ref.path, getattr(ref, "live", None)), kind=kind)


def owner_of(interp: Interpreter, key: Any) -> Owner:
    """What a variable or an attribute of the user's holds."""
    if not isinstance(key, FreeVariable):
        return owner_of_attribute(interp, key[0]).inside(Member, key[1])
    owner = _variables(key)
    if key.kind == "global":
        return owner.inside(Item, key.name)
    return owner.inside(Member, "cell_contents")


def owner_of_attribute(interp: Interpreter, owner: Any) -> Owner:
    """The object that an attribute of the user's is of."""
    if not isinstance(owner, ObjectRef):
        return Owner(Named(owner.owner, "self"))
    if owner.path is None:
        return Owner(Named(owner.live, "self"), kind=owner.type)
    return owner_at(interp, owner)


def _variables(variable: FreeVariable) -> Owner:
    """What holds a global or a cell's content."""
    if variable.kind == "global":
        return Owner(Named(variable.owner, "module_globals"))
    return Owner(Named(variable.owner, f"{variable.name}_cell"))


def set_content(
    interp: Interpreter, owner: Owner, op: Any, content: Abstract, in_time: bool, **place: Any
) -> None:
    """``owner.name = content`` or ``owner[key] = content``; ``in_time`` of a copy, since the
    program may go on with the array or the list.
    """
    interp.heap.require_array(content)
    same_each_time(content)
    for key in place.values():
        same_key(key)
    by_attribute = op is set_attribute
    plain = owner.plainly("__setattr__" if by_attribute else "__setitem__")
    if plain is not None:
        template = Contents(interp, owner, in_time)
        (key,) = place.values()
        owner.put(plain, key, template, template.of(content))
    elif isinstance(content, Value | Array):
        value = interp.lift(content)
        if in_time and is_array(value.type):
            value = given(value, writable=True)
        owner.written(op, value, **place)
    elif is_leaf(content) and not isinstance(content, enum.Enum):
        owner.written(op, constant(content), **place)
    else:
        template = Contents(interp, owner, in_time)
        (key,) = place.values()
        put = setattr if by_attribute else operator.setitem
        owner.put(put, key, template, template.of(content))


def rebind(interp: Interpreter, variable: FreeVariable, content: Abstract, in_time: bool) -> None:
    """Set a global or a cell."""
    owner = _variables(variable)
    if variable.kind == "global":
        set_content(interp, owner, set_item, content, in_time, key=variable.name)
    else:
        set_content(interp, owner, set_attribute, content, in_time, name="cell_contents")


def updated_in_place(
    interp: Interpreter, owner: Owner, last: Any, now: Any, content: Abstract, in_time: bool
) -> bool:
    """Make what stands somewhere, and shows what is ``last``, show what is ``now``; False where
    another object has to stand there.
    """
    if isinstance(last, ArraySnapshot) and isinstance(now, ArraySnapshot):
        alike = last.array == now.array and not now.array.lenses
        return alike and elements_set(owner, last.base, now.base)
    if not (isinstance(content, ListRef | DictRef) and isinstance(last, tuple)):
        return False
    if last[0] is not content or content.path is not None:
        return False
    shown = _without_class(last[1]), _without_class(now[1])
    Writing(interp, owner, *shown, in_time).all(content, interp.content(content))
    return True


def _without_class(shown: Any) -> Any:
    """The items of a snapshot of a tuple."""
    return shown[1] if isinstance(shown, tuple) else shown


def elements_set(owner: Owner, last: Any, now: Any) -> bool:
    """Set the elements that are changed; False where it is not known which."""
    changes = _changes(last, now, (index_set, index_add))
    for node in changes or ():
        _set_elements(owner, node)
    return changes is not None


def _changes(last: Any, now: Any, writes: tuple[Op, ...]) -> list[Node] | None:
    """The writes that made a value of an earlier one; None where something else did."""
    changes: list[Node] = []
    while now is not last:
        node = now.node if isinstance(now, Value) else None
        if node is None or node.op not in writes:
            return None
        changes.append(node)
        now = node.operands[0]
    return changes[::-1]


def _set_elements(owner: Owner, node: Node) -> None:
    """``owner[key] = value``, as a write to an array's value has it."""
    key, dynamic = key_of(node)
    value = node.operands[1]
    if node.op is index_add:
        value = index(node.result, *dynamic, **node.attributes)
    first = len(owner.operands)
    places = Places(tuple(renumbered(entry, first) for entry in key))
    owner.written(set_item, value, *dynamic, key=places)


@dataclass(frozen=True, slots=True)
class Writing:
    """A list or a dict that the caller sees, and what it shows before and after."""

    interp: Interpreter
    owner: Owner
    last: Any
    now: Any
    in_time: bool

    def all(self, ref: ListRef | DictRef, content: Any) -> None:
        """Write all in which the two differ."""
        if isinstance(ref, DictRef):
            self.dict(ref, content)
        elif is_staged_list(content):
            self.staged_list(content)
        else:
            self.list(ref, content)

    def template(self) -> Contents:
        return Contents(self.interp, self.owner, self.in_time)

    def item(self, ref: ListRef | DictRef, key: Any, item: Abstract) -> None:
        """Set an item, unless it is what it was; a container that has been there is written on its
        own.
        """
        last, now = item_of(self.last, key), self.now[key]
        been = ref.path is not None and getattr(item, "path", None) == (*ref.path, key)
        if been or agree(last, now):
            return
        inside = self.owner.inside(Item, key)
        in_place = self.owner.plainly("__getitem__") is None
        if not in_place or not updated_in_place(self.interp, inside, last, now, item, self.in_time):
            set_content(self.interp, self.owner, set_item, item, self.in_time, key=key)

    def cleared(self) -> None:
        self.owner.called("clear", self.template())

    def dict(self, ref: DictRef, content: Any) -> None:
        staying = self._staying(content)
        for key in self.last:
            if key not in staying:
                self._pop(key)
            elif isinstance(content[key], Maybe) and not agree(self.last[key], self.now[key]):
                self.interp.where_not(content[key].there, partial(self._pop, key))
        for key, item in content.items():
            if isinstance(item, Maybe):
                if not (key in staying and agree(self.last[key], self.now[key])):
                    self.interp.where(item.there, partial(self._set, key, item.content))
            elif key in staying:
                self.item(ref, key, item)
            else:
                self._set(key, item)

    def _staying(self, content: Any) -> set[Any]:
        """The keys that stand first, as they stood: all others are set behind them."""
        places = {key: place for place, key in enumerate(self.last)}
        staying: set[Any] = set()
        place = -1
        for key in content:
            if places.get(key, -1) <= place:
                break
            place = places[key]
            staying.add(key)
        return staying

    def _pop(self, key: Any) -> None:
        self.owner.called("pop", self.template(), key)

    def _set(self, key: Any, item: Abstract) -> None:
        set_content(self.interp, self.owner, set_item, item, self.in_time, key=key)

    def list(self, ref: ListRef, content: Any) -> None:
        known = len(self.last) if isinstance(self.last, tuple) else 0
        if not isinstance(self.last, tuple):
            self.cleared()
        for _ in range(known - len(content)):
            self.owner.called("pop", self.template())
        for position, item in enumerate(content):
            if position >= known:
                template = self.template()
                self.owner.called("append", template, template.of(item))
            else:
                self.item(ref, position, item)

    def staged_list(self, content: Any) -> None:
        """``owner[:] = content``, or what has been appended."""
        if not isinstance(content, Value):
            raise UnsupportedCallError(
                "a list of the caller's gets items in a loop whose length is known at run time"
                " only",
                None,
            )
        changes = _changes(self.last, content, (list_push, list_set))
        if changes is None:
            self.cleared()
            template = self.template()
            self.owner.called("extend", template, template.slot(content))
        for node in changes or ():
            template = self.template()
            *where, value = node.operands[1:]
            item = template.slot(value)
            if node.op is list_push:
                self.owner.called("append", template, item)
            else:
                self.owner.put(operator.setitem, template.slot(where[0]), template, item)
