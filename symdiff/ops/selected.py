"""Reductions with ``where=`` and ``initial=``: NumPy's calls, for their order of adding.

The operands of ``selected_sum`` and the others are the array, and what ``given`` names of the mask
and the first value: ``selected_sum(x, m, a, given=("where", "initial"))`` is
``np.sum(x, where=m, initial=a)``. Means and spreads of what is selected are made of such sums, as
NumPy makes them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.errors import rejection
from symdiff.ir.graph import Node, Value
from symdiff.ir.types import Dim, Type
from symdiff.ops.arithmetic import (
    choose,
    divide,
    equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    multiply,
    nonzero,
    strong_constant,
    where,
)
from symdiff.ops.casts import as_dtype_of, conjugated, imag, is_complex, real
from symdiff.ops.declare import FUNCTIONS, Operation, array_type, dotted, require_array, static
from symdiff.ops.elementary import sqrt
from symdiff.ops.reduce import (
    Axis,
    broadcast_like,
    count_of,
    normalized_axis,
    prod,
    prod_except,
    reduction_type,
    restored,
    spell_reduction,
    sum,
    unbroadcast_to,
)
from symdiff.ops.ufuncs import cast, dtype_of, staged

Given = tuple[str, ...]

# The ops ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Operands:
    """What is reduced, the mask and the first value where they are given."""

    x: Value
    mask: Value | None
    initial: Value | None
    axis: Axis
    keepdims: bool

    @classmethod
    def of(
        cls, operands: Sequence[Value], given: Given, axis: Axis, keepdims: bool, **_: Any
    ) -> _Operands:
        x, *more = operands
        named = dict(zip(given, more, strict=True))
        return cls(x, named.get("where"), named.get("initial"), axis, keepdims)

    def masked(self, values: Value, neutral: float = 0) -> Value:
        """``values`` where the mask is true."""
        if self.mask is None:
            return values
        return where(self.mask, values, strong_constant(neutral, values))

    def total(self, values: Value) -> Value:
        """The sum of what the mask selects."""
        if self.mask is None:
            return sum(values, axis=self.axis, keepdims=self.keepdims)
        return selected_sum(
            values, self.mask, axis=self.axis, keepdims=self.keepdims, given=("where",)
        )

    def restored(self, y: Value) -> Value:
        return restored(y, self.x, self.axis, self.keepdims)


@dataclass(frozen=True, slots=True)
class _Partials:
    """Derivatives by each element, and by the first value; None where they are 1."""

    x: Value | None
    initial: Value | None


def _ones(y: Value, o: _Operands) -> _Partials:
    return _Partials(None, None)


def _products_of_others(y: Value, o: _Operands) -> _Partials:
    factors = o.masked(o.x, 1)
    others = prod_except(factors, axis=o.axis)
    if o.initial is None:
        return _Partials(others, None)
    return _Partials(others * o.initial, prod(factors, axis=o.axis, keepdims=o.keepdims))


def _shares_of_extrema(y: Value, o: _Operands) -> _Partials:
    chosen = o.masked(as_dtype_of(equal(o.x, o.restored(y)), y))
    assert o.initial is not None  # NumPy asks for it
    first = as_dtype_of(equal(as_dtype_of(o.initial, y), y), y)
    count = sum(chosen, axis=o.axis, keepdims=o.keepdims) + first
    return _Partials(chosen / o.restored(count), first / count)


def _vjp(partials: Callable[[Value, _Operands], _Partials]) -> Callable[..., Value]:
    def rule(position: int, g: Value, y: Value, *operands: Value, **attributes: Any) -> Value:
        o = _Operands.of(operands, **attributes)
        if position:
            by = partials(y, o).initial
            share = g if by is None else g * conjugated(by)
            return unbroadcast_to(_of_kind(share, operands[position]), operands[position])
        by = partials(y, o).x
        spread = broadcast_like(o.restored(g), o.x)
        share = spread if by is None else spread * conjugated(by)
        return as_dtype_of(o.masked(_of_kind(share, o.x)), o.x)

    return rule


def _jvp(partials: Callable[[Value, _Operands], _Partials]) -> Callable[..., Value]:
    def rule(position: int, t: Value, y: Value, *operands: Value, **attributes: Any) -> Value:
        o = _Operands.of(operands, **attributes)
        found = partials(y, o)
        if position:
            share = t if found.initial is None else t * found.initial
            return as_dtype_of(broadcast_like(share, y), y)
        return as_dtype_of(o.total(t if found.x is None else t * found.x), y)

    return rule


def _of_kind(share: Value, x: Value) -> Value:
    """The real part of what comes back to real numbers."""
    return real(share) if is_complex(share) and not is_complex(x) else share


def _may_select(mask: tuple[Dim, ...], shape: tuple[Dim, ...]) -> bool:
    """Return whether a mask may be broadcast to a shape, as far as the sizes are known."""
    pairs = zip(reversed(mask), reversed(shape), strict=False)
    known = ((m, n) for m, n in pairs if isinstance(m, int) and isinstance(n, int))
    return len(mask) <= len(shape) and all(m in (1, n) for m, n in known)


def _infer(name: str, function: Callable[..., Any]) -> Callable[..., tuple[Type, ...]]:
    plain = reduction_type(lambda dtype: np.asarray(function(np.ones(1, dtype))).dtype, name)

    def infer(x: Type, *more: Type, given: Given, **attributes: Any) -> tuple[Type, ...]:
        shape = require_array(x, name).shape
        named = {key: require_array(t, name) for key, t in zip(given, more, strict=True)}
        mask = named.get("where")
        if mask is not None and not _may_select(mask.shape, shape):
            raise rejection(ValueError, "where= has to broadcast to the shape of what is reduced")
        if "initial" in named and named["initial"].shape:
            raise rejection(ValueError, "setting an array element with a sequence.")
        if "initial" not in named and name in ("max", "min"):
            ufunc = "maximum" if name == "max" else "minimum"
            raise rejection(
                ValueError,
                f"reduction operation '{ufunc}' does not have an identity, so to use a where mask"
                " one has to specify 'initial'",
            )
        found: tuple[Type, ...] = plain(x, **attributes)
        return found

    return infer


def _spell(name: str) -> Callable[[Node, Sequence[ast.expr]], ast.expr]:
    plain = spell_reduction(f"np.{name}")

    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        given = node.attributes["given"]
        attributes = {k: v for k, v in node.attributes.items() if k != "given"}
        called = plain(Node(node.op, node.operands, attributes), operands[:1])
        assert isinstance(called, ast.Call)
        more = [ast.keyword(key, x) for key, x in zip(given, operands[1:], strict=True)]
        return ast.Call(dotted(f"np.{name}"), called.args, [*called.keywords, *more])

    return spell


def _is_of_one_shape(node: Node) -> bool:
    shapes = {array_type(value).shape for value in node.operands}
    return len(shapes - {()}) <= 1


def _selected(
    function: Callable[..., Any], partials: Callable[[Value, _Operands], _Partials], text: str
) -> Operation:
    name = function.__name__

    def evaluate(x: Any, *more: Any, given: Given, **attributes: Any) -> Any:
        return function(x, **attributes, **dict(zip(given, more, strict=True)))

    return Operation(
        f"selected_{name}",
        _infer(name, function),
        evaluate,
        arithmetic=True,
        raises=True,
        harmless=_is_of_one_shape,
        as_given=True,
        vjp=_vjp(partials),
        jvp=_jvp(partials),
        spelling=_spell(name),
        example=f"np.{name}(x, initial=a)",
        documentation=f"{text}, of what a mask selects, from a first value on.",
    )


selected_sum = _selected(np.sum, _ones, "The sum over ``axis``")
selected_prod = _selected(np.prod, _products_of_others, "The product over ``axis``")
selected_max = _selected(np.max, _shares_of_extrema, "The greatest over ``axis``")
selected_min = _selected(np.min, _shares_of_extrema, "The smallest over ``axis``")
SELECTED = {"sum": selected_sum, "prod": selected_prod, "max": selected_max, "min": selected_min}

# What calls mean ----------------------------------------------------------------------------------


def lower_selected(
    name: str, a: Any, axis: Any, keepdims: Any, where: Any, initial: Any, dtype: Any = None
) -> Value:
    """A reduction with a mask or a first value."""
    x = staged(a)
    given = {} if _is_left_out(where) or where is True else {"where": _mask(where)}
    if not _is_left_out(initial):
        given["initial"] = staged(initial)
    more = {} if dtype is None else {"dtype": dtype_of(dtype)}
    normal = normalized_axis(axis, array_type(x).rank)
    keeps = keepdims is not np._NoValue and bool(static(keepdims))
    return SELECTED[name](
        x, *given.values(), axis=normal, keepdims=keeps, given=tuple(given), **more
    )


def _is_left_out(value: Any) -> bool:
    return value is None or value is np._NoValue


def _mask(where: Any) -> Value:
    return cast(staged(where), np.dtype(bool))


def lower_selected_truth(name: str, a: Any, axis: Any, keepdims: Any, where: Any) -> Value:
    """Return whether any or all of what a mask selects are true."""
    x, mask = staged(a), broadcast_like(_mask(where), staged(a))
    chosen = logical_and(x, mask) if name == "any" else logical_or(x, logical_not(mask))
    return FUNCTIONS[getattr(np, name)](chosen, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]


def lower_selected_mean(a: Any, axis: Any, keepdims: Any, where: Any, dtype: Any = None) -> Value:
    """The sum of what a mask selects over their number."""
    x, mask = staged(a), _mask(where)
    half = dtype is None and array_type(x).dtype == np.dtype("float16")
    total = _wide_sum(x, axis, keepdims, mask, np.dtype("float32") if half else dtype)
    count = sum_of(broadcast_like(mask, x), axis, keepdims)
    return cast(_over(total, count), array_type(x).dtype if half else None)


def lower_selected_variance(
    a: Any, axis: Any, keepdims: Any, where: Any, dtype: Any, ddof: Any, mean: Any
) -> Value:
    """Squares of deviations of what a mask selects, from their mean or a given one."""
    x, mask = staged(a), None if where is True else _mask(where)
    if _is_left_out(mean):
        assert mask is not None
        mean = lower_selected_mean(x, axis, True, mask, _wide(x, dtype) or array_type(x).dtype)
    deviations = x - staged(mean)
    if mask is not None:  # what is not selected may be NaN
        deviations = _replaced(mask, deviations)
    squares = _square(deviations)
    if mask is None:
        total = sum_of(squares, axis, keepdims, _wide(x, dtype))
        count = count_of(x, normalized_axis(axis, array_type(x).rank))
    else:
        total = _wide_sum(squares, axis, keepdims, mask, _wide(x, dtype))
        count = sum_of(broadcast_like(mask, x), axis, keepdims)
    return _over(total, maximum(count - ddof, 0))


def lower_selected_deviation(*arguments: Any, **more: Any) -> Value:
    """The root of the variance; its derivative where it is 0 is 0."""
    variance = lower_selected_variance(*arguments, **more)
    none = equal(variance, 0)
    return choose(none, strong_constant(0, variance), sqrt(nonzero(variance)))


def _replaced(mask: Value, x: Value) -> Value:
    return where(mask, x, strong_constant(0, x))


def _square(x: Value) -> Value:
    if not is_complex(x):
        return multiply(x, x)
    return multiply(real(x), real(x)) + multiply(imag(x), imag(x))


def sum_of(x: Value, axis: Any, keepdims: Any, dtype: Any = None) -> Value:
    """The plain sum, with a user's arguments."""
    return FUNCTIONS[np.sum](x, axis=axis, keepdims=keepdims, dtype=dtype)  # type: ignore[no-any-return]


def _wide(x: Value, dtype: Any) -> np.dtype | None:
    """The dtype to sum in: integers and bools in float64."""
    if dtype is None and array_type(x).dtype.kind in "iub":
        return np.dtype("float64")
    return dtype_of(dtype)


def _wide_sum(x: Value, axis: Any, keepdims: Any, mask: Value, dtype: Any) -> Value:
    return lower_selected("sum", x, axis, keepdims, mask, None, _wide(x, dtype))


def _over(total: Value, count: Any) -> Value:
    return cast(divide(total, count), array_type(total).dtype)
