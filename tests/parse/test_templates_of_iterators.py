"""Functions that are handed an iterator, and read some of it: others go on where they left it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests import reference
from tests.parse.test_templates import fresh


def product(items: Iterator[float], v: float) -> float:
    return next(items) * v


def two(items: Iterator[float], v: float) -> float:
    return product(items, v) + product(items, v * 2.0)


def four(items: Iterator[float], v: float) -> float:
    if v > 0.5:
        return two(items, v) * two(items, v + 1.0)
    return two(items, v + 0.3) - two(items, v)


def some(items: Iterator[float], v: float) -> float:
    total = 0.0
    for k in range(2):
        total = total + next(items, v) * (k + 1)
    return total


def rest(items: Iterator[float]) -> float:
    total = 0.0
    for v in items:
        total = total * 0.5 + v
    return total


def turns(x: float, n: int = 9) -> Iterator[float]:
    y = x
    for k in range(n):
        yield y
        y = y * 0.9 + k * x


def powers(x: float) -> Iterator[float]:
    y = x
    while True:
        yield y
        y = y * x


def of_a_list(x: float) -> float:
    items = iter([x, x * x, x + 1.0, 2.0 * x, x**3, 0.5 * x, x, x, x * 2.0, x * 3.0])
    return four(items, x) + four(items, x * x) + next(items)


def of_two_lists(x: float) -> float:
    one = iter([x, x * x, x + 1.0, 2.0 * x, x**3, 0.5 * x])
    other = iter([x * 3.0, x, x * x + 1.0, 2.0 * x, x**2, 0.5])
    return two(one, x) + two(other, x) * two(one, x) + two(other, x + 1.0)


def of_a_list_that_grows(x: float) -> float:
    held = [x, x * x, x + 1.0]
    items = iter(held)
    first = two(items, x)
    held += [x * 5.0, x * 7.0]
    return first + two(items, x) + len(held)


def of_an_array(x: float) -> float:
    items = iter(np.array([x, x * x, x + 1.0, 2.0 * x, x]))
    return float(two(items, x) * product(items, x) + two(items, x))


def of_a_generator(x: float) -> float:
    items = powers(x)
    return four(items, x) + four(items, x + 1.0) * product(items, x)


def of_two_generators(x: float) -> float:
    one, other = turns(x, 5), turns(x * x, 5)
    found = two(one, x) * two(other, x) + two(one, x) * two(other, x)
    return found + rest(one) * rest(other)


def of_a_generator_that_ends(x: float) -> float:
    items = turns(x, 3)
    return some(items, x) + some(items, x * x) + some(items, 1.0) + rest(items)


def of_an_expression(x: float) -> float:
    items = (v * v + x for v in [x, 2.0 * x, 3.0 * x, x**3])
    return two(items, x) + two(items, x * x)


def of_a_count(x: float) -> float:
    numbers, found = itertools.count(1), x
    for _ in range(3):
        found = found + some(numbers, found) * x + some(numbers, x)
    return found


def of_pairs(x: float) -> float:
    items: Any = enumerate([x, x * x, 3.0 * x, x])

    def one() -> float:
        k, v = next(items)
        return float(k * v + x)

    def both() -> float:
        return one() if x > 0.5 else one() * 2.0

    return both() + both() * both() + one()


def of_what_it_changes(x: float) -> float:
    def shrinking() -> Iterator[float]:
        nonlocal x
        while True:
            x = x * 0.9
            yield x

    items = shrinking()
    one = four(items, x)
    return one * four(items, x) + x


PROGRAMS = [
    of_a_list,
    of_two_lists,
    of_a_list_that_grows,
    of_an_array,
    of_a_generator,
    of_two_generators,
    of_a_generator_that_ends,
    of_an_expression,
    of_a_count,
    of_pairs,
    of_what_it_changes,
]


@pytest.mark.usefixtures("copied")
@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.one_in(3)
def test_values_and_derivatives(function: Callable[[float], float]) -> None:
    gradient = sd.value_and_grad(fresh(function))
    for x in (0.31, 0.72):
        value, slope = gradient(x)
        np.testing.assert_equal(value, function(x))
        expected = float(reference.directional(function, (x,), (1.0,)).value)
        np.testing.assert_allclose(slope, expected, rtol=1e-7)
