"""Legendre's associated functions and spherical harmonics of ``scipy.special``, of whole degrees.

By Gegenbauer's polynomials (DLMF 14.3.21 and 18.9.19), so that nothing is divided by the sine,
which is 0 at the poles.
"""

import math

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.law import special
from symdiff.definitions.libraries import when_imported


def _whole(number, what):
    """A whole number, or an array of them."""
    if isinstance(number, float) and number == int(number):
        number = int(number)
    number = np.asarray(number)
    if number.dtype.kind not in "iu":
        refuse(f"{what} that is not a whole number")
    return number


def _polynomial(n, order, x):
    """``P_n`` differentiated ``order`` times, over ``(2 order - 1)!!``; 0 above the degree."""
    left = n - order
    found = special().eval_gegenbauer(np.maximum(left, 0), order + 0.5, x)
    return np.where(left < 0, 0.0, found)


def lpmv(m, v, x):
    """By the argument alone; the degree has to be whole, and an order below ``-v`` gives NaN."""
    order, degree = _whole(m, "an order m"), _whole(v, "a degree v")
    x = np.asarray(x)
    positive, n = np.abs(order), np.where(degree < 0, -degree - 1, degree)
    factor = (-2.0) ** positive * special().gamma(positive + 0.5) / math.sqrt(math.pi)
    ratio = np.exp(special().gammaln(n - positive + 1.0) - special().gammaln(n + positive + 1.0))
    factor = factor * np.where(order < 0, (-1.0) ** positive * ratio, 1.0)
    sines = (1.0 - x) ** (0.5 * positive) * (1.0 + x) ** (0.5 * positive)
    found = factor * sines * _polynomial(n, positive, x)
    known = np.logical_and(np.abs(x) <= 1, np.logical_or(order >= 0, positive <= n))
    return np.where(known, found, np.where(known, 0.0, np.nan) * x)


def sph_harm_y(n, m, theta, phi, *, diff_n=0):
    """By the polar angle and the azimuth, of degrees and orders that are whole."""
    if diff_n != 0:
        refuse("derivatives, diff_n=; differentiate the function instead")
    degree, order = _whole(n, "a degree n"), _whole(m, "an order m")
    theta, phi = np.asarray(theta), np.asarray(phi)
    positive = np.abs(order)
    outside = positive > degree
    low = np.where(outside, 1.0, degree - positive + 1.0)
    falling = special().gammaln(low) - special().gammaln(degree + positive + 1.0)
    rising = positive * math.log(2.0) + special().gammaln(positive + 0.5)
    norm = np.sqrt((2.0 * degree + 1.0) / 4.0) / math.pi * np.exp(0.5 * falling + rising)
    sine = np.sin(theta)
    sines = np.where(sine < 0, -sine, sine) ** positive
    signed = (-1.0) ** np.maximum(order, 0) * norm
    legendre = signed * sines * _polynomial(degree, positive, np.cos(theta))
    return np.where(outside, 0.0, legendre) * np.exp(1j * (order * phi))


@when_imported("scipy.special")
def register(special):
    """Say what the functions mean; those that this SciPy has."""
    registered(special, lpmv, sph_harm_y, rounded=True)
