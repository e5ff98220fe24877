"""Floats outside that structure depends on: the program is that for their present values.

Floats of arguments are never fixed: derivatives by them would be lost.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

import symdiff

LIMIT = 1.5
TABLE = {1.5: 2.0, 2.5: 3.0, 0.0: 5.0}
MODEL = types.SimpleNamespace(order=2.5, scale=3.0)
X = np.array([[0.5, 2.0, 1.0], [3.0, 1.5, 0.25]])


def by_axis(x: Any) -> Any:
    return np.sum(np.sum(x, axis=int(LIMIT)) ** 2)


def gradient_by_axis(axis: int) -> Any:
    return np.broadcast_to(2.0 * X.sum(axis=axis, keepdims=True), X.shape)


def test_a_float_decides_an_axis_and_another_value_compiles_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    f = symdiff.differentiable(by_axis)
    np.testing.assert_array_equal(f.grad(X), gradient_by_axis(1))
    monkeypatch.setitem(globals(), "LIMIT", 0.75)
    np.testing.assert_array_equal(f.grad(X), gradient_by_axis(0))
    monkeypatch.setitem(globals(), "LIMIT", 1.5)
    np.testing.assert_array_equal(f.grad(X), gradient_by_axis(1))
    assert "LIMIT == 1.5" in "\n".join(f.grad.signatures())


def of_key(x: float) -> float:
    return TABLE[LIMIT] * x**3


def test_a_float_is_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = symdiff.grad(of_key)
    assert gradient(2.0) == 24.0
    monkeypatch.setitem(globals(), "LIMIT", 2.5)
    assert gradient(2.0) == 36.0
    monkeypatch.setitem(globals(), "LIMIT", 7.0)
    with pytest.raises(KeyError):
        gradient(2.0)


def by_rank(x: float) -> Any:
    return np.copysign(1.0, LIMIT) * x * np.ones((2,) * (int(abs(LIMIT)) + 1)).sum()


def test_zeros_of_both_signs_are_two_values(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = symdiff.grad(by_rank)
    found = []
    for value in (0.0, -0.0, 0.0, 1.5):
        monkeypatch.setitem(globals(), "LIMIT", value)
        found.append(gradient(2.0))
    assert found == [2.0, -2.0, 2.0, 4.0]


def test_nan_is_fixed_by_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "LIMIT", np.nan)
    with pytest.raises(symdiff.UnsupportedSyntaxError, match="depends on 'LIMIT'"):
        symdiff.grad(by_axis)(X)


def of_model(x: float) -> Any:
    return MODEL.scale * np.ones((2,) * int(MODEL.order)).sum() * x


def test_other_floats_beside_it_are_read_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    f = symdiff.differentiable(of_model)
    assert f.grad(1.0) == 12.0
    monkeypatch.setattr(MODEL, "scale", 5.0)
    assert f.grad(1.0) == 20.0
    assert len(f.grad.signatures()) == 1
    monkeypatch.setattr(MODEL, "order", 3.0)
    assert f.grad(1.0) == 40.0
    assert len(f.grad.signatures()) == 2


def counted(x: float) -> Any:
    value = x * np.ones((2,) * int(MODEL.order)).sum()
    MODEL.order = MODEL.order + 1.0
    return value


def test_a_float_that_the_call_changes_is_the_present_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODEL, "order", 1.0)
    gradient = symdiff.grad(counted)
    assert [gradient(3.0) for _ in range(3)] == [2.0, 4.0, 8.0]
    assert MODEL.order == 4.0


class Beam:
    def __init__(self, order: float) -> None:
        self.order = order

    def load(self, x: Any) -> Any:
        return self.order * np.sum(np.sum(x, axis=int(self.order)) ** 2)


def of_argument(a: float, x: Any) -> Any:
    return a * np.sum(np.sum(x, axis=int(a)) ** 2)


def of_beam(beam: Beam, x: Any) -> Any:
    return beam.load(x)


@pytest.mark.parametrize(
    ("function", "arguments"), [(of_argument, (1.5, X)), (of_beam, (Beam(1.5), X))]
)
def test_floats_of_arguments_are_not_fixed(function: Any, arguments: Any) -> None:
    for number in (0, 1):
        with pytest.raises(symdiff.UnsupportedSyntaxError, match="known at run time only"):
            symdiff.grad(function, argnums=number)(*arguments)


def of_closure(a: float) -> Any:
    return symdiff.grad(lambda x: of_argument(a, x))(X)[0, 0]


def test_what_is_differentiated_by_is_not_fixed_where_a_closure_sees_it() -> None:
    with pytest.raises(symdiff.UnsupportedSyntaxError, match="known at run time only"):
        symdiff.grad(of_closure)(1.5)


def of_inner(x: Any) -> Any:
    return symdiff.grad(lambda a: a**2 * np.sum(np.sum(x, axis=int(LIMIT)) ** 2))(LIMIT)


def by_inner(x: Any) -> Any:
    return symdiff.grad(lambda a: of_argument(a, x))(LIMIT)


def test_a_derivative_inside_by_a_float_outside_is_not_lost() -> None:
    np.testing.assert_allclose(symdiff.grad(of_inner)(X), 2 * LIMIT * gradient_by_axis(1))
    with pytest.raises(symdiff.UnsupportedSyntaxError, match="structure depends on"):
        symdiff.grad(by_inner)(X)


def test_of_a_captured_object() -> None:
    beam = Beam(1.5)
    gradient = symdiff.grad(lambda x: beam.load(x))
    np.testing.assert_array_equal(gradient(X), 1.5 * gradient_by_axis(1))
    beam.order = 0.5
    np.testing.assert_array_equal(gradient(X), 0.5 * gradient_by_axis(0))


def test_second_derivatives_and_tangents() -> None:
    row = np.array([1.0, 0.0, 2.0, 0.0, 0.5, 0.0]).reshape(X.shape)
    value, slope = symdiff.jvp(by_axis, (X,), (row,))
    assert value == np.sum(X.sum(axis=1) ** 2)
    assert slope == 2.0 * np.sum(X.sum(axis=1) * row.sum(axis=1))
    product = symdiff.hvp(by_axis)(X, row)
    np.testing.assert_array_equal(product, 2.0 * np.broadcast_to(row.sum(1, keepdims=True), (2, 3)))
    lanes = np.stack([X, 2.0 * X])
    found = symdiff.vmap(symdiff.grad(by_axis))(lanes)
    np.testing.assert_array_equal(found, np.stack([gradient_by_axis(1), 2 * gradient_by_axis(1)]))
