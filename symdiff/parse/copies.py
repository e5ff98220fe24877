"""``copy.copy`` and ``copy.deepcopy``: of arrays, lists, dicts, tuples and objects.

An object is its attributes, unless its class says how it is copied: ``__copy__`` and
``__deepcopy__`` are followed, other ways to say it refused. No ``__init__`` is called.
"""

from __future__ import annotations

import collections
import copy
import types
from collections.abc import Callable
from typing import Any

from symdiff.definitions.bunches import rebuilt
from symdiff.errors import UnsupportedCallError
from symdiff.ir.signature import Attribute
from symdiff.ir.structure import declared, dict_of, native_base
from symdiff.ops import shape
from symdiff.parse import lookups
from symdiff.parse.attributes import own_attribute
from symdiff.parse.calls import builtin
from symdiff.parse.exceptions import NOTES
from symdiff.parse.heap import ORDER
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.native import DATA
from symdiff.parse.reflect import with_attributes
from symdiff.parse.scope import reflect_everywhere
from symdiff.parse.special import has_method
from symdiff.parse.staged_lists import is_staged_list
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Conflict,
    ConflictRead,
    DictRef,
    ListRef,
    ObjectRef,
    PossiblyUnbound,
)

Item = Callable[[Abstract], Abstract]
Note = Callable[[Abstract], None]  # is told of a copy before it is filled


@builtin(copy.copy)
def _copy(interp: Interpreter, x: Abstract) -> Abstract:
    if has_method(interp, x, "__copy__"):
        return interp.call_method(x, "__copy__")
    return copied(interp, x, lambda item: item)


@builtin(copy.deepcopy)
def _deepcopy(interp: Interpreter, x: Abstract) -> Abstract:
    known: dict[Abstract, Abstract] = {}  # a part that stands in two places is copied once

    def deep(value: Abstract) -> Abstract:
        if not isinstance(value, Array | ListRef | DictRef | ObjectRef):
            return copied(interp, value, deep)
        if value not in known and has_method(interp, value, "__deepcopy__"):
            known[value] = interp.call_method(value, "__deepcopy__", interp.new_dict({}))
        if value not in known:
            known[value] = copied(interp, value, deep, lambda made: known.update({value: made}))
        return known[value]

    return deep(x)


def copied(
    interp: Interpreter, value: Abstract, item: Item, note: Note = lambda made: None
) -> Abstract:
    """A copy of a value around its items, or what ``item`` makes of them."""
    if isinstance(value, Array):
        return interp.wrap(shape.copy(interp.heap.read(value), order="K"))
    if isinstance(value, tuple):
        return rebuilt(value, item)
    if not isinstance(value, ListRef | DictRef | ObjectRef):
        return value
    _require_plain(value)
    if isinstance(value, ObjectRef):
        made: Abstract = ObjectRef(value.type)
        note(made)
        _copy_attributes(interp, value, made, item)
        return made
    filled = _copied_dict if isinstance(value, DictRef) else _copied_list
    made = filled(interp, value, item, note)
    if value.own is not None:
        _copy_attributes(interp, value.own, made.own, item)
    return made


def _copied_list(interp: Interpreter, value: Any, item: Item, note: Note) -> Any:
    made = with_attributes(ListRef(type=value.type, frozen=value.frozen))
    content = interp.content(value)
    note(made)
    interp.put(made, content if is_staged_list(content) else tuple(map(item, content)))
    return made


def _copied_dict(interp: Interpreter, value: Any, item: Item, note: Note) -> Any:
    made = with_attributes(DictRef(type=value.type))
    note(made)
    interp.put(made, {key: item(part) for key, part in interp.content(value).items()})
    factory = interp.heap.get((value, "default_factory"))
    if factory is not ABSENT:
        interp.put((made, "default_factory"), factory)
    return made


def _copy_attributes(interp: Interpreter, value: ObjectRef, made: ObjectRef, item: Item) -> None:
    """Give a copy all that the object itself has."""
    for name in attributes_present(interp, value):
        interp.put((made, name), item(held_under(interp, value, name)))
    interp.heap.set((made, ORDER), interp.heap.get((value, ORDER)))


