"""Spectra of ``scipy.signal``: pieces of a signal, times a window, by their Fourier transforms."""

from typing import Any

import numpy as np

from symdiff.definitions import filters
from symdiff.definitions.declare import is_known_empty, refuse, registered
from symdiff.definitions.libraries import when_imported


def _window(window, nperseg, count):
    """The window, and how long it is: no longer than the signal."""
    from scipy.signal import get_window

    if isinstance(window, (str, tuple)):
        length = 256 if nperseg is None else nperseg
        length = min(length, count)
        return get_window(window, length), length
    given = np.asarray(window)
    length = given.shape[0]
    if nperseg is not None and nperseg != length:
        raise ValueError("the window has another length than nperseg")
    return given, length


def _pieces(lines, length, step, kind):
    """The pieces of lines, one beginning ``step`` behind the other, without their trends."""
    count = (lines.shape[-1] - length) // step + 1
    found = lines[..., np.arange(count)[:, None] * step + np.arange(length)]
    if kind is False or kind is None:
        return found
    if not isinstance(kind, str):
        refuse("detrend= a function")
    return filters.detrend(found, type=kind)


def _transformed(pieces, window, nfft, is_half):
    weighed = pieces * window
    return np.fft.rfft(weighed, nfft) if is_half else np.fft.fft(weighed, nfft)


def _doubled(powers, nfft):
    """The powers of half a spectrum, with those of the other half."""
    places = np.arange(powers.shape[-1])
    alone = (places == 0) | (2 * places == nfft)
    return powers * np.where(alone, 1.0, 2.0)


def _scale(window, fs, scaling):
    if scaling == "density":
        return 1.0 / (fs * np.sum(window * window))
    if scaling == "spectrum":
        return 1.0 / np.sum(window) ** 2
    raise ValueError(f"Unknown scaling: {scaling!r}")


def _frequencies(nfft, fs, is_half):
    return (np.fft.rfftfreq(nfft) if is_half else np.fft.fftfreq(nfft)) * fs


def _line(x, axis):
    x = np.asarray(x)
    if is_known_empty(x):
        refuse("an empty signal")
    return np.moveaxis(x, axis, -1)


# Powers, averaged over the pieces -----------------------------------------------------------------


def csd(
    x,
    y,
    fs=1.0,
    window="hann",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    average="mean",
):
    first, second = _line(x, axis), _line(y, axis)
    if first.shape[-1] != second.shape[-1]:
        refuse("signals of different lengths")
    given = window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, average
    frequencies, made = _averaged(first, second, fs, *given)
    return frequencies, np.moveaxis(made, -1, axis)


def _averaged(
    first,
    second,
    fs,
    window,
    nperseg,
    noverlap,
    nfft,
    detrend,
    return_onesided,
    scaling,
    average,
):
    """The frequencies, and the products of two spectra, along the last axis."""
    dtype = np.result_type(first, second, np.complex64)
    length = first.shape[-1]
    win, nperseg = _window(window, nperseg, length)
    nfft = nperseg if nfft is None else nfft
    overlap = nperseg // 2 if noverlap is None else noverlap
    if nfft < nperseg:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    if overlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    is_half = return_onesided and not np.iscomplexobj(first) and not np.iscomplexobj(second)
    spectra = [
        _transformed(_pieces(one, nperseg, nperseg - overlap, detrend), win, nfft, is_half)
        for one in (first, second)
    ]
    powers = spectra[0].conj() * spectra[1] * _scale(win, fs, scaling)
    if is_half:
        powers = _doubled(powers, nfft)
    if average == "mean":
        made = np.mean(powers, axis=-2)
    elif average == "median":
        made = np.median(powers.real, axis=-2) + 1j * np.median(powers.imag, axis=-2)
        made = made / _bias(powers.shape[-2])
    else:
        raise ValueError(f"average must be 'median' or 'mean', got {average}")
    return _frequencies(nfft, fs, is_half), made.astype(dtype)


