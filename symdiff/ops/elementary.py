"""Elementwise ops: arithmetic, comparisons, elementary functions, ``where``, ``clip``, casts.

Each is declared with its ufunc, its partial derivatives (by the operand's position; None where
nothing flows) and its SymPy meaning. An op with an operator (``add``) means that operator, on
Python numbers Python's; the attribute ``ufunc=True`` makes it NumPy's function. Derivative rules
must not raise where NumPy gives inf: they write ``a / b`` and ``a ** b`` on values, which is
NumPy's meaning always.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.build import builder, constant_value
from symdiff.ir.graph import OPERATORS, Node, Operand, Value
from symdiff.ir.types import BOOL, COMPLEX, FLOAT, INT, ArrayType, Dim, Type, type_of_constant
from symdiff.ops import support
from symdiff.ops.declare import (
    Fails,
    OfTruths,
    Operation,
    Rules,
    are_complex_numbers,
    array_type,
    broadcast_shapes,
    call,
    dotted,
    elementwise,
    infix,
    literal,
    one_of,
    require_array,
    supporting_call,
    template,
)
from symdiff.ops.effects import stop_gradient
from symdiff.ops.flops import nothing
from symdiff.ops.kinds import is_numpys_operator
from symdiff.ops.meanings import greatest, least, select

LOG_2 = math.log(2.0)
LOG_10 = math.log(10.0)

# Constants and kinds ----------------------------------------------------------------------------


def constant_of(value: Operand) -> Any:
    """The number that an operand is known to be, or None."""
    if not isinstance(value, Value):
        return value
    number = constant_value(value)
    return None if isinstance(number, np.ndarray) else number


def strong_constant(number: float, like: Value) -> Value:
    """A constant of the dtype of ``like``: beside weak numbers it keeps it."""
    dtype = array_type(like).dtype
    if dtype == np.dtype("float64"):
        return builder().constant(float(number))
    return builder().constant(dtype.type(number))


def choose(c: Value, a: Value, b: Value) -> Value:
    """``where(c, a, b)``; of numbers of one type ``a if c else b``."""
    if any(array_type(v).kind == "array" for v in (c, a, b)):
        return where(c, a, b)
    a, b = _of_kind(a, b), _of_kind(b, a)
    if array_type(a) != array_type(b):
        return where(c, a, b)
    return choice(c, a, b)


def _of_kind(constant: Value, other: Value) -> Value:
    """A Python number that is known, as a NumPy scalar where it stands beside one."""
    number, type_ = constant_of(constant), array_type(other)
    if number is None or type_.kind != "scalar":
        return constant
    return builder().constant(type_.dtype.type(number))


def is_complex(value: Operand) -> bool:
    """Return whether an operand is of complex dtype."""
    return array_type(value).dtype.kind == "c"


def nonzero(x: Value) -> Value:
    """``x``, but 1 where it is 0, to divide by."""
    return choose(equal(x, 0), strong_constant(1, x), x)


def _all_python(*operands: Operand) -> bool:
    return all(array_type(operand).kind == "python" for operand in operands)


def number_or_array(dtype: np.dtype, shape: tuple[Dim, ...]) -> ArrayType:
    """What NumPy's functions give: a scalar rather than an array of rank 0."""
    return ArrayType(dtype, shape, "array" if shape else "scalar")


def by_numpy(operation: Operation) -> Callable[..., Value]:
    """An op with an operator as NumPy's function, on Python numbers too: it never raises."""

    def apply(*operands: Operand) -> Value:
        attributes = {} if is_numpys_operator(operation, operands) else {"ufunc": True}
        return operation(*operands, **attributes)

    return apply


# Arithmetic -------------------------------------------------------------------------------------

add: Operation = elementwise(
    np.add,
    1,
    1,
    spelling=infix(ast.Add),
    python=operator.add,
    sympy=lambda sp, a, b: a + b,
    cost="plain",
    documentation="Sum.",
)
subtract: Operation = elementwise(
    np.subtract,
    1,
    -1,
    spelling=infix(ast.Sub),
    python=operator.sub,
    sympy=lambda sp, a, b: a - b,
    cost="plain",
    documentation="Difference.",
)
multiply: Operation = elementwise(
    np.multiply,
    lambda y, a, b: b,
    lambda y, a, b: a,
    spelling=infix(ast.Mult),
    python=operator.mul,
    sympy=lambda sp, a, b: a * b,
    cost="plain",
    documentation="Product.",
)


def over_nonzero(a: Value, b: Value) -> Value:
    """``a / b``, but ``a`` where ``b`` is 0: it never raises."""
    return divide(a, nonzero(b))


def _quotient(y: Value, a: Operand, b: Operand) -> Value:
    """``a / b``: Python's if the op was (it has raised where ``b`` is zero), else NumPy's."""
    if array_type(y).kind == "python":
        return divide(a, b)
    return by_numpy(divide)(a, b)


divide: Operation = elementwise(
    np.divide,
    lambda y, a, b: _quotient(y, 1.0, b),
    lambda y, a, b: -_quotient(y, y, b),
    jvp={1: lambda t, y, a, b: -(_quotient(y, t, b) * y)},
    vjp={1: lambda g, y, a, b: -(_quotient(y, g, conjugated(b)) * conjugated(y))},
    spelling=infix(ast.Div),
    raises_on_numbers=True,
    python=operator.truediv,
    singular=True,
    sympy=lambda sp, a, b: a / b,
    cost="plain",
    documentation="Quotient.",
)
floor_divide: Operation = elementwise(
    np.floor_divide,
    None,
    None,
    spelling=infix(ast.FloorDiv),
    raises_on_numbers=True,
    python=operator.floordiv,
    sympy=lambda sp, a, b: sp.floor(a / b),
    documentation="Quotient rounded down; its derivative is 0.",
)
remainder: Operation = elementwise(
    np.remainder,
    1,
    lambda y, a, b: -by_numpy(floor_divide)(a, b),
    spelling=infix(ast.Mod),
    raises_on_numbers=True,
    python=operator.mod,
    sympy=lambda sp, a, b: a - b * sp.floor(a / b),
    documentation="Remainder with the sign of the divisor, ``a - b * floor(a / b)``.",
)
divide.fails = floor_divide.fails = remainder.fails = Fails(
    ZeroDivisionError, lambda a, b: equal(b, 0)
)
fmod: Operation = elementwise(
    np.fmod,
    1,
    lambda y, a, b: -trunc(a / b),
    sympy=lambda sp, a, b: a - b * towards_zero(sp, a / b),
    documentation="Remainder with the sign of the dividend.",
)
negative: Operation = elementwise(
    np.negative,
    -1,
    spelling=infix(ast.USub),
    python=operator.neg,
    sympy=lambda sp, x: -x,
    cost="plain",
    documentation="``-x``.",
)
positive: Operation = elementwise(
    np.positive,
    1,
    spelling=infix(ast.UAdd),
    python=operator.pos,
    sympy=lambda sp, x: x,
    cost="plain",
    documentation="``+x``, a copy.",
)


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
    if array_type(y).kind == "python" and n > 0:
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
    return exponent is None or isinstance(exponent, complex) or bool(0 < exponent < 1)


