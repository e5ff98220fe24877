"""Parameters that ``distribution.fit(data)`` searches for, whose values stand.

Their slopes are those of the parameters of the largest likelihood, which are found from them by
Newton's method: SciPy's search ends as near to these as its tolerance says. Where the method goes
further away, as the likelihood has no maximum that it is smooth at, they are NaN; so they are where
it hardly bends along some line, on which the data do not say what the parameters are.
"""

import numpy as np

from symdiff.definitions.declare import refuse
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import followed, slope, solution, valued, without_derivative

_ROOTS = ("gumbel_l", "gumbel_r")  # their scale is what a root finder gives: a Python float
_STEPS = 4  # of Newton's method, from a few digits to all
_NEAR = 0.02  # how far the search may be from where they lead, of a parameter's size
_STILL = 1e-7  # how far the last of them may lead
_BENT = 1e-6, 1e-11  # how much the likelihood bends at least, and as a part of how much at most


def fixed_by(given, names):
    """The value that a shape is held at by one of several names, or None."""
    fixed = [given[name] for name in names if name in given]
    if len(fixed) > 1:
        refuse("a shape that is fixed twice")
    return fixed[0] if fixed else None


def _fit(name, data, args, given):
    from scipy import stats

    named = {key: value for key, value in given.items() if value is not None}
    return np.asarray(getattr(stats, name).fit(data, *args, **named), dtype=np.float64)


def _loss_of(law, data, fixed, free):
    """What the likelihood is the logarithm of, but for the sign, for each datum; of one row."""

    def loss(theta, *args):
        full = list(fixed)
        for place, k in enumerate(free):
            full[k] = theta[place]
        scale = full[-1]
        y = (data - full[-2]) / scale
        return np.stack([np.log(scale) - np.mean(law.log_density(y, *full[:-2]))])

    return loss


def searched(name, law):
    """The definition of a fit of some parameters, the others of which are held."""

    def fit(data, *args, method="MLE", optimizer=None, **given):
        if method.lower() != "mle":
            refuse(f"method={method!r}")
        if optimizer is not None:
            refuse("optimizer=")
        held = [fixed_by(given, (f"f{k}", f"f{s}", f"fix_{s}")) for k, s in enumerate(law.shapes)]
        fixed = [*held, given.get("floc"), given.get("fscale")]
        free = [k for k in range(len(fixed)) if fixed[k] is None]
        found = computed(np.zeros(len(fixed)), _fit, name, data, args, given)
        if len(free) == 0:
            return tuple([found[k] for k in range(len(fixed))])
        rows = np.ravel(np.asarray(data)).astype(np.float64)
        made = _maximum(law, rows, fixed, free, np.stack([found[k] for k in free]))
        full = list(fixed)
        for place, k in enumerate(free):
            full[k] = np.float64(valued(made[place], found[k]))
        if name in _ROOTS and fixed[-1] is None:
            full[-1] = float(full[-1])
        return tuple(full)

    return fit


def _sizes(at, fixed, free):
    """What changes of free parameters are told in: those of the place and the scale in scales."""
    scale = at[-1] if fixed[-1] is None else without_derivative(np.float64(fixed[-1]))
    last = len(fixed) - 1
    sizes = [np.abs(at[i]) + 0.1 if k < last - 1 else scale for i, k in enumerate(free)]
    return np.stack(sizes)


def _maximum(law, rows, fixed, free, found):
    """Parameters at which the likelihood is flat, near those found, or NaN."""
    loss = _loss_of(law, rows, fixed, free)

    def gradient(theta, *args):
        return slope("jacobian", followed(loss, (theta,), ()), theta)[0]

    at, last = without_derivative(found), np.zeros(len(free))
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            size = _sizes(at, fixed, free)
            bend = slope("jacobian", followed(gradient, (at,), ()), at) * size * size[:, None]
            bend = np.where(np.isfinite(bend), bend, 0.0)
            last = np.linalg.pinv(bend) @ (gradient(at) * size)
            at = without_derivative(at - last * size)
        is_near = np.all(np.abs(at - found) <= _NEAR * size) & np.all(np.abs(last) <= _STILL)
        bent = np.linalg.eigvalsh(bend)
        is_near = is_near & (bent[0] > _BENT[0]) & (bent[0] > _BENT[1] * bent[-1])
    inside = np.where(is_near, at, without_derivative(found))
    solved = solution("zeros", inside, followed(gradient, (inside,), ()))
    return np.where(is_near, 1.0, np.nan) * (solved - without_derivative(solved)) + found
