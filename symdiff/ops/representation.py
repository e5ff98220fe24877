"""Ops on how a number is represented: its parts, powers of two, the floats beside it.

Whole parts and exponents are counts: no derivative flows through them. ``nextafter`` and
``spacing`` are about rounding, of which derivatives know nothing: the float beside ``a`` has the
derivative of ``a``, the distance between them has none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import negative
from symdiff.ops.casts import as_dtype_of, number_or_array
from symdiff.ops.declare import (
    OnArrays,
    Operation,
    SeveralResults,
    broadcast_shapes,
    elementwise,
    surely_broadcasts,
    ufunc_dtypes,
)
from symdiff.ops.meanings import towards_zero


def _of_ufunc(function: np.ufunc) -> Callable[..., tuple[ArrayType, ...]]:
    def infer(*xs: ArrayType) -> tuple[ArrayType, ...]:
        shape = broadcast_shapes(*(x.shape for x in xs))
        return tuple(number_or_array(dtype, shape) for dtype in ufunc_dtypes(function, xs))

    return infer


def _parts_in_sympy(sp: Any, x: Any) -> tuple[Any, Any]:
    whole = np.frompyfunc(lambda entry: towards_zero(sp, entry), 1, 1)(x)
    return x - whole, whole


modf = SeveralResults.of_arrays(
    "modf",
    _of_ufunc(np.modf),
    np.modf,
    vjp={0: lambda g, y, x: None if g[0] is None else as_dtype_of(g[0], x)},
    jvp={0: lambda t, y, x: (as_dtype_of(t, y[0]), None)},
    sympy=OnArrays(_parts_in_sympy),
    example="np.modf(x)[0]",
    documentation="The part behind the point, and the whole part, whose derivative is 0.",
)
frexp = SeveralResults.of_arrays(
    "frexp",
    _of_ufunc(np.frexp),
    np.frexp,
    vjp={0: lambda g, y, x: None if g[0] is None else as_dtype_of(ldexp(g[0], negative(y[1])), x)},
    jvp={0: lambda t, y, x: (ldexp(as_dtype_of(t, y[0]), negative(y[1])), None)},
    example="np.frexp(x)[0]",
    documentation="Mantissa and exponent: ``x == m * 2 ** e`` with ``0.5 <= abs(m) < 1``.",
)


ldexp: Operation = Operation.of_arrays(
    "ldexp",
    _of_ufunc(np.ldexp),
    np.ldexp,
    raises=True,
    harmless=surely_broadcasts,
    linear=frozenset({0}),
    vjp={0: lambda g, y, x, i: ldexp(g, i)},
    broadcasts=frozenset({0}),
    nondifferentiable=frozenset({1}),
    sympy=lambda sp, x, i: x * 2**i,
    example="np.ldexp(x, j)",
    documentation="``x * 2 ** i``.",
)
nextafter: Operation = elementwise(
    np.nextafter,
    "The float beside ``a`` on the way to ``b``; its derivative is that of ``a``.",
    1,
    None,
    sympy=lambda sp, a, b: a,
)


spacing: Operation = Operation.of_arrays(  # of floats, not of numbers: no meaning in SymPy
    "spacing",
    _of_ufunc(np.spacing),
    np.spacing,
    nondifferentiable=True,
    order="kept",
    documentation="The distance to the float beside it; its derivative is 0.",
)
