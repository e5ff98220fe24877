"""What is chosen, repeated and spaced by other functions."""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.lines import axes_of


@defines(np.choose)
def choose(a, choices, out=None, mode="raise"):
    """Of each place the array that is chosen there."""
    dtype = np.result_type(*choices)
    parts = [np.asarray(choice, dtype=dtype) for choice in choices]
    numbers = np.asarray(a)
    if numbers.dtype == bool:
        numbers = numbers.astype(np.intp)
    arrays = np.broadcast_arrays(numbers, *parts)
    stacked = np.stack(arrays[1:])
    chosen, count = arrays[0], len(arrays) - 1
    if mode == "clip":
        chosen = np.clip(chosen, 0, count - 1)
    elif mode == "wrap":
        chosen = chosen % count
    elif np.any((chosen < 0) | (chosen >= count)):
        raise ValueError("invalid entry in choice array")
    return np.take_along_axis(stacked, chosen[None], axis=0)[0]


@defines(np.resize)
def resize(a, new_shape):
    """The elements in a row, again and again."""
    row = np.ravel(a)
    shape = new_shape if isinstance(new_shape, (tuple, list)) else (new_shape,)
    count = 1
    for length in shape:
        if length < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
        count *= int(length)
    if row.size == 0:
        return np.zeros(shape, row.dtype)
    rows = row[np.arange(count) % row.size].reshape(shape)
    return rows.astype(row.dtype.newbyteorder("="))


@defines(np.place)
def place(arr, mask, vals):
    """The values go to the places that are chosen one after another, and again from the first."""
    if isinstance(vals, np.ndarray):
        vals.astype(arr.dtype, casting="safe")  # or it raises
    else:
        vals = np.array(vals, dtype=arr.dtype)
    chosen = np.asarray(mask).astype(bool).reshape(arr.shape)
    row = np.ravel(vals)
    if row.size == 0:
        if np.any(chosen):
            raise ValueError("Cannot insert from an empty array!")
        return
    if np.ndim(vals) == 0:
        arr[chosen] = vals
    else:
        arr[chosen] = row[np.arange(np.count_nonzero(chosen)) % row.size]


@defines(np.unstack)
def unstack(x, /, *, axis=0):
    """The parts along an axis."""
    if np.ndim(x) == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(np.moveaxis(x, axis, 0))


@defines(np.linspace, rounded=True)
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """Points at equal distances between the elements of arrays."""
    first, last = np.asarray(start), np.asarray(stop)
    natural = np.result_type(first, last, float(num))
    rise = last - first
    parts = num - 1 if endpoint else num
    shares = np.arange(num).reshape((num,) + (1,) * rise.ndim) / max(parts, 1)
    made = np.moveaxis(first + shares * rise, 0, axis)
    if dtype is not None and np.issubdtype(dtype, np.integer):
        made = np.floor(made)
    made = made.astype(natural if dtype is None else dtype)
    if retstep:
        return made, rise.astype(natural) / parts
    return made


