"""The fast Hankel transform of ``scipy.fft``, by all of its numbers (Hamilton 2000, appendix B)."""

import math
from typing import Any

import numpy as np

from symdiff.definitions.declare import registered
from symdiff.definitions.libraries import when_imported


def _coefficients(n, dln, mu, offset, bias):
    """The transform of a power, at the frequencies of ``n`` points."""
    from scipy.special import loggamma

    y = math.pi * np.arange(n // 2 + 1) / (n * dln)
    above, below = 0.5 * (mu + 1.0 + bias), 0.5 * (mu + 1.0 - bias)
    upper, lower = loggamma(above + 1j * y), loggamma(below + 1j * y)
    size = upper.real - lower.real + math.log(2.0) * bias
    phase = upper.imag + lower.imag + 2.0 * y * (math.log(2.0) - offset)
    found = np.exp(size + 1j * phase)
    return np.append(found[:-1], found[-1].real) if n % 2 == 0 else found


def _turned(a, factors):
    """A signal whose frequencies are multiplied, backwards."""
    return np.fft.irfft(np.fft.rfft(a) * factors, a.shape[-1])[..., ::-1]


def fht(a, dln, mu, offset=0.0, bias=0.0):
    a = np.asarray(a)
    n = a.shape[-1]
    places = np.arange(n) - 0.5 * (n - 1)
    factors = _coefficients(n, dln, mu, offset, bias)
    made: Any = _turned(a * np.exp(-bias * places * dln), factors)
    return made * np.exp(-bias * (places * dln + offset))


def ifht(A, dln, mu, offset=0.0, bias=0.0):
    a = np.asarray(A)
    n = a.shape[-1]
    places = np.arange(n) - 0.5 * (n - 1)
    factors = 1.0 / np.conj(_coefficients(n, dln, mu, offset, bias))
    made: Any = _turned(a * np.exp(bias * (places * dln + offset)), factors)
    return made * np.exp(bias * places * dln)


def fhtoffset(dln, mu, initial=0.0, bias=0.0):
    """The least offset from ``initial`` at which the transform does not ring."""
    from scipy.special import loggamma

    y = math.pi / (2.0 * dln)
    above, below = 0.5 * (mu + 1.0 + bias), 0.5 * (mu + 1.0 - bias)
    phase = loggamma(above + 1j * y).imag + loggamma(below + 1j * y).imag
    turns = (math.log(2.0) - initial) / dln + phase / math.pi
    return initial + (turns - np.round(turns)) * dln


@when_imported("scipy.fft")
def register(fft):
    """Say what the transforms are; SciPy's own values stand."""
    registered(fft, fht, ifht, fhtoffset, rounded=True)
