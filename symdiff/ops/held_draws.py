"""Draws from families with shapes: what is drawn stays as it is, and its derivative by a parameter
is that at which the probability of less than it is kept.

That is ``-∂F/∂θ / p`` for a distribution function ``F`` and its density ``p`` (Figurnov, Mohamed
and Mnih 2018, equation 4). A ``drawn`` value has the bits of the call, whose parameters are held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Block, Graph, Input, Node, Value
from symdiff.ir.structure import Leaf
from symdiff.ir.types import ArrayType, Type
from symdiff.ops.arithmetic import choose, equal, strong_constant
from symdiff.ops.casts import as_dtype_of, astype
from symdiff.ops.declare import FUNCTIONS, Operation
from symdiff.ops.defined import valued
from symdiff.ops.effects import opaque_call, stop_gradient
from symdiff.ops.elementary import log, log1p
from symdiff.ops.incomplete import (
    beta_inverse_by,
    f_drawn_by,
    gamma_inverse_by_a,
    student_drawn_by_df,
)
from symdiff.ops.index import index_of
from symdiff.ops.keys import Slot
from symdiff.ops.sizes import sizes_of

_FLOAT64 = np.dtype("float64")

Slope = Callable[..., Any]  # by what was drawn and the parameters


def _times_log(y: Value) -> Value:
    """``y * log(y)``, and 0 at 0."""
    return y * log(choose(equal(y, 0), strong_constant(1, y), 1.0 * y))


_SLOPES: dict[str, tuple[Slope, ...]] = {
    "beta": (
        lambda y, a, b: beta_inverse_by(1, a, b, y),
        lambda y, a, b: beta_inverse_by(2, a, b, y),
    ),
    "f": (lambda y, n, d: f_drawn_by(1, n, d, y), lambda y, n, d: f_drawn_by(2, n, d, y)),
    "gamma": (lambda y, a, s: s * gamma_inverse_by_a(a, y / s), lambda y, a, s: y / s),
    "lognormal": (
        lambda y, mean, sigma: 1.0 * y,
        lambda y, mean, sigma: y * (log(y) - mean) / sigma,
    ),
    "pareto": (lambda y, a: -(1.0 + y) * log1p(y) / a,),
    "power": (lambda y, a: -_times_log(y) / a,),
    "standard_gamma": (lambda y, a: gamma_inverse_by_a(a, y),),
    "standard_t": (lambda y, df: student_drawn_by_df(df, y),),
    "weibull": (lambda y, a: -_times_log(y) / a,),
}


def _infer(value: Type, *parameters: Type, law: str) -> tuple[Type, ...]:
    return (value,)


def _vjp(position: int, g: Value, y: Value, value: Value, *parameters: Value, law: str) -> Value:
    made = g * _SLOPES[law][position - 1](y, *parameters)
    return as_dtype_of(made, parameters[position - 1])


def _jvp(position: int, t: Value, y: Value, value: Value, *parameters: Value, law: str) -> Value:
    return as_dtype_of(t * _SLOPES[law][position - 1](y, *parameters), y)


drawn: Operation = Operation(
    "drawn",
    _infer,
    lambda value, *parameters, law: value,
    cost="free",
    view=0,
    nondifferentiable=frozenset({0}),
    vjp=_vjp,
    jvp=_jvp,
    broadcasts=True,
    spelling=lambda node, operands: operands[0],
    operands=0,
    documentation="What was drawn; its derivatives by the parameters are those at which its"
    " probability is kept.",
)

# Formulas: of what was drawn, the parameters, and which of them move ------------------------------


def _of_law(law: str) -> Callable[..., Value]:
    return lambda y, moves, *parameters: drawn(y, *parameters, law=law)


def _chisquare(y: Value, moves: Sequence[bool], df: Value) -> Any:
    return 2.0 * drawn(0.5 * y, 0.5 * df, law="standard_gamma")


def _dirichlet(y: Value, moves: Sequence[bool], alpha: Value) -> Any:
    """By the parts that are broken off what is left of a stick, each drawn from a beta
    distribution.
    """
    cumsum, cumprod = FUNCTIONS[np.cumsum], FUNCTIONS[np.cumprod]
    backwards = (Ellipsis, slice(None, None, -1))
    front, behind = (Ellipsis, slice(None, -1)), (Ellipsis, slice(1, None))
    left, after = (index_of(cumsum(index_of(x, backwards), axis=-1), backwards) for x in (y, alpha))
    broken = index_of(y, front) / index_of(left, front)
    parts = drawn(broken, index_of(alpha, front), index_of(after, behind), law="beta")
    rest = cumprod(1.0 - parts, axis=-1)
    first = index_of(parts, (Ellipsis, slice(None, 1)))
    middle = index_of(parts, behind) * index_of(rest, front)
    last = index_of(rest, (Ellipsis, slice(-1, None)))
    return FUNCTIONS[np.concatenate]([first, middle, last], axis=-1)


def _normal(y: Value, moves: Sequence[bool], mean: Value, cov: Value) -> Any:
    """By Cholesky's factor where the covariance moves: all its square roots give one law."""
    noise = y - stop_gradient(mean)
    if not moves[1]:
        return mean + noise
    factor, transpose = FUNCTIONS[np.linalg.cholesky](cov), FUNCTIONS[np.transpose]
    flat = FUNCTIONS[np.reshape](noise, (-1, sizes_of(y)[-1]))
    solved = FUNCTIONS[np.linalg.solve](stop_gradient(factor), transpose(flat))
    moved = transpose(FUNCTIONS[np.matmul](factor, solved))
    return mean + FUNCTIONS[np.reshape](moved, sizes_of(y))


