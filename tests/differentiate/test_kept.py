"""Elements that a loop leaves in an array are read there; those it overwrites are saved."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests import reference

X = np.array([0.6, -0.3, 0.8, 0.5, -0.7, 0.9, 0.4, 0.2])


def decay(x: Any) -> Any:
    u = np.zeros(len(x) + 1)
    u[0] = x[0]
    for k in range(len(x)):
        u[k + 1] = u[k] - 0.1 * u[k] ** 2 * x[k]
    return np.sum(u)


def two_steps(x: Any) -> Any:
    u = x.copy()
    for k in range(2, len(x)):
        u[k] = u[k - 1] * u[k - 2] + x[k]
    return np.sum(u * u)


def rows(x: Any) -> Any:
    s = np.zeros((5, 2))
    s[0] = x[:2]
    for i in range(4):
        s[i + 1] = s[i] + 0.1 * np.array([s[i, 1] ** 2, -np.sin(s[i, 0])])
    return np.sum(s[:, 0] * s[:, 1])


def stored_then_needed(x: Any) -> Any:
    y = np.zeros(len(x))
    for k in range(len(x)):
        y[k] = np.exp(x[k])
    return np.sum(y)


def every_second(x: Any) -> Any:
    u = x.copy()
    for k in range(1, 7, 2):
        u[k + 1] = u[k] ** 2 * u[k - 1]
    return np.sum(u * u)


def nested(x: Any) -> Any:
    u = np.zeros((3, 4))
    u[:, 0] = x[:3]
    for i in range(3):
        for k in range(3):
            u[i, k + 1] = np.sin(u[i, k]) * x[k]
    return np.sum(u)


def within_while(x: Any) -> Any:
    u = np.zeros(20)
    u[0] = x[0]
    k = 0
    while u[k] < 5.0:
        u[k + 1] = u[k] + 0.5 * u[k] ** 2 + 0.3
        k += 1
    return u[k] ** 2


def substituted(x: Any) -> Any:
    L = np.outer(x, np.cos(x)) + 3.0 * np.eye(len(x))
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = (x[i] - L[i, :i] @ y[:i]) / L[i, i]
    return np.sum(y * y)


def eliminated(x: Any) -> Any:
    A = np.outer(x, np.cos(x)) + 3.0 * np.eye(len(x))
    for k in range(len(x) - 1):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return np.sum(np.log(np.abs(np.diag(A))))


def factored(x: Any) -> Any:
    L = np.outer(x, x) + 3.0 * np.eye(len(x))
    for j in range(len(x)):
        L[j, j] = np.sqrt(L[j, j])
        L[j + 1 :, j] /= L[j, j]
        L[j + 1 :, j + 1 :] -= np.outer(L[j + 1 :, j], L[j + 1 :, j])
    return np.sum(np.diag(L))


def sums_before(x: Any) -> Any:
    u = x.copy()
    for k in range(1, len(x)):
        u[k] = np.sum(np.sin(u[:k])) * x[k]
    return np.sum(u * u)


KEPT = [
    decay,
    two_steps,
    rows,
    every_second,
    stored_then_needed,
    substituted,
    eliminated,
    factored,
]


def sums_with_the_next(x: Any) -> Any:
    u = x.copy()
    for k in range(1, len(x) - 1):
        u[k + 1] = np.sum(np.sin(u[: k + 2])) * x[k]
    return np.sum(u * u)


def sums_behind(x: Any) -> Any:
    u = x.copy()
    for k in range(len(x)):
        u[k] = np.sum(np.sin(u[k:])) * x[k]
    return np.sum(u * u)


def swept_before(x: Any) -> Any:
    u = x.copy()
    for k in range(1, len(x)):
        u[k] = np.sin(u[k - 1]) + np.sum(0.3 * np.sin(u[:k]))
        u[:k] *= 0.5
    return np.sum(u * u)


def overwritten_in_its_turn(x: Any) -> Any:
    u = x.copy()
    for k in range(len(x)):
        u[k] = u[k] ** 3
    return np.sum(u)


def overwritten_next_turn(x: Any) -> Any:
    u = x.copy()
    for k in range(len(x) - 1):
        u[k] = u[k] * u[k + 1] ** 2
    return np.sum(u)


def wraps_round(x: Any) -> Any:
    u = x.copy()
    for k in range(len(x)):
        u[k] = u[k - 1] ** 2 * x[k]
    return np.sum(u)


def backwards(x: Any) -> Any:
    u = x.copy()
    for k in range(len(x) - 2, -1, -1):
        u[k] = u[k + 1] ** 2 * x[k]
    return np.sum(u)


def written_twice(x: Any) -> Any:
    u = x.copy()
    for k in range(len(x) - 1):
        u[k + 1] = u[k] ** 2
        u[k] = u[k + 1] * x[k]
    return np.sum(u)


def written_elsewhere_too(x: Any) -> Any:
    u = x.copy()
    for k in range(1, len(x)):
        u[k] = u[k - 1] ** 2
        u[0] = u[k] * x[1]
    return np.sum(u)


def written_by_a_slice(x: Any) -> Any:
    u = x.copy()
    for k in range(1, len(x)):
        u[k] = u[k - 1] ** 2 + x[k]
        u[:2] *= 0.5
    return np.sum(u)


def written_behind(x: Any) -> Any:
    u = x.copy()
    for k in range(1, len(x)):
        u[k] = u[k - 1] ** 2 * x[k]
    u *= x
    u[3] = 0.0
    for k in range(1, len(x)):
        u[k] += u[k - 1] ** 2
    return np.sum(u)


def overwritten_in_reverse(x: Any) -> Any:
    u = x.copy()
    for k in range(len(x) - 1):
        u[k] = np.sin(u[k] + x[0] * x[1])
        u[k + 1] = u[k + 1] * u[k]
    return np.sum(u * u)


def cleared_in_vain(x: Any) -> Any:
    u = np.zeros(len(x) + 1)
    for k in range(len(x)):
        u[k + 1] = np.sin(u[k] * x[k]) + x[k] ** 2
    return np.sum(u)


def cleared_for_a_later_turn(x: Any) -> Any:
    u = np.ones(len(x) + 2)
    for k in range(len(x)):
        u[k] = u[k + 1] * x[k] + u[k + 2]
        u[k + 1] = np.sin(u[k] * x[k])
    return np.sum(u)


def another_axis(x: Any) -> Any:
    u = np.outer(x, x)
    for k in range(1, len(x)):
        u[:, k] = u[k - 1, :] ** 2
    return np.sum(u)


def leaps(x: Any) -> Any:
    u = x.copy()
    for k in range(4):
        u[2 * k % 7 + 1] = u[k] ** 2
    return np.sum(u)


def of_integers(x: Any) -> Any:
    u = np.zeros(len(x), dtype=np.float32)
    for k in range(len(x)):
        u[k] = np.exp(x[k])
    return np.sum(u.astype(float))


ALL: list[Callable[[Any], Any]] = [
    *KEPT,
    nested,
    within_while,
    overwritten_in_its_turn,
    overwritten_next_turn,
    wraps_round,
    backwards,
    written_twice,
    written_elsewhere_too,
    written_by_a_slice,
    written_behind,
    overwritten_in_reverse,
    cleared_in_vain,
    cleared_for_a_later_turn,
    another_axis,
    leaps,
    sums_before,
    sums_with_the_next,
    sums_behind,
    swept_before,
]


def slope(f: Callable[[Any], Any], x: Any, step: float = 1e-3) -> Any:
    """Differences of the sixth order."""
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    return np.array(
        [
            sum(w * (f(x + k * step * e) - f(x - k * step * e)) for k, w in weights.items()) / step
            for e in np.eye(len(x))
        ]
    )


def random_loop(seed: int) -> Callable[[Any], Any]:
    """A loop of a few writes near the turn's place, of what stands near it."""
    choices = random.Random(seed)
    first, last, step = choices.choice((0, 1, 2)), choices.choice((2, 3)), choices.choice((1, 1, 2))
    writes = [
        (choices.choice("=+"), *(choices.randint(-first, last - 1) for _ in range(3)))
        for _ in range(choices.randint(1, 3))
    ]

    starts_from_x = choices.random() < 0.5

    def function(x: Any) -> Any:
        u = x.copy() if starts_from_x else np.cos(np.arange(len(x)))
        for k in range(first, len(x) - last, step):
            for kind, place, near, other in writes:
                t = np.sin(u[k + near] + x[0] * u[k + other])
                if kind == "=":
                    u[k + place] = t
                else:
                    u[k + place] += t * x[1]
        return np.sum(u * u)

    return function


