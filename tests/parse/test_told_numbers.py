"""Integers that an earlier branch gave, whose other arm gave a float, where the arm is known."""

from __future__ import annotations

from contextlib import contextmanager
from math import ceil
from typing import Any

import numpy as np
import pytest

import symdiff as sd

SETTINGS = {"checked": True}


@contextmanager
def unchecked() -> Any:
    SETTINGS["checked"] = False
    try:
        yield
    finally:
        SETTINGS["checked"] = True


def counted(n: int, size: Any) -> Any:
    size = ceil(0.25 * n) if size is None else float(size)
    size = int(size)
    return size


def part_of_settings(x: Any, y: float) -> Any:
    with unchecked():
        size = counted(len(x), None)
        size = counted(len(x), size + y)
        return np.sum(x[:size]) * y


def first_or_some(x: Any, y: float) -> Any:
    try:
        n = y * 2.0
        n = int(n)
    except ValueError:
        n = 1
    return np.sum(x[:n] ** 2) * (1.0 if n == 1 else y)


def rounded_twice(x: Any, y: float) -> Any:
    total = 0.0
    for k in range(3):
        try:
            n = float(k) * y
            n = int(n)
            n = float(n) + y
            n = int(n)
        except (ValueError, OverflowError):
            continue
        finally:
            total += y
        total += np.sum(x[n : n + 2])
    return total


def by_flag(x: Any, y: float) -> Any:
    flag = y > 1.0
    n = 2 if flag else y
    if flag:
        return np.sum(x[:n]) * y
    return np.sum(x) * n


PROGRAMS = [part_of_settings, first_or_some, rounded_twice, by_flag]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("y", [0.7, 1.3, 2.6])
def test_integers_that_are_known_to_be_integers(function: Any, y: float) -> None:
    x, step = np.linspace(0.5, 2.0, 9), 1e-6
    gradients = sd.grad(function, argnums=(0, 1))(x, y)
    expected = (function(x, y + step) - function(x, y - step)) / (2 * step)
    np.testing.assert_allclose(gradients[1], expected, rtol=1e-7, atol=1e-8)
    rows = np.eye(len(x)) * step
    by_x = [(function(x + row, y) - function(x - row, y)) / (2 * step) for row in rows]
    np.testing.assert_allclose(gradients[0], by_x, rtol=1e-7, atol=1e-8)
    assert SETTINGS["checked"]


def test_the_handler_has_its_own() -> None:
    x = np.linspace(0.5, 2.0, 4)
    by_x, by_y = sd.grad(first_or_some, argnums=(0, 1))(x, float("nan"))
    np.testing.assert_array_equal(by_x, [1.0, 0.0, 0.0, 0.0])
    assert by_y == 0.0
