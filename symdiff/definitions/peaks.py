"""Peaks of signals, of ``scipy.signal``: which they are has no derivative, how high and wide they
are has that of the signal.
"""

import numpy as np

from symdiff.definitions.declare import defines_inside
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued


def local_maxima(x):
    """The middles of the peaks, and the first and the last places that are as high."""
    count = int(computed(np.zeros(()), _count, x))
    found = computed(np.zeros((count, 3)), _local_maxima, x).astype(np.intp)
    return found[:, 0], found[:, 1], found[:, 2]


def _count(x):
    return np.asarray(float(len(_local_maxima(x))))


def _local_maxima(x):
    return np.stack(_called()._local_maxima_1d(x), axis=1).astype(float)


def _called():
    from scipy.signal import _peak_finding

    return _peak_finding


def apart(peaks, priority, distance):
    """Which peaks stay where no two are nearer than a distance."""
    found = computed(peaks * 1.0, _apart, peaks, priority, distance)
    return found > 0.0


def _apart(peaks, priority, distance):
    return _called()._select_by_peak_distance(peaks, priority, distance).astype(float)


def prominences(x, peaks, wlen):
    """How far peaks are above the higher one of their bases, and where these are."""
    value = computed((peaks * 0.0)[:, None] + np.zeros(3), _prominences, x, peaks, wlen)
    left, right = value[:, 1].astype(np.intp), value[:, 2].astype(np.intp)
    exact = x[peaks] - np.maximum(x[left], x[right])
    return valued(exact, value[:, 0]), left, right


def _prominences(x, peaks, wlen):
    return np.stack(_called()._peak_prominences(x, peaks, wlen), axis=1).astype(float)


def widths(x, peaks, rel_height, prominences, left_bases, right_bases):
    """How wide peaks are at a part of their prominence, how high that is, and both ends there."""
    given = x, peaks, rel_height, prominences, left_bases, right_bases
    value = computed((peaks * 0.0)[:, None] + np.zeros(4), _widths, *given)
    height = x[peaks] - prominences * rel_height
    left, right = np.floor(value[:, 2]).astype(np.intp), np.ceil(value[:, 3]).astype(np.intp)
    left_end = value[:, 2] + _behind(x, left, left + 1, height, value[:, 1])
    right_end = value[:, 3] - _behind(x, right, right - 1, height, value[:, 1])
    exact = (right_end - left_end, height, left_end, right_end)
    return tuple([valued(exact[k], value[:, k]) for k in range(4)])


def _behind(x, place, beside, height, crossed):
    """How far behind a place the line to the next one is as high; nothing where it is higher, or
    where the next one is.
    """
    meets = x[place] <= crossed
    next_one = x[np.where(meets, beside, place)]
    meets = next_one > x[place]
    rise = np.where(meets, next_one - x[place], 1.0)
    return np.where(meets, (height - x[place]) / rise, 0.0)


def _widths(x, peaks, rel_height, prominences, left_bases, right_bases):
    given = prominences, left_bases, right_bases
    return np.stack(_called()._peak_widths(x, peaks, rel_height, *given), axis=1)


@when_imported("scipy.signal")
def register(signal):
    """Say what SciPy computes in C."""
    finding = signal._peak_finding
    defines_inside(finding._local_maxima_1d, local_maxima)
    defines_inside(finding._select_by_peak_distance, apart)
    defines_inside(finding._peak_prominences, prominences)
    defines_inside(finding._peak_widths, widths)
