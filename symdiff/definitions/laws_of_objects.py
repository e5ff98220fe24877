"""Distributions of which no law is said: what programs have made of ``scipy.stats``' classes.

Their functions in standard form, ``_pdf``, ``_cdf`` and others, are followed as they are written,
those that a class has; where SciPy makes one of others, the same is made here. What it takes
differences for is refused.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import DEFINITIONS, OBJECTS, defines, refuse
from symdiff.definitions.distributions import (
    Frozen,
    _freezing,
    _inside,
    _parameters,
    _standardised,
)
from symdiff.definitions.law import parsed, said, valued_by
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued, without_derivative


class Followed:
    """The law of a distribution: its functions are those of its class."""

    dtype = None  # SciPy gives them shapes as they are

    def __init__(self, distribution):
        self.distribution = distribution
        named = distribution.shapes
        self.shapes = () if named is None else tuple(named.replace(",", " ").split())

    def has(self, name):
        """Whether the class has a function of its own."""
        from scipy import stats

        base = getattr(stats.rv_continuous, name)
        return getattr(type(self.distribution), name) is not base

    def support(self, *shapes):
        return self.distribution._get_support(*shapes)

    def good(self, *shapes):
        return self.distribution._argcheck(*shapes)

    def density(self, y, *shapes):
        if not self.has("_pdf"):
            refuse("a density that SciPy takes differences for")
        return self.distribution._pdf(y, *shapes)

    def log_density(self, y, *shapes):
        if self.has("_logpdf"):
            return self.distribution._logpdf(y, *shapes)
        return np.log(self.density(y, *shapes))

    def below(self, y, *shapes):
        if self.has("_cdf"):
            return self.distribution._cdf(y, *shapes)
        return _each(self._integral, y, *shapes)

    def _integral(self, y, *shapes):
        from scipy import integrate

        low = self.support(*shapes)[0]
        return integrate.quad(self.density, low, y, args=shapes)[0]

    def above(self, y, *shapes):
        if self.has("_sf"):
            return self.distribution._sf(y, *shapes)
        return 1.0 - self.below(y, *shapes)

    def log_below(self, y, *shapes):
        if self.has("_logcdf"):
            return self.distribution._logcdf(y, *shapes)
        return _logarithm(self.below(y, *shapes), self.above(y, *shapes), "_logcdf")

    def log_above(self, y, *shapes):
        if self.has("_logsf"):
            return self.distribution._logsf(y, *shapes)
        return _logarithm(self.above(y, *shapes), self.below(y, *shapes), "_logsf")

    def quantile(self, q, *shapes):
        if self.has("_ppf"):
            return self.distribution._ppf(q, *shapes)
        return _each(self._place, q, *shapes)

    def quantile_above(self, q, *shapes):
        if self.has("_isf"):
            return self.distribution._isf(q, *shapes)
        return self.quantile(1.0 - q, *shapes)

    def _place(self, q, *shapes):
        """Where the share is, by ``brentq`` between the ends, or places like 10, 100, 1000."""
        from scipy import optimize

        low, high = self.support(*shapes)
        low, high = float(low), float(high)

        def left(y):
            return float(_in_rows(self.below, y, *shapes)) - q

        if np.isinf(low):
            low = min(-10.0, high)
            while left(low) > 0.0:
                low, high = low * 10.0, low
        if np.isinf(high):
            high = max(10.0, low)
            while left(high) < 0.0:
                low, high = high, high * 10.0
        return optimize.brentq(left, low, high, xtol=self.distribution.xtol)


def _logarithm(share, rest, name):
    """The logarithm of a share, which new versions of SciPy take of the smaller one."""
    from scipy.stats._distn_infrastructure import rv_continuous, rv_generic

    with np.errstate(divide="ignore"):
        if getattr(rv_continuous, name) is getattr(rv_generic, name):
            return np.log(share)
        below = share if name == "_logcdf" else rest
        is_small = below < 0.5 if name == "_logcdf" else below > 0.5
        return np.where(is_small, np.log(share), np.log1p(-rest))


def _each(compute, *rows):
    """What is computed of numbers, of each in rows; NaN where the first of them is."""
    found = np.full(len(rows[0]), np.nan)
    for i in range(len(rows[0])):
        if rows[0][i] == rows[0][i]:
            found[i] = compute(*[float(row[i]) for row in rows])
    return found


def _in_rows(compute, *given):
    """What is computed of arrays: functions are given rows of one length, as SciPy does it."""
    arrays = np.broadcast_arrays(*given)
    rows = [np.ravel(array) for array in arrays]
    found = np.broadcast_to(np.asarray(compute(*rows)), rows[0].shape)
    return np.reshape(found, arrays[0].shape)


def _told(result):
    return result[()] if np.ndim(result) == 0 else result


# Of a place ---------------------------------------------------------------------------------------


def _of_place(name, outside, closed):
    """The definition of a function of a place, which is constant on both sides of the support."""
    before, behind = outside

    def method(self, x, *args, **kwds):
        law = Followed(self)
        y, shapes, scale, good = _standardised(law, x, args, kwds)
        place, inside = _inside(law, y, shapes, closed and not _is_open(self))
        found = _in_rows(getattr(law, name), np.where(good, place, np.nan), *shapes)
        if scale is not None and name == "density":
            found = found / scale
        if scale is not None and name == "log_density":
            found = found - np.log(scale)
        is_behind = y >= law.support(*shapes)[1]
        found = np.where(inside, found, np.where(is_behind, behind, before))
        return _told(np.where(good, found, np.nan))

    return method


def _is_open(distribution):
    from scipy import stats

    return type(distribution)._support_mask is stats.rv_continuous._open_support_mask


def _of_share(name):
    """The definition of an inverse: the ends of the support at 0 and 1."""

    def method(self, q, *args, **kwds):
        law = Followed(self)
        shapes, loc, scale, good = _parameters(law, args, kwds)
        q = np.asarray(q)
        inside = np.logical_and(q > 0.0, q < 1.0)
        asked = np.where(np.logical_and(good, inside), q, np.nan)
        found = _in_rows(getattr(law, name), asked, *shapes)
        low, high = law.support(*shapes)
        first, last = (high, low) if name == "quantile_above" else (low, high)
        ends = np.where(q == 0.0, first, np.where(q == 1.0, last, np.nan))
        ends = np.asarray(ends, dtype=np.result_type(found.dtype, np.float32))
        found = np.where(inside, found, ends)
        if scale is not None:
            found = found * scale
        if loc is not None:
            found = found + loc
        return _told(np.where(good, np.asarray(found, dtype=np.float64), np.nan))

    return method


def median(self, *args, **kwds):
    return self.ppf(0.5, *args, **kwds)


def interval(self, confidence, *args, **kwds):
    share = np.asarray(confidence)
    if np.any((share > 1) | (share < 0)):
        raise ValueError("alpha must be between 0 and 1 inclusive")
    low = self.ppf((1.0 - share) / 2, *args, **kwds)
    return low, self.ppf((1.0 + share) / 2, *args, **kwds)


def frozen(self, *args, **kwds):
    return Frozen(self, args, kwds)


_DEFINITIONS: dict[str, Any] = {
    "pdf": _of_place("density", (0.0, 0.0), True),
    "logpdf": _of_place("log_density", (-np.inf, -np.inf), True),
    "cdf": _of_place("below", (0.0, 1.0), False),
    "sf": _of_place("above", (1.0, 0.0), False),
    "logcdf": _of_place("log_below", (-np.inf, 0.0), False),
    "logsf": _of_place("log_above", (0.0, -np.inf), False),
    "ppf": _of_share("quantile"),
    "isf": _of_share("quantile_above"),
}


# Of counts ----------------------------------------------------------------------------------------


def _of_counts(distribution, name):
    """The definition of an inverse, which is a count, from the location on."""

    def method(q, *args, **kwds):
        given = parsed(Followed(distribution), args, kwds, ("loc",))
        like = 0.0 * np.asarray(q)
        for parameter in given.values():
            like = like + 0.0 * np.asarray(parameter)
        found = computed(np.asarray(like), said, distribution.name, name, (q, *args), kwds)
        loc = np.asarray(given.get("loc", 0.0), dtype=np.float64)
        return _told(found + (loc - without_derivative(loc)))

    return method


# Registering --------------------------------------------------------------------------------------


def _of(distribution, method):
    """The definition of a method of one of SciPy's distributions."""

    def definition(*args, **kwds):
        return method(distribution, *args, **kwds)

    return definition


