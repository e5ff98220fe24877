"""More continuous laws of positive numbers, many of them of a power or a logarithm: see
``definitions.law``.

Forms are those of Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", in the
parameters of ``scipy.stats``. Logarithms of ``1 + y**c`` are taken of ``log(y)``: the power may
overflow.
"""

import math

import numpy as np

from symdiff.definitions.law import LOG_2, LOG_ROOT_2_PI, Law, Positive, special
from symdiff.definitions.laws_of_positive import Invgauss, Lognorm
from symdiff.definitions.laws_of_the_line import Norm


class Alpha(Positive):
    shapes = ("a",)
    closed = False

    @staticmethod
    def log_density(y, a):
        return -2.0 * np.log(y) + Norm.log_density(a - 1.0 / y) - special().log_ndtr(a)

    below = staticmethod(lambda y, a: special().ndtr(a - 1.0 / y) / special().ndtr(a))
    above = staticmethod(lambda y, a: 1.0 - Alpha.below(y, a))
    quantile = staticmethod(lambda q, a: 1.0 / (a - special().ndtri(q * special().ndtr(a))))
    quantile_above = staticmethod(lambda q, a: Alpha.quantile(1.0 - q, a))


class Burr(Positive):
    shapes = ("c", "d")
    closed = False

    @staticmethod
    def log_density(y, c, d):
        logarithm = np.log(y)
        share = special().log_expit(c * logarithm)
        return np.log(c) + np.log(d) - (c + 1.0) * logarithm + (d + 1.0) * share

    log_below = staticmethod(lambda y, c, d: d * special().log_expit(c * np.log(y)))
    below = staticmethod(lambda y, c, d: np.exp(Burr.log_below(y, c, d)))
    above = staticmethod(lambda y, c, d: -np.expm1(Burr.log_below(y, c, d)))
    quantile = staticmethod(lambda q, c, d: np.exp(-np.log(np.expm1(-np.log(q) / d)) / c))
    quantile_above = staticmethod(lambda q, c, d: np.exp(-np.log(np.expm1(-np.log1p(-q) / d)) / c))


class Burr12(Positive):
    shapes = ("c", "d")
    closed = False

    @staticmethod
    def log_density(y, c, d):
        logarithm = np.log(y)
        share = special().log_expit(-c * logarithm)
        return np.log(c) + np.log(d) + (c - 1.0) * logarithm + (d + 1.0) * share

    log_above = staticmethod(lambda y, c, d: d * special().log_expit(-c * np.log(y)))
    below = staticmethod(lambda y, c, d: -np.expm1(Burr12.log_above(y, c, d)))
    above = staticmethod(lambda y, c, d: np.exp(Burr12.log_above(y, c, d)))
    quantile = staticmethod(lambda q, c, d: np.exp(np.log(np.expm1(-np.log1p(-q) / d)) / c))
    quantile_above = staticmethod(lambda q, c, d: np.exp(np.log(np.expm1(-np.log(q) / d)) / c))


class Mielke(Positive):
    shapes = ("k", "s")
    closed = False

    @staticmethod
    def log_density(y, k, s):
        logarithm = np.log(y)
        share = special().log_expit(-s * logarithm)
        return np.log(k) + (k - 1.0) * logarithm + (1.0 + k / s) * share

    log_below = staticmethod(lambda y, k, s: k / s * special().log_expit(s * np.log(y)))
    below = staticmethod(lambda y, k, s: np.exp(Mielke.log_below(y, k, s)))
    above = staticmethod(lambda y, k, s: -np.expm1(Mielke.log_below(y, k, s)))
    quantile = staticmethod(lambda q, k, s: np.exp(-np.log(np.expm1(-s / k * np.log(q))) / s))


class Exponweib(Positive):
    shapes = ("a", "c")
    closed = False

    @staticmethod
    def log_density(y, a, c):
        power, factor = y**c, np.log(a) + np.log(c) + (c - 1.0) * np.log(y)
        return factor - power + (a - 1.0) * _log_rest(power)

    log_below = staticmethod(lambda y, a, c: a * _log_rest(y**c))
    below = staticmethod(lambda y, a, c: np.exp(Exponweib.log_below(y, a, c)))
    above = staticmethod(lambda y, a, c: -np.expm1(Exponweib.log_below(y, a, c)))
    quantile = staticmethod(lambda q, a, c: (-np.log1p(-(q ** (1.0 / a)))) ** (1.0 / c))

    @staticmethod
    def log_above(y, a, c):
        """Far out ``above`` vanishes: it is ``a * exp(-y**c)``."""
        power = y**c
        far = power > 600.0
        near = -np.expm1(a * _log_rest(np.where(far, 1.0, power)))
        return np.where(far, np.log(a) - power, np.log(near))


