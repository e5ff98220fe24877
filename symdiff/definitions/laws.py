"""Continuous laws of ``scipy.stats``, of standardised arguments, by ``scipy.special`` and NumPy.

A law says what is its own: the logarithm of its density, the distribution function ``below`` and
its complement ``above``, their logarithms where these have a form of their own, the inverses
``quantile`` and ``quantile_above``, and what its support and its parameters are. What it does not
have is not known. Only derivatives are taken of what stands here, inside of the support.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

LOG_2 = math.log(2.0)
LOG_PI = math.log(math.pi)
LOG_ROOT_2_PI = 0.5 * math.log(2.0 * math.pi)


def _special() -> Any:
    from scipy import special

    return special


class Law:
    """What most laws have: parameters above 0, the whole line as support."""

    shapes: tuple[str, ...] = ()
    closed = True  # whether derivatives of the density are taken at the ends of the support

    @staticmethod
    def support(*shapes: Any) -> Any:
        """The ends of the support; None where there is none."""
        return None, None

    @staticmethod
    def good(*shapes: Any) -> Any:
        """Where there is such a law."""
        found = True
        for shape in shapes:
            found = shape > 0 if found is True else np.logical_and(found, shape > 0)
        return found


class Positive(Law):
    """What laws of positive numbers have."""

    @staticmethod
    def support(*shapes: Any) -> Any:
        return 0.0, None


class Unit(Law):
    """What laws of numbers between 0 and 1 have."""

    @staticmethod
    def support(*shapes: Any) -> Any:
        return 0.0, 1.0


# Of the whole line --------------------------------------------------------------------------------


class Norm(Law):
    @staticmethod
    def log_density(y: Any) -> Any:
        return -(y * y) / 2.0 - LOG_ROOT_2_PI

    @staticmethod
    def below(y: Any) -> Any:
        return _special().ndtr(y)

    @staticmethod
    def above(y: Any) -> Any:
        return _special().ndtr(-y)

    @staticmethod
    def log_below(y: Any) -> Any:
        return _special().log_ndtr(y)

    @staticmethod
    def log_above(y: Any) -> Any:
        return _special().log_ndtr(-y)

    @staticmethod
    def quantile(q: Any) -> Any:
        return _special().ndtri(q)

    @staticmethod
    def quantile_above(q: Any) -> Any:
        return -_special().ndtri(q)


class T(Law):
    shapes = ("df",)

    @staticmethod
    def log_density(y: Any, df: Any) -> Any:
        gammaln = _special().gammaln
        normal = df == np.inf
        few = np.where(normal, 1.0, df)
        factor = gammaln(0.5 * (few + 1.0)) - gammaln(0.5 * few)
        found = factor - 0.5 * (np.log(few) + LOG_PI)
        found = found - (few + 1.0) / 2.0 * np.log1p(y * y / few)
        return np.where(normal, Norm.log_density(y), found)

    @staticmethod
    def below(y: Any, df: Any) -> Any:
        return _special().stdtr(df, y)

    @staticmethod
    def above(y: Any, df: Any) -> Any:
        return _special().stdtr(df, -y)

    @staticmethod
    def quantile(q: Any, df: Any) -> Any:
        return _special().stdtrit(df, q)

    @staticmethod
    def quantile_above(q: Any, df: Any) -> Any:
        return -_special().stdtrit(df, q)


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
        return _special().log_expit(y) + _special().log_expit(-y)

    @staticmethod
    def below(y: Any) -> Any:
        return _special().expit(y)

    @staticmethod
    def above(y: Any) -> Any:
        return _special().expit(-y)

    @staticmethod
    def log_below(y: Any) -> Any:
        return _special().log_expit(y)

    @staticmethod
    def log_above(y: Any) -> Any:
        return _special().log_expit(-y)

    @staticmethod
    def quantile(q: Any) -> Any:
        return _special().logit(q)

    @staticmethod
    def quantile_above(q: Any) -> Any:
        return -_special().logit(q)


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
        return LOG_2 + Norm.log_density(y) + _special().log_ndtr(a * y)

    @staticmethod
    def below(y: Any, a: Any) -> Any:
        return _special().ndtr(y) - 2.0 * _special().owens_t(y, a)

    @staticmethod
    def above(y: Any, a: Any) -> Any:
        return _special().ndtr(-y) + 2.0 * _special().owens_t(y, a)


class Gennorm(Law):
    shapes = ("beta",)

    @staticmethod
    def log_density(y: Any, beta: Any) -> Any:
        return np.log(0.5 * beta) - _special().gammaln(1.0 / beta) - np.abs(y) ** beta

    @staticmethod
    def below(y: Any, beta: Any) -> Any:
        tail = 0.5 * _special().gammaincc(1.0 / beta, np.abs(y) ** beta)
        return np.where(y > 0, 1.0 - tail, tail)

    @staticmethod
    def above(y: Any, beta: Any) -> Any:
        return Gennorm.below(-y, beta)


class Exponnorm(Law):
    shapes = ("K",)

    @staticmethod
    def log_density(y: Any, k: Any) -> Any:
        rate = 1.0 / k
        return 0.5 * rate * rate - rate * y + np.log(rate) + _special().log_ndtr(y - rate)

    @staticmethod
    def below(y: Any, k: Any) -> Any:
        rate = 1.0 / k
        tail = 0.5 * rate * rate - rate * y + _special().log_ndtr(y - rate)
        return _special().ndtr(y) - np.exp(tail)

    @staticmethod
    def above(y: Any, k: Any) -> Any:
        rate = 1.0 / k
        tail = 0.5 * rate * rate - rate * y + _special().log_ndtr(y - rate)
        return _special().ndtr(-y) + np.exp(tail)


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
        return _special().ndtr(a + b * np.arcsinh(y))

    @staticmethod
    def above(y: Any, a: Any, b: Any) -> Any:
        return _special().ndtr(-a - b * np.arcsinh(y))

    @staticmethod
    def quantile(q: Any, a: Any, b: Any) -> Any:
        return np.sinh((_special().ndtri(q) - a) / b)


class Loggamma(Law):
    shapes = ("c",)

    @staticmethod
    def log_density(y: Any, c: Any) -> Any:
        return c * y - np.exp(y) - _special().gammaln(c)

    @staticmethod
    def below(y: Any, c: Any) -> Any:
        return _special().gammainc(c, np.exp(y))

    @staticmethod
    def above(y: Any, c: Any) -> Any:
        return _special().gammaincc(c, np.exp(y))


class Moyal(Law):
    @staticmethod
    def log_density(y: Any) -> Any:
        return -0.5 * (y + np.exp(-y)) - LOG_ROOT_2_PI

    @staticmethod
    def below(y: Any) -> Any:
        return _special().erfc(np.exp(-0.5 * y) / math.sqrt(2.0))

    @staticmethod
    def above(y: Any) -> Any:
        return _special().erf(np.exp(-0.5 * y) / math.sqrt(2.0))


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
        return kappa * (np.cos(y) - 1.0) - 2.0 * LOG_ROOT_2_PI - np.log(_special().i0e(kappa))


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
    return np.log(_special().inv_boxcox(y, c))


# Of positive numbers ------------------------------------------------------------------------------


class Gamma(Positive):
    shapes = ("a",)

    @staticmethod
    def log_density(y: Any, a: Any) -> Any:
        return _special().xlogy(a - 1.0, y) - y - _special().gammaln(a)

    @staticmethod
    def below(y: Any, a: Any) -> Any:
        return _special().gammainc(a, y)

    @staticmethod
    def above(y: Any, a: Any) -> Any:
        return _special().gammaincc(a, y)

    @staticmethod
    def quantile(q: Any, a: Any) -> Any:
        return _special().gammaincinv(a, q)

    @staticmethod
    def quantile_above(q: Any, a: Any) -> Any:
        return _special().gammainccinv(a, q)


class Invgamma(Positive):
    shapes = ("a",)
    closed = False

    @staticmethod
    def log_density(y: Any, a: Any) -> Any:
        return -(a + 1.0) * np.log(y) - _special().gammaln(a) - 1.0 / y

    @staticmethod
    def below(y: Any, a: Any) -> Any:
        return _special().gammaincc(a, 1.0 / y)

    @staticmethod
    def above(y: Any, a: Any) -> Any:
        return _special().gammainc(a, 1.0 / y)

    @staticmethod
    def quantile(q: Any, a: Any) -> Any:
        return 1.0 / _special().gammainccinv(a, q)

    @staticmethod
    def quantile_above(q: Any, a: Any) -> Any:
        return 1.0 / _special().gammaincinv(a, q)


class Gengamma(Positive):
    shapes = ("a", "c")

    @staticmethod
    def log_density(y: Any, a: Any, c: Any) -> Any:
        return np.log(c) + _special().xlogy(c * a - 1.0, y) - y**c - _special().gammaln(a)

    @staticmethod
    def below(y: Any, a: Any, c: Any) -> Any:
        return _special().gammainc(a, y**c)

    @staticmethod
    def above(y: Any, a: Any, c: Any) -> Any:
        return _special().gammaincc(a, y**c)


class Chi2(Positive):
    shapes = ("df",)

    @staticmethod
    def log_density(y: Any, df: Any) -> Any:
        return Gamma.log_density(0.5 * y, 0.5 * df) - LOG_2

    @staticmethod
    def below(y: Any, df: Any) -> Any:
        return _special().chdtr(df, y)

    @staticmethod
    def above(y: Any, df: Any) -> Any:
        return _special().chdtrc(df, y)

    @staticmethod
    def quantile(q: Any, df: Any) -> Any:
        return 2.0 * _special().gammaincinv(0.5 * df, q)

    @staticmethod
    def quantile_above(q: Any, df: Any) -> Any:
        return 2.0 * _special().gammainccinv(0.5 * df, q)


class Chi(Positive):
    shapes = ("df",)

    @staticmethod
    def log_density(y: Any, df: Any) -> Any:
        factor = (0.5 * df - 1.0) * LOG_2 + _special().gammaln(0.5 * df)
        return _special().xlogy(df - 1.0, y) - 0.5 * (y * y) - factor

    @staticmethod
    def below(y: Any, df: Any) -> Any:
        return _special().gammainc(0.5 * df, 0.5 * (y * y))

    @staticmethod
    def above(y: Any, df: Any) -> Any:
        return _special().gammaincc(0.5 * df, 0.5 * (y * y))


class F(Positive):
    shapes = ("dfn", "dfd")

    @staticmethod
    def log_density(y: Any, n: Any, d: Any) -> Any:
        ratio = n / d
        powers = _special().xlogy(0.5 * n - 1.0, y) - 0.5 * (n + d) * np.log1p(ratio * y)
        return 0.5 * n * np.log(ratio) + powers - _special().betaln(0.5 * n, 0.5 * d)

    @staticmethod
    def below(y: Any, n: Any, d: Any) -> Any:
        return _special().fdtr(n, d, y)

    @staticmethod
    def above(y: Any, n: Any, d: Any) -> Any:
        return _special().fdtrc(n, d, y)


class Betaprime(Positive):
    shapes = ("a", "b")

    @staticmethod
    def log_density(y: Any, a: Any, b: Any) -> Any:
        powers = _special().xlogy(a - 1.0, y) - (a + b) * np.log1p(y)
        return powers - _special().betaln(a, b)

    @staticmethod
    def below(y: Any, a: Any, b: Any) -> Any:
        return _special().betainc(a, b, y / (1.0 + y))

    @staticmethod
    def above(y: Any, a: Any, b: Any) -> Any:
        return _special().betainc(b, a, 1.0 / (1.0 + y))


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
        return np.log(c) + _special().xlogy(c - 1.0, y) - y**c

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
        return _special().ndtr(np.log(y) / s)

    @staticmethod
    def above(y: Any, s: Any) -> Any:
        return _special().ndtr(-np.log(y) / s)

    @staticmethod
    def log_below(y: Any, s: Any) -> Any:
        return _special().log_ndtr(np.log(y) / s)

    @staticmethod
    def log_above(y: Any, s: Any) -> Any:
        return _special().log_ndtr(-np.log(y) / s)

    @staticmethod
    def quantile(q: Any, s: Any) -> Any:
        return np.exp(s * _special().ndtri(q))

    @staticmethod
    def quantile_above(q: Any, s: Any) -> Any:
        return np.exp(-s * _special().ndtri(q))


class Halfnorm(Positive):
    @staticmethod
    def log_density(y: Any) -> Any:
        return LOG_2 + Norm.log_density(y)

    @staticmethod
    def below(y: Any) -> Any:
        return _special().erf(y / math.sqrt(2.0))

    @staticmethod
    def above(y: Any) -> Any:
        return _special().erfc(y / math.sqrt(2.0))

    @staticmethod
    def log_above(y: Any) -> Any:
        return LOG_2 + _special().log_ndtr(-y)

    @staticmethod
    def quantile(q: Any) -> Any:
        return _special().ndtri(0.5 * (1.0 + q))

    @staticmethod
    def quantile_above(q: Any) -> Any:
        return -_special().ndtri(0.5 * q)


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
        return 0.5 * (_special().erf((y - c) / root) + _special().erf((y + c) / root))

    @staticmethod
    def above(y: Any, c: Any) -> Any:
        return _special().ndtr(c - y) + _special().ndtr(-c - y)


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
        return _special().gammainc(1.5, 0.5 * (y * y))

    @staticmethod
    def above(y: Any) -> Any:
        return _special().gammaincc(1.5, 0.5 * (y * y))


class Nakagami(Positive):
    shapes = ("nu",)

    @staticmethod
    def log_density(y: Any, nu: Any) -> Any:
        powers = _special().xlogy(nu, nu) + _special().xlogy(2.0 * nu - 1.0, y)
        return LOG_2 + powers - _special().gammaln(nu) - nu * (y * y)

    @staticmethod
    def below(y: Any, nu: Any) -> Any:
        return _special().gammainc(nu, nu * (y * y))

    @staticmethod
    def above(y: Any, nu: Any) -> Any:
        return _special().gammaincc(nu, nu * (y * y))


class Rice(Positive):
    shapes = ("b",)
    closed = False

    @staticmethod
    def good(b: Any) -> Any:
        return b >= 0

    @staticmethod
    def log_density(y: Any, b: Any) -> Any:
        apart = y - b
        return np.log(y) - 0.5 * (apart * apart) + np.log(_special().i0e(y * b))


class Fisk(Positive):
    shapes = ("c",)
    closed = False

    @staticmethod
    def log_density(y: Any, c: Any) -> Any:
        logarithm = np.log(y)
        return np.log(c) + Logistic.log_density(c * logarithm) - logarithm

    @staticmethod
    def below(y: Any, c: Any) -> Any:
        return _special().expit(c * np.log(y))

    @staticmethod
    def above(y: Any, c: Any) -> Any:
        return _special().expit(-c * np.log(y))

    @staticmethod
    def quantile(q: Any, c: Any) -> Any:
        return np.exp(_special().logit(q) / c)


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
        return (y / mu - 1.0) / root, 2.0 / mu + _special().log_ndtr(-(y / mu + 1.0) / root)

    @staticmethod
    def below(y: Any, mu: Any) -> Any:
        z, far = Invgauss._tails(y, mu)
        return _special().ndtr(z) + np.exp(far)

    @staticmethod
    def above(y: Any, mu: Any) -> Any:
        z, far = Invgauss._tails(y, mu)
        return _special().ndtr(-z) - np.exp(far)


class Levy(Positive):
    closed = False

    @staticmethod
    def log_density(y: Any) -> Any:
        return -LOG_ROOT_2_PI - 1.5 * np.log(y) - 0.5 / y

    @staticmethod
    def below(y: Any) -> Any:
        return _special().erfc(np.sqrt(0.5 / y))

    @staticmethod
    def above(y: Any) -> Any:
        return _special().erf(np.sqrt(0.5 / y))


# Of an interval -----------------------------------------------------------------------------------


class Beta(Unit):
    shapes = ("a", "b")

    @staticmethod
    def log_density(y: Any, a: Any, b: Any) -> Any:
        powers = _special().xlog1py(b - 1.0, -y) + _special().xlogy(a - 1.0, y)
        return powers - _special().betaln(a, b)

    @staticmethod
    def below(y: Any, a: Any, b: Any) -> Any:
        return _special().betainc(a, b, y)

    @staticmethod
    def above(y: Any, a: Any, b: Any) -> Any:
        return _special().betaincc(a, b, y)

    @staticmethod
    def quantile(q: Any, a: Any, b: Any) -> Any:
        return _special().betaincinv(a, b, q)

    @staticmethod
    def quantile_above(q: Any, a: Any, b: Any) -> Any:
        return _special().betainccinv(a, b, q)


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
        return np.log(a) + _special().xlogy(a - 1.0, y)

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
    low = _special().log_ndtr(np.where(upper, -b, a))
    high = _special().log_ndtr(np.where(upper, -a, b))
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