@defines(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Powers of a base, at equal distances of the exponents."""
    if np.ndim(base) > 0:
        rank = max(np.ndim(start), np.ndim(stop), np.ndim(base))
        start, stop = np.array(start, ndmin=rank), np.array(stop, ndmin=rank)
        base = np.expand_dims(np.array(base, ndmin=rank), axis)
    powers = np.power(base, np.linspace(start, stop, num=num, endpoint=endpoint, axis=axis))
    return powers if dtype is None else powers.astype(dtype)


@defines(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Points whose quotients are equal."""
    first, last = np.asarray(start), np.asarray(stop)
    if np.any(first == 0) or np.any(last == 0):
        raise ValueError("Geometric sequence cannot include zero")
    wanted = np.result_type(first, last, float(num), np.float64 if dtype is None else dtype)
    first, last = first.astype(wanted), last.astype(wanted)
    sign = np.sign(first)
    first, last = first / sign, last / sign
    made = np.logspace(np.log10(first), np.log10(last), num=num, endpoint=endpoint)
    if num > 0:
        made[0] = first
    if num > 1 and endpoint:
        made[-1] = last
    made = np.moveaxis(made * sign, 0, axis)
    return made if dtype is None else made.astype(dtype)


@defines(np.isin)
def isin(element, test_elements, assume_unique=False, invert=False):
    """Return whether each element is one of those asked for."""
    found = np.any(np.asarray(element)[..., None] == np.ravel(test_elements), axis=-1)
    return np.logical_not(found) if invert else found


@defines(np.take)
def take(a, indices, axis=None, out=None, mode="raise"):
    """The elements at places, which are brought into the range of those there are."""
    x = np.ravel(a) if axis is None else np.asarray(a)
    along = 0 if axis is None else axis
    count = x.shape[along]
    places = np.add(indices, 0, dtype=np.intp)  # which holds the count, as a uint8 may not
    if mode == "wrap":
        places = places % count
    elif mode == "clip":
        places = np.clip(places, 0, count - 1)
    else:
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    return np.take(x, places, axis=along)


@defines(np.searchsorted)
def searchsorted(a, v, side="left", sorter=None):
    """Where elements would be inserted into what ``sorter`` sorts."""
    return np.searchsorted(np.asarray(a)[np.asarray(sorter)], v, side)


@defines(np.delete)
def delete(arr, obj, axis=None):
    """What is left along an axis without some places."""
    x = np.ravel(arr) if axis is None or np.ndim(arr) == 0 else np.asarray(arr)
    along = 0 if axis is None else axes_of(x, axis)[0]
    count, before = x.shape[along], (slice(None),) * along
    if not isinstance(obj, int) or isinstance(obj, bool):
        return x[(*before, _without(obj, count))]
    if not -count <= obj < count:
        raise IndexError(f"index {obj} is out of bounds for axis {along} with size {count}")
    place = obj % count
    parts = (x[(*before, slice(None, place))], x[(*before, slice(place + 1, None))])
    return np.concatenate(parts, axis=along).astype(x.dtype)


def _without(obj, count):
    """Which of so many places are not named."""
    kept = np.ones(count, bool)
    if isinstance(obj, slice):
        kept[obj] = False
        return kept
    places = np.asarray(obj)
    if places.dtype == bool:
        if places.shape != (count,):
            raise ValueError(
                "boolean array argument obj to delete must be one dimensional "
                f"and match the axis length of {count}"
            )
        return ~places
    kept[places.astype(np.intp) if places.size == 0 else places] = False
    return kept


@defines(np.insert)
def insert(arr, obj, values, axis=None):
    """New elements before some places along an axis."""
    x = np.ravel(arr) if axis is None or np.ndim(arr) == 0 else np.asarray(arr)
    along = 0 if axis is None else axes_of(x, axis)[0]
    count, before = x.shape[along], (slice(None),) * along
    places = np.arange(count)[obj] if isinstance(obj, slice) else np.asarray(obj)
    if places.dtype == bool:
        places = np.flatnonzero(places)
    if places.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    new = np.asarray(values).astype(x.dtype)
    if new.ndim > x.ndim:  # as an assignment takes it
        new = new.reshape(new.shape[new.ndim - x.ndim :])
    if places.size == 1:
        new = np.array(new, ndmin=x.ndim)
        if places.ndim == 0:
            new = np.moveaxis(new, 0, along)
        return _inserted(x, places.ravel()[0], new, along)
    if places.size == 0:
        places = places.astype(np.intp)
    places = np.where(places < 0, places + count, places)
    order = np.argsort(places, kind="stable")
    places[order] += np.arange(len(places))
    total = count + len(places)
    kept = np.ones(total, bool)
    kept[places] = False
    made: Any = np.zeros((*x.shape[:along], total, *x.shape[along + 1 :]), x.dtype)
    made[(*before, places)] = new
    made[(*before, np.flatnonzero(kept))] = x
    return made


def _inserted(x, place, new, along):
    """All of ``new`` before one place."""
    count, number, before = x.shape[along], new.shape[along], (slice(None),) * along
    if not -count <= place <= count:
        raise IndexError(f"index {place} is out of bounds for axis {along} with size {count}")
    start = place + count if place < 0 else place
    between = np.broadcast_to(new, (*x.shape[:along], number, *x.shape[along + 1 :]))
    parts = (x[(*before, slice(None, start))], between, x[(*before, slice(start, None))])
    return np.concatenate(parts, axis=along).astype(x.dtype)


@defines(np.trim_zeros)
def trim_zeros(filt, trim="fb"):
    """A vector without the zeros at its ends."""
    if isinstance(filt, (list, tuple)):
        refuse("a list")
    if np.ndim(filt) != 1:
        refuse("anything but a vector")
    sides = trim.lower()
    if sides not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    present = filt != 0
    count = len(filt)
    first = np.sum(np.cumsum(present) == 0) if "f" in sides else 0
    last = count - np.sum(np.cumsum(present[::-1]) == 0) if "b" in sides else count
    return filt[first:last]


# Sections -----------------------------------------------------------------------------------------


def _sections(array, indices, axis):
    """The sections that begin at given places, side by side on a last axis, and which of their
    places are theirs: a section without end is one long, beyond its end its last element stands.
    """
    x, starts = np.asarray(array), np.asarray(indices)
    along = x.shape[axis]
    if starts.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    if np.any((starts < 0) | (starts >= along)):
        raise IndexError("index out-of-bounds")
    ends = np.append(starts[1:], along)
    lengths = np.maximum(ends - starts, 1)
    steps = np.arange(np.max(lengths, initial=1))
    theirs = steps < lengths[:, None]
    places = starts[:, None] + np.minimum(steps, lengths[:, None] - 1)
    return np.moveaxis(x, axis, -1)[..., places], theirs


@defines(np.multiply.reduceat, rounded=True)
def multiply_reduceat(array, indices, axis=0, dtype=None):
    """Products of the sections along an axis that begin at given places."""
    elements, theirs = _sections(array, indices, axis)
    return np.moveaxis(np.prod(np.where(theirs, elements, 1), axis=-1, dtype=dtype), -1, axis)


@defines(np.maximum.reduceat)
def maximum_reduceat(array, indices, axis=0, dtype=None):
    """The greatest elements of the sections along an axis that begin at given places."""
    elements, _ = _sections(np.asarray(array, dtype=dtype), indices, axis)
    return np.moveaxis(np.max(elements, axis=-1), -1, axis)


@defines(np.minimum.reduceat)
def minimum_reduceat(array, indices, axis=0, dtype=None):
    """The least elements of the sections along an axis that begin at given places."""
    elements, _ = _sections(np.asarray(array, dtype=dtype), indices, axis)
    return np.moveaxis(np.min(elements, axis=-1), -1, axis)
