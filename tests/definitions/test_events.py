"""Events of differential equations: their times and states are SciPy's, and move as the closed form
says, or as differences of SciPy's own do.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symdiff as sd

TIGHT = {"rtol": 1e-11, "atol": 1e-11}
G = 9.81


def _falls(t: Any, y: Any) -> Any:
    return [y[1], -G]


def _hits(t: Any, y: Any) -> Any:
    return y[0]


_hits.terminal = True  # type: ignore[attr-defined]
_hits.direction = -1  # type: ignore[attr-defined]


def _fall(v: Any, h: Any, last: float = 100.0) -> Any:
    return solve_ivp(_falls, (0.0, last), [h, v], events=_hits, **TIGHT)


def time_of_flight(v: Any, h: Any) -> Any:
    return _fall(v, h).t_events[0][0]


def state_at_the_end(v: Any, h: Any) -> Any:
    found = _fall(v, h)
    return found.y[1, -1] * found.t[-1] + found.y_events[0][0, 1]


def known_time(v: Any, h: Any) -> Any:
    return (v + math.sqrt(v * v + 2.0 * G * h)) / G


def known_state(v: Any, h: Any) -> Any:
    time = known_time(v, h)
    return (v - G * time) * (time + 1.0)


def _differences(f: Any, at: tuple[float, ...], h: float = 1e-5) -> list[float]:
    moved = [[v + h * (k == i) for k, v in enumerate(at)] for i in range(len(at))]
    back = [[v - h * (k == i) for k, v in enumerate(at)] for i in range(len(at))]
    return [(f(*a) - f(*b)) / (2 * h) for a, b in zip(moved, back, strict=True)]


@pytest.mark.parametrize(
    ("f", "known"), [(time_of_flight, known_time), (state_at_the_end, known_state)]
)
def test_what_ends_a_solution_moves_its_end(f: Any, known: Any) -> None:
    at = (3.0, 1.0)
    value, gradient = sd.value_and_grad(f, (0, 1))(*at)
    assert value == f(*at)
    assert value == pytest.approx(known(*at), rel=1e-9)
    slopes = _differences(known, at)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-8)
    np.testing.assert_allclose(sd.jvp(f, at, (1.0, 2.0))[1], slopes[0] + 2 * slopes[1], rtol=1e-8)


def test_second_derivatives_of_the_time_of_an_event() -> None:
    v, h = 3.0, 1.0
    known = 2.0 * h / (v * v + 2.0 * G * h) ** 1.5
    assert sd.hessian(time_of_flight)(v, h) == pytest.approx(known, rel=1e-7)
    assert sd.grad(sd.grad(time_of_flight))(v, h) == pytest.approx(known, rel=1e-7)


def _swings(w: Any, k: Any, t_eval: Any = None) -> Any:
    def rate(t: Any, y: Any, w: Any) -> Any:
        return [y[1], -w * w * y[0]]

    def crosses(t: Any, y: Any, w: Any) -> Any:
        return y[0] - k * t

    def turns(t: Any, y: Any, w: Any) -> Any:
        return y[1]

    turns.terminal = 3  # type: ignore[attr-defined]
    crosses.direction = 1  # type: ignore[attr-defined]
    both = [crosses, turns]
    return solve_ivp(rate, (0.0, 20.0), [1.0, 0.3], events=both, args=(w,), t_eval=t_eval, **TIGHT)


def state_of_a_crossing(w: Any, k: Any) -> Any:
    return _swings(w, k).y_events[0][0, 1]


def all_turns(w: Any, k: Any) -> Any:
    found = _swings(w, k)
    return np.sum(found.t_events[1] ** 2) + found.t[-1] * found.y[0, -1]


def at_times_until_the_end(w: Any, k: Any) -> Any:
    found = _swings(w, k, np.linspace(0.0, 20.0, 6))
    return np.sum(found.y) + found.t_events[0][-1]


@pytest.mark.parametrize("f", [state_of_a_crossing, all_turns, at_times_until_the_end])
def test_several_events(f: Any) -> None:
    at = (1.3, 0.1)
    value, gradient = sd.value_and_grad(f, (0, 1))(*at)
    assert value == f(*at)
    np.testing.assert_allclose(gradient, _differences(f, at), rtol=1e-6, atol=1e-9)


def test_a_fall_that_ends_before_it_hits() -> None:
    def f(v: Any) -> Any:
        found = _fall(v, 1.0, 0.1)
        return found.y[0, -1] * v + len(found.t_events[0]) + found.status + found.nfev

    assert sd.differentiable(f)(2.0) == f(2.0)
    assert sd.grad(f)(2.0) == pytest.approx(1.0 + 2 * 0.1 * 2.0 - 0.5 * G * 0.01, rel=1e-9)
    assert sd.value_and_grad(f)(2.0)[0] == f(2.0)
    with pytest.raises(IndexError):
        sd.grad(lambda v: _fall(v, 1.0, 0.1).t_events[0][0])(2.0)


def test_backwards_in_time() -> None:
    def f(v: Any) -> Any:
        found = solve_ivp(_falls, (0.0, -50.0), [1.0, v], events=lambda t, y: y[0], **TIGHT)
        return found.t_events[0][0]

    assert sd.grad(f)(2.0) == pytest.approx((1 - 2.0 / math.sqrt(4.0 + 2 * G)) / G, rel=1e-8)


@pytest.mark.parametrize("method", ["RK45", "Radau"])
def test_events_are_asked_at_steps_alone(method: str) -> None:
    def reached(rate: Any) -> Any:
        """An event that raises at states which the solver tries and does not take."""
        found = solve_ivp(
            lambda t, y: -rate * y,
            (0.0, 20.0),
            [2.0],
            method=method,
            events=lambda t, y: math.log(y[0]) - 0.2,
            first_step=10.0,
            rtol=1e-8,
            atol=1e-10,
        )
        return found.t_events[0][0]

    value, slope = sd.value_and_grad(reached)(1.0)
    assert value == reached(1.0)
    np.testing.assert_allclose(slope, -(math.log(2.0) - 0.2), rtol=1e-6)
