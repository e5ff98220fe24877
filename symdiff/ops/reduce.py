"""Reductions, and their transpose: bringing a cotangent to the shape of what was broadcast.

The attribute ``axis`` of a reduction is a sorted tuple of axes that are not negative, or None for
all: ``normalized_axis`` brings a user's to this form. ``unbroadcast_to(g, x)`` sums ``g`` down to
the shape of ``x``: what is known of the sizes decides; only where open sizes meet is a test left
for the run time.
"""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import rejection
from symdiff.ir.graph import Node, Order, Value
from symdiff.ir.types import ArrayType, Dim, Type, may_be_one, type_of_constant, with_sizes_of
from symdiff.ir.types import least as least_length
from symdiff.ops import patterns, support
from symdiff.ops.arithmetic import equal, isnan, logical_not, nonzero, strong_constant, where
from symdiff.ops.batching import Lanes, NoBatchRule, over_shifted_axes
from symdiff.ops.casts import as_dtype_of, as_scalar, conjugated, is_complex, number_or_array, real
from symdiff.ops.declare import (
    EVALUATED,
    DeclaredOp,
    Operation,
    Spelling,
    array_type,
    dotted,
    literal,
    require_array,
    static,
    static_integer,
)
from symdiff.ops.elementary import exp, finite_or_zero, stopped
from symdiff.ops.meanings import (
    greatest,
    least,
    mean_of,
    number_of_truth,
    over_axes,
    truth_of,
    variance_of,
)
from symdiff.ops.shape import broadcast_to, reshape
from symdiff.ops.sizes import size, sizes_of

Axis = tuple[int, ...] | None

# Axes -------------------------------------------------------------------------------------------


def normalized_axis(axis: Any, rank: int) -> Axis:
    """A user's ``axis`` as a sorted tuple of axes from 0 up, or None for all of them."""
    axis = static(axis)
    if axis is None or _is_of_a_number(axis, rank):
        return None
    axes = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    normal = tuple(sorted(axis_of(one, rank) for one in axes))
    if len(set(normal)) != len(normal):
        raise rejection(ValueError, "duplicate value in 'axis'")
    return None if len(normal) == rank else normal


def axis_of(axis: Any, rank: int) -> int:
    """An axis that is not negative; NumPy's error where there is none."""
    number = static_integer(axis)
    if not -rank <= number < rank:
        raise rejection(np.exceptions.AxisError, number, rank)
    return number % rank


def _is_of_a_number(axis: Any, rank: int) -> bool:
    """Return whether this is the axis 0 or -1 of a number, which NumPy reduces as it is."""
    return rank == 0 and not isinstance(axis, tuple | list) and static_integer(axis) in (0, -1)


def axes_of(axis: Axis, rank: int) -> tuple[int, ...]:
    """The axes reduced over, listed."""
    return tuple(range(rank)) if axis is None else axis


def reduced_shape(shape: tuple[Dim, ...], axis: Axis, keepdims: bool) -> tuple[Dim, ...]:
    """The shape that is left of ``shape``."""
    gone = axes_of(axis, len(shape))
    if keepdims:
        return tuple(1 if k in gone else dim for k, dim in enumerate(shape))
    return tuple(dim for k, dim in enumerate(shape) if k not in gone)


def restored(g: Value, x: Value, axis: Axis, keepdims: bool) -> Value:
    """A reduction's result with its axes of length 1 again, so that it broadcasts against ``x``."""
    rank = array_type(x).rank
    if keepdims or axis is None or not array_type(g).shape:
        return g  # a number broadcasts as it is
    gone = axes_of(axis, rank)
    sizes = iter(sizes_of(g))
    dims = iter(array_type(g).shape)
    kept = [(1, 1) if k in gone else (next(sizes), next(dims)) for k in range(rank)]
    return reshape(g, *(length for length, _ in kept), shape=tuple(dim for _, dim in kept))


def count_of(x: Value, axis: Axis) -> Any:
    """How many elements of ``x`` go into one of its reduction: a number or an integer value."""
    count: Any = 1
    for k in axes_of(axis, array_type(x).rank):
        dim = array_type(x).shape[k]
        length = dim if isinstance(dim, int) else size(x, axis=k)
        count = length if isinstance(count, int) and count == 1 else count * length
    return count


# Declaring reductions ---------------------------------------------------------------------------


