"""``accumulate``: sums of structured gradients, without changing what is given."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import symdiff as sd


class Pair(NamedTuple):
    w: Any
    b: Any


@dataclass
class Layer:
    w: Any
    b: Any


def test_sum_over_batches_is_the_gradient_of_the_whole() -> None:
    @sd.differentiable
    def loss(p, x, y):
        r = x @ p["w"] + p["layers"][0].b - y
        return np.sum(r * r)

    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(12, 3)), rng.normal(size=12)
    p = {"w": rng.normal(size=3), "layers": [Pair(None, 0.5)]}
    total = None
    for k in range(0, 12, 4):
        total = sd.accumulate(total, loss.grad(p, x[k : k + 4], y[k : k + 4]))
    r = x @ p["w"] + 0.5 - y
    np.testing.assert_allclose(total["w"], 2 * x.T @ r, rtol=1e-13)
    assert total["layers"][0].w is None
    assert total["layers"][0].b == pytest.approx(2 * r.sum(), rel=1e-13)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (1.0, 2.0, 3.0),
        (None, 2.0, 2.0),
        (2.0, None, 2.0),
        (None, None, None),
        ((1.0, None), (None, 2.0), (1.0, 2.0)),
        ([1.0, {"a": 2.0}], [3.0, {"a": 4.0}], [4.0, {"a": 6.0}]),
        ({"a": 1.0, "b": 2.0}, {"b": 10.0, "a": 20.0}, {"a": 21.0, "b": 12.0}),
        (Pair(1.0, 2.0), Pair(3.0, None), Pair(4.0, 2.0)),
        (Layer(1.0, None), Layer(2.0, 3.0), Layer(3.0, 3.0)),
    ],
)
def test_structures(first: Any, second: Any, expected: Any) -> None:
    found = sd.accumulate(first, second)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("total", [None, {"w": np.ones(2)}])
def test_nothing_given_is_changed_or_shared(total: Any) -> None:
    gradient = {"w": np.array([1.0, 2.0])}
    before = None if total is None else total["w"].copy()
    found = sd.accumulate(total, gradient)
    found["w"][:] = 100.0
    assert gradient["w"].tolist() == [1.0, 2.0]
    if total is not None:
        np.testing.assert_array_equal(total["w"], before)


def test_float32_stays_float32() -> None:
    g = np.ones(2, np.float32)
    assert sd.accumulate(sd.accumulate(None, g), g).dtype == np.float32


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (np.ones(2), np.ones(3), r"gradient has the shape \(3,\), and what it is added to \(2,\)"),
        (np.ones(2), np.float64(1.0), r"gradient has the shape \(\)"),
        ({"a": 1.0}, {"b": 1.0}, r"gradient has \['b'\], and what it is added to \['a'\]"),
        ([1.0], (1.0,), "gradient is of type tuple, and what it is added to of type list"),
        ({"a": [1.0]}, {"a": 1.0}, "gradient.a is of type float"),
        ("text", 1.0, "of type str"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(first: Any, second: Any, message: str) -> None:
    with pytest.raises(sd.SignatureError, match=message):
        sd.accumulate(first, second)
