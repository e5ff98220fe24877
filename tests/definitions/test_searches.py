"""Searches over grids and along lines, brackets, and what is told of minima, by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import linalg, ndimage, optimize, signal

import symdiff as sd
from tests.definitions.calls import check

Q = np.array([0.3, 0.8])


def bowl(z: Any, q: Any) -> Any:
    return (z[0] - q[0]) ** 4 + np.cos(3 * z[-1] + q[1]) + z[-1] ** 2


def on_a_grid(q: Any, **options: Any) -> Any:
    ranges = ((-1, 2.3), slice(-1, 1, 0.3))
    return optimize.brute(bowl, ranges, (q,), Ns=4, full_output=True, **options)


@pytest.mark.parametrize("finish", [None, optimize.minimize, optimize.fmin])
def test_the_best_of_a_grid(finish: Any) -> None:
    if finish is not optimize.minimize:  # which differences see stop early
        check(lambda q: on_a_grid(q, finish=finish)[1] + on_a_grid(q, finish=finish)[3], Q, order=1)
    at, _, grid, _ = on_a_grid(Q, finish=finish)
    found = sd.vjp(lambda q: on_a_grid(q, finish=finish)[0], Q)
    assert np.array_equal(found[0], at)
    if finish is None:  # a point of the grid, which nothing moves
        assert not np.any(found[1](np.ones(2))[0])
        assert np.array_equal(sd.vjp(lambda q: on_a_grid(q, finish=finish)[2], Q)[0], grid)
    if finish is optimize.minimize:  # by the implicit function theorem, in the second place
        bend = 2.0 - 9.0 * np.cos(3 * at[1] + Q[1])
        slope = found[1](np.array([0.0, 1.0]))[0]
        assert slope[1] == pytest.approx(3.0 * np.cos(3 * at[1] + Q[1]) / bend, rel=1e-6)


def test_one_side_of_a_grid() -> None:
    def best(q: float, finish: Any = None) -> Any:
        return optimize.brute(lambda z: (z[0] - q) ** 2, ((0, 1),), finish=finish)

    assert best(0.37) == sd.value_and_grad(best)(0.37)[0]
    assert sd.grad(lambda q: best(q) * q)(0.37) == best(0.37)
    assert sd.grad(lambda q: best(q, optimize.minimize)[0])(0.37) == pytest.approx(1.0)
    with pytest.raises(sd.UnsupportedCallError, match="finish="):
        sd.grad(lambda q: best(q, optimize.fmin_bfgs)[0])(0.37)


def test_a_grid_of_whole_numbers_and_arguments_of_several_shapes() -> None:
    def best(q: Any, finish: Any = None) -> Any:
        sides = slice(0, 3, 1), slice(0, 4, 1)
        return optimize.brute(
            lambda z, q, r: np.sum((z - q) ** 2) * r, sides, (q, 2.0), 20, True, finish
        )

    for finish in (None, optimize.minimize):
        expected, (found, _) = best(Q, finish), sd.vjp(lambda q, f=finish: best(q, f), Q)
        assert [repr(part) for part in found] == [repr(part) for part in expected]
    check(lambda q: best(q)[1], Q)


def hill(x: Any, q: Any) -> Any:
    return q[0] * x[0] ** 2 + x[1] ** 2 + 0.1 * x[0] ** 4


def slope_of_hill(x: Any, q: Any) -> Any:
    return np.array([2 * q[0] * x[0] + 0.4 * x[0] ** 3, 2 * x[1]])


def along(x: Any, p: Any, q: Any) -> Any:
    return optimize.line_search(hill, slope_of_hill, x, p, args=(q,), c2=0.4)


def test_a_step_that_is_doubled_is_a_constant() -> None:
    x, p = np.array([1.8, 1.7]), np.array([-0.2, -0.15])
    step, _, _, reached, first, slope = along(x, p, Q)
    value, pullback = sd.vjp(along, x, p, Q)
    assert repr(value) == repr((step, *along(x, p, Q)[1:]))
    assert step in (2.0, 4.0, 8.0)
    ones = (0.0, None, None, 1.0, 2.0, np.ones(2))
    by_x, by_p, _ = pullback(ones)
    bend = np.array([2 * Q[0] + 1.2 * (x + step * p)[0] ** 2, 2.0])
    np.testing.assert_allclose(by_p, step * (slope + bend))
    np.testing.assert_allclose(by_x, slope + bend + 2.0 * slope_of_hill(x, Q))
    assert (reached, first) == (hill(x + step * p, Q), hill(x, Q))


def test_a_step_between_has_no_derivative() -> None:
    x, p = np.array([1.8, 1.7]), np.array([-8.0, -8.0])
    assert 0.0 < along(x, p, Q)[0] < 1.0
    value, pullback = sd.vjp(along, x, p, Q)
    assert repr(value) == repr(along(x, p, Q))
    by_x = pullback((0.0, None, None, 0.0, 1.0, np.zeros(2)))[0]
    np.testing.assert_allclose(by_x, slope_of_hill(x, Q))
    assert np.all(np.isnan(pullback((1.0, None, None, 0.0, 0.0, np.zeros(2)))[0]))
    assert np.all(np.isnan(pullback((0.0, None, None, 1.0, 0.0, np.zeros(2)))[0]))


@pytest.mark.parametrize("start", [(1.0, 0.1), (-2.0, -1.5), (3.0, 3.1)])
def test_brackets(start: tuple[float, float]) -> None:
    def bracket(p: Any) -> Any:
        found = optimize.bracket(lambda z, q: q * z**2 + p[3] * z**4, p[0], p[1], args=(p[2],))
        return np.array(found[:6])

    check(bracket, np.array([*start, 1.3, 0.1]), step=1e-3)


def test_what_is_told_of_a_minimum_within_bounds() -> None:
    def told(q: Any, **options: Any) -> Any:
        return optimize.fmin_l_bfgs_b(
            lambda z: (z[0] - q[0]) ** 2 + (z[1] * q[1] - 1) ** 2 + 0.1 * z[0] * z[1],
            np.zeros(2),
            approx_grad=True,
            **options,
        )

    bounds = [(None, 0.2), (None, None)]
    value, pullback = sd.vjp(lambda q: told(q, bounds=bounds), Q)
    assert repr(value) == repr(told(Q, bounds=bounds))
    ones = {"grad": np.array([1.0, 0.0]), "task": None, "funcalls": None, "nit": None}
    slopes = pullback((np.zeros(2), 0.0, {**ones, "warnflag": None}))[0]
    # 2 (0.2 - q0) + 0.1 y, where y = (q1 - 0.01) / q1 ** 2 is the minimum in the other place
    np.testing.assert_allclose(slopes, [-2.0, 0.1 * (0.02 - Q[1]) / Q[1] ** 3], rtol=1e-6)
    inside = sd.jacobian(lambda q: told(q)[2]["grad"])(Q)
    np.testing.assert_allclose(inside, np.zeros((2, 2)), atol=1e-12)


A = np.array([[1.0, 3.0, 0.2], [1.0, 4.0, 0.5], [0.3, -0.2, 2.0]])


@pytest.mark.parametrize(
    "function",
    [
        lambda a: linalg.funm(a, lambda x: x * x),
        lambda a: linalg.funm(a, lambda x: np.sin(x) * x),
        lambda a: linalg.funm(a[:2, :2] * np.array([[1, -1], [1, 0.3]]), np.exp),  # of pairs
        lambda a: np.abs(linalg.funm(a + 0.1j * a.T, lambda x: x**3)) ** 2,
        lambda a: linalg.funm(a, lambda x: a[0, 1] * x + np.cos(a[1, 1] * x)),
    ],
)
def test_functions_of_matrices(function: Any) -> None:
    check(function, A, step=0.005)


def test_functions_of_matrices_at_their_edges() -> None:
    along = sd.jvp(lambda a: linalg.funm(a, lambda x: x * x), (A,), (np.eye(3),))[1]
    np.testing.assert_allclose(along, 2.0 * A, atol=1e-12)
    single = sd.grad(lambda a: np.sum(linalg.funm(a, np.exp)))(A.astype(np.float32))
    assert single.dtype == np.float32
    double = sd.grad(lambda a: linalg.funm(a, lambda x: x * x)[0, 0])(np.diag([2.0, 2.0]))
    assert np.all(np.isnan(double))
    with pytest.raises(TypeError, match="pass a complex matrix"):
        sd.grad(lambda a: np.sum(linalg.funm(a, np.sqrt)))(-A)


@pytest.mark.parametrize("gap", [0.0, 1e-9, 1e-5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_functions_of_matrices_whose_vectors_are_nearly_parallel(gap: float, dtype: Any) -> None:
    together = np.array([[1.0, 1.0, 0.0], [0.0, 1.0 + gap, 1.0], [0.0, 0.0, 1.0]])
    a = (A @ together @ np.linalg.inv(A)).astype(dtype)
    assert np.all(np.isnan(sd.grad(lambda a: np.sum(linalg.funm(a, lambda t: t**3)))(a)))
    ones = np.ones((3, 3), dtype)
    assert np.all(np.isnan(sd.jvp(lambda a: linalg.funm(a, lambda t: t**3), (a,), (ones,))[1]))


@pytest.mark.parametrize(
    ("gap", "coupling", "is_known"),
    [
        (0.1, 0.0, True),
        (0.1, 0.1, True),
        (0.01, 0.0, True),
        (1e-3, 0.0, True),
        (1e-3, 0.1, False),
        (1e-4, 1.0, False),
    ],
)
def test_functions_of_matrices_are_right_or_nan(
    gap: float, coupling: float, is_known: bool
) -> None:
    near = np.array([[1.0, coupling, 0.0], [0.0, 1.0 + gap, 0.0], [0.0, 0.0, 2.0]])
    a, d = A @ near @ np.linalg.inv(A), np.cos(np.arange(9.0)).reshape(3, 3)

    def moved(a: Any) -> Any:
        return sd.jvp(lambda a: linalg.funm(a, lambda t: t**3), (a,), (d.astype(a.dtype),))[1]

    first, second = sd.jvp(moved, (a,), (d,))
    assert np.isnan(first).any() == (not is_known)
    if is_known:
        wanted = a @ a @ d + a @ d @ a + d @ a @ a
        np.testing.assert_allclose(first, wanted, atol=1e-9)
        np.testing.assert_allclose(second, 2.0 * (d @ d @ a + d @ a @ d + a @ d @ d), atol=1e-5)
        np.testing.assert_allclose(moved(a.astype(np.float32)), wanted, rtol=1e-5, atol=1e-5)


ROOTS = np.array([0.4, 1.3, 1.31, 2.8, 1.25, 2.81, 10.0])


@pytest.mark.parametrize("kind", ["min", "max", "avg", "mean"])
def test_roots_that_are_near_one_another(kind: str) -> None:
    check(lambda p: signal.unique_roots(p, 0.07, kind)[0] ** 2, ROOTS, step=1e-4)
    check(lambda p: (signal.unique_roots(1j * p, 0.07, kind)[0] ** 2).real, ROOTS, step=1e-4)
    found = sd.vjp(lambda p: signal.unique_roots(p, 0.07, kind), ROOTS)[0]
    assert repr(found) == repr(signal.unique_roots(ROOTS, 0.07, kind))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"order": 1, "mode": "nearest"},
        {"output_shape": (3, 6), "mode": "reflect"},
        {"mode": "grid-constant", "cval": 1.0, "output_shape": (2, 2)},
    ],
)
def test_images_moved_by_a_function(options: Any) -> None:
    image = np.sin(np.arange(20.0)).reshape(5, 4)

    def moved(image: Any, s: Any, t: float = 0.21) -> Any:
        def mapping(place: Any, t: Any) -> Any:
            return place[0] - s[0] * place[1], place[1] * s[1] - t

        return ndimage.geometric_transform(image, mapping, extra_arguments=(t,), **options)

    check(moved, image, np.array([0.13, 0.91]), wrt=(0, 1), step=0.003)
