"""Derivatives that generated code calls: of the distribution of Kolmogorov's statistic of samples.

Of few samples it is a polynomial between the multiples of ``1 / n``, an entry of the power of a
matrix (Durbin 1968; Marsaglia, Tsang and Wang 2003), which is taken of power series here. In the
tail it is 1 less twice Smirnov's (Miller 1956), and of many samples Pelz and Good's (1976) series.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symdiff.ops.incomplete_values import _floating, smirnov_tail

_MANY = 10_000  # samples, of which powers of matrices take too long
_TAIL = 5.0  # the product of n and the square of d, beyond which both differences do not meet


def kolmogorov_of_samples(d: Any, n: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of ``kolmogn(n, d)``, the probability that the largest difference of ``n``
    samples is ``d`` or less, by ``d``, whose order is the first.

    >>> kolmogorov_of_samples(0.75, 1, orders=(1, 0))
    np.float64(2.0)
    """
    return _of_samples(d, n, orders[0], True)


def kolmogorov_tail_of_samples(d: Any, n: Any, orders: tuple[int, ...]) -> Any:
    """A derivative of what ``kolmogorov_of_samples`` leaves of 1.

    >>> kolmogorov_tail_of_samples(0.75, 1, orders=(1, 0))
    np.float64(-2.0)
    """
    return _of_samples(d, n, orders[0], False)


def _of_samples(d: Any, n: Any, order: int, cdf: bool) -> Any:
    dtype = _floating(n, d)
    n, d = np.broadcast_arrays(np.asarray(n, np.float64), np.asarray(d, np.float64))
    made = np.full(n.shape, np.nan)
    for place in np.ndindex(n.shape):
        count, difference = float(n[place]), float(d[place])
        if count < 1.0 or count % 1.0 != 0.0 or difference != difference:
            continue
        if order == 0:
            from scipy.stats._ksstats import kolmogn

            made[place] = kolmogn(int(count), difference, cdf=cdf)
        else:
            slope = _slope(int(count), difference, order)
            made[place] = slope if cdf else -slope
    return made.astype(dtype)[()]


def _slope(n: int, d: float, order: int) -> Any:
    if 2.0 * n * d <= 1.0 or d >= 1.0:
        return 0.0
    if d >= 0.5 or n * d * d > _TAIL:
        return -2.0 * smirnov_tail(d, n, (order, 0))
    return _of_many(n, d, order) if n > _MANY else _of_few(n, d, order)


def _of_few(n: int, d: float, order: int) -> Any:
    """The middle entry of ``n! / n**n * H**n``, where ``H`` depends on ``h``, how far ``n d`` lies
    below the next whole number: of the power of a series in ``h``.
    """
    k = math.ceil(n * d)
    matrix = _series(2 * k - 1, k - n * d, order)
    row = np.zeros((order + 1, 1, 2 * k - 1))
    row[0, 0, k - 1] = 1.0
    logarithm, scale = math.lgamma(n + 1.0) - n * math.log(n), 0.0
    left = n
    while left:
        if left % 2:
            row = _product(row, matrix)
            logarithm += scale
            size = np.max(np.abs(row[0]))
            row, logarithm = row / size, logarithm + math.log(size)
        left //= 2
        if left:
            matrix = _product(matrix, matrix)
            size = np.max(np.abs(matrix[0]))
            matrix, scale = matrix / size, 2.0 * scale + math.log(size)
    slope = row[order, 0, k - 1] * math.factorial(order) * (-1.0 * n) ** order
    return slope * math.exp(logarithm)


def _series(m: int, h: float, order: int) -> Any:
    """The matrix, with its coefficients of what is added to ``h``."""
    inverse = np.exp([-math.lgamma(j + 1.0) for j in range(m + 1)])
    made = np.zeros((order + 1, m, m))
    for i in range(m):
        made[0, i, : min(i + 2, m)] = inverse[i + 1 :: -1][: min(i + 2, m)]
    beyond = max(2.0 * h - 1.0, 0.0)
    powers = np.arange(1, m + 1)
    for r in range(order + 1):
        column = -_coefficients(h, powers, r) * inverse[1:]
        last = 2.0**r * _coefficients(beyond, powers[-1:], r) if beyond > 0.0 else np.zeros(1)
        column[-1] = (last[0] - 2.0 * _coefficients(h, powers[-1:], r)[0]) * inverse[m]
        made[r, :, 0] = column + (inverse[1:] if r == 0 else 0.0)
        made[r, -1, :] = made[r, ::-1, 0]
    return made


def _coefficients(h: float, powers: Any, r: int) -> Any:
    """Of ``(h + e)**p`` those of ``e**r``."""
    chosen = np.array([math.comb(p, r) for p in powers], np.float64)
    return chosen * np.power(h, np.maximum(powers - r, 0))


def _product(a: Any, b: Any) -> Any:
    """Of two series of matrices the product, to the order that they have."""
    made = [sum(a[s] @ b[r - s] for s in range(r + 1)) for r in range(len(a))]
    return np.stack(made)


def _of_many(n: int, d: float, order: int) -> Any:
    """Of sums of ``c z**p exp(-b / z**2)``, where ``z`` is ``d`` times the root of ``n``."""
    z, total = math.sqrt(n) * d, 0.0
    for part, terms in enumerate(_terms()):
        for b, powers in terms:
            for _ in range(order):
                powers = _derived(powers, b)
            height = sum(c * z**p for p, c in powers.items()) * math.exp(-b / z**2)
            total += height * n ** (0.5 * (order - part))
    return total


def _derived(powers: dict[int, float], b: float) -> dict[int, float]:
    made: dict[int, float] = {}
    for p, c in powers.items():
        made[p - 1] = made.get(p - 1, 0.0) + p * c
        made[p - 3] = made.get(p - 3, 0.0) + 2.0 * b * c
    return made


def _terms() -> Any:
    """The four series, in falling powers of the root of ``n``: the factors of ``-1 / z**2`` in
    exponents, with the coefficients by powers of ``z``.
    """
    root, square = math.sqrt(2.0 * math.pi), math.pi**2
    odd = [(square / 8.0 * m**2, m**2) for m in range(1, 40, 2)]
    whole = [(square / 2.0 * k**2, k**2) for k in range(1, 20)]
    yield [(b, {-1: root}) for b, _ in odd]
    yield [(b, {-2: -root / 6.0, -4: root / 24.0 * square * m}) for b, m in odd]
    by_n = root / 72.0
    second = [
        (
            b,
            {
                -1: 6.0 * by_n,
                -3: by_n * (2.0 + square * m / 2.0),
                -5: -by_n * (5.0 * square * m / 4.0 + square**2 * m**2 / 8.0),
                -7: by_n * square**2 * m**2 / 16.0,
            },
        )
        for b, m in odd
    ]
    yield second + [(b, {-3: -root * square * k / 36.0}) for b, k in whole]
    by_root = root / 6480.0
    third = [
        (
            b,
            {
                -2: -90.0 * by_root,
                -4: by_root * (-30.0 - 24.0 * square * m),
                -6: by_root * (135.0 / 4.0 * square * m + 53.0 / 4.0 * square**2 * m**2),
                -8: by_root * (-15.0 / 4.0 * square**2 * m**2 - 15.0 / 32.0 * square**3 * m**3),
                -10: by_root * 5.0 / 64.0 * square**3 * m**3,
            },
        )
        for b, m in odd
    ]
    more = [
        (b, {-4: root * square * k / 72.0, -6: -root * square**2 * k**2 / 216.0}) for b, k in whole
    ]
    yield third + more
