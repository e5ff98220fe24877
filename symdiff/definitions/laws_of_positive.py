"""Continuous laws of positive numbers: see ``definitions.law``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symdiff.definitions.law import LOG_2, LOG_PI, LOG_ROOT_2_PI, Law, Positive, special
from symdiff.definitions.laws_of_the_line import Logistic, Norm, _mean_log


class Gamma(Positive):
    shapes = ("a",)

    @staticmethod
    def log_density(y: Any, a: Any) -> Any:
        return special().xlogy(a - 1.0, y) - y - special().gammaln(a)

    @staticmethod
    def below(y: Any, a: Any) -> Any:
        return special().gammainc(a, y)

    @staticmethod
    def above(y: Any, a: Any) -> Any:
        return special().gammaincc(a, y)

    @staticmethod
    def quantile(q: Any, a: Any) -> Any:
        return special().gammaincinv(a, q)

    @staticmethod
    def quantile_above(q: Any, a: Any) -> Any:
        return special().gammainccinv(a, q)


class Invgamma(Positive):
    shapes = ("a",)
    closed = False

    @staticmethod
    def log_density(y: Any, a: Any) -> Any:
        return -(a + 1.0) * np.log(y) - special().gammaln(a) - 1.0 / y

    @staticmethod
    def below(y: Any, a: Any) -> Any:
        return special().gammaincc(a, 1.0 / y)

    @staticmethod
    def above(y: Any, a: Any) -> Any:
        return special().gammainc(a, 1.0 / y)

    @staticmethod
    def quantile(q: Any, a: Any) -> Any:
        return 1.0 / special().gammainccinv(a, q)

    @staticmethod
    def quantile_above(q: Any, a: Any) -> Any:
        return 1.0 / special().gammaincinv(a, q)


class Gengamma(Positive):
    shapes = ("a", "c")

    @staticmethod
    def log_density(y: Any, a: Any, c: Any) -> Any:
        return np.log(c) + special().xlogy(c * a - 1.0, y) - y**c - special().gammaln(a)

    @staticmethod
    def below(y: Any, a: Any, c: Any) -> Any:
        return special().gammainc(a, y**c)

    @staticmethod
    def above(y: Any, a: Any, c: Any) -> Any:
        return special().gammaincc(a, y**c)


class Chi2(Positive):
    shapes = ("df",)

    @staticmethod
    def log_density(y: Any, df: Any) -> Any:
        return Gamma.log_density(0.5 * y, 0.5 * df) - LOG_2

    @staticmethod
    def below(y: Any, df: Any) -> Any:
        return special().chdtr(df, y)

    @staticmethod
    def above(y: Any, df: Any) -> Any:
        return special().chdtrc(df, y)

    @staticmethod
    def quantile(q: Any, df: Any) -> Any:
        return 2.0 * special().gammaincinv(0.5 * df, q)

    @staticmethod
    def quantile_above(q: Any, df: Any) -> Any:
        return 2.0 * special().gammainccinv(0.5 * df, q)


class Chi(Positive):
    shapes = ("df",)

    @staticmethod
    def log_density(y: Any, df: Any) -> Any:
        factor = (0.5 * df - 1.0) * LOG_2 + special().gammaln(0.5 * df)
        return special().xlogy(df - 1.0, y) - 0.5 * (y * y) - factor

    @staticmethod
    def below(y: Any, df: Any) -> Any:
        return special().gammainc(0.5 * df, 0.5 * (y * y))

    @staticmethod
    def above(y: Any, df: Any) -> Any:
        return special().gammaincc(0.5 * df, 0.5 * (y * y))


class F(Positive):
    shapes = ("dfn", "dfd")

    @staticmethod
    def log_density(y: Any, n: Any, d: Any) -> Any:
        ratio = n / d
        powers = special().xlogy(0.5 * n - 1.0, y) - 0.5 * (n + d) * np.log1p(ratio * y)
        return 0.5 * n * np.log(ratio) + powers - special().betaln(0.5 * n, 0.5 * d)

    @staticmethod
    def below(y: Any, n: Any, d: Any) -> Any:
        return special().fdtr(n, d, y)

    @staticmethod
    def above(y: Any, n: Any, d: Any) -> Any:
        return special().fdtrc(n, d, y)


class Betaprime(Positive):
    shapes = ("a", "b")

    @staticmethod
    def log_density(y: Any, a: Any, b: Any) -> Any:
        powers = special().xlogy(a - 1.0, y) - (a + b) * np.log1p(y)
        return powers - special().betaln(a, b)

    @staticmethod
    def below(y: Any, a: Any, b: Any) -> Any:
        return special().betainc(a, b, y / (1.0 + y))

    @staticmethod
    def above(y: Any, a: Any, b: Any) -> Any:
        return special().betainc(b, a, 1.0 / (1.0 + y))


class Expon(Positive):
    @staticmethod
    def log_density(y: Any) -> Any:
        return -y

    @staticmethod
    def below(y: Any) -> Any:
        return -np.expm1(-y)

    @staticmethod
    def above(y: Any) -> Any:
        return np.exp(-y)

    @staticmethod
    def log_above(y: Any) -> Any:
        return -y

    @staticmethod
    def quantile(q: Any) -> Any:
        return -np.log1p(-q)

    @staticmethod
    def quantile_above(q: Any) -> Any:
        return -np.log(q)


class WeibullMin(Positive):
    shapes = ("c",)

    @staticmethod
    def log_density(y: Any, c: Any) -> Any:
        return np.log(c) + special().xlogy(c - 1.0, y) - y**c

    @staticmethod
    def below(y: Any, c: Any) -> Any:
        return -np.expm1(-(y**c))

    @staticmethod
    def above(y: Any, c: Any) -> Any:
        return np.exp(-(y**c))

    @staticmethod
    def log_above(y: Any, c: Any) -> Any:
        return -(y**c)

    @staticmethod
    def quantile(q: Any, c: Any) -> Any:
        return (-np.log1p(-q)) ** (1.0 / c)

    @staticmethod
    def quantile_above(q: Any, c: Any) -> Any:
        return (-np.log(q)) ** (1.0 / c)


class Lognorm(Positive):
    shapes = ("s",)
    closed = False

    @staticmethod
    def log_density(y: Any, s: Any) -> Any:
        logarithm = np.log(y)
        return Norm.log_density(logarithm / s) - np.log(s) - logarithm

    @staticmethod
    def below(y: Any, s: Any) -> Any:
        return special().ndtr(np.log(y) / s)

    @staticmethod
    def above(y: Any, s: Any) -> Any:
        return special().ndtr(-np.log(y) / s)

    @staticmethod
    def log_below(y: Any, s: Any) -> Any:
        return special().log_ndtr(np.log(y) / s)

    @staticmethod
    def log_above(y: Any, s: Any) -> Any:
        return special().log_ndtr(-np.log(y) / s)

    @staticmethod
    def quantile(q: Any, s: Any) -> Any:
        return np.exp(s * special().ndtri(q))

    @staticmethod
    def quantile_above(q: Any, s: Any) -> Any:
        return np.exp(-s * special().ndtri(q))


class Halfnorm(Positive):
    @staticmethod
    def log_density(y: Any) -> Any:
        return LOG_2 + Norm.log_density(y)

    @staticmethod
    def below(y: Any) -> Any:
        return special().erf(y / math.sqrt(2.0))

    @staticmethod
    def above(y: Any) -> Any:
        return special().erfc(y / math.sqrt(2.0))

    @staticmethod
    def log_above(y: Any) -> Any:
        return LOG_2 + special().log_ndtr(-y)

    @staticmethod
    def quantile(q: Any) -> Any:
        return special().ndtri(0.5 * (1.0 + q))

    @staticmethod
    def quantile_above(q: Any) -> Any:
        return -special().ndtri(0.5 * q)


class Foldnorm(Positive):
    shapes = ("c",)

    @staticmethod
    def good(c: Any) -> Any:
        return c >= 0

    @staticmethod
    def log_density(y: Any, c: Any) -> Any:
        return np.logaddexp(Norm.log_density(y - c), Norm.log_density(y + c))

    @staticmethod
    def below(y: Any, c: Any) -> Any:
        root = math.sqrt(2.0)
        return 0.5 * (special().erf((y - c) / root) + special().erf((y + c) / root))

    @staticmethod
    def above(y: Any, c: Any) -> Any:
        return special().ndtr(c - y) + special().ndtr(-c - y)


class Halfcauchy(Positive):
    @staticmethod
    def log_density(y: Any) -> Any:
        return LOG_2 - LOG_PI - np.log1p(y * y)

    @staticmethod
    def below(y: Any) -> Any:
        return 2.0 / math.pi * np.arctan(y)

    @staticmethod
    def above(y: Any) -> Any:
        return 2.0 / math.pi * np.arctan2(1.0, y)

    @staticmethod
    def quantile(q: Any) -> Any:
        return np.tan(0.5 * math.pi * q)


class Lomax(Positive):
    shapes = ("c",)

    @staticmethod
    def log_density(y: Any, c: Any) -> Any:
        return np.log(c) - (c + 1.0) * np.log1p(y)

    @staticmethod
    def below(y: Any, c: Any) -> Any:
        return -np.expm1(-c * np.log1p(y))

    @staticmethod
    def above(y: Any, c: Any) -> Any:
        return np.exp(-c * np.log1p(y))

    @staticmethod
    def log_above(y: Any, c: Any) -> Any:
        return -c * np.log1p(y)

    @staticmethod
    def quantile(q: Any, c: Any) -> Any:
        return np.expm1(-np.log1p(-q) / c)


class Genpareto(Law):
    shapes = ("c",)

    @staticmethod
    def good(c: Any) -> Any:
        return np.isfinite(c)

    @staticmethod
    def support(c: Any) -> Any:
        return 0.0, np.where(c < 0.0, -1.0 / np.where(c < 0.0, c, -1.0), np.inf)

    @staticmethod
    def log_density(y: Any, c: Any) -> Any:
        return -(c + 1.0) * _mean_log(y, c)

    @staticmethod
    def below(y: Any, c: Any) -> Any:
        return -np.expm1(-_mean_log(y, c))

    @staticmethod
    def above(y: Any, c: Any) -> Any:
        return np.exp(-_mean_log(y, c))

    @staticmethod
    def log_above(y: Any, c: Any) -> Any:
        return -_mean_log(y, c)


class Pareto(Law):
    shapes = ("b",)

    @staticmethod
    def support(b: Any) -> Any:
        return 1.0, None

    @staticmethod
    def log_density(y: Any, b: Any) -> Any:
        return np.log(b) - (b + 1.0) * np.log(y)

    @staticmethod
    def below(y: Any, b: Any) -> Any:
        return -np.expm1(-b * np.log(y))

    @staticmethod
    def above(y: Any, b: Any) -> Any:
        return y ** (-b)

    @staticmethod
    def log_above(y: Any, b: Any) -> Any:
        return -b * np.log(y)

    @staticmethod
    def quantile(q: Any, b: Any) -> Any:
        return np.exp(-np.log1p(-q) / b)

    @staticmethod
    def quantile_above(q: Any, b: Any) -> Any:
        return q ** (-1.0 / b)


class Rayleigh(Positive):
    closed = False

    @staticmethod
    def log_density(y: Any) -> Any:
        return np.log(y) - 0.5 * (y * y)

    @staticmethod
    def below(y: Any) -> Any:
        return -np.expm1(-0.5 * (y * y))

    @staticmethod
    def above(y: Any) -> Any:
        return np.exp(-0.5 * (y * y))

    @staticmethod
    def log_above(y: Any) -> Any:
        return -0.5 * (y * y)

    @staticmethod
    def quantile(q: Any) -> Any:
        return np.sqrt(-2.0 * np.log1p(-q))


class Maxwell(Positive):
    closed = False

    @staticmethod
    def log_density(y: Any) -> Any:
        return LOG_2 - LOG_ROOT_2_PI + 2.0 * np.log(y) - 0.5 * (y * y)

    @staticmethod
    def below(y: Any) -> Any:
        return special().gammainc(1.5, 0.5 * (y * y))

    @staticmethod
    def above(y: Any) -> Any:
        return special().gammaincc(1.5, 0.5 * (y * y))


class Nakagami(Positive):
    shapes = ("nu",)

    @staticmethod
    def log_density(y: Any, nu: Any) -> Any:
        powers = special().xlogy(nu, nu) + special().xlogy(2.0 * nu - 1.0, y)
        return LOG_2 + powers - special().gammaln(nu) - nu * (y * y)

    @staticmethod
    def below(y: Any, nu: Any) -> Any:
        return special().gammainc(nu, nu * (y * y))

    @staticmethod
    def above(y: Any, nu: Any) -> Any:
        return special().gammaincc(nu, nu * (y * y))


class Rice(Positive):
    shapes = ("b",)
    closed = False

    @staticmethod
    def good(b: Any) -> Any:
        return b >= 0

    @staticmethod
    def log_density(y: Any, b: Any) -> Any:
        apart = y - b
        return np.log(y) - 0.5 * (apart * apart) + np.log(special().i0e(y * b))


class Fisk(Positive):
    shapes = ("c",)
    closed = False

    @staticmethod
    def log_density(y: Any, c: Any) -> Any:
        logarithm = np.log(y)
        return np.log(c) + Logistic.log_density(c * logarithm) - logarithm

    @staticmethod
    def below(y: Any, c: Any) -> Any:
        return special().expit(c * np.log(y))

    @staticmethod
    def above(y: Any, c: Any) -> Any:
        return special().expit(-c * np.log(y))

    @staticmethod
    def quantile(q: Any, c: Any) -> Any:
        return np.exp(special().logit(q) / c)


class Invgauss(Positive):
    shapes = ("mu",)
    closed = False

    @staticmethod
    def log_density(y: Any, mu: Any) -> Any:
        apart = (y - mu) / mu
        return -LOG_ROOT_2_PI - 1.5 * np.log(y) - 0.5 * (apart * apart) / y

    @staticmethod
    def _tails(y: Any, mu: Any) -> Any:
        root = np.sqrt(y)
        return (y / mu - 1.0) / root, 2.0 / mu + special().log_ndtr(-(y / mu + 1.0) / root)

    @staticmethod
    def below(y: Any, mu: Any) -> Any:
        z, far = Invgauss._tails(y, mu)
        return special().ndtr(z) + np.exp(far)

    @staticmethod
    def above(y: Any, mu: Any) -> Any:
        z, far = Invgauss._tails(y, mu)
        return special().ndtr(-z) - np.exp(far)


class Levy(Positive):
    closed = False

    @staticmethod
    def log_density(y: Any) -> Any:
        return -LOG_ROOT_2_PI - 1.5 * np.log(y) - 0.5 / y

    @staticmethod
    def below(y: Any) -> Any:
        return special().erfc(np.sqrt(0.5 / y))

    @staticmethod
    def above(y: Any) -> Any:
        return special().erf(np.sqrt(0.5 / y))
