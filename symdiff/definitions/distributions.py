"""Distributions of ``scipy.stats``: their methods, by what the laws say of each.

Values are SciPy's own; what is said here is differentiated. Where an argument is outside of the
support, or a parameter is none, derivatives are 0.
"""

from typing import Any

import numpy as np

from symdiff.definitions import (  # noqa: F401 - for their laws
    laws_of_intervals,
    laws_of_positive,
    laws_of_powers,
)
from symdiff.definitions.counts import COUNTS
from symdiff.definitions.declare import DEFINITIONS, INSTEAD, OBJECTS, defines
from symdiff.definitions.law import CONTINUOUS, of_scipy, parsed, valued_by
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.multivariate import FROZEN, MULTIVARIATE

# Arguments ----------------------------------------------------------------------------------------


def _parameters(law, args, keywords):
    """Shapes, location and scale (None where not given), and where they are any good."""
    given = parsed(law, args, keywords, ("loc", "scale"))
    shapes = [np.asarray(given[name], dtype=law.dtype) for name in law.shapes]
    good = law.good(*shapes)
    loc = np.asarray(given["loc"]) if "loc" in given else None
    scale = np.asarray(given["scale"]) if "scale" in given else None
    if scale is not None:
        good = np.logical_and(good, scale > 0)
    return shapes, loc, scale, good


def _standardised(law, x, args, keywords):
    """The standardised argument, shapes and scale, and where they are any good."""
    shapes, loc, scale, good = _parameters(law, args, keywords)
    y = np.asarray(x)
    if loc is not None:
        y = y - loc
    if scale is not None:
        y = y / scale
    y = np.asarray(y, dtype=np.float64)
    return y, shapes, scale, np.logical_and(good, np.logical_not(np.isnan(y)))


# Continuous ---------------------------------------------------------------------------------------


def _inside(law, y, shapes, ends):
    """``y``, a place inside where it is outside of the support, and whether it is inside."""
    low, high = law.support(*shapes)
    if low is None and high is None:
        return y, True
    if high is None:
        inside = y >= low if ends else y > low
        return np.where(inside, y, low + 0.5), inside
    upper = y <= high if ends else y < high
    inside = np.logical_and(y >= low if ends else y > low, upper)
    return np.where(inside, y, _between(low, high)), inside


def _between(low, high):
    """A place between two ends, which may be infinite."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    lower, upper = np.maximum(low, -1e300), np.minimum(high, 1e300)
    middle = 0.5 * lower + 0.5 * upper
    near = np.where(lower < -1e299, upper - 0.5, np.where(upper > 1e299, lower + 0.5, middle))
    return np.where(np.logical_and(lower < -1e299, upper > 1e299), 0.0, near)


def _finished(good, inside, found, outside):
    result = np.where(good, np.where(inside, found, outside), np.nan)
    return result[()] if result.ndim == 0 else result


def _log_density(law, x, args, keywords):
    y, shapes, scale, good = _standardised(law, x, args, keywords)
    place, inside = _inside(law, y, shapes, law.closed)
    found = law.log_density(place, *shapes)
    if scale is not None:
        found = found - np.log(scale)
    return _finished(good, inside, found, -np.inf)


def _density(law, x, args, keywords):
    y, shapes, scale, good = _standardised(law, x, args, keywords)
    place, inside = _inside(law, y, shapes, law.closed)
    if hasattr(law, "density"):
        found = law.density(place, *shapes)
    else:
        found = np.exp(law.log_density(law.within(place), *shapes))
    if scale is not None:
        found = found / scale
    return _finished(good, inside, found, 0.0)


def _distribution(law, function, x, args, keywords):
    """A function of the distribution, which is constant outside of the support."""
    y, shapes, _, good = _standardised(law, x, args, keywords)
    place, inside = _inside(law, y, shapes, False)
    return _finished(good, inside, function(place, *shapes), 0.0)


def _quantile(law, function, above, q, args, keywords):
    """An inverse of the distribution, in the units of the argument; the ends of the support at 0
    and 1.
    """
    shapes, loc, scale, good = _parameters(law, args, keywords)
    q = np.asarray(q, dtype=np.float64)
    inside = np.logical_and(q > 0.0, q < 1.0)
    found = function(np.where(inside, q, 0.5), *shapes)
    low, high = law.support(*shapes)
    for end, place in ((low, 1.0 if above else 0.0), (high, 0.0 if above else 1.0)):
        if end is not None:
            there = np.logical_and(q == place, np.isfinite(end))
            found, inside = np.where(there, end, found), np.logical_or(inside, there)
    if scale is not None:
        found = found * scale
    if loc is not None:
        found = found + loc
    return _finished(good, inside, found, 0.0)


def _of_place(function, *known):
    """A method that is asked at a place: ``function`` of what is known, the place and the rest."""

    def method(x, *args, **kwds):
        return function(*known, x, args, kwds)

    return method


def _of_share(function, *known):
    """The same of a method that is asked by a share of the whole."""

    def method(q, *args, **kwds):
        return function(*known, q, args, kwds)

    return method


def _logarithm(law, name):
    """The logarithm of one of a law's functions, by the form that the law has for it."""
    function = getattr(law, name)

    def logarithm(y, *shapes):
        return np.log(function(y, *shapes))

    return getattr(law, f"log_{name}", logarithm)


