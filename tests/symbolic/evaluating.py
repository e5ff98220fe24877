"""Closed forms at points: SymPy's expressions evaluated by mpmath, for comparison with programs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import mpmath
import numpy as np
import sympy as sp

DIGITS = 40
_MPMATHS = {  # what SymPy does not know mpmath's names of
    "airyaiprime": lambda z: mpmath.airyai(z, derivative=1),
    "airybiprime": lambda z: mpmath.airybi(z, derivative=1),
    "laguerre": lambda n, x: mpmath.laguerre(n, 0, x),
    "assoc_laguerre": mpmath.laguerre,
}


def inputs_of(form: Any) -> list[Any]:
    """The symbols and the indexed symbols of a closed form."""
    found: set[Any] = set()
    for expression in expressions_in(form):
        indexed = expression.atoms(sp.Indexed)
        bases = {one.base.label for one in indexed}
        free = expression.free_symbols & expression.atoms(sp.Symbol)  # not what is integrated by
        found |= indexed | (free - bases)
    return sorted(found, key=str)


def expressions_in(form: Any) -> Iterator[Any]:
    """The expressions of a closed form, in order; None where there is nothing."""
    if isinstance(form, dict):
        form = list(form.values())
    if isinstance(form, sp.MatrixBase | sp.NDimArray):
        form = sp.flatten(form.tolist()) if form.shape else [form[()]]
    if isinstance(form, list | tuple):
        for item in form:
            yield from expressions_in(item)
    elif isinstance(form, sp.Basic):
        yield form


def numbers_in(value: Any) -> Iterator[complex]:
    """The numbers of what a program returned, in the order of ``expressions_in``."""
    if isinstance(value, dict):
        value = list(value.values())
    if dataclasses.is_dataclass(value):
        value = [getattr(value, field.name) for field in dataclasses.fields(value)]
    if isinstance(value, list | tuple):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, np.ndarray):
        yield from value.ravel().tolist()
    elif isinstance(value, bool | int | float | complex | np.generic):
        yield complex(value) if isinstance(value, complex | np.complexfloating) else float(value)


def values_at(form: Any, point: Mapping[Any, Any]) -> list[complex]:
    """The expressions of a closed form where its symbols have values, in high precision."""
    symbols = inputs_of(form)
    plain = [sp.Dummy(f"s{k}") for k in range(len(symbols))]
    replaced = dict(zip(symbols, plain, strict=True))
    values = []
    with mpmath.workdps(DIGITS):
        for expression in expressions_in(form):
            function = sp.lambdify(plain, expression.xreplace(replaced), [_MPMATHS, "mpmath"])
            result = function(*(_exact(point[symbol]) for symbol in symbols))
            values.append(_plain(result))
    return values


def _exact(value: Any) -> Any:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return mpmath.mpmathify(value.item() if isinstance(value, np.generic) else value)


def _plain(result: Any) -> complex:
    if isinstance(result, mpmath.mpc) and result.imag != 0:
        return complex(result)
    return float(result.real if isinstance(result, mpmath.mpc) else result)


def point_of(form: Any, arguments: Mapping[str, Any]) -> dict[Any, Any]:
    """The values of a closed form's symbols in a call, by the names that Python has for them."""
    return {
        symbol: eval(str(symbol), {}, dict(arguments))  # names made by symdiff from the call
        for symbol in inputs_of(form)
    }
