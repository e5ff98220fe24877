"""Tapes that become one: which do, which do not, and what the gradient is then."""

from __future__ import annotations

import ast
from itertools import count
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.emit.bundles import bundle_tapes
from symdiff.emit.text import Line, write
from tests.reference import directional, second_directional


def lines_of(statements: list[ast.stmt]) -> list[Line]:
    """Lines as emission has them: blocks beside the trees, which have none."""
    lines = []
    for tree in statements:
        blocks = []
        for part in ("body", "orelse"):
            blocks.append(lines_of(getattr(tree, part, [])))
            if blocks[-1]:
                setattr(tree, part, [])
        lines.append(Line(tree, None, False, *blocks))
    return lines


def bundled(text: str) -> str:
    lines = lines_of(ast.parse(dedent(text)).body)
    numbers = count()
    bundle_tapes(lines, lambda hint: f"{hint}{next(numbers) or ''}")
    return "\n".join(write(lines).lines)


FILLED = """
a_tape = []
b_tape = []
for k in range(n):
    a_tape.append(a)
    {between}
    b_tape.append({b})
for k in reversed(range(n)):
    a = a_tape[k]
    {read}
    b = b_tape[k]
    g += a * b
"""


def filled(between: str = "b = a * a", b: str = "b", read: str = "pass") -> str:
    return FILLED.format(between=between, b=b, read=read).replace("    pass\n", "")


def test_tapes_read_by_one_index_are_one() -> None:
    assert bundled(filled()) == dedent(
        """\
        tape = []
        for k in range(n):
            b = a * a
            tape.append((a, b))
        for k in reversed(range(n)):
            a, b = tape[k]
            g += a * b"""
    )


def test_tapes_of_a_range_that_starts_later_are_read_by_its_variable() -> None:
    def f(x: np.ndarray) -> float:
        u, v, w = x[0], x[1], 0.0
        for t in range(2, len(x)):
            u, v = v * np.sin(u) * x[t], u * np.cos(w)
            w = w + u * v
        return w

    x = np.array([0.3, 0.8, -0.5, 0.7, 1.1])
    text = sd.grad(f).source(x)
    assert "= tape[t - 2]" in text
    assert "for t in reversed(range(2, x.shape[0])):" in text
    step = np.array([1.0, -0.4, 0.3, 0.2, 0.9])
    estimate = directional(f, (x,), (step,))
    assert np.isclose(sd.grad(f)(x) @ step, estimate.value, rtol=1e-9)


@pytest.mark.parametrize(
    "between",
    [
        "a = a * b",  # another value by the same name
        "a *= b",
        "a[0] = b",  # what it holds is changed
        "c[0] = b",  # it may be what c holds, too
        "c.sort()",
        "c = a.pop()",
        "a, b = b, a",
        "if a > b: break",  # then one of them has an element more
    ],
)
def test_what_changes_between_keeps_them_apart(between: str) -> None:
    assert "a_tape.append(a)" in bundled(filled(between))


@pytest.mark.parametrize("between", ["c = step(a)", "c = model.step(a)", "c = 1.0 + stack.pop()"])
def test_copies_are_not_made_behind_what_may_change_an_object(between: str) -> None:
    text = filled(between).replace("append(a)", "append(a.copy())")
    assert "a_tape.append(a.copy())" in bundled(text)


def test_objects_themselves_are_stored_behind_calls_of_functions() -> None:
    assert "tape.append((a, b))" in bundled(filled("c = step(a)"))


def test_copies_are_stored_and_expressions_that_may_raise_are_not() -> None:
    assert "tape.append((a, b.copy()))" in bundled(filled(b="b.copy()"))
    assert "b_tape.append(1.0 / b)" in bundled(filled(b="1.0 / b"))


def test_rows_collected_over_a_range_that_starts_later_are_stored_by_its_variable() -> None:
    def f(W: np.ndarray, u: np.ndarray) -> float:
        h = np.zeros(W.shape[0])
        for t in range(1, len(u)):
            h = np.tanh(W @ h + u[t - 1])
        return np.sum(h * h)

    W, u = 0.3 * np.arange(9.0).reshape(3, 3) - 1.0, np.array([0.3, -0.2, 0.8, 0.1])
    text = str(sd.grad(f).source(W, u))
    assert "len(range(" not in text.replace("np.zeros((len(range(", "")
    assert "_bar[k - 1] = " in text
    step = np.cos(np.arange(9.0)).reshape(3, 3)
    estimate = directional(lambda W: f(W, u), (W,), (step,))
    assert np.isclose(np.sum(sd.grad(f)(W, u) * step), estimate.value, rtol=1e-9)


@pytest.mark.parametrize("read", ["b_bar = b * a", "b = 2.0", "k = k + 1"])
def test_a_variable_that_is_in_use_where_it_would_be_read_keeps_them_apart(read: str) -> None:
    assert "b = b_tape[k]" in bundled(filled(read=read))


