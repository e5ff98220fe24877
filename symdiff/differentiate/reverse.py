"""Reverse mode: graphs that run the chain rule backwards.

``gradient`` is one graph, primal then adjoint, of a scalar result; ``vjp`` the same from a
cotangent for each result, given as inputs; ``split`` a pair of graphs, with what the second needs
of the first as results of the first. All go the same way: copy the graph, build the sweep, drop its
dead code, resolve residuals.
"""

from __future__ import annotations

from collections.abc import Container as Contains
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from symdiff.dataclass import dataclass
from symdiff.differentiate.activity import analyse, graph_of
from symdiff.differentiate.calls import Calls, Request
from symdiff.differentiate.cotangents import Cotangents, Zeros
from symdiff.differentiate.graphs import derived_inputs, guard_cases, seeded_results, trimmed
from symdiff.differentiate.noting import note_activity
from symdiff.differentiate.opening import opened_where_active
from symdiff.differentiate.prune import prune
from symdiff.differentiate.residuals import Saved, reads, resolve, resolve_apart
from symdiff.differentiate.selection import Selection, State
from symdiff.differentiate.sweep import Pair, Sweep, place_again
from symdiff.errors import GradientShapeError
from symdiff.ir.build import Builder, building, copy_block, substitute
from symdiff.ir.graph import Block, Graph, Input, Node, Value, walk_nodes
from symdiff.ir.reach import reached
from symdiff.ir.structure import Container, Structure, leaf_numbers, of_tuple, tuple_of
from symdiff.ir.types import ArrayType, in_words, may_be_one
from symdiff.ops.arithmetic import strong_constant
from symdiff.ops.creation import ones
from symdiff.ops.defined import values_of_calls
from symdiff.ops.effects import grad_hook
from symdiff.ops.partial import partial_values
from symdiff.ops.residuals import PACKED, one_of, pack, unpacked
from symdiff.ops.rules import custom_call


def gradient(
    graph: Graph,
    wrt: Sequence[int],
    *,
    results: Sequence[int] = (0,),
    output: Structure | None = None,
    calls: Calls | None = None,
) -> Graph:
    """The gradient of a scalar by the inputs ``wrt``.

    ``results``: the number of the scalar; where it is another one on other paths, of each.
    ``output`` says what is returned, its leaves numbering the results of ``graph`` and after them
    the cotangents of ``wrt``; by default a tuple of the cotangents.
    """
    joint = _Joint(graph, wrt, calls)
    with building(joint.builder):
        ones = {number: _one(joint.block.results[number], graph) for number in results}
    joint.run(ones)
    return joint.graph(f"{graph.name}_grad", output, ())


def vjp(
    graph: Graph,
    wrt: Sequence[int],
    *,
    output: Structure | None = None,
    calls: Calls | None = None,
) -> Graph:
    """Results and cotangents: the inputs of ``graph``, then a cotangent a differentiable result.

    ``output`` is as for ``gradient``; by default the pair of what ``graph`` returns and the tuple
    of cotangents of ``wrt``.
    """
    joint = _Joint(graph, wrt, calls)
    seeds = joint.seeds()
    joint.run(seeds)
    default = of_tuple((graph.output, tuple_of(len(wrt), len(graph.block.results))))
    return joint.graph(f"{graph.name}_vjp", output or default, tuple(seeds.values()))


@dataclass(frozen=True, slots=True)
class Split:
    """A derivative in two graphs; ``saved`` counts the values handed from the first to the second.

    ``forward``: inputs → (what the graph returns, saved values).
    ``backward``: (saved values, a cotangent a differentiable result) → cotangents of ``wrt``; of a
    linearization (``linear``), (saved values, a tangent of each of ``wrt``) → tangents.
    """

    forward: Graph
    backward: Graph
    saved: int


def split(graph: Graph, wrt: Sequence[int], *, calls: Calls | None = None) -> Split:
    """Forward and backward part as graphs of their own.

    ``forward.output`` is the pair (returned, tuple of saved), ``backward.output`` a tuple.
    """
    joint = _Joint(graph, wrt, calls)
    seeds = joint.seeds()
    backward, saved = joint.apart(seeds)
    joint.finish()
    partial = partial_values(joint.block) | joint.absent
    return parted(graph, joint.block, backward, saved, tuple(seeds.values()), partial)


