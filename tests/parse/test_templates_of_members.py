"""Functions that are given members of enumerations, or give them: each call of a kind is right."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.parse.slopes import check_slopes

pytestmark = pytest.mark.usefixtures("copied")


class Kind(enum.Enum):
    SINE = 1
    SQUARE = 2
    LINE = 3


class Weight(enum.IntEnum):
    ONE = 1
    TWO = 2
    FOUR = 4


class Parts(enum.Flag):
    FIRST = enum.auto()
    SECOND = enum.auto()


def of_kind(v: Any, kind: Kind) -> Any:
    if kind is Kind.SINE:
        return np.sin(v)
    return v * v if kind is Kind.SQUARE else v * kind.value


def other(kind: Kind) -> Kind:
    return Kind.SINE if kind is Kind.SQUARE else Kind.SQUARE


def handed_on(v: Any, kind: Kind) -> Any:
    return of_kind(v * 0.9, other(kind)) if v > 0.3 else of_kind(v + 0.2, kind) * kind.value


def through_kinds(x: Any) -> Any:
    y = handed_on(x, Kind.SINE) * handed_on(x * 1.5, Kind.SQUARE) - handed_on(x, Kind.LINE)
    return y + handed_on(x * x, Kind.SQUARE) * handed_on(x, Kind.SINE)


def found_by(v: Any) -> tuple[Kind, Any]:
    return (Kind.SINE if v > 0.3 else Kind.SQUARE), v * 0.7


def found_below(v: Any) -> tuple[Kind, Any]:
    kind, w = found_by(v * 0.9) if v > 0.5 else found_by(v + 0.1)
    return (Kind.LINE if kind is Kind.SINE and v < 0.4 else kind), w + 0.1 * kind.value


def through_kinds_found(x: Any) -> Any:
    total = 0.0
    for factor in (0.5, 1.0, 1.5):
        kind, y = found_below(x * factor)
        total = total + of_kind(y, kind)
    kind, y = found_below(x + 0.2)
    return total * y * kind.value


def weighted(v: Any, weight: Weight, parts: Parts) -> Any:
    total = v**weight
    if Parts.SECOND in parts:
        total = total + weight * np.cos(v)
    return total / weight


def through_weights(x: Any) -> Any:
    """A weight counts as the number that it is; the number is no weight."""
    both = Parts.FIRST | Parts.SECOND
    y = weighted(x, Weight.TWO, Parts.FIRST) * weighted(x, 2, both)  # type: ignore[arg-type]
    return (
        y
        - weighted(x, Weight.FOUR, both) * weighted(y, Weight.TWO, both)
        + weighted(x, Weight.ONE, both)
    )


ALL = [through_kinds, through_kinds_found, through_weights]


@pytest.mark.parametrize("f", ALL)
@pytest.mark.parametrize("x", [0.07, 0.22, 0.37, 0.44, 0.83])
def test_they_are_differentiated(f: Any, x: float) -> None:
    check_slopes(f, x)


@pytest.mark.parametrize("f", ALL)
def test_they_are_mapped_over_batches(f: Any) -> None:
    x = np.array([0.07, 0.22, 0.37, 0.44, 0.83])
    np.testing.assert_allclose(sd.vmap(f)(x), [f(float(one)) for one in x], rtol=1e-13)


def told(v: Any, number: Any) -> Any:
    return v * 2.0 if isinstance(number, Weight) else v * v


def test_a_member_is_told_apart_from_the_number_that_it_equals() -> None:
    def f(x: Any) -> Any:
        return told(x, 2) + told(x, Weight.TWO) * told(x, 2) + told(x, Weight.TWO)

    assert f(0.5) == sd.value_and_grad(f)(0.5)[0]
    assert sd.grad(f)(0.5) == pytest.approx(2 * 0.5 + 6 * 0.25 + 2.0)