def power_is_singular(node: Node) -> bool:
    base, exponent = (constant_of(operand) for operand in node.operands)
    if base is not None:
        return bool(base == 0)
    return exponent is None or isinstance(exponent, complex) or bool(exponent < 1)


power: Operation = elementwise(
    np.power,
    power_partial_base,
    power_partial_exponent,
    spelling=infix(ast.Pow),
    raises_on_numbers=True,
    python=operator.pow,
    singular=power_is_singular,
    strong=power_is_strong,
    sympy=lambda sp, a, b: a**b,
    documentation="``a ** b``; the derivative of ``x ** 0`` at 0 is 0.",
)

_infer_elementwise_power = power.infer


def _infer_power(*types: Type, **attributes: Any) -> tuple[Type, ...]:
    """``fractional=True``: a Python int is raised to a negative one, which gives a float."""
    return (
        (FLOAT,) if attributes.get("fractional") else _infer_elementwise_power(*types, **attributes)
    )


power.infer = _infer_power

# Comparisons and logic --------------------------------------------------------------------------


def _comparison(
    ufunc: np.ufunc, token: type[ast.cmpop], python: Callable[..., Any], relation: str
) -> Operation:
    return elementwise(
        ufunc,
        None,
        None,
        spelling=infix(token),
        python=python,
        sympy=relation,
        cost="plain",
        documentation=f"Whether ``a {_SIGNS[token]} b``, elementwise.",
    )


_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}

less: Operation = _comparison(np.less, ast.Lt, operator.lt, "Lt")
less_equal: Operation = _comparison(np.less_equal, ast.LtE, operator.le, "Le")
greater: Operation = _comparison(np.greater, ast.Gt, operator.gt, "Gt")
greater_equal: Operation = _comparison(np.greater_equal, ast.GtE, operator.ge, "Ge")
equal: Operation = _comparison(np.equal, ast.Eq, operator.eq, "Eq")
not_equal: Operation = _comparison(np.not_equal, ast.NotEq, operator.ne, "Ne")


def _discrete(ufunc: np.ufunc, documentation: str, **more: Any) -> Operation:
    """An op through which no derivative flows."""
    return elementwise(ufunc, *[None] * ufunc.nin, documentation=documentation, **more)


logical_and: Operation = _discrete(
    np.logical_and, "Whether both are true.", cost="plain", sympy="And"
)
logical_or: Operation = _discrete(np.logical_or, "Whether one is true.", cost="plain", sympy="Or")
logical_xor: Operation = _discrete(np.logical_xor, "Whether exactly one is true.", sympy="Xor")
logical_not: Operation = _discrete(
    np.logical_not,
    "Whether it is false.",
    math=lambda x: not_(x),
    cost="plain",
    sympy="Not",
)
bitwise_and: Operation = _discrete(
    np.bitwise_and,
    "``a & b``.",
    spelling=infix(ast.BitAnd),
    python=operator.and_,
    sympy="And",
)
bitwise_or: Operation = _discrete(
    np.bitwise_or,
    "``a | b``.",
    spelling=infix(ast.BitOr),
    python=operator.or_,
    sympy="Or",
)
bitwise_xor: Operation = _discrete(
    np.bitwise_xor,
    "``a ^ b``.",
    spelling=infix(ast.BitXor),
    python=operator.xor,
    sympy="Xor",
)
invert: Operation = _discrete(
    np.invert,
    "``~x``.",
    spelling=infix(ast.Invert),
    python=operator.invert,
    sympy="Not",
)
left_shift: Operation = _discrete(
    np.left_shift,
    "``a << b``.",
    spelling=infix(ast.LShift),
    raises_on_numbers=True,
    python=operator.lshift,
    sympy=lambda sp, a, b: a * 2**b,
)
right_shift: Operation = _discrete(
    np.right_shift,
    "``a >> b``.",
    spelling=infix(ast.RShift),
    raises_on_numbers=True,
    python=operator.rshift,
    sympy=lambda sp, a, b: sp.floor(a / 2**b),
)
isnan: Operation = _discrete(
    np.isnan,
    "Whether it is not a number.",
    sympy=lambda sp, x: sp.false if x.is_finite else None,
)
isinf: Operation = _discrete(
    np.isinf,
    "Whether it is infinite.",
    sympy=lambda sp, x: sp.false if x.is_finite else None,
)
isfinite: Operation = _discrete(
    np.isfinite,
    "Whether it is neither infinite nor NaN.",
    sympy=lambda sp, x: sp.true if x.is_finite else None,
)
signbit: Operation = _discrete(
    np.signbit, "Whether the sign bit is set.", sympy=lambda sp, x: x < 0
)

# Rounding and signs -----------------------------------------------------------------------------


def towards_zero(sp: Any, x: Any) -> Any:
    """An expression rounded towards 0."""
    return sp.sign(x) * sp.floor(sp.Abs(x))


def to_even(sp: Any, x: Any) -> Any:
    """An expression rounded to the nearest integer, halves to the even one."""
    half = sp.Rational(1, 2)
    tie_above_even = sp.Eq(x - 2 * sp.floor(x / 2), half)
    return sp.floor(x + half) - select(sp, tie_above_even, sp.S.One, sp.S.Zero)


