"""The batch rule of elementwise ops: their operands are aligned, and keep how NumPy promotes them.

A Python number counts as weak in promotion, an array of such does not: where lanes hold Python's
numbers, they are converted first to the dtype in which the op computes. What Python itself computes
runs once a lane: it raises, and does not wrap, where NumPy's arrays do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import ArrayType
from symdiff.ops.batching import Lanes, NoBatchRule
from symdiff.ops.casts import astype

_WEAK: dict[str, Any] = {"f": 0.0, "i": 0, "c": 0j, "b": False}


def elementwise(b: Lanes, node: Node, operands: Sequence[Value]) -> Value:
    """An elementwise op of operands of which some have lanes."""
    result = node.result.type
    if isinstance(result, ArrayType) and result.kind == "python":
        raise NoBatchRule
    given = list(operands)
    for position, (has, type_) in enumerate(zip(b.has, b.types, strict=True)):
        if has and type_.weak:
            given[position] = _promoted(given[position], type_, b.types)
    made: Value = node.op(*b.aligned(*given), **node.attributes)  # type: ignore[operator]
    return made


def _promoted(x: Value, type_: ArrayType, types: Sequence[ArrayType]) -> Value:
    common = np.result_type(*(_WEAK[t.dtype.kind] if t.weak else t.dtype for t in types))
    if type_.dtype.kind == "i" and common.kind in "iu" and common != type_.dtype:
        raise NoBatchRule  # a number that is out of range raises
    return x if common == type_.dtype or type_.dtype.kind == "b" else astype(x, dtype=common)
