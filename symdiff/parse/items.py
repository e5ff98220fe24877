"""Items of abstract values: reading, writing and deleting them."""

from __future__ import annotations

import operator
import types
from collections.abc import Collection
from typing import Any

import numpy as np

from symdiff.errors import AliasingError, UnsupportedSyntaxError, rejection
from symdiff.ir.build import is_constant
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import add, less, where
from symdiff.ops.arrays import array_of
from symdiff.ops.creation import range_element_of, range_length_of
from symdiff.ops.declare import array_type, static
from symdiff.ops.index import index_of, index_set_of
from symdiff.ops.list_arrays import is_list, list_stack_of
from symdiff.ops.shape import copy
from symdiff.parse import lookups, staged_lists
from symdiff.parse import run_time_texts as texts
from symdiff.parse.arguments import as_array, plain_argument
from symdiff.parse.blame import judged, python_raises, users
from symdiff.parse.changing import SETS, note_unknown_key
from symdiff.parse.demand import can_be_known, known
from symdiff.parse.heap import constant
from symdiff.parse.identity import class_of, is_unknown, require_one_function
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.selecting import (
    is_numbered,
    item_of,
    items_with,
    selected_at_run_time,
    selected_in_turns,
    slice_of,
    staged_items,
    value_of,
)
from symdiff.parse.some_entries import required, some_entries, with_entry, without_entry
from symdiff.parse.special import as_index, has_method
from symdiff.parse.texts import settled
from symdiff.parse.value_keys import among, as_key
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    Closure,
    Columns,
    DictRef,
    DictView,
    ListRef,
    ObjectRef,
    Range,
    StaticSet,
)
from symdiff.parse.views import adopt


def get_item(interp: Interpreter, value: Abstract, key: Abstract) -> Abstract:
    """``value[key]``."""
    if texts.is_at_run_time(interp, value):
        return texts.item(interp, value, as_index(interp, key))
    value = settled(interp, value)
    if isinstance(value, ObjectRef) or has_method(interp, value, "__getitem__"):
        return interp.call_method(value, "__getitem__", key)
    if isinstance(value, type) and not hasattr(type(value), "__getitem__"):
        return _item_of_class(interp, value, key)
    with judged(interp, operator.getitem, (value, key)):
        return native_item(interp, value, key)


def _item_of_class(interp: Interpreter, value: type, key: Abstract) -> Abstract:
    """``Class[key]``: what its ``__class_getitem__`` gives; of generic classes an alias."""
    found = lookups.static_on_class(value, "__class_getitem__")
    if found is ABSENT and lookups.MADE_HERE in vars(value):  # ``class Box[T]`` has one
        raise UnsupportedSyntaxError(f"an item of {value.__name__}, a class made inside")
    if found is ABSENT:
        raise users(TypeError(f"type '{value.__name__}' is not subscriptable"))
    function = getattr(found, "__func__", found)
    if not _is_of_typing(function):
        return interp.call(interp.attribute(value, "__class_getitem__"), [key], {})
    if not _is_known(key):
        raise UnsupportedSyntaxError(f"an item of {describe(value)}")
    return _taken(value, key)


def _is_of_typing(function: Any) -> bool:
    """Return whether a ``__class_getitem__`` is Python's own, which makes an alias of the class."""
    written = isinstance(function, types.FunctionType | Closure)
    return not written or getattr(function, "__module__", None) == "typing"


def native_item(interp: Interpreter, value: Abstract, key: Abstract) -> Abstract:
    """``value[key]``, whatever methods the class has of its own."""
    key = key if isinstance(value, DictRef) else as_index(interp, key)
    if isinstance(value, Array | Value) and not is_list(value):
        interp.heap.require_array(value)
        base = interp.lift(value)
        if isinstance(base.type, ArrayType) and base.type.kind == "python":
            raise rejection(TypeError, "a Python number is not subscriptable")
        found = index_of(base, entries_of(interp, key))
        if isinstance(value, Array) and value.is_flat:
            return copy(found) if array_type(found).rank else found
        return adopt(interp, found, {base: value})
    if isinstance(value, Value):
        return staged_lists.get(interp, value, interp.lift(key))
    if isinstance(value, ListRef):
        return _list_item(interp, value, key)
    if isinstance(value, DictRef):
        return _dict_item(interp, value, key)
    if (
        isinstance(value, tuple)
        and (selected_in_turns(interp, value, key) or selected_at_run_time(interp, key))
        and not isinstance(key, slice)
    ):
        return item_of(interp, value, key, "tuple")
    if isinstance(value, tuple | str | bytes):
        return _item_of_known(interp, value, key)
    if isinstance(value, Range):
        return _range_item(interp, value, key)
    return _static_item(interp, value, key)


