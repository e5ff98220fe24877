"""The functions of ``math``: numbers enter, Python numbers leave, and they raise as ``math`` does.

Partials use ``math`` again where that cannot raise once the function itself has not, else NumPy's
functions, which give inf and nan: ``math.sqrt`` is finite at 0, and its derivative inf.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from symdiff.definitions.declare import known_integer
from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import BOOL, COMPLEX, FLOAT, INT, ArrayType
from symdiff.ops import support
from symdiff.ops.arithmetic import (
    bitwise_and,
    constant_of,
    copysign,
    divide,
    fmod,
    greater,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    multiply,
    over_nonzero,
    rint,
    sign_of,
    subtract,
    trunc,
)
from symdiff.ops.casts import as_dtype_of, only_numbers, python_float
from symdiff.ops.declare import (
    Absent,
    Fails,
    Operation,
    Rule,
    array_type,
    lowers,
    static,
    template,
)
from symdiff.ops.elementary import (
    LOG_2,
    LOG_10,
    over_squared_length,
    power_is_singular,
    power_is_strong,
    power_partial_base,
    power_partial_exponent,
    sqrt_is_strong,
    sqrt_partial,
)
from symdiff.ops.list_arrays import is_list, list_stack_of
from symdiff.ops.meanings import to_even
from symdiff.ops.ranges import unless_never_zero, unless_within
from symdiff.ops.reduce import broadcast_like
from symdiff.ops.reduce import sum as sum_of

_SPECIAL = "jax.scipy.special"
_ANY_SIZE = Absent("Python's integers have any size")

# Declaring --------------------------------------------------------------------------------------


def _math(
    name: str,
    *partials: Rule | float | None,
    result: ArrayType = FLOAT,
    documentation: str = "",
    **more: Any,
) -> Operation:
    """A function of ``math`` as the op ``math_<name>``, which is what calls of it mean."""
    function: Callable[..., Any] | None = getattr(math, name, None)
    operation = Operation.of_arrays(
        f"math_{name}",
        only_numbers(result),
        function,
        raises=True,
        partials=partials or None,
        nondifferentiable=frozenset(k for k, p in enumerate(partials) if p is None),
        documentation=documentation or f"``math.{name}``, of Python numbers.",
        **more,
    )
    if function is not None:
        lowers(function)(lambda *operands: operation(*operands))
    return operation


def _takes_a_float(node: Node) -> bool:
    """Return whether the operand is a float, of which no value is refused."""
    type_ = array_type(node.operands[0])
    return type_.dtype.kind == "f" and not type_.shape


def _discrete(name: str, result: ArrayType, **more: Any) -> Operation:
    """A function of ``math`` through which no derivative flows."""
    function: Callable[..., Any] = getattr(math, name)
    operation = Operation.of_arrays(
        f"math_{name}",
        only_numbers(result),
        function,
        raises=True,
        nondifferentiable=True,
        documentation=f"``math.{name}``; no derivative flows through it.",
        **more,
    )

    @lowers(function)
    def lowering(*operands: Any) -> Any:
        known = _known(function, operands)
        if known is not None:
            return known
        made = operation(*operands)
        is_whole = all(array_type(operand).dtype.kind in "iub" for operand in operands)
        return _OF_WHOLE[name] if is_whole and name in _OF_WHOLE else made

    return operation


_OF_WHOLE = {"isnan": False, "isinf": False, "isfinite": True}
"""What is told of every whole number, where it does not raise for one that is too large."""


def _known(function: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """What is given for whole numbers that are known, as sizes are; None where it is not known."""
    if not all(type(operand) is int for operand in operands):
        return None
    try:
        return function(*operands)
    except ValueError:  # raised where it stands
        return None


def _told(name: str, sympy: Any) -> Operation:
    """What is told of a number: of a float it always can be."""
    return _discrete(name, BOOL, sympy=sympy, harmless=_takes_a_float)


# Elementary functions ---------------------------------------------------------------------------

math_sin: Operation = _math("sin", lambda y, x: math_cos(x), sympy="sin")
math_cos: Operation = _math("cos", lambda y, x: -math_sin(x), sympy="cos")
math_tan: Operation = _math("tan", lambda y, x: 1.0 + y * y, sympy="tan")
math_asin: Operation = _math(
    "asin",
    lambda y, x: 1.0 / math_sqrt((1.0 - x) * (1.0 + x)),
    strong=unless_within(-1.0, 1.0),
    sympy="asin",
)
math_acos: Operation = _math(
    "acos",
    lambda y, x: -1.0 / math_sqrt((1.0 - x) * (1.0 + x)),
    strong=unless_within(-1.0, 1.0),
    sympy="acos",
)
math_atan: Operation = _math("atan", lambda y, x: divide(1.0, 1.0 + x * x), sympy="atan")
math_sinh: Operation = _math("sinh", lambda y, x: math_cosh(x), sympy="sinh")
math_cosh: Operation = _math("cosh", lambda y, x: math_sinh(x), sympy="cosh")
math_tanh: Operation = _math("tanh", lambda y, x: 1.0 - y * y, sympy="tanh")
math_asinh: Operation = _math("asinh", lambda y, x: divide(1.0, math_hypot(x, 1.0)), sympy="asinh")
math_acosh: Operation = _math(
    "acosh",
    lambda y, x: 1.0 / math_sqrt((x - 1.0) * (x + 1.0)),
    strong=unless_within(1.0),
    sympy="acosh",
)
math_atanh: Operation = _math(
    "atanh", lambda y, x: divide(1.0, (1.0 - x) * (1.0 + x)), sympy="atanh"
)
math_exp: Operation = _math("exp", lambda y, x: y, sympy="exp")
_LARGEST_EXPONENT = 709.782712893384  # the exponential of the next float is infinite
math_exp.fails = Fails(
    OverflowError, lambda x: bitwise_and(greater(x, _LARGEST_EXPONENT), less(x, math.inf))
)
math_exp2: Operation = _math("exp2", lambda y, x: y * LOG_2, sympy=lambda sp, x: 2**x)
math_expm1: Operation = _math("expm1", lambda y, x: y + 1.0, sympy=lambda sp, x: sp.exp(x) - 1)
math_log: Operation = _math("log", lambda y, x: divide(1.0, x), sympy="log")
math_log2: Operation = _math(
    "log2", lambda y, x: divide(1.0, x * LOG_2), sympy=lambda sp, x: sp.log(x, 2)
)
math_log10: Operation = _math(
    "log10", lambda y, x: divide(1.0, x * LOG_10), sympy=lambda sp, x: sp.log(x, 10)
)
math_log1p: Operation = _math(
    "log1p", lambda y, x: divide(1.0, 1.0 + x), sympy=lambda sp, x: sp.log(1 + x)
)
math_sqrt: Operation = _math("sqrt", sqrt_partial, strong=sqrt_is_strong, sympy="sqrt")
math_sqrt.fails = Fails(ValueError, lambda x: less(x, 0))
math_log.fails = math_log2.fails = math_log10.fails = Fails(ValueError, lambda x: less_equal(x, 0))
math_cbrt: Operation = _math(
    "cbrt",
    lambda y, x: 1.0 / (3.0 * y * y),
    strong=unless_never_zero(0),
    sympy=lambda sp, x: sp.sign(x) * sp.Abs(x) ** sp.Rational(1, 3),
)
math_degrees: Operation = _math("degrees", 180.0 / math.pi, sympy=lambda sp, x: x * 180 / sp.pi)
math_radians: Operation = _math("radians", math.pi / 180.0, sympy=lambda sp, x: x * sp.pi / 180)
math_fabs: Operation = _math("fabs", lambda y, x: sign_of(x), sympy="Abs")
math_erf: Operation = _math(
    "erf",
    lambda y, x: 2.0 / math.sqrt(math.pi) * math_exp(-(x * x)),
    sympy="erf",
    jax=f"{_SPECIAL}.erf",
)
math_erfc: Operation = _math(
    "erfc",
    lambda y, x: -2.0 / math.sqrt(math.pi) * math_exp(-(x * x)),
    sympy="erfc",
    jax=f"{_SPECIAL}.erfc",
)
math_gamma: Operation = _math(
    "gamma", lambda y, x: y * polygamma(x, order=0), sympy="gamma", jax=f"{_SPECIAL}.gamma"
)
math_lgamma: Operation = _math(
    "lgamma", lambda y, x: polygamma(x, order=0), sympy="loggamma", jax=f"{_SPECIAL}.gammaln"
)


polygamma: Operation = Operation.of_arrays(
    "polygamma",
    only_numbers(FLOAT),
    support.polygamma,
    raises=True,
    vjp={0: lambda g, y, x, order: as_dtype_of(g * polygamma(x, order=order + 1), x)},
    jvp={0: lambda t, y, x, order: as_dtype_of(t * polygamma(x, order=order + 1), y)},
    sympy=lambda sp, x, *, order=0: sp.polygamma(order, x),
    documentation="The digamma function and its derivatives.",
)

# Two numbers and more ---------------------------------------------------------------------------

math_pow: Operation = _math(
    "pow",
    power_partial_base,
    power_partial_exponent,
    singular=power_is_singular,
    strong=power_is_strong,
    sympy=lambda sp, x, y: x**y,
)


def _atan2_partial(x: Value, a: Value, b: Value) -> Value:
    certain = bool(constant_of(a) or constant_of(b))
    return over_squared_length(x, math_hypot(a, b), certain)


math_atan2: Operation = _math(
    "atan2",
    lambda y, a, b: _atan2_partial(b, a, b),
    lambda y, a, b: -_atan2_partial(a, a, b),
    sympy="atan2",
)
math_fmod: Operation = _math("fmod", 1, lambda y, a, b: -trunc(a / b), sympy=fmod.sympy)
math_remainder: Operation = _math(
    "remainder",
    1,
    lambda y, a, b: -rint((a - y) / b),
    sympy=lambda sp, a, b: a - b * to_even(sp, a / b),
    jax=Absent("jax.numpy.remainder is that of the quotient rounded down"),
)
math_copysign: Operation = _math(
    "copysign", lambda y, a, b: sign_of(a) * math_copysign(1.0, b), None, sympy=copysign.sympy
)
math_ldexp: Operation = _math(
    "ldexp", lambda y, x, i: math_ldexp(1.0, i), None, sympy=lambda sp, x, i: x * 2**i
)


math_hypot: Operation = Operation.of_arrays(
    "math_hypot",
    only_numbers(FLOAT),
    math.hypot,
    raises=True,
    vjp=lambda position, g, y, *xs: as_dtype_of(g * over_nonzero(xs[position], y), xs[position]),
    jvp=lambda position, t, y, *xs: t * over_nonzero(xs[position], y),
    sympy=lambda sp, *xs: sp.sqrt(sp.Add(*(x**2 for x in xs))),
    example="math.hypot(a, b)",
    documentation="``math.hypot``; its derivative at the origin is 0.",
)


math_fsum: Operation = Operation.of_arrays(
    "math_fsum",
    only_numbers(FLOAT),
    lambda *xs: math.fsum(xs),
    raises=True,
    spelling=template("math.fsum([{...}])"),
    jax=Absent("JAX rounds after each addition"),
    vjp=lambda position, g, y, *xs: as_dtype_of(g, xs[position]),
    jvp=lambda position, t, y, *xs: t,
    sympy=lambda sp, *xs: sp.Add(*xs),
    documentation="``math.fsum``: an exact sum, rounded once.",
)


math_fsum_of: Operation = Operation.of_arrays(
    "math_fsum_of",
    lambda x: FLOAT,
    math.fsum,
    raises=True,
    spelling=template("math.fsum({0})"),
    jax=Absent("JAX rounds after each addition"),
    vjp=lambda position, g, y, x: as_dtype_of(broadcast_like(g, x), x),
    jvp=lambda position, t, y, x: python_float(sum_of(t)),
    sympy=lambda sp, x: sp.Add(*x),
    example="math.fsum(x)",
    documentation="``math.fsum`` of a vector, whose length need not be known.",
)


def _spell_sum(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    start, *items = operands
    given: list[ast.expr] = [ast.List(items, ast.Load())]
    more = [] if is_int_zero(node.operands[0]) else [start]
    return ast.Call(ast.Name("sum", ast.Load()), [*given, *more], [])


def is_int_zero(value: Value) -> bool:
    """Return whether a value is the 0 that ``sum`` starts from where it is given no start."""
    known = constant_of(value)
    return type(known) is int and known == 0


python_sum: Operation = Operation.of_arrays(
    "python_sum",
    lambda *xs: COMPLEX if any(x.dtype.kind == "c" for x in xs) else FLOAT,
    lambda start, *xs: sum(xs, start),
    spelling=_spell_sum,
    vjp=lambda position, g, y, *xs: as_dtype_of(g, xs[position]),
    jvp=lambda position, t, y, *xs: t,
    sympy=lambda sp, *xs: sp.Add(*xs),
    order="none",
    documentation="``sum`` of Python's floats, which later Pythons add with compensation.",
)

# Discrete functions -----------------------------------------------------------------------------

math_floor: Operation = _discrete("floor", INT, sympy="floor")
math_ceil: Operation = _discrete("ceil", INT, sympy="ceiling")
math_trunc: Operation = _discrete("trunc", INT, sympy=trunc.sympy)
math_isnan: Operation = _told("isnan", isnan.sympy)
math_isinf: Operation = _told("isinf", isinf.sympy)
math_isfinite: Operation = _discrete(
    "isfinite", BOOL, sympy=isfinite.sympy, harmless=_takes_a_float
)
math_factorial: Operation = _discrete("factorial", INT, sympy="factorial", jax=_ANY_SIZE)
math_comb: Operation = _discrete("comb", INT, sympy="binomial", jax=_ANY_SIZE)
math_perm: Operation = _discrete("perm", INT, jax=_ANY_SIZE)
math_gcd: Operation = _discrete("gcd", INT, jax=_ANY_SIZE)
math_lcm: Operation = _discrete("lcm", INT, jax=_ANY_SIZE)
math_isqrt: Operation = _discrete("isqrt", INT, jax=_ANY_SIZE)


math_isclose: Operation = Operation(
    "math_isclose",
    lambda a, b, *, rel_tol, abs_tol: (BOOL,),
    math.isclose,
    raises=True,
    jax=Absent("jax.numpy.isclose adds its tolerances"),
    nondifferentiable=True,
    documentation="``math.isclose``; no derivative flows through it.",
)

# Lowerings of what is not an op of its own ------------------------------------------------------


@lowers(known_integer)
def _known_integer(number: Any) -> int:
    return operator.index(static(number))


@lowers(math.isclose)
def _isclose(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Value:
    return math_isclose(a, b, rel_tol=static(rel_tol), abs_tol=static(abs_tol))


@lowers(math.log)
def _log(x: Any, base: Any = None) -> Value:
    """With a base, the quotient of two logarithms: ``math``'s own definition."""
    if base is None:
        return math_log(x)
    return divide(math_log(x), math_log(base))


