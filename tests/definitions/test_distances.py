"""Distances of ``scipy.spatial.distance``, by differences."""

import numpy as np
import pytest
from scipy.spatial import distance

from tests.definitions.calls import check

X = np.array([[0.31, 1.2, 0.7], [2.2, 1.1, 0.9]])


@pytest.mark.parametrize(
    "found",
    [
        lambda x: distance.cdist(x, X + 0.3, "minkowski", p=1.5, w=[1.0, 2.0, 0.5]),
        lambda x: distance.cdist(x, X**2, "minkowski", p=1, w=[1, 2, 3]),
        lambda x: distance.pdist(x, "minkowski", p=3, w=x[0]),
    ],
)
def test_weights_may_be_a_list(found):
    check(found, X)
