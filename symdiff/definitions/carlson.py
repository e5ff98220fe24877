"""Carlson's symmetric elliptic integrals of ``scipy.special``.

By duplication (Carlson 1995, "Numerical computation of real or complex elliptic integrals"; DLMF
19.36.i): each turn brings the arguments nearer to each other, with what they share taken out, and
a series in what differs is left. It has no quotients of differences, so its derivatives are right
where arguments are equal.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.libraries import when_imported

_TURNS = 18  # the differences shrink by 4 in each; arguments of 1e-300 and 1 need ten to come near
_NEAR = 8  # of two arguments between 1 and 2


def _real(*arguments):
    arrays = [np.asarray(a) for a in arguments]
    if any(a.dtype.kind == "c" for a in arrays):
        refuse("complex arguments")
    numbers = [type(a) in (int, float) for a in arguments]
    if any(numbers) and not all(numbers):  # a Python number leaves float32 as it is
        like: Any = sum(np.zeros_like(a) for a, one in zip(arrays, numbers, strict=True) if not one)
        arrays = [np.asarray(a, like.dtype) for a in arguments]
    return [a + 0.0 for a in arrays]


def _known(mean, x, y, z):
    """NaN where two of three arguments are 0, and an integral has no end."""
    zeros = (x == 0) * 1 + (y == 0) + (z == 0)
    return np.where(zeros > 1, np.nan, mean)


def _first_kind(x, y, z, turns):
    given = x, y, z
    for _ in range(turns):
        a, b, c = np.sqrt(x), np.sqrt(y), np.sqrt(z)
        shared = a * b + a * c + b * c
        x, y, z = (x + shared) / 4, (y + shared) / 4, (z + shared) / 4
    mean = _known((x + y + z) / 3, *given)
    p, q = 1 - x / mean, 1 - y / mean
    r = -p - q
    e2, e3 = p * q - r * r, p * q * r
    series = 1 - e2 / 10 + e3 / 14 + e2**2 / 24 - 3 * e2 * e3 / 44
    series = series - 5 * e2**3 / 208 + 3 * e3**2 / 104 + e2**2 * e3 / 16
    return series / np.sqrt(mean)


def _last_terms(e2, e3, e4, e5):
    """The series of the third kind, and of the second, which is one of it."""
    series = 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2**2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52
    series = series + 3 * e5 / 26 - e2**3 / 16 + 3 * e3**2 / 40 + 3 * e2 * e4 / 20
    return series + 45 * e2**2 * e3 / 272 - 9 * (e3 * e4 + e2 * e5) / 68


def _second_kind(x, y, z):
    given = x, y, z
    total, scale = 0.0 * (x + y + z), 1.0
    for _ in range(_TURNS):
        a, b, c = np.sqrt(x), np.sqrt(y), np.sqrt(z)
        shared = a * b + a * c + b * c
        total = total + scale / (c * (z + shared))
        scale = scale / 4
        x, y, z = (x + shared) / 4, (y + shared) / 4, (z + shared) / 4
    mean = _known((x + y + 3 * z) / 5, *given)
    p, q = 1 - x / mean, 1 - y / mean
    r = -(p + q) / 3
    pq = p * q
    series = _last_terms(pq - 6 * r**2, (3 * pq - 8 * r**2) * r, 3 * (pq - r**2) * r**2, pq * r**3)
    return scale * series / (mean * np.sqrt(mean)) + 3 * total


def elliprc(x, y):
    """``elliprf(x, y, y)``; of ``y < 0`` its principal value (DLMF 19.2.20)."""
    x, y = _real(x, y)
    below = y < 0
    first, second = np.where(below, x - y, x), np.where(below, -y, y)
    ratio = np.where(below, x / np.where(below, x - y, 1.0), 1.0)
    return np.sqrt(ratio) * _first_kind(first, second, second, _TURNS)


def elliprf(x, y, z):
    """The integral of the first kind."""
    x, y, z = _real(x, y, z)
    return _first_kind(x, y, z, _TURNS)


def elliprd(x, y, z):
    """The integral of the second kind."""
    x, y, z = _real(x, y, z)
    return _second_kind(x, y, z)


def elliprj(x, y, z, p):
    """The integral of the third kind, of ``p > 0``.

    :raises NotImplementedError: of ``p <= 0``, where it is a principal value.
    """
    x, y, z, p = _real(x, y, z, p)
    if np.any(p <= 0):
        raise NotImplementedError("the derivative of elliprj at p <= 0, a principal value")
    given = x, y, z
    total, scale = 0.0 * (x + y + z + p), 1.0
    for _ in range(_TURNS):
        a, b, c, d = np.sqrt(x), np.sqrt(y), np.sqrt(z), np.sqrt(p)
        shared = a * b + a * c + b * c
        product = (d + a) * (d + b) * (d + c)
        ratio = (d - a) * (d - b) * (d - c) / product
        one = np.ones_like(ratio)
        total = total + scale / product * _first_kind(one, 1 + ratio, 1 + ratio, _NEAR)
        scale = scale / 4
        x, y, z, p = (x + shared) / 4, (y + shared) / 4, (z + shared) / 4, (p + shared) / 4
    mean = _known((x + y + z + 2 * p) / 5, *given)
    u, v, w = 1 - x / mean, 1 - y / mean, 1 - z / mean
    r = -(u + v + w) / 2
    e2, uvw = u * v + u * w + v * w - 3 * r**2, u * v * w
    e3 = uvw + 2 * e2 * r + 4 * r**3
    series = _last_terms(e2, e3, (2 * uvw + e2 * r + 3 * r**3) * r, uvw * r**2)
    return scale * series / (mean * np.sqrt(mean)) + 6 * total


@when_imported("scipy.special")
def register(special):
    """Say what the functions mean."""
    registered(special, elliprc, elliprf, elliprd, elliprj, rounded=True)
