"""Masked arrays of ``np.ma`` that a function makes: numbers, and which of them are hidden.

What only hidden elements make is ``np.ma.masked`` in NumPy, and an error when it is run here. What
stands under the mask of a result is not followed, and refused.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.wrapped import Wrapped

TABLE: dict[Any, Any] = {}  # what functions of NumPy mean for masked arrays


class Masked(Wrapped):
    """An array and its mask.

    :param hidden: which elements do not count, for each.
    :param told: whether NumPy keeps a mask; None where that depends on whether it hides anything.
    :param is_kept: whether the elements that are hidden are those that NumPy has.
    """

    __symdiff_class__ = np.ma.MaskedArray
    __symdiff_functions__ = TABLE
    __symdiff_returned__ = (
        "a masked array",
        "return its numbers, x.filled(0.0), and its mask beside them: np.ma.getmaskarray(x)",
    )

    def __init__(self, values, hidden, told, is_kept=False, fill=None):
        self.values, self.hidden, self.told = values, hidden, told
        self.is_kept, self.fill = is_kept, fill

    def __getattr__(self, name):
        refuse(f"the attribute {name} of a masked array")

    def _refused(self, other=None):
        refuse("this operation of a masked array")

    __bool__ = __iter__ = __float__ = __int__ = __contains__ = _refused
    __itruediv__ = __ipow__ = __ifloordiv__ = __imod__ = __matmul__ = __rmatmul__ = _refused

    # What it holds

    @property
    def data(self):
        if not self.is_kept:
            refuse("what stands under the mask of a result (use filled or compressed)")
        return self.values

    @property
    def mask(self):
        if self.told is None:
            refuse("a mask that NumPy leaves out where it hides nothing (use np.ma.getmaskarray)")
        return self.hidden if self.told else np.ma.nomask

    @property
    def fill_value(self):
        fill = _filling(self.values.dtype) if self.fill is None else self.fill
        return np.asarray(fill, self.values.dtype)[()]

    @property
    def T(self):
        return self._with(self.values.T, self.hidden.T)

    def __len__(self):
        return len(self.values)

    def _with(self, values, hidden):
        return Masked(values, hidden, self.told, self.is_kept, self.fill)

    def copy(self, order="C"):
        return self._with(self.values.copy(), self.hidden.copy())

    def astype(self, dtype):
        return Masked(self.values.astype(dtype), self.hidden.copy(), self.told, self.is_kept)

    def reshape(self, *shape):
        return self._with(self.values.reshape(*shape), self.hidden.reshape(*shape))

    def ravel(self, order="C"):
        return self._with(self.values.ravel(order), self.hidden.ravel(order))

    def flatten(self, order="C"):
        return self._with(self.values.flatten(order), self.hidden.flatten(order))

    def transpose(self, *axes):
        return self._with(self.values.transpose(*axes), self.hidden.transpose(*axes))

    def __getitem__(self, key):
        values, hidden = self.values[_plain(key)], self.hidden[_plain(key)]
        if np.ndim(values) > 0:
            return self._with(values, hidden)
        if self.told is not False and hidden:
            raise NotImplementedError("an element that is masked")
        return values

    def __setitem__(self, key, value):
        if value is np.ma.masked:
            self.told = True
            self.hidden[_plain(key)] = True
            return
        self.values[_plain(key)] = _values(value)
        if self.told is not False or _told(value) is not False:
            self.told = True if self.told is not None else None
            self.hidden[_plain(key)] = _hidden(value)

    def filled(self, fill_value=None):
        if self.told is False:
            return self.values
        fill = self.fill_value if fill_value is None else fill_value
        return np.where(self.hidden, np.asarray(fill, self.values.dtype), self.values)

    def compressed(self):
        if self.told is False:
            return self.values.ravel()
        return self.values.ravel()[np.logical_not(self.hidden.ravel())]

    # Arithmetic

    def __neg__(self):
        return _wrapped(np.negative, self)

    def __pos__(self):
        return _wrapped(np.positive, self)

    def __abs__(self):
        return _wrapped(np.absolute, self)

    def __add__(self, other):
        return _both(np.add, self, other)

    def __radd__(self, other):
        return _both(np.add, other, self)

    def __sub__(self, other):
        return _both(np.subtract, self, other)

    def __rsub__(self, other):
        return _both(np.subtract, other, self)

    def __mul__(self, other):
        return _both(np.multiply, self, other)

    def __rmul__(self, other):
        return _both(np.multiply, other, self)

    def __truediv__(self, other):
        return _quotient(self, other)

    def __rtruediv__(self, other):
        return _quotient(other, self)

    def __pow__(self, other):
        return _power(self, other)

    def __rpow__(self, other):
        return _power(other, self)

    def __iadd__(self, other):
        return self._changed(np.add, other, 0)

    def __isub__(self, other):
        return self._changed(np.subtract, other, 0)

    def __imul__(self, other):
        return self._changed(np.multiply, other, 1)

    def _changed(self, function, other, neutral):
        """In place: what is hidden stays as it is."""
        if _told(other) is not False:
            if self.told is not True:
                refuse("a mask that comes in by an operation in place")
            self.hidden |= _hidden(other)
        given = np.where(self.hidden, neutral, _values(other))
        self.values[...] = function(self.values, given)
        return self

    def __lt__(self, other):
        return _compared(np.less, self, other)

    def __le__(self, other):
        return _compared(np.less_equal, self, other)

    def __gt__(self, other):
        return _compared(np.greater, self, other)

    def __ge__(self, other):
        return _compared(np.greater_equal, self, other)

    def __eq__(self, other):
        return _compared(np.equal, self, other)

    def __ne__(self, other):
        return _compared(np.not_equal, self, other)

    # Reductions

    def _reduced(self, made, axis, keepdims):
        gone = np.all(self.hidden, axis=axis, keepdims=keepdims)
        if np.ndim(made) > 0:
            return Masked(made, gone, self.told)
        if gone:
            raise NotImplementedError("a reduction of elements that are all masked, or not finite")
        return made

    def _over(self, function, neutral, axis, keepdims):
        if self.told is False:
            made = function(self.values, axis=axis, keepdims=keepdims)
            return made if np.ndim(made) == 0 else Masked(made, np.zeros(made.shape, bool), False)
        made = function(self.filled(neutral), axis=axis, keepdims=keepdims)
        return self._reduced(made, axis, keepdims)

    def sum(self, axis=None, dtype=None, out=None, keepdims=False):
        _require_none(dtype=dtype, out=out)
        return self._over(np.sum, 0, axis, keepdims)

    def prod(self, axis=None, dtype=None, out=None, keepdims=False):
        _require_none(dtype=dtype, out=out)
        return self._over(np.prod, 1, axis, keepdims)

    def min(self, axis=None, out=None, fill_value=None, keepdims=False):
        _require_none(out=out, fill_value=fill_value)
        return self._over(np.min, _largest(self.values.dtype), axis, keepdims)

    def max(self, axis=None, out=None, fill_value=None, keepdims=False):
        _require_none(out=out, fill_value=fill_value)
        return self._over(np.max, _smallest(self.values.dtype), axis, keepdims)

    def any(self, axis=None, out=None, keepdims=False):
        _require_none(out=out)
        return self._over(np.any, False, axis, keepdims)

    def all(self, axis=None, out=None, keepdims=False):
        _require_none(out=out)
        return self._over(np.all, True, axis, keepdims)

    def ptp(self, axis=None, out=None, fill_value=None, keepdims=False):
        _require_none(out=out, fill_value=fill_value)
        return self.max(axis, keepdims=keepdims) - self.min(axis, keepdims=keepdims)

    def count(self, axis=None, keepdims=False):
        if self.told is False and axis is None:
            return self.values.size
        if self.told is None and self.values.dtype.itemsize < 8:
            refuse("numbers of few bits, of which the mask may be left out, and so the precision")
        return np.sum(np.logical_not(self.hidden), axis=axis, keepdims=keepdims)

    def mean(self, axis=None, dtype=None, out=None, keepdims=False):
        _require_none(dtype=dtype, out=out)
        if self.told is False:
            return self._over(np.mean, 0, axis, keepdims)
        return self.sum(axis, keepdims=keepdims) * 1.0 / self.count(axis, keepdims=keepdims)

    def anom(self, axis=None):
        return self - self.mean(axis, keepdims=axis is not None)

    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, mean=None):
        _require_none(dtype=dtype, out=out, mean=mean)
        if self.told is False:
            made = np.var(self.values, axis=axis, ddof=ddof, keepdims=keepdims)
            return made if np.ndim(made) == 0 else Masked(made, np.zeros(made.shape, bool), False)
        count = self.count(axis, keepdims=keepdims) - ddof
        parts = self - self.mean(axis, keepdims=True)
        total = (abs(parts) ** 2 if _is_complex(parts) else parts * parts).sum(
            axis, keepdims=keepdims
        )
        if np.ndim(count) > 0:
            made = total / count
            return Masked(made.values, made.hidden | (count <= 0), None)
        if count == 0:
            raise NotImplementedError("a variance that is masked")
        return total / count

    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, mean=None):
        _require_none(dtype=dtype, out=out, mean=mean)
        found = self.var(axis, ddof=ddof, keepdims=keepdims)
        if not is_masked_array(found):
            if self.values.size == 0:
                refuse("an array without elements, whose standard deviation is masked")
            if not np.isfinite(found):
                raise NotImplementedError(
                    "a standard deviation that is masked, as it is not finite"
                )
            return _deviation(found)
        root = _deviation(np.where(found.hidden, 1, found.values))
        return Masked(root, found.hidden | ~np.isfinite(root), True)

    def cumsum(self, axis=None, dtype=None, out=None):
        _require_none(dtype=dtype, out=out)
        return Masked(np.cumsum(self.filled(0), axis), self._along(axis), self.told)

    def cumprod(self, axis=None, dtype=None, out=None):
        _require_none(dtype=dtype, out=out)
        return Masked(np.cumprod(self.filled(1), axis), self._along(axis), self.told)

    def _along(self, axis):
        return self.hidden.ravel() if axis is None else self.hidden

    def argmin(self, axis=None, fill_value=None, out=None, *, keepdims=False):
        _require_none(fill_value=fill_value, out=out)
        return np.argmin(self.filled(_largest(self.values.dtype)), axis, keepdims=keepdims)

    def argmax(self, axis=None, fill_value=None, out=None, *, keepdims=False):
        _require_none(fill_value=fill_value, out=out)
        return np.argmax(self.filled(_smallest(self.values.dtype)), axis, keepdims=keepdims)


def _deviation(variance):
    """Its root, with the derivative 0 where there is none, as ``np.std`` has it."""
    is_zero = variance == 0
    return np.where(is_zero, 0 * variance, np.sqrt(np.where(is_zero, variance + 1, variance)))[()]


def _require_none(**given):
    for name, value in given.items():
        if value is not None:
            refuse(f"the argument {name} of a masked array's method")


# Of what may be masked ----------------------------------------------------------------------------


def is_masked_array(x):
    return isinstance(x, np.ma.MaskedArray)


def _values(x):
    return x.values if is_masked_array(x) else np.asarray(x)


def _hidden(x):
    return x.hidden if is_masked_array(x) else False


def _told(x):
    return x.told if is_masked_array(x) else False


def _fill_of(a, b):
    return a.fill if is_masked_array(a) else b.fill if is_masked_array(b) else None


def _plain(key):
    if isinstance(key, tuple):
        return tuple([_plain(part) for part in key])
    if not is_masked_array(key):
        return key
    if key.told is not False:
        refuse("a masked array as an index (use filled)")
    return key.values


def _is_complex(x):
    return x.values.dtype.kind == "c"


def _filling(dtype):
    """What NumPy writes over hidden elements."""
    return {"b": True, "c": 1e20 + 0j, "f": 1e20}.get(dtype.kind, 999999)


def _largest(dtype):
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _smallest(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _either(a, b):
    """Whether NumPy keeps a mask of what is made of two."""
    both = _told(a), _told(b)
    return True if True in both else None if None in both else False


def _masked(values, hidden, told, fill):
    """What is made of masked arrays: an array, or a number that may not be masked."""
    if np.ndim(values) > 0:
        return Masked(values, hidden | np.zeros(values.shape, bool), told, fill=fill)
    if told is not False and hidden:
        raise NotImplementedError("a number that is masked")
    return values


def _both(function, a, b):
    with np.errstate(divide="ignore", invalid="ignore"):
        values = function(_values(a), _values(b))
    return _masked(values, _hidden(a) | _hidden(b), _either(a, b), _fill_of(a, b))


def _compared(function, a, b):
    values, hidden = function(_values(a), _values(b)), _hidden(a) | _hidden(b)
    return _masked(values, hidden, None if _either(a, b) is not False else False, None)


def _quotient(a, b):
    """Of what is too small beside the numerator nothing is known."""
    x, y = _values(a), _values(b)
    outside = np.abs(x) * np.finfo(float).tiny >= np.abs(y)
    hidden = _hidden(a) | _hidden(b) | outside
    with np.errstate(divide="ignore", invalid="ignore"):
        values = x / np.where(hidden, 1, y)
    return _masked(values, hidden | ~np.isfinite(values), True, _fill_of(a, b))


def _power(a, b):
    hidden = _hidden(a) | _hidden(b)
    base = np.where(hidden, 1, _values(a)) if _either(a, b) is not False else _values(a)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = base ** _values(b)
    return _masked(values, hidden | ~np.isfinite(values), None, _fill_of(a, b))


def _wrapped(function, x):
    return Masked(function(x.values), x.hidden.copy(), True, fill=x.fill)


# Elementwise --------------------------------------------------------------------------------------

_DOMAINS = {
    "log": lambda x: x <= 0.0,
    "log2": lambda x: x <= 0.0,
    "log10": lambda x: x <= 0.0,
    "sqrt": lambda x: x < 0.0,
    "arcsin": lambda x: np.abs(x) > 1.0,
    "arccos": lambda x: np.abs(x) > 1.0,
    "arccosh": lambda x: x < 1.0,
}
_UNARY = (
    *("exp", "sin", "cos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "absolute", "negative"),
    *_DOMAINS,
)


def _of_one(name):
    function, domain = getattr(np, name), _DOMAINS.get(name)

    def of_masked(a):
        if domain is None:
            values = function(_values(a))
            return _masked(values, _hidden(a), _told(a), _fill_of(a, None))
        outside = domain(_values(a)) | _hidden(a)
        values = function(np.where(outside, 1, _values(a)))
        return _masked(values, outside | ~np.isfinite(values), True, _fill_of(a, None))

    def of_numpy(x):
        found = of_masked(x)
        return Masked(found.values, found.hidden, True, fill=found.fill)

    return of_masked, of_numpy


def _of_method(name):
    def method(a, axis=None, **options):
        given = a if is_masked_array(a) else array(a)
        return getattr(given, name)(axis, **options)

    return method


def _of_extreme(name):
    def method(obj, axis=None, **options):
        given = obj if is_masked_array(obj) else array(obj)
        return getattr(given, name)(axis, **options)

    return method


# Making -------------------------------------------------------------------------------------------


def array(data, dtype=None, copy=False, *, mask=np.ma.nomask, fill_value=None):
    values = _values(data)
    if dtype is not None:
        values = values.astype(dtype)
    elif copy:
        values = values.copy()
    fill = data.fill if fill_value is None and is_masked_array(data) else fill_value
    is_kept = not is_masked_array(data) or data.is_kept
    if mask is np.ma.nomask:
        if not is_masked_array(data):
            return Masked(values, np.zeros(values.shape, bool), False, True, fill)
        return Masked(values, data.hidden.copy() if copy else data.hidden, data.told, is_kept, fill)
    if isinstance(mask, bool):
        hidden = np.full(values.shape, mask)
    else:
        hidden = np.asarray(mask, bool)
        if hidden.shape != values.shape:
            raise NotImplementedError("a mask of another shape than the array's")
    if is_masked_array(data):
        hidden = hidden | data.hidden
    return Masked(values, hidden.copy() if copy else hidden, True, is_kept, fill)


def masked_array(data=None, mask=np.ma.nomask, dtype=None, copy=False, *, fill_value=None):
    return array(data, dtype, copy, mask=mask, fill_value=fill_value)


def masked_where(condition, a, copy=True):
    hidden = condition.filled(True) if is_masked_array(condition) else np.asarray(condition, bool)
    given = array(a, copy=copy)
    if hidden.shape != given.shape:
        raise IndexError("Inconsistent shape between the condition and the input")
    told = True if given.told is True else None
    return Masked(given.values, hidden | given.hidden, told, given.is_kept, given.fill)


def masked_invalid(a, copy=True):
    given = array(a, copy=copy)
    hidden = np.logical_not(np.isfinite(given.values)) | given.hidden
    return Masked(given.values, hidden, True, given.is_kept, given.fill)


def _by_comparison(compare):
    def masked_by(x, value, copy=True):
        return masked_where(compare(_values(x), value) & ~_hidden_of(x), x, copy)

    return masked_by


def _hidden_of(x):
    """For each element whether it is hidden."""
    return x.hidden if is_masked_array(x) else np.zeros(np.shape(x), bool)


def masked_inside(x, v1, v2, copy=True):
    low, high = min(v1, v2), max(v1, v2)
    return masked_where((_values(x) >= low) & (_values(x) <= high), x, copy)


def masked_outside(x, v1, v2, copy=True):
    low, high = min(v1, v2), max(v1, v2)
    return masked_where((_values(x) < low) | (_values(x) > high), x, copy)


def masked_equal(x, value, copy=True):
    found = masked_where(_values(x) == value, x, copy)
    found.fill = value
    return found


# Functions ----------------------------------------------------------------------------------------


def filled(a, fill_value=None):
    return a.filled(fill_value) if is_masked_array(a) else np.asarray(a)


def getdata(a):
    return a.data if is_masked_array(a) else np.asarray(a)


def getmask(a):
    return a.mask if is_masked_array(a) else np.ma.nomask


def getmaskarray(arr):
    return _hidden_of(arr)


def is_masked(x):
    return is_masked_array(x) and bool(np.any(x.hidden))


def isMaskedArray(x):
    return is_masked_array(x)


def compressed(x):
    return x.compressed() if is_masked_array(x) else np.asarray(x).ravel()


def where(condition, x, y):
    chosen = _values(condition)
    values = np.where(chosen, _values(x), _values(y))
    hidden = np.where(chosen, _hidden(x), _hidden(y)) | _hidden(condition)
    told = None if True in (_told(x), _told(y), _told(condition)) else False
    return _masked(values, hidden, told, None)


def concatenate(arrays, axis=0):
    values = np.concatenate([_values(a) for a in arrays], axis)
    hidden = np.concatenate([_hidden_of(a) for a in arrays], axis)
    return Masked(values, hidden, _told_of_any(arrays))


def vstack(tup):
    hidden = np.vstack([_hidden_of(a) for a in tup])
    return Masked(np.vstack([_values(a) for a in tup]), hidden, _told_of_any(tup))


def hstack(tup):
    hidden = np.hstack([_hidden_of(a) for a in tup])
    return Masked(np.hstack([_values(a) for a in tup]), hidden, _told_of_any(tup))


def _told_of_any(arrays):
    """NumPy leaves out a mask that hides nothing."""
    return None if any(_told(a) is not False for a in arrays) else False


def average(a, axis=None, weights=None):
    given = a if is_masked_array(a) else array(a)
    if weights is None:
        return given.mean(axis)
    if np.shape(weights) != given.shape:
        raise NotImplementedError("weights of another shape than the array's")
    shown = _values(weights) * np.logical_not(given.hidden)
    total = array(shown).sum(axis)
    return (given * shown).sum(axis) / total


def asarray(a, dtype=None):
    """The numbers, of an array that hides none."""
    if a.told is not False and np.any(a.hidden):
        raise NotImplementedError("np.asarray of an array with masked elements")
    return np.asarray(a.values, dtype)


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """What a function makes of each line, of arrays without a mask."""
    given = array(arr)
    if given.told is not False:
        refuse("an array that may have a mask")

    def of_line(line, *args, **kwargs):
        return np.asarray(func1d(array(line), *args, **kwargs))

    made = np.apply_along_axis(of_line, axis, given.values, *args, **kwargs)
    return _masked(np.array(made, order="C"), False, False, None)


def median(a, axis=None):
    if axis is not None:
        if is_masked_array(a):
            refuse("axis= of a masked array")
        return _masked(np.median(np.asarray(a), axis), False, False, None)
    found = np.sort(compressed(a))
    if found.dtype.kind in "biu":
        found = found.astype(float)
    half, odd = divmod(len(found), 2)
    if len(found) == 0:
        raise NotImplementedError("a median of elements that are all masked")
    if np.isnan(found[-1]):
        return found[-1]
    return found[half] if odd == 1 else (found[half - 1] + found[half]) / 2.0


_METHODS = ("sum", "prod", "min", "max", "any", "all", "ptp", "count", "mean", "anom", "var", "std")
_EXTREMES = ("min", "max", "ptp")
_MORE = ("cumsum", "cumprod", "argmin", "argmax")


@when_imported("numpy.ma")
def register(ma):
    """The functions of ``np.ma``, and those of NumPy's that take masked arrays."""
    defines(ma.MaskedArray)(masked_array)
    for function in (
        *(array, masked_where, masked_invalid, masked_inside, masked_outside, masked_equal),
        *(filled, getdata, getmask, getmaskarray, is_masked, isMaskedArray, compressed),
        *(where, concatenate, vstack, hstack, average, median, apply_along_axis),
    ):
        defines(getattr(ma, function.__name__))(function)
    for name in ("less", "less_equal", "greater", "greater_equal", "not_equal"):
        defines(getattr(ma, f"masked_{name}"))(_by_comparison(getattr(np, name)))
    for name in (*_METHODS, *_MORE):
        method = _of_method(name)
        defines(getattr(ma, name))(_of_extreme(name) if name in _EXTREMES else method)
        if hasattr(np, name):
            TABLE[getattr(np, name)] = method
    for name in _UNARY:
        of_masked, of_numpy = _of_one(name)
        defines(getattr(ma, name))(of_masked)
        TABLE[getattr(np, name)] = of_numpy
    for name, function in (("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply)):
        defines(getattr(ma, name))(_of_two(function))
    defines(ma.divide)(_quotient)
    TABLE[np.asarray] = asarray


def _of_two(function):
    def of_masked(a, b):
        return _both(function, a, b)

    return of_masked
