"""``logsumexp``, ``softmax`` and ``log_softmax`` of ``scipy.special``.

They are ops of their own, since their derivatives are simpler than the steps that keep them from
overflowing.
"""

from __future__ import annotations

import ast
import functools
import importlib
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.libraries import when_imported
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import nonzero
from symdiff.ops.arrange import lower_broadcast_arrays
from symdiff.ops.casts import as_dtype_of, conjugated, is_complex, number_or_array
from symdiff.ops.declare import (
    OnArrays,
    Operation,
    array_type,
    broadcast_shapes,
    lowers,
    one_of,
    static,
    surely_broadcasts,
)
from symdiff.ops.elementary import exp, finite_or_zero, stopped
from symdiff.ops.reduce import (
    Axis,
    axes_of,
    normalized_axis,
    reduced_shape,
    restored,
    spell_reduction,
    sum,
    unbroadcast_to,
)
from symdiff.ops.ufuncs import cast, staged


def _function(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(importlib.import_module("scipy.special"), name)
    return found


@functools.lru_cache(maxsize=64)
def _dtype(name: str, *types: ArrayType) -> np.dtype:
    """The dtype of a function's result, tried on ones."""
    ones = [one_of(t) if t.weak else np.ones(1, t.dtype) for t in types]
    return np.asarray(_function(name)(*ones)).dtype


def _real(name: str, x: Any) -> Value:
    value = staged(x)
    if array_type(value).dtype.kind == "c":
        raise UnsupportedCallError(f"scipy.special.{name} of complex numbers")
    return value


# logsumexp ----------------------------------------------------------------------------------------


def _infer_logsumexp(
    *operands: ArrayType, axis: Axis = None, keepdims: bool = False, signed: bool = False
) -> ArrayType:
    shape = reduced_shape(broadcast_shapes(*(t.shape for t in operands)), axis, keepdims)
    return number_or_array(np.result_type(*(t.dtype for t in operands)), shape)


def _evaluate(part: int | None) -> Callable[..., Any]:
    def evaluate(
        a: Any, b: Any = None, *, axis: Axis = None, keepdims: bool = False, signed: bool = False
    ) -> Any:
        function = _function("logsumexp")
        if not signed:
            return function(a, axis, b, keepdims)
        return function(a, axis, b, keepdims, True)[part]

    return evaluate


def _spell(part: int) -> Callable[..., ast.expr]:
    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        made = spell_reduction("scipy.special.logsumexp", signed=False)(node, operands[:1])
        assert isinstance(made, ast.Call)
        made.keywords = [keyword for keyword in made.keywords if keyword.arg != "signed"]
        if len(operands) > 1:
            made.keywords.insert(0, ast.keyword("b", operands[1]))
        if not node.attributes["signed"]:
            return made
        made.keywords.append(ast.keyword("return_sign", ast.Constant(True)))
        return ast.Subscript(made, ast.Constant(part), ast.Load())

    return spell


def _share(position: int, y: Value, *operands: Value, **attributes: Any) -> Value:
    """The derivative of each result by the elements of an operand.

    Of large numbers ``y`` has lost digits: the terms are scaled to add up to 1. It is holomorphic.
    """
    a, *weights = operands
    axis, keepdims = attributes["axis"], attributes["keepdims"]
    part = exp(a - finite_or_zero(restored(y, a, axis, keepdims)))
    if attributes["signed"]:
        part = part * restored(logsumexp_sign(*operands, **attributes), a, axis, keepdims)
    term = part * weights[0] if weights else part
    total = sum(term, axis=axis, keepdims=bool(array_type(term).rank))
    return (term if position == 0 else part) / nonzero(stopped(total))


def _vjp(position: int, g: Value, y: Value, *operands: Value, **attributes: Any) -> Value:
    spread = restored(g, operands[0], attributes["axis"], attributes["keepdims"])
    product = spread * conjugated(_share(position, y, *operands, **attributes))
    operand = operands[position]
    return unbroadcast_to(as_dtype_of(product, operand), operand)


def _jvp(position: int, t: Value, y: Value, *operands: Value, **attributes: Any) -> Value:
    product = t * _share(position, y, *operands, **attributes)
    total = sum(product, axis=attributes["axis"], keepdims=attributes["keepdims"])
    return as_dtype_of(total, y)


logsumexp: Operation = Operation.of_arrays(
    "special_logsumexp",
    _infer_logsumexp,
    _evaluate(0),
    raises=True,
    harmless=surely_broadcasts,
    cost="heavy",
    spelling=_spell(0),
    vjp=_vjp,
    jvp=_jvp,
    example="special_logsumexp(X, axis=(1,), keepdims=False, signed=False)",
    documentation="Logarithm of a sum of exponentials with weights, without overflow.",
)
logsumexp_sign: Operation = Operation.of_arrays(
    "special_logsumexp_sign",
    _infer_logsumexp,
    _evaluate(1),
    raises=True,
    harmless=surely_broadcasts,
    cost="heavy",
    spelling=_spell(1),
    nondifferentiable=True,
    documentation="The sign of a sum of exponentials with weights.",
)


def _lower_logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: Any = False
) -> Any:
    terms = _floating(staged(a))
    operands = [terms] if b is None else _weighted(terms, staged(b))
    rank = array_type(operands[0]).rank
    keepdims, signed = bool(static(keepdims)), bool(static(return_sign))
    if signed and any(is_complex(operand) for operand in operands):
        raise UnsupportedCallError("scipy.special.logsumexp of complex numbers with return_sign=")
    if keepdims and not rank:
        raise UnsupportedCallError("scipy.special.logsumexp of a number with keepdims=True")
    attributes = {"axis": normalized_axis(axis, rank), "keepdims": keepdims, "signed": signed}
    value = logsumexp(*operands, **attributes)
    return (value, logsumexp_sign(*operands, **attributes)) if signed else value


