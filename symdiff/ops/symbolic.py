"""From SymPy's expressions to values: the ops that mean them, added to the current builder.

The inverse of the ``sympy`` meanings that ops are declared with. Shared parts are computed once.
Numbers become Python's, which are weak: the dtype is that of the symbols' values. Subtraction and
division are written as such, small integer powers as products.

    expressions ─values_of─▶ values
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import builder
from symdiff.ir.graph import Operand, Value
from symdiff.ops import arithmetic as ar
from symdiff.ops import casts
from symdiff.ops import elementary as el
from symdiff.ops.declare import Operation, array_type, operation_named

_MOST_FACTORS = 8  # of an integer power that is written as a product


Select = Callable[..., Operand]


def values_of(
    expressions: Sequence[Any], known: dict[Any, Operand], select: Select = ar.where
) -> list[Value]:
    """The values of expressions in symbols whose values are known.

    :param known: symbols and their values; what is made is added.
    :param select: what branches are written with, ``(condition, a, b)``.
    :raises UnsupportedCallError: for a function of SymPy that no op of NumPy's means.
    """
    for expression in expressions:
        _make(expression, known, select)
    return [builder().value(known[expression]) for expression in expressions]


def _make(expression: Any, made: dict[Any, Operand], select: Select) -> None:
    """Make an expression after its parts: depth is data."""
    pending = [expression]
    while pending:
        one = pending[-1]
        if one in made:
            pending.pop()
            continue
        number = _number(one)
        missing = [] if number is not None else [p for p in _parts(one) if p not in made]
        if missing:
            pending.extend(reversed(missing))
            continue
        made[one] = _apply(one, made, select) if number is None else number
        pending.pop()


def _number(expression: Any) -> Operand | None:
    """A constant expression as a Python number, rounded once."""
    import sympy as sp

    if expression in (sp.true, sp.false):
        return bool(expression)
    if not isinstance(expression, sp.Expr) or not expression.is_number:
        return None
    if isinstance(expression, sp.Rational):
        return float(expression.p) if expression.q == 1 else int(expression.p) / int(expression.q)
    value = complex(expression.evalf(25))
    return value if value.imag else value.real


def _parts(expression: Any) -> Sequence[Any]:
    """The expressions that have values of their own: not the exponents that are known."""
    import sympy as sp

    if isinstance(expression, sp.Add):
        return [_without_sign(term)[1] for term in expression.args]
    if isinstance(expression, sp.Mul):
        above, below = _fraction(expression)
        return [*above, *below]
    if isinstance(expression, sp.Pow) and _number(expression.exp) is not None:
        if expression.exp.is_negative:
            return (1 / expression,)
        return _parts_of_power(expression.base, expression.exp)
    if isinstance(expression, sp.Piecewise):
        return [part for pair in expression.args for part in pair.args]
    rewritten = _REWRITTEN.get(type(expression).__name__)
    if rewritten is not None:
        return (rewritten(sp, *expression.args),)
    return tuple(expression.args)


def _parts_of_power(base: Any, exponent: Any) -> Sequence[Any]:
    """The lower powers of which one is a product."""
    if not exponent.is_Integer or not 2 < exponent <= _MOST_FACTORS:
        return (base,)
    half = exponent // 2
    return (base**half, base ** (exponent - half))


def _apply(expression: Any, made: Mapping[Any, Operand], select: Select) -> Operand:
    import sympy as sp

    name = type(expression).__name__
    if name == "Piecewise":
        return _choose(expression, made, select)
    if name in _REWRITTEN:
        return made[_REWRITTEN[name](sp, *expression.args)]
    special = _SPECIAL.get(name)
    if special is not None:
        return special(expression, made)
    operation = _table().get(name)
    if operation is None:
        raise UnsupportedCallError(f"no function of NumPy means SymPy's {name}")
    return operation(*(made[part] for part in expression.args))


# Sums, products, powers ---------------------------------------------------------------------------


def _without_sign(term: Any) -> tuple[bool, Any]:
    """Return whether a term is subtracted, and what is."""
    return (True, -term) if term.could_extract_minus_sign() and _is_negated(term) else (False, term)


def _is_negated(term: Any) -> bool:
    import sympy as sp

    return bool(term.as_coeff_Mul()[0].is_negative) or isinstance(term, sp.Number)


def _sum(expression: Any, made: Mapping[Any, Operand]) -> Operand:
    terms = [_without_sign(term) for term in expression.as_ordered_terms()]
    terms.sort(key=lambda term: term[0])  # what is added first, then what is subtracted
    (negated, first), *rest = terms
    total = _negative(made[first]) if negated else made[first]
    for minus, term in rest:
        total = _subtract(total, made[term]) if minus else _add(total, made[term])
    return total


def _fraction(expression: Any) -> tuple[list[Any], list[Any]]:
    """The factors above and below of a product."""
    import sympy as sp

    above, below = [], []
    for factor in expression.args:
        if isinstance(factor, sp.Rational) and factor.q & (factor.q - 1):  # no exact float
            above += [] if factor.p == 1 else [sp.Integer(factor.p)]
            below.append(sp.Integer(factor.q))
        elif isinstance(factor, sp.Pow) and factor.exp.could_extract_minus_sign():
            below.append(1 / factor)
        else:
            above.append(factor)
    return above, below


def _product(expression: Any, made: Mapping[Any, Operand]) -> Operand:
    import sympy as sp

    above, below = _fraction(expression)
    negated = sp.S.NegativeOne in above
    factors = [made[factor] for factor in above if factor != sp.S.NegativeOne]
    divisors = [made[factor] for factor in below]
    if not factors:
        top: Operand = -1.0 if negated else 1.0
        negated = False
    else:
        top = functools.reduce(_multiply, factors)
    if divisors:
        top = _divide(top, functools.reduce(_multiply, divisors))
    return _negative(top) if negated else top


def _power(expression: Any, made: Mapping[Any, Operand]) -> Operand:
    import sympy as sp

    exponent = expression.exp
    if _number(exponent) is None:
        if expression.base == sp.E:
            return el.exp(made[exponent])
        return _raise_to(made[expression.base], made[exponent])
    if exponent.is_negative:
        return _divide(1.0, made[1 / expression])
    return _raised(expression.base, exponent, made)


def _raised(base: Any, exponent: Any, made: Mapping[Any, Operand]) -> Operand:
    """A positive power that is known."""
    import sympy as sp

    if exponent == sp.S.Half:
        return el.sqrt(made[base])
    if exponent == 2:
        return _multiply(made[base], made[base])
    parts = [made[part] for part in _parts_of_power(base, exponent)]
    if exponent.is_Integer and len(parts) == 2:
        return _multiply(*parts)
    number = _number(exponent)
    assert number is not None
    return made[base] if exponent == 1 else _raise_to(made[base], number)


def _operator(operation: Operation) -> Callable[..., Operand]:
    """An operator as such, but on Python numbers alone as NumPy's function: it never raises."""

    def apply(*operands: Operand) -> Operand:
        python = all(array_type(operand).kind == "python" for operand in operands)
        return operation(*operands, **({"ufunc": True} if python else {}))

    return apply


