"""Programs in single precision, whose derivatives are in single precision too."""

import numpy as np

from tests.programs.registry import program

rng = np.random.default_rng(83)
X = rng.uniform(0.3, 1.2, 5).astype(np.float32)
M = rng.uniform(-0.8, 0.8, (4, 3)).astype(np.float32)


@program(args=(X,))
def literals_stay_single(x):
    y = 2 * x**2 + 0.5
    for _ in range(3):
        y = y - 0.1 * np.sin(y) * x
    return np.sum(y)


@program(args=(M, X[:3], np.float32(0.3)), wrt=(0, 1, 2))
def small_network(w, x, b):
    h = np.tanh(w @ x + b)
    h[h < 0] *= 0.1
    return np.mean(h**2)


@program(args=(X,))
def buffers_like(x):
    u = x.copy()
    v = np.empty_like(u)
    for _ in range(4):
        v[0] = u[0]
        v[-1] = u[-1]
        v[1:-1] = u[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u, v = v, u
    return (u * x).sum()


def _mixed_in_double(*_):
    w = np.linspace(0.0, 1.0, 5)
    return lambda x: np.sum((x * w + x * 0.5) * x) + np.sqrt(2.0) * np.sum(x * w)


@program(args=(X,), equivalent=_mixed_in_double)
def mixed_with_double(x):
    w = np.linspace(0.0, 1.0, 5)
    y = x * w
    z = np.zeros(5, dtype=np.float32)
    z[:] = y
    z += x.astype(np.float64) * 0.5
    return np.sum(z * x) + np.sqrt(2.0) * y.sum()


@program(args=(np.float32(0.8), np.float32(1.7)), wrt=(0, 1))
def numpy_single_scalars(a, b):
    c = a * b + 1
    while c > 0.5:
        c = c * a - 0.1
    return c * c + b


@program(args=(X, 1.5), wrt=(0, 1))
def single_array_double_scalar(x, s):
    return np.dot(x, x) * s + np.max(x * s)


def _gram_in_double(*_):
    def double(m):
        g = m.T @ m + np.eye(3)
        return np.log(np.linalg.det(g)) + np.sum(g[0] ** 2)

    return double


@program(args=(M,), equivalent=_gram_in_double)
def cast_round_trip(m):
    d = m.astype("float64")
    g = d.T @ d + np.eye(3)
    return np.log(np.linalg.det(g)) + np.sum(g.astype(np.float32)[0] ** 2)


@program(args=({"w": M, "b": X[:3]}, M.T.copy()), wrt=(0, 1))
def single_precision_parameters(p, x):
    z = x.T * p["b"] + p["w"]
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return -np.mean(np.log(e[:, 0] / e.sum(axis=1)))
