"""Functions that are made anew from one code run the program of the one before where that fits.

The references are closed forms. Whether a program was compiled is told by how often the front end
was asked.
"""

from __future__ import annotations

import gc
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff import pipeline

W = np.array([0.5, -1.5, 2.0])
RATE = 3.0


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that were compiled."""
    names: list[str] = []
    derive = pipeline.derive

    def counted(chain: Any, *rest: Any) -> Any:
        names.append(chain.function.__name__)
        return derive(chain, *rest)

    monkeypatch.setattr(pipeline, "derive", counted)
    return names


def over(value: Any, w: Any = W) -> Any:
    """The gradient of a closure over a value."""

    def scaled(w: Any) -> Any:
        return np.sum(value * w * w)

    return sd.grad(scaled)(w)


def test_closures_over_numbers_and_arrays_are_compiled_once_a_type(compiled: list[str]) -> None:
    for value in (2.0, 3.0, -1.0):
        np.testing.assert_array_equal(over(value), 2.0 * value * W)
    for array in (np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])):
        np.testing.assert_array_equal(over(array), 2.0 * array * W)
    assert len(compiled) == 2
    for other in (2, np.float32(2.0), np.array([[2.0]]), np.ones((2, 3)), np.array([2, 3, 4])):
        expected = np.sum(
            np.broadcast_to(2.0 * other * W, np.broadcast_shapes(np.shape(other), (3,))).reshape(
                -1, 3
            ),
            axis=0,
        )
        np.testing.assert_array_equal(over(other), expected)
    for value in (7.0, 2, np.float32(3.0)):
        np.testing.assert_array_equal(over(value), 2.0 * value * W)
    assert len(compiled) == 7


def test_a_length_of_one_is_another_type() -> None:
    for array in (np.array([1.0, 2.0, 3.0]), np.array([2.0]), np.array([1.0, 2.0, 4.0])):
        np.testing.assert_array_equal(over(array), 2.0 * array * W)


def test_numbers_that_structure_depends_on_are_told_apart() -> None:
    def powers(n: Any, w: Any) -> Any:
        def power(w: Any) -> Any:
            parts = [w**k for k in range(1, n + 1)]
            return np.sum(np.stack(parts, axis=0)) + np.sum(np.sum(np.ones((2,) * n), axis=n - 1))

        return sd.grad(power)(w)

    for n in (1, 2, 3, 2, 1):
        expected = sum(k * W ** (k - 1) for k in range(1, n + 1))
        np.testing.assert_allclose(powers(n, W), expected, rtol=1e-14)


def test_text_and_lists_and_dicts_are_told_apart(compiled: list[str]) -> None:
    def chosen(options: Any, parts: list[Any], mode: str) -> Any:
        def loss(w: Any) -> Any:
            total = np.sum(w) * options["scale"]
            for part in parts:
                total = total + np.sum(part * w)
            return total * 2.0 if mode == "double" else total

        return sd.grad(loss)(W)

    one, two = np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0])
    cases = [
        ({"scale": 1.0}, [one], "plain"),
        ({"scale": 2.0}, [two], "plain"),
        ({"scale": 2.0}, [two], "double"),
        ({"scale": 2.0, "more": 1.0}, [one, two], "double"),
        ({"scale": 5.0}, [two, one, one], "plain"),
        ({"scale": 4.0}, [one], "double"),
    ]
    for options, parts, mode in cases:
        expected = (options["scale"] + sum(parts)) * (2.0 if mode == "double" else 1.0)
        np.testing.assert_allclose(chosen(options, parts, mode), expected, rtol=1e-15)
    assert len(compiled) < len(cases)


def test_a_program_that_writes_parts_of_arrays_elsewhere_does_not_tie_others(
    compiled: list[str],
) -> None:
    def shifted(o: Any, x: Any) -> Any:
        o.many[0][1] = x
        return np.sum(o.many[0] ** 2)

    found = sd.grad(shifted, 1)(types.SimpleNamespace(many=[W.copy()]), 3.0)
    assert found == 6.0

    def first(parts: list[Any]) -> Any:
        def loss(w: Any) -> Any:
            return np.sum(parts[0] * w)

        return sd.grad(loss)(W)

    for scale in (1.0, 2.0):
        np.testing.assert_array_equal(first([scale * W]), scale * W)
    assert compiled == ["shifted", "loss"]


def square(w: Any) -> Any:
    return w * w


def cube(w: Any) -> Any:
    return w * w * w


def test_functions_of_a_module_are_guarded(compiled: list[str]) -> None:
    def through(inner: Callable[[Any], Any]) -> Any:
        def loss(w: Any) -> Any:
            return np.sum(inner(w))

        return sd.grad(loss)(W)

    for inner, expected in (
        (square, 2 * W),
        (cube, 3 * W * W),
        (square, 2 * W),
        (np.exp, np.exp(W)),
    ):
        np.testing.assert_allclose(through(inner), expected, rtol=1e-15)
    assert len(compiled) == 3


def test_closures_over_closures_are_compiled_anew() -> None:
    def nested(scale: float) -> Any:
        def model(w: Any) -> Any:
            return scale * w * w

        def loss(w: Any) -> Any:
            return np.sum(model(w)) + scale * np.sum(w)

        return sd.grad(loss)(W)

    for scale in (1.0, 2.0, 3.0):
        np.testing.assert_array_equal(nested(scale), 2.0 * scale * W + scale)


def made(scale: float, model: Any = None) -> tuple[Any, Any]:
    """A loss and a model that share a cell, unless the model is another's."""

    def own(w: Any) -> Any:
        return scale * w * w

    used = own if model is None else model

    def loss(w: Any) -> Any:
        return np.sum(used(w)) + scale * np.sum(w)

    return loss, own


