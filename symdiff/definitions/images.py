"""Filters of ``scipy.ndimage`` that are linear: sums of neighbours times weights."""

from typing import Any

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.filters import fftconvolve, recurrence
from symdiff.definitions.libraries import when_imported

# Neighbours beyond the ends -----------------------------------------------------------------------


def within(places, count, mode):
    """The places of a line of ``count`` elements that stand for places beyond its ends."""
    if mode in ("constant", "grid-constant", "nearest"):
        return np.clip(places, 0, count - 1)
    if mode in ("wrap", "grid-wrap"):
        return places % count
    if mode == "mirror":
        period = np.maximum(2 * count - 2, 1)
        return np.minimum(places % period, period - places % period)
    if mode in ("reflect", "grid-mirror"):
        turn = places % (2 * count)
        return np.minimum(turn, 2 * count - 1 - turn)
    raise RuntimeError("boundary mode not supported")


def around(lines, left, right, mode, cval):
    """Lines with what stands for their neighbours beyond both ends."""
    count = lines.shape[-1]
    places = np.arange(-left, count + right)
    found = lines[..., within(places, count, mode)]
    if mode in ("constant", "grid-constant"):
        return np.where((places >= 0) & (places < count), found, cval)
    return found


def _prepared(input, weights):
    x, w = np.asarray(input), np.asarray(weights)
    if x.dtype.kind in "biu":
        refuse("whole numbers (use x.astype(float))")
    dtype = np.result_type(x, np.complex64) if np.iscomplexobj(w) else x.dtype.newbyteorder("=")
    return x.astype(np.result_type(x, np.float64)), w, dtype


# Along an axis ------------------------------------------------------------------------------------


def correlate1d(input, weights, axis=-1, mode="reflect", cval=0.0, origin=0):
    x, w, dtype = _prepared(input, weights)
    if w.ndim != 1:
        raise RuntimeError("no filter weights given")
    left = len(w) // 2 + origin
    lines = around(np.moveaxis(x, axis, -1), left, len(w) - 1 - left, mode, cval)
    made = recurrence(w[::-1].conj(), np.ones(1), lines)[..., len(w) - 1 :]
    return np.moveaxis(made, -1, axis).astype(dtype)


def convolve1d(input, weights, axis=-1, mode="reflect", cval=0.0, origin=0):
    w = np.asarray(weights)
    origin = -origin - (1 - len(w) % 2)
    return correlate1d(input, w[::-1].conj(), axis, mode, cval, origin)


def uniform_filter1d(input, size, axis=-1, mode="reflect", cval=0.0, origin=0):
    return correlate1d(input, np.ones(size) / size, axis, mode, cval, origin)


