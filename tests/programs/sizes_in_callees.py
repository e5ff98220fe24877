"""Functions that give arrays of sizes of their own, or are given such, called often."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.programs.arrays_in_callees import total

BOUND = np.array([0.4, 0.9, 0.1])


def above(v: Any, c: float) -> Any:
    return v[v > c]


def of_one_and_more(x: float, y: float) -> float:
    """Of arrays that one function gives, one has a single element: it is broadcast."""
    v, w = np.array([x, y, x * y]), np.array([y, 3.0 * x, 2.0 * y])
    one, all_, none = above(v, 1.0), above(w, 0.2), above(v, 9.0)
    last = above(v[::-1], max(x, y) - 0.01)
    found = one * all_ + last
    found += above(w * v, 0.1) * np.ones(3)
    return total(found, np.concatenate([one, all_, none, last]), all_ - last, one - last)


def sum_of(v: Any) -> Any:
    return np.sum(v * np.arange(1.0, len(v) + 1.0))


def scaled(v: Any, w: Any) -> Any:
    return v * sum_of(w) + w


def given_computed_sizes(x: float, y: float) -> float:
    """Arrays of computed sizes are given: equal ones in one call, others in another."""
    v, w = np.array([x, y, x * y]), np.array([y, 3.0 * x, 2.0 * y])
    a, b = above(v, 0.5), above(w, 1.0)
    same = scaled(a, a) + scaled(a, 2.0 * a) + scaled(a * x, above(v, 0.5) ** 2)
    c = above(v, max(x, y) - 0.01)
    return total(same, scaled(b, c), scaled(c, b), scaled(above(b, 1.5), c), scaled(c, b * y))


def masked(v: Any, where: Any) -> Any:
    return v[where] * np.sum(v[~where])


def by_one_mask(x: float, y: float) -> float:
    """What one mask takes has one size."""
    v = np.array([x, y, x * y])
    some, others = v > 0.8, v < 1.0
    found = masked(v, some) * masked(v * y, some) + v[some]
    more = masked(v, others) + masked(v * x, others) * v[others]
    return total(found, more, masked(found, found > 0.1), masked(v, BOUND > 0.3))


def trimmed(a: Any) -> Any:
    while len(a) > 1 and a[-1] == 0.0:
        a = a[:-1]
    return a


def added(a: Any, b: Any) -> Any:
    """The sum of polynomials, as of NumPy's, which drop what is zero behind."""
    if len(a) > len(b):
        found = a.copy()
        found[: len(b)] += b
    else:
        found = b.copy()
        found[: len(a)] += a
    return trimmed(found)


def polynomials(x: float, y: float) -> float:
    a, b, c = np.array([x, y, 1.0]), np.array([y, x]), np.array([x * y, -y, -1.0])
    found = added(added(a, b), added(c, np.array([x])))
    found = added(added(found, found), added(a, c))
    return total(found, added(a, a), added(b, found), added(found, a))


def joined(parts: list[Any]) -> Any:
    return np.concatenate([*parts, parts[0][:1]])


def of_lengths_joined(x: float, y: float) -> float:
    v = np.array([x, y, x * y])
    found = joined([v, above(v, 0.67)])
    found = joined([above(found, 0.67), v[:2]])
    return total(found, joined([v, v]), joined([found, joined([v])]), joined([v[1:], found]))


def count_above(v: Any, c: float) -> Any:
    return np.zeros(int(np.sum(v > c)))


def made_of_counts(x: float, y: float) -> float:
    """Arrays that are made of lengths known at run time only, and written."""
    v = np.array([x, y, x * y])
    found = [count_above(v, 0.67), count_above(v * 2.0, 0.1), count_above(v, 1.0)]
    for k, one in enumerate(found):
        one[:] = v[: len(one)] * (k + 1)
        one[0] += y
    return total(*found, found[0][:1] * found[1])


PROGRAMS: list[Callable[[float, float], float]] = [
    of_one_and_more,
    given_computed_sizes,
    by_one_mask,
    polynomials,
    of_lengths_joined,
    made_of_counts,
]
