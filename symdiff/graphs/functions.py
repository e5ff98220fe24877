"""The functions of the backward sweep: ``grad_fn`` and ``next_functions``, as PyTorch has them.

Each computed value that requires a gradient has a function; its ``next_functions`` are those of
what the value was computed from, a pair ``(function, input_nr)`` an operand, so that several paths
to one leaf are all there. A leaf has an ``AccumulateGrad``, in which they end and are summed.

Loops and branches are one function for each of their results, whose next functions are those of the
values from outside that the result depends on, once for each use in the text. A value inside a loop
or a branch has functions of its own, which lead outside through what the loop hands on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from symdiff.graphs.spelling import name_of
from symdiff.ir.control import CALLS, LoopView, loop
from symdiff.ir.graph import Node, Value
from symdiff.ops.declare import DeclaredOp
from symdiff.ops.defined import library_call
from symdiff.ops.rules import custom_call

if TYPE_CHECKING:
    from symdiff.graphs.nodes import GraphNode
    from symdiff.graphs.view import ComputationGraph

Next = tuple["GradFunction | None", int]


class GradFunction:
    """A step of the backward sweep.

    >>> import symdiff as sd
    >>> def f(x):
    ...     return x * x
    >>> function = sd.differentiable(f).graph("float").root.grad_fn
    >>> function.name()
    'MultiplyBackward0'
    >>> function.next_functions
    ((<AccumulateGrad of x>, 0), (<AccumulateGrad of x>, 0))
    """

    def __init__(self, owner: Functions, value: Value) -> None:
        self._owner = owner
        self._value = value

    def name(self) -> str:
        """``MultiplyBackward0``: the op's name in PyTorch's fashion."""
        words = self._owner.kind(self._value).split("_")
        return "".join(word[:1].upper() + word[1:] for word in words) + "Backward0"

    @property
    def node(self) -> GraphNode:
        """The node whose gradient enters here."""
        return self._owner.graph.node(self._value)

    @property
    def next_functions(self) -> tuple[Next, ...]:
        """A pair ``(function, input_nr)`` for each operand that can have a gradient.

        The function is None where the operand does not require one; ``input_nr`` tells which of
        several results of that function's op the operand is.
        """
        return self._owner.next_of(self._value)

    def __repr__(self) -> str:
        span = self._owner.graph.span_of(self._value)
        return f"<{self.name()}{f' at {span.location}' if span else ''}>"


class AccumulateGrad(GradFunction):
    """Where the gradients of a leaf are summed; ``variable`` is the leaf."""

    def name(self) -> str:
        return "AccumulateGrad"

    @property
    def variable(self) -> GraphNode:
        """The leaf."""
        return self.node

    def __repr__(self) -> str:
        return f"<AccumulateGrad of {self.node.label}>"


class Functions:
    """The functions of a graph, one for each step, made when they are first asked for."""

    def __init__(self, graph: ComputationGraph, edges: Iterable[tuple[Value, Value]]) -> None:
        self.graph = graph
        self._made: dict[Value, GradFunction] = {}
        self._into: dict[Value, list[Value]] = {}
        for source, destination in edges:
            self._into.setdefault(destination, []).append(source)

    def of(self, value: Value) -> GradFunction:
        """The function of a value that requires a gradient."""
        first = self._step(value)
        if first not in self._made:
            kind = AccumulateGrad if self.graph.is_input(first) else GradFunction
            self._made[first] = kind(self, first)
        return self._made[first]

    def kind(self, value: Value) -> str:
        """What a value is a result of: an op, a function with a rule of its own, or what a loop
        hands on to its body.
        """
        node = value.node
        if node is None:
            return "carry"
        return name_of(node) if node.op in (custom_call, library_call) else node.op.name

    def next_of(self, value: Value) -> tuple[Next, ...]:
        """The pairs of the function of a value."""
        if self.graph.is_input(value):
            return ()
        if not _is_region(value):
            node = value.node
            assert node is not None
            carrying = (x for k, x in enumerate(node.operands) if _carries(node, k))
            return tuple(map(self._pair, carrying))
        return tuple(map(self._pair, self._from_outside(value)))

    def _pair(self, operand: Value) -> Next:
        if not self.graph.is_active(operand):
            return None, 0
        several = operand.node is not None and not _is_region(operand)
        number = operand.node.results.index(operand) if several and operand.node else 0
        return self.of(operand), number

    @staticmethod
    def _step(value: Value) -> Value:
        """The first result of the op, which stands for all; of loops and branches each its own."""
        return value if _is_region(value) or value.node is None else value.node.results[0]

    def _from_outside(self, value: Value) -> list[Value]:
        """What a result of a loop or a branch, or what a loop hands on, depends on outside it: once
        for each use.
        """
        owner = value.node or self.graph.places.around(value)
        assert owner is not None
        numbers = self.graph.places.number
        uses = self._entering(value, owner)
        started = set(uses)
        found = [
            (numbers[source], numbers[user], source)
            for source, user in uses
            if (source, _handed(owner, user)) not in started
        ]
        return [source for _, _, source in sorted(found, key=lambda use: use[:2])]

    def _entering(self, value: Value, owner: Node) -> list[tuple[Value, Value]]:
        """The edges from outside a node to what a value in it depends on."""
        is_within = self.graph.places.is_within
        entering: list[tuple[Value, Value]] = []
        seen, pending = {value}, [value]
        while pending:
            user = pending.pop()
            sources = [v for v in self._into.get(user, ()) if self.graph.is_active(v)]
            entering += [(source, user) for source in sources if not is_within(source, owner)]
            inner = {source for source in sources if is_within(source, owner)} - seen
            seen |= inner
            pending += inner
        return entering


def _is_region(value: Value) -> bool:
    """Return whether a value comes from nested blocks or a called graph, or is a block's
    parameter.
    """
    node = value.node
    return node is None or bool(node.blocks) or node.op in CALLS


def _handed(owner: Node, value: Value) -> Value | None:
    """What a loop hands to its body of what becomes one of its results."""
    view = LoopView(owner) if owner.op is loop else None
    if view is None or value.node is not owner or value not in view.finals:
        return None
    return view.carries[view.finals.index(value)]


def _carries(node: Node, position: int) -> bool:
    return isinstance(node.op, DeclaredOp) and node.op.carries(position)
