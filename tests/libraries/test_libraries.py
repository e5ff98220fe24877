"""A fixed part of the documented calls of packages that every test environment has.

``make libraries`` runs as many as one likes, of every package that is installed.
"""

from __future__ import annotations

import ast
import math
from collections import Counter

import numpy as np
import pytest

from tests.libraries import harvest
from tests.libraries.__main__ import judged_test, summary
from tests.libraries.judge import Result
from tests.libraries.measure import measured

CALLS = 30
LEAST = {"numpy": 0.75}  # right ones; what is wrong or a fault is never tolerated


@pytest.mark.parametrize("package", LEAST)
def test_documented_calls_are_differentiated(package: str) -> None:
    results: list[Result] = []
    for test in harvest.shuffled(list(harvest.documented(package)), seed=1):
        results += judged_test(test, package)
        if len(results) >= CALLS:
            break
    kinds = Counter(result.kind for result in results)
    told = summary(package, results)
    assert not (kinds["wrong"] or kinds["internal"] or kinds["late"]), told
    assert kinds["right"] >= LEAST[package] * (kinds["right"] + kinds["refused"]) > 0, told


def test_a_call_becomes_a_function_of_its_floats() -> None:
    scope = {"hypot": math.hypot, "b": np.array([1.0, 2.0]), "n": 3}
    (call,) = harvest.calls_in(ast.parse("y = round(hypot(0.5, b[0] + n))").body[0], scope, "math")
    assert call.text == "hypot(a0, a1)"
    assert call.function()(3.0, 4.0) == 5.0 and call.arguments == (0.5, 4.0)


def test_calls_without_floats_and_of_other_packages_are_left_out() -> None:
    scope = {"hypot": math.hypot, "np": np}
    for text in ("hypot(3, 4)", "np.sin(0.5)", "[hypot(v, 1.0) for v in (1, 2)]"):
        assert not list(harvest.calls_in(ast.parse(text).body[0], scope, "math"))


def scaled(x: float) -> float:
    """Some lines of text,

    which are not counted.
    """
    if x > 100.0:
        return never(x)
    return math.sin(x) * x


def never(x: float) -> float:
    y = x * x
    return y * y


def test_lines_followed_are_those_with_code_of_all_paths() -> None:
    cost = measured(scaled, [0.5], 1.0)
    assert cost.followed == 5
    assert cost.emitted > 5 and cost.time > 0.0
