"""Polynomials by their coefficients: sums, products, derivatives, integrals and fits.

``np.poly...`` has the highest power first; the functions of ``np.polynomial`` stand in ``series``.
"""

import warnings
from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.series import SERIES
from symdiff.definitions.staged import valued


@defines(np.correlate)
def correlate(a, v, mode="valid"):
    """Of a longer second operand NumPy turns the sums round, and then the result."""
    a, v = np.atleast_1d(a), np.atleast_1d(v).conj()
    if len(a) < len(v):
        return np.convolve(v, a[::-1], mode)[::-1].copy()
    return np.convolve(a, v[::-1], mode)


@defines(np.polyadd)
def polyadd(a1, a2):
    """The sum of two polynomials."""
    first, second = _of_one_length(a1, a2)
    return first + second


@defines(np.polysub)
def polysub(a1, a2):
    """The difference of two polynomials."""
    first, second = _of_one_length(a1, a2)
    return first - second


def _of_one_length(a1, a2):
    first, second = np.atleast_1d(a1), np.atleast_1d(a2)
    missing = len(second) - len(first)
    if missing > 0:
        first = np.concatenate((np.zeros(missing, first.dtype), first))
    elif missing < 0:
        second = np.concatenate((np.zeros(-missing, second.dtype), second))
    return first, second


def _coefficients(p):
    return p.coeffs if isinstance(p, np.poly1d) else np.asarray(p)


@defines(np.polyval)
def polyval(p, x):
    """Horner's rule."""
    x = np.asanyarray(x)
    value = np.zeros_like(x)
    for coefficient in _coefficients(p):
        value = value * x + coefficient
    return value


@defines(np.polymul)
def polymul(a1, a2):
    """The product of two polynomials."""
    return np.convolve(_without_leading_zeros(a1), _without_leading_zeros(a2))


def _without_leading_zeros(p):
    """The coefficients from the first one on that is not 0; 0 of none."""
    given = np.atleast_1d(p)
    c = np.concatenate((np.zeros(1, given.dtype), given))
    zeros = np.sum(np.cumsum(c != 0) == 0)
    return c[np.minimum(zeros, len(c) - 1) :]


@defines(np.polydiv)
def polydiv(u, v):
    """The quotient and the remainder of two polynomials."""
    dividend, divisor = np.atleast_1d(u) + 0.0, np.atleast_1d(v) + 0.0
    dtype = np.result_type(dividend, divisor)
    m, n = len(dividend) - 1, len(divisor) - 1
    scale = 1.0 / divisor[0]
    quotient, rest = np.zeros(max(m - n + 1, 1), dtype), dividend.astype(dtype)
    for k in range(m - n + 1):
        quotient[k] = scale * rest[k]
        rest[k : k + n + 1] -= quotient[k] * divisor
    nothing = np.sum(np.cumsum(np.abs(rest) > 1e-8) == 0)
    return quotient, rest[np.minimum(nothing, len(rest) - 1) :].copy()


@defines(np.polyder)
def polyder(p, m=1):
    """The m-th derivative."""
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    c = _coefficients(p)
    for _ in range(m):
        c = c[:-1] * np.arange(len(c) - 1, 0, -1)
    return np.poly1d(c) if isinstance(p, np.poly1d) else c


@defines(np.roots, rounded=True)
def roots(p):
    """By eigenvalues, as NumPy; if only the last coefficient is 0, of a matrix that has it.

    Several roots at 0 move without bound with the coefficients that are 0.
    """
    p = np.atleast_1d(p)
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    others = np.nonzero(p)[0]
    if len(others) == 0:
        return np.array([])
    first, last = int(others[0]), int(others[-1])
    if not issubclass(p.dtype.type, (np.floating, np.complexfloating)):
        p = p.astype(float)
    found = _eigenvalues(p[first : last + 1])
    real = found.dtype.kind == "f"
    whole = np.hstack((found, np.zeros(len(p) - 1 - last, found.dtype)))
    if last == len(p) - 2:
        moving = _eigenvalues(p[first:])
        moved = moving[np.argmin(np.abs(whole[:, np.newaxis] - moving), axis=1)]
        return valued(np.real(moved) if real else moved, whole)
    unit = 1.0 if real else 1.0 + 1.0j
    return valued(whole + np.sum(unit * np.sqrt(p[last + 1 :])), whole)


