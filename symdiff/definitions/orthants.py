"""The distribution function of the normal distribution of one, two and three variables.

It is that of variables that are less correlated, and an integral of its derivative by the
correlations (Plackett 1954). Of three SciPy's value has the error that it is asked for; the
derivatives are those of the integral.
"""

import itertools
import math

import numpy as np

from symdiff.definitions.declare import is_one_row, refuse
from symdiff.definitions.law import special
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued, without_derivative


def normal_cdf(
    x,
    mean=None,
    cov=1,
    allow_singular=False,
    maxpts=None,
    abseps=1e-5,
    releps=1e-5,
    *,
    lower_limit=None,
    rng=None,
):
    """The share below ``x``, or between that and ``lower_limit``."""
    cov = np.asarray(cov, dtype=np.float64)
    rows = np.asarray(x, dtype=np.float64)
    if allow_singular:
        refuse("allow_singular=True")
    if cov.shape not in ((2, 2), (3, 3)):
        if _is_of_one(mean, cov):
            return _of_one(rows, mean, cov, lower_limit)
        refuse("more than three variables, and covariances that are no matrices")
    below = _below if cov.shape == (2, 2) else _below_of_three
    middle = np.zeros(cov.shape[0]) if mean is None else np.asarray(mean, dtype=np.float64)
    scales = np.sqrt(np.diag(cov))
    correlation = cov / (scales[:, None] * scales)
    upper = (rows - middle) / scales
    if lower_limit is None:
        share = below(upper, correlation)
    else:
        lower = (np.asarray(lower_limit, dtype=np.float64) - middle) / scales
        lower, upper = np.broadcast_arrays(lower, upper)
        share = _between(below, lower, upper, correlation)
    if below is _below:
        return _squeezed(share)
    given = (rows, middle, cov, lower_limit, maxpts, abseps, releps, rng)
    return _squeezed(valued(share, computed(share, _of_scipy, *given)))


def normal_logcdf(x, mean=None, cov=1, *args, **options):
    """The logarithm of the share, which is not negative here."""
    share = normal_cdf(x, mean, cov, *args, **options)
    if np.any(share < 0.0):
        raise NotImplementedError("logarithms of shares below 0, between limits that are swapped")
    return np.log(share)


def _squeezed(result):
    result = np.squeeze(result)
    return result[()] if result.ndim == 0 else result


def _of_scipy(x, mean, cov, lower_limit, maxpts, abseps, releps, rng):
    from scipy.stats import multivariate_normal

    more = {} if rng is None else {"rng": rng}
    options = {"maxpts": maxpts, "abseps": abseps, "releps": releps, **more}
    return np.asarray(
        multivariate_normal.cdf(x, mean, cov, lower_limit=lower_limit, **options)
    ).reshape(x.shape[:-1])


def _between(below, lower, upper, correlation):
    """The share of a box, by those below its corners."""
    count = 2 if correlation.shape == (2, 2) else 3
    corners = list(itertools.product((0, 1), repeat=count))
    signs = np.array([(-1.0) ** (count - sum(corner)) for corner in corners])
    is_upper = np.array(corners).reshape((-1, *[1] * (upper.ndim - 1), count)) == 1
    shares = below(np.where(is_upper, upper, lower), correlation)
    return np.sum(signs.reshape((-1, *[1] * (upper.ndim - 1))) * shares, axis=0)


# One variable -------------------------------------------------------------------------------------


def _is_of_one(mean, cov):
    if mean is not None:
        mean = np.asarray(mean)
        return mean.ndim == 0 or is_one_row(mean)
    return cov.ndim < 2 or is_one_row(cov)


def _of_one(rows, mean, cov, lower_limit):
    place = rows if rows.ndim < 2 else rows[..., 0]
    middle = 0.0 if mean is None else np.reshape(mean, ())
    scale = np.sqrt(np.reshape(cov, ()))
    share = _share((place - middle) / scale)
    if lower_limit is not None:
        limit = np.asarray(lower_limit, dtype=np.float64)
        limit = limit[..., 0] if limit.ndim else limit
        share = share - _share((limit - middle) / scale)
    return _squeezed(share)


