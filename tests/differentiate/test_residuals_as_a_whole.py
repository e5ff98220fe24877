"""A whole residual that is 0 behind a ``where`` or a branch, through ops that are not elementwise.

What these make of cotangents is kept 0 where the cotangents are, as it may be infinite where its
value was not selected. Where they only happen to be 0, it has a slope. ``r = p(x) - p(x0)`` at
``x0``, along a direction: ``(r r)'' = 2 r' r'`` and ``(r r)''' = 6 r' r''``, with the slopes of the
plain function ``p`` by extrapolated differences.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd

Function = Callable[[Any], Any]
POINT, WAY = np.array([1.5, 2.25, 3.0]), np.array([0.3, -0.7, 0.9])
WEIGHTS = np.array([[2.0, 0.5, 1.0], [0.25, 3.0, 0.5], [1.0, 0.5, 2.0]])

PREDICTIONS: dict[str, Function] = {
    "trace": lambda x: np.trace(np.outer(np.sqrt(x), x)),
    "matmul": lambda x: np.outer(np.sqrt(x), x) @ x,
    "dot": lambda x: np.sqrt(x) @ WEIGHTS @ x,
    "convolve": lambda x: np.convolve(np.sqrt(x), x),
    "fft": lambda x: np.abs(np.fft.fft(np.sqrt(x))) ** 2,
    "einsum": lambda x: np.einsum("i,j,ij->", np.sqrt(x), x, WEIGHTS),
    "cumsum": lambda x: np.cumsum(np.sqrt(x)),
    "prod": lambda x: np.prod(np.sqrt(x)),
    "norm": lambda x: np.linalg.norm(np.outer(np.sqrt(x), x), axis=1),
    "var": lambda x: np.var(np.outer(np.sqrt(x), x), axis=0),
    "solve": lambda x: np.linalg.solve(WEIGHTS + np.diag(np.sqrt(x)), x),
    "det": lambda x: np.linalg.det(WEIGHTS + np.diag(np.sqrt(x))),
}
GUARDS: dict[str, Callable[[Any, Any], Any]] = {
    "where": lambda r, x: np.sum(np.where(x[0] > 0, r * r, 0.0)),
    "where before": lambda r, x: np.sum(np.where(x[0] > 0, r, 1.0) ** 2),
    "by element": lambda r, x: np.sum(np.where(x > 0, np.sum(r * r), 0.0)) / 3.0,
    "branch": lambda r, x: np.sum(r * r) if x[0] > 0 else 0.0,
    "part": lambda r, x: np.sum(np.append(r * r, 1.0)[:-1]),
}


def derivatives_along(f: Function) -> tuple[Any, Any]:
    """The first and second derivative along ``WAY`` at ``POINT``: differences, four times halved
    and extrapolated.
    """

    def extrapolated(of: Callable[[float], Any]) -> Any:
        found = [of(0.02 / 2**k) for k in range(5)]
        for j in range(1, 5):
            found = [(4**j * b - a) / (4**j - 1) for a, b in itertools.pairwise(found)]
        return found[0]

    def at(t: float) -> Any:
        return f(POINT + t * WAY)

    first = extrapolated(lambda h: (at(h) - at(-h)) / (2 * h))
    second = extrapolated(lambda h: (at(h) - 2 * at(0.0) + at(-h)) / h**2)
    return first, second


def reverse(f: Function) -> Function:
    return lambda x: sd.grad(f)(x) @ WAY


def forward(f: Function) -> Function:
    return lambda x: sd.jvp(f, (x,), (WAY,))[1]


def loss_of(prediction: str, guard: str) -> tuple[Function, float, float]:
    """The loss, and its second and third derivative along ``WAY`` at ``POINT``."""
    p, h = PREDICTIONS[prediction], GUARDS[guard]
    wanted = p(POINT)
    first, second = derivatives_along(p)
    return (
        lambda x: h(p(x) - wanted, x),
        2 * np.sum(first * first),
        6 * np.sum(first * second),
    )


@pytest.mark.parametrize(
    ("prediction", "guard"),
    [*((p, "where") for p in PREDICTIONS), *(("matmul", g) for g in GUARDS if g != "where")],
)
def test_second_and_third_derivatives_of_a_residual_of_zero(prediction: str, guard: str) -> None:
    loss, second, third = loss_of(prediction, guard)
    assert reverse(loss)(POINT) == pytest.approx(0.0, abs=1e-12)
    assert reverse(reverse(loss))(POINT) == pytest.approx(second, rel=1e-9)
    assert reverse(reverse(reverse(loss)))(POINT) == pytest.approx(third, rel=1e-7)


@pytest.mark.parametrize("modes", [*itertools.product((reverse, forward), repeat=2)])
@pytest.mark.parametrize("prediction", ["trace", "norm"])
def test_modes_in_any_order_above_a_gradient(prediction: str, modes: Any) -> None:
    loss, second, third = loss_of(prediction, "where")
    function = reverse(loss)
    for mode, slope in zip(modes, (second, third), strict=True):
        function = mode(function)
        assert function(POINT) == pytest.approx(slope, rel=1e-7)


def test_taylor_coefficients_of_a_gradient() -> None:
    loss, second, third = loss_of("trace", "where")
    gradient = reverse(loss)
    found = sd.taylor(lambda t: gradient(POINT + t * WAY), 0.0, 2)
    np.testing.assert_allclose(found, [0.0, second, third / 2], rtol=1e-7, atol=1e-12)


def test_each_lane_of_a_batch_has_its_own_zeros() -> None:
    wanted = PREDICTIONS["norm"](POINT)

    def loss(x: Any) -> Any:
        r = np.linalg.norm(np.outer(np.sqrt(x), x), axis=1) - wanted
        return np.sum(np.where(x[0] > 0.5, r * r, 0.0))

    first, _ = derivatives_along(PREDICTIONS["norm"])
    second = 2 * np.sum(first * first)
    lanes = np.array([POINT, [0.0, 2.0, 3.0], POINT])  # the second one is not selected: sqrt(0)
    slopes = sd.vmap(lambda x: sd.grad(loss)(x) @ WAY)
    bent = sd.vmap(lambda x: sd.hvp(loss)(x, WAY) @ WAY)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(bent(lanes), [second, 0.0, second], rtol=1e-9)
    above = sd.grad(lambda xs: np.sum(slopes(xs)))(lanes[::2]) @ WAY
    np.testing.assert_allclose(above, [second, second], rtol=1e-9)


DISCARDED: dict[str, Function] = {
    "trace": lambda s: np.trace(np.outer(s, s)),
    "matmul": lambda s: np.sum(np.outer(s, s) @ s),
    "dot": lambda s: s @ WEIGHTS @ s,
    "convolve": lambda s: np.sum(np.convolve(s, s)),
    "cumprod": lambda s: np.sum(np.cumprod(s)),
    "norm": lambda s: np.sum(np.linalg.norm(np.outer(s, s), axis=1)),
    "var": lambda s: np.sum(np.var(np.outer(s, s), axis=0)),
}


@pytest.mark.parametrize(
    ("name", "singular"),
    [*((name, np.sqrt) for name in DISCARDED), ("norm", np.log), ("matmul", np.reciprocal)],
)
def test_what_is_infinite_takes_no_part_in_derivatives_of_any_order(
    name: str, singular: Function
) -> None:
    def loss(x: Any) -> Any:
        r = DISCARDED[name](singular(x))
        chosen = np.where(x[0] > 5.0, r * r, 0.0) + np.sum(np.where(x > 5.0, r, 0.0))
        return chosen + np.sum(x**3)

    x, function = np.array([0.0, 2.0, 3.0]), loss
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for wanted in (np.sum(3 * x**2 * WAY), np.sum(6 * x * WAY**2), np.sum(6 * WAY**3)):
            function = reverse(function)
            assert function(x) == pytest.approx(wanted, rel=1e-12)