def reduction_type(dtype: Callable[[np.dtype], np.dtype], name: str) -> Callable[..., Any]:
    """The type rule of a reduction, by what it makes of a dtype."""

    def infer(
        x: Type,
        *,
        axis: Axis = None,
        keepdims: bool = False,
        dtype: np.dtype | None = None,
        **_: Any,
    ) -> tuple[Type, ...]:
        type_ = require_array(x, name)
        shape = reduced_shape(type_.shape, axis, keepdims)
        return (number_or_array(result(type_.dtype) if dtype is None else dtype, shape),)

    result = dtype
    return infer


def spell_reduction(function: str, **defaults: Any) -> Spelling:
    """``np.sum(x, axis=0, keepdims=True)``, attributes at their defaults left out."""
    defaults = {"axis": None, "keepdims": False, "ddof": 0, **defaults}

    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        keywords = []
        for name, value in node.attributes.items():
            if name in defaults and value == defaults[name]:
                continue
            if name == "axis" and isinstance(value, tuple) and len(value) == 1:
                value = value[0]
            keywords.append(ast.keyword(name, literal(value)))
        return ast.Call(dotted(function), list(operands), keywords)

    return spell


def _dtype_by(function: Callable[..., Any]) -> Callable[[np.dtype], np.dtype]:
    """What a NumPy function makes of a dtype, found by calling it on a single element."""

    @functools.cache
    def dtype_of(dtype: np.dtype) -> np.dtype:
        result: np.dtype = np.asarray(function(np.ones(1, dtype))).dtype
        return result

    return dtype_of


def _reduction(
    function: Callable[..., Any],
    documentation: str,
    order: Order | None = "reduced",
    example: str | None = "np.{}(x)",
    **more: Any,
) -> Operation:
    name = function.__name__
    return Operation(
        name,
        reduction_type(_dtype_by(function), name),
        function,
        arithmetic=True,
        spelling=spell_reduction(f"np.{name}"),
        order=order,
        batch=over_shifted_axes,
        pattern=patterns.over_axes,
        example=example and example.format(name),
        documentation=documentation,
        **more,
    )


@dataclass(frozen=True, slots=True)
class Gradient:
    """The derivative of a reduction by each element: ``direction * factor / divisor``."""

    direction: Value
    factor: float = 1
    divisor: Any = None

    def scaled(self, g: Value) -> Value:
        """``g`` times what is the same for all elements of a reduction."""
        if self.factor != 1:
            g = g * self.factor
        return g if self.divisor is None else g / self.divisor


def gradient_rules(gradient: Callable[..., Gradient]) -> dict[str, Any]:
    """Both rules of a reduction from the gradient ``(y, x, **attributes)`` of each result."""

    def vjp(g: Value, y: Value, x: Value, **attributes: Any) -> Value:
        found = gradient(y, x, **attributes)
        spread = restored(found.scaled(g), x, attributes.get("axis"), _keeps(attributes))
        return as_dtype_of(broadcast_like(spread * found.direction, x), x)

    def jvp(t: Value, y: Value, x: Value, **attributes: Any) -> Value:
        found = gradient(y, x, **attributes)
        product = t * conjugated(found.direction)
        if is_complex(product) and not is_complex(y):
            product = real(product)
        axis = attributes.get("axis")
        total = sum(product, axis=axis, keepdims=_keeps(attributes))
        return as_dtype_of(found.scaled(total), y)

    return {"vjp": {0: vjp}, "jvp": {0: jvp}}


def _keeps(attributes: Mapping[str, Any]) -> bool:
    return bool(attributes.get("keepdims", False))


# sum, mean, var, std, prod ----------------------------------------------------------------------


def _sum_vjp(
    g: Value, y: Value, x: Value, *, axis: Axis = None, keepdims: bool = False, **_: Any
) -> Value:
    return broadcast_like(as_dtype_of(restored(g, x, axis, keepdims), x), x)


def _mean_vjp(
    g: Value, y: Value, x: Value, *, axis: Axis = None, keepdims: bool = False, **_: Any
) -> Value:
    return _sum_vjp(g / count_of(x, axis), y, x, axis=axis, keepdims=keepdims)


def _deviation(x: Value, axis: Axis, dtype: np.dtype | None = None, **_: Any) -> Value:
    """From the mean, which is real where a dtype of reals is asked for."""
    more = {} if dtype is None else {"dtype": dtype}
    return x - mean(x, axis=axis, keepdims=True, **more)


