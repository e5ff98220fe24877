"""Sequences whose length is known at run time only, where Python takes them apart.

``a, *rest = rows`` takes items by their number, and raises Python's error where there are too few;
so does ``f(*rows)``, of which ``*args`` is a tuple of the rest. ``zip(*rows)`` gives the columns.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Value
from symdiff.ir.structure import Container, Leaf, leaf_numbers, mapped
from symdiff.ir.types import ArrayType, ListType
from symdiff.ops.arithmetic import equal, greater, less, not_equal
from symdiff.ops.declare import NeedsStatic
from symdiff.parse import staged_lists
from symdiff.parse.blame import error_of, is_users, users
from symdiff.parse.demand import can_be_known
from symdiff.parse.heap import constant
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.items import get_item
from symdiff.parse.iteration import collect, fixed, iterate, started, static_items
from symdiff.parse.opaque import library_name
from symdiff.parse.selecting import refuse_where
from symdiff.parse.values import Abstract, Arguments, Columns, Iterable, Lazy, ListRef, Spread

Items = tuple[Abstract, ...]
Content = Value | Columns


def items_or_list(interp: Interpreter, value: Abstract) -> Items | Content:
    """All elements of an iterable: one by one, or as a list where their count is not known."""
    iterable = iterate(interp, value)
    if not isinstance(iterable.count, Value):
        return static_items(interp, iterable)
    if can_be_known(interp, iterable.count):
        raise NeedsStatic(iterable.count)
    ref = value if isinstance(value, ListRef) else collect(interp, iterable)
    content: Content = interp.content(ref)
    return content


def items_taken(
    interp: Interpreter, value: Abstract, take: Callable[[Any], object]
) -> Items | Content:
    """The same, with the words that Python has where it takes items so from what has none."""
    try:
        return items_or_list(interp, value)
    except TypeError as error:
        python = error_of(interp, take, (value,), {}) if is_users(error) else None
        if not isinstance(python, TypeError):
            raise
        raise users(python) from None


# Unpacking ----------------------------------------------------------------------------------------


def unpacked(
    interp: Interpreter, items: Items | Content, before: int, after: int | None
) -> tuple[Items, Abstract, Items]:
    """The first items, a list of those between, the last ones; ``after`` None: there is no star."""
    if isinstance(items, tuple):
        end = len(items) - (after or 0)
        return items[:before], interp.new_list(items[before:end]), items[end:]
    first = tuple(staged_lists.get(interp, items, constant(k)) for k in range(before))
    between = staged_lists.part(items, before or None, -after if after else None, None)
    middle, last = interp.new_list(between), range(-(after or 0), 0)
    return first, middle, tuple(staged_lists.get(interp, items, constant(k)) for k in last)


def require_enough(
    interp: Interpreter, items: Items | Content, before: int, after: int | None
) -> None:
    """Raise Python's error where there are fewer items than names, or more."""
    least, more = before + (after or 0), after is not None
    expected = f"expected at least {least}" if more else f"expected {least}"

    def too_few(got: int) -> ValueError:
        return ValueError(f"not enough values to unpack ({expected}, got {got})")

    too_many = ValueError(f"too many values to unpack (expected {least})")
    if isinstance(items, tuple):
        refuse_where(interp, len(items) > least and not more, too_many)
        refuse_where(interp, len(items) < least, too_few(len(items)))
        return
    length = staged_lists.length(items)
    for got in range(least):
        refuse_where(interp, equal(length, got), too_few(got))
    if not more:
        refuse_where(interp, greater(length, least), too_many)


# Calls --------------------------------------------------------------------------------------------


def with_star(interp: Interpreter, arguments: list[Abstract], value: Abstract) -> list[Abstract]:
    """The arguments of a call followed by those of a star."""
    items = items_or_list(interp, value)
    if isinstance(items, tuple):
        for item in items:
            arguments = with_argument(interp, arguments, item)
        return arguments
    if arguments and isinstance(arguments[-1], Spread):
        *arguments, spread = arguments
        items = staged_lists.concatenated(interp, spread.content, items)
    return [*arguments, Spread(items)]


def with_argument(
    interp: Interpreter, arguments: list[Abstract], argument: Abstract
) -> list[Abstract]:
    """The arguments of a call followed by one."""
    if arguments and isinstance(arguments[-1], Spread):
        *arguments, spread = arguments
        return [*arguments, Spread(staged_lists.push(interp, spread.content, argument))]
    return [*arguments, argument]


def is_spread(arguments: Arguments) -> bool:
    """Return whether the number of arguments is known at run time only."""
    return bool(arguments) and isinstance(arguments[-1], Spread)


