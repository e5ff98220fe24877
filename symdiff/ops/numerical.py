"""Interpolation, quadrature, differences, polynomials, convolution, medians.

Where NumPy's own code is a few array expressions, the lowering is the same expressions, so that
bits agree; the rest are ops that call NumPy's function.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.errors import UnsupportedCallError, rejection
from symdiff.ir.graph import Node, Operand, Value
from symdiff.ir.types import BOOL, ArrayType, Dim, Size, least
from symdiff.ops import patterns
from symdiff.ops.arithmetic import (
    by_numpy,
    constant_of,
    divide,
    floor_divide,
    greater_equal,
    isnan,
    less_equal,
    logical_and,
    maximum,
    minimum,
    multiply,
    subtract,
    where,
)
from symdiff.ops.arrange import WHOLE, _at, lower_ravel
from symdiff.ops.arrays import array_of
from symdiff.ops.casts import as_dtype_of, conjugated, number_or_array, python_bool
from symdiff.ops.creation import zeros, zeros_of
from symdiff.ops.declare import (
    EVALUATED,
    FUNCTIONS,
    Lowering,
    Operation,
    array_type,
    call,
    call_along,
    dotted,
    literal,
    lowers,
    one_of,
    static,
    static_integer,
)
from symdiff.ops.index import index_add_of, index_of, index_set_of
from symdiff.ops.joining_calls import lower_concatenate, lower_flip
from symdiff.ops.order import argsort, cumprod, searchsorted, take_along_axis
from symdiff.ops.reduce import axis_of, mean, sum, unbroadcast_to
from symdiff.ops.shape import copy as copied
from symdiff.ops.sizes import sizes_of, sum_dim
from symdiff.ops.ufuncs import cast

# Quadrature and differences -----------------------------------------------------------------------


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Value:
    """As NumPy writes it: the sum of ``d * (y[1:] + y[:-1]) / 2.0``."""
    values = array_of(y)
    along = axis_of(axis, array_type(values).rank)
    d = array_of(dx) if x is None else _steps(array_of(x), array_type(values).rank, axis)
    later, earlier = _at(values, along, slice(1, None)), _at(values, along, slice(None, -1))
    parts = divide(multiply(d, later + earlier), 2.0)
    return sum(parts, axis=(along,), keepdims=False)


def _steps(x: Value, rank: int, axis: int) -> Value:
    if array_type(x).rank > 1:
        return FUNCTIONS[np.diff](x, axis=axis)  # type: ignore[no-any-return]
    steps, along = FUNCTIONS[np.diff](x), axis_of(axis, rank)
    return index_of(steps, tuple(WHOLE if k == along else None for k in range(rank)))


if hasattr(np, "trapezoid"):
    lowers(np.trapezoid)(_trapezoid)
if hasattr(np, "trapz"):
    lowers(np.trapz)(_trapezoid)


# Polynomials --------------------------------------------------------------------------------------


@lowers(np.vander)
def lower_vander(x: Any, N: Any = None, increasing: Any = False) -> Value:
    points = array_of(x)
    if array_type(points).rank != 1:
        raise rejection(ValueError, "x must be a one-dimensional array or sequence.")
    points = cast(points, np.promote_types(array_type(points).dtype, int))
    count = static_integer(sizes_of(points)[0] if N is None else N)
    if count < 0:
        raise rejection(ValueError, "negative dimensions are not allowed")
    ones = FUNCTIONS[np.ones_like](points)
    powers = cumprod(FUNCTIONS[np.stack]([ones, *[points] * (count - 1)], 1), axis=1)
    powers = powers if count else _at(powers, 1, slice(0, 0))
    return powers if static(increasing) else lower_flip(powers, 1)


# Interpolation ------------------------------------------------------------------------------------


def _infer_interp(x: ArrayType, xp: ArrayType, fp: ArrayType) -> ArrayType:
    dtype = np.dtype("complex128" if fp.dtype.kind == "c" else "float64")
    return number_or_array(dtype, x.shape)


def _within_one(x: Value) -> Value:
    return minimum(maximum(x, 0.0), 1.0)


class _Segments:
    """Where points lie among the knots: the segment, the weights of its ends, whether inside.

    Each weight is that of a distance: one less the other would have no digits where that is 1.
    """

    def __init__(self, x: Value, xp: Value, fp: Value) -> None:
        count = sizes_of(xp)[0]
        after = searchsorted(xp, x, side="right")
        self.low = minimum(maximum(after - 1, 0), by_numpy(subtract)(count, 2))
        alone = array_type(xp).shape[0] == 1  # which is known of every array that is one long
        self.high = self.low if alone else self.low + 1
        left, right = index_of(xp, self.low), index_of(xp, self.high)
        self.inside = logical_and(
            greater_equal(x, index_of(xp, 0)), less_equal(x, index_of(xp, -1))
        )
        width = 1.0 if alone else right - left
        self.weight = _within_one(divide(x - left, width))
        self.rest = 1.0 - self.weight if alone else _within_one(divide(right - x, width))
        rise = index_of(fp, self.high) - index_of(fp, self.low)
        self.slope = where(self.inside, divide(rise, width), 0.0)

    def spread(self, g: Value, like: Value, low: Value, high: Value) -> Value:
        """A cotangent's shares for the ends of the segments."""
        first = index_add_of(zeros_of(like), g * low, self.low)
        return index_add_of(first, g * high, self.high)