def divide(graph: Graph, joint: Graph) -> Split:
    """What ``vjp`` made of ``graph``, rewritten since, as forward and backward part.

    The first has what the results of ``graph`` need and does what it does; all else is the second.
    """
    assert isinstance(joint.output, Container)
    returned, cotangents = joint.output.items
    whole = copy_block(joint.block, {})
    count = len(whole.results) - len(set(leaf_numbers(cotangents)))
    given, seeds = whole.parameters[: len(graph.inputs)], whole.parameters[len(graph.inputs) :]
    first = _forward_nodes(whole.nodes, whole.results[:count], seeds)
    block = Block(given, [node for node in whole.nodes if node in first], whole.results[:count])
    bars = tuple(whole.results[number] for number in leaf_numbers(cotangents))
    backward = Block((), [node for node in whole.nodes if node not in first], bars)
    pairs = zip(whole.parameters, joint.inputs, strict=True)
    absent = [value for value, source in pairs if source.origin == "partial"]
    partial = partial_values(whole, absent)
    saved = resolve_apart((), Pair(block, backward), partial)
    primal = Graph(graph.name, block, joint.inputs[: len(given)], returned, span=graph.span)
    return parted(primal, block, backward, saved, seeds, partial)


def parted(
    graph: Graph,
    block: Block,
    second: Block,
    saved: Saved,
    seeds: Sequence[Value],
    partial: Contains[Value],
    kind: Literal["cotangent", "tangent"] = "cotangent",
) -> Split:
    """The graphs of a forward block, which gives what is saved, and of one that reads it."""
    sources, given = [value for value, _ in saved], [value for _, value in saved]
    second.parameters = (*given, *seeds)
    known = derived_inputs(given, "saved", sources, partial)
    inputs = (*known, *derived_inputs(seeds, kind, seeds, partial))
    output = tuple_of(len(second.results))
    made = Graph(f"{graph.name}_{_SECOND[kind]}", second, inputs, output, span=graph.span)
    return Split(_forward(graph, block, sources), made, len(saved))


_SECOND = {"cotangent": "backward", "tangent": "linear"}


def _forward_nodes(
    nodes: Sequence[Node], results: Sequence[Value], seeds: Iterable[Value]
) -> set[Node]:
    """The nodes that results need, and those with effects, but for effects on cotangents."""
    of_cotangents = _of_cotangents(nodes, seeds)
    start = _nodes_of(results)
    start += [node for node in nodes if _has_effect(node) and node not in of_cotangents]
    return set(reached(start, lambda node: _nodes_of(reads(node))))


def _nodes_of(values: Iterable[Value]) -> list[Node]:
    return [value.node for value in values if value.node is not None]


def _has_effect(node: Node) -> bool:
    inner = (one for block in node.blocks for one in walk_nodes(block))
    return any(one.op.effect for one in (node, *inner))


def _of_cotangents(nodes: Sequence[Node], seeds: Iterable[Value]) -> set[Node]:
    """The sweep's nodes, and what hooks compute of their results."""
    known, found = set(seeds), set[Node]()
    for node in nodes:
        values = (*node.results, *reads(node))
        if any(value in known or value.role == "cotangent" for value in values):
            found.add(node)
            known.update(node.results)
    return found


def _forward(graph: Graph, block: Block, saved: Sequence[Value]) -> Graph:
    count = len(block.results)
    block.results = (*block.results, *saved)
    output = of_tuple((graph.output, tuple_of(len(saved), count)))
    made = Graph(f"{graph.name}_forward", block, graph.inputs, output, span=graph.span)
    return trimmed(made)


def finish(calls: Calls) -> None:
    """Make the graphs that calls in what was made have asked for."""
    while calls.pending:
        request = calls.pending.pop()
        forward, backward = calls.split[request]
        forward.graph, backward.graph = _called(request, calls)