def _bias(count):
    """How far the median of squares lies below their mean (Allen et al. 2012, appendix B)."""
    even = 2 * np.arange(1.0, (count - 1) // 2 + 1)
    return 1.0 + np.sum(1.0 / (even + 1) - 1.0 / even)


def welch(
    x,
    fs=1.0,
    window="hann",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    average="mean",
):
    lines = _line(x, axis)
    given = fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, average
    frequencies, powers = _averaged(lines, lines, *given)
    return frequencies, np.moveaxis(powers.real, -1, axis)


def periodogram(
    x,
    fs=1.0,
    window="boxcar",
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
):
    lines = _line(x, axis)
    if nfft is not None:
        lines = lines[..., :nfft]
    count = lines.shape[-1]
    window = "boxcar" if window is None else window
    given = fs, window, count, 0, nfft, detrend, return_onesided, scaling, "mean"
    frequencies, powers = _averaged(lines, lines, *given)
    return frequencies, np.moveaxis(powers.real, -1, axis)


def coherence(
    x,
    y,
    fs=1.0,
    window="hann",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    axis=-1,
):
    given = fs, window, nperseg, noverlap, nfft, detrend, True, "density", axis
    frequencies, powers = welch(x, *given)
    crossed = csd(x, y, *given)[1]
    return frequencies, np.abs(crossed) ** 2 / powers / welch(y, *given)[1]


# Spectra in the course of time --------------------------------------------------------------------


def spectrogram(
    x,
    fs=1.0,
    window=("tukey", 0.25),
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    mode="psd",
):
    if mode != "psd":
        refuse(f"mode={mode!r} (use stft)")
    lines = _line(x, axis)
    win, nperseg = _window(window, nperseg, lines.shape[-1])
    overlap = nperseg // 8 if noverlap is None else noverlap
    given = lines, fs, win, nperseg, overlap, nfft, detrend, return_onesided, axis
    frequencies, times, spectrum, is_half, nfft = _in_time(*given)
    powers: Any = (spectrum.conj() * spectrum).real * _scale(win, fs, scaling)
    if is_half:
        powers = _doubled(powers, nfft)
    return frequencies, times, np.moveaxis(powers, -1, -2).astype(lines.real.dtype)


def _in_time(lines, fs, win, nperseg, overlap, nfft, detrend, return_onesided, axis):
    if axis not in (-1, lines.ndim - 1):
        refuse("an axis that is not the last one (use numpy.moveaxis)")
    nfft = nperseg if nfft is None else nfft
    if overlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    is_half = return_onesided and not np.iscomplexobj(lines)
    pieces = _pieces(lines, nperseg, nperseg - overlap, detrend)
    spectrum = _transformed(pieces, win, nfft, is_half)
    times = (np.arange(pieces.shape[-2]) * (nperseg - overlap) + nperseg / 2) / fs
    return _frequencies(nfft, fs, is_half), times, spectrum, is_half, nfft


def stft(
    x,
    fs=1.0,
    window="hann",
    nperseg=256,
    noverlap=None,
    nfft=None,
    detrend=False,
    return_onesided=True,
    boundary="zeros",
    padded=True,
    axis=-1,
    scaling="spectrum",
):
    if boundary not in ("zeros", None):
        refuse(f"boundary={boundary!r}")
    lines = _line(x, axis)
    dtype = np.result_type(lines, np.complex64)
    win, nperseg = _window(window, nperseg, lines.shape[-1])
    overlap = nperseg // 2 if noverlap is None else noverlap
    half = nperseg // 2 if boundary == "zeros" else 0
    behind = half
    if padded:
        behind = behind + (-(lines.shape[-1] + 2 * half - nperseg) % (nperseg - overlap)) % nperseg
    zeros = np.zeros_like(lines[..., :1])
    before = np.repeat(zeros, half, axis=-1)
    lines = np.concatenate((before, lines, np.repeat(zeros, behind, axis=-1)), axis=-1)
    given = lines, fs, win, nperseg, overlap, nfft, detrend, return_onesided, axis
    frequencies, times, spectrum, _, _ = _in_time(*given)
    scale = np.sqrt(_scale(win, fs, "density" if scaling == "psd" else scaling))
    made = np.moveaxis(spectrum * scale, -1, -2).astype(dtype)
    return frequencies, times - (nperseg / 2 / fs if half else 0.0), made


@when_imported("scipy.signal")
def register(signal):
    """Say what the functions mean."""
    registered(
        signal,
        *(csd, welch, periodogram, coherence, spectrogram, stft),
        rounded=True,
    )