# Shapes at which SciPy takes the limit of the family, which says nothing of others beside them.
_LIMITS: dict[str, Any] = {
    "pearson3": {"skew": lambda skew: np.abs(skew) < 0.000016},
    "kappa4": {"h": lambda h: h == 0, "k": lambda k: k == 0},
}


def _but_at_limits(distribution, method, is_limit):
    """The same, but for slopes by a shape at a limit of the family, which are NaN."""

    def definition(*args, **kwds):
        found = made = method(*args, **kwds)
        shapes = {name: given for name, given in kwds.items() if name not in ("x", "q")}
        rest = args if len(shapes) < len(kwds) else args[1:]
        given = parsed(Followed(distribution), rest, shapes, ("loc", "scale"))
        for name, is_there in is_limit.items():
            shape = np.asarray(given[name])
            apart = shape - without_derivative(shape)
            made = made + np.where(is_there(shape), np.nan, 0.0) * apart
        return valued(_told(made), without_derivative(found))

    return definition


# Whose functions are not written in Python, or in a way that is not followed, and inverses of which
# that holds.
_COMPILED = (
    *("gausshyper", "genhyperbolic", "geninvgauss", "irwinhall", "landau", "levy_stable"),
    "tukeylambda",
)
_UNKNOWN = {"dpareto_lognorm": ("ppf", "isf", "median", "interval"), "norminvgauss": ("isf",)}
_OF_MANY = ("poisson_binom",)  # whose shape is one array of all parameters
# Whose functions are written in contexts, beside which no call stands for its value.
_IN_CONTEXTS = ("dpareto_lognorm", "rel_breitwigner")
_OTHERS = {"median": median, "interval": interval}
_SHARES = ("ppf", "isf")