_add, _subtract, _multiply = map(_operator, (ar.add, ar.subtract, ar.multiply))
_divide, _negative, _raise_to = map(_operator, (ar.divide, ar.negative, el.power))

# Functions ----------------------------------------------------------------------------------------


def _choose(expression: Any, made: Mapping[Any, Operand], select: Select) -> Operand:
    """``Piecewise``: NaN where no condition holds."""
    import sympy as sp

    pairs = [pair.args for pair in expression.args]
    otherwise: Operand = float("nan")
    if pairs[-1][1] == sp.true:
        otherwise = made[pairs.pop()[0]]
    for value, condition in reversed(pairs):
        operands = (builder().value(x) for x in (made[condition], made[value], otherwise))
        otherwise = select(*operands)
    return otherwise


def _folded(operation: Operation) -> Callable[[Any, Mapping[Any, Operand]], Operand]:
    """An op of two operands as SymPy's function of many."""

    def fold(expression: Any, made: Mapping[Any, Operand]) -> Operand:
        return functools.reduce(operation, (made[part] for part in expression.args))

    return fold


def _logarithm(expression: Any, made: Mapping[Any, Operand]) -> Operand:
    return el.log(made[expression.args[0]])


_SPECIAL: Mapping[str, Callable[[Any, Mapping[Any, Operand]], Operand]] = {
    "Add": _sum,
    "Mul": _product,
    "Pow": _power,
    "log": _logarithm,
    "Max": _folded(ar.maximum),
    "Min": _folded(ar.minimum),
    "And": _folded(ar.logical_and),
    "Or": _folded(ar.logical_or),
    "Xor": _folded(ar.logical_xor),
}
_REWRITTEN: Mapping[str, Callable[..., Any]] = {
    "sec": lambda sp, x: 1 / sp.cos(x),
    "csc": lambda sp, x: 1 / sp.sin(x),
    "cot": lambda sp, x: 1 / sp.tan(x),
    "sech": lambda sp, x: 1 / sp.cosh(x),
    "csch": lambda sp, x: 1 / sp.sinh(x),
    "coth": lambda sp, x: 1 / sp.tanh(x),
    "sinc": lambda sp, x: sp.Piecewise((1, sp.Eq(x, 0)), (sp.sin(x) / x, True)),
    "ITE": lambda sp, c, a, b: sp.Or(sp.And(c, a), sp.And(sp.Not(c), b)),
    # exp(-|x|) is at most 1, so that nothing overflows and small values keep their digits
    "sigmoid": lambda sp, x: sp.exp(sp.Min(x, 0)) / (1 + sp.exp(-sp.Abs(x))),
    "cosm1": lambda sp, x: -2 * sp.sin(x / 2) ** 2,
    "Heaviside": lambda sp, x, h: sp.Piecewise((0, x < 0), (h, sp.Eq(x, 0)), (1, True)),
}
_NAMES = {  # SymPy's names for classes of which the meanings have others, and those for code
    "LessThan": "less_equal",
    "StrictLessThan": "less",
    "GreaterThan": "greater_equal",
    "StrictGreaterThan": "greater",
    "Equality": "equal",
    "Unequality": "not_equal",
    "Not": "logical_not",
    "Mod": "remainder",
    "Cbrt": "cbrt",
    **{name: name for name in ("expm1", "log1p", "exp2", "log2", "log10", "hypot", "logaddexp")},
}


@functools.cache
def _table() -> Mapping[str, Operation]:
    """NumPy's ops by the names of SymPy's functions."""
    named: dict[str, Operation] = {}
    for operation in (op for module in (ar, casts, el) for op in vars(module).values()):
        if isinstance(operation, Operation) and isinstance(operation.sympy, str):
            named.setdefault(operation.sympy, operation)  # absolute before fabs
    return named | {name: operation_named(op) for name, op in _NAMES.items()}
