"""Draws from the continuous distributions of ``scipy.stats``.

They are SciPy's, and move with the parameters so that their place in the distribution stays
(Figurnov, Mohamed and Mnih 2018): of a location and a scale by shifting and stretching, of shapes
by two of Newton's steps from where the draw lies, which have its derivatives up to the third.
"""

import numpy as np

from symdiff.definitions.declare import DEFINITIONS, refuse
from symdiff.definitions.distributions import _parameters as parameters_of
from symdiff.definitions.law import CONTINUOUS
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.riccati import computed
from symdiff.definitions.solvers import valued, without_derivative


def _draw(name, args, kwds, size, seed):
    from scipy import stats

    found = getattr(stats, name).rvs(*args, **kwds, size=size, random_state=seed)
    return np.asarray(found, dtype=np.float64)


def _told(draws):
    """One number where there is but one."""
    return draws[()] if draws.ndim == 0 else draws


def _drawing(name, law):
    """The definition of draws, which are SciPy's; two of Newton's steps keep their places."""

    def draws(*args, size=None, random_state=None, **kwds):
        if len(args) == len(law.shapes) + 3:
            args, size = args[:-1], args[-1]
        if not isinstance(random_state, (int, np.integer)):
            refuse("random_state= other than a whole number")
        shapes, loc, scale, _ = parameters_of(law, args, kwds)
        places, widths = 0.0 if loc is None else loc, 1.0 if scale is None else scale
        like = places + 0.0 * widths
        for shape in shapes:
            like = like + 0.0 * shape
        if size is None and np.size(like) == 1:  # SciPy gives one number then
            size = ()
            shapes, places = [np.reshape(shape, ()) for shape in shapes], np.reshape(places, ())
            widths, like = np.reshape(widths, ()), np.reshape(like, ())
        like = np.broadcast_to(like, np.shape(like) if size is None else size)
        drawn = computed(1.0 * np.asarray(like), _draw, name, args, kwds, size, random_state)
        start = (drawn - without_derivative(places)) / without_derivative(widths)
        if len(shapes) == 0:
            return _told(valued(places + widths * start, drawn))
        share = law.below(start, *[without_derivative(shape) for shape in shapes])
        standard = start
        for _ in range(2):
            density = np.exp(law.log_density(standard, *shapes))
            standard = standard - (law.below(standard, *shapes) - share) / density
        return _told(valued(places + widths * standard, drawn))

    return draws


@when_imported("scipy.stats")
def register(stats):
    """Say what drawing means."""
    for name, law in CONTINUOUS.items():
        if hasattr(stats, name) and hasattr(law, "below"):
            DEFINITIONS[getattr(stats, name).rvs] = _drawing(name, law)
