"""Discrepancies of points in the unit cube: against SciPy's values and their differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import symdiff as sd
from tests.definitions import calls
from tests.definitions.test_distributions import check

qmc = pytest.importorskip("scipy.stats.qmc")

POINTS = np.random.default_rng(3).uniform(0.05, 0.95, size=(5, 3))


@pytest.mark.parametrize("iterative", [False, True])
@pytest.mark.parametrize("method", ["CD", "WD", "MD", "L2-star"])
def test_discrepancies(method: str, iterative: bool) -> None:
    def function(x: Any) -> Any:
        return qmc.discrepancy(x, method=method, iterative=iterative)

    check(function, POINTS, wrt=(0,))


def test_one_more_point() -> None:
    check(qmc.update_discrepancy, POINTS[4], POINTS[:4], 0.3, wrt=(0, 1, 2))


@pytest.mark.parametrize("options", [{}, {"method": "mst"}, {"metric": "cityblock"}])
def test_distances_between_points(options: dict[str, Any]) -> None:
    near = np.concatenate((POINTS, POINTS[:1] + 0.04))
    check(lambda x: qmc.geometric_discrepancy(x, **options), near, wrt=(0,))


def test_the_cheapest_plan_to_move_a_distribution() -> None:
    other, shares = np.sin(POINTS[:3]), np.array([0.31, 0.44, 0.2])
    found = stats.wasserstein_distance_nd
    calls.check(found, POINTS, other, wrt=(0, 1), step=1e-3)
    calls.check(found, POINTS, other, None, shares, wrt=(0, 1, 3), step=1e-3)
    calls.check(found, POINTS[:, 0], other[:, 1], wrt=(0, 1), step=1e-3)


def test_points_at_the_middle_and_at_others_are_kinks_that_split_evenly() -> None:
    x = np.array([[0.5, 0.2], [0.7, 0.2], [0.1, 0.9]])
    slopes = sd.grad(lambda x: qmc.discrepancy(x))(x)
    sides = np.empty((2, 2))
    for row, place in enumerate([(0, 0), (1, 1)]):
        for side, step in enumerate((-1e-7, 1e-7)):
            moved = x.copy()
            moved[place] += step
            sides[row, side] = (qmc.discrepancy(moved) - qmc.discrepancy(x)) / step
    np.testing.assert_allclose([slopes[0, 0], slopes[1, 1]], sides.mean(axis=1), atol=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: qmc.discrepancy(x + 0.5),
        lambda x: qmc.discrepancy(x[0]),
        lambda x: qmc.update_discrepancy(x[0] + 1.0, x, 0.3),
        lambda x: qmc.update_discrepancy(x, x, 0.3),
    ],
)
def test_errors_are_scipys(function: Any) -> None:
    with pytest.raises(ValueError) as own:
        function(POINTS)
    with pytest.raises(ValueError) as made:
        sd.vjp(function, POINTS)
    assert made.value.args == own.value.args
