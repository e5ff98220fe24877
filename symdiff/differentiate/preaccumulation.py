"""Loops that depend on one number have their tangents computed beside them, in the same turns.

    for c in table:                      for c in table:
        v = v * x + c                        v_dot = v + v_dot * x
                                             v = v * x + c
                                         ...
                                         x_bar = v_bar * v_dot

All of the Jacobian of such a loop is one tangent of each of its results: the backward sweep needs
no tape and no turns of its own, but one product a result (Griewank & Walther 2008, ch. 10:
preaccumulation). A loop enters and, where it depends on one number and forward mode can do all that
is in it, gets the tangents as further carries; they leave. Otherwise nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from symdiff.differentiate.activity import Activity, analyse, flows
from symdiff.differentiate.calls import Calls
from symdiff.differentiate.cotangents import Zeros
from symdiff.differentiate.forward import Push
from symdiff.differentiate.operands import Numbers
from symdiff.ir.build import Builder, building
from symdiff.ir.control import LoopView, cond, loop
from symdiff.ir.graph import Block, Graph, Node, Value, walk_nodes
from symdiff.ir.types import ArrayType
from symdiff.ops.arithmetic import choice, strong_constant, where
from symdiff.ops.casts import astype
from symdiff.ops.creation import ones
from symdiff.ops.declare import DeclaredOp, array_type
from symdiff.ops.effects import grad_hook
from symdiff.ops.facts import shape_of
from symdiff.ops.recording import tap
from symdiff.ops.residuals import segment
from symdiff.ops.rules import custom_call
from symdiff.ops.shape import copy
from symdiff.ops.sizes import sizes_of


def preaccumulated(
    node: Node, targets: Sequence[Value], activity: Activity, calls: Calls, zeros: Zeros
) -> tuple[Value, Mapping[Value, Value]] | None:
    """The number that a loop depends on, and the derivatives by it of those results among
    ``targets`` that do; None where it is not one number, or forward mode has no rule for what
    computes them.
    """
    block = activity.homes.home[node.results[-1]]
    found = _common_source(activity.sources(node), activity, block)
    if found is None:
        return None
    source, between = found
    nodes = [*between, node]
    inner = analyse(Block((), nodes), [source], targets, calls.dependencies)
    if not (inner.active.isdisjoint(zeros.partial) and _can_be_pushed(nodes, targets, inner)):
        return None
    if shape_of(source) and not _is_by_element(nodes, source, inner):
        return None
    push = _PushBeside(inner, zeros, calls)
    with building(Builder([], node.span)) as made:
        push.begin(source, between, node, targets)
        push.nodes(nodes)
    _replace(node, made.nodes, block, push.new)
    return source, {value: push.tangents[value] for value in targets if value in push.tangents}


class _PushBeside(Push):
    """Forward mode of a loop in whose surroundings all stays as it is."""

    def begin(
        self, source: Value, between: Sequence[Node], node: Node, targets: Sequence[Value]
    ) -> None:
        """Begin with the derivative of the source by itself; the nodes ``between`` are not copied,
        but have their tangents computed.
        """
        self.between = between
        self.partial = self.zeros.partial
        self.numbers = Numbers(Block((), [*between, node]))
        self.targets = targets
        self.tangents[source] = _one(source)

    def primal(self, node: Node) -> None:
        if node not in self.between:
            super().primal(node)


def _one(source: Value) -> Value:
    """The derivative of a number by itself, or of an array's elements."""
    type_ = array_type(source)
    if type_.kind != "array":
        return strong_constant(1, source)
    made: Value = ones(*sizes_of(source), shape=type_.shape, dtype=type_.dtype)
    return made


# The number -------------------------------------------------------------------------------------


_STEPS = 8  # how many operations may lie between the number and what a loop reads


