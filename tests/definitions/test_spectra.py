"""Spectra of ``scipy.signal``, against SciPy's values and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.test_distributions import check

signal = pytest.importorskip("scipy.signal")

RNG = np.random.default_rng(0)
X, Y, ROWS = RNG.normal(size=21), RNG.normal(size=21), RNG.normal(size=(2, 13))


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda x: signal.welch(x, nperseg=8)[1], (X,)),
        (lambda x, fs: signal.welch(x, fs, nperseg=7, noverlap=3, nfft=9)[1], (X, 2.0)),
        (lambda x: signal.welch(x, nperseg=6, average="median")[1], (X,)),
        (lambda x: signal.welch(x, nperseg=6, detrend="linear", axis=0)[1], (ROWS.T,)),
        (lambda x, y: np.abs(signal.csd(x, y, nperseg=8, scaling="spectrum")[1]), (X, Y)),
        (lambda x: signal.periodogram(x, nfft=32)[1], (X,)),
        (lambda x: signal.periodogram(x, window="hann", detrend=False)[1], (ROWS,)),
        (lambda x, y: signal.coherence(x, y, nperseg=8)[1], (X, Y)),
        (lambda x: signal.spectrogram(x, nperseg=8)[2], (X,)),
        (lambda x: np.abs(signal.stft(x, nperseg=7)[2]) ** 2, (X,)),
        (lambda x: np.abs(signal.stft(x, nperseg=8, boundary=None, padded=False)[2]) ** 2, (ROWS,)),
    ],
)
def test_derivatives(function: Callable[..., Any], args: Any):
    check(function, *args, wrt=tuple(range(len(args))))


SHORT = signal.ShortTimeFFT(np.hanning(7)[1:], hop=2, fs=1.5, phase_shift=None)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: SHORT.spectrogram(x),
        lambda x: SHORT.spectrogram(x, x[::-1], detr="constant").imag,
        lambda x: np.abs(SHORT.stft(x, 1, 6, padding="odd")) ** 2,
        lambda x: SHORT.stft_detrend(x, "linear", k_offset=1, padding="even").real,
        lambda x: SHORT.istft(SHORT.stft(x) ** 2, k1=len(x)),
        lambda x: SHORT.spectrogram(np.stack((x, x * x)), axis=1, padding="edge"),
    ],
)
def test_short_time_transforms(function: Callable[..., Any]):
    check(function, X[:11], wrt=(0,))


@pytest.mark.filterwarnings("ignore:Input data is complex")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("shape", [(40,), (3, 37), (37, 3)])
def test_every_way_to_cut_a_signal(dtype: Any, shape: Any):
    from symdiff.definitions import spectra

    x = RNG.normal(size=shape).astype(dtype)
    x = x + 1j * x[::-1] ** 3 if dtype is np.complex128 else x
    y, axis = x[::-1] ** 2, 0 if shape == (37, 3) else -1
    cuts: list[Any] = [{"nperseg": 8}, {"nperseg": 9, "noverlap": 3, "nfft": 16}]
    cuts += [{"nperseg": 8, "detrend": kind} for kind in ("linear", False)]
    cuts += [{"nperseg": 7, "return_onesided": False}, {"window": np.hanning(10), "nperseg": 10}]
    for cut in cuts:
        calls: list[Any] = [("csd", (x, y), {}), ("welch", (x,), {"average": "median"})]
        calls += [("periodogram", (x,), {"nfft": length}) for length in (20, 64)]
        calls += [("coherence", (x, y), {})] if "return_onesided" not in cut else []
        calls += [("spectrogram", (x,), {}), ("stft", (x,), {"boundary": None})]
        calls += [("stft", (x,), {}), ("stft", (x,), {"padded": False})]
        for name, args, more in calls:
            if axis == 0 and name in ("spectrogram", "stft"):
                continue
            given = more if name == "periodogram" else {**cut, **more}
            expected = getattr(signal, name)(*args, fs=3.0, axis=axis, **given)
            made = getattr(spectra, name)(*args, fs=3.0, axis=axis, **given)
            for one, other in zip(made, expected, strict=True):
                assert one.shape == other.shape
                np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6 * np.max(abs(other)))


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda x: signal.csd(x, x[:9], nperseg=4)[1].real, "different lengths"),
        (lambda x: signal.welch(x, nperseg=4, detrend=lambda d: d)[1], "function"),
        (lambda x: signal.spectrogram(x, nperseg=4, mode="angle")[2], "mode="),
        (lambda x: signal.stft(x, nperseg=4, boundary="even")[2].real, "boundary="),
    ],
)
def test_what_is_not_taken_is_refused(function: Callable[..., Any], told: str):
    with pytest.raises(sd.UnsupportedCallError, match=told):
        sd.vjp(function, X)
