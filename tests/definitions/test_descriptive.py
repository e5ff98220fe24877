"""Means of ``scipy.stats`` where sums wrap and powers overflow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd

stats = pytest.importorskip("scipy.stats")


def test_weighted_means_take_integers_that_wrap() -> None:
    """Two weights of 2**62 are one of a half each: closed forms of both derivatives."""
    x, weights = np.array([2.0, 8.0]), np.array([2**62, 2**62])
    geometric = sd.grad(lambda x: stats.gmean(x, weights=weights))(x)
    np.testing.assert_allclose(geometric, 0.5 * 4.0 / x, rtol=1e-14)
    harmonic = sd.grad(lambda x: stats.hmean(x, weights=weights))(x)
    np.testing.assert_allclose(harmonic, 0.5 * (3.2 / x) ** 2, rtol=1e-14)


def test_the_weights_of_a_geometric_mean_have_slopes_beside_a_zero() -> None:
    """The mean is 0 whatever the weights are."""
    x = np.array([0, 3, 5])
    slopes = sd.grad(lambda w: stats.gmean(x, weights=w))(np.array([0.3, 0.5, 0.7]))
    np.testing.assert_array_equal(slopes, np.zeros(3))


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
@pytest.mark.parametrize("mean", [stats.hmean, lambda x: stats.pmean(x, 2.0)])
def test_second_slopes_of_power_means_do_not_overflow(mean: Any, scale: float) -> None:
    """They are those of the numbers over their scale, over the scale."""
    x, v = np.array([1.3, 0.4, 2.2]), np.array([0.3, -0.8, 0.5])

    def bent(x: Any) -> Any:
        return sd.jvp(lambda x: sd.grad(lambda x: mean(x))(x), (x,), (v,))[1]

    step = 1e-4
    rows = [sd.grad(lambda x: mean(x))(x + k * step * v) for k in (-1, 1)]
    np.testing.assert_allclose(bent(scale * x) * scale, (rows[1] - rows[0]) / (2 * step), rtol=1e-6)