def _continuous(law):
    """The methods of a distribution that its law says something of."""
    found = {"pdf": _of_place(_density, law), "logpdf": _of_place(_log_density, law)}
    if hasattr(law, "below"):
        for tail, method in (("below", "cdf"), ("above", "sf")):
            found[method] = _of_place(_distribution, law, getattr(law, tail))
            if getattr(law, f"log_{tail}", True) is not None:
                found[f"log{method}"] = _of_place(_distribution, law, _logarithm(law, tail))
    for form, method in (("quantile", "ppf"), ("quantile_above", "isf")):
        if hasattr(law, form):
            above = method == "isf"
            found[method] = _of_share(_quantile, law, getattr(law, form), above)
    return found


# Of counts ----------------------------------------------------------------------------------------


def _counted(law, k, args, keywords):
    """The count from ``loc`` on, the shapes, and where they are any good."""
    given = parsed(law, args, keywords, ("loc",))
    shapes = [np.asarray(given[name], dtype=np.float64) for name in law.shapes]
    count = np.asarray(k)
    if "loc" in given:
        count = count - np.asarray(given["loc"])
    return count, shapes, np.logical_and(law.good(*shapes), np.logical_not(np.isnan(count)))


def _log_mass(law, k, args, keywords):
    count, shapes, good = _counted(law, k, args, keywords)
    inside = np.logical_and(law.inside(count, *shapes), np.floor(count) == count)
    found = law.log_mass(np.where(inside, count, 1.0 * law.first), *shapes)
    return _finished(good, inside, found, -np.inf)


def _sum(law, function, k, args, keywords):
    """A function of the distribution, which is constant below the first count and at the last."""
    count, shapes, good = _counted(law, k, args, keywords)
    inside = law.inside(count, *shapes, last=False)
    found = function(np.where(inside, np.floor(count), 1.0 * law.first), *shapes)
    return _finished(good, inside, found, 0.0)


def _mass(law, k, args, keywords):
    return np.exp(_log_mass(law, k, args, keywords))


def _of_count(function, *known):
    """A method that is asked at a count."""

    def method(k, *args, **kwds):
        return function(*known, k, args, kwds)

    return method


def _discrete(law):
    """The methods of a distribution of counts that its law says something of."""
    found = {"pmf": _of_count(_mass, law), "logpmf": _of_count(_log_mass, law)}
    if hasattr(law, "below"):
        for tail, method in (("below", "cdf"), ("above", "sf")):
            found[method] = _of_count(_sum, law, getattr(law, tail))
            found[f"log{method}"] = _of_count(_sum, law, _logarithm(law, tail))
    return found


# Distributions with parameters --------------------------------------------------------------------


class FrozenOfSeveral:
    """A distribution of several variables with its parameters."""

    def __init__(self, distribution, args, kwds):
        self.dist, self.args, self.kwds = distribution, args, kwds

    def __getattr__(self, name):
        method = getattr(self.dist, name)

        def called(*args, **kwds):
            if name == "rvs":
                named = dict(zip(("size", "random_state"), args, strict=False))
                return method(*self.args, **self.kwds, **named, **kwds)
            return method(*args, *self.args, **self.kwds, **kwds)

        return called


class Frozen:
    """A distribution with its parameters, whose methods are set below."""

    def __init__(self, distribution, args, kwds):
        self.dist, self.args, self.kwds = distribution, args, kwds

    def rvs(self, size=None, random_state=None):
        given = {**self.kwds, "size": size, "random_state": random_state}
        return self.dist.rvs(*self.args, **given)

    def support(self):
        return self.dist.support(*self.args, **self.kwds)

    def expect(self, func=None, lb=None, ub=None, conditional=False, **options):
        from symdiff.definitions.expectations import expect_frozen

        return expect_frozen(self, func, lb, ub, conditional, **options)


