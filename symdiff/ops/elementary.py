"""Elementary functions: powers, exponentials, logarithms, those of circles, and their kin.

Each is declared with its ufunc, its partial derivatives (by the operand's position; None where
nothing flows) and its SymPy meaning.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.graph import OPERATORS, Node, Value
from symdiff.ir.types import FLOAT, INT, ArrayType, Type
from symdiff.ops import patterns, support
from symdiff.ops.arithmetic import (
    absolute,
    bitwise_and,
    by_numpy,
    choose,
    constant_of,
    divide,
    equal,
    multiply,
    nonzero,
    over_nonzero,
    strong_constant,
)
from symdiff.ops.batching import pointwise
from symdiff.ops.casts import (
    as_dtype_of,
    conjugate,
    conjugated,
    imag,
    is_complex,
    number_or_array,
    python_float,
)
from symdiff.ops.declare import (
    Operation,
    Spelling,
    array_type,
    call,
    elementwise,
    infix,
    operation_named,
    supporting_call,
    template,
)
from symdiff.ops.effects import stop_gradient
from symdiff.ops.meanings import select
from symdiff.ops.ranges import is_positive, range_of, unless_never_zero, unless_within
from symdiff.ops.squares import is_root_of_squares, is_sum_of_squares

LOG_2 = math.log(2.0)
LOG_10 = math.log(10.0)


# power: its partials are written for the exponents that people write ----------------------------


def power_partial_base(y: Value, x: Value, exponent: Value) -> Any:
    n = constant_of(exponent)
    if n is None:
        return exponent * _without_zero_to_zero(x, exponent) ** (exponent - 1)
    if n == 0:
        return 0.0
    if n == 1:
        return 1.0
    factor = float(n) if type(n) is int and abs(n) < 2**53 else n  # NumPy multiplies faster by it
    if n == 2:
        return factor * x
    if not isinstance(n, complex) and n < 1:
        if y.node is not None and is_root_of_squares(y.node):
            return over_nonzero(strong_constant(factor, y), x ** (1 - n))
        return factor / x ** (1 - n)  # as a quotient, which a mask can keep from dividing by 0
    return factor * _constant_power(y, x, n - 1)


def _without_zero_to_zero(x: Value, exponent: Value) -> Value:
    """``x``, but 1 where both are 0: the partial ``0 * 0 ** -1`` is 0 there."""
    if constant_of(x):
        return x
    both = bitwise_and(equal(x, 0), equal(exponent, 0))
    return choose(both, strong_constant(1, x), x)


def _constant_power(y: Value, x: Value, n: Any) -> Any:
    """``x ** n`` as Python's operator where that raises only if the power did, else as NumPy's."""
    if n == 1:
        return x
    if array_type(y).kind == "python" and n.real > 0:
        return power(x, n)
    return x**n


def power_partial_exponent(y: Value, x: Value, exponent: Value) -> Any:
    base = constant_of(x)
    if base is not None:
        return 0.0 if base == 0 else y * log(_not_too_long(x))
    return y * log(nonzero(_not_too_long(x)))


def _not_too_long(n: Value) -> Value:
    """A Python integer as a float: NumPy has logarithms of those alone that an ``int64`` holds."""
    return python_float(n) if array_type(n) == INT else n


def power_is_strong(node: Node) -> bool:
    """Exponents below 1 make the partial infinite at 0; a base that is a constant has none."""
    base, exponent = (constant_of(operand) for operand in node.operands)
    if base is not None:
        return bool(base == 0)
    if is_positive(node.operands[0]) or is_root_of_squares(node):
        return False
    return exponent is None or isinstance(exponent, complex) or bool(0 < exponent < 1)


def power_is_singular(node: Node) -> bool:
    """Exponents that are no integers give NaN of what is negative."""
    base, exponent = (constant_of(operand) for operand in node.operands)
    if base is not None:
        return bool(base == 0)
    if is_positive(node.operands[0]) or is_root_of_squares(node):
        return False
    if exponent is None or isinstance(exponent, complex):
        return True
    return bool(exponent < 1) or (exponent % 1 != 0 and range_of(node.operands[0])[0] < 0.0)


power: Operation = elementwise(
    np.power,
    "``a ** b``; the derivative of ``x ** 0`` at 0 is 0.",
    power_partial_base,
    power_partial_exponent,
    spelling=infix(ast.Pow),
    raises_on_numbers=True,
    python=operator.pow,
    singular=power_is_singular,
    strong=power_is_strong,
    sympy=lambda sp, a, b: a**b,
)
_infer_elementwise_power = power.infer


def _infer_power(*types: Type, fractional: bool = False, **attributes: Any) -> tuple[Type, ...]:
    """``fractional=True``: a Python int is raised to a negative one, which gives a float."""
    return (FLOAT,) if fractional else _infer_elementwise_power(*types, **attributes)


power.infer = _infer_power


# Elementary functions ---------------------------------------------------------------------------

sin: Operation = elementwise(np.sin, "Sine.", lambda y, x: cos(x), sympy="sin", math="sin")
cos: Operation = elementwise(np.cos, "Cosine.", lambda y, x: -sin(x), sympy="cos", math="cos")
tan: Operation = elementwise(np.tan, "Tangent.", lambda y, x: 1.0 + y * y, sympy="tan", math="tan")
arcsin: Operation = elementwise(
    np.arcsin,
    "Inverse sine; its derivative at -1 and 1 is inf.",
    lambda y, x: 1.0 / (cos(y) if is_complex(x) else sqrt((1.0 - x) * (1.0 + x))),
    strong=unless_within(-1.0, 1.0),
    sympy="asin",
    math="asin",
)
arccos: Operation = elementwise(
    np.arccos,
    "Inverse cosine; its derivative at -1 and 1 is -inf.",
    lambda y, x: -1.0 / (sin(y) if is_complex(x) else sqrt((1.0 - x) * (1.0 + x))),
    strong=unless_within(-1.0, 1.0),
    sympy="acos",
    math="acos",
)


def _arctan_partial(y: Value, x: Value) -> Value:
    """``1 / (1 + x²)``; complex squares are NaN where they overflow."""
    if is_complex(x):
        return 1.0 / (1.0 + 1j * x) / (1.0 - 1j * x)
    return 1.0 / (1.0 + x * x)


arctan: Operation = elementwise(
    np.arctan, "Inverse tangent.", _arctan_partial, sympy="atan", math="atan"
)
sinh: Operation = elementwise(
    np.sinh, "Hyperbolic sine.", lambda y, x: cosh(x), sympy="sinh", math="sinh"
)
cosh: Operation = elementwise(
    np.cosh, "Hyperbolic cosine.", lambda y, x: sinh(x), sympy="cosh", math="cosh"
)
tanh: Operation = elementwise(
    np.tanh, "Hyperbolic tangent.", lambda y, x: 1.0 - y * y, sympy="tanh", math="tanh"
)
arcsinh: Operation = elementwise(
    np.arcsinh,
    "Inverse hyperbolic sine.",
    lambda y, x: 1.0 / (cosh(y) if is_complex(x) else hypot(x, 1.0)),
    sympy="asinh",
    math="asinh",
)
arccosh: Operation = elementwise(
    np.arccosh,
    "Inverse hyperbolic cosine; its derivative at 1 is inf.",
    lambda y, x: 1.0 / (sinh(y) if is_complex(x) else sqrt(x - 1.0) * sqrt(x + 1.0)),
    strong=unless_within(1.0),
    sympy="acosh",
    math="acosh",
)


def _arctanh_partial(y: Value, x: Value) -> Value:
    """``1 / (1 - x²)``, as with ``arctan``."""
    if is_complex(x):
        return 1.0 / (1.0 - x) / (1.0 + x)
    return 1.0 / ((1.0 - x) * (1.0 + x))


arctanh: Operation = elementwise(
    np.arctanh,
    "Inverse hyperbolic tangent.",
    _arctanh_partial,
    singular=unless_within(-1.0, 1.0),
    sympy="atanh",
    math="atanh",
)
exp: Operation = elementwise(np.exp, "Exponential.", lambda y, x: y, sympy="exp", math="exp")
exp2: Operation = elementwise(
    np.exp2, "``2 ** x``.", lambda y, x: y * LOG_2, sympy=lambda sp, x: 2**x
)
expm1: Operation = elementwise(
    np.expm1,
    "``exp(x) - 1``, exact near 0.",
    lambda y, x: y + 1.0,
    sympy=lambda sp, x: sp.exp(x) - 1,
    math="expm1",
)
log: Operation = elementwise(
    np.log,
    "Natural logarithm.",
    lambda y, x: 1.0 / x,
    singular=unless_within(0.0),
    sympy="log",
    math="log",
)
log2: Operation = elementwise(
    np.log2,
    "Logarithm to base 2.",
    lambda y, x: 1.0 / (x * LOG_2),
    singular=unless_within(0.0),
    sympy=lambda sp, x: sp.log(x, 2),
    math="log2",
)
log10: Operation = elementwise(
    np.log10,
    "Logarithm to base 10.",
    lambda y, x: 1.0 / (x * LOG_10),
    singular=unless_within(0.0),
    sympy=lambda sp, x: sp.log(x, 10),
    math="log10",
)
log1p: Operation = elementwise(
    np.log1p,
    "``log(1 + x)``, exact near 0.",
    lambda y, x: 1.0 / (1.0 + x),
    singular=unless_within(-1.0),
    sympy=lambda sp, x: sp.log(1 + x),
    math="log1p",
)


_may_be_at_zero = unless_within(0.0)


def sqrt_partial(y: Value, x: Value) -> Value:
    """``0.5 / y``; of a sum of squares, where it is 0, a number that is as good as any."""
    if is_sum_of_squares(x):
        return over_nonzero(strong_constant(0.5, y), y)
    return 0.5 / y


def sqrt_is_strong(node: Node) -> bool:
    return _may_be_at_zero(node) and not is_sum_of_squares(node.operands[0])


sqrt: Operation = elementwise(
    np.sqrt,
    "Square root; its derivative at 0 is inf, of a sum of squares 0.",
    sqrt_partial,
    strong=sqrt_is_strong,
    sympy="sqrt",
    math="sqrt",
    cost="plain",
)
cbrt: Operation = elementwise(
    np.cbrt,
    "Cube root; its derivative at 0 is inf.",
    lambda y, x: 1.0 / (3.0 * y * y),
    strong=unless_never_zero(0),
    sympy=lambda sp, x: sp.sign(x) * sp.Abs(x) ** sp.Rational(1, 3),
)
square: Operation = elementwise(
    np.square,
    "``x * x``.",
    lambda y, x: 2.0 * x,
    sympy=lambda sp, x: x**2,
    math=lambda x: multiply(x, x),
    cost="plain",
)
reciprocal: Operation = elementwise(
    np.reciprocal,
    "``1 / x``.",
    lambda y, x: -(y * y),
    singular=unless_never_zero(0),
    sympy=lambda sp, x: 1 / x,
)
deg2rad: Operation = elementwise(
    np.deg2rad, "Degrees to radians.", math.pi / 180.0, sympy=lambda sp, x: x * sp.pi / 180
)
rad2deg: Operation = elementwise(
    np.rad2deg, "Radians to degrees.", 180.0 / math.pi, sympy=lambda sp, x: x * 180 / sp.pi
)


# Two operands -----------------------------------------------------------------------------------


def over_squared_length(x: Value, length: Value, certain: bool) -> Value:
    """``x / length²``, but ``x`` where the length is 0, if it is not ``certain`` that it is not.

    The square of a length may overflow, or be 0, where what it divides by is a plain number.
    """
    length = length if certain else nonzero(length)
    return divide(divide(x, length), length)


def _arctan2_partial(x: Value, a: Value, b: Value) -> Value:
    certain = bool(constant_of(a) or constant_of(b))
    return over_squared_length(x, hypot(a, b), certain)


arctan2: Operation = elementwise(
    np.arctan2,
    "The angle of the point (b, a); its derivative at (0, 0) is 0.",
    lambda y, a, b: _arctan2_partial(b, a, b),
    lambda y, a, b: -_arctan2_partial(a, a, b),
    sympy="atan2",
    math="atan2",
)
hypot: Operation = elementwise(
    np.hypot,
    "``sqrt(a * a + b * b)``; its derivative at (0, 0) is 0.",
    lambda y, a, b: over_nonzero(a, y),
    lambda y, a, b: over_nonzero(b, y),
    sympy=lambda sp, a, b: sp.sqrt(a**2 + b**2),
    math="hypot",
)


def finite_or_zero(y: Value) -> Value:
    """``y``, but 0 where it is -inf: nothing there has weight."""
    return choose(equal(y, -math.inf), strong_constant(0, y), y)


def stopped(x: Value) -> Value:
    """``x``, by which nothing is differentiated: what is the same whatever it is computed of."""
    return stop_gradient(x)


logistic: Operation = Operation.of_arrays(
    "logistic",
    lambda x: number_or_array(np.exp(np.ones(1, x.dtype)).dtype, x.shape),
    support.logistic,
    spelling=supporting_call(support.logistic),
    partials=(lambda y, x: y * logistic(-x),),
    math=lambda x: 1.0 / (1.0 + operation_named("math_exp")(-x)),
    sympy=lambda sp, x: 1 / (1 + sp.exp(-x)),
    documentation="``1 / (1 + exp(-x))`` without overflow: the derivative of ``logaddexp(0, x)``.",
)


def _part(y: Value, x: Value, other: Value) -> Value:
    """The part that ``exp(x)`` has in the sum of powers whose logarithm is ``y``.

    Beside a finite number that is known it is told by the difference alone.
    """
    number = constant_of(other)
    if number is None or not math.isfinite(number):
        return _weight(exp, y, x, other)
    return logistic(x - number)


def _weight(power: Operation, y: Value, x: Value, other: Value) -> Value:
    """``power(x - y)``: the part that ``x`` has in the sum of powers whose logarithm is ``y``.

    Of large numbers ``y`` has lost digits, and the parts are scaled to add up to 1. Beside a small
    number that is known ``y`` is either small or that of ``x`` alone.
    """
    known = [number for number in map(constant_of, (x, other)) if number is not None]
    shift = y if any(map(math.isfinite, known)) else finite_or_zero(y)
    part: Value = power(x - shift)
    if known and abs(known[0]) <= 1:
        return part
    return part / nonzero(stopped(part + power(other - shift)))


logaddexp: Operation = elementwise(
    np.logaddexp,
    "``log(exp(a) + exp(b))`` without overflow.",
    _part,
    lambda y, a, b: _part(y, b, a),
    sympy=lambda sp, a, b: sp.log(sp.exp(a) + sp.exp(b)),
)
logaddexp2: Operation = elementwise(
    np.logaddexp2,
    "``log2(2 ** a + 2 ** b)`` without overflow.",
    lambda y, a, b: _weight(exp2, y, a, b),
    lambda y, a, b: _weight(exp2, y, b, a),
    sympy=lambda sp, a, b: sp.log(2**a + 2**b, 2),
)
float_power: Operation = elementwise(
    np.float_power,
    "``a ** b`` in double precision.",
    power_partial_base,
    power_partial_exponent,
    singular=power_is_singular,
    strong=power_is_strong,
    sympy=lambda sp, a, b: a**b,
)


# sinc -------------------------------------------------------------------------------------------


def _or_derivative(function: str, derivative: Callable[..., Any]) -> Spelling:
    """Spelled as a call of NumPy's function; the derivatives of an ``order`` are another's."""

    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        named = (
            supporting_call(derivative) if node.attributes.get("order") else call(function, order=0)
        )
        return named(node, operands)

    return spell


def _sinc(sp: Any, x: Any, order: int) -> Any:
    """A derivative of ``sinc``; at 0 it is a term of the series."""
    if order == 0:
        return sp.sinc(sp.pi * x)
    t = sp.Dummy("t", real=True)
    at_zero = 0 if order % 2 else sp.pi**order * (-1) ** (order // 2) / sp.Integer(order + 1)
    elsewhere = sp.diff(sp.sin(sp.pi * t) / (sp.pi * t), t, order).subs(t, x)
    return select(sp, sp.Eq(x, 0), at_zero, elsewhere)


sinc: Operation = Operation.of_arrays(
    "sinc",
    lambda x, *, order=0: number_or_array(np.sinc(np.ones(1, x.dtype)).dtype, x.shape),
    lambda x, *, order=0: support.sinc(x, order=order) if order else np.sinc(x),
    spelling=_or_derivative("np.sinc", support.sinc),
    vjp={0: lambda g, y, x, order=0: as_dtype_of(g * conjugated(sinc(x, order=order + 1)), x)},
    jvp={0: lambda t, y, x, order=0: as_dtype_of(t * sinc(x, order=order + 1), y)},
    sympy=lambda sp, x, *, order=0: _sinc(sp, x, order),
    example="np.sinc(x)",
    batch=pointwise,
    pattern=patterns.pointwise,
    documentation="``sin(pi x) / (pi x)``, and its derivatives, exact at 0 too.",
)


# i0 ---------------------------------------------------------------------------------------------


def _infer_i0(x: ArrayType, *, order: int = 0) -> ArrayType:
    if x.dtype.kind == "c":
        raise rejection(TypeError, "i0 not supported for complex values")
    return ArrayType(np.i0(np.ones((), x.dtype)).dtype, x.shape)


def _i0(sp: Any, x: Any, order: int) -> Any:
    t = sp.Dummy("t", real=True)
    return sp.diff(sp.besseli(0, t), t, order).subs(t, x)


i0: Operation = Operation.of_arrays(
    "i0",
    _infer_i0,
    lambda x, *, order=0: support.i0(x, order=order) if order else np.i0(x),
    spelling=_or_derivative("np.i0", support.i0),
    vjp={0: lambda g, y, x, order=0: g * i0(x, order=order + 1)},
    broadcasts=frozenset({0}),
    jvp={0: lambda t, y, x, order=0: as_dtype_of(t * i0(x, order=order + 1), y)},
    sympy=lambda sp, x, *, order=0: _i0(sp, x, order),
    example="np.i0(x)",
    batch=pointwise,
    pattern=patterns.pointwise,
    documentation="The modified Bessel function of the first kind, order 0, and derivatives.",
)


# Complex parts ----------------------------------------------------------------------------------


def _angle_partial(y: Value, x: Value) -> Any:
    """Of a complex number; the real part of its product with a tangent is the result's tangent."""
    if not is_complex(x):
        return 0.0
    return over_squared_length(conjugate(x) * -1j, absolute(x), certain=False)


