"""Captured arrays that are read first in one arm of a branch, with names that differ by path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff

ORDER = np.array([1, 1])


def taken(x: Any, y: np.ndarray, z: Any) -> Any:
    first = x
    if 5.0 < z < 1.26:
        return z * x
    if x > 1.16:
        first, *_rest, last = (y[ORDER], 1.0, y)
    _kept = first
    return np.sum(last**2)


def test_a_captured_array_is_what_it_was_on_the_other_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    y = np.array([0.8607, 0.0833, 0.6943, 0.6443])
    value, saved = symdiff.differentiable(taken).forward(1.3553, y, 0.1417)
    assert value == np.sum(y**2)
    by_x, by_y, by_z = symdiff.differentiable(taken).backward(saved)
    np.testing.assert_array_equal(by_y, 2.0 * y)
    assert (by_x, by_z) == (0.0, 0.0)
    with pytest.raises(UnboundLocalError):
        symdiff.grad(taken, argnums=1)(1.0, y, 0.1417)
