"""Functions that call a function of the user's, which is followed where they call it."""

import itertools
from typing import Any

import numpy as np

from symdiff.definitions.declare import declare_pure, defines, refuse


@defines(np.piecewise)
def piecewise(x, condlist, funclist, *args, **kw):
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


def _conditions(x, condlist):
    """The conditions of ``np.piecewise``, of which one may stand alone."""
    if not isinstance(condlist, (list, tuple)):
        condlist = [condlist] if np.ndim(condlist) == x.ndim else [*condlist]
    elif np.ndim(condlist[0]) == 0 and x.ndim != 0:
        condlist = [condlist]
    return tuple([np.asarray(condition, dtype=bool) for condition in condlist])


@defines(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """What a function makes of each line, in its place."""
    if isinstance(func1d, np.ufunc) and len(args) >= func1d.nin:
        refuse("an array to write to (out) for a ufunc")
    x = np.asarray(arr)
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    place = axis % x.ndim
    is_last = place == x.ndim - 1
    moved = x if is_last else np.moveaxis(x, place, -1)
    count = 1
    for length in moved.shape[:-1]:
        count = count * length
    lines = moved.reshape(count, moved.shape[-1])
    found = np.stack([np.asarray(func1d(line, *args, **kwargs)) for line in lines])
    spread = found.reshape(moved.shape[:-1] + found.shape[1:])
    if is_last:
        return spread
    rank = found.ndim - 1
    return np.moveaxis(spread, tuple(range(-rank, 0)), tuple(range(place, place + rank)))


@defines(np.apply_over_axes)
def apply_over_axes(func, a, axes):
    """A reduction along one axis after the other, which stay with the length 1."""
    value = np.asarray(a)
    rank = value.ndim
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        place = axis % rank
        result = func(value, place)
        value = result if np.ndim(result) == rank else np.expand_dims(result, place)
    return value


@defines(np.fromfunction)
def fromfunction(function, shape, *, dtype=float, **kwargs):
    """A function of the positions."""
    return function(*np.indices(shape, dtype=dtype), **kwargs)


@defines(np.vectorize)
def vectorize(pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
    """A function of numbers as one of arrays."""

    def vectorized(*args, **kwargs):
        return _for_each(pyfunc, otypes, excluded, signature, args, kwargs)

    return vectorized


@defines(np.vectorize.__call__)
def call_vectorized(self, *args, **kwargs):
    """What ``np.vectorize`` has made, outside of the program."""
    return _for_each(self.pyfunc, self.otypes, self.excluded, self.signature, args, kwargs)


def _for_each(pyfunc, otypes, excluded, signature, args, kwargs):
    """A function of what stands at each place of arrays that are broadcast against each other."""
    kept = () if excluded is None else excluded
    places = tuple([k for k in range(len(args)) if k not in kept])
    names = tuple([name for name in kwargs if name not in kept])

    def of(parts):
        given, named = list(args), dict(kwargs)
        for k in range(len(places)):
            given[places[k]] = parts[k]
        for k in range(len(names)):
            named[names[k]] = parts[len(places) + k]
        return pyfunc(*given, **named)

    taken = [args[k] for k in places] + [kwargs[name] for name in names]
    if signature is not None:
        return _for_each_core(of, otypes, signature, taken)
    if not taken:
        refuse("a function that is given nothing to go over")
    return _for_each_element(of, otypes, taken)


def _for_each_element(of, otypes, taken):
    arrays = np.broadcast_arrays(*taken)
    rows = [np.ravel(array) for array in arrays]
    size = rows[0].size
    if size == 0:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    first = of([row[0] for row in rows])
    if isinstance(first, tuple):
        found = [of([row[k].item() for row in rows]) for k in range(size)]
        parts = [[each[n] for each in found] for n in range(len(first))]
        return tuple(
            [
                _laid_out(np.asarray(parts[n]).astype(_type(otypes, n, first[n])), arrays)
                for n in range(len(first))
            ]
        )
    made = np.asarray([of([row[k].item() for row in rows]) for k in range(size)])
    return _laid_out(made.astype(_type(otypes, 0, first)), arrays)


def _for_each_core(of, otypes, signature, taken):
    """A function of the last axes of arrays, as many as its signature names of each."""
    cores, results = core_dimensions(signature)
    if len(taken) != len(cores):
        raise TypeError("wrong number of positional arguments")
    arrays = [np.asarray(given) for given in taken]
    sizes: Any = {}
    for k in range(len(arrays)):
        _note_sizes(sizes, arrays[k], cores[k])
    outer = [arrays[k].ndim - len(cores[k]) for k in range(len(arrays))]
    shape = np.broadcast_shapes(*[arrays[k].shape[: outer[k]] for k in range(len(arrays))])
    count = 1
    for length in shape:
        count = count * length
    if count == 0:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    rows = []
    for k in range(len(arrays)):
        core = arrays[k].shape[outer[k] :]
        rows.append(np.broadcast_to(arrays[k], (*shape, *core)).reshape((count, *core)))
    found = [of([row[n] for row in rows]) for n in range(count)]
    several = isinstance(found[0], tuple)
    if (len(found[0]) if several else 1) != len(results):
        raise ValueError("wrong number of outputs from pyfunc")
    made = []
    for k in range(len(results)):
        parts = [np.asarray(each[k] if several else each) for each in found]
        _note_sizes(sizes, parts[0], results[k])
        if parts[0].ndim != len(results[k]):
            raise ValueError("what the function gives has other axes than its signature")
        whole = np.stack(parts).reshape((*shape, *parts[0].shape))
        made.append(whole.astype(_type(otypes, k, parts[0])))
    return tuple(made) if len(made) > 1 else made[0]


def _note_sizes(sizes, array, core):
    """Note how long the axes are that have names in a signature, which is the same everywhere."""
    first = array.ndim - len(core)
    if first < 0:
        raise ValueError("an array has less axes than the signature names")
    for k in range(len(core)):
        if core[k] not in sizes:
            sizes[core[k]] = array.shape[first + k]
        elif sizes[core[k]] != array.shape[first + k]:
            raise ValueError("inconsistent size for a core dimension")


def core_dimensions(signature: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The names of the axes that a signature gives to each argument, and to each result."""
    from numpy.lib import _function_base_impl as numpys

    found = numpys._parse_gufunc_signature(signature)  # type: ignore[attr-defined]
    return tuple(tuple(tuple(core) for core in side) for side in found)


declare_pure(core_dimensions)


def _laid_out(made, arrays):
    """The elements in the shape of the arrays, and in the order in which their sum lies."""
    found = made.reshape(arrays[0].shape)
    if found.ndim < 2:
        return found
    like = arrays[0]
    for array in arrays[1:]:
        like = like + array
    laid = np.zeros_like(like, dtype=found.dtype)
    laid[...] = found
    return laid


def _type(otypes, place, first):
    """The dtype of a result: that asked for, or that of the first."""
    return np.asarray(first).dtype if otypes is None else np.dtype(otypes[place])


@defines(np.ndindex)
def ndindex(*shape):
    """The positions of a shape, one after the other."""
    lengths: Any = shape
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        lengths = shape[0]
    return itertools.product(*[range(length) for length in lengths])


@defines(np.ndenumerate)
def ndenumerate(arr):
    """Positions and what stands there."""
    x = np.asarray(arr)
    return zip(ndindex(*x.shape), np.ravel(x), strict=False)
