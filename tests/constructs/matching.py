"""``match`` with every kind of pattern."""

from collections import ChainMap, UserDict, UserList, deque
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from tests.constructs.settings import construct

LIMIT = 2.0


class Names:
    """Values that patterns name by a dot."""

    low = 1.0
    kind = "square"


@dataclass
class Point:
    """A class with ``__match_args__``."""

    a: float
    b: float


@dataclass
class Line:
    """What holds other patterns."""

    start: Point
    end: Point


@construct()
def by_value(x, c):
    total = 0.0
    for k in range(4):
        match k:
            case 0:
                total = total + x[0] * c
            case 1 | 2:
                total = total + x[1] * x[k]
            case _:
                total = total * x[3]
    return total


@construct()
def by_text(x, c):
    total = 0.0
    for kind in ("square", "root", None, "other"):
        match kind:
            case Names.kind:
                total = total + x[0] ** 2
            case "root":
                total = total + np.sqrt(x[1])
            case None:
                total = total * c
            case str(name):
                total = total + len(name) * x[2]
    return total


@construct()
def by_sequence(x, c):
    total = 0.0
    for row in ((x[0],), (x[1], c), (x[2], x[3], x[4]), (1.0, (x[0], x[5]))):
        match row:
            case (a,):
                total = total + a
            case (1.0, (a, b)):
                total = total + a * b
            case (a, b):
                total = total + a * b
            case (a, *rest):
                total = total + a * sum(rest)
    return total


@construct()
def by_mapping(x, c):
    total = 0.0
    for entry in ({"a": x[0], "b": c}, {"a": x[1]}, {"c": x[2], "d": x[3]}):
        match entry:
            case {"a": a, "b": b}:
                total = total + a * b
            case {"a": a}:
                total = total + a
            case {"c": v, **others}:
                total = total + v * others["d"]
    return total


@construct()
def by_class(x, c):
    total = 0.0
    shapes = [Point(x[0], c), Line(Point(x[1], x[2]), Point(0.0, 1.0)), x[3] * c, (x[4], x[5])]
    for shape in shapes:
        match shape:
            case Point(a, b=b):
                total = total + a * b
            case Line(start=Point(a, b), end=Point() as end):
                total = total + a * b + end.b
            case float(v):
                total = total + v
            case _:
                total = total + shape[0] * shape[1]
    return total


@construct()
def by_numbers(x, c):
    total = 0.0
    for v in (float(x[0]), float(x[1] + 5.0)):
        match v, c:
            case a, b if a > LIMIT:
                total = total + a * a * b
            case a, b if a > Names.low and b > 0.0:
                total = total - a
            case a, _:
                total = total + a * c
    return total


def of_parts(value, v):
    match value:
        case {"a": a, "b": None}:
            return a * v
        case {"a": a, **others}:
            return a**2 * len(others) + sum(others.values())
        case [a]:
            return a**3 * v
        case [a, *between, b]:
            return a * b**2 + sum(between) * len(between)
        case {}:
            return v**2
    return v


RATES = MappingProxyType({"a": 0.5, "b": 3.0})


@construct()
def mappings_and_sequences_of_other_classes(x, c):
    mappings = (
        UserDict({"a": x[0], "b": x[1]}),
        UserDict({"a": x[2] * c, "b": None}),
        UserDict(),
        ChainMap({"a": x[3]}, {"a": 2.0, "d": x[4]}),
        MappingProxyType({"a": x[5], "e": x[0]}),
        RATES,
    )
    sequences = (UserList([x[0]]), deque([x[1], x[2], x[3]]), range(4), UserList(), "abc")
    total = 0.0
    for k, value in enumerate((*mappings, *sequences)):
        total = total + of_parts(value, x[k % 6]) * (k + 1.0)
    return total
