"""Conditions on data: early returns, joins of different kinds, branches inside loops."""

import numpy as np

from tests.programs.registry import program

V = np.array([0.9, -0.4, 1.6, -1.2, 0.3])


@program(args=(0.5,), also=[(-0.7,), (2.4,)])
def huber(r):
    delta = 1.0
    if abs(r) <= delta:
        return 0.5 * r**2
    return delta * (abs(r) - 0.5 * delta)


@program(args=(1.5, 0.4), also=[(0.2, 0.9), (-0.7, 0.4)], wrt=(0, 1))
def early_returns(x, y):
    if x < 0:
        return x * y
    z = x - y
    if z > 0:
        w = np.log(1 + z)
        return w * x
    elif y > 5:
        return 0.0 * x
    return z**3


@program(args=(V, 0.2), also=[(V, -0.2)], wrt=(0, 1))
def branch_chooses_array_or_scalar(x, t):
    if t > 0:
        w = x * t
    else:
        w = t * t
    return np.sum(w * x)


@program(args=(V, True), also=[(V, False)])
def static_flag(x, normalise):
    if normalise:
        x = x / np.sqrt(np.sum(x**2))
    y = np.sin(x)
    return y @ np.arange(5.0) if normalise else np.max(y * y)


@program(args=(V, "l2"), also=[(V, "l1"), (V, "smooth")])
def penalty(x, kind="l2"):
    if kind == "l1":
        return np.sum(np.abs(x))
    elif kind in ("l2", "ridge"):
        return 0.5 * np.dot(x, x)
    else:
        return np.sum(np.sqrt(x**2 + 0.01))


@program(args=(0.8, None), also=[(0.8, 2.5)])
def optional_argument(x, scale=None):
    if scale is None:
        scale = 1.0
        offset = None
    else:
        offset = x
    y = x * scale
    if offset is not None:
        y += offset**2
    return y * y


@program(args=(V,))
def sign_dependent_updates(x):
    s = 1.0
    for v in x:
        if v > 0:
            s = s * (1 + v)
        elif v < -1:
            s = s + v * v
        else:
            s = s - v
    return s


@program(args=(V,))
def variable_defined_in_one_branch(x):
    total = 0.0
    for i, v in enumerate(x):
        if i == 0:
            first = v * v
            continue
        if v > 0:
            gain = v * first
            total += gain
        else:
            loss = v - first
            total += loss**2
    return total


@program(args=(1.1,), also=[(-0.6,)])
def branch_on_array_any(x):
    v = np.array([x, x**2, -x])
    if np.any(v > 1.0) and np.all(v < 5):
        v = v * 2
    if (v < 0).any():
        v = np.where(v < 0, v * 0.01, v)
    return v.sum() + v[1]


@program(args=(V, 1), also=[(V, 0), (V, 7)])
def dispatch_on_int(x, mode):
    if mode == 0:
        f = np.sin
    elif mode == 1:
        f = np.tanh
    else:

        def f(t):
            return t * t

    return np.mean(f(x) * x)


@program(args=(np.array([[2.0, 0.3], [0.3, 1.0]]),), also=[(np.array([[0.1, 0.8], [0.7, 0.2]]),)])
def determinant_sign(a):
    d = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
    if d > 0:
        inv = np.array([[a[1, 1], -a[0, 1]], [-a[1, 0], a[0, 0]]]) / d
        return np.sum(inv**2)
    else:
        return d**2 + a[0, 0]


@program(args=(0.3, 1.4), also=[(1.4, 0.3)], wrt=(0, 1))
def ordered_pair(a, b):
    if a > b:
        a, b = b, a
    lo, hi = a, b
    width = hi - lo
    return width**2 * hi + lo


@program(args=(V,), also=[(-V,)])
def branch_writes_into_array(x):
    y = np.zeros(5)
    if x[0] > 0:
        y[0] = x[1]
        y[1:3] = x[2:4] ** 2
    else:
        y[::2] = np.exp(x[::2])
        y[3] += x[3]
    y[4] += x[0] * x[4]
    return np.dot(y, y)


@program(args=(2.2,), also=[(0.4,)])
def returns_from_nested_loops(x):
    s = 0.0
    for i in range(4):
        for j in range(4):
            s += x * np.cos(i + j * x) ** 2
            if s > 4.0:
                return s * x
    return s - x**2


@program(args=(0.35,), also=[(0.75,), (1.3,)])
def smoothstep(x):
    t = min(max(x, 0.0), 1.0)
    y = t * t * (3 - 2 * t)
    if x >= 1.0:
        y = y * x
    return y + 0.5 * x


@program(args=(V,), also=[(np.abs(V),)])
def branch_in_helper(x):
    def leaky(v):
        if v > 0:
            return v
        return 0.1 * v * v

    out = 0.0
    for v in x:
        out = out + leaky(v) * leaky(v + 0.1)
    return out


@program(args=(1.7, 0.9), also=[(1.7, -0.9)], wrt=(0, 1))
def conditions_in_chain(x, y):
    flag = x > 1
    other = y > 0
    if flag and other:
        z = x**y
    elif flag != other:
        z = x - y**2
    else:
        z = 1.0
    ok = not flag or z > 100
    return z * 2 if not ok else z


@program(args=(V,))
def where_guard_for_log(x):
    safe = np.where(x > 0, x, 1.0)
    return np.sum(np.where(x > 0, np.log(safe), x**2))


@program(args=(np.array([4.0, 0.0, 2.25, -1.0]),), step=0.01)
def safe_where_sqrt(x):
    """Gradient 0 where not selected, though sqrt has none there."""
    with np.errstate(invalid="ignore"):
        r = np.where(x > 0.5, np.sqrt(x), 0.0)
    return np.sum(r * r * r)


@program(args=(V.reshape(5, 1), 1.0), also=[(V[:4].reshape(4, 1), -1.0)], wrt=(0, 1))
def rows_of_part_of_what_a_branch_chose(x, y):
    rows = x**2 if y > 0 else x * y
    part = rows[::2]
    return sum([part[k] * part[k - 1] for k in range(len(part))])[0]


@program(args=(np.array([0.4, 0.5, 0.2]),), also=[(np.array([1.4, 1.5, 1.9]),)])
def norm_squared_on_one_path(x):
    if np.mean(x) >= 1.3:
        return pow(np.linalg.norm(0.3 + x), 2)
    return np.sum(x)


@program(args=(np.array([[0.1, 0.2, 0.8], [1.3, 1.2, 0.5]]),), also=[(np.ones((2, 2)) * 0.2,)])
def spread_of_rows_in_a_branch_in_a_branch(x):
    if np.mean(x) >= 1.3:
        total = x
    else:
        rows = x * x
        if np.mean(x) > 0.3:
            for k in range(2):
                sums = np.sum(rows, axis=1)
            rows[0] = np.var([t for t in sums]) * k
        total = rows
    return np.sum(total**2)
