"""Every basic and advanced index, read and written, repeated indices included."""

import numpy as np

from tests.programs.registry import program

rng = np.random.default_rng(11)
X = rng.uniform(0.3, 1.5, 8)
M = rng.uniform(-1.0, 1.5, (4, 5))
T = rng.uniform(0.1, 1.0, (2, 3, 4))


@program(args=(X,))
def slices_read(x):
    a = x[1:-1] * x[2:] - x[:-2]
    b = x[::2] * x[1::2]
    c = x[::-1] * x
    d = x[6:1:-2]
    e = x[-3:] * x[:3]
    return a.sum() + b @ b + np.sum(c * x) + d.prod() + e.max()


@program(args=(M, 2), also=[(M, -1)])
def matrix_reads(m, k):
    row, col = m[1], m[:, k]
    block = m[1:3, ::2]
    corner = m[-1, -1] * m[0][0]
    last = m[..., -1]
    up = m[:, None, :] * m[None, :, :]
    return row @ m[k] + col @ last + np.sum(block**2) * corner + up[1, 2].sum() + m[-2:, 1:][0, 1]


@program(args=(T,))
def three_dimensions(t):
    a = t[0, :, 1] * t[1, ..., 2]
    b = t[:, 1:, ::-2]
    c = t[..., np.newaxis, 0]
    d = t[None, 1, :2, None, 3]
    return np.sum(a) + np.sum(b * b) + np.sum(c * a[:, None]) + d.prod() + t[1, 2, 3] ** 2


@program(args=(X,))
def gathers(x):
    idx = np.array([3, 0, 0, 5])
    s = np.sum(x[idx] ** 2 * np.arange(4.0))
    t = x[[1, 1, 2]] * x[np.array([[0, 1, 2], [4, 5, 6]])]
    u = x[idx[1:]] - x[idx[:-1]]
    return s + np.sum(t**2) + u @ u + x[-idx - 1].prod()


@program(args=(M,))
def gathers_in_two_dimensions(m):
    i = np.array([0, 2, 3])
    j = np.array([4, 1, 1])
    diag = m[i, j]
    rows = m[i]
    cols = m[:, j]
    grid = m[np.ix_(i, [0, 2])]
    mixed = m[1:3, j] * m[i[:2, None], j]
    broad = m[i[:, None], np.array([0, 3])]
    s = diag @ diag + np.sum(rows**2) + diag.prod() + np.sum(rows[:, 0] * cols[:3, 2])
    return s + np.sum(grid**2) + np.sum(mixed) * np.sum(broad)


@program(args=(X, 0.8), wrt=(0, 1))
def masks_read(x, t):
    big = x[x > t]
    m = (x < 1.2) & (x > 0.5)
    return np.sum(big**2) * t + np.mean(x[m]) + x[~m].sum() * np.count_nonzero(m)


@program(args=(M,))
def masks_in_two_dimensions(m):
    pos = m[m > 0]
    rows = m[np.array([True, False, True, True])]
    cols = m[:, m[0] > 0.0]
    row = m[2, m[2] < 1.0]
    return pos @ pos + rows.prod() + np.sum(cols**3) + row.sum() ** 2


@program(args=(X,))
def slices_written(x):
    y = np.zeros(8)
    y[:3] = x[5:]
    y[3] = x[0] * x[1]
    y[-2:] = x[0]
    y[4:6] = [x[2], 2.0]
    z = x.copy()
    z[::2] = z[1::2] * 2
    z[::-3] = 0.5
    z[1:4] = z[3:6] ** 2
    z[:] = z * x
    y[...] = y + z
    return np.sum(y**2)


@program(args=(M,))
def blocks_written(m):
    a = np.ones((6, 6))
    a[1:5, :5] = m
    a[0] = a[1] * 2
    a[:, -1] = a[:, 0] * a[:, 1]
    a[2, 3] = a[3, 2] ** 2
    a[5, ::2] = m[0, :3]
    a[..., 4] *= 0.5
    a[::5, 1:3] = m[:2, 1:3] * m[2, 0]
    return np.sum(a @ a)


@program(args=(X,))
def updates_of_slices(x):
    y = x.copy()
    y[1:] += x[:-1] ** 2
    y[:-1] -= y[1:] * 0.5
    y[::2] *= x[::2]
    y[1::3] /= x[0]
    y[2] **= 3
    y[-1] += y[0]
    for i in range(1, 7):
        y[i] += y[i - 1] * x[i + 1]
        y[i - 1 : i + 1] *= 0.9
    return y @ x


@program(args=(X, np.array([0.5, 0.1, 0.2])), wrt=(0, 1))
def repeated_indices_count_once(x, v):
    y = x.copy()
    idx = np.array([2, 2, 5])
    y[idx] += v
    y[[0, 0, 1]] *= 2 * v
    z = np.zeros(8)
    z[idx] = v * x[:3]
    return np.sum(y**2 * z) + y @ y


@program(args=(X, rng.uniform(0, 1, 6)), wrt=(0, 1))
def scatter_add_counts_all(x, v):
    y = x * 0.5
    where = np.array([0, 3, 3, 7, 0, 3])
    np.add.at(y, where, v**2)
    return np.sum(y**3)


