"""Indexing for reading and writing, views and aliases, ``out=``, methods and attributes."""

import numpy as np

from tests.constructs.settings import construct

I3 = np.array([0, 2, 4])
REPEATED = np.array([1, 1, 3])

# Reading


@construct()
def elements(x, c):
    m = x.reshape(2, 3)
    return x[0] * x[-1] + m[1, 2] * m[0][1] * c + m[-1, -2] ** 2 + x[(3,)]


@construct()
def slices(x, c):
    a = x[1:-1] * x[2:] - x[:-2] * c
    b = x[::2] * x[1::2]
    return a @ a + b @ x[:3] + x[-3:] @ x[3:] + x[6:9].size


@construct()
def slices_backwards(x, c):
    a = x[::-1] * x
    b = x[4:0:-2] * c
    m = x.reshape(2, 3)[::-1, ::-2]
    return np.sum(a * x) + b @ b + np.sum(m * m) * m[0, 1]


@construct()
def slices_with_open_bounds(x, c):
    k = int(x[0] * 2.0)
    return np.sum(x[k:] ** 2) * c + np.sum(x[: k + 2] * c) + x[k:-1] @ x[k:-1] + x[-k - 1]


@construct()
def new_axes_and_ellipsis(x, c):
    m = x.reshape(2, 3)
    up = m[:, None, :] * m[None] * c
    low = m[..., np.newaxis, 0]
    return np.sum(up[0, 1]) + np.sum(low) * m[..., -1][0] + np.sum(up[..., 1] ** 2) + x[..., 2]


@construct()
def integer_arrays(x, c):
    idx = np.array([3, 0, 0, 5])
    a = x[idx] * x[[1, 1, 2, -1]]
    b = x[np.array([[0, 1], [4, 5]])]
    return np.sum(a * c) + np.sum(b @ b) + x[idx[1:]] @ x[I3]


@construct()
def integer_arrays_in_tuples(x, c):
    m = np.outer(x, x)
    d = m[I3, REPEATED]
    rows, cols = m[I3], m[:, REPEATED]
    grid = m[np.ix_([0, 1], [2, 5])]
    mixed = m[1:4, I3] * m[I3[:, None], REPEATED]
    return d @ d * c + np.sum(rows * cols.T) + np.sum(grid) * np.sum(mixed) + m[2, I3] @ x[:3]


@construct()
def boolean_masks(x, c):
    big = x[x > np.mean(x)]
    inside = (x < 9.0) & (x > 0.1) | ~(x > 0.0)
    m = x.reshape(2, 3)
    return big @ big * c + np.mean(x[inside]) + np.sum(m[m > 0.2] ** 2) + m[:, m[0] > 0.1][1, 0]


@construct()
def masks_and_integers_in_tuples(x, c):
    m = np.outer(x, x)
    keep = np.array([True, False, True, True, False, False])
    return (
        np.sum(m[keep, 1] ** 2) * c + np.sum(m[keep][:, keep]) + m[2, x > 0.0] @ x + m[0, keep][1]
    )


@construct()
def index_from_data(x, c):
    k = int(np.argmax(x))
    order = np.argsort(x)
    j = int(c * 3.0)
    return x[k] * c + x[order] @ np.arange(6.0) + x[j] * x[j - 3] + x[order[0]] ** 2


# Writing


@construct()
def elements_written(x, c):
    y = np.zeros(6)
    y[0] = x[0] * c
    y[-1] = y[0] + x[1]
    m = y.reshape(2, 3).copy()
    m[1, 1] = m[0, 0] * x[2]
    m[0][2] = c
    return y @ x + np.sum(m * m)


@construct()
def slices_written(x, c):
    y = np.ones(6)
    y[:3] = x[3:] * c
    y[4:6] = [x[2], 2.0]
    y[::2] = y[1::2] * 2.0
    z = x.copy()
    z[::-2] = c
    z[1:4] = z[2:5] ** 2
    z[:] = z * x
    y[...] = y + z
    return y @ y


@construct()
def blocks_written(x, c):
    m = np.zeros((3, 4))
    m[1:, :3] = x.reshape(2, 3) * c
    m[0] = m[1] * 2.0
    m[:, -1] = m[:, 0] * m[:, 1]
    m[..., 2] *= x[:3]
    m[::2, 1:3] = np.outer(x[:2], x[2:4])
    m[1, None] += c
    return np.sum(m @ m.T)


@construct()
def integer_arrays_written(x, c):
    y = x.copy()
    y[I3] = x[:3] * c
    y[[1, 3]] *= y[[0, 2]]
    m = np.ones((3, 4))
    m[[0, 1, 2], [1, 1, 3]] = x[3:]
    m[[0, 2]] *= c
    m[:, [0, 3]] += np.outer(x[:3], x[:2])
    return y @ y + np.sum(m * m)


