"""Continuous laws of the whole line: see ``definitions.law``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symdiff.definitions.law import LOG_2, LOG_PI, LOG_ROOT_2_PI, Law, special


class Norm(Law):
    @staticmethod
    def log_density(y: Any) -> Any:
        return -(y * y) / 2.0 - LOG_ROOT_2_PI

    @staticmethod
    def below(y: Any) -> Any:
        return special().ndtr(y)

    @staticmethod
    def above(y: Any) -> Any:
        return special().ndtr(-y)

    @staticmethod
    def log_below(y: Any) -> Any:
        return special().log_ndtr(y)

    @staticmethod
    def log_above(y: Any) -> Any:
        return special().log_ndtr(-y)

    @staticmethod
    def quantile(q: Any) -> Any:
        return special().ndtri(q)

    @staticmethod
    def quantile_above(q: Any) -> Any:
        return -special().ndtri(q)


class T(Law):
    shapes = ("df",)

    @staticmethod
    def log_density(y: Any, df: Any) -> Any:
        gammaln = special().gammaln
        normal = df == np.inf
        few = np.where(normal, 1.0, df)
        factor = gammaln(0.5 * (few + 1.0)) - gammaln(0.5 * few)
        found = factor - 0.5 * (np.log(few) + LOG_PI)
        found = found - (few + 1.0) / 2.0 * np.log1p(y * y / few)
        return np.where(normal, Norm.log_density(y), found)

    @staticmethod
    def below(y: Any, df: Any) -> Any:
        return special().stdtr(df, y)

    @staticmethod
    def above(y: Any, df: Any) -> Any:
        return special().stdtr(df, -y)

    @staticmethod
    def quantile(q: Any, df: Any) -> Any:
        return special().stdtrit(df, q)

    @staticmethod
    def quantile_above(q: Any, df: Any) -> Any:
        return -special().stdtrit(df, q)


class Cauchy(Law):
    @staticmethod
    def log_density(y: Any) -> Any:
        return -LOG_PI - np.log1p(y * y)

    @staticmethod
    def below(y: Any) -> Any:
        return np.arctan2(1.0, -y) / math.pi

    @staticmethod
    def above(y: Any) -> Any:
        return np.arctan2(1.0, y) / math.pi

    @staticmethod
    def quantile(q: Any) -> Any:
        return np.tan(math.pi * (q - 0.5))


class Laplace(Law):
    @staticmethod
    def log_density(y: Any) -> Any:
        return -LOG_2 - np.abs(y)

    @staticmethod
    def below(y: Any) -> Any:
        tail = 0.5 * np.exp(-np.abs(y))
        return np.where(y > 0, 1.0 - tail, tail)

    @staticmethod
    def above(y: Any) -> Any:
        tail = 0.5 * np.exp(-np.abs(y))
        return np.where(y > 0, tail, 1.0 - tail)

    @staticmethod
    def quantile(q: Any) -> Any:
        return np.where(q > 0.5, -np.log(2.0 * (1.0 - q)), np.log(2.0 * q))


class Logistic(Law):
    @staticmethod
    def log_density(y: Any) -> Any:
        return special().log_expit(y) + special().log_expit(-y)

    @staticmethod
    def below(y: Any) -> Any:
        return special().expit(y)

    @staticmethod
    def above(y: Any) -> Any:
        return special().expit(-y)

    @staticmethod
    def log_below(y: Any) -> Any:
        return special().log_expit(y)

    @staticmethod
    def log_above(y: Any) -> Any:
        return special().log_expit(-y)

    @staticmethod
    def quantile(q: Any) -> Any:
        return special().logit(q)

    @staticmethod
    def quantile_above(q: Any) -> Any:
        return -special().logit(q)


class GumbelR(Law):
    @staticmethod
    def log_density(y: Any) -> Any:
        return -y - np.exp(-y)

    @staticmethod
    def below(y: Any) -> Any:
        return np.exp(-np.exp(-y))

    @staticmethod
    def above(y: Any) -> Any:
        return -np.expm1(-np.exp(-y))

    @staticmethod
    def log_below(y: Any) -> Any:
        return -np.exp(-y)

    @staticmethod
    def quantile(q: Any) -> Any:
        return -np.log(-np.log(q))

    @staticmethod
    def quantile_above(q: Any) -> Any:
        return -np.log(-np.log1p(-q))


class GumbelL(Law):
    @staticmethod
    def log_density(y: Any) -> Any:
        return y - np.exp(y)

    @staticmethod
    def below(y: Any) -> Any:
        return -np.expm1(-np.exp(y))

    @staticmethod
    def above(y: Any) -> Any:
        return np.exp(-np.exp(y))

    @staticmethod
    def log_above(y: Any) -> Any:
        return -np.exp(y)

    @staticmethod
    def quantile(q: Any) -> Any:
        return np.log(-np.log1p(-q))

    @staticmethod
    def quantile_above(q: Any) -> Any:
        return np.log(-np.log(q))


class Skewnorm(Law):
    shapes = ("a",)

    @staticmethod
    def good(a: Any) -> Any:
        return np.isfinite(a)

    @staticmethod
    def log_density(y: Any, a: Any) -> Any:
        return LOG_2 + Norm.log_density(y) + special().log_ndtr(a * y)

    @staticmethod
    def below(y: Any, a: Any) -> Any:
        return special().ndtr(y) - 2.0 * special().owens_t(y, a)

    @staticmethod
    def above(y: Any, a: Any) -> Any:
        return special().ndtr(-y) + 2.0 * special().owens_t(y, a)


class Gennorm(Law):
    shapes = ("beta",)

    @staticmethod
    def log_density(y: Any, beta: Any) -> Any:
        return np.log(0.5 * beta) - special().gammaln(1.0 / beta) - np.abs(y) ** beta

    @staticmethod
    def below(y: Any, beta: Any) -> Any:
        tail = 0.5 * special().gammaincc(1.0 / beta, np.abs(y) ** beta)
        return np.where(y > 0, 1.0 - tail, tail)

    @staticmethod
    def above(y: Any, beta: Any) -> Any:
        return Gennorm.below(-y, beta)


class Exponnorm(Law):
    shapes = ("K",)

    @staticmethod
    def log_density(y: Any, k: Any) -> Any:
        rate = 1.0 / k
        return 0.5 * rate * rate - rate * y + np.log(rate) + special().log_ndtr(y - rate)

    @staticmethod
    def below(y: Any, k: Any) -> Any:
        rate = 1.0 / k
        tail = 0.5 * rate * rate - rate * y + special().log_ndtr(y - rate)
        return special().ndtr(y) - np.exp(tail)

    @staticmethod
    def above(y: Any, k: Any) -> Any:
        rate = 1.0 / k
        tail = 0.5 * rate * rate - rate * y + special().log_ndtr(y - rate)
        return special().ndtr(-y) + np.exp(tail)


class Johnsonsu(Law):
    shapes = ("a", "b")

    @staticmethod
    def good(a: Any, b: Any) -> Any:
        return np.logical_and(a == a, b > 0)

    @staticmethod
    def log_density(y: Any, a: Any, b: Any) -> Any:
        inner = Norm.log_density(a + b * np.arcsinh(y))
        return np.log(b) - 0.5 * np.log1p(y * y) + inner

    @staticmethod
    def below(y: Any, a: Any, b: Any) -> Any:
        return special().ndtr(a + b * np.arcsinh(y))

    @staticmethod
    def above(y: Any, a: Any, b: Any) -> Any:
        return special().ndtr(-a - b * np.arcsinh(y))

    @staticmethod
    def quantile(q: Any, a: Any, b: Any) -> Any:
        return np.sinh((special().ndtri(q) - a) / b)


class Loggamma(Law):
    shapes = ("c",)

    @staticmethod
    def log_density(y: Any, c: Any) -> Any:
        return c * y - np.exp(y) - special().gammaln(c)

    @staticmethod
    def below(y: Any, c: Any) -> Any:
        return special().gammainc(c, np.exp(y))

    @staticmethod
    def above(y: Any, c: Any) -> Any:
        return special().gammaincc(c, np.exp(y))


class Moyal(Law):
    @staticmethod
    def log_density(y: Any) -> Any:
        return -0.5 * (y + np.exp(-y)) - LOG_ROOT_2_PI

    @staticmethod
    def below(y: Any) -> Any:
        return special().erfc(np.exp(-0.5 * y) / math.sqrt(2.0))

    @staticmethod
    def above(y: Any) -> Any:
        return special().erf(np.exp(-0.5 * y) / math.sqrt(2.0))


class Hypsecant(Law):
    @staticmethod
    def log_density(y: Any) -> Any:
        return LOG_2 - LOG_PI - np.logaddexp(y, -y)

    @staticmethod
    def below(y: Any) -> Any:
        return 2.0 / math.pi * np.arctan(np.exp(y))

    @staticmethod
    def above(y: Any) -> Any:
        return 2.0 / math.pi * np.arctan(np.exp(-y))


class Vonmises(Law):
    shapes = ("kappa",)

    @staticmethod
    def good(kappa: Any) -> Any:
        return kappa >= 0

    @staticmethod
    def log_density(y: Any, kappa: Any) -> Any:
        return kappa * (np.cos(y) - 1.0) - 2.0 * LOG_ROOT_2_PI - np.log(special().i0e(kappa))


class Genextreme(Law):
    shapes = ("c",)

    @staticmethod
    def good(c: Any) -> Any:
        return c == c

    @staticmethod
    def support(c: Any) -> Any:
        end = 1.0 / np.where(c == 0.0, 1.0, c)
        return np.where(c < 0.0, end, -np.inf), np.where(c > 0.0, end, np.inf)

    @staticmethod
    def log_density(y: Any, c: Any) -> Any:
        inner = _mean_log(-y, c)
        return (1.0 - c) * inner - np.exp(inner)

    @staticmethod
    def below(y: Any, c: Any) -> Any:
        return np.exp(-np.exp(_mean_log(-y, c)))

    @staticmethod
    def above(y: Any, c: Any) -> Any:
        return -np.expm1(-np.exp(_mean_log(-y, c)))

    @staticmethod
    def log_below(y: Any, c: Any) -> Any:
        return -np.exp(_mean_log(-y, c))


def _mean_log(y: Any, c: Any) -> Any:
    """``log1p(c * y) / c``, and ``y`` where ``c`` is 0."""
    return np.log(special().inv_boxcox(y, c))
