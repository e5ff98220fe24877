"""What staging has found is kept where it begins again, and calls fix what they alone have read."""

from __future__ import annotations

import linecache
import types
from typing import Any

import numpy as np
import pytest

import symdiff

TABLES = {k: np.array([[k + 1.0, 2.0, 0.5], [3.0, k + 4.0, 0.25]]) for k in range(4)}
FIRST, SECOND, THIRD, FOURTH = TABLES.values()
SHARED = np.array([[1.5, 2.0, 0.5], [3.0, 4.0, 0.25]])
HOLDER = types.SimpleNamespace(order=2, table=np.array([[2.0, 0.5]]), terms=3)
DEGREE = 2
X = np.array([0.3, 0.8])
a, b = X


def row(table: Any, k: int) -> Any:
    p, q, r = table[k]
    return p, q, r


def by_first(x: Any) -> Any:
    p, q, r = FIRST[0]
    return p * x[0] ** 2 + q * x[1] + r


def by_second(x: Any) -> Any:
    p, q, r = SECOND[1]
    return p * np.sin(x[0]) * q + r * x[1]


def by_third(x: Any) -> Any:
    p, q, r = THIRD[0]
    return (p + q) * x[0] * x[1] ** 2 - r


def by_fourth(x: Any) -> Any:
    def inner(y: Any) -> Any:
        p, q, r = row(FOURTH, 1)
        return p * np.exp(y) + q + r

    return inner(x[0]) * x[1]


def last_above(values: Any, bound: float) -> Any:
    found = None
    for value in values:
        if value > bound:
            found = value
    return found


def of_tables(x: Any) -> Any:
    found = last_above(x, 0.5)
    scale = 1.0 if found is None else found
    return scale * (by_first(x) + by_second(x) + by_third(x) + by_fourth(x))


def of_tables_by_hand(x0: float, x1: float) -> tuple[float, list[float]]:
    """The value and the gradient where the last element is above the bound."""
    s, c, e = np.sin(x0), np.cos(x0), np.exp(x0)
    inner = x0**2 + 2 * x1 + 0.5 + 15 * s + 0.25 * x1 + 5 * x0 * x1**2 - 0.5
    inner += (3 * e + 7 + 0.25) * x1
    first = 2 * x0 + 15 * c + 5 * x1**2 + 3 * e * x1
    second = 2.25 + 10 * x0 * x1 + 3 * e + 7.25
    return x1 * inner, [x1 * first, inner + x1 * second]


def hessian_of(gradient: Any) -> Any:
    """The extrapolated central differences of a gradient by hand."""

    def slopes(h: float) -> Any:
        steps = h * np.eye(2)
        return [(gradient(*(X + s)) - gradient(*(X - s))) / (2 * h) for s in steps]

    return (4 * np.array(slopes(5e-4)) - np.array(slopes(1e-3))) / 3


def test_sizes_that_calls_alone_have_read_are_fixed_in_their_midst(attempts: list[int]) -> None:
    symdiff.grad(of_tables)(X)
    assert len(attempts) <= 3


def test_derivatives_where_sizes_are_fixed_in_the_midst() -> None:
    value, gradient = of_tables_by_hand(a, b)
    along = np.array([0.7, -1.3])
    for _ in range(2):
        np.testing.assert_allclose(symdiff.grad(of_tables)(X), gradient, rtol=1e-13)
        found, slope = symdiff.jvp(of_tables, (X,), (along,))
        np.testing.assert_allclose(found, value, rtol=1e-14)
        np.testing.assert_allclose(slope, np.dot(gradient, along), rtol=1e-13)
    expected = hessian_of(lambda *x: np.array(of_tables_by_hand(*x)[1]))
    np.testing.assert_allclose(symdiff.hessian(of_tables)(X), expected, rtol=1e-8)


def test_another_size_of_a_table_compiles_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(x: Any) -> Any:
        total = by_first(x)
        for k, term in enumerate(THIRD[0]):
            total = total + term * x[0] * k
        return total + by_second(x)

    grad = symdiff.grad(counted)
    before = grad(X)
    expected = [2 * a + 3.0 + 15 * np.cos(a), 2.25]
    np.testing.assert_allclose(before, expected, rtol=1e-13)
    monkeypatch.setitem(globals(), "THIRD", np.array([[3.0, 2.0, 0.5, 1.5]]))
    np.testing.assert_allclose(grad(X), [expected[0] + 3 * 1.5, 2.25], rtol=1e-13)
    monkeypatch.setitem(globals(), "SECOND", np.array([[1.0, 2.0], [3.0, 4.0]]))
    with pytest.raises(ValueError, match="unpack"):
        grad(X)


def test_a_size_of_what_was_read_before_the_call_is_fixed_from_the_start() -> None:
    def unpacked(x: Any) -> Any:
        p, q, r = SHARED[0]
        return p * x[0] + q * x[1] + r

    def of_shared(x: Any) -> Any:
        whole = np.sum(SHARED) * x[0]
        return by_first(x) + whole * unpacked(x)

    inner = 1.5 * a + 2 * b + 0.5
    total = np.sum(SHARED)
    expected = [2 * a + total * inner + total * a * 1.5, 2.0 + total * a * 2.0]
    np.testing.assert_allclose(symdiff.grad(of_shared)(X), expected, rtol=1e-13)
    np.testing.assert_allclose(
        symdiff.hessian(of_shared)(X), [[2 + 3 * total, 2 * total], [2 * total, 0.0]], rtol=1e-13
    )


