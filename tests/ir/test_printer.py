"""The printed form is deterministic and reads back as the same graph."""

import numpy as np
import pytest

from symdiff.ir.build import Builder, building
from symdiff.ir.control import call
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Block, Graph, GraphCell, Input, Value
from symdiff.ir.printer import print_graph
from symdiff.ir.structure import Container, Either, Leaf, Static
from symdiff.ir.types import FLOAT, ArrayType, Multiple, Size
from symdiff.ir.verify import verify
from symdiff.ops.arithmetic import less
from symdiff.ops.declare import REGISTRY
from symdiff.ops.elementary import sin
from symdiff.ops.keys import Slice, Slot
from tests.ir.random_graphs import random_graph
from tests.ir.reader import read_graph

OBJECTS = {"Slice": Slice, "Slot": Slot}


def one_block(parameters: list[Value], build, **more) -> Graph:
    with building(Builder()) as made:
        results = build(*parameters)
    inputs = tuple(Input((value.name or f"x{k}",)) for k, value in enumerate(parameters))
    more = {"output": Leaf(0), **more}
    return Graph("f", Block(tuple(parameters), made.nodes, tuple(results)), inputs, **more)


def test_a_graph_is_printed_line_by_line():
    x = Value(ArrayType(np.dtype("float32"), (Size("n"), 3)), name="x")
    graph = one_block([x], lambda x: [sin(x) * 2.0])
    assert print_graph(graph) == (
        "graph f {\n"
        "  input %0:x : float32[n,3] = argument('x',)\n"
        "  output Leaf(0)\n"
        "  %1 = sin(%0) : float32[n,3]\n"
        "  %2 = constant(; value=2.0) : float\n"
        "  %3 = multiply(%1, %2) : float32[n,3]\n"
        "  return %3\n"
        "}\n"
    )


def test_multiples_of_a_length_read_back_as_such():
    for symbol, shown in (("n", "n"), ("x.0", "s0")):
        length = Multiple(4, symbol, -1)
        one, whole = (Size(symbol),), (length.size,)
        x, y = (Value(ArrayType(np.dtype("float64"), shape)) for shape in (one, whole))
        text = print_graph(one_block([x, y], lambda x, y: [sin(x)]))
        assert f"float64[{shown}]" in text
        assert f"float64[(4*{shown})-1]" in text
        again = read_graph(text, REGISTRY)
        assert print_graph(again) == text
        ((n,), (m,)) = (value.type.shape for value in again.block.parameters)
        assert Multiple.of(m) == Multiple(4, n.symbol, -1)


@pytest.mark.parametrize("seed", range(15))
def test_random_graphs_read_back_and_mean_the_same(seed):
    graph, arguments = random_graph(seed)
    text = print_graph(graph)
    again = read_graph(text, REGISTRY, OBJECTS)
    verify(again)
    assert print_graph(again) == text
    for a, b in zip(
        evaluate_graph(graph, arguments), evaluate_graph(again, arguments), strict=True
    ):
        np.testing.assert_array_equal(a, b)


def test_the_text_does_not_depend_on_what_was_built_before():
    first = print_graph(random_graph(3)[0])
    random_graph(4)
    assert print_graph(random_graph(3)[0]) == first


@pytest.mark.parametrize(
    "value",
    [
        True,
        -3,
        1e-300,
        float("inf"),
        float("-inf"),
        -0.0,
        complex(-0.0, 2.0),
        np.float32(0.1),
        np.int8(-4),
        np.array([[1.5, float("inf")], [-0.0, 2.0]]),
        np.zeros((0, 3), np.float32),
        np.array(True),
    ],
    ids=repr,
)
def test_constants_read_back_to_the_bit(value):
    graph = one_block([], lambda: [building_constant(value)])
    again = read_graph(print_graph(graph), REGISTRY)
    read = again.block.nodes[0].attributes["value"]
    assert type(read) is type(value)
    assert np.asarray(read).dtype == np.asarray(value).dtype
    assert np.asarray(read).shape == np.asarray(value).shape
    assert np.asarray(read).tobytes() == np.asarray(value).tobytes()


def building_constant(value):
    from symdiff.ir.build import builder

    return builder().constant(value)


def test_structures_docstrings_and_mutated_arguments_read_back():
    inner = Container(dict, ("a", 2), (Leaf(0), Static("relu")))
    output = Container(tuple, (0, 1), (inner, Container(list, (0,), (Leaf(1),))))
    x = Value(FLOAT, name="x")
    more = {"output": output, "docstring": 'A "quoted"\ndocstring.', "mutated": {0: 1}}
    graph = one_block([x], lambda x: [sin(x), x], **more)
    again = read_graph(print_graph(graph), REGISTRY)
    assert again.output == output
    assert again.docstring == graph.docstring
    assert again.mutated == {0: 1}
    assert again.inputs == graph.inputs


def test_a_structure_that_is_one_of_two_reads_back():
    x = Value(FLOAT, name="x")
    output = Either(0, Container(dict, ("a",), (Leaf(1),)), Static(None))
    graph = one_block([x], lambda x: [less(x, 2.0), x], output=output)
    assert read_graph(print_graph(graph), REGISTRY).output == output


def test_graphs_that_call_each_other_are_printed_once_each():
    cell = GraphCell("f")
    x = Value(FLOAT, name="x")

    def build(x):
        from symdiff.ir.build import builder

        return builder().emit(call, (x,), {"callee": cell, "types": (FLOAT,)}).results

    cell.graph = one_block([x], build)
    text = print_graph(cell.graph)
    again = read_graph(text, REGISTRY)
    assert text.count("graph f {") == 1
    assert again.block.nodes[0].attributes["callee"].graph is again


def test_text_that_is_no_graph_is_refused_with_its_line():
    with pytest.raises(ValueError, match="line 2 of the IR cannot be read"):
        read_graph("graph f {\n  %1 = sin(%0) : float\n}\n", REGISTRY)
