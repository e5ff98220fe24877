"""Filters of ``scipy.ndimage`` that look at all elements around each one: orders, and morphology.

The neighbours of all elements stand beside each other, one array for each place in a footprint.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import is_known, known_integer, refuse, registered
from symdiff.definitions.images import (
    around,
    chosen,
    each,
    gaussian_filter,
    numbers,
)
from symdiff.definitions.libraries import when_imported


def _real(input):
    x = np.asarray(input)
    if np.iscomplexobj(x):
        raise TypeError("Complex type not supported")
    if x.dtype.kind in "biu":
        refuse("whole numbers (use x.astype(float))")
    return x


def _neighbours(x, lengths, mode, cval, origins):
    """The elements around each one, along a first axis in the order of a footprint."""
    modes, count = each(mode, x.ndim), x.ndim
    for k in range(count):
        left = lengths[k] // 2 + origins[k]
        if not 0 <= left < lengths[k]:
            raise ValueError("invalid origin")
        lines = np.moveaxis(x, -count + k, -1)
        wide = around(lines, left, lengths[k] - 1 - left, modes[k], cval)
        places = np.arange(lengths[k])[:, None] + np.arange(lines.shape[-1])
        found = np.moveaxis(wide[..., places], -2, k)  # behind those of the axes before
        x = np.moveaxis(found, -1, -count + k)
    return x.reshape((-1, *x.shape[count:]))


def _window(x, size, footprint, structure, origin, axes):
    """The lengths of a footprint, which of its places are taken, and where its middle lies."""
    axes = [axis % x.ndim for axis in chosen(axes, x.ndim)]
    if structure is not None and footprint is None:
        footprint = np.ones(np.asarray(structure).shape, bool)
    if footprint is not None:
        if len(axes) < x.ndim:
            refuse("footprint= along some axes (use size=)")
        taken = np.asarray(footprint).astype(bool)
        if taken.ndim != x.ndim:
            raise RuntimeError("footprint array has incorrect shape.")
        return taken.shape, taken.ravel(), each(origin, x.ndim)
    if size is None:
        raise RuntimeError("no footprint or filter size provided")
    if np.ndim(size) > 0 and not isinstance(size, (tuple, list)):
        refuse("an array as size= (use a tuple)")
    sizes, given = each(size, len(axes)), each(origin, len(axes))
    lengths, origins = [1] * x.ndim, [0] * x.ndim
    for k in range(len(axes)):
        lengths[axes[k]], origins[axes[k]] = known_integer(sizes[k]), given[k]
    return lengths, None, origins


def _extreme(x, size, footprint, structure, mode, cval, origin, axes, sign):
    """The largest neighbour (``sign`` is 1) or the smallest one (-1), raised by a structure."""
    x = _real(x)
    dtype = x.dtype.newbyteorder("=")
    lengths, taken, origins = _window(x, size, footprint, structure, origin, axes)
    ones = tuple([1 for _ in range(x.ndim)])
    found = _neighbours(x, lengths, mode, cval, origins)
    if structure is not None:
        found = found + sign * np.asarray(structure, np.float64).reshape((-1, *ones))
    if taken is not None:
        found = np.where(taken.reshape((-1, *ones)), found, -sign * np.inf)
    made = np.max(found, axis=0) if sign > 0 else np.min(found, axis=0)
    return made.astype(dtype)


def maximum_filter(
    input, size=None, footprint=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    return _extreme(input, size, footprint, None, mode, cval, origin, axes, 1)


def minimum_filter(
    input, size=None, footprint=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    return _extreme(input, size, footprint, None, mode, cval, origin, axes, -1)


def maximum_filter1d(input, size, axis=-1, mode="reflect", cval=0.0, origin=0):
    return maximum_filter(input, size, None, mode, cval, origin, axes=(axis,))


def minimum_filter1d(input, size, axis=-1, mode="reflect", cval=0.0, origin=0):
    return minimum_filter(input, size, None, mode, cval, origin, axes=(axis,))


# By order -----------------------------------------------------------------------------------------


def _ordered(input, size, footprint, mode, cval, origin, axes, rank_of):
    """The neighbour with so many smaller ones as ``rank_of`` says of their number."""
    x = _real(input)
    if x.ndim == 1 and mode == "mirror":  # SciPy 1.17 reads beyond the ends of short signals
        refuse("mode='mirror' of a signal (use mode='reflect')")
    lengths, taken, origins = _window(x, size, footprint, None, origin, axes)
    found = _neighbours(x, lengths, mode, cval, origins)
    count: Any = 1
    for length in lengths:
        count = count * length
    if taken is not None:
        ones = tuple([1 for _ in range(x.ndim)])
        found = np.where(taken.reshape((-1, *ones)), found, np.inf)
        count = np.count_nonzero(taken)
    return np.sort(found, axis=0)[rank_of(count)].astype(x.dtype.newbyteorder("="))


def rank_filter(
    input, rank, size=None, footprint=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    def ranked(count):
        return np.where(rank < 0, rank + count, rank)

    return _ordered(input, size, footprint, mode, cval, origin, axes, ranked)


def median_filter(
    input, size=None, footprint=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    def ranked(count):
        return count // 2

    return _ordered(input, size, footprint, mode, cval, origin, axes, ranked)


def percentile_filter(
    input, percentile, size=None, footprint=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    if not is_known(percentile):
        refuse("a percentile that is not known")
    share = percentile + 100.0 if percentile < 0.0 else percentile
    if share < 0 or share > 100:
        raise RuntimeError("invalid percentile")

    def ranked(count):
        whole = np.floor(count * share / 100.0).astype(np.int64)
        return np.minimum(whole, count - 1)

    return _ordered(input, size, footprint, mode, cval, origin, axes, ranked)


def generic_filter(
    input,
    function,
    size=None,
    footprint=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    extra_arguments=(),
    extra_keywords=None,
    *,
    axes=None,
):
    x = _real(input)
    if footprint is not None:
        refuse("footprint= (use size=)")
    lengths, _, origins = _window(x, size, None, None, origin, axes)
    found = _neighbours(x.astype(np.float64), lengths, mode, cval, origins)
    rows = found.reshape(found.shape[0], -1).T
    keywords = {} if extra_keywords is None else extra_keywords
    made = np.array([function(row, *extra_arguments, **keywords) for row in rows])
    return made.reshape(x.shape).astype(x.dtype.newbyteorder("="))


# Morphology ---------------------------------------------------------------------------------------


def grey_erosion(
    input,
    size=None,
    footprint=None,
    structure=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    return _extreme(input, size, footprint, structure, mode, cval, origin, axes, -1)


def grey_dilation(
    input,
    size=None,
    footprint=None,
    structure=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """The footprint and the structure are turned round."""
    x = np.asarray(input)
    count = len(chosen(axes, x.ndim))
    if structure is not None:
        structure = np.flip(np.asarray(structure))
    if footprint is not None:
        footprint = np.flip(np.asarray(footprint))
    if footprint is not None:
        lengths = footprint.shape
    else:
        lengths = each(size, count) if structure is None else structure.shape
    given = each(origin, count)
    origins = [-given[k] - (1 - lengths[k] % 2) for k in range(count)]
    return _extreme(x, size, footprint, structure, mode, cval, origins, axes, 1)


def grey_opening(
    input,
    size=None,
    footprint=None,
    structure=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    given = size, footprint, structure, mode, cval, origin
    return grey_dilation(grey_erosion(input, *given, axes=axes), *given, axes=axes)


def grey_closing(
    input,
    size=None,
    footprint=None,
    structure=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    given = size, footprint, structure, mode, cval, origin
    return grey_erosion(grey_dilation(input, *given, axes=axes), *given, axes=axes)


def white_tophat(
    input,
    size=None,
    footprint=None,
    structure=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    given = size, footprint, structure, mode, cval, origin
    return np.asarray(input) - grey_opening(input, *given, axes=axes)


def black_tophat(
    input,
    size=None,
    footprint=None,
    structure=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    given = size, footprint, structure, mode, cval, origin
    return grey_closing(input, *given, axes=axes) - np.asarray(input)


def morphological_gradient(
    input,
    size=None,
    footprint=None,
    structure=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    given = size, footprint, structure, mode, cval, origin
    return grey_dilation(input, *given, axes=axes) - grey_erosion(input, *given, axes=axes)


def morphological_laplace(
    input,
    size=None,
    footprint=None,
    structure=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    given = size, footprint, structure, mode, cval, origin
    raised = grey_dilation(input, *given, axes=axes) - np.asarray(input)
    return raised + grey_erosion(input, *given, axes=axes) - np.asarray(input)


# Derivatives of normal densities ------------------------------------------------------------------


def gaussian_laplace(input, sigma, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The sum of second derivatives."""
    total: Any = 0.0
    for made in _derivatives(input, sigma, 2, mode, cval, axes, kwargs):
        total = total + made
    return total