# Two variables ------------------------------------------------------------------------------------

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)
_FEWER = np.polynomial.legendre.leggauss(64)


def _below(limits, correlation):
    return _below_of_two(limits[..., 0], limits[..., 1], correlation[0, 1])


def _below_of_two(first, second, correlation):
    """By an integral over the angle whose sine is the correlation (Drezner and Wesolowsky 1990,
    eq. 3).
    """
    more = _over_angles(first, second, correlation, _NODES, _WEIGHTS)
    plain = without_derivative(first), without_derivative(second), without_derivative(correlation)
    fewer = _over_angles(*plain, *_FEWER)
    if np.any(np.abs(without_derivative(more) - fewer) > 1e-9):
        raise NotImplementedError("two variables with a covariance that is nearly singular")
    return _share(first) * _share(second) + np.where(_are_finite(first, second), more, 0.0)


def _over_angles(first, second, correlation, nodes, weights):
    whole = np.arcsin(correlation)
    sines = np.sin(0.5 * whole * (nodes + 1.0))
    powers = _powers(_finite(first)[..., None], _finite(second)[..., None], sines)
    return np.sum(weights * np.exp(powers), axis=-1) * whole / (4.0 * math.pi)


def _share(limit):
    """The share of one variable, whose slopes are 0 at infinity."""
    return np.where(np.isfinite(limit), special().ndtr(_finite(limit)), limit > 0.0)


def _finite(limit):
    limit = np.asarray(limit)
    return np.where(np.isfinite(limit), limit, 0.0)


def _are_finite(first, second):
    return np.logical_and(np.isfinite(first), np.isfinite(second))


def _powers(h, k, correlation):
    """The exponent of the density of two variables."""
    rest = 1.0 - correlation * correlation
    return -(h * h + k * k - 2.0 * h * k * correlation) / (2.0 * rest)


# Three variables ----------------------------------------------------------------------------------


def _below_of_three(limits, correlation):
    """By an integral along the way on which the first variable comes to depend on the two others
    (Genz 2004, section 2.3).
    """
    first = computed(np.zeros(1), _least_dependent, correlation).astype(np.int64)[0]
    order = (first + np.arange(3)) % 3
    limits, r = limits[..., order], correlation[order][:, order]
    apart = _below_of_two(limits[..., 1], limits[..., 2], r[1, 2])
    more = _along_the_way(limits, r, _NODES, _WEIGHTS)
    fewer = _along_the_way(without_derivative(limits), without_derivative(r), *_FEWER)
    if np.any(np.abs(without_derivative(more) - fewer) > 1e-9):
        raise NotImplementedError("three variables with a covariance that is nearly singular")
    return _share(limits[..., 0]) * apart + more


def _least_dependent(correlation):
    """The variable that is not of the pair with the largest correlation."""
    size = np.abs([correlation[1, 2], correlation[0, 2], correlation[0, 1]])
    return np.array([float(np.argmax(size))])


def _along_the_way(limits, r, nodes, weights):
    t = 0.5 * (nodes + 1.0)
    a, b, c = limits[..., 0], limits[..., 1], limits[..., 2]
    rate = _rate(a, b, c, t, r[0, 1], r[0, 2], r[1, 2])
    rate = rate + _rate(a, c, b, t, r[0, 2], r[0, 1], r[1, 2])
    return np.sum(0.5 * weights * rate, axis=-1)


def _rate(a, b, c, t, with_b, with_c, between):
    """How the share moves as the correlation of the first two grows: by their density there, and
    the share of the third one given both.
    """
    h, k, m = _finite(a)[..., None], _finite(b)[..., None], _finite(c)[..., None]
    s, u = t * with_b, t * with_c
    rest = 1.0 - s * s
    density = np.exp(_powers(h, k, s)) / (2.0 * math.pi * np.sqrt(rest))
    left = rest * (1.0 - between * between) - (u - s * between) ** 2
    place = (rest * m - (u - s * between) * h - (between - s * u) * k) / np.sqrt(rest * left)
    share = np.where(np.isfinite(c)[..., None], special().ndtr(place), (c > 0.0)[..., None])
    return np.where(_are_finite(a, b)[..., None], with_b * density * share, 0.0)
