"""Which results of a program are computed by calls without a rule: a pullback has no cotangents of
them.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdiff.differentiate.activity import analyse, can_carry
from symdiff.differentiate.calls import Calls
from symdiff.ir.graph import Graph, walk_nodes
from symdiff.ir.structure import Leaf, leaf_numbers
from symdiff.ir.types import Type, carries_derivative
from symdiff.ops.changing import changing_call
from symdiff.ops.effects import opaque_call
from symdiff.runtime.saved import Unruled


def unruled_results(graph: Graph, wrt: Sequence[int]) -> tuple[Unruled, ...]:
    """The returned objects that are computed from inputs by calls without a rule."""
    results = graph.block.results
    objects = [
        k for k in sorted(set(leaf_numbers(graph.output))) if _holds_objects(results[k].type)
    ]
    return tuple(found for k in objects if (found := _unruled(graph, wrt, k)) is not None)


def require_rule(graph: Graph, wrt: Sequence[int]) -> None:
    """Require that what a function returns, if that is no container, does not depend on inputs by
    calls without a rule.

    :raises UnsupportedCallError: where it does; its derivative is not None.
    """
    if isinstance(graph.output, Leaf):
        for one in unruled_results(graph, wrt):
            raise one.refusal()


def _holds_objects(type_: Type) -> bool:
    return can_carry(type_) and not carries_derivative(type_)


def _unruled(graph: Graph, wrt: Sequence[int], number: int) -> Unruled | None:
    """The call that gives a result, if that depends on the inputs asked for."""
    result = graph.block.results[number]
    sources = [graph.block.parameters[k] for k in wrt]
    active = analyse(graph.block, sources, [result], Calls().dependencies).active
    for node in walk_nodes(graph.block):
        if node.op in (opaque_call, changing_call) and not active.isdisjoint(node.results):
            function = node.attributes["function"]
            return Unruled(number, getattr(function, "name", "a function"), node.span)
    return Unruled(number, "a function", graph.span) if result in active else None
