"""What a loop goes over is read turn by turn: what the body changes is seen as Python sees it."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest

import symdiff as sd

Wrapped = Callable[[Any], Iterable[Any]]
ITERATORS: dict[str, Wrapped] = {
    "accumulate": itertools.accumulate,
    "chain": lambda a: itertools.chain(a, [1.0]),
    "comprehension": lambda a: (v * v for v in a),
    "condition": lambda a: (v for v in a if v > 0.1),
    "cycle": lambda a: itertools.islice(itertools.cycle(a), 6),
    "dropwhile": lambda a: itertools.dropwhile(lambda v: v < 0.0, a),
    "enumerate": lambda a: (k * v for k, v in enumerate(a)),
    "filter": lambda a: filter(None, a),
    "itself": lambda a: a,
    "map": lambda a: map(operator.neg, a),
    "pairwise": lambda a: (u * v for u, v in itertools.pairwise(a)),
    "product": lambda a: (u * v for u, v in itertools.product(a, [1.0, 2.0])),
    "slice": lambda a: itertools.islice(a, 2),
    "takewhile": lambda a: itertools.takewhile(lambda v: v < 1e9, a),
    "zip_longest": lambda a: (u + v for u, v in itertools.zip_longest(a, [1.0], fillvalue=2.0)),
}


class Yielding:
    def __init__(self, factor: Any) -> None:
        self.factor = factor

    def __iter__(self) -> Iterator[Any]:
        for k in range(3):
            yield self.factor * (k + 1)


def over_a_list(wrapped: Wrapped) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        a, total, turn = [x, 2 * x, 3 * x, 4 * x, 5 * x], 0.0, 0
        for v in wrapped(a):
            turn += 1  # noqa: SIM113  only what is wrapped is gone over
            total += v * turn
            a[(turn + 1) % 5] = a[(turn + 1) % 5] * x + turn
        return total

    return function


def over_an_object(wrapped: Wrapped) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        yielding, total = Yielding(x), 0.0
        for v in wrapped(yielding):
            total += v
            yielding.factor = yielding.factor * x
        return total

    return function


def slope(function: Callable[[Any], Any], x: Any) -> Any:
    """The slope by differences of two steps, extrapolated."""
    coarse, fine = ((function(x + h) - function(x - h)) / (2 * h) for h in (2e-3, 1e-3))
    return (4 * fine - coarse) / 3


@pytest.mark.parametrize("name", ITERATORS)
def test_a_list_that_the_body_changes(name: str) -> None:
    function = over_a_list(ITERATORS[name])
    assert sd.grad(function)(1.3) == pytest.approx(slope(function, 1.3), rel=1e-8)
    value, tangent = sd.jvp(function, (1.3,), (1.0,))
    assert value == function(1.3)
    assert tangent == pytest.approx(slope(function, 1.3), rel=1e-8)


@pytest.mark.parametrize("name", ITERATORS)
def test_an_object_that_the_body_changes(name: str) -> None:
    function = over_an_object(ITERATORS[name])
    assert sd.grad(function)(1.3) == pytest.approx(slope(function, 1.3), rel=1e-8)


def test_items_that_a_loop_with_a_break_changes() -> None:
    def of_a_list(x: Any) -> Any:
        a, total = [x, 2 * x, 3 * x, 4 * x, 5 * x, 6 * x], 0.0
        for k, v in enumerate(a):
            if v > 1e9:
                break
            total += v * k
            a[5] = a[5] * x
        return total

    def of_a_dict(x: Any) -> Any:
        d, total = {k: x * k for k in range(6)}, 0.0
        for v in d.values():
            if v > 1e9:
                break
            total += v
            d[5] = d[5] * x
        return total

    assert sd.grad(of_a_list)(1.3) == pytest.approx(40.0 + 5 * 36 * 1.3**5, rel=1e-12)
    assert sd.grad(of_a_dict)(1.3) == pytest.approx(10.0 + 5 * 6 * 1.3**5, rel=1e-12)


def test_neighbours_in_an_array_that_the_loop_writes_are_refused() -> None:
    def function(x: Any) -> Any:
        a, total = np.array([x, 2 * x, 3 * x]), 0.0
        for left, right in itertools.pairwise(a):
            total += left * right
            a[1] = x
        return total

    with pytest.raises(sd.UnsupportedSyntaxError, match="pairwise"):
        sd.grad(function)(1.3)


@pytest.mark.parametrize(
    "made", [itertools.product, itertools.combinations, itertools.permutations]
)
def test_what_python_reads_at_once_is_read_where_it_is_made(made: Any) -> None:
    def function(x: Any) -> Any:
        a = [x, 2 * x, 3 * x]
        pairs = made(a, [2.0]) if made is itertools.product else made(a, 2)
        a[0] = 100.0
        return sum(u * v * v for u, v in pairs)

    assert sd.grad(function)(1.3) == pytest.approx(slope(function, 1.3), rel=1e-8)


def test_pairs_of_what_a_generator_or_a_function_gives_are_made_turn_by_turn():
    def of_generator(x: Any) -> Any:
        a, total = x.copy(), 0.0
        for left, right in itertools.pairwise(2.0 * v for v in a):
            total += left * right
            a[3] = left
        return total

    def of_function(x: Any) -> Any:
        seen: list[Any] = []

        def counted(v: Any) -> Any:
            seen.append(v)
            return v * len(seen)

        pairs = [left * right for left, right in itertools.pairwise(map(counted, x))]
        return sum(pairs) + len(seen)

    x = np.array([0.6, 1.3, 0.9, 1.1])
    for function in (of_generator, of_function):
        value, gradient = sd.value_and_grad(function)(x)
        assert value == function(x)
        step = 1e-6 * np.eye(4)
        expected = [(function(x + h) - function(x - h)) / 2e-6 for h in step]
        np.testing.assert_allclose(gradient, expected, atol=1e-7)


def test_pairs_of_an_iterator_over_an_array_that_is_written_are_refused():
    def program(x: Any) -> Any:
        a, total = x.copy(), 0.0
        for left, right in itertools.pairwise(iter(a)):
            total += left * right
            a[3] = left
        return total

    with pytest.raises(sd.UnsupportedSyntaxError, match="pairwise"):
        sd.grad(program)(np.array([0.6, 1.3, 0.9, 1.1]))
