"""What is chosen, repeated and spaced."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

X = np.array([[0.5, -1.0, 2.0], [3.0, 0.7, -1.5]])
I = np.array([[0, 1, 1], [1, 0, 0]])  # noqa: E741


def chosen(x, a):
    return np.choose(I, [x**2, a])


def chosen_around(x, a):
    return np.choose(I - 1, (x, a * x), mode="wrap") + np.choose(5 * I, (x, a), mode="clip")


def chosen_into(x, a):
    made = np.zeros((2, 3))
    np.choose(I, (x, a), made)
    again = I.choose([a * x, made])
    np.choose(I, (x, a * a), out=made)
    return made * again


def resized(x, a):
    return np.resize(x**2, (3, 5)) * a + np.resize(a, 1)


def chosen_by_truth(x, a):
    return np.choose(x > 0, [x**2, a])


def resized_from_nothing(x, a):
    return np.resize(x[:0], (2, 3)) + a * x


def rows(x, a):
    first, second, _ = np.unstack(x, axis=1)
    return first * second * a


def spaced(x, a):
    return np.logspace(x[0, 0], a, 4, base=3.0) + np.logspace(0.1, a, 4, endpoint=False)[:, None]


def geometric(x, a):
    rows = np.geomspace(x[0] ** 2, a, 3, axis=1)
    return rows, np.geomspace(-a, -2.0, 4, endpoint=False), np.geomspace(1, 8, 4) * a


def between_arrays(x, a):
    points, step = np.linspace(x[0], a, 4, endpoint=False, retstep=True)
    return points * step, np.linspace(x, x[1], 3, axis=-1), np.logspace(x[0], a, 3, base=x[0] ** 2)


def known(x, a):
    return np.where(np.isin(np.round(x), [2.0, 3.0]), x * a, np.isin(I, (1,), invert=True) * x**2)


def running(x, a):
    first = np.cumulative_prod(x, axis=1, include_initial=True)
    return first + a * np.cumulative_sum(np.ones(3))[:1] + np.cumulative_prod(x[0])[-1]


def sums(x, a):
    return np.cumulative_sum(a * x, axis=0, include_initial=True)


@pytest.mark.parametrize(
    "function",
    [
        chosen,
        chosen_around,
        chosen_into,
        chosen_by_truth,
        resized,
        resized_from_nothing,
        rows,
        spaced,
        geometric,
        between_arrays,
        known,
        running,
        sums,
    ],
)
def test_of_an_array_and_a_number(function: Any) -> None:
    check(function, X, 0.7, wrt=(0, 1))
    single = X.astype(np.float32)
    assert same(sd.vjp(function, single, 0.7)[0], function(single, 0.7))


def inserted(x, a):
    middle = np.insert(x, 1, a * x[0], axis=0) * np.insert(x, -1, [1.0, a, 2.0], axis=0)
    return middle, np.insert(x, 2, x[:, 0], axis=1), np.insert(x, 3, [a, 1.0])


def inserted_at_several(x, a):
    rows = np.insert(x, [0, -1], x**2, axis=0), np.insert(x, [1], x[:, :2], axis=1)
    return *rows, np.insert(x, slice(0, 3), a), np.insert(x, [2, 2, 0], [a, 1.0, 2.0])


def inserted_where(x, a):
    return np.insert(x[0], x[0] > 0, a), np.insert(x, [], 1.0)


def without(x, a):
    some = np.delete(x, 1, axis=1) * np.delete(x, [-1], axis=1) * a
    return some, np.delete(x, [1, 1, -1]), np.delete(x, slice(1, 4, 2)), np.delete(x, -2)


def without_what_holds(x, a):
    return np.delete(x[1], x[1] > 2 * a), np.delete(x, []), np.delete(x, np.array([0, 2]), axis=1)


@pytest.mark.parametrize(
    "function", [inserted, inserted_at_several, inserted_where, without, without_what_holds]
)
def test_inserted_and_deleted(function: Any) -> None:
    check(function, X, 0.7, wrt=(0, 1), order=1 if function is inserted_where else 2)
    for x in (X.astype(np.float32), X[::-1].T.copy().T):
        assert same(sd.vjp(function, x, 0.7)[0], function(x, 0.7))


def test_places_that_are_not_there() -> None:
    for function in (
        lambda x: np.delete(x, 3, axis=1),
        lambda x: np.delete(x, [7]),
        lambda x: np.insert(x, 8, 1.0),
        lambda x: np.insert(x, [1, 9], 1.0),
    ):
        with pytest.raises(IndexError):
            sd.grad(lambda x, function=function: np.sum(function(x)))(X)


def test_lengths_of_unsigned_integers() -> None:
    check(lambda x: np.resize(x, np.uint64(9)), X)
    check(lambda x: np.resize(x, (np.uint8(2), np.int16(3))), X)


def test_errors_are_numpys() -> None:
    with pytest.raises(ValueError, match="invalid entry in choice array"):
        sd.grad(lambda x, k: np.sum(np.choose(k, [x, x**2])))(X, 2 * I)
    with pytest.raises(ValueError, match="more than one dimension"):
        sd.grad(lambda x: np.sum(np.cumulative_prod(x)))(X)


def trimmed(x, a):
    row = np.concatenate((np.zeros(2), x[0] * a, np.zeros(1)))
    return np.trim_zeros(row), np.trim_zeros(row, "F") * a, np.trim_zeros(row, trim="b")


def test_zeros_at_the_ends_are_trimmed() -> None:
    check(trimmed, X, 0.7, wrt=(0, 1))
    assert sd.vjp(lambda x: np.trim_zeros(0 * x), X[0])[0].shape == (0,)
    with pytest.raises(sd.UnsupportedCallError, match="anything but a vector"):
        sd.vjp(lambda x: np.trim_zeros(x), X)


PLACED = {
    "fewer": lambda v: v[:2],
    "more": lambda v: np.concatenate((v, v)),
    "of two dimensions": lambda v: v.reshape(2, 3) * 2.0,
    "one": lambda v: v[0],
    "a number": lambda v: float(v[1]),
    "rows of none": lambda v: v[:0],
}


@pytest.mark.parametrize("name", PLACED)
@pytest.mark.parametrize("mask", [[0, 2, 0, 1, 0, 1], [False] * 6, [[True] * 3, [False] * 3]])
def test_what_is_placed_goes_round(name: str, mask: Any) -> None:
    """By differences, which are exact of what is placed; NumPy's own error where there is none."""

    def placed(v: Any, m: Any) -> Any:
        y = np.zeros((2, 3))
        np.place(y, m, PLACED[name](v))
        return np.sum(y * np.arange(1.0, 7.0).reshape(2, 3))

    v, m = np.array([1.0, -2.0, 0.5, 3.0, 4.0, 0.25]), np.array(mask)
    if name == "rows of none" and np.any(m):
        for function in (placed, sd.grad(placed)):
            with pytest.raises(ValueError, match="Cannot insert from an empty array!"):
                function(v, m)
        return
    value, slope = sd.value_and_grad(placed)(v, m)
    assert value == placed(v, m)
    expected = [placed(v + e, m) - placed(v, m) for e in np.eye(6)]
    np.testing.assert_allclose(slope, expected, rtol=1e-12, atol=1e-12)
    assert sd.jvp(lambda v: placed(v, m), (v,), (v,))[1] == pytest.approx(value)
    np.testing.assert_array_equal(sd.hvp(lambda v: placed(v, m) ** 2)(v, v), 2 * value * slope)


def test_what_is_placed_between_lengths_that_are_known_late() -> None:
    def placed(v: Any, n: int) -> Any:
        y = v * 1.0
        np.place(y, y > 1.5, v[:n])
        return np.sum(y * y)

    v, slope = np.array([1.0, 2.0, 3.0]), sd.grad(placed)
    np.testing.assert_array_equal(slope(v, 1), [6.0, 0.0, 0.0])
    np.testing.assert_array_equal(slope(v, 2), [4.0, 4.0, 0.0])
    with pytest.raises(ValueError, match="Cannot insert from an empty array!"):
        slope(v, 0)
