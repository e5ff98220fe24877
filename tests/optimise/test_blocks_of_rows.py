"""Large arrays of several axes in blocks of rows: right, with the bits of whole arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir import signature
from symdiff.ir.signature import LARGE, LONG

ROWS, COLUMNS = 401, 257
assert ROWS * COLUMNS > LONG
RNG = np.random.default_rng(5)
X = RNG.normal(size=(ROWS, COLUMNS))
T = RNG.uniform(0.5, 2.0, size=(ROWS, COLUMNS))
SQUARE = RNG.normal(size=(330, 330))
CUBE = RNG.normal(size=(60, 41, 43))


@pytest.fixture(autouse=True)
def _blocks_of_smaller_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signature, "LARGE", LONG)


def softmax(x: Any, t: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return np.sum((p - t) ** 2)


def entropy(x: Any, t: Any) -> Any:
    """Reductions without the axis that they leave, numbers of rows, and what is read of them."""
    top = np.max(x, axis=1)
    total = np.log(np.sum(np.exp(x - top[:, None]), axis=1)) + top
    return np.mean(total * t[:, 0] - np.sum(t * x, axis=1)) + np.sum(np.sin(total) * total)


def normalised(x: Any, t: Any) -> Any:
    centred = x - np.mean(x, axis=-1, keepdims=True)
    spread = np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + 1e-3)
    return np.sum(np.tanh(centred / spread * t[0] + t[1]) * t)


def columns(x: Any, t: Any) -> Any:
    """Sums over rows leave what is done by rows, and come back whole."""
    scale = np.sqrt(np.mean(x * x * t, axis=0)) + np.sum(t, axis=0)
    y = x / scale
    return np.sum(np.sin(y) * np.exp(-y * y) * t)


def bent(x: Any, t: Any) -> Any:
    a = np.where(x > 0.0, x * t, 0.1 * x)
    b = np.abs(a) * np.maximum(t, 1.0)
    return np.sum(b * np.log1p(b) + a)


def differences(x: Any, t: Any) -> Any:
    d = x[1:, 1:] - x[:-1, :-1]
    return np.sum(np.sqrt(1.0 + d * d) * np.exp(-d * 0.1) * t[1:, 1:])


def on_a_square(x: Any, t: Any) -> Any:
    """One vector for the rows and for the columns, which is computed by rows itself."""
    v = np.sum(np.sin(x) * x * x, axis=1) * 0.01
    y = x * v + np.cos(x) * v[:, None]
    return np.sum(np.tanh(y) * y * y)


def deep(x: Any, t: Any) -> Any:
    y = x - np.mean(x, axis=(1, 2), keepdims=True)
    z = np.sin(y) * np.exp(-y * y) + np.sum(y * y, axis=2)[..., None] * 0.01
    return np.sum(z * z * y)


def in_a_loop(x: Any, t: Any) -> Any:
    u = x
    for _ in range(3):
        u = np.tanh(u * t + 0.1 * u * u) - np.mean(u, axis=1, keepdims=True)
    return np.sum(u * u)


CALLS = [
    (softmax, X),
    (entropy, X),
    (normalised, X),
    (columns, X),
    (bent, X),
    (differences, X),
    (on_a_square, SQUARE),
    (deep, CUBE),
    (in_a_loop, X),
]


def told(function: Any, like: Any) -> Any:
    """A program for types alone, which knows no lengths and takes arrays as they are."""
    types = "float64[" + ",".join("abc"[: like.ndim]) + "]"
    source = sd.value_and_grad(function, (0, 1)).source(types, types)
    assert "32768" not in source
    space: dict[str, Any] = {"np": np}
    exec(source, space)
    return next(f for name, f in space.items() if name.endswith("_grad"))


@pytest.mark.parametrize(("function", "x"), CALLS)
def test_bits_and_slopes(function: Callable[..., Any], x: Any) -> None:
    t = np.random.default_rng(2).uniform(0.5, 2.0, size=x.shape)
    v, w = (
        np.random.default_rng(3).normal(size=(2, *x.shape))
        * (np.abs(x) > 0.01)
        * (np.abs(t - 1.0) > 0.01)
    )
    both = sd.value_and_grad(function, (0, 1))
    value, slopes = both(x, t)
    assert "32768" in both.source(x, t)
    assert "32768" not in both.source(x[:9, :9], t[:9, :9])
    assert value == function(x, t)

    def difference(h: float) -> float:
        return float(function(x + h * v, t + h * w) - function(x - h * v, t - h * w)) / (2 * h)

    expected = (4.0 * difference(1e-4) - difference(2e-4)) / 3.0
    assert np.sum(slopes[0] * v) + np.sum(slopes[1] * w) == pytest.approx(expected, rel=1e-6)
    assert all(slope.flags.c_contiguous for slope in slopes)
    assert sd.jvp(function, (x, t), (v, w))[1] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("function", "x"), CALLS)
def test_gradients_have_the_bits_of_whole_arrays(function: Callable[..., Any], x: Any) -> None:
    t = np.random.default_rng(2).uniform(0.5, 2.0, size=x.shape)
    value, slopes = sd.value_and_grad(function, (0, 1))(x, t)
    same, others = told(function, x)(x, t)
    assert value == same
    for slope, other in zip(slopes, others, strict=True):
        np.testing.assert_array_equal(slope, other)


def test_arrays_that_stay_in_the_cache_are_taken_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signature, "LARGE", LARGE)
    gradient = sd.grad(softmax)
    assert "32768" not in gradient.source(X, T)
    wide = np.resize(X, (2, LARGE // 2))
    assert "32768" in gradient.source(wide, wide)
    gradient(wide, wide)
    assert any("x.size >= 400000" in line for line in gradient.signatures())


def test_other_layouts_are_taken_as_they_are() -> None:
    """Sums of them are made in another order, and products lie in another way."""
    for function in (softmax, normalised, columns):
        for x in (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X[::-1], X[:, ::-1]):
            both = sd.value_and_grad(function)
            value, slope = both(x, T)
            assert value == pytest.approx(function(x, T), rel=1e-13)
            np.testing.assert_allclose(slope, sd.grad(function)(x.copy(), T), rtol=1e-9, atol=1e-12)
    scaled = sd.differentiable(lambda x, t: np.sin(x) * t * t + x * t)
    for x in (X, np.asfortranarray(X)):
        y = sd.value_and_grad(lambda x, t: (np.sum(x), scaled(x, t)), has_aux=True)(x, T)[0][1]
        np.testing.assert_array_equal(y, np.sin(x) * T * T + x * T)
        assert y.strides == (np.sin(x) * T * T + x * T).strides


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.complex128])
def test_other_numbers(kind: Any) -> None:
    def of(x: Any, t: Any) -> Any:
        y = x * t - np.mean(x, axis=1, keepdims=True)
        return np.sum(np.abs(np.exp(y * 0.1) * y) * np.sum(np.abs(t), axis=1, keepdims=True) * 0.01)

    x, t = (0.1 * X).astype(kind), T.astype(kind)
    value, slope = sd.value_and_grad(of)(x, t)
    assert value == of(x, t)
    assert value.dtype == of(x, t).dtype
    assert slope.dtype == kind
    if kind is not np.float16:
        wide = np.complex128 if kind is np.complex128 else np.float64
        expected = sd.grad(of)(x[:9].astype(wide), t[:9].astype(wide))
        np.testing.assert_allclose(slope[:9], expected, rtol=2e-3 if kind is np.float32 else 1e-12)


def test_masks_and_integers() -> None:
    def of(x: Any, k: Any, keep: Any) -> Any:
        return np.sum(np.where(keep, x * k, x) * np.sin(x) + k * x * x)

    k, keep = RNG.integers(-3, 4, X.shape).astype(np.int8), X > 0.2
    found = sd.grad(of)(X, k, keep)
    expected = np.where(keep, k, 1) * (np.sin(X) + X * np.cos(X)) + 2.0 * k * X
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)


def test_few_rows_many_rows_and_rows_of_few() -> None:
    gradient = sd.grad(softmax)
    for shape in ((2, 60_000), (60_000, 2), (3, 3), (7, 20_000), (300, 400), (2, 2), (33_000, 5)):
        x, t = RNG.normal(size=shape), RNG.uniform(size=shape)
        e = np.exp(x - x.max(axis=1, keepdims=True))
        p = e / e.sum(axis=1, keepdims=True)
        g = 2.0 * (p - t)
        expected = p * (g - np.sum(g * p, axis=1, keepdims=True))
        np.testing.assert_allclose(gradient(x, t), expected, rtol=1e-10, atol=1e-13)


def test_shapes_that_do_not_fit() -> None:
    gradient = sd.grad(softmax)
    gradient(X, T)
    for x, t in ((X, T[:-1]), (X, T[:, :-1]), (X[:-1], T)):
        with pytest.raises(ValueError, match="broadcast"):
            gradient(x, t)
    for t in (T[:1], T[:, :1], T[0], 0.3):
        whole = np.broadcast_to(t, T.shape).copy()
        np.testing.assert_array_equal(gradient(X, t), gradient(X, whole))


def test_second_order_pullbacks_and_batches() -> None:
    v = RNG.normal(size=X.shape)
    along = sd.jvp(lambda x: sd.grad(softmax)(x, T), (X,), (v,))[1]
    h = 1e-4
    ends = [sd.grad(softmax)(X + k * v, T) for k in (h, -h, h / 2, -h / 2)]
    coarse, fine = (ends[0] - ends[1]) / (2 * h), (ends[2] - ends[3]) / h
    np.testing.assert_allclose(along, (4.0 * fine - coarse) / 3.0, rtol=1e-6, atol=1e-7)

    def smooth(x: Any) -> Any:
        return np.sin(x) * x + np.exp(-x * x) * np.mean(x, axis=1, keepdims=True)

    value, pullback = sd.vjp(smooth, X)
    np.testing.assert_array_equal(value, smooth(X))
    for g in (v, np.asfortranarray(v)):
        slope = np.sin(X) + X * np.cos(X) - 2.0 * X * np.exp(-X * X) * X.mean(axis=1)[:, None]
        expected = slope * g + np.sum(g * np.exp(-X * X), axis=1)[:, None] / COLUMNS
        np.testing.assert_allclose(pullback(g)[0], expected, rtol=1e-10, atol=1e-12)

    batch = np.stack([X, 0.5 * X])
    lanes = sd.vmap(sd.grad(softmax), (0, None))(batch, T)
    for lane, x in zip(lanes, batch, strict=True):
        np.testing.assert_allclose(lane, sd.grad(softmax)(x, T), rtol=1e-12, atol=1e-15)


def test_what_is_exported_takes_any_number_of_rows(tmp_path: Any) -> None:
    path = tmp_path / "gradient.py"
    sd.grad(softmax).export(path, X, T)
    assert "32768" in path.read_text()
    space: dict[str, Any] = {"__name__": "gradient"}
    exec(path.read_text(), space)
    for shape in ((3, 4), X.shape, (400, 3), (2, 60_000)):
        x, t = np.resize(X, shape), np.resize(T, shape)
        np.testing.assert_array_equal(space["softmax_grad"](x, t), sd.grad(softmax)(x, t))
    with pytest.raises(TypeError, match="length 0"):
        space["softmax_grad"](X[:, :0], T[:, :0])


def test_rows_that_are_read_once_have_no_name():
    def loss(scores, target):
        e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
        return np.sum((e / np.sum(e, axis=1, keepdims=True) - target) ** 2)

    rng = np.random.default_rng(0)
    scores, target = rng.normal(size=(900, 500)), rng.normal(size=(900, 500))
    source = str(sd.grad(loss).source(scores, target))
    assert "scores_part = scores[part]" in source, source
    assert "- target[part])" in source, source
    e = np.exp(scores)
    p = e / np.sum(e, axis=1, keepdims=True)
    by_p = 2.0 * (p - target)
    wanted = p * (by_p - np.sum(by_p * p, axis=1, keepdims=True))
    np.testing.assert_allclose(sd.grad(loss)(scores, target), wanted, rtol=1e-9, atol=1e-15)
