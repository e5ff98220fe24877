"""Continuous laws of the whole line: see ``definitions.law``."""

import math

import numpy as np

from symdiff.definitions.law import LOG_2, LOG_PI, LOG_ROOT_2_PI, Law, special


class Norm(Law):
    log_density = staticmethod(lambda y: -(y * y) / 2.0 - LOG_ROOT_2_PI)
    below = staticmethod(lambda y: special().ndtr(y))
    above = staticmethod(lambda y: special().ndtr(-y))
    log_below = staticmethod(lambda y: special().log_ndtr(y))
    log_above = staticmethod(lambda y: special().log_ndtr(-y))
    quantile = staticmethod(lambda q: special().ndtri(q))
    quantile_above = staticmethod(lambda q: -special().ndtri(q))


class T(Law):
    shapes = ("df",)

    @staticmethod
    def log_density(y, df):
        normal = df == np.inf
        few = np.where(normal, 1.0, df)
        found = -special().betaln(0.5 * few, 0.5) - 0.5 * np.log(few)
        found = found - (few + 1.0) / 2.0 * np.log1p(y * y / few)
        return np.where(normal, Norm.log_density(y), found)

    below = staticmethod(lambda y, df: special().stdtr(df, y))
    above = staticmethod(lambda y, df: special().stdtr(df, -y))
    quantile = staticmethod(lambda q, df: special().stdtrit(df, q))
    quantile_above = staticmethod(lambda q, df: -special().stdtrit(df, q))


class Nct(Law):
    shapes = ("df", "nc")
    good = staticmethod(lambda df, nc: np.logical_and(df > 0, nc == nc))

    @staticmethod
    def log_density(y, df, nc):
        """The mean of ``s φ(y s - nc)``, where ``s`` is the root of a χ² over its degrees: by the
        trapezoidal rule in its logarithm, around the one maximum.
        """
        y, df, nc = (np.asarray(v)[..., None] for v in (y, df, nc))
        square, cross = df + y * y, y * nc
        most = np.sqrt(cross * cross + 4.0 * (df + 1.0) * square) + np.abs(cross)
        top = np.where(cross > 0, most / (2.0 * square), 2.0 * (df + 1.0) / most)
        steep = square * top * top
        spread = 1.0 / np.sqrt(steep + df + 1.0)
        tail = 40.0 / (df + 1.0) + 9.0 * spread
        near = -np.log(1.0 - np.sqrt(80.0 / np.maximum(steep, 160.0)))
        left = np.where(steep > 160.0, np.minimum(tail, near), tail)
        length = left + 9.0 * spread

        def exponent(u):
            shifted = y * np.exp(u) - nc
            return df * (u - 0.5 * np.expm1(2.0 * u)) + u - 0.5 * (shifted * shifted)

        peak, u = exponent(np.log(top)), np.log(top) - left + np.linspace(0.0, 1.0, 1001) * length
        total = np.sum(np.exp(exponent(u) - peak), axis=-1)
        half = 0.5 * df
        norm = LOG_2 + half * np.log(half) - half - special().gammaln(half) - LOG_ROOT_2_PI
        return (norm + peak + np.log(length / 1000.0))[..., 0] + np.log(total)

    below = staticmethod(lambda y, df, nc: special().nctdtr(df, nc, y))
    above = staticmethod(lambda y, df, nc: 1.0 - special().nctdtr(df, nc, y))
    log_below = log_above = None  # in the tails SciPy's own have few digits


class Cauchy(Law):
    log_density = staticmethod(lambda y: -LOG_PI - np.log1p(y * y))
    below = staticmethod(lambda y: np.arctan2(1.0, -y) / math.pi)
    above = staticmethod(lambda y: np.arctan2(1.0, y) / math.pi)
    quantile = staticmethod(lambda q: -1.0 / np.tan(math.pi * q))
    quantile_above = staticmethod(lambda q: 1.0 / np.tan(math.pi * q))


class Laplace(Law):
    log_density = staticmethod(lambda y: -LOG_2 - np.abs(y))

    above = staticmethod(lambda y: Laplace.below(-y))

    @staticmethod
    def below(y):
        tail = 0.5 * np.exp(np.where(y > 0, -y, y))  # of np.abs the derivative at 0 is 0
        return np.where(y > 0, 1.0 - tail, tail)

    quantile = staticmethod(lambda q: np.where(q > 0.5, -np.log(2.0 * (1.0 - q)), np.log(2.0 * q)))
    quantile_above = staticmethod(lambda q: -Laplace.quantile(q))