@construct()
def repeated_indices_written(x, c):
    y = x.copy()
    y[REPEATED] += x[:3] * c
    y[[0, 0, 2]] *= x[3:]
    z = np.zeros(6)
    z[REPEATED] = x[3:] * c
    w = np.zeros(6)
    np.add.at(w, REPEATED, x[:3] ** 2)
    np.subtract.at(w, [0, 0], c * x[0])
    return y @ y + z @ x + w @ w


@construct()
def masks_written(x, c):
    y = x.copy()
    y[y > 1.0] = c
    y[y < 0.9] *= x[0]
    y[x > 0.1] += x * c
    m = x.reshape(2, 3) * 1.0
    m[m > 0.2] -= c * 0.1
    m[:, np.array([True, False, True])] *= 2.0
    return y @ y + np.sum(m * m)


@construct()
def masked_update_of_the_selected(x, c):
    y = x.copy()
    big = y > 0.5
    y[big] = y[big] ** 2 * c
    y[big] -= x[big] * 0.2
    return y @ y


@construct()
def swaps(x, c):
    m = np.outer(x[:3], x[3:]) * c
    m[[0, 2]] = m[[2, 0]]
    m[:, [0, 1]] = m[:, [1, 0]]
    y = x.copy()
    y[0], y[1] = y[1], y[0] * c
    y[::2], y[1::2] = y[1::2].copy(), y[::2].copy()
    y[[1, 4]] = y[[4, 1]]
    return np.sum(m * np.arange(9.0).reshape(3, 3)) + y @ np.arange(6.0) * y[0]


@construct()
def rows_swapped_without_a_copy(x, c):
    m = x.reshape(2, 3) * c
    m[0], m[1] = m[1], m[0]
    return m[0] @ x[:3] + m[1, 0]


@construct()
def overlapping_writes(x, c):
    y = x.copy()
    y[1:] = y[:-1] * c
    y[:-1] += y[1:]
    y[::-1] = y * x
    y[:3] = y[1:4][::-1]
    return y @ np.arange(1.0, 7.0)


@construct()
def written_in_loops(x, c):
    y = x.copy()
    for i in range(1, 5):
        y[i] = 0.5 * (y[i - 1] + y[i + 1]) * c
        y[i - 1 : i + 1] *= 0.9
        y[[0, i]] += x[i]
    for row in y.reshape(3, 2):
        row[0] *= row[1]
    return y @ y


# Views and aliases


@construct()
def views_written(x, c):
    m = np.outer(x[:2], x[2:5]) * c
    row, column = m[1], m[:, 0]
    row[2] = row[0] * row[1]
    column[:] = column**2
    inner = m[:, 1:][:, ::-1]
    inner[0, 0] += c
    return np.sum(m * m) + row @ x[:3]


@construct()
def transposes_and_reshapes_written(x, c):
    m = x.reshape(2, 3) * c
    t, f, r = m.T, m.reshape(-1), m.ravel()
    t[0] = t[1] * t[2]
    f[5] = f[0] ** 2
    r[::2] += 0.5
    s = np.swapaxes(m, 0, 1)
    s[1] *= 2.0
    e = m[None].squeeze(0)
    e[0, 0] = c
    return np.sum(m * m) + t[2, 1] * f[-1]


@construct()
def diagonals_and_flat_written(x, c):
    m = np.outer(x[:3], x[3:])
    i = np.arange(3)
    m[i, i] = m[i, i] ** 2 * c
    m.flat[1] = x[0] * c
    np.fill_diagonal(m[1:, 1:], x[:2] * 1.0)
    return np.sum(m @ m) + np.diag(m)[1] * m.diagonal()[2] + np.trace(m)


@construct()
def two_names_for_one_array(x, c):
    a = x.copy()
    b = a
    b[0] = x[1] * c
    a[1] += b[0]
    b *= 2.0
    a = a * a
    b[3] = c * x[3]
    return a @ a + b @ x


@construct()
def one_of_two_arrays(x, c):
    a, b = x[:3] * 1.0, x[3:] * 1.0
    target = a if x[0] < x[1] else b
    target[0] = c * x[2]
    target *= 2.0
    return a @ b + target[0]


@construct()
def copies_do_not_alias(x, c):
    a = x.copy()
    b, d, e = a[:3].copy(), np.array(a), a[[0, 1]]
    f = a[a > 0.0]
    a[:] = c
    b[0], d[1], e[0], f[2] = a[0] * x[1], 2.0 * c, x[2], a[1]
    return b @ b + d @ x + e[0] * e[1] + f @ x + a[3]


def _axpy(y, alpha, v):
    y += alpha * v


def _normalised(v):
    v /= np.sqrt(v @ v)
    v[0] = 1.0
    return v


def _rebinds(v):
    v = v * 100.0
    v[0] = 7.0


def _nested(v, c):
    _axpy(v[1:], c, v[:-1].copy())
    return v


