"""Items that a number known at run time selects from a list, a tuple or a dict of a known length.

Numbers, arrays that are written afterwards under another name, lists, functions: what is selected
is the item itself, wherever it is read or written later.
"""

import math

import numpy as np

from tests.programs.registry import program

X = np.array([0.55, 1.3, 0.7])
X4 = np.array([0.9, 1.3, 0.4, 0.8])
POINTS = np.array([[0.1, 0.2], [0.9, 0.4], [0.3, 0.8], [0.8, 0.7]])
LOW, HIGH = np.array([0.2, 1.3, 0.7]), np.array([0.45, 1.3, 0.7])


@program(args=(X, np.array([0.1, 0.9, 0.4])))
def indexed_by_value(x, grid):
    tables = [x * 1.0, np.sin(x), np.exp(-x)]
    out = 0.0
    for g in grid:
        k = int(g * 3)
        out += tables[k] @ x
    return out


@program(args=(X,))
def state_machine(x):
    rates = [0.5, x[1], x[2] ** 2]
    state = 0
    s = 0.0
    while s < 2.0:
        s = s + rates[state]
        state = (state + 1) % 3
    return s * x[0]


@program(args=(X, np.array([1, 0, 2, 2])))
def hmm_lookup(x, obs):
    emit = [[x[0], x[1], 0.2], [0.3, x[2], 0.5]]
    alpha = [0.5, 0.5]
    for o in obs:
        alpha = [
            sum(alpha[i] * (0.7 if i == j else 0.3) for i in range(2)) * emit[j][o]
            for j in range(2)
        ]
    return math.log(sum(alpha))


@program(args=(X,))
def functions_by_index(x):
    fs = [np.sin, np.cos, np.tanh]
    k = int(x[0] * 4)
    return fs[k](x).sum()


@program(args=(X,))
def ragged_by_index(x):
    fs = [x[:2], x[1:2], x]
    k = int(x[0] * 4)
    return fs[k].sum() * x[0]


@program(args=(X,))
def tuple_by_index(x):
    a = (x[0], x[1] ** 2, x[2] ** 3)[int(x[0] * 4)]
    return a * x[1]


@program(args=(X,))
def dict_by_number(x):
    table = {0: x[0] * x[1], 1: x[2] ** 2, 2: x[0]}
    return table[int(x[0] * 2)] * x[2]


@program(args=(X4,))
def negative_index(x):
    rows = [x[0], x[1] ** 2, x[2] ** 3]
    k = -int(x[1] * 2)
    return rows[k] * x[3] + (x, 2 * x)[k + 1].sum()


@program(args=(X4,))
def prefix_by_value(x):
    rows = [x[0], x[1] ** 2, x[2] ** 3, x[3]]
    k = int(x[1] * 2)
    return sum(rows[:k]) * 2 + sum(rows[k:]) ** 2 + np.mean(rows[-k:])


@program(args=(X4,))
def set_by_value(x):
    rows = [x[0], x[1] ** 2, x[2] ** 3, x[3]]
    k = int(x[1] * 2)
    rows[k] = x[0] * x[1]
    a, b, c, d = rows
    return a * b + c * d


@program(args=(X4,))
def set_array_by_value(x):
    rows = [x, 2 * x, x**2]
    k = int(x[1])
    rows[k] = np.cos(x)
    rows[k][0] = 3.0 * x[1]
    return sum(r @ x for r in rows)


@program(args=(X4,))
def swap_by_value(x):
    rows = [x[0], x[1] ** 2, x[2] ** 3, x[3]]
    j = int(np.argmax(x))
    rows[0], rows[j] = rows[j], rows[0]
    return rows[0] * 3 + rows[1] * rows[2]


@program(args=(X4,))
def insertion_sort(x):
    v = [t for t in x]
    for i in range(1, len(v)):
        key = v[i]
        j = i - 1
        while j >= 0 and v[j] > key:
            v[j + 1] = v[j]
            j -= 1
        v[j + 1] = key
    return sum(k * t for k, t in enumerate(v))


@program(args=(X4,))
def binary_search_table(x):
    knots = [0.0, 0.5, 1.0, 1.5]
    vals = [x[0], x[1], x[2], x[3]]
    total = 0.0
    for q in (0.2, 0.7, x[3]):
        lo, hi = 0, len(knots) - 1
        while hi - lo > 1:
            mid = (lo + hi) // 2
            if knots[mid] <= q:
                lo = mid
            else:
                hi = mid
        w = (q - knots[lo]) / (knots[hi] - knots[lo])
        total += (1 - w) * vals[lo] + w * vals[hi]
    return total


@program(args=(X4, np.array([2, 0, 1, 3])))
def permuted_by_array(x, order):
    rows = [x[0], x[1] ** 2, x[2] ** 3, x[3]]
    s = 0.0
    for i, k in enumerate(order):
        s += (i + 1) * rows[k]
    return s


@program(args=(X4,))
def histogram_counts(x):
    counts = [0.0] * 3
    for v in x:
        counts[int(v * 2)] += v * v
    return sum((k + 1) * c * c for k, c in enumerate(counts))


