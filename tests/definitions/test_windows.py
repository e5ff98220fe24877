"""Windows of signals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

WINDOWS = (np.bartlett, np.blackman, np.hamming, np.hanning)


def windowed(x):
    return tuple(window(len(x)) * x for window in WINDOWS)


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_windows_of_an_array(count: int) -> None:
    x = np.linspace(0.5, 2.0, count)
    value, pullback = sd.vjp(windowed, x)
    assert same(value, windowed(x))
    gradient = pullback(tuple(np.ones(count) for _ in WINDOWS))[0]
    np.testing.assert_allclose(gradient, sum(window(count) for window in WINDOWS), rtol=1e-15)


def steep(beta: Any) -> Any:
    return np.kaiser(5, beta), np.kaiser(6.0, beta**2), np.kaiser(1, beta) * np.hanning(3.0)


def test_kaisers_window_has_derivatives_by_its_shape() -> None:
    check(steep, 2.3)
    single = np.float32(2.3)
    assert same(sd.vjp(steep, single)[0], steep(single))
