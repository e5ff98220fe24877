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


# Lengths that are 0 where a difference is negative


@program(args=(X[:2], 2), also=((X[:3], 3), (X, 1)))
def lengthened_what_was_cut_off(x, n):
    y = np.concatenate([x[3:] * 2, np.ones(3)])
    t = 0.0
    for i in range(len(y)):
        t = t + y[i] * x[i % 2]
    z = np.concatenate([x[:n][2:], x[:2]])
    return t + np.sum(z * x[:n][:1])


@program(**EACH)
def parts_put_together(x, n):
    t = 0.0
    for k in range(n):
        head, rest = x[:k], x[k:]
        t = t + np.sum(np.concatenate([head, rest]) * x)
        most = np.concatenate([head, x[:1]])
        if len(most) == 1:
            t = t + np.sum(most * rest**2)
        moved = np.concatenate([x[:1], head[1:]])
        if len(moved) == 1:
            t = t + np.sum(moved * most)
    return t


@program(args=(X[:2], 2), also=((X[:3], 1), (X, 1), (X, 5)))
def bounds_below_zero(x, n):
    v = x[:n]
    a, b = x[: len(x) - 3], x[3:]
    c, d = v[: len(v) - 3], v[3:]
    e, f = v[len(v) - 3 :], v[-3:]
    t = np.sum(a) + np.sum(a * b[:1]) * 3 + np.sum(c**2) * 2 + np.sum(d)
    return t + np.sum(e) * np.sum(f**2) + np.sum(c * d) + np.sum(a * b)


@program(**EACH)
def backwards_from_the_end(x, n):
    v = x[:n]
    a, b = x[len(x) :: -1], v[len(v) :: -1]
    c, d = v[len(v) - 2 :: -1], v[len(v) - 1 :: -1]
    return np.sum(a * x) + np.sum(b * v) + np.sum(c) * np.sum(d * v)


@program(**EACH)
def twice_as_many_as_none(x, n):
    y = np.repeat(x[x > 0.7 * n], 2)[:2]
    t = np.sum(x) * (1 + len(y))
    for v in y:
        t = t + v**2
    a = np.outer(x[2:], x[: n - 1]).reshape(-1)[:2]
    b = np.tile(x[: n - 1], 2)
    return t + np.sum(a) * len(a) + np.sum(b[:2]) * len(b[:2]) + np.sum(b * b[:1])


@program(**EACH)
def nothing_left(x, n):
    t = np.sum(x**2)
    for k in range(n):
        e, f = x[6 - k * 3 :], x[k:k]
        t = t + np.sum(e * x[:1]) + np.sum(f * x[:1])
        t = t + np.sum(np.concatenate([e, x[:k]]) * x[:1] ** 2)
    return t


# What a loop carries


@program(**EACH)
def exchanged(x, n):
    a, b = x[:1], x[:3]
    t = 0.0
    for _ in range(n):
        a, b = b, a * 1.5
        t = t + np.sum(a * b**2)
    return t + np.sum(a**2 * b)


@program(**EACH)
def items_of_a_tuple(x, n):
    pair = (x[:1], x[:3])
    t = 0.0
    k = 0
    while k < n:
        k += 1
        t = t + np.sum(pair[0] * pair[1] ** 2)
        pair = (pair[1] * 0.5, pair[0])
    return t + np.sum(pair[0] ** 2 * pair[1])


@program(**EACH)
def items_of_a_dict(x, n):
    d = {"a": x[:1], "b": x[:3]}
    t = 0.0
    for _ in range(n):
        t = t + np.sum(d["a"] * d["b"] ** 2)
        d["a"], d["b"] = d["b"], d["a"] * 1.5
    return t + np.sum(d["a"])


@program(**EACH)
def bound_in_the_turn_before(x, n):
    t = x[0]
    i = 0
    while i < n:
        new = x[: 1 + 2 * i]
        if i == 1:
            t = t + np.sum(before * new**2)  # noqa: F821
        before = new
        i += 1
    return t + np.sum(before)


@program(**EACH)
def behind_the_loop_and_in_a_turn(x, n):
    v = x[:1]
    for i in range(n):
        v = np.append(v, x[i])
        if i == 0:
            first = v[:1]
    w = v
    s = 0.0
    for j in range(n + 1):
        if j == n:
            s = s + np.sum(first * w[:j] ** 2)
        w = w[1:] if len(w) > 2 else np.append(w, x[0])
    return s + np.sum(w)


@program(**EACH)
def shrinks(x, n):
    t = 0.0
    v = x[:n]
    while len(v) > 0:
        w = v[1:]
        t = t + np.sum(v[:1] * v)
        if len(w) == 1:
            t = t + np.sum(w * v**2)
        v = w
    return t


