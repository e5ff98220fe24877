"""Comparisons of sequences, membership, and what looks for the best of several items."""

import functools
import math

import numpy as np
import pytest

import symdiff
from symdiff.errors import UnsupportedSyntaxError
from tests.parse.following import follows

COUNTS = {"calls": 0}
ARRAYS = [np.array([1.0, -2.0, 5.0]), np.array([-1.0, -2.0]), np.array([0.5]), np.zeros(0)]


def tuples_in_order(x, y):
    return (x, y) < (y, x), (1, x) >= (1, y), (x, 1) > (x,), (1, x) < (2, y), (x,) <= (x, y)


def equal_sequences(x, y):
    return [x] == [y], (x, 2) != (x, 2), (x,) == [x], [1, (x, [y])] == [1, (y, [y])], (x,) == None  # noqa: E711


def equal_dicts(x, y):
    return {"a": x} == {"a": y}, {"a": x, "b": y} != {"b": y, "a": x}, {"a": x} == {"b": x}


def members(x, y):
    return x in [y, 2.0], (x, 1) in [(y, 1)], y not in (x, x), [x] in [[1.0], [y]]


@pytest.mark.parametrize(
    "function",
    [tuples_in_order, equal_sequences, equal_dicts, members],
    ids=lambda f: f.__name__,
)
def test_sequences_are_compared_by_the_first_items_that_differ(function):
    follows(function, (0.5, 0.7), (0.7, 0.5), (0.5, 0.5), (float("nan"), 1.0), (2.0, 2.0))


def orders_what_has_no_order(x):
    return (x, "a") < (0.5, 3) or (x,) < [x]


def test_items_without_an_order_raise_where_they_are_reached():
    follows(orders_what_has_no_order, 0.4, 0.5, 0.6)


def is_among_arrays(x, items, item):
    return x if item in items else 2 * x


def test_an_array_is_found_by_identity_first():
    a, b = np.array([1.0, 2.0]), np.array([1.0, 2.0])
    follows(is_among_arrays, (0.5, [a, b], a), (0.5, [[a], [b]], [a]))
    with pytest.raises(ValueError, match="truth value of an array"):
        symdiff.grad(is_among_arrays)(0.5, [a, b], b)


class Point:
    pass


def are_equal_objects(x, a, b):
    return x if a == b else 2 * x if a != b else 3 * x


def test_objects_without_an_equality_are_equal_to_themselves():
    a = Point()
    gradient = symdiff.grad(are_equal_objects)
    assert [gradient(1.0, a, b) for b in (Point(), a)] == [2, 1]


# The best of several ------------------------------------------------------------------------------


def positive(a, x):
    found = []
    for v in a:
        if v > 0:
            found.append(v * x)
    return found


def greatest_of_a_list(x, a):
    return max(positive(a, x))


def least_or_default(x, a):
    return min(positive(a, x), default=x)


def of_a_generator(x, a):
    return max((v * x for v in a if v > 0), default=7.0)


def greatest_pair(x, a):
    return max((v * x, k) for k, v in enumerate(a))


def product(x, a):
    return functools.reduce(lambda p, q: p * q, positive(a, x))


def product_from_a_start(x, a):
    return functools.reduce(lambda p, q: p * q, positive(a, x), x)


def by_a_key(x, a):
    return min(enumerate(a), key=lambda pair: (pair[1] - x) ** 2)


@pytest.mark.parametrize(
    "function",
    [
        greatest_of_a_list,
        least_or_default,
        of_a_generator,
        greatest_pair,
        product,
        product_from_a_start,
        by_a_key,
    ],
    ids=lambda f: f.__name__,
)
def test_there_may_be_no_item(function):
    follows(function, *((0.5, array) for array in ARRAYS))


def counted(v):
    COUNTS["calls"] += 1
    return -v


def greatest_by_a_counted_key(x, a):
    return max(a, key=counted) * x


def test_a_key_is_asked_for_once_an_item(monkeypatch):
    monkeypatch.setitem(COUNTS, "calls", 0)
    assert symdiff.grad(greatest_by_a_counted_key)(0.5, ARRAYS[0]) == -2.0
    assert COUNTS["calls"] == 3


def greatest_after_a_change(x, a, seen):
    seen.append(1.0)
    return max(positive(a, x))


def test_what_was_written_before_there_was_no_item_stays():
    gradient, seen = symdiff.grad(greatest_after_a_change), []
    assert gradient(2.0, ARRAYS[0], seen) == 5.0
    with pytest.raises(ValueError, match="empty"):
        gradient(2.0, ARRAYS[1], seen)
    assert seen == [1.0, 1.0]


def sum_of_rows(x, a):
    rows = []
    for v in a:
        if v > 0:
            rows.append(a * x)
    return np.sum(sum(rows))


def sum_of_rows_from_a_start(x, a):
    rows = []
    for v in a:
        if v > 0:
            rows.append(a * x)
    return np.sum(sum(rows, np.zeros(len(a))))


def rows_summed(x, a):
    rows = []
    for v in a:
        if v > 0:
            rows.append(a * x)
    return sum(rows)


def test_a_sum_of_arrays_that_may_be_none():
    follows(sum_of_rows_from_a_start, *((0.5, array) for array in ARRAYS))
    follows(sum_of_rows, *((0.5, array) for array in (*ARRAYS, -np.abs(ARRAYS[0]))))


