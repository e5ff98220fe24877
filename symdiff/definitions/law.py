"""Continuous laws of ``scipy.stats``, of standardised arguments, by ``scipy.special`` and NumPy.

A law says what is its own: the logarithm of its density (and ``density``, where that may be 0
inside of the support), the distribution function ``below`` and its complement ``above``, their
logarithms where these have a form of their own, the inverses ``quantile`` and ``quantile_above``,
and what its support and its parameters are. What it does not have, or has as None, is not known;
but for the inverses, which then are those that SciPy finds. Only derivatives are taken of what
stands here, inside of the support.
"""

import math
from typing import Any

import numpy as np

from symdiff.definitions.opaque import computed
from symdiff.definitions.solvers import implied
from symdiff.definitions.staged import valued, without_derivative

CONTINUOUS: dict[str, Any] = {}  # laws by what scipy.stats calls them

LOG_2 = math.log(2.0)
LOG_PI = math.log(math.pi)
LOG_ROOT_2_PI = 0.5 * math.log(2.0 * math.pi)


def special():
    from scipy import special as found

    return found


def risen(y, power, rest):
    """``exp(xlogy(power, y) + rest)``; at 0 by the power itself, whose slopes are right there, but
    where that is infinite.
    """
    at_end = np.logical_and(y == 0.0, power >= 0.0)
    at = np.where(at_end, y, 1.0) ** power * np.exp(np.minimum(rest, 700.0))
    return np.where(at_end, at, np.exp(special().xlogy(power, np.where(at_end, 1.0, y)) + rest))


def said(name, method, args, keywords):
    """What a method of SciPy's says, in the dtypes that it is asked in."""
    from scipy import stats

    found = getattr(getattr(stats, name), method)(*args, **keywords)
    return np.asarray(found, dtype=np.float64)


def valued_by(name, method, definition):
    """The same with SciPy's own value, also where it computes in single precision."""

    def defined(*args, **kwds):
        made = definition(*args, **kwds)
        found = computed(np.asarray(made), said, name, method, args, kwds)
        return valued(made, found[()] if np.ndim(found) == 0 else found)

    defined.__module__ = definition.__module__  # by which tables of calls have their rows
    return defined


def _searched(law, name, method):
    """An inverse that has no form: SciPy's, with the slopes of the place that has the share."""
    is_above = method == "isf"

    def inverse(q, *shapes):
        like = np.asarray(1.0 * q)
        for shape in shapes:
            like = like + 0.0 * shape
        at = computed(np.asarray(like), said, name, method, (q, *shapes), {})
        is_small = q < 0.5

        def left(y, q, shapes):  # by the smaller share, of which more digits are known
            below, above = law.below(y, *shapes), law.above(y, *shapes)
            if is_above:
                return np.where(is_small, q - above, below - (1.0 - q))
            return np.where(is_small, below - q, (1.0 - q) - above)

        def residual(y, *args):
            return left(y, q, shapes)

        known = without_derivative(q)
        off = left(at, known, [without_derivative(shape) for shape in shapes])
        is_solved = np.abs(off) <= 1e-5 * np.minimum(known, 1.0 - known)
        return implied(residual, at, np.where(is_solved, 1.0, np.nan))

    return inverse


class Law:
    """What most laws have: parameters above 0, the whole line as support."""

    shapes: tuple[str, ...] = ()
    dtype: Any = np.float64  # what shapes are computed with in
    closed = True  # whether derivatives of the density are taken at the ends of the support
    searched: tuple[str, ...] = ()  # inverses that are SciPy's

    def __init_subclass__(cls, name=None):
        if not hasattr(cls, "log_density"):
            return
        name = name or cls.__name__.lower()
        CONTINUOUS[name] = cls
        for form, method in (("quantile", "ppf"), ("quantile_above", "isf")):
            if hasattr(cls, "below") and not hasattr(cls, form):
                setattr(cls, form, staticmethod(_searched(cls, name, method)))
                cls.searched = (*cls.searched, method)

    @staticmethod
    def support(*shapes):
        """The ends of the support; None where there is none."""
        return None, None

    @staticmethod
    def within(y):
        """``y``, but no further out than where the density is 0 and its logarithm overflows."""
        return y

    @staticmethod
    def good(*shapes):
        """Where there is such a law."""
        found = True
        for shape in shapes:
            found = shape > 0 if found is True else np.logical_and(found, shape > 0)
        return found


class Positive(Law):
    """What laws of positive numbers have."""

    @staticmethod
    def support(*shapes):
        return 0.0, None


class Unit(Law):
    """What laws of numbers between 0 and 1 have."""

    @staticmethod
    def support(*shapes):
        return 0.0, 1.0


def of_scipy(distribution):
    """The distribution of ``scipy.stats`` of which one with parameters holds a copy; another one
    as it is.
    """
    from scipy import stats

    found = getattr(stats, distribution.name, None)
    return found if type(found) is type(distribution) else distribution


def parsed(law, args, keywords, more):
    """The parameters by name; an error as SciPy's where one is missing or not known."""
    names = (*law.shapes, *more)
    if len(args) > len(names):
        raise TypeError("_parse_args() takes fewer positional arguments")
    given = {}
    for name, value in zip(names, args, strict=False):
        given[name] = value
    for name, value in keywords.items():
        if name not in names or name in given:
            raise TypeError(f"_parse_args() got an unexpected keyword argument '{name}'")
        given[name] = value
    for name in law.shapes:
        if name not in given:
            raise TypeError(f"_parse_args() missing a required positional argument: '{name}'")
    return given