def held_under(interp: Interpreter, ref: ObjectRef, name: str) -> Abstract:
    """What an object itself has under a name, whatever its class has under it."""
    content = interp.lookup((ref, name), name)
    if content is not ABSENT:
        return content
    if not lookups.is_data_descriptor(lookups.static_on_class(ref.type, name)):
        return own_attribute(interp, ref, name)
    items = {} if ref.live is None else dict_of(ref.live) or {}
    if name not in items or ref.path is None:
        raise UnsupportedCallError(f"the attribute '{name}', which the class hides")
    path = (*ref.path, Attribute("__dict__"), name)
    return reflect_everywhere(interp, (ref, name), items[name], path)


def names_in_dict(interp: Interpreter, ref: ObjectRef) -> list[str]:
    """The names in ``vars(object)``, in no order that tells."""
    present = attributes_present(interp, ref)
    found = {name: lookups.static_on_class(ref.type, name) for name in present}
    return [name for name in present if not isinstance(found[name], DATA)]


def attributes_in_order(interp: Interpreter, ref: ObjectRef) -> list[str]:
    """The names in ``vars(object)``: in the order in which it got them, where that is known."""
    present = names_in_dict(interp, ref)
    own = [] if ref.live is None else list(dict_of(ref.live) or ())
    order = interp.heap.get((ref, ORDER))
    if isinstance(order, Conflict) and ref.live is None:
        raise ConflictRead(order)
    if isinstance(order, tuple):
        own += [name for name in order if name in present]
    if len(present) > 1 and set(present) != set(own):
        raise UnsupportedCallError(
            "all attributes of an object, in order",
            hint="compute it outside, or in a function marked symdiff.nondifferentiable",
        )
    return own or present


def attributes_present(interp: Interpreter, ref: ObjectRef) -> list[str]:
    """The names of what an object itself has, in no order that tells."""
    held = interp.heap.held(ref)
    maybe = [name for name, content in held.items() if isinstance(content, PossiblyUnbound)]
    if maybe:
        raise UnsupportedCallError(
            f"all attributes of {describe(ref)}, of which '{maybe[0]}' is given on some paths only",
            hint="give it on all paths: None where there is none",
        )
    return sorted({*held, *_of_outside(interp, ref)}.difference(NOTES))


def _of_outside(interp: Interpreter, ref: ObjectRef) -> set[str]:
    """The names of what an object from outside has there; which they are is looked at again."""
    if ref.live is None:
        return set()
    names = lookups.own_attributes(ref.live)
    if ref.path is not None:
        own = dict_of(ref.live)
        if own is not None:
            interp.guard((*ref.path, "__dict__"), "keys", tuple(own))
        for cls in ref.type.__mro__:
            for name, found in cls.__dict__.items():
                if lookups.is_slot(found) and name not in names:
                    interp.guard((*ref.path, name), "absent", None)
    return names


def _require_plain(value: ListRef | DictRef | ObjectRef) -> None:
    """Refuse what a class of the user's copies in a way of its own."""
    base = native_base(value.type)
    others = _OF_ITEMS if isinstance(value, ListRef | DictRef) else ()
    known = base in (object, types.SimpleNamespace) if isinstance(value, ObjectRef) else True
    own = next((name for name in (*_SPECIAL, *others) if _says(value.type, name)), None)
    written = declared(value.type, "__symdiff_class__")
    known = known and (written is None or written in _COPIED_WHOLE)
    if getattr(value, "shows_items", False):
        own = "__dict__"
    if not known or own is not None:
        why = f", which has {_article(own)} of its own" if own else ""
        raise UnsupportedCallError(
            f"a copy of a {value.type.__name__}{why}", hint="make a new one from its parts"
        )


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


_SPECIAL = (
    "__new__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__",
    "__getnewargs_ex__", "__getattribute__",
)  # fmt: skip
_COPIED_WHOLE = (collections.deque, set)  # by ``__copy__``, or with all that they hold
_OF_ITEMS = ("__iter__", "__setitem__", "append", "extend", "items")
_GENERATED = ("dataclasses", "attr._make")  # what these write copies all attributes


def _says(kind: type, name: str) -> bool:
    """Return whether a class has a method that is written in Python, by hand."""
    found = lookups.static_on_class(kind, name)
    function = getattr(found, "__func__", found)
    return isinstance(function, types.FunctionType) and function.__module__ not in _GENERATED
