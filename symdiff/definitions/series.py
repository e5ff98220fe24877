"""Series of ``np.polynomial``: values, derivatives and integrals; the lowest degree stands first.

The values are summed from the highest degree on (Clenshaw 1955), two terms at a time: ``step``
takes the two that are left, the next coefficient and the number of the turn's degree.
"""

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from symdiff.definitions.declare import defines, is_one_row, refuse

# Values -------------------------------------------------------------------------------------------


@defines(polynomial.polyval)
def polyval(x, c, tensor=True):
    """Horner's rule."""
    x, c = _argument(x), _stacked(c, x, tensor)
    value = c[-1] + x * 0
    for k in range(2, len(c) + 1):
        value = c[-k] + value * x
    return value


@defines(chebyshev.chebval)
def chebval(x, c, tensor=True):
    """A sum of Chebyshev polynomials."""
    x = _argument(x)
    double = 2 * x

    def step(low, high, next_, degree):
        return next_ - high, low + high * double

    return _summed(_stacked(c, x, tensor), x, x, step)


@defines(legendre.legval)
def legval(x, c, tensor=True):
    """A sum of Legendre polynomials."""
    x = _argument(x)

    def step(low, high, next_, degree):
        rest = next_ - high * ((degree - 1) / degree)
        return rest, low + high * x * ((2 * degree - 1) / degree)

    return _summed(_stacked(c, x, tensor), x, x, step)


@defines(hermite.hermval)
def hermval(x, c, tensor=True):
    """A sum of the physicists' Hermite polynomials."""
    x = _argument(x)
    double = x * 2

    def step(low, high, next_, degree):
        return next_ - high * (2 * (degree - 1)), low + high * double

    return _summed(_stacked(c, x, tensor), x, double, step)


@defines(hermite_e.hermeval)
def hermeval(x, c, tensor=True):
    """A sum of the probabilists' Hermite polynomials."""
    x = _argument(x)

    def step(low, high, next_, degree):
        return next_ - high * (degree - 1), low + high * x

    return _summed(_stacked(c, x, tensor), x, x, step)


@defines(laguerre.lagval)
def lagval(x, c, tensor=True):
    """A sum of Laguerre polynomials."""
    x = _argument(x)

    def step(low, high, next_, degree):
        rest = next_ - (high * (degree - 1)) / degree
        return rest, low + (high * ((2 * degree - 1) - x)) / degree

    return _summed(_stacked(c, x, tensor), x, 1 - x, step)


def _summed(c, x, first, step):
    """The value of a series, ``first`` its polynomial of degree one."""
    if is_one_row(c):
        return c[0] + 0 * first
    low, high = np.broadcast_arrays(c[-2], c[-1], x)[:2]
    for k in range(3, len(c) + 1):
        low, high = step(low, high, c[-k], len(c) + 2 - k)
    return low + high * first


def _argument(x):
    return np.asarray(x) if isinstance(x, (tuple, list)) else x


def _stacked(c, x, tensor):
    """Coefficients each of which broadcasts against ``x``."""
    coefficients = _coefficients(c)
    if not tensor:
        return coefficients
    return coefficients.reshape(coefficients.shape + (1,) * np.ndim(x))


def _coefficients(c):
    array = np.array(c, ndmin=1)
    return array + 0.0 if array.dtype.kind in "biu" else array


# Derivatives --------------------------------------------------------------------------------------


def _derivative(of_one):
    """The definition of what takes derivatives; ``of_one`` makes one, of rows of coefficients."""

    def derivative(c, m=1, scl=1, axis=0):
        return _derived(c, m, scl, axis, of_one)

    return derivative


def _derived(c, m, scl, axis, derivative):
    """``derivative`` of the coefficients along an axis, ``m`` times."""
    if m < 0:
        raise ValueError("The order of derivation must be non-negative")
    coefficients = _coefficients(c)
    if m == 0:
        return coefficients
    rows = np.moveaxis(coefficients, axis, 0)
    if m >= len(rows):
        return np.moveaxis(rows[:1] * 0, 0, axis)
    for _ in range(m):
        rows = derivative(_scaled(rows, scl)).astype(rows.dtype)
    return np.moveaxis(rows, 0, axis)


def _scaled(rows, scl):
    return (rows * scl).astype(rows.dtype)