def random_parts(seed: int) -> Callable[[Any], Any]:
    """A loop that reads and writes places, and what lies before or behind places: as a text, in
    which the offsets are numbers.
    """
    choices = random.Random(seed)
    first, last, step = choices.choice((0, 1, 2)), choices.choice((1, 2)), choices.choice((1, 1, 2))

    def key() -> str:
        a, b = sorted((choices.randint(-first, last), choices.randint(-first, last)))
        forms = (f"k + {a} : k + {a + 1}", f": k + {a}", f"k + {a} :", f"k + {a} : k + {b}")
        return choices.choice(forms)

    lines = []
    for _ in range(choices.randint(1, 2)):
        place, to = choices.randint(-first, last - 1), key()
        lines.append(
            f"t = 0.2 * np.sin(np.sum(np.sin(u[{key()}]) * x[0]) + np.sum(u[{key()}] ** 2))"
        )
        forms = (
            f"u[k + {place}] = t",
            f"u[k + {place}] += t * x[1]",
            f"u[{to}] = np.cos(u[{to}]) + t",
        )
        lines.append(choices.choice(forms))
    body = "\n        ".join(lines)
    head = f"for k in range({first}, len(x) - {last}, {step}):"
    start = f"def function(x):\n    u = np.cos(x)\n    {head}\n        "
    text = f"{start}{body}\n    return np.sum(u * u)\n"
    name = f"<random parts {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), names)
    function: Callable[[Any], Any] = names["function"]
    return function


