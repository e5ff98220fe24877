"""What is cleared and added to again is stored, where all that happens meanwhile is elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.types import INT, ArrayType, Size
from symdiff.ops.arithmetic import add, multiply, subtract
from symdiff.ops.index import index_add_of, index_of, index_set_of
from symdiff.optimise.clears import leave_out_clears
from tests.optimise.test_rewrites import VECTOR, graph_of, names
from tests.reference import richardson_gradient

PAIR = ArrayType(np.dtype("float64"), (Size("p"),))


def butterfly(x: Any, k: Any) -> Any:
    """The cotangents of ``x[:k], x[k:] = x[:k] + x[k:], x[:k] - x[k:]``."""
    last = index_of(x, slice(k, None))
    x = index_set_of(x, 0.0, slice(k, None))
    first = index_of(x, slice(None, k))
    x = index_set_of(x, add(first, last), slice(None, k))
    return index_add_of(x, subtract(first, last), slice(k, None))


def test_what_is_cleared_and_added_to_behind_reads_elsewhere_is_stored() -> None:
    graph = graph_of(butterfly, VECTOR, INT)
    made = leave_out_clears(graph)
    assert names(made) == ["index", "index", "add", "index_set", "subtract", "index_set"]
    for k in (2, -2):
        (found,) = evaluate_graph(made, [np.array([1.0, 2.0, 3.0, 5.0]), k])
        np.testing.assert_array_equal(found, [4.0, 7.0, -2.0, -3.0])


def reads_what_is_cleared(x: Any, v: Any) -> Any:
    x = index_set_of(x, 0.0, 1)
    read = index_of(x, slice(None, 2))
    return index_add_of(x, index_of(v, 0), 1), read


def stores_over_it(x: Any, v: Any) -> Any:
    x = index_set_of(index_set_of(x, 0.0, 1), v, slice(0, 2))
    return index_add_of(x, index_of(v, 0), 1)


def adds_to_all(x: Any, v: Any) -> Any:
    x = index_set_of(x, 0.0, slice(0, 2))
    return index_add_of(multiply(x, 2.0), v, slice(0, 2))


def adds_twice_as_much(x: Any, v: Any) -> Any:
    x = index_set_of(x, 0.0, 1)
    return index_add_of(x, v, slice(0, 2))


def gives_it_as_well(x: Any, v: Any) -> Any:
    x = index_set_of(x, 0.0, slice(0, 2))
    return index_add_of(x, v, slice(0, 2)), x


@pytest.mark.parametrize(
    "build",
    [reads_what_is_cleared, stores_over_it, adds_to_all, adds_twice_as_much, gives_it_as_well],
    ids=lambda f: f.__name__,
)
def test_what_is_read_or_written_there_meanwhile_is_cleared(build: Callable[..., Any]) -> None:
    graph = graph_of(build, VECTOR, ArrayType(np.dtype("float64"), (2,)))
    assert leave_out_clears(graph) is graph


def test_the_users_own_stores_stay() -> None:
    graph = graph_of(butterfly, VECTOR, INT, role="primal")
    assert leave_out_clears(graph) is graph


def haar(x: Any) -> Any:
    x = x.copy()
    for i in range(0, len(x), 4):
        a, b = x[i : i + 2].copy(), x[i + 2 : i + 4].copy()
        x[i : i + 2] = np.sin(a + b)
        x[i + 2 : i + 4] = a - 2.0 * b
    return np.sum(x**3)


@pytest.mark.parametrize("n", [4, 8, 16])
def test_gradients_of_parts_that_are_mixed(n: int) -> None:
    x = np.random.default_rng(n).normal(size=n)
    gradient = sd.grad(haar)
    np.testing.assert_allclose(gradient(x), richardson_gradient(haar, (x,), 0).value, rtol=1e-8)
    assert "] = 0.0" not in gradient.source(x)
    assert "+=" not in gradient.source(x)
