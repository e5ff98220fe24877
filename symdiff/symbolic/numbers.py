"""Numbers of the program as exact numbers of SymPy, and back.

A float stands for a real number. That is the fraction it equals where its digits in base 2 are few
(0.5), a multiple of π or a logarithm where it is the float nearest to one (``np.pi / 2``,
``math.log(2)``), and a ``Float`` of its 53 bits otherwise.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any

import numpy as np

from symdiff.ir.types import ArrayType

_FEW = 2**20  # denominators of floats that are shown as fractions
_PARTS = 360  # denominators of fractions of a circle


def exact(value: Any) -> Any:
    """A number, or an array of numbers, as expressions; expressions as they are."""
    if isinstance(value, np.ndarray):
        entries = np.empty(value.shape, dtype=object)
        entries[...] = np.reshape(
            [exact(item) for item in value.ravel().tolist()] or [], value.shape
        )
        return entries
    if isinstance(value, np.generic):
        value = value.item()
    return _number(value) if isinstance(value, bool | int | float | complex) else value


def _number(value: bool | int | float | complex) -> Any:
    import sympy as sp

    if isinstance(value, bool):
        return sp.true if value else sp.false
    if isinstance(value, int):
        return sp.Integer(value)
    if isinstance(value, complex):
        return _number(value.real) + sp.I * _number(value.imag)
    return _float(value)


@functools.lru_cache(maxsize=4096)
def _float(value: float) -> Any:
    import sympy as sp

    if math.isnan(value):
        return sp.nan
    if math.isinf(value):
        return sp.oo if value > 0 else -sp.oo
    numerator, denominator = value.as_integer_ratio()
    if denominator <= _FEW:
        return sp.Rational(numerator, denominator)
    return _of_a_circle(value) or _logarithm(value) or sp.Float(value)


def _of_a_circle(value: float) -> Any:
    import sympy as sp

    part = Fraction(value / math.pi).limit_denominator(_PARTS)
    if part and math.pi * part.numerator / part.denominator == value:
        return sp.pi * sp.Rational(part.numerator, part.denominator)
    return None


def _logarithm(value: float) -> Any:
    import sympy as sp

    return next((sp.log(n) for n in (2, 10) if abs(value) == math.log(n) and value > 0), None)


def native(expression: Any, type_: ArrayType) -> Any:
    """The NumPy array or number that an expression of a type is known to be, or None."""
    if isinstance(expression, np.ndarray):
        entries = [native(item, type_) for item in expression.flat]
        if any(entry is None for entry in entries):
            return None
        return np.array(entries, dtype=type_.dtype).reshape(expression.shape)
    number = _known(expression, type_.dtype.kind)
    if number is None or type_.kind == "python":
        return number
    return type_.dtype.type(number)


def _known(expression: Any, kind: str) -> Any:
    import sympy as sp

    if kind == "b":
        return {sp.true: True, sp.false: False}.get(expression)
    if not isinstance(expression, sp.Expr) or not expression.is_number:
        return None
    if kind in "iu":
        return int(expression) if expression.is_integer else None
    return complex(expression) if kind == "c" else float(expression)
