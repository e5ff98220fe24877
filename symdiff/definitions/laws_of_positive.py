"""Continuous laws of positive numbers: see ``definitions.law``."""

import math

import numpy as np

from symdiff.definitions.densities import gamma_density
from symdiff.definitions.law import LOG_2, LOG_PI, LOG_ROOT_2_PI, Law, Positive, risen, special
from symdiff.definitions.laws_of_the_line import Logistic, Norm, _mean_log
from symdiff.definitions.staged import without_derivative

ROOT_HALF = math.sqrt(0.5)


class Gamma(Positive):
    shapes = ("a",)
    log_density = staticmethod(lambda y, a: special().xlogy(a - 1.0, y) - y - special().gammaln(a))
    density = staticmethod(gamma_density)
    below = staticmethod(lambda y, a: special().gammainc(a, y))
    above = staticmethod(lambda y, a: special().gammaincc(a, y))
    quantile = staticmethod(lambda q, a: special().gammaincinv(a, q))
    quantile_above = staticmethod(lambda q, a: special().gammainccinv(a, q))


class Invgamma(Positive):
    shapes = ("a",)
    closed = False
    log_density = staticmethod(lambda y, a: -(a + 1.0) * np.log(y) - special().gammaln(a) - 1.0 / y)
    below = staticmethod(lambda y, a: special().gammaincc(a, 1.0 / y))
    above = staticmethod(lambda y, a: special().gammainc(a, 1.0 / y))
    quantile = staticmethod(lambda q, a: 1.0 / special().gammainccinv(a, q))
    quantile_above = staticmethod(lambda q, a: 1.0 / special().gammaincinv(a, q))


class Gengamma(Positive):
    shapes = ("a", "c")
    good = staticmethod(lambda a, c: np.logical_and(a > 0, c != 0))

    @staticmethod
    def log_density(y, a, c):
        size = np.log(np.abs(c)) + special().xlogy(c * a - 1.0, y)
        return size - y**c - special().gammaln(a)

    @staticmethod
    def below(y, a, c):
        falls, x = c < 0, y**c
        return np.where(falls, special().gammaincc(a, x), special().gammainc(a, x))

    @staticmethod
    def above(y, a, c):
        falls, x = c < 0, y**c
        return np.where(falls, special().gammainc(a, x), special().gammaincc(a, x))


class Chi2(Positive):
    shapes = ("df",)
    log_density = staticmethod(lambda y, df: Gamma.log_density(0.5 * y, 0.5 * df) - LOG_2)
    density = staticmethod(lambda y, df: 0.5 * gamma_density(0.5 * y, 0.5 * df))
    below = staticmethod(lambda y, df: special().chdtr(df, y))
    above = staticmethod(lambda y, df: special().chdtrc(df, y))
    quantile = staticmethod(lambda q, df: 2.0 * special().gammaincinv(0.5 * df, q))
    quantile_above = staticmethod(lambda q, df: 2.0 * special().gammainccinv(0.5 * df, q))


class Chi(Positive):
    shapes = ("df",)

    @staticmethod
    def log_density(y, df):
        return special().xlogy(df - 1.0, y) + Chi._rest(y, df)

    @staticmethod
    def _rest(y, df):
        return -0.5 * (y * y) - (0.5 * df - 1.0) * LOG_2 - special().gammaln(0.5 * df)

    density = staticmethod(lambda y, df: risen(y, df - 1.0, Chi._rest(y, df)))
    below = staticmethod(lambda y, df: special().gammainc(0.5 * df, 0.5 * (y * y)))
    above = staticmethod(lambda y, df: special().gammaincc(0.5 * df, 0.5 * (y * y)))


class F(Positive):
    shapes = ("dfn", "dfd")

    @staticmethod
    def log_density(y, n, d):
        return special().xlogy(0.5 * n - 1.0, y) + F._rest(y, n, d)

    @staticmethod
    def _rest(y, n, d):
        ratio = n / d
        powers = 0.5 * n * np.log(ratio) - 0.5 * (n + d) * np.log1p(ratio * y)
        return powers - special().betaln(0.5 * n, 0.5 * d)

    density = staticmethod(lambda y, n, d: risen(y, 0.5 * n - 1.0, F._rest(y, n, d)))
    below = staticmethod(lambda y, n, d: special().fdtr(n, d, y))
    above = staticmethod(lambda y, n, d: special().fdtrc(n, d, y))
    quantile = staticmethod(lambda q, n, d: special().fdtri(n, d, q))
    quantile_above = staticmethod(lambda q, n, d: 1.0 / special().fdtri(d, n, q))


