"""Comparisons of floats outside that structure depends on: outcomes are fixed, not the floats.

A comparison of numbers that stand outside, with one another or with constants, is staged as any
other is. Where structure is found to depend on it, it is staged again, and comparisons at its place
are answered by what they give now, on which the program rests:

    np.sum(x, axis=int(MODEL.limit < 300.0))  # for one axis where MODEL.limit < 300.0

The floats are read at each call, and any that compare alike run the same program. Numbers that an
argument holds are compared at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdiff.ir.build import constant_value, is_constant
from symdiff.ir.graph import FreeVariable, Value
from symdiff.ir.signature import Aspect, Path
from symdiff.ir.types import ArrayType
from symdiff.parse.interpreter import Interpreter
from symdiff.parse.values import Abstract

_SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def compared(
    interp: Interpreter, name: str, a: Abstract, b: Abstract, staged: Callable[[], Abstract]
) -> Abstract:
    """``a op b``: what it gives now where structure depends on that, else as it is ``staged``."""
    fact = _fact(interp, name, a, b)
    if fact is None:
        return staged()
    answer = _answer(interp, fact)
    if answer is not None:
        return np.bool_(answer) if any(map(_is_of_numpy, (a, b))) else answer
    result = staged()
    if isinstance(result, Value) and interp.span is not None:
        interp.outcomes[result] = interp.span
    return result


def _fact(interp: Interpreter, name: str, a: Abstract, b: Abstract) -> Path | None:
    """The fact that a comparison is; None where it is not one of floats outside."""
    if not any(_is_number(value, "f") for value in (a, b)):
        return None
    left, right = (_place(interp, value) for value in (a, b))
    if left is None or right is None:
        return None
    if not isinstance(left, tuple):
        name, left, right = _SWAPPED[name], right, left
    return (*left, Aspect("compared", (name, right))) if isinstance(left, tuple) else None


def _place(interp: Interpreter, value: Abstract) -> Any:
    """Where a number stands outside, or the constant that it is; None of any other."""
    if not isinstance(value, Value):
        return value if isinstance(value, bool | int | float | np.number | np.bool_) else None
    if is_constant(value):
        return _place(interp, constant_value(value))
    path = interp.path_of.get(value)
    is_outside = path is not None and isinstance(path[0], FreeVariable)
    return path if is_outside and _is_number(value, "fiub") else None


def _is_number(value: Abstract, kinds: str) -> bool:
    type_ = value.type if isinstance(value, Value) else None
    return isinstance(type_, ArrayType) and type_.kind != "array" and type_.dtype.kind in kinds


def _is_of_numpy(value: Abstract) -> bool:
    if isinstance(value, Value):
        return isinstance(value.type, ArrayType) and value.type.kind == "scalar"
    return isinstance(value, np.generic)


def _answer(interp: Interpreter, fact: Path) -> bool | None:
    """What a comparison is known to give; at a place that structure depends on it is known."""
    policy = interp.policy
    if fact not in interp.static and interp.span in policy.compared and policy.present is not None:
        policy.fixed[fact] = interp.static[fact] = policy.present(fact)
    answer: bool | None = interp.static.get(fact)
    return answer


def is_order_known(interp: Interpreter, keys: Sequence[Any]) -> bool:
    """Return whether what keys give is known where they are compared: structure depends on that."""
    is_asked = interp.span in interp.policy.compared and interp.policy.present is not None
    return is_asked and _are_outside(interp, keys)


def note_order(interp: Interpreter, keys: Sequence[Any], order: Value) -> None:
    """Note that outcomes of comparisons would tell an order that is found at run time."""
    if interp.span is not None and _are_outside(interp, keys):
        interp.outcomes[order] = interp.span


def _are_outside(interp: Interpreter, keys: Sequence[Any]) -> bool:
    """Return whether keys, or what is in tuples, are floats outside and constants alone."""
    return all(
        _are_outside(interp, key)
        if isinstance(key, tuple)
        else isinstance(key, str | bytes) or _place(interp, key) is not None
        for key in keys
    )
