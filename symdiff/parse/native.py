"""Objects of classes that are not written in Python: what they hold and do, as they are.

>>> import datetime, symdiff
>>> lag = datetime.timedelta(days=3)
>>> @symdiff.differentiable
... def f(x):
...     return x * lag.days
>>> f.grad(2.0)
3.0

What they hold is read where it is a number, a text or the like. A method is called in its place, of
the object that stands there when the program is compiled; what stands there is looked at again at
each call. Of what it returns nothing is known, nor of what it changes: what the object holds is not
read in a program that calls its methods.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError
from symdiff.parse import lookups
from symdiff.parse.blame import users
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import ObjectRef

DATA = (types.GetSetDescriptorType, types.MemberDescriptorType)
METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType)
SLOTS: set[Any] = set()  # methods that every object has, and whose meaning is known


def require_data(interp: Interpreter, ref: ObjectRef, name: str, found: Any) -> None:
    """Refuse what an object does not hold, and what is no plain value."""
    if lookups.is_slot(found):
        if ref.path is not None:
            interp.guard((*ref.path, name), "absent", None)
        raise users(AttributeError(f"'{ref.type.__name__}' object has no attribute '{name}'"))
    interp.held_natively.setdefault(ref, name)
    live = _live(interp, ref, name)
    try:
        value = getattr(live, name)
    except Exception as error:
        raise not_followed(interp, ref.type, name) from error
    if not (lookups.is_unchanging(value) or isinstance(value, np.ndarray)):
        raise not_followed(interp, ref.type, name)


def method_of(interp: Interpreter, ref: ObjectRef, name: str, found: Any) -> Any:
    """A method of the object that stands there: ``found`` is what its class, or a base, has."""
    return found.__get__(itself(interp, ref, name), ref.type)


def itself(interp: Interpreter, ref: ObjectRef, name: str) -> Any:
    """The object that stands there, of which a method is called."""
    interp.called_natively[ref] = None
    live = _live(interp, ref, name)
    interp.guard(ref.path or (), "value", live)
    return live


def _live(interp: Interpreter, ref: ObjectRef, name: str) -> Any:
    changed = any(owner is ref for owner, _ in interp.attributes)
    if ref.live is None or ref.path is None or changed:
        raise not_followed(interp, ref.type, name)
    if ref in interp.held_natively and ref in interp.called_natively:
        raise UnsupportedCallError(
            f"'{interp.held_natively[ref]}' of a {ref.type.__name__} whose methods are called here:"
            " they may change it",
            hint="read it before the call, and give it as an argument",
        )
    return ref.live


def binds(found: Any) -> bool:
    """Return whether a method or a library's descriptor that is not written in Python says what an
    instance has.
    """
    kind = type(found)
    if isinstance(found, METHODS):
        return True
    getter = lookups.static_on_class(kind, "__get__")
    library = kind.__module__.partition(".")[0] not in ("builtins", "functools", "numpy")
    return library and isinstance(getter, types.WrapperDescriptorType)


def not_followed(interp: Interpreter, cls: type, name: str) -> UnsupportedCallError:
    return UnsupportedCallError(
        f"'{name}' of a {cls.__name__}, which is not written in Python",
        interp.span,
        "call it outside, or in a function marked symdiff.nondifferentiable",
    )
