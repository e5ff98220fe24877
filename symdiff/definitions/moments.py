"""Means, variances, entropies and raw moments of the laws of ``scipy.stats``, by their shapes.

Of standardised laws; forms are those of Johnson, Kotz and Balakrishnan, "Continuous Univariate
Distributions", and "Univariate Discrete Distributions". Where there is none it is infinite or NaN.
"""

import math
from typing import Any

import numpy as np

from symdiff.definitions.law import LOG_2, LOG_PI, LOG_ROOT_2_PI, special
from symdiff.definitions.laws_of_intervals import _log_mass
from symdiff.definitions.laws_of_the_line import Norm

GAMMA = 0.57721566490153286061  # Euler's constant
SQUARE = math.pi * math.pi


def _where(condition, form, otherwise, *shapes):
    """``form`` of the shapes where a condition holds of them; where it does not, of harmless ones,
    and a constant in its place.
    """
    safe = [np.where(condition, shape, 10.0) for shape in shapes]
    return np.where(condition, form(*safe), otherwise)


def _gamma_entropy(a):
    """With the expansion of many degrees of freedom, where the terms of the form cancel."""
    few = np.where(a < 250.0, a, 1.0)
    exact = few + special().gammaln(few) + (1.0 - few) * special().psi(few)
    r = 1.0 / np.where(a < 250.0, 250.0, a)
    tail = r * (-1.0 / 3.0 + r * (-1.0 / 12.0 + r * (-1.0 / 90.0 + r / 120.0)))
    return np.where(a < 250.0, exact, 0.5 + LOG_ROOT_2_PI - 0.5 * np.log(r) + tail)


def _student_entropy(df):
    """The same of Student's law."""
    few = np.where(df < 100.0, df, 1.0)
    half = 0.5 * few
    apart = special().psi(half + 0.5) - special().psi(half)
    exact = (half + 0.5) * apart + 0.5 * np.log(few) + special().betaln(half, 0.5)
    r = 1.0 / np.where(df < 100.0, 100.0, df)
    tail = 1.0 + r * (0.25 + r * (-1 / 6 + r * (-0.125 + r * (0.3 + r * 0.25))))
    return np.where(df < 100.0, exact, 0.5 + LOG_ROOT_2_PI + r * tail)


def _beta_entropy(a, b):
    psi, total = special().psi, a + b
    return (
        special().betaln(a, b)
        - (a - 1.0) * psi(a)
        - (b - 1.0) * psi(b)
        + (total - 2.0) * psi(total)
    )


def _chi_mean(df):
    return math.sqrt(2.0) * special().poch(0.5 * df, 0.5)


def _folded_mean(c):
    root = math.sqrt(2.0 / math.pi) * np.exp(-0.5 * c * c)
    return root + c * special().erf(c / math.sqrt(2.0))


def _skew(a):
    """The mean of the skew normal law."""
    return math.sqrt(2.0 / math.pi) * a / np.sqrt(1.0 + a * a)


def _edge(end, a, b):
    """The density at an end, over the mass between the ends."""
    return np.exp(Norm.log_density(end) - _log_mass(a, b))


def _truncated_mean(a, b):
    return _edge(a, a, b) - _edge(b, a, b)


def _truncated_variance(a, b):
    def moment(end):
        finite = np.isfinite(end)
        return np.where(finite, np.where(finite, end, 0.0) * _edge(end, a, b), 0.0)

    mean = _truncated_mean(a, b)
    return 1.0 + moment(a) - moment(b) - mean * mean


def _over_sine(x):
    return x / np.sin(x)


def _fisk_variance(c):
    mean = _over_sine(math.pi / c)
    return _over_sine(2.0 * math.pi / c) - mean * mean


def _weibull_variance(c):
    mean = special().gamma(1.0 + 1.0 / c)
    return special().gamma(1.0 + 2.0 / c) - mean * mean


def _loguniform_mean(a, b):
    return (b - a) / (np.log(b) - np.log(a))


def _loguniform_variance(a, b):
    mean = _loguniform_mean(a, b)
    return mean * (0.5 * (b + a) - mean)


def _constant(number):
    return lambda *shapes: np.asarray(number)


def _constants(mean, variance):
    return _constant(mean), _constant(variance)


def _beyond(least, form, otherwise):
    """A form of one shape that is known above a least shape."""
    return lambda shape: _where(shape > least, form, otherwise, shape)