class Ncx2(Positive):
    shapes = ("df", "nc")
    good = staticmethod(lambda df, nc: np.logical_and(df > 0, nc >= 0))

    @staticmethod
    def log_density(y, df, nc):
        half, product = 0.5 * df, nc * y
        small = product < np.minimum(4.0 * (half + 1.0) ** 2, 49e4)
        series = np.log(special().hyp0f1(half, 0.25 * np.where(small, product, 1.0)))
        near = Chi2.log_density(y, df) - 0.5 * nc + series
        known = 2.0 * (half + 1.0)  # where Bessel's function is not less than the least number
        at, other = np.where(small, known, y), np.where(small, known, nc)
        bessel = np.log(special().ive(half - 1.0, np.sqrt(at * other))) - LOG_2
        power = 0.5 * (half - 1.0) * np.log(at / other)
        return np.where(small, near, power - 0.5 * (np.sqrt(at) - np.sqrt(other)) ** 2 + bessel)

    below = staticmethod(lambda y, df, nc: special().chndtr(y, df, nc))
    above = staticmethod(lambda y, df, nc: 1.0 - special().chndtr(y, df, nc))
    log_above = None  # in the tail nothing would be left of the difference


class Ncf(Positive):
    shapes = ("dfn", "dfd", "nc")

    @staticmethod
    def good(n, d, nc):
        return np.logical_and(np.logical_and(n > 0, d > 0), nc >= 0)

    @staticmethod
    def log_density(y, n, d, nc):
        part = n * y / (n * y + d)
        series = np.log(special().hyp1f1(0.5 * (n + d), 0.5 * n, 0.5 * nc * part))
        return F.log_density(y, n, d) - 0.5 * nc + series

    below = staticmethod(lambda y, n, d, nc: special().ncfdtr(n, d, nc, y))
    above = staticmethod(lambda y, n, d, nc: 1.0 - special().ncfdtr(n, d, nc, y))
    log_above = None


class Betaprime(Positive):
    shapes = ("a", "b")

    @staticmethod
    def log_density(y, a, b):
        return special().xlogy(a - 1.0, y) + Betaprime._rest(y, a, b)

    @staticmethod
    def _rest(y, a, b):
        return -(a + b) * np.log1p(y) - special().betaln(a, b)

    density = staticmethod(lambda y, a, b: risen(y, a - 1.0, Betaprime._rest(y, a, b)))
    below = staticmethod(lambda y, a, b: special().betainc(a, b, y / (1.0 + y)))
    above = staticmethod(lambda y, a, b: special().betainc(b, a, 1.0 / (1.0 + y)))


class Expon(Positive):
    log_density = staticmethod(lambda y: -y)
    below = staticmethod(lambda y: -np.expm1(-y))
    above = staticmethod(lambda y: np.exp(-y))
    log_above = staticmethod(lambda y: -y)
    quantile = staticmethod(lambda q: -np.log1p(-q))
    quantile_above = staticmethod(lambda q: -np.log(q))


class WeibullMin(Positive, name="weibull_min"):
    shapes = ("c",)
    log_density = staticmethod(lambda y, c: np.log(c) + special().xlogy(c - 1.0, y) - y**c)
    density = staticmethod(lambda y, c: risen(y, c - 1.0, np.log(c) - y**c))
    below = staticmethod(lambda y, c: -np.expm1(-(y**c)))
    above = staticmethod(lambda y, c: np.exp(-(y**c)))
    log_above = staticmethod(lambda y, c: -(y**c))
    quantile = staticmethod(lambda q, c: (-np.log1p(-q)) ** (1.0 / c))
    quantile_above = staticmethod(lambda q, c: (-np.log(q)) ** (1.0 / c))


class Lognorm(Positive):
    shapes = ("s",)
    closed = False

    @staticmethod
    def log_density(y, s):
        logarithm = np.log(y)
        return Norm.log_density(logarithm / s) - np.log(s) - logarithm

    below = staticmethod(lambda y, s: special().ndtr(np.log(y) / s))
    above = staticmethod(lambda y, s: special().ndtr(-np.log(y) / s))
    log_below = staticmethod(lambda y, s: special().log_ndtr(np.log(y) / s))
    log_above = staticmethod(lambda y, s: special().log_ndtr(-np.log(y) / s))
    quantile = staticmethod(lambda q, s: np.exp(s * special().ndtri(q)))
    quantile_above = staticmethod(lambda q, s: np.exp(-s * special().ndtri(q)))


