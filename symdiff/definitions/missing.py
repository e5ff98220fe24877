"""Medians and quantiles of what is not NaN.

NaN stands last in what is sorted: of each line the first elements count, as many as are present.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse


@defines(np.nanmedian)
def nanmedian(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The mean of the one or two elements in the middle."""
    x = np.asarray(a)
    lines = _lines(x, axis)
    count = _present(lines)
    middle = np.stack((np.maximum(count - 1, 0) // 2, count // 2), axis=-1)
    medians = np.mean(np.take_along_axis(np.sort(lines, axis=-1), middle, axis=-1), axis=-1)
    return np.expand_dims(medians, _axes(x, axis)) if keepdims else medians


@defines(np.nanquantile)
def nanquantile(a: Any, q: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Points at given fractions of the line through the sorted elements."""
    return _points(a, np.asarray(q), type(q) in (int, float), axis, keepdims, "Quantiles", 1)


@defines(np.nanpercentile)
def nanpercentile(a: Any, q: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Points at given percents of the line through the sorted elements."""
    fractions = np.asarray(np.true_divide(q, 100))
    return _points(a, fractions, type(q) in (int, float), axis, keepdims, "Percentiles", 100)


def _points(a: Any, q: Any, weak: Any, axis: Any, keepdims: Any, name: Any, whole: Any) -> Any:
    """What stands at fractions of each line; ``weak``: they do not widen the dtype."""
    x = np.asarray(a)
    if x.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if not np.all((q >= 0) & (q <= 1)):
        raise ValueError(f"{name} must be in the range [0, {whole}]")
    if q.ndim > 1 and 1 < len(_axes(x, axis)) < x.ndim:
        refuse("fractions in several dimensions, along several axes")
    lines = _lines(x, axis)
    last = (_present(lines) - 1)[..., None]
    if q.dtype.kind == "f":
        found = _between(np.sort(lines, axis=-1), last, q.ravel(), weak)
    else:
        place = np.maximum(last * q.ravel(), 0)
        found = np.take_along_axis(np.sort(lines, axis=-1), place, axis=-1)
    points = np.moveaxis(found, -1, 0).reshape(q.shape + found.shape[:-1])[()]
    if not keepdims:
        return points
    return np.expand_dims(points, tuple(q.ndim + k for k in _axes(x, axis)))


def _between(ordered: Any, last: Any, q: Any, weak: Any) -> Any:
    """The point between two neighbours, from the nearer one."""
    place = last.astype(q.dtype) * q
    low = np.floor(place)
    first = np.maximum(low.astype(np.intp), 0)
    second = np.maximum(np.minimum(first + 1, last), 0)
    share, rest = place - low, 1 - (place - low)
    if weak and ordered.dtype.kind == "f":
        share, rest = share.astype(ordered.dtype), rest.astype(ordered.dtype)
    lower = np.take_along_axis(ordered, first, axis=-1)
    upper = np.take_along_axis(ordered, second, axis=-1)
    rise = upper - lower
    return np.where(share >= 0.5, upper - rise * rest, lower + rise * share)


def _axes(x: Any, axis: Any) -> Any:
    """The axes reduced over, from 0 up."""
    if axis is None:
        return tuple(range(x.ndim))
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    for k in axes:
        if not -x.ndim <= k < x.ndim:
            raise np.exceptions.AxisError(k, x.ndim)
    return tuple(k % x.ndim for k in axes)


def _lines(x: Any, axis: Any) -> Any:
    """The elements that are reduced to one along the last axis."""
    axes = _axes(x, axis)
    if len(axes) == x.ndim:
        return np.ravel(x)
    moved = np.moveaxis(x, axes, tuple(range(-len(axes), 0)))
    if len(axes) == 1:
        return moved
    return moved.reshape((*moved.shape[: x.ndim - len(axes)], -1))


def _present(lines: Any) -> Any:
    """How many elements of each line are not NaN."""
    return np.sum(~np.isnan(lines), axis=-1)
