"""Expectations of functions by the continuous distributions of ``scipy.stats``: three integrals.

They are SciPy's, between the ends and two places with a twentieth of the share on the other sides.
"""

import numpy as np

from symdiff.definitions.declare import defines, defines_inside, refuse
from symdiff.definitions.law import CONTINUOUS, of_scipy, parsed
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued, without_derivative

_SHARE = 0.05


def _inner_places(distribution, low, high, args, loc, scale):
    """Where the integral is split, outside of a program."""
    ends = distribution.cdf([low, high], *args, loc=loc, scale=scale)
    shares = ends[0] + (ends[1] - ends[0]) * np.array([_SHARE, 1 - _SHARE])
    return np.asarray(loc + distribution._ppf(shares, *args) * scale, dtype=np.float64)


def _end(given, end, infinite, loc, scale):
    """An end of the integral, the one that is given or that of the support, in two forms: as it
    is and standardised, where an end of the support stays in its place.
    """
    if given is not None:
        return given, (given - loc) / scale
    if end is None:
        return infinite, infinite
    if not isinstance(end, float):
        refuse("a support that rests on parameters")
    return loc + end * scale, end


def _three(integrand, low, places, high, options):
    """The sum of the integrals between the ends and the places."""
    from scipy import integrate

    left = integrate.quad(integrand, low, places[0], **options)[0]
    middle = integrate.quad(integrand, places[0], places[1], **options)[0]
    return left + middle + integrate.quad(integrand, places[1], high, **options)[0]


def _expect(law, distribution):
    """The method ``expect``: the value is that of SciPy's integrals, the derivative that of the
    standardised ones, where the density may rise without bound at an end of the support.
    """

    def expect(func=None, args=(), loc=0, scale=1, lb=None, ub=None, conditional=False, **options):
        least, most = law.support(*args)
        low, first = _end(lb, least, -np.inf, loc, scale)
        high, last = _end(ub, most, np.inf, loc, scale)
        places = computed(np.zeros(2), _inner_places, distribution, low, high, args, loc, scale)

        def weighed(x, *args):
            density = distribution.pdf(x, *args, loc=loc, scale=scale)
            return (x if func is None else func(x)) * density

        def standard(y, *args):
            x = loc + scale * y
            return (x if func is None else func(x)) * distribution.pdf(y, *args)

        options = {**options, "args": args}
        value = _three(weighed, low, places, high, options)
        inner = without_derivative((places - loc) / scale)
        found = np.float64(valued(_three(standard, first, inner, last, options), value))
        if not conditional:
            return found
        ends = distribution.cdf([low, high], *args, loc=loc, scale=scale)
        below = 0.0 if lb is None and least is None else distribution.cdf(first, *args)
        share = (1.0 if ub is None and most is None else distribution.cdf(last, *args)) - below
        return found / valued(np.float64(share), ends[1] - ends[0])

    return expect


def expect_frozen(self, func=None, lb=None, ub=None, conditional=False, **options):
    """An expectation by a distribution with its parameters."""
    from scipy import stats

    name, distribution = self.dist.name, of_scipy(self.dist)
    if name not in CONTINUOUS or distribution is not getattr(stats, name):
        refuse("a distribution whose density is not known")
    law = CONTINUOUS[name]
    given = parsed(law, self.args, self.kwds, ("loc", "scale"))
    shapes = tuple([given[name] for name in law.shapes])
    place, width = given.get("loc", 0), given.get("scale", 1)
    return distribution.expect(func, shapes, place, width, lb, ub, conditional, **options)


@when_imported("scipy.stats")
def register(stats):
    """Say what the methods mean, of the distributions whose density is known."""
    for name, law in CONTINUOUS.items():
        distribution = getattr(stats, name, None)  # this SciPy may not have it
        if distribution is not None and type(distribution).expect is stats.rv_continuous.expect:
            defines_inside(distribution.expect, _expect(law, distribution))
    defines(type(stats.norm()).expect)(expect_frozen)