def _interp_vjp(position: int, g: Value, y: Value, x: Value, xp: Value, fp: Value) -> Value:
    s = _Segments(x, xp, fp)
    if position == 0:
        return unbroadcast_to(g * conjugated(s.slope), x)
    if position == 2:
        return s.spread(g, fp, s.rest, s.weight)
    slope = conjugated(s.slope)
    shares = s.spread(g, g_like(xp, g), -slope * s.rest, -slope * s.weight)
    return as_dtype_of(shares, xp)


def g_like(xp: Value, g: Value) -> Value:
    """Zeros of the knots' length in the cotangent's dtype."""
    type_ = array_type(xp)
    return zeros(*sizes_of(xp), shape=type_.shape, dtype=array_type(g).dtype)


def _has_knots(node: Node) -> bool:
    """Return whether there are knots, and a value at each."""
    knots, values = (array_type(operand).shape for operand in node.operands[1:])
    return knots == values and len(knots) == 1 and isinstance(knots[0], int) and knots[0] > 0


def _interp_jvp(position: int, t: Value, y: Value, x: Value, xp: Value, fp: Value) -> Value:
    s = _Segments(x, xp, fp)
    if position == 0:
        return t * s.slope
    low, high = index_of(t, s.low), index_of(t, s.high)
    if position == 2:
        return low * s.rest + high * s.weight
    return -s.slope * (low * s.rest + high * s.weight)


interp = Operation.of_arrays(
    "interp",
    _infer_interp,
    np.interp,
    raises=True,
    harmless=_has_knots,
    vjp=_interp_vjp,
    jvp=_interp_jvp,
    example="np.interp(t, x, w)",
    documentation="Values between knots on straight lines, constant outside of them.",
)


@lowers(np.interp)
def lower_interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    if left is not None or right is not None or period is not None:
        return NotImplemented
    values = array_of(fp)
    exact = array_type(values).dtype.kind in "biu"
    return interp(array_of(x), array_of(xp), cast(values, np.dtype(float)) if exact else values)


# Convolution --------------------------------------------------------------------------------------


def _whole(g: Value, a: Value, v: Value, mode: str) -> Value:
    """A cotangent of the whole convolution from that of its middle part."""
    if mode == "full":
        return g
    n, m = sizes_of(a)[0], sizes_of(v)[0]
    total, length = subtract(n + m, 1), sizes_of(g)[0]
    missing = subtract(total, length)
    start = floor_divide(missing, 2)
    shape = (sum_dim((*array_type(a).shape, *array_type(v).shape, -1)),)
    base = zeros(total, shape=shape, dtype=array_type(g).dtype)
    return index_set_of(base, g, slice(start, start + length))


