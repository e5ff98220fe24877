"""Lists that are kept for their length, or for items that are all one value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd


def mean_of_collected(x: Any, turns: int) -> Any:
    found = []
    for k in range(turns):
        x = x * x + 0.1 * k
        found.append(x)
    return np.mean(found)


def mean_of_more(x: Any, turns: int) -> Any:
    found = [x, 2.0]
    for _ in range(turns):
        x = 0.5 * x + x**2
        found.append(x)
        if x > 3.0:
            break
    return np.sum(found) + found[-1] * len(found)


def mean_of_some(x: Any, turns: int) -> Any:
    found = [1.0]
    for k in range(turns):
        x = 0.9 * x + 0.1
        if k % 3:
            found.append(x)
    return np.mean(found)


def mean_of_rows(x: Any, turns: int) -> Any:
    total = 0.0
    for k in range(turns):
        found = []
        while x < k:
            x = 1.5 * x
            found.append(x)
        if found:
            total = total + np.mean(found)
    return total


def mean_after_popping(x: Any, turns: int) -> Any:
    found = []
    for _ in range(turns):
        x = 1.1 * x
        found.append(x)
        found.append(x * x)
        found.pop(0)
    return np.mean(found)


def mean_from_a_start(x: Any, turns: int) -> Any:
    found = [1.0]
    for k in range(turns):
        x = x * x + 0.1 * k
        found.append(x)
    return np.mean(found)


LISTS = [
    mean_of_collected,
    mean_from_a_start,
    mean_of_more,
    mean_of_some,
    mean_of_rows,
    mean_after_popping,
]


@pytest.mark.parametrize("function", LISTS)
@pytest.mark.parametrize("turns", [1, 4, 9])
def test_derivatives_by_lists_that_loops_fill(function: Any, turns: int) -> None:
    x, step = 0.6, 1e-6
    gradient = sd.grad(function)

    def slope(f: Any) -> float:
        far = (f(x + 2 * step, turns) - f(x - 2 * step, turns)) / (4 * step)
        near = (f(x + step, turns) - f(x - step, turns)) / (2 * step)
        return float((4 * near - far) / 3)

    scale = max(1.0, abs(slope(function)))
    np.testing.assert_allclose(gradient(x, turns), slope(function), atol=1e-8 * scale)
    second = sd.grad(gradient)(x, turns)
    np.testing.assert_allclose(second, slope(gradient), atol=1e-6 * max(1.0, abs(second)))
    _, along = sd.jvp(function, (x, turns), (1.0, None))
    np.testing.assert_allclose(along, slope(function), atol=1e-8 * scale)


def test_a_list_is_not_kept_for_its_length() -> None:
    source = str(sd.grad(mean_of_collected).source("float", "int"))
    assert "found.append(" not in source and "found_bar" not in source
    assert sd.grad(mean_of_collected)(0.5, 1) == 1.0
    source = str(sd.grad(lambda x: mean_from_a_start(x, 63)).source("float"))
    assert "len(" not in source and "0.015625" in source
