"""Smoothing by ``scipy.signal``: Savitzky and Golay's filter, sections both ways, medians."""

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.filters import lfilter, lfilter_zi, recurrence, there_and_back
from symdiff.definitions.images import convolve1d, each
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.neighbours import median_filter


def savgol_filter(
    x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0
):
    """Polynomials of least squares: of a window in its middle, at the ends of the whole window."""
    from scipy.signal import savgol_coeffs

    x = np.asarray(x)
    if x.dtype != np.float32:
        x = x.astype(np.float64)
    weights = savgol_coeffs(window_length, polyorder, deriv, delta)
    if mode != "interp":
        return convolve1d(x, weights, axis, mode, cval)
    if window_length % 2 == 0:
        refuse("a window of even length (give a mode=)")
    half = window_length // 2
    rows = [
        savgol_coeffs(window_length, polyorder, deriv, delta, pos=k, use="dot")
        for k in range(window_length)
    ]
    table = np.stack(rows)
    lines = np.moveaxis(x, axis, -1).astype(np.float64)
    if window_length > lines.shape[-1]:
        raise ValueError(
            "If mode is 'interp', window_length must be less than or equal to the size of x."
        )
    first = lines[..., :window_length] @ table[:half].T
    last = lines[..., -window_length:] @ table[window_length - half :].T
    middle = recurrence(weights, np.ones(1), lines)[..., window_length - 1 :]
    made = np.concatenate((first, middle, last), axis=-1)
    return np.moveaxis(made, -1, axis).astype(x.dtype)


def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    """Sections forwards and backwards over lines that are extended at both ends."""
    sos = np.atleast_2d(sos)
    lines = np.moveaxis(np.asarray(x), axis, -1)
    lines = lines.astype(np.result_type(sos, lines))
    edge = 0
    if padtype is not None:
        edge = _usual_edge(sos) if padlen is None else padlen
    made = there_and_back(lines, padtype, edge, lambda lines: _settled(sos, lines))
    return np.moveaxis(made, -1, axis)


def _usual_edge(sos):
    """Three times the coefficients of the whole filter, but for the zeros that come last."""
    zeros = min(np.count_nonzero(sos[:, 2] == 0), np.count_nonzero(sos[:, 5] == 0))
    return 3 * (2 * len(sos) + 1 - int(zeros))


def _settled(sos, lines):
    """The sections, each in the state that the first element has brought about for ever."""
    first, scale = lines[..., :1], np.ones(1, lines.dtype)
    for section in sos:
        b, a = section[:3], section[3:]
        lines = lfilter(b, a, lines, zi=first * (lfilter_zi(b, a) * scale))[0]
        scale = scale * (np.sum(b) / np.sum(a))
    return lines


def medfilt(volume, kernel_size=None):
    """The median of the neighbours of each element, beyond the ends zeros."""
    volume = np.atleast_1d(volume)
    if volume.dtype.kind not in "iu" and volume.dtype.char not in "fd":
        raise ValueError(f"dtype={volume.dtype} is not supported by medfilt")
    if isinstance(kernel_size, np.ndarray) and kernel_size.ndim != 0:
        refuse("kernel_size= as an array (give a tuple)")
    lengths = each(3 if kernel_size is None else kernel_size, volume.ndim)
    for length in lengths:
        if length % 2 != 1:
            raise ValueError("Each element of kernel_size should be odd.")
    return median_filter(volume, lengths, mode="constant")


def medfilt2d(input, kernel_size=3):
    input = np.asarray(input)
    if input.ndim != 2:
        raise ValueError("object of too small depth for desired array")
    return medfilt(input, kernel_size)


@when_imported("scipy.signal")
def register(signal):
    """Say what the functions mean."""
    registered(signal, savgol_filter, sosfiltfilt, medfilt, medfilt2d, rounded=True)