def gaussian_gradient_magnitude(input, sigma, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The length of the first derivatives."""
    total: Any = 0.0
    for made in _derivatives(input, sigma, 1, mode, cval, axes, kwargs):
        total = total + made * made
    return np.sqrt(total)


def _derivatives(input, sigma, order, mode, cval, axes, options):
    if axes is not None:
        refuse("axes=")
    x = np.asarray(input)
    if x.ndim == 0:
        refuse("a number")
    modes = each(mode, x.ndim)
    return [
        gaussian_filter(
            *(x, sigma, [order if j == k else 0 for j in range(x.ndim)], modes[k], cval), **options
        )
        for k in range(x.ndim)
    ]


def center_of_mass(input, labels=None, index=None):
    from scipy.ndimage import sum_labels

    x = np.asarray(input)
    whole = sum_labels(x, labels, index)
    found = []
    for k in range(x.ndim):
        own = tuple([-1 if j == k else 1 for j in range(x.ndim)])
        places = np.arange(float(x.shape[k])).reshape(own)
        found.append(sum_labels(x * places, labels, index) / whole)
    if labels is not None and index is not None and np.ndim(index) > 0:
        refuse("several labels (use one after the other)")
    return tuple(found)


# Of spectra ---------------------------------------------------------------------------------------


def fourier_gaussian(input, sigma, n=-1, axis=-1):
    def weight(turns, width):
        power = -2.0 * (np.pi * width * turns) ** 2
        return np.where(np.abs(power) > 50.0, 0.0, np.exp(power))

    return _of_spectrum(input, sigma, n, axis, weight)


def fourier_uniform(input, size, n=-1, axis=-1):
    def weight(turns, width):
        return np.sinc(width * turns)

    return _of_spectrum(input, size, n, axis, weight)


def fourier_shift(input, shift, n=-1, axis=-1):
    def weight(turns, by):
        return np.exp(-2j * np.pi * (by * turns))

    return _of_spectrum(input, shift, n, axis, weight)


def _of_spectrum(input, given, n, axis, weight):
    """A spectrum times a weight of the frequencies along each axis, in turns for an element."""
    x = np.asarray(input)
    if x.dtype.kind not in "fc":
        refuse("whole numbers (use x.astype(float))")
    made, parameters = x, numbers(given, x.ndim)
    for k in range(x.ndim):
        count = x.shape[k]
        is_half = n >= 0 and k == axis % x.ndim  # of the spectrum of n real elements
        turns = np.arange(count) / n if is_half else np.fft.fftfreq(count)
        own = tuple([-1 if j == k else 1 for j in range(x.ndim)])
        made = made * weight(turns, parameters[k]).reshape(own)
    return made.astype(_spectral_dtype(x, made))


def _spectral_dtype(x, made):
    """That of the spectrum; double precision where a real one becomes complex."""
    became_complex = np.iscomplexobj(made) and not np.iscomplexobj(x)
    return np.complex128 if became_complex else x.dtype.newbyteorder("=")


@when_imported("scipy.ndimage")
def register(ndimage):
    """Say what the functions mean."""
    registered(
        ndimage,
        *(maximum_filter, minimum_filter, maximum_filter1d, minimum_filter1d),
        *(rank_filter, median_filter, percentile_filter, generic_filter),
        *(grey_erosion, grey_dilation, grey_opening, grey_closing, white_tophat, black_tophat),
        *(morphological_gradient, morphological_laplace),
        *(gaussian_laplace, gaussian_gradient_magnitude),
        *(fourier_gaussian, fourier_uniform, fourier_shift),
        rounded=True,
    )
    registered(ndimage, center_of_mass)
