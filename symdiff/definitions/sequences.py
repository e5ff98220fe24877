"""Functions of ``scipy.special`` that give several at once: Kelvin's with their derivatives, and
Riccati's Bessel functions of all orders up to one.
"""

import numpy as np

from symdiff.definitions.declare import registered
from symdiff.definitions.law import special
from symdiff.definitions.libraries import when_imported

_SERIES_BELOW = 1e-30  # the first term of a series is all of it there
_NOTHING_BELOW = 1e-60  # SciPy's functions of the second kind are what it has for infinite there


def kelvin(x):
    """Be, Ke and their derivatives."""
    return (
        special().ber(x) + 1j * special().bei(x),
        special().ker(x) + 1j * special().kei(x),
        special().berp(x) + 1j * special().beip(x),
        special().kerp(x) + 1j * special().keip(x),
    )


def riccati_jn(n, x):
    """``x j(x)`` and its derivative."""
    k = _orders(n, x)
    odd = np.cumprod(2.0 * k + 1.0)
    small = abs(x) < _SERIES_BELOW
    at = np.where(small, 1.0, x)
    near = np.where(small, x, 0.0)
    value = special().spherical_jn(k, at)
    slope = value + at * special().spherical_jn(k, at, derivative=True)
    of_series = near ** (k + 1) / odd, (k + 1) * near**k / odd
    return np.where(small, of_series[0], at * value), np.where(small, of_series[1], slope)


def riccati_yn(n, x):
    """``x y(x)`` and its derivative."""
    k = _orders(n, x)
    if x < _NOTHING_BELOW:
        first = k == 0
        return np.where(first, -1.0, -1e300), np.where(first, 0.0, 1e300)
    value = special().spherical_yn(k, x)
    return x * value, value + x * special().spherical_yn(k, x, derivative=True)


def _orders(n, x):
    """The orders from 0 to ``n``."""
    if np.ndim(n) > 0 or np.ndim(x) > 0:
        raise ValueError("arguments must be scalars.")
    if n != int(n) or n < 0:
        raise ValueError("n must be a non-negative integer.")
    return np.arange(int(n) + 1)


@when_imported("scipy.special")
def register(special):
    """Say what the functions mean; those that this SciPy has."""
    registered(special, kelvin, riccati_jn, riccati_yn, rounded=True)
