"""What every value is called: values that do not interfere share a variable where that reads well.

Variables are merged in this order: a write's operand and its result (they are one array); what a
loop carries, with its initial value, its next value and what it leaves; what the arms of a branch
give; what is stored on a tape and read from it; equal names. Values of the primal are never merged
with cotangents or tangents. A tape is called after what it holds.
"""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterable, Iterator, Mapping

from symdiff.buffers.headers import tape_get
from symdiff.buffers.liveness import Liveness, Segment
from symdiff.buffers.lower import blocks_of, is_write, push
from symdiff.emit.namespace import Namespace
from symdiff.ir.build import constant
from symdiff.ir.control import LoopView, cond, loop, undefined
from symdiff.ir.graph import Graph, Node, Value
from symdiff.ir.types import TapeType
from symdiff.ops.index import index, item, key_of
from symdiff.ops.keys import Slot
from symdiff.ops.lists import list_get
from symdiff.ops.residuals import PACKED

_SUFFIX = {"primal": "", "cotangent": "_bar", "tangent": "_dot", "definition": ""}
_ELEMENTARY = "sin cos tan sinh cosh tanh exp exp2 expm1 log log10 log1p log2 sqrt cbrt sign"
_INVERSE = "arcsin arccos arctan arcsinh arccosh arctanh"
_WHOLE = "sum mean max min prod var std norm inv det cumsum cumprod"
_OF_FLOATS = "sin cos tan sinh cosh tanh exp expm1 log log10 log1p log2 sqrt"
_FUNCTIONS = {name: name for name in f"{_ELEMENTARY} {_INVERSE} {_WHOLE}".split()}
_FUNCTIONS |= {f"math_{name}": name for name in _OF_FLOATS.split()}
_FUNCTIONS |= {"absolute": "abs", "logistic": "logistic"}
"""What values are called after that are functions of something that has a name."""

_LONGEST = 24  # of such names
_CANDIDATES = 8  # variables of the same name that are tried before a new one is made


def hint_of(value: Value) -> str:
    """What a value would be called by itself."""
    if value.name is None:
        return element_name(value) or ("residuals" if value.type == PACKED else "t")
    suffix = _SUFFIX[value.role]
    if isinstance(value.type, TapeType):
        return tape_of(value.type, value.name + suffix)
    return value.name if value.name.endswith(suffix) else value.name + suffix


def element_name(value: Value) -> str | None:
    """``y_1`` for what is read of ``y[1]``, and ``y_i`` for ``y[i]``."""
    node = value.node
    if node is None or node.op not in (index, item, list_get):
        return None
    base = node.operands[0]
    while base.name is None and base.node is not None and is_write(base.node):
        base = base.node.operands[0]
    if base.name is None:
        return None
    if node.op is list_get:
        place = node.operands[1].name
        return place and f"{hint_of(base).removesuffix('_list')}_{place}"
    key, dynamic = key_of(node)
    parts = [dynamic[part.number].name if isinstance(part, Slot) else part for part in key]
    if not all(isinstance(part, str) or (type(part) is int and part >= 0) for part in parts):
        return None
    return "_".join([hint_of(base), *map(str, parts)])


def function_name(value: Value) -> str | None:
    """``sin_y`` for ``np.sin(y)`` of what has a name."""
    node = value.node
    if value.name is not None or node is None or node.op.name not in _FUNCTIONS or node.blocks:
        return None
    (x, *_) = node.operands
    called = hint_of(x) if x.name is not None else element_name(x)
    if called is None or isinstance(x.type, TapeType):
        return None
    made = f"{_FUNCTIONS[node.op.name]}_{called}"
    return made if len(made) <= _LONGEST else None


def tape_of(type_: TapeType, element: str) -> str:
    """What a tape of elements of this name is called, a tape of such tapes in the plural."""
    name = element.removesuffix("_tapes").removesuffix("_tape")
    return f"{name}_tapes" if isinstance(type_.element, TapeType) else f"{name}_tape"


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
        named = (hint_of(v) for v in self.values if v.name is not None)
        elements = (name for v in self.values if (name := element_name(v)) is not None)
        return next(named, None) or next(elements, None) or self._function_name()

    def _function_name(self) -> str | None:
        """What all its values are, where that is one function of one thing."""
        made = (v for v in self.values if v.node is not None and v.node.op is not tape_get)
        names = {function_name(value) for value in made}
        return names.pop() if len(names) == 1 else None

    @property
    def hint(self) -> str:
        return self.own_name or hint_of(self.values[0])

    def interferes(self, other: Variable) -> bool:
        few, many = self.segments, other.segments
        if len(few) > len(many):
            few, many = many, few
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
    """Return whether a segment meets one of sorted, disjoint ones (those of one variable are)."""
    place = bisect.bisect_left(segments, segment)
    after = place < len(segments) and segments[place][0] < segment[1]
    return after or (place > 0 and segments[place - 1][1] > segment[0])


