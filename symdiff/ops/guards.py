"""What a rule makes of cotangents, 0 where all of these are 0, whatever else it was made of.

    x_bar = guarded(np.any(g != 0), True, share)        share if any of g is not 0, else 0

A cotangent may be 0 as its value was not selected: the share may then be NaN or infinite, which is
to have no effect. It may also just happen to be 0, as a residual is where a model fits: then the
share is 0 with a slope of its own, ``g @ K.T`` changes with ``g`` by ``K.T``. Both look alike. So
a share that is finite is kept even where the cotangents are 0, as it is 0 there, and so is its
slope, if that is finite too. A share is kept where ``c or (f and isfinite(share))`` holds: ``c``
says whether a cotangent is not 0, ``f`` whether all that the share is a slope of is finite.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.ir.build import builder
from symdiff.ir.graph import Node, Value
from symdiff.ops.arithmetic import (
    choose,
    constant_of,
    isfinite,
    logical_and,
    logical_or,
    strong_constant,
)
from symdiff.ops.batching import Lanes
from symdiff.ops.declare import OfTruths, Operation, array_type, template
from symdiff.ops.meanings import select
from symdiff.ops.reduce import all as all_true
from symdiff.ops.strong import zero_of_type

Axes = tuple[int, ...] | None


def guard(condition: Value, share: Value, axis: Axes) -> Value:
    """A share, 0 where no cotangent that it is made of is anything else, as ``condition`` says.

    ``axis``: the axes along which elements are kept or left out together; None for all of them.
    """
    made: Value = guarded(condition, builder().value(True), share, axis=axis)
    return made


def guarded_slope(slope: Value, operands: Sequence[Value], axis: Axes) -> Value:
    """The slope of a guarded share, which has these operands, guarded as well."""
    condition, finite, share = operands
    made: Value = guarded(condition, still_finite(finite, share, axis), slope, axis=axis)
    return made


def still_finite(finite: Value, share: Value, axis: Axes) -> Value:
    """Whether what came before is finite, and a share is as well."""
    whole = isfinite(share)
    if array_type(share).rank and axis != ():
        whole = all_true(whole, axis=axis, keepdims=axis is not None)
    made: Value = whole if constant_of(finite) is True else logical_and(finite, whole)
    return made


def as_choice(node: Node) -> Value:
    """A guarded share as a choice. One that is no slope is linear in cotangents, so it is 0 where
    these are, and the choice need not ask whether it is finite.
    """
    condition, finite, share = node.operands
    if constant_of(finite) is not True:
        counts = still_finite(finite, share, node.attributes["axis"])
        condition = logical_or(condition, counts)
    made: Value = choose(condition, share, strong_constant(0, share))
    return made


def _evaluate(condition: Any, finite: Any, share: Any, *, axis: Axes) -> Any:
    whole = np.all(np.isfinite(share), axis=axis, keepdims=axis is not None)
    counts = np.logical_or(condition, np.logical_and(finite, whole))
    if np.ndim(share) == 0 and not isinstance(share, np.ndarray):
        return share if counts else type(share)(0)
    return np.where(counts, share, np.result_type(share).type(0))


def _spelling(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """Where the pass "guards" has not made a choice of it: in graphs that solvers call."""
    types = [array_type(value) for value in node.operands]
    of_numbers = all(type_.kind != "array" for type_ in types)
    finite = "np.isfinite({2})" if of_numbers else f"np.all(np.isfinite({{2}}){_along(node)})"
    if constant_of(node.operands[1]) is True:
        counts = "{0}"
    elif of_numbers:
        counts = f"{{0}} or ({{1}} and {finite})"
    else:
        counts = f"{{0}} | ({{1}} & {finite})"
    if of_numbers:
        return template(f"{{2}} if {counts} else {zero_of_type(types[2])}")(node, operands)
    return template(f"np.where({counts}, {{2}}, 0.0)")(node, operands)


def _along(node: Node) -> str:
    axis = node.attributes["axis"]
    return "" if axis is None else f", axis={axis}, keepdims=True"


def _batch(b: Lanes, op: Any, *operands: Value, axis: Axes) -> Value:
    (share,) = b.whole(*operands)[2:]
    axes = range(b.types[2].rank) if axis is None else axis
    condition, finite = (
        b.unit_axes(value, *range(1, 1 + b.types[2].rank)) if has and not type_.rank else value
        for value, has, type_ in zip(operands[:2], b.has, b.types, strict=False)
    )
    made: Value = op(condition, finite, share, axis=tuple(k + 1 for k in axes))
    return made


_SLOPE = {2: lambda t, y, *operands, axis: guarded_slope(t, operands, axis)}

guarded: Operation = Operation.of_arrays(
    "guarded",
    lambda condition, finite, share, *, axis: share,
    _evaluate,
    vjp=_SLOPE,
    jvp=_SLOPE,
    spelling=_spelling,
    nondifferentiable=frozenset({0, 1}),
    repeated=frozenset({2}),
    sympy=OfTruths(frozenset({0, 1}), lambda sp, c, f, share, **_: select(sp, c, share, sp.S.Zero)),
    order="kept",
    cost="plain",
    batch=_batch,
    documentation="What is made of cotangents, 0 where these are, with its slope where that is "
    "finite.",
)
