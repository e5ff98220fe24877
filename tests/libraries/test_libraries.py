"""A fixed part of the documented calls of packages that every test environment has.

``make libraries`` runs as many as one likes, of every package that is installed.
"""

from __future__ import annotations

import ast
import doctest
import math
from collections import Counter

import numpy as np
import pytest

import symdiff as sd
from tests.libraries import harvest, judge
from tests.libraries.__main__ import judged_test, summary
from tests.libraries.judge import Result, agrees_on_average, judged
from tests.libraries.measure import measured
from tests.libraries.searches import agrees_at_wide_steps, told

CALLS = 30
LEAST = {"numpy": 0.75}  # right ones; what is wrong or a fault is never tolerated


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of files that examples leave open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
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


def test_examples_of_ufuncs_are_found() -> None:
    tests = {test.name: test for test in harvest.of_ufuncs(np)}
    calls = harvest.calls(tests["numpy.hypot"], "numpy")
    assert [call.text for call in calls] == ["np.hypot(a0, a1)", "np.hypot(a0, [4])"]
    assert not list(harvest.of_ufuncs(np.linalg))


def draws(text: str) -> harvest.Call:
    return harvest.Call("here", text, text, (np.array([0.4, 5.0, 15.0]),), {"np": np, "sd": sd})


DRAWN = "np.random.RandomState(seed={}).dirichlet(a0)"


def test_what_moves_otherwise_at_each_seed_is_compared_in_the_mean_over_seeds() -> None:
    result = judged(draws(DRAWN.format(1)))
    assert result is not None and result.kind == "unsettled" and "mean over seeds" in result.details


def test_derivatives_that_are_not_those_of_the_mean_are_wrong() -> None:
    drawing = harvest.seeded(draws(f"2.0 * {DRAWN.format(1)} - sd.detach({DRAWN.format(2)})"))
    assert drawing is None  # which of two seeds is not known
    call = draws(f"(lambda x: 2.0 * x - sd.detach(x))({DRAWN.format(1)})")
    drawing = harvest.seeded(call)
    assert drawing is not None
    assert not agrees_on_average(drawing, call.arguments, np.array([1.0, 0.3, 0.2]))


def walked(a: float, tol: float = 1e-3) -> float:
    """The square root, by steps on a grid, as searches that compare values go."""
    x, step = 1.0, 0.5
    while step > tol:
        x, step = min((abs(t * t - a), t) for t in (x - step, x, x + step))[1], step / 2
    return x


def search(text: str, *arguments: float) -> harvest.Call:
    return harvest.Call("here", text, text, arguments, SOUGHT)


def sought(a: float, tol: float = 1e-3) -> float:
    """What makes ``a * x`` 0, by halves."""
    x = 1.0
    while abs(a * x) > tol:
        x = x * 0.5 / a
    return x


def found(a: float, tol: float = 1e-3) -> tuple[float, float]:
    """A number that is told to all digits, and one of which none is."""
    return a**3, sought(a, tol)


SOUGHT = {"walked": walked, "sought": sought, "found": found}


@pytest.mark.parametrize("factor", [1.0, 1.01, -1.0])
def test_what_stands_still_at_narrow_steps_is_compared_at_wide_ones(factor: float) -> None:
    slope = factor * 0.5 * 2.0**0.5  # by a part of itself, of a root of 2
    assert agrees_at_wide_steps(walked, [2.0], [2.0], slope) == (factor > 0.0)
    assert not agrees_at_wide_steps(np.sqrt, [2.0], [2.0], slope)


def test_results_that_end_anywhere_beside_0_tell_no_digits() -> None:
    assert told(search("walked(a0)", 2.0), walked(2.0), 1.0) == 1.0
    assert told(search("sought(a0)", 1.5), sought(1.5), 1.0) == 0.0
    assert told(search("sought(a0, tol=1e-3)", 1.5), sought(1.5), 1.0) == 1.0  # as one asked for


@pytest.mark.parametrize("factor", [1.0, 1.01, -1.0])
def test_what_is_told_beside_what_is_not_is_compared(
    monkeypatch: pytest.MonkeyPatch, factor: float
) -> None:
    slope = judge._slope
    monkeypatch.setattr(judge, "_slope", lambda *given: factor * slope(*given))
    call = search("found(a0)", 1.5)
    assert judge._is_of_a_search(call, found, found(1.5)) == (factor == 1.0)


def test_examples_that_are_no_statements_of_their_own_are_passed_over() -> None:
    text = ">>> return 1.0\n>>> import math\n>>> math.hypot(0.5, 2.0)\n"
    test = doctest.DocTestParser().get_doctest(text, {}, "example", None, None)
    assert [call.arguments for call in harvest.calls(test, "math")] == [(0.5, 2.0)]


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
