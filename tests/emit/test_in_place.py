"""Writes in place: where they are made, where copies are, and that there are no others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.emit import emit_source
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Value
from symdiff.ir.verify import verify
from symdiff.ops.arithmetic import add, less
from symdiff.ops.creation import zeros_of
from symdiff.ops.defined import of_values_alone, valued
from symdiff.ops.elementary import sin
from symdiff.ops.index import index_add_of, index_of, index_set_of
from symdiff.ops.reduce import sum
from symdiff.ops.shape import broadcast_to, copy, transpose
from symdiff.ops.sizes import sizes_of
from symdiff.runtime.load import load
from tests.emit.graphs import (
    INT_TYPE,
    MATRIX,
    VECTOR,
    body_of,
    branched,
    check,
    looped,
    make_graph,
    named,
)
from tests.reference import directional

X = np.linspace(-1.0, 1.0, 7)
A = np.linspace(-1.0, 1.0, 12).reshape(4, 3)
INNER = slice(1, -1)


def test_writes_to_a_local_array_are_in_place() -> None:
    def body(x: Value) -> Value:
        u = named(copy(x), "u")
        u = named(index_set_of(u, 0.0, 0), "u")
        return named(index_add_of(u, 2.0, INNER), "u")

    emitted = check(make_graph({"x": VECTOR}, body), X)
    assert body_of(emitted) == "u = x.copy()\nu[0] = 0.0\nu[1:-1] += 2.0\nreturn u"


def test_an_argument_is_copied_once_before_it_is_written() -> None:
    def body(x: Value) -> Value:
        return index_set_of(index_set_of(x, 1.0, 0), 2.0, 1)

    emitted = check(make_graph({"x": VECTOR}, body), X)
    assert body_of(emitted) == "x = x.copy()\nx[0] = 1.0\nx[1] = 2.0\nreturn x"


def test_an_old_version_that_is_read_later_is_kept() -> None:
    def body(x: Value) -> Any:
        u = named(sin(x), "u")
        v = named(index_set_of(u, 1.0, 0), "v")
        return looped(v.node and count_of(v), {"w": v}, lambda i, w: (add(w, u),)).finals[0]

    def count_of(value: Value) -> Value:
        return sizes_of(value)[0]  # type: ignore[return-value]

    emitted = check(make_graph({"x": VECTOR}, body), X)
    assert emitted.text.count(".copy()") == 1


def test_a_reader_of_the_old_version_moves_above_the_write() -> None:
    def body(x: Value) -> Any:
        u = named(sin(x), "u")
        v = index_set_of(u, 1.0, 0)
        return v, add(u, 1.0)

    emitted = check(make_graph({"x": VECTOR}, body), X)
    assert "copy" not in emitted.text


def test_a_live_view_is_copied_at_its_definition_and_the_base_is_not() -> None:
    def body(x: Value) -> Any:
        u = named(sin(x), "u")
        part = named(index_of(u, INNER), "part")
        v = index_set_of(u, 1.0, INNER)
        return v, index_add_of(v, sin(index_of(v, INNER)), INNER), part

    emitted = check(make_graph({"x": VECTOR}, body), X)
    assert "part = u[1:-1].copy()" in emitted.text


def test_a_view_whose_base_is_dead_may_be_written() -> None:
    def body(a: Value) -> Value:
        u = sin(a)
        return sin(index_set_of(transpose(u, axes=(1, 0)), 0.0, 0))

    assert ".copy" not in check(make_graph({"a": MATRIX}, body), A).text


def test_a_broadcast_view_is_never_written() -> None:
    def body(s: Value, x: Value) -> Value:
        wide = broadcast_to(s, *sizes_of(x), shape=VECTOR.shape)
        return index_set_of(wide, 0.0, 0)

    check(make_graph({"s": sin_type(), "x": VECTOR}, body), 2.0, X)


def sin_type() -> Any:
    from symdiff.ir.types import FLOAT

    return FLOAT


def test_two_carries_that_change_places_need_no_copy_in_the_loop() -> None:
    def body(x: Value, n: Value) -> Any:
        u, v = named(copy(x), "u"), named(zeros_of(x), "v")

        def turn(i: Value, u: Value, v: Value) -> Any:
            written = named(index_set_of(v, index_of(u, slice(None, -2)), INNER), "v")
            return written, u

        return looped(n, {"u": u, "v": v}, turn).finals

    emitted = check(make_graph({"x": VECTOR, "n": INT_TYPE}, body), X, 3)
    assert body_of(emitted) == (
        "u = x.copy()\n"
        "v = np.zeros(x.shape)\n"
        "for _ in range(n):\n"
        "    v[1:-1] = u[:-2]\n"
        "    u, v = v, u\n"
        "return u, v"
    )


def test_a_carry_that_is_written_copies_an_argument_once_before_the_loop() -> None:
    def body(x: Value, n: Value) -> Value:
        return looped(n, {"x": x}, lambda i, u: (index_set_of(u, 0.5, 0),)).finals[0]

    emitted = check(make_graph({"x": VECTOR, "n": INT_TYPE}, body), X, 3)
    lines = body_of(emitted).splitlines()
    assert sum_of(".copy()" in line for line in lines) == 1
    assert ".copy()" in lines[0]


def sum_of(flags: Any) -> int:
    return len([flag for flag in flags if flag])


def test_a_captured_array_is_not_written_by_a_loop() -> None:
    def body(x: Value, n: Value) -> Value:
        u = sin(x)

        def turn(i: Value, s: Value) -> Any:
            return (add(s, sum(index_set_of(u, s, 0), axis=None, keepdims=False)),)

        return looped(n, {"s": sum(x, axis=None, keepdims=False)}, turn).finals[0]

    check(make_graph({"x": VECTOR, "n": INT_TYPE}, body), X, 3)


def test_both_arms_of_a_branch_write_in_place() -> None:
    def body(x: Value) -> Value:
        u = named(copy(x), "u")
        (result,) = branched(
            less(index_of(x, 0), 0.0),
            lambda: (index_add_of(u, 1.0, 0),),
            lambda: (index_set_of(u, 3.0, 1),),
        )
        return named(result, "u")

    graph = make_graph({"x": VECTOR}, body)
    check(graph, -X)
    assert body_of(check(graph, X)) == (
        "u = x.copy()\nif x[0] < 0.0:\n    u[0] += 1.0\nelse:\n    u[1] = 3.0\nreturn u"
    )


def test_repeated_indices_add_up() -> None:
    def body(x: Value) -> Value:
        return index_add_of(copy(x), 1.0, np.array([1, 1, 2]))

    assert "np.add.at(" in check(make_graph({"x": VECTOR}, body), X).text


def test_distinct_indices_need_no_add_at() -> None:
    def body(x: Value) -> Value:
        return index_add_of(copy(x), 1.0, np.array([1, 2]))

    assert "np.add.at(" not in check(make_graph({"x": VECTOR}, body), X).text


def test_an_element_updated_by_itself_is_an_augmented_assignment() -> None:
    def body(x: Value) -> Value:
        u = named(copy(x), "u")
        return index_set_of(u, index_of(u, INNER) * 2.0, INNER)

    assert "u[1:-1] *= 2.0" in check(make_graph({"x": VECTOR}, body), X).text


def test_results_share_memory_with_nothing() -> None:
    def body(a: Value) -> Any:
        u = sin(a)
        return a, index_of(u, 0), u, u, transpose(u, axes=(1, 0))

    check(make_graph({"a": MATRIX}, body), A)


# Writes that the caller sees


def writer(x: Value, y: Value) -> Any:
    u = index_set_of(x, 1.0, 0)
    v = index_set_of(y, index_of(u, 0), 1)
    return sum(u, axis=None, keepdims=False), u, v


def test_a_mutated_argument_is_written_in_place_where_that_is_asked_for() -> None:
    from symdiff.ir.structure import Leaf

    graph = make_graph({"x": VECTOR, "y": VECTOR}, writer, output=Leaf(0), mutated={0: 1, 1: 2})
    emitted = emit_source(graph, in_place=True, fresh=False)
    x, y = X.copy(), X.copy()
    load(emitted)(x, y)
    assert x[0] == 1.0
    assert y[1] == 1.0
    assert "copy" not in emitted.text
    assert "..." not in emitted.text


def test_arguments_that_change_places_are_both_stored() -> None:
    from symdiff.ir.structure import Static

    graph = make_graph(
        {"x": VECTOR, "y": VECTOR},
        lambda x, y: (y, x),
        output=Static(None),
        mutated={0: 0, 1: 1},
    )
    x, y = X.copy(), 2 * X
    assert load(emit_source(graph, in_place=True, fresh=False))(x, y) is None
    assert np.array_equal(x, 2 * X)
    assert np.array_equal(y, X)


def test_a_derived_program_leaves_what_its_function_mutates_alone() -> None:
    from symdiff.ir.structure import Leaf

    graph = make_graph({"x": VECTOR, "y": VECTOR}, writer, output=Leaf(0), mutated={0: 1, 1: 2})
    x, y = X.copy(), X.copy()
    load(emit_source(graph))(x, y)
    assert np.array_equal(x, X)
    assert np.array_equal(y, X)


def weighed_by_a_column(x: Any) -> Any:
    rows = x.copy()
    column = rows[:, 0]
    column[:2] = column @ column
    return column @ rows[:, 1]


def test_a_product_is_that_of_the_column_not_of_the_copy_kept_of_it() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        x = rng.normal(size=(13, 3))
        value, pullback = sd.vjp(weighed_by_a_column, x)
        assert value == weighed_by_a_column(x)
        s, (a, b) = x[:, 0] @ x[:, 0], (x[:, 0], x[:, 1])
        expected = np.zeros((13, 3))
        expected[2:, 0] = b[2:]
        expected[:, 0] += 2.0 * (b[0] + b[1]) * a
        expected[:2, 1], expected[2:, 1] = s, a[2:]
        np.testing.assert_allclose(pullback(1.0)[0], expected, rtol=1e-13, atol=1e-13)


def made_of_the_last_ones(x: Any) -> Any:
    """What a turn makes is kept for the sweep back, in a list of the next turn, and written."""
    p, n, s = [np.array([-r, 1.0]) for r in x], len(x), 0.0
    while n > 1:
        m = n // 2
        t = []
        for i in range(m):
            c = np.convolve(p[i], p[i + m])[1:3].copy()
            c[1:] *= 2
            t.append(c)
        for q in p:
            s = s + np.sum(q**2)
        p[0][0] *= 3.0
        s = s + p[0][0] ** 2 * p[1][1]
        t[0] = t[0] * p[-1]
        t[0][1] += p[0][0] * s
        p, n = t, m
    return np.sum(p[0]) + s


def test_arrays_of_a_list_of_the_last_turn_that_are_kept_are_written_as_others() -> None:
    x = np.cos(np.arange(8.0))
    found = sd.grad(made_of_the_last_ones)(x)
    for k, unit in enumerate(np.eye(8)):
        step = 1e-6 * unit
        slope = (made_of_the_last_ones(x + step) - made_of_the_last_ones(x - step)) / 2e-6
        np.testing.assert_allclose(found[k], slope, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(sd.jvp(made_of_the_last_ones, (x,), (np.ones(8),))[1], found.sum())


def test_values_may_be_made_of_what_has_their_derivative() -> None:
    def body(x: Value) -> Value:
        made = sin(x)
        return add(valued(made, add(made, 1.0)), made)

    plain = of_values_alone(make_graph({"x": VECTOR}, body))
    verify(plain)
    (found,) = evaluate_graph(plain, [X])
    np.testing.assert_array_equal(found, np.sin(X) + 1.0 + np.sin(X))


def reflected(A: Any) -> Any:
    R = A.copy()
    for k in range(A.shape[1]):
        v = R[k:, k].copy()
        R[k:, k:] -= 0.1 * np.outer(v, v @ R[k:, k:])
    return np.sum(R * R)


def test_a_part_whose_lengths_are_not_known_is_updated_where_it_stands() -> None:
    text = sd.grad(reflected).source(A)
    assert "    R[k:, k:] -= 0.1 * np.outer(v, t1)\n" in text
    assert "empty_like" not in text
    along = np.cos(np.arange(12.0)).reshape(4, 3)
    expected = directional(reflected, (A,), (along,)).value
    np.testing.assert_allclose(np.sum(sd.grad(reflected)(A) * along), expected, rtol=1e-9)


def test_an_update_of_a_part_by_more_than_fits_raises_as_the_function_does() -> None:
    def f(x: Any, v: Any, k: int) -> Any:
        y = x.copy()
        y[k:] += v
        return np.sum(y * y)

    x, v = np.arange(5.0), np.arange(4.0)
    np.testing.assert_array_equal(sd.grad(f, argnums=1)(x, v, 1), 2.0 * (x[1:] + v))
    for given in (np.arange(3.0), np.ones((2, 4))):
        with pytest.raises(ValueError, match="broadcast"):
            sd.grad(f, argnums=1)(x, given, 1)
