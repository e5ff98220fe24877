"""Passes keep what graphs compute: to the bit on the user's statements, closely on derivatives."""

import sys
import time
import types

import numpy as np
import pytest

from symdiff.ir.build import Builder, builder, building
from symdiff.ir.control import call, emit_cond
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Block, Graph, GraphCell, Input, Value, walk_nodes
from symdiff.ir.printer import print_graph
from symdiff.ir.structure import Leaf
from symdiff.ir.types import FLOAT, INT, ArrayType, Size
from symdiff.ir.verify import verify
from symdiff.ops.arithmetic import add, divide, less, multiply
from symdiff.ops.creation import zeros_of
from symdiff.ops.elementary import cos, sin
from symdiff.ops.index import index_add_of
from symdiff.optimise import DEFAULT, PASSES, optimise
from symdiff.optimise.rewriting import Earlier, Table
from tests.ir.random_graphs import random_graph

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
VECTOR = ArrayType(np.dtype("float64"), (Size("n"),))


def assert_same_bits(before, after):
    for a, b in zip(before, after, strict=True):
        assert type(a) is type(b)
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(np.signbit(a), np.signbit(b))


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_keeps_primal_results_to_the_bit(name):
    for seed in range(25):
        graph, arguments = random_graph(seed)
        after = PASSES[name](graph)
        verify(after)
        assert_same_bits(evaluate_graph(graph, arguments), evaluate_graph(after, arguments))


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_keeps_the_values_of_derivatives(name):
    for seed in range(25):
        graph, arguments = random_graph(seed, derived=True)
        after = PASSES[name](graph)
        verify(after)
        pairs = zip(evaluate_graph(graph, arguments), evaluate_graph(after, arguments), strict=True)
        for a, b in pairs:
            assert type(a) is type(b)
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_does_not_change_the_graph_it_is_given(name):
    for seed in range(8):
        graph, _ = random_graph(seed, derived=True)
        before = print_graph(graph)
        PASSES[name](graph)
        assert print_graph(graph) == before


def test_the_fixpoint_is_one():
    for seed in range(20):
        graph, arguments = random_graph(seed)
        after = optimise(graph, check=True)
        assert_same_bits(evaluate_graph(graph, arguments), evaluate_graph(after, arguments))
        assert optimise(after) is after
        assert all(PASSES[name](after) is after for name in DEFAULT)


def test_a_graph_that_nobody_else_has_becomes_the_same():
    for seed in range(40):
        kept, own = (random_graph(seed, derived=True)[0] for _ in range(2))
        made = optimise(own, own=True, check=True)
        assert print_graph(made) == print_graph(optimise(kept))
        assert optimise(made) is made


def test_optimising_does_not_change_the_graph_it_is_given():
    for seed in range(20):
        graph, _ = random_graph(seed, derived=True)
        before = print_graph(graph)
        optimise(graph)
        assert print_graph(graph) == before


def test_later_sweeps_try_few_rules_again(monkeypatch):
    tried = []
    rules_for = Table.rules_for
    monkeypatch.setattr(Table, "rules_for", lambda *of: (tried.append(of), rules_for(*of))[1])
    graph, earlier = random_graph(3, derived=True)[0], Earlier()
    simplify = PASSES["simplify"]
    while (after := simplify(graph, earlier)) is not graph:
        graph = after
    found, _ = len(tried), tried.clear()
    assert simplify(graph, earlier) is graph
    assert len(tried) < found / 4


def test_optimising_is_deterministic():
    texts = {print_graph(optimise(random_graph(11, derived=True)[0])) for _ in range(3)}
    assert len(texts) == 1


def chain(count: int, role: str = "cotangent") -> Graph:
    x, y = Value(FLOAT, name="x"), Value(VECTOR, name="y")
    with building(Builder()) as top:
        builder().role = role
        total, parts, wave = x, zeros_of(y), y
        for k in range(count // 4):
            total = add(multiply(total, 1.0), sin(total)) if k % 2 else add(total, 0.5)
            parts = add(parts, index_add_of(zeros_of(y), total, k % 3))
            wave = multiply(wave, 1.0)
    block = Block((x, y), top.nodes, (total, parts, wave))
    return Graph("f", block, (Input(("x",)), Input(("y",))), Leaf(0))


def test_a_hundred_thousand_nodes_take_seconds():
    graph = chain(50_000)
    count = sum(1 for _ in walk_nodes(graph.block))
    assert count > 90_000
    start = time.process_time()
    after = optimise(graph)
    verify(after)
    print_graph(after)
    assert time.process_time() - start < 60


def test_the_cost_is_linear():
    def calls(count: int) -> int:
        graph, before, made = chain(count), sys.getprofile(), 0

        def counted(frame: types.FrameType, event: str, argument: object) -> None:
            nonlocal made
            made += event == "call"

        sys.setprofile(counted)
        try:
            optimise(graph)
        finally:
            sys.setprofile(before)
        return made

    calls(500)  # what is done once in a process
    assert calls(8_000) < 1.5 * 8 * calls(1_000)


def factorial() -> Graph:
    """``f(x, k) = 1.0 if k < 1 else x / 2.0 * 1.0 * f(x, k - 1)``, with something unread."""
    cell = GraphCell("f")
    x, k = Value(FLOAT, name="x"), Value(INT, name="k")
    with building(Builder()) as top:
        sin(cos(x))
        with building(Builder()) as arm:
            (inner,) = arm.emit(call, (x, k - 1), {"callee": cell, "types": (FLOAT,)}).results
            product = multiply(multiply(divide(x, 2.0), 1.0), inner)
        with building(Builder()) as base:
            one = base.constant(1.0)
        arms = Block((), base.nodes, (one,)), Block((), arm.nodes, (product,))
        (result,) = emit_cond(less(k, 1), *arms).results
    inputs = (Input(("x",)), Input(("k",)))
    cell.graph = Graph("f", Block((x, k), top.nodes, (result,)), inputs, Leaf(0))
    return cell.graph


def test_graphs_that_call_themselves_are_optimised_apart():
    graph = factorial()
    before = print_graph(graph)
    after = optimise(graph, check=True)
    (again,) = (n.attributes["callee"] for n in walk_nodes(after.block) if n.op is call)
    assert again.graph is after
    assert print_graph(graph) == before
    names = [node.op.name for node in walk_nodes(after.block)]
    assert "sin" not in names
    assert names.count("multiply") == 1
    assert evaluate_graph(after, [4.0, 5]) == evaluate_graph(graph, [4.0, 5]) == (32.0,)
