"""What would take too long to follow is refused: turns, calls, depth, large constants."""

import itertools
import linecache
import sys

import numpy as np
import pytest

import symdiff
from symdiff import pipeline
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from symdiff.parse import interpreter, loops
from symdiff.parse.interpreter import MOST_INLINED, FollowedTooOftenError
from symdiff.source.trees import nesting_told

MANY = tuple(range(500))


FUNCTIONS = {f"{k}": (np.sin, np.cos)[k % 2] for k in MANY}


def turns_in_turns(x):
    """Each item has to be known: what is stored under it is a function."""
    s = 0.0
    for a in FUNCTIONS:
        for b in FUNCTIONS:
            s += FUNCTIONS[a](x) * FUNCTIONS[b](x)
    return s


def comprehended(x):
    return sum([FUNCTIONS[a](x) * FUNCTIONS[b](x) for a in FUNCTIONS for b in FUNCTIONS])


def calls_and_calls(x, n=30, way=()):
    if n == 0:
        return x
    return calls_and_calls(x, n - 1, (*way, 0)) + calls_and_calls(2 * x, n - 1, (*way, 1))


@pytest.mark.parametrize("function", [turns_in_turns, comprehended, calls_and_calls])
def test_what_is_followed_turn_by_turn_and_call_by_call_is_limited(function, monkeypatch):
    monkeypatch.setattr(interpreter, "MOST_FOLLOWED", 5_000)
    with pytest.raises(UnsupportedSyntaxError, match="expressions would have to be") as caught:
        symdiff.differentiable(function).graph("float")
    assert caught.value.span is not None
    assert "range" in str(caught.value.hint)


def test_what_is_written_once_is_followed_however_long_it_is(monkeypatch):
    monkeypatch.setattr(interpreter, "MOST_FOLLOWED", 20)
    long = extended(np.sin, "x = inner(x) * 1.01\n" * 50 + "return x")
    expected = 1.0
    x = 0.5
    for _ in range(50):
        x, expected = np.sin(x) * 1.01, expected * np.cos(x) * 1.01
    np.testing.assert_allclose(symdiff.grad(long)(0.5), expected, rtol=1e-12)


def descends(x, n):
    return x if n == 0 else 1.01 * descends(x, n - 1)


def descends_far(x):
    return descends(x, MOST_INLINED - 5)


def test_a_recursion_of_static_depth_is_followed_far():
    before = sys.getrecursionlimit()
    slope = symdiff.grad(descends_far)(2.0)
    np.testing.assert_allclose(slope, 1.01 ** (MOST_INLINED - 5), rtol=1e-12)
    assert sys.getrecursionlimit() == before


def never_ends(x, n=0):
    return never_ends(x, n + 1)


def chained(depth):
    function = np.sin
    for _ in range(depth):
        function = extended(function)
    return function


def extended(inner, body="return 1.01 * inner(x)"):
    namespace = {"inner": inner, "np": np}
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"def link(x):\n{lines}"
    name = f"<link {id(namespace)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), namespace)
    return namespace["link"]


LOOP_AND_CALL = "for k in range(3):\n    x = x + 0.1 * inner(x)\nreturn x"


def test_what_would_be_nested_deeper_than_python_takes_is_refused():
    function = np.sin
    for _ in range(22):
        function = extended(function, LOOP_AND_CALL)
    with pytest.raises(UnsupportedSyntaxError, match="nests loops and branches deeper") as caught:
        symdiff.grad(function)(0.7)
    assert "follow fewer functions" in caught.value.hint


@pytest.mark.parametrize("keyword", ["if x", "for x in y"])
def test_pythons_limits_of_nesting_are_told_from_other_faults(keyword):
    lines = [f"{' ' * k}{keyword}:" for k in range(101)] + [f"{' ' * 101}pass"]
    with pytest.raises(UnsupportedSyntaxError, match="deeper than Python takes"), nesting_told():
        compile("\n".join(lines[-25:] if "for" in keyword else lines).lstrip(), "f", "exec")
    with pytest.raises(SyntaxError, match="invalid syntax"), nesting_told():
        compile("x = = 1", "f", "exec")


