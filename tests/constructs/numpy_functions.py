"""The functions of NumPy that programs use, by family."""

import numpy as np

from tests.constructs.settings import construct


@construct()
def arithmetic(x, c):
    a = x + c - 2 * x / (c + x) + x**2 - c**x + x**3.5
    b = np.add(x, c) * np.subtract(c, x) + np.multiply(x, x) / np.divide(c, x) + np.power(x, c)
    d = -x + +x * np.negative(c) + np.square(x) + np.reciprocal(x) + np.true_divide(x, 3)
    return a @ b + d @ x + np.hypot(x, c) @ x


@construct()
def integer_arithmetic(x, c):
    y = x * 4.0 + 0.3
    a = y // 1.7 + y % 1.7 + np.floor_divide(y, 2.9) + np.mod(y, 1.1) + np.fmod(y, 1.3)
    q, r = np.divmod(y, 0.9)
    n = np.arange(6) // 4 + np.arange(6) % 4
    return (a * n) @ x * c + q @ x + r @ r


@construct()
def exponentials(x, c):
    a = np.exp(-x) * np.log(x + c) + np.log1p(x) - np.expm1(-c * x)
    b = np.exp2(x) + np.log2(x + 1.0) * np.log10(x + 2.0) + np.logaddexp(x, c)
    return a @ b + np.sqrt(x) @ np.cbrt(x) * c


@construct()
def trigonometry(x, c):
    a = np.sin(x * c) * np.cos(x) + np.tan(0.3 * x) + np.arctan2(x, c)
    b = np.arcsin(0.4 * x) + np.arccos(0.3 * x) * np.arctan(x)
    d = np.sinh(x) * np.cosh(c * x) + np.tanh(x) + np.arcsinh(x) * np.arccosh(x + 1.1)
    e = np.arctanh(0.4 * x) + np.deg2rad(x) + np.degrees(x) * 0.01 + np.sinc(x)
    return a @ b + d @ e


@construct()
def steps(x, c):
    y = x * 3.0 - 3.05
    a = np.abs(y) + np.sign(y) * x + np.floor(y) + np.ceil(y) * x + np.trunc(y) + np.rint(y) * c
    b = np.maximum(y, c * x) + np.minimum(y, c) + np.fmax(y, x * 0.2) + np.clip(y, -0.93, 0.71)
    return a @ x + b @ b + np.heaviside(y, 0.5) @ x + np.fabs(y) @ x + np.fmin(y, c) @ x


@construct()
def comparisons(x, c):
    a = (
        (x > 0.3) * x
        + (x < c * 9) * c
        + (x >= 40.0)
        - (x <= 50.0) * x
        + (x == 1.0)
        + (x != 2.0) * x
    )
    b = np.logical_and(x > 0.2, x < 8) * x + np.logical_not(x > 7.0) * c + np.isfinite(x) * c
    return (
        a @ b + np.isclose(c, 50.0) + np.any(x > 9.0) + np.all(x > 0.0) * c + np.equal(x, x).sum()
    )


@construct()
def where(x, c):
    a = np.where(x > 0.97, x**2, c * x)
    m = np.where(x.reshape(2, 3) > 0.1, c, 0.0)
    with np.errstate(all="ignore"):
        b = np.where(x > 5.0, np.log(x - 5.0), x)
        d = np.where(x < 0.0, 1.0 / (x - x), np.sqrt(x))
    return a @ b + np.sum(m) * d[0] + np.where([True, False], x[:2], c)[1]


@construct()
def reductions(x, c):
    m = x.reshape(2, 3) * c
    a = np.sum(m, axis=0) * np.mean(m, axis=0) + np.prod(m, axis=0) + np.max(m, axis=0)
    b = np.var(m, axis=1) + np.std(m, axis=1) + np.min(m, axis=1) + np.mean(m, axis=-1)
    d = np.sum(m, axis=(0, 1), keepdims=True)[0, 0] + np.median(x) + np.average(x, weights=x[::-1])
    return a @ a + b @ b + d * np.amax(x) + np.ptp(x) + np.count_nonzero(x > 0.1) * c + np.nansum(x)


@construct()
def cumulations(x, c):
    a = np.cumsum(x * c) * np.cumprod(x) + np.cumsum(x[::-1])[::-1]
    b = np.diff(a) * np.diff(x, n=1)
    return a @ x + b @ b + np.sum(np.cumsum(x.reshape(2, 3), axis=1)) + np.trapezoid(x, dx=c)


@construct()
def shapes(x, c):
    m = np.reshape(x, (2, 3)) * c
    a = np.transpose(m) @ m + np.expand_dims(x[:3], 0) * np.squeeze(m[:1])
    b = np.ravel(m) @ np.broadcast_to(c, 6) + np.sum(np.swapaxes(m, 0, 1)[1])
    d = np.moveaxis(m[None], 0, -1)[0, 1, 0] + np.atleast_2d(x)[0, 1] + np.size(m) * np.ndim(m)
    return np.sum(a * a) + b * d + np.shape(m)[1] * c + np.sum(np.atleast_1d(c) * x)


