"""Parameters of power transformations that ``scipy.stats`` searches for, whose values stand.

Each is where a function has its minimum: its derivatives are those of the root of the slope, by the
implicit function theorem. Where Newton's method would go on from what was found, they are NaN.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.law import special
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.solvers import followed, solution, valued, without_derivative


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


def _less_correlated(power, x):
    """What is missing of the correlation with medians of normal order statistics to 1."""
    count = len(x)
    shares = (np.arange(1.0, count + 1.0) - 0.3175) / (count + 0.365)
    ends = 0.5 ** (1.0 / count)
    first, last = np.arange(count) == 0, np.arange(count) == count - 1
    shares = np.where(last, ends, np.where(first, 1.0 - ends, shares))
    apart = np.sort(special().boxcox(x, power))
    apart, normal = apart - np.mean(apart), special().ndtri(shares)
    return 1.0 - np.sum(apart * normal) / np.sqrt(np.sum(apart * apart) * np.sum(normal * normal))


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
    if optimizer is not None or method == "all":
        refuse("optimizer= and method='all'")
    if method not in ("mle", "pearsonr"):
        raise ValueError(f"Method {method} not recognized.")
    options = {"method": method} if brack is None else {"method": method, "brack": brack}
    return _found("boxcox_normmax", _LOSSES[method], np.asarray(x), options)


def yeojohnson_normmax(x, brack=None):
    options = {} if brack is None else {"brack": brack}
    return _found("yeojohnson_normmax", _LOSSES["yeojohnson"], np.asarray(x), options)


@when_imported("scipy.stats")
def register(stats):
    """Say what the functions mean."""
    for definition in (boxcox_normmax, yeojohnson_normmax):
        defines(getattr(stats, definition.__name__))(definition)