floor: Operation = _discrete(
    np.floor, "Rounded down; its derivative is 0.", cost="plain", sympy="floor"
)
ceil: Operation = _discrete(
    np.ceil, "Rounded up; its derivative is 0.", cost="plain", sympy="ceiling"
)
trunc: Operation = _discrete(
    np.trunc,
    "Rounded towards 0; its derivative is 0.",
    sympy=lambda sp, x: towards_zero(sp, x),
)
rint: Operation = _discrete(
    np.rint,
    "Rounded to even; its derivative is 0.",
    sympy=lambda sp, x: to_even(sp, x),
)
sign: Operation = _discrete(np.sign, "-1, 0 or 1; its derivative is 0.", cost="plain", sympy="sign")
heaviside: Operation = elementwise(
    np.heaviside,
    None,
    lambda y, x, h: equal(x, 0),
    sympy=lambda sp, x, h: select(sp, x < 0, sp.S.Zero, select(sp, sp.Eq(x, 0), h, sp.S.One)),
    documentation="0 below 0, 1 above, ``h`` at 0.",
)


def _spell_absolute(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    number = _all_python(*node.operands) or are_complex_numbers([array_type(node.operands[0])])
    python = number and not node.attributes.get("ufunc")
    return ast.Call(dotted("abs" if python else "np.abs"), list(operands), [])


def sign_of(x: Value) -> Value:
    """The sign; of a Python number as an int, without NumPy."""
    if array_type(x).kind != "python":
        return sign(x)
    return subtract(greater(x, 0), less(x, 0))


def _absolute_partial(y: Value, x: Value) -> Value:
    if not is_complex(x):
        return sign_of(x)
    return conjugate(x) / nonzero(y)


absolute: Operation = elementwise(
    np.absolute,
    _absolute_partial,
    spelling=_spell_absolute,
    python=abs,
    sympy="Abs",
    math=lambda x: absolute(x),
    cost="plain",
    documentation="Absolute value; its derivative at 0 is 0.",
)
fabs: Operation = elementwise(
    np.fabs,
    lambda y, x: sign(x),
    sympy="Abs",
    math=lambda x: absolute(x),
    documentation="Absolute value of reals.",
)
copysign: Operation = elementwise(
    np.copysign,
    lambda y, a, b: sign(a) * copysign(1.0, b),
    None,
    sympy=lambda sp, a, b: sp.Abs(a) * select(sp, b < 0, -sp.S.One, sp.S.One),
    documentation="``a`` with the sign of ``b``.",
)

# Elementary functions ---------------------------------------------------------------------------

sin: Operation = elementwise(
    np.sin, lambda y, x: cos(x), sympy="sin", math="sin", documentation="Sine."
)
cos: Operation = elementwise(
    np.cos, lambda y, x: -sin(x), sympy="cos", math="cos", documentation="Cosine."
)
tan: Operation = elementwise(
    np.tan, lambda y, x: 1.0 + y * y, sympy="tan", math="tan", documentation="Tangent."
)
arcsin: Operation = elementwise(
    np.arcsin,
    lambda y, x: 1.0 / (cos(y) if is_complex(x) else sqrt((1.0 - x) * (1.0 + x))),
    strong=True,
    singular=True,
    sympy="asin",
    math="asin",
    documentation="Inverse sine; its derivative at -1 and 1 is inf.",
)
arccos: Operation = elementwise(
    np.arccos,
    lambda y, x: -1.0 / (sin(y) if is_complex(x) else sqrt((1.0 - x) * (1.0 + x))),
    strong=True,
    singular=True,
    sympy="acos",
    math="acos",
    documentation="Inverse cosine; its derivative at -1 and 1 is -inf.",
)


def _arctan_partial(y: Value, x: Value) -> Value:
    """``1 / (1 + x²)``; complex squares are NaN where they overflow."""
    if is_complex(x):
        return 1.0 / (1.0 + 1j * x) / (1.0 - 1j * x)
    return 1.0 / (1.0 + x * x)


arctan: Operation = elementwise(
    np.arctan,
    _arctan_partial,
    sympy="atan",
    math="atan",
    documentation="Inverse tangent.",
)
sinh: Operation = elementwise(
    np.sinh,
    lambda y, x: cosh(x),
    sympy="sinh",
    math="sinh",
    documentation="Hyperbolic sine.",
)
cosh: Operation = elementwise(
    np.cosh,
    lambda y, x: sinh(x),
    sympy="cosh",
    math="cosh",
    documentation="Hyperbolic cosine.",
)
tanh: Operation = elementwise(
    np.tanh,
    lambda y, x: 1.0 - y * y,
    sympy="tanh",
    math="tanh",
    documentation="Hyperbolic tangent.",
)
arcsinh: Operation = elementwise(
    np.arcsinh,
    lambda y, x: 1.0 / (cosh(y) if is_complex(x) else hypot(x, 1.0)),
    sympy="asinh",
    math="asinh",
    documentation="Inverse hyperbolic sine.",
)
arccosh: Operation = elementwise(
    np.arccosh,
    lambda y, x: 1.0 / (sinh(y) if is_complex(x) else sqrt(x - 1.0) * sqrt(x + 1.0)),
    strong=True,
    singular=True,
    sympy="acosh",
    math="acosh",
    documentation="Inverse hyperbolic cosine; its derivative at 1 is inf.",
)


def _arctanh_partial(y: Value, x: Value) -> Value:
    """``1 / (1 - x²)``, as with ``arctan``."""
    if is_complex(x):
        return 1.0 / (1.0 - x) / (1.0 + x)
    return 1.0 / ((1.0 - x) * (1.0 + x))


arctanh: Operation = elementwise(
    np.arctanh,
    _arctanh_partial,
    singular=True,
    sympy="atanh",
    math="atanh",
    documentation="Inverse hyperbolic tangent.",
)
exp: Operation = elementwise(
    np.exp, lambda y, x: y, sympy="exp", math="exp", documentation="Exponential."
)
exp2: Operation = elementwise(
    np.exp2,
    lambda y, x: y * LOG_2,
    sympy=lambda sp, x: 2**x,
    documentation="``2 ** x``.",
)
expm1: Operation = elementwise(
    np.expm1,
    lambda y, x: y + 1.0,
    sympy=lambda sp, x: sp.exp(x) - 1,
    math="expm1",
    documentation="``exp(x) - 1``, exact near 0.",
)
log: Operation = elementwise(
    np.log,
    lambda y, x: 1.0 / x,
    singular=True,
    sympy="log",
    math="log",
    documentation="Natural logarithm.",
)
log2: Operation = elementwise(
    np.log2,
    lambda y, x: 1.0 / (x * LOG_2),
    singular=True,
    sympy=lambda sp, x: sp.log(x, 2),
    math="log2",
    documentation="Logarithm to base 2.",
)
log10: Operation = elementwise(
    np.log10,
    lambda y, x: 1.0 / (x * LOG_10),
    singular=True,
    sympy=lambda sp, x: sp.log(x, 10),
    math="log10",
    documentation="Logarithm to base 10.",
)
log1p: Operation = elementwise(
    np.log1p,
    lambda y, x: 1.0 / (1.0 + x),
    singular=True,
    sympy=lambda sp, x: sp.log(1 + x),
    math="log1p",
    documentation="``log(1 + x)``, exact near 0.",
)
sqrt: Operation = elementwise(
    np.sqrt,
    lambda y, x: 0.5 / y,
    strong=True,
    singular=True,
    sympy="sqrt",
    math="sqrt",
    cost="plain",
    documentation="Square root; its derivative at 0 is inf.",
)
cbrt: Operation = elementwise(
    np.cbrt,
    lambda y, x: 1.0 / (3.0 * y * y),
    strong=True,
    singular=True,
    sympy=lambda sp, x: sp.sign(x) * sp.Abs(x) ** sp.Rational(1, 3),
    documentation="Cube root; its derivative at 0 is inf.",
)
square: Operation = elementwise(
    np.square,
    lambda y, x: 2.0 * x,
    sympy=lambda sp, x: x**2,
    math=lambda x: multiply(x, x),
    cost="plain",
    documentation="``x * x``.",
)
reciprocal: Operation = elementwise(
    np.reciprocal,
    lambda y, x: -(y * y),
    singular=True,
    sympy=lambda sp, x: 1 / x,
    documentation="``1 / x``.",
)
deg2rad: Operation = elementwise(
    np.deg2rad,
    math.pi / 180.0,
    sympy=lambda sp, x: x * sp.pi / 180,
    documentation="Degrees to radians.",
)
rad2deg: Operation = elementwise(
    np.rad2deg,
    180.0 / math.pi,
    sympy=lambda sp, x: x * 180 / sp.pi,
    documentation="Radians to degrees.",
)

# Two operands -----------------------------------------------------------------------------------


def _winner(wins: Value, ties: Value, y: Value) -> Value:
    """1 where the operand wins, a half where there is a tie, else 0."""
    return wins + ties * strong_constant(0.5, y)


maximum: Operation = elementwise(
    np.maximum,
    lambda y, a, b: _winner(greater(a, b), equal(a, b), y),
    lambda y, a, b: _winner(greater(b, a), equal(a, b), y),
    sympy=greatest,
    cost="plain",
    selects=True,
    documentation="The greater one, NaN if either is; a tie splits the derivative evenly.",
)
minimum: Operation = elementwise(
    np.minimum,
    lambda y, a, b: _winner(less(a, b), equal(a, b), y),
    lambda y, a, b: _winner(less(b, a), equal(a, b), y),
    sympy=least,
    cost="plain",
    selects=True,
    documentation="The smaller one, NaN if either is; a tie splits the derivative evenly.",
)
fmax: Operation = elementwise(
    np.fmax,
    lambda y, a, b: _winner(bitwise_or(greater(a, b), isnan(b)), equal(a, b), y),
    lambda y, a, b: _winner(bitwise_or(greater(b, a), isnan(a)), equal(a, b), y),
    sympy=greatest,
    documentation="The greater one, the other where one is NaN.",
)
fmin: Operation = elementwise(
    np.fmin,
    lambda y, a, b: _winner(bitwise_or(less(a, b), isnan(b)), equal(a, b), y),
    lambda y, a, b: _winner(bitwise_or(less(b, a), isnan(a)), equal(a, b), y),
    sympy=least,
    documentation="The smaller one, the other where one is NaN.",
)


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
    lambda y, a, b: _arctan2_partial(b, a, b),
    lambda y, a, b: -_arctan2_partial(a, a, b),
    sympy="atan2",
    math="atan2",
    documentation="The angle of the point (b, a); its derivative at (0, 0) is 0.",
)
hypot: Operation = elementwise(
    np.hypot,
    lambda y, a, b: over_nonzero(a, y),
    lambda y, a, b: over_nonzero(b, y),
    sympy=lambda sp, a, b: sp.sqrt(a**2 + b**2),
    math="hypot",
    documentation="``sqrt(a * a + b * b)``; its derivative at (0, 0) is 0.",
)


