"""Recursion on data: a function that calls itself under a staged condition becomes a graph.

Recursion whose depth is static is followed call by call. Where a staged condition stands between a
call and the call inside it, what decides is fixed if it can be (an int argument, a size); else the
function is staged once as a graph of its own, until the types of its parameters and of its result
repeat. So is a function that calls itself often, whatever is known of when that ends; its calls are
followed where it cannot be such a graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.errors import AliasingError, UnsupportedCallError
from symdiff.ir.build import builder, copy_block
from symdiff.ir.called import called_cells, callees
from symdiff.ir.control import CALLS, call
from symdiff.ir.graph import Block, Graph, GraphCell, Input, Value, free_values, walk_nodes
from symdiff.ir.reach import reached
from symdiff.ir.structure import Structure, is_leaf
from symdiff.ir.types import ArrayType, ListType, Type
from symdiff.ops.declare import NeedsStatic
from symdiff.ops.facts import call_of
from symdiff.parse.aliases import location_of
from symdiff.parse.anew import refined
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.demand import obtainable
from symdiff.parse.heap import Location, as_type, is_callers, same
from symdiff.parse.interpreter import ActiveCall, Interpreter
from symdiff.parse.kinds import handed_on
from symdiff.parse.lattice import fits, meet, met
from symdiff.parse.marking import entering, forget_names, names_found
from symdiff.parse.meanwhile import pushed
from symdiff.parse.output import output_of
from symdiff.parse.scope import name_content
from symdiff.parse.templates import Run, forget_followed
from symdiff.parse.trees import (
    Parts,
    contents_within,
    flatten,
    parts_of,
    same_structure,
    unflatten,
)
from symdiff.parse.trying import require_not_caught
from symdiff.parse.values import (
    ABSENT,
    Abstract,
    Array,
    CalledOften,
    Columns,
    Conflict,
    ConflictRead,
    ControlFlow,
    DictRef,
    Keywords,
    ListRef,
    NotYetKnown,
    ObjectRef,
    Scope,
    Storage,
    Unjoinable,
    now,
)
from symdiff.parse.writeback import begin, writes_outside
from symdiff.source import SourceSpan

DEPTH_OF_DETECTION = 3
MOST_NESTED = 64  # calls of a function inside itself that are followed, if it may be a graph
MOST_ROUNDS = 12
MOST_STRUCTURES = 2  # of arguments, in calls of a function inside one another


class Recursion(ControlFlow):
    """A function was found to call itself under staged conditions."""

    def __init__(self, key: Any, predicate: Value) -> None:
        super().__init__(key)
        self.key = key
        self.predicate = predicate


@dataclass(frozen=True, slots=True)
class Shared:
    """What a result may be, or hold: an argument, or what stands ``outside``."""

    outside: frozenset[Location] = frozenset()


@dataclass(eq=False, slots=True)
class Activation:
    """A function that is being staged as a graph of its own.

    ``times_called``: within itself, so far. ``followed``: kinds of calls which have led to that, or
    may have.
    """

    cell: GraphCell
    structure: Structure
    types: list[Type]
    output: Structure | None = None
    result_types: list[Type] = field(default_factory=list)
    varying: set[str] = field(default_factory=set)  # symbols of sizes that differ from call to call
    shared: Shared | None = None
    around: tuple[Structure, ...] = ()  # of calls of the function that it is staged inside
    times_called: int = 0
    followed: list[Any] = field(default_factory=list)


def _flatten(interp: Interpreter, values: tuple[Abstract, ...]) -> tuple[Structure, list[Abstract]]:
    """Structure and leaves of abstract values; what is no number or array is static."""

    def is_number_or_array(value: Abstract) -> bool:
        held = interp.content(value) if isinstance(value, ListRef | DictRef) else None
        if isinstance(held, Value | Columns):
            raise UnsupportedCallError("a list of unknown length in a recursion")
        return isinstance(value, Value | Array) or (is_leaf(value) and not isinstance(value, bool))

    def parts(value: Abstract) -> Parts | None:
        return None if isinstance(value, ObjectRef) else parts_of(interp.heap, value)

    return flatten(values, is_number_or_array, parts)


def check_depth(interp: Interpreter, key: Any, given: Any) -> None:
    """Raise ``Recursion`` where calls of a function nest under staged conditions.

    ``given``: the functions and objects among the arguments, of which a graph has always the same.
    """
    active = [call for call in interp.active_calls if call.key == key]
    if len({call.depth for call in active}) >= DEPTH_OF_DETECTION:
        predicate = interp.predicates[-1]
        if any(call.given == given for call in active) or obtainable(interp, predicate) is not None:
            raise Recursion(key, predicate)


def followed(
    interp: Interpreter, key: Any, span: SourceSpan, arguments: Keywords, run: Run, whole: bool
) -> Abstract:
    """Run a function's body; as a graph of its own where it is found to call itself on data.

    ``whole``: nothing refines the policy for this call alone.
    """
    active = interp.recursions.get(key)
    if active is not None:
        structure, leaves = _flatten(interp, tuple(arguments.values()))
        if same_structure(structure, active.structure):
            return _call_again(interp, active, arguments.values(), leaves)
        _require_another(active, structure)
        return _as_graph(interp, key, entering(interp, arguments, span), run)
    node, recursions = key[0], interp.policy.recursions
    if node in recursions.graphs:
        return _as_graph(interp, key, entering(interp, arguments, span), run)
    given = handed_on(arguments.values())
    check_depth(interp, key, given)
    outermost = all(call.key != key for call in interp.active_calls)
    depth = interp.nested[node] = 0 if outermost else interp.nested[node] + 1
    if interp.nested[node] > MOST_NESTED and node not in recursions.followed:
        raise CalledOften(node)
    found_names, effort = names_found(interp), interp.effort.copy()

    def goes_on(found: Recursion | ConflictRead | NeedsStatic) -> bool:
        if isinstance(found, Recursion):
            return outermost and found.key == key
        return not whole and refined(interp, found, node, since, read)

    while True:
        since, read = now(), interp.read_so_far()
        with (
            Checkpoint(interp, Recursion, ConflictRead, NeedsStatic, when=goes_on) as attempt,
            pushed(interp.active_calls, ActiveCall(key, given, len(interp.predicates))),
        ):
            return run(arguments)
        forget_names(interp, found_names)
        if isinstance(attempt.failure, Recursion):
            break
        interp.nested[node], interp.effort = depth, effort.copy()
    wanted = obtainable(interp, attempt.failure.predicate)
    if wanted is not None:
        wanted.recursion = node
        raise wanted
    return _as_graph(interp, key, entering(interp, arguments, span), run)


def _as_graph(interp: Interpreter, key: Any, arguments: Keywords, run: Run) -> Abstract:
    names = tuple(arguments)
    structure, leaves = _flatten(interp, tuple(arguments.values()))
    types = [interp.lift(leaf).type for leaf in leaves]
    name = getattr(key[0], "name", "recursive")
    varying: set[str] = set()
    active = interp.recursions.get(key)
    around = () if active is None else (*active.around, active.structure)
    for _ in range(MOST_ROUNDS):
        cell = GraphCell(name)
        activation = Activation(cell, structure, list(types), varying=varying, around=around)
        settled = _settle(interp, key, names, activation, run)
        if settled is not None:
            return _first_call(interp, activation, arguments.values(), leaves, settled)
        types = activation.types
    raise UnsupportedCallError(
        f"the types of the recursion in '{name}' do not settle", hint="use a loop"
    )


def _settle(
    interp: Interpreter, key: Any, names: tuple[str, ...], activation: Activation, run: Run
) -> list[Value] | None:
    """Stage the body until its result type repeats; its captures, or None to widen parameters."""
    wanted = list(activation.types)
    for _ in range(MOST_ROUNDS):
        found = _body(interp, key, names, activation, run)
        if activation.types != wanted:
            return None
        if found is None:
            raise UnsupportedCallError("a recursion of which no path is known to end")
        block, output, shared = found
        result_types = [value.type for value in block.results]
        if activation.output is not None and activation.output != output:
            raise UnsupportedCallError("a recursion's results differ in structure")
        known = activation.result_types or result_types
        try:
            settled = activation.shared == shared and _all_fit(activation, result_types)
            pairs = zip(known, result_types, strict=True)
            together = [met(a, b, activation.varying) for a, b in pairs]
        except Unjoinable:  # a list of a length that is known, and one that is not
            raise UnsupportedCallError("a recursion's results differ in structure") from None
        if activation.output == output and settled:
            return _close(interp, key, activation, block, output)
        activation.result_types = together
        activation.output, activation.shared = output, shared
    raise UnsupportedCallError("a recursion's result types do not settle")


def _body(
    interp: Interpreter, key: Any, names: tuple[str, ...], activation: Activation, run: Run
) -> tuple[Block, Structure, Shared | None] | None:
    """The body as it is staged; None where all its paths go through calls of itself."""
    try:
        return _stage_body(interp, key, names, activation, run)
    except NotYetKnown:
        return None


def _all_fit(activation: Activation, found: list[Type]) -> bool:
    known = activation.result_types
    return len(known) == len(found) and all(
        fits(a, b, activation.varying) or meet(a, b, "fit") == a
        for a, b in zip(known, found, strict=True)
    )


def _stage_body(
    interp: Interpreter, key: Any, names: tuple[str, ...], activation: Activation, run: Run
) -> tuple[Block, Structure, Shared | None]:
    parameters = [Value(type_, None) for type_ in activation.types]
    frames = len(interp.frames)
    with interp.scratch(interp.heap.copy(written=set())) as inner, interp.apart():
        begin(interp)
        leaves = [interp.wrap(parameter) for parameter in parameters]
        values = unflatten(interp, activation.structure, leaves.__getitem__)
        for name, content in zip(names, values, strict=True):
            name_content(interp, content, name)
        before = dict(interp.heap.contents)
        outer = interp.recursions.get(key)
        interp.recursions[key] = activation
        try:
            result = run(dict(zip(names, values, strict=True)))
        finally:
            if outer is None:
                del interp.recursions[key]
            else:
                interp.recursions[key] = outer
            forget_followed(interp, activation.followed)
            del interp.frames[frames:]
        _require_unchanged(interp, values, before)
        shared = _shared(interp, result, before)
        output, results = output_of(interp, result)
        typed = [
            as_type(value, type_)
            for value, type_ in zip(
                results, activation.result_types or [v.type for v in results], strict=True
            )
        ]
    return Block(tuple(parameters), inner.nodes, tuple(typed)), output, shared


def _require_unchanged(interp: Interpreter, values: Abstract, before: Mapping[Any, Any]) -> None:
    """Refuse a function that changes what it is given, or what stands outside it."""
    held = interp.heap.contents
    changed = [key for key, found in before.items() if not same(held.get(key, ABSENT), found)]
    if any(key in changed for part in contents_within(interp.heap, values) for key in _keys(part)):
        raise AliasingError(
            "a recursive function writes to its argument", hint="return a new array"
        )
    inside = {key[0] for key in before if isinstance(key, tuple)}
    new = (key[0] for key in held if isinstance(key, tuple) and key not in before)
    grown = any(isinstance(one, Scope | ObjectRef) and one in inside for one in new)
    if changed or grown or writes_outside(interp, interp.outer_heaps[-1]):
        raise UnsupportedCallError(
            "a function that calls itself on data changes what stands outside it",
            hint="let it return what it counts or collects, or use a loop",
        )


def _keys(content: Abstract) -> Iterator[Any]:
    """What the heap holds of an argument under."""
    if isinstance(content, Array):
        yield content.storage
    elif isinstance(content, ListRef | DictRef):
        yield content


def _shared(interp: Interpreter, result: Abstract, before: Mapping[Any, Any]) -> Shared | None:
    """What a result may be, or hold, that can be written under another name; None for nothing."""
    heap = interp.heap
    found: list[Location] = []
    may_be = False
    for part in contents_within(heap, result):
        location = location_of(part)
        if location is not None:
            may_be = may_be or location in heap.frozen or location in found
            found.append(location)
        elif isinstance(part, Value) and isinstance(part.type, ListType):
            may_be = may_be or not _is_number(part.type.element)
    possible = {other for location in found for other in heap.possible(location)}
    outside = {one for one in possible if one in interp.outer_heaps[-1].contents or is_callers(one)}
    if may_be or outside or not possible.isdisjoint(before):
        return Shared(frozenset(outside))
    return None


def _is_number(type_: Type) -> bool:
    return isinstance(type_, ArrayType) and not type_.shape


def _freeze(interp: Interpreter, shared: Shared, contents: Iterable[Abstract]) -> None:
    """Refuse later writes to what may be a result of a recursion."""
    reason = "what a function that calls itself may have given back, as it was given, is written"
    hint = "let it return a copy"
    conflict = Conflict("an array", reason, interp.span, aliasing=True, hint=hint)
    outside = (Array(one) if isinstance(one, Storage) else one for one in shared.outside)
    for content in (*contents, *outside):
        interp.heap.freeze(content, conflict)


def _close(
    interp: Interpreter, key: Any, activation: Activation, block: Block, output: Structure
) -> list[Value]:
    """Make the captured values parameters of the graph, handed on by the calls inside it, and by
    those in graphs of other functions that it calls and that call it.
    """
    require_not_caught(
        interp,
        block.nodes,
        "a function that calls itself on data and may raise, inside try",
        "let it return what tells, or use a loop",
        activation.cell,
    )
    captured = free_values(block)
    cell = activation.cell
    cell.graph = _with_captured(Graph(cell.name, copy_block(block, {}), (), output), captured)
    others = _calling(cell)
    for other in others:
        assert other.graph is not None
        other.graph = _with_captured(other.graph, captured)
    op = call_of(cell.graph.block)
    for caller in (cell, *others):
        assert caller.graph is not None
        own = caller.graph.block.parameters
        handed_over = own[len(own) - len(captured) :]
        for node in walk_nodes(caller.graph.block):
            if node.op in CALLS and node.attributes["callee"] in (cell, *others):
                node.op, node.operands = op, (*node.operands, *handed_over)
    return captured


def _with_captured(graph: Graph, captured: Sequence[Value]) -> Graph:
    """The graph with parameters at its end that stand for captured values."""
    new: dict[Value, Value] = {value: Value(value.type, None, value.name) for value in captured}
    free = tuple(new.values())
    block = copy_block(graph.block, new)
    block.parameters = (*block.parameters, *free)
    inputs = tuple(Input((f"p{k}",), "derived") for k in range(len(block.parameters)))
    return replace(graph, block=block, inputs=inputs)


def _calling(cell: GraphCell) -> list[GraphCell]:
    """The other cells whose graphs a graph calls, and that call it, directly or not: functions that
    call one another, staged where its own is not known yet.
    """
    callers: dict[GraphCell, list[GraphCell]] = {}
    for caller in called_cells(cell.graph) if cell.graph is not None else ():
        for callee in callees(caller.graph):
            callers.setdefault(callee, []).append(caller)
    return [one for one in reached([cell], lambda one: callers.get(one, ())) if one is not cell]


def _first_call(
    interp: Interpreter,
    activation: Activation,
    given: Iterable[Abstract],
    leaves: list[Abstract],
    captured: list[Value],
) -> Abstract:
    operands = [
        as_type(interp.lift(leaf), type_)
        for leaf, type_ in zip(leaves, activation.types, strict=True)
    ]
    return _emit_call(interp, activation, given, [*operands, *captured])


def _emit_call(
    interp: Interpreter, activation: Activation, given: Iterable[Abstract], operands: list[Value]
) -> Abstract:
    attributes = {"callee": activation.cell, "types": tuple(activation.result_types)}
    graph = activation.cell.graph
    op = call if graph is None else call_of(graph.block)
    node = builder().emit(op, operands, attributes)
    assert activation.output is not None
    results = [interp.wrap(value) for value in node.results]
    made = unflatten(interp, activation.output, results.__getitem__)
    if activation.shared is not None:
        _freeze(interp, activation.shared, (*given, made))
    return made


def _require_another(active: Activation, structure: Structure) -> None:
    """Require that calls with arguments of another structure come to an end, or to themselves."""
    known = any(same_structure(structure, one) for one in active.around)
    if known or len(active.around) >= MOST_STRUCTURES:
        raise UnsupportedCallError(
            "a recursive call whose arguments differ in structure", hint="use a loop"
        )


def _call_again(
    interp: Interpreter,
    activation: Activation,
    arguments: Iterable[Abstract],
    leaves: list[Abstract],
) -> Abstract:
    """A call of the function inside its own body."""
    activation.times_called += 1
    operands = []
    for k, (leaf, type_) in enumerate(zip(leaves, list(activation.types), strict=True)):
        value = leaf if isinstance(leaf, Value) else None
        value = interp.lift(leaf) if value is None else value
        try:
            wider = met(type_, value.type, activation.varying)
        except Unjoinable as reason:
            raise UnsupportedCallError(f"a recursive call: {reason}") from None
        if not fits(type_, value.type, activation.varying) and wider != type_:
            activation.types[k] = wider
        operands.append(as_type(value, type_))
    if activation.output is None:
        raise NotYetKnown
    return _emit_call(interp, activation, arguments, operands)
