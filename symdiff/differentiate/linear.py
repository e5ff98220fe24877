"""Linearization: the tangents of a graph as a graph of their own, which can be run again and again.

The forward part computes what the graph returns, and saves what the linear part reads: tangents in,
tangents out. It is forward mode, with the tangents built apart from the primal block, whose values
they name freely; ``residuals`` makes these available, as it does for the backward sweep. A loop's
tangents are a loop of their own that runs the same way and reads tapes. What the linear part would
compute of primal values alone is computed in the forward part, once.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdiff.differentiate.activity import Activity, analyse, graph_of
from symdiff.differentiate.calls import Calls, packed_residuals
from symdiff.differentiate.cotangents import Zeros
from symdiff.differentiate.forward import Push
from symdiff.differentiate.graphs import seeded_results
from symdiff.differentiate.noting import note_activity
from symdiff.differentiate.opening import opened_where_active
from symdiff.differentiate.operands import Numbers
from symdiff.differentiate.prune import prune
from symdiff.differentiate.residuals import Saved, reads, resolve_apart
from symdiff.differentiate.reverse import Split, halves, parted
from symdiff.differentiate.selection import is_singular
from symdiff.differentiate.sweep import Pair
from symdiff.ir.build import Builder, builder, building, copy_block, marked, substitute
from symdiff.ir.control import LoopView, call, emit_cond, emit_loop
from symdiff.ir.graph import Block, Graph, Node, Value, walk_nodes
from symdiff.ops.defined import values_of_calls
from symdiff.ops.effects import enter_context
from symdiff.ops.partial import partial_values
from symdiff.ops.residuals import PACKED


def linearized(graph: Graph, wrt: Sequence[int], *, calls: Calls | None = None) -> Split:
    """Forward and linear part as graphs of their own.

    ``forward.output`` is the pair (returned, tuple of saved). The linear part takes what is saved
    and a tangent of each input in ``wrt``; it gives a tuple of the tangents of the differentiable
    results that ``graph`` returns, in order.
    """
    calls = calls or Calls()
    graph = opened_where_active(graph, wrt)
    joint = _Joint(graph, wrt, seeded_results(graph), calls)
    second, saved = joint.apart()
    _finish(calls)
    partial = partial_values(joint.block)
    return parted(graph, joint.block, second, saved, joint.seeds, partial, "tangent")


def has_contexts(block: Block) -> bool:
    """Return whether a block, or one in it, has ``with``: perhaps it says what warns."""
    return any(node.op is enter_context for node in walk_nodes(block))


def _finish(calls: Calls) -> None:
    """Make the graphs that calls in what was made have asked for."""
    while calls.pending:
        request = calls.pending.pop()
        forward, second = calls.linear[request]
        graph = opened_where_active(graph_of(request.callee), request.wrt)
        joint = _Joint(graph, request.wrt, request.of, calls)
        block, saved = joint.apart()
        made = halves(graph, joint.block, block, saved, joint.seeds, "tangent")
        forward.graph, second.graph = made


class _Joint:
    """A graph's private copy and its tangents, under construction."""

    def __init__(self, graph: Graph, wrt: Sequence[int], of: Sequence[int], calls: Calls) -> None:
        self.block = copy_block(graph.block, {})
        sources = [self.block.parameters[number] for number in wrt]
        self.seeds = [
            Value(p.type, None, p.name or f"x{k}", "tangent") for k, p in enumerate(sources)
        ]
        self.targets = [self.block.results[number] for number in of]
        activity = analyse(self.block, sources, self.targets, calls.dependencies)
        note_activity(graph.name, "forward", self.block, sources, activity)
        self.push = PushApart(self.block, activity, calls, self.targets)
        self.push.start(sources, self.seeds)
        self.span = graph.span

    def apart(self) -> tuple[Block, Saved]:
        """Build the tangents as a separate block; give it, and the primal values that it reads."""
        with building(Builder([], self.span)) as made:
            self.push.nodes(list(self.block.nodes))
            with marked(None, "tangent"):
                results = [self.push.finished(value) for value in self.targets]
        second = Block((), made.nodes, tuple(results))
        self.push.settle(self.block, second)
        prune(second.nodes, results)
        values = values_of_calls(self.block)
        substitute(self.block, values)
        substitute(second, values)
        whole = Pair(self.block, second)
        return second, resolve_apart(self.push.pairs, whole, self.push.zeros.partial)


