"""``library_call``: a call of a library function that is defined by other functions.

It keeps its name in what is emitted, and holds the graph that defines it: what is differentiated,
or said in another library's words, is that graph in its place (``opened``).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from symdiff.ir.graph import Graph, Node, walk_nodes
from symdiff.ir.types import Type
from symdiff.ops.declare import Operation, declare
from symdiff.ops.effects import Keywords, Named, fill, spell_call, spell_template
from symdiff.ops.rules import Chosen, replaced


def _infer(*operands: Type, definition: Graph, **others: Any) -> tuple[Type, ...]:
    return tuple(value.type for value in definition.block.results)


def _evaluate(
    *operands: Any,
    definition: Graph,
    function: Named,
    arguments: tuple[Any, ...],
    keywords: Keywords,
) -> Any:
    given = {name: fill(value, operands) for name, value in keywords}
    return function.target(*fill(arguments, operands), **given)


def _spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    attributes = node.attributes
    function = spell_template(attributes["function"], operands)
    return spell_call(function, attributes["arguments"], attributes["keywords"], operands)


library_call = declare(  # no rules: what is differentiated is the definition
    Operation(
        "library_call",
        _infer,
        _evaluate,
        raises=True,
        cost="heavy",
        variadic=True,
        spelling=_spell,
        documentation="A library function by its name; its derivatives are those of the"
        " functions that define it.",
    )
)


def opened(graph: Graph, chosen: Chosen = lambda node: True) -> Graph:
    """The graph with the definition in place of every ``library_call`` chosen."""
    if not any(node.op is library_call for node in walk_nodes(graph.block)):
        return graph
    return replaced(graph, library_call, "definition", chosen)
