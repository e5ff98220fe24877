"""What every value is called: values that do not interfere share a variable where that reads well.

Variables are merged in this order: a write's operand and its result (they are one array); what a
loop carries, with its initial value, its next value and what it leaves; what the arms of a branch
give; equal names. Values of the primal are never merged with cotangents or tangents.
"""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterable, Iterator

from symdiff.emit.layout import Layout, Segment
from symdiff.emit.lower import blocks_of, is_write, push
from symdiff.emit.namespace import Namespace
from symdiff.emit.ownership import Decisions
from symdiff.ir.build import constant
from symdiff.ir.control import LoopView, cond, loop, undefined
from symdiff.ir.graph import Graph, Node, Value
from symdiff.ir.types import TapeType

_SUFFIX = {"primal": "", "cotangent": "_bar", "tangent": "_dot"}
_CANDIDATES = 8  # variables of the same name that are tried before a new one is made


def hint_of(value: Value) -> str:
    """What a value would be called by itself."""
    if value.name is None:
        return "t"
    suffix = _SUFFIX[value.role]
    if isinstance(value.type, TapeType) and not value.name.endswith("tape"):
        return f"{value.name}{suffix}_tape"
    return value.name if value.name.endswith(suffix) else value.name + suffix


class Variable:
    """Values that share a name, and the times at which it is taken."""

    def __init__(self, value: Value, segments: Iterable[Segment]) -> None:
        self.values = [value]
        self.segments = sorted(segments)
        self.name: str | None = None

    @property
    def primal(self) -> bool:
        return self.values[0].role == "primal"

    @property
    def own_name(self) -> str | None:
        """The name of its first value that has one."""
        return next((hint_of(v) for v in self.values if v.name is not None), None)

    @property
    def hint(self) -> str:
        return self.own_name or hint_of(self.values[0])

    def interferes(self, other: Variable) -> bool:
        few, many = sorted((self.segments, other.segments), key=len)
        return any(_overlaps(many, segment) for segment in few)

    def absorb(self, other: Variable) -> None:
        self.values += other.values
        if len(other.segments) > len(self.segments):
            self.segments, other.segments = other.segments, self.segments
        for segment in other.segments:
            _insert(self.segments, segment)


def _insert(segments: list[Segment], segment: Segment) -> None:
    """Add a segment to sorted, disjoint ones; it becomes one with those that it meets.

    Values that have to share a variable may be live at once: an argument that a final value is
    stored into at the end, and what is written to it.
    """
    start, end = segment
    first = bisect.bisect_left(segments, segment)
    if first > 0 and segments[first - 1][1] > start:
        first -= 1
        start, end = segments[first][0], max(end, segments[first][1])
    last = first
    while last < len(segments) and segments[last][0] < end:
        end = max(end, segments[last][1])
        last += 1
    segments[first:last] = [(start, end)]


def _overlaps(segments: list[Segment], segment: Segment) -> bool:
    """Whether a segment meets one of sorted, disjoint ones (those of one variable are)."""
    place = bisect.bisect_left(segments, segment)
    after = place < len(segments) and segments[place][0] < segment[1]
    return after or (place > 0 and segments[place - 1][1] > segment[0])


class Variables:
    """The variables of one function while they are merged."""

    def __init__(self, layout: Layout, values: Iterable[Value]) -> None:
        self.of: dict[Value, Variable] = {v: Variable(v, layout.occupied(v)) for v in values}

    def merge(self, a: Value, b: Value, forced: bool = False) -> None:
        """Let two values share a variable if they can, or must."""
        if a not in self.of or b not in self.of:
            return
        first, second = self.of[a], self.of[b]
        if first is second:
            return
        if not forced and (first.primal != second.primal or first.interferes(second)):
            return
        if len(second.values) > len(first.values):
            first, second = second, first
        first.absorb(second)
        self.of.update((value, first) for value in second.values)

    def all(self) -> list[Variable]:
        """The variables, in the order of their first values."""
        return list(dict.fromkeys(self.of.values()))


def assign_names(
    graph: Graph,
    layout: Layout,
    decisions: Decisions,
    folded: frozenset[Value],
    fixed: dict[Value, str],
    namespace: Namespace,
) -> dict[Value, str]:
    """A name for each value that needs a variable. ``fixed`` are the function's parameters."""
    nodes = [node for block in blocks_of(graph.block) for node in block.nodes]
    needed = {*fixed, *_carried(nodes, layout)}
    values = [v for v in layout.order if v in needed or _needs_variable(v, layout, folded)]
    variables = Variables(layout, values)
    for node in nodes:
        if is_write(node):
            variables.merge(node.operands[0], node.results[0], forced=True)
        elif node in decisions.accumulations:
            variables.merge(node.operands[decisions.accumulations[node]], node.result, forced=True)
    for node in nodes:
        for a, b in _related(node):
            if not _renames(a, b, fixed) and not _renames(b, a, fixed):
                variables.merge(a, b)
    _merge_equal_names(variables)
    return _named(variables, fixed, namespace)


def _needs_variable(value: Value, layout: Layout, folded: frozenset[Value]) -> bool:
    node = value.node
    if value in folded or (node is not None and node.op in (constant, undefined, push)):
        return False
    if node is not None and is_write(node) and value is node.results[0]:
        return True
    return layout.is_used(value)


def _carried(nodes: list[Node], layout: Layout) -> Iterator[Value]:
    """Carries that nobody reads in the loop, but behind it."""
    for node in nodes:
        if node.op is loop:
            view = LoopView(node)
            pairs = zip(view.carries, view.finals, strict=True)
            yield from (carry for carry, final in pairs if layout.is_used(final))


def _related(node: Node) -> Iterator[tuple[Value, Value]]:
    """Pairs of values that had better be one variable."""
    if node.op is loop:
        view = LoopView(node)
        for others in (view.next_carries, view.finals, view.initial):
            yield from zip(view.carries, others, strict=True)
    elif node.op is cond:
        for block in node.blocks:
            yield from zip(node.results, block.results, strict=True)


def _renames(parameter: Value, value: Value, fixed: Collection[Value]) -> bool:
    """Whether a value with a name of its own would get that of a parameter of the function."""
    return parameter in fixed and value.name is not None and value.name != parameter.name


def _merge_equal_names(variables: Variables) -> None:
    """Merge variables of equal names that do not interfere."""
    known: dict[tuple[str | None, bool], list[Variable]] = {}
    for variable in variables.all():
        same = known.setdefault((variable.own_name, variable.primal), [])
        for candidate in same[:_CANDIDATES]:
            if not candidate.interferes(variable):
                variables.merge(candidate.values[0], variable.values[0])
                break
        else:
            same.append(variable)


def _named(variables: Variables, fixed: dict[Value, str], namespace: Namespace) -> dict[Value, str]:
    for value, name in fixed.items():
        variables.of[value].name = name
    names = dict(fixed)
    for value, variable in variables.of.items():
        if variable.name is None:
            variable.name = namespace.fresh(variable.hint)
        names[value] = variable.name
    return names
