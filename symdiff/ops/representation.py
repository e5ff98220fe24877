"""Ops on how a number is represented: its parts, powers of two, the floats beside it.

Whole parts and exponents are counts: no derivative flows through them. ``nextafter`` and
``spacing`` are about rounding, of which derivatives know nothing: the float beside ``a`` has the
derivative of ``a``, the distance between them has none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symdiff.ir.types import Type
from symdiff.ops.arithmetic import negative
from symdiff.ops.casts import as_dtype_of, number_or_array
from symdiff.ops.declare import (
    OnArrays,
    Operation,
    SeveralResults,
    broadcast_shapes,
    call,
    elementwise,
    require_array,
    ufunc_dtypes,
)
from symdiff.ops.meanings import towards_zero


def _infer_pair(function: np.ufunc) -> Any:
    def infer(x: Type) -> tuple[Type, ...]:
        type_ = require_array(x, function.__name__)
        dtypes = ufunc_dtypes(function, (type_,))
        return tuple(number_or_array(dtype, type_.shape) for dtype in dtypes)

    return infer


def _parts_in_sympy(sp: Any, x: Any) -> tuple[Any, Any]:
    whole = np.frompyfunc(lambda entry: towards_zero(sp, entry), 1, 1)(x)
    return x - whole, whole


modf = SeveralResults(
    "modf",
    _infer_pair(np.modf),
    np.modf,
    spelling=call("np.modf"),
    vjp={0: lambda g, y, x: None if g[0] is None else as_dtype_of(g[0], x)},
    jvp={0: lambda t, y, x: (as_dtype_of(t, y[0]), None)},
    sympy=OnArrays(_parts_in_sympy),
    example="np.modf(x)[0]",
    documentation="The part behind the point, and the whole part, whose derivative is 0.",
)
frexp = SeveralResults(
    "frexp",
    _infer_pair(np.frexp),
    np.frexp,
    spelling=call("np.frexp"),
    vjp={0: lambda g, y, x: None if g[0] is None else as_dtype_of(ldexp(g[0], negative(y[1])), x)},
    jvp={0: lambda t, y, x: (ldexp(as_dtype_of(t, y[0]), negative(y[1])), None)},
    example="np.frexp(x)[0]",
    documentation="Mantissa and exponent: ``x == m * 2 ** e`` with ``0.5 <= abs(m) < 1``.",
)


def _infer_ldexp(x: Type, i: Type) -> tuple[Type, ...]:
    types = require_array(x, "ldexp"), require_array(i, "ldexp")
    (dtype,) = ufunc_dtypes(np.ldexp, types)
    return (number_or_array(dtype, broadcast_shapes(*(type_.shape for type_ in types))),)


ldexp: Operation = Operation(
    "ldexp",
    _infer_ldexp,
    np.ldexp,
    spelling=call("np.ldexp"),
    linear=frozenset({0}),
    vjp={0: lambda g, y, x, i: ldexp(g, i)},
    broadcasts=frozenset({0}),
    nondifferentiable=frozenset({1}),
    sympy=lambda sp, x, i: x * 2**i,
    order="unknown",
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


def _infer_spacing(x: Type) -> tuple[Type, ...]:
    type_ = require_array(x, "spacing")
    return (number_or_array(ufunc_dtypes(np.spacing, (type_,))[0], type_.shape),)


spacing: Operation = Operation(  # of floats, not of the numbers they stand for: no meaning in SymPy
    "spacing",
    _infer_spacing,
    np.spacing,
    spelling=call("np.spacing"),
    nondifferentiable=True,
    order="kept",
    documentation="The distance to the float beside it; its derivative is 0.",
)
