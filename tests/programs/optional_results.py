"""Helpers that give a value or None, a tuple or nothing, a word: which of them the data decides."""

import numpy as np

from tests.programs.registry import program

V = np.array([0.9, -0.4, 1.6, -1.2, 0.3])


def hit(total):
    """The distance to a wall, if it is ahead."""
    if total > 0.05:
        return total**0.5
    return None


def root_or_none(total):
    return total**0.5 if total > 0.05 else None


def ends_without_return(total):
    if total > 0.05:
        return total**0.5


def refracted(direction, ratio):
    """A direction and how much goes there; None where all is reflected."""
    k = 1.0 - ratio**2 * (1.0 - direction[0] ** 2)
    if k < 0.0:
        return None
    return direction * ratio + np.sqrt(k), 1.0 - k


def distance_and_gradient(x):
    d = np.sum(x**2) - 1.0
    if d < 0:
        return None, 0
    return d, x * 2.0


def real_roots(a, b, c):
    d = b * b - 4.0 * a * c
    if d < 0:
        return ()
    return (-b - np.sqrt(d)) / (2.0 * a), (-b + np.sqrt(d)) / (2.0 * a)


def regime(x):
    return "laminar" if x[0] < 0.5 else "turbulent"


@program(args=(V,), also=[(V - 0.5,)])
def hit_or_background(x):
    t = hit(np.sum(x))
    if t is None:
        return 0.5 * x[0] ** 2
    return t * np.sin(t)


@program(args=(V,), also=[(V - 0.5,)])
def three_ways_to_give_none(x):
    total = 0.0
    for f in (hit, root_or_none, ends_without_return):
        t = f(np.sum(x))
        total = total * x[1] + (x[0] ** 2 if t is None else t * t * x[2])
    return total


@program(args=(V,), also=[(V - 0.5,), (-V,)])
def both_may_miss(x):
    near, far = hit(x[0] + x[1]), hit(-x[2])
    if near is None and far is None:
        return x[0] ** 3
    if near is None:
        return far**2 * x[1]
    return near * x[0] + (0.0 if far is None else far)


@program(args=(V, 0.8), also=[(V - 0.8, 1.4)], wrt=(0, 1))
def tuple_or_none(x, ratio):
    bent = refracted(x, ratio)
    if bent is None:
        return np.sum(x) * ratio
    direction, share = bent
    return np.sum(direction**2) * share


@program(args=(V,), also=[(V * 0.3,)])
def tuple_of_either(x):
    d, slope = distance_and_gradient(x)
    if d is None:
        return np.prod(x)
    return d**2 + slope @ x


@program(args=(V,), also=[(V - 0.5,)])
def asked_where_it_is_called(x):
    if hit(np.sum(x)) is None:
        return x[0] ** 2
    while (t := hit(x[2])) is not None:
        x = x - 0.3 * t
    return np.sum(x**2)


@program(args=(V,), also=[(V - 0.5,)])
def or_else(x):
    t = hit(np.sum(x)) or x[0] ** 2
    r = 0.5 * x[1] if (u := root_or_none(x[3])) is None else u * u
    return t * t + r


@program(args=(V,), also=[(-V,)])
def nearest_hit(x):
    best = None
    for i in range(len(x)):
        t = hit(x[i])
        if t is None:
            continue
        if best is None or t < best:
            best = t
    return x[0] * x[1] if best is None else best**3


@program(args=(V,), also=[(-V,)])
def only_what_hits(x):
    distances = []
    for v in x:
        t = hit(v)
        if t is not None:
            distances.append(t * v)
    return np.sum(np.array(distances) ** 2) + x[0]


@program(args=(V, 4), also=[(-V, 5)])
def none_in_a_counted_loop(x, n):
    total, last = 0.0, None
    for i in range(n):
        t = hit(x[i])
        if last is not None and t is not None:
            total += (t - last) ** 2
        if t is not None:
            last = t
    return total + x[0] * (0.0 if last is None else last)


@program(args=(0.5, 3.0, 1.0), also=[(1.0, 0.5, 2.0)], wrt=(0, 1, 2))
def roots_if_any(a, b, c):
    roots = real_roots(a, b, c)
    if not roots:
        return a * b * c
    return roots[0] * roots[1] ** 2 + sum(roots)


@program(args=(V,), also=[(V - 0.5,)])
def word_decides(x):
    scale = {"laminar": 64.0, "turbulent": 0.3}
    kind = regime(x)
    if kind == "laminar":
        return np.sum(x**2) * scale[kind]
    return np.sum(np.sqrt(np.abs(x))) * scale[regime(x)]


@program(args=(V,), also=[(-V,)])
def generator_of_what_hits(x):
    squares = sum(t * t for t in (hit(v) for v in x) if t is not None)
    scaled = [t * x[0] for v in x if (t := root_or_none(v)) is not None]
    return squares + sum(scaled) ** 2 + sum(hit(v) is None for v in x) * x[1]


def first_above(values, level, otherwise):
    for v in values:
        if v > level:
            return values * v
    return otherwise


@program(args=(V,), also=[(-V,), (V * 0.2,)])
def array_or_number_out_of_a_loop(x):
    found = first_above(x, 0.5, x[1])
    return np.sum(first_above(x, 1.0, 0.5) ** 2) + np.sum(np.sin(found) * x)


@program(args=(V,), also=[(-V,), (V[::-1].copy(),)])
def largest_of_numbers_and_arrays(x):
    one = np.array([0.25]) * x[2]
    return np.sum(max(x[0], one, x[1], key=abs) ** 2) + np.sum(min(0.3, one, x[3]) * x)


@program(args=(V,), also=[(-np.abs(V),)])
def sum_of_arrays_if_any(x):
    rows = []
    for v in x:
        if v > 0:
            rows.append(x * v)
    return np.sum(sum(rows) ** 2) + x[0]


@program(args=(np.array([0.13, 0.52, 0.71, 0.22]), np.array([1.0, 2.0, -0.5])), wrt=(0, 1))
def last_above(x, w):
    found = None
    for i in range(len(x)):
        if x[i] > 0.4:
            found = (x[i], w * x[i])
    if found is None:
        return np.sum(x) * w[0]
    height, row = found
    return height * np.sum(row * row)


@program(args=(np.array([0.13, 0.52, 0.71, 0.22]), np.array([1.0, 2.0, -0.5])), wrt=(0, 1))
def sums_between_two(x, w):
    before = None
    total, i = 0.0, 0
    while i < len(x) and total < 100.0:
        if before is None:
            if x[i] > 0.15:
                before = (i, w * x[i])
        else:
            k, row = before
            total += np.sum(row * row) * x[i] * (i - k)
            before = None
        i += 1
    return total if before is None else total + np.sum(before[1] ** 3)
