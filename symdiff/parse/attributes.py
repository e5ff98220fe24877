"""Attributes of abstract values: reading and writing them."""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.definitions import OBJECTS, is_definition
from symdiff.definitions.libraries import meet
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ops.declare import ATTRIBUTES, METHODS
from symdiff.parse import lookups, native
from symdiff.parse.blame import judged, users
from symdiff.parse.flat import set_flat
from symdiff.parse.identity import class_of, is_unknown
from symdiff.parse.interpreter import HOOKS, Interpreter, describe
from symdiff.parse.items import set_item
from symdiff.parse.lookups import has_hash
from symdiff.parse.reflect import STATIC_TYPES
from symdiff.parse.scope import read_free, reflect_everywhere
from symdiff.parse.texts import settled
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    ArrayMethod,
    BoundMethod,
    Closure,
    DictRef,
    ListRef,
    ObjectRef,
    Partial,
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
    value = settled(interp, value)
    with judged(interp, getattr, (value, name)):
        return _attribute(interp, value, name)


def _attribute(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    if is_unknown(value):
        return _opaque_attribute(interp, value, name)
    for kind, attribute in _WITH_ATTRIBUTES_OF_THEIR_OWN.items():
        if isinstance(value, kind):
            return attribute(interp, value, name)
    if hasattr(value, "staged_attribute"):
        return value.staged_attribute(name)
    owner = class_of(interp, value)
    if owner.__module__ in _WITH_FIXED_ATTRIBUTES and not _has(owner, name):
        module = "" if owner.__module__ == "builtins" else f"{owner.__module__}."
        shown = f"{module}{owner.__name__}"
        raise users(AttributeError(f"'{shown}' object has no attribute '{name}'"))
    if isinstance(value, Value | Array | np.generic):
        return _array_attribute(interp, value, name)
    if isinstance(value, ListRef | DictRef | bool | int | float | complex):
        return _method_of(interp, value, name)
    if isinstance(value, tuple):
        return _tuple_attribute(interp, value, name)
    return _static_attribute(interp, value, name)


_WITH_FIXED_ATTRIBUTES = frozenset(
    {"builtins", "numpy", np.random.Generator.__module__, np.random.RandomState.__module__}
)


def _function_attribute(interp: Interpreter, function: types.FunctionType, name: str) -> Abstract:
    if not hasattr(function, name):
        lookups.rests_on(interp, function, name, ABSENT)
        raise users(AttributeError(f"'function' object has no attribute '{name}'"))
    return _free_attribute(interp, function, name, getattr(function, name))


def _has(owner: type, name: str) -> bool:
    """Return whether instances of a class have an attribute: ``hasattr`` would ask the metaclass
    too.
    """
    if owner in _LIMITS:  # whose attributes are made with the instance
        return hasattr(_LIMITS[owner], name)
    return any(name in c.__dict__ for c in owner.__mro__)


_LIMITS: dict[type, Any] = {np.finfo: np.finfo(float), np.iinfo: np.iinfo(int)}


def _opaque_attribute(interp: Interpreter, value: Value, name: str) -> Abstract:
    raise UnsupportedCallError(
        f"attribute '{name}' of an object that symdiff does not follow",
        interp.span,
        "compute with it outside the function, or in one marked symdiff.nondifferentiable",
    )


def _array_attribute(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    interp.heap.require_array(value)
    if name in ATTRIBUTES:
        result = ATTRIBUTES[name](interp.lift(value))
        return adopt(interp, result, {interp.lift(value): value})
    if name == "flat":
        return call_flat(interp, value)
    return _method_of(interp, value, name)


def call_flat(interp: Interpreter, value: Abstract) -> Abstract:
    """``x.flat``: the elements in C order, readable and writable."""
    base = interp.lift(value)
    flat = METHODS["reshape"](base, -1)
    return seen_through(interp, value, flat.node) if isinstance(value, Array) else flat


def _method_of(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    """A method; a class attribute such as ``__doc__``, or an attribute of a number, as it is."""
    if name == "__class__":
        return class_of(interp, value)
    if isinstance(value, bool | int | float | complex):
        found = getattr(value, name)
        return ArrayMethod(value, name) if callable(found) else found
    owner = class_of(interp, value)
    on_class = next(c.__dict__[name] for c in owner.__mro__ if name in c.__dict__)
    if callable(on_class) or isinstance(on_class, staticmethod | classmethod):
        return ArrayMethod(value, name)
    if isinstance(on_class, STATIC_TYPES):
        return on_class
    raise UnsupportedSyntaxError(f"attribute '{name}' of {describe(value)}", interp.span)


def _tuple_attribute(interp: Interpreter, value: tuple[Any, ...], name: str) -> Abstract:
    cls = type(value)
    fields: tuple[str, ...] = getattr(cls, "_fields", ())
    if name in fields:
        return tuple.__getitem__(value, fields.index(name))
    found = lookups.static_on_class(cls, name)
    if found is ABSENT:
        raise users(AttributeError(f"'{cls.__name__}' object has no attribute '{name}'"))
    if isinstance(found, property):
        return _through_property(interp, cls, name, "fget", [value])
    if name in _OF_NAMED_TUPLES or isinstance(found, types.MethodDescriptorType):
        return ArrayMethod(value, name)
    return bind_found(interp, value, cls, lookups.on_class(interp, cls, name), name)


_OF_NAMED_TUPLES = ("_asdict", "_replace", "_make")


def _static_attribute(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    if isinstance(value, Closure) and name == "__name__":
        return value.name
    if isinstance(value, Partial) and name in ("func", "args", "keywords"):
        return {"func": value.function, "args": value.arguments}.get(name, dict(value.keywords))
    if isinstance(value, dataclasses.Field) and name in ("name", "init", "compare", "kw_only"):
        return getattr(value, name)
    if isinstance(value, Range) and name in ("start", "stop", "step"):
        return getattr(value, name)
    if isinstance(value, StaticSet) and not hasattr(frozenset, name):
        raise UnsupportedSyntaxError(
            f"'{name}' of a set, which changes it", interp.span, "use a list, or a dict"
        )
    if isinstance(value, STATIC_TYPES) or getattr(type(value), "__symdiff_static__", False):
        return getattr(value, name)
    if is_of_library(value):
        return getattr(value, name)
    raise UnsupportedSyntaxError(f"attribute '{name}' of {describe(value)}", interp.span)


def is_of_library(value: Any) -> bool:
    """Return whether this is an object of a library's, whose methods are known."""
    meet()
    return value in OBJECTS if has_hash(value) else False


def _module_attribute(interp: Interpreter, module: types.ModuleType, name: str) -> Abstract:
    if module.__name__.split(".")[0] in LIBRARIES or name not in module.__dict__:
        return lookups.of_module(interp, module, name)
    return read_free(interp, interp.free_variable("global", module.__dict__, name))


def class_attribute(interp: Interpreter, owner: type, name: str) -> Abstract:
    """``Class.name``."""
    found = lookups.on_class(interp, owner, name)
    if found is ABSENT:
        return _of_metaclass(interp, owner, name)
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, classmethod):
        return BoundMethod(found.__func__, owner)
    if lookups.is_bound(found):
        return getattr(owner, name)
    return _held_by_class(interp, owner, name)


def _of_metaclass(interp: Interpreter, owner: type, name: str) -> Abstract:
    found = getattr(owner, name, ABSENT)
    if found is ABSENT:
        raise users(AttributeError(f"type object '{owner.__name__}' has no attribute '{name}'"))
    return found if isinstance(found, STATIC_TYPES) else _held_by_class(interp, owner, name)


def _held_by_class(interp: Interpreter, owner: type, name: str) -> Abstract:
    """What a class or one of its bases holds: one thing, whatever class it is asked of."""
    value = getattr(owner, name)
    if isinstance(value, int | float) and is_definition({"__name__": owner.__module__}):
        return value
    if lookups.is_unchanging(value):
        return _free_attribute(interp, owner, name, value)
    holder = lookups.holder_of(owner, name) or owner
    lookups.refuse_descriptor(interp, owner, name, holder.__dict__.get(name))
    for cls in owner.__mro__[: owner.__mro__.index(holder)]:
        lookups.does_not_define(interp, cls, name)
    return _free_attribute(interp, holder, name, value)


def _free_attribute(interp: Interpreter, owner: Any, name: str, value: Any) -> Abstract:
    variable = lookups.variable_of(interp, owner)
    key = (variable, name)
    known = interp.content(key)
    if known is not ABSENT:
        return known
    return reflect_everywhere(interp, key, value, (variable, name))


def object_attribute(interp: Interpreter, ref: ObjectRef, name: str) -> Abstract:
    """``object.name``, by Python's rules; properties are followed into their source."""
    if isinstance(lookups.static_on_class(ref.type, name), property):
        return _through_property(interp, ref.type, name, "fget", [ref])
    content = interp.lookup((ref, name), name)
    if content is not ABSENT:
        return content
    if ref.live is not None and name in lookups.own_attributes(ref.live):
        return _own_attribute(interp, ref, name)
    if name == "__class__":
        return ref.type
    if name == "__dict__":
        raise UnsupportedSyntaxError(
            "the attributes of an object as a dict", interp.span, "write the names out"
        )
    return _attribute_of_its_class(interp, ref, name)


def _through_property(
    interp: Interpreter, cls: type, name: str, part: str, arguments: list[Abstract]
) -> Abstract:
    """A call of a property's getter or setter."""
    found = lookups.on_class(interp, cls, name)
    function = getattr(found, part)
    if function is None:
        way = "getter" if part == "fget" else "setter"
        raise users(AttributeError(f"property {name!r} of {cls.__name__!r} object has no {way}"))
    return interp.call(function, arguments, {})


def _own_attribute(interp: Interpreter, ref: ObjectRef, name: str) -> Abstract:
    """What stands at ``object.name`` outside."""
    assert ref.path is not None
    value = getattr(ref.live, name)
    return reflect_everywhere(interp, (ref, name), value, (*ref.path, name))


def _attribute_of_its_class(interp: Interpreter, ref: ObjectRef, name: str) -> Abstract:
    found = lookups.static_on_class(ref.type, name)
    if found is not ABSENT and lookups.is_unchanging(found) and ref.live is not None:
        return _own_attribute(interp, ref, name)  # whether the object hides it or not
    if isinstance(found, native.DATA):
        native.require_data(interp, ref, name, found)
        return _own_attribute(interp, ref, name)
    lookups.has_not_itself(interp, ref, name)
    lookups.on_class(interp, ref.type, name)
    if isinstance(found, functools.cached_property):
        content = interp.call(found.func, [ref], {})
        set_attribute(interp, ref, name, content)
        return content
    if found is not ABSENT:
        return bind_found(interp, ref, ref.type, found, name)
    fallback = lookups.on_class(interp, ref.type, "__getattr__")
    if isinstance(fallback, types.FunctionType):
        return interp.call(fallback, [ref, name], {})
    raise users(AttributeError(f"'{ref.type.__name__}' object has no attribute '{name}'"))


def bind_found(
    interp: Interpreter, instance: Abstract, owner: type, found: Any, name: str
) -> Abstract:
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, classmethod):
        return BoundMethod(found.__func__, owner)
    if isinstance(found, types.FunctionType):
        return BoundMethod(found, instance)
    if hasattr(found, "__symdiff_function__"):
        return BoundMethod(found, instance)
    if found is object.__init__:
        return found
    if isinstance(found, native.METHODS) and isinstance(instance, ObjectRef):
        return native.method_of(interp, instance, name, found)
    return class_attribute(interp, owner, name)


def set_attribute(interp: Interpreter, value: Abstract, name: str, content: Abstract) -> None:
    """``value.name = content``."""
    if isinstance(value, ObjectRef):
        _set_object_attribute(interp, value, name, content)
    elif isinstance(value, Array) and name == "flat":
        set_flat(interp, call_flat(interp, value), Ellipsis, content)
    elif isinstance(value, Array) and name in ("real", "imag", "T"):
        set_item(interp, get_attribute(interp, value, name), Ellipsis, content)
    elif isinstance(value, Array) and name == "shape":
        raise UnsupportedSyntaxError("assigning to .shape", None, "use x = x.reshape(...)")
    elif isinstance(value, Array) and not hasattr(np.ndarray, name):
        raise users(AttributeError(f"'numpy.ndarray' object has no attribute '{name}'"))
    elif isinstance(value, types.ModuleType):
        variable = interp.free_variable("global", value.__dict__, name)
        interp.put(variable, content)
        interp.rebound[variable] = None
    elif isinstance(value, type):
        _free_attribute(interp, value, name, getattr(value, name))
        variable = interp.free_variable("object", value, value.__name__)
        interp.put((variable, name), content)
        interp.attributes[variable, name] = None
    else:
        raise UnsupportedSyntaxError(f"assigning to attribute '{name}' of {describe(value)}")


def _set_object_attribute(
    interp: Interpreter, ref: ObjectRef, name: str, content: Abstract
) -> None:
    if isinstance(lookups.static_on_class(ref.type, name), property):
        _through_property(interp, ref.type, name, "fset", [ref, content])
        return
    setter = lookups.static_on_class(ref.type, "__setattr__")
    if not isinstance(setter, types.FunctionType):
        put_attribute(interp, ref, name, content)
        return
    lookups.on_class(interp, ref.type, "__setattr__")
    if getattr(ref.type.__dict__.get("__dataclass_params__"), "frozen", False):
        raise users(dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}"))
    interp.call(setter, [ref, name, content], {})


def put_attribute(interp: Interpreter, ref: ObjectRef, name: str, content: Abstract) -> None:
    """``object.__setattr__(ref, name, content)``."""
    if ref.live is not None and name in lookups.own_attributes(ref.live):
        object_attribute(interp, ref, name)
    if ref.live is not None or ref.path is not None:
        interp.attributes[ref, name] = None
    interp.heap.changed(ref)
    interp.put((ref, name), content)


def special_method(interp: Interpreter, instance: Abstract, name: str) -> Abstract:
    """A method that Python looks for on the class only."""
    cls = class_of(interp, instance)
    found = lookups.on_class(interp, cls, name)
    if found is ABSENT or found is None:
        raise users(TypeError(f"'{cls.__name__}' object has no {name}"))
    return bind_found(interp, instance, cls, found, name)


HOOKS.method = special_method
HOOKS.attribute = get_attribute
_WITH_ATTRIBUTES_OF_THEIR_OWN: dict[type, Callable[[Interpreter, Any, str], Abstract]] = {
    ObjectRef: object_attribute,
    types.ModuleType: _module_attribute,
    types.FunctionType: _function_attribute,
    type: class_attribute,
}
