"""Programs that raise and catch, match what they are given, yield what they compute, define classes."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.registry import program

X = np.array([0.62, 1.31, 0.87, 1.13])


def _safe_root(v):
    try:
        return math.sqrt(v)
    except ValueError:
        return -math.sqrt(-v)


def _area(shape):
    match shape:
        case ("square", side):
            return side * side
        case ("rectangle", width, height):
            return width * height
    return 0.0


def _twice(v):
    yield v
    yield from (2.0 * v, v * v)


def _series(x):
    term = 1.0
    for k in range(1, 5):
        term = term * x / k
        yield term
        yield from _twice(term)


@program(args=(0.8,), also=[(2.5,)])
def signed_roots(x):
    total = 0.0
    for shift in (0.3, 4.0, 1.1):
        try:
            total = total + _safe_root(x - shift) / (x - 0.3 * shift)
        except ZeroDivisionError:
            total = total + x
    return total


@program(args=(X, 0.7))
def areas(x, c):
    total = _area(("square", c))
    for k in range(3):
        match k:
            case 0:
                total = total + _area(("square", x[0]))
            case 1 | 2:
                total = total + _area(("rectangle", x[k], c))
    return total


@program(args=(1.3,))
def summed_series(x):
    total = 0.0
    for k, term in enumerate(_series(x)):
        total = total + term * np.cos(k * x)
    return total


@program(args=(X, 0.7))
def classes_of_a_function(x, c):
    class Spring:
        def __init__(self, stiffness):
            self.stiffness = stiffness

        def energy(self, stretch):
            return 0.5 * self.stiffness * stretch * stretch

    total = Spring(c).energy(x[0])
    for k in range(3):

        class Damped(Spring):
            def energy(self, stretch):
                return super().energy(stretch) * np.exp(-self.stiffness)

        total = total + Damped(x[k]).energy(c) * Spring(c).energy(x[k + 1])
    return total
