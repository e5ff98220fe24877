"""What stands outside a function, and can be changed by it: copied, and put back.

Variables enter. ``contents`` tells what they lead to; ``saved`` remembers it, and gives a function
that puts it back: bindings, items, attributes and elements of arrays, in the objects that there
are. No method of the user's is called.
"""

from __future__ import annotations

import copy
import functools
import threading
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from symdiff.ir.graph import FreeVariable
from symdiff.ir.structure import children, dict_of, has_dict, native_base

_MOST = 10_000  # objects that are looked at
_FOREIGN = frozenset(
    {"numpy", "scipy", "sympy", "symdiff", "logging", "threading", "numba", "llvmlite"}
)
Undo = Callable[[], None]


def contents(variables: Iterable[FreeVariable]) -> dict[str, Any]:
    """What variables lead to, by their names."""
    found: dict[str, Any] = {}
    for variable in variables:
        try:
            value = variable.read()
        except (LookupError, AttributeError, NameError, ValueError):  # not bound
            continue
        if isinstance(value, type):
            value = _data_of(value)
        elif isinstance(value, types.FunctionType):
            value = value.__defaults__, value.__kwdefaults__, _own_attributes(value)
        if not isinstance(value, types.ModuleType):
            found[f"{variable.name}, {len(found)}"] = value
    return found


def _own_attributes(function: types.FunctionType) -> dict[str, Any]:
    """The attributes of a function but for those that symdiff gave it, which no call changes."""
    attributes = function.__dict__.items()
    return {name: value for name, value in attributes if not name.startswith("__symdiff_")}


def _data_of(cls: type) -> dict[str, Any]:
    """What a class of the user's holds, its methods aside."""
    plain = (bool, int, float, complex, list, dict, tuple, np.ndarray, np.generic)
    own = vars(cls).items() if _is_users(cls) else ()
    named = [(key, value) for key, value in own if not key.startswith(("__", "_abc_"))]
    return {key: value for key, value in named if isinstance(value, plain) or _has_parts(value)}


def saved(variables: Iterable[FreeVariable]) -> Undo:
    """What puts back all that variables lead to now."""
    variables = tuple(variables)
    undone = [undo for variable in variables for undo in _binding(variable)]
    for value in reached(contents(variables).values()):
        undone.extend(_undo(value))

    def put_back() -> None:
        for undo in undone:
            undo()

    return put_back


def reached(values: Iterable[Any]) -> Iterator[Any]:
    """The arrays, containers and objects of the user's that values lead to."""
    pending, seen = list(values), dict[int, Any]()
    while pending and len(seen) < _MOST:
        value = pending.pop()
        if id(value) in seen:
            continue
        if isinstance(value, np.ndarray) or _has_parts(value):
            seen[id(value)] = value
            yield value
            pending.extend(_parts(value))


def _has_parts(value: Any) -> bool:
    if isinstance(value, _PARTS):
        return True
    return _is_users(type(value)) and not isinstance(value, type)


_PARTS = (
    list,
    tuple,
    dict,
    functools.partial,
    types.MethodType,
    types.SimpleNamespace,
    threading.local,
)


def _is_users(kind: type) -> bool:
    """Return whether a class is written in Python, and not of a library that keeps to itself."""
    return native_base(kind) is not kind and kind.__module__.split(".")[0] not in _FOREIGN


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, types.MethodType):
        yield value.__self__
        return
    if isinstance(value, functools.partial):
        yield from (value.args, value.keywords)
    if isinstance(value, list | tuple | dict):
        found = children(value)
        yield from found[1] if found else ()
    own = dict_of(value)
    if own is not None and own is not value:
        yield from dict.values(own)


def _binding(variable: FreeVariable) -> Iterator[Undo]:
    """What binds a variable as it is bound now."""
    owner, name = variable.owner, variable.name
    if variable.kind == "global" and name in owner:
        yield functools.partial(owner.__setitem__, name, owner[name])
    elif variable.kind == "cell":
        try:
            yield functools.partial(setattr, owner, "cell_contents", owner.cell_contents)
        except ValueError:  # not bound
            return
    elif isinstance(owner, types.FunctionType):
        for key, value in _own_attributes(owner).items():
            yield functools.partial(_set_on, owner, key, value)
    elif isinstance(owner, type) and _is_users(owner):
        for key, value in _data_of(owner).items():
            yield functools.partial(_set_on, owner, key, value)


