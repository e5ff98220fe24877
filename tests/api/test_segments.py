"""``checkpoint(f, every=...)`` and ``checkpoint(f, budget=...)``: loops of which the backward sweep
runs turns again.
"""

from __future__ import annotations

import functools
import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from symdiff.ops.support import binomial_turns
from tests import reference

U = np.array([0.3, 0.5, 1.2])
C = np.array([1.0, 2.0, 0.5])
CUTS = [
    *({"every": every} for every in (1, 3, 100, "sqrt", (4, 2), (6, 4, 1))),
    *({"budget": budget} for budget in (1, 2, 3, 100, "log")),
]


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


@pytest.mark.parametrize("cuts", CUTS, ids=str)
@pytest.mark.parametrize("f", LOOPS)
def test_against_differences(f: Callable[..., Any], cuts: dict[str, Any]):
    cut = sd.checkpoint(f, **cuts)

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


def grown(
    f: Callable[..., Any], size: int, turns: tuple[int, ...], by: int | tuple[int, ...] = 0
) -> list[float]:
    """The memory that the gradient takes, in arrays of one turn."""
    u, c = np.full(size, 0.5), np.full(size, 0.1)

    def loss(u, c, n):
        return np.sum(f(u, c, n)[0])

    gradient = sd.grad(loss, by)
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
    whole = grown(f, 4000, (1600,), (0, 1))[0]  # by one array alone nothing is saved
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


@pytest.mark.parametrize("f", [kicked, relaxed])
def test_a_budget_bounds_what_is_held(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SYMDIFF_VERIFY")
    few, many = grown(sd.checkpoint(f, budget=4), 4000, (60, 1200))
    assert few == pytest.approx(many, abs=1.0) and many < 4 + 8
    few, many = grown(sd.checkpoint(f, budget="log"), 4000, (64, 1024))
    assert many - few == pytest.approx(4.0, abs=1.0)  # one more for twice the turns
    product = sd.hvp(lambda u, c, n: np.sum(sd.checkpoint(f, budget=4)(u, c, n)[0] ** 2))
    u, c = np.full(4000, 0.5), np.full(4000, 0.1)
    product(u, c, 3, u)
    tracemalloc.start()
    product(u, c, 400, u)
    assert tracemalloc.get_traced_memory()[1] < 24 * u.nbytes
    tracemalloc.stop()


@pytest.mark.parametrize("f", [kicked, relaxed])
def test_turns_are_run_as_often_as_the_theory_says(f: Callable[..., Any]):
    for budget in (1, 2, 3, 6, 20, "log"):
        cut = sd.checkpoint(f, budget=budget)
        gradient = sd.grad(lambda u, c, n, cut=cut: np.sum(cut(u, c, n)[0]))
        made = {"np": np, "binomial_turns": binomial_turns}
        text = gradient.source(U, C, 30)
        exec(text.replace("np.sin(", "counted("), made)
        for n in (0, 1, 2, 3, 10, 11, 100):
            seen: list[Any] = []
            made["counted"] = lambda x, seen=seen: seen.append(x) or np.sin(x)
            made["function_grad"](U, C, n)
            held = n.bit_length() if budget == "log" else budget
            assert len(seen) == n + (fewest(n, held) if n else 0)


@functools.cache
def fewest(turns: int, held: int) -> int:
    """The fewest turns that take back so many, of all schedules there are."""
    if turns == 1:
        return 0
    if held == 1:
        return turns * (turns - 1) // 2
    return min(k + fewest(turns - k, held - 1) + fewest(k, held) for k in range(1, turns))


def test_the_fewest_turns_are_those_of_the_closed_form():
    for held in (2, 3, 5):
        for turns in range(1, 60):
            r = next(r for r in range(60) if math.comb(held + r, r) >= turns)
            closed = r * turns - math.comb(held + r, r - 1) if r else 0
            assert fewest(turns, held) == closed  # Griewank & Walther 2000, eq. 2


@pytest.mark.parametrize("cuts", [{}, {"every": 2}, {"budget": 2}], ids=str)
def test_series_and_sparse_matrices_are_those_of_the_function(cuts: dict[str, Any]):
    cut = sd.checkpoint(swings, **cuts)

    def along(x, f=cut):
        return plain(f, U * x, C, 4)

    found = sd.taylor(along, 0.7, 2)
    assert found[0] == pytest.approx(along(0.7))
    assert found[1] == pytest.approx(slope(lambda h: along(0.7 + h, swings)), rel=1e-8)
    assert 2 * found[2] == pytest.approx(bend(lambda h: along(0.7 + h, swings)), rel=1e-6)
    third = slope(lambda h: bend(lambda g: along(0.7 + h + g, swings)))
    assert sd.derivative(along, 3)(0.7) == pytest.approx(third, rel=1e-4)

    arrow = np.linspace(0.5, 1.5, 6)
    made = sd.hessian(lambda x: np.sum(cut(x, x[0] * C[0], 3)[0]), sparse=True)
    unit = np.eye(6)
    wanted = [
        bend(
            lambda h, k=k: float(np.sum(swings(arrow + h * unit[k], arrow[0] + h * (k == 0), 3)[0]))
        )
        for k in range(6)
    ]
    np.testing.assert_allclose(made(arrow).diagonal(), wanted, rtol=1e-5, atol=1e-7)
    assert "2 sweeps" in made.explain(arrow)


@pytest.mark.parametrize("budget", [0, -1, True, 2.0, "often", (2,)])
def test_what_a_budget_may_be(budget: Any):
    with pytest.raises(ValueError, match="budget is a number of turns, 1 at least, or 'log'"):
        sd.checkpoint(kicked, budget=budget)
    with pytest.raises(ValueError, match="every, or a budget, not both"):
        sd.checkpoint(kicked, every=2, budget=2)


def test_carries_that_the_first_turn_makes():
    def first_made(u, c, n):
        for k in range(n):
            if k % 2 == 0:
                w = u * np.cos(u)
            u = u + 0.1 * w * c
        return u * w

    def listed(u, c, n):
        rows = [u * k for k in range(n)]
        at, odd = 0, True
        for _ in range(n):
            at = (at + 2) % n
            u = u + 0.1 * np.sin(rows[at]) if odd else u * c
            odd = not odd
        return u * (at + 1.0)

    direction = np.array([0.7, -0.4, 0.2])
    for f in (first_made, listed):
        for budget in (1, 3, "log"):
            cut = sd.checkpoint(f, budget=budget)
            found = sd.grad(lambda u, cut=cut: plain(cut, u, C, 5))(U)
            wanted = slope(lambda h, f=f: plain(f, U + h * direction, C, 5))
            np.testing.assert_allclose(found @ direction, wanted, rtol=1e-7)


def test_a_budget_of_single_precision_and_of_nothing():
    cut = sd.checkpoint(kicked, budget=2)
    by_u = sd.grad(lambda u, c, n: np.sum(cut(u, c, n)[0]))
    single = by_u(U.astype(np.float32), C.astype(np.float32), 6)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, by_u(U, C, 6), rtol=1e-5)
    assert by_u(U[:0], C[:0], 6).shape == (0,)


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
        for cut in (sd.checkpoint(f, every=2), sd.checkpoint(f, budget=2)):
            with pytest.raises(UnsupportedCallError, match="no loop that can be cut"):
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