def _called(request: Request, calls: Calls) -> tuple[Graph, Graph]:
    """A called graph in two; the first hands its residuals to the second as one value."""
    graph = graph_of(request.callee)
    joint = _Joint(graph, request.wrt, calls)
    results = joint.block.results
    seeds = {k: Value(results[k].type, None, results[k].name, "cotangent") for k in request.of}
    states = calls.states(request)
    block, saved = joint.apart(seeds, dict(zip(request.of, states, strict=True)))
    return halves(graph, joint.block, block, saved, tuple(seeds.values()))


def halves(
    graph: Graph,
    block: Block,
    second: Block,
    saved: Saved,
    seeds: Sequence[Value],
    kind: Literal["cotangent", "tangent"] = "cotangent",
) -> tuple[Graph, Graph]:
    """The graphs of a called graph's blocks; the residuals are the last result of the first."""
    with building(Builder(block.nodes)):
        block.results = (*block.results, pack(*(value for value, _ in saved)))
    output = tuple_of(len(block.results))
    forward = Graph(f"{graph.name}_forward", block, graph.inputs, output, span=graph.span)
    return forward, _second_half(graph, second, saved, seeds, kind)


def _second_half(
    graph: Graph,
    block: Block,
    saved: Saved,
    seeds: Sequence[Value],
    kind: Literal["cotangent", "tangent"],
) -> Graph:
    """A block that reads residuals, which are unpacked at the start."""
    packed = Value(PACKED, None, "residuals")
    with building(Builder([])) as builder:
        values = unpacked(packed, [value.type for value, _ in saved])
    for (_, given), value in zip(saved, values, strict=True):
        value.name, value.role = given.name, given.role
    block.nodes[:0] = builder.nodes
    substitute(block, {given: v for (_, given), v in zip(saved, values, strict=True)})
    block.parameters = (packed, *seeds)
    inputs = (Input(("residuals",), "derived"), *derived_inputs(seeds, kind))
    output = tuple_of(len(block.results))
    return Graph(f"{graph.name}_{_SECOND[kind]}", block, inputs, output, span=graph.span)