def test_a_table_that_is_read_again_and_written_after_the_call() -> None:
    table = np.array([[1.0, 2.0, 0.5]])

    def unpacked(x: Any) -> Any:
        p, q, r = table[0]
        return p * x[0] + q * x[1] * r

    def writing(x: Any) -> Any:
        first = by_first(x) + unpacked(x)
        table[0, 1] += 1.0
        second = unpacked(x) * np.sum(table)
        table[0, 1] -= 1.0
        return first + second

    expected = [2 * a + 1.0 + 4.5, 2.0 + 1.0 + 1.5 * 4.5]
    grad = symdiff.grad(writing)
    for _ in range(2):
        np.testing.assert_allclose(grad(X), expected, rtol=1e-13)
        np.testing.assert_array_equal(table, [[1.0, 2.0, 0.5]])


def test_numbers_and_attributes_that_calls_alone_have_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def shaped(x: Any) -> Any:
        return np.sum(np.stack([x, x * x]), axis=HOLDER.order - 2)[0]

    def stacked(x: Any) -> Any:
        tower = np.expand_dims(x, tuple(range(HOLDER.terms)))
        return np.sum(tower**2)

    def powers(x: Any) -> Any:
        rest = (1.0, x[1], x[1] ** 3)
        return rest[DEGREE]

    def of_numbers(x: Any) -> Any:
        return by_first(x) * shaped(x) + stacked(x) + powers(x) * (1.0 if x[0] > 9 else 2.0)

    first, second = a**2 + 2 * b + 0.5, a + a * a
    expected = [2 * a * second + first * (1 + 2 * a) + 2 * a, 2 * second + 2 * b + 6 * b**2]
    grad = symdiff.grad(of_numbers)
    np.testing.assert_allclose(grad(X), expected, rtol=1e-13)
    monkeypatch.setattr(HOLDER, "terms", 1)
    np.testing.assert_allclose(grad(X), expected, rtol=1e-13)
    monkeypatch.setitem(globals(), "DEGREE", 1)
    np.testing.assert_allclose(grad(X), [expected[0], expected[1] - 6 * b**2 + 2], rtol=1e-13)


def test_calls_in_both_arms_that_read_one_table_first() -> None:
    def in_arms(x: Any) -> Any:
        start = by_first(x)
        y = by_second(x) if x[0] > 0.0 else by_second(-x) * np.sum(SECOND)
        return start + y + by_second(x * x)

    def by_hand(x0: float, x1: float) -> list[float]:
        found = [2 * x0, 2.0]
        if x0 > 0.0:
            found = [found[0] + 15 * np.cos(x0), found[1] + 0.25]
        else:
            factor = np.sum(SECOND)
            found = [found[0] - 15 * np.cos(-x0) * factor, found[1] - 0.25 * factor]
        return [found[0] + 30 * x0 * np.cos(x0**2), found[1] + 0.5 * x1]

    grad = symdiff.grad(in_arms)
    for x in (X, -X, X):
        np.testing.assert_allclose(grad(x), by_hand(*x), rtol=1e-13)


def test_what_the_loops_of_calls_ask_for() -> None:
    def in_a_loop(x: Any, turns: int) -> Any:
        total = by_first(x)
        for _ in range(turns):
            total = total * 0.5 + by_third(x)
        return total

    grad = symdiff.grad(in_a_loop)
    slope = np.array([5 * b**2, 10 * a * b])
    for turns, factor in ((0, 0.0), (1, 1.0), (3, 1.75), (0, 0.0)):
        expected = np.array([2 * a, 2.0]) * 0.5**turns + slope * factor
        np.testing.assert_allclose(grad(X, turns), expected, rtol=1e-13)


def of_many(count: int) -> Any:
    """A function of calls each of which unpacks rows of a table of its own."""
    names = [f"TABLE_{k}" for k in range(count)]
    text = "".join(
        f"def by_{k}(x):\n    p, q = {name}[0]\n    return p * x * q\n"
        for k, name in enumerate(names)
    )
    text += "def total(x):\n    return " + " + ".join(f"by_{k}(x)" for k in range(count))
    scope: dict[str, Any] = {name: np.array([[2.0, 0.5 * k]]) for k, name in enumerate(names)}
    path = f"<tables {count}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    exec(compile(text, path, "exec"), scope)
    return scope["total"]


@pytest.mark.parametrize("count", [3, 10, 30])
def test_as_many_attempts_for_any_number_of_tables(attempts: list[int], count: int) -> None:
    total = of_many(count)
    symdiff.grad(total)(1.5)
    assert len(attempts) <= 2
    assert symdiff.grad(total)(1.5) == sum(1.0 * k for k in range(count))


def test_a_refusal_after_restarts_is_told_as_ever() -> None:
    def refused(x: Any) -> Any:
        scale = by_first(x) + by_second(x)
        held = last_above(x, 0.2)
        exec("held = 1.0")
        return scale * (1.0 if held is None else held)

    with pytest.raises(symdiff.SymdiffError, match="exec") as raised:
        symdiff.jacobian(refused)(X)
    assert raised.value.span is not None
