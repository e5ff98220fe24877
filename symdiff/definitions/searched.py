"""Parameters that ``scipy.stats`` searches for, of power transformations and others; their values
stand.

Each is where a function has its minimum: its derivatives are those of the root of the slope, by the
implicit function theorem. Where Newton's method would go on from what was found, they are NaN.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, object_name
from symdiff.definitions.law import special
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import followed, solution, valued, without_derivative


def _loss_of(transform):
    """What the likelihood of normal data is the logarithm of, but for the sign (Box and Cox 1964,
    eq. 8), a number for each datum; ``transform`` has the logarithms of the slopes too.
    """

    def loss(power, x):
        y, logarithms = transform(x, power)
        return 0.5 * np.log(np.var(y)) - (power - 1.0) * np.mean(logarithms)

    return loss


def _boxed(x, power):
    return special().boxcox(x, power), np.log(x)


def _of_both_signs(x, power):
    """Yeo and Johnson's transformation (2000, eq. 2.1): that of ``1 + x``, below 0 of ``1 - x``."""
    above, below = np.where(x < 0, 0.0, x), np.where(x < 0, -x, 0.0)
    right, left = special().boxcox1p(above, power), special().boxcox1p(below, 2.0 - power)
    return np.where(x < 0, -left, right), np.sign(x) * np.log1p(np.abs(x))


def _medians(count):
    """Medians of uniform order statistics, nearly (Filliben 1975)."""
    shares = (np.arange(1.0, count + 1.0) - 0.3175) / (count + 0.365)
    ends = 0.5 ** (1.0 / count)
    first, last = np.arange(count) == 0, np.arange(count) == count - 1
    return np.where(last, ends, np.where(first, 1.0 - ends, shares))


def _uncorrelated(one, other):
    """What is missing of the correlation to 1."""
    one, other = one - np.mean(one), other - np.mean(other)
    return 1.0 - np.sum(one * other) / np.sqrt(np.sum(one * one) * np.sum(other * other))


def _less_correlated(power, x):
    """Of the correlation with medians of normal order statistics."""
    return _uncorrelated(np.sort(special().boxcox(x, power)), special().ndtri(_medians(len(x))))


_LOSSES: dict[str, Any] = {
    "mle": _loss_of(_boxed),
    "pearsonr": _less_correlated,
    "yeojohnson": _loss_of(_of_both_signs),
}
_STEP = 1e-3  # of differences that tell whether there is a minimum


def _searched(name, x, options):
    from scipy import stats

    return np.asarray(getattr(stats, name)(x, **options), dtype=np.float64)


def _found(name, loss, x, options):
    """The parameter that is found, and where it is one its derivatives."""
    found = computed(np.asarray(0.0), _searched, name, x, options)[()]
    x = x.astype(np.float64)
    at = without_derivative(found)

    def objective(power, *args):
        return loss(power, x)

    solved = solution("bottom", at, followed(objective, (at,), ()))
    known = without_derivative(x)
    with np.errstate(all="ignore"):
        less, here, more = (loss(at + k * _STEP, known) for k in (-1.0, 0.0, 1.0))
        left = 0.5 * _STEP * (more - less) / (more - 2.0 * here + less)
    factor = np.where(np.abs(left) <= 1e-4 * (1.0 + np.abs(at)), 1.0, np.nan)
    return valued(factor * (solved - without_derivative(solved)) + at, found)


def boxcox_normmax(x, brack=None, method="pearsonr", optimizer=None):
    if method == "all":
        both = [boxcox_normmax(x, brack, name, optimizer) for name in ("pearsonr", "mle")]
        return np.stack(both)
    if method not in ("mle", "pearsonr"):
        raise ValueError(f"Method {method} not recognized.")
    loss, data = _LOSSES[method], np.asarray(x)
    if optimizer is None:
        options = {"method": method} if brack is None else {"method": method, "brack": brack}
        return _found("boxcox_normmax", loss, data, options)
    options = {"method": method, "brack": brack, "optimizer": optimizer}
    found = computed(np.asarray(0.0), _searched, "boxcox_normmax", data, options)[()]
    floats = data.astype(np.float64)
    return valued(optimizer(lambda power: loss(power, floats)).x, found)


def yeojohnson_normmax(x, brack=None):
    options = {} if brack is None else {"brack": brack}
    return _found("yeojohnson_normmax", _LOSSES["yeojohnson"], np.asarray(x), options)


def ppcc_max(x, brack=(0.0, 1.0), dist="tukeylambda"):
    """The shape of the distribution with whose quantiles the data are correlated best."""
    from scipy import stats

    law = getattr(stats, dist) if isinstance(dist, str) else dist

    def loss(shape, x):
        shares = _medians(len(x))
        if object_name(law) == "tukeylambda":
            quantiles = special().boxcox(shares, shape) - special().boxcox1p(-shares, shape)
        else:
            quantiles = law.ppf(shares, shape)
        return _uncorrelated(np.sort(x), quantiles)

    return _found("ppcc_max", loss, np.asarray(x), {"brack": brack, "dist": dist})


@when_imported("scipy.stats")
def register(stats):
    """Say what the functions mean."""
    for definition in (boxcox_normmax, yeojohnson_normmax, ppcc_max):
        defines(getattr(stats, definition.__name__))(definition)