def _column(numbers, rows):
    """Whole numbers in the dtype of the rows, one a row."""
    return numbers.astype(rows.dtype).reshape((-1,) + (1,) * (rows.ndim - 1))


def _of_powers(c):
    return _column(np.arange(1, len(c)), c) * c[1:]


def _of_hermite(c):
    return _column(2 * np.arange(1, len(c)), c) * c[1:]


def _of_chebyshev(c):
    left = c.copy()
    for k in range(len(c) - 1, 2, -1):
        left[k - 2] += (k * left[k]) / (k - 2)
    higher = _column(2 * np.arange(2, len(c)), c) * left[2:]
    return np.concatenate((left[1:2], higher))


def _of_legendre(c):
    left = c.copy()
    for k in range(len(c) - 1, 2, -1):
        left[k - 2] += left[k]
    higher = _column(2 * np.arange(2, len(c)) - 1, c) * left[2:]
    return np.concatenate((left[1:2], higher))


def _of_laguerre(c):
    left = c.copy()
    for k in range(len(c) - 1, 1, -1):
        left[k - 1] += left[k]
    return -left[1:]


# Integrals ----------------------------------------------------------------------------------------


def _integral(of_one, value):
    """The definition of what integrates; ``value`` is that of a series at a place."""

    def integral(c, m=1, k=(), lbnd=0, scl=1, axis=0):
        return _integrated(c, m, k, lbnd, scl, axis, of_one, value)

    return integral


def _integrated(c, m, k, lbnd, scl, axis, integral, value):
    """``integral`` of the coefficients along an axis, ``m`` times, each with its constant."""
    if m < 0:
        raise ValueError("The order of integration must be non-negative")
    constants = tuple(k) if isinstance(k, (tuple, list)) else (k,)
    if len(constants) > m:
        raise ValueError("Too many integration constants")
    coefficients = _coefficients(c)
    if m == 0:
        return coefficients
    rows = np.moveaxis(coefficients, axis, 0)
    if is_one_row(rows):
        refuse("one coefficient: the length of the result depends on whether it is 0")
    for turn in range(m):
        made = integral(_scaled(rows, scl))
        constant = constants[turn] if turn < len(constants) else 0
        first = made[0] + (constant - value(lbnd, made))
        rows = np.concatenate((first[None], made[1:])).astype(rows.dtype)
    return np.moveaxis(rows, 0, axis)


def _integral_of_powers(c):
    return np.concatenate((c[:1] * 0, c / _column(np.arange(1, len(c) + 1), c)))


def _integral_of_hermite(c):
    return np.concatenate((c[:1] * 0, c / _column(2 * np.arange(1, len(c) + 1), c)))


def _integral_of_chebyshev(c):
    higher = c[1:] / _column(2 * np.arange(2, len(c) + 1), c)
    made = np.concatenate((c[:1] * 0, c[:1], higher))
    made[1 : len(c) - 1] -= c[2:] / _column(2 * np.arange(1, len(c) - 1), c)
    return made


def _integral_of_legendre(c):
    terms = c / _column(2 * np.arange(len(c)) + 1, c)
    made = np.concatenate((c[:1] * 0, terms))
    made[1 : len(c) - 1] -= terms[2:]
    return made


def _integral_of_laguerre(c):
    return np.concatenate((c[:1], c[1:] - c[:-1], -c[-1:]))


defines(polynomial.polyder)(_derivative(_of_powers))
defines(hermite_e.hermeder)(_derivative(_of_powers))
defines(hermite.hermder)(_derivative(_of_hermite))
defines(chebyshev.chebder)(_derivative(_of_chebyshev))
defines(legendre.legder)(_derivative(_of_legendre))
defines(laguerre.lagder)(_derivative(_of_laguerre))
defines(polynomial.polyint)(_integral(_integral_of_powers, polyval))
defines(hermite_e.hermeint)(_integral(_integral_of_powers, hermeval))
defines(hermite.hermint)(_integral(_integral_of_hermite, hermval))
defines(chebyshev.chebint)(_integral(_integral_of_chebyshev, chebval))
defines(legendre.legint)(_integral(_integral_of_legendre, legval))
defines(laguerre.lagint)(_integral(_integral_of_laguerre, lagval))