@construct()
def called_function_writes_its_argument(x, c):
    y = np.ones(6)
    _axpy(y, c, x)
    _axpy(y[2:5], 2.0, x[:3])
    z = _normalised(y)
    z[1] += c
    _rebinds(y)
    _nested(y, c)[0] *= 2.0
    return y @ x + z[1] * y[1]


@construct()
def called_function_adds_a_product(x, c):
    def residual(r, a, v):
        r -= a @ v
        r[0] *= c

    r = x[:2] * 1.0
    residual(r, x[2:].reshape(2, 2), x[:2] * c)
    return r @ r


@construct()
def out_of_functions(x, c):
    y, z = np.empty(6), np.zeros(6)
    np.multiply(x, c, out=y)
    np.sin(y, out=y)
    np.add(y[:3], x[3:], out=z[::2])
    np.exp(z, z)
    m = np.empty((2, 2))
    np.matmul(x[:4].reshape(2, 2), x[2:].reshape(2, 2), out=m)
    np.cumsum(y, out=y)
    s = np.sum(m, axis=0, out=np.zeros(2))
    return y @ z + s @ s + np.maximum(x, c, out=np.empty(6))[0]


@construct()
def ping_pong_buffers(x, c):
    u, v = x.copy(), np.zeros_like(x)
    for _ in range(3):
        v[1:-1] = u[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1] * c
        v[0], v[-1] = u[0], u[-1]
        u, v = v, u
    return u @ x + v[2]


@construct()
def arrays_shared_by_structures(x, c):
    buffer = np.zeros(3)
    box = {"a": buffer, "b": [buffer, buffer[1:]]}
    box["a"][0] = x[0] * c
    box["b"][1][1] = x[2] ** 2
    buffer += x[3:]
    box["b"][0] *= 2.0
    return box["a"][0] * buffer[1] + buffer[2]


# Methods and attributes


@construct()
def reductions_as_methods(x, c):
    m = x.reshape(2, 3) * c
    a = m.sum(axis=0) * m.mean(0) + m.prod(axis=0) + m.var(axis=0) + m.std(0)
    b = m.sum(axis=1, keepdims=True) * m
    d = m.max(axis=1) * m.min(axis=-1)
    return a @ a + b.sum() + d.sum() + m.sum() * x.max() + x.min() * m.trace()


@construct()
def shapes_as_attributes(x, c):
    m = x.reshape(2, -1)
    rows, columns = m.shape
    y = m.T.reshape(-1) @ x / x.shape[0]
    w = m.reshape((3, 2)).T
    return y * c + w.sum(axis=1)[0] * x.size * m.ndim + rows * columns * len(m) * m[0, 0] ** 2


@construct()
def methods_that_copy_and_convert(x, c):
    a = x.copy().dot(x) * x.flatten()[1] + x.ravel()[2]
    b = x.astype(float).clip(0.3, 5.0) * c
    d = np.array(x.tolist()[:2]) @ x[:2] + x.item(3) * x[1].item() + float(x[2])
    e = x.repeat(2).reshape(6, 2).mean(axis=1) @ x.take([0, 2, 2, 1, 1, 0])
    return a + b @ b + d + e + x.argmax() * c + x.round(1).size * c


@construct()
def methods_that_change_in_place(x, c):
    y = x * c
    y.sort()
    z = np.zeros(6)
    z.fill(c)
    z[::2] = y[1::2]
    return y @ np.arange(6.0) * z[0] + z @ x


@construct()
def transposes_as_methods(x, c):
    t = np.outer(x, x).reshape(2, 3, 6)
    a = t.transpose(2, 0, 1) * c
    b = t.swapaxes(0, 2)
    return np.sum(a[1] * b[2].T) + np.sum(t.T[0] * c) + t.squeeze().cumsum()[3] + t.diagonal()[0, 0]


@construct()
def other_methods(x, c):
    z = x + 1j * c
    m = x.reshape(2, 3)
    a = x.cumprod()[2] * z.real[0] + z.imag[1] * z.conj().imag[2]
    b = np.sum(m.cumsum(axis=1)) * x[x.nonzero()[0]][0] + x.any() * c
    return a * b + m.flatten(order="F") @ x


def _scaled_tail(a, c, first):
    if 50.0 < a.mean():
        a = a
    else:
        if c > 0.4:
            b = a
        else:
            a = a - a * c
        a *= np.concatenate([a, a]).mean()
        a = a[first:]
    return np.hstack([a, a[:1]])


@construct(1)
def a_view_of_what_one_case_has(x, c, first):
    y, z = x * c, x * (c - 0.5)
    whole, tail = _scaled_tail(y, c, 0), _scaled_tail(z, c - 0.5, first)
    return np.sum(whole * whole[0]) + np.sum(tail**2) + np.sum(y**2 * z)