def _common_source(
    sources: Iterable[Value], activity: Activity, block: Block
) -> tuple[Value, list[Node]] | None:
    """The number that all of what a loop reads is computed of, itself included, and the nodes that
    do so in their order.
    """
    chains = [_computed_of(value, activity, block) for value in sources]
    first, *others = sorted(chains, key=len)
    source = next((value for value in first if all(value in chain for chain in others)), None)
    if source is None:
        return None
    steps = (reversed(chain[: chain.index(source)]) for chain in chains)
    return source, list(dict.fromkeys(_made_by(value) for chain in steps for value in chain))


def _made_by(value: Value) -> Node:
    assert value.node is not None
    return value.node


def _computed_of(value: Value, activity: Activity, block: Block) -> list[Value]:
    """A number, and the numbers that alone it is computed of in a block, one of the other.

    What is computed around the block stays as it is: the cotangents of what the block reads are
    handed on, those of what these are computed of are not.
    """
    chain = [value]
    while len(chain) <= _STEPS and activity.homes.home.get(chain[-1]) is block:
        node = chain[-1].node
        if node is None or not isinstance(node.op, DeclaredOp) or len(node.results) != 1:
            break
        operands = {v for k, v in enumerate(node.operands) if flows(node, k)}
        operands &= activity.active
        if len(operands) != 1 or not all(is_alike(v, value) for v in operands):
            break
        chain += operands
    return chain


# The loop ---------------------------------------------------------------------------------------


def _replace(node: Node, made: list[Node], block: Block, new: Mapping[Value, Value]) -> None:
    """Put what was made in the place of a node, whose results it gives beside others."""
    given = {new[value]: value for value in node.results}
    last = made[-1]
    for value in node.results:
        value.node = last
    last.results = tuple(given.get(value, value) for value in last.results)
    place = block.nodes.index(node)
    block.nodes[place : place + 1] = made


def _can_be_pushed(nodes: list[Node], targets: Iterable[Value], activity: Activity) -> bool:
    active = (value for value in targets if value in activity.active)
    return all(map(_is_real, active)) and all(
        _has_rules(node, activity) for node in walk_nodes(Block((), nodes))
    )


def _has_rules(node: Node, activity: Activity) -> bool:
    """Return whether forward mode computes tangents of a node's results by plain means: no graphs,
    nothing whose rules are the user's, or that the user asked the backward sweep for.
    """
    active = [value for value in node.results if value in activity.active]
    if node.op is segment or not all(isinstance(value.type, ArrayType) for value in active):
        return False
    if not active or node.op is cond:
        return True
    if node.op is loop:
        return not LoopView(node).varying
    return isinstance(node.op, DeclaredOp) and _is_plain(node, node.op, activity)


def _is_plain(node: Node, op: DeclaredOp, activity: Activity) -> bool:
    rests_on_graphs = any(isinstance(known, Graph) for known in node.attributes.values())
    if op.effect or rests_on_graphs or op in (grad_hook, tap, custom_call):
        return False
    given = (k for k, v in enumerate(node.operands) if flows(node, k) and v in activity.active)
    return op.tangent is not None or all(_has_rule(op, position) for position in given)


def _has_rule(op: DeclaredOp, position: int) -> bool:
    return op.elementwise or op.is_linear(position) or op.rule("jvp", position) is not None


def _is_by_element(nodes: list[Node], source: Value, activity: Activity) -> bool:
    """Return whether each element of what depends on an array does so on the one at its place."""
    return all(
        is_alike(value, source) and (node.op in _ALIGNED or _is_elementwise(node))
        for node in walk_nodes(Block((), nodes))
        for value in node.results
        if value in activity.active
    )


_ALIGNED = frozenset((loop, cond, where, choice, astype, copy))


def _is_elementwise(node: Node) -> bool:
    return isinstance(node.op, DeclaredOp) and node.op.elementwise


def is_alike(value: Value, other: Value) -> bool:
    """Return whether a value holds real numbers in the shape of another."""
    return _is_real(value) and shape_of(value) == shape_of(other)


def _is_real(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.dtype.kind == "f"