class Halfnorm(Positive):
    log_density = staticmethod(lambda y: LOG_2 + Norm.log_density(y))
    below = staticmethod(lambda y: special().erf(y / math.sqrt(2.0)))
    above = staticmethod(lambda y: special().erfc(y / math.sqrt(2.0)))
    log_above = staticmethod(lambda y: LOG_2 + special().log_ndtr(-y))
    quantile = staticmethod(lambda q: special().ndtri(0.5 * (1.0 + q)))
    quantile_above = staticmethod(lambda q: -special().ndtri(0.5 * q))


class Foldnorm(Positive):
    shapes = ("c",)
    good = staticmethod(lambda c: c >= 0)
    log_density = staticmethod(
        lambda y, c: np.logaddexp(Norm.log_density(y - c), Norm.log_density(y + c))
    )

    @staticmethod
    def below(y, c):
        root = math.sqrt(2.0)
        return 0.5 * (special().erf((y - c) / root) + special().erf((y + c) / root))

    above = staticmethod(lambda y, c: special().ndtr(c - y) + special().ndtr(-c - y))


class Halfcauchy(Positive):
    log_density = staticmethod(lambda y: LOG_2 - LOG_PI - np.log1p(y * y))
    below = staticmethod(lambda y: 2.0 / math.pi * np.arctan(y))
    above = staticmethod(lambda y: 2.0 / math.pi * np.arctan2(1.0, y))
    quantile = staticmethod(lambda q: np.tan(0.5 * math.pi * q))
    quantile_above = staticmethod(lambda q: 1.0 / np.tan(0.5 * math.pi * q))


class Lomax(Positive):
    shapes = ("c",)
    log_density = staticmethod(lambda y, c: np.log(c) - (c + 1.0) * np.log1p(y))
    below = staticmethod(lambda y, c: -np.expm1(-c * np.log1p(y)))
    above = staticmethod(lambda y, c: np.exp(-c * np.log1p(y)))
    log_above = staticmethod(lambda y, c: -c * np.log1p(y))
    quantile = staticmethod(lambda q, c: np.expm1(-np.log1p(-q) / c))
    quantile_above = staticmethod(lambda q, c: np.expm1(-np.log(q) / c))


class Genpareto(Law):
    shapes = ("c",)
    good = staticmethod(lambda c: np.isfinite(c))
    support = staticmethod(
        lambda c: (0.0, np.where(c < 0.0, -1.0 / np.where(c < 0.0, c, -1.0), np.inf))
    )
    log_density = staticmethod(lambda y, c: -(c + 1.0) * _mean_log(y, c))
    below = staticmethod(lambda y, c: -np.expm1(-_mean_log(y, c)))
    above = staticmethod(lambda y, c: np.exp(-_mean_log(y, c)))
    log_above = staticmethod(lambda y, c: -_mean_log(y, c))


class Pareto(Law):
    shapes = ("b",)
    support = staticmethod(lambda b: (1.0, None))
    log_density = staticmethod(lambda y, b: np.log(b) - (b + 1.0) * np.log(y))
    below = staticmethod(lambda y, b: -np.expm1(-b * np.log(y)))
    above = staticmethod(lambda y, b: y ** (-b))
    log_above = staticmethod(lambda y, b: -b * np.log(y))
    quantile = staticmethod(lambda q, b: np.exp(-np.log1p(-q) / b))
    quantile_above = staticmethod(lambda q, b: q ** (-1.0 / b))


class Rayleigh(Positive):
    closed = False
    log_density = staticmethod(lambda y: np.log(y) - 0.5 * (y * y))
    below = staticmethod(lambda y: -np.expm1(-0.5 * (y * y)))
    above = staticmethod(lambda y: np.exp(-0.5 * (y * y)))
    log_above = staticmethod(lambda y: -0.5 * (y * y))
    quantile = staticmethod(lambda q: np.sqrt(-2.0 * np.log1p(-q)))
    quantile_above = staticmethod(lambda q: np.sqrt(-2.0 * np.log(q)))