# Lists and recursion


@program(**EACH)
def lists_made_arrays(x, n):
    a, b = [], []
    k = 0
    while k < n:
        k += 1
        a.append(x[:1] * k)
        a.append(x[:1])
        b.append(x[:n])
        b.append(x[:n] * k)
    joined = np.concatenate(a) * np.concatenate(b)[: 2 * n]
    return np.sum(np.array(a) * np.array(b) ** 2) + np.sum(joined)


@program(**EACH)
def lists_in_a_list(x, n):
    t = 0.0
    table = []
    for k in range(n):
        rows = []
        for j in range(k + 1):
            rows.append(x[: j + 1] * (k + 1))
        table.append(rows)
        t = t + np.sum(table[0][0] * rows[-1] ** 2)
    for rows in table:
        for other in table:
            t = t + np.sum(rows[0] * other[-1] ** 2)
    return t + np.sum(np.concatenate(table[-1]) * table[0][0])


def _exchanged(a, b, n):
    if n == 0:
        return a, b
    c, d = _exchanged(a, b[:n], n - 1)
    return d * 0.5, c


def _doubled(v, n):
    return v if n == 0 else _doubled(np.append(v, v[:1]), n - 1)


def _summed(v, n):
    if n == 0:
        return np.sum(v)
    w = _doubled(v[:1], n)
    if len(v) == 1 or len(w) == 1:
        return _summed(w, n - 1) + np.sum(v * w**2)
    return _summed(w, n - 1)


@program(**EACH)
def arguments_of_recursions(x, n):
    c, d = _exchanged(x[:1], x[:3], n)
    t = np.sum(c * d**2) if len(c) == 1 or len(d) == 1 else np.sum(c) * np.sum(d)
    return t + _summed(x[:n], n)


@program(**EACH)
def items_cut_where_they_are(x, n):
    rows = [x]
    k = 0
    while k < n:
        rows.append(x[k : k + 2] * x[0])
        k += 1
    for i in range(2):
        rows[k] = rows[k][: 2 - i] ** 2
        rows[0] = rows[0][1:]
    return np.sum(rows[0] * rows[k]) + sum(np.sum(row**2) for row in rows)


@program(**EACH)
def the_best_of_a_list(x, n):
    rows = [np.sort(x[k:])[:n] for k in range(n)]
    best = rows[0]
    for row in rows:
        if np.sum(row) > np.sum(best):
            best = row
    rows[0] = x[:1]
    return np.sum(best * rows[0] ** 2) + np.sum(rows[-1] ** 2 * rows[0])


# What is equal in one turn, or in one call, and not in the next


@program(**EACH)
def first_and_previous(x, n):
    t = x[0]
    for j in range(1, n + 1):
        if j > 1:
            t += np.sum(first * before**2)  # noqa: F821
        new = x[:j]
        if j == 1:
            first = new
        before = new
    return t + np.sum(first * before)


@program(args=(X, 3, 1), also=((X, 3, 2), (X, 3, 4), (X, 1, 3)))
def handed_on_twice(x, k, n):
    a, b, c = x[:k], x[:k], x[:k]
    t = 0.0
    for _ in range(n):
        t += np.sum(a * c**2)
        a, b = b, x[:1]
    return t + np.sum(a * c**2)


@program(args=(X, 3, 1), also=((X, 3, 2), (X, 3, 4), (X, 1, 3)))
def argument_of_a_recursion_that_differs(x, k, n):
    c = x[:k]

    def summed(v, w, m):
        if m <= 0:
            return np.sum(v * c**2)
        return summed(w, x[:1], m - 1) * 0.5 + np.sum(v * c**2)

    return summed(x[:k], x[:k], n)


@program(args=(X, 3, 1), also=((X, 3, 2), (X, 3, 4), (X, 1, 3)))
def square_then_not(x, k, n):
    a = np.outer(x[:k], x[:k])
    b, c = a, np.outer(x[:k], x[:1])
    t = 0.0
    for _ in range(n):
        t += np.sum(a * a.T) if a.shape[0] == a.shape[1] else np.sum(a * x[:1])
        t += np.sum(b * c)
        a, b, c = b, c, c * 0.5
    return t + np.sum(a)


# Derivatives inside programs, and what is not followed


def _cubes(v, w):
    return np.sum(v * w**2) + np.sum(v**3)


def _cubes_by_v(v, w):
    squares = np.zeros(max(len(v), len(w))) + w**2
    return (squares if len(v) > 1 else np.array([np.sum(squares)])) + 3 * v**2


def _with_closed_forms(x, n):
    def plain(x, n):
        t = 0.0
        for k in range(1, n + 1):
            g, h = _cubes_by_v(x[:k], x[:1]), _cubes_by_v(x[:1], x[:k])
            t = t + np.sum(g * h) + np.sum(g**2 * x[:1])
        return t

    return plain


