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


@pytest.mark.parametrize("axis", [1, -1, None])
@pytest.mark.parametrize("function", [stats.tvar, stats.tstd, stats.tsem])
@pytest.mark.parametrize("keepdims", [False, True])
def test_spreads_within_limits(function: Any, axis: Any, keepdims: bool) -> None:
    """What is left out has no share, in either mode; the closed form of the others."""
    x = np.array([[1.0, 2.5, 3.0, 4.0, 7.0], [5.0, 1.9, 3.5, 2.0, 6.0]])

    def weighed(x: Any) -> Any:
        made = function(x, (2.0, 6.0), (False, True), axis, keepdims=keepdims)
        return np.sum(0.7 * made)

    kept = (x > 2.0) & (x <= 6.0)
    count = np.sum(kept, axis=axis, keepdims=True)
    mean = np.sum(x * kept, axis=axis, keepdims=True) / count
    apart = np.where(kept, x - mean, 0.0)
    variance = np.sum(apart**2, axis=axis, keepdims=True) / (count - 1.0)
    slope = 2.0 * apart / (count - 1.0)
    if function is not stats.tvar:
        slope = slope / (2.0 * np.sqrt(variance))
    if function is stats.tsem:
        slope = slope / np.sqrt(count)
    value, found = sd.value_and_grad(weighed)(x)
    assert value == pytest.approx(weighed(x))
    np.testing.assert_allclose(found, 0.7 * slope, rtol=1e-12, atol=1e-15)
    along = sd.jvp(weighed, (x,), (np.cos(x),))[1]
    assert along == pytest.approx(np.sum(found * np.cos(x)))
