"""Lists of a length that is known at run time only, taken apart.

Unpacked with a star, starred into a call, gone over by columns, replaced and deleted in part.
"""

import numpy as np

from tests.programs.registry import program

X = np.array([0.55, 1.3, 0.7])
X4 = np.array([0.9, 1.3, 0.4, 0.8])


@program(args=(X,))
def last_two(x):
    xs = [x[1], x[2]]
    while abs(xs[-1] - xs[-2]) > 1e-2 and len(xs) < 20:
        *_, a, b = xs
        xs.append(0.5 * (a + b))
    return xs[-1] * x[0]


@program(args=(X,))
def first_and_rest(x):
    rows = []
    while len(rows) < x[0] * 5:
        rows.append(x * len(rows) + 1.0)
    first, *rest = rows
    total = np.zeros(3)
    for r in rest:
        total += r * first
    return total @ x


@program(args=(X,))
def head_middle_tail(x):
    rows = []
    while len(rows) < x[0] * 5:
        rows.append(x[1] ** (1 + len(rows)))
    a, b, *middle, z = rows
    return a * z + sum(middle) * b


@program(args=(X,))
def star_call_user(x):
    def combine(first, *others, scale=2.0):
        out = first
        for o in others:
            out = out + scale * o
        return out

    rows = []
    while len(rows) < x[0] * 5:
        rows.append(x[1] ** (1 + len(rows)))
    return combine(*rows) + combine(x[2], *rows) + combine(*rows, x[2], scale=x[0])


@program(args=(X,))
def stack_star(x):
    rows = []
    while len(rows) < x[0] * 5:
        rows.append(x ** (1 + len(rows)))
    return np.sum(np.stack([*rows]) * np.vstack([x, *rows])[1:])


@program(args=(X,))
def slice_replace(x):
    rows = []
    while len(rows) < x[0] * 5:
        rows.append(x[1] ** (1 + len(rows)))
    rows[1:2] = [x[0], x[2]]
    rows[:1] = []
    rows[len(rows) :] = [3.0 * x[0]]
    return sum(k * r for k, r in enumerate(rows))


@program(args=(X,))
def delete_slice(x):
    rows = []
    while len(rows) < x[0] * 9:
        rows.append(x[1] ** (1 + len(rows)))
    del rows[1:3]
    return sum(k * r for k, r in enumerate(rows, 1))


@program(args=(X,))
def prune_front(x):
    best = []
    for k in range(int(x[0] * 10)):
        best.append(x[k % 3] * (k + 1))
        if len(best) > 3:
            best[:] = best[1:]
    return sum(b * b for b in best)


@program(args=(np.array([0.55, 1.3, 0.7]),))
def trajectory_zip_star(x):
    t, y = 0.0, x[1]
    history = [(t, y)]
    while t < x[0] * 2:
        y = y - 0.1 * y * x[2]
        t = t + 0.25
        history.append((t, y))
    ts, ys = zip(*history)
    return np.sum(np.array(ts) * np.array(ys))


@program(args=(X4,))
def columns_by_map(x):
    rows = []
    y = x[0]
    while y < 2:
        rows.append((y, y * x[1], x * y))
        y = y * 1.4
    a, b, c = map(np.array, zip(*rows))
    return a @ b + c.sum()


@program(args=(X4,))
def columns_by_comprehension(x):
    rows = []
    y = x[0]
    while y < 2:
        rows.append([y, y * x[1]])
        y = y * 1.4
    a, b = [np.array(col) for col in zip(*rows)]
    cols = list(zip(*rows))
    return a @ b + sum(cols[0])


@program(args=(X4,))
def transposed_arrays(x):
    rows = []
    y = x[0]
    while y < 2:
        rows.append(np.array([y, y * x[1]]))
        y = y * 1.4
    a, b = zip(*rows)
    return sum(u * v for u, v in zip(a, b)) + a[0]


@program(args=(X4,))
def star_recursive(x):
    def total(*v):
        if len(v) == 0:
            return 0.0
        head, *tail = v
        return head + 0.5 * total(*tail)

    return total(*x) + total(x[0], x[1] * x[2])


@program(args=(X,))
def extremes_of_stars(x):
    rows = []
    while len(rows) < x[0] * 5:
        rows.append(x[1] ** (1 + len(rows)))
    return max(*rows) * min(*rows, x[0]) + max(x[2], *rows)


@program(args=(X,))
def stars_for_all_parameters(x):
    def product(a, b, c=2.0, *, scale):
        return a * b * c * scale

    rows = []
    while len(rows) < x[0] * 3:
        rows.append(x[1] ** (1 + len(rows)))
    return product(*rows, c=x[2], scale=x[0]) + np.hypot(*rows)


@program(args=(X,))
def bounds_out_of_order(x):
    rows = []
    while len(rows) < x[0] * 9:
        rows.append(x[len(rows) % 3] * (1 + len(rows)))
    k = int(x[1] * 3)
    rows[k:1] = [x[1], x[2]]
    rows[-9:-1] = rows[-3:]
    del rows[-2:-1]
    return sum(i * t for i, t in enumerate(rows, 1))
