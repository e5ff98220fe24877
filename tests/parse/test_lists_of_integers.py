"""Lists of integers, of a length known at run time only, that floats are put into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedSyntaxError

PLACE = np.array([0.7, 0.6, 0.8])


def filled(x: Any) -> Any:
    v = [0] * len(x)
    for k in range(len(x)):
        v[k] = x[k] ** 2
    return np.sum(np.array(v) * x)


def set_once(x: Any) -> Any:
    v = [0] * len(x)
    w = list(v)
    v[1] = x[1] ** 2
    return sum(v) * x[1] + sum(w)


def set_by_another_name(x: Any) -> Any:
    v = [0] * len(x)
    w = v
    w[1] = x[1] ** 2
    return sum(v) * x[1]


def set_on_a_path(x: Any) -> Any:
    v = [0] * len(x)
    if x[0] > 0.5:
        v[1] = x[1] ** 2
    return sum(v) * x[1]


def set_in_turns(x: Any) -> Any:
    v = [0] * len(x)
    for k in range(len(x)):
        if x[k] > 0.65:
            v[k] = x[k] * x[0]
    return sum(v) * x[1]


def set_in_a_helper(x: Any) -> Any:
    def put(v: Any, k: Any) -> None:
        v[k] = x[k] * x[0]

    v = []
    for _ in range(len(x)):
        v.append(0)
    for k in range(len(x)):
        put(v, k)
    return sum(v) * x[1] + v[0] * x[2]


def running_sums(x: Any) -> Any:
    v = [0] * (len(x) + 1)
    for k in range(len(x)):
        v[k + 1] = v[k] + x[k] ** 2
    return v[-1] * x[0] + max(v)


def double_loop(x: Any) -> Any:
    v = [0] * len(x)
    for i in range(len(x)):
        for j in range(len(x)):
            v[i] += x[j] * x[i]
    return sum(v) * 1.0


def appended(x: Any) -> Any:
    v = []
    for k in range(len(x)):
        v.append(k)
    v.append(x[1])
    v.insert(0, x[0])
    return v[-1] * x[1] + v[0] * x[2]


def extended(x: Any) -> Any:
    v = [0] * len(x)
    v.extend([x[0], x[1]])
    v += [3]
    v[0:1] = [x[2]]
    return sum(v) * x[1]


def joined(x: Any) -> Any:
    v = [0] * len(x)
    w = [x[k] for k in range(len(x))]
    u = v + w
    u[0] = x[2]
    return u[-1] * x[1] + u[0]


def joined_on_a_path(x: Any) -> Any:
    v = [0] * len(x)
    v = [x[0], *v] if x[0] > 0.5 else v
    return sum(v) * x[1]


def until(x: Any) -> Any:
    v, k = [0] * len(x), 0
    while k < len(x) and x[k] > 0.3:
        v[k] = x[k] * x[0]
        k += 1
    return np.sum(np.stack([v, v]) * x)


def rows(x: Any) -> Any:
    v = [[0, 0] for _ in range(len(x))]
    for k in range(len(x)):
        v[k] = [x[k] * x[0], 1]
    return v[0][0] * x[1]


def truths(x: Any) -> Any:
    v = [False] * len(x)
    v[1] = x[1] * x[0]
    return sum(v) * x[0]


def complex_numbers(x: Any) -> Any:
    v = [0] * len(x)
    v[0] = 1j * x[0]
    return (v[0] * v[0]).real * x[1]


FUNCTIONS = [
    filled, set_once, set_by_another_name, set_on_a_path, set_in_turns, set_in_a_helper,
    running_sums, double_loop, appended, extended, joined, joined_on_a_path, until, rows, truths,
    complex_numbers,
]  # fmt: skip


def differences(f: Callable[..., Any], x: Any, step: float = 1e-3) -> Any:
    """Central differences, extrapolated once."""

    def central(h: float) -> Any:
        return np.array([(f(x + h * e) - f(x - h * e)) / (2.0 * h) for e in np.eye(len(x))])

    return (4.0 * central(step / 2.0) - central(step)) / 3.0


@pytest.mark.parametrize("f", FUNCTIONS)
def test_what_is_put_into_a_list_of_integers_has_its_derivative(f: Callable[..., Any]) -> None:
    gradient, expected = sd.grad(f), differences(f, PLACE)
    for _ in range(2):
        np.testing.assert_allclose(gradient(PLACE), expected, rtol=1e-8)
    direction = np.array([0.3, -0.2, 0.5])
    _, slope = sd.jvp(f, (PLACE,), (direction,))
    np.testing.assert_allclose(slope, expected @ direction, rtol=1e-8)
    # of the user's own function: ∂ᵢ∂ⱼf
    second = differences(lambda x: differences(f, x), PLACE)
    np.testing.assert_allclose(sd.hessian(f)(PLACE), second, atol=1e-5)


def test_of_float32() -> None:
    found = sd.grad(filled)(PLACE.astype("float32"))
    assert found.dtype == "float32"
    np.testing.assert_allclose(found, 3.0 * PLACE**2, rtol=1e-5)


def test_of_nothing() -> None:
    assert sd.grad(filled)(np.zeros(0)).shape == (0,)


def test_a_complex_number_in_a_list_of_floats_is_refused() -> None:
    def f(x: Any) -> Any:
        v = [0.0] * len(x)
        v[0] = 1j * x[0]
        return (v[0] * v[0]).real * x[1]

    with pytest.raises(UnsupportedSyntaxError, match="a complex number in a list of floats") as e:
        sd.grad(f)(PLACE)
    assert e.value.span is not None
    assert e.value.span.line == f.__code__.co_firstlineno + 2
    assert "[0j] * n" in str(e.value)
