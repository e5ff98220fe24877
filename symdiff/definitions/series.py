"""Series of ``np.polynomial``: values, derivatives and integrals; the lowest degree stands first.

The values are summed from the highest degree on (Clenshaw 1955), two terms at a time.
"""

import functools
from typing import Any

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

from symdiff.definitions.declare import defines, is_one_row, known_integer, may_be_one_row, refuse

SERIES: Any = np.polynomial.Polynomial.__mro__[1]  # what the classes of all kinds of series are

# Values -------------------------------------------------------------------------------------------


def polyval(x, c, tensor=True):
    """Horner's rule; of a series, too, as the others."""
    if not isinstance(x, SERIES):
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
        if isinstance(x, SERIES):
            return _constant(c, first(x)) if len(c) == 1 else of_more(c, c[-2], c[-1], x)
        x = _argument(x)
        c, linear = _stacked(c, x, tensor), first(x)
        if may_be_one_row(c):
            return _constant(c, linear) if len(c) == 1 else of_arrays(c, x)
        return _constant(c, linear) if is_one_row(c) else of_arrays(c, x)

    def of_arrays(c, x):
        low, high, _ = np.broadcast_arrays(c[-2], c[-1], x)
        return of_more(c, low, high, x)

    def of_more(c, low, high, x):
        for k in range(3, len(c) + 1):
            low, high = step(low, high, c[-k], len(c) + 2 - k, x)
        return low + high * first(x)

    return value


def _constant(c, linear):
    return c[0] + 0 * linear


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


@defines(polyutils.mapdomain)
def mapdomain(x, old, new):
    """What the linear map from one domain to another makes of numbers, or of a series."""
    off, scl = polyutils.mapparms(old, new)
    return off + scl * _argument(x)


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


# Each function of a kind by the two before: ``(a + b * x) * last - c * the_one_before``.
_RECURRENCES: dict[Any, Any] = {
    np.polynomial.Polynomial: lambda d: (0.0 * d, 0.0 * d + 1, 0.0 * d),
    np.polynomial.Chebyshev: lambda d: (0.0 * d, 1.0 + (d > 1), 1.0 * (d > 1)),
    np.polynomial.Legendre: lambda d: (0.0 * d, (2 * d - 1) / d, (d - 1) / d),
    np.polynomial.Hermite: lambda d: (0.0 * d, 0.0 * d + 2, 2.0 * (d - 1)),
    np.polynomial.HermiteE: lambda d: (0.0 * d, 0.0 * d + 1, 1.0 * (d - 1)),
    np.polynomial.Laguerre: lambda d: ((2 * d - 1) / d, -1.0 / d, (d - 1) / d),
}


def _recurrence(kind):
    if kind not in _RECURRENCES:
        refuse("a series of a class of one's own")
    return _RECURRENCES[kind]


_recurrence.__symdiff_staged__ = (  # type: ignore[attr-defined]
    lambda stager, arguments, keywords: _recurrence(arguments[0])
)


@defines(SERIES.convert, rounded=True)
def convert(self, domain=None, kind=None, window=None):
    """The same function as a series of another kind, or on another domain: Clenshaw's sum, with
    the coefficients of its terms.
    """
    kind = self.__class__ if kind is None else kind
    domain = kind.domain if domain is None else domain
    window = kind.window if window is None else window
    offset, scale = polyutils.mapparms(window, domain)
    own_offset, own_scale = self.mapparms()
    shift, factor = own_offset + own_scale * offset, own_scale * scale
    c = self.coef
    above, on, below = _recurrence(kind)(np.arange(1, len(c) + 1))
    given = _recurrence(self.__class__)

    def times(a, b, p):
        """The product with ``a + b * x``; its last term, which is 0, is left out."""
        over = p / on
        made = -above * over
        made[1:] += over[:-1]
        made[:-1] += (below * over)[1:]
        return (a + b * shift) * p + (b * factor) * made

    zero = np.zeros(len(c)) * (c[-1] * factor)
    last, before = zero, zero
    for k in range(len(c) - 1, -1, -1):
        a, b, _ = given(k + 1.0)
        _, _, less = given(k + 2.0)
        made = times(a, b, last) - less * before
        made[0] += c[k]
        last, before = made, last
    return kind(trimseq(last), domain, window, self.symbol)


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
