"""``library_call``: a call of a library function that is defined by other functions.

It keeps its name in what is emitted, and holds the graph that defines it: what is differentiated,
or said in another library's words, is that graph in its place (``opened``).

A definition may agree with its function to rounding only (``rounded``). The call then stays where
it is differentiated, and gives the value; the definition stands beside it (``beside``) and gives
the derivative.
"""

from __future__ import annotations

from symdiff.ir.build import Builder, building, copy_block, copy_into, substitute, with_block
from symdiff.ir.graph import Block, Graph, Node, Value, walk_nodes
from symdiff.ops.declare import EVALUATED, Operation, SeveralResults
from symdiff.ops.effects import called, spell_the_call
from symdiff.ops.facts import may_raise
from symdiff.ops.rules import NodeTest, inlined, replaced


def _is_harmless(node: Node) -> bool:
    """A call raises where what defines it does, and where it checks what it is given."""
    nodes = walk_nodes(node.attributes["definition"].block)
    return not node.attributes["checks"] and not any(may_raise(inner) for inner in nodes)


library_call = SeveralResults(  # no rules: what is differentiated is the definition
    "library_call",
    lambda *operands, definition, **others: tuple(v.type for v in definition.block.results),
    lambda *operands, function, **attributes: called(function, operands, **attributes),
    raises=True,
    cost="heavy",
    harmless=_is_harmless,
    spelling=spell_the_call,
    documentation="A library function by its name; its derivatives are those of the"
    " functions that define it.",
)


def opened(graph: Graph, chosen: NodeTest = lambda node: True) -> Graph:
    """The graph with the definition in place of every ``library_call`` chosen."""
    if not any(node.op is library_call for node in walk_nodes(graph.block)):
        return graph

    def definition(node: Node) -> Graph | None:
        return node.attributes["definition"] if node.op is library_call and chosen(node) else None

    return replaced(graph, definition)


# Beside the call ----------------------------------------------------------------------------------

valued = Operation(
    "valued",
    lambda x, value: (value,),
    lambda x, value: value,
    cost="free",
    view=1,
    nondifferentiable=frozenset({1}),
    vjp={0: lambda g, y, x, value: g},
    jvp={0: lambda t, y, x, value: t},
    spelling=lambda node, operands: operands[1],
    sympy=EVALUATED,
    documentation="The second operand; its derivative is that of the first, which agrees with"
    " it to rounding.",
)


def beside(call: Node) -> Graph:
    """A ``library_call``, and behind it what defines it, of which only derivatives are wanted."""
    definition: Graph = call.attributes["definition"]
    parameters = tuple(Value(v.type, None, v.name) for v in definition.block.parameters)
    with building(Builder([], call.span)) as made:
        new = dict(zip(call.operands, parameters, strict=True))
        called = copy_into(call, new)
        defined = inlined(definition, parameters)
        for node in made.nodes[1:]:
            _mark(node)
        results = [valued(x, y) for x, y in zip(defined, called.results, strict=True)]
    block = Block(parameters, made.nodes, tuple(results))
    return Graph(definition.name, block, definition.inputs, definition.output)


def _mark(node: Node) -> None:
    for inner in (node, *(n for block in node.blocks for n in walk_nodes(block))):
        for value in inner.results:
            value.role = "definition"


def _is_call(value: Value) -> bool:
    """Return whether a value can be differentiated again, for it is what a call gives."""
    return value.node is not None and value.node.op is library_call


def values_of_calls(block: Block) -> dict[Value, Value]:
    """For what stands beside calls the values of these: with them in its place, values have the
    bits of the library, and what derivatives need of them is computed once.
    """
    found: dict[Value, Value] = {}
    for node in walk_nodes(block):
        if node.op is valued and _is_call(node.operands[1]):
            x, value = node.operands
            found |= {node.result: value, x: value}
    return found


def of_values_alone(graph: Graph) -> Graph:
    """The graph, which is not differentiated again, without what stands beside values."""
    nodes = list(walk_nodes(graph.block))
    places = {value: k for k, node in enumerate(nodes) for value in node.results}
    found: dict[Value, Value] = {}
    for node in nodes:
        if node.op is valued:
            x, value = node.operands
            found[node.result] = value
            if places.get(value, -1) < places.get(x, -1):  # else it may be made of that
                found[x] = value
    if not found:
        return graph
    new: dict[Value, Value] = {}
    block = copy_block(graph.block, new)
    others = {new.get(old, old): new.get(value, value) for old, value in found.items()}
    substitute(block, others)
    return with_block(graph, block)
