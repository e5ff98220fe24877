"""``for`` over ranges, arrays, lists, zip, enumerate, reversed and dict views; break, else."""

import numpy as np

from tests.programs.registry import program

rng = np.random.default_rng(7)
X = rng.uniform(0.2, 1.2, 8)
M = rng.uniform(-1.0, 1.0, (4, 3))


@program(args=(X,))
def rosenbrock_loop(x):
    f = 0.0
    for i in range(len(x) - 1):
        f += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return f


@program(args=(X,))
def every_other(x):
    s = 0.0
    for i in range(1, x.size, 2):
        s += x[i] * x[i - 1]
    for i in range(0, 7, 3):
        s += np.sin(x[i]) * s
    return s


@program(args=(X, np.array([0.3, -0.2, 0.9])), wrt=(0, 1))
def horner_downwards(x, coef):
    p = np.zeros_like(x)
    for k in range(len(coef) - 1, -1, -1):
        p = p * x + coef[k]
    out = 0.0
    for k in range(7, 0, -2):
        out = out * x[k] + p[k]
    return out


@program(args=(X, 3), also=[(X, 0), (X, 6)], wrt=(0,))
def runs_n_turns(x, n):
    acc = x[0] * x[0]
    for i in range(n):
        acc = acc * x[i] + x[i + 1]
    return acc


@program(args=(2.7, 0.5), also=[(4.2, 0.5)], wrt=(0, 1))
def number_of_turns_from_data(x, a):
    y = a
    for i in range(int(x)):
        y = y + np.sin(a * (i + 1)) / x
    return y * x


@program(args=(M,))
def rows_of_a_matrix(m):
    s = 0.0
    for row in m:
        s += np.sqrt(1.0 + row @ row)
    for row in m.T:
        s *= 1.0 + row[0] ** 2
    return s


@program(args=(M,))
def elements_of_rows(m):
    worst = 1.0
    for row in m:
        inner = 1.0
        for v in row:
            inner *= 1.5 + v
        worst += inner * worst * 0.1
    return worst


@program(args=(X, X[::-1] * 0.5), wrt=(0, 1))
def zipped(a, b):
    s = 0.0
    for u, v in zip(a, b):
        s = s * 0.9 + u * np.exp(-v)
    for i, (u, v) in enumerate(zip(a[1:], b)):
        s += (i + 1) * u * v
    return s


@program(args=(X,))
def enumerate_with_start(x):
    s = 0.0
    for k, v in enumerate(x, 1):
        s += v**k / k
    for k, v in enumerate(x[:3], start=2):
        s -= v / k * x[k]
    return s


@program(args=(X,))
def backwards(x):
    s = 0.0
    for v in reversed(x):
        s = np.tanh(s + v)
    for i in reversed(range(3)):
        s = s * x[i] + i
    for w in reversed([x[0], x[1] * 2.0]):
        s = s / w
    return s


@program(args=([(0.3, 1.0), (0.5, -1.0), (0.8, 2.0)], 1.5), wrt=(0, 1))
def list_of_pairs(knots, x):
    s = 0.0
    for a, b in knots:
        s += b * np.exp(-a * x)
    for pair in knots:
        s += pair[0] * pair[1] * x
    return s


@program(args=({"a": 0.3, "b": 1.2, "c": 0.7}, 0.5), wrt=(0, 1))
def dict_views(rates, t):
    total = 0.0
    for name in rates:
        total += np.exp(-rates[name] * t)
    for name, rate in rates.items():
        if name == "b":
            total *= rate
        else:
            total += rate**2
    for rate in rates.values():
        total /= 1 + rate
    for name in rates.keys():
        total += t * rates[name]
    return total


@program(args=(X, 0.9), also=[(X, 9.0)], wrt=(0, 1))
def first_passage(x, level):
    s = 0.0
    for v in x:
        s += v
        if s > level:
            break
    else:
        s = s * level
    return s * s + level * x[-1]