def _define(stats, distribution):
    """Say what the methods are of a distribution of SciPy's of which no law is said."""
    DEFINITIONS[distribution] = _freezing(distribution)
    integrates = type(distribution)._cdf is stats.rv_continuous._cdf
    searches = type(distribution)._ppf is stats.rv_continuous._ppf
    unknown = _UNKNOWN.get(distribution.name, ())
    for name, definition in _DEFINITIONS.items():
        if name in unknown:
            continue
        is_solved = searches if name in _SHARES else integrates and "pdf" not in name
        made = _of(distribution, definition)
        if is_solved or distribution.name in _IN_CONTEXTS:
            made = valued_by(distribution.name, name, made)
        if distribution.name in _LIMITS:
            made = _but_at_limits(distribution, made, _LIMITS[distribution.name])
        defines(getattr(distribution, name), rounded=True)(made)
    _define_others(distribution)


@when_imported("scipy.stats")
def register(stats):
    """Say what the methods of all continuous distributions mean, where no law says it."""
    for name, definition in (*_DEFINITIONS.items(), *_OTHERS.items()):
        defines(getattr(stats.rv_continuous, name))(definition)
    for name in ("__call__", "freeze"):
        defines(getattr(stats.rv_continuous, name))(frozen)
    for distribution in list(OBJECTS):
        if isinstance(distribution, stats.rv_discrete):
            if distribution.name not in _OF_MANY:
                _define_inverses(distribution)
        elif not isinstance(distribution, stats.rv_continuous) or distribution in DEFINITIONS:
            continue
        elif distribution.name not in _COMPILED:
            _define(stats, distribution)


def _define_inverses(distribution):
    """Say what the inverses of a distribution of counts of SciPy's are."""
    DEFINITIONS.setdefault(distribution, _freezing(distribution))
    for name in _SHARES:
        made = _of_counts(distribution, name)
        defines(getattr(distribution, name), rounded=True)(made)
    _define_others(distribution)


def _define_others(distribution):
    for name, definition in _OTHERS.items():
        if name in _UNKNOWN.get(distribution.name, ()):
            continue
        defines(getattr(distribution, name))(_of(distribution, definition))