def _item_of_known(
    interp: Interpreter, value: tuple[Any, ...] | str | bytes, key: Abstract
) -> Abstract:
    """An item of a tuple or a text; of a text also where it is told at run time which."""
    if isinstance(value, str) and selected_at_run_time(interp, key):
        return texts.item(interp, value, key)
    return _taken(value, _static_index(key))


def _static_item(interp: Interpreter, value: Abstract, key: Abstract) -> Abstract:
    """An item of something else that is known now: ``np.s_[1:3]``."""
    if value is np.r_ or value is np.c_:
        return interp.call(value, key if isinstance(key, tuple) else (key,), {})
    if not hasattr(class_of(interp, value), "__getitem__"):
        raise users(TypeError(f"'{class_of(interp, value).__name__}' object is not subscriptable"))
    if not hasattr(type(value), "__getitem__"):
        raise UnsupportedSyntaxError(f"an item of {describe(value)}")
    if not _is_known(key):
        raise UnsupportedSyntaxError(f"an item of {describe(value)} by a computed key")
    taken = _taken(value, _static_index(key))
    if isinstance(taken, tuple) and type(value) is type(np.ogrid):
        return tuple(interp.wrap(constant(grid)) for grid in taken)
    return interp.wrap(constant(taken)) if isinstance(taken, np.ndarray) else taken


def _taken(value: Any, key: Any) -> Any:
    """``value[key]`` of what is known now."""
    with python_raises():
        return value[key]


def _is_known(key: Abstract) -> bool:
    """Return whether nothing of a key is an array, a list, a dict or an object."""
    if isinstance(key, tuple):
        return all(map(_is_known, key))
    if isinstance(key, slice):
        return _is_known((key.start, key.stop, key.step))
    return not isinstance(key, Array | ListRef | DictRef | ObjectRef)


def _dict_item(interp: Interpreter, ref: DictRef, key: Abstract) -> Abstract:
    some = some_entries(interp, ref)
    if some is not None and can_be_told(interp, key):
        return required(interp, ref, static_key(interp, key, some, ref))
    content = interp.content(ref)
    makes_missing = hasattr(ref.type, "__missing__")
    if is_numbered(content) and not makes_missing and selected_at_run_time(interp, key):
        return value_of(interp, content, key)
    return _item_by_key(interp, ref, static_key(interp, key, content, ref))


def _item_by_key(interp: Interpreter, ref: DictRef, key: Any) -> Abstract:
    content = interp.content(ref)
    factory = interp.heap.get((ref, "default_factory"))
    if key not in content and factory not in (ABSENT, None):
        made = interp.call(factory, [], {})
        note_write(interp, ref)
        interp.put(ref, {**interp.content(ref), key: made})
        return made
    if key not in content and lookups.overrides(interp, ref.type, "__missing__"):
        return interp.call_method(ref, "__missing__", key)
    if key not in content and factory is ABSENT and hasattr(ref.type, "__missing__"):
        raise UnsupportedSyntaxError(
            f"{key!r} is missing in a {ref.type.__name__}, which makes what it does not have",
            hint=f"write d.get({key!r}, ...), or set it before the call",
        )
    return _taken(content, key)


def static_key(
    interp: Interpreter, key: Abstract, content: Collection[Any] = (), of: DictRef | None = None
) -> Any:
    """A dict's key, which must be known at compile time; as it stands in what the dict holds.

    ``of``: the dict, which is followed as an object where the key cannot be known.
    """
    require_hashable(interp, key)
    if of is not None and not can_be_told(interp, key):
        note_unknown_key(interp, of.made_at)
    found = known(interp, told_now(interp, key), "keys must be constants, or int arguments")
    outside = found if content == () else _as_outside(interp, found, content)
    if outside is not found:
        return outside
    return among(interp, as_key(interp, found), content)


