"""Look-ups in what stands outside: each is a fact that the program rests on.

Where a name, an attribute or a method is looked up, what was found is recorded, and so is that
nothing was found. The entry of a program does the same look-ups again, and where one gives another
answer the function is staged anew.
"""

from __future__ import annotations

import builtins
import enum
import functools
import types
import weakref
from typing import Any

import numpy as np

from symdiff.definitions import RULED, is_definition
from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import FreeVariable
from symdiff.ir.structure import declared, dict_of, has_dict, native_base
from symdiff.parse.blame import users
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import ABSENT, Closure, ObjectRef, PossiblyUnbound

MADE_HERE = "__symdiff_made_here__"  # of a class that a function which is staged defines: whose
# attributes in the heap it has besides, as an ObjectRef
IMMUTABLE_TYPE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE
CACHED = type(functools.cache(len))  # what ``lru_cache`` makes of a function, which binds as one
_UNCHANGING = (bool, int, float, complex, str, bytes, type(None), np.generic, tuple, frozenset)


def variable_of(interp: Interpreter, owner: Any) -> FreeVariable:
    """The variable that stands for an object itself: a class, a module, a function.

    What is compiled for a function does not keep it alive.
    """
    if owner is interp.function:
        return interp.free_variable("weak", weakref.ref(owner), _name_of(owner))
    return interp.free_variable("object", owner, _name_of(owner))


def _name_of(owner: Any) -> str:
    return getattr(owner, "__name__", "object")


def rests_on(interp: Interpreter, owner: Any, name: str, found: Any) -> None:
    """``owner.name`` is this very object, or (``ABSENT``) there is none."""
    path = (variable_of(interp, owner), name)
    if found is ABSENT:
        interp.guard(path, "absent", None)
    else:
        interp.guard(path, "value", found)


def has_hash(value: Any) -> bool:
    """Return whether a value can be looked up in a table: a tuple that holds a list cannot."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def builtin_named(interp: Interpreter, variable: FreeVariable) -> Any:
    """A builtin that no global hides; an error of the user's where there is none either."""
    found = getattr(builtins, variable.name, ABSENT)
    if found is ABSENT:
        interp.guard((variable,), "absent", None)
        raise users(NameError(f"name '{variable.name}' is not defined"))
    interp.guard((variable,), "value", found)
    return found


def of_module(interp: Interpreter, module: types.ModuleType, name: str) -> Any:
    """``module.name`` of a library, whose functions and constants stay what they are."""
    found = getattr(module, name, ABSENT)
    rests_on(interp, module, name, found)
    if found is ABSENT:
        raise users(AttributeError(f"module '{module.__name__}' has no attribute '{name}'"))
    return found


def ruled(interp: Interpreter, function: Any) -> Any:
    """The rule that a user has given a function of others; None where there is none, a fact too."""
    if isinstance(function, type) or not has_hash(function):
        return None
    if isinstance(function, types.FunctionType) and is_definition(function.__globals__):
        return None
    place = RULED.place(function)
    rule = place.rule
    rests_on(interp, place, "rule", rule)
    return rule


def static_on_class(cls: type, name: str) -> Any:
    """What a class or one of its bases has under a name, neither called nor bound."""
    holder = holder_of(cls, name)
    return ABSENT if holder is None else holder.__dict__[name]


def holder_of(cls: type, name: str) -> type | None:
    """The first class in the order of bases that has a name."""
    return next((c for c in cls.__mro__ if name in c.__dict__), None)


def present_on_class(interp: Interpreter, cls: type, name: str) -> Any:
    """The same as it is now: what has been set on a class that is made here comes first.

    What is set on some paths only is told so, by a ``PossiblyUnbound``.
    """
    present = (present_on(interp, base, name) for base in cls.__mro__)
    found = next((content for content in present if content is not ABSENT), ABSENT)
    if isinstance(found, PossiblyUnbound) and any(content is not ABSENT for content in present):
        raise _set_on_some_paths(cls, name)
    return found


