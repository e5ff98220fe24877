"""Resampling by ``scipy.stats``: with a seed that is known, statistics move with the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from tests.definitions.calls import check

stats = pytest.importorskip("scipy.stats")

DATA = np.array([0.31, -1.2, 0.85, 2.1, -0.4, 1.37, 0.02, -0.77])
OTHER = np.array([0.5, 1.9, -0.6, 0.33, 1.1])


def difference(one: Any, other: Any, axis: int = -1) -> Any:
    return np.mean(one, axis=axis) - 2.0 * np.mean(other**2, axis=axis)


@pytest.mark.parametrize(
    "statistic",
    [
        lambda x: stats.bootstrap((x,), np.std, n_resamples=30, rng=3).standard_error,
        lambda x: stats.bootstrap((x,), np.std, n_resamples=30, rng=3).confidence_interval.low,
        lambda x: stats.bootstrap((x,), np.mean, n_resamples=30, rng=3).bootstrap_distribution,
        lambda x: stats.bootstrap(
            (x, OTHER), difference, n_resamples=30, method="basic", rng=np.random.default_rng(3)
        ).confidence_interval[1],
        lambda x: stats.bootstrap(
            (x, x * x + 2.0 * x),
            lambda a, b, axis: np.sum(a * b, axis=axis),
            paired=True,
            n_resamples=30,
            method="percentile",
            rng=3,
        ).confidence_interval[0],
        lambda x: (
            stats.monte_carlo_test(
                x,
                lambda size: np.random.default_rng(2).normal(size=size),
                lambda x, axis: stats.skew(x, axis),
                vectorized=True,
                n_resamples=30,
            ).statistic
        ),
    ],
)
def test_resampled_statistics_move_with_the_data(statistic: Any) -> None:
    check(statistic, DATA)


def test_what_is_resampled_in_one_order_only_is_told() -> None:
    def statistic(x: Any) -> Any:
        found = stats.permutation_test((x, OTHER), difference, n_resamples=30, rng=3)
        return found.statistic

    with pytest.raises(UnsupportedCallError, match="permutation_test"):
        sd.grad(statistic)(DATA)


def test_what_draws_without_a_seed_asks_for_one() -> None:
    with pytest.raises(UnsupportedCallError, match="give it rng=, a seed or a generator"):
        sd.grad(lambda x: stats.bootstrap((x,), np.mean).standard_error)(DATA)
