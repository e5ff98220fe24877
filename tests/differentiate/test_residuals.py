"""What derivatives save: only what the adjoint reads, elements rather than arrays, each once."""

from __future__ import annotations

import numpy as np

import symdiff as sd
from symdiff.differentiate import gradient, split
from symdiff.ir.graph import Graph, walk_nodes
from symdiff.ir.types import TapeType
from symdiff.ops.arithmetic import greater
from symdiff.ops.elementary import sin, square
from symdiff.ops.index import index_of, index_set_of
from symdiff.ops.shape import copy
from symdiff.ops.sizes import size
from tests.differentiate import programs
from tests.differentiate.building import (
    SCALAR,
    VECTOR,
    branch,
    count_of,
    counted,
    graph_of,
    loops,
    scalar,
    slope,
    total,
    value_of,
)


def tapes(graph: Graph) -> list[str]:
    """The types of all that loops push."""
    return [str(tape.type.element) for loop in loops(graph) for tape in loop.ys]


def check(graph: Graph) -> Graph:
    """The gradient's graph, compared with differences at a point."""
    x = np.array([0.9, 1.3, 0.4, -0.6, 0.8])
    made = gradient(graph, [0])
    expected = slope(lambda x: value_of(graph, x), x)
    np.testing.assert_allclose(value_of(made, x), expected, rtol=1e-9, atol=1e-9)
    return made


def test_linear_loop_saves_nothing():
    def program(x):
        def body(i, u):
            inside = index_of(u, slice(1, -1))
            around = index_of(u, slice(2, None)) + index_of(u, slice(None, -2))
            return [index_set_of(u, inside * 0.5 + around * 0.25, slice(1, -1))]

        return total(square(counted(7, [copy(x)], body).finals[0]))

    assert tapes(check(graph_of(program, VECTOR))) == []


def test_loop_over_products_of_elements_costs_the_same_each_turn():
    made = check(graph_of(programs.products_of_neighbours, VECTOR))
    assert tapes(made) == []
    forward, backward = loops(made)
    inside = [node.op.name for node in walk_nodes(backward.body)]
    assert inside.count("index_add") == 2
    assert not {"zeros", "index_set", "copy", "broadcast_to"} & set(inside)
    arrays = [v for node in walk_nodes(forward.body) for v in node.results if v.type.rank]
    assert arrays == []


def test_nonlinear_stencil_saves_the_array_once():
    made = check(graph_of(programs.stencil, VECTOR))
    assert tapes(made) == ["float64[n]"]


def test_element_loop_saves_elements():
    def program(x):
        def body(i, y):
            before = index_of(y, i)
            return [index_set_of(y, before * index_of(y, i - 1), i)]

        return total(counted(size(x, axis=0), [copy(x)], body).finals[0])

    assert tapes(check(graph_of(program, VECTOR))) == ["float64", "float64"]


def test_branch_in_a_loop_saves_the_element_it_read():
    def program(x):
        def body(i, y):
            (value,) = branch(
                greater(index_of(x, i), 0.5),
                lambda: sin(index_of(y, i)) * 0.5,
                lambda: scalar(0.3),
            )
            return [index_set_of(y, value, i)]

        return total(counted(size(x, axis=0), [copy(x)], body).finals[0])

    assert set(tapes(check(graph_of(program, VECTOR)))) <= {"float64", "bool"}


def test_value_that_nobody_uses_is_not_saved():
    def program(x):
        def body(i, s, t):
            return [s + index_of(x, i), t * sin(s)]

        return counted(size(x, axis=0), [scalar(0.0), scalar(1.0)], body).finals[0]

    assert tapes(check(graph_of(program, VECTOR))) == []


def test_value_pushed_already_is_used_again():
    def program(x):
        made = counted(
            size(x, axis=0),
            [scalar(1.0)],
            lambda i, s: [s * index_of(x, i), s],
        )
        again = counted(made.turns, [scalar(0.0)], lambda i, t, e: [t + e], [made.ys[0]])
        return again.finals[0]

    made = check(graph_of(program, VECTOR))
    assert len(tapes(made)) == 2  # the value, and its cotangents


def test_reading_what_does_not_change_is_free():
    """Products of constants of the loop, and of its index, are computed again."""

    def program(x):
        weight = index_of(x, 0) * 2.0

        def body(i, s):
            factor = index_of(x, i) * weight + i
            return [s + factor * factor * index_of(x, i)]

        return counted(size(x, axis=0), [scalar(0.0)], body).finals[0]

    assert tapes(check(graph_of(program, VECTOR))) == []


