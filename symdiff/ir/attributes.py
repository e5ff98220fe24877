"""Objects of the user's as containers: their numbers and arrays, where they are differentiated by.

``parts`` is ``ir.structure.children``, of objects too: an object that is its attributes enters, the
names of these and what they hold leave.

>>> from types import SimpleNamespace
>>> parts(SimpleNamespace(rate=0.5, name="decay"))
(('rate', 'name'), (0.5, 'decay'))
"""

from __future__ import annotations

import enum
import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from symdiff.ir.structure import children, dict_of, is_dataclass, is_leaf, native_base

_FOREIGN = frozenset({"numpy", "scipy", "sympy", "symdiff", "logging", "threading"})
_NOT_OPENED = (type, enum.Enum, BaseException, types.ModuleType)
Parts = tuple[tuple[Any, ...], tuple[Any, ...]]


def is_object(kind: type) -> bool:
    """Return whether instances of a class are their attributes: not containers, not records."""
    if issubclass(kind, (dict, list, tuple, *_NOT_OPENED)) or is_dataclass(kind):
        return False
    if isinstance(kind.__getattribute__, types.FunctionType):
        return False
    if kind is types.SimpleNamespace:
        return True
    own = native_base(kind) in (object, types.SimpleNamespace) and native_base(kind) is not kind
    return own and kind.__module__.split(".")[0] not in _FOREIGN


def parts(value: Any) -> Parts | None:
    """The keys and the items of a container or an object; None of anything else."""
    found = children(value)
    if found is None and is_object(type(value)):
        names = attribute_names(value)
        return names, tuple(getattr(value, name) for name in names)
    return found


def attribute_names(value: Any) -> tuple[str, ...]:
    """The attributes that an object itself has, not its class: those in slots first."""
    kind = type(value)
    slots = [
        name
        for base in kind.__mro__
        for name, held in vars(base).items()
        if isinstance(held, types.MemberDescriptorType) and name != "__dict__" and _has(held, value)
    ]
    named = [name for name in dict_of(value) or () if not _is_hidden(kind, name)]
    return (*slots, *named)


def _is_hidden(kind: type, name: str) -> bool:
    """Return whether a class has a property, or the like, before what its instances hold."""
    return hasattr(inspect.getattr_static(kind, name, None), "__set__")


def _has(slot: types.MemberDescriptorType, value: Any) -> bool:
    """Return whether a slot of an object is filled."""
    try:
        slot.__get__(value, type(value))
    except AttributeError:
        return False
    return True


def opened(values: Iterable[Any]) -> frozenset[int]:
    """The objects, by their ids, that values lead to and that lead to a number with a derivative.

    The values have to be kept alive as long as the ids are used.
    """
    return frozenset(id(value) for value in _leading(list(values), _carries_derivative))


def opening(values: Sequence[Any]) -> Callable[[Any], Parts | None]:
    """What takes values apart: containers, and the objects in them that lead to such a number."""
    ids = opened(values)
    return lambda value: parts(value) if id(value) in ids else children(value)


def _leading(values: list[Any], wanted: Callable[[Any], bool]) -> Iterator[Any]:
    """The objects that values lead to from which something wanted is reached."""
    reached, parents = dict[int, Any](), dict[int, list[Any]]()
    pending, found = list(values), list[Any]()
    while pending:
        value = pending.pop()
        if id(value) in reached:
            continue
        reached[id(value)] = value
        items = () if is_leaf(value) else (parts(value) or ((), ()))[1]
        for item in items:
            parents.setdefault(id(item), []).append(value)
            pending.append(item)
            if wanted(item):
                found.append(value)
    marked = dict[int, Any]()
    while found:
        value = found.pop()
        if id(value) not in marked:
            marked[id(value)] = value
            found.extend(parents.get(id(value), ()))
    return (value for value in marked.values() if is_object(type(value)))


def _carries_derivative(value: Any) -> bool:
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in "fc"
    return type(value) in (float, complex)