def _var_gradient(
    y: Value, x: Value, *, axis: Axis = None, ddof: float = 0, **more: Any
) -> Gradient:
    return Gradient(_deviation(x, axis, **more), 2, _degrees_of_freedom(x, axis, ddof))


def _std_gradient(
    y: Value, x: Value, *, axis: Axis = None, ddof: float = 0, **more: Any
) -> Gradient:
    divisor = nonzero(y) * _degrees_of_freedom(x, axis, ddof)
    return Gradient(_deviation(x, axis, **more), 1, divisor)


def _degrees_of_freedom(x: Value, axis: Axis, ddof: float) -> Any:
    count = count_of(x, axis)
    return count - ddof if ddof else count


def _prod_gradient(y: Value, x: Value, *, axis: Axis = None, **_: Any) -> Gradient:
    return Gradient(conjugated(prod_except(x, axis=axis)))


sum: Operation = _reduction(
    np.sum,
    "Sum over ``axis``; of integers and bools an int.",
    example="np.{}(X, axis=1)",
    sympy=over_axes(lambda sp, xs: sp.Add(*(number_of_truth(sp, x) for x in xs))),
    linear=frozenset({0}),
    vjp={0: _sum_vjp},
)
mean: Operation = _reduction(
    np.mean,
    "Arithmetic mean over ``axis``.",
    example="np.{}(X, axis=1)",
    sympy=over_axes(lambda sp, xs: mean_of(sp, [number_of_truth(sp, x) for x in xs])),
    linear=frozenset({0}),
    vjp={0: _mean_vjp},
)
var: Operation = _reduction(
    np.var,
    "Variance over ``axis`` with ``ddof`` degrees of freedom taken off.",
    sympy=over_axes(variance_of),
    **gradient_rules(_var_gradient),
)
std: Operation = _reduction(
    np.std,
    "Standard deviation over ``axis``; its derivative where it is 0 is 0.",
    sympy=over_axes(lambda sp, xs, **more: sp.sqrt(variance_of(sp, xs, **more))),
    **gradient_rules(_std_gradient),
)
prod: Operation = _reduction(
    np.prod,
    "Product over ``axis``; its derivative counts zeros rightly.",
    sympy=over_axes(lambda sp, xs: sp.Mul(*xs)),
    **gradient_rules(_prod_gradient),
)


def _prod_except_vjp(
    position: int, g: Value, y: Value, x: Value, *ts: Value, axis: Axis = None
) -> Value:
    """The pairing is symmetric in all directions, the cotangent's among them."""
    directions = [conjugated(g) if k + 1 == position else t for k, t in enumerate(ts)]
    if position == 0:
        directions.append(conjugated(g))
    return as_dtype_of(conjugated(prod_except(x, *directions, axis=axis)), (x, *ts)[position])


def _prod_except_jvp(
    position: int, t: Value, y: Value, x: Value, *ts: Value, axis: Axis = None
) -> Value:
    directions = [t if k + 1 == position else other for k, other in enumerate(ts)]
    if position == 0:
        directions.append(t)
    return prod_except(x, *directions, axis=axis)


def _batch_prod_except(b: Lanes, op: Any, *xs: Value, axis: Axis = None) -> Value:
    axes = axes_of(axis, b.types[0].rank)
    return prod_except(*b.whole(*xs), axis=tuple(k + 1 for k in axes))


prod_except: Operation = Operation.of_arrays(
    "prod_except",
    lambda *xs, axis=None: ArrayType(np.result_type(*(x.dtype for x in xs)), xs[0].shape),
    support.prod_except,
    arithmetic=True,
    cost="heavy",
    vjp=_prod_except_vjp,
    jvp=_prod_except_jvp,
    sympy=EVALUATED,
    batch=_batch_prod_except,
    documentation="For each element the product of the others; its derivatives in directions.",
)

# Extrema ----------------------------------------------------------------------------------------


def _extremum_gradient(
    y: Value, x: Value, *, axis: Axis = None, keepdims: bool = False, **_: Any
) -> Gradient:
    chosen = equal(x, restored(y, x, axis, keepdims))
    return Gradient(chosen, 1, _count_as(chosen, y, axis, keepdims))


