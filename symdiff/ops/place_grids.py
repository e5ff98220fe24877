"""Places of arrays that lie in grids, as windows of images do: what is taken from them is a view,
and what is added to them is added slice by slice.

    x[:, i, j] += v     with i = [[0, 1, 2], [1, 2, 3]] and one j of each column

Arrays of places enter. That each is a sum of lines, one for each axis of a grid, is found by
looking at them, in a time in proportion to their sizes; what lies in no grid is left alone.

A line is a tuple: how many places it has; for the arrays that go along it how they do, from any
number on, by their numbers; and how far the only one of these goes with each place, 0 where there
are more, or distances differ.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

LEAST_ADDED, LEAST_TAKEN = 32768, 16384  # elements that are worth a look at their places
LEAST_OF_SLICES = 256  # elements that are worth a call


def add_by_slices(x: Any, key: Any, values: Any) -> bool:
    """``np.add.at(x, key, values)`` if the places that the key names are few slices of ``x``; else
    nothing is added, and False is returned.

    >>> x = np.zeros(20000)
    >>> add_by_slices(x, (np.arange(19999)[:, np.newaxis] + np.arange(2),), np.ones((19999, 2)))
    True
    >>> x[[0, 1, -1]]
    array([1., 2., 1.])
    """
    named = named_by(key)
    if named is None:
        return False
    first, places, slices = named
    x = x[slices]
    whole, last = np.broadcast(*places).shape, first + len(places)
    values = np.broadcast_to(values, (*x.shape[:first], *whole, *x.shape[last:]))
    if values.size < LEAST_ADDED or values.ndim == len(whole) == 1:
        return False  # single places are hardly in a grid: it would take longer to look at them
    found = lines_of(places, whole)
    lines = [line for parts in found for line in parts]
    if values.size < LEAST_OF_SLICES * turns_of(lines):
        return False
    start = start_of(places, found, x.shape[first:last])
    if start is None:
        return False
    grid = [length for length, _, _ in lines]
    add_grid(x, first, start, lines, values.reshape(*x.shape[:first], *grid, *x.shape[last:]))
    return True


def take_by_strides(x: Any, key: Any) -> Any:
    """``x[key]`` in C order, if the places that the key names lie in a grid; else None.

    >>> places = np.arange(9999)[:, np.newaxis] + np.arange(2)
    >>> take_by_strides(np.arange(10000.0), (places,))[:2]
    array([[0., 1.],
           [1., 2.]])
    """
    named = named_by(key)
    if named is None:
        return None
    first, places, slices = named
    x = x[slices]
    whole, last = np.broadcast(*places).shape, first + len(places)
    if math.prod((*x.shape[:first], *whole, *x.shape[last:])) < LEAST_TAKEN:
        return None
    found = lines_of(places, whole)
    lines = [line for parts in found for line in parts]
    even = all(step or not rows for _, rows, step in lines)
    start = start_of(places, found, x.shape[first:last]) if even else None
    if start is None:
        return None
    grid = [length for length, _, _ in lines]
    steps = [sum(x.strides[first + number] * step for number in rows) for _, rows, step in lines]
    begin = x[(*(slice(None),) * first, *(slice(place, None) for place in start))]
    shape = (*x.shape[:first], *grid, *x.shape[last:])
    strides = (*x.strides[:first], *steps, *x.strides[last:])
    view = np.lib.stride_tricks.as_strided(begin, shape, strides, writeable=False)
    return view.copy("C").reshape(*x.shape[:first], *whole, *x.shape[last:])


def named_by(key: Any) -> tuple[int, list[Any], tuple[Any, ...]] | None:
    """Which axis is the first of those for which a key has arrays of places, these, and its slices;
    None where the arrays do not stand side by side, or something else is in the key.
    """
    entries = key if isinstance(key, tuple) else (key,)
    named = [k for k, entry in enumerate(entries) if not isinstance(entry, slice)]
    if not named or named[-1] - named[0] >= len(named):
        return None
    places = [np.asarray(entries[k]) for k in named]
    if any(array.dtype.kind not in "iu" or array.size == 0 for array in places):
        return None
    places = [array.astype(np.intp, copy=False) for array in places]  # distances may be too long
    if not any(array.ndim for array in places):
        return None
    slices = tuple(entry if isinstance(entry, slice) else slice(None) for entry in entries)
    return named[0], places, slices


def lines_of(places: list[Any], whole: tuple[int, ...]) -> list[list[Any]]:
    """For each axis the lines along which arrays go, if they are sums of lines."""
    found = []
    for axis, length in enumerate(whole):
        rows = {}
        for number, array in enumerate(places):
            own = axis - len(whole) + array.ndim
            if own >= 0 and array.shape[own] > 1:
                behind = (0,) * (array.ndim - own - 1)
                rows[number] = array[(*(0,) * own, slice(None), *behind)]
        found.append(parts_of_line(length, rows))
    return found


def parts_of_line(length: int, rows: dict[int, Any]) -> list[Any]:
    """A line that begins anew at equal distances as outer and inner ones; any other as it is."""
    period = period_of(length, rows)
    if period == length:
        steps = {number: int(row[1]) - int(row[0]) for number, row in rows.items() if length > 1}
        moving = {number: rows[number] for number, step in steps.items() if step}
        return [(length, moving, sum(steps.values()) if len(moving) == 1 else 0)]
    if length % period == 0 and all(
        begins_anew(row[: 8 * period], period) and begins_anew(row, period) for row in rows.values()
    ):
        outer = {number: row[::period] for number, row in rows.items()}
        inner = {number: row[:period] for number, row in rows.items()}
        return [*parts_of_line(length // period, outer), *parts_of_line(period, inner)]
    return [(length, rows, 0)]


def period_of(length: int, rows: dict[int, Any]) -> int:
    """How many places a line goes on as it begins."""
    for most in (64, length):
        ends = np.zeros(min(most, length) - 1, bool)
        for row in rows.values():
            ends |= row[1:most] - row[: most - 1][: len(ends)] != row[1:2] - row[:1]
        if ends.any():
            return int(ends.argmax()) + 1
    return length


def begins_anew(row: Any, period: int) -> bool:
    """Return whether a row goes as it does at first in each period."""
    table = row.reshape(-1, period)
    return not (table - table[:, :1] != table[0] - table[0, :1]).any()


def start_of(
    places: list[Any], lines: list[list[Any]], lengths: tuple[int, ...]
) -> list[int] | None:
    """Where arrays begin; None where they are no sums of these lines, or leave their axes."""
    start = []
    for number, (array, length) in enumerate(zip(places, lengths, strict=True)):
        sums = np.array(int(array.flat[0]))
        for own, parts in zip(reversed(array.shape), reversed(lines), strict=False):
            for count, rows, _ in reversed(parts if own > 1 else []):
                row = np.asarray(rows.get(number, [0] * count), np.intp)
                sums = np.add.outer(row - row[0], sums)
        low, high = int(array.min()), int(array.max())
        if low < -length or high >= length or low < 0 <= high:
            return None
        if (sums.reshape(-1) != array.reshape(-1)).any():
            return None
        start.append(int(array.flat[0]) + (length if low < 0 else 0))
    return start


def sliced(lines: list[Any]) -> dict[int, int]:
    """For axes of the array that is added to, the longest line that goes evenly along each."""
    chosen: dict[int, int] = {}
    for axis, (length, rows, step) in enumerate(lines):
        if step:
            (number,) = rows
            if number not in chosen or length > lines[chosen[number]][0]:
                chosen[number] = axis
    return chosen


def turns_of(lines: list[Any]) -> int:
    """How many slices the places of a grid are."""
    even = sliced(lines).values()
    return math.prod(length for axis, (length, _, _) in enumerate(lines) if axis not in even)


def add_grid(x: Any, first: int, start: list[int], lines: list[Any], values: Any) -> None:
    """Add values, whose axes from ``first`` on go along lines, to as many axes of ``x`` as have a
    start. What goes along one of these axes alone is added up before, which leaves less for others.
    """
    own = [k for k, (_, rows, _) in enumerate(lines) if set(rows) <= {0}]
    others = [k for k, (_, rows, _) in enumerate(lines) if set(rows) - {0}]
    before = math.prod(lines[k][0] for k in own)
    if not others or any(0 in lines[k][1] for k in others) or before < x.shape[first]:
        add_slices(x, first, start, lines, values)
        return
    order = [first + k for k in (*own, *others)]
    values = np.moveaxis(values, order, range(first, first + len(lines)))
    shape = (*x.shape[: first + 1], *values.shape[first + len(own) :])
    part = np.zeros(shape, x.dtype)
    add_slices(part, first, start[:1], [lines[k] for k in own], values)
    rest = []
    for length, rows, step in (lines[k] for k in others):
        rest.append((length, {number - 1: row for number, row in rows.items()}, step))
    add_grid(x, first + 1, start[1:], rest, part)


def add_slices(x: Any, first: int, start: list[int], lines: list[Any], values: Any) -> None:
    """The same, one slice after the other."""
    chosen = sliced(lines)
    turned = [k for k in range(len(lines)) if k not in chosen.values()]
    order = [chosen[number] for number in sorted(chosen)]
    ends = len(turned) + first
    places = (*range(len(turned)), *range(ends, ends + len(order)))
    slices = np.moveaxis(values, [first + k for k in (*turned, *order)], places)
    for turn in itertools.product(*(range(lines[k][0]) for k in turned)):
        key: list[Any] = [slice(None)] * first
        along = list(zip(turned, turn, strict=True))
        for number, place in enumerate(start):
            rows = [(lines[k][1][number], at) for k, at in along if number in lines[k][1]]
            here = place + sum(int(row[at]) - int(row[0]) for row, at in rows)
            key.append(stretch(here, *lines[chosen[number]]) if number in chosen else here)
        x[tuple(key)] += slices[turn]


def stretch(place: int, length: int, rows: Any, step: int) -> slice:
    """The slice of the places along an even line."""
    stop = place + step * length
    return slice(place, stop if stop >= 0 else None, step)
