"""Products and quotients with a strong zero: 0 where a cotangent is, whatever the partial is.

Of numbers in a derivative that is called, one that is ``seeded`` needs its strong zero for nothing
but cotangents that are zero with the called graph's own, which were not selected outside of it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from symdiff.ir.graph import Node
from symdiff.ir.types import ArrayType, Type, type_of_constant
from symdiff.ops import support
from symdiff.ops.arithmetic import (
    by_numpy,
    divide,
    multiply,
)
from symdiff.ops.casts import (
    conjugated,
)
from symdiff.ops.declare import (
    Operation,
    array_type,
    supporting_call,
    template,
)
from symdiff.ops.meanings import select

SEEDED = "seeded"  # an attribute, of calls of derivatives as well

# strong_multiply --------------------------------------------------------------------------------


def _strong_form(g: ArrayType, p: ArrayType, result: ArrayType) -> Literal["plain", "if", "where"]:
    """How a masked product is written: it needs no mask where factors are finite for certain."""
    if p.dtype.kind not in "fc":
        return "plain"
    return "if" if g == result and result.kind != "array" and p.kind != "array" else "where"


def _infer_strong_multiply(g: Type, p: Type, *, seeded: bool = False) -> tuple[Type, ...]:
    return multiply.infer(g, p)


def _evaluate_strong_multiply(g: Any, p: Any, *, seeded: bool = False) -> Any:
    types = type_of_constant(g), type_of_constant(p)
    form = _strong_form(*types, multiply.infer(*types)[0])  # type: ignore[arg-type]
    if form == "plain" or (form == "if" and g != 0):
        return g * p
    return g if form == "if" else g * np.where(g != 0, p, np.result_type(p).type(0))


def _spell_strong_multiply(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    form = _strong_form(*(array_type(v) for v in (*node.operands, node.result)))
    return template(_PRODUCTS[form])(node, operands)


_PRODUCTS = {
    "plain": "{0} * {1}",
    "if": "{0} * {1} if {0} != 0 else {0}",
    "where": "{0} * np.where({0} != 0, {1}, 0.0)",
}


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
    _infer_strong_multiply,
    _evaluate_strong_multiply,
    spelling=_spell_strong_multiply,
    partials=(lambda y, g, p: p, lambda y, g, p: g),
    strong=True,
    repeated=frozenset({0}),
    sympy=lambda sp, g, p: strong_product(sp, g, p),
    documentation="``g * p``, but 0 where ``g`` is 0 whatever ``p`` is: a strong zero.",
)


# two_sided_multiply -----------------------------------------------------------------------------


def _evaluate_two_sided_multiply(g: Any, p: Any) -> Any:
    if np.ndim(g) == np.ndim(p) == 0:
        return g * p if g != 0 and p != 0 else 0 * type(g)(1) * type(p)(1)
    kept_g = np.where(p != 0, g, np.result_type(g).type(0))
    return kept_g * np.where(g != 0, p, np.result_type(p).type(0))


def zero_of_type(type_: ArrayType) -> str:
    """The number 0 of a type, as it is written."""
    return f"{type_.dtype.type(0).item()}" if type_.weak else f"np.{type_.dtype}(0.0)"


def _spell_two_sided_multiply(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    g, p, result = (array_type(v) for v in (*node.operands, node.result))
    if result.dtype.kind not in "fc":
        pattern = "{0} * {1}"
    elif "array" in (g.kind, p.kind, result.kind):
        pattern = "np.where({1} != 0, {0}, 0.0) * np.where({0} != 0, {1}, 0.0)"
    else:
        pattern = f"{{0}} * {{1}} if {{0}} != 0 and {{1}} != 0 else {zero_of_type(result)}"
    return template(pattern)(node, operands)


two_sided_multiply: Operation = Operation(
    "two_sided_multiply",
    lambda g, p: multiply.infer(g, p),
    _evaluate_two_sided_multiply,
    spelling=_spell_two_sided_multiply,
    partials=(lambda y, g, p: p, lambda y, g, p: g),
    jvp={
        0: lambda t, y, g, p: two_sided_multiply(t, p),
        1: lambda t, y, g, p: two_sided_multiply(t, g),
    },
    vjp={
        0: lambda w, y, g, p: two_sided_multiply(w, conjugated(p)),
        1: lambda w, y, g, p: two_sided_multiply(w, conjugated(g)),
    },
    strong=True,
    repeated=frozenset({0, 1}),
    sympy=lambda sp, g, p: strong_product(sp, g, p),
    documentation="``g * p``, but 0 where either is 0, whatever the other is.",
)


# Quotients --------------------------------------------------------------------------------------


def one_beside(divisor: ArrayType) -> Any:
    """1 that leaves a divisor its dtype: beside 1.0 small integers would be doubles."""
    return {"b": True, "i": 1, "u": 1}.get(divisor.dtype.kind, 1.0)


def _evaluate_quiet_divide(n: Any, d: Any) -> Any:
    with np.errstate(all="ignore"):
        return n / np.where(n != 0, d, np.result_type(d).type(1))[()]


def _spell_quiet_divide(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    n, d, result = (array_type(v) for v in (*node.operands, node.result))
    infinite = "{0} + np.copysign(np.inf, {0})" if n.dtype.kind != "c" else "{0} * np.nan"
    if all(type_.kind != "array" for type_ in (n, d, result)):
        zero = "{0}" if n == result else f"np.{result.dtype}(0.0)"
        pattern = f"({{0}} / {{1}} if {{1}} != 0 else {infinite}) if {{0}} != 0 else {zero}"
    else:
        divisor = f"np.where(({{0}} != 0) & ({{1}} != 0), {{1}}, {one_beside(d)})"
        pattern = f"np.where(({{0}} == 0) | ({{1}} != 0), {{0}} / {divisor}, {infinite})"
        if result.kind != "array":
            pattern += "[()]"  # of 0-d arrays np.where makes one, which could be written in place
    return template(pattern)(node, operands)


quiet_divide: Operation = Operation(
    "quiet_divide",
    lambda n, d: multiply.infer(n, d, ufunc=True),
    _evaluate_quiet_divide,
    spelling=_spell_quiet_divide,
    partials=(lambda y, n, d: 1.0 / d, lambda y, n, d: -quiet_divide(y, d)),
    strong=True,
    repeated=frozenset({0, 1}),
    sympy=lambda sp, n, d: strong_product(sp, n, 1 / d),
    documentation="``n / d``, 0 where ``n`` is 0, without a warning where ``d`` is 0.",
)


def _infer_strong_divide(g: Type, b: Type, *, seeded: bool = False) -> tuple[Type, ...]:
    return divide.infer(g, b, ufunc=True)


def _evaluate_strong_divide(g: Any, b: Any, *, seeded: bool = False) -> Any:
    if np.ndim(g) == np.ndim(b) == 0:
        return np.divide(g, b if g != 0 else type(b)(1))
    return np.divide(g, np.where(g != 0, b, np.result_type(b).type(1)))


def _spell_strong_divide(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """``g / np.where(g != 0, b, 1.0)``; of numbers ``g / (b if g != 0 else 1.0)``."""
    g, b = (array_type(v) for v in node.operands)
    if "array" in (g.kind, b.kind):
        text = f"{{0}} / np.where({{0}} != 0, {{1}}, {one_beside(b)})"
    else:
        divisor = "{1} if {0} != 0 else 1.0"
        text = f"np.divide({{0}}, {divisor})" if g.weak else f"{{0}} / ({divisor})"
    return template(text)(node, operands)


strong_divide: Operation = Operation(
    "strong_divide",
    _infer_strong_divide,
    _evaluate_strong_divide,
    spelling=_spell_strong_divide,
    partials=(
        lambda y, g, b: by_numpy(divide)(1.0, b),
        lambda y, g, b: -strong_divide(y, b),
    ),
    jvp={1: lambda t, y, g, b: -two_sided_multiply(y, quiet_divide(t, b))},
    vjp={
        1: lambda g_bar, y, g, b: (
            -two_sided_multiply(conjugated(y), quiet_divide(g_bar, conjugated(b)))
        )
    },
    strong=True,
    repeated=frozenset({0}),
    sympy=lambda sp, g, b: strong_product(sp, g, 1 / b),
    documentation="``g / b``, but 0 where ``g`` is 0 whatever ``b`` is, without a warning.",
)

# product_over -----------------------------------------------------------------------------------


def _infer_product_over(g: Type, n: Type, d: Type) -> tuple[Type, ...]:
    (product,) = multiply.infer(g, n, ufunc=True)
    return divide.infer(product, d, ufunc=True)


product_over: Operation = Operation(
    "product_over",
    _infer_product_over,
    support.product_over,
    spelling=supporting_call(support.product_over),
    partials=(
        lambda y, g, n, d: by_numpy(divide)(n, d),
        lambda y, g, n, d: by_numpy(divide)(g, d),
        lambda y, g, n, d: -by_numpy(divide)(y, d),
    ),
    jvp={
        0: lambda t, y, g, n, d: product_over(t, n, d),
        1: lambda t, y, g, n, d: product_over(t, g, d),
        2: lambda t, y, g, n, d: -product_over(t, y, d),
    },
    vjp={
        0: lambda w, y, g, n, d: product_over(w, conjugated(n), conjugated(d)),
        1: lambda w, y, g, n, d: product_over(w, conjugated(g), conjugated(d)),
        2: lambda w, y, g, n, d: -product_over(w, conjugated(y), conjugated(d)),
    },
    strong=True,
    sympy=lambda sp, g, n, d: strong_product(sp, g, n / d),
    documentation="``g * n / d``, 0 where a factor is, whatever overflows on the way.",
)