class _Joint:
    """A graph's private copy and the sweep over it, under construction."""

    def __init__(self, graph: Graph, wrt: Sequence[int], calls: Calls | None) -> None:
        self.source = opened_where_active(graph, wrt)
        self.block = copy_block(self.source.block, {})
        self.by_case = guard_cases(self.block, self.source.output)
        self.absent: set[Value] = set()  # cotangents of what is not always part of the result
        self.calls = calls or Calls()
        self.wrt = [self.block.parameters[number] for number in wrt]
        given = list(zip(self.block.parameters, self.source.inputs, strict=False))
        of_primal = ("argument", "free")
        self.saved = [value for value, source in given if source.origin not in of_primal]
        absent = [value for value, source in given if source.origin == "partial"]
        self.zeros = Zeros(self.block.parameters, partial_values(self.block, absent))
        self.builder = Builder([], graph.span)
        self.builder.role = "cotangent"
        self.bars: list[Value] = []
        self.sweep: Sweep

    def seeds(self) -> dict[int, Value]:
        """A parameter for the cotangent of each returned result that has one, by its number."""
        results = {k: self.block.results[k] for k in seeded_results(self.source)}
        made = {
            k: Value(value.type, None, value.name or "y", "cotangent")
            for k, value in results.items()
        }
        self.absent = {seed for k, seed in made.items() if k in self.by_case}
        return made

    def sweep_back(
        self, seeds: Mapping[int, Value], states: Mapping[int, State] | None = None
    ) -> None:
        """Build the sweep from the cotangents of results and drop its dead code.

        Those that are inputs may be unit vectors, zero where an element was not asked for.
        """
        states = states or {k: _state_of_seed(seed) for k, seed in seeds.items()}
        targets = {self.block.results[k]: state for k, state in states.items()}
        activity = analyse(self.block, self.wrt, targets, self.calls.dependencies)
        note_activity(self.source.name, "reverse", self.block, self.wrt, activity)
        selection = Selection(activity, targets, self.saved)
        whole = dict.fromkeys(targets, State.DENSE)
        seeded = selection if whole == targets else Selection(activity, whole, self.saved)
        self.sweep = Sweep(self.block, activity, selection, self.zeros, self.calls, seeded)
        cotangents = Cotangents(self.zeros.partial)
        with building(self.builder):
            for number, seed in seeds.items():
                if self.sweep.is_active(self.block.results[number]):
                    cotangents.add(self.block.results[number], seed)
            self.sweep.run(self.block.nodes, cotangents)
            self.bars = self.sweep.finished(self.wrt, cotangents)
        prune(self.builder.nodes, self.bars)
        place_again(self.sweep.pairs, Block((), self.builder.nodes))
        unhooked = _unhooked(self.block)
        substitute(Block((), self.builder.nodes, ()), unhooked)
        self.bars = [unhooked.get(bar, bar) for bar in self.bars]
        self.settle()

    def settle(self) -> None:
        """Take the values of library calls for what stands beside them."""
        values = values_of_calls(self.block)
        substitute(self.block, values)
        substitute(Block((), self.builder.nodes, ()), values)
        self.bars = [values.get(bar, bar) for bar in self.bars]

    def run(self, seeds: Mapping[int, Value]) -> None:
        """Build the sweep; what it needs of the primal block is in scope."""
        self.sweep_back(seeds)
        resolve(self.sweep.pairs, self.block, self.zeros, self.builder.nodes)
        self.finish()

    def apart(
        self, seeds: Mapping[int, Value], states: Mapping[int, State] | None = None
    ) -> tuple[Block, Saved]:
        """Build the sweep as a separate block; give it, and the primal values that it reads."""
        self.sweep_back(seeds, states)
        backward = Block((), self.builder.nodes, tuple(self.bars))
        whole = Pair(self.block, backward)
        return backward, resolve_apart(self.sweep.pairs, whole, self.zeros.partial)

    def finish(self) -> None:
        finish(self.calls)

    def graph(self, name: str, output: Structure | None, seeds: Sequence[Value]) -> Graph:
        """Primal and adjoint as one graph."""
        graph, block = self.source, self.block
        count = len(block.results)
        joint = Block(
            (*block.parameters, *seeds),
            [*block.nodes, *self.builder.nodes],
            (*block.results, *self.bars),
        )
        inputs = (*graph.inputs, *derived_inputs(seeds, "cotangent", seeds, self.absent))
        output = output or tuple_of(len(self.bars), count)
        return trimmed(Graph(name, joint, inputs, output, {}, graph.docstring, graph.span))


def _unhooked(block: Block) -> dict[Value, Value]:
    """The values that hooks give, each with the one that it is: that one is saved, once, and has
    the user's name.

    Hooks change cotangents alone, and have done so where a sweep is made.
    """
    found: dict[Value, Value] = {}
    for node in walk_nodes(block):
        if node.op is grad_hook:
            found[node.result] = node.operands[0]
        elif node.op is custom_call and not node.attributes["primal"].block.nodes:
            inner = node.attributes["primal"].block
            given = dict(zip(inner.parameters, node.operands, strict=True))
            found |= zip(node.results, map(given.__getitem__, inner.results), strict=True)
    for value, same in found.items():
        while same in found:
            same = found[same]
        found[value] = same
        same.name = same.name or value.name
    return found


def _state_of_seed(seed: Value) -> State:
    number = isinstance(seed.type, ArrayType) and not seed.type.rank
    return State.DENSE if seed.node is not None or number else State.PARTIAL


def _one(value: Value, graph: Graph) -> Value:
    type_ = value.type
    if (
        not isinstance(type_, ArrayType)
        or not type_.differentiable
        or not all(map(may_be_one, type_.shape))
    ):
        returned = f"{graph.name} returns {in_words(type_)}"
        raise GradientShapeError(
            f"the gradient of something that is not a scalar: {returned}",
            graph.span,
            "use symdiff.jacobian or symdiff.vjp",
        )
    if any(dim != 1 for dim in type_.shape):
        return one_of(value)
    if type_.kind == "array":
        return ones(*type_.shape, shape=type_.shape, dtype=type_.dtype)  # type: ignore
    return strong_constant(1.0, value)