class Variables:
    """The variables of one function while they are merged."""

    def __init__(self, liveness: Liveness, values: Iterable[Value]) -> None:
        self.of: dict[Value, Variable] = {v: Variable(v, liveness.occupied(v)) for v in values}

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
    liveness: Liveness,
    accumulations: Mapping[Node, int],
    folded: frozenset[Value],
    fixed: dict[Value, str],
    namespace: Namespace,
) -> dict[Value, str]:
    """A name for each value that needs a variable. ``fixed`` are the function's parameters."""
    nodes = [node for block in blocks_of(graph.block) for node in block.nodes]
    needed = {*fixed, *_carried(nodes, liveness)}
    values = [v for v in liveness.order if v in needed or _needs_variable(v, liveness, folded)]
    variables = Variables(liveness, values)
    for node in nodes:
        if is_write(node):
            variables.merge(node.operands[0], node.results[0], forced=True)
        elif node in accumulations:
            variables.merge(node.operands[accumulations[node]], node.result, forced=True)
    for node in nodes:
        for a, b in _related(node):
            if not _renames(a, b, fixed) and not _renames(b, a, fixed):
                variables.merge(a, b)
    pushed = {n.attributes["tape"]: n.operands[0] for n in nodes if n.op is push}
    for element, tape in _elements(nodes):
        if tape in pushed and element.name is None and pushed[tape].name is None:
            variables.merge(pushed[tape], element)
    _merge_equal_names(variables, fixed)
    return _Naming(variables, pushed, namespace).run(fixed)


def _needs_variable(value: Value, liveness: Liveness, folded: frozenset[Value]) -> bool:
    node = value.node
    if value in folded or (node is not None and node.op in (constant, undefined, push)):
        return False
    if node is not None and is_write(node) and value is node.results[0]:
        return True
    return liveness.is_used(value)


def _carried(nodes: list[Node], liveness: Liveness) -> Iterator[Value]:
    """Carries that nobody reads in the loop, but behind it."""
    for node in nodes:
        if node.op is loop:
            view = LoopView(node)
            pairs = zip(view.carries, view.finals, strict=True)
            yield from (carry for carry, final in pairs if liveness.is_used(final))


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
    """Return whether a value with a name of its own would get that of a parameter of the
    function.
    """
    return parameter in fixed and value.name is not None and value.name != parameter.name


def _merge_equal_names(variables: Variables, fixed: Mapping[Value, str]) -> None:
    """Merge variables of equal names that do not interfere."""
    known: dict[tuple[str | None, bool, bool], list[Variable]] = {}
    for variable in variables.all():
        given = next((fixed[value] for value in variable.values if value in fixed), None)
        is_tape = isinstance(variable.values[0].type, TapeType)
        same = known.setdefault((given or variable.own_name, variable.primal, is_tape), [])
        for candidate in same[:_CANDIDATES]:
            if not candidate.interferes(variable):
                variables.merge(candidate.values[0], variable.values[0])
                break
        else:
            same.append(variable)


def _elements(nodes: list[Node]) -> Iterator[tuple[Value, Value]]:
    """What is read of tapes, each with its tape."""
    for node in nodes:
        if node.op is tape_get:
            yield node.result, node.operands[0]
        elif node.op is loop:
            view = LoopView(node)
            yield from zip(view.elements, view.xs, strict=True)


class _Naming:
    """Gives each variable its name: the function's parameters, all others, and tapes at last."""

    def __init__(
        self, variables: Variables, pushed: Mapping[Value, Value], namespace: Namespace
    ) -> None:
        self.variables, self.pushed, self.namespace = variables, pushed, namespace
        self.begun: set[Variable] = set()

    def run(self, fixed: dict[Value, str]) -> dict[Value, str]:
        for value, name in fixed.items():
            self.variables.of[value].name = name
        after = []
        for variable in self.variables.all():
            if variable.name is None and isinstance(variable.values[0].type, TapeType):
                after.append(variable)
            elif variable.name is None:
                variable.name = self.namespace.fresh(variable.hint)
        for variable in after:
            self.name_tape(variable)
        return dict(fixed) | {v: of.name or "" for v, of in self.variables.of.items()}

    def name_tape(self, variable: Variable) -> str:
        """The name of a tape, that of what it holds where it has none of its own."""
        if variable in self.begun and variable.name is None:
            return "tape"  # a tape of tapes that share its name
        self.begun.add(variable)
        if variable.name is None:
            variable.name = self.namespace.fresh(variable.own_name or self.hint(variable))
        return variable.name

    def hint(self, variable: Variable) -> str:
        for tape in variable.values:
            held = self.variables.of.get(self.pushed[tape]) if tape in self.pushed else None
            if held is not None and isinstance(tape.type, TapeType):
                inner = isinstance(held.values[0].type, TapeType)
                return tape_of(tape.type, self.name_tape(held) if inner else held.name or "t")
        return "tape"
