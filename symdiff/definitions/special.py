"""Functions that ``scipy.special`` has in Python, by those that it has as ufuncs."""

import math

import numpy as np

from symdiff.definitions.declare import known_integer, refuse, registered
from symdiff.definitions.law import special
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued, without_derivative


def polygamma(n, x):
    """Derivatives of the digamma function: Hurwitz's zeta functions."""
    n, x = np.asarray(n), np.asarray(x)
    factor = (-1.0) ** (n + 1) * special().gamma(n + 1.0)
    order = np.where(n == 0, 2, n + 1)
    return np.where(n == 0, special().psi(x), factor * special().zeta(order, x))


def multigammaln(a, d):
    """The logarithm of the gamma function of matrices."""
    a = np.asarray(a)
    if isinstance(d, float):
        d = int(d)
    if not isinstance(d, int):
        refuse("a dimension d that is not known where it is compiled")
    total = d * (d - 1) * 0.25 * np.log(np.pi)
    for j in range(d):
        total = total + special().loggamma(a - 0.5 * j)
    return total


def softplus(x):
    return np.logaddexp(0, x)


def diric(x, n):
    """Dirichlet's kernel: ``sin(n x / 2) / (n sin(x / 2))``, from the nearest place where both are
    0, at which it is smooth.
    """
    x, n = np.asarray(x), np.asarray(n)
    turns = without_derivative(np.round(x / (2.0 * math.pi)))
    half = 0.5 * x - math.pi * turns
    sign = np.where((turns * (n - 1)) % 2 == 0, 1.0, -1.0)
    made = sign * np.sinc(n * (half / math.pi)) / np.sinc(half / math.pi)
    made = np.where((n <= 0) | (n != np.floor(n)), np.nan, made)
    like = x + 0 * n
    return made.astype(like.dtype if like.dtype.kind in "fc" else np.float64)


# Derivatives of Bessel functions ------------------------------------------------------------------


def _differences(function, sign, v, z, n):
    """The ``n``-th derivative, where the first is ``(f(v - 1) + sign * f(v + 1)) / 2``."""
    if not isinstance(n, int):
        refuse("an order of the derivative, n, that is not known where it is compiled")
    if n < 0:
        raise ValueError("n must be non-negative.")
    if n == 0:
        return function(v, z)
    v = np.asarray(v)
    total = function(v - n, z)
    for k in range(1, n + 1):
        total = total + sign**k * math.comb(n, k) * function(v - n + 2 * k, z)
    return total / 2.0**n


def jvp(v, z, n=1):
    return _differences(special().jv, -1, v, z, n)


def yvp(v, z, n=1):
    return _differences(special().yv, -1, v, z, n)


def ivp(v, z, n=1):
    return _differences(special().iv, 1, v, z, n)


def kvp(v, z, n=1):
    return (-1) ** n * _differences(special().kv, 1, v, z, n)


def h1vp(v, z, n=1):
    return _differences(special().hankel1, -1, v, z, n)


def h2vp(v, z, n=1):
    return _differences(special().hankel2, -1, v, z, n)


# Nodes and weights of Gauss's quadrature ----------------------------------------------------------


def _quadrature(name, n, parameters, middle, beside, total, mu):
    """The eigenvalues of the matrix of the recurrence, and the squares of the first elements of its
    vectors (Golub and Welsch 1969).
    """
    off = np.sqrt(beside)
    nodes, vectors = np.linalg.eigh(np.diag(middle) + np.diag(off, 1) + np.diag(off, -1))
    told = computed(np.zeros((2, n)), _found, name, n, parameters)
    nodes = valued(nodes, told[0])
    weights = valued(total * vectors[0] ** 2, told[1])
    return (nodes, weights, total) if mu else (nodes, weights)


def _found(name, n, parameters):
    return np.stack(getattr(special(), name)(n, *parameters))


def _count(n):
    count = known_integer(int(n))
    if count < 1 or n != count:
        raise ValueError("n must be a positive integer.")
    return count


def roots_jacobi(n, alpha, beta, mu=False):
    n = _count(n)
    if alpha <= -1 or beta <= -1:
        raise ValueError("alpha and beta must be greater than -1.")
    middle, beside = _of_jacobi(n, alpha, beta)
    total = 2.0 ** (alpha + beta + 1) * special().beta(alpha + 1, beta + 1)
    return _quadrature("roots_jacobi", n, (alpha, beta), middle, beside, total, mu)


def _of_jacobi(n, a, b):
    k = np.arange(1.0, n)
    both = 2.0 * k + a + b
    first = np.atleast_1d((b - a) / (2.0 + a + b))
    middle = np.concatenate((first, (b - a) * (b + a) / (both * (both + 2.0))))
    ratio = np.concatenate((np.ones(min(n - 1, 1)), (k[1:] + a + b) / (both[1:] - 1.0)))
    start = np.where(k == 1.0, 1.0, k)
    return middle, 4.0 * start * (k + a) * (k + b) * ratio / (both**2 * (both + 1.0))


def roots_gegenbauer(n, alpha, mu=False):
    n = _count(n)
    if alpha < -0.5:
        raise ValueError("alpha must be greater than -0.5.")
    middle, beside = _of_jacobi(n, alpha - 0.5, alpha - 0.5)
    total = np.sqrt(np.pi) * special().poch(alpha + 1.0, -0.5)
    return _quadrature("roots_gegenbauer", n, (alpha,), middle, beside, total, mu)


def roots_genlaguerre(n, alpha, mu=False):
    n = _count(n)
    if alpha < -1:
        raise ValueError("alpha must be greater than -1.")
    k = np.arange(0.0, n)
    middle, beside = 2.0 * k + alpha + 1.0, k[1:] * (k[1:] + alpha)
    total = special().gamma(alpha + 1.0)
    return _quadrature("roots_genlaguerre", n, (alpha,), middle, beside, total, mu)


def bernoulli(n):
    return _numbers("bernoulli", n)


def euler(n):
    return _numbers("euler", n)


def _numbers(name, n):
    """The first numbers of a sequence, which are constants."""
    if isinstance(n, (np.ndarray, list, tuple)) or n < 0:
        raise ValueError("n must be a non-negative integer.")
    last = known_integer(int(n))
    return computed(np.zeros(last + 1), _first, name, last)


def _first(name, last):
    return getattr(special(), name)(last)


@when_imported("scipy.special")
def register(special):
    """Say what the functions mean; those that this SciPy has."""
    names = (polygamma, multigammaln, softplus, diric, jvp, yvp, ivp, kvp, h1vp, h2vp)
    registered(special, *names, rounded=True)
    registered(special, roots_jacobi, roots_gegenbauer, roots_genlaguerre, bernoulli, euler)