@construct()
def joins_and_splits(x, c):
    a, b = np.split(x * c, 2)
    s = np.concatenate([a, b, x[:1]]) @ np.append(b, [c, x[0], x[1], 1.0])
    m = np.stack((a, b), axis=1) @ np.vstack([a[:2], b[:2]])
    t = np.hstack([a, b]) @ np.tile(a, 2) + np.repeat(a, 2) @ x
    q = np.column_stack([a, b, a * b]) + np.array_split(x, 2)[1]
    return s * t + np.sum(m) * np.sum(q @ q.T) + np.dstack([a, b])[0, 1, 0] + np.block([a, b])[4]


@construct()
def rearrangements(x, c):
    m = x.reshape(2, 3)
    a = np.roll(x, 2) * x + np.flip(x) * c
    b = np.fliplr(m) * np.flipud(m) + np.roll(m, 1, axis=1) + np.rot90(np.rot90(m))
    d = np.pad(x, 1) @ np.pad(x, (1, 1), mode="edge") + np.delete(x, 2)[1] + np.insert(x, 1, c)[1]
    return a @ x + np.sum(b * b) * d + np.take(x, [0, 3]) @ x[:2]


@construct()
def splits_at_computed_places(x, c):
    first, middle, last = np.split(x * c, np.array([1, np.argmax(x * 0.0) + 3]))
    many = np.array_split(x**2, np.cumsum([first.size, middle.size]))
    return np.sum(middle**3) * first[0] + np.prod(last) + sum(np.sum(part) ** 2 for part in many)


@construct()
def creation(x, c):
    z = np.zeros((2, 3)) + np.ones(3) * c
    f = np.full(3, c) @ np.full_like(x[:3], 2.0) + np.ones_like(x) @ x + np.zeros_like(x) @ x
    e = np.eye(3) * c + np.identity(3) + np.diag(x[:3]) + np.tri(3) * np.triu(z[:1] + np.eye(3))
    a = np.arange(6.0) * np.linspace(0.0, 1.0, 6) + np.linspace(x[0], c, 6)
    u, v = np.meshgrid(x[:2], x[2:5])
    w = np.array([[c, x[0]], [x[1], 1.0]]) + np.empty((2, 2)).shape[0] + np.asarray([x[2], c])
    return (
        np.sum(z @ e) * f
        + a @ x
        + np.sum(u * v) * np.sum(w)
        + np.sum(np.tril(e))
        + np.vander(x)[1, 2]
    )


@construct()
def products(x, c):
    a, m = x[:3], np.outer(x[:3], x[3:])
    s = np.dot(a, a) + a @ x[3:] + np.inner(a, a) + np.vdot(a, a) * c + np.dot(c, a)[1]
    n = m @ m + np.matmul(m, m.T) + np.dot(m, m) * c
    t = np.tensordot(m, m, axes=1)[0, 1] + np.kron(a, a)[4] + np.cross(a, x[3:])[0] + np.trace(n)
    return s * t + np.sum(n) * 0.1 + m @ a @ a + np.multiply.outer(a, a)[0, 2]


@construct()
def contractions(x, c):
    m, v = np.outer(x[:3], x[3:]), x[:3] * c
    a = np.einsum("i,ij,j", v, m, v) + np.einsum("ii->", m) + np.einsum("ij->j", m) @ v
    b = np.einsum("ij,jk->ik", m, m) + np.einsum("i,j->ij", v, v) + np.einsum("ij->ji", m)
    return a * np.sum(b) + np.einsum("bi,bi->b", m, m) @ v + np.einsum("...i,i", m, v)[0]


@construct()
def linear_algebra(x, c):
    a = np.outer(x[:3], x[:3]) + np.eye(3) * (1.0 + c)
    v = x[3:]
    s = np.linalg.solve(a, v) @ v + np.sum(np.linalg.solve(a, a * c)[0]) + np.linalg.det(a)
    sign, logdet = np.linalg.slogdet(a)
    low = np.linalg.cholesky(a)
    n = np.linalg.norm(v) + np.linalg.norm(a) + np.linalg.norm(a, axis=1) @ v + np.linalg.norm(v, 1)
    return (
        s + sign * logdet + np.sum(np.linalg.inv(a) * low) + n + np.linalg.matrix_power(a, 2)[0, 1]
    )


@construct()
def sorting(x, c):
    s = np.sort(x * c)
    m = np.sort(x.reshape(3, 2), axis=0)
    order = np.argsort(-x)
    return s @ np.arange(6.0) * s[0] + np.sum(m[1] ** 2) + x[order] @ np.arange(6) + x[np.argmin(x)]


@construct()
def numpy_scalars(x, c):
    a = np.float64(c) * np.sin(x[0]) + np.float64(2.0)
    b = np.int64(3) * a + np.bool_(True) * x[1]
    return a * b + np.sum(x).item() + np.max(x) * np.array(c) + np.array(x[2]).reshape(())[()]


@construct()
def a_number_that_is_pythons_on_some_path_made_numpys(x, c):
    a = np.float64(min(np.max(x), c, 90.0 + x[0]))
    b = x[1] if x[0] > 100.0 else 0.25 * float(c)
    for k in range(3):
        b = min(np.float64(b) * 2.0, 4.0)
    d = np.float64(b)
    return a * np.sum(a[a > -50.0]) + np.sum(d[...]) * x[2] + d.reshape(1)[0] ** 2 * c


@construct()
def broadcasting(x, c):
    column, row = x[:3, None] * c, x[None, 3:]
    one = np.array([c])
    m = column * row + one - x[0] + column / one
    return np.sum(m * row) + np.sum(one * x) + np.sum((column - row) ** 2 * c) + (x[:1] * x) @ x
