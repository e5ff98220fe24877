"""Slices that are known to fit have the length that is added to where they begin; others do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.reference import richardson_gradient

Array = Any


def convolution(x: Array, k: Array) -> float:
    out = np.zeros(len(x) - len(k) + 1)
    for i in range(len(k)):
        out = out + k[i] * x[i : i + len(out)]
    return np.sum(np.sin(out))


def strided(x: Array, k: Array) -> float:
    total = 0.0
    for i in range(0, len(x) - len(k) + 1, 2):
        total += np.sum(np.sin(x[i : i + len(k)] * k))
    return total


def both_sides(x: Array, k: Array) -> float:
    out, h = np.zeros(len(x)), len(k)
    for i in range(h, len(x) - h + 1):
        out[i - 1] = np.sum(np.sin(x[i - h : i] * k)) + np.sum(x[i : i + h] * k)
    return np.sum(out**2)


def one_turn_too_many(x: Array, k: Array) -> float:
    """The last slice is shorter: of two numbers it is one, which is broadcast."""
    total = 0.0
    for i in range(len(x) - len(k) + 2):
        total += np.sum(np.sin(x[i : i + len(k)] * k))
    return total


def one_turn_too_early(x: Array, k: Array) -> float:
    """The first slice begins before the array, counted from its end."""
    total = 0.0
    for i in range(len(x) - len(k) + 1):
        part = x[i - 1 : i - 1 + len(k)]
        total += np.sum(np.sin(part)) * np.sum(k)
    return total


def of_another(x: Array, k: Array) -> float:
    """A slice as long as the other array of an array that may be shorter."""
    total = 0.0
    for i in range(len(x)):
        total += np.sum(np.sin(k[: i + 1] * 2.0) * x[0])
    return total


def growing(x: Array, k: Array) -> float:
    """A slice as long as an array that has another length in each turn."""
    y, total = np.zeros(len(x) - len(k) + 1), 0.0
    for i in range(len(k)):
        part = x[i : i + len(y)]
        total += np.sum(np.sin(part * k[0])) * len(part)
        y = np.concatenate([y, x[:1]])
    return total + np.sum(y)


def by_a_difference(x: Array, k: Array) -> float:
    n = x.shape[0] - k.shape[0] + 1
    y = np.zeros(n)
    for i in range(k.shape[0]):
        y += k[i] * x[i : i + n]
    return np.sum(np.sin(y))


def in_two_dimensions(x: Array, k: Array) -> float:
    X, K = np.outer(x, x), np.outer(k, k)
    (H, W), (h, w) = X.shape, K.shape
    y = np.zeros((H - h + 1, W - w + 1))
    for i in range(h):
        for j in range(w):
            y += K[i, j] * X[i : i + H - h + 1, j : j + W - w + 1]
    return np.sum(np.sin(y))


def with_a_margin(x: Array, k: Array) -> float:
    """An array of one element fewer: also a longer slice has the length that is added."""
    n = len(x) - len(k)
    y = np.ones(n)
    for i in range(len(k)):
        y[:] = y + k[i] * x[i : i + n + 1][1:]
    return np.sum(y**2)


def of_what_is_not_made(x: Array, k: Array) -> float:
    """A difference that is negative at some sizes: the slice ends before the end of the array."""
    n, total = len(x) - len(k), 0.0
    for i in range(len(k)):
        total += np.sum(np.sin(x[i : i + n]) * x[-1])
    return total


def of_what_is_made_later(x: Array, k: Array) -> float:
    n, total = len(x) - len(k), 0.0
    for i in range(len(k)):
        total += np.sum(np.sin(x[i : i + n]) * x[-1])
    return total + np.sum(np.zeros(abs(n))) + np.sum(np.zeros(max(n, 0)))


def of_what_an_arm_makes(x: Array, k: Array) -> float:
    n, total = len(x) - len(k), 0.0
    if n > 0:
        total += np.sum(np.zeros(n) + x[:n])
    for i in range(len(k)):
        total += np.sum(np.sin(x[i : i + n]) * x[-1])
    return total


def of_what_could_not_be_made(x: Array, k: Array) -> float:
    n, total = len(x) - len(k), 0.0
    try:
        y = np.zeros(n)
    except ValueError:
        y = np.zeros(1)
    for i in range(len(k)):
        total += np.sum(np.sin(x[i : i + n]) * x[-1]) + np.sum(y)
    return total


FITTING: list[Callable[..., float]] = [convolution, strided, both_sides]
FITTING += [by_a_difference, in_two_dimensions, with_a_margin]
CLIPPED: list[Callable[..., float]] = [one_turn_too_many, one_turn_too_early, of_another, growing]
CLIPPED += [of_what_is_not_made, of_what_is_made_later, of_what_an_arm_makes]
CLIPPED += [of_what_could_not_be_made]
SIZES = [(9, 4), (9, 2), (5, 5), (3, 2), (2, 2), (3, 1), (2, 3), (1, 1)]


@pytest.mark.parametrize("f", FITTING, ids=lambda f: f.__name__)
def test_slices_that_fit_are_not_asked_for_their_lengths(f: Callable[..., float]) -> None:
    gradient = sd.grad(f, argnums=(0, 1))
    text = gradient.source(np.ones(9), np.ones(4))
    assert "keepdims" not in text
    assert "].shape" not in text
    assert "append" not in text


@pytest.mark.parametrize("f", [*FITTING, *CLIPPED], ids=lambda f: f.__name__)
@pytest.mark.parametrize(("n", "m"), SIZES)
def test_gradients_of_slices_in_loops(f: Callable[..., float], n: int, m: int) -> None:
    rng = np.random.default_rng(n + 10 * m)
    x, k = rng.normal(size=n), rng.normal(size=m)
    try:
        expected = [richardson_gradient(f, (x, k), j).value for j in (0, 1)]
    except ValueError:
        with pytest.raises(ValueError):
            sd.grad(f, argnums=(0, 1))(x, k)
        return
    found = sd.grad(f, argnums=(0, 1))(x, k)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-8, atol=1e-9)


def hadamard(x: Array, k: Array) -> float:
    x, h = x.copy(), 1
    while h < len(x):
        for i in range(0, len(x), 2 * h):
            a, b = x[i : i + h].copy(), x[i + h : i + 2 * h].copy()
            x[i : i + h] = a + b
            x[i + h : i + 2 * h] = a - b
        h *= 2
    return np.sum(x**4) * np.sum(k)


def scaled_in_parts(x: Array, k: Array) -> float:
    """Of 7 numbers by 4, three at a time, the second part is multiplied by one number."""
    x = x.copy()
    for i in range(0, len(x) - 1, 3):
        x[i : i + 3] = np.sin(x[i : i + 3] + 1.0) * k[i : i + 3]
    return np.sum(x**2)


def of_what_grows(x: Array, k: Array) -> float:
    """A part as long as what it is computed of, beside one that may be of length 1."""
    total = 0.0
    for i in range(1, len(x)):
        part = x[:i] * 2.0 + k[:i]
        y = x.copy()
        y[:i] = part * k[0]
        total += np.sum(y**2) * i
    return total


@pytest.mark.parametrize("f", [hadamard, scaled_in_parts, of_what_grows], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    ("n", "m"), [(4, 4), (8, 3), (2, 2), (7, 4), (6, 4), (5, 2), (3, 3), (1, 1)]
)
def test_gradients_of_parts_that_are_stored(f: Callable[..., float], n: int, m: int) -> None:
    test_gradients_of_slices_in_loops(f, n, m)


def one_part_alone(x: Array, k: Array) -> float:
    """Two parts of which one is stored in: the other may be of length 1."""
    x = x.copy()
    for i in range(0, len(x) - 1, 3):
        x[i : i + 3] = x[i : i + 3] * np.sin(k[i : i + 3])
    return np.sum(x**2)


def over_and_under(x: Array, k: Array) -> float:
    """Parts of two arrays that are as long once both are stored in, over a detour."""
    x, k = x.copy(), k.copy()
    for i in range(0, len(x), 2):
        both = np.sin(x[i : i + 2]) * k[i : i + 2]
        x[i : i + 2] = both + 1.0
        k[i : i + 2] += 2.0 * both
    return np.sum(x**2) + np.sum(k**3)


def only_sometimes(x: Array, k: Array) -> float:
    """Parts of which it is known in one branch alone that they are as long."""
    x = x.copy()
    for i in range(0, len(x), 2):
        a, b = x[i : i + 2].copy(), k[i : i + 2].copy()
        both = np.sin(a) * b
        if np.sum(a) > 0:
            x[i : i + 2] = both
            k = k.copy()
            k[i : i + 2] = both + 1.0
        else:
            x[i] += np.sum(both**2)
    return np.sum(x**2) + np.sum(k)


@pytest.mark.parametrize(
    "f", [one_part_alone, over_and_under, only_sometimes], ids=lambda f: f.__name__
)
@pytest.mark.parametrize(
    ("n", "m"), [(4, 4), (8, 3), (2, 2), (7, 4), (6, 4), (5, 3), (3, 3), (1, 1), (4, 3)]
)
def test_gradients_of_parts_beside_others(f: Callable[..., float], n: int, m: int) -> None:
    test_gradients_of_slices_in_loops(f, n, m)


def test_what_is_stored_in_two_parts_that_it_is_computed_of_makes_them_as_long() -> None:
    both = np.ones(8), np.ones(7)
    assert "keepdims" not in sd.grad(hadamard).source(*both)
    assert "keepdims" not in sd.grad(over_and_under, argnums=(0, 1)).source(*both)
    assert "keepdims" in sd.grad(one_part_alone, argnums=1).source(*both)
    assert "keepdims" in sd.grad(only_sometimes, argnums=(0, 1)).source(*both)


def test_loops_in_a_while_loop_go_backwards_over_the_same_range() -> None:
    text = sd.grad(hadamard).source(np.ones(8), np.ones(3))
    assert "for i in reversed(range(0, x.shape[0], h1)):" in text
