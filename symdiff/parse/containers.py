"""Builtins that make containers: ``list``, ``dict`` and the like, copies, parts of dataclasses."""

from __future__ import annotations

import collections
import copy
import dataclasses
import itertools
import types
from collections.abc import Callable, Collection
from typing import Any

from symdiff.definitions.keyed import from_keys
from symdiff.definitions.mappings import mappingproxy
from symdiff.ir.structure import is_dataclass
from symdiff.parse.attributes import get_attribute
from symdiff.parse.blame import users
from symdiff.parse.calls import builtin
from symdiff.parse.changing import SETS, keyed_class, new_set, require_as_keyed, set_of
from symdiff.parse.copies import copied
from symdiff.parse.identity import class_of, require_known
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.items import element_of_set, get_item, set_native_item, static_key
from symdiff.parse.iteration import collect, for_each, pair_of, static_items
from symdiff.parse.some_entries import some_entries
from symdiff.parse.special import has_method
from symdiff.parse.staged_lists import is_staged_list
from symdiff.parse.values import (
    Abstract,
    Arguments,
    DictRef,
    Keywords,
    ListRef,
    ObjectRef,
)


@builtin(list)
def _list(interp: Interpreter, items: Abstract = ()) -> Abstract:
    if isinstance(items, ListRef) and not has_method(interp, items, "__iter__"):
        return interp.new_list(interp.content(items))
    return collect(interp, items)


@builtin(tuple)
def _tuple(interp: Interpreter, items: Abstract = ()) -> Abstract:
    content = interp.content(collect(interp, items))
    return interp.new_list(content, frozen=True) if is_staged_list(content) else content


@builtin(dict)
def _dict(interp: Interpreter, /, *arguments: Abstract, **keywords: Abstract) -> Abstract:
    return _made_dict(interp, dict, arguments, keywords)


def _made_dict(
    interp: Interpreter, kind: type, arguments: Arguments, keywords: Keywords
) -> Abstract:
    keyed = keyed_class(interp, kind, interp.span)
    if keyed is not None:
        return interp.call(keyed, arguments, keywords)
    return filled_dict(interp, DictRef(type=kind, made_at=interp.span), arguments, keywords)


@builtin(types.MappingProxyType)
def _proxy(interp: Interpreter, mapping: Abstract) -> Abstract:
    taken = isinstance(mapping, DictRef | ObjectRef)
    return interp.call(mappingproxy, [mapping], {}) if taken else NotImplemented


@builtin(collections.OrderedDict)
def _ordered_dict(interp: Interpreter, /, *arguments: Abstract, **keywords: Abstract) -> Abstract:
    return _made_dict(interp, collections.OrderedDict, arguments, keywords)


@builtin(collections.defaultdict)
def _default_dict(
    interp: Interpreter, factory: Abstract = None, /, *arguments: Abstract, **keywords: Abstract
) -> Abstract:
    keyed = keyed_class(interp, collections.defaultdict, interp.span)
    if keyed is not None:
        return interp.call(keyed, [factory, *arguments], keywords)
    made = DictRef(type=collections.defaultdict, made_at=interp.span)
    interp.put((made, "default_factory"), factory)
    return filled_dict(interp, made, arguments, keywords)


@builtin(dict.fromkeys)
def _from_keys(interp: Interpreter, keys: Abstract, *value: Abstract) -> Abstract:
    return _filled_from_keys(interp, dict, keys, *value)


@builtin(collections.OrderedDict.fromkeys)
def _ordered_from_keys(interp: Interpreter, iterable: Abstract, value: Abstract = None) -> Abstract:
    return _filled_from_keys(interp, collections.OrderedDict, iterable, value)


def _filled_from_keys(
    interp: Interpreter, kind: type, keys: Abstract, *value: Abstract
) -> Abstract:
    keyed = keyed_class(interp, kind, interp.span)
    if keyed is not None:
        return interp.call(from_keys, [interp.call(keyed, [], {}), keys, *value], {})
    made = DictRef(type=kind, made_at=interp.span)
    known_keys = (static_key(interp, key, of=made) for key in static_items(interp, keys))
    interp.put(made, dict.fromkeys(known_keys, *value))
    return made


