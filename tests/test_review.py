"""Small programs that once had a wrong derivative, each beside what Python computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import symdiff as sd
from tests.reference import richardson_gradient

# Blocks that only some paths have left ----------------------------------------------------------


def return_inside_else(x: float) -> float:
    if x > 100:
        return x
    else:
        if x > -1:
            return x * x
    return 3.0 * x


def return_before_names_that_differ(x: float) -> float:
    if x > 0:
        if x > 1:
            return x * x
        z: Any = x
    else:
        z = (x, x)
    del z
    return 3.0 * x


def continue_inside_else(x: float) -> float:
    for i in range(3):
        if x > 100:
            break
        else:
            if x > i:
                continue
        x = x * 2 + i
    return x * x


def while_left_and_continued(x: float) -> float:
    while x < 50:
        if x > 40:
            return x
        elif x > 2:
            if x > 10:
                x = x * 2
                continue
        else:
            if x < 1:
                x = x + 3
        x = x * 1.5
    return x * x


@pytest.mark.parametrize("x", [-2.0, 0.4, 1.7, 3.3, 21.0, 45.0, 120.0])
@pytest.mark.parametrize(
    "f",
    [
        return_inside_else,
        return_before_names_that_differ,
        continue_inside_else,
        while_left_and_continued,
    ],
)
def test_the_rest_of_a_block_runs_on_the_paths_that_stay(
    f: Callable[[float], float], x: float
) -> None:
    value, gradient = sd.value_and_grad(f)(x)
    assert value == f(x)
    assert gradient == pytest.approx(richardson_gradient(f, (x,)).value, rel=1e-8)
