"""What stages ask of values and nodes: constants, what is derived, what may raise.

Nothing here changes anything. "May raise" is said where it is not known that it cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from symdiff.ir.build import constant_value
from symdiff.ir.control import CALLS, LoopView, call, cond, loop, perform
from symdiff.ir.graph import Block, GraphCell, Node, Op, Value, walk_nodes
from symdiff.ir.reach import reached
from symdiff.ir.types import ArrayType, Dim
from symdiff.ops.declare import DeclaredOp, surely_broadcasts
from symdiff.ops.effects import assert_, raise_
from symdiff.ops.keys import Slot
from symdiff.ops.sizes import lower_bound


def number_of(value: Value) -> Any:
    """The number that a value is known to be, or None; arrays are not numbers."""
    number = constant_value(value)
    return None if isinstance(number, np.ndarray) else number


def is_derived(node: Node) -> bool:
    """Return whether a node is part of a derivative: more may be done to it than to the user's
    own.
    """
    return bool(node.results) and node.results[0].role != "primal"


def made_by(value: Value, *names: str) -> Node | None:
    """The node that a value is a result of, where its op has one of the names."""
    node = value.node
    return node if node is not None and node.op.name in names else None


def shape_of(value: Value) -> tuple[Dim, ...]:
    """The shape of an array; of anything else an empty one."""
    return value.type.shape if isinstance(value.type, ArrayType) else ()


def is_python(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.kind == "python"


# Lengths

SIZED = frozenset({"zeros", "ones", "full", "empty", "broadcast_to", "reshape"})
"""Ops whose last operands are the lengths of the attribute ``shape``."""
_TRANSFORMS = frozenset({"fft", "ifft", "rfft", "irfft"})
"""Ops whose operands behind the first are lengths, one for each of the attribute ``axes``."""
GIVES_LENGTHS = SIZED | _TRANSFORMS


def lengths_given(node: Node) -> Iterator[tuple[Dim, Value]]:
    """Dimensions of a new array, and the operands that say how long they are: not what may be
    negative, for which ``reshape`` finds it out.
    """
    shape = node.attributes.get("shape")
    if node.op.name in SIZED and isinstance(shape, tuple):
        given = node.operands[len(node.operands) - len(shape) :]
        told = zip(shape, given, strict=False)
        finds = node.op.name == "reshape"
        yield from (pair for pair in told if not finds or is_length(pair[1]))
    if node.op.name in _TRANSFORMS:
        axes = node.attributes["axes"][: -1 if node.op.name == "rfft" else None]
        yield from zip((shape_of(node.result)[k] for k in axes), node.operands[1:], strict=False)


# What may raise

Fits = Callable[[Value, Dim], bool]


def never(value: Value, dim: Dim) -> bool:
    """What is known of an index that nothing is known of."""
    return False


def may_raise(node: Node, fits: Fits = never) -> bool:
    """Return whether computing a node can raise, its operands given; blocks are not looked into.

    ``fits`` tells whether an integer is known to be a place of an axis.
    """
    op = node.op
    if op is loop or op is cond:
        return False
    if op in CALLS:
        return not _is_harmless(node.attributes["callee"])
    declared = op if isinstance(op, DeclaredOp) else None
    if op.raises:
        if op.name in READS_AND_WRITES:
            return not _key_fits(node, fits)
        return declared is None or declared.harmless is None or not declared.harmless(node)
    if declared is None:
        return False
    if declared.raises_on_numbers and all(map(is_python, node.operands)):
        return not node.attributes.get("ufunc") and not _divides_safely(node)
    return declared.elementwise and not surely_broadcasts(node)


def must_stay(node: Node, fits: Fits = never) -> bool:
    """Return whether a node is wanted though nothing reads its results.

    What a derivative computes can raise only where the primal has raised before.
    """
    if node.op.effect:
        return True
    if is_derived(node):
        return False
    if node.op is loop and not LoopView(node).bounded:
        return True  # whether it ends is not known
    return may_raise(node, fits)


def does_more(node: Node) -> bool:
    """Return whether a node has another effect than that it may raise."""
    return node.op.effect and node.op not in (raise_, assert_)


def call_of(block: Block) -> Op:
    """The operation that calls a graph of this block."""
    return perform if any(map(does_more, walk_nodes(block))) else call


def _is_harmless(cell: GraphCell) -> bool:
    """Return whether no node of a graph, or of one that it calls, may raise or has an effect."""
    if cell.harmless is None and cell.graph is not None:
        cell.harmless = all(map(_is_harmless_itself, reached([cell], _callees_to_ask)))
    return bool(cell.harmless)


def _callees_to_ask(cell: GraphCell) -> list[GraphCell]:
    if cell.harmless is not None or cell.graph is None:
        return []
    return [n.attributes["callee"] for n in walk_nodes(cell.graph.block) if n.op in CALLS]


def _is_harmless_itself(cell: GraphCell) -> bool:
    if cell.harmless is not None or cell.graph is None:
        return bool(cell.harmless)
    return not any(
        node.op not in CALLS and must_stay(node) for node in walk_nodes(cell.graph.block)
    )


def _divides_safely(node: Node) -> bool:
    """Return whether Python's division is by a number that is not zero, and gives no float of
    integers, which may be too large for one.
    """
    if node.op.name not in ("divide", "floor_divide", "remainder"):
        return False
    divisor = number_of(node.operands[1])
    kinds = "f" if node.op.name == "divide" else "fi"
    types = [value.type for value in node.operands]
    alike = all(isinstance(t, ArrayType) and t.dtype.kind in kinds for t in types)
    integers = [isinstance(t, ArrayType) and t.dtype.kind == "i" for t in types]
    return alike and (all(integers) or not any(integers)) and bool(divisor)


def is_length(value: Value) -> bool:
    """Return whether an integer is known not to be negative."""
    least = lower_bound(value)
    return least is not None and least >= 0


def _key_fits(node: Node, fits: Fits) -> bool:
    """Return whether a key consists of what never raises: static slices, and indices known to
    fit.
    """
    x, key = shape_of(node.operands[0]), node.attributes["key"]
    if Ellipsis in key:
        return all(entry is Ellipsis or _is_plain_slice(entry) for entry in key)
    entries = [entry for entry in key if entry is not None]
    if len(entries) > len(x):
        return False
    dynamic = node.operands[1 if node.op.name == "index" else 2 :]
    pairs = zip(entries, x, strict=False)
    if not all(_entry_fits(entry, dim, dynamic, fits) for entry, dim in pairs):
        return False
    return node.op.name == "index" or _fits_region(node)


def _fits_region(node: Node) -> bool:
    region = tuple(node.attributes["shape"])
    value = shape_of(node.operands[1])
    if len(value) > len(region):
        return False
    return all(a in (1, b) for a, b in zip(value, region[len(region) - len(value) :], strict=True))


def _entry_fits(entry: Any, dim: Dim, dynamic: Sequence[Value], fits: Fits) -> bool:
    if isinstance(entry, int):
        return isinstance(dim, int) and -dim <= entry < dim
    if isinstance(entry, Slot):
        return fits(dynamic[entry.number], dim)
    return _is_plain_slice(entry)


def _is_plain_slice(entry: Any) -> bool:
    if entry is None:
        return True
    step = getattr(entry, "step", 0)
    return hasattr(entry, "start") and (step is None or (isinstance(step, int) and step != 0))


READS_AND_WRITES = frozenset({"index", "index_set", "index_add"})
