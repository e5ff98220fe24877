"""``f.trace``: values against the function run step by step, gradients against differences."""

from __future__ import annotations

import gc
import math
import tracemalloc
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.tracing.stepped import at, gradients, stepped

X = np.array([0.3, -0.7, 1.1])


def straight(x, w):
    h = np.tanh(x * w)
    y = h + x
    return np.sum(y * h)


def reassigned(x):
    y = np.sin(x)
    y = y * x
    y = np.exp(y)
    return np.sum(y)


def in_loops(x, n):
    s = 0.0
    for i in range(n):
        h = np.sin(x + i)
        for _ in range(2):
            h = h * x
        s = s + np.sum(h)
    return s


def while_loop(x):
    total = np.sum(x * x)
    k = 0
    while total > 0.01:
        total = total * 0.3
        k = k + 1
    return total * np.sum(x)


def branches(x, flag):
    if np.sum(x) > flag:
        z = np.exp(x)
        r = np.sum(z)
    else:
        r = np.sum(x * x)
    return r * 2.0


def containers(x):
    p = {"a": x * 2.0, "b": [x[0], np.cos(x)]}
    pair = (p["a"] * x, 3.0)
    q = p["b"][1] * pair[1]
    return np.sum(q * pair[0]) + p["b"][0]


def alias_and_view(x):
    y = x * 2.0
    z = y
    row = y[1:]
    t = row * x[0]
    return np.sum(z * y) + np.sum(t * row)


def python_numbers(a, b):
    c = a * b
    d = math.sin(c) + a
    c = d * c
    return c


def rank_zero(x):
    y = x * 2.0
    z = y**3
    return z


def unpacked(x):
    a, (b, c) = x[0], (x[1], x[2])
    d = a * b
    return d * c


def rows(m):
    s = 0.0
    for row in m:
        t = row * row
        s = s + np.sum(t) * row[0]
    return s


def early_exit(x):
    s = 0.0
    for _ in range(5):
        s = s + np.sum(x) * x[0]
        if s > 1.0:
            break
        t = s * s
        s = s + t
    return s


PROGRAMS = [
    pytest.param(straight, (X, 2.0), id="straight"),
    pytest.param(reassigned, (X,), id="reassigned"),
    pytest.param(in_loops, (X, 3), id="nested loops"),
    pytest.param(while_loop, (X,), id="while"),
    pytest.param(branches, (X, 0.0), id="then"),
    pytest.param(branches, (X, 5.0), id="else"),
    pytest.param(containers, (X,), id="containers"),
    pytest.param(alias_and_view, (X,), id="aliases and views"),
    pytest.param(python_numbers, (0.4, 1.3), id="Python numbers"),
    pytest.param(rank_zero, (np.array(0.7),), id="rank 0"),
    pytest.param(unpacked, (X,), id="unpacked"),
    pytest.param(rows, (np.arange(6.0).reshape(3, 2) / 5,), id="rows"),
    pytest.param(early_exit, (np.abs(X),), id="break"),
]


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_values_are_those_of_the_function_run_step_by_step(function: Any, arguments: Any) -> None:
    result, noted = stepped(function, arguments)
    trace = sd.differentiable(function).trace(*arguments)
    assert trace.value == result
    assert [(one.name, one.line) for one in trace.occurrences] == [n[:2] for n in noted]
    for one, (_, _, value) in zip(trace.occurrences, noted, strict=True):
        np.testing.assert_equal(one.value, value)


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_gradients_are_what_a_change_at_that_point_does(function: Any, arguments: Any) -> None:
    trace = sd.differentiable(function).trace(*arguments)
    trace.backward()
    checked = 0
    for number, place, expected in gradients(function, arguments):
        found = trace.occurrences[number].grad
        part = 0.0 if found is None else at(found, place)
        constant = found is None and not _depends(trace.occurrences[number].name, function)
        if part is None or constant:  # of what no argument reaches there is none
            continue
        assert part == pytest.approx(expected, rel=1e-8, abs=1e-8), trace.occurrences[number]
        checked += 1
    assert checked > 3 or function in (rank_zero,)


def _depends(name: str, function: Any) -> bool:
    """Names that some constant starts: ``s = 0.0``."""
    return name not in ("s", "flag", "pair")


