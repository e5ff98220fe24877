"""Writes through views, through two names, into arguments of the caller's callee."""

import numpy as np

from tests.programs.registry import program

rng = np.random.default_rng(5)
X = rng.uniform(0.3, 1.4, 6)
M = rng.uniform(0.2, 1.2, (3, 4))


@program(args=(X,))
def two_names_one_array(x):
    a = x.copy()
    b = a
    b[0] = x[1] * x[2]
    a[1] += b[0]
    b *= 2
    a = a * a
    b[3] = 5.0 * x[3]
    return a.sum() + b.prod()


@program(args=(M,))
def row_views(m):
    a = m.copy()
    r = a[1]
    r[2] = r[0] * r[1]
    r += a[0]
    c = a[:, 0]
    c[:] = c**2
    c[1:] *= r[1:3]
    d = a[1:, 1:][:, ::-1]
    d[0, 0] = a[0, 0]
    return np.sum(a**2) + r @ a[2]


@program(args=(M,))
def transpose_and_reshape_views(m):
    a = m * 1.0
    t = a.T
    t[0] = t[1] * t[2]
    f = a.reshape(-1)
    f[5] = f[0] ** 2
    g = a.ravel()
    g[::5] += 1.0
    h = a.reshape(2, 6).T
    h[3] *= 2.0
    k = a.transpose(1, 0)[1:3]
    k -= 0.1 * f[7]
    return np.sum(a * m) + t[3, 2] * f[-1]


@program(args=(M,))
def rows_of_an_iteration(m):
    a = m.copy()
    for row in a:
        row *= row[0]
        row[1] = 0.5
    for i, row in enumerate(a):
        row[3] += i * row[2]
    for u, v in zip(a, a[::-1]):
        u[2] += v[3]
    return np.sum(a**2)


def _axpy(y, alpha, x):
    y += alpha * x


def _normalise(v):
    v /= np.sqrt(v @ v)
    v[0] = 1.0
    return v


def _rebind(v):
    v = v * 100.0
    v[0] = 7.0


@program(args=(X, 0.4), wrt=(0, 1))
def callee_changes_its_argument(x, c):
    y = np.ones(6)
    _axpy(y, c, x)
    _axpy(y[2:5], 2.0, x[:3])
    z = _normalise(y)
    z[1] += c
    _rebind(y)
    return y @ x + z[1] * y[1]


@program(args=(M, rng.uniform(-1, 1, (3, 4))), wrt=(0, 1))
def callee_in_a_loop(a, b):
    def smooth(row, other):
        row[1:-1] = 0.5 * (row[:-2] + row[2:]) * other[0]
        other *= 0.9

    w = a.copy()
    u = b.copy()
    for i in range(3):
        smooth(w[i], u[i - 1])
    smooth(w[:, 0], u[0, 1:])
    return np.sum(w * u)