def _second_beyond(form):
    """A variance that is infinite between 1 and 2, and NaN below."""
    return lambda shape: _where(shape > 2.0, form, np.where(shape > 1.0, np.inf, np.nan), shape)


MEANS: dict[str, tuple[Any, Any]] = {
    "anglit": _constants(0.0, SQUARE / 16.0 - 0.5),
    "arcsine": _constants(0.5, 0.125),
    "bernoulli": (lambda p: p, lambda p: p * (1.0 - p)),
    "beta": (
        lambda a, b: a / (a + b),
        lambda a, b: a / (a + b) * (b / (a + b)) / (a + b + 1.0),
    ),
    "betabinom": (
        lambda n, a, b: n * (a / (a + b)),
        lambda n, a, b: n * (a / (a + b)) * (b / (a + b)) * ((a + b + n) / (a + b + 1.0)),
    ),
    "binom": (lambda n, p: n * p, lambda n, p: n * p * (1.0 - p)),
    "chi": (_chi_mean, lambda df: df - _chi_mean(df) ** 2),
    "chi2": (lambda df: df, lambda df: 2.0 * df),
    "cosine": _constants(0.0, SQUARE / 3.0 - 2.0),
    "dlaplace": (
        lambda a: 0.0 * a,
        lambda a: 2.0 * np.exp(-a) / np.expm1(-a) ** 2,
    ),
    "expon": _constants(1.0, 1.0),
    "exponnorm": (lambda k: k, lambda k: 1.0 + k * k),
    "fisk": (
        _beyond(1.0, lambda c: _over_sine(math.pi / c), np.inf),
        _beyond(2.0, _fisk_variance, np.inf),
    ),
    "foldnorm": (_folded_mean, lambda c: c * c + 1.0 - _folded_mean(c) ** 2),
    "gamma": (lambda a: a, lambda a: a),
    "gennorm": (
        lambda beta: 0.0 * beta,
        lambda beta: np.exp(special().gammaln(3.0 / beta) - special().gammaln(1.0 / beta)),
    ),
    "geom": (lambda p: 1.0 / p, lambda p: (1.0 - p) / p / p),
    "gumbel_l": _constants(-GAMMA, SQUARE / 6.0),
    "gumbel_r": _constants(GAMMA, SQUARE / 6.0),
    "halflogistic": _constants(2.0 * LOG_2, SQUARE / 3.0 - 4.0 * LOG_2 * LOG_2),
    "halfnorm": _constants(math.sqrt(2.0 / math.pi), 1.0 - 2.0 / math.pi),
    "hypsecant": _constants(0.0, SQUARE / 4.0),
    "invgamma": (
        _beyond(1.0, lambda a: 1.0 / (a - 1.0), np.inf),
        _beyond(2.0, lambda a: 1.0 / (a - 1.0) ** 2 / (a - 2.0), np.inf),
    ),
    "invgauss": (lambda mu: mu, lambda mu: mu**3),
    "laplace": _constants(0.0, 2.0),
    "laplace_asymmetric": (lambda k: 1.0 / k - k, lambda k: 1.0 / k / k + k * k),
    "loggamma": (lambda c: special().psi(c), lambda c: special().zeta(2.0, c)),
    "logistic": _constants(0.0, SQUARE / 3.0),
    "lognorm": (
        lambda s: np.exp(0.5 * s * s),
        lambda s: np.expm1(s * s) * np.exp(s * s),
    ),
    "loguniform": (_loguniform_mean, _loguniform_variance),
    "lomax": (
        _beyond(1.0, lambda c: 1.0 / (c - 1.0), np.inf),
        _beyond(2.0, lambda c: c / (c - 1.0) ** 2 / (c - 2.0), np.inf),
    ),
    "maxwell": _constants(2.0 * math.sqrt(2.0 / math.pi), 3.0 - 8.0 / math.pi),
    "moyal": _constants(GAMMA + LOG_2, SQUARE / 2.0),
    "nbinom": (lambda n, p: n * (1.0 - p) / p, lambda n, p: n * (1.0 - p) / p / p),
    "norm": _constants(0.0, 1.0),
    "pareto": (
        _beyond(1.0, lambda b: b / (b - 1.0), np.inf),
        _beyond(2.0, lambda b: b / (b - 1.0) ** 2 / (b - 2.0), np.inf),
    ),
    "planck": (lambda r: 1.0 / np.expm1(r), lambda r: np.exp(-r) / np.expm1(-r) ** 2),
    "poisson": (lambda mu: mu, lambda mu: mu),
    "powerlaw": (
        lambda a: a / (a + 1.0),
        lambda a: a / (a + 2.0) / (a + 1.0) ** 2,
    ),
    "rayleigh": _constants(math.sqrt(0.5 * math.pi), 2.0 - 0.5 * math.pi),
    "semicircular": _constants(0.0, 0.25),
    "skewnorm": (_skew, lambda a: 1.0 - _skew(a) ** 2),
    "t": (
        _beyond(1.0, lambda df: 0.0 * df, np.inf),
        _second_beyond(lambda df: 1.0 + 2.0 / (df - 2.0)),
    ),
    "triang": (lambda c: (c + 1.0) / 3.0, lambda c: (1.0 - c + c * c) / 18.0),
    "truncnorm": (_truncated_mean, _truncated_variance),
    "uniform": _constants(0.5, 1.0 / 12.0),
    "wald": _constants(1.0, 1.0),
    "weibull_min": (lambda c: special().gamma(1.0 + 1.0 / c), _weibull_variance),
}
ENTROPIES: dict[str, Any] = {
    "anglit": _constant(1.0 - LOG_2),
    "beta": _beta_entropy,
    "bernoulli": lambda p: special().entr(p) + special().entr(1.0 - p),
    "cauchy": _constant(math.log(4.0 * math.pi)),
    "chi2": lambda df: _gamma_entropy(0.5 * df) + LOG_2,
    "cosine": _constant(math.log(4.0 * math.pi) - 1.0),
    "expon": _constant(1.0),
    "fisk": lambda c: 2.0 - np.log(c),
    "gamma": _gamma_entropy,
    "gennorm": lambda beta: 1.0 / beta - np.log(0.5 * beta) + special().gammaln(1.0 / beta),
    "gumbel_l": _constant(1.0 + GAMMA),
    "gumbel_r": _constant(1.0 + GAMMA),
    "halflogistic": _constant(2.0 - LOG_2),
    "halfnorm": _constant(0.5 * (LOG_PI - LOG_2) + 0.5),
    "invgamma": lambda a: _gamma_entropy(a) - 2.0 * special().psi(a),
    "invweibull": lambda c: 1.0 + GAMMA + GAMMA / c - np.log(c),
    "laplace": _constant(LOG_2 + 1.0),
    "laplace_asymmetric": lambda k: 1.0 + np.log(k + 1.0 / k),
    "loglaplace": lambda c: LOG_2 - np.log(c) + 1.0,
    "logistic": _constant(2.0),
    "lognorm": lambda s: 0.5 + LOG_ROOT_2_PI + np.log(s),
    "lomax": lambda c: 1.0 + 1.0 / c - np.log(c),
    "maxwell": _constant(GAMMA + LOG_ROOT_2_PI - 0.5),
    "norm": _constant(0.5 + LOG_ROOT_2_PI),
    "pareto": lambda b: 1.0 + 1.0 / b - np.log(b),
    "powerlaw": lambda a: 1.0 - 1.0 / a - np.log(a),
    "rayleigh": _constant(0.5 * GAMMA + 1.0 - 0.5 * LOG_2),
    "t": _student_entropy,
    "triang": lambda c: 0.5 - LOG_2 + 0.0 * c,
    "uniform": _constant(0.0),
    "weibull_min": lambda c: GAMMA * (1.0 - 1.0 / c) - np.log(c) + 1.0,
}
POWERS: dict[str, Any] = {  # the n-th raw moment; where it is not here, of the first two only
    "beta": lambda n, a, b: special().poch(a, n) / special().poch(a + b, n),
    "expon": lambda n: float(math.factorial(n)),
    "gamma": lambda n, a: special().poch(a, n),
    "lognorm": lambda n, s: np.exp(0.5 * (n * n) * (s * s)),
    "norm": lambda n: 0.0 if n % 2 else float(math.prod(range(1, n, 2))),
    "uniform": lambda n: 1.0 / (n + 1.0),
    "weibull_min": lambda n, c: special().gamma(1.0 + n / c),
}
