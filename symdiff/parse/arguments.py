"""Arguments as lowerings take them: IR values, static values, lists of such."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any, NoReturn

import numpy as np

from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.graph import Value
from symdiff.ir.structure import Container, Leaf
from symdiff.ir.types import BOOL, INT
from symdiff.ops.arguments import bound, documented, places, untaken
from symdiff.ops.arrays import array_of
from symdiff.ops.declare import FUNCTIONS
from symdiff.ops.list_arrays import is_list, list_stack_of
from symdiff.parse import subclassed
from symdiff.parse.demand import obtainable
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.opaque import library_name
from symdiff.parse.texts import settled
from symdiff.parse.values import (
    Abstract,
    Arguments,
    Array,
    Columns,
    Conflict,
    ConflictRead,
    Generator,
    Keywords,
    ListRef,
    Range,
)

_COMPARED = str | int | float
_OF_DECORATORS = frozenset({"_no_deco"})  # by which SciPy's functions call each other undecorated
LAZY: set[type] = {Generator}  # what is gone over once: taken as the list of its elements


def taken_arguments(
    interp: Interpreter,
    function: Callable[..., Any],
    meaning: Callable[..., Any],
    arguments: Arguments,
    keywords: Keywords,
    *,
    out: bool = False,
) -> tuple[Arguments, Keywords]:
    """The arguments of a library's function as its lowering or definition takes them; ``out`` too.

    Others may only be what they are by default. What the library does not know either is left to
    be the error that it is.
    """
    left_out = untaken(function, meaning, out=out)
    keywords = {n: v for n, v in keywords.items() if n not in _OF_DECORATORS}
    given = (*zip(places(function), arguments, strict=False), *keywords.items())
    for name, value in given:
        is_there = name == "device" and value == "cpu"  # NumPy knows no other
        if name in left_out and not (is_there or _is_default(value, left_out[name])):
            _refuse(interp, function, name, value)
    for name, value in keywords.items():
        if _is_beyond(name, function, meaning):
            _refuse(interp, function, name, value)
    return bound(function, meaning, arguments, keywords, out=out)


def _refuse(
    interp: Interpreter, function: Callable[..., Any], name: str, value: Abstract
) -> NoReturn:
    """Refuse an argument; of one that is only known at run time, ask for its value first."""
    if isinstance(value, Value) and value.type in (BOOL, INT):
        wanted = obtainable(interp, value)
        if wanted is not None:
            raise wanted
    raise UnsupportedCallError(
        f"{library_name(function)} with the argument {name}= is not supported"
    )


def _is_default(value: Abstract, default: Any) -> bool:
    if value is default or value is np._NoValue:
        return True
    comparable = isinstance(value, _COMPARED) and isinstance(default, _COMPARED)
    return comparable and value == default


def _is_beyond(name: str, function: Callable[..., Any], meaning: Callable[..., Any]) -> bool:
    """Return whether a name is one of any number that the library takes, and unknown here."""
    known, own = documented(function) or {}, documented(meaning) or {}
    return name not in own and name not in known and _takes_any(known) and not _takes_any(own)


def _takes_any(parameters: Mapping[str, Parameter]) -> bool:
    return any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values())


def plain_argument(
    interp: Interpreter,
    value: Abstract,
    arrays: dict[Value, Abstract] | None = None,
    *,
    iterates: bool = True,
) -> Any:
    """An argument as lowerings take it: IR values, static values, lists and tuples of such.

    ``iterates``: what is gone over once is taken as a list of its elements. NumPy makes one object
    of it.
    """
    if isinstance(value, Conflict):
        raise ConflictRead(value)
    value = settled(interp, value)
    if isinstance(value, Array):
        read = interp.heap.read(value)
        if arrays is not None:
            arrays.setdefault(read, value)
        return read
    if isinstance(value, ListRef):
        return _plain_list(interp, interp.content(value), arrays, iterates)
    if isinstance(value, tuple):
        items = [plain_argument(interp, v, arrays, iterates=iterates) for v in value]
        return tuple.__new__(type(value), items)
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return slice(*(plain_argument(interp, p, arrays) for p in parts))
    if type(value) in LAZY:
        if not (iterates or isinstance(value, Range)):
            told = describe(value)
            raise rejection(TypeError, f"{told} is one object to NumPy; give list(...)")
        return plain_argument(interp, interp.collect(value), arrays)
    return subclassed.as_numpy(interp, value) if subclassed.is_subclassed(value) else value


def _plain_list(
    interp: Interpreter, content: Any, arrays: dict[Value, Abstract] | None, iterates: bool
) -> Value | list[Any]:
    if isinstance(content, Value):
        return content
    if isinstance(content, Columns):
        return stacked_columns(content)
    items = [plain_argument(interp, item, arrays, iterates=iterates) for item in content]
    return [list_stack_of(item) if is_list(item) else item for item in items]


def stacked_columns(content: Columns) -> Value:
    """A list of tuples of numbers as the array that NumPy makes of it: a row for each item."""
    flat = isinstance(content.structure, Container) and all(
        isinstance(part, Leaf) for part in content.structure.items
    )
    if not flat:
        raise UnsupportedCallError("an array from a list of nested items")
    columns = [list_stack_of(value) for value in content.values]
    result: Value = FUNCTIONS[np.stack](columns, axis=1)
    return result


def as_array(interp: Interpreter, value: Abstract) -> Value:
    """A number, array, or sequence of such as an array operand."""
    if isinstance(value, ListRef | tuple | Range):
        return array_of(plain_argument(interp, value))
    return interp.lift(subclassed.as_numpy(interp, value))