max: Operation = _reduction(
    np.max,
    "The greatest element over ``axis``; ties split the derivative evenly.",
    raises=True,
    sympy=over_axes(lambda sp, xs: greatest(sp, *xs)),
    **gradient_rules(_extremum_gradient),
)
min: Operation = _reduction(
    np.min,
    "The smallest element over ``axis``; ties split the derivative evenly.",
    raises=True,
    sympy=over_axes(lambda sp, xs: least(sp, *xs)),
    **gradient_rules(_extremum_gradient),
)


def _nonempty(node: Node) -> bool:
    """Return whether the axes reduced over are known to have elements."""
    shape = array_type(node.operands[0]).shape
    gone = axes_of(node.attributes["axis"], len(shape))
    return builtins.all(least_length(shape[k]) > 0 for k in gone)


max.harmless = min.harmless = _nonempty


def _softmax_gradient(
    y: Value, x: Value, *, axis: Axis = None, keepdims: bool = False, **_: Any
) -> Gradient:
    """Of large numbers ``y`` has lost digits: the parts are scaled to add up to 1."""
    part: Value = exp(x - finite_or_zero(restored(y, x, axis, keepdims)))
    total = sum(part, axis=axis, keepdims=keepdims)
    return Gradient(part, 1, nonzero(stopped(total)))


def _batch_logaddexp(b: Lanes, op: Any, x: Value, **attributes: Any) -> Value:
    if not b.types[0].rank:
        raise NoBatchRule
    return over_shifted_axes(b, op, x, **attributes)  # type: ignore[no-any-return]


logaddexp_reduce: Operation = Operation(
    "logaddexp_reduce",
    reduction_type(_dtype_by(np.logaddexp.reduce), "logaddexp_reduce"),
    np.logaddexp.reduce,
    spelling=spell_reduction("np.logaddexp.reduce", axis=()),
    sympy=over_axes(lambda sp, xs: sp.log(sp.Add(*map(sp.exp, xs)))),
    example="np.logaddexp.reduce(x)",
    batch=_batch_logaddexp,
    documentation="Logarithm of a sum of exponentials, without overflow.",
    **gradient_rules(_softmax_gradient),
)

# Reductions that leave out NaN ------------------------------------------------------------------


def _present(x: Value) -> Value:
    return logical_not(isnan(x))


def _nanmean_gradient(
    y: Value, x: Value, *, axis: Axis = None, keepdims: bool = False, **_: Any
) -> Gradient:
    present = _present(x)
    return Gradient(present, 1, _count_as(present, y, axis, keepdims))


def _count_as(chosen: Value, y: Value, axis: Axis, keepdims: bool) -> Value:
    """How many are chosen, in a dtype that does not widen ``y``."""
    count = sum(chosen, axis=axis, keepdims=keepdims)
    wide = array_type(y).dtype == np.dtype("float64")  # an int count keeps its dtype
    return count if wide else as_dtype_of(count, y)


def _nandeviation(x: Value, axis: Axis) -> Value:
    return without_nan(x - nanmean(x, axis=axis, keepdims=True), 0)


def _nanvar_gradient(
    y: Value, x: Value, *, axis: Axis = None, keepdims: bool = False, ddof: float = 0, **_: Any
) -> Gradient:
    count = _count_as(_present(x), y, axis, keepdims)
    return Gradient(_nandeviation(x, axis), 2, count - ddof if ddof else count)


def _nanstd_gradient(
    y: Value, x: Value, *, axis: Axis = None, keepdims: bool = False, ddof: float = 0, **_: Any
) -> Gradient:
    count = _count_as(_present(x), y, axis, keepdims)
    return Gradient(_nandeviation(x, axis), 1, nonzero(y) * (count - ddof if ddof else count))


def without_nan(x: Value, value: float) -> Value:
    if not array_type(x).differentiable:
        return x
    return where(isnan(x), strong_constant(value, x), x)


nanmean: Operation = _reduction(
    np.nanmean,
    "Mean of what is not NaN.",
    order=None,
    **gradient_rules(_nanmean_gradient),
)
nanvar: Operation = _reduction(
    np.nanvar,
    "Variance of what is not NaN.",
    order=None,
    **gradient_rules(_nanvar_gradient),
)
nanstd: Operation = _reduction(
    np.nanstd,
    "Standard deviation of what is not NaN.",
    order=None,
    **gradient_rules(_nanstd_gradient),
)
nanmax: Operation = _reduction(
    np.nanmax,
    "The greatest element that is not NaN; ties split evenly.",
    order=None,
    raises=True,
    **gradient_rules(_extremum_gradient),
)
nanmin: Operation = _reduction(
    np.nanmin,
    "The smallest element that is not NaN; ties split evenly.",
    order=None,
    raises=True,
    **gradient_rules(_extremum_gradient),
)

