"""``detect_anomaly`` and ``detect_changes``: what goes wrong is named by line and value."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd

BAD = np.array([4.0, 0.0])


def line_of(function: Callable[..., Any], offset: int) -> int:
    return function.__code__.co_firstlineno + offset


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with np.errstate(all="ignore"):
        yield


def root(x):
    y = x * 2.0
    h = np.sqrt(y)
    return np.sum(h * 3.0)


def quotient(x):
    z = x - 4.0
    return np.sum(1.0 / z)


def power(x):
    return np.sum(x**0.5)


def product_of_sums(x):
    return np.sqrt(np.sum(x) * 0.0) / np.sum(x)


def in_a_loop(x):
    s = 0.0
    for k in range(2):
        s = s + np.sum(np.log(x) * k)
    return s


def in_a_branch(x):
    r = x
    if x[0] > 0:
        r = np.log(x)
    return np.sum(r)


def inner(v):
    return np.log(v)


def in_a_helper(x):
    return np.sum(inner(x))


def recursive(x, n):
    if n <= 0:
        return np.log(x)
    return recursive(x, n - 1) * 2.0


@pytest.mark.parametrize(
    ("function", "arguments", "line", "words"),
    [
        (root, (BAD,), 2, ("by 'y' inf at [1]", "'y' is 0.0 there", "result is 3.0 there")),
        (quotient, (BAD,), 2, ("by 'z' -inf at [0]", "'z' is 0.0 there")),
        (power, (BAD,), 1, ("by 'x' inf at [1]", "'x' is 0.0 there", "0.5")),
        (product_of_sums, (BAD + 1.0,), 1, ("by 'np.sum(x) * 0.0' inf\n",)),
        (in_a_loop, (BAD,), 3, ("by 'x' inf at [1]", "result is 1.0 there")),
        (in_a_branch, (BAD,), 3, ("by 'x' inf at [1]",)),
        (recursive, (0.0, 2), 2, ("by 'x' inf\n", "  'x' is 0.0 there")),
    ],
)
def test_the_line_and_the_value_are_named(
    function: Any, arguments: Any, line: int, words: Any
) -> None:
    with sd.detect_anomaly(), pytest.raises(sd.AnomalyError) as caught:
        sd.grad(function)(*arguments)
    error = caught.value
    assert error.span is not None
    assert error.span.line == line_of(function, line)
    for word in words:
        assert word in str(error)
    assert isinstance(error, ArithmeticError)


def test_the_line_is_that_of_the_function_that_is_called() -> None:
    with sd.detect_anomaly(), pytest.raises(sd.AnomalyError) as caught:
        sd.grad(in_a_helper)(BAD)
    assert caught.value.span is not None
    assert caught.value.span.line == line_of(inner, 1)
    assert "by 'v' inf at [1]" in caught.value.message  # what it is called there
    assert (caught.value.hint or "").startswith("'v' is 0.0 there")


def test_the_first_of_the_sweep_is_named_not_what_follows_from_it() -> None:
    def f(x):
        a = np.sqrt(x)
        b = a * 0.0 + x
        c = np.log(b)
        return np.sum(c)

    with sd.detect_anomaly(), pytest.raises(sd.AnomalyError) as caught:
        sd.grad(f)(BAD)
    assert caught.value.span is not None
    assert caught.value.span.line == line_of(f, 3)


def test_what_is_finite_is_the_same_but_for_rounding() -> None:
    x = np.array([0.5, 2.0])
    for f in (root, power, in_a_loop, in_a_branch, in_a_helper):
        with sd.detect_anomaly():
            checked = sd.grad(f)(x)
        np.testing.assert_allclose(checked, sd.grad(f)(x), rtol=1e-14)


def test_what_a_where_left_out_is_no_anomaly() -> None:
    def f(x):
        return np.sum(np.where(x > 0, np.sqrt(x), 0.0)) + np.sum(np.where(x > 1, np.log(x), x))

    with sd.detect_anomaly():
        np.testing.assert_array_equal(sd.grad(f)(BAD), [0.5, 1.0])


def test_a_number_that_is_divided_needs_no_mask() -> None:
    f = sd.differentiable(lambda x: np.sum(np.sqrt(np.where(x > 0.0, x, 0.0))))
    assert "!= 0" not in f.grad.source(BAD)
    with sd.detect_anomaly(), pytest.raises(sd.AnomalyError):
        f.grad(BAD)
    np.testing.assert_array_equal(f.grad(BAD), [0.25, 0.0])
    np.testing.assert_array_equal(f.hessian(BAD), [[-0.03125, 0.0], [0.0, 0.0]])
    slopes = sd.jacobian(sd.grad(lambda x: np.sum(np.sqrt(x))), mode="rev")(BAD)
    np.testing.assert_array_equal(slopes, [[-0.03125, 0.0], [0.0, -np.inf]])


def test_a_cotangent_that_is_nan_already_is_found_at_the_first_step() -> None:
    y, saved = sd.differentiable(root).forward(BAD + 1)
    with sd.detect_anomaly():
        y, saved = sd.differentiable(root).forward(BAD + 1)
    assert y > 0
    with pytest.raises(sd.AnomalyError, match="nan"):
        sd.differentiable(root).backward(saved, np.nan)


def test_off_nothing_is_checked_before_or_after() -> None:
    f = sd.differentiable(root)
    assert f.grad(BAD)[1] == np.inf
    with sd.detect_anomaly(), pytest.raises(sd.AnomalyError):
        f.grad(BAD)
    assert f.grad(BAD)[1] == np.inf
    with sd.detect_anomaly(), pytest.raises(sd.AnomalyError):
        f.grad(BAD)
    assert "require_finite" not in f.grad.source(BAD)


def test_forward_inside_is_enough() -> None:
    f = sd.differentiable(root)
    with sd.detect_anomaly():
        _, saved = f.forward(BAD)
        _, pullback = f.vjp(BAD)
        trace = f.trace(BAD)
    for run in (lambda: f.backward(saved), lambda: pullback(1.0), trace.backward):
        with pytest.raises(sd.AnomalyError, match="by 'y' inf"):
            run()


def test_other_threads_go_on_as_they_were() -> None:
    f = sd.differentiable(root)
    found: list[Any] = []

    def run() -> None:
        with np.errstate(all="ignore"):
            found.append(f.grad(BAD)[1])

    with sd.detect_anomaly():
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        with pytest.raises(sd.AnomalyError):
            f.grad(BAD)
    assert found == [np.inf]


def test_modes_nest_and_are_left_by_exceptions() -> None:
    anomalies = sd.detect_anomaly()
    with anomalies, anomalies:
        pass
    with pytest.raises(RuntimeError), anomalies:
        raise RuntimeError
    assert sd.grad(root)(BAD)[1] == np.inf


# Changes ------------------------------------------------------------------------------------------

W = np.array([2.0, 3.0])


@sd.differentiable
def model(p, x):
    h = np.sin(x) * p["w"]
    y = h * W
    return np.sum(y * y)


def arguments() -> tuple[Any, Any]:
    return {"w": np.array([1.0, 2.0])}, np.array([0.5, 0.25])


def test_a_change_of_an_argument_is_found_with_its_line() -> None:
    p, x = arguments()
    with sd.detect_changes():
        _, saved = model.forward(p, x)
    before = model.backward(saved)
    x[0] = 9.0
    with pytest.raises(sd.ArrayChangedError) as caught:
        model.backward(saved)
    text = str(caught.value)
    assert "'x' was changed after the forward sweep" in text
    assert "call forward again" in text and "x.copy()" in text
    assert caught.value.span is not None
    assert caught.value.span.line == line_of(model.__wrapped__, 2)
    x[0] = 0.5
    np.testing.assert_array_equal(model.backward(saved)[1], before[1])


def test_parts_of_containers_and_captured_arrays_are_watched() -> None:
    p, x = arguments()
    with sd.detect_changes():
        _, pullback = model.vjp(p, x)
        trace = model.trace(p, x)
    p["w"][1] = 0.0
    for run in (lambda: pullback(1.0), trace.backward):
        with pytest.raises(sd.ArrayChangedError, match=r"'p\.w' was changed"):
            run()
    p["w"][1] = 2.0
    pullback(1.0)
    W[0] = -1.0
    try:
        with pytest.raises(sd.ArrayChangedError, match="'W' was changed"):
            pullback(1.0)
    finally:
        W[0] = 2.0
    pullback(1.0)


def test_a_change_of_what_was_saved_is_found() -> None:
    with sd.detect_changes():
        _, saved = model.forward(*arguments())
    array = next(value for value in saved.values if isinstance(value, np.ndarray))
    array[0] += 1.0
    with pytest.raises(sd.ArrayChangedError, match="what was saved of"):
        model.backward(saved)


def test_without_it_gradients_are_those_of_the_values_at_forward() -> None:
    p, x = arguments()
    _, saved = model.forward(p, x)
    before = model.backward(saved)[1]
    x[:] = 100.0
    np.testing.assert_array_equal(model.backward(saved)[1], before)


def test_an_array_that_is_not_saved_may_change() -> None:
    @sd.differentiable
    def linear(x, c):
        return np.sum(x * c)

    x, c = np.ones(2), np.ones(2)
    with sd.detect_changes():
        _, saved = sd.differentiable(lambda x: np.sum(x * 3.0)).forward(x)
    x[:] = np.nan
    saved.program.run(saved, None)
    with sd.detect_changes():
        _, saved = linear.freeze("c").forward(c, c.copy())
    linear.backward(saved)


def test_nan_equals_nan() -> None:
    x = np.array([np.nan, 1.0])
    with sd.detect_changes():
        _, saved = sd.differentiable(lambda x: np.sum(x * x)).forward(x)
    saved.program.run(saved, None)
