"""Products of derivatives are written into an array that nothing reads any more."""

from __future__ import annotations

from typing import Any

import numpy as np

import symdiff as sd


def polynomial(x: Any) -> Any:
    k = 1.0 / (1.0 + x)
    return np.sum(k * (0.3 + k * (-0.35 + k * (1.78 + k * (-1.82 + k * 1.33)))))


def quotients(x: Any, y: Any) -> Any:
    a = x / y
    b = (a + 2.0 * y) / y
    return np.sum((b + np.sin(a)) / y)


def scaled_rows(x: Any, y: Any) -> Any:
    k = 1.0 / (1.0 + x)
    return np.sum(y * (k * (0.3 + k * (y - k * (1.5 + k)))))


def _slopes(function: Any, arguments: tuple[Any, ...], place: int) -> Any:
    found = np.zeros(arguments[place].shape)
    for at in np.ndindex(found.shape):
        moved = [a.astype(complex) for a in arguments]
        moved[place][at] += 1e-30j
        found[at] = function(*moved).imag * 1e30
    return found


def test_products_are_written_in_place() -> None:
    x = np.linspace(0.1, 2.0, 7)
    assert "*= k" in sd.grad(scaled_rows, argnums=(0, 1)).source(x, np.stack((x, x)))
    for shape in ((7,), (1,), (0,), ()):
        given = np.resize(x, shape) if 0 not in shape else np.zeros(shape)
        before = given.copy()
        found = sd.grad(polynomial)(given)
        np.testing.assert_allclose(found, _slopes(polynomial, (given,), 0), rtol=1e-12)
        np.testing.assert_array_equal(found, sd.grad(polynomial)(given))
        np.testing.assert_array_equal(given, before)
    single = sd.grad(polynomial)(x.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, _slopes(polynomial, (x,), 0), rtol=3e-5)


def test_operands_that_are_broadcast_or_read_again_stay() -> None:
    x, y = np.linspace(0.1, 2.0, 4), np.linspace(0.5, 1.5, 12).reshape(3, 4)
    for function in (quotients, scaled_rows):
        gradients = sd.grad(function, argnums=(0, 1))(x, y)
        for place, found in enumerate(gradients):
            np.testing.assert_allclose(found, _slopes(function, (x, y), place), rtol=1e-12)
        same = sd.grad(function, argnums=(0, 1))(y, y)
        for place, found in enumerate(same):
            np.testing.assert_allclose(found, _slopes(function, (y, y), place), rtol=1e-12)
        tangent = sd.jvp(function, (x, y), (np.cos(x), np.sin(y)))[1]
        expected = np.sum(gradients[0] * np.cos(x)) + np.sum(gradients[1] * np.sin(y))
        np.testing.assert_allclose(tangent, expected, rtol=1e-12)


def test_second_derivatives_of_products_in_place() -> None:
    x = np.linspace(0.1, 2.0, 5)
    h, v = 1e-3, np.cos(np.arange(5.0))
    slopes = [_slopes(polynomial, (x + k * h * v,), 0) for k in (1, -1, 2, -2)]
    second = (8.0 * (slopes[0] - slopes[1]) - (slopes[2] - slopes[3])) / (12.0 * h)
    np.testing.assert_allclose(sd.hvp(polynomial)(x, v), second, rtol=1e-8, atol=1e-10)
