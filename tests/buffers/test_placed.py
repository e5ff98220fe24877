"""Placed graphs: what their text tells, and that the verifier finds a copy that is missing."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from symdiff.buffers.placed import Placed, place_buffers
from symdiff.buffers.show import print_placed
from symdiff.buffers.verify import verify_placed
from symdiff.errors import InternalError
from symdiff.ir.build import builder, substitute
from symdiff.ir.graph import Graph, Node, Value, walk_blocks, walk_nodes
from symdiff.ops.arithmetic import add, less, multiply
from symdiff.ops.elementary import sin
from symdiff.ops.index import index_add_of, index_of, index_set_of
from symdiff.ops.reduce import sum
from symdiff.ops.shape import broadcast_to
from symdiff.ops.sizes import sizes_of
from tests.emit.graphs import VECTOR, branched, looped, make_graph, named

INNER = slice(1, -1)


def placed(graph: Graph, **choices: bool) -> Placed:
    return place_buffers(graph, **({"in_place": False, "fresh": True} | choices))


def literal(value: int) -> Value:
    return builder().constant(value)


# Programs in which one copy is needed -------------------------------------------------------------


def argument(x: Value) -> Value:
    return index_set_of(x, 1.0, 0)


def old_version(x: Value) -> Any:
    u = sin(x)
    return index_set_of(u, 1.0, 0), u


def live_view(x: Value) -> Any:
    u = sin(x)
    part = index_of(u, INNER)
    v = index_set_of(u, 1.0, 1)
    return add(sum(multiply(v, v)), part)


def one_arm(x: Value) -> Any:
    u = sin(x)
    (v,) = branched(less(sum(u), 0.0), lambda: (index_set_of(u, 1.0, 0),), lambda: (u,))
    return add(v, u)


def carry(x: Value) -> Any:
    def turn(k: Value, u: Value) -> tuple[Value]:
        return (index_add_of(u, 1.0, 0),)

    return looped(literal(3), {"u": x}, turn).finals[0]


def pushed(x: Value) -> Any:
    def turn(k: Value, u: Value) -> tuple[Value, Value]:
        return index_add_of(u, 1.0, 0), u

    view = looped(literal(3), {"u": sin(x)}, turn)

    def back(k: Value, g: Value, u: Value) -> tuple[Value]:
        return (multiply(g, u),)

    return looped(literal(3), {"g": view.finals[0]}, back, xs=view.ys, reverse=True).finals[0]


def part_of_result(x: Value) -> Any:
    return index_of(sin(x), INNER)


def argument_returned(x: Value) -> Any:
    return x


def twice(x: Value) -> Any:
    u = sin(x)
    return u, u


PROGRAMS = [
    argument,
    old_version,
    live_view,
    one_arm,
    carry,
    pushed,
    part_of_result,
    argument_returned,
]


def without(graph: Placed, copied: Node) -> None:
    """Let all readers of a copy read what it copies."""
    new = {copied.result: copied.operands[0]}
    substitute(graph.graph.block, new)
    for block in walk_blocks(graph.graph.block):
        block.nodes[:] = [node for node in block.nodes if node is not copied]


def copies(graph: Placed) -> list[Node]:
    return [node for node in walk_nodes(graph.graph.block) if "copy" in node.op.name]


def rows(graph: Placed) -> list[Node]:
    return [node for node in walk_nodes(graph.graph.block) if "like" in node.attributes]


@pytest.mark.parametrize("body", PROGRAMS)
def test_a_copy_that_is_missing_is_found(body: Callable[..., Any]) -> None:
    graph = placed(make_graph({"x": VECTOR}, body))
    verify_placed(graph)
    made = copies(graph)
    assert len(made) + len(rows(graph)) == 1
    for node in made:
        without(graph, node)
    for node in rows(graph):
        node.attributes = {k: v for k, v in node.attributes.items() if k != "like"}
    with pytest.raises(InternalError, match="placed graph"):
        verify_placed(graph)


def test_all_copies_are_needed_where_a_value_is_returned_twice() -> None:
    graph = placed(make_graph({"x": VECTOR}, twice))
    (made,) = copies(graph)
    verify_placed(graph)
    without(graph, made)
    verify_placed(graph)  # one array at two places of the result is what the function returned


def test_the_text_tells_what_happens_to_memory() -> None:
    def body(x: Value) -> Value:
        u = named(index_set_of(x, 1.0, 0), "u")
        part = index_of(u, INNER)
        return add(sum(part), index_of(u, 0))

    shown = print_placed(placed(make_graph({"x": VECTOR}, body)))
    lines = [line.strip() for line in shown.splitlines()]
    assert [line.split("  # ")[1] for line in lines if "  # " in line] == [
        "a copy",
        "writes to %2",
        "a view of %3",
    ]


def test_a_read_only_view_is_not_written_to() -> None:
    def body(x: Value) -> Value:
        (n,) = sizes_of(x)
        return index_set_of(broadcast_to(sum(x), n, shape=VECTOR.shape), 1.0, 0)

    graph = placed(make_graph({"x": VECTOR}, body))
    verify_placed(graph)
    (made,) = copies(graph)
    without(graph, made)
    with pytest.raises(InternalError, match="placed graph"):
        verify_placed(graph)


def test_results_stored_into_arguments_do_not_change_each_other() -> None:
    """``x[...], y[...] = y, x`` at the end: one of them is stored from a copy."""
    types = {"x": VECTOR, "y": VECTOR}
    graph = make_graph(types, lambda x, y: (sum(x), y, x), mutated={0: 1, 1: 2})
    found = placed(graph, in_place=True, fresh=False)
    assert len(found.stores) == 2
    verify_placed(found)
    for node in copies(found):
        without(found, node)
    x, y = found.finals
    with pytest.raises(InternalError, match="a store changes what is stored next"):
        verify_placed(dataclasses.replace(found, stores={x: y, y: x}))


def test_a_value_folded_behind_a_write_is_found() -> None:
    """What reads ``u[0]`` when it is too late is found where folding is told of, and not before."""

    def body(x: Value) -> Value:
        u = sin(x)
        first = index_of(u, 0)
        return add(index_set_of(u, 1.0, 0), first)

    graph = placed(make_graph({"x": VECTOR}, body))
    (read,) = (n.result for n in walk_nodes(graph.graph.block) if n.op.name == "index")
    verify_placed(graph)
    with pytest.raises(InternalError, match="overwritten by index_set"):
        verify_placed(graph, frozenset({read}))


def test_a_variable_that_holds_another_value_is_found() -> None:
    def body(x: Value) -> Value:
        return multiply(sin(x), add(x, 1.0))

    graph = placed(make_graph({"x": VECTOR}, body))
    one, other = (n.result for n in walk_nodes(graph.graph.block) if n.op.name in ("sin", "add"))
    verify_placed(graph, names={one: "t", other: "u"})
    with pytest.raises(InternalError, match="t holds another value"):
        verify_placed(graph, names={one: "t", other: "t"})
