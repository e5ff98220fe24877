"""Inverses of distribution functions of ``scipy.special`` by their parameters, whose values stand.

Their derivatives are those of the number at which the distribution function has the value that was
given, by the implicit function theorem. Counts are sought among all numbers: where 0 is given, for
there is no smaller one, the derivative is 0; where a value solves nothing, it is NaN.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import DEFINITIONS
from symdiff.definitions.law import special
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.solvers import implied
from symdiff.definitions.staged import valued, without_derivative

# Where the probability stands among the parameters, and what it is of ``y`` and the others.
INVERSES: dict[str, tuple[int, Any]] = {
    "gdtrib": (1, lambda y, a, x: special().gammainc(y, a * x)),
    "btdtria": (0, lambda y, b, x: special().betainc(y, b, x)),
    "btdtrib": (1, lambda y, a, x: special().betainc(a, y, x)),
    "fdtridfd": (1, lambda y, dfn, x: special().fdtr(dfn, y, x)),
    "stdtridf": (0, lambda y, t: special().stdtr(y, t)),
    "chdtriv": (0, lambda y, x: special().chdtr(y, x)),
    "chndtridf": (1, lambda y, x, nc: special().chndtr(x, y, nc)),
    "chndtrix": (0, lambda y, df, nc: special().chndtr(y, df, nc)),
    "chndtrinc": (2, lambda y, x, df: special().chndtr(x, df, y)),
    "nctdtridf": (0, lambda y, nc, t: special().nctdtr(y, nc, t)),
    "nctdtrit": (2, lambda y, df, nc: special().nctdtr(df, nc, y)),
    "nctdtrinc": (1, lambda y, df, t: special().nctdtr(df, y, t)),
    "ncfdtri": (3, lambda y, dfn, dfd, nc: special().ncfdtr(dfn, dfd, nc, y)),
    "ncfdtridfn": (0, lambda y, dfd, nc, f: special().ncfdtr(y, dfd, nc, f)),
    "ncfdtridfd": (1, lambda y, dfn, nc, f: special().ncfdtr(dfn, y, nc, f)),
    "ncfdtrinc": (2, lambda y, dfn, dfd, f: special().ncfdtr(dfn, dfd, y, f)),
    "pdtrik": (0, lambda y, m: special().gammaincc(y + 1.0, m)),
    "bdtrik": (0, lambda y, n, p: special().betaincc(y + 1.0, n - y, p)),
    "bdtrin": (1, lambda y, k, p: special().betaincc(k + 1.0, y - k, p)),
    "nbdtrik": (0, lambda y, n, p: special().betainc(n, y + 1.0, p)),
    "nbdtrin": (1, lambda y, k, p: special().betainc(y, k + 1.0, p)),
}


def _value(name, *given):
    return np.asarray(getattr(special(), name)(*given))


def _inverse(name, place, function):
    """The definition of an inverse."""

    def definition(*given):
        arrays = [np.asarray(number) for number in given]
        like = 1.0 * arrays[0]
        for array in arrays[1:]:
            like = like + 0.0 * array
        found = computed(np.asarray(like), _value, name, *given)
        wide = [array.astype(np.float64) for array in arrays]
        others = [*wide[:place], *wide[place + 1 :]]
        at, share = found.astype(np.float64), without_derivative(wide[place])
        left = without_derivative(function(at, *others)) - share
        is_solved = np.abs(left) <= 1e-5 * share  # some of SciPy's are rough
        factor = np.where(is_solved, 1.0, np.where((at == 0) & (left > 0), 0.0, np.nan))

        def residual(y, *args):
            return function(y, *others) - wide[place]

        made = valued(implied(residual, at, factor).astype(found.dtype), found)
        return made[()] if made.ndim == 0 else made

    return definition


@when_imported("scipy.special")
def register(special):
    """Say what the inverses mean, those that this SciPy has."""
    for name, (place, function) in INVERSES.items():
        if hasattr(special, name):
            DEFINITIONS[getattr(special, name)] = _inverse(name, place, function)