def present_on(interp: Interpreter, cls: type, name: str) -> Any:
    """What a class itself, its bases aside, has now under a name."""
    attributes = cls.__dict__.get(MADE_HERE)
    content = ABSENT if attributes is None else interp.content((attributes, name))
    if isinstance(content, PossiblyUnbound) and name in cls.__dict__:
        raise _set_on_some_paths(cls, name)
    return cls.__dict__.get(name, ABSENT) if content is ABSENT else content


def bound(interp: Interpreter, cls: type, name: str, found: Any, of: str = "") -> Any:
    """What a class has, where it has it: an error of the user's on the paths where it has not.

    ``of``: what Python's message says has no such attribute.
    """
    if not isinstance(found, PossiblyUnbound):
        return found
    asked = ((cls, "__getattr__"), (type(cls), "__getattr__"), (type(cls), name))
    if any(static_on_class(*each) is not ABSENT for each in asked):
        raise _set_on_some_paths(cls, name)
    holder = next(base for base in cls.__mro__ if present_on(interp, base, name) is found)
    of = of or f"type object '{cls.__name__}'"
    told = AttributeError(f"{of} has no attribute '{name}'")
    interp.require_bound((holder.__dict__[MADE_HERE], name), found, told)
    return found.content


def _set_on_some_paths(cls: type, name: str) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        f"'{name}' of the class {cls.__name__}, which is set on some paths only",
        hint="give the class a value of its own before",
    )


def on_class(interp: Interpreter, cls: type, name: str) -> Any:
    """Rest on what a class has under a name, and return it; what can be neither bound nor called is
    left to be read.
    """
    found = static_on_class(cls, name)
    if is_fixed(cls):
        return found if holder_of(cls, name) is cls else _on_base(interp, cls, name)
    if found is ABSENT and hasattr(cls, name):  # the metaclass has it
        bases_stay(interp, cls)
        for base in cls.__mro__:
            does_not_define(interp, base, name)
    elif isinstance(found, classmethod) and not isinstance(found.__func__, types.FunctionType):
        _rests_on_itself(interp, cls, name, found)  # bound, it is another object each time
    elif found is ABSENT or is_bound(found):
        rests_on(interp, cls, name, ABSENT if found is ABSENT else getattr(cls, name))
    return found


def _rests_on_itself(interp: Interpreter, cls: type, name: str, found: Any) -> None:
    """The first class with a name, of a class and its bases, has this very object."""
    holder: Any = holder_of(cls, name)
    bases_stay(interp, cls)
    for base in cls.__mro__[: cls.__mro__.index(holder)]:
        does_not_define(interp, base, name)
    interp.guard((variable_of(interp, holder), "__dict__", name), "value", found)


def is_fixed(cls: type) -> bool:
    """Return whether what a class itself has stays what it is: it is Python's, or made here."""
    return bool(cls.__flags__ & IMMUTABLE_TYPE) or MADE_HERE in cls.__dict__


def is_member_made_here(value: Any) -> bool:
    """Return whether a value is a member of an enumeration that a staged function defines."""
    return isinstance(value, enum.Enum) and MADE_HERE in type(value).__dict__


def is_made_here(value: Any) -> bool:
    """Return whether a known value is a class that a staged function defines, or a member of one,
    or a tuple or set that holds such, or a set of objects: it is another at each call.
    """
    if isinstance(value, frozenset):
        return any(map(is_key_made_here, value))
    if isinstance(value, tuple):
        return any(map(is_made_here, value))
    is_class = isinstance(value, type) and MADE_HERE in value.__dict__
    return is_class or is_member_made_here(value)


def is_key_made_here(key: Any) -> bool:
    """Return whether a key is an object, or another one at each call, or holds such."""
    if isinstance(key, tuple):
        return any(map(is_key_made_here, key))
    return isinstance(key, ObjectRef) or is_made_here(key)


def _on_base(interp: Interpreter, cls: type, name: str) -> Any:
    """The same of what a class inherits: of one that is made here, from the first base that has it
    (none of those before comes to have it).
    """
    if MADE_HERE not in cls.__dict__:
        return static_on_class(cls, name)
    if len(cls.__bases__) == 1:
        return on_class(interp, cls.__mro__[1], name)
    for base in cls.__mro__[1:]:
        if name in base.__dict__:
            return on_class(interp, base, name)
        does_not_define(interp, base, name)
    return ABSENT


