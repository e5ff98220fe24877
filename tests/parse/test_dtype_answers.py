"""What library functions give that rests on dtypes by which numbers are not typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError

Function = Callable[..., Any]


def bound_to_another(c: Any) -> list[Any]:
    v = [1, 2]
    if c > 0.5:
        v = [c, c]
    return v


def that_grows(c: Any) -> list[Any]:
    v = [1]
    v.append(c if c > 0.5 else 2)
    return v


def written(c: Any) -> list[Any]:
    v = [0] * 3
    for k in range(3):
        if c > 0.1 * k + 0.45:
            v[k] = c
    return v


def of_a_number(c: Any) -> list[Any]:
    return [2 if c < 0.5 else c]


def of_a_tuple(c: Any) -> Any:
    v = (1, 2)
    if c > 0.5:
        v = (c, c)
    return v


def of_rows(c: Any) -> Any:
    v = [[1, 2], [3, 4]]
    if c > 0.5:
        v = [[c, c], [c, c]]
    return v


MADE = [bound_to_another, that_grows, written, of_a_number, of_a_tuple, of_rows]
READERS: list[Function] = [
    lambda v, c: np.zeros_like(v),
    lambda v, c: np.ones_like(v),
    lambda v, c: np.full_like(v, c),
    lambda v, c: np.zeros_like(np.array(v)),
    lambda v, c: np.zeros(4, dtype=np.array(v).dtype),
    lambda v, c: np.zeros(4, np.asarray(v).dtype),
    lambda v, c: np.array([1, 2, 3], dtype=np.array(v).dtype),
    lambda v, c: np.array([1.7, 2.7, c]).astype(np.asarray(v).dtype),
    lambda v, c: np.zeros(4, dtype=np.sum(v).dtype),
    lambda v, c: np.zeros(4, dtype=np.result_type(np.asarray(v))),
    lambda v, c: np.full(4, 1.5 if np.array(v).dtype.kind == "f" else 2.5),
    lambda v, c: np.full(4, 1.5 if np.issubdtype(np.array(v).dtype, np.floating) else 2.5),
    lambda v, c: np.full(3, 1.0 if isinstance(np.ravel(v)[0], np.integer) else 2.0),
    lambda v, c: np.insert(v, 0, 1),
    lambda v, c: np.vander(np.ravel(v)),
    lambda v, c: np.r_[np.ravel(v), 1],
    lambda v, c: np.arange(np.ravel(v)[0], 5),
    lambda v, c: np.full(3, sum(np.ravel(v).tolist())),
    lambda v, c: np.concatenate([v, v]),
    lambda v, c: np.tile(v, 2),
]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("read", READERS)
def test_what_rests_on_the_dtype_of_items_is_refused_or_right(
    made: Function, read: Function
) -> None:
    def f(c: Any) -> Any:
        a = read(made(c), c)
        a[0] = c * 3.3
        return np.sum(a * c)

    h = 1e-6
    for c in (0.3, 0.7):
        try:
            value, slope = sd.value_and_grad(f)(c)
            _, forward = sd.jvp(f, (c,), (1.0,))
        except UnsupportedSyntaxError:
            continue
        assert value == f(c)
        expected = (f(c + h) - f(c - h)) / (2.0 * h)
        np.testing.assert_allclose([slope, forward], expected, rtol=1e-6)


def of_bools(c: Any) -> Any:
    v = [True, False]
    if c > 0.5:
        v = [1, 2]
    a = np.zeros_like(v)
    a[0] = 7
    return np.sum(a * c)


def class_of_a_bool(c: Any) -> Any:
    v = True if c > 0.5 else 2
    return c * (1.0 if isinstance(v, bool) else 3.0)


def of_complex_numbers(c: Any) -> Any:
    v = 1j * c if c > 0.5 else c
    a = np.zeros_like([v, v])
    return c * (1.0 if a.dtype == complex else 3.0)


def of_single_precision(c: Any) -> Any:
    v = [np.float32(c)]
    if c > 0.5:
        v = [c]
    a = np.zeros_like(v)
    a[0] = c * 3.3
    return np.sum(a)


def cut_while_it_is_made(c: Any) -> Any:
    v = [1, 2]
    if c > 0.5:
        v = [c, c]
    return np.sum(np.full_like(v, c * 3.3))


def divided_in_place(c: Any) -> Any:
    a = np.array([1, 2] if c < 0.5 else [c, 2])
    try:
        a /= 2
    except TypeError:
        a = a * c
    return np.sum(a) * c


def added_in_place(c: Any) -> Any:
    a = np.array([1, 2] if c < 0.5 else [c, 2])
    np.add(a, c, out=a)
    return np.sum(a)


def rounded_in_place(c: Any) -> Any:
    v = np.float32(0.1) if c > 0.5 else 0.1
    b = np.full(3, v)
    b *= np.arange(3.0) * 1.7
    return np.sum(b) * c


def inserted(c: Any) -> Any:
    v = [3, 2] if c < 0.5 else [c, 2]
    return np.sum(np.insert(v, 1, c * 9)) * c


def padded(c: Any) -> Any:
    v = [3, 2] if c < 0.5 else [c, 2]
    return np.sum(np.pad(v, 1, constant_values=1.7)) * c


@pytest.mark.parametrize(
    ("f", "line", "what"),
    [
        (inserted, 2, "an integer on some paths, a float on others"),
        (padded, 2, "an integer on some paths, a float on others"),
        (divided_in_place, 3, "an integer on some paths, a float on others"),
        (added_in_place, 2, "an integer on some paths, a float on others"),
        (rounded_in_place, 3, "a float64 on some paths, of single precision on others"),
        (of_bools, 4, "a bool on some paths, an integer on others"),
        (class_of_a_bool, 2, "a bool on some paths, an integer on others"),
        (of_complex_numbers, 2, "a float on some paths, a complex number on others"),
        (of_single_precision, 4, "a float64 on some paths, of single precision on others"),
        (cut_while_it_is_made, 4, "an integer on some paths, a float on others"),
    ],
)
def test_other_dtypes_that_are_hidden_are_refused(f: Function, line: int, what: str) -> None:
    with pytest.raises(UnsupportedSyntaxError, match=what) as caught:
        sd.grad(f)(0.3)
    span = caught.value.span
    assert span is not None
    assert span.line == f.__code__.co_firstlineno + line


def like_a_sum(x: Any, c: Any) -> Any:
    s = 0
    while s < c:
        s = s + x[0] * x[1]
    z = np.zeros_like([s, s])
    z[0] = s * 2.5
    return np.sum(z) + z.dtype.itemsize


def of_functions_that_give_floats(x: Any, c: Any) -> Any:
    v = 2 if x[0] > 0.5 else x[1]
    z = np.sqrt([v, v])
    z[0] = x[0] * x[1]
    y = np.linspace(0, v, 3)
    y[1] = z[1] * x[1]
    assert isinstance(v, (int, float))
    return np.sum(z) + np.sum(y)


def test_where_it_makes_no_difference_it_is_differentiated() -> None:
    x, c, h = np.array([1.3, 0.7]), 2.0, 1e-5
    for f in (like_a_sum, of_functions_that_give_floats):
        expected = [(f(x + h * e, c) - f(x - h * e, c)) / (2.0 * h) for e in np.eye(2)]
        value, slopes = sd.value_and_grad(f)(x, c)
        assert value == f(x, c)
        np.testing.assert_allclose(slopes, expected, rtol=1e-8)
        _, forward = sd.jvp(f, (x, c), (np.ones(2), 0.0))
        np.testing.assert_allclose(forward, np.sum(expected), rtol=1e-8)
    hessian = sd.hessian(like_a_sum)(x, c)  # of 2.5 · 3 x₀ x₁
    np.testing.assert_allclose(hessian, 7.5 * (1.0 - np.eye(2)), rtol=1e-12)


def test_where_a_loop_has_no_turn_the_program_tells_what_is_asked() -> None:
    x = np.array([1.3, 0.7])
    assert like_a_sum(x, -1.0) == 8.0  # of integers
    with pytest.raises(UnsupportedCallError, match="an integer where a loop has no turn") as caught:
        sd.grad(like_a_sum)(x, -1.0)
    assert caught.value.span is not None
    assert caught.value.span.line == like_a_sum.__code__.co_firstlineno + 4


def of_a_dtype_given(c: Any) -> Any:
    v = 3 if c < 0.5 else c
    a = np.array([v, v], float)
    b = np.full(2, v, dtype=float)
    d = np.array([v, v]).astype(float)
    kept = a**-2
    a[0] = c * 1.5
    for _ in range(45):
        a = a * 3
        b *= 3
        d = d * 3
    w = np.asarray([v + 1], dtype=np.float64)
    w /= 2
    return np.sum(a + b + d) * 1e-20 * c + np.sum(kept) * c + w[0] * c


def of_a_dtype_given_to_a_list(c: Any, n: Any) -> Any:
    v = []
    for k in range(n):
        v.append(3 if k > c * 10.0 + 0.5 else c)
    a = np.array(v, float)
    for _ in range(45):
        a = a * 3
    return np.sum(a) * 1e-20 * c


def test_a_dtype_that_is_given_is_that_of_integers_too() -> None:
    h = 1e-5
    for f, more in ((of_a_dtype_given, ()), (of_a_dtype_given_to_a_list, (6,))):
        for c in (0.3, -0.2, 0.7):
            expected = (f(c + h, *more) - f(c - h, *more)) / (2.0 * h)
            value, slope = sd.value_and_grad(f)(c, *more)
            assert value == f(c, *more)
            np.testing.assert_allclose(slope, expected, rtol=1e-7)
            _, forward = sd.jvp(f, (c, *more), (1.0, *(None for _ in more)))
            np.testing.assert_allclose(forward, expected, rtol=1e-7)
            g = sd.grad(f)
            second = (g(c + h, *more) - g(c - h, *more)) / (2.0 * h)
            np.testing.assert_allclose(sd.grad(g)(c, *more), second, rtol=1e-6, atol=1e-6)


def of_unsigned_integers(x: Any) -> Any:
    y = x.astype(np.uint8).tolist()
    return x[0] * (y[1] - 300) * (1.0 if type(y[0]) is int else 2.0)


def of_complex_items(x: Any) -> Any:
    z = (x * (1.0 + 2.0j)).tolist()
    return (z[0] * z[1]).imag


def test_lists_of_arrays_hold_pythons_numbers_of_each_kind() -> None:
    x = np.array([1.5, 2.5])
    for f, expected in ((of_unsigned_integers, [-298.0, 0.0]), (of_complex_items, [10.0, 6.0])):
        value, slopes = sd.value_and_grad(f)(x)
        assert value == f(x)
        np.testing.assert_allclose(slopes, expected, rtol=1e-14)
        _, forward = sd.jvp(f, (x,), (np.ones(2),))
        np.testing.assert_allclose(forward, np.sum(expected), rtol=1e-14)
    np.testing.assert_allclose(sd.hessian(of_complex_items)(x), 4.0 * (1.0 - np.eye(2)))
