"""Comprehensions, and iterators of generators, whose parts may raise inside ``try``."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd


def picked(a: Any, k: int) -> Any:
    """An element's square, of what has no element below -9."""
    if np.any(a < -9.0):
        raise ValueError("too small")
    return a[k] * a[k]


def flattened(x: Any, k: int) -> Any:
    try:
        found = list(
            itertools.chain.from_iterable((picked(a, k), picked(a, k + 1)) for a in (x, 2.0 * x))
        )
        return found[0] * found[3]  # 4 x0² x1²
    except ValueError:
        return -x[0]


def chained(x: Any, k: int) -> Any:
    try:
        return sum(itertools.chain((picked(a, k) for a in (x, 2.0 * x)), [x[1]]))  # 5 x0² + x1
    except ValueError:
        return -x[0]


def called_with_pairs(x: Any, k: int) -> Any:
    try:
        return sum(itertools.starmap(picked, ((a, k) for a in (x, 2.0 * x))))  # 5 x0²
    except ValueError:
        return -x[0]


def kept_where_a_call_says_so(x: Any, k: int) -> Any:
    try:
        return sum([a[k] for a in (x, 2.0 * x, 3.0 * x) if a[1] != 1.5 and picked(a, k) > 3.0])
    except ValueError:
        return -x[0]


def kept_by_a_generator(x: Any, k: int) -> Any:
    try:
        return sum(a[k] for a in (x, 2.0 * x) if picked(a, k) < 3.0)  # x0
    except ValueError:
        return -x[0]


def over_what_a_call_gives(x: Any, k: int) -> Any:
    try:
        return sum([v for a in (x, 2.0 * x) for v in a * picked(a, k) if v > 4.0])
    except ValueError:
        return -x[0]


def of_two_ranks(x: Any, k: int) -> Any:
    y = np.outer(x, x)
    try:
        first, second = [picked(a, k) for a in (x, y)]
        return first * np.sum(second)  # x0⁴ (x0² + x1²)
    except ValueError:
        return -x[0]


def split_by_rank(x: Any, k: int) -> Any:
    y = np.outer(x, x)
    try:
        a, b, c, d = list(itertools.chain.from_iterable((picked(v, k), v[1]) for v in (x, y)))
        return a * b + np.sum(c) + np.sum(d)
    except ValueError:
        return -x[0]


def goes_on_in_a_generator(x: Any, k: int) -> Any:
    def parts() -> Any:
        try:
            yield x[0] * 3.0
            yield picked(x, k)
            yield x[0] * x[1]
        except ValueError:
            yield x[0]

    try:
        found = list(parts())
    except ValueError:
        return x[1]
    return found[0] * found[-1] * (len(found) - 3) - x[0]  # of 3 items, or of 2


GRADIENTS: dict[Callable[..., Any], Callable[[Any, Any], tuple[Any, Any]]] = {
    flattened: lambda u, v: (8.0 * u * v**2, 8.0 * u**2 * v),
    chained: lambda u, v: (10.0 * u, 1.0),
    called_with_pairs: lambda u, v: (10.0 * u, 0.0),
    kept_where_a_call_says_so: lambda u, v: (5.0, 0.0),
    kept_by_a_generator: lambda u, v: (1.0, 0.0),
    of_two_ranks: lambda u, v: (6.0 * u**5 + 4.0 * u**3 * v**2, 2.0 * u**4 * v),
    split_by_rank: lambda u, v: (
        2.0 * u * v + 4.0 * u**3 + 2.0 * u * v**2 + v,
        u**2 + 2.0 * u**2 * v + u + 2.0 * v,
    ),
    over_what_a_call_gives: lambda u, v: (24.0 * u**2 + 16.0 * u * v, 8.0 * u**2),
}


@pytest.mark.parametrize("function", GRADIENTS)
def test_what_they_raise_is_handled(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    x = np.array([1.25, 1.5])
    value, slopes = sd.value_and_grad(function)(x, 0)
    assert value == function(x, 0)
    np.testing.assert_allclose(slopes, GRADIENTS[function](*x), rtol=1e-14)
    along = sd.jvp(lambda x: function(x, 0), (x,), (np.array([0.5, -0.25]),))[1]
    np.testing.assert_allclose(along, slopes @ [0.5, -0.25], rtol=1e-14)
    raising = np.array([1.25, -10.0])
    np.testing.assert_array_equal(sd.grad(function)(raising, 0), [-1.0, 0.0])


def test_what_a_generator_yields_after_it_has_caught_is_added() -> None:
    for x in ([1.25, 1.5], [1.25, -10.0]):
        raised = x[1] < -9.0
        value, slopes = sd.value_and_grad(goes_on_in_a_generator)(np.array(x), 0)
        assert value == -x[0] - 3.0 * x[0] ** 2 * raised
        np.testing.assert_allclose(slopes, [-1.0 - 6.0 * x[0] * raised, 0.0], atol=1e-14)


def test_rests_of_pairs_that_may_raise() -> None:
    def function(p: Any) -> Any:
        try:
            return max(itertools.starmap(math.fmod, [(p, 2.0), (1.0, p - 1.7)]))
        except ValueError:
            return 3.0 * p

    assert sd.grad(function)(0.9) == 1.0
    assert sd.grad(function)(1.7) == 3.0


def test_what_is_flattened_is_asked_for_more() -> None:
    def function(x: Any) -> Any:
        rows = itertools.chain.from_iterable((a, a * a) for a in (x, 2.0 * x, 3.0 * x))
        total = next(rows) * next(rows)  # x³
        total = total + sum(itertools.islice(rows, 2))  # 2x + 4x²
        return total * next(rows)

    x = 1.5
    assert function(x) == (x**3 + 2 * x + 4 * x**2) * 3 * x
    slopes = [sd.derivative(function, order)(x) for order in (1, 2)]
    np.testing.assert_allclose(slopes, [12 * x**3 + 12 * x + 36 * x**2, 36 * x**2 + 12 + 72 * x])
