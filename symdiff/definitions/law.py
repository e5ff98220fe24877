"""Continuous laws of ``scipy.stats``, of standardised arguments, by ``scipy.special`` and NumPy.

A law says what is its own: the logarithm of its density, the distribution function ``below`` and
its complement ``above``, their logarithms where these have a form of their own, the inverses
``quantile`` and ``quantile_above``, and what its support and its parameters are. What it does not
have, or has as None, is not known. Only derivatives are taken of what stands here, inside of the
support.
"""

import math
from typing import Any

import numpy as np

CONTINUOUS: dict[str, Any] = {}  # laws by what scipy.stats calls them

LOG_2 = math.log(2.0)
LOG_PI = math.log(math.pi)
LOG_ROOT_2_PI = 0.5 * math.log(2.0 * math.pi)


def special():
    from scipy import special as found

    return found


class Law:
    """What most laws have: parameters above 0, the whole line as support."""

    shapes: tuple[str, ...] = ()
    closed = True  # whether derivatives of the density are taken at the ends of the support

    def __init_subclass__(cls, name=None):
        if hasattr(cls, "log_density"):
            CONTINUOUS[name or cls.__name__.lower()] = cls

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
