"""The functions of ``cmath``: numbers enter, Python's complex numbers leave.

All that carry a derivative are holomorphic, so a partial is one complex number. Those of inverse
functions are written by the result, which lies on the right side of a branch cut. ``phase`` and
``polar`` are made of what ``math`` has.
"""

from __future__ import annotations

import cmath
from typing import Any

from symdiff.ir.graph import Value
from symdiff.ir.types import BOOL, COMPLEX
from symdiff.ops.arithmetic import absolute, by_numpy, divide, multiply
from symdiff.ops.casts import complex_of, imag, only_numbers, python_complex, python_float, real
from symdiff.ops.declare import Meaning, Operation, Rule, lowers
from symdiff.ops.elementary import LOG_10
from symdiff.ops.mathlib import math_atan2, math_cos, math_sin


def _cmath(
    name: str, partial: Rule, singular: bool = False, meaning: Meaning | None = None
) -> Operation:
    """A function of ``cmath`` as the op ``cmath_<name>``, which is what calls of it mean."""
    function: Any = getattr(cmath, name)
    operation = Operation.of_arrays(
        f"cmath_{name}",
        only_numbers(COMPLEX),
        function,
        raises=True,
        partials=(partial,),
        singular=singular,
        strong=name in ("sqrt", "asin", "acos", "acosh"),
        sympy=meaning or name,
        documentation=f"``cmath.{name}``, of Python numbers.",
    )
    lowers(function)(lambda z: operation(z))
    return operation


cmath_exp: Operation = _cmath("exp", lambda y, z: y)
cmath_log: Operation = _cmath("log", lambda y, z: divide(1, z), singular=True)
cmath_log10: Operation = _cmath(
    "log10", lambda y, z: divide(1, z * LOG_10), singular=True, meaning=lambda sp, z: sp.log(z, 10)
)
cmath_sqrt: Operation = _cmath("sqrt", lambda y, z: by_numpy(divide)(0.5, y), singular=True)
cmath_sin: Operation = _cmath("sin", lambda y, z: cmath_cos(z))
cmath_cos: Operation = _cmath("cos", lambda y, z: -cmath_sin(z))
cmath_tan: Operation = _cmath("tan", lambda y, z: 1 + y * y)
cmath_sinh: Operation = _cmath("sinh", lambda y, z: cmath_cosh(z))
cmath_cosh: Operation = _cmath("cosh", lambda y, z: cmath_sinh(z))
cmath_tanh: Operation = _cmath("tanh", lambda y, z: 1 - y * y)
cmath_asin: Operation = _cmath("asin", lambda y, z: 1 / cmath_cos(y), singular=True)
cmath_acos: Operation = _cmath("acos", lambda y, z: -1 / cmath_sin(y), singular=True)
cmath_atan: Operation = _cmath("atan", lambda y, z: divide(1, 1 + z * z), singular=True)
cmath_asinh: Operation = _cmath("asinh", lambda y, z: 1 / cmath_cosh(y), singular=True)
cmath_acosh: Operation = _cmath("acosh", lambda y, z: 1 / cmath_sinh(y), singular=True)
cmath_atanh: Operation = _cmath("atanh", lambda y, z: divide(1, 1 - z * z), singular=True)


def _predicate(name: str) -> None:
    function: Any = getattr(cmath, name)
    operation = Operation.of_arrays(
        f"cmath_{name}",
        only_numbers(BOOL),
        function,
        raises=True,
        nondifferentiable=True,
        documentation=f"``cmath.{name}``; no derivative flows through it.",
    )
    lowers(function)(lambda z: operation(z))


for _name in ("isnan", "isinf", "isfinite"):
    _predicate(_name)

# Lowerings of what is not an op of its own ------------------------------------------------------


@lowers(cmath.log)
def _log(z: Any, base: Any = None) -> Value:
    if base is None:
        return cmath_log(z)
    return divide(cmath_log(z), cmath_log(base))


@lowers(cmath.phase)
def _phase(z: Any) -> Value:
    z = python_complex(z)
    return math_atan2(imag(z), real(z))


lowers(cmath.polar)(lambda z: (absolute(python_complex(z)), _phase(z)))


@lowers(cmath.rect)
def _rect(r: Any, phi: Any) -> Value:
    radius = python_float(r)
    return complex_of(multiply(radius, math_cos(phi)), multiply(radius, math_sin(phi)))