@program(**EACH, equivalent=_with_closed_forms, needs_symdiff=True)
def gradients_in_a_loop(x, n):
    import symdiff

    t = 0.0
    for k in range(1, n + 1):
        g = symdiff.grad(_cubes)(x[:k], x[:1])
        h = symdiff.grad(_cubes)(x[:1], x[:k])
        t = t + np.sum(g * h) + np.sum(g**2 * x[:1])
    return t


def _pulled_back(x, n):
    def plain(x, n):
        t = 0.0
        for k in range(1, n + 1):
            y = x[:k] * x[:1]
            a, b = 2 * y * x[:1], np.array([np.sum(2 * y * x[:k])])
            t = t + np.sum(a * b) + np.sum(a * x[:1])
        return t

    return plain


@program(**EACH, equivalent=_pulled_back, needs_symdiff=True)
def pullbacks_in_a_loop(x, n):
    import symdiff

    t = 0.0
    for k in range(1, n + 1):
        y, pullback = symdiff.vjp(lambda v, w: v * w, x[:k], x[:1])
        a, b = pullback(y * 2.0)
        t = t + np.sum(a * b) + np.sum(a * x[:1])
    return t


@program(args=(X, 3), also=((X, 1), (X, 2)), needs_symdiff=True)
def said_to_have_a_length(x, n):
    import symdiff

    count = symdiff.nondifferentiable(_counted, returns="float64[n]")
    one, other = count(1), count(n)
    return np.sum(one * x[:n] * (other * x[:1]) ** 2) + np.sum((x[:1] + 0 * one) * x)


def _counted(n):
    return np.arange(1.0, n + 1)


@program(**EACH)
def loops_in_loops(x, n):
    t = 0.0
    v = x[:1]
    for i in range(n):
        rows = []
        w = v
        for j in range(i + 1):
            w = np.append(w, x[j] * v[:1])
            rows.append(w * v[:1])
            if j == 1:
                v = w[:1]
        for row in rows:
            for k in range(len(row)):
                t = t + row[k] * v[0] + np.sum(row[:k] * row[:1]) * 0.1
            t = t + np.sum(rows[0][:1] * row**2)
        v = w[i:]
    return t + np.sum(v)


@program(**EACH)
def read_by_other_loops(x, n):
    norms = [np.sum(x[: k + 1] ** 2) for k in range(n)]
    parts = [x[: k + 1] / norms[k] for k in range(n)]
    t = 0.0
    for k in range(n):
        t = t + np.sum(parts[k] * parts[0][:1] ** 2) * norms[n - 1 - k]
    for p, q in zip(parts, parts[::-1]):
        t = t + (np.sum(p * q * q) if len(p) == 1 or len(q) == 1 else np.sum(np.outer(p, q)))
    for i, p in enumerate(parts):
        for q in parts[i:]:
            t = t + np.sum(p[:1] * q) * np.sum(q[i:] * p[i])
    return t


@program(**EACH)
def starred_in_a_list(x, n):
    rows = []
    k = 0
    while k < n:
        k += 1
        rows.append(x[:k])
    both = [x[:1], *rows, x[:2], *rows, *(x[3:], x[4:])]
    return np.sum(np.concatenate(both) ** 2) + np.sum(both[0] * both[n] ** 2) * len(both)


SQUEEZED = {"args": (X, 1.05, 0.8), "also": ((X, 1.5, 0.8), (X, 2.0, 0.8)), "wrt": (0, 2)}


@program(**SQUEEZED)
def squeezed_where_one_is_left(x, most, a):
    kept = x[x > most]
    rows = [v * a for v in kept]
    t = np.squeeze(np.array([rows]))
    total = np.sum(np.squeeze(rows) ** 2) * a + np.sum(t * t) * (t.ndim + 2)
    for k in range(3):
        part = x[x > most + k / 4]
        view = part.squeeze()
        view *= 2.0
        total = total + np.sum(part) * np.sum(view * view) * total
        view = view[None] * a
        total = total + np.sum(view) * view.ndim
    pairs = np.outer(kept, x[x <= most]).squeeze(axis=None)
    return total + np.sum(pairs.T @ pairs) * a + np.sum(x) * a


@program(**SQUEEZED)
def squeezed_lists_of_rows(x, most, a):
    rows, column = [], [v for v in x[:, None]]
    pair = np.squeeze([column, column])
    while np.sum(x * x) > most:
        rows.append(x[None] * a)
        x = 0.5 * x
    stacked = np.squeeze(rows)
    return np.sum(stacked * stacked) * a + np.sum(pair * pair[0]) * (stacked.ndim + pair.ndim)
