"""Objects sorted by numbers that are known at run time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import AliasingError, UnsupportedSyntaxError


class Part:
    def __init__(self, mass: Any, price: Any, count: int, unit: str = "kg") -> None:
        self.mass = mass
        self.price = price
        self.count = count
        self.unit = unit

    def cost(self) -> Any:
        return self.mass * self.price * self.count


def parts(x: Any) -> list[Part]:
    return [Part(x[k], x[(k + 1) % 4] * 2.0, k + 1) for k in range(4)]


def weighed(ordered: Any) -> Any:
    total = 0.0
    for place, part in enumerate(ordered):
        total = total + part.cost() * (place + 1) + part.mass**3
    return total


def by_mass(x: Any) -> Any:
    return weighed(sorted(parts(x), key=lambda part: part.mass))


def by_price_falling(x: Any) -> Any:
    return weighed(sorted(parts(x), key=lambda part: part.price, reverse=True))


def twice(x: Any) -> Any:
    ordered = sorted(parts(x), key=lambda part: part.mass)
    return weighed(sorted(ordered, key=lambda part: part.price))


def in_turns(x: Any) -> Any:
    total = 0.0
    for k in range(int(x[0]) + 2):
        held = [Part(x[j] * (k + 1.0), x[3], j) for j in range(3)]
        total = total + weighed(sorted(held, key=lambda part: -part.mass))
    return total


def with_units(x: Any) -> Any:
    ordered = sorted(parts(x), key=lambda part: part.mass)
    return ordered[0].mass if ordered[0].unit == "kg" else x[0]


class Ordered(Part):
    def __eq__(self, other: object) -> Any:
        return self.mass == other.mass  # type: ignore[attr-defined]

    def __lt__(self, other: Part) -> Any:
        return self.mass < other.mass


def in_tuples(x: Any) -> Any:
    """The numbers behind objects tell where these are equal."""
    keyed = [(Ordered(x[k % 3], x[k], k), x[3 - k]) for k in range(4)]
    return weighed([part for part, _ in sorted(keyed)])


def behind_numbers(x: Any) -> Any:
    keyed = [(x[k], k, Part(x[k - 1], x[k] * 2.0, k + 1)) for k in range(4)]
    return weighed([part for *_, part in sorted(keyed, reverse=True)])


FUNCTIONS = [in_tuples, behind_numbers, by_mass, by_price_falling, twice, in_turns, with_units]
POINTS = [np.array([0.7, 1.9, 0.2, 1.1]), np.array([1.5, 0.4, 2.5, 0.9])]


def reference(function: Any, x: np.ndarray) -> list[float]:
    """Central differences of a function that is a polynomial of third order between its kinks."""
    found = []
    for unit in np.eye(len(x)):
        first, second = (
            (function(x + h * unit) - function(x - h * unit)) / (2 * h) for h in (1e-3, 2e-3)
        )
        found.append((4.0 * first - second) / 3.0)
    return found


@pytest.mark.parametrize("x", POINTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_sorted_objects_have_the_attributes_of_the_one_at_their_place(
    function: Any, x: np.ndarray
) -> None:
    expected = reference(function, x)
    np.testing.assert_allclose(sd.grad(function)(x), expected, rtol=1e-8, atol=1e-9)
    forward = [sd.jvp(function, (x,), (unit,))[1] for unit in np.eye(len(x))]
    np.testing.assert_allclose(forward, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("function", [by_mass, twice, in_tuples])
def test_second_derivatives_of_sorted_objects(function: Any) -> None:
    x = POINTS[0]
    rows = [reference(lambda y, k=k: sd.grad(function)(y)[k], x) for k in range(4)]
    np.testing.assert_allclose(sd.hessian(function)(x), rows, rtol=1e-6, atol=1e-7)


def writes_one(x: Any) -> Any:
    first, second = Part(x[0], 1.0, 1), Part(x[1], 1.0, 1)
    ordered = sorted([first, second], key=lambda part: part.mass)
    ordered[0].mass = 5.0 * x[2]
    return first.mass


def asks_which(x: Any) -> Any:
    first, second = Part(x[0], 1.0, 1), Part(x[1], 1.0, 1)
    ordered = sorted([first, second], key=lambda part: part.mass)
    return x[0] if ordered[0] is first else x[1]


@pytest.mark.parametrize("function", [writes_one, asks_which])
def test_which_object_stands_at_a_place_is_not_guessed(function: Any) -> None:
    with pytest.raises((AliasingError, UnsupportedSyntaxError), match="may be one of several"):
        sd.grad(function)(POINTS[0])


def one_twice(x: Any) -> Any:
    first, second = Part(x[0], 1.0, 1), Part(x[1], 1.0, 1)
    ordered = sorted([first, second, first], key=lambda part: part.mass)
    return ordered[0].mass * 3.0 + ordered[2].mass


def test_an_object_that_stands_in_a_list_twice() -> None:
    np.testing.assert_allclose(sd.grad(one_twice)(POINTS[0]), [3.0, 1.0, 0.0, 0.0])
    np.testing.assert_allclose(sd.grad(one_twice)(POINTS[1]), [1.0, 3.0, 0.0, 0.0])