def test_a_cell_that_another_closure_shares_is_not_taken_for_its_own() -> None:
    first, model = made(2.0)
    second, _ = made(10.0, model)
    third, _ = made(100.0, model)
    np.testing.assert_array_equal(sd.grad(first)(W), 2.0 * 2.0 * W + 2.0)
    np.testing.assert_array_equal(sd.grad(second)(W), 2.0 * 2.0 * W + 10.0)
    np.testing.assert_array_equal(sd.grad(third)(W), 2.0 * 2.0 * W + 100.0)


class Config:
    def __init__(self, rate: float) -> None:
        self.rate = rate

    def scaled(self, w: Any) -> Any:
        return self.rate * w


class Doubled(Config):
    def scaled(self, w: Any) -> Any:
        return 2.0 * self.rate * w


def test_objects_are_read_anew() -> None:
    def fit(config: Config) -> Any:
        def loss(w: Any) -> Any:
            return np.sum(config.scaled(w)) + config.rate * np.sum(w * w)

        return sd.grad(loss)(W)

    for config in (Config(1.0), Config(3.0), Doubled(1.0), Config(5.0), Doubled(2.0)):
        factor = 2.0 if isinstance(config, Doubled) else 1.0
        np.testing.assert_allclose(fit(config), factor * config.rate + 2 * config.rate * W)


def test_classes_made_in_a_call_are_told_apart() -> None:
    def fit(rate: float) -> Any:
        class Model:
            def value(self, w: Any) -> Any:
                return rate * w

        def loss(w: Any) -> Any:
            return np.sum(Model().value(w) * w)

        return sd.grad(loss)(W)

    for rate in (1.0, 2.0, 3.0):
        np.testing.assert_array_equal(fit(rate), 2.0 * rate * W)


def test_defaults_are_those_of_the_function() -> None:
    def fit(t: Any, extra: Any) -> Any:
        def loss(w: Any, t: Any = t, *, extra: Any = extra) -> Any:
            return np.sum(w * t) * extra

        return sd.grad(loss)(W)

    for t, extra in ((np.ones(3), 2.0), (np.full(3, 2.0), 3.0), (4.0, 3.0), (np.ones(3), 5)):
        np.testing.assert_array_equal(fit(t, extra), np.full(3, 1.0) * t * extra)


def test_functions_without_cells_are_compiled_once(compiled: list[str]) -> None:
    for _ in range(4):
        np.testing.assert_array_equal(sd.grad(lambda w: np.sum(w * w * RATE))(W), 2.0 * RATE * W)
    assert len(compiled) == 1


def test_globals_are_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    for rate in (3.0, 5.0, 7):
        monkeypatch.setitem(globals(), "RATE", rate)
        np.testing.assert_array_equal(sd.grad(lambda w: np.sum(w * w * RATE))(W), 2.0 * rate * W)
    monkeypatch.setitem(globals(), "square", cube)
    np.testing.assert_allclose(sd.grad(lambda w: np.sum(square(w)))(W), 3.0 * W * W)
    monkeypatch.undo()
    np.testing.assert_array_equal(sd.grad(lambda w: np.sum(square(w)))(W), 2.0 * W)


def test_other_globals_of_one_code_are_their_own() -> None:
    def loss(w: Any) -> Any:
        return np.sum(w * w * RATE)

    for rate in (1.0, 2.0):
        other = types.FunctionType(loss.__code__, {"np": np, "RATE": rate}, "loss")
        np.testing.assert_array_equal(sd.grad(other)(W), 2.0 * rate * W)
    np.testing.assert_array_equal(sd.grad(loss)(W), 2.0 * RATE * W)


def test_what_is_written_is_written_to_the_function_s_own_cell() -> None:
    def counting() -> tuple[Any, list[int]]:
        calls, last = 0, [0]

        def loss(w: Any) -> Any:
            nonlocal calls
            calls += 1
            last[0] = calls
            return np.sum(w * w) * calls

        return loss, last

    for _ in range(3):
        loss, last = counting()
        for turn in (1, 2):
            np.testing.assert_array_equal(sd.grad(loss)(W), 2.0 * turn * W)
            assert last == [turn]


