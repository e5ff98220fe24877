"""``custom_call``: a call of a function whose derivatives the user gives.

It holds three graphs over the same inputs: ``primal`` (what it computes), ``reverse`` (with a
cotangent for each result after them → a cotangent for each input; where it ``reads_results``, these
stand between) and ``forward`` (with a tangent for each input after them → a tangent for each
result); one of the last two may be missing. Rules inline them, so that derivatives of any order
come out of the same ops. ``expanded`` replaces the calls by what they compute, for emission.

``own``: the rules are derivatives of the function itself, which only save less.

The first ``arguments`` operands belong to the function's arguments, the others are what its graphs
captured: no derivative is known by those.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symdiff.errors import UnsupportedCallError
from symdiff.ir.build import Builder, building, copy_into, with_block
from symdiff.ir.graph import Block, Graph, Node, Value, free_values, walk_nodes
from symdiff.ir.types import ArrayType, Type, carries_derivative
from symdiff.ops import support
from symdiff.ops.creation import zeros_of
from symdiff.ops.declare import (
    EVALUATED,
    Operation,
    SeveralResults,
    array_type,
    literal,
    supporting,
)
from symdiff.ops.flops import nothing
from symdiff.ops.sizes import sizes_of, spell_shape


def inlined(graph: Graph, arguments: Sequence[Value]) -> list[Value]:
    """The results of a graph that is copied to the current builder."""
    new = dict(zip(graph.block.parameters, arguments, strict=True))
    for node in graph.block.nodes:
        copy_into(node, new)
    return [new.get(value, value) for value in graph.block.results]


def _infer(*operands: Type, primal: Graph, **others: Any) -> tuple[Type, ...]:
    return tuple(value.type for value in primal.block.results)


def _evaluate(*operands: Any, primal: Graph, **others: Any) -> Any:
    from symdiff.ir.evaluate import evaluate_graph

    results = evaluate_graph(primal, operands)
    return results[0] if len(results) == 1 else results


def _pullback(
    g: Any,
    y: Any,
    wanted: Sequence[int],
    *operands: Value,
    name: str,
    reverse: Graph | None,
    forward: Graph | None,
    arguments: int,
    reads_results: bool = False,
    **_: Any,
) -> Mapping[int, Value]:
    _refuse_in_own_rule(reverse, forward, name)
    if reverse is None:
        raise UnsupportedCallError(f"{name} has no reverse rule", hint=f"give one: {name}.defvjp")
    for position in wanted:
        _refuse_captured(position, arguments, name)
    bars, results = (tuple(v) if isinstance(v, tuple) else (v,) for v in (g, y))
    pairs = zip(bars, results, strict=True)
    seeds = [
        zeros_of(result) if bar is None else bar
        for bar, result in pairs
        if carries_derivative(result.type)
    ]
    found = inlined(reverse, [*operands, *(results if reads_results else ()), *seeds])
    return {position: found[position] for position in wanted}


def _tangent(
    given: Sequence[Value | None],
    y: Any,
    *operands: Value,
    name: str,
    reverse: Graph | None,
    forward: Graph | None,
    arguments: int,
    **_: Any,
) -> Any:
    _refuse_in_own_rule(reverse, forward, name)
    if forward is None:
        raise UnsupportedCallError(
            f"{name} has no forward rule",
            hint="declare it with symdiff.custom_jvp, or ask for reverse mode only",
        )
    for position, tangent in enumerate(given):
        if tangent is not None:
            _refuse_captured(position, arguments, name)
    pairs = zip(operands[:arguments], given, strict=False)
    tangents = [
        zeros_of(operand) if tangent is None else tangent
        for operand, tangent in pairs
        if carries_derivative(operand.type)
    ]
    pushed = iter(inlined(forward, [*operands, *tangents]))
    results = y if isinstance(y, tuple) else (y,)
    found = [next(pushed) if carries_derivative(result.type) else None for result in results]
    return found[0] if len(found) == 1 else tuple(found)


def _refuse_in_own_rule(reverse: Graph | None, forward: Graph | None, name: str) -> None:
    if reverse is None and forward is None:
        raise UnsupportedCallError(
            f"the rule of {name} calls {name} itself, and a derivative of that is needed",
            hint="compute in the rule, by other functions, what depends on the arguments",
        )


def _refuse_captured(position: int, arguments: int, name: str) -> None:
    if position >= arguments:
        raise UnsupportedCallError(
            f"{name} uses a variable from outside, by which its rule gives no derivative",
            hint="pass the variable as an argument, or wrap it in symdiff.stop_gradient(...)",
        )


custom_call = SeveralResults(
    "custom_call",
    _infer,
    _evaluate,
    raises=True,
    cost="heavy",
    pullback=_pullback,
    tangent=_tangent,
    as_given=True,
    flops=nothing,
    documentation="A call of a function with derivative rules of the user's.",
)


def _spell_of_shape(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    rule = literal(node.attributes["rule"])
    return ast.Call(
        supporting(support.of_shape), [operands[0], spell_shape(node, operands, 1), rule], []
    )


of_shape: Operation = Operation.of_arrays(
    "of_shape",
    lambda x, *sizes, shape, rule: ArrayType(x.dtype, shape),
    lambda x, *sizes, shape, rule: support.of_shape(x, sizes, rule),
    raises=True,
    cost="free",
    view=0,
    linear=frozenset({0}),
    vjp={
        0: lambda g, y, x, *sizes, shape, rule: of_shape(
            g, *sizes_of(x), shape=array_type(x).shape, rule=rule
        )
    },
    spelling=_spell_of_shape,
    sympy=EVALUATED,
    documentation="The derivative that a rule of the user's gives, whose sizes are checked.",
)


NodeTest = Callable[[Node], bool]


def expanded(graph: Graph, chosen: NodeTest = lambda node: True) -> Graph:
    """The graph with the function's own computation in place of every ``custom_call`` chosen."""

    def primal(node: Node) -> Graph | None:
        return node.attributes["primal"] if node.op is custom_call and chosen(node) else None

    return replaced(graph, primal)


