"""Parameters by maximum likelihood: ``distribution.fit(data)`` where they have a closed form.

Those that SciPy searches for are ``definitions.fits``.
"""

import numpy as np

from symdiff.definitions import distributions  # noqa: F401 - for their laws
from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.fits import fixed_by, searched
from symdiff.definitions.law import CONTINUOUS
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued


def _given(data, parameters, method, error=ValueError):
    """The data, where some parameter is to be found and SciPy would search for none of them."""
    if method.lower() != "mle":
        refuse(f"method={method!r}")
    if all(value is not None for value in parameters):
        raise error("All parameters fixed. There is nothing to optimize.")
    data = np.asarray(data)
    if not np.isfinite(data).all():
        raise ValueError("The data contains non-finite values.")
    return data


def fit_norm(data, *, floc=None, fscale=None, loc=None, scale=None, optimizer=None, method="MLE"):
    """The mean, and the root of the mean square from it."""
    data = _given(data, (floc, fscale), method)
    place = data.mean() if floc is None else floc
    return place, np.sqrt(((data - place) ** 2).mean()) if fscale is None else fscale


def fit_expon(
    data, *args, floc=None, fscale=None, loc=None, scale=None, optimizer=None, method="MLE"
):
    """The least number, and the mean from it."""
    if len(args) > 0:
        raise TypeError("Too many arguments.")
    data = _given(data, (floc, fscale), method)
    least = data.min()
    place = least if floc is None else floc
    if floc is not None:
        _require_support("expon", not (least < floc), floc, np.inf)
    return float(place), float(data.mean() - place if fscale is None else fscale)


def fit_uniform(
    data, *args, floc=None, fscale=None, loc=None, scale=None, optimizer=None, method="MLE"
):
    """The shortest interval that has all of the data."""
    if len(args) > 0:
        raise TypeError("Too many arguments.")
    data = _given(data, (floc, fscale), method)
    if fscale is not None:
        return _centred(data, fscale)
    if floc is None:
        return float(data.min()), float(np.ptp(data))
    length = data.max() - floc
    _require_support("uniform", not (data.min() < floc), floc, floc + length)
    return float(floc), float(length)


def _interval(data, scale):
    from scipy import stats

    return np.float64(stats.uniform.fit(data, fscale=scale)[0])


def _centred(data, scale):
    """Of all intervals of a length that have the data, the one that lies around them."""
    found = computed(np.asarray(0.0), _interval, data, scale)[()]
    return float(valued(data.min() - 0.5 * (scale - np.ptp(data)), found)), float(scale)


def fit_laplace(
    data, *, floc=None, fscale=None, loc=None, scale=None, optimizer=None, method="MLE"
):
    """The median, and the mean distance from it."""
    data = _given(data, (floc, fscale), method, RuntimeError)
    place = np.median(data) if floc is None else floc
    return place, (np.sum(np.abs(data - place))) / len(data) if fscale is None else fscale


def fit_rayleigh(
    data, *, floc=None, fscale=None, loc=None, scale=None, optimizer=None, method="MLE"
):
    """The scale, right of a given place."""
    data = _given(data, (floc, fscale), method, RuntimeError)
    if floc is None:
        refuse("floc=None, which is a search")
    _require_support("rayleigh", not np.any(data - floc <= 0), 1, np.inf)
    return floc, (np.sum((data - floc) ** 2) / (2 * len(data))) ** 0.5


def _of_shape(distribution, fit, *names):
    """A fit of a distribution of one shape, which may be fixed by several names."""
    searching = searched(distribution, CONTINUOUS[distribution])

    def made(data, *args, floc=None, fscale=None, method="MLE", **given):
        if floc is None or (fscale is not None and distribution == "gamma"):
            return searching(data, *args, method=method, floc=floc, fscale=fscale, **given)
        if len(args) > 1:
            raise TypeError("Too many positional arguments.")
        fixed = fixed_by(given, names)
        for name in given:
            if name not in (*names, "loc", "scale", "optimizer"):
                raise TypeError(f"Unknown keyword arguments: {name}.")
        return fit(data, fixed, floc, fscale, method)

    return made


