"""Attributes of abstract values: reading and writing them."""

from __future__ import annotations

import dataclasses
import enum
import functools
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.definitions import DEFINITIONS, OBJECTS, is_definition
from symdiff.definitions.bunches import attributes_of
from symdiff.definitions.declare import is_constant
from symdiff.definitions.instances import Attributes
from symdiff.definitions.libraries import meet
from symdiff.definitions.memory import Flags, strides_of
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ir.signature import Attribute
from symdiff.ir.structure import begins_threads, declared, dict_of, has_dict
from symdiff.ir.types import ArrayType
from symdiff.ops.declare import ATTRIBUTES, METHODS
from symdiff.parse import lookups, native, subclassed, tables
from symdiff.parse import run_time_texts as texts
from symdiff.parse.blame import judged, python_raises, users
from symdiff.parse.branches import choose
from symdiff.parse.changing import FUNCTIONS, SETS, require_changing
from symdiff.parse.dtype_answers import note_answer
from symdiff.parse.exceptions import (
    context_of,
    is_exception,
    note_change,
    python_attribute,
    set_arguments,
)
from symdiff.parse.flat import set_flat
from symdiff.parse.functions import left_inside
from symdiff.parse.heap import is_callers
from symdiff.parse.hidden_complex import require_real
from symdiff.parse.identity import (
    class_of,
    is_unknown,
    name_in_messages,
    not_followed,
    python_class,
)
from symdiff.parse.interpreter import HOOKS, Interpreter, describe
from symdiff.parse.items import set_item, set_native_item
from symdiff.parse.lookups import has_hash
from symdiff.parse.opaque import is_of_followed_class
from symdiff.parse.pure import abstract_of, is_taken
from symdiff.parse.raised_values import arguments_raised, class_raised
from symdiff.parse.reflect import GENERIC_ALIAS, STATIC_TYPES
from symdiff.parse.scope import read_free, read_once, rebind_free, reflect_everywhere
from symdiff.parse.texts import settled
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    ArrayMethod,
    BoundMethod,
    CalleeLeft,
    Closure,
    Conflict,
    ConflictRead,
    DictRef,
    DictView,
    Generator,
    ListRef,
    ObjectRef,
    Partial,
    PossiblyUnbound,
    Range,
    StaticSet,
)
from symdiff.parse.views import adopt, seen_through

LIBRARIES = frozenset({"numpy", "scipy", "math", "cmath", "builtins", "functools", "itertools"})
LIBRARIES |= {"operator", "symdiff", "collections", "typing", "dataclasses", "warnings", "copy"}
MUTATING_ARRAY_METHODS = frozenset({"fill", "sort", "itemset", "resize", "partition", "put"})

# Attributes ---------------------------------------------------------------------------------------


