"""How evenly points fill the unit cube: the discrepancies of ``scipy.stats.qmc``.

The forms are those of Fang, Li and Sudjianto (2006, "Design and Modeling for Computer Experiments",
3.2), of all pairs of points at once.
"""

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.libraries import when_imported


def _over_points(parts):
    """The sum over points of the products over coordinates."""
    return np.sum(np.prod(parts, axis=-1))


def _pairs(x):
    """Each point beside each other one."""
    return x[:, np.newaxis, :], x[np.newaxis, :, :]


def _centered(x, count):
    off = np.abs(x - 0.5)
    one, other = _pairs(off)
    apart = np.abs(x[:, np.newaxis, :] - x[np.newaxis, :, :])
    single = _over_points(1.0 + 0.5 * off - 0.5 * off**2)
    both = _over_points(1.0 + 0.5 * one + 0.5 * other - 0.5 * apart)
    return (13.0 / 12.0) ** x.shape[1] - 2.0 / count * single + both / count**2


def _wrapped(x, count):
    one, other = _pairs(x)
    apart = np.abs(one - other)
    return _over_points(1.5 - apart * (1.0 - apart)) / count**2 - (4.0 / 3.0) ** x.shape[1]


def _mixed(x, count):
    off = np.abs(x - 0.5)
    one, other = _pairs(off)
    apart = np.abs(x[:, np.newaxis, :] - x[np.newaxis, :, :])
    single = _over_points(5.0 / 3.0 - 0.25 * off - 0.25 * off**2)
    both = 15.0 / 8.0 - 0.25 * one - 0.25 * other - 0.75 * apart + 0.5 * apart**2
    both = _over_points(both)
    return (19.0 / 12.0) ** x.shape[1] - 2.0 / count * single + both / count**2


def _star(x, count):
    one, other = _pairs(x)
    size = x.shape[1]
    single, both = _over_points(1.0 - x**2), _over_points(1.0 - np.maximum(one, other))
    return np.sqrt(3.0**-size - 2.0 ** (1.0 - size) / count * single + both / count**2)


_METHODS = {"CD": _centered, "WD": _wrapped, "MD": _mixed, "L2-star": _star}


def _points(sample):
    """Points, which have to be inside."""
    x = np.asarray(sample, dtype=np.float64)
    if x.ndim != 2:
        raise ValueError("Sample is not a 2D array")
    if np.max(x) > 1.0 or np.min(x) < 0.0:
        raise ValueError("Sample is not in unit hypercube")
    return x


def discrepancy(sample, *, iterative=False, method="CD", workers=1):
    """The discrepancy, or what it is of one more point but for that."""
    x = _points(sample)
    if method not in _METHODS:
        refuse(f"method={method!r}")
    return _METHODS[method](x, len(x) + 1 if iterative else len(x))


def update_discrepancy(x_new, sample, initial_disc):
    """The centered discrepancy of one more point."""
    x, new = _points(sample), np.asarray(x_new, dtype=np.float64)
    if new.ndim != 1:
        raise ValueError("x_new is not a 1D array")
    if not (np.all(new >= 0.0) and np.all(new <= 1.0)):
        raise ValueError("x_new is not in unit hypercube")
    count, off, others = len(x) + 1, np.abs(new - 0.5), np.abs(x - 0.5)
    single = np.prod(1.0 + 0.5 * off - 0.5 * off**2)
    both = _over_points(1.0 + 0.5 * off + 0.5 * others - 0.5 * np.abs(new - x))
    own = np.prod(1.0 + off)
    return initial_disc - 2.0 / count * single + (2.0 * both + own) / count**2


@when_imported("scipy.stats.qmc")
def register(qmc):
    """Say what the functions mean."""
    for definition in (discrepancy, update_discrepancy):
        defines(getattr(qmc, definition.__name__), rounded=True)(definition)