def finite_or_zero(y: Value) -> Value:
    """``y``, but 0 where it is -inf: nothing there has weight."""
    return choose(equal(y, -math.inf), strong_constant(0, y), y)


def stopped(x: Value) -> Value:
    """``x``, by which nothing is differentiated: what is the same whatever it is computed of."""
    return stop_gradient(x)


def _weight(power: Operation, y: Value, x: Value, other: Value) -> Value:
    """``power(x - y)``: the part that ``x`` has in the sum of powers whose logarithm is ``y``.

    Of large numbers ``y`` has lost digits, and the parts are scaled to add up to 1. Beside a small
    number that is known ``y`` is either small or that of ``x`` alone.
    """
    shift = finite_or_zero(y)
    part: Value = power(x - shift)
    known = [number for number in map(constant_of, (x, other)) if number is not None]
    if known and abs(known[0]) <= 1:
        return part
    return part / nonzero(stopped(part + power(other - shift)))


logaddexp: Operation = elementwise(
    np.logaddexp,
    lambda y, a, b: _weight(exp, y, a, b),
    lambda y, a, b: _weight(exp, y, b, a),
    sympy=lambda sp, a, b: sp.log(sp.exp(a) + sp.exp(b)),
    documentation="``log(exp(a) + exp(b))`` without overflow.",
)
logaddexp2: Operation = elementwise(
    np.logaddexp2,
    lambda y, a, b: _weight(exp2, y, a, b),
    lambda y, a, b: _weight(exp2, y, b, a),
    sympy=lambda sp, a, b: sp.log(2**a + 2**b, 2),
    documentation="``log2(2 ** a + 2 ** b)`` without overflow.",
)
float_power: Operation = elementwise(
    np.float_power,
    power_partial_base,
    power_partial_exponent,
    singular=power_is_singular,
    strong=power_is_strong,
    sympy=lambda sp, a, b: a**b,
    documentation="``a ** b`` in double precision.",
)