def gaussian_filter1d(
    input, sigma, axis=-1, order=0, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    reach = int(truncate * float(sigma) + 0.5) if radius is None else radius
    weights = _bell(sigma, order, reach)[::-1]
    return correlate1d(input, weights, axis, mode, cval, 0)


def _bell(sigma, order, reach):
    """The normal density, or a derivative of it, that sums to 1."""
    places = np.arange(-reach, reach + 1)
    square = sigma * sigma
    density = np.exp(-0.5 / square * places**2)
    density = density / np.sum(density)
    polynomial = [1.0]  # times the density: the lowest coefficient first
    for _ in range(order):
        raised = [0.0] + [c / -square for c in polynomial]
        lowered = [k * polynomial[k] for k in range(1, len(polynomial))] + [0.0, 0.0]
        polynomial = [raised[k] + lowered[k] for k in range(len(raised))]
    factor: Any = 0.0
    for k in range(order + 1):
        factor = factor + polynomial[k] * places**k
    return factor * density


# Along all axes -----------------------------------------------------------------------------------


def correlate(input, weights, mode="reflect", cval=0.0, origin=0):
    x, w, dtype = _prepared(input, weights)
    if w.ndim != x.ndim:
        raise RuntimeError("filter weights array has incorrect shape")
    modes, origins = each(mode, x.ndim), each(origin, x.ndim)
    wide = x
    for k in range(x.ndim):
        left = w.shape[k] // 2 + origins[k]
        lines = np.moveaxis(wide, k, -1)
        lines = around(lines, left, w.shape[k] - 1 - left, modes[k], cval)
        wide = np.moveaxis(lines, -1, k)
    return fftconvolve(wide, np.flip(w).conj(), "valid").astype(dtype)


def convolve(input, weights, mode="reflect", cval=0.0, origin=0):
    w = np.asarray(weights)
    origins = each(origin, w.ndim)
    moved = [-origins[k] - (1 - w.shape[k] % 2) for k in range(w.ndim)]
    return correlate(input, np.flip(w).conj(), mode, cval, moved)


def each(value, count):
    """One for each axis."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        if len(value) != count:
            raise RuntimeError("sequence argument must have length equal to input rank")
        return [value[k] for k in range(count)]
    if isinstance(value, (tuple, list)):
        return value
    return [value for _ in range(count)]


def numbers(given, count):
    """Numbers, one for each axis."""
    given = np.asarray(given, dtype=np.float64)
    return [given if given.ndim == 0 else given[k] for k in range(count)]


def chosen(axes, rank):
    if axes is None:
        return tuple(range(rank))
    return tuple(axes) if isinstance(axes, (tuple, list)) else (axes,)


def gaussian_filter(
    input, sigma, order=0, mode="reflect", cval=0.0, truncate=4.0, *, radius=None, axes=None
):
    x = np.array(input)  # a copy, also where no axis is gone along
    axes = chosen(axes, x.ndim)
    count = len(axes)
    widths, orders, modes = each(sigma, count), each(order, count), each(mode, count)
    reaches = each(radius, count)
    for k in range(count):
        if not widths[k] > 1e-15:
            continue
        x = gaussian_filter1d(
            *(x, widths[k], axes[k], orders[k], modes[k], cval, truncate),
            radius=reaches[k],
        )
    return x


def uniform_filter(input, size=3, mode="reflect", cval=0.0, origin=0, *, axes=None):
    x = np.asarray(input)
    axes = chosen(axes, x.ndim)
    count = len(axes)
    sizes, modes, origins = each(size, count), each(mode, count), each(origin, count)
    for k in range(count):
        x = uniform_filter1d(x, sizes[k], axes[k], modes[k], cval, origins[k])
    return x


def sobel(input, axis=-1, mode="reflect", cval=0.0):
    return _edges(input, axis, mode, cval, [1.0, 2.0, 1.0])


def prewitt(input, axis=-1, mode="reflect", cval=0.0):
    return _edges(input, axis, mode, cval, [1.0, 1.0, 1.0])


def _edges(input, axis, mode, cval, weights):
    """A difference along one axis, sums along the others."""
    x = np.asarray(input)
    modes, axis = each(mode, x.ndim), axis % x.ndim
    made = correlate1d(x, [-1.0, 0.0, 1.0], axis, modes[axis], cval)
    for k in range(x.ndim):
        if k != axis:
            made = correlate1d(made, weights, k, modes[k], cval)
    return made


def laplace(input, mode="reflect", cval=0.0, *, axes=None):
    x = np.asarray(input)
    axes = chosen(axes, x.ndim)
    modes = each(mode, len(axes))
    total = np.zeros_like(x)
    for k in range(len(axes)):
        total = total + correlate1d(x, [1.0, -2.0, 1.0], axes[k], modes[k], cval)
    return total


@when_imported("scipy.ndimage")
def register(ndimage):
    """Say what the functions mean."""
    registered(
        ndimage,
        *(correlate1d, convolve1d, uniform_filter1d, gaussian_filter1d, correlate, convolve),
        *(gaussian_filter, uniform_filter, sobel, prewitt, laplace),
        rounded=True,
    )
