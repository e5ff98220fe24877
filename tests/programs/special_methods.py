"""Operators, calls and comparisons by what the user's classes define; decorators; messages."""

import functools
import logging
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.programs.registry import program

LOG = logging.getLogger(__name__)
X = np.array([0.4, 1.1, 0.7, -1.6])


class Vector(NamedTuple):
    x: float
    y: float

    @property
    def squared(self):
        return self.x**2 + self.y**2

    @classmethod
    def of(cls, values):
        return cls(values[0], values[1])

    @staticmethod
    def dot(a, b):
        return a.x * b.x + a.y * b.y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __matmul__(self, other):
        return Vector.dot(self, other)

    def __sub__(self, other):
        return self + (-other)

    def __abs__(self):
        return (self @ self) ** 0.5

    def __call__(self, t):
        return self.x + self.y * t

    def __lt__(self, other):
        return self.squared < other.squared

    def __eq__(self, other):
        return self.x == other.x

    def __hash__(self):
        return hash((self.x, self.y))


@program(args=(X, Vector(0.3, 0.8)), wrt=(0, 1))
def named_tuples_with_operators(x, v):
    u, w = Vector.of(x), Vector(x[2], x[3])
    total = (u + w).x + (2 * u).y + (u * x[0]).x + abs(u - w) + u.squared
    total += (u @ w) + v(x[1]) + (v + u).squared
    if u < w:
        total *= 2
    if u == Vector(x[0], 3.0):
        total += x[3] ** 2
    if u != w:
        total += x[2] ** 2
    for _ in range(3):
        u = u + w * 0.1
        u += v
    return total + u.squared


@dataclass(order=True)
class Ranked:
    score: float
    place: int = 1


class Level:
    def __init__(self, height):
        self.height = height

    def __eq__(self, other):
        return self.height == other.height

    def __hash__(self):
        return 0

    def __lt__(self, other):
        return self.height < (other.height if isinstance(other, Level) else other)

    def __gt__(self, other):
        return self.height > (other.height if isinstance(other, Level) else other)

    def __contains__(self, value):
        return value < self.height

    def __radd__(self, other):
        return Level(other * self.height)

    def __rmul__(self, other):
        return Level(other * self.height * 2)

    def __iter__(self):
        return iter([self.height, 2.0])


@program(args=(X, 0.6), wrt=(0, 1))
def comparisons_of_objects(x, a):
    total = 0.0
    if Level(x[0]) != Level(x[1]):
        total += x[0]
    if Level(x[0]) == Level(x[0]):
        total += x[1] * a
    if 0.1 < Level(x[0]):
        total += x[2] ** 2
    else:
        total += x[3] ** 2
    if 0.5 in Level(a):
        total += x[0] ** 3
    if Ranked(x[0]) < Ranked(x[0], 2):
        total += x[2] * x[3]
    if Ranked(x[0]) != Ranked(x[1]):
        total += x[2] * x[0]
    if 2.0 in Level(a):
        total *= 1.1
    return total + (x[0] * Level(a)).height + (a + Level(x[3])).height + sum(Level(x[1]))


@program(args=(X, 0.6), wrt=(0, 1))
def comparisons_of_sequences(x, a):
    total = np.sum(x**2)
    if (x[0], 1) < (x[1], 0):
        total += x[1] * x[2]
    if [x[0], a] >= [x[0], a, 1.0]:
        total *= 3
    if (a, 2) in [(x[0], 2), (a, 2)]:
        total *= 1.5
    if (x[0], x[1]) == (a, x[1]):
        total += 100.0
    return total * (1 if (x[0], x[1]) != (a, x[1]) else 2)


@program(args=(X, 0.5), wrt=(0, 1))
def wrapped_functions(x, a):
    def scaled(factor):
        def decorate(function):
            @functools.wraps(function)
            def inner(*args, **kwargs):
                return factor * function(*args, **kwargs)

            return inner

        return decorate

    @scaled(3.0)
    def power_sum(values, power=2):
        return np.sum(values**power)

    assert power_sum.__name__ == "power_sum"
    return power_sum(x * a, power=3) + power_sum(x)


@program(args=(X, 0.5), wrt=(0, 1))
def messages_and_clocks(x, a):
    total, start = 0.0, time.perf_counter()
    for i in range(len(x)):
        total += x[i] ** 2 * a
        LOG.debug("step %d: %s", i, total)
        logging.debug("so far")
    if time.perf_counter() - start > 1e6:
        total = 0.0
    return total


@program(args=(np.array([[0.3, -0.8, 1.2], [1.1, 0.6, -0.4]]),))
def ranges_as_indices_and_operands(x):
    y = np.zeros(3)
    y[range(1, 3)] = x[0][range(2)] * 2
    y[:] += range(3)
    return np.sum(y * x[range(2), range(1, 3)].sum()) + np.sum((x + range(3)) * range(3))
