"""``checkpoint(f, every=...)``: loops cut into segments, which the backward sweep runs again."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError

U = np.array([0.3, 0.5, 1.2])
C = np.array([1.0, 2.0, 0.5])
EVERY = [1, 3, 100, "sqrt", (4, 2), (6, 4, 1)]


@pytest.fixture(autouse=True)
def verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")


def swings(u, c, n):
    v = 0.0 * u
    for k in range(n):
        v = v - 0.1 * c * np.sin(u) * (k + 1)
        u = u + 0.1 * v
    return u, v


def in_place(u, c, n):
    y = np.zeros(n + 3)
    y[:3] = u
    for k in range(3, n + 3):
        y[k] = np.tanh(c @ y[k - 3 : k]) + 0.1 * y[k - 1] ** 2
        y[0] *= 0.9
    return y


def until_still(u, c, n):
    turns = 0
    while np.max(np.abs(u)) > 0.4 and turns < n:
        u = u - 0.1 * c * np.sin(u)
        turns += 1
    return u * (1.0 + turns)


def left_early(u, c, n):
    total = 0.0
    for k in range(n):
        u = u * np.cos(0.1 * c * u)
        if u[1] < 0.35:
            break
        if k % 3 == 1:
            continue
        total = total + np.sum(u**2)
    else:
        total = 2.0 * total
    return total + u


def with_branches(u, c, n):
    for k in reversed(range(n)):
        if u[0] > 9.0 * (k % 2):
            w = u * c
            u = u - 0.05 * w * w
        else:
            u = np.sqrt(np.where(u > 0, u, 1.0)) + 0.01 * k
    return u


def nested(u, c, n):
    for k in range(n):
        a = c
        for j in range(k % 3):
            a = a * np.cos(u) + 0.1 * j
        u = u + 0.1 * a
    s = 1.0
    for _ in range(2):
        s = s * np.sum(u)
    return u * s


def of_numbers(u, c, n):
    x, y = float(u[0]) * 1.0, u[1] * c[0]
    for _ in range(n):
        x, y = x * np.cos(y), y + 0.1 * np.sin(x)
    return x * y


def stepped(u, a):
    return u + 0.1 * np.sin(u) * a


def with_calls(u, c, n):
    for k in range(n):
        u = stepped(u, c) * np.exp(-0.01 * k)
    return u


LOOPS = [swings, in_place, until_still, left_early, with_branches, nested, of_numbers, with_calls]


def plain(f: Callable[..., Any], *args: Any) -> float:
    """The sum of squares of what a function returns."""
    result = f(*args)
    parts = result if isinstance(result, tuple) else (result,)
    return sum(np.sum(part * part) for part in parts)


def slope(f: Callable[[float], float]) -> float:
    """The derivative at 0 by central differences, extrapolated twice."""
    coarse, middle, fine = ((f(h) - f(-h)) / (2 * h) for h in (8e-3, 4e-3, 2e-3))
    first, second = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
    return (16 * second - first) / 15


def bend(f: Callable[[float], float]) -> float:
    """The second derivative at 0, likewise."""

    def second(h: float) -> float:
        return (f(h) - 2.0 * f(0.0) + f(-h)) / (h * h)

    coarse, middle, fine = (second(h) for h in (4e-2, 2e-2, 1e-2))
    one, two = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
    return (16 * two - one) / 15


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("f", LOOPS)
def test_against_differences(f: Callable[..., Any], every: Any):
    cut = sd.checkpoint(f, every=every)

    def loss(u, c, n):
        return plain(cut, u, c, n)

    direction = np.array([0.7, -0.4, 0.2])
    for n in (0, 1, 2, 9, 10):
        assert loss(U, C, n) == plain(f, U, C, n)
        by_u, by_c = sd.grad(loss, (0, 1))(U, C, n)
        wanted = slope(lambda h, n=n: plain(f, U + h * direction, C, n))
        np.testing.assert_allclose(by_u @ direction, wanted, rtol=1e-7, atol=1e-8)
        of_c = slope(lambda h, n=n: plain(f, U, C + h * direction, n))
        np.testing.assert_allclose(by_c @ direction, of_c, rtol=1e-7, atol=1e-8)
        tangent = sd.jvp(loss, (U, C, n), (direction, None, None))[1]
        np.testing.assert_allclose(tangent, wanted, rtol=1e-7, atol=1e-8)
        pulled = sd.vjp(loss, U, C, n)[1](2.0)
        np.testing.assert_allclose(pulled[0] @ direction, 2.0 * wanted, rtol=1e-7, atol=1e-8)
    bent = bend(lambda h: plain(f, U + h * direction, C, 9))
    product = sd.hvp(loss)(U, C, 9, direction)
    np.testing.assert_allclose(product @ direction, bent, rtol=1e-5, atol=1e-5)
    again = sd.grad(lambda u: sd.grad(loss)(u, C, 9) @ direction)(U)
    np.testing.assert_allclose(again @ direction, bent, rtol=1e-5, atol=1e-5)


def grown(f: Callable[..., Any], size: int, turns: tuple[int, ...]) -> list[float]:
    """The memory that the gradient takes, in arrays of one turn."""
    u, c = np.full(size, 0.5), np.full(size, 0.1)

    def loss(u, c, n):
        return np.sum(f(u, c, n)[0])

    gradient = sd.grad(loss)
    gradient(u, c, 3)
    found = []
    for n in turns:
        tracemalloc.start()
        gradient(u, c, n)
        found.append(tracemalloc.get_traced_memory()[1] / u.nbytes)
        tracemalloc.stop()
    return found


def relaxed(u, c, n):
    k = 0
    while k < n:
        u = u - 0.01 * c * np.sin(u)
        k += 1
    return u, c


def kicked(u, c, n):
    for _ in range(n):
        u = u - 0.01 * c * np.sin(u)
    return u, c


@pytest.mark.parametrize("f", [kicked, relaxed])
def test_memory_grows_as_the_root(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SYMDIFF_VERIFY")
    few, many = grown(sd.checkpoint(f, every="sqrt"), 4000, (100, 1600))
    assert many < 5.5 * few  # four times, and what does not grow
    assert many < 6.0 * 40
    whole = grown(f, 4000, (1600,))[0]
    assert whole > 1500
    by_forty = grown(sd.checkpoint(f, every=40), 4000, (1600,))[0]
    assert by_forty < 6.0 * 40


def test_a_segment_runs_once_more():
    cut = sd.checkpoint(kicked, every=10)
    source = sd.grad(lambda u, c, n: np.sum(cut(u, c, n)[0])).source(U, C, 30)
    code = "\n".join(line for line in source.split("\n") if "#" not in line)
    assert code.count("np.sin(") == 2  # forward, and again
    assert code.count("np.cos(") == 1


def test_inside_a_function_and_as_a_decorator():
    @sd.checkpoint(every="sqrt")
    def marched(u, n):
        for _ in range(n):
            u = u * np.cos(u)
        return u

    def inside(u, n):
        @sd.checkpoint(every=(3, 2))
        def own(u):
            for _ in range(n):
                u = u * np.cos(u)
            return u

        return np.sum(own(u))

    for f in (lambda u, n: np.sum(marched(u, n)), inside):
        sd.check_grads(f, (U, 5), order=2)


@pytest.mark.parametrize("f", [kicked, relaxed])
def test_memory_grows_as_the_logarithm(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SYMDIFF_VERIFY")
    few, many = grown(sd.checkpoint(f, every=(1024, 256, 64, 16, 4)), 4000, (256, 4096))
    assert many < 2.0 * few  # of 16 times as many turns
    assert many < 60


@pytest.mark.parametrize(
    "every", [0, -1, True, 2.0, "often", (), (2, 2), (1, 3), (4, 0), (*range(20, 0, -1),)]
)
def test_what_every_may_be(every: Any):
    with pytest.raises(ValueError, match="every is a number of turns"):
        sd.checkpoint(kicked, every=every)


def test_what_has_no_loop_that_can_be_cut():
    def shrinks(u):
        while len(u) > 1:
            u = u[1:] * u[:-1]
        return u

    for f in (lambda u: np.sin(u), shrinks):
        cut = sd.checkpoint(f, every=2)
        with pytest.raises(UnsupportedCallError, match="no loop that can be cut into segments"):
            sd.grad(lambda u, cut=cut: np.sum(cut(u)))(U)


@sd.checkpoint(every=2)
def without_a_loop(x):
    return x * x


@sd.checkpoint
def with_two_results(x):
    return x, x * x


@pytest.mark.parametrize("f", [without_a_loop, with_two_results])
def test_a_refusal_shows_the_function_that_is_marked(f: Callable[..., Any]):
    with pytest.raises(sd.SymdiffError) as caught:
        sd.grad(f)(1.0)
    assert caught.value.span is not None
    assert caught.value.span.text.startswith(f"def {f.__name__}(x):")


@sd.checkpoint
def marked(x):
    return x * x


def test_the_code_of_a_marked_function_tells_its_place():
    line = marked.function.__code__.co_firstlineno + 1
    assert f"test_segments.py, line {line}: def marked(x)" in sd.grad(marked).source("float")


def test_what_a_loop_prints_happens_once(capsys: pytest.CaptureFixture[str]):
    @sd.checkpoint(every=2)
    def loud(u, n):
        for _ in range(n):
            print("turn")
            u = u * u
        return u

    sd.grad(lambda u: np.sum(loud(u, 3)))(U)
    assert capsys.readouterr().out == "turn\n" * 3