class PushApart(Push):
    """Builds tangents apart from the primal block. ``pairs`` has inner blocks first."""

    def __init__(
        self, block: Block, activity: Activity, calls: Calls, targets: Sequence[Value]
    ) -> None:
        partial = partial_values(block)
        super().__init__(activity, Zeros(block.parameters, partial), calls)
        self.partial = partial
        self.numbers = Numbers(block)
        self.targets = targets
        self.pairs: list[Pair] = []
        self.linear: set[Value] = set()  # what depends on tangents, or has to stand beside them
        self.is_quiet = has_contexts(block)

    def start(self, sources: Sequence[Value], seeds: Sequence[Value]) -> None:
        """Begin with the tangents of inputs."""
        pairs = zip(sources, seeds, strict=True)
        self.tangents |= {value: seed for value, seed in pairs if self.is_active(value)}
        self.linear.update(seeds)

    def renewed(self, value: Value) -> Value:
        return value

    def primal(self, node: Node) -> None:
        """The primal block has it."""

    def tangent_parameter(self, value: Value) -> Value:
        made = super().tangent_parameter(value)
        self.linear.add(made)
        return made

    def settle(self, primal: Block, block: Block) -> None:
        """Leave in ``block`` what depends on tangents; what else is computed, ``primal`` does, but
        for what could warn: of that the function may not warn itself.
        """
        primals = {id(pair.reverse): pair.primal for pair in self.pairs}
        pending = [(primal, block)]
        while pending:
            primal, block = pending.pop()
            kept = []
            for node in block.nodes:
                warns = self.is_quiet and is_singular(node)
                if node.op.effect or warns or not self.linear.isdisjoint(reads(node)):
                    self.linear.update(node.results)
                    kept.append(node)
                    inner = (one for one in node.blocks if id(one) in primals)
                    pending += [(primals[id(one)], one) for one in inner]
                else:
                    primal.nodes.append(node)
            block.nodes[:] = kept

    def loop(self, node: Node) -> None:
        """A counted loop of tangents, which runs the same way."""
        view = LoopView(node)
        carries, elements, pushed = view.numbers_where(self.is_active)
        if not (carries or elements or pushed):
            return
        with marked(node.span, "tangent"):
            initial = [self.finished(view.initial[k]) for k in carries]
            xs = [self.finished(view.xs[k]) for k in elements]
        body = self.body(view, carries, elements, pushed)
        count = view.turns if view.condition is not None or view.count is None else view.count
        made = LoopView(emit_loop(count, initial, xs, body, reverse=view.reverse))
        self.pairs.append(Pair(view.body, body, node, made.node))
        self.receive([view.finals[k] for k in carries], made.finals)
        self.receive([view.ys[k] for k in pushed], made.ys)

    def body(
        self, view: LoopView, carries: list[int], elements: list[int], pushed: list[int]
    ) -> Block:
        index = Value(view.index.type, None, view.index.name)
        tangents = [self.tangent_parameter(view.carries[k]) for k in carries]
        rates = [self.tangent_parameter(view.elements[k]) for k in elements]
        with building(Builder([], view.node.span)) as made:
            self.nodes(list(view.body.nodes))
            with marked(view.node.span, "tangent"):
                following = [self.fitting(view.next_carries[k], view.carries[k]) for k in carries]
                pushes = [self.finished(view.pushed[k]) for k in pushed]
        return Block((index, *tangents, *rates), made.nodes, (*following, *pushes))

    def cond(self, node: Node) -> None:
        """A branch by the same predicate."""
        active = [k for k, value in enumerate(node.results) if self.is_active(value)]
        if not active:
            return
        arms = [self.arm(node, block, active) for block in node.blocks]
        with marked(node.span):
            made = emit_cond(node.operands[0], *arms)
        for primal, arm in zip(node.blocks, arms, strict=True):
            self.pairs.append(Pair(primal, arm, node, made))
        self.receive([node.results[k] for k in active], made.results)

    def arm(self, node: Node, block: Block, active: list[int]) -> Block:
        with building(Builder([], node.span)) as made:
            self.nodes(list(block.nodes))
            with marked(node.span, "tangent"):
                tangents = [self.fitting(block.results[k], node.results[k]) for k in active]
        return Block((), made.nodes, tuple(tangents))

    def call(self, node: Node) -> None:
        """The primal call becomes one that hands out its residuals; another gives tangents."""
        request = self._request(node)
        if not request.of:
            return
        forward, linear = self.calls.linearized(request)
        tangents = [self.finished(node.operands[k]) for k in request.wrt]
        packed = packed_residuals(node)
        handed = (*node.attributes["types"], PACKED)
        node.attributes = {**node.attributes, "callee": forward, "types": handed}
        node.results = (*node.results, packed)
        types = tuple(node.results[k].type for k in request.of)
        with marked(node.span):
            attributes = {"callee": linear, "types": types}
            made = builder().emit(call, (packed, *tangents), attributes)
        self.receive([node.results[k] for k in request.of], made.results)