def test_in_place_changes_are_one_more_value_behind_the_loop() -> None:
    @sd.differentiable
    def f(x):
        u = np.zeros(3)
        for i in range(3):
            u[i] = x[i] * x[i]
        u[0] = u[1] * 5.0
        return np.sum(u * u)

    trace = f.trace(X)
    squares = X * X
    np.testing.assert_equal(
        trace["u"].values,
        [np.zeros(3), squares, np.array([5 * squares[1], *squares[1:]])],
    )
    trace.backward()
    last = trace["u"].value
    np.testing.assert_allclose(trace["u"].grad, 2 * last, rtol=1e-15)
    before = np.array([0.0, 2 * last[1] + 5 * 2 * last[0], 2 * last[2]])
    np.testing.assert_allclose(trace["u"][1].grad, before, rtol=1e-15)


def test_a_write_through_a_view_is_one_more_value_of_each_name() -> None:
    @sd.differentiable
    def f(x):
        y = x * 2.0
        z = y
        row = y[1:]
        row *= 3.0
        return np.sum(z * y)

    trace = f.trace(X)
    trace.backward()
    after = 2 * X * [1, 3, 3]
    for name in ("y", "z"):
        np.testing.assert_allclose(trace[name].value, after)
        np.testing.assert_allclose(trace[name].grad, 2 * after)
        np.testing.assert_allclose(trace[name][0].grad, 2 * after * [1, 3, 3])
    np.testing.assert_allclose(trace["row"].grad, 2 * after[1:])
    np.testing.assert_allclose(trace["row"][0].grad, 6 * after[1:])


def test_a_name_of_one_arm_is_there_where_it_was_taken() -> None:
    f = sd.differentiable(branches)
    assert "z" in f.trace(X, 0.0)
    assert "z" not in f.trace(X, 5.0)
    with pytest.raises(KeyError, match=r"'z' no value\n.*its names are x, flag, r"):
        f.trace(X, 5.0)["z"]


def test_names_are_reached_by_number_and_by_line() -> None:
    trace = sd.differentiable(reassigned).trace(X)
    y = trace["y"]
    assert len(y) == 3
    first = reassigned.__code__.co_firstlineno
    assert [one.line for one in y] == [first + 1, first + 2, first + 3]
    np.testing.assert_equal(y.at(first + 2).value, y[1].value)
    assert y.line == first + 3
    with pytest.raises(IndexError, match="got 3 values"):
        y[3]
    with pytest.raises(KeyError, match="got no value in line 1\n"):
        y.at(1)


def test_arguments_are_leaves_though_their_names_are_assigned_again() -> None:
    @sd.differentiable
    def f(x, n):
        x = x * 2.0
        return np.sum(x * x) * n

    trace = f.trace(X, 3)
    trace.backward()
    assert [one.is_leaf for one in trace["x"]] == [True, False]
    np.testing.assert_allclose(trace.inputs["x"].grad, 3 * 8 * X)
    np.testing.assert_allclose(trace["x"].grad, 3 * 4 * X)
    assert trace.inputs["n"].grad is None
    np.testing.assert_array_equal(trace.inputs["x"].value, X)


def test_names_of_functions_that_are_called_stand_behind_theirs() -> None:
    def layer(v):
        h = np.tanh(v)
        return h * v

    @sd.differentiable
    def f(x):
        h = layer(x)
        return np.sum(layer(h))

    trace = f.trace(X)
    trace.backward()
    assert len(trace["layer.h"]) == 2
    np.testing.assert_array_equal(trace["layer.h"][0].value, np.tanh(X))
    np.testing.assert_array_equal(trace["layer.v"].value, trace["h"].value)
    assert list(trace.inputs) == ["x"]


def test_lists_of_a_length_that_is_known_at_run_time_have_gradients() -> None:
    @sd.differentiable
    def f(x, n):
        out = [x]
        for _ in range(n):
            out.append(out[-1] * x)
        w = out
        s = 0.0
        for k in range(len(out)):
            s = s + np.sum(w[k]) * (k + 1)
        return s

    trace = f.trace(X, 3)
    trace.backward()
    assert len(trace["out"]) == 2
    np.testing.assert_allclose(trace["out"].value, [X, X**2, X**3, X**4])
    np.testing.assert_array_equal(trace["w"].grad, [np.full(3, k + 1.0) for k in range(4)])
    powers = 1 + 4 * X + 9 * X**2 + 16 * X**3
    np.testing.assert_allclose(trace.inputs["x"].grad, powers)
    (first,) = trace["out"][0].grad
    np.testing.assert_allclose(first, powers)  # the array in the list is x itself