def can_be_told(interp: Interpreter, key: Abstract) -> bool:
    """Return whether a key is known, or can be asked for as one."""
    if isinstance(key, tuple):
        return all(can_be_told(interp, part) for part in key)
    if texts.is_at_run_time(interp, key):
        return False
    return not isinstance(key, Value) or is_constant(key) or can_be_known(interp, key)


def _as_outside(interp: Interpreter, key: Any, content: Collection[Any]) -> Any:
    """A key as the dicts have it that are made outside: an object of the user's itself."""
    if not isinstance(key, ObjectRef) or key.live is None or key.path is None:
        return key
    if any(isinstance(other, key.type) for other in content):
        interp.guard(key.path, "value", key.live)
    return next((other for other in content if other is key.live), key)


def element_of_set(interp: Interpreter, item: Abstract, fixed: bool = False) -> Any:
    """What is put into a set; of one that is ``fixed`` it must be known at compile time."""
    require_hashable(interp, item)
    if not fixed and not can_be_told(interp, item):
        if SETS in interp.policy.changed:
            return item
        note_unknown_key(interp, SETS)
    return as_key(interp, known(interp, told_now(interp, item), _SETS))


def told_now(interp: Interpreter, key: Abstract) -> Abstract:
    """A key with the texts in it as they are: those that are told at run time only are refused."""
    if isinstance(key, tuple):
        return tuple.__new__(type(key), [told_now(interp, item) for item in key])
    return settled(interp, key)


def as_set(interp: Interpreter, value: Abstract, of_any: bool = False) -> Abstract:
    """The keys of a dict, which are compared and joined as a set is; anything else as it is.

    ``of_any``: a set of whatever can be gone over, too, which is what keys are joined with.
    """
    if isinstance(value, DictView) and value.kind == "keys":
        return StaticSet(interp.content(value.of))
    if of_any and isinstance(value, ListRef | DictRef | tuple | Range | str):
        return interp.call(set, [value], {})
    return value


_SETS = "what is in a set must be known at compile time: use a list, or np.unique"


def require_hashable(interp: Interpreter, key: Abstract) -> None:
    """Python's error for what is no key: arrays, lists, dicts, objects with ``__eq__`` alone."""
    require_one_function(key)
    if type(key) is tuple:
        for item in key:
            require_hashable(interp, item)
    elif isinstance(key, slice):
        with python_raises():
            hash(key)
    elif isinstance(key, DictView) and key.kind != "values":
        raise users(TypeError(f"unhashable type: 'dict_{key.kind}'"))
    elif isinstance(key, Value | Array | ListRef | DictRef | ObjectRef | StaticSet):
        kind = object if is_unknown(key) else class_of(interp, key)
        if getattr(kind, "__hash__", None) is None:
            name = "numpy.ndarray" if kind is np.ndarray else kind.__name__
            raise users(TypeError(f"unhashable type: '{name}'"))


def _static_index(key: Abstract) -> Any:
    if isinstance(key, tuple):
        return tuple(map(_static_index, key))
    if isinstance(key, slice):
        return slice(static(key.start), static(key.stop), static(key.step))
    return static(key)


def _list_item(interp: Interpreter, ref: ListRef, key: Abstract) -> Abstract:
    content = interp.content(ref)
    if isinstance(key, slice):
        made = ListRef(frozen=ref.frozen)
        interp.put(made, _slice_of(interp, content, key))
        return made
    if staged_lists.is_staged_list(content):
        return staged_lists.get(interp, content, interp.lift(key))
    if selected_in_turns(interp, content, key) or selected_at_run_time(interp, key):
        return item_of(interp, content, key, "list")
    return _taken_of_list(content, _static_index(key))


def _taken_of_list(content: tuple[Abstract, ...], key: Any) -> Abstract:
    """``content[key]`` of what a list holds, which raises as a list does."""
    try:
        return content[key]
    except (IndexError, TypeError):
        return _taken(list(content), key)


