"""``items += more`` and ``items *= n``: which sequences change themselves, and what NumPy makes of
them.
"""

from __future__ import annotations

import collections

import numpy as np
import pytest

import symdiff
from symdiff.errors import UnsupportedSyntaxError
from tests import reference
from tests.parse.following import follows


class Rows(list):
    pass


class Bare:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return iter([self.x])


class Summed(Bare):
    def __radd__(self, items):
        return [*items, self.x, 2 * self.x]


class Declining(Bare):
    def __radd__(self, items):
        return NotImplemented


def list_and_array(x):
    items = [x, 2 * x]
    same = items
    items += np.array([x, x])
    return items, same


def empty_list_and_array(x):
    items = []
    for _ in range(3):
        items += np.array([x])
    return items


def list_and_numpy_number(x):
    items = [x, 2 * x]
    items += np.float64(x)
    return items


def item_and_array(x):
    rows = [[x, x], [x, 2 * x]]
    rows[1] += np.array([x, 1.0])
    return rows


def slice_and_array(x):
    items = [x, 2 * x, x * x]
    items[1:] += np.cumsum(np.diff(items))
    return items


def grown_list_and_array(x, n=4):
    items = []
    for k in range(n):
        items.append(k * x)
    items += np.arange(n) * x
    return items


def derived_list_and_array(x):
    items = Rows([x])
    items += np.array([x, x])
    return list(items)


def list_and_objects(x):
    first, second = [x], [x]
    same = first, second
    first += Summed(x)
    second += Declining(x)
    second += Bare(x)
    return first, second, same


def deque_and_array(x):
    items = collections.deque([x, 2 * x])
    same = items
    items += [x]
    items += np.array([x, x, 1.0])
    return items, list(same)


def dict_and_pairs(x):
    items = {"a": x}
    same = items
    items |= [("b", 2 * x)]
    items |= {"c": x}
    return items, same


def repeated(x):
    items, pair = [x, x * x], (x, 2.0)
    same = items, pair
    items *= 2
    pair *= 2
    return items, pair, same


def repeated_by_numpy(x):
    items = [x, x * x]
    same = items
    items *= np.int64(2)
    other = items
    other *= np.array([1.0, 2.0, 3.0, 4.0])
    return items, same, other


def grown_tuple(x, n=4):
    items = []
    k = 0
    while k < x + n:
        items.append(k * x)
        k += 1
    before, last = tuple(items), (x,)
    now = before
    now += last
    return list(before), list(now), [x, *now, *before], list(last + before), len(now + now)


@pytest.mark.parametrize(
    "function",
    [
        list_and_array,
        empty_list_and_array,
        list_and_numpy_number,
        item_and_array,
        slice_and_array,
        grown_list_and_array,
        derived_list_and_array,
        list_and_objects,
        deque_and_array,
        dict_and_pairs,
        repeated,
        repeated_by_numpy,
        grown_tuple,
    ],
)
def test_what_changes_itself_and_what_is_new(function):
    follows(function, 1.5)


def weighted(x, n):
    items = [x, 2 * x, x * x]
    items[1:] += np.cumsum(np.sin(items[1:]))
    pair = ()
    for k in range(n):
        more = (k * items[2],)
        pair = pair + more
    return items[1] * pair[1] + pair[-1]


@pytest.mark.parametrize("n", [2, 5])
def test_derivatives_of_what_is_lengthened(n):
    slope = reference.directional(lambda x: weighted(x, n), (0.7,), (1.0,)).value
    np.testing.assert_allclose(symdiff.grad(weighted)(0.7, n), slope, rtol=1e-9)


def tuple_that_grows(x):
    pair = ()
    while len(pair) < x:
        pair += (x * x,)
    return len(pair) * x


def test_a_tuple_that_grows_for_as_long_as_data_say_is_refused():
    with pytest.raises(UnsupportedSyntaxError, match="'pair' has no one form in all turns"):
        symdiff.grad(tuple_that_grows)(7.5)