def test_a_long_chain_of_functions_is_not_said_to_be_a_recursion():
    with pytest.raises(UnsupportedCallError, match="chain of more than 300 functions") as caught:
        symdiff.grad(chained(350))(2.0)
    assert "itself" not in str(caught.value) and "recursion" not in str(caught.value)


def test_a_chain_of_250_functions_is_followed():
    np.testing.assert_allclose(symdiff.grad(chained(250))(2.0), 1.01**250 * np.cos(2.0), rtol=1e-12)


def test_a_recursion_on_data_runs_as_deep_as_python_lets_it():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        slope = symdiff.grad(descends_on_data)(1.2, 5000.0)
    finally:
        sys.setrecursionlimit(limit)
    np.testing.assert_allclose(slope, 0.9999**5000, rtol=1e-10)


def descends_on_data(x, n):
    if n <= 0.5:
        return x
    return descends_on_data(0.9999 * x, n - 1.0)


def test_a_recursion_without_an_end_is_refused():
    with pytest.raises(UnsupportedCallError, match="calls itself to a depth") as caught:
        symdiff.differentiable(never_ends).graph("float")
    assert caught.value.span is not None


def power(x):
    return x * (10**10**9 % 7)


def text(x):
    return x * len("a" * 10**10)


def items(x):
    return x * len([0] * 10**10)


def shift(x):
    return x * (1 << 10**10)


@pytest.mark.parametrize("function", [power, text, items, shift])
def test_constants_that_would_fill_the_memory_are_not_computed(function):
    with pytest.raises(UnsupportedSyntaxError, match="too large to be computed here") as caught:
        symdiff.differentiable(function).graph("float")
    assert caught.value.span is not None


def parts():
    yield slice(0, 2)
    yield slice(1, 3)


def until_large(x, steps):
    total = 0.0
    for k, part in zip(range(steps), itertools.cycle(parts()), strict=False):
        total = total + np.sum(x[part] ** 2) * k
        if total > 1e6:
            break
    return total


def of_twice(x, steps):
    return until_large(2.0 * x, steps)


def above_one(x, steps):
    return of_twice(x + 1.0, steps)


def of_sines(x, steps):
    return above_one(np.sin(x), steps)


def reversed_twice(x, steps):
    return of_sines(x[::-1][::-1], steps)


def test_turns_that_are_too_many_are_followed_once(monkeypatch):
    """Not again in each of the calls around, and not again in each attempt."""
    turns = []
    one_turn = loops._one_turn
    monkeypatch.setattr(loops, "_one_turn", lambda *given: turns.append(one_turn(*given)))
    x = np.array([0.5, 1.0, 1.5])
    with pytest.raises(UnsupportedSyntaxError, match="more than 80 turns"):
        symdiff.grad(reversed_twice)(x, 1000)
    assert len(turns) < 400  # 80 of them twice: once steps is not known
    weights = np.array([2.0, 3.0, 1.0])  # the sums of the turns in which each element is read
    expected = weights * 8.0 * (np.sin(x) + 1.0) * np.cos(x)
    np.testing.assert_allclose(symdiff.grad(reversed_twice)(x, 3), expected)


def test_what_is_refused_for_how_much_it_follows_is_not_followed_in_all_ways(monkeypatch):
    """Each of the ways takes seconds until it comes to its limit."""
    runs = []

    def refused(function, signature, marks, policy):
        runs.append(signature)
        policy.recursions.graphs.add(len(runs))  # of which calls may be followed instead
        raise FollowedTooOftenError("the bodies of these loops").as_limit()

    monkeypatch.setattr(pipeline, "stage", refused)
    with pytest.raises(FollowedTooOftenError):
        symdiff.grad(lambda x: np.sum(x * x))(np.ones(3))
    assert len(runs) == 3
