"""Arrays of derivatives have the dtypes that they are typed as, whatever numbers they are made of.

``v = 2 if c > 0.5 else c`` is typed as a float, and is an integer on a path (``hidden_integers``).
The derivative of ``np.sum(v * x) + x[0]`` by ``x`` begins as ``np.full(n, v)``, an array of
integers there, which would cut what is added to it. So such numbers, and arrays of the user's that
hold them, are cast where a derivative makes an array of them alone, or writes into it. The user's
own statements stay as they are.
"""

from __future__ import annotations

from collections.abc import Set
from functools import partial

from symdiff.ir.build import copy_block, with_block
from symdiff.ir.called import called_by, with_called
from symdiff.ir.control import CALLS, cond, in_arms, undefined
from symdiff.ir.graph import Block, Graph, Node, Value, walk_blocks, walk_nodes
from symdiff.ir.types import ArrayType
from symdiff.ops.casts import python_complex, python_float
from symdiff.ops.declare import array_type
from symdiff.ops.facts import is_derived
from symdiff.ops.index import index_add, index_set
from symdiff.ops.residuals import zeros_if_defined
from symdiff.ops.retype import as_typed
from symdiff.parse.dtype_answers import FLOATS_IN_OTHERS, INTEGERS_IN_FLOATS, Hiding
from symdiff.parse.hidden_flow import Flow
from symdiff.parse.hidden_integers import hides


def with_typed_arrays(graph: Graph) -> Graph:
    """The graph, and those that it calls, with casts where arrays of derivatives are made."""
    if not any(any(map(_takes, walk_nodes(one.block))) for one in (graph, *called_by(graph))):
        return graph
    for hiding in (INTEGERS_IN_FLOATS, *FLOATS_IN_OTHERS):
        graphs = [graph, *called_by(graph)]
        if any(_hides(node, hiding) for one in graphs for node in walk_nodes(one.block)):
            graph = with_called(graph, partial(_typed, hiding, graph))
    return graph


def _takes(node: Node) -> bool:
    """Return whether a node of a derivative makes an array, writes into one or hands it on."""
    if not is_derived(node) or node.blocks:
        return False
    return node.op in _TAKING or any(map(_is_array, node.results))


_TAKING = (zeros_if_defined, index_set, index_add, *CALLS)


def _typed(hiding: Hiding, outermost: Graph, graph: Graph) -> Graph:
    """A graph in which what derivatives make arrays of is cast."""
    if not any(map(_takes, walk_nodes(graph.block))):
        return graph
    copied = with_block(graph, copy_block(graph.block, {}))
    found = _hidden(copied.block, hiding, is_called=graph is not outermost)
    for inner in walk_blocks(copied.block):
        nodes: list[Node] = []
        for node in inner.nodes:
            nodes += _casts(node, found, hiding)
            nodes.append(node)
        inner.nodes[:] = nodes
    return copied


def _hidden(block: Block, hiding: Hiding, *, is_called: bool) -> Set[Value]:
    """The numbers, and the arrays of such, that may be of other types at run time.

    A number that is handed to a graph that is called, or that one gives, may hide.
    """
    nodes = list(walk_nodes(block))
    given = list(block.parameters) if is_called else []
    given += [value for node in nodes if node.op in CALLS for value in node.results]
    start = [value for value in given if hiding.is_typed(value.type) and not _is_array(value)]
    start += [node.result for node in nodes if _hides(node, hiding)]
    return Flow(hiding, block, (), has_turns=False).of(start)


def _hides(node: Node, hiding: Hiding) -> bool:
    """Return whether a number may be of another type, or an integer: division makes one of it."""
    hidden = hides(node, hiding) or hides(node, INTEGERS_IN_FLOATS)
    return hidden and any(hiding.is_typed(value.type) for value in node.results)


def _casts(node: Node, found: Set[Value], hiding: Hiding) -> list[Node]:
    """The casts of the operands of a node of a derivative that makes an array of what hides, writes
    into one or hands it on.

    A tangent has the precision that its value has at run time.
    """
    if not _takes(node) or found.isdisjoint(node.operands):
        return []
    if hiding is not INTEGERS_IN_FLOATS and node.results[0].role == "tangent":
        return []
    if node.op is zeros_if_defined:  # of what may be None
        if _is_array(node.result):
            node.attributes = {"dtype": array_type(node.result).dtype}
        return []
    if node.op in (index_set, index_add):
        places = [0]
    elif node.op in CALLS or any(_is_array(value) and value in found for value in node.results):
        places = list(range(len(node.operands)))
    else:
        return []
    places = [k for k in places if _may_hide(node.operands[k], found)]
    if node.op in CALLS:
        places = [k for k in places if not _may_be_none(node.operands[k])]
    casts = {k: _cast(node.operands[k], node) for k in places}
    node.operands = tuple(
        casts[k].result if k in casts else value for k, value in enumerate(node.operands)
    )
    return list(casts.values())


def _may_hide(value: Value, found: Set[Value]) -> bool:
    """Return whether a value may be of another type: what a derivative made an array of is cast."""
    is_cast = _is_array(value) and value.node is not None and is_derived(value.node)
    opens = value.node is not None and (value.node.blocks or value.node.op in CALLS)
    return value in found and isinstance(value.type, ArrayType) and (not is_cast or bool(opens))


def _may_be_none(value: Value) -> bool:
    """Return whether only one arm of a branch defines a value."""
    node = value.node
    if node is None or node.op is not cond:
        return False
    return any(
        v.node is not None and (v.node.op is undefined or _may_be_none(v)) for v in in_arms(value)
    )


def _cast(value: Value, reader: Node) -> Node:
    """A node that makes a number or an array what it is typed as."""
    type_ = array_type(value)
    if type_.weak:
        node = Node(python_complex if type_.dtype.kind == "c" else python_float, (value,))
    else:
        node = Node(as_typed, (value,), {"dtype": type_.dtype})
    node.span, node.results = reader.span, (Value(type_, node, None, reader.results[0].role),)
    return node


def _is_array(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.kind == "array"
