"""Loops: headers, tapes, conditions, ``break``."""

from __future__ import annotations

from typing import Any

import numpy as np

from symdiff.ir.build import builder
from symdiff.ir.graph import Value
from symdiff.ir.types import FLOAT
from symdiff.ops.arithmetic import add, less, multiply, not_, subtract
from symdiff.ops.creation import range_element_of, range_length_of
from symdiff.ops.elementary import sin
from symdiff.ops.index import index_add_of, index_of, index_set_of
from symdiff.ops.shape import copy
from symdiff.ops.sizes import size
from tests.emit.graphs import (
    INT_TYPE,
    VECTOR,
    body_of,
    branched,
    check,
    looped,
    make_graph,
    named,
)

X = np.linspace(-1.0, 1.0, 7)
INNER = slice(1, -1)


def constant(value: Any) -> Value:
    return builder().constant(value)


def summed(x: Value, count: Any, start: int, step: int, *, reverse: bool = False) -> Value:
    """A sum of ``x[i]`` over a range."""

    def turn(k: Value, s: Value) -> Any:
        i = named(range_element_of(start, step, k), "i")
        return (named(add(s, index_of(x, i)), "s"),)

    return looped(count, {"s": constant(np.float64(0.0))}, turn, reverse=reverse).finals[0]


def test_a_range_is_recovered() -> None:
    def body(x: Value) -> Value:
        n = size(x, axis=0)
        return summed(x, range_length_of(1, n, 2), 1, 2)

    text = body_of(check(make_graph({"x": VECTOR}, body), X))
    assert "for i in range(1, x.shape[0], 2):\n    s += x[i]" in text


def test_a_constant_range_that_starts_elsewhere_is_recovered() -> None:
    text = body_of(check(make_graph({"x": VECTOR}, lambda x: summed(x, constant(3), 2, 1)), X))
    assert "for i in range(2, 5):" in text


def test_a_loop_that_runs_backwards_is_reversed() -> None:
    def body(x: Value) -> Value:
        return summed(x, range_length_of(0, size(x, axis=0)), 0, 1, reverse=True)

    text = body_of(check(make_graph({"x": VECTOR}, body), X))
    assert "for i in reversed(range(x.shape[0])):" in text


# Tapes


def recorded(x: Value, n: Value, turn: Any) -> Any:
    """A loop that pushes, and one that reads what was pushed, backwards."""
    first = looped(n, {"u": x}, turn)

    def back(k: Value, u_bar: Value, e: Value) -> Any:
        return (named(multiply(u_bar, e), "u", "cotangent"),)

    start = named(sin(first.finals[0]), "u", "cotangent")
    return looped(first.turns, {"w": start}, back, xs=first.ys, reverse=True).finals[0]


def test_values_that_nobody_writes_are_appended_to_a_list() -> None:
    def turn(k: Value, u: Value) -> Any:
        return named(sin(u), "u"), u

    text = body_of(
        check(make_graph({"x": VECTOR, "n": INT_TYPE}, lambda x, n: recorded(x, n, turn)), X, 3)
    )
    assert "u_tape.append(u)" in text
    assert "in reversed(u_tape):" in text
    assert "copy" not in text


def test_an_array_that_is_written_later_is_stored_in_one_array() -> None:
    def turn(k: Value, u: Value) -> Any:
        return named(index_set_of(u, sin(index_of(u, INNER)), INNER), "u"), u

    text = body_of(
        check(make_graph({"x": VECTOR, "n": INT_TYPE}, lambda x, n: recorded(x, n, turn)), X, 3)
    )
    assert "u_tape = np.empty((max(n, 0), *u.shape))" in text
    assert "] = u\n" in text


def test_a_tape_is_right_when_the_loop_does_not_turn() -> None:
    def turn(k: Value, u: Value) -> Any:
        return named(index_set_of(u, 1.0, 0), "u"), u

    check(make_graph({"x": VECTOR, "n": INT_TYPE}, lambda x, n: recorded(x, n, turn)), X, 0)
    check(make_graph({"x": VECTOR, "n": INT_TYPE}, lambda x, n: recorded(x, n, turn)), X, -2)


def test_python_numbers_stay_python_numbers_on_a_tape() -> None:
    def turn(k: Value, s: Value) -> Any:
        return multiply(s, 2.0), s

    def body(s: Value, n: Value) -> Any:
        return looped(n, {"s": s}, turn).ys[0]

    check(make_graph({"s": FLOAT, "n": INT_TYPE}, body), 1.5, 3)


def test_a_loop_that_runs_backwards_stores_by_index() -> None:
    def body(x: Value, n: Value) -> Any:
        view = looped(n, {"u": x}, lambda k, u: (sin(u), u), reverse=True)
        return view.finals[0], view.ys[0]

    check(make_graph({"x": VECTOR, "n": INT_TYPE}, body), X, 3)


