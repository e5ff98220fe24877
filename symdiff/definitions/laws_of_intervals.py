"""Continuous laws of an interval: see ``definitions.law``."""

import math

import numpy as np

from symdiff.definitions.densities import beta_density
from symdiff.definitions.law import LOG_2, LOG_PI, LOG_ROOT_2_PI, Law, Unit, risen, special
from symdiff.definitions.laws_of_the_line import Norm
from symdiff.definitions.staged import followed, slope, without_derivative


class Beta(Unit):
    shapes = ("a", "b")

    @staticmethod
    def log_density(y, a, b):
        powers = special().xlog1py(b - 1.0, -y) + special().xlogy(a - 1.0, y)
        return powers - special().betaln(a, b)

    density = staticmethod(beta_density)
    below = staticmethod(lambda y, a, b: special().betainc(a, b, y))
    above = staticmethod(lambda y, a, b: special().betaincc(a, b, y))
    quantile = staticmethod(lambda q, a, b: special().betaincinv(a, b, q))
    quantile_above = staticmethod(lambda q, a, b: special().betainccinv(a, b, q))


class Uniform(Unit):
    log_density = staticmethod(lambda y: 0.0 * y)
    below = staticmethod(lambda y: y)
    above = staticmethod(lambda y: 1.0 - y)
    quantile = staticmethod(lambda q: q)
    quantile_above = staticmethod(lambda q: 1.0 - q)


class Powerlaw(Unit):
    shapes = ("a",)
    log_density = staticmethod(lambda y, a: np.log(a) + special().xlogy(a - 1.0, y))
    density = staticmethod(lambda y, a: risen(y, a - 1.0, np.log(a) + 0.0 * y))
    below = staticmethod(lambda y, a: y**a)
    above = staticmethod(lambda y, a: -np.expm1(a * np.log(y)))
    log_below = staticmethod(lambda y, a: a * np.log(y))
    quantile = staticmethod(lambda q, a: q ** (1.0 / a))
    quantile_above = staticmethod(lambda q, a: np.exp(np.log1p(-q) / a))


class Arcsine(Unit):
    closed = False
    log_density = staticmethod(lambda y: -LOG_PI - 0.5 * np.log(y * (1.0 - y)))
    below = staticmethod(lambda y: 2.0 / math.pi * np.arcsin(np.sqrt(y)))
    above = staticmethod(lambda y: 2.0 / math.pi * np.arccos(np.sqrt(y)))


class Triang(Unit):
    shapes = ("c",)
    good = staticmethod(lambda c: np.logical_and(c >= 0, c <= 1))

    @staticmethod
    def log_density(y, c):
        rises = y < c
        up = np.where(rises, y / np.where(rises, c, 1.0), 1.0)
        down = np.where(rises, 1.0, (1.0 - y) / np.where(rises, 1.0, 1.0 - c))
        return LOG_2 + np.log(np.where(rises, up, down))

    @staticmethod
    def below(y, c):
        rises = y < c
        up = y * y / np.where(rises, c, 1.0)
        left = 1.0 - y
        return np.where(rises, up, 1.0 - left * left / np.where(rises, 1.0, 1.0 - c))

    above = staticmethod(lambda y, c: 1.0 - Triang.below(y, c))


class Loguniform(Law):
    shapes = ("a", "b")
    good = staticmethod(lambda a, b: np.logical_and(a > 0, b > a))
    support = staticmethod(lambda a, b: (a, b))
    log_density = staticmethod(lambda y, a, b: -np.log(y) - np.log(np.log(b) - np.log(a)))
    below = staticmethod(lambda y, a, b: (np.log(y) - np.log(a)) / (np.log(b) - np.log(a)))
    above = staticmethod(lambda y, a, b: (np.log(b) - np.log(y)) / (np.log(b) - np.log(a)))
    quantile = staticmethod(lambda q, a, b: np.exp(np.log(a) + q * (np.log(b) - np.log(a))))
    quantile_above = staticmethod(lambda q, a, b: np.exp(np.log(b) - q * (np.log(b) - np.log(a))))


class Truncnorm(Law):
    shapes = ("a", "b")
    good = staticmethod(lambda a, b: a < b)
    support = staticmethod(lambda a, b: (a, b))
    log_density = staticmethod(lambda y, a, b: Norm.log_density(y) - _log_mass(a, b))
    log_below = staticmethod(lambda y, a, b: _log_mass(a, y) - _log_mass(a, b))
    log_above = staticmethod(lambda y, a, b: _log_mass(y, b) - _log_mass(a, b))
    below = staticmethod(lambda y, a, b: np.exp(Truncnorm.log_below(y, a, b)))
    above = staticmethod(lambda y, a, b: np.exp(Truncnorm.log_above(y, a, b)))


