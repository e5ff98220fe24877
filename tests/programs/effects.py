"""Prints, warnings, draws, counters, globals that are written and arrays that are captured."""

import random
import warnings

import numpy as np

from tests.programs.registry import program

X = np.array([0.4, 1.2, 0.9])
STATE = {"calls": 0, "seen": []}
TABLE = np.array([0.5, 1.5, 2.5])
scale = 2.0
CACHE = {}


def _reset():
    global scale
    STATE["calls"] = 0
    STATE["seen"] = []
    TABLE[:] = [0.5, 1.5, 2.5]
    scale = 2.0
    CACHE.clear()
    random.seed(12)
    np.random.seed(12)


@program(args=(0.7,), also=[(1.9,)], reset=_reset, observe=lambda: None)
def prints_progress(x):
    for i in range(3):
        x = x - 0.1 * np.sin(x)
        print("turn", i)
    if x > 1:
        print("large", end="!\n")
    print(f"done after {i + 1}", "turns", sep=" ")
    return x * x


@program(args=(0.7,), reset=_reset, observe=lambda: None)
def prints_values(x):
    y = x * 2
    print(y, "%.3f" % y, f"{y:.2e}")
    return y**3


@program(args=(X,), reset=_reset, observe=lambda: dict(STATE))
def counts_in_a_global_dict(x):
    STATE["calls"] += 1
    total = 0.0
    for v in x:
        STATE["calls"] += 1
        if v > 1:
            STATE["seen"].append("big")
        total += v**3
    return total


@program(args=(X,), reset=_reset, observe=lambda: TABLE.copy())
def writes_a_global_array(x):
    TABLE[0] = 4.0
    TABLE[1:] *= 2
    y = np.sum(TABLE * x**2)
    TABLE[2] += 1
    return y + TABLE @ x


@program(args=(X,), reset=_reset, observe=lambda: scale)
def rebinds_a_global(x):
    global scale
    y = scale * x
    scale = scale * 3
    z = scale * x
    for _ in range(2):
        scale += 1
    return y @ z * scale


@program(args=(X,), reset=_reset, observe=lambda: TABLE.copy())
def calls_something_that_writes(x):
    def bump(k):
        TABLE[k] += 1.0
        return TABLE[k]

    s = 0.0
    for k in range(3):
        s += bump(k) * x[k] ** 2
    return s * bump(0)


@program(args=(0.8,), reset=_reset)
def draws_noise(x):
    noise = np.random.normal(size=4)
    s = 0.0
    for i in range(4):
        s += np.sin(x * noise[i]) * random.random()
    rng = np.random.default_rng(5)
    return s + x * rng.uniform() + np.sum(x**2 * rng.normal(0, 1, 3))


@program(args=(0.8, 0.3), reset=_reset, wrt=(0, 1))
def reparametrised_monte_carlo(mu, sigma):
    rng = np.random.default_rng(0)
    z = rng.standard_normal(20)
    total = 0.0
    for e in z:
        sample = mu + sigma * e
        if rng.uniform() < 0.5:
            total += np.exp(-sample)
        else:
            total += sample**2
    return total / 20


@program(args=(0.8,))
def warns_when_unusual(x):
    y = np.exp(x)
    if y > 100.0:
        warnings.warn("large", RuntimeWarning, stacklevel=2)
    for _ in range(2):
        if y < 0:
            warnings.warn(f"negative: {y}", stacklevel=2)
        y = y * x + 0.5
    return y * x


@program(args=(X, 2), reset=_reset, observe=lambda: dict(CACHE))
def caches_constants(x, n):
    if n not in CACHE:
        CACHE[n] = float(n) * 0.5
    w = CACHE[n]
    CACHE["last"] = n
    return np.sum(x**n) * w


@program(args=(X,), reset=_reset)
def effect_free_opaque_call(x):
    label = "-".join(["a", "b", "c"]).upper()
    order = np.random.permutation(3)
    k = len(label.split("-"))
    return x[order] @ np.arange(1.0, 4.0) + k * x[0] ** 2
