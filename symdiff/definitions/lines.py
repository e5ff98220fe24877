"""An array as the lines that a reduction takes, whatever axes it goes along."""

import numpy as np


def axes_of(x, axis):
    """The axes reduced over, from 0 up."""
    if axis is None:
        return tuple(range(x.ndim))
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    for k in axes:
        if not -x.ndim <= k < x.ndim:
            raise np.exceptions.AxisError(k, x.ndim)
    return tuple(k % x.ndim for k in axes)


def lines_of(x, axis):
    """The elements that are reduced to one along the last axis."""
    axes = axes_of(x, axis)
    if len(axes) == x.ndim:
        return np.ravel(x)
    moved = np.moveaxis(x, axes, tuple(range(-len(axes), 0)))
    if len(axes) == 1:
        return moved
    count = 1
    for k in axes:
        count *= x.shape[k]
    return moved.reshape((*moved.shape[: x.ndim - len(axes)], count))