def test_arrays_that_are_written_are_the_function_s_own() -> None:
    def fit(size: float) -> Any:
        kept = np.zeros(3)

        def loss(w: Any) -> Any:
            kept[:] = size * w
            return np.sum(kept * w)

        found = sd.grad(loss)(W)
        return found, kept

    for size in (1.0, 2.0):
        found, kept = fit(size)
        np.testing.assert_array_equal(found, 2.0 * size * W)
        np.testing.assert_array_equal(kept, size * W)


def test_recursive_closures() -> None:
    def fit(depth: int, scale: float) -> Any:
        def power(w: Any, n: int = depth) -> Any:
            return np.sum(w) if n == 0 else scale * power(w, n - 1)

        return sd.grad(power)(W)

    for depth, scale in ((1, 2.0), (2, 3.0), (2, 2.0), (3, 2.0)):
        np.testing.assert_allclose(fit(depth, scale), np.full(3, scale**depth))


def test_unbound_cells_raise_as_python_does() -> None:
    def fit(bound: bool) -> Any:
        if bound:
            scale = 2.0

        def loss(w: Any) -> Any:
            return scale * np.sum(w)

        return sd.grad(loss)(W)

    np.testing.assert_array_equal(fit(True), np.full(3, 2.0))
    with pytest.raises(NameError):
        fit(False)
    np.testing.assert_array_equal(fit(True), np.full(3, 2.0))


def test_a_rule_that_is_given_meanwhile_is_taken() -> None:
    def loss_of(scale: float) -> Any:
        def loss(w: Any) -> Any:
            return scale * np.sum(cube(w))

        return loss

    np.testing.assert_allclose(sd.grad(loss_of(1.0))(W), 3.0 * W * W)
    kept = cube.__code__
    try:
        cube.__code__ = square.__code__
        np.testing.assert_allclose(sd.grad(loss_of(2.0))(W), 4.0 * W)
    finally:
        cube.__code__ = kept
    np.testing.assert_allclose(sd.grad(loss_of(2.0))(W), 6.0 * W * W)


def test_ids_that_are_used_again_are_told_apart() -> None:
    for turn in range(30):
        value = np.full(3, float(turn)) if turn % 3 else float(turn)
        np.testing.assert_array_equal(over(value), 2.0 * value * W)
        del value
        gc.collect(0)


def test_nothing_of_a_function_is_kept() -> None:
    def fit() -> tuple[weakref.ref[Any], weakref.ref[Any]]:
        data = np.arange(3.0)

        def loss(w: Any) -> Any:
            return np.sum(data * w * w)

        np.testing.assert_array_equal(sd.grad(loss)(W), 2.0 * data * W)
        return weakref.ref(data), weakref.ref(loss)

    for _ in range(2):
        references = fit()
        gc.collect()
        gc.collect()  # what was kept for a function goes when that has gone
        assert [reference() for reference in references] == [None, None]


def test_transforms_and_options_are_told_apart() -> None:
    def loss_of(scale: float) -> Any:
        def loss(w: Any) -> Any:
            return scale * np.sum(w * w)

        return loss

    for scale in (1.0, 2.0):
        expected = 2.0 * scale * W
        np.testing.assert_array_equal(sd.grad(loss_of(scale))(W), expected)
        value, gradient = sd.value_and_grad(loss_of(scale))(W)
        np.testing.assert_array_equal(gradient, expected)
        assert value == scale * np.sum(W * W)
        np.testing.assert_array_equal(sd.hessian(loss_of(scale))(W), 2.0 * scale * np.eye(3))
        np.testing.assert_array_equal(sd.hvp(loss_of(scale))(W, W), expected)
        with sd.detect_anomaly():
            np.testing.assert_array_equal(sd.grad(loss_of(scale))(W), expected)
        _, pullback = sd.vjp(loss_of(scale), W)
        np.testing.assert_array_equal(pullback(1.0)[0], expected)


def test_the_text_and_signatures_are_shown() -> None:
    def loss_of(scale: float) -> Any:
        def loss(w: Any) -> Any:
            return scale * np.sum(w * w)

        return loss

    sources = []
    for scale in (1.0, 2.0):
        gradient = sd.grad(loss_of(scale))
        np.testing.assert_array_equal(gradient(W), 2.0 * scale * W)
        sources.append(str(gradient.source(W)))
        assert len(gradient.signatures()) == 1
    assert sources[0] == sources[1]


def test_errors_show_the_user_s_line() -> None:
    def fit(t: Any) -> Any:
        def loss(w: Any) -> Any:
            return np.sum(w * t)

        return sd.grad(loss)(W)

    np.testing.assert_array_equal(fit(np.ones(3)), np.ones(3))
    with pytest.raises(ValueError, match="broadcast"):
        fit(np.ones(4))
    np.testing.assert_array_equal(fit(np.full(3, 2.0)), np.full(3, 2.0))


def test_threads_share_programs() -> None:
    found: dict[int, Any] = {}

    def run(number: int) -> None:
        found[number] = [over(float(number * k)) for k in range(4)]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, gradients in found.items():
        for k, gradient in enumerate(gradients):
            np.testing.assert_array_equal(gradient, 2.0 * number * k * W)