def _slice_of(interp: Interpreter, content: Any, key: slice) -> Any:
    """What a slice of a list holds."""
    key = _with_bounds(interp, key)
    if not staged_lists.is_staged_list(content):
        if not content or not selected_at_run_time(interp, key):
            return _taken_of_list(content, _static_index(key))
        return slice_of(interp, content, key)
    return staged_lists.part(content, key.start, key.stop, key.step)


def _with_bounds(interp: Interpreter, key: slice) -> slice:
    return slice(*(_bound(interp, part) for part in (key.start, key.stop, key.step)))


def _range_item(interp: Interpreter, value: Range, key: Abstract) -> Abstract:
    parts = (value.start, value.stop, value.step)
    if not any(isinstance(part, Value) for part in (*parts, key)):
        item: Any = _taken(range(*parts), key)
        return Range(item.start, item.stop, item.step) if isinstance(key, slice) else item
    if isinstance(key, slice):
        raise UnsupportedSyntaxError(
            "a slice of a range whose bounds are known at run time only",
            hint="write the range of the slice",
        )
    count = range_length_of(*parts)
    position = interp.lift(key)
    within = where(less(position, 0), add(position, interp.lift(count)), position)
    return range_element_of(value.start, value.step, within)


def entries_of(interp: Interpreter, key: Abstract) -> tuple[Any, ...]:
    """What stands between brackets, as ``ops.index_of`` takes it."""
    parts = key if isinstance(key, tuple) else (key,)
    return tuple(_entry(interp, part) for part in parts)


def _entry(interp: Interpreter, part: Abstract) -> Any:
    if isinstance(part, slice):
        return slice(*(_bound(interp, p) for p in (part.start, part.stop, part.step)))
    if isinstance(part, Array):
        return interp.heap.read(part)
    if isinstance(part, ListRef | tuple | Range):
        items = plain_argument(interp, part)
        if isinstance(items, Value):
            return list_stack_of(items)
        if any(isinstance(item, Value) for item in items):
            return array_of(items)
        return np.array(items) if len(items) else np.zeros(0, np.intp)
    return part


def _bound(interp: Interpreter, part: Abstract) -> Any:
    return interp.heap.read(part) if isinstance(part, Array) else part


def set_item(interp: Interpreter, target: Abstract, key: Abstract, content: Abstract) -> None:
    """``target[key] = content``."""
    if isinstance(target, ObjectRef) or has_method(interp, target, "__setitem__"):
        interp.call_method(target, "__setitem__", key, content)
        return
    with judged(interp, operator.setitem, (target, key, content)):
        set_native_item(interp, target, key, content)


def set_native_item(
    interp: Interpreter, target: Abstract, key: Abstract, content: Abstract
) -> None:
    """``target[key] = content``, whatever methods the class has of its own."""
    key = key if isinstance(target, DictRef) else as_index(interp, key)
    if isinstance(target, Array):
        interp.heap.require_array(target)
        base, entries = interp.heap.read(target), entries_of(interp, key)
        if isinstance(content, Array) and content.storage is target.storage:
            _refuse_own_view(interp, base, entries)
        new = index_set_of(base, as_array(interp, content), entries)
        interp.heap.write(target, new)
    elif isinstance(target, ListRef) and not target.frozen:
        _set_list_item(interp, target, key, content)
    elif isinstance(target, DictRef):
        _set_entry(interp, target, key, content)
    else:
        name = class_of(interp, target).__name__
        raise users(TypeError(f"'{name}' object does not support item assignment"))


def _set_entry(interp: Interpreter, ref: DictRef, key: Abstract, content: Abstract) -> None:
    some = some_entries(interp, ref)
    if some is not None and can_be_told(interp, key):
        changed = with_entry(interp, ref, static_key(interp, key, some, ref), content)
    else:
        changed = dict(interp.content(ref))
        changed[static_key(interp, key, changed, ref)] = content
    note_write(interp, ref)
    interp.put(ref, changed)


def _refuse_own_view(interp: Interpreter, base: Value, entries: tuple[Any, ...]) -> None:
    if len(entries) != 1 or not isinstance(entries[0], Value):
        return
    mask = entries[0].type
    if (
        isinstance(mask, ArrayType)
        and mask.dtype.kind == "b"
        and mask.rank == array_type(base).rank
    ):
        raise unbuffered(interp, "a[mask] = values.copy()")


