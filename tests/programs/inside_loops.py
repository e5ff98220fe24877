"""Constructs whose other tests stand outside a loop, inside one and with names re-used."""

import functools
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tests.programs.registry import program

rng = np.random.default_rng(97)
X = rng.uniform(0.4, 1.4, 6)
M = rng.uniform(0.2, 1.3, (4, 3))


@program(args=(X,))
def asserts_imports_deletes(x):
    total = 0.0
    for i in range(len(x)):
        assert x[i] > 0, "positive"
        import math

        t = math.sqrt(x[i]) * (total + 1)
        with np.errstate(all="ignore"):
            total += t
        del t
        t = x[i] ** 2
        total = total * t if i % 2 else total + t
    return total


@program(args=(M,))
def starred_and_chained(m):
    s = 0.0
    for first, *rest in m:
        a = b = first
        b = b * rest[0]
        *_, last = rest
        (u, v), w = (a, b), last
        u: float = u + v
        s += u * v * w
        if (q := u * v) > 0.3:
            s += q
    return s * u


@program(args=(X, np.array([0.1, 0.7, -0.3])), wrt=(0, 1))
def gathers_masks_and_scatters(x, v):
    y = x.copy()
    for k in range(3):
        idx = np.array([k, k, k + 2])
        g = y[idx] * v
        y[idx] += g
        big = y > 1.0
        y[big] -= 0.2 * y[big] ** 2
        y[[k, 5]] = y[[5, k]]
        y[::2], y[1::2] = y[1::2].copy(), y[::2].copy()
        np.add.at(y, idx, g * 0.1)
        z = y[k:][::-1]
        z[0] *= v[k]
    return y @ x


@program(args=(M,))
def views_in_a_loop(m):
    a = m.copy()
    for k in range(3):
        r = a[k]
        r[0] = r[1] * r[2]
        c = a.T[k]
        c += r[0]
        f = a.reshape(-1)
        f[k] = f[-1 - k] ** 2
        r = a[k + 1]
        r *= 0.9
        b = a
        b[0, k] = c[2]
    return np.sum(a * m)


@program(args=(X,))
def closures_in_a_loop(x):
    total = 0.0
    for k in range(4):
        scale = x[k]

        def g(t, power=k):
            nonlocal total
            total += t * scale
            return t ** (power + 1)

        total = total * 0.5 + g(scale) + (lambda t: t * scale)(total)
        scale = scale * 2
        total += g(0.5)
    return total


@program(args=(X,))
def higher_order_builtins_in_a_loop(x):
    y = list(x)
    for _ in range(3):
        y = list(map(lambda v: np.sin(v) + 0.5, y))
        p = functools.reduce(lambda a, b: a * b + 1, y)
        y = [v / (1 + p) for v in y]
        s = sum(v * w for v, w in zip(y, y[1:]))
        y[0] = max(y[1], y[2]) + min(y) * s + abs(y[3] - 1.0)
        by_rank = {k: v * s for k, v in enumerate(y)}
        y[4] = by_rank[4] + by_rank[1] ** 2
        q, r = divmod(y[0], 0.7)
        y[-1] = pow(r, 2) + q
    return sum(y) + float(p)


class State(NamedTuple):
    x: float
    v: float
    log: list


@dataclass
class Filter:
    gain: float
    memory: float = 0.0
    count: int = 0

    def push(self, value):
        self.memory = self.memory + self.gain * (value - self.memory)
        self.count += 1
        return self.memory


@program(args=(X, 0.3), wrt=(0, 1))
def objects_in_a_loop(x, gain):
    state = State(x[0], 0.1, [])
    smooth = Filter(gain)
    named = {"first": smooth, "second": Filter(gain * 2)}
    for v in x:
        state = state._replace(x=state.x + 0.1 * state.v, v=state.v - 0.1 * v)
        state.log.append(state.x * v)
        for f in named.values():
            f.push(state.log[-1])
        smooth = replace(smooth, gain=smooth.gain * 0.9)
        named["first"] = smooth
    return named["first"].memory * named["second"].memory * smooth.count + state.v * len(state.log)


