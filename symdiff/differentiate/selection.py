"""Safe ``where``: which cotangents can be zero because something was not selected.

Such a zero has to stay zero whatever it is multiplied with (inf, NaN), so
``where(x > 0, log(x), 0)`` has the gradient 0 at x = 0. The state of a value's cotangent is the
highest of what its uses make of it: UNREAD (none so far), PARTIAL (an index read or overwrote
parts that no others cover, a largest element was taken, a loop had no turns), SELECTED (``where``,
a branch or a maximum chose), DENSE (some use reads all of it, or one where a condition holds and
one where it does not: no mask can help).
One search backwards over the edges of ``activity``, of the ``cases`` in which there is a cotangent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, Literal

import numpy as np

from symdiff.differentiate.activity import Activity, Edge, Homes, successors
from symdiff.differentiate.cases import (
    ALWAYS,
    NEVER,
    OTHERS,
    PARTLY,
    PARTS,
    PLACES,
    SOMETIMES,
    TURNS,
    Cases,
    Choice,
    also,
    choice_of,
    either,
    is_of_number,
    is_partial,
    leaves_out_parts,
    of_last_turn,
    of_next_turn,
    of_number,
)
from symdiff.differentiate.covers import covers
from symdiff.ir.build import constant
from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import Graph, Node, Value
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
from symdiff.ops.facts import made_by
from symdiff.ops.guards import guarded
from symdiff.ops.index import index, index_set
from symdiff.ops.joining import diagonal
from symdiff.ops.lists import list_get, list_pop, list_set, list_slice, list_slice_set
from symdiff.ops.numerical import median
from symdiff.ops.order import take_along_axis
from symdiff.ops.quantiles import quantile
from symdiff.ops.ranges import raises_by_zero, range_of
from symdiff.ops.selected import SELECTED
from symdiff.ops.shape import broadcast_to, copy
from symdiff.ops.strong import (
    quiet_divide,
    strong_divide,
    strong_multiply,
    two_sided_multiply,
)


class State(IntEnum):
    UNREAD = 0
    PARTIAL = 1
    SELECTED = 2
    DENSE = 3


EXTREMA = frozenset((maximum, minimum, fmax, fmin, clip, clip_below, clip_above))
SELECTING = EXTREMA | {where, choice}
_ALIGNED = frozenset((where, choice, astype, copy))  # element by element, without partials
STRONG = frozenset((strong_multiply, strong_divide, quiet_divide))
ORDERING = frozenset((reduce.max, reduce.min, reduce.nanmax, reduce.nanmin, median, quantile))
_OF_LISTS = frozenset((list_get, list_set, list_slice, list_slice_set, list_pop))
_TAKING = frozenset((index, index_set, take_along_axis, diagonal)) | ORDERING | _OF_LISTS
_MASKED = frozenset(SELECTED.values())
PRESENT = frozenset((
    reduce.nanmean, reduce.nanvar, reduce.nanstd, reduce.nanmax, reduce.nanmin,
))  # fmt: skip
_CHOOSING = SELECTING | PRESENT | {two_sided_multiply}


class Selection:
    """The states of cotangents, and whether a product of one with a partial needs a mask."""

    def __init__(
        self, activity: Activity, targets: Mapping[Value, State], saved: Iterable[Value] = ()
    ) -> None:
        """``saved``: inputs that may be infinite or NaN though the user's function's are finite."""
        cases = _cases(activity, targets)
        self.state = _states(activity, cases)
        self._left_out = {
            v for v, found in cases.items() if is_number(v) and leaves_out_parts(found)
        }
        self._together = {value for value, found in cases.items() if _are_together(found)}
        self.suspect = _suspect(activity.edges, saved)
        self.unbounded = _unbounded(activity.edges)

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
        return (varies or node.result in self._left_out) and self.may_blow_up(node, partial)

    def needs_mask_behind(self, result: Value) -> bool:
        """Return whether multiplying the cotangent of a loop's result with derivatives of it may
        spoil zeros.
        """
        state = self.state.get(result, State.DENSE)
        if state is not State.PARTIAL:
            return state is State.SELECTED
        return result in self.suspect and (not is_number(result) or result in self._left_out)

    def may_warn_behind(self, result: Value) -> bool:
        """Return whether NumPy may warn of derivatives of a result that is perhaps not selected."""
        return result in self.suspect and self.needs_mask_behind(result)

    def wins_beside(self, node: Node, position: int) -> bool:
        """Return whether zeros of a cotangent have to win beside those of the partial by an
        operand, the second one of a strong product or quotient, whose own zeros do.
        """
        state = self.state.get(node.result, State.DENSE)
        return node.op in STRONG and position == 1 and state is not State.DENSE

    def zeros_of(self, node: Node, result: Value) -> Literal["each", "all"] | None:
        """Whether each element of a result's cotangent decides if what a rule makes of it and of
        what may be infinite has to stay zero, or all do together; None where nothing has to.
        """
        state = self.state.get(result, State.DENSE)
        if state in (State.DENSE, State.UNREAD):
            return None
        if node.attributes.get("axis") is not None and "keepdims" in node.attributes:
            return "each"
        return "all" if is_number(result) or result in self._together else None

    def may_be_infinite(self, node: Node, value: Value) -> bool:
        """Return whether what a node's rule reads may be infinite or NaN, though the function's
        inputs are finite.
        """
        return value in self.suspect or is_singular(node)

    def may_begin_run(self, result: Value) -> bool:
        """Return whether the cotangent of a ``where`` has no zeros of its own that have to win, and
        nothing infinite that is discarded later on.
        """
        return self.state.get(result) is State.DENSE and result not in self.unbounded

    def is_unbounded(self, product: Node, factor: Value) -> bool:
        """Return whether the cotangent of a product, the numerator of a quotient with a strong
        zero, may be infinite where a factor is 0 as something was not selected.
        """
        return product.result in self.unbounded and constant_of(factor) is None

    def may_blow_up(self, node: Node, partial: Value | float) -> bool:
        """Return whether a partial may be infinite or NaN though the function's inputs are
        finite.
        """
        if is_singular(node):
            return True
        read = (partial,) if partial in node.operands else node.operands
        return not self.suspect.isdisjoint(read)


def is_number(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.rank == 0


def is_bounded(partial: Value) -> bool:
    """Return whether a partial is finite for certain: a number, a truth value or a length made into
    one, or what makes finite numbers of these.
    """
    stack = [partial]
    while stack:
        value = stack.pop()
        if isinstance(value.type, ArrayType) and value.type.dtype.kind in "biu":
            continue
        node = value.node
        if node is None:
            return False
        if node.op in (where, choice):
            stack.extend(node.operands[1:])
        elif node.op in (astype, negative, broadcast_to, multiply, add) or _stays_finite(node):
            stack.extend(node.operands)
        elif node.op is not constant or not _is_finite(value, node.attributes["value"]):
            return False
    return True


def _stays_finite(node: Node) -> bool:
    """Return whether a root, a power or a quotient of finite numbers is finite for certain."""
    name, ranges = node.op.name.removeprefix("math_"), map(range_of, node.operands)
    if name == "sqrt":
        return bool(next(ranges)[0] >= 0.0)
    if name == "divide":
        _, (least, most) = ranges
        return bool(least >= 0.5 or most <= -0.5) or raises_by_zero(node)
    if name in ("power", "pow"):
        (low, _), (least, most) = ranges
        if most <= 0.0:
            return bool(low >= 1.0)
        return bool(low >= 0.0 and 0.0 <= least <= most <= 1.0)
    return False


def _is_finite(value: Value, known: Any) -> bool:
    is_inexact = isinstance(value.type, ArrayType) and value.type.dtype.kind in "fc"
    return not is_inexact or bool(np.all(np.isfinite(known)))


def _states(activity: Activity, cases: Mapping[Value, Cases]) -> dict[Value, State]:
    states = dict.fromkeys(activity.active, State.UNREAD)
    return states | {value: _state(found) for value, found in cases.items()}


def _are_together(cases: Cases) -> bool:
    """Return whether all elements of a cotangent may be zero, by a choice of a number."""
    return cases not in (ALWAYS, NEVER) and all(any(map(_is_of_all, case)) for case in cases)


def _is_of_all(choice: Choice) -> bool:
    is_by_number = isinstance(choice.by, Value) and not choice.is_by_element
    return choice in OTHERS or is_by_number or is_of_number(choice)


def _state(cases: Cases) -> State:
    """What cases say of a cotangent as a whole."""
    if cases in (ALWAYS, NEVER):
        return State.DENSE if cases else State.UNREAD
    chosen = not all(map(is_partial, cases))
    return State.SELECTED if chosen else State.PARTIAL


_CASES = {
    State.UNREAD: NEVER,
    State.PARTIAL: PARTLY,
    State.SELECTED: SOMETIMES,
    State.DENSE: ALWAYS,
}
_MOST_CHANGES = 32


def _cases(activity: Activity, targets: Mapping[Value, State]) -> dict[Value, Cases]:
    """The cases of each active value, from what they are where they flow to."""
    uses: dict[Value, list[Edge]] = {}
    for edge in activity.edges:
        if edge.source in activity.active and edge.destination in activity.active:
            uses.setdefault(edge.destination, []).append(edge)
    cases = {value: _CASES[state] for value, state in targets.items() if value in activity.active}
    home = activity.homes.home
    direct = [e for edges in uses.values() for e in edges if home.get(e.source) is e.place]
    together = covers(direct)
    changes: dict[Value, int] = {}
    stack = list(cases)
    while stack:
        value = stack.pop()
        for edge in uses.get(value, ()):
            before = cases.get(edge.source, NEVER)
            part = _part(edge, together.get(edge.node), cases, activity.homes)
            found = either(before, _of_use(edge, cases[value], activity, part))
            if found != before:
                changes[edge.source] = changes.get(edge.source, 0) + 1
                often = changes[edge.source] > _MOST_CHANGES and found != ALWAYS
                cases[edge.source] = either(found, SOMETIMES) if often else found
                stack.append(edge.source)
    return cases


def _part(
    edge: Edge, waiting: list[Node] | None, cases: Mapping[Value, Cases], homes: Homes
) -> Choice | None:
    """The choice of a use that leaves parts of its operand out, where no others always take these.

    ``waiting`` has the reads of a cover that are not known to have a cotangent always. What a turn
    of a loop overwrites is taken to be what no turn before has written.
    """
    node = edge.node
    if _rests_on_graphs(node):
        return PARTS
    if node.op not in _TAKING or edge.source is not node.operands[0]:
        return None
    while waiting and cases.get(waiting[-1].result) == ALWAYS:
        waiting.pop()
    if waiting is not None and not waiting:
        return None
    if node.op in _OF_LISTS or not homes.is_in_turn(edge.place):
        return PARTS
    return None if node.op is index_set else PLACES


def _rests_on_graphs(node: Node) -> bool:
    """Return whether a node runs graphs by rules of its own: they may read any parts."""
    return any(isinstance(known, Graph) for known in node.attributes.values())


def _of_use(edge: Edge, cases: Cases, activity: Activity, part: Choice | None) -> Cases:
    """What a use makes of its operand's cotangent, from the cases of its result's."""
    node = edge.node
    if node.op is loop and _is_overwritten(edge):
        cases = PARTLY  # what flows past a loop without turns is no use of the loop's
    elif not _is_elementwise(node):
        cases = _replaced(cases, edge, lambda choice: _is_lost(choice, edge, activity.homes))
    if _is_next_carry(edge):
        cases = of_next_turn(cases, node)
    made = _made(edge) if part is None else [part]
    cases = also(cases, [*made, *_taken(edge, activity)])
    if _is_spread(edge) and frozenset[Choice]({PARTS}) in cases:
        return ALWAYS
    return ALWAYS if is_number(edge.source) and _is_read_in_turns(cases) else cases


def _is_read_in_turns(cases: Cases) -> bool:
    """Return whether turns of a loop read places: a number in one of them is taken to be read."""
    return any(PLACES in case and is_partial(case) for case in cases)


def _is_spread(edge: Edge) -> bool:
    """Return whether a number stands in all elements of an array, some of which are read, or is
    written to a place of it that is known: what overwrites others leaves it there.
    """
    node = edge.node
    if not is_number(edge.source) or is_number(edge.destination):
        return False
    is_placed = node.op is index_set and len(node.operands) == 2
    return is_placed or node.op is broadcast_to or _is_elementwise(node)


def _is_next_carry(edge: Edge) -> bool:
    """Return whether an edge leads from a turn of a loop to the next one."""
    node = edge.node
    of_turn = node.op is loop and edge.place is node.blocks[0]
    return of_turn and edge.destination in node.blocks[0].parameters


def _is_overwritten(edge: Edge) -> bool:
    node = edge.node
    is_final = edge.place is not node.blocks[0] and edge.destination in node.results
    return is_final and edge.source in node.operands


def _is_elementwise(node: Node) -> bool:
    op = node.op
    return op in _ALIGNED or (isinstance(op, DeclaredOp) and op.elementwise)


def _is_lost(choice: Choice, edge: Edge, homes: Homes) -> bool:
    """Return whether what decides about a result's elements does not about an operand's.

    What is computed in a loop is another thing in each turn.
    """
    if choice.is_by_element:
        return True
    if edge.node.op is not loop or not isinstance(choice.by, Value):
        return False
    home = homes.home.get(choice.by)
    return home is None or homes.is_within(home, edge.node)


def _replaced(cases: Cases, edge: Edge, is_lost: Callable[[Choice], bool]) -> Cases:
    """The cases with a choice of a node's own in the place of what is lost there."""
    if all(map(is_partial, cases)):
        return cases
    own = of_number(edge.node) if is_number(edge.destination) else Choice(edge.node)
    made = (frozenset(own if is_lost(choice) else choice for choice in case) for case in cases)
    return either(NEVER, frozenset(made))


