"""Laws of whole numbers of ``scipy.stats``, by ``scipy.special`` and NumPy.

A law says the logarithm of its mass, its distribution function ``below`` (that of ``k`` and less)
and ``above``, and where it has any: ``inside``, with the last count or without.
"""

import math
from typing import Any

import numpy as np

from symdiff.definitions.law import special
from symdiff.definitions.probabilities import zeta_less_one
from symdiff.definitions.staged import without_derivative

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


class Planck(Counts):
    shapes = ("lambda_",)
    good = staticmethod(lambda rate: rate > 0)
    log_mass = staticmethod(lambda k, rate: np.log(-np.expm1(-rate)) - rate * k)
    below = staticmethod(lambda k, rate: -np.expm1(-rate * (k + 1.0)))
    above = staticmethod(lambda k, rate: np.exp(-rate * (k + 1.0)))
    log_above = staticmethod(lambda k, rate: -rate * (k + 1.0))


class Boltzmann(Counts):
    shapes = ("lambda_", "N")

    @staticmethod
    def good(rate, n):
        return np.logical_and(rate > 0, np.logical_and(n > 0, np.floor(n) == n))

    @staticmethod
    def inside(k, *shapes, last=True):
        n = shapes[1]
        return np.logical_and(k >= 0, k <= n - 1.0 if last else k < n - 1.0)

    @staticmethod
    def log_mass(k, rate, n):
        return np.log(-np.expm1(-rate)) - np.log(-np.expm1(-rate * n)) - rate * k

    @staticmethod
    def below(k, rate, n):
        return np.expm1(-rate * (k + 1.0)) / np.expm1(-rate * n)

    @staticmethod
    def above(k, rate, n):
        end = rate * (n - k - 1.0)
        return np.exp(-rate * (k + 1.0)) * np.expm1(-end) / np.expm1(-rate * n)


class Dlaplace(Counts):
    shapes = ("a",)
    good = staticmethod(lambda a: a > 0)
    inside = staticmethod(lambda k, *shapes, last=True: k == k)
    log_mass = staticmethod(lambda k, a: np.log(np.tanh(0.5 * a)) - a * np.abs(k))


class Logser(Counts):
    shapes = ("p",)
    first = 1
    good = staticmethod(lambda p: np.logical_and(p > 0, p < 1))
    inside = staticmethod(lambda k, *shapes, last=True: k >= 1)
    log_mass = staticmethod(lambda k, p: k * np.log(p) - np.log(k) - np.log(-np.log1p(-p)))


class Yulesimon(Counts):
    shapes = ("alpha",)
    first = 1
    good = staticmethod(lambda alpha: alpha > 0)
    inside = staticmethod(lambda k, *shapes, last=True: k >= 1)
    log_mass = staticmethod(lambda k, alpha: np.log(alpha) + special().betaln(k, alpha + 1.0))


class Betanbinom(Counts):
    shapes = ("n", "a", "b")

    @staticmethod
    def good(n, a, b):
        return np.logical_and(_is_count(n), np.logical_and(a > 0, b > 0))

    @staticmethod
    def log_mass(k, n, a, b):
        betaln = special().betaln
        ways = -np.log(n + k) - betaln(n, k + 1.0)
        return ways + betaln(a + n, b + k) - betaln(a, b)


class Hypergeom(Counts):
    """Of ``M`` things ``n`` are good, and ``N`` are drawn."""

    shapes = ("M", "n", "N")

    @staticmethod
    def good(total, n, drawn):
        counts = np.logical_and(_is_count(total), np.logical_and(_is_count(n), _is_count(drawn)))
        return np.logical_and(counts, np.logical_and(n <= total, drawn <= total))

    @staticmethod
    def inside(k, *shapes, last=True):
        total, n, drawn = shapes
        return np.logical_and(k >= np.maximum(drawn + n - total, 0.0), k <= np.minimum(n, drawn))

    @staticmethod
    def log_mass(k, total, n, drawn):
        inside = Hypergeom.inside(k, total, n, drawn)
        k = np.where(inside, k, np.maximum(drawn + n - total, 0.0))
        ways = _log_ways(n, k) + _log_ways(total - n, drawn - k)
        return ways - _log_ways(total, drawn)


def _log_ways(n, k):
    """The logarithm of the number of ways to choose ``k`` of ``n``."""
    gammaln = special().gammaln
    return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)


class Skellam(Counts):
    """Differences of two counts of Poisson's law (Skellam 1946)."""

    shapes = ("mu1", "mu2")
    inside = staticmethod(lambda k, *shapes, last=True: k == k)
    good = staticmethod(lambda first, second: np.logical_and(first > 0, second > 0))

    @staticmethod
    def log_mass(k, first, second):
        one, other = np.sqrt(first), np.sqrt(second)
        apart, bessel = one - other, special().ive(np.abs(k), 2.0 * one * other)
        return k * (np.log(one) - np.log(other)) - apart * apart + np.log(bessel)


class Zipf(Counts):
    shapes = ("a",)
    first = 1
    good = staticmethod(lambda a: a > 1)
    inside = staticmethod(lambda k, *shapes, last=True: k >= 1)
    log_mass = staticmethod(lambda k, a: -a * np.log(k) - np.log1p(zeta_less_one(a)))


class Zipfian(Counts):
    """Powers of the first ``n`` counts, over the sum of them."""

    shapes = ("a", "n")
    first = 1

    @staticmethod
    def good(a, n):
        return np.logical_and(a >= 0, np.logical_and(n >= 1, np.floor(n) == n))

    @staticmethod
    def inside(k, *shapes, last=True):
        n = shapes[1]
        return np.logical_and(k >= 1, k <= n if last else k < n)

    log_mass = staticmethod(lambda k, a, n: -a * np.log(k) - np.log(_harmonic(1.0, n, a)))
    below = staticmethod(lambda k, a, n: 1 / (1 + _harmonic(k + 1.0, n, a) / _harmonic(1.0, k, a)))
    above = staticmethod(lambda k, a, n: _harmonic(k + 1.0, n, a) / _harmonic(1.0, n, a))


_SUMMED = 20  # of the first counts, of which the powers are added up one by one
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _harmonic(first, last, a):
    """The sum of ``k**-a`` from one count to another: from the twentieth on as an integral, with
    the corrections of Euler and Maclaurin (DLMF 2.10.1).
    """
    first, last = np.asarray(without_derivative(first)), np.asarray(without_derivative(last))
    counts, end = np.arange(1.0, _SUMMED), np.asarray(a)[..., None]
    is_in = np.logical_and(counts >= first[..., None], counts <= last[..., None])
    near = np.sum(np.where(is_in, np.exp(-end * np.log(counts)), 0.0), axis=-1)
    is_long = last >= _SUMMED
    start = np.maximum(first, 1.0 * _SUMMED)
    stop = np.where(is_long, last, 1.0 * _SUMMED)
    low, high = start**-a, stop**-a
    length = np.log(stop / start)
    far = low * start * length * special().exprel((1.0 - a) * length) + 0.5 * (low + high)
    factor = a
    for k, number in enumerate(_BERNOULLI):
        order = 2.0 * k + 1.0
        change = low * start**-order - high * stop**-order
        far = far + number / math.factorial(2 * k + 2) * factor * change
        factor = factor * (a + order) * (a + order + 1.0)
    return near + np.where(is_long, far, 0.0)
