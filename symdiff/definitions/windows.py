"""Windows of signals. Their lengths may be those of arrays, known when they run."""

import numpy as np

from symdiff.definitions.declare import defines, refuse


def _places(count):
    """Twice the distances from the middle, and the largest: where it stands alone, 1."""
    if isinstance(count, float) and count != int(count):
        refuse("a length that is no whole number")
    return 2.0 * np.arange(count) + (1.0 - count), max(count - 1, 1)


@defines(np.bartlett)
def bartlett(M):
    """A triangle."""
    n, most = _places(M)
    return np.where(n <= 0, 1 + n / most, 1 - n / most)


@defines(np.hanning)
def hanning(M):
    """A cosine, raised to be 0 at the ends."""
    n, most = _places(M)
    return 0.5 + 0.5 * np.cos(np.pi * n / most)


@defines(np.hamming)
def hamming(M):
    """A cosine, raised a little higher."""
    n, most = _places(M)
    return 0.54 + 0.46 * np.cos(np.pi * n / most)


@defines(np.blackman)
def blackman(M):
    """Two cosines."""
    n, most = _places(M)
    return 0.42 + 0.5 * np.cos(np.pi * n / most) + 0.08 * np.cos(2.0 * np.pi * n / most)


@defines(np.kaiser)
def kaiser(M, beta):
    """Bessel functions, as steep as ``beta`` says."""
    if np.ndim(beta) > 0:
        refuse("an array of shapes")
    beta = np.asarray(beta).astype(np.result_type(beta, np.float64))[()]
    n, width = np.arange(M) * 1.0, max((M - 1) / 2.0, 0.5)
    middle = (M - 1) / 2.0
    return np.i0(beta * np.sqrt(1 - ((n - middle) / width) ** 2.0)) / np.i0(beta)
