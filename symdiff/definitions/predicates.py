"""Questions about elements and arrays, and arrays that answer to what is asked of them."""

from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, refuse


@defines(np.isposinf)
def isposinf(x, out=None):
    """Return whether elements are infinite and above 0."""
    return np.logical_and(np.isinf(_real(x)), ~np.signbit(x))


@defines(np.isneginf)
def isneginf(x, out=None):
    """Return whether elements are infinite and below 0."""
    return np.logical_and(np.isinf(_real(x)), np.signbit(x))


def _real(x):
    if np.iscomplexobj(x):
        raise TypeError(
            "This operation is not supported for complex128 values because it would be ambiguous."
        )
    return x


@defines(np.iscomplex)
def iscomplex(x):
    """Return whether elements have an imaginary part."""
    if np.iscomplexobj(x):
        return np.imag(x) != 0
    return np.zeros(np.shape(x), bool)[()]


@defines(np.isreal)
def isreal(x):
    """Return whether elements have no imaginary part."""
    return np.imag(x) == 0


@defines(np.nan_to_num)
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """What is not finite replaced, in real and imaginary parts."""
    array = np.array(x, copy=False) if copy is False else np.asarray(x)
    if array.dtype.kind == "c":
        made = array.copy()
        made.real = _finite(array.real, nan, posinf, neginf)
        made.imag = _finite(array.imag, nan, posinf, neginf)
    else:
        made = _finite(array, nan, posinf, neginf)
    if not copy and isinstance(x, np.ndarray):
        x[...] = made
        return x[()]
    return made[()]


def _finite(x, nan, posinf, neginf):
    if x.dtype.kind != "f":
        return x.copy()
    limits = np.finfo(x.dtype)
    made = np.where(np.isnan(x), nan, x).astype(x.dtype)
    made = np.where(x == np.inf, limits.max if posinf is None else posinf, made).astype(x.dtype)
    return np.where(x == -np.inf, limits.min if neginf is None else neginf, made).astype(x.dtype)


@defines(np.asarray_chkfinite)
def asarray_chkfinite(a, dtype=None, order=None):
    """An array in which all is finite."""
    x = np.asarray(a, dtype=dtype, order=order)
    if x.dtype.kind in "fc" and not np.all(np.isfinite(x)):
        raise ValueError("array must not contain infs or NaNs")
    return x


@defines(np.astype)
def astype(x, dtype, /, *, copy=True, device=None):
    """An array in another dtype."""
    if not isinstance(x, (np.ndarray, np.generic)):
        raise TypeError("Input should be a NumPy array or scalar.")
    return x.astype(dtype, copy=copy)


@defines(np.iterable)
def iterable(y: Any) -> bool:
    """Return whether there are elements to go over."""
    if y is None or isinstance(y, (list, tuple, dict, set, str)):
        return y is not None
    if callable(y):
        return hasattr(y, "__iter__")
    return np.ndim(y) > 0


@defines(np.lib.array_utils.normalize_axis_index)
def normalize_axis_index(axis: Any, ndim: Any, msg_prefix: Any = None) -> Any:
    """The number of an axis, counted from the first one."""
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim, msg_prefix)
    return axis + ndim if axis < 0 else axis


def may_be_negative(size: Any) -> bool:
    """Return whether it is not known that a number is a length."""
    return True


def _may_be_negative_staged(stager: Any, arguments: Any, keywords: Any) -> bool:
    return not stager.is_length(arguments[0])


may_be_negative.__symdiff_staged__ = _may_be_negative_staged  # type: ignore[attr-defined]


def is_one(size: Any) -> bool:
    """Return whether a length is 1."""
    return bool(size == 1)


def _is_one_staged(stager: Any, arguments: Any, keywords: Any) -> Any:
    return stager.is_one(arguments[0])


is_one.__symdiff_staged__ = _is_one_staged  # type: ignore[attr-defined]


@defines(np.broadcast_shapes)
def broadcast_shapes(*args):
    """The shape that arrays of all these shapes are broadcast to."""
    shapes = [(s,) if isinstance(s, (int, np.integer)) else tuple(s) for s in args]
    rank = max([len(shape) for shape in shapes], default=0)
    found: list[Any] = [1] * rank
    for shape in shapes:
        for k, size in enumerate(shape, rank - len(shape)):
            if not isinstance(size, (int, np.integer)):
                raise TypeError("lengths are integers")
            if may_be_negative(size) and size < 0:
                raise ValueError("negative dimensions are not allowed")
            if is_one(found[k]):
                found[k] = size
            elif not is_one(size) and size != found[k]:
                raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    return tuple(found)


@defines(np.require)
def require(a, dtype=None, requirements=None, *, like=None):
    """An array of a dtype, in an order; one that is read-only is not copied: it is not written."""
    wanted = requirements or ()
    if isinstance(wanted, str):
        wanted = (wanted,)
    order: Any = "A"
    for name in wanted:
        if name.upper() in ("C", "C_CONTIGUOUS", "CONTIGUOUS"):
            order = "C"
        elif name.upper() in ("F", "F_CONTIGUOUS", "FORTRAN"):
            order = "F"
        elif name.upper() not in ("A", "ALIGNED", "W", "WRITEABLE"):
            refuse(f"the requirement {name!r}")
    return np.asarray(a, dtype=dtype, order=order)


@defines(np.fromiter)
def fromiter(iter, dtype, count=-1, *, like=None):
    """What is gone over, as a vector."""
    items = np.array([item for item in iter], dtype=dtype)  # noqa: C416
    if count < 0:
        return items
    if len(items) < count:
        raise ValueError("iterator too short")
    return items[:count].copy()


@defines(np.mask_indices)
def mask_indices(n, mask_func, k=0):
    """The positions that a function such as ``np.triu`` leaves."""
    return np.nonzero(mask_func(np.ones((n, n), int), k) != 0)


def require_natural(exponent):
    """Pass where whole numbers have a power that is a whole number too.

    :raises NotImplementedError: where they have none, and Python's result is a float.
    """
    if exponent < 0:
        raise NotImplementedError("a power of ints with a negative exponent, which is a float")
