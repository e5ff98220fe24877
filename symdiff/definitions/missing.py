"""Medians and quantiles of what is not NaN.

NaN stands last in what is sorted: of each line the first elements count, as many as are present.
"""

import numpy as np

from symdiff.definitions.declare import defines, is_known_empty, refuse
from symdiff.definitions.lines import axes_of, lines_of
from symdiff.definitions.quantiles import (
    arranged,
    by_fractions,
    points,
    weight_lines,
    weighted_points,
)


@defines(np.nanmedian)
def nanmedian(a, axis=None, out=None, keepdims=False):
    """The mean of the one or two elements in the middle."""
    x = np.asarray(a)
    lines = lines_of(x, axis)
    count = _present(lines)
    middle = np.stack((np.maximum(count - 1, 0) // 2, count // 2), axis=-1)
    medians = np.mean(np.take_along_axis(_ordered(lines), middle, axis=-1), axis=-1)
    return np.expand_dims(medians, axes_of(x, axis)) if keepdims else medians


def _quantiles(x, q, weak, axis, method, keepdims, weights):
    """What stands at given fractions of the sorted elements."""
    if is_known_empty(x):
        return np.sum(x, axis=axis, keepdims=keepdims) + np.nan  # as the mean of nothing
    if q.ndim > 1 and 1 < len(axes_of(x, axis)) < x.ndim:
        refuse("fractions in several dimensions, along several axes")
    lines = lines_of(x, axis)
    if weights is None:
        count = _present(lines)[..., None]
        found = points(_ordered(lines), count, q.ravel(), weak, method)
    else:
        order = np.argsort(lines, axis=-1, kind="stable")
        ordered = np.take_along_axis(lines, order, axis=-1)
        given = weight_lines(weights, x, axis, order)
        found = weighted_points(ordered, np.where(np.isnan(ordered), 0, given), q.ravel())
    return arranged(found, q, x, axis, keepdims, weights is None)


defines(np.nanquantile)(by_fractions(_quantiles, "Quantiles"))
defines(np.nanpercentile)(by_fractions(_quantiles, "Percentiles"))


def _present(lines):
    """How many elements of each line are not NaN."""
    return np.sum(~np.isnan(lines), axis=-1)


def _ordered(lines):
    """Each line sorted, with a NaN behind it: what is in a line without an element."""
    ordered = np.sort(lines, axis=-1)
    if lines.dtype.kind not in "fc":
        return ordered
    behind = np.full((*lines.shape[:-1], 1), np.nan, lines.dtype)
    return np.concatenate((ordered, behind), axis=-1)
