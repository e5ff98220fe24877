"""Means and variances by the standard library's ``statistics``, which sums fractions exactly, and
the quantiles of normal distributions, which it has in C.
"""

import math
import sys

import numpy as np

from symdiff.definitions.declare import declare_pure, defines_inside, is_known, refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import without_derivative


def mean(data):
    """The sum over the count."""
    x = _sample(data, "mean requires at least one data point", 1)
    return _as_data(np.mean(x), data)


def geometric_mean(data):
    """The exponential of the mean of logarithms."""
    from statistics import StatisticsError

    logarithms = [math.log(number) for number in _positive(data, StatisticsError)]
    if not logarithms:
        raise StatisticsError(_NOT_POSITIVE)
    return math.exp(math.fsum(logarithms) / len(logarithms))


_NOT_POSITIVE = "geometric mean requires a non-empty dataset containing positive numbers"


def _positive(data, error):
    for number in data:
        if not number > 0 and number == number:
            raise error(_NOT_POSITIVE)
        yield number


def variance(data, xbar=None):
    """The sum of squares about the mean over the count less one."""
    x = _sample(data, "variance requires at least two data points", 2)
    return _as_data(_squares(x, xbar, data) / (len(x) - 1), data, xbar)


def pvariance(data, mu=None):
    """The mean of squares about the mean."""
    x = _sample(data, "pvariance requires at least one data point", 1)
    return _as_data(_squares(x, mu, data) / len(x), data, mu)


def stdev(data, xbar=None):
    """The root of the variance."""
    x = _sample(data, "stdev requires at least two data points", 2)
    return float(np.sqrt(_squares(x, xbar, data) / (len(x) - 1)))


def pstdev(data, mu=None):
    """The root of the mean of squares about the mean."""
    x = _sample(data, "pstdev requires at least one data point", 1)
    return float(np.sqrt(_squares(x, mu, data) / len(x)))


def _sample(data, message, least):
    """The data as an array of floats."""
    if isinstance(data, np.ndarray):
        if data.ndim != 1 or data.dtype.kind != "f":
            refuse("an array that is not a row of floats")
        x = data
    elif isinstance(data, (list, tuple, range)):
        if any(type(number) not in (float, int) for number in data):
            refuse("data that are not Python's floats (np.asarray makes an array of them)")
        x = np.array(data, np.float64)
    else:
        refuse("data that are neither a list, a tuple nor an array")
    if len(x) < least:
        from statistics import StatisticsError

        raise StatisticsError(message)
    return x


def _squares(x, center, data):
    """The sum of squares about the center, which is that of the data where none is given."""
    if center is None:
        center = np.mean(x)
    elif type(center) not in (float, int) and not isinstance(data, np.ndarray):
        refuse("a mean that is not one of Python's floats")
    return np.sum((x - center) ** 2)


def _as_data(value, data, center=None):
    """A result of the type of the data, and of the center that is taken from them."""
    if isinstance(data, np.ndarray):
        return value
    if type(center) is not float and all(type(number) is int for number in data):
        refuse("whole numbers alone, of which the result may be one")
    return float(value)


def normal_quantile(p, mu, sigma):
    """Two of Newton's steps from the quantile itself have its derivatives up to the third."""
    if is_known(p):
        return mu + _quantile(p) * sigma
    z = computed(p, _quantile, without_derivative(p))
    for _ in range(2):
        density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        below = 0.5 * math.erfc(-z / math.sqrt(2.0))
        z = z - (below - p) / density
    return mu + z * sigma


def _quantile(p):
    from statistics import NormalDist

    return NormalDist().inv_cdf(p)


declare_pure(_quantile)


@when_imported("statistics")
def register(statistics):
    """Say what the functions mean."""
    if sys.version_info < (3, 13):  # which is followed, and has other words
        registered(statistics, geometric_mean)
    registered(statistics, mean, variance, pvariance, stdev, pstdev, rounded=True)
    if hasattr(statistics, "_normal_dist_inv_cdf"):
        defines_inside(statistics._normal_dist_inv_cdf, normal_quantile, rounded=True)
