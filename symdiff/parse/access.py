"""Attributes and items of abstract values: reading and writing them."""

from __future__ import annotations

import ast
import inspect
import types
from typing import Any

import numpy as np

from symdiff import ops
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.ir.types import ListType
from symdiff.ops.declare import ATTRIBUTES, METHODS, static
from symdiff.ops.index import is_view
from symdiff.parse import staged_lists
from symdiff.parse.interpreter import Interpreter, describe, is_array
from symdiff.parse.reflect import STATIC_TYPES
from symdiff.parse.scope import read_free, reflect_everywhere
from symdiff.parse.supers import Super, super_attribute
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    ArrayMethod,
    BoundMethod,
    Closure,
    DictRef,
    Lens,
    ListRef,
    ObjectRef,
    Partial,
    Range,
)

LIBRARIES = frozenset({"numpy", "scipy", "math", "cmath", "builtins", "functools", "itertools"})
LIBRARIES |= {"operator", "symdiff", "collections", "typing", "dataclasses", "warnings", "copy"}
MUTATING_ARRAY_METHODS = frozenset({"fill", "sort", "itemset", "resize", "partition", "put"})

# Attributes ---------------------------------------------------------------------------------------


def get_attribute(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    """``value.name``."""
    if isinstance(value, Value | Array) or isinstance(value, np.generic):
        return _array_attribute(interp, value, name)
    if isinstance(value, ObjectRef):
        return object_attribute(interp, value, name)
    if isinstance(value, types.ModuleType):
        return _module_attribute(interp, value, name)
    if isinstance(value, Super):
        return super_attribute(interp, value, name)
    if isinstance(value, type):
        return class_attribute(interp, value, name)
    if isinstance(value, ListRef | DictRef | bool | int | float | complex):
        return _method_of(value, name)
    if isinstance(value, tuple):
        return _tuple_attribute(value, name)
    return _static_attribute(value, name)


def _array_attribute(interp: Interpreter, value: Abstract, name: str) -> Abstract:
    if name in ATTRIBUTES:
        result = ATTRIBUTES[name](interp.lift(value))
        return adopt(interp, result, {interp.lift(value): value})
    if name == "flat":
        return call_flat(interp, value)
    if name in METHODS or name in MUTATING_ARRAY_METHODS or hasattr(np.ndarray, name):
        return ArrayMethod(value, name)
    if hasattr(float, name) or hasattr(int, name):
        return ArrayMethod(value, name)
    raise AttributeError(f"{describe(value)} has no attribute '{name}'")


def call_flat(interp: Interpreter, value: Abstract) -> Abstract:
    """``x.flat``: the elements in C order, readable and writable."""
    base = interp.lift(value)
    return adopt(interp, METHODS["reshape"](base, -1), {base: value})


def _method_of(value: Abstract, name: str) -> Abstract:
    if isinstance(value, bool | int | float | complex) and name in ("real", "imag"):
        return getattr(value, name)
    return ArrayMethod(value, name)


def _tuple_attribute(value: tuple[Any, ...], name: str) -> Abstract:
    if name in getattr(value, "_fields", ()):
        return getattr(value, name)
    found = inspect.getattr_static(type(value), name)
    if isinstance(found, types.FunctionType | property) and not name.startswith("_"):
        return _bind(None, value, type(value), found)
    return ArrayMethod(value, name)


def _static_attribute(value: Abstract, name: str) -> Abstract:
    if isinstance(value, Closure) and name == "__name__":
        return value.name
    if isinstance(value, Partial) and name in ("func", "args", "keywords"):
        return {"func": value.function, "args": value.arguments}.get(name, dict(value.keywords))
    if isinstance(value, Range) and name in ("start", "stop", "step"):
        return getattr(value, name)
    if hasattr(value, "staged_attribute"):
        return value.staged_attribute(name)
    if isinstance(value, STATIC_TYPES) or getattr(type(value), "__symdiff_static__", False):
        return getattr(value, name)
    raise UnsupportedSyntaxError(f"attribute '{name}' of {describe(value)}")


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
        from symdiff.parse.calls import call_value

        return call_value(interp, on_class.fget, [ref], {})
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
        raise AttributeError(f"'{ref.type.__name__}' object has no attribute '{name}'")
    return _bind(interp, ref, ref.type, on_class, name)


def _instance_attributes(live: Any) -> set[str]:
    names = set(getattr(live, "__dict__", {}))
    for owner in type(live).__mro__:
        slots = owner.__dict__.get("__slots__", ())
        names.update((slots,) if isinstance(slots, str) else slots)
    return {name for name in names if hasattr(live, name)}


def _bind(
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
        from symdiff.parse.calls import call_value

        call_value(interp, found.fset, [ref, content], {})
        return
    if ref.live is not None:
        if name in _instance_attributes(ref.live):
            object_attribute(interp, ref, name)
        interp.attributes[ref, name] = None
    interp.put((ref, name), content)


# Views --------------------------------------------------------------------------------------------


def adopt(interp: Interpreter, result: Any, arrays: dict[Value, Abstract]) -> Abstract:
    """What the program holds for an op's result: the array itself, a view of it, or a new array.

    ``arrays`` tells which of the program's arrays the operands were read from.
    """
    if isinstance(result, tuple | list):
        items = [adopt(interp, item, arrays) for item in result]
        if isinstance(result, list):
            made = ListRef()
            interp.put(made, tuple(items))
            return made
        return tuple.__new__(type(result), items)
    if not isinstance(result, Value):
        return result
    if interp.stopped:
        return interp.wrap(stopped(result))
    if not is_array(result.type):
        return result
    return _view(interp, result, arrays) or interp.wrap(result)


def stopped(value: Value) -> Value:
    """A value without derivative, inside ``no_grad``."""
    from symdiff.ir.types import carries_derivative

    return ops.stop_gradient(value) if carries_derivative(value.type) else value


def _view(interp: Interpreter, result: Value, arrays: dict[Value, Abstract]) -> Array | None:
    lenses: list[Lens] = []
    values = [result]
    while values[-1] not in arrays:
        node = values[-1].node
        if node is None or node.op.view is None or not is_view(node):
            return None
        lenses.append(Lens.of(node))
        values.append(node.operands[0])
    source = arrays[values[-1]]
    if not isinstance(source, Array):
        return None
    for lens, shown, base in zip(lenses, values, values[1:], strict=False):
        interp.heap.remember(base, lens, shown)
    return Array(source.storage, (*source.lenses, *reversed(lenses)))


# Items --------------------------------------------------------------------------------------------


def get_item(interp: Interpreter, value: Abstract, key: Abstract) -> Abstract:
    """``value[key]``."""
    if isinstance(value, Array | Value) and not _is_list(value):
        base = interp.lift(value)
        entries = entries_of(interp, key)
        return adopt(interp, ops.index_of(base, entries), {base: value})
    if isinstance(value, Value):
        return staged_lists.get(interp, value, interp.lift(key))
    if isinstance(value, ListRef):
        return _list_item(interp, value, key)
    if isinstance(value, DictRef):
        return interp.content(value)[static_key(key)]
    if isinstance(value, tuple | str | bytes):
        return value[_static_index(key)]
    if isinstance(value, Range):
        return _range_item(interp, value, key)
    if isinstance(value, ObjectRef):
        from symdiff.parse.calls import call_method

        return call_method(interp, value, "__getitem__", key)
    return value[static(key)]


def _is_list(value: Abstract) -> bool:
    return isinstance(value, Value) and isinstance(value.type, ListType)


def static_key(key: Abstract) -> Any:
    """A dict's key, which must be known at compile time."""
    return static(key)


def _static_index(key: Abstract) -> Any:
    if isinstance(key, slice):
        return slice(static(key.start), static(key.stop), static(key.step))
    return static(key)


def _list_item(interp: Interpreter, ref: ListRef, key: Abstract) -> Abstract:
    content = interp.content(ref)
    if staged_lists.is_staged_list(content):
        if isinstance(key, slice):
            bounds = (_bound(interp, b) for b in (key.start, key.stop, key.step))
            part = ListRef()
            interp.put(part, staged_lists.part(content, *bounds))
            return part
        return staged_lists.get(interp, content, interp.lift(key))
    items = content[_static_index(key)]
    if not isinstance(key, slice):
        return items
    made = ListRef()
    interp.put(made, items)
    return made


def _range_item(interp: Interpreter, value: Range, key: Abstract) -> Abstract:
    from symdiff.parse.operators import binary

    return binary(interp, ast.Add, value.start, binary(interp, ast.Mult, key, value.step))


def entries_of(interp: Interpreter, key: Abstract) -> tuple[Any, ...]:
    """What stands between brackets, as ``ops.index_of`` takes it."""
    parts = key if isinstance(key, tuple) else (key,)
    return tuple(_entry(interp, part) for part in parts)


def _entry(interp: Interpreter, part: Abstract) -> Any:
    if isinstance(part, slice):
        return slice(*(_bound(interp, p) for p in (part.start, part.stop, part.step)))
    if isinstance(part, Array):
        return interp.heap.read(part)
    if isinstance(part, ListRef | tuple):
        from symdiff.parse.calls import plain_argument

        items = plain_argument(interp, part)
        if isinstance(items, Value):
            return ops.list_stack_of(items)
        if any(isinstance(item, Value) for item in items):
            return ops.array_of(items)
        return np.array(items) if len(items) else np.zeros(0, np.intp)
    return part


def _bound(interp: Interpreter, part: Abstract) -> Any:
    return interp.heap.read(part) if isinstance(part, Array) else part


def set_item(interp: Interpreter, target: Abstract, key: Abstract, content: Abstract) -> None:
    """``target[key] = content``."""
    if isinstance(target, Array):
        from symdiff.parse.operators import as_array

        base = interp.heap.read(target)
        new = ops.index_set_of(base, as_array(interp, content), entries_of(interp, key))
        interp.heap.write(target, new)
    elif isinstance(target, ListRef):
        _set_list_item(interp, target, key, content)
    elif isinstance(target, DictRef):
        changed = dict(interp.content(target))
        changed[static_key(key)] = content
        note_write(interp, target)
        interp.put(target, changed)
    elif isinstance(target, ObjectRef):
        from symdiff.parse.calls import call_method

        call_method(interp, target, "__setitem__", key, content)
    else:
        raise TypeError(f"'{describe(target)}' does not support item assignment")


def note_write(interp: Interpreter, ref: ListRef | DictRef) -> None:
    """A list or dict is about to change: what is captured is written back at the end."""
    staged_lists.check_attached(interp, ref)
    if ref.path is not None:
        interp.changed[ref] = None


def _set_list_item(interp: Interpreter, ref: ListRef, key: Abstract, content: Abstract) -> None:
    items = interp.content(ref)
    note_write(interp, ref)
    if staged_lists.is_staged_list(items) and not isinstance(key, slice):
        interp.put(ref, staged_lists.replaced(interp, items, interp.lift(key), content))
        return
    where = _static_index(key)
    changed = list(items)
    changed[where] = items_for(interp, content) if isinstance(key, slice) else content
    interp.put(ref, tuple(changed))


def items_for(interp: Interpreter, value: Abstract) -> tuple[Abstract, ...]:
    """The items of an iterable whose length is static."""
    from symdiff.parse.iteration import static_items

    return static_items(interp, value)


def delete_item(interp: Interpreter, target: Abstract, key: Abstract) -> None:
    """``del target[key]``."""
    content = interp.content(target) if isinstance(target, ListRef | DictRef) else None
    if isinstance(target, DictRef):
        changed = dict(content)
        del changed[static_key(key)]
        interp.put(target, changed)
    elif isinstance(target, ListRef) and isinstance(content, tuple):
        left = list(content)
        del left[_static_index(key)]
        interp.put(target, tuple(left))
    else:
        raise UnsupportedSyntaxError(f"'del' of an item of {describe(target)}")
