"""What ops of whole arrays mean in SymPy: functions of NumPy arrays of expressions.

``over_axes`` makes the meaning of a reduction from what it makes of a list of entries, ``matrix``
that of an op of matrices from what it makes of a SymPy matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.ops.declare import OnArrays

Entries = Callable[..., Any]


def over_axes(function: Entries) -> OnArrays:
    """The meaning of a reduction: ``function(sp, entries, **attributes)`` gives its result."""

    def reduce(
        sp: Any, x: Any, *, axis: Any = None, keepdims: bool = False, dtype: Any = None, **more: Any
    ) -> Any:
        array = x if isinstance(x, np.ndarray) else entries_of(x)
        gone = tuple(range(array.ndim)) if axis is None else np.atleast_1d(axis).tolist()
        kept = [k for k in range(array.ndim) if k not in gone]
        rows = array.transpose(*kept, *gone).reshape(*(array.shape[k] for k in kept), -1)
        result = np.empty(rows.shape[:-1], dtype=object)
        for place in np.ndindex(result.shape):
            result[place] = function(sp, rows[place].tolist(), **more)
        shape = [1 if k in gone else array.shape[k] for k in range(array.ndim)]
        return result.reshape(shape) if keepdims else result

    return OnArrays(reduce)


def matrix(function: Callable[..., Any]) -> OnArrays:
    """The meaning of an op of single matrices: ``function(sp, matrices)``, or None of stacks."""

    def apply(sp: Any, *arrays: Any, **attributes: Any) -> Any:
        if any(array.ndim > 2 for array in arrays):
            raise TypeError("only of one matrix, not of a stack of them")
        result = function(sp, *(sp.Matrix(array.tolist()) for array in arrays), **attributes)
        if not isinstance(result, sp.MatrixBase):
            return result
        rank = arrays[-1].ndim
        return entries_of(result) if rank == 2 else entries_of(result)[:, 0]

    return OnArrays(apply)


def entries_of(value: Any) -> Any:
    """An expression, or a SymPy matrix, as NumPy's array of expressions."""
    shape = getattr(value, "shape", ())
    array = np.empty(shape, dtype=object)
    for place in np.ndindex(*shape):
        array[place] = value[place] if shape else value
    return array


def select(sp: Any, condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, else ``b``; conditions are not simplified, which is slow."""
    if condition in (sp.true, sp.false):
        return a if condition == sp.true else b
    return a if a == b else sp.Piecewise((a, condition), (b, True), evaluate=False)


def greatest(sp: Any, *xs: Any) -> Any:
    """The greatest of expressions; only plain ones are compared, since SymPy's proofs are slow."""
    return sp.Max(*xs, evaluate=all(map(_is_plain, xs)))


def least(sp: Any, *xs: Any) -> Any:
    """The least of expressions."""
    return sp.Min(*xs, evaluate=all(map(_is_plain, xs)))


def _is_plain(x: Any) -> bool:
    """Numbers of mpmath's, which exact values are computed with, are plain too."""
    return not getattr(x, "args", ()) or x.is_number or x.is_Indexed


def number_of(sp: Any, given: Any) -> Any:
    """A number that the program gives as such; SymPy would read a text, and run what it says.

    :raises TypeError: for what is no number.
    """
    if not isinstance(given, int | float | np.integer | np.floating):
        raise TypeError(f"{given!r} is no number")
    numerator, denominator = float(given).as_integer_ratio()
    return sp.Rational(numerator, denominator) if denominator < 2**20 else sp.Float(float(given))


def mean_of(sp: Any, entries: list[Any]) -> Any:
    """The arithmetic mean."""
    return sp.Add(*entries) / len(entries)


def variance_of(sp: Any, entries: list[Any], *, ddof: float = 0, **_: Any) -> Any:
    """The variance with ``ddof`` degrees of freedom taken off."""
    mean = mean_of(sp, entries)
    return sp.Add(*((x - mean) ** 2 for x in entries)) / (len(entries) - number_of(sp, ddof))


def truth_of(sp: Any, entry: Any) -> Any:
    """An entry as a truth value."""
    return sp.Ne(entry, 0) if isinstance(entry, sp.Expr) else entry


def norm_of(sp: Any, entries: list[Any], *, ord: Any = None) -> Any:
    """A norm of a vector; the Euclidean and Frobenius ones of a matrix too."""
    sizes = [sp.Abs(x) for x in entries]
    if ord in (None, 2, "fro"):
        return sp.sqrt(sp.Add(*(x**2 for x in sizes)))
    if ord == np.inf:
        return greatest(sp, *sizes)
    if ord == -np.inf:
        return least(sp, *sizes)
    if ord == 0:
        return sp.Add(*(select(sp, sp.Ne(x, 0), sp.S.One, sp.S.Zero) for x in entries))
    order = number_of(sp, ord)
    return sp.Add(*(x**order for x in sizes)) ** (1 / order)


def number_of_truth(sp: Any, entry: Any) -> Any:
    """An entry as a number: 1 or 0 of a truth value."""
    return entry if isinstance(entry, sp.Expr) else select(sp, entry, sp.S.One, sp.S.Zero)


def towards_zero(sp: Any, x: Any) -> Any:
    """An expression rounded towards 0."""
    return sp.sign(x) * sp.floor(sp.Abs(x))


def to_even(sp: Any, x: Any) -> Any:
    """An expression rounded to the nearest integer, halves to the even one."""
    half = sp.Rational(1, 2)
    tie_above_even = sp.Eq(x - 2 * sp.floor(x / 2), half)
    return sp.floor(x + half) - select(sp, tie_above_even, sp.S.One, sp.S.Zero)
