"""Outer products that a loop adds up are multiplied once behind it, with the same sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.reference import directional, second_directional


def recurrent(W: Any, x: Any, n: Any) -> Any:
    h, s = x, 0.0
    for _ in range(n):
        h = np.tanh(W @ h)
        s += np.sum(h * h)
    return s


def driven(W: Any, V: Any, X: Any) -> Any:
    h = np.zeros(W.shape[0])
    for t in range(X.shape[0]):
        h = np.tanh(W @ h + V @ X[t])
    return h @ h


def driven_by_columns(V: Any, X: Any) -> Any:
    s = 0.0
    for t in range(X.shape[1]):
        s += np.sum(np.sin(V @ X[:, t]))
    return s


def driven_later(V: Any, X: Any, n: Any) -> Any:
    s = 0.0
    for t in range(n):
        s += np.sum(np.sin(V @ X[t + 1]) * (X[t] @ V))
    return s


def used_before(W: Any, x: Any) -> Any:
    for _ in range(3):
        x = x - 0.1 * np.sin(W @ x)
    return x @ W @ x


def two_products(W: Any, x: Any) -> Any:
    for _ in range(4):
        x = np.tanh(W @ x) - 0.3 * (x @ W)
    return np.sum(x)


def same_vector(W: Any, x: Any, n: Any) -> Any:
    s = 0.0
    for k in range(n):
        s += np.sum((W @ x) ** 2 * (k + 1.0) * np.sum(s + 1.0))
    return s


def repeated(W: Any, x: Any, n: Any) -> Any:
    s, y = 0.0, x
    for _ in range(n):
        y = np.sin(W @ x + y)
        s += np.sum(y)
    return s


def nested(W: Any, x: Any) -> Any:
    s = 0.0
    for _ in range(3):
        for _ in range(2):
            x = np.sin(W @ x)
        s += np.sum(x)
    return s


def backwards(W: Any, x: Any, n: Any) -> Any:
    h = x
    for k in range(n - 1, -1, -1):
        h = np.cos(W @ h * (k + 1.0))
    return np.sum(h)


def until_small(W: Any, x: Any) -> Any:
    while np.sum(x * x) > 0.1:
        x = 0.5 * np.sin(W @ x)
    return np.sum(x)


def left_early(W: Any, x: Any) -> Any:
    for _ in range(50):
        x = 0.5 * np.sin(W @ x)
        if np.sum(x * x) < 0.1:
            break
    return np.sum(x) * 3.0


def helper(W: Any, h: Any) -> Any:
    return np.tanh(W @ h)


def by_a_helper(W: Any, x: Any) -> Any:
    states = [x]
    for _ in range(4):
        states.append(helper(W, states[-1]))
    return np.sum(np.array(states) ** 2)


def chosen(W: Any, x: Any) -> Any:
    for k in range(4):
        x = np.sin(W @ x) if k % 2 else x + 0.1
    return np.sum(x)


def chosen_on_the_way(W: Any, x: Any, X: Any) -> Any:
    for t in range(X.shape[0]):
        if X[t, 0] > 0:
            x = np.tanh(W @ x + X[t])
        elif X[t, 1] > 0:
            x = np.sin(W @ x) - 0.5 * (x @ W)
        elif X[t, 2] > 0:
            x = x - 0.1 * np.cos(W @ X[t])
        else:
            x = x * 0.5
    return x @ x


def before_and_behind_a_choice(W: Any, x: Any, X: Any) -> Any:
    total = 0.0
    for t in range(X.shape[0]):
        y = np.sin(W @ x)
        if X[t, 0] > 0:
            if X[t, 1] > 0:
                y = np.tanh(W @ y)
                total += np.sum(y * y)
        else:
            y = y + X[t] - np.cos(X[t] @ W)
        x = y - 0.1 * np.sin(W @ y)
    return total + np.sum(x)


def skipped(W: Any, x: Any, X: Any) -> Any:
    for t in range(X.shape[0]):
        if X[t, 0] > 0:
            continue
        x = np.cos(W @ x * (t + 1.0))
    return np.sum(x)


def read_in_one_arm(W: Any, x: Any, X: Any) -> Any:
    for t in range(X.shape[0]):
        if X[t, 0] > 0:
            W = W * np.cos(W)
        else:
            x = np.sin(W @ x)
    return np.sum(x)


def part_in_one_arm(W: Any, x: Any, X: Any) -> Any:
    for t in range(X.shape[0]):
        x = np.sin(W @ x) if X[t, 0] > 0 else x + np.sum(W[1:] @ x) * W[0]
    return np.sum(x)


def covariance(data: Any) -> Any:
    N, M = data.shape
    cov = np.zeros((M, M))
    for i in range(M):
        cov[i, i:M] = data[:, i] @ data[:, i:M] / (N - 1.0)
        cov[i:M, i] = cov[i, i:M]
    return np.sum(cov**3)


def correlation(data: Any) -> Any:
    M = data.shape[1]
    corr = np.eye(M)
    for i in range(M - 1):
        corr[i + 1 : M, i] = corr[i, i + 1 : M] = data[:, i] @ data[:, i + 1 : M]
    return np.sum(np.sin(corr))


def before_each(A: Any, x: Any) -> Any:
    s = 0.0
    for i in range(A.shape[1]):
        s += np.sum(np.sin(A[:, :i] @ x[:i]))
    return s


def inner_part(A: Any, x: Any) -> Any:
    y = x.copy()
    for _ in range(3):
        y[1:-1] = np.sin(A[1:-1, 1:-1] @ y[1:-1])
    return np.sum(y)


def short_part(A: Any, x: Any) -> Any:
    s = 0.0
    for i in range(A.shape[1] - 1):
        s += np.sum(np.sin(A[:, i : i + 2] @ x[i : i + 2]))
    return s


W, x, X = (np.random.default_rng(k).normal(size=s) for k, s in enumerate([(3, 3), 3, (5, 3)]))
V, DATA = np.random.default_rng(3).normal(size=(3, 3)), np.random.default_rng(4).normal(size=(6, 4))

COLLECTED = [
    (before_each, (W, x)),
    (correlation, (DATA,)),
    (covariance, (DATA,)),
    (recurrent, (W, x, 4)),
    (recurrent, (W, x, 0)),
    (recurrent, (np.zeros((0, 0)), np.zeros(0), 3)),
    (driven, (W, V, X)),
    (driven, (W, V, X[:0])),
    (driven, (W, V, X[:1])),
    (driven_by_columns, (V, X.T)),
    (driven_later, (V, X, 3)),
    (driven_later, (V, X, 0)),
    (used_before, (W, x)),
    (two_products, (W, x)),
    (nested, (W, x)),
    (repeated, (W, x, 3)),
    (backwards, (W, x, 3)),
    (by_a_helper, (W, x)),
    (chosen, (W, x)),
    (chosen_on_the_way, (W, x, X)),
    (chosen_on_the_way, (W, x, X[:0])),
    (chosen_on_the_way, (W, x, np.abs(X))),
    (chosen_on_the_way, (W, x, -np.abs(X))),
    (before_and_behind_a_choice, (W, x, X)),
    (before_and_behind_a_choice, (W, x, np.abs(X))),
    (before_and_behind_a_choice, (np.zeros((0, 0)), x[:0], np.zeros((0, 0)))),
    (skipped, (W, x, X)),
]
KEPT = [
    (same_vector, (W, x, 3)),
    (inner_part, (np.random.default_rng(5).normal(size=(5, 5)), np.arange(5.0))),
    (read_in_one_arm, (W, x, X)),
    (part_in_one_arm, (W, x, X)),
    (short_part, (W, x)),
    (until_small, (W, x)),
    (left_early, (W, x)),
    (covariance, (DATA[:, :1],)),
]


def by(args: Any) -> tuple[int, ...]:
    return tuple(k for k, arg in enumerate(args) if isinstance(arg, np.ndarray))


def directions(args: Any, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=a.shape) if isinstance(a, np.ndarray) else None for a in args]


def inner(gradients: Any, along: Any) -> float:
    parts = [d for d in along if d is not None]
    return sum(float(np.sum(g * d)) for g, d in zip(gradients, parts, strict=True))


@pytest.mark.parametrize(("f", "args"), COLLECTED + KEPT)
def test_gradients_are_those_of_the_function(f: Any, args: Any) -> None:
    gradients = sd.grad(f, by(args))(*args)
    again = sd.grad(f, by(args))(*args)
    for k, gradient, second in zip(by(args), gradients, again, strict=True):
        assert gradient.shape == args[k].shape
        assert gradient.dtype == args[k].dtype
        assert gradient.flags.c_contiguous
        np.testing.assert_array_equal(gradient, second)
    along = directions(args)
    expected = directional(f, args, along)
    assert inner(gradients, along) == pytest.approx(float(expected.value), rel=1e-8, abs=1e-9)


@pytest.mark.parametrize(("f", "args"), COLLECTED + KEPT)
def test_so_are_second_derivatives_and_tangents(f: Any, args: Any) -> None:
    along = directions(args, 1)
    wrt = by(args)
    _, tangent = sd.jvp(f, args, tuple(along))
    expected = directional(f, args, along)
    assert tangent == pytest.approx(float(expected.value), rel=1e-8, abs=1e-9)
    _, products = sd.jvp(sd.grad(f, wrt), args, tuple(along))
    twice = second_directional(f, args, along, along)
    assert inner(products, along) == pytest.approx(float(twice.value), rel=1e-5, abs=1e-6)

    def slope(*args: Any) -> Any:
        total = 0.0
        gradients = sd.grad(f, wrt)(*args)
        for k, number in enumerate(wrt):
            total = total + np.sum(gradients[k] * along[number])
        return total

    products = sd.grad(slope, wrt)(*args)
    assert inner(products, along) == pytest.approx(float(twice.value), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(("f", "args"), COLLECTED + KEPT)
def test_pullbacks_and_single_precision_agree(f: Any, args: Any) -> None:
    value, pullback = sd.vjp(f, *args)
    cotangents = pullback(np.float64(2.0) if isinstance(value, np.float64) else 2.0)
    gradients = sd.grad(f, by(args))(*args)
    single = tuple(a.astype(np.float32) if isinstance(a, np.ndarray) else a for a in args)
    singles = sd.grad(f, by(args))(*single)
    for k, gradient, low in zip(by(args), gradients, singles, strict=True):
        np.testing.assert_allclose(cotangents[k], 2.0 * gradient, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(low, gradient, rtol=2e-3, atol=2e-4)
        assert low.dtype == np.float32


@pytest.mark.parametrize(("f", "args"), COLLECTED)
def test_no_outer_product_is_left_in_a_loop(f: Any, args: Any) -> None:
    lines = str(sd.grad(f, by(args)).source(*args)).splitlines()
    assert not [line for line in lines if line.startswith(" " * 8) and "np.outer" in line]


def test_parts_that_are_short_are_added_to_where_they_are() -> None:
    assert "A_bar[:, i:i + 2] += np.outer" in str(sd.grad(short_part).source(W, x))


def test_rows_of_arguments_and_of_tapes_are_there() -> None:
    source = str(sd.grad(driven, (0, 1)).source(W, V, X))
    assert "return rows_bar.T @ np.array(h_tape), rows_bar.T @ X" in source
    source = str(sd.grad(used_before).source(W, x))
    assert "rows_bar.T @ np.array(x_tape)" in source


def from_each(A: Any, x: Any, c: Any) -> Any:
    s = 0.0
    for i in range(A.shape[1]):
        s += c[i] @ (A[:, i:] @ x[i:])
    return s


def up_to_each(A: Any, x: Any, c: Any) -> Any:
    s = 0.0
    for i in range(A.shape[1]):
        s += c[i] @ (A[:, : i + 1] @ x[: i + 1])
    return s


def from_each_in_both(A: Any, x: Any, c: Any) -> Any:
    n, s = x.shape[0], 0.0
    A = np.reshape(A, (n, n))
    for i in range(1, n):
        s += c[i, i:] @ (A[i:, i - 1 :] @ x[i - 1 :])
    return s


@pytest.mark.parametrize(
    ("f", "first", "parts"),
    [
        (from_each, 0, lambda i: (slice(None), slice(i, None))),
        (up_to_each, 0, lambda i: (slice(None), slice(i + 1))),
        (from_each_in_both, 1, lambda i: (slice(i, None), slice(i - 1, None))),
    ],
)
@pytest.mark.parametrize("wrong", [1.5, np.inf, -np.inf, np.nan])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_zeros_beside_parts_meet_nothing_that_is_not_finite(
    f: Any, first: int, parts: Any, wrong: float
) -> None:
    def outer_products(x: Any, c: Any) -> Any:
        total = np.zeros((3, 3))
        for i in range(first, 3):
            rows, columns = parts(i)
            total[rows, columns] += np.outer(c[i, rows], x[columns])
        return total

    A, x, c = np.ones((3, 3)), np.array([1.0, 0.0, 3.0]), np.arange(9.0).reshape(3, 3) - 4.0
    assert "product_of_parts" in str(sd.grad(f).source(A, x, c))
    for at in range(3):
        changed = x.copy()
        changed[at] = wrong
        np.testing.assert_array_equal(sd.grad(f)(A, changed, c), outer_products(changed, c))
    for place in np.ndindex(3, 3):
        changed = c.copy()
        changed[place] = wrong
        np.testing.assert_array_equal(sd.grad(f)(A, x, changed), outer_products(x, changed))


def test_parts_of_a_loop_over_few_columns_stay_in_the_loop() -> None:
    def last_columns(A: Any, x: Any, start: Any) -> Any:
        s = 0.0
        for i in range(start, A.shape[1]):
            s += np.sum(np.sin(A[:, i:] @ x[i:]))
        return s

    expected = np.zeros((3, 3))
    expected[:, 2] = np.cos(W[:, 2] * x[2]) * x[2]
    np.testing.assert_allclose(sd.grad(last_columns)(W, x, 2), expected, rtol=1e-14)
    assert "+= np.outer" in str(sd.grad(last_columns).source(W, x, 2))


@pytest.mark.parametrize("wrong", [np.inf, -np.inf, np.nan])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_whole_products_are_not_finite_where_a_turn_is_not(wrong: float) -> None:
    def weighed(A: Any, X: Any, c: Any) -> Any:
        s = 0.0
        for i in range(X.shape[0]):
            s += c[i] @ (A @ X[i])
        return s

    rows, c = np.arange(6.0).reshape(3, 2), np.array([[1.0, 0.0], [2.0, -1.0], [0.5, 3.0]])
    for at in np.ndindex(3, 2):
        changed = rows.copy()
        changed[at] = wrong
        expected = sum(np.outer(c[i], changed[i]) for i in range(3))
        np.testing.assert_array_equal(sd.grad(weighed)(np.ones((2, 2)), changed, c), expected)
        expected = sum(np.outer(changed[i], c[i]) for i in range(3))
        np.testing.assert_array_equal(sd.grad(weighed)(np.ones((2, 2)), c, changed), expected)


def test_turns_that_take_another_arm_add_nothing_that_is_not_finite() -> None:
    def once(W: Any, h: Any, n: Any) -> Any:
        s = 0.0
        for k in range(n):
            if k == 1:
                s += np.sum(np.sin(W @ h))
            h = h * 1e200
        return s

    h = np.array([1e-200, 2e-200, -1e-200])
    gradient = sd.grad(once)
    assert "np.outer" not in str(gradient.source(W, h, 5))
    with np.errstate(over="ignore"):
        found = gradient(W, h, 5)
    np.testing.assert_allclose(found, np.outer(np.cos(W @ (h * 1e200)), h * 1e200), rtol=1e-12)


def test_sums_of_a_vector_that_overflow_alone_do_not_in_the_product() -> None:
    def weighed(A: Any, x: Any, c: Any) -> Any:
        s = 0.0
        for i in range(3):
            s += c[i] @ (A @ x)
        return s

    c = np.full((3, 2), 1e308)
    gradient = sd.grad(weighed)(np.ones((2, 2)), np.array([1e-300, 0.0]), c)
    np.testing.assert_allclose(gradient, [[3e8, 0.0], [3e8, 0.0]], rtol=1e-14)


def test_complex_recurrences_are_right() -> None:
    def energy(W: Any, x: Any) -> Any:
        for _ in range(3):
            x = W @ x + x * x
        return np.sum(np.abs(x) ** 2)

    Z, z = W + 0.5j * V, x - 0.2j * X[0]
    gradient = sd.grad(energy)(Z, z)
    expected = np.zeros((3, 3), complex)
    for place in np.ndindex(3, 3):
        for unit in (1.0, 1j):
            step = np.zeros((3, 3), complex)
            step[place] = unit * 1e-6
            slope = (energy(Z + step, z) - energy(Z - step, z)) / 2e-6
            expected[place] += slope * unit
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6)