@program(args=(X,))
def ping_pong_buffers(x):
    u = x.copy()
    v = np.zeros_like(u)
    for _ in range(5):
        v[1:-1] = u[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
        v[0], v[-1] = u[0], u[-1] * 0.9
        u, v = v, u
    return u @ x + v[2]


@program(args=(X,))
def copies_do_not_alias(x):
    a = x.copy()
    b = a[:3].copy()
    c = np.array(a)
    d = a + 0
    e = a[[0, 1]]
    f = a[a > 0]
    a[:] = 0.5
    b[0] = 2.0 * x[5]
    e[0] = 9.0 * x[4]
    f[1] = x[0]
    c[2] *= 3
    return b.sum() * c @ x + d @ f + e.prod() + a[0]


@program(args=(M,))
def view_of_view_of_view(m):
    a = m.copy()
    v = a[1:]
    w = v[:, 1:]
    z = w.T[::-1]
    z[0, 0] = m[0, 0] ** 2
    w[1] *= z[1, 0]
    s = z[1][0:1]
    s += 3.0 * m[2, 2]
    return np.sum(a**2)


@program(args=(X,))
def overlapping_move(x):
    y = x.copy()
    y[1:] = y[:-1] * 2
    y[:-1] += y[1:]
    y[::-1] = y * x
    y[:3] = y[1:4][::-1]
    return y @ np.arange(6.0)


@program(args=(M,))
def diagonal_and_flat(m):
    a = np.zeros((4, 4))
    a[:3] = m
    i = np.arange(4)
    a[i, i] = a[i, i] ** 2 + 1
    a.flat[1] = m[2, 2]
    np.fill_diagonal(a[1:, 1:], m[0, 1:].copy())
    return np.sum(a @ a) + np.trace(a) + np.diag(a)[1] * a.diagonal()[2]


@program(args=(X,))
def arrays_in_structures_share(x):
    buf = np.zeros(3)
    box = {"a": buf, "b": [buf, buf[1:]]}
    box["a"][0] = x[0] * x[1]
    box["b"][1][1] = x[2] ** 2
    buf += x[3:]
    box["b"][0] *= 2.0
    return box["a"].prod() + buf[2]


@program(args=(X, True), also=[(X, False)])
def name_may_mean_either(x, flag):
    a = x[:3].copy()
    b = x[3:].copy()
    c = a if flag else b
    c[0] = x[1] * x[2]
    c *= 2.0
    return a @ b


@program(args=(X, 0.3), also=[(X, 1.9)], wrt=(0, 1))
def name_may_mean_either_by_data(x, t):
    a = x[:3] * 1.0
    b = x[3:] * 1.0
    if t > 1.0:
        target = a
    else:
        target = b
    target += t
    target[1] = x[0] ** 2
    return a @ b * t


@program(args=(X,))
def swapaxes_squeeze_expand(x):
    a = x.reshape(1, 2, 3).copy()
    s = a.squeeze(0)
    s[0] = s[1] ** 2
    t = np.swapaxes(a, 1, 2)
    t[0, 2, :] *= 0.5
    e = np.expand_dims(s, -1)
    e[1, 1, 0] = x[0]
    return np.sum(a * a) + t[0, 0, 1]


@program(args=(X, 0.3), also=[(X, 1.9)], wrt=(0, 1))
def one_of_two_arrays_both_read_again(x, t):
    a = x[:3] * 1.0
    b = np.sin(x[3:])
    target = a if t > 1.0 else b
    target[0] = t * x[1]
    a[1] *= b[0]
    return a @ b * t + np.sum(target**2)


@program(args=(X, 0.9), also=[(X, 0.1)], wrt=(0, 1))
def other_name_from_turn_to_turn(x, t):
    u = x * 1.0
    best = x**2
    for k in range(len(x)):
        u[k] = u[k] * u[k - 1] + t
        if u[k] > 1.0:
            best = u
        best = best * t if np.sum(best) > 4.0 else best
    return np.sum(np.sin(best)) + u @ x


@program(args=(X, 0.9), also=[(X, 0.2)], wrt=(0, 1))
def number_or_array_by_data(x, t):
    s = t * t
    k = 0
    while k < 4:
        k += 1
        if np.sum(s) > 2.0:
            s = np.sum(s) * 0.3
        else:
            s = s + x * t
    return np.sum(s * s) + min(np.where(t > 0.5, t, -t), np.mean(s), 2.0) ** 2


@program(args=(X,))
def second_name_on_one_path_of_a_loop(x):
    for k in range(4):
        u = x * (k + 1.0)
        if x[k] < 0.2:
            pass
        elif x[k] > 0.8:
            kept = u
            u *= x[0]
    return np.mean(u**3) + np.sum(kept**2)


@program(args=(np.array([0.9, -0.4, 1.6]),), also=[(np.array([-0.9, 0.4, 1.1]),)])
def row_found_in_a_loop_then_written(x):
    rows, k = np.outer(x, np.sin(x)), 0
    while k < 3:
        row = rows[np.argmax(rows[k])]
        k += 1
    rows[::-1] = rows.copy() * x[1]
    row += x
    return np.sum(row**3) + np.sum(rows[0] ** 2)


@program(args=(np.array([0.9, -0.4, 1.6]),), also=[(np.array([-0.9, 0.4, 1.1]),)])
def row_of_either_path_then_written(x):
    rows = np.outer(x, np.sin(x))
    first, last = int(np.argmax(x)), int(np.argmin(x))
    row = rows[first] if x[0] > 0.2 else rows[last]
    rows *= x
    row += x
    return np.sum(rows**2) + np.sum(row**3)


@program(args=(np.array([0.9, -0.4, 1.6]), 3), also=[(np.array([-0.9, 0.4, 1.1]), 2)])
def last_row_that_a_loop_left(x, n):
    rows = np.outer(x, np.sin(x))
    for i in range(n):
        if x[i] > 0.2:
            row = rows[i]
        rows[:, 0] += x[i]
    rows *= x
    row[0] = x[1]
    for last in rows[::-1]:
        last *= x[0]
    last -= row
    return np.sum(rows**2) + np.sum(row**3)


@program(args=(np.array([0.9, -0.4, 1.6]), 3), also=[(np.array([-0.9, 0.4, 1.1]), 2)])
def rows_of_this_turn_and_the_one_before(x, n):
    rows = np.outer(x, np.sin(x))
    this = rows[int(np.argmax(x))]
    for i in range(n):
        this, before = rows[i], this
        before += x[i] * this
    return np.sum(rows**2) + np.sum(this**3) + before[0]
