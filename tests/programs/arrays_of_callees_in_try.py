"""Functions that may raise, called often inside ``try``, which give arrays, and lists, dicts and
objects that hold arrays and numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

FLOATS = np.ndarray


class Pair:
    def __init__(self, one: FLOATS, two: float) -> None:
        self.one = one
        self.two = two


def started(x: float, y: float) -> FLOATS:
    return np.array([x, y, x * y])


def scaled(v: FLOATS) -> FLOATS:
    if v[0] > 1.0:
        raise ValueError("large")
    return np.sin(v) * v[1]


def tried(v: FLOATS) -> FLOATS:
    try:
        return scaled(v * 0.9)
    except ValueError:
        return scaled(v - 0.7) * 0.5


def in_body_and_handler(x: float, y: float) -> float:
    v = started(x, y)
    found = 0.0
    for factor in (0.7, 1.4, 1.6, 1.9):
        found = found + np.sum(tried(v * factor)) * np.sum(tried(v[::-1] * factor))
    return float(found)


def raised_by_the_inner(v: FLOATS) -> FLOATS:
    made = scaled(v)
    return scaled(made + v) + made


def many(x: float, y: float) -> float:
    v = started(x, y)
    found = 0.0
    for factor in (0.5, 0.9, 1.3, 1.7):
        try:
            found = found + np.sum(raised_by_the_inner(v * factor) * v)
        except ValueError:
            found = found - np.sum(v) * factor
    return float(found)


def in_place(v: FLOATS) -> FLOATS:
    """What was written before something is raised stays, and what is given is given back."""
    v[0] = v[0] * 0.8
    if v[1] > 1.0:
        raise ValueError
    v[1:] += 0.1
    return v


def written(x: float, y: float) -> float:
    v = started(x, y)
    for factor in (1.0, 0.8, 1.3):
        w = v * factor
        try:
            u = in_place(w)
            u += w * 0.5
        except ValueError:
            w[2] = 0.3 * w[0]
        v = v + w * w
    return float(np.sum(v * v))


def views(v: FLOATS) -> tuple[FLOATS, FLOATS]:
    w = np.outer(v, v)
    if w[0, 0] > 0.9:
        raise ValueError
    return w.T, w[1]


def of_views(x: float, y: float) -> float:
    v = started(x, y)
    found = 0.0
    for factor in (0.7, 1.2, 1.4, 1.6):
        try:
            whole, row = views(v * factor)
            row[0] = 2.0
            found = found + np.sum(whole[0] * v) + np.sum(row * row)
        except ValueError:
            found = found + 0.3 * v[0]
    return float(found)


def held(v: FLOATS) -> dict[str, Any]:
    w = v * 0.5
    if w[0] > 0.5:
        raise KeyError("w")
    return {"items": [w, w[0], Pair(w, math.sqrt(w[1]))], "same": w}


def in_containers(x: float, y: float) -> float:
    """One array is in all of them."""
    v = started(x, y)
    found = 0.0
    for factor in (0.7, 1.2, 1.4, 1.7, 1.9):
        try:
            made = held(v * factor)
            made["same"] *= 3.0
            first, number, pair = made["items"]
            pair.two += number
            found = found + np.sum(first * pair.one) * pair.two
        except KeyError:
            found = found * 0.5 + v[0]
    return float(found)


def of_no_axes(v: FLOATS) -> FLOATS:
    if v > 1.0:
        raise ValueError
    return np.cos(v[None, None]) * v


def empty_and_of_no_axes(x: float, y: float) -> float:
    found = 0.0
    for factor in (0.5, 1.3, 1.8):
        try:
            found = found + of_no_axes(np.array(x * factor))[0, 0] * y
            found = found + np.sum(tried(np.append(np.zeros(2), [])))
        except ValueError:
            found = found - y * factor
    return float(found)


PROGRAMS: list[Callable[[float, float], float]] = [
    in_body_and_handler,
    many,
    written,
    of_views,
    in_containers,
    empty_and_of_no_axes,
]