class Maxwell(Positive):
    closed = False
    log_density = staticmethod(lambda y: LOG_2 - LOG_ROOT_2_PI + 2.0 * np.log(y) - 0.5 * (y * y))
    below = staticmethod(lambda y: special().gammainc(1.5, 0.5 * (y * y)))
    above = staticmethod(lambda y: special().gammaincc(1.5, 0.5 * (y * y)))


class Nakagami(Positive):
    shapes = ("nu",)

    @staticmethod
    def log_density(y, nu):
        return special().xlogy(2.0 * nu - 1.0, y) + Nakagami._rest(y, nu)

    @staticmethod
    def _rest(y, nu):
        return LOG_2 + special().xlogy(nu, nu) - special().gammaln(nu) - nu * (y * y)

    density = staticmethod(lambda y, nu: risen(y, 2.0 * nu - 1.0, Nakagami._rest(y, nu)))
    below = staticmethod(lambda y, nu: special().gammainc(nu, nu * (y * y)))
    above = staticmethod(lambda y, nu: special().gammaincc(nu, nu * (y * y)))


class Rice(Positive):
    shapes = ("b",)
    closed = False
    good = staticmethod(lambda b: b >= 0)

    @staticmethod
    def log_density(y, b):
        apart = y - b
        return np.log(y) - 0.5 * (apart * apart) + np.log(special().i0e(y * b))

    below = staticmethod(lambda y, b: special().chndtr(y * y, 2.0, b * b))
    above = staticmethod(lambda y, b: 1.0 - special().chndtr(y * y, 2.0, b * b))
    log_above = None  # in the tail nothing would be left of the difference


class Fisk(Positive):
    shapes = ("c",)
    closed = False

    @staticmethod
    def log_density(y, c):
        logarithm = np.log(y)
        return np.log(c) + Logistic.log_density(c * logarithm) - logarithm

    below = staticmethod(lambda y, c: special().expit(c * np.log(y)))
    above = staticmethod(lambda y, c: special().expit(-c * np.log(y)))
    quantile = staticmethod(lambda q, c: np.exp(special().logit(q) / c))
    quantile_above = staticmethod(lambda q, c: np.exp(-special().logit(q) / c))


class Invgauss(Positive):
    shapes = ("mu",)
    closed = False

    @staticmethod
    def log_density(y, mu):
        apart = (y - mu) / mu
        return -LOG_ROOT_2_PI - 1.5 * np.log(y) - 0.5 * (apart * apart) / y

    @staticmethod
    def _tails(y, mu):
        root = np.sqrt(y)
        return (y / mu - 1.0) / root, 2.0 / mu + special().log_ndtr(-(y / mu + 1.0) / root)

    @staticmethod
    def below(y, mu):
        z, far = Invgauss._tails(y, mu)
        return special().ndtr(z) + np.exp(far)

    @staticmethod
    def log_below(y, mu):
        """Below ``mu`` both tails are of the magnitude ``exp(-z² / 2)``, which is taken out: of
        the difference of their logarithms nothing might be left.
        """
        z, far = Invgauss._tails(y, mu)
        is_low = z < 0.0
        low = np.where(is_low, z, 0.0)
        ratios = special().erfcx(-low * ROOT_HALF) + special().erfcx(
            (y / mu + 1.0) / np.sqrt(2.0 * y)
        )
        high = np.logaddexp(special().log_ndtr(np.where(is_low, 0.0, z)), far)
        return np.where(is_low, np.log(0.5 * ratios) - 0.5 * low * low, high)

    @staticmethod
    def above(y, mu):
        z, far = Invgauss._tails(y, mu)
        return special().ndtr(-z) - np.exp(far)


class Levy(Positive):
    closed = False
    log_density = staticmethod(lambda y: -LOG_ROOT_2_PI - 1.5 * np.log(y) - 0.5 / y)
    below = staticmethod(lambda y: special().erfc(np.sqrt(0.5 / y)))
    above = staticmethod(lambda y: special().erf(np.sqrt(0.5 / y)))