def _log_mass(a, b):
    """The logarithm of what the normal distribution has between two places, in the lower tail."""
    upper = a > 0
    low = special().log_ndtr(np.where(upper, -b, a))
    high = special().log_ndtr(np.where(upper, -a, b))
    return high + np.log(-np.expm1(low - high))


class Argus(Unit):
    shapes = ("chi",)
    closed = False

    @staticmethod
    def log_density(y, chi):
        left = (1.0 - y) * (1.0 + y)
        powers = 3.0 * np.log(chi) + np.log(y) + 0.5 * np.log(left) - 0.5 * (chi * chi) * left
        return powers + LOG_2 - LOG_ROOT_2_PI - np.log(special().gammainc(1.5, 0.5 * (chi * chi)))

    @staticmethod
    def above(y, chi):
        half = 0.5 * (chi * chi)
        part = special().gammainc(1.5, half * ((1.0 - y) * (1.0 + y)))
        return part / special().gammainc(1.5, half)

    below = staticmethod(lambda y, chi: 1.0 - Argus.above(y, chi))


class Bradford(Unit):
    shapes = ("c",)
    log_density = staticmethod(lambda y, c: np.log(c) - np.log1p(c * y) - np.log(np.log1p(c)))
    below = staticmethod(lambda y, c: np.log1p(c * y) / np.log1p(c))
    above = staticmethod(lambda y, c: np.log1p(c * (1.0 - y) / (1.0 + c * y)) / np.log1p(c))
    quantile = staticmethod(lambda q, c: np.expm1(q * np.log1p(c)) / c)
    quantile_above = staticmethod(lambda q, c: np.expm1((1.0 - q) * np.log1p(c)) / c)


class Johnsonsb(Unit):
    shapes = ("a", "b")
    closed = False
    good = staticmethod(lambda a, b: np.logical_and(a == a, b > 0))

    @staticmethod
    def log_density(y, a, b):
        inner = Norm.log_density(a + b * special().logit(y))
        return np.log(b) - np.log(y) - np.log1p(-y) + inner

    below = staticmethod(lambda y, a, b: special().ndtr(a + b * special().logit(y)))
    above = staticmethod(lambda y, a, b: special().ndtr(-a - b * special().logit(y)))
    log_below = staticmethod(lambda y, a, b: special().log_ndtr(a + b * special().logit(y)))
    log_above = staticmethod(lambda y, a, b: special().log_ndtr(-a - b * special().logit(y)))
    quantile = staticmethod(lambda q, a, b: special().expit((special().ndtri(q) - a) / b))
    quantile_above = staticmethod(lambda q, a, b: special().expit((-special().ndtri(q) - a) / b))


class Truncexpon(Law):
    shapes = ("b",)
    support = staticmethod(lambda b: (0.0, b))
    log_density = staticmethod(lambda y, b: -y - np.log(-np.expm1(-b)))
    below = staticmethod(lambda y, b: np.expm1(-y) / np.expm1(-b))
    above = staticmethod(lambda y, b: np.exp(-y) * np.expm1(y - b) / np.expm1(-b))
    quantile = staticmethod(lambda q, b: -np.log1p(q * np.expm1(-b)))
    quantile_above = staticmethod(lambda q, b: -np.log1p((1.0 - q) * np.expm1(-b)))


class Truncpareto(Law):
    shapes = ("b", "c")
    good = staticmethod(lambda b, c: np.logical_and(b != 0, c > 1))
    support = staticmethod(lambda b, c: (1.0, c))

    @staticmethod
    def log_density(y, b, c):
        end = np.log(c)
        size = np.minimum(b, 0.0) * end - np.log(Truncpareto.share(end, b))
        return size - (b + 1.0) * np.log(y)

    @staticmethod
    def below(y, b, c):
        at, end = np.log(y), np.log(c)
        ratio = Truncpareto.share(at, b) / Truncpareto.share(end, b)
        return ratio * np.exp(np.minimum(b, 0.0) * (end - at))

    @staticmethod
    def share(at, b):
        """The integral of ``exp(-abs(b) t)`` from 0 on."""
        return at * special().exprel(-np.abs(b) * at)

    above = staticmethod(lambda y, b, c: 1.0 - Truncpareto.below(y, b, c))


class Anglit(Law):
    closed = False
    support = staticmethod(lambda: (-0.25 * math.pi, 0.25 * math.pi))
    log_density = staticmethod(lambda y: np.log(np.cos(2.0 * y)))
    below = staticmethod(lambda y: np.sin(y + 0.25 * math.pi) ** 2)
    above = staticmethod(lambda y: np.cos(y + 0.25 * math.pi) ** 2)
    quantile = staticmethod(lambda q: np.arcsin(np.sqrt(q)) - 0.25 * math.pi)
    quantile_above = staticmethod(lambda q: np.arccos(np.sqrt(q)) - 0.25 * math.pi)


