"""What a function that calls itself prints, it prints once under each transform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd

CALLS = 4  # of ``down``, from 0
SCALE = 0.125 * 0.9**6  # it gives SCALE * x * x


def down(x: float, turns: float) -> float:
    print("down", turns)
    if turns > 2.5:
        return x * x
    return down(x * 0.9, turns + 1.0) * 0.5


def pulled_back(x: float, turns: float) -> float:
    y, pull = sd.vjp(down, x, turns)
    return y * pull(1.0)[0]  # type: ignore[no-any-return]


def pushed(x: float, turns: float) -> float:
    y, tangent = sd.jvp(down, (x, turns), (1.0, 0.0))
    return y * tangent  # type: ignore[no-any-return]


def held_back(x: float, turns: float) -> float:
    return sd.checkpoint(down)(x, turns) * x  # type: ignore[no-any-return]


def unused(x: float, turns: float) -> float:
    down(x, turns)
    return x * 2.0


def of_pair(x: np.ndarray, turns: float) -> float:
    return down(x[0], turns) * x[1]


PAIR = np.array([0.3, 0.7])


@pytest.mark.parametrize(
    ("derivative", "expected", "times"),
    [
        (lambda: sd.grad(down)(0.3, 0.0), 2 * SCALE * 0.3, 1),
        (lambda: sd.grad(pulled_back)(0.3, 0.0), 6 * SCALE**2 * 0.3**2, 1),
        (lambda: sd.grad(pushed)(0.3, 0.0), 6 * SCALE**2 * 0.3**2, 1),
        (lambda: sd.grad(held_back)(0.3, 0.0), 3 * SCALE * 0.3**2, 1),
        (lambda: sd.grad(sd.checkpoint(down))(0.3, 0.0), 2 * SCALE * 0.3, 1),
        (lambda: sd.grad(unused)(0.3, 0.0), 2.0, 1),
        (lambda: sd.grad(lambda x: down(x, 0.0) + down(x, 0.0))(0.3), 4 * SCALE * 0.3, 2),
        (
            lambda: sd.hessian(of_pair)(PAIR, 0.0),
            [[2 * SCALE * 0.7, 2 * SCALE * 0.3], [2 * SCALE * 0.3, 0.0]],
            1,
        ),
        (lambda: sd.vmap(down, in_axes=(0, None))(PAIR, 0.0), SCALE * PAIR**2, 2),
    ],
)
def test_a_recursion_prints_once(
    derivative: Callable[[], Any], expected: Any, times: int, capsys: pytest.CaptureFixture[str]
) -> None:
    np.testing.assert_allclose(derivative(), expected, rtol=1e-12)
    lines = [f"down {turns}.0" for turns in range(CALLS)]
    assert capsys.readouterr().out.splitlines() == lines * times
