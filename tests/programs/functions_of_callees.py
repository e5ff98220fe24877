"""Functions that give functions which they make, called often: each has what its call was given."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Function = Callable[[Any], Any]


def scaled(k: Any) -> Function:
    return lambda v: math.sin(v) * k


def one_for_each(x: float, y: float) -> float:
    """Many are alive at a time."""
    found = [scaled(v) for v in (x, y, x * y, x - y, 0.5)]
    return float(sum(g(x) * g(y * (k + 1)) for k, g in enumerate(found)))


def in_arms(v: float, k: float) -> Function:
    return scaled(v * k) if v > 0.6 else scaled(v + k)


def further(v: float, k: float) -> Function:
    return in_arms(v * 0.9, k) if v > 0.7 else in_arms(v + 0.1, k * k)


def on_paths(x: float, y: float) -> float:
    found = 0.0
    for v in (x, y, x * y, 0.3 * y):
        found = found * 0.5 + further(v, y)(x) * further(y, v)(v)
    return found


def with_defaults(k: float) -> Function:
    w = np.array([k, 1.0])

    def inner(v: Any, a: Any = k * k, *, b: Any = w) -> Any:
        b[0] += v
        return v * a + b[0] * b[1]

    return inner


def state_of_its_own(x: float, y: float) -> float:
    """An array and a list are kept by each, and changed when it is called."""
    one, other = with_defaults(x), with_defaults(y)
    found = one(y) * other(x) + one(x)
    another = with_defaults(x * y)
    other = with_defaults(0.5 * x)
    return float(found + another(found) * one(found, 2.0) * other(y))


def kept(k: float) -> tuple[Function, Function]:
    """Two functions that see one list."""
    items = [k, 1.0]

    def put(v: float) -> None:
        items[0] = items[0] * v
        items.append(v)

    return put, lambda v: items[0] * v + items[-1] * len(items)


def common_lists(x: float, y: float) -> float:
    put, get = kept(x)
    put(y)
    other_put, other_get = kept(y)
    other_put(x)
    found = get(x) * other_get(y)
    third_put, third_get = kept(found)
    third_put(0.5)
    put(found)
    return float(get(found) * other_get(found) + third_get(x) + len(str(third_get.__name__)))


def counting(k: float) -> Function:
    count = 0

    def counted(v: float) -> float:
        nonlocal count
        count += 1
        return v * k + count

    return counted


def counters(x: float, y: float) -> float:
    one, other = counting(x), counting(y)
    found = one(y) * other(x) + one(x)
    third = counting(found)
    return found * third(x) * one(y) + third(y) * other(y)


def composed(f: Function, k: float) -> Function:
    return lambda v: f(v * k) + f(k)


def of_functions(x: float, y: float) -> float:
    """What is given back holds what was given."""
    one, other = scaled(x), scaled(y)
    made = [composed(one, y), composed(other, x), composed(one, x), composed(other, 0.3)]
    return float(sum(g(x + 0.1) * made[k - 1](y) for k, g in enumerate(made)))


def nested(k: float) -> Function:
    def outer(a: float) -> Function:
        return lambda v: v * a + k

    return outer


def two_deep(x: float, y: float) -> float:
    found = 0.0
    for v in (x, y, x * y):
        found = found + nested(v)(x)(y) * nested(x)(v)(found)
    return found


def raising(k: float) -> Function:
    if k > 0.9:
        raise ValueError
    return lambda v: v * k


def tried(x: float, y: float) -> float:
    found = 0.0
    for v in (x, y, 0.5 * x, 1.4 * x, x * y):
        try:
            f = raising(v)
            found = found + f(x) * f(y)
        except ValueError:
            found = found - v * y
    return found


PROGRAMS: list[Callable[[float, float], float]] = [
    one_for_each,
    on_paths,
    state_of_its_own,
    common_lists,
    counters,
    of_functions,
    two_deep,
    tried,
]