def _set_on(owner: type | types.FunctionType, key: str, value: Any) -> None:
    """Set what a class or a function holds, where it is another thing now."""
    if owner.__dict__.get(key) is not value:
        setter = type if isinstance(owner, type) else object
        setter.__setattr__(owner, key, value)


def _undo(value: Any) -> Iterator[Undo]:
    if isinstance(value, np.ndarray):
        if value.flags.writeable and value.dtype.kind in "bifcu":
            plain = value.view(np.ndarray)  # a class may refuse to be written
            yield functools.partial(np.copyto, plain, plain.copy())
        return
    base: Any = native_base(type(value))
    if isinstance(value, list):
        yield functools.partial(base.__setitem__, value, slice(None), base.copy(value))
    elif isinstance(value, dict):
        yield functools.partial(_fill, base, value, list(base.items(value)))
    own = dict_of(value)
    if own is not None and own is not value:
        yield functools.partial(_fill, dict, own, list(dict.items(own)))


def _fill(base: Any, value: Any, pairs: list[tuple[Any, Any]]) -> None:
    present = list(base.items(value))
    if len(present) == len(pairs) and all(
        a is c and b is d for (a, b), (c, d) in zip(present, pairs, strict=True)
    ):
        return
    base.clear(value)
    for key, item in pairs:
        base.__setitem__(value, key, item)


# Copies -------------------------------------------------------------------------------------------


def copied(value: Any, known: dict[int, Any]) -> Any:
    """A deep copy: of arrays, containers and objects of the user's without calling their methods.

    ``known`` has the copies of what was copied before, by the originals' ids; it keeps the
    originals alive, as that of ``copy.deepcopy`` does.
    """
    if id(value) in known:
        return known[id(value)]
    if isinstance(value, np.ndarray) and type(value).copy is np.ndarray.copy:
        made = known[id(value)] = value.copy(order="K") if value.dtype.kind in "bifcu" else value
        return made
    if type(value) is tuple:
        return tuple(copied(item, known) for item in value)
    if isinstance(value, list | dict):
        return _copied_container(value, known)
    if isinstance(value, functools.partial | types.MethodType) or not _is_plain(value):
        return _deepcopied(value, known)
    base: Any = native_base(type(value))
    if not dict_of(value) and type(value).__new__ is not base.__new__:  # there may be only one
        return value
    made = known[id(value)] = base.__new__(type(value))
    _copy_attributes(value, made, known)
    return made


def _deepcopied(value: Any, known: dict[int, Any]) -> Any:
    try:
        return copy.deepcopy(value, known)
    except Exception:  # a generator, a lock: it is compared with itself
        return value


def _is_plain(value: Any) -> bool:
    """Return whether an object is its attributes, and has no way of its own to be copied."""
    kind = type(value)
    special = ("__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__slots__")
    native = native_base(kind)
    written = kind.__mro__[: kind.__mro__.index(native)]
    own = any(name in base.__dict__ for base in written for name in special)
    return native in (object, types.SimpleNamespace) and not own and has_dict(kind)


def _copied_container(value: Any, known: dict[int, Any]) -> Any:
    base: Any = native_base(type(value))
    if base not in (list, dict):
        return _deepcopied(value, known)
    made = known[id(value)] = base.__new__(type(value))
    if base is list:
        base.extend(made, [copied(item, known) for item in base.__iter__(value)])
    else:
        for key, item in base.items(value):
            base.__setitem__(made, key, copied(item, known))
    _copy_attributes(value, made, known)
    return made


def _copy_attributes(value: Any, made: Any, known: dict[int, Any]) -> None:
    own = dict_of(value)
    if own is value:
        object.__setattr__(made, "__dict__", made)
    elif own is not None:
        dict_of(made).update({key: copied(item, known) for key, item in dict.items(own)})
