"""Lists of staged values: every op's meaning, and its derivative within programs of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from symdiff.ir.graph import Value
from symdiff.ir.types import FLOAT, ArrayType, ListType, Size
from symdiff.ops import reduce
from symdiff.ops.declare import FUNCTIONS
from symdiff.ops.index import index_of
from symdiff.ops.keys import Slice
from symdiff.ops.list_arrays import list_stack_of, list_unstack
from symdiff.ops.lists import (
    list_add,
    list_concatenate,
    list_filled,
    list_find,
    list_get,
    list_insert,
    list_length,
    list_new,
    list_order,
    list_pop,
    list_push,
    list_set,
    list_slice_of,
    list_slice_set,
    list_total,
)
from tests.ops.straightline import check, stage

FLOATS = ListType(FLOAT)
V = np.linspace(-1.0, 2.0, 4)


def new(*elements: Any) -> Value:
    return list_new(*elements, type=FLOATS)  # type: ignore[no-any-return]


def weighted(items: Value, count: int) -> Any:
    """A number in which every element has a share of its own, quadratically."""
    total: Any = 0.0
    for k in range(count):
        element = list_get(items, k)
        total = total + (k + 1.0) * element * element
    return total


def weighted_by_python(items: list[float]) -> float:
    total = 0.0
    for k, element in enumerate(items):
        total = total + (k + 1.0) * element * element
    return total


def test_new_and_get() -> None:
    check(
        lambda a, b: weighted(new(a, b, a), 3), lambda a, b: weighted_by_python([a, b, a]), 0.5, 2.0
    )
    check(lambda a, b, i: list_get(new(a, b), i), lambda a, b, i: [a, b][i], 0.5, 2.0, -1)


def test_push() -> None:
    check(
        lambda a, b: weighted(list_push(list_push(new(a), b), a * b), 3),
        lambda a, b: weighted_by_python([a, b, a * b]),
        *(0.5, 2.0),
    )


@pytest.mark.parametrize("i", [0, 1, 2, -1, -3])
def test_pop(i: int) -> None:
    def staged(a: Any, b: Any, i: Any) -> Any:
        rest, popped = list_pop(new(a, b, a * b), i)
        return weighted(rest, 2), popped * popped

    def by_python(a: float, b: float, i: int) -> Any:
        items = [a, b, a * b]
        popped = items.pop(i)
        return weighted_by_python(items), popped * popped

    check(staged, by_python, 0.5, 2.0, i)


def test_pop_of_which_only_one_result_is_used() -> None:
    check(lambda a, b: list_pop(new(a, b), 0)[1], lambda a, b: a, 0.5, 2.0)
    check(lambda a, b: weighted(list_pop(new(a, b), 0)[0], 1), lambda a, b: 1.0 * b * b, 0.5, 2.0)


@pytest.mark.parametrize("i", [0, 1, 2, 7, -1, -9])
def test_insert(i: int) -> None:
    def by_python(a: float, b: float, i: int) -> float:
        items = [a, a + b]
        items.insert(i, b)
        return weighted_by_python(items)

    check(lambda a, b, i: weighted(list_insert(new(a, a + b), i, b), 3), by_python, *(0.5, 2.0, i))


@pytest.mark.parametrize("i", [0, 1, -1])
def test_set_and_add(i: int) -> None:
    def put(a: float, b: float, i: int) -> float:
        items = [a, b]
        items[i] = a * b
        return weighted_by_python(items)

    def increased(a: float, b: float, i: int) -> float:
        items = [a, b]
        items[i] += a * b
        return weighted_by_python(items)

    check(lambda a, b, i: weighted(list_set(new(a, b), i, a * b), 2), put, *(0.5, 2.0, i))
    check(lambda a, b, i: weighted(list_add(new(a, b), i, a * b), 2), increased, *(0.5, 2.0, i))


def test_concatenate_and_length() -> None:
    check(
        lambda a, b: weighted(list_concatenate(new(a, b), new(b)), 3),
        lambda a, b: weighted_by_python([a, b, b]),
        *(0.5, 2.0),
    )
    check(lambda a: list_length(new(a, a)), lambda a: 2, 0.5)


@pytest.mark.parametrize("times", [0, 1, 3])
def test_filled(times: int) -> None:
    check(
        lambda a, n: weighted(list_filled(a * a, n, type=FLOATS), times),
        lambda a, n: weighted_by_python([a * a] * n),
        *(0.5, times),
    )
    check(
        lambda a, b, n: list_total(list_filled(a, n, type=FLOATS), b) * b,
        lambda a, b, n: sum([a] * n, b) * b,
        *(0.5, 0.25, times),
    )


def test_slices() -> None:
    check(
        lambda a, b: weighted(list_slice_of(new(a, b, a * b), 1, None), 2),
        lambda a, b: weighted_by_python([b, a * b]),
        *(0.5, 2.0),
    )
    key = Slice(None, None, -2)
    check(
        lambda a, b: weighted(list_slice_set(new(a, b, a * b), new(b, a), key=key), 3),
        lambda a, b: weighted_by_python([a, b, b]),
        *(0.5, 2.0),
    )


def test_stack() -> None:
    check(
        lambda a, b: list_stack_of(new(a, b, a * b)),
        lambda a, b: np.array([a, b, a * b]),
        *(0.5, 2.0),
    )
    rows = ListType(ArrayType(np.dtype(float), (Size("ai"),), "array"))
    check(
        lambda x: list_stack_of(list_push(list_new(x, type=rows), x * x)),
        lambda x: np.array([x, x * x]),
        V,
    )


@pytest.mark.parametrize(
    "function", [np.array, np.stack, np.hstack, np.vstack, np.column_stack, np.concatenate]
)
def test_joining_a_list_of_unknown_length(function: Any) -> None:
    rows = ListType(ArrayType(np.dtype(float), (Size("ai"),), "array"))
    check(
        lambda x: FUNCTIONS[function](list_push(list_new(x, type=rows), x * x)),
        lambda x: function([x, x * x]),
        V,
    )
    if function is not np.concatenate:
        check(
            lambda a, b: FUNCTIONS[function](list_push(new(a, b), a * b)),
            lambda a, b: function([a, b, a * b]),
            *(0.5, 2.0),
        )


def test_array_of_nested_lists() -> None:
    nested = ListType(FLOATS)
    check(
        lambda a, b: list_stack_of(list_push(list_new(new(a, b), type=nested), new(b, a * b))),
        lambda a, b: np.array([[a, b], [b, a * b]]),
        *(0.5, 2.0),
    )


def test_unstack() -> None:
    check(
        lambda x: weighted(list_unstack(x, type=FLOATS), 4),
        lambda x: weighted_by_python(x.tolist()),
        V,
    )
    row = ListType(ArrayType(np.dtype(float), (Size("aj"),), "array"))
    check(
        lambda x: reduce.sum(list_get(list_unstack(x, type=row), 1) * index_of(x, 0)),
        lambda x: np.sum(x[1] * x[0]),
        V.reshape(2, 2),
    )


def test_elements_of_different_types_do_not_concatenate() -> None:
    with pytest.raises(TypeError, match="differ in type"):
        stage(
            lambda a, x: list_concatenate(
                new(a), list_new(x, type=ListType(ArrayType(np.dtype(float), (Size("bi"),))))
            ),
            *(1.0, V),
        )


def test_where_a_key_stands_in_a_list() -> None:
    def places(a: Any, b: Any) -> Any:
        first, second = new(a, b, 2.0 * a), new(b, b, a)
        found = [list_find(key, first, count=1) for key in (2.0 * a, 9.0 * b)]
        found += [list_find(b, key, first, second, count=2) for key in (b, a)]
        return sum((k + 1) * place for k, place in enumerate(found))

    check(places, lambda a, b: 2 - 2 + 3 * 1 - 4, 0.5, 2.0)


def test_the_places_of_a_list_in_order() -> None:
    def ordered(a: Any, b: Any) -> Any:
        first, second = new(b, a, b), new(a, a, b)
        orders = list_order(first, reverse=False), list_order(first, second, reverse=True)
        places = [list_get(order, k) for order in orders for k in range(3)]
        return sum(10**k * place for k, place in enumerate(places))

    check(ordered, lambda a, b: 102201, 0.5, 2.0)
