"""Elementwise ops on long vectors in blocks: right, with the bits and errors of whole vectors."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.signature import LONG
from symdiff.ops.support import blocks

RNG = np.random.default_rng(3)
N = LONG + 4321  # the last block is a short one
X, Y = RNG.normal(size=N), RNG.uniform(0.5, 2.0, size=N)


def chain(x: Any, y: Any) -> Any:
    a = np.sin(x) * y
    b = np.exp(-a * a) + y
    return np.sum(b * np.log(b) + a)


def branches(x: Any, y: Any) -> Any:
    a = np.where(x > 0, x * y, np.abs(x))
    return np.sum(np.maximum(a, 0.3) * np.sqrt(y) * (x < y))


def levels(x: Any, y: Any) -> Any:
    """Each level needs a number of the whole vector before."""
    e = np.exp(x * 0.1 - np.max(x) * 0.1)
    p = e / np.sum(e) * y
    q = p * p + np.tanh(y) * p
    return np.log(np.sum(q) + np.sum(np.cos(q / np.sum(q)) * q * y))


def lengths(x: Any, y: Any) -> Any:
    d = x[1:] - x[:-1]
    return np.sum(np.sqrt(1.0 + d * d) * np.exp(-d)) + np.sum(x * y * np.sin(x) * x)


def steps(x: Any, y: Any) -> Any:
    u = x.copy()
    for k in range(3):
        v = np.sin(u) * y + 0.1 * u * u
        u = np.tanh(v) + k * u
        u[2:7] = v[:5] * 2.0
    return np.sum(u * u)


def on_a_path(x: Any, y: Any) -> Any:
    if x[0] + 10.0 > 0.0:
        z = np.sin(x) * y + x * x * y
        z = z * y
    else:
        z = x * 1.0
    return np.sum(z * z * np.cos(z))


SMOOTH = (np.abs(X) > 0.05) & (np.abs(X - Y) > 0.05)
SMOOTH &= np.abs(np.where(X > 0, X * Y, np.abs(X)) - 0.3) > 0.05
SMOOTH[0] = False

FUNCTIONS = [chain, branches, levels, lengths, steps, on_a_path]


def slope(function: Callable[..., Any], v: Any, w: Any) -> float:
    """The derivative along a direction by extrapolated differences."""

    def difference(h: float) -> float:
        return float(function(X + h * v, Y + h * w) - function(X - h * v, Y - h * w)) / (2 * h)

    return (4.0 * difference(5e-4) - difference(1e-3)) / 3.0


@pytest.mark.parametrize("function", FUNCTIONS)
def test_long_vectors_are_gone_through_in_blocks(function: Callable[..., Any]) -> None:
    v, w = np.random.default_rng(7).normal(size=(2, N)) * SMOOTH
    both = sd.value_and_grad(function, (0, 1))
    value, slopes = both(X, Y)
    assert "16384" in both.source(X, Y)
    assert "16384" not in both.source(X[:50], Y[:50])
    assert value == function(X, Y)
    expected = slope(function, v, w)
    assert slopes[0] @ v + slopes[1] @ w == pytest.approx(expected, rel=1e-7)
    told, tangent = sd.jvp(function, (X, Y), (v, w))
    assert told == value
    assert tangent == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_bits_are_those_of_whole_vectors(function: Callable[..., Any]) -> None:
    """A program for types alone knows no lengths, and takes long vectors as they are."""
    whole = sd.value_and_grad(function, (0, 1))
    assert "16384" not in whole.source("float64[n]", "float64[n]")
    blocks = sd.value_and_grad(function, (0, 1))
    for kind in (np.float64, np.float32):
        x, y = X.astype(kind), Y[::-1].astype(kind)[::-1]
        short = whole(x[:9], y[:9])
        assert short[0] == function(x[:9], y[:9])
        value, slopes = blocks(x, y)
        assert value == function(x, y)
        assert [part.dtype for part in slopes] == [kind, kind]


@pytest.mark.parametrize("function", [chain, branches])
def test_slopes_have_the_bits_of_those_of_short_vectors(function: Callable[..., Any]) -> None:
    gradient = sd.grad(function, (0, 1))
    starts = range(0, N, 50_000)
    parts = [gradient(X[k : k + 50_000], Y[k : k + 50_000]) for k in starts]
    for found, *pieces in zip(gradient(X, Y), *parts, strict=True):
        np.testing.assert_array_equal(found, np.concatenate(pieces))


def test_second_order() -> None:
    v, w = RNG.normal(size=N), RNG.normal(size=N)
    along = sd.jvp(lambda x, y: sd.grad(chain)(x, y), (X, Y), (v, w))[1]
    h = 1e-4
    step = [sd.grad(chain)(X + k * v, Y + k * w) for k in (h, -h, h / 2, -h / 2)]
    coarse, fine = (step[0] - step[1]) / (2 * h), (step[2] - step[3]) / h
    np.testing.assert_allclose(along, (4.0 * fine - coarse) / 3.0, rtol=1e-6, atol=1e-6)


def test_products_with_cotangents() -> None:
    def bent(x: Any) -> Any:
        return np.sin(x) * x + np.exp(-x * x)

    pullback = sd.vjp(bent, X)[1]
    expected = (np.cos(X) * X + np.sin(X) - 2.0 * X * np.exp(-X * X)) * Y
    np.testing.assert_allclose(pullback(Y)[0], expected, rtol=1e-13, atol=1e-14)


def test_strides_integers_and_masks() -> None:
    def mixed(x: Any, k: Any, keep: Any) -> Any:
        return np.sum(np.where(keep, x * k, x) * np.sin(x) + k * x * x)

    wide = np.repeat(X, 2)
    k, keep = RNG.integers(-3, 4, N).astype(np.int8), X > 0.2
    found = sd.grad(mixed)(wide[::2], k, keep)
    expected = np.where(keep, k, 1) * (np.sin(X) + X * np.cos(X)) + 2.0 * k * X
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)
    assert wide.tobytes() == np.repeat(X, 2).tobytes()


def test_vectors_whose_lengths_do_not_fit() -> None:
    gradient = sd.grad(chain)
    gradient(X, Y)
    for x, y in ((X, Y[:-1]), (X[:-1], Y), (X[:8193], Y[:16384]), (X[:8193], Y[:8194])):
        with pytest.raises(ValueError, match="broadcast"):
            gradient(x, y)
    np.testing.assert_allclose(gradient(X, Y[:1]), gradient(X, np.full(N, Y[0])), rtol=1e-13)


def test_short_and_long_vectors_in_turn() -> None:
    gradient = sd.grad(chain)
    for n in (3, N, 40, LONG - 1, LONG, LONG + 1, 2, N):
        found = gradient(X[:n], Y[:n])
        a = np.sin(X[:n]) * Y[:n]
        b = np.exp(-a * a) + Y[:n]
        bent = (np.log(b) + 1.0) * -2.0 * a * np.exp(-a * a) + 1.0
        np.testing.assert_allclose(found, bent * np.cos(X[:n]) * Y[:n], rtol=1e-11, atol=1e-12)


def test_what_is_exported_takes_any_length(tmp_path: Any) -> None:
    path = tmp_path / "gradient.py"
    sd.grad(chain).export(path, X, Y)
    space: dict[str, Any] = {}
    exec(path.read_text(), space)
    exported = next(f for name, f in space.items() if name.startswith("chain") and callable(f))
    for n in (5, N):
        found = exported(X[:n], Y[:n])
        np.testing.assert_array_equal(found, sd.grad(chain)(X[:n], Y[:n]))


def test_effects_stay_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    def telling(x: Any) -> Any:
        y = np.sin(x) * x + x * x
        print("sum", np.sum(y) > 0)
        z = np.cos(y) * y + y * y
        print("then", z[0] == z[0])
        return np.sum(z * x)

    telling(X)
    expected = capsys.readouterr().out
    sd.value_and_grad(telling)(X)
    assert capsys.readouterr().out == expected


def test_settings_hold_for_what_stands_in_them() -> None:
    def strict(x: Any) -> Any:
        y = np.abs(x) * x + np.tanh(x) * np.abs(x)
        with np.errstate(all="raise"):
            z = np.log(y) ** 2 + np.exp(-y) * 2.0
        return np.sum(np.sqrt(z) * z + z * y * x)

    x = np.abs(X) + 0.1
    for program in (sd.grad(strict), sd.value_and_grad(strict)):
        program(x)
        with pytest.raises(FloatingPointError, match="log"):
            program(-x)
        text = program.source(x)
        assert text.index("np.abs(x_part)") < text.index("with np.errstate") < text.index("np.log")


def test_overlapping_writes() -> None:
    """A vector that is written in place between ops that read it before and behind."""

    def written(x: Any) -> Any:
        y = x * x + np.sin(x) * x
        before = y * 2.0 + x * y
        y[::2] = 3.0 * x[::2]
        y += np.cos(y) * x * 0.5
        return np.sum(before * y)

    v = RNG.normal(size=N)
    value, found = sd.value_and_grad(written)(X)
    assert value == written(X)
    assert found @ v == pytest.approx(slope(lambda x, y: written(x), v, v), rel=1e-7)


@pytest.mark.parametrize("guard", ["if", "assert", "loop"])
def test_checks_come_before_what_they_guard(guard: str) -> None:
    """A power of integers raises an error of its own, and settings outside let others do so."""

    def checked(x: Any, k: Any) -> Any:
        before = x * x + np.sin(x) * x + np.cos(x)
        low = k * 3 - k - k
        if guard == "if" and np.any(k < 0):
            raise KeyError("negative")
        if guard == "assert":
            assert np.all(k >= 0), "negative"
        if guard == "loop":
            for m in range(3):
                if low[m] < 0:
                    raise KeyError("negative")
        z = k**k
        w = z * k + k * 3 - k
        return np.sum(x * w * x * np.sqrt(x) * before)

    x, k = np.abs(X) + 0.1, RNG.integers(1, 4, N)
    bad = np.where(np.arange(N) == 1, -2, k)
    gradient, both = sd.grad(checked), sd.value_and_grad(checked)
    assert both(x, k)[0] == checked(x, k)
    for program in (checked, gradient, both):
        with np.errstate(all="raise"), pytest.raises((KeyError, AssertionError), match="negative"):
            program(-x, bad)
    assert "16384" in gradient.source(x, k)


def test_what_is_printed_on_a_path_comes_before_errors(capsys: pytest.CaptureFixture[str]) -> None:
    def told(x: Any) -> Any:
        below = x * 2.0 - np.cos(x) * x * 0.5
        if below[0] < 0.0:
            print("negative")
        y = np.log(x) * x + np.sqrt(x) * x
        return np.sum(y * y * np.cos(y))

    for program in (told, sd.grad(told)):
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            program(-Y)
        assert capsys.readouterr().out == "negative\n"


def test_signs_are_chosen_without_branches() -> None:
    """Where conditions are in no order, ``np.where`` takes as long as ten products."""

    def chosen(x: Any, y: Any) -> Any:
        up, down = np.where(x < y, y, -y), np.where(x < 0.3, -x, x)
        return np.sin(up) * down + np.exp(-up * up) * down

    def both(x: Any, y: Any) -> Any:
        made = chosen(x, y)
        return np.sum(made), made

    x, y = X.copy(), Y.copy()
    y[:6] = x[-6:] = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324]
    with np.errstate(invalid="ignore"):
        found = sd.value_and_grad(both, has_aux=True)
        (_, made), _ = found(x, y)
        expected = chosen(x, y)
        text = found.source(x, y)
    np.testing.assert_array_equal(made, expected)
    numbers = ~np.isnan(expected)
    assert np.signbit(made)[numbers].tobytes() == np.signbit(expected)[numbers].tobytes()
    code = "\n".join(line for line in text.splitlines() if "#" not in line)
    assert "np.where" not in code
    assert "2.0 * (" in code
    single = sd.grad(lambda x, y: np.sum(chosen(x, y)))
    assert single(X.astype(np.float32), Y.astype(np.float32)).dtype == np.float32
    assert "np.where" in single.source(X[:9], Y[:9])
    slopes = np.where(X < 0.3, -1.0, 1.0) * (np.sin(np.where(X < Y, Y, -Y)) + np.exp(-Y * Y))
    np.testing.assert_allclose(single(X, Y), slopes, rtol=1e-13)


def test_temporary_arrays_take_no_memory() -> None:
    """Whole vectors would take six and more: ``a``, ``b``, their slopes and what lies between."""
    x, y = np.resize(X, 10**6), np.resize(Y, 10**6)
    space: dict[str, Any] = {"np": np, "blocks": blocks}
    exec(sd.grad(chain).source(x, y), space)
    tracemalloc.start()
    try:
        space["chain_grad"](x, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * x.nbytes


def test_sums_of_arrays_in_two_orders_have_the_bits_of_the_function() -> None:
    def centred(x: Any, y: Any) -> Any:
        m = np.sum(x * y, axis=0)
        z = (x - m) * y + x * x * np.sin(y)
        return np.sum(z * z * np.cos(z))

    x = RNG.normal(size=(700, 600))
    for first, second in ((np.asfortranarray(x), x + 1.0), (x, np.asfortranarray(x + 1.0))):
        value, _ = sd.value_and_grad(centred)(first, second)
        assert value == centred(first, second)
