"""Periodograms of ``astropy.timeseries``, against differences of Astropy's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

timeseries = pytest.importorskip("astropy.timeseries")

RANDOM = np.random.default_rng(1)
T = 20.0 * RANDOM.random(12)
Y = np.sin(T) + 0.3 * RANDOM.normal(size=12)
DY = 0.5 + RANDOM.random(12)
FREQUENCIES = np.array([0.05, 0.16, 0.31])


def power(method: str, normalization: str = "standard", **options: Any) -> Any:
    def function(t, y, dy, frequencies):
        made = timeseries.LombScargle(t, y, dy, normalization=normalization, **options)
        return made.power(frequencies, method=method)

    return function


@pytest.mark.parametrize("normalization", ["standard", "model", "log", "psd"])
@pytest.mark.parametrize("fit_mean", [True, False])
def test_periodograms(normalization: str, fit_mean: bool) -> None:
    function = power("cython", normalization, fit_mean=fit_mean)
    check(function, T, Y, DY, FREQUENCIES, wrt=(0, 1, 2, 3), order=1, step=0.0005)


def test_curvatures_and_other_methods() -> None:
    check(power("cython"), T, Y, DY, FREQUENCIES, wrt=(1,), step=0.0005)
    for method in ("slow", "chi2"):
        check(power(method), T, Y, DY, FREQUENCIES, wrt=(0, 1), order=1, step=0.0005)


def test_without_errors_and_of_single_precision() -> None:
    def function(y):
        return timeseries.LombScargle(T.astype(np.float32), y).power(FREQUENCIES)

    check(function, Y, order=1, step=0.0005)
    value, _ = sd.vjp(function, Y.astype(np.float32))
    np.testing.assert_array_equal(value, function(Y.astype(np.float32)))
    assert value.dtype == np.float64
