"""The verifier finds each way in which a graph can be malformed."""

import numpy as np
import pytest

from symdiff.errors import InternalError
from symdiff.ir.build import Builder, building
from symdiff.ir.control import LoopView, emit_cond, emit_loop
from symdiff.ir.graph import Block, Graph, Input, Node, Value
from symdiff.ir.structure import Container, Leaf
from symdiff.ir.types import BOOL, FLOAT, INT, ArrayType, Size, TapeType
from symdiff.ir.verify import verify
from symdiff.ops.arithmetic import add, less, where
from symdiff.ops.casts import astype
from symdiff.ops.elementary import cos, log, sin, sqrt
from symdiff.ops.index import index_of
from symdiff.ops.products import matmul
from symdiff.ops.reduce import sum as sum_
from symdiff.ops.shape import reshape, transpose
from symdiff.ops.sizes import size
from tests.ir.random_graphs import random_graph

VECTOR = ArrayType(np.dtype("float64"), (Size("n"),))


class Sample:
    """A graph with a loop that pushes, one that reads, and a branch; its parts by name."""

    def __init__(self) -> None:
        self.x = Value(VECTOR, name="x")
        self.s = Value(FLOAT, name="s")
        self.n = Value(INT, name="n")
        with building(Builder()) as top:
            self.sine = sin(self.x)
            self.first = self.loop([], reverse=False)
            self.second = self.loop(list(self.first.ys), reverse=True)
            self.branch = emit_cond(less(self.s, 0.0), self.arm(cos), self.arm(sin))
        results = (self.second.finals[0], self.branch.result, self.sine)
        parameters = (self.x, self.s, self.n)
        output = Container(tuple, (0, 1), (Leaf(0), Leaf(1)))
        inputs = tuple(Input((value.name,)) for value in parameters)
        self.graph = Graph("f", Block(parameters, top.nodes, results), inputs, output, {0: 2})

    def loop(self, xs, *, reverse):
        index, carry = Value(INT), Value(FLOAT)
        elements = [Value(tape.type.element) for tape in xs]
        with building(Builder()) as body:
            total = add(carry, *elements) if elements else add(carry, self.s)
        block = Block((index, carry, *elements), body.nodes, (total, carry))
        return LoopView(emit_loop(self.n, [self.s], xs, block, reverse=reverse))

    def arm(self, op):
        with building(Builder()) as arm:
            result = op(self.x)
        return Block((), arm.nodes, (result,))

    def node(self, op, *operands):
        """A node that stands nowhere yet."""
        with building(Builder()) as made:
            op(*operands)
        return made.nodes[-1]


def used_before_definition(sample):
    sample.graph.block.nodes.insert(0, sample.node(add, sample.sine, sample.s))


def used_out_of_its_loop(sample):
    inner = sample.first.body.nodes[0].result
    sample.graph.block.results = (inner, *sample.graph.block.results[1:])


def never_defined(sample):
    sample.graph.block.results = (Value(FLOAT), *sample.graph.block.results[1:])


def defined_twice(sample):
    sample.graph.block.nodes.append(sample.sine.node)


def parameter_twice(sample):
    sample.second.body.parameters = sample.first.body.parameters


def wrong_node(sample):
    sample.sine.node = sample.first.node


def node_of_a_parameter(sample):
    sample.first.index.node = sample.sine.node


def wrong_dtype(sample):
    sample.sine.type = ArrayType(np.dtype("float32"), (Size("n"),))


def wrong_kind(sample):
    sample.first.turns.type = ArrayType(np.dtype("int64"), (), "scalar")


def wrong_offset(sample):
    sample.sine.type = ArrayType(np.dtype("float64"), (Size("n", -1),))


def missing_result(sample):
    sample.sine.node.results = ()


def missing_operand(sample):
    sample.sine.node.operands = ()


def carry_of_another_type(sample):
    with building(Builder()) as body:
        changed = index_of(sample.x, slice(1, None))
    first = sample.first
    first.body.nodes.extend(body.nodes)
    first.body.results = (changed, *first.body.results[1:])


def carry_that_shrinks(sample):
    first = sample.first
    index, carry = Value(INT), Value(VECTOR)
    with building(Builder()) as body:
        shorter = index_of(carry, slice(1, None))
    block = Block((index, carry), body.nodes, (shorter,))
    with building(Builder()) as top:
        emit_loop(sample.n, [sample.x], [], block)
    sample.graph.block.nodes.extend(top.nodes)
    assert first


def tape_of_something_else(sample):
    sample.first.ys[0].type = TapeType(INT)


def number_read_as_a_tape(sample):
    node = sample.second.node
    node.operands = (*node.operands[:-1], sample.s)


def loop_without_an_end(sample):
    node = sample.first.node
    node.operands = node.operands[1:]
    node.attributes = {**node.attributes, "bounded": False}


