"""Generators of ``scipy.stats.sampling`` that invert a distribution function numerically.

The places that they give are UNU.RAN's own. Their slopes are those of the place that has the share,
by the implicit function theorem, of the distribution that a generator was made of: of its ``cdf``,
or of integrals of its density. Where these do not say what the generator says they are NaN.
"""

from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.declare import defines
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.solvers import implied
from symdiff.definitions.staged import staged, valued, without_derivative

_NEAR = 1e-6  # how well a share is met, of the smaller one of it and the rest


def made_of(generator):
    """What a generator was made of: the arguments of its class by name."""
    raise NotImplementedError("generators are staged")


def _made_of_staged(stager, arguments, keywords):
    return stager.asked(arguments[0], "__reduce__", 0, "keywords")


@staged
def held(generator):
    """The generator itself, for calls that stay calls."""
    raise NotImplementedError("generators are staged")


made_of.__symdiff_staged__ = _made_of_staged  # type: ignore[attr-defined]


def _told(generator, name, *given):
    copies = [np.array(each, dtype=np.float64) for each in given]  # what UNU.RAN can write to
    return np.asarray(getattr(generator, name)(*copies), dtype=np.float64)


def _found(generator, name, u):
    """The places of shares, and the shares."""
    u = np.asarray(u, dtype=np.float64)
    return computed(1.0 * u, _told, held(generator), name, u), u


def _quarters(generator):
    """The generator's own places of a quarter and of a half of the whole, which tell its scale."""
    places = computed(np.zeros(2), _told, held(generator), "ppf", (0.25, 0.5))
    return places[0], places[1]


class _Law:
    """A distribution between two ends, of which no more is known than what a generator has asked
    it.
    """

    def __init__(self, made):
        self.dist, ends = made["dist"], made["domain"]
        if ends is None:
            ends = self.dist.support() if hasattr(self.dist, "support") else (-np.inf, np.inf)
        self.low, self.high = float(ends[0]), float(ends[1])

    def density(self, x):
        if hasattr(self.dist, "pdf"):
            return float(self.dist.pdf(x))
        return float(np.exp(self.dist.logpdf(x)))

    def below(self, x):
        return float(self.dist.cdf(x))


def _each(function, x):
    """What a function of numbers makes of an array."""
    if x.ndim == 0:
        return np.asarray(function(float(x)))
    row = np.ravel(x)
    return np.reshape(np.asarray([function(float(row[i])) for i in range(row.size)]), x.shape)


def _finished(made):
    return made[()] if made.ndim == 0 else made


# By the density -----------------------------------------------------------------------------------


class _Integrated:
    """The integrals of a density up to the generator's own median, and from it on."""

    def __init__(self, generator):
        self.law = _Law(made_of(generator))
        first, self.median = _quarters(generator)
        quarter = self.between(self.law.low, first)
        self.left = quarter + self.between(first, self.median)
        self.whole = self.left + self.between(self.median, self.law.high)
        off = np.maximum(np.abs(2.0 * self.left - self.whole), np.abs(2.0 * quarter - self.left))
        self.is_its_own = without_derivative(off <= _NEAR * self.whole)

    def between(self, low, high):
        from scipy import integrate

        return integrate.quad(self.law.density, low, high, epsabs=0.0, epsrel=1e-10, limit=200)[0]

    def below(self, x):
        return self.left + self.between(self.median, x)


def ppf_by_density(self, u):
    """Where the share is."""
    at, u = _found(self, "ppf", u)
    law = _Integrated(self)

    def residual(y, *args):
        return _each(law.below, y) - u * law.whole

    factor = np.where(np.logical_and(np.isfinite(at), law.is_its_own), 1.0, np.nan)
    return _finished(valued(implied(residual, at, factor, law.median), at))


def cdf_by_density(self, x):
    """The share, which is 0 and 1 beyond the ends."""
    share, x = _found(self, "cdf", x)
    law = _Integrated(self)
    inside = np.logical_and(x > law.law.low, x < law.law.high)
    found = _each(law.below, np.where(inside, x, law.median)) / law.whole
    found = np.where(law.is_its_own, 1.0, np.nan) * np.where(inside, found, 0.0)
    return _finished(valued(found, share))


# By the distribution function ---------------------------------------------------------------------


def ppf_by_shares(self, u):
    """Where the share is, of what lies between the ends."""
    at, u = _found(self, "ppf", u)
    law = _Law(made_of(self))
    first, last = law.below(law.low), law.below(law.high)

    def residual(y, *args):
        return _each(law.below, y) - (first + u * (last - first))

    quarter, middle = _quarters(self)
    off = np.abs(first + 0.25 * (last - first) - law.below(quarter))
    is_its_own = without_derivative(off <= _NEAR * (last - first))
    known, share = np.where(np.isfinite(at), at, middle), without_derivative(u)
    off = np.abs(without_derivative(residual(known)))
    is_met = off <= _NEAR * np.minimum(share, 1.0 - share) * np.abs(last - first)
    is_met = np.logical_and(np.logical_and(np.isfinite(at), is_met), is_its_own)
    factor = np.where(is_met, 1.0, np.nan)
    return _finished(valued(implied(residual, at, factor, middle), at))


# Of counts ----------------------------------------------------------------------------------------


def ppf_of_counts(self, u):
    """A count, which has no slope."""
    return _finished(_found(self, "ppf", u)[0])


@when_imported("scipy.stats._unuran.unuran_wrapper")
def register(generators: ModuleType) -> None:
    """Say what the inverses mean."""
    table: Any = {
        "NumericalInversePolynomial": {"ppf": ppf_by_density, "cdf": cdf_by_density},
        "NumericalInverseHermite": {"ppf": ppf_by_shares},
        "DiscreteGuideTable": {"ppf": ppf_of_counts},
    }
    for name, methods in table.items():
        for method, definition in methods.items():
            defines(getattr(getattr(generators, name), method))(definition)