def test_nonlocal_names_are_those_of_their_function() -> None:
    @sd.differentiable
    def f(x):
        s = 0.0

        def add(v):
            nonlocal s
            s = s + v

        for i in range(3):
            add(x * i)
        return s * s

    trace = f.trace(2.0)
    trace.backward()
    assert trace["s"].values == [0.0, 0.0, 2.0, 6.0]
    assert trace["s"].grads[1:] == [12.0, 12.0, 12.0]
    assert trace["add.v"].values == [0.0, 2.0, 4.0]


def test_a_value_stays_what_it_was_when_its_array_is_written() -> None:
    x = np.ones(2)

    @sd.differentiable
    def f(x):
        y = x * 2.0
        z = y
        y += 1.0
        return np.sum(z)

    trace = f.trace(x)
    x[:] = 7.0
    assert trace.inputs["x"].value.tolist() == [1.0, 1.0]
    assert trace["y"][0].value.tolist() == [2.0, 2.0]
    assert trace["z"][0].value.tolist() == [2.0, 2.0]
    assert trace["z"].value.tolist() == [3.0, 3.0]  # what the name means at the end


def test_dataclasses_and_named_tuples_are_structured_like_the_value() -> None:
    @dataclass
    class Layer:
        w: Any
        b: float

    @sd.differentiable
    def f(p):
        q = Layer(p.w * 2.0, p.b)
        return np.sum(q.w) * q.b

    trace = f.trace(Layer(X, 0.5))
    trace.backward()
    assert isinstance(trace["q"].grad, Layer)
    np.testing.assert_allclose(trace["q"].grad.w, 0.5)
    assert trace["q"].grad.b == pytest.approx(2 * X.sum())
    np.testing.assert_allclose(trace.inputs["p"].grad.w, 1.0)


def test_float32_stays_float32() -> None:
    trace = sd.differentiable(straight).trace(X.astype(np.float32), np.float32(2.0))
    trace.backward()
    for name in ("x", "h", "y"):
        assert trace[name].value.dtype == trace[name].grad.dtype == np.float32


def test_effects_happen_once(capsys: pytest.CaptureFixture[str]) -> None:
    @sd.differentiable
    def f(x):
        y = x * x
        print("y", y[0])
        return np.sum(y)

    trace = f.trace(np.ones(2))
    trace.backward(retain_graph=True)
    trace.backward()
    assert capsys.readouterr().out == "y 1.0\n"


def test_recursion_on_data_is_one_value_of_the_caller() -> None:
    def power(x, n):
        if n <= 0:
            return x
        deeper = power(x * x, n - 1)
        return deeper * x

    @sd.differentiable
    def f(x, n):
        y = power(x, n)
        return y * 3.0

    trace = f.trace(1.1, 3)
    trace.backward()
    assert trace["y"].value == power(1.1, 3)
    assert trace["y"].grad == 3.0


def test_no_grad_leaves_values_and_takes_gradients() -> None:
    @sd.differentiable
    def f(x):
        with sd.no_grad():
            scale = np.sum(x)
        y = x * scale
        return np.sum(y)

    trace = f.trace(X)
    trace.backward()
    assert trace["scale"].value == np.sum(X)
    assert trace["scale"].grad is None
    np.testing.assert_array_equal(trace["y"].grad, np.ones(3))


def test_trace_of_a_gradient_has_cotangents_as_names_and_goes_to_order_two() -> None:
    def f(x):
        y = x * x
        return np.sum(y * y)

    trace = sd.grad(f).trace(X)
    np.testing.assert_allclose(trace.value, 4 * X**3)
    np.testing.assert_allclose(trace["y_bar"].value, 2 * X * X)
    trace.backward(np.ones(3))
    np.testing.assert_allclose(trace.inputs["x"].grad, 12 * X**2)