def _eigenvalues(c):
    """Of the matrix that has a polynomial as its characteristic one."""
    if len(c) < 2:
        return np.array([])
    square = np.diag(np.ones(len(c) - 2, c.dtype), -1)
    square[0, :] = -c[1:] / c[0]
    return np.linalg.eigvals(square)


@defines(np.polyint)
def polyint(p, m=1, k=None):
    """The m-th integral, with the constants ``k``."""
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = np.zeros(m, float) if k is None else np.atleast_1d(k)
    if len(constants) == 1 and m > 1:
        constants = constants[0] * np.ones(m, float)
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    c = _coefficients(p)
    for turn in range(m):
        c = np.concatenate((c / np.arange(len(c), 0, -1), constants[turn : turn + 1]))
    return np.poly1d(c) if isinstance(p, np.poly1d) else c


@defines(np.poly, rounded=True)
def poly(seq_of_zeros):
    """The polynomial with the given roots."""
    roots = np.atleast_1d(seq_of_zeros)
    if roots.ndim == 2 and roots.shape[0] == roots.shape[1] > 0:
        return _characteristic_polynomial(roots)
    if roots.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if roots.dtype.kind == "c":
        conjugate = np.sort(roots) == np.sort(roots.conj())
        return _real_product(roots, np.all(conjugate))
    dtype = np.float32 if roots.dtype.char == "f" else np.float64
    roots = roots.astype(dtype)
    if len(roots) == 0:
        return 1.0
    c: Any = np.ones(1, dtype)
    for k in range(len(roots)):
        c = np.convolve(c, np.array([1, -roots[k]], dtype))
    return c


def _characteristic_polynomial(a):
    """By Faddeev and LeVerrier, which does not ask whether eigenvalues are equal."""
    if a.dtype.kind == "c":
        refuse("the roots as eigenvalues of a complex matrix")
    matrix = a if a.dtype.char == "f" else a.astype(float)
    one = np.eye(len(matrix), dtype=matrix.dtype)
    power = one
    coefficients = [np.ones((), matrix.dtype)]
    for k in range(1, len(matrix) + 1):
        product = matrix @ power
        coefficients.append(-np.trace(product) / k)
        power = product + coefficients[-1] * one
    return np.stack(coefficients)


def _real_product(roots, are_conjugate):
    """The polynomial with complex roots of which each has its conjugate.

    :raises NotImplementedError: where one has none, and NumPy's result is complex.
    """
    if not are_conjugate:
        raise NotImplementedError(
            "the polynomial of complex roots that are not conjugate to each other: it is complex"
        )
    if len(roots) == 0:
        return 1.0
    c: Any = np.ones(1, roots.dtype)
    one = np.ones_like(roots[0])
    for k in range(len(roots)):
        c = np.convolve(c, np.stack((one, -roots[k])))
    return c.real.copy()


@when_imported("scipy.signal._polyutils")
def _register_for_signals(polynomials: ModuleType) -> None:
    """Say what filters are made of: SciPy has its own ``poly``."""

    @defines(polynomials.poly)
    def poly_for_signals(seq_of_zeros, *, xp):
        roots = np.atleast_1d(seq_of_zeros)
        if roots.dtype.kind != "c" or len(roots) == 0:
            return np.asarray(poly(roots.real))
        return _real_product(roots, np.all(np.sort(roots.imag) == np.sort(-roots.imag)))


