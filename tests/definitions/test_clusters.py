"""Clusters: how far apart they are, and their means, against differences; edges by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
vq = pytest.importorskip("scipy.cluster.vq")
distance = pytest.importorskip("scipy.spatial.distance")

RNG = np.random.default_rng(3)
POINTS = RNG.normal(size=(9, 3))
DISTANCES = distance.pdist(POINTS)
JOINED = hierarchy.average(DISTANCES)
HEIGHTS = JOINED[:, 2].copy()
BOOK = POINTS[:3] + 0.01
METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")


def _at(heights: Any) -> Any:
    return np.column_stack((JOINED[:, :2], heights, JOINED[:, 3]))


@pytest.mark.parametrize("method", METHODS)
def test_distances_of_clusters(method: str) -> None:
    check(lambda x: hierarchy.linkage(x, method), POINTS, step=0.004)
    check(lambda y: getattr(hierarchy, method)(y)[:, 2], DISTANCES, step=0.004)


def test_other_distances_and_orders() -> None:
    check(lambda x: hierarchy.linkage(x, "average", "cityblock", True), POINTS, step=0.001)


@pytest.mark.parametrize(
    "told",
    [
        lambda x: hierarchy.cophenet(_at(x)),
        lambda x: hierarchy.cophenet(_at(x), DISTANCES * x[0]),
        lambda x: hierarchy.inconsistent(_at(x)),
        lambda x: hierarchy.inconsistent(_at(x), 4),
        lambda x: hierarchy.maxdists(_at(x)),
        lambda x: hierarchy.maxinconsts(_at(x), hierarchy.inconsistent(_at(x))),
        lambda x: hierarchy.maxRstat(_at(x), hierarchy.inconsistent(_at(x)), 1),
        lambda x: hierarchy.from_mlab_linkage(hierarchy.to_mlab_linkage(_at(x))),
    ],
)
def test_what_is_told_of_hierarchies(told: Any) -> None:
    check(told, HEIGHTS, step=0.001)


def test_inversions_have_the_largest_height() -> None:
    inverted = hierarchy.centroid([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])
    assert inverted[1, 2] < inverted[0, 2]

    def largest(heights: Any) -> Any:
        return hierarchy.maxdists(np.column_stack((inverted[:, :2], heights, inverted[:, 3])))[1]

    np.testing.assert_array_equal(sd.grad(largest)(inverted[:, 2].copy()), [1.0, 0.0])


@pytest.mark.parametrize("method", METHODS)
def test_points_at_one_place(method: str) -> None:
    points = np.array([[0.0, 0.0], [0.0, 0.0], [2.0, 0.0]])

    def farthest(x: Any) -> Any:
        return hierarchy.linkage(x, method)[-1, 2]

    factor = 2.0 / np.sqrt(3.0) if method == "ward" else 1.0
    gradient = sd.grad(farthest)(points)
    np.testing.assert_allclose(gradient[2], [factor, 0.0], atol=1e-14)
    np.testing.assert_allclose(np.sum(gradient, axis=0), 0.0, atol=1e-14)


@pytest.mark.parametrize(
    "means",
    [
        lambda x, b: vq.vq(x, b)[1],
        lambda x, b: vq.vq(x[:, 0], b[:, 0])[1],
        lambda x, b: vq.kmeans(x, b),
        lambda x, b: vq.kmeans2(x, b, minit="matrix", seed=1)[0],
    ],
)
def test_means_of_clusters(means: Any) -> None:
    check(means, POINTS, BOOK, wrt=(0, 1), step=0.0004)


def test_numbers_of_single_precision() -> None:
    value = sd.grad(lambda x: np.sum(vq.vq(x, BOOK.astype(np.float32))[1]))
    assert value(POINTS.astype(np.float32)).dtype == np.float32


def test_what_scipy_raises() -> None:
    with pytest.raises(ValueError, match="Invalid method: nearest"):
        sd.grad(lambda x: np.sum(hierarchy.linkage(x, "nearest")))(POINTS)
    with pytest.raises(ValueError, match="to be Euclidean"):
        sd.grad(lambda x: np.sum(hierarchy.linkage(x, "ward", "cityblock")))(POINTS)
    with pytest.raises(ValueError):
        sd.grad(lambda x: np.sum(hierarchy.linkage(x)))(POINTS[0, :2])
    with pytest.raises(TypeError, match="multiple values for argument now known as `rng`"):
        sd.grad(lambda x: vq.kmeans2(x, BOOK, minit="matrix", seed=1, rng=2)[0][0, 0])(POINTS)


def test_the_time_grows_with_the_square_of_the_points() -> None:
    points = RNG.normal(size=(200, 3))
    gradient = sd.grad(lambda x: np.sum(hierarchy.ward(distance.pdist(x))[:, 2]))(points)
    np.testing.assert_allclose(np.sum(gradient, axis=0), 0.0, atol=1e-9)
