"""What ``object``, ``type``, ``dict`` and ``list`` give to classes of the user's.

A method of the user's that ends in ``super().__setattr__(name, value)`` or ``dict.__getitem__(self,
key)`` means the plain write or read, whatever methods the class of ``self`` has of its own.
"""

from __future__ import annotations

import ast
import builtins
import collections
import inspect
import types
from collections.abc import Callable
from typing import Any

from symdiff.definitions import instances
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Value
from symdiff.ir.types import OPAQUE
from symdiff.ops.arithmetic import equal, greater
from symdiff.ops.declare import static
from symdiff.ops.effects import Member, opaque_call
from symdiff.parse import native, staged_lists
from symdiff.parse.attributes import (
    class_attribute,
    delete_own,
    get_attribute,
    object_attribute,
    put_attribute,
    set_plainly,
)
from symdiff.parse.blame import python_raises, users
from symdiff.parse.calls import Handler, builtin
from symdiff.parse.classes import instance_of
from symdiff.parse.comparisons import COMPARE, compare_natively, contains_natively
from symdiff.parse.containers import filled_dict
from symdiff.parse.copies import attributes_in_order, held_under, names_in_dict
from symdiff.parse.exceptions import initialised, names_changed
from symdiff.parse.identity import identical
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.items import delete_native_item, native_item, note_write, set_native_item
from symdiff.parse.iteration import length, started
from symdiff.parse.lookups import (
    has_not_itself,
    is_data_descriptor,
    own_attributes,
    static_on_class,
)
from symdiff.parse.methods import extend
from symdiff.parse.opaque import Template
from symdiff.parse.operators import binary_natively
from symdiff.parse.reflect import require_plain_items, with_attributes
from symdiff.parse.selecting import refuse_where
from symdiff.parse.spreading import items_or_list, unpacked
from symdiff.parse.subclassed import TAKEN, made
from symdiff.parse.texts import settled, text_of_exception
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    DictRef,
    IteratorRef,
    ListRef,
    ObjectRef,
    StagedText,
)

native.SLOTS |= {
    object.__setattr__,
    object.__getattribute__,
    object.__eq__,
    object.__ne__,
    object.__init_subclass__,
    types.SimpleNamespace.__init__,
}

_EXCEPTIONS = [
    kind
    for kind in vars(builtins).values()
    if isinstance(kind, type) and issubclass(kind, BaseException)
]
native.SLOTS |= {getattr(kind, name) for kind in _EXCEPTIONS for name in ("__init__", "__str__")}

native.SLOTS.add(BaseException.add_note)

# Attributes ---------------------------------------------------------------------------------------


def _attributes_of(value: Abstract) -> ObjectRef:
    own = value.own if isinstance(value, ListRef | DictRef) else value
    if not isinstance(own, ObjectRef):
        raise UnsupportedCallError(f"an attribute of {describe(value)}, set by object.__setattr__")
    return own


@builtin(object.__setattr__)
def _setattr(interp: Interpreter, value: Abstract, name: str, content: Abstract) -> None:
    set_plainly(interp, _attributes_of(value), name, content)