def _asked_at_a_place(method):
    def found(self, x):
        return getattr(of_scipy(self.dist), method)(x, *self.args, **self.kwds)

    return found


def _asked_by_a_share(method):
    def found(self, q):
        return getattr(of_scipy(self.dist), method)(q, *self.args, **self.kwds)

    return found


def _asked_at_a_count(method):
    def found(self, k):
        return getattr(of_scipy(self.dist), method)(k, *self.args, **self.kwds)

    return found


def _asked_for(method):
    def found(self):
        return getattr(of_scipy(self.dist), method)(*self.args, **self.kwds)

    return found


def _moments(self, moments="mv"):
    return of_scipy(self.dist).stats(*self.args, **self.kwds, moments=moments)


def _moment(self, order=None):
    return of_scipy(self.dist).moment(order, *self.args, **self.kwds)


def _interval(self, confidence=None):
    return of_scipy(self.dist).interval(confidence, *self.args, **self.kwds)


# Methods of distributions with parameters, made outside of a program or inside.
_OF_FROZEN = {
    **{name: _asked_at_a_place(name) for name in ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")},
    **{name: _asked_by_a_share(name) for name in ("ppf", "isf")},
    **{name: _asked_at_a_count(name) for name in ("pmf", "logpmf")},
    **{name: _asked_for(name) for name in ("mean", "var", "std", "median", "entropy")},
    **{"stats": _moments, "moment": _moment, "interval": _interval},
}
for _name, _definition in _OF_FROZEN.items():
    setattr(Frozen, _name, _definition)


def _freezing(distribution, kind=Frozen):
    def frozen(*args, **kwds):
        return kind(distribution, args, kwds)

    return frozen


# Registering --------------------------------------------------------------------------------------

_DRAWN = "draw with a numpy.random.Generator: rng.normal(...), rng.gamma(...)"
_METHODS = {
    "rvs": _DRAWN,
    "fit": "minimise -numpy.sum(distribution.logpdf(data, ...)), whose derivatives are known",
    "mean": "write its formula",
    "median": "write its formula",
    "var": "write its formula",
    "std": "write its formula",
    "entropy": "write its formula",
    "interval": "use ppf",
}


@when_imported("scipy.stats")
def register(stats):
    """Say what the distributions' methods mean, and what to write in place of those unknown."""
    for distribution in _distributions(stats):
        OBJECTS.add(distribution)
        known = [method for method in _METHODS if hasattr(distribution, method)]
        INSTEAD.update({getattr(distribution, method): _METHODS[method] for method in known})
    _register_frozen(stats)
    tables: Any = ((CONTINUOUS, _continuous), (COUNTS, _discrete), (MULTIVARIATE, dict))
    for laws, methods_of in tables:
        for name, law in laws.items():
            if hasattr(stats, name):  # this SciPy may not have it
                methods = methods_of(law)
                for method in getattr(law, "searched", ()):
                    methods[method] = valued_by(name, method, methods[method])
                _register(getattr(stats, name), methods, laws is MULTIVARIATE)


def _register(distribution, methods, of_several):
    DEFINITIONS[distribution] = _freezing(distribution, FrozenOfSeveral if of_several else Frozen)
    for name, definition in methods.items():
        defines(getattr(distribution, name), rounded=True, checks=of_several)(definition)


def _register_frozen(stats):
    for kind in (type(stats.norm()), type(stats.poisson(1.0))):
        known = {getattr(kind, name, None): found for name, found in _OF_FROZEN.items()}
        DEFINITIONS.update({method: found for method, found in known.items() if method is not None})
    several = (stats.multivariate_normal(), stats.dirichlet([1.0, 1.0]))
    for frozen, definitions in zip(several, FROZEN.values(), strict=True):
        for method, definition in definitions.items():
            DEFINITIONS[getattr(type(frozen), method)] = definition


def _distributions(stats):
    """All distributions, those too of which nothing is said."""
    kinds = (stats.rv_continuous, stats.rv_discrete)
    found = [value for value in vars(stats).values() if isinstance(value, kinds)]
    return found + [getattr(stats, name) for name in MULTIVARIATE]
