"""Numbers that are integers on some paths and floats on others, where that makes a difference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedSyntaxError

PLACE = np.array([1.3, 2.0, 3.0])


def into_a_product(x: Any, c: Any) -> Any:
    v = 2 if c > 0.5 else c
    z = np.array([1, 2, 3]) * v
    z[0] = x[0]
    return np.sum(z * x)


def into_what_is_filled(x: Any, c: Any) -> Any:
    v = 2 if c > 0.5 else c
    z = np.full(3, v)
    z[1] += x[0]
    return np.sum(z * x)


def into_a_list_of_two(x: Any, c: Any) -> Any:
    v, w = (2, 1) if c > 0.5 else (c, c * c)
    z = np.array([v * w, w])
    z[0] = x[0]
    return np.sum(z) * x[1]


def into_a_count(x: Any, c: Any) -> Any:
    v = 0
    for t in x:
        v = v + 1 if t > c else v + t
    z = np.array([1, 2, 3]) + v
    z[:2] = x[:2]
    return np.sum(z)


def into_the_largest(x: Any, c: Any) -> Any:
    largest = 0
    for t in x:
        largest = max(largest, t * c)
    z = np.array([1, 2, 3]) * (largest - 1)
    z[0] = x[0]
    return np.sum(z)


def class_asked(x: Any, c: Any) -> Any:
    v = 2 if c > 0.5 else c
    return np.sum(x) * (1.0 if isinstance(v, int) else 3.0)


def type_asked(x: Any, c: Any) -> Any:
    v = 2 if c > 0.5 else c
    return np.sum(x) * (1.0 if type(v + 1) is int else 3.0)


def into_a_list_of_zeros(x: Any, c: Any) -> Any:
    v = [0, 0]
    for k in range(2):
        if x[k] < c:
            v[k] = x[k]
    z = np.array(v)
    z[0] = x[2]
    return np.sum(z)


def into_a_list_that_is_filled(x: Any, c: Any) -> Any:
    v = [0] * len(x)
    for k in range(len(x)):
        if x[k] < c:
            v[k] = x[k]
    z = np.array(v)
    z[0] = x[2]
    return np.sum(z)


def into_a_list_that_grows(x: Any, c: Any) -> Any:
    v = []
    for t in x:
        v.append(t if t < c else 0)
    z = np.array([v, v])
    z[0, 0] = x[2]
    return np.sum(z)


def into_a_comprehension(x: Any, c: Any) -> Any:
    z = np.array([t if t < c else 1 for t in x])
    z[0] = x[2]
    return np.sum(z)


def into_a_part_of_a_list(x: Any, c: Any) -> Any:
    v = [c]
    for t in x:
        v.append(1 if t > c else t)
    z = np.array(v[1:])
    z[0] = x[2]
    return np.sum(z)


def into_an_item(x: Any, c: Any) -> Any:
    v = [c]
    for t in x:
        v.append(1 if t > c else t)
    z = np.array([v[1], 1])
    z[0] = x[2]
    return np.sum(z)


def into_rows(x: Any, c: Any) -> Any:
    v = []
    for t in x:
        v.append([1 if t > c else t, 2])
    z = np.array(v)
    z[0, 1] = x[2]
    return np.sum(z)


@pytest.mark.parametrize(
    ("f", "line", "what"),
    [
        (into_a_list_of_zeros, 6, "write"),
        (into_a_list_that_is_filled, 6, "write"),
        (into_a_list_that_grows, 5, "write"),
        (into_a_comprehension, 2, "write"),
        (into_a_part_of_a_list, 5, "write"),
        (into_an_item, 5, "write"),
        (into_rows, 5, "write"),
        (into_a_product, 3, "write"),
        (into_what_is_filled, 3, "write"),
        (into_a_list_of_two, 3, "write"),
        (into_a_count, 5, "write"),
        (into_the_largest, 5, "write"),
        (class_asked, 2, "class"),
        (type_asked, 2, "class"),
    ],
)
def test_what_hangs_on_the_class_of_a_number_is_refused(
    f: Callable[..., Any], line: int, what: str
) -> None:
    with pytest.raises(UnsupportedSyntaxError, match=what) as caught:
        sd.grad(f)(PLACE, 0.9)
    span = caught.value.span
    assert span is not None
    assert span.line == f.__code__.co_firstlineno + line
    assert "0.0" in str(caught.value)


def floats_written(x: Any, c: Any) -> Any:
    v = 0.0
    for t in x:
        v = v + 1.0 if t > c else v + t
    z = np.array([1, 2, 3]) * v
    z[0] = x[0]
    return np.sum(z * x) if isinstance(v, float) else c


def integers_that_are_only_added(x: Any, c: Any) -> Any:
    v = 0
    for t in x:
        if t > c:
            v += t
    z = x * v
    z[0] = v
    pair = np.array([v, c])
    pair[0] = x[0] * 0.0 + v
    assert pair[0] == v
    assert isinstance(v, (int, float))
    return np.sum(z * np.array([1, 2, 3])) * np.sum(np.array([1, 2]) * v)


def lists_with_a_float(x: Any, c: Any) -> Any:
    v = [c]
    for t in x:
        v.append(1 if t > c else t)
    v += [2]
    z = np.array(v)
    z[0] = x[0] * x[1]
    w = [0, c]
    if c > 1.0:
        w[0] = c * c
    y = np.array(w)
    y[0] = x[2] ** 2
    return z[0] + y[0] * z[1]


def test_lists_that_hold_a_float_for_sure_are_written() -> None:
    # x0 x1 + x2² x0
    a, b, d = PLACE
    expected = [b + d * d, a, 2.0 * d * a]
    np.testing.assert_allclose(sd.grad(lists_with_a_float)(PLACE, 1.5), expected)


def test_where_nothing_hangs_on_it_it_is_differentiated() -> None:
    found = sd.grad(floats_written)(PLACE, 2.5)
    v = PLACE[0] + PLACE[1] + 1.0
    slope = 2.0 * PLACE[1] + 3.0 * PLACE[2]
    expected = np.array([0.0, 2.0, 3.0]) * v + np.array([2.0 * PLACE[0] + slope, slope, 0.0])
    np.testing.assert_allclose(found, expected)
    found = sd.grad(integers_that_are_only_added)(PLACE, 1.5)
    v = PLACE[1] + PLACE[2]
    # 3 v (v + 2 x1 v + 3 x2 v), v = x1 + x2
    total = 1.0 + 2.0 * PLACE[1] + 3.0 * PLACE[2]
    expected = [0.0, 6.0 * v * total + 6.0 * v * v, 6.0 * v * total + 9.0 * v * v]
    np.testing.assert_allclose(found, expected)


def item(x: Any) -> Any:
    v = 1 if x[0] > 0.5 else x[1]
    return x[v]


def written_item(x: Any) -> Any:
    v = 1
    if x[0] < 0.5:
        v = x[1]
    y = x.copy()
    y[v] = x[2]
    return y[0] * y[1]


def bound_of_a_slice(x: Any) -> Any:
    v = 1 if x[0] > 0.5 else x[1]
    return np.sum(x[: v + 1])


def sum_of_a_dict(x: Any) -> Any:
    d = {k: x[k] for k in (0, 1, 2) if x[k] > 5.0}
    v = sum(d.values())
    return x[v]


def item_in_a_loop(x: Any) -> Any:
    s, y = 0, 0.0
    for t in x:
        if t > 5.0:
            s = s + 0.5
        y += x[s] * t
    return y


def item_in_a_helper(x: Any) -> Any:
    def at(v: Any) -> Any:
        return x[v]

    return sum([at(1 if t < 5.0 else t) for t in x])


def caught(x: Any) -> Any:
    v = 1 if x[0] > 0.5 else x[1]
    try:
        return x[v] * 1.0
    except IndexError:
        return x[2]


def method(x: Any) -> Any:
    v = 1 if x[0] > 0.5 else x[1]
    try:
        return x[0] * v.bit_length()
    except AttributeError:
        return x[1]


def shape(x: Any) -> Any:
    n = 3 if x[0] < 5.0 else x[0]
    return np.sum(x.reshape(n))


def count(x: Any) -> Any:
    y = 0.0
    for k in range(2 if x[0] < 5.0 else x[0]):
        y += x[k]
    return y


def shifted(x: Any) -> Any:
    v = 1 if x[0] > 0.5 else x[1]
    return x[0] * (v << 1)


@pytest.mark.parametrize(
    ("f", "line"),
    [
        (item, 2), (written_item, 5), (bound_of_a_slice, 2), (sum_of_a_dict, 3),
        (item_in_a_loop, 5), (item_in_a_helper, 2), (caught, 3), (method, 3), (shape, 2),
        (count, 2), (shifted, 2),
    ],
)  # fmt: skip
def test_what_only_integers_can_do_is_refused(f: Callable[..., Any], line: int) -> None:
    f(PLACE)  # it raises nothing
    for _ in range(2):
        with pytest.raises(UnsupportedSyntaxError, match="an integer on some paths") as caught:
            sd.grad(f)(PLACE)
        span = caught.value.span
        assert span is not None
        assert span.line == f.__code__.co_firstlineno + line
        assert "int(...)" in str(caught.value)


def test_what_no_path_can_do_raises_as_the_function() -> None:
    def f(x: Any) -> Any:
        s = 0
        for t in x:
            s += t
        return x[x[0]] * s

    with pytest.raises(IndexError):
        sd.grad(f)(PLACE)


def test_errors_of_other_operations_are_caught_as_before() -> None:
    def f(x: Any, n: Any) -> Any:
        s = 0
        for t in x:
            s += t * t
        try:
            return s * len(n)
        except TypeError:
            return s * x[0]

    a, b, c = PLACE
    total = a * a + b * b + c * c
    expected = 2.0 * PLACE * a + np.array([total, 0.0, 0.0])
    np.testing.assert_allclose(sd.grad(f)(PLACE, 2.0), expected)


def test_a_set_whose_items_hang_on_numbers_is_refused() -> None:
    def f(x: Any) -> Any:
        ks = {1, 2} | {k for k in (0, 1, 2) if x[k] > 2.5}
        return sum([x[k] for k in ks])

    with pytest.raises(UnsupportedSyntaxError, match="known at run time only") as caught:
        sd.grad(f)(PLACE)
    assert caught.value.span is not None
    assert caught.value.span.line == f.__code__.co_firstlineno + 1


def filled_with_a_sum(x: Any, c: Any) -> Any:
    s = 0
    for k in range(len(x)):
        s += x[k]
    z = np.full(3, s)
    z[0] = c * c
    return np.sum(z) * c


def made_of_a_sum(x: Any, c: Any) -> Any:
    s = 0
    for t in x:
        s += t
    z = np.array([s, 1])
    z[0] = c * c
    z[1] += s
    return np.sum(z) * c


def made_of_a_list(x: Any, c: Any) -> Any:
    v = [0] * (len(x) + 1)
    for k in range(len(x)):
        v[k] = x[k]
    z = np.array(v)
    z[0] = c * c
    return np.sum(z) * c


def after_while(x: Any, c: Any) -> Any:
    s = 0
    while s < c:
        s = s + x[0]
    z = np.full(3, s)
    for k in range(3):
        z[k] = z[k - 1] * c
    return np.sum(z) * c


AFTER_LOOPS = [filled_with_a_sum, made_of_a_sum, made_of_a_list, after_while]


@pytest.mark.parametrize("f", AFTER_LOOPS)
def test_where_a_loop_makes_a_float_it_is_written(f: Callable[..., Any]) -> None:
    c, h = 2.3, 1e-5
    by_x = np.array([(f(PLACE + h * e, c) - f(PLACE - h * e, c)) / (2.0 * h) for e in np.eye(3)])
    by_c = (f(PLACE, c + h) - f(PLACE, c - h)) / (2.0 * h)
    found = sd.grad(f, (0, 1))(PLACE, c)
    np.testing.assert_allclose(found[0], by_x, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(found[1], by_c, rtol=1e-7)
    _, slope = sd.jvp(f, (PLACE, c), (np.ones(3), 1.0))
    np.testing.assert_allclose(slope, np.sum(by_x) + by_c, rtol=1e-7)
    second = (f(PLACE, c + 1e-3) - 2.0 * f(PLACE, c) + f(PLACE, c - 1e-3)) / 1e-6
    np.testing.assert_allclose(sd.grad(sd.grad(f, 1), 1)(PLACE, c), second, rtol=1e-5)


def test_where_a_loop_has_no_turn_the_program_tells() -> None:
    place = -0.5
    assert after_while(PLACE, place) == 0.0  # the write is cut
    with pytest.raises(
        sd.errors.UnsupportedCallError, match="is an integer where a loop"
    ) as caught:
        sd.grad(after_while, 1)(PLACE, place)
    assert caught.value.span is not None
    assert caught.value.span.line == after_while.__code__.co_firstlineno + 6
    assert "0.0 in place of 0" in str(caught.value)


def pythons_or_numpys(x: Any) -> Any:
    v = np.float64(x) if x < 0.5 else 2.0 * x
    return x if type(v) is float else x * x


def computed_of_pythons_or_numpys(x: Any) -> Any:
    v = np.sin(x) if x < 0.5 else 2.0 * x
    v = v * 3 + 1
    return x if isinstance(v, np.generic) else x * x


def pythons_count_or_numpys(x: Any) -> Any:
    n = 2 if x < 0.5 else np.argmax([x, 1.0, x])
    return x if isinstance(n, int) else x * x


def pythons_truth_or_numpys(x: Any) -> Any:
    found = True if x < 0.5 else np.all(np.array([x]) > 0.0)
    return x if found is True else x * x


def sum_of_turns(x: Any) -> Any:
    s = 0.0
    for t in np.array([x, x * x]):
        s = s if t < 0.5 else s + t
    return x if hasattr(s, "dtype") else x * x


@pytest.mark.parametrize(
    "f",
    [
        pythons_or_numpys,
        computed_of_pythons_or_numpys,
        pythons_count_or_numpys,
        pythons_truth_or_numpys,
        sum_of_turns,
    ],
)
def test_the_class_of_a_number_that_is_pythons_on_some_paths_is_refused(f: Any) -> None:
    for x in (0.3, 0.8):
        with pytest.raises(UnsupportedSyntaxError, match="Python's on some paths, NumPy's on"):
            sd.grad(f)(x)


def classes_that_both_have(x: Any) -> Any:
    v = np.float64(x) if x < 0.5 else 2.0 * x
    w = np.float64(3.0) * v  # NumPy's in any case
    assert isinstance(v, float)
    assert isinstance(v, (float, np.floating))
    assert not isinstance(v, (int, np.ndarray))
    assert hasattr(v, "real")
    assert not hasattr(v, "append")
    return v * w * x if type(w) is np.float64 else 0.0


def test_a_class_that_a_number_of_pythons_and_one_of_numpys_have_is_followed() -> None:
    for x, factor in ((0.3, 3.0), (0.8, 12.0)):
        slope, second = 3.0 * factor * x**2, 6.0 * factor * x
        assert sd.grad(classes_that_both_have)(x) == pytest.approx(slope)
        assert sd.jvp(classes_that_both_have, (x,), (1.0,))[1] == pytest.approx(slope)
        assert sd.grad(sd.grad(classes_that_both_have))(x) == pytest.approx(second)


def of_either(v: Any) -> Any:
    return v * 2.0 if v > 0.5 else np.sin(v)


def of_either_below(v: Any) -> Any:
    return of_either(v * 0.9) if v > 0.1 else of_either(v + 0.3) * of_either(v)


def is_pythons(v: Any) -> float:
    return 1.0 if type(v) is float else 2.0


def asked_beside_calls(x: Any) -> Any:
    a, b, c = of_either(x), of_either(x * 0.9), of_either(x + 0.1)
    return a * b * c * (1.0 if isinstance(c, np.float64) else 2.0)


def asked_of_a_call_below(x: Any) -> Any:
    a, b, c = of_either_below(x), of_either_below(x * 0.9), of_either_below(x + 0.1)
    return a * b * c * (1.0 if type(c + 1.0) is float else 2.0)


def asked_in_a_call(x: Any) -> Any:
    a, b, c = of_either(x), of_either(x * 0.9), of_either(x + 0.1)
    return a * is_pythons(a) + b * is_pythons(b) + c * is_pythons(c)


def asked_where_it_is_made(x: Any) -> Any:
    def both(v: Any) -> Any:
        return of_either_below(v) * is_pythons(of_either(v))

    return both(x) * both(x * 0.9) * both(x + 0.1)


@pytest.mark.usefixtures("copied")
@pytest.mark.parametrize(
    "f", [asked_beside_calls, asked_of_a_call_below, asked_in_a_call, asked_where_it_is_made]
)
def test_the_class_of_what_functions_give_that_is_pythons_on_some_paths_is_refused(f: Any) -> None:
    for x in (0.3, 0.8):
        with pytest.raises(UnsupportedSyntaxError, match="Python's on some paths, NumPy's on"):
            sd.grad(f)(x)


def not_asked(x: Any) -> Any:
    a, b, c = of_either_below(x), of_either_below(x * 0.9), of_either_below(x + 0.1)
    return a * b + np.sum(np.array([c, a]) * b)


@pytest.mark.usefixtures("copied")
@pytest.mark.parametrize("x", [0.05, 0.3, 0.8])
def test_functions_that_give_pythons_numbers_or_numpys_are_differentiated(x: float) -> None:
    h = 1e-4
    near = {k: float(not_asked(x + k * h)) for k in (-2, -1, 1, 2)}
    slope = (8 * (near[1] - near[-1]) - near[2] + near[-2]) / (12 * h)
    value, derivative = sd.value_and_grad(not_asked)(x)
    assert value == not_asked(x)
    assert derivative == pytest.approx(slope, rel=1e-9)
    assert sd.jvp(not_asked, (x,), (1.0,))[1] == pytest.approx(slope, rel=1e-9)


def scaled_by_the_larger(x: float, k: int) -> float:
    return max(k, 0.5) * x


@pytest.mark.parametrize("k", [3, True, 0])
def test_a_gradient_that_is_a_number_of_the_function_is_a_float(k: int) -> None:
    for x in (2.0, np.float64(2.0)):
        slope = sd.grad(scaled_by_the_larger)(x, k)
        assert (type(slope), slope) == (type(x), max(k, 0.5))


def numpys_truth_asked(x: Any) -> Any:
    y = (x < 0.4) and x * x
    return x * 3.0 if isinstance(y, np.bool_) else y * 1.0


def numpys_integer_asked(x: Any) -> Any:
    y = x * x if x < 0.4 else np.int64(3)
    return x * 3.0 if isinstance(y, np.integer) else y * 1.0


def numpys_integer_shown(x: Any) -> Any:
    y = x * x if x < 0.4 else np.int64(3)
    return x if y.dtype.kind == "f" else x * 3.0


def into_an_array_of_numpys_truths(x: Any) -> Any:
    y = (x < 0.4) and x * x
    z = np.array([y, y])
    z[0] = x * 1.7
    return z[0] * x + z[1]


def into_an_array_of_numpys_integers(x: Any) -> Any:
    y = x * x if x < 0.4 else np.int64(3)
    z = np.full(2, y)
    z[1] = x * 1.7
    return np.sum(z) * x


@pytest.mark.parametrize(
    "f",
    [
        numpys_truth_asked,
        numpys_integer_asked,
        numpys_integer_shown,
        into_an_array_of_numpys_truths,
        into_an_array_of_numpys_integers,
    ],
)
def test_what_hangs_on_numpys_scalars_that_are_integers_on_some_paths_is_refused(f: Any) -> None:
    for x in (np.float64(0.2), np.float64(0.9)):
        with pytest.raises(
            UnsupportedSyntaxError, match=r"on some paths, (a float|floats) on others"
        ):
            sd.grad(f)(x)


def beside_numpys_truths(x: Any) -> Any:
    y = (x < 0.4) and x * x
    z = np.zeros(3)
    z[0], z[1:] = y, y * x + x
    return np.sum(z * z) + np.where(x > 0, y, 0.0) * x + np.sum(np.array([1.0, 2.0]) * y)


@pytest.mark.parametrize("x", [0.2, 0.9])
def test_where_nothing_hangs_on_numpys_scalars_they_are_differentiated(x: float) -> None:
    one = np.float64(x)
    h = 1e-5
    slope = (beside_numpys_truths(one + h) - beside_numpys_truths(one - h)) / (2 * h)
    assert sd.grad(beside_numpys_truths)(one) == pytest.approx(slope, rel=1e-7)
