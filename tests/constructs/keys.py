"""Keys of dicts, members of sets and keys to sort by that are known at run time only."""

import itertools
import math
from collections import Counter, OrderedDict, defaultdict

import numpy as np

from tests.constructs.settings import construct


@construct()
def a_memory_of_results(x, c):
    known = {}
    for v in (x[0], c * x[1], x[0], x[2]):
        if v not in known:
            known[v] = np.sin(v) * c
    return len(known) * sum(known.values()) + known[x[2]] ** 2


@construct()
def a_histogram(x, c):
    bins = {}
    for v in x:
        place = math.floor(2.0 * v)
        bins[place] = bins.get(place, 0.0) + c * v
    total = 0.0
    for place in sorted(bins):
        total = 0.5 * total + (1 + place) * bins[place] ** 2
    return total


@construct()
def keys_that_are_texts(x, c):
    found = OrderedDict()
    for v in (x[0], x[1], x[0], c):
        found[f"{v:.1f}"] = v * c + found.get(f"{v:.1f}", 1.0)
    found.move_to_end(f"{x[1]:.1f}", last=False)
    first, *_ = found.values()
    return first**2 + found[f"{c:.1f}"] * x[2] + len(found) * c


@construct()
def keys_that_are_tuples(x, c):
    cells = defaultdict(float)
    for a, b in itertools.product(x[:2], x[2:]):
        cells[int(a), int(2 * b)] += a * b * c
    return sum((1 + i + 2 * j) * v**2 for (i, j), v in cells.items())


@construct()
def items_taken_away(x, c):
    held = {x[0]: c, x[1]: x[2] * c, c: x[3]}
    del held[c]
    held[c] = x[0] ** 2
    taken = held.pop(x[0]) * 2 + held.pop(x[0], c)
    key, last = held.popitem()
    return taken + key * last + sum(held) * sum(held.values())


@construct()
def a_key_that_is_missing(x, c):
    held = {x[0]: c * x[1]}
    try:
        y = held[x[0] + 1.0]
    except KeyError as error:
        y = error.args[0] * c
    return y + held.setdefault(c, x[2]) * held.setdefault(x[0], 9.0)


@construct()
def counts_of_numbers(x, c):
    counts = Counter(round(v) for v in x)
    counts.update([round(c), 1])
    counts.subtract({1: 2})
    key, times = counts.most_common(1)[0]
    return x[0] ** abs(times) * c + key * x[1] + counts[99] + counts.total() * x[2] * c


@construct()
def a_dict_of_numbers_by_comprehension(x, c):
    squares = {v * c: v**2 for v in x}
    best = max(squares, key=squares.get)
    other = {**squares, c: x[1]} | {best: x[0]}
    total = 0.0
    for key, value in sorted(other.items(), key=lambda pair: pair[1]):
        total = 0.5 * total + key * value
    return total * len(squares)


@construct()
def sets_of_numbers(x, c):
    seen, times = set(), 0
    for v in (x[0], x[1] * c, x[0], x[2]):
        if f"{v:.3f}" not in seen:
            seen.add(f"{v:.3f}")
            times += 1
    places = {int(3 * v) for v in x} | {7}
    return x[0] * c * times + len(places) * x[1] ** 2 + sorted(places)[-1] * c


@construct()
def groups_by_a_number(x, c):
    total = 0.0
    for key, group in itertools.groupby([x[0], x[1], x[3], x[2] * c], key=lambda v: v > 0.5):
        total = total * 0.5 + (2.0 if key else c) * sum(group) ** 2
    return total


@construct()
def sorted_by_texts(x, c):
    by_text = sorted([x[0], c, x[1] * c], key=lambda v: (f"{v:.3f}"[-1], v))
    by_text.sort(key=str, reverse=True)
    return by_text[0] + 2.0 * by_text[1] ** 2 + 3.0 * by_text[2] ** 3
