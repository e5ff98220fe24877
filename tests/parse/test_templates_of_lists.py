"""Functions of lists whose lengths are known at run time only are right in each call of a kind."""

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.parse import functions


def weighted(values: list[Any], c: Any) -> Any:
    total = 0.0
    for k, v in enumerate(values):
        total = total + c * v * v / (k + 1.0)
    return total


def of_several(xs: Any, c: Any) -> Any:
    some = [float(x) for x in xs if x > 0.0]
    every = [c * float(x) for x in xs]
    squares = [v * v for v in some]
    return weighted(some, c) * weighted(every, c * c) + weighted(squares, c) - weighted(every, c)


def extended(values: list[Any], v: Any) -> Any:
    values.append(v * len(values))
    values[0] = values[0] * v
    return values[-1] + v


def of_those_that_grow(xs: Any, c: Any) -> Any:
    some = [float(x) for x in xs if x > 0.0]
    every = [c * float(x) for x in xs]
    same = some
    total = extended(some, c) * extended(every, c * c) + extended(same, 2.0 * c)
    return total + extended(every, c) + weighted(some, c) * weighted(every, c)


def third(values: list[Any], c: Any) -> Any:
    return c * values[2] / values[0]


def of_too_short_ones(xs: Any, c: Any) -> Any:
    some = [float(x) for x in xs if x > 0.0]
    every = [c * float(x) for x in xs]
    total = third(every, c)
    try:
        total = total + third(some, c) + third(every, total)
    except IndexError:
        total = total - third(every, c * c)
    return total + third(every, 2.0)


def doubled(values: list[Any], c: Any) -> list[Any]:
    return [2.0 * v + c for v in values]


def of_lists_of_lists(xs: Any, c: Any) -> Any:
    some = doubled([float(x) for x in xs if x > 0.0], c)
    every = doubled(doubled([c * float(x) for x in xs], c), c * c)
    return weighted(doubled(some, c), c) + weighted(every, c) * weighted(doubled(every, c), c)


def halved(values: list[Any], c: Any) -> Any:
    total = c
    for v in values:
        total = total + v / 2 * c + v**2
    return total


def of_those_with_integers(xs: Any, c: Any) -> Any:
    some = [float(x) if x > 0.0 else 3 for x in xs]
    every = [c * float(x) for x in xs]
    return halved(every, c) * halved(some, c) + halved(every, c * c) + halved(some, c)


FUNCTIONS = [
    of_several, of_those_that_grow, of_too_short_ones, of_lists_of_lists, of_those_with_integers,
]  # fmt: skip


def differences(f: Any, xs: Any, c: float, along: Any, by: float) -> float:
    """The derivative of ``f(xs + t * along, c + t * by)`` by ``t`` at 0."""

    def central(h: float) -> float:
        ahead, behind = (f(xs + t * along, c + t * by) for t in (h, -h))
        return float(ahead - behind) / (2.0 * h)

    return (4.0 * central(5e-4) - central(1e-3)) / 3.0


@pytest.mark.parametrize("f", FUNCTIONS)
def test_derivatives_are_those_of_the_function(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    gradient = sd.grad(f, argnums=(0, 1))
    for xs in ([0.7, -0.3, 1.9, 0.4], [0.7, -0.3, 1.9], [0.6, -0.4, -1.2, -0.8, 2.0]):
        given = np.array(xs)
        by_xs, by_c = gradient(given, 1.3)
        along = np.cos(np.arange(given.size))
        assert by_c == pytest.approx(differences(f, given, 1.3, 0.0, 1.0), rel=1e-8)
        assert by_xs @ along == pytest.approx(differences(f, given, 1.3, along, 0.0), rel=1e-8)


def test_one_template_serves_several_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    staged, run = [], functions._run_in_frame

    def counted(interp: Any, node: Any, *arguments: Any) -> Any:
        staged.append(getattr(node, "name", ""))
        return run(interp, node, *arguments)

    def of_four(xs: Any, c: Any) -> Any:
        return of_several(xs, c) + of_several(-xs, c)

    monkeypatch.setattr(functions, "_run_in_frame", counted)
    sd.grad(of_four, argnums=1)(np.array([0.7, -0.3, 1.9, 0.4]), 1.3)
    assert staged.count("weighted") == 2  # at the first call, and for all others