def test_second_order_of_products_saves_nothing():
    made = gradient(graph_of(programs.products_of_neighbours, VECTOR), [0])

    def program(x):
        from symdiff.ir.build import copy_into

        new = {made.block.parameters[0]: x}
        for node in made.block.nodes:
            copy_into(node, new)
        return total(sin(new[made.block.results[0]]))

    assert tapes(check(graph_of(program, VECTOR))) == []


def test_split_saves_what_is_read_once():
    def program(x, s):
        return total(sin(x * s) * index_of(x, 0))

    parts = split(graph_of(program, VECTOR, SCALAR), [0, 1])
    types = {str(v.type) for v in parts.forward.block.results[1:]}
    assert types <= {"float64[n]", "float64", "int"}
    assert parts.saved <= 5


def test_an_arm_leaves_what_the_other_one_saves_undefined_at_once():
    """However many values the arm that is taken saves, the other one has a node for each type."""

    def program(x):
        def long():
            y = x
            for _ in range(8):
                y = sin(y * y)
            return y

        (made,) = branch(greater(x, 0.5), long, lambda: x)
        return made

    graph = graph_of(program, SCALAR)
    made = split(graph, [0])
    (node,) = [node for node in walk_nodes(made.forward.block) if node.blocks]
    saved = [value for value in node.blocks[1].results if value.node is not None]
    assert len(saved) == 7  # the first product is computed again of x, which is there
    assert len({value.node for value in saved}) == 1
    check(graph_of(lambda x: total(square(x)) * program(index_of(x, 1)), VECTOR))


def test_no_tape_holds_a_tape_of_a_linear_loop():
    def program(x):
        def inner(j, s):
            return [s + index_of(x, j)]

        def outer(i, s):
            return [counted(size(x, axis=0), [s], inner).finals[0] * 0.5]

        return counted(3, [scalar(0.0)], outer).finals[0]

    made = check(graph_of(program, VECTOR))
    assert not any(isinstance(t.type.element, TapeType) for lp in loops(made) for t in lp.ys)
    assert count_of(made, "loop") == 4


def halves(x):
    middle = len(x) // 2
    end = 2 * len(x) - 3
    return np.sum(np.sin(x[: end - len(x)])) + np.sum(x[:end] ** 3) + 0.0 * middle


def test_numbers_made_of_lengths_are_made_again():
    x = np.linspace(0.1, 0.9, 7)
    f = sd.differentiable(halves)
    y, saved = f.forward(x)
    assert "2 * x.shape[0]" in str(f.source(x)).partition("def halves_backward")[2]
    assert y == halves(x)
    expected = 3 * x**2 + np.cos(x) * (np.arange(7) < 4)
    np.testing.assert_allclose(f.backward(saved)[0], expected, rtol=1e-12)


def unread_division(x):
    len(x) // 2
    len(x) % 3
    return np.sum(x)


def test_divisions_of_integers_that_never_raise_leave_nothing():
    text = str(sd.grad(unread_division).source(np.ones(4)))
    assert "//" not in text
    assert "%" not in text


def growing(x, rate, limit):
    while x < limit:
        if x < 10.0:
            growth = rate * x
            x = x + growth * x
        else:
            x = x * (1.0 + rate) + np.sin(x)
    return x


def test_what_a_branch_computes_of_what_its_sweep_reads_anyway_is_not_saved():
    source = str(sd.grad(growing, (0, 1)).source(1.5, 0.3, 50.0))
    first = source.split("def ", 2)[1]
    assert first.count("_tape.append(") == 1, source
    x, h = np.array([1.5, 0.3]), 1e-30
    for k, found in enumerate(sd.grad(growing, (0, 1))(*x, 50.0)):
        u, rate = (x + 1j * h * (np.arange(2) == k)).tolist()
        while u.real < 50.0:
            u = u + rate * u * u if u.real < 10.0 else u * (1.0 + rate) + np.sin(u)
        np.testing.assert_allclose(found, u.imag / h, rtol=1e-12)


def test_an_array_of_which_only_a_length_is_read_is_not_saved_for_what_is_small():
    def ends(x, n):
        total = 0.0
        for k in range(n):
            x = np.tanh(x + k)
            if x[0] > 0.0:
                total = total + np.exp(x[1] * x[1]) * np.sum(np.ones(len(x)))
        return total

    x = np.array([0.3, -0.2, 0.5])
    source = str(sd.grad(ends).source(x, 4))
    slopes = []
    for k in range(3):
        u, total = x + 1e-30j * (np.arange(3) == k), 0.0
        for turn in range(4):
            u = np.tanh(u + turn)
            total = total + (np.exp(u[1] * u[1]) * 3 if u[0].real > 0.0 else 0.0)
        slopes.append(total.imag / 1e-30)
    np.testing.assert_allclose(sd.grad(ends)(x, 4), slopes, rtol=1e-12, err_msg=source)
