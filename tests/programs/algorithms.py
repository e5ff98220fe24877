"""Numerical methods, dynamic programming, filters and small machines, step by step."""

import math

import numpy as np

from tests.programs.registry import program

rng = np.random.default_rng(17)


def _givens(a, b):
    if b == 0:
        return (1.0, 0.0)
    r = math.hypot(a, b)
    return (a / r, b / r)


@program(
    args=(rng.normal(size=(3, 2)) + np.eye(3, 2) * 3, rng.normal(size=3)),
    also=[(rng.normal(size=(2, 1)) + np.eye(2, 1) * 3, rng.normal(size=2))],
    wrt=(0, 1),
)
def least_squares_givens(A, b):
    A = A.copy()
    b = b.copy()
    m, n = A.shape
    for j in range(n):
        for i in range(m - 1, j, -1):
            c, s = _givens(A[i - 1, j], A[i, j])
            upper = c * A[i - 1] + s * A[i]
            A[i] = -s * A[i - 1] + c * A[i]
            A[i - 1] = upper
            b[i - 1], b[i] = (c * b[i - 1] + s * b[i], -s * b[i - 1] + c * b[i])
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x @ x + b[-1] ** 2


@program(args=(0.7, 1.9, 3), also=[(0.7, 1.9, 1)], wrt=(0, 1))
def romberg(a, b, levels):
    f = lambda t: np.cos(a * t * t)
    R = [[0.5 * b * (f(0.0) + f(b))]]
    h = b
    for i in range(1, levels + 1):
        h /= 2
        total = sum((f(k * h) for k in range(1, 2**i, 2)))
        row = [0.5 * R[i - 1][0] + h * total]
        for j in range(1, i + 1):
            row.append(row[j - 1] + (row[j - 1] - R[i - 1][j - 1]) / (4**j - 1))
        R.append(row)
    return R[-1][-1]


@program(
    args=(rng.normal(size=5), np.cumsum(rng.uniform(0.5, 1, 5)), 0.3),
    also=[(rng.normal(size=3), np.cumsum(rng.uniform(0.5, 1, 3)), 0.3)],
    wrt=(0, 1, 2),
    step=0.001,
)
def natural_cubic_spline(y, x, frac):
    n = len(x)
    h = np.diff(x)
    a = np.zeros(n)
    b = np.ones(n)
    c = np.zeros(n)
    d = np.zeros(n)
    for i in range(1, n - 1):
        a[i] = h[i - 1]
        b[i] = 2 * (h[i - 1] + h[i])
        c[i] = h[i]
        d[i] = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    M = np.empty(n)
    M[-1] = d[-1] / b[-1]
    for i in range(n - 2, -1, -1):
        M[i] = (d[i] - c[i] * M[i + 1]) / b[i]
    t = x[0] + frac * (x[-1] - x[0])
    i = int(np.searchsorted(x, t)) - 1
    u = t - x[i]
    v = x[i + 1] - t
    return (
        (M[i] * v**3 + M[i + 1] * u**3) / (6 * h[i])
        + (y[i] / h[i] - M[i] * h[i] / 6) * v
        + (y[i + 1] / h[i] - M[i + 1] * h[i] / 6) * u
    )


def _spd(r, n):
    A = r.normal(size=(n, n))
    return A @ A.T + n * np.eye(n)


@program(
    args=(_spd(rng, 2), rng.normal(size=2)), also=[(_spd(rng, 1), rng.normal(size=1))], wrt=(0, 1)
)
def gauss_seidel(A, b):
    x = np.zeros(len(b))
    for sweep in range(100):
        delta = 0.0
        for i in range(len(b)):
            s = b[i]
            for j in range(len(b)):
                if j != i:
                    s -= A[i, j] * x[j]
            new = s / A[i, i]
            delta = max(delta, abs(new - x[i]))
            x[i] = new
        if delta < 1e-13:
            break
    else:
        raise ArithmeticError("no convergence")
    return (x * x).sum()


@program(args=(rng.normal(size=2), 0.3), also=[(rng.normal(size=1), 0.3)], wrt=(0, 1))
def bfgs_few_steps(x, c):

    def f(x):
        return np.sum((x - c) ** 4) + np.sum(x**2)

    def g(x):
        return 4 * (x - c) ** 3 + 2 * x

    n = len(x)
    H = np.eye(n) * 0.1
    gx = g(x)
    for it in range(3):
        p = -H @ gx
        xn = x + 0.5 * p
        gn = g(xn)
        s, yv = (xn - x, gn - gx)
        sy = s @ yv
        if sy > 1e-10:
            rho = 1 / sy
            V = np.eye(n) - rho * np.outer(s, yv)
            H = V @ H @ V.T + rho * np.outer(s, s)
        x, gx = (xn, gn)
    return f(x)


@program(args=(rng.normal(size=4), 0.2), also=[(rng.normal(size=2), 0.2)], wrt=(0, 1))
def divided_differences(y, t):
    x = np.arange(len(y)) * 0.5
    coef = y.copy()
    n = len(y)
    for j in range(1, n):
        coef[j:] = (coef[j:] - coef[j - 1 : -1]) / (x[j:] - x[: n - j])
    p = coef[-1]
    for k in range(2, n + 1):
        p = coef[-k] + (t - x[-k]) * p
    return p * p