def unbuffered(interp: Interpreter, instead: str) -> AliasingError:
    """The error of a write from a view of the same array in a form that NumPy does not buffer.

    It buffers most; but ``a[a > 0] = a[::-1]`` reads elements that it has already overwritten, and
    so do ``a.flat[:] = a[::-1]`` and ``np.concatenate([a[2:], a[:2]], out=a)``.
    """
    return AliasingError(
        "an array is written from a view of itself in a form in which NumPy reads elements that it "
        "has already overwritten",
        interp.span,
        f"give a copy: {instead}",
    )


def note_write(interp: Interpreter, ref: ListRef | DictRef) -> None:
    """A list or dict is about to change: what is captured is written back at the end."""
    staged_lists.check_apart(interp, ref)
    interp.heap.changed(ref)
    if ref.path is not None:
        interp.changed.setdefault(ref, interp.heap.get(ref))


def _set_list_item(interp: Interpreter, ref: ListRef, key: Abstract, content: Abstract) -> None:
    items = interp.content(ref)
    note_write(interp, ref)
    if isinstance(key, slice):
        interp.put(ref, _replaced_slice(interp, items, _with_bounds(interp, key), content))
    elif staged_lists.is_staged_list(items):
        interp.put(ref, staged_lists.replaced(interp, items, interp.lift(key), content))
    elif selected_at_run_time(interp, key):
        interp.put(ref, items_with(interp, items, key, content))
    else:
        changed, index = list(items), _static_index(key)
        with python_raises():
            changed[index] = content
        interp.put(ref, tuple(changed))


def _replaced_slice(interp: Interpreter, items: Any, key: slice, content: Abstract) -> Any:
    """What a list holds after an assignment to a slice of it."""
    new = interp.content(interp.collect(content))
    staged = [part for part in (items, new) if staged_lists.is_staged_list(part)]
    if not staged and not (items and selected_at_run_time(interp, key)):
        changed, index = list(items), _static_index(key)
        with python_raises():
            changed[index] = new
        return tuple(changed)
    like = staged[0] if staged else staged_items(interp, items)
    items, new = (
        part if staged_lists.is_staged_list(part) else staged_lists.staged_like(interp, part, like)
        for part in (items, new)
    )
    return staged_lists.spliced(interp, items, key, new)


def delete_item(interp: Interpreter, target: Abstract, key: Abstract) -> None:
    """``del target[key]``."""
    if isinstance(target, ObjectRef) or has_method(interp, target, "__delitem__"):
        interp.call_method(target, "__delitem__", key)
        return
    with judged(interp, operator.delitem, (target, key)):
        delete_native_item(interp, target, key)


def delete_native_item(interp: Interpreter, target: Abstract, key: Abstract) -> None:
    """``del target[key]``, whatever methods the class has of its own."""
    if not isinstance(target, ListRef | DictRef):
        raise UnsupportedSyntaxError(
            f"'del' of an item of {describe(target)}", hint="build one without the item"
        )
    some = some_entries(interp, target)
    if isinstance(target, DictRef) and some is not None and can_be_told(interp, key):
        left, _ = without_entry(interp, target, static_key(interp, key, some, target))
        note_write(interp, target)
        interp.put(target, left)
        return
    content: Any = interp.content(target)
    note_write(interp, target)
    key = key if isinstance(target, DictRef) else as_index(interp, key)
    if isinstance(target, DictRef):
        left, known_key = dict(content), static_key(interp, key, content, target)
        with python_raises():
            del left[known_key]
        interp.put(target, left)
    elif staged_lists.is_staged_list(content):
        interp.put(target, _without(interp, content, key))
    else:
        items, index = list(content), _static_index(key)
        with python_raises():
            del items[index]
        interp.put(target, tuple(items))


def _without(interp: Interpreter, content: Value | Columns, key: Abstract) -> Value | Columns:
    if isinstance(key, slice):
        return staged_lists.spliced(interp, content, _with_bounds(interp, key), None)
    return staged_lists.pop(interp, content, interp.lift(key))[0]
