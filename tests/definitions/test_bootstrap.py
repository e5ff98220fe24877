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


def product(one: Any, other: Any, axis: int = -1) -> Any:
    return np.sum(one**2 * other, axis=axis)


@pytest.mark.parametrize(
    "permuted",
    [
        lambda x: stats.permutation_test((x, OTHER), difference, n_resamples=20, rng=3),
        lambda x: stats.permutation_test((x[:3], OTHER[:3]), difference),
        lambda x: stats.permutation_test(
            (x, OTHER), lambda a, b: difference(a, b), n_resamples=9, batch=6, rng=3
        ),
        lambda x: stats.permutation_test(
            (x, x * x), product, permutation_type="pairings", n_resamples=20, batch=6, rng=3
        ),
        lambda x: stats.permutation_test(
            (x[:3], x[2:5]), product, permutation_type="pairings", batch=30
        ),
        lambda x: stats.permutation_test(
            (x, np.sin(x)), product, permutation_type="samples", n_resamples=20, rng=3
        ),
        lambda x: stats.permutation_test(
            (x,),
            lambda a, axis: np.mean(a, axis=axis) ** 3,
            permutation_type="samples",
            n_resamples=20,
            random_state=np.random.RandomState(3),
        ),
    ],
)
def test_statistics_of_permuted_samples_move_with_the_data(permuted: Any) -> None:
    def told(x: Any) -> Any:
        found = permuted(x)
        return found.statistic, found.pvalue, found.null_distribution

    check(told, DATA)


def test_three_samples_are_permuted_in_all_orders() -> None:
    def null(x: Any) -> Any:
        samples = x[:2], x[2:5], x[5:7] ** 2
        return stats.permutation_test(
            samples,
            lambda a, b, c, axis: product(np.mean(a, axis), np.mean(b, axis), ()) * np.sum(c, axis),
        ).null_distribution

    assert len(null(DATA)) == 210
    check(null, DATA)


def test_orders_that_are_drawn_without_a_seed_ask_for_one() -> None:
    def null(x: Any) -> Any:
        return stats.permutation_test((x, OTHER), difference, n_resamples=20).null_distribution

    with pytest.raises(NotImplementedError, match="give a seed as rng="):
        sd.vjp(null, DATA)


def test_what_draws_without_a_seed_asks_for_one() -> None:
    with pytest.raises(UnsupportedCallError, match="give it rng=, a seed or a generator"):
        sd.grad(lambda x: stats.bootstrap((x,), np.mean).standard_error)(DATA)


def test_how_many_orders_are_drawn_may_be_an_argument() -> None:
    def null(x: Any, count: int) -> Any:
        return stats.permutation_test(
            (x, OTHER), difference, n_resamples=count, rng=3
        ).null_distribution

    check(null, DATA, 7)
