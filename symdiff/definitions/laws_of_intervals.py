"""Continuous laws of an interval: see ``definitions.law``."""

import math

import numpy as np

from symdiff.definitions.law import LOG_2, LOG_PI, Law, Unit, special
from symdiff.definitions.laws_of_the_line import Norm


class Beta(Unit):
    shapes = ("a", "b")

    @staticmethod
    def log_density(y, a, b):
        powers = special().xlog1py(b - 1.0, -y) + special().xlogy(a - 1.0, y)
        return powers - special().betaln(a, b)

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
