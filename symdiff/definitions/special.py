"""Functions that ``scipy.special`` has in Python, by those that it has as ufuncs."""

import math

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.law import special
from symdiff.definitions.libraries import when_imported


def polygamma(n, x):
    """Derivatives of the digamma function: Hurwitz's zeta functions."""
    n, x = np.asarray(n), np.asarray(x)
    factor = (-1.0) ** (n + 1) * special().gamma(n + 1.0)
    order = np.where(n == 0, 2, n + 1)
    return np.where(n == 0, special().psi(x), factor * special().zeta(order, x))


def multigammaln(a, d):
    """The logarithm of the gamma function of matrices."""
    a = np.asarray(a)
    if isinstance(d, float):
        d = int(d)
    if not isinstance(d, int):
        refuse("a dimension d that is not known where it is compiled")
    total = d * (d - 1) * 0.25 * np.log(np.pi)
    for j in range(d):
        total = total + special().loggamma(a - 0.5 * j)
    return total


def softplus(x):
    return np.logaddexp(0, x)


# Derivatives of Bessel functions ------------------------------------------------------------------


def _differences(function, sign, v, z, n):
    """The ``n``-th derivative, where the first is ``(f(v - 1) + sign * f(v + 1)) / 2``."""
    if not isinstance(n, int):
        refuse("an order of the derivative, n, that is not known where it is compiled")
    if n < 0:
        raise ValueError("n must be non-negative.")
    if n == 0:
        return function(v, z)
    v = np.asarray(v)
    total = function(v - n, z)
    for k in range(1, n + 1):
        total = total + sign**k * math.comb(n, k) * function(v - n + 2 * k, z)
    return total / 2.0**n


def jvp(v, z, n=1):
    return _differences(special().jv, -1, v, z, n)


def yvp(v, z, n=1):
    return _differences(special().yv, -1, v, z, n)


def ivp(v, z, n=1):
    return _differences(special().iv, 1, v, z, n)


def kvp(v, z, n=1):
    return (-1) ** n * _differences(special().kv, 1, v, z, n)


def h1vp(v, z, n=1):
    return _differences(special().hankel1, -1, v, z, n)


def h2vp(v, z, n=1):
    return _differences(special().hankel2, -1, v, z, n)


@when_imported("scipy.special")
def register(special):
    """Say what the functions mean; those that this SciPy has."""
    names = (polygamma, multigammaln, softplus, jvp, yvp, ivp, kvp, h1vp, h2vp)
    registered(special, *names, rounded=True)
