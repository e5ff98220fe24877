"""Which values are written where they are read: how lines are filled."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import symdiff as sd
from symdiff.emit.text import WIDTH


def powers(x, y):
    x2 = x * x
    x3 = x2 * x
    total = 143.374451604624 * x2 * x3 - 65.8490727183984 * x * x3 + 1.04069652101 * x3 * x3
    total = total + 5.116287140914 * x2 * x2 - 0.045996013696365 * x - 1.92901490874 * x2
    return y * (total + 6.1258633752463995 * x3 - 0.057581259083432 * x2 * x3 * x3 + x2 * x2)


def test_a_long_sum_is_cut_where_a_line_is_full() -> None:
    text = str(sd.grad(powers, argnums=1).source(0.7, 0.3))
    assert max(map(len, text.splitlines())) <= WIDTH
    (function,) = ast.parse(text).body
    values = [
        statement.value for statement in ast.walk(function) if isinstance(statement, ast.Assign)
    ]
    products = [
        one for one in values if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult)
    ]
    assert len(products) == 2  # x2 and x3: no term has a name of its own
    assert sd.grad(powers, argnums=1)(0.7, 0.3) == powers(0.7, 1.0)


@pytest.mark.parametrize("shift", [1.0, 2.0])
def test_what_is_stored_is_written_where_it_is_stored(shift: float) -> None:
    def stored(x):
        y = np.zeros(4)
        y[1:] = (x[1:] * shift + 200.0 * (x[:-1] - x[1:] ** 2)) * (x[1:] - x[:-1] * 12.25)
        return np.sum(y * y)

    text = str(sd.differentiable(stored).source(np.ones(4)))
    assert sum("y[1:] = (" in line for line in text.splitlines()) == 1
