"""Continuous laws of an interval, and all of them by their names: see ``definitions.law``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symdiff.definitions.law import LOG_2, LOG_PI, Law, Unit, special
from symdiff.definitions.laws_of_positive import (
    Betaprime,
    Chi,
    Chi2,
    Expon,
    F,
    Fisk,
    Foldnorm,
    Gamma,
    Gengamma,
    Genpareto,
    Halfcauchy,
    Halfnorm,
    Invgamma,
    Invgauss,
    Levy,
    Lognorm,
    Lomax,
    Maxwell,
    Nakagami,
    Pareto,
    Rayleigh,
    Rice,
    WeibullMin,
)
from symdiff.definitions.laws_of_the_line import (
    Cauchy,
    Exponnorm,
    Genextreme,
    Gennorm,
    GumbelL,
    GumbelR,
    Hypsecant,
    Johnsonsu,
    Laplace,
    Loggamma,
    Logistic,
    Moyal,
    Norm,
    Skewnorm,
    T,
    Vonmises,
)


class Beta(Unit):
    shapes = ("a", "b")

    @staticmethod
    def log_density(y: Any, a: Any, b: Any) -> Any:
        powers = special().xlog1py(b - 1.0, -y) + special().xlogy(a - 1.0, y)
        return powers - special().betaln(a, b)

    @staticmethod
    def below(y: Any, a: Any, b: Any) -> Any:
        return special().betainc(a, b, y)

    @staticmethod
    def above(y: Any, a: Any, b: Any) -> Any:
        return special().betaincc(a, b, y)

    @staticmethod
    def quantile(q: Any, a: Any, b: Any) -> Any:
        return special().betaincinv(a, b, q)

    @staticmethod
    def quantile_above(q: Any, a: Any, b: Any) -> Any:
        return special().betainccinv(a, b, q)


class Uniform(Unit):
    @staticmethod
    def log_density(y: Any) -> Any:
        return 0.0 * y

    @staticmethod
    def below(y: Any) -> Any:
        return y

    @staticmethod
    def above(y: Any) -> Any:
        return 1.0 - y

    @staticmethod
    def quantile(q: Any) -> Any:
        return q


class Powerlaw(Unit):
    shapes = ("a",)

    @staticmethod
    def log_density(y: Any, a: Any) -> Any:
        return np.log(a) + special().xlogy(a - 1.0, y)

    @staticmethod
    def below(y: Any, a: Any) -> Any:
        return y**a

    @staticmethod
    def above(y: Any, a: Any) -> Any:
        return -np.expm1(a * np.log(y))

    @staticmethod
    def log_below(y: Any, a: Any) -> Any:
        return a * np.log(y)

    @staticmethod
    def quantile(q: Any, a: Any) -> Any:
        return q ** (1.0 / a)


class Arcsine(Unit):
    closed = False

    @staticmethod
    def log_density(y: Any) -> Any:
        return -LOG_PI - 0.5 * np.log(y * (1.0 - y))

    @staticmethod
    def below(y: Any) -> Any:
        return 2.0 / math.pi * np.arcsin(np.sqrt(y))

    @staticmethod
    def above(y: Any) -> Any:
        return 2.0 / math.pi * np.arccos(np.sqrt(y))


class Triang(Unit):
    shapes = ("c",)

    @staticmethod
    def good(c: Any) -> Any:
        return np.logical_and(c >= 0, c <= 1)

    @staticmethod
    def log_density(y: Any, c: Any) -> Any:
        rises = y < c
        up = np.where(rises, y / np.where(rises, c, 1.0), 1.0)
        down = np.where(rises, 1.0, (1.0 - y) / np.where(rises, 1.0, 1.0 - c))
        return LOG_2 + np.log(np.where(rises, up, down))

    @staticmethod
    def below(y: Any, c: Any) -> Any:
        rises = y < c
        up = y * y / np.where(rises, c, 1.0)
        left = 1.0 - y
        return np.where(rises, up, 1.0 - left * left / np.where(rises, 1.0, 1.0 - c))

    @staticmethod
    def above(y: Any, c: Any) -> Any:
        return 1.0 - Triang.below(y, c)


class Loguniform(Law):
    shapes = ("a", "b")

    @staticmethod
    def good(a: Any, b: Any) -> Any:
        return np.logical_and(a > 0, b > a)

    @staticmethod
    def support(a: Any, b: Any) -> Any:
        return a, b

    @staticmethod
    def log_density(y: Any, a: Any, b: Any) -> Any:
        return -np.log(y) - np.log(np.log(b) - np.log(a))

    @staticmethod
    def below(y: Any, a: Any, b: Any) -> Any:
        return (np.log(y) - np.log(a)) / (np.log(b) - np.log(a))

    @staticmethod
    def above(y: Any, a: Any, b: Any) -> Any:
        return (np.log(b) - np.log(y)) / (np.log(b) - np.log(a))

    @staticmethod
    def quantile(q: Any, a: Any, b: Any) -> Any:
        return np.exp(np.log(a) + q * (np.log(b) - np.log(a)))


class Truncnorm(Law):
    shapes = ("a", "b")

    @staticmethod
    def good(a: Any, b: Any) -> Any:
        return a < b

    @staticmethod
    def support(a: Any, b: Any) -> Any:
        return a, b

    @staticmethod
    def log_density(y: Any, a: Any, b: Any) -> Any:
        return Norm.log_density(y) - _log_mass(a, b)

    @staticmethod
    def below(y: Any, a: Any, b: Any) -> Any:
        return np.exp(Truncnorm.log_below(y, a, b))

    @staticmethod
    def above(y: Any, a: Any, b: Any) -> Any:
        return np.exp(Truncnorm.log_above(y, a, b))

    @staticmethod
    def log_below(y: Any, a: Any, b: Any) -> Any:
        return _log_mass(a, y) - _log_mass(a, b)

    @staticmethod
    def log_above(y: Any, a: Any, b: Any) -> Any:
        return _log_mass(y, b) - _log_mass(a, b)


def _log_mass(a: Any, b: Any) -> Any:
    """The logarithm of what the normal distribution has between two places, in the lower tail."""
    upper = a > 0
    low = special().log_ndtr(np.where(upper, -b, a))
    high = special().log_ndtr(np.where(upper, -a, b))
    return high + np.log(-np.expm1(low - high))


CONTINUOUS: dict[str, type[Law]] = {
    "arcsine": Arcsine,
    "beta": Beta,
    "betaprime": Betaprime,
    "cauchy": Cauchy,
    "chi": Chi,
    "chi2": Chi2,
    "expon": Expon,
    "exponnorm": Exponnorm,
    "f": F,
    "fisk": Fisk,
    "foldnorm": Foldnorm,
    "gamma": Gamma,
    "genextreme": Genextreme,
    "gengamma": Gengamma,
    "gennorm": Gennorm,
    "genpareto": Genpareto,
    "gumbel_l": GumbelL,
    "gumbel_r": GumbelR,
    "halfcauchy": Halfcauchy,
    "halfnorm": Halfnorm,
    "hypsecant": Hypsecant,
    "invgamma": Invgamma,
    "invgauss": Invgauss,
    "johnsonsu": Johnsonsu,
    "laplace": Laplace,
    "levy": Levy,
    "loggamma": Loggamma,
    "logistic": Logistic,
    "lognorm": Lognorm,
    "loguniform": Loguniform,
    "lomax": Lomax,
    "maxwell": Maxwell,
    "moyal": Moyal,
    "nakagami": Nakagami,
    "norm": Norm,
    "pareto": Pareto,
    "powerlaw": Powerlaw,
    "rayleigh": Rayleigh,
    "rice": Rice,
    "skewnorm": Skewnorm,
    "t": T,
    "triang": Triang,
    "truncnorm": Truncnorm,
    "uniform": Uniform,
    "vonmises": Vonmises,
    "weibull_min": WeibullMin,
}
