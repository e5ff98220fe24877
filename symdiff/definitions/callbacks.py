"""Functions that call a function of the user's, which is followed where they call it."""

from __future__ import annotations

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines


@defines(np.piecewise)
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Each function of the elements for which its condition holds; the last is what is left."""
    x = np.asarray(x)
    conditions = _conditions(x, condlist)
    count = len(funclist)
    if count not in (len(conditions), len(conditions) + 1):
        known = len(conditions)
        raise ValueError(
            f"with {known} condition(s), either {known} or {known + 1} functions are expected"
        )
    if count == len(conditions) + 1:
        rest = ~np.any(np.stack(conditions), axis=0)
        conditions = (*conditions, rest)
    y = np.zeros_like(x)
    for k in range(count):
        function = funclist[k]
        if callable(function):
            selected = x[conditions[k]]
            if selected.size > 0:
                y[conditions[k]] = function(selected, *args, **kw)
        else:
            y[conditions[k]] = function
    return y


def _conditions(x: Any, condlist: Any) -> Any:
    """The conditions of ``np.piecewise``, of which one may stand alone."""
    if not isinstance(condlist, (list, tuple)):
        condlist = [condlist] if np.ndim(condlist) == x.ndim else [*condlist]
    elif np.ndim(condlist[0]) == 0 and x.ndim != 0:
        condlist = [condlist]
    return tuple([np.asarray(condition, dtype=bool) for condition in condlist])


@defines(np.apply_along_axis)
def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """What a function makes of each line, in its place."""
    x = np.asarray(arr)
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    place = axis % x.ndim
    is_last = place == x.ndim - 1
    moved = x if is_last else np.moveaxis(x, place, -1)
    lines = moved.reshape(-1, moved.shape[-1])
    found = np.stack([np.asarray(func1d(line, *args, **kwargs)) for line in lines])
    spread = found.reshape(moved.shape[:-1] + found.shape[1:])
    if is_last:
        return spread
    rank = found.ndim - 1
    return np.moveaxis(spread, tuple(range(-rank, 0)), tuple(range(place, place + rank)))


@defines(np.apply_over_axes)
def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """A reduction along one axis after the other, which stay with the length 1."""
    value = np.asarray(a)
    rank = value.ndim
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        place = axis % rank
        result = func(value, place)
        value = result if np.ndim(result) == rank else np.expand_dims(result, place)
    return value


@defines(np.fromfunction)
def fromfunction(function: Any, shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    """A function of the positions."""
    return function(*np.indices(shape, dtype=dtype), **kwargs)