@program(args=(X, 0.6), wrt=(0, 1))
def skips_small(x, cut):
    s = 0.0
    n = 0
    for v in x:
        if v < cut:
            continue
        n += 1
        s += (v - cut) ** 2
    return s / max(n, 1)


@program(args=(X, 0.95), also=[(X, 2.0)], wrt=(0, 1))
def returns_from_the_loop(x, cut):
    p = 1.0
    for i in range(x.shape[0]):
        p = p * x[i]
        if x[i] > cut:
            return p * i + cut**2
    return -p * cut


@program(args=(M,))
def break_out_of_inner(m):
    s = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            if m[i, j] < -0.5:
                break
            s += m[i, j] ** 2 * (i + 1)
        else:
            s += 0.5 * m[i, 0]
        s *= 1.01
    return s


@program(args=(M, np.array([0.4, 0.2, -0.6])), wrt=(0, 1))
def hand_written_matvec(a, x):
    n, m = a.shape
    y = np.zeros(n)
    for i in range(n):
        for j in range(m):
            y[i] += a[i, j] * x[j]
    return np.dot(y, y)


@program(args=(rng.uniform(-1, 1, (3, 4)), rng.uniform(-1, 1, (4, 2))), wrt=(0, 1))
def hand_written_matmul(a, b):
    c = np.empty((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            acc = 0.0
            for k in range(a.shape[1]):
                acc += a[i, k] * b[k, j]
            c[i, j] = acc
    return np.sum(np.sin(c))


@program(args=(X,))
def loop_variable_survives(x):
    for i in range(3):
        t = x[i] * 2.0
    y = t * i
    for t in x:
        y += t * t
    return y + t * i


@program(args=(X,))
def name_changes_type(x):
    s = 0
    for v in x:
        s = s + v
    s = s * x
    for i in range(2):
        s = s + np.roll(s, 1) * 0.5
    return s.sum()


@program(args=(M,))
def scalar_becomes_row(m):
    s = 0.0
    for row in m:
        s = s + row * row
    return np.prod(s)


@program(args=(X,))
def fibonacci_weights(x):
    a, b = 1, 1
    total = 0.0
    for v in x:
        total += v * v * a
        a, b = b, a + b
    return np.log(total) + b * 0.01


@program(args=(X,))
def triangular(x):
    n = len(x)
    e = 0.0
    for i in range(n):
        for j in range(i):
            e += 1.0 / (0.5 + (x[i] - x[j]) ** 2)
    return e


@program(args=(X,))
def empty_range_keeps_value(x):
    s = x[0] ** 2
    for i in range(5, 2):
        s = s * x[i]
    for i in range(0):
        s = 0.0
    for v in x[3:3]:
        s = s + v
    return s * x[1]


@program(args=(X, [2, 0, 5, 2]))
def over_a_list_of_ints(x, order):
    s = 1.0
    for k in order:
        s = s * (1 + x[k])
    for k in (1, 3):
        s += x[k]
    return s


@program(args=(X, np.array([4, 0, 0, 7])))
def over_an_int_array(x, idx):
    s = 0.0
    for k in idx:
        s += x[k] ** 2 * (k + 1)
    return s


@program(args=(0.4,))
def over_literal_tuple(x):
    y = x
    for f in (np.sin, np.cos, np.exp):
        y = f(y) + x
    for w, power in ((0.1, 2), (0.3, 3)):
        y += w * x**power
    return y


@program(args=(X,))
def shifting_window(x):
    prev = x[0]
    before = x[0]
    s = 0.0
    for cur in x[1:]:
        s += (cur - 2 * prev + before) ** 2
        before, prev = prev, cur
    return s


@program(args=(X,))
def triple_nested_with_reuse(x):
    i = x[0]
    s = i * i
    for i in range(2):
        for j in range(3):
            t = x[i + j]
            for k in range(2):
                t = t * x[k] + j
            s += t
    t = s * i
    return t + s