@program(args=(X4,))
def histogram_dict(x):
    mass = {0: 0.0, 1: 0.0, 2: 0.0}
    for v in x:
        mass[int(v * 2)] += v * v
    return sum((k + 1) * c * c for k, c in mass.items())


@program(args=(POINTS,))
def kmeans_lists(points):
    centres = [points[0], points[1]]
    for _ in range(1):
        sums = [np.zeros(2) for _ in centres]
        counts = [0, 0]
        for p in points:
            d = [np.sum((p - c) ** 2) for c in centres]
            k = int(np.argmin(d))
            sums[k] = sums[k] + p
            counts[k] += 1
        centres = [s / max(n, 1) for s, n in zip(sums, counts)]
    return sum(c @ c for c in centres)


@program(args=(POINTS,))
def kmeans_in_place(points):
    centres = [points[0], points[1]]
    for _ in range(1):
        sums = [np.zeros(2) for _ in centres]
        counts = [0, 0]
        for p in points:
            k = int(np.argmin([np.sum((p - c) ** 2) for c in centres]))
            sums[k] += p
            counts[k] += 1
        centres = [s / max(n, 1) for s, n in zip(sums, counts)]
    return sum(c @ c for c in centres)


@program(args=(LOW,), also=((HIGH,),))
def selected_then_written_by_its_list(x):
    rows = [x * 1, x * 2, x * 3]
    v = rows[int(x[0] * 3)]
    rows[1][0] = 5 * x[1]
    return v @ x


@program(args=(LOW,), also=((HIGH,),))
def written_after_it_was_selected(x):
    rows = [x * 1, x * 2, x * 3]
    v = rows[int(x[0] * 3)]
    v[0] = 5 * x[1]
    return sum(r @ x for r in rows)


@program(args=(LOW,), also=((HIGH,),))
def put_in_place_then_written(x):
    rows = [x * 1, x * 2, x * 3]
    a = x**2
    rows[int(x[0] * 3)] = a
    a[1] = 7 * x[2]
    return sum(r @ x for r in rows)


@program(args=(LOW,), also=((HIGH,),))
def one_array_thrice(x):
    rows = [x * 1] * 3
    rows[int(x[0] * 3)] += x
    return sum(r @ x for r in rows)


@program(args=(LOW,), also=((HIGH,),))
def a_part_of_what_is_selected(x):
    rows = [x * 1, x * 2, x * 3]
    k, last = int(x[0] * 3), rows[2]
    rows[k][1:] *= x[0]
    rows[k] -= last
    return sum(r @ x for r in rows) + last @ last


@program(args=(LOW,), also=((HIGH,),))
def appended_to_what_is_selected(x):
    rows = [[x[0]], [x[1], x[2]]]
    rows[int(x[0] * 3)].append(x[0] * x[1])
    return sum(sum(r) * (i + 1) for i, r in enumerate(rows))


@program(args=(LOW,), also=((HIGH,),))
def items_of_what_is_selected(x):
    rows = [[x[0], 1.0], [x[1], x[2]]]
    k = int(x[0] * 3)
    rows[k][0] += x[0] * x[1]
    r = rows[k]
    r[1] = x[2] ** 2
    return sum(sum(r) * (i + 1) for i, r in enumerate(rows))


@program(args=(LOW,), also=((HIGH,),))
def one_of_many(x):
    rows = [x * (i + 1) for i in range(10)]
    return rows[int(x[0] * 3)] @ (rows[3] * x)


@program(args=(LOW,), also=((HIGH,),))
def array_of_a_dict(x):
    rows = {0: x * 1, 1: x * 2}
    k = int(x[0] * 3)
    rows[k] += x
    v = rows[k]
    v *= 2
    return rows[0] @ x + rows[1] @ x


@program(args=(LOW,), also=((HIGH,),))
def selected_turn_by_turn(x):
    rows = [x * 1, x * 2, x * 3]
    k = int(x[0] * 3)
    for i in range(3):
        if rows[k][0] > 1:
            k = k - 1
        rows[k][i] += x[1]
    return sum((i + 1) * (r @ x) for i, r in enumerate(rows))


@program(args=(LOW,), also=((HIGH,),))
def moved_in_a_list(x):
    rows = [x[0], x[1] * 2, x[2] * 3, x[0] * x[1]]
    k = int(x[0] * 3)
    v = rows.pop(k)
    rows.insert(k - 1, v * v)
    del rows[k]
    return sum((i + 1) * r for i, r in enumerate(rows))


@program(args=(LOW,), also=((HIGH,),))
def a_number_repeated(x):
    n = int(x[0] * 3) + 1
    rows = [x[1]] * n
    rows[0] = x[0] * x[2]
    return sum(rows) ** 2 + len([0.0] * n) * x[2]


@program(args=(np.array([0.5, -1.0, 0.7]), 0.8), also=[(np.array([-0.5, -0.2]), 0.8)], wrt=(0, 1))
def the_first_of_items_that_are_unlike(x, a):
    n, total = int(np.sum(x > 0)), a
    few = [a, x, 2.0][:n]
    for k, item in enumerate(few):
        total = total * 1.1 + k * np.sum(item) * a
    others = [a, x, 2.0][1 : n - 2]
    for item in reversed(others):
        total = total + np.sum(item) * total
    return total * (1 + len(few)) + len(others)
