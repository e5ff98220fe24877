"""Padding with ramps, with odd reflections, with what nobody cares about, and by widths that are
known at run time only.
"""

import numpy as np

from symdiff.definitions.declare import defines, refuse


# Ramps and reflections over several lengths are rounded in other orders.
@defines(np.pad, rounded=True)
def pad(array, pad_width, mode="constant", **kwargs):
    """The array with something around it."""
    x = np.asarray(array)
    if callable(mode):
        refuse("a function as the mode")
    if isinstance(pad_width, dict):
        widths = [(0, 0)] * x.ndim
        for axis, width in pad_width.items():
            widths[axis] = width if isinstance(width, (tuple, list)) else (width, width)
        return np.pad(x, widths, mode, **kwargs)
    if mode == "empty":
        return np.pad(x, pad_width)
    if mode == "linear_ramp":
        return _ramped(x, _pairs(pad_width, x.ndim), **kwargs)
    if mode in ("reflect", "symmetric") and kwargs.get("reflect_type") == "odd":
        return _reflected(x, _pairs(pad_width, x.ndim), mode)
    if mode == "constant":
        return _framed(x, _pairs(pad_width, x.ndim), **kwargs)
    if mode in ("edge", "reflect", "symmetric", "wrap"):
        return _repeated(x, _pairs(pad_width, x.ndim), mode)
    refuse(f"mode={mode!r}, by widths that are known at run time only")


def _pairs(given, rank):
    """What stands before and after each axis."""
    if isinstance(given, np.ndarray) and given.ndim > 0:
        sides = np.broadcast_to(given, (rank, 2))
        return [(sides[axis, 0], sides[axis, 1]) for axis in range(rank)]
    if not isinstance(given, (tuple, list)):
        return [(given, given)] * rank
    if isinstance(given[0], (tuple, list)):
        pairs = [(part[0], part[-1]) for part in given]
    else:
        pairs = [(given[0], given[-1])]
    return pairs * rank if len(pairs) == 1 else pairs


def _framed(x, widths, constant_values=0):
    values = _pairs(constant_values, x.ndim)
    for axis in range(x.ndim):
        rows = np.moveaxis(x, axis, 0)
        before, after = widths[axis]
        end = before + len(rows)
        made = np.empty((end + after, *rows.shape[1:]), x.dtype)
        made[:before], made[end:] = values[axis]
        made[before:end] = rows
        x = np.moveaxis(made, 0, axis)
    return x


def _repeated(x, widths, mode):
    """Each element around is one of the line, which goes on, there and back, or stops."""
    for axis in range(x.ndim):
        rows = np.moveaxis(x, axis, 0)
        before, after = widths[axis]
        count = len(rows)
        places = np.arange(before + count + after) - before
        if mode == "edge":
            inside = np.clip(places, 0, count - 1)
        elif mode == "wrap":
            inside = places % count
        else:
            last = 2 * count - 1 if mode == "symmetric" else max(2 * count - 2, 1)
            period = last + 1 if mode == "symmetric" else last
            inside = np.minimum(places % period, last - places % period)
        x = np.moveaxis(rows[inside], 0, axis)
    return x


def _ramped(x, widths, end_values=0):
    ends = _pairs(end_values, x.ndim)
    for axis in range(x.ndim):
        rows = np.moveaxis(x, axis, 0)
        (before, after), (first, last) = widths[axis], ends[axis]
        left, right = _ramp(first, rows[0], before), _ramp(last, rows[-1], after)[::-1]
        x = np.moveaxis(np.concatenate((left, rows, right)).astype(x.dtype), 0, axis)
    return x


def _ramp(start, stop, count):
    """From an end value up to an edge, which is not reached."""
    shares = (np.arange(count) / max(count, 1)).reshape((count,) + (1,) * np.ndim(stop))
    made = start + shares * (stop - start)
    if stop.dtype.kind in "iu":
        made = np.floor(made)
    return made.astype(stop.dtype)


def _reflected(x, widths, mode):
    """Each time around, the way back is turned upside down and the end is the next start."""
    for axis in range(x.ndim):
        rows = np.moveaxis(x, axis, 0)
        before, after = widths[axis]
        count = len(rows)
        twice = 2 * count if mode == "symmetric" else max(2 * count - 2, 2)
        last = twice - 1 if mode == "symmetric" else twice
        places = np.arange(before + count + after) - before
        turns, place = places // twice, places % twice
        back = place >= count
        elements = rows[np.where(back, np.maximum(last - place, 0) % count, place)]
        shape = (before + count + after,) + (1,) * (x.ndim - 1)
        rise = 2 * turns.reshape(shape) * (rows[-1] - rows[0])
        odd = np.where(back.reshape(shape), 2 * rows[-1] - elements, elements) + rise
        x = np.moveaxis(odd.astype(x.dtype), 0, axis)
    return x