@lowers(math.hypot)
def _hypot(*coordinates: Any) -> Any:
    return math_hypot(*coordinates) if coordinates else 0.0


@lowers(math.dist)
def _dist(p: Any, q: Any) -> Any:
    if not isinstance(p, list | tuple) or not isinstance(q, list | tuple):
        raise UnsupportedCallError("math.dist of arrays", hint="use numpy.linalg.norm(p - q)")
    if len(p) != len(q):
        raise rejection(ValueError, "both points must have the same number of dimensions")
    pairs = zip(map(_as_float, p), map(_as_float, q), strict=True)
    return _hypot(*(subtract(a, b) for a, b in pairs))


def _as_float(number: Any) -> Any:
    """An integer or a bool as Python's float, as ``math`` takes it."""
    return number if array_type(number).dtype.kind == "f" else python_float(number)


@lowers(math.fsum)
def _fsum(seq: Any) -> Any:
    if not isinstance(seq, list | tuple):
        numbers = list_stack_of(seq) if is_list(seq) else seq
        if isinstance(numbers, Value) and array_type(numbers).rank == 1:
            return math_fsum_of(numbers)
        raise UnsupportedCallError("math.fsum of an array", hint="use numpy.sum(...)")
    return math_fsum(*seq) if seq else 0.0


@lowers(math.prod)
def _prod(iterable: Any, *, start: Any = 1) -> Any:
    if not isinstance(iterable, list | tuple):
        raise UnsupportedCallError("math.prod of an array", hint="use numpy.prod(...)")
    total = start
    for factor in iterable:
        total = multiply(total, factor)
    return total
