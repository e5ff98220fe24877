"""Laws of whole numbers of ``scipy.stats``, by ``scipy.special`` and NumPy.

A law says the logarithm of its mass, its distribution function ``below`` (that of ``k`` and less)
and ``above``, and where it has any: ``inside``, with the last count or without.
"""

from typing import Any

import numpy as np

from symdiff.definitions.law import special

COUNTS: dict[str, Any] = {}  # laws by what scipy.stats calls them


class Counts:
    """What most laws have: counts from 0 on."""

    shapes: tuple[str, ...] = ()
    first = 0

    def __init_subclass__(cls):
        COUNTS[cls.__name__.lower()] = cls

    @staticmethod
    def inside(k, *shapes, last=True):
        return k >= 0


def _is_share(p):
    return np.logical_and(p >= 0, p <= 1)


def _is_count(n):
    return np.logical_and(n >= 0, np.floor(n) == n)


class Poisson(Counts):
    shapes = ("mu",)
    good = staticmethod(lambda mu: mu >= 0)
    log_mass = staticmethod(lambda k, mu: special().xlogy(k, mu) - special().gammaln(k + 1.0) - mu)
    below = staticmethod(lambda k, mu: special().gammaincc(k + 1.0, mu))
    above = staticmethod(lambda k, mu: special().gammainc(k + 1.0, mu))


class Binom(Counts):
    shapes = ("n", "p")
    good = staticmethod(lambda n, p: np.logical_and(_is_count(n), _is_share(p)))

    @staticmethod
    def inside(k, *shapes, last=True):
        n = shapes[0]
        return np.logical_and(k >= 0, k <= n if last else k < n)

    @staticmethod
    def log_mass(k, n, p):
        rest = n - k
        gammaln = special().gammaln
        ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(rest + 1.0)
        return ways + special().xlogy(k, p) + special().xlog1py(rest, -p)

    below = staticmethod(lambda k, n, p: special().betainc(_rest(k, n), k + 1.0, 1.0 - p))
    above = staticmethod(lambda k, n, p: special().betainc(k + 1.0, _rest(k, n), p))


def _rest(k, n):
    """How many are left, where some are."""
    return np.where(k < n, n - k, 1.0)


class Bernoulli(Counts):
    shapes = ("p",)
    good = staticmethod(_is_share)

    @staticmethod
    def inside(k, *shapes, last=True):
        return np.logical_and(k >= 0, k <= 1 if last else k < 1)

    log_mass = staticmethod(lambda k, p: special().xlogy(k, p) + special().xlog1py(1.0 - k, -p))
    below = staticmethod(lambda k, p: 1.0 - p + 0.0 * k)
    above = staticmethod(lambda k, p: p + 0.0 * k)


class Nbinom(Counts):
    shapes = ("n", "p")
    good = staticmethod(lambda n, p: np.logical_and(n > 0, np.logical_and(p > 0, p <= 1)))

    @staticmethod
    def log_mass(k, n, p):
        gammaln = special().gammaln
        ways = gammaln(n + k) - gammaln(k + 1.0) - gammaln(n)
        return ways + n * np.log(p) + special().xlog1py(k, -p)

    below = staticmethod(lambda k, n, p: special().betainc(n, k + 1.0, p))
    above = staticmethod(lambda k, n, p: special().betaincc(n, k + 1.0, p))


class Geom(Counts):
    shapes = ("p",)
    first = 1
    good = staticmethod(lambda p: np.logical_and(p > 0, p <= 1))
    inside = staticmethod(lambda k, *shapes, last=True: k >= 1)
    log_mass = staticmethod(lambda k, p: special().xlog1py(k - 1.0, -p) + np.log(p))
    below = staticmethod(lambda k, p: -np.expm1(special().xlog1py(k, -p)))
    above = staticmethod(lambda k, p: np.exp(special().xlog1py(k, -p)))


class Betabinom(Counts):
    shapes = ("n", "a", "b")

    @staticmethod
    def good(n, a, b):
        return np.logical_and(_is_count(n), np.logical_and(a > 0, b > 0))

    @staticmethod
    def inside(k, *shapes, last=True):
        return np.logical_and(k >= 0, k <= shapes[0])

    @staticmethod
    def log_mass(k, n, a, b):
        betaln = special().betaln
        ways = -np.log(n + 1.0) - betaln(n - k + 1.0, k + 1.0)
        return ways + betaln(k + a, n - k + b) - betaln(a, b)