@pytest.mark.parametrize("seed", range(12))
def test_random_loops_over_parts_have_the_derivatives_of_differences(seed: int):
    function = random_parts(seed)
    test_gradients_are_those_of_differences(function)
    test_so_are_the_second_derivatives(function)


@pytest.mark.parametrize("function", ALL)
def test_gradients_are_those_of_differences(function: Callable[[Any], Any]):
    np.testing.assert_allclose(sd.grad(function)(X), slope(function, X), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("function", ALL)
def test_so_are_the_second_derivatives(function: Callable[[Any], Any]):
    gradient = sd.grad(function)
    u, v = np.cos(np.arange(8.0)), np.linspace(-1.0, 1.0, len(X))
    expected = reference.second_directional(function, (X,), (u,), (v,)).value
    np.testing.assert_allclose(u @ sd.hvp(function)(X, v), expected, rtol=1e-7, atol=1e-7)
    twice = sd.grad(lambda x: gradient(x) @ v)
    np.testing.assert_allclose(u @ twice(X), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("seed", range(16))
def test_random_loops_have_the_derivatives_of_differences(seed: int):
    function = random_loop(seed)
    test_gradients_are_those_of_differences(function)
    test_so_are_the_second_derivatives(function)


@pytest.mark.parametrize("function", KEPT)
def test_what_stays_in_the_array_is_on_no_tape(function: Callable[[Any], Any]):
    assert "tape" not in sd.grad(function).source(X)


def test_parts_that_stay_are_not_saved():
    def saved(function: Callable[[Any], Any]) -> int:
        return str(sd.grad(function).source(X)).count(".append(")

    assert (saved(sums_before), saved(sums_with_the_next), saved(sums_behind)) == (1, 2, 2)


def test_stored_numbers_of_less_precision_are_not_read_back():
    expected = np.exp(X)
    np.testing.assert_allclose(sd.grad(of_integers)(X), expected, rtol=1e-6)
    assert np.max(np.abs(sd.grad(of_integers)(X) - expected)) < 1e-6


def test_what_no_later_turn_reads_is_not_cleared():
    assert "] = 0.0" not in sd.grad(cleared_in_vain).source(X)
    assert "] = 0.0" in sd.grad(cleared_for_a_later_turn).source(X)
