"""List, dict and nested comprehensions, conditions in them, generator expressions."""

import numpy as np

from tests.programs.registry import program

X = np.array([0.3, 1.4, 0.8, 2.1])


@program(args=(X,))
def list_comprehension(x):
    sq = [v**2 for v in x]
    pairs = [x[i] * x[j] for i in range(4) for j in range(i)]
    return sum(sq) * sum(pairs)


@program(args=(X, 1.0), wrt=(0, 1))
def filtered_comprehension(x, t):
    big = [v * t for v in x if v > t]
    scaled = [v if i % 2 else v * t for i, v in enumerate(x)]
    return np.prod(np.array(big)) + np.sum(scaled)


@program(args=(X,))
def dict_comprehension(x):
    d = {i: v * 2 for i, v in enumerate(x)}
    named = {k: f(x) for k, f in {"s": np.sin, "c": np.cos}.items()}
    swap = {k: d[3 - k] for k in d if k != 1}
    return d[0] * d[3] + np.sum(named["s"] * named["c"]) + sum(swap.values())


@program(args=(np.array([[0.2, 1.1], [0.9, 0.4]]),))
def nested_comprehension(m):
    t = [[m[j, i] * (i + 1) for j in range(2)] for i in range(2)]
    flat = [v for row in t for v in row]
    a = np.array(t)
    return np.sum(a @ m) + flat[1] * flat[2]


@program(args=(X,))
def comprehension_scopes(x):
    v = x[0] ** 2
    i = 10
    a = [v * i for i, v in enumerate(x)]
    return v * i + sum(a)


@program(args=(X, 0.7), wrt=(0, 1))
def generators_consumed(x, c):
    s = sum(c * v for v in x)
    m = max(np.sin(v) for v in x)
    tot = np.sum([w * s for w in x if w < 2])
    s2 = 0.0
    for i in range(3):
        s2 += sum(x[j] * x[i] for j in range(i + 1))
    return s * m + tot + s2 + np.array(list(v / c for v in x)).mean()


@program(args=(X,))
def comprehension_of_arrays(x):
    basis = np.array([np.cos(k * x) for k in range(3)])
    gram = np.array([[np.dot(u, v) for u in basis] for v in basis])
    return np.sum(gram**2)


@program(args=(X,))
def set_and_zip_comprehensions(x):
    odd = {k for k in range(4) if k % 2}
    diffs = [b - a for a, b in zip(x[:-1], x[1:])]
    tripled = [3 * v for v in diffs]
    out = 0.0
    for k in sorted(odd):
        out += diffs[k - 1] * tripled[k - 1]
    return out + len(odd) * diffs[0]


@program(args=(X,))
def lambdas_from_a_comprehension(x):
    fs = [lambda t, k=k: t**k for k in (1, 2, 3)]
    return sum(f(v) for f, v in zip(fs, x)) + np.sum([f(2.0) * x[0] for f in fs])


@program(args=(1.2,))
def loop_of_comprehensions(x):
    row = [1.0]
    for n in range(5):
        row = [1.0] + [x * a + b for a, b in zip(row[:-1], row[1:])] + [x]
    return sum(row) + row[2]


@program(args=(np.array([[0.9, -0.4], [1.6, 0.3], [-1.2, 0.7]]),))
def dict_over_pairs(x):
    norms = [np.linalg.norm(row) for row in x]
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    similar = {(i, j): x[i] @ x[j] / (norms[i] * norms[j]) for i, j in pairs}
    return sum(similar.values()) + similar[2, 0] ** 2


@program(args=(np.array([0.9, -0.4, 1.6, -1.2]),), also=[(np.array([0.9, -0.4]),)])
def dict_over_chosen_indices(x):
    kept = [i for i in range(len(x)) if i % 3 != 1]
    weights = {i: x[i] ** 2 for i in kept}
    rows = [[v * 2.0] for i, v in enumerate(x) if i in weights]
    rows[0][0] *= x[1]
    return sum(weights[i] * x[i] for i in weights) + rows[0][0]
