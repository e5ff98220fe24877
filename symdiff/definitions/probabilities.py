"""Distribution functions of ``scipy.special`` and their inverses, by incomplete gamma and beta
functions (DLMF 8.2, 8.17), Voigt's profile and Riemann's zeta function less 1.
"""

import math

import numpy as np

from symdiff.definitions.declare import registered
from symdiff.definitions.law import special
from symdiff.definitions.libraries import when_imported

# Sums of counts -----------------------------------------------------------------------------------


def _counted(k, n):
    """Whole counts, how many are left, and whether some are: else the sum is constant."""
    k, n = np.floor(np.asarray(k) * 1.0), np.asarray(n) * 1.0
    inside = np.logical_and(k >= 0, k < n)
    return np.where(inside, k, 0.0), np.where(inside, n - k, 1.0), inside


def bdtr(k, n, p):
    """The binomial distribution, of ``k`` and less."""
    k, left, inside = _counted(k, n)
    return np.where(inside, special().betainc(left, k + 1.0, 1.0 - np.asarray(p)), 1.0)


def bdtrc(k, n, p):
    k, left, inside = _counted(k, n)
    return np.where(inside, special().betainc(k + 1.0, left, np.asarray(p)), 0.0)


def bdtri(k, n, y):
    k, left, inside = _counted(k, n)
    return np.where(inside, special().betainccinv(k + 1.0, left, np.asarray(y)), 1.0)


def nbdtr(k, n, p):
    """The negative binomial distribution, of ``k`` failures and less."""
    return special().betainc(np.asarray(n) * 1.0, np.floor(np.asarray(k) * 1.0) + 1.0, p)


def nbdtrc(k, n, p):
    return special().betaincc(np.asarray(n) * 1.0, np.floor(np.asarray(k) * 1.0) + 1.0, p)


def nbdtri(k, n, y):
    return special().betaincinv(np.asarray(n) * 1.0, np.floor(np.asarray(k) * 1.0) + 1.0, y)


def pdtri(k, y):
    """The mean of Poisson's distribution of which the sum to ``k`` is ``y``."""
    return special().gammainccinv(np.floor(np.asarray(k) * 1.0) + 1.0, y)


# Inverses by parameters ---------------------------------------------------------------------------


def gdtrix(a, b, p):
    return special().gammaincinv(b, p) / a


def gdtria(p, b, x):
    return special().gammaincinv(b, p) / x


def nrdtrimn(p, std, x):
    return x - std * special().ndtri(p)


def nrdtrisd(mn, p, x):
    return (x - mn) / special().ndtri(p)


# Others -------------------------------------------------------------------------------------------


def voigt_profile(x, sigma, gamma):
    """Faddeeva's function over a width (DLMF 7.19); where that is 0, Cauchy's density and what it
    grows by: half the variance times its second derivative.
    """
    given = [np.asarray(number) for number in (x, sigma, gamma)]
    is_single = np.result_type(*given) == np.float32
    x, sigma, gamma = [number.astype(np.float64) for number in given]
    is_sharp = sigma == 0
    width = np.where(is_sharp, 1.0, sigma) * math.sqrt(2.0)
    found = special().wofz((x + 1j * gamma) / width).real / (width * math.sqrt(math.pi))
    around = np.where(is_sharp, x * x + gamma * gamma, 1.0)
    bend = (6.0 * (x * x) - 2.0 * (gamma * gamma)) / around**3
    sharp = gamma / math.pi * (1.0 / around + 0.5 * (sigma * sigma) * bend)
    found = np.where(is_sharp, sharp, found)
    return found.astype(np.float32) if is_single else found


BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000)
FIRST = 12  # whole numbers up to which powers are summed


def zeta_less_one(s):
    """By Euler and Maclaurin's sum (DLMF 25.2.9), for ``s`` above -3."""
    s = np.asarray(s) * 1.0
    total = FIRST ** (1.0 - s) / (s - 1.0) + 0.5 * FIRST ** (-s)
    for k in range(2, FIRST):
        total = total + (1.0 * k) ** (-s)
    part = s * (1.0 * FIRST) ** (-s - 1.0)
    for j, number in enumerate(BERNOULLI):
        total = total + number * part
        part = part * (s + (2 * j + 1)) * (s + (2 * j + 2)) / (1.0 * FIRST * FIRST)
    return total


def zetac(x):
    """Riemann's zeta function less 1; on the left by the other side (DLMF 25.4.1)."""
    x = np.asarray(x) * 1.0
    is_left = x < -2.0
    s = np.where(is_left, 1.0 - x, x)
    above = np.where(is_left, s, 3.0)
    quarter = 1.0 - above - 4.0 * np.round((1.0 - above) / 4.0)
    size = np.exp(special().gammaln(above) - above * math.log(2.0 * math.pi))
    reflected = 2.0 * size * np.sin(quarter * (math.pi / 2.0)) * (1.0 + zeta_less_one(above))
    return np.where(is_left, reflected - 1.0, zeta_less_one(np.where(is_left, 2.0, x)))


@when_imported("scipy.special")
def register(special):
    """Say what the functions mean; those that this SciPy has."""
    sums = (bdtr, bdtrc, bdtri, nbdtr, nbdtrc, nbdtri, pdtri)
    inverses = (gdtrix, gdtria, nrdtrimn, nrdtrisd)
    registered(special, *sums, *inverses, voigt_profile, zetac, rounded=True)
