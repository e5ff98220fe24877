"""A call is staged again by itself where its own names or items stop the first attempt."""

from typing import Any

import numpy as np
import pytest

import symdiff


def lowest(values: Any, bound: float) -> Any:
    found = None
    for value in values:
        if value > bound:
            found = value * value
    return found


def largest(values: Any, bound: float) -> Any:
    held = None
    for value in values:
        if value < bound:
            held = np.sin(value)
    if held is None:
        return values[0]
    return held * values[1]


def of_callees(x: Any) -> Any:
    first = lowest(x, 0.5)
    if first is None:
        first = x[0]
    second = largest(x, 1.0)
    return first * second


def in_a_loop(x: Any) -> Any:
    total = 0.0
    for k in range(int(x[0] * 10)):
        first = lowest(x, 0.5)
        total = total + largest(x, 1.0) * (k + 1)
        if first is not None:
            total = total + first
    return total


def picked(x: Any, k: int) -> Any:
    rows = [x[0] * x[1], [x[1], 2.0], np.exp(x[0])]
    return rows[2 * k] * 1.0


def other(x: Any, k: int) -> Any:
    rows = [x[0] ** 3, "text", x[1] ** 2]
    return rows[2 * k] * 1.0


def of_items(x: Any) -> Any:
    k = int(x[0] * 10) % 2
    return picked(x, k) * other(x, 1 - k) + picked(x, 1 - k)


X = np.array([0.3, 0.8])
a, b = X


def of_callees_by_hand() -> tuple[Any, Any]:
    """Of b**2 * sin(b) * b."""
    s, c = np.sin(b), np.cos(b)
    slope = 3 * b**2 * s + b**3 * c
    return [0.0, slope], [[0.0, 0.0], [0.0, 6 * b * s + 6 * b**2 * c - b**3 * s]]


def in_a_loop_by_hand() -> tuple[Any, Any]:
    """Of 6 * sin(b) * b + 3 * b**2."""
    s, c = np.sin(b), np.cos(b)
    return [0.0, 6 * (s + b * c) + 6 * b], [[0.0, 0.0], [0.0, 6 * (2 * c - b * s) + 6]]


def of_items_by_hand() -> tuple[Any, Any]:
    """Of exp(a) * a**3 + a * b."""
    e = np.exp(a)
    gradient = [e * (a**3 + 3 * a**2) + b, a]
    return gradient, [[e * (a**3 + 6 * a**2 + 6 * a), 1.0], [1.0, 0.0]]


CASES = [
    (of_callees, of_callees_by_hand),
    (in_a_loop, in_a_loop_by_hand),
    (of_items, of_items_by_hand),
]


@pytest.mark.parametrize(("function", "by_hand"), CASES, ids=lambda one: one.__name__)
def test_derivatives_of_calls_that_are_staged_again(function: Any, by_hand: Any) -> None:
    gradient, hessian = by_hand()
    along = np.array([0.7, -1.3])
    for _ in range(2):
        np.testing.assert_allclose(symdiff.grad(function)(X), gradient, rtol=1e-13, atol=1e-14)
        value, slope = symdiff.jvp(function, (X,), (along,))
        assert value == function(X)
        np.testing.assert_allclose(slope, np.dot(gradient, along), rtol=1e-13)
        np.testing.assert_allclose(symdiff.hessian(function)(X), hessian, rtol=1e-12, atol=1e-13)


def three_names(x: Any) -> Any:
    def one(bound: float) -> Any:
        p = None
        for value in x:
            if value > bound:
                p = value
        return 1.0 if p is None else p

    def two(bound: float) -> Any:
        q = None
        for value in x:
            if value < bound:
                q = value * 2.0
        return 1.0 if q is None else q

    def three(bound: float) -> Any:
        r = None
        for value in x:
            if value < bound:
                r = value * 3.0
        return 1.0 if r is None else r

    return one(0.1) * two(0.9) * three(0.9)


def test_what_is_found_in_later_calls_is_refined_for_them_alone(attempts: list[int]) -> None:
    symdiff.grad(three_names)(X)
    assert len(attempts) == 1
    np.testing.assert_allclose(symdiff.grad(three_names)(X), [0.0, 18.0 * b**2])


def test_an_item_that_one_call_needs_first_is_selected_in_the_first_attempt(
    attempts: list[int],
) -> None:
    def chosen(x: Any, k: int) -> Any:
        rows = [x[0] ** 2, [x[1], 2.0], x[0] * x[1]]
        return rows[2 * k] * 1.0

    def of_one_item(x: Any) -> Any:
        return chosen(x, int(x[0] * 10) % 2) * x[1]

    np.testing.assert_allclose(symdiff.grad(of_one_item)(X), [b**2, 2 * a * b], rtol=1e-13)
    assert len(attempts) == 1


def test_what_no_refinement_resolves_is_refused_as_ever() -> None:
    def refused(x: Any) -> Any:
        def kept(bound: float) -> Any:
            held = None
            for value in x:
                if value > bound:
                    held = value
            return 0.0 if held is None else held

        def unlike(bound: float) -> Any:
            found: Any = kept
            for value in x:
                if value > bound:
                    found = value
            return found

        return kept(0.1) * unlike(0.2), unlike(0.4)

    with pytest.raises(symdiff.UnsupportedSyntaxError, match="returns a function") as raised:
        symdiff.jacobian(refused)(X)
    assert raised.value.span is not None


FIRST, SECOND = 0, 0


def scaled(value: Any, unit: Any = None) -> Any:
    return value if unit is None else value * unit


def last_below(values: Any, bound: float) -> Any:
    held = None
    for value in values:
        if value < bound:
            held = scaled(value)
    return 1.0 if held is None else held


def test_what_is_read_again_by_a_call_that_is_staged_again_is_forgotten_once() -> None:
    def one(x: Any) -> Any:
        return [lowest(x, 0.5), "text"][FIRST] * 1.0

    def two(x: Any) -> Any:
        return [last_below(x, 1.0), "text"][SECOND] * 1.0

    np.testing.assert_allclose(symdiff.grad(lambda x: one(x) * two(x))(X), [0.0, 3 * b**2])
