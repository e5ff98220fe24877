"""Nearest neighbours: how far they are, against differences; which they are, as SciPy says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

spatial = pytest.importorskip("scipy.spatial")

RNG = np.random.default_rng(4)
POINTS, ASKED = RNG.normal(size=(9, 3)), RNG.normal(size=(2, 4, 3))
OUTSIDE = spatial.KDTree(POINTS)
COMPILED = spatial.cKDTree(POINTS)
PERIODIC = spatial.KDTree(POINTS % 2.0, boxsize=[2.0, 0.0, 2.0])


@pytest.mark.parametrize(
    "ask",
    [
        lambda data, x: spatial.KDTree(data).query(x)[0],
        lambda data, x: spatial.KDTree(data, 2).query(x, 3)[0] * x[..., :1],
        lambda data, x: spatial.cKDTree(data).query(x[0, 0], k=2, p=1)[0],
        lambda data, x: spatial.KDTree(data).query(x[1, 2], p=np.inf)[0],
        lambda data, x: data[spatial.KDTree(data).query(x, k=2)[1]] * OUTSIDE.query(x)[0][0, 0],
        lambda data, x: spatial.KDTree(data).query(x, k=[2])[0],
        lambda data, x: spatial.cKDTree(data).query(x, [1, 3], eps=0.1)[0] + data[0, 0],
        lambda data, x: OUTSIDE.query(x[0, 0] + data[0], [2])[0],
        lambda data, x: COMPILED.query(x[0] + data[0], [1, 3], p=1)[0],
        lambda data, x: spatial.cKDTree.query(COMPILED, x[0, 0] * data[0])[0] + data[0],
        lambda data, x: PERIODIC.query(x)[0] * data[0, 0],
        lambda data, x: spatial.cKDTree(data - 9.0, boxsize=[0.0, 0, 0]).query(x, 2)[0],
        lambda data, x: spatial.KDTree(data**2, boxsize=20 + data[0, 0] ** 2).query(x, 2)[0],
        lambda data, x: np.minimum(
            spatial.KDTree(data).query(x, 3, distance_upper_bound=1.5)[0], 50.0
        ),
        lambda data, x: np.minimum(
            spatial.KDTree(data[:2]).query(x, k=3)[0], 50.0
        ),  # two are there
    ],
)
def test_distances_of_the_nearest(ask: Any) -> None:
    check(ask, POINTS, ASKED, wrt=(0, 1), step=0.004)


def test_numbers_are_of_numpys_types() -> None:
    def nearest(x: Any) -> Any:
        distance, which = OUTSIDE.query(x)
        return distance * (1 + which)

    value, slope = sd.value_and_grad(nearest)(POINTS[3] + [0.1, 0.0, 0.0])
    assert value == pytest.approx(0.4)
    np.testing.assert_allclose(slope, [4.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_array_equal(sd.grad(nearest)(POINTS[3]), 0.0)  # by convention, as of a norm


def test_what_is_not_taken_is_refused() -> None:
    with pytest.raises(sd.UnsupportedCallError, match="query_pairs"):
        sd.grad(lambda x: spatial.KDTree(np.outer(x, x)).query_pairs(1.0))(ASKED[0, 0])
