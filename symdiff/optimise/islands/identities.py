"""The identities by which islands are simplified: an expression enters, others that equal it leave.

SymPy's own functions are applied to small expressions in opaque real symbols. Whether what they
give equals the original on NaN, infinities and rounded numbers too is tested afterwards
(``agreement``), and is the reason why some of them are so seldom taken.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Finder = Callable[[Any], Any]

KINDS = ("stable", "powers", "trig", "factor")


def finders(kind: str) -> Sequence[Finder]:
    """The functions of a kind, in the order in which they are tried."""
    return _FINDERS[kind]()


def may_apply(kind: str, root: str, names: frozenset[str]) -> bool:
    """Return whether a kind can find anything for an op, by the names of the ops below it."""
    if root not in _ROOTS[kind] or (len(names) < 2 and root != "power"):
        return False
    return not _NEEDED[kind] or len(names & _NEEDED[kind]) > 0


_SUMS = frozenset({"add", "subtract"})
_PRODUCTS = frozenset({"multiply", "divide", "power", "square", "reciprocal", "negative"})
_ROOTS: Mapping[str, frozenset[str]] = {
    "stable": _SUMS | {"log", "sqrt", "divide", "multiply", "reciprocal"},
    "powers": _PRODUCTS | {"sqrt", "exp", "log"},
    "trig": _SUMS | _PRODUCTS,
    "factor": _SUMS,
}
_NEEDED: Mapping[str, frozenset[str]] = {
    "stable": frozenset({"exp", "log", "sqrt", "cos"}),
    "powers": frozenset(),
    "trig": frozenset({"sin", "cos", "tan"}),
    "factor": frozenset({"multiply", "divide"}),
}


# Trigonometry, powers, factors --------------------------------------------------------------------


def _trigonometric() -> Sequence[Finder]:
    """The transformations of Fu, Zhong and Zeng (2006) that shorten: Pythagoras, quotients, sums
    and double angles."""
    from sympy import expand_mul
    from sympy.simplify.fu import TR2, TR5, TR6, TR8, TR2i, TR10i

    return (
        lambda e: expand_mul(TR6(e)),
        lambda e: expand_mul(TR5(e)),
        TR2i,
        TR2,
        TR8,
        TR10i,
    )


def _powers() -> Sequence[Finder]:
    """The expression as SymPy writes it, and with equal bases together."""
    from sympy import powsimp

    return (lambda e: e, powsimp)


def _factors() -> Sequence[Finder]:
    from sympy import collect_const, factor_terms

    return (collect_const, factor_terms)


# Stable forms -------------------------------------------------------------------------------------


def _stable() -> Sequence[Finder]:
    return (_stable_form,)


def _stable_form(expression: Any) -> Any:
    """``expm1``, ``log1p``, ``logaddexp``, ``hypot``, half angles and logistic functions at the
    expression's own head: what is below has had its turn."""
    import sympy as sp

    if isinstance(expression, sp.log):
        return _stable_logarithm(expression.args[0]) or expression
    if isinstance(expression, sp.Add):
        return _stable_sum(expression)
    if isinstance(expression, sp.Pow) and expression.exp == sp.S.Half:
        return _hypotenuse(expression.base) or expression
    if isinstance(expression, sp.Mul | sp.Pow):
        return _logistic(expression)
    return expression


def _exponents(expression: Any) -> list[Any] | None:
    """``[a, b]`` of ``exp(a) + exp(b)``, where 1 is ``exp(0)``."""
    import sympy as sp

    terms = sp.Add.make_args(expression)
    found = [sp.S.Zero if t == 1 else t.args[0] for t in terms if t == 1 or isinstance(t, sp.exp)]
    return found if len(found) == len(terms) == 2 else None


def _stable_logarithm(argument: Any) -> Any:
    import sympy as sp
    from sympy.codegen.cfunctions import log1p
    from sympy.codegen.numpy_nodes import logaddexp

    inverse = isinstance(argument, sp.Pow) and argument.exp == -1
    exponents = _exponents(argument.base if inverse else argument)
    if exponents is not None:
        return -logaddexp(*exponents) if inverse else logaddexp(*exponents)
    if isinstance(argument, sp.Add) and sp.S.One in argument.args:
        return log1p(argument - 1)
    return None


def _stable_sum(expression: Any) -> Any:
    """``c * exp(x) - c``, ``c - c * cos(x)``, ``c - c * sigmoid(x)``, with what else is added."""
    import sympy as sp
    from sympy.codegen.cfunctions import expm1

    constant, rest = expression.as_coeff_Add()
    if constant == 0:
        return expression
    for term in sp.Add.make_args(rest):
        if isinstance(term / constant, sp.Add):
            continue
        factor = term / -constant
        others = rest - term
        if isinstance(factor, sp.exp):
            return -constant * expm1(factor.args[0]) + others
        if isinstance(factor, sp.cos):
            return 2 * constant * sp.sin(factor.args[0] / 2) ** 2 + others
        u = _of_logistic(factor)
        if u is not None:
            return constant * _sigmoid(-u) + others
    return expression


def _hypotenuse(radicand: Any) -> Any:
    import sympy as sp
    from sympy.codegen.cfunctions import hypot

    terms = sp.Add.make_args(radicand)
    squares = [isinstance(t, sp.Pow) and t.exp == 2 for t in terms]
    if len(terms) != 2 or not any(squares):
        return None
    sides = [t.base if square else sp.sqrt(t) for t, square in zip(terms, squares, strict=True)]
    numbers = [t.is_Number and t > 0 for t in terms]
    known = all(square or number for square, number in zip(squares, numbers, strict=True))
    return hypot(*sides) if known else None


def _of_logistic(expression: Any) -> Any:
    """``u`` where an expression is ``sigmoid(u)``, such as ``1 / (1 + exp(-u))``."""
    form = _logistic(expression)
    return form.args[0] if type(form).__name__ == "sigmoid" else None


def _logistic(expression: Any) -> Any:
    """Products of powers of ``sigmoid`` in place of ``exp(m u) / (1 + exp(u)) ** n``, m up to n."""
    import sympy as sp

    factors = sp.Mul.make_args(expression)
    for factor in factors:
        base, power = factor.as_base_exp()
        exponents = _exponents(base) if power.is_Integer and power < 0 else None
        if exponents is None or sp.S.Zero not in exponents:
            continue
        u = exponents[0] + exponents[1]
        times, others = _times(u, [one for one in factors if one is not factor])
        if 0 <= times <= -power:
            return sp.Mul(*others) * _sigmoid(u) ** times * _sigmoid(-u) ** (-power - times)
    return expression


def _times(u: Any, factors: list[Any]) -> tuple[Any, list[Any]]:
    """How often ``exp(u)`` is a factor, and the others."""
    import sympy as sp

    times, others = sp.S.Zero, []
    for factor in factors:
        ratio = factor.args[0] / u if isinstance(factor, sp.exp) else None
        if ratio is not None and ratio.is_Integer and ratio > 0:
            times += ratio
        else:
            others.append(factor)
    return times, others


def _sigmoid(u: Any) -> Any:
    """``1 / (1 + exp(-u))``, of which ``ops.symbolic`` knows a form that never overflows."""
    import sympy as sp

    return sp.Function("sigmoid", real=True)(u)


_FINDERS: Mapping[str, Callable[[], Sequence[Finder]]] = {
    "stable": functools.cache(_stable),
    "powers": functools.cache(_powers),
    "trig": functools.cache(_trigonometric),
    "factor": functools.cache(_factors),
}
