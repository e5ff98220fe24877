"""Safe ``where``: which cotangents can be zero because something was not selected.

Such a zero has to stay zero whatever it is multiplied with (inf, NaN), so
``where(x > 0, log(x), 0)`` has the gradient 0 at x = 0. The state of a value's cotangent is the
highest of what its uses make of it: UNREAD (none so far), PARTIAL (an index read or overwrote
parts, a largest element was taken), SELECTED (``where``, a branch or a maximum chose), DENSE (some
use reads all of it: no mask can help). One search backwards over the edges of ``activity``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum

from symdiff.differentiate.activity import Activity, Edge, successors
from symdiff.ir.build import constant
from symdiff.ir.control import cond, loop
from symdiff.ir.graph import Node, Value
from symdiff.ir.reach import reached
from symdiff.ir.types import ArrayType
from symdiff.ops import reduce
from symdiff.ops.arithmetic import (
    add,
    choice,
    clip,
    clip_above,
    clip_below,
    constant_of,
    divide,
    fmax,
    fmin,
    maximum,
    minimum,
    multiply,
    negative,
    where,
)
from symdiff.ops.casts import astype
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.index import index, index_set
from symdiff.ops.joining import diagonal
from symdiff.ops.order import take_along_axis
from symdiff.ops.residuals import quiet_divide
from symdiff.ops.shape import broadcast_to
from symdiff.ops.strong import strong_divide, strong_multiply


class State(IntEnum):
    UNREAD = 0
    PARTIAL = 1
    SELECTED = 2
    DENSE = 3


_SELECTING = frozenset((
    where, choice, maximum, minimum, fmax, fmin, clip, clip_below, clip_above,
))  # fmt: skip
_STRONG = frozenset((strong_multiply, strong_divide, quiet_divide))
_TAKING = frozenset((index, index_set, take_along_axis, diagonal, reduce.max, reduce.min))


class Selection:
    """The states of cotangents, and whether a product of one with a partial needs a mask."""

    def __init__(self, activity: Activity, targets: Mapping[Value, State]) -> None:
        self.state = _states(activity, targets)
        self.suspect = _suspect(activity.edges)

    def needs_mask(self, node: Node, partial: Value) -> bool:
        """Return whether multiplying the cotangent of a node's result with ``partial`` may spoil
        zeros.
        """
        op = node.op
        assert isinstance(op, DeclaredOp)
        if op.is_strong(node):
            return constant_of(partial) is None
        state = self.state.get(node.result, State.DENSE)
        if state is State.DENSE or is_bounded(partial):
            return False
        if state is State.SELECTED:
            return True
        varies = isinstance(partial.type, ArrayType) and partial.type.rank > 0
        return varies and (is_singular(node) or not self.suspect.isdisjoint(node.operands))


def is_bounded(partial: Value) -> bool:
    """Return whether a partial is finite for certain: a number, or a truth value made into one."""
    stack = [partial]
    while stack:
        value = stack.pop()
        if isinstance(value.type, ArrayType) and value.type.dtype.kind == "b":
            continue
        node = value.node
        if node is None:
            return False
        if node.op in (where, choice):
            stack.extend(node.operands[1:])
        elif node.op in (astype, negative, broadcast_to, multiply, add):
            stack.extend(node.operands)
        elif node.op is not constant:
            return False
    return True


def _states(activity: Activity, targets: Mapping[Value, State]) -> dict[Value, State]:
    states = dict.fromkeys(activity.active, State.UNREAD)
    uses: dict[Value, list[Edge]] = {}
    for edge in activity.edges:
        if edge.source in states and edge.destination in states:
            uses.setdefault(edge.destination, []).append(edge)
    stack = [value for value in targets if value in states]
    states |= {value: targets[value] for value in stack}
    while stack:
        value = stack.pop()
        for edge in uses.get(value, ()):
            state = _of_use(edge, states[value], activity)
            if state > states[edge.source]:
                states[edge.source] = state
                stack.append(edge.source)
    return states


def _of_use(edge: Edge, state: State, activity: Activity) -> State:
    """What a use makes of its operand's cotangent, from the state of its result's."""
    node = edge.node
    if node.op is loop:
        overwritten = edge.place is not node.blocks[0] and edge.destination in node.results
        if overwritten and edge.source in node.operands:
            state = State.PARTIAL  # what flows past a loop without turns is no use of the loop's
    elif node.op in _SELECTING or (node.op in _STRONG and _is_second(edge)):
        state = State.SELECTED
    elif node.op in _TAKING and edge.source is node.operands[0]:
        state = max(State.PARTIAL, State.SELECTED if state is State.SELECTED else State.PARTIAL)
    if activity.is_chosen(edge):
        state = State.SELECTED
    number = isinstance(edge.source.type, ArrayType) and edge.source.type.rank == 0
    return State.DENSE if number and state is State.PARTIAL else state


def _is_second(edge: Edge) -> bool:
    """Return whether an edge leads from the second operand, which a strong product masks."""
    return edge.source is edge.node.operands[1]


def _suspect(edges: Iterable[Edge]) -> set[Value]:
    """Values that may be infinite or NaN though the function's inputs are finite."""
    start = [edge.destination for edge in edges if is_singular(edge.node)]
    following = successors(edges)
    return set(reached(start, lambda value: following.get(value, ())))


def is_singular(node: Node) -> bool:
    """Return whether a node's partials can blow up at finite operands; a constant divisor's
    cannot.
    """
    if node.op is cond or not isinstance(node.op, DeclaredOp):
        return False
    if node.op is divide and constant_of(node.operands[1]):
        return False
    return node.op.is_singular(node)
