"""Functions that give what differs in kind from path to path, called often."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np


def root_or_none(v: Any) -> Any:
    if v > 0.7:
        return np.sqrt(v)
    elif v > 0.3:  # noqa: RET505 - no final else
        return v * v


def half_or_none(v: Any) -> Any:
    if v > 0.5:
        found = root_or_none(v * 0.9)
    elif v > -5.0:
        found = root_or_none(v + 0.2)
    else:
        return None
    if found is not None:
        return found * 0.5
    return found


def none_or_numbers(x: float, y: float) -> float:
    found = 0.0
    for k, v in enumerate((x, y, x * y, x - y, y - x, x * x, 0.1 * y)):
        a, b = root_or_none(v), half_or_none(v)
        if a is not None:
            found = found + a * (k + 1)
        found = found + (x if b is None else b * y)
    return found


def pair_or_none(v: Any, w: Any) -> Any:
    if v * w > 0.6:
        return v, w * v
    return None if v > w else (w, v)


def pairs_or_none(x: float, y: float) -> float:
    """One of what differs is compared with another one of the same kind."""
    found = 0.0
    kept = None
    for v, w in ((x, y), (y, x), (x * x, y), (0.5 * x, 0.2 * y)):
        pair = pair_or_none(v, w)
        other = pair_or_none(w, v)
        if pair is None:
            found = found - v
        elif other is not None:
            found = found + pair[0] * other[1]
        if kept is None:
            kept = pair
    return found if kept is None else found * kept[1]


def text_or_number(v: Any) -> Any:
    if v > 0.9:
        return "large"
    return "small" if v < 0.2 else v * v


def texts_or_numbers(x: float, y: float) -> float:
    found = x * y
    for v in (x, y, x * y, 0.1 * y, x - y, y - x):
        told = text_or_number(v)
        if told == "large":
            found = found * y
        elif told == "small":
            found = found + x
        else:
            found = found + told
    return found


def array_or_number(v: Any) -> Any:
    if v > 0.8:
        return np.array([v, v * v])
    return v * 3.0


def arrays_or_numbers(x: float, y: float) -> float:
    """What a function gives is written where it is an array: that is one of its own."""
    first = array_or_number(x * y + 0.5)
    found = 0.0
    for v in (y, x * y, x * x, y * y, 0.7 * y):
        one = array_or_number(v)
        if isinstance(one, np.ndarray):
            one[0] *= x
            found = found + one[0] * one[1]
        else:
            found = found + one * y
    if isinstance(first, np.ndarray):
        found = found + first[0] * first[1]
    return float(found)


class Found:
    """An object whose attribute is None or a number."""

    def __init__(self, v: Any) -> None:
        self.root = root_or_none(v)
        self.count = 0

    def scaled(self, c: Any) -> Any:
        self.count += 1
        if self.root is None:
            self.root = c
            return None
        self.root = self.root * c
        return self.root


def attributes_that_differ(x: float, y: float) -> float:
    made = [Found(v) for v in (x, y, 0.2 * x, x * y, 0.1 * y)]
    found = 0.0
    for k, one in enumerate(made):
        for c in (x, y, 0.5):
            scaled = one.scaled(c)
            found = found + (0.1 * k if scaled is None else scaled * (k + 1.0))
    return found + sum(one.root * one.count for one in made)


def remembers(state: dict[str, Any], v: Any) -> Any:
    """What stands in a dict is None, a number, or an array."""
    last = state["last"]
    state["last"] = None if v < 0.25 else v * v
    state["calls"] += 1
    return v if last is None else last * v


def kept_in_dicts(x: float, y: float) -> float:
    one: dict[str, Any] = {"last": None, "calls": 0}
    other: dict[str, Any] = {"last": y, "calls": 0}
    found = 0.0
    for v in (x, 0.2 * y, y, x * y, 0.1 * x, x * x):
        found = found + remembers(one, v) * remembers(other, v * x)
    first, last = one["last"], other["last"]
    found = found + (y if first is None else first * 3.0)
    return float(found * one["calls"] + (x if last is None else last * x))


class Scaling:
    def __init__(self, c: Any) -> None:
        self.c = c
        self.calls = 0

    def scaled(self, v: Any) -> Any:
        self.calls += 1
        self.c = self.c * 0.9
        return v * self.c + self.calls


def method_for(c: Any) -> Any:
    return Scaling(c * 2.0).scaled if c > 0.8 else Scaling(c).scaled


def power(c: Any, v: Any, offset: Any = 0.0) -> Any:
    return c * v * v + offset


def partial_for(c: Any) -> Any:
    if c > 0.7:
        return partial(power, c)
    return partial(power, c * 3.0)


def with_offset(c: Any, kept: list[Any]) -> Any:
    kept.append(c)
    return partial(power, offset=c * kept[0])


def methods_and_partials(x: float, y: float) -> float:
    """Each call gives a method of an object of its own, which changes it."""
    found = 0.0
    methods = [method_for(c) for c in (x, y, x * y, 0.5 * y)]
    for k, v in enumerate((y, x, 0.3)):
        for method in methods:
            found = found + method(v + k * 0.1)
    kept: list[Any] = [y]
    for c in (y, x, x * x, y * y):
        found = found * partial_for(c)(x) + with_offset(c, kept)(y, c)
    return found + sum(kept)


PROGRAMS: list[Callable[[float, float], float]] = [
    none_or_numbers,
    pairs_or_none,
    texts_or_numbers,
    arrays_or_numbers,
    attributes_that_differ,
    kept_in_dicts,
    methods_and_partials,
]