def _log_rest(x):
    """``log(1 - exp(-x))``, whichever of both is near 1 (Mächler 2012)."""
    is_small = x < LOG_2
    small, large = np.where(is_small, x, 1.0), np.where(is_small, 1.0, x)
    return np.where(is_small, np.log(-np.expm1(-small)), np.log1p(-np.exp(-large)))


class Fatiguelife(Positive):
    shapes = ("c",)
    closed = False

    @staticmethod
    def log_density(y, c):
        apart = (y - 1.0) / c
        factor = np.log1p(y) - 1.5 * np.log(y) - np.log(c) - LOG_2 - LOG_ROOT_2_PI
        return factor - 0.5 * (apart * apart) / y

    _normal = staticmethod(lambda y, c: (np.sqrt(y) - 1.0 / np.sqrt(y)) / c)
    below = staticmethod(lambda y, c: special().ndtr(Fatiguelife._normal(y, c)))
    above = staticmethod(lambda y, c: special().ndtr(-Fatiguelife._normal(y, c)))
    log_below = staticmethod(lambda y, c: special().log_ndtr(Fatiguelife._normal(y, c)))
    log_above = staticmethod(lambda y, c: special().log_ndtr(-Fatiguelife._normal(y, c)))
    quantile = staticmethod(lambda q, c: np.exp(2.0 * np.arcsinh(0.5 * c * special().ndtri(q))))
    quantile_above = staticmethod(
        lambda q, c: np.exp(-2.0 * np.arcsinh(0.5 * c * special().ndtri(q)))
    )


class Gibrat(Positive):
    closed = False
    log_density = staticmethod(lambda y: Lognorm.log_density(y, 1.0))
    below = staticmethod(lambda y: Lognorm.below(y, 1.0))
    above = staticmethod(lambda y: Lognorm.above(y, 1.0))
    log_below = staticmethod(lambda y: Lognorm.log_below(y, 1.0))
    log_above = staticmethod(lambda y: Lognorm.log_above(y, 1.0))
    quantile = staticmethod(lambda q: Lognorm.quantile(q, 1.0))
    quantile_above = staticmethod(lambda q: Lognorm.quantile_above(q, 1.0))


class Gompertz(Positive):
    shapes = ("c",)
    within = staticmethod(lambda y: np.minimum(y, 700.0))
    log_density = staticmethod(lambda y, c: np.log(c) + y - c * np.expm1(y))
    below = staticmethod(lambda y, c: -np.expm1(-c * np.expm1(y)))
    above = staticmethod(lambda y, c: np.exp(-c * np.expm1(y)))
    log_above = staticmethod(lambda y, c: -c * np.expm1(y))
    quantile = staticmethod(lambda q, c: np.log1p(-np.log1p(-q) / c))
    quantile_above = staticmethod(lambda q, c: np.log1p(-np.log(q) / c))


class Halfgennorm(Positive):
    shapes = ("beta",)
    log_density = staticmethod(
        lambda y, beta: np.log(beta) - special().gammaln(1.0 / beta) - y**beta
    )
    below = staticmethod(lambda y, beta: special().gammainc(1.0 / beta, y**beta))
    above = staticmethod(lambda y, beta: special().gammaincc(1.0 / beta, y**beta))


class Halflogistic(Positive):
    log_density = staticmethod(lambda y: LOG_2 + special().log_expit(y) + special().log_expit(-y))
    below = staticmethod(lambda y: np.tanh(0.5 * y))
    above = staticmethod(lambda y: 2.0 * special().expit(-y))
    log_above = staticmethod(lambda y: LOG_2 + special().log_expit(-y))
    quantile = staticmethod(lambda q: 2.0 * np.arctanh(q))
    quantile_above = staticmethod(lambda q: -special().logit(0.5 * q))


class Invweibull(Positive):
    shapes = ("c",)
    closed = False

    @staticmethod
    def log_density(y, c):
        return np.log(c) - (c + 1.0) * np.log(y) - y ** (-c)

    below = staticmethod(lambda y, c: np.exp(-(y ** (-c))))
    above = staticmethod(lambda y, c: -np.expm1(-(y ** (-c))))
    log_below = staticmethod(lambda y, c: -(y ** (-c)))
    quantile = staticmethod(lambda q, c: (-np.log(q)) ** (-1.0 / c))
    quantile_above = staticmethod(lambda q, c: (-np.log1p(-q)) ** (-1.0 / c))


