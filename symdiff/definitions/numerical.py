"""Interpolation outside of the knots and around periods, and differences on uneven grids."""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.lines import axes_of


@defines(np.interp, rounded=True)
def interp(x, xp, fp, left=None, right=None, period=None):
    """Values between knots on straight lines; other ones outside, or the same ones again."""
    at, knots, values = np.asarray(x), np.asarray(xp), np.asarray(fp)
    if period is not None:
        return _periodic(at, knots, values, period)
    made = np.interp(at, knots, values)
    for given in (left, right):
        if given is None:
            continue
        if np.ndim(given) > 0:
            refuse("an array for what is outside of the knots")
        if np.iscomplexobj(given) and not np.iscomplexobj(values):
            raise TypeError("must be real number, not complex")
    if left is not None:
        made = np.where(at < knots[0], left, made)
    if right is not None:
        made = np.where(at > knots[-1], right, made)
    return made.astype(np.complex128 if np.iscomplexobj(values) else np.float64)[()]


def _periodic(x, xp, fp, period):
    if period == 0:
        raise ValueError("period must be a non-zero value")
    length = abs(period)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.shape[0] != fp.shape[0]:
        raise ValueError("fp and xp are not of the same length")
    folded = np.asarray(xp, dtype=np.float64) % length
    order = np.argsort(folded)
    knots, values = folded[order], fp[order]
    knots = np.concatenate((knots[-1:] - length, knots, knots[:1] + length))
    values = np.concatenate((values[-1:], values, values[:1]))
    return np.interp(np.asarray(x, dtype=np.float64) % length, knots, values)


