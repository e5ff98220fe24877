"""Peaks of signals: heights, prominences and widths, against differences; edges by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

signal = pytest.importorskip("scipy.signal")

X = np.random.default_rng(0).normal(size=40)
PEAKS = signal.find_peaks(X)[0]


def _half_widths_of_high_ones(x: Any) -> Any:
    peaks, _ = signal.find_peaks(x, prominence=0.5)
    return signal.peak_widths(x, peaks, prominence_data=signal.peak_prominences(x, peaks))[0]


@pytest.mark.parametrize(
    "told",
    [
        lambda x: signal.peak_prominences(x, PEAKS)[0],
        lambda x: signal.peak_prominences(x, PEAKS, wlen=5.1)[0],
        lambda x: signal.peak_widths(x, PEAKS),
        lambda x: signal.peak_widths(x, PEAKS, 0.9)[0],
        lambda x: x[signal.find_peaks(x)[0]],
        lambda x: signal.find_peaks(x, height=(0.2, 1.3))[1],
        lambda x: signal.find_peaks(x, prominence=0.3, width=0.1, distance=3)[1]["widths"],
        lambda x: signal.find_peaks(x, threshold=0.3, plateau_size=1)[1]["left_thresholds"],
        lambda x: sum(signal.find_peaks(x, height=0)[1]["peak_heights"]),
        _half_widths_of_high_ones,
    ],
)
def test_peaks(told: Any) -> None:
    check(told, X, step=0.001)


def test_a_triangle_and_the_height_that_is_asked_for() -> None:
    triangle = np.array([0.0, 1.0, 2.0, 1.0, 0.0])

    def width(x: Any, part: Any) -> Any:
        return signal.peak_widths(x, [2], part)[0][0]

    by_x, by_part = sd.grad(width, (0, 1))(triangle, 0.75)
    np.testing.assert_allclose(by_part, 4.0)
    # at height 0.25 x[2] + 0.75 max(x[0], x[4]), a tie, the lines are crossed at 0.5 and 3.5
    np.testing.assert_allclose(by_x, [-0.25, 0.5, -0.5, 0.5, -0.25], atol=1e-14)


def test_lines_that_are_crossed_at_points_of_the_signal() -> None:
    """At half the prominence the peak is as wide as the points beside it are apart, on straight
    lines: the width has a derivative there.
    """
    x = np.array([0.0, 1.0, 2.0, 1.0, 0.0, -2.0])

    def width(x: Any) -> Any:
        return signal.peak_widths(x, [2])[0][0]

    steps = 1e-6 * np.eye(6)
    expected = [(width(x + step) - width(x - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(expected, [-1.0, 1.0, -1.0, 1.0, 0.0, 0.0], atol=1e-5)
    np.testing.assert_allclose(sd.grad(width)(x), expected, atol=1e-5)
    along = np.cos(np.arange(6.0))
    assert sd.jvp(width, (x,), (along,))[1] == pytest.approx(expected @ along, abs=1e-5)


@pytest.mark.parametrize("x", [np.zeros(0), np.zeros(5), np.arange(4.0)])
def test_no_peaks(x: Any) -> None:
    def total(x: Any) -> Any:
        peaks, told = signal.find_peaks(x, width=0.0, height=0.0)
        return np.sum(x**2) + np.sum(told["widths"]) + np.sum(x[peaks])

    np.testing.assert_array_equal(sd.grad(total)(x), 2.0 * x)


def test_one_program_takes_other_numbers_of_peaks() -> None:
    total = sd.differentiable(
        lambda x: np.sum(signal.find_peaks(x, height=-9.0)[1]["peak_heights"])
    )
    for count in (1, 2, 5):
        x = np.resize([0.0, 1.0], 2 * count + 1)
        np.testing.assert_array_equal(total.grad(x), x)
    assert len(total.grad.signatures()) <= 2
