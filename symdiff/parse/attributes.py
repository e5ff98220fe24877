"""Attributes of abstract values: reading and writing them."""

from __future__ import annotations

import inspect
import types
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ir.types import OpaqueType
from symdiff.ops.declare import ATTRIBUTES, METHODS
from symdiff.parse.blame import judged, users
from symdiff.parse.identity import class_of, is_unknown
from symdiff.parse.interpreter import LATE, Interpreter, describe
from symdiff.parse.items import set_item
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
    if isinstance(value, ObjectRef):
        return object_attribute(interp, value, name)
    if isinstance(value, types.ModuleType):
        return _module_attribute(interp, value, name)
    if isinstance(value, type):
        return class_attribute(interp, value, name)
    if hasattr(value, "staged_attribute"):
        return value.staged_attribute(name)
    owner = class_of(interp, value)
    if owner.__module__ in _WITH_FIXED_ATTRIBUTES and not hasattr(owner, name):
        raise users(AttributeError(f"'{owner.__name__}' object has no attribute '{name}'"))
    if isinstance(value, Value | Array | np.generic):
        return _array_attribute(interp, value, name)
    if isinstance(value, ListRef | DictRef | bool | int | float | complex):
        return _method_of(interp, value, name)
    if isinstance(value, tuple):
        return _tuple_attribute(value, name)
    return _static_attribute(interp, value, name)


_WITH_FIXED_ATTRIBUTES = frozenset({"builtins", "numpy"})


def _opaque_attribute(interp: Interpreter, value: Value, name: str) -> Abstract:
    if value.type == OpaqueType("Generator"):
        return ArrayMethod(value, name)
    raise UnsupportedCallError(
        f"attribute '{name}' of an object that symdiff does not follow",
        interp.span,
        "compute with it outside the function, or in one marked symdiff.nondifferentiable",
    )


def _array_attribute(interp: Interpreter, value: Abstract, name: str) -> Abstract:
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
    if callable(getattr(owner, name)):
        return ArrayMethod(value, name)
    on_class = inspect.getattr_static(owner, name)
    if isinstance(on_class, STATIC_TYPES):
        return on_class
    raise UnsupportedSyntaxError(f"attribute '{name}' of {describe(value)}", interp.span)


def _tuple_attribute(value: tuple[Any, ...], name: str) -> Abstract:
    if name in getattr(value, "_fields", ()):
        return getattr(value, name)
    found = inspect.getattr_static(type(value), name)
    if isinstance(found, types.FunctionType | property) and not name.startswith("_"):
        return bind_found(None, value, type(value), found)
    return ArrayMethod(value, name)


def _static_attribute(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    if isinstance(value, Closure) and name == "__name__":
        return value.name
    if isinstance(value, Partial) and name in ("func", "args", "keywords"):
        return {"func": value.function, "args": value.arguments}.get(name, dict(value.keywords))
    if isinstance(value, Range) and name in ("start", "stop", "step"):
        return getattr(value, name)
    if isinstance(value, STATIC_TYPES) or getattr(type(value), "__symdiff_static__", False):
        return getattr(value, name)
    raise UnsupportedSyntaxError(f"attribute '{name}' of {describe(value)}", interp.span)


def _module_attribute(interp: Interpreter, module: types.ModuleType, name: str) -> Abstract:
    if module.__name__.split(".")[0] in LIBRARIES:
        return getattr(module, name)
    if name not in module.__dict__:
        return getattr(module, name)
    return read_free(interp, interp.free_variable("global", module.__dict__, name))


def class_attribute(interp: Interpreter, owner: type, name: str) -> Abstract:
    """``Class.name``."""
    found = inspect.getattr_static(owner, name)
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, classmethod):
        return BoundMethod(found.__func__, owner)
    if isinstance(found, STATIC_TYPES):
        return getattr(owner, name)
    holder = next(c for c in owner.__mro__ if name in c.__dict__)
    return _free_attribute(interp, holder, name, getattr(owner, name))


def _free_attribute(interp: Interpreter, owner: Any, name: str, value: Any) -> Abstract:
    variable = interp.free_variable("object", owner, getattr(owner, "__name__", "object"))
    key = (variable, name)
    known = interp.content(key)
    if known is not ABSENT:
        return known
    return reflect_everywhere(interp, key, value, (variable, name))


def object_attribute(interp: Interpreter, ref: ObjectRef, name: str) -> Abstract:
    """``object.name``, by Python's rules; properties are followed into their source."""
    on_class = inspect.getattr_static(ref.type, name, None)
    if isinstance(on_class, property):
        return interp.call(on_class.fget, [ref], {})
    content = interp.lookup((ref, name), name)
    if content is not ABSENT:
        return content
    if ref.live is not None and name in _instance_attributes(ref.live):
        assert ref.path is not None
        value = getattr(ref.live, name)
        return reflect_everywhere(interp, (ref, name), value, (*ref.path, name))
    if name == "__class__":
        return ref.type
    if on_class is None:
        raise users(AttributeError(f"'{ref.type.__name__}' object has no attribute '{name}'"))
    return bind_found(interp, ref, ref.type, on_class, name)


def _instance_attributes(live: Any) -> set[str]:
    names = set(getattr(live, "__dict__", {}))
    for owner in type(live).__mro__:
        slots = owner.__dict__.get("__slots__", ())
        names.update((slots,) if isinstance(slots, str) else slots)
    return {name for name in names if hasattr(live, name)}


def bind_found(
    interp: Interpreter | None, instance: Abstract, owner: type, found: Any, name: str = ""
) -> Abstract:
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, classmethod):
        return BoundMethod(found.__func__, owner)
    if isinstance(found, types.FunctionType):
        return BoundMethod(found, instance)
    if hasattr(found, "__symdiff_function__"):
        return BoundMethod(found, instance)
    if interp is not None:
        return class_attribute(interp, owner, name)
    return found


def set_attribute(interp: Interpreter, value: Abstract, name: str, content: Abstract) -> None:
    """``value.name = content``."""
    if isinstance(value, ObjectRef):
        _set_object_attribute(interp, value, name, content)
    elif isinstance(value, Array) and name in ("real", "imag", "T", "flat"):
        set_item(interp, get_attribute(interp, value, name), Ellipsis, content)
    elif isinstance(value, Array) and name == "shape":
        raise UnsupportedSyntaxError("assigning to .shape", None, "use x = x.reshape(...)")
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
    found = inspect.getattr_static(ref.type, name, None)
    if isinstance(found, property):
        interp.call(found.fset, [ref, content], {})
        return
    if ref.live is not None:
        if name in _instance_attributes(ref.live):
            object_attribute(interp, ref, name)
        interp.attributes[ref, name] = None
    interp.put((ref, name), content)


LATE.attribute = object_attribute
