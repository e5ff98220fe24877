"""What called graphs are given: parameters that every call of one gives the same input.

A graph enters that calls others, which may call further ones; told is, of each of them, which of
the graph's inputs a parameter always stands for.
"""

from __future__ import annotations

from collections.abc import Collection

from symdiff.ir.called import calls_in
from symdiff.ir.graph import Graph, Value


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
            given = [stands_for.get(value) for value in node.operands]
            before = found.get(id(callee), given)
            both = [a if a is b else None for a, b in zip(before, given, strict=True)]
            if found.get(id(callee)) != both:
                found[id(callee)] = both
                pairs = zip(callee.block.parameters, both, strict=True)
                pending.append((callee, {p: value for p, value in pairs if value is not None}))
    return found
