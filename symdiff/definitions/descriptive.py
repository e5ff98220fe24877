"""What ``scipy.stats`` says of samples: means, moments, scores, entropies."""

import math

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.libraries import when_imported


def _samples(a, axis):
    """Samples as floats, and their axis; all in a row where that is None."""
    a = np.asarray(a)
    if a.dtype.kind not in "fc":
        a = a.astype(np.float64)
    return (np.ravel(a), 0) if axis is None else (np.atleast_1d(a), axis)


def _shaped(made, axis, rank, keepdims):
    """With an axis of one in place of the one, or all, that are gone."""
    if not keepdims:
        return made
    return np.reshape(made, (1,) * rank) if axis is None else np.expand_dims(made, axis)


def _mean(a, axis, weights):
    if weights is None:
        return np.mean(a, axis=axis)
    return np.sum(a * _shares(a, axis, weights), axis=axis)


def _shares(a, axis, weights):
    """The weights over their sum, which of integers would wrap."""
    w = np.asarray(weights) * np.ones((), a.dtype)
    if w.shape != a.shape:
        w = np.broadcast_to(w.reshape((-1,) + (1,) * (a.ndim - 1 - axis % a.ndim)), a.shape)
    return w / np.sum(w, axis=axis, keepdims=True)


def _unit(x, axis):
    """A power of two, without derivatives, near the largest number along an axis."""
    largest = np.max(np.abs(x), axis=axis, keepdims=True)
    return 2.0 ** np.floor(np.log2(np.where(largest > 0, largest, 1.0)))


def gmean(a, axis=0, dtype=None, weights=None, *, keepdims=False):
    x, along = _samples(a if dtype is None else np.asarray(a, dtype=dtype), axis)
    weights = weights if weights is None or axis is not None else np.ravel(weights)
    if weights is None:
        made = np.exp(np.mean(np.log(x), axis=along))
    else:
        unit = _unit(x, along)
        made = np.prod((x / unit) ** _shares(np.log(x), along, weights), axis=along)
        made = np.squeeze(unit, axis=along) * made
    return _shaped(made, axis, np.ndim(a), keepdims)


def hmean(a, axis=0, dtype=None, *, weights=None, keepdims=False):
    given = {"axis": axis, "dtype": dtype, "keepdims": keepdims}
    return pmean(a, -1, weights=weights, **given)


def pmean(a, p, *, axis=0, dtype=None, weights=None, keepdims=False):
    if not isinstance(p, int | float):
        refuse("an exponent p that is not known where it is compiled")
    given = {"axis": axis, "dtype": dtype, "keepdims": keepdims}
    if p == 0:
        return gmean(a, weights=weights, **given)
    x, along = _samples(a if dtype is None else np.asarray(a, dtype=dtype), axis)
    weights = weights if weights is None or axis is not None else np.ravel(weights)
    unit = _unit(x, along)  # lest powers overflow
    made = _mean((np.where(x < 0, np.nan, x) / unit) ** float(p), along, weights) ** (1 / p)
    made = np.squeeze(unit, axis=along) * made
    return _shaped(made, axis, np.ndim(a), keepdims)


def _central(a, axis):
    return a - np.mean(a, axis=axis, keepdims=True)


def moment(a, order=1, axis=0, *, center=None, keepdims=False):
    if not isinstance(order, int):
        refuse("an order that is no integer known where it is compiled")
    x, along = _samples(a, axis)
    apart = _central(x, along) if center is None else x - center
    made = np.mean(apart**order, axis=along)
    if order == 1 and center is None:
        made = 0.0 * made
    return _shaped(made, axis, np.ndim(a), keepdims)


def skew(a, axis=0, bias=True, *, keepdims=False):
    x, along = _samples(a, axis)
    apart, n = _central(x, along), x.shape[along]
    made = np.mean(apart**3, axis=along) / np.mean(apart**2, axis=along) ** 1.5
    if not bias and n > 2:
        made = ((n - 1.0) * n) ** 0.5 / (n - 2.0) * made
    return _shaped(made, axis, np.ndim(a), keepdims)


def kurtosis(a, axis=0, fisher=True, bias=True, *, keepdims=False):
    x, along = _samples(a, axis)
    apart, n = _central(x, along), x.shape[along]
    made = np.mean(apart**4, axis=along) / np.mean(apart**2, axis=along) ** 2
    if not bias and n > 3:
        made = 1.0 / (n - 2) / (n - 3) * ((n**2 - 1.0) * made - 3 * (n - 1) ** 2.0) + 3.0
    return _shaped(made - 3.0 if fisher else made, axis, np.ndim(a), keepdims)


