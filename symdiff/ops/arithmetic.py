"""Arithmetic, comparisons, logic, rounding, and choices: ``+``, ``<``, ``&``, ``floor``, ``where``.

An op with an operator (``add``) means that operator, on Python numbers Python's; the attribute
``ufunc=True`` makes it NumPy's function. Derivative rules must not raise where NumPy gives inf:
they write ``a / b`` and ``a ** b`` on values, which is NumPy's meaning always.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symdiff.errors import rejection
from symdiff.ir.build import builder, constant_value
from symdiff.ir.graph import OPERATORS, Node, Operand, Value
from symdiff.ir.types import BOOL, INT, ArrayType
from symdiff.ops import patterns
from symdiff.ops.batching import Lanes, NoBatchRule, pointwise
from symdiff.ops.casts import (
    conjugate,
    conjugated,
    is_complex,
    number_or_array,
    result_dtype,
)
from symdiff.ops.declare import (
    Fails,
    OfTruths,
    Operation,
    Rules,
    array_type,
    broadcast_shapes,
    call,
    dotted,
    elementwise,
    infix,
    surely_broadcasts,
    template,
)
from symdiff.ops.kinds import is_numpys_operator
from symdiff.ops.meanings import greatest, least, select, to_even, towards_zero
from symdiff.ops.ranges import unless_never_zero

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


def nonzero(x: Value) -> Value:
    """``x``, but 1 where it is 0, to divide by."""
    return choose(equal(x, 0), strong_constant(1, x), x)


def by_numpy(operation: Operation) -> Callable[..., Value]:
    """An op with an operator as NumPy's function, on Python numbers too: it never raises."""

    def apply(*operands: Operand) -> Value:
        attributes = {} if is_numpys_operator(operation, operands) else {"ufunc": True}
        return operation(*operands, **attributes)

    return apply


# Arithmetic -------------------------------------------------------------------------------------

add: Operation = elementwise(
    np.add,
    "Sum.",
    1,
    1,
    spelling=infix(ast.Add),
    python=operator.add,
    sympy=lambda sp, a, b: a + b,
    cost="plain",
)
subtract: Operation = elementwise(
    np.subtract,
    "Difference.",
    1,
    -1,
    spelling=infix(ast.Sub),
    python=operator.sub,
    sympy=lambda sp, a, b: a - b,
    cost="plain",
)
multiply: Operation = elementwise(
    np.multiply,
    "Product.",
    lambda y, a, b: b,
    lambda y, a, b: a,
    spelling=infix(ast.Mult),
    python=operator.mul,
    sympy=lambda sp, a, b: a * b,
    cost="plain",
)


def over_nonzero(a: Value, b: Value) -> Value:
    """``a / b``, but ``a`` where ``b`` is 0: it never raises."""
    return divide(a, nonzero(b))


def _quotient(y: Value, a: Operand, b: Operand) -> Value:
    """``a / b``: Python's if the op was (it has raised where ``b`` is zero), else NumPy's."""
    if array_type(y).kind == "python":
        return divide(a, b)
    return by_numpy(divide)(a, b)


def _over_divisor(g: Value, y: Value, a: Operand, b: Value) -> Value:
    """``g / b``; of a reciprocal ``y`` that is at hand ``g * y``."""
    if constant_of(a) == 1 and array_type(y).dtype == array_type(b).dtype:
        return g * y
    return _quotient(y, g, b)


