"""Laws of whole numbers of ``scipy.stats``, by ``scipy.special`` and NumPy.

A law says the logarithm of its mass, its distribution function ``below`` (that of ``k`` and less)
and ``above``, and where it has any: ``inside``, with the last count or without.
"""

from __future__ import annotations

import numpy as np


def _special():
    from scipy import special

    return special


class Counts:
    """What most laws have: counts from 0 on."""

    shapes: tuple[str, ...] = ()
    first = 0

    @staticmethod
    def inside(k, *shapes, last=True):
        return k >= 0


def _is_share(p):
    return np.logical_and(p >= 0, p <= 1)


def _is_count(n):
    return np.logical_and(n >= 0, np.floor(n) == n)


class Poisson(Counts):
    shapes = ("mu",)

    @staticmethod
    def good(mu):
        return mu >= 0

    @staticmethod
    def log_mass(k, mu):
        return _special().xlogy(k, mu) - _special().gammaln(k + 1.0) - mu

    @staticmethod
    def below(k, mu):
        return _special().gammaincc(k + 1.0, mu)

    @staticmethod
    def above(k, mu):
        return _special().gammainc(k + 1.0, mu)


class Binom(Counts):
    shapes = ("n", "p")

    @staticmethod
    def good(n, p):
        return np.logical_and(_is_count(n), _is_share(p))

    @staticmethod
    def inside(k, *shapes, last=True):
        n = shapes[0]
        return np.logical_and(k >= 0, k <= n if last else k < n)

    @staticmethod
    def log_mass(k, n, p):
        rest = n - k
        gammaln = _special().gammaln
        ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(rest + 1.0)
        return ways + _special().xlogy(k, p) + _special().xlog1py(rest, -p)

    @staticmethod
    def below(k, n, p):
        return _special().betainc(_rest(k, n), k + 1.0, 1.0 - p)

    @staticmethod
    def above(k, n, p):
        return _special().betainc(k + 1.0, _rest(k, n), p)


def _rest(k, n):
    """How many are left, where some are."""
    return np.where(k < n, n - k, 1.0)


class Bernoulli(Counts):
    shapes = ("p",)

    @staticmethod
    def good(p):
        return _is_share(p)

    @staticmethod
    def inside(k, *shapes, last=True):
        return np.logical_and(k >= 0, k <= 1 if last else k < 1)

    @staticmethod
    def log_mass(k, p):
        return _special().xlogy(k, p) + _special().xlog1py(1.0 - k, -p)

    @staticmethod
    def below(k, p):
        return 1.0 - p + 0.0 * k

    @staticmethod
    def above(k, p):
        return p + 0.0 * k


class Nbinom(Counts):
    shapes = ("n", "p")

    @staticmethod
    def good(n, p):
        return np.logical_and(n > 0, np.logical_and(p > 0, p <= 1))

    @staticmethod
    def log_mass(k, n, p):
        gammaln = _special().gammaln
        ways = gammaln(n + k) - gammaln(k + 1.0) - gammaln(n)
        return ways + n * np.log(p) + _special().xlog1py(k, -p)

    @staticmethod
    def below(k, n, p):
        return _special().betainc(n, k + 1.0, p)

    @staticmethod
    def above(k, n, p):
        return _special().betaincc(n, k + 1.0, p)


class Geom(Counts):
    shapes = ("p",)
    first = 1

    @staticmethod
    def good(p):
        return np.logical_and(p > 0, p <= 1)

    @staticmethod
    def inside(k, *shapes, last=True):
        return k >= 1

    @staticmethod
    def log_mass(k, p):
        return _special().xlog1py(k - 1.0, -p) + np.log(p)

    @staticmethod
    def below(k, p):
        return -np.expm1(_special().xlog1py(k, -p))

    @staticmethod
    def above(k, p):
        return np.exp(_special().xlog1py(k, -p))


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
        betaln = _special().betaln
        ways = -np.log(n + 1.0) - betaln(n - k + 1.0, k + 1.0)
        return ways + betaln(k + a, n - k + b) - betaln(a, b)


COUNTS: dict[str, type[Counts]] = {
    "bernoulli": Bernoulli,
    "betabinom": Betabinom,
    "binom": Binom,
    "geom": Geom,
    "nbinom": Nbinom,
    "poisson": Poisson,
}
