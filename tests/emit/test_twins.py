"""Functions that are the same are written once."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.reference import directional


def inner(x: Any, y: Any) -> Any:
    a = math.sin(x) * math.exp(-x) + math.cos(x * x)
    b = math.log(1.0 + a * a) * math.tanh(x) + x / (2.0 + a * a)
    return math.sqrt(a * a + b * b + 1.0) + a * b - y


def outer(x: Any, y: Any) -> Any:
    first = inner(x, x) * inner(2.0 * x, x)
    second = math.sqrt(first * first + 1.0) + math.sin(first)
    return inner(second, y) * first + math.tanh(second)


def total(x: Any, y: Any, z: Any) -> Any:
    return outer(x, y) * outer(x, z) + inner(x, y)


def test_what_the_forward_sweep_does_is_written_once() -> None:
    gradient = sd.grad(total, argnums=(0, 1))
    text = str(gradient.source(0.7, 0.9, 0.4)).split("_by_numpy", 1)[0]
    names = re.findall(r"^def (inner|outer)_forward\d*\(", text, re.MULTILINE)
    assert sorted(names) == ["inner", "outer"]
    assert len(re.findall(r"^def (inner|outer)_backward\d*\(", text, re.MULTILINE)) > 2
    for along in ((1.0, 0.0), (0.0, 1.0)):
        slope = directional(total, (0.7, 0.9, 0.4), (*along, 0.0)).value
        found = gradient(0.7, 0.9, 0.4)[along.index(1.0)]
        assert found == pytest.approx(slope, rel=1e-8)


def test_every_function_that_is_called_is_there() -> None:
    for make in (sd.grad, sd.hessian):
        text = str(make(total, argnums=(0, 1)).source(0.7, 0.9, 0.4))
        defined = set(re.findall(r"^def (\w+)\(", text, re.MULTILINE))
        called = set(re.findall(r"\b((?:inner|outer)_\w+)\(", text))
        assert called <= defined


def logarithms(x: Any, factor: int) -> Any:
    if np.any(x < 0.0):
        return logarithms(np.abs(x), factor)
    with np.errstate(divide="ignore"):
        found = np.where(x > 0.0, np.log(x), 0.0)
    return factor * np.sum(found)


def test_functions_with_regions_are_compared() -> None:
    def weighted(x):
        return logarithms(x, 1) + logarithms(x, 2) + logarithms(x, 3)

    np.testing.assert_allclose(sd.grad(weighted)(np.array([0.0, 4.0, -3.0])), [0.0, 1.5, -2.0])