def test_a_sum_of_arrays_that_may_be_none_is_a_number_where_there_is_none():
    a = np.array([0.5, -1.0, 2.0])
    value, along = symdiff.jvp(rows_summed, (0.5, a), (1.0, a))
    np.testing.assert_array_equal(value, rows_summed(0.5, a))
    np.testing.assert_allclose(along, 2 * (a + 0.5 * a))  # two are above 0
    value, along = symdiff.jvp(rows_summed, (0.5, -np.abs(a)), (1.0, a))
    assert type(value) is int and value == 0
    value, pullback = symdiff.vjp(rows_summed, 0.5, a)
    np.testing.assert_allclose(pullback(np.ones(3))[0], 2 * np.sum(a))


def equal_keys(x, a, b):
    if a.keys() == b.keys():
        return x * x
    return x


def keys_in_common(x, a, b):
    total = x
    for key in sorted(a.keys() & b.keys()):
        total = total * a[key]
    return total + len(a.keys() - b.keys()) * x + len(a.keys() | {"z"}) + (a.keys() <= {"p", "q"})


def equal_items(x, a, b):
    return (x * x if a.items() == b.items() else x) + (a.values() == b.values())


@pytest.mark.parametrize("function", [equal_keys, keys_in_common, equal_items])
def test_the_keys_and_items_of_a_dict_are_compared_and_joined_as_sets(function):
    ab, ba, other = {"p": 1.0, "q": 2.0}, {"q": 2.0, "p": 1.0}, {"q": 2.0, "r": 4.0}
    follows(function, (3.0, ab, ba), (3.0, ab, other), (3.0, other, ab), (3.0, ab, ab))


TABLE = {(1.0, 2): 5.0, (2.0, 2): 6.0, "a": 7.0}


class Known:
    pass


def test_floats_and_objects_are_looked_for_among_keys():
    def f(x, y):
        made = Known()
        total = x * (2.0 if x in {1.0, 2, 0.1} else 3.0)
        total = total + x * (20.0 if (x, 2) in TABLE else 30.0)
        total = total + x * (200.0 if y in {0.1: "p", 2.5: "q"} else 300.0)
        for key in (x, x + 1.0):
            total = total + x * (2000.0 if key in TABLE.keys() | {2.5} else 3000.0)
        return total * (1.0 if made in {"a", "b"} else 2.0) * (1.0 if made not in {1: 2} else 3.0)

    for x, y in ((1.0, 0.1), (1.5, 2.5), (0.1, 7.0), (2.0, np.nan)):
        expected = f(1.0, y) if x == 1.0 else f(x, y) / x
        for number in (x, np.float64(x)):
            assert symdiff.grad(f)(number, y) == pytest.approx(expected, rel=1e-14)
            assert symdiff.jvp(f, (number, y), (1.0, 0.0))[1] == pytest.approx(expected, rel=1e-14)
    assert symdiff.grad(symdiff.grad(lambda x: x * x * (2.0 if x in {1.5} else 3.0)))(1.5) == 4.0
    with pytest.raises(UnsupportedSyntaxError, match="known at run time only"):
        symdiff.grad(lambda x: x * (2.0 if x in {0.1} else 3.0))(np.float32(0.1))
    for x in (1.0, 2.0**53):
        assert symdiff.grad(lambda x: x * (2.0 if x in {2**53 + 1} else 3.0))(x) == 3.0


def part_of(t, p):
    if not p > 0.0:
        raise ValueError("no pressure")
    if t < 1.0 and 1.0 / p > 2.0:
        return 1
    return 2


def by_part(t, p):
    part = part_of(t, p)
    if part == 1:
        return math.sqrt(p) * t
    if part == 2:
        return t / p
    if part >= 3:
        return math.cosh(t * p)
    raise ValueError("no part")


def by_part_or_else(t, p):
    try:
        return by_part(t, p)
    except ValueError:
        return t - p * p
    except ZeroDivisionError:
        return t * 7.0


PARTS = [
    ((0.5, 0.25), (0.5, 0.5), (-0.25 * 0.5 * 0.25**-1.5)),
    ((0.5, 2.0), (0.5, -0.125), 2 * 0.5 / 8.0),
    ((3.0, 0.25), (4.0, -48.0), 2 * 3.0 / 0.25**3),
    ((3.0, -1.5), (1.0, 3.0), -2.0),
    ((3.0, 0.0), (1.0, 0.0), -2.0),
]


@pytest.mark.parametrize(("given", "slopes", "second"), PARTS)
def test_a_comparison_of_one_of_some_constants_is_decided_inside_try(given, slopes, second):
    loss = symdiff.differentiable(by_part_or_else)
    assert loss(*given) == by_part_or_else(*given)
    np.testing.assert_allclose(symdiff.grad(by_part_or_else, (0, 1))(*given), slopes, rtol=1e-12)
    for k, slope in enumerate(slopes):
        tangents = tuple(float(k == j) for j in range(2))
        _, found = symdiff.jvp(by_part_or_else, given, tangents)
        np.testing.assert_allclose(found, slope, rtol=1e-12)
    twice = symdiff.grad(symdiff.grad(by_part_or_else, 1), 1)(*given)
    np.testing.assert_allclose(twice, second, rtol=1e-12)
    assert "cosh" not in loss.source(*given)