def defines(interp: Interpreter, cls: type, name: str) -> bool:
    """Return whether a class has a method, and does not say by None that it has not."""
    return on_class(interp, cls, name) not in (ABSENT, None)


def overrides(interp: Interpreter, cls: type, name: str) -> bool:
    """Return whether a class of containers has a method that its native base does not give."""
    if native_base(cls) is cls:
        return False
    holder = holder_of(cls, name)
    on_class(interp, cls, name)
    return holder is not None and not holder.__flags__ & IMMUTABLE_TYPE


def is_bound(found: Any) -> bool:
    """Return whether what a class has is a method, a property or the like."""
    known = (staticmethod, classmethod, property, types.FunctionType, functools.cached_property)
    slots = (types.WrapperDescriptorType, types.MethodDescriptorType, types.MemberDescriptorType)
    native = (*slots, types.BuiltinFunctionType, types.ClassMethodDescriptorType)
    return isinstance(found, (*known, *native)) or is_of_symdiff(found)


def is_of_symdiff(found: Any) -> bool:
    """Return whether a function is one of symdiff's own, or has something declared of it: as what a
    class has it becomes a method.
    """
    marks = ("__symdiff_function__", "__symdiff_handler__")
    return any(declared(found, mark) is not None for mark in marks)


def is_slot(found: Any) -> bool:
    """Return whether a class has a place for an attribute, made of its ``__slots__``."""
    is_member = isinstance(found, types.MemberDescriptorType)
    return is_member and "__slots__" in found.__objclass__.__dict__


def is_unchanging(value: Any) -> bool:
    """Return whether a value is told by one look: it has no parts that change."""
    return isinstance(value, _UNCHANGING) and not isinstance(value, type)


def is_descriptor(found: Any, method: str = "__get__") -> bool:
    """Return whether what a class has is a descriptor whose class is written in Python."""
    kind = found.type if isinstance(found, ObjectRef) else type(found)
    is_own = isinstance(static_on_class(kind, method), types.FunctionType | Closure)
    return is_own and not is_bound(found)


def is_data_descriptor(found: Any) -> bool:
    """Return whether what a class has comes before the attributes of its instances."""
    return isinstance(found, property) or is_descriptor(found, "__set__")


def tells(found: Any) -> bool:
    """Return whether a data descriptor says what an instance has: else the instance's dict does."""
    return isinstance(found, property) or is_descriptor(found)


def own_attributes(live: Any) -> set[str]:
    """The names of what an object has itself, in its dict or in slots."""
    own = dict_of(live)
    names = set() if own is None else set(dict.keys(own))
    for cls in type(live).__mro__:
        slots = (name for name, found in cls.__dict__.items() if is_slot(found))
        names.update(name for name in slots if _is_filled(live, name))
    return names - {"__dict__", "__weakref__"}


def _is_filled(live: Any, slot: str) -> bool:
    try:
        object.__getattribute__(live, slot)
    except AttributeError:
        return False
    return True


def is_plain(value: Any) -> bool:
    """Return whether a default is the same however it is read: no object that stands for itself."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return value is None or isinstance(value, bool | int | float | complex | str | type)


def has_not_itself(interp: Interpreter, ref: ObjectRef, name: str) -> None:
    """The user's object does not hide what its class has."""
    if ref.live is not None and ref.path is not None and has_dict(type(ref.live)):
        interp.guard(ref.path, "unset", name, of=name)


def does_not_define(interp: Interpreter, cls: type, name: str) -> None:
    """The class itself, its bases aside, does not have a name."""
    if not is_fixed(cls):
        interp.guard((variable_of(interp, cls),), "unset", name, of=name)


def bases_stay(interp: Interpreter, cls: type) -> None:
    """The class has the bases that it has."""
    if MADE_HERE in cls.__dict__:
        for base in cls.__bases__:
            bases_stay(interp, base)
    elif not is_fixed(cls):
        interp.guard((variable_of(interp, cls), "__mro__"), "value", cls.__mro__)
