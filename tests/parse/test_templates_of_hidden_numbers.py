"""Functions called as graphs that give numbers which are integers or truths on some paths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedSyntaxError

pytestmark = pytest.mark.usefixtures("copied")


def whole_or_not(v: Any) -> Any:
    return 2 if v > 0.9 else v * v


def summed(v: Any) -> Any:
    s = 0
    for k in range(int(4 * v)):
        s += v * k
    return s


def below(v: Any) -> Any:
    return whole_or_not(v + 0.2) * whole_or_not(v) if v > 0.1 else whole_or_not(v)


def first_that_holds(v: Any) -> Any:
    return (v > 0.4 and math.sin(v)) or v * v


def handed_on(v: Any) -> Any:
    return v


def first_that_holds_below(v: Any) -> Any:
    return (v > 0.3 and first_that_holds(v * 0.9)) or first_that_holds(v + 0.3)


def of_numpys(v: Any) -> Any:
    return (v > 0.4 and np.sin(v)) or v * v


def of_numpys_below(v: Any) -> Any:
    return (v > 0.3 and of_numpys(v * 0.9)) or of_numpys(v + 0.3)


def truth_of_numpys(v: Any) -> Any:
    return v > 0.4 and np.sin(v)


def given_truths(w: Any, v: Any) -> Any:
    return 1.0 - w * 2.5 + (w + v) ** 2


def through_numpys(x: Any) -> Any:
    v = np.sin(x)
    return of_numpys_below(v) * of_numpys_below(v * 0.8) * of_numpys_below(v + 0.4)


def through_numpys_given(x: Any) -> Any:
    v = np.sin(x)
    a, b, c = truth_of_numpys(v), truth_of_numpys(v * 0.7), truth_of_numpys(v + 0.2)
    return given_truths(a, v) * given_truths(b, v) + given_truths(c, v) * a - b * c


def through_numpys_in_arrays(x: Any) -> Any:
    v = np.sin(x)
    a, b, c = truth_of_numpys(v), truth_of_numpys(v * 0.7), truth_of_numpys(v + 0.2)
    return np.sum(np.array([x, 2.0]) * given_truths(a, v)) * given_truths(b, x) + c


def through_numbers(x: Any) -> Any:
    a, b, c = below(x), below(x * 0.9), below(x * 1.2)
    s = summed(x) + summed(x + 0.4) * summed(x * 0.5)
    d = handed_on(a) * handed_on(b) + handed_on(s)
    return a * b + math.cos(c) * s + d


def through_truths(x: Any) -> Any:
    a, b = first_that_holds_below(x), first_that_holds_below(x * 0.8)
    return a * b * first_that_holds_below(x + 0.4)


def through_arrays(x: Any) -> Any:
    a, b, c = below(x), below(x * 0.9), below(x * 1.2)
    return np.sum(np.array([a, b]) * c * x)


NUMPYS = [through_numpys, through_numpys_given, through_numpys_in_arrays]


@pytest.mark.parametrize("f", [through_numbers, through_truths, through_arrays, *NUMPYS])
@pytest.mark.parametrize("x", [0.05, 0.35, 0.55, 0.77, 0.95])
def test_they_are_differentiated(f: Any, x: float) -> None:
    h = 1e-3
    near = {k: float(f(x + k * h)) for k in (-2, -1, 0, 1, 2)}
    slope = (8 * (near[1] - near[-1]) - near[2] + near[-2]) / (12 * h)
    bend = (16 * (near[1] + near[-1]) - near[2] - near[-2] - 30 * near[0]) / (12 * h * h)
    value, derivative = sd.value_and_grad(f)(x)
    assert value == f(x)
    assert derivative == pytest.approx(slope, rel=1e-8, abs=1e-9)
    assert sd.jvp(f, (x,), (1.0,))[1] == pytest.approx(slope, rel=1e-8, abs=1e-9)
    assert sd.derivative(f, 2)(x) == pytest.approx(bend, rel=1e-5, abs=1e-6)


def test_they_are_mapped_over_batches() -> None:
    x = np.array([0.05, 0.35, 0.55, 0.77, 0.95])
    for f in (through_numbers, through_truths, *NUMPYS):
        found = sd.vmap(sd.grad(f))(x)
        np.testing.assert_allclose(found, [sd.grad(f)(float(one)) for one in x], rtol=1e-12)


def one_of_two(x: Any, c: Any) -> Any:
    a, b = below(c + 0.5), below(c * 1.1)
    return a if x > 0.4 else b


def test_numbers_that_are_the_same_in_a_batch_have_the_dtype_that_they_are_typed_as() -> None:
    x = np.array([0.3, 0.6])
    for c in (0.05, 0.45, 0.95):
        found = sd.vmap(one_of_two, in_axes=(0, None))(x, c)
        assert found.dtype == np.float64
        assert found.tolist() == [one_of_two(float(one), c) for one in x]


def written_below(v: Any, w: Any) -> Any:
    z = np.array([v, 1])
    z[1] = w
    return z[0] * z[1]


def class_below(v: Any) -> Any:
    return v * (2.0 if isinstance(v, int) else 3.0)


def written(x: Any) -> Any:
    a, b, c = below(x), below(x * 0.9), below(x * 1.2)
    z = np.array([a, b]) * c
    z[0] = x
    return np.sum(z)


def written_in_a_call(x: Any) -> Any:
    a, b, c = below(x), below(x * 0.9), below(x * 1.2)
    return written_below(a, x) + written_below(b, x) + written_below(c, x)


def asked(x: Any) -> Any:
    a, b, c = below(x), below(x * 0.9), below(x * 1.2)
    return a * b * (2.0 if isinstance(c, int) else 3.0)


def asked_in_a_call(x: Any) -> Any:
    a, b, c = below(x), below(x * 0.9), below(x * 1.2)
    return class_below(a) * class_below(b) * class_below(c)


def asked_of_what_is_handed_on(x: Any) -> Any:
    a, b, c = handed_on(below(x)), handed_on(below(x * 0.9)), handed_on(below(x * 1.2))
    return a * b * (2.0 if isinstance(c, int) else 3.0)


def filled(x: Any) -> Any:
    a, b, c = below(x), below(x * 0.9), below(x * 1.2)
    z = np.full(3, b)
    z[1] += x
    return np.sum(z) * a * c


def placed(x: Any) -> Any:
    a, b, c = below(x), below(x * 0.9), below(x * 1.2)
    return [x, 2.0 * x, 3.0 * x, 4.0 * x, 5.0 * x][a] * b * c


RESTING = [
    written, written_in_a_call, asked, asked_in_a_call, asked_of_what_is_handed_on, filled, placed,
]  # fmt: skip


@pytest.mark.parametrize("f", RESTING)
def test_what_rests_on_their_dtype_is_refused(f: Any) -> None:
    for x in (0.05, 0.35, 0.95):
        with pytest.raises(UnsupportedSyntaxError, match=r"on some paths, (a float|floats) on"):
            sd.grad(f)(x)


def truth_or_half(v):
    return (v > 1.0 and np.sin(v)) or v * 0.5


def test_powers_of_what_may_be_a_truth_have_derivatives():
    def f(x):
        y = truth_or_half(truth_or_half(truth_or_half(x)))
        return (1.0 + y * y) ** -0.05

    x, h = 2.0, 1e-3
    weights = ((1, 672.0), (2, -168.0), (3, 32.0), (4, -3.0))
    slope = sum(w * (f(x + m * h) - f(x - m * h)) for m, w in weights) / (840.0 * h)
    assert sd.grad(f)(x) == pytest.approx(slope, rel=1e-10)
