"""Comparisons of floats outside that structure depends on: what they give is fixed, not the floats.

The floats themselves are read at each call, and differentiated by as before. Another outcome is
another program.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdiff

LIMIT = 1.5
MODEL = types.SimpleNamespace(low=1.0, high=2.0, scale=3.0)
X = np.array([[0.5, 2.0, 1.0], [3.0, 1.5, 0.25]])


def by_limit(x: Any) -> Any:
    return LIMIT * np.sum(np.sum(x, axis=int(LIMIT < 2.0)) ** 2)


def squared_sums(axis: int) -> Any:
    """The gradient of ``np.sum(np.sum(x, axis) ** 2)`` at X."""
    return np.broadcast_to(2.0 * X.sum(axis=axis, keepdims=True), X.shape)


def test_floats_that_compare_alike_run_one_program(monkeypatch: pytest.MonkeyPatch) -> None:
    f = symdiff.differentiable(by_limit)
    for limit, axis, programs in ((1.5, 1, 1), (0.25, 1, 1), (4.0, 0, 2), (2.0, 0, 2), (1.0, 1, 2)):
        monkeypatch.setitem(globals(), "LIMIT", limit)
        np.testing.assert_array_equal(f.grad(X), limit * squared_sums(axis))
        assert len(f.grad.signatures()) == programs
    first, second = f.grad.signatures()
    assert first.endswith("LIMIT < 2.0)")
    assert second.endswith("not (LIMIT < 2.0))")


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_each_comparison_and_each_number(
    monkeypatch: pytest.MonkeyPatch, name: str, swapped: bool, kind: Callable[[float], Any]
) -> None:
    compare = getattr(operator, name)

    def left(x: Any) -> Any:
        return np.sum(np.sum(x, axis=int(compare(LIMIT, 2.0))) ** 2)

    def right(x: Any) -> Any:
        return np.sum(np.sum(x, axis=int(compare(2.0, LIMIT))) ** 2)

    gradient = symdiff.grad(right if swapped else left)
    for value in (1.5, 2.0, 2.5, np.nan, -np.inf, 1.5):
        limit = kind(value)
        monkeypatch.setitem(globals(), "LIMIT", limit)
        outcome = compare(2.0, limit) if swapped else compare(limit, 2.0)
        np.testing.assert_array_equal(gradient(X), squared_sums(int(outcome)))


def of_two(x: Any) -> Any:
    rank = 1 + (MODEL.low < MODEL.high)
    return MODEL.scale * np.ones((2,) * rank).sum() * x


def test_two_floats_outside_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    f = symdiff.differentiable(of_two)
    for low, high, slope in (
        (1.0, 2.0, 12.0),
        (-3.0, 1.5, 12.0),
        (5.0, 5.0, 6.0),
        (0.0, 7.0, 12.0),
    ):
        monkeypatch.setattr(MODEL, "low", low)
        monkeypatch.setattr(MODEL, "high", high)
        assert f.grad(1.0) == slope
    told = [line.partition("; ")[2] for line in f.grad.signatures()]
    assert told == ["MODEL.low < MODEL.high)", "not (MODEL.low < MODEL.high))"]


def of_truth(x: Any) -> Any:
    return np.sum(np.sum(x, axis=1 if LIMIT else 0) ** 2) + np.sum(x, axis=int(bool(LIMIT)))[0]


def test_a_float_is_true_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = symdiff.grad(of_truth)
    for limit, axis in ((1.5, 1), (0.0, 0), (-0.0, 0), (np.nan, 1), (2.5, 1)):
        monkeypatch.setitem(globals(), "LIMIT", limit)
        first = np.zeros_like(X)
        first[(0,) if axis else (slice(None), 0)] = 1.0
        np.testing.assert_array_equal(gradient(X), squared_sums(axis) + first)
    assert len(gradient.signatures()) == 2


def test_a_derivative_inside_by_the_float_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_inner(x: Any) -> Any:
        size = np.sum(np.sum(x, axis=int(LIMIT < 2.0)) ** 2)
        return symdiff.grad(lambda a: a**3 * size)(LIMIT)

    gradient = symdiff.grad(of_inner)
    for limit in (1.5, 0.5):
        monkeypatch.setitem(globals(), "LIMIT", limit)
        np.testing.assert_allclose(gradient(X), 3.0 * limit**2 * squared_sums(1), rtol=1e-15)


def test_a_float_that_is_differentiated_by_decides_no_structure() -> None:
    def inside(x: Any) -> Any:
        return symdiff.grad(lambda a: a * np.sum(np.sum(x, axis=int(a < 2.0)) ** 2))(LIMIT)

    def of_argument(a: float, x: Any) -> Any:
        return a * np.sum(np.sum(x, axis=int(a < 2.0)) ** 2)

    for gradient, arguments in (
        (symdiff.grad(inside), (X,)),
        (symdiff.grad(of_argument, argnums=1), (1.5, X)),
    ):
        with pytest.raises(symdiff.UnsupportedSyntaxError, match="structure depends on"):
            gradient(*arguments)


def counted(x: float) -> Any:
    value = x * np.ones((2,) * (1 + (MODEL.low < 3.0))).sum()
    MODEL.low = MODEL.low + 1.0
    return value * np.ones((2,) * (1 + (MODEL.low < 3.0))).sum()


def test_what_the_call_wrote_is_not_what_stood_there_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(MODEL, "low", 0.0)
    gradient = symdiff.grad(counted)
    assert [gradient(3.0) for _ in range(5)] == [16.0, 16.0, 8.0, 4.0, 4.0]
    assert MODEL.low == 5.0


def test_other_kinds_of_number_compile_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = symdiff.grad(by_limit)
    for limit in (1.5, 1, np.float32(1.25), np.float64(0.5), 3, np.int8(0), True):
        monkeypatch.setitem(globals(), "LIMIT", limit)
        expected = float(limit) * squared_sums(int(limit < 2.0))
        np.testing.assert_array_equal(gradient(X), expected)


def made(name: str, order: float, of: Any) -> Any:
    return types.SimpleNamespace(name=name, order=order, of=of)


PARTS = [made("sine", 3.0, np.sin), made("exp", 1.0, np.exp), made("cube", 2.0, lambda x: x**3)]


def by_order(part: Any) -> Any:
    return part.order


def by_order_and_name(part: Any) -> Any:
    return part.order, part.name


def in_turn(x: Any, key: Any) -> Any:
    found: dict[str, Any] = {}
    for part in sorted(PARTS, key=key):
        found[part.name] = part.of(x)
        x = x + found[part.name] * part.order
    return x + found["exp"]


def slope_in_turn(x: float, key: Any) -> float:
    """The same by numbers that carry their slope."""
    slopes = {"sine": np.cos, "exp": np.exp, "cube": lambda x: 3.0 * x**2}
    slope, of_exp = 1.0, 0.0
    for part in sorted(PARTS, key=key):
        moved = slopes[part.name](x) * slope
        of_exp = moved if part.name == "exp" else of_exp
        x, slope = x + part.of(x) * part.order, slope + moved * part.order
    return slope + of_exp


@pytest.mark.parametrize(("key", "programs"), [(by_order, 2), (by_order_and_name, 3)])
def test_an_order_is_told_by_the_comparisons_of_the_sort(
    monkeypatch: pytest.MonkeyPatch, key: Any, programs: int
) -> None:
    f = symdiff.differentiable(in_turn)
    orders = ((3.0, 1.0, 2.0), (2.5, -1.0, 0.5), (1.0, 1.0, 1.0), (0.0, 1.0, 2.0), (30.0, 2.0, 4.0))
    for given in orders:
        for part, order in zip(PARTS, given, strict=True):
            monkeypatch.setattr(part, "order", order)
        np.testing.assert_allclose(f.grad(0.25, key), slope_in_turn(0.25, key), rtol=1e-13)
    assert sum(f"{key.__name__} at" in line for line in f.grad.signatures()) == programs


def test_a_closure_made_anew_is_checked_by_its_own_floats() -> None:
    def gradient(limit: float) -> Any:
        return symdiff.grad(lambda x: limit * np.sum(np.sum(x, axis=int(limit < 2.0)) ** 2))(X)

    for limit in (1.5, 0.5, 2.5, 1.0, 3.0):
        np.testing.assert_array_equal(gradient(limit), limit * squared_sums(int(limit < 2.0)))


def test_tangents_second_derivatives_lanes_and_pullbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    row = np.array([[1.0, 0.0, 2.0], [0.0, 0.5, 0.0]])
    hessian, forward = symdiff.hvp(by_limit), symdiff.differentiable(by_limit)
    lanes = symdiff.vmap(symdiff.grad(by_limit))
    for limit, axis in ((1.5, 1), (0.5, 1), (2.5, 0)):
        monkeypatch.setitem(globals(), "LIMIT", limit)
        product = limit * np.broadcast_to(2.0 * row.sum(axis=axis, keepdims=True), X.shape)
        np.testing.assert_array_equal(hessian(X, row), product)
        np.testing.assert_array_equal(
            forward.jvp((X,), (row,))[1], np.sum(limit * squared_sums(axis) * row)
        )
        np.testing.assert_array_equal(
            lanes(np.stack([X, 2.0 * X]))[1], 2 * limit * squared_sums(axis)
        )
        np.testing.assert_array_equal(forward.vjp(X)[1](1.0)[0], limit * squared_sums(axis))


def test_a_module_keeps_the_floats_that_it_was_made_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    f = symdiff.differentiable(by_limit)
    path = tmp_path / "by_limit_grad.py"
    f.grad.export(path, X)
    monkeypatch.setitem(globals(), "LIMIT", 4.0)
    scope: dict[str, Any] = {"__name__": "by_limit_grad"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    np.testing.assert_array_equal(scope["by_limit_grad"](X), 1.5 * squared_sums(1))
    np.testing.assert_array_equal(f.grad(X), 4.0 * squared_sums(0))


def until_larger(x: Any) -> Any:
    count = 0
    while count < len(PARTS) and PARTS[count].order < LIMIT:
        count += 1
    return np.ones((2,) * count).sum() * x


def some_of(x: Any) -> Any:
    yield x
    if LIMIT < 2.0:
        yield x**2
    if MODEL.low < MODEL.high:
        yield x**3


def gone_on_with(x: Any) -> Any:
    found = some_of(x)
    first, second = next(found), next(found, 1.0)
    rest = list(found)
    return first * second + sum(rest) * len(rest)


def test_a_loop_ends_where_a_float_outside_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = symdiff.grad(until_larger)
    for part, order in zip(PARTS, (1.0, 2.0, 3.0), strict=True):
        monkeypatch.setattr(part, "order", order)
    for limit, slope in ((2.5, 4.0), (0.5, 1.0), (2.25, 4.0), (9.0, 8.0), (-1.0, 1.0)):
        monkeypatch.setitem(globals(), "LIMIT", limit)
        assert gradient(3.0) == slope
    assert len(gradient.signatures()) == 3


def test_a_generator_is_gone_on_with_where_floats_outside_say_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gradient = symdiff.grad(gone_on_with)
    for limit, high, slope in (
        (1.0, 2.0, 3.0 * 0.25 + 3.0 * 0.25),  # x * x**2 + x**3
        (3.0, 2.0, 4.0 * 0.125),  # x * x**3
        (1.5, 0.0, 3.0 * 0.25),  # x * x**2
        (2.0, 0.5, 1.0),  # x
        (0.5, 7.0, 3.0 * 0.25 + 3.0 * 0.25),
    ):
        monkeypatch.setitem(globals(), "LIMIT", limit)
        monkeypatch.setattr(MODEL, "high", high)
        assert gradient(0.5) == pytest.approx(slope, rel=1e-15)
    assert len(gradient.signatures()) == 4