@defines(np.polyfit)
def polyfit(x, y, deg, rcond=None, w=None, cov=False):
    """Least squares, each power scaled to the length 1."""
    abscissae, ordinates = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    weights = None if w is None else np.asarray(w) + 0.0
    _check_points(abscissae, ordinates, weights, deg)
    powers = np.vander(abscissae, deg + 1)
    if weights is not None:
        powers = powers * weights[:, None]
        ordinates = ordinates * (weights[:, None] if ordinates.ndim == 2 else weights)
    lengths = np.sqrt((powers * powers).sum(axis=0))
    powers = powers / lengths
    if rcond is None:
        rcond = len(abscissae) * (2.0**-23 if abscissae.dtype == np.float32 else 2.0**-52)
    c, residuals, rank, _ = np.linalg.lstsq(powers, ordinates, rcond)
    if rank != deg + 1:
        warnings.warn("Polyfit may be poorly conditioned", np.exceptions.RankWarning, stacklevel=2)
    c = (c.T / lengths).T
    if not cov:
        return c
    inverse = np.linalg.inv(np.dot(powers.T, powers)) / np.outer(lengths, lengths)
    factor = 1
    if cov != "unscaled":
        if len(abscissae) <= deg + 1:
            raise ValueError(
                "the number of data points must exceed order to scale the covariance matrix"
            )
        factor = residuals / (len(abscissae) - (deg + 1))
    return c, (inverse if ordinates.ndim == 1 else inverse[:, :, None]) * factor


def _check_points(x, y, w, deg):
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if w is not None and w.ndim != 1:
        raise TypeError("expected a 1-d array for weights")
    if w is not None and w.shape[0] != y.shape[0]:
        raise TypeError("expected w and y to have the same length")


# Objects of polynomials ---------------------------------------------------------------------------


def _polynomial_of(other):
    """The coefficients of a polynomial, or of numbers."""
    if isinstance(other, np.poly1d):
        return other.coeffs
    return np.trim_zeros(np.atleast_1d(other), trim="f") if np.ndim(other) else np.atleast_1d(other)


@defines(np.poly1d.__mul__)
def times(self, other):
    """The product with another polynomial, or with a number."""
    return np.poly1d(np.polymul(self.coeffs, _polynomial_of(other)))


@defines(np.poly1d.__rmul__)
def times_from_the_left(self, other):
    """The product of numbers with a polynomial."""
    return np.poly1d(np.polymul(_polynomial_of(other), self.coeffs))


@defines(np.poly1d.__add__, np.poly1d.__radd__)
def plus(self, other):
    """The sum with another polynomial, or with a number."""
    return np.poly1d(np.polyadd(self.coeffs, _polynomial_of(other)))


@defines(np.poly1d.__sub__)
def minus(self, other):
    """The difference to another polynomial, or to a number."""
    return np.poly1d(np.polysub(self.coeffs, _polynomial_of(other)))


@defines(np.poly1d.__rsub__)
def taken_from(self, other):
    """The difference of numbers to a polynomial."""
    return np.poly1d(np.polysub(_polynomial_of(other), self.coeffs))


def _of_two(name, swapped):
    """The definition of an operator of two series of one kind, or of one and coefficients."""

    def combined(self, other):
        given = self._get_coefficients(other)
        first, second = (given, self.coef) if swapped else (self.coef, given)
        coefficients = getattr(self, name)(first, second)
        return self.__class__(coefficients, self.domain, self.window, self.symbol)

    return combined


for _operator in ("add", "sub", "mul"):
    for _side in ("", "r"):
        _method = getattr(SERIES, f"__{_side}{_operator}__")
        defines(_method)(_of_two(f"_{_operator}", bool(_side)))


@defines(SERIES.__divmod__)
def quotient_and_rest(self, other):
    """The quotient of two series of one kind, and what is left."""
    parts = self._div(self.coef, self._get_coefficients(other))
    first, second = [self.__class__(c, self.domain, self.window, self.symbol) for c in parts]
    return first, second
