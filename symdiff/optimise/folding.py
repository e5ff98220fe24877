"""Constant folding: a node whose operands are Python numbers becomes its value, to the bit.

In the user's own statements only where the number reads no worse than what was written (``2 * 3``,
not ``1 / 3``): Python folds those itself when it compiles.
"""

from __future__ import annotations

import warnings
from typing import Any

from symdiff.ir.graph import Node, Value
from symdiff.ir.types import type_of_constant
from symdiff.ops.facts import is_derived, number_of
from symdiff.optimise.rewriting import ELEMENTWISE, Rewriter, Rules, reads_only

_LARGEST_INT = 2**63
_LONGEST_TEXT = 8
_CASTS = (
    "python_float",
    "python_int",
    "python_bool",
    "not_",
    "range_length",
    "range_element",
)


@reads_only("constant")
def fold(node: Node, rewriter: Rewriter) -> Value | None:
    """The value of a node of known Python numbers."""
    numbers = [number_of(value) for value in node.operands]
    if not all(isinstance(number, bool | int | float | complex) for number in numbers):
        return None
    result = _evaluated(node, numbers)
    if not isinstance(result, bool | int | float | complex):
        return None
    if type_of_constant(result) != node.result.type or not _is_worth_it(result, node):
        return None
    return rewriter.constant(result)


def _evaluated(node: Node, numbers: list[Any]) -> Any:
    """The op's value, or None where it raises or warns: it shall do so at run time."""
    if node.op.evaluate is None or (node.op.name in _GROWING and not _is_small(numbers)):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return node.op.evaluate(*numbers, **node.attributes)
    except Exception:
        return None


_GROWING = frozenset({"power", "left_shift"})


def _is_small(numbers: list[Any]) -> bool:
    return all(not isinstance(number, int) or abs(number) < 64 for number in numbers)


def _is_worth_it(result: Any, node: Node) -> bool:
    if isinstance(result, int):
        return abs(result) < _LARGEST_INT
    return is_derived(node) or len(repr(result)) <= _LONGEST_TEXT


FOLDING: Rules = dict.fromkeys((ELEMENTWISE, *_CASTS), (fold,))