divide: Operation = elementwise(
    np.divide,
    "Quotient.",
    lambda y, a, b: _quotient(y, 1.0, b),
    lambda y, a, b: -_over_divisor(y, y, a, b),
    jvp={1: lambda t, y, a, b: -_over_divisor(t * y, y, a, b)},
    vjp={
        1: lambda g, y, a, b: -(_over_divisor(g, conjugated(y), a, conjugated(b)) * conjugated(y))
    },
    spelling=infix(ast.Div),
    raises_on_numbers=True,
    python=operator.truediv,
    singular=unless_never_zero(1),
    sympy=lambda sp, a, b: a / b,
    cost="plain",
)
floor_divide: Operation = elementwise(
    np.floor_divide,
    "Quotient rounded down; its derivative is 0.",
    None,
    None,
    spelling=infix(ast.FloorDiv),
    raises_on_numbers=True,
    python=operator.floordiv,
    sympy=lambda sp, a, b: sp.floor(a / b),
)
remainder: Operation = elementwise(
    np.remainder,
    "Remainder with the sign of the divisor, ``a - b * floor(a / b)``.",
    1,
    lambda y, a, b: -by_numpy(floor_divide)(a, b),
    spelling=infix(ast.Mod),
    raises_on_numbers=True,
    python=operator.mod,
    sympy=lambda sp, a, b: a - b * sp.floor(a / b),
)
divide.fails = floor_divide.fails = remainder.fails = Fails(
    ZeroDivisionError, lambda a, b: equal(b, 0)
)
fmod: Operation = elementwise(
    np.fmod,
    "Remainder with the sign of the dividend.",
    1,
    lambda y, a, b: -trunc(a / b),
    sympy=lambda sp, a, b: a - b * towards_zero(sp, a / b),
)
negative: Operation = elementwise(
    np.negative,
    "``-x``.",
    -1,
    spelling=infix(ast.USub),
    python=operator.neg,
    sympy=lambda sp, x: -x,
    cost="plain",
)
positive: Operation = elementwise(
    np.positive,
    "``+x``, a copy.",
    1,
    spelling=infix(ast.UAdd),
    python=operator.pos,
    sympy=lambda sp, x: x,
    cost="plain",
)


# Comparisons and logic --------------------------------------------------------------------------