def get_attribute(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    """``value.name``."""
    if texts.is_at_run_time(interp, value):
        if not hasattr(str, name):
            raise _without_attribute(str, name)
        return ArrayMethod(value, name)
    value = settled(interp, value)
    with judged(interp, getattr, (value, name)):
        return _attribute(interp, value, name)


def _attribute(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    if is_unknown(value):
        return _of_handled(interp, value, name)
    ref = _with_attributes(interp, value, name)
    if ref is not None:
        told = tables.held if tables.is_table(ref) else object_attribute
        return told(interp, ref, name)
    for kind, attribute in _WITH_ATTRIBUTES_OF_THEIR_OWN.items():
        if isinstance(value, kind):
            return attribute(interp, value, name)
    if hasattr(value, "staged_attribute"):
        return value.staged_attribute(name)
    owner = class_of(interp, value)
    if owner.__module__ in _WITH_FIXED_ATTRIBUTES and not _has(owner, name):
        raise _without_attribute(owner, name)
    require_real(interp, value)
    if isinstance(value, Value | Array | np.generic):
        return _array_attribute(interp, value, name)
    if isinstance(value, ListRef | DictRef | DictView | Generator | bool | int | float | complex):
        return _method_of(interp, value, name)
    if isinstance(value, tuple):
        return _tuple_attribute(interp, value, name)
    read = _of_constant if is_constant(value) else _static_attribute
    return read(interp, value, name)


def _of_handled(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    """``error.add_note`` of what an operation has raised; of what else is unknown nothing."""
    if name == "add_note" and any(handled.error is value for handled in interp.handled):
        return BoundMethod(BaseException.add_note, value)
    told = _OF_RAISED[name](interp, value) if name in _OF_RAISED else None
    if told is not None:
        return told
    raise UnsupportedCallError(
        f"attribute '{name}' of an object that symdiff does not follow",
        hint="compute with it outside the function, or in one marked symdiff.nondifferentiable",
    )


_OF_RAISED = {"args": arguments_raised, "__class__": class_raised}

_WITH_FIXED_ATTRIBUTES = frozenset(
    {"builtins", "numpy", "numpy.random._generator", "numpy.random.mtrand"}
)


def _function_attribute(interp: Interpreter, function: types.FunctionType, name: str) -> Abstract:
    if not hasattr(function, name):
        lookups.rests_on(interp, function, name, ABSENT)
        raise users(AttributeError(f"'function' object has no attribute '{name}'"))
    value = getattr(function, name)
    if isinstance(
        value, types.MethodWrapperType
    ):  # made anew each time, of what every function has
        variable = lookups.variable_of(interp, function)
        interp.guard((variable,), "unset", name, of=name)
        return value
    return _free_attribute(interp, function, name, value)


def _slice_attribute(interp: Interpreter, value: slice, name: str) -> Abstract:
    if name != "indices":
        read = _of_constant if is_constant(value) else _static_attribute
        return read(interp, value, name)
    from symdiff.definitions.in_python import slice_indices  # at the first use

    return BoundMethod(slice_indices, value)


def _method_attribute(interp: Interpreter, method: BoundMethod, name: str) -> Abstract:
    """What a method is made of; all else its function tells."""
    if name in ("__func__", "__self__"):
        return method.function if name == "__func__" else method.instance
    if isinstance(method.function, types.FunctionType) and name not in vars(types.MethodType):
        return _function_attribute(interp, method.function, name)
    return _static_attribute(interp, method, name)


def _without_attribute(owner: type, name: str) -> AttributeError:
    """What Python raises where an object of a class written in C lacks an attribute."""
    told = name_in_messages(owner)
    return users(AttributeError(f"'{told}' object has no attribute '{name}'"))


def _has(owner: type, name: str) -> bool:
    """Return whether instances of a class have an attribute: ``hasattr`` would ask the metaclass
    too.
    """
    if owner in _LIMITS:  # whose attributes are made with the instance
        return hasattr(_LIMITS[owner], name)
    return any(name in c.__dict__ for c in owner.__mro__)


_LIMITS: dict[type, Any] = {np.finfo: np.finfo(float), np.iinfo: np.iinfo(int)}


def _array_attribute(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    interp.heap.require_array(value)
    if name in ATTRIBUTES:
        lifted = interp.lift(value)
        result = ATTRIBUTES[name](lifted)
        note_answer(interp, ATTRIBUTES[name], [lifted], {}, result)
        return adopt(interp, result, {lifted: value})
    if name == "flat":
        return call_flat(interp, value)
    if name in _IN_MEMORY:
        return interp.call(_IN_MEMORY[name], [value], {})
    return _method_of(interp, value, name)


_IN_MEMORY: dict[str, Any] = {"strides": strides_of, "flags": Flags}


def call_flat(interp: Interpreter, value: Abstract) -> Abstract:
    """``x.flat``: the elements in C order, readable and writable."""
    base = interp.lift(value)
    flat = METHODS["reshape"](base, -1)
    return (
        seen_through(interp, value, flat.node, is_flat=True) if isinstance(value, Array) else flat
    )


def _method_of(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    """A method; a class attribute such as ``__doc__``, or an attribute of a number, as it is."""
    if name == "__class__":
        return python_class(interp, value)
    if isinstance(value, enum.Enum) and _is_followed_on(type(value), name):
        return _of_member(interp, value, name)
    if isinstance(value, bool | int | float | complex):
        found = getattr(value, name)
        return ArrayMethod(value, name) if callable(found) else found
    owner = class_of(interp, value)
    on_class = next((c.__dict__[name] for c in owner.__mro__ if name in c.__dict__), ABSENT)
    if on_class is ABSENT:
        raise _without_attribute(owner, name)
    if callable(on_class) or isinstance(on_class, staticmethod | classmethod):
        return ArrayMethod(value, name)
    if isinstance(on_class, STATIC_TYPES):
        return on_class
    raise UnsupportedSyntaxError(f"attribute '{name}' of {describe(value)}")


def _tuple_attribute(interp: Interpreter, value: tuple[Any, ...], name: str) -> Abstract:
    cls = type(value)
    fields: tuple[str, ...] = getattr(cls, "_fields", ())
    if name in fields:
        return tuple.__getitem__(value, fields.index(name))
    if name in attributes_of(value):
        return attributes_of(value)[name]
    if isinstance(lookups.static_on_class(cls, name), _KEPT_IN_C):
        return getattr(value, name)
    extra = lookups.static_on_class(cls, "_extra_fields")  # of what SciPy's functions give
    if extra is not ABSENT and name in (*extra, "__dict__"):
        raise UnsupportedCallError(f"'{name}' of a {cls.__name__}, which is none of its items")
    found = lookups.static_on_class(cls, name)
    if found is ABSENT:
        raise users(AttributeError(f"'{cls.__name__}' object has no attribute '{name}'"))
    if isinstance(found, property):
        return _through_property(interp, cls, name, "fget", [value])
    if name in _OF_NAMED_TUPLES or isinstance(found, native.METHODS):
        return ArrayMethod(value, name)
    return bind_found(interp, value, cls, lookups.on_class(interp, cls, name), name)


_OF_PLAIN_PARTS = ("start", "stop", "step", "fget", "fset", "fdel")
_KEPT_IN_C = (types.MemberDescriptorType, types.GetSetDescriptorType)
_OF_NAMED_TUPLES = ("_asdict", "_replace")


def _static_attribute(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    if isinstance(value, Closure) and name == "__name__":
        return value.name
    if isinstance(value, Partial) and name in ("func", "args", "keywords"):
        return {"func": value.function, "args": value.arguments}.get(name, dict(value.keywords))
    if isinstance(value, enum.Enum) and _is_followed_on(type(value), name):
        return _of_member(interp, value, name)
    if isinstance(value, enum.Enum) and (name in ("name", "value") or name in vars(value)):
        return _of_one_member(interp, value, name)
    if isinstance(value, dataclasses.Field) and name in _OF_FIELDS:
        told = getattr(value, name)
        return told if _OF_FIELDS[name] else _free_attribute(interp, value, name, told)
    if isinstance(value, Range | property) and name in _OF_PLAIN_PARTS:
        return getattr(value, name)
    if isinstance(value, StaticSet) and hasattr(set, name) and not hasattr(frozenset, name):
        require_changing(interp, SETS)
    if isinstance(value, STATIC_TYPES) or declared(type(value), "__symdiff_static__"):
        with python_raises():
            return getattr(value, name)
    if is_of_library(value):
        return getattr(value, name)
    raise UnsupportedSyntaxError(f"attribute '{name}' of {describe(value)}")


def _of_constant(interp: Interpreter, value: Any, name: str) -> Abstract:
    """An attribute of an object that nothing changes; its methods are followed."""
    with python_raises():
        found = getattr(value, name)
    if isinstance(found, types.MethodType):
        return BoundMethod(found.__func__, value)
    if not is_taken(found):
        raise UnsupportedCallError(f"'{name}' of a {type(value).__name__}: a {describe(found)}")
    return abstract_of(interp, found)


_OF_FIELDS = {"name": True, "init": True, "compare": True, "kw_only": True}  # whether it stays
_OF_FIELDS |= {"metadata": False, "default": False, "type": False, "repr": False}
_OF_FUNCTIONS = frozenset(vars(types.FunctionType)) - {"__dict__"} | {"__module__"}


def _with_attributes(interp: Interpreter, value: Abstract, name: str) -> ObjectRef | None:
    """What has the attributes that the program gives a value: an object itself."""
    if isinstance(value, ObjectRef):
        return value
    if isinstance(value, ListRef | DictRef):
        return value.own
    if not isinstance(value, Closure) or name in _OF_FUNCTIONS:
        return None
    if value.own is None:
        require_changing(interp, FUNCTIONS)
    return value.own


def _is_followed_on(cls: type, name: str) -> bool:
    return isinstance(lookups.static_on_class(cls, name), property | types.FunctionType | Closure)


def _of_one_member(interp: Interpreter, member: enum.Enum, name: str) -> Abstract:
    """The name or the value of a member of an enumeration, or what it holds beside them."""
    content = getattr(member, name)
    if lookups.is_member_made_here(member):
        return content
    if not lookups.is_unchanging(content) or isinstance(content, tuple):
        return _free_attribute(interp, member, name, content)
    held = f"_{name}_" if name in ("name", "value") else name  # which may be set anew
    lookups.rests_on(interp, member, held, content)
    return content


def _of_member(interp: Interpreter, member: enum.Enum, name: str) -> Abstract:
    """A method or a property of a member of an enumeration, followed into its source."""
    cls = type(member)
    if isinstance(lookups.static_on_class(cls, name), property):
        return _through_property(interp, cls, name, "fget", [member])
    return bind_found(interp, member, cls, lookups.on_class(interp, cls, name), name)


def is_of_library(value: Any) -> bool:
    """Return whether this is an object of a library's, whose methods are known."""
    meet()
    return value in OBJECTS if has_hash(value) else False


def _module_attribute(interp: Interpreter, module: types.ModuleType, name: str) -> Abstract:
    of_library = module.__name__.split(".")[0] in LIBRARIES
    present = module.__dict__.get(name, ABSENT)
    if present is ABSENT or (of_library and not is_followed_object(present)):
        return lookups.of_module(interp, module, name)
    return read_free(interp, interp.free_variable("global", module.__dict__, name))


def is_followed_object(value: Any) -> bool:
    """Return whether this is an object of a library's whose methods are followed as they are."""
    return is_of_followed_class(value) and not is_of_library(value)


def class_attribute(interp: Interpreter, owner: type, name: str) -> Abstract:
    """``Class.name``: what its metaclass puts first, then its own, then what its metaclass has."""
    if name == "__dict__" and lookups.MADE_HERE in owner.__dict__:
        raise UnsupportedSyntaxError(f"all attributes of {owner.__name__}, which is made here")
    of_meta = lookups.static_on_class(type(owner), name)
    if lookups.is_data_descriptor(of_meta):
        return _through(interp, type(owner), name, owner)
    lookups.on_class(interp, owner, name)
    found = lookups.present_on_class(interp, owner, name)
    found = lookups.bound(interp, owner, name, found)
    if found is ABSENT:
        return _of_metaclass(interp, owner, name)
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, classmethod):
        return BoundMethod(found.__func__, owner)
    if lookups.is_bound(found):
        return getattr(owner, name)
    if lookups.is_descriptor(found):
        return _through_descriptor(interp, owner, name, None, owner)
    return _held_by_class(interp, owner, name)


def _of_metaclass(interp: Interpreter, owner: type, name: str) -> Abstract:
    meta = type(owner)
    found = lookups.on_class(interp, meta, name)
    if found is ABSENT:
        fallback = lookups.on_class(interp, meta, "__getattr__")
        if fallback is not ABSENT:
            return interp.call(bind_found(interp, owner, meta, fallback, "__getattr__"), [name], {})
        raise users(AttributeError(f"type object '{owner.__name__}' has no attribute '{name}'"))
    if not isinstance(found, native.DATA):
        return bind_found(interp, owner, meta, found, name)
    value = getattr(owner, name)
    if name in ("__mro__", "__bases__"):
        lookups.bases_stay(interp, owner)
        return value
    if not isinstance(value, STATIC_TYPES):
        return _held_by_class(interp, owner, name)
    if lookups.is_fixed(owner):
        return value
    lookups.rests_on(interp, owner, name, value)
    return value


def _held_by_class(interp: Interpreter, owner: type, name: str) -> Abstract:
    """What a class or one of its bases holds: one thing, whatever class it is asked of."""
    holder = lookups.holder_of(owner, name)
    holder = owner if holder is None else holder  # whose truth its metaclass may tell
    if any(lookups.MADE_HERE in cls.__dict__ for cls in owner.__mro__):
        found = lookups.present_on_class(interp, owner, name)
        found = lookups.bound(interp, owner, name, found)
        if found is not holder.__dict__.get(name, ABSENT) or lookups.MADE_HERE in holder.__dict__:
            return found
    value = getattr(owner, name)
    if isinstance(value, int | float) and is_definition({"__name__": owner.__module__}):
        return value
    if lookups.is_unchanging(value):
        return _free_attribute(interp, owner, name, value)
    for cls in owner.__mro__[: owner.__mro__.index(holder)]:
        lookups.does_not_define(interp, cls, name)
    return _free_attribute(interp, holder, name, value)


def _free_attribute(interp: Interpreter, owner: Any, name: str, value: Any) -> Abstract:
    variable = lookups.variable_of(interp, owner)
    return read_once(interp, (variable, name), value, (variable, name))


def object_attribute(
    interp: Interpreter, ref: ObjectRef, name: str, *, plainly: bool = False
) -> Abstract:
    """``object.name``, by Python's rules; properties are followed into their source.

    ``plainly``: as ``object.__getattribute__`` does, which asks no ``__getattr__``.
    """
    _require_plain_reading(ref.type)
    found = lookups.present_on_class(interp, ref.type, name)
    if isinstance(found, native.DATA) and subclassed.is_part(interp, ref, name):
        return interp.attribute(subclassed.as_python(interp, ref), name)
    if lookups.is_data_descriptor(found) and lookups.tells(found):
        return _through(interp, ref.type, name, whole(ref))
    content = interp.content((ref, name))
    if isinstance(content, PossiblyUnbound):
        return _set_on_some_paths(interp, ref, name, content, plainly)
    if content is not ABSENT:
        return content
    if shows_items(interp, ref):
        items = interp.content(ref.holder)
        if name in items:
            return items[name]
    elif ref.live is not None and name in lookups.own_attributes(ref.live):
        return own_attribute(interp, ref, name)
    if name == "__class__":
        return python_class(interp, ref)
    if name == "__dict__":
        return _as_dict(interp, ref)
    return _attribute_of_its_class(interp, ref, name, plainly)


def _require_plain_reading(cls: type) -> None:
    if begins_threads(cls):
        raise UnsupportedSyntaxError(
            f"an attribute of a {cls.__name__}, whose __init__ runs once in each thread",
            hint="use a threading.local whose attributes are set where they are missing",
        )
    if isinstance(lookups.static_on_class(cls, "__getattribute__"), types.FunctionType):
        raise UnsupportedSyntaxError(
            f"an attribute of a {cls.__name__}, which has a __getattribute__ of its own",
            hint="give the class a __getattr__, or properties",
        )


def _set_on_some_paths(
    interp: Interpreter, ref: ObjectRef, name: str, maybe: PossiblyUnbound, plainly: bool
) -> Abstract:
    """An attribute that an object has on some paths only: on the others its class tells."""
    of_class = lookups.present_on_class(interp, ref.type, name)
    asked = not plainly and lookups.static_on_class(ref.type, "__getattr__") is not ABSENT
    if (of_class is ABSENT or lookups.is_slot(of_class)) and not asked:
        lookups.on_class(interp, ref.type, name)
        lookups.on_class(interp, ref.type, "__getattr__")
        interp.require_bound((ref, name), maybe, _lacks(ref.type, name))
        return maybe.content
    try:
        return choose(
            interp,
            maybe.bound(),
            lambda: maybe.content,
            lambda: _attribute_of_its_class(interp, ref, name, plainly),
        )
    except ConflictRead as read:
        read.is_attribute = read.is_attribute or (ref, name)
        raise


def whole(ref: ObjectRef) -> ObjectRef | ListRef | DictRef:
    """The object that attributes are of."""
    return ref if ref.holder is None else ref.holder


def shows_items(interp: Interpreter, ref: ObjectRef) -> bool:
    """Return whether the attributes of a dict are its items, by ``self.__dict__ = self``."""
    if not isinstance(ref.holder, DictRef):
        return False
    if ref.holder.shows_items:
        return True
    if ref.live is None or ref.path is None or dict_of(ref.live) is not ref.live:
        return False
    interp.guard((*ref.path, Attribute("__dict__")), "same", ref.path)
    return True


def _through(interp: Interpreter, cls: type, name: str, instance: Abstract) -> Abstract:
    """What a property, or another descriptor that comes first, gives of an instance."""
    if isinstance(lookups.static_on_class(cls, name), property):
        return _through_property(interp, cls, name, "fget", [instance])
    return _through_descriptor(interp, cls, name, instance, cls)


def _through_property(
    interp: Interpreter, cls: type, name: str, part: str, arguments: list[Abstract]
) -> Abstract:
    """A call of a property's getter, setter or deleter."""
    found = lookups.on_class(interp, cls, name)
    function = getattr(found, part)
    if function is None:
        way = {"fget": "getter", "fset": "setter", "fdel": "deleter"}[part]
        raise users(AttributeError(f"property {name!r} of {cls.__name__!r} object has no {way}"))
    return interp.call(function, arguments, {})


def _through_descriptor(
    interp: Interpreter, cls: type, name: str, instance: Abstract, owner: type
) -> Abstract:
    """What an object of a user's class, which a class has, says an attribute is."""
    descriptor = _descriptor(interp, cls, name)
    return interp.call_method(descriptor, "__get__", instance, owner)


def _descriptor(interp: Interpreter, cls: type, name: str) -> Abstract:
    holder = lookups.holder_of(cls, name)
    holder = cls if holder is None else holder
    if lookups.MADE_HERE in holder.__dict__:
        return holder.__dict__[name]
    lookups.bases_stay(interp, cls)
    for base in cls.__mro__[: cls.__mro__.index(holder)]:
        lookups.does_not_define(interp, base, name)
    variable = lookups.variable_of(interp, holder)
    path = (variable, "__dict__", name)
    return read_once(interp, (variable, f"descriptor {name}"), holder.__dict__[name], path)


def own_attribute(interp: Interpreter, ref: ObjectRef, name: str) -> Abstract:
    """What stands at ``object.name`` outside."""
    assert ref.path is not None
    value = getattr(ref.live, name)
    step = name if ref.holder is None else Attribute(name)
    return reflect_everywhere(interp, (ref, name), value, (*ref.path, step))


def _attribute_of_its_class(
    interp: Interpreter, ref: ObjectRef, name: str, plainly: bool
) -> Abstract:
    found = lookups.present_on_class(interp, ref.type, name)
    found = lookups.bound(interp, ref.type, name, found, f"'{ref.type.__name__}' object")
    if found is not ABSENT and lookups.is_unchanging(found) and ref.live is not None:
        return own_attribute(interp, ref, name)  # whether the object hides it or not
    if name in _OF_RAISING and is_exception(ref) and ref.live is None and ref.path is None:
        return _told_of_raising(interp, ref, name)
    if isinstance(found, native.DATA) and ref.holder is None:
        if is_exception(ref) and ref.live is None and ref.path is None:
            held = python_attribute(interp, ref, name)
            if held is not ABSENT:
                return held
        native.require_data(interp, ref, name, found)
        return own_attribute(interp, ref, name)
    lookups.has_not_itself(interp, ref, name)
    lookups.on_class(interp, ref.type, name)
    if isinstance(found, functools.cached_property):
        return _computed_once(interp, ref, name, found)
    if found is not ABSENT:
        return bind_found(interp, whole(ref), ref.type, found, name)
    fallback = lookups.on_class(interp, ref.type, "__getattr__")
    if fallback is not ABSENT and not plainly:
        method = bind_found(interp, whole(ref), ref.type, fallback, "__getattr__")
        return interp.call(method, [name], {})
    raise _without(ref.type, name)


def _computed_once(
    interp: Interpreter, ref: ObjectRef, name: str, found: functools.cached_property[Any]
) -> Abstract:
    """What a cached property computes, which is the object's own from there on."""
    try:
        content = interp.call(found.func, [whole(ref)], {})
    except CalleeLeft as left:
        raise left_inside(left) from None
    put_attribute(interp, ref, name, content)  # into its dict, whatever ``__setattr__`` does
    return content


def _has_itself(interp: Interpreter, ref: ObjectRef, name: str) -> bool:
    """Return whether an object has an attribute of its own, on some path or outside."""
    outside = ref.live is not None and name in lookups.own_attributes(ref.live)
    return outside or interp.heap.get((ref, name)) is not ABSENT


def _without(cls: type, name: str) -> Exception:
    """What is raised where a class has no such attribute."""
    return not_followed(cls, name) or users(_lacks(cls, name))


_OF_RAISING = ("__cause__", "__suppress_context__", "__context__", "__traceback__")


def _told_of_raising(interp: Interpreter, error: ObjectRef, name: str) -> Abstract:
    """What an exception made here has by ``raise ... from``, where nothing has set it."""
    if name == "__context__":
        return context_of(interp, error)
    if name == "__traceback__":  # set by raising itself, which is not followed
        raise UnsupportedSyntaxError(
            f"the '{name}' of an exception that is raised in the function",
            hint="raise it from the other exception, and read '__cause__'",
        )
    if name == "__cause__":
        return None
    cause = interp.content((error, "__cause__"))
    return cause.bound() if isinstance(cause, PossiblyUnbound) else cause is not ABSENT


def _lacks(cls: type, name: str) -> AttributeError:
    return AttributeError(f"'{cls.__name__}' object has no attribute '{name}'")


def bind_found(
    interp: Interpreter, instance: Abstract, owner: type, found: Any, name: str
) -> Abstract:
    """What a class has under a name, as the instance has it."""
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, classmethod):
        return BoundMethod(found.__func__, owner)
    if isinstance(found, types.FunctionType | Closure | lookups.CACHED):
        return BoundMethod(found, instance)
    if lookups.is_of_symdiff(found) or found is object.__init__:
        return BoundMethod(found, instance)
    if isinstance(found, property | functools.cached_property):
        return _through_inherited(interp, instance, owner, found, name)
    if isinstance(found, functools.partialmethod):
        method = bind_found(interp, instance, owner, found.func, name)
        return Partial(method, found.args, tuple(found.keywords.items()))
    if native.binds(found):
        return _bound_natively(interp, instance, owner, found, name)
    if lookups.is_descriptor(found):
        return _through_descriptor(interp, owner, name, instance, class_of(interp, instance))
    return class_attribute(interp, owner, name)


def _through_inherited(
    interp: Interpreter,
    instance: Abstract,
    owner: type,
    found: property | functools.cached_property[Any],
    name: str,
) -> Abstract:
    """What a property gives of an instance whose class has another one: ``super().name``."""
    if isinstance(found, property):
        return _through_property(interp, owner, name, "fget", [instance])
    ref = _with_attributes(interp, instance, name)
    if ref is None or found.attrname != name or _has_itself(interp, ref, name):
        raise UnsupportedSyntaxError(f"the cached property {name!r} of a class it inherits")
    return _computed_once(interp, ref, name, found)


def _bound_natively(
    interp: Interpreter, instance: Abstract, owner: type, found: Any, name: str
) -> Abstract:
    """What a class has, as an instance has it, where that is not said in Python."""
    if has_hash(found) and found in DEFINITIONS:
        return BoundMethod(found, instance)
    if not isinstance(found, native.METHODS):
        raise native.not_followed(interp, owner, name)
    if _is_native_slot(instance, found):
        return BoundMethod(found, instance)
    if subclassed.is_made(interp, instance):
        if subclassed.asks_for_another_text(instance, name):
            raise native.not_followed(interp, owner, name)
        return interp.attribute(subclassed.as_python(interp, instance), name)
    if isinstance(instance, ObjectRef):
        return native.method_of(interp, instance, name, found)
    return class_attribute(interp, owner, name)


def _is_native_slot(instance: Abstract, found: Any) -> bool:
    """Return whether a method written in C is one whose meaning is known (``slots``)."""
    return found in native.SLOTS or isinstance(instance, ListRef | DictRef | type)


def set_attribute(interp: Interpreter, value: Abstract, name: str, content: Abstract) -> None:
    """``value.name = content``."""
    ref = _with_attributes(interp, value, name)
    if ref is not None:
        _set_object_attribute(interp, ref, name, content)
    elif isinstance(value, DictRef) and name == "default_factory":
        _set_factory(interp, value, content)
    elif isinstance(value, Array) and name == "flat":
        set_flat(interp, call_flat(interp, value), Ellipsis, content)
    elif isinstance(value, Array) and name in ("real", "imag", "T"):
        set_item(interp, get_attribute(interp, value, name), Ellipsis, content)
    elif isinstance(value, Array) and name == "shape":
        raise UnsupportedSyntaxError("assigning to .shape", None, "use x = x.reshape(...)")
    elif isinstance(value, types.ModuleType):
        rebind_free(interp, interp.free_variable("global", value.__dict__, name), content)
    elif isinstance(value, type):
        _set_class_attribute(interp, value, name, content)
    elif isinstance(value, types.FunctionType) and hasattr(value, name):
        _set_free_attribute(interp, value, name, content)
    else:
        _raise_as_numbers_do(interp, value, name)
        raise UnsupportedSyntaxError(f"assigning to attribute '{name}' of {describe(value)}")


def _set_factory(interp: Interpreter, mapping: DictRef, factory: Abstract) -> None:
    """``d.default_factory = factory``, of a ``defaultdict`` that is made here."""
    if interp.heap.get((mapping, "default_factory")) is ABSENT:
        kind = mapping.type.__name__
        raise users(AttributeError(f"'{kind}' object has no attribute 'default_factory'"))
    if mapping.path is not None:
        raise UnsupportedSyntaxError("assigning to the default_factory of a dict from outside")
    interp.put((mapping, "default_factory"), factory)


def _raise_as_numbers_do(interp: Interpreter, value: Abstract, name: str) -> None:
    """Raise what Python does where an array or a number is given an attribute of no such name."""
    is_known = isinstance(value, Array | int | float | complex) or (
        isinstance(value, Value) and isinstance(value.type, ArrayType)
    )
    cls = class_of(interp, value) if is_known else object
    if is_known and not hasattr(cls, name):
        with python_raises():
            setattr(np.zeros(1) if cls is np.ndarray else cls(1), name, None)


def _set_class_attribute(interp: Interpreter, owner: type, name: str, content: Abstract) -> None:
    setter = lookups.static_on_class(type(owner), "__setattr__")
    if isinstance(setter, types.FunctionType):
        raise UnsupportedSyntaxError(
            f"assigning to an attribute of {owner.__name__}, whose metaclass has a __setattr__",
            hint="write it to an object, or return it",
        )
    if lookups.MADE_HERE in owner.__dict__:
        _set_on_class_made_here(interp, owner, name, content)
        return
    if not hasattr(owner, name):
        raise UnsupportedSyntaxError(
            f"a new attribute '{name}' of the class {owner.__name__}",
            hint="set it before the call, or write it to an object",
        )
    _set_free_attribute(interp, owner, name, content)


def _set_on_class_made_here(interp: Interpreter, owner: type, name: str, content: Abstract) -> None:
    special = name.startswith("__") and name.endswith("__")
    if special or lookups.is_data_descriptor(lookups.static_on_class(type(owner), name)):
        raise UnsupportedSyntaxError(
            f"assigning to '{name}' of {owner.__name__}, a class that is made here",
            hint="say it in the body of the class",
        )
    put_attribute(interp, owner.__dict__[lookups.MADE_HERE], name, content)


def _set_free_attribute(
    interp: Interpreter, owner: type | types.FunctionType, name: str, content: Abstract
) -> None:
    """Set an attribute of a class or a function outside that has it."""
    _free_attribute(interp, owner, name, getattr(owner, name))
    variable = lookups.variable_of(interp, owner)
    interp.put((variable, name), content)
    interp.attributes[variable, name] = None


def _set_object_attribute(
    interp: Interpreter, ref: ObjectRef, name: str, content: Abstract
) -> None:
    if tables.is_table(ref):
        raise native.not_followed(interp, ref.type, name)
    setter = lookups.static_on_class(ref.type, "__setattr__")
    if isinstance(setter, types.WrapperDescriptorType) and setter.__name__ == "__setattr__":
        if not _sets_plainly(setter.__objclass__):
            raise native.not_followed(interp, ref.type, name)
        set_plainly(interp, ref, name, content)
        return
    lookups.on_class(interp, ref.type, "__setattr__")
    if _is_frozen(ref.type):
        raise users(dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}"))
    method = bind_found(interp, whole(ref), ref.type, setter, "__setattr__")
    interp.call(method, [name, content], {})


def _sets_plainly(cls: type) -> bool:
    """Return whether the ``__setattr__`` of a class written in C does what an object's does, in
    this thread: the program reads and writes what the thread that calls it has.
    """
    return cls is threading.local or cls.__module__ in ("builtins", "types")


def _is_frozen(cls: type) -> bool:
    """Return whether ``__setattr__`` is what ``dataclasses`` make of a frozen class."""
    holder = lookups.holder_of(cls, "__setattr__")
    parameters = {} if holder is None else holder.__dict__
    return getattr(parameters.get("__dataclass_params__"), "frozen", False)


def set_plainly(interp: Interpreter, ref: ObjectRef, name: str, content: Abstract) -> None:
    """``object.__setattr__(object, name, content)``."""
    found = lookups.present_on_class(interp, ref.type, name)
    if isinstance(found, property):
        _through_property(interp, ref.type, name, "fset", [whole(ref), content])
    elif lookups.is_descriptor(found, "__set__"):
        descriptor = _descriptor(interp, ref.type, name)
        interp.call_method(descriptor, "__set__", whole(ref), content)
    elif name != "__dict__" and shows_items(interp, ref):
        set_native_item(interp, ref.holder, name, content)
    elif name == "__dict__":
        _show_items(interp, ref, content)
    elif name == "args" and is_exception(ref) and ref.live is None:
        set_arguments(interp, ref, content)
    else:
        _require_place(ref, name, found)
        put_attribute(interp, ref, name, content)


def _require_place(ref: ObjectRef, name: str, found: Any) -> None:
    """Raise as Python does where an object without a dict has no slot of this name."""
    if has_dict(ref.type) or ref.holder is not None or lookups.is_slot(found):
        return
    if found is ABSENT:
        raise users(_lacks(ref.type, name))
    told = f"'{ref.type.__name__}' object attribute '{name}' is read-only"
    raise users(AttributeError(told))


def _show_items(interp: Interpreter, ref: ObjectRef, content: Abstract) -> None:
    """``self.__dict__ = self`` of a dict, or ``= items`` of an object without attributes, where
    both are made here; no other dict is followed.
    """
    known_before = any(heap.get(ref.holder) is not ABSENT for heap in interp.outer_heaps)
    itself = isinstance(content, DictRef) and content is ref.holder
    if not known_before and _is_first_dict(interp, ref, content):
        _take_items(interp, ref, content)
        return
    if not itself or ref.path is not None or known_before:
        raise UnsupportedSyntaxError(
            "the attributes of an object as a dict", hint="write the names out"
        )
    content.shows_items = True


def _is_first_dict(interp: Interpreter, ref: ObjectRef, content: Abstract) -> bool:
    """Return whether a dict that is made here becomes the first attributes of an object."""
    if not isinstance(content, DictRef) or content.type is not dict or content.path is not None:
        return False
    items = interp.content(content)
    made_here = ref.path is None and ref.holder is None and has_dict(ref.type)
    return (
        made_here
        and not interp.heap.held(ref)
        and isinstance(items, dict)
        and all(type(key) is str for key in items)
        and not any(isinstance(item, Conflict | PossiblyUnbound) for item in items.values())
    )


def _take_items(interp: Interpreter, ref: ObjectRef, content: DictRef) -> None:
    """Give an object a dict's items; the dict, in which its attributes would be seen, is no more
    read.
    """
    for name, item in interp.content(content).items():
        interp.put((ref, name), item)
    reason = f"a dict that is the attributes of {describe(ref)}"
    hint = "read the attributes, or give the object a copy: dict(items)"
    interp.put(content, Conflict("dict", reason, interp.span, hint=hint))


def _as_dict(interp: Interpreter, ref: ObjectRef) -> Abstract:
    """What ``vars(object)`` gives: its items are the attributes of the object itself."""
    if shows_items(interp, ref):
        return ref.holder
    if not has_dict(ref.type):
        name = ref.type.__name__
        raise users(AttributeError(f"'{name}' object has no attribute '__dict__'"))
    return interp.call(Attributes, [ref], {})


def delete_attribute(interp: Interpreter, value: Abstract, name: str) -> None:
    """``del value.name``, of an object that is made here."""
    ref = _with_attributes(interp, value, name)
    if ref is None:
        raise UnsupportedSyntaxError(
            f"'del' of an attribute of {describe(value)}",
            hint="del works on names, on items of lists and dicts, on attributes of objects",
        )
    found = lookups.static_on_class(ref.type, "__delattr__")
    if not (isinstance(found, types.WrapperDescriptorType) and found.__name__ == "__delattr__"):
        lookups.on_class(interp, ref.type, "__delattr__")
        if _is_frozen(ref.type):
            raise users(dataclasses.FrozenInstanceError(f"cannot delete field {name!r}"))
        method = bind_found(interp, whole(ref), ref.type, found, "__delattr__")
        interp.call(method, [name], {})
        return
    found = lookups.static_on_class(ref.type, name)
    if isinstance(found, property):
        _through_property(interp, ref.type, name, "fdel", [whole(ref)])
    elif lookups.is_descriptor(found, "__delete__"):
        interp.call_method(_descriptor(interp, ref.type, name), "__delete__", whole(ref))
    else:
        delete_own(interp, ref, name)


def delete_own(interp: Interpreter, ref: ObjectRef, name: str) -> None:
    """Let an object not have an attribute of its own; Python's error where it has none."""
    content = interp.content((ref, name))
    outside = ref.live is not None and name in lookups.own_attributes(ref.live)
    set_there = is_callers(ref) and content is not ABSENT
    if outside or set_there or name == "__dict__" or shows_items(interp, ref):
        raise UnsupportedSyntaxError(
            f"'del' of an attribute of {describe(ref)} that is not made here", hint="set it to None"
        )
    if content is ABSENT:
        lookups.has_not_itself(interp, ref, name)
        raise users(_lacks(ref.type, name))
    if isinstance(content, PossiblyUnbound):
        interp.require_bound((ref, name), content, _lacks(ref.type, name))
    interp.heap.changed(ref)
    interp.put((ref, name), ABSENT)


def put_attribute(interp: Interpreter, ref: ObjectRef, name: str, content: Abstract) -> None:
    """Hold what an attribute of the object itself is from here on."""
    if ref.live is not None and name in lookups.own_attributes(ref.live):
        object_attribute(interp, ref, name)
    if ref.live is not None or ref.path is not None:
        interp.attributes[ref, name] = None
    elif is_exception(ref):
        note_change(interp, ref, name)
    interp.heap.changed(ref)
    interp.put((ref, name), content)


def special_method(interp: Interpreter, instance: Abstract, name: str) -> Abstract:
    """A method that Python looks for on the class only."""
    if tables.is_table(instance):
        return tables.method(instance, name)
    cls = class_of(interp, instance)
    found = lookups.on_class(interp, cls, name)
    if found is ABSENT or found is None:
        raise not_followed(cls, name) or users(TypeError(f"'{cls.__name__}' object has no {name}"))
    return bind_found(interp, instance, cls, found, name)


HOOKS.method = special_method
HOOKS.attribute = get_attribute


def _alias_attribute(interp: Interpreter, alias: Any, name: str) -> Abstract:
    """``Class[item].name``: what the class has, but for what tells of the alias itself."""
    if name.startswith("__"):
        return _static_attribute(interp, alias, name)
    return get_attribute(interp, alias.__origin__, name)


_WITH_ATTRIBUTES_OF_THEIR_OWN: dict[type, Callable[[Interpreter, Any, str], Abstract]] = {
    types.ModuleType: _module_attribute,
    types.FunctionType: _function_attribute,
    BoundMethod: _method_attribute,
    type: class_attribute,
    types.GenericAlias: _alias_attribute,
    GENERIC_ALIAS: _alias_attribute,
    slice: _slice_attribute,
    np.datetime64: _static_attribute,
    np.timedelta64: _static_attribute,
}