def condition_of_another_carry(sample):
    node = sample.first.node
    parameters = (Value(INT), Value(VECTOR))
    with building(Builder()) as made:
        result = less(parameters[0], 3)
    node.blocks = (*node.blocks, Block(parameters, made.nodes, (result,)))


def too_many_parameters(sample):
    sample.first.body.parameters += (Value(BOOL),)


def arms_that_do_not_join(sample):
    then, _ = sample.branch.blocks
    then.results = (sample.s,)


def arms_of_different_length(sample):
    then, _ = sample.branch.blocks
    then.results = (*then.results, sample.s)


def one_arm(sample):
    sample.branch.blocks = sample.branch.blocks[:1]


def input_without_a_parameter(sample):
    sample.graph.inputs = sample.graph.inputs[1:]


def leaf_without_a_result(sample):
    sample.graph.output = Leaf(7)


def mutated_into_another_type(sample):
    sample.graph.mutated = {0: 0}


CORRUPTIONS = [
    used_before_definition,
    used_out_of_its_loop,
    never_defined,
    defined_twice,
    parameter_twice,
    wrong_node,
    node_of_a_parameter,
    wrong_dtype,
    wrong_kind,
    wrong_offset,
    missing_result,
    missing_operand,
    carry_of_another_type,
    carry_that_shrinks,
    tape_of_something_else,
    number_read_as_a_tape,
    loop_without_an_end,
    condition_of_another_carry,
    too_many_parameters,
    arms_that_do_not_join,
    arms_of_different_length,
    one_arm,
    input_without_a_parameter,
    leaf_without_a_result,
    mutated_into_another_type,
]


def test_a_well_formed_graph_passes():
    verify(Sample().graph)


@pytest.mark.parametrize("corrupt", CORRUPTIONS, ids=lambda function: function.__name__)
def test_a_corrupted_graph_is_refused_and_shown(corrupt):
    sample = Sample()
    corrupt(sample)
    with pytest.raises(InternalError) as caught:
        verify(sample.graph)
    assert caught.value.ir is not None
    assert caught.value.ir.startswith("graph f {")


@pytest.mark.parametrize("seed", range(10))
def test_random_graphs_are_well_formed(seed):
    verify(random_graph(seed)[0])


def test_an_operand_replaced_by_one_of_another_scope_is_found_anywhere():
    for seed in range(20):
        graph, _ = random_graph(seed)
        foreign = Value(FLOAT)
        victims = [node for node in graph.block.nodes if node.operands]
        victim: Node = victims[seed % len(victims)]
        victim.operands = (foreign, *victim.operands[1:])
        with pytest.raises(InternalError, match="used"):
            verify(graph)


# Integers in derivatives

INTEGERS = ArrayType(np.dtype("int16"), (Size("n"),))


def derivative(build):
    """A graph of a float vector and an integer one, whose statements are those of a derivative."""
    x, k = Value(VECTOR, name="x"), Value(INTEGERS, name="k")
    builder = Builder()
    builder.role = "cotangent"
    with building(builder):
        result = build(x, k)
    inputs = tuple(Input((value.name,)) for value in (x, k))
    return Graph("f", Block((x, k), builder.nodes, (result,)), inputs, Leaf(0))


@pytest.mark.parametrize(
    "build",
    [
        lambda x, k: x * (k * k),
        lambda x, k: x * astype(k + 1, dtype=VECTOR.dtype),
        lambda x, k: x * reshape(transpose(-k, axes=(0,)), -1, shape=VECTOR.shape),
        lambda x, k: x * sum_(k, axis=None, keepdims=False),
        lambda x, k: x * matmul(k, k),
        lambda x, k: x * where(less(x, 0.0), k, k * 2),
        lambda x, k: x * (less(x, 0.0) + less(x, 1.0)),
    ],
)
def test_arithmetic_of_integers_enters_no_number_of_a_derivative(build):
    with pytest.raises(InternalError, match="rests on integer arithmetic"):
        verify(derivative(build))


@pytest.mark.parametrize("build", [lambda x, k: x * log(k), lambda x, k: sqrt(k) + x])
def test_functions_of_integers_in_a_derivative_are_of_doubles(build):
    with pytest.raises(InternalError, match="less than doubles"):
        verify(derivative(build))


@pytest.mark.parametrize(
    "build",
    [
        lambda x, k: x * k * k,
        lambda x, k: index_of(x, k + 1),
        lambda x, k: x * (less(x, 0.0) / sum_(less(x, 0.0), axis=None, keepdims=False)),
        lambda x, k: x * (size(k, axis=0) * size(k, axis=0) - 1),
        lambda x, k: log(astype(k, dtype=VECTOR.dtype)) * less(k * k, 5),
    ],
)
def test_places_lengths_and_counts_are_computed_with_integers(build):
    verify(derivative(build))
