"""Array methods and attributes, reductions, shapes, creation functions."""

import numpy as np

from tests.programs.registry import program

rng = np.random.default_rng(31)
X = rng.uniform(0.2, 1.5, 6)
M = rng.uniform(-0.5, 1.5, (3, 4))
T = rng.uniform(0.1, 1.0, (2, 3, 4))


@program(args=(M,))
def reductions_as_methods(m):
    a = m.sum(axis=0) * m.mean(0)
    b = m.sum(axis=1, keepdims=True) * m
    c = m.max(axis=1) - m.min(axis=-1)
    d = m.prod(axis=0) + m.var(axis=0) + m.std(0)
    return a @ d + b.sum() + c @ c + m.sum() * m.max()


@program(args=(T,))
def reductions_over_axes(t):
    a = np.sum(t, axis=(0, 2))
    b = np.mean(t, axis=(1, 2), keepdims=True)
    c = np.prod(t, axis=1)
    d = np.max(t, axis=(0, 1))
    e = np.sum(t**2, axis=-1)[..., 1]
    return a.prod() + np.sum(b * t) + c.mean() + d @ d + e[0] * e[1] + np.var(t, ddof=1)


@program(args=(X,))
def shapes_and_attributes(x):
    n = x.shape[0]
    m = x.reshape(2, 3)
    k, l = m.shape
    s = m.T.reshape(-1) @ x
    w = m.reshape((3, -1)).T
    return s / n + w.sum(axis=1)[0] * x.size * m.ndim + k * l * np.size(x) * m[0, 0] ** 2 + len(m)


@program(args=(X,))
def cumulative(x):
    c = np.cumsum(x)
    p = np.cumprod(x)
    d = np.diff(x) ** 2
    e = x.cumsum()[::-1]
    m = np.cumsum(x.reshape(2, 3), axis=1)
    return c @ p + d.sum() * e[2] + np.sum(m**2) + np.diff(c, n=2) @ np.ones(4)


@program(args=(X,))
def stacks_and_splits(x):
    a, b = np.split(x, 2)
    s = np.stack((a, b), axis=1)
    h = np.hstack([a, b * 2, a])
    v = np.vstack([a, b])
    c = np.concatenate((s, v.T), axis=-1)
    t = np.tile(a, 2) * np.repeat(b, 2)
    q = np.column_stack([a, b, a * b])
    return np.sum(c**2) + h @ h + np.sum(t**3) + np.sum(q @ q.T)


@program(args=(M,))
def rearrangements(m):
    r = np.roll(m, 1, axis=1) * m
    f = np.flip(m, 0) - np.fliplr(m)
    t = np.transpose(m) @ m
    e = np.expand_dims(m, 0) * m[:, None]
    sq = np.squeeze(m[:1])
    b = np.broadcast_to(m[0], (2, 4))
    k = np.roll(m, -2).ravel() @ m.flatten()
    return np.sum(r**2) + np.sum(f**2) + t.trace() + e.sum() + sq @ b[1] + k


@program(args=(0.4, X), wrt=(0, 1))
def creation(c, x):
    z = np.zeros((2, 3))
    o = np.ones_like(x) * c
    f = np.full(3, c)
    g = np.full_like(x, 2.5)
    e = np.eye(3) * c
    a = np.arange(6.0) * np.linspace(0.0, 1.0, 6)
    d = np.diag(f) + np.identity(3)
    arr = np.array([[c, x[0]], [x[1], 1.0]])
    z[0] = f
    z += np.atleast_2d(x[:3])
    t = np.tri(3) * np.triu(d + e) + np.tril(e)
    return o @ g * c + np.sum(z**2) + a @ x + t.sum() * arr[0, 0] * arr[1, 0] + np.sum(arr @ arr)


@program(args=(1, 0.6), also=[(4, 0.6)], wrt=(1,))
def full_of_unknown_length(k, p):
    a = np.full(k, p)
    b = a * np.array([p, 2.0, p * p, 1.0][:k]) + np.ones(k)
    return np.sum(a * b) + np.mean(a) * p


@program(args=(X,))
def methods_that_compute(x):
    a = x.dot(x) * x.copy().sum()
    b = x.clip(0.5, 1.0) * x
    c = x.repeat(2).reshape(6, 2).mean(axis=1)
    d = x.round(0) * x
    e = x.astype(float).ravel() * x.argmax()
    f = x.take([0, 2, 2]).prod() + x.item(3) * x[1].item() + float(x[2])
    g = np.array(x.tolist()[:2]) @ x[:2]
    return a + b.sum() + c @ d + e.max() + f + g


@program(args=(X,))
def sorting_functions(x):
    s = np.sort(x)
    m = np.median(x)
    top = np.sort(x)[::-1][:3]
    y = x.copy()
    y.sort()
    return s @ np.arange(6.0) + m**2 + top.prod() + y[0] * y[-1] + np.ptp(x)


@program(args=(M,))
def softmax_rows(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    entropy = -(p * np.log(p)).sum(axis=1)
    return entropy @ np.array([1.0, 2.0, 3.0]) + np.sum(p[:, 0] ** 2)


@program(args=(X, X[::-1].copy()), wrt=(0, 1))
def products(x, y):
    a = np.dot(x, y) + x @ y + np.inner(x, y) + np.vdot(x, y)
    o = np.outer(x, y)
    c = np.cross(x[:3], y[:3])
    k = np.kron(x[:2], y[:2])
    t = np.tensordot(o, o, axes=1)
    return a * o[1, 2] + c @ c + k.sum() ** 2 + t.trace() * 0.1


@program(args=(X,))
def type_conversions(x):
    i = np.arange(6)
    n = int(np.sum(x > 0.5))
    y = x * i / n
    z = np.asarray(x, dtype=np.float64) * (x > 0.7).astype(float)
    w = np.float64(2.0) * x + np.float64(x[0])
    b = (x > 0.9) * x
    return y @ z + w.sum() * float(np.sum(b)) + np.sum(i // 2 * x**2) + np.bool_(True) * x[1]


@program(args=(X,))
def properties_in_a_loop(x):
    y = x
    while y.size > 1:
        half = y.size // 2
        y = y[:half] * y[-half:].T + y[:half].mean()
    return y[0] ** 2


@program(args=(T,))
def transposes(t):
    a = t.transpose(2, 0, 1)
    b = np.moveaxis(t, 0, -1)
    c = t.swapaxes(0, 2)
    d = np.transpose(t, (1, 0, 2))
    return np.sum(a[1] * b[:, 1, :].T) + np.sum(c[2].T * t[:, :, 0] ** 2) + d[1].prod()


@program(args=(X,))
def items_of_arrays_of_one_element(x):
    y = x
    while len(y) > 1:
        y = 0.5 * (y[1:] + y[:-1])
    try:
        total = x[x > 0.4].item()  # of several
    except ValueError as error:
        total = x[0] * len(str(error))
    is_more = (x[:1] > 0.7).item()
    return y.item() ** 2 + total + x[x == x.max()].item() * x[1:2, None].item() * (2.0 + is_more)