@program(
    args=(rng.normal(size=(3, 3)), rng.normal(size=(2, 3))),
    also=[(rng.normal(size=(3, 3)), rng.normal(size=(1, 3)))],
    wrt=(0, 1),
)
def viterbi_best_score(trans, emit):
    T, S = emit.shape
    delta = emit[0].copy()
    back = np.zeros((T, S), dtype=int)
    for t in range(1, T):
        scores = delta[:, None] + trans
        back[t] = scores.argmax(axis=0)
        delta = scores.max(axis=0) + emit[t]
    path = [int(delta.argmax())]
    for t in range(T - 1, 0, -1):
        path.append(int(back[t, path[-1]]))
    path.reverse()
    total = emit[0, path[0]]
    for t in range(1, T):
        total += trans[path[t - 1], path[t]] + emit[t, path[t]]
    return total


def _sdf(p, *, r=0.7):
    q = np.abs(p) - np.array([0.5, 0.4, 0.3])
    box = np.linalg.norm(np.maximum(q, 0.0)) + min(max(q[0], max(q[1], q[2])), 0.0)
    return min(box, np.linalg.norm(p - 1.0) - r)


@program(args=(np.array([0.1, 0.2, -3.0]), np.array([0.05, 0.02, 1.0])), wrt=(0, 1))
def sphere_tracing(o, d):
    d = d / np.linalg.norm(d)
    t = 0.0
    for _ in range(40):
        dist = _sdf(o + t * d)
        t += dist
        if dist < 1e-10:
            break
        if t > 10.0:
            return 10.0 * o[0]
    return t


@program(
    args=(rng.uniform(-1, 1, 4), rng.uniform(0.5, 1.5, 4)),
    also=[(rng.uniform(-1, 1, 2), rng.uniform(0.5, 1.5, 2))],
    wrt=(0, 1),
)
def robot_arm_fk(angles, lengths):
    T = np.eye(3)
    for th, l in zip(angles, lengths):
        c, s = (math.cos(th), math.sin(th))
        T = T @ np.array([[c, -s, l * c], [s, c, l * s], [0.0, 0.0, 1.0]])
    x, y = T[:2, 2]
    return (x - 1) ** 2 + (y - 0.5) ** 2 + 0.1 * math.atan2(T[1, 0], T[0, 0]) ** 2


@program(
    args=(100.0, 105.0, 0.05, 0.2, 3),
    also=[(100.0, 105.0, 0.05, 0.2, 1)],
    wrt=(0, 1, 2, 3),
    step=0.01,
)
def crr_american_in_place(S, K, r, sigma, n):
    T = 1.0
    dt = T / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(r * dt) - d) / (u - d)
    disc = np.exp(-r * dt)
    j = np.arange(n + 1)
    V = np.maximum(K - S * u ** (n - j) * d**j, 0.0)
    for i in range(n - 1, -1, -1):
        V[: i + 1] = disc * (p * V[: i + 1] + (1 - p) * V[1 : i + 2])
        spot = S * u ** (i - j[: i + 1]) * d ** j[: i + 1]
        np.maximum(V[: i + 1], K - spot, out=V[: i + 1])
    return V[0]


@program(args=(rng.normal(size=7),), also=[(rng.normal(size=5),)])
def lpc_levinson(x):
    p = 3
    R = [x[: len(x) - k] @ x[k:] for k in range(p + 1)]
    a = [1.0]
    E = R[0] + 0.1
    for i in range(1, p + 1):
        acc = sum((a[j] * R[i - j] for j in range(i)))
        k = -acc / E
        ext = a + [0.0]
        a = [u + k * v for u, v in zip(ext, reversed(ext))]
        E = E * (1 - k * k)
    return E + a[1]


@program(args=(rng.normal(size=2 * 5),), also=[(rng.normal(size=2 * 3),)])
def cdf53_lifting_views(s):
    s = np.array(s, copy=True)
    even, odd = (s[::2], s[1::2])
    odd[:-1] -= 0.5 * (even[:-1] + even[1:])
    odd[-1] -= even[-1]
    even[1:] += 0.25 * (odd[:-1] + odd[1:])
    even[0] += 0.5 * odd[0]
    return np.sum(even**2) + 2 * np.sum(odd**3)