def test_a_tape_that_is_read_twice_or_measured_stays() -> None:
    assert "b_tape.append(b)" in bundled(filled() + "\nlen(b_tape)")
    assert "b_tape.append(b)" in bundled(filled() + "\nfor k in range(n): c = b_tape[k]")


def test_three_tapes_in_a_header_are_one_and_two_are_two() -> None:
    text = """
    a_tape = []
    b_tape = []
    c_tape = []
    while a < b:
        a_tape.append(a)
        b_tape.append(b)
        c_tape.append(c)
        a = b + c
    for k, a, b, c in zip(reversed(x), reversed(a_tape), reversed(b_tape), reversed(c_tape)):
        g += a * b * c
    """
    shown = bundled(text)
    assert "for k, (a, b, c) in zip(reversed(x), reversed(tape)):" in shown
    assert "tape.append((a, b, c))" in shown
    two = "\n".join(line for line in dedent(text).splitlines() if "c_tape" not in line)
    assert "a_tape.append(a)" in bundled(two)


def test_names_that_do_not_fit_into_a_line_are_in_two() -> None:
    names = [f"a_long_name_of_a_value_{k}" for k in range(4)]
    made = [f"{name}_tape = []" for name in names]
    stored = [f"    {name}_tape.append({name})" for name in names]
    read = [f"    {name} = {name}_tape[k]" for name in names]
    body = [*made, "for k in range(n):", *stored, "for k in range(n):", *read]
    assert bundled("\n".join(body)).count("[k]") == 2


def test_lines_grow_as_tapes_do() -> None:
    def lines(tapes: int) -> int:
        made = [f"t{k}_tape = []" for k in range(tapes)]
        stored = [f"    t{k}_tape.append(t{k})" for k in range(tapes)]
        read = [f"    t{k} = t{k}_tape[k]" for k in range(tapes)]
        body = [*made, "for k in range(n):", *stored, "for k in range(n):", *read]
        return len(bundled("\n".join(body)).splitlines())

    assert lines(1000) <= 12 * lines(100)


def spiral(x: float, y: np.ndarray, turns: int) -> float:
    u, v, s = x * y, np.sin(y), 0.0
    for k in range(turns):
        u = u * np.cos(v) + s
        v = v + 0.1 * u * np.exp(-s)
        s = s + np.mean(u * v) * y[k]
    return s + np.sum(u)


@pytest.mark.parametrize("turns", [0, 1, 4])
def test_gradients_by_bundled_tapes(turns: int) -> None:
    y = np.array([0.3, -0.2, 0.7, 0.1])
    gradient = sd.grad(spiral, argnums=(0, 1))
    text = gradient.source(0.4, y, turns)
    assert "tape.append((" in text
    x_bar, y_bar = gradient(0.4, y, turns)
    step = np.array([0.2, -1.0, 0.5, 0.3])
    estimate = directional(lambda x, y: spiral(x, y, turns), (0.4, y), (1.0, step))
    assert np.isclose(x_bar + y_bar @ step, estimate.value, rtol=1e-9, atol=1e-9)
    slope = sd.grad(spiral)
    estimate = directional(lambda x: slope(x, y, turns), (0.4,), (1.0,))
    assert np.isclose(sd.hessian(spiral)(0.4, y, turns), estimate.value, rtol=1e-8, atol=1e-9)


def damped(x: np.ndarray) -> float:
    s = 0.0
    for _ in range(3):
        x = np.sin(x) * np.exp(-0.1 * x)
        s += np.sum(x * x)
    return s


def test_tapes_that_a_forward_part_hands_out_are_not_bundled_within_it() -> None:
    x, v = np.array([0.3, -0.7]), np.array([1.0, 0.5])
    gradient = sd.grad(damped)
    value, pullback = sd.vjp(gradient, x)
    np.testing.assert_array_equal(value, gradient(x))
    expected = [second_directional(damped, (x,), (e,), (v,)).value for e in np.eye(2)]
    np.testing.assert_allclose(pullback(v)[0], expected, rtol=1e-6)


def test_the_place_of_a_turn_is_computed_before_anything_is_stored_there() -> None:
    """Of a range that starts later: the tape is filled from behind in reverse over reverse."""

    def product(x: Any, n: int) -> Any:
        s = 1.0
        for i in range(n, len(x)):
            s *= x[i]
        return s

    x, ones = np.array([0.5, 0.7, 0.9, 1.1, 1.3]), np.ones(5)
    _, pullback = sd.vjp(sd.grad(product), x, 2)
    a, b, c = x[2:]
    np.testing.assert_allclose(pullback(ones)[0], [0.0, 0.0, b + c, a + c, a + b], rtol=1e-14)