@builtin(object.__getattribute__)
def _getattribute(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    own = value.own if isinstance(value, ListRef | DictRef) else value
    if isinstance(own, ObjectRef):
        return object_attribute(interp, own, name, plainly=True)
    return get_attribute(interp, value, name)


builtin(type.__getattribute__)(class_attribute)


@builtin(object.__eq__)
def _equal(interp: Interpreter, a: Abstract, b: Abstract) -> Abstract:
    return identical(interp, a, b) or NotImplemented


@builtin(object.__ne__)
def _unequal(interp: Interpreter, a: Abstract, b: Abstract) -> Abstract:
    raise UnsupportedCallError("object.__ne__", hint="write not (a == b)")


@builtin(BaseException.add_note)
def _add_note(interp: Interpreter, error: Abstract, note: Abstract) -> Abstract:
    if isinstance(error, ObjectRef) and error.live is None:
        names_changed(interp, error)  # which is the same on all paths from here on
        return interp.call(instances.add_note, [error, note], {})
    if isinstance(error, Value) and isinstance(note, str | StagedText):
        template = Template(interp)
        add = Member(template.of(error), "add_note")
        template.emit(opaque_call, [note], {}, function=add, type=OPAQUE)
        return None
    raise UnsupportedCallError(
        f"a note to {describe(error)} that the function has not made",
        hint="raise another exception from it, with the note",
    )


@builtin(vars)
def _vars(interp: Interpreter, *instance: Abstract) -> Abstract:
    if not instance or not isinstance(instance[0], ObjectRef):
        raise UnsupportedCallError("vars() of what is no object", hint="write the names out")
    return object_attribute(interp, instance[0], "__dict__", plainly=True)


@builtin(instances.has_attribute)
def _has_attribute(interp: Interpreter, instance: ObjectRef, name: Abstract) -> bool:
    known = static(settled(interp, name))
    if interp.lookup((instance, known), known) is not ABSENT:
        return True
    if instance.live is not None and known in own_attributes(instance.live):
        return True
    has_not_itself(interp, instance, known)
    return False


@builtin(instances.attribute_of)
def _attribute_of(interp: Interpreter, instance: ObjectRef, name: Abstract) -> Abstract:
    return held_under(interp, instance, static(settled(interp, name)))


@builtin(instances.remove_attribute)
def _remove_attribute(interp: Interpreter, instance: ObjectRef, name: Abstract) -> None:
    delete_own(interp, instance, static(settled(interp, name)))


@builtin(instances.names_of)
def _names_of(interp: Interpreter, instance: ObjectRef) -> Abstract:
    return tuple(attributes_in_order(interp, instance))


@builtin(instances.count_of)
def _count_of(interp: Interpreter, instance: ObjectRef) -> int:
    return len(names_in_dict(interp, instance))


@builtin(instances.is_of_instance)
def _is_of_instance(interp: Interpreter, other: Abstract) -> bool:
    return isinstance(other, ObjectRef) and other.type is instances.Attributes


@builtin(instances.give_all)
def _give_all(interp: Interpreter, instance: ObjectRef, other: ObjectRef) -> None:
    for name in names_in_dict(interp, other):
        _put_attribute(interp, instance, name, held_under(interp, other, name))


@builtin(instances.put_attribute)
def _put_attribute(
    interp: Interpreter, instance: ObjectRef, name: Abstract, content: Abstract
) -> None:
    known = static(settled(interp, name))
    if instance.path is not None and is_data_descriptor(static_on_class(instance.type, known)):
        raise UnsupportedCallError(f"setting the attribute '{known}', which the class hides")
    put_attribute(interp, instance, known, content)


# Making -------------------------------------------------------------------------------------------


@builtin(type.__call__)
def _call(
    interp: Interpreter, cls: type, /, *arguments: Abstract, **keywords: Abstract
) -> Abstract:
    return instance_of(interp, cls, arguments, keywords)


@builtin(object.__new__, types.SimpleNamespace.__new__)
def _new_object(
    interp: Interpreter, cls: type, /, *arguments: Abstract, **keywords: Abstract
) -> Abstract:
    if inspect.isabstract(cls):
        with python_raises():
            object.__new__(cls)
    return ObjectRef(cls)


@builtin(dict.__new__, collections.OrderedDict.__new__, list.__new__)
def _new_container(
    interp: Interpreter, cls: type, /, *arguments: Abstract, **keywords: Abstract
) -> Abstract:
    is_list = issubclass(cls, list)
    made_at = interp.span if cls is collections.Counter else None
    made: Any = ListRef(type=cls) if is_list else DictRef(type=cls, made_at=made_at)
    interp.put(made, () if is_list else {})
    return with_attributes(made)


@builtin(float.__new__, int.__new__, complex.__new__)
def _new_number(
    interp: Interpreter, cls: type, /, *arguments: Abstract, **keywords: Abstract
) -> Abstract:
    kind: Any = next(number for number in TAKEN if issubclass(cls, number))
    number = interp.call(kind, arguments, keywords)
    return number if cls is kind else made(interp, cls, number)


@builtin(tuple.__new__)
def _new_tuple(interp: Interpreter, cls: Any, items: Abstract = ()) -> Abstract:
    if cls is tuple:
        return interp.call(tuple, [items], {})
    require_plain_items(cls)
    items = items_or_list(interp, items)
    if hasattr(cls, "_fields"):
        items = _as_many_as_fields(interp, items, len(cls._fields))
    if not isinstance(items, tuple):
        raise UnsupportedCallError(
            f"a {cls.__name__} of a number of items that is known at run time only",
            hint="keep the items in a list: list(...)",
        )
    return tuple.__new__(cls, items)


def _as_many_as_fields(interp: Interpreter, items: Any, count: int) -> tuple[Abstract, ...]:
    """Items of which ``_make`` of a named tuple wants so many."""
    if isinstance(items, tuple):
        return items
    length, told = staged_lists.length(items), f"Expected {count} arguments, got"
    for got in range(count):
        refuse_where(interp, equal(length, got), TypeError(f"{told} {got}"))
    refuse_where(interp, greater(length, count), TypeError(f"{told} more"))
    return unpacked(interp, items, count, None)[0]


@builtin(types.SimpleNamespace.__init__)
def _init_namespace(interp: Interpreter, /, *arguments: Abstract, **keywords: Abstract) -> Abstract:
    return interp.call(instances.initialise_namespace, arguments, keywords)


@builtin(dict.__init__, collections.OrderedDict.__init__)
def _init_dict(
    interp: Interpreter, made: DictRef, /, *arguments: Abstract, **keywords: Abstract
) -> None:
    filled_dict(interp, made, arguments, keywords)


@builtin(list.__init__)
def _init_list(interp: Interpreter, made: ListRef, *items: Abstract) -> None:
    interp.put(made, ())
    for more in items:
        extend(interp, made, more)


def _initialising(initialise: Any) -> Handler:
    """``ImportError.__init__(error, message, name="numba")``, and what has no name of its own."""

    def handle(
        interp: Interpreter, error: ObjectRef, /, *arguments: Abstract, **keywords: Abstract
    ) -> None:
        initialised(interp, error, initialise, arguments, keywords)

    return handle


for _initialise in {kind.__init__ for kind in _EXCEPTIONS}:
    builtin(_initialise)(_initialising(_initialise))
builtin(*{kind.__str__ for kind in _EXCEPTIONS} - {object.__str__})(text_of_exception)


# Items --------------------------------------------------------------------------------------------


def _slot(name: str, *kinds: type) -> Callable[[Handler], Handler]:
    """Register what a method of ``dict`` and ``list`` does."""
    return builtin(
        *{getattr(kind, name) for kind in kinds or (dict, list, collections.OrderedDict)}
    )


_slot("__getitem__")(native_item)
_slot("__setitem__")(set_native_item)
_slot("__delitem__")(delete_native_item)
_slot("__len__")(length)
_slot("__contains__")(contains_natively)


@_slot("__iter__")
def _iter(interp: Interpreter, value: Abstract) -> Abstract:
    return started(interp, IteratorRef(value))


def _comparing(op: type[ast.cmpop]) -> Handler:
    return lambda interp, a, b: compare_natively(interp, op, a, b)


for _op, (_name, _, _) in COMPARE.items():
    _slot(f"__{_name}__", list)(_comparing(_op))
for _op in (ast.Eq, ast.NotEq):
    _slot(f"__{COMPARE[_op][0]}__", dict, collections.OrderedDict)(_comparing(_op))


def _operating(op: type[ast.operator]) -> Handler:
    return lambda interp, a, b: binary_natively(interp, op, a, b)


_slot("__add__", list)(_operating(ast.Add))
_slot("__mul__", list)(_operating(ast.Mult))
_slot("__or__", dict, collections.OrderedDict)(_operating(ast.BitOr))


@_slot("__iadd__", list)
def _extended(interp: Interpreter, value: ListRef, items: Abstract) -> Abstract:
    extend(interp, value, items)
    return value


@_slot("__ior__", dict, collections.OrderedDict)
def _merged(interp: Interpreter, value: DictRef, others: Abstract) -> Abstract:
    if not isinstance(others, DictRef):
        raise users(TypeError(f"{describe(others)} is merged into a dict"))
    merged = interp.content(value) | interp.content(others)
    note_write(interp, value)
    interp.put(value, merged)
    return value
