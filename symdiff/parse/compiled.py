"""Calls of functions that Numba has compiled: made for their values, and differentiated as the
Python that they were compiled from.

Compiled code sums in another order than NumPy and gives Python's numbers, so its own value stands
wherever a call does nothing but to give new arrays and numbers; what writes to its arguments, or
may raise inside ``try``, is followed. Its operators give what NumPy's do in double precision only:
other types are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import builder
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType
from symdiff.parse.definitions import call_as_written, named_call
from symdiff.parse.functions import call_function
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.marking import suspended
from symdiff.parse.values import Abstract, Arguments, Array, CalleeLeft, Keywords, ListRef

_TYPES = ("float64", "complex128", "int64", "bool")
_OF_PYTHON: dict[str, type] = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


def call_compiled(
    interp: Interpreter,
    function: Any,
    python: FunctionType,
    arguments: Arguments,
    keywords: Keywords,
) -> Abstract:
    """``function(*arguments, **keywords)`` by the Python behind it."""
    for given in _values(interp, (*arguments, *keywords.values())):
        _require_double(given)
    call = call_as_written(interp, function, arguments, keywords)
    before, nodes = interp.heap.copy(), builder().nodes
    start = len(nodes)
    with suspended(interp):
        taken = [_plain(interp, a) for a in arguments]
        named = {name: _plain(interp, value) for name, value in keywords.items()}
        try:
            result = _plain(interp, call_function(interp, python, taken, named))
        except CalleeLeft as left:
            raise CalleeLeft(_plain(interp, left.value), function, left.span) from None
    if call is None or builder().nodes is not nodes:
        return result
    call.rounded = call.checks = True
    return named_call(interp, call, result, nodes, start, before)


def _values(interp: Interpreter, given: Any) -> Iterator[Value]:
    """The numbers and arrays among arguments."""
    if isinstance(given, Array):
        yield interp.heap.read(given)
    elif isinstance(given, Value):
        yield given
    elif isinstance(given, ListRef):
        yield from _values(interp, interp.content(given))
    elif isinstance(given, tuple | list):
        for part in given:
            yield from _values(interp, part)


def _require_double(value: Value) -> None:
    type_ = value.type
    if isinstance(type_, ArrayType) and type_.dtype not in _TYPES:
        raise UnsupportedCallError(
            f"{type_.dtype} in a compiled function, whose types are Numba's",
            hint="convert to double precision first: x.astype(np.float64)",
        )


def _plain(interp: Interpreter, value: Abstract) -> Abstract:
    """Numbers as Python's, which compiled code takes and gives."""
    if type(value) is tuple:
        return tuple(_plain(interp, part) for part in value)
    if isinstance(value, Value) and isinstance(value.type, ArrayType):
        is_number = value.type.kind == "scalar"
        return interp.call(_OF_PYTHON[value.type.dtype.kind], [value], {}) if is_number else value
    return value.item() if isinstance(value, np.generic) else value
