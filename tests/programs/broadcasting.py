"""Broadcasting between shapes that are known, that are 1, and that are open."""

import numpy as np

from tests.programs.registry import program

rng = np.random.default_rng(53)
M = rng.uniform(0.2, 1.4, (3, 4))
R = rng.uniform(0.2, 1.4, 4)
C = rng.uniform(0.2, 1.4, (3, 1))


@program(args=(M, R, C, 0.7), wrt=(0, 1, 2, 3))
def rows_columns_scalars(m, r, c, s):
    a = m * r + c
    b = m / c - s * r
    d = np.maximum(a, b) * np.power(m, s)
    return np.sum(d * np.exp(-c)) + np.mean(r**c)


@program(args=(M, R[None, :], C[0]), wrt=(0, 1, 2))
def sizes_that_are_one(m, row, one):
    z = m - row * one
    z = z + np.where(m > 0.8, row, one)
    return np.sum(z**2) + np.sum(one * m) * one[0]


@program(args=(R, np.array([0.3, 0.9, 1.7])), wrt=(0, 1))
def outer_by_newaxis(a, b):
    d = a[:, None] - b[None, :]
    k = np.exp(-(d**2))
    k /= k.sum(axis=1, keepdims=True)
    return a @ k @ b + np.sum(np.log(k.sum(0)))


@program(args=(M, R), also=[(M, R[:1]), (M[:1], R), (M[:, :1], R)], wrt=(0, 1))
def same_code_many_shapes(m, v):
    w = np.tanh(m * v)
    w = w - w.mean(axis=0)
    return np.sum(w * (m + v)) + v.sum() ** 2


@program(args=(np.array([0.3, 0.7, 1.4, 0.8]), 1), also=[(np.array([0.3, 0.7, 1.4, 0.8]), 3)])
def open_dimension_that_may_be_one(x, k):
    head = x[:k]
    grid = np.ones((4, 1)) * head
    y = x * grid[:, 0] + head.sum()
    z = x[:, None] * head + (head * 2)[None]
    picked = x[x > 1.1]
    return np.sum(y) * np.sum(z**2) + np.sum(x * picked)


@program(args=(rng.uniform(0, 1, (2, 3, 4)), R, rng.uniform(0, 1, (2, 1, 1))), wrt=(0, 1, 2))
def batch_norm(x, gamma, beta):
    mu = x.mean(axis=(0, 1))
    var = ((x - mu) ** 2).mean(axis=(0, 1), keepdims=True)
    y = gamma * (x - mu) / np.sqrt(var + 1e-2) + beta
    return np.sum(y**3) / y.size


@program(args=(M, C), wrt=(0, 1))
def in_place_broadcast(m, c):
    a = np.zeros((2, 3, 4))
    a += m
    a *= c
    a[1] -= c
    a[:, 0] = c[1]
    a[0, 1] += a[1].sum(axis=0)
    for k in range(2):
        a[k] /= 1.0 + c[k]
    return np.sum(a**2)


@program(args=(R, M), wrt=(0, 1))
def matmul_shapes(v, m):
    a = m @ v
    b = v @ m.T
    stack = np.stack([m, m * 2])
    c = stack @ v
    d = stack @ m.T
    e = m.T[None] @ stack
    return a @ b + np.sum(c**2) + np.sum(d) + np.sum(e * v)


@program(args=(M, R, 0.5), wrt=(0, 1, 2))
def where_broadcasts(m, r, s):
    a = np.where(m > 0.7, r, s)
    b = np.where(r[:, None] > r, s * r, m[0][:, None])
    c = np.clip(m, s, 1.1)
    return np.sum(a**2 * m) + np.sum(b * b.T) + np.sum(c * r)


@program(args=(rng.uniform(0, 1, (4, 2)), rng.uniform(0, 1, (3, 2))), wrt=(0, 1))
def soft_kmeans(points, centres):
    for _ in range(3):
        d2 = ((points[:, None] - centres[None]) ** 2).sum(-1)
        w = np.exp(-3.0 * d2)
        w = w / w.sum(axis=1, keepdims=True)
        centres = (w.T @ points) / w.sum(axis=0)[:, None]
    return np.sum(centres**2) + np.sum(w * d2)


@program(args=(R, 0.9), wrt=(0, 1))
def scalar_meets_array_in_a_loop(x, s):
    acc = 0.0
    for i in range(3):
        acc = acc + s * x
        s = s + acc.mean()
    acc = acc + np.zeros((2, 1))
    return np.sum(acc * x) + s


@program(
    args=(C[:2], R, 3),
    also=((C[:2], R, 0), (C[:1], R, 2), (M, R, 2), (M, R[:1], 1)),
    wrt=(0, 1),
)
def widens_in_a_loop(v, row, n):
    k = 0
    while k < n:
        k += 1
        v = row * np.sin(v) + v
    return np.sum(v**2)


@program(args=(C[:2], R, 3), also=((C[:2], R, 1), (C[:1], R[:1], 2)), wrt=(0, 1))
def widens_crosswise_in_a_loop(v, row, n):
    w = v * 2
    for _ in range(n):
        v, w = row - v, w[:, :1] * v
    return np.sum(v * np.cos(w))