@program(args=(M,))
def scatters_in_two_dimensions(m):
    a = np.zeros((4, 5))
    i, j = np.array([0, 1, 2]), np.array([4, 4, 0])
    a[i, j] = m[i, 0] * m[j[:3] % 4, 1]
    a[i] += m[1]
    a[:, [0, 2]] *= m[:, [1, 3]]
    a[i[:, None], np.array([1, 2])] -= m[1:4, :2]
    a[np.arange(4), np.arange(4)] = 1.0
    return np.sum(a**2)


@program(args=(X, 0.9), wrt=(0, 1))
def masks_written(x, t):
    y = x.copy()
    y[y > t] = t
    y[y < 0.6] *= 2.0
    big = x > 1.0
    y[big] += x[big] ** 2
    y[~big] = x[~big] * t
    y[np.isnan(y)] = 0.0
    return np.sum(y * x)


@program(args=(M,))
def masks_written_in_two_dimensions(m):
    a = m.copy()
    a[a < 0] = 0.0
    a[:, 2][a[:, 2] > 0.5] -= 0.25
    a[m[:, 0] > 0] *= 3.0
    a[1, m[1] > 0.1] = m[2, m[1] > 0.1]
    return np.sum(a**2) + a[0, 0]


@program(args=(X,))
def swaps(x):
    a = x.copy()
    a[[0, 2]] = a[[2, 0]]
    a[3], a[4] = a[4], a[3] * 2
    a[5:7], a[0] = a[6:4:-1].copy(), a[7]
    m = a.reshape(4, 2)
    m[[1, 3]] = m[[3, 1]]
    m[:, [0, 1]] = m[:, [1, 0]]
    return m[:, 0] @ m[:, 1] * a[0] + np.sum(a * np.arange(8))


@program(args=(X, 3), also=[(X, -2)])
def computed_positions(x, k):
    n = x.shape[0]
    mid = n // 2
    a = x[mid] * x[(k + 5) % n] + x[k]
    y = x.copy()
    y[k] = a
    y[mid - 1 : mid + k % 3] = x[k]
    lo = int(np.argmin(x))
    hi = x.argmax()
    y[lo] += x[hi] ** 2
    for i in range(n):
        y[(i + 1) % n] += 0.1 * y[i - 1]
    return y @ y


@program(args=(np.array([0.9, 0.2, 1.6, 0.5, 1.3, 1.1, 0.35, 0.7]),))
def sort_and_rank(x):
    order = np.argsort(x)
    s = x[order]
    inv = np.empty(8, dtype=int)
    inv[order] = np.arange(8)
    gaps = s[1:] - s[:-1]
    return gaps @ np.arange(7.0) ** 2 + np.sum(s[inv] * x) * x[order[-1]] + gaps[inv[1] - 1] ** 2


@program(args=(M,))
def take_along(m):
    k = np.argmax(m, axis=1)
    best = np.take_along_axis(m, k[:, None], axis=1)
    picked = np.take(m, [0, 3, 3], axis=0)
    flat = np.take(m, [7, 11])
    return np.sum(best**2) * flat.prod() + np.sum(picked**2) + m.flat[3] * m.ravel()[-1]


@program(args=(X,))
def none_and_ellipsis_written(x):
    a = np.zeros((8, 1, 2))
    a[..., 0] = x[:, None]
    a[:, 0, 1] = x**2
    b = np.zeros((3, 8))
    b[1] = x
    b[2, ...] = b[1] * 2
    b[None, 0] = x[None] ** 2
    s = np.zeros(())
    s[...] = x[0] * x[1]
    s[()] += x[2]
    return np.sum(a) + np.sum(b * b[::-1]) + s * x[0]


@program(args=(np.array([0.5, 1.5, 1.0]), np.array([[0, 1], [1, 2], [2, 0], [0, 2]])))
def edges_of_a_graph(height, edges):
    flow = np.zeros(3)
    for a, b in edges:
        q = np.tanh(height[a] - height[b])
        flow[a] -= q
        flow[b] += q
    i, j = edges[:, 0], edges[:, 1]
    return flow @ flow + np.sum((height[i] - height[j]) ** 2 * flow[j])


@program(args=(X,))
def slice_objects(x):
    inner = slice(1, -1)
    s = slice(None, None, 2)
    y = x.copy()
    y[inner] = x[2:] + x[:-2]
    y[s] *= 2
    k = (slice(0, 2), 1)
    m = y.reshape(4, 2)
    return np.sum(y[inner] * x[inner]) + m[k].prod()


@program(args=(np.float64(0.7),), also=[(np.float64(-0.2),)])
def mask_of_a_scalar(x):
    v = np.where(x > 0.2, x**2, -x)
    return np.sum(v[v > 0.1]) + np.sum(v**2) + np.sum(v[v > 5.0])


@program(
    args=(np.array([[0.2713, 1.3943, -1.0917], [0.6413, -0.3247, 1.4723]]), np.array([1.2973]))
)
def sums_of_what_is_taken_along_an_axis(x, y):
    low = np.minimum(np.take(x, [0, 1], axis=-1), y)
    kept = np.compress([True, False, True], x, axis=1)
    return np.sum(low * low) + np.sum(kept * kept)


@program(args=(0.5,))
def mask_of_a_number_that_became_numpys(x):
    x = x + np.log10(2.0)
    return np.sum(x[x > 0.3]) * x[...] + x[()] ** 2 + x[None][0] + np.sum(x[x > 5.0] ** 2)
