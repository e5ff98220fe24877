"""The truth of an abstract value: a Python bool where it is static, else a staged bool."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType, ListType, OpaqueType
from symdiff.ops.casts import python_bool
from symdiff.ops.creation import range_length_of
from symdiff.ops.declare import of_constants
from symdiff.ops.lists import list_length
from symdiff.parse import run_time_texts as texts
from symdiff.parse.blame import judged, users
from symdiff.parse.cases import of_each
from symdiff.parse.identity import class_of
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.outcomes import compared
from symdiff.parse.some_entries import has_entries, some_entries
from symdiff.parse.special import has_method
from symdiff.parse.staged_lists import is_staged_list, length
from symdiff.parse.values import Abstract, Array, DictRef, ListRef, ObjectRef, Range


def truth(interp: Interpreter, value: Abstract) -> bool | Value:
    """What ``if value:`` asks."""
    found: bool | Value = of_each(interp, partial(_judged_truth, interp), value)
    return found


def _judged_truth(interp: Interpreter, value: Abstract) -> bool | Value:
    with judged(interp, bool, (value,)):
        return _truth(interp, value)


def _truth(interp: Interpreter, value: Abstract) -> bool | Value:
    if texts.is_at_run_time(interp, value):
        asked: Value = texts.asked(interp, value, "__ne__", [""], {})
        return asked
    if isinstance(value, ListRef | DictRef) and not _is_asked(interp, value):
        if isinstance(value, DictRef) and some_entries(interp, value) is not None:
            return has_entries(interp, value)
        content = interp.content(value)
        return _staged(interp, length(content)) if is_staged_list(content) else bool(content)
    if isinstance(value, Array):
        return _staged(interp, interp.heap.read(value))
    if isinstance(value, Value):
        return _staged(interp, value)
    if isinstance(value, ObjectRef | ListRef | DictRef | tuple | type):
        return _instance(interp, value)
    if isinstance(value, Range):
        return _has_elements(interp, value)
    return bool(value)


def _staged(interp: Interpreter, value: Value) -> bool | Value:
    type_ = value.type
    known = of_constants(value)
    if known is not None and np.size(known) == 1:
        return bool(known)
    if isinstance(type_, ListType):
        return _staged(interp, list_length(value))
    if isinstance(type_, OpaqueType):
        raise UnsupportedCallError(
            "whether this is true depends on the result of a call without a rule",
            hint='say its type where it is made: symdiff.nondifferentiable(returns="bool")',
        )
    if isinstance(type_, ArrayType) and type_.kind == "python" and type_.dtype.kind == "b":
        return value
    asked: Any = compared(interp, "ne", value, 0, partial(python_bool, value))
    return asked if isinstance(asked, Value) else bool(asked)


def _has_elements(interp: Interpreter, value: Range) -> bool | Value:
    parts = (value.start, value.stop, value.step)
    if not any(isinstance(part, Value) for part in parts):
        return bool(range(*parts))
    count: Any = range_length_of(*parts)
    return _staged(interp, count)


def _is_asked(interp: Interpreter, value: Abstract) -> bool:
    """Return whether a method of the user's tells the truth of a list or a dict."""
    return any(has_method(interp, value, name) for name in _METHODS)


_METHODS = ("__bool__", "__len__")


def _instance(interp: Interpreter, value: Abstract) -> bool | Value:
    for name in _METHODS:
        if has_method(interp, value, name):
            answer: Any = interp.call_method(value, name)
            if name == "__bool__":
                _require_bool(interp, answer)
            return truth(interp, answer)
    return tuple.__len__(value) > 0 if isinstance(value, tuple) else True


def _require_bool(interp: Interpreter, answer: Abstract) -> None:
    """Raise what Python raises of an answer that is none of its bools: NumPy's are not."""
    cls = class_of(interp, answer)
    if cls is bool:
        return
    of_python = cls.__module__ == "builtins" or cls.__flags__ & _MADE_BY_A_STATEMENT
    name = cls.__name__ if of_python else f"{cls.__module__}.{cls.__name__}"
    raise users(TypeError(f"__bool__ should return bool, returned {name}"))


_MADE_BY_A_STATEMENT = 1 << 9  # Py_TPFLAGS_HEAPTYPE