@pytest.mark.parametrize("cuts", [{"every": 2}, {"budget": 1}], ids=str)
def test_what_a_loop_prints_happens_once(cuts: dict[str, Any], capsys: pytest.CaptureFixture[str]):
    @sd.checkpoint(**cuts)
    def loud(u, n):
        for _ in range(n):
            print("turn")
            u = u * u
        return u

    sd.grad(lambda u: np.sum(loud(u, 3)))(U)
    assert capsys.readouterr().out == "turn\n" * 3


def while_below(x, y):
    """Only the condition reads ``x``, of which the result is independent."""
    k = 0
    while k < 4 and x < 1.0:
        k += 1
        y = y * 2.0
    return y


@pytest.mark.parametrize("cuts", CUTS, ids=str)
def test_what_the_condition_alone_reads_has_no_derivative(cuts: dict[str, Any]):
    cut = sd.checkpoint(while_below, **cuts)
    assert sd.grad(cut, argnums=(0, 1))(0.9, -0.83) == (0.0, 16.0)
    through = sd.grad(lambda x, y: cut(x * y, y) + x, argnums=(0, 1))
    assert through(0.9, -0.83) == (1.0, 16.0)


def rows_that_a_loop_makes(x):
    """Where the inner loop begins there is no ``v``, and no size of it, yet."""
    u = np.array(x)
    w = x.dot(x)
    for _ in range(1, len(u)):
        for i in range(0, w.shape[0], 2):
            for _ in range(2):
                u, _ = [w[i], x * u / (1.1 + np.abs(w + x))]
                w, q = x / 2, np.minimum(np.flip(w, axis=-2), w - 1.0)
            for _ in reversed(range(4)):
                v = np.roll(u[:-1], 1)
    return np.sum(u[u > 0.3]) + np.sum(np.dot(w, q)) + 0.0 * len(v)


def test_the_rows_of_a_loop_that_begins_without_them():
    x = np.array([[0.77, 0.98, -0.03], [-0.3, 0.29, -0.87], [0.31, -1.03, 0.75]])
    found = sd.grad(sd.checkpoint(rows_that_a_loop_makes, budget=3))(x)
    expected = reference.richardson_gradient(rows_that_a_loop_makes, (x,)).value
    np.testing.assert_allclose(found, expected, rtol=1e-8)