def test_methods_are_traced() -> None:
    class Model:
        def __init__(self) -> None:
            self.w = 3.0

        @sd.differentiable
        def loss(self, x):
            h = self.w * x
            return np.sum(h * h)

    trace = Model().loss.trace(X)
    trace.backward()
    np.testing.assert_allclose(trace["h"].grad, 2 * 3 * X)


# backward -----------------------------------------------------------------------------------------


def vector(x):
    y = x * x
    return y


def test_gradient_of_an_array_is_refused_with_what_to_do() -> None:
    trace = sd.differentiable(vector).trace(X)
    with pytest.raises(sd.GradientShapeError) as caught:
        trace.backward()
    for word in ("gradient=", "vjp", "jacobian"):
        assert word in str(caught.value)
    trace.backward(gradient=np.array([1.0, 0.0, 2.0]))
    np.testing.assert_allclose(trace.inputs["x"].grad, 2 * X * [1.0, 0.0, 2.0])


def test_gradients_accumulate_until_zero_grad() -> None:
    trace = sd.differentiable(straight).trace(X, 2.0)
    trace.backward(retain_graph=True)
    once = {name: trace[name].grad for name in ("x", "h", "y")}
    trace.backward(retain_graph=True)
    for name, grad in once.items():
        np.testing.assert_allclose(trace[name].grad, 2 * grad)
    trace.zero_grad()
    assert trace["h"].grad is None
    trace.backward()
    np.testing.assert_array_equal(trace["h"].grad, once["h"])


def test_second_backward_is_refused_without_retain_graph() -> None:
    trace = sd.differentiable(straight).trace(X, 2.0)
    trace.backward()
    with pytest.raises(sd.ReleasedError, match="retain_graph=True"):
        trace.backward()


def test_a_backward_that_fails_releases_nothing() -> None:
    trace = sd.differentiable(vector).trace(X)
    with pytest.raises(sd.GradientShapeError):
        trace.backward()
    trace.backward(np.ones(3))


def test_backward_releases_what_was_saved() -> None:
    @sd.differentiable
    def f(x):
        for _ in range(20):
            x = np.sin(x)
        return np.sum(x)

    x = np.ones(50_000)
    f.trace(x[:2]).backward()  # compiles
    gc.collect()
    tracemalloc.start()
    try:
        trace = f.trace(x)
        saved = trace._saved
        assert saved is not None
        tape = next(value for value in saved.values if isinstance(value, np.ndarray))
        gone = weakref.ref(tape)
        del saved, tape
        before, _ = tracemalloc.get_traced_memory()
        trace.backward(retain_graph=True)
        assert gone() is not None
        trace.zero_grad()
        held, _ = tracemalloc.get_traced_memory()
        assert abs(held - before) < x.nbytes
        trace.backward()
        trace.zero_grad()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert gone() is None
    assert before - after > 19 * x.nbytes


def of_a_part(x):
    h = np.exp(x)
    part = h[:10]
    return np.sum(part * part)


def of_a_reshaped_view(x):
    h = np.exp(x)
    rows = h.reshape(2, -1)[:, ::2]
    return np.sum(np.sin(rows) * rows)


def given_back(x):
    return np.exp(x)


def a_view_given_back(x):
    return np.exp(x).reshape(2, -1)[0]


@pytest.mark.parametrize("function", [of_a_part, of_a_reshaped_view, given_back, a_view_given_back])
@pytest.mark.one_in(4)
def test_nothing_that_was_saved_is_held_by_a_view_or_by_the_result(function: Any) -> None:
    """Behind ``backward`` a trace holds the values that names got, the gradients and the result."""
    f = sd.differentiable(function)
    x = np.linspace(0.0, 1.0, 10_000)
    ones = np.ones_like(f.trace(x).value)
    f.trace(x).backward(ones)
    gc.collect()
    tracemalloc.start()
    try:
        trace = f.trace(x)
        trace.backward(ones)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    kept = [one.value for one in trace.occurrences] + [one.grad for one in trace.occurrences]
    assert held < sum(np.asarray(v).nbytes for v in [*kept, trace.value]) + x.nbytes / 2