def gathered(interp: Interpreter, function: Any, arguments: Arguments) -> list[Abstract]:
    """The arguments of a function that is not followed into its source, in a number that is known.

    ``max(*rows)`` is ``max(rows)`` where there are two or more, ``zip(*rows)`` goes over columns;
    a function of a fixed number of arguments is given as many, or Python's error is raised.
    """
    *given, spread = arguments
    if function in (max, min):
        return [_two_or_more(interp, function, given, spread)]
    number = _number_of_parameters(function)
    if number is None:
        raise UnsupportedCallError(
            f"{library_name(function)} is called with as many arguments as are known at run time "
            "only",
            hint="make an array of them, or give them by number: f(rows[0], rows[1])",
        )
    message = f"{number} arguments are needed, not another number of them"
    rest = number - len(given)
    error = TypeError(message)
    refuse_where(interp, not_equal(staged_lists.length(spread.content), rest), error)
    items = [staged_lists.get(interp, spread.content, constant(k)) for k in range(rest)]
    return [*given, *items]


def preceded(interp: Interpreter, given: Sequence[Abstract], spread: Spread) -> Spread:
    """A star's arguments after others."""
    if not given:
        return spread
    before = staged_lists.staged_like(interp, tuple(given), spread.content)
    return Spread(staged_lists.concatenated(interp, before, spread.content))


def _two_or_more(
    interp: Interpreter, function: Callable[..., Any], given: list[Abstract], spread: Spread
) -> ListRef:
    content = preceded(interp, given, spread).content
    whole = interp.new_list(content)
    error = TypeError(f"{function.__name__} expected two arguments or more")
    refuse_where(interp, less(staged_lists.length(content), 2), error)
    return whole


def _number_of_parameters(function: Any) -> int | None:
    """How many arguments a function takes by position; None where that differs."""
    if isinstance(function, np.ufunc):
        return function.nin
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    fixed_ones = [p for p in parameters if p.kind in _FIXED and p.default is p.empty]
    return len(fixed_ones) if len(fixed_ones) == len(parameters) else None


_FIXED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def taken_by_position(
    interp: Interpreter, spread: Spread, missing: Sequence[str], said: Callable[[list[str]], str]
) -> tuple[Items, ListRef]:
    """What parameters without an argument take of a star, and the tuple of the rest.

    ``said``: Python's message of the parameters that are missing.
    """
    length = staged_lists.length(spread.content)
    for got in range(len(missing)):
        error = TypeError(said(list(missing[got:])))
        refuse_where(interp, equal(length, got), error)
    taken = range(len(missing))
    items = tuple(staged_lists.get(interp, spread.content, constant(k)) for k in taken)
    rest = staged_lists.part(spread.content, len(missing) or None, None, None)
    return items, interp.new_list(rest, frozen=True)


# Columns ------------------------------------------------------------------------------------------


def columns(interp: Interpreter, content: Content) -> Abstract:
    """``zip(*rows)``: a tuple for each place of the rows, which are tuples, lists or arrays."""
    made = tuple(_column(interp, content, k) for k in range(_width(content)))
    length = staged_lists.length(content)

    def over(interp: Interpreter, *parts: Abstract) -> Iterable:
        error = ValueError("zip(*rows) of no rows: there must be one")
        refuse_where(interp, equal(length, 0), error)
        return fixed(parts)

    return started(interp, Lazy(over, made))


def _width(content: Content) -> int:
    """How many items each row has."""
    if isinstance(content, Columns) and isinstance(content.structure, Container):
        if issubclass(content.structure.type, tuple | list):
            return len(content.structure.items)
    elif isinstance(content, Value) and isinstance(content.type, ListType):
        row = content.type.element
        if isinstance(row, ArrayType) and not row.shape:
            raise users(TypeError("zip argument #1 must support iteration"))
        if isinstance(row, ArrayType) and isinstance(row.shape[0], int):
            return row.shape[0]
    raise UnsupportedCallError(
        "zip(*rows) of rows that are not tuples, or not of a known length",
        hint="make an array of the rows, and take its columns: np.array(rows).T",
    )


def _column(interp: Interpreter, content: Content, k: int) -> ListRef:
    """The tuple of the items of the rows at one place."""
    if isinstance(content, Columns):
        assert isinstance(content.structure, Container)
        part = content.structure.items[k]
        numbers = leaf_numbers(part)
        structure = mapped(part, lambda number: Leaf(numbers.index(number)))
        leaves = [content.values[number] for number in numbers]
        return interp.new_list(staged_lists.content_of(structure, leaves), frozen=True)
    count = staged_lists.length(content)

    def element(row: Any) -> Abstract:
        number = row if isinstance(row, Value) else constant(row)
        return get_item(interp, staged_lists.get(interp, content, number), k)

    gone_over = collect(interp, Iterable(count, element, unroll=False))
    return interp.new_list(interp.content(gone_over), frozen=True)
