"""Series of ``np.polynomial``: values, derivatives and integrals; the lowest degree stands first.

The values are summed from the highest degree on (Clenshaw 1955), two terms at a time.
"""

import functools

import numpy as np
from numpy.polynomial import (
    chebyshev,
    hermite,
    hermite_e,
    laguerre,
    legendre,
    polynomial,
    polyutils,
)

from symdiff.definitions.declare import defines, is_one_row, known_integer, refuse

# Values -------------------------------------------------------------------------------------------


def polyval(x, c, tensor=True):
    """Horner's rule."""
    x, c = _argument(x), _stacked(c, x, tensor)
    value = c[-1] + x * 0
    for k in range(2, len(c) + 1):
        value = c[-k] + value * x
    return value


def _value(first, step):
    """The definition of the value of a series: ``first`` is its polynomial of degree one, ``step``
    takes the two terms that are left, the next coefficient, the number of the turn's degree and
    the argument.
    """

    def value(x, c, tensor=True):
        x = _argument(x)
        c, linear = _stacked(c, x, tensor), first(x)
        if is_one_row(c):
            return c[0] + 0 * linear
        low, high = np.broadcast_arrays(c[-2], c[-1], x)[:2]
        for k in range(3, len(c) + 1):
            low, high = step(low, high, c[-k], len(c) + 2 - k, x)
        return low + high * linear

    return value


chebval = _value(lambda x: x, lambda low, high, next_, _, x: (next_ - high, low + high * (2 * x)))
legval = _value(
    lambda x: x,
    lambda low, high, next_, degree, x: (
        next_ - high * ((degree - 1) / degree),
        low + high * x * ((2 * degree - 1) / degree),
    ),
)
hermval = _value(
    lambda x: x * 2,
    lambda low, high, next_, degree, x: (next_ - high * (2 * (degree - 1)), low + high * (x * 2)),
)
hermeval = _value(
    lambda x: x,
    lambda low, high, next_, degree, x: (next_ - high * (degree - 1), low + high * x),
)
lagval = _value(
    lambda x: 1 - x,
    lambda low, high, next_, degree, x: (
        next_ - (high * (degree - 1)) / degree,
        low + (high * ((2 * degree - 1) - x)) / degree,
    ),
)


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


@defines(polyutils.trimseq)
def trimseq(seq):
    """The coefficients up to the last one that is not 0, or the first."""
    kept = np.sum(np.cumsum((seq != 0)[::-1]) > 0)
    return seq[: np.maximum(kept, 1)]


# Derivatives --------------------------------------------------------------------------------------


def _derivative(of_one):
    """The definition of what takes derivatives; ``of_one`` makes one, of rows of coefficients."""

    def derivative(c, m=1, scl=1, axis=0):
        if m < 0:
            raise ValueError("The order of derivation must be non-negative")
        coefficients = _coefficients(c)
        if m == 0:
            return coefficients
        rows = np.moveaxis(coefficients, axis, 0)
        if m >= len(rows):
            return np.moveaxis(rows[:1] * 0, 0, axis)
        for _ in range(m):
            rows = of_one(_scaled(rows, scl)).astype(rows.dtype)
        return np.moveaxis(rows, 0, axis)

    return derivative


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
    """The definition of what integrates: ``of_one`` integrates once rows of coefficients, each time
    with a constant; ``value`` is that of a series at a place.
    """

    def integral(c, m=1, k=(), lbnd=0, scl=1, axis=0):
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
            made = of_one(_scaled(rows, scl))
            constant = constants[turn] if turn < len(constants) else 0
            first = made[0] + (constant - value(lbnd, made))
            rows = np.concatenate((first[None], made[1:])).astype(rows.dtype)
        return np.moveaxis(rows, 0, axis)

    return integral


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


# In other series ----------------------------------------------------------------------------------


def _conversion(columns):
    """The definition of what tells a series in another one; ``columns`` tells each function."""

    def conversion(c):
        coefficients = _coefficients(c)
        if coefficients.ndim != 1:
            raise ValueError("Coefficient array is not 1-d")
        made = columns(known_integer(len(coefficients))) @ coefficients
        return made[: len(trimseq(coefficients))]

    return conversion


@functools.cache
def _columns_of(function, count):
    made = np.zeros((count, count))
    for k in range(count):
        column = function(np.eye(count)[k])
        made[: len(column), k] = column
    return made


def _columns(function):
    """What a library's conversion makes of each of the first functions, known when compiled."""

    def columns(count):
        return _columns_of(function, count)

    columns.__symdiff_staged__ = (  # type: ignore[attr-defined]
        lambda stager, arguments, keywords: _columns_of(function, arguments[0])
    )
    return columns


for _module, _name, _values, _of_one, _integral_of_one in (
    (polynomial, "poly", polyval, _of_powers, _integral_of_powers),
    (chebyshev, "cheb", chebval, _of_chebyshev, _integral_of_chebyshev),
    (legendre, "leg", legval, _of_legendre, _integral_of_legendre),
    (hermite, "herm", hermval, _of_hermite, _integral_of_hermite),
    (hermite_e, "herme", hermeval, _of_powers, _integral_of_powers),
    (laguerre, "lag", lagval, _of_laguerre, _integral_of_laguerre),
):
    defines(getattr(_module, f"{_name}val"))(_values)
    defines(getattr(_module, f"{_name}der"))(_derivative(_of_one))
    defines(getattr(_module, f"{_name}int"))(_integral(_integral_of_one, _values))
for _kind, _letters in (
    (chebyshev, "cheb"),
    (hermite, "herm"),
    (hermite_e, "herme"),
    (laguerre, "lag"),
    (legendre, "leg"),
):
    for _name in (f"{_letters}2poly", f"poly2{_letters}"):
        _function = getattr(_kind, _name)
        defines(_function, rounded=True)(_conversion(_columns(_function)))