def test_losses_that_share_a_part() -> None:
    @sd.differentiable
    def losses(w):
        h = np.sin(w)
        a = np.sum(h * h)
        b = np.sum(h**3)
        return {"a": a, "b": b}

    trace = losses.trace(X)
    h, slope = np.sin(X), np.cos(X)
    trace.backward(output="a", retain_graph=True)
    np.testing.assert_allclose(trace["h"].grad, 2 * h)
    assert trace["b"].grad == 0.0
    trace.zero_grad()
    trace.backward(output="b", retain_graph=True)
    np.testing.assert_allclose(trace["w"].grad, 3 * h**2 * slope)
    trace.backward(output="a", retain_graph=True)
    np.testing.assert_allclose(trace["w"].grad, (3 * h**2 + 2 * h) * slope)
    trace.zero_grad()
    trace.backward({"a": 2.0, "b": None})
    np.testing.assert_allclose(trace["w"].grad, 4 * h * slope)


def test_an_output_that_is_not_there_or_is_no_scalar_is_refused() -> None:
    @sd.differentiable
    def f(x):
        return np.sum(x), (x * 2.0, x)

    trace = f.trace(X)
    with pytest.raises(sd.SignatureError, match="returns nothing under 2"):
        trace.backward(output=2)
    with pytest.raises(sd.GradientShapeError, match="not a scalar"):
        trace.backward(output=(1, 0))
    trace.backward(np.ones(3), output=(1, 0), retain_graph=True)
    np.testing.assert_array_equal(trace["x"].grad, [2.0, 2.0, 2.0])
    trace.zero_grad()
    trace.backward(output=0)
    np.testing.assert_array_equal(trace["x"].grad, np.ones(3))


def test_gradients_share_no_memory() -> None:
    trace = sd.differentiable(lambda x: np.sum(x)).trace(X)
    seed = np.ones(())
    trace.backward(seed, retain_graph=True)
    first = trace["x"].grad
    trace.backward(seed)
    assert not np.shares_memory(first, trace["x"].grad)
    assert first.tolist() == [1.0, 1.0, 1.0]


def test_text_shows_lines_values_and_gradients() -> None:
    trace = sd.differentiable(straight).trace(X, 2.0)
    trace.backward()
    lines = str(trace).splitlines()
    first = straight.__code__.co_firstlineno
    assert lines[0].split() == ["line", "name", "value", "grad"]
    assert lines[3].startswith(f"{first + 1:4}  h     float64[3], norm ")
    assert "kept.gradient(h_at, h_bar)" in trace.source
    assert "not finite" in repr(sd.differentiable(vector).trace(np.array([np.nan, 1.0]))["y"])


def test_tracing_compiles_once_a_signature() -> None:
    @sd.differentiable
    def f(x):
        y = x * x
        return np.sum(y)

    f.trace(X)
    f.trace(X * 2)
    assert len([line for line in f.signatures() if line.startswith("f(")]) == 1


def test_a_gradient_of_a_loop_is_traced_with_the_cotangents_of_its_turns() -> None:
    def f(x):
        y = x * x
        for _ in range(3):
            y = y * x
        return np.sum(y)

    x = np.array([1.5, -2.0])
    trace = sd.differentiable(f).grad.trace(x)
    trace.backward(gradient=np.ones(2))
    np.testing.assert_allclose(trace["x_bar"].value, 5 * x**4, rtol=1e-14)
    np.testing.assert_allclose(trace["y_bar"].values, [x**0, x, x**2, x**3], rtol=1e-14)
    np.testing.assert_allclose(trace.inputs["x"].grad, 20 * x**3, rtol=1e-14)


def test_a_gradient_of_a_recursion_on_data_is_traced() -> None:
    def f(x, most):
        h = x * x
        if h > most:
            return h
        return f(h, most) * x

    trace = sd.differentiable(f).grad.trace(1.5, 10.0)
    trace.backward()
    power = 8 + 2 + 1  # x**8, which is above 10, times what the two calls before multiply with
    assert trace.value == pytest.approx(power * 1.5 ** (power - 1), rel=1e-13)
    assert trace.inputs["x"].grad == pytest.approx(power * (power - 1) * 1.5**9, rel=1e-13)
    assert [one.value for one in trace["f.h"]] == [1.5**2, 1.5**4, 1.5**8]
