"""Many names and constants stand in rows, not one in a line."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import symdiff as sd
from symdiff.emit.text import WIDTH, Line, write

TABLE = [0.1 * k for k in range(30)]
ROWS = dict.fromkeys(range(20), (1.0, 2.0, 3.0))


def polynomial(x, table, rows):
    total = x * rows[3][1]
    for c in table:
        total = total * x + c
    return total


def test_what_is_taken_of_a_list_and_zeros_for_a_table_stand_in_rows() -> None:
    gradient = sd.grad(polynomial, argnums=(0, 1, 2))
    text = str(gradient.source(0.5, TABLE, ROWS))
    lines = text.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert len(lines) < 100
    (function,) = (one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef))
    (taken,) = (
        one
        for one in function.body
        if isinstance(one, ast.Assign) and ast.unparse(one.value) == "table"
    )
    assert isinstance(taken.targets[0], ast.Tuple)
    assert len(taken.targets[0].elts) == len(TABLE)
    x_bar, table_bar, rows_bar = gradient(0.5, TABLE, ROWS)
    powers = [0.5 ** (29 - k) for k in range(30)]
    slopes = [c * (29 - k) * 0.5 ** (28 - k) for k, c in enumerate(TABLE)]
    assert table_bar == pytest.approx(powers)
    assert x_bar == pytest.approx(sum(slopes) + 2.0 * 31 * 0.5**30)
    zeros = dict.fromkeys(ROWS, (0.0, 0.0, 0.0))
    assert rows_bar == {**zeros, 3: (0.0, pytest.approx(0.5**31), 0.0)}


def test_a_list_of_which_not_all_is_read_is_not_taken_apart() -> None:
    def f(x, table):
        return x * table[0] * table[2] * table[5]

    text = str(sd.differentiable(f).source(0.5, TABLE))
    assert "table_0, table_2, table_5 = table[0], table[2], table[5]\n" in text
    assert all(f"table_{k} " not in text for k in (1, 3, 4))


def stirred(x, *rates):
    y = x
    for rate in rates:
        y = np.exp(-rate * y) + np.sin(rate * x)
    return y


def test_many_names_that_a_function_is_given_stand_in_rows() -> None:
    def f(x, rates):
        return stirred(x, *rates) + stirred(0.5 * x, *rates)

    rates = [0.1 * k for k in range(14)]
    text = str(sd.differentiable(f).source(0.7, rates))
    lines = text.splitlines()
    start, after = (k for k, line in enumerate(lines) if line.endswith(" = stirred_forward("))
    assert after < start + 7 and max(map(len, lines)) <= WIDTH
    assert lines[start + 1].count(", ") >= 5
    assert any(line.startswith("    ) = stirred_backward(y_saved") for line in lines)
    slope = (f(0.7 + 1e-6, rates) - f(0.7 - 1e-6, rates)) / 2e-6
    assert sd.grad(f)(0.7, rates) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize("target", ["k, (a, b)", "(a, b), (c, d)", "(a, b), k", "k"])
def test_loops_whose_headers_are_wrapped_have_their_targets(target: str) -> None:
    given = ", ".join(f"reversed(a_rather_long_name_of_a_tape{k})" for k in range(4))
    loop = ast.parse(f"for {target} in zip({given}):\n    pass").body[0]
    lines = write([Line(loop, body=[Line(ast.Pass())])]).lines
    assert ast.dump(ast.parse("\n".join(lines)).body[0]) == ast.dump(loop)
    assert max(map(len, lines)) <= WIDTH