def _convolve_vjp(
    position: int, g: Value, y: Value, a: Value, v: Value, *, mode: str, length: Dim
) -> Value:
    wanted, other = (a, v) if position == 0 else (v, a)
    back = conjugated(lower_flip(other))
    whole = _whole(g, a, v, mode)
    made = convolve(whole, back, mode="valid", length=array_type(wanted).shape[0])
    return as_dtype_of(made, wanted)


_MOST_PRODUCTS = 2**24  # that a pattern looks at


def _pattern_convolve(e: patterns.Elements, op: Any, *, mode: str, length: Dim) -> np.ndarray:
    a, v = e.ids
    short, long = sorted((len(a), len(v)))
    if short * long > _MOST_PRODUCTS:
        raise patterns.NoPattern
    places = np.add.outer(np.arange(len(a)), np.arange(len(v)))
    whole = e.gathered(e.united(a[:, None], v), places, len(a) + len(v) - 1)
    start, end = {
        "full": (0, len(whole)),
        "same": ((short - 1) // 2, (short - 1) // 2 + long),
        "valid": (short - 1, long),
    }[mode]
    return whole[start:end]


convolve: Operation = Operation.of_arrays(
    "convolve",
    lambda a, v, *, mode, length: ArrayType(np.result_type(a.dtype, v.dtype), (length,)),
    lambda a, v, *, mode, length: np.convolve(a, v, mode),
    arithmetic=True,
    raises=True,
    cost="heavy",
    vjp=_convolve_vjp,
    linear="each",
    spelling=call("np.convolve", mode="full"),
    sympy=EVALUATED,
    example="np.convolve(x, t)",
    pattern=_pattern_convolve,
    documentation="Products of the elements of two vectors, summed by the sum of positions.",
)


# unwrap -----------------------------------------------------------------------------------------


def _infer_unwrap(p: ArrayType, turn: ArrayType, *discont: ArrayType, axis: int) -> ArrayType:
    one: Any = one_of(turn) if turn.weak else turn.dtype.type(1)
    return ArrayType(np.unwrap(np.ones(2, p.dtype), period=one).dtype, p.shape)


def _spell_unwrap(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    p, period, *discont = operands
    axis = node.attributes["axis"]
    implied = axis == array_type(node.operands[0]).rank - 1
    keywords = [] if implied else [ast.keyword("axis", literal(axis))]
    if constant_of(node.operands[1]) != 2 * np.pi:
        keywords.append(ast.keyword("period", period))
    return ast.Call(dotted("np.unwrap"), [p, *discont], keywords)


def _turns(y: Value, p: Value, period: Value) -> Value:
    """How many periods were added to each element."""
    return by_numpy(divide)(subtract(y, p), period)


unwrap: Operation = Operation.of_arrays(
    "unwrap",
    _infer_unwrap,
    lambda p, period, *discont, axis: np.unwrap(p, *discont, axis=axis, period=period),  # type: ignore[call-overload]
    raises=True,
    spelling=_spell_unwrap,
    vjp={
        0: lambda g, y, p, period, *discont, axis: as_dtype_of(g, p),
        1: lambda g, y, p, period, *discont, axis: unbroadcast_to(g * _turns(y, p, period), period),
    },
    jvp={
        0: lambda t, y, p, period, *discont, axis: as_dtype_of(t, y),
        1: lambda t, y, p, period, *discont, axis: as_dtype_of(t * _turns(y, p, period), y),
    },
    nondifferentiable=frozenset({2}),
    order="kept",
    example="np.unwrap(x)",
    documentation="Angles without jumps: whole periods are added; the jumps have derivative 0.",
)


@lowers(np.unwrap)
def _unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = 2 * np.pi) -> Value:
    angles, turn = array_of(p), array_of(period)
    if not array_type(angles).shape:
        raise rejection(ValueError, "diff requires input that is at least one dimensional")
    if array_type(turn).shape:
        raise UnsupportedCallError("numpy.unwrap with an array as period=", None, "give a number")
    more = () if discont is None else (array_of(discont),)
    return unwrap(angles, turn, *more, axis=axis_of(axis, array_type(angles).rank))


@lowers(np.convolve)
def lower_convolve(a: Any, v: Any, mode: Any = "full") -> Value:
    one, other, how = _vector(array_of(a)), _vector(array_of(v)), static(mode)
    dims = array_type(one).shape + array_type(other).shape
    length = _convolved_length(dims, how)
    return convolve(one, other, mode=how, length=length)


def _vector(x: Value) -> Value:
    """A number as an array of one element."""
    return x if array_type(x).shape else FUNCTIONS[np.reshape](x, (1,))


def _convolved_length(dims: tuple[Dim, ...], mode: str) -> Dim:
    if mode == "full":
        return sum_dim((*dims, -1))
    numbers = [dim for dim in dims if isinstance(dim, int)]
    if len(numbers) == 2:
        low, high = sorted(numbers)
        return high if mode == "same" else high - low + 1
    return Size(f"{mode}({dims[0]},{dims[1]})", open=True)


# Medians and averages -----------------------------------------------------------------------------


def _middle(x: Value, axis: int) -> Value:
    """The mean of the one or two middle elements of sorted lines."""
    count = sizes_of(x)[axis]
    if isinstance(count, int):
        low: Operand = (count - 1) // 2
        high: Operand = count // 2 + 1
    else:
        low, high = floor_divide(count - 1, 2), floor_divide(count, 2) + 1
    return mean(_at(x, axis, slice(low, high)), axis=(axis,), keepdims=False)


def _infer_median(x: ArrayType, *, axis: int) -> ArrayType:
    dtype = x.dtype if x.dtype.kind in "fc" else np.dtype("float64")
    return number_or_array(dtype, x.shape[:axis] + x.shape[axis + 1 :])


def _median_jvp(t: Value, y: Value, x: Value, *, axis: int) -> Value:
    return _middle(take_along_axis(t, argsort(x, axis=axis), axis=axis), axis)


def _median_vjp(g: Value, y: Value, x: Value, *, axis: int) -> Value:
    order = argsort(x, axis=axis)
    count = sizes_of(x)[axis]
    low = floor_divide(array_of(count) - 1, 2)
    high = floor_divide(array_of(count), 2)
    rank = argsort(order, axis=axis)  # each element's place among the sorted
    chosen = logical_and(greater_equal(rank, low), less_equal(rank, high))
    spread = index_of(g, (WHOLE,) * axis + (None,)) if array_type(g).shape else g
    share = divide(spread, high - low + 1)
    return where(chosen, share, 0.0)


median = Operation.of_arrays(
    "median",
    _infer_median,
    np.median,
    cost="heavy",
    vjp={0: _median_vjp},
    jvp={0: _median_jvp},
    spelling=call_along("np.median"),
    example="np.median(x, axis=0)",
    documentation="The middle of the sorted elements, or the mean of the two in the middle.",
)


@lowers(np.median)
def lower_median(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    x, along = array_of(a), static(axis)
    if static(keepdims) or isinstance(along, tuple | list):
        return NotImplemented
    if along is None:
        return median(lower_ravel(x), axis=0)
    return median(x, axis=axis_of(axis, array_type(x).rank))


# Blocks -----------------------------------------------------------------------------------------


@lowers(np.block)
def lower_block(arrays: Any) -> Value:
    """Rows of blocks, as nested lists: the innermost side by side."""
    depth = _depth(arrays)
    rank = max(depth, *(array_type(leaf).rank for leaf in _leaves(arrays)))
    return _block(arrays, depth, rank) if depth else copied(array_of(arrays))


def _depth(arrays: Any) -> int:
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise rejection(ValueError, "List at arrays cannot be empty")
    return 1 + max(map(_depth, arrays))


def _leaves(arrays: Any) -> list[Value]:
    if not isinstance(arrays, list):
        return [array_of(arrays)]
    return [leaf for item in arrays for leaf in _leaves(item)]


def _block(arrays: Any, depth: int, rank: int) -> Value:
    if not isinstance(arrays, list):
        x = array_of(arrays)
        if not array_type(x).rank:
            x = FUNCTIONS[np.reshape](x, (1,) * rank)
        missing = rank - array_type(x).rank
        return index_of(x, (None,) * missing + (Ellipsis,)) if missing else x
    return lower_concatenate([_block(item, depth - 1, rank) for item in arrays], -depth)


lowers(np.dstack)(
    lambda tup: lower_concatenate([FUNCTIONS[np.atleast_3d](part) for part in tup], 2)
)


def _lower_cumulative(running: Lowering, neutral: int) -> Lowering:
    def lowering(
        x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False
    ) -> Value:
        if static(axis) is None and array_type(array_of(x)).rank > 1:
            raise rejection(
                ValueError, "For arrays which have more than one dimension ``axis`` is required."
            )
        totals = running(x, axis, dtype)
        if not static(include_initial):
            return totals  # type: ignore[no-any-return]
        along = 0 if static(axis) is None else axis_of(axis, array_type(totals).rank)
        if least(array_type(totals).shape[along]):
            first = FUNCTIONS[np.full_like](_at(totals, along, slice(0, 1)), neutral)
        else:
            sizes = tuple(1 if k == along else n for k, n in enumerate(sizes_of(totals)))
            first = FUNCTIONS[np.full_like](totals, neutral, shape=sizes)
        return lower_concatenate([first, totals], along)

    return lowering


lowers(np.cumulative_sum)(_lower_cumulative(FUNCTIONS[np.cumsum], 0))
lowers(np.cumulative_prod)(_lower_cumulative(FUNCTIONS[np.cumprod], 1))


def _lower_running_without_nan(running: Lowering, neutral: int) -> Lowering:
    def lowering(a: Any, axis: Any = None, dtype: Any = None) -> Value:
        x = array_of(a)
        present = where(isnan(x), neutral, x) if array_type(x).differentiable else x
        return running(present, axis, dtype)  # type: ignore[no-any-return]

    return lowering


lowers(np.nancumsum)(_lower_running_without_nan(FUNCTIONS[np.cumsum], 0))
lowers(np.nancumprod)(_lower_running_without_nan(FUNCTIONS[np.cumprod], 1))


# Comparisons of arrays ----------------------------------------------------------------------------


@lowers(np.allclose)
def lower_allclose(
    a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False
) -> Any:
    close = FUNCTIONS[np.isclose](a, b, rtol, atol, equal_nan)
    return python_bool(FUNCTIONS[np.all](close))


array_equal: Operation = Operation(
    "array_equal",
    lambda x, y, *, equal_nan=False: (BOOL,),
    np.array_equal,
    nondifferentiable=True,
    documentation="Whether two arrays have one shape and equal elements.",
)


@lowers(np.array_equal)
def lower_array_equal(a1: Any, a2: Any, equal_nan: Any = False) -> Any:
    """What is known to be of unlike shapes is known to differ."""
    x, y = array_of(a1), array_of(a2)
    one, other = array_type(x).shape, array_type(y).shape
    if len(one) != len(other) or any(map(_certainly_differ, one, other)):
        return False
    return array_equal(x, y, **({"equal_nan": True} if static(equal_nan) else {}))


def _certainly_differ(m: Dim, n: Dim) -> bool:
    if isinstance(m, int):
        return m != n if isinstance(n, int) else m < least(n)
    return isinstance(n, int) and n < least(m)