def filled_dict(
    interp: Interpreter, made: DictRef, arguments: Arguments, keywords: Keywords
) -> DictRef:
    """A new dict with the items that ``dict(*arguments, **keywords)`` has."""
    numbers = itertools.count()

    def add(pair: Abstract) -> None:
        key, value = pair_of(interp, pair, next(numbers))
        interp.put(made, {**interp.content(made), static_key(interp, key, of=made): value})

    interp.put(made, {})
    for argument in arguments:
        require_as_keyed(interp, made, argument)
        if isinstance(argument, DictRef) and not has_method(interp, argument, "__iter__"):
            interp.put(made, some_entries(interp, argument) or dict(interp.content(argument)))
        elif isinstance(argument, ObjectRef | DictRef) and hasattr(argument.type, "keys"):
            for key in static_items(interp, interp.call_method(argument, "keys")):
                add((key, get_item(interp, argument, key)))
        else:
            for_each(interp, argument, add)
    if keywords:
        for key, content in keywords.items():
            set_native_item(interp, made, key, content)
    return made


@builtin(frozenset)
def _frozenset(interp: Interpreter, items: Abstract = ()) -> Abstract:
    return frozenset(_elements_of_set(interp, items, fixed=True))


@builtin(set)
def _set(interp: Interpreter, items: Abstract = ()) -> Abstract:
    if SETS in interp.policy.changed:
        return set_of(interp, items)
    return new_set(interp, _elements_of_set(interp, items))


def _elements_of_set(
    interp: Interpreter, items: Abstract, fixed: bool = False
) -> Collection[Abstract]:
    if isinstance(items, frozenset):
        return items
    return [element_of_set(interp, item, fixed) for item in static_items(interp, items)]


@builtin(slice)
def _slice(interp: Interpreter, *bounds: Abstract) -> Abstract:
    return slice(*bounds)


# Dataclasses --------------------------------------------------------------------------------------


@builtin(dataclasses.replace)
def _replace(interp: Interpreter, record: Abstract, /, **changes: Abstract) -> Abstract:
    if isinstance(record, tuple):
        return record._replace(**changes)  # type: ignore[attr-defined]
    names = [field.name for field in dataclasses.fields(record.type) if field.init]
    values = {name: get_attribute(interp, record, name) for name in names}
    return interp.call(record.type, [], values | changes)


if hasattr(copy, "replace"):  # from Python 3.13 on

    @builtin(copy.replace)
    def _replaced(interp: Interpreter, obj: Abstract, /, **changes: Abstract) -> Abstract:
        """What a dataclass, a named tuple, or a ``__replace__`` of the user's gives."""
        cls: Any = class_of(interp, obj)
        own = getattr(cls, "__replace__", None)
        of_dataclass = is_dataclass(cls) and getattr(own, "__module__", None) == "dataclasses"
        of_tuple = hasattr(cls, "_fields") and own is getattr(cls, "_replace", None)
        known = of_dataclass or of_tuple
        return _replace(interp, obj, **changes) if known else NotImplemented


@builtin(dataclasses.fields)
def _fields(interp: Interpreter, class_or_instance: Abstract) -> Abstract:
    of_instance = isinstance(class_or_instance, ObjectRef)
    return dataclasses.fields(class_or_instance.type if of_instance else class_or_instance)


@builtin(dataclasses.asdict)
def _asdict(interp: Interpreter, obj: Abstract) -> Abstract:
    def made(names: list[str], parts: list[Abstract]) -> Abstract:
        return interp.new_dict(dict(zip(names, parts, strict=True)))

    return _taken_apart(interp, _record(interp, dataclasses.asdict, obj), made)


@builtin(dataclasses.astuple)
def _astuple(interp: Interpreter, obj: Abstract) -> Abstract:
    record = _record(interp, dataclasses.astuple, obj)
    return _taken_apart(interp, record, lambda names, parts: tuple(parts))


def _record(interp: Interpreter, function: Callable[..., Any], obj: Abstract) -> ObjectRef:
    """The object of a dataclass that a function takes apart; Python takes nothing else."""
    if isinstance(obj, ObjectRef) and is_dataclass(obj.type):
        return obj
    require_known(obj)
    raise users(TypeError(f"{function.__name__}() should be called on dataclass instances"))


def _taken_apart(
    interp: Interpreter, value: Abstract, made: Callable[[list[str], list[Abstract]], Abstract]
) -> Abstract:
    """The fields of dataclasses, all the way down, and copies of all else."""
    if isinstance(value, ObjectRef) and is_dataclass(value.type):
        names = [field.name for field in dataclasses.fields(value.type)]
        parts = [_taken_apart(interp, get_attribute(interp, value, n), made) for n in names]
        return made(names, parts)
    return copied(interp, value, lambda part: _taken_apart(interp, part, made))
