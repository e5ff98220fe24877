"""Hooks from outside, frozen arguments and retained gradients: marks on the names of a function."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnknownNameError

X = np.array([0.3, -0.7, 1.1])


@sd.differentiable
def loss(w, b, x):
    h = np.tanh(x * w)
    y = h * b
    return np.sum(y * y)


def by_hand(w: Any, b: float, x: Any, hook: Any = lambda g: g) -> Any:
    """The gradient by ``w``, with a hook on ``h``."""
    h = np.tanh(x * w)
    return hook(2 * h * b * b) * (1 - h * h) * x


W, B = np.array([1.0, 2.0, -0.5]), 0.7

# Hooks --------------------------------------------------------------------------------------------


def test_a_hook_replaces_the_cotangent() -> None:
    def clip(g):
        return np.clip(g, -0.1, 0.1)

    hooked = loss.with_hook("h", clip)
    np.testing.assert_allclose(hooked.grad(W, B, X), by_hand(W, B, X, clip), rtol=1e-14)
    np.testing.assert_allclose(loss.grad(W, B, X), by_hand(W, B, X), rtol=1e-14)
    assert hooked(W, B, X) == loss(W, B, X)


def test_hooks_are_visible_in_the_source() -> None:
    source = loss.with_hook("h", lambda g: np.clip(g, -0.1, 0.1)).grad.source(W, B, X)
    assert "np.clip(" in source
    assert "np.clip(" not in loss.grad.source(W, B, X)

    def watch(g):
        print(g.shape)
        return g

    assert "print(" in loss.with_hook("h", watch).grad.source(W, B, X)


def test_a_hook_sees_the_whole_cotangent_and_may_log() -> None:
    seen = []

    def log(g):
        seen.append(g.copy())
        return g

    hooked = loss.with_hook("h", log)
    np.testing.assert_allclose(hooked.grad(W, B, X), by_hand(W, B, X), rtol=1e-14)
    np.testing.assert_allclose(seen, [2 * np.tanh(X * W) * B * B], rtol=1e-14)


def test_a_hook_may_raise() -> None:
    def refuse(g):
        raise OverflowError(f"norm {np.sum(g * g):.3f}")

    with pytest.raises(OverflowError, match=r"norm \d"):
        loss.with_hook("y", refuse).grad(W, B, X)


def test_hooks_are_removed_by_name_or_all_at_once() -> None:
    hooked = loss.with_hook("h", lambda g: 0.0 * g).with_hook("y", lambda g: 2.0 * g)
    assert not np.any(hooked.grad(W, B, X))
    once = hooked.without_hook("h")
    np.testing.assert_allclose(once.grad(W, B, X), 2 * by_hand(W, B, X), rtol=1e-14)
    np.testing.assert_allclose(hooked.without_hook().grad(W, B, X), by_hand(W, B, X), rtol=1e-14)
    with pytest.raises(sd.SignatureError, match="has no hook on 'h'"):
        once.without_hook("h")


def test_several_hooks_of_a_name_are_called_in_their_order() -> None:
    hooked = loss.with_hook("h", lambda g: g + 1.0).with_hook("h", lambda g: g * 3.0)
    np.testing.assert_allclose(
        hooked.grad(W, B, X), by_hand(W, B, X, lambda g: 3.0 * (g + 1.0)), rtol=1e-14
    )


def test_what_is_kept_of_a_cotangent_is_what_its_hooks_made_of_it() -> None:
    hooked = loss.with_hook("h", lambda g: 2.0 * g).with_hook("w", lambda g: 5.0 * g)
    h_bar = 2 * (2 * np.tanh(W * X) * B * B)
    w_bar = 5 * by_hand(W, B, X, lambda g: 2.0 * g)
    _, gradient, kept = sd.value_and_grad(hooked, retain=("h", "w"))(W, B, X)
    trace = hooked.trace(W, B, X)
    trace.backward()
    np.testing.assert_allclose(gradient, w_bar, rtol=1e-14)
    for found in (kept["h"], trace["h"].grad):
        np.testing.assert_allclose(found, h_bar, rtol=1e-14)
    for found in (kept["w"], trace.inputs["w"].grad):
        np.testing.assert_allclose(found, w_bar, rtol=1e-14)


def halved(x, least):
    h = x * x * 0.5
    if h < least:
        return h
    deeper = halved(h, least)
    return deeper + h


def halved_by_hand(x, least, hook=lambda g: g):
    """The gradient of ``halved``, with a hook on ``h`` of every call; and those by each ``h``."""
    xs = [x]
    while True:
        xs.append(xs[-1] * xs[-1] * 0.5)
        if xs[-1] < least:
            break
    bar, bars = 0.0, []
    for depth in range(len(xs) - 1, 0, -1):
        bars.append(hook(bar + 1.0))
        bar = bars[-1] * xs[depth - 1]
    return bar, bars[::-1]


def test_names_inside_recursion_on_data_are_kept_and_hooked() -> None:
    f = sd.differentiable(halved)
    gradient, bars = halved_by_hand(1.9, 0.2)
    trace = f.trace(1.9, 0.2)
    trace.backward()
    assert trace.inputs["x"].grad == pytest.approx(gradient, rel=1e-14)
    assert list(trace.inputs) == ["x", "least"]
    np.testing.assert_allclose(trace["halved.h"].grads, bars, rtol=1e-14)
    assert len(bars) == 6
    hooked = f.with_hook("halved.h", lambda g: 3.0 * g)
    expected, bars = halved_by_hand(1.9, 0.2, lambda g: 3.0 * g)
    assert hooked.grad(1.9, 0.2) == pytest.approx(expected, rel=1e-14)
    _, _, kept = sd.value_and_grad(hooked, retain=("halved.h", "x"))(1.9, 0.2)
    assert kept == pytest.approx({"halved.h": bars[-1], "x": expected}, rel=1e-14)

    def outer(x):
        a = 2.0 * x
        return halved(a, 0.2) * a

    trace = sd.differentiable(outer).trace(0.95)
    trace.backward(retain_graph=True)
    trace.backward()
    np.testing.assert_allclose(
        trace["halved.h"].grads, 2 * 1.9 * np.array(halved_by_hand(1.9, 0.2)[1]), rtol=1e-14
    )


def test_marks_on_the_outermost_call_of_a_recursion_on_data() -> None:
    f = sd.differentiable(halved)
    gradient, _ = halved_by_hand(1.9, 0.2)
    assert f.freeze("least").grad(1.9, 0.2) == pytest.approx(gradient, rel=1e-14)
    assert f.freeze("x").grad(1.9, 0.2) == 0.0
    assert f.with_hook("x", lambda g: -g).grad(1.9, 0.2) == pytest.approx(-gradient, rel=1e-14)
    with pytest.raises(sd.UnknownNameError, match="no name 'h'") as error:
        f.with_hook("h", lambda g: g).grad(1.9, 0.2)
    assert "halved.h" in str(error.value.hint)


def test_hooks_on_arguments_and_in_loops() -> None:
    calls = []

    def count(g):
        calls.append(float(g))
        return g

    @sd.differentiable
    def power(x, n):
        y = x
        for _ in range(n):
            y = y * x
        return y

    assert power.with_hook("y", count).grad(2.0, 3) == pytest.approx(4 * 2.0**3)
    assert calls == [1.0, 2.0, 4.0, 8.0]
    assert power.with_hook("x", lambda g: -g).grad(2.0, 3) == pytest.approx(-4 * 2.0**3)


def test_hooks_act_in_every_reverse_sweep() -> None:
    hooked = loss.with_hook("h", lambda g: 2.0 * g)
    expected = 2 * by_hand(W, B, X)
    _, pullback = hooked.vjp(W, B, X)
    np.testing.assert_allclose(pullback(1.0)[0], expected, rtol=1e-14)
    np.testing.assert_allclose(sd.value_and_grad(hooked)(W, B, X)[1], expected, rtol=1e-14)
    np.testing.assert_allclose(loss.grad.with_hook("h", lambda g: 2.0 * g)(W, B, X), expected)
    trace = hooked.trace(W, B, X)
    trace.backward()
    np.testing.assert_allclose(trace["w"].grad, expected, rtol=1e-14)


def test_a_hook_on_a_name_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownNameError) as caught:
        loss.with_hook("z", lambda g: g).grad(W, B, X)
    assert "binds no name 'z'" in str(caught.value)
    assert "its names are w, b, x, h, y" in str(caught.value)


def test_a_hook_on_what_is_no_float_is_refused_at_its_line() -> None:
    @sd.differentiable
    def f(x):
        k = 3
        return x * k

    with pytest.raises(sd.SignatureError) as caught:
        f.with_hook("k", lambda g: g).grad(2.0)
    assert caught.value.span is not None
    assert caught.value.span.text.strip() == "k = 3"


def test_a_program_that_calls_a_hooked_function_is_refused() -> None:
    hooked = loss.with_hook("h", lambda g: 2.0 * g)

    def outer(w):
        return hooked(w, 0.7, 1.0)

    with pytest.raises(sd.UnsupportedCallError, match="has hooks"):
        sd.grad(outer)(0.5)


def test_hooked_functions_compile_once() -> None:
    def f(x):
        y = x * x
        return y * 2.0

    def double(g):
        return 2.0 * g

    for _ in range(3):
        assert sd.differentiable(f).with_hook("y", double).grad(1.5) == 12.0
    assert len(sd.differentiable(f).signatures()) == 1


# Frozen arguments ---------------------------------------------------------------------------------


def test_grad_of_a_frozen_function_goes_by_the_rest() -> None:
    w, x = loss.freeze("b").grad(W, B, X)
    h = np.tanh(X * W)
    np.testing.assert_allclose(w, by_hand(W, B, X), rtol=1e-14)
    np.testing.assert_allclose(x, 2 * h * B * B * (1 - h * h) * W, rtol=1e-14)
    alone = loss.freeze("b", "x").grad(W, B, X)
    np.testing.assert_array_equal(alone, w)
    np.testing.assert_array_equal(loss.freeze("b").freeze("x").grad(W, B, X), w)
    np.testing.assert_array_equal(sd.value_and_grad(loss.freeze("b", "x"))(W, B, X)[1], w)
    assert loss.freeze("w", "x").hessian(W, B, X) == pytest.approx(2 * np.sum(h * h))


def test_frozen_arguments_have_none_in_reverse_and_no_share_in_forward_mode() -> None:
    frozen = loss.freeze("b")
    _, pullback = frozen.vjp(W, B, X)
    assert pullback(1.0)[1] is None
    trace = frozen.trace(W, B, X)
    trace.backward()
    assert trace["b"].grad is None
    np.testing.assert_allclose(trace["w"].grad, by_hand(W, B, X), rtol=1e-14)
    assert sd.jvp(frozen, (W, B, X), (None, 1.0, None))[1] == 0.0


def test_frozen_containers_are_held_constant() -> None:
    @sd.differentiable
    def f(p, x):
        return np.sum(p["w"] * x) * p["b"][0]

    p = {"w": W, "b": [2.0]}
    np.testing.assert_allclose(f.freeze("p").grad(p, X), 2 * W)
    assert f.freeze("p").vjp(p, X)[1](1.0)[0] is None


def test_what_is_frozen_cannot_be_asked_for() -> None:
    with pytest.raises(sd.SignatureError, match="'b' is frozen"):
        sd.grad(loss.freeze("b"), "b")
    with pytest.raises(sd.SignatureError, match="1 is frozen"):
        sd.grad(loss.freeze("b"), (0, 1))
    with pytest.raises(sd.SignatureError, match="has no parameter 'c'"):
        loss.freeze("c")
    with pytest.raises(sd.SignatureError, match="no argument of loss is left"):
        loss.freeze("w", "b", "x")


def test_a_name_that_is_assigned_again_is_frozen_at_entry_only() -> None:
    @sd.differentiable
    def f(a, x):
        a = a * x
        return a * a

    assert f.freeze("a").grad(3.0, 2.0) == pytest.approx(2 * 3.0**2 * 2.0)


def test_marked_functions_pickle_where_their_hooks_do() -> None:
    frozen = loss.freeze("b", "x")
    again = pickle.loads(pickle.dumps(frozen))
    np.testing.assert_array_equal(again.grad(W, B, X), frozen.grad(W, B, X))


def test_the_graph_shows_what_is_frozen() -> None:
    graph = loss.freeze("b").graph(W, B, X)
    assert graph.inputs["w"].requires_grad
    assert not graph.inputs["b"].requires_grad


def test_differences_are_not_asked_about_frozen_arguments() -> None:
    with pytest.raises(sd.SignatureError, match="check the function itself"):
        sd.check_grads(loss.freeze("b"), (W, B, X))


def test_marked_functions_are_exported(tmp_path: Path) -> None:
    functions = {
        "frozen": loss.freeze("b"),
        "frozen_grad": loss.freeze("b").grad,
        "hooked_grad": loss.with_hook("h", lambda g: np.clip(g, -9.0, 9.0)).grad,
    }
    for name, function in functions.items():
        path = tmp_path / f"{name}.py"
        function.export(path, W, B, X)
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "b frozen" in (tmp_path / "frozen_grad.py").read_text()
    with pytest.raises(sd.UnsupportedCallError, match="keeps gradients by h in a record"):
        sd.value_and_grad(loss, retain=("h",)).export(tmp_path / "retained.py", W, B, X)


# Retained gradients -------------------------------------------------------------------------------


def test_retained_gradients_come_third_by_name() -> None:
    value, gradient, retained = sd.value_and_grad(loss, retain=("h", "y", "x"))(W, B, X)
    h = np.tanh(X * W)
    assert value == loss(W, B, X)
    np.testing.assert_allclose(gradient, by_hand(W, B, X), rtol=1e-14)
    assert list(retained) == ["h", "y", "x"]
    np.testing.assert_allclose(retained["h"], 2 * h * B * B, rtol=1e-14)
    np.testing.assert_allclose(retained["y"], 2 * h * B, rtol=1e-14)
    assert retained["x"] is None  # asked for is the gradient by w alone


def test_retained_is_the_last_value_of_a_name() -> None:
    def f(x):
        h = x * x
        for _ in range(3):
            h = h * x
        return h * 5.0

    assert sd.value_and_grad(f, retain=["h"])(2.0) == (5.0 * 2**5, 5.0 * 5 * 2**4, {"h": 5.0})

    def unused(x):
        h = x * x
        y = h * 2.0
        h = x * 3.0
        return y

    assert sd.value_and_grad(unused, retain=("h",))(2.0)[2] == {"h": None}


def test_retained_gradients_on_paths_that_are_not_taken_are_none() -> None:
    def f(x):
        if x > 0:
            h = x * x
            return h * 3.0
        return x

    both = sd.value_and_grad(f, retain=("h",))
    assert both(2.0) == (12.0, 12.0, {"h": 3.0})
    assert both(-2.0) == (-2.0, 1.0, {"h": None})


def test_retain_with_aux_containers_and_argnums() -> None:
    def f(a, b):
        p = {"s": a * b, "n": [a, 2]}
        return p["s"] * p["n"][0], a

    (value, aux), gradient, retained = sd.value_and_grad(
        f, argnums=(0, 1), has_aux=True, retain=("p",)
    )(3.0, 2.0)
    assert (value, aux, gradient) == (18.0, 3.0, (12.0, 9.0))
    assert retained == {"p": {"s": 3.0, "n": [6.0, None]}}


def test_functions_with_retained_gradients_are_differentiable_again() -> None:
    def f(x):
        h = x * x
        return h * h

    primal, tangent = sd.jvp(sd.value_and_grad(f, retain=("h",)), (2.0,), (1.0,))
    assert primal == (16.0, 32.0, {"h": 8.0})
    assert tangent == (32.0, 48.0, None)


def test_a_retained_name_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="binds no name 'z'"):
        sd.value_and_grad(loss, retain=("z",))(W, B, X)
    with pytest.raises(sd.SignatureError, match="tuple of names"):
        sd.value_and_grad(loss, retain="h")  # type: ignore[arg-type]


def doubled(g: Any) -> Any:
    return 2.0 * g


@sd.checkpoint
def layer(h: Any, w: Any) -> Any:
    for _ in range(2):
        inner = np.tanh(w * h)
        h = inner * inner + h
    return h


def layers(x: Any, w: Any) -> Any:
    first = layer(x, w)
    return np.sum(np.exp(layer(first, w)))


def plain_layers(x: Any, w: Any) -> Any:
    def layer(h: Any, w: Any) -> Any:
        for _ in range(2):
            inner = np.tanh(w * h)
            h = inner * inner + h
        return h

    first = layer(x, w)
    return np.sum(np.exp(layer(first, w)))


def swept(x: Any, w: float, factor: float = 1.0) -> tuple[Any, list[Any], list[Any]]:
    """The gradient by ``x``, and value and gradient of each ``inner``, with a factor at each."""
    inners, gradients = [], []
    for _ in range(4):
        inners.append(np.tanh(w * x))
        x = inners[-1] ** 2 + x
    g = np.exp(x)
    for inner in reversed(inners):
        gradients.append(factor * 2.0 * inner * g)
        g = g + gradients[-1] * (1.0 - inner**2) * w
    return g, inners, gradients[::-1]


def test_names_under_checkpoint_are_kept_retained_and_hooked_as_others_are() -> None:
    f = sd.differentiable(layers)
    trace = f.trace(X, 0.3)
    trace.backward()
    assert list(trace) == list(sd.differentiable(plain_layers).trace(X, 0.3))
    gradient, inners, gradients = swept(X, 0.3)
    np.testing.assert_allclose(trace["x"].grad, gradient, rtol=1e-13)
    np.testing.assert_allclose(trace["layer.inner"].values, inners, rtol=1e-14)
    np.testing.assert_allclose(trace["layer.inner"].grads, gradients, rtol=1e-13)
    _, _, retained = sd.value_and_grad(f, retain=("layer.inner",))(X, 0.3)
    np.testing.assert_allclose(retained["layer.inner"], gradients[-1], rtol=1e-13)


def test_what_is_hooked_under_checkpoint_is_still_computed_again() -> None:
    f = sd.differentiable(layers).with_hook("layer.inner", doubled)
    np.testing.assert_allclose(f.grad(X, 0.3), swept(X, 0.3, factor=2.0)[0], rtol=1e-13)
    long = np.linspace(-1.0, 1.0, 500)
    again = f.forward(long, 0.3)[1].values
    saved = sd.differentiable(plain_layers).forward(long, 0.3)[1].values
    assert sum(np.asarray(v).nbytes for v in again) < sum(np.asarray(v).nbytes for v in saved)


@sd.custom_vjp
def ruled(x: Any) -> Any:
    inside = np.exp(x)
    return inside * 2.0


ruled.defvjp(lambda x: (ruled(x), x), lambda x, g: (g * 2.0 * np.exp(x),))


def test_names_inside_functions_with_rules_are_refused_with_the_reason() -> None:
    @sd.differentiable
    def f(x: Any) -> Any:
        y = ruled(x)
        return np.sum(y)

    trace = f.trace(X)
    assert list(trace) == ["x", "y"]
    for ask in (
        lambda: trace["ruled.inside"],
        lambda: f.with_hook("ruled.inside", doubled).grad(X),
        lambda: sd.value_and_grad(f, retain=("ruled.inside",))(X),
    ):
        with pytest.raises(sd.UnknownNameError, match="ruled has a rule of its own") as error:
            ask()
        assert error.value.hint == "name what ruled is given, and what it returns"
    with pytest.raises(sd.UnknownNameError, match=r"gave 'ruled\.other' no value"):
        trace["ruled.other"]
    layered = sd.differentiable(layers).trace(X, 0.3)
    with pytest.raises(sd.UnknownNameError, match="gave 'inner' no value") as error:
        layered["inner"]
    assert error.value.hint == "did you mean 'layer.inner'?"
