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