def _fit_lognorm(data, fixed, floc, fscale, method):
    """Mean and spread of the logarithms, right of a given place."""
    data = _given(data, (fixed, floc, fscale), method, RuntimeError)
    _require_support("lognorm", not (floc >= np.min(data)), 0.0, np.inf)
    logarithms = np.log(data - floc)
    scale = fscale if fscale is not None else np.exp(logarithms.mean())
    if fixed is not None:
        return fixed, floc, scale
    return np.sqrt(np.mean((logarithms - np.log(scale)) ** 2)), floc, scale


def _fit_gamma(data, fixed, floc, fscale, method):
    """The shape at which ``log(a) - digamma(a)`` is what the data say, by ``brentq``."""
    from scipy import optimize, special

    data = _given(data, (fixed, floc, fscale), method)
    _require_support("gamma", not np.any(data <= floc), floc, np.inf)
    if floc != 0:
        data = data - floc
    mean = data.mean()
    if fixed is not None:
        return fixed, floc, mean / fixed
    s = np.log(mean) - np.log(data).mean()
    guess = (3 - s + np.sqrt((s - 3) ** 2 + 24 * s)) / (12 * s)
    low, high = guess * (1 - 0.4), guess * (1 + 0.4)
    a = optimize.brentq(lambda a: np.log(a) - special.digamma(a) - s, low, high, disp=0)
    return a, floc, mean / a


_SEARCHED_BETA = searched("beta", CONTINUOUS["beta"])


def fit_beta(data, *args, floc=None, fscale=None, method="MLE", **given):
    """The shapes at which the means of the logarithms are the data's, by ``fsolve``."""
    from scipy import optimize, special

    if floc is None or fscale is None:
        return _SEARCHED_BETA(data, *args, method=method, floc=floc, fscale=fscale, **given)
    first = fixed_by(given, ("f0", "fa", "fix_a"))
    second = fixed_by(given, ("f1", "fb", "fix_b"))
    data = _given(data, (first, second), method)
    data = (np.ravel(data) - floc) / fscale
    inside = np.logical_and(data > 0, data < 1)
    _require_support("beta", np.all(inside), floc, floc + fscale)
    mean, count = data.mean(), len(data)
    if first is None and second is None:
        below, above = np.log(data).sum(), special.log1p(-data).sum()
        spread = mean * (1 - mean) / data.var(ddof=0) - 1

        def both(theta):
            a, b = theta
            whole = special.psi(a + b)
            left = below - count * (-whole + special.psi(a))
            return [left, above - count * (-whole + special.psi(b))]

        start = [mean * spread, (1 - mean) * spread]
        a, b = optimize.fsolve(both, start)
        return a, b, floc, fscale
    if first is not None:
        data, mean = 1 - data, 1 - mean
    held = second if first is None else first
    total = np.log(data).sum()

    def one(a):
        return total - count * (-special.psi(a + held) + special.psi(a))

    a = optimize.fsolve(one, held * mean / (1 - mean))[0]
    return (a, held, floc, fscale) if first is None else (held, a, floc, fscale)


def _require_support(name, is_inside, lower, upper):
    if not is_inside:
        from scipy.stats._continuous_distns import FitDataError

        raise FitDataError(name, lower=lower, upper=upper)


@when_imported("scipy.stats")
def register(stats):
    """Say what ``fit`` of these distributions means."""
    fits = {
        "norm": fit_norm,
        "expon": fit_expon,
        "uniform": fit_uniform,
        "laplace": fit_laplace,
        "rayleigh": fit_rayleigh,
        "lognorm": _of_shape("lognorm", _fit_lognorm, "f0", "fs", "fix_s"),
        "beta": fit_beta,
        "gamma": _of_shape("gamma", _fit_gamma, "f0", "fa", "fix_a"),
    }
    for name, fit in fits.items():
        defines(getattr(stats, name).fit, rounded=True)(fit)
    for name, law in CONTINUOUS.items():
        distribution = getattr(stats, name, None)  # this SciPy may not have it
        if distribution is None or name in (*fits, *_SLOW) or law.shapes == ("n",):
            continue
        if name in _SMOOTH or type(distribution).fit is stats.rv_continuous.fit:
            defines(distribution.fit)(searched(name, law))


_SLOW = ("studentized_range",)  # a search would take hours

# Whose own methods in SciPy end at a maximum that is flat; those of the others end at an edge.
_SMOOTH = ("gumbel_l", "gumbel_r", "logistic", "skewnorm", "weibull_min")