@program(args=(M,))
def methods_and_shapes_in_a_loop(m):
    a = m
    for axis in range(2):
        a = a - a.mean(axis=axis, keepdims=True)
        a = a.T.reshape(a.shape) * a.max()
        s = a.sum(axis=axis)
        a = a + np.expand_dims(s, axis) * m
    for part in (a[:2], a[2:]):
        s = part.ravel()
        a = a + s.dot(s) / part.size
    return np.sum(a**2) * s.std()


@program(args=(M, M[:, 0].copy()), wrt=(0, 1))
def solves_in_a_loop(m, b):
    a = m @ m.T + np.eye(4)
    x = b
    for k in range(3):
        x = np.linalg.solve(a, x) + b
        a = a + 0.1 * np.outer(x, x)
        sign, logdet = np.linalg.slogdet(a)
        x = x / np.linalg.norm(x)
        low = np.linalg.cholesky(a)
        a = low @ low.T / (1 + k) + np.linalg.inv(a)
    return x @ b + logdet * sign


@program(args=(X, 0.8), also=[(X, 1.2)], wrt=(0, 1))
def kernels_with_bare_return(x, limit):
    def clip_until(buf, cap):
        for i in range(len(buf)):
            if buf[i] > cap:
                buf[i] = cap * buf[i]
                return
            buf[i] *= 2.0

    y = x.copy()
    for _ in range(2):
        clip_until(y, limit)
        clip_until(y[3:], limit * 2)
    return y @ x


@program(args=(X,))
def sorts_and_cumulates_in_a_loop(x):
    y = x
    for k in range(3):
        y = np.sort(np.sin(y) + k)
        c = np.cumsum(y)
        y = np.concatenate([c[3:] / (1 + k), y[:3]])
        y = np.where(y > 1, 1 / np.where(y > 1, y, 1.0), y) * x
    return y.sum() + c[-1]


@program(args=(M,))
def columns_and_triples(m):
    s = 0.0
    for i, (a, b, c) in enumerate(m):
        s += a * b - c * i
    for x, y, z in zip(m[:, 0], m[:, 1], range(4)):
        s += x * y**z
    for col, (k, w) in zip(m.T, {"p": 0.3, "q": 0.6, "r": 0.9}.items()):
        s *= 1 + w * np.mean(col) if k != "q" else 1 + col[0]
    return s


def _frozen_norms(x0):
    frozen = []
    y = x0
    for _ in range(3):
        n = np.sqrt(y @ y)
        frozen.append(n)
        y = np.sin(y) + y / n

    def run(x):
        y = x
        for n in frozen:
            y = np.sin(y) + y / n
        return y @ y

    return run


@program(args=(X,), needs_symdiff=True, equivalent=_frozen_norms)
def no_grad_in_a_loop(x):
    import symdiff as sd

    y = x
    for _ in range(3):
        with sd.no_grad():
            n = np.sqrt(y @ y)
        y = np.sin(y) + y / n
    return y @ y


@program(args=(X, 2), also=[(X, 9)])
def everything_at_once(x, n):
    """A loop with continue, break, else, nested calls and rebound names."""
    best, trail = 0.0, [x[0]]
    y = x.copy()
    for turn in range(n):
        if turn == 1:
            continue
        for j, v in enumerate(y):
            if v < 0.05:
                y[j] = 0.1 * x[j]
                break
            y[j] = v * 0.8 + 0.1 * trail[-1]
        else:
            trail.append(y[turn % 6] ** 2)
        if len(trail) > 5:
            best = best + trail[2]
            break
        best = max(best, trail[-1] * (turn + 1))
    else:
        best *= 1.5
    while trail:
        t = trail.pop()
        best += t * len(trail)
    return best + y @ y
