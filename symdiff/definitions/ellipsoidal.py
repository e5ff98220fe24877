"""Lamé's functions of ``scipy.special``, by both axes and by the argument.

Such a function is a factor times a polynomial in ``s**2``, whose coefficients Lamé's equation (DLMF
29.2.1) gives one after the other, from the first down to the constant one. Around the square of the
first axis the matrix of this equation has positive products beside the diagonal: that is similar to
a symmetric one, whose eigenvalues are differentiated.
"""

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.libraries import when_imported


def _class(n, p):
    """Whether the factor has ``s`` and the root beside each axis, how many functions have the same
    one, and which one of these it is (DLMF 29.12, Table 29.12.1).
    """
    half, is_odd = n // 2, n % 2
    if p <= half + 1:
        return is_odd, 0, 0, half + 1, p - 1
    if p <= n + 1:
        return 1 - is_odd, 1, 0, n - half, p - half - 2
    if p <= 2 * n + 1 - half:
        return 1 - is_odd, 0, 1, n - half, p - n - 2
    return is_odd, 1, 1, half, p - (2 * n - half) - 2


def _shared(one, other):
    """What both exponents of a factor, halves of these, leave in the equation."""
    return 2 * one * other + one + other


def _coefficients(h2, k2, n, powers, count, place):
    """Those of the polynomial in ``s**2 - h2``, from the highest power, of which there is 1, down;
    ``powers`` are twice the exponents of the factor at 0, ``h2`` and ``k2``.
    """
    at_zero, at_first, at_second = powers
    low, high = -h2, k2 - h2
    j = np.arange(count)
    shared = _shared(at_first, at_zero), _shared(at_first, at_second), _shared(at_zero, at_second)
    up = 4 * j * (j - 1) + 2 * j * (3 + 2 * sum(powers)) + sum(shared) - n * (n + 1)
    steps = (1 + 2 * at_first) * (low + high) + (1 + 2 * at_zero) * high + (1 + 2 * at_second) * low
    middle = -4 * j * (j - 1) * (low + high) - 2 * j * steps
    middle = middle - shared[0] * high - shared[1] * low
    down = low * high * (4 * j * (j - 1) + 2 * j * (1 + 2 * at_first))
    beside = np.sqrt(up[:-1] * down[1:])
    symmetric = np.diag(middle) + np.diag(beside, 1) + np.diag(beside, -1)
    value = np.linalg.eigvalsh(symmetric)[count - 1 - place]
    found = np.zeros(count)
    found[0] = 1.0
    for k in range(1, count):
        row = count - k
        left = (value - middle[row]) * found[k - 1]
        if k > 1:
            left = left - down[row + 1] * found[k - 2]
        found[k] = left / up[row - 1]
    return found


def ellip_harm(h2, k2, n, p, s, signm=1, signn=1):
    if np.size(h2) != 1 or np.size(k2) != 1 or np.ndim(n) > 0 or np.ndim(p) > 0:
        refuse("arrays of axes, degrees or orders (go over them one by one)")
    if n < 0 or p < 1 or p > 2 * n + 1:
        refuse("an order p outside of 1 to 2 n + 1")
    has_s, has_first, has_second, count, place = _class(n, p)
    s = np.asarray(s)
    more = max(np.ndim(h2), np.ndim(k2), s.ndim) - s.ndim
    s = np.reshape(s, (1,) * more + s.shape)
    h2, k2 = np.reshape(h2, ()), np.reshape(k2, ())
    found = np.zeros(s.shape)
    for coefficient in _coefficients(h2, k2, n, (has_s, has_first, has_second), count, place):
        found = found * (s * s - h2) + coefficient
    if has_s:
        found = found * s
    if has_first:
        found = found * (signm * np.sqrt(np.abs(s * s - h2)))
    if has_second:
        found = found * (signn * np.sqrt(np.abs(s * s - k2)))
    return found if found.ndim > 0 else np.float64(found)


@when_imported("scipy.special")
def register(special):
    """Say what the functions mean."""
    registered(special, ellip_harm, rounded=True)