class Logistic(Law):
    log_density = staticmethod(lambda y: special().log_expit(y) + special().log_expit(-y))
    below = staticmethod(lambda y: special().expit(y))
    above = staticmethod(lambda y: special().expit(-y))
    log_below = staticmethod(lambda y: special().log_expit(y))
    log_above = staticmethod(lambda y: special().log_expit(-y))
    quantile = staticmethod(lambda q: special().logit(q))
    quantile_above = staticmethod(lambda q: -special().logit(q))


class GumbelR(Law, name="gumbel_r"):
    within = staticmethod(lambda y: np.maximum(y, -700.0))
    log_density = staticmethod(lambda y: -y - np.exp(-y))
    below = staticmethod(lambda y: np.exp(-np.exp(-y)))
    above = staticmethod(lambda y: -np.expm1(-np.exp(-y)))
    log_below = staticmethod(lambda y: -np.exp(-y))
    quantile = staticmethod(lambda q: -np.log(-np.log(q)))
    quantile_above = staticmethod(lambda q: -np.log(-np.log1p(-q)))


class GumbelL(Law, name="gumbel_l"):
    within = staticmethod(lambda y: np.minimum(y, 700.0))
    log_density = staticmethod(lambda y: y - np.exp(y))
    below = staticmethod(lambda y: -np.expm1(-np.exp(y)))
    above = staticmethod(lambda y: np.exp(-np.exp(y)))
    log_above = staticmethod(lambda y: -np.exp(y))
    quantile = staticmethod(lambda q: np.log(-np.log1p(-q)))
    quantile_above = staticmethod(lambda q: np.log(-np.log(q)))


class Skewnorm(Law):
    shapes = ("a",)
    good = staticmethod(lambda a: np.isfinite(a))
    log_density = staticmethod(lambda y, a: LOG_2 + Norm.log_density(y) + special().log_ndtr(a * y))
    below = staticmethod(lambda y, a: special().ndtr(y) - 2.0 * special().owens_t(y, a))
    above = staticmethod(lambda y, a: special().ndtr(-y) + 2.0 * special().owens_t(y, a))


class Gennorm(Law):
    shapes = ("beta",)
    log_density = staticmethod(
        lambda y, beta: np.log(0.5 * beta) - special().gammaln(1.0 / beta) - np.abs(y) ** beta
    )

    @staticmethod
    def below(y, beta):
        tail = 0.5 * special().gammaincc(1.0 / beta, np.abs(y) ** beta)
        return np.where(y > 0, 1.0 - tail, tail)

    above = staticmethod(lambda y, beta: Gennorm.below(-y, beta))


class Exponnorm(Law):
    shapes = ("K",)

    @staticmethod
    def log_density(y, k):
        return Exponnorm._log_tail(y, 1.0 / k) - np.log(k)

    @staticmethod
    def _log_tail(y, rate):
        """``rate² / 2 - rate * y + log_ndtr(y - rate)``, the same where these cancel."""
        low = y < rate
        place, slow = np.where(low, 0.0, y), np.where(low, 0.0, rate)
        high = 0.5 * slow * slow - slow * place + special().log_ndtr(place - slow)
        root = np.where(low, rate - y, 1.0) / math.sqrt(2.0)
        return np.where(low, np.log(special().erfcx(root)) - LOG_2 - 0.5 * (y * y), high)

    @staticmethod
    def below(y, k):
        return special().ndtr(y) - np.exp(Exponnorm._log_tail(y, 1.0 / k))

    @staticmethod
    def above(y, k):
        return special().ndtr(-y) + np.exp(Exponnorm._log_tail(y, 1.0 / k))


class Johnsonsu(Law):
    shapes = ("a", "b")
    good = staticmethod(lambda a, b: np.logical_and(a == a, b > 0))

    @staticmethod
    def log_density(y, a, b):
        inner = Norm.log_density(a + b * np.arcsinh(y))
        return np.log(b) - 0.5 * np.log1p(y * y) + inner

    below = staticmethod(lambda y, a, b: special().ndtr(a + b * np.arcsinh(y)))
    above = staticmethod(lambda y, a, b: special().ndtr(-a - b * np.arcsinh(y)))
    log_below = staticmethod(lambda y, a, b: special().log_ndtr(a + b * np.arcsinh(y)))
    log_above = staticmethod(lambda y, a, b: special().log_ndtr(-a - b * np.arcsinh(y)))
    quantile = staticmethod(lambda q, a, b: np.sinh((special().ndtri(q) - a) / b))
    quantile_above = staticmethod(lambda q, a, b: np.sinh((-special().ndtri(q) - a) / b))


