"""Arrays of one name, of one list or of one function that differ in length from time to time.

What is equal in name is not equal in length: a row of one element broadcasts against a longer one.
"""

import numpy as np

from tests.programs.registry import program

X = np.array([1.1, 0.9, 1.6, 1.2, 0.5, 1.4])
EACH = {"args": (X, 1), "also": ((X, 2), (X, 3))}


@program(args=(X, 1.0, 1.0), also=((X, 0.0, 0.0), (X, 1.0, 0.0), (X, 0.0, 1.0)))
def branch_by_branch(x, p, q):
    if p > 0:
        v = x[:3]
    else:
        v = x[:1]
    before = v
    if q > 0:
        v = x[:1]
    else:
        v = x[:3]
    return np.sum(before * v * v)


@program(args=(X, 2, 3), also=((X, 3, 2), (X, 1, 1)))
def loop_in_loop(x, n, m):
    v = x[:1]
    t = 0.0
    for i in range(n):
        v = x[: i + 1]
        before = v
        for j in range(m):
            t = t + np.sum(before * v * v) if len(before) == 1 or len(v) == 1 else t
            v = x[: 1 + i * j]
    return t


@program(args=(X, 1, 2), also=((X, 1, 1), (X, 2, 1)))
def loop_after_loop(x, n, m):
    v = x[:1]
    for i in range(n):
        v = x[: 2 * i + 1]
    before = v
    for j in range(m):
        v = x[: 1 + 2 * j]
    return np.sum(before * v * v)


@program(**EACH)
def turn_after_turn(x, n):
    t = x[0]
    for j in range(1, n + 1):
        new = x[:j]
        if j == 1:
            first = new
        else:
            t += np.sum(first * new**2)
    return t


@program(**EACH)
def items_of_a_list(x, n):
    parts = []
    for j in range(1, n + 1):
        parts.append(x[:j])
    t = np.sum(parts[0] * parts[-1] ** 2)
    for a, b in zip(parts, parts[:1]):
        t += np.sum(a * b * b)
    for a in parts:
        for b in parts[:1]:
            t += 3 * np.sum(a * b * b)
    last = parts.pop()
    return t + np.sum(last * last[:1] ** 2)


@program(**EACH)
def items_counted_by_masks(x, n):
    above = []
    k = 0
    while k < n:
        k += 1
        above.append(x[x > np.sort(x)[-1 - k]])
    return np.sum(above[0] * above[-1] ** 2)


@program(**EACH)
def first_turn_known(x, n):
    rows = []
    k = 0
    while k < n:
        k += 1
        rows.append(x[:k] * k)
    kept = [row for row in rows if len(row) in (1, n)]
    return np.sum(sum(kept) ** 2) + np.sum(sum([rows[0], rows[-1]]) ** 2)


@program(**EACH)
def lists_of_other_lengths_joined(x, n):
    long, short = [], []
    k = 0
    while k < n:
        k += 1
        long.append(x[:3] * k)
        short.append(x[:1] * k)
    both = long + short
    t = np.sum(both[0] * both[-1] ** 2)
    for row in both:
        t = t + np.sum(row * x[:3] * row)
    return t


@program(**EACH)
def set_and_inserted(x, n):
    rows = [np.zeros(3), np.zeros(3)]
    k = 0
    while k < n:
        rows[k % 2] = x[:3]
        rows[1 - k % 2] = x[:1]
        rows.insert(0, x[:3])
        rows.insert(k, x[:1])
        k += 1
    return np.sum(rows[0] ** 3) + np.sum(rows[1] ** 2 * rows[-1])


def _grown(x, v):
    if np.sum(v**2) < 3.0:
        return _grown(x, np.concatenate([v, x[:1]]))
    return v


@program(args=(X, 9.0), also=((X, 1.0), (X[1:], 9.0)))
def results_of_a_recursion(x, c):
    a = _grown(x, x[:1])
    b = _grown(x, x[:1] * c)
    return np.sum(a * b * b) if len(b) == 1 else np.sum(a) * np.sum(b)


@program(args=(X, 0), also=((X, 1), (X, 2), (X, 3)))
def grows_by_itself(x, n):
    v = np.mean(x)
    for _ in range(n):
        v = np.concatenate([np.atleast_1d(v), x[:2] * np.sum(v)])
    return np.sum(np.cos(v) ** 3)