def _taken(edge: Edge, activity: Activity) -> Iterable[Choice]:
    """The choices of branches whose arm an edge leads out of, and of loops around it."""
    for node, arm in activity.chosen_arms(edge):
        yield choice_of(node.operands[0], arm is node.blocks[0])
    if any(not LoopView(node).has_turns for node in activity.left_loops(edge)):
        yield TURNS


def _made(edge: Edge) -> Iterable[Choice]:
    """The choices that a node makes about the operand of an edge."""
    node, source = edge.node, edge.source
    if node.op is loop and edge.place is node.blocks[0]:
        if edge.destination in LoopView(node).finals:
            yield of_last_turn(node)
    elif node.op in (where, choice):
        condition, chosen, other = node.operands
        if chosen is not other:
            yield choice_of(condition, source is chosen)
    elif node.op in _MASKED and "where" in node.attributes["given"]:
        if source is node.operands[0]:
            yield choice_of(node.operands[1], True)
    elif node.op is guarded:
        yield Choice(node.operands[0])
    elif node.op in _CHOOSING or (node.op in STRONG and _is_second(edge)):
        yield Choice(node)


def _is_second(edge: Edge) -> bool:
    """Return whether an edge leads from the second operand, which a strong product masks."""
    return edge.source is edge.node.operands[1]


def _suspect(edges: Iterable[Edge], saved: Iterable[Value]) -> set[Value]:
    """Values that may be infinite or NaN though the function's inputs are finite."""
    start = [*saved]
    start += [edge.destination for edge in edges if is_singular(edge.node)]
    start += [edge.source for edge in edges if made_by(edge.source, "unpack") is not None]
    following = successors(edges)
    return set(reached(start, lambda value: following.get(value, ())))


def _unbounded(edges: Sequence[Edge]) -> set[Value]:
    """Values whose cotangents may be infinite where they are discarded later on: those of what is
    divided without a warning, and of what that is computed from, up to a ``where``.
    """
    preceding: dict[Value, list[Value]] = {}
    start = list[Value]()
    for edge in edges:
        if edge.node.op in (strong_divide, quiet_divide) and not _is_second(edge):
            start.append(edge.source)
        if edge.node.op not in (where, choice):
            preceding.setdefault(edge.destination, []).append(edge.source)
    return set(reached(start, lambda value: preceding.get(value, ())))


def is_singular(node: Node) -> bool:
    """Return whether a node's partials can blow up at finite operands."""
    return isinstance(node.op, DeclaredOp) and node.op is not cond and node.op.is_singular(node)
