"""Forward mode: a graph that computes tangents beside the primal values.

Each node is copied and followed by what computes the tangents of its active results. Loops carry
the tangents of their active carries, branches have them as further results, calls call the forward
graph of what they call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symdiff.differentiate.activity import Activity, analyse, can_carry, graph_of
from symdiff.differentiate.calls import Calls, Request
from symdiff.differentiate.cotangents import Zeros, accumulated, as_array_where, fitted, name_after
from symdiff.differentiate.graphs import derived_inputs, tangent_structure, trimmed
from symdiff.differentiate.noting import note_activity
from symdiff.differentiate.opening import opened_where_active
from symdiff.differentiate.operands import Numbers
from symdiff.differentiate.products import partial_of, scaled
from symdiff.differentiate.refusals import no_rule
from symdiff.differentiate.selection import EXTREMA, ORDERING, PRESENT, Selection, State
from symdiff.ir.build import Builder, builder, building, copy_into, marked, substitute
from symdiff.ir.control import (
    CALLS,
    LoopView,
    cond,
    emit_cond,
    emit_loop,
    emit_undefined,
    loop,
    undefined,
)
from symdiff.ir.graph import Block, Graph, GraphCell, Node, Op, Value
from symdiff.ir.structure import Structure, of_tuple, tuple_of
from symdiff.ir.types import carries_derivative
from symdiff.ops import residuals
from symdiff.ops.arithmetic import (
    choose,
    constant_of,
    isnan,
    logical_not,
    not_equal,
    strong_constant,
)
from symdiff.ops.casts import as_dtype_of
from symdiff.ops.creation import ones
from symdiff.ops.declare import DeclaredOp, array_type
from symdiff.ops.defined import values_of_calls
from symdiff.ops.partial import partial_values
from symdiff.ops.quantiles import quantile
from symdiff.ops.reduce import broadcast_like, cotangent_by_rule, tangent_by_rule
from symdiff.ops.residuals import unpacked
from symdiff.ops.retype import is_narrowed, retype
from symdiff.ops.sizes import sizes_of
from symdiff.ops.strong import strong_multiply


def jvp(
    graph: Graph,
    wrt: Sequence[int],
    *,
    output: Structure | None = None,
    calls: Calls | None = None,
) -> Graph:
    """Results and tangents: inputs are those of ``graph``, then the tangent of each in ``wrt``.

    ``output`` says what is returned, its leaves numbering the results of ``graph`` and after them
    the tangents of the differentiable ones among these, in order; by default the pair
    ``(y, y_dot)``, None standing for the tangents of the others.
    """
    graph = opened_where_active(graph, wrt)
    results = graph.block.results
    parameters = [graph.block.parameters[number] for number in wrt]
    seeds = [Value(p.type, None, p.name or f"x{k}", "tangent") for k, p in enumerate(parameters)]
    calls = calls or Calls()
    targets = [value for value in results if carries_derivative(value.type)]
    activity = analyse(graph.block, parameters, targets, calls.dependencies)
    note_activity(graph.name, "forward", graph.block, parameters, activity)
    push = Push(activity, Zeros(()), calls)
    block = push.whole(graph.block, dict(zip(parameters, seeds, strict=True)), targets)
    finish(calls)
    inputs = (*graph.inputs, *derived_inputs(seeds, "tangent"))
    made = Graph(
        f"{graph.name}_jvp",
        block,
        inputs,
        output or of_tuple((graph.output, tangent_structure(graph))),
        {},
        graph.docstring,
        graph.span,
    )
    return trimmed(made)


def finish(calls: Calls) -> None:
    """Make the graphs that calls in what was made have asked for."""
    while calls.pending:
        request = calls.pending.pop()
        calls.forward[request].graph = _called(request, calls)


def _called(request: Request, calls: Calls) -> Graph:
    """A called graph with tangents: of the inputs in ``wrt`` behind the inputs, and of results."""
    graph = opened_where_active(graph_of(request.callee), request.wrt)
    parameters = [graph.block.parameters[k] for k in request.wrt]
    targets = [graph.block.results[k] for k in request.of]
    seeds = {p: Value(p.type, None, p.name, "tangent") for p in parameters}
    activity = analyse(graph.block, parameters, targets, calls.dependencies)
    block = Push(activity, Zeros(()), calls).whole(graph.block, seeds, targets)
    inputs = (*graph.inputs, *derived_inputs(seeds.values(), "tangent"))
    output = tuple_of(len(block.results))
    return Graph(f"{graph.name}_jvp", block, inputs, output, span=graph.span)


class Push:
    """Copies nodes to the current builder, each with its tangents."""

    def __init__(self, activity: Activity, zeros: Zeros, calls: Calls) -> None:
        self.activity = activity
        self.zeros = zeros
        self.calls = calls
        self.partial: set[Value] = set()
        self.numbers = Numbers(Block())
        self.targets: Sequence[Value] = ()
        self.selection: Selection | None = None
        self.new: dict[Value, Value] = {}
        self.tangents: dict[Value, Value] = {}

    def whole(self, block: Block, seeds: dict[Value, Value], targets: Iterable[Value]) -> Block:
        """A graph's block: parameters and seeds → results and the tangents of targets."""
        parameters = tuple(self.renewed(value) for value in block.parameters)
        self.tangents |= {v: seed for v, seed in seeds.items() if self.is_active(v)}
        self.targets = list(targets)
        self.partial = partial_values(block)
        self.numbers = Numbers(block)
        self.zeros = Zeros(parameters, set())
        with building(Builder()) as made:
            self.nodes(block.nodes)
            results = [self.new[value] for value in block.results]
            with marked(None, "tangent"):
                results += [self.finished(value) for value in self.targets]
        block = Block((*parameters, *seeds.values()), made.nodes, tuple(results))
        substitute(block, values_of_calls(block))
        return block

    def is_active(self, value: Value) -> bool:
        return value in self.activity.active

    def is_selected(self, node: Node) -> bool:
        """Return whether a ``where`` or a branch may discard elements of a result later on."""
        return self.selected().state.get(node.result) is State.SELECTED

    def may_take_infinite(self, node: Node, position: int) -> bool:
        """Return whether a node takes some elements of an operand whose tangents may be infinite
        in others.
        """
        is_taking = node.op in EXTREMA or node.op in ORDERING
        return is_taking and node.operands[position] in self.selected().suspect

    def selected(self) -> Selection:
        """What is selected of each value, found when it is first asked for."""
        if self.selection is None:
            targets = dict.fromkeys(self.targets, State.DENSE)
            self.selection = Selection(self.activity, targets)
        return self.selection

    def renewed(self, value: Value) -> Value:
        """The copy of a parameter."""
        self.new[value] = copied = Value(value.type, None, value.name, value.role)
        return copied

    def got(self, value: Value) -> Value:
        return self.new.get(value, value)

    def tangent_parameter(self, value: Value) -> Value:
        """A new parameter for the tangent of a parameter."""
        self.tangents[value] = made = Value(value.type, None, value.name, "tangent")
        return made

    def primal(self, node: Node) -> None:
        """Copy a node beside which its tangents are to stand."""
        copy_into(node, self.new)

    def nodes(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            getattr(self, _PUSHED.get(node.op, "operation"))(node)

    def finished(self, value: Value) -> Value:
        """The tangent of a value at the edge of a block, of exactly its type."""
        tangent = self.tangents.get(value)
        if tangent is None:
            if value.node is not None and value.node.op is undefined:
                return emit_undefined(value.type)
            if value in self.partial:
                self.zeros.partial.add(self.got(value))
            return self.zero_of(value)
        return name_after(fitted(tangent, value), value, "tangent")

    def zero_of(self, value: Value) -> Value:
        """No tangent; Python's number where the value is one that is typed as less precise."""
        node = value.node
        if node is not None and node.op is retype:
            before = node.operands[0]
            if array_type(before).differentiable and is_narrowed(before, array_type(value)):
                return retype(self.zero_of(before), type=value.type)
        return self.zeros.of(self.got(value))

    # An op with rules

    def operation(self, node: Node) -> None:
        self.primal(node)
        active = [value for value in node.results if self.is_active(value)]
        if not active or not isinstance(node.op, DeclaredOp):
            return
        given = [self.tangent_of(node, k) for k in range(len(node.operands))]
        if all(tangent is None for tangent in given):
            return
        with marked(node.span, "tangent"):
            tangents = self.tangents_of(node, node.op, given)
        for value, tangent in zip(node.results, tangents, strict=True):
            if tangent is not None and self.is_active(value):
                self.tangents[value] = name_after(tangent, value, "tangent")

    def tangent_of(self, node: Node, position: int) -> Value | None:
        assert isinstance(node.op, DeclaredOp)
        carried = node.op.carries(position)
        return self.tangents.get(node.operands[position]) if carried else None

    def tangents_of(
        self, node: Node, op: DeclaredOp, given: Sequence[Value | None]
    ) -> Sequence[Value | None]:
        if op.partials is None:
            given = list(map(as_array_where, node.operands, given))
        operands = [self.got(value) for value in node.operands]
        results = tuple(self.got(value) for value in node.results)
        y = results[0] if len(results) == 1 else results
        if op.tangent is not None:
            seen = self.numbers.operands(node, op, self.new)
            made = op.tangent(tuple(given), y, *seen, **node.attributes)
        elif all(t is None or op.is_linear(k) for k, t in enumerate(given)):
            made = op(*self.linear_operands(op, operands, given), **node.attributes)
        else:
            return self.sum_of_shares(node, op, given)
        return (made,) if len(results) == 1 else made

    def linear_operands(
        self, op: DeclaredOp, operands: Sequence[Value], given: Sequence[Value | None]
    ) -> list[Value]:
        """Tangents in place of the operands in which the op is linear."""
        return [
            operand
            if not op.is_linear(k)
            else self.zeros.of(operand)
            if tangent is None
            else tangent
            for k, (operand, tangent) in enumerate(zip(operands, given, strict=True))
        ]

    def sum_of_shares(
        self, node: Node, op: DeclaredOp, given: Sequence[Value | None]
    ) -> list[Value | None]:
        totals: list[Value | None] = [None] * len(node.results)
        for position, tangent in enumerate(given):
            if tangent is None:
                continue
            share = self.share(node, op, position, tangent)
            shares = share if isinstance(share, tuple) else (share,)
            for k, part in enumerate(shares):
                before = totals[k]
                if part is not None:
                    totals[k] = part if before is None else accumulated(before, part)
        return totals

    def share(
        self, node: Node, op: DeclaredOp, position: int, tangent: Value
    ) -> Value | tuple[Value | None, ...] | None:
        """What the tangent of an operand contributes to those of the results."""
        relative = op.rule("jvp", position)
        if op.partials is not None and relative is not None:
            y = self.got(node.result)
            made = relative(tangent, y, *self.numbers.operands(node, op, self.new))
            return broadcast_like(as_dtype_of(made, y), y)
        if op.partials is not None:
            partial = partial_of(node, op, position, self.numbers, self.new)
            if partial is None:
                return None
            y = self.got(node.result)
            strong = op.is_strong(node) and constant_of(partial) is None
            quiet = strong and self.is_selected(node)
            given = [self.got(value) for value in node.operands]
            if isinstance(partial, Value) and self.may_take_infinite(node, position):
                made = strong_multiply(partial, tangent)
            else:
                made = scaled(node, position, tangent, partial, strong, quiet, given)
            return broadcast_like(as_dtype_of(made, y), y)
        if op.rule("jvp", position) is None:
            raise no_rule(node, node.operands[position])
        operands = self.numbers.operands(node, op, self.new)
        results = tuple(self.got(value) for value in node.results)
        y_s = results[0] if len(results) == 1 else results
        taken = self.taken(node, position, operands)
        if taken is not None:
            tangent = choose(taken, tangent, strong_constant(0, tangent))
        return tangent_by_rule(op, position, tangent, y_s, *operands, **node.attributes)  # type: ignore[no-any-return]

    def taken(self, node: Node, position: int, operands: Sequence[Value]) -> Value | None:
        """The elements of an operand that a reduction takes, where what their tangents are of the
        others is to have no effect.
        """
        op, x = node.op, operands[position]
        leaves_out = op in PRESENT and node.operands[position].node is not None
        if leaves_out and op not in ORDERING:
            return logical_not(isnan(x))
        if op is quantile or not (leaves_out or self.may_take_infinite(node, position)):
            return None  # weights of a quantile have derivatives by its order
        assert isinstance(op, DeclaredOp)
        y = self.got(node.result)
        one = ones(*sizes_of(y), shape=array_type(y).shape, dtype=array_type(y).dtype)
        weights = cotangent_by_rule(op, position, one, y, *operands, **node.attributes)
        return not_equal(weights, 0)

    # Loops

    def loop(self, node: Node) -> None:
        view = LoopView(node)
        carries, elements, pushed = view.numbers_where(self.is_active)
        if not (carries or elements or pushed):
            self.primal(node)
            return
        with marked(node.span, "tangent"):
            initial = [self.finished(view.initial[k]) for k in carries]
            xs = [self.finished(view.xs[k]) for k in elements]
        body = self.body(view, carries, elements, pushed)
        condition = view.condition and self.condition(view, view.condition, carries)
        made = emit_loop(
            None if view.count is None else self.got(view.count),
            (*map(self.got, view.initial), *initial),
            (*map(self.got, view.xs), *xs),
            body,
            condition,
            reverse=view.reverse,
        )
        self.receive_loop(view, LoopView(made), carries, pushed)

    def body(
        self, view: LoopView, carries: list[int], elements: list[int], pushed: list[int]
    ) -> Block:
        index, *others = (self.renewed(value) for value in view.body.parameters)
        tangents = [self.tangent_parameter(view.carries[k]) for k in carries]
        rates = [self.tangent_parameter(view.elements[k]) for k in elements]
        parameters = (
            index,
            *others[: view.carry_count],
            *tangents,
            *others[view.carry_count :],
            *rates,
        )
        with building(Builder([], view.node.span)) as made:
            self.nodes(view.body.nodes)
            with marked(view.node.span, "tangent"):
                following = [self.fitting(view.next_carries[k], view.carries[k]) for k in carries]
                pushes = [self.finished(view.pushed[k]) for k in pushed]
        results = (
            *map(self.got, view.next_carries),
            *following,
            *map(self.got, view.pushed),
            *pushes,
        )
        return Block(parameters, made.nodes, results)

    def fitting(self, value: Value, like: Value) -> Value:
        """The tangent of a value, of the dtype and kind of another: of a carry, or a result."""
        return fitted(self.finished(value), like)

    def condition(self, view: LoopView, block: Block, carries: list[int]) -> Block:
        parameters = [self.renewed(value) for value in block.parameters]
        extra = [
            Value(view.carries[k].type, None, view.carries[k].name, "tangent") for k in carries
        ]
        with building(Builder([], view.node.span)) as made:
            for node in block.nodes:
                copy_into(node, self.new)
        return Block((*parameters, *extra), made.nodes, tuple(map(self.got, block.results)))

    def receive_loop(
        self, view: LoopView, made: LoopView, carries: list[int], pushed: list[int]
    ) -> None:
        count, tapes = view.carry_count, len(view.ys)
        self.new |= dict(zip(view.finals, made.finals[:count], strict=True))
        self.new |= dict(zip(view.ys, made.ys[:tapes], strict=True))
        self.new[view.turns] = made.turns
        self.receive([view.finals[k] for k in carries], made.finals[count:])
        self.receive([view.ys[k] for k in pushed], made.ys[tapes:])
        for old, new in zip(
            view.node.results, (*made.finals[:count], *made.ys[:tapes]), strict=False
        ):
            new.name, new.role = old.name, old.role

    def receive(self, values: Sequence[Value], tangents: Sequence[Value]) -> None:
        for value, tangent in zip(values, tangents, strict=True):
            tangent.name, tangent.role = value.name, "tangent"
            if self.is_active(value):
                self.tangents[value] = tangent

    # Branches

    def cond(self, node: Node) -> None:
        active = [k for k, value in enumerate(node.results) if self.is_active(value)]
        if not active:
            self.primal(node)
            return
        then, orelse = (self.arm(node, block, active) for block in node.blocks)
        with marked(node.span):
            made = emit_cond(self.got(node.operands[0]), then, orelse)
        count = len(node.results)
        for value, result in zip(node.results, made.results[:count], strict=True):
            self.new[value] = result
            result.name, result.role = value.name, value.role
        self.receive([node.results[k] for k in active], made.results[count:])

    def arm(self, node: Node, block: Block, active: list[int]) -> Block:
        with building(Builder([], node.span)) as made:
            self.nodes(block.nodes)
            with marked(node.span, "tangent"):
                tangents = [self.fitting(block.results[k], node.results[k]) for k in active]
        return Block((), made.nodes, (*map(self.got, block.results), *tangents))

    # Calls

    def call(self, node: Node) -> None:
        request = self._request(node)
        if not request.of:
            self.primal(node)
            return
        tangents = [self.finished(node.operands[k]) for k in request.wrt]
        types = (*node.attributes["types"], *(node.results[k].type for k in request.of))
        callee = self.calls.tangent(request)
        attributes = {**node.attributes, "callee": callee, "types": types}
        with marked(node.span):
            made = builder().emit(node.op, (*map(self.got, node.operands), *tangents), attributes)
        count = len(node.results)
        for value, result in zip(node.results, made.results[:count], strict=True):
            self.new[value] = result
            result.name, result.role = value.name, value.role
        self.receive([node.results[k] for k in request.of], made.results[count:])

    def _request(self, node: Node) -> Request:
        callee: GraphCell = node.attributes["callee"]
        pairs = [
            (k, place)
            for k, place in self.calls.dependencies.of(callee)
            if node.operands[k] in self.tangents and self.is_active(node.results[place])
        ]
        wrt = tuple(sorted({k for k, _ in pairs}))
        return Request(callee, wrt, tuple(sorted({place for _, place in pairs})))

    # Packed residuals

    def pack(self, node: Node) -> None:
        self.primal(node)
        if any(value in self.tangents for value in node.operands):
            with marked(node.span, "tangent"):
                entries = [
                    self.finished(value) if can_carry(value.type) else emit_undefined(value.type)
                    for value in node.operands
                ]
                self.tangents[node.result] = residuals.pack(*entries)

    def unpack(self, node: Node) -> None:
        self.primal(node)
        tangent = self.tangents.get(node.operands[0])
        if tangent is not None:
            with marked(node.span, "tangent"):
                entries = unpacked(tangent, node.attributes["types"])
            carrying = [k for k, value in enumerate(node.results) if can_carry(value.type)]
            self.receive([node.results[k] for k in carrying], [entries[k] for k in carrying])


_PUSHED: dict[Op, str] = {
    loop: "loop",
    cond: "cond",
    **dict.fromkeys(CALLS, "call"),
    residuals.pack: "pack",
    residuals.unpack: "unpack",
}
