"""Designs of filters by ``scipy.signal``: sections of second order, the bilinear transform."""

from typing import Any

import numpy as np

from symdiff.definitions.declare import registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.solvers import valued

# Sections of second order -------------------------------------------------------------------------


def zpk2sos(z, p, k, pairing=None, *, analog=False):
    """Polynomials of the roots that SciPy has put together, which stay together nearby."""
    zeros, poles = np.asarray(z).astype(complex), np.asarray(p).astype(complex)
    if not np.isreal(k):
        raise ValueError("k must be real")
    gain = np.real(k)
    if len(zeros) == 0 and len(poles) == 0:
        if analog:
            return np.array([[0.0, 0.0, gain, 0.0, 0.0, 1.0]])
        return np.array([[gain, 0.0, 0.0, 1.0, 0.0, 0.0]])
    is_even = pairing != "minimal" if pairing is not None else not analog
    count = (max(len(zeros), len(poles)) if is_even else len(poles)) + 1
    given = zeros, poles, pairing, analog
    found = computed(np.zeros((count // 2, 6)), _sections, *given)
    made = np.concatenate((_of_roots(zeros, found[:, :3]), _of_roots(poles, found[:, 3:])), axis=1)
    first = np.where(np.arange(6) < 3, gain, 1.0)
    scale = np.where(np.arange(count // 2)[:, None] == 0, first, 1.0)
    return valued(made, found) * scale


def _sections(zeros, poles, pairing, analog):
    from scipy.signal import zpk2sos as find

    return find(zeros, poles, 1.0, pairing, analog=analog)


def _of_roots(roots, rows):
    """The polynomials with rows of coefficients, by the two, or fewer, of the roots that each has.

    Of conjugates SciPy takes the mean, of real ones the real part.
    """
    places = computed(np.zeros((rows.shape[0], 4), np.int64), _places, roots, rows)
    known = np.concatenate((roots, np.zeros(1, complex)))
    first, second = known[places[:, 0]], known[places[:, 1]]
    real, imaginary = 0.5 * (first.real + second.real), 0.5 * (first.imag - second.imag)
    is_pair = places[:, 3] == 1
    product = np.where(is_pair, real * real + imaginary * imaginary, first.real * second.real)
    degree = places[:, 2]
    total = np.where(degree == 1, first.real, 2.0 * real)
    leading = np.where(degree == 2, 1.0, 0.0)
    middle = np.where(degree == 2, -total, np.where(degree == 1, 1.0, 0.0))
    last = np.where(degree == 2, product, np.where(degree == 1, -total, 1.0))
    return np.stack((leading, middle, last), axis=1)


def _places(roots, rows):
    """The places of the roots of each row of coefficients, its degree, and whether the roots are
    conjugates. Behind the roots stand zeros, which SciPy adds.
    """
    known = np.append(roots, 0.0)
    left = np.ones(len(known), bool)
    found = np.zeros((len(rows), 4), np.int64)
    for row, coefficients in zip(found, rows, strict=True):
        degree = int(2 - np.flatnonzero(coefficients)[0])
        places = _taken(known, left, coefficients[2 - degree :])
        left[places] = False
        left[-1] = True
        row[:degree], row[2] = places, degree
        row[3] = degree == 2 and known[places[0]].imag != 0.0
    return found


def _taken(known, left, coefficients):
    """The places of the roots that are left of a polynomial of degree 2, 1, or 0."""
    degree = len(coefficients) - 1
    if degree == 0:
        return []
    apart = np.where(left, 0.0, np.inf)
    if degree == 1:
        return [int(np.argmin(np.abs(known + coefficients[1]) + apart))]
    first, second = known[:, None], known[None, :]
    apart = apart[:, None] + apart[None, :]
    apart = apart + np.diag(np.append(np.full(len(known) - 1, np.inf), 0.0))
    apart = apart + np.abs(first + second + coefficients[1])
    apart = apart + np.abs(first * second - coefficients[2])
    return [int(place) for place in np.unravel_index(np.argmin(apart), apart.shape)]


# The bilinear transform ---------------------------------------------------------------------------


def bilinear(b, a, fs=1.0):
    """The powers of ``2 fs (z - 1) / (z + 1)``, times that of ``z + 1``."""
    from scipy.signal import normalize

    above, below = np.atleast_1d(b), np.atleast_1d(a)
    if above.ndim != 1 or below.ndim != 1:
        raise ValueError("Parameters a and b have to be 1d arrays")
    above, below = np.trim_zeros(above, "f"), np.trim_zeros(below, "f")
    degree = max(len(above), len(below)) - 1
    table = computed(np.zeros((degree + 1, degree + 1)), _bilinear_table, degree)
    return normalize(_mapped(above, table, fs), _mapped(below, table, fs))


def _mapped(c, table, fs):
    count = len(c)
    powers = np.sqrt(2.0 * fs) ** (2.0 * np.arange(count) - (len(table) - 1.0))
    return (c[::-1] * powers) @ table[:count]


def _bilinear_table(degree):
    """Rows of the coefficients of ``(z + 1)**(degree - k) * (z - 1)**k``, the highest first."""
    rows = np.zeros((degree + 1, degree + 1))
    for k in range(degree + 1):
        rows[k] = np.poly(np.append(-np.ones(degree - k), np.ones(k)))
    return rows


@when_imported("scipy.signal")
def register(signal):
    """Say what the functions mean."""
    functions: tuple[Any, ...] = (zpk2sos, bilinear)
    registered(signal, *functions, rounded=True)