angle: Operation = Operation.of_arrays(
    "angle",
    lambda x: number_or_array(np.angle(np.ones(1, x.dtype)).dtype, x.shape),
    np.angle,
    partials=(_angle_partial,),
    sympy="arg",
    documentation="The angle of a complex number in radians; its derivative at 0 is 0.",
)


def _turned(t: Value, y: Value, x: Value) -> Value:
    """The part of ``t`` that turns a complex number, over its length: ``sign`` knows no other."""
    return y * (imag(conjugate(y) * t) / nonzero(absolute(x))) * 1j


complex_sign: Operation = Operation.of_arrays(
    "complex_sign",
    lambda x: number_or_array(x.dtype, x.shape),
    np.sign,
    vjp={0: _turned},  # it is its own adjoint
    jvp={0: _turned},
    sympy=lambda sp, z: sp.sign(z),
    example="np.sign(z)",
    batch=pointwise,
    pattern=patterns.pointwise,
    documentation="``z / abs(z)`` of a complex number; its derivative at 0 is 0.",
)


squared_absolute: Operation = Operation(
    "squared_absolute",
    lambda z, a, *, ufunc=False: square.infer(a) if ufunc else power.infer(a, INT),
    lambda z, a, *, ufunc=False: np.square(a) if ufunc else a**2,
    spelling=lambda node, operands: template(
        "np.square({1})" if node.attributes.get("ufunc") else "{1} ** 2"
    )(node, operands),
    vjp={0: lambda g, y, z, a, **_: 2.0 * z * g},
    jvp={0: lambda t, y, z, a, **_: as_dtype_of(2.0 * conjugate(z) * t, y)},
    nondifferentiable=frozenset({1}),
    sympy=lambda sp, z, a, **_: a**2,
    batch=pointwise,
    pattern=patterns.pointwise,
    documentation="``a ** 2`` of ``a = abs(z)``, complex: smooth at 0, which ``abs`` is not.",
)


def squared(a: Value, **attributes: Any) -> Value | None:
    """The square of what is known to be the absolute value of a complex number."""
    node = a.node
    if node is None or node.op is not absolute or not is_complex(node.operands[0]):
        return None
    return squared_absolute(node.operands[0], a, **attributes)


OPERATORS.update(power=by_numpy(power))
