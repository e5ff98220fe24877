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


@construct()
def lists_of_texts_of_any_length(x, c):
    log, level = [], c
    while level < 4.0:
        if level < 2.0:
            log.append("low")
        else:
            log.append(f"{level:.1f}")
        level = level * 1.5 + 0.1 * x[0]
    told = ", ".join(sorted(log))
    return level * log.count("low") + log.index("low") * x[1] + len(told) * c * ("2.0" not in log)


@construct()
def an_item_looked_for_in_a_list_of_any_length(x, c):
    pairs, seen, level = [], [], c
    while level < 5.0:
        pairs.append((len(pairs), len(pairs) // 2))
        seen.append(round(level, 1))
        level = level * 1.3 + 0.05 * x[0]
    found = 1.0 if round(level, 1) in seen else c
    return (
        level * found + x[2] * pairs.index((3, 1)) * ((2, 2) not in pairs) + c * pairs.count((1, 0))
    )


@construct()
def counting_by_numbers_that_are_no_integers(x, c):
    total = sum(itertools.islice(itertools.count(x[0], 0.5), 3))
    for t in itertools.count(c, 0.3 * x[1]):
        if t > 2.0:
            break
        total = total + t * t * x[2]
    return total * c


@construct()
def counting_that_is_gone_on_with(x, c):
    numbers = itertools.count(x[3], c)
    first, second = next(numbers), next(numbers)
    return first * c + sum(a * b for a, b in zip((1.0, c), numbers, strict=False)) * second
