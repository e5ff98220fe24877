"""What distributions of ``scipy.stats`` say of themselves as a whole: means, quantiles, entropies.

The laws' own forms are in ``definitions.moments``; here they are of a location and a scale.
"""

import math
from typing import Any

import numpy as np

from symdiff.definitions.counts import COUNTS
from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.distributions import _finished
from symdiff.definitions.law import CONTINUOUS, parsed
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.moments import ENTROPIES, MEANS, POWERS


def _shapes_of(law, args, keywords, more):
    """Shapes, location, scale, and where these are any good, broadcast over all of them."""
    given = parsed(law, args, keywords, more)
    shapes = [np.asarray(given[name], dtype=np.float64) for name in law.shapes]
    loc = np.asarray(given.get("loc", 0.0), dtype=np.float64)
    scale = np.asarray(given.get("scale", 1.0), dtype=np.float64)
    good = np.logical_and(law.good(*shapes), np.logical_and(scale > 0, loc == loc))
    return shapes, loc, scale, good


def _summaries(law, more, forms, entropy_of):
    """The methods ``mean``, ``var`` and ``entropy``, of those forms that there are."""
    mean_of, variance_of = forms

    def mean(*args, **kwds):
        shapes, loc, scale, good = _shapes_of(law, args, kwds, more)
        return _finished(good, True, scale * mean_of(*shapes) + loc, 0.0)

    def var(*args, **kwds):
        shapes, _, scale, good = _shapes_of(law, args, kwds, more)
        return _finished(good, True, scale * scale * variance_of(*shapes), 0.0)

    def entropy(*args, **kwds):
        shapes, _, scale, good = _shapes_of(law, args, kwds, more)
        return _finished(good, True, entropy_of(*shapes) + np.log(scale), 0.0)

    found: dict[str, Any] = {}
    if mean_of is not None:
        found.update(mean=mean, var=var)
    if entropy_of is not None:
        found.update(entropy=entropy)
    return found


def _of_others(distribution):
    """Methods that SciPy too has by other methods, whose values are theirs in every bit."""

    def std(*args, **kwds):
        return np.sqrt(distribution.var(*args, **kwds))

    def stats(*args, moments="mv", **kwds):
        asked = {"m": distribution.mean, "v": distribution.var}
        if not set(moments) <= set(asked):
            refuse("moments beyond 'mv'")
        found = tuple([asked[letter](*args, **kwds) for letter in "mv" if letter in moments])
        return found[0] if len(found) == 1 else found

    return {"std": std, "stats": stats}


def _of_quantiles(distribution):
    """The same of those that ask for quantiles."""

    def median(*args, **kwds):
        return distribution.ppf(0.5, *args, **kwds)

    def interval(confidence, *args, **kwds):
        share = np.asarray(confidence)
        if np.any((share > 1) | (share < 0)):
            raise ValueError("alpha must be between 0 and 1 inclusive")
        low = distribution.ppf((1.0 - share) / 2, *args, **kwds)
        return low, distribution.ppf((1.0 + share) / 2, *args, **kwds)

    return {"median": median, "interval": interval}


def _raw_moment(law, more, forms, power):
    """The method ``moment``: of an order that is known, about 0."""

    def standardised(order, shapes):
        if power is not None:
            return power(order, *shapes)
        mean = forms[0](*shapes)
        return mean if order == 1 else forms[1](*shapes) + mean * mean

    def moment(order, *args, **kwds):
        if not isinstance(order, int):
            refuse("an order that is not known where it is compiled")
        if order < 1 or (order > 2 and power is None):
            refuse(f"order={order}")
        shapes, loc, scale, good = _shapes_of(law, args, kwds, more)
        found = loc**order
        for k in range(1, order + 1):
            part = math.comb(order, k) * scale**k * standardised(k, shapes)
            found = found + part * loc ** (order - k)
        return _finished(good, True, found, 0.0)

    return moment


# Whose share has no slopes at its centre, in the form that their laws have.
_PEAKED = ("gennorm",)


@when_imported("scipy.stats")
def register(stats):
    """Say what the methods mean, of the distributions whose forms are known."""
    for laws, more in ((CONTINUOUS, ("loc", "scale")), (COUNTS, ("loc",))):
        for name, law in laws.items():
            if not hasattr(stats, name):  # this SciPy may not have it
                continue
            distribution = getattr(stats, name)
            forms = MEANS.get(name, (None, None))
            found = _summaries(law, more, forms, ENTROPIES.get(name))
            if name in MEANS:
                moment = _raw_moment(law, more, forms, POWERS.get(name))
                found.update(moment=moment)
            for method, definition in found.items():
                defines(getattr(distribution, method), rounded=True)(definition)
            others = _of_others(distribution) if name in MEANS else {}
            if hasattr(law, "quantile"):
                others.update(_of_quantiles(distribution))
            if name in _PEAKED:
                others.pop("median")
            for method, definition in others.items():
                defines(getattr(distribution, method))(definition)
