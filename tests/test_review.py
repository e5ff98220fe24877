"""Small programs that once had a wrong derivative, each beside what Python computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import symdiff as sd
from tests.reference import richardson_gradient

Array = npt.NDArray[np.float64]

# Blocks that only some paths have left ----------------------------------------------------------


def return_inside_else(x: float) -> float:
    if x > 100:
        return x
    else:
        if x > -1:
            return x * x
    return 3.0 * x


def return_before_names_that_differ(x: float) -> float:
    if x > 0:
        if x > 1:
            return x * x
        z: Any = x
    else:
        z = (x, x)
    del z
    return 3.0 * x


def continue_inside_else(x: float) -> float:
    for i in range(3):
        if x > 100:
            break
        else:
            if x > i:
                continue
        x = x * 2 + i
    return x * x


def while_left_and_continued(x: float) -> float:
    while x < 50:
        if x > 40:
            return x
        elif x > 2:
            if x > 10:
                x = x * 2
                continue
        else:
            if x < 1:
                x = x + 3
        x = x * 1.5
    return x * x


@pytest.mark.parametrize("x", [-2.0, 0.4, 1.7, 3.3, 21.0, 45.0, 120.0])
@pytest.mark.parametrize(
    "f",
    [
        return_inside_else,
        return_before_names_that_differ,
        continue_inside_else,
        while_left_and_continued,
    ],
)
def test_the_rest_of_a_block_runs_on_the_paths_that_stay(
    f: Callable[[float], float], x: float
) -> None:
    value, gradient = sd.value_and_grad(f)(x)
    assert value == f(x)
    assert gradient == pytest.approx(richardson_gradient(f, (x,)).value, rel=1e-8)


# Lists of staged length hold arrays that are written later ----------------------------------------


def appended_in_a_branch(y: Array) -> Any:
    v = y * 2
    rows = [v]
    if y[0] > -100:
        rows.append(y)
    v[0] = 5 * y[1]
    return np.sum(rows[0] * y)


def made_in_a_branch(y: Array) -> Any:
    v = y * 2
    w = y * 3
    rows = [v]
    if y[0] > -100:
        rows.append(v)
        v = w
    v[0] = 5 * y[1]
    return np.sum(rows[0] * y) + np.sum(rows[-1]) + np.sum(v)


def written_in_the_loop(y: Array) -> Any:
    u = y * 2
    rows = [u]
    i = 0
    while i < 11 * y[0]:
        u[i % 3] = u[i % 3] * y[0]
        rows.append(y)
        i += 1
    return np.sum(u) + np.sum(rows[0] * y)


def written_after_the_loop(y: Array) -> Any:
    v = y * 2
    rows = []
    i = 0
    while i < 11 * y[0]:
        rows.append(v)
        i += 1
    v[0] = y[1] ** 2
    return np.sum(rows[0] * rows[-1])


def written_in_the_next_turn(y: Array) -> Any:
    a = y * 1
    b = y * 2
    rows = []
    i = 0
    while i < 11 * y[0]:
        rows.append(a)
        b[0] = i * y[0]
        a, b = b, a
        i += 1
    return np.sum(rows[0] * rows[-1]) + np.sum(a * b)


def written_under_the_name_of_the_last_turn(y: Array) -> Any:
    w = y * 2
    rows = []
    i = 0
    while i < 11 * y[0]:
        w = w * y
        rows.append(w)
        i += 1
    w[0] = y[1] ** 2
    return np.sum(rows[0] * rows[-1]) + np.sum(w)


def views_in_a_comprehension(y: Array) -> Any:
    v = y * 2
    rows = [v[1:] for t in y if t > 0]
    v[1] = y[0]
    return sum(np.sum(row * row) for row in rows)


@pytest.mark.parametrize(
    "f",
    [
        appended_in_a_branch,
        made_in_a_branch,
        written_in_the_loop,
        written_after_the_loop,
        written_in_the_next_turn,
        written_under_the_name_of_the_last_turn,
        views_in_a_comprehension,
    ],
)
def test_a_list_sees_writes_to_what_it_holds_or_they_are_refused(f: Callable[..., Any]) -> None:
    y = np.array([0.3, 0.7, -0.4])
    try:
        value, gradient = sd.value_and_grad(f)(y)
    except sd.AliasingError:
        return
    assert value == f(y)
    np.testing.assert_allclose(gradient, richardson_gradient(f, (y,), step=1e-3).value, rtol=1e-8)


def test_a_known_length_makes_writes_to_what_a_list_holds_followed() -> None:
    y = np.array([0.3, 0.7, -0.4])

    def rows_of_an_array(y: Array) -> Any:
        a = np.outer(y, y)
        rows = list(a)
        a[0, 1] = y[2]
        return sum(np.sum(row * row) for row in rows)

    value, gradient = sd.value_and_grad(rows_of_an_array)(y)
    assert value == rows_of_an_array(y)
    expected = richardson_gradient(rows_of_an_array, (y,)).value
    np.testing.assert_allclose(gradient, expected, rtol=1e-8)


# Tangents and adjoints in lists -------------------------------------------------------------------


def pushed_then_written_in_the_next_turn(y: Array, n: int) -> Any:
    w = y * 2
    rows = [y]
    for _ in range(n):
        w[1] = w[0] * y[0]
        w = w * y
        rows.append(1 * w)
    return np.sum(rows[1])


def begins_as_an_item(y: Array, n: int) -> Any:
    w = y * 2
    rows = [1 * w]
    i = 0
    while i < n:
        w[1] = w[0] * w[1]
        w = w * y
        rows.append(3 * w)
        i += 1
    return np.sum(rows[0] * rows[1])


@pytest.mark.parametrize("f", [pushed_then_written_in_the_next_turn, begins_as_an_item])
@pytest.mark.parametrize("n", [1, 3])
def test_what_a_list_holds_of_a_turn_is_not_written_in_the_next(
    f: Callable[..., Any], n: int
) -> None:
    y, v = np.array([0.3, 0.7, -0.4]), np.array([1.0, 2.0, 3.0])
    expected = richardson_gradient(f, (y, n)).value
    np.testing.assert_allclose(sd.grad(f)(y, n), expected, rtol=1e-8)
    np.testing.assert_allclose(sd.jvp(f, (y, n), (v, None))[1], expected @ v, rtol=1e-8)


# What stands after a loop that was left by return -------------------------------------------------


def for_else_after_return(x: float, n: int) -> float:
    for i in range(n):
        if x > i:
            return x * x
    else:
        return x * 3


def for_else_without_break(x: float, n: int) -> float:
    for i in range(n):
        for j in range(i):
            if x > j + 1.5:
                return x * x
            if x < -1:
                break
        else:
            if x > 1:
                continue
            x = x * 2
        x = x - 0.1
    else:
        x = x * 3
    return x * 7


@pytest.mark.parametrize("f", [for_else_after_return, for_else_without_break])
@pytest.mark.parametrize("x", [-2.0, 0.3, 1.3, 7.0])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_the_else_of_a_loop_is_not_run_after_a_return(
    f: Callable[..., float], x: float, n: int
) -> None:
    value, gradient = sd.value_and_grad(f)(x, n)
    assert value == f(x, n)
    assert gradient == pytest.approx(richardson_gradient(f, (x, n)).value, rel=1e-8)


# Gradients own their memory -----------------------------------------------------------------------


def columns(x: Array) -> Any:
    return np.sum(np.stack([x, x**2], axis=1) * np.arange(6.0).reshape(3, 2))


def test_a_gradient_that_is_summed_in_a_view_is_contiguous() -> None:
    for gradient in (sd.grad(columns)(np.ones(3)), sd.vjp(columns, np.ones(3))[1](1.0)[0]):
        assert gradient.flags.c_contiguous and gradient.base is None


# A test that binds a name stands inside the loop's body -------------------------------------------


def while_else_with_walrus(x: float, n: int) -> float:
    while (t := x * x) < n:
        x = x * 1.5 + 0.1
        if x > 1.9:
            break
        if x > 1.4:
            return x
    else:
        x = x + 10 * t
    return x * t


def while_else_with_and(x: float, n: int) -> float:
    while n > 0 and (t := x - 1) > 0:
        x = x * 0.8 + 0.01 * t
        n -= 1
    else:
        if n > 0:
            return x
        x = x * 3
    return x * 5


@pytest.mark.parametrize("f", [while_else_with_walrus, while_else_with_and])
@pytest.mark.parametrize("x", [0.3, 1.3, 7.0])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_a_loop_that_its_test_ends_is_not_left_by_break(
    f: Callable[..., float], x: float, n: int
) -> None:
    value, gradient = sd.value_and_grad(f)(x, n)
    assert value == f(x, n)
    assert gradient == pytest.approx(richardson_gradient(f, (x, n)).value, rel=1e-8)


# A number in every place of an array, in another shape ------------------------------------------


@pytest.mark.parametrize("shape", [(2, 3), (1, 1), (0, 3)])
def test_a_tangent_that_is_one_number_goes_through_a_shape_with_an_unknown_size(
    shape: tuple[int, int],
) -> None:
    def cubes(s: float, x: Array) -> Any:
        flat = (0.0 * x + s).reshape(-1)
        return np.vdot(flat * flat, flat)

    x = np.ones(shape)
    expected = 3 * 0.7**2 * x.size
    assert sd.jvp(cubes, (0.7, x), (1.0, np.ones(shape)))[1] == pytest.approx(expected)
    assert sd.grad(cubes)(0.7, x) == pytest.approx(expected)
