"""Programs that came out wrong once, through the public face."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd


@pytest.fixture(autouse=True)
def empty_arrays_are_nan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are read though nobody filled them show."""
    monkeypatch.setattr(np, "empty", lambda shape, dtype=float: np.full(shape, np.nan, dtype))


def stops_early(y: Any, steps: int) -> Any:
    y = y.copy()
    for _ in range(steps):
        e = y**2
        y[y > 0.14] += e
        break
    return y.sum()


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_a_tape_is_read_only_as_far_as_it_was_filled(steps: int) -> None:
    y = np.array([0.5])
    expected = [2.0] if steps else [1.0]
    np.testing.assert_allclose(sd.grad(stops_early)(y, steps), expected)
    np.testing.assert_allclose(
        sd.differentiable(stops_early).forward(y, steps)[0], 0.75 if steps else 0.5
    )


def scaled_in_place(x: Any, y: Any) -> Any:
    y[0] -= x
    y *= x
    return x * 1.0


def rebound(x: Any, y: Any) -> Any:
    y[0] -= x
    y *= x
    y = y.T
    y = y * 2.0
    return x * y.sum()


@pytest.mark.parametrize("function", [scaled_in_place, rebound])
@pytest.mark.parametrize("shape", [(2,), (2, 2)])
def test_an_argument_gets_its_final_value(
    function: Any, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    y = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
    expected = function(1.5, y.copy())
    np.testing.assert_allclose(sd.differentiable(function).forward(1.5, y)[0], expected)
    step = 1e-6
    ahead, behind = (function(1.5 + sign * step, y.copy()) for sign in (1, -1))
    slope = sd.grad(function)(1.5, y)
    np.testing.assert_allclose(slope, (ahead - behind) / (2 * step), rtol=1e-6)