# Truth and positions ----------------------------------------------------------------------------

any: Operation = _reduction(
    np.any,
    "Whether one is true.",
    example=None,
    nondifferentiable=True,
    sympy=over_axes(lambda sp, xs: sp.Or(*(truth_of(sp, x) for x in xs))),
)
all: Operation = _reduction(
    np.all,
    "Whether all are true.",
    example=None,
    nondifferentiable=True,
    sympy=over_axes(lambda sp, xs: sp.And(*(truth_of(sp, x) for x in xs))),
)


def _batch_position(
    b: Lanes, op: Any, x: Value, *, axis: int | None = None, keepdims: bool = False
) -> Value:
    rank = b.types[0].rank
    if axis is None and (rank != 1 or keepdims):
        raise NoBatchRule
    return op(x, axis=1 + (axis or 0), keepdims=keepdims)  # type: ignore[no-any-return]


def _infer_position(x: ArrayType, *, axis: int | None = None, keepdims: bool = False) -> ArrayType:
    shape = reduced_shape(x.shape, None if axis is None else (axis,), keepdims)
    return number_or_array(np.dtype(np.intp), shape)


def _position(function: Callable[..., Any], documentation: str) -> Operation:
    name = function.__name__
    return Operation.of_arrays(
        name,
        _infer_position,
        function,
        raises=True,
        spelling=spell_reduction(f"np.{name}"),
        nondifferentiable=True,
        order="packed",
        batch=_batch_position,
        documentation=documentation,
    )


argmax: Operation = _position(np.argmax, "Where the first greatest element stands.")
argmin: Operation = _position(np.argmin, "Where the first smallest element stands.")
nanargmax: Operation = _position(
    np.nanargmax, "Where the first greatest element that is not NaN stands."
)
nanargmin: Operation = _position(
    np.nanargmin, "Where the first smallest element that is not NaN stands."
)


_COUNT = type_of_constant(np.count_nonzero(()))  # NumPy's integer, once Python's


def _infer_count(x: ArrayType, *, axis: Axis = None, keepdims: bool = False) -> Type:
    if axis is None and not keepdims:
        return _COUNT
    return number_or_array(np.dtype(np.intp), reduced_shape(x.shape, axis, keepdims))


def _batch_count(b: Lanes, op: Any, x: Value, **attributes: Any) -> Value:
    if not b.types[0].rank:
        raise NoBatchRule
    return over_shifted_axes(b, op, x, **attributes)  # type: ignore[no-any-return]


count_nonzero: Operation = Operation.of_arrays(
    "count_nonzero",
    _infer_count,
    np.count_nonzero,
    spelling=spell_reduction("np.count_nonzero"),
    nondifferentiable=True,
    batch=_batch_count,
    documentation="How many elements are not zero.",
)

# Broadcasting and its transpose -----------------------------------------------------------------


def broadcast_like(t: Value, x: Value) -> Value:
    """``t`` broadcast to the shape of ``x``; as it is where that is known to be its shape."""
    shape = array_type(x).shape
    if array_type(t).shape == shape:
        return t
    return broadcast_to(t, *sizes_of(x), shape=shape)


def unbroadcast_to(g: Value, x: Value) -> Value:
    """The cotangent of ``x`` broadcast, summed to the shape of ``x`` and cast to its dtype."""
    type_ = array_type(x)
    g = _without_leading(g, type_.rank)
    known, tested = _axes_to_sum(array_type(g).shape, type_.shape)
    if known:
        g = sum(g, axis=known if len(known) < type_.rank else None, keepdims=True)
    if tested:
        g = unbroadcast(g, *sizes_of(x), shape=type_.shape)
    return _as_kind_of(as_dtype_of(g, x), type_)


