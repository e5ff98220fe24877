"""Recursion with a static depth and on data."""

import numpy as np

from tests.programs.registry import program


def _integrate(f, a, b, depth):
    m = 0.5 * (a + b)
    if depth == 0:
        return (b - a) / 6 * (f(a) + 4 * f(m) + f(b))
    return _integrate(f, a, m, depth - 1) + _integrate(f, m, b, depth - 1)


@program(args=(0.2, 1.7), wrt=(0, 1))
def recursive_quadrature(a, b):
    return _integrate(lambda t: np.exp(-t * t) * a, a, b, 3)


def _simpson(a, b, fa, fm, fb):
    return (b - a) / 6 * (fa + 4 * fm + fb)


def _adaptive(f, a, b, fa, fm, fb, whole, tol):
    m = 0.5 * (a + b)
    flm, frm = f(0.5 * (a + m)), f(0.5 * (m + b))
    left, right = _simpson(a, m, fa, flm, fm), _simpson(m, b, fm, frm, fb)
    if abs(left + right - whole) < 15 * tol:
        return left + right + (left + right - whole) / 15
    return _adaptive(f, a, m, fa, flm, fm, left, tol / 2) + _adaptive(
        f, m, b, fm, frm, fb, right, tol / 2
    )


@program(args=(0.2, 2.0, 3.1), wrt=(0, 1, 2))
def adaptive_quadrature(a, b, w):
    def f(t):
        return np.sin(w * t) / (0.1 + t)

    fa, fm, fb = f(a), f(0.5 * (a + b)), f(b)
    return _adaptive(f, a, b, fa, fm, fb, _simpson(a, b, fa, fm, fb), 1e-3)


def _shrink(x, r):
    if x < 1.0:
        return x * x
    return r * _shrink(x * r, r) + 0.1


@program(args=(5.0, 0.6), also=[(0.8, 0.6)], wrt=(0, 1))
def recursion_on_data(x, r):
    return _shrink(x, r) * x


def _fib(n, x):
    if n < 2:
        return x if n else 1.0
    return _fib(n - 1, x) + x * _fib(n - 2, x)


@program(args=(0.7,))
def fibonacci_polynomial(x):
    total = 0.0
    for n in range(6):
        total += _fib(n, x) / (n + 1)
    return total


def _pairwise(x):
    n = len(x)
    if n == 1:
        return x[0] ** 2
    return np.sin(_pairwise(x[: n // 2])) + _pairwise(x[n // 2 :])


@program(args=(np.linspace(0.2, 1.3, 7),))
def pairwise_reduction(x):
    return _pairwise(x) * x[3]


def _det(m):
    n = m.shape[0]
    if n == 1:
        return m[0, 0]
    total = 0.0
    for j in range(n):
        keep = [k for k in range(n) if k != j]
        total += (-1) ** j * m[0, j] * _det(m[1:][:, keep])
    return total


@program(args=(np.array([[0.8, 0.1, 0.5], [0.2, 1.1, -0.4], [0.6, 0.3, 0.9]]),))
def laplace_determinant(m):
    return _det(m) * m[0, 0]


TREE = ("+", ("*", "x", ("sin", "y")), ("*", ("+", "x", 2.0), "y"))


def _evaluate(node, env):
    if isinstance(node, str):
        return env[node]
    if not isinstance(node, tuple):
        return node
    op, *operands = node
    values = [_evaluate(o, env) for o in operands]
    if op == "+":
        return values[0] + values[1]
    if op == "*":
        return values[0] * values[1]
    return {"sin": np.sin, "exp": np.exp}[op](*values)


@program(args=(0.4, 1.2), wrt=(0, 1))
def expression_interpreter(x, y):
    return _evaluate(TREE, {"x": x, "y": y}) + _evaluate(("exp", TREE), dict(x=y, y=x)) * 0.1


def _euclid(a, b):
    if b < 0.3:
        return a
    return _euclid(b, a - b * np.floor(a / b))


@program(args=(7.31, 2.6), wrt=(0, 1))
def float_gcd(a, b):
    return _euclid(a, b) ** 2 + a * b


def _fft(re, im):
    n = len(re)
    if n == 1:
        return re, im
    er, ei = _fft(re[::2], im[::2])
    orr, oi = _fft(re[1::2], im[1::2])
    k = np.arange(n // 2)
    c, s = np.cos(-2 * np.pi * k / n), np.sin(-2 * np.pi * k / n)
    tr, ti = c * orr - s * oi, c * oi + s * orr
    return np.concatenate([er + tr, er - tr]), np.concatenate([ei + ti, ei - ti])


@program(args=(np.array([0.5, -1.0, 0.25, 2.0, 0.1, 0.0, -0.3, 0.8]),))
def recursive_fft_power(x):
    re, im = _fft(x, np.zeros(8))
    p = re**2 + im**2
    return np.sum(p * np.arange(8.0)) / 8 + np.log(1 + p[3])