@program(args=(rng.uniform(0.5, 1, (4, 2)),), also=[(rng.uniform(0.5, 1, (2, 2)),)])
def convex_hull_area(P):
    idx = list(range(len(P)))
    hull = []
    for i in idx:
        while len(hull) >= 2:
            a, b, c = (P[hull[-2]], P[hull[-1]], P[i])
            if (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0:
                break
            hull.pop()
        hull.append(i)
    area = 0.0
    for p, q in zip(hull, hull[1:]):
        area += P[p][0] * P[q][1] - P[q][0] * P[p][1]
    return area


@program(
    args=(rng.uniform(0.1, 1, 3), rng.uniform(0.5, 2, 3)),
    also=[(rng.uniform(0.1, 1, 2), rng.uniform(0.5, 2, 2))],
    wrt=(0, 1),
)
def knapsack_soft(w, v):
    best = {0: 0.0}
    cap = 3
    table = [0.0] * (cap + 1)
    for wi, vi in zip(w, v):
        new = list(table)
        for c in range(1, cap + 1):
            cand = table[c - 1] + vi - 0.1 * wi
            if cand > new[c]:
                new[c] = cand
        table = new
    return max(table)


@program(args=(rng.uniform(size=(4, 4)),), also=[(rng.uniform(size=(2, 2)),)])
def floyd_warshall(D):
    D = D + D.T
    np.fill_diagonal(D, 0)
    n = len(D)
    for k in range(n):
        D = np.minimum(D, D[:, k : k + 1] + D[k : k + 1, :])
    return D.sum() + D[0, -1] ** 2


@program(args=(rng.uniform(0.5, 2, 3),), also=[(rng.uniform(0.5, 2, 1),)])
def string_dispatch(x):
    out = 0.0
    for op in "sin cos log".split():
        fn = getattr(np, op)
        out = out + fn(x).mean()
    return out


@program(args=(rng.uniform(0.5, 1.5, 3), 0.7), also=[(rng.uniform(0.5, 1.5, 1), 0.7)], wrt=(0, 1))
def early_returns(x, t, *, mode="smooth", verbose=False):
    """Piecewise function"""
    if len(x) == 0:
        return 0.0
    s = x.sum()
    if s > 100:
        return s
    if verbose:
        print(f"s={s:.3f}")
    for i, xi in enumerate(x):
        if xi > 1.4:
            return xi**2 * t + i
    return s * t if mode == "smooth" else -s


def backprop(out, order):
    out.grad = 1.0
    for node in reversed(order):
        for p, g in zip(node.parents, node.grads):
            p.grad = p.grad + g * node.grad


class Node:
    def __init__(self, value, parents=(), grads=()):
        self.value, self.parents, self.grads = (value, parents, grads)
        self.grad = 0.0

    def __add__(self, o):
        return Node(self.value + o.value, (self, o), (1.0, 1.0))

    def __mul__(self, o):
        return Node(self.value * o.value, (self, o), (o.value, self.value))


@program(args=(0.7, 1.3), wrt=(0, 1))
def users_own_autodiff(a, b):
    x, y = (Node(a), Node(b))
    z = x * y
    w = z + x
    v = w * w
    backprop(v, [z, w, v])
    return x.grad * y.grad + v.value


class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    @property
    def shape(self):
        return (len(self.rows), len(self.rows[0]))

    def __getitem__(self, ij):
        i, j = ij
        return self.rows[i][j]

    def __setitem__(self, ij, v):
        i, j = ij
        self.rows[i][j] = v

    def __matmul__(self, o):
        n, m = self.shape
        _, p = o.shape
        out = Matrix([[0.0] * p for _ in range(n)])
        for i in range(n):
            for j in range(p):
                for k in range(m):
                    out[i, j] = out[i, j] + self[i, k] * o[k, j]
        return out

    def __len__(self):
        return len(self.rows)

    def __call__(self, s):
        return sum((s * v for row in self.rows for v in row))


@program(args=(0.3, 0.8), wrt=(0, 1))
def matrix_class_of_lists(a, b):
    R = Matrix([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
    M = R @ Matrix([[b, 1.0], [0.5, a]]) @ R
    return M(2.0) * len(M) + M[0, 1]


@program(args=(rng.normal(size=4),))
def rpn_machine(x):
    stack = []
    for tok in ["a", "b", "+", "c", "*", "d", "-", "sq"]:
        if tok in "abcd":
            stack.append(x["abcd".index(tok)])
        elif tok == "sq":
            stack[-1] = stack[-1] ** 2
        else:
            r, l = (stack.pop(), stack.pop())
            stack.append(l + r if tok == "+" else l * r if tok == "*" else l - r)
    assert len(stack) == 1
    return stack[0]


@program(args=(rng.normal(size=4), 3), also=[(rng.normal(size=2), 3)])
def double_buffer_list(x, steps):
    bufs = [x.copy(), np.empty_like(x)]
    for s in range(steps):
        src, dst = (bufs[s % 2], bufs[1 - s % 2])
        np.multiply(src, 0.5, out=dst)
        dst[1:] += src[:-1]
        dst[0] = src[-1] * dst[0]
    return bufs[steps % 2] @ bufs[1 - steps % 2]


@program(args=(rng.uniform(0.5, 1, 3), 4), also=[(rng.uniform(0.5, 1, 1), 4)])
def loop_variable_leaks(x, n):
    acc = []
    for i in range(n):
        for j, v in enumerate(x):
            if v * i > 2:
                break
            acc.append(v * j)
        else:
            j = -1
        acc.append(i * 1.0 + j)
    return sum(acc) * v + i + j