class Kstwobign(Positive):
    """Of the largest difference of distribution functions, times the root of the count: theta
    functions, by two series (Kolmogorov 1933; DLMF 20.2 and 20.7).
    """

    above = staticmethod(lambda y: special().kolmogorov(y))
    quantile_above = staticmethod(lambda q: special().kolmogi(q))

    @staticmethod
    def log_below(y):
        is_small, near, far = _parted(y)
        leading, powers = _small_series(near)
        found = leading + np.log(sum(powers))
        return np.where(is_small, found, np.log1p(-special().kolmogorov(far)))

    below = staticmethod(lambda y: np.exp(Kstwobign.log_below(y)))

    @staticmethod
    def log_density(y):
        is_small, near, far = _parted(y)
        leading, powers = _small_series(near)
        rises = [2.0 * rate / near**3 - 1.0 / near for rate in _RATES]
        small = leading + np.log(sum([p * r for p, r in zip(powers, rises, strict=True)]))
        terms = [(-1.0) ** (k - 1) * k * k * np.exp(-2.0 * (k * k - 1) * far**2) for k in _COUNTS]
        return np.where(is_small, small, np.log(8.0 * far) - 2.0 * far**2 + np.log(sum(terms)))


_COUNTS = (1, 2, 3, 4)
_RATES = tuple([((2 * k - 1) * math.pi) ** 2 / 8.0 for k in _COUNTS])


def _parted(y):
    """Where the series of small numbers is taken, and numbers for it and for the other one."""
    is_small = y < 1.0
    return is_small, np.where(is_small, y, 0.5), np.where(is_small, 1.5, y)


def _small_series(y):
    """The logarithm of the first term, and all over it."""
    leading = LOG_ROOT_2_PI - np.log(y) - _RATES[0] / y**2
    return leading, [np.exp(-(rate - _RATES[0]) / y**2) for rate in _RATES]


class StudentizedRange(Positive, name="studentized_range"):
    """The range of ``k`` normal numbers over the root of their variance's estimate: a double
    integral (Lund and Lund 1983). By the largest of the numbers and the logarithm of the root
    it falls fast on both sides, and the trapezoidal rule is exact but for rounding.
    """

    shapes = ("k", "df")
    good = staticmethod(lambda k, df: np.logical_and(k > 1, df > 0))
    log_above = None  # nothing is left of the difference in the tail
    above = staticmethod(lambda y, k, df: 1.0 - StudentizedRange.below(y, k, df))
    log_density = staticmethod(lambda y, k, df: np.log(StudentizedRange.density(y, k, df)))

    @staticmethod
    def below(y, k, df):
        return _over_root(y, k, df, _range_below, 0.0)

    @staticmethod
    def density(y, k, df):
        return _over_root(y, k, df, _range_density, 1.0)


def _over_root(y, k, df, of_range, power):
    """The integral over the logarithm of the root, between where the density is 1e-16 of all."""
    y, k, df = [np.asarray(number)[..., None] for number in (y, k, df)]
    wide = 37.0 / without_derivative(df)
    low = -np.where(wide < 1.0, 1.5 * np.sqrt(wide), wide + 0.5)
    high = 0.5 * np.log1p(3.0 * wide + 2.4 * np.sqrt(2.0 * wide))
    t = low + (high - low) * (np.arange(321.0) / 320.0)
    half = 0.5 * df
    norm = half * np.log(half) - special().gammaln(half) + LOG_2
    weight = np.exp(norm + (df + power) * t - half * np.exp(2.0 * t))
    heights = weight * of_range(y * np.exp(t), k)
    return np.sum(heights * (high - low), axis=-1) / 320.0


def _between(w):
    """Places of the largest number, and the share between each and one ``w`` below, where that is
    above 0.
    """
    ndtr, z = special().ndtr, 0.2 * np.arange(-40.0, 41.0)
    found = np.where(z > 0.0, ndtr(w - z) - ndtr(-z), ndtr(z) - ndtr(z - w))
    return z, np.where(found > 0.0, found, 1.0), found > 0.0


def _range_below(w, k):
    w, k = w[..., None], k[..., None]
    z, share, inside = _between(w)
    heights = np.exp((k - 1.0) * np.log(share) - 0.5 * z**2 - LOG_ROOT_2_PI)
    return np.sum(np.where(inside, heights, 0.0) * (0.2 * k), axis=-1)


def _range_density(w, k):
    w, k = w[..., None], k[..., None]
    z, share, inside = _between(w)
    far = 0.5 * (z - w) ** 2 + 0.5 * z**2 + 2.0 * LOG_ROOT_2_PI
    heights = np.exp((k - 2.0) * np.log(share) - far)
    return np.sum(np.where(inside, heights, 0.0) * (0.2 * k * (k - 1.0)), axis=-1)
