"""Statistics of bins, ``scipy.stats.binned_statistic``, by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import symdiff as sd
from tests.definitions.calls import check

PLACES = np.array([0.31, 1.2, 0.85, 2.1, 0.4, 1.37, 0.02, 0.77])
VALUES = np.array([0.5, -1.9, 0.6, 0.33, 1.1, 2.4, -0.8, 0.2])


@pytest.mark.parametrize("statistic", ["mean", "std", "sum", "median", "min", "max"])
@pytest.mark.parametrize("bins", [3, [0.0, 0.5, 0.6, 1.0, 1.5]])
def test_statistics_move_with_the_values(statistic: str, bins: Any) -> None:
    def found(values: Any) -> Any:
        made = stats.binned_statistic(PLACES, values, statistic, bins)[0]
        return np.where(np.isnan(made), 0.0, made)

    check(found, VALUES)


def test_edges_move_with_the_outermost_places() -> None:
    check(lambda x: stats.binned_statistic(x, VALUES, bins=4).bin_edges, PLACES)
    check(lambda x: stats.binned_statistic(x[:1], VALUES[:1], bins=2).bin_edges, PLACES)
    check(lambda x: stats.binned_statistic(x, VALUES, bins=4, range=(0.1, x[1])).bin_edges, PLACES)


def test_places_have_no_other_part_in_it() -> None:
    def found(x: Any) -> Any:
        made = stats.binned_statistic(x, VALUES, "mean", 3)
        return np.sum(made.statistic) + np.sum(made.binnumber) * 0.5

    np.testing.assert_array_equal(sd.grad(found)(PLACES), np.zeros(8))
    assert sd.value_and_grad(found)(PLACES)[0] == found(PLACES)


def test_a_statistic_of_ones_own_is_refused() -> None:
    with pytest.raises(sd.UnsupportedCallError, match="a statistic that is no name"):
        sd.vjp(lambda x: stats.binned_statistic(PLACES, x, np.ptp).statistic, VALUES)


@pytest.mark.parametrize("bins", [4, [0.0, 0.5, 0.6, 1.5]])
def test_edges_are_of_the_type_of_the_places(bins: Any) -> None:
    places = PLACES.astype(np.float32)
    for part in range(3):
        found = sd.vjp(lambda x, k=part: stats.binned_statistic(x, VALUES, bins=bins)[k], places)[0]
        plain = stats.binned_statistic(places, VALUES, bins=bins)[part]
        assert found.dtype == plain.dtype
        np.testing.assert_array_equal(found, plain)


def test_values_of_another_number_are_an_error() -> None:
    with pytest.raises(AttributeError, match="must match the length"):
        sd.vjp(lambda x: stats.binned_statistic(x[:3], VALUES)[0], PLACES)