# strong_multiply --------------------------------------------------------------------------------


def _strong_form(g: ArrayType, p: ArrayType, result: ArrayType) -> Literal["plain", "if", "where"]:
    """How a masked product is written: it needs no mask where factors are finite for certain."""
    if p.dtype.kind not in "fc":
        return "plain"
    return "if" if g == result and result.kind != "array" and p.kind != "array" else "where"


def _evaluate_strong_multiply(g: Any, p: Any) -> Any:
    types = type_of_constant(g), type_of_constant(p)
    form = _strong_form(*types, multiply.infer(*types)[0])  # type: ignore[arg-type]
    if form == "plain" or (form == "if" and g != 0):
        return g * p
    return g if form == "if" else g * np.where(g != 0, p, np.result_type(p).type(0))


def _spell_strong_multiply(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    g, p = operands
    types = (array_type(v) for v in (*node.operands, node.result))
    form = _strong_form(*types)
    if form == "plain":
        return ast.BinOp(g, ast.Mult(), p)
    test = ast.Compare(g, [ast.NotEq()], [literal(0)])
    if form == "if":
        return ast.IfExp(test, ast.BinOp(g, ast.Mult(), p), g)
    chosen = ast.Call(dotted("np.where"), [test, p, ast.Constant(0.0)], [])
    return ast.BinOp(g, ast.Mult(), chosen)


def strong_product(sp: Any, g: Any, p: Any) -> Any:
    """``g * p``; where ``g`` is 0 since it was not selected, 0 whatever ``p`` is there."""
    if not g.has(sp.Piecewise):
        return g * p
    pieces = next((one for one in sp.Mul.make_args(g) if isinstance(one, sp.Piecewise)), None)
    if pieces is None:
        return select(sp, sp.Ne(g, 0), g * p, sp.S.Zero)
    rest = sp.Mul(*(one for one in sp.Mul.make_args(g) if one is not pieces))
    pairs = ((strong_product(sp, e * rest, p) if e != 0 else e, c) for e, c in pieces.args)
    return sp.Piecewise(*pairs, evaluate=False)


strong_multiply: Operation = Operation(
    "strong_multiply",
    lambda g, p: multiply.infer(g, p),
    _evaluate_strong_multiply,
    spelling=_spell_strong_multiply,
    partials=(lambda y, g, p: p, lambda y, g, p: g),
    singular=True,
    strong=True,
    repeated=frozenset({0}),
    sympy=lambda sp, g, p: strong_product(sp, g, p),
    documentation="``g * p``, but 0 where ``g`` is 0 whatever ``p`` is: a strong zero.",
)


def _evaluate_strong_divide(g: Any, b: Any) -> Any:
    if np.ndim(g) == np.ndim(b) == 0:
        return np.divide(g, b if g != 0 else type(b)(1))
    return np.divide(g, np.where(g != 0, b, np.result_type(b).type(1)))


def one_beside(divisor: ArrayType) -> Any:
    """1 that leaves a divisor its dtype: beside 1.0 small integers would be doubles."""
    return {"b": True, "i": 1, "u": 1}.get(divisor.dtype.kind, 1.0)


def _spell_strong_divide(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """``g / np.where(g != 0, b, 1.0)``; of numbers ``g / (b if g != 0 else 1.0)``."""
    g, b = operands
    types = [array_type(v) for v in node.operands]
    test = ast.Compare(g, [ast.NotEq()], [literal(0)])
    if any(t.kind == "array" for t in types):
        one = literal(one_beside(types[1]))
        return ast.BinOp(g, ast.Div(), ast.Call(dotted("np.where"), [test, b, one], []))
    divisor = ast.IfExp(test, b, ast.Constant(1.0))
    if types[0].weak:
        return ast.Call(dotted("np.divide"), [g, divisor], [])
    return ast.BinOp(g, ast.Div(), divisor)


def _over_where(y: Value, t: Value, b: Value) -> Value:
    """``t / b`` where ``y`` is not 0, without a warning elsewhere."""
    return by_numpy(divide)(t, choose(not_equal(y, 0), b, strong_constant(1, b)))


strong_divide: Operation = Operation(
    "strong_divide",
    lambda g, b: divide.infer(g, b, ufunc=True),
    _evaluate_strong_divide,
    spelling=_spell_strong_divide,
    partials=(
        lambda y, g, b: by_numpy(divide)(1.0, b),
        lambda y, g, b: -strong_divide(y, b),
    ),
    jvp={1: lambda t, y, g, b: -strong_multiply(y, _over_where(y, t, b))},
    vjp={
        1: lambda g_bar, y, g, b: (
            -strong_multiply(conjugated(y), _over_where(y, g_bar, conjugated(b)))
        )
    },
    singular=True,
    strong=True,
    repeated=frozenset({0}),
    sympy=lambda sp, g, b: strong_product(sp, g, 1 / b),
    documentation="``g / b``, but 0 where ``g`` is 0 whatever ``b`` is, without a warning.",
)

# where, clip ------------------------------------------------------------------------------------


def result_dtype(*types: ArrayType) -> np.dtype:
    """NumPy's promotion of values of several types, Python numbers being weak."""
    weak = {"f": 0.0, "i": 0, "c": 0j, "b": False}
    tokens = [weak[t.dtype.kind] if t.weak else t.dtype for t in types]
    return np.result_type(*tokens)


def _infer_where(c: Type, a: Type, b: Type) -> tuple[Type, ...]:
    condition, first, second = (require_array(t, "where") for t in (c, a, b))
    shape = broadcast_shapes(condition.shape, first.shape, second.shape)
    return (ArrayType(result_dtype(first, second), shape, "array"),)


def _where_share(chosen: bool, t: Value, y: Value, c: Value) -> Value:
    """What flows between the result of a ``where`` and one of its two choices."""
    zero = strong_constant(0, t)
    return choose(c, t, zero) if chosen else choose(c, zero, t)


_SHARES: Rules = {
    1: lambda t, y, c, a, b: _where_share(True, t, y, c),
    2: lambda t, y, c, a, b: _where_share(False, t, y, c),
}
_CHOICE_RULES: Mapping[str, Any] = {
    "vjp": _SHARES,
    "jvp": _SHARES,
    "broadcasts": frozenset({1, 2}),
    "nondifferentiable": frozenset({0}),
}


where: Operation = Operation(
    "where",
    _infer_where,
    np.where,
    spelling=call("np.where"),
    **_CHOICE_RULES,
    sympy=OfTruths(frozenset({0}), select),
    order="kept",
    cost="plain",
    example="np.where(c, x, w)",
    documentation="``a`` where the condition holds, else ``b``.",
)


def _infer_choice(c: Type, a: Type, b: Type) -> tuple[Type, ...]:
    if a != b or any(require_array(t, "choice").kind == "array" for t in (c, a)):
        raise rejection(TypeError, f"a choice between {a} and {b}")
    return (a,)


choice: Operation = Operation(
    "choice",
    _infer_choice,
    lambda c, a, b: a if c else b,
    spelling=lambda node, operands: ast.IfExp(*operands),
    **_CHOICE_RULES,
    sympy=OfTruths(frozenset({0}), select),
    order="none",
    cost="plain",
    documentation="``a if c else b`` of two numbers of one type.",
)

_CLIP: np.ufunc = np._core.umath.clip  # type: ignore[attr-defined]
clip: Operation = elementwise(
    _CLIP,
    lambda y, x, lo, hi: bitwise_and(greater_equal(x, lo), less_equal(x, hi)),
    lambda y, x, lo, hi: bitwise_and(less(x, lo), less_equal(lo, hi)),
    lambda y, x, lo, hi: bitwise_or(greater(x, hi), greater(lo, hi)),
    spelling=call("np.clip"),
    sympy=lambda sp, x, lo, hi: least(sp, greatest(sp, x, lo), hi),
    name="clip",
    documentation="``x`` kept within bounds; its derivative at the bounds is 1.",
)


clip_below: Operation = elementwise(
    np.maximum,
    lambda y, x, lo: greater_equal(x, lo),
    lambda y, x, lo: less(x, lo),
    spelling=template("np.clip({0}, {1}, None)"),
    sympy=greatest,
    name="clip_below",
    documentation="``np.clip`` with a lower bound alone.",
)
clip_above: Operation = elementwise(
    np.minimum,
    lambda y, x, hi: less_equal(x, hi),
    lambda y, x, hi: greater(x, hi),
    spelling=template("np.clip({0}, None, {1})"),
    sympy=least,
    name="clip_above",
    documentation="``np.clip`` with an upper bound alone.",
)

# sinc -------------------------------------------------------------------------------------------


def _infer_sinc(x: Type, *, order: int = 0) -> tuple[Type, ...]:
    type_ = require_array(x, "sinc")
    dtype = np.sinc(np.ones(1, type_.dtype)).dtype
    return (number_or_array(dtype, type_.shape),)


def _spell_sinc(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    if not node.attributes.get("order"):
        return ast.Call(dotted("np.sinc"), list(operands), [])
    return supporting_call(support.sinc)(node, operands)


def _sinc(sp: Any, x: Any, order: int) -> Any:
    """A derivative of ``sinc``; at 0 it is a term of the series."""
    if order == 0:
        return sp.sinc(sp.pi * x)
    t = sp.Dummy("t", real=True)
    at_zero = 0 if order % 2 else sp.pi**order * (-1) ** (order // 2) / sp.Integer(order + 1)
    elsewhere = sp.diff(sp.sin(sp.pi * t) / (sp.pi * t), t, order).subs(t, x)
    return select(sp, sp.Eq(x, 0), at_zero, elsewhere)


sinc: Operation = Operation(
    "sinc",
    _infer_sinc,
    lambda x, *, order=0: support.sinc(x, order=order) if order else np.sinc(x),
    spelling=_spell_sinc,
    vjp={0: lambda g, y, x, order=0: as_dtype_of(g * conjugated(sinc(x, order=order + 1)), x)},
    jvp={0: lambda t, y, x, order=0: as_dtype_of(t * sinc(x, order=order + 1), y)},
    sympy=lambda sp, x, *, order=0: _sinc(sp, x, order),
    order="unknown",
    example="np.sinc(x)",
    documentation="``sin(pi x) / (pi x)``, and its derivatives, exact at 0 too.",
)

# i0 ---------------------------------------------------------------------------------------------


def _infer_i0(x: Type, *, order: int = 0) -> tuple[Type, ...]:
    type_ = require_array(x, "i0")
    if type_.dtype.kind == "c":
        raise rejection(TypeError, "i0 not supported for complex values")
    return (ArrayType(np.i0(np.ones((), type_.dtype)).dtype, type_.shape, "array"),)


def _spell_i0(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    if not node.attributes.get("order"):
        return ast.Call(dotted("np.i0"), list(operands), [])
    return supporting_call(support.i0)(node, operands)


def _i0(sp: Any, x: Any, order: int) -> Any:
    t = sp.Dummy("t", real=True)
    return sp.diff(sp.besseli(0, t), t, order).subs(t, x)


i0: Operation = Operation(
    "i0",
    _infer_i0,
    lambda x, *, order=0: support.i0(x, order=order) if order else np.i0(x),
    spelling=_spell_i0,
    vjp={0: lambda g, y, x, order=0: g * i0(x, order=order + 1)},
    broadcasts=frozenset({0}),
    jvp={0: lambda t, y, x, order=0: as_dtype_of(t * i0(x, order=order + 1), y)},
    sympy=lambda sp, x, *, order=0: _i0(sp, x, order),
    order="unknown",
    example="np.i0(x)",
    documentation="The modified Bessel function of the first kind, order 0, and derivatives.",
)

# Complex parts ----------------------------------------------------------------------------------


def _part(name: str, function: Any, vjp: Any, documentation: str) -> Operation:
    """A linear op that takes complex numbers to reals and is the identity, or 0, on reals."""

    def infer(x: Type) -> tuple[Type, ...]:
        type_ = require_array(x, name)
        if type_.kind == "python":
            return (type_of_constant(function(one_of(type_))),)
        dtype = function(np.empty(0, type_.dtype)).dtype
        return (ArrayType(dtype, type_.shape, type_.kind),)

    return Operation(
        name,
        infer,
        function,
        cost="free",
        view=0,
        spelling=lambda node, operands: ast.Attribute(operands[0], name, ast.Load()),
        linear=frozenset({0}),
        vjp={0: vjp},
        sympy={"real": "re", "imag": "im"}[name],
        example=f"np.{name}(z)",
        documentation=documentation,
    )


real: Operation = _part(
    "real", operator.attrgetter("real"), lambda g, y, x: as_dtype_of(g, x), "The real part."
)
imag: Operation = _part(
    "imag",
    operator.attrgetter("imag"),
    lambda g, y, x: as_dtype_of(g * 1j, x),
    "The imaginary part.",
)


def _infer_conjugate(x: Type, *, ufunc: bool = False) -> tuple[Type, ...]:
    type_ = require_array(x, "conjugate")
    if type_.kind == "python" and not ufunc:
        return (type_of_constant(one_of(type_).conjugate()),)
    dtype = np.dtype("int8") if type_.dtype.kind == "b" else type_.dtype
    return (number_or_array(dtype.newbyteorder("="), type_.shape),)


def _evaluate_conjugate(x: Any, *, ufunc: bool = False) -> Any:
    plain = isinstance(x, np.ndarray | np.generic) or ufunc
    return np.conjugate(x) if plain else x.conjugate()


def _spell_conjugate(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    if array_type(node.result).kind != "python":
        return ast.Call(dotted("np.conj"), list(operands), [])
    return ast.Call(ast.Attribute(operands[0], "conjugate", ast.Load()), [], [])


conjugate: Operation = Operation(
    "conjugate",
    _infer_conjugate,
    _evaluate_conjugate,
    spelling=_spell_conjugate,
    linear=frozenset({0}),
    vjp={0: lambda g, y, x, ufunc=False: conjugate(g)},
    python=lambda x: x.conjugate(),
    sympy="conjugate",
    order="unknown",
    cost="plain",
    example="np.conjugate(z)",
    documentation="The complex conjugate.",
)


def conjugated(x: Value) -> Value:
    """The conjugate of a complex value; a real one as it is."""
    return conjugate(x) if is_complex(x) else x


def _infer_angle(x: Type) -> tuple[Type, ...]:
    type_ = require_array(x, "angle")
    dtype = np.angle(np.ones(1, type_.dtype)).dtype
    return (number_or_array(dtype, type_.shape),)


def _angle_partial(y: Value, x: Value) -> Any:
    """Of a complex number; the real part of its product with a tangent is the result's tangent."""
    if not is_complex(x):
        return 0.0
    return over_squared_length(conjugate(x) * -1j, absolute(x), certain=False)


angle: Operation = Operation(
    "angle",
    _infer_angle,
    np.angle,
    spelling=call("np.angle"),
    partials=(_angle_partial,),
    sympy="arg",
    documentation="The angle of a complex number in radians; its derivative at 0 is 0.",
)


def _turned(t: Value, y: Value, x: Value) -> Value:
    """The part of ``t`` that turns a complex number, over its length: ``sign`` knows no other."""
    return y * (imag(conjugate(y) * t) / nonzero(absolute(x))) * 1j


complex_sign: Operation = Operation(
    "complex_sign",
    lambda x: (number_or_array(require_array(x, "sign").dtype, require_array(x, "sign").shape),),
    np.sign,
    spelling=call("np.sign"),
    vjp={0: _turned},  # it is its own adjoint
    jvp={0: _turned},
    sympy=lambda sp, z: sp.sign(z),
    order="unknown",
    example="np.sign(z)",
    documentation="``z / abs(z)`` of a complex number; its derivative at 0 is 0.",
)


def _spell_squared_absolute(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    if node.attributes.get("ufunc"):
        return ast.Call(dotted("np.square"), [operands[1]], [])
    return ast.BinOp(operands[1], ast.Pow(), ast.Constant(2))


squared_absolute: Operation = Operation(
    "squared_absolute",
    lambda z, a, *, ufunc=False: square.infer(a) if ufunc else power.infer(a, INT),
    lambda z, a, *, ufunc=False: np.square(a) if ufunc else a**2,
    spelling=_spell_squared_absolute,
    vjp={0: lambda g, y, z, a, **_: 2.0 * z * g},
    jvp={0: lambda t, y, z, a, **_: as_dtype_of(2.0 * conjugate(z) * t, y)},
    nondifferentiable=frozenset({1}),
    sympy=lambda sp, z, a, **_: a**2,
    order="unknown",
    documentation="``a ** 2`` of ``a = abs(z)``, complex: smooth at 0, which ``abs`` is not.",
)


def squared(a: Value, **attributes: Any) -> Value | None:
    """The square of what is known to be the absolute value of a complex number."""
    node = a.node
    if node is None or node.op is not absolute or not is_complex(node.operands[0]):
        return None
    return squared_absolute(node.operands[0], a, **attributes)


# Casts ------------------------------------------------------------------------------------------


def _infer_astype(x: Type, *, dtype: np.dtype) -> tuple[Type, ...]:
    type_ = require_array(x, "astype")
    return (ArrayType(dtype, type_.shape, "scalar" if type_.kind == "python" else type_.kind),)


def _spell_astype(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    dtype: np.dtype = node.attributes["dtype"]
    if array_type(node.operands[0]).kind == "array":
        return ast.Call(ast.Attribute(operands[0], "astype", ast.Load()), [literal(dtype)], [])
    scalar = dotted("np.bool_") if dtype.kind == "b" else literal(dtype.newbyteorder("="))
    return ast.Call(scalar, list(operands), [])


def _evaluate_astype(x: Any, *, dtype: np.dtype) -> Any:
    return x.astype(dtype) if isinstance(x, np.ndarray | np.generic) else dtype.type(x)


def _as_kind(sp: Any, x: Any, kind: str) -> Any:
    """A number as one of another kind of dtype: rounding is no part of its meaning."""
    if kind == "b":
        return sp.Ne(x, 0)
    return x if kind in "fc" or x.is_integer else towards_zero(sp, x)


astype: Operation = Operation(
    "astype",
    _infer_astype,
    _evaluate_astype,
    spelling=_spell_astype,
    linear=frozenset({0}),
    vjp={0: lambda g, y, x, dtype: as_dtype_of(g, x)},
    sympy=lambda sp, x, *, dtype: _as_kind(sp, x, dtype.kind),
    order="kept",
    cost="plain",
    example="astype(x, dtype=np.dtype('float32'))",
    flops=nothing,
    documentation="The values in another dtype; a copy.",
)


def _infer_as_scalar(x: Type) -> tuple[Type, ...]:
    type_ = require_array(x, "as_scalar")
    if type_.shape:
        raise rejection(TypeError, f"not a scalar: {type_}")
    return (ArrayType(type_.dtype, (), "scalar"),)


as_scalar: Operation = Operation(
    "as_scalar",
    _infer_as_scalar,
    lambda x: np.asarray(x)[()],
    cost="free",
    spelling=lambda node, operands: ast.Subscript(
        operands[0], ast.Tuple([], ast.Load()), ast.Load()
    ),
    linear=frozenset({0}),
    vjp={0: lambda g, y, x: g},
    sympy=lambda sp, x: x,
    order="none",
    documentation="The element of a 0-d array, ``x[()]``.",
)


def as_dtype_of(g: Value, x: Value) -> Value:
    """``g`` cast to the dtype of ``x``; of a complex ``g`` for a real ``x`` the real part."""
    dtype = array_type(x).dtype
    if is_complex(g) and dtype.kind != "c":
        g = real(g)
    return g if array_type(g).dtype == dtype else astype(g, dtype=dtype)


def _infer_python_bool(x: Type) -> tuple[Type, ...]:
    """Any array may have one element only; the run time tests open sizes."""
    if any(isinstance(dim, int) and dim > 1 for dim in require_array(x, "python_bool").shape):
        raise rejection(
            ValueError,
            "The truth value of an array with more than one element is ambiguous."
            " Use a.any() or a.all()",
        )
    return (BOOL,)


def _python_cast(name: str, cast: type, result: ArrayType, **rules: Any) -> Operation:
    def only_number(x: Type) -> tuple[Type, ...]:
        if require_array(x, name).shape:
            raise rejection(
                TypeError, "only 0-dimensional arrays can be converted to Python scalars"
            )
        return (result,)

    def is_harmless(node: Node) -> bool:
        type_ = array_type(node.operands[0])
        kinds = "biuf" if cast in (bool, float) else "biu"
        huge = cast is float and type_.dtype.kind == "i" and type_.weak
        return type_.dtype.kind in kinds and all(dim == 1 for dim in type_.shape) and not huge

    infer = _infer_python_bool if cast is bool else only_number
    return Operation(
        name,
        infer,
        cast,
        raises=True,
        harmless=is_harmless,
        spelling=call(cast.__name__),
        order="none",
        cost="plain",
        documentation=f"``{cast.__name__}(x)``, a Python number.",
        **rules,
    )


def _cast_rules() -> dict[str, Any]:
    return {
        "linear": frozenset({0}),
        "vjp": {0: lambda g, y, x: as_dtype_of(g, x)},
        "sympy": lambda sp, x: x,
    }


python_float: Operation = _python_cast(
    "python_float", float, FLOAT, example="float(s)", **_cast_rules()
)
python_complex: Operation = _python_cast("python_complex", complex, COMPLEX, **_cast_rules())
python_int: Operation = _python_cast(
    "python_int", int, INT, nondifferentiable=True, sympy=lambda sp, x: _as_kind(sp, x, "i")
)
python_bool: Operation = _python_cast(
    "python_bool", bool, BOOL, nondifferentiable=True, sympy=lambda sp, x: sp.Ne(x, 0)
)


def _infer_complex_of(a: Type, b: Type) -> tuple[Type, ...]:
    if require_array(a, "complex").shape or require_array(b, "complex").shape:
        raise rejection(TypeError, "only 0-dimensional arrays can be converted to Python scalars")
    return (COMPLEX,)


complex_of: Operation = Operation(
    "complex_of",
    _infer_complex_of,
    complex,
    raises=True,
    spelling=call("complex"),
    vjp={
        0: lambda g, y, a, b: as_dtype_of(g, a),
        1: lambda g, y, a, b: as_dtype_of(g * -1j, b),
    },
    jvp={
        0: lambda t, y, a, b: t * complex(1),
        1: lambda t, y, a, b: t * 1j,
    },
    sympy=lambda sp, a, b: a + sp.I * b,
    order="none",
    documentation="``complex(a, b)``: sums would change zeros and infinities.",
)


not_: Operation = Operation(
    "not_",
    lambda x: (BOOL,),
    operator.not_,
    raises=True,
    harmless=lambda node: array_type(node.operands[0]).kind != "array",
    spelling=lambda node, operands: ast.UnaryOp(ast.Not(), operands[0]),
    nondifferentiable=True,
    sympy="Not",
    order="none",
    cost="plain",
    documentation="Python's ``not``.",
)


def _to_decimals(sp: Any, x: Any, decimals: int) -> Any:
    scale = sp.Integer(10) ** decimals
    return to_even(sp, x * scale) / scale


def _infer_round(x: Type, *, digits: int | None = None) -> tuple[Type, ...]:
    type_ = require_array(x, "round")
    if type_.kind == "array":
        raise rejection(TypeError, "type numpy.ndarray doesn't define __round__ method")
    return (INT if digits is None else type_,)


def _spell_round(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    digits = node.attributes.get("digits")
    more = [] if digits is None else [literal(digits)]
    return ast.Call(dotted("round"), [*operands, *more], [])


python_round: Operation = Operation(
    "python_round",
    _infer_round,
    lambda x, *, digits=None: round(x, digits),
    raises=True,
    spelling=_spell_round,
    nondifferentiable=True,
    sympy=lambda sp, x, *, digits=None: _to_decimals(sp, x, digits or 0),
    order="none",
    documentation="Python's ``round``; its derivative is 0.",
)


def _infer_rounded(x: Type, *, decimals: int = 0) -> tuple[Type, ...]:
    type_ = require_array(x, "round")
    dtype = np.dtype("float16") if type_.dtype.kind == "b" else type_.dtype
    return (number_or_array(dtype, type_.shape),)


round_: Operation = Operation(
    "round",
    _infer_rounded,
    lambda x, *, decimals=0: np.round(x, decimals),
    spelling=call("np.round", decimals=0),
    nondifferentiable=True,
    sympy=lambda sp, x, *, decimals=0: _to_decimals(sp, x, decimals),
    order="unknown",
    documentation="Rounded to a number of decimals; its derivative is 0.",
)

OPERATORS.update(
    add=add,
    subtract=subtract,
    multiply=multiply,
    divide=by_numpy(divide),
    power=by_numpy(power),
    negative=negative,
)