class Loggamma(Law):
    shapes = ("c",)
    within = staticmethod(lambda y: np.minimum(y, 700.0))
    log_density = staticmethod(lambda y, c: c * y - np.exp(y) - special().gammaln(c))
    below = staticmethod(lambda y, c: special().gammainc(c, np.exp(y)))
    above = staticmethod(lambda y, c: special().gammaincc(c, np.exp(y)))


class Moyal(Law):
    within = staticmethod(lambda y: np.maximum(y, -200.0))
    log_density = staticmethod(lambda y: -0.5 * (y + np.exp(-y)) - LOG_ROOT_2_PI)
    below = staticmethod(lambda y: special().erfc(Moyal._root(y)))
    above = staticmethod(lambda y: special().erf(Moyal._root(y)))

    @staticmethod
    def _root(y):
        """No larger than where the tail is 0, and products of its derivatives are finite."""
        return np.exp(-0.5 * Moyal.within(y)) / math.sqrt(2.0)


class Hypsecant(Law):
    log_density = staticmethod(lambda y: LOG_2 - LOG_PI - np.logaddexp(y, -y))
    above = staticmethod(lambda y: Hypsecant.below(-y))

    @staticmethod
    def below(y):
        tail = 2.0 / math.pi * np.arctan(np.exp(np.where(y > 0, -y, y)))
        return np.where(y > 0, 1.0 - tail, tail)


class Vonmises(Law):
    shapes = ("kappa",)
    good = staticmethod(lambda kappa: kappa >= 0)
    log_density = staticmethod(
        lambda y, kappa: (
            kappa * (np.cos(y) - 1.0) - 2.0 * LOG_ROOT_2_PI - np.log(special().i0e(kappa))
        )
    )

    @staticmethod
    def below(y, kappa):
        turns, left = _turns(y)
        tail = _circular_tail(np.where(left < 0, -left, left), kappa)
        return turns + np.where(left < 0, tail, 1.0 - tail)

    @staticmethod
    def above(y, kappa):
        turns, left = _turns(y)
        tail = _circular_tail(np.where(left < 0, -left, left), kappa)
        return np.where(left < 0, 1.0 - tail, tail) - turns


def _turns(y):
    """Whole turns, and what is left of the angle."""
    turns = np.round(y / (2.0 * math.pi))
    return turns, y - 2.0 * math.pi * turns


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(80)


def _circular_tail(y, kappa):
    """Von Mises' density integrated from ``y`` to half a turn, or ten deviations beyond ``y``."""
    reach = np.minimum(math.pi - y, 10.0 / np.sqrt(np.maximum(kappa, 1.0)))
    start, reach, kappa = [np.expand_dims(each, -1) for each in (y, reach, kappa)]
    angle = start + reach * (0.5 * (_NODES + 1.0))
    density = np.exp(kappa * (np.cos(angle) - 1.0)) / special().i0e(kappa)
    return np.sum(_WEIGHTS * density * reach, axis=-1) / (4.0 * math.pi)


class VonmisesLine(Law, name="vonmises_line"):
    """The same between half a turn either way."""

    shapes = ("kappa",)
    good = staticmethod(lambda kappa: kappa >= 0)
    support = staticmethod(lambda kappa: (-math.pi, math.pi))
    log_density = staticmethod(lambda y, kappa: Vonmises.log_density(y, kappa))
    below = staticmethod(lambda y, kappa: Vonmises.below(y, kappa))
    above = staticmethod(lambda y, kappa: Vonmises.above(y, kappa))


class Genextreme(Law):
    shapes = ("c",)
    good = staticmethod(lambda c: c == c)

    @staticmethod
    def support(c):
        end = 1.0 / np.where(c == 0.0, 1.0, c)
        return np.where(c < 0.0, end, -np.inf), np.where(c > 0.0, end, np.inf)

    @staticmethod
    def log_density(y, c):
        inner = _mean_log(-y, c)
        return (1.0 - c) * inner - np.exp(inner)

    below = staticmethod(lambda y, c: np.exp(-np.exp(_mean_log(-y, c))))
    above = staticmethod(lambda y, c: -np.expm1(-np.exp(_mean_log(-y, c))))
    log_below = staticmethod(lambda y, c: -np.exp(_mean_log(-y, c)))


def _mean_log(y, c):
    """``log1p(c * y) / c``, and ``y`` where ``c`` is 0."""
    return np.log1p(special().inv_boxcox1p(y, c))
