"""Classes inside functions that are decorated, have several bases, or are tuples with names."""

import dataclasses
import functools
from collections import namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tests.constructs.settings import construct


@construct()
def local_dataclasses(x, c):
    @dataclass
    class Record:
        a: float
        b: float = 2.0
        items: list = field(default_factory=list)

        def __post_init__(self):
            self.product = self.a * self.b

        def norm(self):
            return self.a**2 + self.b**2 + len(self.items)

    first = Record(x[0])
    first.items.append(x[1])
    same = first == Record(x[0], 2.0, [x[1]])
    return first.norm() * first.product + Record(x[1], b=x[2]).norm() * c + same * x[3]


@construct()
def local_dataclasses_that_stay(x, c):
    @dataclass(frozen=True)
    class Pair:
        a: float
        b: float = x[2]

        @property
        def product(self):
            return self.a * self.b

    p = Pair(x[0])
    q = dataclasses.replace(p, b=x[1] * c)
    parts = sum(dataclasses.astuple(q)) + sum(dataclasses.asdict(p).values())
    return p.product + q.product**2 + parts


@construct()
def local_classes_of_several_bases(x, c):
    class Left:
        def value(self):
            return x[0] * c

    class Right:
        def value(self):
            return x[2]

        def square(self):
            return x[1] ** 2

    class Both(Left, Right):
        def value(self):
            return super().value() * 2

    class Last(Both):
        def value(self):
            return super().value() + Right.value(self)

    return Last().value() * Last().square()


@construct()
def local_named_tuples(x, c):
    class Point(NamedTuple):
        a: float
        b: float = 3.0

        @property
        def product(self):
            return self.a * self.b

    row = namedtuple("row", "u v", defaults=[c])
    p, r = Point(x[0]), row(x[3])
    q = p._replace(b=x[1])
    first, _ = q
    named = sum(q._asdict().values()) * len(Point._fields) + isinstance(p, tuple) * x[2]
    return p.product * first + q.product * r.v + named + r.u**2


@construct()
def local_classes_with_slots_and_order(x, c):
    @functools.total_ordering
    class Rank:
        __slots__ = ("value",)

        def __init__(self, value):
            self.value = value

        def __lt__(self, other):
            return self.value < other.value

        def __eq__(self, other):
            return self.value == other.value

    low, high = Rank(x[0]), Rank(x[0] + 1.0)
    return low.value**2 * c if high >= low else high.value**3


@construct()
def a_state_that_makes_the_next_one(x, c):
    @dataclass
    class State:
        place: np.ndarray
        speed: np.ndarray
        time: float = 0.0

        def step(self, dt):
            speed = self.speed - dt * self.place
            return State(self.place + dt * self.speed, speed, self.time + dt)

    state = State(x[:3], x[3:6] * c)
    for _ in range(5):
        state = state.step(0.1)
    return np.sum(state.place**2) * state.time + state.speed[0]
