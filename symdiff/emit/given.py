"""What called graphs are given: parameters that every call of one gives the same input.

A graph enters that calls others, which may call further ones; told is, of each of them, which of
the graph's inputs a parameter always stands for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from symdiff.ir.called import calls_in
from symdiff.ir.control import CALLS
from symdiff.ir.graph import Graph, Node, Value
from symdiff.ops.attempts import caught_in

GIVE_EACH = (*CALLS, caught_in)
"""What gives each parameter of a graph an operand; solvers call one with numbers of their own."""


def always_given(graph: Graph, inputs: Collection[Value]) -> dict[int, list[Value | None]]:
    """By the id of each graph that is called, the one of the ``inputs`` that each parameter stands
    for, whoever calls; None where it is given something else, or several of them.
    """
    found: dict[int, list[Value | None]] = {}
    pending = [(graph, {value: value for value in inputs})]
    while pending:
        one, stands_for = pending.pop()
        for node in calls_in(one):
            callee: Graph | None = node.attributes["callee"].graph
            if callee is None:
                continue
            given = [value and stands_for.get(value) for value in _operands(node, callee)]
            before = found.get(id(callee), given)
            both = [a if a is b else None for a, b in zip(before, given, strict=True)]
            if found.get(id(callee)) != both:
                found[id(callee)] = both
                pairs = zip(callee.block.parameters, both, strict=True)
                pending.append((callee, {p: value for p, value in pairs if value is not None}))
    return found


def _operands(node: Node, callee: Graph) -> Sequence[Value | None]:
    """What a callee is given of a call's operands: not known where a solver calls it."""
    if node.op in GIVE_EACH:
        return node.operands
    return [None] * len(callee.block.parameters)