class Cosine(Law):
    closed = False
    support = staticmethod(lambda: (-math.pi, math.pi))
    log_density = staticmethod(lambda y: 2.0 * np.log(np.cos(0.5 * y)) - LOG_PI)
    above = staticmethod(lambda y: Cosine.below(-y))

    @staticmethod
    def below(y):
        """``(t - sin(t)) / (2 pi)`` of the distance ``t`` from the end; near it its series."""
        t = y + math.pi
        is_near = t < 0.5
        x = np.where(is_near, t, 0.0)
        series = np.ones_like(x)
        for factor in (156.0, 110.0, 72.0, 42.0, 20.0):
            series = 1.0 - x * x / factor * series
        apart = np.where(is_near, x * x * x / 6.0 * series, t - np.sin(t))
        return apart / (2.0 * math.pi)


class Semicircular(Law):
    closed = False
    support = staticmethod(lambda: (-1.0, 1.0))
    log_density = staticmethod(lambda y: LOG_2 - LOG_PI + 0.5 * np.log((1.0 - y) * (1.0 + y)))
    above = staticmethod(lambda y: special().betainc(1.5, 1.5, 0.5 * (1.0 - y)))
    below = staticmethod(lambda y: special().betainc(1.5, 1.5, 0.5 * (1.0 + y)))


class Rdist(Law):
    shapes = ("c",)
    closed = False
    support = staticmethod(lambda c: (-1.0, 1.0))

    @staticmethod
    def log_density(y, c):
        power = (0.5 * c - 1.0) * np.log((1.0 - y) * (1.0 + y))
        return power - special().betaln(0.5 * c, 0.5)

    below = staticmethod(lambda y, c: special().betainc(0.5 * c, 0.5 * c, 0.5 * (1.0 + y)))
    above = staticmethod(lambda y, c: special().betainc(0.5 * c, 0.5 * c, 0.5 * (1.0 - y)))


class Wrapcauchy(Law):
    shapes = ("c",)
    good = staticmethod(lambda c: np.logical_and(c > 0, c < 1))
    support = staticmethod(lambda c: (0.0, 2.0 * math.pi))

    @staticmethod
    def log_density(y, c):
        sine, rest = np.sin(0.5 * y), 1.0 - c
        around = rest * rest + 4.0 * c * (sine * sine)
        return np.log1p(c) + np.log(rest) - 2.0 * LOG_ROOT_2_PI - np.log(around)

    @staticmethod
    def below(y, c):
        sine, cosine = (1.0 + c) * np.sin(0.5 * y), (1.0 - c) * np.cos(0.5 * y)
        return np.arctan2(sine, cosine) / math.pi

    above = staticmethod(lambda y, c: Wrapcauchy.below(2.0 * math.pi - y, c))

    @staticmethod
    def quantile(q, c):
        sine, cosine = (1.0 - c) * np.sin(math.pi * q), (1.0 + c) * np.cos(math.pi * q)
        return 2.0 * np.arctan2(sine, cosine)


class Ksone(Unit):
    """Of the largest difference one way of the distribution function of ``n`` samples."""

    shapes = ("n",)
    good = staticmethod(lambda n: np.logical_and(n >= 1, n == np.round(n)))
    above = staticmethod(lambda y, n: special().smirnov(without_derivative(n), y))
    below = staticmethod(lambda y, n: 1.0 - Ksone.above(y, n))
    log_below = None  # near 0 nothing would be left of the difference
    quantile = staticmethod(lambda q, n: special().smirnovi(without_derivative(n), 1.0 - q))
    quantile_above = staticmethod(lambda q, n: special().smirnovi(without_derivative(n), q))
    log_density = staticmethod(lambda y, n: np.log(Ksone.density(y, n)))

    @staticmethod
    def density(y, n):
        def above(y, *args):
            return Ksone.above(y, n)

        return -slope("each", followed(above, (y,), ()), y)


class Kstwo(Unit):
    """Of the largest difference either way."""

    shapes = ("n",)
    good = Ksone.good
    above = staticmethod(lambda y, n: kolmogn()(without_derivative(n), y, cdf=False))
    below = staticmethod(lambda y, n: kolmogn()(without_derivative(n), y))
    log_density = staticmethod(lambda y, n: np.log(Kstwo.density(y, n)))

    @staticmethod
    def support(n):
        return 0.5 / n, 1.0

    @staticmethod
    def density(y, n):
        def below(y, *args):
            return Kstwo.below(y, n)

        return slope("each", followed(below, (y,), ()), y)


def kolmogn():
    from scipy.stats._ksstats import kolmogn as found

    return found