Inner = Callable[[Node], Graph | None]


def replaced(graph: Graph, inner: Inner) -> Graph:
    """The graph with graphs in place of those nodes that have one, which may read what these do."""
    if all(inner(node) is None for node in walk_nodes(graph.block)):
        return graph
    block = _expanded(graph.block, {}, inner)
    made = Graph(
        graph.name, block, graph.inputs, graph.output, graph.mutated, graph.docstring, graph.span
    )
    return replaced(made, inner)  # calls within calls


def _expanded(block: Block, new: dict[Value, Value], inner: Inner) -> Block:
    parameters = tuple(Value(v.type, None, v.name, v.role) for v in block.parameters)
    new |= zip(block.parameters, parameters, strict=True)
    with building(Builder()) as made:
        for node in block.nodes:
            graph = inner(node)
            if graph is not None:
                around = free_values(graph.block)
                given = [new.get(value, value) for value in (*node.operands, *around)]
                results = inlined(_closed(graph, around), given)
                new |= zip(node.results, results, strict=True)
            else:
                _copied(node, new, inner)
    return Block(parameters, made.nodes, tuple(new.get(v, v) for v in block.results))


def _closed(graph: Graph, around: Sequence[Value]) -> Graph:
    """The graph with what it reads from around it as parameters behind its own."""
    if not around:
        return graph
    block = graph.block
    parameters = (*block.parameters, *around)
    return with_block(graph, Block(parameters, block.nodes, block.results))


def _copied(node: Node, new: dict[Value, Value], inner: Inner) -> None:
    if not node.blocks:
        copy_into(node, new)
        return
    blocks = tuple(_expanded(block, new, inner) for block in node.blocks)
    plain = Node(node.op, node.operands, node.attributes, (), node.results, node.span)
    copied = copy_into(plain, new)
    copied.blocks = blocks