def fitted_to(g: Value, x: Value) -> Value:
    """The cotangent of ``x``, just made, which has the shape of ``x`` whatever its lengths are
    called; cast to its dtype.
    """
    type_ = array_type(x)
    known, tested = _axes_to_sum(array_type(g).shape, type_.shape)
    if known or tested:
        g.type = with_sizes_of(type_, g.type)
    return _as_kind_of(as_dtype_of(g, x), type_)


def reshape_like(g: Value, x: Value) -> Value:
    """``g`` in the shape of ``x``, of which it has the elements."""
    if array_type(x).kind != "array":
        return unbroadcast_to(g, x)
    return reshape(g, *sizes_of(x), shape=array_type(x).shape)


def cotangent_by_rule(
    op: DeclaredOp, position: int, g: Any, y: Any, *operands: Value, **attributes: Any
) -> Any:
    """What an op's vjp rule gives for an operand, in the operand's shape and dtype."""
    rule = op.rule("vjp", position)
    assert rule is not None
    share = rule(g, y, *operands, **attributes)
    return unbroadcast_to(share, operands[position]) if op.is_broadcast(position) else share


def tangent_by_rule(
    op: DeclaredOp, position: int, t: Value, y: Any, *operands: Value, **attributes: Any
) -> Any:
    """What an op's jvp rule gives for an operand, in the shape of the result."""
    rule = op.rule("jvp", position)
    assert rule is not None
    share = rule(t, y, *operands, **attributes)
    return broadcast_like(share, y) if op.is_broadcast(position) else share


def _without_leading(g: Value, rank: int) -> Value:
    """Sum over the axes that broadcasting put in front."""
    extra = array_type(g).rank - rank
    if extra <= 0:
        return g
    axis = tuple(range(extra)) if rank else None
    return sum(g, axis=axis, keepdims=False)


def _axes_to_sum(g: tuple[Dim, ...], x: tuple[Dim, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Axes that are summed over, and those where only the run time knows."""
    pairs = list(enumerate(zip(g, x, strict=True)))
    known = tuple(k for k, (long, short) in pairs if short == 1 and long != 1)
    tested = tuple(
        k for k, (long, short) in pairs if short != 1 and long != short and may_be_one(short)
    )
    return known, tested


def _as_kind_of(g: Value, type_: ArrayType) -> Value:
    if type_.kind != "array" and array_type(g).kind == "array":
        return as_scalar(g)
    return g


def _evaluate_unbroadcast(g: Any, *sizes: int, shape: tuple[Dim, ...]) -> Any:
    axes = tuple(k for k, length in enumerate(sizes) if length == 1)
    return np.sum(g, axis=axes, keepdims=True)


def _spell_unbroadcast(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """``np.sum(g, axis=1, keepdims=True) if n == 1 else g``, a test for each open axis."""
    g = operands[0]
    before = array_type(node.operands[0]).shape
    spelled = g
    for axis in _axes_to_sum(before, node.attributes["shape"])[1]:
        test = ast.Compare(operands[1 + axis], [ast.Eq()], [ast.Constant(1)])
        keywords = [ast.keyword("axis", literal(axis)), ast.keyword("keepdims", literal(True))]
        spelled = ast.IfExp(test, ast.Call(dotted("np.sum"), [spelled], keywords), spelled)
    return spelled


def _batch_unbroadcast(b: Lanes, op: Any, g: Value, *sizes: Value, shape: Any) -> Value:
    b.only(0)
    if b.types[0].rank != len(shape):
        raise NoBatchRule
    return unbroadcast(g, b.count, *sizes, shape=(b.dim, *shape))


def _pattern_unbroadcast(e: patterns.Elements, op: Any, *, shape: Any) -> np.ndarray:
    axes = tuple(k for k, length in enumerate(e.known(1)) if length == 1)
    summed = patterns.united_over(e, e.ids[0], axes)
    return np.expand_dims(summed, axes)


unbroadcast: Operation = Operation.of_arrays(
    "unbroadcast",
    lambda g, *sizes, shape: ArrayType(g.dtype, shape),
    _evaluate_unbroadcast,
    cost="heavy",
    view=0,
    spelling=_spell_unbroadcast,
    linear=frozenset({0}),
    vjp={0: lambda g, y, x, *sizes, shape: broadcast_like(g, x)},
    repeated=frozenset({0}),
    sympy=EVALUATED,
    batch=_batch_unbroadcast,
    pattern=_pattern_unbroadcast,
    documentation="``g`` summed over the axes where a size is 1, which the run time tests.",
)
