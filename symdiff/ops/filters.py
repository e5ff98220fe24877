"""Linear recurrences: ``scipy.signal.lfilter`` along the last axis.

The result is the ``y`` with ``a * y = b * x``, ``*`` a convolution that begins at 0. The transpose
of a filter runs backwards, and what the coefficients get are products of what lies ``k`` apart:

    w = the filter 1/a, backwards, of ȳ     b̄[k] = Σ w[n] x[n - k]     ā[k] = -Σ w[n] y[n - k]
"""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.filters import recurrence
from symdiff.definitions.libraries import when_imported
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType
from symdiff.ops import support
from symdiff.ops.casts import as_dtype_of, conjugated
from symdiff.ops.creation import ones
from symdiff.ops.declare import (
    FUNCTIONS,
    Operation,
    array_type,
    call,
    lowers,
    static,
)
from symdiff.ops.index import index_of
from symdiff.ops.ufuncs import staged

MODULE = "scipy.signal"


def _signal() -> Any:
    return importlib.import_module(MODULE)


@functools.lru_cache(maxsize=64)
def _dtype(*dtypes: np.dtype) -> np.dtype:
    b, a, x = (np.ones(2, dtype) for dtype in dtypes)
    dtype: np.dtype = _signal().lfilter(b, a, x).dtype
    return dtype


def _reversed(x: Value) -> Value:
    return index_of(x, (Ellipsis, slice(None, None, -1)))


def _backwards(g: Value, b: Value, a: Value) -> Value:
    """The transpose of a filter."""
    return _reversed(lfilter(conjugated(b), conjugated(a), _reversed(g)))


def _one(x: Value) -> Value:
    return ones(1, shape=(1,), dtype=array_type(x).dtype)


lfilter: Operation = Operation.of_arrays(
    "signal_lfilter",
    lambda b, a, x: ArrayType(_dtype(b.dtype, a.dtype, x.dtype), x.shape),
    lambda b, a, x: _signal().lfilter(b, a, x),
    raises=True,
    cost="heavy",
    spelling=call(f"{MODULE}.lfilter"),
    vjp={
        0: lambda g, y, b, a, x: as_dtype_of(lagged_products(_backwards(g, _one(a), a), x, b), b),
        1: lambda g, y, b, a, x: as_dtype_of(-lagged_products(_backwards(g, _one(a), a), y, a), a),
        2: lambda g, y, b, a, x: as_dtype_of(_backwards(g, b, a), x),
    },
    jvp={
        0: lambda t, y, b, a, x: as_dtype_of(lfilter(t, a, x), y),
        1: lambda t, y, b, a, x: as_dtype_of(-lfilter(t, a, y), y),
        2: lambda t, y, b, a, x: as_dtype_of(lfilter(b, a, t), y),
    },
    example="signal_lfilter(t, w, x)",
    documentation="A linear filter of the last axis, with zeros before it.",
)


lagged_products: Operation = Operation.of_arrays(
    "lagged_products",
    lambda w, x, like: ArrayType(np.result_type(w.dtype, x.dtype), like.shape),
    support.lagged_products,
    arithmetic=True,
    cost="heavy",
    vjp={
        0: lambda g, y, w, x, like: as_dtype_of(lfilter(g, _one(g), x), w),
        1: lambda g, y, w, x, like: as_dtype_of(_backwards(w, g, _one(g)), x),
    },
    linear="each",
    nondifferentiable=frozenset({2}),
    documentation="Sums of products of elements of one array and earlier ones of another.",
)

# What calls mean ----------------------------------------------------------------------------------


lowers(recurrence)(lambda b, a, x: lfilter(staged(b), staged(a), staged(x)))


def of_known(function: Any) -> Any:
    """A function of what is known where it is compiled: designs of filters, windows.

    Of floats that are not known its own steps are what it means.
    """

    def lowering(*arguments: Any, **options: Any) -> Any:
        if any(map(_holds_floats, (*arguments, *options.values()))):
            return NotImplemented
        known = {name: static(value) for name, value in options.items()}
        made = function(*map(static, arguments), **known)
        return tuple(map(_array, made)) if isinstance(made, tuple) else _array(made)

    return lowering


def _holds_floats(given: Any) -> bool:
    """Return whether numbers that are known at run time only, and not whole, are among these."""
    if isinstance(given, (tuple, list)):
        return any(map(_holds_floats, given))
    return isinstance(given, Value) and array_type(given).dtype.kind in "fc"


def _array(value: Any) -> Any:
    return FUNCTIONS[np.array](value) if isinstance(value, np.ndarray) else value


_DESIGNS = (
    *("bessel", "butter", "cheby1", "cheby2", "ellip", "firls", "firwin", "firwin2", "get_window"),
    *("iircomb", "iirnotch", "iirpeak", "remez", "savgol_coeffs"),
)
_WINDOWS = (
    *("barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "chebwin"),
    *("cosine", "exponential", "flattop", "gaussian", "general_cosine", "general_gaussian"),
    *("general_hamming", "hamming", "hann", "kaiser", "lanczos", "nuttall", "parzen", "taylor"),
    *("triang", "tukey"),
)


@when_imported(MODULE)
def _register(signal: ModuleType) -> None:
    for owner, names in ((signal, _DESIGNS), (signal.windows, _WINDOWS)):
        for name in names:
            if hasattr(owner, name):
                lowers(getattr(owner, name))(of_known(getattr(owner, name)))