def test_a_view_on_a_tape_is_a_copy_if_its_base_is_written() -> None:
    def turn(k: Value, u: Value) -> Any:
        part = index_of(u, INNER)
        return named(index_add_of(u, 0.5, slice(None)), "u"), part

    def body(x: Value, n: Value) -> Any:
        view = looped(n, {"u": copy(x)}, turn)
        return view.finals[0], view.ys[0]

    check(make_graph({"x": VECTOR, "n": INT_TYPE}, body), X, 3)


# Conditions


def test_a_condition_that_folds_is_the_head_of_a_while() -> None:
    def body(a: Value) -> Value:
        return looped(
            None,
            {"x": a},
            lambda k, x: (named(multiply(x, 0.5), "x"),),
            condition=lambda k, x: less(1.0, multiply(x, x)),
        ).finals[0]

    text = body_of(check(make_graph({"a": FLOAT}, body), 100.0))
    assert text == "x = a\nwhile 1.0 < x * x:\n    x *= 0.5\nreturn x"


def test_turns_of_a_while_are_counted_where_they_are_read() -> None:
    def body(a: Value) -> Any:
        view = looped(
            None, {"x": a}, lambda k, x: (multiply(x, 0.5),), condition=lambda k, x: less(1.0, x)
        )
        return view.finals[0], view.turns

    check(make_graph({"a": FLOAT}, body), 100.0)


def test_a_flag_that_stops_a_loop_is_a_break() -> None:
    def body(x: Value) -> Value:
        def turn(k: Value, s: Value, stop: Value) -> Any:
            value = named(index_of(x, k), "value")
            after, stopped = branched(
                less(0.4, value),
                lambda: (s, constant(True)),
                lambda: (named(add(s, value), "s"), constant(False)),
            )
            return named(after, "s"), named(stopped, "stop")

        return looped(
            size(x, axis=0),
            {"s": constant(np.float64(0.0)), "stop": constant(False)},
            turn,
            condition=lambda k, s, stop: not_(stop),
        ).finals[0]

    text = body_of(check(make_graph({"x": VECTOR}, body), X))
    assert "break" in text
    assert "stop" not in text


def test_nested_loops_over_rows_of_tapes() -> None:
    def body(x: Value, n: Value) -> Any:
        def inner(k: Value, u: Value) -> Any:
            return index_set_of(u, sin(index_of(u, INNER)), INNER), u

        def outer(k: Value, u: Value) -> Any:
            view = looped(n, {"v": u}, inner)
            return view.finals[0], view.ys[0]

        first = looped(n, {"u": x}, outer)

        def back_inner(k: Value, s: Value, e: Value) -> Any:
            return (add(s, index_of(e, 1)),)

        def back_outer(k: Value, s: Value, tape: Value) -> Any:
            return looped(n, {"s": s}, back_inner, xs=(tape,), reverse=True).finals

        start = constant(np.float64(0.0))
        second = looped(first.turns, {"s": start}, back_outer, xs=first.ys, reverse=True)
        return second.finals[0], first.finals[0]

    check(make_graph({"x": VECTOR, "n": INT_TYPE}, body), X, 3)


def test_carries_that_move_in_a_circle() -> None:
    def body(a: Value, b: Value, c: Value, n: Value) -> Any:
        def turn(k: Value, a: Value, b: Value, c: Value) -> Any:
            return named(b, "b"), c, subtract(a, 1.0)

        return looped(n, {"a": a, "b": b, "c": c}, turn).finals

    types = {"a": FLOAT, "b": FLOAT, "c": FLOAT, "n": INT_TYPE}
    check(make_graph(types, body), 1.0, 2.0, 3.0, 5)


def test_the_same_count_may_be_a_carry() -> None:
    def body(n: Value) -> Any:
        return looped(n, {"n": n}, lambda k, m: (subtract(m, 1),)).finals[0]

    check(make_graph({"n": INT_TYPE}, body), 4)


def test_a_value_that_only_one_arm_defines() -> None:
    from symdiff.ir.control import emit_undefined

    def body(x: Value, n: Value) -> Any:
        def turn(k: Value, s: Value) -> Any:
            small = less(k, 1)
            s, part = branched(
                small,
                lambda: (add(s, 1.0), index_of(x, INNER)),
                lambda: (s, emit_undefined(index_of(x, INNER).type)),
            )
            return s, small, part

        view = looped(n, {"s": constant(0.0)}, turn)

        def back(k: Value, s: Value, small: Value, part: Value) -> Any:
            return branched(small, lambda: (add(s, index_of(part, 0)),), lambda: (add(s, 0.0),))

        start = constant(np.float64(0.0))
        return looped(view.turns, {"s": start}, back, xs=view.ys, reverse=True).finals[0]

    check(make_graph({"x": VECTOR, "n": INT_TYPE}, body), X, 3)