def sem(a, axis=0, ddof=1, *, keepdims=False):
    x, along = _samples(a, axis)
    made = np.std(x, axis=along, ddof=ddof) / x.shape[along] ** 0.5
    return _shaped(made, axis, np.ndim(a), keepdims)


def variation(a, axis=0, ddof=0, *, keepdims=False):
    x, along = _samples(a, axis)
    made = np.std(x, axis=along, ddof=ddof) / np.mean(x, axis=along)
    return _shaped(made, axis, np.ndim(a), keepdims)


def zscore(a, axis=0, ddof=0):
    return zmap(a, a, axis, ddof)


def zmap(scores, compare, axis=0, ddof=0):
    x, y = np.asarray(scores), np.asarray(compare)
    mean = np.mean(y, axis=axis, keepdims=True)
    return (x - mean) / np.std(y, axis=axis, ddof=ddof, keepdims=True)


def trim_mean(a, proportiontocut, axis=0, *, keepdims=False):
    x, along = _samples(a, axis)
    count = x.shape[along]
    cut = int(proportiontocut * count)
    if 2 * cut > count:
        raise ValueError("Proportion too big.")
    ordered = np.moveaxis(np.sort(x, axis=along), along, -1)
    made = np.mean(ordered[..., cut : count - cut], axis=-1)
    return _shaped(made, axis, np.ndim(a), keepdims)


def _within(a, limits, inclusive, axis):
    """Samples and their axis, which of them are within limits, and how many."""
    x, along = _samples(a, axis)
    low, high = (None, None) if limits is None else limits
    is_kept = np.ones(x.shape, bool)
    if low is not None:
        is_kept = is_kept & (x >= low if inclusive[0] else x > low)
    if high is not None:
        is_kept = is_kept & (x <= high if inclusive[1] else x < high)
    if not np.any(is_kept):
        raise ValueError("No array values within given limits")
    return x, along, is_kept, np.sum(is_kept, axis=along, keepdims=True)


def tvar(a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, keepdims=False):
    x, along, is_kept, count = _within(a, limits, inclusive, axis)
    mean = np.sum(np.where(is_kept, x, 0.0), axis=along, keepdims=True) / count
    apart = np.where(is_kept, x - mean, 0.0)
    left = np.where(count > ddof, count - ddof, math.nan)
    made = np.sum(apart**2, axis=along, keepdims=True) / left
    return _shaped(np.squeeze(made, along)[()], axis, np.ndim(a), keepdims)


def tstd(a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, keepdims=False):
    return np.sqrt(tvar(a, limits, inclusive, axis, ddof, keepdims=keepdims))


def tsem(a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, keepdims=False):
    _, along, _, count = _within(a, limits, inclusive, axis)
    count = _shaped(np.squeeze(count, along)[()], axis, np.ndim(a), keepdims)
    return np.sqrt(tvar(a, limits, inclusive, axis, ddof, keepdims=keepdims) / count)


def iqr(x, axis=None, rng=(25, 75), scale=1.0, interpolation="linear", keepdims=False):
    if scale == "normal":
        scale = 1.3489795003921634
    low, high = min(rng[0], rng[1]), max(rng[0], rng[1])
    options = {"axis": axis, "method": interpolation, "keepdims": keepdims}
    return (np.percentile(x, high, **options) - np.percentile(x, low, **options)) / scale


def entropy(pk, qk=None, base=None, axis=0, *, keepdims=False):
    from scipy.special import entr, rel_entr

    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    p, along = _samples(pk, axis)
    if qk is None:
        parts = entr(p / np.sum(p, axis=along, keepdims=True))
    else:
        q, _ = _samples(qk, axis)
        p, q = np.broadcast_arrays(p, q)
        parts = rel_entr(*(v / np.sum(v, axis=along, keepdims=True) for v in (p, q)))
    made = np.sum(parts, axis=along)
    made = made if base is None else made / math.log(base)
    return _shaped(made, axis, np.ndim(pk), keepdims)


@when_imported("scipy.stats")
def register(stats):
    """Say what the functions mean."""
    means = (gmean, hmean, pmean, trim_mean)
    others = (moment, skew, kurtosis, sem, tvar, tstd, tsem, variation, zscore, zmap, iqr, entropy)
    registered(stats, *means, *others, rounded=True)
