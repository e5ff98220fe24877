"""Elementary functions as ``scipy.special`` has them: near 0 and 1, of powers, of degrees."""

from __future__ import annotations

import math
from typing import Any

from symdiff.ir.graph import Value
from symdiff.ops.arithmetic import choose, equal, nonzero
from symdiff.ops.declare import Operation, Rule
from symdiff.ops.elementary import exp, log, sin
from symdiff.ops.special import special_function
from symdiff.ops.strong import product_over

DEGREE = math.pi / 180.0


def _of_one(name: str, partial: Rule, sympy: Any, documentation: str) -> Operation:
    return special_function(name, documentation, partial, sympy=sympy)


expm1 = _of_one("expm1", lambda y, x: exp(x), lambda sp, x: sp.exp(x) - 1, "``exp(x) - 1``.")
log1p = _of_one(
    "log1p", lambda y, x: 1.0 / (1.0 + x), lambda sp, x: sp.log(1 + x), "``log(1 + x)``."
)
cosm1 = _of_one("cosm1", lambda y, x: -sin(x), lambda sp, x: sp.cos(x) - 1, "``cos(x) - 1``.")
exp2 = _of_one("exp2", lambda y, x: math.log(2.0) * y, lambda sp, x: 2**x, "``2 ** x``.")
exp10 = _of_one("exp10", lambda y, x: math.log(10.0) * y, lambda sp, x: 10**x, "``10 ** x``.")
cbrt: Operation = special_function(
    "cbrt",
    "The cube root.",
    lambda y, x: 1.0 / (3.0 * (y * y)),
    strong=True,
    sympy=lambda sp, x: sp.sign(x) * sp.Abs(x) ** sp.Rational(1, 3),
)


def _power_over_base(x: Value, p: Value) -> Value:
    """``p * x ** (p - 1)``; of an exponent far below 1 ``x ** p`` does not overflow beside it."""
    at_zero = p * x ** (p - 1.0)
    return choose(equal(x, 0), at_zero, product_over(p, x**p, nonzero(x)))


powm1: Operation = special_function(
    "powm1",
    "``x ** p - 1``.",
    lambda y, x, p: _power_over_base(x, p),
    lambda y, x, p: x**p * log(nonzero(x)),
    singular=True,
    sympy=lambda sp, x, p: x**p - 1,
)


sindg: Operation = _of_one(
    "sindg",
    lambda y, x: DEGREE * cosdg(x),
    lambda sp, x: sp.sin(x * sp.pi / 180),
    "Sine of degrees.",
)
cosdg: Operation = _of_one(
    "cosdg",
    lambda y, x: -DEGREE * sindg(x),
    lambda sp, x: sp.cos(x * sp.pi / 180),
    "Cosine of degrees.",
)
tandg = _of_one(
    "tandg",
    lambda y, x: DEGREE * (1.0 + y * y),
    lambda sp, x: sp.tan(x * sp.pi / 180),
    "Tangent of degrees.",
)
cotdg = _of_one(
    "cotdg",
    lambda y, x: -DEGREE * (1.0 + y * y),
    lambda sp, x: sp.cot(x * sp.pi / 180),
    "Cotangent of degrees.",
)
radian: Operation = special_function(
    "radian",
    "Degrees, minutes and seconds in radians.",
    DEGREE,
    DEGREE / 60.0,
    DEGREE / 3600.0,
    sympy=lambda sp, d, m, s: (d + (m + s / 60) / 60) * sp.pi / 180,
)
