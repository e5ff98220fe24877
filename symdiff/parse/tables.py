"""Tables: objects that are looked things up in, by keys that are known, as they stand there.

>>> import numpy as np, symdiff
>>> SALTS = np.array([["NaCl", 0.5], ["KCl", 0.25]], object)
>>> symdiff.grad(lambda x: x * SALTS[1, 1])(2.0)
0.25

These are arrays of objects, texts, times or records, and what libraries of tables make
(``LIBRARIES``): their methods are not followed. What a table answers is a fact that the program
rests on; it is asked again at each call. An array that it gives, and a number in what is given as
an argument, is read at each call. A table is written nowhere in a program.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import FreeVariable, Value
from symdiff.ir.signature import Asked
from symdiff.ops.declare import static
from symdiff.parse import lookups
from symdiff.parse.blame import python_raises
from symdiff.parse.interpreter import Interpreter, describe
from symdiff.parse.native import not_followed
from symdiff.parse.reflect import is_array_of_objects
from symdiff.parse.scope import read_once
from symdiff.parse.texts import settled
from symdiff.parse.values import ABSENT, Abstract, Array, BoundMethod, Conflict, Keywords, ObjectRef

LIBRARIES = {"pandas"}
HELD = {"loc", "at", "iloc", "iat", "index", "columns", "values", "T"}
HELD |= {"dtype", "dtypes", "shape", "size", "ndim", "empty", "name"}
METHODS = {"__getitem__", "__contains__", "__len__", "get", "get_loc", "item", "max", "min"}
METHODS |= {"to_numpy", "tolist", "__iter__"}
METHODS |= {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}
OF_TIMES = {f"__{side}{name}__" for side in ("", "r") for name in ("add", "sub", "mul", "truediv")}
OF_TIMES |= {"__floordiv__", "__mod__", "__neg__", "__abs__", "astype"}


@dataclass(frozen=True, slots=True)
class TableMethod:
    """A method of a table, which answers by what stands there."""

    name: str


def is_table(value: Any) -> bool:
    """Return whether an object is a table that stands outside."""
    return isinstance(value, ObjectRef) and value.path is not None and _is_table(value.live)


def _is_table(live: Any) -> bool:
    if is_array_of_objects(live) or type(live) is np.void:
        return True
    return type(live).__module__.partition(".")[0] in LIBRARIES


def held(interp: Interpreter, table: ObjectRef, name: str) -> Abstract:
    """``table.name``: what it tells of itself, a column, or a method."""
    if _is_method(table, name):
        return method(table, name)
    if name not in HELD and lookups.static_on_class(table.type, name) is not ABSENT:
        raise not_followed(interp, table.type, name)
    return _answer(interp, table, name, functools.partial(getattr, table.live, name))


def method(table: ObjectRef, name: str) -> BoundMethod:
    """A method of a table, special ones among them."""
    return BoundMethod(TableMethod(name), table)


def ask(
    interp: Interpreter, asked: TableMethod, arguments: list[Abstract], keywords: Keywords
) -> Abstract:
    """A call of a method: of arguments that are known."""
    table, *given = arguments
    if not _is_method(table, asked.name) or keywords:
        raise not_followed(interp, table.type, asked.name)
    if asked.name == "astype":
        given = [_dtype(each) for each in given]
    if asked.name == "__iter__":
        return interp.call(iter, [_rows(interp, table, asked.name)], {})
    if asked.name == "tolist":
        rows = _rows(interp, table, asked.name)
        return interp.call(list, [tuple(_as_list(interp, row) for row in rows)], {})
    step = Asked(asked.name, tuple(_known(interp, each) for each in given))
    return _answer(interp, table, step, functools.partial(step.of, table.live))


def _is_method(table: ObjectRef, name: str) -> bool:
    """Return whether a table may be asked by a method."""
    return name in METHODS or (is_of_times(table) and name in OF_TIMES)


def is_of_times(value: Any) -> bool:
    """Return whether a table is an array of dates or of durations."""
    return is_table(value) and getattr(value.live, "dtype", np.dtype("O")).kind in "Mm"


def _dtype(value: Abstract) -> Abstract:
    """A dtype by its name, however it is given."""
    with python_raises():
        return np.dtype(value).str if isinstance(value, type | np.dtype) else value


def told_by(
    interp: Interpreter, function: Any, table: ObjectRef, given: list[Abstract]
) -> Abstract:
    """What a function of NumPy tells of a table, and of arguments that are known."""
    step = Asked(f"np.{function.__name__}", tuple(_known(interp, each) for each in given))
    return _answer(interp, table, step, functools.partial(step.of, table.live))


def _as_list(interp: Interpreter, row: Abstract) -> Abstract:
    return interp.call_method(row, "tolist") if is_table(row) else row


def _rows(interp: Interpreter, table: ObjectRef, asked: str) -> tuple[Abstract, ...]:
    """What an array holds along its first axis, of a length that is a fact."""
    if not isinstance(table.live, np.ndarray) or not table.live.ndim:
        raise not_followed(interp, table.type, asked)
    length = len(table.live)
    interp.guard((*(table.path or ()), Asked("__len__", ())), "value", length)
    rows = (Asked("__getitem__", (k,)) for k in range(length))
    return tuple(_answer(interp, table, row, functools.partial(row.of, table.live)) for row in rows)


def _known(interp: Interpreter, key: Abstract) -> Any:
    """A key, or a part of one, as Python has it."""
    key = settled(interp, key)
    if isinstance(key, tuple):
        return tuple(_known(interp, part) for part in key)
    if isinstance(key, slice):
        return slice(*(_known(interp, part) for part in (key.start, key.stop, key.step)))
    key = static(key) if isinstance(key, Value) else key
    if type(key) not in _KEYS:
        raise UnsupportedCallError(
            f"a table is asked for {describe(key)}",
            hint="look it up outside, and give what is found as an argument",
        )
    return key


_KEYS = (
    bool, int, float, complex, str, np.str_, bytes, type(None), types.EllipsisType,
    np.datetime64, np.timedelta64,
)  # fmt: skip


def _answer(
    interp: Interpreter, table: ObjectRef, step: str | Asked, told: Callable[[], Any]
) -> Abstract:
    """What a table tells: a number of what stands outside, a truth or a text is a fact."""
    path = (*(table.path or ()), step)
    try:
        with python_raises():
            value = told()
    except Exception:
        interp.guard(path, "absent", None)
        raise
    is_number = isinstance(value, int | float | complex | np.number)
    is_fact = isinstance(value, bool | np.bool) or (
        isinstance(value, tuple) and all(type(item) in (int, str) for item in value)
    )
    if is_fact or (is_number and isinstance(path[0], FreeVariable)):
        interp.guard(path, "value", value)
        return value
    if is_number or isinstance(value, _TOLD) or _is_table(value) or _is_held(table, step, value):
        found = read_once(interp, (table, _key(step)), value, path)
        if isinstance(found, Array):
            _keep(interp, found)
        return found
    raise not_followed(interp, table.type, str(step))


def _is_held(table: ObjectRef, step: str | Asked, value: Any) -> bool:
    """Return whether an array of objects holds an object of a class, which stands outside."""
    holds = isinstance(table.live, np.ndarray) and table.live.dtype.kind == "O"
    asked = isinstance(step, Asked) and step.name in ("__getitem__", "item")
    return holds and asked and not isinstance(value, list | dict | set)


def _keep(interp: Interpreter, array: Array) -> None:
    """Refuse writes to an array that a table gives, which may be the table's own or a new one."""
    reason = "an array that a table gives is written here"
    hint = "write to a copy of it: np.array(x)"
    conflict = Conflict("x", reason, interp.span, aliasing=True, hint=hint)
    for heap in (interp.heap, *interp.outer_heaps):
        heap.keep(array.storage, conflict)


def _key(step: str | Asked) -> str:
    return step if isinstance(step, str) else step.spelled("")


_TOLD = (str, bytes, type(None), np.ndarray, np.generic, np.dtype, tuple)