class WeibullMax(Law, name="weibull_max"):
    shapes = ("c",)
    closed = False
    support = staticmethod(lambda c: (-np.inf, 0.0))
    log_density = staticmethod(lambda y, c: np.log(c) + (c - 1.0) * np.log(-y) - (-y) ** c)
    below = staticmethod(lambda y, c: np.exp(-((-y) ** c)))
    above = staticmethod(lambda y, c: -np.expm1(-((-y) ** c)))
    log_below = staticmethod(lambda y, c: -((-y) ** c))
    quantile = staticmethod(lambda q, c: -((-np.log(q)) ** (1.0 / c)))
    quantile_above = staticmethod(lambda q, c: -((-np.log1p(-q)) ** (1.0 / c)))


class Loglaplace(Positive):
    shapes = ("c",)
    closed = False

    @staticmethod
    def log_density(y, c):
        return np.log(0.5 * c) + np.where(y < 1.0, c - 1.0, -c - 1.0) * np.log(y)

    @staticmethod
    def below(y, c):
        rises = y < 1.0
        tail = 0.5 * np.exp(np.where(rises, c, -c) * np.log(y))
        return np.where(rises, tail, 1.0 - tail)

    above = staticmethod(lambda y, c: Loglaplace.below(1.0 / y, c))

    @staticmethod
    def quantile(q, c):
        rises = q < 0.5
        logarithm = np.log(2.0 * np.where(rises, q, 1.0 - q))
        return np.exp(np.where(rises, logarithm, -logarithm) / c)

    quantile_above = staticmethod(lambda q, c: 1.0 / Loglaplace.quantile(q, c))


class Powerlognorm(Positive):
    shapes = ("c", "s")
    closed = False

    @staticmethod
    def log_density(y, c, s):
        logarithm = np.log(y)
        z = logarithm / s
        tail = (c - 1.0) * special().log_ndtr(-z)
        return np.log(c) - np.log(s) - logarithm + Norm.log_density(z) + tail

    log_above = staticmethod(lambda y, c, s: c * special().log_ndtr(-np.log(y) / s))
    below = staticmethod(lambda y, c, s: -np.expm1(Powerlognorm.log_above(y, c, s)))
    above = staticmethod(lambda y, c, s: np.exp(Powerlognorm.log_above(y, c, s)))
    quantile_above = staticmethod(
        lambda q, c, s: np.exp(-s * special().ndtri(np.exp(np.log(q) / c)))
    )
    quantile = staticmethod(lambda q, c, s: np.exp(-s * special().ndtri(_root(1.0 - q, c))))


def _root(q, c):
    return np.exp(np.log(q) / c)


class Recipinvgauss(Positive):
    shapes = ("mu",)
    closed = False

    @staticmethod
    def log_density(y, mu):
        apart = (1.0 - mu * y) / mu
        return -LOG_ROOT_2_PI - 0.5 * np.log(y) - 0.5 * (apart * apart) / y

    below = staticmethod(lambda y, mu: Invgauss.above(1.0 / y, mu))
    above = staticmethod(lambda y, mu: Invgauss.below(1.0 / y, mu))


class Wald(Positive):
    closed = False
    log_density = staticmethod(lambda y: Invgauss.log_density(y, 1.0))
    below = staticmethod(lambda y: Invgauss.below(y, 1.0))
    above = staticmethod(lambda y: Invgauss.above(y, 1.0))
    log_below = staticmethod(lambda y: Invgauss.log_below(y, 1.0))


# Of the whole line --------------------------------------------------------------------------------


class Genlogistic(Law):
    shapes = ("c",)
    log_density = staticmethod(
        lambda y, c: np.log(c) + special().log_expit(-y) + c * special().log_expit(y)
    )
    log_below = staticmethod(lambda y, c: c * special().log_expit(y))
    below = staticmethod(lambda y, c: np.exp(Genlogistic.log_below(y, c)))
    above = staticmethod(lambda y, c: -np.expm1(Genlogistic.log_below(y, c)))
    quantile = staticmethod(lambda q, c: -np.log(np.expm1(-np.log(q) / c)))
    quantile_above = staticmethod(lambda q, c: -np.log(np.expm1(-np.log1p(-q) / c)))


class Powernorm(Law):
    shapes = ("c",)

    @staticmethod
    def log_density(y, c):
        return np.log(c) + Norm.log_density(y) + (c - 1.0) * special().log_ndtr(-y)

    log_above = staticmethod(lambda y, c: c * special().log_ndtr(-y))
    below = staticmethod(lambda y, c: -np.expm1(Powernorm.log_above(y, c)))
    above = staticmethod(lambda y, c: np.exp(Powernorm.log_above(y, c)))
    quantile = staticmethod(lambda q, c: -special().ndtri(np.exp(np.log1p(-q) / c)))
    quantile_above = staticmethod(lambda q, c: -special().ndtri(_root(q, c)))


def _size(y):
    """The absolute value, whose slope at 0 is -1."""
    return np.where(y > 0.0, y, -y)