def _comparison(
    ufunc: np.ufunc, token: type[ast.cmpop], python: Callable[..., Any], relation: str
) -> Operation:
    return elementwise(
        ufunc,
        f"Whether ``a {_SIGNS[token]} b``, elementwise.",
        None,
        None,
        spelling=infix(token),
        python=python,
        sympy=relation,
        cost="plain",
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
    return elementwise(ufunc, documentation, *[None] * ufunc.nin, **more)


logical_and: Operation = _discrete(
    np.logical_and, "Whether both are true.", cost="plain", sympy="And"
)
logical_or: Operation = _discrete(np.logical_or, "Whether one is true.", cost="plain", sympy="Or")
logical_xor: Operation = _discrete(np.logical_xor, "Whether exactly one is true.", sympy="Xor")
logical_not: Operation = _discrete(
    np.logical_not, "Whether it is false.", math=lambda x: not_(x), cost="plain", sympy="Not"
)
bitwise_and: Operation = _discrete(
    np.bitwise_and, "``a & b``.", spelling=infix(ast.BitAnd), python=operator.and_, sympy="And"
)
bitwise_or: Operation = _discrete(
    np.bitwise_or, "``a | b``.", spelling=infix(ast.BitOr), python=operator.or_, sympy="Or"
)
bitwise_xor: Operation = _discrete(
    np.bitwise_xor, "``a ^ b``.", spelling=infix(ast.BitXor), python=operator.xor, sympy="Xor"
)
invert: Operation = _discrete(
    np.invert, "``~x``.", spelling=infix(ast.Invert), python=operator.invert, sympy="Not"
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
    np.isnan, "Whether it is not a number.", sympy=lambda sp, x: sp.false if x.is_finite else None
)
isinf: Operation = _discrete(
    np.isinf, "Whether it is infinite.", sympy=lambda sp, x: sp.false if x.is_finite else None
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

floor: Operation = _discrete(
    np.floor, "Rounded down; its derivative is 0.", cost="plain", sympy="floor"
)
ceil: Operation = _discrete(
    np.ceil, "Rounded up; its derivative is 0.", cost="plain", sympy="ceiling"
)
trunc: Operation = _discrete(
    np.trunc, "Rounded towards 0; its derivative is 0.", sympy=lambda sp, x: towards_zero(sp, x)
)
rint: Operation = _discrete(
    np.rint, "Rounded to even; its derivative is 0.", sympy=lambda sp, x: to_even(sp, x)
)
sign: Operation = _discrete(np.sign, "-1, 0 or 1; its derivative is 0.", cost="plain", sympy="sign")
heaviside: Operation = elementwise(
    np.heaviside,
    "0 below 0, 1 above, ``h`` at 0.",
    None,
    lambda y, x, h: equal(x, 0),
    sympy=lambda sp, x, h: select(sp, x < 0, sp.S.Zero, select(sp, sp.Eq(x, 0), h, sp.S.One)),
)


def _spell_absolute(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    number = array_type(node.operands[0]).kind != "array"  # NumPy's on some paths only, perhaps
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
    "Absolute value; its derivative at 0 is 0.",
    _absolute_partial,
    spelling=_spell_absolute,
    python=abs,
    sympy="Abs",
    math=lambda x: absolute(x),
    cost="plain",
)
fabs: Operation = elementwise(
    np.fabs,
    "Absolute value of reals.",
    lambda y, x: sign(x),
    sympy="Abs",
    math=lambda x: absolute(x),
)
copysign: Operation = elementwise(
    np.copysign,
    "``a`` with the sign of ``b``.",
    lambda y, a, b: sign(a) * copysign(1.0, b),
    None,
    sympy=lambda sp, a, b: sp.Abs(a) * select(sp, b < 0, -sp.S.One, sp.S.One),
)


# Two operands -----------------------------------------------------------------------------------


def _extremum(
    ufunc: np.ufunc, documentation: str, wins: Operation, over_nan: bool = False, **facts: Any
) -> Operation:
    """One of two operands. Its partial is 1 where it wins, a half where there is a tie, else 0."""

    def share(y: Value, mine: Value, other: Value, first: Value, second: Value) -> Value:
        won = bitwise_or(wins(mine, other), isnan(other)) if over_nan else wins(mine, other)
        return won + equal(first, second) * strong_constant(0.5, y)

    return elementwise(
        ufunc,
        documentation,
        lambda y, a, b: share(y, a, b, a, b),
        lambda y, a, b: share(y, b, a, a, b),
        **facts,
    )


_COMPARED: dict[str, Any] = {"cost": "plain", "selects": True}
maximum: Operation = _extremum(
    np.maximum,
    "The greater one, NaN if either is; a tie splits the derivative evenly.",
    greater,
    sympy=greatest,
    **_COMPARED,
)
minimum: Operation = _extremum(
    np.minimum,
    "The smaller one, NaN if either is; a tie splits the derivative evenly.",
    less,
    sympy=least,
    **_COMPARED,
)
fmax: Operation = _extremum(
    np.fmax, "The greater one, the other where one is NaN.", greater, True, sympy=greatest
)
fmin: Operation = _extremum(
    np.fmin, "The smaller one, the other where one is NaN.", less, True, sympy=least
)


# where, clip ------------------------------------------------------------------------------------


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


def _pattern_where(e: patterns.Elements, op: Any, **attributes: Any) -> np.ndarray:
    _, a, b = e.ids
    return np.where(e.value(0), a, b) if e.is_known(0) else e.united(*e.ids)


where: Operation = Operation.of_arrays(
    "where",
    lambda c, a, b: ArrayType(result_dtype(a, b), broadcast_shapes(c.shape, a.shape, b.shape)),
    np.where,
    raises=True,
    harmless=surely_broadcasts,
    **_CHOICE_RULES,
    sympy=OfTruths(frozenset({0}), select),
    order="kept",
    cost="plain",
    example="np.where(c, x, w)",
    batch=pointwise,
    pattern=_pattern_where,
    documentation="``a`` where the condition holds, else ``b``.",
)


def _infer_choice(c: ArrayType, a: ArrayType, b: ArrayType) -> ArrayType:
    if a != b or any(t.kind == "array" for t in (c, a)):
        raise rejection(TypeError, f"a choice between {a} and {b}")
    return a


def _batch_choice(b: Lanes, op: Any, c: Value, x: Value, y: Value) -> Value:
    return where(c, x, y)


choice: Operation = Operation.of_arrays(
    "choice",
    _infer_choice,
    lambda c, a, b: a if c else b,
    spelling=template("{1} if {0} else {2}"),
    **_CHOICE_RULES,
    sympy=OfTruths(frozenset({0}), select),
    cost="plain",
    batch=_batch_choice,
    pattern=_pattern_where,
    documentation="``a if c else b`` of two numbers of one type.",
)
_CLIP: np.ufunc = np._core.umath.clip  # type: ignore[attr-defined]
clip: Operation = elementwise(
    _CLIP,
    "``x`` kept within bounds; its derivative at the bounds is 1.",
    lambda y, x, lo, hi: bitwise_and(greater_equal(x, lo), less_equal(x, hi)),
    lambda y, x, lo, hi: bitwise_and(less(x, lo), less_equal(lo, hi)),
    lambda y, x, lo, hi: bitwise_or(greater(x, hi), greater(lo, hi)),
    spelling=call("np.clip"),
    sympy=lambda sp, x, lo, hi: least(sp, greatest(sp, x, lo), hi),
    name="clip",
)
clip_below: Operation = elementwise(
    np.maximum,
    "``np.clip`` with a lower bound alone.",
    lambda y, x, lo: greater_equal(x, lo),
    lambda y, x, lo: less(x, lo),
    spelling=template("np.clip({0}, {1}, None)"),
    sympy=greatest,
    name="clip_below",
)
clip_above: Operation = elementwise(
    np.minimum,
    "``np.clip`` with an upper bound alone.",
    lambda y, x, hi: less_equal(x, hi),
    lambda y, x, hi: greater(x, hi),
    spelling=template("np.clip({0}, None, {1})"),
    sympy=least,
    name="clip_above",
)


# Casts ------------------------------------------------------------------------------------------


def _batch_not(b: Lanes, op: Any, x: Value) -> Value:
    if array_type(x).rank > 1:
        raise NoBatchRule
    return logical_not(x)


not_: Operation = Operation(
    "not_",
    lambda x: (BOOL,),
    operator.not_,
    raises=True,
    harmless=lambda node: array_type(node.operands[0]).kind != "array",
    spelling=template("not {0}"),
    nondifferentiable=True,
    sympy="Not",
    cost="plain",
    batch=_batch_not,
    documentation="Python's ``not``.",
)


def _to_decimals(sp: Any, x: Any, decimals: int) -> Any:
    scale = sp.Integer(10) ** decimals
    return to_even(sp, x * scale) / scale


def _infer_round(x: ArrayType, *, digits: int | None = None) -> ArrayType:
    if x.kind == "array":
        raise rejection(TypeError, "type numpy.ndarray doesn't define __round__ method")
    return INT if digits is None else x


python_round: Operation = Operation.of_arrays(
    "python_round",
    _infer_round,
    lambda x, *, digits=None: round(x, digits),
    raises=True,
    spelling=lambda node, operands: template(
        "round({0})" if node.attributes.get("digits") is None else "round({0}, {digits})"
    )(node, operands),
    nondifferentiable=True,
    sympy=lambda sp, x, *, digits=None: _to_decimals(sp, x, digits or 0),
    documentation="Python's ``round``; its derivative is 0.",
)


def _infer_rounded(x: ArrayType, *, decimals: int = 0) -> ArrayType:
    return number_or_array(np.dtype("float16") if x.dtype.kind == "b" else x.dtype, x.shape)


round_: Operation = Operation.of_arrays(
    "round",
    _infer_rounded,
    np.round,
    nondifferentiable=True,
    sympy=lambda sp, x, *, decimals=0: _to_decimals(sp, x, decimals),
    batch=pointwise,
    pattern=patterns.as_it_is,
    documentation="Rounded to a number of decimals; its derivative is 0.",
)

OPERATORS.update(
    add=add, subtract=subtract, multiply=multiply, divide=by_numpy(divide), negative=negative
)
