"""Arrays of texts and times: those that are made inside, and what functions of NumPy tell of them.

>>> import numpy as np, symdiff
>>> KINDS = np.array(["a", "b", "a"])
>>> symdiff.grad(lambda x: np.sum(x[KINDS == "a"] ** 2))(np.ones(3))
array([2., 0., 2.])

They are tables: facts that a program rests on, and nothing that it writes.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from symdiff.definitions.object_arrays import array_of_items
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import FreeVariable
from symdiff.ir.structure import TABLES
from symdiff.parse import tables
from symdiff.parse.blame import python_raises
from symdiff.parse.calls import builtin
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.pure import python_value
from symdiff.parse.reflect import reflect
from symdiff.parse.values import ABSENT, Abstract, Arguments, Keywords, ListRef

_TEXTS = (str, bytes)


@builtin(np.array, np.asarray)
def _made_of_texts(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
    """``np.array(["a", "b"])``, ``np.array([None])``; ``NotImplemented`` of numbers."""
    if len(arguments) == 1 and not keywords and _holds_none(interp, arguments[0]):
        return interp.call(array_of_items, arguments, {})
    if not arguments or not _is_no_number(interp, arguments[0]):
        return NotImplemented
    given = [python_value(interp, a) for a in arguments]
    named = {name: python_value(interp, a) for name, a in keywords.items()}
    if any(value is ABSENT for value in (*given, *named.values())):
        return NotImplemented
    made = np.array(*given, **named)
    return _as_table(interp, made) if made.dtype.kind in TABLES else NotImplemented


def _as_table(interp: Interpreter, made: np.ndarray) -> Abstract:
    return reflect(interp, made, (FreeVariable("object", made, "texts"),))


@builtin(np.arange)
def _times(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
    """``np.arange("2020-01", "2020-03", dtype="datetime64[D]")``; ``NotImplemented`` of numbers."""
    if not any(isinstance(given, str | np.datetime64) for given in arguments):
        return NotImplemented
    given = [python_value(interp, a) for a in arguments]
    named = {name: python_value(interp, a) for name, a in keywords.items()}
    if any(value is ABSENT for value in (*given, *named.values())):
        return NotImplemented
    with python_raises():
        return _as_table(interp, np.arange(*given, **named))


def _holds_none(interp: Interpreter, value: Abstract) -> bool:
    """Return whether None is among what is in nested lists."""
    pending, seen = [value], set[ListRef]()  # a list may hold itself
    while pending:
        one = pending.pop()
        content = one
        if isinstance(one, ListRef):
            content = None if one in seen else interp.content(one)
            seen.add(one)
        if not isinstance(content, tuple):
            continue
        if any(item is None for item in content):
            return True
        pending.extend(item for item in content if isinstance(item, ListRef | tuple))
    return False


def _is_no_number(interp: Interpreter, value: Abstract) -> bool:
    """Return whether a value is None, or the first of what is in nested lists is a text."""
    while isinstance(value, ListRef | tuple):
        content: Any = interp.content(value) if isinstance(value, ListRef) else value
        if not isinstance(content, tuple) or not content:
            return False
        value = content[0]
        if value is None:
            return False
    return value is None or isinstance(value, _TEXTS)


@builtin(np.unique)
def _unique(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
    return _told_by(interp, np.unique, arguments, keywords)


@builtin(np.isin)
def _isin(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
    return _told_by(interp, np.isin, arguments, keywords)


@builtin(np.diff)
def _diff(interp: Interpreter, *arguments: Abstract, **keywords: Abstract) -> Abstract:
    return _told_by(interp, np.diff, arguments, keywords)


def _told_by(
    interp: Interpreter, function: Any, arguments: Arguments, keywords: Keywords
) -> Abstract:
    """What the function tells of a table; ``NotImplemented`` of numbers."""
    if not arguments or not tables.is_table(arguments[0]):
        return NotImplemented
    bound = inspect.signature(function).bind(*arguments, **keywords)
    left_out = {name for name in keywords if name in bound.signature.parameters}
    bound.apply_defaults()
    for name, value in bound.kwargs.items():
        if name in left_out and value != bound.signature.parameters[name].default:
            raise UnsupportedCallError(f"np.{function.__name__} of texts with {name}=")
    table, *given = (value for value in bound.args if value is not np._NoValue)
    return tables.told_by(interp, function, table, [_plain(interp, each) for each in given])


def _plain(interp: Interpreter, value: Abstract) -> Abstract:
    """A list as a tuple, where it is known what is in it."""
    known = python_value(interp, value) if isinstance(value, ListRef) else value
    return tuple(known) if isinstance(known, list) else value