class Dgamma(Law):
    shapes = ("a",)
    above = staticmethod(lambda y, a: Dgamma.below(-y, a))

    @staticmethod
    def log_density(y, a):
        size = np.abs(y)
        return special().xlogy(a - 1.0, size) - size - LOG_2 - special().gammaln(a)

    @staticmethod
    def below(y, a):
        tail = 0.5 * special().gammaincc(a, _size(y))
        return np.where(y > 0.0, 1.0 - tail, tail)

    @staticmethod
    def quantile(q, a):
        rises = q > 0.5
        size = special().gammainccinv(a, 2.0 * np.where(rises, 1.0 - q, q))
        return np.where(rises, size, -size)

    quantile_above = staticmethod(lambda q, a: -Dgamma.quantile(q, a))


class Dweibull(Law):
    shapes = ("c",)
    above = staticmethod(lambda y, c: Dweibull.below(-y, c))

    @staticmethod
    def log_density(y, c):
        size = np.abs(y)
        return np.log(0.5 * c) + special().xlogy(c - 1.0, size) - size**c

    @staticmethod
    def below(y, c):
        tail = 0.5 * np.exp(-(_size(y) ** c))
        return np.where(y > 0.0, 1.0 - tail, tail)

    @staticmethod
    def quantile(q, c):
        rises = q > 0.5
        size = (-np.log(2.0 * np.where(rises, 1.0 - q, q))) ** (1.0 / c)
        return np.where(rises, size, -size)

    quantile_above = staticmethod(lambda q, c: -Dweibull.quantile(q, c))


class Crystalball(Law):
    shapes = ("beta", "m")
    good = staticmethod(lambda beta, m: np.logical_and(beta > 0, m > 1))

    @staticmethod
    def log_density(y, beta, m):
        is_normal = y > -beta
        tail = -m * np.log1p(beta / m * -(np.where(is_normal, 0.0, y + beta)))
        inner = np.where(is_normal, -0.5 * y * y, -0.5 * beta * beta + tail)
        return inner - np.log(Crystalball._total(beta, m))

    @staticmethod
    def _total(beta, m):
        return Crystalball._tail(beta, m) + _ROOT_2_PI * special().ndtr(beta)

    @staticmethod
    def _tail(beta, m):
        return m / beta / (m - 1.0) * np.exp(-0.5 * beta * beta)

    @staticmethod
    def below(y, beta, m):
        is_normal = y > -beta
        power = np.log1p(beta / m * -(np.where(is_normal, 0.0, y + beta)))
        low = Crystalball._tail(beta, m) * np.exp((1.0 - m) * power)
        middle = special().ndtr(np.where(is_normal, y, 0.0)) - special().ndtr(-beta)
        high = Crystalball._tail(beta, m) + _ROOT_2_PI * middle
        return np.where(is_normal, high, low) / Crystalball._total(beta, m)

    @staticmethod
    def above(y, beta, m):
        is_normal = y > -beta
        high = _ROOT_2_PI * special().ndtr(np.where(is_normal, -y, 0.0))
        high = high / Crystalball._total(beta, m)
        return np.where(is_normal, high, 1.0 - Crystalball.below(y, beta, m))


_ROOT_2_PI = math.sqrt(2.0 * math.pi)


class LaplaceAsymmetric(Law, name="laplace_asymmetric"):
    shapes = ("kappa",)

    @staticmethod
    def log_density(y, kappa):
        slope = np.where(y >= 0.0, -kappa, 1.0 / kappa)
        return slope * y - np.log(kappa + 1.0 / kappa)

    @staticmethod
    def _tail(y, kappa):
        """Of the side of ``y``, seen from its end."""
        falls = y >= 0.0
        share = np.where(falls, 1.0 / kappa, kappa) / (kappa + 1.0 / kappa)
        return falls, share * np.exp(np.where(falls, -kappa, 1.0 / kappa) * y)

    @staticmethod
    def below(y, kappa):
        falls, tail = LaplaceAsymmetric._tail(y, kappa)
        return np.where(falls, 1.0 - tail, tail)

    @staticmethod
    def above(y, kappa):
        falls, tail = LaplaceAsymmetric._tail(y, kappa)
        return np.where(falls, tail, 1.0 - tail)


class Skewcauchy(Law):
    shapes = ("a",)
    good = staticmethod(lambda a: np.abs(a) < 1)

    @staticmethod
    def log_density(y, a):
        z = y / np.where(y < 0.0, 1.0 - a, 1.0 + a)
        return -math.log(math.pi) - np.log1p(z * z)

    @staticmethod
    def below(y, a):
        width = np.where(y <= 0.0, 1.0 - a, 1.0 + a)
        return 0.5 * (1.0 - a) + width / math.pi * np.arctan(y / width)

    above = staticmethod(lambda y, a: Skewcauchy.below(-y, -a))
