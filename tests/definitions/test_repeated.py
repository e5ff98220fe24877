"""``ufunc.at``: what NumPy makes of it, places that repeat among them, and derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from tests.definitions.calls import check

V = np.array([0.3, 1.2, -0.7, 2.0])
B = np.array([1.5, 0.8, 2.5])
M = np.outer(V, B)


def applied(ufunc: np.ufunc, key: Any) -> Any:
    def changed(x: Any, b: Any) -> Any:
        y = x * 1.0
        assert ufunc.at(y, key, b) is None
        return y * y

    return changed


@pytest.mark.parametrize("ufunc", [np.multiply, np.maximum, np.minimum])
@pytest.mark.parametrize(
    ("x", "key", "b"),
    [
        (V, [1, 1, 3], B),
        (V, np.array([2, -2, 2]), B),
        (V, [[0, 1], [1, 0]], M[:2, :2]),
        (V, 2, 1.7),
        (V, slice(None, None, 2), 1.7),
        (V, V > 0.5, 1.7),
        (M, ([0, 0, 1], [1, 1, 2]), B),
        (M, [3, 3, 0], B),
        (M, (slice(None), [0, 2, 0]), B),
        (M, ..., B),
        (V, np.zeros(0, int), 2.0),
    ],
)
def test_at(ufunc: np.ufunc, x: Any, key: Any, b: Any) -> None:
    check(applied(ufunc, key), x, b, wrt=(0, 1))


def test_a_factor_of_zero() -> None:
    """The product of the others, as it is for the elements of a product."""
    b = np.array([0.0, 3.0, 0.0])
    jacobian = sd.jacobian(applied_once, argnums=1)(V, b)
    expected = [[0.0, 0, 0], [3.6, 0, 0], [0, 0, 0], [0, 0, 2.0]]
    np.testing.assert_allclose(jacobian, expected, rtol=1e-15)


def applied_once(x: Any, b: Any) -> Any:
    y = x.copy()
    np.multiply.at(y, [1, 1, 3], b)
    return y


def test_a_view_and_an_argument_of_single_precision() -> None:
    def changed(x: Any) -> Any:
        y = np.outer(x, x)
        np.multiply.at(y.T, [1, 1], x)
        np.maximum.at(y[1:, 0], [0, 0], np.float32(0.4))
        return y

    check(changed, V)
    x = V.astype("float32")
    value = sd.vjp(changed, x)[0]
    assert value.dtype == np.float32
    np.testing.assert_array_equal(value, changed(x))


def test_an_array_of_integers_takes_what_is_left_of_a_product() -> None:
    """As NumPy does it: the cast is unsafe, and no derivative flows through."""

    def changed(x: Any) -> Any:
        counts = np.ones(3, int)
        np.multiply.at(counts, [0, 1, 1], x[:3] * 4.0)
        return np.sum(counts * x[:3])

    value, slope = sd.value_and_grad(changed)(V)
    assert value == changed(V)
    np.testing.assert_array_equal(slope, [1.0, -11.0, 1.0, 0.0])


def test_others_are_refused_by_name() -> None:
    def changed(x: Any) -> Any:
        y = x.copy()
        np.divide.at(y, [0, 0], 2.0)
        return np.sum(y)

    with pytest.raises(UnsupportedCallError, match="divide"):
        sd.grad(changed)(V)