# On a grid of equal steps NumPy takes the first step for all of them: so do its values, which are
# kept. The derivatives are those of each step.
@defines(np.gradient, rounded=True)
def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences inside, one-sided ones at the ends."""
    x = np.asarray(f)
    axes = axes_of(x, axis)
    if x.dtype.kind not in "fc":
        x = x.astype(np.float64)
    one_for_all = len(varargs) == 1 and np.ndim(varargs[0]) == 0
    if varargs and not one_for_all and len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    made: Any = ()
    for k in range(len(axes)):
        distances: Any = 1.0
        if len(varargs) == 1:
            distances = varargs[0]
        elif len(varargs) > 1:
            distances = varargs[k]
        made = (*made, _along(x, distances, axes[k], edge_order))
    return made[0] if len(made) == 1 else made


def _along(f, distances, axis, edge_order):
    """The differences along one axis: it stands last, to be gone along."""
    if f.shape[axis] < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    lines = np.moveaxis(f, axis, -1)
    if np.ndim(distances) == 0:
        inner = (lines[..., 2:] - lines[..., :-2]) / (2.0 * distances)
        first, last = _ends_of_equal_steps(lines, distances, edge_order)
    else:
        steps = _steps(distances, lines.shape[-1])
        before, after = steps[:-1], steps[1:]
        slopes = np.diff(lines) / steps
        both = before + after
        inner = slopes[..., :-1] * (after / both) + slopes[..., 1:] * (before / both)
        first, last = _ends(lines, steps, edge_order)
    parts = (first[..., None], inner, last[..., None])
    made = np.concatenate(parts, axis=-1).astype(f.dtype)
    return np.moveaxis(made, -1, axis)


def _steps(distances, count):
    places = np.asarray(distances)
    if places.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if len(places) != count:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    return np.diff(places.astype(np.float64) if places.dtype.kind in "iu" else places)


def _ends_of_equal_steps(f, step, edge_order):
    if edge_order == 1:
        return (f[..., 1] - f[..., 0]) / step, (f[..., -1] - f[..., -2]) / step
    first = -1.5 / step * f[..., 0] + 2.0 / step * f[..., 1] + -0.5 / step * f[..., 2]
    last = 0.5 / step * f[..., -3] + -2.0 / step * f[..., -2] + 1.5 / step * f[..., -1]
    return first, last


def _ends(f, steps, edge_order):
    if edge_order == 1:
        return (f[..., 1] - f[..., 0]) / steps[0], (f[..., -1] - f[..., -2]) / steps[-1]
    a, b = steps[0], steps[1]
    one, two = (f[..., 1] - f[..., 0]) / a, (f[..., 2] - f[..., 1]) / b
    first = one - (two - one) * (a / (a + b))
    a, b = steps[-2], steps[-1]
    one, two = (f[..., -2] - f[..., -3]) / a, (f[..., -1] - f[..., -2]) / b
    last = two + (two - one) * (b / (a + b))
    return first, last


@defines(np.linalg.norm, rounded=True)
def norm(x, ord=None, axis=None, keepdims=False):
    """A norm of an order that is known at run time only."""
    x = np.asarray(x)
    count = x.ndim if axis is None else np.size(axis)
    if count == 1:
        return _norm_of_vectors(x, ord, axis, keepdims)
    if count != 2:
        raise ValueError("Improper number of dimensions to norm.")
    return _norm_of_matrices(x, ord, axis, keepdims)


def _norm_of_matrices(x, ord, axis, keepdims):
    if ord == np.inf:
        return np.linalg.norm(x, np.inf, axis, keepdims)
    if ord == -np.inf:
        return np.linalg.norm(x, -np.inf, axis, keepdims)
    if ord == 1:
        return np.linalg.norm(x, 1, axis, keepdims)
    if ord == -1:
        return np.linalg.norm(x, -1, axis, keepdims)
    if ord == 2:
        return np.linalg.norm(x, 2, axis, keepdims)
    if ord == -2:
        return np.linalg.norm(x, -2, axis, keepdims)
    raise ValueError("Invalid norm order for matrices.")


@defines(np.linalg.cond)
def cond(x, p=None):
    """The condition number in a norm of an order that is known at run time only."""
    if p == np.inf:
        return np.linalg.cond(x, np.inf)
    if p == -np.inf:
        return np.linalg.cond(x, -np.inf)
    if p == 1:
        return np.linalg.cond(x, 1)
    if p == -1:
        return np.linalg.cond(x, -1)
    if p == 2:
        return np.linalg.cond(x, 2)
    if p == -2:
        return np.linalg.cond(x, -2)
    raise ValueError("Invalid norm order for matrices.")


def _norm_of_vectors(x, ord, axis, keepdims):
    if ord == np.inf:
        return np.linalg.norm(x, np.inf, axis, keepdims)
    if ord == -np.inf:
        return np.linalg.norm(x, -np.inf, axis, keepdims)
    if ord == 0:
        return np.linalg.norm(x, 0, axis, keepdims)
    total = np.sum(np.abs(x) ** ord, axis=axis, keepdims=keepdims)
    nothing = total == 0.0
    found = np.where(nothing, 1.0, total) ** (1.0 / ord)
    return np.where(nothing, 0.0, found)[()]


@defines(np.ediff1d)
def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of neighbours, with what is asked for before and behind them."""
    x = np.ravel(ary)
    made = x[1:] - x[:-1]
    before, after = (_edge(given, x.dtype) for given in (to_begin, to_end))
    return np.concatenate((before, made, after))


def _edge(given, dtype):
    if given is None:
        return np.zeros(0, dtype)
    edge = np.asarray(given)
    if not np.can_cast(edge.dtype, dtype, "same_kind"):
        raise TypeError("dtype of `to_end` must be compatible with input `ary`.")
    return np.ravel(edge).astype(dtype)


@defines(np.cross)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Products at right angles to both of two vectors, wherever these stand."""
    first, second = np.asarray(a), np.asarray(b)
    if axis is not None:
        axisa, axisb, axisc = axis, axis, axis
    lines = np.cross(np.moveaxis(first, axisa, -1), np.moveaxis(second, axisb, -1))
    return np.moveaxis(lines, -1, axisc)


@defines(np.linalg.cross)
def linalg_cross(x1, x2, /, *, axis=-1):
    """Products at right angles to both of two vectors of three, along an axis."""
    return cross(x1, x2, axis=axis)
