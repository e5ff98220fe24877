"""Medians and quantiles of lines, by every rule that NumPy knows for what lies between elements.

``np.median`` and the linear rule along one axis are ops; here stand the other forms.
"""

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.lines import axes_of, lines_of

# The shift and the slope of continuous rules (Hyndman and Fan 1996, table 1).
_ALPHA_BETA = {
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}


@defines(np.median)
def median(a, axis=None, out=None, keepdims=False):
    """The mean of the one or two elements in the middle."""
    x = np.asarray(a)
    medians = np.median(lines_of(x, axis), axis=-1)
    return np.expand_dims(medians, axes_of(x, axis)) if keepdims else medians


def by_fractions(found, name):
    """The definition of what is given fractions, or percents; ``found`` is what stands there."""

    def definition(a, q, axis=None, out=None, method="linear", keepdims=False, *, weights=None):
        x, weak = np.asarray(a), type(q) in (int, float)
        fractions = np.asarray(np.true_divide(q, 100) if name == "Percentiles" else q)
        check_fractions(x, fractions, weights, method, name)
        return found(x, fractions, weak, axis, method, keepdims, weights)

    return definition


def _quantiles(x, q, weak, axis, method, keepdims, weights):
    """What stands at given fractions of the sorted elements."""
    lines = lines_of(x, axis)
    if weights is None:
        ordered = np.sort(lines, axis=-1)
        found = points(ordered, lines.shape[-1], q.ravel(), weak, method)
    else:
        order = np.argsort(lines, axis=-1, kind="stable")
        ordered = np.take_along_axis(lines, order, axis=-1)
        found = weighted_points(ordered, weight_lines(weights, x, axis, order), q.ravel())
    if x.dtype.kind == "f":
        greatest = ordered[..., -1:]
        found = np.where(np.isnan(greatest), greatest, found)
    return arranged(found, q, x, axis, keepdims, weights is None)


defines(np.quantile)(by_fractions(_quantiles, "Quantiles"))
defines(np.percentile)(by_fractions(_quantiles, "Percentiles"))


def check_fractions(x, q, weights, method, name):
    """Raise what NumPy does of arguments that make no sense."""
    if x.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    if not np.all((q >= 0) & (q <= 1)):
        whole = 100 if name == "Percentiles" else 1
        raise ValueError(f"{name} must be in the range [0, {whole}]")
    if weights is None:
        return
    if method != "inverted_cdf":
        raise ValueError("Only method 'inverted_cdf' supports weights. Got: " + method + ".")
    if np.any(np.asarray(weights) < 0):
        raise ValueError("Weights must be non-negative.")


def arranged(found, q, x, axis, keepdims, scalar):
    """What was found for each line along the last axis: the axes of the fractions come first."""
    result = np.moveaxis(found, -1, 0).reshape(q.shape + found.shape[:-1])
    if scalar:
        result = result[()]
    if not keepdims:
        return result
    return np.expand_dims(result, tuple(q.ndim + k for k in axes_of(x, axis)))


def points(ordered, count, q, weak, method):
    """What stands at fractions of each line, of which ``count`` elements are there."""
    whole = q.dtype.kind != "f"
    if whole and method == "linear":
        return _at(ordered, np.maximum((count - 1) * q, 0))
    if whole:
        refuse("a fraction that is a whole number: write 0.0 or 1.0")
    total = count.astype(q.dtype) if isinstance(count, np.ndarray) else count
    if method in ("lower", "higher", "nearest", "inverted_cdf", "closest_observation"):
        return _at(ordered, np.maximum(_nearest(total, q, method), 0).astype(np.intp))
    place = _between(total, q, method)
    low = np.floor(place)
    first = np.maximum(np.minimum(low.astype(np.intp), count - 1), 0)
    second = np.maximum(np.minimum(low.astype(np.intp) + 1, count - 1), 0)
    share = _share(place, low, method)
    rest = 1 - share
    if weak and ordered.dtype.kind == "f":
        share, rest = share.astype(ordered.dtype), rest.astype(ordered.dtype)
    lower, upper = _at(ordered, first), _at(ordered, second)
    rise = upper - lower
    return np.where(share >= 0.5, upper - rise * rest, lower + rise * share)


def _at(ordered, places):
    """The elements of each line at the same places, or at places of its own."""
    if places.ndim == 1:
        return ordered[..., places]
    return np.take_along_axis(ordered, places, axis=-1)


def _nearest(count, q, method):
    """The positions that the rules without anything in between choose."""
    if method == "lower":
        return np.floor((count - 1) * q)
    if method == "higher":
        return np.ceil((count - 1) * q)
    if method == "nearest":
        return np.around((count - 1) * q)
    place = count * q - 1
    if method == "inverted_cdf":
        return np.ceil(place)
    place = place - 0.5
    low = np.floor(place)
    return np.where((place == low) & (low % 2 == 1), low, low + 1)


def _between(count, q, method):
    """The positions, between elements, that the other rules choose."""
    if method == "linear":
        return (count - 1) * q
    if method == "midpoint":
        return 0.5 * (np.floor((count - 1) * q) + np.ceil((count - 1) * q))
    if method == "averaged_inverted_cdf":
        return count * q - 1
    if method not in _ALPHA_BETA:
        raise ValueError(f"{method!r} is not a valid method.")
    alpha, beta = _ALPHA_BETA[method]
    return count * q + (alpha + q * (1 - alpha - beta)) - 1


def _share(place, low, method):
    """How much of the way from one neighbour to the next."""
    if method == "midpoint":
        return np.where(place % 1 == 0, 0.0, 0.5).astype(place.dtype)
    if method == "averaged_inverted_cdf":
        return np.where(place == low, 0.5, 1.0).astype(place.dtype)
    return place - low


def weight_lines(weights, x, axis, order):
    """The weights of the elements of each line, in the order of the elements."""
    w = np.asarray(weights)
    if w.shape != x.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        along = axis if isinstance(axis, (tuple, list)) else (axis,)
        if w.shape != tuple(x.shape[k] for k in along):
            raise ValueError(
                "Shape of weights must be consistent with shape of a along specified axis."
            )
        if len(along) > 1:
            refuse("weights of several axes that are not of the array's shape")
        return w[order]
    return np.take_along_axis(lines_of(w, axis), order, axis=-1)


def weighted_points(ordered, weights, q):
    """The first element up to which the weights make up a fraction of them all."""
    reached = np.cumsum(weights, axis=-1, dtype=np.float64)
    reached = reached / reached[..., -1:]
    if np.any(np.isnan(reached[..., -1])):
        raise ValueError("Weights included NaN, inf or were all zero.")
    if q.dtype.kind == "f":
        reached = reached.astype(q.dtype)
    reached = np.where(reached == 0, -1, reached)
    places = np.sum(reached[..., None] < q, axis=-2)
    places = np.minimum(places, ordered.shape[-1] - 1)
    return np.take_along_axis(ordered, places, axis=-1)