_FORMULAS: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "beta": (("a", "b"), _of_law("beta")),
    "chisquare": (("df",), _chisquare),
    "dirichlet": (("alpha",), _dirichlet),
    "f": (("dfnum", "dfden"), _of_law("f")),
    "gamma": (("shape", "scale"), _of_law("gamma")),
    "lognormal": (("mean", "sigma"), _of_law("lognormal")),
    "multivariate_normal": (("mean", "cov"), _normal),
    "pareto": (("a",), _of_law("pareto")),
    "power": (("a",), _of_law("power")),
    "standard_gamma": (("shape",), _of_law("standard_gamma")),
    "standard_t": (("df",), _of_law("standard_t")),
    "weibull": (("a",), _of_law("weibull")),
}
_DEFAULTS: dict[str, Any] = {"mean": 0.0, "scale": 1.0, "sigma": 1.0}
HELD = frozenset(_FORMULAS)


def held(node: Node, name: str, active: set[Value]) -> Graph | None:
    """A draw with its parameters held, and what is drawn as their function; None where a parameter
    is no array of numbers.
    """
    names, formula = _FORMULAS[name]
    given = dict(zip(names, node.attributes["arguments"], strict=False))
    given |= dict(node.attributes["keywords"])
    values = tuple(Value(v.type, None, v.name) for v in node.operands)
    with building(Builder([], node.span)) as made:
        parameters = [_parameter(given.get(n, _DEFAULTS.get(n)), values) for n in names]
        if any(value is None for value in parameters):
            return None
        moves = [_moves(given.get(n), node, active) for n in names]
        operands = [stop_gradient(v) if isinstance(v.type, ArrayType) else v for v in values]
        result = opaque_call(*operands, **node.attributes)
        result.type = node.result.type  # also the symbols of sizes that only a run tells
        result = valued(formula(result, moves, *parameters), result)
    inputs = tuple(Input((f"x{k}",), "derived") for k in range(len(values)))
    return Graph(name, Block(values, made.nodes, (result,)), inputs, Leaf(0))


def _parameter(template: Any, values: Sequence[Value]) -> Any:
    """A parameter as NumPy takes it; None for what is none."""
    value = values[template.number] if isinstance(template, Slot) else template
    if isinstance(value, bool | int | float | list | tuple | np.ndarray):
        given = [_parameter(v, values) for v in value] if isinstance(value, list | tuple) else value
        if isinstance(given, list) and any(v is None for v in given):
            return None
        return FUNCTIONS[np.asarray](given, dtype=_FLOAT64) if isinstance(given, list) else given
    if not isinstance(value, Value) or not isinstance(value.type, ArrayType):
        return None
    if value.type.kind == "python" or value.type.dtype == _FLOAT64:
        return value
    return astype(value, dtype=_FLOAT64) if value.type.dtype.kind in "biuf" else None


def _moves(template: Any, node: Node, active: set[Value]) -> bool:
    if isinstance(template, list | tuple):
        return any(_moves(one, node, active) for one in template)
    return isinstance(template, Slot) and node.operands[template.number] in active