def _floating(x: Value) -> Value:
    type_ = array_type(x)
    if type_.dtype.kind in "fc" and not type_.weak:
        return x
    return cast(x, np.dtype("complex128" if type_.dtype.kind == "c" else "float64"))


def _weighted(a: Value, b: Value) -> list[Value]:
    """The terms and their weights in one shape."""
    type_ = array_type(b)
    b = cast(b, array_type(a).dtype) if type_.weak and type_.dtype.kind != "c" else _floating(b)
    return (
        list(lower_broadcast_arrays(a, b)) if array_type(b).shape != array_type(a).shape else [a, b]
    )


# softmax ------------------------------------------------------------------------------------------


def _total(x: Value, axis: Axis) -> Value:
    """Sums over ``axis`` that broadcast against ``x``."""
    return sum(x, axis=axis, keepdims=bool(array_type(x).rank))


def _powers(sp: Any, values: Any, axis: Axis) -> tuple[Any, Any]:
    """Exponentials, and their sums."""
    powers = np.vectorize(sp.exp, otypes=[object])(values)
    return powers, powers.sum(axis=axes_of(axis, values.ndim), keepdims=True)


def _softmax_meaning(sp: Any, xs: Any, axis: Axis = None) -> Any:
    powers, total = _powers(sp, np.asarray(xs, dtype=object), axis)
    return powers / total


def _log_softmax_meaning(sp: Any, xs: Any, axis: Axis = None) -> Any:
    values = np.asarray(xs, dtype=object)
    return values - np.vectorize(sp.log, otypes=[object])(_powers(sp, values, axis)[1])


def _of_softmax(u: Value, y: Value, axis: Axis) -> Value:
    product = u * y
    return product - y * _total(product, axis)


softmax: Operation = Operation.of_arrays(
    "special_softmax",
    lambda x, **_: number_or_array(_dtype("softmax", x), x.shape),
    lambda x, *, axis=None: _function("softmax")(x, axis),
    cost="heavy",
    spelling=spell_reduction("scipy.special.softmax"),
    vjp={0: lambda g, y, x, axis=None: as_dtype_of(_of_softmax(g, y, axis), x)},
    jvp={0: lambda t, y, x, axis=None: as_dtype_of(_of_softmax(t, y, axis), y)},
    sympy=OnArrays(_softmax_meaning),
    example="special_softmax(X, axis=(1,))",
    documentation="Exponentials over their sum along ``axis``.",
)
log_softmax: Operation = Operation.of_arrays(
    "special_log_softmax",
    lambda x, **_: number_or_array(_dtype("log_softmax", x), x.shape),
    lambda x, *, axis=None: _function("log_softmax")(x, axis),
    cost="heavy",
    spelling=spell_reduction("scipy.special.log_softmax"),
    vjp={0: lambda g, y, x, axis=None: as_dtype_of(g - exp(y) * _total(g, axis), x)},
    jvp={0: lambda t, y, x, axis=None: as_dtype_of(t - _total(exp(y) * t, axis), y)},
    sympy=OnArrays(_log_softmax_meaning),
    example="special_log_softmax(X, axis=(1,))",
    documentation="Logarithm of ``softmax``, without overflow.",
)


def _lower_softmax(operation: Operation, name: str) -> Callable[..., Any]:
    def lowering(x: Any, axis: Any = None) -> Value:
        value = _real(name, x)
        return operation(value, axis=normalized_axis(axis, array_type(value).rank))

    return lowering


@when_imported("scipy.special")
def _register(special: ModuleType) -> None:
    lowers(special.logsumexp)(_lower_logsumexp)
    lowers(special.softmax)(_lower_softmax(softmax, "softmax"))
    lowers(special.log_softmax)(_lower_softmax(log_softmax, "log_softmax"))
