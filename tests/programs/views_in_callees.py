"""Functions that are given views of views: of an array, of an object's, of one another's."""

from __future__ import annotations

from typing import Any

import numpy as np


def table(x: float, y: float) -> Any:
    return np.array([x, x * y, 0.5, 2.0 * y, x + 1.0])


def end_of(a: Any, v: float) -> Any:
    """A view of what is given, which is written to."""
    if v > 0.4:
        a[0] = a[0] * v
        return a[::-1]
    a[-1] += v
    return a[1:]


def views_come_back(x: float, y: float) -> float:
    a = table(x, y)
    b = end_of(a[1:][::-1], x)
    c = end_of(a[:-1][::-1], y * 0.3)
    d = end_of(a[::-1][1:], x * 0.25)
    b[0] = b[0] * y
    c[:] *= 1.5
    d[1] = c[0] + x
    e = end_of(b[::-1], y * 0.1)
    e[0] = 7.0 * x
    return float(np.sum(a * np.arange(5.0)) + np.sum(b) + np.sum(c * c) + np.sum(d))


def write_both(p: Any, q: Any, v: float) -> Any:
    p[0] = v
    q[1] = q[1] * p[0]
    return p[0] * q[1] + np.sum(p * q)


def two_views_of_one_array(x: float, y: float) -> float:
    a = table(x, y)
    s = 0.0
    for k in range(3):
        s = s + write_both(a[1:][::-1], a[:-1][::-1], x * k)
        s = s + write_both(a[1:][::-1], a[::-1][:-1], y * k)
    return float(s + np.sum(a))


def views_in_callees_of_callees(x: float, y: float) -> float:
    def outer(p: Any, v: float) -> Any:
        def inner(q: Any, u: float) -> Any:
            q[0] = u * q[1]
            return np.sum(q * q) * p[0]

        return inner(p[::-1], v) + inner(p[1:], v * 0.5) + inner(p[1:][::-1], v * y)

    a = table(x, y)
    return float(outer(a[1:], x) + outer(a[:-1], y) + outer(a[::-1], x * y) + np.sum(a))


class Row:
    def __init__(self, of: Any) -> None:
        self.of = of

    def step(self, v: float) -> Any:
        self.of[0] = self.of[0] * 0.5 + v
        self.turned = self.of[::-1]
        return self.turned[0]


def views_that_objects_hold(x: float, y: float) -> float:
    a = table(x, y)
    one, other = Row(a[1:][::-1]), Row(a[:-1][1:])
    s = 0.0
    for k in range(3):
        s = s + one.step(x * k) + other.step(s)
    one.turned[1] = y
    other.turned[0] = x * y
    return float(s + np.sum(a * np.arange(5.0)))


def negate(a: Any, v: float) -> None:
    a *= v
    if v < 0.0:
        raise ValueError


def views_written_before_something_is_raised(x: float, y: float) -> float:
    a = table(x, y)
    for v in (x, -y, y, -x):
        try:
            negate(a[1:][::2], v)
        except ValueError:
            a[0] += v
        negate(a[::-1][1:], y)
    return float(np.sum(a * np.arange(5.0)))


PROGRAMS = (
    views_come_back,
    two_views_of_one_array,
    views_in_callees_of_callees,
    views_that_objects_hold,
    views_written_before_something_is_raised,
)
